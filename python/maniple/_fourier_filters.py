# SPDX-License-Identifier: BSD-3-Clause
"""Of scipy.ndimage: filters of Fourier transforms."""

import numpy as np

from ._array import as_array
from ._filters_by_functions import dtype_of_output
from ._names import as_output, names

__all__ = "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform".split()


def _frequencies(shape, n, axis):
    """The frequencies along each dimension, in turns of a sample, which broadcast to the shape."""
    for d, count in enumerate(shape):
        half = n >= 0 and d == range(len(shape))[axis]  # a transform of n real numbers
        yield (np.arange(count) / n if half else np.fft.fftfreq(count)).reshape((count,) + (1,) * (len(shape) - 1 - d))


def _floating(input, is_complex=False):
    x = as_array(input)
    if x.dtype.kind == "c" or x.dtype == "float32" and not is_complex:
        return x
    return x.astype(complex if is_complex else float)


def _as_output(x, output):
    dtype = dtype_of_output(x, output)
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise RuntimeError(f"output is {dtype}, and has to be complex for what is complex")
    return as_output(x, output)


def _filtered(input, parameters, n, axis, output, is_complex, factor):
    """The product with a factor of the frequencies, in turns of a sample, and of the parameter along each axis."""
    x = _floating(input, is_complex)
    if x.size == 0:
        return _as_output(names.copy(x), output)
    for frequencies, parameter in zip(_frequencies(x.shape, n, axis), np.broadcast_to(parameters, x.ndim).tolist()):
        line = factor(frequencies, parameter)
        dtype = names.result_type(x.dtype, "complex64") if line.dtype.kind == "c" else x.real.dtype
        x = x * as_array(line).astype(dtype)
    return _as_output(x, output)


def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    return _filtered(input, sigma, n, axis, output, False, lambda f, s: np.exp(-2 * (np.pi * f * s) ** 2))


def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    return _filtered(input, size, n, axis, output, False, lambda f, s: np.sinc(f * s))


_ELLIPSOIDS = {1: "sin(r) / r", 2: "2.0 * j1(r) / r", 3: "3.0 * (sin(r) - r * cos(r)) / (r * r * r)"}


def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    """scipy.ndimage.fourier_ellipsoid: the Fourier transform of an array of 1 to 3 dimensions, times that of an
    ellipsoid of these diameters.  Collective."""
    from .kernels import ElementwiseKernel

    x = _floating(input)
    if x.ndim not in _ELLIPSOIDS:
        raise NotImplementedError(f"fourier_ellipsoid: the input has {x.ndim} dimensions, and may have 1 to 3")
    if x.size == 0:
        return _as_output(names.copy(x), output)
    square = names.zeros(x.shape)
    for f, s in zip(_frequencies(x.shape, n, axis), np.broadcast_to(size, x.ndim).tolist()):
        square = square + as_array((np.pi * f * s) ** 2)
    weigh = ElementwiseKernel("float64 r", "float64 y", f"y = r == 0.0 ? 1.0 : {_ELLIPSOIDS[x.ndim]}", "ellipsoid")
    return _as_output(x * weigh(names.sqrt(square)).astype(x.real.dtype), output)


def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    return _filtered(input, shift, n, axis, output, True, lambda f, s: np.exp(-2j * np.pi * f * s))
