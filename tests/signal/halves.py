# SPDX-License-Identifier: BSD-3-Clause
"""Convolution of floats of two bytes: summed in float32, rounded once."""

import maniple as mp
import numpy as np
from scipy.signal import convolve2d

rng = mp.random()
kernel = rng.integers(-4, 5, (3, 5)) / 8
for dtype in [name for name in mp.DTYPES if name in ("float16", "bfloat16")]:
    x = mp.array(rng.integers(-64, 64, (40, 33)) / 16, mp.random_layout(rng, (40, 33)), dtype)
    taps = mp.array(kernel, None, dtype)
    wide = x.numpy().astype(np.float32)
    right = convolve2d(wide, kernel.astype(np.float32))  # exact: few bits
    mp.check(f"{dtype} with {dtype}", mp.convolve(x, taps, None), right.astype(x.dtype))
    mp.check(f"{dtype} with float64", mp.convolve(x, mp.array(kernel), None), right.astype(x.dtype))
whole = mp.array(rng.integers(-9, 9, (12, 20)), None, "float32")
mp.check("float32 with float16", mp.convolve(whole, mp.array(kernel, None, "float16"), None),
         convolve2d(whole.numpy(), kernel.astype("f4")).astype("f4"))
mp.done()
