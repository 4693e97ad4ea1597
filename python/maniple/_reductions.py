# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's reductions and statistics."""

import builtins
import ctypes
import math
import operator
import warnings

import numpy as np

from ._array import as_array, into, made, ndarray, operand, straight
from ._dtypes import dtype_name, dtype_number, numpy_dtypes
from ._library import call, lib, struct
from ._names import axes_of, axis_within, names, public, public_names, reduction_axes, signature


_INTEGERS = int, np.integer
_STRICT = "mean", "var", "std"  # the others take the axes 0 and -1 of an array without dimensions, as in NumPy

# What NumPy says where these give NaN because there are no elements
_OF_NOTHING = {"mean": "Mean of empty slice", "nanmean": "Mean of empty slice"}
_OF_NOTHING |= dict.fromkeys(("var", "std", "nanvar", "nanstd"), "Degrees of freedom <= 0 for slice")


def _is_of_nothing(name, a, axis, where=True, ddof=0):
    """Whether a result is of no elements, or of no more than ddof; of the nan forms, and whether there are results.
    where= that is an array of ours counts as true: one would have to wait for it."""
    where = True if where is None or isinstance(where, ndarray) else where
    if a.size > 0 and where is True and ddof == 0:
        return False
    axes = tuple(builtins.range(a.ndim) if axis is None else [axis_within(name, d, a.ndim) for d in axes_of(axis)])
    has_results = 0 not in [n for d, n in enumerate(a.shape) if d not in axes]
    if not has_results and (name.startswith("nan") or where is not True):
        return False
    where = np.asarray(where)
    try:
        np.broadcast_to(where, a.shape)
    except ValueError:
        return False  # it is refused later
    where = where.reshape((1,) * (a.ndim - where.ndim) + where.shape)
    counts = np.count_nonzero(where, axes) * math.prod(a.shape[d] for d in axes if where.shape[d] == 1)
    return bool(np.any(counts <= ddof))


def _warn_of_nothing(name, a, axis, text="Mean of empty slice", where=True, ddof=0):
    if _is_of_nothing(name, a, axis, where, ddof):
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def _initial(value, result, extreme):
    """initial= in the result's dtype, or one that becomes it: integers lose a fraction, and bools are true or false."""
    value = value.item() if isinstance(value, np.generic) else value
    if result == bool and extreme:
        return bool(value)
    return int(value) if result.kind in "biu" and isinstance(value, float) else value


def _further(name, takes, positional, named):
    """The output, or None, and further arguments, by their names."""
    if len(positional) > len(takes):
        raise TypeError(f"{name}() takes at most {len(takes) + 2} arguments by their places, and {len(positional) + 2} are given")
    for key, value in zip(takes, positional):
        if key in named:
            raise TypeError(f"{name}() is given {key} twice")
        named[key] = value
    out = named.pop("out", None)
    named = {k: v for k, v in named.items() if v is not np._NoValue}
    if "correction" in named:
        named["ddof"] = named.pop("correction")
    wrong = set(named) - set(takes) - ({"mean"} if "ddof" in takes else set()) - {"keepdims", "where", "initial", "ddof", "dtype"}
    if wrong:
        raise TypeError(f"{name}() has no argument {', '.join(sorted(wrong))}")
    return out, named


def _about(name, a, mean, axis, named, out):
    """var or std, or of the nan forms, about a mean that is known, with the axes kept."""
    apart = abs(a - mean) ** 2
    nan, ddof, where = name.startswith("nan"), named.pop("ddof", 0), named.pop("where", True)
    kept = {"axis": axis, "keepdims": named.get("keepdims", False), "where": where}
    total = (names.nansum if nan else names.sum)(apart, dtype=named.get("dtype"), **kept)
    counted = ~names.isnan(apart) if nan else names.full(apart.shape, True)
    count = names.sum(counted, dtype=total.dtype, **kept) - ddof
    found = total / names.where(count > 0, count, np.nan)
    found = names.sqrt(found) if name.endswith("std") else found
    return found if out is None else into("copy", found, out=out)


_NOT_GIVEN = object()


def _reduction(name, takes):
    """A reduction, with those of NumPy's further arguments that it has.  What it does without any is short, because
    small arrays notice it."""
    function = getattr(lib, "mnp_" + name)

    def reduction(a, axis=None, *positional, out=_NOT_GIVEN, keepdims=_NOT_GIVEN, **named):
        plain = not positional and not named and (keepdims is _NOT_GIVEN or type(keepdims) is bool)
        if plain and type(a) is ndarray and a._handle is not None and (out is _NOT_GIVEN or out is None or type(out) is ndarray):
            shape = a.shape
            if shape and 0 not in shape:
                kept, out = keepdims is True, None if out is _NOT_GIVEN else out
                axes = None if axis is None and not kept else ctypes.byref(reduction_axes(axis, kept))
                return straight(function, a._handle, axes, out=out)
        named.update((key, value) for key, value in (("out", out), ("keepdims", keepdims)) if value is not _NOT_GIVEN)
        out = None
        if positional or named:
            out, named = _further(name, takes, positional, named)
        if not isinstance(a, ndarray):
            if hasattr(a, "traced_call") and out is None:  # of a function that fuse() traces
                return a.traced_call(name, (a,), {"axis": axis, **named})
            a = as_array(a)
        if axis is not None and a.ndim == 0 and name not in _STRICT and isinstance(axis, _INTEGERS) and axis in (0, -1):
            axis = None
        if named.get("initial") is not None:
            result = a.dtype if named.get("dtype") is None else numpy_dtypes[dtype_number(named["dtype"])]
            named["initial"] = _initial(named["initial"], result, name.endswith(("max", "min")))
        if name in _OF_NOTHING:
            _warn_of_nothing(name, a, axis, _OF_NOTHING[name], named.get("where", True), named.get("ddof", 0))
        mean = named.pop("mean", None)
        if mean is not None:
            return _about(name, a, as_array(mean), axis, named, out)
        return into(name, a, reduction_axes(axis, **named), out=out)

    defaults = {"where": True, "keepdims": False, "ddof": 0}
    listed = [f"{k}={defaults.get(k)}" for k in takes]
    signature(reduction, ", ".join(["a, axis=None", *listed] + (["*, mean=None, correction=None"] if "ddof" in takes else [])))
    reduction.__name__ = name
    reduction.__doc__ = f"numpy.{name}, of arrays that are spread over the ranks; the result is an array too.  Collective."
    return public(reduction)


for _n in ("sum", "prod", "nansum", "nanprod"):
    _reduction(_n, ("dtype", "out", "keepdims", "initial", "where"))
for _n in ("mean", "nanmean"):
    _reduction(_n, ("dtype", "out", "keepdims", "where"))
for _n in ("var", "std", "nanvar", "nanstd"):
    _reduction(_n, ("dtype", "out", "ddof", "keepdims", "where"))
for _n in ("max", "min", "amax", "amin", "nanmax", "nanmin", "ptp"):
    _reduction(_n, ("out", "keepdims", "initial", "where"))
for _n in ("argmax", "argmin", "nanargmax", "nanargmin", "all", "any"):
    _reduction(_n, ("out", "keepdims", "where"))
_reduction("count_nonzero", ("keepdims",))
for _n in ("sum", "max", "min"):
    globals()[_n] = public_names[_n]


@public
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    a, axes = as_array(a), reduction_axes(axis, keepdims)
    _warn_of_nothing("median", a, axis)
    return into("median", a, axes, out=out)


@public
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    a, axes = as_array(a), reduction_axes(axis, keepdims)
    _warn_of_nothing("nanmedian", a, axis)
    return into("nanmedian", a, axes, out=out)


def _lines(x, axes):
    """The axes that are reduced as one, which is the last."""
    kept = [d for d in range(x.ndim) if d not in axes]
    x = names.transpose(x, [*kept, *axes])
    return names.reshape(x, (*x.shape[: len(kept)], -1))


def _weighted_quantile(a, q, axis, weights, keepdims):
    """The least element up to which the weights are that part of all: NumPy's weights= of quantile()."""
    axes = list(range(a.ndim)) if axis is None else [axis_within("quantile", d, a.ndim) for d in axes_of(axis)]
    if weights.shape != a.shape:
        if axis is None or len(axes) > 1 or weights.shape != (a.shape[axes[0]],):
            raise TypeError(f"quantile: weights of shape {weights.shape} are for one axis of {weights.size} elements")
        weights = names.reshape(weights, [-1 if d == axes[0] else 1 for d in range(a.ndim)])
        weights = names.broadcast_to(weights, a.shape)
    if np.any((q < 0) | (q > 1)):
        raise ValueError("quantile: q is not between 0 and 1, or 0 and 100 of percentiles")
    shape = [1 if d in axes else n for d, n in enumerate(a.shape) if keepdims or d not in axes]
    a, weights = _lines(a, axes), _lines(weights, axes)
    order = names.argsort(a, axis=-1)
    a, weights = (names.take_along_axis(x, order, -1) for x in (a, weights * 1.0))
    sums = names.cumsum(weights, axis=-1)
    sums = sums / sums[..., -1:]
    sums = names.where(sums == 0, -1.0, sums)  # the least element has a weight
    places = [names.minimum(names.sum(sums < p, axis=-1, keepdims=True), a.shape[-1] - 1) for p in q.ravel()]
    found = [names.where(names.isnan(a[..., -1:]), a[..., -1:], names.take_along_axis(a, at, -1)) for at in places]
    return names.reshape(names.stack(found), (*q.shape, *shape))


def _quantile(name):
    scale = 100 if "percentile" in name else 1

    def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
        if weights is not None:
            if method != "inverted_cdf" or name.startswith("nan") or out is not None:
                raise ValueError(f"{name}: weights are for the method 'inverted_cdf', without out=, with NaN as NaN")
            return _weighted_quantile(as_array(a), np.asarray(q, float) / scale, axis, as_array(weights), keepdims)
        a, axes = as_array(a), reduction_axes(axis, keepdims)
        if _is_of_nothing(name, a, axis) and not name.startswith("nan"):
            raise IndexError(f"{name}() of an array of shape {a.shape} along the axes {axis}, which has no elements there")
        _warn_of_nothing(name, a, axis)
        if np.ndim(q) == 0:
            return into(name, a, float(q), axes, method, out=out)
        q = np.asarray(q, float)
        result = into(name + "s", a, q.size, q.ravel().tolist(), axes, method, out=out)
        return result if q.ndim == 1 else names.reshape(result, q.shape + result.shape[1:])

    quantile.__name__ = name
    return public(quantile)


for _n in ("quantile", "percentile", "nanquantile", "nanpercentile"):
    _quantile(_n)


@public
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """numpy.apply_along_axis: a function of every line, one after the other; one of the whole array is faster.  Collective."""
    arr = as_array(arr)
    lines = names.moveaxis(arr, axis, -1)
    outer = lines.shape[:-1]
    found = [as_array(func1d(lines[place], *args, **kwargs)) for place in np.ndindex(*outer)]
    if not found:
        raise ValueError(f"apply_along_axis: an array of shape {arr.shape} has no lines along axis {axis}")
    whole = names.reshape(names.stack(found), outer + found[0].shape)
    inner = builtins.range(found[0].ndim)
    return names.moveaxis(whole, [len(outer) + d for d in inner], [operator.index(axis) % arr.ndim + d for d in inner])


@public
def apply_over_axes(func, a, axes):
    a = as_array(a)
    for axis in axes_of(axes):
        found = func(a, axis)
        a = names.expand_dims(found, axis) if found.ndim < a.ndim else found
    return a


@public
def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """numpy.average.  Weights whose sum is 0 give what the division gives.  Collective."""
    a = as_array(a)
    weights = None if weights is None else as_array(weights)
    if weights is not None and weights.shape != a.shape and np.ndim(axis) == 1:  # of these axes, in their order
        axes = [axis_within("average", d, a.ndim) for d in axes_of(axis)]
        if weights.shape == tuple(a.shape[d] for d in axes):
            shape = [n if d in axes else 1 for d, n in enumerate(a.shape)]
            weights = names.reshape(names.transpose(weights, np.argsort(axes).tolist()), shape)
            weights = names.copy(names.broadcast_to(weights, a.shape))
    mean = made("average", a, weights, reduction_axes(axis, keepdims))
    if not returned:
        return mean
    if weights is None:
        total = names.full_like(mean, a.size // builtins.max(mean.size, 1))
    else:
        total = names.broadcast_to(
            names.sum(
                weights if weights.shape == a.shape else weights,
                axis if weights.shape == a.shape else None,
                keepdims=keepdims and weights.shape == a.shape,
            ),
            mean.shape,
        )
    return mean, names.astype(total, mean.dtype)


def _covariance(name):
    def covariance(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
        weights = [None if w is None else as_array(w) for w in (fweights, aweights)]
        bias = bool(bias) if ddof is None else ddof == 0
        text = dtype_name(dtype)
        options = struct("cov_options")(
            not rowvar,
            bias,
            0 if ddof in (None, 0) else int(ddof),
            *[w if w is None else w._handle for w in weights],
            text,
        )
        return made(name, as_array(m), None if y is None else as_array(y), options)

    covariance.__name__ = name
    return covariance


public(_covariance("cov"))


@public
def corrcoef(x, y=None, rowvar=True, dtype=None):
    return _covariance("corrcoef")(x, y, rowvar, dtype=dtype)


@public
def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """numpy.allclose: a bool, the same on all ranks.  Waits.  Collective."""
    answer = ctypes.c_bool()
    call("allclose", as_array(a), operand(b), float(rtol), float(atol), bool(equal_nan), ctypes.byref(answer))
    return answer.value


@public
def array_equal(a1, a2, equal_nan=False):
    """numpy.array_equal: a bool, the same on all ranks.  Waits.  Collective."""
    answer = ctypes.c_bool()
    call("array_equal", as_array(a1), as_array(a2), bool(equal_nan), ctypes.byref(answer))
    return answer.value


@public
def array_equiv(a1, a2):
    """numpy.array_equiv: array_equal() of arrays that are broadcast; False where they cannot be.  Collective."""
    try:
        return array_equal(*names.broadcast_arrays(a1, a2))
    except ValueError:
        return False
