# SPDX-License-Identifier: BSD-3-Clause
"""scipy.ndimage, over any number of ranks, with its names, arguments and defaults.

`output` is a dtype or an array.  Footprints, structures and weights are NumPy's arrays or lists, which every rank has.
"""

import ctypes
import functools
import inspect

import numpy as np

from . import _array
from ._array import as_array, made, ndarray
from ._dtypes import dtype_number
from ._library import call, constant, struct, vector
from ._names import as_output, finished
from . import _filters_by_functions, _fourier_filters, _labels
from ._filters_by_functions import *  # noqa: F403
from ._fourier_filters import *  # noqa: F403
from ._labels import *  # noqa: F403

__all__ = """affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss
    binary_opening binary_propagation convolve convolve1d correlate correlate1d
    distance_transform_bf distance_transform_cdt distance_transform_edt gaussian_filter
    gaussian_filter1d gaussian_gradient_magnitude gaussian_laplace generate_binary_structure iterate_structure laplace
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


def _with_complex_fill(function):
    """A linear filter that takes a complex cval for complex arrays, whose parts it is then given in turn."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def either(*arguments, **keywords):
        bound = signature.bind(*arguments, **keywords)
        given = bound.arguments
        cval, output = given.get("cval", 0.0), given.get("output")
        if np.iscomplexobj(cval) and np.imag(cval) == 0:
            given["cval"] = np.real(cval)
        elif np.iscomplexobj(cval):
            x = as_array(given["input"])
            if x.dtype.kind != "c":
                raise TypeError(f"cval is {cval}, and the input {x.dtype}, which is not complex")
            given.update(input=x.real, cval=np.real(cval), output=None)
            real = function(*bound.args, **bound.kwargs)
            given.update(input=x.imag, cval=np.imag(cval))
            found = real + 1j * function(*bound.args, **bound.kwargs)
            return as_output(found, output)
        return function(*bound.args, **bound.kwargs)

    return either


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


def _without_axes(filtered, input, output):
    """What a filter gives along no axis, as of a number: the same along a new axis of extent 1."""
    found = filtered(input[None], _dtype_of(output) if _out(output) is None else output.dtype)[0]
    return found if _out(output) is None else as_output(found, output)


def _one(array):
    """A window for the new axis, of one that has no axes."""
    return None if array is None else np.reshape(array, 1)


# --- filters of order -------------------------------------------------------------------------------------------------


def _ordered(name, input, first, size, footprint, output, mode, cval, origin, axes):
    input = as_array(input)
    axes = _axes(input, axes)
    if not axes:
        return _without_axes(lambda x, dtype: _ordered(name, x, first, 1, _one(footprint), dtype, mode, cval, 0, [0]),
                             input, output)
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
    return as_output(filtered(x, weights.real) + 1j * filtered(x, weights.imag), output)


def _along(name, input, weights, axis, output, mode, cval, origin):
    weights = np.asarray(weights)
    if weights.dtype.kind == "c":  # those of correlations are conjugated, as NumPy has it
        weights = weights.conj() if name == "correlate1d" else weights
        return _by_parts(lambda x, part: _along(name, x, part, axis, None, mode, cval, origin), input, weights, output)
    return into("ndimage_" + name, as_array(input), len(weights), _doubles(weights), axis,
                _options([axis], output, mode, cval, origin), out=_out(output))


@_with_complex_fill
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return _along("correlate1d", input, weights, axis, output, mode, cval, origin)


@_with_complex_fill
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
    if not axes:
        return _without_axes(lambda x, dtype: _weighted(name, x, _one(weights), dtype, mode, cval, 0, [0]), input, output)
    return into("ndimage_" + name, input, _shape(weights), _doubles(weights),
                _options(axes, output, mode, cval, origin), out=_out(output))


@_with_complex_fill
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _weighted("correlate", input, weights, output, mode, cval, origin, axes)


@_with_complex_fill
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _weighted("convolve", input, weights, output, mode, cval, origin, axes)


@_with_complex_fill
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    if not axes:
        return _without_axes(lambda x, dtype: uniform_filter(x, 1, dtype, axes=[0]), input, output)
    return into("ndimage_uniform_filter", input, _window(axes, size), _options(axes, output, mode, cval, origin),
                out=_out(output))


@_with_complex_fill
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return uniform_filter(input, size, output, mode, cval, origin, axes=[axis])


@_with_complex_fill
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None,
                    axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    if not axes:
        return uniform_filter(input, output=output, axes=())
    return into("ndimage_gaussian_filter", input, _doubles(_each(sigma, len(axes))),
                vector("int", _each(order, len(axes)), "order"), float(truncate),
                None if radius is None else vector("int64_t", _each(radius, len(axes)), "radius"),
                _options(axes, output, mode, cval), out=_out(output))


@_with_complex_fill
def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                      radius=None):
    return gaussian_filter(input, sigma, order, output, mode, cval, truncate, radius=radius, axes=[axis])


def _derivative(name, input, axis, output, mode, cval):
    input = as_array(input)
    return into("ndimage_" + name, input, axis, _options(_axes(input, None), output, mode, cval), out=_out(output))


@_with_complex_fill
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _derivative("prewitt", input, axis, output, mode, cval)


@_with_complex_fill
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _derivative("sobel", input, axis, output, mode, cval)


@_with_complex_fill
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    if not axes:
        return uniform_filter(input, output=output, axes=())
    return into("ndimage_laplace", input, _options(axes, output, mode, cval), out=_out(output))


def _of_gaussians(name, input, sigma, output, mode, cval, axes, truncate=4.0, radius=None):
    input = as_array(input)
    axes = _axes(input, axes)
    if not axes:
        return uniform_filter(input, output=output, axes=())
    return into("ndimage_" + name, input, _doubles(_each(sigma, len(axes))), float(truncate),
                None if radius is None else vector("int64_t", _each(radius, len(axes)), "radius"),
                _options(axes, output, mode, cval), out=_out(output))


@_with_complex_fill
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
        if not axes:
            return _without_axes(lambda x, dtype: function(x, 1, _one(footprint), _one(structure), dtype, mode, cval, 0,
                                                           axes=[0]), input, output)
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


def iterate_structure(structure, iterations, origin=None):
    """scipy.ndimage.iterate_structure: NumPy's array of a structure that is dilated with itself; with an origin also
    that of the result.  Collective."""
    structure, more = np.asarray(structure, bool), iterations - 1
    if iterations < 2:
        return structure.copy()
    large = np.zeros([n + more * (n - 1) for n in structure.shape], bool)
    large[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in structure.shape)] = structure
    found = binary_dilation(large, structure, iterations=more).numpy()
    if origin is None:
        return found
    return found, [iterations * o for o in np.broadcast_to(origin, structure.ndim).tolist()]


def _origins(input, origin):
    return vector("int64_t", _each(origin, input.ndim), "origin")


def _check_structures(input, *structures):
    for structure in structures:
        if structure is not None and np.ndim(structure) != input.ndim:
            raise RuntimeError(f"a structure of {np.ndim(structure)} dimensions for an input of {input.ndim}")


def _whole_structure(input, axes, structure, origin):
    """A structure along axes, and its origin, for all dimensions of the input; without axes it is so already."""
    if axes is None:
        return structure, origin
    axes = [range(input.ndim)[axis] for axis in _axes(input, axes)]
    structure = generate_binary_structure(len(axes), 1) if structure is None else np.asarray(structure)
    if structure.ndim != len(axes):
        raise RuntimeError(f"a structure of {structure.ndim} dimensions for {len(axes)} axes")
    shape, origins = [1] * input.ndim, [0] * input.ndim
    for axis, n, o in zip(axes, structure.shape, _each(origin, len(axes))):
        shape[axis], origins[axis] = n, o
    return structure.transpose(sorted(range(len(axes)), key=axes.__getitem__)).reshape(shape), origins


def _binary(name, input, structure, iterations, mask, output, border_value, origin, axes):
    input = as_array(input)
    structure, origin = _whole_structure(input, axes, structure, origin)
    _check_structures(input, structure)
    if input.ndim == 0:
        return _without_axes(lambda x, dtype: _binary(name, x, [True] if structure is None else _one(structure), iterations,
                                                      None if mask is None else as_array(mask)[None], dtype,
                                                      border_value, 0, None), input, output)
    return into("ndimage_" + name, input, _shape(structure), _bools(structure), int(iterations),
                None if mask is None else as_array(mask), bool(border_value), _origins(input, origin),
                out=_out(output))


def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                   brute_force=False, *, axes=None):
    return _binary("binary_erosion", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                    brute_force=False, *, axes=None):
    return _binary("binary_dilation", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False, *, axes=None):
    return _binary("binary_opening", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False, *, axes=None):
    return _binary("binary_closing", input, structure, iterations, mask, output, border_value, origin, axes)


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None):
    return _binary("binary_dilation", input, structure, -1, mask, output, border_value, origin, axes)


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    input = as_array(input)
    structure, origin = _whole_structure(input, axes, structure, origin)
    _check_structures(input, structure)
    return into("ndimage_binary_fill_holes", input, _shape(structure), _bools(structure), _origins(input, origin),
                out=_out(output))


def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None):
    input = as_array(input)
    origin2 = origin1 if origin2 is None else origin2
    structure1 = generate_binary_structure(len(_axes(input, axes)), 1) if structure1 is None else structure1
    structure2 = ~np.asarray(structure1, bool) if structure2 is None else structure2
    structure1, origin1 = _whole_structure(input, axes, structure1, origin1)
    structure2, origin2 = _whole_structure(input, axes, structure2, origin2)
    _check_structures(input, structure1, structure2)
    if not np.asarray(structure2).any():
        return binary_erosion(input, structure1, output=output, origin=origin1)  # nothing has to be missed
    return into("ndimage_binary_hit_or_miss", input, _shape(structure1), _bools(structure1), _shape(structure2),
                _bools(structure2), _origins(input, origin1), _origins(input, origin2), out=_out(output))


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
    return filtered if output is None else as_output(filtered, output)


def spline_filter1d(input, order=3, axis=-1, output=None, mode="mirror"):
    return _splined(made("ndimage_spline_filter1d", as_array(input), order, axis, _interpolation_mode(mode)), output)


def spline_filter(input, order=3, output=None, mode="mirror"):
    return _splined(made("ndimage_spline_filter", as_array(input), order, _interpolation_mode(mode)), output)


@_with_complex_fill
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    return into("ndimage_map_coordinates", as_array(input), as_array(coordinates), order, prefilter,
                _interpolating(output, mode, cval), out=_out(output))


@_with_complex_fill
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


@_with_complex_fill
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    if not axes:  # nothing moves
        axes, shift, order = _axes(input, None), 0, 0
    return into("ndimage_shift", input, _doubles(_each(shift, len(axes))), order, prefilter,
                _interpolating(output, mode, cval, axes), out=_out(output))


@_with_complex_fill
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False, axes=None):
    input = as_array(input)
    axes = _axes(input, axes)
    if not axes:
        axes, zoom, order = _axes(input, None), 1, 0
    return into("ndimage_zoom", input, _doubles(_each(zoom, len(axes))), grid_mode, order, prefilter,
                _interpolating(output, mode, cval, axes), out=_out(output))


@_with_complex_fill
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


__all__ = sorted(__all__ + _filters_by_functions.__all__ + _fourier_filters.__all__ + _labels.__all__)
__dir__ = finished(globals(), "scipy.ndimage", alone=["generate_binary_structure", "iterate_structure"])
