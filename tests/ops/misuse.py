# SPDX-License-Identifier: BSD-3-Clause
"""Calls that are wrong: each fails with the same status on all ranks and one sentence that begins with the function's
name and has the offending values, changes nothing, and leaves the context usable.
"""

import ctypes
import re

import maniple as mp
import numpy as np

whole = np.arange(12, dtype=np.float64).reshape(3, 4)
rng = mp.random()
x = mp.array(whole, mp.random_layout(rng, whole.shape))
i32, i8, c, b = (mp.astype(x, dtype) for dtype in ("int32", "int8", "complex128", "bool"))
out, small = mp.array(whole + 100), mp.array(np.ones(3))


def refused(words, function, *arguments, status="MNP_ERR_ARG", sentences=1, **named):
    """The call fails, with a message that has these words and, if sentences=1, one line."""
    name = f"{getattr(function, '__name__', function)}: {words}"
    try:
        (function if callable(function) else getattr(mp, function))(*arguments, **named)
    except mp.Error as error:
        expected = (status,) if isinstance(status, str) else status
        right = error.status in expected and error.named and all(re.search(w, error.message) for w in words.split(" & "))
        lines = error.message.count("\n") + 1
        mp.ok(right and (sentences > 1 or lines == 1), name if right and lines <= sentences else f"{name}: got {error}")
    else:
        mp.ok(False, f"{name}: it was accepted")


def unharmed(what):
    """Nothing has changed, and the context works."""
    same = not mp.difference(x, whole) and not mp.difference(out, whole + 100) and not mp.difference(small, np.ones(3))
    mp.ok(same, f"{what}: no array has changed")
    mp.check(f"{what}: the context works", mp.add(x, small[:1]), whole + 1)


def struct(*fields):
    return type("Struct", (ctypes.Structure,), {"_fields_": list(fields)})


# --- types ------------------------------------------------------------------------------------------------------------

refused("bitwise_and & float64", mp.bitwise_and, x, x)
refused("invert & float64", mp.invert, x)
refused("left_shift & float64", mp.left_shift, x, 1)
refused("subtract & bool", mp.subtract, b, b)
refused("negative & bool", mp.negative, b)
refused("floor_divide & complex128", mp.floor_divide, c, c)
refused("float64 & int32", mp.add, x, x, out=i32)
refused("complex128 & float64", mp.sin, c, out=out)
refused("300 & int8", mp.add, i8, 300)
refused("float64 & int32 & casting", mp.copyto, i32, x, mp.MNP_CASTING_SAME_KIND)
refused("99", mp.astype, x, 99)
refused("99", mp.zeros, 99, 1, [3])
refused("NULL", mp.add, None, x)
refused("scalar", mp.copy, 2.5)
refused("scalar", mp.transpose, 2.5, None)
refused("scalar", mp.concatenate, [x, 2.5], 2, 0)
unharmed("types")

# --- shapes -----------------------------------------------------------------------------------------------------------

refused(r"\(3, 4\) & \(3,\)", mp.add, x, small)
refused(r"\(3, 4\) & \(3,\)", mp.add, small, small[:1], out=x)
refused(r"\(3, 4\) & \(1, 4\)", mp.add, x, x, out=out[:1])
refused(r"12 & \(5, 5\)", mp.reshape, x, 2, [5, 5])
refused("-1", mp.reshape, x, 2, [-1, -1])
refused("12 & 5", mp.reshape, x, 2, [5, -1])
refused(r"\(3, 4\) & \(4, 4\)", mp.broadcast_to, x, 2, [4, 4])
refused("-3", mp.zeros, "int8", 1, [-3])
refused("9", mp.zeros, "int8", 9, [1] * 9)
refused("int64|elements", mp.zeros, "int8", 2, [2 ** 62, 4])
refused(r"4 & 3", mp.concatenate, [x, mp.transpose(x, None)], 2, 0)
refused("0|no arrays", mp.concatenate, [], 0, 0)
refused(r"\(3, 4\) & \(3,\)", mp.stack, [x, small], 2, 0)
refused("4 & 3", mp.split, x, 3, 1, 3)
refused("-1", mp.pad, x, [1, -1, 0, 0], mp.MNP_BOUNDARY_FILL, None)
refused("broadcast", mp.add, x, 1, out=mp.broadcast_to(small[:1], 2, [3, 4]))
unharmed("shapes")

# --- axes and indices -------------------------------------------------------------------------------------------------

for axes in [0, 0], [0, 2], [-3, 1]:
    refused("axis|axes", mp.transpose, x, axes)
refused("2", mp.swapaxes, x, 0, 2)
refused("-3", mp.moveaxis, x, -3, 0)
refused("0 & 3", mp.squeeze, x, 1, [0])
refused("9", mp.expand_dims, x, 1, [9])
refused("2", mp.flip, x, 1, [2])
refused("1", mp.rot90, x, 1, 1, -1)
refused("2", mp.concatenate, [x, x], 2, 2)
refused("3", mp.stack, [x, x], 2, 3)
refused("5", mp.roll, x, 1, [1], [5])
refused("5", mp.repeat, x, 2, 5)
refused("-2", mp.repeat, x, -2, 0)
refused("-2", mp.tile, x, 1, [-2])
refused("step", mp.index, x, "::0")
refused("3 & out of", mp.index, x, "3")
refused("-5 & out of", mp.index, x, ":, -5")
refused("3 & 2", mp.index, x, "0, 0, 0")
refused("ellips", mp.index, x, "..., 1, ...")
for text, column in ("1:2:3:4", 6), ("a", 1), ("1, ;", 4), ("1 2", 3):
    refused(f"{column}", mp.index, x, text)
refused("step", mp.arange, 0.0, 1.0, 0.0, None)
refused("nan", mp.arange, 0.0, float("nan"), 1.0, None)
refused("-1", mp.linspace, 0.0, 1.0, -1, True, None)
refused("0", mp.geomspace, 0.0, 1.0, 5, True, None)
refused("-4", mp.eye, "float64", -4, 3, 0)
unharmed("axes and indices")

# --- memory: no address space is so large -----------------------------------------------------------------------------

huge = mp.broadcast_to(i8[:1, :1], 2, [2 ** 29, 2 ** 29])
NO_MEMORY = "MNP_ERR_MEMORY", "MNP_ERR_PEER"  # one rank may own it all
refused("memory", mp.zeros, "int8", 1, [2 ** 58], status=NO_MEMORY[:1])
refused("memory", mp.add, huge, huge, status=NO_MEMORY)
refused("memory", mp.copy, huge, status=NO_MEMORY)
refused("memory", mp.eval, "z = x + 1", x=huge, status=NO_MEMORY)
unharmed("memory")

# --- expressions ------------------------------------------------------------------------------------------------------

for text, column in [("z = 3*sin(", 11), ("z = (x + 1", 11), ("z = x +* 2", 8), ("z = x $ 2", 7), ("z 3", 3),
                     ("z = 1.5e", 5), ("z = x[0", 8), ("w = x\nz = y + 1", 5)]:
    refused(f"{column}", mp.eval, text, x=x, sentences=9)
refused("sinn", mp.eval, "z = sinn(x)", x=x, sentences=9)
refused("sin & 1 & 2", mp.eval, "z = sin(x, x)", x=x, sentences=9)
refused("z", mp.eval, "w = x", x=x, sentences=9)
refused("bitwise_and & float64", mp.eval, "z = x & 2", x=x, sentences=9)
refused("300", mp.eval, "z = x + 300", x=i8, sentences=9)
refused(r"\(3, 4\) & \(3,\)", mp.eval, "z = x + y", x=x, y=small, sentences=9)
refused("float64 & int32", mp.eval, "z = x + 1", x=x, out={"z": i32}, sentences=9)
unharmed("expressions")

# --- kernels of the user's own ----------------------------------------------------------------------------------------

for inputs, outputs, words in [("float32", "T z", "name|float32"), ("flaot32 x", "T z", "flaot32"),
                               ("T x,, T y", "T z", "position 5"), ("T x", "raw T z", "raw"), ("T x", "T x", "x")]:
    refused(words, mp.elementwise_new, inputs, outputs, "z = x", None,
            status="MNP_ERR_UNSUPPORTED" if "raw" in outputs else "MNP_ERR_ARG")
double = mp.elementwise_new("T x", "T z", "z = x + x", None)
single = mp.elementwise_new("float32 x", "float32 z", "z = x + x", None)
broken = mp.elementwise_new("T x", "T z", "z = x +\n  undefined_name;", None)


def call(kernel, inputs, reused=None):
    """mnp_elementwise_call() with one output."""
    cell = ctypes.c_void_p(reused.pointer.value if reused else None)
    cells = (ctypes.c_void_p * 1)(ctypes.addressof(cell))
    mp.elementwise_call(kernel, len(inputs), inputs, 1, cells)
    return reused or mp.Array(cell.value)


refused("1 & 2", call, double, [x, x])
refused("float64 & float32", call, single, [x])
refused("float64 & int32", call, double, [x], i32)
refused(r"\(3, 4\) & \(3,\)", call, double, [x], small)
refused("undefined_name & 2", call, broken, [x], status="MNP_ERR_COMPILE", sentences=99)
mp.check("a right call", call(double, [x]), whole * 2)
for kernel in (double, single, broken):
    mp.elementwise_free(kernel)

SOURCE = """extern "C" __global__ void one(int n, double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 1;
}
"""
Launch = struct(("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_size_t),
                ("stream", ctypes.c_void_p))
Argument = struct(("array", ctypes.c_void_p), ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t),
                  ("value", ctypes.c_int64))


def launch(kernel, grid=(1, 1, 1), block=(32, 1, 1), shared=0, count=2):
    arguments = (Argument * 2)(Argument(None, None, 4, 0), Argument(x.pointer, None, 0, 0))
    mp.raw_kernel_launch(kernel, Launch((ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block), shared, None),
                         count, arguments)


refused("undefined_name & 5", mp.raw_module_new, SOURCE.replace("= 1", "= undefined_name"), None,
        status="MNP_ERR_COMPILE", sentences=99)
module = mp.raw_module_new(SOURCE, None)
one = mp.raw_module_kernel(module, "one")
refused("two", mp.raw_module_kernel, module, "two")
refused("2048", launch, one, block=(2048, 1, 1))
refused("100", launch, one, block=(32, 1, 100))
refused("0", launch, one, grid=(0, 1, 1))
refused("0", launch, one, block=(0, 1, 1))
refused("16777216", launch, one, shared=1 << 24)
refused("1 & 2", launch, one, count=1)
launch(one)
mp.raw_module_free(module)
unharmed("kernels")
mp.done()
