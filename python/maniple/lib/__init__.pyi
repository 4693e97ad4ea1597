# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray
from . import stride_tricks as stride_tricks


