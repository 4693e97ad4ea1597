# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's filters, their design, windows and spectra.  Coefficients are NumPy's arrays, the same on all ranks;
what they are applied to are arrays of Maniple."""

import ctypes
import math

import numpy as np

from ._array import as_array, into, made, ndarray
from ._library import call, constant, struct
from ._names import names

__all__ = [
    "bessel",
    "bilinear_zpk",
    "argrelextrema",
    "argrelmax",
    "argrelmin",
    "butter",
    "channelize",
    "cheby1",
    "cheby2",
    "coherence",
    "csd",
    "czt",
    "decimate",
    "deconvolve",
    "detrend",
    "ellip",
    "filtfilt",
    "find_peaks",
    "firwin",
    "firwin2",
    "freqz",
    "get_window",
    "hilbert",
    "iirnotch",
    "iirpeak",
    "istft",
    "lfilter",
    "lfilter_zi",
    "lombscargle",
    "lp2bp_zpk",
    "lp2bs_zpk",
    "lp2hp_zpk",
    "lp2lp_zpk",
    "medfilt",
    "medfilt2d",
    "order_filter",
    "peak_prominences",
    "peak_widths",
    "periodogram",
    "remez",
    "resample",
    "resample_poly",
    "savgol_coeffs",
    "savgol_filter",
    "sos2tf",
    "sos2zpk",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "sosfreqz",
    "spectrogram",
    "stft",
    "tf2sos",
    "tf2zpk",
    "unpack_samples",
    "upfirdn",
    "welch",
    "wiener",
    "zoom_fft",
    "zpk2sos",
    "zpk2tf",
]


def _numbers(values):
    return np.atleast_1d(np.asarray(values, dtype=float)).ravel()


def _room(count):
    return (ctypes.c_double * max(count, 1))()


def _several(name, count, *arguments):
    """Call a function whose last parameters are outputs, which are new; None in place of one: it is not wanted."""
    cells = [ctypes.c_void_p() for _ in range(count)]
    call(name, *arguments, *map(ctypes.byref, cells))
    return tuple(ndarray._adopt(cell.value) for cell in cells)


# --- filters ----------------------------------------------------------------------------------------------------------


def lfilter(b, a, x, axis=-1, zi=None):
    b, a, x = _numbers(b), _numbers(a), as_array(x)
    if zi is not None:
        return _several("lfilter", 2, len(b), b, len(a), a, x, axis, as_array(zi))
    cell = ctypes.c_void_p()
    call("lfilter", len(b), b, len(a), a, x, axis, None, ctypes.byref(cell), None)
    return ndarray._adopt(cell.value)


def sosfilt(sos, x, axis=-1, zi=None):
    sos, x = np.asarray(sos, dtype=float).reshape(-1, 6), as_array(x)
    if zi is not None:
        return _several("sosfilt", 2, len(sos), sos.ravel(), x, axis, as_array(zi))
    cell = ctypes.c_void_p()
    call("sosfilt", len(sos), sos.ravel(), x, axis, None, ctypes.byref(cell), None)
    return ndarray._adopt(cell.value)


def lfilter_zi(b, a):
    b, a = _numbers(b), _numbers(a)
    count = max(len(a), len(b)) - 1
    room = _room(count)
    call("lfilter_zi", len(b), b, len(a), a, room)
    return np.array(room[:count])


def sosfilt_zi(sos):
    sos = np.asarray(sos, dtype=float).reshape(-1, 6)
    room = _room(2 * len(sos))
    call("sosfilt_zi", len(sos), sos.ravel(), room)
    return np.array(room[:]).reshape(-1, 2)


def _padding(padtype, padlen):
    return "none" if padtype is None else padtype, constant("NONE") if padlen is None else padlen


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None):
    b, a = _numbers(b), _numbers(a)
    return made("filtfilt", len(b), b, len(a), a, as_array(x), axis, *_padding(padtype, padlen))


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    sos = np.asarray(sos, dtype=float).reshape(-1, 6)
    return made("sosfiltfilt", len(sos), sos.ravel(), as_array(x), axis, *_padding(padtype, padlen))


def upfirdn(h, x, up=1, down=1, axis=-1):
    h = _numbers(h)
    return made("upfirdn", len(h), h, as_array(x), up, down, axis)


def deconvolve(signal, divisor):
    divisor = _numbers(divisor)
    return _several("deconvolve", 2, as_array(signal), len(divisor), divisor)


def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    room = _room(window_length)
    call("savgol_coeffs", window_length, polyorder, deriv, float(delta), -1.0 if pos is None else float(pos), use, room)
    return np.array(room[:])


def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0, out=None):
    arguments = as_array(x), window_length, polyorder, deriv, float(delta), axis, mode, float(cval)
    return into("savgol_filter", *arguments, out=out)


# --- windows and designs: NumPy's arrays ------------------------------------------------------------------------------


def _window(window):
    """SciPy's window, a name or a tuple, as a name and parameters."""
    if window is None:
        return "boxcar", np.empty(0)
    if isinstance(window, str):
        return window, np.empty(0)
    if isinstance(window, (int, float)):
        return "kaiser", _numbers(window)
    name, *parameters = window
    if name == "general_cosine":
        parameters = parameters[0]
    return name, np.array([np.nan if p is None else float(p) for p in parameters])


def get_window(window, Nx, fftbins=True):  # noqa: N803: SciPy's name
    name, parameters = _window(window)
    return made("get_window", name, len(parameters), parameters, Nx, fftbins)


def _design(name, *arguments, output="zpk"):
    """Call a function that makes a filter, and give one of its forms."""
    made_filter = struct("filter")()
    call(name, *arguments, made_filter)
    try:
        return _form(made_filter, output)
    finally:
        call("filter_clear", made_filter)


def _form(f, output):
    def numbers(address, count):
        return np.array((ctypes.c_double * count).from_address(address)) if count else np.empty(0)

    if output == "ba":
        return numbers(f.b, f.nb), numbers(f.a, f.na)
    if output == "sos":
        return numbers(f.sos, 6 * f.sections).reshape(-1, 6)
    return numbers(f.z, 2 * f.nz).view(complex), numbers(f.p, 2 * f.np).view(complex), f.k


_TYPES = {"low": "lowpass", "high": "highpass", "band": "bandpass", "pass": "bandpass", "stop": "bandstop"}


def _edges(wn, btype, analog, output, fs):
    if output not in ("ba", "zpk", "sos"):
        raise ValueError(f"output is {output!r}, and must be 'ba', 'zpk' or 'sos'")
    btype = _TYPES.get(btype, btype)
    wn = _numbers(wn)
    if len(wn) != (2 if btype.startswith("band") else 1):
        raise ValueError(f"{btype} has {len(wn)} frequencies")
    return wn, btype, analog, float(fs or 0)


def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    return _design("butter", N, *_edges(Wn, btype, analog, output, fs), output=output)


def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    return _design("cheby1", N, float(rp), *_edges(Wn, btype, analog, output, fs), output=output)


def cheby2(N, rs, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    return _design("cheby2", N, float(rs), *_edges(Wn, btype, analog, output, fs), output=output)


def ellip(N, rp, rs, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    return _design("ellip", N, float(rp), float(rs), *_edges(Wn, btype, analog, output, fs), output=output)


def bessel(N, Wn, btype="low", analog=False, output="ba", norm="phase", fs=None):  # noqa: N803
    wn, btype, analog, fs = _edges(Wn, btype, analog, output, fs)
    return _design("bessel", N, wn, btype, analog, norm, fs, output=output)


def _pairs(roots):
    return np.atleast_1d(np.asarray(roots, dtype=complex)).view(float)


def _from_zpk(z, p, k, analog=False):
    z, p = _pairs(z), _pairs(p)
    return "filter_from_zpk", len(z) // 2, z, len(p) // 2, p, float(k), analog


def zpk2tf(z, p, k):
    return _design(*_from_zpk(z, p, k, True), output="ba")


def zpk2sos(z, p, k):
    return _design(*_from_zpk(z, p, k), output="sos")


def _from_tf(b, a, analog):
    b, a = _numbers(b), _numbers(a)
    return "filter_from_tf", len(b), b, len(a), a, analog


def tf2zpk(b, a):
    return _design(*_from_tf(b, a, True), output="zpk")


def tf2sos(b, a):
    return _design(*_from_tf(b, a, False), output="sos")


def sos2zpk(sos):
    sos = np.asarray(sos, dtype=float).reshape(-1, 6)
    return _design("filter_from_sos", len(sos), sos.ravel(), output="zpk")


def sos2tf(sos):
    sos = np.asarray(sos, dtype=float).reshape(-1, 6)
    return _design("filter_from_sos", len(sos), sos.ravel(), output="ba")


def _change(name, z, p, k, *arguments):
    changed = struct("filter")()
    call(*_from_zpk(z, p, k, True), changed)
    try:
        call(name, changed, *map(float, arguments))
        return _form(changed, "zpk")
    finally:
        call("filter_clear", changed)


def bilinear_zpk(z, p, k, fs):
    return _change("bilinear", z, p, k, fs)


def lp2lp_zpk(z, p, k, wo=1.0):
    return _change("lp2lp", z, p, k, wo)


def lp2hp_zpk(z, p, k, wo=1.0):
    return _change("lp2hp", z, p, k, wo)


def lp2bp_zpk(z, p, k, wo=1.0, bw=1.0):
    return _change("lp2bp", z, p, k, wo, bw)


def lp2bs_zpk(z, p, k, wo=1.0, bw=1.0):
    return _change("lp2bs", z, p, k, wo, bw)


def _notch(name, w0, q, fs):
    b, a = _room(3), _room(3)
    call(name, float(w0), float(q), float(fs), b, a)
    return np.array(b[:]), np.array(a[:])


def iirnotch(w0, Q, fs=2.0):  # noqa: N803
    return _notch("iirnotch", w0, Q, fs)


def iirpeak(w0, Q, fs=2.0):  # noqa: N803
    return _notch("iirpeak", w0, Q, fs)


def _frequencies(worN, whole, fs):  # noqa: N803
    if isinstance(worN, (int, np.integer)) or worN is None:
        worN = 512 if worN is None else worN  # noqa: N806
        return np.arange(worN) * ((fs if whole else fs / 2) / worN)
    return _numbers(worN)


def freqz(b, a=1, worN=512, whole=False, fs=2 * np.pi):  # noqa: N803
    w, b, a = _frequencies(worN, whole, fs), _numbers(b), _numbers(a)
    room = _room(2 * len(w))
    call("freqz", len(b), b, len(a), a, len(w), w, float(fs), room)
    return w, np.array(room[: 2 * len(w)]).view(complex)


def sosfreqz(sos, worN=512, whole=False, fs=2 * np.pi):  # noqa: N803
    w, sos = _frequencies(worN, whole, fs), np.asarray(sos, dtype=float).reshape(-1, 6)
    room = _room(2 * len(w))
    call("sosfreqz", len(sos), sos.ravel(), len(w), w, float(fs), room)
    return w, np.array(room[: 2 * len(w)]).view(complex)


def firwin(numtaps, cutoff, window="hamming", pass_zero=True, scale=True, fs=None):
    cutoff, (name, parameters) = _numbers(cutoff), _window(window)
    if isinstance(pass_zero, str):
        pass_zero = pass_zero in ("lowpass", "bandstop")
    room = _room(numtaps)
    call("firwin", numtaps, len(cutoff), cutoff, name, len(parameters), parameters, pass_zero, scale, float(fs or 0), room)
    return np.array(room[:])


def firwin2(numtaps, freq, gain, nfreqs=None, window="hamming", antisymmetric=False, fs=None):
    freq, gain, (name, parameters) = _numbers(freq), _numbers(gain), _window(window)
    room = _room(numtaps)
    arguments = numtaps, len(freq), freq, gain, nfreqs or 0, name, len(parameters), parameters, antisymmetric
    call("firwin2", *arguments, float(fs or 0), room)
    return np.array(room[:])


def remez(numtaps, bands, desired, weight=None, fs=None, maxiter=25, grid_density=16):
    bands, desired = _numbers(bands), _numbers(desired)
    room = _room(numtaps)
    weight = None if weight is None else _numbers(weight)
    call("remez", numtaps, len(desired), bands, desired, weight, float(fs or 0), maxiter, grid_density, room)
    return np.array(room[:])


# --- spectra ----------------------------------------------------------------------------------------------------------


def _spectral(fs, window, nperseg=None, noverlap=None, nfft=None, detrend=None, one_sided=True, **words):
    options = struct("spectral_options")()
    options._keep = keep = []
    if isinstance(window, (np.ndarray, list)):
        taps = np.ascontiguousarray(window, dtype=float)
        nperseg = len(taps)
        options.taps = taps.ctypes.data
        keep.append(taps)
    else:
        name, parameters = _window(window)
        options.window, options.nparameters, options.parameters = name.encode(), len(parameters), parameters.ctypes.data
        keep.append(parameters)
    options.fs, options.two_sided = float(fs), not one_sided
    options.nperseg, options.nfft = nperseg or 0, nfft or 0
    options.noverlap = 0 if noverlap is None else constant("NONE") if noverlap == 0 else noverlap
    words["detrend"] = "none" if detrend is False else detrend
    for word, value in words.items():
        setattr(options, word, value.encode() if isinstance(value, str) else value)
    return options


def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1
):
    options = _spectral(fs, window, nfft=nfft, detrend=detrend, one_sided=return_onesided, scaling=scaling)
    return _several("periodogram", 2, as_array(x), axis, options)


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
          scaling="density", axis=-1, average="mean"):
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
        scaling="density", axis=-1, average="mean"):
    words = {"scaling": scaling, "average": average}
    options = _spectral(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, **words)
    if y is x:
        return _several("welch", 2, as_array(x), axis, options)
    return _several("csd", 2, as_array(x), as_array(y), axis, options)


def coherence(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1):
    options = _spectral(fs, window, nperseg, noverlap, nfft, detrend)
    return _several("coherence", 2, as_array(x), as_array(y), axis, options)


def spectrogram(
    x,
    fs=1.0,
    window=("tukey", 0.25),
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
):
    taken = "angle" if mode == "phase" else mode
    options = _spectral(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling=scaling, mode=taken)
    f, t, spectra = _several("spectrogram", 3, as_array(x), axis, options)
    if mode == "phase":
        spectra = names.unwrap(spectra, axis=axis - 1 if axis < 0 else axis)  # times are in one dimension more
    return f, t, spectra


def channelize(x, channels, ntaps=8, taps=None, step=None, return_onesided=True, axis=-1):
    """A polyphase filterbank: frames along the axis, and the channels in one more dimension, the last one.

    taps: channels * ntaps numbers; without them firwin(channels * ntaps, 1 / channels).  step: elements from a frame to
    the next; fewer than channels: oversampled.  Phases count from the first element of x."""
    if taps is not None:
        taps = np.ascontiguousarray(taps, dtype=float)
        ntaps = len(taps) // channels
        if len(taps) != channels * ntaps:
            raise ValueError(f"there are {len(taps)} taps, which is no multiple of {channels} channels")
    return made("channelize", as_array(x), channels, ntaps, taps, step or 0, not return_onesided, axis)


def unpack_samples(x, bits, encoding="signed", bitorder="big", axis=-1):
    """Samples of 1 to 16 bits from the bytes that they are packed in, without gaps.

    encoding: "signed" (two's complement), "offset" (less half of the range) or "unsigned"; bitorder as of
    numpy.unpackbits."""
    return made("unpack_samples", as_array(x), bits, encoding, bitorder, axis)


def stft(
    x,
    fs=1.0,
    window="hann",
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
):
    options = _spectral(
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        detrend,
        return_onesided,
        boundary=boundary or "none",
        unpadded=not padded,
        scaling=scaling,
    )
    return _several("stft", 3, as_array(x), axis, options)


def istft(
    Zxx,  # noqa: N803
    fs=1.0,
    window="hann",
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    scaling="spectrum",
):
    words = {"boundary": "zeros" if boundary else "none", "scaling": scaling}
    options = _spectral(fs, window, nperseg, noverlap, nfft, False, input_onesided, **words)
    return _several("istft", 2, as_array(Zxx), options)


def hilbert(x, N=None, axis=-1):  # noqa: N803
    return made("hilbert", as_array(x), constant("NONE") if N is None else N, axis)


def detrend(data, axis=-1, type="linear", bp=0):  # noqa: A002: SciPy's name
    breaks = [int(b) for b in np.atleast_1d(bp) if b]
    return made("detrend", as_array(data), axis, type, len(breaks), breaks)


def resample(x, num, axis=0):
    return made("resample", as_array(x), num, axis)


def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0)):
    taps = None
    if isinstance(window, (np.ndarray, list)):
        taps = _numbers(window)
    elif window != ("kaiser", 5.0):
        divisor = np.gcd(up, down)
        most = max(up, down) // divisor
        taps = firwin(20 * most + 1, 1 / most, window=window)
    return made("resample_poly", as_array(x), up, down, axis, 0 if taps is None else len(taps), taps)


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    return made("decimate", as_array(x), q, n or 0, ftype, axis, zero_phase)


def czt(x, m=None, w=None, a=1 + 0j, axis=-1):
    w = None if w is None else _pairs(w)
    return made("czt", as_array(x), constant("NONE") if m is None else m, w, _pairs(a), axis)


def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    first, last = fn if np.ndim(fn) else (0.0, fn)
    points = constant("NONE") if m is None else m
    return made("zoom_fft", as_array(x), float(first), float(last), points, float(fs), endpoint, axis)


def lombscargle(x, y, freqs, precenter=False, normalize=False):
    return made("lombscargle", as_array(x), as_array(y), as_array(freqs), precenter, normalize)


# --- windows of images ------------------------------------------------------------------------------------------------


def _sizes(x, size):
    return None if size is None else [int(n) for n in np.broadcast_to(size, (x.ndim,))]


def medfilt(volume, kernel_size=None):
    volume = as_array(volume)
    return made("medfilt", volume, _sizes(volume, kernel_size))


def medfilt2d(input, kernel_size=3):  # noqa: A002: SciPy's name
    input = as_array(input)  # noqa: A001
    return made("medfilt2d", input, _sizes(input, kernel_size))


def order_filter(a, domain, rank):
    a, domain = as_array(a), np.asarray(domain) != 0
    if domain.ndim != a.ndim:
        raise ValueError(f"the domain has {domain.ndim} dimensions, and the input {a.ndim}")
    return made("order_filter", a, domain.shape, (ctypes.c_bool * domain.size)(*domain.ravel()), rank)


def wiener(im, mysize=None, noise=None):
    im = as_array(im)
    return made("wiener", im, _sizes(im, mysize), None if noise is None else [float(noise)])


# --- peaks ------------------------------------------------------------------------------------------------------------


def _window_length(wlen):
    """The samples around a peak that count; 0, all of them, for None."""
    if wlen is None:
        return 0
    if not wlen > 1:
        raise ValueError(f"wlen is {wlen}, and not larger than 1")
    return math.ceil(wlen)


def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5,
               plateau_size=None):
    """The peaks, and a dictionary of their properties; limits are numbers."""
    options, found, keep = struct("find_peaks_options")(), struct("peaks")(), []
    ranges = {"height": height, "threshold": threshold, "prominence": prominence, "width": width,
              "plateau_size": plateau_size}
    for name, limits in ranges.items():
        if limits is None:
            continue
        low, high = limits if np.ndim(limits) else (limits, None)
        keep.append((ctypes.c_double * 2)(-np.inf if low is None else low, np.inf if high is None else high))
        setattr(options, name, ctypes.addressof(keep[-1]))
    if distance is not None and distance < 1:
        raise ValueError(f"find_peaks: distance is {distance}, and not at least 1")
    options.distance, options.wlen = distance or 0.0, _window_length(wlen)
    options.rel_height = rel_height or 5e-324  # as in C 0 is the default; times any prominence this is nothing
    call("find_peaks", as_array(x), options, found)
    arrays = {name: ndarray._adopt(getattr(found, name)) for name, _ in found._fields_ if getattr(found, name)}
    return arrays.pop("peaks"), arrays


def peak_prominences(x, peaks, wlen=None):
    return _several("peak_prominences", 3, as_array(x), as_array(peaks), _window_length(wlen))


def peak_widths(x, peaks, rel_height=0.5, wlen=None):
    return _several("peak_widths", 4, as_array(x), as_array(peaks), float(rel_height), _window_length(wlen))


def _extrema(function, data, *arguments):
    data = as_array(data)
    outs = (ctypes.c_void_p * max(data.ndim, 1))()
    call(function, data, *arguments, outs)
    return tuple(ndarray._adopt(outs[d]) for d in range(data.ndim))


def argrelextrema(data, comparator, axis=0, order=1, mode="clip"):
    """comparator is numpy.greater, less, greater_equal or less_equal, or that name."""
    name = getattr(comparator, "__name__", comparator)
    return _extrema("argrelextrema", data, name, axis, order, mode)


def argrelmax(data, axis=0, order=1, mode="clip"):
    return _extrema("argrelmax", data, axis, order, mode)


def argrelmin(data, axis=0, order=1, mode="clip"):
    return _extrema("argrelmin", data, axis, order, mode)
