# SPDX-License-Identifier: BSD-3-Clause
"""Linear filters against scipy.ndimage.

The bound: SciPy sums in double, we in the dtype of floats of four bytes, so a sum of n products is off by at most
(n + 2) eps times the sum of their sizes, for every pass; passes multiply what weights can make of an error.  Integers of
exact sums are the same.
"""

import maniple as mp
import numpy as np
from images import MODES, image, in_windows, options
from scipy import ndimage

rng = mp.random()
NAMES = list(MODES)


def close(name, got, want, gain=1.0, terms=1, largest=99.0):
    """A point: the right dtype and shape; integers equal, floats within (terms + 2) eps gain times the largest value."""
    g = got.numpy()
    if g.dtype != want.dtype or g.shape != want.shape:
        return mp.ok(False, f"{name}: {g.dtype} {g.shape} where {want.dtype} {want.shape} is right")
    if g.size == 0:
        return mp.ok(True, name)
    bound = (terms + 2) * np.finfo(g.dtype).eps * gain * largest if g.dtype.kind in "fc" else 0
    error = np.abs(g - want) if g.dtype.kind in "fc" else np.abs(g.astype(float) - want)
    good = bool((error <= bound).all())
    return mp.ok(good, name if good else f"{name}: error {error.max():.3g}, and {bound:.3g} is allowed")


def scipy_of(function, a, *arguments, **named):
    return function(a, *arguments, **named) if a.size else a.astype(named.get("output") or a.dtype)


def origin_of(n):
    return int(rng.integers(-(n // 2), (n - 1) // 2 + 1))


for name in ("correlate1d", "convolve1d"):
    for dtype, n in (("float32", 5), ("float64", 8), ("uint8", 3), ("complex64", 4), ("float32", 90)):
        a, x = image(rng, dtype)
        weights = rng.integers(0, 3, n) / (1.0 if dtype == "uint8" else 4.0)
        if dtype == "uint8":
            a, x = a // 16, mp.floor_divide(x, mp.array(np.uint8(16)))
        axis, mode, origin = int(rng.integers(-a.ndim, a.ndim)), str(rng.choice(NAMES)), origin_of(n)
        want = scipy_of(getattr(ndimage, name), a, weights, axis, mode=mode, cval=2.0, origin=origin)
        got = getattr(mp, "ndimage_" + name)(x, n, list(weights), axis, options(mode, 2.0, [origin]))
        close(f"{name} {a.shape} {dtype} {n} weights axis={axis} {mode} {origin}", got, want, weights.sum() * 2, n)

for name in ("correlate", "convolve"):
    for dtype, ndim, most in (("float64", 2, 5), ("int32", 2, 4), ("float32", 3, 3), ("float32", 2, 11), ("int32", 1, 99)):
        a, x = image(rng, dtype, ndim)
        shape = [most - int(rng.integers(0, 2)) for _ in a.shape]
        weights = rng.integers(-2, 3, shape) / 2.0
        mode, origin = str(rng.choice(NAMES)), [origin_of(n) for n in shape]
        want = in_windows(getattr(ndimage, name), a, weights, size=shape, mode=mode, cval=1.0, origin=origin)
        got = getattr(mp, "ndimage_" + name)(x, shape, list(weights.ravel()), options(mode, 1.0, origin))
        largest = np.abs(a).max(initial=1).astype(float)
        close(f"{name} {a.shape} {dtype} {shape} {mode} {origin}", got, want, np.abs(weights).sum() + 1, weights.size,
              largest)

for dtype, ndim in (("float32", 2), ("float64", 3), ("uint8", 2), ("int16", 3), ("float32", 1)):
    a, x = image(rng, dtype, ndim)
    size = [int(rng.integers(1, 8)) for _ in a.shape]
    mode, origin = str(rng.choice(NAMES)), [origin_of(n) for n in size]
    want = scipy_of(ndimage.uniform_filter, a, size, mode=mode, cval=3.0, origin=origin)
    # SciPy adds and subtracts while it goes along a line, which is off by more than a sum
    close(f"uniform_filter {a.shape} {dtype} {size} {mode} {origin}",
          mp.ndimage_uniform_filter(x, size, options(mode, 3.0, origin)), want, ndim, 4 + max(a.shape))

for dtype, ndim, wide in (("float32", 2, 1.5), ("float64", 3, 1.0), ("float32", 2, 9.0), ("float64", 1, 4.0)):
    a, x = image(rng, dtype, ndim)
    sigma = [float(rng.choice([0, wide, wide / 2])) for _ in a.shape]
    order = [int(rng.integers(0, 3)) for _ in a.shape]
    mode, truncate = str(rng.choice(NAMES)), float(rng.choice([3.0, 4.0]))
    want = scipy_of(ndimage.gaussian_filter, a, sigma, order, mode=mode, cval=1.0, truncate=truncate)
    close(f"gaussian_filter {a.shape} {dtype} {sigma} {order} {mode}",
          mp.ndimage_gaussian_filter(x, sigma, order, truncate, None, options(mode, 1.0)), want, 3.0 ** ndim,
          ndim * (2 * truncate * wide + 1))

a, x = image(rng, "float64", 2)
mode = str(rng.choice(NAMES))
close("gaussian_filter1d with a radius",
      mp.ndimage_gaussian_filter1d(x, 2.0, 0, 1, 0.0, [3], options(mode)),
      scipy_of(ndimage.gaussian_filter1d, a, 2.0, 0, 1, radius=3, mode=mode), 2, 7)
for name in ("sobel", "prewitt"):
    for axis in (0, -1):
        close(f"{name} {axis} {mode}", getattr(mp, "ndimage_" + name)(x, axis, options(mode, 2.0)),
              scipy_of(getattr(ndimage, name), a, axis, mode=mode, cval=2.0), 8, 6)
close(f"laplace {mode}", mp.ndimage_laplace(x, options(mode)), scipy_of(ndimage.laplace, a, mode=mode), 8, 8)
close(f"gaussian_laplace {mode}", mp.ndimage_gaussian_laplace(x, [1.0, 2.0], 0.0, None, options(mode)),
      scipy_of(ndimage.gaussian_laplace, a, [1.0, 2.0], mode=mode), 8, 20)
close(f"gaussian_gradient_magnitude {mode}",
      mp.ndimage_gaussian_gradient_magnitude(x, [1.0, 1.0], 0.0, None, options(mode)),
      scipy_of(ndimage.gaussian_gradient_magnitude, a, 1.0, mode=mode), 8, 20, 99 * 99)
close("integers to float64", mp.ndimage_uniform_filter(mp.array(np.arange(50).reshape(5, 10)), None, options(dtype="float64")),
      ndimage.uniform_filter(np.arange(50).reshape(5, 10), output="float64"), 1, 20)
b = np.ones((9, 9))
b[4, 4] = np.nan
mp.check("NaN goes where its weight is not 0",
         mp.isnan(mp.ndimage_correlate(mp.array(b), [3, 3], [0.0, 1, 0, 1, 0, 1, 0, 1, 0], None)),
         np.isnan(ndimage.correlate(b, np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))))
mp.fails("MNP_ERR_ARG", "origin is 2", mp.ndimage_correlate1d, x, 3, [1.0, 2, 3], 0, options(origin=[2]))
mp.fails("MNP_ERR_ARG", "axis 2", mp.ndimage_sobel, x, 2, None)
mp.fails("MNP_ERR_ARG", "no radius", mp.ndimage_gaussian_filter1d, x, 1.0, 0, 0, -3.0, None, None)
mp.done()
