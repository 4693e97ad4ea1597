# SPDX-License-Identifier: BSD-3-Clause
"""A file from which the last dataset is removed, at every call at which the writer could have been killed: it has the
dataset, all of it, or none, and what else was there.

    h5_crash_remove.py write FILE             remove the dataset
    h5_crash_remove.py read FILE LOG FOLDER   do to FILE.start what was recorded up to every call, and read
"""

import os
import sys

import h5py_files
import maniple as mp
import numpy as np
from h5_records import do, records

what, path = sys.argv[1:3]
last = np.arange(30000.0)


def write():
    file = mp.h5_file_open(path, True)
    mp.h5_file_remove(file, "last", None)
    mp.h5_file_close(file)
    mp.ok(True, "it is removed")


def read(log, folder):
    crashed = os.path.join(folder, "crashed.h5")
    base, events, wrongs, seen = open(path + ".start", "rb").read(), records(log), [], set()
    for i in range(len(events) + 1):
        image = bytearray(base)
        for event in events[:i]:
            do(image, event)
        with open(crashed, "wb") as file:
            file.write(image)
        try:
            mp.h5_read(crashed, "a", None)  # which completes a change
            found = h5py_files.read(crashed)
        except (mp.Error, h5py_files.Unreadable) as error:
            wrongs.append(f"after {i} calls: {error}")
            continue
        there = "last" in found
        seen.add(there)
        if not np.array_equal(found["a"], np.arange(500.0)) or (there and not np.array_equal(found["last"], last)):
            wrongs.append(f"after {i} calls: other values")
    mp.ok(not wrongs, f"a dataset is removed by {len(events)} calls" + "".join("\n" + wrong for wrong in wrongs[:5]))
    mp.ok(seen == {False, True} and len(image) < last.nbytes, f"at last it is gone, and the file has {len(image)} bytes")
    os.unlink(crashed)


if what == "write":
    write()
else:
    read(*sys.argv[3:])
mp.done()
