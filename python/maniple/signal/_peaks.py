# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's peaks and extrema."""

import ctypes
import math

import numpy as np

from .._array import as_array, ndarray
from .._library import call, struct
from .._names import names
from ._filters import _several

__all__ = """argrelextrema argrelmax argrelmin find_peaks peak_prominences peak_widths""".split()


def _window_length(wlen):
    """The samples around a peak that count; 0, all of them, for None."""
    if wlen is None:
        return 0
    if not wlen > 1:
        raise ValueError(f"wlen is {wlen}, and not larger than 1")
    return math.ceil(wlen)


def _peak_limits(name, x, limit):
    """A limit of peaks as an array of x's shape; numbers and None stay what they are."""
    if np.ndim(limit) == 0:
        return limit
    if np.shape(limit) != x.shape:
        raise ValueError(f"find_peaks: the limit {name} has the shape {np.shape(limit)}, and x {x.shape}")
    return as_array(limit)


def _peaks_apart(x, arrays, distance):
    """Those of the peaks that keep the distance: the peaks of what is -inf but for them."""
    alone, peaks = names.full(x.shape, -np.inf, dtype=names.result_type(x.dtype, "float32")), arrays["peaks"]
    if peaks.size == 0:
        return arrays
    alone[peaks] = x[peaks]
    kept = names.isin(peaks, find_peaks(alone, distance=distance)[0])
    return {name: values[kept] for name, values in arrays.items()}


def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5,
               plateau_size=None):
    """The peaks, and a dictionary of their properties; limits are numbers, or arrays of one for each element of x."""
    options, found, keep, later = struct("find_peaks_options")(), struct("peaks")(), [], {}
    apart = False  # the distance and what comes after it wait for limits that are arrays
    x = as_array(x)
    ranges = {"plateau_size": plateau_size, "height": height, "threshold": threshold, "prominence": prominence,
              "width": width}  # fmt: skip  in SciPy's order; the distance comes after the first three
    for name, limits in ranges.items():
        if limits is None:
            continue
        is_pair = isinstance(limits, tuple) or (np.ndim(limits) and len(limits) == 2)
        low, high = limits if is_pair else (limits, None)
        if np.ndim(low) or np.ndim(high) or (apart and name in ("prominence", "width")):
            later[name] = _peak_limits(name, x, low), _peak_limits(name, x, high)
            apart = apart or (distance is not None and name in ("height", "threshold", "plateau_size"))
            low = high = None
        keep.append((ctypes.c_double * 2)(-np.inf if low is None else low, np.inf if high is None else high))
        setattr(options, name, ctypes.addressof(keep[-1]))
    if distance is not None and distance < 1:
        raise ValueError(f"find_peaks: distance is {distance}, and not at least 1")
    options.distance, options.wlen = 0.0 if apart else distance or 0.0, _window_length(wlen)
    options.rel_height = rel_height or 5e-324  # as in C 0 is the default; times any prominence this is nothing
    call("find_peaks", x, options, found)
    arrays = {name: ndarray._adopt(getattr(found, name)) for name, _ in found._fields_ if getattr(found, name)}
    for name, (low, high) in later.items():
        if apart and name in ("prominence", "width"):
            arrays, apart = _peaks_apart(x, arrays, distance), False
        least, most = (arrays[f] for f in _LIMITED.get(name, (name + "s",) * 2))
        peaks, fits = arrays["peaks"], True
        if low is not None:
            fits = (low[peaks] if isinstance(low, ndarray) else low) <= names.minimum(least, most)
        if high is not None:
            fits = fits & (names.maximum(least, most) <= (high[peaks] if isinstance(high, ndarray) else high))
        arrays = {name: values[fits] for name, values in arrays.items()}
    if apart:
        arrays = _peaks_apart(x, arrays, distance)
    return arrays.pop("peaks"), arrays


_LIMITED = {"height": ("peak_heights",) * 2, "threshold": ("left_thresholds", "right_thresholds"),
            "plateau_size": ("plateau_sizes",) * 2}  # fmt: skip  the properties that limits are of


def peak_prominences(x, peaks, wlen=None):
    return _several("peak_prominences", 3, as_array(x), as_array(peaks), _window_length(wlen))


def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None):
    """scipy.signal.peak_widths; prominence_data can only be what peak_prominences() gives with the same wlen.
    Collective."""
    if prominence_data is not None:
        own = peak_prominences(x, peaks, wlen)
        if not all(bool(names.array_equal(mine, given)) for mine, given in zip(own, prominence_data)):
            raise ValueError("peak_widths: prominence_data are not those of peak_prominences() with this wlen, "
                             "and no others are taken")
    return _several("peak_widths", 4, as_array(x), as_array(peaks), float(rel_height), _window_length(wlen))


def _extrema(function, data, *arguments):
    data = as_array(data)
    outs = (ctypes.c_void_p * max(data.ndim, 1))()
    call(function, data, *arguments, outs)
    return tuple(ndarray._adopt(outs[d]) for d in range(data.ndim))


def argrelextrema(data, comparator, axis=0, order=1, mode="clip"):
    """comparator is numpy.greater, less, greater_equal or less_equal, that of Maniple or of operator, or that name."""
    name = getattr(comparator, "__name__", comparator)
    name = {"gt": "greater", "lt": "less", "ge": "greater_equal", "le": "less_equal"}.get(name, name)
    return _extrema("argrelextrema", data, name, axis, order, mode)


def argrelmax(data, axis=0, order=1, mode="clip"):
    return _extrema("argrelmax", data, axis, order, mode)


def argrelmin(data, axis=0, order=1, mode="clip"):
    return _extrema("argrelmin", data, axis, order, mode)
