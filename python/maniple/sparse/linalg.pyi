# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

from . import csr_array

class LinearOperator:
    def __init__(
        self, shape_or_matrix: Any, matvec: Any = None, rmatvec: Any = None, dtype: npt.DTypeLike = ...,
    ) -> None: ...
    def free(self) -> None: ...
    def matvec(self, x: _ArrayLike) -> ndarray: ...
    def rmatvec(self, x: _ArrayLike) -> ndarray: ...
    def matmat(self, X: Any) -> ndarray: ...
    def dot(self, x: _ArrayLike) -> ndarray: ...
    def __matmul__(self, x: _ArrayLike) -> ndarray: ...
    def adjoint(self) -> LinearOperator: ...
    def transpose(self) -> LinearOperator: ...
    @property
    def H(self) -> LinearOperator: ...
    @property
    def T(self) -> LinearOperator: ...

class Preconditioner:
    def __init__(
        self, matrix: Any, kind: str, block: Any = 0, omega: float = 0.0, sweeps: Any = 0, degree: Any = 0,
    ) -> None: ...
    def free(self) -> None: ...
    def matvec(self, x: _ArrayLike) -> ndarray: ...

def aslinearoperator(A: csr_array | LinearOperator) -> LinearOperator: ...
def bicgstab(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def cg(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def cg1(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def cgs(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def chebyshev(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def eigsh(
    A: csr_array | LinearOperator, k: int = 6, which: str = 'LM', v0: _ArrayLike | None = None, ncv: int | None = None,
    maxiter: int | None = None, tol: float = 0, return_eigenvectors: bool = True, *, sigma: float | None = None, OPinv:
    Any = None,
) -> Any: ...
def expm_multiply(A: csr_array | LinearOperator, B: csr_array | LinearOperator | None) -> ndarray: ...
def fgmres(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def gmres(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def idr(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def lobpcg(
    A: csr_array | LinearOperator, X: _ArrayLike, B: csr_array | LinearOperator | None = None, M: Preconditioner |
    LinearOperator | csr_array | Callable[[ndarray], ndarray] | None = None, tol: float | None = None, maxiter: int |
    None = None, largest: bool = True,
) -> tuple[_Host, ndarray]: ...
def lsqr(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def matrix_power(A: csr_array | LinearOperator, power: Any) -> csr_array: ...
def minres(
    A: csr_array | LinearOperator, b: _ArrayLike, x0: ndarray | None = None, *, rtol: float = 1e-05, atol: float = 0.0,
    tol: float | None = None, maxiter: int | None = None, restart: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int]: ...
def norm(matrix: csr_array, ord: int | float | str | None = None, axis: _Axis = None) -> Any: ...
def spsolve_triangular(
    A: csr_array | LinearOperator, b: _ArrayLike, lower: bool = True, unit_diagonal: bool = False,
) -> ndarray: ...
def svds(
    A: csr_array | LinearOperator, k: int = 6, ncv: int | None = None, tol: float = 0, which: str = 'LM', v0: _ArrayLike
    | None = None, maxiter: int | None = None, return_singular_vectors: Any = True,
) -> Any: ...
