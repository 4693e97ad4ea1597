# SPDX-License-Identifier: BSD-3-Clause
"""mpirun -n 4 python -m maniple: a prompt on rank 0, whose lines all ranks run.  With a file: that program.
python -m maniple -n 4 starts mpirun itself, and lines can be edited."""

import code
import contextlib
import ctypes
import io
import os
import runpy
import sys
import traceback

import maniple as mp
from maniple import _front, _interrupts, _library

_LINE, _END, _INTERRUPTED = range(3)


def _everywhere(kind, text, root=0):
    """What one rank has read or printed, on all ranks."""
    data = text.encode(errors="backslashreplace") if mp.rank() == root else b""
    about = (ctypes.c_int64 * 2)(len(data), kind)
    _broadcast(about, 16, root)
    buffer = ctypes.create_string_buffer(data, about[0] + 1)
    _broadcast(buffer, about[0], root)
    return about[1], buffer.raw[: about[0]].decode()


def _broadcast(buffer, nbytes, root):
    if _library._open_mpi:
        byte = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(_library.lib, "ompi_mpi_byte")))
        comm = ctypes.c_void_p(_library.lib.mnp_ctx_comm(_library.context()))
    else:
        byte, comm = ctypes.c_int(0x4C00010D), ctypes.c_int(_library.lib.mnp_ctx_comm(_library.context()))
    _library.lib.MPI_Bcast(buffer, ctypes.c_int(nbytes), byte, root, comm)


class Printed:
    """The output of this rank while a line runs.  Rank 0's output is shown at once; that of the others is kept until
    the line has ended, so that what all ranks print alike is shown once, and the rest in order."""

    MOST = 1 << 20  # characters that are kept

    def __init__(self):
        self._kept, self._stdout = io.StringIO(), sys.stdout
        sys.stdout, sys.stderr = (_Stream(stream, self._kept) for stream in (sys.stdout, sys.stderr))

    def aside(self):
        """For what is rank 0's alone, such as the prompt."""
        return contextlib.redirect_stdout(self._stdout)

    def show(self):
        """Show what the other ranks have printed, if it is not what rank 0 has.  Collective."""
        text = self._kept.getvalue()
        self._kept.seek(0)
        self._kept.truncate()
        others = {}
        for rank in range(1, mp.nranks()):
            _, theirs = _everywhere(0, text, rank)
            if theirs and theirs != text:
                others.setdefault(theirs, []).append(str(rank))
        for theirs, ranks in others.items() if mp.rank() == 0 else ():
            begin, end = ("" if t.endswith("\n") or not t else "\n" for t in (text, theirs))
            whose = f"--- rank{'s' * (len(ranks) > 1)} {', '.join(ranks)}:"
            print(f"{begin}{whose}\n{theirs}{end}", end="", flush=True, file=self._stdout)
            text = ""


class _Stream:
    """sys.stdout or sys.stderr of a rank; what else is asked of it is the stream's."""

    def __init__(self, stream, kept):
        self._stream, self._kept = stream, kept

    def write(self, text):
        if mp.rank() == 0:
            self._stream.write(text)
        if self._kept.tell() < Printed.MOST:
            self._kept.write(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        return getattr(self._stream, name)


class Prompt(code.InteractiveConsole):
    """Rank 0 reads; all ranks compile and run what it has read."""

    def __init__(self, names, front):
        super().__init__(names)
        self._interrupts = _interrupts.Interrupts()
        self._terminal = _interrupts.terminal(self._interrupts, front) if mp.rank() == 0 else None
        self._read = self._terminal.read if self._terminal else super().raw_input
        self._printed = Printed()
        sys.displayhook = self._display

    def raw_input(self, prompt=""):
        self._printed.show()
        kind, line = _END, ""
        if mp.rank() == 0:
            try:
                with self._printed.aside():
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

    def _display(self, value):
        """Values are shown by rank 0 alone: looking at one is not collective."""
        if mp.rank() == 0:
            with self._printed.aside():
                sys.__displayhook__(value)

    def showtraceback(self):
        kind, error, trace = sys.exc_info()
        if kind is KeyboardInterrupt:
            self.write("\nKeyboardInterrupt\n")
        elif isinstance(error, mp.Error):  # it says what is wrong with a call; where in the package does not matter
            sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace.tb_next
            told = traceback.TracebackException(kind, error, trace.tb_next)
            package = os.path.join(os.path.dirname(mp.__file__), "")
            told.stack = traceback.StackSummary.from_list(f for f in told.stack if not f.filename.startswith(package))
            self.write("".join(told.format(chain=False)))
        else:
            super().showtraceback()

    def write(self, data):
        # mpirun keeps the order of one stream
        print(data, end="", flush=True, file=sys.stdout if self._terminal or mp.rank() else sys.stderr)


def _with_completion(names):
    """The prompt of one rank, where the tab key completes names; on several, one alone would look at their values."""
    _front.edit_lines(names)
    return code.InteractiveConsole(names)


def main():
    if sys.argv[1:2] == ["-n"]:
        sys.exit(_front.start(sys.argv[2:]))
    front = sys.argv[1:] == [_front.OPTION]
    if len(sys.argv) > 1 and not front:
        sys.argv.pop(0)
        runpy.run_path(sys.argv[0], run_name="__main__")
        return
    sys.excepthook = sys.__excepthook__  # a line that fails does not end the session
    names = {"mp": mp, "np": sys.modules["numpy"]}
    prompt = _with_completion(names) if mp.nranks() == 1 and sys.stdin.isatty() else Prompt(names, front)
    prompt.interact(
        f"Maniple {mp.__version__}: {mp.nranks()} rank{'s' * (mp.nranks() != 1)}.  Every line runs on all of them; mp "
        "is maniple, np is numpy, mp.show(x) prints a whole array.",
        exitmsg="",
    )


main()
