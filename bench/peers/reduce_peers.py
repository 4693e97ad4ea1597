#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times reductions of other libraries, to compare `maniple bench reduce` with: the same cases and data.

  CuPy on one GPU   sum, argmax, var, a ReductionKernel for mse
  --host            NumPy on the CPU
  --jax             JAX on all GPUs that it sees, jitted, the data cut along its first axis

The data is on the device before and stays there.  A time is the median of repeats after a warm-up, each between two
CUDA events (NumPy and JAX: two readings of the clock).
"""

import math
import statistics

import numpy as np

import record
from library import Library, parse_arguments

PERIOD = 1 << 22  # of the data
CASES = {"sum": (1 << 28, 1, 4), "argmax": (1 << 28, 1, 4), "var": (1 << 28, 1, 4), "sum axis 0": (1 << 28, 2, 4),
         "sum axis 1": (1 << 28, 2, 4), "mse": (100000000, 1, 16), "standardise": (1 << 28, 2, 12)}
CASES.update({f"{name} of rows of {row}": (1 << 27, 2, 8) for name, row in
              (("sum", 3), ("sum", 30), ("sum", 100), ("max", 30), ("max", 1000), ("argmax", 30), ("argmax", 100))})


def data(name, elements, which):
    """A function of the index, as in apps/bench/arrays/reduce.c."""
    i = np.arange(min(elements, PERIOD), dtype=np.uint64)
    values = ((i * np.uint64(2) + np.uint64(which)) * np.uint64(0x9e3779b97f4a7c15) >> np.uint64(40)) / 2.0 ** 24
    rows, n = "rows" in name, math.isqrt(elements)
    shape = (elements // row_of(name), row_of(name)) if rows else (n, n) if CASES[name][1] == 2 else (elements,)
    return np.resize(values.astype(np.float64 if name == "mse" or rows else np.float32), shape)


def row_of(name):
    return int(name.split()[-1])


def ways(xp, name, x, y):
    if name == "mse":
        return lambda: xp.mean((x - y) ** 2)
    if name == "standardise":
        return lambda: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)
    axis = 1 if "rows" in name else int(name[-1]) if "axis" in name else None
    return lambda: getattr(xp, name.split()[0])(x, axis=axis)


def main():
    arguments = parse_arguments(__doc__.splitlines()[0], CASES, "2^28, mse 1e8")
    library = Library(arguments)
    xp = library.xp
    print(f"{library.ranks} x {library.device}, {library.name} {library.version}, median of {arguments.repeats}")
    for name, (elements, _, bytes_each) in CASES.items():
        if arguments.case not in (None, name):
            continue
        x = library.move(data(name, arguments.elements or elements, 0))
        y = library.move(data(name, arguments.elements or elements, 1)) if name == "mse" else None
        run, way = ways(xp, name, x, y), "as an expression"
        if name == "mse" and library.cupy:
            kernel = xp.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a / _in_ind.size()",
                                          "0", "mse")
            run, way = (lambda: kernel(x, y)), "ReductionKernel"
        if library.jax:
            jitted = library.jax.jit(lambda x, y, name=name: ways(xp, name, x, y)())
            run, way = (lambda: jitted(x, y)), "jax.jit, sharded"  # noqa: B023
        times = library.times(run, arguments.repeats)
        median = statistics.median(times)
        print(f"  {name:22}{x.size:11} {x.dtype.name:10} median {median:9.4f} ms, best {min(times):9.4f} ms, "
              f"{1e-6 * bytes_each * x.size / median:8.1f} GB/s   {way}")
        record.append("reduce", name, f"{x.size} {x.dtype.name}", library.name, library.version, library.device, 1e-3 * median,
                      1e-3 * min(times), library.ranks, bytes=bytes_each * x.size)


if __name__ == "__main__":
    main()
