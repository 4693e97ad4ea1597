# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of CuPy, PyTorch and JAX on GPUs: in and out without a copy, and, of the first two, in the order of the streams
while a stream of the other library, or Maniple's, is still busy; JAX has no streams that one can name.  gpu_blocks.py LIBRARY prints a line for each point, from rank 0, for
tests/python.t; with --why-not behind it, why it cannot run here, or nothing.

A stream of the other library is kept busy by a kernel that counts clock cycles, some tenths of a second long; what is
written to memory behind it is not there yet when Maniple is called.  So whoever does not wait reads old numbers."""

import os
import sys
import time

import numpy as np

CYCLES = 400_000_000  # of a GPU's clock: 0.2 s or more
N = 1 << 20

SPIN = r"""extern "C" __global__ void spin(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}"""


class CuPy:
    def __init__(self):
        import cupy

        self.xp, self.kernel = cupy, cupy.RawKernel(SPIN, "spin")
        self.kernel((1,), (1,), (np.int64(1),))  # it is compiled before it is needed
        self.stream = cupy.cuda.Stream(non_blocking=True)

    def inside(self):
        return self.stream

    def spin(self):
        self.kernel((1,), (1,), (np.int64(CYCLES),))

    def of(self, values):
        return self.xp.asarray(values)

    def view(self, block):
        """A block that a library has made, or a piece of Maniple's, as this library's own array."""
        return self.xp.asarray(block)

    def address(self, block):
        return block.data.ptr

    def numpy(self, block):
        return self.xp.asnumpy(block)

    def is_done(self):
        return self.stream.done

    def from_dlpack(self, block):
        return self.xp.from_dlpack(block)


class PyTorch:
    def __init__(self):
        import torch

        self.torch, self.stream = torch, torch.cuda.Stream()

    def inside(self):
        return self.torch.cuda.stream(self.stream)

    def spin(self):
        self.torch.cuda._sleep(CYCLES)

    def of(self, values):
        return self.torch.from_numpy(values).cuda()

    def view(self, block):
        return self.torch.as_tensor(block, device="cuda")

    def address(self, block):
        return block.data_ptr()

    def numpy(self, block):
        return block.cpu().numpy()

    def is_done(self):
        return self.stream.query()

    def from_dlpack(self, block):
        return self.torch.from_dlpack(block)


class JAX:
    stream = None

    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.device = jax, jax.devices()[maniple._dlpack.device()[1]]

    def of(self, values):
        return self.jax.device_put(values, self.device)

    def address(self, block):
        return block.unsafe_buffer_pointer()

    def numpy(self, block):
        return np.asarray(block)

    def from_dlpack(self, block):
        return self.jax.dlpack.from_dlpack(block)


class DLPackOnly:
    """A block without CUDA's array interface, as JAX's of some dtypes are."""

    def __init__(self, block):
        self.__dlpack__, self.__dlpack_device__ = block.__dlpack__, block.__dlpack_device__


LIBRARIES = {"cupy": CuPy, "torch": PyTorch, "jax": JAX}


def why_not(name):
    try:
        module = __import__(name)
    except ImportError:
        return f"there is no {name}"
    try:
        if name == "jax":
            there = bool(module.devices("gpu"))
        else:
            there = module.cuda.is_available() if name == "torch" else module.cuda.runtime.getDeviceCount() > 0
    except Exception:  # noqa: BLE001: CuPy and JAX raise errors of their own where there is no driver
        there = False
    return "" if there else f"{name} finds no GPU"


os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX takes most of a GPU's memory unless told

if sys.argv[2:] == ["--why-not"]:
    print(why_not(sys.argv[1]))
    raise SystemExit(0)

import maniple as mp  # noqa: E402

import maniple._dlpack  # noqa: E402

mp.init()  # first, as it chooses this rank's GPU, where the other library's stream is to be
theirs = LIBRARIES[sys.argv[1]]()
failures = 0


def ok(condition, name):
    global failures
    everywhere = mp.from_local(np.array([bool(condition)])).numpy().all()
    failures += not everywhere
    if mp.rank() == 0:
        print(f"{'ok' if everywhere else 'not ok'} - {sys.argv[1]}: {name}", flush=True)


def address_of(x):
    return x.local.__cuda_array_interface__["data"][0]


def total(x):
    return float(x.sum())


def check_in():
    """Their stream is busy, and what it writes to the block comes behind that."""
    sum_of_all = mp.nranks() * N * (N - 1) / 2
    zeros, numbers = np.zeros(N), np.arange(float(N))
    late = theirs.of(numbers)
    block = theirs.of(zeros)
    block += late
    total(mp.from_local(block))  # all kernels are compiled now, which would take longer than the stream is busy
    mp.synchronize()
    with theirs.inside():
        block = theirs.of(zeros)
        theirs.spin()
        block += late
        busy = not theirs.is_done()
        x = mp.from_local(block)
        got = total(x)
    ok(address_of(x) == theirs.address(block), "a block comes in without a copy")
    ok(busy, "the stream was still busy then")
    ok(got == sum_of_all, f"what a busy stream writes is waited for: {got}, {sum_of_all} is right")
    with theirs.inside():
        theirs.spin()
        block += late
        mp.wait_for(theirs.stream)
        busy = not theirs.is_done()
        got = total(x)
    ok(busy and got == 2 * sum_of_all, f"and again by wait_for(): {got}, {2 * sum_of_all} is right")
    wide = theirs.of(np.arange(64.0 * 32).reshape(64, 32))
    piece = wide[:, 3:17]
    y = mp.from_local(piece)
    ok(
        address_of(y) == theirs.address(piece) and np.array_equal(y.numpy()[:64], theirs.numpy(piece)),
        "a piece with strides comes in without a copy",
    )


def check_out():
    """Maniple's stream is busy, and what it writes comes behind that."""
    x = mp.zeros(mp.nranks() * N)
    block = theirs.view(x.local)  # which CuPy makes when Maniple's stream has ended
    heavy = mp.ones(1 << 26)
    busy = False
    for turn in range(6):  # in the first turn kernels are compiled; a rank that shares its GPU may come late
        mp.synchronize()
        began = time.perf_counter()
        for _ in range(100):
            heavy = mp.sin(heavy)
        x += 1.0
        with theirs.inside():
            mp.let_wait(theirs.stream)
            enqueued = time.perf_counter() - began
            got = theirs.numpy(block + 1)
        busy = busy or enqueued < (time.perf_counter() - began) / 2
    ok(address_of(x) == theirs.address(block), "a block goes out without a copy")
    ok(busy, "Maniple was still busy then")
    ok((got == 7.0).all(), "what Maniple's busy stream writes is waited for by let_wait()")
    with theirs.inside():
        block += 1
        mp.wait_for(theirs.stream)
    ok(total(x) == 7.0 * mp.nranks() * N, "what is written to it is in the array")


def check_turns():
    """Each adds what the other has made, many times, without a wait of the CPU."""
    x = mp.zeros(mp.nranks() * N)
    block = theirs.view(x.local)
    want = 0.0
    with theirs.inside():
        for _ in range(20):
            mp.let_wait(theirs.stream)
            block += 1
            mp.wait_for(theirs.stream)
            x *= 2.0
            want = (want + 1) * 2
    ok(total(x) == want * mp.nranks() * N, "both write in turns")


def check_dlpack():
    """Blocks by DLPack, in and out, of several dtypes, and given back at the end."""
    n = 1000
    for name in ("float32", "complex128", "int16", "bool"):
        values = (np.arange(n) % 7).astype(name).reshape(20, 50)
        block = theirs.of(values)
        x = mp.from_local(DLPackOnly(block))
        good = address_of(x) == theirs.address(block)
        ok(good and np.array_equal(x.numpy()[:20], values), f"{name} comes in by DLPack without a copy")
        again = theirs.from_dlpack(x.local)
        good = theirs.address(again) == address_of(x)
        ok(good and np.array_equal(theirs.numpy(again), values), f"{name} goes out by DLPack without a copy")
    values = np.arange(120.0).reshape(20, 6)
    block = theirs.of(values)
    y = mp.from_dlpack(block)
    ok(np.array_equal(y.numpy(), values), "from_dlpack() takes what every rank has whole")
    ok(mp.nranks() > 1 or address_of(y) == theirs.address(block), "and shares its memory on one rank")
    ok(np.array_equal(mp.from_dlpack(block[:, 2:5]).numpy(), values[:, 2:5]), "also with strides")
    again = None
    lent = len(maniple._dlpack._lent)
    again = theirs.from_dlpack(mp.ones(mp.nranks() * 100).local)
    mine = mp.replicate(mp.asarray(values))
    ok(np.array_equal(theirs.numpy(theirs.from_dlpack(mine)), values), "an array that every rank has goes out whole")
    ok((theirs.numpy(again) == 1).all(), "a block lives as long as the other library has it")
    del again
    ok(len(maniple._dlpack._lent) == lent, "and is given back then")
    mp.ones(mp.nranks() * 100).local.__dlpack__()
    try:
        np.from_dlpack(mine)
        refused = ""
    except (BufferError, RuntimeError) as error:
        refused = str(error)
    ok("device" in refused, f"NumPy refuses what is on a GPU: {refused}")
    maniple._dlpack.sweep()
    ok(len(maniple._dlpack._lent) == lent, "also where nobody has taken it")


for check in (check_in, check_out, check_turns, check_dlpack) if theirs.stream else (check_dlpack,):
    try:
        check()
    except Exception as error:  # noqa: BLE001
        import traceback

        traceback.print_exc()
        ok(False, f"{check.__name__} ends with {type(error).__name__}: {error}")
raise SystemExit(1 if failures else 0)
