# SPDX-License-Identifier: BSD-3-Clause
"""Communicators of mpi4py, run on four ranks: Maniple works on one half of them, mpi4py on all.  --why-not prints why it
cannot be run, or nothing."""

import sys

try:
    from mpi4py import MPI
except ImportError:
    MPI = None
if "--why-not" in sys.argv:
    print("" if MPI else "there is no mpi4py")
    sys.exit()

import maniple as mp
import numpy as np

world = MPI.COMM_WORLD
half = world.Split(world.rank % 2, -world.rank)  # the ranks of each half in reverse order
mp.init(half, device="host")  # whose memory mpi4py can always read


def ok(condition, name):
    good = world.allreduce(bool(condition), MPI.LAND)
    if world.rank == 0:
        print(f"{'ok' if good else 'not ok'} - {name}", flush=True)


ok((mp.nranks(), mp.rank()) == (half.size, half.rank), "the ranks are those of the communicator")
x = mp.arange(10) + world.rank % 2
ok(int(x.sum()) == 45 + 10 * (world.rank % 2), "each half has arrays of its own")
block = np.asarray(x.local)
ok(half.allreduce(int(block.sum())) == int(x.sum()), "mpi4py sums the blocks")
half.Allreduce(MPI.IN_PLACE, block[:1], MPI.MAX)
lengths, values = half.allgather(block.size), x.numpy()
ok(len({int(values[sum(lengths[:r])]) for r in range(half.size)}) == 1, "what mpi4py writes to a block is in the array")
ok(world.allreduce(int(mp.ones(3).sum())) == 3 * world.size, "mpi4py joins both halves")
