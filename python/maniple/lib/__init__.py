# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy has in numpy.lib."""

from . import stride_tricks

__all__ = ["stride_tricks"]


def __dir__():
    return __all__
