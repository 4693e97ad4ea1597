#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times sorts of other libraries, to compare Maniple's bench/sort with: the same cases, and data alike.

  CuPy on one GPU
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

# elements, dtype, dimensions, axis
CASES = {"sort": (1 << 28, "float32", 1, 0), "sort 2^26": (1 << 26, "float32", 1, 0),
         "sort int32": (1 << 26, "int32", 1, 0), "sort float64": (1 << 26, "float64", 1, 0),
         "argsort": (1 << 26, "float32", 1, 0), "sort axis 0": (1 << 26, "float32", 2, 0),
         "sort axis 1": (1 << 26, "float32", 2, 1), "topk 100": (1 << 26, "float32", 1, 0)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, help="this one alone (default: all)")
    parser.add_argument("--elements", type=int, default=0, metavar="N", help="of the input (default: 2^28 or 2^26)")
    parser.add_argument("--repeats", type=int, default=50, metavar="N", help="timed runs of each (default: 50)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with NumPy")
    parser.add_argument("--jax", action="store_true", help="on all GPUs, with JAX")
    return parser.parse_args()


def data(elements, dtype, ndim):
    n = math.isqrt(elements)
    values = np.random.default_rng(1).standard_normal(n * n if ndim == 2 else elements, "float32") * 1e6
    return values.astype(dtype).reshape((n, n) if ndim == 2 else -1)


def run(xp, name, x, axis):
    if name.startswith("argsort"):
        return xp.argsort(x, axis=axis, kind="stable") if xp is np else xp.argsort(x, axis=axis)
    if name.startswith("topk"):  # CuPy and NumPy have none: the k largest by a partition, then in order
        return -xp.sort(xp.partition(-x, 100)[:100])
    return xp.sort(x, axis=axis)


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
    for name, (elements, dtype, ndim, axis) in CASES.items():
        if arguments.case not in (None, name):
            continue
        x = move(data(arguments.elements or elements, dtype, ndim))
        jitted = jax.jit(lambda x, name=name, axis=axis: run(xp, name, x, axis)) if arguments.jax else None
        times = []
        for i in range(-3, arguments.repeats):
            if arguments.jax or arguments.host:
                start = time.perf_counter()
                jitted(x).block_until_ready() if jitted else run(xp, name, x, axis)
                times.append(1e3 * (time.perf_counter() - start))
            else:
                begin, end = cupy.cuda.Event(), cupy.cuda.Event()
                begin.record()
                run(xp, name, x, axis)
                end.record()
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(begin, end))
        median = statistics.median(times[3:])
        print(f"  {name:14}{x.size:11} {x.dtype.name:10} median {median:9.4f} ms, best {min(times[3:]):9.4f} ms, "
              f"{1e-3 * x.size / median:8.1f} million/s", flush=True)
        record.append("sort", name, f"{x.size} {x.dtype.name}", library, version, model, 1e-3 * median,
                      1e-3 * min(times[3:]), ranks)


if __name__ == "__main__":
    main()
