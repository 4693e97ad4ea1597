# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's functions about filters and windows themselves, which are of NumPy's arrays."""

import warnings

import maniple as mp
import numpy as np
import scipy.signal

from . import ok, raises, rng, scipy_since

ours, theirs = mp.signal, scipy.signal


def near(name, got, want, rtol=1e-9):
    """Results are as many arrays or numbers, of as many elements, and equal to rtol of the largest."""
    got, want = (v if isinstance(v, tuple) else (v,) for v in (got, want))
    good = len(got) == len(want) and all(
        np.shape(g) == np.shape(w) and np.allclose(g, w, rtol, rtol * np.abs(w).max(initial=1))
        for g, w in zip(got, want))
    ok(good, name if good else f"{name}: {got!r} where {want!r} is right")


def both(name, *arguments, rtol=1e-9, **named):
    near(f"{name} {arguments!r:.60} {named}", getattr(ours, name)(*arguments, **named),
         getattr(theirs, name)(*arguments, **named), rtol)


def ordered(values):
    """Roots, or other arrays, whose order is not told."""
    return tuple(np.sort_complex(np.round(np.atleast_1d(v), 12)) for v in values)


def check_kinds_of_roots():
    """Roots are real or complex where SciPy's are."""
    for name, more in (("butter", ()), ("cheby1", (1,)), ("cheby2", (30,)), ("bessel", ())):
        for n, analog in ((1, False), (2, True), (3, False)):
            for btype, edges in (("low", 0.3), ("HighPass", 0.3), ("bandpass", [0.2, 0.4]), ("bs", [0.2, 0.4])):
                (z, p, _), (theirs_z, theirs_p, _) = (getattr(of, name)(n, *more, edges, btype, analog, output="zpk")
                                                      for of in (ours, theirs))
                ok((z.dtype, p.dtype) == (theirs_z.dtype, theirs_p.dtype),
                   f"roots of {name} {n} {btype} {analog}: {z.dtype}")
    real, several = np.array([-1.0]), np.array([-0.5, -0.2])
    for name in ("lp2lp_zpk", "lp2hp_zpk", "lp2bp_zpk", "lp2bs_zpk", "bilinear_zpk"):
        more = (2.0,) if name == "bilinear_zpk" else ()
        for z, p in ((real, several), ([], several), (real, several + 0j), (real + 0j, several)):
            got, want = (ordered(getattr(of, name)(z, p, 1.0, *more)) for of in (ours, theirs))
            kinds = [[r.dtype for r in getattr(of, name)(z, p, 1.0, *more)[:2]] for of in (ours, theirs)]
            near(f"{name} of {z} and {p}", got, want, 1e-12)
            ok(kinds[0] == kinds[1], f"{name} of {z} and {p} gives {kinds[0]}")


EDGES = ((0.2, 0.3), (0.3, 0.2), ([0.2, 0.5], [0.1, 0.6]), ([0.1, 0.6], [0.2, 0.5]), ([0.1, 0.7], [0.2, 0.35]))


def check_orders():
    for name in ("buttord", "cheb1ord", "cheb2ord", "ellipord"):
        for wp, ws in EDGES:
            stops = np.ndim(wp) and wp[0] < ws[0]  # SciPy searches for the edges, to 1e-5
            rtol = 1e-4 if stops else 1e-9
            both(name, wp, ws, 1, 40, rtol=rtol)
            both(name, np.multiply(wp, 50), np.multiply(ws, 50), 0.5, 60, fs=100, rtol=rtol)
            both(name, np.multiply(wp, 50), np.multiply(ws, 50), 3, 20, True, rtol=1e-4 if stops else 1e-9)
    for kind in ("butter", "chebyshev1", "cheby2", "ellip"):
        for wp, ws in EDGES[:3]:
            both("iirdesign", wp, ws, 1, 40, ftype=kind, rtol=1e-6)
    near("iirdesign, sections", theirs.sos2tf(ours.iirdesign(0.2, 0.3, 1, 40, output="sos")),
         theirs.iirdesign(0.2, 0.3, 1, 40), 1e-7)
    both("iirfilter", 4, [0.2, 0.4], 1, 30, "bs", ftype="cauer", rtol=1e-8)
    both("iirfilter", 4, [20, 40], fs=100, rtol=1e-8)
    both("iirfilter", 5, 20, 1, btype="high", analog=True, ftype="cheby1", rtol=1e-8)
    both("iirfilter", 4, 0.2, btype="lp", ftype="bessel_mag", rtol=1e-8)
    for kind in ("notch", "peak"):
        for pass_zero in (True, False):
            both("iircomb", 10, 30, kind, 200, pass_zero=pass_zero)
    for name, *arguments in (("buttap", 5), ("cheb1ap", 5, 1), ("cheb2ap", 4, 30), ("ellipap", 5, 1, 40),
                             ("besselap", 5), ("besselap", 4, "mag")):
        near(f"{name} {arguments}", *(ordered(getattr(of, name)(*arguments)) for of in (ours, theirs)), 1e-8)
    both("firls", 31, [0, 0.2, 0.3, 0.6, 0.7, 1], [1, 1, 0, 0.5, 0, 0], weight=[1, 2, 3])
    both("firls", 21, [0, 10, 20, 50], [1, 1, 0, 0], fs=100)
    for count in (41, 40):
        h = theirs.firwin(count, 0.3)
        size = np.abs(np.fft.fft(h, 4096))
        for name, got, want, error in (  # the root of a gain that goes through 0 has a kink, which takes more taps
            ("half the decibels", ours.minimum_phase(h), np.sqrt(size), 0.06),
            ("by Hilbert's transform", ours.minimum_phase(h, "hilbert", 4096), np.sqrt(size), 0.06),
            ("all of them", ours.minimum_phase(h, half=False), size, 0.001),
        ):
            ok(np.abs(np.abs(np.fft.fft(got, 4096)) - want).max() < error and np.abs(np.roots(got)).max() < 1.01,
               f"minimum_phase of {count} taps, {name}")
    if scipy_since("1.18"):  # those before leave out the highest frequency
        both("minimum_phase", h)
        both("minimum_phase", h, n_fft=513, half=False)
    raises(ValueError, "should be apart", "equal bands", lambda: ours.buttord(0.2, 0.2, 1, 40))
    raises(ValueError, "gstop the larger one", "a flat filter", lambda: ours.ellipord(0.2, 0.3, 40, 1))
    raises(ValueError, "one should lie within", "crossed bands",
           lambda: ours.iirdesign([0.1, 0.4], [0.2, 0.5], 1, 40))
    raises(ValueError, "rs should be given", "no ripple", lambda: ours.iirfilter(4, 0.2, 1, btype="low", ftype="ellip"))
    raises(ValueError, "whose order no function", "an order of Bessel's",
           lambda: ours.iirdesign(0.2, 0.3, 1, 40, ftype="bessel"))
    raises(ValueError, "must be odd", "an even number of taps", lambda: ours.firls(4, [0, 1], [1, 1]))


def check_responses():
    b, a = theirs.butter(4, 0.3)
    z, p, k = theirs.butter(4, 0.3, output="zpk")
    for name, *arguments in (("group_delay", (b, a)), ("group_delay", (b, a), [0.1, 0.2], False, 3),
                             ("freqz_zpk", z, p, k), ("freqz_zpk", z, p, k, 100, True, 7),
                             ("freqz_zpk", z, p, k, [1, 2.5])):
        both(name, *arguments, rtol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, delay = ours.group_delay(([1, 1], 1), [1, np.pi])
    near("group_delay where the response is 0", delay, np.array([0.5, 0]))
    sos = theirs.butter(4, 0.3, output="sos")
    near("freqz_sos", ours.freqz_sos(sos, 64, True), theirs.sosfreqz(sos, 64, True))
    b, a = theirs.ellip(4, 1, 40, [3, 80], "bandpass", analog=True)
    z, p, k = theirs.ellip(4, 1, 40, [3, 80], "bandpass", analog=True, output="zpk")
    for name, *arguments in (("freqs", b, a), ("freqs", b, a, [1, 2]), ("freqs", [1], [1], 7), ("freqs_zpk", z, p, k),
                             ("freqs_zpk", z, p, k, 9), ("findfreqs", [1, 0], [1, 8, 25], 9)):
        both(name, *arguments)
    for worN in (5.0, np.array(5), np.float64(6), np.int8(7), [3.0], None):
        both("freqs", b, a, worN)
        both("freqs_zpk", z, p, k, worN)
        both("freqz_zpk", z, p, k, worN, fs=40)
        both("group_delay", ([1, 0.2], [1, 0.4]), worN, fs=40)
        both("freqz", [1, 0.2], [1, 0.4], worN, fs=40)
        near(f"sosfreqz of {worN}", ours.sosfreqz(sos, worN, fs=40), theirs.sosfreqz(sos, worN, fs=40))
    b, a = theirs.butter(4, 0.3)
    both("lfiltic", b, a, [1, 2, 3], [4, 5])
    both("lfiltic", [1, 2], a, [1])
    x = np.arange(9.0)
    y = theirs.lfilter(2 * b, 2 * a, x)
    zi = ours.lfiltic(2 * b, 2 * a, y[3::-1], x[3::-1])
    near("lfiltic goes on", ours.lfilter(b, a, mp.asarray(x[4:]), zi=mp.asarray(zi))[0].numpy(), y[4:])


def check_polynomials():
    b, a = theirs.ellip(4, 1, 40, [3, 80], "bandpass", analog=True)
    both("bilinear", b, a, 50, rtol=1e-6)
    both("bilinear", [1], [1, 2, 3])
    both("normalize", [1, 2], [2, 4, 6])
    for top, bottom in (([1], [1, 2, 3]), ([1, 0, 2], [1, 2, 3.5]), ([2, 1], [3, 2, 3, 1])):
        for name, more in (("lp2lp", (3,)), ("lp2hp", (3,)), ("lp2bp", (3, 2)), ("lp2bs", (3, 2))):
            both(name, top, bottom, *more)
    for kind in ("min", "max", "avg"):
        both("unique_roots", [0, 1.3, 1.301, 2.8, 1.25, 10.3, 1.3001], 0.01, kind)
    for top, bottom in (([1, 2], [1, 6, 11, 6]), ([1, 2, 3, 4, 5], [1, 3, 3, 1]), ([1, -2.0], [1, 2, 1, 0, 0]),
                        ([3, 1, 2, 3], [2, 1]), ([1, 1], [1, 0, 4, 5, 2])):
        parts = ours.residue(top, bottom)
        near(f"residue {top} {bottom}", ordered(parts), ordered(theirs.residue(top, bottom)), 1e-4)
        near(f"invres {top} {bottom}", ours.invres(*parts), theirs.invres(*parts), 1e-7)
    for top, bottom in (([1, 2], [1, 6, 11, 6]), ([1, 2, 3, 4, 5], [1, 3, 3, 1]), ([1, 6, 6, 2], [1, -2, 1.1, -0.1])):
        parts = ours.residuez(top, bottom)
        near(f"residuez {top} {bottom}", ordered(parts), ordered(theirs.residuez(top, bottom)), 1e-4)
        near(f"invresz {top} {bottom}", ours.invresz(*parts), theirs.invresz(*parts), 1e-7)
    near("residue of a constant", ours.residue([5.0], [2.0]), theirs.residue([5.0], [2.0]))


def check_sequences():
    for window in ("hann", ("tukey", 0.3), np.ones(64), mp.ones(64)):
        same_as = window.numpy() if isinstance(window, mp.ndarray) else window
        for noverlap in (0, 32, 40, 48, 63):
            for name in ("check_COLA", "check_NOLA"):
                got = getattr(ours, name)(window, 64, noverlap)
                ok(got is bool(getattr(theirs, name)(same_as, 64, noverlap)), f"{name}, overlapping by {noverlap}")
    raises(ValueError, "noverlap is 64", "no step", lambda: ours.check_NOLA("hann", 64, 64))
    for bits in (*range(2, 14), 16):
        both("max_len_seq", bits)
    for named in ({"length": 1000}, {"state": [1, 0, 0, 1, 1], "length": 7}, {"taps": [4, 2]}, {"length": 0},
                  {"length": 3}, {"taps": [5, 1, 0]}):
        both("max_len_seq", 5, **named)
    ok(ours.max_len_seq(4)[0].dtype == np.int8, "the type of max_len_seq")
    raises(ValueError, "not zeros alone", "a state of zeros", lambda: ours.max_len_seq(4, np.zeros(4)))


def check_filters_of_images():
    """firwin_2d, of SciPy 1.16 and later, from SciPy's filters of one axis."""
    first, second = theirs.firwin(7, 0.3, window=("kaiser", 5.0), fs=2), theirs.firwin(4, 0.3, window="hann", fs=2)
    near("firwin_2d", ours.firwin_2d((7, 4), (("kaiser", 5.0), "hann"), fc=0.3), np.outer(first, second))
    high = [theirs.firwin(n, 30, fs=100, pass_zero=False, scale=False) for n in (5, 7)]
    near("firwin_2d, high", ours.firwin_2d((5, 7), ["hamming"] * 2, fc=30, fs=100, pass_zero=False, scale=False),
         np.outer(*high))
    taps = theirs.firwin(48, 0.1, fs=2)
    places = np.array([[np.sqrt(r * r + c * c) for c in np.linspace(-1, 1, 5)] for r in np.linspace(-1, 1, 6)])
    near("firwin_2d, circular", ours.firwin_2d((6, 5), "hamming", fc=0.1, circular=True),
         np.interp(places, np.linspace(0, 1, 48), taps))
    raises(ValueError, "two axes", "one window for two axes", lambda: ours.firwin_2d((3, 3), ["hann"], fc=0.1))
    raises(ValueError, "fc", "no frequency", lambda: ours.firwin_2d((3, 3), ("hann", "hann")))


def check_dual_windows():
    """The closest dual window, of SciPy 1.16 and later: by least squares among all windows that are dual."""
    for n, hop, is_complex in ((12, 4, False), (13, 5, True), (8, 1, False), (9, 9, False)):
        win, wanted = (rng.standard_normal(n) + 1j * is_complex * rng.standard_normal(n) + 3 for _ in range(2))
        win, wanted = (v if is_complex else v.real for v in (win, wanted))
        # a window d is dual where the sums of conj(win) d over every hop-th element are 1
        conditions = np.array([np.where(np.arange(n) % hop == m, win.conj(), 0) for m in range(hop)])
        for desired in (None, wanted):
            aim = np.ones_like(win) if desired is None else wanted
            nearest = aim + np.linalg.pinv(conditions) @ (np.ones(hop) - conditions @ aim)
            got, factor = ours.closest_STFT_dual_window(win, hop, desired, scaled=False)
            near(f"closest_STFT_dual_window of {n}, {hop}", (got, factor), (nearest, 1.0))
            # the closest to a multiple a: d = one + free z, and |one + free z - a aim| is least
            one, free = np.linalg.pinv(conditions) @ np.ones(hop), np.linalg.svd(conditions)[2][hop:].conj().T
            *z, a = np.linalg.lstsq(np.hstack([free, -aim[:, None]]), -one, rcond=None)[0]
            near(f"the closest to a multiple, {n}, {hop}", ours.closest_STFT_dual_window(win, hop, desired),
                 (one + free @ np.array(z), a), 1e-7)
    raises(ValueError, "elements", "another length", lambda: ours.closest_STFT_dual_window(np.ones(4), 2, np.ones(3)))
    raises(ValueError, "hop", "a hop of 0", lambda: ours.closest_STFT_dual_window(np.ones(4), 0))


def check_fitted_waves():
    """lombscargle with weights and a floating mean, of SciPy 1.15 and later, by least squares for every frequency."""
    times, freqs = np.sort(rng.uniform(0, 30, 60)), np.linspace(0.4, 5, 23)
    samples = 2 * np.cos(1.7 * times + 0.4) + 1.5 + rng.standard_normal(60)
    x, y, w = mp.asarray(times), mp.asarray(samples), mp.asarray(freqs)
    for weights in (None, rng.uniform(0, 2, 60)):
        for floats in (False, True):
            scale = np.ones(60) if weights is None else weights
            scale = np.sqrt(scale / scale.sum())
            wanted = {"amplitude": [], "power": [], "normalize": []}
            for f in freqs:
                waves = np.stack([np.cos(f * times), np.sin(f * times), np.ones(60)][: 3 if floats else 2], 1)
                (a, b, *_), (left,), *_ = np.linalg.lstsq(waves * scale[:, None], samples * scale, rcond=None)
                centre = samples - floats * (samples * scale**2).sum()
                whole = (scale**2 * centre**2).sum()
                wanted["amplitude"].append(a + 1j * b)
                wanted["power"].append((whole - left) * 30)
                wanted["normalize"].append((whole - left) / whole)
            for normalize, want in wanted.items():
                got = ours.lombscargle(x, y, w, normalize=normalize, weights=weights, floating_mean=floats)
                near(f"lombscargle {normalize}, weights {weights is not None}, floating mean {floats}", got.numpy(),
                     np.array(want))
    near("lombscargle by both ways", ours.lombscargle(x, y, w, True, True).numpy(),
         ours.lombscargle(x, y, w, True, "normalize", weights=np.full(60, 3.0)).numpy())
    for words, text in (({"weights": -np.ones(60)}, "weights"), ({"weights": np.ones(3)}, "one length"),
                        ({"normalize": "x"}, "normalize")):
        raises(ValueError, text, f"lombscargle with {list(words)}", lambda: ours.lombscargle(x, y, w, **words))  # noqa: B023


def check_envelope():
    t = np.arange(200) / 200
    size = 1 + 0.5 * np.cos(2 * np.pi * 3 * t)
    for n in (200, 100, 300):
        for z, least in ((size * np.cos(2 * np.pi * 40 * t) + 2, 1), (size * np.exp(-80j * np.pi * t) + 2, -60)):
            band, kept = ((1, None), "lowpass") if least > 0 else ((least, -1), "all")
            parts = ours.envelope(mp.asarray(np.stack([z, z], 1)), band, n_out=n, residual=kept, axis=0)
            want = np.interp(np.arange(n) / n, t, size), np.full(n, 2)
            near(f"envelope, {n} elements", tuple(parts.numpy()[:, :, 1]), want, 1e-3 if n > 200 else 1e-10)
    if not scipy_since("1.16"):  # 1.15 has it, and resamples otherwise
        return
    for n in (16, 17, 1):
        a = np.cos(np.arange(3.0 * n) ** 2).reshape(3, n)
        for z in (a, a + 1j * a[::-1]):
            for band in ((1, None), (None, None), (2, 5), (-3, 4), (-5, -1), (None, 3)):
                for named in ({}, {"n_out": 8}, {"n_out": 40, "residual": "all"}, {"residual": None, "squared": True}):
                    try:
                        want = theirs.envelope(z, band, **named)
                    except ValueError:
                        raises(ValueError, "bp_in is", f"envelope of {n}", lambda: ours.envelope(mp.asarray(z), band))
                        continue
                    got = ours.envelope(mp.asarray(z), band, **named)
                    near(f"envelope {z.dtype} {n} {band} {named}", got.numpy(), want)
