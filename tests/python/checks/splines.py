# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's splines, wavelets and chirp z-transforms, the best states of filtfilt, and further designs, beside
SciPy.

SciPy's start of symmetric filters is a sum over the signal, so signals here are long enough for its terms to vanish.
The sum stops where terms are below the precision, which SciPy 1.17 takes for their squares, and spline_filter() takes
none: it is compared with its two steps."""

import warnings

import maniple as mp
import numpy as np
import scipy.signal

from . import ok, raises, rng, same, scipy_since

ours, theirs = mp.signal, scipy.signal


def beside(name, *arguments, rtol=1e-9, **named):
    layouts = [{"layout": text} for text in ("0, *", "*, 0")] if np.ndim(arguments[0]) == 2 else [{}]
    for layout in layouts:
        same(f"{name} of {np.shape(arguments[0])} {named} {layout}".replace("\n", " "),
             getattr(ours, name)(mp.asarray(arguments[0], **layout), *arguments[1:], **named),
             getattr(theirs, name)(*arguments, **named), rtol)


def smoothed(image, lmbda):
    """scipy.signal.spline_filter by its steps, of which SciPy's own first one is inexact, and of real images alone."""
    if np.iscomplexobj(image):
        return smoothed(image.real, lmbda) + 1j * smoothed(image.imag, lmbda)
    taps = [1 / 6, 4 / 6, 1 / 6]
    return theirs.sepfir2d(theirs.cspline2d(image, lmbda, 1e-15), taps, taps).astype(image.dtype)


def check_splines():
    for dtype, rtol in (("float64", 1e-9), ("float32", 1e-5), ("complex128", 1e-9)):
        turn = 1j if dtype == "complex128" else 0
        signal = (rng.standard_normal(90) + turn * rng.standard_normal(90)).astype(dtype)
        for name, lamb in (("cspline1d", 0.0), ("qspline1d", 0.0), ("cspline1d", 0.7), ("cspline1d", 3.0)):
            wide = signal.astype("complex128" if turn else "float64")  # as SciPy has them since 1.15
            same(f"{name} of {dtype}, {lamb}", getattr(ours, name)(signal, lamb), getattr(theirs, name)(wide, lamb), 1e-9)
        at = rng.uniform(-200, 300, 77)
        beside("cspline1d_eval", signal, at, 0.9, 2, rtol=rtol)
        if dtype != "complex128":
            same(f"qspline1d_eval of {dtype}", ours.qspline1d_eval(signal, at), theirs.qspline1d_eval(signal, at), rtol)
    image = rng.standard_normal((70, 60))
    for dtype, rtol in (("float64", 1e-6), ("float32", 1e-5), ("int32", 1e-6)):
        a = (image * 9).astype(dtype)
        for name, lamb in (("cspline2d", 0.0), ("qspline2d", 0.0), ("cspline2d", 0.5)):
            want = getattr(theirs, name)(a, lamb, 1e-15).astype("float32" if dtype == "float32" else float)
            for layout in ("0, *", "*, 0"):
                got = getattr(ours, name)(mp.asarray(a, layout=layout), lamb)
                same(f"{name} of {dtype}, {lamb}, {layout}", got, want, rtol)
    for a, rtol in ((image, 1e-6), (image.astype("float32"), 1e-5), (image * (1 + 2j), 1e-6)):
        for layout in ("0, *", "*, 0"):
            same(f"spline_filter of {a.dtype}, {layout}", ours.spline_filter(mp.asarray(a, layout=layout), 0.5),
                 smoothed(a, 0.5), rtol)
    signal = rng.standard_normal(120)
    beside("symiirorder1", signal, 2.0, 0.4, rtol=1e-8)
    beside("symiirorder1", signal, 1.5, -0.7, rtol=1e-6)
    beside("symiirorder2", signal, 0.6, 0.7, 1e-15, rtol=1e-6)
    same("symiirorder1 of lines", ours.symiirorder1(np.stack([signal, signal[::-1]]), 2.0, 0.4),
         np.stack([theirs.symiirorder1(v.copy(), 2.0, 0.4) for v in (signal, signal[::-1])]), 1e-8)
    beside("gauss_spline", signal, 3)
    raises(ValueError, "1 / 144", "too little smoothing", lambda: ours.cspline1d(signal, 1e-3))
    raises(ValueError, "smoothing", "a smooth quadratic spline", lambda: ours.qspline1d(signal, 1.0))
    raises(ValueError, "|z1|", "a pole outside", lambda: ours.symiirorder1(signal, 1.0, 1.5))
    raises(ValueError, "2 dimensions", "a spline of a vector", lambda: ours.cspline2d(signal))
    raises(TypeError, "int64", "a smooth image of integers", lambda: ours.spline_filter(np.ones((3, 3), int)))


def check_wavelets():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if hasattr(theirs, "cwt"):  # which SciPy has until 1.14
            for name, arguments in (("ricker", (50, 3.0)), ("morlet", (40,)), ("morlet", (40, 4.0, 0.5, False)),
                                    ("morlet2", (33, 4.0))):
                same(f"{name} {arguments}", getattr(ours, name)(*arguments), getattr(theirs, name)(*arguments), 1e-12)
            same("qmf", ours.qmf([1.0, 2.0, 3.0]), theirs.qmf(np.array([1.0, 2.0, 3.0])))
            signal, widths = rng.standard_normal(90), np.arange(1, 12)
            same("cwt", ours.cwt(signal, ours.ricker, widths), theirs.cwt(signal, theirs.ricker, widths), 1e-11)
            same("cwt of complex wavelets", ours.cwt(signal, ours.morlet2, widths, w=4),
                 theirs.cwt(signal, theirs.morlet2, widths, w=4), 1e-11)
        t = np.arange(0, 12, 0.02)
        apart = 0.5 if scipy_since("1.18") else 2  # a line may have two maxima of a row, of which 1.18's sort chooses
        for noise, words in ((0.4, {}), (0.1, {"min_snr": 2, "noise_perc": 20, "window_size": 31}),
                             (0.3, {"max_distances": np.full(16, apart), "gap_thresh": 3, "min_length": 5})):
            signal = np.sin(2 * np.pi * t) + noise * rng.standard_normal(t.size)
            found, want = (m.find_peaks_cwt(signal, np.arange(1, 17), **words) for m in (ours, theirs))
            ok(np.array_equal(found, want), f"find_peaks_cwt, {list(words)}")
    ok(ours.find_peaks_cwt(np.zeros(50), np.arange(1, 5)).size == 0, "no peaks in zeros")
    raises(ValueError, "max_distances", "too few distances",
           lambda: ours.find_peaks_cwt(np.zeros(50), np.arange(1, 5), max_distances=[1]))


def check_chirp_z():
    vector, matrix = rng.standard_normal(90), rng.standard_normal((70, 6))
    for words in ({}, {"m": 30}, {"m": 20, "w": np.exp(-0.1j) * 0.9999, "a": 1.01 * np.exp(0.3j)}):
        mine, other = ours.CZT(90, **words), theirs.CZT(90, **words)
        same(f"CZT {words}", mine(vector), other(vector), 1e-10)
        same(f"its points {words}", mine.points(), other.points(), 1e-10)
    for words in ({}, {"m": 30, "fs": 5, "endpoint": True}):
        same(f"ZoomFFT {words}", ours.ZoomFFT(70, [0.2, 0.5], **words)(matrix, axis=0),
             theirs.ZoomFFT(70, [0.2, 0.5], **words)(matrix, axis=0), 1e-10)
        same("its points", ours.ZoomFFT(70, 0.5, **words).points(), theirs.ZoomFFT(70, 0.5, **words).points(), 1e-10)
    same("czt_points", ours.czt_points(9), theirs.czt_points(9), 1e-12)
    raises(ValueError, "of 90 elements", "an axis of another length", lambda: ours.CZT(90)(matrix))
    raises(ValueError, "1 or more", "no points", lambda: ours.CZT(90, 0))


def check_best_states():
    b, a = theirs.ellip(4, 0.01, 120, 0.125)
    signal, lines = rng.standard_normal(200), rng.standard_normal((5, 60, 3))
    for irlen in (None, 50, 150):
        same(f"filtfilt, gust, irlen={irlen}", ours.filtfilt(b, a, signal, method="gust", irlen=irlen),
             theirs.filtfilt(b, a, signal, method="gust", irlen=irlen), 1e-5)
    for (b, a), name in ((theirs.butter(2, 0.3), "butter"), (theirs.butter(1, 0.5), "one pole"),
                         (([2.0], [4.0]), "a factor"), (([1.0, 0.5, 0.25], [1.0]), "taps")):
        for irlen in (None, 12):
            for layout in ("0, *, *", "*, 0, *"):
                same(f"filtfilt of lines, gust, {name}, irlen={irlen}, {layout}",
                     ours.filtfilt(b, a, mp.asarray(lines, layout=layout), 1, method="gust", irlen=irlen),
                     theirs.filtfilt(b, a, lines, 1, method="gust", irlen=irlen), 1e-9)
    raises(ValueError, "method is 'x'", "another method", lambda: ours.filtfilt(b, a, signal, method="x"))
    raises(ValueError, "irlen", "a length below 0", lambda: ours.filtfilt(*theirs.butter(2, 0.3), signal, method="gust",
                                                                           irlen=-1))


def check_further_designs():
    for arguments in ((440, "iir", None, None, 16000), (3, "fir", 3, 40, 20), (1000, "fir", None, None, 44100),
                      (0.4, "iir")):
        same(f"gammatone {arguments}", [np.asarray(v) for v in ours.gammatone(*arguments)],
             [np.asarray(v) for v in theirs.gammatone(*arguments)], 1e-8)
    for kind in ("butter", "cheby", "ellip"):
        given = 0.95, 1, np.array([0.3, 1.0]), np.array([0.5, 0.7]), 1, 40, kind
        ok(np.isclose(ours.band_stop_obj(*given), theirs.band_stop_obj(*given), 1e-12), f"band_stop_obj, {kind}")
    t, polynomial = np.arange(0, 5, 0.02), np.poly1d([0.025, -0.36, 1.25, 2.0])
    for poly in (polynomial, [1.5, 2.0]):
        same("sweep_poly", ours.sweep_poly(t, poly, 30), theirs.sweep_poly(t, poly, 30), 1e-9)
    z = theirs.stft(rng.standard_normal((3, 500)), nperseg=64)[2]
    for axes in ((-1, -2), (0, 1), (1, 0), (2, 0)):
        moved = np.moveaxis(z, (-1, -2), axes)
        found, want = (m.istft(x, time_axis=axes[0], freq_axis=axes[1])[1]  # SciPy's times are those of another axis
                       for m, x in ((ours, mp.asarray(moved)), (theirs, moved)))
        same(f"istft with time and frequencies along {axes}", found, want, 1e-12)
    raises(ValueError, "both", "times and frequencies along one axis", lambda: ours.istft(z, time_axis=1, freq_axis=1))
    for kind in ("differentiator", "hilbert"):
        same(f"remez, {kind}", ours.remez(31, [0.05, 0.45], [1], type=kind, fs=1),
             theirs.remez(31, [0.05, 0.45], [1], type=kind, fs=1), 1e-3)
    for freq, kind, order in ((0, "iir", None), (0.4, "x", None), (0.4, "fir", 30)):
        raises(ValueError, "must", f"gammatone {freq} {kind} {order}",
               lambda: ours.gammatone(freq, kind, order))  # noqa: B023
