# SPDX-License-Identifier: BSD-3-Clause
"""The methods of convolution: each against the direct sum of the extended input, within the bounds of signal.h; which
one a plan takes; what is refused.
"""

import ctypes
import functools
import os

import maniple as mp
import numpy as np
from scipy.signal import convolve, fftconvolve

rng = mp.random()
AUTO, DIRECT, SEPARABLE, FFT, OVERLAP, TRANSFORMS = range(6)
NAMES = ["auto", "direct", "separable", "fft", "overlap-add", "transforms"]
MODES = ["full", "same", "valid"]
PADS = [None, "wrap", "symmetric", "reflect", "edge"]


class Options(ctypes.Structure):
    _fields_ = [("mode", ctypes.c_int), ("boundary", ctypes.c_int), ("fillvalue", ctypes.c_double),
                ("naxes", ctypes.c_int), ("axes", ctypes.POINTER(ctypes.c_int)), ("dtype", ctypes.c_int),
                ("correlate", ctypes.c_bool), ("method", ctypes.c_int)]


class Info(ctypes.Structure):
    _fields_ = [("method", ctypes.c_int), ("name", ctypes.c_char_p), ("seconds", ctypes.c_double * 6),
                ("passes", ctypes.c_int), ("rank", ctypes.c_int), ("window", ctypes.c_int64 * 8)]


def options(method, mode="same", boundary=0, fillvalue=0.0, axes=None, dtype=0, correlate=False):
    listed = None if axes is None else (ctypes.c_int * len(axes))(*axes)
    return Options(MODES.index(mode), boundary, fillvalue, 0 if axes is None else len(axes), listed, dtype, correlate,
                   method)


def extended(x, taps, boundary, fillvalue):
    widths = [(k - 1, k - 1) for k in taps]
    if boundary == 0:
        return np.pad(x, widths, constant_values=fillvalue)
    return np.pad(x, widths, mode=PADS[boundary])


def direct(wide, kernel):
    """SciPy's convolve(wide, kernel, "valid", "direct"), which takes ten times as long: tap by tap, or where taps are many
    by transforms in longer floats, if the machine has them, which err less than such a sum."""
    if kernel.size > 100 and np.finfo("longdouble").eps < np.finfo("float64").eps / 1000:
        longer = [v.astype(np.promote_types(v.dtype, "longdouble")) for v in (wide, kernel)]
        return fftconvolve(*longer, "valid").astype(np.result_type(wide, kernel))
    shape = [n - k + 1 for n, k in zip(wide.shape, kernel.shape)]
    total, part = np.zeros((2, *shape), np.result_type(wide, kernel))
    for place in np.ndindex(kernel.shape):
        under = tuple(slice(k - 1 - i, k - 1 - i + n) for i, k, n in zip(place, kernel.shape, shape))
        total += np.multiply(kernel[place], wide[under], out=part)
    return total


def expected(x, kernel, mode, boundary, fillvalue, axes):
    """The sum, in double precision."""
    shape = [1] * x.ndim
    for k, axis in enumerate(axes):
        shape[axis] = kernel.shape[k]
    order = np.argsort(axes)
    laid = np.transpose(kernel, order).reshape(shape)
    wide = extended(x, shape, boundary if mode != "valid" else 0, fillvalue if mode != "valid" else 0)
    a, b = (v.astype(np.promote_types(v.dtype, "f8")) for v in (wide, laid))
    whole = direct(a, b)  # the full convolution of x, extended
    return whole[tuple(slice(None) if mode == "full" else slice((k - 1) // 2, (k - 1) // 2 + n) if mode == "same" else
                       slice(min(n, k) - 1, min(n, k) - 1 + abs(n - k) + 1) for n, k in zip(x.shape, shape))]


def numbers(shape, dtype):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def outer(shape, dtype):
    product = np.ones((1,) * len(shape))
    for axis, n in enumerate(shape):
        product = product * numbers(n, dtype).reshape([-1 if d == axis else 1 for d in range(len(shape))])
    return product.astype(dtype)


def reversed_all(kernel):
    return kernel[(slice(None, None, -1),) * kernel.ndim]


def check(method, x, kernel, mode="same", boundary=0, fillvalue=0.0, axes=None, layout=None, correlate=False, of=None):
    """of: the kernel as an array of the library, where it is not a new one."""
    used = list(range(x.ndim - kernel.ndim, x.ndim)) if axes is None else [a % x.ndim for a in axes]
    made = options(method, mode, boundary, fillvalue, axes, correlate=correlate)
    got = mp.convolve(mp.array(x, layout), mp.array(kernel) if of is None else of, made).numpy()
    name = f"{NAMES[method]}: {x.shape} {x.dtype} by {kernel.shape}, {mode}, boundary {boundary}, axes {axes}"
    if correlate:
        name, kernel = f"{name}, correlated", np.conj(reversed_all(kernel))
    if np.dtype(kernel.dtype) != x.dtype:
        name = f"{name}, a kernel of {kernel.dtype}"
    eps, points = np.finfo(got.dtype).eps, 4 * x.size + 64
    if method in (AUTO, FFT, OVERLAP, TRANSFORMS):  # a window has at most all elements, each several times at a border
        largest = max(abs(x).max(), abs(fillvalue))
        bound = 10 * eps * np.log2(points) * np.linalg.norm(kernel) * largest * np.sqrt(points)
    else:
        bound = (2 * kernel.size + 32) * eps * abs(kernel).sum() * max(abs(x).max(), abs(fillvalue))
    if mp.rank == 0:  # which compares for all, as SciPy takes longer than the rest
        want = expected(x, kernel, mode, boundary, fillvalue, used)
        error = abs(got - want).max(initial=0) if got.shape == want.shape else np.inf
    else:
        error = 0
    mp.ok(error <= bound, f"{name}: error {error:.2g}, at most {bound:.2g}")


def cases(method, dtype):
    kernels = outer if method == SEPARABLE else numbers
    for mode in MODES:
        for boundary in range(5):
            if mode == "valid" and boundary > 0:
                continue
            fill = 2.5 if boundary == 0 else 0.0
            x = numbers((23, 30), dtype)
            check(method, x, kernels((6, 7), dtype), mode, boundary, fill, None, mp.random_layout(rng, x.shape))


for method in (SEPARABLE, FFT, OVERLAP):
    cases(method, "float64")
    if os.environ.get("MANIPLE_TEST_FULL"):
        for dtype in ("float32", "complex64", "complex128"):
            cases(method, dtype)
    kernels = outer if method == SEPARABLE else numbers
    x = numbers((5, 9, 40), "float32")
    check(method, x, kernels((9,), "float32"), "same", 1, 0.0, [1], mp.random_layout(rng, x.shape))
    check(method, x, kernels((3, 4, 5), "float32"), "full", 0, 0.0, None, mp.random_layout(rng, x.shape))
    x = numbers((3, 4, 5, 6), "complex64")
    check(method, x, kernels((2, 3, 2, 3), "complex64"), "full", 2, 0.0, [2, 0, 3, 1], mp.random_layout(rng, x.shape))
    check(method, numbers(900, "float64"), kernels((700,), "float64"), "same", 3)
    check(method, numbers((1, 5), "float64"), kernels((1, 1), "float64"))
    check(method, numbers((4, 5), "float64"), kernels((6, 9), "float64"), "valid")

# many blocks, of several windows at a time
x = numbers((300, 270), "float32")
check(OVERLAP, x, numbers((5, 3), "float32"), "same", 4, 0.0, None, mp.random_layout(rng, x.shape))

# several windows along lines and planes, of all types of sums; of planes with a batch, and of long filters
DTYPES = ("float32", "float64", "complex64", "complex128")
for dtype in mp.part(DTYPES):
    check(OVERLAP, numbers((3, 1500), dtype), numbers((60,), dtype), "full", 1, 0.0, [1],
          mp.random_layout(rng, (3, 1500)))
    check(OVERLAP, numbers((2, 260, 140), dtype), numbers((17, 30), dtype), "same", 2, 0.0, None,
          mp.random_layout(rng, (2, 260, 140)))
check(OVERLAP, numbers(9000, "float32"), numbers(1400, "float32"), "same")
check(OVERLAP, numbers((700, 90), "float32"), numbers((530, 2), "float32"), "same", 4, 0.0, None,
      mp.random_layout(rng, (700, 90)))
check(OVERLAP, numbers((700, 90), "float32").T, numbers((2, 530), "float32"), "full", 3)

# one window with zeros around it, which is shorter than the extended input; also where the filter is the longer one
for mode in MODES:
    for shape, taps in ((40, 9), (9, 16)), ((4, 6, 7), (5, 9, 2)), ((3,), (8,)), ((30, 31), (12, 13)), ((8, 8), (8, 8)):
        if mode != "valid" or all(n <= k for n, k in zip(shape, taps)) or all(n >= k for n, k in zip(shape, taps)):
            dtype = str(rng.choice(["float32", "float64", "complex64", "complex128"]))
            check(FFT, numbers(shape, dtype), numbers(taps, dtype), mode)
            stack = (2 * mp.size, *shape)  # cut along the batch, so that the others are whole on all ranks
            check(OVERLAP, numbers(stack, dtype), numbers(taps, dtype), mode, 0, 0.0, list(range(1, len(stack))),
                  mp.Layout([mp.size], stack, [0] + [-1] * len(shape)))

# windows of 2^16 elements and more on each rank, which a GPU filters along the first dimension in one kernel
for shape, taps, axes in (((45 * mp.size, 37, 52), (4, 6, 5), None), ((34 * mp.size, 3, 45, 50), (3, 5, 4), [0, 2, 3]),
                          ((1100 * mp.size, 75), (1050, 3), None)):
    for method in FFT, OVERLAP:
        dtype = str(rng.choice(["float32", "float64", "complex64", "complex128"]))
        check(method, numbers(shape, dtype), numbers(taps, dtype), "same", int(rng.integers(5)), 0.0, axes)

# --- the kernel: correlated, in any layout, a view, of another dtype, and of many taps --------------------------------
for dtype in mp.part(DTYPES, 2):
    for method in (DIRECT, SEPARABLE, FFT, OVERLAP, AUTO):
        kernels = outer if method == SEPARABLE else numbers
        for mode in MODES:
            x, kernel = numbers((23, 30), dtype), kernels((6, 7), dtype)
            check(method, x, kernel, mode, int(rng.integers(5)), 0.0, None, mp.random_layout(rng, x.shape), True,
                  mp.array(kernel, mp.random_layout(rng, kernel.shape)))
        kernel = kernels((5, 4, 3), dtype)
        check(method, numbers((4, 9, 11, 8), dtype), kernel, "full", 0, 0.0, [3, 0, 1], None, bool(rng.integers(2)),
              mp.transpose(mp.array(np.transpose(kernel), mp.random_layout(rng, (3, 4, 5))), None))
        wide = numbers(23, dtype)
        check(method, numbers(60, dtype), wide[20::-2], "same", 1, correlate=bool(rng.integers(2)),
              of=mp.array(wide, mp.random_layout(rng, wide.shape))[20::-2])
for method in (DIRECT, SEPARABLE, FFT, OVERLAP):
    whole = np.outer([1, -2, 3, 0], [2, 1, -5])
    for dtype, other in (("float32", "int16"), ("float16", "float16"), ("float32", "float16"), ("complex64", "float64"),
                         ("float64", "uint8"), ("complex64", "int64")):
        kernel = (abs(whole) if other == "uint8" else whole).astype(other)
        check(method, numbers((19, 26), dtype), kernel, "full", 0, 0.0, None, mp.random_layout(rng, (19, 26)), True)
for method in (AUTO, TRANSFORMS):
    for correlate in (False, True):
        for dtype in mp.part(("float32", "complex128"), 1):
            check(method, numbers(5200, dtype), numbers(4001, dtype), "full", correlate=correlate)
            check(method, numbers((90, 70), dtype), numbers((61, 53), dtype), "same", 4, correlate=correlate)

# a NaN in any of its elements
for method in range(6):
    for dtype, shape in (("float16", (3,)), ("float32", (700,)), ("complex64", (9, 11)), ("float64", (2, 3, 4))):
        kernel, like = numbers(shape, dtype), mp.array(numbers((12,) * len(shape), dtype))
        place = tuple(int(rng.integers(n)) for n in shape)
        kernel[place] = complex(1, np.nan) if dtype == "complex64" else np.nan
        mp.fails("MNP_ERR_ARG", "the kernel has a NaN", "convolve", like, mp.array(kernel), options(method, "full"))

# --- sums of outer products --------------------------------------------------------------------------------------


def gaussian(shape, *sigmas):
    """A Gaussian of those widths along its axes, with numbers around it that are no outer product."""
    return functools.reduce(np.multiply.outer,
                            [np.exp(-(np.arange(n) - n // 2)**2 / (2 * s * s)) for n, s in zip(shape, sigmas)])


def difference(shape):
    return gaussian(shape, 1.2, 1.5, 1.7) - gaussian(shape, 2.4, 1.9, 2.1) / 3


wide = (11, 13)
squares = np.add.outer((np.arange(11) - 5)**2, (np.arange(13) - 6)**2)
for dtype in mp.part(DTYPES, 1):
    factor = 1 - 2j if np.dtype(dtype).kind == "c" else 1
    for mode in MODES:
        for boundary in range(5 if mode != "valid" else 1):
            x = numbers((23, 30), dtype)
            check(SEPARABLE, x, (factor * difference(wide)).astype(dtype), mode, boundary, 0.0, None,
                  mp.random_layout(rng, x.shape))
    laplacian = (factor * (squares - 8) * gaussian(wide, 2, 2)).astype(dtype)
    check(SEPARABLE, numbers((9, 5, 40), dtype), laplacian, "full", 0, 0.0, [2, 0], mp.random_layout(rng, (9, 5, 40)))
check(SEPARABLE, numbers((12, 9, 14), "float64"), difference((5, 7, 5)), "same", 2, 0.0, None,
      mp.random_layout(rng, (12, 9, 14)))
check(SEPARABLE, numbers((1, 6, 40), "float32"), difference((1, 7, 5)).astype("float32"), "full", 1)
for dtype in ("float64", "complex64"):  # a batch along the last dimension, and a filter of extent 1 there
    x = numbers((14, 15, 33), dtype)
    check(SEPARABLE, x, difference(wide[:2]).astype(dtype), "same", 1, 0.0, [0, 1], mp.random_layout(rng, x.shape))
    check(SEPARABLE, x, difference((5, 7, 1)).astype(dtype), "full", 0, 0.0, None, mp.random_layout(rng, x.shape))

# --- integers -----------------------------------------------------------------------------------------------------
small = rng.integers(-9, 9, (20, 33)).astype("int32")
sobel = np.outer([1, 2, 1], [1, 0, -1]).astype("int16")
INT64, BOOL = mp.MNP_INT64, mp.MNP_BOOL
right = convolve(small.astype("int64"), sobel.astype("int64"), mode="same", method="direct")
for method in range(5):
    made = options(method, dtype=INT64)
    mp.check(f"integers by {NAMES[method]}", mp.convolve(mp.array(small), mp.array(sobel), made), right)
rings = np.array([[0, 0, 1, 0, 0], [0, 1, 2, 1, 0], [1, 2, -16, 2, 1], [0, 1, 2, 1, 0], [0, 0, 1, 0, 0]])
stacked = rng.integers(-9, 9, (3, 20, 33)).astype("int16")
for name, kernel in (("a Laplacian", np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]])), ("one of rank 3", rings),
                     ("one of no unit", 3 * rings[1:4, 1:4]), ("planes", np.stack([rings, 2 * rings, rings.T]))):
    for method in (AUTO, SEPARABLE):
        x = stacked if kernel.ndim == 3 else small
        mp.check(f"integers by {NAMES[method]}: {name}",
                 mp.convolve(mp.array(x, mp.random_layout(rng, x.shape)), mp.array(kernel), options(method, dtype=INT64)),
                 convolve(x.astype("int64"), kernel, mode="same", method="direct"))
rounded = convolve(small.astype("float64"), difference((7, 9)), mode="same", method="direct")
bytes_of = mp.convolve(mp.array(small), mp.array(difference((7, 9))), options(SEPARABLE, dtype=INT64)).numpy()
far = abs(rounded - np.rint(rounded)) < 0.499  # others may be rounded to either side
mp.check("a sum of several products is rounded once", np.where(far, bytes_of, 0),
         np.where(far, np.rint(rounded), 0).astype("int64"))
large = rng.integers(2**40, 2**41, (9, 9)), np.outer([3, 5], [2**20, 7])
exact = mp.convolve(mp.array(large[0]), mp.array(large[1]), options(SEPARABLE, dtype=INT64))
mp.check("integers modulo 2^64 by separable are those of direct", exact,
         mp.convolve(mp.array(large[0]), mp.array(large[1]), options(DIRECT, dtype=INT64)).numpy())


# --- which method -------------------------------------------------------------------------------------------------
def chosen(method, shape, kernel, dtype="float32", out=0):
    plan = mp.conv_plan_new(dtype, mp.layout_block(mp.size, len(shape), shape), mp.array(kernel), options(method, dtype=out))
    info = Info()
    mp.conv_plan_describe(plan, info)
    mp.conv_plan_free(plan)
    return info


def check_chosen(name, info, method, usable):
    able = [NAMES[m] for m in range(1, 5) if info.seconds[m] >= 0]
    mp.ok(info.method == method and info.name.decode() == NAMES[method] and able == usable,
          f"{name}: {info.name.decode()} of {', '.join(able)}")


dense, flat = rng.standard_normal((15, 15)), np.outer(np.hanning(31), np.hanning(31))
everything, sums = NAMES[1:5], ["direct", "separable"]
floats = ["direct", "fft", "overlap-add"]
check_chosen("a small random kernel", chosen(AUTO, (64, 64), dense[:3, :3]), DIRECT, floats)
extent = 400 if mp.ctx_device_kind() == "host" else 4000  # a GPU sums 400 x 400 outputs directly
check_chosen("an outer product", chosen(AUTO, (extent, extent), flat), SEPARABLE, everything)
if mp.ctx_device_kind() == "host":
    info = chosen(AUTO, (extent, extent), difference((31, 31)))
    check_chosen("a difference of Gaussians", info, SEPARABLE, everything)
    mp.ok(info.rank == 2 and info.passes == 3, f"which is of rank 2: {info.rank}, {info.passes} passes")
mp.ok(chosen(SEPARABLE, (extent, extent), flat).rank == 1, "an outer product is of rank 1")
check_chosen("an outer product, of integers", chosen(AUTO, (400, 400), np.ones((31, 31), "int32"), "int32", INT64),
             SEPARABLE, sums)
big = rng.standard_normal((200, 200))
mp.ok(chosen(AUTO, (512, 512), big).method in (FFT, OVERLAP), "a large random kernel takes transforms")
mp.ok(chosen(TRANSFORMS, (64, 64), dense[:3, :3]).method in (FFT, OVERLAP), "transforms are chosen of where they are asked for")
check(TRANSFORMS, rng.standard_normal((37, 45)), dense[:5, :4], "full")
for method in FFT, OVERLAP:
    check(method, numbers(9001, "float32"), numbers(77, "float32"), "full")  # a row of several pieces
    check(method, numbers((2, 8200), "complex128"), numbers((1, 5), "complex128"))
info = chosen(OVERLAP, (64, 4000), rng.standard_normal((3, 5)))
mp.ok(info.window[0] >= 16 and 16 <= info.window[1] < 4000, "blocks are smaller than the array")
info = chosen(FFT, (64, 4001), rng.standard_normal((1, 5)))
mp.ok(list(info.window[:2]) == [1, 4032] or mp.size > 1, "whole transforms have a fast length, along the axes in use")

# --- refused ------------------------------------------------------------------------------------------------------
x = mp.array(rng.standard_normal((40, 40)))
for kernel, made, words in (
        (dense, options(SEPARABLE), "not an outer product of vectors, nor the sum of a few"),
        (difference(wide), options(SEPARABLE, fillvalue=1.0), "for an array of 4 dimensions or a fillvalue"),
        (rng.integers(2, 9, (11, 11)) * 2 + np.eye(11, dtype=int), options(SEPARABLE, dtype=INT64), "not an outer product"),
        (np.outer([1, 2], [1, 2]) / 3, options(8), "8 is not a method"),
        (dense, options(FFT, dtype=BOOL), "fft has rounding errors"),
):
    mp.fails("MNP_ERR_ARG", words, "convolve", x, mp.array(kernel), made)
mp.done()
