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


def _listed(parameters):
    """The types of a list of parameters."""
    return [p.split()[:-1] for p in parameters.split(",") if p.strip()]


def _given(options):
    """Options as a text.  Maniple's part of a kernel is C++17, so that an older standard becomes that one."""
    return re.sub(r"(-std=\w+\+\+)(98|03|0x|11|1y|14)\b", r"\g<1>17", " ".join(options)).encode()


def _name(name):
    return (re.sub(r"\W", "_", name) or "kernel").encode()


class ElementwiseKernel(Owned):
    """cupy.ElementwiseKernel("float32 x, T y", "T z", "z = x - y", "name")(x, y): a line of C++ for every element.

    reduce_dims changes nothing.  no_return: a call gives None, and its outputs are arguments.  A call whose arrays are
    all raw has size=, the number of elements of its outputs.  In options -std= below C++17 is that one."""

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
        self._types = _listed(in_params), _listed(out_params)
        self.nin, self.nout = map(len, self._types)
        self._no_return, self._return_tuple = no_return, return_tuple
        cell = ctypes.c_void_p()
        call(
            "elementwise_new",
            in_params,
            out_params,
            operation,
            struct("elementwise_options")(_name(name), preamble.encode(), _given(options)),
            ctypes.byref(cell),
        )
        self._own(cell.value, "elementwise_free")

    def _new_outputs(self, inputs, size):
        """Outputs of one dimension, for kernels whose arrays are all raw."""
        types = {kind[-1]: x.dtype for kind, x in zip(self._types[0], inputs) if isinstance(x, ndarray)}
        kinds = [kind[-1] for kind in self._types[1]]
        unknown = [kind for kind in kinds if len(kind) == 1 and kind not in types]
        if unknown:
            raise ValueError(f"nothing tells what type {unknown[0]} is: give the output an array")
        return tuple(ndarray(size, types.get(kind, kind)) for kind in kinds)

    def __call__(self, *arguments, out=None, size=None):
        inputs, given = _arrays(arguments[: self.nin]), out if out is not None else arguments[self.nin :]
        if size is not None:
            if any(isinstance(x, ndarray) and kind[0] != "raw" for kind, x in zip(self._types[0], inputs)) or given:
                raise ValueError("size is that of the new outputs of a kernel whose arrays are all raw")
            given = self._new_outputs(inputs, size)
        given, cells, table = _outputs(self.nout, given)
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
        self.nin, self.nout = len(_listed(in_params)), len(_listed(out_params))
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
                _given(options),
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


_BITS = {"char": 8, "short": 16, "long": 64}
_NAMED_TYPES = {"bool": "bool", "float": "float32", "double": "float64", "size_t": "uint64", "ptrdiff_t": "int64",
                "complex<float>": "complex64", "complex<double>": "complex128"}  # fmt: skip
_NAMED_TYPES.update({f"{u}int{bits}_t": f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)})


def _number_type(words):
    """The dtype of a number's type in C++, as words; None if it is another type."""
    if len(words) == 1 and words[0] in _NAMED_TYPES:
        return np.dtype(_NAMED_TYPES[words[0]])
    sizes = [w for w in words if w not in ("int", "signed", "unsigned")]
    if not words or not set(sizes) <= set(_BITS):
        return None
    return np.dtype(("u" if "unsigned" in words else "") + f"int{_BITS[sizes[0]] if sizes else 32}")


def _parameter_type(text, types):
    """The dtype of a parameter that is a number; `types` are those of a template's parameters."""
    if re.search(r"[*&\[]", text):
        return None
    words = re.findall(r"[\w:]+(?:\s*<[^<>]*>)?", text.partition("=")[0])
    words = [re.sub(r"\s|std::|thrust::", "", w) for w in words if w not in ("const", "volatile")]
    words = [word for w in words for word in types.get(w, w).split()]
    return _number_type(words) or _number_type(words[:-1])  # with a name, which may be left out


def _parameter_types(code, name):
    """The dtypes of a kernel's parameters by its source, None for those that are no numbers; () if it is not found
    there, as where macros make it.  `name` may be a name expression."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", code, flags=re.S)
    base, _, given = name.partition("<")
    for place in re.finditer(rf"\b{re.escape(base.strip().rpartition(':')[2])}\s*\(", code):
        head = re.split(r"[;{}]", code[: place.start()])[-1]
        if "__global__" not in head:
            continue
        inner = re.match(r"(?:[^()]|\([^()]*\))*", code[place.end() :]).group()
        template = re.search(r"template\s*<([^<>]*)>", head)
        listed = [p.partition("=")[0].split() for p in template.group(1).split(",")] if template else []
        parameters = [words[-1] for words in listed if words]  # none of a specialisation: template<>
        types = dict(zip(parameters, [t.strip() for t in given.rpartition(">")[0].split(",")]))
        return [_parameter_type(p, types) for p in re.split(r",(?![^<]*>)", inner) if p.strip()]
    return ()


def _number(value, dtype):
    """A Python number in a parameter's type; None: that of NumPy, int64, float64 or complex128."""
    if isinstance(value, np.generic) or not isinstance(value, (bool, int, float, complex)):
        return np.asarray(value)
    if dtype is None:
        return np.asarray(value, None if isinstance(value, (bool, float, complex)) else np.int64)
    if dtype.kind in "iu" and isinstance(value, int) and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        raise OverflowError(f"{value} does not fit a parameter of {dtype}")
    ranks = "biufc"
    kind = "b" if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)) else type(value).__name__[0]
    if ranks.index(kind) > ranks.index(dtype.kind):
        raise TypeError(f"{value!r} is no number for a parameter of {dtype}")
    return np.asarray(value, dtype)


def _argument(value, dtype, keep):
    """One argument of a raw kernel: an array's block, or a number of the parameter's type."""
    made = _Argument()
    if isinstance(value, ndarray):
        made.array = value._handle
        return made
    value = _number(value, dtype)
    bytes_of = ctypes.create_string_buffer(value.tobytes())
    keep.append(bytes_of)
    made.bytes, made.size = ctypes.addressof(bytes_of), value.nbytes
    return made


class _Function:
    """A kernel of a module: kernel(grid, block, arguments, shared_mem=0).  Python's numbers become what its source says
    of its parameters; those of NumPy have the types that they have."""

    def __init__(self, module, name):
        cell = ctypes.c_void_p()
        call("raw_module_kernel", module, name, ctypes.byref(cell))
        self._module, self._handle, self._types = module, cell.value, _parameter_types(module._code, name)

    @property
    def attributes(self):
        info = struct("raw_kernel_info")()
        call("raw_kernel_get_info", self, info)
        return {name: getattr(info, name) for name, _ in info._fields_}

    def __call__(self, grid, block, args, *, shared_mem=0):
        keep = []
        types = self._types if len(self._types) == len(args) else (None,) * len(args)
        table = (_Argument * max(len(args), 1))(*[_argument(a, t, keep) for a, t in zip(args, types)])
        launch = struct("launch")(grid, block, shared_mem, None)
        call("raw_kernel_launch", self, launch, len(args), ctypes.addressof(table))


def _check_backend(backend):
    if backend != "nvrtc":
        raise ValueError(f"backend is {backend!r}, and kernels are compiled by 'nvrtc', on the CPU by a C++ compiler")


class RawModule(Owned):
    """cupy.RawModule: a CUDA source, which runs on the host too.  It may include <cupy/complex.cuh>; in options -std=
    below C++17 is that one."""

    def __init__(self, *, code, options=(), backend="nvrtc", name_expressions=None):
        _check_backend(backend)
        name_expressions = name_expressions or ()
        self._code = code
        names = (ctypes.c_char_p * (len(name_expressions) + 1))(*[n.encode() for n in name_expressions])
        cell = ctypes.c_void_p()
        call(
            "raw_module_new",
            code,
            struct("raw_module_options")(
                None, _given(options), ctypes.addressof(names) if name_expressions else None
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
