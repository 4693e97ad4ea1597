# SPDX-License-Identifier: BSD-3-Clause
"""The ranks: comm.rank(), comm.size(), comm.barrier(), comm.bcast(value), comm.allreduce(value), and groups of them:
comm.split(color)."""

import ast
import builtins
import ctypes
import math
import struct

import numpy as np

from . import _layout
from ._errors import Error, error_of
from ._library import CONSTANTS, Handle, _open_mpi, call, context, lib, waiting
from ._names import finished

__all__ = ["Comm", "allreduce", "barrier", "bcast", "rank", "size", "split", "world"]

_KINDS = (int, float, complex, bool, str, bytes, type(None))


def _mpi_of(comm):
    """MPI_BYTE, and the communicator of a group, as arguments."""
    if _open_mpi:
        kind = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(lib, "ompi_mpi_byte")))
        return kind, ctypes.c_void_p(lib.mnp_comm_mpi(comm))
    return ctypes.c_int(0x4C00010D), ctypes.c_int(lib.mnp_comm_mpi(comm))


def _broadcast(comm, data, count, root):
    """Bytes from the root to all ranks of the group, by MPI."""
    kind, group = _mpi_of(comm)
    with waiting("broadcasting a value"):
        lib.MPI_Bcast(data, ctypes.c_int(count), kind, ctypes.c_int(root), group)


_COMBINED = {"sum": sum, "prod": math.prod, "max": max, "min": min}


def _as_record(value):
    """A number as 17 bytes: what it is, and itself."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, int):
        return b"i" + value.to_bytes(16, "little", signed=True) if -(2**127) <= value < 2**127 else b"o" + bytes(16)
    if isinstance(value, float):
        return b"f" + struct.pack("dd", value, 0)
    return b"c" + struct.pack("dd", value.real, value.imag) if isinstance(value, complex) else b"e" + bytes(16)


def _of_record(record):
    kind, rest = record[:1], record[1:]
    if kind == b"e":
        raise TypeError("allreduce() takes numbers, and one rank has something else; maniple.from_local() makes arrays")
    if kind == b"o":
        raise OverflowError("allreduce() takes integers of at most 128 bits")
    if kind == b"i":
        return int.from_bytes(rest, "little", signed=True)
    real, imag = struct.unpack("dd", rest)
    return complex(real, imag) if kind == b"c" else real


class Comm(Handle):
    """A group of ranks: comm.world(), and what split() makes of a group.  bcast() and barrier() are collective over it.

    A group that was split off is released by free(), which is collective over it, or when Maniple ends."""

    def __init__(self, handle):
        self._handle = handle

    @property
    def rank(self):
        """This rank's number in the group."""
        return lib.mnp_comm_rank(self._handle)

    @property
    def size(self):
        """How many ranks the group has."""
        return lib.mnp_comm_size(self._handle)

    def world_rank(self, rank):
        """The number that a rank of the group has among all ranks."""
        if not 0 <= rank < self.size:
            raise ValueError(f"the group has no rank {rank}: it has {self.size}")
        return lib.mnp_comm_world_rank(self._handle, rank)

    def barrier(self):
        """Wait until all ranks of the group are here, and what each has enqueued before is done."""
        call("comm_barrier", self)  # on GPUs of their streams alone
        call("ctx_synchronize")

    def bcast(self, value, root=0):
        """The value that rank `root` passes, on all ranks of the group: a number, a string, bytes or None."""
        if not 0 <= root < self.size:
            raise ValueError(f"root is {root}, and the group has {self.size} ranks")
        problem, text = None, b""
        if self.rank == root:
            value = value.item() if isinstance(value, np.generic) else value
            if type(value) in _KINDS:
                text = value.hex().encode() if isinstance(value, float) else repr(value).encode()
                text = (b"f" if isinstance(value, float) else b"v") + text
            else:
                problem = type(value).__name__
                text = b"e" + problem.encode()
        count = ctypes.c_int64(len(text))
        _broadcast(self._handle, ctypes.byref(count), 8, root)
        room = ctypes.create_string_buffer(text, max(count.value, 1))
        _broadcast(self._handle, room, count.value, root)
        kind, text = room.raw[:1], room.raw[1 : count.value].decode()
        if kind == b"e":
            raise TypeError(f"bcast() takes numbers, strings, bytes and None, not {text}; maniple.from_local() and "
                            "maniple.asarray() make arrays")
        return float.fromhex(text) if kind == b"f" else _parsed(text)

    def allreduce(self, value, op="sum"):
        """The sum of the numbers that the ranks of the group pass, on all of them; op is sum, prod, max or min.  They
        are combined in the order of the ranks, so that all have the same result."""
        if op not in _COMBINED:
            raise ValueError(f"op is {op!r}, which is none of {', '.join(_COMBINED)}")
        mine, size = _as_record(value), self.size
        all_of_them = ctypes.create_string_buffer(len(mine) * size)
        kind, group = _mpi_of(self._handle)
        count = ctypes.c_int(len(mine))
        with waiting("combining a value"):
            lib.MPI_Allgather(mine, count, kind, all_of_them, count, kind, group)
        records = [all_of_them.raw[len(mine) * r : len(mine) * (r + 1)] for r in range(size)]
        return _COMBINED[op]([_of_record(record) for record in records])

    def split(self, color, key=0):
        """Ranks that give the same colour form a group, numbered by `key` and then by their numbers here; with a
        negative colour, or None, a rank is in none and gets None.  Collective over the group."""
        cell = ctypes.c_void_p()
        call("comm_split", self, -1 if color is None else color, key, ctypes.byref(cell))
        return Comm(cell.value) if cell.value else None

    def free(self):
        """Release a group that was split off.  Collective over it."""
        handle, self._handle = self._handle, None
        if handle is not None and handle != lib.mnp_comm_world(context()):
            lib.mnp_comm_free(handle)

    def __repr__(self):
        return f"<group of ranks: rank {self.rank} of {self.size}>"


def _parsed(text):
    """A value from its repr(); complex numbers may have infinite and undefined parts."""
    return complex(text) if text.endswith(("j", "j)")) else ast.literal_eval(text)


def world():
    """All ranks, as a group.  It starts Maniple where that has not started."""
    return Comm(lib.mnp_comm_world(context()))


def rank():
    """This rank's number."""
    return _layout.rank()


def size():
    """How many ranks there are."""
    return _layout.nranks()


def barrier():
    """Wait until all ranks are here, and what each has enqueued before is done; not in a Graph.  Collective."""
    world().barrier()


def bcast(value, root=0):
    """The value that rank `root` passes, on all ranks: a number, a string, bytes or None.  Collective."""
    return world().bcast(value, root)


def allreduce(value, op="sum"):
    """The sum of the numbers that the ranks pass, on all ranks; op is sum, prod, max or min.  Collective."""
    return world().allreduce(value, op)


def split(color, key=0):
    """Ranks that give the same colour form a group, a Comm.  Collective."""
    return world().split(color, key)


def _told_of(error):
    """An error's class and arguments, as text for the other ranks."""
    arguments = error.args
    if isinstance(error, OSError) and error.errno is not None:
        arguments = (error.errno, error.strerror, error.filename)
    if isinstance(error, Error):
        return repr(("maniple", (CONSTANTS[error.status], error.message)))
    try:
        is_literal = ast.literal_eval(repr(arguments)) == arguments
    except Exception:  # noqa: BLE001: arguments of classes of its own
        is_literal = False
    return repr((type(error).__name__, arguments if is_literal else (str(error),)))


def _error_of(told):
    name, arguments = ast.literal_eval(told)
    if name == "maniple":
        return error_of(*arguments)
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return kind(*arguments)
    return RuntimeError(f"{name}: {arguments[0] if arguments else ''}")


def by_root(function, *arguments, **named):
    """Call a function on rank 0 alone.  The other ranks wait for its end, and raise its error as well, or a RuntimeError
    if its class is none of Maniple's and none of Python's own.  Collective."""
    error, told = None, ""
    if rank() == 0:
        try:
            function(*arguments, **named)
        except BaseException as problem:  # noqa: BLE001: whatever it is, the others wait for it
            error, told = problem, _told_of(problem)
    told = bcast(told)
    if told:
        raise error or _error_of(told)


__dir__ = finished(globals(), "maniple.comm")
