# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are spread over the ranks, what Python numbers and NumPy arrays become, and calls that make arrays."""

import ctypes
import os
import warnings

import numpy as np

from . import _library
from ._blocks import CudaBlock, Flags, block_shape, local_block
from ._dtypes import dtype_number, numpy_dtypes
from ._layout import Layout, as_shape, layout_of, nranks, rank, tuple_at
from ._library import call, check, constant, context, lib

__all__ = ["ndarray", "result_type"]

_FLATTENED = constant("FLATTENED")
_SAME_KIND = constant("CASTING_SAME_KIND")


# --- operands ---------------------------------------------------------------------------------------------------------


def _typed(value):
    """A NumPy scalar as an array without dimensions, whose type counts in promotion as NumPy's does."""
    cell, dtype = ctypes.c_void_p(), value.dtype
    one = np.ascontiguousarray(value)
    call("full", dtype_number(dtype), 0, (), one.ctypes.data, ctypes.byref(cell))
    return ndarray._adopt(cell.value)


def scalar(value):
    """The address of a Python number as an operand."""
    kind = type(value)
    if kind is bool:
        return lib.mnp_scalar_bool(context(), value)
    if kind is int:
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"{value} does not fit int64: it is an operand beside arrays of uint64 and of floats")
        return lib.mnp_scalar_int(context(), value)
    if kind is float:
        return lib.mnp_scalar_float(context(), value)
    if kind is complex:
        return lib.mnp_scalar_complex(context(), value.real, value.imag)
    raise TypeError(
        f"{kind.__module__}.{kind.__qualname__} is no operand; maniple.asarray() makes an array of what "
        "every rank has"
    )


class Operand:
    """A number as an operand that lives as long as this object."""

    __slots__ = ("_handle", "_array")
    _kind = "mnp_array"

    def __init__(self, value):
        self._array = None
        if isinstance(value, np.generic):
            self._array = _typed(value)
            self._handle = self._array._handle
        else:
            self._handle = scalar(value)


def operand_beside(value, others, compares=False):
    """An operand, of whose integers those beyond int64 are of uint64 where all others are, or are compared with it."""
    if type(value) is int and 2**63 <= value < 2**64:
        dtypes = [x.dtype for x in others if isinstance(x, ndarray) and x.dtype != bool]
        if any(dtype.kind in "fc" for dtype in dtypes):
            value = float(value)
        elif compares or all(dtype == np.uint64 for dtype in dtypes):
            value = np.uint64(value)
    return operand_among(value, others)


def operand(value):
    """An array, or a number as an operand; lists and NumPy's arrays become arrays, as as_array() has it; None stays
    None."""
    if isinstance(value, (list, tuple, range)):
        return from_host(value)
    if isinstance(value, np.ndarray):
        return from_host(value) if value.ndim else Operand(value[()])
    return value if value is None or type(value) is ndarray or isinstance(value, ndarray) else Operand(value)


def operand_among(value, operands):
    """The same of an element-wise function.  One of NumPy's arrays beside an array of Maniple is refused, as by
    operators: nobody could tell whether it is the same on all ranks."""
    if isinstance(value, np.ndarray) and value.ndim and any(isinstance(o, ndarray) for o in operands):
        raise TypeError(
            "numpy.ndarray is no operand beside an array of Maniple; maniple.asarray() makes an array of what every rank has"
        )
    return operand(value)


def without_foreign(operands):
    """Operands of an element-wise function, of which NumPy's arrays become arrays where none is one of Maniple's."""
    if any(isinstance(v, ndarray) for v in operands):
        return operands
    return [from_host(v) if isinstance(v, np.ndarray) else v for v in operands]


def as_array(value):
    """An array; lists, numbers and NumPy's arrays, which every rank has, become one."""
    return value if isinstance(value, ndarray) else from_host(value)


def as_blocks(value):
    """An array in a layout of blocks, for functions that are made of views: those of dealt out blocks have none."""
    array = as_array(value)
    if not lib.mnp_layout_is_cyclic(lib.mnp_array_layout(array._handle)):
        return array
    return made("redistribute", array, Layout(array.shape))


def from_host(values, dtype=None, layout=None):
    """A new array of what every rank has."""
    if dtype is not None and not isinstance(values, (np.ndarray, np.generic)):
        dtype = numpy_dtypes[dtype_number(dtype)]
        values = np.asarray(values, dtype)  # which refuses integers that do not fit
    values, given = np.asarray(values), values
    if values.dtype == object:
        raise TypeError(f"a {type(given).__name__} of objects, or of integers beyond 64 bits, cannot become an array")
    if dtype is not None:
        values = values.astype(numpy_dtypes[dtype_number(dtype)], copy=False)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    number, cell = dtype_number(values.dtype), ctypes.c_void_p()
    if layout is None:
        values = np.ascontiguousarray(values) if values.ndim else values.copy()
        call("array_from_host", number, values.ndim, values.shape, values.ctypes.data, ctypes.byref(cell))
        return ndarray._adopt(cell.value)
    layout = layout_of(layout, values.shape)
    call("array_new", number, layout, ctypes.byref(cell))
    made = ndarray._adopt(cell.value)
    block = np.ascontiguousarray(values[layout._places(rank())])
    call("array_set_local", made, block.ctypes.data)
    return made


# --- arrays -----------------------------------------------------------------------------------------------------------

_live = set()  # addresses of arrays that the library has
_gather_limit = int(os.environ.get("MANIPLE_GATHER_LIMIT", 1 << 30))


@_library.before_end
def _release_all():
    for handle in list(_live):
        _live.discard(handle)
        lib.mnp_array_drop(handle)


def set_gather_limit(nbytes):
    """The largest array, in bytes, that may be brought to one rank or to all as a NumPy array: 1 GiB at first, or what
    MANIPLE_GATHER_LIMIT says."""
    global _gather_limit
    _gather_limit = int(nbytes)


def _may_gather(array):
    if array.nbytes > _gather_limit:
        raise MemoryError(
            f"an array of {array.nbytes} bytes would be gathered on one rank; maniple.set_gather_limit() "
            f"allows more than {_gather_limit}, and x.local is this rank's part"
        )


def device_kind():
    """ "host" or "cuda", which all arrays are on."""
    return lib.mnp_ctx_device_kind(context()).decode()


def check_device(device):
    """ValueError unless a device, if one is asked for, is the one on which all arrays are."""
    if device is not None and device != device_kind():
        raise ValueError(f"device is {device!r}, and all arrays are on {device_kind()!r}")


class ndarray(_library.Handle):  # noqa: N801
    """An array that is spread over the ranks, as numpy.ndarray.  Mostly made by maniple.zeros() and its like; by its
    name, as ndarray((2, 3)), it is what maniple.empty() makes.

    Every operation is collective: all ranks do the same.  Looking at an array is not: shape, dtype, layout, repr(x) and
    x.local, this rank's block.  What brings the elements of other ranks says so: x.numpy(), x.item(), maniple.show(x).
    An array is released when Python forgets it, on each rank when that may be."""

    __slots__ = ("_handle", "_base", "_about", "_owned", "__weakref__")
    _kind = "mnp_array"
    __array_priority__ = 100.0

    def __init__(self, shape, dtype=float, layout=None):
        shape, number, cell = as_shape(shape), dtype_number(float if dtype is None else dtype), ctypes.c_void_p()
        if layout is None:
            call("empty", number, len(shape), shape, ctypes.byref(cell))
        else:
            call("array_new", number, layout_of(layout, shape), ctypes.byref(cell))
        self._hold(cell.value, None)

    def _hold(self, handle, base):
        self._handle = handle
        self._base = base
        self._about = None
        self._owned = True
        _live.add(handle)

    @classmethod
    def _adopt(cls, handle, base=None):
        """The object for an array of the library's that is new.  What `base` is lives as long."""
        array = cls.__new__(cls)
        array._hold(handle, base)
        return array

    @classmethod
    def _borrow(cls, handle):
        """An array that belongs to the library, for as long as a call of the program lasts."""
        array = cls.__new__(cls)
        array._handle, array._base, array._about, array._owned = handle, None, None, False
        return array

    def __del__(self, live=_live):  # which is there until the last array goes, unlike the module's names
        handle = getattr(self, "_handle", None)
        if handle in live and self._owned:
            live.discard(handle)
            lib.mnp_array_drop(handle)

    # about the array; nothing here is collective

    @property
    def shape(self):
        """The extents of the whole array."""
        if self._about is None:
            ndim = lib.mnp_array_ndim(self._handle)
            self._about = (tuple_at(lib.mnp_array_shape(self._handle), ndim), lib.mnp_array_dtype(self._handle))
        return self._about[0]

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self):
        """The type of the elements, as numpy.dtype."""
        self.shape  # noqa: B018
        found = numpy_dtypes[self._about[1]]
        if found is None:
            raise TypeError("NumPy has no bfloat16; the package ml_dtypes gives it one")
        return found

    @property
    def size(self):
        """The number of elements, of all ranks."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def itemsize(self):
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """The bytes of all elements, of all ranks."""
        return self.size * self.itemsize

    @property
    def device(self):
        """ "host" or "cuda"."""
        return device_kind()

    def __dlpack_device__(self):
        """DLPack's number of the kind of device, and which of them: (1, 0) is the CPU.  Not collective."""
        from . import _dlpack

        return _dlpack.device()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The memory of an array that this rank has whole.  Not collective."""
        if any(s.stop - s.start != n for s, n in zip(self.local_slices, self.shape)):
            raise BufferError("DLPack has no arrays that are spread over ranks: x.local is this rank's block")
        from . import _dlpack

        block = self.local
        if isinstance(block, CudaBlock):
            return block.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
        _dlpack.check_device(dl_device)
        if copy:
            block = block.copy()
        strides = tuple(s // block.itemsize for s in block.strides)
        return _dlpack.lend(block, block.ctypes.data, block.shape, strides, max_version, not block.flags.writeable)

    def to_device(self, device, /, *, stream=None):
        """The array itself, as all arrays are on one kind of device."""
        check_device(device)
        return self

    @property
    def flags(self):
        """How this rank's block lies in memory: flags.c_contiguous or flags["C_CONTIGUOUS"], as numpy.ndarray.flags."""
        return Flags(self)

    @property
    def layout(self):
        """Which rank has which elements, as a Layout."""
        return Layout._adopt(lib.mnp_layout_retain(lib.mnp_array_layout(self._handle)))

    @property
    def local_slices(self):
        """Which elements of the whole array this rank's block has."""
        lo = tuple_at(lib.mnp_array_local_lo(self._handle), self.ndim)
        extent = tuple_at(lib.mnp_array_local_shape(self._handle), self.ndim)
        return tuple(slice(a, a + n) for a, n in zip(lo, extent))

    @property
    def local(self):
        """This rank's block, in the memory where it lies: a NumPy array, or on a GPU an object with
        __cuda_array_interface__ and __dlpack__, for cupy.asarray(), torch.as_tensor() and their from_dlpack().  What is
        written to it changes the array; that of a broadcast view is read-only.  A number that is on other ranks alone
        is an empty block of shape (0,) here."""
        return local_block(self)

    def __repr__(self):
        where = ", ".join(f"{s.start}:{s.stop}" for s in self.local_slices)
        about = f"<array of shape {self.shape}, {self.dtype}; rank {rank()} of {nranks()} has [{where}]:"
        return f"{about}\n{self._block()}>"

    def __str__(self):
        return repr(self) if self.shape else str(self._block())

    def _block(self):
        """A copy of this rank's block on the CPU."""
        block = np.empty(block_shape(self), self.dtype)
        check(lib.mnp_array_get_local(self._handle, block.ctypes.data))
        return block

    def view(self, dtype=None):
        """The bytes as elements of another dtype, in the same memory: numpy.ndarray.view.  Without one, the elements.

        If the dtype has another size, the last axis gets more or fewer elements; it must be contiguous and not cut, and
        other axes divided equally.  Other ranks' GPUs do not reach the view's memory, so it moves by NCCL or MPI.
        Collective."""
        if dtype is None:
            return self[...]
        dtype = numpy_dtypes[dtype_number(dtype)]
        layout, shape = self.layout, self.shape
        strides = tuple_at(lib.mnp_array_local_strides(self._handle), self.ndim)
        if dtype.itemsize != self.itemsize:
            shape, layout = self._resized(dtype, layout)
            # within a block; the last axis is contiguous, as all strides but its own are multiples of its extent
            strides = tuple(s * self.itemsize // dtype.itemsize for s in strides[:-1]) + (1,)
        cell, empty = ctypes.c_void_p(), not lib.mnp_array_local_size(self._handle)
        data = None if empty else lib.mnp_array_local_data(self._handle)
        call("array_wrap", dtype_number(dtype), layout, data, None if empty else strides, None, None, ctypes.byref(cell))
        return ndarray._adopt(cell.value, self)

    def _resized(self, dtype, layout):
        """Shape and layout of a view with elements of another size."""
        if self.ndim == 0 or self.shape[-1] * self.itemsize % dtype.itemsize:
            raise ValueError(f"the last axis of {self.shape} has no whole number of elements of {dtype}")
        if lib.mnp_layout_parts(layout._handle, self.ndim - 1) > 1:
            raise ValueError("the last axis is cut among ranks: a view of elements of another size needs it whole")
        strides = tuple_at(lib.mnp_array_local_strides(self._handle), self.ndim)
        dense = all(n <= 1 or s == 1 for n, s in zip(self.shape[-1:], strides[-1:])) and all(
            s * self.itemsize % dtype.itemsize == 0 for s in strides[:-1])
        if not dense:
            raise ValueError("the last axis is not contiguous: a view of elements of another size needs that")
        shape = self.shape[:-1] + (self.shape[-1] * self.itemsize // dtype.itemsize,)
        cell = ctypes.c_void_p()
        call("layout_like", layout, shape, ctypes.byref(cell))
        made_ = Layout._adopt(cell.value)
        if any(made_.box(r)[:-1] != layout.box(r)[:-1] for r in range(nranks())):
            raise ValueError("the array is divided unequally: a view of elements of another size needs equal parts")
        return shape, made_

    # numbers and NumPy arrays out of it: collective

    def __copy__(self):
        return made("copy", self)

    def __deepcopy__(self, memo):
        return made("copy", self)

    def __reduce_ex__(self, protocol):
        raise TypeError(
            "an array that is spread over ranks cannot be pickled: maniple.save() writes it to a file, and x.numpy() "
            "is one of NumPy's"
        )

    def __format__(self, spec):
        if not spec:
            return str(self)
        if self.size != 1:
            raise TypeError(f"an array of {self.size} elements has no format {spec!r}: x.numpy() gathers it")
        return format(self.item(), spec)

    def numpy(self, root=None):
        """The whole array as a NumPy array on every rank, or on one of them and None on the others.  Collective."""
        _may_gather(self)
        here = root is None or root == rank()
        whole = np.empty(self.shape if here else (), self.dtype)
        call("array_to_host", self, -1 if root is None else root, whole.ctypes.data if here else None)
        return whole if here else None

    get = numpy

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a NumPy array of an array that is spread over ranks is a copy")
        whole = self.numpy()
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def item(self, *index):
        """The number that is the array's one element, or that at an index, also of the flattened array.  Collective."""
        if len(index) == 1 and self.ndim != 1 and isinstance(index[0], (int, np.integer)):
            index = np.unravel_index(range(self.size)[index[0]], self.shape)
        one = self[tuple(index) if len(index) != 1 or not isinstance(index[0], tuple) else index[0]] if index else self
        value = np.empty((), one.dtype)
        call("array_item", one, dtype_number(one.dtype), value.ctypes.data)
        return value.item()

    def tolist(self):
        """The elements in lists.  Collective."""
        return self.numpy().tolist()

    def _number(self, kind):
        if self.size != 1:
            raise TypeError(f"an array of {self.size} elements is no {kind.__name__}")
        return kind(self.item())

    def __float__(self):
        return self._number(float)

    def __int__(self):
        return self._number(int)

    def __complex__(self):
        return self._number(complex)

    def __round__(self, ndigits=None):
        return round(self._number(complex if self.dtype.kind == "c" else float if self.dtype.kind == "f" else int), ndigits)

    def __bool__(self):
        if self.size != 1:
            count = "several elements" if self.size else "no elements"
            raise ValueError(f"an array of {count} is neither true nor false: use any() or all()")
        return self._number(bool)

    def __index__(self):
        if self.dtype.kind not in "iu":
            raise TypeError("only arrays of integers can be an index")
        return self._number(int)

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no len()")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("an array without dimensions cannot be iterated over")
        warnings.warn(
            "iterating over an array makes a view for every index; operations on whole arrays are faster",
            RuntimeWarning,
            stacklevel=2,
        )
        return (self[i] for i in range(self.shape[0]))

    # NumPy's protocols; __getitem__ and __setitem__ are _indexing.py's

    def __array_namespace__(self, api_version=None):
        import maniple

        return maniple

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        from . import _protocols

        return _protocols.from_ufunc(ufunc, method, inputs, named)

    def __array_function__(self, function, types, arguments, named):
        from . import _protocols

        return _protocols.from_function(function, arguments, named)


def made(name, *arguments, base=None):
    """Call a function whose last parameter is its one output, which is new."""
    cell = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(cell))
    return ndarray._adopt(cell.value, base)


def straight(function, *arguments, out=None, base=None):
    """The same of a function of ctypes whose arguments are as it takes them, also into an output that is given.  What
    it does is short, because small arrays notice it."""
    cell = ctypes.c_void_p(None if out is None else out._handle)
    status = function(*arguments, ctypes.byref(cell))
    if status:
        check(status)
    return ndarray._adopt(cell.value, base) if out is None else out


def several(count, name, *arguments):
    """Call a function whose last parameters are so many outputs, which are new."""
    cells = [ctypes.c_void_p() for _ in range(count)]
    call(name, *arguments, *map(ctypes.byref, cells))
    return [ndarray._adopt(c.value) for c in cells]


def read(name, *arguments, layout=None):
    """What a file has, in a layout.  A text is one of the shape that was read, whose blocks move to it then."""
    if not isinstance(layout, str):
        return made(name, *arguments, layout)
    x = made(name, *arguments, None)
    return made("redistribute", x, Layout(x.shape, layout))


def into(name, *arguments, out=None):
    """The same with an output that may be given."""
    if out is None:
        return made(name, *arguments)
    if isinstance(out, tuple):
        (out,) = out
    if not isinstance(out, ndarray):
        raise TypeError(f"out is of type {type(out).__name__}, and must be an array of Maniple")
    call(name, *arguments, ctypes.byref(ctypes.c_void_p(out._handle)))
    return out


def vector_callback(function):
    """A Python function of an array as the library calls it: status (argument, x, y)."""

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    def run(argument, x, y):
        given, wanted = ndarray._borrow(x), ndarray._borrow(y)
        try:
            found = operand(function(given))
            if isinstance(found, ndarray) and found.ndim != wanted.ndim and found.size == wanted.size:
                found = made("reshape", found, wanted.ndim, wanted.shape)  # a column, as SciPy takes it
            call("copyto", wanted, found, constant("CASTING_SAME_KIND"))
            return 0
        except BaseException as error:  # noqa: BLE001  a sentence for the caller of the function
            return lib.mnp_fail(_library.CONSTANTS["MNP_ERR_ARG"], b"%s", f"{type(error).__name__}: {error}".encode())
        finally:
            given._handle = wanted._handle = None  # whoever keeps them gets a sentence

    return run


def result_type(*operands):
    """numpy.result_type of arrays, Python numbers and dtypes."""
    numbers = [o for o in operands if type(o) in (bool, int, float, complex)]
    typed = [o.dtype if isinstance(o, ndarray) else o for o in operands if type(o) not in (bool, int, float, complex)]
    if typed and numbers:  # NumPy 1 promotes wrongly where a number comes between dtypes
        typed = [np.empty(0, np.result_type(*typed))]
    return np.result_type(*typed, *numbers)
