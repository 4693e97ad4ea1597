# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from . import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

def read(place: Any, layout: Layout | str | None = None) -> ndarray: ...
def write(file: str, x: _ArrayLike, samples: Any = None, bigtiff: Any = False) -> None: ...
