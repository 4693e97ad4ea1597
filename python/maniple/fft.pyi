# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from . import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

class Plan:
    def __init__(
        self, like: Any, axes: Any = None, s: Any = None, norm: str | None = None, *, real: bool = False, inverse: bool
        = False, permuted: bool = False, layout: Layout | str | None = None, measured: Any = False,
    ) -> None: ...
    def free(self) -> None: ...
    def __call__(self, x: _ArrayLike, out: ndarray | None = None) -> ndarray: ...
    @property
    def layout(self) -> Layout: ...
    def describe(self) -> dict[str, Any]: ...

def dct(
    x: _ArrayLike, type: Any = 2, n: int | None = None, axis: _Axis = -1, norm: str | None = None, overwrite_x: Any =
    False, workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def dctn(
    x: _ArrayLike, type: Any = 2, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def dst(
    x: _ArrayLike, type: Any = 2, n: int | None = None, axis: _Axis = -1, norm: str | None = None, overwrite_x: Any =
    False, workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def dstn(
    x: _ArrayLike, type: Any = 2, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def fft(
    a: _ArrayLike, n: int | None = None, axis: _Axis = -1, norm: str | None = None, out: ndarray | None = None, *,
    overwrite_x: Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def fft2(
    a: _ArrayLike, s: Any = None, axes: Any = ..., norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def fftfreq(n: int, d: float = 1.0, *, dtype: npt.DTypeLike | None = None, device: str | None = None) -> ndarray: ...
def fftn(
    a: _ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def fftshift(x: _ArrayLike, axes: Any = None) -> ndarray: ...
def fht(a: _ArrayLike, dln: Any, mu: Any, offset: float = 0.0, bias: Any = 0.0) -> ndarray: ...
def fhtoffset(dln: Any, mu: Any, initial: _ArrayLike = 0.0, bias: Any = 0.0) -> float: ...
def hfft(
    a: _ArrayLike, n: int | None = None, axis: _Axis = -1, norm: str | None = None, out: ndarray | None = None, *,
    overwrite_x: Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def hfft2(
    a: _ArrayLike, s: Any = None, axes: Any = ..., norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def hfftn(
    a: _ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def idct(
    x: _ArrayLike, type: Any = 2, n: int | None = None, axis: _Axis = -1, norm: str | None = None, overwrite_x: Any =
    False, workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def idctn(
    x: _ArrayLike, type: Any = 2, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def idst(
    x: _ArrayLike, type: Any = 2, n: int | None = None, axis: _Axis = -1, norm: str | None = None, overwrite_x: Any =
    False, workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def idstn(
    x: _ArrayLike, type: Any = 2, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: Any = False,
    workers: Any = None, orthogonalize: Any = None, *, out: ndarray | None = None,
) -> ndarray: ...
def ifft(
    a: _ArrayLike, n: int | None = None, axis: _Axis = -1, norm: str | None = None, out: ndarray | None = None, *,
    overwrite_x: Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def ifft2(
    a: _ArrayLike, s: Any = None, axes: Any = ..., norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def ifftn(
    a: _ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def ifftshift(x: _ArrayLike, axes: Any = None) -> ndarray: ...
def ifht(A: _ArrayLike, dln: Any, mu: Any, offset: float = 0.0, bias: Any = 0.0) -> ndarray: ...
def ihfft(
    a: _ArrayLike, n: int | None = None, axis: _Axis = -1, norm: str | None = None, out: ndarray | None = None, *,
    overwrite_x: Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def ihfft2(
    a: _ArrayLike, s: Any = None, axes: Any = ..., norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def ihfftn(
    a: _ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def irfft(
    a: _ArrayLike, n: int | None = None, axis: _Axis = -1, norm: str | None = None, out: ndarray | None = None, *,
    overwrite_x: Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def irfft2(
    a: _ArrayLike, s: Any = None, axes: Any = ..., norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def irfftn(
    a: _ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def next_fast_len(target: Any, real: bool = False) -> int: ...
def prev_fast_len(target: Any, real: bool = False) -> int: ...
def rfft(
    a: _ArrayLike, n: int | None = None, axis: _Axis = -1, norm: str | None = None, out: ndarray | None = None, *,
    overwrite_x: Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def rfft2(
    a: _ArrayLike, s: Any = None, axes: Any = ..., norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
def rfftfreq(n: int, d: float = 1.0, *, dtype: npt.DTypeLike | None = None, device: str | None = None) -> ndarray: ...
def rfftn(
    a: _ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: ndarray | None = None, *, overwrite_x:
    Any = False, workers: Any = None, plan: Any = None,
) -> ndarray: ...
