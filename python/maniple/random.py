# SPDX-License-Identifier: BSD-3-Clause
"""numpy.random's Generator; the numbers are the same on any number of ranks."""

import ctypes
import inspect
import operator
import warnings

import numpy as np

from ._array import Operand, _shape, as_array, dtype_number, into, ndarray
from ._library import Owned, call
from ._names import finished, names

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

    def spawn(self, n_children):
        """A list of generators whose numbers are independent of these and of one another."""
        children = (ctypes.c_void_p * max(n_children, 1))()
        call("rng_spawn", self, n_children, children)
        return [Generator(_handle=children[i]) for i in range(n_children)]

    def _draw(self, name, parameters, dtype, size, out):
        shape = () if size is None else _shape(size)
        return into("random_" + name, self, *parameters, dtype_number(dtype), len(shape), shape, out=out)

    def random(self, size=None, dtype=float, out=None):
        return self._draw("uniform", (0.0, 1.0), dtype, out.shape if size is None and out is not None else size, out)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        """numpy.random.Generator.uniform; low and high are numbers or arrays.  Collective."""
        if not _are_numbers(low, high):
            return low + (high - low) * self.random(_of_all(size, low, high), dtype)
        return self._draw("uniform", (_number("low", low), _number("high", high)), dtype, size, None)

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        low, high = (0, low) if high is None else (low, high)
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
        return self._draw("gamma", (_number("shape", shape), _number("scale", scale)), dtype, size, None)

    def standard_gamma(self, shape, size=None, dtype=float):
        return self._draw("gamma", (_number("shape", shape), 1.0), dtype, size, None)

    def beta(self, a, b, size=None, dtype=float):
        return self._draw("beta", (_number("a", a), _number("b", b)), dtype, size, None)

    def poisson(self, lam=1.0, size=None, dtype="int64"):
        return self._draw("poisson", (_number("lam", lam),), dtype, size, None)

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
        shape = (() if size is None else _shape(size)) + mean.shape
        return mean + self.standard_normal(shape) @ factor.T

    # ---- of the distributions above; parameters are numbers or arrays, but for those of gamma() ----

    def chisquare(self, df, size=None):
        _need(df > 0, f"chisquare: df is {df}, and must be above 0")
        return 2.0 * self.standard_gamma(df / 2, size)

    def f(self, dfnum, dfden, size=None):
        _need(dfnum > 0 and dfden > 0, f"f: dfnum is {dfnum} and dfden {dfden}, and both must be above 0")
        return (self.chisquare(dfnum, size) / dfnum) / (self.chisquare(dfden, size) / dfden)

    def standard_t(self, df, size=None):
        _need(df > 0, f"standard_t: df is {df}, and must be above 0")
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
        drawn = self.random((() if size is None else _shape(size)) + (operator.index(n),))
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

    def choice(self, a, size=None, replace=True, p=None):
        shape = () if size is None else _shape(size)
        population = Operand(int(a)) if not isinstance(a, (ndarray, list)) and not hasattr(a, "shape") else as_array(a)
        weights = None if p is None else [float(v) for v in p]
        many = population.size if isinstance(population, ndarray) else int(a)
        if weights is not None and len(weights) != many:
            raise ValueError(f"choice: there are {len(weights)} probabilities for {many} elements")
        return into("random_choice", self, population, bool(replace), weights, len(shape), shape)

    def permutation(self, x, axis=0):
        return into("random_permutation", self, Operand(x) if isinstance(x, int) else as_array(x), axis)

    def shuffle(self, x, axis=0):
        call("random_shuffle", self, x, axis)


def default_rng(seed=None):
    """A Generator.  The seed is the same on all ranks; None is 0, so that all ranks have it.  Collective."""
    return seed if isinstance(seed, Generator) else Generator(0 if seed is None else seed)


# ---- functions without a generator, as in CuPy: they draw from one that all of them share

_shared = None


def seed(seed=None):
    """Start the generator again, of which the functions of this module draw; before, its seed is 0.  Collective."""
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


for _name in """beta binomial chisquare choice dirichlet exponential f gamma geometric gumbel laplace logistic lognormal
        multinomial multivariate_normal normal pareto permutation poisson power random rayleigh shuffle standard_cauchy
        standard_exponential standard_gamma standard_normal standard_t triangular uniform wald weibull""".split():
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
