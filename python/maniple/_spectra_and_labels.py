# SPDX-License-Identifier: BSD-3-Clause
"""Of scipy.ndimage: filters of Fourier transforms, filters by functions, what functions make of labelled elements."""

import numpy as np

from ._array import as_array, ndarray
from ._names import names

__all__ = """fourier_gaussian fourier_shift fourier_uniform generic_gradient_magnitude generic_laplace histogram
    iterate_structure labeled_comprehension median value_indices""".split()


def _given(found, output):
    """What was found, as output= wants it: an array, a dtype or None."""
    if isinstance(output, (ndarray, np.ndarray)):
        output[...] = found if isinstance(output, ndarray) else found.numpy()
        return output
    return found if output is None else found.astype(output)


# ---- of Fourier transforms ----


def _filtered(input, parameters, n, axis, output, is_complex, factor):
    """The product with a factor of the frequencies, in turns of a sample, and of the parameter along each axis."""
    x = as_array(input)
    x = x if x.dtype.kind == "c" else x.astype("complex128" if is_complex else x.dtype if x.dtype == "float32" else float)
    if x.size == 0:
        return _given(names.copy(x), output)
    for d, parameter in enumerate(np.broadcast_to(parameters, x.ndim).tolist()):
        count = x.shape[d]
        half = n >= 0 and d == range(x.ndim)[axis]  # a transform of n real numbers
        frequencies = np.arange(count) / n if half else np.fft.fftfreq(count)
        line = factor(frequencies, parameter).reshape((count,) + (1,) * (x.ndim - 1 - d))
        x = x * as_array(line).astype(names.result_type(x.dtype, "complex64") if line.dtype.kind == "c" else x.real.dtype)
    return _given(x, output)


def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    return _filtered(input, sigma, n, axis, output, False, lambda f, s: np.exp(-2 * (np.pi * f * s) ** 2))


def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    return _filtered(input, size, n, axis, output, False, lambda f, s: np.sinc(f * s))


def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    return _filtered(input, shift, n, axis, output, True, lambda f, s: np.exp(-2j * np.pi * f * s))


# ---- by functions ----


def generic_gradient_magnitude(input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None):
    """scipy.ndimage.generic_gradient_magnitude, of derivative(input, axis, output, mode, cval).  Collective."""
    parts = _derivatives(input, derivative, mode, cval, extra_arguments, extra_keywords)
    return _given(names.astype(names.sqrt(sum(part * part for part in parts)), parts[0].dtype), output)


def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None):
    """scipy.ndimage.generic_laplace, of derivative2(input, axis, output, mode, cval).  Collective."""
    return _given(sum(_derivatives(input, derivative2, mode, cval, extra_arguments, extra_keywords)), output)


def _derivatives(input, function, mode, cval, arguments, keywords):
    x = as_array(input)
    modes = [mode] * x.ndim if isinstance(mode, str) else mode
    return [function(x, axis, None, modes[axis], cval, *arguments, **(keywords or {})) for axis in range(x.ndim)]


def iterate_structure(structure, iterations, origin=None):
    """scipy.ndimage.iterate_structure: NumPy's array of a structure that is dilated with itself; with an origin also
    that of the result.  Collective."""
    from . import ndimage

    structure, more = np.asarray(structure, bool), iterations - 1
    if iterations < 2:
        return structure.copy()
    large = np.zeros([n + more * (n - 1) for n in structure.shape], bool)
    large[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in structure.shape)] = structure
    found = ndimage.binary_dilation(large, structure, iterations=more).numpy()
    if origin is None:
        return found
    return found, [iterations * o for o in np.broadcast_to(origin, structure.ndim).tolist()]


# ---- of labels ----
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
    """scipy.ndimage.labeled_comprehension: what a function of an array gives for the elements of each label, and also for
    their places in the flattened input, as NumPy's array.  Waits.  Collective."""

    def of(values, places):
        if not places.size:
            return default
        value = func(values, places) if pass_positions else func(values)
        return value.numpy() if isinstance(value, ndarray) else value

    if labels is None:
        x = names.ravel(as_array(input))
        return of(x, names.arange(x.size))
    x, labels = _flat(input, labels)
    if index is None:
        places = names.flatnonzero(labels > 0)
        return of(x[places], places)
    listed = _on_host(index)
    order = names.argsort(labels)
    x = x[order]
    found = [of(x[lo:hi], order[lo:hi]) for lo, hi in zip(*_bounds(labels[order], listed))]
    return np.array(found, out_dtype).reshape(listed.shape)[()] if out_dtype is not object else _objects(found, listed.shape)


def _objects(found, shape):
    """NumPy's array of arrays."""
    whole = np.empty(len(found), object)
    whole[:] = found
    return whole.reshape(shape)[()]


def median(input, labels=None, index=None):
    """scipy.ndimage.median, where labels without elements have NaN.  Waits.  Collective."""
    if labels is None or index is None:
        found = labeled_comprehension(input, labels, None, names.median, None, np.nan)
        return found[()] if isinstance(found, np.ndarray) else found
    x, labels = _flat(input, labels)
    listed = _on_host(index)
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
