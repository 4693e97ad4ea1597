# SPDX-License-Identifier: BSD-3-Clause
"""DLPack for blocks on GPUs: the structures of https://dmlc.github.io/dlpack, which other libraries take and give."""

import ctypes
import sys

import numpy as np

from ._dtypes import bfloat16
from ._library import call

CPU, CUDA, MANAGED = 1, 2, 13  # kinds of devices; CUDA's managed memory is on a GPU too
_KINDS = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_BFLOAT = 4


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

class _Versioned(ctypes.Structure):
    """What libraries take that ask for version 1: others see memory that they may only read, or refuse it."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_READ_ONLY = 1  # of the flags
_NAME, _USED, _VERSIONED_NAME = b"dltensor", b"used_dltensor", b"dltensor_versioned"
_python = ctypes.pythonapi
_new = _python.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_is_named = _python.PyCapsule_IsValid
_is_named.restype, _is_named.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_SetName", _python))

_lent = {}  # by its address: what another library has, and the array whose memory that is
_capsules = {0: object()}  # by the same address, those that nobody has taken when they were last looked at


def _holders(address):
    return sys.getrefcount(_capsules[address])


_UNHELD = _holders(0)  # of what is in that dictionary alone
_capsules.clear()


@_Deleter
def _give_back(managed):
    _lent.pop(ctypes.addressof(managed.contents), None)


def sweep():
    """Give back what other libraries have refused.

    A capsule has no destructor here that would do it at once: a library that refuses a capsule lets go of it while its
    exception is on the way, and a destructor that is written in Python would lose the exception."""
    for address in list(_capsules):
        if not any(_is_named(_capsules[address], name) for name in (_NAME, _VERSIONED_NAME)):
            # it is taken: the other library calls the deleter
            del _capsules[address]
        elif _holders(address) == _UNHELD:
            del _capsules[address], _lent[address]


def device():
    """DLPack's kind and number of this rank's device."""
    index = call("ctx_device_index")
    return (CPU, 0) if index < 0 else (CUDA, index)


def check_device(wanted):
    """A BufferError unless the device that another library wants, if it says so, is this rank's."""
    if wanted is not None and tuple(wanted) != device():
        raise BufferError(f"this block is on DLPack's device {device()}, not {tuple(wanted)}")


def lend(array, data, shape, strides, max_version=None, read_only=False):
    """A capsule with a block of an array, which lives as long as the other library wants it.  Not collective."""
    versioned = max_version is not None and max_version[0] > 0
    if read_only and not versioned:
        raise BufferError("a broadcast view is read-only, which DLPack can say from version 1 on: lend a copy of it")
    sweep()
    dtype, ndim = array.dtype, len(shape)
    is_bfloat16 = bfloat16 is not None and dtype == bfloat16
    code = _BFLOAT if is_bfloat16 else _KINDS[dtype.kind]
    sizes, steps = (ctypes.c_int64 * ndim)(*shape), (ctypes.c_int64 * ndim)(*strides)
    tensor = _Tensor(data, _Device(*device()), ndim, code, 8 * dtype.itemsize, 1, sizes, steps, 0)
    flags = _READ_ONLY if read_only else 0
    managed = _Versioned(1, 0, None, _give_back, flags, tensor) if versioned else _Managed(tensor, None, _give_back)
    address = ctypes.addressof(managed)
    _lent[address] = managed, array, sizes, steps
    _capsules[address] = _new(address, _VERSIONED_NAME if versioned else _NAME, None)
    return _capsules[address]


class Borrowed:
    """What another library gives: memory on a GPU, with __cuda_array_interface__, that is given back at the end."""

    def __init__(self, theirs):
        if device()[0] != CUDA:
            raise BufferError("the block is on a GPU, and Maniple runs on the CPU")
        stream = call("ctx_stream") or 1
        capsule = theirs.__dlpack__(stream=stream)  # our stream waits for theirs
        address = _pointer(id(capsule), _NAME)  # raises what is wrong with another name
        self._managed = ctypes.cast(address, ctypes.POINTER(_Managed))
        _rename(id(capsule), _USED)
        tensor = self._managed.contents.tensor
        dtype = _dtype_of(tensor)
        shape = tuple(tensor.shape[: tensor.ndim])
        strides = None
        if tensor.strides:
            strides = tuple(s * dtype.itemsize for s in tensor.strides[: tensor.ndim])
        self.dtype = dtype
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
            "version": 3,
            "strides": strides,
        }

    def __del__(self):
        managed = getattr(self, "_managed", None)
        if managed and managed.contents.deleter:
            managed.contents.deleter(managed)


def _dtype_of(tensor):
    if tensor.lanes == 1 and tensor.code == _BFLOAT and bfloat16 is not None:
        return np.dtype(bfloat16)
    for kind, code in _KINDS.items():
        if tensor.lanes == 1 and tensor.code == code and tensor.bits % 8 == 0:
            return np.dtype(f"{kind}{tensor.bits // 8}")
    raise BufferError(f"DLPack's dtype {tensor.code} of {tensor.bits} bits is none of Maniple's")
