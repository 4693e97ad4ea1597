# SPDX-License-Identifier: BSD-3-Clause
"""The harness itself: arrays of all dtypes go to Maniple and come back, in any layout, on any number of ranks."""

import maniple as mp
import numpy as np

rng = mp.random()
for dtype in mp.DTYPES:
    values = rng.integers(0, 2 if dtype == "bool" else 100, (4, 5, 3))
    x = mp.array(values, mp.random_layout(rng, values.shape), dtype)
    mp.check(f"{dtype} there and back", x, values.astype(x.dtype))
for shape in [(), (1,), (0,), (7,), (3, 0, 2), (1, 5), (2, 3, 1, 2)]:
    a = rng.standard_normal(shape)
    x = mp.array(a, mp.random_layout(rng, shape))
    mp.check(f"shape {shape}, random layout", x, a)
    mp.check(f"shape {shape}, block layout", mp.redistribute(x, mp.array(a).layout), a)
    mp.ok(np.array_equal(x.local(), a[x.layout.box(mp.rank)]), f"shape {shape}, local block")
    y = mp.array(np.zeros(shape, np.float32), x.layout)
    mp.ok(mp.astype(x, "float32", out=y) is y, "an output is reused")
    mp.check("and has the values", y, a.astype(np.float32))

mp.check("4 units in the last place are told", np.float32([1 + 2 ** -21, np.nan]), np.float32([1, np.nan]), ulp=4)
mp.ok(mp.difference(np.float32([1 + 2 ** -20]), np.float32([1]), ulp=4), "from 8")
mp.ok(mp.difference(np.int8([1, 2]), np.int8([1, 3])) == "1 of 2 values, first at (1,): 2 where 3 is right"
      or np.__version__ >= "2", "a difference is a sentence")
zeros = np.float64([0.0]), np.float64([-0.0])
mp.ok(mp.difference(*zeros) and not mp.difference(*zeros, ulp=1),
      "and the signs of zeros, if values are to be exact")
mp.fails("MNP_ERR_ARG", "-3", mp.zeros, "int8", 1, [-3])
mp.ok(mp.index_text(np.s_[1:, None, ..., -1, ::-2]) == "1:, None, ..., -1, ::-2", "an index as text")
mp.done()
