# SPDX-License-Identifier: BSD-3-Clause
"""scipy.linalg's special matrices and tests of matrices.  All functions are collective."""

import math

import numpy as np

from ._array import as_blocks, result_type
from ._names import names

__all__ = """bandwidth block_diag circulant companion convolution_matrix dft diagsvd fiedler fiedler_companion hadamard
    hankel helmert hilbert invhilbert invpascal ishermitian issymmetric khatri_rao leslie pascal toeplitz""".split()


def _vector(x, name):
    x = names.ravel(as_blocks(x))
    if not x.size:
        raise ValueError(f"{name}: a vector is empty")
    return x


def _vectors(x, name):
    """A vector, or several along the last axis, each of which makes a matrix."""
    x = names.atleast_1d(as_blocks(x))
    if not x.shape[-1]:
        raise ValueError(f"{name}: a vector is empty")
    return x


def _beside(x, y):
    """As many vectors of both."""
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    return (v if v.shape[:-1] == lead else names.copy(names.broadcast_to(v, lead + v.shape[-1:])) for v in (x, y))


def _diagonals(values, count):
    """The matrix of all windows of so many values, which has the same along each diagonal from the right to the left."""
    return names.sliding_window_view(values, count, -1)


def toeplitz(c, r=None):
    """scipy.linalg.toeplitz: the first column, and the first row, or else the conjugate of the column; of several along
    the last axis as many matrices.  Collective."""
    c = _vectors(c, "toeplitz")
    c, r = _beside(c, names.conj(c) if r is None else _vectors(r, "toeplitz"))
    values = names.concatenate([names.flip(r[..., 1:], -1), c], axis=-1)
    return names.copy(_diagonals(values, r.shape[-1])[..., ::-1])


def hankel(c, r=None):
    """scipy.linalg.hankel: the first column, and the last row, or else zeros.  Collective."""
    c = _vector(c, "hankel")
    r = names.zeros_like(c) if r is None else _vector(r, "hankel")
    return names.copy(_diagonals(names.concatenate([c, r[1:]]), r.size))


def circulant(c):
    c = _vectors(c, "circulant")
    return toeplitz(c, names.roll(names.flip(c, -1), 1, -1))


def convolution_matrix(a, n, mode="full"):
    """scipy.linalg.convolution_matrix: the matrix A with A @ v == convolve(a, v, mode), for v of n elements.
    Collective."""
    a = _vectors(a, "convolution_matrix")
    if n < 1 or mode not in ("full", "same", "valid"):
        raise ValueError(f"convolution_matrix: n is {n}, or the mode {mode!r} is none of full, same and valid")
    widths = [(0, 0)] * (a.ndim - 1) + [(0, n - 1)]
    whole = toeplitz(names.pad(a, widths), names.pad(a[..., :1], widths))
    shorter = min(n, a.shape[-1]) - 1
    cut = {"full": 0, "same": shorter // 2, "valid": shorter}[mode]
    left = {"full": 0, "same": shorter - shorter // 2, "valid": shorter}[mode]
    return whole[..., cut : whole.shape[-2] - left if mode != "same" else cut + max(n, a.shape[-1]), :]


def hilbert(n):
    i = names.arange(n)
    return 1 / (i[:, None] + i + 1.0)


def dft(n, scale=None):
    """scipy.linalg.dft; scale is None, "sqrtn" or "n".  Collective."""
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"dft: scale is {scale!r}, which is none of None, 'sqrtn' and 'n'")
    i = names.arange(n)
    whole = names.exp(-2j * np.pi / n * (i[:, None] * i % n))
    return whole / {None: 1.0, "sqrtn": np.sqrt(n), "n": float(n)}[scale]


def hadamard(n, dtype=int):
    if n < 1 or n & (n - 1):
        raise ValueError(f"hadamard: n is {n}, which is no power of 2")
    whole = names.ones((1, 1), dtype)
    while whole.shape[0] < n:
        whole = names.block([[whole, whole], [whole, -whole]])
    return whole


def helmert(n, full=False):
    i = names.arange(n)
    whole = names.tril(names.ones((n, n)), -1) - names.diag(i.astype(float))
    whole[0] = 1
    whole = whole / names.sqrt(names.where(i == 0, float(n), i * (i + 1.0)))[:, None]
    return whole if full else whole[1:]


def fiedler(a):
    a = _vectors(a, "fiedler")
    return abs(a[..., :, None] - a[..., None, :])


def companion(a):
    a = _vectors(a, "companion")
    if a.shape[-1] < 2:
        raise ValueError("companion: a polynomial of one coefficient has no matrix")
    row = -a[..., 1:] / (1.0 * a[..., :1])
    n = row.shape[-1]
    whole = names.copy(names.broadcast_to(names.eye(n, k=-1, dtype=row.dtype), row.shape + (n,)))
    whole[..., 0, :] = row
    return whole


def fiedler_companion(a):
    """scipy.linalg.fiedler_companion: a matrix of five diagonals with the polynomial a.  Collective."""
    a = _vectors(a, "fiedler_companion")
    if a.ndim > 1:
        made = names.stack([fiedler_companion(row) for row in names.unstack(names.reshape(a, (-1, a.shape[-1])))])
        return names.reshape(made, a.shape[:-1] + made.shape[1:])
    if a.size == 1:
        return names.zeros(0, a.dtype)
    a = a / (1.0 * a[0])
    n = a.size - 1
    if n == 1:
        return -a[1:, None]
    even = names.arange(n - 1) % 2 == 0
    above, below = names.where(even, -a[2:], 0), names.where(even, 0, -a[2:])
    below[0] = 1
    corner = names.where(names.arange(n) == 0, -a[1], 0)
    return sum(names.diag(names.astype(line, a.dtype), k)
               for line, k in ((corner, 0), (above, 1), (below, -1), (even[:-1], 2), (~even[:-1], -2)))


def leslie(f, s):
    f, s = _beside(_vectors(f, "leslie"), _vectors(s, "leslie"))
    n, below = f.shape[-1], names.arange(s.shape[-1])
    if n != below.size + 1:
        raise ValueError(f"leslie: there are {n} fecundities and {below.size} survivals, which must be one less")
    whole = names.zeros(f.shape + (n,), result_type(f, s))
    whole[..., below + 1, below] = s
    whole[..., 0, :] = f
    return whole


def diagsvd(s, M, N):  # noqa: N803
    """scipy.linalg.diagsvd: the M x N matrix with the singular values s on its diagonal.  Collective."""
    s = names.ravel(as_blocks(s))
    if s.size not in (M, N):
        raise ValueError(f"diagsvd: there are {s.size} values for a matrix of {M} x {N}")
    return names.pad(names.diag(s), ((0, M - s.size), (0, N - s.size)))


def _of_integers(rows, exact, largest, dtype, name):
    """A matrix of Python's integers, which all ranks have made, in a dtype, or of floats."""
    if exact and max((abs(x) for row in rows for x in row), default=0) > largest:
        raise ValueError(f"{name}: the numbers do not fit into {dtype}; exact=False gives them as floats")
    values = [int(x) if exact else float(x) for row in rows for x in row]
    return as_blocks(np.array(values, dtype if exact else float).reshape(len(rows), len(rows)))


def _pascal(n, kind, name, signed):
    """Rows of Pascal's matrix, or of its inverse: the lower triangle L, the upper one, or L L^T, inverse L^-T L^-1."""
    if kind not in ("symmetric", "lower", "upper"):
        raise ValueError(f"{name}: kind is {kind!r}, which is none of symmetric, lower and upper")
    lower = [[(-1) ** (signed * (i + j)) * math.comb(i, j) for j in range(n)] for i in range(n)]
    upper = [list(row) for row in zip(*lower)]
    if kind != "symmetric":
        return lower if kind == "lower" else upper
    left = upper if signed else lower
    return [[sum(left[i][k] * left[j][k] for k in range(n)) for j in range(n)] for i in range(n)]


def pascal(n, kind="symmetric", exact=True):
    """scipy.linalg.pascal: binomial coefficients, uint64, or with exact=False floats.  Collective."""
    return _of_integers(_pascal(n, kind, "pascal", False), exact, 2**64 - 1, "uint64", "pascal")


def invpascal(n, kind="symmetric", exact=True):
    """scipy.linalg.invpascal: the inverse of pascal(), int64, or with exact=False floats.  Collective."""
    return _of_integers(_pascal(n, kind, "invpascal", True), exact, 2**63 - 1, "int64", "invpascal")


def invhilbert(n, exact=False):
    """scipy.linalg.invhilbert: the inverse of hilbert(), floats, or with exact=True int64.  Collective."""
    rows = [[(-1) ** (i + j) * (i + j + 1) * math.comb(n + i, n - j - 1) * math.comb(n + j, n - i - 1)
             * math.comb(i + j, i) ** 2 for j in range(n)] for i in range(n)]
    return _of_integers(rows, exact, 2**63 - 1, "int64", "invhilbert")


def block_diag(*arrs):
    """scipy.linalg.block_diag: arrays, of which vectors are rows, along the diagonal of zeros.  Collective."""
    blocks = [names.atleast_2d(as_blocks(a)) for a in arrs or ([[]],)]
    if any(b.ndim != 2 for b in blocks):
        raise ValueError("block_diag() takes arrays of at most two dimensions")
    whole = names.zeros(tuple(np.sum([b.shape for b in blocks], axis=0).tolist()), result_type(*blocks))
    i = j = 0
    for b in blocks:
        whole[i : i + b.shape[0], j : j + b.shape[1]] = b
        i, j = i + b.shape[0], j + b.shape[1]
    return whole


def khatri_rao(a, b):
    """scipy.linalg.khatri_rao: the Kronecker products of the columns.  Collective."""
    a, b = as_blocks(a), as_blocks(b)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise ValueError(f"khatri_rao: matrices of shapes {a.shape} and {b.shape} have not the same columns")
    return names.reshape(a[:, None, :] * b[None, :, :], (-1, a.shape[1]))


def bandwidth(a):
    """How many diagonals below and above the main one have elements that are not 0.  Waits.  Collective."""
    distances = names.subtract(*names.nonzero(as_blocks(a)))
    return int(names.max(distances, initial=0)), int(names.max(-distances, initial=0))


def _equals(a, b, atol, rtol):
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        return False
    if atol is None and rtol is None:
        return names.array_equal(a, b)
    return names.allclose(a, b, rtol or 0.0, atol or 0.0)


def issymmetric(a, atol=None, rtol=None):
    """Whether a matrix is its transpose: a bool, the same on all ranks.  Waits.  Collective."""
    a = as_blocks(a)
    return _equals(a, names.transpose(a), atol, rtol)


def ishermitian(a, atol=None, rtol=None):
    """Whether a matrix is its adjoint: a bool, the same on all ranks.  Waits.  Collective."""
    a = as_blocks(a)
    return _equals(a, names.conj(names.transpose(a)), atol, rtol)
