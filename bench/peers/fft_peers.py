# SPDX-License-Identifier: BSD-3-Clause
"""Times the same as bench/fft.c with numpy.fft and scipy.fft, on the CPU, in the same words.

  fft_peers.py [--workers N] [--repeats N] [--case NAME ...]

A time is the median of repeats, and the best one, after a warm-up.
"""

import argparse
import time

import numpy as np
import record
import scipy
import scipy.fft

CASES = {"cube": ("complex128", 3, 256), "cube-single": ("complex64", 3, 256), "square": ("complex128", 2, 4096),
         "square-single": ("complex64", 2, 4096), "line": ("complex128", 1, 1 << 22), "cube-real": ("float64", 3, 256)}

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--repeats", type=int, default=5)
parser.add_argument("--case", nargs="*", default=list(CASES))
arguments = parser.parse_args()

for name in arguments.case:
    dtype, ndim, extent = CASES[name]
    rng = np.random.default_rng(1)
    x = rng.standard_normal((extent,) * ndim).astype(dtype)
    of_scipy, of_numpy = (scipy.fft.rfftn, np.fft.rfftn) if name == "cube-real" else (scipy.fft.fftn, np.fft.fftn)
    for library, version, run in (
            (f"scipy.fft, {arguments.workers} workers", scipy.__version__,
             lambda: of_scipy(x, workers=arguments.workers)),
            ("numpy.fft", np.__version__, lambda: of_numpy(x))):
        seconds = []
        for _ in range(arguments.repeats + 1):
            begin = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - begin)
        seconds = sorted(seconds[1:])
        median = seconds[len(seconds) // 2]
        print(f"{name:14s} {library:22s} {1e3 * median:9.3f} ms, best {1e3 * seconds[0]:9.3f} ms", flush=True)
        record.append("fft", name, f"{x.size} {dtype}", library, version, record.processor(), median, seconds[0],
                      arguments.workers)
