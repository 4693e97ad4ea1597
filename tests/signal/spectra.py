# SPDX-License-Identifier: BSD-3-Clause
"""Spectra and changes of the rate beside scipy.signal, over any layout and axis."""

import ctypes

import maniple as mp
import numpy as np
from scipy import signal

rng = mp.random()

FIELDS = (("fs", ctypes.c_double), ("window", ctypes.c_char_p), ("nparameters", ctypes.c_int),
          ("parameters", ctypes.POINTER(ctypes.c_double)), ("taps", ctypes.POINTER(ctypes.c_double)),
          ("nperseg", ctypes.c_int64), ("noverlap", ctypes.c_int64), ("nfft", ctypes.c_int64),
          ("detrend", ctypes.c_char_p), ("two_sided", ctypes.c_bool), ("scaling", ctypes.c_char_p),
          ("average", ctypes.c_char_p), ("mode", ctypes.c_char_p), ("boundary", ctypes.c_char_p),
          ("unpadded", ctypes.c_bool))


class Options(ctypes.Structure):
    _fields_ = FIELDS


def close(name, got, want, factor=1):
    """Transforms and sums: the error is some units in the last place of the largest value."""
    g, want = got.numpy(), np.asarray(want)
    eps = np.finfo(g.dtype).eps
    size = np.abs(want).max() if want.size else 0
    error = np.abs(g - want).max() if g.shape == want.shape and g.size else 0
    good = g.shape == want.shape and g.dtype == want.dtype and error <= 40 * factor * eps * size
    mp.ok(good, name if good else f"{name}: {g.dtype} {g.shape}, {want.dtype} {want.shape}: error {error:.3g} of {size:.3g}")


def values(shape, dtype):
    a = rng.standard_normal(shape) * 20
    return (a + 20j * rng.standard_normal(shape) if dtype.startswith("complex") else a).astype(dtype)


def options(**named):
    """The struct of SciPy's arguments."""
    made = Options()
    for name, value in named.items():
        if name == "window" and not isinstance(value, str):
            value, made._kept = value[0], (ctypes.c_double * (len(value) - 1))(*value[1:])
            made.nparameters, made.parameters = len(made._kept), made._kept
        if name == "noverlap" and value == 0:
            value = mp.MNP_NONE
        if name == "return_onesided":
            name, value = "two_sided", not value
        if name == "boundary":
            value = value or "none"
        if name == "detrend":
            value = value or "none"
        setattr(made, name, value.encode() if isinstance(value, str) else value)
    return made


# --- averages ---------------------------------------------------------------------------------------------------------

for shape, axis, dtype, named in (
        ((3000,), 0, "float64", {}),
        ((5, 700), 1, "float32", {"fs": 8.0, "nperseg": 100, "window": ("tukey", 0.3), "scaling": "spectrum"}),
        ((900, 4), 0, "complex128", {"nperseg": 64, "noverlap": 10, "nfft": 81, "detrend": "linear"}),
        ((3, 400, 2), 1, "int16", {"nperseg": 51, "average": "median", "window": "boxcar", "detrend": False}),
        ((600,), 0, "float64", {"nperseg": 60, "noverlap": 0, "return_onesided": False}),
        ((70000,), 0, "float64", {}),
        ((2, 9000), 1, "float32", {"nperseg": 1024, "noverlap": 100, "detrend": "linear"}),
        ((5000, 3), 0, "int16", {"nperseg": 130, "nfft": 512, "average": "median"}),
        ((3, 3000, 2), 1, "float64", {"nperseg": 64, "noverlap": 63, "detrend": False}),
        ((20000,), 0, "float64", {"nperseg": 4096, "window": "hamming"}),
        ((4, 100), 1, "float64", {"nperseg": 300})):
    v, w = values(shape, dtype), values(shape, dtype)
    x, y = mp.array(v, mp.random_layout(rng, shape)), mp.array(w, mp.random_layout(rng, shape))
    name = f"{shape} {axis} {dtype} {named}"
    if named.get("nperseg") == 300:  # as many as there are
        named = dict(named, nperseg=100)
        f, p = mp.welch(x, axis, options(nperseg=300))
    else:
        f, p = mp.welch(x, axis, options(**named))
    want = signal.welch(v, axis=axis, **named)
    close(f"welch {name}", p, want[1])
    close("its frequencies", f, want[0])
    close("csd", mp.csd(x, y, axis, options(**named))[1], signal.csd(v, w, axis=axis, **named)[1])
    if "average" not in named and named.get("nperseg") != 100 and "scaling" not in named:
        close("coherence", mp.coherence(x, y, axis, options(**named))[1],
              signal.coherence(v, w, axis=axis, **{k: a for k, a in named.items() if k != "return_onesided"})[1]
              if named.get("return_onesided", True) else mp.coherence(x, y, axis, options(**named))[1].numpy(), 10)
    named = {k: a for k, a in named.items() if k not in ("nperseg", "noverlap", "average", "nfft")}
    close("periodogram", mp.periodogram(x, axis, options(**named))[1], signal.periodogram(v, axis=axis, **named)[1], 2)
v = values((90,), "float64")
x = mp.array(v)
for n in 40, 128:
    close(f"periodogram of {n} points", mp.periodogram(x, 0, options(nfft=n))[1], signal.periodogram(v, nfft=n)[1], 2)

# --- over time, and back ----------------------------------------------------------------------------------------------

for shape, axis, dtype, named in (
        ((2000,), 0, "float64", {"nperseg": 100}),
        ((3, 500), 1, "float32", {"nperseg": 64, "noverlap": 48, "fs": 10.0}),
        ((9001,), 0, "float64", {"nperseg": 256, "noverlap": 100}),
        ((5000, 2), 0, "int16", {"nperseg": 100, "nfft": 128}),
        ((3000, 2), 0, "float32", {"nperseg": 512}),
        ((300, 2), 0, "complex128", {"nperseg": 41, "noverlap": 20, "nfft": 64}),
        ((2, 200, 3), 1, "float64", {"nperseg": 30, "boundary": None, "window": "hamming"})):
    v = values(shape, dtype)
    x = mp.array(v, mp.random_layout(rng, shape))
    f, t, z = mp.stft(x, axis, options(**named))
    scipy_named = dict(named, **({"return_onesided": False} if dtype.startswith("complex") else {}))
    want = signal.stft(v, axis=axis, **scipy_named)
    for part, got, right in zip(("frequencies", "times", "stft"), (f, t, z), want):
        close(f"{part} {shape} {named}", got, right)
    psd = {k: a for k, a in named.items() if k != "boundary"}
    for mode in "psd", "complex", "magnitude":
        got = mp.spectrogram(x, axis, options(mode=mode, **psd))
        right = signal.spectrogram(v, axis=axis, mode=mode, **psd,
                                   **({"return_onesided": False} if dtype.startswith("complex") else {}))
        close(f"spectrogram {mode}", got[2], right[2])
        close("its times", got[1], right[1])
    if axis == len(shape) - 1:
        back = {k: a for k, a in named.items() if k not in ("detrend",)}
        right = signal.istft(want[2], **back)
        got = mp.istft(z, options(**back))
        close("and back", got[1], right[1].astype(v.dtype))
        close("times", got[0], np.arange(right[1].shape[-1]) / named.get("fs", 1))  # SciPy takes the first dimension's
        again = mp.array(want[2].astype(str(z.dtype)), mp.random_layout(rng, z.shape))
        close("from any layout", mp.istft(again, options(**back))[1], right[1].astype(v.dtype))

v = values((5000,), "float64")
v[1300] = np.nan
got, want = mp.spectrogram(mp.array(v), 0, options(nperseg=256))[2].numpy(), signal.spectrogram(v, nperseg=256)[2]
mp.ok((np.isnan(got) == np.isnan(want)).all() and np.allclose(got, want, 1e-9, 1e-9 * np.nanmax(want), True),
      "a segment with NaN leaves the others as they are")

# --- trends, rates ----------------------------------------------------------------------------------------------------

for shape, axis, dtype in ((501,), 0, "float64"), ((4, 60), 1, "float32"), ((80, 3, 2), 0, "int32"), ((64, 5), 0, "complex128"):
    v = values(shape, dtype)
    x = mp.array(v, mp.random_layout(rng, shape))
    n = shape[axis]
    for num in n // 2, n - 1, n, n + 7, 2 * n:
        right = signal.resample(v, num, axis=axis)
        close(f"resample {shape} {dtype} to {num}", mp.resample(x, num, axis), right)
    for up, down in (3, 2), (1, 4), (5, 10), (2, 2):
        close(f"resample_poly {up}/{down}", mp.resample_poly(x, up, down, axis, 0, None),
              signal.resample_poly(v.astype(np.result_type(v, "float32")), up, down, axis=axis), 10)
    for ftype, zero_phase in ("iir", True), ("iir", False), ("fir", True), ("fir", False):
        close(f"decimate {ftype} {zero_phase}", mp.decimate(x, 3, 0, ftype, axis, zero_phase),
              signal.decimate(v, 3, ftype=ftype, axis=axis, zero_phase=zero_phase), 1e4)
    close("czt", mp.czt(x, mp.MNP_NONE, None, None, axis), signal.czt(v.astype(np.result_type(v, "complex128")), axis=axis), 1e4)
    w, a = np.exp(-0.05j), 0.98 * np.exp(0.3j)
    close("czt along a spiral", mp.czt(x, 20, [w.real, w.imag], [a.real, a.imag], axis),
          signal.czt(v.astype(np.result_type(v, "complex128")), 20, w, a, axis=axis), 1e4)
    if dtype.startswith("complex"):
        continue
    for points in None, n + 5:
        close(f"hilbert {points}", mp.hilbert(x, mp.MNP_NONE if points is None else points, axis),
              signal.hilbert(v.astype("float64" if dtype == "int32" else dtype), points, axis=axis))
    close("detrend", mp.detrend(x, axis, None, 0, None), signal.detrend(v, axis), 10)
    close("in pieces", mp.detrend(x, axis, "linear", 2, [10, 33]), signal.detrend(v, axis, bp=[10, 33]), 10)
    close("a constant", mp.detrend(x, axis, "constant", 0, None), signal.detrend(v, axis, "constant"), 10)

# --- refusals ---------------------------------------------------------------------------------------------------------

x = mp.array(np.ones((4, 50)))
mp.fails("MNP_ERR_ARG", "noverlap is 20, and must be below nperseg, which is 20", mp.welch, x, 1,
         options(nperseg=20, noverlap=20))
mp.fails("MNP_ERR_ARG", "nfft is 10", mp.welch, x, 1, options(nperseg=20, nfft=10))
mp.fails("MNP_ERR_ARG", "detrend is 'x'", mp.welch, x, 1, options(detrend="x"))
mp.fails("MNP_ERR_ARG", "no window 'x'", mp.stft, x, 1, options(window="x"))
mp.fails("MNP_ERR_ARG", "axis", mp.stft, x, 3, None)
mp.fails("MNP_ERR_ARG", "must have one shape", mp.csd, x, x[0], 0, None)
mp.fails("MNP_ERR_ARG", "num is 0", mp.resample, x, 0, 1)
mp.fails("MNP_ERR_ARG", "up is 0", mp.resample_poly, x, 0, 1, 1, 0, None)
mp.fails("MNP_ERR_ARG", "ftype is 'x'", mp.decimate, x, 2, 0, "x", 1, True)
mp.fails("MNP_ERR_ARG", "breaks[1] is 3", mp.detrend, x, 1, None, 2, [5, 3])
mp.done()
