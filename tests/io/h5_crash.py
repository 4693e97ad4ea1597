# SPDX-License-Identifier: BSD-3-Clause
"""A file that grows, at every moment at which its writer could have been ended: what was recorded of a writer
(record_writes.c) is done up to there, and the file is read.

    h5_crash.py START LOG FOLDER KIND     START: the file before; LOG.*: the records

KIND "killed": every call before the moment is done, the last one in part.  KIND "power": what was done before the last
fsync() is on disk, and of the rest some calls and others not.  Either way the file has to hold whole steps, as many as
the writer had completed or one more, and all that it held before; h5py may also find that it is no HDF5 file, while a
change is being made, and then any call of the library makes it whole.
"""

import os
import sys

import h5py_files
import maniple as mp
import numpy as np
from h5_records import do, records

start, log, folder, kind = sys.argv[1:]
rng = mp.random()
path = os.path.join(folder, "crashed.h5")
base = open(start, "rb").read()


def steps_of(found):
    """How many whole steps there are, or what is wrong."""
    if not np.array_equal(found.get("old"), np.arange(500.)) or found.get("old@note") != "kept":
        return "what the file held before is not there"
    if not any(name in found for name in ("u", "deep/v", "t", "@last")):
        return 0
    if not all(name in found for name in ("u", "deep/v", "t", "@last")):
        return f"there is only {sorted(found)}"
    n = len(found["t"])
    steps = np.arange(n)
    right = (np.array_equal(found["t"], steps.astype(float))
             and np.array_equal(found["u"], np.broadcast_to(steps[:, None, None] + 0.5, (n, 40, 30)))
             and np.array_equal(found["deep/v"], np.broadcast_to(steps[:, None].astype("i4"), (n, 70)))
             and found["@last"] == f"step {n - 1}")
    return n if right else f"{n} steps are not whole"


def read_theirs():
    """What h5py reads; None if it finds no HDF5 file."""
    try:
        return h5py_files.read(path)
    except h5py_files.Unreadable as error:
        return None if "signature not found" in str(error) else {"error": str(error)}


def examine(image, done, refused):
    """What is wrong with a file: as it is, and after the library has read it."""
    with open(path, "wb") as file:
        file.write(image)
    found = read_theirs()
    if found is None:
        refused.append(1)
    elif (steps := steps_of(found)) not in (done, done + 1):
        return f"h5py finds: {steps} after {done}, {found.get('error', '')}"
    try:
        mp.h5_read(path, "old", None)
    except mp.Error as error:
        return f"the library: {error}"
    steps = steps_of(read_theirs() or {})
    return "" if steps in (done, done + 1) else f"afterwards: {steps} after {done}"


events = records(log)
# a step is complete when the file is cut behind its new end: the journal is gone
ends = [i for i, event in enumerate(events) if event[0] == "t" and i > 0 and events[i - 1][0] == "s"]
mp.ok(len(ends) >= 3, f"{len(events)} calls, {len(ends)} steps were recorded")
wrongs, refused, moments = [], [], 0
for i in range(len(events) + 1):
    done = sum(end < i for end in ends)
    if kind == "killed":
        image = bytearray(base)
        for event in events[:i]:
            do(image, event)
        images = [image]
        if i < len(events) and events[i][0] == "w" and events[i][2] > 8:  # smaller writes are done or not
            torn = bytearray(image)
            do(torn, events[i], int(rng.integers(1, events[i][2])))
            images.append(torn)
    else:
        safe = max([k for k in range(i) if events[k][0] == "s"], default=-1)
        done = sum(end <= safe for end in ends)
        safely = bytearray(base)
        for event in events[:safe + 1]:
            do(safely, event)
        images = []
        for _ in range(4):
            image = bytearray(safely)
            for event in events[safe + 1:i]:
                if event[0] != "w" or rng.random() < 0.5:
                    do(image, event)
            images.append(image)
    for image in images:
        moments += 1
        wrong = examine(image, done, refused)
        if wrong:
            wrongs.append(f"after {i} calls of {len(events)}: {wrong}")
mp.ok(not wrongs, f"{kind} at {moments} moments, at {len(refused)} of them during a change" +
      "".join("\n" + wrong for wrong in wrongs[:5]))
mp.ok(0 < len(refused) < moments / 2, "some of the moments are during a change")
if os.path.exists(path):
    os.unlink(path)
mp.done()
