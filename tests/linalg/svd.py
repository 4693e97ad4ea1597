# SPDX-License-Identifier: BSD-3-Clause
"""Singular values and vectors of matrices that a rank has whole, beside numpy.linalg, in multiples of n eps: spectra of
all kinds, sizes around those where a GPU changes its method, batches that are cut over ranks, and what has no values.
"""

import maniple as mp
import numpy as np
import scipy.linalg as sl
from dense import close, draw, spectra

rng = mp.random()


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def wide(a):
    """In the wider type, where what is compared rounds no more."""
    return a.astype("complex128" if a.dtype.kind == "c" else "float64")


def check(name, a, full=False):
    """The bounds of LAPACK's methods; elements so small or large that their sums are no numbers are scaled before."""
    m, n = a.shape[-2:]
    k, e = min(m, n), 10 * max(m, n) * float(np.finfo(a.dtype).eps)
    x = spread(a)
    u, s, vh = (r.numpy() for r in mp.svd(x, full))
    mp.ok(u.dtype == vh.dtype == a.dtype and s.dtype == a.real.dtype and np.all(np.diff(s) <= 0) and np.all(s >= 0)
          and u.shape[-2:] == (m, m if full else k) and vh.shape[-2:] == (n if full else k, n),
          f"{name}: dtypes, shapes, order")
    most = np.max(np.abs(wide(a)))
    power = 0 if most == 0 else int(np.clip(-np.floor(np.log2(most)), -1000, 1000))
    a, s, alone, u, vh = np.ldexp(1.0, power) * wide(a), *(np.ldexp(1.0, power) * r.astype("float64") for r in (
        s, mp.svdvals(x).numpy())), wide(u), wide(vh)
    want = np.linalg.svd(a, compute_uv=False)
    norm = float(want.max())
    close(f"{name}: singular values", s, want, e * norm)
    close(f"{name}: values alone", alone, want, e * norm)
    close(f"{name}: u s vh", (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, e * norm)
    close(f"{name}: u is orthogonal", adjoint(u) @ u, np.broadcast_to(np.eye(u.shape[-1]), adjoint(u).shape[:-2]
                                                                       + (u.shape[-1],) * 2), e)
    close(f"{name}: vh is orthogonal", vh @ adjoint(vh), np.broadcast_to(np.eye(vh.shape[-2]), vh.shape[:-2]
                                                                         + (vh.shape[-2],) * 2), e)


def special(n, dtype):
    """Matrices that methods have failed on."""
    least = -30 if np.finfo(dtype).bits == 32 else -250
    scales, mild = np.logspace(0, least, n), np.logspace(0, -8, n)
    sine, cosine = np.sin(1.2), np.cos(1.2)
    own = draw(rng, (n, n), dtype)
    twice = own.copy()
    twice[:, 0], twice[:, -1] = 0, twice[:, n // 2]
    return {"Hilbert's": sl.hilbert(n), "Kahan's": np.diag(sine ** np.arange(n)) @ (np.eye(n) - cosine * np.triu(np.ones((n, n)), 1)),
            "zeros": np.zeros((n, n)), "ones": np.ones((n, n)), "the identity": np.eye(n), "nilpotent": np.eye(n, k=1),
            "a triangle of ones": np.tril(np.ones((n, n))), "Vandermonde's": np.vander(np.linspace(0.1, 1, n)),
            "of rank 3": draw(rng, (n, 3), dtype) @ draw(rng, (3, n), dtype), "zeros and two equal columns": twice,
            "graded columns": own * scales, "graded rows": own * scales[:, None], "rising": own * scales[::-1],
            "graded both ways": own * mild * mild[:, None], "orthogonal": np.linalg.qr(own)[0],
            "near the largest number": own * (np.finfo(dtype).max / 1e4),
            "denormal": own * (np.finfo(dtype).tiny / 100)}


DTYPES = mp.LAPACK_DTYPES
for dtype in DTYPES:
    for n in (5, 33) + ((64,) if mp.FULL else ()):
        for name, a in special(n, dtype).items():
            check(f"{dtype} {n}, {name}", a.astype(dtype), bool(rng.integers(2)))
    # a GPU's own method ends where two matrices, or of svdvals one, no longer fit into 227 KiB
    for shape in ((1, 1), (2, 1), (1, 3), (6, 2, 2), (40, 6, 5), (7, 3, 64, 64), (3, 90, 30), (3, 31, 100), (2, 500, 3),
                  (84, 84), (120, 120), (121, 119), (170, 170), (171, 169), (250, 230), (2, 180, 180), (2, 190, 170)):
        check(f"{dtype} {shape}", draw(rng, shape, dtype), bool(rng.integers(2)))
    for name, s in spectra(180):
        if name != "clustered":  # LAPACK's gesdd can leave vectors that are off by 1e5 eps
            q = [np.linalg.qr(draw(rng, (180, 180), dtype))[0] for i in range(2)]
            check(f"{dtype}, {name}", ((q[0] * s) @ q[1]).astype(dtype))
    for bad in (np.nan, np.inf, -np.inf):
        for shape, at in (((4, 3), (1, 2)), ((9, 12, 12), (7, 3, 3)), ((180, 180), (9, 9))):
            a = draw(rng, shape, dtype)
            a[at] = bad
            text = "the matrix has" if len(shape) == 2 else "matrix 7 of the batch has"
            mp.fails("MNP_ERR_LINALG", f"mnp_svd: {text} singular values that were not found", "svd", spread(a), True)
            mp.fails("MNP_ERR_LINALG", f"mnp_svdvals: {text} singular values", "svdvals", spread(a))

# one dimension of the batch is cut over ranks; others are views
a = draw(rng, (4, 3, 20, 12), "float32")
x = mp.array(a, mp.layout_parse(4, a.shape, "0, *, *, *"))
s = mp.svd(x, False)[1]
close("a cut batch", s, np.linalg.svd(a, compute_uv=False), 1e-4)
close("reversed and transposed", mp.svdvals(mp.transpose(x[::-1, :, ::-1], None)),
      np.linalg.svd(np.transpose(a[::-1, :, ::-1]), compute_uv=False), 1e-4)
for shape in ((0, 3), (3, 0), (0, 4, 4), (4, 0, 2), (2, 3, 0)):
    a = np.zeros(shape, "float32")
    for full in (False, True):
        shapes = [r.shape for r in mp.svd(spread(a), full)]
        want = [r.shape for r in np.linalg.svd(a, full)]
        mp.ok([tuple(s) for s in shapes] == want, f"{shape}, full={full}: shapes {shapes} are {want}")
mp.done()
