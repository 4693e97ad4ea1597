# SPDX-License-Identifier: BSD-3-Clause
"""Operators that are kernels over grids: products, adjoints and solutions, compared with NumPy, SciPy and matrices."""

import itertools

import matrices
import maniple as mp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from solving import kernel, solve, stencil

rng = mp.random()


def around(a, offset):
    """The elements of a at an offset from every point; 0 outside the grid."""
    moved = np.zeros_like(a)
    pairs = [(slice(max(-k, 0), min(n - k, n)), slice(max(k, 0), min(n + k, n))) for k, n in zip(offset, a.shape)]
    if all(to.start < to.stop for to, _ in pairs):
        moved[tuple(to for to, _ in pairs)] = a[tuple(of for _, of in pairs)]
    return moved


def reference(points, x, adjoint=False):
    """A x or A^H x for a stencil, which is a list of offsets and coefficients."""
    y = np.zeros_like(x)
    for offset, c in points:
        y += np.array(np.conj(c) if adjoint else c, x.dtype) * around(x, tuple(-k if adjoint else k for k in offset))
    return y


def vector(shape, dtype):
    return matrices.numbers(rng, int(np.prod(shape)), dtype).reshape(shape)


def spread(a):
    """The elements as a distributed vector, in a random layout."""
    return mp.array(a.ravel(), mp.random_layout(rng, (a.size,)))


def laplacian(ndim):
    """The stencil of minus the Laplacian, by second differences."""
    steps = [tuple(s if d == e else 0 for e in range(ndim)) for d in range(ndim) for s in (-1, 1)]
    return [((0,) * ndim, 2.0 * ndim)] + [(step, -1.0) for step in steps]


# ---- stencils: all dtypes, grids of all kinds ----
LOPSIDED = [((-1, 2), 0.5 - 1j), ((0, 0), 2 + 0.25j), ((3, 0), -1), ((0, -1), 1j)]
CORNERS = [(o, 26.0 if o == (0, 0, 0) else -1.0 - o[2]) for o in itertools.product((-1, 0, 1), repeat=3)]
# Every stencil on every grid has kernels of its own, whose compilation takes most of the time, and long that of many
# points: the last list and the stencils without another one are of the full tier
CASES = [
    ("float32", [((-3,), 2.0), ((0,), 1.5), ((1,), -0.75)], [(0,), (2,), (100,)], [(1,), (7,), (9001,)]),
    ("float64", laplacian(2), [], [(0, 3), (1, 1), (1, 30), (30, 1), (3, 2), (17, 40), (2, 9000), (90, 129)]),
    ("complex64", LOPSIDED, [(1, 1), (50, 2)], [(5, 0), (4, 3), (2, 50), (33, 31)]),
    ("float64", laplacian(3), [(1, 7, 1), (3, 3, 300)],
     [(1, 1, 1), (2, 0, 2), (5, 4, 3), (40, 3, 2), (21, 22, 66)]),
    ("complex128", CORNERS, [], [(1, 1, 2), (2, 3, 4), (9, 8, 7), (1, 12, 20)]),
    ("float32", [((0, 0, 0, 0), 8.0), ((1, 0, 0, -1), 1.0), ((0, -2, 1, 0), 2.0), ((-1, 0, 0, 0), 3.0)],
     [(2, 3, 1, 70)], [(1, 1, 1, 1), (3, 4, 2, 5)]),
]
for dtype, points, shapes, more in CASES:
    shapes = shapes + more if mp.FULL else shapes
    if not shapes:
        continue
    offsets, coefficients = [p[0] for p in points], [p[1] for p in points]
    for shape in shapes:
        name = f"{len(points)} points on {shape} {dtype}"
        op = stencil(dtype, shape, offsets, coefficients)
        for turn in range(2):  # the second call finds its kernels compiled
            x = vector(shape, dtype)
            matrices.close(f"{name}: A x", mp.operator_run(op, False, spread(x)), reference(points, x).ravel(), 60)
        matrices.close(f"{name}: A^H x", mp.operator_run(op, True, spread(x)), reference(points, x, True).ravel(), 60)
    flat = [k for offset in offsets for k in offset]
    made = matrices.Sparse(mp.csr_from_stencil(dtype, len(shape), list(shape), None, len(points), flat,
                                               np.array(coefficients, dtype)))
    matrices.close(f"{name}: the matrix has the same", mp.sparse_matmul(made, spread(x)), reference(points, x).ravel(),
                   60)
    del op, made
points, shape = laplacian(3), (130 * mp.size, 90, 91)  # so many that each thread of a GPU computes several
op = stencil("float64", shape, [p[0] for p in points], [p[1] for p in points])
x = np.arange(np.prod(shape), dtype="float64").reshape(shape) % 1009
matrices.close(f"many points: {shape}", mp.operator_run(op, False, mp.array(x.ravel())), reference(points, x).ravel(),
               60)
op = stencil("float64", (3, 4), [(5, 0), (0, 0), (0, 0)], [7.0, 1.0, 1.0])
x = vector((3, 4), "float64")
matrices.close("points outside are none, those given twice count twice", mp.operator_run(op, False, spread(x)),
               2 * x.ravel())
op = stencil("float64", (6,), [], [])
matrices.close("no points at all", mp.operator_run(op, False, mp.array(np.ones(6))), np.zeros(6))
op = stencil("complex64", (3,), [(0,)], [np.inf - 1j * np.nan])
got = mp.operator_run(op, False, mp.array(np.ones(3))).numpy()
mp.ok(not np.isfinite(got.real).any() and np.isnan(got.imag).all(), "coefficients that are no numbers")

# ---- boundaries: numpy.pad tells which point of the grid stands for one outside ----
MODES = [("MNP_BOUNDARY_FILL", None), ("MNP_BOUNDARY_WRAP", "wrap"), ("MNP_BOUNDARY_SYMM", "symmetric"),
         ("MNP_BOUNDARY_MIRROR", "reflect"), ("MNP_BOUNDARY_NEAREST", "edge")]


def neighbours(n, offset, mode):
    """For every index along a dimension that of its neighbour; -1 outside."""
    if mode is None:
        return np.array([i + offset if 0 <= i + offset < n else -1 for i in range(n)], int)
    margin = abs(offset)
    return np.pad(np.arange(n), margin, mode)[margin + offset:margin + offset + n] if n else np.zeros(0, int)


def bounded(shape, modes, offsets, coefficients):
    """The matrix of a stencil."""
    numbers, size = np.arange(int(np.prod(shape))).reshape(shape), int(np.prod(shape))
    total = scipy.sparse.coo_array((size, size), dtype=np.asarray(coefficients).dtype)
    for offset, c in zip(offsets, coefficients):
        lines = np.meshgrid(*[neighbours(n, k, m) for n, k, m in zip(shape, offset, modes)], indexing="ij")
        inside = np.all([line >= 0 for line in lines], axis=0)
        columns = np.ravel_multi_index([line[inside] for line in lines], shape) if inside.any() else np.zeros(0, int)
        total = total + scipy.sparse.coo_array((np.full(columns.size, c), (numbers[inside], columns)), (size, size))
    return total.tocsr()


def random_modes(ndim):
    picked = [MODES[int(k)] for k in rng.integers(0, len(MODES), ndim)]
    return [getattr(mp, name) for name, _ in picked], [mode for _, mode in picked]


def compare_bounded(dtype, shape, offsets, coefficients, boundaries, modes):
    name = f"{dtype} on {shape}, {modes}"
    want, x = bounded(shape, modes, offsets, coefficients), vector(shape, dtype)
    made = matrices.Sparse(mp.csr_from_stencil(dtype, len(shape), list(shape), boundaries, len(offsets),
                                               [k for offset in offsets for k in offset], coefficients))
    matrices.check(f"{name}: the matrix", made, want)
    op = stencil(dtype, shape, offsets, coefficients, boundaries)
    matrices.close(f"{name}: A x", mp.operator_run(op, False, spread(x)), want @ x.ravel(), 60)
    if all(mode in (None, "wrap") for mode in modes):
        matrices.close(f"{name}: A^H x", mp.operator_run(op, True, spread(x)), want.conj().T @ x.ravel(), 60)
    else:
        mp.fails("MNP_ERR_ARG", "adjoint", mp.operator_run, op, True, spread(x))


for boundary, mode in MODES[1:]:  # along one dimension, of which the offsets may be more than all
    for n in (1, 3, 40) if mp.FULL else (3,) if mode in ("wrap", "reflect") else ():
        offsets = [(0,), (-1,), (2,), (-5,)]
        compare_bounded("float64", (n,), offsets, np.arange(1.0, 5), [getattr(mp, boundary)], [mode])
periodic = [mp.MNP_BOUNDARY_WRAP] * 3, ["wrap"] * 3
mixed = [mp.MNP_BOUNDARY_SYMM, mp.MNP_BOUNDARY_NEAREST, mp.MNP_BOUNDARY_MIRROR], ["symmetric", "edge", "reflect"]
for shape in ((13, 9), (2, 3), (1, 30), (5, 0), (4, 5, 6)) if mp.FULL else ((13, 9), (4, 5, 6)):
    for given in (periodic, random_modes(3)) if mp.FULL else (periodic,) if shape == (13, 9) else (mixed,):
        boundaries, modes = (part[:len(shape)] for part in given)
        offsets = list({tuple(int(o) for o in rng.integers(-2, 3, len(shape))) for _ in range(7)})
        compare_bounded("complex64" if shape == (13, 9) else "float64", shape, offsets,
                        matrices.numbers(rng, len(offsets), "complex64" if shape == (13, 9) else "float64"), boundaries, modes)
shape, c = (23, 17), vector((23, 17), "float64")
for given in (periodic, random_modes(2)) if mp.FULL else (random_modes(2),):
    boundaries, modes = (part[:2] for part in given)
    op = kernel("float64", shape, (2, 1), "y = c(-2, 1) * x(1, -1) - i[0] * x(0, 0);", boundaries=boundaries, c=mp.array(c))
    x = vector(shape, "float64")
    moved = [bounded(shape, modes, [o], [1.0]) for o in ((-2, 1), (1, -1))]
    want = (moved[0] @ c.ravel()) * (moved[1] @ x.ravel()) - np.repeat(np.arange(23), 17) * x.ravel()
    matrices.close(f"a body, {modes}", mp.operator_run(op, False, spread(x)), want, 60)
mp.fails("MNP_ERR_ARG", "boundaries[1] is 5", stencil, "float64", (3, 4), [(0, 0)], [1.0], [0, 5])
mp.fails("MNP_ERR_ARG", "boundaries[0] is -1", mp.csr_from_stencil, "float64", 1, [3], [-1], 1, [0], np.ones(1))

# ---- bodies ----
DIFFUSION = """
const T here = k(0, 0);
for (int side = -1; side <= 1; side += 2) {
    y += (here + k(side, 0)) / 2 * (x(0, 0) - x(side, 0));
    y += (here + k(0, side)) / 2 * (x(0, 0) - x(0, side));
}
y += shift(0, 0) * x(0, 0);
"""


def diffusion(k, shift, x):
    y = shift * x
    for step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        y += (k + around(k, step)) / 2 * (x - around(x, step))
    return y


for shape in ((1, 1), (4, 3), (37, 29), (3, 2000)) if mp.FULL else ((37, 29),):
    k, shift = vector(shape, "float64") + 4, vector(shape, "float32")
    laid = mp.array(k, mp.random_layout(rng, shape))
    op = kernel("float64", shape, (1, 1), DIFFUSION, DIFFUSION, k=laid, shift=spread(shift))
    x = vector(shape, "float64")
    want = diffusion(k, shift.astype("float64"), x).ravel()
    matrices.close(f"coefficients that vary on {shape}", mp.operator_run(op, False, spread(x)), want, 60)
    laid[...] = 0.0
    matrices.close("they were copied; its adjoint", mp.operator_run(op, True, spread(x)), want, 60)
    del op, laid

shape = (4, 5, 6)
body = "if (i[0] == 0 || i[2] == n[2] - 1)\n    return;\ny = T(i[1]) * conj(x(0, 0, 0)) + c(0, 0, -1) * x(0, 1, -1);"
x, c = vector(shape, "complex64"), vector(shape, "complex64")
want = np.arange(5).reshape(1, 5, 1).astype("float32") * x.conj() + around(c, (0, 0, -1)) * around(x, (0, 1, -1))
want[0], want[:, :, -1] = 0, 0
op = kernel("complex64", shape, (0, 1, 1), body, c=mp.array(c))
matrices.close("a body knows where it is, and may return", mp.operator_run(op, False, spread(x)), want.ravel(), 9)
mp.fails("MNP_ERR_ARG", "adjoint", mp.operator_run, op, True, spread(x))
body = "for (int k = -2; k <= 2; k++)\n    y += x(k);"
x = vector((50,), "float64")
op = kernel("float64", (50,), (2,), body)
matrices.close("offsets may be computed", mp.operator_run(op, False, spread(x)), np.convolve(x, np.ones(5), "same"), 9)
op = kernel("float64", (50,), (1,), body)
mp.ok(np.isnan(mp.operator_run(op, False, spread(x)).numpy()).all(), "what is beyond reach is NaN")
op = kernel("float64", (6, 5), (2 ** 40, 0), "y = x(0, 0) + x(-5, 0);")
x = vector((6, 5), "float64")
matrices.close("reach may be more than there is", mp.operator_run(op, False, spread(x)),
               (x + around(x, (-5, 0))).ravel(), 3)

# ---- solvers ----
shape, points = (9, 8, 10), laplacian(3)
op = stencil("float64", shape, [p[0] for p in points], [p[1] for p in points])
b = vector(shape, "float64")


def far(op, x, want):
    return np.abs(x.numpy() - want).max() / np.abs(want).max()


line = [scipy.sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]) for n in shape]
eyes = [scipy.sparse.eye_array(n) for n in shape]
grid = sum(scipy.sparse.kron(scipy.sparse.kron(*[line[e] if e == d else eyes[e] for e in (0, 1)]),
                             line[2] if d == 2 else eyes[2]) for d in range(3)).tocsc()
want = scipy.sparse.linalg.spsolve(grid, b.ravel())
for solver in ("cg", "cg1", "minres", "gmres", "lsqr") if mp.FULL else ("lsqr",):
    x, result = solve(op, spread(b), solver, rtol=1e-11, restart=50, maxiter=4000)
    mp.ok(result.reason == "CONVERGED" and far(op, x, want) < 1e-7, f"{solver}: {result.reason} in {result.iterations}")
op = stencil("complex64", (20, 15), [p[0] for p in LOPSIDED], [p[1] * (4 if p[0] == (0, 0) else 1) for p in LOPSIDED])
b = vector((20, 15), "complex64")
for solver in ("bicgstab", "gmres", "lsqr") if mp.FULL else ("bicgstab",):
    x, result = solve(op, spread(b), solver, rtol=1e-5, maxiter=1000)
    got = reference([(o, c * (4 if o == (0, 0) else 1)) for o, c in LOPSIDED], x.numpy().reshape(20, 15))
    mp.ok(result.reason == "CONVERGED" and np.linalg.norm(got - b) < 1e-4 * np.linalg.norm(b), f"{solver}: complex")

# ---- errors ----
good = ("float64", (3, 4), (1, 1), "y = x(0, 0);")
mp.fails("MNP_ERR_ARG", "dtype is int32", kernel, "int32", *good[1:])
mp.fails("MNP_ERR_ARG", "ndim is 0", kernel, "float64", (), (), "y = x();")
mp.fails("MNP_ERR_ARG", "reach[1] is -1", kernel, "float64", (3, 4), (1, -1), good[3])
mp.fails("MNP_ERR_ARG", "body is NULL", kernel, "float64", (3, 4), (1, 1), None)
mp.fails("MNP_ERR_ARG", "-3", kernel, "float64", (-3, 4), (1, 1), good[3])
mp.fails("MNP_ERR_UNSUPPORTED", "shape[0] is 2000000000", kernel, "float64", (2000000000, 4), (1, 1), good[3])
mp.fails("MNP_ERR_ARG", "'n'", kernel, *good, n=mp.array(np.ones(12)))
mp.fails("MNP_ERR_ARG", "'mnp_c'", kernel, *good, mnp_c=mp.array(np.ones(12)))
mp.fails("MNP_ERR_ARG", "'1c'", kernel, *good, **{"1c": mp.array(np.ones(12))})
mp.fails("MNP_ERR_ARG", "array 'c' has neither", kernel, *good, c=mp.array(np.ones((4, 3))))
mp.fails("MNP_ERR_ARG", "complex", kernel, *good, c=mp.array(np.ones((3, 4)) * 1j))
mp.fails("MNP_ERR_ARG", "more than 16", kernel, *good, **{f"c{k}": mp.array(np.ones(12)) for k in range(17)})
mp.fails("MNP_ERR_COMPILE", ">    2 | y = undefined(0, 0);", kernel, *good[:3], "T sum = 0;\ny = undefined(0, 0);")
mp.fails("MNP_ERR_COMPILE", "one offset for every dimension", kernel, *good[:3], "y = x(0);")
mp.fails("MNP_ERR_COMPILE", "kernel adjoint body does not compile", kernel, *good, "y = x(0, 0")
mp.fails("MNP_ERR_ARG", "npoints is -1", mp.operator_from_stencil, "float64", 1, [3], None, -1, [0], np.ones(1))
op = kernel(*good)
mp.fails("MNP_ERR_ARG", "12 elements", mp.operator_run, op, False, mp.array(np.ones(11)))
mp.fails("MNP_ERR_ARG", "adjoint", solve, op, mp.array(np.ones(12)), "lsqr")
del op
matrices.done()
