# SPDX-License-Identifier: BSD-3-Clause
"""QR factorisations of matrices that are cut, large, and not tall, by all ranks (lib/linalg/panels/panels_qr.c), beside
numpy.linalg: residuals and orthogonality in multiples of eps, all modes and dtypes, any layouts; least squares by them.
On one rank the same calls are done by LAPACK.
"""

import os

import maniple as mp
import numpy as np
from dense import close, cut, draw, spectra

rng = mp.random()
full = bool(os.environ.get("MANIPLE_TEST_FULL"))


def check(name, a, x):
    """The bounds of Householder's method: an error in each column of so many eps of its norm, for any matrix."""
    m, n = a.shape
    k, norm = min(m, n), float(np.max(np.linalg.norm(a, axis=0)))
    e = 4 * max(m, n) * np.finfo(a.dtype).eps
    for mode, columns in (("reduced", k), ("complete", m)):
        q, r = (v.numpy() for v in mp.qr(x, mode))
        mp.ok(q.dtype == a.dtype and r.dtype == a.dtype and q.shape == (m, columns) and r.shape == (columns, n)
              and not np.tril(r, -1).any(), f"{name}, {mode}: dtypes, shapes, a triangular r")
        close(f"{name}, {mode}: q r", q @ r, a, e * norm)
        close(f"{name}, {mode}: q is orthogonal", np.conj(q.T) @ q, np.eye(columns), e)
    alone = mp.qr(x, "r")[1].numpy()
    close(f"{name}: r alone", np.abs(alone), np.abs(r[:k]), e * norm)
    h, factors = (v.numpy() for v in mp.qr(x, "raw"))
    close(f"{name}: raw has r", np.abs(np.triu(h.T[:k])), np.abs(r[:k]), e * norm)
    mp.ok(factors.shape == (k,) and factors.dtype == a.dtype and np.all(np.abs(factors - 1) <= 1 + e),
          f"{name}: raw has a factor for each reflector")


for number, dtype in enumerate(("float32", "float64", "complex64", "complex128")):
    n, more = (int(v) for v in rng.integers(256, 330, 2))
    shapes = ((n, n), (n + more, n), (n, n + more))
    for m, k in shapes if full else (shapes[number % 3], shapes[(number + 1) % 3]):
        a = draw(rng, (m, k), dtype)
        check(f"{dtype} {m} x {k}", a, cut(rng, a))

n = 270
for name, s in spectra(n):
    a = (np.linalg.qr(rng.standard_normal((n, n)))[0] * s) @ np.linalg.qr(rng.standard_normal((n, n)))[0]
    check(name, a, cut(rng, a))
a = draw(rng, (300, 280), "float64")
a[:, 40:90] = 0
a[:, 200] = a[:, 3]
check("columns of zeros, and equal ones", a, cut(rng, a))
check("rows reversed, columns left out", a[::-1, 20:], cut(rng, a)[::-1, 20:])
check("on the last rank", a, mp.array(a, mp.layout_on_root(mp.size, mp.size - 1, 2, a.shape)))
for which in range(4):
    check(f"cut in way {which}", a, cut(rng, a, which))

# --- given outputs, integers, NaN, least squares ----------------------------------------------------------------------

i = rng.integers(-9, 9, (256, 290))
q, r = mp.qr(cut(rng, i), None, out=(mp.array(np.zeros((256, 256)), mp.random_layout(rng, (256, 256))),
                                     mp.array(np.zeros(i.shape), mp.random_layout(rng, i.shape))))
close("integers, into given arrays", q.numpy() @ r.numpy(), i, 1e-9)
a[7, 7] = np.nan
mp.ok(np.isnan(mp.qr(cut(rng, a), "r")[1].numpy()).any(), "NaN goes through")
m, n = 620, 290
for dtype in ("float64", "complex64"):
    a, b = draw(rng, (m, n), dtype), draw(rng, (m, 3), dtype)
    x, residuals, rank, s = mp.lstsq(cut(rng, a), cut(rng, b), -1.0)
    e = 100 * m * np.finfo(dtype).eps
    want = np.linalg.svd(a, compute_uv=False)
    mp.ok(rank == n, f"{dtype}: lstsq, full rank")
    close(f"{dtype}: lstsq, the residual is orthogonal to the columns", np.conj(a.T) @ (a @ x.numpy() - b),
          np.zeros((n, 3)), e * want[0] * float(np.linalg.norm(b)))
    close(f"{dtype}: lstsq, singular values", s, want, e * want[0])
mp.done()
