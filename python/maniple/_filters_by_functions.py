# SPDX-License-Identifier: BSD-3-Clause
"""Of scipy.ndimage: filters and transforms by functions of Python.

That of vectorized_filter() is called by all ranks, for arrays of Maniple.  What the others are called for, windows,
lines and places, a rank has in its own block, with what it needs of its neighbours.  A function that raises on one rank
ends the call on all of them; one that calls what is collective hangs, as ranks have blocks of several sizes."""

import math
import warnings

import numpy as np

from ._array import as_array, ndarray
from ._layout import Layout, nranks
from ._library import call, constant, least
from ._errors import PeerError
from ._names import as_output, axis_within, names

__all__ = """generic_filter generic_filter1d generic_gradient_magnitude generic_laplace geometric_transform
    vectorized_filter""".split()

# numpy.pad's names of SciPy's modes
_PADDED = {"reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap",
           "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant"}  # fmt: skip


def _margins(size, origin):
    """How many elements of a window lie before its own element, and how many behind it."""
    before = size // 2 + origin
    if not 0 <= before < size:
        raise ValueError(f"invalid origin: {origin} for a window of {size} elements")
    return before, size - 1 - before


def _continued(x, margins, mode, cval):
    if mode not in _PADDED:
        raise ValueError(f"{mode!r} is none of the modes {', '.join(_PADDED)}")
    if not any(map(any, margins)):
        return x
    return names.pad(x, margins, _PADDED[mode], cval if _PADDED[mode] == "constant" else 0)


def _windows(x, axes, shape, origin, mode, cval):
    """A view of the windows along some axes, of x as it goes on beyond its borders."""
    margins = [(0, 0)] * x.ndim
    for axis, n, o in zip(axes, shape, np.broadcast_to(origin, len(axes)).tolist()):
        margins[axis] = _margins(n, o)
    return names.sliding_window_view(_continued(x, margins, mode, cval), tuple(shape), tuple(axes))


def _reals(name, input):
    x = as_array(input)
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: the input is complex, and the function is given real numbers")
    return x


def dtype_of_output(x, output):
    """That of the result: what output= asks for, or the input's."""
    wanted = output.dtype if isinstance(output, (ndarray, np.ndarray)) else output
    return x.dtype if wanted is None else np.dtype(wanted)


def _computed(like, dtype, compute):
    """An array with the layout of another one, whose blocks the ranks compute by themselves."""
    made = ndarray(like.shape, dtype, like.layout)
    block, problem = None, None
    try:
        block = np.ascontiguousarray(compute(), dtype)
    except Exception as error:  # noqa: BLE001  whatever the function raises, the others wait for it
        problem = error
    if least([problem is None]) == [0]:
        raise problem or PeerError(constant("ERR_PEER"), "the function that was given has failed on another rank")
    call("array_set_local", made, block.ctypes.data)
    return made


def _here(x):
    """This rank's block on the CPU; a view of it where it can be."""
    block = x.local
    return block if isinstance(block, np.ndarray) else x._block()


def generic_filter(input, function, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0,
                   extra_arguments=(), extra_keywords=None, *, axes=None):  # fmt: skip
    """scipy.ndimage.generic_filter: a function of the float64 elements of every window, as a vector of NumPy's.

    A call of Python for every element, shared by the ranks, takes about a microsecond and the function's time: where
    there is a filter of that kind, or an expression of shifted arrays, it is hundreds of times as fast.  The image is
    copied to one of float64 with margins; on GPUs the windows are copied to the CPU, as many times the image as a
    window has elements.  Collective."""
    x = _reals("generic_filter", input)
    axes = range(x.ndim) if axes is None else [axis_within("generic_filter", a, x.ndim) for a in np.atleast_1d(axes)]
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        footprint = np.ones(np.broadcast_to(size, len(axes)), bool)
    elif size is not None:
        warnings.warn("ignoring size because footprint is set", stacklevel=2)
    footprint = np.asarray(footprint, bool)
    if footprint.ndim != len(axes):
        raise RuntimeError(f"a window of shape {footprint.shape} for {len(axes)} axes")
    if x.size == 0:
        return as_output(names.copy(x), output)
    dtype = dtype_of_output(x, output)
    windows = _windows(x.astype(float), axes, footprint.shape, origin, mode, cval)
    own = windows[(slice(None),) * x.ndim + (0,) * footprint.ndim]

    def compute():
        block = _here(windows)
        found = np.empty(block.shape[: x.ndim])
        for place in np.ndindex(found.shape):
            found[place] = function(block[place][footprint], *extra_arguments, **(extra_keywords or {}))
        return found.astype(dtype)

    found = names.redistribute(_computed(own, dtype, compute), x.layout)
    return found if output is None else as_output(found, output)


def vectorized_filter(input, function, *, size=None, footprint=None, output=None, mode="reflect", cval=None, origin=None,
                      axes=None, batch_memory=2**30):  # fmt: skip
    """scipy.ndimage.vectorized_filter, of SciPy 1.16 and later: function(windows, axis=axes) of all windows at once, an
    array of Maniple that has their axes at its end: mp.nanmedian, or one of NumPy's that calls Maniple's.

    The windows are a view; functions that do not read views, and footprints, copy them, of which a rank gets about
    batch_memory bytes at a time.  A function that gives several numbers for a window has to get all at once.
    Collective."""
    x = as_array(input)
    axes = range(-x.ndim, 0) if axes is None else np.atleast_1d(axes).tolist()
    if (size is None) == (footprint is None):
        raise ValueError("vectorized_filter: either size or footprint has to be given")
    mask = None if footprint is None else np.asarray(footprint, bool)
    shape = np.broadcast_to(size, len(axes)).tolist() if mask is None else mask.shape
    if len(shape) != len(axes) or (mode == "valid" and np.any(origin)) or (cval is not None and "const" not in mode):
        raise ValueError(f"vectorized_filter: size or footprint, of {len(shape)} axes, must be for {len(axes)} of them, "
                         "cval for the mode 'constant', and origin not for 'valid'")
    if not all(isinstance(n, (int, np.integer)) and n > 0 for n in shape) or not batch_memory > 0:
        raise ValueError(f"vectorized_filter: the size is {size}, of integers above 0, and batch_memory {batch_memory}, above 0")
    if x.size == 0:
        return as_output(names.copy(x), output)
    last = tuple(range(-len(axes), 0))
    moved = names.moveaxis(x, axes, last)
    windows = (names.sliding_window_view(moved, tuple(shape), last) if mode == "valid"
               else _windows(moved, last, shape, 0 if origin is None else origin, mode, 0 if cval is None else cval))
    found = _in_batches(windows, len(axes), batch_memory,
                        lambda part: function(part, axis=last) if mask is None else function(part[..., mask], axis=-1))
    found = names.moveaxis(found, last, axes)
    return as_output(names.redistribute(found, x.layout) if found.shape == x.shape else found, output)


def _in_batches(windows, count, bytes_of_rank, function):
    """What a function gives for windows, which have `count` axes, of so many bytes of each rank at a time.  A batch has
    every so many-th row, so that all ranks have some."""
    own = windows[(Ellipsis,) + (0,) * count]
    batches = math.ceil(windows.size * windows.dtype.itemsize / (bytes_of_rank * nranks()))
    batches = min(batches, len(windows)) if own.ndim else 1
    if batches <= 1:
        return as_array(function(windows))
    found = None
    for batch in range(batches):
        part, place = as_array(function(windows[batch::batches])), own[batch::batches]
        if part.shape != place.shape:
            raise ValueError(f"the function gives {part.shape} for windows of {place.shape}: a larger batch_memory is needed")
        found = ndarray(own.shape, part.dtype, own.layout) if found is None else found
        found[batch::batches] = part
    return found


def generic_filter1d(input, function, filter_size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0,
                     extra_arguments=(), extra_keywords=None):  # fmt: skip
    """scipy.ndimage.generic_filter1d: a function that is given every line along an axis in float64, with its margins,
    and writes the filtered one to its second argument; both are NumPy's.

    The image is copied to one of float64 in which ranks have whole lines; that of one dimension is on every rank, and
    so is its work.  Collective."""
    x = _reals("generic_filter1d", input)
    axis = axis_within("generic_filter1d", axis, x.ndim)
    if filter_size < 1:
        raise RuntimeError(f"the filter size is {filter_size}, and should be 1 or more")
    margins = [_margins(filter_size, origin) if d == axis else (0, 0) for d in range(x.ndim)]
    if x.size == 0:
        return as_output(names.copy(x), output)
    dtype = dtype_of_output(x, output)
    cut = max((d for d in range(x.ndim) if d != axis), key=lambda d: x.shape[d], default=None)
    text = ", ".join("0" if d == cut else "*" for d in range(x.ndim))
    wide = names.redistribute(_continued(x.astype(float), margins, mode, cval), text)
    own = wide[(slice(None),) * axis + (slice(x.shape[axis]),)]

    def compute():
        lines = np.moveaxis(_here(wide), axis, -1)
        found = np.zeros((*lines.shape[:-1], x.shape[axis]))
        for place in np.ndindex(lines.shape[:-1]):
            function(np.ascontiguousarray(lines[place]), found[place], *extra_arguments, **(extra_keywords or {}))
        return np.moveaxis(found, -1, axis).astype(dtype)

    found = names.redistribute(_computed(own, dtype, compute), x.layout)
    return found if output is None else as_output(found, output)


def geometric_transform(input, mapping, output_shape=None, output=None, order=3, mode="constant", cval=0.0,
                        prefilter=True, extra_arguments=(), extra_keywords=None):  # fmt: skip
    """scipy.ndimage.geometric_transform: of each element of the output a function tells where in the input it is.

    A call of Python for every element, shared by the ranks; map_coordinates(), which does the rest, takes an array of
    coordinates that is computed as a whole.  Collective."""
    from . import ndimage

    x = as_array(input)
    if output_shape is None:
        output_shape = output.shape if isinstance(output, (ndarray, np.ndarray)) else x.shape
    shape = tuple(int(n) for n in np.atleast_1d(output_shape))
    coordinates = names.zeros((x.ndim, *shape), layout=Layout((x.ndim, *shape), "*" + ", 0" + ", *" * (len(shape) - 1)))
    first = [s.start for s in coordinates.local_slices[1:]]

    def compute():
        found = np.empty((x.ndim, *_here(coordinates).shape[1:]))
        for place in np.ndindex(found.shape[1:]):
            at = tuple(lo + i for lo, i in zip(first, place))
            found[(slice(None), *place)] = mapping(at, *extra_arguments, **(extra_keywords or {}))
        return found

    return ndimage.map_coordinates(x, _computed(coordinates, float, compute), output, order, mode, cval, prefilter)


def generic_gradient_magnitude(input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(),
                               extra_keywords=None, *, axes=None):  # fmt: skip
    """scipy.ndimage.generic_gradient_magnitude, of derivative(input, axis, output, mode, cval), whose output is the
    result's dtype.  Collective."""
    parts = _derivatives(input, derivative, output, mode, cval, axes, extra_arguments, extra_keywords)
    if not parts:
        return as_output(names.copy(as_array(input)), output)
    return as_output(names.astype(names.sqrt(sum(part * part for part in parts)), parts[0].dtype), output)


def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None,
                    *, axes=None):  # fmt: skip
    """scipy.ndimage.generic_laplace, of derivative2(input, axis, output, mode, cval), whose output is the result's
    dtype.  Collective."""
    parts = _derivatives(input, derivative2, output, mode, cval, axes, extra_arguments, extra_keywords)
    return as_output(names.astype(sum(parts), parts[0].dtype) if parts else names.copy(as_array(input)), output)


def _derivatives(input, function, output, mode, cval, axes, arguments, keywords):
    x = as_array(input)
    dtype = dtype_of_output(x, output)
    axes = range(x.ndim) if axes is None else np.atleast_1d(axes).tolist()
    modes = [mode] * len(axes) if isinstance(mode, str) else mode
    return [function(x, axis, dtype, m, cval, *arguments, **(keywords or {})) for axis, m in zip(axes, modes)]
