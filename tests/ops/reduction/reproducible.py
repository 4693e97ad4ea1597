# SPDX-License-Identifier: BSD-3-Clause
"""The reproducible mode: sums, means, variances and the like have the bits of a definition that depends on no order.

The definition is that of kernels/reduction/binned.h, computed here in Python's integers; results must meet it on any
number of ranks, in any layout, on any device.
"""

import math
import os
import sys
import warnings

os.environ["MANIPLE_REPRODUCIBLE"] = "1"

import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
from maniple import axes  # noqa: E402

rng = mp.random()

BITS = 50
LOWEST = {"float16": (1, 21), "float32": (2, 19), "float64": (3, 2)}  # how many bins, and the lowest window's top


# ---- the definition ----

def units(x):
    """A finite number as an integer, in units of 2^-1074."""
    top, bottom = float(x).as_integer_ratio()
    return top * (2 ** 1074 // bottom)


def nearest_multiple(n, unit):
    whole, rest = divmod(n, unit)
    return whole + (2 * rest > unit or (2 * rest == unit and whole % 2 == 1))


def kept(numbers, kind):
    """The sum of the bits of finite numbers that the bins keep, in units of 2^-1074."""
    count, top = LOWEST[kind]
    numbers = [units(x) for x in numbers]
    largest = max(map(abs, numbers), default=0)
    while largest > 1 << (BITS * top + BITS - 1):
        top += 1
    total = 0
    for n in numbers:
        for b in range(top, top - count, -1):
            part = nearest_multiple(n, 1 << BITS * b) << BITS * b
            total += part
            n -= part
    return total


def rounded(n, dtype):
    """The number of a type that is nearest to n units of 2^-1074."""
    try:
        near = n / 2 ** 1074
    except OverflowError:
        near = math.inf if n > 0 else -math.inf
    if dtype == "float64" or math.isinf(near) or units(near) == n:
        return np.array(near).astype(dtype)
    if np.array(near).view(np.int64) % 2 == 0:  # `near` is even: take its odd neighbour on the other side of n
        near = np.nextafter(near, math.inf if units(near) < n else -math.inf)
    return np.array(near).astype(dtype)


def binned(numbers, kind, dtype):
    numbers = np.asarray(numbers).ravel()
    odd = set(numbers[~np.isfinite(numbers)].tolist())
    if odd:
        return np.array(odd.pop() if len(odd) == 1 else math.nan, dtype)
    return rounded(kept(numbers.astype(float), kind), dtype)


def parts(a, function, *rest):
    """Apply a function of real numbers to each part of complex ones."""
    if a.dtype.kind != "c":
        return function(a, *rest)
    return np.asarray(complex(function(a.real, *rest), function(a.imag, *rest)))


def real_type(a):
    return a.real.dtype.name


def the_sum(a, dtype=None):
    return parts(a, binned, real_type(a), dtype or real_type(a)).astype(dtype or a.dtype)


def the_mean(a, dtype=None):
    wide = parts(a, binned, real_type(a), "float64")
    both = parts(wide, lambda part: np.float64(part) / np.float64(a.size))
    return both.astype(dtype or a.dtype)


def the_var(a, ddof=0):
    wide = a.astype("complex128" if a.dtype.kind == "c" else "float64")
    apart = wide - the_mean(a, wide.dtype)
    squares = apart.real * apart.real + apart.imag * apart.imag if a.dtype.kind == "c" else apart * apart
    left = np.float64(a.size - ddof)
    return np.asarray(binned(squares, "float64", "float64") / (left if left > 0 else 0.0))


def the_std(a, ddof=0):
    return np.sqrt(the_var(a, ddof))


def numbers_of(a):
    return a[~np.isnan(a)]


def left_out(a):
    return np.where(np.isnan(a), 0, a).astype(a.dtype)


DEFINED = {
    "sum": the_sum, "mean": the_mean, "var": lambda a: the_var(a).astype(real_type(a)),
    "std": lambda a: the_std(a).astype(real_type(a)), "nansum": lambda a: the_sum(left_out(a)),
    "nanmean": lambda a: the_mean(numbers_of(a)), "nanvar": lambda a: the_var(numbers_of(a)).astype(real_type(a)),
    "nanstd": lambda a: the_std(numbers_of(a)).astype(real_type(a))}


def along(function, a, axis):
    """Apply a function to the lines along an axis, or to all elements."""
    if axis is None:
        return np.asarray(function(a.ravel()))
    moved = np.moveaxis(a, axis, -1)
    lines = [function(line) for line in moved.reshape(-1, moved.shape[-1])]
    return np.array(lines).reshape(moved.shape[:-1])


def positive_nan(a):
    """An array with all NaN positive: NumPy's operations give NaN of either sign."""
    if a.dtype.kind == "c":
        both = np.stack([positive_nan(a.real), positive_nan(a.imag)], -1)
        return np.ascontiguousarray(both).view(a.dtype).reshape(a.shape)
    return np.where(np.isnan(a), np.array(np.nan, a.dtype), a).astype(a.dtype)


def same(what, got, want):
    got, want = got.numpy(), positive_nan(np.asarray(want))
    good = got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes()
    mp.ok(good, what if good else f"{what}: {mp.difference(got, want) or 'zeros or NaNs have other bits'}")


# ---- data ----

def wide_range(dtype, shape):
    """Numbers of every magnitude of the type, so that windows rise and bits are dropped."""
    info = np.finfo(dtype)
    low, high = int(np.log2(float(info.tiny))) - info.nmant, int(info.maxexp) - 1
    size = rng.uniform(1, 2, shape) * 2.0 ** rng.integers(low, high, shape, endpoint=True)
    return (np.minimum(size, float(info.max)) * rng.choice([-1.0, 1.0], shape)).astype(dtype)


def cancelling(dtype, shape):
    """Large numbers of both signs that cancel, and a few small ones that remain."""
    half = rng.standard_normal(math.prod(shape) // 2) * 10.0 ** rng.integers(-3, 4, math.prod(shape) // 2)
    every = np.concatenate([half, -half, rng.standard_normal(math.prod(shape) % 2)])
    every[rng.integers(0, every.size, 3)] += 1e-3
    return rng.permutation(every).reshape(shape).astype(dtype)


def halves(dtype, shape):
    """Numbers halfway between two multiples of the bins' units."""
    count, lowest = LOWEST[np.dtype(dtype).name]
    where = rng.integers(lowest - count + 1, {"float16": 21, "float32": 22, "float64": 36}[np.dtype(dtype).name], shape,
                         endpoint=True)
    made = rng.integers(-3, 4, shape) * 2.0 ** (BITS * where.astype(float) - 1074 + rng.choice([0, BITS - 1], shape))
    return np.clip(made, -6e4 if dtype == "float16" else -np.inf, 6e4 if dtype == "float16" else np.inf).astype(dtype)


def ordinary(dtype, shape):
    return (rng.standard_normal(shape) + 3).astype(dtype)


def data(dtype, shape, how):
    if np.dtype(dtype).kind != "c":
        return how(dtype, shape)
    part = "float32" if dtype == "complex64" else "float64"
    made = np.empty(shape, dtype)
    made.real, made.imag = how(part, shape), how(part, shape)
    return made


def layouts(a):
    """The numbers as arrays in several layouts and orders, for which results must be the same."""
    yield "", a, mp.array(a)
    yield ", another layout", a, mp.array(a, mp.random_layout(rng, a.shape))
    b = rng.permuted(a, axis=-1)
    yield ", permuted", b, mp.array(b, mp.random_layout(rng, a.shape))[..., ::-1]
    yield ", transposed", a, mp.transpose(mp.array(np.ascontiguousarray(a.T), mp.random_layout(rng, a.T.shape)), None)


# ---- tests ----

def all_functions():
    types = {"float16": "mean", "float32": "mean std nansum nanvar", "float64": "var nanstd", "complex64": "nanmean",
             "complex128": "var"}
    for number, (dtype, names) in enumerate(types.items()):
        for name in names.split():
            defined, a = DEFINED[name], data(dtype, (5, 11), ordinary)
            if name.startswith("nan"):
                a[rng.random(a.shape) < 0.3] = np.nan
            x = mp.array(a, mp.random_layout(rng, a.shape))
            for axis in mp.part((None, 1), number):
                want = along(defined, a, axis)
                same(f"{name} of {dtype}, axis {axis}", mp.lookup(name)(x, axis if axis is None else axes(axis)), want)


def sums():
    for dtype in ("float16", "float32", "float64", "complex128") if mp.FULL else ("float32", "complex128"):
        for how in (ordinary, wide_range, cancelling, halves):
            for shape in ((257,), (7, 40)):
                a = data(dtype, shape, how)
                wants = [(axis, along(the_sum, a, axis)) for axis in [None] + list(range(len(shape)))]
                for what, _, x in layouts(a):
                    for axis, want in wants:
                        if axis is None or what in ("", ", another layout", ", transposed") or axis == len(shape) - 1:
                            same(f"sum of {dtype} {shape}, {how.__name__}, axis {axis}{what}",
                                 mp.sum(x, axis if axis is None else axes(axis)), want)


def large():
    """Numbers without bits below the window are summed exactly, as by math.fsum, in every kernel."""
    for dtype in ("float32", "float64"):
        shapes = (1000003,), (411, 2503), (2503, 411), (70001, 5), (20, 17, 1031)
        for shape in shapes if dtype == "float32" else shapes[:2]:
            a = ordinary(dtype, shape) - np.dtype(dtype).type(3)
            x = mp.array(a)
            wide = a.astype(float)
            want = rounded(sum(map(units, (math.fsum(wide.ravel()),))), dtype) if dtype == "float64" else None
            if want is None:  # fsum rounds to double first
                exact = wide.ravel() * 2.0 ** 60
                want = rounded(int(sum(map(int, exact.tolist()))) << 1014, dtype)
            same(f"sum of {dtype} {shape}", mp.sum(x, None), want)
            for axis in range(len(shape)):
                moved = np.moveaxis(wide, axis, -1)
                lines = np.array([math.fsum(line) for line in moved.reshape(-1, moved.shape[-1])])
                got = mp.sum(x, axes(axis)).numpy()
                want = lines.reshape(moved.shape[:-1]).astype(dtype)
                mp.ok(mp.difference(got, want, ulp=dtype == "float32") == "", f"sum of {dtype} {shape}, axis {axis}")
            if len(shape) == 2:
                same(f"the same transposed, {dtype} {shape}", mp.sum(mp.transpose(x, None), axes(0)), got)


def many():
    """Sums of numbers that fill a bin, beyond 64 bits; and in make check-full more elements than 31 bits can count."""
    edge = 2.0 ** (BITS * 21 - 1074 + BITS - 1)
    for dtype in ("float32", "float64"):
        row = np.array([edge, -edge, edge * (1 + 2.0 ** -20), 1 / 3, -1e-3, 3.0, edge * 4, 0], dtype)
        x = mp.array(row, mp.random_layout(rng, row.shape))
        count = 1 << 21
        want = [rounded(kept([value], dtype) * count, dtype) for value in row]
        same(f"columns of {count} times the same {dtype}", mp.sum(mp.broadcast_to(x, 2, [count, 8]), axes(0)), want)
        one = mp.array(row[:1])
        want = rounded(kept(row[:1], dtype) * (count << 4), dtype)
        same(f"{count << 4} times the same {dtype}", mp.sum(mp.broadcast_to(one, 1, [count << 4]), None), want)
    if not mp.FULL:
        return
    count = (1 << 31) + 5
    ones = mp.broadcast_to(mp.array(np.ones(1)), 1, [count])
    same("a sum of more than 2^31", mp.sum(ones, None), np.array(float(count)))


def special_values():
    inf, nan = np.inf, np.nan
    for numbers in ([inf, 1], [-inf, 1, -inf], [inf, -inf], [nan, inf], [1e308, 1e308, -1e308], [1e308, 1e308],
                    [-1e308, -1e308, 1e300], [1.7e308, 1e-300, 1e250, -1.7e308], [-0.0, -0.0], [0.0, -0.0], [],
                    [5e-324, 5e-324, -5e-324], [5e-324] * 7, [1e16, 1, -1e16], [1e308] * 9 + [-1e308] * 8,
                    [2.0 ** 975, 2.0 ** 974, -2.0 ** 975], [2.0 ** 1000, 2.0 ** 880, -2.0 ** 1000]):
        a = np.array(numbers, float)
        for order in (a, a[::-1], np.concatenate([np.zeros(1500), a, np.zeros(700)])):
            same(f"sum of {numbers}", mp.sum(mp.array(np.ascontiguousarray(order)), None), the_sum(a))
        columns = np.repeat(a[:, None], 9, axis=1)
        same(f"sum of columns of {numbers}", mp.sum(mp.array(columns), axes(0)), np.full(9, the_sum(a)))
    b = np.zeros((40, 300), "float32")
    b[3, 7], b[9, 7], b[1, 8], b[2, 9], b[2, 10] = inf, -inf, nan, -inf, 3e38
    b[5, 10] = 3e38
    same("sum of columns, some not finite", mp.sum(mp.array(b), axes(0)), along(the_sum, b, 0))


def extremes():
    """Of several equal elements, or of several NaN, the same one is always the result."""
    zeros = np.where(rng.random((6, 50)) < 0.5, 0.0, -0.0).astype("float32")
    zeros[0], zeros[1] = 0.0, -0.0
    for what, a, x in layouts(zeros):
        least, most = np.signbit(a).any(axis=1), ~np.signbit(a).all(axis=1)
        same("max of zeros" + what, mp.max(x, axes(1)), np.where(most, 0.0, -0.0).astype("float32"))
        same("min of zeros" + what, mp.min(x, axes(1)), np.where(least, -0.0, 0.0).astype("float32"))
        same("ptp of zeros" + what, mp.ptp(x, axes(1)), np.zeros(6, "float32"))
    kinds = np.array([0x7fc00001, 0xffc00000, 0x7fc01234], np.uint32).view("float32")
    for name in ("max", "min", "ptp", "sum", "mean", "std"):
        same(f"{name} of several kinds of NaN", mp.lookup(name)(mp.array(rng.choice(kinds, 99)), None),
             np.array(np.nan, "float32"))


def options():
    a = ordinary("float32", (9, 14))
    mask = rng.random(a.shape) < 0.6
    x, m = mp.array(a, mp.random_layout(rng, a.shape)), mp.array(mask, mp.random_layout(rng, a.shape))
    for name, defined in (("sum", the_sum), ("mean", the_mean), ("var", the_var)):
        want = np.array([defined(a[i][mask[i]]) for i in range(9)]).astype("float32")
        same(f"{name} where", mp.lookup(name)(x, axes(1, where=m)), want)
    same("var with ddof", mp.var(x, axes(0, ddof=1)), along(lambda b: the_var(b, 1), a, 0).astype("float32"))
    same("sum in float64", mp.sum(x, axes(0, dtype="float64")), along(lambda b: the_sum(b.astype(float)), a, 0))
    same("mean of integers", mp.mean(mp.array(np.arange(77)), None), the_mean(np.arange(77.0)))
    same("var of nothing", mp.var(x[3:3], axes(0)), np.full(14, np.nan, "float32"))
    same("sum of nothing", mp.sum(x[3:3], axes(0)), np.zeros(14, "float32"))
    weights = rng.uniform(0.5, 2, a.shape).astype("float32")
    products = a.astype(float) * weights
    want = binned(products, "float64", "float64") / binned(weights, "float64", "float64")
    same("average", mp.average(x, mp.array(weights, mp.random_layout(rng, a.shape)), None), want.astype("float32"))
    c = data("complex64", (30,), ordinary)
    wide = c.astype("complex128")
    mp.check("average of complex numbers", mp.average(mp.array(c), mp.array(wide.real.astype("complex64")), None),
             np.asarray(np.average(wide, weights=wide.real)).astype("complex64"), ulp=1)
    out = mp.empty("float32", 1, [9])
    mp.std(x, axes(1), out=out)
    same("std into an output", out, along(the_std, a, 1).astype("float32"))
    mp.fails("MNP_ERR_ARG", "mnp_var: axis 2 is out of bounds", mp.var, x, axes(2))
    mp.fails("MNP_ERR_ARG", "mnp_std: the output has the shape (9,), and the result's is (14,)", mp.std, x, axes(0),
             out=out)


def expressions():
    a, b = ordinary("float64", (7, 30)), cancelling("float64", (7, 30))
    x, y = (mp.array(c, mp.random_layout(rng, c.shape)) for c in (a, b))
    total, spread, most = mp.eval("s = sum(x * y, axis=1); v = var(x - y, axis=1); m = max(x * y)", "s v m", x=x, y=y)
    same("sum of an expression", total, along(the_sum, a * b, 1))
    same("var of an expression", spread, along(the_var, a - b, 1))
    same("max of an expression", most, (a * b).max())


def scans():
    """Each cumulative sum is the sum of the elements up to its own."""
    for dtype, how in (("float32", ordinary), ("float32", wide_range), ("float64", cancelling)):
        a = data(dtype, (4, 60), how)
        x = mp.array(a, mp.random_layout(rng, a.shape))
        want = np.array([[the_sum(line[:i + 1]) for i in range(line.size)] for line in a])
        same(f"cumsum of {dtype}, {how.__name__}", mp.cumsum(x, 1, None), want)
        same("the same in columns", mp.cumsum(mp.transpose(x, None), 0, None), want.T)
    a = ordinary("float32", 9001) - np.float32(3)
    a[50] = np.nan
    wide = np.where(np.isnan(a), 0, a).astype(float)
    got = mp.nancumsum(mp.array(a, mp.random_layout(rng, a.shape)), 0, None)
    same("a long nancumsum", got[::1000], np.array([the_sum(wide[:i + 1].astype("float32"))
                                                    for i in range(0, 9001, 1000)]))


if sys.float_info.mant_dig != 53:
    raise SystemExit("Bail out! Python's floats are no doubles")
warnings.simplefilter("ignore")
all_functions()
sums()
large()
many()
special_values()
extremes()
options()
expressions()
scans()
mp.done()
