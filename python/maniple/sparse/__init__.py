# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices, whose rows are spread over the ranks, with the names of scipy.sparse; solvers in sparse.linalg."""

import ctypes

import numpy as np

from .._array import as_array, ndarray
from .._dtypes import dtype_number
from .._library import call, chosen, least
from .._names import finished, names
from ..comm import bcast, by_root
from ._elementwise import csr_array  # which gives it comparisons and other methods
from ._matrix import _from_triplets, _refuse, _stored

__all__ = """block_array block_diag bmat coo_array coo_matrix csc_array csc_matrix csr_array csr_matrix dia_array
    dia_matrix diags diags_array eye eye_array find from_local generate hstack identity issparse isspmatrix kron
    kronsum linalg load_npz mmread mmwrite rand random random_array save_npz spdiags tril triu vstack""".split()

_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")

coo_array = coo_matrix = csr_matrix = csr_array


def csc_array(matrix, shape=None, dtype=None, copy=True):
    """csr_array() in the format csc, of what scipy.sparse.csc_array takes: (data, indices, indptr) are by columns.
    Collective."""
    if isinstance(matrix, tuple) and len(matrix) == 3:
        return csr_array(matrix, None if shape is None else tuple(shape)[::-1], dtype).T.tocsc()
    return csr_array(matrix, shape, dtype).tocsc()


csc_matrix = csc_array


def eye_array(m, n=None, *, k=0, dtype=float, format=None):  # noqa: A002
    """scipy.sparse.eye_array: ones on a diagonal.  Collective."""
    dtype = np.dtype(dtype)
    stored = _stored(np.empty(0, dtype)).dtype  # which integers have not
    matrix = csr_array._of("sparse_eye", dtype_number(stored), m, m if n is None else n, k, of_bools=dtype == bool)
    return _in_format(matrix, format)


def eye(m, n=None, k=0, dtype=float, format=None):  # noqa: A002
    return eye_array(m, n, k=k, dtype=dtype, format=format)


def identity(n, dtype=float, format=None):  # noqa: A002
    return eye(n, dtype=dtype, format=format)


# ---- of matrices ----


def _in_format(matrix, format):  # noqa: A002
    return matrix if format is None else matrix.asformat(format)


def _sparse(matrix):
    """A matrix, also of a dense array, one of SciPy's or what every rank has."""
    if isinstance(matrix, csr_array):
        return matrix
    is_whole = isinstance(matrix, tuple) or hasattr(matrix, "tocsr")
    return csr_array(matrix if is_whole else as_array(matrix))


def kron(A, B, format=None):  # noqa: A002, N803
    A, B = _sparse(A), _sparse(B)  # noqa: N806
    return _in_format(A._together(B, csr_array._of("sparse_kron", A, B)), format)


def kronsum(A, B, format=None):  # noqa: A002, N803
    A, B = _sparse(A), _sparse(B)  # noqa: N806
    if any(M.shape[0] != M.shape[1] for M in (A, B)):
        raise ValueError(f"kronsum() is of square matrices, and not of {A.shape} and {B.shape}")
    return _in_format(kron(identity(B.shape[0]), A) + kron(B, identity(A.shape[0])), format)


def block_array(blocks, *, format=None, dtype=None):  # noqa: A002
    """scipy.sparse.block_array: a matrix of lists of matrices, of which those that are None are zero.  Collective."""
    rows = [[None if b is None else _sparse(b) for b in row] for row in blocks]
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"the lists of blocks have the lengths {[len(row) for row in rows]}, which must be the same")
    listed = [b for row in rows for b in row]
    handles = (ctypes.c_void_p * max(len(listed), 1))(*[None if b is None else b._handle for b in listed])
    of_bools = all(b is None or b.dtype == bool for b in listed)
    matrix = csr_array._of("sparse_block", len(rows), len(rows[0]), handles, of_bools=of_bools)
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
    return _sparse(A)._without_zeros()._coo()


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
    lines, offsets = [names.ravel(as_array(d)) for d in diagonals], [int(k) for k in offsets]
    if len(lines) != len(offsets):
        raise ValueError(f"there are {len(lines)} diagonals and {len(offsets)} offsets")
    m, n = shape or (max(d.size + abs(k) for d, k in zip(lines, offsets)),) * 2
    values, rows, columns = [], [], []
    for line, k in zip(lines, offsets):
        length = min(m + min(k, 0), n - max(k, 0))
        if length <= 0 or line.size not in (1, length):
            raise ValueError(f"the diagonal {k} of a matrix of {m} x {n} has {max(length, 0)} elements, not {line.size}")
        start = names.arange(length)
        values.append(names.broadcast_to(line, (length,)))
        rows.append(start - min(k, 0))
        columns.append(start + max(k, 0))
    values, rows, columns = map(names.concatenate, (values, rows, columns))
    dtype = dtype or (values.dtype if values.dtype.kind in "fc" and values.dtype.itemsize > 2 else float)
    return _in_format(csr_array((values.astype(dtype), (rows, columns)), (m, n)), format)


diags = diags_array


def spdiags(data, diags, m=None, n=None, format=None):  # noqa: A002
    """scipy.sparse.spdiags: a matrix of diagonals, the rows of data, in which column j has the elements of column j.
    Collective."""
    data, offsets = names.atleast_2d(as_array(data)), np.atleast_1d(diags).tolist()
    if m is None:
        m = n = data.shape[1]
    m, n = m if isinstance(m, tuple) else (m, n)
    if len(offsets) != data.shape[0]:
        raise ValueError(f"there are {data.shape[0]} diagonals and {len(offsets)} offsets")
    columns = [names.arange(max(k, 0), max(min(n, m + k, data.shape[1]), k, 0)) for k in offsets]
    values = names.concatenate([data[i, c] for i, c in enumerate(columns)])
    rows = names.concatenate([c - k for c, k in zip(columns, offsets)])
    return _in_format(csr_array((values, (rows, names.concatenate(columns))), (m, n)), format)


def _some_of(count, many, rng):
    """So many different integers below `many`, in ascending order."""
    if count > many // 2:
        return names.setdiff1d(names.arange(many), _some_of(many - count, many, rng)) if count < many else names.arange(many)
    drawn = rng.integers(0, many, count)
    while (drawn := names.unique(drawn)).size < count:
        drawn = names.concatenate([drawn, rng.integers(0, many, count - drawn.size)])
    return drawn


def random_array(shape, *, density=0.01, format="coo", dtype=None, rng=None, random_state=None, data_sampler=None):  # noqa: A002
    """scipy.sparse.random_array, whose entries are from 0 to 1, or drawn by data_sampler(size=).  rng is a seed or a
    generator; the entries are the same on any number of ranks.  Collective."""
    from ..random import default_rng

    (m, n), rng = map(int, shape), default_rng(random_state if rng is None else rng)
    if not 0 <= density <= 1:
        raise ValueError(f"density is {density}, outside 0 .. 1")
    places = _some_of(int(round(density * m * n)), m * n, rng) if m * n else names.zeros(0, int)
    values = rng.random(places.shape) if data_sampler is None else as_array(data_sampler(size=places.size))
    matrix = csr_array((values, (places // max(n, 1), places % max(n, 1))), (m, n), dtype)
    return _in_format(matrix, format)


def random(m, n, density=0.01, format="coo", dtype=None, rng=None, data_rvs=None, *, random_state=None):  # noqa: A002
    """random_array((m, n)), where data_rvs(size) draws the entries.  Collective."""
    sampler = None if data_rvs is None else lambda size: data_rvs(size)
    return random_array((m, n), density=density, format=format, dtype=dtype, rng=rng, random_state=random_state,
                        data_sampler=sampler)


def rand(m, n, density=0.01, format="coo", dtype=None, rng=None, *, random_state=None):  # noqa: A002
    return random(m, n, density, format, dtype, rng, random_state=random_state)


def save_npz(file, matrix, compressed=True):
    """scipy.sparse.save_npz, in the format csr or csc.  Collective."""
    matrix = matrix if matrix.format == "csc" else matrix.tocsr()
    by_rows = matrix if matrix.format == "csr" else matrix.T.tocsr()
    write = names.savez_compressed if compressed else names.savez
    write(file, data=by_rows.data, indices=by_rows.indices, indptr=by_rows.indptr, shape=np.array(matrix.shape),
          format=matrix.format.encode(), _is_array=np.array(True))


def load_npz(file):
    """A matrix of a file of scipy.sparse.save_npz in the format csr, csc, coo or dia.  Collective."""
    formats, file = [], names.load(file)
    by_root(lambda: formats.append(np.load(file.filename)["format"].item()))
    name = bcast(formats[0] if formats else "")
    name = name.decode() if isinstance(name, bytes) else name
    shape = tuple(file["shape"].tolist())
    if name == "dia":
        return spdiags(file["data"], file["offsets"].numpy(), *shape, format="dia")
    if name == "coo":
        return csr_array((file["data"], (file["row"], file["col"])), shape).tocoo()
    if name not in ("csr", "csc"):
        raise ValueError(f"{file.filename} has a matrix in the format {name!r}, and none of csr, csc, coo and dia")
    make = csr_array if name == "csr" else csc_array
    return make((file["data"], file["indices"], file["indptr"]), shape)


def dia_array(matrix, shape=None, dtype=None, copy=True):
    """csr_array() in the format dia, of what scipy.sparse.dia_array takes: (data, offsets) are diagonals.
    Collective."""
    if isinstance(matrix, tuple) and len(matrix) == 2 and np.ndim(matrix[1]) <= 1 and np.ndim(matrix[0]) == 2:
        offsets = matrix[1].numpy() if isinstance(matrix[1], ndarray) else matrix[1]
        matrix = spdiags(matrix[0], offsets, *shape)
    return csr_array(matrix, shape, dtype).todia()


dia_matrix = dia_array


def _triangle(name):
    def triangle(A, k=0, format=None):  # noqa: A002, N803
        return _in_format(_sparse(A)._like("sparse_" + name, k), format)

    triangle.__name__ = triangle.__qualname__ = name
    return triangle


tril, triu = _triangle("tril"), _triangle("triu")


def issparse(x):
    """Whether x is a sparse matrix of Maniple.  Not collective."""
    return isinstance(x, csr_array)


isspmatrix = issparse


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
