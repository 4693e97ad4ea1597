# SPDX-License-Identifier: BSD-3-Clause
"""Times the same as `maniple bench ndimage` with cupyx.scipy.ndimage on a GPU, or with scipy.ndimage on the CPU, in the same words.

  ndimage_peers.py [--host] [--elements N] [--repeats N] [--case NAME ...]

A time is the median of repeats, and the best one, after a warm-up; a repeat is as many calls in a row as take 10
milliseconds, divided by their number.
"""

import argparse
import time

import numpy as np
import record

CASES = {"median-3": lambda nd, x, m: nd.median_filter(x, 3), "median-5": lambda nd, x, m: nd.median_filter(x, 5),
         "median-15": lambda nd, x, m: nd.median_filter(x, 15),
         "gaussian-5": lambda nd, x, m: nd.gaussian_filter(x, 5),
         "uniform-15": lambda nd, x, m: nd.uniform_filter(x, 15), "erosion-9": lambda nd, x, m: nd.grey_erosion(x, 9),
         "sobel": lambda nd, x, m: nd.sobel(x), "label": lambda nd, x, m: nd.label(m)}

parser = argparse.ArgumentParser()
parser.add_argument("--host", action="store_true")
parser.add_argument("--elements", type=int, default=1 << 24)
parser.add_argument("--repeats", type=int, default=5)
parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES))
arguments = parser.parse_args()

extent = round(arguments.elements ** 0.5)
x = np.random.default_rng(1).standard_normal((extent, extent)).astype("float32")
if not arguments.host:
    import cupy
    from cupyx.scipy import ndimage
    x, library, version, device = cupy.asarray(x), "cupyx.scipy.ndimage", cupy.__version__, record.gpu(cupy)
    wait = cupy.cuda.Device().synchronize
else:
    import scipy
    from scipy import ndimage
    library, version, device = "scipy.ndimage", scipy.__version__, record.processor()

    def wait():
        pass

mask = x > 0
for name in arguments.case:
    seconds, calls = [], 1
    for _ in range(arguments.repeats + 2):
        wait()
        begin = time.perf_counter()
        for _ in range(calls):
            CASES[name](ndimage, x, mask)
        wait()
        seconds.append((time.perf_counter() - begin) / calls)
        if len(seconds) == 2:
            calls = record.calls_in_a_row(seconds[1])
    seconds = sorted(seconds[2:])
    median = seconds[len(seconds) // 2]
    print(f"{name:12s} {library:22s} {1e3 * median:9.3f} ms, best {1e3 * seconds[0]:9.3f} ms", flush=True)
    record.append("ndimage", name, f"{x.size} float32", library, version, device, median, seconds[0], 1)
