# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

def broadcast_arrays(*arrays: _Arrays) -> tuple[ndarray, ...]: ...
def broadcast_shapes(*shapes: Any) -> tuple[int, ...]: ...
def broadcast_to(array: _ArrayLike, shape: _Shape) -> ndarray: ...
def sliding_window_view(
    x: _ArrayLike, window_shape: _Shape, axis: _Axis = None, *, writeable: bool = False,
) -> ndarray: ...
