# SPDX-License-Identifier: BSD-3-Clause
"""Filters of windows by the names of scipy.signal; spectra at chosen frequencies: against SciPy.

Medians are exact.  Wiener's filter divides by local variances, which both compute by a difference: where a variance is v
beside squares of s, its error is n eps s / v, which the bound follows.
"""

import maniple as mp
import numpy as np
from images import image, values
from scipy import signal

rng = mp.random()

for dtype in ("float32", "float64", "uint8", "int16"):
    for ndim in (1, 2, 3):
        a, x = image(rng, dtype, ndim, 1500)
        if a.size == 0:
            continue
        size = [int(n) for n in rng.choice([1, 3, 5], a.ndim)]
        mp.check(f"medfilt {a.shape} {dtype} {size}", mp.medfilt(x, size), signal.medfilt(a, size))
        domain = rng.random(size) < 0.6
        domain.flat[int(rng.integers(domain.size))] = True
        rank = int(rng.integers(domain.sum()))
        mp.check(f"order_filter {a.shape} {dtype} {size} {rank}", mp.order_filter(x, size, list(map(bool, domain.ravel())), rank),
                 # SciPy 1.17 and 1.18 take all elements of a window of one dimension
                 signal.order_filter(a[None], domain[None].astype(dtype), rank)[0])
a = values(rng, (1, 9), "int16")  # transposed, it is dense, with a stride of 9 along the axis of one element
mp.check("medfilt of windows of one element of a column", mp.medfilt(mp.transpose(mp.array(a), None), [1, 1]), a.T)
a = values(rng, (19, 33), "float32")
x = mp.array(a, mp.random_layout(rng, a.shape))
mp.check("medfilt2d", mp.medfilt2d(x, [5, 3]), signal.medfilt2d(a, [5, 3]))
mp.check("medfilt of 3", mp.medfilt(x, None), signal.medfilt(a))

for shape, size, noise in (((400,), [7], None), ((30, 41), [3, 5], 0.7), ((9, 11, 8), None, None), ((25, 20), [4, 2], None)):
    a = rng.standard_normal(shape).cumsum(-1)
    want = signal.wiener(a, size, noise)
    got = mp.wiener(mp.array(a, mp.random_layout(rng, shape)), size, noise and [noise]).numpy()
    n = np.prod(size or [3] * len(shape))
    local = signal.correlate(a * a, np.ones(size or [3] * len(shape)), "same", method="direct") / n
    mean = signal.correlate(a, np.ones(size or [3] * len(shape)), "same", method="direct") / n
    variance = local - mean * mean
    level = variance.mean() if noise is None else noise
    bound = 20 * n * np.finfo(float).eps * (1 + abs(a).max()) ** 2 / np.maximum(variance, level) * (1 + abs(a - mean))
    mp.ok(got.dtype == want.dtype and bool((abs(got - want) <= bound).all()), f"wiener {shape} {size} {noise}")

times, samples = np.sort(rng.random(150)) * 40, rng.standard_normal(150)
freqs = np.linspace(0.1, 9, 77)
for centre, normalize in ((False, False), (True, False), (False, True), (True, True)):
    want = signal.lombscargle(times, samples - samples.mean() if centre else samples, freqs)
    got = mp.lombscargle(mp.array(times), mp.array(samples, mp.random_layout(rng, samples.shape)),
                         mp.array(freqs, mp.random_layout(rng, freqs.shape)), centre, normalize).numpy()
    # sums of n products, each of a phase of up to 360 radians, divided by sums of squares of about n / 2
    scale = 1 if not normalize else 2 / (samples @ samples - samples.size * samples.mean() ** 2 * centre)
    want = want * scale
    mp.ok(np.allclose(got, want, 0, 150 * 360 * np.finfo(float).eps * scale * 150), f"lombscargle {centre} {normalize}")


def lombscargle(times, samples, freqs):
    """As SciPy has it since 1.15; before, frequency 0 is NaN."""
    phases = np.outer(times, freqs)
    cosines, sines = (np.cos(phases) ** 2).mean(0), (np.sin(phases) * np.cos(phases)).mean(0)
    phases -= np.arctan2(2 * sines, 2 * cosines - 1) / 2
    even, odd = (samples @ wave(phases) / samples.size for wave in (np.cos, np.sin))
    squares = (np.cos(phases) ** 2).mean(0)
    least = np.finfo(float).epsneg
    return (even**2 / np.maximum(squares, least) + odd**2 / np.maximum(1 - squares, least)) * samples.size / 2


freqs = np.array([0.0, 1.0, 0.0])
want = lombscargle(times, samples, freqs)
got = mp.lombscargle(
    mp.array(times), mp.array(samples, mp.random_layout(rng, samples.shape)), mp.array(freqs), False, False
)
mp.ok(np.allclose(got.numpy(), want, 0, 150 * 360 * np.finfo(float).eps * 150), "lombscargle at frequency 0")
same = mp.lombscargle(mp.array(np.full(9, 2.0)), mp.array(np.ones(9)), mp.array(np.array([1.5, 0.0])), False, False)
mp.ok(np.allclose(same.numpy(), 4.5, 1e-13), "lombscargle of samples of one time")

a = rng.standard_normal((3, 64)) + 1j * rng.standard_normal((3, 64))
x = mp.array(a, mp.random_layout(rng, a.shape))
for f1, f2, m, fs, endpoint in ((0.0, 0.5, 64, 2.0, False), (10.0, 31.5, 20, 100.0, True), (-3.0, 3.0, 90, 6.0, False)):
    want = signal.zoom_fft(a, [f1, f2], m, fs=fs, endpoint=endpoint)
    got = mp.zoom_fft(x, f1, f2, m, fs, endpoint, -1).numpy()
    # the chirp's phases are powers of numbers with an error of eps, up to the square of the largest index
    bound = 8 * max(64, m) ** 2 * np.finfo(float).eps * abs(a).sum(-1).max()
    mp.ok(got.shape == want.shape and bool((abs(got - want) <= bound).all()), f"zoom_fft {f1} to {f2}, {m} points")

real = mp.array(values(rng, (4, 5), "float64"))
mp.fails("MNP_ERR_ARG", "size along axis 0 is 4; it should be odd", mp.medfilt, real, [4, 3])
mp.fails("MNP_ERR_ARG", "should be real", mp.wiener, x, None, None)
mp.fails("MNP_ERR_ARG", "x has 20 elements and y 4", mp.lombscargle, mp.array(np.ones(20)), mp.array(np.ones(4)), mp.array(np.ones(3)), False, False)
mp.fails("MNP_ERR_ARG", "m is 0", mp.zoom_fft, x, 0.0, 1.0, 0, 2.0, False, -1)
mp.done()
