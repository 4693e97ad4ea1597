# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms over several nodes, which MANIPLE_NODE_SIZE makes of a host, against numpy.fft: by every method,
there and back, permuted and not, of real numbers, into the input; by messages alone, or beside memory that ranks share.
"""

import functools
import os

# nodes of one rank, or of two where there are four
os.environ["MANIPLE_NODE_SIZE"] = "2" if os.environ.get("OMPI_COMM_WORLD_SIZE") == "4" else "1"

import ctypes  # noqa: E402

import binding  # noqa: E402
import fourier  # noqa: E402
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
from fourier import close, describe, options  # noqa: E402

rng = mp.random()
complexes = functools.partial(fourier.complexes, rng)
p = mp.size
met = set()


def cut(shape, *dims):
    """A layout that cuts one dimension, or two."""
    mesh = [p] if len(dims) == 1 else [2, p // 2]
    return mp.Layout(mesh, shape, [dims.index(d) if d in dims else -1 for d in range(len(shape))])


CASES = [((12, 10, 9), 0), ((9, 14, 10), 1), ((2 * p + 1, 33, 40), 2)]
CASES += [((1024,), 0), ((3 * 1001,), 0), ((2, 60 * p), 1), ((61,), 0)]
CASES += [((2, 2, 2), 0, 1), ((6, 8, 10), 0, 1), ((5, 7, 6), 2, 0)] if p == 4 else []
for shape, *dims in CASES:
    for dtype in "complex64", "complex128":
        a, layout = complexes(shape, dtype), cut(shape, *dims)
        wide = a.astype("complex128")
        want = np.fft.fftn(wide)
        x = mp.array(a, layout)
        for flags in 0, 1:
            plan = mp.fft_plan_new(dtype, layout, options(flags=flags))
            info = describe(plan)
            method = info.method.decode()
            met.add(method)
            name = f"{shape} {dtype} cut along {dims}, {method}{', permuted' * flags}"
            mp.ok(info.node == 0 or p == 4, f"{name}: by messages alone, if every rank is a node")
            y = mp.fft_plan_execute(plan, x)
            close(name, y, want)
            close(f"{name}, again", mp.fft_plan_execute(plan, x, out=y), want)
            there = binding._adopt(mp.Layout, mp.layout_retain(ctypes.c_void_p(mp.fft_plan_layout(plan))))
            back = mp.fft_plan_new(dtype, there, options(inverse=True, layout=layout))
            close(f"{name}, back", mp.fft_plan_execute(back, y), wide, 2)
            mp.fft_plan_free(plan)
            mp.fft_plan_free(back)
        close(f"{shape} {dtype} into the input", mp.fftn(x, 0, None, None, None, out=x), want)
    a = a.real.copy()
    x = mp.array(a, layout)
    half = mp.rfftn(x, 0, None, None, None)
    close(f"rfftn of {shape}", half, np.fft.rfftn(a))
    close("irfftn of it", mp.irfftn(half, len(shape), list(shape), list(range(len(shape))), None), a, 2)

expected = {"slabs", "long axes in two parts", "some ranks have whole axes, others nothing"}
mp.ok(p == 1 or expected <= met and (p != 4 or "pencils" in met), f"by every method: {sorted(met)}")
mp.done()
