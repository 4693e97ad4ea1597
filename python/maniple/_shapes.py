# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's views, and its functions that join, split and move."""

import builtins
import ctypes
import math

import numpy as np

from ._array import as_array, into, made, ndarray
from ._layout import as_shape
from ._library import call, constant
from ._names import (axes_of, axis_of, axis_within, element_of, list_of, listed, names, number_of, public, public_names,
                     view, with_a_line)
from .comm import allreduce


@public
def reshape(a, shape, order="C", copy=None):
    """numpy.reshape: a view where one rank's part allows it, else a copy.  The orders A and K are C.  Collective."""
    a, shape = as_array(a), as_shape(shape)
    if _is_in_columns(order):
        return transpose(reshape(transpose(a), shape[::-1], copy=copy))
    found = view("reshape", a, len(shape), shape)
    if copy:
        return names.copy(found)
    if copy is False and a.size and not allreduce(int(may_share_memory(a, found)), "max"):
        raise ValueError(f"reshape: only a copy of this array of shape {a.shape} can have the shape {shape}")
    return found


@public
def ravel(a, order="C"):
    """numpy.ravel, where the orders A and K are C.  Collective."""
    return view("ravel", transpose(a) if _is_in_columns(order) else a)


def _is_in_columns(order):
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order is {order!r}, which is none of 'C', 'F', 'A' and 'K'")
    return order == "F"


@public
def transpose(a, axes=None):
    a = as_array(a)
    if axes is not None and len(axes) != a.ndim:
        raise ValueError(f"transpose: there are {len(axes)} axes for {a.ndim} dimensions")
    return view("transpose", a, None if axes is None else list(axes))


public_names["permute_dims"] = transpose


@public
def matrix_transpose(x):
    return swapaxes(x, -1, -2)


@public
def swapaxes(a, axis1, axis2):
    return view("swapaxes", a, axis1, axis2)


@public
def moveaxis(a, source, destination):
    source, destination = axes_of(source), axes_of(destination)
    if len(source) != len(destination):
        raise ValueError(f"moveaxis: there are {len(source)} sources and {len(destination)} destinations")
    return view("moveaxes", a, len(source), source, destination)


@public
def rollaxis(a, axis, start=0):
    axis, start = axis_within("rollaxis", axis, a.ndim), start + a.ndim if start < 0 else start
    return moveaxis(a, axis, start - (axis < start))


@public
def squeeze(a, axis=None):
    axes = axes_of(axis)
    if axes in ([0], [-1]) and np.ndim(a) == 0:
        axes = None
    return view("squeeze", a, len(axes or []), axes)


@public
def expand_dims(a, axis):
    return view("expand_dims", a, len(axes_of(axis)), axes_of(axis))


def _atleast(ndim):
    def atleast(*arrays):
        found = tuple(view(f"atleast_{ndim}d", a) for a in arrays)
        return found[0] if len(found) == 1 else found

    atleast.__name__ = f"atleast_{ndim}d"
    return public(atleast)


for _n in (1, 2, 3):
    _atleast(_n)


@public
def broadcast_to(array, shape):
    shape = as_shape(shape)
    return view("broadcast_to", array, len(shape), shape)


@public
def broadcast_shapes(*shapes):
    """numpy.broadcast_shapes.  Not collective."""
    return np.broadcast_shapes(*shapes)


@public
def broadcast_arrays(*arrays):
    """numpy.broadcast_arrays: views, of which those that repeat elements are read-only."""
    arrays = [as_array(a) for a in arrays]
    if not arrays:
        return ()
    views = (ctypes.c_void_p * len(arrays))()
    call("broadcast_arrays", list_of(arrays), len(arrays), views)
    return tuple(ndarray._adopt(view, a._base) for view, a in zip(views, arrays))


@public
def sliding_window_view(x, window_shape, axis=None, *, writeable=False):
    """numpy.lib.stride_tricks.sliding_window_view: a read-only view, along axes that are cut one of a copy of x, which
    later changes of x do not change.  Collective."""
    if writeable:
        raise ValueError("windows share elements, and cannot be written to")
    window, axes = as_shape(window_shape), axes_of(axis)
    if axes is not None and len(axes) != len(window):
        raise ValueError(f"sliding_window_view: there are {len(axes)} axes for windows of {len(window)} dimensions")
    return view("sliding_window_view", x, len(window), window, axes)


@public
def flip(m, axis=None):
    axes = axes_of(axis)
    return view("flip", m, len(axes or []), axes)


@public
def fliplr(m):
    return flip(m, 1)


@public
def flipud(m):
    return flip(m, 0)


@public
def rot90(m, k=1, axes=(0, 1)):
    return view("rot90", m, k, *axes)


@public
def real(val):
    return view("real", val)


@public
def imag(val):
    return view("imag", val)


@public
def shape(a):
    """The shape of an array.  Not collective."""
    return as_array(a).shape


@public
def ndim(a):
    """The number of dimensions of an array.  Not collective."""
    return as_array(a).ndim


@public
def size(a, axis=None):
    """The number of elements of an array, or those along an axis or several.  Not collective."""
    a = as_array(a)
    return a.size if axis is None else math.prod(a.shape[axis_within("size", d, a.ndim)] for d in axes_of(axis))


@public
def may_share_memory(a, b, max_work=None):
    """Whether two arrays may have memory in common, as views of one have; max_work changes nothing.  Not collective."""
    return call("may_share_memory", a, b)


public_names["shares_memory"] = may_share_memory


# ---- joining, splitting, moving ----


def _cast(arrays, dtype, casting):
    """Arrays that are joined, of a dtype that they are cast to, if there is one."""
    arrays = [as_array(a) for a in arrays]
    if dtype is None:
        return arrays
    for a in arrays:
        if not np.can_cast(a.dtype, dtype, casting):
            raise TypeError(f"{a.dtype} cannot be cast to {np.dtype(dtype)} by the rule {casting!r}")
    return [names.astype(a, dtype) for a in arrays]


@public
def concatenate(arrays, axis=0, out=None, dtype=None, casting="same_kind"):
    arrays = _cast(arrays, dtype, casting)
    return into("concatenate", list_of(arrays), len(arrays), axis_of(axis), out=out)


public_names["concat"] = concatenate


@public
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays = _cast(arrays, dtype, casting)
    return into("stack", list_of(arrays), len(arrays), axis, out=out)


def _stacker(name):
    def stacker(tup, *, dtype=None, casting="same_kind"):
        arrays = _cast(tup, dtype, casting)
        return made(name, list_of(arrays), len(arrays))

    def plain(tup):
        return stacker(tup)

    function = stacker if name in ("vstack", "hstack") else plain
    function.__name__ = function.__qualname__ = name
    return public(function)


for _n in ("vstack", "hstack", "dstack", "column_stack"):
    _stacker(_n)


@public
def block(arrays):
    """numpy.block: nested lists of arrays, the innermost of which are joined along the last axis.  Collective."""

    def depth(nested):
        return 1 + builtins.max(map(depth, nested)) if isinstance(nested, list) and nested else 0

    def widest(nested):
        return builtins.max(map(widest, nested)) if isinstance(nested, list) else as_array(nested).ndim

    def join(nested, level):
        if not isinstance(nested, list):
            x = as_array(nested)
            return reshape(x, (1,) * (ndim - x.ndim) + x.shape)
        return concatenate([join(part, level - 1) for part in nested], axis=-level)

    levels = depth(arrays)
    ndim = builtins.max(levels, widest(arrays))
    return join(arrays, levels)


@public
def trim_zeros(filt, trim="fb", axis=None):
    """numpy.trim_zeros: along an axis, or several, or all.  Waits.  Collective."""
    x, trim = as_array(filt), trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: trim is {trim!r}, and none of fb, f and b")
    kept = [slice(None)] * x.ndim
    for d in range(x.ndim) if axis is None else (axis_within("trim_zeros", d, x.ndim) for d in axes_of(axis)):
        places = names.flatnonzero(names.any(x != 0, tuple(other for other in range(x.ndim) if other != d)))
        if not places.size:
            kept[d] = slice(0, 0)
        else:
            kept[d] = slice(int(places[0]) if "f" in trim else 0, int(places[-1]) + 1 if "b" in trim else None)
    return x[tuple(kept)] if kept else x


@public
def append(arr, values, axis=None):
    return made("append", as_array(arr), as_array(values), axis_of(axis))


@public
def insert(arr, obj, values, axis=None):
    """numpy.insert, before an index, or before the indices of a slice, a list, an array or a mask.  Collective."""
    arr, axis = (ravel(as_array(arr)), 0) if axis is None else (as_array(arr), axis)
    values = as_array(values)
    one = isinstance(obj, (int, np.integer))
    if not one:
        obj = as_array(np.arange(*obj.indices(arr.shape[axis])) if isinstance(obj, slice) else obj)
        obj = names.flatnonzero(obj) if obj.dtype == bool else obj if obj.size else names.astype(obj, "int64")
        if obj.size != 1 or obj.ndim > 1:
            return made("insert_each", arr, obj, values, axis)
    values = reshape(values, (1,) * (arr.ndim - values.ndim) + values.shape)
    if one or obj.ndim == 0:  # NumPy takes the first axis of the values as the axis
        values = moveaxis(values, 0, axis)
    return made("insert", arr, int(obj), values, axis)


@public
def delete(arr, obj, axis=None):
    """numpy.delete of an index, a slice, or of indices or bools in a list or an array.  Collective."""
    arr, axis = (ravel(as_array(arr)), 0) if axis is None else (as_array(arr), axis)
    count = arr.shape[axis]
    if isinstance(obj, (int, np.integer)):
        start = range(count)[obj]
        return made("delete", arr, start, start + 1, axis)
    if isinstance(obj, slice) and obj.indices(count)[2] == 1:
        return made("delete", arr, *obj.indices(count)[:2], axis)
    kept = names.ones(count, bool) if isinstance(obj, ndarray) else np.ones(count, bool)
    kept[obj if isinstance(obj, (slice, ndarray)) else np.asarray(obj, None if np.size(obj) else int)] = False
    return names.compress(kept, arr, axis)


def _parts(name, x, count, *arguments):
    x, parts = as_array(x) if isinstance(x, (list, tuple)) else x, (ctypes.c_void_p * count)()
    call(name, x, *arguments, parts)
    return [ndarray._adopt(parts[i], x._base) for i in range(count)]


@public
def split(ary, indices_or_sections, axis=0):
    indices_or_sections = number_of(indices_or_sections)
    if isinstance(indices_or_sections, (int, np.integer)):
        return _parts("split", ary, int(indices_or_sections), int(indices_or_sections), axis)
    cuts = list(indices_or_sections)
    return _parts("split_at", ary, len(cuts) + 1, len(cuts), cuts, axis)


@public
def array_split(ary, indices_or_sections, axis=0):
    indices_or_sections = number_of(indices_or_sections)
    if isinstance(indices_or_sections, (int, np.integer)):
        return _parts("array_split", ary, int(indices_or_sections), int(indices_or_sections), axis)
    return split(ary, indices_or_sections, axis)


def _splitter(name, least, axis_of_array):
    def splitter(ary, indices_or_sections):
        if ary.ndim < least:
            raise ValueError(f"{name}: the array has {ary.ndim} dimensions, and {least} are needed at least")
        return split(ary, indices_or_sections, axis_of_array(ary))

    splitter.__name__ = splitter.__qualname__ = name
    return public(splitter)


_splitter("vsplit", 2, lambda x: 0)
_splitter("hsplit", 1, lambda x: 1 if x.ndim > 1 else 0)
_splitter("dsplit", 3, lambda x: 2)


@public
class broadcast:  # noqa: N801
    """numpy.broadcast: the shape that operands have together, and in `values` views of them in that shape.
    Collective."""

    def __init__(self, *args):
        self.values = tuple(broadcast_arrays(*map(as_array, args)))
        self.numiter, self.shape = len(args), self.values[0].shape if args else ()
        self.nd = self.ndim = len(self.shape)
        self.size = math.prod(self.shape)


@public
def ix_(*args):
    """numpy.ix_: vectors as views of as many dimensions as there are vectors, of which masks become indices.
    Collective."""
    vectors = [as_array(a) for a in args]
    if any(x.ndim != 1 for x in vectors):
        raise ValueError("ix_() takes vectors")
    vectors = [names.flatnonzero(x) if x.dtype == bool else x for x in vectors]
    return tuple(reshape(x, (1,) * d + (-1,) + (1,) * (len(vectors) - d - 1)) for d, x in enumerate(vectors))


def _contiguous(name):
    def contiguous(a, dtype=None):
        a = names.atleast_1d(as_array(a))
        return made(name, a if dtype is None else names.astype(a, dtype))

    contiguous.__name__ = contiguous.__qualname__ = name
    return public(contiguous)


for _n in ("ascontiguousarray", "asfortranarray"):
    _contiguous(_n)


@public
def unstack(x, axis=0):
    """numpy.unstack: the parts of an array along an axis, as a tuple of views.  Not collective."""
    x = as_array(x)
    return tuple(_parts("unstack", x, x.shape[axis], x.shape[axis], axis))


@public
def resize(a, new_shape):
    """numpy.resize: the elements again and again, or some of them, in a new shape.  Collective."""
    a, shape = ravel(as_array(a)), as_shape(new_shape)
    if any(extent < 0 for extent in shape):
        raise ValueError(f"resize: the shape {shape} has a negative extent")
    count = math.prod(shape)
    if not a.size or not count:
        return names.zeros(shape, a.dtype)
    return reshape(tile(a, -(-count // a.size))[:count], shape)


_boundaries = {"constant": "FILL", "edge": "NEAREST", "wrap": "WRAP", "reflect": "MIRROR", "symmetric": "SYMM"}
_STATISTICS = {"maximum": "max", "mean": "mean", "median": "median", "minimum": "min"}


def _pairs_of(pad_width, ndim):
    if isinstance(pad_width, dict):  # by axes; the others are left as they are
        pairs = np.zeros((ndim, 2), np.int64)
        for axis, width in pad_width.items():
            pairs[axis_within("pad", axis, ndim)] = width
        return pairs
    try:
        return np.broadcast_to(np.asarray(pad_width), (ndim, 2))
    except ValueError:
        raise ValueError(f"pad: pad_width is {pad_width!r}, and must be a pair for each of {ndim} dimensions") from None


@public
def pad(array, pad_width, mode="constant", constant_values=0, stat_length=None, end_values=0):
    """numpy.pad, where the modes reflect and symmetric are even, and mode is no function.  Collective."""
    x = as_array(array)
    widths = [pad_width] * (2 * x.ndim) if type(pad_width) is int else _pairs_of(pad_width, x.ndim).ravel().tolist()
    if mode == "linear_ramp":
        return _padded(x, widths, _ramps(end_values))
    if mode in _STATISTICS:
        return _padded(x, widths, _statistics(getattr(names, _STATISTICS[mode]), stat_length))
    mode = "constant" if mode == "empty" else mode
    if mode not in _boundaries:
        modes = ", ".join([*_boundaries, "empty", "linear_ramp", *_STATISTICS])
        raise ValueError(f"pad() has the modes {modes}, not {mode!r}")
    if mode != "constant" or (type(constant_values) is int and constant_values == 0):
        return made("pad", x, widths, constant("BOUNDARY_" + _boundaries[mode]), None)
    if np.ndim(constant_values):
        values = np.ascontiguousarray(np.broadcast_to(np.asarray(constant_values), (x.ndim, 2)).astype(x.dtype))
        return made("pad_constant", x, widths, values.ctypes.data)
    value = element_of(constant_values, x.dtype)
    return made("pad", x, widths, constant("BOUNDARY_FILL"), value.ctypes.data)


def _padded(x, widths, margins):
    """An array with margins along one axis after the other.  They come from a function of the array, with that axis in
    front, of another one that picks the two values of the axis, and of the two widths."""
    pairs = np.reshape(widths, (-1, 2))
    if (pairs < 0).any():
        raise ValueError(f"pad: a width is {pairs.min()}, below 0")
    for axis, (before, after) in enumerate(pairs.tolist()):
        line = moveaxis(x, axis, 0)
        first, last = margins(line, lambda given: np.broadcast_to(given, pairs.shape)[axis].tolist(), before, after)  # noqa: B023
        x = moveaxis(concatenate([first, line, last]), 0, axis)
    return x


def _rounded(values, dtype):
    return names.astype(names.rint(values) if dtype.kind in "iu" else values, dtype)


def _statistics(statistic, stat_length):
    def margins(line, picked, before, after):
        first, last = picked(line.shape[0] if stat_length is None else stat_length)
        parts = line[:first], line[line.shape[0] - builtins.min(last, line.shape[0]) :]
        return [broadcast_to(_rounded(statistic(part, axis=0, keepdims=True), line.dtype), (n, *line.shape[1:]))
                for part, n in zip(parts, (before, after))]

    return margins


def _ramps(end_values):
    def margins(line, picked, before, after):
        found = []
        for edge, end, n in zip((line[:1], line[-1:]), picked(end_values), (before, after)):
            steps = reshape(names.arange(n) / builtins.max(n, 1), (n,) + (1,) * (line.ndim - 1))
            ramp = end + (edge - end) * steps
            found.append(names.astype(names.floor(ramp) if line.dtype.kind in "iu" else ramp, line.dtype))
        return found[0], flip(found[1], 0)

    return margins


@public
def roll(a, shift, axis=None):
    shifts = listed(shift)
    axes = axes_of(axis)
    if axes is not None and len(axes) != len(shifts):
        count = builtins.max(len(axes), len(shifts))
        axes, shifts = (axes * count)[:count], (shifts * count)[:count]
    return made("roll", as_array(a), len(shifts), shifts, axes)


@public
def tile(A, reps):  # noqa: N803
    reps = as_shape(reps)
    return made("tile", as_array(A), len(reps), reps)


@public
def repeat(a, repeats, axis=None):
    if isinstance(repeats, (int, np.integer)):
        return made("repeat", with_a_line(a, axis), int(repeats), axis_of(axis))
    return made("repeat_each", with_a_line(a, axis), as_array(repeats), axis_of(axis))


# ---- bits ----


def _bits_of(bitorder):
    """By how much the bits of a byte are shifted, in that order."""
    if bitorder not in ("big", "little"):
        raise ValueError(f"bitorder is {bitorder!r}, and neither 'big' nor 'little'")
    return as_array(np.arange(8, dtype=np.uint8)[:: -1 if bitorder == "big" else 1])


@public
def packbits(a, axis=None, bitorder="big"):
    a = as_array(a)
    if a.dtype.kind not in "biu":
        raise TypeError(f"packbits() takes bools and integers, not {a.dtype}")
    a, axis = (ravel(a), 0) if axis is None else (a, axis)
    bits = moveaxis(a != 0, axis, -1)
    bits = pad(bits, [(0, 0)] * (a.ndim - 1) + [(0, -bits.shape[-1] % 8)])
    bits = reshape(bits, (*bits.shape[:-1], bits.shape[-1] // 8, 8))
    return moveaxis(names.sum(names.left_shift(names.astype(bits, "uint8"), _bits_of(bitorder)), -1, dtype="uint8"), -1, axis)


@public
def unpackbits(a, axis=None, count=None, bitorder="big"):
    a = as_array(a)
    if a.dtype != np.uint8:
        raise TypeError(f"unpackbits() takes uint8, not {a.dtype}")
    a, axis = (ravel(a), 0) if axis is None else (a, axis)
    whole = moveaxis(a, axis, -1)
    bits = reshape((whole[..., None] >> _bits_of(bitorder)) & 1, (*whole.shape[:-1], 8 * whole.shape[-1]))
    many = bits.shape[-1]
    if count is not None and count < -many:
        raise ValueError(f"unpackbits: count is {count}, and there are {many} bits")
    if count is not None and count > many:
        bits = pad(bits, [(0, 0)] * (a.ndim - 1) + [(0, count - many)])
    return moveaxis(bits[..., :count], -1, axis)
