# SPDX-License-Identifier: BSD-3-Clause
"""Heat that spreads over a plate:  mpirun -n 4 python3 heat.py

prints

    after 200 steps the plate has 9.43 of 10.00, the hottest point 0.0318
"""

import maniple as mp
import numpy as np

u = mp.zeros((41, 33))
u[20, 16] = 10
for step in range(200):  # one kernel a step; what it reads of other ranks is fetched
    mp.evaluate(
        "u[1:-1, 1:-1] += f * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4*u[1:-1, 1:-1])",
        "u",
        out={"u": u},
        f=0.125,
    )
everything, most = float(np.sum(u)), float(u.max())  # NumPy's functions too; on all ranks, as everything is
if mp.rank() == 0:
    print(f"after 200 steps the plate has {everything:.2f} of 10.00, the hottest point {most:.4f}")
