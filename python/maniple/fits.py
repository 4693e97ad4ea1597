# SPDX-License-Identifier: BSD-3-Clause
"""Images in FITS files: fits.read("sky.fits"), fits.read("sky.fits:SCI[0, ::2]")."""

from ._array import made
from ._names import finished
from .h5 import _selection
from .tiff import _name

__all__ = ["read"]


def read(place, layout=None):
    """An image, FILE or FILE:HDU, or the part of it that subscripts select.  HDU is a number from 0 on, an EXTNAME, or
    an EXTNAME and an EXTVER, "SCI,2"; without it, the first one with an image.  Collective."""
    file, hdu, subscripts = _name(place)
    return made("fits_read", file, hdu, _selection(subscripts), layout)


__dir__ = finished(globals(), "maniple.fits")
