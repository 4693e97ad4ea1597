# SPDX-License-Identifier: BSD-3-Clause
"""csr_array: a sparse matrix, and what one is made of."""

import ctypes

import numpy as np

from .._array import as_array, made, ndarray
from .._dtypes import numpy_dtypes, dtype_number
from .._layout import tuple_at, nranks, rank
from .._library import Handle, Shared, call, lib, vector
from .._names import as_output, names, number_of

_FORMATS = ("csr", "csc", "coo", "dia", "bsr", "sell")


def _indices_of(matrix):
    return matrix[1] if len(matrix) > 1 and isinstance(matrix[1], (tuple, list)) else ()


def _entries(matrix, shape):
    """(values, rows, columns, shape) in NumPy's arrays of a matrix of SciPy, or of its parts."""
    if not isinstance(matrix, tuple):
        import scipy.sparse

        if not scipy.sparse.issparse(matrix) and np.ndim(matrix) != 2:
            raise TypeError(f"a sparse matrix has numbers in rows and columns, and cannot be made of {type(matrix).__name__}")
        whole = scipy.sparse.coo_array(matrix)
        rows, columns = whole.coords if hasattr(whole, "coords") else (whole.row, whole.col)
        return whole.data, rows, columns, whole.shape
    if len(matrix) == 3 and not np.ndim(matrix[0]) == 0:  # by rows
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


def _arrays_of(matrix):
    """(values, rows, columns) in arrays of Maniple, of the parts of a matrix."""
    if len(matrix) == 2:
        return matrix[0], *matrix[1]
    values, columns, ends = map(as_array, matrix)
    return values, names.searchsorted(ends, names.arange(values.size), side="right") - 1, columns


def _refuse(values, rows, columns):
    raise ValueError(f"there are {len(values)} values, {len(rows)} rows and {len(columns)} columns of entries")


def _stored(values):
    """Values as the library has them in a matrix."""
    if values.dtype in (np.float32, np.float64, np.complex64, np.complex128):
        return values
    return values.astype(np.float32 if values.dtype == bool else np.float64)


def _two_parts(number):
    """The real and the imaginary part of a number."""
    number = complex(number)
    return (ctypes.c_double * 2)(number.real, number.imag)


def _from_triplets(values, rows, columns, shape, dtype=None):
    """The arguments that make a matrix of entries that each rank has of its own."""
    rows, columns = (np.ascontiguousarray(i, np.int64) for i in (rows, columns))
    values = _stored(np.ascontiguousarray(values, dtype))
    cells = [
        (ctypes.c_int64 * max(i.size, 1)).from_buffer(i) if i.size else vector("int64_t", []) for i in (rows, columns)
    ]
    made_of = dtype_number(values.dtype), int(shape[0]), int(shape[1]), None, None, values.size
    address = values.ctypes.data_as(ctypes.c_void_p)  # which keeps the values
    return ("sparse_from_triplets", *made_of, *cells, address)


class _Freed:
    """What a matrix has after free()."""

    _handle, _lent = None, True


class csr_array(Handle):  # noqa: N801
    """A sparse matrix.  csr_array(A) of a matrix of SciPy, or of its parts as SciPy takes them: (values, (rows,
    columns)) or (data, indices, indptr), which every rank has; (values, (rows, columns)) may also be arrays of Maniple,
    and A a dense one.  from_local() takes entries that each rank has of its own.

    The dtype is float32, float64, complex64, complex128 or bool; what is of integers becomes float64."""

    _kind = "mnp_sparse"
    _made = None  # the library's matrix; None: that of _source, transposed, which is made when its entries are needed
    _source = None
    _conjugates = False  # whether it is also conjugated
    _of_bools = False  # whether entries are bools to whoever looks; the library has them as zeros and ones of float32

    def __init__(self, matrix, shape=None, dtype=None, copy=True):  # which it always is
        if isinstance(matrix, tuple):
            matrix = tuple(map(number_of, matrix))  # (m, n), of a matrix without entries
        if isinstance(matrix, csr_array):
            matrix = matrix.astype(dtype or matrix.dtype)
            self._held, self._of_bools = matrix._held, matrix._of_bools
        elif isinstance(matrix, ndarray):
            matrix = matrix if dtype is None else matrix.astype(dtype)
            self._of_bools = matrix.dtype == bool
            self._held = Shared("sparse_free", "sparse_from_dense", _stored(matrix))
        elif isinstance(matrix, tuple) and any(isinstance(part, ndarray) for part in (matrix[0], *_indices_of(matrix))):
            values, rows, columns = _arrays_of(matrix)
            if shape is None:
                raise ValueError("a matrix of arrays that are spread over the ranks needs a shape")
            values = as_array(values) if dtype is None else as_array(values).astype(dtype)
            self._of_bools = values.dtype == bool
            entries = as_array(rows), as_array(columns), _stored(values)
            self._held = Shared("sparse_free", "sparse_from_coo", *entries, int(shape[0]), int(shape[1]))
            self._become_ones(values.size)
        else:
            values, rows, columns, shape = _entries(matrix, shape)
            if values.dtype.kind not in "biufc":
                raise TypeError(f"a sparse matrix has numbers, and cannot be made of {type(matrix).__name__} with {values.dtype}")
            if not len(values) == len(rows) == len(columns):
                _refuse(values, rows, columns)
            part = slice(len(values) * rank() // nranks(), len(values) * (rank() + 1) // nranks())
            self._of_bools = np.dtype(dtype or values.dtype) == bool
            self._held = Shared("sparse_free", *_from_triplets(values[part], rows[part], columns[part], shape, dtype))
            self._become_ones(len(values))

    @classmethod
    def _of(cls, make, *arguments, of_bools=False):
        matrix = cls.__new__(cls)
        matrix._held, matrix._of_bools = Shared("sparse_free", make, *arguments), of_bools
        return matrix

    def _like(self, make, *arguments):
        """Of this matrix, and of bools if it is."""
        return csr_array._of(make, self, *arguments, of_bools=self._of_bools)

    def _become_ones(self, count):
        """Of bools at the same place, which were added, one is true if any was."""
        if self._of_bools and self.nnz < count:
            rows, columns, values = self._coo()
            self._held = Shared("sparse_free", "sparse_from_coo", rows, columns, _stored(values), *self.shape)

    def _together(self, other, result):
        """What came of this and another operand is of bools if both are."""
        return result.astype(bool) if self._of_bools and other.dtype == bool else result

    @property
    def _held(self):
        if self._made is None:
            made_of = Shared("sparse_free", "sparse_transpose", self._source)
            self._held = Shared("sparse_free", "sparse_conj", made_of) if self._conjugates else made_of
        return self._made

    @_held.setter
    def _held(self, held):
        self._made, self._source, self._conjugates = held, None, False

    @property
    def _handle(self):
        return self._held._handle

    @property
    def _described(self):
        """The address of a matrix that tells the dtype and the number of entries, without making any."""
        return (self._source or self._made)._handle

    def free(self):
        """Release the matrix now, on all ranks; one whose transpose was taken goes when the transpose goes.
        Collective."""
        if self._source is None and not self._made._lent:
            self._made.free()
        else:
            self._held = _Freed

    @property
    def shape(self):
        shape = tuple_at(lib.mnp_sparse_shape(self._described), 2)
        return shape[::-1] if self._source else shape

    ndim = 2
    __hash__ = None

    def __bool__(self):
        raise ValueError("a sparse matrix is neither true nor false: nnz counts its entries")

    __array_ufunc__ = None  # of NumPy: products with its arrays are ours to refuse

    @property
    def dtype(self):
        return np.dtype(bool) if self._of_bools else numpy_dtypes[lib.mnp_sparse_dtype(self._described)]

    @property
    def nnz(self):
        return lib.mnp_sparse_nnz(self._described)

    @property
    def format(self):
        return "csr" if self._source else _FORMATS[lib.mnp_sparse_get_format(self._handle)]

    def __repr__(self):
        return f"<sparse matrix of shape {self.shape}, {self.dtype}, {self.nnz} entries, {self.format}>"

    def local(self):
        """This rank's rows as (indptr, indices, data) of NumPy.  Not collective, except of a transpose, whose entries
        are made when they are first needed."""
        rows = lib.mnp_layout_ndim(lib.mnp_sparse_row_layout(self._handle)) and self._local_rows()
        count = lib.mnp_sparse_local_nnz(self._handle)
        indptr, indices = np.zeros(rows + 1, np.int64), np.zeros(count, np.int64)
        data = np.zeros(count, numpy_dtypes[lib.mnp_sparse_dtype(self._handle)])
        call(
            "sparse_get_local",
            self,
            *[
                (ctypes.c_int64 * max(i.size, 1)).from_buffer(i) if i.size else vector("int64_t", [])
                for i in (indptr, indices)
            ],
            data.ctypes.data,
        )
        return indptr, indices, data.astype(self.dtype, copy=False)

    def _local_rows(self):
        extent = (ctypes.c_int64 * 8)()
        lib.mnp_layout_local_shape(lib.mnp_sparse_row_layout(self._handle), rank(), extent)
        return extent[0]

    def __getitem__(self, key):
        """A[i, j], an element; A[i:j], A[i], A[rows, 2:5]: a matrix, also where it has one row or column.  Rows or
        columns are an integer, a slice, or a list or an array of integers or bools.  A[rows, columns] of two lists or
        arrays, and A[B] of a matrix of bools, is an array of elements.  Collective."""
        rows, columns = self._indices(key)
        if all(isinstance(i, (int, np.integer)) for i in (rows, columns)):
            row, column = self._number_of(rows, 0), self._number_of(columns, 1)
            return self.diagonal(column - row)[min(row, column)]
        if not all(isinstance(i, (list, ndarray, np.ndarray)) for i in (rows, columns)):
            return self._taken(rows, 0)._taken(columns, 1)
        wanted, (rows, columns, values) = self._places(rows, columns), self._coo()
        if values.size == 0:
            return names.zeros(wanted.shape, self.dtype)
        places = rows * self.shape[1] + columns
        at = names.minimum(names.searchsorted(places, wanted), values.size - 1)
        return names.where(places[at] == wanted, values[at], names.zeros((), self.dtype))

    def __setitem__(self, key, value):
        """A[i, j] = value, A[rows, columns] = values of two lists or arrays, and A[B] = values of a matrix of bools,
        in this matrix itself: see setdiag().  If an element gets several values, the last one stays.  Collective."""
        rows, columns = self._indices(key)
        if any(isinstance(i, slice) for i in (rows, columns)):
            raise IndexError("elements are set at pairs of rows and columns: A[rows, columns] = values")
        new = names.ravel(self._places(rows, columns))
        value = names.broadcast_to(names.astype(names.ravel(as_array(value)), self.dtype), new.shape)
        new, last = names.unique(new[::-1], return_index=True)
        rows, columns, values = self._coo()
        kept = ~names.isin(rows * self.shape[1] + columns, new)
        parts = (values[kept], value[::-1][last]), (rows[kept], new // self.shape[1]), (columns[kept], new % self.shape[1])
        values, rows, columns = map(names.concatenate, parts)
        self._held = csr_array((values, (rows, columns)), self.shape)._held

    def _indices(self, key):
        """The two indices of a key; those of a matrix of bools are where it is true."""
        if isinstance(key, csr_array):
            if key.dtype != bool or key.shape != self.shape:
                raise IndexError(f"a matrix of shape {key.shape}, {key.dtype}, is no index of one of shape {self.shape}: "
                                 "that is of bools, and of the same shape")
            return key.nonzero()
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        if isinstance(key, tuple) and len(key) != 2 or any(i is None or i is Ellipsis for i in (rows, columns)):
            raise IndexError("a sparse matrix has two indices: integers, slices, and arrays of integers or bools")
        return number_of(rows), number_of(columns)

    def _places(self, rows, columns):
        """Where pairs of rows and columns are in the flattened matrix."""
        pair = []
        for index, count, what in zip((rows, columns), self.shape, ("row", "column")):
            index = as_array(np.zeros(0, np.int64) if isinstance(index, list) and not index else index)
            index = names.flatnonzero(index) if index.dtype == bool else index
            if bool(names.any((index < -count) | (index >= count))):
                raise IndexError(f"the index of a {what} is outside a matrix of shape {self.shape}")
            pair.append(names.where(index < 0, index + count, index))
        return pair[0] * self.shape[1] + pair[1]

    def _number_of(self, index, axis):
        """A row or column, which may be counted from the end."""
        if not -self.shape[axis] <= index < self.shape[axis]:
            raise IndexError(f"{('row', 'column')[axis]} {index} is outside a matrix of shape {self.shape}")
        return int(index) % self.shape[axis]

    def _taken(self, indices, axis):
        count = self.shape[axis]
        if isinstance(indices, (int, np.integer)):
            start = self._number_of(indices, axis)
            indices = slice(start, start + 1)
        if isinstance(indices, slice):
            start, stop, step = indices.indices(count)
            if (start, stop, step) == (0, count, 1):
                return self
            if axis == 0 and step == 1:
                return self._like("sparse_rows", start, stop)
            indices = names.arange(start, stop, step)
        indices = as_array(np.zeros(0, np.int64) if isinstance(indices, list) and not indices else indices)
        if indices.dtype == bool:
            if indices.shape != (count,):
                raise IndexError(f"a mask of shape {indices.shape} for {count} {('rows', 'columns')[axis]}")
            indices = names.flatnonzero(indices)
        return self._like("sparse_take", indices, axis)

    def _scaled(self, factor):
        factor = number_of(factor)
        if isinstance(factor, (ndarray, csr_array)):
            return NotImplemented
        one = np.asarray(factor)
        if one.ndim or one.dtype.kind not in "biufc":
            return NotImplemented
        own = np.dtype(float) if self._of_bools else self.dtype
        dtype = np.result_type(own, np.complex64) if one.dtype.kind == "c" else own
        matrix = self if dtype == self.dtype else self.astype(dtype)
        return csr_array._of("sparse_times", _two_parts(one.astype(dtype)), matrix)

    def __mul__(self, number):
        return self._scaled(number)

    __rmul__ = __mul__

    def __truediv__(self, number):
        number = number_of(number)
        if isinstance(number, (ndarray, csr_array)) or np.ndim(number):
            return NotImplemented
        with np.errstate(divide="ignore"):
            return self._scaled(np.true_divide(1, number))

    def __neg__(self):
        if self._of_bools:
            raise TypeError("a matrix of bools has no negative")
        return self._scaled(-1)

    def __matmul__(self, other):
        if isinstance(other, csr_array):
            return self._together(other, csr_array._of("sparse_matmul_sparse", self, other))
        if not isinstance(other, (ndarray, np.ndarray)):
            return NotImplemented
        if self._source:  # the library keeps a transpose with the matrix once a product has needed it
            return self._together(other, made("sparse_matmul_transposed", self._source, self._conjugates, as_array(other)))
        return self._together(other, made("sparse_matmul", self, as_array(other)))

    def __rmatmul__(self, other):
        if not isinstance(other, ndarray) or other.ndim not in (1, 2):
            return NotImplemented
        x = other if other.ndim == 1 else other.T
        if self._source and not self._conjugates:
            y = made("sparse_matmul", self._source, x)
        else:
            y = made("sparse_matmul_transposed", self, False, x)
        return self._together(other, y if other.ndim == 1 else y.T)

    def _sum(self, other, factor):
        return self._together(other, csr_array._of("sparse_add", _two_parts(1), self, _two_parts(factor), other))

    def __add__(self, other):
        if isinstance(other, csr_array):
            return self._sum(other, 1)
        if isinstance(other, ndarray) and other.ndim:
            return self.toarray() + other
        return self if np.isscalar(other) and other == 0 else NotImplemented  # sum() begins with 0

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, csr_array):
            return self._sum(other, -1)
        return self.toarray() - other if isinstance(other, ndarray) and other.ndim else NotImplemented

    def __rsub__(self, other):
        return other - self.toarray() if isinstance(other, ndarray) and other.ndim else NotImplemented

    def multiply(self, other):
        """The product element by element, a matrix, with another matrix, an array, which is broadcast, or a number.
        Collective."""
        if isinstance(other, csr_array):
            return self._together(other, csr_array._of("sparse_multiply", self, other))
        if not isinstance(other, ndarray) and np.ndim(other) == 0:
            return self * other
        rows, columns, values = self._coo()
        factors = names.broadcast_to(as_array(other), self.shape)[rows, columns]
        return csr_array((values * factors, (rows, columns)), self.shape)

    def dot(self, other):
        """A @ other, or with a number A * other."""
        if isinstance(other, (ndarray, csr_array)) or np.ndim(other):
            return self @ other
        return self * other

    def _turned(self, conjugates):
        """The transpose, which may be conjugated too, without entries so far."""
        if self._source and self._conjugates != conjugates:
            return csr_array._of("sparse_conj", self._source)
        turned = csr_array.__new__(csr_array)
        turned._of_bools = self._of_bools
        held = self._source or self._made
        held._lent = True
        if self._source:
            turned._held = held
        else:
            turned._source, turned._conjugates = held, conjugates
        return turned

    def transpose(self, axes=None, copy=False):
        """The transpose, whose entries are made when something needs them: products with arrays do not.
        Not collective, unless it is to be a copy."""
        if axes is not None and tuple(axes) not in ((1, 0), (-1, -2)):
            raise ValueError(f"axes is {axes!r}, and a matrix is transposed by (1, 0) alone")
        return (self.copy() if copy else self)._turned(False)

    def getH(self):  # noqa: N802
        """The transpose, conjugated.  Not collective."""
        return self._turned(self.dtype.kind == "c")

    T, H = property(transpose), property(getH)
    real = property(lambda self: self._with(names.real))
    imag = property(lambda self: self._with(names.imag))

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
        values = names.broadcast_to(values, (length,)) if values.ndim == 0 else names.ravel(values)[:length]
        start = names.arange(values.size)
        kept = (columns - rows != k) | (rows + min(k, 0) >= values.size)
        parts = ((old, values.astype(self.dtype)), (rows, start - min(k, 0)), (columns, start + max(k, 0)))
        values, rows, columns = (names.concatenate([was[kept], now]) for was, now in parts)
        self._held = csr_array((values, (rows, columns)), self.shape)._held

    def conj(self, copy=True):
        """The matrix of conjugates, which is always a new one.  Collective."""
        if self._source and self.dtype.kind == "c":
            turned = csr_array.__new__(csr_array)
            turned._source, turned._conjugates = self._source, not self._conjugates
            return turned
        return self._like("sparse_conj")

    conjugate = conj

    def asformat(self, format, copy=True, *, blocksize=0):  # noqa: A002
        """The matrix in a format, always a new one; None: the matrix itself.  Collective."""
        if format is None:
            return self
        if format not in _FORMATS:
            raise ValueError(f"format is {format!r}, which is none of {', '.join(_FORMATS)}")
        return self._like("sparse_convert", _FORMATS.index(format), blocksize)

    def tocsr(self, copy=False):
        """The matrix stored by rows.  Collective."""
        return self if self.format == "csr" and not copy else self.asformat("csr")

    def tocsc(self, copy=True):
        return self.asformat("csc")

    def tocoo(self, copy=True):
        return self.asformat("coo")

    def todia(self, copy=True):
        return self.asformat("dia")

    def tobsr(self, blocksize=0, copy=True):
        """The matrix in square blocks of that size.  Collective."""
        return self.asformat("bsr", blocksize=0 if blocksize is None else blocksize if np.ndim(blocksize) == 0 else blocksize[0])

    def get(self):
        """The whole matrix as one of SciPy's, on every rank, within mp.set_gather_limit().  Collective."""
        import scipy.sparse

        rows, columns, values = (array.numpy() for array in self._coo())
        return scipy.sparse.csr_array((values, (rows, columns)), self.shape)

    def copy(self):
        return self.astype(self.dtype)

    def astype(self, dtype, casting="unsafe", copy=True):
        """The matrix with values of another dtype, always a new one; stored zeros are kept.  Collective."""
        if not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"values of {self.dtype} cannot be cast to {np.dtype(dtype)} by {casting!r}")
        if np.dtype(dtype) == bool and not self._of_bools:
            return self._with(lambda values: values != 0)
        number = lib.mnp_sparse_dtype(self._handle) if np.dtype(dtype) == bool else dtype_number(dtype)
        return csr_array._of("sparse_astype", self, number, of_bools=np.dtype(dtype) == bool)

    def _seen(self, array):
        """An array of entries as whoever looks at them gets it."""
        return array.astype(bool) if self._of_bools else array

    def toarray(self, *, out=None):
        """The dense array, spread over the ranks.  Collective."""
        return as_output(self._seen(made("sparse_to_dense", self)), out)

    todense = toarray

    def diagonal(self, k=0):
        return self._seen(made("sparse_diagonal", self, k))

    def trace(self, offset=0):
        return self.diagonal(offset).sum()

    def sum(self, axis=None, dtype=None, out=None):
        """The sum of all elements, or of every column (axis 0) or row (axis 1), as an array.  Collective."""
        if out is not None:
            raise TypeError("sum() of a sparse matrix makes an array: out= is not taken")
        if dtype is not None:
            return self.astype(dtype).sum(axis)
        axis = -1 if axis is None else range(2)[axis]
        if self._of_bools:
            return made("sparse_sum", self.astype(float), axis).astype(int)
        if self._source and not self._conjugates:
            return made("sparse_sum", self._source, axis if axis == -1 else 1 - axis)
        return made("sparse_sum", self, axis)

    def mean(self, axis=None, dtype=None):
        """The mean of all elements, or of every column (axis 0) or row (axis 1), as an array.  Collective."""
        m, n = self.shape
        return self.sum(axis, dtype) / (m * n if axis is None else self.shape[axis])

    def _extreme(self, function, limit, axis):
        """The largest or smallest element; those that are not stored are 0."""
        if self._of_bools:
            return self.astype(np.float32)._extreme(function, limit, axis).astype(bool)
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
        counts = names.bincount(lines, minlength=self.shape[1 - axis])
        found = names.where(counts < self.shape[axis], 0.0, limit).astype(self.dtype)
        function.at(found, lines, values)
        return found

    def max(self, axis=None):
        """The largest element, or that of every column (axis 0) or row (axis 1), as an array.  Collective."""
        return self._extreme(names.maximum, -np.inf, axis)

    def min(self, axis=None):
        """The smallest element, or that of every column (axis 0) or row (axis 1), as an array.  Collective."""
        return self._extreme(names.minimum, np.inf, axis)

    def getrow(self, i):
        return self[i, :]

    def getcol(self, j):
        return self[:, j]

    # ---- the entries as arrays, in the order of rows and columns ----

    def _coo(self):
        cells = [ctypes.c_void_p() for _ in range(3)]
        call("sparse_to_coo", self, *map(ctypes.byref, cells))
        rows, columns, values = (ndarray._adopt(cell.value) for cell in cells)
        return rows, columns, self._seen(values)

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
        return self._without_zeros().coords

    def _without_zeros(self):
        return self._like("sparse_eliminate_zeros")

    def eliminate_zeros(self):
        """Removes stored zeros from this matrix.  Collective."""
        self._held = self._without_zeros()._held

    @property
    def indices(self):
        """The column of every entry, of a matrix stored by rows.  Collective."""
        return self._by_rows("indices").col

    @property
    def indptr(self):
        """Where each row begins among the entries, and where the last one ends, of a matrix stored by rows.
        Collective."""
        return names.searchsorted(self._by_rows("indptr").row, names.arange(self.shape[0] + 1))

    def _by_rows(self, what):
        if self.format != "csr":
            raise AttributeError(f"a matrix in the format {self.format} has no {what}: that of tocsr() has")
        return self

    has_canonical_format = has_sorted_indices = True

    def sum_duplicates(self):
        """Nothing: entries of the same place are added when a matrix is made.  Not collective."""

    def sort_indices(self):
        """Nothing: entries are in order.  Not collective."""

    def count_nonzero(self, axis=None):
        return self._without_zeros().getnnz(axis)

    def getnnz(self, axis=None):
        """The number of entries, or those of every column (axis 0) or row (axis 1), as an array.  Collective."""
        if axis is None:
            return self.nnz
        return names.bincount(self._coo()[1 - range(2)[axis]], minlength=self.shape[1 - range(2)[axis]])

    size = property(lambda self: self.nnz)

    def _with(self, function):
        """The matrix of changed values, at the same places."""
        values = function(self._seen(made("sparse_values", self)))
        return csr_array._of("sparse_with_values", self, _stored(values), of_bools=values.dtype == bool)

    def __abs__(self):
        return self._like("sparse_abs")

    def power(self, n, dtype=None):
        """Every entry to the power n, which is above 0.  Collective."""
        if n <= 0:
            raise ValueError(f"n is {n}, and what is not stored would be 1 or infinite")
        if dtype is not None:
            return self.astype(dtype).power(n)
        return self._with(lambda values: values**n)
