# SPDX-License-Identifier: BSD-3-Clause
"""mpirun -n 4 python -m maniple: a prompt on rank 0, whose lines all ranks run.  With a file: that program."""

import code
import ctypes
import runpy
import sys

import maniple as mp
from maniple import _interrupts, _library

_LINE, _END, _INTERRUPTED = range(3)


def _everywhere(kind, text):
    """What rank 0 has read, on all ranks."""
    data = text.encode()
    about = (ctypes.c_int64 * 2)(len(data), kind)
    _broadcast(about, 16)
    buffer = ctypes.create_string_buffer(data, about[0] + 1)
    _broadcast(buffer, about[0])
    return about[1], buffer.raw[: about[0]].decode()


def _broadcast(buffer, nbytes):
    if _library._open_mpi:
        byte = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(_library.lib, "ompi_mpi_byte")))
        comm = ctypes.c_void_p(_library.lib.mnp_ctx_comm(_library.context()))
    else:
        byte, comm = ctypes.c_int(0x4C00010D), ctypes.c_int(_library.lib.mnp_ctx_comm(_library.context()))
    _library.lib.MPI_Bcast(buffer, ctypes.c_int(nbytes), byte, 0, comm)


class Prompt(code.InteractiveConsole):
    """Rank 0 reads; all ranks compile and run what it has read.  What a failure prints comes from rank 0 alone."""

    def __init__(self, names):
        super().__init__(names)
        self._interrupts = _interrupts.Interrupts()
        self._terminal = _interrupts.terminal(self._interrupts) if mp.rank() == 0 else None
        self._read = self._terminal.read if self._terminal else super().raw_input

    def raw_input(self, prompt=""):
        kind, line = _END, ""
        if mp.rank() == 0:
            try:
                kind, line = _LINE, self._read(prompt)
            except EOFError:
                print()
            except KeyboardInterrupt:
                kind = _INTERRUPTED
        kind, line = _everywhere(kind, line)
        self._interrupts.forget()
        if kind != _LINE:
            raise EOFError if kind == _END else KeyboardInterrupt
        return line

    def showtraceback(self):
        if sys.exc_info()[0] is KeyboardInterrupt:
            self.write("\nKeyboardInterrupt\n")
        else:
            super().showtraceback()

    def write(self, data):
        if self._terminal:
            print(data, end="", flush=True)  # mpirun keeps the order of one stream
        elif mp.rank() == 0:
            super().write(data)


def _with_completion(names):
    """The prompt of one rank, where the tab key completes names; on several, one alone would look at their values."""
    try:
        import readline
        import rlcompleter
    except ImportError:  # such a Python is rare
        pass
    else:
        readline.set_completer(rlcompleter.Completer(names).complete)
        readline.parse_and_bind("tab: complete")
    return code.InteractiveConsole(names)


def main():
    if len(sys.argv) > 1:
        sys.argv.pop(0)
        runpy.run_path(sys.argv[0], run_name="__main__")
        return
    if mp.rank() != 0:
        sys.displayhook = lambda value: None  # looking at a value is not collective
    sys.excepthook = sys.__excepthook__  # a line that fails does not end the session
    names = {"mp": mp, "np": sys.modules["numpy"]}
    prompt = _with_completion(names) if mp.nranks() == 1 and sys.stdin.isatty() else Prompt(names)
    prompt.interact(
        f"Maniple {mp.__version__}: {mp.nranks()} rank{'s' * (mp.nranks() != 1)}.  Every line runs on all of them; mp "
        "is maniple, np is numpy, mp.show(x) prints a whole array.",
        exitmsg="",
    )


main()
