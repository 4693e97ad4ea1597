# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from . import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

class ElementwiseKernel:
    def __init__(
        self, in_params: str, out_params: str, operation: str, name: str = 'kernel', reduce_dims: Any = True, preamble:
        str = '', no_return: Any = False, return_tuple: Any = False, *, options: Sequence[str] = ...,
    ) -> None: ...
    def __call__(
        self, *arguments: Any, out: ndarray | tuple[ndarray, ...] | None = None, size: int | None = None,
    ) -> Any: ...

class RawKernel:
    def __init__(self, code: str, name: str, options: Sequence[str] = ..., backend: Any = 'nvrtc') -> None: ...
    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: int = 0) -> None: ...
    @property
    def attributes(self) -> Any: ...

class RawModule:
    def __init__(
        self, *, code: str, options: Sequence[str] = ..., backend: Any = 'nvrtc', name_expressions: Sequence[str] | None
        = None,
    ) -> None: ...
    def get_function(self, name: str) -> Any: ...

class ReductionKernel:
    def __init__(
        self, in_params: str, out_params: str, map_expr: str, reduce_expr: str, post_map_expr: str, identity: Any, name:
        str = 'reduction', reduce_type: str | None = None, reduce_dims: Any = True, preamble: str = '', options:
        Sequence[str] = ...,
    ) -> None: ...
    def __call__(
        self, *arguments: Any, axis: _Axis = None, keepdims: bool = False, out: ndarray | tuple[ndarray, ...] | None =
        None,
    ) -> Any: ...

