# SPDX-License-Identifier: BSD-3-Clause
"""mnp_array_from_pieces against numpy.concatenate of all ranks' pieces, and mnp_array_accumulate against NumPy's
ufunc.at of all ranks' entries, one rank's after the other's.
"""

import ctypes

import maniple as mp
import numpy as np

rng = mp.random()  # the same numbers on all ranks: each knows all pieces


def pieces_of(lengths, shape, axis, dtype):
    """A piece of random numbers for every rank."""
    made = []
    for length in lengths:
        extents = list(shape)
        extents[axis] = length
        made.append((rng.standard_normal(extents) * 50).astype(dtype))
    return made


def put_together(pieces, axis, even=False, out=None):
    own = np.ascontiguousarray(pieces[mp.rank])
    data = ctypes.c_void_p(own.ctypes.data) if own.size else None
    return mp.array_from_pieces(str(own.dtype), own.ndim, own.shape, axis, data, even, out=out)


def cuts(lengths):
    return [0] + [int(n) for n in np.cumsum(lengths)]


for dtype, shape, axis in (("float64", (1,), 0), ("int8", (3, 5), 0), ("complex64", (3, 5), 1), ("float32", (2, 3, 4), -2),
                           ("bool", (4, 0, 2), 0), ("float16", (2, 2), -1)):
    lengths = [int(n) for n in rng.integers(0, 9, mp.size)]
    pieces = pieces_of(lengths, shape, axis, dtype)
    whole = np.concatenate(pieces, axis)
    made = put_together(pieces, axis)
    mp.check(f"{dtype} {shape} along {axis}, lengths {lengths}", made, whole)
    mp.ok(np.array_equal(made.local(), pieces[mp.rank]), "each rank has its own piece")
    even = put_together(pieces, axis, even=True)
    mp.check("the same in even blocks", even, whole)
    block = mp.layout_block(mp.size, whole.ndim, whole.shape)
    mp.ok(mp.layout_equal(even.layout, block), "whose layout is that of mnp_layout_block()")
    given = mp.array(np.zeros_like(whole), mp.random_layout(rng, whole.shape))
    put_together(pieces, axis, out=given)
    mp.check("to an array of any layout", given, whole)

for lengths in ([0] * mp.size, [0] * (mp.size - 1) + [7], [7] + [0] * (mp.size - 1)):
    pieces = pieces_of(lengths, (2, 1), 1, "float64")
    mp.check(f"lengths {lengths}", put_together(pieces, 1), np.concatenate(pieces, 1))

one = np.ones((2, 3))
address = ctypes.c_void_p(one.ctypes.data)
last = mp.rank == mp.size - 1
layout = mp.layout_from_pieces("float64", 2, [3, mp.rank], -1)
mp.ok(all(tuple(layout.box(r)) == (slice(0, 3), slice(r * (r - 1) // 2, r * (r + 1) // 2)) for r in range(1, mp.size)),
      "the layout of pieces")
if mp.size > 1:
    mp.fails("MNP_ERR_ARG", "may differ along axis 0", mp.layout_from_pieces, "float64", 2, [2, mp.rank], 0)
mp.fails("MNP_ERR_ARG", "axis", mp.array_from_pieces, "float64", 2, [2, 3], 2, address, False)
mp.fails("MNP_ERR_ARG", "axis", mp.array_from_pieces, "float64", 2, [2, 3], -3, address, False)
mp.fails("MNP_ERR_ARG", "dimensions", mp.array_from_pieces, "float64", 0, [2, 3], 0, address, False)
mp.fails("MNP_ERR_ARG", "dimensions", mp.array_from_pieces, "float64", 9, [1] * 9, 0, address, False)
mp.fails("MNP_ERR_ARG", "dtype", mp.array_from_pieces, 99, 2, [2, 3], 0, address, False)
mp.fails("MNP_ERR_ARG", f"rank {mp.size - 1} has -1", mp.array_from_pieces, "float64", 2, [2, -1 if last else 3], 1, address,
         False)
mp.fails("MNP_ERR_ARG", f"is NULL on rank {mp.size - 1}", mp.array_from_pieces, "float64", 2, [2, 3], 0,
         None if last else address, False)
if mp.size > 1:
    mp.fails("MNP_ERR_ARG", "(2, 3) and (2, 2)", mp.array_from_pieces, "float64", 2, [2, 2 if last else 3], 0, address, False)
    mp.fails("MNP_ERR_ARG", "differ in the dtype", mp.array_from_pieces, "int64" if last else "float64", 2, [2, 3], 0, address,
             False)
wrong = mp.array(np.zeros((2 * mp.size + 1, 3)))
mp.fails("MNP_ERR_ARG", "shape", mp.array_from_pieces, "float64", 2, [2, 3], 0, address, False, out=wrong)

# --- entries of any rank ----------------------------------------------------------------------------------------------


def accumulate(function, x, counts, indices, values):
    """The entries of each rank are a part of these."""
    begin = sum(counts[:mp.rank])
    own = slice(begin, begin + counts[mp.rank])
    mine, theirs = (np.ascontiguousarray(part[own]) for part in (indices, values))
    empty = counts[mp.rank] == 0
    mp.array_accumulate(function, x, counts[mp.rank], None if empty else mine,
                        None if empty else ctypes.c_void_p(theirs.ctypes.data))


def check(function, shape, dtype, counts, spread=None):
    """Against NumPy, bit for bit: entries are applied in the order of the ranks."""
    start = np.array(rng.standard_normal(shape) * 20).astype(dtype).reshape(shape)
    total, size = sum(counts), int(np.prod(shape))
    indices = rng.integers(-size, size if spread is None else spread, total) if size else np.zeros(total, int)
    values = (rng.standard_normal(total) * 9).astype(dtype)
    x = mp.array(start, mp.random_layout(rng, shape))
    want = np.array(start)
    getattr(np, function).at(want.reshape(-1), indices, values)
    accumulate(function, x, counts, indices, values)
    mp.check(f"{function} to {dtype} {shape} of {counts}", x, want)


for function, dtype in (("add", "float32"), ("add", "float64"), ("add", "int32"), ("add", "complex128"), ("multiply", "float64"),
                        ("maximum", "float64"), ("minimum", "int8"), ("subtract", "float32"), ("logical_or", "bool")):
    check(function, (7, 9), dtype, [int(n) for n in rng.integers(0, 60, mp.size)])
check("add", (1000,), "float32", [5000] * mp.size)
check("add", (5,), "float32", [900] * mp.size, spread=-4)  # nearly all to one element
check("add", (2, 3, 4), "float64", [0] * mp.size)
check("add", (2, 3), "float64", [0] * (mp.size - 1) + [40])
check("add", (0, 3), "float64", [0] * mp.size)
check("add", (), "float64", [3] * mp.size)

a = np.zeros((4, 5))
x = mp.array(a, mp.random_layout(rng, a.shape))
for bad in (20, -21):
    indices = np.full(2 * mp.size, 3)
    indices[-1] = bad
    mp.fails("MNP_ERR_ARG", str(bad), accumulate, "add", x, [2] * mp.size, indices, np.ones(2 * mp.size))
numbers, ones = np.zeros(2, np.int64), np.ones(2)
pointer = ctypes.c_void_p(ones.ctypes.data)
mp.fails("MNP_ERR_ARG", f"is NULL on rank {mp.size - 1}", mp.array_accumulate, "add", x, 2, numbers,
         None if last else pointer)
mp.fails("MNP_ERR_ARG", f"rank {mp.size - 1} has -2", mp.array_accumulate, "add", x, -2 if last else 2, numbers, pointer)
mp.fails("MNP_ERR_ARG", "mnp_array_accumulate: 'sum' is not", mp.array_accumulate, "sum", x, 2, numbers, pointer)
mp.fails("MNP_ERR_ARG", "mnp_array_accumulate: negative takes no", mp.array_accumulate, "negative", x, 2, numbers, pointer)
mp.fails("MNP_ERR_ARG", "cannot be cast", mp.array_accumulate, "divide", mp.array(np.zeros(3, int)), 2, numbers, pointer)
mp.check("nothing has changed", x, a)
mp.done()
