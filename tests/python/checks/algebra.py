# SPDX-License-Identifier: BSD-3-Clause
"""What scipy.linalg has of equations, functions, factors and bands of matrices, beside SciPy."""

import maniple as mp
import numpy as np
import scipy.linalg

from . import ok, raises, rng, same

L = mp.linalg


def _near(size, columns=None, dtype="float64", far=0.5):
    """A matrix whose singular values lie between 1 - far and 1 + far."""
    a = rng.standard_normal((size, columns or size))
    a = a + 1j * rng.standard_normal(a.shape) if dtype.startswith("c") else a
    return np.eye(*a.shape) + far * a / np.linalg.norm(a, 2)


def _hermitian(a):
    return a + np.conj(a.T)


def check_equations():
    for dtype in ("float64", "complex128"):
        for n in (1, 3, 12):
            a, b, q = _near(n, dtype=dtype), _near(n + 1, dtype=dtype), _near(n, n + 1, dtype)
            e, s, square = _near(n, dtype=dtype), 0.1 * _near(n, dtype=dtype), _near(n, dtype=dtype)
            name = f"of {dtype}, {n} rows"
            same(f"solve_sylvester {name}", L.solve_sylvester(a, b, q), scipy.linalg.solve_sylvester(a, b, q), 1e-11)
            same(f"solve_continuous_lyapunov {name}", L.solve_continuous_lyapunov(a, square),
                 scipy.linalg.solve_continuous_lyapunov(a, square), 1e-11)
            for method in (None, "direct", "bilinear"):
                same(f"solve_discrete_lyapunov {name}, {method}", L.solve_discrete_lyapunov(a / 3, square, method),
                     scipy.linalg.solve_discrete_lyapunov(a / 3, square, method), 1e-11)
            positive, weight = _hermitian(_near(n, dtype=dtype)), _hermitian(_near(n, dtype=dtype))
            for named in ({}, {"e": e}, {"s": s}, {"e": e, "s": s}):
                for kind in ("continuous", "discrete"):
                    of_scipy = getattr(scipy.linalg, f"solve_{kind}_are")
                    same(f"solve_{kind}_are {name}, {list(named)}",
                         getattr(L, f"solve_{kind}_are")(mp.asarray(a, layout="*, 0"), square, positive, weight, **named),
                         of_scipy(a, square, positive, weight, **named), 1e-8)
            c, r = rng.standard_normal(n) + 0 * a[0], rng.standard_normal(n + 2) * a[0, 0]
            r[0] = c[0]
            for x in (rng.standard_normal(n + 2), rng.standard_normal((n + 2, 3))):
                same(f"matmul_toeplitz {name}, {x.shape}", L.matmul_toeplitz((c, r), x),
                     scipy.linalg.matmul_toeplitz((c, r), x), 1e-12)
            same(f"matmul_toeplitz {name}, c alone", L.matmul_toeplitz(c, square), scipy.linalg.matmul_toeplitz(c, square), 1e-12)
            c = 0.1 * c
            c[0] = n
            for right, named in ((square, {}), (square[0], {}), (square, {"baxis": -1, "outaxis": -1})):
                same(f"solve_circulant {name}, {right.shape}, {named}", L.solve_circulant(c, right, **named),
                     scipy.linalg.solve_circulant(c, right, **named), 1e-11)
    many, right = rng.uniform(-0.5, 0.5, (2, 4)) + [[4, 0, 0, 0]], rng.standard_normal((2, 4))
    same("solve_circulant of two matrices", L.solve_circulant(many, right, baxis=-1, outaxis=-1),
         scipy.linalg.solve_circulant(many, right, baxis=-1, outaxis=-1), 1e-11)
    same("solve_circulant by least squares", L.solve_circulant([1.0, 1, 0, 0], [1.0, 2, 3, 5], "lstsq"),
         scipy.linalg.solve_circulant([1.0, 1, 0, 0], [1.0, 2, 3, 5], "lstsq"), 1e-12)
    for n in (0, 2):
        same(f"equations without elements, {n}", L.solve_sylvester(np.eye(n), np.zeros((0, 0)), np.zeros((n, 0), "float32")),
             np.zeros((n, 0)))
    same("lyapunov without elements", L.solve_continuous_lyapunov(*[np.zeros((0, 0), "complex64")] * 2), np.zeros((0, 0), "complex64"))
    raises(np.linalg.LinAlgError, "singular", "a singular circulant", lambda: L.solve_circulant(np.ones(3), np.ones(3)))
    raises(np.linalg.LinAlgError, "does not fit", "sylvester", lambda: L.solve_sylvester(np.eye(2), np.eye(3), np.eye(2)))
    raises(np.linalg.LinAlgError, "not one square", "lyapunov", lambda: L.solve_discrete_lyapunov(np.ones((2, 3)), np.eye(2)))
    raises(np.linalg.LinAlgError, "did not converge", "what cannot be stabilised",
           lambda: L.solve_discrete_are(2 * np.eye(2), np.zeros((2, 1)), np.eye(2), np.eye(1)))
    raises(np.linalg.LinAlgError, "", "and in time", lambda: L.solve_continuous_are(np.zeros((2, 2)), np.zeros((2, 1)), np.eye(2), np.eye(1)))
    raises(ValueError, "Hermitian", "a q that is not", lambda: L.solve_continuous_are(np.eye(2), np.eye(2), np.triu(np.ones((2, 2))), np.eye(2)))
    raises(ValueError, "neither direct", "another method", lambda: L.solve_discrete_lyapunov(np.eye(2), np.eye(2), "x"))


def check_functions_of_matrices():
    for dtype in ("float64", "complex128"):
        for n in (1, 2, 9):
            name, a, e = f"of {dtype}, {n} rows", _near(n, dtype=dtype), _near(n, dtype=dtype)
            for t in (0.5, -0.3, 2.25, -1.5):
                same(f"fractional_matrix_power {t} {name}", L.fractional_matrix_power(a, t),
                     scipy.linalg.fractional_matrix_power(a, t).astype(complex), 1e-11)
            for t in (0, 3, -2):
                same(f"fractional_matrix_power {t} {name}", L.fractional_matrix_power(a, t), np.linalg.matrix_power(a, t), 1e-12)
            same(f"expm_frechet {name}", L.expm_frechet(a, e), scipy.linalg.expm_frechet(a, e), 1e-11)
            same(f"expm_frechet {name}, the derivative", L.expm_frechet(a, e, compute_expm=False),
                 scipy.linalg.expm_frechet(a, e, compute_expm=False), 1e-11)
            if n < 9:
                same(f"expm_cond {name}", L.expm_cond(a), scipy.linalg.expm_cond(a), 1e-11)
            signs = np.where(np.arange(n) % 3 == 1, -1.0, 1.0)
            sign = a @ np.diag(signs) @ np.linalg.inv(a)
            for kind, values in (("equal", signs), ("other", signs * np.arange(1, n + 1))):
                x = a @ np.diag(values) @ np.linalg.inv(a)
                same(f"signm {name}, {kind} values", L.signm(x), sign, 1e-9)
                same(f"signm as SciPy {name}, {kind} values", L.signm(x, disp=False)[0], scipy.linalg.signm(x), 1e-9)
    raises(np.linalg.LinAlgError, "singular", "a root of a singular matrix", lambda: L.fractional_matrix_power(np.ones((2, 2)), 0.5))
    raises(ValueError, "not square matrices", "expm_frechet", lambda: L.expm_frechet(np.eye(2), np.eye(3)))


def check_factors():
    for dtype in ("float64", "complex128"):
        for m, n in ((4, 4), (7, 4), (4, 7), (1, 1)):
            a = rng.standard_normal((m, n)) + (1j * rng.standard_normal((m, n)) if dtype.startswith("c") else 0)
            k, name = min(m, n), f"of {dtype}, {m} x {n}"
            for mode, rows in (("full", n), ("economic", k)):
                r, q = (x.numpy() for x in L.rq(a, mode=mode))
                want = scipy.linalg.rq(a, mode=mode)
                same(f"rq {mode} {name}", (r @ q, q @ np.conj(q.T), abs(r)), (a, np.eye(rows, dtype=dtype), abs(want[0])), 1e-11)
            same(f"rq r {name}", abs(L.rq(a, mode="r")), abs(scipy.linalg.rq(a, mode="r")), 1e-11)
            for mode, c in (("left", rng.standard_normal((k, 3))), ("right", rng.standard_normal((3, m))),
                            ("left", rng.standard_normal(k)), ("right", rng.standard_normal(m))):
                q, r = np.linalg.qr(a)
                for conjugate in (False, True):
                    of_q = np.conj(q) if conjugate else q
                    got = L.qr_multiply(a, c, mode, conjugate=conjugate)
                    same(f"qr_multiply {name}, {mode} {c.shape}", got, (of_q @ c if mode == "left" else c @ of_q, r), 1e-11)
        n = 6
        a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if dtype.startswith("c") else 0)
        h, b = _hermitian(a), _near(n, dtype=dtype)
        for lower in (True, False):
            half = np.tril(h) if lower else np.triu(h)
            same(f"pinvh of {dtype}, lower={lower}", L.pinvh(half, lower=lower), np.linalg.pinv(h), 1e-8)
        same(f"pinvh of {dtype}, with its rank", (lambda r: (r[0], np.array(r[1])))(L.pinvh(np.ones((3, 3)), return_rank=True)),
             (np.ones((3, 3)) / 9, np.array(1)), 1e-12)
        h, q = (x.numpy() for x in L.hessenberg(a, True))
        same(f"hessenberg of {dtype}", (q @ h @ np.conj(q.T), np.tril(h, -2)), (a, 0 * a), 1e-11)
        same(f"hessenberg of {dtype}, h alone", L.hessenberg(a), h, 1e-12)
        for pair in ((), (b,)):
            w, left, right = (x.numpy() for x in L.eig(a, *pair, left=True))
            of_b = pair[0] if pair else np.eye(n)
            same(f"eig of {dtype}, a pair {bool(pair)}: right", a @ right, of_b @ right * w, 1e-8)
            same(f"eig of {dtype}, a pair {bool(pair)}: left", np.conj(left.T) @ a, w[:, None] * (np.conj(left.T) @ of_b), 1e-6)
            same("of norm 1", np.linalg.norm(left, axis=0), np.ones(n), 1e-12)
            alone = L.eig(a, *pair, right=False).numpy()
            ok(max(abs(w - v).min() for v in alone) < 1e-8, f"eig of {dtype}, values alone")
            of_scipy = scipy.linalg.eigvals(a, *pair)
            for got in (L.eigvals(a, *pair, homogeneous_eigvals=True), L.eig(a, *pair, homogeneous_eigvals=True)[0]):
                alpha, beta = got.numpy()
                ok(max(abs(of_scipy - v).min() for v in alpha / beta) < 1e-8, f"eig of {dtype}, homogeneous")
                ok(pair or (beta == 1).all(), f"eig of {dtype}, homogeneous, of a matrix alone")
    t, z = scipy.linalg.schur(a.real)
    upper, unitary = (x.numpy() for x in L.rsf2csf(t, z))
    same("rsf2csf", (unitary @ upper @ np.conj(unitary.T), np.tril(upper, -1)), (a.real.astype(complex), 0 * upper), 1e-11)
    w, v = np.linalg.eig(np.stack([a.real, [[0, 1, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 0, 3, 1, 0],
                                            [0, 0, 0, -1, 3, 0], [0, 0, 0, 0, 0, 1]]]))
    same("cdf2rdf", L.cdf2rdf(w, v), scipy.linalg.cdf2rdf(w, v), 1e-12)
    raises(ValueError, "without its conjugate", "half a pair", lambda: L.cdf2rdf(np.array([1j, 2]), np.eye(2)))
    raises(ValueError, "none of", "another mode", lambda: L.rq(a, mode="x"))
    same("arguments for LAPACK", (L.svd(b, lapack_driver="gesvd", overwrite_a=True, check_finite=False)[1],
                                  L.eigvalsh(_hermitian(b), driver="evr"), L.expm(b)),
         (np.linalg.svd(b)[1], np.linalg.eigvalsh(_hermitian(b)), scipy.linalg.expm(b)), 1e-11)
    raises(TypeError, "overwrite_z", "and no others", lambda: L.svd(b, overwrite_z=True))


def check_bands():
    n = 7
    for dtype in ("float64", "complex128"):
        bands = rng.standard_normal((3, n)) + (1j * rng.standard_normal((3, n)) if dtype.startswith("c") else 0)
        bands[0] = 5 + abs(bands[0]) / abs(bands[0]).max()
        bands[1:] /= abs(bands[1:]).max()
        for lower in (True, False):
            given = bands if lower else np.ascontiguousarray(bands[::-1])
            name = f"of {dtype}, lower={lower}"
            whole = sum(np.diag(bands[k, :n - k], -k) if lower else np.diag(bands[k, k:], k) for k in range(3))
            whole = whole + np.conj(whole.T) - np.diag(np.diag(whole).real)
            every = scipy.linalg.eigvals_banded(given, lower)
            gap = int(np.argmax(np.diff(every)))
            same(f"eigvals_banded {name}", L.eigvals_banded(given, lower), every, 1e-12)
            same(f"eigvals_banded {name}, by number", L.eigvals_banded(given, lower, select="i", select_range=(1, 3)), every[1:4], 1e-12)
            w, v = (x.numpy() for x in L.eig_banded(given, lower, select="v", select_range=(0, (every[gap] + every[gap + 1]) / 2)))
            same(f"eig_banded {name}, by value", (w, whole @ v), (every[:gap + 1], v * w), 1e-11)
            inside = np.array([[j < n - k if lower else j >= k for j in range(n)] for k in (range(3) if lower else (2, 1, 0))])
            factor, want = L.cholesky_banded(given, lower=lower).numpy(), scipy.linalg.cholesky_banded(given, lower=lower)
            same(f"cholesky_banded {name}", factor[inside], want[inside], 1e-12)
            for right in (rng.standard_normal((n, 2)), rng.standard_normal(n)):
                same(f"cho_solve_banded {name}", L.cho_solve_banded((factor, lower), right),
                     scipy.linalg.cho_solve_banded((want, lower), right).astype(dtype), 1e-11)
    d, e = rng.standard_normal(n), rng.standard_normal(n - 1)
    whole = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    same("eigvalsh_tridiagonal", L.eigvalsh_tridiagonal(d, e), scipy.linalg.eigvalsh_tridiagonal(d, e), 1e-12)
    w, v = (x.numpy() for x in L.eigh_tridiagonal(d, e, select="i", select_range=(2, 4), lapack_driver="stebz"))
    same("eigh_tridiagonal, by number", (w, whole @ v, v.T @ v), (np.linalg.eigvalsh(whole)[2:5], v * w, np.eye(3)), 1e-11)
    raises(ValueError, "none of", "another selection", lambda: L.eigh_tridiagonal(d, e, select="x"))
    raises(np.linalg.LinAlgError, "not one matrix", "bands", lambda: L.eigvals_banded(d))


def check_more_special_matrices():
    for n in (1, 2, 5, 9):
        for exact in (True, False):
            for kind in ("symmetric", "lower", "upper"):
                same(f"pascal {n} {kind} {exact}", L.pascal(n, kind, exact), scipy.linalg.pascal(n, kind, exact))
                same(f"invpascal {n} {kind} {exact}", L.invpascal(n, kind, exact), scipy.linalg.invpascal(n, kind, exact))
            same(f"invhilbert {n} {exact}", L.invhilbert(n, exact), scipy.linalg.invhilbert(n, exact), 1e-14)
        a = np.arange(2.0, n + 3)
        same(f"fiedler_companion {n}", L.fiedler_companion(a), scipy.linalg.fiedler_companion(a))
    s = np.arange(1.0, 4)
    for m, n in ((3, 3), (3, 5), (5, 3)):
        same(f"diagsvd {m} x {n}", L.diagsvd(s, m, n), scipy.linalg.diagsvd(s, m, n))
    raises(ValueError, "3 values", "diagsvd", lambda: L.diagsvd(s, 4, 5))
    raises(ValueError, "do not fit into uint64", "a large pascal", lambda: L.pascal(40))
    ok(L.pascal(0).shape == L.invhilbert(0, True).shape == (0, 0), "matrices without elements")
    raises(ValueError, "none of symmetric", "another pascal", lambda: L.pascal(3, "x"))
