# SPDX-License-Identifier: BSD-3-Clause
"""What scipy.linalg has of functions and bands of matrices, by functions of the library.  All functions are
collective."""

import ctypes
import math

import numpy as np

from . import linalg
from ._array import as_blocks, ndarray, several
from ._errors import MatrixError
from ._library import call, constant
from ._matrix_equations import sign_by_newton
from ._names import names

__all__ = """cho_solve_banded cholesky_banded eig_banded eigh_tridiagonal eigvals_banded eigvalsh_tridiagonal expm_cond
    expm_frechet fractional_matrix_power signm""".split()


def chosen_word(word, choices, what):
    if word not in choices:
        raise ValueError(f"{what} is {word!r}, which is none of {', '.join(map(repr, choices))}")
    return word


# --- functions --------------------------------------------------------------------------------------------------------


def fractional_matrix_power(A, t):  # noqa: N803
    """scipy.linalg.fractional_matrix_power: the principal power, by the logarithm; complex unless t is a whole number.
    Where A is singular, powers that are no whole numbers are an error.  Collective."""
    a, whole = as_blocks(A), math.floor(t)
    if t == whole:
        return linalg.matrix_power(a, whole)
    part = linalg.expm((t - whole) * linalg.logm(a))
    return part if whole == 0 else linalg.matrix_power(a, whole) @ part


def signm(A, disp=True):  # noqa: N803
    """scipy.linalg.signm: the sign of one matrix, by Schur's decomposition, or Newton's iteration where that loses
    digits; with disp=False also an estimate of its error.  Collective."""
    a = as_blocks(A)
    a = a if a.dtype.kind in "fc" else names.astype(a, "float64")
    eps = float(np.finfo(a.dtype).eps)

    def sign(x):
        least = 1e3 * eps * names.max(abs(x), initial=0)
        return names.sign(names.where(abs(x.real) > least, x.real, 0))

    result, error = linalg.funm(a, sign, disp=False)
    if error >= 1e3 * np.finfo(float).eps:
        result, error = sign_by_newton(a, "signm"), eps
    result = names.copy(result.real) if a.dtype.kind == "f" and result.dtype.kind == "c" else result
    return result if disp else (result, error)


def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):  # noqa: N803
    """scipy.linalg.expm_frechet: the exponential of A, and its derivative along E, from the exponential of
    [[A, E], [0, A]]; compute_expm=False: the derivative alone.  Both methods are this one.  Collective."""
    chosen_word(method, (None, "SPS", "blockEnlarge"), "expm_frechet: the method")
    a, e = as_blocks(A), as_blocks(E)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or e.shape != a.shape:
        raise MatrixError(f"expm_frechet: A of shape {a.shape} and E of {e.shape} are not square matrices of one shape")
    n = a.shape[0]
    both = linalg.expm(names.block([[a, e], [names.zeros_like(a), a]]))
    derivative = names.copy(both[:n, n:])
    return (names.copy(both[:n, :n]), derivative) if compute_expm else derivative


def expm_cond(A, check_finite=True):  # noqa: N803
    """scipy.linalg.expm_cond: the condition of the exponential in Frobenius' norm, from its derivatives along all n^2
    elements, in 4 n^4 numbers of memory.  Collective."""
    a = as_blocks(A)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not a.size:
        raise MatrixError(f"expm_cond: A of shape {a.shape} is not one square matrix with elements")
    n = a.shape[0]
    blocks = names.zeros((n * n, 2 * n, 2 * n), np.result_type(a.dtype, np.float32))
    blocks[:, :n, :n] = blocks[:, n:, n:] = a
    blocks[:, :n, n:] = names.reshape(names.eye(n * n), (n * n, n, n))
    exponentials = linalg.expm(blocks)
    derivatives = names.reshape(names.copy(exponentials[:, :n, n:]), (n * n, n * n))
    return float(linalg.norm(derivatives, 2) * linalg.norm(a) / linalg.norm(exponentials[0, :n, :n]))


# --- matrices of few diagonals ----------------------------------------------------------------------------------------


def _triangle(bands, lower):
    """The triangle that SciPy's bands of a Hermitian matrix say, with zeros elsewhere."""
    bands = as_blocks(bands)
    if bands.ndim != 2 or not bands.size:
        raise MatrixError(f"bands of shape {bands.shape} are not one matrix")
    last, n = bands.shape[0] - 1, bands.shape[1]
    if lower:
        return sum(names.diag(bands[k, : n - k], -k) for k in range(min(last + 1, n)))
    return sum(names.diag(bands[last - k, k:], k) for k in range(min(last + 1, n)))


def _subset(select, select_range):
    """select and select_range of SciPy: the library's kind of subset, and its bounds."""
    kinds = {"a": "ALL", "all": "ALL", 0: "ALL", "v": "VALUES", "value": "VALUES", 1: "VALUES", "i": "INDICES",
             "index": "INDICES", 2: "INDICES"}
    kind = kinds[chosen_word(select, tuple(kinds), "select")]
    low, high = (0, 0) if kind == "ALL" else select_range
    return constant("SUBSET_" + kind), float(low), float(high)


def values_and_vectors(eigvals_only, *arguments):
    """Call a function whose outputs are eigenvalues, and vectors if they are wanted."""
    if not eigvals_only:
        return tuple(several(2, *arguments))
    cell = ctypes.c_void_p()
    call(*arguments, ctypes.byref(cell), None)
    return ndarray._adopt(cell.value)


def eigh_tridiagonal(d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0,
                     lapack_driver="auto"):
    """scipy.linalg.eigh_tridiagonal: eigenvalues, and vectors, of a symmetric matrix with the diagonals d and e.
    tol is not needed.  Collective."""
    arguments = "eigh_tridiagonal", as_blocks(d), as_blocks(e), *_subset(select, select_range)
    return values_and_vectors(eigvals_only, *arguments)


def eigvalsh_tridiagonal(d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    """scipy.linalg.eigvalsh_tridiagonal: as eigh_tridiagonal(), the eigenvalues alone.  Collective."""
    return eigh_tridiagonal(d, e, True, select, select_range)


def eig_banded(a_band, lower=False, eigvals_only=False, overwrite_a_band=False, select="a", select_range=None, max_ev=0,
               check_finite=True):
    """scipy.linalg.eig_banded: eigenvalues, and vectors, of a Hermitian matrix that is given by its diagonals; it is
    made whole for that.  max_ev is not needed.  Collective."""
    arguments = "eigh_subset", _triangle(a_band, lower), None, 1, not lower, *_subset(select, select_range)
    return values_and_vectors(eigvals_only, *arguments)


def eigvals_banded(a_band, lower=False, overwrite_a_band=False, select="a", select_range=None, check_finite=True):
    """scipy.linalg.eigvals_banded: as eig_banded(), the eigenvalues alone.  Collective."""
    return eig_banded(a_band, lower, True, select=select, select_range=select_range)


def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True):
    """scipy.linalg.cholesky_banded: the bands of Cholesky's factor, by that of the whole matrix.  Collective."""
    ab = as_blocks(ab)
    factor, n = linalg.cholesky(_triangle(ab, lower), lower=lower), ab.shape[1]
    order = range(ab.shape[0]) if lower else range(ab.shape[0] - 1, -1, -1)
    return names.stack([names.pad(names.diagonal(factor, -k if lower else k), (0, k) if lower else (k, 0)) if k < n
                        else names.zeros(n, factor.dtype) for k in order])


def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True):
    """scipy.linalg.cho_solve_banded: x with a x = b, by the bands that cholesky_banded() gave.  Collective."""
    bands, lower = cb_and_lower
    bands = as_blocks(bands)
    last, n = min(bands.shape[0], bands.shape[1]) - 1, bands.shape[1]
    bands = bands[: last + 1] if lower else bands[bands.shape[0] - 1 - last :]
    shifted = [names.pad(names.conj(row[: n - k] if lower else row[k:]), (k, 0) if lower else (0, k))
               for k, row in ((k, bands[k if lower else last - k]) for k in range(last + 1))]
    turned = names.stack(shifted[::-1] if lower else shifted)
    first, second = (bands, turned) if lower else (turned, bands)
    return linalg.solve_banded((0, last), second, linalg.solve_banded((last, 0), first, b))
