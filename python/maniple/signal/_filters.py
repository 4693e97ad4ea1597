# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's filters, their design, and windows.  Coefficients are NumPy's arrays, the same on all ranks;
what they are applied to are arrays of Maniple."""

import collections
import ctypes
import math
import operator
import re
import warnings

import numpy as np

from .._array import as_array, into, made, ndarray
from .._errors import LinAlgError
from .._library import call, constant, struct
from .._names import names, number_of
from ._waveforms import kaiser_atten, kaiser_beta

__all__ = """bessel bilinear_zpk butter cheby1 cheby2 deconvolve ellip filtfilt firwin firwin2 firwin_2d freqz get_window
    iirnotch iirpeak lfilter lfilter_zi lp2bp_zpk lp2bs_zpk lp2hp_zpk lp2lp_zpk medfilt medfilt2d remez savgol_coeffs
    savgol_filter sos2tf sos2zpk sosfilt sosfilt_zi sosfiltfilt sosfreqz tf2sos tf2zpk upfirdn wiener
    whittaker_henderson zpk2sos zpk2tf""".split()

WhittakerHendersonResult = collections.namedtuple("WhittakerHendersonResult", "x lamb")


def _reals(values):
    """Numbers as float64; complex ones are refused, whose imaginary parts would be lost."""
    values = np.asarray(values)
    if values.dtype.kind == "c":
        raise TypeError("coefficients here are real numbers, and some of these are complex")
    return values.astype(float)


def _numbers(values):
    """A vector of numbers as the library takes it; a number is one of one element."""
    values = np.atleast_1d(_reals(values))
    if values.ndim > 1:
        raise ValueError(f"coefficients, taps and the like are vectors here, and these have the shape {values.shape}")
    return values


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


def _short(x, *others):
    """The dtype of results where x, coefficients and states have no more than float32 has; otherwise None."""
    dtype = np.result_type(x.dtype, *(v.dtype if isinstance(v, ndarray) else np.asarray(v).dtype for v in others))
    return dtype if dtype in (np.float32, np.complex64) else None


def _output(x, dtype):
    """An array for a result like x of a short dtype, or None: the library makes one in double precision."""
    return None if dtype is None else names.empty_like(x, dtype)


def _several(name, count, *arguments):
    """Call a function whose last parameters are outputs, which are new; None in place of one: it is not wanted."""
    cells = [ctypes.c_void_p() for _ in range(count)]
    call(name, *arguments, *map(ctypes.byref, cells))
    return tuple(ndarray._adopt(cell.value) for cell in cells)


# --- filters ----------------------------------------------------------------------------------------------------------


def lfilter(b, a, x, axis=-1, zi=None):
    x, coefficients = as_array(x), (b, a)
    a = _numbers(a)
    if zi is None:
        short = _short(x, *coefficients) and np.result_type(np.float32, x.dtype)  # of b's real and imaginary parts

        def filtered(b):
            b = _numbers(b)
            return _filtered("lfilter", x, short, len(b), b, len(a), a, x, axis)

        return _by_parts(filtered, b)
    b, zi = _numbers(b), as_array(zi)
    if zi.ndim == x.ndim > 1:  # SciPy's states are broadcast
        shape = list(x.shape)
        shape[axis] = max(len(a), len(b)) - 1
        zi = zi if zi.shape == tuple(shape) else names.copy(names.broadcast_to(zi, shape))
    return _shortened(_several("lfilter", 2, len(b), b, len(a), a, x, axis, zi), _short(x, zi, *coefficients))


def _shortened(results, dtype):
    return results if dtype is None else tuple(v.astype(dtype) for v in results)


def _filtered(name, x, dtype, *arguments):
    """What a filter without states gives of x, in a short dtype or in double precision."""
    out = _output(x, dtype)
    cell = ctypes.c_void_p(None if out is None else out._handle)
    call(name, *arguments, None, ctypes.byref(cell), None)
    return ndarray._adopt(cell.value) if out is None else out


def sosfilt(sos, x, axis=-1, zi=None):
    x, coefficients = as_array(x), sos
    sos = _sections(sos)
    if zi is None:
        return _filtered("sosfilt", x, _short(x, coefficients), len(sos), sos.ravel(), x, axis)
    zi = as_array(zi)
    return _shortened(_several("sosfilt", 2, len(sos), sos.ravel(), x, axis, zi), _short(x, zi, coefficients))


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
    """scipy.signal.filtfilt.  method="gust" chooses the states at both ends so that forward and backward first and
    backward and forward first give the same, as nearly as can be: F. Gustafsson, Determining the initial states in
    forward-backward filtering, 1996.  irlen: after so many samples the impulse response is nothing; without it a QR
    factorisation of as many rows as samples is computed.  Collective."""
    if method not in ("pad", "gust"):
        raise ValueError(f"method is {method!r}, and must be 'pad' or 'gust'")
    x, coefficients = as_array(x), (b, a)
    b, a = _numbers(b), _numbers(a)
    if method == "gust":
        lines = names.moveaxis(x if x.dtype.kind in "fc" else x.astype(float), axis, -1)
        found = names.moveaxis(_between_best_states(b, a, lines, irlen), -1, axis)
        return found if _short(x, *coefficients) is None else found.astype(_short(x, *coefficients))
    out = _output(x, _short(x, *coefficients))
    return into("filtfilt", len(b), b, len(a), a, x, axis, *_padding(padtype, padlen), out=out)


def _between_best_states(b, a, x, irlen):
    """x filtered forward and backward along its last axis, with the best states at both ends."""
    order, n = max(len(b), len(a)) - 1, x.shape[-1]
    if order == 0:
        return x * (b[0] / a[0]) ** 2
    if irlen is not None and irlen < 0:
        raise ValueError(f"filtfilt: irlen is {irlen}, negative")
    count = n if irlen is None or n <= 2 * irlen else int(irlen)  # samples that states have an effect on

    def backward(y):
        return lfilter(b, a, y[..., ::-1])[..., ::-1]

    first = backward(lfilter(b, a, x))
    if count == 0 or x.size == 0:
        return first
    apart = lfilter(b, a, backward(x)) - first
    seen = lfilter(b, a, names.zeros((order, count)), zi=np.eye(order))[0]  # what comes of each state alone
    behind = backward(seen)
    at_begin, at_end = behind - seen, (seen - behind)[:, ::-1]
    into_begin, into_end = behind, seen[:, ::-1]
    lines = names.reshape(apart, (-1, n))
    if count == n:
        states = _least_squares(names.concatenate([at_begin, at_end]), lines)
        more = states @ names.concatenate([into_begin, into_end])
        return first + names.reshape(more, first.shape)
    begin = _least_squares(at_begin, lines[:, :count]) @ into_begin
    end = _least_squares(at_end, lines[:, n - count :]) @ into_end
    middle = names.zeros((lines.shape[0], n - 2 * count), begin.dtype)
    return first + names.reshape(names.concatenate([begin, middle, end], axis=1), first.shape)


def _least_squares(rows, lines):
    """The coefficients with which sums of the few rows are nearest to each line, and the least ones of these."""
    from .. import linalg

    q, r = linalg.qr(rows.T)
    return as_array(np.linalg.lstsq(r.numpy(), (lines @ q).numpy().T, rcond=None)[0].T)


def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    x = as_array(x)
    out = _output(x, _short(x, sos))
    sos = _sections(sos)
    return into("sosfiltfilt", len(sos), sos.ravel(), x, axis, *_padding(padtype, padlen), out=out)


def _check_rates(name, up, down):
    if up < 1 or down < 1:
        raise ValueError(f"{name}: up is {up} and down is {down}, and both must be 1 or more")


def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    _check_rates("upfirdn", up, down)
    x, taps = as_array(x), np.size(h)
    short = _short(x, h)

    def filtered(x):
        found = _by_parts(lambda h: made("upfirdn", taps, _numbers(h), x, up, down, axis), h)
        return found if short is None else found.astype(short)

    length = ((x.shape[axis] - 1) * up + taps - 1) // down + 1
    if x.ndim > 0 and x.shape[axis] == 0:
        return names.zeros([length if d == range(x.ndim)[axis] else n for d, n in enumerate(x.shape)], short)
    if mode == "constant" and cval == 0:
        return filtered(x)
    return _continued(filtered, x, taps, up, down, axis, length, mode, cval)


def _antisymmetric(n, p):
    q = p % (2 * n)
    return [(np.where(q < n, q, 2 * n - 1 - q), np.where(q < n, 1, -1))]


def _antireflect(n, p):
    k, r = np.divmod(p, max(n - 1, 1))  # which copy of the signal, turned by half a turn where k is odd
    odd = k % 2
    return [(np.where(odd, n - 1 - r, r), 1 - 2 * odd), (n - 1 + 0 * p, k + odd), (0 * p, odd - k)]


def _smooth(n, p):
    before, behind = np.minimum(p, 0), np.maximum(p - n + 1, 0)
    end = np.where(p < 0, 0, n - 1)
    return [(end, 1 - before + behind), (np.clip(np.where(p < 0, 1, n - 2), 0, n - 1), before - behind)]


def _line(n, p):
    along = p / max(n - 1, 1)
    return [(0 * p, 1 - along), (n - 1 + 0 * p, along)]


# How signals go on beyond their ends: what numpy.pad has, and functions that tell for n elements and positions p which
# sums of elements, as pairs of indices and weights, are there
_CONTINUATIONS = {"constant": None, "edge": None, "reflect": None, "symmetric": None, "wrap": None, "smooth": _smooth,
                  "antisymmetric": _antisymmetric, "antireflect": _antireflect, "line": _line}  # fmt: skip


def _extended(x, axis, count, mode, cval):
    """x with so many elements more before and behind an axis."""
    function = _CONTINUATIONS[mode]
    if function is None:
        widths = [(count, count) if d == axis else (0, 0) for d in range(x.ndim)]
        return names.pad(x, widths, mode, cval if mode == "constant" else 0)
    x, n = x if x.dtype.kind in "fc" else x.astype(float), x.shape[axis]

    def margin(p):
        terms = function(n, p)
        shape = [-1 if d == axis else 1 for d in range(x.ndim)]
        weights = [as_array(np.reshape(w, shape).astype(x.real.dtype)) for _, w in terms]
        return sum(names.take(x, as_array(index), axis) * weight for (index, _), weight in zip(terms, weights))

    return names.concatenate([margin(np.arange(-count, 0)), x, margin(np.arange(n, n + count))], axis=axis)


def _continued(function, x, reach, up, down, axis, length, mode, cval):
    """`length` elements of function(x), which changes the rate by up / down, for an x that goes on beyond its ends.  Of
    reach / up elements there are so many more that a whole number of results comes of them."""
    if mode not in _CONTINUATIONS:
        raise ValueError(f"{mode!r} is none of the ways beyond the ends, {', '.join(_CONTINUATIONS)}")
    axis, step = range(x.ndim)[axis], down // math.gcd(up, down)
    count = -(-reach // (up * step)) * step
    begin = count * up // down
    x = _extended(x, axis, count, mode, cval)
    return function(x)[(slice(None),) * axis + (slice(begin, begin + length),)]


def deconvolve(signal, divisor):
    divisor = _numbers(divisor)
    return _several("deconvolve", 2, as_array(signal), len(divisor), divisor)


def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    room = _room(window_length)
    call("savgol_coeffs", window_length, polyorder, deriv, float(delta), -1.0 if pos is None else float(pos), use, room)
    return np.array(room[:])


def whittaker_henderson(signal, *, lamb="reml", order=2, weights=None):
    """scipy.signal.whittaker_henderson, of SciPy 1.18: the smoothed signal and lamb, as .x and .lamb; where it is
    found, elements without a weight do not count.  Where lamb is too large for rounding, or too few elements have
    weights, x is a polynomial to which it tends, with a warning.  Waits.  Collective."""
    chosen = isinstance(lamb, str)
    if lamb != "reml" if chosen else not lamb >= 0:
        raise ValueError(f"whittaker_henderson: lamb is {lamb!r}, and must be 'reml' or a number that is not negative")
    signal, order = as_array(signal), operator.index(order)
    weights = None if weights is None else as_array(weights)
    smooth, used = ctypes.c_void_p(), ctypes.c_double()
    try:
        call("whittaker_henderson", signal, weights, order, -1.0 if chosen else float(lamb),
             ctypes.byref(smooth), ctypes.byref(used))
    except LinAlgError as error:
        warnings.warn(f"{error}; x is a polynomial of degree {order - 1}", UserWarning, stacklevel=2)
        return WhittakerHendersonResult(_polynomial(signal, weights, order), math.inf if chosen else lamb)
    return WhittakerHendersonResult(ndarray._adopt(smooth.value), used.value if chosen else lamb)


def _polynomial(signal, weights, count):
    """The polynomial with so many coefficients that is nearest to a signal; where several are, the least of them."""
    from .. import linalg

    weights = names.ones(signal.shape) if weights is None else names.astype(weights, "float64")
    angles, root = names.arccos(names.linspace(-1, 1, signal.size)), names.sqrt(weights)
    chebyshev = names.cos(angles[:, None] * names.arange(count))
    return chebyshev @ linalg.lstsq(chebyshev * root[:, None], names.where(root > 0, signal, 0) * root)[0]


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
    window = number_of(window)
    if isinstance(window, (int, float, np.number)):
        return "kaiser", _numbers(window)
    if not isinstance(window, (str, tuple)):
        raise ValueError(f"the window is a {type(window).__name__}, and must be a name, a tuple or a number here")
    name, *parameters = (window,) if isinstance(window, str) else window or ("",)
    if not isinstance(name, str):
        raise ValueError(f"the name of the window is {name!r}, and must be a text")
    name, ending = re.fullmatch("(.*?)(_symmetric|_periodic|)", name.replace(" ", "_"), re.DOTALL).groups()
    name = _WINDOW_ALIASES.get(name, name)
    if name == "general_cosine" and not parameters:
        raise ValueError("the window general_cosine is given in a tuple, with its coefficients")
    if name == "general_cosine":
        parameters = parameters[0]
    return name + ending, np.array([np.nan if p is None else float(p) for p in parameters])


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
    btype = BANDS.get(btype.lower(), btype)
    wn = _numbers(wn)
    wanted = 2 if btype.startswith("band") else 1
    if len(wn) != wanted:
        raise ValueError(f"btype is {btype!r}, and Wn must have {wanted} of its frequencies, and not {len(wn)}")
    return wn, btype, analog, float(fs or 0)


def _with_real_zeros(found, btype, output):
    """Zeros of low passes and high passes that have none, or all at one place, are real numbers, as SciPy's."""
    if output != "zpk" or BANDS[btype.lower()].startswith("band"):
        return found
    return found[0].real, *found[1:]


def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    found = _design("butter", N, *_edges(Wn, btype, analog, output, fs), output=output)
    return _with_real_zeros(found, btype, output)


def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    found = _design("cheby1", N, float(rp), *_edges(Wn, btype, analog, output, fs), output=output)
    return _with_real_zeros(found, btype, output)


def cheby2(N, rs, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    return _design("cheby2", N, float(rs), *_edges(Wn, btype, analog, output, fs), output=output)


def ellip(N, rp, rs, Wn, btype="low", analog=False, output="ba", fs=None):  # noqa: N803
    return _design("ellip", N, float(rp), float(rs), *_edges(Wn, btype, analog, output, fs), output=output)


def bessel(N, Wn, btype="low", analog=False, output="ba", norm="phase", fs=None):  # noqa: N803
    wn, btype, analog, fs = _edges(Wn, btype, analog, output, fs)
    return _with_real_zeros(_design("bessel", N, wn, btype, analog, norm, fs, output=output), btype, output)


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
    """scipy.signal.tf2zpk: zeros, or poles, that are all real are real numbers.  Not collective."""
    if np.iscomplexobj(b) or np.iscomplexobj(a):
        b, a = (np.trim_zeros(np.atleast_1d(c), "f") for c in (b, a))
        if len(b) == 0 or len(a) == 0:
            raise ValueError("tf2zpk: the coefficients of b, and those of a, must not all be 0")
        return np.roots(b), np.roots(a), b[0] / a[0]
    z, p, k = _design(*_from_tf(b, a, True), output="zpk")
    return *(roots if roots.imag.any() else roots.real for roots in (z, p)), k


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
    """A filter with other edges.  One edge leaves real zeros real, and real poles, as SciPy's."""
    changed = struct("filter")()
    call(*_from_zpk(z, p, k, True), changed)
    try:
        call(name, changed, *map(float, arguments))
        *roots, gain = _form(changed, "zpk")
    finally:
        call("filter_clear", changed)
    are_real = [not name.startswith("lp2b") and np.isrealobj(given) for given in (z, p)]
    return *(r.real if real else r for r, real in zip(roots, are_real)), gain


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

    if np.ndim(b) > 1 or np.ndim(a) > 1:  # of several filters, along the first axis
        z = np.exp(-2j * np.pi / fs * w)
        h = np.polynomial.polynomial.polyval(z, b, False) / np.polynomial.polynomial.polyval(z, a, False)
    elif np.iscomplexobj(a):
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


def firwin_2d(hsize, window, *, fc=None, fs=2, circular=False, pass_zero=True, scale=True):
    """scipy.signal.firwin_2d: taps of an image's filter, the product of one filter for each axis, or, circular, the taps
    of one by their distance from the middle.  Unlike SciPy 1.17's, pass_zero and scale count, and what is circular has
    the shape hsize.  Not collective."""
    if len(hsize) != 2 or (not circular and len(window) != 2) or fc is None:
        raise ValueError("firwin_2d: fc has to be given, and hsize and window must be for two axes, a window for both if "
                         "circular")
    words = {"pass_zero": pass_zero, "scale": scale, "fs": fs}
    if not circular:
        return np.outer(*(firwin(n, fc, window=name, **words) for n, name in zip(hsize, window)))
    taps = firwin(8 * max(hsize), fc, window=window, **words)
    return np.interp(np.hypot(*np.ix_(*(np.linspace(-1, 1, n) for n in hsize))), np.linspace(0, 1, len(taps)), taps)


def firwin2(numtaps, freq, gain, nfreqs=None, window="hamming", antisymmetric=False, fs=None):
    freq, gain, (name, parameters) = _numbers(freq), _numbers(gain), _window(window)
    room = _room(numtaps)
    arguments = numtaps, len(freq), freq, gain, nfreqs or 0, name, len(parameters), parameters, antisymmetric
    call("firwin2", *arguments, float(fs or 0), room)
    return np.array(room[:])


def remez(numtaps, bands, desired, *, weight=None, type="bandpass", maxiter=25, grid_density=16, fs=None):  # noqa: A002
    bands, desired = _numbers(bands), _numbers(desired)
    room = _room(numtaps)
    weight = None if weight is None else _numbers(weight)
    call("remez", numtaps, len(desired), bands, desired, weight, type, float(fs or 0), maxiter, grid_density, room)
    return np.array(room[:])


# --- windows of images ------------------------------------------------------------------------------------------------


def _sizes(x, size):
    return None if size is None else [int(n) for n in np.broadcast_to(size, (x.ndim,))]


def medfilt(volume, kernel_size=None):
    volume = as_array(volume)
    return made("medfilt", volume, _sizes(volume, kernel_size))


def medfilt2d(input, kernel_size=3):  # noqa: A002: SciPy's name
    input = as_array(input)  # noqa: A001
    return made("medfilt2d", input, _sizes(input, kernel_size))


def wiener(im, mysize=None, noise=None):
    im = as_array(im)
    return made("wiener", im, _sizes(im, mysize), None if noise is None else [float(noise)])
