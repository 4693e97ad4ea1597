# SPDX-License-Identifier: BSD-3-Clause
"""numpy.linalg, as far as the library has it: norms and products."""

from ._array import as_array, made
from ._names import names, reduction_axes
from ._products import matmul, matrix_power, multi_dot, outer, set_precision, tensordot, vecdot

__all__ = ["matmul", "matrix_power", "multi_dot", "norm", "outer", "set_precision", "tensordot", "vecdot"]


def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
    text = None if ord is None else ord if isinstance(ord, str) else format(ord, "g")
    return made("norm", as_array(x), text, reduction_axes(axis, keepdims))


def vector_norm(x, axis=None, keepdims=False, ord=2):  # noqa: A002
    x = as_array(x)
    return norm(names.ravel(x) if axis is None and not keepdims else x, ord, axis, keepdims)
