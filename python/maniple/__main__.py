# SPDX-License-Identifier: BSD-3-Clause
"""mpirun -n 4 python -m maniple: a prompt on rank 0, whose lines all ranks run.  With a file: that program."""

import code
import ctypes
import runpy
import sys

import maniple as mp
from maniple import _library


def _everywhere(text):
    """A text of rank 0, on all ranks; None ends."""
    if mp.nranks() == 1:
        return text
    data = b"" if text is None else text.encode()
    about = (ctypes.c_int64 * 2)(len(data), text is None)
    _broadcast(about, 16)
    buffer = ctypes.create_string_buffer(data, about[0] + 1)
    _broadcast(buffer, about[0])
    return None if about[1] else buffer.raw[: about[0]].decode()


def _broadcast(buffer, nbytes):
    if _library._open_mpi:
        byte = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(_library.lib, "ompi_mpi_byte")))
        comm = ctypes.c_void_p(_library.lib.mnp_ctx_comm(_library.context()))
    else:
        byte, comm = ctypes.c_int(0x4C00010D), ctypes.c_int(_library.lib.mnp_ctx_comm(_library.context()))
    _library.lib.MPI_Bcast(buffer, ctypes.c_int(nbytes), byte, 0, comm)


class Prompt(code.InteractiveConsole):
    """Rank 0 reads; all ranks compile and run what it has read.  What a failure prints comes from rank 0 alone."""

    def raw_input(self, prompt=""):
        line = None
        if mp.rank() == 0:
            try:
                line = super().raw_input(prompt)
            except EOFError:
                print()
        line = _everywhere(line)
        if line is None:
            raise EOFError
        return line

    def write(self, data):
        if mp.rank() == 0:
            super().write(data)


def _complete(names):
    """The tab key completes names; on several ranks it does not, as one rank alone would look at their values."""
    try:
        import readline
        import rlcompleter
    except ImportError:  # such a Python is rare
        return
    readline.set_completer(rlcompleter.Completer(names).complete)
    readline.parse_and_bind("tab: complete")


def main():
    if len(sys.argv) > 1:
        sys.argv.pop(0)
        runpy.run_path(sys.argv[0], run_name="__main__")
        return
    if mp.rank() != 0:
        sys.displayhook = lambda value: None  # looking at a value is not collective
    sys.excepthook = sys.__excepthook__  # a line that fails does not end the session
    names = {"mp": mp, "np": sys.modules["numpy"]}
    if mp.nranks() == 1:
        _complete(names)
    Prompt(names).interact(
        f"Maniple {mp.__version__}: {mp.nranks()} rank{'s' * (mp.nranks() != 1)}.  Every line runs on all of them; "
        "mp is "
        "maniple, np is numpy, mp.show(x) prints a whole array.",
        exitmsg="",
    )


main()
