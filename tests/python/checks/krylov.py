# SPDX-License-Identifier: BSD-3-Clause
"""Files and operators of sparse matrices, and methods that are written in Python, beside SciPy's."""

import inspect
import os

import maniple as mp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from . import ok, raises, rng, same, scipy_since, shared_folder

linalg = mp.sparse.linalg


def _pair(m, n, dtype=float, density=0.3, rng=rng):
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
        again = linalg.eigs(B, 3, sigma=sigma, OPinv=inverse, return_eigenvectors=False)
        ok(abs(again[:, None] - wanted).min(axis=1).max() < 1e-7 * n, "those of matrices of SciPy's and NumPy's")
    eye = mp.sparse.eye_array(9)
    ok(np.allclose(linalg.eigs(eye, 3, return_eigenvectors=False), 1), "of the identity, whose spaces are invariant")
    raises(ValueError, "eig() has all", "too many", lambda: linalg.eigs(eye, 8))
    raises(ValueError, "none of LM", "another order", lambda: linalg.eigs(eye, 2, which="XX"))
    raises(ValueError, "together", "sigma alone", lambda: linalg.eigs(eye, 2, sigma=1.0))
    raises(np.linalg.LinAlgError, "not converged", "too few iterations", lambda: linalg.eigs(A, 4, maxiter=1, ncv=6))


def _line(n):
    """A matrix of three diagonals that is not symmetric, and one that is, well conditioned."""
    a = scipy.sparse.diags([-1.0, 2.5, -1.2], offsets=[-1, 0, 1], shape=(n, n)).tocsr()
    return a, (a + a.T).tocsr() / 2


# What all versions of SciPy are called with, whose signature of 1.18 is compared below
SIGNATURES = {
    "cg": "A b x0 * rtol atol maxiter M callback", "cgs": "A b x0 * rtol atol maxiter M callback",
    "bicgstab": "A b x0 * rtol atol maxiter M callback",
    "bicg": "A b x0 * rtol atol maxiter M callback", "qmr": "A b x0 * rtol atol maxiter M1 M2 callback",
    "tfqmr": "A b x0 * rtol atol maxiter M callback show",
    "gmres": "A b x0 * rtol atol restart maxiter M callback callback_type",
    "minres": "A b x0 * rtol shift maxiter M callback show check",
    "lsqr": "A b damp atol btol conlim iter_lim show calc_var x0", "lsmr": "A b damp atol btol conlim maxiter show x0",
    "expm_multiply": "A B start stop num endpoint traceA",
}


def check_signatures_of_solvers():
    """The arguments of SciPy's solvers, their order and defaults, as 1.18 has them; ours are given by name."""
    for name, words in SIGNATURES.items():
        parameters = inspect.signature(getattr(linalg, name)).parameters.values()
        by_place, _, by_name = words.partition("*")
        places = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        others = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        ok(places == by_place.split(), f"{name}: arguments by place {places}")
        ok(others[: len(by_name.split())] == by_name.split(), f"{name}: arguments by name {others}")
        if scipy_since("1.18"):
            theirs = inspect.signature(getattr(scipy.sparse.linalg, name)).parameters
            ours = {p.name: p for p in parameters}
            wrong = [key for key, p in theirs.items()
                     if key not in ours or (p.kind, p.default) != (ours[key].kind, ours[key].default)]
            ok(not wrong, f"{name} is called as SciPy's: {wrong}")


def check_calls_of_solvers():
    """Calls that are written for SciPy: what is returned, after how many iterations, and what callbacks are given."""
    n, (a, s) = 40, _line(40)
    b, theirs = rng.standard_normal(n), scipy.sparse.linalg
    tolerance = {"rtol": 1e-9} if scipy_since("1.12") else {"tol": 1e-9}  # what it is called there
    for name, matrix in (("cg", s), ("cgs", a), ("bicgstab", a), ("minres", s), ("gmres", a), ("tfqmr", a)):
        solve, A = getattr(linalg, name), mp.sparse.csr_array(matrix)  # noqa: N806
        x, info = solve(A, b, rtol=1e-9)
        want, info_of_theirs = getattr(theirs, name)(matrix, b, **tolerance)
        same(f"{name}: x", x, want, 1e-6)
        ok(info == info_of_theirs == 0, f"{name}: info")
        short = {"restart": 2} if name == "gmres" else {}
        ok(solve(A, b, maxiter=2, **short)[1] == 2, f"{name}: info of an iteration that is too short")
        rest = np.linalg.norm(matrix @ solve(A, b, rtol=0, atol=1e-3)[0].numpy() - b)
        ok(1e-9 < rest <= 1e-3, f"{name}: rtol=0, and the residual {rest:.1e}")
        ok(solve(A, b[:, None])[0].shape == (n,), f"{name}: of one column")
        same(f"{name} from x0='Mb'", solve(A, b, "Mb", rtol=1e-9)[0], want, 1e-6)
        same(f"{name} of a matrix of NumPy's", solve(matrix.toarray(), b, rtol=1e-9, M=np.eye(n) / 2.5)[0], want, 1e-6)
        one = scipy.sparse.identity(n).tocsr()
        same(f"{name} of a matrix of SciPy's", solve(matrix, b, rtol=1e-9, M=one)[0], want, 1e-6)
        several = np.stack([b, 2 * b, 0 * b], 1)
        same(f"{name} of three columns", solve(A, several, rtol=1e-9)[0], np.stack([want, 2 * want, 0 * want], 1), 1e-6)
        seen, seen_there = [], []
        solve(A, b, maxiter=3, callback=lambda x: seen.append(np.shape(x)))  # noqa: B023
        getattr(theirs, name)(matrix, b, maxiter=3, callback=lambda x: seen_there.append(np.shape(x)))  # noqa: B023
        ok(seen == seen_there, f"{name}: what is called after each iteration: {seen} {seen_there}")
        ok(solve(A, b, maxiter=0, x0=b)[0].numpy().tolist() == b.tolist(), f"{name}: no iterations")
        for guess in (np.ones(n, int), [1] * n, np.ones(n, "float32"), np.ones((n, 1))):
            same(f"{name} from another guess", solve(A, b, guess, rtol=1e-9)[0], want, 1e-6)
        raises(TypeError, "complex128", f"{name} from complex numbers", lambda: solve(A, b, b + 1j))  # noqa: B023
        jacobi = mp.sparse.linalg.Preconditioner(A, "jacobi")
        z, of_z = b + 1j * b[::-1], np.linalg.solve(matrix.toarray(), b + 1j * b[::-1])
        for M in (None, jacobi, lambda v: v / 2.5):  # noqa: N806
            for real in (A, matrix, linalg.aslinearoperator(A)):
                same(f"{name} of complex numbers for a real matrix", solve(real, z, M=M, rtol=1e-9)[0], of_z, 1e-6)
        for M in (None, jacobi, lambda v: v / 2.5):  # noqa: N806
            same(f"{name} of three columns from 'Mb'", solve(A, several, "Mb", M=M, rtol=1e-9)[0],
                 np.stack([want, 2 * want, 0 * want], 1), 1e-6)
    A = mp.sparse.csr_array(a)  # noqa: N806
    for kind in (None, "pr_norm", "x", "legacy"):
        for called in (True, False):
            seen, seen_there = [], []
            x, info = linalg.gmres(A, b, restart=3, maxiter=2, callback_type=kind,
                                   callback=seen.append if called else None)
            want, info_of_theirs = theirs.gmres(a, b, restart=3, maxiter=2, callback_type=kind,
                                                callback=seen_there.append if called else None)
            ok(info == info_of_theirs == 2, f"gmres, callback_type {kind}: info")
            if scipy_since("1.12"):  # those before count otherwise
                ok(len(seen) == len(seen_there), f"gmres, callback_type {kind}: {len(seen)} calls")
                same("and x", x, want, 1e-9)
                told = [np.asarray(v.numpy() if kind == "x" else v) for v in seen]
                same("what was told", np.array(told), np.array(seen_there), 1e-9)
    raises(ValueError, "none of 'legacy'", "another type", lambda: linalg.gmres(A, b, callback_type="y"))
    raises(ValueError, "'Mb'", "another text as a guess", lambda: linalg.cg(A, b, "b"))
    shifted, info = linalg.minres(mp.sparse.csr_array(s), b, shift=0.2, rtol=1e-10, check=True)
    same("minres with a shift", shifted, np.linalg.solve(s.toarray() - 0.2 * np.eye(n), b), 1e-7)
    op = linalg.aslinearoperator(mp.sparse.csr_array(s))
    same("of an operator", linalg.minres(op, b, shift=0.2, rtol=1e-10)[0], shifted.numpy(), 1e-7)
    raises(ValueError, "not symmetric", "minres of another matrix", lambda: linalg.minres(A, b, check=True))
    ok(linalg.cg(mp.sparse.csr_array(s), b, callback=lambda x: True)[1] == 1, "a callback ends the method")
    same("idr", linalg.idr(A, b, rtol=1e-10, restart=2)[0], np.linalg.solve(a.toarray(), b), 1e-7)
    raises(ValueError, "num is 0", "expm_multiply at no time", lambda: linalg.expm_multiply(A, b, 0, 1, 0))
    symmetric = s.toarray()
    every = np.linalg.eigvalsh(symmetric)
    same("eigsh of a matrix of NumPy's", linalg.eigsh(symmetric, 2, which="LA")[0], every[-2:], 1e-8)
    inverse = np.linalg.inv(symmetric - 2.5 * np.eye(n))
    same("nearest to a number", linalg.eigsh(symmetric, 2, sigma=2.5, OPinv=inverse)[0],
         np.sort(every[np.argsort(abs(every - 2.5))][:2]), 1e-8)
    same("lobpcg of matrices of NumPy's", np.sort(linalg.lobpcg(symmetric, rng.standard_normal((n, 3)), np.eye(n),
                                                                tol=1e-9, maxiter=300)[0]), every[-3:], 1e-6)
    times = scipy.sparse.linalg.expm_multiply(a / 5, b, 0.5, 2, 4, True)
    same("expm_multiply at times", linalg.expm_multiply(mp.sparse.csr_array(a / 5), b, 0.5, 2, 4, True), times, 1e-12)


def check_two_sided_methods():
    """bicg, qmr and tfqmr beside SciPy's: iterates, iterations, preconditioners and guesses."""
    n, theirs = 120, scipy.sparse.linalg
    real = scipy.sparse.diags([-1.3, 4, -0.7, -1, -1], offsets=[-1, 0, 1, 11, -11], shape=(n, n)).tocsr()
    tolerance = "rtol" if scipy_since("1.12") else "tol"
    for matrix in (real, (real + 1j * scipy.sparse.diags([0.5, -0.4], offsets=[2, -3], shape=(n, n))).tocsr()):
        fixed = np.random.default_rng(9)  # whether these methods break down no theory tells
        b, start = (v if matrix.dtype.kind == "f" else v + 1j * v[::-1] for v in fixed.standard_normal((2, n)))
        about = scipy.sparse.diags(1 / (matrix.diagonal() * (1 + np.arange(n) / n))).tocsr()
        exact, A, one = np.linalg.solve(matrix.toarray(), b), mp.sparse.csr_array(matrix), scipy.sparse.identity(n)  # noqa: N806
        for name in ("bicg", "qmr", "tfqmr"):
            for M in (None, about):  # noqa: N806
                for guess in (None, start):
                    there = {} if M is None else {"M": M}
                    here = there if name != "qmr" or M is None else {"M2": M}
                    if name == "qmr" and M is not None:
                        there = {"M1": theirs.aslinearoperator(one), "M2": theirs.aslinearoperator(M)}
                    told, told_there = [], []
                    x, info = getattr(linalg, name)(A, b, guess, rtol=1e-9, callback=lambda x: told.append(x.numpy()) and False, **here)
                    y, info_there = getattr(theirs, name)(matrix, b, guess, atol=0, callback=lambda x: told_there.append(x.copy()),
                                                          **{tolerance: 1e-9}, **there)
                    ok(info == info_there == 0 and abs(len(told) - len(told_there)) <= 2 + len(told) // 5,
                       f"{name}: {info} after {len(told)} iterations, {len(told_there)} of SciPy's")
                    same("the solution", x, exact, 1e-6)
                    if name != "tfqmr" or M is None:  # with it SciPy's solves another system
                        same("SciPy's", x, y, 1e-6)
                        same("the first iterates", np.array(told[:8]), np.array(told_there[:8]), 1e-7, 1)
                    limit = np.linalg.norm(b - matrix @ guess if name == "tfqmr" and guess is not None else b) * 1e-9
                    ok(np.linalg.norm(b - matrix @ x.numpy()) <= limit * 1.001, f"{name}: the residual that was asked for")
            ok(getattr(linalg, name)(A, 0 * b, start)[0].numpy().tolist() == [0] * n, f"{name}: a right-hand side of 0")
            ok(getattr(linalg, name)(A, b, maxiter=3)[1] == 3, f"{name}: a limit of iterations")
        halves = [scipy.sparse.diags(matrix.diagonal() ** -0.5).tocsr()] * 2
        x, info = linalg.qmr(A, b, M1=halves[0], M2=halves[1], rtol=1e-9)
        y = theirs.qmr(matrix, b, M1=theirs.aslinearoperator(halves[0]), M2=theirs.aslinearoperator(halves[1]), atol=0,
                       **{tolerance: 1e-9})[0]
        same("qmr with two preconditioners", (x, y), (exact, exact), 1e-6)
        same("with one from the left", linalg.qmr(A, b, M1=linalg.Preconditioner(A, "jacobi"), rtol=1e-9)[0], exact, 1e-6)
        for function in (linalg.bicg, lambda *given, M, **named: linalg.qmr(*given, M2=M, **named)):
            raises(mp.Error, "adjoint", "a function has no adjoint", lambda: function(A, b, M=lambda v: v / 4))  # noqa: B023
            both = linalg.LinearOperator((n, n), lambda v: v / (4 + 1j), lambda v: v / (4 - 1j), dtype=complex)
            same("an operator with one", function(A, b, M=both, rtol=1e-9)[0], exact.astype(complex), 1e-6)
    raises(TypeError, "no product", "two of which one is a Preconditioner", lambda: linalg.qmr(
        A, b, M1=linalg.Preconditioner(A, "jacobi"), M2=about))


def check_dtypes_of_systems():
    """Systems are solved in SciPy's type, as exactly as that allows, of matrices, operators and preconditioners alike."""
    n, (a, s) = 40, _line(40)
    values = rng.standard_normal(n)
    for name in ("cg", "bicgstab", "cgs", "gmres", "minres", "idr", "tfqmr"):
        solve, exact = getattr(linalg, name), s if name in ("cg", "minres") else a
        for dtype, right in (("float32", "float64"), ("float32", "complex64"), ("float32", "int64"), ("float32", "int8"),
                             ("float64", "float32"), ("complex64", "float64"), ("float64", "complex64")):
            matrix = exact.astype(dtype)
            A, b = mp.sparse.csr_array(matrix), (9 * values).astype(right)  # noqa: N806
            wide = scipy.sparse.linalg.cgs(matrix, b)[0].dtype  # minres is for real numbers there, and idr is not there
            rtol = 1e-5 if wide in (np.float32, np.complex64) else 1e-11
            want = np.linalg.solve(matrix.toarray().astype(complex), b)
            function = linalg.LinearOperator((n, n), lambda v: A @ v, lambda v: A.H @ v, dtype=dtype)  # noqa: B023
            half = linalg.LinearOperator((n, n), lambda v: v / 2, dtype="float32")
            for M in (None, linalg.Preconditioner(A, "jacobi"), half, lambda v: v / 2):  # noqa: N806
                for given in (A, matrix, function):
                    x, info = solve(given, b, M=M, rtol=rtol)
                    far = np.linalg.norm(x.numpy() - want) / np.linalg.norm(want)
                    ok(x.dtype == wide and info == 0 and far < 100 * rtol,
                       f"{name} of {dtype} and {right}: {x.dtype} {wide}, {info}, {far:.1e}")
        b, turned = values, exact / 2.5 if name in ("cg", "minres") else exact * np.exp(0.3j) / 2.5
        for real, wide in (("float32", "complex64"), ("float64", "complex128")):
            about = scipy.sparse.csr_array(scipy.sparse.identity(n) / turned[0, 0], dtype=wide)
            x, info = solve(exact.astype(real), b.astype(real), M=about, rtol=1e-5)
            far = np.linalg.norm(x.numpy() - np.linalg.solve(exact.toarray(), b)) / np.linalg.norm(b)
            ok(x.dtype == wide and info == 0 and far < 1e-3, f"{name} of {real} with a complex M: {x.dtype}, {info}, {far:.1e}")
    narrow = s.astype("float32")
    x, info = linalg.minres(mp.sparse.csr_array(narrow), values, shift=0.1, rtol=1e-12)
    same("minres of float32 and float64 with a shift", x,
         np.linalg.solve(narrow.toarray().astype(float) - 0.1 * np.eye(n), values), 1e-9)
    found, vectors = linalg.lobpcg(narrow, rng.standard_normal((n, 4)), M=linalg.Preconditioner(mp.sparse.csr_array(narrow), "jacobi"),
                                   tol=1e-9, maxiter=400)
    ok(vectors.dtype == float, "lobpcg of a matrix of float32 and vectors of float64")
    same("its values", np.sort(found), np.linalg.eigvalsh(narrow.toarray().astype(float))[-4:], 1e-9)


def check_lsqr():
    fixed = np.random.default_rng(4)  # as rounding may decide where a method stops
    for dtype in (float, complex):
        for m, n in ((30, 12), (12, 12), (9, 20)):
            A, B = _pair(m, n, dtype, 0.6, fixed)  # noqa: N806
            b = fixed.standard_normal(m).astype(dtype)
            for named in ({}, {"damp": 0.5, "calc_var": True}, {"iter_lim": 3}, {"atol": 1e-3, "btol": 1e-3},
                          {"conlim": 5}, {"x0": np.ones(n, dtype)}):
                got, want = linalg.lsqr(A, b, **named), scipy.sparse.linalg.lsqr(B, b, **named)
                name = f"lsqr of {m} x {n} {np.dtype(dtype).name}, {list(named)}"
                ok(len(got) == 10 and abs(got[2] - want[2]) <= 1 and got[1] == want[1],
                   f"{name}: {got[1:3]} {want[1:3]}")
                if got[2] == want[2] and got[2] <= 5:  # later ones have lost their orthogonality
                    same(name, *([np.asarray(v, float) for v in found[3:9]] for found in (got, want)), 1e-6, 1)
                same(f"{name}: x", got[0], want[0], 1e-2 if "atol" in named else 1e-4)
    A, B = _pair(9, 5)  # noqa: N806
    got = linalg.lsqr(A, np.zeros(9))
    ok(got[1:3] == (0, 0) and not got[0].numpy().any(), "lsqr of zeros")
    seen = []
    got = linalg.lsqr(A, np.ones(9), callback=lambda x: seen.append(x.shape) or len(seen) == 2)
    ok(got[2] == 2 and seen == [(5,), (5,)], "a callback of lsqr")
    raises(ZeroDivisionError, "", "a callback that raises", lambda: linalg.lsqr(A, np.ones(9), calc_var=True, callback=lambda x: 1 / 0))
    values = fixed.standard_normal(9) + 1j * fixed.standard_normal(9)
    for name in ("lsqr", "lsmr"):
        ours, theirs = getattr(linalg, name), getattr(scipy.sparse.linalg, name)
        right = np.linalg.lstsq(B.toarray(), values, rcond=None)[0]
        same(f"{name} of complex numbers for a real matrix", ours(A, values, atol=1e-12, btol=1e-12)[0], right, 1e-6)
        limit = {"iter_lim" if name == "lsqr" else "maxiter": 0}
        got, want = ours(A, values.real, **limit), theirs(B, values.real, **limit)
        same(f"{name} without iterations", got[1:8], np.array(want[1:8], float), 1e-9)
    for dtype in ("float32", "complex64"):
        A, B = _pair(20, 6, dtype, 0.8, fixed)  # noqa: N806
        for solve in (linalg.lsqr, linalg.lsmr):
            for b in (np.ones(20, "float32"), np.ones(20), np.ones(20, complex), np.ones(20, int)):
                wanted = np.result_type(dtype, b.dtype)
                tol, near = (1e-6, 1e-2) if wanted == np.dtype(dtype) else (1e-13, 1e-9)
                x = solve(A, b, atol=tol, btol=tol)[0]
                right = np.linalg.lstsq(B.toarray().astype(complex), b, rcond=None)[0]
                ok(x.dtype == wanted and np.allclose(x.numpy(), right, atol=near), f"{solve.__name__} of {dtype}, {b.dtype}")
            start = np.ones(6, complex) / 3
            x, y = (f(s, np.ones(20), atol=1e-13, btol=1e-13, x0=start)[0]
                    for f, s in ((solve, A), (getattr(scipy.sparse.linalg, solve.__name__), B)))
            ok(x.dtype == complex, f"{solve.__name__} of a complex guess")
            same("as SciPy", x, y, 1e-7)
