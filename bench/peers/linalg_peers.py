#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the same factorisations as apps/bench/arrays/linalg.c with other libraries.

  CuPy on one GPU
  --host            NumPy and SciPy on the CPU, by the LAPACK and with the threads that they have

The data is on the device before and stays there.  A time is the median of repeats after three that warm up, each
between two CUDA events (NumPy: two readings of the clock).
"""

import argparse
import importlib
import statistics

import numpy as np
import record
from library import Library

# shape, dtype, whether it is made Hermitian and positive definite
SQUARE, TALL, MANY = (8192, 8192), (1 << 22, 64), (1000, 64, 64)
CASES = {"solve": (SQUARE, "float64", True), "cholesky": (SQUARE, "float64", True), "inv": (SQUARE, "float64", True),
         "lu": (SQUARE, "float64", True), "qr": ((4096, 4096), "float32", False),
         "qr64": ((4096, 4096), "float64", False),
         "svd": ((4096, 4096), "float32", False), "svd64": ((4096, 4096), "float64", False),
         "eigh": ((4096, 4096), "float32", True), "eigh64": ((4096, 4096), "float64", True),
         "tall-qr": (TALL, "float64", False), "tall-svd": (TALL, "float64", False), "tall-lstsq": (TALL, "float64", False),
         "many-inv": (MANY, "float32", True), "many-cholesky": (MANY, "float32", True),
         "many-eigh": (MANY, "float32", True), "many-svd": (MANY, "float32", False)}

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES))
parser.add_argument("--elements", type=int, default=0, help="elements of the input (default: those of the case)")
parser.add_argument("--repeats", type=int, default=5)
parser.add_argument("--host", action="store_true")
arguments = parser.parse_args()

library = Library(arguments)
xp = library.xp
sl = importlib.import_module("scipy.linalg" if arguments.host else "cupyx.scipy.linalg")

FUNCTIONS = {"solve": lambda a, b: xp.linalg.solve(a, b), "cholesky": lambda a, b: xp.linalg.cholesky(a),
             "inv": lambda a, b: xp.linalg.inv(a), "lu": lambda a, b: sl.lu_factor(a),
             "qr": lambda a, b: xp.linalg.qr(a), "qr64": lambda a, b: xp.linalg.qr(a),
             "svd": lambda a, b: xp.linalg.svd(a, full_matrices=False),
             "svd64": lambda a, b: xp.linalg.svd(a, full_matrices=False),
             "eigh": lambda a, b: xp.linalg.eigh(a), "eigh64": lambda a, b: xp.linalg.eigh(a),
             "lstsq": lambda a, b: xp.linalg.lstsq(a, b, rcond=None)}


def resized(shape):
    if not arguments.elements:
        return shape
    if shape == TALL:
        return arguments.elements // 64, 64
    n = round((arguments.elements / (1000 if len(shape) == 3 else 1)) ** 0.5)
    return shape[:-2] + (n, n)


for name in arguments.case:
    shape, dtype, positive = CASES[name]
    shape = resized(shape)
    random = (np.random.default_rng(1) if arguments.host else xp.random.default_rng(1)).standard_normal
    a, b = random(shape, dtype=dtype), random(shape[0], dtype=dtype)
    if positive:
        n = shape[-1]
        a = a + xp.swapaxes(a, -1, -2) + xp.asarray(8 * n ** 0.5, dtype) * xp.eye(n, dtype=dtype)
    function = FUNCTIONS[name.split("-")[-1]]
    times = sorted(1e-3 * t for t in library.times(lambda: function(a, b), arguments.repeats))
    median = statistics.median(times)
    rows = shape[-2] if len(shape) == 2 else shape[-1]
    print(f"{name:14s} {rows:8d} {dtype:10s} {library.name} {library.version}: "
          f"{1e3 * median:10.3f} ms, best {1e3 * times[0]:10.3f} ms", flush=True)
    record.append("linalg", name, f"{np.prod(shape)} {dtype}", library.name, library.version, library.device,
                  median, times[0])
