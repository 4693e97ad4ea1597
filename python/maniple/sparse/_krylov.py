# SPDX-License-Identifier: BSD-3-Clause
"""Methods of scipy.sparse.linalg that are written in Python, of products with an operator: lsqr, lsmr and eigs."""

import numpy as np

from .._array import as_array
from .._names import names
from ..comm import bcast


def norm(x):
    """Of a vector, or of all elements of an array.  Waits.  Collective."""
    return float(names.sqrt(names.sum(abs(x) ** 2)))


def _scaled(x):
    """A vector of norm 1, and what its norm was; a vector of zeros stays."""
    size = norm(x)
    return (x / size if size else x), size


def _rotation(a, b):
    """c, s and r with c a + s b = r and -s a + c b = 0."""
    r = np.hypot(a, b)
    return (1.0, 0.0, 0.0) if r == 0 else (a / r, b / r, r)


def lsqr(op, b, limits, iter_lim, calc_var, x0, callback):
    """By Paige and Saunders, ACM Transactions on Mathematical Software 8, 1982: what scipy.sparse.linalg.lsqr gives."""
    damp, atol, btol, conlim = limits
    b = names.ravel(as_array(b)) * 1.0
    start = names.zeros(op.shape[1], b.dtype) if x0 is None else names.ravel(as_array(x0)) * 1.0
    norm_b, x = norm(b) or 1e-150, start  # of zeros: so small that it does not count
    u, beta = _scaled(b if x0 is None else b - op.matvec(start))
    v, alpha = _scaled(op.rmatvec(u))
    variances, w = names.zeros(op.shape[1]), v
    rhobar, phibar, norm_a, norm_ar = alpha, beta, 0.0, alpha * beta
    inverses, penalties, earlier, c2, s2, z = 0.0, 0.0, 0.0, -1.0, 0.0, 0.0
    norm_1 = norm_2 = beta
    itn, stop, cond, norm_x = 0, 0, 0.0, 0.0
    while norm_ar and itn < (2 * op.shape[1] if iter_lim is None else iter_lim) and not stop:
        itn += 1
        u, beta = _scaled(op.matvec(v) - alpha * u)
        norm_a = np.sqrt(norm_a**2 + alpha**2 + beta**2 + damp**2)
        v, alpha = _scaled(op.rmatvec(u) - beta * v)
        # rotations: with the damping, and of the bidiagonal matrix
        c, s, rhobar = _rotation(rhobar, damp)
        psi, phibar = s * phibar, c * phibar
        c, s, rho = _rotation(rhobar, beta)
        theta, rhobar, phi, phibar = s * alpha, -c * alpha, c * phibar, s * phibar
        direction = w / rho
        x, w = x + phi * direction, v - theta * direction
        squares = names.real(direction * names.conj(direction))
        inverses += float(names.sum(squares))
        variances = variances + squares if calc_var else variances
        # the norm of x: a rotation of the triangle from the right
        gammabar, rest = -c2 * rho, phi - s2 * rho * z
        norm_x = np.sqrt(earlier + (rest / gammabar) ** 2)
        c2, s2, gamma = _rotation(gammabar, theta)
        z = rest / gamma
        earlier += z**2
        # norms of the residual, without and with the damping
        penalties += psi**2
        norm_2 = np.sqrt(phibar**2 + penalties)
        square = norm_2**2 - damp**2 * earlier
        norm_1 = np.copysign(np.sqrt(abs(square)), square)
        cond, norm_ar = norm_a * np.sqrt(inverses), alpha * abs(s * phi)
        stop = _reason(norm_2 / norm_b, norm_ar / (norm_a * norm_2) if norm_2 else np.inf, 1 / cond,
                       norm_a * norm_x / norm_b, atol, btol, conlim)
        if callback is not None and callback(x):
            break
    ended = stop or (7 if norm_ar else 0)
    return x, ended, itn, norm_1, norm_2, norm_a, cond, norm_ar, norm_x, variances


def lsmr(op, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, x0=None):
    """By Fong and Saunders, 2011: what scipy.sparse.linalg.lsmr gives."""
    b = as_array(b) * 1.0
    start = names.zeros(op.shape[1], b.dtype) if x0 is None else as_array(x0) * 1.0
    norm_b = norm(b)
    u, beta = _scaled(b if x0 is None else b - op.matvec(start))
    v, alpha = _scaled(op.rmatvec(u))
    h, hbar, x = v, names.zeros_like(v), start
    zetabar, alphabar, rho, rhobar, cbar, sbar = alpha * beta, alpha, 1.0, 1.0, 1.0, 0.0
    betadd, betad, rhod, tautilde, thetatilde, zeta, d = beta, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    square, largest, least, itn, stop = alpha**2, 0.0, 1e100, 0, 0
    norm_r, norm_ar, norm_a, cond, norm_x = beta, alpha * beta, alpha, 1.0, 0.0
    if norm_ar == 0 or norm_b == 0:
        return (start if norm_b else 0 * start), 0, 0, norm_r, norm_ar, norm_a, cond, norm(start) if norm_b else 0.0
    while itn < (min(op.shape) if maxiter is None else maxiter) and not stop:
        itn += 1
        u, beta = _scaled(op.matvec(v) - alpha * u)
        v, alpha = _scaled(op.rmatvec(u) - beta * v)
        # rotations: with the damping, of the bidiagonal matrix, and of the transposed triangle
        chat, shat, alphahat = _rotation(alphabar, damp)
        rho_old, (c, s, rho) = rho, _rotation(alphahat, beta)
        theta, alphabar = s * alpha, c * alpha
        rhobar_old, zeta_old, thetabar = rhobar, zeta, sbar * rho
        rho_temp = cbar * rho
        cbar, sbar, rhobar = _rotation(rho_temp, theta)
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        hbar = h - hbar * (thetabar * rho / (rho_old * rhobar_old))
        x = x + (zeta / (rho * rhobar)) * hbar
        h = v - h * (theta / rho)
        # the norm of the residual
        betahat, betacheck = c * (chat * betadd), -shat * betadd
        betadd = -s * (chat * betadd)
        theta_old = thetatilde
        ctilde, stilde, rhotilde = _rotation(rhod, thetabar)
        thetatilde, rhod = stilde * rhobar, ctilde * rhobar
        betad = -stilde * betad + ctilde * betahat
        tautilde = (zeta_old - theta_old * tautilde) / rhotilde
        taud, d = (zeta - thetatilde * tautilde) / rhod, d + betacheck**2
        norm_r = np.sqrt(d + (betad - taud) ** 2 + betadd**2)
        # the norm and the condition of the matrix
        square += beta**2
        norm_a, square = np.sqrt(square), square + alpha**2
        if itn > 1:
            largest, least = max(largest, rhobar_old), min(least, rhobar_old)
        cond = max(largest, rho_temp) / min(least, rho_temp)
        norm_ar, norm_x = abs(zetabar), norm(x)
        stop = _reason(norm_r / norm_b, norm_ar / (norm_a * norm_r) if norm_a * norm_r else np.inf, 1 / cond,
                       norm_a * norm_x / norm_b, atol, btol, conlim)
    return x, stop or 7, itn, norm_r, norm_ar, norm_a, cond, norm_x


def _reason(residual, gradient, inverse_cond, growth, atol, btol, conlim):
    """Why lsmr() ends, by SciPy's number; 0: it goes on."""
    tests = (
        (1, residual <= btol + atol * growth), (2, gradient <= atol), (3, conlim > 0 and inverse_cond <= 1 / conlim),
        (4, 1 + residual / (1 + growth) <= 1), (5, 1 + gradient <= 1), (6, 1 + inverse_cond <= 1),
    )  # fmt: skip
    return next((number for number, holds in tests if holds), 0)


ORDERS = {"LM": lambda w: -abs(w), "SM": abs, "LR": lambda w: -w.real, "SR": lambda w: w.real,
           "LI": lambda w: -abs(w.imag), "SI": lambda w: abs(w.imag)}


def _as_root(*arrays):
    """NumPy's arrays as rank 0 has them: those of other processors may differ in the last bits, and decide otherwise."""
    return [np.frombuffer(bcast(a.tobytes()), a.dtype).reshape(a.shape) for a in arrays]


def eigs(multiply, start, k, which, ncv, maxiter, tol):
    """Eigenvalues as NumPy's array, and vectors as columns, by Arnoldi's method, restarted with the wanted subspace
    (Krylov-Schur: Stewart, 2001), in complex numbers.  None if fewer than k have converged."""
    n, order, rng = start.size, ORDERS[which], np.random.default_rng(0)  # of NumPy, whose numbers all ranks have
    basis = names.zeros((ncv + 1, n), complex)
    basis[0] = _scaled(start.astype(complex))[0]
    h = np.zeros((ncv + 1, ncv), complex)
    have = 0
    for _ in range(maxiter):
        for j in range(have, ncv):
            _extend(multiply, basis, h, j, rng)
        values, vectors = np.linalg.eig(h[:ncv])
        chosen = np.argsort(order(values), kind="stable")
        values, vectors = values[chosen], vectors[:, chosen]
        limit = max(tol, np.finfo(float).eps) * np.maximum(abs(values[:k]), np.finfo(float).eps ** (2 / 3))
        values, vectors, good = _as_root(values, vectors, abs(h[ncv] @ vectors[:, :k]) <= limit)
        if good.all():
            return values[:k], (as_array(vectors[:, :k].T) @ basis[:ncv]).T
        have = min(k + max(int(good.sum()), (ncv - k) // 2), ncv - 1)
        q, _ = np.linalg.qr(vectors[:, :have])
        q, kept, last = _as_root(q, q.conj().T @ h[:ncv] @ q, h[ncv] @ q)
        basis[: have + 1] = names.concatenate([as_array(q.T) @ basis[:ncv], basis[ncv:]])
        h[:] = 0
        h[:have, :have], h[have, :have] = kept, last
    return None


def _extend(multiply, basis, h, j, rng):
    """One step: the product with vector j, made orthogonal to the vectors that there are, twice."""
    n = basis.shape[1]
    w, there = multiply(basis[j]), basis[: j + 1]
    size = norm(w)
    for _ in range(2):
        part = names.conj(there) @ w
        w = w - part @ there
        h[: j + 1, j] += part.numpy()
    w, beta = _scaled(w)
    if beta <= np.finfo(float).eps * n * size:  # the space is invariant: another vector begins the next one
        beta = 0.0
        if j + 1 < n:
            w = as_array(rng.standard_normal(n) + 0j)
            for _ in range(2):
                w = _scaled(w - (names.conj(there) @ w) @ there)[0]
    h[j + 1, j], basis[j + 1] = beta, w
