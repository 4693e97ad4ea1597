# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

from . import csr_array

class LinearOperator:
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    def __init__(
        self, shape: Any, matvec: Any = None, rmatvec: Any = None, matmat: Any = None, dtype: npt.DTypeLike = ...,
        rmatmat: Any = None,
    ) -> None: ...
    def free(self) -> None: ...
    ndim: int
    def matvec(self, x: _ArrayLike) -> ndarray: ...
    def rmatvec(self, x: _ArrayLike) -> ndarray: ...
    def matmat(self, X: Any) -> ndarray: ...
    def dot(self, x: _ArrayLike) -> ndarray: ...
    def rmatmat(self, X: Any) -> ndarray: ...
    def __matmul__(self, x: _Operand | LinearOperator | csr_array) -> Any: ...
    def __call__(self, x: _ArrayLike) -> ndarray: ...
    def __mul__(self, x: _Operand | LinearOperator | csr_array) -> Any: ...
    def __rmul__(self, number: complex | np.generic) -> LinearOperator: ...
    def __neg__(self) -> LinearOperator: ...
    def __add__(self, other: _Operand | LinearOperator | csr_array) -> LinearOperator: ...
    def __sub__(self, other: _Operand | LinearOperator | csr_array) -> LinearOperator: ...
    def __pow__(self, power: Any) -> LinearOperator: ...
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

def aslinearoperator(A: csr_array | LinearOperator | _ArrayLike) -> LinearOperator: ...
def bicg(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, tol: float | None =
    None,
) -> tuple[ndarray, int]: ...
def bicgstab(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, tol: float | None =
    None,
) -> tuple[ndarray, int]: ...
def cg(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, tol: float | None =
    None,
) -> tuple[ndarray, int]: ...
def cg1(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, tol: float | None =
    None,
) -> tuple[ndarray, int]: ...
def cgs(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, tol: float | None =
    None,
) -> tuple[ndarray, int]: ...
def chebyshev(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, tol: float | None =
    None,
) -> tuple[ndarray, int]: ...
def eigs(
    A: csr_array | LinearOperator | _ArrayLike, k: int = 6, M: Preconditioner | LinearOperator | csr_array | _ArrayLike
    | Callable[[ndarray], ndarray] | None = None, sigma: float | None = None, which: str = 'LM', v0: _ArrayLike | None =
    None, ncv: int | None = None, maxiter: int | None = None, tol: float = 0, return_eigenvectors: bool = True, Minv:
    Any = None, OPinv: Any = None, OPpart: Any = None, rng: Any = None,
) -> Any: ...
def eigsh(
    A: csr_array | LinearOperator | _ArrayLike, k: int = 6, M: Preconditioner | LinearOperator | csr_array | _ArrayLike
    | Callable[[ndarray], ndarray] | None = None, sigma: float | None = None, which: str = 'LM', v0: _ArrayLike | None =
    None, ncv: int | None = None, maxiter: int | None = None, tol: float = 0, return_eigenvectors: bool = True, Minv:
    Any = None, OPinv: Any = None, mode: str = 'normal', rng: Any = None,
) -> Any: ...
def expm_multiply(
    A: csr_array, B: _ArrayLike, start: float | None = None, stop: float | None = None, num: int | None = None,
    endpoint: bool | None = None, traceA: Any = None,
) -> ndarray: ...
def fgmres(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, restart: int | None = None, maxiter: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | _ArrayLike | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None
    = None, callback_type: str | None = None, tol: float | None = None,
) -> tuple[ndarray, int]: ...
def gmres(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, restart: int | None = None, maxiter: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | _ArrayLike | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None
    = None, callback_type: str | None = None, tol: float | None = None,
) -> tuple[ndarray, int]: ...
def idr(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, restart: int | None = None, maxiter: int | None = None, M: Preconditioner | LinearOperator
    | csr_array | _ArrayLike | Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None
    = None, tol: float | None = None,
) -> tuple[ndarray, int]: ...
def lobpcg(
    A: csr_array | LinearOperator | _ArrayLike, X: _ArrayLike, B: csr_array | LinearOperator | _ArrayLike | None = None,
    M: Preconditioner | LinearOperator | csr_array | _ArrayLike | Callable[[ndarray], ndarray] | None = None, Y: Any =
    None, tol: float | None = None, maxiter: int | None = None, largest: bool = True, verbosityLevel: Any = 0,
    retLambdaHistory: Any = False, retResidualNormsHistory: Any = False, restartControl: Any = 20,
) -> tuple[_Host, ndarray]: ...
def lsmr(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, damp: float = 0.0, atol: float = 1e-06, btol: float =
    1e-06, conlim: float = 100000000.0, maxiter: int | None = None, show: bool = False, x0: _ArrayLike | None = None,
) -> tuple[ndarray, int, int, float, float, float, float, float]: ...
def lsqr(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, damp: float = 0.0, atol: float = 1e-06, btol: float =
    1e-06, conlim: float = 100000000.0, iter_lim: int | None = None, show: bool = False, calc_var: bool = False, x0:
    _ArrayLike | None = None, *, callback: Callable[[ndarray], object] | None = None,
) -> tuple[ndarray, int, int, float, float, float, float, float, float, ndarray]: ...
def matrix_power(A: csr_array, power: Any) -> csr_array: ...
def minres(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, shift: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, show: bool = False,
    check: bool = False, atol: float = 0.0, tol: float | None = None,
) -> tuple[ndarray, int]: ...
def norm(x: csr_array, ord: int | float | str | None = None, axis: _Axis = None) -> Any: ...
def qmr(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M1: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    None = None, M2: Preconditioner | LinearOperator | csr_array | _ArrayLike | None = None, callback:
    Callable[[ndarray], object] | None = None, tol: float | None = None,
) -> tuple[ndarray, int]: ...
def spsolve_triangular(
    A: csr_array, b: _ArrayLike, lower: bool = True, overwrite_A: bool = False, overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> ndarray: ...
def svds(
    A: csr_array | LinearOperator | _ArrayLike, k: int = 6, ncv: int | None = None, tol: float = 0, which: str = 'LM',
    v0: _ArrayLike | None = None, maxiter: int | None = None, return_singular_vectors: Any = True, solver: Any =
    'arpack', rng: Any = None, options: dict[str, Any] | None = None, *, random_state: Any = None,
) -> Any: ...
def tfqmr(
    A: csr_array | LinearOperator | _ArrayLike, b: _ArrayLike, x0: _ArrayLike | str | None = None, *, rtol: float =
    1e-05, atol: float = 0.0, maxiter: int | None = None, M: Preconditioner | LinearOperator | csr_array | _ArrayLike |
    Callable[[ndarray], ndarray] | None = None, callback: Callable[[ndarray], object] | None = None, show: bool = False,
    tol: float | None = None,
) -> tuple[ndarray, int]: ...
