# SPDX-License-Identifier: BSD-3-Clause
"""What scipy.ndimage makes of numbers, which have no axes, of complex values beyond the borders, and of complex parts."""

import maniple as mp
import numpy as np
import scipy.ndimage

from . import ok, raises, rng, same

LINEAR = {
    "correlate1d": [[1, 2, -1.5]], "convolve1d": [[1, 2, -1.5]], "correlate": [np.arange(6.0).reshape(2, 3)],
    "convolve": [np.arange(6.0).reshape(3, 2)], "uniform_filter": [3], "uniform_filter1d": [4], "gaussian_filter": [1.2],
    "gaussian_filter1d": [0.8], "prewitt": [], "sobel": [0], "laplace": [], "gaussian_laplace": [1.0],
    "map_coordinates": [np.linspace(-2, 9, 12).reshape(2, 6)], "affine_transform": [np.array([[0.7, 0.2], [-0.1, 1.1]])],
    "shift": [1.3], "zoom": [1.4], "rotate": [20],
}  # fmt: skip


def check_complex_borders():
    a = rng.standard_normal((7, 9)) + 1j * rng.standard_normal((7, 9))
    x = mp.asarray(a)
    for name, arguments in LINEAR.items():
        ours, theirs = getattr(mp.ndimage, name), getattr(scipy.ndimage, name)
        for cval in (2 - 3j, 1.5 + 0j):
            same(f"{name}, cval {cval}", ours(x, *arguments, mode="constant", cval=cval),
                 theirs(a, *arguments, mode="constant", cval=cval), 1e-11)
    into = mp.zeros(a.shape, "complex64")
    ok(mp.ndimage.sobel(x, mode="constant", cval=1j, output=into) is into, "a complex border, into an array")
    same("which has it", into, scipy.ndimage.sobel(a, mode="constant", cval=1j).astype("complex64"), 1e-6)
    raises(TypeError, "not complex", "a complex border of real numbers", lambda: mp.ndimage.laplace(x.real, cval=1j))
    labels = rng.integers(0, 3, a.shape)
    for name in ("sum_labels", "mean"):
        for index in (None, 1):  # SciPy has no lists of complex parts
            same(f"{name} of complex numbers, {index}", getattr(mp.ndimage, name)(x, labels, index),
                 getattr(scipy.ndimage, name)(a, labels, index), 1e-12)


def check_no_axes():
    """Of a number, and along no axis of an array, filters give what they are given."""
    two, yes = np.array(2.0), np.array(True)
    filters = {
        "minimum_filter": [((3,), {}), ((), {"footprint": yes})], "median_filter": [((3,), {})],
        "rank_filter": [((0, 3), {})], "percentile_filter": [((50,), {"footprint": yes})], "uniform_filter": [((), {})],
        "gaussian_filter": [((1.0,), {"order": 1}), ((1.0,), {"output": "float64"})], "laplace": [((), {})],
        "correlate": [((2.5,), {})], "convolve": [((2.5,), {"output": "float64"})], "gaussian_laplace": [((1.0,), {})],
        "gaussian_gradient_magnitude": [((1.0,), {})], "grey_erosion": [((3,), {}), ((), {"structure": two})],
        "grey_dilation": [((), {"structure": two})], "morphological_laplace": [((3,), {})], "white_tophat": [((3,), {})],
        "binary_erosion": [((), {}), ((yes,), {})], "binary_dilation": [((), {})], "binary_closing": [((), {})],
    }  # fmt: skip
    for name, calls in filters.items():
        for arguments, options in calls:
            number = np.array(3, "int32")
            got = getattr(mp.ndimage, name)(mp.asarray(number), *arguments, **options)
            want = getattr(scipy.ndimage, name)(number, *arguments, **options)
            ok(got.dtype == want.dtype, f"{name} of a number: {got.dtype}")
            same(f"{name} of a number", got, want)
    a = rng.standard_normal((4, 5))
    for name, arguments in {"gaussian_filter": (2.0,), "uniform_filter": (3,), "maximum_filter": (3,), "laplace": (),
                            "grey_opening": (3,), "shift": (1.5,), "zoom": (2,)}.items():
        same(f"{name} along no axis", getattr(mp.ndimage, name)(mp.asarray(a), *arguments, axes=()), a)
    for line in ([0, 0, 0, 1, 1], [[0, 1, 1], [1, 1, 1]]):
        same("binary_hit_or_miss, by default", mp.ndimage.binary_hit_or_miss(mp.asarray(line)),
             scipy.ndimage.binary_hit_or_miss(np.array(line)))
