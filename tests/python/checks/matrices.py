# SPDX-License-Identifier: BSD-3-Clause
"""Dense and sparse matrices."""

import operator
import warnings

import maniple as mp
import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from . import ok, pair, raises, rng, same


def check_sparse():
    n = 60
    matrix = scipy.sparse.diags([-np.ones(n - 1), 2.1 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1]).tocsr()
    A, (b, vector) = mp.sparse.csr_array(matrix), pair((n,))
    ok((A.shape, A.nnz, A.dtype, A.format) == ((n, n), matrix.nnz, np.dtype(float), "csr"), "what a matrix is")
    same(
        "products",
        (A @ b, A.T @ b, (A @ A).toarray(), (A + A - A).toarray(), A.diagonal()),
        (matrix @ vector, matrix.T @ vector, (matrix @ matrix).toarray(), matrix.toarray(), matrix.diagonal()),
        1e-12,
    )
    exact = scipy.sparse.linalg.spsolve(matrix.tocsc(), vector)
    precond = mp.sparse.linalg.Preconditioner(A, "jacobi")
    for name in ("cg", "bicgstab", "gmres"):
        x, info = getattr(mp.sparse.linalg, name)(A, b, rtol=1e-12, M=precond, maxiter=1000)
        same(f"{name} converges", (x, np.array(info)), (exact, np.array(0)), 1e-9)
    seen = []
    op = mp.sparse.linalg.LinearOperator((n, n), lambda v: A @ v)
    x, info = mp.sparse.linalg.cg(op, b, rtol=1e-12, callback=lambda v: seen.append(v))
    same("an operator and a callback of Python", x, exact, 1e-9)
    ok(info == 0 and seen, "the callback was called")
    about = mp.sparse.csr_array(scipy.sparse.eye(n).tocsr() / 2.1)
    for kind, M in (("a function", lambda r: r / 2.1), ("a matrix", about),  # noqa: N806
                    ("an operator", mp.sparse.linalg.LinearOperator((n, n), lambda r: r / 2.1))):
        for name in ("cg", "gmres", "bicgstab"):
            x = getattr(mp.sparse.linalg, name)(A, b, rtol=1e-12, M=M, maxiter=1000)[0]
            same(f"{name} with {kind} as M", x, exact, 1e-9)
    start = mp.random.default_rng(3).normal(size=(n, 2))
    got = mp.sparse.linalg.lobpcg(A, start, M=lambda r: r / 2.1, tol=1e-10, maxiter=500)[0]
    same("lobpcg with a function as M", np.sort(got), np.linalg.eigvalsh(matrix.toarray())[-2:], 1e-6)
    raises(TypeError, "must be a Preconditioner", "M that is none", lambda: mp.sparse.linalg.cg(A, b, M="jacobi"))
    raises(mp.Error, "ZeroDivisionError", "an error in M", lambda: mp.sparse.linalg.cg(A, b, M=lambda r: 1 / 0))
    skew = scipy.sparse.random(n, n - 7, 0.1, random_state=1).tocsr() * (1 - 2j)
    turned = mp.sparse.linalg.LinearOperator(mp.sparse.csr_array(skew))
    same("T and H of an operator", (turned.T @ b.astype(complex), turned.H @ b.astype(complex), turned.T.T.shape),
         (skew.T @ vector.astype(complex), skew.conj().T @ vector.astype(complex), skew.shape), 1e-12)
    raises(
        mp.Error,
        "ZeroDivisionError",
        "an error in an operator of Python",
        lambda: mp.sparse.linalg.cg(mp.sparse.linalg.LinearOperator((n, n), lambda v: 1 / 0), b),
    )
    values, vectors = mp.sparse.linalg.eigsh(A, 3, which="LA")
    same("tocsr", A.asformat("coo").tocsr().toarray(), matrix.toarray())
    every = np.linalg.eigvalsh(matrix.toarray())
    same("eigsh", values, np.sort(every)[-3:], 1e-9)
    near = (every[4] + every[5]) / 2 + 0.01
    wanted = np.sort(every[np.argsort(abs(every - near))[:2]])
    same("eigsh near sigma", mp.sparse.linalg.eigsh(A, 2, sigma=near, return_eigenvectors=False), wanted, 1e-8)
    inverse_matrix = mp.array(np.linalg.inv(matrix.toarray() - near * np.eye(len(every))))
    inverse = mp.sparse.linalg.LinearOperator(A.shape, lambda x: inverse_matrix @ x)
    same("with an inverse", mp.sparse.linalg.eigsh(A, 2, sigma=near, OPinv=inverse)[0], wanted, 1e-8)
    A.free()


def check_linalg():
    """What scipy.linalg has beside numpy.linalg, by its own calls."""
    a, b = rng.standard_normal((6, 6)) + 6 * np.eye(6), rng.standard_normal((6, 2))
    x, y = mp.array(a), mp.array(b)
    for name in ("cosm", "sinm", "tanm", "coshm", "sinhm"):
        same(name, getattr(mp.linalg, name)(x / 6), getattr(scipy.linalg, name)(a / 6), 1e-11)
    same("lu", (*mp.linalg.lu(x), *mp.linalg.lu(x, permute_l=True)),
         (*scipy.linalg.lu(a), *scipy.linalg.lu(a, permute_l=True)), 1e-12)
    for kind in ("sym", "her", None):
        got = mp.linalg.solve(x + x.T, x[0], assume_a=kind)
        same(f"solve of a matrix that is {kind}", got, np.linalg.solve(a + a.T, a[0]), 1e-10)
    for name, got, want in zip(("lu", "d", "perm"), mp.linalg.ldl(h := a + a.T), scipy.linalg.ldl(h)):
        same(f"ldl, {name}", got, want, 1e-10)
    same("funm", mp.linalg.funm(h / 6, np.exp), scipy.linalg.expm(h / 6).astype(complex), 1e-11)
    raises(ValueError, "ZeroDivisionError", "a function that fails", lambda: mp.linalg.funm(h, lambda w: 1 / 0))
    definite = a @ a.T + np.eye(len(a))
    for names in ({"subset_by_index": (1, 2)}, {"subset_by_value": (-np.inf, 0.5)}, {"type": 2, "lower": False}, {}):
        want = scipy.linalg.eigh(h, definite, eigvals_only=True, **names)
        same(f"eigh of a pair, {names}", mp.linalg.eigh(h, definite, **names)[0], want, 1e-9)
        same(f"eigvalsh of a pair, {names}", mp.linalg.eigvalsh(h, b=definite, **names), want, 1e-9)
    same("eigh without vectors", mp.linalg.eigh(h, eigvals_only=True), np.linalg.eigvalsh(h), 1e-11)
    raises(ValueError, "one of them says it all", "two subsets",
           lambda: mp.linalg.eigh(h, subset_by_index=(0, 1), subset_by_value=(0, 1)))
    same("sqrtm", mp.linalg.sqrtm(x), scipy.linalg.sqrtm(a).astype(complex), 1e-11)
    same("logm", mp.linalg.logm(x), scipy.linalg.logm(a).astype(complex), 1e-11)
    for output in ("real", "complex"):
        t, z = (v.numpy() for v in mp.linalg.schur(x, output))
        same(f"schur, {output}", (z @ t @ np.conj(z.T)).real, a, 1e-11)
    raises(ValueError, "neither real nor complex", "schur of another kind", lambda: mp.linalg.schur(x, "float"))
    same("solve in mixed precision", mp.linalg.solve(x, y, mixed=True), np.linalg.solve(a, b), 1e-11)
    for name, long in (("tall", np.concatenate([a, h])), ("wide", np.concatenate([a, h]).T), ("singular", np.ones((5, 6)))):
        right = np.cos(np.arange(2.0 * len(long))).reshape(-1, 2)
        *got, s = mp.linalg.lstsq(mp.array(long), right, mixed=True)
        want = np.linalg.lstsq(long, right, rcond=None)
        same(f"lstsq in mixed precision, {name}", got, (want[0], want[1], np.asarray(int(want[2]))), 1e-10)
        ok(s is None, "without singular values")
    bands = np.vstack([rng.standard_normal((2, 6)), np.full(6, 9.0)])[[0, 2, 1]]
    same("solve_banded", mp.linalg.solve_banded((1, 1), mp.array(bands), y), scipy.linalg.solve_banded((1, 1), bands, b),
         1e-12)
    same("solveh_banded", mp.linalg.solveh_banded(mp.array(bands[1:]), y, lower=True),
         scipy.linalg.solveh_banded(bands[1:], b, lower=True), 1e-12)
    c, r = bands[1] / np.arange(1, 7), bands[0]
    for name, of_ours, of_scipy in (("c", mp.array(c), c), ("c and r", (mp.array(c), mp.array(r)), (c, r))):
        same(f"solve_toeplitz of {name}", mp.linalg.solve_toeplitz(of_ours, y),
             scipy.linalg.solve_toeplitz(of_scipy, b), 1e-10)


def check_dealt_out():
    """Arrays whose blocks are dealt out: made of NumPy's and of ranks' blocks, and in linear algebra."""
    def deal(values):
        return mp.array(values, layout=mp.layouts.cyclic(values.shape, 2))

    a, b = rng.standard_normal((7, 7)) / 7 + 3 * np.eye(7), rng.standard_normal((7, 3))
    x, y = deal(a), deal(b)
    same("an array that is dealt out", (x, y), (a, b))
    same("from_local in such a layout", mp.from_local(x.local, x.layout), a)
    same("products", (x @ y, mp.dot(x, y), mp.einsum("ij,jk->ki", x, y), mp.evaluate("z = x @ y", x=x, y=y)),
         (a @ b, a @ b, (a @ b).T, a @ b), 1e-13)
    L, R = mp.linalg, np.linalg  # noqa: N806
    same("inv, solve, det", (L.inv(x), L.solve(x, y), L.det(x)), (R.inv(a), R.solve(a, b), R.det(a)), 1e-12)
    same("norms", (L.norm(y), L.norm(y, 2), L.vector_norm(y, axis=1)),
         (R.norm(b), R.norm(b, 2), R.norm(b, axis=1)), 1e-12)
    same("trace, pinv, tensorinv", (L.trace(x), L.pinv(y), L.tensorinv(deal(a[:6, :6].reshape(6, 2, 3)), 1)),
         (np.trace(a), R.pinv(b), R.tensorinv(a[:6, :6].reshape(6, 2, 3), 1)), 1e-11)
    same("rq, toeplitz, solve_sylvester", (mp.matmul(*L.rq(x)), L.toeplitz(deal(b[:, 0])), L.solve_sylvester(x, x, x)),
         (a, scipy.linalg.toeplitz(b[:, 0]), scipy.linalg.solve_sylvester(a, a, a)), 1e-11)
    ok(not L.issymmetric(x) and L.issymmetric(deal(a + a.T)) and L.bandwidth(deal(np.tri(7))) == (6, 0),
       "issymmetric, bandwidth")


def check_linalg_arguments():
    """Further arguments of numpy.linalg's and scipy.linalg's functions."""
    for dtype in ("float64", "complex128"):
        a, b = pair((5, 5), dtype)[1] + 9 * np.eye(5), pair((5, 2), dtype)[1]
        x, y = mp.asarray(a), mp.asarray(b)
        h = a + np.conj(a.T)
        for kind, whole in (("sym", a + a.T), ("her", h), ("pos", a @ np.conj(a.T) + np.eye(5))):
            for lower in (False, True):
                given = (np.tril if lower else np.triu)(whole)
                same(f"solve of {dtype}, {kind}, lower={lower}", mp.linalg.solve(given, y, assume_a=kind, lower=lower),
                     np.linalg.solve(whole, b), 1e-10)
        same(f"solve of {dtype}, pos, transposed", mp.linalg.solve(np.tril(whole), y, assume_a="pos", transposed=True),
             np.linalg.solve(whole.T, b), 1e-10)
        for kind, kept in (("diagonal", np.triu(np.tril(a))), ("tridiagonal", np.triu(np.tril(a, 1), -1)), ("gen", a),
                           ("banded", np.triu(np.tril(a, 2), -1)), ("upper triangular", np.triu(a)),
                           ("lower triangular", np.tril(a))):
            for right in (b, b[:, 0]):
                same(f"solve of {dtype}, {kind}", mp.linalg.solve(kept, right, assume_a=kind),
                     np.linalg.solve(kept, right), 1e-10)
                same(f"solve of {dtype}, {kind}, transposed", mp.linalg.solve(kept, right, assume_a=kind, transposed=True),
                     np.linalg.solve(kept.T, right), 1e-10)
            several = np.stack([a, h])  # only a batch of "banded" matrices is taken as it is
            read, right = several if kind == "banded" else np.stack([kept, h * (kept != 0)]), np.stack([b, b])
            same(f"solve of a batch of {dtype}, {kind}", mp.linalg.solve(several, right, assume_a=kind),
                 np.linalg.solve(read, right), 1e-10)
        for kind, read in (("sym", lambda m: m.T), ("her", lambda m: np.conj(m.T)), ("pos", lambda m: np.conj(m.T))):
            for lower in (False, True):
                half = (np.tril if lower else np.triu)(a if kind == "sym" else a @ np.conj(a.T) + np.eye(5))
                whole = half + read(half) - np.diag(np.diag(half))
                got = mp.linalg.inv(np.stack([half, 2 * half]), assume_a=kind, lower=lower)
                same(f"inv of {dtype}, {kind}, lower={lower}", got,
                     np.linalg.inv(np.stack([whole, 2 * whole])), 1e-10)
        for kind in ("her", "pos"):
            whole = a @ np.conj(a.T) + np.eye(5)
            given = whole + (1j * np.diag(np.arange(5)) if dtype == "complex128" else 0)  # which LAPACK does not read
            for lower in (None, False, True):
                named = {} if lower is None else {"lower": lower}
                got = mp.linalg.solve(given, y, assume_a=kind, **named), mp.linalg.inv(given, assume_a=kind, **named)
                same(f"imaginary parts on the diagonal of {dtype}, {kind}, {lower}", got,
                     (np.linalg.solve(whole, b), np.linalg.inv(whole)), 1e-10)
        for kind, kept in (("general", a), ("gen", a), ("diagonal", np.diag(np.diag(a))),
                           ("upper triangular", np.triu(a)), ("lower triangular", np.tril(a))):
            out = mp.empty((5, 5), dtype)
            got = mp.linalg.inv(x, assume_a=kind), mp.linalg.inv(x, assume_a=kind, out=out), out
            same(f"inv of {dtype}, {kind}", got, (np.linalg.inv(kept),) * 3, 1e-10)
        for few in (a[0], a[0, 0], a[:2]):
            raises(np.linalg.LinAlgError, "", f"inv of the shape {few.shape}", lambda: mp.linalg.inv(few, assume_a="sym"))  # noqa: B023
        low = h.copy()
        low[:, 4] = low[:, 3]
        low[4] = low[3]
        for name, m in (("a matrix", h), ("one of rank 4", low), ("a batch", np.stack([h, low, 0 * h]))):
            u, s, vh = (r.numpy() for r in mp.linalg.svd(mp.asarray(m), hermitian=True))
            same(f"svd of {name}, hermitian", (s, (u * s[..., None, :]) @ vh, u @ np.conj(np.swapaxes(u, -1, -2)),
                                               vh @ np.conj(np.swapaxes(vh, -1, -2))),
                 (np.linalg.svd(m, compute_uv=False), m, *[np.broadcast_to(np.eye(5, dtype=dtype), m.shape)] * 2), 1e-11)
            same(f"what follows of {name}", (mp.linalg.svd(m, compute_uv=False, hermitian=True),
                                             mp.linalg.pinv(m, 1e-10, hermitian=True),
                                             mp.linalg.matrix_rank(m, hermitian=True),
                                             mp.linalg.matrix_rank(m, rtol=np.array([1e-10, 0.5, 3])[:m.ndim // 3 * 2 + 1]
                                                                   if m.ndim > 2 else 1e-10)),
                 (np.linalg.svd(m, compute_uv=False), np.linalg.pinv(m, 1e-10), np.linalg.matrix_rank(m),
                  _ranks(m, [1e-10, 0.5, 3] if m.ndim > 2 else 1e-10)), 1e-10)
        for named in ({"atol": 3.0}, {"atol": 1.0, "rtol": 0.1}, {"rtol": 0.2}, {}):
            got, rank = mp.linalg.pinv(x, return_rank=True, **named)
            want, many = scipy.linalg.pinv(a, return_rank=True, **named)
            same(f"pinv of {dtype}, {named}", (got, np.array(rank)), (want, np.array(many)), 1e-10)
        for ours, theirs in (("full", "complete"), ("economic", "reduced")):
            tall, t = pair((5, 3), dtype)
            same(f"qr of {dtype}, {ours}", mp.linalg.qr(tall, ours), mp.linalg.qr(tall, theirs))
        same(f"einsum of lists, {dtype}", (mp.einsum(x, [0, 1], y, [1, 2], [0, 2]), mp.einsum(x, [30, 2], y, [2, 7]),
                                           mp.einsum(x, [Ellipsis, 0], [0, Ellipsis]), mp.einsum(x, [3, 3])),
             (np.einsum(a, [0, 1], b, [1, 2], [0, 2]), np.einsum(a, [30, 2], b, [2, 7]),
              np.einsum(a, [Ellipsis, 0], [0, Ellipsis]), np.einsum(a, [3, 3])), 1e-12)
        for path in (mp.einsum_path("ij,jk,kl", x, y, y.T), np.einsum_path("ij,jk,kl", a, b, b.T)):
            same("einsum by a path", [mp.einsum("ij,jk,kl", x, y, y.T, optimize=p) for p in (path, path[0])],
                 [a @ b @ b.T] * 2, 1e-12)
    same("svdvals by name", mp.linalg.svdvals(a=x), np.linalg.svd(a, compute_uv=False), 1e-12)
    for vector in (np.zeros(3), np.array([0.0, 2]), np.array(0.0), np.array(7)):
        same(f"matrix_rank of {vector}", mp.linalg.matrix_rank(vector), np.asarray(np.linalg.matrix_rank(vector)))
    for name, function in (("eigh", mp.linalg.eigh), ("eigvalsh", mp.linalg.eigvalsh)):
        same(f"{name}, u", function(x, "u")[0], function(x, "U")[0])
        raises(ValueError, "neither L nor U", f"{name}, X", lambda function=function: function(x, "X"))
    raises(ValueError, "one of them", "two bounds", lambda: mp.linalg.matrix_rank(x, 1e-3, rtol=1e-3))
    raises(ValueError, "one bound", "two names", lambda: mp.linalg.pinv(x, 1e-3, rtol=1e-3))
    raises(ValueError, "from 0 to 51", "a label beyond the letters", lambda: mp.einsum(x, [0, 52]))
    raises(TypeError, "list of integers", "einsum of arrays alone", lambda: mp.einsum(x, x))


def _ranks(m, rtol):
    s = np.linalg.svd(m, compute_uv=False)
    return np.count_nonzero(s > np.asarray(rtol)[..., None] * s.max(-1, keepdims=True), axis=-1)


def check_randomised_svd():
    """The largest singular values by random vectors, beside those of all."""
    for dtype in ("float32", "float64", "complex64", "complex128"):
        for shape in ((60, 60), (90, 40), (40, 90)):
            a = pair(shape, dtype)[1]
            u, s, vh = np.linalg.svd(a, full_matrices=False)
            s = (10 * 0.5 ** np.arange(len(s))).astype(s.dtype)
            a = ((u * s) @ vh).astype(dtype)
            name, eps = f"{dtype} {shape}", float(np.finfo(dtype).eps)
            for layout in (None, "*, 0"):
                left, values, right = (r.numpy() for r in mp.linalg.svd_randomised(mp.asarray(a, layout=layout), 5))
                same(f"svd_randomised of {name}: values", values, s[:5], 1e2 * eps)
                same(f"svd_randomised of {name}: vectors", (left * values) @ right, ((u[:, :5] * s[:5]) @ vh[:5]).astype(dtype),
                     1e4 * eps)
                unit = np.eye(5, dtype=dtype)
                same(f"svd_randomised of {name}: orthogonal", (np.conj(left.T) @ left, right @ np.conj(right.T)),
                     (unit, unit), 1e2 * eps)
            b, c = pair(shape, dtype)
            k = min(shape)
            same(f"svd_randomised of {name}: all", mp.linalg.svd_randomised(b, k, iterations=0)[1],
                 np.linalg.svd(c, compute_uv=False), 1e3 * eps)
    flat, values = mp.linalg.svd_randomised(b, 3, 0, 0)[1].numpy(), np.linalg.svd(c, compute_uv=False)
    ok(np.all(flat <= values[:3] * (1 + 1e-12)), "without a gap they are too small")
    integers = np.arange(12).reshape(4, 3)
    same("svd_randomised of integers", mp.linalg.svd_randomised(integers, 1)[1],
         np.linalg.svd(integers, compute_uv=False)[:1], 1e-12)
    raises(ValueError, "from 1 to 40", "no such k", lambda: mp.linalg.svd_randomised(b, 41))
    raises(np.linalg.LinAlgError, "not one matrix", "a batch", lambda: mp.linalg.svd_randomised(mp.ones((2, 3, 3)), 1))
    raises(np.linalg.LinAlgError, "not found", "NaN", lambda: mp.linalg.svd_randomised(b * np.nan, 3))


def check_shapes_of_matrices():
    """What is no matrix for a function of linear algebra is a LinAlgError, as in NumPy, and a ValueError."""
    o, one = mp.linalg, mp.ones
    for name, arguments in (("inv", [(2, 3)]), ("inv", [3]), ("lstsq", [(3, 2), 2]), ("lstsq", [3, 3]), ("det", [(2, 3)]),
                            ("lstsq", [(3, 2), (3, 2, 2)]), ("tensorsolve", [(2, 3, 4), (2, 3)]), ("cond", [(0, 0)]),
                            ("cond", [3]), ("solve", [(3, 3), 2]), ("svd", [3]), ("svdvals", [3]), ("pinv", [3]),
                            ("cholesky", [(2, 3)]), ("qr", [3]), ("eig", [3]), ("eigvals", [(2, 3)]), ("eigh", [(2, 3)]),
                            ("slogdet", [3]), ("expm", [(2, 3)]), ("schur", [(2, 3)]), ("lu", [3]), ("null_space", [3])):
        for kind in (np.linalg.LinAlgError, mp.linalg.LinAlgError, mp.MatrixError, ValueError):
            raises(kind, "", f"{name} of shapes {arguments}", lambda: getattr(o, name)(*map(one, arguments)))
    raises(np.linalg.LinAlgError, "square", "tensorinv", lambda: mp.linalg.tensorinv(one((2, 3, 4)), 1))
    raises(np.linalg.LinAlgError, "square", "matrix_power", lambda: mp.linalg.matrix_power(one((2, 3)), 2))


def is_not_lost(function, *arguments):
    """Whether a function of a matrix with NaN gives NaN, or ends with an error, as some LAPACKs find it singular."""
    try:
        return np.isnan(function(*arguments).numpy()).any()
    except np.linalg.LinAlgError:
        return True


def check_infinite():
    """A matrix that is not finite has no eigenvalues and no singular values, on all ranks alike."""

    def refused(name, function):
        raises(np.linalg.LinAlgError, "not found", name, function)

    for dtype in ("float32", "float64", "complex64", "complex128"):
        for value in (np.nan, np.inf, -np.inf):
            a = np.eye(5, dtype=dtype) * np.arange(1, 6, dtype=dtype)
            a[3, 1] = a[1, 3] = value
            x, tall = mp.asarray(a), mp.asarray(np.concatenate([np.ones((40, 5), dtype), a]))
            for name in """eigvals eig eigvalsh eigh svd svdvals cond pinv matrix_rank schur null_space orth polar
                           sqrtm logm""".split():
                function = getattr(mp.linalg, name)
                for matrix in (x, large := mp.linalg.block_diag(x, mp.eye(26, dtype=dtype))):
                    refused(f"{name} of {value} among {dtype}", lambda function=function, m=matrix: function(m))
            for order in (2, -2, "nuc"):
                refused(f"norm {order}", lambda order=order: mp.linalg.norm(large, order))
            for name in ("svd", "svdvals", "matrix_rank"):
                function = getattr(mp.linalg, name)
                refused(f"{name} of a tall matrix", lambda function=function: function(tall))
            refused("lstsq", lambda: mp.linalg.lstsq(tall, tall[:, 0]))
            batch = mp.stack([mp.eye(5, dtype=dtype), x])
            refused("one of a batch", lambda: mp.linalg.eigvals(batch))
            with np.errstate(invalid="ignore"):
                want = np.linalg.det(a), *np.linalg.slogdet(a)
            got = mp.linalg.det(x), *mp.linalg.slogdet(x)
            if dtype.startswith("float") or np.isnan(value):
                same(f"det and slogdet of {value} among {dtype}", got, want)
            else:  # complex products with infinity are infinite or NaN, as a LAPACK computes them
                ok(not np.isfinite(got[0].item()) and not np.isfinite(got[2].item()),
                   f"det and slogdet of {value} among {dtype}: {got[0].item()} {got[2].item()}")
            if np.isnan(value):
                for name, matrix in (("", x), (", large", large), (", one of a batch", batch)):
                    ok(is_not_lost(mp.linalg.inv, matrix), f"inv of nan among {dtype}{name}")
                    ok(is_not_lost(mp.linalg.solve, matrix, mp.ones((*matrix.shape[:-1], 1), dtype)),
                       f"solve of nan among {dtype}{name}")


def check_sparse_parts():
    """Sparse matrices of what SciPy and CuPy make them of, and their arithmetic."""
    a = scipy.sparse.random(7, 9, 0.4, random_state=1, format="csr")
    c, A = a.tocoo(), mp.sparse.csr_array(a)
    mine = slice(c.nnz * mp.rank() // mp.nranks(), c.nnz * (mp.rank() + 1) // mp.nranks())
    numbers = [mp.asarray(v) for v in (c.data, c.row, c.col)]
    for name, made in (("rows", mp.sparse.csr_array((a.data, a.indices, a.indptr), a.shape)),
                       ("entries", mp.sparse.coo_array((c.data, (c.row, c.col)), a.shape)),
                       ("entries of each rank", mp.sparse.from_local((c.data[mine], (c.row[mine], c.col[mine])), a.shape)),
                       ("arrays", mp.sparse.csr_array((numbers[0], (numbers[1], numbers[2])), a.shape)),
                       ("another one", mp.sparse.csr_array(A)), ("a copy", A.copy()), ("columns", A.tocsc())):
        same(f"a sparse matrix of {name}", made.toarray(), a.toarray())
    same("sparse matrices, in float32 and without entries",
         (mp.sparse.csr_array((a.data, a.indices, a.indptr), dtype="float32").toarray(), mp.sparse.csr_array((3, 4)).toarray()),
         (a.astype("float32").toarray(), np.zeros((3, 4))))
    same("arithmetic of sparse matrices", [B.toarray() for B in (2 * A, -A / 4, A * 1j, A[2:-1], A.dot(3), A.multiply(2.5))],
         [b.toarray() for b in (2 * a, -a / 4, a * 1j, a[2:-1], a.dot(3), a.multiply(2.5))])
    same("dot", A.dot(mp.ones(9)), a @ np.ones(9), 1e-14)
    large = scipy.sparse.random(1000, 1000, 0.3, random_state=2, format="csr")  # whose values are converted
    large.data = (large.data * 10).astype(int)
    same("a matrix of integers", mp.sparse.csr_array(large) @ mp.ones(1000), large @ np.ones(1000), 1e-14)
    for name, function in (("dot() of a text", lambda: A.dot("x")), ("a matrix times an array", lambda: A * mp.ones(9)),
                           ("an array of NumPy times a matrix", lambda: np.ones(9) * A)):
        raises(TypeError, "", name, function)
    same("triangles", (mp.sparse.tril(A, 1).toarray(), mp.sparse.triu(A).toarray()),
         (scipy.sparse.tril(a, 1).toarray(), scipy.sparse.triu(a).toarray()))
    for arguments in (np.arange(1.0, 4.0),), ([1.0, 2, 3], 0), ([np.ones(4), 2 * np.ones(3)], [0, -1]), \
            ([-1.0, 2, -1], [-1, 0, 1], (5, 5)), ([[1.0, 2.0, 3.0]], [2]), ([1.0], [0], (3, 5)):
        same(f"diags {arguments}", mp.sparse.diags(*arguments).toarray(), scipy.sparse.diags(*arguments).toarray())
    same("a diagonal of Maniple", mp.sparse.diags(mp.arange(3.0), 1).toarray(), scipy.sparse.diags(np.arange(3.0), 1).toarray())
    B = mp.sparse.diags([-1.0, 2, -1], [-1, 0, 1], (50, 50), format="csr")
    same("tol= of solvers", B @ mp.sparse.linalg.cg(B, mp.ones(50), tol=1e-12)[0], np.ones(50), 1e-9)
    check_sparse_blocks(a, A)
    raises(ValueError, "1 columns", "entries of which one is incomplete",
           lambda: mp.sparse.from_local(([1.0] * 2, ([0] * (1 + (mp.rank() > 0)), [0])), (2, 2)))
    raises(ValueError, "elements, not 4", "a diagonal that is too long", lambda: mp.sparse.diags([np.ones(4)], [2], (5, 5)))
    ok(mp.sparse.issparse(A) and not mp.sparse.issparse(a), "issparse")


def check_sparse_blocks(a, A):
    """Elements, rows and columns of a matrix, its entries, and matrices of matrices."""
    mask = np.arange(9) % 2 == 0
    for key in (slice(1, 6, 2), slice(None, None, -1), [3, 0, 3], [], np.array([-1]), (slice(2, 5), slice(1, 4)),
                (slice(None), [8, 0]), ([1, 1], slice(2, 4)), (slice(None), mask)):
        same(f"a sparse matrix at {key}", A[key].toarray(), a[key].toarray())
    same("a row and a column", (A[2].toarray(), A[-1, :].toarray(), A[:, 3].toarray(), A[2, 1:4].toarray(), A.getcol(1).toarray()),
         (a[[2]].toarray(), a[[-1]].toarray(), a[:, [3]].toarray(), a[[2], 1:4].toarray(), a[:, [1]].toarray()))
    same("rows that an array names", A[mp.arange(2, 5)].toarray(), a[2:5].toarray())
    same("elements", [A[i, j] for i in (0, -1, 4) for j in (0, 3, -2)], [a[i, j] for i in (0, -1, 4) for j in (0, 3, -2)])
    raises(IndexError, "", "an element outside", lambda: A[7, 0])
    raises(IndexError, "a mask of shape (9,) for 7 rows", "a mask of another length", lambda: A[mask])
    same("entries", (A.row, A.col, A.data, *mp.sparse.find(A)),
         (*(v.astype(int) for v in a.tocoo().coords), a.data, *(v.astype(int) for v in a.tocoo().coords), a.data)
         if hasattr(a.tocoo(), "coords") else (a.tocoo().row.astype(int), a.tocoo().col.astype(int), a.data) * 2)
    same("functions of entries", [B.toarray() for B in (abs(-A), A.power(2), A.sqrt())],
         [b.toarray() for b in (abs(-a), a.power(2), a.sqrt())], 1e-15)
    same("means and a trace", (A.mean(), A.mean(0), A.mean(1), A.trace()),
         (np.asarray(a.toarray().mean()), a.toarray().mean(0), a.toarray().mean(1), np.asarray(a.toarray().trace())), 1e-14)
    eye, I = scipy.sparse.eye(3, 9), mp.sparse.eye(3, 9)
    for name, got, want in (("kron", mp.sparse.kron(A, I), scipy.sparse.kron(a, eye)), ("vstack", mp.sparse.vstack([A, I]), scipy.sparse.vstack([a, eye])),
                            ("hstack", mp.sparse.hstack([A, A[:, :2]]), scipy.sparse.hstack([a, a[:, :2]])),
                            ("block_diag", mp.sparse.block_diag([A, I]), scipy.sparse.block_diag([a, eye])),
                            ("bmat", mp.sparse.bmat([[A, None], [None, I]], dtype="complex64"), scipy.sparse.bmat([[a, None], [None, eye]], dtype="complex64"))):
        same(name, got.toarray(), want.toarray())
    ok(mp.sparse.kron(mp.sparse.identity(3), A, format="csc").format == "csc", "the format of a product")
    raises(ValueError, "lengths [1, 2]", "blocks in lists of several lengths", lambda: mp.sparse.bmat([[A], [A, A]]))


def check_sparse_comparisons():
    """Largest and smallest elements, comparisons, other diagonals and shapes."""
    a, b = (scipy.sparse.random(9, 7, 0.4, random_state=seed, format="csr") for seed in (1, 2))
    a.data, b.data = a.data - 0.5, b.data - 0.5
    b = (b + a.multiply(scipy.sparse.random(9, 7, 0.5, random_state=3) > 0)).tocsr()  # some elements are equal
    a.data[0] = b.data[5] = np.inf
    b.data[3] = np.nan
    whole = scipy.sparse.csr_array(np.abs(rng.standard_normal((4, 3))) + 1)
    for name, matrix in (("entries of both signs", a), ("NaN", b), ("positive entries everywhere", whole), ("negative ones", -whole),
                         ("no entries", scipy.sparse.csr_array((3, 4))), ("float32", a.astype("float32"))):
        A, dense = mp.sparse.csr_array(matrix), matrix.toarray()
        for axis in (None, 0, -1):
            same(f"max and min along {axis}, {name}", (A.max(axis), A.min(axis)), (np.asarray(dense.max(axis)), np.asarray(dense.min(axis))))
    raises(ValueError, "no largest", "the largest of no elements", lambda: mp.sparse.csr_array((0, 3)).max(0))
    A, B, x, y = mp.sparse.csr_array(a), mp.sparse.csr_array(b), a.toarray(), b.toarray()
    ones = np.ones((9, 7))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name in ("lt", "le", "gt", "ge", "eq", "ne"):
            compare = getattr(operator, name)
            same(f"{name} of matrices", compare(A, B).toarray(), compare(x, y))
            ok(compare(A, B).nnz == compare(x, y).sum(), f"{name} stores where it holds alone")
            for number in (0, 0.2, np.float32(-0.2), np.nan):
                same(f"{name} of a matrix and {number}", compare(A, number).toarray(), compare(x, number))
            same(f"{name} of a matrix and arrays", (compare(0.1, A).toarray(), compare(A, mp.asarray(ones)), compare(ones, A)),
                 (compare(0.1, x), compare(x, ones), compare(ones, x)))
        ok({w.category for w in caught} == {RuntimeWarning}, "comparisons that fill the matrix warn")
        del caught[:]
        ok((A < B).nnz and (A > 0.1).nnz and not caught, "and others do not")
    ok((A == None, A != None) == (False, True), "a matrix is not None")  # noqa: E711
    raises(ValueError, "cannot be compared", "matrices of other shapes", lambda: A < B.T)
    for values, k in ((3, 0), (3, 2), ([1, 2], -1), (np.arange(20.0), 1), (0, 0), (np.arange(3), -8), (7, 6), ([1], 0)):
        want, C = a.tolil(copy=True), A.copy()
        want.setdiag(values, k)
        C.setdiag(mp.asarray(values) if isinstance(values, np.ndarray) else values, k)
        same(f"setdiag {k} to {values}", C.toarray(), want.toarray())
    same("of a copy alone", A.toarray(), x)
    op, before = mp.sparse.linalg.LinearOperator(C), C @ mp.ones(7)
    C.setdiag(100)
    for _ in range(3):  # what nobody has any more is released
        mp.sparse.eye(3)
    same("operators keep the matrix that it was", op.matvec(mp.ones(7)), before.numpy())
    raises(ValueError, "no diagonal 7", "a diagonal outside", lambda: A.setdiag(1, 7))
    for shape in ((7, 9), (3, 21), (1, 63), (-1, 3), (21, -1)):
        same(f"the shape {shape}", (A.reshape(shape).toarray(), A.reshape(*shape).toarray()), (x.reshape(shape),) * 2)
    raises(ValueError, "cannot have the shape", "a shape of another size", lambda: A.reshape(5, 5))
