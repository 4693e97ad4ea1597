# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions of polynomials, which are arrays of coefficients, that of the highest power first."""

import math
import operator

import numpy as np

from ._array import as_array, ndarray
from ._names import names, public


def _coefficients(p):
    return names.atleast_1d(as_array(p))


def _trimmed(p):
    """Without zeros in front; of zeros alone one is left."""
    p = _coefficients(p)
    left = names.trim_zeros(p, "f")
    return left if left.size else p[-1:]


def _of_one_length(a1, a2):
    a1, a2 = _coefficients(a1), _coefficients(a2)
    length = max(a1.size, a2.size)
    return [names.concatenate([names.zeros(length - a.size, a.dtype), a]) if a.size < length else a for a in (a1, a2)]


@public
def polyadd(a1, a2):
    a1, a2 = _of_one_length(a1, a2)
    return a1 + a2


@public
def polysub(a1, a2):
    a1, a2 = _of_one_length(a1, a2)
    return a1 - a2


@public
def polymul(a1, a2):
    return names.convolve(_trimmed(a1), _trimmed(a2))


@public
def polydiv(u, v):
    """numpy.polydiv: the quotient and the remainder, step by step.  Waits.  Collective."""
    u, v = _coefficients(u) + 0.0, _trimmed(v) + 0.0
    steps = max(u.size - v.size + 1, 1)
    quotient, rest = names.zeros(steps, (u[:1] + v[:1]).dtype), u + 0 * v[0]
    for k in range(u.size - v.size + 1):
        quotient[k] = rest[k] / v[0]
        rest[k : k + v.size] -= quotient[k] * v
    while rest.size > 1 and bool(names.allclose(rest[0], 0, rtol=1e-14)):
        rest = rest[1:]
    return quotient, rest


@public
def polyder(p, m=1):
    p = _coefficients(p)
    for _ in range(m):
        p = p[:-1] * names.arange(p.size - 1, 0, -1)
    return p


@public
def polyint(p, m=1, k=None):
    """numpy.polyint; k: the constants of integration, or one for all.  Collective."""
    p = _coefficients(p)
    constants = np.broadcast_to(0.0 if k is None else k, m)
    for constant in constants:
        p = names.concatenate([p / names.arange(p.size, 0, -1), [constant]])
    return p


@public
def polyval(p, x):
    """numpy.polyval, by Horner's scheme; coefficients may be in a list, or in an array.  Collective."""
    x, p = as_array(x), p if isinstance(p, ndarray) else np.asarray(p)
    y = names.zeros_like(x)
    for k in range(p.size):
        y = y * x + p[k]
    return y


@public
def vander(x, N=None, increasing=False):  # noqa: N803
    x = as_array(x)
    count = x.size if N is None else operator.index(N)
    if x.ndim != 1 or count < 0:
        raise ValueError(f"vander: x has {x.ndim} dimensions, not 1, or N is {count}, negative")
    powers = names.ones((x.size, count), np.promote_types(x.dtype, int))
    if count > 1:
        powers[:, 1:] = names.cumprod(names.broadcast_to(x[:, None], (x.size, count - 1)), axis=1)
    return powers if increasing else names.flip(powers, 1)


@public
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """numpy.polyfit: least squares in powers of x.  y may have columns.  Collective."""
    from . import linalg

    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    if x.ndim != 1 or y.ndim not in (1, 2) or y.shape[0] != x.size or x.size == 0:
        raise TypeError(f"polyfit: x and y have the shapes {x.shape} and {y.shape}")
    if deg < 0:
        raise ValueError(f"polyfit: the degree is {deg}, below 0")
    rcond = x.size * np.finfo(x.dtype).eps if rcond is None else rcond
    powers = vander(x, deg + 1)
    if w is not None:
        w = as_array(w) + 0.0
        powers, y = powers * w[:, None], y * (w if y.ndim == 1 else w[:, None])
    scale = names.sqrt((powers * powers).sum(axis=0))
    p, residuals, rank, values = linalg.lstsq(powers / scale, y, rcond)
    p = p / (scale if y.ndim == 1 else scale[:, None])
    if full or not cov:
        return (p, residuals, rank, values, rcond) if full else p
    scaled = powers / scale
    covariance = linalg.inv(scaled.T @ scaled) / names.outer(scale, scale)
    if cov != "unscaled" and x.size <= deg + 1:
        raise ValueError(f"polyfit: {x.size} points are too few to scale the covariance of {deg + 1} coefficients")
    factor = 1 if cov == "unscaled" else residuals / (x.size - deg - 1)
    return p, (covariance if y.ndim == 1 else covariance[:, :, None]) * factor


@public
def roots(p):
    """numpy.roots, always complex: the eigenvalues of the companion matrix.  Collective."""
    from . import linalg

    p = _trimmed(p)
    count = p.size - 1
    p = names.trim_zeros(p, "b")
    matrix = names.eye(max(p.size - 1, 0), k=-1, dtype=np.promote_types(p.dtype, np.float64))
    if p.size < 2:
        return names.zeros(max(count, 0), np.complex128)
    matrix[0] = -p[1:] / p[0]
    found = linalg.eigvals(matrix)
    return names.concatenate([found, names.zeros(count - found.size, found.dtype)])


@public
def poly(seq_of_zeros):
    """numpy.poly: the coefficients of the polynomial with these roots, or of a matrix.  They are floats, and complex
    for complex roots that are not conjugated pairs.  Waits.  Collective."""
    from . import linalg

    zeros = names.atleast_1d(as_array(seq_of_zeros))
    zeros = linalg.eigvals(zeros) if zeros.ndim == 2 else zeros
    zeros = zeros.astype(float) if zeros.dtype.kind in "biu" else zeros
    p = names.ones(1, zeros.dtype)
    for k in range(zeros.size):
        p = names.convolve(p, names.stack([names.ones((), zeros.dtype), -zeros[k]]))
    if zeros.dtype.kind == "c" and names.array_equal(names.sort_complex(zeros), names.sort_complex(names.conj(zeros))):
        p = names.copy(names.real(p))
    return p


# I0(x) of up to 20 by its power series, of whose terms later ones are below the rounding; above by the asymptotic one
_POWERS = [1 / math.factorial(k) ** 2 for k in range(50)][::-1]
_INVERSE = [math.prod((2 * j - 1) ** 2 / (8 * j) for j in range(1, k + 1)) for k in range(20)][::-1]


@public
def i0(x):
    """numpy.i0: the modified Bessel function of order 0, by Abramowitz and Stegun, 9.6.12 and 9.7.1.  Collective."""
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 is of real numbers")
    x = abs(x if x.dtype.kind == "f" else x.astype(float))
    small, large = names.minimum(x, 20.0), names.maximum(x, 20.0)
    above = names.exp(large) / names.sqrt(2 * np.pi * large) * polyval(_INVERSE, 1 / large)
    return names.where(x <= 20.0, polyval(_POWERS, (small / 2) ** 2), above).astype(x.dtype)
