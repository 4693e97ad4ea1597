# SPDX-License-Identifier: BSD-3-Clause
"""Conversions between formats, slices and arithmetic of matrices, compared with SciPy's."""

import itertools
import warnings

import matrices
import maniple as mp
import numpy as np
import scipy.sparse
from matrices import Sparse

warnings.simplefilter("ignore", np.exceptions.ComplexWarning if hasattr(np, "exceptions") else np.ComplexWarning)
rng = mp.random()
SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 7), (7, 2), (19, 19), (40, 31), (31, 40)]


def pick(sequence):
    return sequence[int(rng.integers(len(sequence)))]


def random_pair(shape=None, dtype=None, fmt=None):
    """A random matrix of SciPy, and the same as an mnp_sparse, in a random format."""
    shape = shape or pick(SHAPES)
    a = matrices.random_matrix(rng, *shape, dtype or pick(matrices.DTYPES))
    a.sum_duplicates()
    made = matrices.sparse(a, rng, matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1]))
    fmt = fmt or pick(matrices.FORMATS)
    return a, made if fmt == "CSR" else Sparse(mp.sparse_convert(made, getattr(mp, "MNP_" + fmt), 0)), fmt


# Conversions to every format and back
for shape, fmt in itertools.product(SHAPES, matrices.FORMATS):
    a, made, _ = random_pair(shape, fmt=fmt)
    mp.ok(made.format == fmt, f"{shape} is {fmt}")
    matrices.check(f"{shape} as {fmt}", made, a)
    back = Sparse(mp.sparse_convert(made, mp.MNP_CSR, 0))
    matrices.check(f"{shape} as {fmt} and back", back, a)
for block in (1, 2, 3, 5):
    a, made, _ = random_pair((19, 23), fmt="CSR")
    blocks = Sparse(mp.sparse_convert(made, mp.MNP_BSR, block))
    matrices.check(f"blocks of {block}", blocks, a)
    x = matrices.numbers(rng, 23, a.dtype)
    matrices.close(f"blocks of {block}: A @ x", mp.sparse_matmul(blocks, mp.array(x)), a @ x, 50)
zeros = matrices.sparse(scipy.sparse.coo_array((np.array([0.0, 2, 3]), ([0, 1, 2], [2, 1, 0])), (3, 3)), rng)
for fmt in matrices.FORMATS:
    made = Sparse(mp.sparse_convert(zeros, getattr(mp, "MNP_" + fmt), 0))
    mp.ok(mp.sparse_nnz(made) == (2 if fmt in ("DIA", "BSR") else 3), f"{fmt} and a zero that is stored")
matrices.check("zeros are eliminated", Sparse(mp.sparse_eliminate_zeros(zeros)),
               scipy.sparse.coo_array((np.array([2.0, 3]), ([1, 2], [1, 0])), (3, 3)))

# Rows of all lengths, and runs of empty rows, longer than what a warp, a block or a tile takes at once
for dtype, shape in zip(itertools.cycle(matrices.DTYPES), [(2000, 700), (9000, 40), (60, 4000), (700, 2000)]):
    rows = np.concatenate([rng.integers(0, shape[0], 5000) // 300 * 300, rng.integers(0, shape[0], 3000)])
    values = np.round(8 * matrices.numbers(rng, 8000, dtype))  # sums of integers are exact
    a = scipy.sparse.coo_array((values, (rows, rng.integers(0, shape[1], 8000))), shape).tocsr()
    b = a[::-1]  # some entries are at positions of entries of a, others are not
    ours, other = (matrices.sparse(m, rng, matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1])) for m in (a, b))
    name, start, stop = f"8000 entries of {dtype} in {shape}", shape[0] // 3, shape[0] - 5
    matrices.check(f"{name}: transpose", Sparse(mp.sparse_transpose(ours)), a.T)
    matrices.check(f"{name}: tril", Sparse(mp.sparse_tril(ours, 3)), scipy.sparse.tril(a, 3))
    matrices.check(f"{name}: rows", Sparse(mp.sparse_rows(ours, start, stop)), a[start:stop])
    matrices.check(f"{name}: redistribute", Sparse(mp.sparse_redistribute(
        ours, matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1]))), a)
    matrices.check(f"{name}: add", Sparse(mp.sparse_add(None, ours, None, other)), a + b, 16)
    matrices.check(f"{name}: add what cancels", Sparse(mp.sparse_add([0.1, 0], ours, [-0.1, 0], ours)), a * 0,
                   pattern=False)
    matrices.check(f"{name}: multiply", Sparse(mp.sparse_multiply(ours, other)), a.multiply(b), 16)
    left, right = (matrices.numbers(rng, n, dtype) for n in shape)
    matrices.check(f"{name}: scale", Sparse(mp.sparse_scale(ours, mp.array(left), mp.array(right))),
                   a.multiply(left[:, None]).multiply(right), 16)

# Operations on one matrix
for _ in range(12):
    a, made, fmt = random_pair()
    name = f"{a.shape} {a.dtype} {fmt}"
    matrices.check(f"{name}: transpose", Sparse(mp.sparse_transpose(made)), a.T)
    matrices.check(f"{name}: conj", Sparse(mp.sparse_conj(made)), a.conj())
    other = pick(matrices.DTYPES)
    matrices.check(f"{name}: astype {other}", Sparse(mp.sparse_astype(made, other)), a.astype(other))
    matrices.check(f"{name}: abs", Sparse(mp.sparse_abs(made)), abs(a))
    matrices.check(f"{name}: times 2.5", Sparse(mp.sparse_times([2.5, 0], made)), a * a.dtype.type(2.5))
    wide = np.result_type(a.dtype, np.complex64)
    matrices.check(f"{name}: times 1 - 2i", Sparse(mp.sparse_times([1, -2], made)), a.astype(wide) * wide.type(1 - 2j), 16)
    mp.check(f"{name}: to_dense", mp.sparse_to_dense(made), a.toarray())
    k = int(rng.integers(-a.shape[0] - 1, a.shape[1] + 2))
    matrices.check(f"{name}: tril {k}", Sparse(mp.sparse_tril(made, k)), scipy.sparse.tril(a, k))
    matrices.check(f"{name}: triu {k}", Sparse(mp.sparse_triu(made, k)), scipy.sparse.triu(a, k))
    mp.check(f"{name}: diagonal {k}", mp.sparse_diagonal(made, k), np.diagonal(a.toarray(), k)
             if -a.shape[0] <= k <= a.shape[1] else np.zeros(0, a.dtype))
    start, stop = (int(i) for i in rng.integers(-a.shape[0] - 1, a.shape[0] + 3, 2))
    matrices.check(f"{name}: rows {start}:{stop}", Sparse(mp.sparse_rows(made, start, stop)), a[start:stop])
    moved = Sparse(mp.sparse_redistribute(made, matrices.cut(rng, a.shape[0]), matrices.cut(rng, a.shape[1])))
    matrices.check(f"{name}: redistribute", moved, a)
    mp.ok(moved.format == fmt, f"{name}: redistribution keeps the format")
    left, right = (matrices.numbers(rng, n, pick(matrices.DTYPES)) for n in a.shape)
    wide = np.result_type(a.dtype, left.dtype, right.dtype)
    scaled = a.astype(wide).multiply(left.astype(wide)[:, None]).multiply(right.astype(wide)) if all(a.shape) else a.astype(wide)
    matrices.check(f"{name}: scale", Sparse(mp.sparse_scale(made, mp.array(left, mp.random_layout(rng, left.shape)), mp.array(
        right, mp.random_layout(rng, right.shape)))), scaled, 16)
    wide = np.result_type(a.dtype, left.dtype)
    scaled = a.astype(wide).multiply(left.astype(wide)[:, None]) if all(a.shape) else a.astype(wide)
    matrices.check(f"{name}: scale rows", Sparse(mp.sparse_scale(made, mp.array(left), None)), scaled, 16)
    for axis in (0, 1):
        matrices.close(f"{name}: sum along {axis}", mp.sparse_sum(made, axis), a.toarray().sum(axis), 50)
    matrices.close(f"{name}: sum", mp.sparse_sum(made, -1), a.toarray().sum(), 500)
    dense = np.abs(a.toarray()).astype("float64")
    for which, want in (("f", np.sqrt((dense ** 2).sum())), ("1", dense.sum(0).max(initial=0)),
                        ("i", dense.sum(1).max(initial=0)), ("m", dense.max(initial=0))):
        got = mp.sparse_norm(made, which.encode())
        mp.ok(abs(got - want) <= 1e-6 * want, f"{name}: norm {which}")

# Diagonals: missing entries, stored zeros and NaN, and elements in other ranks' columns
for dtype, fmt in itertools.product(matrices.DTYPES, matrices.FORMATS):
    rows, columns = 70, 90
    a = matrices.random_matrix(rng, rows, columns, dtype, 0.4).toarray()
    a[[3, 40], [3, 40]], a[[5, 69], [5, 69]], a[6, 6], a[[8, 50], [19, 61]] = 0, np.nan, 1e30, np.inf
    coo = scipy.sparse.coo_array(a)
    i, j = (np.append(found, [3, 33]) for found in (coo.row, coo.col)) # also zeros, which are stored or added
    stored = scipy.sparse.coo_array((np.append(coo.data, np.zeros(2, dtype)), (i, j)), a.shape)
    made = Sparse(mp.sparse_convert(matrices.sparse(stored, rng, matrices.cut(rng, rows), matrices.cut(rng, columns)),
                                    getattr(mp, "MNP_" + fmt), 0))
    for k in (0, 11, -50, columns - 1, 1 - rows):
        mp.check(f"{dtype} {fmt}: diagonal {k}", mp.sparse_diagonal(made, k), np.diagonal(a, k))
    out = mp.zeros("complex128", 1, [rows])
    mp.sparse_diagonal(made, 0, out=out)
    mp.check(f"{dtype} {fmt}: a diagonal to an array that is there", out, np.diagonal(a).astype("complex128"))

# Matrices that share their structure: each has values of its own, and stays when the others are gone
for shape, fmt in itertools.product([(0, 3), (3, 0), (2, 7), (40, 31), (31, 40)], matrices.FORMATS):
    a, made, _ = random_pair(shape, fmt=fmt)
    name, x = f"{shape} {a.dtype} {fmt}", matrices.numbers(rng, shape[1], a.dtype)
    values = mp.sparse_values(made)
    mp.ok(values.shape == (a.nnz,) and values.dtype == a.dtype, f"{name}: values in one dimension")
    same = Sparse(mp.sparse_with_values(made, values))
    matrices.check(f"{name}: with its values", same, a)
    mp.ok(same.format == (fmt if fmt in ("CSR", "CSC", "COO") else "CSR"), f"{name}: {same.format} with its values")
    moved = mp.array(values.numpy().astype("complex128") * 3, mp.random_layout(rng, (a.nnz,)))
    matrices.check(f"{name}: with others, from any layout", Sparse(mp.sparse_with_values(made, moved)), a.astype("complex128") * 3)
    double, narrow = Sparse(mp.sparse_times([2, 0], made)), Sparse(mp.sparse_astype(made, "complex64"))
    for again in range(2):  # the first product finds which ghosts ranks send
        for what, matrix, want in (("A", made, a), ("2 A", double, 2 * a), ("complex64", narrow, a.astype("complex64"))):
            wide = np.result_type(want.dtype, x.dtype)
            matrices.close(f"{name}: {what} @ x", mp.sparse_matmul(matrix, mp.array(x)), want.astype(wide) @ x.astype(wide), 50)
    matrices.check(f"{name}: A times 2 A", Sparse(mp.sparse_multiply(made, double)), a.multiply(2 * a), 16)
    matrices.check(f"{name}: A + 2 A", Sparse(mp.sparse_add(None, made, None, double)), a + 2 * a, 4)
    none = Sparse(mp.sparse_add([-2, 0], made, None, double))
    mp.ok(mp.sparse_nnz(none) == 0, f"{name}: 2 A - 2 A has no entries")
    part = matrices.numbers(rng, a.nnz, a.dtype) * (rng.random(a.nnz) < 0.9)
    holed = Sparse(mp.sparse_with_values(made, mp.array(part)))
    kept = mp.sparse_to_dense(holed).numpy()
    product = Sparse(mp.sparse_multiply(holed, holed))
    matrices.close(f"{name}: squares, of which some are 0", mp.sparse_to_dense(product), kept * kept, 16)
    mp.ok(mp.sparse_nnz(product) == np.count_nonzero(kept), f"{name}: and not stored")
    transposed = mp.sparse_matmul_transposed(made, False, mp.array(matrices.numbers(rng, shape[0], a.dtype)))
    kept = Sparse(mp.sparse_transpose(made))
    del made, same, transposed
    matrices.check(f"{name}: the transpose beside that of products", kept, a.T)
    matrices.check(f"{name}: 2 A remains", double, 2 * a)
    matrices.close(f"{name}: and multiplies", mp.sparse_matmul(double, mp.array(x)), 2 * a @ x, 50)

# Operations on two matrices
for _ in range(12):
    a, left, f = random_pair()
    b, right, g = random_pair(a.shape)
    name = f"{a.shape} {a.dtype} {f} and {b.dtype} {g}"
    matrices.check(f"{name}: add", Sparse(mp.sparse_add(None, left, None, right)), a + b, 4)
    wide = np.result_type(a.dtype, b.dtype)
    a_, b_ = (m.astype(np.result_type(wide, "float64")) for m in (a, b))  # the type of the computation, before rounding
    # magnitudes are below 5, so a few rounding errors of sums below 25 are allowed
    matrices.close(f"{name}: 2 a - 3 b", mp.sparse_to_dense(Sparse(mp.sparse_add([2, 0], left, [-3, 0], right))),
                   (2 * a_ - 3 * b_).astype(wide).toarray(), 12)
    matrices.close(f"{name}: i a + b", mp.sparse_to_dense(Sparse(mp.sparse_add([0, 1], left, [1, 0], right))),
                   (1j * a_ + b_).astype(np.result_type(wide, "complex64")).toarray(), 12)
    matrices.check(f"{name}: multiply", Sparse(mp.sparse_multiply(left, right)), a.multiply(b), 16)
    c, third, h = random_pair((a.shape[1], pick([0, 1, 5, 33])))
    product = Sparse(mp.sparse_matmul_sparse(left, third))
    want = scipy.sparse.csr_array(a @ c)
    matrices.close(f"{name} by {c.shape} {c.dtype} {h}: matmul", mp.sparse_to_dense(product), want.toarray(), 50)
    mp.ok(mp.sparse_nnz(product) == (abs(a).sign() @ abs(c).sign()).nnz, f"{name}: entries of the product")
a, made, _ = random_pair((300, 300), "float64", "CSR")
matrices.close("a larger product", mp.sparse_to_dense(Sparse(mp.sparse_matmul_sparse(made, made))), (a @ a).toarray(), 500)

# Taken apart, and put together
for _ in range(6):
    a, made, fmt = random_pair()
    name = f"{a.shape} {a.dtype} {fmt}"
    rows, columns, values = mp.sparse_to_coo(made)
    mp.check(f"{name}: entries", (rows, columns, values),
             (np.repeat(np.arange(a.shape[0]), np.diff(a.indptr)), a.indices.astype(np.int64), a.data))
    matrices.check(f"{name}: and back", Sparse(mp.sparse_from_coo(rows, columns, values, *a.shape)), a)
    b, other, fmt = random_pair(pick(SHAPES[:7]))
    wide = np.result_type(a.dtype, b.dtype)
    matrices.check(f"{name}: kron with {b.shape} {b.dtype} {fmt}", Sparse(mp.sparse_kron(made, other)),
                   scipy.sparse.kron(a.astype(wide), b.astype(wide), "csr").astype(wide), 16)
    for axis, extent in enumerate(a.shape):
        chosen = rng.integers(-extent, extent, 9) if extent else np.zeros(0, int)
        wanted = a[chosen] if axis == 0 else a[:, chosen]
        matrices.check(f"{name}: {len(chosen)} chosen along {axis}", Sparse(mp.sparse_take(made, mp.array(
            chosen, mp.random_layout(rng, chosen.shape)), axis)), wanted)
    below, right = random_pair((7, a.shape[1])), random_pair((a.shape[0], 2))
    wide = np.result_type(a.dtype, below[0].dtype, right[0].dtype)
    matrices.check(f"{name}: blocks", Sparse(mp.sparse_block(2, 2, [made, right[1], below[1], None])),
                   scipy.sparse.bmat([[a, right[0]], [below[0], None]], "csr", wide))
a, made, _ = random_pair((19, 19), "float64", "CSR")
matrices.check("blocks on a diagonal", Sparse(mp.sparse_block(3, 3, [made, None, None, None, made, None, None, None, made])),
               scipy.sparse.block_diag([a] * 3, "csr"))
_, other, _ = random_pair((7, 2), "float64", "CSR")
mp.fails("MNP_ERR_ARG", "block (0, 1) has 7 rows, and another block beside it has 19", mp.sparse_block, 1, 2, [made, other])
mp.fails("MNP_ERR_ARG", "no block in column 1", mp.sparse_block, 1, 2, [made, None])
mp.fails("MNP_ERR_ARG", "all blocks are NULL", mp.sparse_block, 1, 1, [None])
mp.fails("MNP_ERR_ARG", "0 x 3 blocks", mp.sparse_block, 0, 3, [made])
for wrong in (19, -20):
    mp.fails("MNP_ERR_ARG", "out of bounds: the matrix has 19 rows", mp.sparse_take, made, mp.array(np.array([3, wrong])), 0)
mp.fails("MNP_ERR_ARG", "axis is 2", mp.sparse_take, made, mp.array(np.arange(2)), 2)
mp.fails("MNP_ERR_ARG", "integers", mp.sparse_take, made, mp.array(np.ones(2)), 0)

# Balancing
for rows in (0, 1, 5, 200):
    lengths = np.minimum((rng.pareto(1.0, rows) * 3).astype(int), 50)
    i = np.repeat(np.arange(rows), lengths)
    a = scipy.sparse.coo_array((np.ones(len(i)), (i, rng.integers(0, 1000, len(i)))), (rows, 1000)).tocsr()
    made = matrices.sparse(a, rng)
    layout = mp.sparse_balance(made)
    parts = [int(a.indptr[layout.box(r)[0].stop] - a.indptr[layout.box(r)[0].start]) if rows else 0 for r in range(mp.size)]
    most = max([int(n) for n in np.diff(a.indptr)] + [0])
    mp.ok(sum(parts) == a.nnz and max(parts) <= a.nnz / mp.size + most, f"balance of {rows} rows: {parts}")
    matrices.check(f"balanced: {rows} rows", Sparse(mp.sparse_redistribute(made, layout, None)), a)

# Errors
a, made, _ = random_pair((7, 2), "float64", "CSR")
b, other, _ = random_pair((2, 7), "float64", "CSR")
mp.fails("MNP_ERR_ARG", "shapes (7, 2) and (2, 7)", mp.sparse_add, None, made, None, other)
mp.fails("MNP_ERR_ARG", "shapes (7, 2) and (2, 7)", mp.sparse_multiply, made, other)
mp.fails("MNP_ERR_ARG", "shapes (7, 2) and (7, 2)", mp.sparse_matmul_sparse, made, made)
mp.fails("MNP_ERR_ARG", "17 is not a format", mp.sparse_convert, made, 17, 0)
mp.fails("MNP_ERR_ARG", "block is 65", mp.sparse_convert, made, mp.MNP_BSR, 65)
mp.fails("MNP_ERR_ARG", "axis is 2", mp.sparse_sum, made, 2)
mp.fails("MNP_ERR_ARG", "'x' is none", mp.sparse_norm, made, b"x")
mp.fails("MNP_ERR_ARG", "should be 7", mp.sparse_scale, made, mp.array(np.ones(2)), None)
mp.fails("MNP_ERR_ARG", "float16", mp.sparse_astype, made, "float16")
mp.fails("MNP_ERR_ARG", "NULL", mp.sparse_transpose, None)
mp.fails("MNP_ERR_ARG", f"should be {a.nnz}", mp.sparse_with_values, made, mp.array(np.ones(a.nnz + 1)))
mp.fails("MNP_ERR_ARG", "int64", mp.sparse_with_values, made, mp.array(np.ones(a.nnz, np.int64)))
matrices.done()
