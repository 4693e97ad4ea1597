# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C at a prompt of several ranks: what runs ends on all of them, behind the same call of the library."""

import collections
import os
import signal
import subprocess
import sys
import threading
import time

from . import _library
from ._layout import rank
from ._prototypes import ALONE, FUNCTIONS

_SECONDS = 0.02  # between two questions
_PATIENCE = 2  # seconds after which the user is told that Ctrl-C has had no effect yet
_CTRL_C = b"\x03"


class Interrupts:
    """Behind some of the collective calls, every rank asks the others whether one of them has been interrupted; if so,
    all raise KeyboardInterrupt.  They make the same calls, so a number of calls is what they have in common."""

    def __init__(self):
        self._wanted, self._left, self._calls, self._asked = False, 1, 1, time.perf_counter()
        for name, (result, _) in FUNCTIONS.items():
            # a group of ranks may call mnp_comm_...() without the others
            if result == "mnp_status" and name not in ALONE and not name.startswith("mnp_comm_"):
                getattr(_library.lib, name).errcheck = self._after
        signal.signal(signal.SIGINT, lambda number, frame: self.ask())

    def ask(self):
        """Interrupt what runs; False if that has been asked for before, and nothing has come of it."""
        before, self._wanted = self._wanted, True
        return not before

    def is_asked(self):
        """Whether what runs has been interrupted, and goes on."""
        return self._wanted

    def forget(self):
        """What runs next has not been interrupted."""
        self._wanted = False

    def _after(self, result, function, arguments):
        self._left -= 1
        if self._left <= 0 and _library.is_initialized():
            self._question()
        return result

    def _question(self):
        seconds = time.perf_counter() - self._asked
        wish = max(1, min(2 * self._calls, int(self._calls * _SECONDS / max(seconds, 1e-6))))
        # rank 0 decides when the next question is
        stop, self._calls = _library.least([-self._wanted, wish if rank() == 0 else 1 << 30])
        self._left, self._asked = self._calls, time.perf_counter()
        if stop:
            self._wanted = False
            raise KeyboardInterrupt


# mpirun takes SIGINT for the end of the job.  The terminal is therefore told to send no signal, but to hand Ctrl-C on at
# once, as if it ended a line.  The shell that does so waits for the end of this process, however it comes.
_SETTING = """trap '' INT TERM HUP
saved=$(stty -g <"$1") && stty intr undef eol ^C <"$1" && echo
cat >/dev/null
stty "$saved" <"$1"
"""


def _terminal_of_mpirun():
    """The terminal from which mpirun, which started this process, hands lines on; None if it is none."""
    try:
        terminal = os.open(f"/proc/{os.getppid()}/fd/0", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return None
    try:
        return None if os.isatty(0) or not os.isatty(terminal) else os.ttyname(terminal)
    finally:
        os.close(terminal)


def terminal(interrupts, front):
    """What is typed at a front (_front.py), or where mpirun was started at a terminal; else None."""
    path = None if front else _terminal_of_mpirun()
    return Terminal(path, interrupts) if front or path else None


class Terminal:
    """Lines that are typed, and Ctrl-C, which interrupts a line that runs; if a second Ctrl-C has no effect either, all
    ranks end.  `path` names the terminal; at a front there is none, and a prompt is sent to it between two marks."""

    MARK = "\x1e"

    def __init__(self, path, interrupts):
        self._interrupts, self._lines = interrupts, collections.deque()
        self._mark = "" if path else self.MARK
        self._waits = False  # read() has nothing yet: Ctrl-C is for it
        self._changed = threading.Condition()  # of both
        if path:
            self._shell = subprocess.Popen(["sh", "-c", _SETTING, "sh", path], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, start_new_session=True)
            self._shell.stdout.readline()
        threading.Thread(target=self._listen, daemon=True).start()

    def _put(self, line):
        with self._changed:
            self._lines.append(line)
            self._waits = False
            self._changed.notify()

    def _listen(self):
        rest = b""
        for data in iter(lambda: os.read(0, 4096), b""):
            *whole, rest = (rest + data).replace(_CTRL_C, _CTRL_C + b"\n").split(b"\n")
            for line in whole:
                if not line.endswith(_CTRL_C):
                    self._put(line.decode(errors="replace"))
                elif self._waits:
                    self._put(KeyboardInterrupt)
                elif self._interrupts.ask():
                    timer = threading.Timer(_PATIENCE, self._explain)
                    timer.daemon = True
                    timer.start()
                else:
                    os.kill(os.getppid(), signal.SIGINT)  # of mpirun
        self._put(EOFError)

    def _explain(self):
        if self._interrupts.is_asked() and not self._waits:
            told = "\n(Ctrl-C ends what runs at its next call of Maniple; a second one ends all ranks.)"
            print(told, flush=True, file=sys.__stdout__)

    def read(self, prompt):
        """The next line; EOFError or KeyboardInterrupt if that comes instead."""
        with self._changed:
            self._waits = not self._lines
        print(self._mark + prompt + self._mark, end="", flush=True)  # who sees it may press Ctrl-C
        with self._changed:
            self._changed.wait_for(lambda: self._lines)
            line = self._lines.popleft()
        if isinstance(line, type):
            raise line
        return line
