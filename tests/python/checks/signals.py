# SPDX-License-Identifier: BSD-3-Clause
"""Signals and images: filters, transforms."""

import itertools
import operator
import warnings

import maniple as mp
import numpy as np
import scipy.ndimage
import scipy.signal

from . import ok, pair, raises, rng, same, scipy_since


MODES = ("full", "same", "valid")


def check_signal():
    (x, a), (k, w) = pair((20, 17)), pair((3, 4))
    same("convolve2d", mp.signal.convolve2d(x, k, "same", "wrap"), scipy.signal.convolve2d(a, w, "same", "wrap"), 1e-12)
    kernels = (k, w), pair((4, 4)), pair((2, 3)), (x[:4, :3], a[:4, :3])
    for boundary in ("fill", "wrap", "symm"):
        for mode in ("full", "same", "valid"):
            same(f"correlate2d, {mode}, {boundary}", [mp.signal.correlate2d(x, q, mode, boundary) for q, _ in kernels],
                 [scipy.signal.correlate2d(a, v, mode, boundary) for _, v in kernels], 1e-12)
    y, b = pair((5, 6), "complex128")
    same("correlate2d of a smaller array, and of complex numbers",
         (mp.signal.correlate2d(k, x, "same"), mp.signal.correlate2d(y, y[:2, :2], "same", fillvalue=0)),
         (scipy.signal.correlate2d(w, a, "same"), scipy.signal.correlate2d(b, b[:2, :2], "same")), 1e-12)
    ok(mp.signal.correlate2d(x, k, "same").layout == x.layout, "the layout of correlate2d")
    same("fftconvolve along axes",
         (mp.signal.fftconvolve(x, x[:1, :3], axes=1), mp.signal.oaconvolve(x, x[:3, :1], "same", 0),
          mp.signal.fftconvolve(x[None], x[None, :3, :4], axes=(-1, 1))),
         (scipy.signal.fftconvolve(a, a[:1, :3], axes=1), scipy.signal.oaconvolve(a, a[:3, :1], "same", 0),
          scipy.signal.fftconvolve(a[None], a[None, :3, :4], axes=(-1, 1))), 1e-12)
    same("correlate", mp.signal.correlate(x, k, "valid"), scipy.signal.correlate(a, w, "valid"), 1e-12)
    (z, c), (q, v) = pair((3, 4), "complex128"), pair((11, 4), "complex128")
    for name in ("convolve", "correlate", "fftconvolve", "oaconvolve"):
        same(f"{name} of what is smaller than the kernel", [getattr(mp.signal, name)(z, q, mode) for mode in MODES],
             [getattr(scipy.signal, name)(c, v, mode) for mode in MODES], 1e-12)
    v[0, 1] = np.nan
    same("a NaN in the larger operand", mp.isnan(mp.signal.convolve(z, mp.array(v), "valid", "direct")),
         np.isnan(scipy.signal.convolve(c, v, "valid", "direct")))
    line = a.ravel()
    peaks, properties = mp.signal.find_peaks(mp.array(line), prominence=(0.1, None), width=1)
    right, wanted = scipy.signal.find_peaks(line, prominence=(0.1, None), width=1)
    for name, more in (("argrelextrema", [np.greater]), ("argrelmax", []), ("argrelmin", [])):
        want = getattr(scipy.signal, name)(a, *more, axis=1, order=2)
        same(name, getattr(mp.signal, name)(x, *more, axis=1, order=2), want)
    raises(ValueError, "distance is 0", "a distance of 0", lambda: mp.signal.find_peaks(mp.array(line), distance=0))
    raises(ValueError, "wlen is 0", "a wlen of 0", lambda: mp.signal.find_peaks(mp.array(line), width=1, wlen=0))
    raises(ValueError, "wlen is 1", "a wlen of 1", lambda: mp.signal.peak_widths(mp.array(line), peaks, wlen=1))
    same("find_peaks", peaks, right, 0)
    widths = mp.signal.find_peaks(mp.array(line), width=0, rel_height=0)[1]["widths"]
    same("find_peaks: no width at the top", widths, np.zeros(scipy.signal.find_peaks(line)[0].shape))
    ok(sorted(properties) == sorted(wanted), "properties of peaks")
    for name in wanted:
        same(f"find_peaks: {name}", properties[name], wanted[name], 1e-12)
    for axis in (-1, 0):
        got = mp.signal.spectrogram(x, nperseg=8, mode="phase", axis=axis)
        same("spectrogram of phases", got, scipy.signal.spectrogram(a, nperseg=8, mode="phase", axis=axis), 1e-11)
    raises(ValueError, "'psd', 'complex', 'magnitude' or 'angle'", "another mode",
           lambda: mp.signal.spectrogram(x, mode="power"))
    same("medfilt", mp.signal.medfilt(x, 3), scipy.signal.medfilt(a, 3), 0)
    same("wiener", mp.signal.wiener(x, 3), scipy.signal.wiener(a, 3), 1e-9)
    plan = mp.signal.Convolution(x, k, "same")
    same(
        "a plan",
        (plan(x), plan(2 * x)),
        (scipy.signal.convolve2d(a, w, "same"), 2 * scipy.signal.convolve2d(a, w, "same")),
        1e-12,
    )
    told = plan.describe()
    ok(told["method"] in told["seconds"] and min(told["seconds"].values()) >= 0, f"a plan tells its method: {told}")
    same("fftconvolve", mp.signal.fftconvolve(x, k, "same", axes=(0, 1)), scipy.signal.fftconvolve(a, w, "same"), 1e-12)
    same("oaconvolve", mp.signal.oaconvolve(x, k), scipy.signal.oaconvolve(a, w), 1e-12)
    method = mp.signal.choose_conv_method(x, k)
    same("choose_conv_method", mp.signal.convolve(x, k, method=method), scipy.signal.convolve(a, w), 1e-12)
    for mode, p, q in (("full", x, k), ("valid", k, x), ("same", x > 0, k > 0)):
        method, times = mp.signal.choose_conv_method(p, q, mode, measure=True)
        ok(times[method] == min(times.values()) > 0 and "direct" in times and ("fft" in times) == (p.dtype != bool),
           f"choose_conv_method, measured: {times}")


def check_dtypes_of_convolutions():
    """The dtype of a convolution is NumPy's of both operands, and integers are exact; what SciPy transforms is float."""
    a, k = rng.integers(-9, 9, 30), np.array([3, -1, 2])
    operands = [(a, k), (a.astype("int8"), k.astype("int8")), (a > 0, k > 0), (a > 0, k), (a, k / 4), (a.astype("float32"), k),
                (a.astype("float32"), k / 4), (a.astype("float32"), k.astype("int8")), (a, k * 1j), (a.astype("uint8"), k),
                (a.astype("int16"), (k * 1j).astype("complex64")), (np.array([2**62, 1]), k > 0), (np.float64(3), np.int64(2))]
    for x, y in operands:
        for name in ("convolve", "correlate", "fftconvolve", "oaconvolve"):
            same(f"{name} of {x.dtype} and {y.dtype}", getattr(mp.signal, name)(mp.asarray(x), mp.asarray(y)),
                 getattr(scipy.signal, name)(x, y), 1e-6)
    for x, y in operands[:2] + operands[4:6]:
        for name in ("convolve2d", "correlate2d"):
            same(f"{name} of {x.dtype} and {y.dtype}", getattr(mp.signal, name)(mp.asarray(x)[None], mp.asarray(y)[None], "same"),
                 getattr(scipy.signal, name)(x[None], y[None], "same"), 1e-6)
    same("convolve by transforms", mp.signal.convolve(mp.asarray(a), k, method="fft"), scipy.signal.convolve(a, k))
    same("a plan for integers", mp.signal.Convolution(mp.asarray(a), k)(mp.asarray(a)), scipy.signal.convolve(a, k))
    y = mp.zeros(32, "float32")
    same("into float32", mp.signal.convolve(mp.asarray(a), k / 4, out=y), scipy.signal.convolve(a, k / 4).astype("float32"))
    same("nothing", mp.signal.fftconvolve(mp.zeros(0), k), scipy.signal.fftconvolve(np.zeros(0), k))


def check_dtypes_of_filters():
    """Results are in single precision where all that goes into them is."""
    b, a = scipy.signal.butter(3, 0.3)
    sos = scipy.signal.butter(3, 0.3, output="sos")
    for kind in "float32", "complex64", "int16", "float64":
        v = (20 * rng.random((3, 80))).astype(kind)
        x = mp.array(v)
        for dtype in "float32", "float64":
            p, q, s = b.astype(dtype), a.astype(dtype), sos.astype(dtype)
            state = np.zeros((3, 3), dtype)
            for name, filtered in (
                ("lfilter", lambda m, x, z: m.lfilter(p, q, x)), ("lfilter of sums", lambda m, x, z: m.lfilter(p, q[:1], x, axis=0)),
                ("lfilter with a state", lambda m, x, z: m.lfilter(p, q, x, zi=z)), ("sosfilt", lambda m, x, z: m.sosfilt(s, x)),
                ("filtfilt", lambda m, x, z: m.filtfilt(p, q, x)), ("gust", lambda m, x, z: m.filtfilt(p, q, x, method="gust")),
                ("sosfiltfilt", lambda m, x, z: m.sosfiltfilt(s, x, axis=1)), ("upfirdn", lambda m, x, z: m.upfirdn(p, x, 3, 2)),
            ):
                same(f"{name} of {kind} by {dtype}", filtered(mp.signal, x, mp.array(state)), filtered(scipy.signal, v, state), 2e-4)
    v = rng.random(50).astype("float32")
    taps = np.array([1, 0.5j], "complex64")
    same("lfilter of float32 by complex64", mp.signal.lfilter(taps, np.ones(1, "float32"), mp.array(v)),
         scipy.signal.lfilter(taps, np.ones(1, "float32"), v), 1e-5)


def check_complex_coefficients():
    (x, a), b, c = pair((3, 60)), np.array([1, 2j, 0.5]), np.array([1, 0.5j])
    same("lfilter", mp.signal.lfilter(b, [1, 0.3], x), scipy.signal.lfilter(b, [1, 0.3], a), 1e-12)
    same("upfirdn", mp.signal.upfirdn(b, x, 2, 3), scipy.signal.upfirdn(b, a, 2, 3), 1e-12)
    same("freqz", (*mp.signal.freqz(b, c), *mp.signal.freqz(b)), (*scipy.signal.freqz(b, c), *scipy.signal.freqz(b)), 1e-12)
    for z, p in (([1, 2j], [0.5, 1j, -1j]), ([1, 2j, -2j], [0.5, 1j, -1j]), ([], [0.5j])):
        same(f"zpk2tf of {z} and {p}", mp.signal.zpk2tf(z, p, 2.0), scipy.signal.zpk2tf(np.array(z), np.array(p), 2.0), 1e-12)
    weights = np.array([[0, 1j, 2], [1, -1, 0], [3j, 0, 0.5]])
    for name in ("correlate", "convolve"):
        mine, theirs = (getattr(m.ndimage, name) for m in (mp, scipy))
        mine1d, theirs1d = (getattr(m.ndimage, name + "1d") for m in (mp, scipy))
        whole = [np.round(40 * np.abs(a)).astype(dtype) for dtype in ("uint8", "int32", "int64")]
        for y, d in ((x, a), (x + 1j * x[::-1], a + 1j * a[::-1]), *((mp.asarray(v), v) for v in whole)):
            same(f"ndimage.{name} of {d.dtype}", (mine(y, weights, mode="wrap"), mine1d(y, b, 0), mine1d(y, b, output="complex64")),
                 (theirs(d, weights, mode="wrap"), theirs1d(d, b, 0), theirs1d(d, b, output="complex64")), 1e-6)
            fractions = np.array([0.5 + 0.5j, 0.25, 0.1j])
            same(f"ndimage.{name}1d of {d.dtype} by fractions", mine1d(y, fractions), theirs1d(d, fractions), 1e-6)
        raises(RuntimeError, "complex", "a real output", lambda mine=mine: mine(x, weights, output=float))
    for name, function in (("lfilter's a", lambda: mp.signal.lfilter(b, c, x)), ("lfilter's state", lambda: mp.signal.lfilter(b, 1, x, zi=x)),
                           ("sections", lambda: mp.signal.sosfilt(np.ones((1, 6)) * 1j, x)),
                           ("filtfilt", lambda: mp.signal.filtfilt(b, c, x)), ("deconvolve", lambda: mp.signal.deconvolve(x[0], b)),
                           ("weights of a window", lambda: mp.signal.welch(x, window=b))):
        raises(TypeError, "complex", f"complex numbers for {name}", function)
    raises(ValueError, "conjugated pairs", "zpk2sos of no pairs", lambda: mp.signal.zpk2sos([1j, -2j], [0.1, 0.2], 1))


def check_names_of_filters():
    """Other names of windows and bands, sections of analog filters, arguments of designs."""
    for alias in """brthan bart brt black blk blackharr bkh bman box ones rect rectangular halfcosine poisson flat flt hamm
            ham han nutl nut parz par tri tuk""".split():  # fmt: skip
        same(f"window {alias}", mp.signal.get_window(alias, 20), scipy.signal.get_window(alias, 20), 1e-12)
    x, a = pair((3, 60))
    for window in (["hann"], ["han"], ["general hamming", 0.6], ["exponential"], ["general cosine", [0.5, 0.3, 0.2]]):
        for ending, fftbins in (("_symmetric", False), ("_periodic", True)):
            same(f"window {window}{ending}", mp.signal.get_window((window[0] + ending, *window[1:]), 20, not fftbins),
                 scipy.signal.get_window(tuple(window), 20, fftbins), 1e-12)
    same("a window that is symmetric alone", mp.signal.get_window(("kaiser bessel derived_symmetric", 4.0), 20),
         scipy.signal.get_window(("kaiser bessel derived", 4.0), 20, False), 1e-12)
    for window in ("general cosine", "general cosine_symmetric", (("hann",), 2.0), ()):
        raises(ValueError, "", f"window {window}", lambda: mp.signal.get_window(window, 20))  # noqa: B023
    same("spectra with a symmetric window", mp.signal.welch(x, window="hann_symmetric", nperseg=16),
         scipy.signal.welch(a, window=scipy.signal.get_window("hann", 16, False)), 1e-11)
    for alias in "l lp low high hp h band pass bp stop bands bs".split():
        edges = 0.3 if alias[0] in "lh" else [0.3, 0.6]
        same(f"band {alias}", mp.signal.butter(3, edges, alias), scipy.signal.butter(3, edges, alias), 1e-12)
    raises(ValueError, "two frequencies", "a band of one", lambda: mp.signal.firwin(9, 0.3, pass_zero="bandpass"))
    raises(ValueError, "one frequency", "a lowpass of two",
           lambda: mp.signal.firwin(9, [0.3, 0.5], pass_zero="lowpass"))
    raises(ValueError, "must have 2", "a band of one edge", lambda: mp.signal.butter(2, 0.3, "band"))
    for n in (1, 2, 4, 5):
        for name, more in (("butter", ()), ("cheby1", (1.0,)), ("cheby2", (40.0,)), ("ellip", (1.0, 40.0)), ("bessel", ())):
            for btype, edges in (("low", 1.5), ("high", 2.0), ("band", [1, 3.0]), ("stop", [1, 3.0])):
                got, want = (getattr(m.signal, name)(n, *more, edges, btype, analog=True, output="sos") for m in (mp, scipy))
                w = np.linspace(0, 6, 50)
                responses = [np.prod([np.polyval(s[:3], 1j * w) / np.polyval(s[3:], 1j * w) for s in sos], axis=0)
                             for sos in (got, want)]
                ok(got.shape == want.shape and np.allclose(*responses, atol=1e-9), f"analog sections of {name} {n} {btype}")
    for n in (3, 4):
        got, want = (m.signal.butter(n, 1.5, analog=True, output="sos") for m in (mp, scipy))
        ok(np.allclose(got, want), f"analog sections of order {n}, in SciPy's order")
    raises(ValueError, "no sections", "more zeros than poles", lambda: mp.signal.tf2sos([1, 2, 3], [1, 2], analog=True))
    raises(ValueError, "only one", "another pairing", lambda: mp.signal.tf2sos([1, 2], [1, 2], "keep_odd"))
    for pass_zero, edges in (("bandpass", [0.3, 0.5]), ("highpass", 0.3), (True, [0.2, 0.5]), ("lowpass", 0.4)):
        same(f"firwin with a width, {pass_zero}", mp.signal.firwin(31, edges, width=0.1, pass_zero=pass_zero),
             scipy.signal.firwin(31, edges, width=0.1, pass_zero=pass_zero), 1e-12)
    raises(ValueError, "'foo'", "another pass_zero", lambda: mp.signal.firwin(5, 0.3, pass_zero="foo"))
    raises(ValueError, "a name, a tuple", "a window that is an array", lambda: mp.signal.firwin(5, 0.3, window=np.ones(5)))
    raises(ValueError, "'none'", "another type", lambda: mp.signal.remez(5, [0.1, 0.4], [1], fs=1, type="none"))
    same("freqz to half the rate", mp.signal.freqz([1, 2], [1, 0.5], 20, include_nyquist=True),
         scipy.signal.freqz([1, 2], [1, 0.5], 20, include_nyquist=True), 1e-12)


def check_ends_and_windows():
    """What lies beyond the ends, windows as arrays, resampling with windows, limits of peaks that are arrays."""
    x, a = pair((3, 60))
    for mode in ("edge", "reflect", "symmetric", "wrap", "constant", "smooth", "antisymmetric", "antireflect", "line"):
        cval = 1.5 if mode == "constant" else 0
        for up, down, axis in ((2, 3, -1), (3, 2, 0), (4, 6, 1)):
            same(f"upfirdn {up} / {down}, {mode}", mp.signal.upfirdn([1, 2, 3, 0.5, 0.2], x, up, down, axis, mode, cval),
                 scipy.signal.upfirdn([1, 2, 3, 0.5, 0.2], a, up, down, axis, mode, cval), 1e-12)
            same(f"resample_poly {up} / {down}, {mode}", mp.signal.resample_poly(x, up, down, axis, padtype=mode, cval=cval or None),
                 scipy.signal.resample_poly(a, up, down, axis, padtype=mode, cval=cval or None), 1e-12)
        for n in (2, 3, 7):  # which the taps reach beyond several times
            taps = rng.standard_normal(23)
            same(f"upfirdn of {n}, {mode}", mp.signal.upfirdn(taps, x[:, :n], 1, 2, mode=mode),
                 scipy.signal.upfirdn(taps, a[:, :n], 1, 2, mode=mode), 1e-11)
    for padtype in ("mean", "median", "minimum", "maximum"):
        same(f"resample_poly, {padtype}", mp.signal.resample_poly(x, 3, 2, 1, padtype=padtype),
             scipy.signal.resample_poly(a, 3, 2, 1, padtype=padtype), 1e-12)
    raises(ValueError, "'none' is none of", "another mode", lambda: mp.signal.upfirdn([1], x, mode="none"))
    for window in (np.hanning(16), mp.signal.windows.hann(16)):
        there = np.asarray(window)
        for name, arguments in (("welch", 1), ("csd", 2), ("coherence", 2), ("spectrogram", 1)):
            same(f"{name}, a window that is an array", getattr(mp.signal, name)(*[x, x * x][:arguments], window=window),
                 getattr(scipy.signal, name)(*[a, a * a][:arguments], window=there), 1e-11)
        same("stft", mp.signal.stft(x, window=window), scipy.signal.stft(a, window=there, nperseg=16), 1e-12)
    def half_mean(d):
        return d - d.mean(axis=-1, keepdims=True) * 0.5

    for n, overlap in ((20, None), (32, 10), (17, 0)):
        more = {"nperseg": n, "noverlap": overlap, "detrend": half_mean}
        for name, arguments in (("welch", 1), ("csd", 2), ("coherence", 2), ("spectrogram", 1)):
            same(f"{name}, a function for trends", getattr(mp.signal, name)(*[x, x * x][:arguments], 2.0, **more),
                 getattr(scipy.signal, name)(*[a, a * a][:arguments], 2.0, **more), 1e-10)
    shapes = set()

    def first_half(d):
        shapes.add(tuple(d.shape))
        return d - d[:1] * 0.5

    for function in (half_mean, first_half):
        more = {"nperseg": 16, "detrend": function}
        for name, arguments in (("welch", 1), ("csd", 2), ("coherence", 2)):  # before 1.16 SciPy kept the samples' axis
            f, p = getattr(scipy.signal, name)(*[a, a * a][:arguments], **more)
            shapes.clear()
            got = getattr(mp.signal, name)(*[x.T, x.T * x.T][:arguments], axis=0, **more)
            same(f"{name} along an axis, {function.__name__}", got, (f, p.T), 1e-10)
            ok(all(shape[-1] == 16 for shape in shapes), f"the samples are along the last axis: {shapes}")
        shapes.clear()
        same(f"spectrogram along an axis, {function.__name__}", mp.signal.spectrogram(x.T, axis=0, **more),
             scipy.signal.spectrogram(a.T, axis=0, **more), 1e-10)
    ok(all(shape[0] == 16 for shape in shapes), f"the samples of spectrogram are along the axis: {shapes}")
    same("periodogram, a function for trends", mp.signal.periodogram(x, detrend=half_mean), scipy.signal.periodogram(a, detrend=half_mean), 1e-11)
    raises(ValueError, "ShortTimeFFT", "a function for trends of stft", lambda: mp.signal.stft(x, detrend=half_mean))
    for n in (40, 60, 70):
        taps = np.hanning(min(n, 60))
        same(f"periodogram, taps and nfft={n}", mp.signal.periodogram(x, window=taps, nfft=n),
             scipy.signal.periodogram(a, window=taps, nfft=n), 1e-11)
        same(f"periodogram, nfft={n} along an axis", mp.signal.periodogram(x.T, nfft=n, axis=0, detrend="linear"),
             scipy.signal.periodogram(a.T, nfft=n, axis=0, detrend="linear"), 1e-11)
        same(f"periodogram, a function for trends and nfft={n}", mp.signal.periodogram(x, nfft=n, detrend=half_mean),
             scipy.signal.periodogram(a, nfft=n, detrend=half_mean), 1e-11)
    for up, down in ((1, 0), (0, 1), (0, 0)):
        raises(ValueError, "1 or more", f"upfirdn {up} / {down}", lambda: mp.signal.upfirdn([1.0, 2], x, up, down))
        raises(ValueError, "1 or more", f"resample_poly {up} / {down}", lambda: mp.signal.resample_poly(x, up, down))
    raises(ValueError, "nperseg", "another length", lambda: mp.signal.welch(x, window=np.ones(4), nperseg=5))
    same("resample_poly, taps that are an array", mp.signal.resample_poly(x, 3, 2, 1, mp.signal.windows.hann(21)),
         scipy.signal.resample_poly(a, 3, 2, 1, scipy.signal.windows.hann(21)), 1e-12)
    for boundary in ("zeros", "even", "odd", "constant"):
        for n, axis in ((16, -1), (15, 0), (60, -1), (1, -1)):
            got, want = (m.signal.stft(y.T if axis == 0 else y, 2.0, nperseg=n, boundary=boundary, axis=axis)
                         for m, y in ((mp, x), (scipy, a)))
            same(f"stft, boundary {boundary}, {n}", got, want, 1e-12)
    for num in (30, 31, 60, 91):
        for window in (("kaiser", 3.0), mp.signal.windows.hann(60), lambda f: np.exp(-f * f) + f):
            there = np.asarray(window) if isinstance(window, mp.ndarray) else window
            for scale in (1, 1 + 2j):
                same(f"resample to {num}", mp.signal.resample(x * scale, num, axis=1, window=window),
                     scipy.signal.resample(a * scale, num, axis=1, window=there), 1e-11)
        same("resample a spectrum", mp.signal.resample(mp.fft.fft(x), num, axis=1, domain="freq"),
             scipy.signal.resample(np.fft.fft(a), num, axis=1, domain="freq"), 1e-11)
    t = np.arange(60) * 0.5 + 1
    same("resample with times", mp.signal.resample(x, 40, t, 1), scipy.signal.resample(a, 40, t, 1), 1e-12)
    zi = np.ones((1, 2))
    same("a state that is broadcast", mp.signal.lfilter([1, 0.5, 0.2], [1, 0.3], x, zi=zi),
         scipy.signal.lfilter([1, 0.5, 0.2], [1, 0.3], a, zi=zi), 1e-12)
    line, h = a.ravel(), rng.random(180)
    for limits in ({"height": h}, {"height": (h, h + 1)}, {"height": (None, h)}, {"threshold": h, "prominence": h},
                   {"width": (h, 3)}, {"distance": 3, "prominence": (h, 2 * h)}, {"plateau_size": h},
                   {"height": h - 0.5, "distance": 4}, {"threshold": h / 8, "distance": 3, "width": 1, "prominence": (0.1, 3)},
                   {"height": (h - 0.5, None), "distance": 2.5, "prominence": h, "plateau_size": 1},
                   {"height": h + 99, "distance": 2}):
        (got, mine), (want, theirs) = mp.signal.find_peaks(mp.asarray(line), **limits), scipy.signal.find_peaks(line, **limits)
        same(f"find_peaks, arrays of {list(limits)}", (got, *[mine[name] for name in theirs]), (want, *theirs.values()), 1e-11)
    peaks = scipy.signal.find_peaks(line)[0]
    for wlen in (None, 9):
        mine, theirs = (m.signal.peak_prominences(v, peaks, wlen) for m, v in ((mp, mp.asarray(line)), (scipy, line)))
        same("peak_widths of prominences", mp.signal.peak_widths(mp.asarray(line), peaks, 0.5, mine, wlen),
             scipy.signal.peak_widths(line, peaks, 0.5, theirs), 1e-12)
    raises(ValueError, "prominence_data", "other prominences", lambda: mp.signal.peak_widths(mp.asarray(line), peaks, 0.5, mine))
    for comparator in (np.less_equal, mp.greater_equal, operator.lt):
        there = getattr(np, {"lt": "less"}.get(comparator.__name__, comparator.__name__))
        same(f"argrelextrema of {comparator.__name__}", mp.signal.argrelextrema(x, comparator, 1), scipy.signal.argrelextrema(a, there, 1))
    b = rng.standard_normal((2, 1, 50))
    for name in ("csd", "coherence"):
        for first, other, axis in ((a, b, -1), (a, a[0, :40], -1), (a.T, b[:1, 0].T, 0)):
            equal = first, np.pad(other, [(0, 60 - n if n in (40, 50) else 0) for n in other.shape])
            # SciPy 1.17 and 1.18 do not broadcast as those before did
            f, want = scipy.signal.csd(*np.broadcast_arrays(*equal), nperseg=4, axis=axis)
            if name == "coherence":
                powers = [scipy.signal.welch(v, nperseg=4, axis=axis)[1] for v in (first, other)]
                want = abs(want) ** 2 / powers[0] / powers[1]
            same(f"{name} of {first.shape} and {other.shape}",
                 getattr(mp.signal, name)(mp.asarray(first), mp.asarray(other), nperseg=4, axis=axis),
                 (f, want), 1e-9)
    for first, other, axis in ((a[0], a[0, :0], 0), (a.T, b[:1, 0, :0].T, 0), (a[:, :0].T, b[:1, 0].T, 0),
                               (a[:, :0], a, -1)):
        for name in ("csd", "coherence"):
            same(f"{name} of {first.shape} and {other.shape}, axis {axis}",
                 getattr(mp.signal, name)(mp.asarray(first), mp.asarray(other), axis=axis),
                 scipy.signal.csd(first, other, axis=axis))
    spectrum = rng.standard_normal((3, 20))
    for n, num, window in itertools.product((20, 19), (8, 11, 20, 30), (None, "hann", np.arange(19) + 1.0)):
        for dtype, rtol in (("float64", 1e-11), ("float32", 1e-5)):
            given = np.resize(window, n) if isinstance(window, np.ndarray) else window
            y = spectrum[:, :n].astype(dtype)
            if isinstance(given, str) and n % 2 and not scipy_since("1.16"):
                continue  # which puts another one of the two middle values at frequency 0
            # of real numbers SciPy takes half before 1.16
            want = scipy.signal.resample(y + 0j, num, axis=1, window=given, domain="freq")
            same(f"resample of {n} real frequencies of {dtype} to {num}, {window!r:.6}",
                 mp.signal.resample(mp.asarray(y), num, axis=1, window=given, domain="freq"),
                 want.astype("complex64" if dtype == "float32" else complex), rtol)
    ok(mp.signal.hilbert2(a.astype("float32")).dtype == "complex64", "hilbert2 of float32")
    for name in ("welch", "periodogram", "stft"):
        same(f"{name} of nothing", getattr(mp.signal, name)(mp.zeros((3, 0))), [np.zeros((3, 0))] * (3 if name == "stft" else 2))
    for shape in ((0,), (3, 0), (0, 3)):
        same(f"upfirdn of nothing, {shape}", mp.signal.upfirdn([1, 2, 3], mp.zeros(shape)), scipy.signal.upfirdn([1, 2, 3], np.zeros(shape)))


def check_filters():
    a = rng.standard_normal((3, 400))
    x = mp.asarray(a)
    b, c = scipy.signal.butter(3, 0.2)
    sos = mp.signal.butter(3, 0.2, output="sos")
    ok(np.allclose(mp.signal.butter(3, 0.2), (b, c), 1e-10), "butter")
    ok(np.allclose(mp.signal.firwin(31, 0.3), scipy.signal.firwin(31, 0.3)), "firwin")
    ok(np.allclose(mp.signal.remez(41, [0, 0.1, 0.15, 0.5], [1, 0], fs=1), scipy.signal.remez(41, [0, 0.1, 0.15, 0.5],
       [1, 0], fs=1), atol=1e-3), "remez")
    ok(np.allclose(mp.signal.freqz(b, c)[1], scipy.signal.freqz(b, c)[1]), "freqz")
    z, p, k = mp.signal.tf2zpk(b, c)
    ok(np.allclose(mp.signal.zpk2tf(z, p, k), (b, c)), "tf2zpk")
    for over, under in (([1, -3, 2], [1, 0.5]), ([1.0], [1, -1, 0.25]), ([3, 2, 0], [1, 0, 1]), ([3], [2]), ([1j, 2], [1, 2, 5])):
        (*got, k), (*want, gain) = mp.signal.tf2zpk(over, under), scipy.signal.tf2zpk(over, under)
        ok(np.isclose(k, gain) and all(r.dtype == w.dtype and np.allclose(np.sort(r.round(9)), np.sort(w.round(9))) for r, w in zip(got, want)),
           f"tf2zpk of {over} and {under}: {got}")
    for over, under in (([0, 0], [1j]), ([1j], [0])):
        raises(ValueError, "all be 0", f"tf2zpk of {over} and {under}", lambda: mp.signal.tf2zpk(over, under))  # noqa: B023
    parameters = {"chebwin": (60,), "dpss": (2.5,), "exponential": (None, 3.0), "gaussian": (4.0,),
                  "general_cosine": ([1, 0.5],), "general_gaussian": (1.5, 4.0), "general_hamming": (0.6,),
                  "kaiser": (5,), "kaiser_bessel_derived": (5,), "taylor": (5,), "tukey": (0.3,)}  # fmt: skip
    theirs = scipy.signal.windows
    for name in dir(mp.signal.windows):
        for sym in (True, False)[: 1 if name == "kaiser_bessel_derived" else 2]:
            if name != "get_window":
                arguments = 40, *parameters.get(name, ())
                same(f"windows.{name}, {sym}", getattr(mp.signal.windows, name)(*arguments, sym=sym),
                     getattr(theirs, name)(*arguments, sym=sym), 1e-10)
    for m, named in ((31, {"Kmax": 4}), (32, {"Kmax": 3, "sym": False}), (32, {"norm": "subsample"}), (32, {"norm": 2, "return_ratios": True}),
                     (40, {"Kmax": 4, "return_ratios": True, "norm": "approximate"}), (33, {"return_ratios": True, "sym": False})):
        same(f"dpss of {m}, {named}", mp.signal.windows.dpss(m, 2.5, **named), theirs.dpss(m, 2.5, **named), 1e-9)
    for m, nw, count in ((2, 0.9, 2), (3, 1, 3), (31, 2.5, 31), (2048, 4, 4)):
        got, want = (module.dpss(m, nw, count, return_ratios=True) for module in (mp.signal.windows, theirs))
        same(f"the first {count} dpss of {m}", got, want, 1e-9)
    half = np.sqrt(0.5)
    same("two dpss of 2", mp.signal.windows.dpss(2, 0.5, 2), np.array([[half, half], [half, -half]]), 1e-12)
    raises(ValueError, "'foo'", "another norm of dpss", lambda: mp.signal.windows.dpss(8, 2, norm="foo"))
    raises(TypeError, "std", "a window without its parameter", lambda: mp.signal.windows.gaussian(5))
    same("get_window", mp.signal.get_window(("tukey", 0.3), 40), scipy.signal.get_window(("tukey", 0.3), 40), 1e-12)
    same("lfilter", mp.signal.lfilter(b, c, x, axis=0), scipy.signal.lfilter(b, c, a, axis=0), 1e-12)
    zi = np.outer(np.ones(3), mp.signal.lfilter_zi(b, c))
    same("lfilter zi", mp.signal.lfilter(b, c, x, zi=mp.asarray(zi)), scipy.signal.lfilter(b, c, a, zi=zi), 1e-11)
    same("sosfilt", mp.signal.sosfilt(sos, x), scipy.signal.sosfilt(sos, a), 1e-12)
    same("filtfilt", mp.signal.filtfilt(b, c, x), scipy.signal.filtfilt(b, c, a), 1e-11)
    same("savgol_filter", mp.signal.savgol_filter(x, 9, 3), scipy.signal.savgol_filter(a, 9, 3), 1e-11)
    same("welch", mp.signal.welch(x, 8.0, nperseg=50), scipy.signal.welch(a, 8.0, nperseg=50), 1e-12)
    frames = a[..., :128].reshape(-1, 4, 32) * scipy.signal.firwin(128, 1 / 32).reshape(4, 32)
    same("channelize", mp.signal.channelize(x[..., :128], 32, 4), np.fft.rfft(frames.sum(1)).reshape(*a.shape[:-1], 1, 17),
         1e-12)
    nibbles = np.array([[0x12, 0xF8]], "u1")
    same("unpack_samples", mp.signal.unpack_samples(mp.asarray(nibbles), 4), np.array([[1, 2, -1, -8]], "i1"))
    same("stft", mp.signal.stft(x, nperseg=64), scipy.signal.stft(a, nperseg=64), 1e-12)
    _, _, z = mp.signal.stft(x, nperseg=64)
    same("istft", mp.signal.istft(z, nperseg=64)[1], scipy.signal.istft(z.numpy(), nperseg=64)[1], 1e-12)
    same("hilbert", mp.signal.hilbert(x), scipy.signal.hilbert(a), 1e-12)
    same("decimate", mp.signal.decimate(x, 4), scipy.signal.decimate(a, 4), 1e-9)
    same("resample_poly", mp.signal.resample_poly(x, 3, 2, axis=1), scipy.signal.resample_poly(a, 3, 2, axis=1), 1e-12)


def check_ndimage():
    a = rng.standard_normal((9, 12))
    x, nd = mp.array(a), scipy.ndimage
    same("median_filter", mp.ndimage.median_filter(x, 3, mode="wrap"), nd.median_filter(a, 3, mode="wrap"))
    same("gaussian_filter", mp.ndimage.gaussian_filter(x, [1, 2], 1), nd.gaussian_filter(a, [1, 2], 1), 1e-10)
    same("rank_filter", mp.ndimage.rank_filter(x, -2, size=(2, 3)), nd.rank_filter(a, -2, size=(2, 3)))
    same("correlate", mp.ndimage.correlate(x, [[1, 2]]), nd.correlate(a, [[1, 2]]), 1e-10)
    same("grey_opening", mp.ndimage.grey_opening(x, 3), nd.grey_opening(a, 3))
    same("binary_erosion", mp.ndimage.binary_erosion(x > 0, [[1, 1]]), nd.binary_erosion(a > 0, [[1, 1]]))
    labels, count = mp.ndimage.label(x > 0.3)
    right, found = nd.label(a > 0.3)
    same("label", labels, right)
    ok(count == found and mp.ndimage.find_objects(labels) == nd.find_objects(right), "find_objects")
    ok(np.allclose(mp.ndimage.mean(x, labels, [1, 2]), nd.mean(a, right, [1, 2])), "means by label")
    same("into an array", mp.ndimage.sobel(x, output=mp.empty_like(x)), nd.sobel(a), 1e-10)


def check_filters_of_images():
    """Bools, arrays of NumPy's as outputs, and what was refused or gave something else."""
    nd, a = scipy.ndimage, rng.standard_normal((9, 12))
    x, b = mp.asarray(a), a > 0
    y = mp.asarray(b)
    for name, more in (("uniform_filter", {"size": 3}), ("correlate1d", {"weights": [0.5, 0.5, 0.0]}),
                       ("correlate", {"weights": [[0.5, 0.7, 0.1]]}), ("shift", {"shift": 0.5, "order": 1})):
        mine, theirs = getattr(mp.ndimage, name), getattr(nd, name)
        same(f"{name} of bools", mine(y, **more), theirs(b, **more))
        same(f"{name} into bools", mine(x * x, output=bool, **more), theirs(a * a, output=bool, **more))
    out = np.empty(a.shape, "float32")
    for name, more in (("sobel", {}), ("median_filter", {"size": 3}), ("spline_filter", {}), ("shift", {"shift": 1}),
                       ("grey_erosion", {"size": 3})):
        got = getattr(mp.ndimage, name)(x, output=out, **more)
        same(f"{name} into an array of NumPy's", out, getattr(nd, name)(a, output="float32", **more), 1e-5)
        ok(got is out, "which it gives")
    same("rank and percentile by name", (mp.ndimage.rank_filter(x, rank=2, size=3), mp.ndimage.percentile_filter(x, percentile=20, size=3)),
         (nd.rank_filter(a, rank=2, size=3), nd.percentile_filter(a, percentile=20, size=3)))
    modes = ["wrap", "nearest"]
    same("modes of derivatives", (mp.ndimage.gaussian_laplace(x, 1, mode=modes), mp.ndimage.gaussian_gradient_magnitude(x, 1, mode=modes)),
         (nd.gaussian_laplace(a, 1, mode=modes), nd.gaussian_gradient_magnitude(a, 1, mode=modes)), 1e-12)
    same("nothing has to be missed", mp.ndimage.binary_hit_or_miss(y, np.ones((2, 2))), nd.binary_hit_or_miss(b, np.ones((2, 2))))
    for name in ("fourier_gaussian", "fourier_uniform", "fourier_shift"):
        same(f"{name} of nothing", getattr(mp.ndimage, name)(x[:0], 1), getattr(nd, name)(a[:0], 1))


def check_smoothing():
    """scipy.signal.whittaker_henderson; that of C is compared with whole matrices in signal/smoothing.py."""
    a, weights = np.sin(np.arange(70) / 8) + np.random.default_rng(3).standard_normal(70), rng.uniform(0.5, 2, 70)
    x, smooth = mp.asarray(a), mp.signal.whittaker_henderson
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        straight = smooth(x, lamb=float("inf"))
    ok(caught and straight.lamb == float("inf"), "an infinite lamb warns")
    same("and gives a straight line", straight.x, np.polyval(np.polyfit(np.arange(70), a, 1), np.arange(70)), 1e-11)
    few = (np.arange(70) % 7 == 0).astype("uint8") * 3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = smooth(np.where(few, a, np.nan), lamb=1e300, weights=few, order=3).x
        none, one = (smooth(x, weights=(np.arange(70) < count).astype(float)) for count in (0, 1))
    ok(len(caught) == 3 and none.lamb == one.lamb == float("inf"), f"what warns {len(caught)} {none.lamb} {one.lamb}")
    places = np.arange(0, 70, 7)
    same("a parabola by few elements", fitted, np.polyval(np.polyfit(places, a[places], 2), np.arange(70)), 1e-10)
    same("without weights", (none.x, one.x[0]), (np.zeros(70), a[0]), 1e-12)
    raises(ValueError, "element 1 of the signal", "NaN with a weight", lambda: smooth([1.0, np.nan, 2.0, 3.0]))
    for lamb in (-1, float("nan"), "ml"):
        raises(ValueError, "lamb is", f"lamb={lamb}", lambda: smooth(x, lamb=lamb))  # noqa: B023
    ok(smooth(x, lamb=2).lamb == 2 and smooth(x).lamb > 0, "lamb that is given, and that is found")
    if not scipy_since("1.18"):  # the first to have it
        return
    theirs = scipy.signal.whittaker_henderson
    for order in (1, 2, 3):
        for w in (None, weights):
            for lamb in (0, 0.5, 30.0, "reml"):
                got, want = smooth(x, lamb=lamb, order=order, weights=w), theirs(a, lamb=lamb, order=order, weights=w)
                name = f"whittaker_henderson, order {order}, lamb {lamb}"
                same(name, got.x, want.x, 1e-4 if lamb == "reml" else 1e-9)
                ok(np.isclose(got.lamb, want.lamb, 1e-3 if lamb == "reml" else 0), f"{name}: {got.lamb}, {want.lamb}")
    weights[10:20] = weights[-3:] = 0
    missing = np.where(weights > 0, a, np.nan)
    got, want = (function(missing, lamb=3, weights=weights) for function in (smooth, theirs))
    same("elements that are missing", got.x, want.x, 1e-9)
    same("integers", smooth(mp.arange(9) ** 2 % 5, lamb=1).x, theirs(np.arange(9) ** 2 % 5, lamb=1).x, 1e-11)
    for arguments in ((a[:2],), (a.reshape(7, 10),)):
        raises(ValueError, "", f"whittaker_henderson of {arguments[0].shape}", lambda: smooth(*arguments))  # noqa: B023
        raises(ValueError, "", "so does SciPy's", lambda: theirs(*arguments))  # noqa: B023
    raises(ValueError, "", "order 0", lambda: smooth(x, order=0))
    raises(ValueError, "", "weights of another shape", lambda: smooth(x, weights=weights[1:]))


def check_measurements():
    """Measurements of labels: of no label, of a grid of labels, of bools, of labels that are broadcast."""
    nd, a, labels = scipy.ndimage, rng.permutation(30).reshape(5, 6) + 1, rng.permutation(np.arange(30) % 4).reshape(5, 6)
    names = ("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "minimum_position", "maximum_position",
             "center_of_mass", "extrema")
    for values in (a, a > 4, a * 0.5, (a * 0.5).astype("float32")):
        bound = 1e-5 if values.dtype == "float32" else 1e-12  # variances of one part are SciPy's in float32
        for name in names:
            mine, theirs = getattr(mp.ndimage, name), getattr(nd, name)
            for index in (None, 1, [2], [3, 1, 1], [], [[1, 2], [2, 3]])[: 5 if name == "center_of_mass" else 6]:
                if values.dtype == bool and np.ndim(index) and name[-4:] in ("tion", "rema"):
                    continue  # of several equal extremes SciPy has any
                got, want = mine(mp.asarray(values), labels, index), theirs(values, labels, index)
                parts = list(zip(got, want)) if name == "extrema" else [(got, want)]
                same(f"{name} of {values.dtype}, index {index}", [g for g, _ in parts], [w for _, w in parts], bound)
            alone = mine(mp.asarray(values), None, 1), theirs(values, None, 1)
            same(f"{name} without labels", *[v[0] if name == "extrema" else v for v in alone], bound)
        line = labels[0]
        same("labels of each row", mp.ndimage.mean(mp.asarray(values), line, [line.max()]), nd.mean(values, line, [line.max()]), 1e-12)
    z = rng.permutation(a.ravel() % 7 + 1j * a.ravel()).reshape(a.shape)  # several have the same real parts
    for values, index in itertools.product((z, z.astype("complex64")), (None, 1, [2], [3, 1, 1], [], [[1, 2], [2, 3]])):
        for name in ("minimum", "maximum", "minimum_position", "maximum_position", "extrema"):
            got = getattr(mp.ndimage, name)(mp.asarray(values), labels, index)
            want = getattr(nd, name)(values, labels, index)
            parts = list(zip(got, want)) if name == "extrema" else [(got, want)]
            same(f"{name} of {values.dtype}, index {index}", [g for g, _ in parts], [w for _, w in parts])
    same("extrema of complex numbers without labels", mp.ndimage.extrema(mp.asarray(z)), nd.extrema(z))
    same("extrema of labels that are not there", mp.ndimage.extrema(mp.asarray(z), labels, [9, 1])[0][0], 0j)
    got = mp.ndimage.extrema(mp.asarray(np.where(labels == 2, np.nan, z)), labels, [1, 2])
    ok(np.isnan(got[0][1]) and np.isnan(got[1][1]) and got[2][1] == got[3][1] == (-1, -1)
       and got[0][0] == nd.minimum(z, labels, 1), "extrema of complex numbers with NaN")
    ok(mp.ndimage.mean(mp.asarray(a), labels, [[1, 2], [2, 3]]).shape == (2, 2), "the shape of an index")
    ok(mp.ndimage.minimum_position(mp.asarray(a), labels, [[1, 2]]) == nd.minimum_position(a, labels, [[1, 2]]), "positions of a grid")
    for dtype in ("float16", "uint8", "complex64"):
        for index in (None, 1):
            same(f"sum_labels of {dtype}, {index}", mp.ndimage.sum_labels(mp.asarray(a.astype(dtype)), labels, index),
                 nd.sum_labels(a.astype(dtype), labels, index))
    big = np.array([2**62, 1, 1])
    ok(mp.ndimage.sum(mp.asarray(big), [1, 1, 0], 1) == 2**62 + 1 == nd.sum_labels(big, [1, 1, 0], 1), "sums of integers are exact")


def slices_of(x, win, hop, first, last, mfft, shift, k_offset=0):
    """The short-time Fourier transform by its sum; with `shift` None, phases count from a slice's first sample."""
    mid, place = len(win) // 2, np.arange(len(win))
    phase = place if shift is None else place - (shift + mid) % len(win)
    kernel = np.exp(-2j * np.pi * np.arange(mfft)[:, None] * phase / mfft) * win.conj()
    padded = np.concatenate([np.zeros(100), x, np.zeros(100)])
    return np.stack([kernel @ padded[100 + k_offset + p * hop - mid + place] for p in range(first, last)], axis=-1)


def check_short_time():
    """ShortTimeFFT by its definition, and by SciPy where this one has it (from 1.12 on)."""
    theirs = getattr(scipy.signal, "ShortTimeFFT", None)
    for m, hop, mode, mfft, shift in ((12, 4, "onesided", 12, 0), (9, 5, "centered", 16, None), (8, 3, "twosided", 9, -2),
                                      (7, 7, "onesided2X", 10, 3), (5, 8, "onesided", 5, 1)):
        win = rng.uniform(0.5, 1, m)
        kwargs = {"fft_mode": mode, "mfft": mfft, "phase_shift": shift,
                  "scale_to": "psd" if mode == "onesided2X" else None}
        mine = mp.signal.ShortTimeFFT(win, hop, 2.0, **kwargs)
        x, a = pair((37,))
        want = slices_of(a, mine.win, hop, mine.p_min, mine.p_max(37), mfft, shift)
        if mode.startswith("onesided"):
            want = want[: mfft // 2 + 1]
        if mode == "onesided2X":
            want[1 : -1 if mfft % 2 == 0 else None] *= np.sqrt(2)
        if mode == "centered":
            want = np.fft.fftshift(want, axes=0)
        z, name = mine.stft(x), f"ShortTimeFFT {m} {hop} {mode} {mfft} {shift}"
        same(name, z, want, 1e-12)
        same(name + ", spectrogram", mine.spectrogram(x), np.abs(want) ** 2, 1e-12)
        grid = (mine.t(37)[1] - mine.t(37)[0], mine.f[1] - mine.f[0], len(mine.f), z.shape)
        ok(np.allclose(grid[:2], (mine.delta_t, mine.delta_f)) and grid[2:] == (mine.f_pts, (mine.f_pts, mine.p_num(37))),
           name + ", its grid")
        if mine.invertible:
            back = mine.istft(z, k1=37)
            same(name + ", and back", back.real if mode in ("centered", "twosided") else back, a, 1e-12)
            same("a part of it", mine.istft(z, 3, 30).real, a[3:30], 1e-12)
        two, b = pair((4, 33))
        same(name + ", along an axis", mine.stft(two.T, axis=0, k_offset=1, padding="zeros").numpy()[:, 2],
             mine.stft(b[2], k_offset=1).numpy(), 1e-12)
        if theirs:
            other = theirs(win, hop, 2.0, **kwargs)
            for padding in "even", "odd", "edge":
                same(f"{name}, {padding}", mine.stft_detrend(x, "linear", padding=padding),
                     other.stft_detrend(a, "linear", padding=padding), 1e-11)
            if not scipy_since("1.17"):
                continue  # earlier ones ended borders elsewhere
            ok((mine.lower_border_end, mine.upper_border_begin(37), mine.k_min, mine.k_max(37)) == (
                other.lower_border_end, other.upper_border_begin(37), other.k_min, other.k_max(37)), name + ", borders")
    odd = mp.signal.ShortTimeFFT(np.ones(11), 11, 1.0, phase_shift=None).stft(mp.asarray([1.0, 2, 4, 8, 16, 5, 7]), padding="odd")
    line = np.pad([1.0, 2, 4, 8, 16, 5, 7], (5, 30), "reflect", reflect_type="odd")
    same("padding odd", odd[:, 0], np.fft.rfft(line[:11]), 1e-12)
    hann = mp.signal.ShortTimeFFT.from_window("hann", 8.0, 16, 12, scale_to="magnitude")
    same("from_window", hann.win, scipy.signal.get_window("hann", 16) / 8, 1e-14)
    dual = mp.signal.ShortTimeFFT.from_dual(hann.dual_win, 4, 8.0)
    same("from_dual", dual.win, hann.win, 1e-13)
    unitary = mp.signal.ShortTimeFFT.from_win_equals_dual(np.hanning(10) + 0.1, 5, 1.0, scale_to="unitary")
    ok(np.allclose(unitary.win * 10, unitary.dual_win) and unitary.scaling == "unitary" and unitary.invertible,
       "from_win_equals_dual")
    ok(hann.extent(64) == (hann.p_min * 0.5, hann.p_max(64) * 0.5, 0.0, 9 * 0.5), "extent")
    for words, wrong in (("complex windows", lambda: mp.signal.ShortTimeFFT(np.ones(3) + 1j, 1, 1.0)),
                         ("hop is 0", lambda: mp.signal.ShortTimeFFT(np.ones(3), 0, 1.0)),
                         ("at least the length", lambda: mp.signal.ShortTimeFFT(np.ones(3), 1, 1.0, mfft=2)),
                         ("needs a scaling", lambda: mp.signal.ShortTimeFFT(np.ones(3), 1, 1.0, fft_mode="onesided2X")),
                         ("no inverse", lambda: mp.signal.ShortTimeFFT(np.ones(3), 4, 1.0).dual_win),
                         ("needs at least 8", lambda: hann.stft(mp.ones(5)))):
        raises(ValueError, words, "ShortTimeFFT", wrong)
