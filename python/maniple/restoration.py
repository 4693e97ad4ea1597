# SPDX-License-Identifier: BSD-3-Clause
"""Deconvolution: skimage.restoration, over any number of ranks, of images and volumes of 1 to 4 dimensions.

The image and the psf, the point spread function, are real.  Results are float32 for images of float16, bfloat16 and
float32, float64 for others, and have the image's layout.
"""

import ctypes
import operator

from ._array import as_array, into
from ._library import chosen, struct
from ._names import finished

__all__ = ["richardson_lucy", "unsupervised_wiener", "wiener"]

_BOUNDARIES = ("fill", "wrap", "symm", "mirror", "nearest")
_METHODS = ("auto", "direct", "separable", "fft", "overlap-add")


def _positive(what, count):
    count = operator.index(count)
    if count < 1:
        raise ValueError(f"{what} is {count}, and must be 1 or more")
    return count


def _real(is_real):
    if not is_real:
        raise ValueError("is_real is False: images are real here, and psf and reg are impulse responses")


def _address(array):
    return None if array is None else array._handle


def richardson_lucy(image, psf, num_iter=50, clip=True, filter_epsilon=None, *, total_variation=0, mask=None,
                    accelerate=False, boundary="fill", method="auto", out=None):
    """skimage.restoration.richardson_lucy, and what it does not have.  Collective.

    total_variation: the weight of the total variation, such as 0.002, which keeps noise down and edges sharp
    mask: the weight of each pixel of the image, 0 where it is not known
    accelerate: extrapolate from the last two estimates, which takes a fraction of the iterations
    boundary: how estimates continue beyond the image, as in signal.convolve(); method: that of the convolutions"""
    weights = None if mask is None else as_array(mask)
    options = struct("richardson_lucy_options")(
        _positive("num_iter", num_iter),
        float(filter_epsilon or 0),
        not clip,
        float(total_variation),
        _address(weights),
        bool(accelerate),
        chosen("boundary", boundary, "BOUNDARY_", _BOUNDARIES),
        chosen("method", method, "CONV_", _METHODS),
    )
    return into("richardson_lucy", as_array(image), as_array(psf), options, out=out)


def wiener(image, psf, balance, reg=None, is_real=True, clip=True, *, out=None):
    """skimage.restoration.wiener, where is_real is True: of real images, with impulse responses.  Collective."""
    _real(is_real)
    reg = None if reg is None else as_array(reg)
    return into("wiener_deconvolution", as_array(image), as_array(psf), float(balance), reg, not clip, out=out)


def unsupervised_wiener(image, psf, reg=None, user_params=None, is_real=True, clip=True, *, rng=None, out=None):
    """skimage.restoration.unsupervised_wiener: the image, and the chains of the precisions of noise and prior, as a
    dictionary of lists.  Collective.

    user_params: a dictionary with threshold, burnin, min_num_iter, max_num_iter, of which burnin is at least 1
    rng: the seed of the random numbers, which are not scikit-image's; None: 0"""
    _real(is_real)
    wanted = {"threshold": 1e-4, "burnin": 15, "min_num_iter": 30, "max_num_iter": 200, **(user_params or {})}
    threshold, burnin, least, most = (wanted.pop(name) for name in ("threshold", "burnin", "min_num_iter", "max_num_iter"))
    if wanted:
        raise ValueError(f"user_params has {', '.join(wanted)}, beside threshold, burnin, min_num_iter, max_num_iter")
    if threshold <= 0:
        raise ValueError(f"threshold is {threshold}, and must be positive")
    reg = None if reg is None else as_array(reg)
    counts = [_positive(*pair) for pair in (("burnin", burnin), ("min_num_iter", least), ("max_num_iter", most))]
    options = struct("unsupervised_wiener_options")(
        _address(reg), float(threshold), *counts, 0 if rng is None else operator.index(rng), not clip)
    room = counts[2] + 1
    noise, prior = (ctypes.c_double * room)(), (ctypes.c_double * room)()
    chains = struct("unsupervised_wiener_chains")(room, ctypes.addressof(noise), ctypes.addressof(prior))
    found = into("unsupervised_wiener", as_array(image), as_array(psf), options, chains, out=out)
    return found, {"noise": noise[: chains.count], "prior": prior[: chains.count]}


__dir__ = finished(globals(), "skimage.restoration")
