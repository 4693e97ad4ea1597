#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times element-wise work of other libraries, to compare `maniple bench elementwise` with: the same cases and data.

  CuPy on one GPU   ElementwiseKernel, ufuncs with out=, fused and not, RawKernel, and launches of a small add
  --host            NumPy with out= and numexpr on the CPU
  --jax             JAX on all GPUs that it sees, 3*sin(-x)*y alone, jitted and sharded along the vector

The data is on the device before and stays there.  A time is the median of repeats after a warm-up, each between two
CUDA events (NumPy, numexpr: two readings of the clock; JAX, which has no events: the clock around ten calls that are
enqueued together, divided by ten).  Samples of all results are compared with float64 arithmetic.
"""

import argparse
import importlib
import math
import os
import statistics
import sys
import time

import numpy as np

import record

PRIME_SOURCE = r"""
extern "C" __global__ void sum_of_prime_factors(int first, int count, int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned rest = first + i, sum = 0;
    for (; rest % 2 == 0; rest /= 2)
        sum += 2;
    for (unsigned factor = 3; factor * factor <= rest; factor += 2) {
        for (; rest % factor == 0; rest /= factor)
            sum += factor;
    }
    sums[i] = rest > 1 ? sum + rest : sum;
}
"""
LAUNCHES, BATCHES, SMALL = 200, 50, 1000
PERIOD = 1 << 22  # of the data


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", metavar="NAME", help="this one alone, such as \"m + row\" or launch (default: all)")
    parser.add_argument("--elements", type=int, default=0, metavar="N",
                        help="of the result (default: 2^28, abs2 2^26, prime factors 999999; with --jax 2^30)")
    parser.add_argument("--repeats", type=int, default=50, metavar="N", help="timed runs of each (default: 50)")
    parser.add_argument("--warm-up", type=int, default=3, metavar="N", help="runs before those (default: 3)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with NumPy and numexpr")
    parser.add_argument("--jax", action="store_true", help="on all GPUs, with JAX")
    arguments = parser.parse_args()
    if arguments.repeats < 1 or arguments.warm_up < 0 or arguments.elements < 0:
        parser.error("--repeats must be at least 1, --warm-up and --elements at least 0")
    return arguments


def optional(module):
    """The module, or None with a line on stderr."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"elementwise_peers.py: without {module}: {error}", file=sys.stderr)
        return None


# --- data: a function of the index, as in apps/bench/arrays/elementwise.c ---------------------------------------------

def uniform(i, which):
    value = (np.asarray(i % PERIOD, np.uint64) * np.uint64(2) + np.uint64(which)) * np.uint64(0x9e3779b97f4a7c15)
    return (value >> np.uint64(40)) / 2.0 ** 24


def fill(n, which, dtype=np.float32):
    i = np.arange(min(n, PERIOD))
    values = uniform(i, which) if dtype is np.float32 else uniform(i, 0) + 1j * uniform(i, 1)
    return np.resize(values.astype(dtype), n)


def prime_sum(value):
    rest, total, factor = value, 0, 2
    while factor * factor <= rest:
        while rest % factor == 0:
            total, rest = total + factor, rest // factor
        factor += 1
    return total + rest if rest > 1 else total


class Case:
    """One case: its size, its data by a library's own asarray(), and what element i of the result should be."""

    def __init__(self, name, elements, bytes_each, vectors, expect, dtype="float32", square=False):
        self.name, self.elements, self.bytes, self.vectors, self.expect = name, elements, bytes_each, vectors, expect
        self.dtype, self.square = dtype, square

    def resize(self, elements):
        self.elements = elements or self.elements
        self.n = math.isqrt(self.elements) if self.square else self.elements
        self.elements = self.n ** 2 if self.square else self.n
        return self

    def data(self, asarray):
        shape = (self.n, self.n) if self.square else (self.n,)
        dtype = np.complex128 if self.dtype == "complex128" else np.float32
        made = [asarray(fill(self.elements, 0, dtype).reshape(shape))]
        return made + [asarray(fill(self.n, 1))] if self.vectors == 2 else made

    def error(self, result):
        """The largest relative error of a sample; `result` is flat and can be indexed."""
        i = np.unique(np.linspace(0, self.elements - 1, 2000).astype(np.int64))
        expected = np.asarray(self.expect(i, self.n), np.float64)
        return float(np.max(np.abs(result(i) - expected) / np.maximum(np.abs(expected), 1e-300)))


CASES = [
    Case("saxpy", 1 << 28, 12, 2, lambda i, n: 2.5 * uniform(i, 0) + uniform(i, 1)),
    Case("3*sin(-x)*y", 1 << 28, 12, 2, lambda i, n: 3 * np.sin(-uniform(i, 0)) * uniform(i, 1)),
    Case("m.T + m", 1 << 28, 12, 1, lambda i, n: uniform(i % n * n + i // n, 0) + uniform(i, 0), square=True),
    Case("m + row", 1 << 28, 8, 2, lambda i, n: uniform(i, 0) + uniform(i % n, 1), square=True),
    Case("abs2", 1 << 26, 24, 1, lambda i, n: uniform(i, 0) ** 2 + uniform(i, 1) ** 2, "complex128"),
    Case("prime factors", 999999, 4, 0, lambda i, n: [prime_sum(int(k) + 2) for k in i], "int32"),
]


# --- measuring --------------------------------------------------------------------------------------------------------

class Clock:
    """An event of the CPU's."""

    def record(self):
        self.time = time.perf_counter()

    def synchronize(self):
        pass


def measure(arguments, run, new_event=Clock, elapsed_ms=lambda begin, end: 1e3 * (end.time - begin.time)):
    """Call run() again and again; the last result and the times in milliseconds."""
    for _ in range(arguments.warm_up):
        result = run()
    times = []
    for _ in range(arguments.repeats):
        begin, end = new_event(), new_event()
        begin.record()
        result = run()
        end.record()
        end.synchronize()
        times.append(elapsed_ms(begin, end))
    return result, times


def cupy_ways(cupy, case):
    """(name of the way, function that runs it) of a case."""
    if case.name == "prime factors":
        sums = cupy.empty(case.n, cupy.int32)
        kernel = cupy.RawKernel(PRIME_SOURCE, "sum_of_prime_factors")
        count = np.int32(case.n)

        def run():
            kernel(((case.n + 255) // 256,), (256,), (np.int32(2), count, sums))
            return sums
        return [("RawKernel", run)]
    data = case.data(cupy.asarray)
    x, y = data[0], data[-1]
    z = cupy.empty(x.shape, cupy.float64 if case.name == "abs2" else x.dtype)
    if case.name == "saxpy":
        kernel = cupy.ElementwiseKernel("float32 a, T x, T y", "T z", "z = a * x + y", "saxpy")
        return [("ElementwiseKernel", lambda: kernel(2.5, x, y, z))]
    if case.name == "abs2":
        kernel = cupy.ElementwiseKernel("complex128 x", "float64 z",
                                        "z = x.real() * x.real() + x.imag() * x.imag()", "abs2")
        return [("ElementwiseKernel", lambda: kernel(x, z))]
    if case.name == "3*sin(-x)*y":
        def sine(x, y):
            return 3 * cupy.sin(-x) * y
        fused = cupy.fuse(sine)
        return [("cupy.fuse", lambda: fused(x, y)), ("ufuncs", lambda: sine(x, y))]
    first = x.T if case.name == "m.T + m" else x
    return [("cupy.add, out=", lambda: cupy.add(first, x if first is not x else y, out=z))]


def cupy_launches(cupy, results):
    x, y = (cupy.asarray(fill(SMALL, which)) for which in (0, 1))
    z = cupy.empty_like(x)
    for name, call in [("output reused", lambda: cupy.add(x, y, out=z)), ("new output", lambda: cupy.add(x, y))]:
        processor, device = [], []
        for batch in range(-3, BATCHES):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            cupy.cuda.Device().synchronize()
            begin.record()
            start = time.perf_counter()
            for _ in range(LAUNCHES):
                call()
            stop = time.perf_counter()
            end.record()
            end.synchronize()
            if batch >= 0:
                processor.append(1e6 * (stop - start) / LAUNCHES)
                device.append(1e3 * cupy.cuda.get_elapsed_time(begin, end) / LAUNCHES)
        for kind, times in (("launch", processor), ("back to back", device)):
            results.append({"name": f"{kind}, {name}", "way": "cupy.add", "dtype": "float32", "elements": SMALL,
                            "median_us": statistics.median(times), "best_us": min(times)})


def wanted(arguments, names=None):
    for case in CASES:
        if arguments.case in (None, case.name) and (names is None or case.name in names):
            yield case.resize(arguments.elements if arguments.case or case.vectors else 0)


def entry(case, way, times, error):
    return {"name": case.name, "way": way, "dtype": case.dtype, "elements": case.elements, "repeats": len(times),
            "median_ms": statistics.median(times), "best_ms": min(times), "relative_error": error,
            "bytes": case.bytes * case.elements, "gb_s": 1e-6 * case.bytes * case.elements / statistics.median(times)}


def with_cupy(arguments):
    cupy = optional("cupy")
    if cupy is None or not cupy.cuda.is_available():
        sys.exit("elementwise_peers.py: CuPy cannot use a GPU here; --host times NumPy and numexpr on the CPU")
    results = []
    for case in wanted(arguments):
        for way, run in cupy_ways(cupy, case):
            result, times = measure(arguments, run, cupy.cuda.Event, cupy.cuda.get_elapsed_time)
            flat = result.reshape(-1)
            error = case.error(lambda i: flat[cupy.asarray(i)].get().astype(np.float64))
            results.append(entry(case, way, times, error))
            del result, flat
        del run
        cupy.get_default_memory_pool().free_all_blocks()
    if arguments.case in (None, "launch"):
        cupy_launches(cupy, results)
    return ("CuPy", cupy.__version__, record.gpu(cupy), 1), results


def host_ways(numexpr, case):
    data = case.data(np.asarray)
    x, y = data[0], data[-1]
    z = np.empty(x.shape, np.float64 if case.name == "abs2" else x.dtype)
    a, three = np.float32(2.5), np.float32(3)
    if case.name == "saxpy":
        ways = [("NumPy, out=", lambda: np.add(np.multiply(x, a, out=z), y, out=z))]
        expression = "a * x + y"
    elif case.name == "3*sin(-x)*y":
        def run():
            np.sin(np.negative(x, out=z), out=z)
            return np.multiply(np.multiply(z, three, out=z), y, out=z)
        ways, expression = [("NumPy, out=", run)], "three * sin(-x) * y"
    elif case.name == "abs2":
        ways = [("NumPy", lambda: np.add(np.square(x.real), np.square(x.imag), out=z))]
        expression = "real(x) * real(x) + imag(x) * imag(x)"
    else:
        first, second = (x.T, x) if case.name == "m.T + m" else (x, y)
        ways, expression = [("NumPy, out=", lambda: np.add(first, second, out=z))], "first + second"
    if numexpr:
        names = dict(locals())
        ways.append((f"numexpr, {numexpr.get_num_threads()} threads",
                     lambda: numexpr.evaluate(expression, local_dict=names, out=z)))
    return ways


def with_host(arguments):
    numexpr = optional("numexpr")
    if numexpr:
        numexpr.set_num_threads(len(os.sched_getaffinity(0)))
    results = []
    for case in wanted(arguments, [case.name for case in CASES if case.vectors]):
        for way, run in host_ways(numexpr, case):
            result, times = measure(arguments, run)
            results.append(entry(case, way, times, case.error(lambda i: result.reshape(-1)[i].astype(np.float64))))
    version = np.__version__ + (f", numexpr {numexpr.__version__}" if numexpr else "")
    return ("NumPy", version, record.processor(), 1), results


def with_jax(arguments):
    jax = optional("jax")
    if jax is None or jax.default_backend() != "gpu":
        sys.exit("elementwise_peers.py: JAX cannot use a GPU here")
    sharding = jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(jax.devices()), ("x",)),
                                          jax.sharding.PartitionSpec("x"))
    case = next(case for case in CASES if case.name == "3*sin(-x)*y").resize(arguments.elements or 1 << 30)
    x, y = case.data(lambda values: jax.device_put(values, sharding))
    function, calls = jax.jit(lambda x, y: 3 * jax.numpy.sin(-x) * y), 10

    def run():
        for _ in range(calls):
            result = function(x, y)
        return result.block_until_ready()
    result, times = measure(arguments, run)
    error = case.error(lambda i: np.asarray(result[jax.numpy.asarray(i)], np.float64))
    return (("JAX", jax.__version__, jax.devices()[0].device_kind, len(jax.devices())),
            [entry(case, "jax.jit, sharded", [t / calls for t in times], error)])


def main():
    arguments = parse_arguments()
    where, results = (with_jax if arguments.jax else with_host if arguments.host else with_cupy)(arguments)
    library, version, device, ranks = where
    print(f"{ranks} x {device}, {library} {version}, median of {arguments.repeats}")
    for row in results:
        scale, unit = (1e-6, "us") if "median_us" in row else (1e-3, "ms")
        way = row["way"] if arguments.host else f"{library}, {row['way']}"
        record.append("elementwise", row["name"], f"{row['elements']} {row['dtype']}", way, version, device,
                      scale * row["median_" + unit], scale * row["best_" + unit], ranks, bytes=row.get("bytes"))
        if "median_us" in row:
            print(f"  {row['name']:27} {row['elements']:6} {row['dtype']:10} {row['median_us']:8.2f} us a call   "
                  f"{row['way']}")
        else:
            print(f"  {row['name']:14}{row['elements']:11} {row['dtype']:10} median {row['median_ms']:9.4f} ms, "
                  f"best {row['best_ms']:9.4f} ms, {row['gb_s']:8.1f} GB/s   {row['way']}, "
                  f"error {row['relative_error']:.0e}")
    wrong = [f"{row['name']} by {row['way']}" for row in results if not row.get("relative_error", 0) <= 2e-6]
    if wrong:
        sys.exit(f"elementwise_peers.py: wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
