# SPDX-License-Identifier: BSD-3-Clause
"""Appends steps to a file for h5_crash.t:  h5_crash_writer.py FILE STEPS.  A step is a matrix, a vector, a number, and an
attribute, which appear together; after each the number of steps is added to FILE.done."""

import sys

from file_structs import Attribute, Item
import maniple as mp
import numpy as np

path, steps = sys.argv[1], int(sys.argv[2])


file = mp.h5_file_open(path, True)
try:
    info = mp.h5_read(path, "t", None).shape[0]
except mp.Error:
    info = 0
for step in range(info, info + steps):
    arrays = [mp.array(np.full((40, 30), step + 0.5)), mp.array(np.full(70, step, "int32")),
              mp.array(np.float64(step))]
    items = (Item * 3)(*[Item(name, array.pointer) for name, array in zip((b"u", b"deep/v", b"t"), arrays)])
    text = Attribute(b"/", b"last", f"step {step}".encode(), 0, -1, None)
    mp.h5_file_append(file, mp.MNP_H5_NEW_AXIS, 3, items, 1, text)
    if mp.rank == 0:
        with open(path + ".done", "a") as done:
            done.write(f"{step + 1}\n")
mp.h5_file_close(file)
mp.done()
