# SPDX-License-Identifier: BSD-3-Clause
"""Times the same as bench/fft.c with numpy.fft and scipy.fft on the CPU, or with CuPy on a GPU, in the same words.

  fft_peers.py [--workers N] [--repeats N] [--elements N] [--case NAME ...] [--cupy]

N is the elements of the array.  A time is the median of repeats, and the best one, after a warm-up; on a GPU each is
between two events of the device, and CuPy keeps its plan.
"""

import argparse
import time

import numpy as np
import record
import scipy
import scipy.fft

CASES = {"cube": ("complex128", 3, 256), "cube-single": ("complex64", 3, 256), "square": ("complex128", 2, 4096),
         "square-single": ("complex64", 2, 4096), "line": ("complex128", 1, 1 << 22), "cube-real": ("float64", 3, 256),
         "cube-real-single": ("float32", 3, 256), "axis-0": ("complex64", 2, 8192), "axis-1": ("complex64", 2, 8192)}

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--repeats", type=int, default=5)
parser.add_argument("--case", nargs="*", default=list(CASES))
parser.add_argument("--elements", type=int, default=0)
parser.add_argument("--cupy", action="store_true")
arguments = parser.parse_args()


def times_on_gpu(run):
    """Milliseconds of each repeat, between two events; three calls before them make the plan and warm up."""
    import cupy
    for _ in range(3):
        run()
    pairs = [(cupy.cuda.Event(), cupy.cuda.Event()) for _ in range(arguments.repeats)]
    for begin, end in pairs:
        begin.record()
        run()
        end.record()
    cupy.cuda.runtime.deviceSynchronize()
    return [1e-3 * cupy.cuda.get_elapsed_time(begin, end) for begin, end in pairs]


def times_on_cpu(run):
    seconds = []
    for _ in range(arguments.repeats + 1):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return seconds[1:]


def libraries(name, x):
    """Each library's name and version, and the transform."""
    axis = {"axis-0": 0, "axis-1": 1}.get(name)
    function = "fft" if axis is not None else "rfftn" if x.dtype.kind == "f" else "fftn"
    options = {} if axis is None else {"axis": axis}
    if arguments.cupy:
        import cupy
        of_cupy, y = getattr(cupy.fft, function), cupy.asarray(x)
        return [("CuPy", cupy.__version__, lambda: of_cupy(y, **options))]
    of_scipy, of_numpy = getattr(scipy.fft, function), getattr(np.fft, function)
    return [(f"scipy.fft, {arguments.workers} workers", scipy.__version__,
             lambda: of_scipy(x, workers=arguments.workers, **options)),
            ("numpy.fft", np.__version__, lambda: of_numpy(x, **options))]


def device():
    if not arguments.cupy:
        return record.processor()
    import cupy
    return cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


for name in arguments.case:
    dtype, ndim, extent = CASES[name]
    n = round(arguments.elements ** (1 / ndim)) if arguments.elements else extent
    shape = (2 * n, n // 2) if name.startswith("axis") else (n,) * ndim
    x = np.random.default_rng(1).standard_normal(shape, "float32" if dtype in ("float32", "complex64") else "float64")
    x = x.astype(dtype)
    for library, version, run in libraries(name, x):
        seconds = sorted((times_on_gpu if arguments.cupy else times_on_cpu)(run))
        median = seconds[len(seconds) // 2]
        print(f"{name:16s} {library:22s} {1e3 * median:9.3f} ms, best {1e3 * seconds[0]:9.3f} ms", flush=True)
        record.append("fft", name, f"{x.size} {dtype}", library, version, device(), median, seconds[0],
                      arguments.workers)
