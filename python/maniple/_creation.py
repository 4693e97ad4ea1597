# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that make arrays."""

import builtins
import ctypes

import numpy as np

from . import _array, _layout
from ._array import as_array, into, made, ndarray, operand
from ._dtypes import dtype_number, numpy_dtypes
from ._layout import as_shape, extents_of
from ._library import call, chosen, constant
from ._names import element_of, list_of, names, number_of, on_device, public


@public
@on_device
def asarray(a, dtype=None, layout=None, copy=None):
    """An array of what every rank has: numbers, lists, NumPy's arrays.  Collective."""
    if not isinstance(a, ndarray):
        return _array.from_host(a, dtype, layout)
    if dtype is not None and a.dtype != np.dtype(dtype):
        a, copy = a.astype(dtype), False
    if layout is not None and a.layout != _layout.layout_of(layout, a.shape):
        a, copy = redistribute(a, layout), False
    return made("copy", a) if copy else a


@public
def array(a, dtype=None, layout=None, copy=True, ndmin=0):
    x = asarray(a, dtype, layout, copy)
    return x[(None,) * (ndmin - x.ndim)] if x.ndim < ndmin else x


@public
def asanyarray(a, dtype=None, *, copy=None):
    return asarray(a, dtype, copy=copy)


def _new(name, shape, dtype, layout, *more):
    shape, number = as_shape(shape), dtype_number(float if dtype is None else dtype)
    if layout is None:
        return made(name, number, len(shape), extents_of(shape, name), *more)
    cell = ctypes.c_void_p()
    call("array_new", number, _layout.layout_of(layout, shape), ctypes.byref(cell))
    x = ndarray._adopt(cell.value)
    if name != "empty":
        call("copyto", x, made(name, number, 0, (), *more), constant("CASTING_UNSAFE"))
    return x


@public
@on_device
def empty(shape, dtype=None, layout=None):
    return _new("empty", shape, dtype, layout)


@public
@on_device
def zeros(shape, dtype=None, layout=None):
    return _new("zeros", shape, dtype, layout)


@public
@on_device
def ones(shape, dtype=None, layout=None):
    return _new("ones", shape, dtype, layout)


@public
@on_device
def full(shape, fill_value, dtype=None, layout=None):
    if np.ndim(fill_value):
        values = as_array(fill_value)
        return _filled(empty(shape, values.dtype if dtype is None else dtype, layout), values)
    one = element_of(fill_value, np.asarray(fill_value).dtype if dtype is None else dtype)
    return _new("full", shape, one.dtype, layout, one.ctypes.data)


def _filled(x, values):
    call("copyto", x, values, constant("CASTING_UNSAFE"))
    return x


def _like(name, a, dtype, shape):
    """Of the shape and layout of an array, or of another shape, which has the layout of new arrays."""
    if shape is None:
        return made(name + "_like", a, dtype_number(dtype))
    return _new(name, shape, a.dtype if dtype is None else dtype, None)


@public
@on_device
def empty_like(prototype, dtype=None, shape=None):
    return _like("empty", prototype, dtype, shape)


@public
@on_device
def zeros_like(a, dtype=None, shape=None):
    return _like("zeros", a, dtype, shape)


@public
@on_device
def ones_like(a, dtype=None, shape=None):
    return _like("ones", a, dtype, shape)


@public
@on_device
def full_like(a, fill_value, dtype=None, shape=None):
    if np.ndim(fill_value):
        return _filled(empty_like(a, dtype, shape), as_array(fill_value))
    one = element_of(fill_value, a.dtype if dtype is None else dtype)
    if shape is not None:
        return _new("full", shape, one.dtype, None, one.ctypes.data)
    return made("full_like", a, dtype_number(dtype), one.ctypes.data)


@public
@on_device
def arange(start, stop=None, step=1, dtype=None):
    start, stop, step = map(number_of, (0, start, step) if stop is None else (start, stop, step))
    if all(isinstance(v, (int, np.integer)) for v in (start, stop, step)):
        start, stop, step = int(start), int(stop), int(step)
        kind, least, end = ("arange_int", -(2**63), 2**63) if max(start, stop) < 2**63 else ("arange_uint", 0, 2**64)
        if not (least <= min(start, stop) and max(start, stop) < end and -(2**63) <= step < 2**63):
            raise OverflowError(f"arange: {start}, {stop} and {step} do not fit integers of 64 bits together")
        return made(kind, start, stop, step, dtype_number(dtype))
    return made("arange", float(start), float(stop), float(step), dtype_number(dtype))


@public
@on_device
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    if np.ndim(start) or np.ndim(stop):
        lines = _lines(as_array(start), as_array(stop), num, endpoint, retstep, dtype)
        return (names.moveaxis(lines[0], 0, axis), lines[1]) if retstep else names.moveaxis(lines, 0, axis)
    cell, step, number = ctypes.c_void_p(), (ctypes.c_double * 2)(), dtype_number(dtype)
    arguments = num, bool(endpoint), number, step, ctypes.byref(cell)
    if np.iscomplexobj(start) or np.iscomplexobj(stop) or np.issubdtype(numpy_dtypes[number], np.complexfloating):
        ends = [[v.real, v.imag] for v in map(complex, (start, stop))]
        call("linspace_complex", *ends, *arguments)
        distance = complex(*step)
    else:
        call("linspace", float(start), float(stop), *arguments)
        distance = step[0]
    return (ndarray._adopt(cell.value), distance) if retstep else ndarray._adopt(cell.value)


def _lines(start, stop, num, endpoint, retstep, dtype):
    """linspace() between the elements of arrays, along a new first axis."""
    start, stop = (x if x.dtype.kind in "fc" else x.astype(float) for x in names.broadcast_arrays(start, stop))
    step = (stop - start) / builtins.max(num - bool(endpoint), 1)
    found = start + names.reshape(arange(num), (num,) + (1,) * start.ndim) * step
    if endpoint and num > 1:
        found[-1] = stop
    found = found if dtype is None else found.astype(dtype)
    return (found, step) if retstep else found


@public
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if any(np.ndim(v) or np.iscomplexobj(v) for v in (start, stop, base)):
        powers, base = linspace(start, stop, num, endpoint), as_array(base)
        powers = powers.reshape((powers.shape[0],) + (1,) * (base.ndim - powers.ndim + 1) + powers.shape[1:])
        powers = names.moveaxis(base**powers, 0, axis)
        return powers if dtype is None else names.astype(powers, dtype)
    return made("logspace", float(start), float(stop), num, bool(endpoint), float(base), dtype_number(dtype))


@public
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    if any(np.ndim(v) or np.iscomplexobj(v) for v in (start, stop)):
        return _spirals(as_array(start), as_array(stop), num, endpoint, dtype, axis)
    return made("geomspace", float(start), float(stop), num, bool(endpoint), dtype_number(dtype))


def _spirals(start, stop, num, endpoint, dtype, axis):
    """geomspace() between the elements of arrays, or complex numbers, along a new axis."""
    if bool(names.any((start == 0) | (stop == 0))):
        raise ValueError("geomspace: a geometric sequence has no zeros")
    start, stop = start * 1.0, stop * 1.0
    shares = linspace(0.0, 1.0, num, endpoint)
    shares = names.reshape(shares, (-1,) + (1,) * builtins.max(start.ndim, stop.ndim))
    lines = start * (stop / start) ** shares
    if endpoint and num > 1:
        lines[-1] = stop
    lines = names.moveaxis(lines, 0, axis)
    return lines if dtype is None else names.astype(lines, dtype)


@public
@on_device
def eye(N, M=None, k=0, dtype=float):  # noqa: N803
    return made("eye", dtype_number(dtype or float), N, N if M is None else M, k)


@public
def identity(n, dtype=float):
    return made("identity", dtype_number(dtype or float), n)


@public
def tri(N, M=None, k=0, dtype=float):  # noqa: N803
    return made("tri", dtype_number(dtype or float), N, N if M is None else M, k)


def _rows(m):
    """A matrix, of which a vector is every row."""
    m = as_array(m)
    return names.broadcast_to(m, (m.size, m.size)) if m.ndim == 1 else m


@public
def tril(m, k=0):
    return made("tril", _rows(m), k)


@public
def triu(m, k=0):
    return made("triu", _rows(m), k)


@public
def diag(v, k=0):
    return made("diag", as_array(v), k)


@public
def diagonal(a, offset=0, axis1=0, axis2=1):
    return made("diagonal", as_array(a), offset, axis1, axis2)


@public
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return names.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


@public
def tril_indices(n, k=0, m=None):
    return names.nonzero(tri(n, m, k, bool))


@public
def triu_indices(n, k=0, m=None):
    return names.nonzero(names.logical_not(tri(n, m, k - 1, bool)))


def _of_shape(name, indices_of, ndim):
    def of_array(arr, k=0):
        if arr.ndim != ndim:
            raise ValueError(f"{name}: the array has {arr.ndim} dimensions, not {ndim}")
        return indices_of(arr.shape[0], k, arr.shape[1])

    of_array.__name__ = of_array.__qualname__ = name
    return public(of_array)


_of_shape("tril_indices_from", tril_indices, 2)
_of_shape("triu_indices_from", triu_indices, 2)


@public
def diag_indices(n, ndim=2):
    return (arange(n),) * ndim


@public
def diag_indices_from(arr):
    if arr.ndim < 2 or len(set(arr.shape)) > 1:
        raise ValueError(f"diag_indices_from: the shape is {arr.shape}, not that of a square or a cube")
    return diag_indices(arr.shape[0], arr.ndim)


@public
def mask_indices(n, mask_func, k=0):
    return names.nonzero(mask_func(ones((n, n), int), k))


@public
def fill_diagonal(a, val, wrap=False):
    """numpy.fill_diagonal: a value, or values that are repeated; with wrap the diagonal of a tall matrix begins again
    behind its end.  Collective."""
    if a.ndim != 2:
        places = diag_indices_from(a)
    elif wrap:
        along = names.arange(0, a.size, a.shape[1] + 1)
        places = along // a.shape[1], along % a.shape[1]
    else:
        places = diag_indices(builtins.min(a.shape))
    if np.ndim(val):
        values = names.ravel(as_array(val))
        val = names.take(values, names.arange(places[0].size), mode="wrap")
    a[places] = val


@public
def meshgrid(*xi, indexing="xy", sparse=False, copy=True):
    grids = (ctypes.c_void_p * builtins.max(len(xi), 1))()
    vectors = [as_array(x) for x in xi]
    call("meshgrid", list_of(vectors), len(xi), chosen("indexing", indexing, "INDEXING_", ("xy", "ij")), bool(sparse), grids)
    return tuple(ndarray._adopt(grids[i]) for i in range(len(xi)))


@public
def indices(dimensions, dtype=int, sparse=False):
    shape = as_shape(dimensions)
    if sparse:
        return names.meshgrid(*[arange(n, dtype=dtype) for n in shape], indexing="ij", sparse=True)
    return made("indices", dtype_number(dtype), len(shape), shape)


@public
def fromfunction(function, shape, dtype=None):
    """An array of an expression of its indices, as "hypot(i0, i1)".  A callable gets the arrays of the indices."""
    shape = as_shape(shape)
    if isinstance(function, str):
        return made("fromfunction", function, dtype_number(dtype), len(shape), shape)
    grid = indices(shape, float if dtype is None else dtype)
    return function(*[grid[d] for d in range(len(shape))])


def _window(name, numpy_name=None):
    def window(M):  # noqa: N803: NumPy's name
        return made("get_window", name, 0, None, int(M), False)

    window.__name__ = window.__qualname__ = numpy_name or name
    return public(window)


for _n in (("bartlett",), ("blackman",), ("hamming",), ("hann", "hanning")):
    _window(*_n)


@public
def kaiser(M, beta):  # noqa: N803
    return made("get_window", "kaiser", 1, [float(beta)], int(M), False)


def _of_numpy(name):
    """What NumPy reads or makes on every rank, as an array."""

    def everywhere(*arguments, **named):
        return asarray(getattr(np, name)(*arguments, **named))

    everywhere.__name__ = everywhere.__qualname__ = name
    everywhere.__doc__ = f"An array of what numpy.{name} gives on every rank.  Collective."
    return public(everywhere)


for _n in ("frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "loadtxt"):
    _of_numpy(_n)


@public
def diagflat(v, k=0):
    return diag(names.ravel(as_array(v)), k)


@public
def copy(a):
    return made("copy", as_array(a))


@public
def asnumpy(a):
    """a.numpy(): the whole array as one of NumPy's, on every rank.  Collective."""
    return a.numpy() if isinstance(a, ndarray) else np.asarray(a)


@public
def get_array_module(*args):
    """cupy.get_array_module: maniple if one of the arguments is an array of Maniple, else numpy.  Not collective."""
    import maniple

    return maniple if any(isinstance(a, ndarray) for a in args) else np


@public
def copyto(dst, src, casting="same_kind", where=True):
    if where is not True:
        dst[where] = src[where] if isinstance(src, ndarray) and src.shape == dst.shape else src
        return
    call("copyto", dst, operand(src), chosen("casting", casting, "CASTING_", ("no", "equiv", "safe", "same_kind", "unsafe")))


@public
@on_device
def astype(x, dtype, copy=True, *, casting="unsafe"):
    if casting != "unsafe" and not np.can_cast(x.dtype, numpy_dtypes[dtype_number(dtype)], casting):
        raise TypeError(f"{x.dtype} cannot be cast to {np.dtype(dtype)} by the rule {casting!r}")
    if not copy and x.dtype == numpy_dtypes[dtype_number(dtype)]:
        return x
    return made("astype", x, dtype_number(dtype))


@public
def redistribute(x, layout, out=None):
    """x in another layout, or a text of one.  Collective."""
    return into("redistribute", x, _layout.layout_of(layout, x.shape), out=out)


@public
def replicate(x):
    """A copy that every rank has whole.  Collective."""
    return made("replicate", x)


# ---- by subscripts ----


def _line(item):
    """start:stop:step as a vector; a step such as 5j is a number of elements, the last of which is the end."""
    start, step = item.start or 0, 1 if item.step is None else item.step
    return linspace(start, item.stop, int(abs(step))) if isinstance(step, complex) else arange(start, item.stop, step)


class _Grid:
    """numpy.mgrid and ogrid: the indices of a grid, of the slices that are given.  Collective."""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        if not isinstance(key, tuple):
            return _line(key)
        lines = [_line(item) for item in key]
        kind = np.result_type(*[x.dtype for x in lines])
        grids = meshgrid(*[names.astype(x, kind) for x in lines], indexing="ij", sparse=self._sparse)
        return tuple(grids) if self._sparse else names.stack(grids)


class _Joined:
    """numpy.r_ and c_: slices, numbers and arrays, joined along the first axis, or as columns.  Collective."""

    def __init__(self, columns):
        self._columns = columns

    def __getitem__(self, key):
        items = key if isinstance(key, tuple) else (key,)
        if any(isinstance(item, str) for item in items):
            raise TypeError("r_ and c_ take slices, numbers and arrays: maniple.concatenate() has an axis")
        arrays = [names.atleast_1d(_line(item) if isinstance(item, slice) else as_array(item)) for item in items]
        return (names.column_stack if self._columns else names.concatenate)(arrays)


mgrid, ogrid, r_, c_ = _Grid(False), _Grid(True), _Joined(False), _Joined(True)
