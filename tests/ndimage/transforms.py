# SPDX-License-Identifier: BSD-3-Clause
"""Splines and geometric transforms against scipy.ndimage.

The bound: coefficients of splines of order 5 are at most 4.9 times the largest element along each axis; each recursion
multiplies rounding errors by at most 1 / (1 - |z|), below 2; a value is a sum of (order + 1)^d products.  Coordinates are
SciPy's, so that no element goes to another side of a border.
"""

import maniple as mp
import numpy as np
from images import MODES, image, options, values
from scipy import interpolate, ndimage

rng = mp.random()


def reflected_splines(a, order, axis):
    """The coefficients along an axis whose reflected spline goes through the elements: a system of equations."""
    n, half = a.shape[axis], order // 2
    basis = interpolate.BSpline.basis_element(np.arange(order + 2) - (order + 1) / 2, extrapolate=False)
    system = np.zeros((n, n))
    for offset in range(-half, half + 1):
        columns = (np.arange(n) + offset) % (2 * n)
        np.add.at(system, (np.arange(n), np.where(columns < n, columns, 2 * n - 1 - columns)), np.nan_to_num(basis(offset)))
    lines = np.moveaxis(a, axis, 0).reshape(n, -1)
    return np.moveaxis(np.linalg.solve(system, lines).reshape(np.moveaxis(a, axis, 0).shape), 0, axis)


def spline_filter(a, order=3, output=np.float64, mode="mirror"):
    """scipy.ndimage.spline_filter, which before SciPy 1.18 is wrong at the ends of short lines that are reflected."""
    result = np.asarray(a).astype(np.promote_types(output, np.float64))
    for axis, n in enumerate(result.shape if order > 1 else ()):
        if n > 1 and n < 50 and mode in ("reflect", "grid-mirror", "nearest"):
            result = reflected_splines(result, order, axis)
        else:
            result = ndimage.spline_filter1d(result, order, axis, result.dtype, mode)
    return result


ndimage._interpolation.spline_filter = spline_filter  # which its transforms call
NAMES = [*MODES, "grid-mirror"]
SPLINE_NAMES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap", "grid-constant"]


def mode_number(name):
    return MODES[{"grid-mirror": "reflect"}.get(name, name)]


def made_options(mode, cval=0.0, dtype=None, axes=None):
    made = options("reflect", cval, None, axes, dtype)
    made.mode = mode_number(mode)
    return made


def close(name, got, want, order, unrounded=None, largest=999.0):
    """A point: SciPy's result.  Where it is rounded to integers, `unrounded` is what it was: a half may go either way."""
    g = got.numpy()
    if g.dtype != want.dtype or g.shape != want.shape:
        return mp.ok(False, f"{name}: {g.dtype} {g.shape} where {want.dtype} {want.shape} is right")
    if g.size == 0:
        return mp.ok(True, name)
    eps = np.finfo(g.dtype).eps if g.dtype.kind in "fc" else 0
    bound = (order + 1) ** g.ndim * 20 * 4.9 ** (g.ndim if order > 1 else 0) * 2.3e-16 * largest + eps * np.abs(want)
    if unrounded is None:
        error = np.abs(g.astype("c16") - want)
    else:
        info = np.iinfo(g.dtype)
        error = np.maximum(np.abs(g - np.clip(unrounded, info.min, info.max)) - 0.5, 0)
    good = bool((error <= bound).all())
    return mp.ok(good, name if good else f"{name}: error {error.max():.3g}, and {np.min(bound):.3g} is allowed")


def as_scipy(name, got, function, a, *arguments, order, **named):
    """A point: what a function of scipy.ndimage gives for a."""
    unrounded = function(a.astype("f8"), *arguments, order=order, **named) if a.dtype.kind in "iu" else None
    close(name, got, function(a, *arguments, order=order, **named), order, unrounded)


def filled(dtype, ndim=None):
    """An image that SciPy takes: it is not empty."""
    while True:
        a, x = image(rng, dtype, ndim, 3000)
        if a.size:
            return a, x


# --- coefficients -----------------------------------------------------------------------------------------------------

for order in (2, 3, 4, 5):
    for mode in SPLINE_NAMES:
        a, x = filled(str(rng.choice(["float32", "float64", "int16", "complex64"])))
        wide = "c16" if a.dtype.kind == "c" else "f8"
        close(f"spline_filter {a.shape} {a.dtype} order {order} {mode}",
              mp.ndimage_spline_filter(x, order, mode_number(mode)),
              spline_filter(a, order, wide, mode), order)
for order, mode, dtype in ((2, "reflect", "int16"), (3, "mirror", "float32"), (4, "grid-wrap", "float64"),
                           (5, "reflect", "complex64"), (5, "grid-wrap", "float32")):  # several strips of a line
    a = values(rng, (3, 530, 19) if order < 4 else (290, 7), dtype)
    close(f"spline_filter {a.shape} {dtype} order {order} {mode}",
          mp.ndimage_spline_filter(mp.array(a, mp.random_layout(rng, a.shape)), order, mode_number(mode)),
          spline_filter(a, order, "c16" if dtype == "complex64" else "f8", mode), order)
a, x = filled("float64", 3)
for axis in (0, 1, -1):
    close(f"spline_filter1d along {axis}", mp.ndimage_spline_filter1d(x, 3, axis, 0), ndimage.spline_filter1d(a, 3, axis), 3)
    close(f"spline_filter1d along {axis}, reflected", mp.ndimage_spline_filter1d(x, 3, axis, mode_number("reflect")),
          reflected_splines(a, 3, axis % 3), 3)
close("spline_filter1d of order 1", mp.ndimage_spline_filter1d(x, 1, 0, 0), a, 0)
a = np.cos(np.arange(40.0) ** 2)  # fixed: the poles have all their digits, which the bounds above leave open
for order in (2, 3, 4, 5):
    error = np.abs(mp.ndimage_spline_filter1d(mp.array(a), order, 0, 0).numpy() - ndimage.spline_filter1d(a, order)).max()
    mp.ok(error < 1e-14, f"spline_filter1d of order {order} to the last digits: error {error:.1e}")

# --- transforms: any order, any mode ----------------------------------------------------------------------------------


def draw(ndim=None):
    dtype = str(rng.choice(["float32", "float64", "float64", "uint8", "complex128", "bool"]))
    order, mode = int(rng.integers(0, 6)), str(rng.choice(NAMES))
    a, x = filled(dtype, ndim)
    prefilter = bool(order < 2 or rng.random() < 0.8)
    cval = 1.0 if dtype == "bool" else 2.0
    return a, x, order, mode, prefilter, cval, f"{a.shape} {dtype} order {order} {mode}" + (" coefficients" * (not prefilter))


for _ in range(12 if mp.FULL else 6):
    a, x, order, mode, prefilter, cval, name = draw()
    by = [float(v) for v in rng.choice([0, 0.25, -1.5, 3.7, -80.1, 400.3], a.ndim)]
    if a.dtype == bool:
        continue  # SciPy drops fractions that are rounding errors
    as_scipy(f"shift {name} by {by}", mp.ndimage_shift(x, by, order, prefilter, made_options(mode, cval)),
             ndimage.shift, a, by, order=order, mode=mode, cval=cval, prefilter=prefilter)
for _ in range(14 if mp.FULL else 7):
    a, x, order, mode, prefilter, cval, name = draw()
    by, grid = [float(v) for v in rng.choice([0.5, 1, 1.3, 2.1, 0.3], a.ndim)], bool(rng.random() < 0.4)
    if a.dtype == bool:
        continue
    grid = grid and a.dtype.kind != "c"  # SciPy 1.10 forgets it for complex numbers
    as_scipy(f"zoom {name} by {by} {grid}", mp.ndimage_zoom(x, by, grid, order, prefilter, made_options(mode, cval)),
             ndimage.zoom, a, by, order=order, mode=mode, cval=cval, prefilter=prefilter, grid_mode=grid)
for _ in range(12 if mp.FULL else 6):
    a, x, order, mode, prefilter, cval, name = draw()
    if a.dtype == bool:
        continue
    matrix, offset = np.eye(a.ndim) + rng.standard_normal((a.ndim, a.ndim)) / 4, rng.standard_normal(a.ndim) * 3
    shape = [int(n) for n in rng.integers(1, 20, a.ndim)] if rng.random() < 0.5 else None
    as_scipy(f"affine_transform {name} to {shape}",
             mp.ndimage_affine_transform(x, list(matrix.ravel()), list(offset), shape, order, prefilter, made_options(mode, cval)),
             ndimage.affine_transform, a, matrix, offset, None if shape is None else tuple(shape), order=order, mode=mode,
             cval=cval, prefilter=prefilter)
for _ in range(12 if mp.FULL else 6):
    a, x, order, mode, prefilter, cval, name = draw()
    if a.dtype == bool:
        continue
    shape = (a.ndim, *[int(n) for n in rng.integers(1, 14, int(rng.integers(1, 4)))])
    where = (rng.random(shape) * 3 - 1) * np.array(a.shape).reshape([-1] + [1] * (len(shape) - 1))
    where = where.astype(str(rng.choice(["float64", "float32"])))
    as_scipy(f"map_coordinates {name} at {shape}",
             mp.ndimage_map_coordinates(x, mp.array(where, mp.random_layout(rng, shape)), order, prefilter, made_options(mode, cval)),
             ndimage.map_coordinates, a, where, order=order, mode=mode, cval=cval, prefilter=prefilter)
# not by 30 or 45 degrees, which put coordinates on borders, or between two elements: rounding decides to which side
for angle, axes, reshape in ((33.0, None, True), (90.0, (0, 1), True), (-270.0, (1, 0), True), (47.0, (0, 2), False), (181.5, (-1, 1), True)):
    a, x, order, mode, prefilter, cval, name = draw(3 if axes and 1 in axes and -1 in axes or axes == (0, 2) else 2)
    if a.dtype == bool:
        a, x = a.astype("f8"), mp.astype(x, "float64")
    if angle % 90 != 0:  # the centre of 14 x 14, between four elements, may become one: the nearest of them is none
        order = max(order, 1)
    as_scipy(f"rotate {name} by {angle} {axes}",
             mp.ndimage_rotate(x, angle, axes, reshape, order, prefilter, made_options(mode, cval)),
             ndimage.rotate, a, angle, axes or (1, 0), reshape, order=order, mode=mode, cval=cval, prefilter=prefilter)

# --- what is ours -----------------------------------------------------------------------------------------------------

colours = values(rng, (21, 17, 3), "float64")
x = mp.array(colours, mp.random_layout(rng, colours.shape))
each = np.stack([ndimage.shift(colours[..., c], (1.5, -2.25)) for c in range(3)], -1)
close("shift of each colour by itself", mp.ndimage_shift(x, [1.5, -2.25], 3, True, made_options("constant", axes=[0, 1])), each, 3)
given = mp.array(np.zeros((42, 34, 3), "f4"))
mp.ndimage_zoom(x, [2.0, 2.0, 1.0], False, 1, True, None, out=given)
close("zoom into a given array", given, ndimage.zoom(colours, (2, 2, 1), order=1).astype("f4"), 1)
mp.ok(mp.ndimage_shift(mp.array(np.zeros((0, 4))), [1.0, 1.0], 3, True, None).numpy().shape == (0, 4), "an empty input")

# --- refused ----------------------------------------------------------------------------------------------------------

mp.fails("MNP_ERR_ARG", "order is 6", mp.ndimage_shift, x, [1.0] * 3, 6, True, None)
mp.fails("MNP_ERR_ARG", "order is 1", mp.ndimage_spline_filter, x, 1, 0)
mp.fails("MNP_ERR_ARG", "zoom along axis 1 is -1", mp.ndimage_zoom, x, [1.0, -1.0, 1.0], False, 1, True, None)
mp.fails("MNP_ERR_ARG", "first of the 3 dimensions", mp.ndimage_map_coordinates, x, x, 1, True, None)
mp.fails("MNP_ERR_ARG", "axis 1 is given twice", mp.ndimage_rotate, x, 3.0, [1, 1], True, 1, True, None)
mp.done()
