# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's filters, their design, windows and spectra.  Coefficients are NumPy's arrays, the same on all ranks;
what they are applied to are arrays of Maniple."""

import ctypes
import math
import operator

import numpy as np

from ._array import as_array, into, made, ndarray
from ._library import call, constant, struct
from ._names import names
from ._waveforms import kaiser_atten, kaiser_beta

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


def _reals(values):
    """Numbers as float64; complex ones are refused, whose imaginary parts would be lost."""
    values = np.asarray(values)
    if values.dtype.kind == "c":
        raise TypeError("coefficients here are real numbers, and some of these are complex")
    return values.astype(float)


def _numbers(values):
    return np.atleast_1d(_reals(values)).ravel()


def _sections(sos):
    return _reals(sos).reshape(-1, 6)


def _by_parts(function, coefficients):
    """What a function that is linear in its coefficients gives for real or complex ones."""
    coefficients = np.asarray(coefficients)
    if coefficients.dtype.kind != "c":
        return function(coefficients)
    return function(coefficients.real) + 1j * function(coefficients.imag)


def _room(count):
    return (ctypes.c_double * max(count, 1))()


def _several(name, count, *arguments):
    """Call a function whose last parameters are outputs, which are new; None in place of one: it is not wanted."""
    cells = [ctypes.c_void_p() for _ in range(count)]
    call(name, *arguments, *map(ctypes.byref, cells))
    return tuple(ndarray._adopt(cell.value) for cell in cells)


# --- filters ----------------------------------------------------------------------------------------------------------


def lfilter(b, a, x, axis=-1, zi=None):
    a, x = _numbers(a), as_array(x)
    if zi is None:
        return _by_parts(lambda b: _filtered(_numbers(b), a, x, axis), b)
    b, zi = _numbers(b), as_array(zi)
    if zi.ndim == x.ndim > 1:  # SciPy's states are broadcast
        shape = list(x.shape)
        shape[axis] = max(len(a), len(b)) - 1
        zi = zi if zi.shape == tuple(shape) else names.copy(names.broadcast_to(zi, shape))
    return _several("lfilter", 2, len(b), b, len(a), a, x, axis, zi)


def _filtered(b, a, x, axis):
    cell = ctypes.c_void_p()
    call("lfilter", len(b), b, len(a), a, x, axis, None, ctypes.byref(cell), None)
    return ndarray._adopt(cell.value)


def sosfilt(sos, x, axis=-1, zi=None):
    sos, x = _sections(sos), as_array(x)
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
    sos = _sections(sos)
    room = _room(2 * len(sos))
    call("sosfilt_zi", len(sos), sos.ravel(), room)
    return np.array(room[:]).reshape(-1, 2)


def _padding(padtype, padlen):
    return "none" if padtype is None else padtype, constant("NONE") if padlen is None else padlen


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    if method != "pad":
        raise ValueError(f"method is {method!r}, and 'pad' is the only one here; irlen is for 'gust'")
    b, a = _numbers(b), _numbers(a)
    return made("filtfilt", len(b), b, len(a), a, as_array(x), axis, *_padding(padtype, padlen))


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    sos = _sections(sos)
    return made("sosfiltfilt", len(sos), sos.ravel(), as_array(x), axis, *_padding(padtype, padlen))


def _check_rates(name, up, down):
    if up < 1 or down < 1:
        raise ValueError(f"{name}: up is {up} and down is {down}, and both must be 1 or more")


def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    _check_rates("upfirdn", up, down)
    x, taps = as_array(x), np.size(h)

    def filtered(x):
        return _by_parts(lambda h: made("upfirdn", taps, _numbers(h), x, up, down, axis), h)

    length = ((x.shape[axis] - 1) * up + taps - 1) // down + 1
    if x.ndim > 0 and x.shape[axis] == 0:
        return names.zeros([length if d == range(x.ndim)[axis] else n for d, n in enumerate(x.shape)])
    if mode == "constant" and cval == 0:
        return filtered(x)
    return _continued(filtered, x, taps, up, down, axis, length, mode, cval)


_CONTINUATIONS = "constant", "edge", "reflect", "symmetric", "wrap"


def _continued(function, x, reach, up, down, axis, length, mode, cval):
    """`length` elements of function(x), which changes the rate by up / down, for an x that goes on beyond its ends as
    numpy.pad has it.  Of reach / up elements there are so many more that a whole number of results comes of them."""
    if mode not in _CONTINUATIONS:
        raise ValueError(f"{mode!r} is none of the ways beyond the ends, {', '.join(_CONTINUATIONS)}")
    axis, step = range(x.ndim)[axis], down // math.gcd(up, down)
    count = -(-reach // (up * step)) * step
    widths = [(count, count) if d == axis else (0, 0) for d in range(x.ndim)]
    begin = count * up // down
    x = names.pad(x, widths, mode, cval if mode == "constant" else 0)
    return function(x)[(slice(None),) * axis + (slice(begin, begin + length),)]


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


_WINDOW_ALIASES = {
    alias: name
    for name, aliases in {
        "barthann": "brthan bth", "bartlett": "bart brt", "blackman": "black blk", "blackmanharris": "blackharr bkh",
        "bohman": "bman bmn", "boxcar": "box ones rect rectangular", "chebwin": "cheb", "cosine": "halfcosine",
        "exponential": "poisson", "flattop": "flat flt", "gaussian": "gauss gss",
        "general_gaussian": "general_gauss ggs", "hamming": "hamm ham", "hann": "han", "kaiser": "ksr",
        "kaiser_bessel_derived": "kbd", "lanczos": "sinc", "nuttall": "nutl nut", "parzen": "parz par",
        "taylor": "taylorwin", "triang": "triangle tri", "tukey": "tuk"}.items()
    for alias in aliases.split()
}  # fmt: skip


def _window(window):
    """SciPy's window, a name or a tuple, as a name and parameters."""
    if window is None:
        return "boxcar", np.empty(0)
    if isinstance(window, (int, float, np.number)):
        return "kaiser", _numbers(window)
    if not isinstance(window, (str, tuple)):
        raise ValueError(f"the window is a {type(window).__name__}, and must be a name, a tuple or a number here")
    name, *parameters = (window,) if isinstance(window, str) else window
    name = name.replace(" ", "_")
    name = _WINDOW_ALIASES.get(name, name)
    if name == "general_cosine":
        parameters = parameters[0]
    return name, np.array([np.nan if p is None else float(p) for p in parameters])


def _is_array(window):
    return isinstance(window, (np.ndarray, ndarray, list))


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
        if f.sections == 0:
            raise ValueError("this filter has no sections, as it has more zeros than poles")
        return numbers(f.sos, 6 * f.sections).reshape(-1, 6)
    return numbers(f.z, 2 * f.nz).view(complex), numbers(f.p, 2 * f.np).view(complex), f.k


BANDS = {
    alias: name
    for name, aliases in {"lowpass": "low lp l", "highpass": "high hp h", "bandpass": "band pass bp",
                          "bandstop": "stop bands bs"}.items()
    for alias in [name, *aliases.split()]
}  # fmt: skip


def _edges(wn, btype, analog, output, fs):
    if output not in ("ba", "zpk", "sos"):
        raise ValueError(f"output is {output!r}, and must be 'ba', 'zpk' or 'sos'")
    btype = BANDS.get(btype, btype)
    wn = _numbers(wn)
    wanted = 2 if btype.startswith("band") else 1
    if len(wn) != wanted:
        raise ValueError(f"btype is {btype!r}, and Wn must have {wanted} of its frequencies, and not {len(wn)}")
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
    return "filter_from_zpk", len(z) // 2, z, len(p) // 2, p, float(_reals(k)), analog


def _are_pairs(*several):
    """Whether all roots are real or conjugated pairs, but for rounding, so that their polynomials are real."""
    polynomials = map(np.poly, several)
    return all(np.abs(np.imag(c)).max() <= 1e-8 * np.abs(c).max() for c in polynomials)


def zpk2tf(z, p, k):
    if not _are_pairs(z, p) or np.imag(k) != 0:  # a filter of complex numbers
        return k * np.atleast_1d(np.poly(z)), np.atleast_1d(np.poly(p))
    return _design(*_from_zpk(z, p, k, True), output="ba")


def _check_pairing(pairing, analog):
    """What SciPy takes, of which the library has the one that is the default."""
    only = "minimal" if analog else "nearest"
    if pairing not in (None, only):
        raise ValueError(f"pairing is {pairing!r}, and {only!r} is the only one here")


def zpk2sos(z, p, k, pairing=None, *, analog=False):
    _check_pairing(pairing, analog)
    if not _are_pairs(z, p):
        raise ValueError("zpk2sos: the zeros or the poles are not conjugated pairs, so that there are no real sections")
    return _design(*_from_zpk(z, p, k, analog), output="sos")


def _from_tf(b, a, analog):
    b, a = _numbers(b), _numbers(a)
    return "filter_from_tf", len(b), b, len(a), a, analog


def tf2zpk(b, a):
    return _design(*_from_tf(b, a, True), output="zpk")


def tf2sos(b, a, pairing=None, *, analog=False):
    _check_pairing(pairing, analog)
    return _design(*_from_tf(b, a, analog), output="sos")


def sos2zpk(sos):
    sos = _sections(sos)
    return _design("filter_from_sos", len(sos), sos.ravel(), output="zpk")


def sos2tf(sos):
    sos = _sections(sos)
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


def number_of_frequencies(w, otherwise):
    """How many frequencies are wanted, which an integer says; None where they are listed, as a float is."""
    if w is None:
        return otherwise
    try:
        return operator.index(w) if np.ndim(w) == 0 else None
    except TypeError:
        return None


def frequencies(w, whole, fs, include_nyquist=False):
    """The frequencies of a response: those that are listed, or a number of them up to half the rate."""
    count = number_of_frequencies(w, 512)
    if count is None:
        return np.atleast_1d(w).ravel() * 1.0
    return np.linspace(0, fs if whole else fs / 2, count, endpoint=include_nyquist and not whole)


def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * np.pi, include_nyquist=False):  # noqa: N803
    w = _reals(frequencies(worN, whole, fs, include_nyquist))

    def response(b, a):
        room, b, a = _room(2 * len(w)), _numbers(b), _numbers(a)
        call("freqz", len(b), b, len(a), a, len(w), w, float(fs), room)
        return np.array(room[: 2 * len(w)]).view(complex)

    if np.iscomplexobj(a):
        h = _by_parts(lambda b: response(b, 1), b) / _by_parts(lambda a: response(a, 1), a)
    else:
        h = _by_parts(lambda b: response(b, a), b)
    if plot is not None:
        plot(w, h)
    return w, h


def sosfreqz(sos, worN=512, whole=False, fs=2 * np.pi):  # noqa: N803
    w, sos = _reals(frequencies(worN, whole, fs)), _sections(sos)
    room = _room(2 * len(w))
    call("sosfreqz", len(sos), sos.ravel(), len(w), w, float(fs), room)
    return w, np.array(room[: 2 * len(w)]).view(complex)


_PASSES_ZERO = {"lowpass": True, "bandstop": True, "highpass": False, "bandpass": False, True: True, False: False}


def firwin(numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=None):
    cutoff = _numbers(cutoff)
    if pass_zero not in _PASSES_ZERO:
        raise ValueError(f"pass_zero is {pass_zero!r}, which is none of {', '.join(map(str, _PASSES_ZERO))}")
    if isinstance(pass_zero, str) and pass_zero.startswith("band") == (len(cutoff) == 1):
        wanted = "two frequencies or more" if pass_zero.startswith("band") else "one frequency"
        raise ValueError(f"pass_zero is {pass_zero!r}, which is of {wanted}, and cutoff has {len(cutoff)}")
    pass_zero = _PASSES_ZERO[pass_zero]
    if width is not None:
        window = "kaiser", kaiser_beta(kaiser_atten(numtaps, 2 * float(width) / (fs or 2)))
    name, parameters = _window(window)
    room = _room(numtaps)
    arguments = numtaps, len(cutoff), cutoff, name, len(parameters), parameters, pass_zero, scale
    call("firwin", *arguments, float(fs or 0), room)
    return np.array(room[:])


def firwin2(numtaps, freq, gain, nfreqs=None, window="hamming", antisymmetric=False, fs=None):
    freq, gain, (name, parameters) = _numbers(freq), _numbers(gain), _window(window)
    room = _room(numtaps)
    arguments = numtaps, len(freq), freq, gain, nfreqs or 0, name, len(parameters), parameters, antisymmetric
    call("firwin2", *arguments, float(fs or 0), room)
    return np.array(room[:])


def remez(numtaps, bands, desired, weight=None, fs=None, maxiter=25, grid_density=16, type="bandpass"):  # noqa: A002
    if type != "bandpass":
        raise ValueError(f"type is {type!r}, and 'bandpass' is the only one here")
    bands, desired = _numbers(bands), _numbers(desired)
    room = _room(numtaps)
    weight = None if weight is None else _numbers(weight)
    call("remez", numtaps, len(desired), bands, desired, weight, float(fs or 0), maxiter, grid_density, room)
    return np.array(room[:])


# --- spectra ----------------------------------------------------------------------------------------------------------


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


def _segments(x, function, axis, window, nperseg, noverlap, share=2):
    """x as its segments one after the other, from which the function has taken their trends; how many samples a segment
    has; and the step between two segments, which share one part in `share` by default.  The function is given all
    segments at once, with their samples along the axis, and the segments along a new one, as SciPy does it."""
    nperseg = len(window) if _is_array(window) else min(nperseg or 256, x.shape[axis])
    step = nperseg - (nperseg // share if noverlap is None else noverlap)
    x = names.moveaxis(x, axis, -1)
    segments = names.sliding_window_view(x, nperseg, -1)[..., ::step, :]
    segments = names.moveaxis(function(names.moveaxis(segments, -1, axis)), axis, -1)
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


def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
        scaling="density", axis=-1, average="mean"):
    words = {"scaling": scaling, "average": average}
    is_one, x, y = y is x, as_array(x), as_array(y)
    if x.size == 0 or y.size == 0:
        return _nothing((*x.shape[:-1], min(x.shape[-1], y.shape[-1])), 2)
    if callable(detrend):
        y = y if is_one else _segments(y, detrend, axis, window, nperseg, noverlap)[0]
        x, nperseg, _ = _segments(x, detrend, axis, window, nperseg, noverlap)
        noverlap, detrend = 0, False
    options = _spectral(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, **words)
    return _several("welch", 2, x, axis, options) if is_one else _several("csd", 2, x, y, axis, options)


def coherence(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1):
    x, y = as_array(x), as_array(y)
    if x.size == 0 or y.size == 0:
        return _nothing((*x.shape[:-1], min(x.shape[-1], y.shape[-1])), 2)
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
        x, nperseg, step = _segments(x, detrend, axis, window, nperseg, noverlap, share=8)
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
    """x, or its spectrum, with num elements along its last axis, weighted by a window of frequencies."""
    from . import fft

    n, is_real = x.shape[-1], domain == "time" and x.dtype.kind != "c"
    spectrum = fft.fft(x) if domain == "time" else x
    if window is not None:
        if callable(window):
            weights = np.asarray(window(np.fft.fftfreq(n)))
        else:
            weights = np.asarray(window) if _is_array(window) else np.fft.ifftshift(get_window(window, n).numpy())
        if weights.shape != (n,):
            raise ValueError(f"the window has the shape {weights.shape}, and must be a vector of {n} elements")
        spectrum = spectrum * as_array(weights.astype("float32" if spectrum.dtype == "complex64" else float))
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
    elif window != ("kaiser", 5.0):
        most = max(up, down)
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


def _peak_limits(name, x, limit):
    """A limit of peaks as an array of x's shape; numbers and None stay what they are."""
    if np.ndim(limit) == 0:
        return limit
    if np.shape(limit) != x.shape:
        raise ValueError(f"find_peaks: the limit {name} has the shape {np.shape(limit)}, and x {x.shape}")
    return as_array(limit)


def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5,
               plateau_size=None):
    """The peaks, and a dictionary of their properties; limits are numbers, or arrays of one for each element of x."""
    options, found, keep, later = struct("find_peaks_options")(), struct("peaks")(), [], {}
    x = as_array(x)
    ranges = {"height": height, "threshold": threshold, "prominence": prominence, "width": width,
              "plateau_size": plateau_size}
    for name, limits in ranges.items():
        if limits is None:
            continue
        is_pair = isinstance(limits, tuple) or (np.ndim(limits) and len(limits) == 2)
        low, high = limits if is_pair else (limits, None)
        if np.ndim(low) or np.ndim(high):
            later[name] = low, high = _peak_limits(name, x, low), _peak_limits(name, x, high)
            if distance is not None and name in ("height", "threshold", "plateau_size"):
                raise ValueError(f"find_peaks: {name} is an array, and has to be numbers where a distance is given")
            low = high = None
        keep.append((ctypes.c_double * 2)(-np.inf if low is None else low, np.inf if high is None else high))
        setattr(options, name, ctypes.addressof(keep[-1]))
    if distance is not None and distance < 1:
        raise ValueError(f"find_peaks: distance is {distance}, and not at least 1")
    options.distance, options.wlen = distance or 0.0, _window_length(wlen)
    options.rel_height = rel_height or 5e-324  # as in C 0 is the default; times any prominence this is nothing
    call("find_peaks", x, options, found)
    arrays = {name: ndarray._adopt(getattr(found, name)) for name, _ in found._fields_ if getattr(found, name)}
    for name, (low, high) in later.items():
        least, most = (arrays[f] for f in _LIMITED.get(name, (name + "s",) * 2))
        peaks, fits = arrays["peaks"], True
        if low is not None:
            fits = (low[peaks] if isinstance(low, ndarray) else low) <= names.minimum(least, most)
        if high is not None:
            fits = fits & (names.maximum(least, most) <= (high[peaks] if isinstance(high, ndarray) else high))
        arrays = {name: values[fits] for name, values in arrays.items()}
    return arrays.pop("peaks"), arrays


_LIMITED = {"height": ("peak_heights",) * 2, "threshold": ("left_thresholds", "right_thresholds"),
            "plateau_size": ("plateau_sizes",) * 2}  # fmt: skip  the properties that limits are of


def peak_prominences(x, peaks, wlen=None):
    return _several("peak_prominences", 3, as_array(x), as_array(peaks), _window_length(wlen))


def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None):
    """scipy.signal.peak_widths; prominence_data can only be what peak_prominences() gives with the same wlen.
    Collective."""
    if prominence_data is not None:
        own = peak_prominences(x, peaks, wlen)
        if not all(bool(names.array_equal(mine, given)) for mine, given in zip(own, prominence_data)):
            raise ValueError("peak_widths: prominence_data are not those of peak_prominences() with this wlen, "
                             "and no others are taken")
    return _several("peak_widths", 4, as_array(x), as_array(peaks), float(rel_height), _window_length(wlen))


def _extrema(function, data, *arguments):
    data = as_array(data)
    outs = (ctypes.c_void_p * max(data.ndim, 1))()
    call(function, data, *arguments, outs)
    return tuple(ndarray._adopt(outs[d]) for d in range(data.ndim))


def argrelextrema(data, comparator, axis=0, order=1, mode="clip"):
    """comparator is numpy.greater, less, greater_equal or less_equal, that of Maniple or of operator, or that name."""
    name = getattr(comparator, "__name__", comparator)
    name = {"gt": "greater", "lt": "less", "ge": "greater_equal", "le": "less_equal"}.get(name, name)
    return _extrema("argrelextrema", data, name, axis, order, mode)


def argrelmax(data, axis=0, order=1, mode="clip"):
    return _extrema("argrelmax", data, axis, order, mode)


def argrelmin(data, axis=0, order=1, mode="clip"):
    return _extrema("argrelmin", data, axis, order, mode)
