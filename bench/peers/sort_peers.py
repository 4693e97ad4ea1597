#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times sorts of other libraries, to compare `maniple bench sort` with: the same cases, and data alike.

  CuPy on one GPU
  --host            NumPy on the CPU
  --jax             JAX on all GPUs that it sees, jitted, the data cut along its first axis

The data is on the device before and stays there.  A time is the median of repeats after a warm-up, each between two
CUDA events (NumPy and JAX: two readings of the clock).
"""

import functools
import math
import statistics

import numpy as np

import record
from library import Library, parse_arguments

# elements, dtype, dimensions, axis
CASES = {"sort": (1 << 28, "float32", 1, 0), "sort 2^26": (1 << 26, "float32", 1, 0),
         "sort int32": (1 << 26, "int32", 1, 0), "sort float64": (1 << 26, "float64", 1, 0),
         "argsort": (1 << 26, "float32", 1, 0), "sort axis 0": (1 << 26, "float32", 2, 0),
         "sort axis 1": (1 << 26, "float32", 2, 1), "topk 100": (1 << 26, "float32", 1, 0)}


def data(elements, dtype, ndim):
    n = math.isqrt(elements)
    values = np.random.default_rng(1).standard_normal(n * n if ndim == 2 else elements, "float32") * 1e6
    return values.astype(dtype).reshape((n, n) if ndim == 2 else -1)


def ordered(xp, name, x, axis):
    if name.startswith("argsort"):
        return xp.argsort(x, axis=axis, kind="stable") if xp is np else xp.argsort(x, axis=axis)
    if name.startswith("topk"):  # CuPy and NumPy have none: the k largest by a partition, then in order
        return -xp.sort(xp.partition(-x, 100)[:100])
    return xp.sort(x, axis=axis)


def main():
    arguments = parse_arguments(__doc__.splitlines()[0], CASES, "2^28 or 2^26")
    library = Library(arguments)
    xp = library.xp
    print(f"{library.ranks} x {library.device}, {library.name} {library.version}, median of {arguments.repeats}")
    for name, (elements, dtype, ndim, axis) in CASES.items():
        if arguments.case not in (None, name):
            continue
        x = library.move(data(arguments.elements or elements, dtype, ndim))
        run = functools.partial(ordered, xp, name, axis=axis)
        run = library.jax.jit(run) if library.jax else run
        times = library.times(functools.partial(run, x), arguments.repeats)
        median = statistics.median(times)
        print(f"  {name:14}{x.size:11} {x.dtype.name:10} median {median:9.4f} ms, best {min(times):9.4f} ms, "
              f"{1e-3 * x.size / median:8.1f} million/s", flush=True)
        record.append("sort", name, f"{x.size} {x.dtype.name}", library.name, library.version, library.device, 1e-3 * median,
                      1e-3 * min(times), library.ranks)


if __name__ == "__main__":
    main()
