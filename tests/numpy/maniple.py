# SPDX-License-Identifier: BSD-3-Clause
"""Maniple in Python, for tests that compare with NumPy in the same process, on any number of ranks.

    import maniple as mp                        # before numpy: it switches NEP 50 on in NumPy 1.24
    import numpy as np

    rng = mp.random()                           # the same numbers on all ranks; the seed is printed
    a = rng.standard_normal((5, 7))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    mp.check("add", mp.add(x, 2.5), a + 2.5)    # a point of the test: dtype, shape, values; ulp=4 allows an error
    mp.check("slice", x[::-2, 1:], a[::-2, 1:])
    mp.fails("MNP_ERR_ARG", "axis", mp.roll, x, [1], [5])
    mp.done()

Every function of the headers is here under its name without mnp_, and is called by its prototype: contexts are filled
in; numbers are passed as scalars where an array is wanted; sequences where pointers are; dtypes by name; outputs are
returned (several as a tuple), or reused if given as out=; for an array of outputs their number is passed.  Structs are
the caller's, of ctypes.  The headers' constants are here too: mp.MNP_INT8.  All ranks must do the same; what fails on
one fails the point.
"""

import ctypes
import os
import sys
sys.path.append(sys.path.pop(0))  # a test that is called random.py, beside the script, is not Python's module
import tempfile  # noqa: E402
import time  # noqa: E402
import traceback  # noqa: E402

from binding import (DTYPES, Array, Error, Layout, abort, agree, array, broadcast, call, eval,  # noqa: A004, E402, F401
                     finalize, index_text, lookup, rank, scalar, size)
import numpy as np  # noqa: E402

__getattr__ = lookup
FULL = bool(os.environ.get("MANIPLE_TEST_FULL"))  # make check-full
TURN = os.environ.get("MANIPLE_TEST_TURN")  # a number in what .ci/run has beyond make check
FEW = not FULL and TURN is None  # make check
# The dtypes of LAPACK and of sparse matrices.  Each has kernels of its own, and compiling them takes most of the time:
# one number of ranks has two, and .ci/run, which goes from 1 to 3 by turns, all
LAPACK_DTYPES = (["float32", "float64", "complex64", "complex128"] if FULL else
                 ["float64", "complex64"] if size == 3 else ["float32", "complex128"])
_points = _failures = 0
_scratch = []


def _excepthook(kind, value, trace):
    """One rank alone must not leave the others waiting."""
    traceback.print_exception(kind, value, trace)
    sys.stdout.flush()
    sys.stderr.flush()
    abort()


sys.excepthook = _excepthook


def say(text):
    """A line from rank 0."""
    if rank == 0:
        print(text, flush=True)


def ok(condition, name):
    """One point; it is ok if it is on all ranks."""
    global _points, _failures
    _points += 1
    wrong = agree(None if condition else name)
    _failures += wrong is not None
    say(f"{'ok' if wrong is None else 'not ok'} {_points} - {name}".replace("\n", " "))
    if wrong is not None:
        say("# " + wrong.replace("\n", "\n# "))
    return wrong is None


def _floats_differ(got, want, ulp):
    wrong = np.zeros(want.shape, bool)
    if not want.size:
        return wrong
    got_bits, want_bits = (np.ascontiguousarray(v).reshape(-1).view(f"u{min(v.itemsize, 8)}").reshape(want.size, -1)
                           for v in (got, want))
    others = (got_bits != want_bits).any(axis=1).reshape(want.shape)  # most have the same bits, and need no more
    is_complex, ulp = want.dtype.kind == "c", np.broadcast_to(ulp, want.shape)[others]
    g, w = (v[others].astype(np.complex128 if is_complex else np.float64) for v in (got, want))
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "complex64": 24}.get(want.dtype.name, 53)
    smallest = 2.0 ** {11: -24, 8: -133, 24: -149, 53: -1074}[digits]
    for a, b in ((g.real, w.real), (g.imag, w.imag)) if is_complex else ((g, w),):
        size = np.where(np.isfinite(w), np.abs(w), np.abs(b))  # the other part may be infinite
        unit = np.maximum(np.ldexp(1.0, np.frexp(size)[1] - digits), smallest)
        same = (a == b) & ((np.signbit(a) == np.signbit(b)) | (ulp > 0))
        wrong[others] |= ~(same | ((a != a) & (b != b)) | (np.abs(a - b) <= ulp * unit) & (ulp > 0))
    return wrong


def difference(got, want, ulp=0):
    """What is different, as a sentence, or "": dtype, shape, values.  NaN equals NaN.  With ulp=0 zeros must have the
    right sign; else values may be off by so many units in the last place of what is right (if complex, of its
    modulus)."""
    got, want = (value.numpy() if isinstance(value, Array) else np.asarray(value) for value in (got, want))
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape} where {want.dtype} {want.shape} is right"
    wrong = got != want
    if want.dtype.kind not in "biu":
        wrong = _floats_differ(got, want, ulp)
    if not wrong.any():
        return ""
    where = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))
    return (f"{wrong.sum()} of {wrong.size} values, first at {where}: {np.atleast_1d(got)[where]!r} where "
            f"{np.atleast_1d(want)[where]!r} is right")


def check(name, got, want, ulp=0):
    """A point: an array (or several: a tuple) is what NumPy says."""
    pairs = list(zip(got, want)) if isinstance(got, tuple) else [(got, want)]
    wrong = next(filter(None, (difference(g, w, ulp) for g, w in pairs)), "")
    return ok(not wrong, name + (": " + wrong if wrong else ""))


def fails(status, words, function, *arguments, own=False, **named):
    """A point: the call fails with that status (its name, or several in a tuple) on all ranks, and says these words
    behind the function's name; own=True: a function of the test's own has failed, and the sentence is its own."""
    name = f"{getattr(function, '__name__', function)} fails: {words}"
    try:
        (function if callable(function) else lookup(function))(*arguments, **named)
    except Error as error:
        expected = (status,) if isinstance(status, str) else status
        good = error.status in expected and words in error.message and (own or error.named) and error.message
        return ok(good, name if good else f"{name}: {error}")
    return ok(False, f"{name}: it did not fail")


class Axes(ctypes.Structure):
    """mnp_axes"""
    _fields_ = [("count", ctypes.c_int), ("axes", ctypes.c_int * 8), ("keepdims", ctypes.c_bool),
                ("dtype", ctypes.c_char_p), ("where", ctypes.c_void_p), ("initial", ctypes.c_void_p),
                ("ddof", ctypes.c_double)]


def axes(*listed, keepdims=False, dtype=None, where=None, initial=None, ddof=0):
    """The axes of a reduction, all if none is listed, and its options."""
    made = Axes(len(listed), (ctypes.c_int * 8)(*listed), keepdims, dtype and dtype.encode(), where and where.pointer,
                None if initial is None else scalar(initial), ddof)
    made.array = where  # keeps the array alive
    return made


def part(items, number=0):
    """Of items that have kernels of their own a ninth, at least one, in make check; a third in .ci/run, where every turn
    has another; all in make check-full.  The next number, and one rank more, give other ones."""
    if FULL:
        return items
    step = min(9 if FEW else 3, max(len(items), 1))
    return items[(number + size + int(TURN or 0)) % step::step]


def some(every, function, dtype):
    """Which axes to test a function along in a dtype, both by their numbers: a third of them in the first dtype, else
    one of the first three, as every dtype has kernels of its own for each kind of axis, and compiling them takes most
    of the time."""
    return every if FULL else part(every if dtype == 0 else every[:3], function + dtype)


def skip(name, reason):
    """A point that cannot be tested here."""
    global _points
    _points += 1
    say(f"ok {_points} - {name} # SKIP {reason}")


def scratch(name):
    """The path of a file of that name, alone in a new folder.  done() removes both, and fails if there is another file."""
    folder = os.path.join(tempfile.gettempdir(), f"maniple-{broadcast(os.getpid())}-{size}-{len(_scratch)}")
    _scratch.append(os.path.join(folder, name))
    if rank == 0:
        os.mkdir(folder)
    return _scratch[-1]


def done():
    """The end of the test."""
    agree(None)  # no rank still reads files
    for path in _scratch if rank == 0 else []:
        if os.path.exists(path):
            os.unlink(path)
        os.rmdir(os.path.dirname(path))
    say(f"1..{_points}")
    finalize()
    sys.exit(1 if _failures else 0)


def random():
    """NumPy's generator, alike on all ranks; MANIPLE_TEST_SEED repeats a run."""
    seed = broadcast(int(os.environ.get("MANIPLE_TEST_SEED", time.time_ns() // 1000 % 2 ** 32)))
    say(f"# MANIPLE_TEST_SEED={seed} repeats this run")
    return np.random.default_rng(seed)


def random_layout(rng, shape):
    """Any layout of that shape: meshes of up to three axes, axes that cut nothing, uneven and empty blocks, orders."""
    mesh, left = [], size
    while left > 1 and len(mesh) < 2:
        divisors = [d for d in range(1, left + 1) if left % d == 0]
        mesh.append(int(rng.choice(divisors)))
        left //= mesh[-1]
    mesh.append(left)
    free = [int(a) for a in rng.permutation(len(mesh))]
    axes = [free.pop() if free and rng.random() < 0.75 else -1 for _ in shape]
    cuts = [None if a < 0 or rng.random() < 0.5 else
            [0] + sorted(int(c) for c in rng.integers(0, n + 1, mesh[a] - 1)) + [n] for a, n in zip(axes, shape)]
    layout = Layout(mesh, shape, axes, cuts)
    if rng.random() < 0.6:
        return layout
    return call("layout_with_order", layout, [int(d) for d in rng.permutation(len(shape))])


def random_cyclic_layout(rng, shape):
    """Some dimensions in blocks of 1 to 4, over any mesh, stored in any order; on few ranks it may be one of blocks."""
    divisors = [p for p in range(1, size + 1) if size % p == 0]
    mesh = [int(rng.choice(divisors))]
    mesh.append(size // mesh[0])
    axes = [int(a) for a in rng.permutation(2)][:len(shape)] + [-1] * (len(shape) - 2)
    blocks = [int(b) for b in rng.integers(0, 5, len(shape))]
    made = call("layout_new_cyclic", 2, mesh, len(shape), shape, axes, blocks)
    return call("layout_with_order", made, [int(d) for d in rng.permutation(len(shape))])


def spread(rng, a):
    """The values as an array of some layout, or as a view of one: a slice, a transpose, reversed, or with steps."""
    kind = int(rng.integers(5)) if a.ndim else 4
    if kind == 0:
        thick = np.stack([a, np.ones_like(a), a])
        return array(thick, random_layout(rng, thick.shape))[int(rng.integers(0, 2)) * 2]
    if kind == 1:
        return call("transpose", array(a.T, random_layout(rng, a.T.shape)), None)
    if kind == 2:
        return array(a[::-1], random_layout(rng, a.shape))[::-1]
    if kind == 3:
        wide = np.zeros((2 * a.shape[0] + 3,) + a.shape[1:], a.dtype)
        wide[2:2 + 2 * a.shape[0]:2] = a
        return array(wide, random_layout(rng, wide.shape))[2:2 + 2 * a.shape[0]:2]
    return array(a, random_layout(rng, a.shape))


def values_for_sums(rng, dtype, shape):
    """Values whose sums and products are exact, or nearly."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    made = rng.uniform(0.8, 1.2, shape)
    return (made + 1j * rng.uniform(-0.2, 0.2, shape) if kind == "c" else made).astype(dtype)
