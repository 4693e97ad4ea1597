# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of up to 2^30 complex64, 8 GiB, which no reference could hold: Parseval's theorem; and the shift theorem,
between the transforms of an array and of itself turned around, whose elements are functions of their indices.  Of the
largest cube, and the largest line, that the memory has room for.

The bound is that of transforms.py, of each of the two transforms.
"""

import maniple as mp
import numpy as np
from fourier import HeapInfo

rng = mp.random()
MOST = 30 if mp.size == 2 else 24  # on other numbers of ranks, where no number is near 2^31, less will do
heap = HeapInfo()
mp.memory_heap(heap)


def fill(shape, shift, x):
    """Numbers between -1 and 1 that look random, turned by so many indices."""
    terms = " + ".join(f"((i{d} + {n - s}) % {n}) * {prime}" for d, (n, s, prime) in
                       enumerate(zip(shape, shift, (7919, 104729, 1299709))))
    mp.fromfunction(f"(({terms}) % 65521)**2 % 65521 / 32760.0 - 1 + 0j", "complex64", len(shape), shape, out=x)


def lines(x, at):
    """A few lines of the last axis, or parts of the only one."""
    return np.array([x[index].numpy() for index in at])


def check(exponent, dims):
    shape = [2 ** (exponent // dims)] * dims
    size, shift = int(np.prod(shape)), [int(rng.integers(1, n)) for n in shape]
    if dims == 1:
        starts = [int(k) for k in rng.integers(0, size - 1024, 8)] + [0, size - 1024]
        at = [slice(k, k + 1024) for k in starts]
        turns = np.array([np.arange(k, k + 1024) * shift[0] % size / size for k in starts])
    else:
        at = [tuple(int(k) for k in rng.integers(0, shape[0], dims - 1)) for _ in range(10)]
        turns = np.array([[k * s % n / n for k, s, n in zip(index, shift, shape)] for index in at]).sum(1)[:, None]
        turns = turns + np.arange(shape[-1]) * shift[-1] % shape[-1] / shape[-1]
    name = f"{size} = 2^{exponent} complex64 in {dims} dimension{'s' * (dims > 1)}"
    bound = 3 * np.finfo("float32").eps * np.sqrt(exponent)
    x = mp.array_new("complex64", mp.Layout([mp.size], shape, [0] + [-1] * (dims - 1)))
    found = []
    for turned in [0] * dims, shift:
        fill(shape, turned, x)
        before = float(mp.norm(x, None, None).numpy())
        mp.fftn(x, 0, None, None, None, out=x)
        after = float(mp.norm(x, None, None).numpy())
        mp.ok(abs(after / np.sqrt(size) - before) <= bound * before, f"Parseval: {name}, {before}, {after / np.sqrt(size)}")
        found.append(lines(x, at).astype("complex128"))
    want = found[0] * np.exp(-2j * np.pi * turns)
    error = np.linalg.norm(found[1] - want)
    most, there = 2 * bound * np.sqrt(want.size) * before, np.linalg.norm(want)
    mp.ok(error <= most < there / 100, f"shift by {shift}: {name}, error {error:.3g} of {there:.3g}, at most {most:.3g}")


# a cube has one array and as much to work in; a line a result beside them, as it would be read after it is written
for dims, blocks in (3, 2), (1, 4):
    room = max(heap.limit * mp.size * 0.9, 1)  # a heap that is not shared need not have a limit
    exponent = min(MOST if dims == 3 else MOST - 2, int(np.log2(room / (8 * blocks))))
    exponent -= exponent % dims
    if exponent < 21:
        mp.skip(f"a transform in {dims} dimensions", f"there are {room / 2 ** 20:.0f} MiB")
    else:
        check(exponent, dims)
mp.done()
