# SPDX-License-Identifier: BSD-3-Clause
"""Schur's decomposition and functions of matrices (lib/linalg/factors/schur.c, lib/linalg/functions) beside
scipy.linalg: residuals in multiples of n eps and of the condition, batches, any layouts, errors.
"""

import maniple as mp
import numpy as np
import scipy.linalg as sl
from dense import close, draw

rng = mp.random()


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def adjoint(a):
    return np.conj(np.swapaxes(a, -2, -1))


for dtype in ("float32", "float64", "complex64", "complex128"):
    wide = np.dtype("complex128")
    for n in (1, 2, int(rng.integers(3, 40))):
        a = draw(rng, (n, n), dtype)
        norm = float(np.linalg.norm(a))
        e = 20 * n * float(np.finfo(dtype).eps)
        for is_complex in (False, True):
            t, z = (v.numpy() for v in mp.schur(spread(a), is_complex))
            name = f"schur of {dtype} {n}, complex={is_complex}"
            mp.ok(t.dtype == z.dtype == (np.result_type(dtype, "complex64") if is_complex else a.dtype)
                  and not np.tril(t, -1 if t.dtype.kind == "c" else -2).any(), f"{name}: dtypes, a triangle of zeros")
            close(f"{name}: z t z^H", z @ t @ adjoint(z), a, e * norm)
            close(f"{name}: z is unitary", adjoint(z) @ z, np.eye(n), e)
        r = mp.sqrtm(spread(a)).numpy()
        mp.ok(r.dtype.kind == "c" and r.real.dtype == a.real.dtype, f"sqrtm of {dtype} {n}: always complex")
        # the residual of the computed root is n eps times the square of its norm (Bjorck and Hammarling)
        close(f"sqrtm of {dtype} {n}", r.astype(wide) @ r.astype(wide), a, e * (1 + float(np.linalg.norm(r)) ** 2))
        mp.ok(np.linalg.eigvals(r).real.min() >= -e * (1 + np.linalg.norm(r)) ** 2 * 100,
              f"sqrtm of {dtype} {n}: the principal one")
        h = (a @ adjoint(a) / n + np.eye(n)).astype(dtype)  # a logarithm of norm below log(5 + sqrt(n))
        log = mp.logm(spread(h)).numpy()
        close(f"logm of {dtype} {n}", sl.expm(log.astype(wide)), h, 10 * e * float(np.linalg.norm(h)))
        close(f"logm of {dtype} {n}, beside SciPy", log, sl.logm(h.astype(wide)), 10 * e * float(np.linalg.norm(h)))
        small = (a / (1 + np.linalg.norm(a)) * 2).astype(dtype)  # of norm below 2: cosh(2) and 1 / cos(2) bound all
        for function in ("cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"):
            want = getattr(sl, function)(small.astype(wide if small.dtype.kind == "c" else "float64"))
            got = getattr(mp, function)(spread(small))
            mp.ok(got.dtype == small.dtype, f"{function} of {dtype} {n}: dtype")
            scale = 1 + float(np.abs(want).max()) ** 2 + float(np.linalg.cond(
                sl.cosm(small) if function == "tanm" else sl.coshm(small)))
            close(f"{function} of {dtype} {n}", got, want, 10 * e * scale)

batch = draw(rng, (3, 2, 5, 5), "float64")
for name, x in ("cut along the batch", mp.array(batch, mp.layout_parse(4, batch.shape, "0, *, *, *"))), \
        ("in any layout", spread(batch)):
    t, z = (v.numpy() for v in mp.schur(x, False))
    close(f"schur of a batch {name}", z @ t @ adjoint(z), batch, 1e-12)
    r = mp.sqrtm(x).numpy()
    close(f"sqrtm of a batch {name}", r @ r, batch, 1e-11)
rotation = np.array([[0.0, -1.5], [1.5, 0.0]])
close("logm of a rotation", mp.logm(spread(sl.expm(rotation))), rotation, 1e-14)
close("logm of -1", mp.logm(spread(-np.eye(3))), 1j * np.pi * np.eye(3), 1e-14)
jordan = np.eye(6) + np.eye(6, k=1)  # log(I + N) = N - N^2 / 2 + ...
want = sum((-1) ** (k + 1) / k * np.eye(6, k=k) for k in range(1, 6))
close("logm of a Jordan block", mp.logm(spread(jordan)), want, 1e-13)
wide_range = np.diag(np.geomspace(1e-9, 1e9, 7)) + np.triu(np.ones((7, 7)), 1)
close("logm over 18 decades: the diagonal", np.diag(mp.logm(spread(wide_range)).numpy()),
      np.log(np.diag(wide_range)), 1e-12)
close("sqrtm of zeros", mp.sqrtm(spread(np.zeros((4, 4)))), np.zeros((4, 4)), 0)
nilpotent = np.array([[0.0, 1.0], [0.0, 0.0]])
mp.ok(not np.isfinite(mp.sqrtm(spread(nilpotent)).numpy()).all(), "a matrix without a square root")
close("integers", mp.sqrtm(spread(np.array([[33, 24], [48, 57]]))), [[5, 2], [4, 7]], 1e-13)
for function in ("sqrtm", "logm", "cosm", "tanhm"):
    mp.ok(getattr(mp, function)(mp.array(np.zeros((0, 0)))).shape == (0, 0), f"{function} of no rows")
    mp.fails("MNP_ERR_ARG", "not square", function, spread(np.ones((2, 3))))
    mp.fails("MNP_ERR_ARG", f"mnp_{function}: the output", function, spread(np.eye(3)), out=mp.array(np.zeros((2, 3))))
mp.fails("MNP_ERR_LINALG", "the matrix is singular: eigenvalue 1 is 0", "logm", spread(np.zeros((2, 2))))
mp.fails("MNP_ERR_LINALG", "matrix 1 of the batch is singular: eigenvalue 2 is 0", "logm",
         spread(np.array([np.eye(2), [[1.0, 0], [0, 0]]])))
mp.fails("MNP_ERR_ARG", "not square", "schur", spread(np.ones((2, 3))), False)
mp.done()
