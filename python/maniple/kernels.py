# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of one's own, with CuPy's names and arguments."""

import ctypes
import re

import numpy as np

from ._array import as_array, ndarray, operand
from ._library import Owned, STRUCTS, c_type, call, struct
from ._names import finished, list_of, reduction_axes

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"]


def _arrays(inputs):
    return [x if isinstance(x, ndarray) else operand(x) if np.isscalar(x) else as_array(x) for x in inputs]


def _outputs(count, given):
    """The cells of outputs, and the list of their addresses."""
    given = (given,) if isinstance(given, ndarray) else tuple(given or ()) + (None,) * (count - len(given or ()))
    cells = [ctypes.c_void_p(x._handle if x is not None else None) for x in given]
    return given, cells, (ctypes.c_void_p * max(count, 1))(*[ctypes.addressof(c) for c in cells])


def _results(given, cells):
    found = tuple(ndarray._adopt(c.value) if x is None else x for x, c in zip(given, cells))
    return found[0] if len(found) == 1 else found


def _count(parameters):
    return len([p for p in parameters.split(",") if p.strip()])


def _name(name):
    return (re.sub(r"\W", "_", name) or "kernel").encode()


class ElementwiseKernel(Owned):
    """cupy.ElementwiseKernel("float32 x, T y", "T z", "z = x - y", "name")(x, y): a line of C++ for every element.

    reduce_dims changes nothing.  no_return: a call gives None, and its outputs are arguments."""

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        *,
        options=(),
    ):
        self.nin, self.nout = _count(in_params), _count(out_params)
        self._no_return, self._return_tuple = no_return, return_tuple
        cell = ctypes.c_void_p()
        call(
            "elementwise_new",
            in_params,
            out_params,
            operation,
            struct("elementwise_options")(_name(name), preamble.encode(), " ".join(options).encode()),
            ctypes.byref(cell),
        )
        self._own(cell.value, "elementwise_free")

    def __call__(self, *arguments, out=None):
        inputs = _arrays(arguments[: self.nin])
        given, cells, table = _outputs(self.nout, out if out is not None else arguments[self.nin :])
        call("elementwise_call", self, len(inputs), list_of(inputs), self.nout, table)
        found = _results(given, cells)
        if self._no_return:
            return None
        return (found,) if self._return_tuple and self.nout == 1 else found


class ReductionKernel(Owned):
    """cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")(x, axis=1).

    reduce_dims changes nothing."""

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduction",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.nin, self.nout = _count(in_params), _count(out_params)
        cell = ctypes.c_void_p()
        call(
            "reduction_new",
            in_params,
            out_params,
            map_expr,
            reduce_expr,
            post_map_expr,
            str(identity),
            struct("reduction_options")(
                _name(name),
                reduce_type.encode() if reduce_type else None,
                preamble.encode(),
                " ".join(options).encode(),
            ),
            ctypes.byref(cell),
        )
        self._own(cell.value, "reduction_free")

    def __call__(self, *arguments, axis=None, keepdims=False, out=None):
        inputs = _arrays(arguments[: self.nin])
        given, cells, table = _outputs(self.nout, out if out is not None else arguments[self.nin :])
        call("reduction_call", self, len(inputs), list_of(inputs), reduction_axes(axis, keepdims), self.nout, table)
        return _results(given, cells)


class _Value(ctypes.Union):
    _fields_ = [
        ("int8", ctypes.c_int8),
        ("int16", ctypes.c_int16),
        ("int32", ctypes.c_int32),
        ("int64", ctypes.c_int64),
        ("float32", ctypes.c_float),
        ("float64", ctypes.c_double),
        ("pointer", ctypes.c_void_p),
    ]


class _Argument(ctypes.Structure):
    _fields_ = [(name, _Value if kind == "union" else c_type(kind)) for kind, name in STRUCTS["mnp_argument"]]


def _argument(value, keep):
    """One argument of a raw kernel: an array's block, or a number of the type that NumPy gives it."""
    made = _Argument()
    if isinstance(value, ndarray):
        made.array = value._handle
        return made
    value = (
        np.float64(value)
        if isinstance(value, float)
        else np.int64(value) if isinstance(value, int) and not isinstance(value, bool) else np.asarray(value)
    )
    bytes_of = ctypes.create_string_buffer(value.tobytes())
    keep.append(bytes_of)
    made.bytes, made.size = ctypes.addressof(bytes_of), value.nbytes
    return made


class _Function:
    """A kernel of a module: kernel(grid, block, arguments, shared_mem=0)."""

    def __init__(self, module, name):
        cell = ctypes.c_void_p()
        call("raw_module_kernel", module, name, ctypes.byref(cell))
        self._module, self._handle = module, cell.value

    @property
    def attributes(self):
        info = struct("raw_kernel_info")()
        call("raw_kernel_get_info", self, info)
        return {name: getattr(info, name) for name, _ in info._fields_}

    def __call__(self, grid, block, args, *, shared_mem=0):
        keep = []
        table = (_Argument * max(len(args), 1))(*[_argument(a, keep) for a in args])
        launch = struct("launch")((ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block), shared_mem, None)
        call("raw_kernel_launch", self, launch, len(args), ctypes.addressof(table))


def _check_backend(backend):
    if backend != "nvrtc":
        raise ValueError(f"backend is {backend!r}, and kernels are compiled by 'nvrtc', on the CPU by a C++ compiler")


class RawModule(Owned):
    """cupy.RawModule: a CUDA source, which runs on the host too."""

    def __init__(self, *, code, options=(), backend="nvrtc", name_expressions=None):
        _check_backend(backend)
        name_expressions = name_expressions or ()
        names = (ctypes.c_char_p * (len(name_expressions) + 1))(*[n.encode() for n in name_expressions])
        cell = ctypes.c_void_p()
        call(
            "raw_module_new",
            code,
            struct("raw_module_options")(
                None, " ".join(options).encode(), ctypes.addressof(names) if name_expressions else None
            ),
            ctypes.byref(cell),
        )
        self._own(cell.value, "raw_module_free")

    def get_function(self, name):
        """A kernel of the module, to be launched as a RawKernel.  Collective."""
        return _Function(self, name)


class RawKernel:
    """cupy.RawKernel(code, "name")(grid, block, arguments): launched on every rank's block."""

    def __init__(self, code, name, options=(), backend="nvrtc"):
        self._function = RawModule(code=code, options=options, backend=backend).get_function(name)

    def __call__(self, grid, block, args, *, shared_mem=0):
        self._function(grid, block, args, shared_mem=shared_mem)

    @property
    def attributes(self):
        return self._function.attributes


__dir__ = finished(globals(), "cupy")
