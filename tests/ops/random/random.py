# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: Philox's published vectors, the same values on any ranks and in any layout, distributions by tests of
fixed seeds, choices and permutations, and what is refused."""

import ctypes

import maniple as mp
import numpy as np

try:
    from scipy import stats
except ImportError:
    stats = None

rng = mp.random()
made = []  # generators, to be freed


def generator(seed):
    made.append(mp.rng_new(seed))
    return made[-1]


def spawn(parent, count):
    children = (ctypes.c_void_p * count)()
    mp.rng_spawn(parent, count, children)
    made.extend(ctypes.c_void_p(child) for child in children)
    return made[-count:]


def draw(name, parameters, dtype, shape, seed=1, **named):
    return getattr(mp, "random_" + name)(generator(seed), *parameters, dtype, len(shape), shape, **named)


# --- Philox in NumPy --------------------------------------------------------------------------------------------------

def philox(counters, key):
    """Blocks of counters (rows of four words)."""
    c, k = [counters[:, i].astype(np.uint64) for i in range(4)], [int(word) for word in key]
    mask = np.uint64(0xffffffff)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xd2511f53), c[2] * np.uint64(0xcd9e8d57)
        c = [b >> np.uint64(32) ^ c[1] ^ np.uint64(k[0]), b & mask,
             a >> np.uint64(32) ^ c[3] ^ np.uint64(k[1]), a & mask]
        k = [(k[0] + 0x9e3779b9) % 2 ** 32, (k[1] + 0xbb67ae85) % 2 ** 32]
    return np.stack(c, axis=1).astype(np.uint32)


def words(count, seed, number=0):
    """The first words of a generator's draw."""
    blocks = np.zeros(((count + 3) // 4, 4), np.uint32)
    blocks[:, 0] = np.arange(len(blocks))
    blocks[:, 2] = number
    return philox(blocks, (seed % 2 ** 32, seed // 2 ** 32)).ravel()[:count]


def test_bits():
    known = philox(np.array([[0, 0, 0, 0], [2 ** 32 - 1] * 4], np.uint32), (0, 0))[0]
    mp.ok(known.tolist() == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8], "this test's Philox is Random123's")
    mp.check("the first bits of seed 0 are the published vector",
             draw("bits", (), "uint32", (4,), 0), np.array([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8], np.uint32))
    seed = 0x299f31d0a4093822
    want = words(4 * 300, seed)
    for dtype in ("uint8", "int16", "uint32", "int64", "uint64"):
        kind = np.dtype(dtype)
        got = draw("bits", (), dtype, (3, 4800 // kind.itemsize // 3), seed)
        mp.check(f"bits as {dtype} are the counter's bytes", got, want.view(kind).reshape(got.shape))
    g = generator(seed)
    for number in range(3):
        mp.check(f"draw {number} has its own counters", mp.random_bits(g, "uint32", 1, [50]), words(50, seed, number))


def test_values():
    """What a word becomes, in NumPy's arithmetic: bit for bit."""
    w = words(4096, 5)
    mp.check("uniform float32", draw("uniform", (0, 1), "float32", (4096,), 5),
             (w >> np.uint32(8)).astype(np.float32) * np.float32(2 ** -24))
    pairs = w.view(np.uint64)
    unit = (pairs >> np.uint64(11)).astype(np.float64) * 2.0 ** -53
    mp.check("uniform float64", draw("uniform", (0, 1), None, (2048,), 5), unit)
    mp.check("uniform of a range", draw("uniform", (-3, 4.5), None, (2048,), 5), -3 + 7.5 * unit)
    mp.check("uniform float16", draw("uniform", (0, 1), "float16", (4096,), 5),
             ((w >> np.uint32(21)).astype(np.float32) / 2 ** 11).astype(np.float16))
    mp.check("integers of a power of two", draw("integers", (-8, 8, False), "int8", (4096,), 5),
             (w >> np.uint32(28)).astype(np.int8) - np.int8(8))
    mp.check("integers of 32 bits", draw("integers", (0, 2 ** 32, False), None, (4096,), 5), w.astype(np.int64))
    mp.check("integers of 64 bits", draw("integers", (-2 ** 63, 2 ** 63 - 1, True), None, (2048,), 5),
             (pairs ^ np.uint64(2 ** 63)).view(np.int64))
    mp.check("bool", draw("integers", (0, 2, False), "bool", (4096,), 5), w >> np.uint32(31) == 1)
    u, v = (w.reshape(-1, 2).astype(np.float64).T + np.array([[0.5], [0]])) * 2.0 ** -32
    r = np.sqrt(-2 * np.log(u))
    want = np.stack([r * np.cos(2 * np.pi * v), r * np.sin(2 * np.pi * v)], axis=1).ravel()
    got = draw("normal", (0, 1), "float32", (4096,), 5).numpy()
    mp.ok(np.abs(got - want).max() < 4e-6, f"normal float32 is Box's and Muller's: {np.abs(got - want).max():.1e}")
    got = draw("normal", (0, 1), "complex64", (2048,), 5).numpy() * np.sqrt(2)
    mp.ok(np.abs(got - (want[::2] + 1j * want[1::2])).max() < 8e-6, "normal complex64 takes them in pairs")
    got = draw("exponential", (2,), "float32", (4096,), 5).numpy()
    want = -2 * np.log((w + 0.5) * 2.0 ** -32)
    mp.ok((np.abs(got - want) <= 4e-7 * want + 2e-7).all(), "exponential float32")


# --- the same everywhere ----------------------------------------------------------------------------------------------

DRAWS = [("bits", (), "uint16"), ("integers", (0, 3 * 2 ** 30, False), "uint32"),
         ("integers", (-5, 2 ** 40, True), "int64"), ("uniform", (-1, 1), "bfloat16"),
         ("uniform", (-1, 1), "float64"), ("normal", (1, 2), "float32"),
         ("normal", (1, 2), "complex128"), ("lognormal", (0, 1), "float64"), ("exponential", (1,), "float64"),
         ("gamma", (2.5, 1), "float64"), ("gamma", (0.3, 1), "float32"), ("beta", (0.5, 3), "float64"),
         ("poisson", (3,), "int64"), ("poisson", (1e4,), "int32"), ("binomial", (20, 0.8), "int64"),
         ("binomial", (1000, 0.3), "uint16")]


def test_layouts():
    """The values are the same in any layout, with any strides and in a view; also on one rank alone."""
    for name, parameters, dtype in mp.part(DRAWS):
        shape = [(13, 7, 11), (1001,), (5, 1, 37, 3), (101, 9)][len(name) % 4]
        whole = draw(name, parameters, dtype, (int(np.prod(shape)),), 77).numpy().reshape(shape)
        points = [mp.difference(draw(name, parameters, dtype, shape, 77), whole)]
        for layout in (mp.random_layout(rng, shape), mp.layout_on_root(mp.size, 0, len(shape), shape)):
            out = mp.array(np.zeros(shape, whole.dtype), layout, dtype)
            points += [mp.difference(draw(name, parameters, dtype, shape, 77, out=out), whole)]
        base = mp.array(np.zeros([2 * n for n in shape[::-1]], whole.dtype), dtype=dtype)
        view = mp.transpose(base, None)
        view = view[tuple(slice(None, None, -2) if d % 2 else slice(1, None, 2) for d in range(len(shape)))]
        points += [mp.difference(draw(name, parameters, dtype, shape, 77, out=view), whole)]
        mp.ok(not any(points), f"{name}{parameters} {dtype} {shape} is the same in any layout: {points}")
    replicated = mp.layout_replicated(mp.size, 1, [9])
    whole = draw("bits", (), "uint8", (9,)).numpy()
    local = draw("bits", (), "uint8", (9,), out=mp.array(np.zeros(9, np.uint8), replicated)).local()
    mp.check("replicas are alike", local, whole)
    for shape in [(), (0,), (3, 0, 2)]:
        mp.ok(draw("normal", (0, 1), None, shape).shape == shape, f"shape {shape}")


def test_streams():
    a, b = generator(3), generator(3)
    first = mp.random_uniform(a, 0, 1, None, 1, [100]).numpy()
    mp.check("a seed repeats its numbers", mp.random_uniform(b, 0, 1, None, 1, [100]), first)
    mp.ok(not np.isin(mp.random_uniform(a, 0, 1, None, 1, [100]).numpy(), first).any(), "the next draw is another")
    mp.fails("MNP_ERR_ARG", "must not be above", mp.random_uniform, a, 2, 1, None, 1, [100])
    mp.random_uniform(b, 0, 1, None, 1, [1])
    third = mp.random_uniform(b, 0, 1, None, 1, [100])
    mp.check("a call that failed draws nothing", mp.random_uniform(a, 0, 1, None, 1, [100]), third)
    state, other = (ctypes.c_uint64 * 3)(), generator(9)
    mp.rng_get_state(a, state)
    mp.ok(list(state) == [3, 3, 0], f"the state of a generator: its seed, its draws, its children: {list(state)}")
    mp.rng_set_state(other, state)
    mp.check("another one goes on from there", mp.random_normal(other, 0, 1, None, 1, [50]),
             mp.random_normal(a, 0, 1, None, 1, [50]).numpy())
    children = spawn(generator(3), 2) + spawn(generator(4), 1)
    again = spawn(b, 1) + spawn(b, 1)
    streams = [mp.random_normal(g, 0, 1, None, 1, [20000]).numpy() for g in [generator(3)] + children]
    worst = np.abs(np.corrcoef(streams) - np.eye(4)).max()
    mp.ok(worst < 4.5 / np.sqrt(20000), f"generators that were spawned are independent: correlations below {worst:.4f}")
    for i, g in enumerate(again):
        mp.check(f"child {i} is the same however it was spawned", mp.random_normal(g, 0, 1, None, 1, [20000]),
                 streams[i + 1])


# --- distributions ----------------------------------------------------------------------------------------------------

COUNT = 200000
LIMIT = 1e-4  # of p-values: seeds are fixed, so that a point passes always or never


def p_value(test, *arguments):
    """Of a test that takes long: rank 0 decides for all, which have the same values."""
    return test(*arguments).pvalue if mp.rank == 0 else 1.0


def continuous(name, parameters, dtype, law):
    values = draw(name, parameters, dtype, (COUNT,), 11).numpy().astype(np.float64)
    mean, variance = law.mean(), law.var()
    fourth = float(law.stats("k")) + 3
    far = abs(values.mean() - mean) / np.sqrt(variance / COUNT)
    wide = abs(values.var() - variance) / (variance * np.sqrt((fourth - 1) / COUNT))
    fit = p_value(stats.kstest, values, law.cdf)
    mp.ok(far < 4.5 and wide < 5 and fit > LIMIT and np.isfinite(values).all(),
          f"{name}{parameters} {dtype}: mean off by {far:.1f}, variance by {wide:.1f}, Kolmogorov-Smirnov {fit:.3f}")


def chi_square(values, law):
    """The p-value of integers, whose rare values are put together."""
    low, high = int(law.ppf(1e-4)), int(law.ppf(1 - 1e-4))
    edges = np.unique(np.linspace(low, high, min(high - low, 60) + 1).astype(np.int64))
    seen = np.histogram(values, np.concatenate([[-np.inf], edges + 0.5, [np.inf]]))[0]
    want = np.diff(np.concatenate([[0], law.cdf(edges), [1]])) * len(values)
    few = want < 10
    seen, want = np.append(seen[~few], seen[few].sum()), np.append(want[~few], want[few].sum())
    keep = want > 1e-9
    return stats.chisquare(seen[keep], want[keep] * seen[keep].sum() / want[keep].sum()).pvalue if keep.sum() > 1 else 1


def discrete(name, parameters, law, dtype=None):
    values = draw(name, parameters, dtype, (COUNT,), 12).numpy()
    far = abs(values.mean() - law.mean()) / max(law.std() / np.sqrt(COUNT), 1e-300)
    fit = chi_square(values, law)
    mp.ok(far < 4.5 and fit > LIMIT, f"{name}{parameters} {values.dtype}: mean off by {far:.1f}, chi-square {fit:.3f}")


def test_distributions():
    if stats is None:
        return mp.skip("distributions", "there is no SciPy")
    for dtype in ("float64",) if mp.FEW else ("float32", "float64"):
        continuous("uniform", (-2, 5), dtype, stats.uniform(-2, 7))
        continuous("normal", (3, 0.5), dtype, stats.norm(3, 0.5))
        continuous("exponential", (2.5,), dtype, stats.expon(0, 2.5))
    continuous("lognormal", (0.2, 0.4), "float64", stats.lognorm(0.4, 0, np.exp(0.2)))
    for shape in (0.05, 0.7, 1, 3, 500):
        continuous("gamma", (shape, 2), "float64", stats.gamma(shape, 0, 2))
    for a, b in [(0.2, 0.3), (1, 1), (2.5, 0.8), (40, 7)]:
        continuous("beta", (a, b), "float64", stats.beta(a, b))
    for mean in (0.01, 4.5, 9.99, 10, 87.3, 120.5, 1e5):
        discrete("poisson", (mean,), stats.poisson(mean))
    for n, p in [(1, 0.3), (15, 0.5), (10 ** 6, 3e-6), (40, 0.31), (1000, 0.97), (10 ** 9, 0.25)]:
        discrete("binomial", (n, p), stats.binom(n, p))
    for low, high, dtype in [(0, 3, "uint8"), (-50, 51, "int16"), (0, 100, "int32"), (0, 3, "int64")]:
        discrete("integers", (low, high, False), stats.randint(low, high), dtype)
    for name, parameters, middle, width in [("poisson", (2e15,), 2e15, np.sqrt(2e15)),
                                            ("binomial", (2 ** 53, 0.5), 2.0 ** 52, 2 ** 25.5)]:
        values = draw(name, parameters, None, (COUNT,), 12).numpy()
        fit = p_value(stats.kstest, (values - middle) / width, stats.norm.cdf)
        mp.ok(fit > LIMIT, f"{name}{parameters} is nearly normal: Kolmogorov-Smirnov {fit:.3f}")
    large = 3 * 2 ** 61
    values = draw("integers", (-5, large - 5, False), None, (COUNT,), 13).numpy()
    fit = p_value(stats.kstest, (values + 5.0) / large, "uniform")
    mp.ok(fit > LIMIT and values.min() >= -5, f"integers up to 3 * 2^61: Kolmogorov-Smirnov {fit:.3f}")
    z = draw("normal", (1, 2), "complex128", (COUNT,), 14).numpy() - 1
    mp.ok(p_value(stats.kstest, np.abs(z) ** 2, stats.expon(0, 4).cdf) > LIMIT and
          p_value(stats.kstest, np.angle(z), stats.uniform(-np.pi, 2 * np.pi).cdf) > LIMIT, "normal complex128 is round")
    half = draw("normal", (0, 1), "float16", (COUNT,), 15).numpy().astype(np.float64)
    mp.ok(abs(half.mean()) < 0.01 and abs(half.std() - 1) < 0.01, "normal float16")


def test_edges():
    for name, parameters, want in [("normal", (2, 0), 2.0), ("exponential", (0,), 0.0), ("gamma", (0, 3), 0.0),
                                   ("uniform", (4, 4), 4.0), ("lognormal", (0, 0), 1.0)]:
        mp.check(f"{name}{parameters}", mp.absolute(draw(name, parameters, None, (40,))), np.full(40, want))
    for name, parameters, want in [("poisson", (0,), 0), ("binomial", (0, 0.5), 0), ("binomial", (7, 0), 0),
                                   ("binomial", (7, 1), 7), ("integers", (5, 6, False), 5),
                                   ("integers", (5, 5, True), 5)]:
        mp.check(f"{name}{parameters}", draw(name, parameters, None, (40,)), np.full(40, want))
    # counts end at the largest value of a small type, whichever way they are drawn
    for name, parameters in [("poisson", (120,)), ("poisson", (9.5,)), ("binomial", (400, 0.31)),
                             ("binomial", (10 ** 6, 1.26e-4)), ("binomial", (140, 0.9)), ("binomial", (130, 0.95))]:
        whole = draw(name, parameters, "int64", (20000,), 15).numpy()
        mp.check(f"{name}{parameters} of int8", draw(name, parameters, "int8", (20000,), 15),
                 np.minimum(whole, 127).astype(np.int8))
        mp.ok(whole.max() > 127 or parameters[0] == 9.5, f"{name}{parameters} has counts beyond it")
    tiny = draw("beta", (1e-4, 1e-4), None, (2000,)).numpy()
    mp.ok(np.isfinite(tiny).all() and 0.4 < tiny.mean() < 0.6, "beta of tiny parameters is 0 or 1")


# --- choices and permutations -----------------------------------------------------------------------------------------

def test_choice():
    g = generator(21)
    a = np.arange(10.0) ** 2
    x = mp.array(a, mp.random_layout(rng, a.shape))
    got = mp.random_choice(g, x, True, None, 2, [3, 50]).numpy()
    mp.ok(got.shape == (3, 50) and np.isin(got, a).all(), "choice of an array's elements")
    got = mp.random_choice(g, x, False, None, 1, [10]).numpy()
    mp.check("choice of all of them without replacement", np.sort(got), a)
    for n, count in [(5, 3), (2000, 1500), (10 ** 12, 5000)]:
        got = mp.random_choice(g, n, False, None, 1, [count]).numpy()
        mp.ok(len(np.unique(got)) == count and got.min() >= 0 and got.max() < n, f"{count} of {n} without replacement")
    p = np.array([0.1, 0, 0.25, 0.15, 0.5, 0])
    got = np.bincount(mp.random_choice(g, 6, True, p, 1, [COUNT]).numpy(), minlength=6)
    mp.ok(got[1] == got[5] == 0, "what has no probability is never chosen")
    if stats:
        fit = stats.chisquare(got[p > 0], p[p > 0] * COUNT).pvalue
        mp.ok(fit > LIMIT, f"choice by probabilities: chi-square {fit:.3f}")
    mp.fails("MNP_ERR_ARG", "sum to 0.75, not to 1", mp.random_choice, g, 3, True, [0.25, 0.25, 0.25], 1, [2])
    mp.fails("MNP_ERR_ARG", "probability 1 is -0.5", mp.random_choice, g, 3, True, [1, -0.5, 0.5], 1, [2])
    mp.fails("MNP_ERR_ARG", "11 elements cannot be chosen from 10", mp.random_choice, g, x, False, None, 1, [11])
    mp.fails("MNP_ERR_ARG", "0 elements to choose from", mp.random_choice, g, 0, True, None, 1, [1])
    mp.fails("MNP_ERR_ARG", "one dimension", mp.random_choice, g, mp.array(np.zeros((2, 2))), True, None, 1, [1])
    got = mp.random_choice(g, x, False, [0.1] * 10, 2, [2, 5]).numpy()
    mp.check("choice of all of them by probabilities without replacement", np.sort(got, axis=None), a)
    got = mp.random_choice(g, 6, False, p, 1, [4], out=mp.array(np.zeros(4, np.int64), mp.random_layout(rng, (4,))))
    mp.check("what has no probability is not chosen without replacement either", np.sort(got.numpy()), [0, 2, 3, 4])
    if stats and mp.size == 1:
        first = np.array([mp.random_choice(g, 6, False, p, 1, [2]).numpy() for _ in range(3000)])
        pairs = [(i, j) for i in np.flatnonzero(p) for j in np.flatnonzero(p) if i != j]
        seen = [(first == pair).all(axis=1).sum() for pair in pairs]
        fit = stats.chisquare(seen, [3000 * p[i] * p[j] / (1 - p[i]) for i, j in pairs]).pvalue
        mp.ok(fit > LIMIT, f"pairs by probabilities without replacement: chi-square {fit:.3f}")
    mp.fails("MNP_ERR_ARG", "only 4 have a probability above 0", mp.random_choice, g, 6, False, p, 1, [5])
    mp.ok(mp.random_choice(g, 0, True, None, 1, [0]).shape == (0,), "nothing of nothing")


def test_permutation():
    g = generator(31)
    for n in (0, 1, 2, 7, 1023, 1024, 1025, 30000):
        mp.check(f"a permutation of {n}", np.sort(mp.random_permutation(g, n, 0).numpy()), np.arange(n))
    whole = mp.random_permutation(generator(8), 30000, 0).numpy()
    mp.check("a permutation is the same in any layout", mp.random_permutation(
        generator(8), 30000, 0, out=mp.array(np.zeros(30000, np.int64), mp.random_layout(rng, (30000,)))), whole)
    ranks = np.corrcoef(np.arange(30000), whole)[0, 1], np.corrcoef(whole[1:], whole[:-1])[0, 1]
    mp.ok(max(np.abs(ranks)) < 4.5 / np.sqrt(30000), f"places are not correlated: {ranks[0]:.4f}, {ranks[1]:.4f}")
    a = rng.integers(0, 1000, (6, 5, 4))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    for axis in range(-1, 3):
        order = mp.random_permutation(generator(9), a.shape[axis], 0).numpy()
        mp.check(f"permutation along axis {axis}", mp.random_permutation(generator(9), x, axis),
                 np.take(a, order, axis))
        y = mp.copy(x)
        mp.random_shuffle(generator(9), y, axis)
        mp.check(f"shuffle along axis {axis}", y, np.take(a, order, axis))
    mp.random_shuffle(generator(9), y[::2, :, 1], 0)
    mp.check("of a view nothing else is shuffled", y[1::2], np.take(a, order, axis)[1::2])
    mp.fails("MNP_ERR_ARG", "axis", mp.random_permutation, g, x, 3)
    mp.fails("MNP_ERR_ARG", "not negative", mp.random_permutation, g, -1, 0)


def test_small_permutations():
    """All permutations of few elements are equally likely; even and odd ones of many."""
    if stats is None or mp.size > 1:
        return mp.skip("all permutations are equally likely", "there is no SciPy, or they were counted on one rank")
    g = generator(41)
    for n, count in [(3, 3000), (4, 6000)]:
        seen = {}
        for _ in range(count):
            order = tuple(mp.random_permutation(g, n, 0).numpy())
            seen[order] = seen.get(order, 0) + 1
        fit = stats.chisquare(list(seen.values())).pvalue
        mp.ok(len(seen) == (6 if n == 3 else 24) and fit > LIMIT, f"permutations of {n}: chi-square {fit:.3f}")
    table = np.zeros((16, 16))
    odd = 0
    for _ in range(600):
        order = mp.random_permutation(g, 1024, 0).numpy()
        table += np.histogram2d(np.arange(1024) // 64, order // 64, 16, [[0, 16], [0, 16]])[0]
        cycles, left = 0, np.ones(1024, bool)
        for i in range(1024):
            cycles += left[i]
            while left[i]:
                left[i] = False
                i = order[i]
        odd += (1024 - cycles) % 2
    fit = stats.chisquare(table.ravel()).pvalue
    mp.ok(fit > LIMIT, f"places of permutations of 1024: chi-square {fit:.3f}")
    mp.ok(abs(odd - 300) < 4.5 * np.sqrt(150), f"{odd} of 600 permutations of 1024 are odd")


def test_misuse():
    for words_, name, parameters, dtype in [
            ("low is 3, and must be less than high", "integers", (3, 3, False), None),
            ("low is 4, and must be at most high", "integers", (4, 3, True), None),
            ("high is 129, out of bounds for int8", "integers", (0, 129, False), "int8"),
            ("low is -1, out of bounds for uint64", "integers", (-1, 3, False), "uint64"),
            ("high is 3, out of bounds for bool", "integers", (0, 3, False), "bool"),
            ("must be bool or an integer", "integers", (0, 3, False), "float32"),
            ("must be an integer", "bits", (), "float64"),
            ("low is 2, and must not be above high, which is 1", "uniform", (2, 1), None),
            ("not a finite range", "uniform", (0, np.inf), None),
            ("must be a real float", "uniform", (0, 1), "complex64"),
            ("must be a real float", "gamma", (1, 1), "int32"),
            ("the standard deviation is -1", "normal", (0, -1), None),
            ("must not be NaN", "normal", (0, np.nan), None),
            ("must be a float or complex", "normal", (0, 1), "int8"),
            ("sigma is -0.5", "lognormal", (0, -0.5), None),
            ("the scale is -2", "exponential", (-2,), None),
            ("the shape is -1", "gamma", (-1, 1), None),
            ("a is 0, and must be positive", "beta", (0, 1), None),
            ("the mean is -1, outside 0..2^53", "poisson", (-1,), None),
            ("n is -1, outside 0..2^53", "binomial", (-1, 0.5), None),
            ("p is 1.5, outside [0, 1]", "binomial", (1, 1.5), None),
            ("counts whose mean is 300 are out of bounds for uint8", "poisson", (300,), "uint8"),
            ("counts whose mean is 150 are out of bounds for int8", "binomial", (300, 0.5), "int8"),
            ("99 is not a dtype", "normal", (0, 1), 99)]:
        mp.fails("MNP_ERR_ARG", words_, getattr(mp, "random_" + name), generator(1), *parameters, dtype, 1, [5])
    mp.fails("MNP_ERR_ARG", "(4,), and the result's is (5,)", mp.random_normal, generator(1), 0, 1, None, 1, [5],
             out=mp.zeros("float64", 1, [4]))
    mp.fails("MNP_ERR_ARG", "the output is int32, to which the result's float64", mp.random_normal, generator(1), 0, 1,
             None, 1, [5], out=mp.zeros("int32", 1, [5]))
    mp.fails("MNP_ERR_ARG", "rng is NULL", mp.random_normal, ctypes.c_void_p(), 0, 1, None, 1, [5])
    mp.fails("MNP_ERR_ARG", "count is -1", mp.rng_spawn, generator(1), -1, (ctypes.c_void_p * 1)())


for test in (test_bits, test_values, test_layouts, test_streams, test_distributions, test_edges, test_choice,
             test_permutation, test_small_permutations, test_misuse):
    test()
for each in made:
    mp.rng_free(each)
mp.done()
