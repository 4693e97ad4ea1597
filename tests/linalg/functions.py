# SPDX-License-Identifier: BSD-3-Clause
"""Schur's decomposition and functions of matrices (lib/linalg/cpu/schur.c, lib/linalg/functions) beside
scipy.linalg: residuals in multiples of n eps and of the condition, batches, any layouts, errors.
"""

import ctypes

import binding
import maniple as mp
import numpy as np
import scipy.linalg as sl
from dense import close, draw
from solving import APPLY

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
        # the root is computed in complex128, where its residual is n eps times the square of its norm (Bjorck and
        # Hammarling), and rounded to the dtype
        size = float(np.linalg.norm(r))
        units = 2 * float(np.finfo(dtype).eps) + 4 * n * float(np.finfo(wide).eps)
        close(f"sqrtm of {dtype} {n}", r.astype(wide) @ r.astype(wide), a, 2 * units * size ** 2)
        values, vectors = np.linalg.eig(r.astype(wide))  # by Bauer and Fike they are off by the vectors' condition
        mp.ok(values.real.min() >= -units * size * float(np.linalg.cond(vectors)), f"sqrtm of {dtype} {n}: the principal one")
        h = (a @ adjoint(a) / n + np.eye(n)).astype(dtype)  # its logarithm, of norm below log(5 + sqrt(n)), is as
        log = mp.logm(spread(h)).numpy()  # well-conditioned as its least eigenvalue, which is 1, and is rounded as well
        length = float(np.linalg.norm(log))
        close(f"logm of {dtype} {n}", sl.expm(log.astype(wide)), h, units * (1 + length) * float(np.linalg.norm(h)))
        close(f"logm of {dtype} {n}, beside SciPy", log, sl.logm(h.astype(wide)),
              units * length + 10 * n * float(np.finfo(wide).eps) * float(np.linalg.norm(h)))
        small = (a / (1 + np.linalg.norm(a)) * 2).astype(dtype)  # of norm below 2: cosh(2) bounds all but the tangents
        e = 2 * (n + 1) * float(np.finfo(dtype).eps) * np.cosh(2)  # of some products of matrices of at most that norm
        exact = small.astype(wide if small.dtype.kind == "c" else "float64")
        for function, even in (("cosm", None), ("sinm", None), ("tanm", "cosm"), ("coshm", None), ("sinhm", None),
                               ("tanhm", "coshm")):
            want = getattr(sl, function)(exact)
            got = getattr(mp, function)(spread(small))
            mp.ok(got.dtype == small.dtype, f"{function} of {dtype} {n}: dtype")
            # E T = O with errors of E and O, and of the solution
            inverse = 0 if not even else float(np.linalg.norm(np.linalg.inv(getattr(sl, even)(exact)), 2))
            scale = 1 if not even else inverse * (1 + float(np.linalg.norm(want, 2))) * (1 + np.cosh(2))
            close(f"{function} of {dtype} {n}", got, want, e * scale)



def funm(a, name):
    """mnp_funm() of a function of the library: the result and the estimate of its error."""

    def apply(argument, x, y):
        mp.copyto(ctypes.c_void_p(y), mp.call(name, ctypes.c_void_p(x)), 4)
        return 0

    function = APPLY(apply)
    return mp.funm(spread(a), ctypes.cast(function, ctypes.c_void_p), None)


for dtype in mp.LAPACK_DTYPES:
    n = int(rng.integers(1, 30))
    e = float(np.finfo(dtype).eps)
    a = draw(rng, (n, n), dtype)
    normal = ((a + adjoint(a)) / (4 * np.linalg.norm(a))).astype(dtype)  # of norm 1 / 2 at most, as are its eigenvalues
    got, error = funm(normal, "exp")
    mp.ok(got.dtype == np.result_type(dtype, "complex64"), f"funm of {dtype} {n}: always complex")
    # rounding of the matrix to Schur's form is n eps; exp is at most exp(1 / 2), and so are its differences
    close(f"funm of {dtype} {n}: exp", got, sl.expm(normal.astype("complex128")), 20 * n * e)
separated = np.diag(np.arange(1.0, 7)) + np.triu(np.full((6, 6), 0.25), 1)  # eigenvalues 1 to 6, which are well-conditioned
turn = np.linalg.qr(draw(rng, (2, 3, 6, 6), "complex128"))[0]
for a in (separated, turn[0, 0] @ separated @ adjoint(turn[0, 0]), turn @ separated @ adjoint(turn)):
    want = sl.expm(a)
    got, error = funm(a, "exp")
    close(f"funm of {a.shape}", got, want, 1e-12 * float(np.abs(want).max()))
    mp.ok(1e-16 < error < 1e-14, f"funm of {a.shape}: an error of {error:.1e}")
got, error = funm(np.diag([2.0, 2, 3]) + np.eye(3, k=1), "exp")
mp.ok(error == 1, "funm of a Jordan block: an error of 1")
got, error = funm(np.diag([2.0, 2, 3]), "square")
close("funm of equal eigenvalues without a Jordan block", got, np.diag([4.0, 4, 9]), 1e-14)
mp.ok(funm(np.zeros((0, 0)), "exp")[0].shape == (0, 0), "funm of no rows")
failing = APPLY(lambda argument, x, y: binding._lib.mnp_fail(4, b"a reason"))
mp.fails(binding._lib.mnp_status_name(4).decode(), "a reason", "funm", spread(np.eye(3)),
         ctypes.cast(failing, ctypes.c_void_p), None, own=True)
mp.fails("MNP_ERR_ARG", "not square", "funm", spread(np.ones((2, 3))), ctypes.cast(failing, ctypes.c_void_p), None)

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
# --- Hessenberg's form ------------------------------------------------------------------------------------------------

for dtype in mp.LAPACK_DTYPES:
    for shape in ((1, 1), (2, 2), (5, 5), (70, 70), (3, 6, 6), (2, 2, 1, 1)):
        a = draw(rng, shape, dtype)
        n, e = shape[-1], 100 * shape[-1] * float(np.finfo(dtype).eps)
        h, q = (v.numpy() for v in mp.hessenberg(spread(a)))
        name = f"hessenberg of {dtype} {shape}"
        mp.ok(h.dtype == q.dtype == a.dtype and not np.tril(h, -2).any(), f"{name}: zeros below")
        close(f"{name}: q h q^H", q @ h @ adjoint(q), a, e * np.abs(a).max() * n)
        close(f"{name}: q is unitary", adjoint(q) @ q, np.broadcast_to(np.eye(n), shape), e)
h, q = mp.hessenberg(spread(np.array([[2, 5, 8, 7], [5, 2, 2, 8], [7, 5, 6, 6], [5, 4, 4, 8]])))
want = sl.hessenberg(np.array([[2.0, 5, 8, 7], [5, 2, 2, 8], [7, 5, 6, 6], [5, 4, 4, 8]]), calc_q=True)
close("hessenberg as SciPy", h, want[0], 1e-12)
close("q as SciPy", q, want[1], 1e-12)
for shape in ((0, 0), (0, 3, 3)):
    mp.ok([v.shape for v in mp.hessenberg(spread(np.zeros(shape)))] == [shape] * 2, f"hessenberg of {shape}")
close("hessenberg of integers", np.abs(mp.hessenberg(spread(np.array([[1, 2], [3, 4]])))[0].numpy()), [[1, 2], [3, 4]], 1e-14)
mp.fails("MNP_ERR_ARG", "not square", "hessenberg", spread(np.ones((2, 3))))
mp.fails("MNP_ERR_ARG", "not square", "schur", spread(np.ones((2, 3))), False)
mp.done()
