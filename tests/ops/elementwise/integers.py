# SPDX-License-Identifier: BSD-3-Clause
"""All functions of bools and integers, in every type that they are computed in: see functions_of_type.py; and quotients
that are integers or beside them, of numbers of all sizes."""

import functions_of_type
import maniple as mp
import numpy as np


def all_sizes(rng, dtype, count):
    """Random integers other than 0 whose numbers of bits are random too."""
    info = np.iinfo(dtype)
    shifts = rng.integers(0, info.bits, count).astype(dtype)
    numbers = rng.integers(info.min, info.max, count, dtype, endpoint=True) >> shifts
    return np.where(numbers == 0, dtype(1), numbers)


def check_divisions(dtype):
    rng, info, count = functions_of_type.rng, np.iinfo(dtype), 20000
    divisors = all_sizes(rng, dtype, count)
    numbers = all_sizes(rng, dtype, count) // divisors * divisors + rng.integers(-1, 2, count).astype(dtype)
    numbers[:3] = info.min, info.max, 0
    x, y = mp.array(numbers), mp.array(divisors)
    mp.check(f"quotients of {info.dtype} beside integers", mp.eval("q, r = divmod(x, y); f = fmod(x, y)", "q r f", x=x, y=y),
             (numbers // divisors, numbers % divisors, np.fmod(numbers, divisors)))
    scalars = [0, 1, -1, int(info.min), int(info.max), *map(int, divisors[:30])]
    scalars = [number for number in scalars if info.min <= number <= min(info.max, 2 ** 63 - 1)]
    mp.check(f"quotients of {info.dtype} by one number",
             np.array([mp.floor_divide(x, number).numpy() for number in scalars]),
             np.array([numbers // dtype(number) for number in scalars]))


for type_of_integers in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
    check_divisions(type_of_integers)
functions_of_type.run("?bBhHiIlL")
