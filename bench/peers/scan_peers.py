#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times scans of other libraries, to compare `maniple bench scan` with: the same cases and data.

  CuPy on one GPU   cumsum (there is no cumulative maximum)
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

PERIOD = 1 << 22  # of the data
CASES = {"cumsum": ("float32", 1 << 28, None), "cumsum float64": ("float64", 1 << 27, None),
         "cummax": ("float32", 1 << 28, None), "cumsum axis 0": ("float32", 1 << 28, 0),
         "cumsum axis 1": ("float32", 1 << 28, 1)}


def data(dtype, elements, axis):
    """A function of the index, as in apps/bench/arrays/scan.c."""
    i = np.arange(min(elements, PERIOD), dtype=np.uint64)
    values = (i * np.uint64(2) * np.uint64(0x9e3779b97f4a7c15) >> np.uint64(40)) / 2.0 ** 24
    n = math.isqrt(elements)
    flat = np.resize(values.astype(dtype), elements if axis is None else n * n)
    return flat if axis is None else flat.reshape(n, n)


def way(name, xp, axis, given):
    """The function to time; None where the library has none."""
    if name != "cummax":
        return (lambda x, out: xp.cumsum(x, axis=axis or 0, out=out)) if given else (
            lambda x, out: xp.cumsum(x, axis=axis or 0))
    if xp is np:
        return lambda x, out: np.maximum.accumulate(x, out=out)
    return None if given else lambda x, out: __import__("jax").lax.cummax(x)


def main():
    arguments = parse_arguments(__doc__.splitlines()[0], CASES, "1 GiB")
    library = Library(arguments)
    xp = library.xp
    print(f"{library.ranks} x {library.device}, {library.name} {library.version}, median of {arguments.repeats}")
    for name, (dtype, elements, axis) in CASES.items():
        function = way(name, xp, axis, not arguments.jax)
        if arguments.case not in (None, name) or not function:
            continue
        x = library.move(data(dtype, arguments.elements or elements, axis))
        if library.jax:
            run = functools.partial(library.jax.jit(functools.partial(function, out=None)), x)
        else:
            run = functools.partial(function, x, xp.empty_like(x))
        times = library.times(run, arguments.repeats)
        median = statistics.median(times)
        print(f"  {name:14}{x.size:11} {x.dtype.name:10} median {median:9.4f} ms, best {min(times):9.4f} ms, "
              f"{2e-6 * x.dtype.itemsize * x.size / median:8.1f} GB/s")
        record.append("scan", name, f"{x.size} {x.dtype.name}", library.name, library.version, library.device, 1e-3 * median,
                      1e-3 * min(times), library.ranks, bytes=2 * x.dtype.itemsize * x.size)


if __name__ == "__main__":
    main()
