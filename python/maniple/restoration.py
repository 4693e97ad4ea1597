# SPDX-License-Identifier: BSD-3-Clause
"""Deconvolution: skimage.restoration, over any number of ranks, of images and volumes of 1 to 4 dimensions.

The image and the psf, the point spread function, are real.  Results are float32 for images of float16, bfloat16 and
float32, float64 for others, and have the image's layout.
"""

import ctypes
import operator

import numpy as np

from . import fft, random
from ._array import as_array, into
from ._library import chosen, struct
from ._names import as_output, finished, names

__all__ = ["richardson_lucy", "unsupervised_wiener", "wiener"]

_BOUNDARIES = ("fill", "wrap", "symm", "mirror", "nearest")
_METHODS = ("auto", "direct", "separable", "fft", "overlap-add", "transforms")


def _positive(what, count):
    count = operator.index(count)
    if count < 1:
        raise ValueError(f"{what} is {count}, and must be 1 or more")
    return count


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
    """skimage.restoration.wiener.  The result is complex where is_real is False, and so may the image be; psf and reg
    are impulse responses, and real.  Collective."""
    image, psf, reg = as_array(image), as_array(psf), None if reg is None else as_array(reg)
    if is_real:
        return into("wiener_deconvolution", image, psf, float(balance), reg, not clip, out=out)
    parts = [wiener(part, psf, balance, reg, clip=False) for part in (image.real, image.imag)]
    return _clipped(parts[0] + 1j * parts[1], clip, out)


def _clipped(found, clip, out):
    """A complex image, whose values are cut by their real parts, as NumPy compares complex numbers."""
    if clip:
        found = names.where(found.real > 1, 1, names.where(found.real < -1, -1, found)).astype(found.dtype)
    return as_output(found, out)


def unsupervised_wiener(image, psf, reg=None, user_params=None, is_real=True, clip=True, *, rng=None, out=None):
    """skimage.restoration.unsupervised_wiener: the image, and the chains of the precisions of noise and prior, as a
    dictionary of lists.  The image is complex where is_real is False, and so may the one that is given be; psf and reg
    are impulse responses, and real.  Collective.

    user_params: a dictionary with threshold, burnin, min_num_iter, max_num_iter, of which burnin is at least 1
    rng: the seed of the random numbers, which are not scikit-image's; None: 0"""
    wanted = {"threshold": 1e-4, "burnin": 15, "min_num_iter": 30, "max_num_iter": 200, **(user_params or {})}
    threshold, burnin, least, most = (wanted.pop(name) for name in ("threshold", "burnin", "min_num_iter", "max_num_iter"))
    if wanted:
        raise ValueError(f"user_params has {', '.join(wanted)}, beside threshold, burnin, min_num_iter, max_num_iter")
    if threshold <= 0:
        raise ValueError(f"threshold is {threshold}, and must be positive")
    reg = None if reg is None else as_array(reg)
    counts = [_positive(*pair) for pair in (("burnin", burnin), ("min_num_iter", least), ("max_num_iter", most))]
    if not is_real:
        return _complex_unsupervised(as_array(image), as_array(psf), reg, threshold, counts, rng, clip, out)
    options = struct("unsupervised_wiener_options")(
        _address(reg), float(threshold), *counts, 0 if rng is None else operator.index(rng), not clip)
    room = counts[2] + 1
    noise, prior = (ctypes.c_double * room)(), (ctypes.c_double * room)()
    chains = struct("unsupervised_wiener_chains")(room, ctypes.addressof(noise), ctypes.addressof(prior))
    found = into("unsupervised_wiener", as_array(image), as_array(psf), options, chains, out=out)
    return found, {"noise": noise[: chains.count], "prior": prior[: chains.count]}


def _transfer(response, shape):
    """The Fourier transform of an impulse response, whose middle is the origin."""
    if response.dtype.kind == "c":
        raise TypeError(f"a response of {response.dtype}, which has to be real")
    if response.ndim != len(shape) or any(m > n for m, n in zip(response.shape, shape)):
        raise ValueError(f"a response of shape {response.shape} for an image of {shape}")
    wide = names.pad(response.astype(float), [(0, n - m) for m, n in zip(response.shape, shape)])
    return fft.fftn(names.roll(wide, [-(m // 2) for m in response.shape], list(range(len(shape)))))


def _laplacian(ndim):
    """The response of the negative Laplacian."""
    found = np.zeros((3,) * ndim)
    for axis in range(ndim):
        found[tuple(slice(None) if d == axis else 1 for d in range(ndim))] -= [1, 0, 1]
    found[(1,) * ndim] = 2 * ndim
    return as_array(found)


def _square(spectrum):
    return float(names.sum(spectrum.real**2 + spectrum.imag**2).item())


def _complex_unsupervised(image, psf, reg, threshold, counts, rng, clip, out):
    """The sampler of F. Orieux, J.-F. Giovannelli and T. Rodet (Bayesian estimation of regularization and point spread
    function parameters for Wiener-Hunt deconvolution, 2010) on the whole spectrum.  Waits for two sums in each turn."""
    (burnin, least, most), draws = counts, random.default_rng(0 if rng is None else operator.index(rng))
    dtype = names.result_type(image.dtype, "complex64")
    response = _transfer(psf, image.shape)
    prior = _transfer(_laplacian(image.ndim) if reg is None else reg, image.shape)
    gain, prior_gain = (h.real**2 + h.imag**2 for h in (response, prior))
    data = fft.fftn(image.astype("complex128"), norm="ortho")
    chains, total = {"noise": [1.0], "prior": [1.0]}, names.zeros_like(data)
    for turn in range(most):
        noise, prior_precision = chains["noise"][-1], chains["prior"][-1]
        precision = noise * gain + prior_precision * prior_gain
        waves = draws.standard_normal(data.shape) + 1j * draws.standard_normal(data.shape)
        sample = (noise * names.conj(response) / precision) * data + waves * names.sqrt(0.5 / precision)
        for name, size, rest in (("noise", image.size, data - sample * response),
                                 ("prior", image.size - 1, sample * prior)):
            chains[name].append(float(draws.gamma(size / 2, 2 / _square(rest), 1).item()))
        kept = turn - burnin
        if kept > 0:
            before, total = total, total + sample
        if kept > 1:
            change = names.sum(names.abs(total / kept - before / (kept - 1))) / names.sum(names.abs(total))
            if turn > least and float(change.item()) / kept < threshold:
                break
    found = fft.ifftn(total / max(kept, 1), norm="ortho").astype(dtype)
    return _clipped(found, clip, out), chains


__dir__ = finished(globals(), "skimage.restoration")
