# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that are transformed in several slabs, each moved while the next one is transformed, against numpy.fft: ranks
that have fewer slabs than others, or none; real numbers; results that stay where they are, and back; in a graph.

The bound is that of transforms.py.
"""

import ctypes
import os

os.environ["MANIPLE_FFT_SLABS"] = "5"

import binding  # noqa: E402
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
from fourier import options  # noqa: E402

rng = mp.random()


def values(shape, dtype):
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dtype.startswith("complex") else a).astype(dtype)


def close(name, got, want, points):
    g = got.numpy()
    bound = 3 * np.finfo(g.dtype).eps * np.sqrt(np.log2(2 * points)) * np.linalg.norm(want.ravel())
    error = np.linalg.norm((g - want).ravel()) if g.shape == want.shape else np.inf
    mp.ok(error <= bound, f"{name} of {got.shape}: error {error:.3g}, at most {bound:.3g}")


p = mp.size
for shape, axes in ((7 * p + 1, 12, 10), [0, -1, -1]), ((6, 5 * p - 1, 9), [-1, 0, -1]), ((2 * p - 1, 16, 15), [0, -1, -1]), \
        ((6 * p + 1, 8 * p, 257), [0, -1, -1]), ((1, 32, 20), [0, -1, -1]), ((11 * p, 24), [0, -1]), ((3, 4 * p + 1, 6, 8), [-1, 0, -1, -1]):
    for dtype in "complex64", "complex128":
        a = values(shape, dtype)
        x = mp.array(a, mp.Layout([p], shape, axes))
        wide = a.astype("complex128")
        y = mp.fftn(x, 0, None, None, None)
        close("fftn", y, np.fft.fftn(wide), a.size)
        close("fftn again", mp.fftn(x, 0, None, None, None, out=y), np.fft.fftn(wide), a.size)
        close("ifftn of it", mp.ifftn(y, 0, None, None, None), wide, a.size)
        close("in place", mp.fftn(x, 0, None, None, None, out=x), np.fft.fftn(wide), a.size)
    a = values(shape, "float64")
    x = mp.array(a, mp.Layout([p], shape, axes))
    y = mp.rfftn(x, 0, None, None, None)
    close("rfftn", y, np.fft.rfftn(a), a.size)
    close("irfftn of it", mp.irfftn(y, len(shape), list(shape), list(range(len(shape))), None), a, a.size)

# --- permuted: to where the last axis is transformed, and back ---------------------------------------------------------

for shape, cut, axes in ((7 * p + 1, 12, 10), 0, None), ((6, 5 * p - 1, 9), 1, None), ((2 * p - 1, 2, 15), 0, None), \
        ((13, 4 * p + 1, 2 * p), 1, [1, 2]), ((5, 3 * p, 4, 6 * p - 1), 3, [2, 3]), ((1, 2 * p, 40), 1, None), ((24 * p, 11), 0, None):
    for dtype in "complex64", "complex128", "float64":
        a = values(shape, dtype)
        rows = mp.Layout([p], shape, [0 if d == cut else -1 for d in range(len(shape))])
        forward = mp.fft_plan_new(dtype, rows, options(axes, real=dtype == "float64", flags=1))
        there = binding._adopt(mp.Layout, mp.layout_retain(ctypes.c_void_p(mp.fft_plan_layout(forward))))
        want = np.fft.rfftn(a, axes=axes) if dtype == "float64" else np.fft.fftn(a.astype("complex128"), axes=axes)
        x = mp.array(a, rows)
        y = mp.fft_plan_execute(forward, x)
        close(f"permuted, axes {axes}", y, want, a.size)
        close("again", mp.fft_plan_execute(forward, x, out=y), want, a.size)
        mp.fft_plan_free(forward)
        if dtype == "float64":
            continue
        backward = mp.fft_plan_new(dtype, there, options(axes, inverse=True, flags=1))
        close("and back", mp.fft_plan_execute(backward, y), a.astype("complex128"), a.size)
        mp.fft_plan_free(backward)

# --- in a graph, which is launched with other values each time ---------------------------------------------------------

shape = (6 * p + 1, 8 * p, 257)
layout = mp.Layout([p], shape, [0, -1, -1])
plan = mp.fft_plan_new("complex128", layout, None)
x, y = mp.array(values(shape, "complex128"), layout), mp.array_new("complex128", layout)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def step(_):
    mp.fft_plan_execute(plan, x, out=y)
    return 0


graph = mp.graph_new(ctypes.cast(step, ctypes.c_void_p), None)
for launch in range(3):
    a = values(shape, "complex128")
    mp.positive(mp.array(a, layout), out=x)
    mp.graph_launch(graph)
    close(f"launch {launch} of a graph", y, np.fft.fftn(a), a.size)
mp.graph_free(graph)
mp.fft_plan_free(plan)
mp.done()
