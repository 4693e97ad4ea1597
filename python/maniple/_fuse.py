# SPDX-License-Identifier: BSD-3-Clause
"""cupy.fuse: a function of arrays, which is called once with names in place of arrays.  What it does with them is
written down as statements in the language of maniple.evaluate(), which makes one kernel of them."""

import functools
import inspect

import numpy as np

from ._array import as_array, ndarray
from ._dtypes import dtype_name
from ._evaluate import evaluate
from ._names import public

_NUMBERS = (bool, int, float, complex, np.generic)


def _text(value):
    """A value as text: the name of one that is traced, or a number."""
    if isinstance(value, Traced):
        return value._name
    if isinstance(value, np.generic):
        return f"{dtype_name(value.dtype).decode()}({value.item()!r})"
    if isinstance(value, _NUMBERS):
        return f"({value!r})"
    raise TypeError(f"a fused function uses a {type(value).__name__}: its operands are numbers, and arrays of maniple "
                    "that are its parameters")


def _option(value):
    """An argument by name: an axis, a flag, a dtype."""
    if isinstance(value, (type, np.dtype)):
        return dtype_name(value).decode()
    return repr(value) if value is None or isinstance(value, (bool, int, tuple)) else _text(value)


class Traced:
    """What stands for an array while a fused function is traced."""

    __array_priority__ = 200.0
    __hash__ = None

    def __init__(self, lines, name):
        self._lines, self._name = lines, name

    def _new(self, text):
        """The value of an expression, as a new name."""
        self._lines.append(f"t{len(self._lines)} = {text}")
        return Traced(self._lines, f"t{len(self._lines) - 1}")

    def traced_call(self, function, arguments, options=None):
        """The value of a function of the language."""
        named = [f"{k}={_option(v)}" for k, v in (options or {}).items() if v is not None]
        return self._new(f"{function}({', '.join([_text(a) for a in arguments] + named)})")

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        if method != "__call__" or named:
            raise TypeError(f"a fused function calls numpy.{ufunc.__name__} with operands alone")
        return self.traced_call(ufunc.__name__, inputs)

    def __array_function__(self, function, types, arguments, named):
        return self.traced_call(function.__name__, arguments, named)

    def __bool__(self):
        raise TypeError("a fused function is called before there are elements: where(condition, x, y) chooses")

    def __iter__(self):
        raise TypeError("a fused function cannot loop over the elements of an array")

    def astype(self, dtype):
        return self.traced_call(_option(np.dtype(dtype)), (self,))

    def clip(self, min=None, max=None):  # noqa: A002
        if min is not None and max is not None:
            return self.traced_call("clip", (self, min, max))
        above = self if min is None else self.traced_call("maximum", (self, min))
        return above if max is None else above.traced_call("minimum", (above, max))

    real = property(lambda self: self.traced_call("real", (self,)))
    imag = property(lambda self: self.traced_call("imag", (self,)))


def _operators():
    binary = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&",
              "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}

    def method(text):
        return lambda self, *others: self._new(text.format(_text(self), *map(_text, others)))

    def refused(self, *others):
        raise TypeError("a fused function cannot change its parameters: write x = x + y, and return x")

    for name, symbol in binary.items():
        setattr(Traced, f"__{name}__", method(f"{{0}} {symbol} {{1}}"))
        setattr(Traced, f"__r{name}__", method(f"{{1}} {symbol} {{0}}"))
        setattr(Traced, f"__i{name}__", refused)
    for name, symbol in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
        setattr(Traced, f"__{name}__", method(f"{{0}} {symbol} {{1}}"))
    for name, text in {"neg": "-{0}", "pos": "+{0}", "invert": "~{0}", "abs": "abs({0})"}.items():
        setattr(Traced, f"__{name}__", method(text))
    Traced.__setitem__ = refused
    for name in "sum prod mean max min all any std var".split():

        def reduction(self, axis=None, dtype=None, keepdims=False, *, _name=name):
            options = {"axis": axis, "dtype": dtype, "keepdims": keepdims or None}
            return self.traced_call(_name, (self,), options)

        setattr(Traced, name, reduction)


_operators()


def _traced(function, arguments):
    """The statements of a function, and the names of its results: a list, or one name, or None."""
    lines = []
    given = [Traced(lines, f"p{k}") if isinstance(a, (ndarray, *_NUMBERS)) else a for k, a in enumerate(arguments)]
    found = function(*given)
    results = found if isinstance(found, (tuple, list)) else [found]
    if found is None:
        raise TypeError(f"{function.__name__}() gives nothing, and a fused function returns what it computes")
    wanted = [f"r{k} = {_text(r)}" for k, r in enumerate(results)]
    names = [f"r{k}" for k in range(len(results))]
    return "\n".join(lines + wanted), names if isinstance(found, (tuple, list)) else names[0]


@public
def fuse(*args, kernel_name=None):
    """cupy.fuse, a decorator: @fuse() def f(x, y): return (x - y) ** 2.  The function is called once, with what stands
    for its arrays and numbers; from then on what it computes is one kernel, as that of evaluate().

    It may have operators, functions of elements and reductions, of NumPy's or of this package; it cannot change its
    arrays.  Without an array of this package among its arguments it is called as it is.  Its __name__ is kernel_name.
    """
    texts = {}

    def decorate(function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def fused(*arguments, **named):
            bound = signature.bind(*arguments, **named)
            bound.apply_defaults()
            values = bound.args
            if bound.kwargs or not any(isinstance(v, ndarray) for v in values):
                return function(*arguments, **named)
            if any(isinstance(v, np.ndarray) for v in values):
                raise TypeError(f"{function.__name__}() is fused, and takes no numpy.ndarray beside an array of maniple: "
                                "maniple.asarray() makes one")
            is_operand = [isinstance(v, (ndarray, *_NUMBERS)) for v in values]
            key = tuple("operand" if yes else repr(v) for yes, v in zip(is_operand, values))
            if key not in texts:
                texts[key] = _traced(function, values)
            text, names = texts[key]
            return evaluate(text, names, **{f"p{k}": v for k, v in enumerate(values) if is_operand[k]})

        fused.__name__ = kernel_name or function.__name__
        return fused

    return decorate(args[0]) if args else decorate


@public
def vectorize(pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None):
    """numpy.vectorize, of functions that fuse() takes: it is called once, and becomes one kernel.  A condition on the
    elements is where(condition, x, y), and not an if.  Collective."""
    if excluded or signature:
        raise TypeError("vectorize() has no excluded= and no signature=: its function is of elements of all arguments")
    if pyfunc is None:
        return functools.partial(vectorize, otypes=otypes, doc=doc)
    fused = fuse()(pyfunc)

    @functools.wraps(pyfunc)
    def vectorized(*arguments):
        operands = [a if isinstance(a, _NUMBERS) else as_array(a) for a in arguments]
        if operands and not any(isinstance(a, ndarray) for a in operands):
            operands[0] = as_array(operands[0])
        found = fused(*operands)
        if otypes is None:
            return found
        cast = [x.astype(kind) for x, kind in zip(found if isinstance(found, tuple) else (found,), otypes)]
        return tuple(cast) if isinstance(found, tuple) else cast[0]

    vectorized.__doc__ = doc or pyfunc.__doc__
    return vectorized
