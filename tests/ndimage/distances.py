# SPDX-License-Identifier: BSD-3-Clause
"""Distances to the background against scipy.ndimage: Euclidean ones to rounding, the others exactly; indices name an
element of the background at that distance."""

import maniple as mp
import numpy as np
from images import image
from scipy import ndimage

rng = mp.random()


def transform(name, x, *arguments):
    return getattr(mp, "ndimage_distance_transform_" + name)(x, *arguments)


def distance(metric, steps):
    """Of differences along the first dimension."""
    if metric == "euclidean":
        return np.sqrt((steps.astype(float) ** 2).sum(0))
    return np.abs(steps).max(0) if metric == "chessboard" else np.abs(steps).sum(0)


def check(name, x, a, want, metric, sampling, got):
    distances, indices = (g.numpy() for g in got)
    bound = 8 * np.finfo(float).eps * want if metric == "euclidean" else 0
    mp.ok(distances.dtype == want.dtype and distances.shape == want.shape and bool((abs(distances - want) <= bound).all()),
          f"{name}: distances")
    steps = (indices - np.indices(a.shape)) * np.reshape(sampling or [1] * a.ndim, [-1] + [1] * a.ndim)
    good = indices.dtype == np.int32 and not a[tuple(indices)].any() and np.allclose(distance(metric, steps), want, 1e-14, 0)
    mp.ok(bool(good), f"{name}: indices")


for a, density in [(image(rng, "float64", ndim)[0], density) for ndim in (1, 2, 2, 3) for density in (0.5, 0.97)] + [
        (np.empty((7, 150)), 0.5), (np.empty((150, 7)), 0.99), (np.empty(2100), 0.999), (np.empty((3, 1100)), 0.999),
        (np.empty((1100, 3)), 0.999), (np.empty((90, 70)), 0.9995), (np.empty((3, 40, 30)), 0.999),
        (np.empty((70, 90)), 1)]:
    if a.size == 0:
        continue
    background = rng.random(a.shape) > density
    background.flat[int(rng.integers(a.size))] = True
    a = np.where(background, 0, 3.5)
    x = mp.array(a, mp.random_layout(rng, a.shape))
    sampling = [float(s) for s in rng.choice([1.0, 0.3, 2.5], a.ndim)] if rng.random() < 0.5 else None
    check(f"edt {a.shape} {sampling}", x, a, ndimage.distance_transform_edt(a, sampling), "euclidean", sampling,
          transform("edt", x, sampling))
    check(f"bf {a.shape} {sampling}", x, a, ndimage.distance_transform_bf(a, "euclidean", sampling), "euclidean", sampling,
          transform("bf", x, None, sampling))
    for metric in ("chessboard", "taxicab"):
        check(f"cdt {a.shape} {metric}", x, a, ndimage.distance_transform_cdt(a, metric), metric, None,
              transform("cdt", x, metric))
        check(f"bf {a.shape} {metric}", x, a, ndimage.distance_transform_bf(a, metric), metric, None,
              transform("bf", x, metric, None))

x = mp.array(np.ones((5, 7), "uint8"))
mp.check("without background: infinite", transform("edt", x, None)[0], np.full((5, 7), np.inf))
mp.check("without background: -1", transform("cdt", x, None)[0], np.full((5, 7), -1, "int32"))
mp.check("without background: no indices", transform("cdt", x, None)[1], np.full((2, 5, 7), -1, "int32"))
mp.check("without background: the largest", transform("bf", x, "cityblock", None)[0], np.full((5, 7), 2**32 - 1, "uint32"))
mp.check("an empty image", transform("edt", mp.array(np.zeros((0, 3))), None)[0], np.zeros((0, 3)))
mp.fails("MNP_ERR_ARG", "'round' is no metric", mp.ndimage_distance_transform_cdt, x, "round")
mp.fails("MNP_ERR_ARG", "sampling along axis 1 is 0", mp.ndimage_distance_transform_edt, x, [1.0, 0.0])
mp.done()
