# SPDX-License-Identifier: BSD-3-Clause
"""The prompt of several ranks at a terminal, with Ctrl-C: prompt.py COMMAND..., as "mpirun -n 2 python3 -m maniple"; or
prompt.py --edits COMMAND..., as "python3 -m maniple -n 2", where lines are edited.
Prints a line for each point, for tests/python/prompt.t."""

import os
import pty
import re
import select
import sys
import termios
import time

failures = 0


def ok(condition, name):
    global failures
    failures += not condition
    print(f"{'ok' if condition else 'not ok'} - {name}".replace("\n", " ").replace("\r", ""), flush=True)


class Typist:
    """A program at a terminal of its own."""

    def __init__(self, command):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvp(command[0], command)

    def reads(self, pattern, seconds=120, anywhere=False):
        """What the program prints, up to a pattern at its end, or anywhere."""
        text, end, wanted = "", time.monotonic() + seconds, re.compile(pattern + ("" if anywhere else r"\Z"))
        while time.monotonic() < end and not wanted.search(text):
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    text += os.read(self.terminal, 4096).decode(errors="replace")
                except OSError:  # the program has ended
                    break
        return text

    def says(self, line, *words):
        """What comes behind a line, up to the next prompt; and up to words that are written to standard error, which
        mpirun passes on by itself, so that they may come behind the prompt."""
        os.write(self.terminal, line.encode())
        text = self.reads(r"(>>>|\.\.\.) ")
        for word in words:
            if word not in text:
                text += self.reads(re.escape(word), anywhere=True)
        return text

    def has_ctrl_c(self):
        """Whether the terminal makes a signal of Ctrl-C."""
        return termios.tcgetattr(self.terminal)[6][termios.VINTR] == b"\x03"


def lines_and_interrupts(command):
    there = Typist(command)
    ok("ranks" in there.reads(">>> "), "the prompt begins")
    there.says("x = mp.zeros(10)\n")
    there.says("for i in range(10**9):\n")
    there.says("    x += 1; _ = i or print('be' + 'gun', flush=True)\n")
    os.write(there.terminal, b"\n")
    there.reads(r"begun\s+", anywhere=True)
    text = there.says("\x03", "KeyboardInterrupt")
    ok("KeyboardInterrupt" in text and "Traceback" not in text, f"Ctrl-C ends a loop: {text!r}")
    text = there.says("i > 0, float(x.max() - x.min())\n")
    ok(re.search(r"\((True|False), 0\.0\)", text), f"behind the same call on all ranks: {text!r}")
    text = there.says("1 + \x03", "KeyboardInterrupt")
    ok("KeyboardInterrupt" in text, f"Ctrl-C drops a line that is begun: {text!r}")
    there.says("def double(a):\n")
    there.says("    return 2 * a\n")
    there.says("\n")
    text = there.says("float(double(x - x + 2).sum())\n")
    ok("40.0" in text, f"a function of several lines: {text!r}")
    text = there.says("import warnings; print('al' + 'ike'); warnings.warn('so is ' + 'this')\n", "so is this")
    ok(text.count("alike") == text.count("so is this") == 1 and "---" not in text, f"what all ranks print comes once: {text!r}")
    text = there.says("print('I am', 5 + mp.rank())\n")
    ok(re.search(r"I am 5\s+--- rank 1:\s+I am 6\s+>>> ", text), f"and else in the order of the ranks: {text!r}")
    text = there.says("x[99]\n", "OutOfBoundsError: index: index 99")
    ok("OutOfBoundsError: index: index 99" in text and "_library.py" not in text and "---" not in text,
       f"an error of a call comes once, without the package's lines: {text!r}")
    there.says("if mp.rank() == 1: 1/0\n")
    text = there.says("\n", "ZeroDivisionError")
    ok(re.search(r"--- rank 1:\s+Traceback[^-]*ZeroDivisionError", text), f"one of another rank comes too: {text!r}")
    os.write(there.terminal, b"exit()\n")
    there.reads("never")
    ok(there.has_ctrl_c(), "the terminal is as it was before")
    os.waitpid(there.pid, 0)


def in_vain(command):
    there = Typist(command)
    there.reads(">>> ")
    os.write(there.terminal, b"import time; print('be' + 'gun', flush=True) or any(time.sleep(0.1) for _ in iter(int, 1))\n")
    there.reads(r"begun\s+", anywhere=True)
    time.sleep(0.5)
    os.write(there.terminal, b"\x03")
    text = there.reads("a second one ends all ranks", anywhere=True)
    ok("a second one" in text, f"Ctrl-C that is in vain is explained: {text!r}")
    os.write(there.terminal, b"\x03")
    there.reads("never")
    end, ended = time.monotonic() + 60, False
    while time.monotonic() < end and not (ended and there.has_ctrl_c()):
        ended = ended or bool(os.waitpid(there.pid, os.WNOHANG)[0])
        time.sleep(0.1)
    ok(ended, "a second Ctrl-C ends what makes no calls")
    ok(there.has_ctrl_c(), "and the terminal is as it was")


def edits(command):
    there = Typist(command)
    ok("2 ranks" in there.reads(">>> "), "a prompt that starts the ranks itself")
    text = there.says("print(6 * 8\x7f7, mp.newax\t is None, mp.rank())\n")
    ok(re.search(r"42 True 0\s+--- rank 1:\s+42 True 1\s+", text), f"a line is edited, and a name completed: {text!r}")
    text = there.says("\x1b[A\n")
    ok("42 True 1" in text, f"the line before comes back: {text!r}")
    os.write(there.terminal, b"for i in range(10**9): _ = i or print('be' + 'gun', flush=True); x = mp.zeros(3)\n\n")
    there.reads(r"begun\s+", anywhere=True)
    text = there.says("\x03", "KeyboardInterrupt")
    ok("KeyboardInterrupt" in text, f"Ctrl-C ends a loop: {text!r}")
    os.write(there.terminal, b"\x04")
    there.reads("never")
    ok(os.waitpid(there.pid, 0)[1] == 0, "the end of the input ends the ranks")


if sys.argv[1] == "--edits":
    edits(sys.argv[2:])
else:
    lines_and_interrupts(sys.argv[1:])
    in_vain(sys.argv[1:])
sys.exit(failures > 0)
