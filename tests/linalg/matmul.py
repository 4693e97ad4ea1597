# SPDX-License-Identifier: BSD-3-Clause
"""mnp_matmul: all dtypes, vectors, stacks that are broadcast, views, layouts, given outputs, and what it tells."""

import ctypes

import maniple as mp
import numpy as np

rng = mp.random()
EPS = {"float16": 2.0 ** -11, "bfloat16": 2.0 ** -8, "float32": 2.0 ** -24, "complex64": 2.0 ** -24,
       "float64": 2.0 ** -53, "complex128": 2.0 ** -53}


class Info(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("parts", ctypes.c_int), ("bytes", ctypes.c_int64),
                ("all_bytes", ctypes.c_int64), ("messages", ctypes.c_int64), ("workspace", ctypes.c_int64),
                ("integer_products", ctypes.c_int)]


def describe(a, b, layout=None):
    info = Info()
    mp.matmul_describe(a, b, layout, info)
    return info


def numbers(shape, dtype):
    kind = mp.array(np.zeros(1), None, dtype).numpy().dtype
    if dtype == "bool":
        return rng.random(shape) < 0.3
    if kind.kind in "iu":
        low, high = (np.iinfo(kind).min, np.iinfo(kind).max)
        return rng.integers(low, high, shape, kind, endpoint=True)
    values = rng.standard_normal(shape)
    if kind.kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(kind)


def near(name, got, a, b, computed=None):
    """Sums of k products: (k + 2) eps |a| |b|, and 4 times that of complex numbers; halves are rounded once more."""
    g = got.numpy()
    dtype = computed or str(g.dtype)
    wide = np.complex128 if g.dtype.kind == "c" else np.float64
    if dtype not in EPS:
        return mp.check(name, got, np.matmul(a, b).astype(g.dtype))
    want = np.matmul(a.astype(wide), b.astype(wide))
    size = np.matmul(np.abs(a.astype(wide)), np.abs(b.astype(wide)))
    k = a.shape[-1]
    sums = EPS["float32"] if dtype in ("float16", "bfloat16") else EPS[dtype]
    bound = 4 * (k + 2) * sums * size + 2 * (EPS[dtype] * np.abs(want) + 2.0 ** -24 * (dtype == "float16"))
    error = np.abs(g.astype(wide) - want)
    good = g.shape == want.shape and bool((error <= bound).all())
    return mp.ok(good, name if good else f"{name}: {g.shape} for {want.shape}, error {np.max(error, initial=0):.3g}")


# --- dtypes -----------------------------------------------------------------------------------------------------------

for dtype in mp.DTYPES:
    a, b = numbers((9, 13), dtype), numbers((13, 7), dtype)
    x, y = mp.array(a, mp.random_layout(rng, a.shape), dtype), mp.array(b, mp.random_layout(rng, b.shape), dtype)
    near(dtype, mp.matmul(x, y), a, b)
    near(f"{dtype}, stacks", mp.matmul(mp.array(numbers((0,), dtype).reshape(2, 0, 3), None, dtype),
                                       mp.array(numbers((3, 4), dtype), None, dtype)), np.zeros((2, 0, 3), a.dtype), np.zeros((3, 4), a.dtype))
    near(f"{dtype}, nothing to add up", mp.matmul(mp.array(numbers((5, 0), dtype), None, dtype),
                                                  mp.array(numbers((0, 4), dtype), None, dtype)),
         np.zeros((5, 0), a.dtype), np.zeros((0, 4), a.dtype))
for first, second in ("int8", "uint16"), ("bool", "int32"), ("float32", "complex64"), ("int64", "float32"), ("bool", "float16"):
    a, b = numbers((5, 6), first), numbers((6, 3), second)
    got = mp.matmul(mp.array(a, None, first), mp.array(b, None, second))
    if first == "int64":
        mp.ok(got.numpy().dtype == np.matmul(a, b).dtype, f"{first} and {second}")
    else:
        near(f"{first} and {second}", got, a, b)
if mp.FULL or mp.size < 3:  # more than one tile of everything
    for dtype in "bool", "int8", "int16", "int32", "uint64", "float32":
        a, b = numbers((150, 300), dtype), numbers((300, 261), dtype)
        near(f"{dtype}, large", mp.matmul(mp.array(a), mp.array(b)), a, b)

# --- shapes -----------------------------------------------------------------------------------------------------------

SHAPES = [((6,), (6,)), ((4, 6), (6,)), ((6,), (6, 5)), ((1, 6), (6, 1)), ((3, 4, 6), (6,)), ((6,), (3, 6, 2)),
          ((3, 4, 6), (6, 5)), ((4, 6), (3, 6, 5)), ((3, 4, 6), (3, 6, 5)), ((1, 4, 6), (3, 6, 5)),
          ((2, 1, 4, 3), (5, 3, 2)), ((2, 3, 1, 4), (1, 3, 4, 1)), ((0, 4), (4, 3)), ((3, 4), (4, 0)), ((0,), (0,)),
          ((2, 1, 2, 1, 3, 4), (3, 1, 2, 4, 2)), ((1, 1), (1, 1)), ((2, 0, 3, 4), (4, 5)), ((17, 2, 2), (17, 2, 3))]
for shape_a, shape_b in SHAPES:
    for dtype in ("float64", "int32"):
        a, b = numbers(shape_a, dtype), numbers(shape_b, dtype)
        x, y = mp.array(a, mp.random_layout(rng, shape_a)), mp.array(b, mp.random_layout(rng, shape_b))
        near(f"{dtype} {shape_a} {shape_b}", mp.matmul(x, y), a, b)

# --- views ------------------------------------------------------------------------------------------------------------

for dtype in "float32", "complex128", "int16":
    a, b, c = numbers((12, 10), dtype), numbers((14, 9), dtype), numbers((4, 6, 8), dtype)
    x, y, z = (mp.array(v, mp.random_layout(rng, v.shape)) for v in (a, b, c))
    t = lambda v: mp.transpose(v, None)  # noqa: E731
    near(f"{dtype}: transposed", mp.matmul(t(x), x), a.T, a)
    near(f"{dtype}: transposed second", mp.matmul(x, t(x)), a, a.T)
    near(f"{dtype}: a part, transposed", mp.matmul(t(y[:12]), x), b[:12].T, a)
    near(f"{dtype}: every second", mp.matmul(x[::2, 1:8], y[::2, ::3]), a[::2, 1:8], b[::2, ::3])
    near(f"{dtype}: reversed", mp.matmul(x[::-1, :9], t(y)[:, ::-1]), a[::-1, :9], b.T[:, ::-1])
    near(f"{dtype}: a row and a column", mp.matmul(x[3], x[:, 2][:10]), a[3], a[:10, 2])
    near(f"{dtype}: stacks, axes exchanged", mp.matmul(mp.swapaxes(z, 1, 2), z), c.swapaxes(1, 2), c)
    near(f"{dtype}: stacks along the last axis", mp.matmul(mp.moveaxis(z, 2, 0),
                                                                   mp.swapaxes(mp.moveaxis(z, 2, 0), 1, 2)),
         np.moveaxis(c, 2, 0), np.moveaxis(c, 2, 0).swapaxes(1, 2))
    near(f"{dtype}: a stack that is one matrix", mp.matmul(mp.broadcast_to(x, 3, [5, 12, 10]), t(x)),
         np.broadcast_to(a, (5, 12, 10)), a.T)

# --- layouts, and given outputs ---------------------------------------------------------------------------------------

seen = set()
for case in range(60 if mp.FULL else 16):
    m, n, k = (int(v) for v in rng.integers(1, 30, 3))
    batch = [(), (), (3,), (2, 4)][case % 4]
    dtype = ["float64", "float32", "int64", "complex64"][case // 4 % 4]
    a, b = numbers((*batch, m, k), dtype), numbers((*batch[1:], k, n), dtype)
    x, y = mp.array(a, mp.random_layout(rng, a.shape)), mp.array(b, mp.random_layout(rng, b.shape))
    shape = (*batch, m, n)
    layout = mp.random_layout(rng, shape)
    out = mp.array(numbers(shape, dtype), layout)
    near(f"{dtype} {a.shape} {b.shape} to a layout", mp.matmul(x, y, out=out), a, b)
    seen.add(describe(x, y, layout).method)
    out = mp.array(numbers(shape, "complex128"), mp.random_layout(rng, shape))
    near("into complex128", mp.matmul(x, y, out=out), a, b, dtype)
    wide = mp.array(numbers((*batch, 2 * m, 3 * n), dtype), mp.random_layout(rng, (*batch, 2 * m, 3 * n)))
    view = wide[..., ::-2, 1::3]
    mp.matmul(x, y, out=view)
    near("into a view", wide[..., ::-2, 1::3], a, b)
a = numbers((8, 8), "float64")
x = mp.array(a, mp.random_layout(rng, a.shape))
near("into an operand", mp.matmul(x, x, out=x), a, a)
for root in range(mp.size):
    a, b = numbers((7, 5), "float32"), numbers((5, 6), "float32")
    near("an operand that one rank has", mp.matmul(mp.array(a, mp.layout_on_root(mp.size, root, 2, a.shape)), mp.array(b)), a, b)

# --- how it is done ---------------------------------------------------------------------------------------------------

P = mp.size
if P > 1:
    rows, columns, whole = [0, -1], [-1, 0], [-1, -1]

    def matrix(shape, axes, dtype="float32"):
        return mp.array(numbers(shape, dtype), mp.Layout([P], shape, axes))

    def way(a, b, layout=None):
        info = describe(a, b, layout)
        return info.method.decode(), info.all_bytes

    a, b = matrix((40 * P, 30), rows), matrix((30, 20), whole)
    mp.ok(way(a, b)[1] == 0, "rows of A and all of B: nothing moves")
    mp.ok(mp.layout_equal(mp.matmul(a, b).layout, mp.Layout([P], (40 * P, 20), rows)), "and the result has A's rows")
    a, b = matrix((30, 20), whole), matrix((20, 40 * P), columns)
    mp.ok(way(a, b)[1] == 0, "all of A and columns of B: nothing moves")
    mp.ok(mp.layout_equal(mp.matmul(a, b).layout, mp.Layout([P], (30, 40 * P), columns)), "and the result has B's columns")
    a, b = matrix((16, 1000 * P), columns), matrix((1000 * P, 16), rows)
    got = way(a, b)
    mp.ok(describe(a, b).parts == P and got[1] <= 16 * 16 * 4 * (P - 1) * 2, f"a long sum stays in parts: {got}")
    near("with the right result", mp.matmul(a, b), a.numpy(), b.numpy())
    mp.ok(mp.layout_parts(mp.matmul(a, b).layout, 0) == P, "of which the rows are cut")
    a, b = mp.array(numbers((P, 30, 30), "float64"), mp.Layout([P], (P, 30, 30), [0, -1, -1])), None
    mp.ok(way(a, a)[1] == 0, "stacks: nothing moves")
    a, b = matrix((4096, 16), rows), matrix((16, 4000), rows)
    got = way(a, b)
    mp.ok(got[1] == 16 * 4000 * 4 * (P - 1), f"the smaller operand is gathered: {got}")
    info = describe(a, b)
    mp.ok(info.messages == P - 1 and info.workspace == 16 * 4000 * 4, "by a message from every other rank")
    if P == 4:
        a, b = (mp.array(numbers((64, 64), "float64"), mp.Layout([2, 2], (64, 64), [0, 1])) for _ in range(2))
        info = describe(a, b)
        mp.ok(info.all_bytes == 2 * 8 * 64 * 64, f"SUMMA on 2 x 2: {info.method} {info.all_bytes}")
        near("with the right result", mp.matmul(a, b), a.numpy(), b.numpy())
else:
    mp.ok(describe(x, x).method == b"one rank", "one rank")

# --- TF32, and refusals -----------------------------------------------------------------------------------------------

mp.matmul_set_precision(mp.MNP_MATMUL_TF32)
a, b = numbers((20, 30), "float32"), numbers((30, 10), "float32")
error = np.abs(mp.matmul(mp.array(a), mp.array(b)).numpy() - a.astype("f8") @ b)
mp.ok((error <= 2.0 ** -10 * 2 * (np.abs(a.astype("f8")) @ np.abs(b)) + 1e-6).all(), "TF32")
mp.matmul_set_precision(mp.MNP_MATMUL_PLAIN)
near("and plain again", mp.matmul(mp.array(a), mp.array(b)), a, b)
mp.fails("MNP_ERR_ARG", "7", mp.matmul_set_precision, 7)
mp.fails("MNP_ERR_ARG", "(20, 30) and (20, 30)", mp.matmul, mp.array(a), mp.array(a))
mp.fails("MNP_ERR_ARG", "do not fit", mp.matmul, mp.array(numbers((2, 3, 3), "int8")), mp.array(numbers((4, 3, 3), "int8")))
mp.fails("MNP_ERR_ARG", "operand 1 has no dimension", mp.matmul, mp.array(a), mp.array(np.array(2.0)))
mp.fails("MNP_ERR_ARG", "scalar", mp.matmul, mp.array(a), 2.0)
mp.fails("MNP_ERR_ARG", "has the shape (3,)", mp.matmul, mp.array(a), mp.array(b), out=mp.array(np.zeros(3)))
mp.fails("MNP_ERR_ARG", "cannot be cast", mp.matmul, mp.array(a), mp.array(b), out=mp.array(np.zeros((20, 10), "int32")))
mp.fails("MNP_ERR_ARG", "layout", mp.matmul_describe, mp.array(a), mp.array(b), mp.array(a).layout, Info())
mp.done()
