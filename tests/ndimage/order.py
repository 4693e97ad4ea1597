# SPDX-License-Identifier: BSD-3-Clause
"""Minimum, maximum, median, rank and percentile filters against scipy.ndimage: exact."""

import maniple as mp
import numpy as np
from images import MODES, image, in_windows, options
from scipy import ndimage

rng = mp.random()
NAMES = ["minimum_filter", "maximum_filter", "median_filter", "rank_filter", "percentile_filter"]


def one(name, dtype, ndim, largest, box):
    a, x = image(rng, dtype, ndim)
    size = [int(rng.integers(1, largest + 1)) for _ in a.shape]
    origin = [int(rng.integers(-(n // 2), (n - 1) // 2 + 1)) for n in size]
    mode = str(rng.choice(list(MODES)))
    footprint = np.ones(size, bool) if box else rng.random(size) < 0.6
    footprint.flat[0] |= not footprint.any()
    cval = float(rng.integers(0, 2))
    count = int(footprint.sum())
    extra = {"rank_filter": [int(rng.integers(-count, count))],
             "percentile_filter": [float(rng.choice([0, 100, -20, rng.uniform(0, 100)]))]}.get(name, [])
    want = in_windows(getattr(ndimage, name), a, *extra, size=size, footprint=footprint, mode=mode, cval=cval, origin=origin)
    got = getattr(mp, "ndimage_" + name)(
        x, *extra, size, None if box else [bool(b) for b in footprint.ravel()], options(mode, cval, origin))
    mp.check(f"{name} {a.shape} {dtype} size={size} {'box' if box else 'footprint'} {mode} origin={origin} {extra}",
             got, want)


for number, name in enumerate(NAMES):
    for dtype, ndim, largest, box in mp.part([("float32", 2, 6, True), ("uint8", 2, 6, False), ("float64", 1, 12, True),
                                              ("int16", 3, 3, True)], number):
        one(name, dtype, ndim, largest, box)
one("median_filter", "float32", 2, 13, False)
one("median_filter", "int16", 2, 13, True)
for dtype, ndim, largest in [("float32", 2, 31), ("float64", 2, 31), ("uint8", 2, 19), ("int32", 2, 11), ("uint64", 2, 9),
                             ("bool", 2, 7), ("int8", 3, 7), ("float32", 3, 5), ("float32", 1, 150), ("float64", 4, 4)]:
    one(str(rng.choice(NAMES[2:])), dtype, ndim, largest, True)
one("maximum_filter", "float64", 2, 40, True)
one("minimum_filter", "bool", 2, 4, True)

a = rng.standard_normal((30, 41)).astype("float32")
x = mp.array(a, mp.random_layout(rng, a.shape))
for size in ((1, 15), (15, 1), (2, 30), (9, 9), (11, 11), (13, 13), (15, 15), (31, 29)):
    rank = int(rng.integers(size[0] * size[1]))
    mp.check(f"rank {rank} of {size}", mp.ndimage_rank_filter(x, rank, list(size), None, None),
             ndimage.rank_filter(a, rank, size))
for n in (3, 5, 7) if mp.FULL else (3, 5):  # every rank is the right element of a sorted window
    for rank in range(0, n * n, n):
        mp.check(f"rank {rank} of {n}^2", mp.ndimage_rank_filter(x, rank, [n, n], None, None),
                 ndimage.rank_filter(a, rank, n))
mp.check("along one axis", mp.ndimage_median_filter(x, [5], None, options(axes=[-2])),
         ndimage.median_filter(a, (5, 1)))
mp.check("a footprint along axes in another order",
         mp.ndimage_maximum_filter(x, [2, 3], [True, False, True, True, True, False], options(axes=[1, 0])),
         ndimage.maximum_filter(a, footprint=np.array([[1, 0, 1], [1, 1, 0]]).T))
mp.check("modes of axes", mp.ndimage_minimum_filter(x, [4, 5], None, options(["wrap", "mirror"])),
         ndimage.minimum_filter(a, (4, 5), mode=["wrap", "mirror"]))
mp.check("to another dtype", mp.ndimage_median_filter(x, [3, 3], None, options(dtype="float64")),
         ndimage.median_filter(a, 3, output="float64"))
y = mp.array(a, x.layout)
mp.ndimage_median_filter(y, [3, 3], None, None, out=y)
mp.check("in place", y, ndimage.median_filter(a, 3))
b = a.copy()
b[7, 8] = np.nan
b[20:, 20:25], b[2, 5:9], b[11, 30:] = np.nan, np.inf, -np.inf
for n in (3, 5, 9, 15):
    mp.check(f"NaN is the largest value, {n}^2", mp.ndimage_median_filter(mp.array(b, x.layout), [n, n], None, None),
             ndimage.generic_filter(b, lambda w: np.sort(w)[w.size // 2], n))

BAD = [("size along axis 1 is 0", [3, 0], None, None), ("origin along axis 0 is 2", [3, 3], None, options(origin=[2, 0])),
       ("no element", [1, 2], [False, False], None), ("given twice", [3, 3], None, options(axes=[0, -2])),
       ("axis 2 is outside", [3], None, options(axes=[2]))]
for words, size, footprint, given in BAD:
    mp.fails("MNP_ERR_ARG", words, mp.ndimage_median_filter, x, size, footprint, given)
mp.fails("MNP_ERR_ARG", "the rank is 9", mp.ndimage_rank_filter, x, 9, [3, 3], None, None)
mp.fails("MNP_ERR_ARG", "percentile is 101", mp.ndimage_percentile_filter, x, 101.0, [3, 3], None, None)
mp.fails("MNP_ERR_ARG", "takes real numbers", mp.ndimage_median_filter, mp.astype(x, "complex64"), [3, 3], None, None)
mp.fails("MNP_ERR_ARG", "cval is 300", mp.ndimage_median_filter, mp.astype(x, "uint8"), [3, 3], None,
         options("constant", 300.0))
mp.done()
