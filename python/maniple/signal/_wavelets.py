# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's wavelets, their transform, and the peaks that it finds: names that SciPy had until 1.14, and CuPy has,
but for find_peaks_cwt, which stays."""

import math

import numpy as np

from .._array import as_array
from .._names import names
from ._peaks import argrelmax

__all__ = "cwt find_peaks_cwt morlet morlet2 qmf ricker".split()


def qmf(hk):
    """scipy.signal.qmf: the highpass filter that mirrors a lowpass filter, as NumPy's array.  Not collective."""
    hk = np.asarray(hk)
    return hk[::-1] * np.where(np.arange(len(hk)) % 2, -1, 1)


def ricker(points, a):
    """scipy.signal.ricker: the second derivative of a Gaussian of width a, but for its sign.  Collective."""
    x = (names.arange(0, points) - (points - 1) / 2) / a
    return 2 / (math.sqrt(3 * a) * math.pi**0.25) * (1 - x * x) * names.exp(-x * x / 2)


def morlet(M, w=5.0, s=1.0, complete=True):  # noqa: N803
    """scipy.signal.morlet: a wave of frequency w over 2 s turns of the plane within a Gaussian; complete: of mean 0.
    Collective."""
    x = names.linspace(-s * 2 * math.pi, s * 2 * math.pi, M)
    wave = names.exp(1j * w * x) - (math.exp(-0.5 * w**2) if complete else 0)
    return wave * names.exp(-0.5 * x * x) * math.pi**-0.25


def morlet2(M, s, w=5):  # noqa: N803
    """scipy.signal.morlet2: a wave of frequency w within a Gaussian of width s.  Collective."""
    x = (names.arange(0, M) - (M - 1) / 2) / s
    return names.exp(1j * w * x) * names.exp(-0.5 * x * x) * (math.pi**-0.25 / math.sqrt(s))


def cwt(data, wavelet, widths, dtype=None, **kwargs):
    """scipy.signal.cwt: a signal convolved with wavelet(points, width) for each width, as rows.  Collective."""
    from . import convolve

    x, rows = as_array(data), []
    for width in np.atleast_1d(widths):
        taps = as_array(wavelet(np.min([10 * width, len(x)]), width, **kwargs))
        rows.append(convolve(x, names.conj(taps[::-1]), mode="same"))
    found = names.stack(rows)
    return found.astype((complex if found.dtype.kind == "c" else float) if dtype is None else dtype, copy=False)


def _ridges(maxima, max_distances, gap_thresh):
    """Lines of maxima from the last row with any to the first one, as lists of rows and columns.  A maximum belongs to
    the nearest line of the rows before, if that is near enough; a line ends after too many rows without."""
    lines, ended = [], []
    for row in range(len(maxima) - 1, -1, -1):
        at = np.array([columns[-1] for _, columns in lines])
        for column in maxima[row]:
            apart = np.abs(column - at)
            nearest = apart.argmin() if at.size else 0
            if at.size and apart[nearest] <= max_distances[row]:
                lines[nearest][0].append(row)
                lines[nearest][1].append(column)
            else:
                lines.append(([row], [column]))
        ended += [line for line in reversed(lines) if line[0][-1] - row > gap_thresh]
        lines = [line for line in lines if line[0][-1] - row <= gap_thresh]
    return ended + lines


def find_peaks_cwt(vector, widths, wavelet=None, max_distances=None, gap_thresh=None, min_length=None, min_snr=1,
                   noise_perc=10, window_size=None):  # fmt: skip
    """scipy.signal.find_peaks_cwt: indices of peaks, as NumPy's array.

    The transform and its maxima are computed by all ranks; their places, and the row of the first width, which tells
    the noise, are then on every rank, where the maxima are joined to lines: P. Du, W. Kibbe and S. Lin, 2006.  Waits.
    Collective."""
    widths = np.atleast_1d(widths)
    max_distances = widths / 4.0 if max_distances is None else np.asarray(max_distances)
    if len(max_distances) < len(widths):
        raise ValueError(f"there are {len(max_distances)} max_distances for {len(widths)} widths")
    transform = cwt(vector, ricker if wavelet is None else wavelet, widths)
    rows, columns = (index.numpy() for index in argrelmax(transform, axis=1))
    maxima = [np.sort(columns[rows == row]) for row in range(len(widths))]
    lines = _ridges(maxima, max_distances, np.ceil(widths[0]) if gap_thresh is None else gap_thresh)
    least = np.ceil(len(widths) / 4) if min_length is None else min_length
    firsts = [(rows[-1], columns[-1]) for rows, columns in lines if len(rows) >= least]  # where the width is least
    if not firsts:
        return np.empty(0, np.int64)
    first_row, count = transform[0].numpy(), transform.shape[1]
    half, odd = divmod(int(np.ceil(count / 20) if window_size is None else window_size), 2)
    noise = np.array([np.percentile(first_row[max(at - half, 0) : at + half + odd], noise_perc) for _, at in firsts])
    heights = transform[tuple(map(as_array, np.array(firsts).T))].numpy()
    found = [at for (_, at), ratio in zip(firsts, np.abs(heights / noise)) if not ratio < min_snr]
    return np.sort(np.array(found, np.int64))
