# SPDX-License-Identifier: BSD-3-Clause
"""Files and operators of sparse matrices, and methods that are written in Python, beside SciPy's."""

import os

import maniple as mp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from . import ok, raises, rng, same, shared_folder

linalg = mp.sparse.linalg


def _pair(m, n, dtype=float, density=0.3):
    a = rng.standard_normal((m, n)) * (rng.random((m, n)) < density)
    a = (a + 1j * rng.standard_normal((m, n)) * (a != 0) if np.dtype(dtype).kind == "c" else a).astype(dtype)
    return mp.sparse.csr_array(a), scipy.sparse.csr_array(a)


def check_files_of_matrices():
    folder = shared_folder()
    for dtype in ("float64", "float32", "complex128"):
        A, B = _pair(9, 6, dtype)
        for compressed in (True, False):
            path = os.path.join(folder, f"{dtype}{compressed}")
            mp.sparse.save_npz(path, A, compressed)
            mp.sparse.save_npz(path + "c.npz", A.tocsc(), compressed)
            for name, kind in ((path + ".npz", "csr"), (path + "c.npz", "csc")):
                found = scipy.sparse.load_npz(name)
                same(f"SciPy reads {kind} of {dtype}", found.toarray(), B.toarray())
                ok(found.format == kind and found.shape == (9, 6), "in its format")
        for kind in ("csr", "csc", "coo", "dia"):
            path = os.path.join(folder, f"{kind}{dtype}.npz")
            mp.comm.by_root(scipy.sparse.save_npz, path, B.asformat(kind))
            found = mp.sparse.load_npz(path)
            same(f"what SciPy has written of {kind}, {dtype}", found.toarray(), B.toarray())
            ok(found.format == kind and found.shape == (9, 6), "in its format")
    mp.comm.by_root(scipy.sparse.save_npz, path, scipy.sparse.bsr_array(B))
    raises(ValueError, "format 'bsr'", "another format", lambda: mp.sparse.load_npz(path))
    data, offsets = rng.standard_normal((3, 6)), [-1, 0, 2]
    same("dia_array", mp.sparse.dia_array((data, offsets), shape=(5, 6)).toarray(),
         scipy.sparse.dia_array((data, offsets), shape=(5, 6)).toarray())
    ok(mp.sparse.dia_array(A).format == "dia", "and of a matrix")


def check_algebra_of_operators():
    for dtype in (float, complex):
        (A, B), (C, D) = (_pair(7, 7, dtype) for _ in range(2))
        v, w = rng.standard_normal(7).astype(dtype), rng.standard_normal((7, 3)).astype(dtype)
        ours, theirs = linalg.aslinearoperator(A), scipy.sparse.linalg.aslinearoperator(B)
        more, others = linalg.aslinearoperator(C), scipy.sparse.linalg.aslinearoperator(D)
        for name, function in {
            "sum": lambda a, c: a + c, "difference": lambda a, c: a - c, "product": lambda a, c: a @ c, "multiple": lambda a, c: 2.5 * a,
            "another multiple": lambda a, c: a * 3, "negative": lambda a, c: -a, "power": lambda a, c: a**3,
            "power 0": lambda a, c: a**0, "mixed": lambda a, c: (2 * a - c @ a.H) * c,
        }.items():
            p, q = function(ours, more), function(theirs, others)
            ok(p.shape == q.shape and p.dtype == q.dtype, f"{name} of operators, {p.dtype}")
            same("its products", (p.matvec(v), p.rmatvec(v), p.matmat(w), p.rmatmat(w), p @ mp.asarray(w)),
                 (q.matvec(v), q.rmatvec(v), q.matmat(w), q.rmatmat(w), q @ w), 1e-12, 1)
    same("with a complex number", (1j * ours).matvec(v), 1j * (D * 0 + B) @ v, 1e-12, 1)
    same("with a matrix", (ours + C).matvec(v), (B + D) @ v, 1e-12, 1)
    tall, _ = _pair(5, 7)
    raises(ValueError, "no sum", "other shapes", lambda: ours + linalg.aslinearoperator(tall))
    raises(ValueError, "no product", "other shapes", lambda: ours @ linalg.aslinearoperator(tall))
    raises(ValueError, "no power", "no square", lambda: linalg.aslinearoperator(tall) ** 2)
    raises(AttributeError, "no direct solvers", "what is not there", lambda: linalg.spsolve)


def check_lsmr():
    for m, n in ((20, 8), (8, 20), (12, 12)):
        A, B = _pair(m, n, density=0.6)
        B = scipy.sparse.csr_array(B + scipy.sparse.eye(m, n) * 3)
        A, b = mp.sparse.csr_array(B), rng.standard_normal(m)
        for damp in (0.0, 0.5):
            ours = linalg.lsmr(A, mp.asarray(b), damp=damp, atol=1e-13, btol=1e-13, maxiter=400)
            whole = np.vstack([B.toarray(), damp * np.eye(n)]) if damp else B.toarray()
            right = np.linalg.lstsq(whole, np.concatenate([b, np.zeros(n)]) if damp else b, rcond=None)[0]
            same(f"lsmr of {m} x {n}, damp {damp}", ours[0], right, 1e-8, 1)
            ok(ours[1] in (1, 2, 4, 5) and ours[2] <= 400 and abs(ours[7] - np.linalg.norm(right)) < 1e-7, f"ends by {ours[1:3]}")
            theirs = scipy.sparse.linalg.lsmr(B, b, damp=damp, maxiter=3)
            three = linalg.lsmr(A, b, damp=damp, maxiter=3)
            same("after three steps", three[0], theirs[0], 1e-10, 1)
            ok(three[1:3] == theirs[1:3] and np.allclose(three[3:], theirs[3:], 1e-8), f"what is told of it: {three[1:]}")
        start = rng.standard_normal(n)
        same("lsmr from a start", linalg.lsmr(A, b, x0=start, maxiter=4)[0],
             scipy.sparse.linalg.lsmr(B, b, x0=start, maxiter=4)[0], 1e-10, 1)
    ok(linalg.lsmr(A, np.zeros(12))[1] == 0, "lsmr of zeros")
    C, D = _pair(9, 5, complex, 0.8)
    right = np.linalg.lstsq(D.toarray(), np.ones(9), rcond=None)[0]
    same("lsmr of complex numbers", linalg.lsmr(C, mp.ones(9, dtype=complex), atol=1e-13, btol=1e-13, maxiter=300)[0], right, 1e-6, 1)


def check_eigs():
    n = 40
    for dtype in (float, complex):
        A, B = _pair(n, n, dtype, 0.1)
        B = scipy.sparse.csr_array(B + scipy.sparse.diags(np.arange(n) * 1.0))
        A = mp.sparse.csr_array(B)
        every = np.linalg.eigvals(B.toarray())
        for which, order in (("LM", -abs(every)), ("SR", every.real)):
            values, vectors = linalg.eigs(A, 4, which=which)
            wanted = every[np.argsort(order, kind="stable")]
            near = abs(values[:, None] - wanted[None, :6]).min(axis=1).max()
            ok(values.dtype == complex and near < 1e-8 * abs(every).max(), f"eigs {which} of {np.dtype(dtype)}: {near:.1e}")
            left = np.abs(B @ vectors.numpy() - vectors.numpy() * values).max()
            ok(left < 1e-7 * abs(every).max() and np.allclose(np.linalg.norm(vectors.numpy(), axis=0), 1), f"vectors: {left:.1e}")
        sigma = 20.3
        inverse = np.linalg.inv(B.toarray() - sigma * np.eye(n))
        near = linalg.eigs(A, 3, sigma=sigma, OPinv=linalg.LinearOperator((n, n), lambda v: mp.asarray(inverse) @ v, dtype=dtype),
                           return_eigenvectors=False)
        wanted = every[np.argsort(abs(every - sigma))][:4]
        ok(abs(near[:, None] - wanted).min(axis=1).max() < 1e-7 * n, "those nearest to sigma")
    eye = mp.sparse.eye_array(9)
    ok(np.allclose(linalg.eigs(eye, 3, return_eigenvectors=False), 1), "of the identity, whose spaces are invariant")
    raises(ValueError, "eig() has all", "too many", lambda: linalg.eigs(eye, 8))
    raises(ValueError, "none of LM", "another order", lambda: linalg.eigs(eye, 2, which="XX"))
    raises(ValueError, "together", "sigma alone", lambda: linalg.eigs(eye, 2, sigma=1.0))
    raises(np.linalg.LinAlgError, "not converged", "too few iterations", lambda: linalg.eigs(A, 4, maxiter=1, ncv=6))
