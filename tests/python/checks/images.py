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


def _extent(values, more=0.0):
    return float(values.max() - values.min() + more)


def _smooth(line, out, more=0.0):
    size = len(line) - len(out)
    out[...] = [line[i : i + size + 1].mean() + more for i in range(len(out))]


def check_filters_by_functions():
    """On blocks of any sizes, with ranks that have none."""
    for shape, dtype, layout in (((9, 11), "float64", "0, *"), ((7, 6), "int16", "*, 0"), ((5, 4, 6), "float32", "*, 0, *"),
                                 ((23,), "uint8", "0"), ((2, 9), "float64", "0, *"), ((0, 4), "float64", "0, *")):
        a = (rng.standard_normal(shape) * 30 + 60).astype(dtype)
        x, sizes = mp.asarray(a, layout=layout), rng.integers(1, 4, len(shape)).tolist()
        footprint = rng.random([n + 1 for n in sizes]) < 0.7
        footprint.flat[0] = True
        for mode in ("reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap"):
            name = f"{shape} of {dtype}, {mode}"
            origin = [int(rng.integers(-(n // 2), n - n // 2)) for n in sizes]
            same(f"generic_filter of {name}", mp.ndimage.generic_filter(x, _extent, sizes, None, None, mode, 2.5, origin),
                 scipy.ndimage.generic_filter(a, _extent, sizes, None, None, mode, 2.5, origin), 1e-12)
            words = {"footprint": footprint, "mode": mode, "output": np.float64, "extra_keywords": {"more": 1.5}}
            same(f"with a footprint, of {name}", mp.ndimage.generic_filter(x, _extent, **words),
                 scipy.ndimage.generic_filter(a, _extent, **words), 1e-12)
            for axis in range(len(shape)):
                arguments = axis, None, mode, 2.5, -1, (0.25,)
                same(f"generic_filter1d of {name}, axis {axis}", mp.ndimage.generic_filter1d(x, _smooth, 3, *arguments),
                     scipy.ndimage.generic_filter1d(a, _smooth, 3, *arguments), 1e-12)
    a = rng.standard_normal((8, 7))
    x = mp.asarray(a, layout="0, *")
    same("generic_filter along an axis", mp.ndimage.generic_filter(x, _extent, 3, axes=0),
         scipy.ndimage.generic_filter(a, _extent, (3, 1)), 1e-12)
    same("generic_filter of a number", mp.ndimage.generic_filter(np.float64(3.0), np.sum, 3),
         scipy.ndimage.generic_filter(np.float64(3.0), np.sum, 3))
    same("generic_filter along no axis", mp.ndimage.generic_filter(x, np.sum, 3, axes=()), a)
    into = mp.zeros(a.shape, "float32")
    ok(mp.ndimage.generic_filter(x, _extent, 3, output=into) is into, "generic_filter into an array")
    same("which has it", into, scipy.ndimage.generic_filter(a, _extent, 3, output="float32"), 1e-6)
    whole = mp.asarray(a, layout="*, *")
    same("generic_filter of what all ranks have", mp.ndimage.generic_filter(whole, _extent, 2),
         scipy.ndimage.generic_filter(a, _extent, 2), 1e-12)

    def fails_at_the_end(values):
        if values[4] == a[-1, -1]:
            raise KeyError("the last one")
        return 0.0

    raises(LookupError, "", "a function that fails on one rank", lambda: mp.ndimage.generic_filter(x, fails_at_the_end, 3))
    raises(RuntimeError, "size", "no window", lambda: mp.ndimage.generic_filter(x, _extent))
    raises(ValueError, "origin", "a window beside its element", lambda: mp.ndimage.generic_filter(x, _extent, 3, origin=2))
    raises(RuntimeError, "2 axes", "a window of too few dimensions",
           lambda: mp.ndimage.generic_filter(x, _extent, footprint=[1, 1]))
    raises(TypeError, "complex", "a complex image", lambda: mp.ndimage.generic_filter(x * 1j, _extent, 3))
    raises(ValueError, "modes", "another mode", lambda: mp.ndimage.generic_filter1d(x, _smooth, 3, mode="none"))
    raises(RuntimeError, "filter size", "no elements", lambda: mp.ndimage.generic_filter1d(x, _smooth, 0))


def _windows(a, shape, mode, origin=0, cval=None):
    """NumPy's windows of an array that goes on beyond its borders."""
    if mode != "valid":
        names = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}
        margins = [(n // 2 + o, (n - 1) // 2 - o) for n, o in zip(shape, np.broadcast_to(origin, len(shape)))]
        a = np.pad(a, margins, names[mode], **({"constant_values": cval or 0} if mode == "constant" else {}))
    return np.lib.stride_tricks.sliding_window_view(a, shape)


def check_vectorized_filters():
    """Functions of all windows, at once and in batches, of any dtype; in SciPy they are since 1.16."""
    filtered = mp.ndimage.vectorized_filter
    for shape, dtype, layout in (((9, 11), "float64", "0, *"), ((7, 6), "int16", "*, 0"), ((5, 4, 6), "float32", "*, 0, *"),
                                 ((23,), "complex128", "0"), ((2, 9), "float16", "0, *")):
        a = (rng.standard_normal(shape) * 30 + 60).astype(dtype)
        x, sizes, last = mp.asarray(a, layout=layout), rng.integers(1, 3, len(shape)).tolist(), tuple(range(-len(shape), 0))
        mask = rng.random(sizes) < 0.7
        mask.flat[0] = True
        for mode in ("reflect", "mirror", "nearest", "wrap", "constant", "valid"):
            words, given = {"mode": mode}, (mode, 0)
            if mode != "valid":
                given = mode, [int(rng.integers(-(n // 2), (n + 1) // 2)) for n in sizes]
                words["origin"] = given[1]
            if mode == "constant":
                words["cval"] = 3
            windows, name = _windows(a, sizes, *given, words.get("cval")), f"vectorized_filter of {shape} of {dtype}, {mode}"
            for memory in (2**30, 100):
                same(f"{name}, {memory} bytes", filtered(x, mp.max, size=sizes, batch_memory=memory, **words),
                     windows.max(last))
                same(f"{name}, a footprint, {memory} bytes", filtered(x, np.max, footprint=mask, batch_memory=memory, **words),
                     windows[..., mask].max(-1))
    a = rng.standard_normal((8, 7))
    x = mp.asarray(a, layout="0, *")
    a[2, 3] = np.nan
    same("vectorized_filter with NumPy's function", filtered(mp.asarray(a), np.nanmedian, size=4),
         np.nanmedian(_windows(a, (4, 4), "reflect"), (-2, -1)), 1e-12)
    want = np.quantile(_windows(x.numpy(), (3, 2), "reflect"), [0.2, 0.7], (-2, -1))
    several = filtered(x, lambda v, axis: mp.quantile(v, [0.2, 0.7], axis=axis), size=(3, 2), batch_memory=np.inf)
    same("vectorized_filter with several results", several, want, 1e-12)
    want = np.stack([_windows(line, (3,), "reflect").sum(-1) for line in x.numpy().T], 1)
    got = filtered(x, mp.sum, size=3, axes=0)
    same("vectorized_filter along an axis", got, want, 1e-12)
    ok(got.layout == x.layout, "the layout of a filtered image")
    into = mp.zeros(x.shape, "float32")
    ok(filtered(x, mp.sum, size=3, axes=(0,), output=into) is into, "vectorized_filter into an array")
    same("which has it", into, want.astype("float32"), 1e-6)
    same("vectorized_filter of nothing", filtered(x[:0], mp.sum, size=3), a[:0])
    same("vectorized_filter of a number", filtered(np.float64(3), mp.sum, size=()), np.float64(3))
    raises(ValueError, "batch_memory", "several results, in batches",
           lambda: filtered(x, lambda v, axis: mp.quantile(v, [0.2, 0.7], axis=axis), size=3, batch_memory=10))
    for shape in ((8, 7), (0, 7)):
        for words in ({"size": 0}, {"size": (2, -1)}, {"size": 2.0}, {"size": 2, "batch_memory": 0}):
            raises(ValueError, "above 0", f"{words} for {shape}", lambda: filtered(mp.ones(shape), mp.sum, **words))  # noqa: B023
    raises(ValueError, "either", "no window", lambda: filtered(x, mp.sum))
    raises(ValueError, "cval for", "cval in another mode", lambda: filtered(x, mp.sum, size=3, cval=1))
    raises(ValueError, "modes", "another mode", lambda: filtered(x, mp.sum, size=3, mode="none"))
    raises(KeyError, "", "a function that fails", lambda: filtered(x, lambda v, axis: {}[axis], size=3))


def _turned(place, angle, shift=0.0):
    i, j = place
    return i * np.cos(angle) - j * np.sin(angle) + shift, i * np.sin(angle) + j * np.cos(angle)


def check_geometric_transforms():
    a = rng.standard_normal((12, 9))
    for dtype in ("float64", "float32", "complex128", "int32"):
        v = (a * 40).astype(dtype) + (1j * a if dtype == "complex128" else 0)
        for layout in ("0, *", "*, 0"):
            for words in ({"order": 1}, {"mode": "nearest"}, {"output_shape": (5, 14), "order": 2}, {"cval": 1.5}):
                given = {**words, "extra_arguments": (0.3,), "extra_keywords": {"shift": 2.0}}
                same(f"geometric_transform of {dtype}, {layout}, {words}",
                     mp.ndimage.geometric_transform(mp.asarray(v, layout=layout), _turned, **given),
                     scipy.ndimage.geometric_transform(v, _turned, **given), 0 if dtype == "int32" else 1e-5)
    same("geometric_transform to another number of dimensions",
         mp.ndimage.geometric_transform(a, lambda p: (p[0], 3), (12,)),
         scipy.ndimage.geometric_transform(a, lambda p: (p[0], 3), (12,)), 1e-12)
    raises(LookupError, "", "a mapping that fails on one rank",
           lambda: mp.ndimage.geometric_transform(a, lambda p: (p[0] + {0: 0}[p[0] // 11], p[1])))


def check_ellipsoids():
    for shape, size, n in (((9,), 3.0, -1), ((8,), 3.0, 14), ((8, 7), (2.0, 5.0), -1), ((8, 7), 2.0, 12),
                           ((5, 6, 7), (2.0, 3, 4), -1), ((0, 3), 2.0, -1)):
        for dtype in ("float64", "float32", "complex128", "int32"):
            a = (rng.standard_normal(shape) * 9).astype(dtype)
            same(f"fourier_ellipsoid of {shape}, {dtype}", mp.ndimage.fourier_ellipsoid(mp.asarray(a), size, n),
                 scipy.ndimage.fourier_ellipsoid(a, size, n), 1e-6 if dtype == "float32" else 1e-12)
    raises(NotImplementedError, "4 dimensions", "an ellipsoid of 4 dimensions",
           lambda: mp.ndimage.fourier_ellipsoid(np.ones((2, 2, 2, 2)), 1.0))


def check_structures_along_axes():
    """What axes= of binary morphology gives is that of each part along the other axes alone."""
    a, ring = rng.random((4, 9, 8)) < 0.6, np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    functions = {
        "binary_erosion": {"structure": ring, "border_value": 1}, "binary_dilation": {"iterations": 2}, "binary_opening": {},
        "binary_closing": {"structure": ring}, "binary_propagation": {}, "binary_fill_holes": {},
        "binary_hit_or_miss": {"structure1": ring, "origin1": (0, 1)},
    }  # fmt: skip
    for name, words in functions.items():
        for axes in ((1, 2), (-2, 0), (2, 0)):
            other = ({0, 1, 2} - {axis % 3 for axis in axes}).pop()
            parts = [np.take(a, i, other) for i in range(a.shape[other])]
            swapped = axes[0] % 3 > axes[1] % 3
            want = np.stack([getattr(scipy.ndimage, name)(part.T if swapped else part, **words) for part in parts])
            want = np.moveaxis(want.swapaxes(1, 2) if swapped else want, 0, other)
            same(f"{name} along {axes}", getattr(mp.ndimage, name)(mp.asarray(a), axes=axes, **words), want)
    raises(RuntimeError, "axes", "a structure for other axes", lambda: mp.ndimage.binary_erosion(a, ring, axes=0))
    same("generic_laplace along an axis", mp.ndimage.generic_laplace(a * 1.0, mp.ndimage.sobel, axes=(1,)),
         scipy.ndimage.sobel(a * 1.0, 1), 1e-12)


def _second(module, image, axis, output, mode, cval):
    return module.correlate1d(image, [1, -2, 1], axis, output, mode, cval)


def check_dtypes_of_outputs():
    """Derivatives are computed in the dtype of the result, and complex results are not cut to real ones."""
    a = rng.integers(0, 200, (6, 5)).astype("uint8")
    x, ours, theirs = mp.asarray(a), mp.ndimage, scipy.ndimage
    for output in ("float64", "float32", "int16"):
        same(f"generic_laplace of uint8 into {output}",
             ours.generic_laplace(x, lambda *given: _second(ours, *given), output=output),
             theirs.generic_laplace(a, lambda *given: _second(theirs, *given), output=output), 1e-6)
        same(f"generic_gradient_magnitude of uint8 into {output}",
             ours.generic_gradient_magnitude(x // 20, ours.prewitt, output=output),
             theirs.generic_gradient_magnitude(a // 20, theirs.prewitt, output=output), 1e-6)
    for name in ("fourier_gaussian", "fourier_uniform", "fourier_shift", "fourier_ellipsoid"):
        raises(RuntimeError, "has to be complex", f"{name} of complex numbers into reals",
               lambda: getattr(ours, name)(x * 1j, 1.0, output="float32"))  # noqa: B023


def check_watersheds():
    a, markers = rng.integers(0, 9, (13, 8)).astype("uint8"), np.zeros((13, 8), int)
    markers.flat[[3, 40, 77, 99]] = 1, 2, 3, -1
    for structure in (None, np.ones((3, 3))):
        same("watershed_ift", mp.ndimage.watershed_ift(mp.asarray(a, layout="*, 0"), markers, structure),
             scipy.ndimage.watershed_ift(a, markers, structure))
    into = mp.zeros(a.shape, "int16")
    ok(mp.ndimage.watershed_ift(a, markers, output=into) is into, "watershed_ift into an array")
    same("which has it", into, scipy.ndimage.watershed_ift(a, markers, output=np.zeros(a.shape, "int16")))
    raises(ValueError, "structure", "a structure of another shape", lambda: mp.ndimage.watershed_ift(a, markers, [1, 1, 1]))


def check_labels_of_nothing():
    zeros, empty = np.zeros((2, 3), int), np.zeros((0, 3), int)
    for a in (zeros, empty):
        x, what = mp.asarray(a * 1.0), f"of shape {a.shape}, without labels"

        def summed(values, places):
            return float((values + places).sum())

        same(f"labeled_comprehension {what}",
             mp.ndimage.labeled_comprehension(x, a, None, summed, float, -1.0, True),
             scipy.ndimage.labeled_comprehension(a * 1.0, a, None, summed, float, -1.0, True))
        same(f"histogram {what}", mp.ndimage.histogram(x, 0, 1, 3, a), scipy.ndimage.histogram(a * 1.0, 0, 1, 3, a))
        ok(np.isnan(mp.ndimage.median(x, a)) and np.isnan(mp.ndimage.median(x, a, 1)), f"median {what}")
    ok(np.isnan(mp.ndimage.median(mp.asarray(empty), empty, [1, 2])).all(), "medians of labels of nothing")
    for a in (zeros - 1, zeros + 2):
        for most in (0, -3):
            ok(mp.ndimage.find_objects(mp.asarray(a), most) == scipy.ndimage.find_objects(a, most),
               f"find_objects of {a[0, 0]}, max_label {most}")
    raises(ValueError, "no labels", "an index of no labels",
           lambda: mp.ndimage.labeled_comprehension(zeros, None, [1], np.sum, float, 0))
