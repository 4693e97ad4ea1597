# SPDX-License-Identifier: BSD-3-Clause
"""Reductions: sums, products, means, variances, extremes, indices, truth, and their nan forms, over any axes."""

import ctypes
import itertools
import warnings

import binding
import maniple as mp
import numpy as np
from binding import scalar
from maniple import axes

rng = mp.random()
SUMS = "sum prod nansum nanprod".split()
MOMENTS = "mean var std nanmean nanvar nanstd".split()
EXTREMES = "max min ptp nanmax nanmin".split()
INDICES = "argmax argmin nanargmax nanargmin".split()
TRUTH = "all any count_nonzero".split()


def expected(name, a, **how):
    """NumPy's result, computed in the precision that Maniple uses."""
    wide = {"e": "float64", "f": "float64", "d": "longdouble", "F": "complex128", "D": "clongdouble"}.get(a.dtype.char)
    if wide and name in SUMS + MOMENTS:
        got = np.asarray(getattr(np, name)(a.astype(wide), **how))
        back = np.zeros(0, a.dtype)
        return got.astype((back.real if got.dtype.kind == "f" else back).dtype)
    return np.asarray(getattr(np, name)(a, **how))


def compare(name, a, x, axis=None, keepdims=False, ulp=0):
    if not isinstance(axis, tuple) and axis is not None:
        axis = (axis,)
    numpy_axis = axis if axis is None or len(axis) > 1 else axis[0]
    what = f"{name} of {a.dtype} {a.shape}, axis {axis}{', keepdims' if keepdims else ''}"
    want = expected(name, a, axis=numpy_axis, keepdims=keepdims)
    if name.endswith(("std", "var")) and a.dtype.char in "dD" and ulp and a.size:
        # Parts of a line, as of several ranks, are joined by the differences of their means, which are as exact as these:
        # that is 4 units for each time that the deviation goes into the largest value.
        deviation = want if name.endswith("std") else np.sqrt(want)
        with np.errstate(all="ignore"):
            ulp = ulp + 4 * np.nan_to_num(np.nanmax(np.abs(a), initial=0) / deviation, nan=0, posinf=0)
    mp.check(what, mp.lookup(name)(x, axes(*(axis or ()), keepdims=keepdims)), want, ulp=ulp)


def some_axes(ndim, single):
    every = [None] + [(d,) for d in range(ndim)] + [(-1,)] * (ndim > 0)
    return every if single else every + [c for n in range(2, ndim + 1) for c in itertools.combinations(range(ndim), n)]


def tolerance(name, dtype):
    exact = name in EXTREMES + INDICES + TRUTH or np.dtype(dtype).kind in "biu" and name in SUMS
    if name.endswith("prod") and dtype == "float64":
        return 108  # half a unit for every factor
    return 0 if exact else 8 if name in MOMENTS or dtype in ("float64", "complex128") else 2


def of_tier(listed):
    """The dtypes of a list: the first in make check, and those after the slash in make check-full alone."""
    dtypes = (listed if mp.FULL else listed.partition("/")[0]).split()
    return [dtype for dtype in dtypes[:1 if mp.FEW else None] if dtype != "/"]


def all_functions():
    """Every function, in some types, over one axis, several, and all."""
    types = {"sum": "bool int8 float16 complex64 / uint16 float32 complex128", "nansum": "float32",
             "prod": "int32 / float32", "nanprod": "float64", "mean": "int32 float16 / complex128",
             "var": "complex64 int8 / float64", "std": "float16", "nanmean": "complex64 / float16", "nanvar": "float32",
             "nanstd": "float64", "max": "bool float16 complex64 / uint64", "min": "int64 / float64", "ptp": "int16",
             "nanmax": "complex64 / float32", "nanmin": "float64", "argmax": "bool complex128 / float32",
             "argmin": "uint8 / float16", "nanargmax": "float32", "nanargmin": "float64", "all": "bool / float32",
             "any": "complex64 / int16", "count_nonzero": "bool / float64"}
    for function, (name, listed) in mp.part(list(enumerate(types.items()))) if mp.FEW else enumerate(types.items()):
        for number, dtype in enumerate(of_tier(listed)):
            shape = tuple(int(n) for n in rng.integers(2, 7, 3))
            a = mp.values_for_sums(rng, dtype, shape)
            if name in TRUTH:
                a[rng.random(shape) < 0.3] = 0
            if name in EXTREMES + INDICES and a.dtype.kind in "iu":
                a //= max(np.iinfo(dtype).max // 4, 1)  # ties
            x = mp.array(a, mp.random_layout(rng, shape))
            for axis in mp.some(some_axes(3, name in INDICES), function, number):
                compare(name, a, x, axis, ulp=tolerance(name, dtype))
            compare(name, a, x, (1,) if mp.FULL or number == 0 else (0,), keepdims=True, ulp=tolerance(name, dtype))


def no_axes():
    """axis=(), with which every element is reduced by itself: the types are the functions', and options count."""
    none = axes()
    none.count = mp.MNP_NO_AXES
    types = "bool int8 float16 complex64 / uint16 float32 float64 complex128"
    shapes = ((5,), (4, 7), (3, 1, 6), (2, 3, 2, 5), (0, 3), ())
    for number, name in enumerate(SUMS + MOMENTS + EXTREMES + TRUTH):
        for dtype in mp.part(of_tier(types), number):
            if name == "ptp" and dtype == "bool":
                continue
            shape = shapes[number % len(shapes)]
            a = mp.values_for_sums(rng, dtype, shape)
            if a.size > 2 and a.dtype.kind in "fc":
                a.flat[1], a.flat[2] = np.nan, np.inf if a.dtype.kind == "f" else 1j
            with np.errstate(all="ignore"):
                want = expected(name, a, axis=())
            mp.check(f"{name} of {dtype} {shape}, over no axes", mp.lookup(name)(mp.spread(rng, a), none), want)
    a, mask = mp.values_for_sums(rng, "float32", (4, 7)), rng.random((4, 7)) < 0.5
    x, none.where = mp.spread(rng, a), (m := mp.array(mask)).pointer
    mp.check("where, over no axes", mp.sum(x, none), a.sum(axis=(), where=mask))
    none.where, none.initial = None, scalar(2)
    mp.check("initial, over no axes", mp.prod(x, none), a.prod(axis=(), initial=2))
    out = mp.array(np.zeros((4, 7)), mp.random_layout(rng, (4, 7)))
    none.initial, none.keepdims = None, True
    mp.check("into an array, over no axes", mp.sum(x, none, out=out), a.astype("float64"))
    mp.check("a median over no axes", mp.median(x, none), a)
    mp.check("a ufunc that goes in order, over no axes", mp.ufunc_reduce("subtract", x, none), a)
    mp.check("a weighted mean over no axes", mp.average(x, x, none), a, ulp=1)
    for name in INDICES:
        mp.fails("MNP_ERR_ARG", "no axis is given, and it goes along one, or all", mp.lookup(name), x, none)
    mp.fails("MNP_ERR_ARG", "along 0 axes", mp.norm, x, "2", none)
    deep = mp.array(np.zeros((1,) * 8))
    mp.fails("MNP_ERR_ARG", "8", mp.median, deep, none)
    none.count = -2
    mp.fails("MNP_ERR_ARG", "mnp_sum: -2 axes are given", mp.sum, x, none)


def shapes_and_views():
    """Shapes and views, in few types, whose kernels other tests have compiled."""
    names = ("sum", "argmax") if mp.FEW else ("sum", "max", "argmax", "var")
    for shape in ((), (1,), (7,), (1, 1), (129,), (37, 41), (3, 1, 5), (2, 3, 4, 5)):
        a = mp.values_for_sums(rng, "float32", shape)
        x = mp.array(a, mp.random_layout(rng, shape))
        for name in names:
            for axis in some_axes(len(shape), name == "argmax"):
                compare(name, a, x, axis, ulp=2)
        compare("sum", a, x, keepdims=True, ulp=1)
    a = mp.values_for_sums(rng, "float32", (12, 13, 14))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    b = np.ascontiguousarray(a[:, 0])
    y = mp.array(b, mp.random_layout(rng, b.shape))
    views = {"reversed": (a[::-1, ::-2, 1:], x[::-1, ::-2, 1:]), "an index": (a[3], x[3]),
             "two": (a[:, 2, 5], x[:, 2, 5]),
             "no elements": (a[3:3], x[3:3]), "one element": (a[3, 4, 5], x[3, 4, 5]),
             "transposed": (a.transpose(2, 0, 1), mp.transpose(x, [2, 0, 1])),
             "broadcast": (np.broadcast_to(b, (5, 12, 14)), mp.broadcast_to(y, 3, [5, 12, 14])),
             "real": (a.real[1:7], mp.real(x)[1:7])}
    for what, (b, y) in views.items():
        for name in names:
            for axis in some_axes(b.ndim, name == "argmax"):
                if b.size or name == "sum":
                    compare(name, b, y, axis, ulp=2)


def large():
    """Arrays large enough for the kernels of rows and of columns, and for results in several parts."""
    for number, shape in enumerate(((200001,), (411, 503), (3, 70001), (70001, 3), (20, 17, 1031), (1200, 70))):
        a = rng.standard_normal(shape).astype(np.float32) + np.float32(2)
        x = mp.array(a)
        for name in mp.part(("sum", "argmax", "var"), number):
            for axis in some_axes(len(shape), name == "argmax"):
                compare(name, a, x, axis, ulp=2)
    a = rng.uniform(0, 1, (301, 1003))
    x = mp.array(a)
    for axis in some_axes(2, False):
        compare("sum", a, x, axis, ulp=24)


def rows():
    """Rows of all lengths at which kernels go another way, with ties, NaN and elements that decide early."""
    types = {"sum": "uint8 float64", "max": "bool / int32", "nanmax": "float32", "any": "bool", "count_nonzero": "uint8",
             "argmax": "bool uint8 float64 / int32 complex64", "argmin": "float32 / bool", "nanargmin": "float32"}
    lengths = (2, 23, 31, 47, 48, 64, 100, 127, 128, 161, 1000, 4500)
    for name, dtypes in types.items():
        for number, dtype in enumerate(of_tier(dtypes)):
            kind = np.dtype(dtype).kind
            for length in lengths if mp.FULL else lengths[number % 4::4] if mp.FEW else lengths[number % 2::2]:
                shape = (20000 * mp.size // length + 4, length)
                a = rng.integers(0, 2 if kind == "b" else 50, shape).astype(dtype)
                if kind == "c":
                    a.imag = rng.integers(0, 3, shape)
                if kind in "fc" and name != "sum":
                    a[rng.random(shape) < 0.5 / length] = np.nan
                    a[::7, 0] = 0  # so that no row has NaN alone
                    if name.startswith("nan"):
                        a[:, -1] = 3
                if kind == "b":
                    a[::3] = False
                compare(name, a, mp.array(a), 1)
    a = rng.integers(0, 50, (30000, 5)).astype(np.float32)
    compare("argmin", a[:, ::2], mp.array(a)[:, ::2], 0)
    compare("argmin", a.T, mp.transpose(mp.array(a), None), 1)


def short_axes():
    """Axes of a few elements that are cut: on the host, ranks make shares of the results from each other's blocks."""
    functions = {"sum": 1, "max": 0, "argmax": 0, "std": 2, "nanmin": 0, "count_nonzero": 0, "any": 0}
    shapes = [((2, 4099), 0, 0), ((3, 2, 1033), 1, (0, 1)), ((5, 13, 31, 7), 0, 0), ((2050, 4), 1, 1),
              ((7, 1, 2501), 0, (0, 1)), ((1031, 3, 2), 1, 1), ((1, 5003), 0, 0)]
    for number, (shape, cut, axis) in enumerate(shapes):
        a = rng.integers(-5, 6, shape).astype(np.float32)  # with ties
        axes_of_mesh = [0 if d == cut else -1 for d in range(a.ndim)]
        cuts = [0] + sorted(int(c) for c in rng.integers(0, shape[cut] + 1, mp.size - 1)) + [shape[cut]]
        uneven = mp.Layout([mp.size], shape, axes_of_mesh, [cuts if d == cut else None for d in range(a.ndim)])
        x = mp.array(a, mp.Layout([mp.size], shape, axes_of_mesh, [None] * a.ndim))
        y = mp.array(a, uneven)
        back = [slice(None, None, -1)] * a.ndim
        given = {"": (a, x), "uneven": (a, y), "reversed": (a[tuple(back)], x[tuple(back)]),
                 "spread": (a, mp.spread(rng, a))}
        for name, ulp in mp.part(list(functions.items()), number):
            if name == "argmax" and isinstance(axis, tuple):
                continue
            for b, z in given.values():
                compare(name, b, z, axis, ulp=ulp, keepdims=bool(rng.integers(2)))
        want = a.sum(axis)
        out = mp.array(np.zeros_like(want), mp.random_layout(rng, want.shape))
        mp.check(f"sum of {shape} to an array that is given", mp.sum(x, axes(*np.atleast_1d(axis)), out=out), want, ulp=1)
        weights = mp.array(np.broadcast_to(np.float32(2), shape[-1:]))
        mp.check(f"average of {shape}, weights broadcast",
                 mp.average(x, mp.broadcast_to(weights, a.ndim, shape), axes(*np.atleast_1d(axis))),
                 a.astype(float).mean(axis).astype(np.float32), ulp=2)


def small_columns():
    """Blocks that share general kernels, of columns too, and larger ones: narrow and wide, in any order of dimensions."""
    shapes = ((5, 1, 2000), (3, 8, 2, 16), (9, 7, 8), (1000, 2), (2, 3, 4, 5, 6, 7), (9000, 5, 3), (40, 3, 300, 2))
    for shape in shapes[1::3] if mp.FEW else shapes:
        a = rng.integers(-5, 6, shape).astype(np.int16)
        order = [int(d) for d in rng.permutation(a.ndim)]
        x, back = mp.array(a, mp.random_layout(rng, shape)), (slice(None, None, -1), Ellipsis, slice(1, None))
        for name in ("sum", "argmin") if mp.FEW else ("sum", "argmin", "ptp", "max"):
            for axis in some_axes(a.ndim, name == "argmin"):
                compare(name, a[back].transpose(order), mp.transpose(x[back], order), axis)


def steps_between(x):
    """The strides of dimensions of which this rank has several indices, in bytes."""
    strides = binding._pointer_result("mnp_array_local_strides", x)
    return {d: strides[d] * x.dtype.itemsize for d in range(x.ndim) if x.local().shape[d] > 1}


def stored():
    """Results of transposed arrays are stored in the order of these, as NumPy's are; or they go to an array of any."""
    for shape in ((5, 3, 4), (2, 7, 3, 6), (12, 1, 9), (30, 200, 7)):
        a = rng.integers(-5, 6, shape).astype(np.float32)
        order = [int(d) for d in rng.permutation(a.ndim)]
        x, b = mp.transpose(mp.array(a), order), a.transpose(order)
        for name, axis in itertools.product(("sum",) if mp.FEW else ("sum", "max", "std"), range(a.ndim)):
            keepdims = bool(rng.integers(2))
            got, want = mp.lookup(name)(x, axes(axis, keepdims=keepdims)), getattr(np, name)(b, axis, keepdims=keepdims)
            steps = steps_between(got)
            mp.ok(sorted(steps, key=steps.get) == sorted(steps, key=lambda d: want.strides[d]),
                  f"{name} of {shape} in the order {order} along {axis}: strides {steps}, NumPy's {want.strides}")
            compare(name, b, x, axis, keepdims, ulp=2)
            out = mp.array(np.zeros_like(want), mp.random_layout(rng, want.shape))
            mp.check("to an array of another order", mp.lookup(name)(x, axes(axis, keepdims=keepdims), out=out),
                     expected(name, b, axis=axis, keepdims=keepdims), ulp=2)


def special_values():
    """NaN, infinities, signed zeros, ties, overflow."""
    a = mp.values_for_sums(rng, "float32", (9, 11))
    a[2, 3] = a[2, 7] = a[5, 0] = np.nan
    a[4, 4] = np.inf
    a[6, 1] = -np.inf
    a[7] = np.nan
    x = mp.array(a, mp.random_layout(rng, a.shape))
    for name in ("sum", "max", "argmax", "nansum", "nanmax", "nanmean", "nanvar", "var"):
        for axis in some_axes(2, name == "argmax"):
            compare(name, a, x, axis, ulp=2)
    b = a[:7]
    compare("nanargmax", b, x[:7], 1)
    compare("nanargmax", a, x)
    mp.check("nanargmax where all is NaN", mp.nanargmax(x[7], axes()), np.int64(-1))
    for dtype, big in (("int64", 2 ** 62), ("uint64", 2 ** 63), ("int8", 127)):
        c = np.full((5, 3), big, dtype)
        compare("sum", c, mp.array(c), 0)
    compare("ptp", np.array([-30000, 30000], "int16"), mp.array(np.array([-30000, 30000], "int16")))
    c = np.full((40,), 3.4e38, "float32")
    mp.check("a sum of floats that overflows", mp.sum(mp.array(c), None), np.float32(np.inf))
    c = np.full(1000, np.inf)
    c[3] = 1
    compare("sum", c, mp.array(c))
    c = np.array([0.0, -0.0, 0.0], "float32")
    mp.check("the index of the first of equal zeros", mp.argmax(mp.array(c), None), np.int64(0))
    c = np.zeros((30, 20), "float32")
    c[7, 3] = c[20, 1] = 5
    x = mp.array(c, mp.random_layout(rng, c.shape))
    compare("argmax", c, x)
    compare("argmax", c, x, 0)
    compare("argmax", c.T, mp.transpose(x, None))
    compare("argmax", c[::-1, ::-1], x[::-1, ::-1])
    for spread in ([1e200] * 40 + [0.0] * 77, np.linspace(-1e160, 1e160, 1000), [1e153] * 100 + [0.0] * 900, [1e200]):
        c = np.array(spread)  # squares that overflow, sums whose squares do, and neither
        x = mp.array(c, mp.random_layout(rng, c.shape))
        for name in ("var", "nanvar", "std"):
            mp.check(f"{name} of {len(c)} values up to {c.max()}", getattr(mp, name)(x, None), getattr(np, name)(c),
                     ulp=c.size)
    far = (1e8 + rng.standard_normal(5000)).astype("float64")
    compare("var", far, mp.array(far), ulp=64)


def precision():
    """Rounding errors are at most those of NumPy's pairwise sums."""
    for dtype in ("float16", "float32", "float64"):
        a = rng.uniform(0, 1, (300000 if dtype != "float16" else 30000)).astype(dtype)
        wide = a.astype(np.longdouble).sum()
        ours = abs(mp.sum(mp.array(a), None).numpy().astype(np.longdouble) - wide)
        theirs = abs(a.sum(dtype=dtype).astype(np.longdouble) - wide)
        unit = np.spacing(wide.astype(dtype)).astype(np.longdouble)
        mp.ok(ours <= max(theirs, unit),
              f"a sum of {dtype} errs by {ours / unit:.2f} units, NumPy's by {theirs / unit:.2f}")
    a = rng.uniform(0, 1, (100000, 3))
    wide = a.astype(np.longdouble).sum(axis=0)
    ours = abs(mp.sum(mp.array(a), axes(0)).numpy() - wide).max()
    mp.ok(ours <= abs(a.sum(axis=0) - wide).max() + np.spacing(5e4), "so do sums of columns")


def empty():
    for shape in ((0,), (5, 0, 3), (0, 0)):
        a = np.zeros(shape, "float32")
        x = mp.array(a)
        names = ("sum", "prod", "mean", "var", "all", "any", "count_nonzero", "nansum", "max", "argmin")
        for name in names[::3] if mp.FEW else names:
            for axis in some_axes(len(shape), name == "argmin"):
                numpy_axis = axis if axis is None or len(axis) > 1 else axis[0]
                try:
                    want = np.asarray(getattr(np, name)(a, axis=numpy_axis))
                except ValueError:
                    mp.fails("MNP_ERR_ARG", "no elements to choose from", mp.lookup(name), x, axes(*(axis or ())))
                else:
                    mp.check(f"{name} of {shape}, axis {axis}", mp.lookup(name)(x, axes(*(axis or ()))), want)


def options():
    a = mp.values_for_sums(rng, "float32", (6, 8))
    mask, row = rng.random((6, 8)) < 0.6, rng.random(8) < 0.7
    x, m, r = mp.array(a, mp.random_layout(rng, a.shape)), mp.array(mask, mp.random_layout(rng, a.shape)), mp.array(row)
    for name in ("sum", "mean", "var"):
        for axis in (None, 0, 1):
            how = axes(*(() if axis is None else (axis,)), where=m)
            want = expected(name, a, axis=axis, where=mask)
            mp.check(f"{name} where, axis {axis}", mp.lookup(name)(x, how), want, ulp=2)
    mp.check("sum where, broadcast", mp.sum(x, axes(0, where=r)), expected("sum", a, axis=0, where=row), ulp=1)
    for shape, words in (((2, 6, 8), "(2, 6, 8) cannot be broadcast to x of shape (6, 8)"), ((6, 7), "broadcast")):
        mp.fails("MNP_ERR_ARG", words, mp.sum, x, axes(0, where=mp.array(np.ones(shape, bool))))
    mp.fails("MNP_ERR_ARG", "to x of shape (1, 8)", mp.mean, x[:1], axes(0, where=m))
    mp.check("max where and initial", mp.max(x, axes(1, where=m, initial=1)), a.max(axis=1, where=mask, initial=1))
    mp.check("sum with initial", mp.sum(x, axes(1, initial=2.5)), expected("sum", a, axis=1, initial=2.5), ulp=1)
    mp.check("min of nothing with initial", mp.max(x[3:3], axes(0, initial=-1)), np.full(8, -1, "float32"))
    mp.check("var with ddof", mp.var(x, axes(0, ddof=1)), expected("var", a, axis=0, ddof=1), ulp=2)
    with np.errstate(all="ignore"):
        mp.check("var with too much ddof", mp.var(x, axes(ddof=48)), np.var(a, ddof=48))
    b = mp.values_for_sums(rng, "int32", (6, 8))
    y = mp.array(b)
    mp.check("sum in int32", mp.sum(y, axes(dtype="int32")), b.sum(dtype="int32"))
    mp.check("mean in float32", mp.mean(y, axes(1, dtype="float32")), b.astype("float32").mean(axis=1, dtype="float64")
             .astype("float32"), ulp=1)
    out = mp.empty("float64", 1, [8])
    mp.check("sum into float64", mp.sum(x, axes(0), out=out), expected("sum", a, axis=0).astype("float64"), ulp=1 << 30)
    out = mp.array(np.zeros((8, 3), "float32"), mp.random_layout(rng, (8, 3)))
    mp.max(x, axes(0), out=out[:, 1])
    mp.check("max into a column in another layout", out[:, 1], a.max(axis=0))
    mp.max(x, axes(0), out=x[2])
    a[2] = a.max(axis=0)
    mp.check("max into a row of its input", x, a)
    mp.check("bool sums in bool", mp.sum(m, axes(dtype="bool")), np.True_)


def averages():
    a, weights = mp.values_for_sums(rng, "float32", (5, 6, 7)), rng.uniform(0.5, 2, (5, 6, 7)).astype("float32")
    x, w = mp.array(a, mp.random_layout(rng, a.shape)), mp.array(weights, mp.random_layout(rng, a.shape))
    for axis in (None, (0,), (2,), (0, 2)):
        want = np.asarray(np.average(a.astype("float64"), axis=axis, weights=weights.astype("float64")))
        mp.check(f"average, axis {axis}", mp.average(x, w, axes(*(axis or ()))), want.astype("float32"), ulp=1)
    for axis in range(3):
        line = rng.uniform(0.5, 2, a.shape[axis]).astype("float32")
        want = np.average(a.astype("float64"), axis=axis, weights=line.astype("float64")).astype("float32")
        mp.check(f"average along axis {axis}", mp.average(x, mp.array(line), axes(axis)), want, ulp=1)
    b = mp.values_for_sums(rng, "int16", (5, 6))
    mp.check("average of integers", mp.average(mp.array(b), None, None), np.asarray(np.average(b)), ulp=2)
    mp.fails("MNP_ERR_ARG", "the weights' shape is (6,), which is neither x's (5, 6, 7)", mp.average, x,
             mp.array(np.ones(6)), axes(0))


def kernel(inputs, outputs, mapped, reduce, post, identity, name=None, type=None, preamble=None):
    class Options(ctypes.Structure):
        _fields_ = [(field, ctypes.c_char_p) for field in ("name", "type", "preamble", "nvrtc_options")]
    texts = [text and text.encode() for text in (name, type, preamble)]
    return mp.reduction_new(inputs, outputs, mapped, reduce, post, identity, Options(*texts, None))


def run(made, inputs, how=None, outputs=1):
    results = [ctypes.c_void_p() for _ in range(outputs)]
    cells = (ctypes.c_void_p * outputs)(*[ctypes.addressof(result) for result in results])
    mp.reduction_call(made, len(inputs), inputs, how, outputs, cells)
    arrays = tuple(mp.Array(result.value) for result in results)
    return arrays if outputs > 1 else arrays[0]


def custom():
    """Reductions that the user defines."""
    a, b = rng.standard_normal((17, 23)).astype("float32"), rng.standard_normal((17, 23)).astype("float32")
    x, y = mp.array(a, mp.random_layout(rng, a.shape)), mp.array(b, mp.random_layout(rng, b.shape))
    wide = (a.astype("float64") - b) ** 2
    mse = kernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a / n", "0", "mse", "double")
    for axis in ((), (0,), (1,)):
        mp.check(f"mean square error, axis {axis}", run(mse, [x, y], axes(*axis)),
                 np.asarray(wide.mean(axis=axis or None)).astype("float32"), ulp=4)
    mp.check("of float64", run(mse, [mp.astype(x, "float64"), mp.astype(y, "float64")]),
             np.mean((a.astype("float64") - b) ** 2), ulp=8)
    mask = rng.random(23) < 0.5
    mp.check("where", run(mse, [x, y], axes(1, where=mp.array(mask))),
             (wide.sum(axis=1, where=mask) / 23).astype("float32"), ulp=4)
    norm = kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    mp.check("l2 norm", run(norm, [x], axes(1, keepdims=True)),
             np.sqrt((a.astype("float64") ** 2).sum(axis=1, keepdims=True)).astype("float32"), ulp=4)
    c = (a + 1j * b).astype("complex64")
    modulus = kernel("complex64 x", "float32 y", "norm(x)", "a + b", "y = sqrt(a)", "0")
    mp.check("of complex numbers", run(modulus, [mp.array(c)]),
             np.asarray(np.sqrt((abs(c.astype("complex128")) ** 2).sum()), "float32"), ulp=8)
    span = kernel("T x, int32 by", "T low, T high", "ends{x * by, x * by}",
                  "ends{min(a.low, b.low), max(a.high, b.high)}", "low = a.low; high = a.high",
                  "ends{INFINITY, -INFINITY}", "span", "ends",
                  "struct ends { float low, high; };")
    mp.check("a type of its own, two outputs, a scalar", run(span, [x, 2], axes(0), 2), (2 * a.min(0), 2 * a.max(0)))
    row = mp.array(b[0])
    mp.check("inputs are broadcast", run(mse, [x, row], axes(0)),
             ((a.astype("float64") - b[0]) ** 2).mean(axis=0).astype("float32"), ulp=4)
    e, last = rng.integers(-9, 9, (3, 4099)).astype("float32"), mp.Layout([mp.size], (3, 4099), [0, -1],
                                                                          [[0] * mp.size + [3], None])
    f = mp.array(e[0], mp.layout_replicated(mp.size, 1, [4099]))[::-1]
    differences = kernel("T x, T y", "T z", "x - y", "a + b", None, "0", "differences")
    mp.check("of which every rank has one, reversed, and the last rank all of the other",
             run(differences, [f, mp.array(e, last)], axes(0)), (e[0, ::-1] - e).sum(axis=0))
    d = mp.values_for_sums(rng, "bool", (9, 4))
    parity = kernel("bool x", "bool y", "x", "a != b", None, "false")
    mp.check("bools", run(parity, [mp.array(d)], axes(0)), np.logical_xor.reduce(d, axis=0))
    wrong = kernel("T x", "T y", "x * z", "a + b", None, "0", "wrong")
    mp.fails("MNP_ERR_COMPILE", "map of wrong", run, wrong, [x])
    mp.fails("MNP_ERR_ARG", "reduction mse has 2 inputs and 1 outputs, and was called with 1 and 1", run,
             mse, [x])
    mp.fails("MNP_ERR_ARG", "mse: axis 2 is out of bounds", run, mse, [x, y], axes(2))
    mp.fails("MNP_ERR_ARG", "which is float32 in this call", run, mse, [x, mp.astype(y, "float64")])
    mp.fails("MNP_ERR_ARG", "all inputs are numbers", run, mse, [1.0, 2.0])
    mp.fails("MNP_ERR_UNSUPPORTED", "is raw", kernel, "raw T x", "T y", "x", "a + b", None, "0")
    for made in (mse, norm, modulus, span, differences, parity, wrong):
        mp.reduction_free(made)


def misuse():
    x = mp.array(mp.values_for_sums(rng, "float32", (6, 8)))
    b = mp.array(mp.values_for_sums(rng, "bool", (6, 8)))
    for words, function, *arguments in (
            ("mnp_sum: axis 2 is out of bounds for 2 dimensions", mp.sum, x, axes(2)),
            ("mnp_sum: axis -3 is out of bounds", mp.sum, x, axes(-3)),
            ("mnp_max: axis -1 is given twice", mp.max, x, axes(1, -1)),
            ("mnp_sum: 3 axes are given of an array of 2", mp.sum, x, axes(0, 1, 0)),
            ("mnp_argmax: 2 axes are given, and it goes along one, or all", mp.argmax, x, axes(0, 1)),
            ("mnp_ptp: bools have no difference", mp.ptp, b, axes()),
            ("mnp_max: there is no dtype to choose", mp.max, x, axes(dtype="float64")),
            ("mnp_mean: the dtype is 'int32'", mp.mean, x, axes(dtype="int32")),
            ("flaot", mp.sum, x, axes(dtype="flaot")),
            ("mnp_sum: where is float32, and must be an array of bool", mp.sum, x, axes(where=x)),
            ("mnp_min: where may leave nothing", mp.min, x, axes(where=b)),
            ("mnp_mean: there is no initial", mp.mean, x, axes(initial=1)),
            ("mnp_sum: initial is float64, and the result is int64", mp.sum, b, axes(initial=1.5)),
            ("cannot broadcast", mp.sum, x, axes(where=mp.array(np.ones(3, bool)))),
            ("mnp_sum: a scalar is an operand", mp.sum, 3.0, None)):
        mp.fails("MNP_ERR_ARG", words, function, *arguments)
    small = mp.empty("float32", 1, [7])
    mp.fails("MNP_ERR_ARG", "mnp_sum: the output has the shape (7,), and the result's is (8,)", mp.sum, x, axes(0),
             out=small)
    whole = mp.empty("int32", 1, [8])
    mp.fails("MNP_ERR_ARG", "the output is int32, to which the result's", mp.sum, x, axes(0), out=whole)
    mp.ok(mp.sum(x, None).shape == (), "the context is still good")


warnings.simplefilter("ignore")
all_functions()
no_axes()
shapes_and_views()
large()
rows()
short_axes()
small_columns()
stored()
special_values()
precision()
empty()
options()
averages()
custom()
misuse()
mp.done()
