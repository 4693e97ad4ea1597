# SPDX-License-Identifier: BSD-3-Clause
"""scipy.linalg's equations for matrices and systems with matrices of few numbers.  All functions are collective."""

import numpy as np

from . import fft, linalg
from ._array import as_blocks
from ._errors import LinAlgError, MatrixError
from ._library import constant
from ._names import names

__all__ = """matmul_toeplitz solve_circulant solve_continuous_are solve_continuous_lyapunov solve_discrete_are
    solve_discrete_lyapunov solve_sylvester""".split()


def _failed(words):
    return LinAlgError(constant("ERR_LINALG"), words)


def _hermitian_part(a):
    return (a + linalg.adjoint(a)) / 2


def _square(function, **matrices):
    """The matrices as arrays, or an error: each is one square matrix, or a number."""
    arrays = {name: names.atleast_2d(as_blocks(a)) for name, a in matrices.items()}
    for name, a in arrays.items():
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise MatrixError(f"{function}: {name} of shape {a.shape} is not one square matrix")
    return arrays.values()


def solve_sylvester(a, b, q):
    """scipy.linalg.solve_sylvester: x with a x + x b = q, by Schur's decompositions, a column after the other.
    Collective."""
    (a, b), q = _square("solve_sylvester", a=a, b=b), as_blocks(q)
    if q.shape != (a.shape[0], b.shape[0]):
        raise MatrixError(f"solve_sylvester: q of shape {q.shape} does not fit a of {a.shape} and b of {b.shape}")
    if not q.size:
        return names.zeros(q.shape, np.result_type(a.dtype, b.dtype, q.dtype, np.float32))
    r, u = linalg.schur(a, "complex")
    s, v = linalg.schur(b, "complex")
    f, unit = linalg.adjoint(u) @ q @ v, names.eye(a.shape[0])
    columns = []
    for k in range(q.shape[1]):
        right = f[:, k] - (names.stack(columns, axis=1) @ s[:k, k] if columns else 0)
        columns.append(linalg.solve_triangular(r + s[k, k] * unit, right))
    x = u @ names.stack(columns, axis=1) @ linalg.adjoint(v)
    return x if "c" in (a.dtype.kind, b.dtype.kind, q.dtype.kind) else names.copy(x.real)


def solve_continuous_lyapunov(a, q):
    """scipy.linalg.solve_continuous_lyapunov: x with a x + x a^H = q.  Collective."""
    a, q = _square("solve_continuous_lyapunov", a=a, q=q)
    return solve_sylvester(a, linalg.adjoint(a), q)


def solve_discrete_lyapunov(a, q, method=None):
    """scipy.linalg.solve_discrete_lyapunov: x with a x a^H - x + q = 0.  "direct" solves a system of n^2 equations,
    "bilinear" makes a continuous equation of it; None: the first for n below 10.  Collective."""
    a, q = _square("solve_discrete_lyapunov", a=a, q=q)
    method = ("direct" if a.shape[0] < 10 else "bilinear") if method is None else method.lower()
    unit = names.eye(a.shape[0])
    if method == "direct":
        system = names.eye(q.size) - names.kron(a, names.conj(a))
        return names.reshape(linalg.solve(system, names.ravel(q)), q.shape)
    if method != "bilinear":
        raise ValueError(f"solve_discrete_lyapunov: the method is {method!r}, which is neither direct nor bilinear")
    turned = linalg.adjoint(a)
    inverse = linalg.inv(turned + unit)
    stable, right = linalg.adjoint((turned - unit) @ inverse), -2 * linalg.solve(a + unit, q @ inverse)
    return solve_continuous_lyapunov(stable, right)


def _given(function, a, b, q, r, e, s):
    """The matrices of an equation; e and s may be None."""
    (a, q, r), (b, e, s) = _square(function, a=a, q=q, r=r), (
        None if m is None else names.atleast_2d(as_blocks(m)) for m in (b, e, s))
    if q.shape != a.shape or b.shape != (a.shape[0], r.shape[0]):
        raise MatrixError(f"{function}: the shapes {a.shape}, {b.shape}, {q.shape} and {r.shape} do not fit each other")
    if not all(linalg.ishermitian(m, 100 * np.finfo(float).eps * float(abs(m).max())) for m in (q, r)):
        raise ValueError(f"{function}: q and r must be symmetric, or of complex numbers Hermitian")
    return a, b, q, r, e, s


def _riccati(a, b, q, r, e, s):
    """a, b r^-1 b^H and q of the equation without e and s, which has the same solution."""
    if e is not None:
        inverse = linalg.inv(e)
        a, q = a @ inverse, linalg.adjoint(inverse) @ q @ inverse
        s = None if s is None else linalg.adjoint(inverse) @ s
    weighted = linalg.solve(r, linalg.adjoint(b))
    if s is not None:
        a, q = a - linalg.adjoint(weighted) @ linalg.adjoint(s), q - s @ linalg.solve(r, linalg.adjoint(s))
    return a, _hermitian_part(b @ weighted), _hermitian_part(q)


def _size(a):
    return float(linalg.norm(a))


def sign_by_newton(a, function):
    """The sign of a matrix without eigenvalues on the imaginary axis, by Newton's iteration, whose steps are scaled by
    norms (N. J. Higham, Functions of Matrices, 2008, section 5.5)."""
    eps, change = float(np.finfo(a.dtype).eps), np.inf
    for _ in range(100):
        inverse = linalg.inv(a)
        scale = (_size(inverse) / _size(a)) ** 0.5 if change > 0.01 else 1.0
        after = (scale * a + inverse / scale) / 2
        before, change = change, _size(after - a) / _size(after)
        a = after
        if change <= a.shape[0] * eps or 1e-6 > change > before / 2:
            return a
    raise _failed(f"{function}: the iteration for the sign of a matrix did not converge")


def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True):
    """scipy.linalg.solve_continuous_are: the stabilising Hermitian x with a^H x e + e^H x a - (e^H x b + s) r^-1
    (b^H x e + s^H) + q = 0, by the sign of the Hamiltonian matrix (J. D. Roberts, 1980).  balanced is not needed.
    Collective."""
    a, g, q = _riccati(*_given("solve_continuous_are", a, b, q, r, e, s))
    n = a.shape[0]
    sign = sign_by_newton(names.block([[a, -g], [-q, -linalg.adjoint(a)]]), "solve_continuous_are") + names.eye(2 * n)
    return _hermitian_part(linalg.lstsq(sign[:, n:], -sign[:, :n])[0])


def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True):
    """scipy.linalg.solve_discrete_are: the stabilising Hermitian x with a^H x a - e^H x e - (a^H x b + s)
    (r + b^H x b)^-1 (b^H x a + s^H) + q = 0, by doubling (E. K.-W. Chu, H.-Y. Fan, W.-W. Lin and C.-S. Wang, 2004).
    For an r without an inverse the equation is that of x less a multiple of the unit matrix, which has the same form.
    balanced is not needed.  Collective."""
    a, b, q, r, e, s = _given("solve_discrete_are", a, b, q, r, e, s)
    sizes, shift = linalg.svdvals(r), 0
    if float(sizes.min()) <= r.shape[0] * float(np.finfo(sizes.dtype).eps) * float(sizes.max()):
        shift = max(_size(q), float(sizes.max())) / max(_size(b), float(np.finfo(sizes.dtype).tiny)) ** 2
        s = shift * linalg.adjoint(a) @ b + (0 if s is None else s)
        q = q + shift * (linalg.adjoint(a) @ a - (names.eye(a.shape[0]) if e is None else linalg.adjoint(e) @ e))
        r = r + shift * linalg.adjoint(b) @ b
    a, g, x = _riccati(a, b, _hermitian_part(q), _hermitian_part(r), e, s)
    n, eps = a.shape[0], float(np.finfo(g.dtype).eps)
    for _ in range(60):
        solved = linalg.solve(names.eye(n) + g @ x, names.concatenate([a, g], axis=1))
        change = _hermitian_part(linalg.adjoint(a) @ x @ solved[:, :n])
        g = _hermitian_part(g + a @ solved[:, n:] @ linalg.adjoint(a))
        a, x = a @ solved[:, :n], x + change
        size = _size(x)
        if not np.isfinite(size):
            break
        if _size(change) <= n * eps * size:
            return x + shift * names.eye(n) if shift else x
    raise _failed("solve_discrete_are: doubling did not converge: there may be no stabilising solution")


def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """scipy.linalg.matmul_toeplitz: toeplitz(c, r) @ x by Fourier transforms.  check_finite and workers are not needed.
    Collective."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    c, x = names.ravel(as_blocks(c)), as_blocks(x)
    r = names.conj(c) if r is None else names.ravel(as_blocks(r))
    if x.ndim not in (1, 2) or x.shape[0] != r.size or not c.size:
        raise ValueError(f"matmul_toeplitz: a matrix of {c.size} x {r.size} and x of shape {x.shape} do not fit")
    columns = names.reshape(x, (r.size, -1))
    length = fft.next_fast_len(c.size + r.size - 1)
    ring = names.concatenate([c, names.zeros(length - c.size - r.size + 1, dtype=c.dtype), names.flip(r[1:])])
    product = fft.ifft(fft.fft(ring)[:, None] * fft.fft(columns, length, axis=0), axis=0)[: c.size]
    if "c" not in (c.dtype.kind, r.dtype.kind, x.dtype.kind):
        product = product.real
    return names.reshape(names.copy(product), (c.size, *x.shape[1:]))


def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0):
    """scipy.linalg.solve_circulant: x with circulant(c) x = b, by Fourier transforms along caxis of c and baxis of b.
    Where the matrix is singular, "lstsq" gives the x of least squares.  Waits.  Collective."""
    if singular not in ("raise", "lstsq"):
        raise ValueError(f"solve_circulant: singular is {singular!r}, which is neither raise nor lstsq")
    c, b = (names.atleast_1d(as_blocks(v)) for v in (c, b))
    if c.shape[caxis] != b.shape[baxis]:
        raise ValueError(f"solve_circulant: c of shape {c.shape} and b of shape {b.shape} do not fit along their axes")
    of_c, of_b = fft.fft(names.moveaxis(c, caxis, -1)), fft.fft(names.moveaxis(b, baxis, -1))
    sizes = abs(of_c)
    if tol is None:
        tol = names.max(sizes, axis=-1, keepdims=True) * (c.shape[caxis] * np.finfo(float).eps)
    small = sizes <= tol
    if singular == "raise" and bool(names.any(small)):
        raise _failed("solve_circulant: the matrix is singular")
    x = fft.ifft(names.where(small, 0, of_b / names.where(small, 1, of_c)))
    if "c" not in (c.dtype.kind, b.dtype.kind):
        x = x.real
    return names.copy(names.moveaxis(x, -1, outaxis))
