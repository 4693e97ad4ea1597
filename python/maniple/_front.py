# SPDX-License-Identifier: BSD-3-Clause
"""python -m maniple -n 4: a process of its own in front of mpirun, which has the terminal, and edits lines.

mpirun hands lines to rank 0 through a pipe, where no line can be edited.  So the front starts it, shows what the ranks
print, and where rank 0 asks for a line, by a prompt between two marks, reads one with readline and hands it on.  The
ranks are in a session of their own, which Ctrl-C does not reach; the front hands that on, too."""

import codecs
import os
import shlex
import shutil
import signal
import subprocess
import sys

from ._interrupts import Terminal

OPTION = "--front"  # of the ranks' command
_HISTORY = os.path.join(os.path.expanduser("~"), ".maniple_history")
_INTERRUPT = b"\x03"


def edit_lines(names, history=None):
    """Let input() edit lines and complete names; the lines of earlier times are there, if there is such a file."""
    try:
        import readline
        import rlcompleter
    except ImportError:  # such a Python is rare
        return
    readline.set_completer(rlcompleter.Completer(names).complete)
    readline.parse_and_bind("tab: complete")
    if history:
        try:
            readline.read_history_file(history)
        except OSError:
            pass  # there is none yet


def _keep_history():
    try:
        import readline

        readline.set_history_length(1000)
        readline.write_history_file(_HISTORY)
    except (ImportError, OSError):
        pass  # the next session begins without it


class _Front:
    """What the ranks print is shown as it comes; prompts are answered."""

    def __init__(self, ranks):
        self._ranks, self._answering = ranks, False
        signal.signal(signal.SIGINT, self._interrupted)

    def _interrupted(self, number, frame):
        if self._answering:
            raise KeyboardInterrupt
        self._send(_INTERRUPT)

    def _send(self, data):
        try:
            self._ranks.stdin.write(data)
            self._ranks.stdin.flush()
        except (BrokenPipeError, ValueError):  # the ranks have ended, or will
            pass

    def _answer(self, prompt):
        self._answering = True
        try:
            self._send(input(prompt).encode() + b"\n")
        except EOFError:
            self._ranks.stdin.close()
        except KeyboardInterrupt:
            self._send(_INTERRUPT)
        finally:
            self._answering = False

    def run(self):
        decoder, prompt = codecs.getincrementaldecoder("utf-8")("replace"), None
        for data in iter(lambda: os.read(self._ranks.stdout.fileno(), 1 << 16), b""):
            first, *others = decoder.decode(data).split(Terminal.MARK)
            prompt = self._shown(first, prompt)
            for text in others:
                if prompt is None:
                    prompt = self._shown(text, "")
                else:
                    self._answer(prompt)
                    prompt = self._shown(text, None)

    @staticmethod
    def _shown(text, prompt):
        """Show text, or, where a prompt has begun, add it to that."""
        if prompt is not None:
            return prompt + text
        print(text, end="", flush=True)
        return None


def start(arguments):
    """Start mpirun: arguments are the number of ranks, and a program with its own, or nothing.  Gives its status."""
    number, *program = arguments or [""]
    launcher = shlex.split(os.environ.get("MPIRUN", "")) or [shutil.which("mpirun") or shutil.which("mpiexec")]
    if not number.isdigit() or int(number) < 1:
        sys.exit(f"python -m maniple -n N: N is the number of ranks, and not {number!r}")
    if launcher == [None]:
        sys.exit("python -m maniple -n: there is no mpirun in the PATH")
    command = [*launcher, "-n", number, sys.executable, "-m", "maniple", *program]
    if program or not sys.stdin.isatty():
        return subprocess.call(command)
    import maniple
    import numpy

    edit_lines({"mp": maniple, "np": numpy}, _HISTORY)
    with subprocess.Popen([*command, OPTION], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as ranks:
        try:
            _Front(ranks).run()
        finally:
            _keep_history()
            if not ranks.stdin.closed:
                ranks.stdin.close()
    return ranks.returncode
