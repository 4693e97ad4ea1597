# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that are cut and large enough to be factored by all ranks together (lib/linalg/panels/panels.c), beside
numpy.linalg and scipy.linalg: residuals in multiples of n eps, errors, all dtypes, any layouts.  On one rank the same
calls are done by LAPACK.
"""

import maniple as mp
import numpy as np
from dense import close

rng = mp.random()


def draw(shape, dtype):
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def cut(a, which=None):
    """By columns, by rows, in blocks; in uneven parts, some of which may be empty."""
    which = int(rng.integers(4)) if which is None else which
    text = ("0, *", "*, 0", "0, 1")[which % 3]
    return mp.array(a, mp.random_layout(rng, a.shape) if which == 3 else mp.layout_parse(2, a.shape, text))


def adjoint(a):
    return np.conj(a.T)


for dtype in mp.LAPACK_DTYPES:
    n = int(rng.integers(256, 420))
    e = 40 * n * np.finfo(dtype).eps
    a = draw((n, n), dtype)
    x = cut(a)
    norm = float(np.linalg.norm(a))
    # the residual of a solution is bounded by the factors and the solution, not by the condition of the matrix
    p, low, up = (r.numpy() for r in mp.lu(x))
    close(f"{dtype} {n}: lu", p @ low @ up, a, e * 4)
    mp.ok(np.abs(low).max() <= np.sqrt(2) + 1e-5 and not np.triu(low, 1).any() and not np.tril(up, -1).any(),
          f"{dtype}: partial pivoting, triangular factors")
    lu, piv = mp.lu_factor(x)
    low, up = np.tril(lu.numpy(), -1) + np.eye(n), np.triu(lu.numpy())
    order = np.arange(n)
    for i, other in enumerate(piv.numpy()):
        order[[i, other]] = order[[other, i]]
    close(f"{dtype}: lu_factor, the rows that it chose", low @ up, a[order], e * 4)
    for trans in (0, 1, 2):
        op = (a, a.T, adjoint(a))[trans]
        b = draw((n, int(rng.integers(1, 70))), dtype)
        got = mp.lu_solve(cut(lu.numpy()), piv, trans, cut(b)).numpy()
        close(f"{dtype}: lu_solve {trans}", op @ got, b, e * (1 + np.abs(got).max() * np.sqrt(n)))
    b, v = draw((n, 3), dtype), draw((n,), dtype)
    for name, right in ("matrix", b), ("vector", v):
        got = mp.linalg_solve(x, mp.array(right, mp.random_layout(rng, right.shape)), 0).numpy()
        close(f"{dtype}: solve, a {name}", a @ got, right, e * (1 + np.abs(got).max() * np.sqrt(n)))
    inverse = mp.inv(x).numpy()
    close(f"{dtype}: inv", a @ inverse, np.eye(n), e * norm * np.abs(inverse).max())
    sign, logarithm = mp.slogdet(x)
    want = np.linalg.slogdet(a.astype("complex128" if dtype.startswith("c") else "float64"))
    condition = norm * np.linalg.norm(inverse)
    close(f"{dtype}: slogdet, sign", sign, want[0], e * condition)
    close(f"{dtype}: slogdet", logarithm, want[1], e * condition + e * abs(want[1]))
    small = (a / np.exp(want[1] / n)).astype(dtype)
    close(f"{dtype}: det", mp.det(cut(small)), np.linalg.det(small.astype("complex128")), 2 * e * condition + e)

    h = (a @ adjoint(a) / n + np.eye(n)).astype(dtype)
    for upper in (False, True):
        other = np.triu(draw((n, n), dtype), 1)  # the triangle that is not read
        given = np.triu(h) + other.T if upper else np.tril(h) + other
        c = mp.cholesky(cut(given), upper).numpy()
        mp.ok(not (np.tril(c, -1) if upper else np.triu(c, 1)).any(), f"{dtype}: cholesky, a triangle of zeros")
        close(f"{dtype}: cholesky upper={upper}", adjoint(c) @ c if upper else c @ adjoint(c), h, e * 10)
        got = mp.cho_solve(cut(c), not upper, cut(b)).numpy()
        close(f"{dtype}: cho_solve upper={upper}", h @ got, b, e * 100)
        for trans in (0, 1, 2):
            op = (c, c.T, adjoint(c))[trans]
            got = mp.solve_triangular(cut(c), cut(b), trans, not upper, False).numpy()
            close(f"{dtype}: solve_triangular {upper} {trans}", op @ got, b, e * 100)
        unit = c / np.diag(c)[:, None] if upper else c / np.diag(c)
        got = mp.solve_triangular(cut(unit + 7 * np.eye(n, dtype=dtype)), cut(b), 0, not upper, True).numpy()
        close(f"{dtype}: solve_triangular, a diagonal of ones", unit @ got, b, e * 100 * (1 + np.abs(got).max()))
    close(f"{dtype}: solve, positive", h @ mp.linalg_solve(cut(h), cut(b), 1).numpy(), b, e * 100)

# --- matrices that are not square, on layouts of every kind -----------------------------------------------------------

for m, n in ((256, 300), (417, 256), (512, 512), (256, 700))[:4 if mp.FULL else 2]:
    a = draw((m, n), "float64")
    for which in range(4):
        p, low, up = (r.numpy() for r in mp.lu(cut(a, which)))
        close(f"lu of {m} x {n}, cut in way {which}", p @ low @ up, a, 160 * (m + n) * np.finfo(float).eps)

# --- given outputs, integers, views, one rank's matrix, in place ------------------------------------------------------

n = 260
a = rng.integers(-9, 9, (n, n)) + 30 * np.eye(n, dtype=int)
close("integers, into a given array", mp.inv(cut(a), out=mp.array(np.zeros((n, n), "complex128"),
                                                                 mp.random_layout(rng, (n, n)))),
      np.linalg.inv(a), 1e-8)
big = draw((2 * n, n + 5), "float64")
want = np.linalg.slogdet(big[::-2, 5:])
got = mp.slogdet(cut(big)[::-2, 5:])
close("a view: slogdet", got[1], want[1], 1e-8)
alone = mp.array(a.astype("float64"), mp.layout_on_root(mp.size, mp.size - 1, 2, a.shape))
close("on one rank", mp.linalg_solve(alone, cut(big[:n, :4]), 0), np.linalg.solve(a, big[:n, :4]), 1e-8)
given = cut(a.astype("float64"))
mp.inv(given, out=given)
close("in place", given, np.linalg.inv(a), 1e-8)

# --- errors, the same on all ranks ------------------------------------------------------------------------------------

for minor in (1, 150, n):
    h = 2.0 * np.eye(n)
    h[minor - 1, minor - 1] = -1
    words = f"its leading minor of order {minor} is not positive"
    mp.fails("MNP_ERR_LINALG", words, "cholesky", cut(h), False)
    mp.fails("MNP_ERR_LINALG", words, "cholesky", cut(h), True)
    mp.fails("MNP_ERR_LINALG", words, "linalg_solve", cut(h), cut(big[:n, :2]), 1)
    singular = np.diag(np.where(np.arange(1, n + 1) == minor, 0.0, 2.0))
    words = f"the matrix is singular: pivot {minor} is 0"
    mp.fails("MNP_ERR_LINALG", words, "inv", cut(singular))
    mp.fails("MNP_ERR_LINALG", words, "linalg_solve", cut(singular), mp.array(np.ones(n)), 0)
    mp.fails("MNP_ERR_LINALG", words, "solve_triangular", cut(singular), mp.array(np.ones(n)), 0, True, False)
    mp.check(f"det of a matrix that is singular at {minor}", mp.det(cut(singular)), np.float64(0))
mp.fails("MNP_ERR_ARG", "piv has the value 999", "lu_solve", cut(singular), mp.array(np.full(n, 999, "int32")), 0,
         mp.array(np.ones(n)))
close("and all go on working", mp.inv(cut(2.0 * np.eye(n))), np.eye(n) / 2, 1e-14)
mp.done()
