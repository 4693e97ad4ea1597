# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's chirp z-transforms as objects."""

import operator

import numpy as np

from .._array import as_array
from ._spectra import czt, zoom_fft

__all__ = ["CZT", "ZoomFFT", "czt_points"]


def _count(m, n):
    m = n if m is None else operator.index(m)
    if n < 1 or m < 1:
        raise ValueError(f"a chirp z-transform of {n} elements to {m} points, and both should be 1 or more")
    return m


def czt_points(m, w=None, a=1 + 0j):
    """scipy.signal.czt_points: the points at which czt() finds the z-transform, as NumPy's array.  Not collective."""
    k = np.arange(_count(m, 1))
    return a * (np.exp(2j * np.pi * k / m) if w is None else (1.0 * w) ** -k)


class CZT:
    """The chirp z-transform of n elements: transform = CZT(n, m); y = transform(x, axis=0)."""

    def __init__(self, n, m=None, w=None, a=1 + 0j):
        self.n, self.m = operator.index(n), _count(m, operator.index(n))
        self.w, self.a = np.exp(-2j * np.pi / self.m) if w is None else w, a
        self._given_w = w

    def __call__(self, x, *, axis=-1):
        """The transform along an axis.  Collective."""
        return czt(self._checked(x, axis), self.m, self._given_w, self.a, axis=axis)

    def _checked(self, x, axis):
        x = as_array(x)
        if x.shape[axis] != self.n:
            raise ValueError(f"the transform is of {self.n} elements, and x has {x.shape[axis]} along axis {axis}")
        return x

    def points(self):
        """Where the transform is, as NumPy's array.  Not collective."""
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """The Fourier transform of n elements at m frequencies from fn[0], or 0, to fn[1], or fn."""

    def __init__(self, n, fn, m=None, *, fs=2, endpoint=False):
        first, last = fn if np.ndim(fn) else (0.0, fn)
        m = _count(m, operator.index(n))
        step = (last - first) / fs / max(m - 1 if endpoint else m, 1)
        super().__init__(n, m, np.exp(-2j * np.pi * step), np.exp(2j * np.pi * first / fs))
        self.f1, self.f2, self.fs, self._endpoint = first, last, fs, endpoint

    def __call__(self, x, *, axis=-1):
        """The transform along an axis.  Collective."""
        x, band = self._checked(x, axis), [self.f1, self.f2]
        return zoom_fft(x, band, self.m, fs=self.fs, endpoint=self._endpoint, axis=axis)
