# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal.windows: hann(M, sym=True) and its kin, as arrays of which every rank has its part."""

import inspect

import numpy as np

from .._array import made
from .._filters import get_window
from .._names import finished

_PARAMETERS = {
    "chebwin": "at", "dpss": "NW", "exponential": "center=None, tau=1.0", "gaussian": "std", "general_cosine": "a",
    "general_gaussian": "p, sig", "general_hamming": "alpha", "kaiser": "beta", "kaiser_bessel_derived": "beta",
    "taylor": "nbar=4, sll=30, norm=True", "tukey": "alpha=0.5"}  # fmt: skip
_OTHERS = """barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen
    triang""".split()
_PARAMETERS.update(dict.fromkeys(_OTHERS, ""))

__all__ = ["get_window", *sorted(_PARAMETERS)]


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

__dir__ = finished(globals(), "scipy.signal.windows")
