# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's element-wise functions."""

import ctypes
import re

import numpy as np

from . import _names
from ._array import as_array, into, made, ndarray, Operand, operand, operand_among, operand_beside, straight, without_foreign
from ._library import FUNCTIONS, SUMMARIES, check, lib
from ._names import array_of_number, names, public, public_names


_HOMES = {"abs2": "maniple.abs2", "fma": "math.fma", "erf": "scipy.special.erf", "erfc": "scipy.special.erfc",
          "gamma": "scipy.special.gamma", "lgamma": "scipy.special.gammaln"}  # the others are NumPy's


def _text_of(name, inputs):
    """What help() says, by the library's table of these functions, in which inputs are x, y and z."""
    does = SUMMARIES.get(name, "")
    for number, letter in enumerate("xyz" if inputs > 1 else "", 1):
        does = re.sub(rf"\b{letter}\b", f"x{number}", does)
    return f"""{_HOMES.get(name, "numpy." + name)} of every element of arrays that are spread over the ranks: {does}.

    Operands of different shapes are broadcast; out= is an array that receives the result.  Collective."""


def _into_where(function, x, out, mask, dtype, casting):
    """The elements of the results for which a mask is true, written to arrays that keep their others.  New arrays have
    anything for these, as NumPy's have: here what the function gives."""
    outs, mask = out if type(out) is tuple else (out,) * function.nout, as_array(mask)
    if mask.dtype != bool:
        raise TypeError(f"{function.__name__}(): where= is of {mask.dtype}, and must be of bool")
    found = function(*x, out=tuple(None if o is None else names.empty_like(o) for o in outs), dtype=dtype, casting=casting)
    results = tuple(_broadcast_to_mask(f, mask) if o is None else _where(mask, f, o, out=o)
                    for o, f in zip(outs, found if type(found) is tuple else (found,)))
    return results[0] if len(results) == 1 else results


def _broadcast_to_mask(found, mask):
    shape = np.broadcast_shapes(found.shape, mask.shape)
    return found if shape == found.shape else names.copy(names.broadcast_to(found, shape))


def _cast(x, dtype, casting):
    """Operands as dtype= has them."""
    x = [as_array(v) if isinstance(v, (list, tuple, range)) else v for v in without_foreign(x)]
    for v in x:
        if isinstance(v, ndarray) and not np.can_cast(v.dtype, dtype, casting):
            raise TypeError(f"dtype= is {np.dtype(dtype)}, to which an operand of {v.dtype} cannot be cast by {casting!r}")
    return [v.astype(dtype) if isinstance(v, ndarray) else v for v in x]


def _check_outputs(name, out):
    for o in out if type(out) is tuple else (out,):
        if o is not None and not isinstance(o, ndarray):
            raise TypeError(f"{name}(): out is of type {type(o).__name__}, and must be an array of Maniple")


def _by_casting(function, x, out, casting):
    """Results that outputs cannot hold by the rule "same_kind", which is the library's, by another rule."""
    outs, found = out if type(out) is tuple else (out,), function(*x)
    for o, f in zip(outs, found if type(found) is tuple else (found,)):
        names.copyto(o, f, casting)
    return out if len(outs) > 1 else outs[0]


def _elementwise(name, inputs, outputs):
    """The function of that name; what it does is short, because small arrays notice it."""
    function = getattr(lib, "mnp_" + name)
    compares = name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")

    def elementwise(*x, out=None, where=True, dtype=None, casting="same_kind"):
        if len(x) != inputs:
            if inputs < len(x) <= inputs + outputs and out is None:  # NumPy takes outputs in their places too
                x, out = x[:inputs], x[inputs:]
            else:
                raise TypeError(f"{name}() takes {inputs} arrays, not {len(x)}")
        if out is not None and type(out) is not ndarray:
            _check_outputs(name, out)
        if where is not True:
            return _into_where(elementwise, x, out, where, dtype, casting)
        if dtype is not None and not compares:
            x = _cast(x, dtype, casting)
        if casting != "same_kind" and out is not None and None not in (out if type(out) is tuple else (out,)):
            return _by_casting(elementwise, x, out, casting)
        try:
            given = [v if type(v) is ndarray else operand_among(v, x) for v in x]
        except OverflowError:
            given = [operand_beside(v, x, compares) for v in x]
        except TypeError:
            traced = next((v for v in x if hasattr(v, "traced_call")), None)  # of a function that fuse() traces
            if traced is None or out is not None or dtype is not None:
                raise
            return traced.traced_call(name, x)
        if any(v is None for v in given):
            raise TypeError(f"{name}(): None is no operand")
        if not any(type(v) is ndarray for v in given) and not any(isinstance(v, ndarray) for v in given):
            if all(v._array is None for v in given):
                given[0] = array_of_number(x[0])
        if outputs == 1:
            if type(out) is tuple:
                (out,) = out
            return straight(function, *[v._handle for v in given], out=out)
        out = out or (None,) * outputs
        cells = [ctypes.c_void_p(o._handle if o is not None else None) for o in out]
        check(function(*[v._handle for v in given], *map(ctypes.byref, cells)))
        return tuple(ndarray._adopt(c.value) if o is None else o for o, c in zip(out, cells))

    elementwise.__name__ = elementwise.__qualname__ = name
    elementwise.nin, elementwise.nout = inputs, outputs
    elementwise.__doc__ = _text_of(name, inputs)
    inputs_of = "x" if inputs == 1 else ", ".join(f"x{i + 1}" for i in range(inputs))
    _names.signature(elementwise, inputs_of + ", /, out=None, *, where=True, dtype=None, casting='same_kind'")
    return elementwise


ufuncs = {}
for _name, (_result, _parameters) in FUNCTIONS.items():
    _kinds = [kind for kind, _ in _parameters]
    _names_of = [p for _, p in _parameters]
    _count = _kinds.count("mnp_array *")
    if (
        _names_of[:_count] == list("xyzw")[:_count]
        and _count
        and _names_of[_count:] in (["out_p"], ["first_p", "second_p"])
    ):
        _short = _name[4:]
        ufuncs[_short] = public(_elementwise(_short, _count, len(_kinds) - _count))
for _name in (
    "where",
    "nan_to_num",
    "isclose",
    "clip",
    "sort_complex",
    "intersect1d",
    "union1d",
    "setdiff1d",
    "setxor1d",
    "angle",
    "sinc",
    "flatnonzero",
    "argwhere",
):
    ufuncs.pop(_name, None)
    public_names.pop(_name, None)

_where = _elementwise("where", 3, 1)
_clip = _elementwise("clip", 3, 1)


@public
def where(condition, x=None, y=None):
    """numpy.where; with a condition alone numpy.nonzero.  Collective."""
    if x is None and y is None:
        return names.nonzero(condition)
    if x is None or y is None:
        raise ValueError("where() takes both x and y, or neither")
    if hasattr(condition, "traced_call"):
        return _where(condition, x, y)
    condition, x, y = without_foreign([condition, x, y])
    condition = as_array(condition)
    return _where(condition if condition.dtype == bool else condition != 0, x, y)


@public
def clip(a, min=None, max=None, out=None, *, a_min=None, a_max=None):  # noqa: A002
    """numpy.clip; the limits have the names of the array API standard, and NumPy's older ones.  Collective."""
    low, high = a_min if min is None else min, a_max if max is None else max
    a, low, high = without_foreign([a, low, high])
    a = as_array(a) if isinstance(a, (list, tuple, range)) else a
    if isinstance(a, ndarray) and a.dtype.kind in "iu":  # numbers that all its values are within
        low = None if type(low) is int and low <= np.iinfo(a.dtype).min else low
        high = None if type(high) is int and high >= np.iinfo(a.dtype).max else high
    if low is not None and high is not None:
        return _clip(a, low, high, out=out)
    if low is None and high is None:
        return into("copy", as_array(a), out=out)
    return public_names["minimum"](a, high, out=out) if low is None else public_names["maximum"](a, low, out=out)


@public
def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    a, b = as_array(a), operand(b)
    close = made("isclose", a, b, Operand(float(rtol)), Operand(float(atol)))
    return close | (isnan(a) & isnan(b if isinstance(b, ndarray) else array_of_number(np.nan))) if equal_nan else close


def isnan(x):
    return public_names["isnan"](x)


@public
def round(a, decimals=0, out=None):  # noqa: A001
    return into("round", as_array(a), decimals, out=out)


public_names["around"] = round
public_names["fix"] = public_names["trunc"]


@public
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """numpy.nan_to_num: NaN becomes 0, and infinities the largest numbers, unless others are given.  Collective."""
    x = as_array(x)
    are_numbers = all(v is None or np.ndim(v) == 0 for v in (nan, posinf, neginf))
    if x.dtype.kind in "biu" or (are_numbers and nan == 0 and posinf is None and neginf is None):
        return into("nan_to_num", x, out=None if copy else x)
    if x.dtype.kind == "c":
        x = names.copy(x) if copy else x
        for part in (x.real, x.imag):
            nan_to_num(part, False, nan, posinf, neginf)
        return x
    limits = np.finfo(x.dtype)
    if not are_numbers:
        found = x
        for place, value in ((names.isnan(x), nan), (names.isposinf(x), limits.max if posinf is None else posinf),
                             (names.isneginf(x), limits.min if neginf is None else neginf)):
            found = where(place, as_array(value).astype(x.dtype), found)
        return found if copy else into("copy", found, out=x)
    high, low = (value if given is None else given for given, value in ((posinf, limits.max), (neginf, limits.min)))
    text = f"y = {x.dtype.name}(where(isnan(x), a, where(isinf(x), where(x > 0, b, c), x)))"
    out = None if copy else {"y": x}
    return public_names["evaluate"](text, "y", out, x=x, a=float(nan), b=float(high), c=float(low))


@public
def iscomplexobj(x):
    """Whether an array is of complex numbers.  Not collective."""
    return x.dtype.kind == "c" if isinstance(x, ndarray) else np.iscomplexobj(x)


@public
def isrealobj(x):
    """Whether an array is not of complex numbers.  Not collective."""
    return not iscomplexobj(x)


@public
def iscomplex(x):
    return names.imag(as_array(x)) != 0


@public
def isreal(x):
    return names.imag(as_array(x)) == 0


@public
def real_if_close(a, tol=100):
    """numpy.real_if_close.  Waits.  Collective."""
    a = as_array(a)
    if a.dtype.kind != "c":
        return a
    bound = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return names.real(a) if bool(names.all(abs(names.imag(a)) < float(bound))) else a


@public
def asarray_chkfinite(a, dtype=None):
    """numpy.asarray_chkfinite.  Waits.  Collective."""
    a = names.asarray(a, dtype)
    if not bool(names.all(names.isfinite(a))):
        raise ValueError("the array has infinities or NaN")
    return a


@public
def common_type(*arrays):
    """numpy.common_type: a type of floats or complex numbers that can hold all of the arrays.  Not collective."""
    return np.common_type(*[np.empty(0, a.dtype) if isinstance(a, ndarray) else a for a in arrays])


@public
def angle(z, deg=False):
    z = as_array(z)
    radians = made("angle", names.astype(z, float) if z.dtype == bool else z)
    return made("rad2deg", radians) if deg else radians


@public
def sinc(x):
    return made("sinc", as_array(x))
