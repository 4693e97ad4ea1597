# SPDX-License-Identifier: BSD-3-Clause
"""Maniple: NumPy's arrays, spread over the ranks of MPI, one GPU a rank.

    mpirun -n 4 python program.py

    import maniple as mp
    x = mp.random.default_rng(1).normal(size=(1000, 1000))     # every rank has its block
    print(float(np.mean(x)), mp.fft.fft2(x).layout)            # and all ranks make the same calls

Functions have NumPy's names and arguments.  NumPy's own work on these arrays too: np.sin(x), np.mean(x, axis=0)."""

import os as _os

_os.environ.setdefault("NPY_PROMOTION_STATE", "weak")  # NumPy 1.24 and 1.25 promote as NumPy 2 does

import numpy as _np  # noqa: E402

from . import _array_api, _creation, _elementwise, _evaluate, _library, _products, _reductions, _scans, _selecting  # noqa: E402
from . import _shapes  # noqa: E402
from . import _protocols  # noqa: E402, F401  after all functions, of which it makes methods
from ._array import Layout, bfloat16, from_host, ndarray, nranks, rank, set_gather_limit  # noqa: E402
from . import _names  # noqa: E402
from ._library import (
    ArgumentError,
    Error,
    FileError,
    OutOfMemoryError,
    PeerError,
    init,
    is_initialized,
)  # noqa: E402

globals().update(_names.public_names)  # NumPy's names
for _name in (
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
):
    globals()[_name] = _np.dtype(_name)
bool_ = _np.dtype(bool)
pi, e, inf, nan, newaxis = _np.pi, _np.e, _np.inf, _np.nan, None
finfo, iinfo = _array_api.finfo, _array_api.iinfo
can_cast, promote_types, dtype = _np.can_cast, _np.promote_types, _np.dtype
__array_api_version__ = "2025.12"

from . import fft, h5, interop, kernels, linalg, ndimage, random, signal, sparse  # noqa: E402
from ._benchmark import Event, benchmark  # noqa: E402
from .interop import from_dlpack, from_local, let_wait, wait_for  # noqa: E402
from .kernels import ElementwiseKernel, RawKernel, RawModule, ReductionKernel  # noqa: E402

__version__ = "{}.{}.{}".format(*(_library.constant("VERSION_" + part) for part in ("MAJOR", "MINOR", "PATCH")))


def synchronize():
    """Wait until this rank's device has done what it was given."""
    _library.call("ctx_synchronize")


def finalize():
    """End Maniple, and MPI if Maniple started it; otherwise it happens when Python ends.  Collective."""
    import atexit

    if _library.is_initialized():
        atexit.unregister(_library._finish)
        _library._finish()
