# SPDX-License-Identifier: BSD-3-Clause
"""What scipy.linalg has of factors: triangles by orthogonal matrices, Schur's decompositions, balance.  All functions
are collective."""

import inspect

import numpy as np

from . import linalg
from ._array import as_blocks, several
from ._matrix_functions import chosen_word
from ._names import names

__all__ = """cdf2rdf cossin hessenberg matrix_balance ordqz pinvh qr_multiply qz rq rsf2csf schur""".split()


# --- triangles and orthogonal matrices --------------------------------------------------------------------------------


def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
    """scipy.linalg.pinvh: the pseudo-inverse of a symmetric or Hermitian matrix, of which one triangle is read.
    Collective."""
    a = as_blocks(a)
    return linalg.pinv(a if lower else linalg.adjoint(a), rtol=rtol, hermitian=True, atol=atol, return_rank=return_rank)


def rq(a, overwrite_a=False, lwork=None, mode="full", check_finite=True):
    """scipy.linalg.rq: a = R Q, with signs that may differ; "r": R alone.  Collective."""
    chosen_word(mode, ("full", "r", "economic"), "rq: the mode")
    turned = linalg.adjoint(names.flip(as_blocks(a), -2))
    q, r = linalg.qr(turned, "reduced" if mode == "economic" else "complete")
    r = names.copy(names.flip(linalg.adjoint(r), (-2, -1)))
    return r if mode == "r" else (r, names.copy(names.flip(linalg.adjoint(q), -2)))


def qr_multiply(a, c, mode="right", pivoting=False, conjugate=False, overwrite_a=False, overwrite_c=False):
    """scipy.linalg.qr_multiply: c Q, or with mode "left" Q c, and R, where a = Q R, and with pivoting the order of the
    columns.  Collective."""
    chosen_word(mode, ("left", "right"), "qr_multiply: the mode")
    q, *rest = linalg.qr(as_blocks(a), "reduced", pivoting=pivoting)
    q, c = names.conj(q) if conjugate else q, as_blocks(c)
    return (q @ c if mode == "left" else c @ q), *rest


# --- Schur's decompositions -------------------------------------------------------------------------------------------


def hessenberg(a, calc_q=False, overwrite_a=False, check_finite=True):
    """scipy.linalg.hessenberg: H, and with calc_q also Q, of a = Q H Q^H.  Collective."""
    h, q = several(2, "hessenberg", as_blocks(a))
    return (h, q) if calc_q else h


def _kind_of_output(output, function):
    """Whether the results are to be complex."""
    if output not in ("real", "complex", "r", "c"):
        raise ValueError(f"{function}: output is {output!r}, which is neither real nor complex")
    return output[0] == "c"


def _lines(t):
    """The diagonal of matrices and the ones below and above, as NumPy's arrays."""
    return [names.diagonal(t, k, -2, -1).numpy() for k in (0, -1, 1)]


def _pairs(values, size):
    """Complex numbers of real ones, with an imaginary part of +size and -size in two neighbours."""
    none = [(0, 0)] * (size.ndim - 1)
    return values + 1j * (np.pad(size, [*none, (0, 1)]) - np.pad(size, [*none, (1, 0)]))


_PARTS_OF_PLANE = {"lhp": lambda w: w.real < 0, "rhp": lambda w: w.real >= 0, "iuc": lambda w: abs(w) <= 1,
                   "ouc": lambda w: abs(w) > 1}


def _chosen_values(sort, w, real):
    """Which eigenvalues come first: sort is a word, or a function of one eigenvalue, or of its two parts."""
    if not callable(sort):
        return _PARTS_OF_PLANE[chosen_word(sort, tuple(_PARTS_OF_PLANE), "schur: sort")](w)
    try:
        needed = [p for p in inspect.signature(sort).parameters.values() if p.default is p.empty]
    except ValueError:  # a function of C has none
        needed = [None]
    two = real and len(needed) == 2
    return np.array([bool(sort(v.real, v.imag) if two else sort(v)) for v in w.ravel()], bool).reshape(w.shape)


def schur(a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True):
    """scipy.linalg.schur: T and Z; output="complex" makes T triangular also for real matrices.  sort: which eigenvalues
    come first, one of lhp, rhp, iuc and ouc or a function; then also how many these are, of a batch as NumPy's array.
    Collective."""
    is_complex = _kind_of_output(output, "schur")
    t, z = several(2, "schur", as_blocks(a), is_complex)
    if sort is None:
        return t, z
    diagonal, below, above = _lines(t)
    real = t.dtype.kind == "f"
    if real:
        select = _chosen_values(sort, _pairs(diagonal, np.sqrt(abs(below)) * np.sqrt(abs(above)) * (below != 0)), True)
        select[..., :-1] |= select[..., 1:] & (below != 0)  # both of a pair
        select[..., 1:] |= select[..., :-1] & (below != 0)
    else:
        select = _chosen_values(sort, diagonal, False)
    count = np.count_nonzero(select, axis=-1)
    return *several(2, "schur_reorder", t, z, as_blocks(select)), int(count) if count.ndim == 0 else count


def rsf2csf(T, Z, check_finite=True):  # noqa: N803
    """scipy.linalg.rsf2csf: the complex Schur decomposition from a real one.  Collective."""
    t, z = linalg.schur(as_blocks(T), "complex")
    return t, as_blocks(Z) @ z


def _pencil(A, B, output, function):  # noqa: N803
    return several(4, "qz", as_blocks(A), as_blocks(B), _kind_of_output(output, function))


def qz(A, B, output="real", lwork=None, sort=None, overwrite_a=False, overwrite_b=False,  # noqa: N803
       check_finite=True):
    """scipy.linalg.qz: AA, BB, Q and Z, with A = Q AA Z^H and B = Q BB Z^H.  Collective."""
    if sort is not None:
        raise ValueError("qz: sort is given, and must be None: ordqz() sorts")
    return tuple(_pencil(A, B, output, "qz"))


def _values_of_pencil(aa, bb):
    """alpha and beta, whose quotients are the eigenvalues, as NumPy's arrays."""
    (alpha, below, above), beta = _lines(aa), _lines(bb)[0]
    if aa.dtype.kind == "c":
        return alpha, beta
    pair = below != 0  # blocks of 2 x 2: their eigenvalues are those of block diag(beta)^-1, and beta becomes 1
    first, second = alpha[..., :-1], alpha[..., 1:]
    of_first, of_second = (np.where(pair, b, 1) for b in (beta[..., :-1], beta[..., 1:]))
    half = (first / of_first - second / of_second) / 2
    size = np.sqrt(np.maximum(0, -(half * half + below / of_first * (above / of_second)))) * pair
    middle = np.where(pair, (first / of_first + second / of_second) / 2, 0)
    both = np.zeros(alpha.shape, bool)
    both[..., :-1] |= pair
    both[..., 1:] |= pair
    none = [(0, 0)] * (pair.ndim - 1)
    real = np.where(both, np.pad(middle, [*none, (0, 1)]) + np.pad(middle, [*none, (1, 0)]), alpha)
    return _pairs(real, size).astype(np.result_type(alpha, np.complex64)), np.where(both, 1, beta).astype(beta.dtype)


def _quotients(x, y):
    """Eigenvalues, infinite where y alone is 0 and NaN where both are."""
    return np.where(y == 0, np.where(x == 0, np.nan, np.inf), x / np.where(y == 0, 1, y))


_PARTS_OF_PENCIL = {"lhp": lambda w: w.real < 0, "rhp": lambda w: np.isfinite(w) & (w.real > 0),
                    "iuc": lambda w: abs(w) < 1, "ouc": lambda w: abs(w) > 1}


def ordqz(A, B, sort="lhp", output="real", overwrite_a=False, overwrite_b=False, check_finite=True):  # noqa: N803
    """scipy.linalg.ordqz: AA, BB, alpha, beta, Q and Z; sort is lhp, rhp, iuc or ouc, or a function of alpha and beta,
    which are NumPy's arrays.  Of a complex pair beta is 1.  Collective."""
    aa, bb, q, z = _pencil(A, B, output, "ordqz")
    alpha, beta = _values_of_pencil(aa, bb)
    if callable(sort):
        select = np.asarray(sort(alpha, beta), bool)
    else:
        select = _PARTS_OF_PENCIL[chosen_word(sort, tuple(_PARTS_OF_PENCIL), "ordqz: sort")](_quotients(alpha, beta))
    aa, bb, q, z = several(4, "qz_reorder", aa, bb, q, z, as_blocks(select))
    return aa, bb, *map(as_blocks, _values_of_pencil(aa, bb)), q, z


def cdf2rdf(w, v):
    """scipy.linalg.cdf2rdf: complex eigenvalues and vectors of real matrices as real blocks of 2 x 2, and vectors; of a
    pair the two values are neighbours.  Waits.  Collective."""
    w, v = as_blocks(w), as_blocks(v)
    n = w.shape[-1] if w.ndim else 0
    if v.shape != (*w.shape, n):
        raise ValueError(f"cdf2rdf: values of shape {w.shape} do not fit vectors of shape {v.shape}")
    paired = w.imag != 0
    number = names.cumsum(paired, axis=-1)
    if bool(names.any(number[..., -1:] % 2)):
        raise ValueError("cdf2rdf: there is a complex eigenvalue without its conjugate")
    first = paired & (number % 2 == 1)
    parts = (w.real, 0), (names.where(first, w.imag, 0), 1), (names.where(paired & ~first, w.imag, 0), -1)
    blocks = sum(part[..., None] * names.eye(n, k=k, dtype=part.dtype) for part, k in parts)
    return blocks, names.where(first[..., None, :], -v.imag, v.real)


# --- balance, cosines and sines ---------------------------------------------------------------------------------------


def matrix_balance(A, permute=True, scale=True, separate=False, overwrite_a=False):  # noqa: N803
    """scipy.linalg.matrix_balance: B = T^-1 A T, and T; separate: B, and the scales and the permutation of T.
    Collective."""
    b, scales, order = several(3, "matrix_balance", as_blocks(A), bool(permute), bool(scale))
    if separate:
        return b, (scales, order)
    rows = names.argsort(order, axis=-1)
    return b, names.where(rows[..., None] == names.arange(b.shape[-1]), scales[..., None, :], 0)


def _cosines_and_sines(theta, n, p, q, sign):
    """The n x n factor: its ones, cosines and sines are on few diagonals."""
    r = theta.shape[-1]
    both, right, below, neither = min(p, q) - r, min(p, n - q) - r, min(n - p, q) - r, min(n - p, n - q) - r
    cosine, sine = np.cos(theta), np.sin(theta)
    ones = np.ones((*theta.shape[:-1], n), theta.dtype)
    pieces = (  # a row and a column where a diagonal begins, and what is on it
        (0, 0, ones[..., :both]), (both, both, cosine), (both + r, n - right, sign * ones[..., :right]),
        (both, q + neither, sign * sine), (p, q, ones[..., :neither]), (p + neither, both, -sign * sine),
        (p + neither, q + neither, cosine), (p + neither + r, both + r, -sign * ones[..., :below]),
    )
    rows, columns = (np.concatenate([begin + np.arange(piece[2].shape[-1]) for piece in pieces for begin in [piece[k]]])
                     for k in (0, 1))
    factor = names.zeros((*theta.shape[:-1], n, n), theta.dtype)
    factor[..., rows, columns] = np.concatenate([values for _, _, values in pieces], axis=-1)
    return factor


def cossin(X, p=None, q=None, separate=False, swap_sign=False, compute_u=True, compute_vh=True):  # noqa: N803
    """scipy.linalg.cossin: u, cs and vh of an orthogonal or unitary matrix, whose first block has p rows and q columns,
    or of its four blocks; separate: (u1, u2), the angles, and (v1h, v2h).  Collective."""
    if p is None and q is None:
        blocks = [names.atleast_2d(as_blocks(x)) for x in X]
        if len(blocks) != 4:
            raise ValueError(f"cossin: without p and q X is four blocks, and there are {len(blocks)}")
        (p, q), x = blocks[0].shape, names.block([blocks[:2], blocks[2:]])
    else:
        x, p, q = as_blocks(X), 1 if p is None else p, 1 if q is None else q
    u, theta, vh = several(3, "cossin", x, p, q, bool(swap_sign))
    if separate:
        return (u[..., :p, :p], u[..., p:, p:]), theta, (vh[..., :q, :q], vh[..., q:, q:])
    factor = _cosines_and_sines(theta.numpy(), x.shape[-1], p, q, 1 if swap_sign else -1)
    unwanted = names.zeros((0, 0), x.dtype)
    return u if compute_u else unwanted, factor, vh if compute_vh else unwanted
