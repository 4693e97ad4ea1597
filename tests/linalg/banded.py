# SPDX-License-Identifier: BSD-3-Clause
"""Banded and Toeplitz systems (lib/linalg/factors/banded.c, toeplitz.c) beside scipy.linalg: residuals in multiples of
n eps, all dtypes, vectors and matrices, any layouts, errors.
"""

import maniple as mp
import numpy as np
import scipy.linalg as sl
from dense import close, draw

rng = mp.random()


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def sides(n, dtype):
    return draw(rng, (n,), dtype), draw(rng, (n, 1), dtype), draw(rng, (n, int(rng.integers(2, 90))), dtype)


def dense_of(l, u, ab):  # noqa: E741
    n = ab.shape[1]
    return sum(np.diag(ab[u - k, max(k, 0):n + min(k, 0)], k) for k in range(-min(l, n - 1), min(u, n - 1) + 1))


for dtype in ("float32", "float64", "complex64", "complex128"):
    for n in (1, int(rng.integers(2, 60))):
        for below, above in ((0, 0), (1, 1), (3, 0), (0, 2), (int(rng.integers(0, 7)), int(rng.integers(0, 7)))):
            ab = draw(rng, (below + above + 1, n), dtype)
            if np.finfo(dtype).bits == 32:  # solutions of random systems grow exponentially, beyond float32's range
                diagonal = ab[above].copy()
                ab[above] = diagonal / np.abs(diagonal) * (1 + np.abs(ab).sum(0))
            a = dense_of(below, above, ab)
            low, up = sl.lu(a, permute_l=True)
            for b in sides(n, dtype):
                x = mp.solve_banded(below, above, spread(ab), spread(b)).numpy()
                # the residual is bounded by the factors, whose rows have so many elements, and the solution
                bound = 10 * (2 * below + above + 2) * float(np.finfo(dtype).eps)
                name = f"{dtype} {n}, {below} and {above} diagonals, b {b.shape}"
                mp.ok(x.dtype == np.dtype(dtype) and x.shape == b.shape, f"{name}: dtype, shape")
                close(f"{name}: solve_banded", a @ x, b, bound * float((np.abs(low) @ np.abs(up) @ np.abs(x)).max()))
        for lower in (False, True):
            for k in (0, 1, 3):
                ab = draw(rng, (k + 1, n), dtype)
                ab[0 if lower else k] = 4 * k + 2 + np.abs(ab[0 if lower else k])
                ab[(slice(1, None) if lower else slice(None, k))] /= 1 + np.abs(ab[(slice(1, None) if lower
                                                                                    else slice(None, k))])
                half = dense_of(*(k, 0) if lower else (0, k), ab)
                a = half + np.conj(half.T) - np.diag(np.diag(half).real)
                for b in sides(n, dtype):
                    x = mp.solveh_banded(spread(ab), spread(b), lower).numpy()
                    close(f"{dtype} {n}, {k} diagonals, lower={lower}, b {b.shape}: solveh_banded", a @ x, b,
                          50 * (k + 1) * float(np.finfo(dtype).eps) * (1 + float(np.abs(b).max()) * (4 * k + 6)))
        c, r = draw(rng, (n,), dtype), draw(rng, (n,), dtype)
        c[0] = 4 * n  # diagonally dominant, so that all leading minors are far from 0
        for row in (r, None):
            a = sl.toeplitz(c, row)
            for b in sides(n, dtype):
                x = mp.solve_toeplitz(spread(c), None if row is None else spread(row), spread(b)).numpy()
                mp.ok(x.dtype == np.dtype(dtype) and x.shape == b.shape, f"{dtype} {n}: solve_toeplitz, dtype, shape")
                close(f"{dtype} {n}, b {b.shape}: solve_toeplitz", a @ x, b,
                      20 * n * float(np.finfo(dtype).eps) * (1 + float(np.abs(b).max())) * 4)

diagonals = np.array([[0, 1, 1], [4, 4, 4], [1, 1, 0]])
close("integers", mp.solve_banded(1, 1, spread(diagonals), spread(np.array([5, 6, 5]))), np.ones(3), 1e-15)
close("float32 and complex128", mp.solve_toeplitz(spread(np.array([2, 1], "float32")), None, spread(np.array([3, 3j]))),
      np.linalg.solve([[2, 1], [1, 2]], [3, 3j]), 1e-15)
x = mp.array(np.zeros((3, 2)), mp.random_layout(rng, (3, 2)))
close("into a given array", mp.solve_banded(0, 0, spread(np.full((1, 3), 2.0)), spread(np.ones((3, 2))), out=x),
      np.full((3, 2), 0.5), 0)
mp.ok(mp.solve_banded(1, 1, mp.array(np.zeros((3, 0))), mp.array(np.zeros((0, 2)))).shape == (0, 2), "no rows")
mp.ok(mp.solve_toeplitz(mp.array(np.zeros(0)), None, mp.array(np.zeros(0))).shape == (0,), "no elements")
mp.ok(mp.solve_banded(0, 0, spread(np.ones((1, 4))), spread(np.ones((4, 0)))).shape == (4, 0), "no right-hand sides")
mp.fails("MNP_ERR_LINALG", "is singular: pivot 2 is 0", "solve_banded", 0, 0, spread(np.array([[1.0, 0, 1]])),
         spread(np.ones(3)))
mp.fails("MNP_ERR_LINALG", "leading minor of order 3 is not positive", "solveh_banded",
         spread(np.array([[1.0, 1, -1]])), spread(np.ones(3)), True)
mp.fails("MNP_ERR_LINALG", "the leading minor of order 2 is 0", "solve_toeplitz", spread(np.ones(4)), None,
         spread(np.ones(4)))
mp.fails("MNP_ERR_LINALG", "the leading minor of order 1 is 0", "solve_toeplitz", spread(np.zeros(4)), None,
         spread(np.ones(4)))
mp.fails("MNP_ERR_ARG", "ab has 3 rows, and l + u + 1 is 4", "solve_banded", 2, 1, spread(np.ones((3, 4))),
         spread(np.ones(4)))
mp.fails("MNP_ERR_ARG", "l and u are -1 and 1", "solve_banded", -1, 1, spread(np.ones((1, 4))), spread(np.ones(4)))
mp.fails("MNP_ERR_ARG", "b has 5 rows, and the matrix has 4", "solve_banded", 1, 1, spread(np.ones((3, 4))),
         spread(np.ones(5)))
mp.fails("MNP_ERR_ARG", "c has 4 elements, and r has 3", "solve_toeplitz", spread(np.ones(4)), spread(np.ones(3)),
         spread(np.ones(4)))
mp.fails("MNP_ERR_ARG", "neither a vector nor a matrix", "solveh_banded", spread(np.ones((1, 2))),
         spread(np.ones((2, 2, 2))), False)
mp.done()
