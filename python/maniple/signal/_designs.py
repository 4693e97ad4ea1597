# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's functions about filters and windows themselves: orders, prototypes, responses, partial fractions.
They are of NumPy's arrays, and run on the CPU."""

import math
import warnings

import numpy as np

from .._array import ndarray
from ._filters import BANDS, bessel, butter, cheby1, cheby2, ellip, frequencies, get_window, number_of_frequencies
from ._filters import sosfreqz

__all__ = """BadCoefficients band_stop_obj besselap bilinear buttap buttord cheb1ap cheb1ord cheb2ap cheb2ord check_COLA
    check_NOLA ellipap ellipord findfreqs firls freqs freqs_zpk freqz_sos freqz_zpk gammatone group_delay iircomb
    iirdesign iirfilter invres invresz lfiltic lp2bp lp2bs lp2hp lp2lp max_len_seq minimum_phase normalize residue
    residuez unique_roots""".split()


# ---- orders ----


def _warped(wp, ws, gpass, gstop, analog, fs):
    """The edges of pass and stop bands of the analog filter, and how far the stop band begins beyond the pass band of a
    lowpass at 1.  A band that is stopped may be passed less far than is asked for where the steeper side allows it: its
    edges lie around those of the stop band symmetrically then, which gives the least order."""
    if not 0 < gpass <= gstop:
        raise ValueError(f"gpass is {gpass} and gstop is {gstop}; both should be positive, and gstop the larger one")
    passed, stopped = (np.atleast_1d(np.asarray(w, float)) * (2 / fs if fs else 1) for w in (wp, ws))
    if passed.shape != stopped.shape or passed.shape not in ((1,), (2,)):
        raise ValueError(f"wp has {passed.size} and ws {stopped.size} frequencies; both should have one, or both two")
    if not analog:
        passed, stopped = np.tan(np.pi * passed / 2), np.tan(np.pi * stopped / 2)
    lowest = passed[0] < stopped[0]
    if len(passed) == 1:
        reach = stopped / passed if lowest else passed / stopped
    else:
        if lowest:
            low = max(passed[0], stopped.prod() / passed[1])
            passed = np.array([low, min(passed[1], stopped.prod() / low)])
        reach = np.abs((stopped**2 - passed.prod()) / (stopped * (passed[1] - passed[0])))
        reach = 1 / reach if lowest else reach
    if not min(reach) > 1:
        raise ValueError(f"wp is {wp} and ws is {ws}; the bands should be apart")
    return passed, stopped, min(reach)


def _natural(edges, analog, fs):
    """Frequencies of the analog filter as those of the filter that is asked for."""
    w = edges if analog else 2 / np.pi * np.arctan(edges)
    w = w * (fs / 2 if fs else 1)
    return w[0] if len(w) == 1 else w


def _moved(passed, stopped, factor):
    """The edges where a lowpass at 1 has `factor`, a frequency."""
    if len(passed) == 1:
        return passed * factor if passed[0] < stopped[0] else passed / factor
    factor = 1 / factor if passed[0] < stopped[0] else factor
    half = factor * (passed[1] - passed[0]) / 2
    return np.sqrt(half**2 + passed.prod()) + np.array([-half, half])


def _power(decibels):
    return math.expm1(0.1 * math.log(10) * decibels)


def _butterworth_order(reach, gpass, gstop):
    return math.log(_power(gstop) / _power(gpass)) / (2 * math.log(reach))


def buttord(wp, ws, gpass, gstop, analog=False, fs=None):
    passed, stopped, reach = _warped(wp, ws, gpass, gstop, analog, fs)
    order = math.ceil(_butterworth_order(reach, gpass, gstop))
    factor = _power(gpass) ** (-1 / (2 * order)) if order else 1
    return order, _natural(_moved(passed, stopped, factor), analog, fs)


def _chebyshev(reach, gpass, gstop):
    height = math.acosh(math.sqrt(_power(gstop) / _power(gpass)))
    return height, height / math.acosh(reach)


def cheb1ord(wp, ws, gpass, gstop, analog=False, fs=None):
    passed, _, reach = _warped(wp, ws, gpass, gstop, analog, fs)
    return math.ceil(_chebyshev(reach, gpass, gstop)[1]), _natural(passed, analog, fs)


def cheb2ord(wp, ws, gpass, gstop, analog=False, fs=None):
    passed, stopped, reach = _warped(wp, ws, gpass, gstop, analog, fs)
    height, order = _chebyshev(reach, gpass, gstop)
    order = math.ceil(order)
    return order, _natural(_moved(passed, stopped, math.cosh(height / order)), analog, fs)


def _mean(a, b):
    """The arithmetic-geometric mean."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def _elliptic_order(reach, gpass, gstop):
    modulus, depth = 1 / reach, _power(gpass) / _power(gstop)
    ratio = _mean(1, modulus) / _mean(1, math.sqrt(1 - modulus**2))  # of complete elliptic integrals
    return ratio * _mean(1, math.sqrt(1 - depth)) / _mean(1, math.sqrt(depth))


def ellipord(wp, ws, gpass, gstop, analog=False, fs=None):
    passed, _, reach = _warped(wp, ws, gpass, gstop, analog, fs)
    return math.ceil(_elliptic_order(reach, gpass, gstop)), _natural(passed, analog, fs)


def band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type):  # noqa: A002
    """scipy.signal.band_stop_obj: the order, which need not be whole, of an analog filter of a type, butter, cheby or
    ellip, whose pass band has another edge.  Not collective."""
    orders = {"butter": _butterworth_order, "cheby": lambda *of: _chebyshev(*of)[1], "ellip": _elliptic_order}
    passed, stopped = np.array(passb, float), np.asarray(stopb, float)
    passed[ind] = wp
    reach = np.abs(stopped * (passed[0] - passed[1]) / (stopped**2 - passed.prod())).min()
    return _found("type", type, orders)(reach, gpass, gstop)


# ---- designs by their names ----

_KINDS = {
    alias: name
    for name, aliases in {"butter": "butterworth", "ellip": "cauer elliptic", "cheby1": "chebyshev1 chebyshevi",
                          "cheby2": "chebyshev2 chebyshevii", "bessel": "bessel_phase bessel_delay bessel_mag"}.items()
    for alias in [name, *aliases.split()]
}  # fmt: skip


def _found(what, word, known):
    if word not in known:
        raise ValueError(f"{what} is {word!r}, which is none of {', '.join(known)}")
    return known[word]


def iirfilter(N, Wn, rp=None, rs=None, btype="band", analog=False, ftype="butter", output="ba", fs=None):  # noqa: N803
    band, kind = _found("btype", btype.lower(), BANDS), _found("ftype", ftype.lower(), _KINDS)
    ripples = {"cheby1": {"rp": rp}, "cheby2": {"rs": rs}, "ellip": {"rp": rp, "rs": rs}}.get(kind, {})
    for name, value in ripples.items():
        if value is None:
            raise ValueError(f"{name} should be given for {ftype}")
    named = {"norm": ftype.lower().partition("_")[2] or "phase"} if kind == "bessel" else {}
    design = {"butter": butter, "cheby1": cheby1, "cheby2": cheby2, "ellip": ellip, "bessel": bessel}[kind]
    return design(N, *ripples.values(), Wn, band, analog, output, fs=fs, **named)


def iirdesign(wp, ws, gpass, gstop, analog=False, ftype="ellip", output="ba", fs=None):
    orders = {"butter": buttord, "cheby1": cheb1ord, "cheby2": cheb2ord, "ellip": ellipord}
    kind = _found("ftype", ftype.lower(), _KINDS)
    if kind not in orders:
        raise ValueError(f"ftype is {ftype!r}, whose order no function finds")
    p, s = np.atleast_1d(wp), np.atleast_1d(ws)
    edges = np.concatenate([p, s])
    if (edges <= 0).any() or not analog and (edges >= (fs / 2 if fs else 1)).any():
        raise ValueError(f"wp is {wp} and ws is {ws}; they should be positive and below half the rate")
    if p.shape == s.shape == (2,) and not (p[0] < s[0] < s[1] < p[1] or s[0] < p[0] < p[1] < s[1]):
        raise ValueError(f"wp is {wp} and ws is {ws}; one should lie within the other")
    order, wn = orders[kind](wp, ws, gpass, gstop, analog, fs)
    band = (("lowpass", "highpass") if len(p) == 1 else ("bandstop", "bandpass"))[int(p[0] >= s[0])]
    return iirfilter(order, wn, gpass, gstop, band, analog, ftype, output, fs)


def iircomb(w0, Q, ftype="notch", fs=2.0, *, pass_zero=False):  # noqa: N803
    if ftype not in ("notch", "peak"):
        raise ValueError(f"ftype is {ftype!r}, and must be 'notch' or 'peak'")
    if not 0 < w0 < fs / 2:
        raise ValueError(f"w0 is {w0}, and must lie between 0 and half the rate, {fs / 2}")
    order = round(fs / w0)
    if abs(w0 - fs / order) / fs > 1e-14:
        raise ValueError(f"the rate {fs} should be a multiple of w0, {w0}")
    beta = math.tan(order * (2 * math.pi * w0 / fs / Q) / 4)
    sign = 1 if (ftype == "notch") == pass_zero else -1
    b, a = np.zeros(order + 1), np.zeros(order + 1)
    b[0], b[-1] = (1, sign) if ftype == "notch" else (beta, -sign * beta)
    a[0], a[-1] = 1, sign * (1 - beta) / (1 + beta)
    b[[0, -1]] /= 1 + beta
    return b, a


def gammatone(freq, ftype, order=None, numtaps=None, fs=None):
    """scipy.signal.gammatone: a filter as that of the ear at a frequency, after M. Slaney, An efficient implementation of
    the Patterson-Holdsworth auditory filter bank, 1993.  Not collective."""
    fs, kind = 2 if fs is None else float(fs), ftype.lower()
    if kind not in ("fir", "iir"):
        raise ValueError(f"ftype is {ftype!r}, and must be 'fir' or 'iir'")
    if not 0 < freq < fs / 2:
        raise ValueError(f"freq is {freq}, and must lie between 0 and half the rate, {fs / 2}")
    width = 2 * math.pi * 1.019 * (freq / 9.26449 + 24.7)
    if kind == "fir":
        order = 4 if order is None else int(order)
        if not 0 < order <= 24:
            raise ValueError(f"order is {order}, and must lie between 1 and 24")
        t = np.arange(max(int(fs * 0.015), 15) if numtaps is None else int(numtaps)) / fs
        envelope = 2 * width**order / math.factorial(order - 1) / fs * t ** (order - 1) * np.exp(-width * t)
        return envelope * np.cos(2 * math.pi * freq * t), np.array([1.0])
    if order is not None or numtaps is not None:
        warnings.warn("gammatone: order and numtaps are of 'fir', and have no effect on 'iir'", stacklevel=2)
    pole, at = np.exp((-width + 2j * math.pi * freq) / fs), np.exp(-2j * math.pi * freq / fs)
    near, far = (1 - pole * at) ** 4, (1 - np.conj(pole) * at) ** 4
    gain = abs((near + far) / 2 / (near * far))
    return np.poly([pole] * 4).real / gain, np.poly([pole, np.conj(pole)] * 4).real


def buttap(N):  # noqa: N803
    return butter(N, 1, analog=True, output="zpk")


def cheb1ap(N, rp):  # noqa: N803
    return cheby1(N, rp, 1, analog=True, output="zpk")


def cheb2ap(N, rs):  # noqa: N803
    return cheby2(N, rs, 1, analog=True, output="zpk")


def ellipap(N, rp, rs):  # noqa: N803
    return ellip(N, rp, rs, 1, analog=True, output="zpk")


def besselap(N, norm="phase"):  # noqa: N803
    return bessel(N, 1, analog=True, output="zpk", norm=norm)


# ---- finite impulse responses ----


def firls(numtaps, bands, desired, *, weight=None, fs=None):
    bands = np.asarray(bands, float).ravel() * (2 / fs if fs else 1)
    desired = np.asarray(desired, float).ravel()
    if numtaps < 1 or numtaps % 2 == 0:
        raise ValueError(f"numtaps is {numtaps}, and must be odd and at least 1")
    if len(bands) % 2 or len(bands) != len(desired):
        raise ValueError(f"bands has {len(bands)} and desired {len(desired)} numbers, and not two for each band")
    if (np.diff(bands) < 0).any() or (np.diff(bands)[::2] == 0).any() or bands[0] < 0 or bands[-1] > 1:
        raise ValueError("bands should rise from 0 to at most half the rate")
    weight = np.ones(len(bands) // 2) if weight is None else np.asarray(weight, float).ravel()
    if len(weight) != len(bands) // 2 or (weight < 0).any():
        raise ValueError(f"weight should have {len(bands) // 2} numbers, none negative")
    half, f, gain = numtaps // 2, bands.reshape(-1, 2), desired.reshape(-1, 2)
    slope = (np.diff(gain) / np.diff(f)).ravel()
    at_zero = gain[:, 0] - slope * f[:, 0]

    def integral(values):  # over the bands, of what has these values at their ends, for each n
        return (values[..., 1] - values[..., 0]) @ weight

    n = np.arange(numtaps)[:, None, None]
    moments = integral(f * np.sinc(n * f))  # of cos(pi n f)
    n = n[: half + 1]
    line = slope[:, None] * f + at_zero[:, None]
    wanted = f * line * np.sinc(n * f)
    wanted[0] -= slope[:, None] * f**2 / 2
    wanted[1:] += slope[:, None] * np.cos(np.pi * n[1:] * f) / (np.pi * n[1:]) ** 2
    place = np.arange(half + 1)
    matrix = moments[np.abs(place[:, None] - place)] + moments[place[:, None] + place]
    taps = np.linalg.lstsq(matrix, integral(wanted), rcond=None)[0]
    return np.concatenate([taps[:0:-1], [2 * taps[0]], taps[1:]])


def minimum_phase(h, method="homomorphic", n_fft=None, *, half=True):
    h = np.asarray(h)
    if np.iscomplexobj(h) or h.ndim != 1 or len(h) <= 2:
        raise ValueError(f"h is {h.dtype} of shape {h.shape}, and must be a real vector of more than 2 elements")
    if method not in ("homomorphic", "hilbert"):
        raise ValueError(f"method is {method!r}, and must be 'homomorphic' or 'hilbert'")
    if method == "hilbert" and not half:
        raise ValueError("half is False, which the method 'hilbert' does not have")
    n_fft = 2 ** math.ceil(math.log2(2 * (len(h) - 1) / 0.01)) if n_fft is None else int(n_fft)
    if n_fft < len(h):
        raise ValueError(f"n_fft is {n_fft}, below the {len(h)} elements of h")
    middle, count = len(h) // 2, (len(h) + 1) // 2 if half else len(h)
    if method == "hilbert":
        if not np.allclose(h[-middle:][::-1], h[:middle]):
            warnings.warn("minimum_phase: h is not symmetric, and 'hilbert' may fail", RuntimeWarning, stacklevel=2)
        gain = (np.fft.fft(h, n_fft) * np.exp(2j * np.pi * middle / n_fft * np.arange(n_fft))).real
        above, below = gain.max() - 1, -gain.min()
        scale = 4 / (math.sqrt(1 + above + below) + math.sqrt(1 - above + below)) ** 2
        size = np.sqrt((gain + below) * scale) + 1e-10
        logs = np.log(size)
    else:
        size = np.abs(np.fft.fft(h, n_fft))
        logs = np.log(size + 1e-7 * size[size > 0].min()) * (0.5 if half else 1)
    causal = np.zeros(n_fft)  # the cepstrum of what has this gain, and no phase, folded to times from 0 on
    causal[0], causal[1 : n_fft // 2] = 1, 2
    causal[n_fft // 2] = 1 + n_fft % 2 if method == "homomorphic" else 1
    return np.fft.ifft(np.exp(np.fft.fft(np.fft.ifft(logs).real * causal))).real[:count]


# ---- responses ----


def findfreqs(num, den, N, kind="ba"):  # noqa: N803
    if kind not in ("ba", "zp"):
        raise ValueError(f"kind is {kind!r}, and must be 'ba' or 'zp'")
    z, p = (np.atleast_1d(np.roots(v) if kind == "ba" else v) + 0j for v in (num, den))
    p = p if p.size else np.array([-1000 + 0j])
    seen = np.concatenate([p[p.imag >= 0], z[(np.abs(z) < 1e5) & (z.imag >= 0)]])
    at_zero = np.abs(seen) < 1e-10
    real = np.abs(seen.real + at_zero)
    last = np.round(np.log10(np.max(3 * real + 1.5 * seen.imag)) + 0.5)
    first = np.round(np.log10(0.1 * np.min(real + 2 * seen.imag)) - 0.5)
    return np.logspace(first, last, int(N))


def freqs(b, a, worN=200, plot=None):  # noqa: N803
    count = number_of_frequencies(worN, 200)
    w = np.atleast_1d(worN) if count is None else findfreqs(b, a, count)
    h = np.polyval(b, 1j * w) / np.polyval(a, 1j * w)
    if plot is not None:
        plot(w, h)
    return w, h


def _of_roots(roots, x):
    return np.prod(x - np.atleast_1d(roots)[:, None], axis=0)


def freqs_zpk(z, p, k, worN=200):  # noqa: N803
    count = number_of_frequencies(worN, 200)
    w = np.atleast_1d(worN) if count is None else findfreqs(z, p, count, "zp")
    return w, k * _of_roots(z, 1j * w) / _of_roots(p, 1j * w)


def freqz_zpk(z, p, k, worN=512, whole=False, fs=2 * np.pi):  # noqa: N803
    w = frequencies(worN, whole, fs)
    x = np.exp(2j * np.pi / fs * w)
    return w, k * _of_roots(z, x) / _of_roots(p, x)


def freqz_sos(sos, worN=512, whole=False, fs=2 * np.pi):  # noqa: N803
    return sosfreqz(sos, worN, whole, fs)


def group_delay(system, w=512, whole=False, fs=2 * np.pi):
    w = frequencies(w, whole, fs)
    b, a = map(np.atleast_1d, system)
    c = np.convolve(b, a[::-1].conj())
    z = np.exp(-2j * np.pi / fs * w)
    above, below = np.polyval((c * np.arange(len(c)))[::-1], z), np.polyval(c[::-1], z)
    singular = np.abs(below) < 10 * np.finfo(float).eps
    if singular.any():
        warnings.warn("group_delay: where the response is 0 there is none, and it is 0", RuntimeWarning, stacklevel=2)
    delay = (above / np.where(singular, 1, below)).real - len(a) + 1
    return w, np.where(singular, 0, delay)


def lfiltic(b, a, y, x=None):
    a = np.trim_zeros(np.atleast_1d(a), "f")
    if not a.size:
        raise ValueError("a has no coefficient but 0")
    a, b = a / a[0], np.atleast_1d(b) / a[0]
    count = max(len(a), len(b)) - 1
    x, y = np.atleast_1d([] if x is None else x), np.atleast_1d(y)
    zi = np.zeros(count, np.result_type(b, a, x, y, float))
    for taps, past, sign in ((b, x, 1), (a, y, -1)):
        past = np.concatenate([past, np.zeros(len(taps))])[: len(taps) - 1]
        for m in range(len(taps) - 1):
            zi[m] += sign * (taps[m + 1 :] * past[: len(past) - m]).sum()
    return zi


# ---- changes of polynomials ----


class BadCoefficients(UserWarning):
    """What warns of a numerator that begins with zeros."""


def normalize(b, a):
    """scipy.signal.normalize: the numerator, or one in every row, and the denominator, which begins with 1.  Not
    collective."""
    a, b = np.trim_zeros(np.atleast_1d(a), "f"), np.atleast_1d(b)
    if a.ndim != 1 or b.ndim > 2 or not a.size:
        raise ValueError("b should be a vector, or a matrix of one in every row, and a one of more than zeros")
    b, a = b / a[0], a / a[0]
    count = b.shape[-1]
    least = next((i for i in range(count) if np.abs(b[..., i]).max() > 1e-14), count - 1)
    if least > 0:
        warnings.warn("normalize: leading coefficients of b are 0, and are left out", BadCoefficients, stacklevel=3)
    b = b[..., least:]
    return b[0] if b.ndim == 2 and len(b) == 1 else b, a


def _substituted(b, a, top, bottom):
    """b(s) / a(s) with top / bottom in the place of s."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    degree = max(len(b), len(a)) - 1

    def changed(polynomial):
        whole = np.zeros(1)
        for power, coefficient in enumerate(polynomial[::-1]):
            term = np.array([coefficient])
            for factor in [top] * power + [bottom] * (degree - power):
                term = np.convolve(term, factor)
            whole = np.polyadd(whole, term)
        return np.trim_zeros(whole, "f") if whole.any() else np.zeros(1)

    return normalize(changed(b), changed(a))


def bilinear(b, a, fs=1.0):
    return _substituted(b, a, [2 * fs, -2 * fs], [1, 1])


def lp2lp(b, a, wo=1.0):
    return _substituted(b, a, [1, 0], [wo])


def lp2hp(b, a, wo=1.0):
    return _substituted(b, a, [wo], [1, 0])


def lp2bp(b, a, wo=1.0, bw=1.0):
    return _substituted(b, a, [1, 0, wo * wo], [bw, 0])


def lp2bs(b, a, wo=1.0, bw=1.0):
    return _substituted(b, a, [bw, 0], [1, 0, wo * wo])


# ---- partial fractions ----

_ONE_OF = {"max": np.max, "maximum": np.max, "min": np.min, "minimum": np.min, "avg": np.mean, "mean": np.mean}


def unique_roots(p, tol=1e-3, rtype="min"):
    one_of = _found("rtype", rtype, _ONE_OF)
    p = np.asarray(p)
    left, found, counts = np.ones(len(p), bool), [], []
    for i in range(len(p)):
        if left[i]:
            near = left & (np.abs(p - p[i]) <= tol)
            left &= ~near
            found.append(one_of(p[near]))
            counts.append(near.sum())
    return np.array(found), np.array(counts, int)


def _product(roots, counts):
    whole = np.ones(1)
    for root, count in zip(roots, counts):
        for _ in range(count):
            whole = np.convolve(whole, [1, -root])
    return whole


def _series(polynomial, at, count):
    """The first coefficients of a polynomial of x - at."""
    found = []
    for _ in range(count):
        polynomial, rest = np.polydiv(polynomial, [1, -at])
        found.append(rest[-1])
    return found


def _residues(roots, counts, b):
    """Those of b over the product of x - root, by root and rising power."""
    found = []
    for i, (root, count) in enumerate(zip(roots, counts)):
        others = _product(np.delete(roots, i), np.delete(counts, i))
        above, below = _series(b, root, count), _series(others, root, count)
        ratio = []
        for n in range(count):
            ratio.append((above[n] - sum(ratio[m] * below[n - m] for m in range(n))) / below[0])
        found += ratio[::-1]
    return np.array(found)


def _poles(a, tol, rtype):
    """Distinct roots, by their size, and how often each is there."""
    roots, counts = unique_roots(np.roots(a), tol, rtype)
    order = np.argsort(np.abs(roots), kind="stable")
    return roots[order], counts[order]


def residue(b, a, tol=1e-3, rtype="avg"):
    b, a = (np.trim_zeros(np.atleast_1d(v), "f") for v in (b, a))
    if not a.size:
        raise ValueError("the denominator a is 0")
    roots, counts = _poles(a, tol, rtype)
    p = np.repeat(roots, counts)
    if not b.size:
        return np.zeros(p.shape), p, np.array([])
    k, b = (np.empty(0), b) if len(b) < len(a) else np.polydiv(b, a)
    return _residues(roots, counts, b) / a[0], p, k


def residuez(b, a, tol=1e-3, rtype="avg"):
    b, a = (np.trim_zeros(np.atleast_1d(v), "b") for v in (b, a))
    if not a.size or a[0] == 0:
        raise ValueError("the first coefficient of the denominator a is 0")
    roots, counts = _poles(a, tol, rtype)
    p = np.repeat(roots, counts)
    if not b.size:
        return np.zeros(p.shape), p, np.array([])
    k, b = (np.empty(0), b[::-1]) if len(b) < len(a) else np.polydiv(b[::-1], a[::-1])
    powers = np.concatenate([np.arange(1, count + 1) for count in counts] or [[]])
    return _residues(1 / roots, counts, b) * (-p) ** powers / a[-1], p, k[::-1]


def _joined(r, p, k, tol, rtype, factor, add):
    """The numerator and the denominator of a sum of fractions, whose denominators are powers of factor(pole); poles
    that lie beside each other in the list, and nearer than tol, are one."""
    one_of = _found("rtype", rtype, _ONE_OF)
    r, p, k = (np.atleast_1d(v) for v in (r, p, k))
    starts = [i for i in range(len(p)) if i == 0 or abs(p[i] - p[i - 1]) > tol] + [len(p)]
    blocks = [slice(lo, hi) for lo, hi in zip(starts, starts[1:])]
    factors = [[factor(one_of(p[block]))] * len(p[block]) for block in blocks]

    def product(groups):
        whole = np.ones(1)
        for one in (one for group in groups for one in group):
            whole = np.convolve(whole, one)
        return whole

    whole = product(factors)
    above = np.convolve(k, whole) if k.size else np.zeros(1)
    for i, block in enumerate(blocks):
        for power, value in enumerate(r[block], 1):
            above = add(above, value * product([*factors[:i], factors[i][power:], *factors[i + 1 :]]))
    return above, whole


def invres(r, p, k, tol=1e-3, rtype="avg"):
    k = np.trim_zeros(np.atleast_1d(k), "f")
    return _joined(r, p, k, tol, rtype, lambda pole: [1, -pole], np.polyadd)


def invresz(r, p, k, tol=1e-3, rtype="avg"):
    k = np.trim_zeros(np.atleast_1d(k), "b")
    return _joined(r, p, k, tol, rtype, lambda pole: [1, -pole], lambda x, y: np.polyadd(x[::-1], y[::-1])[::-1])


# ---- windows and sequences ----


def _overlapping(window, nperseg, noverlap):
    """A window, and how far the next one is."""
    if nperseg < 1:
        raise ValueError(f"nperseg is {nperseg}, and must be positive")
    if not 0 <= noverlap < nperseg:
        raise ValueError(f"noverlap is {noverlap}, and must be 0 or more, and less than nperseg, {nperseg}")
    taps = get_window(window, nperseg) if isinstance(window, (str, tuple)) else window
    taps = taps.numpy() if isinstance(taps, ndarray) else np.asarray(taps)
    if taps.shape != (nperseg,):
        raise ValueError(f"the window has the shape {taps.shape}, and nperseg is {nperseg}")
    return taps, nperseg - noverlap


def _sums(taps, step):
    """What shifted windows add up to."""
    padded = np.concatenate([taps, np.zeros(-len(taps) % step)])
    return padded.reshape(-1, step).sum(axis=0)


def check_COLA(window, nperseg, noverlap, tol=1e-10):  # noqa: N802
    """scipy.signal.check_COLA: whether shifted windows add up to a constant.  Collective, unless the
    window is NumPy's array."""
    sums = _sums(*_overlapping(window, nperseg, noverlap))
    return bool(np.abs(sums - np.median(sums)).max() < tol)


def check_NOLA(window, nperseg, noverlap, tol=1e-10):  # noqa: N802
    """scipy.signal.check_NOLA: whether the squares of shifted windows add up to more than 0 everywhere.  Collective,
    unless the window is NumPy's array."""
    taps, step = _overlapping(window, nperseg, noverlap)
    return bool(_sums(taps**2, step).min() > tol)


# The taps of the shift registers, beside the first, by their length
_TAPS = {2: [1], 3: [2], 4: [3], 5: [3], 6: [5], 7: [6], 8: [7, 6, 1], 9: [5], 10: [7], 11: [9], 12: [11, 10, 4],
         13: [12, 11, 8], 14: [13, 12, 2], 15: [14], 16: [15, 13, 4], 17: [14], 18: [11], 19: [18, 17, 14], 20: [17],
         21: [19], 22: [21], 23: [18], 24: [23, 22, 17], 25: [22], 26: [25, 24, 20], 27: [26, 25, 22], 28: [25],
         29: [27], 30: [29, 28, 7], 31: [28], 32: [31, 30, 10]}


def max_len_seq(nbits, state=None, length=None, taps=None):
    """scipy.signal.max_len_seq: the bits of a shift register, and its state after them.  Not collective.

    Each bit is the sum, modulo 2, of those before it that the taps name.  So it is of the bits at 2, 4, 8, ... times
    the distances, and about as many bits come at once as there are already."""
    if taps is None and nbits not in _TAPS:
        raise ValueError(f"nbits is {nbits}, and must lie between {min(_TAPS)} and {max(_TAPS)} without taps")
    taps = np.unique(_TAPS[nbits] if taps is None else taps).tolist()
    if not taps or taps[0] < 0 or taps[-1] > nbits:
        raise ValueError(f"taps are {taps}, and must lie between 0 and nbits, {nbits}")
    length = 2**nbits - 1 if length is None else int(length)
    if length < 0:
        raise ValueError(f"length is {length}, negative")
    state = np.ones(nbits, np.int8) if state is None else np.asarray(state, bool).astype(np.int8)
    if state.shape != (nbits,) or not state.any():
        raise ValueError(f"the state should be {nbits} bits, and not zeros alone")
    distances = [tap % nbits for tap in taps]
    bits = np.empty(length + nbits, np.int8)
    bits[:nbits], done, step = state, nbits, 1
    while done < len(bits):
        while 2 * step * nbits <= done:
            step *= 2
        count = min((nbits - max(distances)) * step, len(bits) - done)
        first = done - nbits * step
        fresh = bits[first : first + count].copy()
        for distance in distances:
            fresh ^= bits[first + distance * step :][:count]
        bits[done : done + count], done = fresh, done + count
    return bits[:length].copy(), bits[length:].copy()
