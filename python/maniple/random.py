# SPDX-License-Identifier: BSD-3-Clause
"""numpy.random's Generator; the numbers are the same on any number of ranks."""

import ctypes
import inspect
import operator
import os
import warnings

import numpy as np

from ._array import Operand, as_array, into, ndarray
from ._dtypes import dtype_number
from ._layout import as_shape
from ._library import Owned, call, struct
from ._names import finished, names
from .comm import bcast

__all__ = ["Generator", "default_rng", "seed"]


def _number(name, value):
    """A parameter of a distribution, which is the same for all numbers."""
    if np.ndim(value):
        raise TypeError(f"{name} is an array: this distribution has one {name} here; normal(), uniform() and others whose "
                        "draws are shifted and scaled can have many")
    return float(value)


def _whole(name, value):
    """A parameter that is an integer, or a float of the same value, as 1e6."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, and must be a whole number") from None


def _are_numbers(*parameters):
    return not any(map(np.ndim, parameters))


def _of_all(size, *parameters):
    """The shape of draws with parameters of which some are arrays."""
    return np.broadcast_shapes(*map(np.shape, parameters)) if size is None else size


def _need(holds, words):
    """Refuse parameters of a distribution.  Arrays of Maniple are looked at by all ranks, which waits."""
    if not (bool(names.all(holds)) if isinstance(holds, ndarray) else np.all(holds)):
        raise ValueError(words)


def _judge(check_valid, is_valid):
    """Say that a matrix is no covariance, by a warning or an error."""
    if not is_valid:
        text = "covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise ValueError(text)
        warnings.warn(text, RuntimeWarning, stacklevel=3)


class _BitGenerator:
    """What numpy.random.Generator.bit_generator is: the generator's state, as a dict of integers."""

    def __init__(self, generator):
        self._generator = generator

    @property
    def state(self):
        """Where the generator is; assigned to, it goes on from there, on all ranks.  Not collective to read."""
        found = struct("rng_state")()
        call("rng_get_state", self._generator, found)
        return {"bit_generator": "Philox4x32",
                "state": {"stream": found.stream, "draws": found.draws, "children": found.children}}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict) or value.get("bit_generator") != "Philox4x32":
            raise ValueError(f"{value!r} is no state of a generator of Maniple")
        parts = value["state"]
        call("rng_set_state", self._generator, struct("rng_state")(parts["stream"], parts["draws"], parts["children"]))


def _restored(state):
    """The generator that pickle or copy makes of another one's state."""
    generator = Generator(0)
    generator.bit_generator.state = state
    return generator


def _accepted(propose):
    """The first values that are accepted, element by element: propose() gives an array of values, and which of them
    are.  Waits."""
    values, good = propose()
    while not bool(names.all(good)):
        others, also = propose()
        values, good = names.where(good, values, others), names.logical_or(good, also)
    return values


class Generator(Owned):
    """numpy.random.Generator: Philox4x32-10, with a counter for every element.  seed: an integer of 64 bits."""

    _kind = "mnp_rng"

    def __init__(self, seed=0, _handle=None):
        if _handle is None:
            cell = ctypes.c_void_p()
            if not isinstance(seed, (int, np.integer)):
                raise TypeError(f"a seed is an integer, and not a {type(seed).__name__}")
            if seed < 0:
                raise ValueError(f"a seed is {seed}, below 0")
            call("rng_new", int(seed) & (2**64 - 1), ctypes.byref(cell))
            _handle = cell.value
        self._own(_handle, "rng_free")

    @property
    def bit_generator(self):
        return _BitGenerator(self)

    def __reduce_ex__(self, protocol):
        return _restored, (self.bit_generator.state,)

    def spawn(self, n_children):
        """A list of generators whose numbers are independent of these and of one another."""
        children = (ctypes.c_void_p * max(n_children, 1))()
        call("rng_spawn", self, n_children, children)
        return [Generator(_handle=children[i]) for i in range(n_children)]

    def _draw(self, name, parameters, dtype, size, out):
        shape = () if size is None else as_shape(size)
        return into("random_" + name, self, *parameters, dtype_number(dtype), len(shape), shape, out=out)

    def random(self, size=None, dtype=float, out=None):
        return self._draw("uniform", (0.0, 1.0), dtype, out.shape if size is None and out is not None else size, out)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        """numpy.random.Generator.uniform; low and high are numbers or arrays.  Collective."""
        if not _are_numbers(low, high):
            return low + (high - low) * self.random(_of_all(size, low, high), dtype)
        return self._draw("uniform", (_number("low", low), _number("high", high)), dtype, size, None)

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        """numpy.random.Generator.integers; low and high are numbers or arrays.  Collective."""
        low, high = (0, low) if high is None else (low, high)
        if not _are_numbers(low, high):
            low, high = as_array(low), as_array(high) + bool(endpoint)
            _need(low < high, "integers: low must be below high")
            bits = self.bits(_of_all(size, low, high), "uint64")
            return names.astype(low + names.astype(bits % names.astype(high - low, "uint64"), "int64"), dtype)
        return self._draw("integers", (_whole("low", low), _whole("high", high), bool(endpoint)), dtype, size, None)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """numpy.random.Generator.normal; loc and scale are numbers or arrays.  Collective."""
        if not _are_numbers(loc, scale):
            return loc + scale * self.standard_normal(_of_all(size, loc, scale), dtype)
        return self._draw("normal", (_number("loc", loc), _number("scale", scale)), dtype, size, None)

    def standard_normal(self, size=None, dtype=float, out=None):
        return self._draw("normal", (0.0, 1.0), dtype, out.shape if size is None and out is not None else size, out)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float):
        """numpy.random.Generator.lognormal; mean and sigma are numbers or arrays.  Collective."""
        if not _are_numbers(mean, sigma):
            return names.exp(self.normal(mean, sigma, size, dtype))
        return self._draw("lognormal", (_number("mean", mean), _number("sigma", sigma)), dtype, size, None)

    def exponential(self, scale=1.0, size=None, dtype=float):
        """numpy.random.Generator.exponential; scale is a number or an array.  Collective."""
        if not _are_numbers(scale):
            return scale * self.standard_exponential(_of_all(size, scale), dtype)
        return self._draw("exponential", (_number("scale", scale),), dtype, size, None)

    def standard_exponential(self, size=None, dtype=float):
        return self._draw("exponential", (1.0,), dtype, size, None)

    def gamma(self, shape, scale=1.0, size=None, dtype=float):
        """numpy.random.Generator.gamma; shape and scale are numbers or arrays.  Collective."""
        if not _are_numbers(shape, scale):
            return scale * self.standard_gamma(shape, _of_all(size, shape, scale), dtype)
        return self._draw("gamma", (_number("shape", shape), _number("scale", scale)), dtype, size, None)

    def standard_gamma(self, shape, size=None, dtype=float):
        """numpy.random.Generator.standard_gamma; of an array of shapes by Marsaglia and Tsang, 2000, which waits.
        Collective."""
        if _are_numbers(shape):
            return self._draw("gamma", (_number("shape", shape), 1.0), dtype, size, None)
        size, shape = _of_all(size, shape), as_array(shape) * 1.0
        _need(shape >= 0, "standard_gamma: shape is below 0")
        d = names.where(shape < 1, shape + 1, shape) - 1 / 3

        def propose():
            x = self.standard_normal(size)
            v = (1 + x / names.sqrt(9 * d)) ** 3
            bound = names.log(names.maximum(v, np.finfo(float).tiny))
            return d * v, names.logical_and(v > 0, -self.standard_exponential(size) < x * x / 2 + d - d * v + d * bound)

        least = names.where(shape < 1, names.maximum(shape, 1e-300), np.inf)
        power = names.exp(-self.standard_exponential(size) / least)
        return names.astype(_accepted(propose) * power, dtype)

    def beta(self, a, b, size=None, dtype=float):
        """numpy.random.Generator.beta; a and b are numbers or arrays.  Collective."""
        if not _are_numbers(a, b):
            size = _of_all(size, a, b)
            x, y = self.standard_gamma(a, size), self.standard_gamma(b, size)
            return names.astype(x / (x + y), dtype)
        return self._draw("beta", (_number("a", a), _number("b", b)), dtype, size, None)

    def poisson(self, lam=1.0, size=None, dtype="int64"):
        """numpy.random.Generator.poisson; of an array of means by inversion below 10 and by Hoermann, 1993, above,
        which waits.  Collective."""
        if _are_numbers(lam):
            return self._draw("poisson", (_number("lam", lam),), dtype, size, None)
        size, lam = _of_all(size, lam), as_array(lam) * 1.0
        _need(names.logical_and(lam >= 0, lam <= 2.0**53), "poisson: lam is not from 0 to 2^53")
        few, many = self._few(names.minimum(lam, 10.0), size), self._many(names.maximum(lam, 10.0), size)
        return names.astype(names.where(lam < 10, few, many), dtype)

    def _few(self, lam, size):
        """Counts whose means are at most 10: the sums of their probabilities up to a uniform number."""
        u, p = self.random(size), names.exp(-lam)
        found, total = names.zeros(size), p
        for k in range(1, 100):
            above = u > total
            if not bool(names.any(above)):
                break
            found, p = found + above, p * lam / k
            total = total + p
        return found

    def _many(self, lam, size):
        """Counts whose means are at least 10, by transformed rejection: algorithm PTRS."""
        b = 0.931 + 2.53 * names.sqrt(lam)
        a, inverse = -0.059 + 0.02483 * b, 1.1239 + 1.1328 / (b - 3.4)
        fast = 0.9277 - 3.6224 / (b - 2)

        def propose():
            u, v = self.random(size) - 0.5, self.random(size)
            us = 0.5 - abs(u)
            k = names.floor((2 * a / us + b) * u + lam + 0.43)
            at = names.maximum(k, 0.0)
            left = names.log(v) + names.log(inverse) - names.log(a / (us * us) + b)
            good = names.logical_or(names.logical_and(us >= 0.07, v <= fast),
                                    left <= at * names.log(lam) - lam - names.lgamma(at + 1))
            return k, names.logical_and(good, names.logical_and(k >= 0, names.logical_or(us >= 0.013, v <= us)))

        return _accepted(propose)

    def binomial(self, n, p, size=None, dtype="int64"):
        return self._draw("binomial", (_whole("n", n), _number("p", p)), dtype, size, None)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """numpy.random.Generator.multivariate_normal; where the covariance is checked, it waits.  Collective."""
        from . import linalg

        mean, cov = as_array(mean), names.astype(as_array(cov), float)
        if mean.ndim != 1 or cov.shape != mean.shape * 2:
            raise ValueError(f"a mean of shape {mean.shape} and a covariance of shape {cov.shape} do not belong together")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(f"check_valid is {check_valid!r}, and none of 'warn', 'raise' and 'ignore'")
        if method == "cholesky":
            factor = linalg.cholesky(cov)
        elif method == "eigh":
            values, vectors = linalg.eigh(cov)
            factor = vectors * names.sqrt(abs(values))
            if check_valid != "ignore":
                _judge(check_valid, not bool(names.any(values < -tol)))
        elif method == "svd":
            u, values, vh = linalg.svd(cov)
            factor = u * names.sqrt(values)
            if check_valid != "ignore":
                _judge(check_valid, names.allclose((vh.T * values) @ vh, cov, tol, tol))
        else:
            raise ValueError(f"method is {method!r}, and none of 'svd', 'eigh' and 'cholesky'")
        shape = (() if size is None else as_shape(size)) + mean.shape
        return mean + self.standard_normal(shape) @ factor.T

    # ---- of the distributions above; parameters are numbers or arrays, but for those of gamma() ----

    def chisquare(self, df, size=None):
        df = df if _are_numbers(df) else as_array(df)
        _need(df > 0, f"chisquare: df is {df}, and must be above 0")
        return 2.0 * self.standard_gamma(df / 2, size)

    def f(self, dfnum, dfden, size=None):
        dfnum, dfden = (df if _are_numbers(df) else as_array(df) for df in (dfnum, dfden))
        size = _of_all(size, dfnum, dfden)
        _need(names.logical_and(as_array(dfnum) > 0, as_array(dfden) > 0),
              f"f: dfnum is {dfnum} and dfden {dfden}, and both must be above 0")
        return (self.chisquare(dfnum, size) / dfnum) / (self.chisquare(dfden, size) / dfden)

    def standard_t(self, df, size=None):
        df = df if _are_numbers(df) else as_array(df)
        _need(df > 0, f"standard_t: df is {df}, and must be above 0")
        size = _of_all(size, df)
        return self.standard_normal(size) / names.sqrt(self.chisquare(df, size) / df)

    def standard_cauchy(self, size=None):
        return names.tan(np.pi * (self.random(size) - 0.5))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        _need(scale >= 0, "gumbel: scale is below 0")
        return loc - scale * names.log(self.standard_exponential(_of_all(size, loc, scale)))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        _need(scale >= 0, "laplace: scale is below 0")
        size = _of_all(size, loc, scale)
        return loc + scale * (self.standard_exponential(size) - self.standard_exponential(size))

    def logistic(self, loc=0.0, scale=1.0, size=None):
        _need(scale >= 0, "logistic: scale is below 0")
        size = _of_all(size, loc, scale)
        return loc + scale * names.log(self.standard_exponential(size) / self.standard_exponential(size))

    def pareto(self, a, size=None):
        _need(a > 0, "pareto: a must be above 0")
        return names.expm1(self.standard_exponential(_of_all(size, a)) / a)

    def power(self, a, size=None):
        _need(a > 0, "power: a must be above 0")
        return names.exp(-self.standard_exponential(_of_all(size, a)) / a)

    def weibull(self, a, size=None):
        _need(a > 0, "weibull: a must be above 0")
        return self.standard_exponential(_of_all(size, a)) ** (1.0 / a)

    def rayleigh(self, scale=1.0, size=None):
        _need(scale >= 0, "rayleigh: scale is below 0")
        return scale * names.sqrt(2.0 * self.standard_exponential(_of_all(size, scale)))

    def triangular(self, left, mode, right, size=None):
        ordered = names.logical_and(as_array(left) <= mode, as_array(mode) <= right)
        _need(names.logical_and(ordered, as_array(left) < right), "triangular: left, mode and right must not fall, and left be below right")
        u, width = self.random(_of_all(size, left, mode, right)), right - left
        rising = left + names.sqrt(u * width * (mode - left))
        return names.where(u * width < mode - left, rising, right - names.sqrt((1 - u) * width * (right - mode)))

    def wald(self, mean, scale, size=None):
        """numpy.random.Generator.wald, by Michael, Schucany and Haas, 1976.  Collective."""
        _need(mean > 0, "wald: mean must be above 0")
        _need(scale > 0, "wald: scale must be above 0")
        size = _of_all(size, mean, scale)
        y = mean * self.standard_normal(size) ** 2
        root = mean + mean / (2 * scale) * (y - names.sqrt(y * (4 * scale + y)))
        return names.where(self.random(size) * (mean + root) <= mean, root, mean**2 / root)

    def geometric(self, p, size=None):
        """numpy.random.Generator.geometric, of int64.  Collective."""
        _need(p > 0, "geometric: p must be above 0")
        _need(p <= 1, "geometric: p must be at most 1")
        trials = names.ceil(self.standard_exponential(_of_all(size, p)) / -names.log1p(-(as_array(p) * 1.0)))
        return names.astype(names.maximum(trials, 1.0), "int64")

    def noncentral_chisquare(self, df, nonc, size=None):
        """numpy.random.Generator.noncentral_chisquare: a mixture of chisquare() by poisson(nonc / 2).  Collective."""
        size, df, nonc = _of_all(size, df, nonc), as_array(df), as_array(nonc)
        _need(df > 0, "noncentral_chisquare: df must be above 0")
        _need(nonc >= 0, "noncentral_chisquare: nonc must not be below 0")
        return self.chisquare(df + 2 * self.poisson(names.broadcast_to(nonc / 2, size), size))

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        _need(as_array(dfden) > 0, "noncentral_f: dfden must be above 0")
        size = _of_all(size, dfnum, dfden, nonc)
        return self.noncentral_chisquare(dfnum, nonc, size) / dfnum / (self.chisquare(dfden, size) / dfden)

    def negative_binomial(self, n, p, size=None):
        """numpy.random.Generator.negative_binomial: poisson() of gamma() numbers, of int64.  Waits.  Collective."""
        size, n, p = _of_all(size, n, p), as_array(n), as_array(p)
        _need(n > 0, "negative_binomial: n must be above 0")
        _need(names.logical_and(p > 0, p <= 1), "negative_binomial: p must be above 0, and at most 1")
        return self.poisson(self.standard_gamma(names.broadcast_to(n, size)) * ((1 - p) / p), size)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """numpy.random.Generator.hypergeometric of one number each, by the sums of the probabilities within 40 standard
        deviations, of int64.  Collective."""
        ngood, nbad, nsample = (_whole(n, v) for n, v in (("ngood", ngood), ("nbad", nbad), ("nsample", nsample)))
        _need(min(ngood, nbad, nsample) >= 0, "hypergeometric: a parameter is below 0")
        _need(ngood + nbad >= nsample, "hypergeometric: nsample is above ngood + nbad")
        share = ngood / max(ngood + nbad, 1)
        middle, width = nsample * share, 40 * np.sqrt(nsample * share * (1 - share)) + 40
        low = max(0, nsample - nbad, int(middle - width))
        k = np.arange(low, min(ngood, nsample, int(middle + width)), dtype=float)
        with np.errstate(divide="ignore"):
            steps = np.log(ngood - k) + np.log(nsample - k) - np.log(k + 1) - np.log(nbad - nsample + k + 1)
        logs = np.concatenate([[0.0], np.cumsum(steps)])
        sums = np.cumsum(np.exp(logs - logs.max()))
        return low + names.searchsorted(as_array(sums[:-1] / sums[-1]), self.random(size), side="right")

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """numpy.random.Generator.multivariate_hypergeometric, along a new last axis; each draw sorts as many numbers as
        there are items, whatever the method.  Collective."""
        colors, nsample = [_whole("colors", c) for c in colors], _whole("nsample", nsample)
        _need(min(colors, default=0) >= 0 and 0 <= nsample <= sum(colors),
              f"multivariate_hypergeometric: nsample is {nsample}, and there are {sum(colors)} items")
        keys = self.random((() if size is None else as_shape(size)) + (sum(colors),))
        taken = names.argsort(keys, axis=-1)[..., :nsample]
        kinds = names.searchsorted(as_array(np.cumsum(colors)), taken, side="right")
        return names.stack([names.count_nonzero(kinds == k, axis=-1) for k in range(len(colors))], axis=-1)

    def logseries(self, p, size=None):
        """numpy.random.Generator.logseries, by Kemp, 1981, of int64.  Collective."""
        size, p = _of_all(size, p), as_array(p) * 1.0
        _need(names.logical_and(p >= 0, p < 1), "logseries: p must not be below 0, and be below 1")
        q = -names.expm1(names.log1p(-p) * self.random(size))
        found = 1 + names.floor(-self.standard_exponential(size) / names.log(q))
        return names.astype(names.where(q > 0, names.maximum(found, 1.0), 1.0), "int64")

    def zipf(self, a, size=None):
        """numpy.random.Generator.zipf, by Devroye, 1986, of int64.  Waits.  Collective."""
        size, a = _of_all(size, a), as_array(a) * 1.0
        _need(a > 1, "zipf: a must be above 1")
        power = names.minimum(a - 1, 1000.0)  # with which all numbers are 1
        least, b = names.expm1(-62 * np.log(2) * power), names.expm1(np.log(2) * power)  # numbers are below 2^62

        def propose():
            x = names.floor(names.exp(-names.log1p(self.random(size) * least) / power))
            t = names.expm1(names.log1p(1 / x) * power)
            return names.minimum(x, 2.0**62), self.random(size) * x * t / b <= (1 + t) / (1 + b)

        return names.astype(_accepted(propose), "int64")

    def vonmises(self, mu, kappa, size=None):
        """numpy.random.Generator.vonmises, by Best and Fisher, 1979, and with a kappa above 10^6 a normal
        distribution.  Waits.  Collective."""
        size, kappa = _of_all(size, mu, kappa), as_array(kappa) * 1.0
        _need(kappa >= 0, "vonmises: kappa is below 0")
        flat, narrow, width = kappa < 1e-8, kappa > 1e6, 1 / names.sqrt(names.maximum(kappa, 1e6))
        kappa = names.clip(kappa, 1e-8, 1e6)
        tau = 1 + names.sqrt(1 + 4 * kappa**2)
        rho = (tau - names.sqrt(2 * tau)) / (2 * kappa)
        r = names.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

        def propose():
            z, u = names.cos(np.pi * self.random(size)), self.random(size)
            w = (1 + r * z) / (r + z)
            y = kappa * (r - w)
            return w, names.logical_or(y * (2 - y) > u, names.log(y / u) + 1 >= y)

        angle = names.arccos(names.clip(_accepted(propose), -1.0, 1.0))
        angle = names.where(flat, np.pi * self.random(size), angle)
        angle = names.where(narrow, abs(self.standard_normal(size)) * width, angle)
        turned = mu + names.where(self.random(size) < 0.5, -angle, angle)
        return names.remainder(turned + np.pi, 2 * np.pi) - np.pi

    def bytes(self, length):
        """Random bytes, the same on all ranks.  Collective."""
        return self.bits(length, "uint8").numpy().tobytes()

    def dirichlet(self, alpha, size=None):
        """numpy.random.Generator.dirichlet, along a new last axis.  Collective."""
        _need(min(alpha, default=1) > 0, "dirichlet: every alpha must be above 0")
        draws = names.stack([self.standard_gamma(float(a), size) for a in alpha], axis=-1)
        return draws / names.sum(draws, axis=-1, keepdims=True)

    def multinomial(self, n, pvals, size=None):
        """numpy.random.Generator.multinomial of one n, along a new last axis; each draw is of n numbers.  Collective."""
        edges = names.cumsum(as_array(pvals) * 1.0)
        if edges.ndim != 1 or float(edges[-1]) > 1 + 1e-12 or bool(names.any(as_array(pvals) < 0)):
            raise ValueError("multinomial: pvals are one vector of probabilities, whose sum is 1")
        drawn = self.random((() if size is None else as_shape(size)) + (operator.index(n),))
        kinds = names.minimum(names.searchsorted(edges, drawn, side="right"), edges.size - 1)
        return names.stack([names.count_nonzero(kinds == k, axis=-1) for k in range(edges.size)], axis=-1)

    def permuted(self, x, axis=None, out=None):
        """numpy.random.Generator.permuted: every line along an axis is shuffled by itself.  Collective."""
        x = as_array(x)
        lines, axis = (names.ravel(x), 0) if axis is None else (x, axis)
        order = names.argsort(self.random(lines.shape), axis=axis)
        found = names.reshape(names.take_along_axis(lines, order, axis), x.shape)
        if out is None:
            return found
        out[...] = found
        return out

    def bits(self, size=None, dtype="uint64"):
        """Random bits: all values of an integer dtype are equally likely."""
        return self._draw("bits", (), dtype, size, None)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """numpy.random.Generator.choice, which is in random order also where shuffle is false.  Collective."""
        shape = () if size is None else as_shape(size)
        if not isinstance(a, (int, np.integer)) and np.ndim(a) > 1:
            a = as_array(a)
            return names.take(a, self.choice(a.shape[axis], size, replace, p), axis)
        population = as_array(a) if np.ndim(a) else Operand(int(a))
        weights = None if p is None else np.asarray(p, float).tolist()
        many = population.size if isinstance(population, ndarray) else int(a)
        if weights is not None and len(weights) != many:
            raise ValueError(f"choice: there are {len(weights)} probabilities for {many} elements")
        return into("random_choice", self, population, bool(replace), weights, len(shape), shape)

    def permutation(self, x, axis=0):
        x = Operand(int(x)) if isinstance(x, (int, np.integer)) else as_array(x)
        return into("random_permutation", self, x, axis)

    def shuffle(self, x, axis=0):
        call("random_shuffle", self, x, axis)


def default_rng(seed=None):
    """A Generator.  The seed is the same on all ranks; None: rank 0 asks the system for one.  Collective."""
    if seed is None:
        seed = int.from_bytes(bcast(os.urandom(8)), "little")
    return seed if isinstance(seed, Generator) else Generator(seed)


# ---- functions without a generator, as in CuPy: they draw from one that all of them share

_shared = None


def seed(seed=None):
    """Start the generator again, of which the functions of this module draw, as default_rng() does.  Collective."""
    global _shared
    _shared = default_rng(seed)


def _of_generator(name, method):
    def draw(*arguments, **named):
        if _shared is None:
            seed()
        return method(_shared, *arguments, **named)

    own = inspect.signature(method)
    draw.__signature__ = own.replace(parameters=list(own.parameters.values())[1:])
    draw.__name__ = draw.__qualname__ = name
    __all__.append(name)
    return draw


for _name in """beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric laplace
        logistic lognormal logseries multinomial multivariate_hypergeometric multivariate_normal
        negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power random
        rayleigh shuffle standard_cauchy standard_exponential standard_gamma standard_normal standard_t
        triangular uniform vonmises wald weibull zipf""".split():
    globals()[_name] = _of_generator(_name, getattr(Generator, _name))
randint = _of_generator("randint", Generator.integers)
random_sample = _of_generator("random_sample", Generator.random)


def rand(*shape, dtype=float):
    """Numbers from 0 to 1, in an array of that shape.  Collective."""
    return random(shape, dtype)  # noqa: F821  it is one of those above


def randn(*shape, dtype=float):
    """Normal numbers, in an array of that shape.  Collective."""
    return standard_normal(shape, dtype)  # noqa: F821


__all__ = sorted([*__all__, "rand", "randn"])
__dir__ = finished(globals(), "numpy.random")
