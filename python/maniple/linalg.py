# SPDX-License-Identifier: BSD-3-Clause
"""numpy.linalg, and what scipy.linalg has beside it, on batches of any layout.  All functions are collective."""

import collections
import ctypes

import numpy as np

from ._array import as_array, into, made, ndarray
from ._library import LinAlgError, call
from ._names import names, reduction_axes
from ._products import matmul, matrix_power, multi_dot, outer, set_precision, tensordot, vecdot

__all__ = """LinAlgError cho_factor cho_solve cholesky det eig eigh eigvals eigvalsh inv lu lu_factor lu_solve matmul
    matrix_power multi_dot norm outer qr set_precision slogdet solve solve_triangular svd svdvals tensordot
    vecdot""".split()

EigResult = collections.namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = collections.namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = collections.namedtuple("QRResult", "Q R")
SlogdetResult = collections.namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = collections.namedtuple("SVDResult", "U S Vh")


def _several(count, name, *arguments):
    """Call a function whose last parameters are so many new outputs."""
    cells = [ctypes.c_void_p() for _ in range(count)]
    call(name, *arguments, *map(ctypes.byref, cells))
    return [ndarray(c.value) for c in cells]


def solve(a, b, assume_a="gen"):
    """numpy.linalg.solve; assume_a is that of scipy.linalg.solve: gen, pos, or upper or lower triangular."""
    kinds = {"gen": 0, "general": 0, "pos": 1, "positive definite": 1, "upper triangular": 2, "lower triangular": 3}
    if assume_a not in kinds:
        raise ValueError(f"assume_a is {assume_a!r}, which is none of {', '.join(kinds)}")
    return made("linalg_solve", as_array(a), as_array(b), kinds[assume_a])


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    trans = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    return made("solve_triangular", as_array(a), as_array(b), trans, bool(lower), bool(unit_diagonal))


def inv(a, out=None):
    return into("inv", as_array(a), out=out)


def det(a):
    return made("det", as_array(a))


def slogdet(a):
    return SlogdetResult(*_several(2, "slogdet", as_array(a)))


def cholesky(a, *, upper=False):
    return made("cholesky", as_array(a), bool(upper))


def cho_factor(a, lower=False):
    """scipy.linalg.cho_factor, whose other triangle is zeros here."""
    return cholesky(a, upper=not lower), lower


def cho_solve(c_and_lower, b):
    c, lower = c_and_lower
    return made("cho_solve", as_array(c), bool(lower), as_array(b))


def lu(a):
    return tuple(_several(3, "lu", as_array(a)))


def lu_factor(a):
    return tuple(_several(2, "lu_factor", as_array(a)))


def lu_solve(lu_and_piv, b, trans=0):
    factors, piv = lu_and_piv
    return made("lu_solve", as_array(factors), as_array(piv), trans, as_array(b))


def qr(a, mode="reduced"):
    if mode == "r":
        return made("qr", as_array(a), mode, None)
    q, r = _several(2, "qr", as_array(a), mode)
    return (q, r) if mode == "raw" else QRResult(q, r)


def svdvals(x):
    return made("svdvals", as_array(x))


def svd(a, full_matrices=True, compute_uv=True):
    return SVDResult(*_several(3, "svd", as_array(a), bool(full_matrices))) if compute_uv else svdvals(a)


def eigh(a, UPLO="L"):  # noqa: N803
    return EighResult(*_several(2, "eigh", as_array(a), UPLO.upper() == "U"))


def eigvalsh(a, UPLO="L"):  # noqa: N803
    return made("eigvalsh", as_array(a), UPLO.upper() == "U")


def _real_if_all_are(a, *results):
    """Results of real matrices are real if no eigenvalue has an imaginary part, as those of NumPy before 2.5."""
    newer = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"
    if newer or as_array(a).dtype.kind == "c" or np.any(results[0].numpy().imag):
        return results
    return tuple(names.copy(r.real) for r in results)


def eig(a):
    """numpy.linalg.eig.  To tell whether the results are real, the eigenvalues are brought to the CPU."""
    return EigResult(*_real_if_all_are(a, *_several(2, "eig", as_array(a))))


def eigvals(a):
    return _real_if_all_are(a, made("eigvals", as_array(a)))[0]


def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
    text = None if ord is None else ord if isinstance(ord, str) else format(ord, "g")
    return made("norm", as_array(x), text, reduction_axes(axis, keepdims))


def vector_norm(x, axis=None, keepdims=False, ord=2):  # noqa: A002
    x = as_array(x)
    return norm(names.ravel(x) if axis is None and not keepdims else x, ord, axis, keepdims)
