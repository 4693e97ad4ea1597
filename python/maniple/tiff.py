# SPDX-License-Identifier: BSD-3-Clause
"""Images in TIFF files: tiff.read("cells.tif"), tiff.read("cells.tif:3[::2, 100:200]"), tiff.write("out.tif", x)."""

from . import _array
from ._library import call, constant, struct
from ._names import finished
from .h5 import _selection

__all__ = ["read", "write"]


_ENDINGS = (".tif", ".tiff", ".fits", ".fit", ".fts")


def _name(place):
    """FILE[:PART][SUBSCRIPTS] as its parts; a name that ends as an image's is a file, also one with colons."""
    subscripts = None
    if place.endswith("]") and "[" in place:
        place, _, subscripts = place[:-1].partition("[")
    file, colon, part = place.rpartition(":")
    if not colon or "/" in part or part.lower().endswith(_ENDINGS):
        file, part = place, None
    return file, part, subscripts


def read(place, layout=None):
    """An image, FILE or FILE:PAGE, or the part of it that subscripts select: rows, columns, and the samples of a pixel
    if there are several; before them the pages, if there are several and none is named.  Collective."""
    file, page, subscripts = _name(place)
    if page is not None and not (page.isascii() and page.isdigit()):
        raise ValueError(f"the page {page!r} is not a number, from 0 on")
    number = constant("TIFF_ALL_PAGES") if page is None else int(page)
    return _array.read("tiff_read", file, number, _selection(subscripts), layout=layout)


def write(file, x, samples=None, bigtiff=False):
    """Write an array as the pages of a file: rows and columns, before them pages, after them the samples of a pixel.

    samples: whether the last dimension is that; None: if it has 3 or 4 indices, and x at least three dimensions of
    uint8 or uint16.  bigtiff: write a BigTIFF file also where 4 GiB are enough.  The file appears, or is replaced, when
    all of it is written.  Collective."""
    last = constant("TIFF_LAST_AUTO" if samples is None else "TIFF_LAST_SAMPLES" if samples else "TIFF_LAST_COLUMNS")
    call("tiff_write", x, file, struct("tiff_write_options")(last, bigtiff))


__dir__ = finished(globals(), "maniple.tiff")
