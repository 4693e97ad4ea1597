# SPDX-License-Identifier: BSD-3-Clause
"""Layouts by name: layouts.rows((1000, 80)), layouts.replicated(shape), layouts.cyclic((n, n), 64).  A Layout says what
came of it: layout.cuts(axis), layout.box(rank), layout.owner(index).  Nothing here is collective."""

import ctypes

from ._layout import Layout, as_shape, nranks
from ._library import call
from ._names import finished

__all__ = ["block", "columns", "cut", "cyclic", "like", "on_root", "parse", "replicated", "rows"]


def _made(name, *arguments):
    cell = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(cell))
    return Layout._adopt(cell.value)


def block(shape):
    """The layout of new arrays: blocks of nearly equal extents."""
    return Layout(shape)


def parse(shape, text):
    """The layout that a text describes, as Layout(shape, text): "0, *", "0, 1 on 2 x 3", "0(32), *"."""
    return Layout(shape, text)


def _one_axis(shape, axis, part="0"):
    shape = as_shape(shape)
    axis = range(len(shape))[axis]
    return Layout(shape, ", ".join(part if d == axis else "*" for d in range(len(shape))))


def rows(shape):
    """The first axis is cut among all ranks."""
    return _one_axis(shape, 0)


def columns(shape):
    """The last axis is cut among all ranks."""
    return _one_axis(shape, -1)


def cut(shape, axis, cuts=None):
    """One axis is cut among all ranks: equally, or rank r has the indices from cuts[r] up to cuts[r + 1]."""
    return _one_axis(shape, axis) if cuts is None else Layout.cut(shape, axis, cuts)


def cyclic(shape, block, axes=None):
    """Blocks of that extent are dealt out along these axes, without `axes` along all, as ScaLAPACK has them."""
    shape = as_shape(shape)
    ndim = len(shape)
    cut_axes = list(range(ndim)) if axes is None else [range(ndim)[axis] for axis in axes]
    parts = [f"{cut_axes.index(d)}({int(block)})" if d in cut_axes else "*" for d in range(ndim)]
    return Layout(shape, ", ".join(parts))


def replicated(shape):
    """Every rank has all elements."""
    shape = as_shape(shape)
    return _made("layout_replicated", nranks(), len(shape), shape)


def on_root(shape, root=0):
    """One rank has all elements, the others none."""
    shape = as_shape(shape)
    return _made("layout_on_root", nranks(), root, len(shape), shape)


def like(layout, shape):
    """The layout of another shape of as many dimensions, cut in the same way."""
    shape = as_shape(shape)
    if len(shape) != layout.ndim:
        raise ValueError(f"the layout has {layout.ndim} dimensions, and the shape {len(shape)}")
    return _made("layout_like", layout, shape)


__dir__ = finished(globals(), "maniple.layouts")
