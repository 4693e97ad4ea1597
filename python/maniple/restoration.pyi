# SPDX-License-Identifier: BSD-3-Clause
# Written by build-aux/stubs
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from . import Layout, _ArrayLike, _Arrays, _Axis, _Host, _Operand, _Shape, ndarray

def richardson_lucy(
    image: _ArrayLike, psf: _ArrayLike, num_iter: int = 50, clip: bool = True, filter_epsilon: float | None = None, *,
    total_variation: float = 0, mask: _ArrayLike | None = None, accelerate: bool = False, boundary: str = 'fill',
    method: str = 'auto', out: ndarray | None = None,
) -> ndarray: ...
def unsupervised_wiener(
    image: _ArrayLike, psf: _ArrayLike, reg: _ArrayLike | None = None, user_params: dict[str, float] | None = None,
    is_real: bool = True, clip: bool = True, *, rng: int | None = None, out: ndarray | None = None,
) -> tuple[ndarray, dict[str, list[float]]]: ...
def wiener(
    image: _ArrayLike, psf: _ArrayLike, balance: float, reg: _ArrayLike | None = None, is_real: bool = True, clip: bool
    = True, *, out: ndarray | None = None,
) -> ndarray: ...
