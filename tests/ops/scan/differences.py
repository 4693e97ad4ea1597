# SPDX-License-Identifier: BSD-3-Clause
"""Differences between neighbours, gradients, and integrals by the trapezoidal rule."""

import ctypes
import warnings

import maniple as mp
import numpy as np

rng = mp.random()
trapezoid = getattr(np, "trapezoid", None) or np.trapz


def values(dtype, shape):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -100, 100, shape).astype(dtype)
    made = rng.uniform(0.5, 2, shape)
    return (made + 1j * rng.uniform(0.5, 2, shape) if kind == "c" else made).astype(dtype)


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def diffs():
    for number, dtype in enumerate(("bool", "int8", "uint16", "float32", "complex64")):
        a = values(dtype, (5, 6, 4))
        x = spread(a)
        for axis in mp.part((0, 1, -1), number):
            mp.check(f"diff of {dtype} along {axis}", mp.diff(x, 1, axis, None, None), np.diff(a, axis=axis))
        mp.check("three times", mp.diff(x, 3, 1, None, None), np.diff(a, 3, axis=1))
    a = values("float32", (5, 6))
    x, row, more = spread(a), values("float32", (1, 6)), values("float32", (5, 2))
    mp.check("none", mp.diff(x, 0, 1, None, None), a)
    mp.check("too often", mp.diff(x, 7, 1, None, None), np.diff(a, 7))
    mp.check("prepend", mp.diff(x, 1, 0, spread(row), None), np.diff(a, axis=0, prepend=row))
    mp.check("append", mp.diff(x, 2, 1, None, spread(more)), np.diff(a, 2, axis=1, append=more))
    mp.check("numbers", mp.diff(x, 1, 1, mp.astype(spread(np.float32(2).reshape(())), "float32"), None),
             np.diff(a, axis=1, prepend=np.float32(2)))
    b = values("int16", (7,))
    mp.check("a number of another kind", mp.diff(spread(b), 1, 0, 0.5, 3), np.diff(b, prepend=0.5, append=3))
    mp.check("views", mp.diff(x[::-1, ::2], 1, 0, None, None), np.diff(a[::-1, ::2], axis=0))
    out = mp.array(np.zeros((4, 6)), mp.random_layout(rng, (4, 6)))
    mp.diff(x, 1, 0, None, None, out=out)
    mp.check("into float64", out, np.diff(a, axis=0).astype("float64"))
    mp.check("ediff1d", mp.ediff1d(x, None, None), np.ediff1d(a))
    mp.check("ediff1d with ends", mp.ediff1d(x, spread(row), 7), np.ediff1d(a, to_end=row, to_begin=7))
    mp.check("ediff1d of nothing", mp.ediff1d(x[3:3], None, 7), np.ediff1d(a[3:3], to_begin=7))
    for words, function, *arguments in (
            ("mnp_diff: n is -1, negative", mp.diff, x, -1, 0, None, None),
            ("mnp_diff: axis 2 is out of bounds", mp.diff, x, 1, 2, None, None),
            ("mnp_diff: the array has no dimension", mp.diff, spread(np.float32(2).reshape(())), 1, 0, None, None),
            ("must be the same", mp.diff, x, 1, 0, spread(more), None),
            ("mnp_ediff1d: to_begin is float64", mp.ediff1d, spread(b), None, 0.5),
            ("mnp_ediff1d: bools have no difference", mp.ediff1d, spread(values("bool", (3,))), None, None)):
        mp.fails("MNP_ERR_ARG", words, function, *arguments)
    line = spread(values("float32", (3,)))
    for n in (0, 1):
        mp.fails("MNP_ERR_ARG", "(2, 3)", mp.diff, line, n, 0, None, None, out=spread(values("float32", (2, 3))))


def gradients():
    for number, dtype in enumerate(("float32", "int16", "complex128")):
        a = values(dtype, (5, 6))
        x = spread(a)
        ulp = 8 if dtype != "int16" else 0
        for axis in (0, 1):
            for order in mp.part((1, 2), number + axis):
                mp.check(f"gradient of {dtype} along {axis}, edges of order {order}", mp.gradient(x, None, axis, order),
                         np.gradient(a, axis=axis, edge_order=order), ulp=ulp)
        mp.check("spacing", mp.gradient(x, 0.3, 0, 2), np.gradient(a, 0.3, axis=0, edge_order=2), ulp=64)
    a = values("float64", (6, 5))
    x, at = spread(a), np.cumsum(values("float64", 6))
    for order in (1, 2):
        got, want = mp.gradient(x, spread(at), 0, order).numpy(), np.gradient(a, at, axis=0, edge_order=order)
        mp.ok(np.allclose(got, want, rtol=1e-13, atol=1e-13), f"with coordinates, edges of order {order}")
    squares = np.array([0, 1, 4, 9, 16, 25])
    got, want = mp.gradient(x, spread(squares), 0, 1).numpy(), np.gradient(a, squares, axis=0)
    mp.ok(np.allclose(got, want, rtol=1e-13, atol=1e-13), "with integers as coordinates")
    mp.check("of two elements", mp.gradient(x[:2], None, 0, 1), np.gradient(a[:2], axis=0), ulp=4)
    both = (ctypes.c_void_p * 2)()
    mp.gradients(x, None, 1, both)
    mp.check("along all axes", (mp.Array(both[0]), mp.Array(both[1])), tuple(np.gradient(a)), ulp=4)
    out = mp.array(np.zeros((6, 5), "float32"), mp.random_layout(rng, (6, 5)))
    mp.gradient(x, None, 1, 1, out=out)
    mp.check("into float32", out, np.gradient(a, axis=1).astype("float32"), ulp=2)
    for words, *arguments in (
            ("mnp_gradient: edge_order is 3", x, None, 0, 3), ("axis 2 is out of bounds", x, None, 2, 1),
            ("dimension 0 has 1 elements, and 2 are needed", x[:1], None, 0, 1),
            ("the coordinates have 1 dimensions and 6 elements, and dimension 1 has 5", x, spread(at), 1, 1)):
        mp.fails("MNP_ERR_ARG", words, mp.gradient, *arguments)


def integrals():
    for dtype in ("float32", "int32", "complex128"):
        a = values(dtype, (5, 6))
        y = spread(a)
        ulp = 4 if dtype == "float32" else 16
        for axis in (0, -1) if mp.FULL or dtype == "float32" else (-1,):
            mp.check(f"trapezoid of {dtype} along {axis}", mp.trapezoid(y, None, 1.0, axis), trapezoid(a, axis=axis),
                     ulp=ulp)
        mp.check("dx", mp.trapezoid(y, None, 0.25, 0), trapezoid(a, dx=0.25, axis=0), ulp=ulp)
    a = values("float64", (5, 6))
    y, line, full = spread(a), np.cumsum(values("float64", 5)), np.cumsum(values("float64", (5, 6)), axis=1)
    mp.check("coordinates of the axis", mp.trapezoid(y, spread(line), 1.0, 0), trapezoid(a, line, axis=0), ulp=16)
    mp.check("of all elements", mp.trapezoid(y, spread(full), 1.0, 1), trapezoid(a, full, axis=1), ulp=16)
    mp.check("of one element", mp.trapezoid(y[:1], None, 1.0, 0), trapezoid(a[:1], axis=0))
    mp.fails("MNP_ERR_ARG", "mnp_trapezoid: axis -3 is out of bounds", mp.trapezoid, y, None, 1.0, -3)
    mp.fails("MNP_ERR_ARG", "mnp_trapezoid: x has 2 dimensions, neither 1 nor y's 1", mp.trapezoid, y[0], spread(full),
             1.0, 0)


warnings.simplefilter("ignore")
diffs()
gradients()
integrals()
mp.done()
