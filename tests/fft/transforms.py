# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms against numpy.fft, computed in double: every function, any shape, axes, points, norm, dtype and
layout.

The bound: the error relative to the norm of the result is at most 3 eps sqrt(log2 n), n points in all.  (It grows as
sqrt(log n) for random rounding errors; W. M. Gentleman and G. Sande, 1966.)
"""

import maniple as mp
import numpy as np

rng = mp.random()
NORMS = [None, "backward", "ortho", "forward"]
DTYPES = ["float32", "complex64", "float64", "complex128", "float16", "int32", "uint8", "bool"]


def result_dtype(dtype, to_real):
    single = dtype in ("float16", "float32", "complex64")
    return {(True, True): "float32", (True, False): "complex64",
            (False, True): "float64", (False, False): "complex128"}[single, to_real]


def values(shape, dtype):
    a = 10 * rng.standard_normal(shape)
    if dtype.startswith("complex"):
        return (a + 1j * rng.standard_normal(shape)).astype(dtype)
    return np.abs(a).astype(dtype) if dtype in ("uint8", "bool") else a.astype(dtype)


def wide(a):
    return a.astype("complex128" if a.dtype.kind == "c" else "float64")


def close(name, got, want, dtype, points, factor=1.0):
    """A point: the right dtype and shape, and an error within the bound."""
    g = got.numpy()
    if g.dtype != np.dtype(dtype) or g.shape != want.shape:
        return mp.ok(False, f"{name}: {g.dtype} {g.shape} where {dtype} {want.shape} is right")
    eps = np.finfo(g.dtype).eps
    bound = 3 * eps * np.sqrt(max(np.log2(max(points, 1)), 1)) * factor
    error = np.linalg.norm((wide(g) - want).ravel())
    size = np.linalg.norm(want.ravel())
    good = error <= bound * size + np.finfo(g.dtype).tiny
    return mp.ok(good, name if good else f"{name}: error {error:.3g} of {size:.3g}")


def random_extent():
    return int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 24]))


def random_array(ndim, dtype, real=False):
    shape = tuple(random_extent() for _ in range(ndim))
    while np.prod(shape) > 20000:
        shape = tuple(max(1, n // 2) for n in shape)
    a = values(shape, dtype)
    x = mp.array(a, mp.random_layout(rng, shape))
    if ndim > 1 and rng.random() < 0.3:  # views: transposed, reversed, parts
        x, a = mp.transpose(x, None), a.T
    if rng.random() < 0.3:
        d = int(rng.integers(ndim))
        index = tuple(slice(None, None, -1) if i == d else slice(None) for i in range(ndim))
        x, a = x[index], a[index]
    if a.shape[0] > 2 and rng.random() < 0.2:
        x, a = x[1:], a[1:]
    return a, x


def random_points(n, real_side=False):
    return int(rng.choice([max(1, n - 1), n, n + 1, n + 3, max(1, n // 2), 2 * n]))


def maybe_output(want_shape, dtype):
    """No output, or an array of any layout."""
    if rng.random() < 0.7:
        return None
    return mp.array_new(dtype, mp.random_layout(rng, want_shape))


def one_axis(name, a, x, axis, n, norm):
    dtype = str(a.dtype)
    want = getattr(np.fft, name)(wide(a), n=n, axis=axis, norm=norm)
    to_real = name in ("irfft", "hfft")
    out_dtype = result_dtype(dtype, to_real)
    out = maybe_output(want.shape, out_dtype)
    got = getattr(mp, name)(x, mp.MNP_NONE if n is None else n, axis, norm, out=out)
    points = n or a.shape[axis] * 2
    close(f"{name} {a.shape} {dtype} n={n} axis={axis} {norm}", got, want, out_dtype, points)


def several(name, a, x, axes, s, norm):
    dtype = str(a.dtype)
    want = getattr(np.fft, name)(wide(a), s=s, axes=axes, norm=norm)
    out_dtype = result_dtype(dtype, name.startswith("ir"))
    out = maybe_output(want.shape, out_dtype)
    if name.endswith("2"):
        got = getattr(mp, name)(x, s, axes, norm, out=out)
    else:
        got = getattr(mp, name)(x, 0 if axes is None else len(axes), s, axes, norm, out=out)
    close(f"{name} {a.shape} {dtype} s={s} axes={axes} {norm}", got, want, out_dtype, 2 * a.size)


# --- random calls -----------------------------------------------------------------------------------------------------

for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    for _ in range(5):
        kinds = [d for d in DTYPES if not (name in ("rfft", "ihfft") and d.startswith("complex"))]
        a, x = random_array(int(rng.integers(1, 4)), str(rng.choice(kinds)))
        axis = int(rng.integers(-a.ndim, a.ndim))
        extent = a.shape[axis]
        n = None if rng.random() < 0.5 and not (name in ("irfft", "hfft") and extent < 2) else random_points(extent)
        one_axis(name, a, x, axis, n, NORMS[rng.integers(4)])

for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"):
    for _ in range(5):
        kinds = [d for d in DTYPES if not (name.startswith("rf") and d.startswith("complex"))]
        ndim = int(rng.integers(2, 5))
        a, x = random_array(ndim, str(rng.choice(kinds)))
        count = 2 if name.endswith("2") else int(rng.integers(1, ndim + 1))
        axes = [int(d) for d in rng.permutation(ndim)[:count]]
        if rng.random() < 0.5:
            axes[0] -= ndim
        short = name.startswith("ir") and a.shape[axes[-1]] < 2
        s = None if rng.random() < 0.5 and not short else [random_points(a.shape[d]) for d in axes]
        several(name, a, x, axes, s, NORMS[rng.integers(4)])
a, x = random_array(3, "float64")
several("fftn", a, x, None, None, None)
several("rfftn", a, x, None, None, None)
a, x = random_array(8, "complex64")
several("fftn", a, x, None, None, "ortho")

# --- long axes, which all ranks transform together --------------------------------------------------------------------

for n, dtype in (1024, "complex128"), (720, "complex64"), (997, "complex128"), (1000, "float64"), (30, "complex64"):
    a = values((n,), dtype)
    for layout in (None, mp.random_layout(rng, a.shape)):
        x = mp.array(a, layout)
        one_axis("fft", a, x, 0, None, None)
        one_axis("ifft", a, x, 0, n + 8, "ortho")
        if not dtype.startswith("complex"):
            one_axis("rfft", a, x, 0, None, None)
        one_axis("irfft", a, x, 0, None, None)
        one_axis("hfft", a, x, 0, n, "ortho")  # fewer and more points, even and odd
        one_axis("irfft", a, x, 0, 3 * n, "forward")
for shape, dtype in (((1, 64), "complex128"), ((1, 240), "float32"), ((1, 2, 256), "int32"), ((64, 1), "float64"),
                     ((1, 64, 1), "complex64")):
    a, long = values(shape, dtype), int(np.argmax(shape))  # transformed along the short ones first
    x = mp.array(a, mp.Layout([mp.size], shape, [0 if d == long else -1 for d in range(len(shape))]))
    for name in ("fftn", "ifftn") + ("rfftn",) * (not dtype.startswith("complex")):
        several(name, a, x, None, None, None)
a = values((61, 2), "complex64")
x = mp.array(a, mp.Layout([mp.size], a.shape, [0, -1]))
out = mp.array_new("float32", mp.random_layout(rng, (105, 2)))
close("a long axis to real numbers, into an array", mp.irfft(x, 105, 0, None, out=out), np.fft.irfft(wide(a), 105, 0),
      "float32", 105)
a = values((2, 360, 3), "complex128")
x = mp.array(a, mp.Layout([mp.size], a.shape, [-1, 0, -1]))
one_axis("fft", a, x, 1, None, None)
several("ifftn", a, x, None, None, None)

# --- blocks of several slabs, of which the last is thinner ------------------------------------------------------------

a = values((50, 70, 130), "complex128")
for axes in [0, -1, -1], [-1, 0, -1]:
    x = mp.array(a, mp.Layout([mp.size], a.shape, axes))
    several("fftn", a, x, None, None, None)
    several("ifftn", a, x, [1, 0], [70, 51], "ortho")
x = mp.array(a.real, mp.Layout([mp.size], a.shape, [0, -1, -1]))
several("rfftn", a.real, x, None, None, None)
several("irfftn", a, mp.array(a, x.layout), None, None, None)

# --- long lines whose elements lie far apart, which the host copies in tiles of 16 ------------------------------------

for shape, dtype in ((1024, 37), "complex64"), ((1031, 33), "complex128"):
    a = values(shape, dtype)
    x = mp.array(a, mp.Layout([mp.size], a.shape, [-1, 0]))
    one_axis("fft", a, x, 0, None, "ortho")
    one_axis("ifft", a, x, 0, None, None)
    mp.fft(x, mp.MNP_NONE, 0, None, out=x)
    close("in place", x, np.fft.fft(wide(a), axis=0), dtype, shape[0])

# --- columns, which a GPU transforms by a kernel of Maniple's own where they are powers of two, or many: in one block of
# --- threads, in several, by a chirp; and real numbers along several axes at once -------------------------------------

for shape, axis, dtype in (((16, 40), 0, "complex128"), ((3, 64, 50), 1, "complex64"), ((2, 1024, 9), 1, "complex128"),
                           ((2048, 21), 0, "complex64"), ((4096, 18), 0, "complex128"), ((16384, 35), 0, "complex64"),
                           ((8192, 2), 0, "complex64"), ((2, 32, 3, 17), 1, "complex64")):
    a = values(shape, dtype)
    x = mp.array(a, mp.Layout([mp.size], shape, [-1] * (len(shape) - 1) + [0]))
    one_axis("fft", a, x, axis, None, None)
    one_axis("ifft", a, x, axis, None, None)
    mp.fft(x, mp.MNP_NONE, axis, "ortho", out=x)
    close("in place", x, np.fft.fft(wide(a), axis=axis, norm="ortho"), dtype, shape[axis])
for shape, axis, dtype in (((16, 40), 0, "float64"), ((3, 64, 50), 1, "float32"), ((2, 1024, 10), 1, "float64"),
                           ((512, 21), 0, "float32"), ((2, 32, 3, 16), 1, "float32"), ((128, 36), 0, "float32")):
    a = values(shape, dtype)
    spectrum = values(shape, "complex64" if dtype == "float32" else "complex128")  # of no real numbers
    layout = mp.Layout([mp.size], shape, [-1] * (len(shape) - 1) + [0])
    one_axis("rfft", a, mp.array(a, layout), axis, None, "ortho")
    one_axis("irfft", spectrum, mp.array(spectrum, layout), axis, shape[axis], None)
    one_axis("hfft", spectrum, mp.array(spectrum, layout), axis, shape[axis], "forward")
a = values((64, 32, 16), "float32")
x = mp.array(a, mp.Layout([mp.size], a.shape, [-1, -1, 0]))
several("rfftn", a, x, [0, 1], None, None)
several("irfftn", a, x, [1, 0], [32, 64], None)
several("ifftn", a, x, [0, 1, 2], None, None)
a = values((32, 64, 18), "complex64")
x = mp.array(a, mp.Layout([mp.size], a.shape, [-1, -1, 0]))
several("fftn", a, x, [0, 1], None, None)
several("ifft2", a, x, (1, 0), None, None)
for shape, axes in ((6, 8, 10), [0, 1, 2]), ((5, 7, 9), [2, 0, 1]), ((4, 6, 5, 7), [1, 3]), ((3, 4, 5, 6), [3, 0, 2, 1]):
    for dtype in "float32", "float64":
        a = values(shape, dtype)
        spectrum = values(shape, "complex64" if dtype == "float32" else "complex128")  # of no real numbers
        layout = mp.Layout([mp.size], shape, [0] + [-1] * (len(shape) - 1))
        several("rfftn", a, mp.array(a, layout), axes, None, None)
        several("irfftn", spectrum, mp.array(spectrum, layout), axes, None, None)
        several("irfftn", spectrum, mp.array(spectrum, layout), axes, [shape[d] for d in axes], "forward")


def small_factors(most):
    """A number of at most so many points whose factors are 13 at most."""
    n = int(rng.choice([2, 3, 5, 7, 11, 13]))
    while True:
        factor = int(rng.choice([2, 2, 3, 3, 5, 5, 7, 11, 13]))
        if n * factor > most or rng.random() < 0.1:
            return n
        n *= factor


MANY = (1 << 16) * mp.size
for n in (small_factors(15), small_factors(1000), small_factors(4000), 2000, int(rng.integers(17, 400)),
          int(rng.choice([17, 101, 404, 997]))):  # the last two: on a GPU by a chirp, where a factor is large
    width = MANY // n + int(rng.integers(4, 9))
    dtype = str(rng.choice(["complex64", "complex128"]))
    a = values((n, width), dtype)
    x = mp.array(a, mp.Layout([mp.size], a.shape, [-1, 0]))
    one_axis("fft", a, x, 0, None, None)
    one_axis("ifft", a, x, 0, None, "ortho")
    width += width % 2
    a = values((n, width), dtype).real
    spectrum = values((n // 2 + 1, width), dtype)
    one_axis("rfft", a, mp.array(a, mp.Layout([mp.size], a.shape, [-1, 0])), 0, None, None)
    one_axis("irfft", spectrum, mp.array(spectrum, mp.Layout([mp.size], spectrum.shape, [-1, 0])), 0, n, None)
for shape, axes in (((30 * mp.size, 48, 50), [1, 2]), ((35, 45, 50 * mp.size), [0, 1]), ((45, 21, 75 * mp.size), [0, 2, 1]),
                    ((64, 32, 32 * mp.size), [1, 0, 2]), ((33, 40, 51 * mp.size), None), ((34, 46, 50 * mp.size), [1, 0])):
    dtype = str(rng.choice(["complex64", "complex128"]))
    a, axis = values(shape, dtype), int(rng.integers(-1, 3))
    whole = mp.Layout([mp.size], a.shape, [0 if d == axis else -1 for d in range(3)]) if axis >= 0 else None
    several("fftn", a, mp.array(a, whole), axes, None, None)
    several("ifftn", a, mp.array(a, whole), axes, None, None)
    several("rfftn", a.real, mp.array(a.real, whole), axes, None, None)
    several("irfftn", a, mp.array(a, whole), axes, None, None)

# --- what transforms obey ---------------------------------------------------------------------------------------------

for n in 12, 13:  # Nyquist terms of even and odd lengths, whose imaginary parts do not count
    a = values((n // 2 + 1, 6), "complex128")
    one_axis("irfft", a, mp.array(a), 0, n, None)
    one_axis("hfft", a, mp.array(a), 0, n, None)
a = values((9, 10, 6), "float64")
x = mp.array(a, mp.random_layout(rng, a.shape))
half = mp.rfftn(x, 0, None, None, None)
whole = mp.fftn(x, 0, None, None, None).numpy()
mirrored = np.conj(whole[np.ix_(*[-np.arange(n) % n for n in a.shape])])
mp.ok(np.linalg.norm(whole - mirrored) < 1e-13 * np.linalg.norm(whole), "the spectrum of real numbers is Hermitian")
mp.ok(np.linalg.norm(half.numpy() - whole[..., :4]) < 1e-14 * np.linalg.norm(whole), "its half is the real transform's")
mp.ok(abs(np.linalg.norm(whole) ** 2 / a.size - np.linalg.norm(a) ** 2) < 1e-12 * np.linalg.norm(a) ** 2, "Parseval")
close("there and back, real", mp.irfftn(half, 3, a.shape, [0, 1, 2], None), a, "float64", a.size)
close("there and back", mp.ifftn(mp.fftn(x, 0, None, None, None), 0, None, None, None), a + 0j, "complex128", a.size)
for n in 1, 2, 3:
    a = values((n,), "complex128")
    one_axis("fft", a, mp.array(a), 0, None, None)
a = values((0, 5), "float64")
mp.check("no lines to transform", mp.fft(mp.array(a), mp.MNP_NONE, 1, None), np.fft.fft(a, axis=1))
mp.check("lines of zeros alone", mp.fft(mp.array(a), 3, 0, None), np.fft.fft(a, n=3, axis=0))

# --- into the input ---------------------------------------------------------------------------------------------------

a = values((6, 8), "complex128")
x = mp.array(a, mp.random_layout(rng, a.shape))
mp.fft2(x, None, None, None, out=x)
close("into its input", x, np.fft.fft2(a), "complex128", a.size)
y = mp.array(a)
mp.fft2(y[::-1], None, None, None, out=y)
close("from a view into the array", y, np.fft.fft2(a[::-1]), "complex128", a.size)

# --- frequencies and shifts -------------------------------------------------------------------------------------------

for n in 1, 2, 7, 10:
    for d in 1.0, 0.3:
        mp.check(f"fftfreq({n}, {d})", mp.fftfreq(n, d), np.fft.fftfreq(n, d))
        mp.check(f"rfftfreq({n}, {d})", mp.rfftfreq(n, d), np.fft.rfftfreq(n, d))
a, x = random_array(3, "int32")
mp.check("fftshift", mp.fftshift(x, 0, None), np.fft.fftshift(a))
mp.check("ifftshift", mp.ifftshift(x, 0, None), np.fft.ifftshift(a))
mp.check("fftshift of axes", mp.fftshift(x, 2, [0, -1]), np.fft.fftshift(a, axes=(0, -1)))
mp.check("ifftshift of an axis", mp.ifftshift(x, 1, [1]), np.fft.ifftshift(a, axes=1))

# --- refusals ---------------------------------------------------------------------------------------------------------

x, z = mp.array(np.zeros((4, 6))), mp.array(np.zeros((4, 6), complex))
NONE = mp.MNP_NONE
mp.fails("MNP_ERR_ARG", "out of bounds", mp.fft, x, NONE, 2, None)
mp.fails("MNP_ERR_ARG", "given twice", mp.fftn, x, 2, None, [0, -2], None)
mp.fails("MNP_ERR_ARG", "a transform of 0 points", mp.fft, x, 0, -1, None)
mp.fails("MNP_ERR_ARG", "a transform of -3 points", mp.ifft2, x, [3, -3], None, None)
mp.fails("MNP_ERR_ARG", "a transform of 0 points", mp.irfft, mp.array(np.zeros((4, 1))), NONE, 1, None)
mp.fails("MNP_ERR_ARG", "'max' is none of", mp.fft, x, NONE, 0, "max")
mp.fails("MNP_ERR_ARG", "must be real", mp.rfft, z, NONE, 0, None)
mp.fails("MNP_ERR_ARG", "must be real", mp.ihfft, z, NONE, 0, None)
mp.fails("MNP_ERR_ARG", "3 axes", mp.fftn, x, 3, None, None, None)
mp.fails("MNP_ERR_ARG", "without dimensions", mp.fftn, mp.array(np.float64(3)), 0, None, None, None)
mp.fails("MNP_ERR_ARG", "shape", mp.fft, x, NONE, 0, None, out=mp.array(np.zeros((4, 7), complex)))
mp.fails("MNP_ERR_ARG", "same_kind", mp.fft, x, NONE, 0, None, out=x)
mp.fails("MNP_ERR_ARG", "scalar", mp.fft, 2.0, NONE, 0, None)
mp.fails("MNP_ERR_ARG", "0 points", mp.fftfreq, 0, 1.0)
mp.done()
