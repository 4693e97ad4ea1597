# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that select, sort and count."""

import builtins
import ctypes
import functools
import operator

import numpy as np

from ._array import as_array, into, made, ndarray, operand
from ._layout import as_shape
from ._errors import OutOfBoundsError
from ._library import call, chosen, constant
from ._names import axis_of, indices_of, list_of, names, number_of, public, with_a_line


def _mode(mode):
    return chosen("mode", mode, "", ("raise", "wrap", "clip"))


@public
def take(a, indices, axis=None, out=None, mode="raise"):
    return into("take", with_a_line(a, axis), indices_of(indices), axis_of(axis), _mode(mode), out=out)


@public
def put(a, ind, v, mode="raise"):
    call("put", a, as_array(ind), operand(v) if np.isscalar(v) or isinstance(v, ndarray) else as_array(v), _mode(mode))


@public
def take_along_axis(arr, indices, axis=-1):
    return made("take_along_axis", as_array(arr), as_array(indices), axis_of(axis))


@public
def put_along_axis(arr, indices, values, axis):
    call("put_along_axis", arr, as_array(indices), operand(values), axis_of(axis))


@public
def compress(condition, a, axis=None, out=None):
    return into("compress", as_array(condition), as_array(a), axis_of(axis), out=out)


@public
def extract(condition, arr):
    return made("extract", as_array(condition), as_array(arr))


@public
def place(arr, mask, vals):
    call("place", arr, as_array(mask), as_array(vals))


@public
def putmask(a, mask, values):
    call("putmask", a, as_array(mask), as_array(values))


@public
def nonzero(a):
    """numpy.nonzero: an array of indices for each dimension.  Waits.  Collective."""
    a = as_array(a)
    outs = (ctypes.c_void_p * builtins.max(a.ndim, 1))()
    call("nonzero", a, outs)
    return tuple(ndarray._adopt(outs[d]) for d in range(a.ndim))


@public
def flatnonzero(a):
    return made("flatnonzero", as_array(a))


@public
def argwhere(a):
    return made("argwhere", as_array(a))


@public
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """numpy.ravel_multi_index; mode is for all dimensions, or one for each.  Collective."""
    dims, flat = as_shape(dims), 0
    modes = [mode] * len(dims) if isinstance(mode, str) else list(mode)
    if not len(multi_index) == len(dims) == len(modes) or not {"raise", "wrap", "clip"}.issuperset(modes):
        raise ValueError(f"there are {len(multi_index)} arrays of indices for {len(dims)} dimensions, or mode is {mode!r}")
    for index, extent, mode in list(zip(multi_index, dims, modes))[:: _direction(order)]:
        index = as_array(index)
        if mode == "raise" and bool(names.any((index < 0) | (index >= extent))):
            raise OutOfBoundsError(constant("ERR_ARG"), f"an index is out of bounds for a dimension of extent {extent}")
        index = index % extent if mode == "wrap" else names.clip(index, 0, extent - 1) if mode == "clip" else index
        flat = flat * extent + index
    return flat


def _direction(order):
    """Of the dimensions, where flattened indices are in an order: 1, or -1 for Fortran's."""
    if order not in ("C", "F"):
        raise ValueError(f"order is {order!r}, which is neither 'C' nor 'F'")
    return 1 if order == "C" else -1


@public
def unravel_index(indices, shape, order="C"):
    """numpy.unravel_index.  Waits.  Collective."""
    shape, indices, found = as_shape(shape), as_array(indices), []
    if bool(names.any((indices < 0) | (indices >= int(np.prod(shape, dtype=np.int64))))):
        raise OutOfBoundsError(constant("ERR_ARG"), f"an index is out of bounds for an array of shape {tuple(shape)}")
    direction = _direction(order)
    for extent in list(shape)[::-direction]:
        found.append(indices % extent)
        indices = indices // extent
    return tuple(found[::-direction])


@public
def choose(a, choices, out=None, mode="raise"):
    choices = [as_array(c) for c in choices]
    return into("choose", as_array(a), len(choices), list_of(choices), _mode(mode), out=out)


@public
def select(condlist, choicelist, default=0):
    conditions, choices = [as_array(c) for c in condlist], [as_array(c) for c in choicelist]
    if len(conditions) != len(choices):
        raise ValueError(f"select: there are {len(choices)} choices for {len(conditions)} conditions")
    return made("select", len(conditions), list_of(conditions), list_of(choices), operand(default))


def _conditions(condlist, ndim):
    """The conditions of piecewise() as arrays of bools: one alone need not be in a list."""
    if np.isscalar(condlist) or getattr(condlist, "ndim", ndim + 1) == ndim:
        condlist = [condlist]
    elif ndim and isinstance(condlist, list) and all(np.isscalar(c) for c in condlist):
        condlist = [condlist]
    elif isinstance(condlist, ndarray):
        condlist = names.unstack(condlist)
    return [names.astype(as_array(c), bool) for c in condlist]


@public
def piecewise(x, condlist, funclist, *args, **kw):
    """numpy.piecewise.  Functions get arrays of one dimension, with the elements of x for which they are.  Waits.
    Collective."""
    x = as_array(x)
    conditions, functions = _conditions(condlist, x.ndim), list(funclist)
    if len(functions) == len(conditions) + 1:
        conditions.append(~functools.reduce(operator.or_, conditions))
    if len(functions) != len(conditions):
        raise ValueError(f"there are {len(functions)} functions for {len(conditions)} conditions")
    y = names.zeros_like(x)
    for condition, function in zip(conditions, functions):
        condition = names.broadcast_to(condition, x.shape)
        if not callable(function):
            y[condition] = function
            continue
        values = x[condition]
        if values.size:
            y[condition] = function(values, *args, **kw)
    return y


# ---- sorting and sets ----


@public
def sort(a, axis=-1, kind=None, stable=None, descending=False):
    """numpy.sort.  Sorts are stable always: kind and stable change nothing.  Collective."""
    return made("sort_descending" if descending else "sort", as_array(a), axis_of(axis))


@public
def argsort(a, axis=-1, kind=None, stable=None, descending=False):
    """numpy.argsort.  Sorts are stable always: kind and stable change nothing.  Collective."""
    return made("argsort_descending" if descending else "argsort", with_a_line(a, axis), axis_of(axis))


@public
def lexsort(keys, axis=-1):
    keys = [as_array(k) for k in keys]
    if not keys:
        raise TypeError("lexsort: there are no keys, and one is needed at least")
    if all(k.ndim == 0 for k in keys):
        return names.zeros((), "int64")
    return made("lexsort", list_of(keys), len(keys), axis)


@public
def sort_complex(a):
    return made("sort_complex", as_array(a))


@public
def partition(a, kth, axis=-1, kind="introselect"):
    """numpy.partition; kind changes nothing.  Collective."""
    kth = as_shape(kth)
    return made("partition", as_array(a), len(kth), kth, axis_of(axis))


@public
def argpartition(a, kth, axis=-1, kind="introselect"):
    """numpy.argpartition; kind changes nothing.  Collective."""
    kth = as_shape(kth)
    return made("argpartition", with_a_line(a, axis), len(kth), kth, axis_of(axis))


@public
def topk(a, k, axis=-1, largest=True):
    """torch.topk: the k largest (or smallest) elements along an axis, and their indices.  Collective."""
    values, places = ctypes.c_void_p(), ctypes.c_void_p()
    call("topk", as_array(a), k, axis_of(axis), bool(largest), ctypes.byref(values), ctypes.byref(places))
    return ndarray._adopt(values.value), ndarray._adopt(places.value)


@public
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):  # noqa: A002
    """numpy.unique, of all elements or of the slices along an axis, where NaN are never equal; always sorted.
    Collective."""
    wanted = [True, return_index, return_inverse, return_counts]
    cells = [ctypes.c_void_p() if w else None for w in wanted]
    outputs = [None if c is None else ctypes.byref(c) for c in cells]
    if axis is None:
        call("unique", as_array(ar), bool(equal_nan), *outputs)
    else:
        call("unique_axis", as_array(ar), axis_of(axis), *outputs)
    found = [ndarray._adopt(c.value) for c in cells if c is not None]
    return found[0] if len(found) == 1 else tuple(found)


@public
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """numpy.isin; kind changes nothing.  Collective."""
    return made("isin", as_array(element), as_array(test_elements), bool(invert))


@public
def union1d(ar1, ar2):
    return made("union1d", as_array(ar1), as_array(ar2))


@public
def setdiff1d(ar1, ar2, assume_unique=False):
    """numpy.setdiff1d, sorted; assume_unique changes nothing.  Collective."""
    return made("setdiff1d", as_array(ar1), as_array(ar2))


@public
def setxor1d(ar1, ar2, assume_unique=False):
    """numpy.setxor1d; assume_unique changes nothing.  Collective."""
    return made("setxor1d", as_array(ar1), as_array(ar2))


@public
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    ar1, ar2 = as_array(ar1), as_array(ar2)
    common = made("intersect1d", ar1, ar2)
    return (common, _first_places(ar1, common), _first_places(ar2, common)) if return_indices else common


def _first_places(x, values):
    """Where the flattened array has each of some of its values first."""
    order = names.argsort(x, axis=None)
    return order[names.searchsorted(names.ravel(x), values, sorter=order)]


@public
def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    return isin(names.ravel(as_array(ar1)), ar2, assume_unique, invert)


# ---- histograms ----


def _range(pair):
    if pair is not None and len(pair) != 2:
        raise ValueError(f"a range is two numbers, and not {pair!r}")
    return None if pair is None else [float(v) for v in pair]


def _bin_count(a, bins, between):
    """The number of bins, which a name such as "auto" may stand for."""
    if not isinstance(bins, str):
        return operator.index(bins)
    count = ctypes.c_int64()
    call("histogram_bins", as_array(a), bins, _range(between), ctypes.byref(count))
    return count.value


@public
def histogram(a, bins=10, range=None, density=False, weights=None):  # noqa: A002
    a, weights = as_array(a), None if weights is None else as_array(weights)
    bins = number_of(bins)
    if isinstance(bins, (int, np.integer, str)):
        bins = _bin_count(a, bins, range)
        counts, edges = ctypes.c_void_p(), ctypes.c_void_p()
        call(
            "histogram", a, bins, _range(range), bool(density), weights, ctypes.byref(counts), ctypes.byref(edges)
        )
        return ndarray._adopt(counts.value), ndarray._adopt(edges.value)
    edges = as_array(bins)
    return made("histogram_edges", a, edges, bool(density), weights), edges


def _is_count(bins):
    return np.ndim(bins) == 0 if isinstance(bins, ndarray) else not np.iterable(bins)


def _histogram_of_edges(columns, bins, ranges, density, weights):
    """A histogram of several dimensions, of which at least one has given edges."""
    edges, places, shape = [], [], []
    for column, count, between in zip(columns, bins, ranges):
        edge = histogram_bin_edges(column, count, between)
        if edge.ndim != 1 or bool(names.any(edge[:-1] > edge[1:])):
            raise ValueError("edges of bins must be a vector, and monotonically increasing")
        place = names.searchsorted(edge, column, side="right")
        edges.append(edge)
        places.append(place - (column == edge[-1]) - 1)
        shape.append(edge.size - 1)
    inside, flat = True, 0
    for place, count in zip(places, shape):
        inside, flat = (place >= 0) & (place < count) & inside, flat * count + place
    counts = bincount(flat[inside], None if weights is None else weights[inside], int(np.prod(shape)))
    counts = names.reshape(counts, shape).astype(float)
    if density:
        total = names.sum(counts)
        for axis, edge in enumerate(edges):
            widths = names.reshape(edge[1:] - edge[:-1], [-1 if d == axis else 1 for d in builtins.range(len(shape))])
            counts = counts / widths
        counts = counts / total
    return counts, edges


@public
def histogram2d(x, y, bins=10, range=None, density=False, weights=None):  # noqa: A002
    """numpy.histogram2d; bins are two numbers or arrays of edges, or one of these for both.  Collective."""
    bins = [bins] * 2 if _is_count(bins) or len(bins) != 2 else list(bins)
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, *edges


@public
def histogramdd(sample, bins=10, range=None, density=False, weights=None):  # noqa: A002
    """numpy.histogramdd of coordinates as the columns of an array or as a list of arrays; bins are their number or an
    array of edges, for all dimensions or for each.  Collective."""
    if isinstance(sample, (list, tuple)):
        columns = [as_array(c) for c in sample]
    else:
        columns = [as_array(sample)[:, d] for d in builtins.range(as_array(sample).shape[1])]
    many = len(columns)
    bins = [bins] * many if _is_count(bins) else list(bins)
    if len(bins) != many:
        raise ValueError(f"histogramdd: there are {len(bins)} numbers of bins for {many} coordinates")
    weights = None if weights is None else as_array(weights)
    if not all(map(_is_count, bins)):
        ranges = [None] * many if range is None else list(range)
        return _histogram_of_edges(columns, bins, ranges, density, weights)
    counts, edges = ctypes.c_void_p(), (ctypes.c_void_p * many)()
    ranges = None if range is None else np.broadcast_to(range, (many, 2)).ravel().tolist()
    bins = list(map(operator.index, bins))
    call("histogramdd", list_of(columns), many, bins, ranges, bool(density), weights, ctypes.byref(counts), edges)
    return ndarray._adopt(counts.value), [ndarray._adopt(edge) for edge in edges]


@public
def histogram_bin_edges(a, bins=10, range=None, weights=None):  # noqa: A002
    """numpy.histogram_bin_edges; weights change nothing.  Collective."""
    if not isinstance(bins, str) and not _is_count(bins):
        return as_array(bins)
    return made("histogram_bin_edges", as_array(a), _bin_count(a, bins, range), _range(range))


@public
def bincount(x, weights=None, minlength=0):
    x = indices_of(x)
    if x.ndim != 1:
        raise ValueError(f"bincount: the array has {x.ndim} dimensions, not 1")
    return made("bincount", x, None if weights is None else as_array(weights), minlength)


@public
def searchsorted(a, v, side="left", sorter=None):
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is {side!r}, which is neither left nor right")
    return made("searchsorted", as_array(a), as_array(v), side == "right", None if sorter is None else as_array(sorter))


@public
def digitize(x, bins, right=False):
    return made("digitize", as_array(x), as_array(bins), bool(right))
