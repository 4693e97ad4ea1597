# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal.place_poles, of NumPy's arrays.

The eigenvectors to the wanted poles that a gain can reach are those of small spaces, one for each pole.  From these
they are chosen as far from each other as can be, one after the other: each is what its space has of the direction that
is orthogonal to all others (J. Kautsky, N. Nichols and P. van Dooren, Robust pole assignment in linear state feedback,
1985, method 0).  Complex poles have conjugated vectors."""

import types
import warnings

import numpy as np

from ._filters import _reals

__all__ = ["place_poles"]


def _in_order(poles):
    """The real ones by their size, and then conjugated pairs."""
    poles = np.asarray(poles)
    pairs = [p for q in np.sort_complex(poles[poles.imag < 0]) for p in (q, np.conj(q)) if np.conj(q) in poles]
    found = np.concatenate([np.sort(poles[poles.imag == 0].real), pairs])
    if len(found) != len(poles):
        raise ValueError("complex poles should come with their conjugates")
    return found


def _check(a, b, poles, method, rtol, maxiter):
    if a.ndim != 2 or a.shape[0] != a.shape[1] or b.ndim != 2 or len(b) != len(a) or not b.any():
        raise ValueError(f"A has the shape {a.shape} and B {b.shape}; A should be square, and B have as many rows, not "
                         "all zeros")
    if poles.shape != (len(a),):
        raise ValueError(f"there are poles of shape {poles.shape}, and {len(a)} are wanted")
    if method not in ("YT", "KNV0"):
        raise ValueError(f"method is {method!r}, and must be 'YT' or 'KNV0'")
    if method == "KNV0" and poles.imag.any():
        raise ValueError("the method 'KNV0' is for real poles")
    if maxiter < 1 or rtol > 1:
        raise ValueError(f"maxiter is {maxiter} and rtol {rtol}; they should be 1 or more, and 1 at most")
    rank = np.linalg.matrix_rank(b)
    if max(np.sum(poles == p) for p in poles) > rank:
        raise ValueError(f"a pole is wanted more often than B has independent columns, {rank}")
    return rank


def _reachable(a, outside, pole):
    """An orthonormal basis of the vectors x for which (A - pole) x is in the range of B; `outside` is orthogonal to
    it."""
    _, sizes, rows = np.linalg.svd(outside.T @ (a - pole * np.eye(len(a))))
    rank = int((sizes > sizes.max(initial=0) * len(a) * np.finfo(float).eps).sum())
    return rows[rank:].conj().T


def _best_pair(space, plane):
    """The unit vector of a space that spans most of a plane, given by two real vectors, together with its conjugate:
    the determinant of both is a Hermitian form."""
    y = plane.T @ space
    sizes, vectors = np.linalg.eigh(y.conj().T @ np.array([[0, 1j], [-1j, 0]]) @ y)
    return space @ vectors[:, np.abs(sizes).argmax()]


def _vectors(spaces, poles, rtol, maxiter):
    """Eigenvectors as columns, of which those of a pair are given by the real and the imaginary part of the first; how
    much their determinant changed at last; and after how many turns."""
    x = np.zeros((len(poles),) * 2)
    pairs = poles.imag < 0

    def put(j, vector):
        x[:, j] = vector.real
        if pairs[j]:
            x[:, j + 1] = vector.imag

    firsts = np.flatnonzero(poles.imag <= 0)
    for j in firsts:
        vector = spaces[j] @ np.cos(j + np.arange(spaces[j].shape[1]))
        put(j, vector / np.linalg.norm(vector))
    size, change, turn = 0.0, np.inf, 0
    while turn < maxiter and not (change < rtol and size > np.sqrt(np.finfo(float).eps)):
        turn += 1
        for j in firsts:
            count = 2 if pairs[j] else 1
            apart = np.linalg.qr(np.delete(x, range(j, j + count), axis=1), mode="complete")[0][:, -count:]
            vector = _best_pair(spaces[j], apart) if pairs[j] else spaces[j] @ (spaces[j].T @ apart[:, 0])
            if np.linalg.norm(vector) > np.finfo(float).eps:
                put(j, vector / np.linalg.norm(vector))
        before, size = size, abs(np.linalg.det(x))
        change = abs(size - before) / max(size, np.finfo(float).tiny)
    return x, change, turn


def _as_complex(x, poles):
    """The vectors of pairs as complex ones."""
    first = np.flatnonzero(poles.imag < 0)
    if first.size:
        x = x.astype(complex)
        x[:, first] += 1j * x[:, first + 1]
        x[:, first + 1] = x[:, first].conj()
    return x


def place_poles(A, B, poles, method="YT", rtol=1e-3, maxiter=30):  # noqa: N803
    """scipy.signal.place_poles: gain_matrix, with which A - B gain_matrix has the poles, and computed_poles,
    requested_poles, X, rtol and nb_iter.  Both methods are KNV0, for complex poles too, so that the gain of several
    inputs is another one than SciPy's.  Not collective."""
    a, b, poles = _reals(A), _reals(B), np.asarray(poles)
    rank = _check(a, b, poles, method, rtol, maxiter)
    wanted, n = _in_order(poles), len(a)
    basis = np.linalg.svd(b)[0]
    inside, outside = basis[:, :rank], basis[:, rank:]
    spaces = [_reachable(a, outside, p if p.imag else p.real) if rank < n else np.eye(n) for p in wanted]
    x, change, turns = _vectors(spaces, wanted, rtol, 1 if rank == 1 else maxiter)
    if rank > 1 and change >= rtol:
        warnings.warn(f"place_poles: after {turns} turns the vectors still change by {change:.3g}", stacklevel=2)
    above, below = np.minimum(wanted.imag[:-1], 0), np.maximum(wanted.imag[1:], 0)  # of the blocks of pairs
    closed = x @ (np.diag(wanted.real) + np.diag(above, 1) + np.diag(below, -1)) @ np.linalg.inv(x)
    gain = np.linalg.lstsq(inside.T @ b, inside.T @ (a - closed), rcond=None)[0]
    return types.SimpleNamespace(gain_matrix=gain, computed_poles=_in_order(np.linalg.eigvals(a - b @ gain)),
                                 requested_poles=wanted, X=_as_complex(x, wanted), rtol=0.0 if rank == 1 else change,
                                 nb_iter=0 if rank == 1 else turns)  # fmt: skip
