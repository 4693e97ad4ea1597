# SPDX-License-Identifier: BSD-3-Clause
"""This rank's block of an array as other libraries take it: NumPy's array, CUDA's array interface, DLPack; its flags."""

import numpy as np

from ._dtypes import bfloat16
from ._layout import tuple_at, nranks
from ._library import call, check, lib


def _is_dense(shape, strides):
    """Whether elements lie one behind the other, those of the last dimension next to each other."""
    expected = 1
    for extent, stride in zip(shape[::-1], strides[::-1]):
        if extent != 1 and stride != expected:
            return 0 in shape
        expected *= extent
    return True


class Flags:
    """numpy.ndarray.flags of a rank's block.  Memory of others, as of DLPack, is not its own; a view's is."""

    _LETTERS = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned"}
    _NAMES = (*_LETTERS.values(), "forc", "fnc")

    def __init__(self, array):
        shape = tuple_at(lib.mnp_array_local_shape(array._handle), array.ndim)
        strides = tuple_at(lib.mnp_array_local_strides(array._handle), array.ndim)
        self.c_contiguous, self.f_contiguous = _is_dense(shape, strides), _is_dense(shape[::-1], strides[::-1])
        self.owndata, self.aligned = array._base is None, True
        self.writeable = not lib.mnp_array_is_read_only(array._handle)
        self.forc = self.c_contiguous or self.f_contiguous
        self.fnc = self.f_contiguous and not self.c_contiguous

    def __getitem__(self, name):
        name = self._LETTERS.get(name, str(name).lower())
        if name not in self._NAMES:
            raise KeyError(f"there is no flag {name!r}; there are {', '.join(self._NAMES)}")
        return getattr(self, name)

    def __repr__(self):
        return "\n".join(f"  {name.upper()} : {self[name]}" for name in self._LETTERS.values())


class CudaBlock:
    """A rank's block on a GPU, as other libraries take it: by CUDA's array interface, or by DLPack."""

    def __init__(self, array, data, shape, strides):
        self._array, self._block = array, (data, shape, strides)
        size_of = array.dtype.itemsize
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": array.dtype.str,
            "data": (data or 0, lib.mnp_array_is_read_only(array._handle)),
            "version": 3,
            "strides": tuple(s * size_of for s in strides),
            "stream": call("ctx_stream") or 1,
        }

    def __dlpack_device__(self):
        from . import _dlpack

        return _dlpack.device()

    def _on_host(self):
        block = np.empty(self._block[1], self._array.dtype)
        check(lib.mnp_array_get_local(self._array._handle, block.ctypes.data))
        return block

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        from . import _dlpack

        wanted = _dlpack.device() if dl_device is None else tuple(dl_device)
        if wanted[0] == _dlpack.CPU and copy is not False:
            return self._on_host().__dlpack__()
        if wanted != _dlpack.device():
            raise BufferError(f"this block is on DLPack's device {_dlpack.device()}, not {wanted}")
        if copy and nranks() > 1:
            raise BufferError("a block is lent without a copy: let the other library copy it")
        if copy:
            return self._array.copy().local.__dlpack__(stream=stream, max_version=max_version)
        if stream != -1:  # -1: the other library needs no order
            call("ctx_let_wait", stream)
        read_only = self.__cuda_array_interface__["data"][1]
        return _dlpack.lend(self._array, *self._block, max_version, read_only)


def block_shape(array):
    """The shape of this rank's block; of a number that other ranks have it is (0,), for () has an element."""
    missing = array.ndim == 0 and lib.mnp_array_local_size(array._handle) == 0
    return (0,) if missing else tuple_at(lib.mnp_array_local_shape(array._handle), array.ndim)


def local_block(array):
    shape = block_shape(array)
    strides = tuple_at(lib.mnp_array_local_strides(array._handle), array.ndim) or (1,) * len(shape)
    data, dtype = lib.mnp_array_local_data(array._handle), array.dtype
    if array.device != "host":
        return CudaBlock(array, data, shape, strides)
    if not data:
        return np.empty(shape, dtype)

    class Holder:  # keeps the array as long as NumPy's view of its memory
        pass

    holder = Holder()
    holder._array = array
    holder.__array_interface__ = {
        "shape": shape,
        "typestr": dtype.str,
        "data": (data, lib.mnp_array_is_read_only(array._handle)),
        "version": 3,
        "strides": tuple(s * dtype.itemsize for s in strides),
    }
    if bfloat16 is not None and dtype == bfloat16:
        holder.__array_interface__["typestr"] = "<u2"
        return np.asarray(holder).view(bfloat16)
    return np.asarray(holder)
