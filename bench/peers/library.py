# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that the scripts here time: NumPy on the CPU, CuPy on a GPU, or JAX on all GPUs, by the same calls."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import record


def parse_arguments(description, cases, elements, jax=True):
    """The options that the scripts share; `elements` says how many there are by default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--case", choices=cases, help="this one alone (default: all)")
    parser.add_argument("--elements", type=int, default=0, metavar="N", help=f"of the input (default: {elements})")
    parser.add_argument("--repeats", type=int, default=50, metavar="N", help="timed runs of each (default: 50)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with NumPy")
    if jax:
        parser.add_argument("--jax", action="store_true", help="on all GPUs, with JAX")
    return parser.parse_args()


class Library:
    """xp has NumPy's functions; move() brings an array of NumPy to the device; jax is JAX, or None."""

    def __init__(self, arguments):
        self.jax, self.cupy, self.ranks = None, None, 1
        if getattr(arguments, "jax", False):
            import jax
            jax.config.update("jax_enable_x64", True)
            sharding = jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(jax.devices()), ("x",)),
                                                  jax.sharding.PartitionSpec("x"))
            self.jax, self.xp, self.name, self.version = jax, jax.numpy, "JAX", jax.__version__
            self.ranks, self.device = len(jax.devices()), jax.devices()[0].device_kind
            self.move = lambda values: jax.device_put(values, sharding)
        elif arguments.host:
            self.xp, self.name, self.version, self.device = np, "NumPy", np.__version__, record.processor()
            self.move = np.asarray
        else:
            import cupy
            self.cupy = self.xp = cupy
            self.name, self.version, self.device = "CuPy", cupy.__version__, record.gpu(cupy)
            self.move = cupy.asarray

    def times(self, run, repeats):
        """Milliseconds of each call, after three that warm up: between two events of a GPU, otherwise by the clock."""
        times = []
        for _ in range(-3, repeats):
            if self.cupy:
                begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
                begin.record()
                run()
                end.record()
                end.synchronize()
                times.append(self.cupy.cuda.get_elapsed_time(begin, end))
            else:
                start = time.perf_counter()
                result = run()
                if self.jax:
                    result.block_until_ready()
                times.append(1e3 * (time.perf_counter() - start))
        return times[3:]


def on_all_gpus(arguments, with_jax, torch_process):
    """Run a script on all GPUs: with_jax(arguments), or torch_process(rank, ranks, meeting, arguments) in a process for
    each GPU; without --jax and --torch both, each in a process of its own, which gives its memory back."""
    script = os.path.basename(sys.argv[0])
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    if not arguments.jax and not arguments.torch:
        failed = [which for which in ("--torch", "--jax")
                  if subprocess.run([sys.executable, *sys.argv, which], check=False).returncode != 0]
        sys.exit(1 if failed else 0)
    try:
        if arguments.jax:
            with_jax(arguments)
            return
        import torch
        ranks = torch.cuda.device_count()
        with tempfile.TemporaryDirectory() as folder:
            meeting = os.path.join(folder, "meeting")
            torch.multiprocessing.spawn(torch_process, args=(ranks, meeting, arguments), nprocs=ranks)
    except ImportError as error:
        sys.exit(f"{script}: {error}")
