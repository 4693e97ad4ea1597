# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that ranks release at different times: nothing is overwritten, and all memory comes back."""

import ctypes

import maniple as mp
import binding
import numpy as np

rng = mp.random()
own = np.random.default_rng(rng.integers(2 ** 31) + mp.rank)  # other numbers on every rank


class PoolInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("used", "reserved", "peak", "largest_free", "limit", "blocks")]


def used():
    info = PoolInfo()
    mp.memory_info(mp.MNP_MEMORY_HEAP, info)
    return info.used


def drop(array):
    pointer = binding._live.pop(id(array))
    binding._lib.mnp_array_drop(pointer)
    array.pointer = None


# rank 0 releases an array before the next one is made, the others afterwards
n = 200000
values = np.arange(n) % 7
a = mp.array(values)
if mp.rank == 0:
    drop(a)
c = mp.full("int64", 1, (n,), np.int64(1))
if mp.rank != 0:
    drop(a)
mp.check("the sum of an array made while another one is released", mp.sum(mp.roll(c, 1, [1], [0]), None), np.int64(n))
before = used()
mp.ctx_collect()
mp.ok(mp.size == 1 or used() < before, "its memory comes back")

# views and bases, in any order
x = mp.array(np.arange(1000.0))
view = x[3:]
for which in own.permutation(2):
    drop((x, view)[which])
mp.ctx_collect()

# many arrays, each of which every rank releases when it likes, and the heap has to grow meanwhile
waiting, live, wrong = [], [], 0
for step in range(120):
    shape = (int(rng.integers(1, 60000)),)
    live.append((mp.full("float64", 1, shape, np.float64(step)), step, shape[0]))
    for x, value, extent in live[-4:]:
        wrong += mp.sum(mp.roll(x, 1, [1], [0]), None).numpy() != value * extent
    if len(live) > 4:
        waiting.append(live.pop(0)[0])
    for k in range(len(waiting) - 1, -1, -1):
        if own.random() < 0.2:
            drop(waiting.pop(k))
    if step % 30 == 29:
        mp.ctx_collect()
mp.ok(wrong == 0, f"arrays that live while others are released: {wrong} of their sums are wrong")
for x in waiting:
    drop(x)
for x, _, _ in live:
    drop(x)
del x, live
mp.ctx_collect()

start = used()
waiting = [mp.full("float64", 1, (int(rng.integers(1, 60000)),), np.float64(0)) for _ in range(40)]
for k in own.permutation(len(waiting)):
    drop(waiting[k])
del waiting
mp.ctx_collect()
mp.ok(used() == start, "all memory comes back")

# without a call of collect the heap does not grow for ever, and CPUs use few places of it
start, most = used(), 0
for step in range(300):
    x = mp.full("float64", 1, (1 << 18,), np.float64(step))
    drop(x)
    most = max(most, used())
info = PoolInfo()
mp.memory_info(mp.MNP_MEMORY_HEAP, info)
mp.ok(mp.ctx_device_kind() != "host" or most - start < 8 << 20, f"{most - start} bytes wait to be used again")
mp.ok(info.reserved < 300 * (8 << 18) / mp.size / 2, "allocations find by themselves what has been released")
mp.done()
