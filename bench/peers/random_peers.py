# SPDX-License-Identifier: BSD-3-Clause
"""Times random numbers of CuPy on a GPU, or of NumPy on the CPU, for comparison with `maniple bench random`:

    python3 bench/peers/random_peers.py [--host] [--case NAME] [--elements N] [--repeats N]

A time is the median; CuPy's are taken by events of the device.
"""

import argparse
import statistics
import time

import record

CASES = [("bits", "uint32"), ("uniform", "float32"), ("uniform", "float64"), ("normal", "float32"),
         ("normal", "float64"), ("lognormal", "float64"), ("exponential", "float32"), ("exponential", "float64"),
         ("integers below 1000", "int64"), ("gamma of shape 3", "float64"), ("beta of 2 and 3", "float64"),
         ("poisson of mean 3", "int64"), ("poisson of mean 100", "int64"), ("binomial of 1000, 0.3", "int64"),
         ("permutation", "int64")]


def draw(generator, case, dtype, n):
    """One draw by the generator's functions."""
    kind = {"dtype": dtype}
    return {"bits": lambda: generator.integers(0, 2 ** 32, n, **kind), "uniform": lambda: generator.random(n, **kind),
            "normal": lambda: generator.standard_normal(n, **kind), "lognormal": lambda: generator.lognormal(0, 1, n),
            "exponential": lambda: generator.standard_exponential(n, **kind),
            "integers below 1000": lambda: generator.integers(0, 1000, n),
            "gamma of shape 3": lambda: generator.gamma(3, 1, n), "beta of 2 and 3": lambda: generator.beta(2, 3, n),
            "poisson of mean 3": lambda: generator.poisson(3, n),
            "poisson of mean 100": lambda: generator.poisson(100, n),
            "binomial of 1000, 0.3": lambda: generator.binomial(1000, 0.3, n),
            "permutation": lambda: generator.permutation(n)}[case]()


def numpy_seconds(case, dtype, n):
    import numpy
    generator = numpy.random.default_rng(1)
    start = time.perf_counter()
    draw(generator, case, dtype, n)
    return time.perf_counter() - start


def cupy_seconds(case, dtype, n):
    import cupy
    generator = cupy.random.default_rng(1)
    events = cupy.cuda.Event(), cupy.cuda.Event()
    events[0].record()
    draw(generator, case, dtype, n)
    events[1].record()
    events[1].synchronize()
    return cupy.cuda.get_elapsed_time(*events) / 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--case", choices=dict(CASES))
    parser.add_argument("--elements", type=int, default=1 << 24)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.host:
        import numpy as module
        library, device, seconds = "NumPy", record.processor(), numpy_seconds
    else:
        import cupy as module
        library, device, seconds = "CuPy", record.gpu(module), cupy_seconds
    for case, dtype in CASES:
        if arguments.case not in (None, case):
            continue
        try:
            times = [seconds(case, dtype, arguments.elements) for _ in range(arguments.repeats + 1)][1:]
        except (AttributeError, TypeError, ValueError) as error:  # what this library has not
            print(f"{library}: {case} {dtype}: {error}")
            continue
        median = statistics.median(times)
        print(f"{library}: {case} {dtype} {arguments.elements} elements: {1e3 * median:.4f} ms, "
              f"{1e9 * median / arguments.elements:.2f} ns each", flush=True)
        record.append("random", case, f"{arguments.elements} {dtype}", library, module.__version__, device, median,
                      min(times))


main()
