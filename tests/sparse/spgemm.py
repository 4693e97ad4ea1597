# SPDX-License-Identifier: BSD-3-Clause
"""Products of two sparse matrices, compared with SciPy's: rows of all lengths, all dtypes, and random layouts."""

import matrices
import maniple as mp
import numpy as np
import scipy.sparse
from matrices import Sparse

rng = mp.random()


def bring(a, fmt="CSR", columns=True):
    made = matrices.sparse(a, rng, matrices.cut(rng, a.shape[0]), matrices.cut(rng, a.shape[1]) if columns else None)
    return made if fmt == "CSR" else Sparse(mp.sparse_convert(made, getattr(mp, "MNP_" + fmt), 0))


def ones(a):
    return scipy.sparse.csr_array((np.ones(len(a.indices)), a.indices, a.indptr), a.shape)


def product(name, a, b, c, sizes=None):
    """
    Test points: c is a @ b, with an entry wherever there are products, and with sums as accurate as their numbers of
    terms allow.
    """
    a, b = scipy.sparse.csr_array(a), scipy.sparse.csr_array(b)
    wide = np.result_type(a.dtype, b.dtype)
    terms = scipy.sparse.csr_array(ones(a) @ ones(b))
    terms.sort_indices()
    box, = c.layout("row_layout").box(mp.rank)
    rows, got = terms[box.start:box.stop], c.local()
    mp.ok(c.shape == terms.shape and c.dtype == wide and mp.sparse_nnz(c) == terms.nnz, f"{name}: shape and entries")
    same = np.array_equal(got.indptr, rows.indptr) and np.array_equal(got.indices, rows.indices)
    own, = c.layout("column_layout").box(mp.rank)
    others = np.unique(rows.indices[(rows.indices < own.start) | (rows.indices >= own.stop)])
    mp.ok(mp.sparse_ghosts(c) == len(others), f"{name}: ghosts are the columns that there are")
    if mp.ok(same, f"{name}: pattern"):
        want, size = (stored(x[box.start:box.stop] @ y, rows) for x, y in
                      ((a.astype(wide), b.astype(wide)), sizes or (abs(a), abs(b))))
        bound = 4 * (rows.data + (100 if sizes else 4)) * np.finfo(wide).eps * size
        mp.ok(bool(np.all(np.abs(got.data - want) <= bound)), f"{name}: values")


def stored(a, pattern):
    """The values of a matrix in the order of a pattern that includes all of its entries."""
    a = scipy.sparse.csr_array(a)
    width = np.int64(a.shape[1])
    from_, to = (np.repeat(np.arange(m.shape[0], dtype=np.int64), np.diff(m.indptr)) * width + m.indices
                 for m in (a, pattern))
    values = np.zeros(len(to), a.dtype)
    values[np.searchsorted(to, from_)] = a.data
    return values


def multiply(name, a, b, formats=("CSR", "CSR")):
    left, right = bring(a, formats[0]), bring(b, formats[1])
    c = Sparse(mp.sparse_matmul_sparse(left, right))
    product(name, a, b, c)
    return c


# Shapes, layouts, formats and dtypes, also mixed
for m, k, n in [(0, 0, 0), (0, 3, 2), (3, 0, 2), (3, 2, 0), (1, 1, 1), (2, 1, 2), (1, 40, 1), (7, 3, 90), (60, 80, 40),
                (90, 3, 7), (3, 200, 5)]:
    dtype, other = (matrices.DTYPES[i] for i in rng.integers(0, len(matrices.DTYPES), 2))
    f, g = (matrices.FORMATS[i] for i in rng.integers(0, 6, 2))
    a, b = matrices.random_matrix(rng, m, k, dtype), matrices.random_matrix(rng, k, n, other)
    if "DIA" in (f, g) or "BSR" in (f, g): # these do not store zeros
        a.eliminate_zeros(), b.eliminate_zeros()
    multiply(f"({m}, {k}) {dtype} {f} by ({k}, {n}) {other} {g}", a, b, (f, g))
for dtype in matrices.DTYPES:
    a, b = (matrices.random_matrix(rng, *shape, dtype, 0.1) for shape in ((150, 120), (120, 170)))
    multiply(f"random, {dtype}", a, b)
    a = matrices.laplacian(9, 8, dtype)
    made = bring(a, columns=False)
    square = Sparse(mp.sparse_matmul_sparse(made, made))
    product(f"laplacian squared, {dtype}", a, a, square)
    product(f"and once more, {dtype}", a @ a, a, Sparse(mp.sparse_matmul_sparse(square, made)))
    product(f"and from the left, {dtype}", a, a @ a, Sparse(mp.sparse_matmul_sparse(made, square)))



# Chains of matrices that are not square, layouts with empty ranks, and duplicate entries
def ends(n, first):
    """A layout in which the first rank or the last owns everything."""
    return mp.Layout([mp.size], [n], [0], [[0] + [n if first else 0] * (mp.size - 1) + [n]])


for dtype, other in (("float32", "complex128"), ("complex64", "float64"), ("float64", "float64")):
    a, b, c = (matrices.random_matrix(rng, *shape, kind, 0.15) for shape, kind in
               (((50, 80), dtype), ((80, 30), other), ((30, 120), dtype)))
    for kind in ("uneven", "empty ranks"):
        x, y, z = (bring(m) if kind == "uneven" else
                   matrices.sparse(m, rng, ends(m.shape[0], i == 1), ends(m.shape[1], i != 1))
                   for i, m in enumerate((a, b, c)))
        name = f"a chain of {dtype} and {other}, {kind}"
        left, right = Sparse(mp.sparse_matmul_sparse(x, y)), Sparse(mp.sparse_matmul_sparse(y, z))
        product(f"{name}: a b", a, b, left)
        product(f"{name}: (a b) c", a @ b, c, Sparse(mp.sparse_matmul_sparse(left, z)), (abs(a) @ abs(b), abs(c)))
        product(f"{name}: a (b c)", a, b @ c, Sparse(mp.sparse_matmul_sparse(x, right)), (abs(a), abs(b) @ abs(c)))
twice = scipy.sparse.coo_array((matrices.numbers(rng, 400, "complex64"), rng.integers(0, 20, (2, 400))), (20, 20))
made = matrices.sparse(twice, rng, matrices.cut(rng, 20), matrices.cut(rng, 20))
product("of matrices whose entries were given several times", twice, twice, Sparse(mp.sparse_matmul_sparse(made, made)))
few = scipy.sparse.csr_array(([2.0, 3.0], ([0, 4], [39, 0])), (5, 40))
multiply("a few rows of many", few, matrices.random_matrix(rng, 40, 60, "float64", 0.3))
multiply("no entries by some", scipy.sparse.csr_array((6, 40)), matrices.random_matrix(rng, 40, 9, "float64"))
multiply("some by no entries", matrices.random_matrix(rng, 9, 40, "float64"), scipy.sparse.csr_array((40, 6)))


def rows_of_lengths(lengths, ncolumns, dtype="float64"):
    """A matrix whose rows have given numbers of entries, in random columns."""
    columns = [np.sort(rng.choice(ncolumns, length, replace=False)) for length in lengths]
    offsets = np.concatenate(([0], np.cumsum([len(c) for c in columns])))
    return scipy.sparse.csr_array((matrices.numbers(rng, int(offsets[-1]), dtype),
                                   np.concatenate(columns + [np.zeros(0, np.int64)]), offsets), (len(lengths), ncolumns))


# Rows of all lengths: from few products to more than tables hold, and close to what they hold
for dtype in ("float64", "complex64"):
    b = rows_of_lengths(np.full(9000, 4), 40000, dtype)
    lengths = [0, 1, 2, 8, 9, 32, 33, 100, 128, 130, 260, 513, 700, 2100, 9000, 0, 5000, 3]
    multiply(f"rows of up to 9000 entries by rows of 4, {dtype}", rows_of_lengths(lengths, 9000, dtype), b)
narrow = rows_of_lengths(np.full(5000, 5), 37, "float32")
multiply("many products for few columns", rows_of_lengths([5000, 1, 4000, 0, 77], 5000, "float32"), narrow)
wide = rows_of_lengths([30000, 0, 12000, 1, 7], 50000)
multiply("few rows that are long", rows_of_lengths([5, 1, 2, 3, 0, 4], 5), wide)
lengths = np.minimum((rng.pareto(1.0, 1500) * 2).astype(int), 600)
power = rows_of_lengths(lengths, 1500)
power = scipy.sparse.csr_array(power[:, np.sort((1500 * rng.random(1500) ** 3).astype(int))])
power.sum_duplicates()
multiply("rows and columns by a power law", power, power)

# Sums are taken in a fixed order, so results have the same bits in every run
left, right = bring(power), bring(power)
first, second = (Sparse(mp.sparse_matmul_sparse(left, right)).local() for _ in range(2))
mp.ok(np.array_equal(first.data.view(np.int64), second.data.view(np.int64)), "the same product has the same bits")

# They are also the same in any layout: sums are taken in the order of the columns, whoever owns them
for dtype in matrices.DTYPES:
    a, b = (matrices.random_matrix(rng, *shape, dtype, 0.2) for shape in ((90, 70), (70, 80)))
    bits = []
    for rows, middle, columns in ((ends(90, True), ends(70, True), ends(80, True)), (None, None, None),
                                  tuple(matrices.cut(rng, n) for n in (90, 70, 80))):
        c = Sparse(mp.sparse_matmul_sparse(matrices.sparse(a, np.random.default_rng(1), rows, middle),
                                           matrices.sparse(b, np.random.default_rng(2), middle, columns)))
        whole = Sparse(mp.sparse_redistribute(c, ends(90, True), ends(80, True))).local()
        bits.append((whole.indptr.tobytes(), whole.indices.tobytes(), whole.data.tobytes()))
    mp.ok(bits[0] == bits[1] == bits[2], f"the same bits however the matrices are cut, {dtype}")

# Columns that are far apart, in a range that does not begin at 0
far = scipy.sparse.csr_array((np.arange(1.0, 7), np.array([0, 999999, 3, 500000, 999998, 999999]), [0, 2, 3, 6]),
                             (3, 1000000))
multiply("columns far from one another", rows_of_lengths([3, 2, 1, 0, 3], 3), far)

if mp.size > 2: # a rank's own columns are counted in 32 bits
    n = 6_000_000_000
    a, columns = rows_of_lengths([3, 2, 1, 0, 3], 3), np.array([5, n - 1, 1 << 32, 5, n // 3 * 2])
    b = scipy.sparse.csr_array((np.arange(1.0, 6), columns, [0, 2, 3, 5]), (3, n))
    c = Sparse(mp.sparse_matmul_sparse(matrices.sparse(a, rng), matrices.sparse(b, rng)))
    named, numbers = np.unique(columns, return_inverse=True)
    box, = c.layout("row_layout").box(mp.rank)
    want = (a @ scipy.sparse.csr_array((b.data, numbers, b.indptr), (3, len(named))))[box.start:box.stop]
    want.sort_indices()
    got = c.local()
    mp.ok(np.array_equal(got.indptr, want.indptr) and np.array_equal(got.indices, named[want.indices])
          and np.allclose(got.data, want.data, 1e-14), "columns that 32 bits do not count")

# Sums that are 0 are stored, as are products of stored zeros
minus = scipy.sparse.csr_array(np.array([[1.0, 1.0], [2.0, 0.0]]))
same = scipy.sparse.csr_array(np.array([[3.0, 0.0, 4.0], [-3.0, 0.0, 5.0]]))
c = multiply("a sum that comes to 0", minus, same)
mp.ok(mp.sparse_nnz(c) == 4, "is stored")
mp.ok(mp.sparse_nnz(Sparse(mp.sparse_eliminate_zeros(c))) == 3, "until zeros are eliminated")
zeros = scipy.sparse.csr_array((np.zeros(3), np.array([0, 1, 2]), [0, 1, 2, 3]), (3, 3))
made = bring(zeros)
mp.ok(mp.sparse_nnz(Sparse(mp.sparse_matmul_sparse(made, made))) == 3, "products of zeros are entries")

# The result can be used as any matrix
a = matrices.random_matrix(rng, 200, 200, "float64", 0.03)
made = bring(a)
c = Sparse(mp.sparse_matmul_sparse(made, made))
x = rng.standard_normal(200)
matrices.close("the product times a vector", mp.sparse_matmul(c, mp.array(x)), a @ (a @ x), 500)
matrices.close("and transposed", mp.sparse_matmul_transposed(c, False, mp.array(x)), a.T @ (a.T @ x), 500)
alone = scipy.sparse.block_diag([matrices.laplacian(6, 5)] * mp.size, format="csr")
even = mp.Layout([mp.size], list(alone.shape[:1]), [0], [[30 * r for r in range(mp.size + 1)]])
made = matrices.sparse(scipy.sparse.csr_array(alone), rng, even, even)
mp.ok(mp.sparse_ghosts(made) == 0, "blocks of every rank alone")
c = Sparse(mp.sparse_matmul_sparse(made, made))
product("blocks of every rank alone", alone, alone, c)
mp.ok(mp.sparse_ghosts(c) == 0, "have a product without ghosts")

# A product that does not fit in memory fails on all ranks
tall, flat = (matrices.sparse(scipy.sparse.csr_array(np.ones(shape)), rng) for shape in ((4000, 1), (1, 4000)))
mp.memory_trim(mp.MNP_MEMORY_SCRATCH)
mp.memory_set_limit(mp.MNP_MEMORY_SCRATCH, 1 << 25)
mp.fails("MNP_ERR_MEMORY", "", mp.sparse_matmul_sparse, tall, flat)
mp.memory_set_limit(mp.MNP_MEMORY_SCRATCH, 0)
mp.ok(mp.sparse_nnz(Sparse(mp.sparse_matmul_sparse(tall, flat))) == 16000000, "and then made, with more memory")


def try_product(left, right, limit):
    """Whether a product succeeds while the last rank has little memory; the errors of other ranks name that rank."""
    last = mp.rank == mp.size - 1
    mp.memory_trim(mp.MNP_MEMORY_SCRATCH)
    mp.memory_set_limit(mp.MNP_MEMORY_SCRATCH, limit if last else 0)
    try:
        Sparse(mp.sparse_matmul_sparse(left, right))
        return 1
    except mp.Error as error:
        return 0 if error.status == ("MNP_ERR_MEMORY" if last else "MNP_ERR_PEER") else -1
    finally:
        mp.memory_set_limit(mp.MNP_MEMORY_SCRATCH, 0)


turned = scipy.sparse.csr_array(scipy.sparse.eye_array(1500).tocsr()[rng.permutation(1500)])
left, right = matrices.sparse(turned, rng, ends(1500, False)), Sparse(mp.sparse_from_dense(mp.array(np.ones((1500, 1000)))))
tried = [try_product(left, right, limit << 20) for limit in range(8, 130, 16)]
mp.ok(tried == sorted(tried) and set(tried) == {0, 1}, f"ranks fail together, wherever memory is short: {tried}")
c = Sparse(mp.sparse_matmul_sparse(left, right))
mp.ok(mp.sparse_nnz(c) == 1500000 and bool(np.all(c.local().data == 1)), "and go on")

mp.fails("MNP_ERR_ARG", "shapes (200, 200) and (3, 1000000)", mp.sparse_matmul_sparse, bring(a), bring(far))
mp.fails("MNP_ERR_ARG", "NULL", mp.sparse_matmul_sparse, None, bring(far))
matrices.done()
