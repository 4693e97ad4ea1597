# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's protocols; methods and operators of arrays."""

import ctypes
import inspect
import numbers

import numpy as np

from ._array import as_array, into, ndarray, operand, result_type
from ._layout import as_shape
from ._elementwise import ufuncs
from ._indexing import target, value_for
from ._library import call, constant
from ._names import axis_of, list_of, names, public_names, reduction_axes
from .comm import allreduce, by_root


def _missing(what):
    return TypeError(
        f"Maniple has no {what} of arrays that are spread over the ranks.  If the array may be gathered on "
        "every rank, x.numpy() is one of NumPy's"
    )


def from_ufunc(ufunc, method, inputs, named):
    """What NumPy's ufuncs do with our arrays."""
    name = ufunc.__name__
    inputs = [x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs]  # a number
    if any(isinstance(x, np.ndarray) for x in inputs):
        raise TypeError(
            f"numpy.{name} of one of NumPy's arrays and an array of Maniple: maniple.asarray() makes an "
            "array of what every rank has"
        )
    if method == "__call__":
        function = ufuncs.get(name) or public_names.get(name)
        if function is None:
            raise _missing("numpy." + name)
        return function(*inputs, **named)
    if method not in _UFUNC_METHODS:
        raise _missing(f"numpy.{name}.{method}")
    return _UFUNC_METHODS[method](ufuncs.get(name) or public_names.get(name), name, *inputs, **named)


def _reduce(function, name, array, axis=0, dtype=None, out=None, keepdims=False, initial=np._NoValue, where=True):
    initial = None if initial is np._NoValue else initial
    axes = reduction_axes(axis, bool(keepdims), dtype, where, initial)
    return into("ufunc_reduce", name.encode(), as_array(array), axes, out=out)


def _accumulate(function, name, array, axis=0, dtype=None, out=None):
    array = as_array(array) if dtype is None else as_array(array).astype(dtype)
    return into("ufunc_accumulate", name.encode(), array, axis, out=out)


def _outer(function, name, a, b, out=None):
    return into("ufunc_outer", name.encode(), operand(a), operand(b), out=out)


def _reduceat(function, name, array, indices, axis=0, dtype=None, out=None):
    array = as_array(array) if dtype is None else as_array(array).astype(dtype)
    places = [int(i) for i in (indices.tolist() if isinstance(indices, ndarray) else indices)]
    return into("ufunc_reduceat", name.encode(), array, len(places), places, axis, out=out)


def _at(function, name, a, indices, b=None):
    view, first, arrays = target(a, indices)
    if not arrays:
        function(view, *([] if b is None else [b]), out=view)
    elif b is None or first or len(arrays) > 1:
        values = None if b is None else value_for(a, b)
        call("indices_at", name.encode(), view, first, len(arrays), list_of(arrays), values)
    else:
        call("ufunc_at", name.encode(), view, arrays[0], value_for(a, b))


_UFUNC_METHODS = {"reduce": _reduce, "accumulate": _accumulate, "outer": _outer, "reduceat": _reduceat, "at": _at}
_TOLD = {
    "reduce": "combine all elements along axes",
    "accumulate": "combine the elements up to each one along an axis",
    "outer": "of every element of one array with every one of another",
    "reduceat": "combine the elements from each of the indices on, up to the next",
    "at": "replace the elements at indices, one after the other",
}


def _ufunc_methods():
    """maniple.add.at and its kin, as numpy.ufunc's: all of functions of two operands, at of those of one too."""

    def bound(method, function):
        def of_function(*arguments, **named):
            return method(function, function.__name__, *arguments, **named)

        name = method.__name__[1:]
        of_function.__name__, of_function.__qualname__ = name, f"{function.__name__}.{name}"
        of_function.__doc__ = f"numpy.ufunc.{name}: {_TOLD[name]}.  Collective."
        of_function.__signature__ = inspect.Signature(list(inspect.signature(method).parameters.values())[2:])
        return of_function

    for function in ufuncs.values():
        for name, method in _UFUNC_METHODS.items():
            if (function.nin, function.nout) == (2, 1) or (name == "at" and (function.nin, function.nout) == (1, 1)):
                setattr(function, name, bound(method, function))


def from_function(function, arguments, named):
    """What NumPy's other functions do with our arrays."""
    name = function.__name__
    module = getattr(function, "__module__", "numpy") or "numpy"
    if module.startswith("numpy.linalg") or module.startswith("numpy.fft"):
        import maniple

        home = getattr(maniple, module.split(".")[1], None)
        ours = getattr(home, name, None)
    else:
        ours = public_names.get(name) or public_names.get(name.rstrip("_"))
    if ours is None:
        raise _missing(f"{module}.{name}")
    return ours(*arguments, **named)


# ---- methods and operators ----


def _operators():
    binary = {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "truediv": "divide",
        "floordiv": "floor_divide",
        "mod": "remainder",
        "pow": "power",
        "and": "bitwise_and",
        "or": "bitwise_or",
        "xor": "bitwise_xor",
        "lshift": "left_shift",
        "rshift": "right_shift",
    }
    compare = {
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "ge": "greater_equal",
        "eq": "equal",
        "ne": "not_equal",
    }
    simple = (ndarray, int, float, complex, np.generic, list, tuple, range)

    def forward(function):
        def method(self, other):
            return function(self, other) if isinstance(other, simple) else NotImplemented

        return method

    def backward(function):
        def method(self, other):
            return function(other, self) if isinstance(other, simple) else NotImplemented

        return method

    def in_place(function):
        def method(self, other):
            return function(self, other, out=self) if isinstance(other, simple) else NotImplemented

        return method

    for name, function in binary.items():
        setattr(ndarray, f"__{name}__", forward(ufuncs[function]))
        setattr(ndarray, f"__r{name}__", backward(ufuncs[function]))
        setattr(ndarray, f"__i{name}__", in_place(ufuncs[function]))

    def with_things(function, x, things):
        """== or != of an array and a list in which are things that are no numbers, as NumPy's: these are not equal."""
        values = np.asarray(things)
        if values.dtype.kind in "biufc":
            return function(x, things)
        known = np.vectorize(lambda v: isinstance(v, numbers.Number), otypes=[bool])(values)
        given = np.array([v if k else 0 for v, k in zip(values.ravel(), known.ravel())]).reshape(values.shape)
        found = function(x, public_names["asarray"](given))
        return public_names["where"](known, found, function.__name__ == "not_equal")

    def comparison(function):
        has_things = function.__name__ in ("equal", "not_equal")

        def method(self, other):
            if has_things and isinstance(other, (list, tuple)):
                return with_things(function, self, other)
            if isinstance(other, simple):
                return function(self, other)
            if isinstance(other, np.ndarray):  # for which == would be False
                return getattr(np, function.__name__)(self, other)
            return NotImplemented

        return method

    for name, function in compare.items():
        setattr(ndarray, f"__{name}__", comparison(ufuncs[function]))
    for name, function in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
        setattr(ndarray, f"__{name}__", lambda self, f=ufuncs[function]: f(self))
    power = ndarray.__pow__

    def power_or_root(self, other):
        """x ** 0.5 is a root, as NumPy's."""
        is_root = type(other) is float and other == 0.5 and self.dtype.kind in "fc"
        return ufuncs["sqrt"](self) if is_root else power(self, other)

    ndarray.__pow__ = power_or_root
    ndarray.__matmul__ = forward(public_names["matmul"])
    ndarray.__rmatmul__ = backward(public_names["matmul"])
    ndarray.__imatmul__ = in_place(public_names["matmul"])
    ndarray.__divmod__ = lambda self, other: public_names["divmod"](self, other)
    ndarray.__rdivmod__ = lambda self, other: public_names["divmod"](other, self)
    ndarray.__hash__ = None


class _Flat(ndarray):
    """What x.flat is: the flattened array, which may be a copy, so that what is assigned is brought to x."""

    __slots__ = ("_whole",)

    @classmethod
    def of(cls, array):
        """Collective."""
        cell = ctypes.c_void_p()
        call("ravel", array, ctypes.byref(cell))
        flat = cls._adopt(cell.value, array._base)
        is_view = allreduce(int(call("may_share_memory", array, flat)), "max")
        flat._whole = None if is_view else array
        return flat

    def __setitem__(self, key, value):
        whole = self._whole
        if whole is not None:
            super().__setitem__(Ellipsis, names.ravel(whole))  # which may have changed
        super().__setitem__(key, value)
        if whole is not None:
            whole[...] = names.reshape(self, whole.shape)


def _set_imag(self, value):
    if self.dtype.kind != "c":
        raise TypeError(f"an array of {self.dtype} has no imaginary part to set")
    names.imag(self)[...] = value


_METHODS = """all any argmax argmin argpartition argsort astype choose clip copy cumprod cumsum
    diagonal dot max mean min nonzero prod ptp put ravel repeat round searchsorted squeeze std sum swapaxes take trace
    var"""


def _methods():
    for name in _METHODS.split():
        setattr(ndarray, name, _method(public_names[name]))

    def of_shape(function):
        def method(self, *items, **named):
            if not items:
                return function(self, **named)
            is_one = len(items) == 1 and not isinstance(items[0], (int, np.integer))
            return function(self, items[0] if is_one else items, **named)

        return method

    ndarray.conj = ndarray.conjugate = lambda self: names.conj(self) if self.dtype.kind == "c" else self
    ndarray.reshape = of_shape(names.reshape)
    ndarray.transpose = of_shape(names.transpose)
    ndarray.flatten = lambda self, order="C": names.copy(names.ravel(self, order))
    ndarray.compress = lambda self, condition, axis=None, out=None: names.compress(condition, self, axis, out)
    ndarray.T = property(names.transpose)
    ndarray.mT = property(names.matrix_transpose)
    ndarray.real = property(names.real, lambda self, value: names.real(self).__setitem__(Ellipsis, value))
    ndarray.imag = property(names.imag, _set_imag)
    ndarray.flat = property(_Flat.of, lambda self, value: _Flat.of(self).__setitem__(Ellipsis, value))

    def fill(self, value):
        """Set all elements to a number, or to that of an array without dimensions.  Collective."""
        if np.ndim(value) > 0:
            raise ValueError("setting an array element with a sequence: fill takes a number")
        call("copyto", self, value_for(self, value), constant("CASTING_UNSAFE"))

    ndarray.fill = fill

    def sort(self, axis=-1, kind=None):
        """Sort the array itself, stably.  Collective."""
        into("sort", self, axis_of(axis), out=self)

    def partition(self, kth, axis=-1, kind="introselect"):
        """Partition the array itself around its elements number kth; kind changes nothing.  Collective."""
        kth = as_shape(kth)
        into("partition", self, len(kth), kth, axis_of(axis), out=self)

    def tobytes(self):
        """The bytes of the whole array, in C order.  Collective."""
        return self.numpy().tobytes()

    def tofile(self, fid, sep="", format="%s"):  # noqa: A002
        """Write the bytes of the whole array from rank 0, or with a separator texts of its elements; maniple.save()
        writes from all ranks.  Collective."""
        whole = self.numpy(root=0)
        by_root(lambda: whole.tofile(fid, sep, format))

    def assign(self, arr):
        """Set all elements to those of an array that every rank has: cupy.ndarray.set.  Collective."""
        self[...] = as_array(arr)

    ndarray.sort, ndarray.partition = sort, partition
    ndarray.tobytes, ndarray.tofile, ndarray.set = tobytes, tofile, assign
    ndarray.__contains__ = lambda self, value: bool(names.any(self == value))
    ndarray.to_layout = names.redistribute


def _method(function):
    def method(self, *arguments, **named):
        return function(self, *arguments, **named)

    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    method.__wrapped__ = function
    return method


_operators()
_methods()
_ufunc_methods()
public_names["result_type"] = result_type
