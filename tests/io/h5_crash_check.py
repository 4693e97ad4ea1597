# SPDX-License-Identifier: BSD-3-Clause
"""Whether a file that h5_crash_writer.py has written holds whole steps:  h5_crash_check.py FILE STEPS, which are at least
there."""

import sys

import maniple as mp
import numpy as np

path, done = sys.argv[1], int(sys.argv[2])
t = mp.h5_read(path, "t", None).numpy()
n = len(t)
steps = np.arange(n)
mp.ok(n in (done, done + 1), f"{n} steps after {done}")
mp.check("numbers", mp.h5_read(path, "t", None), steps.astype(float))
mp.check("vectors", mp.h5_read(path, "deep/v", None), np.broadcast_to(steps[:, None].astype("i4"), (n, 70)))
mp.check("matrices", mp.h5_read(path, "u", None), np.broadcast_to(steps[:, None, None] + 0.5, (n, 40, 30)))
mp.check("what was there before", mp.h5_read(path, "old", None), np.arange(500.))
mp.done()
