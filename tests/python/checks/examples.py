# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and results as programs have them that were written after the examples of NumPy's and SciPy's documents."""

import maniple as mp
import numpy as np

from . import ok, pair, raises, rng, same


def check_operands_of_numpy():
    """NumPy's arrays, where no array of Maniple is an operand; ranges; indices of both; bins with edges."""
    x, a = pair((5, 6))
    v = rng.standard_normal(6)
    same("functions of NumPy's arrays", (mp.exp(v), mp.add(v, 2), mp.add(v, [1, 2, 3, 4, 5, 6], dtype="float32"),
                                         mp.maximum(v, np.zeros(6)), mp.divmod(v, 0.5)[0], mp.clip(v, -1, v + 1)),
         (np.exp(v), np.add(v, 2), np.add(v, [1, 2, 3, 4, 5, 6], dtype="float32"), np.maximum(v, 0), np.divmod(v, 0.5)[0],
          np.clip(v, -1, v + 1)), 1e-6)
    same("where and isclose of them", (mp.where(v > 0, v, 0), mp.where(v > 0, v, -v), mp.isclose(x, v), mp.isclose(v, v)),
         (np.where(v > 0, v, 0), np.abs(v), np.isclose(a, v), np.isclose(v, v)))
    same("products with them", (mp.dot(x, v), x.dot(v), mp.inner(v, x), mp.dot(v, v)),
         (a @ v, a @ v, a @ v, v @ v), 1e-13)
    ok(mp.allclose(x[0], a[0]) and not mp.allclose(x, v), "allclose of an array and NumPy's")
    same("a number without dimensions", (mp.add(x, np.array(2.0)), mp.power(x, np.array(2))), (a + 2, a**2), 1e-15)
    raises(TypeError, "asarray()", "NumPy's array beside another", lambda: mp.where(x > 0, a, 0))
    raises(TypeError, "asarray()", "and in a text", lambda: mp.evaluate("z = x + y", "z", x=x, y=a))
    same("ranges", (x + range(6), range(6) * x, mp.float_power(range(4), 2), x[range(1, 3)], x[:, range(0)]),
         (a + np.arange(6), np.arange(6) * a, np.arange(4.0) ** 2, a[1:3], a[:, :0]))
    view = x.view()
    view[0] = 1
    ok(bool((x[0] == 1).all()), "a view of the same elements")


def check_bins_and_indices():
    """Histograms with edges of bins; indices in Fortran's order; coefficients of conjugated roots."""
    (x, a), (y, b), weights = pair(200), pair(200), rng.random(200)
    a[[3, 5]] = np.nan, 2.0
    x, w, edges = mp.asarray(a), mp.asarray(weights), np.array([-4.0, -1, 0, 0.5, 2])
    for name, bins, given in (
        ("of both", (edges, edges + 1), {}),
        ("once for both", edges, {"weights": weights}),
        ("beside a number", ([0, 1, 2], 4), {"range": [None, (-2, 2)], "density": True}),
        ("that end at values", (edges, [0, 2]), {"density": True, "weights": weights}),
    ):
        spread = {k: w if k == "weights" else v for k, v in given.items()}
        own = tuple(mp.asarray(e) if isinstance(e, np.ndarray) else e for e in bins) if type(bins) is tuple else mp.asarray(bins)
        same(f"histogram2d with edges {name}", mp.histogram2d(x, y, own, **spread), np.histogram2d(a, b, bins, **given), 1e-12)
    counts, bounds = mp.histogramdd([y, w, y], [[0, 1, 2], 5, [-1, 0, 1]])
    wanted = np.histogramdd([b, weights, b], [np.array([0, 1, 2]), 5, np.array([-1, 0, 1])])
    same("histogramdd with edges", (counts, *bounds), (wanted[0], *wanted[1]), 1e-12)
    same("edges that are given", mp.histogram_bin_edges(x, [1, 2]), np.array([1, 2]))
    raises(ValueError, "monotonically", "edges that fall", lambda: mp.histogram2d(y, y, [[1, 0], 3]))
    places = np.array([[3, 6, 6], [4, 5, 1]])
    same("Fortran's order of indices", (mp.ravel_multi_index(places, (7, 6), order="F"), *mp.unravel_index([22, 41, 37], (7, 6), "F")),
         (np.ravel_multi_index(places, (7, 6), order="F"), *np.unravel_index([22, 41, 37], (7, 6), "F")))
    same("a mode for each dimension", mp.ravel_multi_index(places, (4, 4), ("clip", "wrap")),
         np.ravel_multi_index(places, (4, 4), ("clip", "wrap")))
    raises(ValueError, "neither 'C' nor 'F'", "another order", lambda: mp.unravel_index([1], (2, 2), "A"))
    matrix = np.array([[0, 1 / 3], [-1 / 2, 0]])
    same("poly of integers, a matrix and roots", (mp.poly([0, 0, 3]), mp.poly(matrix), mp.poly([1j, -1j, 2]), mp.poly([1j, 2])),
         (np.poly([0, 0, 3]), np.poly(matrix), np.poly([1j, -1j, 2]), np.poly([1j, 2])), 1e-14)
