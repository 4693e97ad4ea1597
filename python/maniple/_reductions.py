# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's reductions and statistics."""

import builtins
import ctypes
import operator

import numpy as np

from ._array import as_array, dtype_name, into, made, ndarray, operand
from ._library import call, struct
from ._names import axes_of, names, public, public_names, reduction_axes, signature


_STRICT = "mean", "var", "std"  # the others take the axes 0 and -1 of an array without dimensions, as in NumPy


def _reduction(name, takes):
    """A reduction, with those of NumPy's further arguments that it has."""

    def reduction(a, axis=None, *positional, **named):
        for key, value in zip(takes, positional):
            named[key] = value
        out = named.pop("out", None)
        named = {k: v for k, v in named.items() if v is not np._NoValue}
        if "correction" in named:
            named["ddof"] = named.pop("correction")
        wrong = set(named) - set(takes) - {"keepdims", "where", "initial", "ddof", "dtype"}
        if wrong:
            raise TypeError(f"{name}() has no argument {', '.join(sorted(wrong))}")
        if not isinstance(a, ndarray) and hasattr(a, "traced_call") and out is None:  # of a function that fuse() traces
            return a.traced_call(name, (a,), {"axis": axis, **named})
        a = as_array(a)
        if a.ndim == 0 and name not in _STRICT and isinstance(axis, (int, np.integer)) and axis in (0, -1):
            axis = None
        return into(name, a, reduction_axes(axis, **named), out=out)

    defaults = {"where": True, "keepdims": False, "ddof": 0}
    listed = [f"{k}={defaults.get(k)}" for k in takes]
    signature(reduction, ", ".join(["a, axis=None", *listed] + (["*, correction=None"] if "ddof" in takes else [])))
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
    return into("median", as_array(a), reduction_axes(axis, keepdims), out=out)


@public
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return into("nanmedian", as_array(a), reduction_axes(axis, keepdims), out=out)


def _quantile(name):
    def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
        axes = reduction_axes(axis, keepdims)
        if np.ndim(q) == 0:
            return into(name, as_array(a), float(q), axes, method, out=out)
        q = np.asarray(q, float)
        result = into(name + "s", as_array(a), q.size, q.ravel().tolist(), axes, method, out=out)
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
