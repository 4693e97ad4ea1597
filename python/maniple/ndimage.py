# SPDX-License-Identifier: BSD-3-Clause
"""scipy.ndimage, over any number of ranks, with its names, arguments and defaults.

`output` is a dtype or an array.  Footprints, structures and weights are NumPy's arrays or lists, which every rank has.
What labels measure is NumPy's, as in SciPy: numbers, lists of positions, slices.
"""

import ctypes

import numpy as np

from . import _array
from ._array import as_array, dtype_number, made, ndarray
from ._library import call, constant, struct, vector
from ._names import finished, names
from . import _spectra_and_labels
from ._spectra_and_labels import *  # noqa: F403

__all__ = """affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss
    binary_opening binary_propagation center_of_mass convolve convolve1d correlate correlate1d
    distance_transform_bf distance_transform_cdt distance_transform_edt extrema find_objects gaussian_filter
    gaussian_filter1d gaussian_gradient_magnitude gaussian_laplace generate_binary_structure label laplace
    map_coordinates maximum_filter1d minimum_filter1d percentile_filter prewitt rank_filter rotate shift sobel
    spline_filter spline_filter1d uniform_filter uniform_filter1d zoom""".split()

_MODES = {"reflect": "REFLECT", "grid-mirror": "REFLECT", "mirror": "MIRROR", "nearest": "NEAREST", "wrap": "WRAP",
          "grid-wrap": "WRAP", "constant": "CONSTANT", "grid-constant": "CONSTANT"}


def _mode(name):
    try:
        return constant("NDIMAGE_" + _MODES[name])
    except KeyError:
        raise ValueError(f"{name!r} is none of the modes {', '.join(_MODES)}") from None


def _axes(input, axes):
    if axes is None:
        return list(range(input.ndim))
    return [axes] if isinstance(axes, int) else list(axes)


def _each(value, count):
    """One value for each axis."""
    listed = [value] * count if np.ndim(value) == 0 else list(value)
    if len(listed) != count:
        raise RuntimeError(f"there are {len(listed)} values for {count} axes")
    return listed


def _dtype_of(output):
    """The dtype that output= asks for; an array of Maniple says by itself which one it has."""
    return None if isinstance(output, ndarray) else output.dtype if isinstance(output, np.ndarray) else output


def into(name, *arguments, out=None):
    """Call a function with an output that may be given: an array of Maniple, or one of NumPy, which every rank has."""
    if not isinstance(out, np.ndarray):
        return _array.into(name, *arguments, out=out)
    out[...] = made(name, *arguments).numpy()
    return out


def _options(axes, output, mode, cval, origin=0):
    """mnp_ndimage_options."""
    count = len(axes)
    listed = [vector("int", [_mode(m) for m in _each(mode, count)]), vector("int", axes, "axes"),
              vector("int64_t", _each(origin, count), "origin")]
    modes, chosen, origins = (ctypes.addressof(values) for values in listed)
    options = struct("ndimage_options")(dtype_number(_dtype_of(output)), 0, modes, float(cval), count, chosen, origins)
    options._keep = listed
    return options


def _out(output):
    return output if isinstance(output, (ndarray, np.ndarray)) else None


def _bools(array):
    return None if array is None else vector("_Bool", [bool(v) for v in np.asarray(array).ravel()])


def _doubles(array):
    if np.iscomplexobj(array):
        raise TypeError("what is given is complex, and has to be real here")
    return None if array is None else vector("double", [float(v) for v in np.asarray(array).ravel()])


def _shape(array):
    return None if array is None else vector("int64_t", np.shape(array))


def _window(axes, size, *arrays):
    """The extents of a window: those of the first array that is given, or the size."""
    for array in arrays:
        if array is not None:
            others = {np.shape(other) for other in arrays if other is not None}
            if np.ndim(array) != len(axes) or len(others) > 1:
                raise RuntimeError(f"a window of shape {' or '.join(map(str, others))} for {len(axes)} axes")
            return vector("int64_t", np.shape(array))
    if size is None:
        raise RuntimeError("no footprint or filter size provided")
    return vector("int64_t", _each(size, len(axes)), "size")


# --- filters of order -------------------------------------------------------------------------------------------------


def _ordered(name, input, first, size, footprint, output, mode, cval, origin, axes):
    input = as_array(input)
    axes = _axes(input, axes)
    return into("ndimage_" + name, input, *first, _window(axes, size, footprint), _bools(footprint),
                _options(axes, output, mode, cval, origin), out=_out(output))


def _order(name):
    def function(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
        return _ordered(name, input, (), size, footprint, output, mode, cval, origin, axes)

    function.__name__ = function.__qualname__ = name
    __all__.append(name)
    return function


minimum_filter = _order("minimum_filter")
maximum_filter = _order("maximum_filter")
median_filter = _order("median_filter")


def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _ordered("rank_filter", input, (int(rank),), size, footprint, output, mode, cval, origin, axes)


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                      axes=None):
    return _ordered("percentile_filter", input, (float(percentile),), size, footprint, output, mode, cval, origin, axes)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return minimum_filter(input, size, None, output, mode, cval, origin, axes=[axis])


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return maximum_filter(input, size, None, output, mode, cval, origin, axes=[axis])


# --- linear filters ---------------------------------------------------------------------------------------------------


def _by_parts(filtered, input, weights, output):
    """What a filter of an image and real weights gives for complex weights, whose parts it is given in turn.  Integers
    become numbers that their parts, which have fractions, are not cut to."""
    input = as_array(input)
    if output is None:
        output = np.promote_types(input.dtype, "complex64")
    dtype = np.dtype(output if _out(output) is None else output.dtype)
    if dtype.kind != "c":
        raise RuntimeError(f"output is {dtype}, and has to be complex for complex weights")
    x = input if input.dtype.kind in "fc" else input.astype(float)
    return _spectra_and_labels._given(filtered(x, weights.real) + 1j * filtered(x, weights.imag), output)


def _along(name, input, weights, axis, output, mode, cval, origin):
    weights = np.asarray(weights)
    if weights.dtype.kind == "c":  # those of correlations are conjugated, as NumPy has it
        weights = weights.conj() if name == "correlate1d" else weights
        return _by_parts(lambda x, part: _along(name, x, part, axis, None, mode, cval, origin), input, weights, output)
    return into("ndimage_" + name, as_array(input), len(weights), _doubles(weights), axis,
                _options([axis], output, mode, cval, origin), out=_out(output))


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return _along("correlate1d", input, weights, axis, output, mode, cval, origin)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return _along("convolve1d", input, weights, axis, output, mode, cval, origin)


def _weighted(name, input, weights, output, mode, cval, origin, axes):
    input, weights = as_array(input), np.asarray(weights)
    axes = _axes(input, axes)
    if weights.ndim != len(axes):
        raise RuntimeError(f"the weights have {weights.ndim} dimensions for {len(axes)} axes")
    if weights.dtype.kind == "c":
        weights = weights.conj() if name == "correlate" else weights

        def filtered(x, part):
            return _weighted(name, x, part, None, mode, cval, origin, axes)

        return _by_parts(filtered, input, weights, output)
    return into("ndimage_" + name, input, _shape(weights), _doubles(weights),
                _options(axes, output, mode, cval, origin), out=_out(output))


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _weighted("correlate", input, weights, output, mode, cval, origin, axes)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _weighted("convolve", input, weights, output, mode, cval, origin, axes)


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    return into("ndimage_uniform_filter", input, _window(axes, size), _options(axes, output, mode, cval, origin),
                out=_out(output))


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return uniform_filter(input, size, output, mode, cval, origin, axes=[axis])


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None,
                    axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    return into("ndimage_gaussian_filter", input, _doubles(_each(sigma, len(axes))),
                vector("int", _each(order, len(axes)), "order"), float(truncate),
                None if radius is None else vector("int64_t", _each(radius, len(axes)), "radius"),
                _options(axes, output, mode, cval), out=_out(output))


def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                      radius=None):
    return gaussian_filter(input, sigma, order, output, mode, cval, truncate, radius=radius, axes=[axis])


def _derivative(name, input, axis, output, mode, cval):
    input = as_array(input)
    return into("ndimage_" + name, input, axis, _options(_axes(input, None), output, mode, cval), out=_out(output))


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _derivative("prewitt", input, axis, output, mode, cval)


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _derivative("sobel", input, axis, output, mode, cval)


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    input = as_array(input)
    return into("ndimage_laplace", input, _options(_axes(input, axes), output, mode, cval), out=_out(output))


def _of_gaussians(name, input, sigma, output, mode, cval, axes, truncate=4.0, radius=None):
    input = as_array(input)
    axes = _axes(input, axes)
    return into("ndimage_" + name, input, _doubles(_each(sigma, len(axes))), float(truncate),
                None if radius is None else vector("int64_t", _each(radius, len(axes)), "radius"),
                _options(axes, output, mode, cval), out=_out(output))


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **more):
    return _of_gaussians("gaussian_laplace", input, sigma, output, mode, cval, axes, **more)


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **more):
    return _of_gaussians("gaussian_gradient_magnitude", input, sigma, output, mode, cval, axes, **more)


# --- morphology -------------------------------------------------------------------------------------------------------


def _grey(name):
    def function(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None):
        input = as_array(input)
        axes = _axes(input, axes)
        return into("ndimage_" + name, input, _window(axes, size, structure, footprint), _bools(footprint),
                    _doubles(structure), _options(axes, output, mode, cval, origin), out=_out(output))

    function.__name__ = function.__qualname__ = name
    __all__.append(name)
    return function


for _name in ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
              "morphological_laplace", "white_tophat", "black_tophat"):
    globals()[_name] = _grey(_name)


def generate_binary_structure(rank, connectivity):
    """The structure whose elements touch the middle, as NumPy's array of bools.  Not collective."""
    made_here = (ctypes.c_bool * 3 ** rank)()
    call("ndimage_generate_binary_structure", rank, connectivity, made_here)
    return np.array(made_here, bool).reshape((3,) * rank)


def _origins(input, origin):
    return vector("int64_t", _each(origin, input.ndim), "origin")


def _check_structures(input, *structures):
    for structure in structures:
        if structure is not None and np.ndim(structure) != input.ndim:
            raise RuntimeError(f"a structure of {np.ndim(structure)} dimensions for an input of {input.ndim}")


def _binary(name, input, structure, iterations, mask, output, border_value, origin):
    input = as_array(input)
    _check_structures(input, structure)
    return into("ndimage_" + name, input, _shape(structure), _bools(structure), int(iterations),
                None if mask is None else as_array(mask), bool(border_value), _origins(input, origin),
                out=_out(output))


def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                   brute_force=False):
    return _binary("binary_erosion", input, structure, iterations, mask, output, border_value, origin)


def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                    brute_force=False):
    return _binary("binary_dilation", input, structure, iterations, mask, output, border_value, origin)


def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False):
    return _binary("binary_opening", input, structure, iterations, mask, output, border_value, origin)


def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False):
    return _binary("binary_closing", input, structure, iterations, mask, output, border_value, origin)


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0):
    return _binary("binary_dilation", input, structure, -1, mask, output, border_value, origin)


def binary_fill_holes(input, structure=None, output=None, origin=0):
    input = as_array(input)
    _check_structures(input, structure)
    return into("ndimage_binary_fill_holes", input, _shape(structure), _bools(structure), _origins(input, origin),
                out=_out(output))


def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None):
    input = as_array(input)
    _check_structures(input, structure1, structure2)
    if structure1 is not None and not (~np.asarray(structure1, bool) if structure2 is None else np.asarray(structure2)).any():
        return binary_erosion(input, structure1, output=output, origin=origin1)  # nothing has to be missed
    return into("ndimage_binary_hit_or_miss", input, _shape(structure1), _bools(structure1), _shape(structure2),
                _bools(structure2), _origins(input, origin1),
                None if origin2 is None else _origins(input, origin2), out=_out(output))


# --- interpolation ----------------------------------------------------------------------------------------------------

_INTERPOLATION = {**_MODES, "grid-wrap": "GRID_WRAP", "grid-constant": "GRID_CONSTANT"}


def _interpolation_mode(name):
    try:
        return constant("NDIMAGE_" + _INTERPOLATION[name])
    except KeyError:
        raise ValueError(f"{name!r} is none of the modes {', '.join(_INTERPOLATION)}") from None


def _interpolating(output, mode, cval, axes=()):
    """mnp_ndimage_options of one mode, along all dimensions or along the axes."""
    options = struct("ndimage_options")()
    options._keep = listed = vector("int", axes, "axes")
    options.dtype = dtype_number(_dtype_of(output))
    options.mode, options.cval = _interpolation_mode(mode), float(cval)
    options.naxes, options.axes = len(axes), ctypes.addressof(listed)
    return options


def _splined(filtered, output):
    """A spline's coefficients, which come as floats, as output= wants them; SciPy's default is float64."""
    return filtered if output is None else _spectra_and_labels._given(filtered, output)


def spline_filter1d(input, order=3, axis=-1, output=None, mode="mirror"):
    return _splined(made("ndimage_spline_filter1d", as_array(input), order, axis, _interpolation_mode(mode)), output)


def spline_filter(input, order=3, output=None, mode="mirror"):
    return _splined(made("ndimage_spline_filter", as_array(input), order, _interpolation_mode(mode)), output)


def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    return into("ndimage_map_coordinates", as_array(input), as_array(coordinates), order, prefilter,
                _interpolating(output, mode, cval), out=_out(output))


def affine_transform(input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode="constant", cval=0.0,
                     prefilter=True):
    input, matrix = as_array(input), np.asarray(matrix, dtype=float)
    n = input.ndim
    if matrix.ndim == 1:
        matrix = np.diag(matrix)
    if matrix.shape in ((n, n + 1), (n + 1, n + 1)):
        if len(matrix) > n and list(matrix[n]) != [0] * n + [1]:
            raise ValueError(f"the last row of a homogeneous matrix is {matrix[n]}, and should be 0 ... 0 1")
        matrix, offset = matrix[:n, :n], matrix[:n, n]
    if matrix.shape != (n, n):
        raise RuntimeError(f"the matrix has shape {matrix.shape} for an input of {n} dimensions")
    if output_shape is None and _out(output) is not None:
        output_shape = output.shape
    if output_shape is not None and len(output_shape) != n:
        raise RuntimeError(f"the output shape has {len(output_shape)} dimensions for an input of {n}")
    return into("ndimage_affine_transform", input, _doubles(matrix), _doubles(_each(offset, n)),
                None if output_shape is None else vector("int64_t", output_shape, "output_shape"), order, prefilter,
                _interpolating(output, mode, cval), out=_out(output))


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    return into("ndimage_shift", input, _doubles(_each(shift, len(axes))), order, prefilter,
                _interpolating(output, mode, cval, axes), out=_out(output))


def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False, axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    return into("ndimage_zoom", input, _doubles(_each(zoom, len(axes))), grid_mode, order, prefilter,
                _interpolating(output, mode, cval, axes), out=_out(output))


def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    if len(axes) != 2:
        raise ValueError(f"rotate: there are {len(axes)} axes; it should be 2")
    axes = vector("int", axes, "axes")
    return into("ndimage_rotate", as_array(input), float(angle), axes, reshape, order, prefilter,
                _interpolating(output, mode, cval), out=_out(output))


# --- distances --------------------------------------------------------------------------------------------------------


def _distances(name, input, arguments, wanted, given):
    """The results that are wanted and not given, of distances and indices."""
    if not any(wanted):
        raise RuntimeError("at least one of return_distances and return_indices must be true")
    cells = [ctypes.c_void_p(None if array is None else array._handle) for array in given]
    call("ndimage_distance_transform_" + name, as_array(input), *arguments,
         *[ctypes.byref(cell) if is_wanted else None for cell, is_wanted in zip(cells, wanted)])
    results = [ndarray._adopt(cell.value) for cell, is_wanted, array in zip(cells, wanted, given)
               if is_wanted and array is None]
    return None if not results else results[0] if len(results) == 1 else tuple(results)


def _sampling(input, sampling):
    return None if sampling is None else _doubles(_each(sampling, np.ndim(input)))


def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False, distances=None,
                           indices=None):
    return _distances("edt", input, (_sampling(input, sampling),), (return_distances, return_indices),
                      (distances, indices))


def distance_transform_cdt(input, metric="chessboard", return_distances=True, return_indices=False, distances=None,
                           indices=None):
    return _distances("cdt", input, (metric,), (return_distances, return_indices), (distances, indices))


def distance_transform_bf(input, metric="euclidean", sampling=None, return_distances=True, return_indices=False,
                          distances=None, indices=None):
    return _distances("bf", input, (metric.lower(), _sampling(input, sampling)), (return_distances, return_indices),
                      (distances, indices))


# --- labels -----------------------------------------------------------------------------------------------------------


def label(input, structure=None, output=None):
    """The labels of connected elements that are not 0, and how many there are.  Collective."""
    input = as_array(input)
    if structure is not None and np.shape(structure) != (3,) * input.ndim:
        raise ValueError(f"a structure of shape {np.shape(structure)}, and not {(3,) * input.ndim}")
    cell, count = ctypes.c_void_p(output._handle if isinstance(output, ndarray) else None), ctypes.c_int64()
    call("ndimage_label", as_array(input), _bools(structure), ctypes.byref(cell), ctypes.byref(count))
    labels = output if isinstance(output, ndarray) else ndarray._adopt(cell.value)
    if output is not None and not isinstance(output, ndarray):
        labels = labels.astype(output)
    return labels, count.value


def find_objects(input, max_label=0):
    """A list of tuples of slices, or None where there is no such label.  Collective."""
    input = as_array(input)
    count = max_label or (int(input.max()) if input.size else 0)
    boxes = made("ndimage_find_objects", input, count).numpy()
    first, end = boxes[..., 0].tolist(), boxes[..., 1].tolist()
    return [None if lo[0] < 0 else tuple(map(slice, lo, hi)) for lo, hi in zip(first, end)]


def _measured(input, labels, index):
    """An array and its labels, of one shape, and NumPy's array of those that are measured; None: one part, a number."""
    input = as_array(input)
    if labels is None:
        return input, None, None
    labels = as_array(labels)
    if labels.shape != input.shape:
        input, labels = (names.copy(x) for x in names.broadcast_arrays(input, labels))
    return input, labels, None if index is None else np.asarray(index)


def _measure(name, input, labels, index):
    """The measurements of all labels of an index, in its shape; what a measurement is of is in front."""
    input, labels, index = _measured(input, labels, index)
    if index is not None and index.size == 0:
        found = _measure(name, input, labels, [0])  # for its dtype
        return found[:0].reshape(index.shape + found.shape[1:])
    listed = [] if index is None else [int(i) for i in index.ravel()]
    out = made("ndimage_" + name, input, labels, len(listed),
               vector("int64_t", listed, "index") if listed else None).numpy()
    return out[0] if index is None else out.reshape(index.shape + out.shape[1:])[()]


def _measurement(name):
    def function(input, labels=None, index=None):
        return _measure(name, input, labels, index)

    function.__name__ = function.__qualname__ = name
    __all__.append(name)
    return function


for _name in ("mean", "variance", "standard_deviation", "minimum", "maximum"):
    globals()[_name] = _measurement(_name)


def sum_labels(input, labels=None, index=None):
    """scipy.ndimage.sum_labels: of one part, integers are summed as integers, exactly; otherwise in float64.  Waits.
    Collective."""
    input, labels, index = _measured(input, labels, index)
    if input.dtype.kind not in "iub" or (index is not None and index.ndim > 0):
        return _measure("sum_labels", input, labels, index)
    where = True if labels is None else labels > 0 if index is None else labels == int(index)
    return names.sum(input, where=where).numpy()[()]


def sum(input, labels=None, index=None):  # noqa: A001: SciPy's name
    return sum_labels(input, labels, index)


def _positions(name, input, labels, index):
    found = _measure(name, input, labels, index)
    return tuple(found.tolist()) if found.ndim == 1 else [tuple(row) for row in found.reshape(-1, found.shape[-1]).tolist()]


def minimum_position(input, labels=None, index=None):
    return _positions("minimum_position", input, labels, index)


def maximum_position(input, labels=None, index=None):
    return _positions("maximum_position", input, labels, index)


def center_of_mass(input, labels=None, index=None):
    return _positions("center_of_mass", input, labels, index)


def extrema(input, labels=None, index=None):
    """The minima, the maxima, and where both are, by label.  Collective."""
    return (_measure("minimum", input, labels, index), _measure("maximum", input, labels, index),
            minimum_position(input, labels, index), maximum_position(input, labels, index))


__all__ = sorted(__all__ + _spectra_and_labels.__all__ + ["minimum_position", "maximum_position", "sum", "sum_labels"])
__dir__ = finished(globals(), "scipy.ndimage", alone=["generate_binary_structure", "iterate_structure"])
