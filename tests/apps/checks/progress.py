# SPDX-License-Identifier: BSD-3-Clause
"""progress.py terminal|pipe PATTERN COMMAND...: whether what the command prints, on a terminal of its own or with standard
error in a pipe, has the pattern.  As soon as it has, the command is ended.  "none" as the pattern: it has no progress
line, to its end, which is a success."""
import os
import pty
import re
import signal
import subprocess
import sys

where, pattern, command = sys.argv[1], sys.argv[2], sys.argv[3:]
if where == "terminal":
    mine, theirs = pty.openpty()
    child = subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, start_new_session=True)
else:
    mine, theirs = os.pipe()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, start_new_session=True)
os.close(theirs)
text = ""
found = False
while not found:
    try:
        more = os.read(mine, 4096)
    except OSError:  # the terminal has gone
        break
    if not more:
        break
    text += more.decode()
    found = pattern != "none" and re.search(pattern, text) is not None
if found:
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    sys.exit(0)
if pattern == "none" and child.wait() == 0 and not re.search("maniple [a-z]+: [a-z]+ing", text):
    sys.exit(0)
print(repr(text))
sys.exit(1)
