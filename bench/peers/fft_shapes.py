# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of awkward shapes on a GPU, by Maniple and by CuPy in one process: one line for each, with both times.

  fft_shapes.py [--repeats N] [--double]

A time is the least of three, each of N transforms in a row (10), after one that makes the plans.  The error is that of
Maniple's result relative to CuPy's.  Spectra of several axes are those of real numbers, as cuFFT takes no others.
`floor` is the time in which 4.25 TB/s read the input and write the output.
"""

import argparse
import time

import cupy
import maniple
import record

CASES = [("fft", (3000, 5000), {"axis": 0}), ("fft", (5000, 3000), {"axis": 0}), ("fft", (6000, 3001), {"axis": 0}),
         ("fft", (10000, 2000), {"axis": 0}), ("fft", (3125, 3000), {"axis": 0}),
         ("fft", (1000, 50000), {"axis": 0}), ("fft", (6, 1 << 22), {"axis": 0}),
         ("fft", (17, 1000001), {"axis": 0}), ("fft", (997, 10007), {"axis": 0}),
         ("fft", (560, 560, 281), {"axis": 0}), ("fft", (99, 101, 1001), {"axis": 1}),
         ("fft", (64, 34, 5001), {"axis": 1}), ("fft", (409, 409, 205), {"axis": 1}),
         ("fft", (60, 1021, 333), {"axis": 1}), ("ifft", (3000, 5000), {"axis": 0}),
         ("rfft", (3000, 5000), {"axis": 0}), ("irfft", (1501, 5000), {"axis": 0}),
         ("rfft", (405, 405, 405), {"axis": 1}), ("irfft", (405, 203, 405), {"axis": 1, "n": 404}),
         ("rfft", (64, 307, 4001), {"axis": 1}), ("rfft2", (300, 401, 65), {"axes": (0, 1)}),
         ("fft2", (300, 400, 64), {"axes": (0, 1)}), ("fftn", (384, 640, 512), {}), ("rfftn", (405, 405, 405), {}),
         ("irfftn", (405, 405, 203), {"s": (405, 405, 405)}), ("rfftn", (560, 560, 560), {}),
         ("irfftn", (560, 560, 281), {}), ("ifftn", (560, 560, 560), {}), ("irfftn", (512, 512, 257), {}),
         ("rfftn", (409, 401, 419), {}), ("irfftn", (4096, 2049), {}), ("rfftn", (997, 1009), {}),
         ("ifftn", (997, 1009), {}), ("irfftn", (101, 65), {})]

parser = argparse.ArgumentParser()
parser.add_argument("--repeats", type=int, default=10)
parser.add_argument("--double", action="store_true")
arguments = parser.parse_args()
rng = cupy.random.default_rng(3)


def seconds_of(run, wait):
    run()
    wait()
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        for _ in range(arguments.repeats):
            run()
        wait()
        times.append((time.perf_counter() - begin) / arguments.repeats)
    return min(times)


def numbers(function, shape):
    x = rng.standard_normal(shape, "float64" if arguments.double else "float32")
    return x if function.startswith("rfft") else (x + 1j * rng.standard_normal(shape, x.dtype)).astype(
        "complex128" if arguments.double else "complex64")


def case(function, shape, options):
    x = numbers(function, shape)
    if function == "irfftn":
        options = {"axes": tuple(range(len(shape))), **options}
        x = cupy.fft.rfftn(cupy.fft.irfftn(x, **options))
    of_maniple, of_cupy = getattr(maniple.fft, function), getattr(cupy.fft, function)
    given, right = maniple.from_dlpack(x), of_cupy(x, **options)
    got = cupy.from_dlpack(of_maniple(given, **options))
    error = float(cupy.linalg.norm((got - right).ravel()) / cupy.linalg.norm(right.ravel()))
    floor = 1e3 * (x.nbytes + got.nbytes) / 4.25e12
    del got, right
    ours = seconds_of(lambda: of_maniple(given, **options), maniple.synchronize)
    theirs = seconds_of(lambda: of_cupy(x, **options), cupy.cuda.Device().synchronize)
    text = f"{function} {shape} {x.dtype} {options}"
    print(f"{text}: {1e3 * ours:.3f} ms, CuPy {1e3 * theirs:.3f}, {theirs / ours:.2f} times; floor {floor:.3f}; "
          f"error {error:.1e}", flush=True)
    for library, version, seconds in (("Maniple", maniple.__version__, ours), ("CuPy", cupy.__version__, theirs)):
        record.append("fft_shapes", text, str(x.dtype), library, version, record.gpu(cupy), seconds)


for name, dims, given_options in CASES:
    case(name, dims, given_options)
