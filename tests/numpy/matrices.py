# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices for tests that compare with SciPy: makes random ones, and checks each rank's rows of a result."""

import ctypes
import inspect
import binding
import maniple as mp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

DTYPES = mp.LAPACK_DTYPES

if not hasattr(scipy.sparse, "eye_array"):  # SciPy before 1.12 makes matrices of these, whose * is another
    def as_array(make):
        def made(*args, **kwargs):
            return scipy.sparse.csr_array(make(*args, **kwargs))
        return made

    scipy.sparse.eye_array = as_array(lambda m, n=None, *, k=0, dtype=float: scipy.sparse.eye(m, n, k, dtype))
    scipy.sparse.diags_array = as_array(
        lambda diagonals, *, offsets=0, shape=None: scipy.sparse.diags(diagonals, offsets, shape))
    scipy.sparse.random_array = as_array(
        lambda shape, *, density, rng: scipy.sparse.random(*shape, density, random_state=rng))


def scipy_rtol(rtol):
    """The tolerance of SciPy's iterative solvers, which was called tol before 1.12."""
    modern = "rtol" in inspect.signature(scipy.sparse.linalg.cg).parameters
    return {"rtol" if modern else "tol": rtol}
FORMATS = ["CSR", "CSC", "COO", "DIA", "BSR", "SELL"]


def numbers(rng, n, dtype):
    """Random numbers of magnitude about 1 and either sign."""
    values = rng.integers(-64, 64, n) / 32 + 0.01
    return (values + 1j * rng.integers(-64, 64, n) / 16 if np.dtype(dtype).kind == "c" else values).astype(dtype)


def random_matrix(rng, nrows, ncolumns, dtype, density=0.2):
    """A random matrix in CSR of SciPy; some rows are empty, some are long."""
    count = int(rng.binomial(nrows * ncolumns, density)) if nrows * ncolumns else 0
    rows = rng.integers(0, nrows, count) if count else np.zeros(0, np.int64)
    if count and rng.random() < 0.5:
        rows = rows // 2 * 2 % nrows  # every other row is empty
    columns = rng.integers(0, ncolumns, count) if count else np.zeros(0, np.int64)
    return scipy.sparse.coo_array((numbers(rng, count, dtype), (rows, columns)), (nrows, ncolumns)).tocsr()


def laplacian(nx, ny, dtype="float64"):
    """The matrix of the five-point stencil on a grid."""
    def line(n):
        return scipy.sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return scipy.sparse.csr_array(scipy.sparse.kron(scipy.sparse.eye_array(ny), line(nx)) +
                                  scipy.sparse.kron(line(ny), scipy.sparse.eye_array(nx))).astype(dtype)


def cut(rng, n):
    """A random layout of n elements over all ranks: with even parts, or with uneven and empty ones."""
    cuts = [0] + sorted(int(c) for c in rng.integers(0, n + 1, mp.size - 1)) + [n]
    return mp.Layout([mp.size], [n], [0], [None if rng.random() < 0.3 else cuts])


_live = {}  # matrices by their addresses, in the order in which they were made


class Sparse(ctypes.c_void_p):
    """An mnp_sparse, which calls take directly.  It is freed with this object, on all ranks in the same order."""

    def __init__(self, cell):
        super().__init__(cell.value)
        _live[self.value] = None

    def __del__(self):
        if self.value in _live:
            del _live[self.value]
            mp.sparse_free(self)

    def _address(self, function):
        getattr(binding._lib, function).restype = ctypes.c_void_p
        return ctypes.c_void_p(getattr(binding._lib, function)(self))

    def layout(self, name):
        return binding._adopt(mp.Layout, mp.layout_retain(self._address("mnp_sparse_" + name)))

    @property
    def dtype(self):
        return binding._numpy_dtypes[mp.sparse_dtype(self)]

    @property
    def shape(self):
        return tuple(ctypes.cast(self._address("mnp_sparse_shape"), ctypes.POINTER(ctypes.c_int64))[:2])

    @property
    def format(self):
        return FORMATS[mp.sparse_get_format(self)]

    def local(self):
        """This rank's rows, as SciPy's CSR."""
        box, = self.layout("row_layout").box(mp.rank)
        count, rows = mp.sparse_local_nnz(self), box.stop - box.start
        offsets, columns = np.empty(rows + 1, np.int64), np.empty(count, np.int64)
        values = np.empty(count, self.dtype)
        mp.sparse_get_local(self, *(ctypes.c_void_p(a.ctypes.data) for a in (offsets, columns, values)))
        return scipy.sparse.csr_array((values, columns, offsets), (rows, self.shape[1]))


def sparse(matrix, rng, rows=None, columns=None):
    """An mnp_sparse of a matrix of SciPy, assembled from entries that random ranks give in random order."""
    coo = matrix.tocoo()
    order = rng.permutation(coo.nnz)
    mine = order[rng.integers(0, mp.size, coo.nnz) == mp.rank]
    i, j = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
    return Sparse(mp.sparse_from_triplets(coo.dtype.name, *matrix.shape, rows, columns, len(mine),
                                          [int(r) for r in i[mine]], [int(c) for c in j[mine]],
                                          np.ascontiguousarray(coo.data[mine])))


def check(name, made, want, ulp=4, pattern=True):
    """A test point: c equals SciPy's matrix, with the same entries stored (or at least the same values)."""
    want = scipy.sparse.csr_array(want)
    want.sum_duplicates()
    box, = made.layout("row_layout").box(mp.rank)
    rows, local = want[box.start:box.stop], made.local()
    wrong = ""
    if made.shape != want.shape or made.dtype != want.dtype:
        wrong = f"{made.dtype} {made.shape} where {want.dtype} {want.shape} is right"
    elif pattern and mp.sparse_nnz(made) != want.nnz:
        wrong = f"{mp.sparse_nnz(made)} entries where {want.nnz} are right"
    elif pattern and not (np.array_equal(local.indptr, rows.indptr) and np.array_equal(local.indices, rows.indices)):
        wrong = "other entries"
    else:
        wrong = mp.difference(local.data if pattern else local.toarray(), rows.data if pattern else rows.toarray(), ulp)
    return mp.ok(not wrong, name + (": " + wrong if wrong else ""))


def close(name, got, want, terms=1):
    """A test point: an array equals NumPy's, up to the rounding of sums of so many terms of magnitude about 1."""
    got, want = got.numpy(), np.asarray(want)
    bound = 8 * max(terms, 1) * np.finfo(want.dtype).eps * max(1, np.abs(want).max(initial=0))
    good = got.dtype == want.dtype and got.shape == want.shape and bool(np.all(np.abs(got - want) <= bound))
    return mp.ok(good, name if good else f"{name}: {got.dtype} {got.shape} where {want.dtype} {want.shape}, or far off")


def done():
    """The end of the test: mp.done(), once all matrices are free."""
    for address in list(_live):
        del _live[address]
        mp.sparse_free(ctypes.c_void_p(address))
    mp.done()
