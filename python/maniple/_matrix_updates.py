# SPDX-License-Identifier: BSD-3-Clause
"""scipy.linalg's updates of QR factorisations, and sketches.  All functions are collective.

Updates are QR factorisations of what changes, of parts of R mostly, and products with Q, which all ranks compute
together.  That is more arithmetic than the rotations that SciPy applies one after the other, but Q and R need not be
brought to one rank."""

import numpy as np

from . import linalg, sparse
from ._array import as_blocks
from ._errors import LinAlgError, MatrixError
from ._library import constant
from ._matrix_functions import chosen_word
from ._names import names
from .comm import bcast

__all__ = """clarkson_woodruff_transform qr_delete qr_insert qr_update""".split()


def _factors(function, Q, R):  # noqa: N803
    """Q and R as arrays, and the mode of QR that keeps their kind: Q is square, or has as many columns as R."""
    q, r = as_blocks(Q), as_blocks(R)
    if q.ndim != 2 or r.ndim != 2 or q.shape[1] != r.shape[0] or q.shape[0] < q.shape[1] or (
            q.shape[0] != q.shape[1] != r.shape[1]):
        raise MatrixError(f"{function}: Q of shape {q.shape} and R of {r.shape} are not the factors of one matrix")
    return q, r, "complete" if q.shape[0] == q.shape[1] else "reduced"


def _within(function, k, most):
    """The number of a row or a column, from the end where it is negative."""
    at = k + most if k < 0 else k
    if not 0 <= at <= most:
        raise ValueError(f"{function}: k is {k}, and there are {most} rows or columns")
    return at


def _vectors(function, name, u, size):
    """Vectors of that size as the columns of a matrix."""
    u = as_blocks(u)
    columns = u[:, None] if u.ndim == 1 else u
    if columns.ndim != 2 or columns.shape[0] != size:
        raise MatrixError(f"{function}: {name} of shape {u.shape} has not vectors of {size} elements")
    return columns


def _joined(rows):
    return names.concatenate([names.concatenate(row, axis=1) for row in rows], axis=0)


def _triangular_from(q, r, k, mode):
    """The factors of q r, where the first k columns of r are triangular already."""
    q1, r1 = linalg.qr(r[k:, k:], mode)
    below = names.zeros((r1.shape[0], k), r1.dtype)
    return names.concatenate([q[:, :k], q[:, k:] @ q1], axis=1), _joined([[r[:k]], [below, r1]])


def qr_delete(Q, R, k, p=1, which="row", overwrite_qr=False, check_finite=True):  # noqa: N803
    """scipy.linalg.qr_delete: the factors without p rows, or columns, from number k on.  Collective."""
    q, r, mode = _factors("qr_delete", Q, R)
    rows = chosen_word(which, ("row", "col"), "qr_delete: which") == "row"
    most = q.shape[0] if rows else r.shape[1]
    k = _within("qr_delete", k, most)
    if p < 1 or k + p > most:
        raise ValueError(f"qr_delete: p is {p}, and there are {most} rows or columns, from number {k} on")
    if not rows:
        return _triangular_from(q, names.concatenate([r[:, :k], r[:, k + p :]], axis=1), k, mode)
    q1, r1 = linalg.qr(names.concatenate([q[:k], q[k + p :]]), mode)
    return q1, r1 @ r


def _independent(q, u, rcond):
    """LinAlgError if columns are dependent on those of q, as far as rcond tells."""
    values = linalg.svdvals(names.concatenate([q, u / linalg.norm(u, axis=0)], axis=1))
    if not float(values[-1]) >= rcond * float(values[0]):
        raise LinAlgError(constant("ERR_LINALG"), "qr_insert: the columns are dependent on those of Q")


def qr_insert(Q, R, u, k, which="row", rcond=None, overwrite_qru=False, check_finite=True):  # noqa: N803
    """scipy.linalg.qr_insert: the factors with rows, or columns, u before number k.  rcond: a bound below which columns
    are dependent, and an error, where Q is not square; None: they are never.  Collective."""
    q, r, mode = _factors("qr_insert", Q, R)
    if chosen_word(which, ("row", "col"), "qr_insert: which") == "row":
        k, u = _within("qr_insert", k, q.shape[0]), _vectors("qr_insert", "u", np.transpose(u), r.shape[1])
        q1, r1 = linalg.qr(names.concatenate([r, names.matrix_transpose(u)]), mode)
        old = q @ q1[: r.shape[0]]
        return names.concatenate([old[:k], q1[r.shape[0] :], old[k:]]), r1
    k, u, n = _within("qr_insert", k, r.shape[1]), _vectors("qr_insert", "u", u, q.shape[0]), q.shape[1]
    if mode == "complete":
        new = linalg.adjoint(q) @ u
    else:
        if rcond is not None:
            _independent(q, u, rcond)
        q, wider = linalg.qr(names.concatenate([q, u], axis=1))
        r, new = wider[:, :n] @ r, wider[:, n:]
    return _triangular_from(q, names.concatenate([r[:, :k], new, r[:, k:]], axis=1), k, mode)


def qr_update(Q, R, u, v, overwrite_qruv=False, check_finite=True):  # noqa: N803
    """scipy.linalg.qr_update: the factors of Q R + u v^H, where u and v are vectors, or matrices with as many columns.
    Collective."""
    q, r, mode = _factors("qr_update", Q, R)
    u, v = _vectors("qr_update", "u", u, q.shape[0]), _vectors("qr_update", "v", v, r.shape[1])
    if u.shape[1] != v.shape[1]:
        raise MatrixError(f"qr_update: u has {u.shape[1]} columns and v {v.shape[1]}")
    if mode == "complete":
        changed = r + (linalg.adjoint(q) @ u) @ linalg.adjoint(v)
    else:
        q, wider = linalg.qr(names.concatenate([q, u], axis=1))
        changed = wider @ names.concatenate([r, linalg.adjoint(v)])
    q1, r1 = linalg.qr(changed, mode)
    return q @ q1, r1


def clarkson_woodruff_transform(input_matrix, sketch_size, seed=None):
    """scipy.linalg.clarkson_woodruff_transform: sums of the rows with random signs, S @ input_matrix, as many as
    sketch_size; of the same seed the numbers are SciPy's.  None: a seed of rank 0's.  Collective."""
    count = input_matrix.shape[0]
    if seed is None:
        seed = int.from_bytes(bcast(np.random.default_rng().bytes(4)), "little")
    rng = seed if hasattr(seed, "choice") else np.random.RandomState(seed)  # of NumPy, whose numbers all ranks have
    rows = rng.integers(0, sketch_size, count) if hasattr(rng, "integers") else rng.randint(0, sketch_size, count)
    signs = rng.choice([1, -1], count).astype(input_matrix.dtype)
    return sparse.csr_array((signs, (rows, np.arange(count))), shape=(sketch_size, count)) @ input_matrix
