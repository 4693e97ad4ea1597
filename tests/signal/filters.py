# SPDX-License-Identifier: BSD-3-Clause
"""Linear filters along an axis beside scipy.signal: with and without feedback, their states, forward and backward,
over any layout, from views, into given arrays, and lines that are divided into many parts.
"""

import ctypes
import os

os.environ.setdefault("MANIPLE_THREADS", "9")  # so the host divides long lines into 72 parts, which it joins in groups

import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
from scipy import signal  # noqa: E402

rng = mp.random()


def close(name, got, want, bound=1e-12):
    g, want = got.numpy(), np.asarray(want)
    size = np.abs(want).max() if want.size else 0
    error = np.abs(g - want).max() if g.shape == want.shape and g.size else 0
    good = g.shape == want.shape and g.dtype == want.dtype and error <= bound * size
    mp.ok(good, name if good else f"{name}: {g.dtype} {g.shape}, {want.dtype} {want.shape}: error {error:.3g} of {size:.3g}")


def poles(order):
    """The denominator of a stable filter: poles within 0.9, whose powers stay small enough for the bound."""
    pairs = 0.9 * np.sqrt(rng.random(order // 2)) * np.exp(1j * np.pi * rng.random(order // 2))
    return np.real(np.poly(np.concatenate([pairs, pairs.conj(), rng.uniform(-0.9, 0.9, order % 2)])))


def numbers(count, function, *arguments):
    """What a function writes to an array of so many numbers, its last parameter."""
    room = (ctypes.c_double * max(count, 1))()
    function(*arguments, room)
    return np.array(room[:count])


def values(shape, dtype):
    a = rng.standard_normal(shape) * 20
    if dtype.startswith("complex"):
        a = a + 20j * rng.standard_normal(shape)
    return (a > 0) if dtype == "bool" else (abs(a) if dtype.startswith("u") else a).astype(dtype)


def lfilter(b, a, x, axis, zi=None, **named):
    return mp.lfilter(len(b), b, len(a), a, x, axis, zi, **named)


def sosfilt(sos, x, axis, zi=None, **named):
    return mp.sosfilt(len(sos), np.ravel(sos), x, axis, zi, **named)


# --- lfilter: any order, layout, axis and dtype, with states and without ----------------------------------------------

for number, (shape, dtype) in enumerate([((5000,), "float64"), ((9, 400), "float32"), ((7, 60, 5), "complex128"),
                                         ((40, 3), "int16"), ((6, 50), "complex64"), ((1, 1), "bool"), ((3,), "uint8"),
                                         ((30, 8), "float16")][:3 if mp.FEW else 8]):
    for form in "iir", "fir":
        axis = int(rng.integers(len(shape)))
        order = int(rng.integers(1, 6))
        b = rng.standard_normal(int(rng.integers(1, 8)))
        a = poles(order) * 2 if form == "iir" else np.array([0.5])
        v = values(shape, dtype)
        x = mp.array(v, mp.random_layout(rng, shape))
        close(f"lfilter {form} {shape} {dtype} axis {axis}", lfilter(b, a, x, axis, zf_p=None),
              signal.lfilter(b, a, v, axis))
        states = list(shape)
        states[axis] = max(len(a), len(b)) - 1
        zi = values(states, "complex128" if number % 3 == 1 else "float64")
        y, zf = lfilter(b, a, x, axis, mp.array(zi, mp.random_layout(rng, states)))
        want, state = signal.lfilter(b, a, v, axis, zi)
        close("with zi", y, want)
        close("and zf", zf, state)

# --- lines of many parts; ranks without elements; a filter that is used again -----------------------------------------

b, a = signal.butter(4, 0.3)
x = mp.array(np.ones((0, 4)))
close("no lines", lfilter(b, a, x, 1, zf_p=None), np.ones((0, 4)))
close("no elements", lfilter(b, a, x, 0, zf_p=None), np.ones((0, 4)))
close("no elements, no feedback", lfilter(b, [1], x, 0, zf_p=None), np.ones((0, 4)))
for n in 1, 2, 7, 100, 30000, 70001:
    v = values((n,), "float64")
    x = mp.array(v, mp.random_layout(rng, (n,)))
    close(f"{n} elements", lfilter(b, a, x, 0, zf_p=None), signal.lfilter(b, a, v))
    close("in sections", sosfilt(signal.tf2sos(b, a), x, -1, zf_p=None), signal.sosfilt(signal.tf2sos(b, a), v))
cuts = [0] + [5] * (mp.size - 1) + [12]
x = mp.array(values((12,), "float64"), mp.Layout([mp.size], (12,), [0], [cuts]))
close("most ranks have nothing", lfilter(b, a, x, 0, zf_p=None), signal.lfilter(b, a, x.numpy()))
v = values((20000, 2), "float64")
x = mp.array(v, mp.Layout([mp.size], v.shape, [0, -1]))
y, zf = lfilter([1], [1, -1], x, 0, mp.array(np.ones((1, 2))))
close("a sum", y, 1 + np.cumsum(v, 0))
close("its end", zf, 1 + v.sum(0, keepdims=True))

# --- the borders of tiles, of groups of tiles, and of sets of groups, into which a GPU divides lines ------------------


def resonance(radius):
    """A filter of two poles near the circle, whose rounding errors add up over about 1 / (1 - radius) elements."""
    return [1.0, 0.3], [1, -2 * radius * np.cos(0.3), radius**2]


one_pole = [1.0], [1, -0.9999]
for n in 63, 64, 253, 254, 1021, 1022, 2045, 2046, 4093, 4095, 4097, 8189, 131071, 131073, 4200003:
    v = values((n,), "float64")
    x = mp.array(v, mp.random_layout(rng, (n,)))
    for name, (b, a), radius in ("one pole", one_pole, 0.9999), ("a resonance", resonance(0.999), 0.999):
        zi = rng.standard_normal(len(a) - 1)
        y, zf = lfilter(b, a, x, 0, mp.array(zi))
        want, state = signal.lfilter(b, a, v, zi=zi)
        bound = 1e-13 + 16 * np.finfo(float).eps / (1 - radius)
        close(f"{name}, {n} elements", y, want, bound)
        mp.ok(np.abs(zf.numpy() - state).max() <= bound * np.abs(want).max(), "where it ends")
for order in (2, 17) if mp.FEW else (1, 2, 3, 7, 8, 11, 16, 17):
    pairs = 0.5 * np.exp(1j * np.pi * rng.random(order // 2))
    a = np.real(np.poly(np.concatenate([pairs, pairs.conj(), rng.uniform(-0.5, 0.5, order % 2)])))
    b, v = rng.standard_normal(order + 1), values((2, 5000), "float64")
    close(f"order {order}", lfilter(b, a, mp.array(v, mp.random_layout(rng, v.shape)), 1, zf_p=None),
          signal.lfilter(b, a, v, 1), 1e-11)
# too many numbers for tiles, so that GPUs divide its lines into parts as well, and a pole that is felt from part to part
b, a = np.ones(1), np.convolve([1, -0.9999], [1] + 15 * [0] + [-0.5])
for n in 8191, 8321, 20011, 150001:
    v, zi = values((n,), "float64"), rng.standard_normal(17)
    y, zf = lfilter(b, a, mp.array(v, mp.random_layout(rng, (n,))), 0, mp.array(zi))
    want, state = signal.lfilter(b, a, v, zi=zi)
    close(f"order 17, {n} elements", y, want, 1e-10)
    mp.ok(np.abs(zf.numpy() - state).max() <= 1e-10 * np.abs(want).max(), "where it ends")
for sections in (2, 9) if mp.FEW else (1, 2, 3, 5, 8, 9):
    sos = np.array([np.concatenate([rng.standard_normal(3), poles(2)]) for _ in range(sections)])
    v = values((9001,), str(rng.choice(["float64", "complex64", "float32"])))
    wide = v.astype(np.result_type(v, "float64"))
    close(f"{sections} sections", sosfilt(sos, mp.array(v, mp.random_layout(rng, v.shape)), 0, zf_p=None),
          signal.sosfilt(sos, wide))
v = np.zeros(9000)
v[8000] = 1
close("a filter that grows, from zeros on", lfilter([1], [1, -1.5], mp.array(v), 0, zf_p=None),
      signal.lfilter([1], [1, -1.5], v))
v = values((30000,), "float64")
v[9000] = np.nan
got = lfilter([1], [1, -0.5], mp.array(v), 0, zf_p=None).numpy()
mp.ok((np.isnan(got) == (np.arange(30000) >= 9000)).all(), "what follows on NaN is NaN")
b, a = signal.butter(4, 0.3)
v = values((6, 9000), "float32")
x = mp.array(v)
for view, part in (x[:, 1:], v[:, 1:]), (x[::2, 3:], v[::2, 3:]), (x[:, ::-1], v[:, ::-1]), (x[1:, ::3], v[1:, ::3]):
    close(f"a view of long lines {part.shape}", lfilter(b, a, view, 1, zf_p=None),
          signal.lfilter(b, a, part.astype("float64"), 1))

# --- views, and arrays that are given ---------------------------------------------------------------------------------

v = values((12, 90, 3), "float64")
x = mp.array(v, mp.random_layout(rng, v.shape))
close("a view", lfilter(b, a, x[::2, ::-1, 1], 1, zf_p=None), signal.lfilter(b, a, v[::2, ::-1, 1], 1))
close("one line of a view", lfilter(b, a, x[3, ::3, 2], 0, zf_p=None), signal.lfilter(b, a, v[3, ::3, 2]))
y = mp.array_new("float32", mp.random_layout(rng, v.shape))
lfilter(b, a, x, 1, zf_p=None, out=y)
close("into float32", y, signal.lfilter(b, a, v, 1).astype("float32"), 1e-6)
want = signal.sosfilt(signal.tf2sos(b, a), v, 0)
sosfilt(signal.tf2sos(b, a), x, 0, zf_p=None, out=x)
close("in place", x, want)

# --- sections, and their states ---------------------------------------------------------------------------------------

for shape, axis in ((4000,), 0), ((5, 6, 40), 2), ((60, 7), 0):
    sections = int(rng.integers(1, 6))
    sos = np.array([np.concatenate([rng.standard_normal(3), poles(2)]) for _ in range(sections)])
    v = values(shape, str(rng.choice(["float64", "complex128", "int32"])))
    states = list(shape)
    states[axis] = 2
    zi = rng.standard_normal([sections] + states)
    x = mp.array(v, mp.random_layout(rng, shape))
    y, zf = sosfilt(sos, x, axis, mp.array(zi, mp.random_layout(rng, zi.shape)))
    want, state = signal.sosfilt(sos, v.astype(np.result_type(v, "float64")), axis, zi)
    close(f"sosfilt {shape} {v.dtype}", y, want)
    close("and zf", zf, state)

# --- steady states ----------------------------------------------------------------------------------------------------

for b, a in (rng.standard_normal(3), poles(4)), (rng.standard_normal(5), 3 * poles(2)), ([1.0, 2], [2.0]):
    zi = numbers(max(len(a), len(b)) - 1, mp.lfilter_zi, len(b), b, len(a), a)
    mp.ok(np.allclose(zi, signal.lfilter_zi(b, a), 1e-12, 1e-13), "lfilter_zi")
sos = signal.butter(6, 0.2, output="sos")
zi = numbers(6, mp.sosfilt_zi, 3, sos.ravel()).reshape(3, 2)
mp.ok(np.allclose(zi, signal.sosfilt_zi(sos), 1e-12, 1e-13), "sosfilt_zi")

# --- forward and backward ---------------------------------------------------------------------------------------------

for shape, axis in ((800,), 0), ((6, 90), 1), ((70, 4, 2), 0):
    v = values(shape, str(rng.choice(["float64", "complex128", "float32"])))
    x = mp.array(v, mp.random_layout(rng, shape))
    for padtype, padlen in (None, None), ("even", 11), ("constant", 3), ("none", None), ("odd", 0):
        b, a = rng.standard_normal(4), poles(3)
        named = {"padtype": padtype or "odd" if padtype != "none" else None, "padlen": padlen}
        length = mp.MNP_NONE if padlen is None else padlen
        close(f"filtfilt {shape} {padtype} {padlen}", mp.filtfilt(4, b, 4, a, x, axis, padtype, length),
              signal.filtfilt(b, a, v, axis, **named), 1e-11)
        close("in sections", mp.sosfiltfilt(3, sos.ravel(), x, axis, padtype, length),
              signal.sosfiltfilt(sos, v, axis, **named), 1e-11)
    taps = rng.standard_normal(5)
    close("without feedback", mp.filtfilt(5, taps, 1, [2.0], x, axis, None, mp.MNP_NONE),
          signal.filtfilt(taps, 2, v, axis), 1e-11)

b, a = signal.butter(4, 0.2)
sos = signal.butter(6, 0.2, output="sos")
for n, padlen in (70, 15), (4066, 15), (4096, 14), (9001, 40), (140000, 15):
    for dtype in "float64", str(rng.choice(["complex128", "float32", "int16"])):
        v = values((2, n), dtype)
        x = mp.array(v, mp.random_layout(rng, v.shape))
        padtype = str(rng.choice(["odd", "even", "constant"]))
        close(f"filtfilt of {n} {dtype} {padtype}", mp.filtfilt(5, b, 5, a, x, 1, padtype, padlen),
              signal.filtfilt(b, a, v, 1, padtype=padtype, padlen=padlen), 1e-11)
        close("in sections", mp.sosfiltfilt(3, sos.ravel(), x, 1, padtype, padlen),
              signal.sosfiltfilt(sos, v, 1, padtype=padtype, padlen=padlen), 1e-11)
v = values((2, 5000), "float64")
x = mp.array(v, mp.random_layout(rng, v.shape))
want = signal.filtfilt(b, a, v, 1)
y = mp.array_new("float32", mp.random_layout(rng, v.shape))
mp.filtfilt(5, b, 5, a, x, 1, None, mp.MNP_NONE, out=y)
close("filtfilt into float32", y, want.astype("float32"), 1e-6)
mp.filtfilt(5, b, 5, a, x, 1, None, mp.MNP_NONE, out=x)
close("and in place", x, want, 1e-11)

# --- rates, division, polynomials -------------------------------------------------------------------------------------

for _ in range(6):
    shape = [(300,), (5, 70), (40, 6)][int(rng.integers(3))]
    axis, up, down = int(rng.integers(len(shape))), *(int(i) for i in rng.integers(1, 6, 2))
    h, v = rng.standard_normal(int(rng.integers(1, 30))), values(shape, str(rng.choice(["float64", "complex128"])))
    x = mp.array(v, mp.random_layout(rng, shape))
    close(f"upfirdn {shape} {up} {down} {len(h)}", mp.upfirdn(len(h), h, x, up, down, axis),
          signal.upfirdn(h, v, up, down, axis))
for up, down, count in (3, 2, 61), (1, 8, 161), (7, 5, 3), (1, 16, 5), (1, 17, 40), (16, 1, 300), (50, 3, 100), (2, 3, 1):
    for shape, axis in ((4000,), 0), ((3, 1100), 1), ((1100, 3), 0), ((300, 41), 0), ((41, 300), 1):
        h, v = rng.standard_normal(count), values(shape, str(rng.choice(["float64", "complex128", "float32"])))
        close(f"upfirdn of long lines {shape} {v.dtype} {up} {down} {count}",
              mp.upfirdn(count, h, mp.array(v, mp.random_layout(rng, shape)), up, down, axis),
              signal.upfirdn(h, v.astype(np.result_type(v, "float64")), up, down, axis))
v, h = rng.standard_normal(3000), rng.standard_normal(700)
close("more taps than a run", lfilter(h, [1], mp.array(v), 0, zf_p=None), signal.lfilter(h, [1], v))

divisor = poles(3)
v = rng.standard_normal(90)
quotient, remainder = mp.deconvolve(mp.array(v, mp.random_layout(rng, v.shape)), 4, divisor)
want = signal.deconvolve(v, divisor)
close("deconvolve", quotient, want[0])
mp.ok(np.allclose(remainder.numpy(), want[1], 0, 1e-12 * abs(v).max()), "and what remains")
quotient, remainder = mp.deconvolve(mp.array(v[:3]), 4, divisor)
close("a short signal", remainder, v[:3])

for window, order, deriv in (7, 2, 0), (5, 4, 1), (8, 3, 2), (15, 5, 0), (1, 0, 0), (5, 1, 2):
    got = numbers(window, mp.savgol_coeffs, window, order, deriv, 0.5, -1.0, None)
    want = signal.savgol_coeffs(window, order, deriv, 0.5)
    mp.ok(np.allclose(got, want, 0, 1e-9 * abs(want).max() + 1e-13), f"savgol_coeffs {window} {order} {deriv}")
    got = numbers(window, mp.savgol_coeffs, window, order, deriv, 0.5, window - 1.0, "dot")
    want = signal.savgol_coeffs(window, order, deriv, 0.5, window - 1, "dot")
    mp.ok(np.allclose(got, want, 0, 1e-9 * abs(want).max() + 1e-13), "at the end")
for mode in "interp", "mirror", "constant", "nearest", "wrap":
    shape = [(90,), (4, 50), (40, 3)][int(rng.integers(3))]
    axis = int(np.argmax(shape))
    v = values(shape, str(rng.choice(["float64", "float32", "int16"])))
    got = mp.savgol_filter(mp.array(v, mp.random_layout(rng, shape)), 9, 3, 1, 0.7, axis, mode, 2.5)
    # on a GPU sums are in the type of the result; those at the ends have terms that are larger than they are
    terms = max(np.abs(signal.savgol_coeffs(9, 3, 1, 0.7, pos=at)).sum() for at in (0, 4)) * np.abs(v).max()
    exact = v.astype("float64") if v.dtype == "float32" else v  # SciPy 1.17 fits the ends of float32 in that type
    want = signal.savgol_filter(exact, 9, 3, 1, 0.7, axis, mode, 2.5).astype("float32" if v.dtype == "float32" else float)
    close(f"savgol_filter {mode} {v.dtype} {shape}", got, want,
          9 * 2 ** -23 * terms / np.abs(want).max() if v.dtype == "float32" else 1e-11)

# --- refusals ---------------------------------------------------------------------------------------------------------

x = mp.array(np.ones((4, 5)))
mp.fails("MNP_ERR_ARG", "mnp_lfilter: a[0] is 0", lfilter, [1.0], [0.0, 1], x, 0)
mp.fails("MNP_ERR_ARG", "axis", lfilter, [1.0], [1.0, 1], x, 2)
mp.fails("MNP_ERR_ARG", "2 elements along axis 1", lfilter, [1.0, 2, 3], [1.0, 1], x, 1, x)
mp.fails("MNP_ERR_ARG", "a0 of section 0 is 2", sosfilt, [[1.0, 0, 0, 2, 0, 0]], x, 1)
mp.fails("MNP_ERR_ARG", "padlen is 9, and must be 0 or more and below the 5", mp.filtfilt, 2, [1.0, 1], 3, [1, 0.5, 0],
         x, 1, None, mp.MNP_NONE)
mp.fails("MNP_ERR_ARG", "padtype is 'x'", mp.filtfilt, 2, [1.0, 1], 1, [1.0], x, 1, "x", mp.MNP_NONE)
mp.fails("MNP_ERR_ARG", "sum to 0", mp.filtfilt, 1, [1.0], 2, [1.0, -1], x, 1, None, 1)
mp.fails("MNP_ERR_ARG", "up is 0", mp.upfirdn, 1, [1.0], x, 0, 1, 0)
mp.fails("MNP_ERR_ARG", "polyorder is 5", mp.savgol_filter, x, 5, 5, 0, 1.0, 1, None, 0.0)
mp.fails("MNP_ERR_ARG", "window_length is 7", mp.savgol_filter, x, 7, 2, 0, 1.0, 1, None, 0.0)
mp.fails("MNP_ERR_ARG", "the signal has 2 dimensions", mp.deconvolve, x, 1, [1.0])
mp.done()
