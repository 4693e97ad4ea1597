# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's spectra, changes of the rate, and transforms along an axis."""

import math
import operator

import numpy as np

from .._array import as_array, made
from .._library import constant, struct
from .._names import axis_within, names
from ._filters import _check_rates, _continued, _is_array, _numbers, _pairs, _reals, _several, _window
from ._filters import firwin, get_window, sosfilt, sosfiltfilt, zpk2sos, zpk2tf
from ._systems import dlti

__all__ = """channelize coherence csd czt decimate detrend hilbert istft lombscargle periodogram resample resample_poly
    spectrogram stft unpack_samples welch zoom_fft""".split()


def _spectral(fs, window, nperseg=None, noverlap=None, nfft=None, detrend=None, one_sided=True, **words):
    options = struct("spectral_options")()
    options._keep = keep = []
    if _is_array(window):
        taps = _reals(window)
        if taps.ndim != 1 or (nperseg is not None and nperseg != len(taps)):
            raise ValueError(f"the window has the shape {taps.shape}, and must be a vector of nperseg elements")
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


def _nothing(shape, count):
    """What SciPy's spectra of nothing are."""
    return tuple(names.empty(shape) for _ in range(count))


def _nothing_common(x, y, axis):
    """The same of two arrays of which one is empty: as long as the shorter one, with their other axes broadcast."""
    (*first, m), (*second, n) = (names.moveaxis(v, axis, -1).shape for v in (x, y))
    return tuple(names.moveaxis(v, -1, axis) for v in _nothing((*np.broadcast_shapes(first, second), min(m, n)), 2))


def _segments(x, function, axis, window, nperseg, noverlap, share=2):
    """x as its segments one after the other, from which the function has taken their trends; how many samples a segment
    has; and the step between two segments, which share one part in `share` by default.  The function is given all
    segments at once, with their samples along the last axis."""
    nperseg = len(window) if _is_array(window) else min(nperseg or 256, x.shape[axis])
    step = nperseg - (nperseg // share if noverlap is None else noverlap)
    x = names.moveaxis(x, axis, -1)
    segments = function(names.sliding_window_view(x, nperseg, -1)[..., ::step, :])
    return names.moveaxis(names.reshape(segments, (*x.shape[:-1], -1)), -1, axis), nperseg, step


def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1
):
    x = as_array(x)
    if x.size == 0:
        return _nothing(x.shape, 2)
    if nfft and 0 < nfft < x.shape[axis]:
        x = x[(slice(None),) * range(x.ndim)[axis] + (slice(nfft),)]
    if callable(detrend):
        x, detrend = detrend(x), False
    options = _spectral(fs, window, nfft=nfft, detrend=detrend, one_sided=return_onesided, scaling=scaling)
    if options.nperseg not in (0, x.shape[axis]):
        raise ValueError(f"the window has {options.nperseg} elements, and x {x.shape[axis]} along axis {axis}")
    return _several("periodogram", 2, x, axis, options)


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
          scaling="density", axis=-1, average="mean"):
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def _matched(x, y, axis):
    """Two arrays with the axis last, their other axes broadcast, and zeros after the shorter one.  Collective."""
    x, y = (names.moveaxis(v, axis, -1) for v in (x, y))
    count, outer = max(x.shape[-1], y.shape[-1]), np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    return [names.copy(names.broadcast_to(names.pad(v, [(0, 0)] * (v.ndim - 1) + [(0, count - v.shape[-1])]),
                                          (*outer, count))) for v in (x, y)]


def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
        scaling="density", axis=-1, average="mean"):
    words = {"scaling": scaling, "average": average}
    is_one, x, y = y is x, as_array(x), as_array(y)
    if x.size == 0 or y.size == 0:
        return _nothing_common(x, y, axis)
    if x.shape != y.shape:
        f, p = csd(*_matched(x, y, axis), fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, -1, average)
        return f, names.moveaxis(p, -1, axis)
    if callable(detrend):
        y = y if is_one else _segments(y, detrend, axis, window, nperseg, noverlap)[0]
        x, nperseg, _ = _segments(x, detrend, axis, window, nperseg, noverlap)
        noverlap, detrend = 0, False
    options = _spectral(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, **words)
    return _several("welch", 2, x, axis, options) if is_one else _several("csd", 2, x, y, axis, options)


def coherence(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1):
    x, y = as_array(x), as_array(y)
    if x.size == 0 or y.size == 0:
        return _nothing_common(x, y, axis)
    if x.shape != y.shape:
        more = {"window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, "detrend": detrend, "axis": axis}
        f, p = csd(x, y, fs, **more)
        return f, names.abs(p) ** 2 / welch(x, fs, **more)[1] / welch(y, fs, **more)[1]
    if callable(detrend):
        y = _segments(y, detrend, axis, window, nperseg, noverlap)[0]
        x, nperseg, _ = _segments(x, detrend, axis, window, nperseg, noverlap)
        noverlap, detrend = 0, False
    options = _spectral(fs, window, nperseg, noverlap, nfft, detrend)
    return _several("coherence", 2, x, y, axis, options)


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
    x = as_array(x)
    if x.size == 0:
        return _nothing(x.shape, 3)
    taken, step = "angle" if mode == "phase" else mode, None
    if callable(detrend):
        function = detrend  # which here, as in SciPy, has the samples along the axis

        def along_the_axis(segments):
            return names.moveaxis(function(names.moveaxis(segments, -1, axis)), axis, -1)

        x, nperseg, step = _segments(x, along_the_axis, axis, window, nperseg, noverlap, share=8)
        noverlap, detrend = 0, False
    options = _spectral(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling=scaling, mode=taken)
    f, t, spectra = _several("spectrogram", 3, x, axis, options)
    if step is not None:
        t = (names.arange(t.size) * step + nperseg / 2) / fs
    if mode == "phase":
        spectra = names.unwrap(spectra, axis=axis - 1 if axis < 0 else axis)  # times are in one dimension more
    return f, t, spectra


def channelize(x, channels, ntaps=8, taps=None, step=None, return_onesided=True, axis=-1):
    """A polyphase filterbank: frames along the axis, and the channels in one more dimension, the last one.

    taps: channels * ntaps numbers; without them firwin(channels * ntaps, 1 / channels).  step: elements from a frame to
    the next; fewer than channels: oversampled.  Phases count from the first element of x."""
    if taps is not None:
        taps = _numbers(taps)
        ntaps = len(taps) // channels
        if len(taps) != channels * ntaps:
            raise ValueError(f"there are {len(taps)} taps, which is no multiple of {channels} channels")
    return made("channelize", as_array(x), channels, ntaps, taps, step or 0, not return_onesided, axis)


def unpack_samples(x, bits, encoding="signed", bitorder="big", axis=-1):
    """Samples of 1 to 16 bits from the bytes that they are packed in, without gaps.

    encoding: "signed" (two's complement), "offset" (less half of the range) or "unsigned"; bitorder as of
    numpy.unpackbits."""
    return made("unpack_samples", as_array(x), bits, encoding, bitorder, axis)


def _ends(x, half, mode):
    """An x with half a segment more before and behind its last axis, which goes on as numpy.pad has it."""
    return names.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode)


def _odd_ends(x, half):
    n = x.shape[-1]
    before, behind = x[..., 1 : half + 1][..., ::-1], x[..., n - 1 - half : n - 1][..., ::-1]
    return names.concatenate([2 * x[..., :1] - before, x, 2 * x[..., n - 1 :] - behind], axis=-1)


_STFT_BOUNDARIES = {"even": lambda x, half: _ends(x, half, "reflect"), "odd": _odd_ends,
                    "constant": lambda x, half: _ends(x, half, "edge")}  # fmt: skip


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
    x, extended = as_array(x), _STFT_BOUNDARIES.get(boundary)
    if x.size == 0:
        return _nothing(x.shape, 3)
    if callable(detrend):
        raise ValueError("stft: detrend is a function, which ShortTimeFFT.stft_detrend() takes")
    if _is_array(window) and nperseg == 256:  # the default, which is for windows by name
        nperseg = len(window)
    if extended:
        nperseg = min(nperseg or 256, x.shape[axis])
        x = names.moveaxis(extended(names.moveaxis(x, axis, -1), nperseg // 2), -1, axis)
    options = _spectral(
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        detrend,
        return_onesided,
        boundary="none" if extended else boundary or "none",
        unpadded=not padded,
        scaling=scaling,
    )
    f, t, z = _several("stft", 3, x, axis, options)
    return f, t - nperseg / 2 / fs if extended else t, z


def istft(
    Zxx,  # noqa: N803
    fs=1.0,
    window="hann",
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    time_axis=-1,
    freq_axis=-2,
    scaling="spectrum",
):
    spectra = as_array(Zxx)
    if spectra.ndim < 2:
        raise ValueError(f"istft: the spectra have {spectra.ndim} dimensions, and two at least are wanted")
    time_axis, freq_axis = (axis_within("istft", axis, spectra.ndim) for axis in (time_axis, freq_axis))
    if time_axis == freq_axis:
        raise ValueError(f"istft: time_axis and freq_axis are both {time_axis}")
    words = {"boundary": "zeros" if boundary else "none", "scaling": scaling}
    options = _spectral(fs, window, nperseg, noverlap, nfft, False, input_onesided, **words)
    t, x = _several("istft", 2, names.moveaxis(spectra, (freq_axis, time_axis), (-2, -1)), options)
    return t, names.moveaxis(x, -1, time_axis - (freq_axis < time_axis))


def hilbert(x, N=None, axis=-1):  # noqa: N803
    return made("hilbert", as_array(x), constant("NONE") if N is None else N, axis)


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):  # noqa: A002: SciPy's name
    """scipy.signal.detrend; the data are never overwritten.  Collective."""
    breaks = [int(b) for b in np.atleast_1d(bp) if b]
    return made("detrend", as_array(data), axis, type, len(breaks), breaks)


def resample(x, num, t=None, axis=0, window=None, domain="time"):
    if domain not in ("time", "freq"):
        raise ValueError(f"domain is {domain!r}, and must be 'time' or 'freq'")
    x = as_array(x)
    if window is None and domain == "time":
        y = made("resample", x, num, axis)
    else:
        y = names.moveaxis(_resampled(names.moveaxis(x, axis, -1), num, window, domain), -1, axis)
    return y if t is None else (y, names.arange(num) * (float(t[1] - t[0]) * x.shape[axis] / num) + float(t[0]))


def _resampled(x, num, window, domain):
    """x, or what a spectrum is of, with num elements along its last axis, weighted by a window of frequencies."""
    from .. import fft

    n, is_real = x.shape[-1], domain == "time" and x.dtype.kind != "c"
    spectrum = fft.fft(x) if domain == "time" else x
    if window is not None:
        if callable(window):
            weights = np.asarray(window(np.fft.fftfreq(n)))
        else:
            weights = np.asarray(window) if _is_array(window) else np.fft.fftshift(get_window(window, n).numpy())
        if weights.shape != (n,):
            raise ValueError(f"the window has the shape {weights.shape}, and must be a vector of {n} elements")
        single = spectrum.dtype in ("complex64", "float32")
        spectrum = spectrum * as_array(weights.astype("float32" if single else float))
    y = fft.ifft(spectrum)  # which the library then resamples, frequencies of both signs alike
    return made("resample", y.real if is_real else y, num, -1)


_LEVELS = "mean", "median", "minimum", "maximum"


def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    if cval is not None and padtype != "constant":
        raise ValueError(f"cval is for padtype 'constant', and not for {padtype!r}")
    _check_rates("resample_poly", up, down)
    x, divisor = as_array(x), math.gcd(up, down)
    up, down = up // divisor, down // divisor
    if padtype in _LEVELS:  # which x goes on with
        function = {"minimum": names.min, "maximum": names.max}.get(padtype) or getattr(names, padtype)
        level = function(x, axis=axis, keepdims=True)
        return _polyphase(x - level, up, down, axis, window) + level
    if padtype == "constant" and not cval:
        return _polyphase(x, up, down, axis, window)
    reach = 10 * max(up, down) + 1 if not _is_array(window) else len(window)
    length = -(-x.shape[axis] * up // down)

    def resampled(x):
        return _polyphase(x, up, down, axis, window)

    return _continued(resampled, x, reach, up, down, axis, length, padtype, cval or 0)


def _polyphase(x, up, down, axis, window):
    """resample_poly() of an x that goes on as zeros, for an up and a down without a common divisor."""
    taps = None
    if _is_array(window):
        taps = _numbers(window)
        taps = taps if len(taps) % 2 else np.append(0.0, taps)  # the first one of the two in the middle counts
    elif window != ("kaiser", 5.0):
        most = max(up, down)
        taps = firwin(20 * most + 1, 1 / most, window=window)
    return made("resample_poly", as_array(x), up, down, axis, 0 if taps is None else len(taps), taps)


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    if isinstance(ftype, dlti):
        x, q, (zeros, poles, gain) = as_array(x), operator.index(q), ftype.to_zpk()._parts()
        if len(poles) == 0 and zero_phase:
            return resample_poly(x, 1, q, axis, zpk2tf(zeros, poles, gain)[0])
        y = (sosfiltfilt if zero_phase else sosfilt)(zpk2sos(zeros, poles, gain), x, axis)
        y = y.astype(x.dtype, copy=False) if x.dtype.name in ("float32", "complex64") else y
        return y[(slice(None),) * range(x.ndim)[axis] + (slice(None, None, q),)]
    return made("decimate", as_array(x), q, n or 0, ftype, axis, zero_phase)


def czt(x, m=None, w=None, a=1 + 0j, axis=-1):
    w = None if w is None else _pairs(w)
    return made("czt", as_array(x), constant("NONE") if m is None else m, w, _pairs(a), axis)


def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    first, last = fn if np.ndim(fn) else (0.0, fn)
    points = constant("NONE") if m is None else m
    return made("zoom_fft", as_array(x), float(first), float(last), points, float(fs), endpoint, axis)


def lombscargle(x, y, freqs, precenter=False, normalize=False, *, weights=None, floating_mean=False):
    """scipy.signal.lombscargle, of SciPy 1.15 and later; normalize is also "power", "normalize" or "amplitude".  With
    weights, a floating mean or amplitudes the waves of all frequencies are in memory at once.  Collective."""
    normalize = {False: "power", True: "normalize"}.get(normalize, normalize)
    if normalize not in ("power", "normalize", "amplitude"):
        raise ValueError(f"normalize is {normalize!r}, and must be a bool, 'power', 'normalize' or 'amplitude'")
    if weights is not None or floating_mean or normalize == "amplitude":
        x, y, freqs = (as_array(v).astype(float) for v in (x, y, freqs))
        weights = names.ones(y.shape) if weights is None else as_array(weights).astype(float)
        return _fitted_waves(x, y - y.mean() if precenter else y, freqs, weights, normalize, floating_mean)
    normalize = normalize == "normalize"
    return made("lombscargle", as_array(x), as_array(y), as_array(freqs), precenter, normalize)


def _fitted_waves(x, y, freqs, weights, normalize, floating_mean):
    """By the sums of M. Zechmeister and M. Kuerster, The generalised Lomb-Scargle periodogram, 2009: a wave of each
    frequency, beside a constant if the mean floats, that fits best; at the phase where its cosine and sine are apart."""
    if not x.ndim == freqs.ndim == 1 or not x.shape == y.shape == weights.shape or x.size == 0 or freqs.size == 0:
        raise ValueError("lombscargle: x, y and weights must be vectors of one length, and freqs one too, with elements")
    if bool(names.any(weights < 0)) or not bool(names.sum(weights) > 0):
        raise ValueError("lombscargle: weights must not be below 0, and not all be 0")
    weights = weights / names.sum(weights)
    angles = freqs[:, None] * x
    c, s = names.cos(angles), names.sin(angles)
    cc, cs, yc, ys = (c * c) @ weights, (c * s) @ weights, c @ (weights * y), s @ (weights * y)
    ss, yy = 1 - cc, names.sum(weights * y * y)
    if floating_mean:
        c, s, mean = c @ weights, s @ weights, names.sum(weights * y)
        cc, ss, cs, yc, ys, yy = cc - c * c, ss - s * s, cs - c * s, yc - mean * c, ys - mean * s, yy - mean * mean
    phase = names.arctan2(2 * cs, cc - ss) / 2
    c, s = names.cos(phase), names.sin(phase)
    cc, ss = c * c * cc + 2 * c * s * cs + s * s * ss, c * c * ss - 2 * c * s * cs + s * s * cc
    yc, ys = c * yc + s * ys, c * ys - s * yc
    least = np.finfo(float).epsneg
    a, b = yc / names.maximum(cc, least), ys / names.maximum(ss, least)
    if normalize == "amplitude":
        return (a + 1j * b) * names.exp(1j * phase)
    power = a * yc + b * ys
    return power / yy if normalize == "normalize" else power * (x.size / 2)
