#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times Fourier transforms of a cube that is cut over all GPUs, as `maniple bench fft` does on several ranks.

  PyTorch with NCCL: planes of each rank, one exchange by all_to_all_single(), then the lines across; the result is left
                     in the permuted order
  JAX                jax.numpy.fft.fftn() of a sharded array, to the same sharding: the natural order

  fft_spread_peers.py [--extent N ...] [--dtype NAME] [--repeats N]

A time is the median of repeats of the slowest rank after a warm-up, and the best one.  The first lines of a transform
are compared with NumPy's at extents up to 256.
"""

import argparse
import sys
import time

import numpy as np
import library
import record

NAMES = {"complex64": "cube-single", "complex128": "cube"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extent", type=int, nargs="*", default=[256, 512], help="of the cube (default: 256 512)")
    parser.add_argument("--dtype", choices=NAMES, default="complex64")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--torch", action="store_true", help="PyTorch alone")
    parser.add_argument("--jax", action="store_true", help="JAX alone")
    return parser.parse_args()


def report(arguments, extent, library, version, device, seconds, ranks):
    seconds = sorted(seconds)
    median = seconds[len(seconds) // 2]
    name = NAMES[arguments.dtype]
    print(f"{name:12s} {extent}^3 {library:24s} {1e3 * median:9.3f} ms, best {1e3 * seconds[0]:9.3f} ms", flush=True)
    record.append("fft", name, f"{extent ** 3} {arguments.dtype}", library, version, device, median, seconds[0], ranks)


def planes(extent, begin, end, dtype):
    """Planes begin to end - 1 of the cube."""
    numbers = np.arange(begin, end)
    part = (numbers[:, None, None] % 7 - 3) * np.cos(np.arange(extent))[None, :, None] + np.sin(np.arange(extent))
    return part.astype(dtype)


def torch_process(rank, ranks, meeting, arguments):
    import torch
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", init_method=f"file://{meeting}", rank=rank, world_size=ranks)
    for n in arguments.extent:
        mine = slice(rank * n // ranks, (rank + 1) * n // ranks)
        x = torch.from_numpy(planes(n, mine.start, mine.stop, arguments.dtype)).cuda()
        packed = torch.empty((ranks, n // ranks, n // ranks, n), dtype=x.dtype, device="cuda")
        come = torch.empty_like(packed)

        def transform(x=x, n=n, packed=packed, come=come):
            y = torch.fft.fft2(x)
            packed.copy_(y.view(n // ranks, ranks, n // ranks, n).transpose(0, 1))
            torch.distributed.all_to_all_single(torch.view_as_real(come), torch.view_as_real(packed))
            return torch.fft.fft(come.view(n, n // ranks, n), dim=0)

        if n <= 256:
            wanted = np.fft.fftn(planes(n, 0, n, arguments.dtype))[:, mine]
            got = transform().cpu().numpy()
            if np.abs(got - wanted).max() > 1e-4 * np.abs(wanted).max():
                sys.exit("fft_spread_peers.py: PyTorch's transform is wrong here")
        seconds = []
        for _ in range(arguments.repeats + 3):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            transform()
            end.record()
            end.synchronize()
            slowest = torch.tensor([1e-3 * begin.elapsed_time(end)], device="cuda")
            torch.distributed.all_reduce(slowest, torch.distributed.ReduceOp.MAX)
            seconds.append(slowest.item())
        if rank == 0:
            report(arguments, n, "PyTorch, permuted", torch.__version__, torch.cuda.get_device_name(), seconds[3:], ranks)
        del x, packed, come
        torch.cuda.empty_cache()
    torch.distributed.destroy_process_group()


def with_jax(arguments):
    import jax
    jax.config.update("jax_enable_x64", True)
    devices = jax.devices()
    spec = jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(devices), ("x",)), jax.sharding.PartitionSpec("x"))
    transform = jax.jit(jax.numpy.fft.fftn, in_shardings=spec, out_shardings=spec)
    for n in arguments.extent:
        x = jax.make_array_from_callback(
            (n, n, n), spec, lambda index, n=n: planes(n, *index[0].indices(n)[:2], arguments.dtype))
        seconds = []
        for _ in range(arguments.repeats + 3):
            begin = time.perf_counter()
            transform(x).block_until_ready()
            seconds.append(time.perf_counter() - begin)
        report(arguments, n, "JAX", jax.__version__, devices[0].device_kind, seconds[3:], len(devices))
        del x


if __name__ == "__main__":
    library.on_all_gpus(parse_arguments(), with_jax, torch_process)
