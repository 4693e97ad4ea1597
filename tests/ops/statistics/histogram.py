# SPDX-License-Identifier: BSD-3-Clause
"""Histograms, counts of numbers, and searches in sorted vectors, compared with NumPy's, in any layout."""

import warnings

import maniple as mp
import numpy as np

warnings.simplefilter("ignore")
rng = mp.random()


def random_view(values):
    """The array in a random layout, as a new array or as a view of another one."""
    way = rng.integers(5) if values.ndim else 0
    if way == 1:  # reversed
        flipped = np.ascontiguousarray(values[::-1])
        return mp.array(flipped, mp.random_layout(rng, flipped.shape))[::-1]
    if way == 2:  # every other element of a larger array
        more = np.repeat(values, 2, axis=0)
        return mp.array(more, mp.random_layout(rng, more.shape))[::2]
    if way == 3 and values.ndim > 1:
        turned = np.ascontiguousarray(values.T)
        return mp.transpose(mp.array(turned, mp.random_layout(rng, turned.shape)), None)
    if way == 4:  # a subarray of a larger one
        several = np.stack((values, values[::-1]))
        return mp.array(several, mp.random_layout(rng, several.shape))[0]
    return mp.array(values, mp.random_layout(rng, values.shape))


def sample(dtype, shape):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.3
    if kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(max(info.min, -1000), min(info.max, 1000), shape, dtype, endpoint=True)
    return rng.normal(0, 3, shape).astype(dtype)


def counted(values, edges, weights=None):
    """The counts, or sums of weights, of the bins by comparison with their edges alone."""
    inside = (values >= edges[0]) & (values <= edges[-1])
    at = np.searchsorted(edges, values[inside], "right") - 1
    return np.bincount(np.minimum(at, len(edges) - 2), None if weights is None else weights[inside], len(edges) - 1)


def test_types():
    for dtype in mp.part("bool int8 int64 uint64 float16 float32 float64".split()):
        values = sample(dtype, (13, 29))
        x = random_view(values)
        for bins, limits in ((10, None), (64, (-2.5, 100.0))):
            want = np.histogram(values, bins, limits)
            mp.check(f"{bins} bins of {dtype} in {limits}", mp.histogram(x, bins, limits, False, None), want)
    mp.check("edges alone", mp.histogram_bin_edges(x, 7, None), np.histogram_bin_edges(values, 7))


def test_edges_exactly():
    whole = rng.integers(0, 33, 5000).astype(np.float32)
    mp.check("numbers on the edges", mp.histogram(random_view(whole), 32, (0.0, 32.0), False, None),
             np.histogram(whole, 32, (0.0, 32.0)))
    tenths = (rng.integers(-30, 30, 5000) / 10).astype(np.float32)
    for bins in (60, 59, 7):
        mp.check(f"tenths in {bins} bins", mp.histogram(random_view(tenths), bins, (-3.0, 3.0), False, None),
                 np.histogram(tenths, bins, (-3.0, 3.0)))
    far = (1e6 + rng.random(4000)).astype(np.float32)  # of which there are 17 in this range
    edges = np.linspace(1e6, 1e6 + 1, 9).astype(np.float32)
    mp.check("few numbers between the edges", mp.histogram(random_view(far), 8, (1e6, 1e6 + 1), False, None),
             (counted(far, edges), edges))
    fine = rng.random(20000)
    many = 1000003
    counts, edges = mp.histogram(random_view(fine), many, (0.0, 1.0), False, None)
    mp.check("a million bins", (counts, edges), (counted(fine, edges.numpy()), np.linspace(0, 1, many + 1)))
    odd = np.array([np.nan, np.inf, -np.inf, 0.5, 0, 1, -0.0, 2], np.float64)
    mp.check("what is no number is in no bin", mp.histogram(random_view(odd), 4, (0.0, 1.0), False, None),
             np.histogram(odd, 4, (0.0, 1.0)))
    same = np.full(7, 5, np.float32)
    mp.check("all the same", mp.histogram(random_view(same), 10, None, False, None), np.histogram(same, 10))
    for shape in ((0,), (3, 0)):
        nothing = np.zeros(shape, np.float32)
        mp.check(f"nothing, {shape}", mp.histogram(random_view(nothing), 3, None, False, None),
                 np.histogram(nothing, 3))
    row = rng.random(30)
    again = mp.broadcast_to(random_view(row), 2, (5, 30))
    mp.check("a row again and again", mp.histogram(again, 7, (0.0, 1.0), False, None),
             np.histogram(np.tile(row, 5), 7, (0.0, 1.0)))
    one = np.array(2.5)
    mp.check("no dimensions", mp.histogram(mp.array(one), 3, None, False, None), np.histogram(one, 3))


def test_given_edges():
    values = sample("float32", 3000)
    x = random_view(values)
    for edges in (np.array([-3, -1, -1, 0, 2.5, 2.5]), np.sort(rng.normal(size=40)).astype(np.float32),
                  np.array([0, 1]), np.array([1.5])):
        want = np.histogram(values, edges)[0]
        mp.check(f"{len(edges)} edges of {edges.dtype}", mp.histogram_edges(x, random_view(edges), False, None), want)
    whole = rng.integers(-2 ** 62, 2 ** 62, 500)
    edges = np.sort(rng.choice(whole, 20, replace=False))
    mp.check("edges of int64", mp.histogram_edges(random_view(whole), mp.array(edges), False, None),
             np.histogram(whole, edges)[0])


def test_weights():
    values = sample("float32", (40, 60))
    x = random_view(values)
    for dtype in mp.part("float32 float64 complex64 int16 bool".split()):
        weights = (rng.integers(-8, 8, values.shape) / 8).astype(dtype)
        for bins in (5, 9000):
            want = np.histogram(values, bins, (-5.0, 5.0), weights=weights)[0]
            got = mp.histogram(x, bins, (-5.0, 5.0), False, random_view(weights))[0]
            mp.check(f"weights of {dtype}, {bins} bins", got, want)
    wide = rng.random(values.shape)
    edges = np.sort(rng.normal(0, 3, 30))
    many = rng.integers(-600, 600, 70001).astype("float32") / 100
    wide_many = (rng.integers(-8, 8, many.shape) / 8).astype("float32")
    for bins in (5, 100, 300, 1000, 20000):
        got = mp.histogram(mp.array(many), bins, (-5.0, 5.0), False, mp.array(wide_many))[0]
        mp.check(f"many weights, {bins} bins", got, np.histogram(many, bins, (-5.0, 5.0), weights=wide_many)[0])
    mp.check("weights between given edges", mp.histogram_edges(x, mp.array(edges), False, random_view(wide)),
             counted(values, edges, wide), ulp=100)
    mp.check("a density", mp.histogram(x, 12, None, True, None), np.histogram(values, 12, density=True), ulp=4)
    mp.check("a density of weights", mp.histogram(x, 12, (-5.0, 5.0), True, random_view(wide)),
             np.histogram(values, 12, (-5.0, 5.0), density=True, weights=wide), ulp=100)
    mp.check("a density between edges", mp.histogram_edges(x, mp.array(edges), True, None),
             np.histogram(values, edges, density=True)[0], ulp=4)


def test_bincount():
    for dtype in ("int64", "uint8", "uint64"):
        values = rng.integers(0, 40, 700)  # in int64, as NumPy 1 counts no uint64
        weights = rng.integers(-8, 8, 700) / 4
        x = random_view(values.astype(dtype))
        mp.check(f"numbers of {dtype}", mp.bincount(x, None, 0), np.bincount(values))
        mp.check(f"numbers of {dtype} with weights", mp.bincount(x, random_view(weights), 60),
                 np.bincount(values, weights, 60))
    mp.check("bools", mp.bincount(mp.array(values > 3), None, 0), np.bincount(values > 3))
    nothing = np.zeros(0, np.int64)
    mp.check("no numbers", mp.bincount(mp.array(nothing), None, 0), np.bincount(nothing))
    mp.check("at least so many", mp.bincount(mp.array(nothing), None, 4), np.bincount(nothing, minlength=4))


def test_estimators():
    values = rng.gamma(3, 2, 700).astype(np.float64)
    x = random_view(values)
    whole = rng.integers(0, 40, 200)
    for name in "auto doane fd rice scott sqrt stone sturges".split():
        for limits in (None, (1.5, 9.0)):
            mp.ok(mp.histogram_bins(x, name, limits) == len(np.histogram_bin_edges(values, name, limits)) - 1,
                  f"bins by {name} in {limits}")
    for name in ("auto", "sqrt", "fd"):
        mp.ok(mp.histogram_bins(mp.array(whole), name, None) >= 1, f"bins of integers by {name}")
    mp.ok(mp.histogram_bins(mp.array(np.zeros(0)), "auto", None) == 1, "bins of nothing")
    mp.ok(mp.histogram_bins(mp.array(np.full(9, 3.0)), "fd", None) == 1, "bins of one value")
    mp.fails("MNP_ERR_ARG", "'magic' is not an estimator", mp.histogram_bins, x, "magic", None)


def test_dimensions():
    points = [sample("float32", 300), np.round(sample("float32", 300)), sample("float32", 300)]
    x = [random_view(p) for p in points]
    weights = rng.integers(-8, 8, 300) / 4
    counts, xedges, yedges = mp.histogram2d(x[0], x[1], (5, 8), None, False, None)
    mp.check("two dimensions", (counts, xedges, yedges), np.histogram2d(points[0], points[1], (5, 8)))
    limits = (-2.0, 2.0, -3.0, 3.0)
    mp.check("two dimensions in a range", mp.histogram2d(x[0], x[1], (7, 6), limits, False, random_view(weights)),
             np.histogram2d(points[0], points[1], (7, 6), ((-2, 2), (-3, 3)), weights=weights))
    mp.check("a density of two dimensions", mp.histogram2d(x[0], x[1], (4, 3), limits, True, None),
             np.histogram2d(points[0], points[1], (4, 3), ((-2, 2), (-3, 3)), density=True), ulp=4)
    want, edges = np.histogramdd(points, (3, 4, 5))
    made = mp.histogramdd(x, 3, (3, 4, 5), None, False, None, edges=3)
    mp.check("three dimensions", made, (want, *edges))
    edges = [np.array([-1.0, 0, 3]), np.array([-4, -4, 0, 2]), np.array([-9.0, 9])]
    mp.check("given edges", mp.histogramdd_edges(x, 3, [mp.array(e) for e in edges], False, None),
             np.histogramdd(points, edges)[0])
    mp.fails("MNP_ERR_ARG", "bins of dimension 1 is 0, below 1", mp.histogram2d, x[0], x[1], (5, 0), None, False, None)
    mp.fails("MNP_ERR_ARG", "another shape", mp.histogram2d, x[0], x[1][1:], (5, 5), None, False, None)


def test_search():
    for dtype in "int32 float64 float16 complex64 bool".split():
        a = np.sort(sample(dtype, 50) if dtype != "complex64" else
                    (rng.integers(-3, 3, 50) + 1j * rng.integers(-3, 3, 50)).astype(dtype))
        v = np.concatenate((a[::3], sample("float32", 20).astype(a.dtype))).reshape(-1, 1)
        for side in ("left", "right"):
            mp.check(f"{side} in {dtype}", mp.searchsorted(random_view(a), random_view(v), side == "right", None),
                     a.searchsorted(v, side))
    a = np.array([-1, 0, 0, 2, np.inf, np.nan, np.nan])
    for side in ("left", "right"):
        mp.check(f"NaN comes last, {side}", mp.searchsorted(mp.array(a), mp.array(a), side == "right", None),
                 a.searchsorted(a, side))
        mixed = np.array([complex(p, q) for p in (0, 1, np.nan) for q in (0, np.inf, np.nan)])
        order = np.sort(mixed)
        mp.check(f"complex NaN, {side}", mp.searchsorted(mp.array(order), mp.array(mixed), side == "right", None),
                 order.searchsorted(mixed, side))
    mp.check("a number", mp.searchsorted(mp.array(a), 1.5, False, None), np.asarray(a.searchsorted(1.5)))
    mp.check("of nothing", mp.searchsorted(mp.array(a[:0]), mp.array(a), False, None), a[:0].searchsorted(a))
    unsorted = sample("float32", 60)
    order = unsorted.argsort()
    v = sample("float64", (7, 5))
    mp.check("by a sorter", mp.searchsorted(random_view(unsorted), random_view(v), False, random_view(order)),
             unsorted.searchsorted(v, sorter=order))
    out = mp.array(np.zeros((7, 5), np.int32), mp.random_layout(rng, (7, 5)))
    mp.searchsorted(mp.array(unsorted[order]), random_view(v), True, None, out=out)
    mp.check("into an output", out, unsorted[order].searchsorted(v, "right").astype(np.int32))


def test_digitize():
    values = np.concatenate((rng.integers(-5, 6, 60).astype(np.float64), [np.nan, np.inf]))
    for bins in (np.array([-4.0, -1, -1, 0, 3]), np.array([3, 2, 2, -4]), np.array([1.0]), np.array([])):
        for right in (False, True):
            mp.check(f"bins {bins.tolist()}, right {right}", mp.digitize(random_view(values), random_view(bins), right),
                     np.digitize(values, bins, right))


def test_properties():
    """Any histogram counts each element once, in the bin whose edges enclose it."""
    for _ in range(25):
        shape = tuple(int(n) for n in rng.integers(0, 14, rng.integers(1, 4)))
        values = sample(str(rng.choice(["float32", "float64", "int32"])), shape)
        if rng.random() < 0.3 and values.dtype.kind == "f":
            values = np.round(values)
        low, high = sorted(float(v) for v in rng.normal(0, 4, 2))
        bins = int(rng.choice([1, 3, 50, 777]))
        counts, edges = mp.histogram(random_view(values), bins, (low, high), False, None)
        mp.check(f"{bins} bins of {shape} {values.dtype}", counts,
                 counted(values.astype(edges.dtype).ravel(), edges.numpy()))


def test_outputs():
    values = sample("float32", 100)
    x = mp.array(values, mp.random_layout(rng, (100,)))
    counts = mp.array(np.zeros(10, np.float32), mp.random_layout(rng, (10,)))
    edges = mp.array(np.zeros(11, np.float64), mp.random_layout(rng, (11,)))
    mp.histogram(x, 10, None, False, None, out=(counts, edges))
    want = np.histogram(values, 10)
    mp.check("into outputs", (counts, edges), (want[0].astype(np.float32), want[1].astype(np.float64)))
    for layout in (None, mp.random_layout(rng, (10,))):
        whole = mp.array(np.zeros(10, np.int64), layout)
        for _ in range(2):
            mp.histogram(x, 10, (-5.0, 5.0), False, None, edges_p=None, out=whole)
        mp.check("again into an output", whole, np.histogram(values, 10, (-5.0, 5.0))[0])
    gaps = mp.array(np.zeros(20, np.int64))
    mp.bincount(mp.array(np.arange(10)), None, 0, out=gaps[::2])
    mp.check("into every other element", gaps, np.tile([1, 0], 10))
    own = mp.array(np.arange(10))
    mp.bincount(own, None, 0, out=own)
    mp.check("onto the input", own, np.ones(10, np.int64))


def test_misuse():
    x = mp.array(np.arange(6, dtype=np.float32))
    whole = mp.array(np.array([3, -2, 1]))
    nan = mp.array(np.array([1, np.nan]))
    bad = "MNP_ERR_ARG"
    mp.fails(bad, "bins is 0, below 1", mp.histogram, x, 0, None, False, None)
    mp.fails(bad, "the range falls, from 2 to 1", mp.histogram, x, 5, (2, 1), False, None)
    mp.fails(bad, "the given range, from 0 to inf, is not finite", mp.histogram, x, 5, (0, np.inf), False, None)
    mp.fails(bad, "the elements' range, from nan to nan, is not finite", mp.histogram, nan, 5, None, False, None)
    mp.fails(bad, "cannot be divided into 100 bins of float32", mp.histogram, x, 100, (1e6, 1e6 + 1), False, None)
    mp.fails(bad, "the weights have another shape", mp.histogram, x, 5, None, False, whole)
    mp.fails(bad, "complex numbers have no bins", mp.histogram, mp.array(np.zeros(3, complex)), 5, None, False, None)
    mp.fails(bad, "the edges do not rise", mp.histogram_edges, x, whole, False, None)
    mp.fails(bad, "the edges have 2 dimensions", mp.histogram_edges, x, mp.array(np.zeros((2, 2))), False, None)
    mp.fails(bad, "the output 'counts' has the shape (6,), and the result's is (5,)", mp.histogram, x, 5, None,
             False, None, out=x)
    mp.fails(bad, "an element -2", mp.bincount, whole, None, 0)
    mp.fails(bad, "minlength is -1, negative", mp.bincount, whole, None, -1)
    mp.fails(bad, "float32, which int64 does not hold", mp.bincount, x, None, 0)
    mp.fails(bad, f"an element {2**63}, too large", mp.bincount, mp.array(np.array([1, 2**63], np.uint64)), None, 0)
    mp.fails(bad, "too many", mp.histogram, x, 2**62, [0, 1], False, None)
    mp.fails("MNP_ERR_MEMORY", "", mp.histogram, x, 2**55, [0, 1], False, None)
    mp.fails(bad, "`a` has 2 dimensions", mp.searchsorted, mp.array(np.zeros((2, 2))), x, False, None)
    mp.fails(bad, "the index -2, outside of the 3 elements", mp.searchsorted, whole, x, False, whole)
    mp.fails(bad, "as many as `a` has", mp.searchsorted, x, x, False, whole)
    mp.fails(bad, "neither rise nor fall", mp.digitize, x, whole, False)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
mp.done()
