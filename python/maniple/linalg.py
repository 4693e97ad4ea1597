# SPDX-License-Identifier: BSD-3-Clause
"""numpy.linalg, and what scipy.linalg has beside it, on batches of any layout.  All functions are collective.

Functions take what SciPy's take for the sake of LAPACK, and it means nothing: they write over nothing, choose their own
methods, and report elements that are not finite where they have no result."""

import collections
import ctypes
import math
import operator

import numpy as np

from ._array import as_blocks, into, made, ndarray, several, vector_callback
from ._errors import LinAlgError, MatrixError
from ._library import call, constant
from ._names import finished, names, reduction_axes
from . import _matrix_equations, _matrix_factors, _matrix_functions, _matrix_updates, _special_matrices
from ._matrix_equations import *  # noqa: F403
from ._matrix_factors import *  # noqa: F403
from ._matrix_functions import *  # noqa: F403
from ._matrix_updates import *  # noqa: F403
from ._special_matrices import *  # noqa: F403
from ._products import kron, matmul, matrix_power, multi_dot, outer, set_precision, tensordot, vecdot

__all__ = """LinAlgError cho_factor cho_solve cholesky cond coshm cosm cross det diagonal eig eigh eigvals eigvalsh expm
    funm inv kron ldl logm lstsq lu lu_factor lu_solve matmul matrix_norm matrix_power matrix_rank matrix_transpose
    multi_dot norm null_space orth orthogonal_procrustes outer pinv polar qr set_precision sinhm sinm slogdet solve
    solve_banded solve_toeplitz solve_triangular solveh_banded sqrtm subspace_angles svd svd_randomised svdvals tanhm
    tanm tensordot tensorinv tensorsolve trace vecdot vector_norm""".split()
_PARTS = _matrix_equations, _matrix_factors, _matrix_functions, _matrix_updates, _special_matrices
__all__ += [name for part in _PARTS for name in part.__all__]

EigResult = collections.namedtuple("EigResult", "eigenvalues eigenvectors")
EighResult = collections.namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = collections.namedtuple("QRResult", "Q R")
SlogdetResult = collections.namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = collections.namedtuple("SVDResult", "U S Vh")


def _of_triangle(a, lower, conjugated):
    """The symmetric or Hermitian matrix of which one triangle is given."""
    half, rest = (names.tril(a), names.tril(a, -1)) if lower else (names.triu(a), names.triu(a, 1))
    return half + (adjoint(rest) if conjugated else names.matrix_transpose(rest))


def _of_real_diagonal(a):
    """A Hermitian matrix without imaginary parts on its diagonal, which LAPACK does not read."""
    return names.tril(a, -1) + names.tril(names.triu(names.real(a))) + names.triu(a, 1)


def _solve_by_diagonals(a, b, below, above):
    """Solve with so many diagonals of one matrix, of which the others are not read."""
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise MatrixError(f"solve: a of shape {a.shape} is not one square matrix")
    below, above = (min(number, a.shape[0] - 1) for number in (below, above))
    lines = [names.pad(names.diagonal(a, k), (max(k, 0), max(-k, 0))) for k in range(above, -below - 1, -1)]
    return solve_banded((below, above), names.stack(lines), b)


def solve(a, b, lower=None, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a="gen", transposed=False,
          *, mixed=False):
    """numpy.linalg.solve; assume_a, lower and transposed are those of scipy.linalg.solve.  Of a symmetric, Hermitian or
    positive definite matrix the triangle is read that lower tells, and without it the whole matrix, or of a positive
    definite one the lower triangle.  Symmetric and Hermitian matrices are solved as general ones, which also
    assume_a=None means.  mixed: factor in half the precision and correct the solution, or where that does not converge
    factor in the whole one."""
    if isinstance(lower, str):
        raise TypeError(f"solve: lower is {lower!r}, and what is known of a matrix is assume_a={lower!r}")
    kinds = {"gen": 0, "general": 0, "pos": 1, "positive definite": 1, "upper triangular": 2, "lower triangular": 3,
             "sym": 0, "symmetric": 0, "her": 0, "hermitian": 0, "diagonal": 0, "tridiagonal": 0, "banded": 0}
    assume_a = "gen" if assume_a is None else assume_a
    if assume_a not in kinds:
        raise ValueError(f"assume_a is {assume_a!r}, which is none of {', '.join(kinds)}")
    a = as_blocks(a)
    if transposed and lower is None and assume_a.startswith("pos"):
        lower = True  # the triangle that is read otherwise
    if lower is not None and assume_a.startswith(("sym", "her", "pos")):
        a = _of_triangle(a, lower, not assume_a.startswith("sym"))
    if assume_a.startswith(("her", "pos")) and a.dtype.kind == "c" and a.ndim > 1:
        a = _of_real_diagonal(a)
    if transposed:
        a = names.matrix_transpose(a)
    kind = kinds[assume_a]
    if transposed and kind > 1:
        kind = 5 - kind  # the other triangle
    if assume_a.endswith(("diagonal", "banded")) and a.size:
        width = {"diagonal": 0, "tridiagonal": 1}.get(assume_a)
        if a.ndim <= 2:
            widths = bandwidth(a) if width is None else (width, width)  # noqa: F405
            return _solve_by_diagonals(a, as_blocks(b), *widths)
        a = a if width is None else names.triu(names.tril(a, width), -width)
    if not mixed:
        return made("linalg_solve", a, as_blocks(b), kind)
    x = ctypes.c_void_p()
    call("linalg_solve_mixed", a, as_blocks(b), kind, ctypes.byref(x), None)
    return ndarray._adopt(x.value)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    kinds = {"N": 0, "T": 1, "C": 2, 0: 0, 1: 1, 2: 2}
    if trans not in kinds:
        raise ValueError(f"trans is {trans!r}, which is none of {', '.join(map(str, kinds))}")
    return made("solve_triangular", as_blocks(a), as_blocks(b), kinds[trans], bool(lower), bool(unit_diagonal))


def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """scipy.linalg.solve_banded: the diagonals in the rows of ab, the uppermost first."""
    l, u = l_and_u  # noqa: E741
    return made("solve_banded", l, u, as_blocks(ab), as_blocks(b))


def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    return made("solveh_banded", as_blocks(ab), as_blocks(b), bool(lower))


def solve_toeplitz(c_or_cr, b, check_finite=True):
    """scipy.linalg.solve_toeplitz: c_or_cr is the first column, or a tuple of it and the first row."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    return made("solve_toeplitz", as_blocks(c), None if r is None else as_blocks(r), as_blocks(b))


def tensorsolve(a, b, axes=None):
    """numpy.linalg.tensorsolve: x with tensordot(a, x, x.ndim) == b.  Collective."""
    a, b = as_blocks(a), as_blocks(b)
    if axes is not None:
        a = names.moveaxis(a, list(axes), list(range(a.ndim - len(axes), a.ndim)))
    shape = a.shape[b.ndim :]
    if math.prod(a.shape[: b.ndim]) != math.prod(shape):
        raise MatrixError(f"tensorsolve: a of shape {a.shape} is no square matrix for b of shape {b.shape}")
    return names.reshape(solve(names.reshape(a, (b.size, -1)), names.ravel(b)), shape)


def tensorinv(a, ind=2):
    """numpy.linalg.tensorinv: the inverse of what tensordot(a, x, ind) does.  Collective."""
    a = as_blocks(a)
    if ind <= 0:
        raise ValueError(f"tensorinv: ind is {ind}, and must be above 0")
    return names.reshape(inv(names.reshape(a, (math.prod(a.shape[:ind]), -1))), a.shape[ind:] + a.shape[:ind])


def adjoint(a):
    return names.conj(names.matrix_transpose(a))


def orthogonal_procrustes(A, B, check_finite=True):  # noqa: N803
    """scipy.linalg.orthogonal_procrustes: the orthogonal R that brings A R nearest to B, and a number, the sum of the
    singular values of A^H B.  Collective."""
    u, s, vh = svd(adjoint(adjoint(as_blocks(B)) @ as_blocks(A)))
    return u @ vh, names.sum(s)


def subspace_angles(A, B):  # noqa: N803
    """scipy.linalg.subspace_angles: the angles between the columns of two matrices, falling.  Collective."""
    a, b = orth(A), orth(B)
    overlap = adjoint(a) @ b
    cosines = svdvals(overlap)
    rest = b - a @ overlap if a.shape[1] >= b.shape[1] else a - b @ adjoint(overlap)
    sines = names.clip(svdvals(rest), -1.0, 1.0)
    small = cosines**2 >= 0.5
    by_sines, by_cosines = names.arcsin(names.flip(sines[: cosines.size])), names.arccos(names.clip(cosines, -1.0, 1.0))
    return names.where(small, by_sines, by_cosines)[::-1]


def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False, out=None):
    """numpy.linalg.inv; assume_a and lower are those of scipy.linalg.inv, as of solve().  Collective."""
    a = as_blocks(a)
    if assume_a in (None, "gen", "general") or a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        return into("inv", a, out=out)
    found = solve(a, names.eye(a.shape[-1], dtype=a.dtype), bool(lower), assume_a=assume_a)
    return found if out is None else into("copy", found, out=out)


def det(a, overwrite_a=False, check_finite=True):
    return made("det", as_blocks(a))


def slogdet(a):
    return SlogdetResult(*several(2, "slogdet", as_blocks(a)))


def cholesky(a, lower=None, overwrite_a=False, check_finite=True, *, upper=False):
    """numpy.linalg.cholesky, the lower triangle unless upper=True; lower= is that of scipy.linalg.  Collective."""
    return made("cholesky", as_blocks(a), bool(upper) if lower is None else not lower)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """scipy.linalg.cho_factor, whose other triangle is zeros here."""
    return cholesky(a, upper=not lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    return made("cho_solve", as_blocks(c), bool(lower), as_blocks(b))


def ldl(A, lower=True, hermitian=True, overwrite_a=False, check_finite=True):  # noqa: N803
    return tuple(several(3, "ldl", as_blocks(A), bool(lower), bool(hermitian)))


def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """scipy.linalg.lu: P, L and U, or with permute_l P @ L and U, or with p_indices p, L and U with a = L[p] @ U.
    Collective."""
    p, l, u = several(3, "lu", as_blocks(a))  # noqa: E741
    if permute_l:
        return made("matmul", p, l), u
    return names.astype(matmul(p, names.arange(p.shape[-1])), "int32") if p_indices else p, l, u


def lu_factor(a, overwrite_a=False, check_finite=True):
    return tuple(several(2, "lu_factor", as_blocks(a)))


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factors, piv = lu_and_piv
    return made("lu_solve", as_blocks(factors), as_blocks(piv), trans, as_blocks(b))


def _pivoted_qr(a, mode):
    """scipy.linalg.qr with pivoting=True."""
    if mode == "r":  # SciPy's R has as many rows as a
        r, p = several(2, "qr_pivoted", a, mode, None)
        return names.pad(r, [(0, 0)] * (a.ndim - 2) + [(0, a.shape[-2] - r.shape[-2]), (0, 0)]), p
    q, r, p = several(3, "qr_pivoted", a, mode)
    if mode != "raw":
        return q, r, p
    reflectors = names.matrix_transpose(q)
    return (reflectors, r), names.triu(reflectors[..., : min(a.shape[-2:]), :]), p


def qr(a, mode="reduced", *, pivoting=False, overwrite_a=False, lwork=None, check_finite=True):
    """numpy.linalg.qr; full and economic are scipy.linalg.qr's names of complete and reduced.  With pivoting SciPy's
    results: also the order of the columns, in which the diagonal of R falls; one rank computes then, on its CPU.
    Collective."""
    mode = {"full": "complete", "economic": "reduced"}.get(mode, mode)
    if pivoting:
        return _pivoted_qr(as_blocks(a), mode)
    if mode == "r":
        return made("qr", as_blocks(a), mode, None)
    q, r = several(2, "qr", as_blocks(a), mode)
    return (q, r) if mode == "raw" else QRResult(q, r)


def svdvals(a, overwrite_a=False, check_finite=True):
    return made("svdvals", as_blocks(a))


def _hermitian_svd(a):
    """From the eigenvalues, whose signs go to V^H."""
    w, v = eigh(a)
    order = names.flip(names.argsort(abs(w), axis=-1), -1)
    w, v = names.take_along_axis(w, order, -1), names.take_along_axis(v, order[..., None, :], -1)
    return SVDResult(v, abs(w), adjoint(v * names.where(w < 0, -1, 1)[..., None, :].astype(w.dtype)))


def _singular_values(a, hermitian):
    return names.flip(names.sort(abs(eigvalsh(a)), axis=-1), -1) if hermitian else svdvals(a)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False, *, overwrite_a=False, check_finite=True,
        lapack_driver="gesdd"):
    if not compute_uv:
        return _singular_values(a, hermitian)
    return _hermitian_svd(a) if hermitian else SVDResult(*several(3, "svd", as_blocks(a), bool(full_matrices)))


def svd_randomised(a, k, oversampling=10, iterations=2, seed=0):
    """The k largest singular values of one matrix, and their vectors, by products with k + oversampling random ones (N.
    Halko, P. G. Martinsson and J. A. Tropp, Finding structure with randomness, 2011), which are the same on any number
    of ranks; k + oversampling is at most min(m, n), where the result is that of svd().  Otherwise the values are too
    small, the less so the faster they decay from the k-th one on, and the more iterations there are.  The time is that
    of 2 iterations + 2 products of A and so many vectors.  Collective."""
    numbers = map(operator.index, (k, oversampling, iterations, seed))
    return SVDResult(*several(3, "svd_randomised", as_blocks(a), *numbers))


def _eigh_subset(a, b, lower, type, by_index, by_value, only_values):  # noqa: A002
    if by_index is not None and by_value is not None:
        raise ValueError("subset_by_index and subset_by_value are given, and one of them says it all")
    subset = "ALL" if by_index is None and by_value is None else "INDICES" if by_value is None else "VALUES"
    low, high = by_index if by_index is not None else by_value if by_value is not None else (0, 0)
    arguments = ("eigh_subset", as_blocks(a), None if b is None else as_blocks(b), type, not lower,
                 constant("SUBSET_" + subset), float(low), float(high))
    found = _matrix_functions.values_and_vectors(only_values, *arguments)
    return found if only_values else EighResult(*found)


def eigh(a, UPLO="L", *, b=None, lower=None, eigvals_only=False, overwrite_a=False, overwrite_b=False,  # noqa: N803
         type=1, check_finite=True, subset_by_index=None, subset_by_value=None, driver=None):  # noqa: A002
    """numpy.linalg.eigh, and with the named arguments scipy.linalg.eigh, whose b may also be the second one."""
    if not isinstance(UPLO, str):
        b, UPLO = UPLO, "L"  # noqa: N806
    if UPLO.upper() not in ("L", "U"):
        raise ValueError(f"UPLO is {UPLO!r}, which is neither L nor U")
    lower = UPLO.upper() == "L" if lower is None else lower
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        return _eigh_subset(a, b, lower, type, subset_by_index, subset_by_value, eigvals_only)
    if eigvals_only:
        return made("eigvalsh", as_blocks(a), not lower)
    return EighResult(*several(2, "eigh", as_blocks(a), not lower))


def eigvalsh(a, UPLO="L", *, b=None, lower=None, overwrite_a=False, overwrite_b=False, type=1,  # noqa: A002, N803
             check_finite=True, subset_by_index=None, subset_by_value=None, driver=None):
    """numpy.linalg.eigvalsh, and with the named arguments scipy.linalg.eigvalsh."""
    return eigh(a, UPLO, b=b, lower=lower, eigvals_only=True, type=type, subset_by_index=subset_by_index,
                subset_by_value=subset_by_value)


def _unit_columns(v):
    return v / norm(v, axis=-2, keepdims=True) if v.size else v


def _values(alpha, beta, homogeneous):
    """Numerators and denominators, or quotients, infinite where a denominator is 0, and NaN where both are."""
    if homogeneous:
        return names.stack([alpha, beta])
    none = beta == 0
    return names.where(none, names.where(alpha == 0, np.nan, np.inf), alpha / names.where(none, 1, beta))


def _eig_of_pair(a, b, left, right):
    """alpha and beta, and a list of the vectors that are wanted, left ones first."""
    cells = [ctypes.c_void_p() for _ in range(4)]
    wanted = [ctypes.byref(c) if needed else None for c, needed in zip(cells, (True, True, left, right))]
    call("eig_pair", as_blocks(a), as_blocks(b), *wanted)
    alpha, beta, *vectors = (ndarray._adopt(c.value) for c in cells if c.value)
    return alpha, beta, [_unit_columns(v) for v in vectors]


def eig(a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True,
        homogeneous_eigvals=False):
    """numpy.linalg.eig, and with further arguments scipy.linalg.eig: of the pair a, b, and left vectors, of a matrix
    alone where there are as many right ones as columns.  The eigenvalues and vectors are complex, as in the array API
    standard and NumPy since 2.5.  Collective."""
    if b is not None:
        alpha, beta, vectors = _eig_of_pair(a, b, left, right)
    elif left or right:
        alpha, v = several(2, "eig", as_blocks(a))
        beta, vectors = names.ones_like(alpha), [_unit_columns(adjoint(inv(v)))] * left + [v] * right
    else:
        return eigvals(a, homogeneous_eigvals=homogeneous_eigvals)
    values = _values(alpha, beta, homogeneous_eigvals) if b is not None or homogeneous_eigvals else alpha
    return values if not vectors else EigResult(values, *vectors) if right and not left else (values, *vectors)


def eigvals(a, b=None, overwrite_a=False, overwrite_b=False, check_finite=True, homogeneous_eigvals=False):
    """numpy.linalg.eigvals, and with more arguments scipy.linalg.eigvals, as eig(); they are complex.  Collective."""
    if b is not None:
        return _values(*_eig_of_pair(a, b, False, False)[:2], homogeneous_eigvals)
    w = made("eigvals", as_blocks(a))
    return _values(w, names.ones_like(w), True) if homogeneous_eigvals else w


def lstsq(a, b, rcond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None, *, cond=None,
          mixed=False):
    """numpy.linalg.lstsq: x, residuals, the rank and the singular values; rcond=-1 is eps, and cond is SciPy's name of
    rcond.  mixed: factor in half the precision and correct x, or where that does not serve as without; the singular
    values are not computed then, and are None."""
    if cond is not None and rcond is not None:
        raise ValueError("lstsq: rcond and cond are given, and they are two names of one bound")
    rcond = cond if rcond is None else rcond
    a, b = as_blocks(a), as_blocks(b)
    if rcond is not None and rcond < 0:
        kinds = [x.dtype if x.dtype.kind in "fc" else np.dtype(float) for x in (a, b)]
        rcond = float(np.finfo(np.result_type(*kinds)).eps)
    x, residuals, s = (ctypes.c_void_p() for _ in range(3))
    rank = ctypes.c_int64()
    call("lstsq_mixed" if mixed else "lstsq", a, b, -1.0 if rcond is None else float(rcond), ctypes.byref(x),
         ctypes.byref(residuals), ctypes.byref(rank), None if mixed else ctypes.byref(s))
    return ndarray._adopt(x.value), ndarray._adopt(residuals.value), rank.value, (
        None if mixed else ndarray._adopt(s.value))


def _large(s, shape, atol, rtol):
    """Which singular values of matrices of a shape are above atol + rtol times the largest.  Bounds are numbers, or
    arrays with one for each matrix; rtol None: max(m, n) eps."""
    rtol = max(shape[-2:]) * float(np.finfo(s.dtype).eps) if rtol is None else rtol
    atol, rtol = (as_blocks(t)[..., None] if np.ndim(t) else float(t) for t in (0 if atol is None else atol, rtol))
    return s > atol + rtol * names.max(s, axis=-1, keepdims=True, initial=0)


def pinv(a, rcond=None, hermitian=False, *, rtol=None, atol=None, return_rank=False, check_finite=True):
    """numpy.linalg.pinv; without a bound it is max(m, n) eps, as in SciPy.  A bound for each matrix is an array.  atol
    and return_rank are those of scipy.linalg.pinv; the rank is a number, or of a batch an array."""
    if rcond is not None and rtol is not None:
        raise ValueError("pinv: rcond and rtol are given, and they are two names of one bound")
    a, bound = as_blocks(a), rtol if rcond is None else rcond
    if not (hermitian or return_rank or atol is not None or np.ndim(bound)):
        return made("pinv", a, -1.0 if bound is None else float(bound))
    u, s, vh = svd(a, False, hermitian=hermitian)
    large = _large(s, a.shape, atol, bound)
    inverse = names.where(large, 1 / names.where(large, s, 1), 0)
    result = matmul(adjoint(vh) * inverse[..., None, :], adjoint(u))
    if not return_rank:
        return result
    rank = names.count_nonzero(large, axis=-1)
    return result, rank if rank.ndim else rank.item()


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):  # noqa: N803
    """numpy.linalg.matrix_rank: how many singular values are above tol, or rtol times the largest.  Collective."""
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank: tol and rtol are given, and one of them says it all")
    a = as_blocks(A)
    if a.ndim < 2:
        return names.astype(names.any(a != 0), "int64")
    if tol is None and not hermitian and np.ndim(rtol) == 0:
        return made("matrix_rank", a, -1.0 if rtol is None else float(rtol))
    large = _large(_singular_values(a, hermitian), a.shape, tol, rtol if tol is None else 0)
    return names.count_nonzero(large, axis=-1)


def matrix_transpose(x):
    return names.matrix_transpose(x)


def diagonal(x, *, offset=0):
    """numpy.linalg.diagonal: those of the last two dimensions, a view."""
    return names.diagonal(x, offset, -2, -1)


def trace(x, *, offset=0, dtype=None):
    """numpy.linalg.trace: of the last two dimensions."""
    return names.trace(x, offset, -2, -1, dtype=dtype)


def cross(x1, x2, *, axis=-1):
    """numpy.linalg.cross: of vectors of 3 elements along an axis."""
    return names.cross(x1, x2, axis=axis)


def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):  # noqa: N803
    return made("null_space", as_blocks(A), -1.0 if rcond is None else float(rcond))


def orth(A, rcond=None):  # noqa: N803
    return made("orth", as_blocks(A), -1.0 if rcond is None else float(rcond))


def polar(a, side="right"):
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}, which is neither left nor right")
    return tuple(several(2, "polar", as_blocks(a), side == "left"))


def _of_matrix(name):
    def function(A):  # noqa: N803
        return made(name, as_blocks(A))

    function.__name__ = function.__qualname__ = name
    return function


for _name in ("expm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"):
    globals()[_name] = _of_matrix(_name)


def sqrtm(A, disp=True, blocksize=64):  # noqa: N803
    """scipy.linalg.sqrtm, but always complex; with disp=False also the error, |R R - A|^2 / |A|.  blocksize is not
    needed.  Collective."""
    a = as_blocks(A)
    root = made("sqrtm", a)
    return root if disp else (root, norm(root @ root - a) ** 2 / norm(a))


def logm(A, disp=True):  # noqa: N803
    """scipy.linalg.logm, but always complex; with disp=False also the error, |expm(L) - A| / |A|.  Collective."""
    a = as_blocks(A)
    log = made("logm", a)
    return log if disp else (log, norm(expm(log) - a, 1) / norm(a, 1))  # noqa: F821


def funm(A, func, disp=True):  # noqa: N803
    """scipy.linalg.funm, but always complex: func gets an array of the eigenvalues.  With disp=False the result and an
    estimate of its error, which is large where eigenvalues are close to each other; otherwise a line tells of that."""
    cell, error, function = ctypes.c_void_p(), ctypes.c_double(), vector_callback(func)
    call("funm", as_blocks(A), ctypes.cast(function, ctypes.c_void_p).value, None, ctypes.byref(cell),
         ctypes.byref(error))
    result = ndarray._adopt(cell.value)
    if not disp:
        return result, error.value
    if error.value > 1000 * np.finfo(float).eps:
        print(f"funm: the result may be inaccurate, its error is about {error.value:.1e}")
    return result


def _order(ord):  # noqa: A002
    return None if ord is None else ord if isinstance(ord, str) else format(ord, "g")


def cond(x, p=None):
    return made("cond", as_blocks(x), _order(p))


def matrix_norm(x, *, keepdims=False, ord="fro"):  # noqa: A002
    return made("matrix_norm", as_blocks(x), _order(ord), bool(keepdims))


def norm(x, ord=None, axis=None, keepdims=False, check_finite=True):  # noqa: A002
    x = as_blocks(x)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 2 and _order(ord) in ("2", "-2", "nuc"):
        result = matrix_norm(names.moveaxis(x, list(axes), [-2, -1]), ord=ord)
        return names.expand_dims(result, sorted(a % x.ndim for a in axes)) if keepdims else result
    return made("norm", x, _order(ord), reduction_axes(axis, keepdims))


def vector_norm(x, axis=None, keepdims=False, ord=2):  # noqa: A002
    """numpy.linalg.vector_norm: the elements along all of the axes are one vector."""
    x = as_blocks(x)
    axes = range(x.ndim) if axis is None else [range(x.ndim)[a] for a in (axis if isinstance(axis, tuple) else (axis,))]
    if len(axes) == 1:
        return norm(x, ord, axes[0], keepdims)
    others = [n for d, n in enumerate(x.shape) if d not in axes]
    elements = [n for d, n in enumerate(x.shape) if d in axes]
    vectors = names.moveaxis(x, list(axes), list(range(-len(axes), 0)))
    result = norm(names.reshape(vectors, (*others, math.prod(elements))), ord, -1)
    return names.expand_dims(result, sorted(axes)) if keepdims else result


_SCIPY = """cho_factor cho_solve coshm cosm expm funm ldl logm lu lu_factor lu_solve null_space orth
    orthogonal_procrustes polar sinhm sinm solve_banded solve_toeplitz solve_triangular solveh_banded sqrtm
    subspace_angles tanhm tanm""".split()
_SCIPY += [name for part in _PARTS for name in part.__all__]

__dir__ = finished(globals(), "numpy.linalg", {"scipy.linalg": _SCIPY})
