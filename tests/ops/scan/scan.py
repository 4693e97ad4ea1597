# SPDX-License-Identifier: BSD-3-Clause
"""Scans: cumulative sums, products and extremes, along any axis and flattened."""

import maniple as mp
import numpy as np

rng = mp.random()
FUNCTIONS = {"cumsum": np.cumsum, "cumprod": np.cumprod, "nancumsum": np.nancumsum, "nancumprod": np.nancumprod}
EXTREMES = {"cummax": np.maximum.accumulate, "cummin": np.minimum.accumulate}


def expected(name, a, axis, dtype=None):
    """NumPy's result, computed in the precision that Maniple uses."""
    if name in EXTREMES:
        return EXTREMES[name](a.ravel() if axis is None else a, axis=axis or 0)
    wide = {"e": "float64", "f": "float64", "d": "longdouble", "F": "complex128", "D": "clongdouble"}
    want = FUNCTIONS[name](a, axis=axis, dtype=dtype)
    if want.dtype.char not in wide:
        return want
    cast = a.astype(want.dtype)
    return FUNCTIONS[name](cast, axis=axis, dtype=wide[want.dtype.char]).astype(want.dtype)


def compare(name, a, x, axis, dtype=None, ulp=None):
    want = expected(name, a, axis, dtype)
    if ulp is None:
        exact, wide = name in EXTREMES or want.dtype.kind in "biu", want.dtype.char in "dD"
        ulp = 0 if exact else 256 if wide and "prod" in name else 8 if wide else 2
    arguments = () if name in EXTREMES else (dtype,)
    got = mp.lookup(name)(x, mp.MNP_FLATTENED if axis is None else axis, *arguments)
    mp.check(f"{name} of {a.dtype} {a.shape}, axis {axis}, dtype {dtype}", got, want, ulp=ulp)


def axes_of(ndim):
    return [None] + list(range(ndim)) + [-1] * (ndim > 0)


def all_functions():
    types = {"cumsum": "bool int8 uint16 float16 float32 complex64 complex128", "cumprod": "int32 float32",
             "nancumsum": "float32", "nancumprod": "float64", "cummax": "bool uint64 float16 complex64",
             "cummin": "int64 float64"}
    for function, (name, listed) in enumerate(types.items()):
        for number, dtype in enumerate(listed.split()[:1 if mp.FEW else None]):
            shape = tuple(int(n) for n in rng.integers(2, 7, 3))
            a = mp.values_for_sums(rng, dtype, shape)
            if name.startswith("nan") and a.dtype.kind == "f":
                a[rng.random(shape) < 0.2] = np.nan
            x = mp.array(a, mp.random_layout(rng, shape))
            for axis in mp.some(axes_of(3), function, number):
                compare(name, a, x, axis)
    a = mp.values_for_sums(rng, "int16", (5, 6))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    compare("cumsum", a, x, 0, "int16")
    compare("cumsum", a, x, 1, "float32")


def shapes_and_views():
    for shape in ((), (1,), (7,), (0,), (3, 0, 2), (1, 1), (129,), (37, 41), (3, 1, 5), (2, 3, 4, 5)):
        a = mp.values_for_sums(rng, "float32", shape)
        x = mp.array(a, mp.random_layout(rng, shape))
        for name in ("cumsum", "cummax"):
            for axis in axes_of(len(shape)):
                if shape or axis is None:
                    compare(name, a, x, axis)
    a = mp.values_for_sums(rng, "float32", (12, 13, 14))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    b = np.ascontiguousarray(a[:, 0])
    y = mp.array(b, mp.random_layout(rng, b.shape))
    views = {"reversed": (a[::-1, ::-2, 1:], x[::-1, ::-2, 1:]), "an index": (a[3], x[3]),
             "two": (a[:, 2, 5], x[:, 2, 5]), "no elements": (a[3:3], x[3:3]),
             "one element": (a[3, 4, 5:6], x[3, 4, 5:6]),
             "transposed": (a.transpose(2, 0, 1), mp.transpose(x, [2, 0, 1])),
             "broadcast": (np.broadcast_to(b, (5, 12, 14)), mp.broadcast_to(y, 3, [5, 12, 14])),
             "broadcast, reversed": (np.broadcast_to(b[:, None, None], (12, 3, 2, 14)).transpose(3, 1, 0, 2)[::-1, 1:],
                                     mp.transpose(mp.broadcast_to(mp.reshape(y, 4, [12, 1, 1, 14]), 4, [12, 3, 2, 14]),
                                                  [3, 1, 0, 2])[::-1, 1:])}
    for b, y in views.values():
        for name in ("cumsum",) if mp.FEW else ("cumsum", "cummax"):
            for axis in axes_of(b.ndim):
                compare(name, b, y, axis)


def large():
    """Arrays large enough for the kernels of rows and of columns, and for lines in several parts."""
    for shape in ((200001,), (411, 503), (3, 70001), (70001, 3), (20, 17, 1031), (1200, 70)):
        a = rng.standard_normal(shape).astype(np.float32)
        x = mp.array(a)
        for axis in range(len(shape)):
            got = mp.cumsum(x, axis, None).numpy().astype(np.float64)
            want = np.cumsum(a, axis=axis, dtype=np.float64)
            size = np.abs(want) + 1e-7 * np.cumsum(np.abs(a), axis=axis, dtype=np.float64)
            mp.ok(got.shape == want.shape and (np.abs(got - want) <= 2.0 ** -23 * size).all(),
                  f"cumsum of {shape} along axis {axis}")
            compare("cummax", a, x, axis)
    a = rng.integers(-1000, 1000, (301, 1003))
    x = mp.array(a)
    for axis in axes_of(2):
        compare("cumsum", a, x, axis)
        compare("cumsum", a[::-1, ::-3], x[::-1, ::-3], axis)
    out = mp.array(np.zeros((503, 411), "float32"))
    a = rng.integers(-1000, 1000, (411, 503)).astype("float32")
    for axis in (0, 1):
        turned = mp.transpose(mp.array(a), [1, 0])
        mp.cumsum(turned, axis, None, out=out)
        mp.check(f"a transpose along axis {axis} into an array in C order", out, np.cumsum(a.T, axis=axis))
        mp.check("and into a new one", mp.cumsum(turned, axis, None), np.cumsum(a.T, axis=axis))
    a = rng.uniform(0, 1, (100003,))
    wide = np.cumsum(a, dtype=np.longdouble)
    ours = np.abs(mp.cumsum(mp.array(a), 0, None).numpy() - wide).max()
    theirs = np.abs(np.cumsum(a) - wide).max()
    mp.ok(ours <= theirs, f"a sum of float64 errs by {float(ours):.2g}, NumPy's by {float(theirs):.2g}")


def beside_each_other():
    """Lines beside each other, from few long ones to many short ones, and views of such: sums of integers are exact."""
    views = (np.s_[:, :, :], np.s_[:, 1:, 1:], np.s_[:, ::-1, ::2], np.s_[:, ::3, :1], np.s_[::-1, :-1, 1::3])
    dtypes = "float32 int32 float64 float16 int8 float32 complex64 int64 uint8 float32".split()
    for number, dtype in mp.part(list(enumerate(dtypes))):
        outer, columns = (int(n) for n in rng.choice([1, 2, 3, 5, 17, 40, 129, 301], 2))
        length = int(rng.uniform(2, 60000 // outer // columns + 40))
        a = rng.integers(0, 2, (outer, length + 1, columns + 2)).astype(dtype)
        x = mp.array(a)
        for view in (views[number % 5], views[(number + 2) % 5]):
            for axis in (1, 2):
                compare("cumsum", a[view], x[view], axis)
        compare("cummax", a, x, 1)


def short_lines():
    """Lines of few elements one behind the other, of powers of two and of other numbers, with gaps and without, aligned to
    their vectors or not: sums of so many zeros and ones are exact."""
    dtypes = "float32 float64 float16 int8 int32 complex128 complex64 uint8".split()
    for number, dtype in mp.part(list(enumerate(dtypes))):
        length = int(rng.choice([2, 4, 8, 15, 16, 30, 32, 33, 64, 96, 128, 257, 511, 1000]))
        lines = 70000 // length
        flat = rng.integers(0, 2, lines * (length + 1) + 1).astype(dtype)
        x = mp.array(flat)
        for begin, pitch in (0, length), (1, length), (0, length + 1):
            a = flat[begin:begin + lines * pitch].reshape(lines, pitch)[:, :length]
            y = mp.reshape(x[begin:begin + lines * pitch], 2, [lines, pitch])[:, :length]
            compare("cumsum", a, y, 1)
            compare("cummax", a, y, 1)
        out = mp.reshape(mp.array(np.zeros_like(flat))[1:lines * length + 1], 2, [lines, length])
        mp.cumsum(mp.array(a), 1, dtype, out=out)
        mp.check(f"lines of {length} {dtype} into what is not aligned", out, np.cumsum(a, axis=1, dtype=dtype))


def few_elements():
    """Lines of a few elements, many side by side or in runs one behind the other, of parts of larger arrays."""
    for number, dtype in mp.part(list(enumerate("float32 int32 float64 int8 complex64 float32".split()))):
        length, width = int(rng.integers(2, 6)), int(rng.choice([127, 129, 256, 1000, 2111]))
        outer = 70000 // (length * width) + 2
        a = rng.integers(0, 2, (outer, 3, length + 1, width)).astype(dtype)
        x = mp.array(a)
        for view in (np.s_[1:, ::-2, 1:], np.s_[:, :2, ::-1], np.s_[:, :, :-1, 1:]):
            compare("cumsum", a[view], x[view], 2)
        compare("cummax", a, x, 2)
        lines = int(rng.integers(3000, 9000))
        a = rng.integers(0, 2, (7, lines, length)).astype(dtype)
        x, out = mp.array(a), mp.array(np.zeros((7, lines + 1, length), dtype))
        for view in (np.s_[1:, 1:], np.s_[::2, :-1], np.s_[:, :, ::-1]):
            compare("cumsum", a[view], x[view], 2)
            compare("cummin", a[view], x[view], 2)
        mp.cumsum(x[:, 1:], 2, dtype, out=out[:, 2:])
        mp.check(f"runs of lines of {length} {dtype} into others", out[:, 2:], np.cumsum(a[:, 1:], axis=2, dtype=dtype))


def long_lines():
    """Lines of many elements that begin anywhere, with results that are aligned as they are or otherwise."""
    dtypes = "float32 int32 float64 float16 int8 complex64 float32".split()
    for number, dtype in mp.part(list(enumerate(dtypes))):
        for lines, length in (int(rng.integers(1, 5)), int(rng.integers(20000, 40000))), (540, 2100):
            a = rng.integers(0, 2, (lines, length + 3)).astype(dtype)
            x, out = mp.array(a), mp.array(np.zeros((lines, length + 2), dtype))
            for begin in rng.permutation(4)[:2]:
                b, y = a[:, begin:begin + length], x[:, begin:begin + length]
                compare("cumsum", b, y, 1)
                compare("cummax", b, y, 1)
                mp.cumsum(y, 1, dtype, out=out[:, 1:length + 1])
                want = expected("cumsum", b, 1, dtype)
                mp.check(f"{dtype} from element {begin} to 1", out[:, 1:length + 1], want, ulp=2)


def special_values():
    a = mp.values_for_sums(rng, "float32", (9, 11))
    a[2, 3] = a[2, 7] = a[5, 0] = np.nan
    a[4, 4] = np.inf
    a[6, 1] = -np.inf
    a[7] = np.nan
    x = mp.array(a, mp.random_layout(rng, a.shape))
    for name in ("cumsum", "nancumsum", "cummax", "cummin"):
        for axis in axes_of(2):
            compare(name, a, x, axis)
    c = a.astype("complex64")  # NaN of any bits are equal: which of several is the result is not specified
    c.imag = np.where(np.isnan(a), 1, a)
    for axis in axes_of(2):
        compare("cummax", c, mp.array(c, x.layout), axis)
    for dtype, big in (("int64", 2 ** 62), ("uint64", 2 ** 63), ("int8", 127)):
        d = np.full((5, 3), big, dtype)
        compare("cumsum", d, mp.array(d), 0)
        compare("cumprod", d, mp.array(d), 0)
    compare("cumsum", np.full(10, 100, "int8"), mp.array(np.full(10, 100, "int8")), 0, "int8")


def outputs():
    a = mp.values_for_sums(rng, "float32", (6, 8))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    out = mp.array(np.zeros((6, 8)), mp.random_layout(rng, a.shape))
    mp.cumsum(x, 0, None, out=out)
    mp.check("into float64 in another layout", out, np.cumsum(a, axis=0, dtype="float64").astype("float32")
             .astype("float64"), ulp=1 << 30)
    wide = mp.array(np.zeros((6, 16), "float32"), mp.random_layout(rng, (6, 16)))
    mp.cumsum(x, 1, None, out=wide[:, ::2])
    mp.check("into a view", wide[:, ::2], expected("cumsum", a, 1), ulp=2)
    mp.cumsum(x[::-1], 1, None, out=x)
    mp.check("into what it reads backwards", x, expected("cumsum", a[::-1], 1), ulp=2)
    x = mp.array(a, mp.random_layout(rng, a.shape))
    mp.cumsum(x, 0, None, out=x)
    mp.check("in place", x, expected("cumsum", a, 0), ulp=2)
    for name, start in (("sum", 0), ("prod", 1)):
        for dtype in ("float32", "int8"):
            b = mp.values_for_sums(rng, dtype, (5, 6))
            y = mp.array(b, mp.random_layout(rng, b.shape))
            for axis in (0, 1, -1):
                want = expected("cum" + name, b, axis)
                mp.check(f"cumulative_{name} along {axis}", mp.lookup("cumulative_" + name)(y, axis, None, False), want,
                         ulp=2)
                want = np.concatenate([np.full_like(want[:1] if axis == 0 else want[:, :1], start), want], axis=axis)
                mp.check("with what comes first", mp.lookup("cumulative_" + name)(y, axis, None, True), want, ulp=2)
    b = mp.values_for_sums(rng, "int8", 9)
    got = mp.cumulative_sum(mp.array(b), mp.MNP_FLATTENED, None, True)
    mp.check("cumulative_sum of one dimension", got, np.concatenate([[0], np.cumsum(b)]))
    for initial in (False, True):
        got = mp.cumulative_sum(mp.array(np.array(2.5)), mp.MNP_FLATTENED, None, initial)
        mp.check("cumulative_sum of no dimension", got, np.array([0, 2.5][not initial:]))


def properties():
    """Random shapes, layouts and views: scans of integers are exact."""
    for _ in range(25):
        ndim = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(1, 9, ndim))
        a = rng.integers(-9, 9, shape)
        x = mp.array(a, mp.random_layout(rng, shape))
        index = tuple(slice(None, None, int(rng.choice([1, 1, 2, -1, -2]))) for _ in shape)
        order = [int(d) for d in rng.permutation(ndim)]
        b, y = a[index].transpose(order), mp.transpose(x[index], order)
        axis = int(rng.integers(-ndim, ndim))
        compare("cumsum", b, y, axis)
        out = mp.array(np.zeros(b.shape, a.dtype), mp.random_layout(rng, b.shape))
        mp.cummin(y, axis, out=out)
        mp.check("cummin into another layout", out, np.minimum.accumulate(b, axis=axis))


def misuse():
    x, b = mp.array(mp.values_for_sums(rng, "float32", (6, 8))), mp.array(mp.values_for_sums(rng, "int32", (6, 8)))
    for words, function, *arguments in (
            ("mnp_cumsum: axis 2 is out of bounds for 2 dimensions", mp.cumsum, x, 2, None),
            ("mnp_cumsum: axis -3 is out of bounds", mp.cumsum, x, -3, None),
            ("flaot", mp.cumsum, x, 0, "flaot"),
            ("mnp_cummax: a scalar is an operand", mp.cummax, 3.0, 0),
            ("mnp_cumulative_sum: the array has 2 dimensions", mp.cumulative_sum, x, mp.MNP_FLATTENED, None, False)):
        mp.fails("MNP_ERR_ARG", words, function, *arguments)
    mp.fails("MNP_ERR_ARG", "mnp_cumsum: the output has the shape (7,), and the result's is (6, 8)", mp.cumsum, x, 0, None,
             out=mp.empty("float32", 1, [7]))
    mp.fails("MNP_ERR_ARG", "the output is int32, to which the result's float32", mp.cumsum, x, 0, None,
             out=b)


all_functions()
shapes_and_views()
large()
beside_each_other()
short_lines()
few_elements()
long_lines()
special_values()
outputs()
properties()
misuse()
mp.done()
