# SPDX-License-Identifier: BSD-3-Clause
"""MANIPLE_CHECK=1: ranks that call with other arguments get one status and one sentence, and go on."""

import ctypes
import os

os.environ["MANIPLE_CHECK"] = "1"
import binding  # noqa: E402
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402

other = mp.rank == mp.size - 1 and mp.size > 1  # the rank that is wrong
x, y = mp.array(np.arange(12.0)), mp.array(np.arange(12, dtype=np.int32))
square = mp.array(np.arange(16.0).reshape(4, 4))


def refused(what, name, *arguments, **named):
    """The call fails on all ranks with the same words, and the next ones do not."""
    if mp.size == 1:
        return
    mp.fails("MNP_ERR_ARG", "with the same arguments", name, *arguments, **named)
    mp.check(f"{what}: the context works", mp.sum(x, None), np.float64(66))


refused("shapes", "zeros", "float64", 1, [7 if other else 8])
refused("shapes of the same size", "ones", "float64", 2, [2, 6] if other else [3, 4])
refused("dtypes", "zeros", "float32" if other else "float64", 1, [8])
refused("values of a fill", "full_like", x, None, np.float64(2 if other else 1))
refused("operands", "add", x, y if other else x)
refused("numbers", "multiply", x, 3.0 if other else 2.0)
refused("functions", "subtract" if other else "add", x, x)
refused("an axis of a sort", "sort", square, 0 if other else 1)
refused("an axis of a sum", "cumsum", square, 0 if other else 1, None)
refused("a text", "fromfunction", "i0 + 1" if other else "i0", "float64", 1, [8])
refused("seeds", "rng_new", 1 if other else 2)
refused("a layout", "redistribute", x, mp.layout_on_root(mp.size, 0, 1, [12]) if other else
        mp.layout_replicated(mp.size, 1, [12]))
refused("how many to draw", "topk", x, 2 if other else 3, 0, True)
mp.check("arrays are as they were", mp.add(x, y), np.arange(12.0) * 2)


def init(options):
    handle = ctypes.c_void_p()
    status = binding._lib.mnp_init(binding._world, options, ctypes.byref(handle))
    return status, handle


def zeros(context, extent):
    made = ctypes.c_void_p()
    status = binding._lib.mnp_zeros(context, mp.MNP_FLOAT64, 1, (ctypes.c_int64 * 1)(extent), ctypes.byref(made))
    binding._lib.mnp_array_free(made)
    return status


status, context = init(b"check=1")
mp.ok(status == 0 and (zeros(context, 7 if other else 8) == mp.MNP_ERR_ARG or mp.size == 1), "as an option")
mp.ok(zeros(context, 8) == 0, "and alike it works")
binding._lib.mnp_finalize(context)
status, context = init(b"check=1" if other else b"check=0")
mp.ok(status == (0 if mp.size == 1 else mp.MNP_ERR_ARG), "not on some ranks alone")
if status == 0:
    binding._lib.mnp_finalize(context)
status, _ = init(b"check=yes")
mp.ok(status == mp.MNP_ERR_ARG, "it is 0 or 1")
mp.done()
