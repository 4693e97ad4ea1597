# SPDX-License-Identifier: BSD-3-Clause
"""Layouts, which say what rank owns which elements of an array, and which rank this is."""

import ctypes
import functools
import operator

import numpy as np

from . import _library
from ._library import call, context, lib, vector


class Layout(_library.Owned):
    """Which rank owns which elements of arrays of a shape.

    Layout((1000, 80), "0, *") cuts rows among all ranks, "*, 0" columns, "0, 1" both, "*, *" nothing: every rank has
    all; "0, 1 on 2 x 3" names the mesh, "0(32), *" deals rows out in blocks of 32.  Without a text it is the layout
    that Maniple gives to new arrays.  layout.cuts(axis) and layout.box(rank) tell what came of it."""

    __slots__ = ("_handle",)
    _kind = "mnp_layout"

    def __init__(self, shape, text=None):
        cell, shape = ctypes.c_void_p(), as_shape(shape)
        if text is None:
            call("layout_block", nranks(), len(shape), shape, ctypes.byref(cell))
        else:
            call("layout_parse", len(shape), shape, text, ctypes.byref(cell))
        self._own(cell.value, "layout_free")

    @classmethod
    def _adopt(cls, handle):
        made = cls.__new__(cls)
        made._own(handle, "layout_free")
        return made

    @classmethod
    def cut(cls, shape, axis, cuts):
        """Rank r has the indices from cuts[r] up to cuts[r + 1] along an axis, and all of the others."""
        cell, shape = ctypes.c_void_p(), as_shape(shape)
        axis = range(len(shape))[axis]
        rows = (ctypes.c_void_p * max(len(shape), 1))()
        own = vector("int64_t", cuts)
        rows[axis] = ctypes.addressof(own)
        call(
            "layout_new",
            1,
            [nranks()],
            len(shape),
            shape,
            [0 if d == axis else -1 for d in range(len(shape))],
            rows,
            ctypes.byref(cell),
        )
        return cls._adopt(cell.value)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def ndim(self):
        """How many dimensions the arrays have.  Not collective, like all of a layout."""
        return lib.mnp_layout_ndim(self._handle)

    @property
    def shape(self):
        """The shape of the arrays."""
        return tuple_at(lib.mnp_layout_shape(self._handle), self.ndim)

    def cuts(self, axis):
        """Where the parts of an axis begin, and where the last one ends."""
        axis = range(self.ndim)[axis]
        return tuple_at(lib.mnp_layout_cuts(self._handle, axis), lib.mnp_layout_parts(self._handle, axis) + 1)

    def box(self, rank):
        """The slices of what that rank owns."""
        lo, extent = (ctypes.c_int64 * 8)(), (ctypes.c_int64 * 8)()
        lib.mnp_layout_box(self._handle, rank, lo, extent)
        return tuple(slice(lo[d], lo[d] + extent[d]) for d in range(self.ndim))

    def _local_shape(self, rank):
        """How many indices of each axis that rank has."""
        extent = (ctypes.c_int64 * 8)()
        lib.mnp_layout_local_shape(self._handle, rank, extent)
        return tuple(extent[: self.ndim])

    def _places(self, rank):
        """What takes a rank's elements out of an array of NumPy's: slices, or if they are dealt out, indices."""
        if not lib.mnp_layout_is_cyclic(self._handle):
            return self.box(rank)
        return np.ix_(*[
            [lib.mnp_layout_global(self._handle, d, rank, i) for i in range(n)]
            for d, n in enumerate(self._local_shape(rank))
        ])

    def owner(self, index):
        """The lowest rank that owns an element."""
        index = as_shape(index)
        if len(index) != self.ndim:
            raise ValueError(f"{len(index)} indices name no element of {self.ndim} dimensions")
        return lib.mnp_layout_owner(self._handle, vector("int64_t", index))

    def __eq__(self, other):
        return isinstance(other, Layout) and bool(lib.mnp_layout_equal(self._handle, other._handle))

    __hash__ = None

    def __repr__(self):
        ranks = lib.mnp_layout_nranks(self._handle)
        boxes = ["[" + ", ".join(f"{s.start}:{s.stop}" for s in self.box(r)) + "]" for r in range(min(ranks, 4))]
        return f"<layout of {self.shape}: {', '.join(f'rank {r} {b}' for r, b in enumerate(boxes))}" + (
            ", ...>" if ranks > 4 else ">"
        )


def tuple_at(address, count):
    return tuple((ctypes.c_int64 * count).from_address(address)) if count else ()


def as_shape(shape):
    if type(shape) is int:
        return (shape,)
    try:
        if type(shape) is tuple:
            return tuple(map(operator.index, shape))
        return tuple(map(operator.index, shape)) if np.iterable(shape) else (operator.index(shape),)
    except TypeError:
        raise TypeError(f"{shape!r} is no shape: a shape is an integer, or a tuple of integers") from None


@functools.lru_cache(maxsize=256)
def extents_of(shape, name):
    """A shape that as_shape() gave as an array of C, for the function of that name."""
    return vector("int64_t", shape, f"{name}: shape")


def layout_of(layout, shape):
    """A layout that may be given as a text, as "0, *"; None stays None."""
    return Layout(shape, layout) if isinstance(layout, str) else layout


def rank():
    """This rank's number, from 0 on."""
    return lib.mnp_ctx_rank(context())


def nranks():
    """The number of ranks."""
    return lib.mnp_ctx_size(context())
