#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times scans of other libraries, to compare Maniple's bench/scan with: the same cases and data.

  CuPy on one GPU   cumsum (there is no cumulative maximum)
  --host            NumPy on the CPU
  --jax             JAX on all GPUs that it sees, jitted, the data cut along its first axis

The data is on the device before and stays there.  A time is the median of repeats after a warm-up, each between two
CUDA events (NumPy and JAX: two readings of the clock).
"""

import argparse
import math
import statistics
import time

import numpy as np

import record

PERIOD = 1 << 22  # of the data
CASES = {"cumsum": ("float32", 1 << 28, None), "cumsum float64": ("float64", 1 << 27, None),
         "cummax": ("float32", 1 << 28, None), "cumsum axis 0": ("float32", 1 << 28, 0),
         "cumsum axis 1": ("float32", 1 << 28, 1)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, help="this one alone (default: all)")
    parser.add_argument("--elements", type=int, default=0, metavar="N", help="of the input (default: 1 GiB)")
    parser.add_argument("--repeats", type=int, default=50, metavar="N", help="timed runs of each (default: 50)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with NumPy")
    parser.add_argument("--jax", action="store_true", help="on all GPUs, with JAX")
    return parser.parse_args()


def data(dtype, elements, axis):
    """A function of the index, as in bench/scan.c."""
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
    arguments = parse_arguments()
    if arguments.jax:
        import jax
        jax.config.update("jax_enable_x64", True)
        sharding = jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(jax.devices()), ("x",)),
                                              jax.sharding.PartitionSpec("x"))
        xp, library, version = jax.numpy, "JAX", jax.__version__
        ranks, model = len(jax.devices()), jax.devices()[0].device_kind

        def move(values):
            return jax.device_put(values, sharding)
    elif arguments.host:
        xp, library, version, ranks, model = np, "NumPy", np.__version__, 1, record.processor()
        move = np.asarray
    else:
        import cupy
        xp, library, version, ranks, model = cupy, "CuPy", cupy.__version__, 1, record.gpu(cupy)
        move = cupy.asarray
    print(f"{ranks} x {model}, {library} {version}, median of {arguments.repeats}")
    for name, (dtype, elements, axis) in CASES.items():
        function = way(name, xp, axis, not arguments.jax)
        if arguments.case not in (None, name) or not function:
            continue
        x = move(data(dtype, arguments.elements or elements, axis))
        out = None if arguments.jax else xp.empty_like(x)
        if arguments.jax:
            jitted = jax.jit(lambda x: function(x, None))  # noqa: B023
        times = []
        for _ in range(-3, arguments.repeats):
            if arguments.jax or arguments.host:
                start = time.perf_counter()
                jitted(x).block_until_ready() if arguments.jax else function(x, out)
                times.append(1e3 * (time.perf_counter() - start))
            else:
                begin, end = cupy.cuda.Event(), cupy.cuda.Event()
                begin.record()
                function(x, out)
                end.record()
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(begin, end))
        median = statistics.median(times[3:])
        print(f"  {name:14}{x.size:11} {x.dtype.name:10} median {median:9.4f} ms, best {min(times[3:]):9.4f} ms, "
              f"{2e-6 * x.dtype.itemsize * x.size / median:8.1f} GB/s")
        record.append("scan", name, f"{x.size} {x.dtype.name}", library, version, model, 1e-3 * median,
                      1e-3 * min(times[3:]), ranks, bytes=2 * x.dtype.itemsize * x.size)


if __name__ == "__main__":
    main()
