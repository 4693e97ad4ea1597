# SPDX-License-Identifier: BSD-3-Clause
"""The memory of Fourier transforms: it is what plans tell, plans share it, and without enough of it a call fails on all
ranks, loses nothing, and the next one works."""

import ctypes
import functools

import fourier
import maniple as mp
import numpy as np
from fourier import close, describe, options, pool, used

rng = mp.random()
complexes = functools.partial(fourier.complexes, rng)
HEAP, SCRATCH = mp.MNP_MEMORY_HEAP, mp.MNP_MEMORY_SCRATCH
p = mp.size
if mp.ctx_device_kind() != "host":
    mp.skip("the memory of transforms", "a GPU's pools free in the order of its stream, behind these figures")
    mp.done()


def cut(shape, dim=0):
    return mp.Layout([p], shape, [0 if d == dim else -1 for d in range(len(shape))])


# Transforms of every kind: whole axes, slabs, a result that stays, an axis in two parts, one rank
KINDS = (
    ("whole axes", cut((8 * p, 512, 32)), dict(axes=[1])),
    ("slabs", cut((16 * p, 64, 96)), {}),
    ("slabs, permuted", cut((16 * p, 64, 96)), dict(flags=1)),
    ("uneven slabs", cut((16 * p - 1, 64, 97), 1), {}),
    ("two parts", cut((1024 * p * p,)), {}),
    ("uneven parts", mp.random_layout(rng, (12345,)), {}),
    ("one rank", cut((65537,)), {}),
)


def shape_of(layout):
    return tuple(ctypes.cast(mp.layout_shape(layout), ctypes.POINTER(ctypes.c_int64))[:mp.layout_ndim(layout)])


def fill():
    """Arrays that leave the heap no room but what it can get from the system."""
    arrays = []
    mp.memory_trim(HEAP)
    while pool(HEAP).largest_free > 1 << 14:
        arrays.append(mp.array_new("uint8", cut((p * pool(HEAP).largest_free,))))
    return arrays


# --- what plans tell is what they take: two alike take everything twice but the memory that they share ----------------

for name, layout, named in KINDS:
    before = used()
    first = mp.fft_plan_new("complex128", layout, options(**named))
    middle = used()
    second = mp.fft_plan_new("complex128", layout, options(**named))
    own, info = used() - middle, describe(first)
    shared, told = middle - before - own, np.array([info.workspace, info.scratch])
    if (shared == told).all():
        mp.ok(abs(own.sum() - info.buffers) <= 4096 * (1 + info.moves),
              f"{name}: keeps {own}, and tells {info.buffers}")
    else:  # where most of it is one rank's, each plan has its own
        mp.ok(info.method.startswith(b"some ranks") and p > 2, f"{name}: plans share {shared}, and tell {told}")
    a = complexes(shape_of(layout))
    x = mp.array(a, layout)
    y = mp.fft_plan_execute(first, x)
    held = used()
    mp.fft_plan_execute(second, x, out=y)
    mp.ok((used() == held).all(), f"{name}: an execution into an array takes nothing")
    close(name, y, np.fft.fftn(a, axes=named.get("axes")))
    del x, y
    held = used()
    mp.fft_plan_free(first)
    mp.fft_plan_free(second)
    mp.ok((held - used() == shared + 2 * own).all(), f"{name}: all of it is given back")

# --- the memory is as large as the plan that needs most, whichever comes first ----------------------------------------

plans, start = [], used()
for extent in 24, 48, 16, 64, 64, 32:
    layout = cut((16 * p, 64, extent))
    plans.append((layout, mp.fft_plan_new("complex128", layout, None)))
taken = used() - start
info = describe(plans[3][1])
mp.ok(taken.sum() <= info.workspace + info.scratch + 6 * 12288, f"six plans take {taken}, as much as the largest")
for number in rng.permutation(6):
    layout, plan = plans[number]
    a = complexes(shape_of(layout))
    close(f"plan {number} of six", mp.fft_plan_execute(plan, mp.array(a, layout)), np.fft.fftn(a))

# --- a graph has the addresses of its plan, and goes on with them while the others move to a larger memory ------------

layout, plan = plans[2]
a = complexes(shape_of(layout))
x, y = mp.array(a, layout), mp.array_new("complex128", layout)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def step(_):
    mp.fft_plan_execute(plan, x, out=y)
    return 0


graph = mp.graph_new(ctypes.cast(step, ctypes.c_void_p), None)
mp.graph_launch(graph)
close("a graph", y, np.fft.fftn(a))
layout = cut((16 * p, 64, 128))
plans.append((layout, mp.fft_plan_new("complex128", layout, None)))
b = complexes(shape_of(layout))
close("a larger plan", mp.fft_plan_execute(plans[6][1], mp.array(b, layout)), np.fft.fftn(b))
mp.positive(mp.array(-a, plans[2][0]), out=x)
mp.graph_launch(graph)
close("the graph after that", y, np.fft.fftn(-a))
mp.graph_free(graph)
for number in rng.permutation(7):
    mp.fft_plan_free(plans[number][1])
del x, y
mp.ok((used() - start).sum() <= 1 << 16, "and nothing stays behind")

# --- into the input: two moves need no copy of it ---------------------------------------------------------------------

layout = cut((16 * p, 64, 96))
a = complexes(shape_of(layout))
plan, x = mp.fft_plan_new("complex128", layout, None), mp.array(a, layout)
filled = fill()
mp.memory_set_limit(HEAP, pool(HEAP).reserved)
if p > 1:
    mp.fft_plan_execute(plan, x, out=x)
    mp.ok(True, "into the input, when the heap has nothing left")
else:
    mp.fails("MNP_ERR_MEMORY", "", mp.fft_plan_execute, plan, x, out=x)  # without a move in between there is a copy
mp.memory_set_limit(HEAP, 0)
del filled
if p == 1:
    mp.fft_plan_execute(plan, x, out=x)
close("into the input", x, np.fft.fftn(a))
mp.fft_plan_free(plan)
del x

# --- without enough memory --------------------------------------------------------------------------------------------

UNIT = 1 << 21  # by which pools grow


def with_ever_more(name, number, everywhere, function):
    """Call it while a pool may have nothing more, a unit more, and so on, on all ranks or on the last one alone: until
    the result, it fails on all ranks and takes nothing."""
    failures, result = [], None
    for extra in range(40):
        filled = fill() if number == HEAP else mp.memory_trim(number)
        start = used()
        if everywhere or mp.rank == p - 1:
            mp.memory_set_limit(number, pool(number).reserved + 1 + extra * UNIT)
        try:
            result = function()
        except mp.Error as error:
            own = everywhere or mp.rank == p - 1
            failures.append((error.status, error.named, (used() - start).sum()))
            wrong = error.status != ("MNP_ERR_MEMORY" if own else "MNP_ERR_PEER") or (used() - start).sum() > 1 << 16
            if wrong:
                break
        if everywhere or mp.rank == p - 1:
            mp.memory_set_limit(number, 0)
        del filled
        if result is not None:
            break
    mp.ok(failures and result is not None, f"{name}: failed {failures}")
    return result


for name, layout, named in (("slabs", cut((64 * p, 64, 80)), {}), ("two parts", cut((512 * p * 512 * p,)), {}),
                            ("whole axes", cut((512 * p, 640)), dict(axes=[1]))):
    a = complexes(shape_of(layout))
    want, x = np.fft.fftn(a, axes=named.get("axes")), mp.array(a, layout)
    plan = with_ever_more(f"{name}, planning", HEAP, True,
                          lambda: mp.fft_plan_new("complex128", layout, options(**named)))
    y = with_ever_more(f"{name}, executing", HEAP, True, lambda: mp.fft_plan_execute(plan, x))
    close(f"{name}, after that", y, want)
    del y
    mp.fft_plan_free(plan)
    if name != "whole axes" and p > 1:
        plan = with_ever_more(f"{name}, scratch memory of a rank", SCRATCH, False,
                              lambda: mp.fft_plan_new("complex128", layout, options(**named)))
        mp.fft_plan_free(plan)
    axes = named.get("axes")
    y = with_ever_more(f"{name}, a plain call", HEAP, True,
                       lambda: mp.fftn(x, len(axes) if axes else 0, None, axes, None))
    close(f"{name}, a plain call after that", y, want)
    del x, y
mp.done()
