# SPDX-License-Identifier: BSD-3-Clause
"""Methods of ufuncs: reduce, accumulate, reduceat, outer."""

import functools
import itertools
import warnings

import maniple as mp
import numpy as np
from maniple import axes

rng = mp.random()
warnings.simplefilter("ignore")


def values(dtype, shape):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        return rng.integers(1, 9, shape).astype(dtype)
    made = rng.uniform(0.8, 1.2, shape)
    return (made + 1j * rng.uniform(-0.2, 0.2, shape) if kind == "c" else made).astype(dtype)


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


CASES = {"add": "int8 float32", "multiply": "complex64", "maximum": "float16", "fmin": "float32",
         "logical_and": "float32", "logical_xor": "int32", "bitwise_and": "uint8", "gcd": "int32", "lcm": "int64",
         "hypot": "float32", "logaddexp": "float64", "subtract": "int8 float32", "divide": "int32", "power": "float32",
         "left_shift": "int64", "equal": "bool", "heaviside": "float64"}
ORDERED = set(list(CASES)[list(CASES).index("subtract"):])


def ulp_of(name, result):
    return 0 if result.dtype.kind in "biu" or name in ("maximum", "minimum", "fmax", "fmin") else 64


def reduced(ufunc, a, axis):
    """ufunc.reduce; for power and arctan2 element by element, as NumPy's vector code does not keep the order."""
    if ufunc not in (np.power, np.arctan2) or len(axis) > 1:
        return np.asarray(ufunc.reduce(a, axis=axis if len(axis) > 1 else axis[0]))
    return functools.reduce(ufunc, list(np.moveaxis(a, axis[0], 0)))


def reduced_at(ufunc, a, indices, axis):
    """ufunc.reduceat, likewise."""
    if ufunc not in (np.power, np.arctan2):
        return ufunc.reduceat(a, indices, axis=axis)
    ends = [max(end, begin + 1) for begin, end in zip(indices, indices[1:] + [a.shape[axis]])]
    parts = [np.take(a, range(begin, end), axis) for begin, end in zip(indices, ends)]
    return np.stack([reduced(ufunc, part, (axis,)) for part in parts], axis)


def all_functions():
    """Every method, in some types, along every axis."""
    for number, (name, listed) in enumerate(CASES.items()):
        ufunc = getattr(np, name)
        for dtype in listed.split():
            shape = tuple(int(n) for n in rng.integers(2, 6, 3))
            a = values(dtype, shape)
            x = spread(a)
            over = [(0,), (-1,)] if name in ORDERED or name == "lcm" else [(0,), (2,), (0, 2), (0, 1, 2)]
            for axis in mp.part(over, number) if number > 0 else over:
                want = reduced(ufunc, a, axis)
                mp.check(f"{name}.reduce of {dtype} over {axis}", mp.ufunc_reduce(name, x, axes(*axis)), want,
                         ulp=ulp_of(name, want))
            for axis in (1, -1):
                want = ufunc.accumulate(a, axis=axis)
                mp.check(f"{name}.accumulate of {dtype} along {axis}", mp.ufunc_accumulate(name, x, axis), want,
                         ulp=ulp_of(name, want))
            indices = [int(i) for i in rng.integers(0, shape[1], 5)]
            want = reduced_at(ufunc, a, indices, 1)
            mp.check(f"{name}.reduceat of {dtype} at {indices}", mp.ufunc_reduceat(name, x, 5, indices, 1), want,
                     ulp=ulp_of(name, want))


def shapes_and_options():
    a = values("float32", (6, 7, 5))
    x = spread(a)
    for name in ("subtract", "hypot"):
        ufunc = getattr(np, name)
        want = ufunc.reduce(a[::-1, 1::2], axis=1, keepdims=True)
        got = mp.ufunc_reduce(name, x[::-1, 1::2], axes(1, keepdims=True))
        mp.check(f"{name}.reduce of a view, keepdims", got, want, ulp=64)
        want = ufunc.reduce(a, axis=0, dtype="float64")
        mp.check(f"{name}.reduce in float64", mp.ufunc_reduce(name, x, axes(0, dtype="float64")), want, ulp=64)
        want = ufunc.accumulate(a[:, ::-1], axis=1)
        mp.check(f"{name}.accumulate of a view", mp.ufunc_accumulate(name, x[:, ::-1], 1), want, ulp=64)
        out = spread(np.zeros((6, 7, 5)))
        mp.ufunc_accumulate(name, x, 0, out=out)
        mp.check(f"{name}.accumulate into another layout", out, ufunc.accumulate(a, axis=0).astype("float64"),
                 ulp=1 << 36)
        line = spread(a[:, 0, 0])
        mp.check(f"{name}.reduce of a line", mp.ufunc_reduce(name, line, None), np.asarray(ufunc.reduce(a[:, 0, 0])),
                 ulp=64)
        mp.check(f"{name}.reduce of one number", mp.ufunc_reduce(name, x[1, 2, 3], None),
                 np.asarray(ufunc.reduce(a[1, 2, 3])), ulp=1)
        want = ufunc.reduceat(a[:, 0, 0], [0, 3, 1, 5])
        mp.check(f"{name}.reduceat of a line", mp.ufunc_reduceat(name, line, 4, [0, 3, 1, 5], 0), want, ulp=64)
        mp.check(f"{name}.reduce of nothing kept", mp.ufunc_reduce(name, x[3:3], axes(1)), ufunc.reduce(a[3:3], axis=1))
        mp.check(f"{name}.accumulate of nothing", mp.ufunc_accumulate(name, x[3:3], 0), ufunc.accumulate(a[3:3]))
    mask = rng.random((6, 7, 5)) < 0.5
    b = values("int32", (6, 7, 5))
    y = spread(b)
    mp.check("gcd.reduce where", mp.ufunc_reduce("gcd", y, axes(1, where=spread(mask))),
             np.gcd.reduce(b, axis=1, where=mask))
    mp.check("gcd.reduce of nothing", mp.ufunc_reduce("gcd", y[3:3], axes(0)),
             np.gcd.reduce(b[3:3], axis=0))
    long = rng.integers(0, 1 << 20, 50003)
    for name in ("bitwise_xor", "gcd"):
        mp.check(f"{name}.accumulate of many", mp.ufunc_accumulate(name, mp.array(long), 0),
                 getattr(np, name).accumulate(long))
        mp.check(f"{name}.reduce of many", mp.ufunc_reduce(name, mp.array(long), None),
                 np.asarray(getattr(np, name).reduce(long)))
    ones = rng.uniform(0, 1, 50003).astype("float32")
    got = mp.ufunc_reduceat("add", mp.array(ones), 3, [0, 100, 20000], 0)
    want = np.add.reduceat(ones.astype("float64"), [0, 100, 20000]).astype("float32")
    mp.check("add.reduceat of many", got, want, ulp=1)


def outer():
    pairs = ((3, 2), (4,)), ((5,), ()), ((), (2, 3))
    for name, shapes in itertools.product(("subtract", "multiply", "greater"), pairs):
        a, b = values("float32", shapes[0]), values("int16", shapes[1])
        mp.check(f"{name}.outer of {shapes}", mp.ufunc_outer(name, spread(a), spread(b)), getattr(np, name).outer(a, b))
    a = values("float32", (3,))
    mp.check("outer with a number", mp.ufunc_outer("add", spread(a), 2.5), np.add.outer(a, np.float32(2.5)))
    out = spread(np.zeros((3, 3)))
    mp.ufunc_outer("power", spread(a), spread(a), out=out)
    mp.check("outer into float64", out, np.power.outer(a, a).astype("float64"), ulp=1 << 32)


def properties():
    """Integers are exact in any layout, along any axis of any view."""
    for _ in range(12):
        ndim = int(rng.integers(1, 4))
        shape = tuple(int(n) for n in rng.integers(1, 8, ndim))
        a = rng.integers(-99, 99, shape)
        index = tuple(slice(None, None, int(rng.choice([1, 2, -1]))) for _ in shape)
        b, y, axis = a[index], spread(a)[index], int(rng.integers(-ndim, ndim))
        for name in ("subtract", "bitwise_xor"):
            ufunc, count = getattr(np, name), int(rng.integers(1, 5))
            indices = [int(i) for i in rng.integers(0, b.shape[axis], count)]
            mp.check(f"{name}.reduce of {b.shape}", mp.ufunc_reduce(name, y, axes(axis)),
                     np.asarray(ufunc.reduce(b, axis=axis)))
            mp.check("accumulate", mp.ufunc_accumulate(name, y, axis), ufunc.accumulate(b, axis=axis))
            got = mp.ufunc_reduceat(name, y, count, indices, axis)
            mp.check("reduceat", got, ufunc.reduceat(b, indices, axis=axis))


def misuse():
    x = spread(values("float32", (6, 7)))
    for words, function, *arguments in (
            ("mnp_ufunc_reduce: there is no function 'plus'", mp.ufunc_reduce, "plus", x, None),
            ("sin takes 1 and gives 1", mp.ufunc_accumulate, "sin", x, 0),
            ("divmod takes 2 and gives 2", mp.ufunc_outer, "divmod", x, x),
            ("greater takes float32 and float32 and gives bool", mp.ufunc_reduce, "greater", x, axes(0)),
            ("gcd is not defined", mp.ufunc_reduce, "gcd", x, axes(0)),
            ("subtract goes along one axis in the order of the elements, and 2 are given", mp.ufunc_reduce, "subtract",
             x, None),
            ("subtract of no elements has no value", mp.ufunc_reduce, "subtract", x[3:3], axes(0)),
            ("mnp_ufunc_accumulate: axis 2 is out of bounds", mp.ufunc_accumulate, "add", x, 2),
            ("indices[1] is 6, outside dimension 0 of 6 elements", mp.ufunc_reduceat, "add", x, 2, [0, 6], 0),
            ("indices[0] is -1", mp.ufunc_reduceat, "add", x, 1, [-1], 0)):
        mp.fails("MNP_ERR_ARG", words, function, *arguments)
    mp.fails("MNP_ERR_ARG", "mnp_ufunc_reduceat: the output has the shape (7,)", mp.ufunc_reduceat, "subtract", x, 1, [0],
             0, out=mp.empty("float32", 1, [7]))


all_functions()
shapes_and_options()
outer()
properties()
misuse()
mp.done()
