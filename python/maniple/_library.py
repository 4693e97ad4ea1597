# SPDX-License-Identifier: BSD-3-Clause
"""libmaniple: calling it by the prototypes of its headers, and the context."""

import atexit
import contextlib
import ctypes
import functools
import operator
import sys
import traceback

from ._errors import check
from ._loading import lib
from ._prototypes import CONSTANTS, FUNCTIONS, STRUCTS, SUMMARIES, TYPES

__all__ = ["call", "check", "constant", "context", "init", "is_initialized", "lib", "struct"]

# --- types ------------------------------------------------------------------------------------------------------------

_NUMBERS = {
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "uint16_t": ctypes.c_uint16,
    "size_t": ctypes.c_size_t,
    "_Bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "char": ctypes.c_char,
}
_UNSIGNED = "unsigned", "uint64_t", "uint16_t", "size_t"


def c_type(kind):
    """The type of ctypes for a type of the headers; pointers are addresses."""
    if kind.endswith("]"):
        base, extent = kind[:-1].split("[")
        return c_type(base) * (CONSTANTS[extent] if extent in CONSTANTS else int(extent))
    if kind == "char *":
        return ctypes.c_char_p
    if kind.endswith("*") or kind in ("function", "union", "MPI_Comm") or TYPES.get(kind) == "function":
        return ctypes.c_void_p
    return _NUMBERS.get(kind, ctypes.c_int)  # the others are enums


def _integer(kind, where):
    """What makes an integer of Python one of a type of C, which would wrap those that it does not have."""
    bits, signed = 8 * ctypes.sizeof(c_type(kind)), kind not in _UNSIGNED
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def integer(value):
        if type(value) is not int:
            try:
                value = operator.index(value)
            except TypeError:
                raise TypeError(f"{where} is {value!r}, which is no integer") from None
        if not least <= value <= most:
            raise OverflowError(f"{where} is {value}, and must be from {least} to {most}")
        return value

    return integer


def _real(where):
    def real(value):
        if type(value) is float:
            return value
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError
            return float(value)
        except TypeError:
            raise TypeError(f"{where} is {value!r}, which is no number") from None

    return real


@functools.lru_cache(maxsize=None)
def _number(kind, where):
    """What makes a number of Python one of that type; None: ctypes does."""
    if kind in ("float", "double"):
        return _real(where)
    return None if kind in ("_Bool", "char") else _integer(kind, where)


class _Struct(ctypes.Structure):
    """A struct of the headers: its fields take the numbers that their types have."""

    def __setattr__(self, name, value):
        if name in self._converters:
            value = self._converters[name](value)
        ctypes.Structure.__setattr__(self, name, value)


def _field(kind, where):
    """What makes a value of Python that of a field; None: ctypes does."""
    if kind.endswith("]"):
        array, number = c_type(kind), _number(kind.split("[")[0], where)

        def listed(values):
            if isinstance(values, ctypes.Array) or number is None:
                return values
            if len(values) > array._length_:
                raise ValueError(f"{where} has {len(values)} elements, more than {array._length_}")
            return array(*map(number, values))

        return listed
    return None if c_type(kind) in (ctypes.c_void_p, ctypes.c_char_p) or kind in STRUCTS else _number(kind, where)


_structs = {}


def struct(name):
    """The struct of that name, without mnp_, as a class of ctypes."""
    if name not in _structs:
        fields = STRUCTS["mnp_" + name]
        _structs[name] = type(name, (_Struct,), {
            "_fields_": [(field, c_type(kind)) for kind, field in fields],
            "_converters": {field: convert for kind, field in fields if (convert := _field(kind, field))},
        })
    return _structs[name]


def constant(name):
    """A constant of the headers, without MNP_."""
    return CONSTANTS["MNP_" + name]


def chosen(what, word, prefix, words):
    """The constant that a word stands for, which is one of those listed: chosen("mode", "full", "CONV_", ...)."""
    if word not in words:
        raise ValueError(f"{what} is {word!r}, which is none of {', '.join(words)}")
    return constant(prefix + word.upper().replace("-", "_"))


_open_mpi = hasattr(lib, "ompi_mpi_comm_world")


def _declare():
    """Tell ctypes about every function, so that addresses may be Python's integers."""
    for name, (result, parameters) in FUNCTIONS.items():
        try:
            function = getattr(lib, name)
        except AttributeError:
            raise ImportError(f"the library is older than this package: it has no {name}") from None
        function.restype = None if result == "void" else c_type(result)
        if name != "mnp_fail":
            function.argtypes = [
                (
                    ctypes.c_int
                    if kind == "MPI_Comm" and not _open_mpi
                    else ctypes.c_void_p if kind.endswith("*") and kind != "char *" else c_type(kind)
                )
                for kind, _ in parameters
            ]


_declare()


# --- the context ------------------------------------------------------------------------------------------------------

_context = None
_ended = False
_at_end = []  # functions that are called before the context ends


def _world():
    """MPI_COMM_WORLD as an argument."""
    return ctypes.addressof(ctypes.c_char.in_dll(lib, "ompi_mpi_comm_world")) if _open_mpi else 0x44000000


def _handle_of(comm):
    """The handle behind a communicator of mpi4py, or an address or integer that is one."""
    if comm is None or isinstance(comm, int):
        return _world() if comm is None else comm
    from mpi4py import MPI

    kind = ctypes.c_void_p if _open_mpi else ctypes.c_int
    return kind.from_address(MPI._addressof(comm)).value


def init(comm=None, **settings):
    """Start: the ranks of a communicator of mpi4py (None: all that mpirun has started) work together from here on.

    Settings are those of `maniple info --settings` in lower case, without MANIPLE_: init(device="host").  Without a
    call the first array starts with all ranks and the environment's settings.  Collective; once in a program."""
    global _context
    if _context is not None:
        raise RuntimeError("maniple.init(): it has been called, or an array has been made before")
    options = " ".join(f"{name}={value}" for name, value in settings.items())
    cell = ctypes.c_void_p()
    check(lib.mnp_init(_handle_of(comm), options.encode() or None, ctypes.byref(cell)))
    _context = cell.value
    atexit.register(_finish)


def is_initialized():
    """Whether Maniple has started.  Not collective."""
    return _context is not None


def context():
    """The address of the context, which is made when it is first needed.  Collective then."""
    if _context is None:
        if _ended:
            raise RuntimeError("Maniple has ended")
        init()
    return _context


def before_end(function):
    """Call the function before the context ends."""
    _at_end.append(function)
    return function


def _finish():
    global _context, _ended
    for function in reversed(_at_end):
        function()
    handle, _context, _ended = _context, None, True
    lib.mnp_finalize(handle)


def finalize():
    """End Maniple, and MPI if Maniple started it; otherwise it happens when Python ends.  Collective."""
    if is_initialized():
        atexit.unregister(_finish)
        _finish()


def _excepthook(kind, value, trace):
    """One rank must not leave the others waiting: all end, with one rank's message."""
    if _context is None or issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, value, trace)
        if _context is None:
            return
    lines = traceback.format_exception(kind, value, trace)
    lib.mnp_fail(CONSTANTS["MNP_ERR_ARG"], b"%s", "".join(lines).rstrip().encode(errors="replace"))
    sys.stdout.flush()
    sys.stderr.flush()
    lib.mnp_exit(1)


sys.excepthook = _excepthook

# --- calls ------------------------------------------------------------------------------------------------------------


def vector(kind, values, where="a list of numbers"):
    """A sequence of numbers as an array of C; None stays None."""
    if values is None:
        return None
    try:
        count = len(values)
    except TypeError:
        raise TypeError(f"{where} is {values!r}, which is no sequence") from None
    number = _number(kind, where)
    return (_NUMBERS[kind] * max(count, 1))(*(values if number is None else map(number, values)))


def _named(value):
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _no_array(value):
    return (f"{_named(value)} is no array of Maniple, nor what is wanted here; maniple.asarray() makes an array of what "
            "every rank has")


_NOT_WANTED = {
    "mnp_sparse": lambda value: f"{_named(value)} is no sparse matrix of Maniple: maniple.sparse.csr_array() makes one",
    "mnp_layout": lambda value: f"{_named(value)} is no layout: maniple.Layout() makes one",
}


def _text(where):
    def text(value):
        if isinstance(value, str):
            return value.encode()
        if value is None or isinstance(value, (bytes, ctypes.Array)):
            return value
        raise TypeError(f"{where} is {value!r}, which is no text")

    return text


def _address(base):
    is_opaque = base.startswith("mnp_") and base not in STRUCTS  # where a number of the program's is no address

    def address(value):
        if value is None:
            return value
        try:
            if value._kind == base and value._handle is not None:  # as it is for most
                return value._handle
        except AttributeError:
            pass
        if isinstance(value, (ctypes.Array, ctypes.c_void_p)):
            return value
        if isinstance(value, int) and not is_opaque:
            return value
        if isinstance(value, ctypes.Structure):
            return ctypes.addressof(value)
        handle = getattr(value, "_handle", None)
        if handle is None or getattr(value, "_kind", base) != base:
            raise TypeError(_NOT_WANTED[base](value) if base in _NOT_WANTED else _no_array(value))
        return handle

    return address


def _converter(kind, where):
    """What makes a Python value an argument of that type, or tells what is wrong with it; None: ctypes does.

    where: the function and the parameter, for errors"""
    base = kind[:-1].strip()
    if kind == "char *":
        return _text(where)
    if kind.endswith("*") and base in _NUMBERS and base != "char":
        return lambda value: value if value is None or isinstance(value, ctypes.Array) else vector(base, value, where)
    if kind.endswith("*"):
        return _address(base)
    return None if c_type(kind) is ctypes.c_void_p or kind == "MPI_Comm" else _number(kind, where)


_plans = {}


def _plan(name):
    """How to call a function: itself, whether it takes the context first, converters, whether it gives a status."""
    result, parameters = FUNCTIONS[name]
    first = bool(parameters) and parameters[0][0] == "mnp_ctx *"
    _plans[name] = (
        getattr(lib, name),
        first,
        [_converter(kind, f"{name[4:]}: {parameter}") for kind, parameter in parameters[first:]],
        result == "mnp_status",
    )
    return _plans[name]


def call(name, *arguments):
    """Call a function of the library, by its name without mnp_, with all its arguments but the context.

    Objects of this package, sequences of numbers and texts become what the prototype wants; a byref() or an address is
    passed on.  What its type does not have is refused: an OverflowError for an integer, otherwise a TypeError.  A
    failure is raised; another result than a status is returned."""
    name = "mnp_" + name
    function, first, converters, gives_status = _plans.get(name) or _plan(name)
    keep = [a if c is None or type(a) is _byref else c(a) for c, a in zip(converters, arguments)]
    result = function(context(), *keep) if first else function(*keep)
    if not gives_status:
        return result.decode() if isinstance(result, bytes) else result
    if result:
        check(result)
    return None


_byref = type(ctypes.byref(ctypes.c_int()))

# --- objects whose release is collective ------------------------------------------------------------------------------


@contextlib.contextmanager
def waiting(doing):
    """Around a call of MPI's own: a rank that is stopped meanwhile ends the job with a sentence about `doing`."""
    lib.mnp_mpi_begin(context(), doing.encode())
    try:
        yield
    finally:
        lib.mnp_mpi_end(context())


def least(values):
    """The least of each integer among the ranks.  Collective."""
    mine = (ctypes.c_int * len(values))(*values)
    ours = (ctypes.c_int * len(values))()
    if _open_mpi:
        kind, least_of = (
            ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(lib, name)))
            for name in ("ompi_mpi_int", "ompi_mpi_op_min")
        )
    else:
        kind, least_of = ctypes.c_int(0x4C000405), ctypes.c_int(0x58000002)
    comm = lib.mnp_ctx_comm(context())
    with waiting("agreeing"):
        lib.MPI_Allreduce(
            mine, ours, len(values), kind, least_of, ctypes.c_void_p(comm) if _open_mpi else ctypes.c_int(comm)
        )
    return list(ours)


_shared = {}  # handles of such objects by their numbers, in the order of making, which is the same on all ranks
_forgotten = set()  # the numbers of those that this rank has forgotten
_next = 0


class Handle:
    """What has an address of the library, which no copy of the object may have."""

    __slots__ = ()

    def __reduce_ex__(self, protocol):
        raise TypeError(f"a {type(self).__name__} belongs to this process, and can be neither copied nor pickled")


_owned = {}  # what ranks release by themselves: functions that do, and addresses, by the Python objects' identities


class Owned(Handle):
    """An object that each rank releases by itself: when Python has forgotten it, and before Maniple ends."""

    __slots__ = ()

    def _own(self, handle, release):
        self._handle = handle
        _owned[id(self)] = getattr(lib, "mnp_" + release), handle

    def __del__(self, owned=_owned):  # which is there until the last object goes, unlike the module's names
        release, handle = owned.pop(id(self), (None, None))
        if release is not None:
            release(handle)


@before_end
def _release_owned():
    while _owned:
        release, handle = _owned.popitem()[1]
        release(handle)


class Shared(Handle):
    """An object that all ranks release together: when Python has forgotten it on all of them, the next call that makes
    such an object releases it, in the order of making.  free() does it at once; it is collective."""

    _lent = False  # whether others rely on it, so that free() is not to be called

    def __init__(self, release, make, *arguments):
        global _next
        context()
        if _shared:
            for number, all_have in zip(list(_shared), least([n in _forgotten for n in _shared])):
                if all_have:
                    _release(number)
        cell = ctypes.c_void_p()
        call(make, *arguments, ctypes.byref(cell))
        self._handle, self._number = cell.value, _next
        _shared[_next] = (release, cell.value)
        _next += 1

    def __del__(self, shared=_shared, forgotten=_forgotten):
        if getattr(self, "_number", None) in shared:
            forgotten.add(self._number)

    def free(self):
        """Release the object now, on all ranks.  Collective."""
        if self._number in _shared:
            _release(self._number)
        self._handle = None


def _release(number):
    release, handle = _shared.pop(number)
    _forgotten.discard(number)
    call(release, ctypes.c_void_p(handle))


@before_end
def _release_shared():
    for number in list(_shared)[::-1]:
        _release(number)
