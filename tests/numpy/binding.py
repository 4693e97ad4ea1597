# SPDX-License-Identifier: BSD-3-Clause
"""The binding behind maniple.py: the library called by the prototypes of its headers."""

import ctypes
import functools
import importlib.util
import os
import subprocess
import sys

os.environ.setdefault("NPY_PROMOTION_STATE", "weak")
import numpy as np  # noqa: E402

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

np.seterr(all="ignore")
_library = os.path.join(os.environ.get("builddir", "."), ".libs", "libmaniple.so")


def _read_headers():
    """Functions {name: (result type, [(type, name), ...])} and constants {name: value} of the public headers, which the
    build has written down for the Python package."""
    path = os.path.join(os.environ.get("builddir", "."), "python", "maniple", "_prototypes.py")
    spec = importlib.util.spec_from_file_location("_prototypes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FUNCTIONS, module.CONSTANTS


def functions_with_const():
    """The functions with the word const in their types, which tells inputs from outputs."""
    source, found = os.environ["srcdir"], {}
    command = [sys.executable, os.path.join(source, "build-aux", "prototypes"), "--const",
               os.path.join(source, "include"), *os.environ["CC"].split()]
    exec(subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout, found)
    return found["FUNCTIONS"]


# MPI's plugins look for its symbols among the global ones; they are found through the library, which is linked with it
_lib = _mpi = ctypes.CDLL(_library, mode=ctypes.RTLD_GLOBAL)
_functions, _constants = _read_headers()
_open_mpi = hasattr(_mpi, "ompi_mpi_comm_world")


def _mpi_handle(open_mpi, mpich):
    """One of MPI's constants: the address of a symbol, or an integer."""
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(_mpi, open_mpi))) if _open_mpi else ctypes.c_int(mpich)


_world = _mpi_handle("ompi_mpi_comm_world", 0x44000000)
for _name in ("mnp_error_message", "mnp_status_name", "mnp_dtype_name", "mnp_ctx_device_kind"):
    getattr(_lib, _name).restype = ctypes.c_char_p


class Error(Exception):
    """A call failed: .status is the name of the status, .message the sentence, .function the function or None."""

    def __init__(self, status, function=None):
        self.function = function
        self.status = _lib.mnp_status_name(status).decode()
        self.message = _lib.mnp_error_message().decode()
        super().__init__(f"{self.status}: {self.message}")

    @property
    def named(self):
        """Whether the sentence begins with the function that was called."""
        return self.function is None or self.message.startswith(self.function + ": ")


# --- dtypes, layouts, arrays ------------------------------------------------------------------------------------------

def _numpy_dtype(name):
    if name == "bfloat16":  # without ml_dtypes its bits
        return np.dtype(ml_dtypes.bfloat16) if ml_dtypes else np.dtype(np.uint16)
    return np.dtype(name)


_names = [_lib.mnp_dtype_name(i).decode() for i in range(_constants["MNP_NUM_DTYPES"])]
_numpy_dtypes = [None] + [_numpy_dtype(name) for name in _names[1:]]  # the first one is MNP_DTYPE_AUTO
DTYPES = [name for name in _names[1:] if ml_dtypes or name != "bfloat16"]  # those that NumPy can compute with


def _dtype_number(dtype):
    if dtype is None:
        return _constants["MNP_DTYPE_AUTO"]
    return dtype if isinstance(dtype, int) else _names.index(dtype if isinstance(dtype, str) else np.dtype(dtype).name)


class Layout:
    """Layout(mesh, shape, axes, cuts): see mnp_layout_new(); mp.layout_replicated() and its like make others."""

    def __init__(self, mesh, shape, axes, cuts=None):
        rows = [c if c is None else (ctypes.c_int64 * len(c))(*c) for c in cuts or [None] * len(shape)]
        table = (ctypes.c_void_p * max(len(rows), 1))(*[ctypes.cast(r, ctypes.c_void_p) for r in rows])
        made = call("layout_new", len(mesh), mesh, len(shape), shape, axes, table)
        self.pointer, made.pointer = made.pointer, None

    def __del__(self):
        if getattr(self, "pointer", None):
            _lib.mnp_layout_free(self.pointer)

    def box(self, rank):
        """The slices of what that rank owns."""
        lo, extent = (ctypes.c_int64 * 8)(), (ctypes.c_int64 * 8)()
        _lib.mnp_layout_box(self.pointer, rank, lo, extent)
        return tuple(slice(lo[d], lo[d] + extent[d]) for d in range(_lib.mnp_layout_ndim(self.pointer)))

    def places(self, rank):
        """What indexes a whole array of NumPy's with that rank's elements; where it is block-cyclic, their indices."""
        if not call("layout_is_cyclic", self):
            return self.box(rank)
        local = (ctypes.c_int64 * 8)()
        _lib.mnp_layout_local_shape(self.pointer, rank, local)
        return np.ix_(*[[call("layout_global", self, d, rank, i) for i in range(local[d])]
                        for d in range(_lib.mnp_layout_ndim(self.pointer))])


def _adopt(cls, pointer):
    made = cls.__new__(cls)
    made.pointer = ctypes.c_void_p(pointer)
    return made


_live = {}  # arrays by their addresses, in the order in which they were made


class Array:
    """An mnp_array, freed with this object."""

    def __init__(self, pointer):
        self.pointer = ctypes.c_void_p(pointer)
        _live[id(self)] = self.pointer

    def __del__(self):
        if _live.pop(id(self), None):
            _lib.mnp_array_free(self.pointer)

    def __getitem__(self, key):
        return call("index", self, index_text(key))

    def __setitem__(self, key, value):
        call("copyto", self[key], value, _constants["MNP_CASTING_SAME_KIND"])

    @property
    def ndim(self):
        return _lib.mnp_array_ndim(self.pointer)

    @property
    def shape(self):
        return tuple(_pointer_result("mnp_array_shape", self)[:self.ndim])

    @property
    def dtype(self):
        return _numpy_dtypes[_lib.mnp_array_dtype(self.pointer)]

    @property
    def layout(self):
        return _adopt(Layout, call("layout_retain", _address("mnp_array_layout", self)))

    def local(self):
        """This rank's block."""
        block = np.empty(tuple(_pointer_result("mnp_array_local_shape", self)[:self.ndim]), self.dtype)
        call("array_get_local", self, block)
        return block

    def numpy(self):
        """The whole array, on every rank."""
        whole = np.empty(self.shape, self.dtype)
        call("array_to_host", self, -1, whole)
        return whole


def _address(function, argument):
    getattr(_lib, function).restype = ctypes.c_void_p
    return ctypes.c_void_p(getattr(_lib, function)(argument.pointer))


def _pointer_result(function, argument):
    return ctypes.cast(_address(function, argument), ctypes.POINTER(ctypes.c_int64))


def array(values, layout=None, dtype=None):
    """An array of these values, which all ranks have, in that layout or the one that Maniple chooses."""
    values = np.asarray(values) if dtype is None else np.asarray(values).astype(_numpy_dtypes[_dtype_number(dtype)])
    number = _dtype_number(values.dtype if dtype is None else dtype)
    if layout is None:
        return call("array_from_host", number, values.ndim, values.shape, np.ascontiguousarray(values))
    made = call("array_new", number, layout)
    call("array_set_local", made, np.ascontiguousarray(values[layout.places(rank)]))
    return made


def index_text(key):
    """NumPy's index as text: x[1:, None, ..., -1] is "1:, None, ..., -1"."""
    def one(item):
        if isinstance(item, slice):
            parts = [item.start, item.stop] + ([] if item.step is None else [item.step])
            return ":".join("" if part is None else str(part) for part in parts)
        return "..." if item is Ellipsis else str(item)
    return ", ".join(one(item) for item in (key if isinstance(key, tuple) else (key,)))


# --- calls ------------------------------------------------------------------------------------------------------------

def scalar(value):
    """A number as mnp_scalar_*() make it."""
    if isinstance(value, bool):
        return _scalar("mnp_scalar_bool", ctypes.c_bool(value))
    if isinstance(value, int):
        return _scalar("mnp_scalar_int", ctypes.c_int64(value))
    if isinstance(value, float):
        return _scalar("mnp_scalar_float", ctypes.c_double(value))
    if isinstance(value, complex):
        return _scalar("mnp_scalar_complex", ctypes.c_double(value.real), ctypes.c_double(value.imag))
    raise TypeError(f"{value!r} is neither an mp.Array nor a Python number")


def _scalar(function, *values):
    getattr(_lib, function).restype = ctypes.c_void_p
    return ctypes.c_void_p(getattr(_lib, function)(ctx, *values))


def _operand(value):
    if isinstance(value, (Array, Layout)):
        return value.pointer
    return value if value is None or isinstance(value, ctypes.c_void_p) else scalar(value)


def _convert(kind, value):
    """A Python value as an argument of that C type."""
    if isinstance(value, ctypes.Structure):
        return ctypes.byref(value) if kind.endswith("*") else value
    if isinstance(value, (ctypes.Array, ctypes.c_void_p, ctypes._CFuncPtr)) or kind == "function":
        return value
    if kind in ("mnp_array *", "mnp_layout *"):
        return _operand(value)
    if kind in ("mnp_array **", "mnp_sparse **") and value is not None:
        if isinstance(value, int):  # so many outputs
            return (ctypes.c_void_p * max(value, 1))()
        return (ctypes.c_void_p * max(len(value), 1))(*[_operand(v) for v in value])
    if kind == "mnp_dtype":
        return ctypes.c_int(_dtype_number(value))
    if kind == "char *":
        return value.encode() if isinstance(value, str) else value
    if value is None:
        return None
    if isinstance(value, np.generic) and kind == "void *":
        return ctypes.create_string_buffer(value.tobytes())
    if isinstance(value, np.ndarray) and kind == "void *":
        return ctypes.c_void_p(value.ctypes.data)
    if kind.endswith("*"):  # a sequence of numbers
        element = _c_types.get(kind[:-1].strip(), ctypes.c_int)
        return (element * max(len(value), 1))(*value)
    return _c_types.get(kind, ctypes.c_int)(value)


_c_types = {"int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "_Bool": ctypes.c_bool,
            "uint16_t": ctypes.c_uint16, "unsigned": ctypes.c_uint, "float": ctypes.c_float, "double": ctypes.c_double,
            "char": ctypes.c_char}


def _is_output(kind, name):
    """Outputs are called NAME_p or out, and are pointers to objects, numbers or dtypes."""
    return (name.endswith("_p") or name == "out") and (
        kind.endswith(" **") or kind[:-1].strip() in _c_types or kind in ("int *", "mnp_dtype *"))


def call(name, *arguments, out=None, **named):
    """Call a function of the library: raises Error if it fails; gives its outputs, or else its result."""
    name = name if name.startswith("mnp_") else "mnp_" + name
    result, parameters = _functions[name]
    kept, function = arguments, getattr(_lib, name)  # arrays without another reference live as long as the call
    arguments, given = list(kept), list(out) if isinstance(out, tuple) else [out]
    passed, outputs = [], []
    for kind, parameter in parameters:
        if parameter == "void" or kind.endswith("mnp_ctx *"):
            passed += [ctx] if kind else []
        elif _is_output(kind, parameter) and parameter not in named:
            reuse = given.pop(0) if given and kind == "mnp_array **" else None
            plain = _c_types.get(kind[:-1].strip(), ctypes.c_int)
            cell = ctypes.c_void_p(reuse.pointer.value if reuse else None) if kind.endswith("**") else plain()
            outputs.append((kind, cell, reuse))
            passed.append(ctypes.byref(cell))
        else:
            value = named.pop(parameter) if parameter in named else arguments.pop(0)
            passed.append(_convert(kind, value))
            if kind == "mnp_array **" and isinstance(value, int):
                outputs += [("mnp_array *", passed[-1], k) for k in range(value)]
    if arguments or named:
        raise TypeError(f"{name} takes no {arguments or list(named)}")
    function.restype = (None if result == "void" else ctypes.c_char_p if result == "char *" else
                        ctypes.c_void_p if result.endswith("*") else _c_types.get(result, ctypes.c_int))
    status = function(*passed)
    if result != "mnp_status":
        return status.decode() if isinstance(status, bytes) else status
    if status != 0:
        raise Error(status, name)
    results = tuple(_result(*output) for output in outputs)
    return results[0] if len(results) == 1 else results or None


def _result(kind, cell, given):
    """What an output parameter has received, or what it was given to reuse."""
    if kind == "mnp_array *":
        return Array(cell[given])
    if given is not None:
        given.pointer.value = cell.value  # a view takes the place of the array that was given
        return given
    if kind == "mnp_array **":
        return Array(cell.value)
    if kind == "mnp_layout **":
        return _adopt(Layout, cell.value)
    return cell if kind.endswith("**") else cell.value


def eval(text, outputs="z", out=None, **inputs):  # noqa: A001
    """mnp_eval: `outputs` names them, as "z", "q r" or [""]; out= gives arrays to reuse, as {"z": array}.

    What mnp_eval_types says before is held against the results."""
    pair = type("Pair", (ctypes.Structure,), {"_fields_": [("name", ctypes.c_char_p), ("value", ctypes.c_void_p)]})
    names = outputs.split() if isinstance(outputs, str) else outputs
    reused = [(out or {}).get(name) for name in names]
    cells = [ctypes.c_void_p(array.pointer.value if array else None) for array in reused]
    ins = (pair * (len(inputs) + 1))(*[(n.encode(), ctypes.cast(_operand(v), ctypes.c_void_p))
                                       for n, v in inputs.items()])
    outs = (pair * (len(names) + 1))(*[(n.encode(), ctypes.addressof(c)) for n, c in zip(names, cells)])
    dtypes, ndims = (ctypes.c_int * len(names))(), (ctypes.c_int * len(names))()
    told = _lib.mnp_eval_types(ctx, text.encode(), ins, outs, dtypes, ndims)
    status = _lib.mnp_eval(ctx, text.encode(), ins, outs)
    if status != 0:
        raise Error(status, "mnp_eval")
    results = tuple(given or Array(cell.value) for given, cell in zip(reused, cells))
    for name, result, dtype, ndim in zip(names, results, dtypes, ndims):
        made = (_lib.mnp_array_dtype(result.pointer), _lib.mnp_array_ndim(result.pointer))
        if told != 0 or (dtype, ndim) != made:
            raise AssertionError(f"mnp_eval_types of {name} in {text!r}: status {told}, {dtype, ndim}, not {made}")
    return results[0] if len(results) == 1 else results


def agree(problem):
    """None if it is None on all ranks, else a rank's problem."""
    status = 0 if problem is None else _lib.mnp_fail(_constants["MNP_ERR_ARG"], b"%s", problem.encode())
    return _lib.mnp_error_message().decode() if _lib.mnp_agree(ctx, status) != 0 else None


def broadcast(number):
    """An integer from rank 0."""
    cell = (ctypes.c_uint64 * 1)(number)
    _mpi.MPI_Bcast(cell, 8, _mpi_handle("ompi_mpi_byte", 0x4c00010d), 0, _world)
    return cell[0]


def abort():
    """End all ranks."""
    _mpi.MPI_Abort(_world, 1)


def lookup(name):
    """The function or constant of the headers that has this name."""
    if name in _constants:
        return _constants[name]
    if "mnp_" + name in _functions:
        function = functools.partial(call, name)
        function.__name__ = name
        return function
    raise AttributeError(f"Maniple's headers have no {name} and no mnp_{name}")


def finalize():
    """Free what is left, in the order in which it was made, and end."""
    for key in list(_live):
        _lib.mnp_array_free(_live.pop(key))
    _lib.mnp_finalize(ctx)


def _start():
    handle = ctypes.c_void_p()
    status = _lib.mnp_init(_world, None, ctypes.byref(handle))
    if status != 0:
        raise Error(status)
    return handle


ctx = _start()
rank, size = _lib.mnp_ctx_rank(ctx), _lib.mnp_ctx_size(ctx)
