# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of images share: options of filters, random images and modes."""

import ctypes

import maniple as mp
import numpy as np

MODES = {"reflect": 1, "mirror": 2, "nearest": 3, "wrap": 4, "constant": 5, "grid-wrap": 6, "grid-constant": 7}
PADDING = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap",
           "constant": "constant", "grid-constant": "constant"}  # NumPy's names


class Options(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("mode", ctypes.c_int), ("modes", ctypes.c_void_p),
                ("cval", ctypes.c_double), ("naxes", ctypes.c_int), ("axes", ctypes.c_void_p),
                ("origins", ctypes.c_void_p)]


def options(mode="reflect", cval=0.0, origin=None, axes=None, dtype=None):
    """mnp_ndimage_options: mode is a name or one for each axis."""
    modes = None if isinstance(mode, str) else (ctypes.c_int * len(mode))(*[MODES[m] for m in mode])
    listed = None if axes is None else (ctypes.c_int * len(axes))(*axes)
    origins = None if origin is None else (ctypes.c_int64 * len(origin))(*origin)
    keep = [modes, listed, origins]
    made = Options(getattr(mp, "MNP_" + ("DTYPE_AUTO" if dtype is None else dtype.upper())),
                   MODES[mode] if isinstance(mode, str) else 0,
                   *(None if a is None else ctypes.addressof(a) for a in (modes,)), cval,
                   0 if axes is None else len(axes),
                   *(None if a is None else ctypes.addressof(a) for a in (listed, origins)))
    made.keep = keep
    return made


def values(rng, shape, dtype):
    """Numbers of which some are equal."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(max(info.min, -999), min(info.max, 999), shape, endpoint=True).astype(dtype)
    return (rng.integers(-99, 99, shape) / 8).astype(dtype)


def image(rng, dtype, ndim=None, most=4000):
    """A random image of a random layout, and the same for NumPy; sometimes a view, empty or of one element."""
    ndim = int(rng.integers(1, 4)) if ndim is None else ndim
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 5, 9, 14, 23, 40], ndim))
    while np.prod(shape) > most:
        shape = tuple(max(1, n // 2) for n in shape)
    if rng.random() < 0.05:
        shape = (0,) + shape[1:]
    a = values(rng, shape, dtype)
    x = mp.array(a, mp.random_layout(rng, shape))
    if ndim > 1 and rng.random() < 0.3:
        x, a = mp.transpose(x, None), a.T
    if rng.random() < 0.2:
        x, a = x[::-1], a[::-1]
    return a, x


def in_windows(function, a, *arguments, size, mode, cval, **named):
    """What a filter of scipy.ndimage gives, with windows of that size.  SciPy reads beside images that its windows leave
    by a multiple of their extent (filters of several dimensions with 'reflect', and those of ranks of one dimension), so
    NumPy extends them."""
    if not a.size or all(n <= extent for n, extent in zip(size, a.shape)):
        return function(a, *arguments, mode=mode, cval=cval, **named) if a.size else a.copy()
    value = {"constant_values": cval} if PADDING[mode] == "constant" else {}
    inner = tuple(slice(n, n + extent) for n, extent in zip(size, a.shape))
    return function(np.pad(a, [(n, n) for n in size], PADDING[mode], **value), *arguments, mode="nearest", **named)[inner]
