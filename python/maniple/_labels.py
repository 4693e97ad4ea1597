# SPDX-License-Identifier: BSD-3-Clause
"""Of scipy.ndimage: labels of connected elements, and what is measured and made of the elements of each label.  What
labels measure is NumPy's, as in SciPy: numbers, lists of positions, slices."""

import ctypes

import numpy as np

from ._array import as_array, made, ndarray
from ._library import call, vector
from ._names import as_output, names

__all__ = """center_of_mass extrema find_objects histogram label labeled_comprehension maximum_position median
    minimum_position sum sum_labels value_indices watershed_ift""".split()


def _of_neighbours(structure, ndim):
    """C's structure, of an element and its neighbours."""
    if structure is not None and np.shape(structure) != (3,) * ndim:
        raise ValueError(f"a structure of shape {np.shape(structure)}, and not {(3,) * ndim}")
    return None if structure is None else vector("_Bool", [bool(v) for v in np.ravel(structure)])


def label(input, structure=None, output=None):
    """The labels of connected elements that are not 0, and how many there are.  Collective."""
    input = as_array(input)
    cell, count = ctypes.c_void_p(output._handle if isinstance(output, ndarray) else None), ctypes.c_int64()
    call("ndimage_label", input, _of_neighbours(structure, input.ndim), ctypes.byref(cell), ctypes.byref(count))
    labels = output if isinstance(output, ndarray) else ndarray._adopt(cell.value)
    if output is not None and not isinstance(output, ndarray):
        labels = labels.astype(output)
    return labels, count.value


def watershed_ift(input, markers, structure=None, output=None):
    """scipy.ndimage.watershed_ift, bit by bit: rank 0 gets the image, and floods it alone.  Waits.  Collective."""
    input = as_array(input)
    labels = made("ndimage_watershed_ift", input, as_array(markers), _of_neighbours(structure, input.ndim))
    return labels if output is None else as_output(labels, output)


def find_objects(input, max_label=0):
    """A list of tuples of slices, or None where there is no such label.  Collective."""
    input = as_array(input)
    count = max_label if max_label > 0 else max(int(input.max()), 0) if input.size else 0
    boxes = made("ndimage_find_objects", input, count).numpy()
    first, end = boxes[..., 0].tolist(), boxes[..., 1].tolist()
    return [None if lo[0] < 0 else tuple(map(slice, lo, hi)) for lo, hi in zip(first, end)]


def _measured(input, labels, index):
    """An array and its labels, of one shape, and NumPy's array of those that are measured; None: one part, a number."""
    input = as_array(input)
    if labels is None:
        return input, None, None
    labels = as_array(labels)
    if labels.shape != input.shape:
        input, labels = (names.copy(x) for x in names.broadcast_arrays(input, labels))
    return input, labels, None if index is None else np.asarray(index)


def _measure(name, input, labels, index):
    """The measurements of all labels of an index, in its shape; what a measurement is of is in front."""
    input, labels, index = _measured(input, labels, index)
    if name in ("sum_labels", "mean") and input.dtype.kind == "c":
        return _measure(name, input.real, labels, index) + 1j * _measure(name, input.imag, labels, index)
    if index is not None and index.size == 0:
        found = _measure(name, input, labels, [0])  # for its dtype
        return found[:0].reshape(index.shape + found.shape[1:])
    listed = [] if index is None else [int(i) for i in index.ravel()]
    if input.dtype.kind == "c" and name.startswith(("minimum", "maximum")):
        out = _extremes_of_complex(name, input, labels, listed)
    else:
        out = made("ndimage_" + name, input, labels, len(listed),
                   vector("int64_t", listed, "index") if listed else None).numpy()
    return out[0] if index is None else out.reshape(index.shape + out.shape[1:])[()]


def _extremes_of_complex(name, x, labels, index):
    """What `name` gives of complex numbers in NumPy's order, in which real parts come first, by one stable sort; that
    of a label with NaN is NaN, nowhere."""
    labels = names.ones(x.shape, "int8") if labels is None else labels if index else names.astype(labels > 0, "int8")
    flat, labels = _flat(x, labels)
    sign = 1 if name.startswith("minimum") else -1
    order = names.lexsort((sign * flat.imag, sign * flat.real, names.isnan(flat), labels))
    lo, hi = _bounds(labels[order], np.array(index or [1]))
    exists = hi > lo
    if not exists.any():
        found, places = np.zeros(len(lo), x.dtype), np.full(len(lo), -1)
    else:
        first, last = (order[as_array(np.where(exists, place, 0))] for place in (lo, hi - 1))
        found, nan = flat[first].numpy(), np.isnan(flat[last].numpy()) & exists
        found[~exists], found[nan] = 0, np.nan
        places = np.where(exists & ~nan, first.numpy(), -1)
    if not name.endswith("position"):
        return found
    return np.where(places[:, None] < 0, -1, np.transpose(np.unravel_index(np.maximum(places, 0), x.shape)))


def _measurement(name):
    def function(input, labels=None, index=None):
        return _measure(name, input, labels, index)

    function.__name__ = function.__qualname__ = name
    __all__.append(name)
    return function


for _name in ("mean", "variance", "standard_deviation", "minimum", "maximum"):
    globals()[_name] = _measurement(_name)


def sum_labels(input, labels=None, index=None):
    """scipy.ndimage.sum_labels: of one part NumPy's sum, in its dtype; of a list of labels sums in float64.  Waits.
    Collective."""
    input, labels, index = _measured(input, labels, index)
    if index is not None and index.ndim > 0:
        return _measure("sum_labels", input, labels, index)
    where = True if labels is None else labels > 0 if index is None else labels == int(index)
    return names.sum(input, where=where).numpy()[()]


def sum(input, labels=None, index=None):  # noqa: A001: SciPy's name
    return sum_labels(input, labels, index)


def _positions(name, input, labels, index):
    found = _measure(name, input, labels, index)
    return tuple(found.tolist()) if found.ndim == 1 else [tuple(row) for row in found.reshape(-1, found.shape[-1]).tolist()]


def minimum_position(input, labels=None, index=None):
    return _positions("minimum_position", input, labels, index)


def maximum_position(input, labels=None, index=None):
    return _positions("maximum_position", input, labels, index)


def center_of_mass(input, labels=None, index=None):
    return _positions("center_of_mass", input, labels, index)


def extrema(input, labels=None, index=None):
    """The minima, the maxima, and where both are, by label.  Collective."""
    return (_measure("minimum", input, labels, index), _measure("maximum", input, labels, index),
            minimum_position(input, labels, index), maximum_position(input, labels, index))


# ---- functions of the elements ----
#
# Elements are brought into the order of their labels by one stable sort; those of a label are then a slice.


def _on_host(index):
    return index.numpy() if isinstance(index, ndarray) else np.asarray(index)


def _flat(input, labels):
    """An array and its labels, flattened."""
    return names.ravel(as_array(input)), names.ravel(names.broadcast_to(as_array(labels), np.shape(input)))


def _bounds(ordered, index):
    """Where the elements of each label begin and end, in NumPy's arrays."""
    wanted = as_array(index.ravel())
    return [names.searchsorted(ordered, wanted, side).numpy() for side in ("left", "right")]


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """scipy.ndimage.labeled_comprehension: what a function of an array gives for the elements of each label, and also
    for their places in the flattened input, as NumPy's array.  Waits.  Collective."""

    def of(values, places):
        value = func(values, places) if pass_positions else func(values)
        return value.numpy() if isinstance(value, ndarray) else value

    if labels is None:
        if index is not None:
            raise ValueError("labeled_comprehension: there is an index, and there are no labels")
        x = names.ravel(as_array(input))
        return of(x, names.arange(x.size))
    x, labels = _flat(input, labels)
    if index is None:
        places = names.flatnonzero(labels > 0)
        return of(x[places], places)
    listed = _on_host(index)
    order = names.argsort(labels)
    x = x[order]
    found = [of(x[lo:hi], order[lo:hi]) if lo < hi else default for lo, hi in zip(*_bounds(labels[order], listed))]
    return np.array(found, out_dtype).reshape(listed.shape)[()] if out_dtype is not object else _objects(found, listed.shape)


def _objects(found, shape):
    """NumPy's array of arrays."""
    whole = np.empty(len(found), object)
    whole[:] = found
    return whole.reshape(shape)[()]


def median(input, labels=None, index=None):
    """scipy.ndimage.median, where labels without elements have NaN.  Waits.  Collective."""
    if labels is None or index is None:
        found = labeled_comprehension(input, labels, None, lambda x: names.median(x) if x.size else np.nan, None, None)
        return found[()] if isinstance(found, np.ndarray) else found
    x, labels = _flat(input, labels)
    listed = _on_host(index)
    if x.size == 0:
        return np.full(listed.shape, np.nan)[()]
    order = names.lexsort((x, labels))
    lo, hi = _bounds(labels[order], listed)
    exists = hi > lo
    last = np.maximum(hi - lo - 1, 0)
    middle = [order[as_array(np.where(exists, lo + half, 0))] for half in (last // 2, (last + 1) // 2)]
    low, high = (x[place].numpy() for place in middle)
    kind = low.dtype if low.dtype.kind in "fc" else float
    found = (low.astype(kind) + high.astype(kind)) / 2
    found[~exists] = np.nan
    return found.reshape(listed.shape)[()]


def histogram(input, min, max, bins, labels=None, index=None):  # noqa: A002
    """scipy.ndimage.histogram: NumPy's array of counts, or one of these for every label.  Waits.  Collective."""
    edges = names.linspace(min, max, bins + 1)
    if labels is None or index is None:
        return labeled_comprehension(input, labels, None, lambda x: names.histogram(x, edges)[0], object, None)
    x, labels = _flat(input, labels)
    listed = _on_host(index)
    known, places = np.unique(listed, return_inverse=True)
    row = names.minimum(names.searchsorted(as_array(known), labels), len(known) - 1)
    row = names.where(as_array(known)[row] == labels, row, len(known))  # behind the others: what no label is
    column = names.where(x == edges[-1], bins, names.searchsorted(edges, x, "right"))  # 0 and bins + 1: outside
    counts = names.bincount(row * (bins + 2) + column, minlength=(len(known) + 1) * (bins + 2)).numpy()
    counts = counts.reshape(len(known) + 1, bins + 2)
    found = [counts[place, 1:-1].copy() if counts[place].any() else None for place in places.ravel()]
    return _objects(found, listed.shape)


def value_indices(arr, *, ignore_value=None):
    """scipy.ndimage.value_indices: for each value where it is, as arrays of indices.  Waits.  Collective."""
    arr = as_array(arr)
    if arr.dtype.kind not in "iu":
        raise ValueError(f"value_indices() is of integers, and not of {arr.dtype}")
    values, counts = (found.numpy() for found in names.unique(arr, return_counts=True))
    indices = names.unravel_index(names.argsort(names.ravel(arr)), arr.shape)
    ends = np.cumsum(counts)
    return {value: tuple(index[end - count : end] for index in indices)
            for value, count, end in zip(values, counts, ends) if value != ignore_value}
