# SPDX-License-Identifier: BSD-3-Clause
"""x[key] and x[key] = value: slices are views; masks and arrays of indices select copies, as in NumPy."""

import functools
import operator

import numpy as np

from ._array import as_array, made, ndarray, operand_beside, straight
from ._errors import ArgumentError, OutOfBoundsError
from ._library import CONSTANTS, call, constant, lib
from ._names import check_fits, list_of, names


_NO_INTEGERS = frozenset((slice, type(None), type(Ellipsis)))
_BASIC = _NO_INTEGERS | {int}  # the types of most items


def _is_array(item):
    return isinstance(item, (ndarray, np.ndarray, list, range))


def _is_basic(kinds, items):
    return kinds <= _BASIC or not any(_is_array(item) for item in items)


def _integer(item):
    if isinstance(item, (bool, np.bool_)):
        raise IndexError("a single bool is no index: use where() or a mask of the array's shape")
    try:
        return operator.index(item)
    except TypeError:
        raise IndexError(
            f"{item!r} is no index: indices are integers, slices, None, '...', and arrays of integers or bools"
        ) from None


def _bound(value):
    return "" if value is None else value if type(value) is int else _integer(value)


def _text(item):
    if type(item) is int:
        return str(item)
    if isinstance(item, slice):
        text = f"{_bound(item.start)}:{_bound(item.stop)}"
        return text if item.step is None else f"{text}:{_bound(item.step)}"
    if item is None or item is Ellipsis:
        return "..." if item is Ellipsis else "None"
    return str(_integer(item))


def text_of(items):
    """Basic indices in the library's notation: x[1:, None, ..., -1] is "1:, None, ..., -1"."""
    return ", ".join(map(_text, items))


def basic(x, items):
    text = text_of(items).encode()
    if x._handle is None:
        return made("index", x, text)  # which says so
    return straight(lib.mnp_index, x._handle, text, base=x._base)


def _expanded(x, key):
    """The items of a key, one for each dimension and each None; masks count for as many dimensions as they have."""
    items = list(key) if isinstance(key, tuple) else [key]
    used = sum(0 if i is None or i is Ellipsis else getattr(_dim(i), "ndim", 1) for i in items)
    if not any(i is Ellipsis for i in items):
        items.append(Ellipsis)
    if sum(i is Ellipsis for i in items) > 1:
        raise IndexError("an index can have one '...'")
    at = next(k for k, i in enumerate(items) if i is Ellipsis)
    if used > x.ndim:
        raise IndexError(f"{used} indices of an array of {x.ndim} dimensions")
    return items[:at] + [slice(None)] * (x.ndim - used) + items[at + 1 :]


def _dim(item):
    if isinstance(item, list):
        item = np.asarray(item)
    return item if isinstance(item, (ndarray, np.ndarray)) and item.dtype == bool else None


def _plan(x, key):
    """(view, first axis, index arrays): the view by the basic items, of which the index arrays take adjacent axes.
    An integer beside index arrays is one of them, as in NumPy."""
    rest, arrays, axes, axis = [], [], [], 0
    for item in _expanded(x, key):
        if item is None or isinstance(item, slice):
            rest.append(item)
            axis += 1
            continue
        if not _is_array(item):
            item = np.asarray(_integer(item))
        item = as_array(item)
        if item.dtype == bool:
            parts = names.nonzero(item)
        elif item.size == 0 and item.dtype.kind == "f":
            parts = [names.zeros(item.shape, "int64")]
        else:
            parts = [item]
        for part in parts:
            arrays.append(part)
            axes.append(axis)
            rest.append(slice(None))
            axis += 1
    view = basic(x, rest)
    if axes != list(range(axes[0], axes[0] + len(axes))):  # separated: NumPy puts what they select in front
        view, first = names.moveaxis(view, axes, list(range(len(axes)))), 0
    else:
        first = axes[0]
    return view, first, arrays


def _is_one_array(x, items):
    """Whether a key is an array of integers and nothing else, which needs no plan."""
    return len(items) == 1 and isinstance(items[0], ndarray) and items[0].dtype.kind in "iu" and x.ndim > 0


def _as_index_error(function):
    """What the library says of a subscript is an IndexError."""

    @functools.wraps(function)
    def checked(*arguments):
        try:
            return function(*arguments)
        except ArgumentError as error:
            if isinstance(error, OutOfBoundsError):
                raise
            sentence = error.message.partition(": ")[2]  # behind the name of a function
            raise OutOfBoundsError(CONSTANTS["MNP_ERR_ARG"], sentence or error.message) from None

    return checked


@_as_index_error
def get(x, key):
    items = key if type(key) is tuple else (key,)
    kinds = set(map(type, items))
    if _is_basic(kinds, items):
        found = basic(x, items)
        is_number = len(items) == x.ndim and kinds.isdisjoint(_NO_INTEGERS)
        return made("copy", found) if is_number else found  # a number stays what it was, as NumPy's
    if _is_one_array(x, items):
        return made("indices_get", x, 0, 1, list_of(items))
    if len(items) == 1 and _dim(items[0]) is not None:
        return made("mask_get", x, as_array(items[0]))
    view, first, arrays = _plan(x, key)
    return made("indices_get", view, first, len(arrays), list_of(arrays))


_target = _as_index_error(basic)
_plan_target = _as_index_error(_plan)


def value_for(x, value):
    """What is assigned to elements of x: an array, or a number as an operand."""
    if not isinstance(value, (ndarray, int, float, complex, np.generic)):
        return as_array(value)
    kind = x.dtype.kind
    if type(value) is complex and kind not in "cb":
        raise TypeError(f"{value} cannot be assigned to elements of {x.dtype}")
    check_fits(int(value) if isinstance(value, (float, np.floating)) and kind in "iu" else value, x.dtype)
    return operand_beside(value, [x])


def put(x, key, value):
    items = key if type(key) is tuple else (key,)
    value = value_for(x, value)
    if _is_basic(set(map(type, items)), items):
        target = _target(x, items)
        if isinstance(value, ndarray) and value._handle == target._handle:
            return
        if isinstance(value, ndarray) and value.ndim > target.ndim:
            if any(n != 1 for n in value.shape[: value.ndim - target.ndim]):
                raise ValueError(f"an array of shape {value.shape} cannot be assigned to elements of shape {target.shape}")
            value = basic(value, [0] * (value.ndim - target.ndim) + [Ellipsis])
        call("copyto", target, value, constant("CASTING_UNSAFE"))
    elif _is_one_array(x, items):
        call("indices_set", x, 0, 1, list_of(items), value)
    elif len(items) == 1 and _dim(items[0]) is not None:
        call("mask_set", x, as_array(items[0]), value)
    else:
        view, first, arrays = _plan_target(x, key)
        call("indices_set", view, first, len(arrays), list_of(arrays), value)


def target(x, key):
    """(view, first axis, index arrays) of what a key selects, to change it; without index arrays it is the view."""
    items = key if type(key) is tuple else (key,)
    if _is_basic(set(map(type, items)), items):
        return _target(x, items), 0, []
    return _plan_target(x, key)


ndarray.__getitem__, ndarray.__setitem__ = get, put

__all__ = ["basic", "get", "put", "target"]
