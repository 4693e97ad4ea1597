# SPDX-License-Identifier: BSD-3-Clause
"""Distributions beside SciPy's, waveforms, special matrices, spectra of images and labelled elements."""

import copy
import pickle

import maniple as mp
import numpy as np
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.stats

from . import ok, raises, rng, same


def check_distributions():
    """The largest distance of 5000 draws from the distribution is below 2.5 / sqrt(5000), which one set of draws in
    10^5 exceeds (Kolmogorov); the seed is fixed."""
    count, generator, stats = 5000, mp.random.default_rng(5), scipy.stats
    for name, parameters, law in (
        ("chisquare", (3.5,), stats.chi2(3.5)), ("f", (4, 7), stats.f(4, 7)), ("standard_t", (3,), stats.t(3)),
        ("standard_cauchy", (), stats.cauchy()), ("gumbel", (1.0, 2.0), stats.gumbel_r(1, 2)),
        ("laplace", (-1.0, 0.5), stats.laplace(-1, 0.5)), ("logistic", (2.0, 3.0), stats.logistic(2, 3)),
        ("pareto", (3.0,), stats.lomax(3)), ("power", (2.5,), stats.powerlaw(2.5)), ("weibull", (1.5,), stats.weibull_min(1.5)),
        ("rayleigh", (2.0,), stats.rayleigh(scale=2)), ("triangular", (-1, 0.5, 2), stats.triang(0.5, -1, 3)),
        ("wald", (2.0, 3.0), stats.invgauss(2 / 3, scale=3)), ("uniform", (-1.0, 4.0), stats.uniform(-1, 5)),
    ):
        draws = getattr(generator, name)(*parameters, size=(50, 100))
        distance = stats.kstest(draws.numpy().ravel(), law.cdf).statistic
        ok(draws.shape == (50, 100) and distance < 2.5 / np.sqrt(count), f"random numbers of {name}: {distance:.4f}")
        again = getattr(mp.random, name)(*parameters)
        ok(again.shape == () and again.dtype == float, f"one number of {name}")
    draws = generator.geometric(0.3, count).numpy()
    counts, expected = np.bincount(draws, minlength=12)[:12], count * scipy.stats.geom(0.3).pmf(np.arange(12))
    ok(draws.dtype == np.int64 and (np.abs(counts - expected) <= 6 * np.sqrt(expected + 1)).all(), "random numbers of geometric")
    shares = generator.dirichlet([1.0, 2.0, 5.0], count).numpy()
    ok(np.allclose(shares.sum(axis=1), 1) and np.abs(shares.mean(axis=0) - [1 / 8, 2 / 8, 5 / 8]).max() < 6 * 0.5 / np.sqrt(9 * count),
       "random numbers of dirichlet")
    parts = generator.multinomial(20, [0.2, 0.3, 0.5], (count,)).numpy()
    near = np.abs(parts.mean(axis=0) - [4, 6, 10]) < 6 * np.sqrt(20 * 0.25 / count)
    ok(parts.shape == (count, 3) and (parts.sum(axis=1) == 20).all() and near.all(), "random numbers of multinomial")
    x = np.arange(24).reshape(4, 6)
    for axis in (None, 0, 1):
        found = generator.permuted(mp.asarray(x), axis=axis).numpy()
        same(f"permuted along {axis}", np.sort(found, axis=axis), np.sort(x, axis=axis))
        ok((found != x).any(), "and in another order")
    loc, scale = mp.asarray([[0.0], [10.0], [20.0]]), mp.asarray([1.0, 0.001])
    for name in ("normal", "uniform", "laplace", "gumbel", "logistic"):
        draws = getattr(generator, name)(loc, loc + scale if name == "uniform" else scale)
        ok(draws.shape == (3, 2) and float(abs(draws - loc)[:, 1].max()) < 0.1, f"{name} of arrays")
    ok(generator.normal(loc, 1.0, (5, 3, 2)).shape == (5, 3, 2) and generator.exponential(scale).shape == (2,)
       and generator.lognormal(loc[:1], 0.0).shape == (1, 1), "shapes of draws of arrays")
    for name, *parameters in (("chisquare", 0), ("f", 1, 0), ("standard_t", -1), ("gumbel", 0, -1), ("pareto", 0), ("power", -1),
                              ("rayleigh", -1), ("triangular", 3, 2, 1), ("triangular", 1, 1, 1), ("wald", 0, 1),
                              ("geometric", 0), ("geometric", 1.5), ("geometric", mp.asarray([0.5, 0])), ("dirichlet", [1, 0])):
        raises(ValueError, name, f"{name} of {parameters}", lambda: getattr(generator, name)(*parameters))
    raises(ValueError, "probabilities", "no probabilities", lambda: generator.multinomial(3, [0.9, 0.9]))


def _follow(name, draws, law):
    """A point: counts follow a law.  No count of 5000 draws is expected to be off by 6 standard deviations."""
    draws = draws.numpy().ravel()
    most = int(law.ppf(0.999)) + 1
    counts, expected = np.bincount(np.minimum(draws, most), minlength=most + 1), draws.size * law.pmf(np.arange(most + 1))
    expected[most] = draws.size * law.sf(most - 1)
    ok(draws.dtype == np.int64 and draws.min() >= 0 and (np.abs(counts - expected) <= 6 * np.sqrt(expected + 1)).all(),
       f"random numbers of {name}")


def check_further_distributions():
    """Laws of further distributions, of numbers and of arrays; the seed is fixed, as above."""
    count, generator, stats = 5000, mp.random.default_rng(6), scipy.stats
    tens = mp.ones((50, 100))
    for name, draws, law in (
        ("noncentral_chisquare", generator.noncentral_chisquare(3.0, 2.0, (50, 100)), stats.ncx2(3, 2)),
        ("noncentral_chisquare of few", generator.noncentral_chisquare(0.7, 25.0, (50, 100)), stats.ncx2(0.7, 25)),
        ("noncentral_f", generator.noncentral_f(3.0, 20.0, 2.0, (50, 100)), stats.ncf(3, 20, 2)),
        ("vonmises", generator.vonmises(0.5, 2.0, (50, 100)), stats.vonmises(2, loc=0.5)),
        ("vonmises without a direction", generator.vonmises(0.0, 0.0, (50, 100)), stats.uniform(-np.pi, 2 * np.pi)),
        ("gamma of arrays", generator.gamma(2.5 * tens, 3.0), stats.gamma(2.5, scale=3)),
        ("gamma of small arrays", generator.gamma(0.3 * tens, tens), stats.gamma(0.3)),
        ("beta of arrays", generator.beta(0.5 * tens, 2.0), stats.beta(0.5, 2)),
        ("chisquare of arrays", generator.chisquare(4.0 * tens), stats.chi2(4)),
        ("standard_t of arrays", generator.standard_t(3.0 * tens), stats.t(3)),
        ("f of arrays", generator.f(4.0, 7.0 * tens), stats.f(4, 7)),
    ):
        cdf = law.cdf
        if name == "vonmises":  # SciPy's law goes on beyond pi
            cdf = lambda x, law=law: law.cdf(x) - law.cdf(-np.pi)  # noqa: E731
        distance = stats.kstest(draws.numpy().ravel(), cdf).statistic
        ok(draws.shape == (50, 100) and draws.dtype == float and distance < 2.5 / np.sqrt(count), f"{name}: {distance:.4f}")
    for name, draws, law in (
        ("hypergeometric", generator.hypergeometric(15, 25, 10, count), stats.hypergeom(40, 15, 10)),
        ("hypergeometric of many", generator.hypergeometric(10**6, 10**7, 500, count), stats.hypergeom(11 * 10**6, 10**6, 500)),
        ("logseries", generator.logseries(0.6, count), stats.logser(0.6)),
        ("zipf", generator.zipf(2.5, count), stats.zipf(2.5)),
        ("negative_binomial", generator.negative_binomial(3, 0.3, count), stats.nbinom(3, 0.3)),
        ("poisson of arrays", generator.poisson(4.5 * tens), stats.poisson(4.5)),
        ("poisson of large arrays", generator.poisson(60.0 * tens), stats.poisson(60)),
        ("integers of arrays", generator.integers(mp.zeros(count, dtype=int), 7), stats.randint(0, 7)),
    ):
        _follow(name, draws, law)
    ok(generator.hypergeometric(5, 0, 3).item() == 3 and generator.zipf(1.5).shape == () and generator.logseries(0.0).item() == 1,
       "what is certain, and one number")
    taken = generator.multivariate_hypergeometric([16, 8, 4], 6, (count,)).numpy()
    near = np.abs(taken.mean(axis=0) - 6 * np.array([16, 8, 4]) / 28) < 6 * np.sqrt(6 * 0.25 / count)
    ok(taken.shape == (count, 3) and (taken.sum(axis=1) == 6).all() and near.all() and taken.max(axis=0)[2] <= 4,
       "random numbers of multivariate_hypergeometric")
    low, high = mp.asarray([[0], [100]]), mp.asarray([1, 2, 3]) + 100
    drawn = generator.integers(low, high, (40, 2, 3), endpoint=True)
    ok(bool(((drawn >= low) & (drawn <= high)).all()) and drawn.dtype == np.int64, "integers between arrays")
    x = np.arange(24).reshape(4, 6)
    chosen = generator.choice(mp.asarray(x), 3, replace=False, axis=1).numpy()
    ok(chosen.shape == (4, 3) and (np.diff(chosen, axis=0) == 6).all() and len(set(chosen[0])) == 3, "choice of columns")
    ok(int(generator.choice(3, p=mp.asarray([0.0, 1.0, 0.0]))) == 1 and len(generator.bytes(7)) == 7
       and generator.permutation(np.int64(5)).shape == (5,), "choice by an array, bytes, and integers of NumPy")
    ok(generator.choice(np.int64(1), 3).tolist() == [0, 0, 0] and generator.choice((7, 7)).item() == 7,
       "choice from an integer of NumPy, and from a tuple")
    ok(generator.zipf(2000.0, 3).tolist() == [1, 1, 1] and int(generator.zipf(1 + 1e-9, (50,)).min()) > 0,
       "zipf of extreme parameters")
    for kappa in (2e6, 1e17, 1e300):
        x = generator.vonmises(0.25, kappa, (2000,)).numpy() - 0.25
        ok(abs(x).max() < 7 / np.sqrt(kappa) + 1e-15 and (kappa > 1e7 or 0.9 < x.std() * np.sqrt(kappa) < 1.1),
           f"vonmises of kappa {kappa}")
    for name, *parameters in (("hypergeometric", -1, 2, 3), ("hypergeometric", 1, 2, 4), ("logseries", 1.0), ("zipf", 1.0),
                              ("vonmises", 0, -1), ("negative_binomial", 0, 0.5), ("negative_binomial", 1, 0.0),
                              ("noncentral_chisquare", 0, 1), ("noncentral_f", 1, 0, 1), ("poisson", mp.asarray([1.0, -1])),
                              ("multivariate_hypergeometric", [1, 2], 4), ("integers", mp.asarray([3, 4]), 4)):
        raises(ValueError, name, f"{name} of {parameters}", lambda: getattr(generator, name)(*parameters))


def check_state_of_generators():
    """A generator goes on from where another one was."""
    generator = mp.random.default_rng(11)
    generator.normal(size=3)
    (child,) = generator.spawn(1)
    for name, one in (("a generator", generator), ("one that was spawned", child)):
        state = one.bit_generator.state
        copies = pickle.loads(pickle.dumps(one)), copy.deepcopy(one), mp.random.default_rng(0)
        copies[2].bit_generator.state = state
        wanted = one.random(5), one.spawn(1)[0].random(5)
        for other in copies:
            same(f"{name} from its state", (other.random(5), other.spawn(1)[0].random(5)), tuple(w.numpy() for w in wanted))
        ok(one.bit_generator.state != state, "which draws change")
    raises(ValueError, "no state", "what is no state", lambda: setattr(generator.bit_generator, "state", {"a": 1}))


def check_waveforms():
    t, a = np.arange(20.0), rng.standard_normal((6, 7))
    x, y = mp.asarray(t), mp.asarray(a)
    for name, function in {
        "chirp": lambda s, t, a: [s.chirp(t, 1, 5, 20, method) for method in ("linear", "quadratic", "log", "hyperbolic")],
        "chirp with a phase": lambda s, t, a: (s.chirp(t, 1, 5, 20, "quad", 30, False), s.chirp(t, 3, 5, 3, "log")),
        "sawtooth": lambda s, t, a: [s.sawtooth(t, width) for width in (1, 0.5, 0, 2)],
        "square": lambda s, t, a: (s.square(t), s.square(t, 0.2), s.square(t, t / 20)),
        "unit_impulse": lambda s, t, a: (s.unit_impulse(5, 2), s.unit_impulse((3, 4), "mid"), s.unit_impulse(5, dtype=int)),
        "gausspulse": lambda s, t, a: s.gausspulse(t / 1000, fc=50, retquad=True, retenv=True),
        "correlation_lags": lambda s, t, a: [s.correlation_lags(m, n, mode) for m, n in ((5, 3), (4, 7))
                                             for mode in ("full", "same", "valid")],
        "vectorstrength": lambda s, t, a: s.vectorstrength(t, [2.0, 3.0]),
        "sepfir2d": lambda s, t, a: s.sepfir2d(a, [1.0, 2, 1], [1.0, 3, 1]),
        "order_filter": lambda s, t, a: s.order_filter(a, [[1, 0, 1], [0, 1, 0], [1, 1, 1]], 1),
        "hilbert2": lambda s, t, a: (s.hilbert2(a, (7, 9)), s.hilbert2(a, 5)),  # before SciPy 1.17 even ones are others
    }.items():
        same(name, function(mp.signal, x, y), function(scipy.signal, t, a), 1e-10)
    wave = mp.signal.chirp(x, 1, 5, 20, complex=True)
    same("a complex chirp", (wave.real, wave.imag), (scipy.signal.chirp(t, 1, 5, 20), scipy.signal.chirp(t, 1, 5, 20, phi=-90)), 1e-10)
    want = scipy.signal.chirp(t, 1, 5, 20, "log", 30) + 1j * scipy.signal.chirp(t, 1, 5, 20, "log", -60)
    same("a complex logarithmic chirp", mp.signal.chirp(x, 1, 5, 20, "log", 30, complex=True), want, 1e-10)
    even = abs(np.fft.fft2(mp.signal.hilbert2(y, 8).numpy()))
    ok(max(even[4:].max(), even[:, 4:].max()) < 1e-10 < even[:4, :4].min(), "hilbert2 of even extents: half the rate is 0")
    same("hilbert2 along other axes", mp.signal.hilbert2(y.T, (7, 9), axes=(1, 0)).T, mp.signal.hilbert2(y, (7, 9)).numpy(), 1e-12)
    for name, arguments in (("kaiser_beta", (60,)), ("kaiser_beta", (30,)), ("kaiser_beta", (3,)), ("kaiserord", (60, 0.1)),
                            ("kaiser_atten", (50, 0.1)), ("gausspulse", ("cutoff", 5))):
        ok(getattr(mp.signal, name)(*arguments) == getattr(scipy.signal, name)(*arguments), f"{name}{arguments}")
    raises(ValueError, "hyperbolic", "another chirp", lambda: mp.signal.chirp(x, 1, 5, 20, "cubic"))


def check_special_matrices():
    square, tall, c = rng.standard_normal((5, 5)), rng.standard_normal((7, 3)), rng.standard_normal(4) + 1j
    ours, theirs = [mp.asarray(v) for v in (square, tall, c)], (square, tall, c)
    for name, function in {
        "toeplitz": lambda s, q, a, c: (s.toeplitz(c), s.toeplitz([1, 2, 3], [1, 5]), s.toeplitz([1.5, 2], [1, 2, 3, 4])),
        "hankel": lambda s, q, a, c: (s.hankel([1, 2, 3]), s.hankel([1, 2, 3], [3, 4, 5, 6])),
        "circulant": lambda s, q, a, c: s.circulant(c),
        "convolution_matrix": lambda s, q, a, c: [s.convolution_matrix([-1, 4, -2, 7], n, mode) for n in (2, 6)
                                                  for mode in ("full", "same", "valid")],
        "hilbert": lambda s, q, a, c: s.hilbert(4),
        "hadamard": lambda s, q, a, c: (s.hadamard(8), s.hadamard(1, "complex64")),
        "dft": lambda s, q, a, c: (s.dft(5), s.dft(4, "n"), s.dft(3, "sqrtn")),
        "helmert": lambda s, q, a, c: (s.helmert(5), s.helmert(4, full=True)),
        "fiedler, companion": lambda s, q, a, c: (s.fiedler([1, 4, 12]), s.companion([2.0, 3, 4, 5]), s.companion([1, 2, 3])),
        "leslie, khatri_rao": lambda s, q, a, c: (s.leslie([0.1, 2, 1], [0.2, 0.8]), s.khatri_rao(a, q[:, :3])),
        "block_diag": lambda s, q, a, c: (s.block_diag(q, a), s.block_diag([[1, 2]], [3, 4.5], 5)),
        "solve_sylvester": lambda s, q, a, c: (s.solve_sylvester(q + 4 * s.hilbert(5), q.T, q), s.solve_continuous_lyapunov(q, q)),
        "orthogonal_procrustes": lambda s, q, a, c: s.orthogonal_procrustes(a, 2 * a[::-1]),
        "subspace_angles": lambda s, q, a, c: (s.subspace_angles(q[:, :2], q[:, 2:]), s.subspace_angles(a, a[::-1, :2])),
    }.items():
        same(name, function(mp.linalg, *ours), function(scipy.linalg, *theirs), 1e-9)
    q = ours[0]
    ok(mp.linalg.bandwidth(mp.tril(q, 1)) == (4, 1) and mp.linalg.bandwidth(0 * q) == (0, 0), "bandwidth")
    ok([mp.linalg.issymmetric(m) for m in (q, q + q.T, ours[1])] == [False, True, False], "issymmetric")
    ok([mp.linalg.ishermitian(m) for m in (q + 1j * (q - q.T) + q.T, 1j * q)] == [True, False], "ishermitian")
    ok(mp.linalg.issymmetric(mp.asarray([[1.0, 2], [2 + 1e-9, 1]]), rtol=1e-6), "nearly symmetric")
    raises(ValueError, "no power of 2", "hadamard of 6", lambda: mp.linalg.hadamard(6))


def check_images_and_labels():
    a, mask, f = rng.standard_normal((6, 7)), rng.random((6, 7)) > 0.5, rng.standard_normal((5, 4)).astype("float32")
    mask[0], mask[1], mask[2, 0] = True, False, True  # two labels at least: a median of none is NaN here, and another label's in SciPy
    labels = scipy.ndimage.label(mask)[0]
    i = rng.integers(0, 4, (6, 7))
    theirs = a, f, labels, i
    ours = [mp.asarray(v) for v in theirs]
    for name, function in {
        "fourier filters": lambda m, s, a, f, l, i: [
            g(m.fft.fft2(a), p) for g, p in ((s.fourier_gaussian, 2), (s.fourier_uniform, (3, 2)), (s.fourier_shift, (1, 2.5)))],
        "fourier filters of real ones": lambda m, s, a, f, l, i: [
            g(m.fft.rfft2(a), 2, 7) for g in (s.fourier_gaussian, s.fourier_uniform, s.fourier_shift)],
        "fourier filters of float32": lambda m, s, a, f, l, i: (s.fourier_gaussian(f, 1).astype(float), s.fourier_shift(f, 1)),
        "generic_gradient_magnitude": lambda m, s, a, f, l, i: s.generic_gradient_magnitude(a, s.prewitt, mode="wrap"),
        "generic_laplace": lambda m, s, a, f, l, i: s.generic_laplace(
            a, lambda x, axis, output, mode, cval: s.correlate1d(x, [1, -2, 1], axis, output, mode, cval)),
        "medians": lambda m, s, a, f, l, i: (s.median(a), s.median(a, l), s.median(a, l, 1), s.median(i, l, [1, 2])),
        "histogram": lambda m, s, a, f, l, i: (s.histogram(a, -2, 2, 4), *s.histogram(a, -2, 2, 4, l, [1, 2])),
        "labeled_comprehension": lambda m, s, a, f, l, i: (
            s.labeled_comprehension(a, l, [1, 99], m.sum, float, -1), s.labeled_comprehension(a, l, None, m.max, float, -1),
            s.labeled_comprehension(a, l, [1, 2], lambda x, p: p.sum(), int, 0, True)),
        "value_indices": lambda m, s, a, f, l, i: [v for pair in s.value_indices(i, ignore_value=0).values() for v in pair],
        "iterate_structure": lambda m, s, a, f, l, i: s.iterate_structure(s.generate_binary_structure(2, 1), 3),
    }.items():
        same(name, function(mp, mp.ndimage, *ours), function(np, scipy.ndimage, *theirs), 1e-6 if "32" in name else 1e-12)
    out = mp.zeros((5, 4), "complex64")
    same("fourier_shift to an array", mp.ndimage.fourier_shift(ours[1], 1, output=out).astype(complex),
         scipy.ndimage.fourier_shift(f, 1).astype(complex), 1e-6)
    ok(bool(mp.any(out != 0)), "which has it")
    raises(ValueError, "integers", "value_indices of floats", lambda: mp.ndimage.value_indices(ours[0]))


def check_labels():
    """Labels with gaps, below 0, of other types; indices that repeat, in any order, and of no element."""
    a = np.round(rng.standard_normal((12, 15)), 1)
    x, nd = mp.asarray(a), scipy.ndimage
    index = np.array([7, -2, 0, 3, 7, 100])
    there = np.array([5, -2, 3, 5])
    for name, labels in {
        "int32": rng.integers(-2, 8, a.shape, "i4"), "uint8": rng.integers(0, 8, a.shape, "u1"),
        "floats": rng.integers(-2, 8, a.shape) * 1.0, "bools": a > 0.5, "a row": rng.integers(-2, 8, a.shape[1]),
    }.items():
        for whole in (labels, np.where(labels == 3, labels, 0).astype(labels.dtype)):
            exact = whole.astype(float)  # SciPy wants labels of a dtype that has the indices
            theirs = nd.histogram(a, -1, 1, 5, exact, index)
            ours = mp.ndimage.histogram(x, -1, 1, 5, mp.asarray(whole), index)
            ok(theirs.shape == ours.shape and all(
                g is w if g is None or w is None else g.dtype == w.dtype and (g == w).all()
                for g, w in zip(ours.ravel(), theirs.ravel())), f"histogram, labels of {name}")
            same(f"labeled_comprehension, labels of {name}",
                 mp.ndimage.labeled_comprehension(x, mp.asarray(whole), index, mp.max, float, -9),
                 nd.labeled_comprehension(a, exact, index, np.max, float, -9))
            listed = [n for n in there if n in whole]
            for b in (a, a.astype("float32"), (a * 10).astype(int), a > 0):
                same(f"median of {b.dtype}, labels of {name}",
                     mp.ndimage.median(mp.asarray(b), mp.asarray(whole), listed),
                     nd.median(b, np.broadcast_to(whole, b.shape), listed))
    ok(np.isnan(mp.ndimage.median(x, mp.asarray(a > 0), [5, 1]))[0], "the median of no element")
    for dtype in ("int64", "uint8", "int16"):
        b = rng.integers(0, 60, (4, 9, 5)).astype(dtype)
        ours, theirs = mp.ndimage.value_indices(mp.asarray(b)), nd.value_indices(b)
        ok(list(ours) == sorted(theirs) and all(type(v) is b.dtype.type for v in ours), f"values of {dtype}")
        same(f"value_indices of {dtype}", [v for key in ours for v in ours[key]],
             [v for key in ours for v in theirs[key]])
    ok(mp.ndimage.value_indices(mp.zeros((0, 3), int)) == {}, "value_indices of no elements")
    for labels in (rng.integers(-2, 90, (7, 9)), rng.integers(0, 9, 20), rng.integers(0, 400, (5, 4, 6))):
        ok(mp.ndimage.find_objects(mp.asarray(labels)) == nd.find_objects(np.maximum(labels, 0)), "find_objects")
