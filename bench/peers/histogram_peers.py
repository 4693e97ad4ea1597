#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times histograms of other libraries, to compare `maniple bench histogram` with: the same cases and data.

  CuPy on one GPU
  --host            NumPy on the CPU

The data is on the device before and stays there.  A time is the median of repeats after a warm-up, each between two
CUDA events (NumPy: two readings of the clock).
"""

import statistics

import numpy as np

import record
from library import Library, parse_arguments

PERIOD = 1 << 22  # of the data
CASES = {"even": (256, 4), "auto": (256, 8), "many": (1000000, 4), "weighted": (256, 8), "edges": (256, 4),
         "bincount": (1000, 8), "search": (256, 12)}  # bins, bytes read and written for an element


def data(name, elements):
    """A function of the index, as in apps/bench/arrays/histogram.c."""
    i = np.arange(min(elements, PERIOD), dtype=np.uint64)
    values = (i * np.uint64(0x9e3779b97f4a7c15) >> np.uint64(40)) / 2.0 ** 24
    whole = name == "bincount"
    return np.resize((values * CASES[name][0]).astype(np.int32) if whole else values.astype(np.float32), elements)


def ways(xp, name, x):
    bins = CASES[name][0]
    edges, ones = xp.linspace(0, 1, bins + 1).astype(xp.float32), xp.ones(x.shape, xp.float32)
    return {"even": lambda: xp.histogram(x, bins, (0, 1)), "many": lambda: xp.histogram(x, bins, (0, 1)),
            "auto": lambda: xp.histogram(x, bins), "weighted": lambda: xp.histogram(x, bins, (0, 1), weights=ones),
            "edges": lambda: xp.histogram(x, edges), "bincount": lambda: xp.bincount(x, minlength=bins),
            "search": lambda: xp.searchsorted(edges, x)}[name]


def main():
    arguments = parse_arguments(__doc__.splitlines()[0], CASES, "2^26", jax=False)
    library = Library(arguments)
    xp = library.xp
    print(f"{library.name} {library.version}, median of {arguments.repeats}")
    for name, (bins, bytes_each) in CASES.items():
        if arguments.case not in (None, name):
            continue
        x = xp.asarray(data(name, arguments.elements or 1 << 26))
        run = ways(xp, name, x)
        times = library.times(run, arguments.repeats)
        median = statistics.median(times)
        print(f"  {name:10}{x.size:11} {x.dtype.name:8} {bins:8} bins   median {median:9.4f} ms, best "
              f"{min(times):9.4f} ms, {1e-6 * bytes_each * x.size / median:8.1f} GB/s")
        record.append("histogram", name, f"{x.size} {x.dtype.name}", library.name, library.version, library.device, 1e-3 * median,
                      1e-3 * min(times), bytes=bytes_each * x.size)


if __name__ == "__main__":
    main()
