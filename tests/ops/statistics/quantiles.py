# SPDX-License-Identifier: BSD-3-Clause
"""Medians, quantiles and percentiles, and their nan forms."""

import itertools
import warnings

import maniple as mp
import numpy as np

warnings.simplefilter("ignore")  # NumPy's of NaN and of nothing
rng = mp.random()
NUMPY_2 = int(np.__version__.split(".")[0]) >= 2
BETWEEN = ["linear", "midpoint", "hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf",
           "averaged_inverted_cdf"]
ONE = ["lower", "higher", "nearest"] + ["inverted_cdf", "closest_observation"] * NUMPY_2  # mended in NumPy 2
QUANTILES = [0, 0.1, 0.25, 1 / 3, 0.5, 0.625, 0.9, 1]


def axes(axis, keepdims=False, dtype=None):
    listed = () if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return mp.axes(*listed, keepdims=keepdims, dtype=dtype)


def values(dtype, shape, nans=0.0):
    """Random values, few of them distinct, so that many are equal."""
    kind = np.dtype(dtype).kind
    a = rng.integers(0, 2 if kind == "b" else 90, shape) if kind in "bu" else rng.integers(-40, 50, shape)
    a = np.asarray(a).astype(dtype)
    if kind in "fc":
        a = np.asarray((a * a.dtype.type(0.3)).astype(dtype))
        a[rng.random(shape) < nans] = np.nan
    return a


def one(name, a, *q, **how):
    """NumPy's result for one q, in the type that NumPy 2 gives, and whether it had to be converted."""
    want = np.asarray(getattr(np, name)(a, *q, **how))
    if a.dtype.kind == "f" and want.dtype != a.dtype:
        return want.astype(a.dtype), True
    return want, False


def check_one(what, got, a, want, converted):
    """A test point for one q, with a tolerance for NumPy 1.24, which interpolates in double."""
    if not converted:
        return mp.check(what, got, want)
    got = got.numpy()
    unit = np.spacing(np.nanmax(np.abs(a[np.isfinite(a)])))
    mp.ok(got.dtype == want.dtype and got.shape == want.shape and
          np.allclose(got, want, rtol=0, atol=8 * unit, equal_nan=True), f"{what}: {got} where {want} is right")


def with_one_nan(a):
    """Complex numbers are NaN in many ways."""
    a = np.array(a)
    a[np.isnan(a)] = np.nan
    return a


def some_axes(ndim):
    return [None] + [d - ndim * (d % 2) for d in range(ndim)] + list(itertools.combinations(range(ndim), 2))


def medians():
    for dtype, shape in (("float32", (5, 8)), ("float64", (3, 4, 6)), ("float16", (9,)), ("int16", (4, 7)),
                         ("bool", (6, 3)), ("complex64", (4, 6)), ("float32", (3, 1, 7)), ("int32", (1, 4, 1))):
        for nans in (0, 0.3)[:1 + (dtype[0] in "fc")]:
            a = values(dtype, shape, nans)
            x = mp.array(a, mp.random_layout(rng, shape))
            for axis in some_axes(len(shape)):
                for name in ("median", "nanmedian"):
                    want = np.asarray(getattr(np, name)(a, axis=axis))
                    got = mp.lookup(name)(x, axes(axis))
                    if dtype == "complex64":
                        got, want = with_one_nan(got.numpy()), with_one_nan(want)
                    mp.check(f"{name} of {dtype} {shape}, axis {axis}, NaN {nans}", got, want,
                             ulp=2 * (name == "nanmedian"))
    a = values("float32", (6, 5, 4))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    for axis in (None, 1, (0, 2)):
        mp.check(f"keepdims, axis {axis}", mp.median(x, axes(axis, True)), np.median(a, axis=axis, keepdims=True))
    mp.check("of a 0-dimensional array", mp.median(mp.array(np.float32(3.5)), None), np.float32(3.5))


def long_lines():
    """Of which elements are selected, whoever has them: all ranks, or those that share a line of a mesh."""
    for dtype in ("float32", "int64", "float64", "complex128", "uint8", "float16"):
        for shape, axis in (((180001,), None), ((3, 140003), 1), ((140003, 2), 0), ((2, 300, 250), (1, 2))):
            a = values(dtype, shape, 0)
            if rng.integers(2):  # of which all digits matter, or few
                a = (a * 0 + rng.integers(-3, 3, shape)).astype(dtype)
            if dtype[0] in "fc" and rng.integers(2):
                a[..., -1] = np.nan
            x = mp.array(a, mp.random_layout(rng, shape))
            got, want = mp.median(x, axes(axis)), np.asarray(np.median(a, axis=axis))
            if dtype[0] == "c":
                got, want = with_one_nan(got.numpy()), with_one_nan(want)
            mp.check(f"median of long lines of {dtype}, {shape}", got, want)
            if dtype[0] != "c":
                mp.check(f"quantiles of long lines of {dtype}, {shape}",
                         mp.quantiles(x, len(QUANTILES), QUANTILES, axes(axis), "lower"),
                         np.quantile(a, QUANTILES, axis=axis, method="lower"))
    a = np.full(200000, 7, "int32")
    mp.check("all are equal", mp.median(mp.array(a, mp.random_layout(rng, a.shape)), None), np.float64(7))


def views():
    """Lines whose elements lie in another order than they have, or are repeated."""
    for _ in range(12):
        a = values(["float32", "int16", "float64"][int(rng.integers(3))], tuple(int(n) for n in rng.integers(1, 9, 3)))
        x = mp.array(a, mp.random_layout(rng, a.shape))
        if rng.integers(3):
            a = np.broadcast_to(a, (int(rng.integers(1, 6)), *a.shape))
            x = mp.broadcast_to(x, a.ndim, a.shape)
        order = [int(d) for d in rng.permutation(a.ndim)]
        a, x = a.transpose(order), mp.transpose(x, order)
        axis = tuple(int(d) for d in rng.permutation(a.ndim)[:int(rng.integers(1, a.ndim + 1))])
        what = f"{a.shape} with strides {a.strides}, axes {axis}"
        mp.check(f"medians of {what}", mp.median(x, axes(axis)), np.median(a, axis=axis))
        mp.check(f"quantiles of {what}", mp.quantiles(x, len(QUANTILES), QUANTILES, axes(axis), "lower"),
                 np.quantile(a, QUANTILES, axis=axis, method="lower"))


KINDS = ("of all kinds", "mostly 5", "rounded", "mostly 0", "0 and 1", "in order", "with infinities", "with spikes")


def of_kind(kind, n, dtype):
    """Numbers that a sample tells more or less about; without zeros that are negative, of which any may be found."""
    a = rng.standard_normal(n) * (100 if dtype in ("int8", "float16") else 1000)
    if kind == 1:
        a[rng.random(n) < 0.7] = 5  # one number is that of most
    elif kind == 2:
        a = np.round(a, -3) + 0.0
    elif kind == 3:
        a[:] = np.where(rng.random(n) < 1e-5, a, 0)
    elif kind == 4:
        a = rng.integers(0, 2, n)
    elif kind == 5:
        a = np.sort(a)[::rng.choice([1, -1])]
    elif kind == 6 and dtype[0] == "f":
        a[rng.random(n) < 0.01] = np.inf
        a[rng.random(n) < 0.3] = -np.inf
        a[rng.random(n) < 0.1] = 0
    elif kind == 7:
        a[int(rng.integers(512))::512] = 20000
    return (a / 200 if dtype == "int8" else a).astype(dtype)


def very_long_lines():
    """Which a GPU sieves: samples tell where in them to look, or mislead."""
    for dtype in ("float32", "int32", "float64", "int8", "float16"):
        n, kind = int(rng.integers(1 << 20, 1 << 21)), int(rng.integers(len(KINDS)))
        a = of_kind(kind, n, dtype)
        x = mp.array(a, mp.random_layout(rng, a.shape))
        what = f"{n} elements of {dtype}, {KINDS[kind]}"
        q = [float(v) for v in np.append(rng.random(int(rng.integers(1, 6))), 1)]
        q += [q[0] + (1 - q[0]) * 1e-5]  # near another one
        mp.check(f"median of {what}", mp.median(x, None), np.median(a))
        mp.check(f"quantiles of {what}", mp.quantiles(x, len(q), q, None, "lower"), np.quantile(a, q, method="lower"))
    a = np.stack([of_kind(int(rng.integers(len(KINDS))), 1100000, "float32") for _ in range(2)])
    a[1, rng.integers(a.shape[1], size=int(rng.choice([1, 400000])))] = np.nan
    mp.check("medians of two lines, one with NaN", mp.median(mp.array(a), axes(1)), np.median(a, axis=1))


def lines_of_a_block():
    """Of any number of lines that are neither short nor long, at a few or many positions."""
    for dtype in ("float32", "int8", "float64", "int32", "complex64"):
        length, lines = int(rng.integers(2000, 9000)), int(rng.integers(1, 300))
        a = values(dtype, (lines, length))
        if rng.integers(2):
            a = (a * a.dtype.type(2) + rng.integers(0, 2, a.shape)).astype(dtype)
        x = mp.array(a, mp.random_layout(rng, a.shape))
        mp.check(f"median of {a.shape} of {dtype}", mp.median(x, axes(1)), np.median(a, axis=1))
        count = int(rng.integers(1, 15))
        q = [float(v) for v in rng.random(count)]
        if dtype != "complex64":
            mp.check(f"{count} quantiles of {a.shape} of {dtype}", mp.quantiles(x, count, q, axes(1), "higher"),
                     np.quantile(a, q, axis=1, method="higher"))


def methods():
    for dtype, nans in (("float32", 0.1), ("int32", 0)):
        a = values(dtype, (7, 11), nans)
        a[:4] = np.nan_to_num(a[:4])
        x = mp.array(a, mp.random_layout(rng, a.shape))
        for method in BETWEEN + ONE:
            want = np.quantile(a, QUANTILES, axis=1, method=method)
            mp.check(f"quantiles of {dtype}, {method}", mp.quantiles(x, len(QUANTILES), QUANTILES, axes(1), method),
                     want)
            q = QUANTILES[int(rng.integers(1, 7))]
            check_one(f"quantile {q} of {dtype}, {method}", mp.quantile(x, q, axes(0), method), a,
                      *one("quantile", a, q, axis=0, method=method))
            want = np.nanquantile(a, QUANTILES, axis=0, method=method)
            mp.check(f"nanquantiles of {dtype}, {method}",
                     mp.nanquantiles(x, len(QUANTILES), QUANTILES, axes(0), method), want)
            check_one(f"nanpercentile of {dtype}, {method}", mp.nanpercentile(x, 100 * q, axes(1), method), a,
                      *one("nanpercentile", a, 100 * q, axis=1, method=method))


def shapes():
    a = values("float64", (4, 3, 5))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    for axis in some_axes(3):
        for keepdims in (False, True):
            want = np.percentile(a, [5, 50], axis=axis, keepdims=keepdims)
            mp.check(f"percentiles, axis {axis}, keepdims {keepdims}",
                     mp.percentiles(x, 2, [5.0, 50.0], axes(axis, keepdims), None), want)
    mp.check("no numbers", mp.quantiles(x, 0, None, axes(1), None), np.zeros((0, 4, 5)))
    mp.check("all is NaN", mp.nanquantile(mp.array(np.full((3, 4), np.nan)), 0.5, axes(1), None), np.full(3, np.nan))
    empty = mp.array(np.zeros((0, 3), "float32"))
    mp.check("of nothing", mp.median(empty, axes(0)), np.full(3, np.nan, "float32"))
    mp.check("of nothing along an axis that is there", mp.quantiles(empty, 1, [0.5], axes(1), None), np.zeros((1, 0)))
    mp.check("its nan form", mp.nanquantile(empty, 0.5, axes(0), None), np.full(3, np.nan, "float32"))
    for dtype in ("float16", "float64"):  # the difference alone overflows, for which NumPy has infinity
        ends = np.array([-1, 1]).astype(dtype) * np.finfo(dtype).max
        for q in (0.125, 0.25, 0.5, 0.75):
            want = ends[1] * ends.dtype.type(2 * q - 1)
            mp.check(f"between the ends of {dtype}, {q}", mp.quantile(mp.array(ends), q, None, None), want, ulp=1)
            mp.check("of many", mp.quantiles(mp.array(ends), 1, [q], None, None), [(2 * q - 1) * float(ends[1])], ulp=2)
    extremes = np.array([-np.inf, 1, 2, np.inf, np.inf])
    for q in (0.0, 0.1, 0.5, 0.8, 1.0):
        mp.check(f"infinities, {q}", mp.quantile(mp.array(extremes), q, None, None), np.quantile(extremes, q))
    large = np.array([2 ** 62 - 1, 2 ** 62 - 1, 2 ** 63 - 1], "uint64")
    mp.check("large integers", mp.quantile(mp.array(large), 0.5, None, "lower"),
             np.quantile(large, 0.5, method="lower"))
    mp.check("between them", mp.quantile(mp.array(large), 0.6, None, None), np.quantile(large, 0.6))


def outputs():
    a = np.abs(values("float32", (6, 8)))  # so that what lies between two elements is as exact as they are
    x = mp.array(a, mp.random_layout(rng, a.shape))
    wide = mp.array(np.zeros(6), mp.random_layout(rng, (6,)))
    mp.quantile(x, 0.3, axes(1), None, out=wide)
    mp.check("to float64", wide, one("quantile", a, 0.3, axis=1)[0].astype("float64"), ulp=0 if NUMPY_2 else 2 ** 30)
    column = x[:, 2]
    mp.median(x, axes(1), out=column)
    b = a.copy()
    b[:, 2] = np.median(a, axis=1)
    mp.check("to a view of the input", x, b)
    mp.check("of a reversed view", mp.median(x[::-2, 1:], axes(0)), np.median(b[::-2, 1:], axis=0))
    spread = mp.broadcast_to(x[1], 2, (5, 8))
    mp.check("of a broadcast view", mp.percentile(spread, 30.0, None, "nearest"),
             np.percentile(np.broadcast_to(b[1], (5, 8)), 30, method="nearest"))


def on_one_rank():
    """Lines of all lengths that the last rank alone has."""
    for n in (7, 9001, 40001):
        a = values("float64", (1, n))
        x = mp.array(a, mp.Layout([mp.size], a.shape, [0, -1], [[0] * mp.size + [1], None]))
        mp.check(f"{n} elements of one rank", mp.median(x, axes(1)), np.median(a, axis=1))
        mp.check("which are a line", mp.percentile(x[0], 30.0, None, None), np.percentile(a[0], 30))
    if mp.size % 2 == 0:
        a = values("float64", (2, 40001 * mp.size))
        x = mp.array(a, mp.Layout([2, mp.size // 2], a.shape, [0, 1]))
        mp.check("a line that half of the ranks share", mp.percentile(x[0], 30.0, None, None), np.percentile(a[0], 30))


def properties():
    """Random shapes, layouts, views, axes, types, methods and numbers."""
    for _ in range(25):
        dtype = str(rng.choice(["float32", "float64", "int32"]))
        shape = tuple(int(n) for n in rng.integers(1, 9, int(rng.integers(1, 4))))
        whole = values(dtype, shape, float(rng.choice([0, 0.2])))
        step, axis = int(rng.choice([1, -1, 2])), some_axes(len(shape))[int(rng.integers(len(some_axes(len(shape)))))]
        a = whole[::step]
        if dtype != "int32":  # NumPy's result has the type that the first line's has, which is another where all is NaN
            a[np.broadcast_to(np.isnan(a).all(axis, keepdims=True), a.shape)] = 1
        x = mp.array(whole, mp.random_layout(rng, shape))[::step]
        q, method = rng.random(3).tolist(), str(rng.choice(BETWEEN + ONE))
        name, keepdims = str(rng.choice(["quantiles", "nanquantiles"])), bool(rng.random() < 0.5)
        want = getattr(np, name[:-1])(a, q, axis=axis, method=method, keepdims=keepdims)
        mp.check(f"{name} {q} of {dtype} {a.shape}, step {step}, axis {axis}, {method}",
                 mp.lookup(name)(x, 3, q, axes(axis, keepdims), method), want)


def mistakes():
    x = mp.array(np.zeros((3, 4)))
    mp.fails("MNP_ERR_ARG", "a quantile is 1.5, and must be from 0 to 1", mp.quantile, x, 1.5, None, None)
    mp.fails("MNP_ERR_ARG", "must be from 0 to 1", mp.quantile, x, float("nan"), None, None)
    mp.fails("MNP_ERR_ARG", "mnp_percentiles: a quantile is -0.01", mp.percentiles, x, 2, [50.0, -1.0], None, None)
    mp.fails("MNP_ERR_ARG", "the method is 'liner', and there are linear, lower", mp.quantile, x, 0.5, None, "liner")
    mp.fails("MNP_ERR_ARG", "axis 2 is out of bounds", mp.median, x, axes(2))
    mp.fails("MNP_ERR_ARG", "mnp_median: there is no dtype to choose", mp.median, x, axes(1, dtype="float32"))
    mp.fails("MNP_ERR_ARG", "complex numbers have no quantiles", mp.quantile, mp.astype(x, "complex128"), 0.5, None,
             None)
    mp.fails("MNP_ERR_ARG", "goes between elements, and x is bool", mp.quantile, mp.astype(x, "bool"), 0.5, None, None)
    mp.fails("MNP_ERR_ARG", "int32 has no NaN", mp.quantile, mp.array(np.zeros((0, 2), "int32")), 0.5, axes(0), "lower")
    mp.fails("MNP_ERR_ARG", "the output has the shape (2,), and the result's is (3,)", mp.median, x, axes(1),
             out=mp.array(np.zeros(2)))
    mp.fails("MNP_ERR_ARG", 'the output is int32, to which the result\'s', mp.median, x, axes(1),
             out=mp.array(np.zeros(3, "int32")))
    mp.fails("MNP_ERR_ARG", "scalar", mp.median, 2.5, None)
    mp.fails("MNP_ERR_ARG", "there are -1 numbers", mp.quantiles, x, -1, None, None, None)


medians()
long_lines()
views()
very_long_lines()
lines_of_a_block()
on_one_rank()
methods()
shapes()
outputs()
properties()
mistakes()
mp.done()
