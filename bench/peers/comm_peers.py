#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times what other libraries do between GPUs, to compare maniple bench comm with: the same cases, and the same table.

  --torch           PyTorch's NCCL, a process a GPU: all-reduce (also 20 in a CUDA graph) and all-to-all
  --jax             JAX: a matrix of float32 cut in rows becomes one cut in columns, stored as it is ("columns") or
                    column by column ("transpose"), jitted

Without either, both.  A time is the median of repeats after a warm-up, of as many calls in a row as take a
millisecond, of the slowest rank: between two CUDA events, for JAX, which has none, by the clock.  Results are compared.
NVLink multicast is off unless NCCL_NVLS_ENABLE says otherwise, as it is in Maniple.
"""

import argparse
import math
import os
import statistics
import sys
import time

import library
import record

ENOUGH_SECONDS = 1e-3
GRAPH_OPERATIONS = 20


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--jax", action="store_true", help="JAX alone")
    which.add_argument("--torch", action="store_true", help="PyTorch alone")
    parser.add_argument("--repeats", type=int, default=15, metavar="N", help="timed loops of each (default: 15)")
    parser.add_argument("--side", type=int, default=32768, metavar="N", help="of the matrix (default: 32768)")
    parser.add_argument("--max", type=int, default=1 << 30, metavar="BYTES",
                        help="a rank, of collectives (default: 2^30)")
    return parser.parse_args()


def report(name, size, seconds, factor, where):
    """One line; where: the library, its version, the device and how many of them."""
    unit = min(int(math.log2(size) // 10), 3) if size else 0
    shown = f"{size / 1024 ** unit:.4g} {['B', 'KiB', 'MiB', 'GiB'][unit]}"
    clock = f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
    rate = size / seconds / 1e9
    print(f"{name:<16} {shown:>11} {clock:>10}{rate:9.3g}{rate * factor:9.3g}", flush=True)
    library, version, device, ranks = where
    record.append("comm", name, shown, library, version, device, seconds, ranks=ranks, size=size)


def print_heading(where, more=""):
    library, version, device, ranks = where
    print(f"ran on    {ranks} x {device}, {library} {version}{more}\n")
    print(f"{'case':<16} {'size a rank':>11} {'time':>10}{'GB/s':>9}{'bus GB/s':>9}", flush=True)


def calls_of(seconds):
    """How many calls make a repeat."""
    return max(1, min(500, int(ENOUGH_SECONDS / max(seconds, 1e-9))))


# --- JAX --------------------------------------------------------------------------------------------------------------

def time_jax(run, repeats):
    def loop(calls):
        begin = time.perf_counter()
        for _ in range(calls):
            result = run()
        result.block_until_ready()
        return (time.perf_counter() - begin) / calls
    for _ in range(3):
        once = loop(1)
    calls = max(5, calls_of(once))  # a single call would show what it takes to wait for it
    return statistics.median(loop(calls) for _ in range(repeats))


def with_jax(arguments):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    devices, n = jax.devices(), arguments.side
    mesh = Mesh(np.array(devices), ("x",))
    rows, columns = (NamedSharding(mesh, PartitionSpec(*spec)) for spec in (("x", None), (None, "x")))

    def matrix():
        i, j = (jax.lax.broadcasted_iota(jnp.int32, (n, n), d) for d in (0, 1))
        return ((i * 7 + j * 3) % 31).astype(jnp.float32)
    x = jax.jit(matrix, out_shardings=rows)()
    where = "JAX", jax.__version__, devices[0].device_kind, len(devices)
    print_heading(where)
    others = (len(devices) - 1) / len(devices)
    for name, function, sharding in (("columns", lambda a: a, columns), ("transpose", lambda a: a.T, rows)):
        move = jax.jit(function, out_shardings=sharding)
        moved = move(x)
        for i, j in ((0, 0), (1, n - 1), (n // 2 + 1, n // 3), (n - 1, 5)):
            at = (j, i) if name == "transpose" else (i, j)
            if float(moved[at]) != (i * 7 + j * 3) % 31:
                sys.exit(f"comm_peers.py: JAX's {name} is wrong at {i}, {j}")
        del moved
        report(name, n * n * 4 // len(devices), time_jax(lambda move=move: move(x), arguments.repeats), others, where)


# --- PyTorch ----------------------------------------------------------------------------------------------------------

def time_torch(torch, run, repeats):
    def loop(calls):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        torch.distributed.barrier()
        torch.cuda.synchronize()
        first.record()
        for _ in range(calls):
            run()
        last.record()
        last.synchronize()
        slowest = torch.tensor([first.elapsed_time(last) * 1e-3 / calls], device="cuda")
        torch.distributed.all_reduce(slowest, op=torch.distributed.ReduceOp.MAX)
        return slowest.item()
    for _ in range(3):
        once = loop(1)
    calls = calls_of(once)
    return statistics.median(loop(calls) for _ in range(repeats))


def values(torch, rank, count, dtype):
    return ((torch.arange(count, device="cuda") * 7 + rank * 3) % 31).to(dtype)


def require(good, name):
    if not good:
        sys.exit(f"comm_peers.py: PyTorch's {name} is wrong")


def all_reduces(torch, rank, where, arguments):
    ranks = where[-1]
    sizes = [(8, torch.float64), (128, torch.float64), (1 << 20, torch.float32), (arguments.max, torch.float32)]
    for size, dtype in sizes:
        name = "all-reduce" if dtype == torch.float32 else "all-reduce-f64"
        x = torch.zeros(size // dtype.itemsize, device="cuda", dtype=dtype)
        x += values(torch, rank, x.numel(), dtype)
        torch.distributed.all_reduce(x)
        wanted = sum(values(torch, r, 1000, dtype) for r in range(ranks))
        require(torch.equal(x[:1000], wanted[:x.numel()]), name)
        x.zero_()  # sums stay finite
        seconds = time_torch(torch, lambda x=x: torch.distributed.all_reduce(x), arguments.repeats)
        if rank == 0:
            report(name, size, seconds, 2 * (ranks - 1) / ranks, where)
        if dtype != torch.float64:
            continue
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):  # NCCL's watchdog has a thread
            for _ in range(GRAPH_OPERATIONS):
                torch.distributed.all_reduce(x)
        seconds = time_torch(torch, graph.replay, arguments.repeats) / GRAPH_OPERATIONS
        if rank == 0:
            report("all-reduce-graph", size, seconds, 2 * (ranks - 1) / ranks, where)
        del graph


def all_to_alls(torch, rank, where, arguments):
    ranks = where[-1]
    for size in (1 << 20, 1 << 26, arguments.max):
        part = size // 4 // ranks
        x = values(torch, rank, part * ranks, torch.float32)
        y = torch.full_like(x, -1)
        torch.distributed.all_to_all_single(y, x)
        for r in range(ranks):
            wanted = values(torch, r, rank * part + 100, torch.float32)[rank * part:]
            require(torch.equal(y[r * part:r * part + 100], wanted[:part]), "all-to-all")
        seconds = time_torch(torch, lambda x=x, y=y: torch.distributed.all_to_all_single(y, x), arguments.repeats)
        if rank == 0:
            report("all-to-all", size, seconds, (ranks - 1) / ranks, where)


def torch_process(rank, ranks, meeting, arguments):
    import torch
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", init_method=f"file://{meeting}", rank=rank, world_size=ranks)
    where = "PyTorch", torch.__version__, torch.cuda.get_device_name(), ranks
    if rank == 0:
        print_heading(where, f", NCCL {'.'.join(str(part) for part in torch.cuda.nccl.version())}")
    all_reduces(torch, rank, where, arguments)
    all_to_alls(torch, rank, where, arguments)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    library.on_all_gpus(parse_arguments(), with_jax, torch_process)
