#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the same products as apps/bench/arrays/matmul.c with other libraries.

  CuPy on one GPU
  --torch           PyTorch on one GPU
  --host            NumPy on the CPU, by the BLAS and with the threads that it has

The data is on the device before and stays there.  A time is the median of repeats after a warm-up, each between two
CUDA events (NumPy: two readings of the clock).
"""

import argparse
import statistics
import time

import numpy as np
import record

# extent, dtype
CASES = {"single": (8192, "float32"), "double": (8192, "float64"), "tf32": (8192, "float32"), "half": (8192, "float16"),
         "complex": (4096, "complex64"), "integers": (2048, "int32"), "rows": (16384, "float32"),
         "batch": (64, "float32"), "einsum": (64, "float32")}

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--case", nargs="*", choices=CASES, default=list(CASES))
parser.add_argument("--elements", type=int, default=0, help="of an operand (default: those of the case)")
parser.add_argument("--repeats", type=int, default=20)
parser.add_argument("--torch", action="store_true")
parser.add_argument("--host", action="store_true")
arguments = parser.parse_args()

if arguments.torch:
    import torch
    library, version, device = "PyTorch", torch.__version__, torch.cuda.get_device_name(0)
elif arguments.host:
    library, version, device = "NumPy", np.__version__, record.processor()
else:
    import cupy
    library, version = "CuPy", cupy.__version__
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


def of_library(values):
    return torch.from_numpy(values).cuda() if arguments.torch else values if arguments.host else cupy.asarray(values)


def product(name, a, b):
    xp = torch if arguments.torch else np if arguments.host else cupy
    if name == "einsum":
        return xp.einsum("ijkl,klmn->ijmn", a, b, **({} if arguments.torch else {"optimize": True}))
    return xp.matmul(a, b)


def measure(run):
    seconds = []
    for _ in range(arguments.repeats + 1):
        if arguments.host:
            begin = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - begin)
            continue
        events = torch.cuda if arguments.torch else cupy.cuda
        first, second = ((events.Event(enable_timing=True) for _ in range(2)) if arguments.torch else
                         (events.Event() for _ in range(2)))
        first.record()
        run()
        second.record()
        second.synchronize()
        seconds.append(1e-3 * (first.elapsed_time(second) if arguments.torch else
                               events.get_elapsed_time(first, second)))
    return sorted(seconds[1:])


for name in arguments.case:
    n, dtype = CASES[name]
    if arguments.elements:
        n = round((arguments.elements // (1000 if name == "batch" else 1)) ** (0.25 if name == "einsum" else 0.5))
    if name == "tf32" and not arguments.torch or arguments.torch and name == "integers":
        continue  # CuPy takes TF32 from a variable of the environment alone; PyTorch has no such product on GPUs
    if arguments.torch:
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
    shape = (n,) * 4 if name == "einsum" else (1000, n, n) if name == "batch" else (n, n)
    rng = np.random.default_rng(1)
    a, b = (of_library((rng.standard_normal(shape, "float32") * (1000 if dtype == "int32" else 1)).astype(dtype))
            for _ in range(2))
    times = measure(lambda: product(name, a, b))
    median = statistics.median(times)
    print(f"{name:10s} {n:6d} {dtype:10s} {library} {version}: {1e3 * median:9.3f} ms, best {1e3 * times[0]:9.3f} ms",
          flush=True)
    record.append("matmul", name, f"{np.prod(shape)} {dtype}", library, version, device, median, times[0])
