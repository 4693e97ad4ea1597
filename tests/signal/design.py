# SPDX-License-Identifier: BSD-3-Clause
"""Windows and the design of filters beside scipy.signal.  All of it is computed on the CPU, so one rank would do."""

import ctypes

import maniple as mp
import numpy as np
from scipy import signal

rng = mp.random()


class Filter(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64 if kind == "i" else ctypes.c_double if kind == "k" else
                 ctypes.POINTER(ctypes.c_double)) for name, kind in
                (("nz", "i"), ("np", "i"), ("z", "p"), ("p", "p"), ("k", "k"), ("nb", "i"), ("na", "i"), ("b", "p"),
                 ("a", "p"), ("sections", "i"), ("sos", "p"))]

    def numbers(self, name, count):
        return np.array(getattr(self, name)[:count])

    def forms(self):
        z, p = (self.numbers(name, 2 * count).reshape(-1, 2) @ [1, 1j] for name, count in (("z", self.nz), ("p", self.np)))
        sos = self.numbers("sos", 6 * self.sections).reshape(-1, 6)
        return (z, p, self.k), (self.numbers("b", self.nb), self.numbers("a", self.na)), sos


def made(function, *arguments):
    result = Filter()
    function(*arguments, result)
    forms = result.forms()
    mp.filter_clear(result)
    return forms


def numbers(count, function, *arguments):
    room = (ctypes.c_double * max(count, 1))()
    function(*arguments, room)
    return np.array(room[:count])


def close(name, got, want, bound):
    got, want = np.asarray(got), np.asarray(want)
    error = np.abs(got - want).max() if got.shape == want.shape and got.size else 0
    size = np.abs(want).max() if want.size else 0
    good = got.shape == want.shape and error <= bound * size
    mp.ok(good, name if good else f"{name}: error {error:.3g} of {size:.3g}, {got.shape} {want.shape}")


def ordered(x):
    """Roots, in an order that rounding does not change."""
    return x[np.lexsort((np.round(x.imag, 5), np.round(x.real, 5)))]


def same_roots(got, want):
    left = list(want)
    for root in got:
        left.pop(int(np.argmin(np.abs(np.array(left) - root)))) if left else None
    distance = max((np.abs(want - root).min() / max(1, abs(root)) for root in got), default=0)
    return len(got) == len(want) and not left and distance


# --- windows ----------------------------------------------------------------------------------------------------------

WINDOWS = [(name,) for name in """barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos
    nuttall parzen triang""".split()] + [("chebwin", 60.0), ("dpss", 2.5), ("gaussian", 3.0), ("general_hamming", 0.7),
    ("kaiser", 8.6), ("kaiser", 60.0), ("tukey", 0.3), ("tukey", 0.0), ("tukey", 1.0), ("exponential", None, 3.0),
    ("general_gaussian", 1.5, 4.0), ("taylor", 5, 40.0, True), ("taylor", 4, 30.0, False)]
for name, *parameters in WINDOWS:
    given = [float("nan") if p is None else float(p) for p in parameters]
    for n in (1, 2, 12, 31) if name != "dpss" else (12, 31, 200):
        for sym in True, False:
            got = numbers(n, mp.window, name, len(given), given, n, sym)
            want = getattr(signal.windows, name)(n, *parameters, sym=sym)
            mp.ok(np.allclose(got, want, 0, 1e-12 if name != "dpss" else 1e-9), f"{name} {parameters} {n} {sym}")
got = numbers(20, mp.window, "kaiser_bessel_derived", 1, [4.0], 20, True)
mp.ok(np.allclose(got, signal.windows.kaiser_bessel_derived(20, 4.0), 0, 1e-13), "kaiser_bessel_derived")
got = numbers(20, mp.window, "general_cosine", 3, [0.5, 0.3, 0.2], 20, True)
mp.ok(np.allclose(got, signal.windows.general_cosine(20, [0.5, 0.3, 0.2]), 0, 1e-13), "general_cosine")
for n in 0, 1, 50:
    w = mp.get_window("hann", 0, None, n, True)
    mp.ok(w.dtype == "float64" and np.allclose(w.numpy(), signal.get_window("hann", n) if n else [], 0, 1e-15),
          f"get_window of {n}")
mp.fails("MNP_ERR_ARG", "no window 'x'", mp.get_window, "x", 0, None, 5, True)
mp.fails("MNP_ERR_ARG", "takes 1 parameters, and has 0", mp.get_window, "kaiser", 0, None, 5, True)

# --- filters with feedback --------------------------------------------------------------------------------------------

KINDS = {"butter": (), "cheby1": (1.5,), "cheby2": (35.0,), "ellip": (0.8, 45.0), "bessel": ()}
for kind, decibels in KINDS.items():
    for n in 1, 2, 3, 4, 7, 8:
        for btype, wn in ("lowpass", [0.2]), ("highpass", [0.35]), ("bandpass", [0.2, 0.5]), ("bandstop", [0.25, 0.6]):
            if n > 4 and btype in ("highpass", "bandstop"):
                continue
            name = f"{kind} {n} {btype}"
            arguments = [n, *decibels, wn, btype, False] + [None] * (kind == "bessel") + [0.0]
            (z, p, k), (b, a), sos = made(getattr(mp, kind), *arguments)
            design = getattr(signal, kind)
            zpk = design(n, *decibels, wn if len(wn) > 1 else wn[0], btype, output="zpk")
            mp.ok(same_roots(p, zpk[1]) < 1e-9 and np.isclose(k, zpk[2], 1e-9, 0), f"{name}: poles, gain")
            w = np.linspace(0.01, 3.1, 40)
            want = signal.freqz_zpk(*zpk, w)[1]
            for form, got in (("sections", signal.sosfreqz(sos, w)[1]), ("zeros", signal.freqz_zpk(z, p, k, w)[1])):
                close(f"{name}: {form}", got, want, 1e-9)
            if n < 5:
                close(f"{name}: b", b, design(n, *decibels, wn if len(wn) > 1 else wn[0], btype)[0], 1e-7)
for n in 2, 5:
    for kind, decibels in KINDS.items():
        arguments = [n, *decibels, [3.0, 8.0], "bandpass", True] + ["mag"] * (kind == "bessel") + [0.0]
        (z, p, k), (b, a), sos = made(getattr(mp, kind), *arguments)
        named = {"norm": "mag"} if kind == "bessel" else {}
        want = getattr(signal, kind)(n, *decibels, [3, 8], "bandpass", analog=True, output="zpk", **named)
        mp.ok(same_roots(p, want[1]) < 1e-9 and np.isclose(k, want[2], 1e-9, 0) and len(sos) == n, f"analog {kind} {n}")
        at = 1j * np.linspace(0.5, 20, 40)
        response = np.prod([np.polyval(section[:3], at) / np.polyval(section[3:], at) for section in sos], axis=0)
        close(f"analog {kind} {n}: sections", response, signal.freqs_zpk(*want, at.imag)[1], 1e-9)
def pairs(x):
    return np.array(x, complex).view(float)


def drawn_roots(real, pairs):
    """So many real numbers below 0, and pairs of complex ones."""
    above = -rng.uniform(0.5, 9, pairs) + 1j * rng.uniform(0.5, 9, pairs)
    return np.concatenate([-rng.uniform(0.5, 9, real), above, above.conj()])


for number in range(60):
    zeros, poles = (drawn_roots(*rng.integers(0, 4, 2)) for _ in range(2))
    if len(zeros) > len(poles):
        zeros, poles = poles, zeros
    sos = made(mp.filter_from_zpk, len(zeros), pairs(zeros), len(poles), pairs(poles), 2.0, True)[2]
    at = 1j * np.linspace(0.5, 20, 40)
    response = np.prod([np.polyval(section[:3], at) / np.polyval(section[3:], at) for section in sos], axis=0)
    close(f"analog sections of {len(zeros)} zeros and {len(poles)} poles", response,
          signal.freqs_zpk(zeros, poles, 2.0, at.imag)[1], 1e-9)
for order in 1, 2, 3, 4:
    for btype, wn in ("lowpass", [40.0]), ("highpass", [40.0]), ("bandpass", [10.0, 40.0]), ("bandstop", [10.0, 40.0]):
        sos = made(mp.butter, order, wn, btype, True, 0.0)[2]
        want = signal.butter(order, wn if len(wn) > 1 else wn[0], btype, analog=True, output="sos")
        close(f"analog sections in SciPy's order, {btype} {order}", sos, want, 1e-9)
for order in 4, 6, 5:
    sos = made(mp.butter, order, [40.0], "lowpass", False, 200.0)[2]
    close(f"sections in SciPy's order {order}", sos, signal.butter(order, 40, fs=200, output="sos"), 1e-9)
    sos = made(mp.ellip, order, 1.0, 40.0, [0.2, 0.4], "bandpass", False, 0.0)[2]
    close(f"also of an elliptic filter {order}", sos, signal.ellip(order, 1, 40, [0.2, 0.4], "bandpass", output="sos"), 1e-8)
for name in "iirnotch", "iirpeak":
    b, a = (ctypes.c_double * 3)(), (ctypes.c_double * 3)()
    getattr(mp, name)(60.0, 30.0, 400.0, b, a)
    close(name, [b[:], a[:]], getattr(signal, name)(60, 30, 400), 1e-14)

# --- forms, changes, responses ----------------------------------------------------------------------------------------

z, p = [0.5, -0.3 + 0.2j, -0.3 - 0.2j], [0.9, 0.1 + 0.7j, 0.1 - 0.7j, -0.4]
(gz, gp, k), (b, a), sos = made(mp.filter_from_zpk, 3, pairs(z), 4, pairs(p), 2.0, False)
close("zpk2tf b", b, signal.zpk2tf(z, p, 2)[0], 1e-13)
close("zpk2tf a", a, signal.zpk2tf(z, p, 2)[1], 1e-13)
close("zpk2sos", sos, signal.zpk2sos(z, p, 2), 1e-13)
(gz, gp, k), _, sos = made(mp.filter_from_tf, len(b), b, len(a), a, False)
mp.ok(same_roots(gz, np.array(z)) < 1e-12 and same_roots(gp, np.array(p)) < 1e-12 and np.isclose(k, 2), "tf2zpk")
close("tf2sos", sos, signal.tf2sos(b, a), 1e-11)
pair = np.poly([0.4 + 0.5j, 0.4 - 0.5j]).real
equal = {f"a zero at -1 {n} times": signal.butter(n, 0.3)[0] for n in (2, 3, 4, 5, 7, 8, 11)}
equal |= {"a pair three times": np.poly1d(pair) ** 3, "roots that are near": np.poly([0.9, 0.9, 0.9001, 0.5])}
for what, polynomial in equal.items():  # each root has few digits, and their product has all
    c = np.array(polynomial, float)
    (gz, gp, k), _, _ = made(mp.filter_from_tf, len(c), c, 1, [1.0], True)
    close(f"the product of roots, {what}", k * np.poly(gz), c, 1e-13)
(gz, gp, k), (b, a), _ = made(mp.filter_from_sos, len(sos), sos.ravel())
close("sos2tf", b, signal.sos2tf(sos)[0], 1e-12)
mp.ok(same_roots(gp, signal.sos2zpk(sos)[1]) < 1e-12, "sos2zpk")
for name, arguments in ("lp2lp", [2.0]), ("lp2hp", [2.0]), ("lp2bp", [2.0, 0.5]), ("lp2bs", [2.0, 0.5]), ("bilinear", [2.0]):
    result = Filter()
    mp.filter_from_zpk(1, pairs([-2.5]), 3, pairs([-1, -0.3 + 1j, -0.3 - 1j]), 3.0, True, result)
    getattr(mp, name)(result, *arguments)
    (gz, gp, k), _, _ = result.forms()
    mp.filter_clear(result)
    want = getattr(signal, name + "_zpk")(np.array([-2.5]), np.array([-1, -0.3 + 1j, -0.3 - 1j]), 3.0, *arguments)
    mp.ok(same_roots(gz, want[0]) < 1e-12 and same_roots(gp, want[1]) < 1e-12 and np.isclose(k, want[2], 1e-12), name)
w = np.linspace(0, 3, 50)
close("freqz", numbers(100, mp.freqz, len(b), b, len(a), a, 50, w, 0.0).view(complex), signal.freqz(b, a, w)[1], 1e-12)
close("sosfreqz", numbers(100, mp.sosfreqz, len(sos), sos.ravel(), 50, w, 8.0).view(complex),
      signal.sosfreqz(sos, w, fs=8)[1], 1e-12)

# --- taps -------------------------------------------------------------------------------------------------------------

for taps, cutoff, pass_zero, fs, window in ((31, [0.3], True, 0, "hamming"), (40, [0.3], True, 0, ("kaiser", 5.0)),
                                            (31, [10, 30], False, 100, "hann"), (33, [0.2, 0.6], True, 0, "hamming"),
                                            (33, [0.1, 0.2, 0.6], False, 0, "boxcar"), (5, [0.4], False, 0, "hamming")):
    name, *parameters = (window,) if isinstance(window, str) else window
    got = numbers(taps, mp.firwin, taps, len(cutoff), np.array(cutoff, float), name, len(parameters), parameters,
                  pass_zero, True, float(fs))
    close(f"firwin {taps} {cutoff}", got, signal.firwin(taps, cutoff, window=window, pass_zero=pass_zero, fs=fs or None),
          1e-12)
for taps, freq, gain, odd in ((40, [0, 0.3, 0.6, 1], [1, 1, 0.2, 0], False), (41, [0, 0.5, 0.5, 1], [1, 1, 0, 0], False),
                              (30, [0, 0.5, 1], [0, 1, 1], True), (31, [0, 0.5, 1], [0, 1, 0], True)):
    got = numbers(taps, mp.firwin2, taps, len(freq), np.array(freq, float), np.array(gain, float), 0, None, 0, None, odd, 0.0)
    close(f"firwin2 {taps} {odd}", got, signal.firwin2(taps, freq, gain, antisymmetric=odd), 1e-10)
for taps, bands, desired, weight in ((41, [0, 0.1, 0.15, 0.5], [1, 0], None), (36, [0, 0.1, 0.2, 0.5], [1, 0], [1, 10]),
                                     (55, [0, 0.1, 0.15, 0.3, 0.35, 0.5], [0, 1, 0], None)):
    got = numbers(taps, mp.remez, taps, len(desired), np.array(bands, float), np.array(desired, float), weight, None, 0.0, 25, 16)
    close(f"remez {taps}", got, signal.remez(taps, bands, desired, weight=weight, fs=1), 1e-3)
for taps, bands, desired in ((31, [0.05, 0.45], [1]), (30, [0.05, 0.5], [1]), (41, [0.05, 0.2, 0.25, 0.45], [1, 0])):
    for kind in "hilbert", "differentiator":
        edges = 50 * np.array(bands)
        got = numbers(taps, mp.remez, taps, len(desired), edges, np.array(desired, float), None, kind, 50.0, 25, 16)
        close(f"remez {taps} {kind}", got, signal.remez(taps, bands, desired, type=kind, fs=1), 1e-3)

# --- refusals ---------------------------------------------------------------------------------------------------------

mp.fails("MNP_ERR_ARG", "mnp_butter: wn[0] is 1.5, and must be above 0 and below 1", mp.butter, 4, [1.5], "lowpass", False,
         0.0, Filter())
mp.fails("MNP_ERR_ARG", "n is -1, outside 0..500", mp.butter, -1, [0.5], "lowpass", False, 0.0, Filter())
mp.fails("MNP_ERR_ARG", "btype is 'x'", mp.butter, 2, [0.5], "x", False, 0.0, Filter())
mp.fails("MNP_ERR_ARG", "rs is 1, and must be above rp", mp.ellip, 2, 2.0, 1.0, [0.5], "lowpass", False, 0.0, Filter())
mp.fails("MNP_ERR_ARG", "orders up to 25", mp.bessel, 30, [0.5], "lowpass", False, None, 0.0, Filter())
mp.fails("MNP_ERR_ARG", "not conjugated pairs", mp.filter_from_zpk, 1, pairs([1j]), 0, None, 1.0, False, Filter())
room = (ctypes.c_double * 256)()
mp.fails("MNP_ERR_ARG", "cannot pass the highest", mp.firwin, 30, 1, [0.5], None, 0, None, False, True, 0.0, room)
mp.fails("MNP_ERR_ARG", "bands[2] is 0.05", mp.remez, 30, 2, [0.0, 0.1, 0.05, 0.5], [1.0, 0], None, None, 0.0, 25, 16, room)
for kind, bands, desired in ((None, [0.0, 0.1, 0.2, 0.5], [1.0, 0]), ("hilbert", [0.05, 0.45], [1.0])):
    mp.fails("MNP_ERR_ARG", "does not converge", mp.remez, 201, len(desired), bands, desired, None, kind, 0.0, 25, 16, room)
got = numbers(21, mp.remez, 21, 2, np.array([0.05, 0.1, 0.3, 0.4]), np.ones(2), None, None, 0.0, 25, 16)
close("remez of a response that taps have", got, np.arange(21) == 10, 1e-12)
mp.fails("MNP_ERR_ARG", "the type is 'x'", mp.remez, 30, 1, [0.1, 0.4], [1.0], None, "x", 0.0, 25, 16, room)
mp.done()
