# SPDX-License-Identifier: BSD-3-Clause
"""The fast Hankel transform of scipy.fft, along the last axis of arrays that are spread over the ranks.

Of logarithmically spaced points it is a convolution, and so a Fourier transform between factors (A. J. S. Hamilton,
MNRAS 312, 2000, appendix B), which every rank computes in NumPy's numbers: they are as many as half a line has.
"""

import math
import warnings

import numpy as np

from ._array import as_array
from ._names import names


def _log_gamma(z):
    """The logarithm of the gamma function, but for multiples of 2 pi i: by Stirling's series beyond 15."""
    z, below = np.array(z, complex), 0
    while z.real.min() < 15:
        with np.errstate(divide="ignore"):
            below = below + np.where(z.real < 15, np.log(z), 0)
        z = np.where(z.real < 15, z + 1, z)
    terms = 1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156
    series = sum(c / z ** (2 * k + 1) for k, c in enumerate(terms))
    return (z - 0.5) * np.log(z) - z + 0.5 * math.log(2 * math.pi) + series - below


def _ratio(above, below):
    """gamma(above) / gamma(below) of real numbers, where one or both of them are poles."""

    def is_pole(x):
        return x <= 0 and x == round(x)

    if is_pole(above) and is_pole(below):
        return (-1) ** round(above - below) * math.gamma(1 - below) / math.gamma(1 - above)
    return 0.0 if is_pole(below) else math.inf if is_pole(above) else math.gamma(above) / math.gamma(below)


def _coefficients(n, dln, mu, offset, bias):
    above, below = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    y = np.linspace(0, math.pi * (n // 2) / (n * dln), n // 2 + 1)
    with np.errstate(invalid="ignore", over="ignore"):
        u, v = _log_gamma(above + 1j * y), _log_gamma(below + 1j * y)
        phase = u.imag + v.imag + 2 * (math.log(2) - offset) * y
        u = np.exp(u.real - v.real + math.log(2) * bias) * np.exp(1j * phase)
    if n % 2 == 0:  # the frequency of both signs
        u.imag[-1] = 0
    if not np.isfinite(u[0]):
        u[0] = 2**bias * _ratio(above, below)
    return u


def _powers(n, exponent, centre_at):
    return np.exp(exponent * ((np.arange(n) - (n - 1) / 2) + centre_at))


def _transform(a, u, inverse):
    n = a.shape[-1]
    if np.isinf(u[0]) and not inverse:
        warnings.warn("singular transform; consider changing the bias", stacklevel=3)
        u[0] = 0
    elif u[0] == 0 and inverse:
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=3)
        u[0] = np.inf
    factors = as_array(1 / u.conj() if inverse else u)
    from . import fft  # which imports this module

    return fft.irfft(names.multiply(fft.rfft(a), factors), n)[..., ::-1]


def fht(a, dln, mu, offset=0.0, bias=0.0):
    a, (dln, mu, offset, bias) = as_array(a), map(float, (dln, mu, offset, bias))
    n = a.shape[-1]
    if bias != 0:
        a = names.multiply(a, as_array(_powers(n, -bias * dln, 0)))
    found = _transform(a, _coefficients(n, dln, mu, offset, bias), False)
    return found if bias == 0 else names.multiply(found, as_array(_powers(n, -bias * dln, offset / dln)))


def ifht(A, dln, mu, offset=0.0, bias=0.0):  # noqa: N803  SciPy's name
    A, (dln, mu, offset, bias) = as_array(A), map(float, (dln, mu, offset, bias))  # noqa: N806
    n = A.shape[-1]
    if bias != 0:
        A = names.multiply(A, as_array(_powers(n, bias * dln, offset / dln)))  # noqa: N806
    found = _transform(A, _coefficients(n, dln, mu, offset, bias), True)
    return found if bias == 0 else names.multiply(found, as_array(_powers(n, bias * dln, 0)))


def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    dln, mu, initial, bias = map(float, (dln, mu, initial, bias))
    above, below, y = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2, math.pi / (2 * dln)
    phase = _log_gamma(above + 1j * y).imag + _log_gamma(below + 1j * y).imag
    found = (math.log(2) - initial) / dln + phase / math.pi
    return initial + float(found - np.round(found)) * dln
