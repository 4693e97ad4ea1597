# SPDX-License-Identifier: BSD-3-Clause
"""Views that share elements, with the names of numpy.lib.stride_tricks."""

from .._names import names

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]

broadcast_arrays, broadcast_shapes, broadcast_to = names.broadcast_arrays, names.broadcast_shapes, names.broadcast_to
sliding_window_view = names.sliding_window_view


def __dir__():
    return __all__
