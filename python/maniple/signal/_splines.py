# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's splines and its symmetric filters with feedback.

All of them see a signal that is reflected at its ends, d c b a | a b c d | d c b a, without end.  A filter with
feedback runs forward and backward over the signal with so much of the reflection that the rest is below rounding errors
(M. Unser, A. Aldroubi and M. Eden, B-Spline Signal Processing, 1993); SciPy's sums for the same stop at the end of the
signal, which shows in signals of a few samples."""

import math

import numpy as np

from .._array import as_array
from .._names import names
from ._filters import lfilter

__all__ = """cspline1d cspline1d_eval cspline2d gauss_spline qspline1d qspline1d_eval qspline2d spline_filter
    symiirorder1 symiirorder2""".split()


def _floating(name, signal, ndim):
    x = as_array(signal)
    if x.ndim != ndim or x.size == 0:
        raise ValueError(f"{name}: the signal has the shape {x.shape}, and should have {ndim} dimensions, none empty")
    return x if x.dtype.kind in "fc" else x.astype(float)


def _double(name, signal):
    x = _floating(name, signal, 1)
    return x.astype(complex if x.dtype.kind == "c" else float, copy=False)


# ---- filters that run forward and backward ----


def _both_ways(x, gains, poles, radius, change=None):
    """x filtered forward, and what comes of it backward, by a gain over a polynomial of poles each time; the largest
    pole has that size.  change: what is done to the extended signal, which has so much more in front."""
    more = math.ceil(-45 / math.log(radius)) if radius > 0 else 1
    wide = names.pad(x, [(0, 0)] * (x.ndim - 1) + [(more, more)], "symmetric")
    if change:
        change(wide, more)
    forward = lfilter([gains[0]], poles, wide)
    back = lfilter([gains[1]], poles, forward[..., ::-1])[..., ::-1]
    return back[..., more : more + x.shape[-1]].astype(x.dtype, copy=False)


def symiirorder1(signal, c0, z1, precision=-1.0):
    """scipy.signal.symiirorder1: c0 / ((1 - z1 / z) (1 - z1 z)) along the last axis, for a real z1; the precision is
    that of the dtype.  Collective."""
    x = as_array(signal)
    if not abs(z1) < 1:
        raise ValueError(f"symiirorder1: z1 is {z1}, and |z1| must be less than 1")
    x = x if x.dtype.kind in "fc" else x.astype(float)
    return _both_ways(x, (1.0, float(c0)), [1.0, -float(z1)], abs(z1))


def symiirorder2(input, r, omega, precision=-1.0):  # noqa: A002
    """scipy.signal.symiirorder2: a filter of second order, with poles of size r and at angles of omega, forward and
    backward along the last axis; the precision is that of the dtype.  Collective."""
    x = as_array(input)
    if not 0 <= r < 1:
        raise ValueError(f"symiirorder2: r is {r}, and must be from 0 on and less than 1")
    x = x if x.dtype.kind in "fc" else x.astype(float)
    return _smoothed(x, r, omega)


def _smoothed(x, r, omega, change=None):
    poles = [1.0, -2 * r * math.cos(omega), r * r]
    return _both_ways(x, (sum(poles),) * 2, poles, r, change)


# ---- coefficients ----


def _smoothing_poles(name, lamb):
    """The size and the angle of the poles of a cubic smoothing spline."""
    if not lamb > 1 / 144:
        raise ValueError(f"{name}: the smoothing is {lamb}, and must be 0 or more than 1 / 144")
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    r = (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb) * math.sqrt((48 * lamb + 24 * lamb * root) / xi)
    return r, math.atan2(math.sqrt(144 * lamb - 1), math.sqrt(xi))


def _interpolating(x, order, axis):
    from .. import ndimage

    return ndimage.spline_filter1d(x, order, axis, x.dtype, "reflect")


def cspline1d(signal, lamb=0.0):
    """scipy.signal.cspline1d: the coefficients of a cubic spline through a signal, or of a smoothing one, in double
    precision.  Collective."""
    x = _double("cspline1d", signal)
    if lamb == 0:
        return _interpolating(x, 3, 0)
    r, omega = _smoothing_poles("cspline1d", lamb)

    def as_in_scipy(wide, more):  # which takes the first two samples for each other as it starts at the second one
        if x.size > 1:
            first, second = wide[more : more + 2].numpy()
            wide[more + 1] = second + (first - second) * (1 - 2 * r * math.cos(omega))

    return _smoothed(x, r, omega, as_in_scipy)


def qspline1d(signal, lamb=0.0):
    """scipy.signal.qspline1d: the coefficients of a quadratic spline through a signal, in double precision.
    Collective."""
    if lamb != 0:
        raise ValueError(f"qspline1d: the smoothing is {lamb}, and only cubic splines can be smoothing ones")
    return _interpolating(_double("qspline1d", signal), 2, 0)


def cspline2d(signal, lamb=0.0, precision=-1.0):
    """scipy.signal.cspline2d: the coefficients of cubic splines through an image, or of smoothing ones, if lamb is
    above 1 / 144; the precision is that of the dtype.  Collective."""
    x = _floating("cspline2d", signal, 2)
    if lamb <= 1 / 144:
        return _interpolating(_interpolating(x, 3, 0), 3, 1)
    poles = _smoothing_poles("cspline2d", lamb)
    return _smoothed(_smoothed(x.T, *poles).T, *poles)


def qspline2d(signal, lamb=0.0, precision=-1.0):
    """scipy.signal.qspline2d: the coefficients of quadratic splines through an image; the precision is that of the
    dtype.  Collective."""
    if lamb > 0:
        raise ValueError(f"qspline2d: the smoothing is {lamb}, and only cubic splines can be smoothing ones")
    x = _floating("qspline2d", signal, 2)
    return _interpolating(_interpolating(x, 2, 0), 2, 1)


def spline_filter(Iin, lmbda=5.0):  # noqa: N803
    """scipy.signal.spline_filter: an image of floats as its smoothing spline has it.  Collective."""
    from . import sepfir2d

    x = as_array(Iin)
    if x.dtype.kind not in "fc":
        raise TypeError(f"spline_filter: the image is {x.dtype}, and should be of floats or complex numbers")
    taps = [1 / 6, 4 / 6, 1 / 6]
    return sepfir2d(cspline2d(x, lmbda), taps, taps).astype(x.dtype, copy=False)


# ---- values ----


def _cubic(x):
    x = names.abs(x)
    return names.where(x < 1, 2 / 3 - x * x * (2 - x) / 2, names.where(x < 2, (2 - x) ** 3 / 6, 0.0))


def _quadratic(x):
    x = names.abs(x)
    return names.where(x < 0.5, 0.75 - x * x, names.where(x < 1.5, (x - 1.5) ** 2 / 2, 0.0))


def _values(cj, newx, dx, x0, basis, order):
    """The sum of the coefficients times a basis function around each of them, at points that are reflected into what
    the coefficients are of."""
    cj, x = as_array(cj), as_array(newx)
    last = cj.size - 1
    x = (x.astype(float) if x.dtype.kind not in "f" else x) - float(x0)
    x = names.abs(x / float(dx)) % max(2 * last, 1)
    x = names.where(x > last, 2 * last - x, x) if last else x * 0
    lowest = names.floor(x - (order + 1) / 2).astype("int64") + 1
    found = 0
    for i in range(order + 1):
        at = lowest + i
        found = found + cj[names.clip(at, 0, last)] * basis(x - at)
    return found


def cspline1d_eval(cj, newx, dx=1.0, x0=0):
    """scipy.signal.cspline1d_eval: the values of a cubic spline at new points.  Collective."""
    return _values(cj, newx, dx, x0, _cubic, 3).astype(as_array(cj).dtype, copy=False)


def qspline1d_eval(cj, newx, dx=1.0, x0=0):
    """scipy.signal.qspline1d_eval: the values of a quadratic spline at new points.  Collective."""
    return _values(cj, newx, dx, x0, _quadratic, 2)


def gauss_spline(x, n):
    """scipy.signal.gauss_spline: the Gaussian that a spline of order n is near to.  Collective."""
    x, square = as_array(x), (n + 1) / 12
    return names.exp(-x * x / (2 * square)) / math.sqrt(2 * np.pi * square)
