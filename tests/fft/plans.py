# SPDX-License-Identifier: BSD-3-Clause
"""Plans of Fourier transforms: repeated, interleaved, many at once, permuted; what they tell; and the plans that the
context keeps.  In steps of every kind: one move, several, an axis in two parts, one rank.
"""

import ctypes
import functools
import glob
import os

import binding
import fourier
import maniple as mp
import numpy as np
from fourier import close, describe, options

rng = mp.random()
complexes = functools.partial(fourier.complexes, rng)


# --- repeated, interleaved, many at once ------------------------------------------------------------------------------

plans = []
for shape, axes in ((12, 10, 9), None), ((12, 10, 9), [1]), ((720,), None), ((6, 97), [1]), ((5, 7, 6, 8), [3, 0]):
    for dtype in "complex64", "complex128":
        layout = mp.random_layout(rng, shape)
        plans.append((shape, axes, dtype, layout, mp.fft_plan_new(dtype, layout, options(axes))))
for _ in range(2):
    for number in rng.permutation(len(plans)):
        shape, axes, dtype, layout, plan = plans[number]
        a = complexes(shape, dtype)
        close(f"{shape} {axes} {dtype}: {describe(plan).method.decode()}", mp.fft_plan_execute(plan, mp.array(a, layout)),
              np.fft.fftn(a.astype("complex128"), axes=axes))
for *_, plan in plans:
    mp.fft_plan_free(plan)

# --- permuted, and back -----------------------------------------------------------------------------------------------

shape = (12, 8, 10)
rows = mp.Layout([mp.size], shape, [0, -1, -1])
forward = mp.fft_plan_new("complex128", rows, options(flags=1))
there = binding._adopt(mp.Layout, mp.layout_retain(ctypes.c_void_p(mp.fft_plan_layout(forward))))
backward = mp.fft_plan_new("complex128", there, options(inverse=True, layout=rows))
a = complexes(shape)
x = mp.array(a, rows)
y = mp.fft_plan_execute(forward, x)
close("permuted", y, np.fft.fftn(a))
z = mp.fft_plan_execute(backward, y)
close("and back", z, a, 2)
mp.ok(mp.layout_equal(z.layout, rows), "which is cut as it was")
if mp.size > 1:
    mp.ok(describe(forward).moves == describe(backward).moves == 1, "with one move each way")
    mp.ok(not mp.layout_equal(y.layout, rows), "between which it is cut otherwise")
    one = mp.fft_plan_new("complex128", rows, None)
    mp.ok(describe(one).moves == 2, "and two moves in natural order")
    mp.fft_plan_free(one)
mp.fft_plan_execute(backward, y, out=z)
close("into an array", z, a, 2)
w = mp.array_new("complex128", mp.random_layout(rng, shape))
mp.fft_plan_execute(forward, x, out=w)
close("into an array of another layout", w, np.fft.fftn(a))
mp.fails("MNP_ERR_ARG", "another shape or layout", mp.fft_plan_execute, forward, mp.array(a[1:], None))
mp.fails("MNP_ERR_ARG", "complex64, and the plan is for complex128", mp.fft_plan_execute, forward,
         mp.array(a.astype("complex64"), rows))
mp.fft_plan_free(forward)
mp.fft_plan_free(backward)

# --- real numbers, points, norms --------------------------------------------------------------------------------------

a = rng.standard_normal((9, 14)).astype("float32")
layout = mp.random_layout(rng, a.shape)
plan = mp.fft_plan_new("float32", layout, options(axes=[1, 0], s=[16, 8], real=True, norm=b"ortho"))
close("real", mp.fft_plan_execute(plan, mp.array(a, layout)),
      np.fft.rfftn(a.astype(float), [16, 8], [1, 0], "ortho"))
mp.fails("MNP_ERR_ARG", "the plan is for float32", mp.fft_plan_execute, plan, mp.array(a.astype("complex64"), layout))
mp.fft_plan_free(plan)

# --- what a plan tells ------------------------------------------------------------------------------------------------

whole = mp.Layout([mp.size], (4 * mp.size, 16), [0, -1])
plan = mp.fft_plan_new("complex64", whole, options(axes=[1]))
info = describe(plan)
mp.ok((info.moves, info.transforms, info.workspace) == (0, 1, 0), "axes that are not cut need no move and no memory")
mp.fft_plan_free(plan)
line = mp.Layout([mp.size], (16 * mp.size ** 2,), [0])
plan = mp.fft_plan_new("complex128", line, None)
info = describe(plan)
if mp.size > 1:
    mp.ok(info.method == b"long axes in two parts", "a long axis goes in two parts")
    mp.ok(info.workspace <= -(-16 * 16 * mp.size // 512) * 512, "in one block of memory")
    mp.ok(info.moves == 3, "by three moves")
mp.fft_plan_free(plan)
for n, dtype, points in (1001, "complex128", 1001), (1024, "complex64", 1000), (360, "float64", 361 * 3):
    for _ in range(2):
        layout = mp.random_layout(rng, (n,))
        plan = mp.fft_plan_new(dtype, layout, options(s=[points], real=dtype == "float64"))
        info = describe(plan)
        if info.method == b"long axes in two parts":
            mp.ok(info.moves == 3, f"three moves for {points} points from {n} {dtype}, cut anywhere")
        a = complexes((n,), dtype) if dtype != "float64" else rng.standard_normal(n)
        want = np.fft.rfft(a, points) if dtype == "float64" else np.fft.fft(a.astype("complex128"), points)
        close(f"{points} points from {n} {dtype}", mp.fft_plan_execute(plan, mp.array(a, layout)), want)
        mp.fft_plan_free(plan)

# --- what is found out by trying --------------------------------------------------------------------------------------

a = complexes((256, 300), "complex64")
layout = mp.Layout([mp.size], a.shape, [0, -1])
plan = mp.fft_plan_new("complex64", layout, None)
close("after trying", mp.fft_plan_execute(plan, mp.array(a, layout)), np.fft.fft2(a.astype("complex128")))
mp.fft_plan_free(plan)
if mp.ctx_device_kind() == "host" and os.environ.get("MANIPLE_CACHE_DIR"):
    mp.ok(glob.glob(os.path.join(os.environ["MANIPLE_CACHE_DIR"], "fftwf-*.wisdom")), "is kept in the cache")

# --- those that the context keeps: more than it has room for, twice ---------------------------------------------------

for _ in range(2):
    for n in range(8, 36):
        a = complexes((n, 3))
        close(f"{n} points", mp.fft(mp.array(a), mp.MNP_NONE, 0, None), np.fft.fft(a, axis=0))

# --- refusals ---------------------------------------------------------------------------------------------------------

mp.fails("MNP_ERR_ARG", "the layout of the result", mp.fft_plan_new, "complex128", rows,
         options(layout=mp.Layout([mp.size], (3, 3, 3), [0, -1, -1])))
mp.fails("MNP_ERR_ARG", "no set of flags", mp.fft_plan_new, "complex128", rows, options(flags=6))
mp.fails("MNP_ERR_ARG", "must be real", mp.fft_plan_new, "complex64", rows, options(real=True))
mp.fails("MNP_ERR_ARG", "given twice", mp.fft_plan_new, "complex64", rows, options(axes=[0, 0]))
mp.done()
