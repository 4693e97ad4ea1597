# SPDX-License-Identifier: BSD-3-Clause
"""Times the same as `maniple bench fft` with CuPy on a GPU, or with numpy.fft and scipy.fft on the CPU, in the same words.

  fft_peers.py [--workers N] [--repeats N] [--elements N] [--case NAME ...] [--host]

N is the elements of the array.  A time is the median of repeats, and the best one, after a warm-up; on a GPU each is
between two events of the device, and CuPy keeps its plan.
"""

import argparse
import time

import numpy as np
import record
import scipy
import scipy.fft

CUBE, SQUARE, LONG = (256, 256, 256), (4096, 4096), (16384, 4096)
# The dtype of the input, the shape (on the real side), the function and its axis
CASES = {"cube": ("complex128", CUBE, "fftn", None), "cube-single": ("complex64", CUBE, "fftn", None),
         "square": ("complex128", SQUARE, "fftn", None), "square-single": ("complex64", SQUARE, "fftn", None),
         "line": ("complex128", (1 << 22,), "fftn", None), "cube-real": ("float64", CUBE, "rfftn", None),
         "cube-real-single": ("float32", CUBE, "rfftn", None), "cube-inverse": ("complex64", CUBE, "ifftn", None),
         "cube-real-inverse": ("complex64", CUBE, "irfftn", None), "axis-0": ("complex64", LONG, "fft", 0),
         "axis-1": ("complex64", LONG, "fft", 1), "axis-0-inverse": ("complex64", LONG, "ifft", 0),
         "axis-0-any": ("complex64", (3000, 5000), "fft", 0), "outer": ("complex64", CUBE, "fft", 0),
         "middle": ("complex64", CUBE, "fft", 1), "outer-real": ("float32", CUBE, "rfft", 0),
         "middle-real": ("float32", CUBE, "rfft", 1), "middle-real-inverse": ("complex64", CUBE, "irfft", 1)}

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--repeats", type=int, default=5)
parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES))
parser.add_argument("--elements", type=int, default=0)
parser.add_argument("--host", action="store_true")
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


def libraries(function, axis, x):
    """Each library's name and version, and the transform."""
    options = {} if axis is None else {"axis": axis}
    if not arguments.host:
        import cupy
        of_cupy, y = getattr(cupy.fft, function), cupy.asarray(x)
        return [("CuPy", cupy.__version__, lambda: of_cupy(y, **options))]
    of_scipy, of_numpy = getattr(scipy.fft, function), getattr(np.fft, function)
    return [(f"scipy.fft, {arguments.workers} workers", scipy.__version__,
             lambda: of_scipy(x, workers=arguments.workers, **options)),
            ("numpy.fft", np.__version__, lambda: of_numpy(x, **options))]


def device():
    if arguments.host:
        return record.processor()
    import cupy
    return record.gpu(cupy)


for name in arguments.case:
    dtype, shape, function, axis = CASES[name]
    if arguments.elements:
        shape = tuple(round(n * (arguments.elements / np.prod(shape)) ** (1 / len(shape))) for n in shape)
    points = int(np.prod(shape))
    if function.startswith("irfft"):
        half = len(shape) - 1 if axis is None else axis
        shape = tuple(n // 2 + 1 if d == half else n for d, n in enumerate(shape))
    x = np.random.default_rng(1).standard_normal(shape, "float32" if dtype in ("float32", "complex64") else "float64")
    x = x.astype(dtype)
    for library, version, run in libraries(function, axis, x):
        seconds = sorted((times_on_cpu if arguments.host else times_on_gpu)(run))
        median = seconds[len(seconds) // 2]
        print(f"{name:20s} {library:22s} {1e3 * median:9.3f} ms, best {1e3 * seconds[0]:9.3f} ms", flush=True)
        record.append("fft", name, f"{points} {dtype}", library, version, device(), median, seconds[0],
                      arguments.workers)
