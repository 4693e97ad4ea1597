# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's waveforms, of arrays of times, and numbers that designs of filters need."""

import math

import numpy as np

from .._array import as_array
from .._names import names

__all__ = """chirp correlation_lags gausspulse kaiser_atten kaiser_beta kaiserord sawtooth square sweep_poly
    unit_impulse vectorstrength""".split()


def _times(t):
    t = as_array(t)
    return t if t.dtype.kind == "f" else t.astype(float)


def unit_impulse(shape, idx=None, dtype=float):
    """scipy.signal.unit_impulse: zeros, and a one at an index, at "mid", or else at the begin.  Collective."""
    x = names.zeros(shape, dtype)
    place = tuple(n // 2 for n in x.shape) if isinstance(idx, str) and idx == "mid" else np.broadcast_to(idx or 0, x.ndim).tolist()
    x[tuple(place)] = 1
    return x


def sawtooth(t, width=1.0):
    """scipy.signal.sawtooth; width is a number or an array.  Collective."""
    t, width = names.broadcast_arrays(_times(t), as_array(width))
    phase = t % (2 * np.pi)
    rising = phase < width * 2 * np.pi
    up, down = phase / (np.pi * width) - 1, (np.pi * (width + 1) - phase) / (np.pi * (1 - width))
    return names.where((width >= 0) & (width <= 1), names.where(rising, up, down), np.nan)


def square(t, duty=0.5):
    """scipy.signal.square; duty is a number or an array.  Collective."""
    t, duty = names.broadcast_arrays(_times(t), as_array(duty))
    wave = names.where(t % (2 * np.pi) < duty * 2 * np.pi, 1.0, -1.0)
    return names.where((duty >= 0) & (duty <= 1), wave, np.nan)


def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False):  # noqa: A002: SciPy's name
    """scipy.signal.chirp: frequencies from f0 at 0 to f1 at t1, which go linearly, as a quadratic, logarithmic or
    hyperbolic function; complex: the analytic signal, and not its real part alone.  Collective."""
    t, turn = _times(t), 2 * math.pi
    if method in ("linear", "lin", "li"):
        phase = turn * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t)
    elif method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1**2
        phase = turn * ((f0 * t + beta * t**3 / 3) if vertex_zero else (f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3))
    elif method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0:
            raise ValueError(f"chirp: f0 is {f0} and f1 is {f1}, which must have one sign and not be 0")
        beta = t1 / math.log(f1 / f0) if f0 != f1 else 0
        phase = turn * f0 * t if f0 == f1 else turn * beta * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    elif method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("chirp: f0 and f1 must not be 0")
        singular = -f1 * t1 / (f0 - f1) if f0 != f1 else 0
        phase = turn * f0 * t if f0 == f1 else turn * (-singular * f0) * names.log(abs(1 - t / singular))
    else:
        raise ValueError(f"method is {method!r}, which is none of linear, quadratic, logarithmic and hyperbolic")
    phase = phase + phi * math.pi / 180
    return names.exp(1j * phase) if complex else names.cos(phase)


def sweep_poly(t, poly, phi=0):
    """scipy.signal.sweep_poly: a wave whose frequency over time is a polynomial, of numpy.poly1d or by its coefficients
    from the highest power on.  Collective."""
    return names.cos(2 * math.pi * names.polyval(np.polyint(np.asarray(poly)), _times(t)) + phi * math.pi / 180)


def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """scipy.signal.gausspulse: the real part, and as asked for the imaginary one and the envelope; with t="cutoff" the time
    at which the envelope falls below tpr.  Collective."""
    for name, wrong in (("fc", fc < 0), ("bw", bw <= 0), ("bwr", bwr >= 0)):
        if wrong:
            raise ValueError(f"gausspulse: {name} is out of its range")
    a = -((math.pi * fc * bw) ** 2) / (4.0 * math.log(10.0 ** (bwr / 20.0)))
    if isinstance(t, str) and t == "cutoff":
        if tpr >= 0:
            raise ValueError(f"gausspulse: tpr is {tpr}, and must be below 0")
        return math.sqrt(-math.log(10.0 ** (tpr / 20.0)) / a)
    t = _times(t)
    envelope = names.exp(-a * t * t)
    found = [envelope * names.cos(2 * math.pi * fc * t)]
    found += [envelope * names.sin(2 * math.pi * fc * t)] if retquad else []
    found += [envelope] if retenv else []
    return tuple(found) if len(found) > 1 else found[0]


def correlation_lags(in1_len, in2_len, mode="full"):
    """The lags that belong to the elements of correlate().  Collective."""
    full = names.arange(1 - in2_len, in1_len)
    if mode == "full":
        return full
    if mode == "same":
        begin = full.size // 2 - in1_len // 2
        return full[begin : begin + in1_len]
    if mode == "valid":
        return names.arange(in1_len - in2_len + 1) if in1_len >= in2_len else names.arange(in1_len - in2_len, 1)
    raise ValueError(f"mode is {mode!r}, which is none of full, same and valid")


def vectorstrength(events, period):
    """How well events keep to a period, or to each of several: strengths and phases, as arrays.  Collective."""
    events, period = _times(events), _times(period)
    if bool(names.any(period <= 0)):
        raise ValueError("vectorstrength: periods must be above 0")
    turns = names.exp(2j * np.pi * events / (period[:, None] if period.ndim else period))
    mean = names.mean(turns, axis=-1)
    return abs(mean), names.angle(mean)


def kaiser_beta(a):
    """The parameter of a Kaiser window whose side lobes are damped by a dB.  Not collective."""
    return 0.1102 * (a - 8.7) if a > 50 else 0.5842 * (a - 21) ** 0.4 + 0.07886 * (a - 21) if a > 21 else 0.0


def kaiser_atten(numtaps, width):
    """By how many dB a filter with a Kaiser window damps.  Not collective."""
    return 2.285 * (numtaps - 1) * math.pi * width + 7.95


def kaiserord(ripple, width):
    """How many taps a filter needs, and the parameter of its Kaiser window.  Not collective."""
    damping = abs(ripple)
    if damping < 8:
        raise ValueError(f"kaiserord: a ripple of {ripple} dB is too small for a Kaiser window")
    return math.ceil((damping - 7.95) / 2.285 / (math.pi * width) + 1), kaiser_beta(damping)
