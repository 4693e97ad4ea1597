# SPDX-License-Identifier: BSD-3-Clause
"""Peaks against scipy.signal: positions exactly; heights, prominences and widths to rounding, as each is a few
operations on the same numbers.
"""

import ctypes

import maniple as mp
import numpy as np
from scipy import signal

rng = mp.random()
RANGES = ["plateau_size", "height", "threshold", "distance", "prominence", "width"]
PROPERTIES = ["peaks", "plateau_sizes", "left_edges", "right_edges", "peak_heights", "left_thresholds",
              "right_thresholds", "prominences", "left_bases", "right_bases", "widths", "width_heights", "left_ips",
              "right_ips"]


class Options(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double if name == "distance" else ctypes.c_void_p) for name in RANGES] + [
        ("wlen", ctypes.c_int64), ("rel_height", ctypes.c_double)]


class Peaks(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in PROPERTIES]


def find_peaks(x, **conditions):
    """The peaks and their properties as NumPy's arrays."""
    made, found, keep = Options(), Peaks(), []
    for name, value in conditions.items():
        if name in RANGES and name != "distance":
            low, high = value if isinstance(value, tuple) else (value, None)
            pair = (ctypes.c_double * 2)(-np.inf if low is None else low, np.inf if high is None else high)
            keep.append(pair)
            value = ctypes.addressof(pair)
        setattr(made, name, value)
    mp.find_peaks(x, made, found)
    arrays = {name: mp.Array(getattr(found, name)).numpy() for name in PROPERTIES if getattr(found, name)}
    return arrays.pop("peaks"), arrays


def check(name, got, want):
    """The same names, exactly the same integers, the same floats to rounding."""
    good = list(got[0]) == list(want[0]) and sorted(got[1]) == sorted(want[1])
    for key in want[1] if good else ():
        a, b = got[1][key], want[1][key]
        good = good and a.shape == b.shape and bool((a == b).all() if b.dtype.kind == "i" else np.allclose(a, b, 1e-12, 1e-12))
    mp.ok(bool(good), f"{name}: {len(want[0])} peaks")


def signals():
    """Name and values: smooth, noisy, with plateaus, short, monotonic, with infinities and NaN."""
    t = np.arange(3000)
    yield "noise", rng.standard_normal(2000)
    yield "sines", np.sin(t / 30) + np.sin(t / 7.3) / 3 + rng.standard_normal(t.size) / 50
    yield "steps", rng.integers(0, 4, 700).astype("float64")
    yield "plateaus", np.repeat(rng.integers(0, 9, 60), rng.integers(1, 40, 60)).astype("float32")
    yield "integers", rng.integers(-90, 90, 500).astype("int16")
    yield "rising", np.arange(50.0)
    yield "level", np.ones(31)
    yield "one peak far from its bases", -np.abs(t - 1400.0)
    yield "walls", np.where(t % 700 == 350, 9.0, (t % 97) / 97.0)
    odd = rng.standard_normal(300)
    odd[[3, 77, 78, 200]] = np.nan, np.inf, -np.inf, np.nan
    yield "infinities and NaN", odd
    for n in (0, 1, 2, 3, 5):
        yield f"{n} elements", rng.standard_normal(n)


np.seterr(all="ignore")
for name, a in signals():
    x = mp.array(a, mp.random_layout(rng, a.shape))
    check(f"{name}: all", find_peaks(x), signal.find_peaks(a))
    if "NaN" in name:
        continue
    middle = float(np.median(a)) if a.size else 0.0
    for conditions in ({"height": middle}, {"height": (None, middle), "plateau_size": 1}, {"threshold": 0.05},
                       {"plateau_size": (1, 3), "prominence": 0.3}, {"prominence": (0.2, 2.0), "wlen": 31},
                       {"width": 2.0, "rel_height": 0.8}, {"prominence": 0.1, "width": (None, 90.0), "height": middle}):
        check(f"{name}: {conditions}", find_peaks(x, **conditions), signal.find_peaks(a, **conditions))
    if np.unique(a).size == a.size:  # the order of equal peaks is not specified
        check(f"{name}: distance", find_peaks(x, distance=12.5), signal.find_peaks(a, distance=12.5))
long = np.cumsum(rng.standard_normal(70000))
long[5], long[69000] = 1e4, 2e4
x = mp.array(long, mp.random_layout(rng, long.shape))
check("long walks", find_peaks(x, prominence=20.0, width=1.0), signal.find_peaks(long, prominence=20.0, width=1.0))

# --- measured peaks ---------------------------------------------------------------------------------------------------

a = np.sin(np.arange(900) / 11) + rng.standard_normal(900) / 9
x, peaks = mp.array(a, mp.random_layout(rng, a.shape)), signal.find_peaks(a)[0]
there = mp.array(peaks, mp.random_layout(rng, peaks.shape))
for wlen in (None, 2, 41, 10000):
    want = signal.peak_prominences(a, peaks, wlen)
    for part, got, right in zip(("prominences", "left bases", "right bases"), mp.peak_prominences(x, there, wlen or 0), want):
        mp.check(f"peak_prominences: {part}, wlen {wlen}", got, right)
    for rel in (0.5, 1.0, 0.0):
        want = signal.peak_widths(a, peaks, rel, None, wlen)
        for part, got, right in zip(("widths", "heights", "left", "right"), mp.peak_widths(x, there, rel, wlen or 0), want):
            mp.ok(np.allclose(got.numpy(), right, 1e-12, 1e-12), f"peak_widths: {part}, wlen {wlen}, rel_height {rel}")

# --- blocks that are all NaN beside a peak that is infinite, and outputs that are given -------------------------------

odd = rng.standard_normal(3000)
odd[5], odd[256:1500] = np.inf, np.nan
for start, name in ((odd, "before"), (odd[::-1].copy(), "behind")):
    places = np.array([int(np.argmax(start == np.inf))])
    want = signal.peak_prominences(start, places)
    given = (mp.array(np.zeros(1)), mp.array(np.zeros(1, np.int64)), mp.array(np.zeros(1, np.int64)))
    got = mp.peak_prominences(mp.array(start, mp.random_layout(rng, start.shape)), mp.array(places), 0, out=given)
    for part, g, w in zip(("prominences", "left bases", "right bases"), got, want):
        mp.check(f"NaN {name} an infinite peak: {part}", g, w)

# --- extrema ----------------------------------------------------------------------------------------------------------

COMPARE = {"greater": np.greater, "less": np.less, "greater_equal": np.greater_equal, "less_equal": np.less_equal}
for shape in ((300,), (40, 21), (9, 14, 11), (1,), (2, 5)):
    for comparator in COMPARE:
        axis, order, mode = int(rng.integers(-len(shape), len(shape))), int(rng.choice([1, 2, 5, 60])), str(rng.choice(["clip", "wrap"]))
        a = rng.integers(-5, 6, shape).astype(str(rng.choice(["float32", "float64", "int8", "float16"])))
        if a.dtype.kind == "f":
            a.flat[int(rng.integers(a.size))] = np.nan
        outs = (ctypes.c_void_p * len(shape))()
        mp.argrelextrema(mp.array(a, mp.random_layout(rng, shape)), comparator, axis, order, mode, outs)
        want = signal.argrelextrema(a, COMPARE[comparator], axis, order, mode)
        got = [mp.Array(o).numpy() for o in outs]
        mp.ok(all(np.array_equal(g, w) for g, w in zip(got, want)), f"{comparator} {shape} {a.dtype} axis {axis} order {order} {mode}")
for name in ("argrelmax", "argrelmin"):
    outs = (ctypes.c_void_p * 1)()
    getattr(mp, name)(x, 0, 3, None, outs)
    a = x.numpy()
    mp.check(name, mp.Array(outs[0]), getattr(signal, name)(a, order=3)[0])

# --- refused ----------------------------------------------------------------------------------------------------------

bad = Options(distance=0.5)
mp.fails("MNP_ERR_ARG", "distance is 0.5", mp.find_peaks, x, bad, Peaks())
mp.fails("MNP_ERR_ARG", "must be a real vector", mp.find_peaks, mp.array(np.zeros((3, 3))), None, Peaks())
mp.fails("MNP_ERR_ARG", "wlen is 1", mp.peak_prominences, x, there, 1)
mp.fails("MNP_ERR_ARG", "a peak is outside x", mp.peak_prominences, x, mp.array(np.array([3, 900])), 0)
mp.fails("MNP_ERR_ARG", "'bigger' is no comparator", mp.argrelextrema, x, "bigger", 0, 1, None, (ctypes.c_void_p * 1)())
mp.fails("MNP_ERR_ARG", "the order is 0", mp.argrelmax, x, 0, 0, None, (ctypes.c_void_p * 1)())
mp.done()
