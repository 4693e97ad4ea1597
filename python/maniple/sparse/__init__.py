# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices, whose rows are spread over the ranks, with the names of scipy.sparse; solvers in sparse.linalg."""

import ctypes
import operator
import warnings

import numpy as np

from .._array import _dtypes, _tuple, as_array, dtype_number, made, ndarray, nranks, rank
from .._library import Handle, Shared, call, chosen, least, lib, vector
from .. import _names
from .._names import finished

__all__ = """block_array block_diag bmat coo_array coo_matrix csr_array csr_matrix diags diags_array eye eye_array find
    from_local generate hstack identity issparse kron linalg mmread mmwrite tril triu vstack""".split()

_FORMATS = ("csr", "csc", "coo", "dia", "bsr", "sell")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


def _indices_of(matrix):
    return matrix[1] if isinstance(matrix[1], (tuple, list)) else ()


def _entries(matrix, shape):
    """(values, rows, columns, shape) in NumPy's arrays of a matrix of SciPy, or of its parts."""
    if not isinstance(matrix, tuple):
        import scipy.sparse

        whole = scipy.sparse.coo_array(matrix)
        rows, columns = whole.coords if hasattr(whole, "coords") else (whole.row, whole.col)
        return whole.data, rows, columns, whole.shape
    if len(matrix) == 3:  # by rows
        values, columns, ends = map(np.asarray, matrix)
        rows = np.repeat(np.arange(ends.size - 1), np.diff(ends))
        return values, rows, columns, shape or (ends.size - 1, columns.max(initial=-1) + 1)
    if len(matrix) != 2:
        raise TypeError("a matrix is (values, (rows, columns)), (values, columns, where rows begin) or (rows, columns)")
    if np.ndim(matrix[0]) == 0:
        return np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64), matrix
    values, (rows, columns) = matrix
    values, rows, columns = map(np.asarray, (values, rows, columns))
    return values, rows, columns, shape or (rows.max(initial=-1) + 1, columns.max(initial=-1) + 1)


def _refuse(values, rows, columns):
    raise ValueError(f"there are {len(values)} values, {len(rows)} rows and {len(columns)} columns of entries")


def _from_triplets(values, rows, columns, shape, dtype=None):
    """The arguments that make a matrix of entries that each rank has of its own."""
    rows, columns = (np.ascontiguousarray(i, np.int64) for i in (rows, columns))
    values = np.ascontiguousarray(values, dtype)
    if values.dtype not in (np.float32, np.float64, np.complex64, np.complex128):
        values = values.astype(np.float64)
    cells = [
        (ctypes.c_int64 * max(i.size, 1)).from_buffer(i) if i.size else vector("int64_t", []) for i in (rows, columns)
    ]
    made_of = dtype_number(values.dtype), int(shape[0]), int(shape[1]), None, None, values.size
    address = values.ctypes.data_as(ctypes.c_void_p)  # which keeps the values
    return ("sparse_from_triplets", *made_of, *cells, address)


class csr_array(Handle):  # noqa: N801
    """A sparse matrix.  csr_array(A) of a matrix of SciPy, or of its parts as SciPy takes them: (values, (rows,
    columns)) or (data, indices, indptr), which every rank has; (values, (rows, columns)) may also be arrays of Maniple,
    and A a dense one.  from_local() takes entries that each rank has of its own."""

    def __init__(self, matrix, shape=None, dtype=None):
        if isinstance(matrix, csr_array):
            self._held = Shared("sparse_free", "sparse_astype", matrix, dtype_number(dtype or matrix.dtype))
        elif isinstance(matrix, ndarray):
            matrix = matrix if dtype is None else matrix.astype(dtype)
            self._held = Shared("sparse_free", "sparse_from_dense", matrix)
        elif isinstance(matrix, tuple) and any(isinstance(part, ndarray) for part in (matrix[0], *_indices_of(matrix))):
            if len(matrix) != 2:
                raise TypeError("arrays of Maniple are taken as (values, (rows, columns)) alone")
            values, (rows, columns) = matrix
            if shape is None:
                raise ValueError("a matrix of arrays that are spread over the ranks needs a shape")
            values = as_array(values) if dtype is None else as_array(values).astype(dtype)
            entries = as_array(rows), as_array(columns), values
            self._held = Shared("sparse_free", "sparse_from_coo", *entries, int(shape[0]), int(shape[1]))
        else:
            values, rows, columns, shape = _entries(matrix, shape)
            if not len(values) == len(rows) == len(columns):
                _refuse(values, rows, columns)
            part = slice(len(values) * rank() // nranks(), len(values) * (rank() + 1) // nranks())
            self._held = Shared("sparse_free", *_from_triplets(values[part], rows[part], columns[part], shape, dtype))

    @classmethod
    def _of(cls, make, *arguments):
        matrix = cls.__new__(cls)
        matrix._held = Shared("sparse_free", make, *arguments)
        return matrix

    @property
    def _handle(self):
        return self._held._handle

    def free(self):
        """Release the matrix now, on all ranks.  Collective."""
        self._held.free()

    @property
    def shape(self):
        return _tuple(lib.mnp_sparse_shape(self._handle), 2)

    ndim = 2
    __hash__ = None
    __array_ufunc__ = None  # of NumPy: products with its arrays are ours to refuse

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

    def __getitem__(self, key):
        """A[i, j], an element; A[i:j], A[i], A[rows, columns]: a matrix, also where it has one row or column.  Rows and
        columns are integers, slices, and lists or arrays of integers or bools, each of which select by themselves.
        Collective."""
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        if isinstance(key, tuple) and len(key) != 2 or any(i is None or i is Ellipsis for i in (rows, columns)):
            raise IndexError("a sparse matrix has two indices: integers, slices, and arrays of integers or bools")
        if all(isinstance(i, (int, np.integer)) for i in (rows, columns)):
            row, column = (range(n)[i] for n, i in zip(self.shape, (rows, columns)))
            return self.diagonal(column - row)[min(row, column)]
        if all(isinstance(i, (list, ndarray, np.ndarray)) for i in (rows, columns)):
            raise IndexError("lists of rows and of columns select elements in SciPy; A[rows][:, columns] selects a block")
        return self._taken(rows, 0)._taken(columns, 1)

    def _taken(self, indices, axis):
        count = self.shape[axis]
        if isinstance(indices, (int, np.integer)):
            start = range(count)[indices]
            indices = slice(start, start + 1)
        if isinstance(indices, slice):
            start, stop, step = indices.indices(count)
            if (start, stop, step) == (0, count, 1):
                return self
            if axis == 0 and step == 1:
                return csr_array._of("sparse_rows", self, start, stop)
            indices = _names.names.arange(start, stop, step)
        indices = as_array(np.zeros(0, np.int64) if isinstance(indices, list) and not indices else indices)
        if indices.dtype == bool:
            if indices.shape != (count,):
                raise IndexError(f"a mask of shape {indices.shape} for {count} {('rows', 'columns')[axis]}")
            indices = _names.names.flatnonzero(indices)
        return csr_array._of("sparse_take", self, indices, axis)

    def _scaled(self, factor):
        if isinstance(factor, (ndarray, csr_array)):
            return NotImplemented
        one = np.asarray(factor)
        if one.ndim or one.dtype.kind not in "biufc":
            return NotImplemented
        dtype = np.result_type(self.dtype, np.complex64) if one.dtype.kind == "c" else self.dtype
        matrix = self if dtype == self.dtype else self.astype(dtype)
        value = one.astype(dtype).ctypes.data_as(ctypes.c_void_p)
        rows = made("full", dtype_number(dtype), 1, (self.shape[0],), value)
        return csr_array._of("sparse_scale", matrix, rows, None)

    def __mul__(self, number):
        return self._scaled(number)

    __rmul__ = __mul__

    def __truediv__(self, number):
        if isinstance(number, (ndarray, csr_array)) or np.ndim(number):
            return NotImplemented
        with np.errstate(divide="ignore"):
            return self._scaled(np.true_divide(1, number))

    def __neg__(self):
        return self._scaled(-1)

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
        """The product element by element with another matrix, or with a number."""
        if isinstance(other, csr_array):
            return csr_array._of("sparse_multiply", self, other)
        if isinstance(other, ndarray) or np.ndim(other):
            raise TypeError("multiply() takes a sparse matrix or a number")
        return self * other

    def dot(self, other):
        """A @ other, or with a number A * other."""
        if isinstance(other, (ndarray, csr_array)) or np.ndim(other):
            return self @ other
        return self * other

    def transpose(self):
        return csr_array._of("sparse_transpose", self)

    T = property(transpose)

    def reshape(self, *shape, order="C"):
        """The entries in another shape of two dimensions, of which one may be -1, in C order.  Collective."""
        m, n = shape if len(shape) == 2 else shape[0]
        size = self.shape[0] * self.shape[1]
        m, n = size // n if m == -1 and n > 0 else m, size // m if n == -1 and m > 0 else n
        if order != "C" or m * n != size or min(m, n) < 0 or size >= 2**63:
            raise ValueError(f"a matrix of shape {self.shape} cannot have the shape {shape} in order {order!r}")
        rows, columns, values = self._coo()
        places = rows * self.shape[1] + columns
        return csr_array((values, (places // max(n, 1), places % max(n, 1))), (m, n))

    def setdiag(self, values, k=0):
        """Set the elements of a diagonal, of this matrix itself, to a number, or to as many as values has.  Solvers and
        operators that were made of the matrix keep the one that it was.  Collective."""
        rows, columns, old = self._coo()
        length = min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0))
        if length <= 0:
            raise ValueError(f"a matrix of shape {self.shape} has no diagonal {k}")
        values = as_array(values)
        values = _names.names.broadcast_to(values, (length,)) if values.ndim == 0 else _names.names.ravel(values)[:length]
        start = _names.names.arange(values.size)
        kept = (columns - rows != k) | (rows + min(k, 0) >= values.size)
        parts = ((old, values.astype(self.dtype)), (rows, start - min(k, 0)), (columns, start + max(k, 0)))
        values, rows, columns = (_names.names.concatenate([was[kept], now]) for was, now in parts)
        self._held = csr_array((values, (rows, columns)), self.shape)._held

    def conj(self):
        return csr_array._of("sparse_conj", self)

    def asformat(self, format, blocksize=0):  # noqa: A002
        if format not in _FORMATS:
            raise ValueError(f"format is {format!r}, which is none of {', '.join(_FORMATS)}")
        return csr_array._of("sparse_convert", self, _FORMATS.index(format), int(blocksize))

    def tocsr(self):
        """The matrix stored by rows.  Collective."""
        return self if self.format == "csr" else self.asformat("csr")

    def tocsc(self):
        return self.asformat("csc")

    def tocoo(self):
        return self.asformat("coo")

    def todia(self):
        return self.asformat("dia")

    def copy(self):
        return self.astype(self.dtype)

    def astype(self, dtype):
        return csr_array._of("sparse_astype", self, dtype_number(dtype))

    def toarray(self):
        """The dense array, spread over the ranks."""
        return made("sparse_to_dense", self)

    todense = toarray

    def diagonal(self, k=0):
        return made("sparse_diagonal", self, int(k))

    def trace(self, offset=0):
        return self.diagonal(offset).sum()

    def sum(self, axis=None):
        return made("sparse_sum", self, -1 if axis is None else range(2)[axis])

    def mean(self, axis=None):
        m, n = self.shape
        return self.sum(axis) / (m * n if axis is None else self.shape[axis])

    def _extreme(self, function, limit, axis):
        """The largest or smallest element; those that are not stored are 0."""
        m, n = self.shape
        rows, columns, values = self._coo()
        if axis is None:
            if m * n == 0:
                raise ValueError(f"a matrix of shape {self.shape} has no largest and no smallest element")
            found = function.reduce(values, initial=limit)
            return found if self.nnz == m * n else function(found, 0)
        axis = range(2)[axis]
        if self.shape[axis] == 0:
            raise ValueError(f"the lines of a matrix of shape {self.shape} have no largest and no smallest element")
        lines = (columns, rows)[axis]
        counts = _names.names.bincount(lines, minlength=self.shape[1 - axis])
        found = _names.names.where(counts < self.shape[axis], 0.0, limit).astype(self.dtype)
        function.at(found, lines, values)
        return found

    def max(self, axis=None):
        """The largest element, or that of every column (axis 0) or row (axis 1), as an array.  Collective."""
        return self._extreme(_names.names.maximum, -np.inf, axis)

    def min(self, axis=None):
        """The smallest element, or that of every column (axis 0) or row (axis 1), as an array.  Collective."""
        return self._extreme(_names.names.minimum, np.inf, axis)

    def getrow(self, i):
        return self[i, :]

    def getcol(self, j):
        return self[:, j]

    # ---- the entries as arrays, in the order of rows and columns ----

    def _coo(self):
        cells = [ctypes.c_void_p() for _ in range(3)]
        call("sparse_to_coo", self, *map(ctypes.byref, cells))
        return tuple(ndarray(cell.value) for cell in cells)

    @property
    def row(self):
        """The row of every entry, an array.  Collective."""
        return self._coo()[0]

    @property
    def col(self):
        """The column of every entry, an array.  Collective."""
        return self._coo()[1]

    @property
    def data(self):
        """The value of every entry, row by row, a copy.  Collective."""
        return self._coo()[2]

    @property
    def coords(self):
        """The rows and the columns of the entries.  Collective."""
        return self._coo()[:2]

    def nonzero(self):
        """The rows and columns of the entries that are not 0.  Collective."""
        return self.eliminate_zeros().coords

    def eliminate_zeros(self):
        """The matrix without stored zeros; this one stays as it is.  Collective."""
        return csr_array._of("sparse_eliminate_zeros", self)

    def count_nonzero(self):
        return self.eliminate_zeros().nnz

    def getnnz(self):
        return self.nnz

    def _with(self, function):
        """The matrix of changed values."""
        rows, columns, values = self._coo()
        return csr_array((function(values), (rows, columns)), self.shape)

    def __abs__(self):
        return self._with(abs)

    def power(self, n):
        """Every entry to the power n, which is above 0.  Collective."""
        if n <= 0:
            raise ValueError(f"n is {n}, and what is not stored would be 1 or infinite")
        return self._with(lambda values: values**n)

    def sqrt(self):
        return self._with(_names.names.sqrt)


def _comparison(name):
    """A comparison with a matrix or a number: a matrix of ones where it holds.  With an array it is one of arrays."""

    def compare(self, other):
        ours, theirs = getattr(_names.names, name), getattr(operator, f"__{_COMPARISONS[name]}__")
        if isinstance(other, (ndarray, np.ndarray)) and other.ndim:
            return ours(self.toarray(), as_array(other))
        if isinstance(other, csr_array):
            if other.shape != self.shape:
                raise ValueError(f"matrices of shapes {self.shape} and {other.shape} cannot be compared")
            if not theirs(0, 0):
                return _on_both(ours, self, other)
            dense = other.toarray()
        elif np.isscalar(other) or getattr(other, "ndim", None) == 0:
            other = other.item() if isinstance(other, (ndarray, np.ndarray)) else other
            if not theirs(0, other):
                return self._with(lambda values: ours(values, other).astype(float)).eliminate_zeros()
            dense = other
        else:
            return NotImplemented
        warnings.warn("a comparison that holds for elements that are not stored makes a matrix with all entries",
                      RuntimeWarning, stacklevel=2)
        return csr_array(ours(self.toarray(), dense).astype(float))

    compare.__name__ = f"__{_COMPARISONS[name]}__"
    compare.__qualname__ = f"csr_array.{compare.__name__}"
    return compare


def _on_both(function, A, B):  # noqa: N803
    """A function of the elements of two matrices, at the places where one of them has an entry."""
    (rows, columns, values), (more_rows, more_columns, others) = A._coo(), B._coo()
    join, zeros_like = _names.names.concatenate, _names.names.zeros_like
    places = join([rows, more_rows]), join([columns, more_columns])
    left = csr_array((join([values, zeros_like(others)]), places), A.shape)  # stored zeros are kept
    right = csr_array((join([zeros_like(values), others]), places), A.shape)
    rows, columns, values = left._coo()
    return csr_array((function(values, right.data).astype(float), (rows, columns)), A.shape).eliminate_zeros()


_COMPARISONS = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
for _name in _COMPARISONS:
    setattr(csr_array, f"__{_COMPARISONS[_name]}__", _comparison(_name))

coo_array = coo_matrix = csr_matrix = csr_array


def eye_array(m, n=None, *, k=0, dtype=float):
    """scipy.sparse.eye_array: ones on a diagonal.  Collective."""
    return csr_array._of("sparse_eye", dtype_number(dtype), int(m), int(m if n is None else n), int(k))


def eye(m, n=None, k=0, dtype=float, format=None):  # noqa: A002
    return _in_format(eye_array(m, n, k=k, dtype=dtype), format)


def identity(n, dtype=float, format=None):  # noqa: A002
    return eye(n, dtype=dtype, format=format)


# ---- of matrices ----


def _in_format(matrix, format):  # noqa: A002
    return matrix if format is None else matrix.asformat(format)


def _sparse(matrix):
    """A matrix, also of a dense array or what every rank has."""
    return matrix if isinstance(matrix, csr_array) else csr_array(matrix if isinstance(matrix, tuple) else as_array(matrix))


def kron(A, B, format=None):  # noqa: A002, N803
    return _in_format(csr_array._of("sparse_kron", _sparse(A), _sparse(B)), format)


def block_array(blocks, *, format=None, dtype=None):  # noqa: A002
    """scipy.sparse.block_array: a matrix of lists of matrices, of which those that are None are zero.  Collective."""
    rows = [[None if b is None else _sparse(b) for b in row] for row in blocks]
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"the lists of blocks have the lengths {[len(row) for row in rows]}, which must be the same")
    listed = [b for row in rows for b in row]
    handles = (ctypes.c_void_p * max(len(listed), 1))(*[None if b is None else b._handle for b in listed])
    matrix = csr_array._of("sparse_block", len(rows), len(rows[0]), handles)
    return _in_format(matrix if dtype is None else matrix.astype(dtype), format)


def bmat(blocks, format=None, dtype=None):  # noqa: A002
    return block_array(blocks, format=format, dtype=dtype)


def hstack(blocks, format=None, dtype=None):  # noqa: A002
    return block_array([list(blocks)], format=format, dtype=dtype)


def vstack(blocks, format=None, dtype=None):  # noqa: A002
    return block_array([[block] for block in blocks], format=format, dtype=dtype)


def block_diag(mats, format=None, dtype=None):  # noqa: A002
    mats = list(mats)
    rows = [[mat if i == j else None for j in range(len(mats))] for i, mat in enumerate(mats)]
    return block_array(rows, format=format, dtype=dtype)


def find(A):  # noqa: N803
    """scipy.sparse.find: rows, columns and values of the entries that are not 0, as arrays.  Collective."""
    return _sparse(A).eliminate_zeros()._coo()


def from_local(entries, shape, dtype=None):
    """A matrix of entries (values, (rows, columns)) in NumPy's arrays, of which each rank brings its own, of any rows;
    those of the same place are added.  Collective."""
    values, (rows, columns) = entries
    if least([len(values) == len(rows) == len(columns)]) == [0]:  # on some rank
        _refuse(values, rows, columns)
    return csr_array._of(*_from_triplets(values, rows, columns, shape, dtype))


def diags_array(diagonals, offsets=0, shape=None, format=None, dtype=None):  # noqa: A002
    """scipy.sparse.diags_array: a matrix of diagonals, arrays of Maniple or what every rank has.  Collective."""
    if np.ndim(offsets) == 0:
        is_one = diagonals.ndim == 1 if isinstance(diagonals, ndarray) else np.ndim(diagonals[0]) == 0
        offsets, diagonals = [offsets], [diagonals] if is_one else diagonals
    lines, offsets = [_names.names.ravel(as_array(d)) for d in diagonals], [int(k) for k in offsets]
    if len(lines) != len(offsets):
        raise ValueError(f"there are {len(lines)} diagonals and {len(offsets)} offsets")
    m, n = shape or (max(d.size + abs(k) for d, k in zip(lines, offsets)),) * 2
    values, rows, columns = [], [], []
    for line, k in zip(lines, offsets):
        length = min(m + min(k, 0), n - max(k, 0))
        if length <= 0 or line.size not in (1, length):
            raise ValueError(f"the diagonal {k} of a matrix of {m} x {n} has {max(length, 0)} elements, not {line.size}")
        start = _names.names.arange(length)
        values.append(_names.names.broadcast_to(line, (length,)))
        rows.append(start - min(k, 0))
        columns.append(start + max(k, 0))
    values, rows, columns = map(_names.names.concatenate, (values, rows, columns))
    dtype = dtype or (values.dtype if values.dtype.kind in "fc" and values.dtype.itemsize > 2 else float)
    return _in_format(csr_array((values.astype(dtype), (rows, columns)), (m, n)), format)


diags = diags_array


def _triangle(name):
    def triangle(A, k=0, format=None):  # noqa: A002, N803
        matrix = csr_array._of("sparse_" + name, A, int(k))
        return _in_format(matrix, format)

    triangle.__name__ = triangle.__qualname__ = name
    return triangle


tril, triu = _triangle("tril"), _triangle("triu")


def issparse(x):
    """Whether x is a sparse matrix of Maniple.  Not collective."""
    return isinstance(x, csr_array)


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
