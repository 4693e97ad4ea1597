# SPDX-License-Identifier: BSD-3-Clause
"""The dtypes of arrays: their numbers and names in the library, and NumPy's."""

import numpy as np

from ._library import constant, lib

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

dtype_names = [lib.mnp_dtype_name(i).decode() for i in range(constant("NUM_DTYPES"))]
_numbers = {name: i for i, name in enumerate(dtype_names) if i}
bfloat16 = np.dtype(ml_dtypes.bfloat16) if ml_dtypes else None
numpy_dtypes = [None] + [np.dtype(name) if name != "bfloat16" else bfloat16 for name in dtype_names[1:]]
_by_dtype = {dtype: i for i, dtype in enumerate(numpy_dtypes) if dtype is not None}


def dtype_number(dtype):
    """The library's number of a dtype; None is MNP_DTYPE_AUTO."""
    if dtype is None:
        return 0
    number = (
        _by_dtype.get(dtype) if isinstance(dtype, np.dtype) else _numbers.get(dtype) if isinstance(dtype, str) else None
    )
    if number is None:
        name = np.dtype(dtype).name
        number = _numbers.get(name)
        if number is None:
            raise TypeError(f"there are no arrays of {np.dtype(dtype)!r}; there are {', '.join(dtype_names[1:])}")
    return number


def dtype_name(dtype):
    """NumPy's name, as bytes, or None."""
    return None if dtype is None else dtype_names[dtype_number(dtype)].encode()
