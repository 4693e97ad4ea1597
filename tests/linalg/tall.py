# SPDX-License-Identifier: BSD-3-Clause
"""Tall matrices (lib/linalg/tall/tall.c): qr, svd and svdvals beside numpy.linalg, for rows and columns that are cut or not,
well and badly conditioned and rank-deficient matrices, all dtypes; and lstsq.
"""

import maniple as mp
import numpy as np
from dense import close

rng = mp.random()


def draw(shape, dtype):
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)


def check(name, a, x):
    """Householder's bounds, whatever the condition."""
    m, n = a.shape
    norm = float(np.linalg.norm(a.astype("complex128")))
    e = 20 * n * np.finfo(a.dtype).eps * np.log2(m)
    q, r = mp.qr(x, None)
    q, r = q.numpy(), r.numpy()
    mp.ok(q.dtype == a.dtype and r.dtype == a.dtype and not np.tril(r, -1).any(), f"{name}: dtypes, a triangular r")
    close(f"{name}: qr", q @ r, a, e * norm)
    close(f"{name}: q is orthogonal", np.conj(q.T) @ q, np.eye(n), e)
    close(f"{name}: r alone", np.abs(np.diag(mp.qr(x, "r")[1].numpy())), np.abs(np.diag(r)), e * norm)
    u, s, vh = (v.numpy() for v in mp.svd(x, False))
    close(f"{name}: svd", (u * s) @ vh, a, e * norm)
    close(f"{name}: u is orthogonal", np.conj(u.T) @ u, np.eye(n), e)
    close(f"{name}: vh is orthogonal", vh @ np.conj(vh.T), np.eye(n), e)
    want = np.linalg.svd(a, compute_uv=False)
    close(f"{name}: singular values", s, want, e * norm)
    close(f"{name}: svdvals", mp.svdvals(x), want, e * norm)


for dtype in mp.LAPACK_DTYPES:
    for m, n in ((512, 1), (1031, 17), (2000, 64)):
        a = draw((m, n), dtype)
        for text in ("0, *", "*, 0", "*, *", None):
            layout = mp.layout_parse(2, a.shape, text) if text else mp.random_layout(rng, a.shape)
            check(f"{dtype} {m} x {n}, layout {text}", a, mp.array(a, layout))
    m, n = 900, 20
    u, v = np.linalg.qr(draw((m, n), dtype))[0], np.linalg.qr(draw((n, n), dtype))[0]
    eps = np.finfo(dtype).eps
    for name, s in (("condition 1 / sqrt(eps)", np.geomspace(1, np.sqrt(eps), n)),
                    ("condition 1 / eps", np.geomspace(1, eps, n)), ("rank 5", np.arange(n) < 5),
                    ("large and small", np.geomspace(1e12, 1e-12, n)), ("zeros", np.zeros(n))):
        a = ((u * s) @ np.conj(v.T)).astype(dtype)
        for text in ("0, *", "*, *"):
            check(f"{dtype} {name}, layout {text}", a, mp.array(a, mp.layout_parse(2, a.shape, text)))

# each column's error is measured by that column, whatever the scales and the condition; on GPUs a product with the
# inverse of r does not hold this for nearly equal columns before others (lib/linalg/tall/tall_passes.c)


def check_columns(name, a, x):
    m, n = a.shape
    wide = a.astype("complex128")
    sizes = np.linalg.norm(wide, axis=0)
    e = 20 * n * np.finfo(a.dtype).eps * np.log2(m)
    q, r = (v.numpy().astype("complex128") for v in mp.qr(x, None))
    close(f"{name}: columns of qr", np.linalg.norm(wide - q @ r, axis=0) / np.where(sizes > 0, sizes, 1), 0 * sizes, e)
    close(f"{name}: q is orthogonal", np.conj(q.T) @ q, np.eye(n), e)


def nearly_equal(m, n, dtype, apart):
    a = draw((m, n), dtype)
    a[:, 1] = a[:, 0] + (apart * a[:, 1]).astype(dtype)
    return a


for dtype in mp.LAPACK_DTYPES:
    eps = float(np.finfo(dtype).eps)
    m, n = 1003, 33
    hilbert = (1 / (np.arange(m)[:, None] + np.arange(n) + 1)).astype(dtype)
    powers = np.vander(np.linspace(-1, 1, m), n).astype(dtype)
    for name, a in (("scaled columns", draw((m, n), dtype) * np.geomspace(1e12, 1e-12, n).astype(dtype)),
                    ("nearly equal columns", nearly_equal(m, n, dtype, 100 * eps**0.5)),
                    ("equal columns but for rounding", nearly_equal(m, n, dtype, 2 * eps)),
                    ("Hilbert's matrix", hilbert), ("powers", powers),
                    ("a column of zeros", draw((m, n), dtype) * (np.arange(n) != 5).astype(dtype)),
                    ("orthogonal columns", np.linalg.qr(draw((m, n), dtype))[0])):
        check_columns(f"{dtype} {name}", a, mp.array(a, mp.layout_parse(2, a.shape, "0, *")))

# every number of columns that GPUs have kernels for, and others; rows beyond whole tiles
for n in (*range(1, 71), 128, 200):
    dtype = ("float64", "float32")[n % 5 == 0]
    a = draw((8 * max(n, 64) + n % 8, n), dtype)
    check_columns(f"{dtype} {n} columns", a, mp.array(a, mp.layout_parse(2, a.shape, "0, *")))

# least squares by such matrices: the residual is the least, and r as well as q took part
for dtype in mp.LAPACK_DTYPES:
    for n in (1, 20, 64):
        a, b = draw((1200, n), dtype), draw((1200, 3), dtype)
        want, residuals = np.linalg.lstsq(a, b, rcond=None)[:2]
        e = 200 * n * np.finfo(dtype).eps
        x = mp.array(a, mp.random_layout(rng, a.shape))
        for k in (0, 3):
            right, wanted = (b, want) if k else (b[:, 0], want[:, 0])
            got = mp.lstsq(x, mp.array(right, mp.random_layout(rng, right.shape)), -1)
            close(f"{dtype} {n} unknowns, {k} columns: lstsq", got[0], wanted, e)
            close(f"{dtype} {n} unknowns, {k} columns: residuals", got[1], residuals if k else residuals[:1],
                  e * float(np.max(residuals)))

# where Cholesky's method cannot serve, as its q would be far from orthogonal or there is none, reflectors of each rank's
# rows do
if mp.size > 1:
    m, n = 800, 16
    for name, s in (("condition 1e15", np.geomspace(1, 1e-15, n)), ("rank 7", np.arange(n) < 7)):
        u, v = np.linalg.qr(rng.standard_normal((m, n)))[0], np.linalg.qr(rng.standard_normal((n, n)))[0]
        a = (u * s) @ v.T
        try:
            once = a @ np.linalg.inv(np.linalg.cholesky(a.T @ a)).T
            off = np.linalg.norm(once.T @ once - np.eye(n))
        except np.linalg.LinAlgError:
            off = np.inf
        mp.ok(off > 0.05, f"{name}: one pass of Cholesky's method is off by {off:.1e}")
        x = mp.array(a, mp.layout_parse(2, a.shape, "0, *"))
        q = mp.qr(x, None)[0].numpy()
        close(f"{name}: q is orthogonal by reflectors", q.T @ q, np.eye(n), 100 * n * np.finfo(float).eps)
        close(f"{name}: q spans the columns", q @ (q.T @ a), a, 100 * n * np.finfo(float).eps)

# rows in uneven parts, of which some are empty or shorter than the matrix is wide
a = draw((700, 30), "float64")
layout = mp.Layout([mp.size], a.shape, [0, -1], [[0] + [5] * (mp.size - 1) + [700], None])
check("uneven parts", a, mp.array(a, layout))
a[:, 7] = a[:, 3]
check("uneven parts, columns that are equal", a, mp.array(a, layout))
check("a view", a[::-1, 2:], mp.array(a, layout)[::-1, 2:])
i = rng.integers(-9, 9, (600, 5))
close("integers", np.abs(mp.qr(mp.array(i), "r")[1].numpy()), np.abs(np.linalg.qr(i, "r")), 1e-11)
bad = a.copy()
bad[5, 5] = np.nan
try:
    got = mp.qr(mp.array(bad, layout), None)[1].numpy()
    mp.ok(np.isnan(got).any(), "NaN goes through qr")
except mp.Error as error:
    mp.ok(False, f"NaN goes through qr: {error}")
if mp.ctx_device_kind() == "host":
    mp.fails("MNP_ERR_LINALG", "did not converge", "svdvals", mp.array(bad, layout))
else:  # cuSOLVER's method for some shapes gives NaN instead
    try:
        mp.ok(np.isnan(mp.svdvals(mp.array(bad, layout)).numpy()).any(), "singular values of NaN are NaN")
    except mp.Error as error:
        mp.ok("did not converge" in str(error), "or none are found")
mp.done()
