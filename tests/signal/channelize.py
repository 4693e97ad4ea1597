# SPDX-License-Identifier: BSD-3-Clause
"""Polyphase filterbanks beside their definition in NumPy, and packed samples, over any layout and axis."""

import maniple as mp
import numpy as np
from scipy import signal

rng = mp.random()


def channelize(x, channels, ntaps, taps=None, step=None, two_sided=False, axis=-1):
    """The frames, folded and transformed in double precision."""
    step = step or channels
    if taps is None:
        taps = signal.firwin(channels * ntaps, 1 / channels) if channels > 1 else np.arange(ntaps) == ntaps // 2
    x = np.moveaxis(x, axis, -1)
    count = max(0, (x.shape[-1] - len(taps)) // step + 1)
    frames = [x[..., t * step:t * step + len(taps)] * taps for t in range(count)]
    folded = [np.roll(f.reshape(*f.shape[:-1], ntaps, channels).sum(-2), t * step, -1) for t, f in enumerate(frames)]
    folded = np.stack(folded, -2) if count else np.zeros((*x.shape[:-1], 0, channels), x.dtype)
    y = np.fft.fft(folded) if two_sided or np.iscomplexobj(x) else np.fft.rfft(folded)
    return np.moveaxis(y, -2, axis if axis >= 0 else axis - 1)


def values(shape, dtype):
    a = rng.standard_normal(shape) * 20
    return (a + 20j * rng.standard_normal(shape) if dtype.startswith("complex") else a).astype(dtype)


def close(name, got, want, dtype, terms, size):
    """A channel is a sum of `terms` products: the error is some roundings of the sum of their magnitudes."""
    g = got.numpy()
    eps = np.finfo(g.dtype).eps
    error = np.abs(g - want).max() if g.shape == want.shape and g.size else 0
    good = g.shape == want.shape and g.dtype == dtype and error <= 8 * eps * np.log2(2 + terms) * size
    mp.ok(good, name if good else f"{name}: {g.dtype} {g.shape}, {want.shape}: error {error:.3g} of {size:.3g}")


for dtype, to in (("float64", "complex128"), ("complex64", "complex64"), ("int16", "complex64")):
    for trial in range(3):
        channels, ntaps = [(8, 4), (6, 3), (16, 1), (1, 3), (5, 8)][int(rng.integers(0, 5))]
        shape = [(int(rng.integers(1, 400)),), (int(rng.integers(150, 300)), 3), (2, 130, 3)][trial]
        axis = [-1, 0, 1][trial]
        step = int(rng.integers(1, channels + 1)) if trial else 0
        taps = rng.standard_normal(channels * ntaps) if trial == 1 else None
        both = bool(rng.random() < 0.3)
        a = values(shape, dtype)
        x = mp.array(a, mp.random_layout(rng, shape), dtype)
        got = mp.channelize(x, channels, ntaps, taps, step, both, axis)
        wide = a.astype("complex128" if dtype.startswith("complex") else "float64")
        size = np.abs(a).max(initial=1) * (np.abs(taps).sum() if taps is not None else 4)
        close(f"{dtype} {shape} along {axis}: {channels} x {ntaps}, step {step}", got,
              channelize(wide, channels, ntaps, taps, step, both, axis), to, channels * ntaps, size)

# a tone in the middle of channel 3 is in that channel alone, with its amplitude, and turns by its own frequency alone
tone = np.exp(2j * np.pi * 3 / 16 * np.arange(4000))
got = mp.channelize(mp.array(tone), 16, 8, None, 12, False, 0).numpy()
rest = np.delete(got, 3, 1)
mp.ok(np.abs(got[:, 3] - 1).max() < 1e-9 and np.abs(rest).max() < 1e-2, "a tone is in its channel, oversampled too")

# ---- packed samples ----


def unpack(data, bits, encoding, order, axis=-1):
    stream = np.moveaxis(np.unpackbits(data, axis=axis, bitorder=order), axis, -1)
    count = stream.shape[-1] // bits
    groups = stream[..., :count * bits].reshape(*stream.shape[:-1], count, bits).astype("i8")
    if order == "big":
        groups = groups[..., ::-1]
    numbers = (groups << np.arange(bits)).sum(-1)
    if encoding == "signed":
        numbers -= (numbers >> (bits - 1)) << bits
    elif encoding == "offset":
        numbers -= 1 << (bits - 1)
    numbers = numbers.astype(("u" if encoding == "unsigned" else "i") + ("1" if bits <= 8 else "2"))
    return np.moveaxis(numbers, -1, axis)


wrongs = []
for bits in (8, 10, 12, 1, 2, 4, 7, 16):
    encoding, order = str(rng.choice(["signed", "offset", "unsigned"])), str(rng.choice(["big", "little"]))
    for shape, axis in (((int(rng.integers(0, 200)),), 0), ((3, 40), -1), ((40, 3), 0)):
        data = rng.integers(0, 256, shape).astype("u1")
        got = mp.unpack_samples(mp.array(data, mp.random_layout(rng, shape)), bits, encoding, order, axis)
        wrong = mp.difference(got, unpack(data, bits, encoding, order, axis))
        wrongs += [f"{bits} {encoding} {order} {shape}: {wrong}"] if wrong else []
mp.ok(not wrongs, "samples of 1 to 16 bits" + "".join("\n" + wrong for wrong in wrongs[:3]))
data = np.array([0b00000000, 0b01111111, 0b11110100, 0b00000010, 0b00000001], "u1")
mp.check("four samples of 10 bits in five bytes", mp.unpack_samples(mp.array(data), 10, None, None, 0),
         np.array([1, -1, 256, -511], "i2"))
mp.check("0x12 0x34 0x56: two samples of 12 bits", mp.unpack_samples(
    mp.array(np.array([0x12, 0x34, 0x56], "u1")), 12, "unsigned", "big", 0), np.array([0x123, 0x456], "u2"))
mp.check("the same from the lowest bit on", mp.unpack_samples(
    mp.array(np.array([0x12, 0x34, 0x56], "u1")), 12, "unsigned", "little", 0), np.array([0x412, 0x563], "u2"))

# ---- what is wrong ----

x, packed = mp.array(np.ones(100)), mp.array(np.ones(9, "u1"))
for words, arguments in (("channels is 0", (0, 4, None, 0, False, 0)), ("ntaps is 0", (4, 0, None, 0, False, 0)),
                         ("step is 5", (4, 4, None, 5, False, 0)), ("axis", (4, 4, None, 0, False, 1)),
                         ("ntaps is", (1 << 30, 4, None, 0, False, 0))):
    mp.fails("MNP_ERR_ARG", words, mp.channelize, x, *arguments)
for words, arguments in (("bits is 17", (17, None, None, 0)), ("encoding is 'x'", (8, "x", None, 0)),
                         ("order is 'x'", (8, None, "x", 0))):
    mp.fails("MNP_ERR_ARG", words, mp.unpack_samples, packed, *arguments)
mp.fails("MNP_ERR_ARG", "must be uint8", mp.unpack_samples, x, 8, None, None, 0)
mp.done()
