# SPDX-License-Identifier: BSD-3-Clause
"""Making matrices from entries on any ranks, from arrays, dense matrices and stencils; their properties; and errors."""

import ctypes
import itertools
import os
import tempfile

import binding
import matrices
import maniple as mp
import numpy as np
import scipy.sparse
from matrices import Sparse

rng = mp.random()


def integers(low, high, n):
    return [int(i) for i in rng.integers(low, high, n)]


def shape_of_something():
    shapes = [(0, 0), (0, 4), (4, 0), (1, 1), (2, 9), (9, 2), (3, 3), (17, 17), (40, 23), (23, 40), (100, 100)]
    return shapes[int(rng.integers(len(shapes)))]


def exact(n, dtype):
    """Numbers whose sums are exact in any order; a sum of others may cancel, and have a large relative error."""
    return np.round(32 * matrices.numbers(rng, n, dtype)) / 32


# Entries in any order, on any rank, with duplicates, which are added as by SciPy's tocsr()
for dtype, _ in itertools.product(matrices.DTYPES, range(5)):
    shape = shape_of_something()
    count = int(rng.integers(0, 4 * max(shape))) if min(shape) else 0
    coo = scipy.sparse.coo_array((exact(count, dtype), (integers(0, max(shape[0], 1), count),
                                                        integers(0, max(shape[1], 1), count))), shape)
    made = matrices.sparse(coo, rng, matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1]))
    matrices.check(f"{count} entries of {dtype} in {shape}", made, coo)
    box, = made.layout("column_layout").box(mp.rank)
    columns = set(made.local().indices) - set(range(box.start, box.stop))
    mp.ok(mp.sparse_ghosts(made) == len(columns), f"ghosts are the columns of others: {shape}")

long_row = scipy.sparse.coo_array((np.ones(5000), (np.full(5000, 3), rng.integers(0, 700, 5000))), (5, 700))
matrices.check("a long row with many duplicates", matrices.sparse(long_row, rng), long_row)

# More entries than a warp, a block or a tile takes at once: long rows, long runs of empty rows, duplicates
for dtype, shape in zip(itertools.cycle(matrices.DTYPES), [(3000, 900), (9000, 40), (70, 5000), (1, 3000)]):
    rows = np.concatenate([rng.integers(0, shape[0], 6000) // 500 * 500, rng.integers(0, shape[0], 6000)])
    values = np.round(8 * matrices.numbers(rng, 12000, dtype))  # sums of integers are exact
    coo = scipy.sparse.coo_array((values, (rows, rng.integers(0, shape[1], 12000))), shape)
    matrices.check(f"12000 entries of {dtype} in {shape}",
                   matrices.sparse(coo, rng, matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1])), coo)

# More columns than 32 bits can count; a rank may not own so many
columns = mp.size * 3 * 2 ** 29
if mp.size > 1:
    j = [int(c) for c in rng.integers(0, columns, 50)] + [0, columns - 1] * 3
    wide = scipy.sparse.coo_array((exact(56, "float64"), (rng.integers(0, 9, 56), j)), (9, columns))
    matrices.check(f"{columns} columns", matrices.sparse(wide, rng), wide)
mp.fails("MNP_ERR_UNSUPPORTED", "columns; more than", mp.sparse_from_triplets, "float64", 3, 2 * columns, None, None, 0,
         [], [], np.ones(1))

zeros = scipy.sparse.coo_array((np.array([0.0, 1, -1, 0]), ([0, 1, 1, 2], [0, 1, 1, 2])), (3, 3))
matrices.check("zeros that are given stay, and those that come of a sum", matrices.sparse(zeros, rng), zeros)
mp.ok(mp.sparse_nnz(matrices.sparse(zeros, rng)) == 3, "and are counted")

# Three arrays
for dtype in matrices.DTYPES:
    shape = (12, 7)
    i, j, v = rng.integers(0, 12, 30), rng.integers(0, 7, 30), exact(30, dtype)
    made = Sparse(mp.sparse_from_coo(mp.array(i, mp.random_layout(rng, (30,))), mp.array(j.astype("int32")),
                                     mp.array(v, mp.random_layout(rng, (30,))), *shape))
    matrices.check(f"from three arrays, {dtype}", made, scipy.sparse.coo_array((v, (i, j)), shape))

# Long rows, and many entries of each place, which are added one after the other in the order of the arrays
count, shape = 200000, (50, 400)
i, j, v = rng.integers(0, shape[0], count), rng.integers(0, shape[1], count) // 9 * 9, rng.standard_normal(count)
want = np.zeros(shape)
np.add.at(want, (i, j), v)
made = Sparse(mp.sparse_from_coo(mp.array(i), mp.array(j), mp.array(v), *shape))
mp.check("many entries, to the last bit", mp.sparse_to_dense(made), want)

# Dense
for dtype, shape in itertools.product(matrices.DTYPES, [(0, 3), (3, 0), (1, 5), (20, 13)]):
    a = matrices.random_matrix(rng, *shape, dtype).toarray()
    made = Sparse(mp.sparse_from_dense(mp.array(a, mp.random_layout(rng, shape))))
    matrices.check(f"from a dense array of {dtype} {shape}", made, scipy.sparse.csr_array(a))
    mp.check(f"and back, {dtype} {shape}", mp.sparse_to_dense(made), a)

# The identity
for nrows, ncolumns, k in [(5, 5, 0), (5, 9, 2), (9, 5, -3), (3, 4, 4), (3, 4, -9), (0, 3, 0), (2, 2, 1)]:
    want = scipy.sparse.eye_array(nrows, ncolumns, k=k, dtype="float32") if -nrows < k < ncolumns else \
        scipy.sparse.csr_array((nrows, ncolumns), dtype="float32")
    matrices.check(f"eye({nrows}, {ncolumns}, {k})", Sparse(mp.sparse_eye("float32", nrows, ncolumns, k)), want)


# Stencils
def stencil(shape, offsets, coefficients):
    """The matrix of a stencil, made point by point."""
    want = scipy.sparse.dok_array((int(np.prod(shape)),) * 2, dtype=coefficients.dtype)
    for index in itertools.product(*(range(n) for n in shape)):
        for offset, value in zip(offsets, coefficients):
            other = np.add(index, offset)
            if all(0 <= o < n for o, n in zip(other, shape)):
                want[np.ravel_multi_index(index, shape), np.ravel_multi_index(other, shape)] = value
    return want.tocsr()


for shape, reach in [((7,), 2), ((4, 5), 1), ((5, 1), 1), ((3, 2, 4), 1), ((1, 1), 1), ((6, 2), 3)]:
    dtype = matrices.DTYPES[int(rng.integers(len(matrices.DTYPES)))]
    offsets = list(itertools.product(range(-reach, reach + 1), repeat=len(shape)))
    offsets = [offsets[k] for k in rng.permutation(len(offsets))[:9]]
    values = matrices.numbers(rng, len(offsets), dtype)
    made = Sparse(mp.csr_from_stencil(dtype, len(shape), shape, None, len(offsets), [o for p in offsets for o in p], values))
    matrices.check(f"a stencil of {len(offsets)} points on {shape}", made, stencil(shape, offsets, values))
far = Sparse(mp.csr_from_stencil("float64", 1, [3], None, 3, [-2 ** 62, 0, 2 ** 62], np.ones(3)))
matrices.check("neighbours beyond everything", far, scipy.sparse.eye_array(3))

# Errors
one, two = np.ones(1), np.ones(2)
mp.fails("MNP_ERR_ARG", "float16", mp.sparse_from_triplets, "float16", 3, 3, None, None, 0, [], [], one)
mp.fails("MNP_ERR_ARG", "entry 1 is in row 3; there are 3", mp.sparse_from_triplets, "float64", 3, 3, None, None, 2,
         [0, 3], [0, 0], two)
mp.fails("MNP_ERR_ARG", "entry 0 is in column -1; there are 5", mp.sparse_from_triplets, "float64", 3, 5, None, None, 1,
         [0], [-1], one)
if mp.size > 1:
    try:
        mp.sparse_from_triplets("float64", 3, 3, None, None, 1, [7 if mp.rank == 1 else 0], [0], one)
        good = False
    except binding.Error as error:
        good = error.status == ("MNP_ERR_ARG" if mp.rank == 1 else "MNP_ERR_PEER") and "row 7" in error.message
    mp.ok(good, "an index that is wrong on one rank is an error on all")
mp.fails("MNP_ERR_ARG", "-1 rows", mp.sparse_from_triplets, "float64", -1, 3, None, None, 0, [], [], one)
mp.fails("MNP_ERR_ARG", "columns is NULL", mp.sparse_from_triplets, "float64", 3, 3, None, None, 1, [0], None, one)
mp.fails("MNP_ERR_ARG", "row layout", mp.sparse_from_triplets, "float64", 3, 3, mp.Layout([mp.size], [4], [0]), None, 0,
         [], [], one)
if mp.size > 1:
    mp.fails("MNP_ERR_ARG", "one part for each rank", mp.sparse_from_triplets, "float64", 3, 3,
             mp.layout_replicated(mp.size, 1, [3]), None, 0, [], [], one)
mp.fails("MNP_ERR_ARG", "and one length", mp.sparse_from_coo, mp.array(np.arange(3)), mp.array(np.arange(2)),
         mp.array(np.ones(3)), 5, 5)
mp.fails("MNP_ERR_ARG", "integers", mp.sparse_from_coo, mp.array(np.ones(3)), mp.array(np.arange(3)),
         mp.array(np.ones(3)), 5, 5)
mp.fails(("MNP_ERR_ARG", "MNP_ERR_PEER"), "entry 5 is in row 5", mp.sparse_from_coo, mp.array(np.arange(6)),
         mp.array(np.arange(6)), mp.array(np.ones(6)), 5, 9)
mp.fails("MNP_ERR_ARG", "not two", mp.sparse_from_dense, mp.array(np.ones(3)))
mp.fails("MNP_ERR_ARG", "int64", mp.sparse_from_dense, mp.array(np.ones((3, 3), "int64")))
mp.fails("MNP_ERR_ARG", "points 0 and 1 are the same", mp.csr_from_stencil, "float64", 1, [3], None, 2, [1, 1], two)
mp.fails("MNP_ERR_ARG", "ndim is 0", mp.csr_from_stencil, "float64", 0, [3], None, 1, [1], one)

# ---- a warning where one rank has nearly all entries ----
def warnings_of(call):
    """What the call writes to standard error on this rank."""
    with tempfile.TemporaryFile() as file:
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            made = call()
        finally:
            os.dup2(before, 2)
            os.close(before)
        file.seek(0)
        return file.read().decode(), made


many = np.arange(120000)
for name, i, j, shape, uneven in (("ten rows have all entries", many // 12000, many % 12000, (4000, 12000), True),
                                  ("all rows have one", many, many, (120000, 120000), False)):
    given = [mp.array(i), mp.array(j), mp.array(np.ones(120000, "float32"))]
    told, made = warnings_of(lambda: Sparse(mp.sparse_from_coo(*given, *shape)))
    warned = "rank 0 has 100 % of the 120000 entries" in told and "mnp_sparse_balance()" in told
    mp.ok(warned == (uneven and mp.size > 1 and mp.rank == 0), f"{name}: " + ("a warning" if uneven else "no warning"))
    del given, made
matrices.done()
