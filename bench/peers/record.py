# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts here measured, as lines of JSON that bench/plot reads: the same lines as of apps/bench/record.h.

Where the environment has BENCH_JSON=FILE, append() adds a line to FILE; otherwise it does nothing.
"""

import datetime
import json
import os


def append(benchmark, case, given, library, version, device, seconds, best=None, ranks=1, **more):
    """One time: `given` is what the case works on, in the words of Maniple's benchmark, so that the two are compared.

    `more` may have bytes and flops that the case needs, floor, the least seconds that it can take, and of collectives
    size, the bytes a rank.
    """
    path = os.environ.get("BENCH_JSON")
    if not path:
        return
    line = {"benchmark": benchmark, "case": case, "input": given, "library": library, "version": version,
            "device": device, "ranks": ranks, "unit": "s", "value": seconds, "best": best, **more,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat()}
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({key: float(f"{value:.6g}") if isinstance(value, float) else value
                               for key, value in line.items() if value is not None}) + "\n")


def calls_in_a_row(seconds):
    """How many calls of so many seconds a time is taken of: as many as take 10 milliseconds, at most 500, at least 1."""
    return max(1, min(500, int(1e-2 / seconds)))


def processor():
    """The model of this machine's processor, as `maniple info` has it."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "processor")


def gpu(cupy):
    """The model of the GPU that CuPy uses."""
    return cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())["name"].decode()
