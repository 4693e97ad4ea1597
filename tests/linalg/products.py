# SPDX-License-Identifier: BSD-3-Clause
"""The products beside matmul: dot, inner, vdot, vecdot, matvec, vecmat, outer, cross, tensordot, kron, matrix_power,
multi_dot."""

import functools

import maniple as mp
import numpy as np

rng = mp.random()
DTYPES = ("float64", "complex64", "int32", "bool", "float16") if mp.FULL else ("float64", "complex64", "int32")
EPS = {"float16": 2.0 ** -11, "complex64": 2.0 ** -24, "float64": 2.0 ** -53}


def numbers(shape, dtype):
    if dtype == "bool":
        return rng.random(shape) < 0.4
    if dtype == "int32":
        return rng.integers(-2 ** 31, 2 ** 31, shape).astype("int32")
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if dtype == "complex64" else values).astype(dtype)


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def near(name, got, want, size, terms):
    """`want`, of the given dtype; `size`, what it is of absolute values; how many numbers are added."""
    g = got.numpy()
    if g.dtype.name not in EPS:
        return mp.check(name, got, want)
    wide = np.complex128 if g.dtype.kind == "c" else np.float64
    error = np.abs(g.astype(wide) - np.asarray(want).astype(wide))
    bound = 8 * (terms + 4) * EPS[g.dtype.name] * np.asarray(size) + 1e-6 * (g.dtype.name == "float16")
    good = g.dtype == np.asarray(want).dtype and g.shape == np.shape(want) and bool((error <= bound).all())
    return mp.ok(good, name if good else f"{name}: {g.dtype} {g.shape}, error {np.max(error, initial=0):.3g}")


def compare(name, ours, numpys, terms, *arrays, **named):
    """A function of ours and NumPy's for the same arrays, which are given to NumPy in a wide type."""
    dtype = np.result_type(*arrays)
    wide = {"c": np.complex128, "f": np.float64}.get(dtype.kind, dtype)
    want = np.asarray(numpys(*(a.astype(wide) for a in arrays))).astype(dtype)
    size = numpys(*(np.abs(a.astype(np.complex128)).real for a in arrays))
    near(name, ours(*(spread(a) for a in arrays)), want, size, terms)


for dtype in DTYPES:
    n = functools.partial(numbers, dtype=dtype)
    for a, b in ((7,), (7,)), ((3, 7), (7,)), ((7,), (7, 4)), ((3, 7), (7, 4)), ((2, 3, 7), (7,)), ((2, 3, 7), (4, 7, 5)), \
            ((7,), (2, 7, 3)), ((), (3, 2)), ((3,), ()), ((), ()), ((0,), (0,)):
        compare(f"{dtype} dot {a} {b}", mp.dot, np.dot, 7, n(a), n(b))
    for a, b in ((7,), (7,)), ((3, 7), (7,)), ((3, 7), (4, 7)), ((2, 3, 7), (4, 7)), ((7,), (4, 7)), ((), (3,)):
        compare(f"{dtype} inner {a} {b}", mp.inner, np.inner, 7, n(a), n(b))
    for a, b in ((12,), (12,)), ((3, 4), (3, 4)), ((2, 6), (3, 4)), ((), ()), ((0,), (0, 3)):
        compare(f"{dtype} vdot {a} {b}", mp.vdot, np.vdot, 12, n(a), n(b))
    for a, b, axis in ((9,), (9,), -1), ((4, 9), (9,), -1), ((4, 9), (4, 1), 0), ((3, 1, 5), (2, 5), -1):
        if axis == 0 and a != b:
            b = a
        vecdot = lambda x, y: np.sum(np.conj(x) * y, axis=axis) if x.dtype != bool else np.any(x & y, axis=axis)  # noqa: E731
        if dtype == "int32":
            vecdot = lambda x, y: np.sum(x * y, axis=axis, dtype="int32")  # noqa: E731
        compare(f"{dtype} vecdot {a} {b}", lambda x, y: mp.vecdot(x, y, axis), vecdot, 9, n(a), n(b))
    for a, b in ((5, 7), (7,)), ((3, 5, 7), (7,)), ((5, 7), (3, 7)), ((3, 5, 7), (3, 7)), ((2, 1, 5, 7), (3, 7)):
        compare(f"{dtype} matvec {a} {b}", mp.matvec, lambda x, y: np.matmul(x, y[..., None])[..., 0], 7, n(a), n(b))
        c = a[:-2] + (a[-1], a[-2])
        compare(f"{dtype} vecmat {b} {c}", mp.vecmat, lambda y, x: np.matmul(np.conj(y)[..., None, :] if y.dtype.kind == "c"
                                                                             else y[..., None, :], x)[..., 0, :], 7, n(b), n(c))
    for a, b in ((5,), (4,)), ((2, 3), (4,)), ((), (3,)), ((0,), (3,)):
        compare(f"{dtype} outer {a} {b}", mp.outer, np.outer, 1, n(a), n(b))
    for a, b, axes in ((3, 4, 5), (4, 5, 2), 2), ((3, 4), (4, 2), 1), ((3,), (2, 2), 0), ((3, 4, 5), (5, 3, 2), ([0, 2], [1, 0])), \
            ((2, 3, 4), (2, 3, 4), 3), ((2, 3, 4, 5), (6, 4, 3), ([-2, 1], [1, 2])), ((3, 4), (3, 4), ([0, 1], [0, 1])):
        count, axes_a, axes_b = (axes, None, None) if isinstance(axes, int) else (len(axes[0]), *axes)
        compare(f"{dtype} tensordot {a} {b} {axes}", lambda x, y: mp.tensordot(x, y, count, axes_a, axes_b),
                lambda x, y: np.tensordot(x, y, axes), 60, n(a), n(b))
    for a, b in ((2, 3), (4, 5)), ((3,), (2, 2)), ((2, 2, 2), (3,)), ((0, 2), (3, 3)):
        compare(f"{dtype} kron {a} {b}", mp.kron, np.kron, 1, n(a), n(b))
    for shape, power in ((5, 5), 0), ((5, 5), 1), ((5, 5), 5), ((2, 3, 3), 3), ((2, 3, 3), 0):
        compare(f"{dtype} matrix_power {shape} {power}", lambda x: mp.matrix_power(x, power),
                lambda x: np.linalg.matrix_power(x, power), 40, n(shape))
    for shapes in [(5, 6), (6, 7)], [(5, 6), (6, 2), (2, 9)], [(6,), (6, 2), (2, 9), (9,)], [(30, 2), (2, 20), (20, 3), (3, 8), (8, 1)]:
        if dtype == "bool":
            continue
        compare(f"{dtype} multi_dot {shapes}", lambda *x: mp.multi_dot(list(x), len(x)), lambda *x: np.linalg.multi_dot(x), 60,
                *(n(s) for s in shapes))

# A product of the cross product is rounded, and so is their difference, as in NumPy
for dtype in DTYPES:
    for a, b, axes in ((3,), (3,), (-1, -1, -1)), ((7, 3), (7, 3), (1, 1, 1)), ((3, 7), (7, 3), (0, 1, 0)), \
            ((7, 3), (3,), (-1, 0, -1)), ((4, 3, 5), (1, 5, 3), (1, -1, 0)), ((2, 5, 3, 4), (3, 5, 4), (2, 0, 1)), \
            ((3, 1), (3, 9), (0, 0, -1)), ((0, 3), (0, 3), (1, 1, 1)):
        if dtype == "bool":
            continue
        p, q = numbers(a, dtype), numbers(b, dtype)
        got, want = mp.cross(mp.spread(rng, p), mp.spread(rng, q), *axes), np.cross(p, q, *axes)
        if dtype == "complex64":
            near(f"{dtype} cross {a} {b} {axes}", got, want, np.full(want.shape, np.linalg.norm(p) * np.linalg.norm(q)), 2)
        else:
            mp.check(f"{dtype} cross {a} {b} {axes}", got, want)
a, b = numbers((7, 3), "int32"), numbers((7, 3), "float64")
mp.check("cross of two types", mp.cross(spread(a), spread(b), 1, 1, 1), np.cross(a, b))
x, y = spread(b), spread(b[::-1].copy())
mp.cross(x, y, 1, 1, 1, out=x)
mp.check("cross into an operand", x, np.cross(b, b[::-1]))
out = mp.array(np.zeros((3, 7), "complex128"), mp.random_layout(rng, (3, 7)))
mp.check("cross into an array of another type", mp.cross(y, spread(a), 1, 1, 0, out=out),
         np.cross(b[::-1], a, axisc=0).astype("complex128"))
mp.fails("MNP_ERR_ARG", "mnp_cross: axis 0 of b has 7 elements, and vectors have 3", mp.cross, x, y, 1, 0, 1)
mp.fails("MNP_ERR_ARG", "mnp_cross", mp.cross, x, mp.array(np.zeros((5, 3))), 1, 1, 1)
mp.fails("MNP_ERR_ARG", "axis 2 is out of bounds", mp.cross, x, y, 1, 1, 2)
mp.fails("MNP_ERR_ARG", "mnp_cross: bools have no difference", mp.cross, mp.array(a > 0), mp.array(a > 0), 1, 1, 1)

a, b = numbers((6, 5), "float64"), numbers((5, 4), "float64")
x, y = spread(a), spread(b)
out = mp.array(np.zeros((6, 4), "complex128"), mp.random_layout(rng, (6, 4)))
mp.dot(x, y, out=out)
EPS["complex128"] = EPS["float64"]
near("dot into an array", out, (a @ b).astype("complex128"), np.abs(a) @ np.abs(b), 5)
out = mp.array(np.zeros((6, 5, 6, 5)))
mp.tensordot(x, x, 0, None, None, out=out)
mp.check("tensordot into an array", out, np.multiply.outer(a, a))
mp.check("dot with a number", mp.dot(x, 3.0), a * 3)

mp.fails("MNP_ERR_ARG", "mnp_dot: the operands have the shapes (6, 5) and (6, 5)", mp.dot, x, x)
mp.fails("MNP_ERR_ARG", "30 and 20 elements", mp.vdot, x, y)
mp.fails("MNP_ERR_ARG", "axis 0 of the first operand has 6 elements, and axis 1 of the second has 4", mp.tensordot, x, y, 1, [0], [1])
mp.fails("MNP_ERR_ARG", "axis 0 is given twice", mp.tensordot, x, x, 2, [0, 0], [0, 1])
mp.fails("MNP_ERR_ARG", "3 axes", mp.tensordot, x, x, 3, None, None)
mp.fails("MNP_ERR_ARG", "square", mp.matrix_power, x, 2)
mp.fails("MNP_ERR_ARG", "the power is -1", mp.matrix_power, x[:5], -1)
mp.fails("MNP_ERR_ARG", "array 0 has 5 columns, and array 1 has 6 rows", mp.multi_dot, [x, x], 2)
mp.fails("MNP_ERR_ARG", "1 arrays", mp.multi_dot, [x], 1)
mp.fails("MNP_ERR_ARG", "operand 0 has one dimension", mp.matvec, x[0], x[0])
mp.fails("MNP_ERR_ARG", "at most 4", mp.kron, mp.array(np.ones((1,) * 5)), x)
mp.done()
