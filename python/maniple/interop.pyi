# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from . import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

def from_dlpack(x: _ArrayLike, /, *, device: str | None = None, copy: bool | None = None) -> ndarray: ...
def from_local(
    block: Any, layout: Layout | str | None = None, axis: _Axis = 0, copy: bool | None = None, *, shape: _Shape | None =
    None,
) -> ndarray: ...
def let_wait(stream: Any = None) -> None: ...
def wait_for(stream: Any = None) -> None: ...
