# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal.windows: hann(M, sym=True) and its kin, as arrays of which every rank has its part."""

import inspect

import numpy as np

from .._array import from_host, made
from .._filters import get_window
from .._names import finished

_PARAMETERS = {
    "chebwin": "at", "exponential": "center=None, tau=1.0", "gaussian": "std", "general_cosine": "a",
    "general_gaussian": "p, sig", "general_hamming": "alpha", "kaiser": "beta", "kaiser_bessel_derived": "beta",
    "taylor": "nbar=4, sll=30, norm=True", "tukey": "alpha=0.5"}  # fmt: skip
_OTHERS = """barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen
    triang""".split()
_PARAMETERS.update(dict.fromkeys(_OTHERS, ""))

__all__ = sorted(["dpss", "get_window", *_PARAMETERS])


def _window(name, listed):
    parameters = [p.partition("=") for p in listed.split(", ") if p]
    defaults = [inspect.Parameter.empty if not equals else eval(value)  # noqa: S307  of the table above
                for _, equals, value in parameters]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter("M", kind)]
        + [inspect.Parameter(p, kind, default=default) for (p, _, _), default in zip(parameters, defaults)]
        + [inspect.Parameter("sym", kind, default=True)])

    def window(*arguments, **named):
        given = signature.bind(*arguments, **named)
        given.apply_defaults()
        length, *values, sym = given.arguments.values()
        if name == "general_cosine":
            (values,) = values
        numbers = [np.nan if v is None else float(v) for v in values]
        return made("get_window", name, len(numbers), numbers, int(length), not sym)

    window.__name__ = window.__qualname__ = name
    window.__signature__ = signature
    return window


for _name in _PARAMETERS:
    globals()[_name] = _window(_name, _PARAMETERS[_name])

def dpss(M, NW, Kmax=None, sym=True, norm=None, return_ratios=False):  # noqa: N803: SciPy's names
    """scipy.signal.windows.dpss: the sequence that has most of its energy at the frequencies below NW / M, or with Kmax
    the first Kmax of them, one a row; with return_ratios also how much of it that is.  Collective."""
    norm = norm or ("approximate" if Kmax is None else 2)
    if norm not in (2, "approximate", "subsample"):
        raise ValueError(f"norm is {norm!r}, and must be 2, 'approximate' or 'subsample'")
    if Kmax is None and norm == "approximate" and not return_ratios:
        return made("get_window", "dpss", 1, [float(NW)], int(M), not sym)
    n, count = int(M) + (not sym), 1 if Kmax is None else int(Kmax)
    if not 0 < NW < n / 2 or not 0 < count <= n:
        raise ValueError(f"NW is {NW} and Kmax {count}: they must be above 0, below {n / 2} and at most {n}")
    windows = _sequences(n, NW / n, count)
    ratios = np.array([np.correlate(w, w, "full")[n - 1 :] @ _within(n, NW / n) for w in windows])
    if norm != 2:
        windows /= windows.max()
        if n % 2 == 0:  # the largest value would lie between two elements
            windows *= n**2 / (n**2 + NW) if norm == "approximate" else _between(windows[0])
    windows = from_host(windows[:, : int(M)] if Kmax is not None else windows[0, : int(M)])
    return (windows, from_host(ratios) if Kmax is not None else float(ratios[0])) if return_ratios else windows


def _sequences(n, w, count):
    """Slepian's sequences as eigenvectors of the tridiagonal matrix that commutes with their kernel; symmetric ones have a
    sum above 0, and others begin with a lobe above 0 (Percival and Walden, 1993)."""
    i = np.arange(n)
    beside = i[1:] * (n - i[1:]) / 2.0
    matrix = np.diag(((n - 1 - 2 * i) / 2.0) ** 2 * np.cos(2 * np.pi * w)) + np.diag(beside, 1) + np.diag(beside, -1)
    windows = np.linalg.eigh(matrix)[1][:, ::-1][:, :count].T.copy()
    for k, window in enumerate(windows):
        lobe = window.sum() if k % 2 == 0 else window[window**2 > max(1e-7, 1 / n)][0]
        window *= -1 if lobe < 0 else 1
    return windows


def _within(n, w):
    """What the correlation of a sequence with itself is multiplied by, for its energy at frequencies below w."""
    factors = 4 * w * np.sinc(2 * w * np.arange(n))
    factors[0] = 2 * w
    return factors


def _between(window):
    """The factor that makes the value in the middle 1, which a shift by half an element finds."""
    n = len(window)
    spectrum = np.fft.rfft(window)
    spectrum[1:] *= 2 * np.exp(1j * np.pi * (1 - 1 / n) * np.arange(1, n // 2 + 1))
    return n / spectrum.real.sum()


__dir__ = finished(globals(), "scipy.signal.windows")
