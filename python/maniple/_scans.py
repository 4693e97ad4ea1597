# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's scans, differences and interpolation."""

import numpy as np

from ._array import as_array, into, made, operand, result_type
from ._dtypes import dtype_name
from ._library import struct
from ._names import axes_of, axis_of, names, public, public_names


def _scan(name):
    def scan(a, axis=None, dtype=None, out=None):
        return into(name, as_array(a), axis_of(axis), dtype_name(dtype), out=out)

    scan.__name__ = name
    return public(scan)


for _n in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
    globals()[_n] = _scan(_n)


def _cumulative(name):
    def cumulative(x, axis=None, dtype=None, out=None, include_initial=False):
        x = as_array(x)
        if axis is None and x.ndim > 1:
            raise ValueError(f"{name}: an array of {x.ndim} dimensions needs an axis")
        return into(name, x, 0 if axis is None else axis, dtype_name(dtype), bool(include_initial), out=out)

    cumulative.__name__ = name
    return public(cumulative)


for _n in ("cumulative_sum", "cumulative_prod"):
    _cumulative(_n)


@public
def diff(a, n=1, axis=-1, prepend=None, append=None):
    edges = [None if e is None else as_array(e) for e in (prepend, append)]
    return made("diff", as_array(a), n, axis, *edges)


@public
def ediff1d(ary, to_end=None, to_begin=None):
    return made("ediff1d", as_array(ary), *[None if e is None else as_array(e) for e in (to_end, to_begin)])


@public
def gradient(f, *varargs, axis=None, edge_order=1):
    f = as_array(f)
    axes = list(range(f.ndim)) if axis is None else axes_of(axis)
    spacings = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    if len(spacings) != len(axes):
        raise TypeError("gradient() takes one spacing, or one for each axis")
    found = [
        made("gradient", f, operand(float(s) if np.isscalar(s) else as_array(s)), a, edge_order)
        for s, a in zip(spacings, axes)
    ]
    return found[0] if len(found) == 1 else tuple(found)


@public
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return made("trapezoid", as_array(y), None if x is None else as_array(x), float(dx), axis)


public_names["trapz"] = trapezoid


@public
def interp(x, xp, fp, left=None, right=None, period=None):
    beyond = [None if e is None else operand(e) for e in (left, right)]
    options = struct("interp_options")(*[e if e is None else e._handle for e in beyond], float(period or 0))
    return made("interp", as_array(x), as_array(xp), as_array(fp), options)


@public
def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    p = as_array(p)
    steps = diff(p, axis=axis)
    dtype = result_type(steps, period)
    half, odd = divmod(period, 2) if dtype.kind in "iu" else (period / 2, 0)
    turned = (steps + half) % period - half
    if not odd:  # a step of half a period may go either way: it keeps its sign
        turned = names.where((turned == -half) & (steps > 0), half, turned)
    corrections = names.where(abs(steps) < (period / 2 if discont is None else discont), 0, turned - steps)
    unwrapped = names.moveaxis(names.astype(p, dtype), axis, -1)
    unwrapped[..., 1:] += names.moveaxis(names.astype(names.cumsum(corrections, axis), dtype), axis, -1)
    return names.moveaxis(unwrapped, -1, axis)
