# SPDX-License-Identifier: BSD-3-Clause
"""Triangular solves, compared with scipy.sparse.linalg.spsolve_triangular, in all formats and layouts."""

import os

os.environ.setdefault("MANIPLE_THREADS", "3")  # from 3 threads on, the host divides large levels among them

import matrices  # noqa: E402
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402
import scipy.sparse.linalg  # noqa: E402
from solving import Handle  # noqa: E402

rng = mp.random()


def vectors(n, width, dtype):
    shape = (n,) if width is None else (n, width)
    return matrices.numbers(rng, int(np.prod(shape)), dtype).reshape(shape)


def triangle(n, dtype, lower, density=0.2):
    """A random triangle with a dominant diagonal, so that solutions are about as large as b."""
    a = matrices.random_matrix(rng, n, n, dtype, density) if n else scipy.sparse.csr_array((0, 0), dtype=dtype)
    a.data = a.data / (8 * max(1, density * n))
    a = (scipy.sparse.tril(a, -1) if lower else scipy.sparse.triu(a, 1)).tocsr()
    diagonal = matrices.numbers(rng, n, dtype) / 8 + 1.5
    return scipy.sparse.csr_array((a + scipy.sparse.diags_array(diagonal, offsets=0, shape=(n, n))).astype(dtype))


def solved(a, b, lower, unit_diagonal):
    """SciPy's solution in double precision."""
    wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    if a.shape[0] == 0 or b.size == 0:
        return np.zeros(b.shape, wide)
    return scipy.sparse.linalg.spsolve_triangular(scipy.sparse.csr_matrix(a.astype(wide)), b.astype(wide), lower,
                                                  unit_diagonal=unit_diagonal)


def close(name, a, got, want, b):
    """A test point: the solution has the common dtype and the accuracy of a sum of so many terms."""
    dtype = np.promote_types(a.dtype, b.dtype)
    terms = 4 + (np.diff(scipy.sparse.csr_array(a).indptr).max(initial=0))
    matrices.close(name, got, want.astype(dtype), 4 * int(terms))


def plan(made, dtype, lower, unit_diagonal, own_blocks=False):
    return Handle(mp.triangular_new(made, dtype, lower, unit_diagonal, own_blocks), mp.triangular_free, made)


def one(n, dtype, fmt, lower, unit_diagonal, width, b_dtype):
    a = triangle(n, dtype, lower)
    made = matrices.sparse(a, rng, matrices.cut(rng, n), matrices.cut(rng, n))
    if fmt != "CSR":
        made = matrices.Sparse(mp.sparse_convert(made, getattr(mp, "MNP_" + fmt), 0))
    b = vectors(n, width, b_dtype)
    got = mp.sparse_solve_triangular(made, lower, unit_diagonal, mp.array(b, mp.random_layout(rng, b.shape)))
    which = ("lower" if lower else "upper") + (" unit" if unit_diagonal else "")
    close(f"{which} {n} {dtype} {fmt}, b {b_dtype} width {width}", a, got, solved(a, b, lower, unit_diagonal), b)


for n in (0, 1, 2, 7, 40, 90):
    for fmt in matrices.FORMATS:
        for lower in (True, False):
            dtype = matrices.DTYPES[int(rng.integers(len(matrices.DTYPES)))]
            b_dtype = ["float32", "float64", "complex64", "complex128", "int32"][int(rng.integers(5))]
            one(n, dtype, fmt, lower, bool(rng.integers(2)), [None, None, 1, 3, 9, 0][int(rng.integers(6))], b_dtype)
for dtype in matrices.DTYPES:
    for lower in (True, False):
        for unit_diagonal in (True, False):
            one(60, dtype, "CSR", lower, unit_diagonal, None, dtype)
            one(60, dtype, "CSR", lower, unit_diagonal, 11, dtype)

# ---- shapes of triangles ----
root = [0] + [0] * (mp.size // 2) + [1] * (mp.size - mp.size // 2)  # cuts by which one rank has all rows


def shape(name, a, lower):
    """Check a triangle of some shape; the solution also has the same bits as on a single rank."""
    n = a.shape[0]
    b = vectors(n, None, "float64")
    alone = mp.Layout([mp.size], [n], [0], [[n * c for c in root]])
    at_once = mp.sparse_solve_triangular(matrices.sparse(a, rng, alone, alone), lower, False, mp.array(b))
    close(name, a, at_once, solved(a, b, lower, False), b)
    for _ in range(2):
        layout = matrices.cut(rng, n)
        got = mp.sparse_solve_triangular(matrices.sparse(a, rng, layout, layout), lower, False, mp.array(b))
        mp.check(name + ", cut in another way", got, at_once.numpy())


bidiagonal = scipy.sparse.diags_array([np.full(1999, 0.5), np.full(2000, 1.5)], offsets=[-1, 0]).tocsr()
shape("as many levels as rows", bidiagonal, True)
shape("as many levels as rows, from the end", bidiagonal.T.tocsr(), False)
dense = np.tril(rng.random((150, 150)) / 150) + np.eye(150)
shape("a dense triangle", scipy.sparse.csr_array(dense), True)
shape("a dense triangle, from the end", scipy.sparse.csr_array(dense.T.copy()), False)
grid = matrices.laplacian(33, 41)
for k in (2, 3):  # the triangles of Poisson's matrix, and of one with wider rows
    shape(f"a grid's lower triangle, of power {k}", scipy.sparse.tril(grid, format="csr"), True)
    shape(f"a grid's upper triangle, of power {k}", scipy.sparse.triu(grid, format="csr"), False)
    grid = scipy.sparse.csr_array(grid @ matrices.laplacian(33, 41) / 8)
n = 12000  # two levels of thousands of rows each, and a few small ones between them
rows = np.concatenate([np.arange(6000, n), np.arange(6001, 6005)])
columns = np.concatenate([np.arange(n - 6000), np.arange(6000, 6004)])
tall = scipy.sparse.coo_array((np.full(len(rows), 0.3), (rows, columns)), (n, n)).tocsr()
tall = tall + 2 * scipy.sparse.eye_array(n)
shape("few levels of many rows", scipy.sparse.csr_array(tall), True)
shape("few levels of many rows, from the end", scipy.sparse.csr_array(tall.T), False)
lengths = rng.permutation(np.concatenate([np.zeros(1500, int), rng.integers(0, 60, 500)]))
rows = np.repeat(np.arange(2000, 4000), lengths)  # one level of rows of different lengths
uneven = scipy.sparse.coo_array((rng.random(len(rows)) / 60, (rows, rng.integers(0, 2000, len(rows)))),
                                (4000, 4000)).tocsr()
shape("rows of many lengths", scipy.sparse.csr_array(uneven + scipy.sparse.eye_array(4000)), True)
blocks = scipy.sparse.csr_array(scipy.sparse.kron(scipy.sparse.eye_array(12), triangle(25, "float64", True)))
shape("blocks that do not need each other", blocks, True)

# ---- plans ----
a = triangle(70, "float32", True)
layout = matrices.cut(rng, 70)
made = matrices.sparse(a, rng, layout, layout)
single, double = plan(made, None, True, False), plan(made, "float64", True, False)
for width in (None, 4, None, 1, 4):
    b = vectors(70, width, "float32")
    close(f"a plan, again, width {width}", a, mp.triangular_solve(single, mp.array(b)), solved(a, b, True, False), b)
b = vectors(70, None, "int32")
close("a plan of another dtype", a.astype("float64"), mp.triangular_solve(double, mp.array(b)),
      solved(a, b, True, False), b)
inout = mp.array(b.astype("float64"), mp.random_layout(rng, (70,)))
mp.triangular_solve(double, inout, out=inout)
close("into b itself", a.astype("float64"), inout, solved(a, b, True, False), b)
inside = plan(made, None, True, False, own_blocks=True)
b = vectors(70, 3, "float32")
want = np.zeros((70, 3))
for part in [layout.box(r)[0] for r in range(mp.size)]:
    want[part] = solved(a[part][:, part], b[part], True, False)
close("every rank's own block", a, mp.triangular_solve(inside, mp.array(b)), want, b)

# ---- stored zeros on the other side of the diagonal have no effect, for any x ----
full = np.array([[2.0, 0, 0, 0], [1, 2, 0, 0], [0, 1, 2, 0], [1, 0, 1, 2]])
i, j = (index.ravel() for index in np.indices((4, 4)))
stored = scipy.sparse.coo_array((full.ravel(), (i, j)), (4, 4))
b = np.array([1.0, 2, 3, np.inf])
mp.check("zeros are stored on the other side", mp.sparse_solve_triangular(
    matrices.sparse(stored, rng), True, False, mp.array(b)), np.array([0.5, 0.75, 1.125, np.inf]))

# ---- errors ----
wrong = ("MNP_ERR_ARG", "MNP_ERR_PEER")
made = matrices.sparse(scipy.sparse.csr_array(np.array([[1.0, 0, 5], [0, 0, 0], [3, 0, 1]])), rng)
b = mp.array(np.ones(3))
mp.fails(wrong, "the matrix is not lower triangular", mp.sparse_solve_triangular, made, True, True, b)
mp.fails(wrong, "column 0 is not 0, so the matrix is not upper triangular", mp.sparse_solve_triangular, made, False,
         True, b)
lower = matrices.Sparse(mp.sparse_tril(made, 0))
mp.fails(wrong, "the diagonal of row 1 is 0, so the matrix is singular", mp.sparse_solve_triangular, lower, True, False,
         b)
mp.check("which a unit diagonal is not", mp.sparse_solve_triangular(lower, True, True, b), np.array([1.0, 1, -2]))
zero = scipy.sparse.coo_array((np.array([1.0, 0]), (np.array([0, 1]), np.array([0, 1]))), (2, 2))
mp.fails(wrong, "the diagonal of row 1 is 0", mp.sparse_solve_triangular, matrices.sparse(zero, rng), True, False,
         mp.array(np.ones(2)))
mp.fails("MNP_ERR_ARG", "of extent 3", mp.sparse_solve_triangular, lower, True, True, mp.array(np.ones(4)))
mp.fails("MNP_ERR_ARG", "3 dimensions", mp.sparse_solve_triangular, lower, True, True, mp.array(np.ones((3, 2, 2))))
mp.fails("MNP_ERR_ARG", "(3, 4); it must be square", mp.sparse_solve_triangular,
         matrices.sparse(matrices.random_matrix(rng, 3, 4, "float64"), rng), True, True, b)
mp.fails("MNP_ERR_ARG", "do not hold the matrix's values", mp.triangular_new, lower, "float32", True, True, False)
mp.fails("MNP_ERR_ARG", "does not hold", mp.triangular_solve, plan(lower, None, True, True),
         mp.array(np.ones(3, complex)))
del made, lower, single, double, inside
matrices.done()
