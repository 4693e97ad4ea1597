# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal.windows: hann(M, sym=True) and its kin, as arrays of which every rank has its part."""

import inspect

import numpy as np

from .._array import from_host, made
from .._names import finished
from ._filters import get_window

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
    ratios = np.fft.irfft(np.abs(np.fft.rfft(windows, 2 * n)) ** 2, 2 * n)[:, :n] @ _within(n, NW / n)
    if norm != 2:
        windows /= windows.max()
        if n % 2 == 0:  # the largest value would lie between two elements
            windows *= n**2 / (n**2 + NW) if norm == "approximate" else _between(windows[0])
    windows = from_host(windows[:, : int(M)] if Kmax is not None else windows[0, : int(M)])
    return (windows, from_host(ratios) if Kmax is not None else float(ratios[0])) if return_ratios else windows


def _sequences(n, w, count):
    """Slepian's sequences as eigenvectors of the tridiagonal matrix that commutes with their kernel; symmetric ones
    have a sum above 0, and others begin with a lobe above 0 (Percival and Walden, 1993)."""
    i = np.arange(n)
    diagonal, beside = ((n - 1 - 2 * i) / 2.0) ** 2 * np.cos(2 * np.pi * w), i[1:] * (n - i[1:]) / 2.0
    windows = _eigenvectors(diagonal, beside, _largest(diagonal, beside, count))
    least = max(1e-7, 1 / n) * (1 - 1e-9)  # below what an element of the size of all others has
    for k, window in enumerate(windows):
        lobe = window.sum() if k % 2 == 0 else window[window**2 > least][0]
        window *= -1 if lobe < 0 else 1
    return windows


def _pivots(diagonal, beside, shifts):
    """Those of the elimination of a tridiagonal matrix less each of several numbers, row after row."""
    pivots = np.full(np.shape(shifts), np.inf)
    for here, square in zip(diagonal, np.append(0, beside**2)):
        pivots = here - shifts - square / pivots
        pivots[pivots == 0] = 1e-200
        yield pivots


def _largest(diagonal, beside, count):
    """The largest eigenvalues of a symmetric tridiagonal matrix, by intervals that are cut in 65 parts at a time: as
    many eigenvalues lie above a number as there are pivots above 0 (Sturm's sequence)."""
    reach = np.abs(diagonal).max() + 2 * np.max(beside, initial=0) + len(diagonal)
    low, high, place = np.full(count, -reach), np.full(count, reach), np.arange(count)
    for _ in range(9):  # 65**9 > 2**54
        ends = np.linspace(low, high, 66, axis=1)
        above = sum(pivots > 0 for pivots in _pivots(diagonal, beside, ends[:, 1:-1]))
        part = (above > place[:, None]).sum(axis=1)
        low, high = ends[place, part], ends[place, part + 1]
    return (low + high) / 2


def _eigenvectors(diagonal, beside, values):
    """Those of a tridiagonal matrix that is symmetric about both diagonals, one a row.  Eliminations from both ends, of
    which one is the other reversed, meet in the row where the least is left, and give what is beside that one by one
    (twisted factorisations; Dhillon and Parlett, 2004)."""
    pivots = np.array(list(_pivots(diagonal, beside, values)))
    rows = np.abs(pivots + pivots[::-1] - (diagonal[:, None] - values)).argmin(axis=0)
    vectors = np.ones((len(values), len(diagonal)))
    for vector, row, column in zip(vectors, rows, pivots.T):
        ratios = -beside / column[:-1]
        vector[:row] = np.cumprod(ratios[:row][::-1])[::-1]
        vector[row + 1 :] = np.cumprod(ratios[::-1][row:])
        vector /= np.linalg.norm(vector)
    return vectors


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
