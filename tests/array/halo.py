# SPDX-License-Identifier: BSD-3-Clause
"""Margins and halo exchange against the whole array, which NumPy extends beyond its borders."""

import ctypes

import binding
import maniple as mp
import numpy as np

rng = mp.random()
MODES = ["constant", "wrap", "symmetric", "reflect", "edge"]  # numpy.pad's names, in the order of mnp_boundary
DTYPES = ["uint8", "float16", "int32", "float64", "complex128"]

# Copies between a block with its margins, strided, and dense memory; `into` says which way
COPY = """
extern "C" __global__ void copy(char *block, char *dense, int into, int size, long long count, long long e0,
                                long long e1, long long e2, long long s0, long long s1, long long s2, long long s3,
                                long long e3)
{
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        long long at = i % e3 * s3 + i / e3 % e2 * s2 + i / e3 / e2 % e1 * s1 + i / e3 / e2 / e1 % e0 * s0;
        for (int b = 0; b < size; b++)
            if (into)
                block[at * size + b] = dense[i * size + b];
            else
                dense[i * size + b] = block[at * size + b];
    }
}
"""


class Argument(ctypes.Structure):
    _fields_ = [("array", ctypes.c_void_p), ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("value", ctypes.c_int64)]


class Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_size_t),
                ("stream", ctypes.c_void_p)]


class Options(ctypes.Structure):
    _fields_ = [("before", ctypes.c_void_p), ("after", ctypes.c_void_p), ("boundary", ctypes.c_void_p),
                ("fill", ctypes.c_void_p), ("keep_outside", ctypes.c_bool), ("faces_only", ctypes.c_bool)]


class Box(ctypes.Structure):
    _fields_ = [("lo", ctypes.c_int64 * 8), ("shape", ctypes.c_int64 * 8)]

    def slices(self, ndim):
        return tuple(slice(self.lo[d], self.lo[d] + self.shape[d]) for d in range(ndim))


def pick(sequence):
    return sequence[int(rng.integers(len(sequence)))]


def integers(low, high, n):
    return [int(i) for i in rng.integers(low, high, n)]


class Field:
    """An array with margins of random widths, and what NumPy has of it."""

    def __init__(self, ndim, dtype=None, shape=None, layout=None, widest=4):
        self.shape = shape or [int(pick([1, 2, 3, 5, 8, 13, 0 if rng.random() < 0.05 else 7])) for _ in range(ndim)]
        self.dtype = np.dtype(dtype or pick(DTYPES))
        self.layout = layout or mp.random_layout(rng, self.shape)
        self.before, self.after = integers(0, widest, ndim), integers(0, widest, ndim)
        self.x = mp.array_new_margins(self.dtype, self.layout, self.before, self.after)
        boxes = [self.layout.box(r) for r in range(mp.size)]
        sizes = [np.prod([b.stop - b.start + w for b, w in zip(box, widths)], dtype=int)
                 if all(b.stop > b.start for b in box) else 0
                 for box in boxes for widths in [np.add(self.before, self.after)]]
        self.box, cuts = boxes[mp.rank], [0] + [int(c) for c in np.cumsum(sizes)]
        self.dense = mp.array_new(self.dtype, mp.Layout([mp.size], [cuts[-1]], [0], [cuts]))
        self.local_shape = [b.stop - b.start + w for b, w in zip(self.box, np.add(self.before, self.after))]
        self.set()

    def set(self):
        """New values, and in all margins a value that no element has."""
        self.values = rng.integers(1, 100, self.shape).astype(self.dtype)
        block = np.full(self.dense.local().shape, 222, self.dtype)
        mp.call("array_set_local", self.dense, block)
        self.copy(True)
        mp.call("array_set_local", self.x, np.ascontiguousarray(self.values[self.box]))

    def copy(self, into):
        count = self.dense.local().size
        if count == 0:
            return
        n, strides = len(self.shape), binding._pointer_result("mnp_array_local_strides", self.x)[:len(self.shape)]
        inner, skipped = binding._address("mnp_array_local_data", self.x).value, int(np.dot(self.before, strides))
        extents, strides = [1] * (4 - n) + self.local_shape, [0] * (4 - n) + list(strides)
        values = [ctypes.c_void_p(inner - skipped * self.dtype.itemsize),
                  binding._address("mnp_array_local_data", self.dense), ctypes.c_int(into),
                  ctypes.c_int(self.dtype.itemsize)]
        values += [ctypes.c_longlong(v) for v in [count, *extents[:3], *strides, extents[3]]]
        arguments = (Argument * len(values))(*[Argument(None, ctypes.addressof(v), ctypes.sizeof(v)) for v in values])
        mp.call("raw_kernel_launch", copy, Launch((4, 1, 1), (64, 1, 1)), len(values), arguments)

    def padded(self):
        """This rank's block with its margins."""
        self.copy(False)
        return self.dense.local().reshape(self.local_shape if self.dense.local().size else [0])

    def right(self, before, after, modes, fill, faces_only=False, keep=False):
        """What padded() should give."""
        if any(b.stop == b.start for b in self.box):
            return np.empty([0], self.dtype)
        indices = [np.arange(b.start - w, b.stop + v) for b, w, v in zip(self.box, self.before, self.after)]
        sources = [source(i, n, mode) for i, n, mode in zip(indices, self.shape, modes)]
        whole = self.values[np.ix_(*sources)] if sources else self.values.copy()
        outside, beside, far = (np.zeros(whole.shape, int) for _ in range(3))
        for d, (i, n, mode, box) in enumerate(zip(indices, self.shape, modes, self.box)):
            along = [1] * len(self.shape)
            along[d] = -1
            outside += ((mode == "constant") & ((i < 0) | (i >= n))).reshape(along)
            beside += ((i < box.start) | (i >= box.stop)).reshape(along)
            far += ((i < box.start - before[d]) | (i >= box.stop + after[d])).reshape(along)
        whole[outside > 0] = 222 if keep else fill
        whole[(far > 0) | ((beside > 1) & faces_only)] = 222
        return whole


def source(i, n, mode):
    """Where numpy.pad takes index i of a dimension of n elements from, any distance away (NumPy 1.24 errs there)."""
    if mode == "wrap":
        return i % n
    if mode == "symmetric":
        return np.minimum(i % (2 * n), 2 * n - 1 - i % (2 * n))
    if mode == "reflect" and n > 1:
        return np.minimum(i % (2 * n - 2), 2 * n - 2 - i % (2 * n - 2))
    return np.clip(i, 0, n - 1)


def halo_of(fields, before=None, after=None, modes=None, fill=None, faces_only=False, keep=False):
    def sequence(kind, values):
        return None if values is None else ctypes.cast((kind * max(len(values), 1))(*values), ctypes.c_void_p)
    elements = None if fill is None else [np.array([fill], f.dtype) for f in fields]
    options = Options(sequence(ctypes.c_int64, before), sequence(ctypes.c_int64, after),
                      sequence(ctypes.c_int, modes and [MODES.index(m) for m in modes]),
                      sequence(ctypes.c_void_p, elements and [e.ctypes.data for e in elements]), keep, faces_only)
    return mp.halo_new(len(fields), [f.x for f in fields], options)


def agree(fields, *what, **named):
    return next(filter(None, (mp.difference(f.padded(), f.right(*what, **named)) for f in fields)), "")


def covers(halo, k, field):
    """Whether interior and borders are the block, each element once, and the interior needs no margin."""
    seen, n = np.zeros(field.x.local().shape, int), len(field.shape)
    interior, borders = Box(), (Box * (2 * n + 1))()
    mp.call("halo_interior", halo, k, interior)
    seen[interior.slices(n)] += 1
    for b in borders[:mp.call("halo_borders", halo, k, borders)]:
        seen[b.slices(n)] += 1
    return np.all(seen == 1)


def random_case(name):
    ndim = int(rng.integers(1, 5))
    fields = [Field(ndim) for _ in range(int(pick([1, 1, 2, 3])))]
    least = [[min(w) for w in zip(*[getattr(f, side) for f in fields])] for side in ("before", "after")]
    before, after = ([int(rng.integers(0, w + 1)) for w in widths] for widths in least)
    modes = [pick(MODES)] * ndim if rng.random() < 0.7 else [pick(MODES) for _ in range(ndim)]
    fill, faces_only, keep = pick([None, 7]), rng.random() < 0.3, rng.random() < 0.2
    halo = halo_of(fields, before, after, modes, fill, faces_only, keep)
    wrong, whole = "", all(covers(halo, k, f) for k, f in enumerate(fields))
    for turn in range(3):
        if turn < 2:
            mp.call("halo_exchange", halo)
        else:  # reading the array, and moving others, while the exchange is under way
            mp.call("halo_begin", halo)
            mp.call("halo_progress", halo)
            copied = mp.copy(fields[0].x)
            moved = mp.redistribute(fields[0].x, mp.random_layout(rng, fields[0].shape))
            mp.call("halo_finish", halo)
            wrong = wrong or mp.difference(copied, fields[0].values)
            wrong = wrong or mp.difference(moved, fields[0].values)
        wrong = wrong or agree(fields, before, after, modes, fill or 0, faces_only=faces_only, keep=keep)
        for f in fields:
            f.set()
    mp.call("halo_free", halo)
    kind = f"{name}: {[f.shape for f in fields]} {[f.dtype.name for f in fields]} {before} {after} {modes[0]}"
    mp.ok(not wrong and whole, kind + (f": {wrong}" if wrong else "" if whole else ": interior and borders"))


def two_at_once(name):
    a, b = Field(2, "float64", [9, 11]), Field(3, "int32", [4, 6, 5])
    halos = [halo_of([a], modes=["wrap"] * 2), halo_of([b], modes=["edge"] * 3)]
    for order in (halos, halos[::-1]):
        for halo in halos:
            mp.call("halo_begin", halo)
        for halo in order:
            mp.call("halo_finish", halo)
        wrong = agree([a], a.before, a.after, ["wrap"] * 2, 0) or agree([b], b.before, b.after, ["edge"] * 3, 0)
        mp.ok(not wrong, f"{name}: two at once{': ' + wrong if wrong else ''}")
        a.set()
        b.set()
    for halo in halos:
        mp.call("halo_free", halo)


def layouts_of_views(name):
    """Parts in reverse order over the ranks, and ranks that own nothing, as the index is another rank's."""
    x = mp.array(np.zeros((7, 9)), mp.Layout([mp.size], [7, 9], [0, -1]))
    for key, view in (("[::-1]", x[::-1]), ("[:, ::-2]", x[:, ::-2]), ("[3:4]", x[3:4]), ("[5]", x[5])):
        f = Field(view.ndim, None, view.shape, view.layout)
        mode = pick(MODES)
        halo = halo_of([f], modes=[mode] * view.ndim)
        mp.call("halo_exchange", halo)
        wrong = agree([f], f.before, f.after, [mode] * view.ndim, 0)
        mp.call("halo_free", halo)
        mp.ok(not wrong, f"{name}: the layout of x{key}{': ' + wrong if wrong else ''}")


def behaves_as_an_array():
    f = Field(2, "float64", [12, 7], widest=3)
    x, a = f.x, f.values
    mp.check("values", x, a)
    mp.check("arithmetic", mp.add(x, 1.5), a + 1.5)
    mp.check("a slice", x[2:-1, ::-2], a[2:-1, ::-2])
    x[1:3] = 4.0
    a[1:3] = 4.0
    mp.check("written to", x, a)
    mp.check("as an output", mp.multiply(x, 2.0, out=x), a * 2)
    mp.check("copied", mp.copy(x), a * 2)
    mp.check("flattened", mp.ravel(x), (a * 2).ravel())
    before, after = (ctypes.c_int64 * 8)(), (ctypes.c_int64 * 8)()
    mp.call("array_margins", x, before, after)
    mp.ok(before[:2] == f.before and after[:2] == f.after, "margins are told")
    mp.call("array_margins", x[1:], before, after)
    mp.ok(before[:2] == after[:2] == [0, 0], "a view has none")
    without = mp.array_new_margins("int32", mp.Layout([mp.size], [5], [0]), None, None)
    mp.call("array_margins", without, before, after)
    mp.ok(before[0] == after[0] == 0, "nor has an array that was made without")


def refusals(stranger):
    f = Field(2, "int32", [6, 6])
    f.before = f.after = [1, 2]
    f.x = mp.array_new_margins("int32", f.layout, [1, 2], [1, 2])
    make = mp.array_new_margins
    mp.fails("MNP_ERR_ARG", "before dimension 1 is -3 wide, negative", make, "int32", f.layout, [0, -3], None)
    mp.fails("MNP_ERR_ARG", "after dimension 0 is -1 wide, negative", make, "int32", f.layout, None, [-1, 0])
    mp.fails("MNP_ERR_ARG", "too wide", make, "int32", f.layout, [2 ** 62, 0], [2 ** 62, 0])
    mp.fails("MNP_ERR_ARG", "is not a dtype", make, 99, f.layout, [1, 0], None)
    mp.fails("MNP_ERR_ARG", "width 2 before dimension 0 does not fit the margin of array 0, which is 1 wide", halo_of,
             [f], [2, 2], [1, 1])
    mp.fails("MNP_ERR_ARG", "width -1 after dimension 1", halo_of, [f], [1, 1], [1, -1])
    mp.fails("MNP_ERR_ARG", "a halo of 0 arrays", halo_of, [])
    mp.fails("MNP_ERR_ARG", "array 1 has 3 dimensions, and array 0 has 2", halo_of, [f, Field(3)])
    mp.fails("MNP_ERR_ARG", "boundary[1] is 9", mp.halo_new, 1, [f.x],
             Options(boundary=ctypes.cast((ctypes.c_int * 2)(0, 9), ctypes.c_void_p)))
    mp.fails("MNP_ERR_ARG", "scalar", mp.halo_new, 1, [2.5], None)
    mp.fails("MNP_ERR_ARG", "another context", mp.halo_new, 1, [stranger.x], None)
    halo = halo_of([f])
    mp.fails("MNP_ERR_ARG", "has not begun", mp.halo_finish, halo)
    mp.call("halo_begin", halo)
    mp.fails("MNP_ERR_ARG", "has begun already", mp.halo_begin, halo)
    mp.call("halo_finish", halo)
    mp.call("halo_free", halo)
    mp.call("halo_free", None)


def load_copy():
    module = mp.call("raw_module_new", COPY, None)
    return module, mp.call("raw_module_kernel", module, "copy")


def another_context(options):
    """A second context, for calls in the place of the harness's."""
    made = ctypes.c_void_p()
    status = binding._lib.mnp_init(binding._world, options, ctypes.byref(made))
    if status != 0:
        raise mp.Error(status)
    return made


line = np.arange(4) * 10
mp.ok(all(np.array_equal(np.pad(line, (3, 2), mode), line[source(np.arange(-3, 6), 4, mode)]) for mode in MODES[1:]),
      "what is right here is what numpy.pad says")
module, copy = load_copy()
behaves_as_an_array()
for case in range(24):
    random_case(f"case {case}")
two_at_once("two")
layouts_of_views("views")
stranger = Field(1, "int32", [3])
first = binding.ctx
binding.ctx = another_context(b"node_size=1")
others, copy_of_first = load_copy(), copy
copy = others[1]
for case in range(12):
    random_case(f"no peers, case {case}")
two_at_once("no peers, two")
layouts_of_views("no peers, views")
refusals(stranger)
mp.call("raw_module_free", others[0])
second, binding.ctx, copy = binding.ctx, first, copy_of_first
mp.call("raw_module_free", module)
binding._lib.mnp_finalize(second)
mp.done()
