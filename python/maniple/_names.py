# SPDX-License-Identifier: BSD-3-Clause
"""What the files of NumPy's functions share: the table of their names, and arguments as the library wants them."""

import builtins
import ctypes
import functools
import inspect
import operator

import numpy as np

from . import _array
from ._array import _FLATTENED, as_array, made, ndarray, operand
from ._dtypes import dtype_name, dtype_number, numpy_dtypes
from ._errors import AxisError
from ._library import constant, struct

public_names = {}


def described(function, home):
    """A function without a text of its own for help() gets one: what it is in another package."""
    if not function.__doc__:
        function.__doc__ = f"{home}.{function.__name__}, of arrays that are spread over the ranks.  Collective."
    return function


def public(function):
    """A function of the package, which NumPy's function of the same name leads to."""
    public_names[function.__name__] = described(function, "numpy")
    return function


def on_host(value):
    """What is of NumPy's arrays and numbers, with these for arrays of Maniple.  Collective where there are some."""
    if isinstance(value, ndarray):
        return value.numpy()[()]
    return type(value)(map(on_host, value)) if type(value) in (list, tuple) else value


def _of_host(function):
    """A function of NumPy's arrays that takes those of Maniple too."""

    @functools.wraps(function)
    def of_host(*arguments, **named):
        return function(*map(on_host, arguments), **{name: on_host(value) for name, value in named.items()})

    return of_host


def finished(module, home, elsewhere=(), alone=()):
    """The end of a module: its functions and classes get texts for help(), and belong to the module in errors.  Gives
    the module's dir(), which is what the module offers.

    home: the package whose names it has; elsewhere: {another home: names}; alone: functions of NumPy's arrays and
    numbers, which are not collective, but where they are given arrays of Maniple, which they gather"""
    homes = {name: other for other, names_of in dict(elsewhere).items() for name in names_of}
    for name in module["__all__"]:
        value = module[name]
        if name in alone:
            value = module[name] = _of_host(value)
        if getattr(value, "__module__", "").startswith("maniple"):
            if value.__module__ != module["__name__"] and "._" not in value.__module__:
                continue  # that of another module
            value.__module__ = module["__name__"]
        if inspect.isfunction(value):
            if name in alone and not value.__doc__:
                value.__doc__ = f"{homes.get(name, home)}.{name}, of NumPy's arrays and numbers.  Not collective."
            described(value, homes.get(name, home))
        elif inspect.isclass(value):
            describe_methods(value, f"{homes.get(name, home)}.{name}")
    offered = sorted(module["__all__"])
    return lambda: offered


def called_from_here(package, listed):
    """The functions and classes of the package's private modules belong to the package, in help() and in errors."""
    for name in listed:
        value = package[name]
        if getattr(value, "__module__", "").startswith("maniple._"):
            value.__module__ = "maniple"
            if inspect.isclass(value):
                describe_methods(value, f"numpy.{name}")


def describe_methods(kind, home):
    for name, method in vars(kind).items():
        if inspect.isfunction(method):
            method.__module__ = kind.__module__
            if method.__name__ != name:
                method.__name__ = name
                method.__qualname__ = f"{kind.__name__}.{name}"
            if not name.startswith("_"):
                described(method, home)


def on_device(function):
    """Let a function that makes arrays take device=, as the array API standard has it."""

    @functools.wraps(function)
    def on(*arguments, device=None, **named):
        if device is not None:
            _array.check_device(device)
        return function(*arguments, **named)

    own = inspect.signature(function)
    device = inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default=None)
    on.__signature__ = own.replace(parameters=[*own.parameters.values(), device])
    return on


def signature(function, parameters):
    """Say what a function takes that Python cannot tell of its definition."""
    function.__signature__ = inspect.signature(eval(f"lambda {parameters}: None"))


class _Names:
    """The functions of all files, by name: names.take(x, indices)."""

    def __getattr__(self, name):
        return public_names[name]


names = _Names()


def array_of_number(value):
    """A number, where no operand is an array, as an array without dimensions."""
    return _array.from_host(np.asarray(value))


def number_of(value):
    """The number that an array without dimensions has, for which it waits; everything else as it is."""
    return value.item() if isinstance(value, (ndarray, np.ndarray)) and value.ndim == 0 else value


def listed(values):
    """A number, or a sequence of numbers, as a list; None stays None."""
    if type(values) is int:
        return [values]
    return None if values is None else list(values) if np.iterable(values) else [values]


def axes_of(axis):
    """The axes of axis=, as a list of integers; None: all."""
    if type(axis) is int:
        return [axis]
    return None if axis is None else [operator.index(a) for a in listed(axis)]


def axis_of(axis):
    return _FLATTENED if axis is None else operator.index(axis)


def axis_within(name, axis, ndim):
    """An axis of so many dimensions, from 0 on."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        message = f"{name}: axis {axis} is out of bounds for {ndim} dimension{'' if ndim == 1 else 's'}"
        raise AxisError(constant("ERR_ARG"), message)
    return axis % ndim


def with_a_line(a, axis):
    """An array without dimensions, of which NumPy's functions along an axis take the axes 0 and -1, as a vector."""
    a = as_array(a)
    return names.ravel(a) if a.ndim == 0 and axis in (0, -1) else a


def indices_of(values):
    """An array of indices; a list without any is one of integers."""
    if isinstance(values, (list, tuple)) and np.size(values) == 0:
        values = np.zeros(np.shape(values), np.int64)
    return as_array(values)


def list_of(arrays):
    """Arrays as a list of C, which does not keep them."""
    return (ctypes.c_void_p * builtins.max(len(arrays), 1))(*[None if a is None else a._handle for a in arrays])


def check_fits(value, dtype):
    """OverflowError for an integer of Python's that a dtype of integers does not have."""
    if type(value) is int and dtype.kind in "iu" and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        raise OverflowError(f"{value} does not fit {dtype}")


def element_of(value, dtype):
    dtype = numpy_dtypes[dtype_number(dtype)]
    check_fits(value, dtype)
    return np.asarray(value).astype(dtype)


def as_output(found, output):
    """What was found, as output= wants it: an array, a dtype or None."""
    if isinstance(output, (ndarray, np.ndarray)):
        output[...] = found if isinstance(output, ndarray) else found.numpy()
        return output
    return found if output is None else found.astype(output)


def view(name, x, *arguments):
    x = as_array(x)
    return made(name, x, *arguments, base=x._base)


@functools.lru_cache(maxsize=1024)
def _plain_axes(*fields):
    """The struct mnp_axes of these fields, which refers to no array: calls share it."""
    return struct("axes")(*fields)


def reduction_axes(axis=None, keepdims=False, dtype=None, where=True, initial=None, ddof=0):
    """The struct mnp_axes, and what it refers to."""
    if dtype is None and where is True and initial is None and ddof == 0:
        if axis is None and not keepdims:
            return None
        if type(axis) is int:
            return _plain_axes(1, (axis,), bool(keepdims), None, None, None, 0.0)
    axes, name, ddof = tuple(axes_of(axis) or ()), dtype_name(dtype), float(ddof)
    count, keepdims = constant("NO_AXES") if axis is not None and not axes else len(axes), bool(keepdims)
    if where is True and initial is None:
        return _plain_axes(count, axes, keepdims, name, None, None, ddof)
    mask, start = None if where is True else as_array(where), None if initial is None else operand(initial)
    made_ = struct("axes")(
        count,
        axes,
        keepdims,
        name,
        mask._handle if mask is not None else None,
        start._handle if start is not None else None,
        ddof,
    )
    made_._keep = (mask, start, name)
    return made_
