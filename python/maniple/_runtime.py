# SPDX-License-Identifier: BSD-3-Clause
"""What the context has, with CuPy's names: pools of memory, graphs, whether there is a GPU."""

import ctypes

from ._array import device_kind
from ._library import CONSTANTS, Shared, call, chosen, lib, struct

__all__ = ["Graph", "MemoryPool", "get_default_memory_pool", "get_default_pinned_memory_pool", "is_available",
           "synchronize"]


class MemoryPool:
    """cupy.cuda.MemoryPool: a pool of this rank's memory.  "heap" has the arrays, "scratch" working memory, "pinned"
    what is locked on the CPU for transfers."""

    def __init__(self, pool):
        self._pool = chosen("the pool", pool, "MEMORY_", ("heap", "scratch", "pinned"))

    def info(self):
        """Bytes in use, reserved, the peak and others, as a dictionary.  Not collective."""
        about = struct("memory_pool_info")()
        call("memory_info", self._pool, about)
        return {name: getattr(about, name) for name, _ in about._fields_}

    def used_bytes(self):
        """The bytes in use.  Not collective."""
        return self.info()["used"]

    def free_bytes(self):
        """The bytes that are reserved and not in use.  Not collective."""
        return self.total_bytes() - self.used_bytes()

    def total_bytes(self):
        """The bytes that the pool has from the system.  Not collective."""
        return self.info()["reserved"]

    def get_limit(self):
        """The most bytes that the pool may reserve; 0: no limit.  Not collective."""
        return self.info()["limit"]

    def set_limit(self, size):
        """Let the pool reserve that many bytes on each rank; 0: no limit.  Collective for the heap."""
        call("memory_set_limit", self._pool, int(size))

    def free_all_blocks(self):
        """Return unused memory to the system.  Collective for the heap."""
        call("memory_trim", self._pool)


def get_default_memory_pool():
    """The pool of the arrays.  Collective where it starts Maniple."""
    return MemoryPool("heap")


def get_default_pinned_memory_pool():
    """The pool of page-locked memory on the CPU.  Collective where it starts Maniple."""
    return MemoryPool("pinned")


class Graph(Shared):
    """What a function does, to be done again by one call: graph = Graph(step), and then graph.launch().

    The function is called once.  On a GPU it is then recorded as a CUDA graph; on the host every launch calls it.  It
    takes nothing, writes into arrays that exist (out=, in-place operators), and does the same each time.  Collective."""

    def __init__(self, step):
        if not callable(step):
            raise TypeError(f"a graph is made of a function, and not of type {type(step).__name__}")

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        def run(argument):
            try:
                step()
                return 0
            except BaseException as error:  # noqa: BLE001  a sentence for whoever launches
                return lib.mnp_fail(CONSTANTS["MNP_ERR_ARG"], b"%s", f"{type(error).__name__}: {error}".encode())

        self._keep = run, step
        super().__init__("graph_free", "graph_new", ctypes.cast(run, ctypes.c_void_p).value, None)

    def launch(self):
        """Do it again.  Collective."""
        call("graph_launch", self)


def is_available():
    """Whether arrays are on GPUs.  Collective where it starts Maniple."""
    return device_kind() != "host"


def synchronize():
    """Wait until this rank's device has done what it was given.  Not collective."""
    call("ctx_synchronize")
