# SPDX-License-Identifier: BSD-3-Clause
"""Images in FITS files: fits.read("sky.fits"), fits.read("sky.fits:SCI[0, ::2]"), fits.write("out.fits", x)."""

from . import _array
from ._library import call
from ._names import finished
from .h5 import _selection
from .tiff import _name

__all__ = ["read", "write"]


def read(place, layout=None):
    """An image, FILE or FILE:HDU, or the part of it that subscripts select.  HDU is a number from 0 on, an EXTNAME, or
    an EXTNAME and an EXTVER, "SCI,2"; without it, the first one with an image.  Collective."""
    file, hdu, subscripts = _name(place)
    return _array.read("fits_read", file, hdu, _selection(subscripts), layout=layout)


def write(place, x):
    """Write an array as the primary array of a new FILE, or as the image extension FILE:NAME, which is replaced in a
    file that has it and otherwise added.  The file appears, or is replaced, when all of it is written.  Collective."""
    file, hdu, subscripts = _name(place)
    if subscripts is not None:
        raise ValueError("fits.write() writes whole images")
    call("fits_write", x, file, hdu)


__dir__ = finished(globals(), "maniple.fits")
