# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices, whose rows are spread over the ranks, with the names of scipy.sparse; solvers in sparse.linalg."""

import ctypes

import numpy as np

from .._array import _dtypes, _tuple, as_array, dtype_number, made, ndarray, nranks, rank
from .._library import Shared, call, chosen, lib, vector
from .._names import finished

__all__ = ["coo_array", "csr_array", "eye_array", "generate", "linalg", "mmread", "mmwrite"]

_FORMATS = ("csr", "csc", "coo", "dia", "bsr", "sell")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


class csr_array(Shared):  # noqa: N801
    """A sparse matrix.  csr_array(A) of a matrix of SciPy that every rank has, or of a dense array of Maniple."""

    def __init__(self, matrix, shape=None):
        if isinstance(matrix, ndarray):
            super().__init__("sparse_free", "sparse_from_dense", matrix)
            return
        if isinstance(matrix, tuple):  # (values, (rows, columns)), of this rank's entries, in NumPy's arrays
            values, (rows, columns) = matrix
        else:
            import scipy.sparse
            whole = scipy.sparse.coo_array(matrix)
            shape, part = whole.shape, slice(whole.nnz * rank() // nranks(), whole.nnz * (rank() + 1) // nranks())
            rows, columns = whole.coords if hasattr(whole, "coords") else (whole.row, whole.col)
            values, rows, columns = whole.data[part], rows[part], columns[part]
        rows, columns = (np.ascontiguousarray(i, np.int64) for i in (rows, columns))
        values = np.ascontiguousarray(values)
        if not values.size == rows.size == columns.size:
            raise ValueError(f"there are {values.size} values, {rows.size} rows and {columns.size} columns of entries")
        if values.dtype not in (np.float32, np.float64, np.complex64, np.complex128):
            values = values.astype(np.float64)
        cells = [
            (ctypes.c_int64 * max(i.size, 1)).from_buffer(i) if i.size else vector("int64_t", [])
            for i in (rows, columns)
        ]
        super().__init__(
            "sparse_free",
            "sparse_from_triplets",
            dtype_number(values.dtype),
            int(shape[0]),
            int(shape[1]),
            None,
            None,
            values.size,
            *cells,
            values.ctypes.data,
        )

    @classmethod
    def _of(cls, make, *arguments):
        matrix = cls.__new__(cls)
        Shared.__init__(matrix, "sparse_free", make, *arguments)
        return matrix

    @property
    def shape(self):
        return _tuple(lib.mnp_sparse_shape(self._handle), 2)

    ndim = 2

    @property
    def dtype(self):
        return _dtypes[lib.mnp_sparse_dtype(self._handle)]

    @property
    def nnz(self):
        return lib.mnp_sparse_nnz(self._handle)

    @property
    def format(self):
        return _FORMATS[lib.mnp_sparse_get_format(self._handle)]

    def __repr__(self):
        return f"<sparse matrix of shape {self.shape}, {self.dtype}, {self.nnz} entries, {self.format}>"

    def local(self):
        """This rank's rows as (indptr, indices, data) of NumPy.  Not collective."""
        rows = lib.mnp_layout_ndim(lib.mnp_sparse_row_layout(self._handle)) and self._local_rows()
        count = lib.mnp_sparse_local_nnz(self._handle)
        indptr, indices, data = np.zeros(rows + 1, np.int64), np.zeros(count, np.int64), np.zeros(count, self.dtype)
        call(
            "sparse_get_local",
            self,
            *[
                (ctypes.c_int64 * max(i.size, 1)).from_buffer(i) if i.size else vector("int64_t", [])
                for i in (indptr, indices)
            ],
            data.ctypes.data,
        )
        return indptr, indices, data

    def _local_rows(self):
        extent = (ctypes.c_int64 * 8)()
        lib.mnp_layout_local_shape(lib.mnp_sparse_row_layout(self._handle), rank(), extent)
        return extent[0]

    def __matmul__(self, other):
        if isinstance(other, csr_array):
            return csr_array._of("sparse_matmul_sparse", self, other)
        return (
            made("sparse_matmul", self, as_array(other)) if isinstance(other, (ndarray, np.ndarray)) else NotImplemented
        )

    def __rmatmul__(self, other):
        return (
            made("sparse_matmul_transposed", self, False, other)
            if isinstance(other, ndarray) and other.ndim == 1
            else NotImplemented
        )

    def _sum(self, other, factor):
        ones = np.ones(1, np.complex128), np.array([factor], np.complex128)
        alpha, beta = ((ctypes.c_double * 2).from_buffer(v) for v in ones)
        return csr_array._of("sparse_add", alpha, self, beta, other)

    def __add__(self, other):
        return self._sum(other, 1) if isinstance(other, csr_array) else NotImplemented

    def __sub__(self, other):
        return self._sum(other, -1) if isinstance(other, csr_array) else NotImplemented

    def multiply(self, other):
        return csr_array._of("sparse_multiply", self, other)

    def transpose(self):
        return csr_array._of("sparse_transpose", self)

    T = property(transpose)

    def conj(self):
        return csr_array._of("sparse_conj", self)

    def asformat(self, format, blocksize=0):  # noqa: A002
        if format not in _FORMATS:
            raise ValueError(f"format is {format!r}, which is none of {', '.join(_FORMATS)}")
        return csr_array._of("sparse_convert", self, _FORMATS.index(format), int(blocksize))

    def tocsr(self):
        """The matrix stored by rows.  Collective."""
        return self if self.format == "csr" else self.asformat("csr")

    def astype(self, dtype):
        return csr_array._of("sparse_astype", self, dtype_number(dtype))

    def toarray(self):
        """The dense array, spread over the ranks."""
        return made("sparse_to_dense", self)

    def diagonal(self, k=0):
        return made("sparse_diagonal", self, int(k))

    def sum(self, axis=None):
        return made("sparse_sum", self, -1 if axis is None else range(2)[axis])


coo_array = csr_array


def eye_array(m, n=None, *, k=0, dtype=float):
    """scipy.sparse.eye_array: ones on a diagonal.  Collective."""
    return csr_array._of("sparse_eye", dtype_number(dtype), int(m), int(m if n is None else n), int(k))


def generate(text, dtype=None):
    """A matrix by name, such as "poisson:64x64": see maniple-spinfo(1)."""
    return csr_array._of("sparse_generate", text, dtype_number(dtype))


def mmread(file, dtype=None):
    """The matrix of a Matrix Market file, of which every rank reads its part.  Collective."""
    return csr_array._of("mm_read", file, dtype_number(dtype))


def mmwrite(file, matrix, symmetry="general"):
    """Write a matrix to a Matrix Market file; symmetry may be that of the matrix, whose triangle is then written."""
    call("mm_write", matrix, file, chosen("symmetry", symmetry, "MM_", _SYMMETRIES))


from . import linalg  # noqa: E402  it needs csr_array

__dir__ = finished(globals(), "scipy.sparse")
