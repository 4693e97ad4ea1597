# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal: what the files of this folder have, and its convolutions, with any border: boundary is fill, wrap, symm,
mirror or nearest.
"""

import ctypes
import inspect

import numpy as np

from .._array import as_array, into, ndarray
from .._benchmark import benchmark
from .._dtypes import dtype_number
from .._errors import Error
from .._library import Shared, call, chosen, constant, struct, vector
from .._names import axes_of, finished, names
from ..comm import allreduce
from . import _chirp_z, _designs, _filters, _peaks, _pole_placement, _simulations, _spectra
from . import _splines, _systems, _waveforms, _wavelets, windows
from ._chirp_z import *  # noqa: F403
from ._designs import *  # noqa: F403
from ._filters import *  # noqa: F403
from ._peaks import *  # noqa: F403
from ._pole_placement import *  # noqa: F403
from ._simulations import *  # noqa: F403
from ._spectra import *  # noqa: F403
from ._splines import *  # noqa: F403
from ._systems import *  # noqa: F403
from ._waveforms import *  # noqa: F403
from ._wavelets import *  # noqa: F403
from ._short_time import ShortTimeFFT, closest_STFT_dual_window
from ._spectra import resample

__all__ = """Convolution ShortTimeFFT choose_conv_method closest_STFT_dual_window convolve convolve2d correlate
    correlate2d envelope fftconvolve hilbert2 oaconvolve order_filter sepfir2d windows""".split()
for _part in (_chirp_z, _designs, _filters, _peaks, _pole_placement, _simulations, _spectra, _splines, _systems, _waveforms,
              _wavelets):  # fmt: skip
    __all__ += _part.__all__

_METHODS = ("direct", "separable", "fft", "overlap-add")


def _options(mode, boundary, fillvalue, axes, dtype, correlated, method="auto"):
    axes = axes_of(axes)
    listed = vector("int", axes, "axes")
    options = struct("conv_options")(
        chosen("mode", mode, "CONV_", ("full", "same", "valid")),
        chosen("boundary", boundary, "BOUNDARY_", ("fill", "wrap", "symm", "mirror", "nearest")),
        float(fillvalue),
        0 if axes is None else len(axes),
        None if listed is None else ctypes.addressof(listed),
        dtype_number(dtype),
        correlated,
        chosen("method", method, "CONV_", ("auto", *_METHODS, "transforms")),
    )
    options._keep = listed
    return options


def _is_swapped(in1, in2, mode, axes=None):
    """Whether in2, which is larger, is the array and in1 the kernel, as in SciPy."""
    return (
        mode == "valid"
        and axes is None
        and in1.ndim == in2.ndim
        and in1.shape != in2.shape
        and all(n <= k for n, k in zip(in1.shape, in2.shape))
    )


def _convolved(in1, in2, correlated, mode, method, boundary, fillvalue, axes, dtype, out=None):
    """A convolution or correlation; without a dtype, of the one that NumPy finds for both operands."""
    in1, in2 = as_array(in1), as_array(in2)
    if _is_swapped(in1, in2, mode, axes):
        in1, in2, correlated = names.conj(names.flip(in2)) if correlated else in2, in1, False
    if dtype is None:
        dtype = out.dtype if isinstance(out, ndarray) else names.result_type(in1.dtype, in2.dtype)
    if in1.ndim == in2.ndim == 0:
        return into("multiply", in1, names.conj(in2) if correlated else in2, out=out).astype(dtype, copy=False)
    return into("convolve", in1, in2, _options(mode, boundary, fillvalue, axes, dtype, correlated, method), out=out)


def convolve(in1, in2, mode="full", method="auto", boundary="fill", fillvalue=0, axes=None, dtype=None, out=None):
    """in1, of 1 to 4 dimensions, convolved with the kernel in2; method is auto, direct, separable, fft,
    overlap-add, or transforms, the faster of these two.
    The result's dtype is that of their product, where none is asked for: integers stay integers, and are exact."""
    return _convolved(in1, in2, False, mode, method, boundary, fillvalue, axes, dtype, out)


def correlate(in1, in2, mode="full", method="auto", boundary="fill", fillvalue=0, axes=None, dtype=None, out=None):
    return _convolved(in1, in2, True, mode, method, boundary, fillvalue, axes, dtype, out)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return convolve(in1, in2, mode, "auto", boundary, fillvalue)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """scipy.signal.correlate2d, with all borders.  In the mode same, a kernel of even extent lies one element further
    on than that of correlate(), as SciPy has it.  Collective."""
    in1, in2 = as_array(in1), as_array(in2)
    if mode != "same" or all(n % 2 for n in in2.shape):
        return correlate(in1, in2, mode, "auto", boundary, fillvalue)
    whole = correlate(in1, in2, "full", "auto", boundary, fillvalue)
    return names.redistribute(whole[tuple(slice(k // 2, k // 2 + n) for n, k in zip(in1.shape, in2.shape))], in1.layout)


def _along(axes, in1, in2):
    """Axes in their order, and a kernel without its other dimensions, where these have the extent 1."""
    in1, in2, axes = as_array(in1), as_array(in2), axes_of(axes)
    if axes is not None and in1.ndim == in2.ndim > len(axes):
        axes = sorted(range(in1.ndim)[axis] for axis in axes)
        others = tuple(d for d in range(in1.ndim) if d not in axes)
        in2 = names.squeeze(in2, others) if all(in2.shape[d] == 1 for d in others) else in2
    return in2, axes


def _by_transforms(in1, in2, mode, method, axes):
    """A convolution of what scipy.fft transforms the operands to: integers and bools as float64, float16 as float32."""
    in1, (in2, axes) = as_array(in1), _along(axes, in1, in2)
    kinds = ["float32" if x.dtype == "float16" else float if x.dtype.kind in "iub" else x.dtype for x in (in1, in2)]
    if in1.size == 0 or in2.size == 0:
        return names.zeros(0)
    return convolve(in1, in2, mode, method, axes=axes, dtype=names.result_type(*kinds))


def fftconvolve(in1, in2, mode="full", axes=None):
    """scipy.signal.fftconvolve, by transforms of the whole array or of blocks, whichever a model finds faster.
    Collective."""
    return _by_transforms(in1, in2, mode, "transforms", axes)


def oaconvolve(in1, in2, mode="full", axes=None):
    return _by_transforms(in1, in2, mode, "overlap-add", axes)


def _seconds_of(in1, in2, mode, method):
    """What a convolution takes on the slowest rank, or None where it cannot be had by that method.  Collective."""
    try:
        times = benchmark(convolve, (in1, in2, mode, method), n_repeat=3, n_warmup=1)
    except Error as error:
        if method == "direct" or error.status not in ("MNP_ERR_ARG", "MNP_ERR_UNSUPPORTED"):
            raise
        return None
    return allreduce(float(times.gpu_times.min()), "max")


def choose_conv_method(in1, in2, mode="full", measure=False):
    """The method that a model of the time finds fastest, for convolve(method=): direct, separable, fft or overlap-add,
    where scipy.signal.choose_conv_method knows direct and fft.  measure: the one that is fastest when it is tried, and
    the seconds of all that can be used, of the slowest rank.  Collective."""
    if measure:
        times = {method: _seconds_of(in1, in2, mode, method) for method in _METHODS}
        times = {method: seconds for method, seconds in times.items() if seconds is not None}
        return min(times, key=times.get), times
    method, in1, in2 = ctypes.c_int(), as_array(in1), as_array(in2)
    in1, in2 = (in2, in1) if _is_swapped(in1, in2, mode) else (in1, in2)
    options = _options(mode, "fill", 0, None, names.result_type(in1.dtype, in2.dtype), False)
    call("choose_conv_method", in1, in2, options, ctypes.byref(method))
    return _METHODS[method.value - constant("CONV_DIRECT")]


def sepfir2d(input, hrow, hcol):
    """scipy.signal.sepfir2d: an image convolved with a vector along its rows and one along its columns, which are
    symmetric, with mirrors at its borders.  Collective."""
    from .. import ndimage

    x = as_array(input)
    if x.dtype.kind not in "fc":
        x = x.astype(float)
    for axis, h in ((1, hrow), (0, hcol)):
        x = ndimage.convolve1d(x, h, axis, mode="reflect")
    return x


def order_filter(a, domain, rank):
    """scipy.signal.order_filter: the element of that rank among those for which the domain is not 0, with zeros beyond the
    borders.  Collective."""
    from .. import ndimage

    return ndimage.rank_filter(a, rank, footprint=_whole(domain) != 0, mode="constant")


def _whole(x):
    return x.numpy() if isinstance(x, ndarray) else np.asarray(x)


def hilbert2(x, N=None, axes=(-2, -1)):  # noqa: N803
    """scipy.signal.hilbert2: the analytic signals of real images, as SciPy 1.17 has them: frequencies of both signs, half
    the rate among them, become 0.  Collective."""
    from .. import fft

    x = as_array(x)
    if x.ndim < 2 or x.dtype.kind == "c":
        raise ValueError(f"hilbert2: x is {x.dtype} of {x.ndim} dimensions, and must be real and of 2 or more")
    axes = [range(x.ndim)[axis] for axis in axes]
    if len(set(axes)) != 2 or len(axes) != 2:
        raise ValueError(f"hilbert2: axes are {axes}, and must be two different ones")
    shape = [x.shape[axis] for axis in axes] if N is None else np.broadcast_to(N, 2).tolist()
    spectrum = fft.fft2(x, shape, axes=axes)
    for axis, n in zip(axes, shape):
        k = np.arange(n)
        weights = np.where(k == 0, 1.0, np.where(2 * k < n, 2.0, 0.0))
        weights = weights.reshape([-1 if d == axis else 1 for d in range(x.ndim)])
        spectrum = spectrum * as_array(weights.astype(spectrum.real.dtype))
    return fft.ifft2(spectrum, axes=axes)


def envelope(z, bp_in=(1, None), *, n_out=None, squared=False, residual="lowpass", axis=-1):
    """scipy.signal.envelope, of SciPy 1.15 and later: the size of a signal within a band of frequencies, given by their
    numbers, and beside it, along a new first dimension, what is left of the signal.  Collective."""
    from .. import fft

    if residual not in ("lowpass", "all", None):
        raise ValueError(f"residual is {residual!r}, and must be 'lowpass', 'all' or None")
    z = names.moveaxis(as_array(z), axis, -1)
    n, is_real = z.shape[-1], z.dtype.kind != "c"
    n_out = n if n_out is None else int(n_out)
    least, end = -(n // 2), (n + 1) // 2
    first, stop = (given if given is not None else bound for given, bound in zip(bp_in, (least, end)))
    if not least <= first < stop <= end or n_out < 1:
        raise ValueError(f"bp_in is {bp_in} and n_out {n_out}, where z has frequencies {least} up to {end}, exclusive")
    frequency = (np.arange(n) - least) % n + least
    inside = (first <= frequency) & (frequency < stop)
    spectrum = fft.fft(z)
    band = spectrum[..., as_array(np.arange(first, stop) % n)]
    if is_real:  # the analytic signal, where half the rate, which is -half too, has one part
        k = np.arange(first, stop)
        band = band * as_array(np.where(k > 0, 2.0, (k == 0) | (2 * k == -n)).astype(band.real.dtype))
    baseband = fft.ifft(band, n_out) * (n_out / n)
    found = baseband.real**2 + baseband.imag**2 if squared else names.abs(baseband)
    if residual is not None:
        above = (stop if stop > 0 else first) <= frequency
        kept = ~inside & ~(above & (residual == "lowpass"))
        if is_real:
            kept = kept[: n // 2 + 1]
            left = fft.irfft(spectrum[..., : n // 2 + 1] * as_array(kept), n)
        else:
            left = fft.ifft(spectrum * as_array(kept))
        left = left if n_out == n else resample(left, n_out, axis=-1)
        return names.stack([names.moveaxis(part, -1, axis) for part in (found, left)])
    return names.moveaxis(found, -1, axis)


class Convolution(Shared):
    """A convolution that is planned once for arrays like `like`: plan = Convolution(x, kernel, "same"); y = plan(x)."""

    def __init__(
        self,
        like,
        kernel,
        mode="full",
        boundary="fill",
        fillvalue=0,
        axes=None,
        dtype=None,
        correlated=False,
        method="auto",
    ):
        kernel = as_array(kernel)
        dtype = names.result_type(like.dtype, kernel.dtype) if dtype is None else dtype
        super().__init__(
            "conv_plan_free",
            "conv_plan_new",
            dtype_number(like.dtype),
            like.layout,
            kernel,
            _options(mode, boundary, fillvalue, axes, dtype, correlated, method),
        )

    def __call__(self, x, out=None):
        return into("conv_execute", self, x, out=out)

    def describe(self):
        """The method, and the seconds that an execution takes by each possible one, by a model.  Not collective."""
        info = struct("conv_plan_info")()
        call("conv_plan_describe", self, info)
        seconds = {method: info.seconds[constant(f"CONV_{method.upper().replace('-', '_')}")] for method in _METHODS}
        possible = {method: time for method, time in seconds.items() if time >= 0}
        return {"method": info.name.decode(), "passes": info.passes, "rank": info.rank, "seconds": possible}


_DESIGNS = """kaiser_atten kaiser_beta kaiserord bessel bilinear_zpk butter cheby1 cheby2 closest_STFT_dual_window ellip firwin firwin2 firwin_2d freqz iirnotch iirpeak lfilter_zi lp2bp_zpk
    lp2bs_zpk lp2hp_zpk lp2lp_zpk remez savgol_coeffs sos2tf sos2zpk sosfilt_zi sosfreqz tf2sos tf2zpk zpk2sos
    zpk2tf czt_points place_poles qmf""".split()
_ALONE = [name for name in _DESIGNS + _designs.__all__ + _systems.__all__ if inspect.isfunction(globals()[name])]
__dir__ = finished(globals(), "scipy.signal", alone=_ALONE)
