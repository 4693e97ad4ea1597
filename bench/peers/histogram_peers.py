#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times histograms of other libraries, to compare Maniple's bench/histogram with: the same cases and data.

  CuPy on one GPU
  --host            NumPy on the CPU

The data is on the device before and stays there.  A time is the median of repeats after a warm-up, each between two
CUDA events (NumPy: two readings of the clock).
"""

import argparse
import statistics
import time

import numpy as np

import record

PERIOD = 1 << 22  # of the data
CASES = {"even": (256, 4), "auto": (256, 8), "many": (1000000, 4), "weighted": (256, 8), "edges": (256, 4),
         "bincount": (1000, 8), "search": (256, 12)}  # bins, bytes read and written for an element


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, help="this one alone (default: all)")
    parser.add_argument("--elements", type=int, default=1 << 26, metavar="N", help="of the input (default: 2^26)")
    parser.add_argument("--repeats", type=int, default=50, metavar="N", help="timed runs of each (default: 50)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with NumPy")
    return parser.parse_args()


def data(name, elements):
    """A function of the index, as in bench/histogram.c."""
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
    arguments = parse_arguments()
    if arguments.host:
        xp, library, version, model = np, "NumPy", np.__version__, record.processor()
    else:
        import cupy
        xp, library, version, model = cupy, "CuPy", cupy.__version__, record.gpu(cupy)
    print(f"{library} {version}, median of {arguments.repeats}")
    for name, (bins, bytes_each) in CASES.items():
        if arguments.case not in (None, name):
            continue
        x = xp.asarray(data(name, arguments.elements))
        run = ways(xp, name, x)
        times = []
        for _ in range(-3, arguments.repeats):
            if arguments.host:
                start = time.perf_counter()
                run()
                times.append(1e3 * (time.perf_counter() - start))
            else:
                begin, end = cupy.cuda.Event(), cupy.cuda.Event()
                begin.record()
                run()
                end.record()
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(begin, end))
        median = statistics.median(times[3:])
        print(f"  {name:10}{x.size:11} {x.dtype.name:8} {bins:8} bins   median {median:9.4f} ms, best "
              f"{min(times[3:]):9.4f} ms, {1e-6 * bytes_each * x.size / median:8.1f} GB/s")
        record.append("histogram", name, f"{x.size} {x.dtype.name}", library, version, model, 1e-3 * median,
                      1e-3 * min(times[3:]), bytes=bytes_each * x.size)


if __name__ == "__main__":
    main()
