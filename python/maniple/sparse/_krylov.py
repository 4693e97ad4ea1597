# SPDX-License-Identifier: BSD-3-Clause
"""scipy.sparse.linalg.eigs, which is written in Python, of products with an operator."""

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
