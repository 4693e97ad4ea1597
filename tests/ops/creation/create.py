# SPDX-License-Identifier: BSD-3-Clause
"""Creation and assignment against NumPy: constants, ranges, spaces, diagonals, grids, copyto."""

import ctypes

import maniple as mp
import numpy as np

rng = mp.random()


def like(array, dtype=None):
    """An array of zeros to be reused, in any layout."""
    return mp.array(np.zeros(array.shape, array.dtype), mp.random_layout(rng, array.shape), dtype)


def check(name, function, *arguments, want, ulp=0, dtype=None):
    """A point: a new result, and one in an array that is given."""
    want = np.asarray(want)
    got = function(*arguments)
    wrong = mp.difference(got, want, ulp)
    mp.check(name, got, want, ulp) if wrong else \
        mp.check(name, function(*arguments, out=like(want, dtype)), want, ulp)


def test_constants():
    for dtype in mp.DTYPES:
        shape = tuple(int(n) for n in rng.integers(0, 6, rng.integers(0, 4)))
        prototype = mp.array(rng.integers(0, 2, shape), mp.random_layout(rng, shape), dtype)
        kind = prototype.dtype
        check(f"ones {dtype} {shape}", mp.ones_like, prototype, None, want=np.ones(shape, kind), dtype=dtype)
        mp.check(f"ones of {shape}", mp.ones(dtype, len(shape), shape), np.ones(shape, kind))
        check(f"zeros_like {dtype}", mp.zeros_like, prototype, None, want=np.zeros(shape, kind), dtype=dtype)
        value = np.asarray(rng.integers(0, 100)).astype(kind)[()]
        check(f"full_like {dtype}", mp.full_like, prototype, dtype, value, want=np.full(shape, value, kind),
              dtype=dtype)
    x = mp.array(np.arange(12.0).reshape(3, 4), mp.random_layout(rng, (3, 4)))
    y = mp.empty_like(x, "int16")
    mp.ok(y.shape == (3, 4) and y.dtype == np.int16, "empty_like has the dtype that is asked for")
    mp.check("full_like of a view writes nothing but the view", mp.full_like(x[::2], None, np.float64(7), out=x[::2]),
             np.full((2, 4), 7.0))
    mp.check("and that in its base", x, np.where(np.arange(3)[:, None] % 2 == 0, 7.0, np.arange(12.0).reshape(3, 4)))


def test_arange():
    for dtype in mp.DTYPES:
        kind = mp.zeros(dtype, 1, [0]).dtype
        if dtype == "bool":
            check("arange bool", mp.arange_int, 0, 2, 1, dtype, want=np.arange(0, 2, 1, bool))
            continue
        low = 0 if kind.kind == "u" and dtype != "bfloat16" else -20
        start, stop, step = (int(v) for v in (rng.integers(low, 20), rng.integers(20, 90), rng.integers(1, 9)))
        check(f"arange({start}, {stop}, {step}) {dtype}", mp.arange_int, start, stop, step, dtype,
              want=np.arange(start, stop, step, kind), dtype=dtype)
        start, stop, step = rng.uniform(low, 20), rng.uniform(20, 90), rng.uniform(0.05, 9)
        check(f"arange({start}, {stop}, {step}) {dtype}", mp.arange, start, stop, step, dtype,
              want=np.arange(start, stop, step, kind), dtype=dtype)
    for start, stop, step in [(0, 1, 0.1), (1, 0, -0.3), (5, 0, 1), (0, 5, -1), (0, 5, np.inf), (0, -5, np.inf),
                              (1e300, -1e300, -3e299), (0.0, 1e-300, 1e300), (0, 3, 3), (-0.0, 2, 1),
                              (1, 1 + 1e-15, 1e-16)]:
        check(f"arange({start}, {stop}, {step})", mp.arange, start, stop, step, None,
              want=np.arange(start, stop, step, np.float64))
    for start, stop, step in [(10, 0, -3), (0, 0, 1), (2 ** 62, 2 ** 62 + 5, 2), (-2 ** 63, -2 ** 63 + 3, 1),
                              (7, 6, 1)]:
        check(f"arange({start}, {stop}, {step}) of integers", mp.arange_int, start, stop, step, None,
              want=np.arange(start, stop, step))
    for start, stop, step in [(2 ** 64 - 4, 2 ** 64 - 1, 1), (2 ** 63 - 3, 2 ** 63 + 9, 2), (2 ** 63 + 5, 2 ** 63 - 5, -3),
                              (3, 1, 1), (1, 3, -1), (5, 9, 1)]:
        check(f"arange({start}, {stop}, {step}) of uint64", mp.arange_uint, start, stop, step, None,
              want=np.array(list(range(start, stop, step)), np.uint64))
    check("from beyond int64, as floats", mp.arange_uint, 2 ** 63, 2 ** 63 + 2 ** 54, 2 ** 52, "float64",
          want=2.0 ** 63 + np.arange(4) * 2.0 ** 52)
    mp.fails("MNP_ERR_ARG", "too many", mp.arange_uint, 0, 2 ** 64 - 1, 1, None)
    many = 100003
    check("a long float32 range", mp.arange, 0.1, 0.1 + 0.3 * many, 0.3, "float32",
          want=np.arange(0.1, 0.1 + 0.3 * many, 0.3, np.float32))
    mp.fails("MNP_ERR_ARG", "step is 0", mp.arange, 0, 1, 0, None)
    mp.fails("MNP_ERR_ARG", "step is 0", mp.arange_int, 0, 1, 0, None)
    mp.fails("MNP_ERR_ARG", "no number of steps", mp.arange, 0, np.nan, 1, None)
    mp.fails("MNP_ERR_ARG", "too many", mp.arange, 0, 1e30, 1, None)
    mp.fails("MNP_ERR_ARG", "too many", mp.arange_int, -2 ** 63, 2 ** 63 - 1, 1, None)
    mp.fails("MNP_ERR_ARG", "1e+30 is not a value of int32", mp.arange, 1e30, 1.1e30, 1e30, "int32")
    mp.fails("MNP_ERR_ARG", "and this one has 3", mp.arange_int, 0, 3, 1, "bool")
    mp.fails("MNP_ERR_ARG", "(4,), and the result's is (3,)", mp.arange_int, 0, 3, 1, None,
             out=mp.zeros("int64", 1, [4]))
    mp.fails("MNP_ERR_ARG", "the output is bool, to which the result's int64", mp.arange_int, 0, 3, 1, None,
             out=mp.zeros("bool", 1, [3]))
    mp.fails("MNP_ERR_ARG", "99 is not a dtype", mp.arange_int, 0, 3, 1, 99)


def test_spaces():
    for dtype in ["float64", "float32", "int32", "float16"]:
        for _ in range(4):
            start, stop = (float(v) for v in rng.uniform(-50, 50, 2))
            count, end = int(rng.integers(0, 30)), bool(rng.integers(2))
            check(f"linspace({start}, {stop}, {count}, {end}) {dtype}", lambda *a, **k: mp.linspace(*a, **k)[1],
                  start, stop, count, end, dtype, want=np.linspace(start, stop, count, end, dtype=dtype))
    for start, stop, count, end in [(3, 3, 5, True), (0, 5e-324, 7, True), (2, 3, 1, True), (2, 3, 1, False),
                                    (1, 2, 0, True), (-np.inf, 1, 3, True), (-1e308, 1e308, 4, True),
                                    (5, -5, 1001, True)]:
        want, step = np.linspace(start, stop, count, end, retstep=True)
        got_step, got = mp.linspace(start, stop, count, end, None)
        mp.check(f"linspace({start}, {stop}, {count}, {end})", (got, np.float64(got_step)), (want, np.float64(step)))
    for start, stop, end, dtype in [(1 - 2j, 5 + 7j, True, "complex128"), (0, 1j, False, "complex64"), (3j, 3j, True, None)]:
        want = np.linspace(start, stop, 9, end, dtype=dtype or "complex128")
        ends = [[complex(v).real, complex(v).imag] for v in (start, stop)]
        check(f"linspace({start}, {stop}) {dtype}", lambda *a, **k: mp.linspace_complex(*a, **k)[1], *ends, 9, end, dtype,
              want=want, ulp=1)
    mp.fails("MNP_ERR_ARG", "float64 is not complex", mp.linspace_complex, ends[0], ends[1], 3, True, "float64")
    check("logspace", mp.logspace, -3, 4.5, 23, True, 10, None, want=np.logspace(-3, 4.5, 23), ulp=4)
    check("logspace of base 2 without its end", mp.logspace, 0, 8, 8, False, 2, None,
          want=np.logspace(0, 8, 8, False, 2), ulp=4)
    check("logspace float32", mp.logspace, 0, 3, 9, True, 10, "float32",
          want=np.logspace(0, 3, 9, dtype=np.float32), ulp=1)
    for start, stop, end in [(1, 1000, True), (-2, -3e5, True), (7, 0.01, False)]:
        check(f"geomspace({start}, {stop})", mp.geomspace, start, stop, 17, end, None,
              want=np.geomspace(start, stop, 17, end), ulp=8)
    mp.fails("MNP_ERR_ARG", "count is -1", mp.linspace, 0, 1, -1, True, None)
    mp.fails("MNP_ERR_ARG", "start is 0", mp.geomspace, 0, 1, 5, True, None)
    mp.fails("MNP_ERR_ARG", "stop is 0", mp.geomspace, 1, 0, 5, True, None)


def test_diagonals():
    for dtype in ["bool", "int8", "float32", "complex64"]:
        n, m, k = int(rng.integers(0, 9)), int(rng.integers(0, 9)), int(rng.integers(-5, 6))
        check(f"eye({n}, {m}, {k}) {dtype}", mp.eye, dtype, n, m, k, want=np.eye(n, m, k, dtype))
        check(f"tri({n}, {m}, {k}) {dtype}", mp.tri, dtype, n, m, k, want=np.tri(n, m, k, dtype))
        check(f"identity({n}) {dtype}", mp.identity, dtype, n, want=np.identity(n, dtype))
    for shape in [(4, 6), (5, 5), (0, 3), (1, 7), (2, 3, 4), (2, 1, 5, 3)]:
        dtype = ["float32", "int64"][int(rng.integers(2))]
        a = rng.integers(1, 100, shape).astype(dtype)
        x = mp.array(a, mp.random_layout(rng, shape))
        k = int(rng.integers(-4, 5))
        check(f"tril {shape} {k}", mp.tril, x, k, want=np.tril(a, k))
        check(f"triu {shape} {k}", mp.triu, x, k, want=np.triu(a, k))
        offset = int(rng.integers(-3, 4))
        axes = [int(axis) for axis in rng.permutation(len(shape))[:2]]
        check(f"diagonal {shape} {offset} {axes}", mp.diagonal, x, offset, *axes, want=np.diagonal(a, offset, *axes))
        flipped = mp.array(a[::-1], mp.random_layout(rng, shape))[::-1]
        check(f"diagonal {shape} {offset} of a view", mp.diagonal, flipped, offset, 0, 1,
              want=np.diagonal(a, offset, 0, 1))
    a = rng.integers(1, 100, (6, 6)).astype(np.float32)
    for k in range(-8, 9, 2):
        x = mp.array(a, mp.random_layout(rng, a.shape))
        check(f"diag of a matrix, {k}", mp.diag, x, k, want=np.diag(a, k))
        check(f"diag of a vector, {k}", mp.diag, x[:, 2], k, want=np.diag(a[:, 2], k))
    x = mp.array(a)
    mp.check("tril in place", mp.tril(x, 0, out=x), np.tril(a))
    mp.check("diag into a view of its argument", mp.diag(x, 0, out=x[:, 1]), np.diag(a))
    mp.fails("MNP_ERR_ARG", "1 dimensions", mp.tril, mp.array(np.ones(3)), 0)
    mp.fails("MNP_ERR_ARG", "3 dimensions", mp.diag, mp.array(np.ones((1, 2, 3))), 0)
    mp.fails("MNP_ERR_ARG", "both axes are 1", mp.diagonal, x, 0, 1, -1)
    mp.fails("MNP_ERR_ARG", "2", mp.diagonal, x, 0, 0, 2)
    mp.fails("MNP_ERR_ARG", "shape[0] is -1", mp.eye, "int8", -1, 3, 0)


def test_grids():
    vectors = [rng.integers(0, 100, n).astype(np.float32) for n in (5, 3, 4)]
    arrays = [mp.array(v, mp.random_layout(rng, v.shape)) for v in vectors]
    for count in (1, 2, 3):
        for indexing, name in [(mp.MNP_INDEXING_XY, "xy"), (mp.MNP_INDEXING_IJ, "ij")]:
            for sparse in (False, True):
                want = np.meshgrid(*vectors[:count], indexing=name, sparse=sparse)
                got = mp.meshgrid(arrays[:count], count, indexing, sparse, count)
                mp.check(f"meshgrid of {count}, {name}{', sparse' if sparse else ''}",
                         got if count > 1 else (got,), tuple(want))
    check("indices", mp.indices, None, 2, [3, 4], want=np.indices((3, 4)))
    check("indices float32", mp.indices, "float32", 3, [2, 3, 2], want=np.indices((2, 3, 2), np.float32))
    check("indices of nothing", mp.indices, None, 2, [0, 4], want=np.indices((0, 4)))
    mp.fails("MNP_ERR_ARG", "there are 0 vectors", mp.meshgrid, [], 0, mp.MNP_INDEXING_XY, False, 0)
    mp.fails("MNP_ERR_ARG", "7 is not an indexing", mp.meshgrid, arrays, 3, 7, False, 3)
    mp.fails("MNP_ERR_ARG", "ndim is 8", mp.indices, None, 8, [1] * 8)


def test_copyto():
    a, b = rng.standard_normal((6, 8)), rng.standard_normal((6, 8))
    x, y = (mp.array(v, mp.random_layout(rng, v.shape)) for v in (a, b))
    mp.copyto(x[::2, ::-1], y[3:, :], mp.MNP_CASTING_SAME_KIND)
    a[::2, ::-1] = b[3:, :]
    mp.check("a view to a view", x, a)
    mp.copyto(x[1:, 2:5], y[0, :3], mp.MNP_CASTING_SAME_KIND)
    a[1:, 2:5] = b[0, :3]
    mp.check("a row to several", x, a)
    mp.copyto(x[1:], x[:-1], mp.MNP_CASTING_NO)
    a[1:] = a[:-1].copy()
    mp.check("overlapping views", x, a)
    mp.copyto(x[:, 3], 2.5, mp.MNP_CASTING_SAME_KIND)
    a[:, 3] = 2.5
    mp.check("a number", x, a)
    i = mp.zeros("uint8", 1, [5])
    mp.copyto(i, mp.array(np.float64([1.5, 2.9, 3.0, 250.0, 0.2])), mp.MNP_CASTING_UNSAFE)
    mp.check("unsafe casting", i, np.uint8([1, 2, 3, 250, 0]))
    mp.copyto(i[1:3], 255, mp.MNP_CASTING_SAME_KIND)
    mp.check("the largest integer", i, np.uint8([1, 255, 255, 250, 0]))
    before = i.numpy()
    mp.fails("MNP_ERR_ARG", "256 is not a value of uint8", mp.copyto, i, 256, mp.MNP_CASTING_SAME_KIND)
    mp.fails("MNP_ERR_ARG", "-1 is not a value of uint8", mp.copyto, i, -1, mp.MNP_CASTING_SAME_KIND)
    mp.fails("MNP_ERR_ARG", "a float cannot be cast to uint8", mp.copyto, i, 1.0, mp.MNP_CASTING_SAME_KIND)
    mp.fails("MNP_ERR_ARG", "float64 cannot be cast to uint8", mp.copyto, i, x[0, :5], mp.MNP_CASTING_SAME_KIND)
    mp.fails("MNP_ERR_ARG", "(3,)", mp.copyto, i, mp.zeros("uint8", 1, [3]), mp.MNP_CASTING_NO)
    mp.fails("MNP_ERR_ARG", "broadcast", mp.copyto, mp.broadcast_to(i, 2, [2, 5]), 1, mp.MNP_CASTING_SAME_KIND)
    mp.check("what failed changed nothing", i, before)


for test in (test_constants, test_arange, test_spaces, test_diagonals, test_grids, test_copyto):
    test()
mp.done()
