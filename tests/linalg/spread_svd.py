# SPDX-License-Identifier: BSD-3-Clause
"""Singular values of matrices that are cut and large, by all ranks together (lib/linalg/factors/svd_spread.c), beside
numpy.linalg: residuals, orthogonality and values in multiples of n eps, for spectra of all kinds, all shapes and
dtypes, any layouts.  On one rank the same calls are done by LAPACK.
"""

import os

os.environ["MANIPLE_SPREAD_ROWS"] = "256"
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
from dense import close, cut, draw, spectra  # noqa: E402

rng = mp.random()


def check(name, a, x, full):
    """The bounds of LAPACK's methods."""
    m, n = a.shape
    k = min(m, n)
    want = np.linalg.svd(a.astype("complex128" if a.dtype.kind == "c" else "float64"), compute_uv=False)
    norm, e = float(want.max()), 10 * max(m, n) * float(np.finfo(a.dtype).eps)
    u, s, vh = (r.numpy() for r in mp.svd(x, full))
    mp.ok(u.dtype == vh.dtype == a.dtype and s.dtype == a.real.dtype and np.all(np.diff(s) <= 0) and np.all(s >= 0)
          and u.shape == (m, m if full else k) and vh.shape == (n if full else k, n), f"{name}: dtypes, shapes, order")
    close(f"{name}: singular values", s.astype("float64"), want, e * norm)
    close(f"{name}: u s vh", (u[:, :k] * s) @ vh[:k], a, e * norm)
    close(f"{name}: u is orthogonal", np.conj(u.T) @ u, np.eye(u.shape[1]), e)
    close(f"{name}: vh is orthogonal", vh @ np.conj(vh.T), np.eye(len(vh)), e)
    close(f"{name}: values alone", mp.svdvals(x).numpy().astype("float64"), want, e * norm)


for number, dtype in enumerate(("float32", "float64", "complex64", "complex128")):
    m, n = (int(v) for v in rng.integers(256, 320, 2))
    for shape in ((n, n), (m + 70, n), (n, m + 70))[number % 2:]:
        a = draw(rng, shape, dtype)
        check(f"{dtype} {shape}", a, cut(rng, a), bool(rng.integers(2)))

n = 257
for name, s in spectra(n):
    if mp.size == 1 and name == "clustered":  # LAPACK's gesdd alone can leave vectors that are off by 1e5 eps
        continue
    a = (np.linalg.qr(rng.standard_normal((n + 40, n)))[0] * s) @ np.linalg.qr(rng.standard_normal((n, n)))[0]
    check(name, a, cut(rng, a), False)
    check(f"{name}, square, full", a[:n], cut(rng, a[:n]), True)
a = draw(rng, (n, n + 5), "complex128")
a[40:90] = a[:, 40:90] = 0
check("rows and columns of zeros, wide", a, cut(rng, a), True)
check("bidiagonal", np.eye(n) + np.eye(n, k=1), cut(rng, np.eye(n) + np.eye(n, k=1)), False)
check("a view, reversed", a[::-1, ::-1], cut(rng, a)[::-1, ::-1], False)
check("on the last rank", a, mp.array(a, mp.layout_on_root(mp.size, mp.size - 1, 2, a.shape)), False)
for which in range(4):
    check(f"cut in way {which}", a, cut(rng, a, which), which > 1)
big = rng.standard_normal((n, n))
for exponent in (-1000, 990):
    s = mp.svdvals(cut(rng, np.ldexp(big, exponent))).numpy()
    close(f"times 2^{exponent}", np.ldexp(s, -exponent), np.linalg.svd(big, compute_uv=False), 1e-10)
i = rng.integers(-9, 9, (n, n))
s = np.linalg.svd(i, compute_uv=False)
out = mp.array(np.zeros(n), mp.random_layout(rng, (n,)))
close("integers, into a given array", mp.svdvals(cut(rng, i), out=out), s, 1e-10)
close("lstsq", i @ mp.lstsq(cut(rng, i), cut(rng, i[:, :3]), -1.0)[0].numpy(), i[:, :3], 1e-10 * s[0] / s[-1])
for bad in (np.nan, np.inf, -np.inf) if mp.ctx_device_kind() == "host" else ():
    a[7, 7] = bad
    x, square = cut(rng, a), cut(rng, a[:n, :n])
    for name in ("svdvals", "svd", "cond", "matrix_rank", "pinv", "polar", "null_space", "lstsq", "matrix_norm"):
        arguments = {"svd": (False,), "cond": (None,), "matrix_rank": (-1.0,), "pinv": (-1.0,), "polar": (False,),
                     "null_space": (-1.0,), "lstsq": (cut(rng, a[:, :3]), -1.0), "matrix_norm": ("2", False)}
        mp.fails("MNP_ERR_LINALG", "did not converge", name, x, *arguments.get(name, ()))
    for name in ("eig", "eigvals"):
        mp.fails("MNP_ERR_LINALG", "not found", name, square)
mp.done()
