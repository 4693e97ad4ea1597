# SPDX-License-Identifier: BSD-3-Clause
"""Maniple: NumPy's arrays, spread over the ranks of MPI, one GPU a rank.

    mpirun -n 4 python program.py

    import maniple as mp
    x = mp.random.default_rng(1).normal(size=(1000, 1000))     # every rank has its block
    print(float(np.mean(x)), mp.fft.fft2(x).layout)            # and all ranks make the same calls

Functions have NumPy's names and arguments.  NumPy's own work on these arrays too: np.sin(x), np.mean(x, axis=0)."""

import builtins as _builtins
import os as _os

_os.environ.setdefault("NPY_PROMOTION_STATE", "weak")  # NumPy 1.24 and 1.25 promote as NumPy 2 does

import numpy as _np  # noqa: E402

from . import _array_api, _creation, _elementwise, _evaluate, _library, _products, _reductions, _scans, _selecting  # noqa: E402
from . import _files, _fuse, _polynomials, _shapes  # noqa: E402
from . import _protocols  # noqa: E402, F401  after all functions, of which it makes methods
from ._array import from_host, ndarray, set_gather_limit  # noqa: E402
from ._dtypes import bfloat16  # noqa: E402
from ._layout import Layout, nranks, rank  # noqa: E402
from . import _names  # noqa: E402
from ._errors import (  # noqa: E402
    ArgumentError,
    AxisError,
    DTypeError,
    Error,
    FileError,
    MatrixError,
    MissingFileError,
    MissingNameError,
    OutOfBoundsError,
    OutOfMemoryError,
    PeerError,
)
from ._library import finalize, init, is_initialized  # noqa: E402

globals().update(_names.public_names)  # NumPy's names
bool, bool_ = _np.bool_, _np.bool_  # noqa: A001
int8, int16, int32, int64 = _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
float16, float32, float64, complex64, complex128 = _np.float16, _np.float32, _np.float64, _np.complex64, _np.complex128
generic, number, integer, signedinteger, unsignedinteger = (
    _np.generic, _np.number, _np.integer, _np.signedinteger, _np.unsignedinteger)  # fmt: skip
inexact, floating, complexfloating = _np.inexact, _np.floating, _np.complexfloating
pi, e, inf, nan, newaxis = _np.pi, _np.e, _np.inf, _np.nan, None
byte, short, intc, int_, intp, longlong = _np.byte, _np.short, _np.intc, _np.int_, _np.intp, _np.longlong
ubyte, ushort, uintc, uint, uintp, ulonglong = _np.ubyte, _np.ushort, _np.uintc, _np.uint, _np.uintp, _np.ulonglong
half, single, double, csingle, cdouble = _np.half, _np.single, _np.double, _np.csingle, _np.cdouble
mgrid, ogrid, r_, c_ = _creation.mgrid, _creation.ogrid, _creation.r_, _creation.c_
finfo, iinfo = _array_api.finfo, _array_api.iinfo
can_cast, promote_types, dtype = _np.can_cast, _np.promote_types, _np.dtype
isscalar, issubdtype, iterable, euler_gamma, s_, index_exp = (
    _np.isscalar, _np.issubdtype, _np.iterable, _np.euler_gamma, _np.s_, _np.index_exp)  # fmt: skip
# settings of NumPy's and texts of its numbers, for programs that take either package as xp
errstate, printoptions, get_printoptions, set_printoptions, ndindex, min_scalar_type = (
    _np.errstate, _np.printoptions, _np.get_printoptions, _np.set_printoptions, _np.ndindex, _np.min_scalar_type)  # fmt: skip
base_repr, binary_repr, format_float_positional, format_float_scientific = (
    _np.base_repr, _np.binary_repr, _np.format_float_positional, _np.format_float_scientific)  # fmt: skip
__array_api_version__ = "2025.12"

from . import comm, fft, fits, h5, interop, kernels, layouts, lib, linalg, ndimage, random, restoration  # noqa: E402
from . import signal, sparse, tiff  # noqa: E402
from ._benchmark import Event, benchmark  # noqa: E402
from ._runtime import (  # noqa: E402
    Graph,
    MemoryPool,
    get_default_memory_pool,
    get_default_pinned_memory_pool,
    is_available,
    synchronize,
)
from .interop import from_dlpack, from_local, let_wait, wait_for  # noqa: E402
from .kernels import ElementwiseKernel, RawKernel, RawModule, ReductionKernel  # noqa: E402

__version__ = "{}.{}.{}".format(*(_library.constant("VERSION_" + part) for part in ("MAJOR", "MINOR", "PATCH")))

_everything = sorted(name for name in globals() if not name.startswith("_"))
# what "from maniple import *" gives, which hides nothing of Python's own
__all__ = [name for name in _everything if name not in vars(_builtins)]  # noqa: PLE0605
_names.called_from_here(globals(), [*_everything, "__array_namespace_info__"])


def __dir__():
    return [*_everything, "__version__", "__doc__", "__name__", "__path__", "__file__"]
