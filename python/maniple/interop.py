# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that other libraries have, each rank its own: arrays made of them without a copy where that is possible."""

import ctypes

import numpy as np

from . import _dlpack
from ._array import check_device, device_kind, from_host, made, ndarray
from ._dtypes import dtype_number
from ._layout import Layout, as_shape, layout_of, nranks, rank
from ._library import call, context
from ._names import finished

__all__ = ["from_dlpack", "from_local", "let_wait", "wait_for"]


def _layout_of_pieces(dtype, shape, axis):
    """The layout of the ranks' blocks, which follow one another along an axis.  The GPU is not waited for."""
    cell = ctypes.c_void_p()
    call("layout_from_pieces", dtype_number(dtype), len(shape), list(shape), axis, ctypes.byref(cell))
    return Layout._adopt(cell.value)


def _count(condition):
    """On how many ranks a condition holds.  The GPU is not waited for."""
    return _layout_of_pieces("int8", (int(bool(condition)),), 0).shape[0]


# --- streams ----------------------------------------------------------------------------------------------------------


def _address_of(stream):
    """A stream of CuPy or PyTorch, or the address of one; None is the default stream."""
    for name in ("ptr", "cuda_stream"):
        stream = getattr(stream, name, stream)
    return stream


def wait_for(stream=None):
    """What is called from here on starts after all that a stream of CuPy or PyTorch holds now.  Python does not wait."""
    call("ctx_wait_for", _address_of(stream))


def let_wait(stream=None):
    """What a stream of CuPy or PyTorch is given from here on starts after all that has been called.  Python does not
    wait."""
    call("ctx_let_wait", _address_of(stream))


def _wait_for_writer(block):
    """Order what is called from here on behind the stream that writes to a block on a GPU."""
    about = _interface(block) or {}
    if about.get("stream") is not None:
        wait_for(about["stream"])
    elif about and about["version"] < 3 and hasattr(block, "__dlpack__"):
        block.__dlpack__(stream=call("ctx_stream") or 1)  # PyTorch lets that stream wait for its current one


# --- blocks -----------------------------------------------------------------------------------------------------------


def _interface(block):
    """What CUDA's array interface says of a block; None if there is none."""
    try:
        return getattr(block, "__cuda_array_interface__", None)
    except TypeError:  # of PyTorch, for dtypes that NumPy does not have
        return None


def _is_on_gpu(block):
    device = getattr(block, "__dlpack_device__", None)
    return device is not None and device()[0] in (_dlpack.CUDA, _dlpack.MANAGED)


def _memory(block):
    """(dtype, shape, strides in bytes, address, what keeps it) of a block on the CPU or on a GPU."""
    about = _interface(block)
    if about is None and _is_on_gpu(block):
        block = _dlpack.Borrowed(block)
        about = _interface(block)
    if about is None:
        if not isinstance(block, np.ndarray) and hasattr(block, "__dlpack__"):
            block = np.from_dlpack(block)
        block = np.asarray(block)
        return block.dtype, block.shape, block.strides, block.ctypes.data, block
    dtype = block.dtype if isinstance(block, _dlpack.Borrowed) else np.dtype(about["typestr"])
    shape, strides = tuple(about["shape"]), about.get("strides")
    if strides is None:
        strides = tuple(int(np.prod(shape[d + 1 :])) * dtype.itemsize for d in range(len(shape)))
    return dtype, shape, strides, about["data"][0], block


def from_local(block, layout=None, axis=0, copy=None, *, shape=None):
    """An array of the blocks that the ranks have: of NumPy, or on GPUs of what has __cuda_array_interface__ or
    __dlpack__.

    The blocks follow one another by rank along an axis, or lie as a layout says: a Layout, or the text of one, which
    needs the shape of the whole array.  Otherwise the shape is only checked.  The array uses the blocks' memory without
    a copy, so what is written to either is in both; a block whose strides are no multiples of its elements is copied,
    and so is NumPy's memory where it is read-only, or the array is on a GPU; with copy=False that is a ValueError, on
    all ranks, and with copy=True every block is copied.  Work that the other library has enqueued on the block is
    waited for, by the GPU; for what it enqueues later there is wait_for().  Collective."""
    context()
    whole = None if shape is None else as_shape(shape)
    dtype, shape, strides, address, keep = _memory(block)
    is_odd = any(s % dtype.itemsize for s in strides)
    repeats = any(s == 0 and n > 1 for s, n in zip(strides, shape))  # then the array is read-only too
    is_locked = isinstance(keep, np.ndarray) and not keep.flags.writeable and not repeats
    copies = is_odd or is_locked
    to_gpu = isinstance(keep, np.ndarray) and device_kind() != "host"
    if copy is False and _count(copies or to_gpu) > 0:
        raise ValueError("from_local: a block has to be copied, and copy is False")
    if copies:
        keep = np.array(keep, order="C")
        dtype, shape, strides, address, keep = _memory(keep)
    if layout is None:
        if not shape:
            raise ValueError("a block without dimensions has no axis along which blocks could follow one another")
        layout = _layout_of_pieces(dtype, shape, range(len(shape))[axis])
        if whole is not None and layout.shape != whole:
            raise ValueError(f"the blocks make an array of shape {layout.shape} along axis {axis}, not of {whole}")
    elif isinstance(layout, str) and whole is None:
        raise TypeError(f"layout is the text {layout!r}, which needs a shape: from_local(block, layout, shape=...)")
    elif isinstance(layout, (Layout, str)):
        layout = layout_of(layout, whole)
        if whole is not None and layout.shape != whole:
            raise ValueError(f"the layout is of shape {layout.shape}, and shape is {whole}")
        mine = layout._local_shape(rank())
        if _count(mine != tuple(shape)) > 0:
            raise ValueError(
                "a rank's block has another shape than the layout gives to it"
                + (f": {shape}, not {mine}" if mine != tuple(shape) else "")
            )
    cell = ctypes.c_void_p()
    empty = 0 in shape
    if to_gpu:
        call("array_new", dtype_number(dtype), layout, ctypes.byref(cell))
        array = ndarray._adopt(cell.value)
        block = np.ascontiguousarray(keep)
        call("array_set_local", array, block.ctypes.data)
        return array
    _wait_for_writer(keep)
    call(
        "array_wrap",
        dtype_number(dtype),
        layout,
        None if empty else address,
        None if empty else [s // dtype.itemsize for s in strides],
        None,
        None,
        ctypes.byref(cell),
    )
    array = ndarray._adopt(cell.value, keep)
    return made("copy", array) if copy else array


def _from_gpu(x, copy):
    block = _dlpack.Borrowed(x)
    shape = block.__cuda_array_interface__["shape"]
    if copy is False and nranks() > 1:
        raise ValueError("from_dlpack: memory is shared on one rank, or by from_local(), and copy is False")
    whole = from_local(block, Layout(shape, ", ".join("*" * len(shape))) if shape else Layout(shape))
    if nranks() == 1:
        return made("copy", whole) if copy else whole
    return made("redistribute", whole, Layout(shape))


def from_dlpack(x, /, *, device=None, copy=None):
    """An array of another library's, which every rank has whole.  On one rank it uses the same memory, unless `copy`:
    on a GPU, or on the CPU where that may be written to and Maniple is on the host device.  Else it is a copy, and
    copy=False a ValueError.  Collective."""
    check_device(device)
    if isinstance(x, ndarray):
        return made("copy", x) if copy else x
    if _is_on_gpu(x):
        return _from_gpu(x, copy)
    block = np.from_dlpack(x)
    shares = nranks() == 1 and device_kind() == "host" and block.flags.writeable and block.ndim > 0
    if copy is False and not shares:
        raise ValueError("from_dlpack: this memory cannot be shared, and copy is False")
    return from_local(block) if shares and not copy else from_host(block)


__dir__ = finished(globals(), "maniple")
