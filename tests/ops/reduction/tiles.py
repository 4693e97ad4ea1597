# SPDX-License-Identifier: BSD-3-Clause
"""Reductions and scans of odd, short and interleaved rows, at any address: a GPU takes them by tiles through shared
memory, or by aligned vectors of rows that begin anywhere.  And of elements of one and two bytes, and of broadcast
dimensions, of which each element is read once."""

import itertools

import maniple as mp
import numpy as np

rng = mp.random()
ROWS = [(20011, 3), (9001, 7), (1501, 67), (203, 405), (37, 1031), (4001, 20), (700, 32), (3, 20011), (40003, 5),
        (5, 30011)]


def compare(name, a, x, axes):
    what = f"{name} of {a.dtype} {a.shape} of strides {a.strides}, axes {axes}"
    got = mp.lookup(name)(x, mp.axes(*axes))
    wide = a.astype("float64" if a.dtype.kind == "f" else "longdouble") if name == "std" else a
    wide = a.astype("float64") if name in ("sum", "mean") and a.dtype.kind == "f" else wide
    want = getattr(np, name)(wide, axis=axes if len(axes) > 1 else axes[0])
    keeps = a.dtype.kind == "f" and name != "argmax"
    mp.check(what, got, want.astype(a.dtype if keeps else "float64" if name == "std" else want.dtype),
             ulp=8 if name == "std" and not keeps else 2)


def compare_scan(a, x, axis):
    want = np.cumsum(a.astype("float64") if a.dtype.kind == "f" else a, axis=axis)
    mp.check(f"cumsum of {a.dtype} {a.shape} of strides {a.strides}, axis {axis}", mp.cumsum(x, axis, None),
             want.astype(a.dtype) if a.dtype.kind == "f" else want, ulp=2)


def views(a, x):
    yield a, x
    yield a[1:], x[1:]  # another address
    yield a[..., 1:], x[..., 1:]  # gaps between rows


def matrices():
    for number, shape in enumerate(ROWS):
        a = (rng.standard_normal(shape) + 2).astype("float32")
        for b, y in views(a, mp.array(a)):
            for axis in (0, 1):
                compare("sum", b, y, (axis,))
                compare_scan(b, y, axis)
                compare(("std", "argmax")[number % 2], b, y, (axis,))
        a = rng.integers(-100, 100, shape).astype("int8")
        for b, y in views(a, mp.array(a)):
            compare("max", b, y, (1,))
            compare("sum", b, y, (number % 2,))
            compare_scan(b, y, 1)


def interleaved():
    for shape in ((31, 41, 53), (5, 7, 6, 9, 4, 11), (6, 3, 2000, 3)):
        a = (rng.standard_normal(shape) + 2).astype("float32")
        every = [c for n in range(1, len(shape)) for c in itertools.combinations(range(len(shape)), n)]
        for b, y in views(a, mp.array(a)):
            for axes in every if len(shape) < 5 else [every[i] for i in rng.choice(len(every), 6, replace=False)]:
                compare("sum", b, y, axes)
            compare("max", b, y, (0, 2))
            for axis in range(len(shape)):
                compare("argmax", b, y, (axis,))


def drawn_axes(ndim):
    return tuple(sorted(rng.choice(ndim, rng.integers(1, ndim + 1), replace=False).tolist()))


def small():
    """Elements of one and two bytes: few and many rows, results in any order, gaps, and values far from 0."""
    shapes = ((4, 1031), (300, 517), (5, 3, 70, 66), (6, 21, 9, 3, 2), (2000, 16))
    for number, (shape, dtype) in enumerate(itertools.product(shapes, ("int8", "float16", "uint16"))):
        a = (rng.integers(-9, 9, shape) + rng.choice([-20, 0, 100])).astype(dtype)
        name = ("std", "sum", "max", "mean")[number % 4]
        order = rng.permutation(len(shape)).tolist()
        x = mp.array(a)
        others = [(a.transpose(order), mp.transpose(x, order)), (a[::-1, ..., ::-2], x[::-1, ..., ::-2])]
        for b, y in itertools.chain(views(a, x), others):
            compare(name, b, y, drawn_axes(len(shape)))
            compare(name, b, y, (0,))


def repeated():
    """Broadcast dimensions, alone and beside others."""
    for shape, number in itertools.product(((1, 700), (31, 1, 33), (5, 1, 1, 400)), range(6)):
        name, dtype = ("sum", "std", "max", "argmax", "sum", "mean")[number], ("float32", "int16")[number % 2]
        full = tuple(n if n > 1 else rng.integers(2, 40).item() for n in shape)
        a = rng.integers(-9, 9, shape).astype(dtype)
        y = mp.broadcast_to(mp.array(a), len(full), list(full))
        axes = (1,) if name == "argmax" else drawn_axes(len(full))
        compare(name, np.broadcast_to(a, full), y, axes)
        order = rng.permutation(len(full)).tolist()
        compare(name, np.broadcast_to(a, full).transpose(order)[::-1], mp.transpose(y, order)[::-1], axes)
    for _ in range(3):  # results that are computed once, and copied to a part of another array
        a = rng.integers(-9, 9, (1, 6, 1)).astype("float64")
        y = mp.broadcast_to(mp.array(a, mp.random_layout(rng, a.shape)), 3, [7, 6, 5])
        out = mp.array(np.zeros((15, 5)), mp.random_layout(rng, (15, 5)))
        mp.sum(y, mp.axes(1), out=out[14:0:-2])
        want = np.zeros((15, 5))
        want[14:0:-2] = a.sum()
        mp.check("repeated, to a part of another array", out, want)
        compare_scan(np.broadcast_to(a, y.shape), y, 1)
    for rows in 1, 2, 3:  # fewer than there may be ranks
        a = rng.integers(-9, 9, (rows, 1)).astype("float64")
        y = mp.broadcast_to(mp.array(a), 2, [rows, 5])
        for name, axes in (("sum", (0, 1)), ("mean", (0, 1)), ("std", (0, 1)), ("sum", (1,)), ("mean", (0,))):
            compare(name, np.broadcast_to(a, (rows, 5)), y, axes)


def windows():
    """Windows that overlap, whose kept and reduced elements are equally far apart."""
    for dtype, length, width in itertools.product(("float32", "float64"), (131, 30011), (5, 8, 32)):
        a = rng.integers(-9, 9, length).astype(dtype)
        y = mp.sliding_window_view(mp.array(a), 1, [width], [0])
        for name in "sum", "mean", "max":
            compare(name, np.lib.stride_tricks.sliding_window_view(a, width), y, (1,))


def far_apart():
    """Few or many rows of elements with others between them."""
    for dtype, rows, gap in (("float64", 8, 4), ("float64", 3, 3), ("float32", 8, 8), ("int16", 100, 12), ("int8", 100, 32)):
        a = rng.integers(-9, 9, (rows, 20011, gap)).astype(dtype)
        x = mp.array(a)
        for name in "sum", "argmax", "std":
            compare(name, a[:, :, 1], x[:, :, 1], (0,))


def beside_strided():
    """Short rows beside an operand whose rows are columns in memory, next to which there may be nothing."""
    for rows, length in ((30000, 9), (20001, 33)):
        a, weights = rng.random((rows, length)).astype("float32"), rng.random((length, rows)).astype("float32")
        want = np.average(a.astype("float64"), axis=1, weights=weights.T.astype("float64")).astype("float32")
        got = mp.average(mp.array(a), mp.transpose(mp.array(weights), None), mp.axes(1))
        mp.check(f"average of rows of {length}, weighted by columns", got, want, ulp=2)


def single():
    """Axes of one element: every result is an element of a view with gaps, or one that begins anywhere."""
    for number, (shape, dtype) in enumerate(itertools.product(((1, 41, 7, 20), (1, 70001)), ("float32", "float16"))):
        a = rng.integers(-9, 9, shape).astype(dtype)
        x = mp.array(a)
        for cut in (np.s_[:], np.s_[:, 1:], np.s_[:, 2:, ..., 1:] if len(shape) > 2 else np.s_[:, 2:]):
            b, y = a[cut], x[cut]
            compare(("sum", "max", "std", "mean")[number], b, y, (0,))
            compare("argmax", b, y, (0,))


def gaps():
    """Rows and columns with as much left out between them, and searches in columns of equal elements."""
    for dtype in "float32", "int32":
        a = rng.integers(0, 4, (12, 27, 2, 128)).astype(dtype)
        x = mp.array(a)
        for b, y in ((a[:, :, 1], x[:, :, 1]), (a[:, ::2, 0, ::-1], x[:, ::2, 0, ::-1]), (a[:, 1, :, 1:], x[:, 1, :, 1:])):
            compare("argmax", b, y, (1,))
            compare("sum", b, y, (1,))
        a = rng.integers(0, 4, (3, 26, 8 * 1024)).astype(dtype)
        compare("argmax", a, mp.array(a), (1,))
        compare("argmax", a.reshape(78, 8192), mp.array(a.reshape(78, 8192)), (0,))


def backwards():
    """Searches along a dimension whose elements come in falling order: long rows, columns, tiles and layers."""
    for shape, axis in itertools.product(((3, 20011), (31, 1024), (5, 40009), (2003, 5), (40, 16, 5, 33)), (0, 1, -1)):
        for dtype in "int8", "float32":
            a = rng.integers(0, 4, shape).astype(dtype)  # many are equal
            if dtype == "float32":
                a[rng.random(shape) < 0.001] = np.nan
            turned = tuple(slice(None, None, -1 if d == axis % len(shape) else 1) for d in range(len(shape)))
            compare("argmax", a[turned], mp.array(a)[turned], (axis % len(shape),))


matrices()
single()
gaps()
backwards()
interleaved()
small()
repeated()
windows()
far_apart()
beside_strided()
mp.done()
