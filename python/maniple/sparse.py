# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices, whose rows are spread over the ranks, with the names of scipy.sparse; solvers in sparse.linalg."""

import ctypes

import numpy as np

from ._array import _dtypes, _tuple, as_array, dtype_number, made, ndarray, operand
from ._library import CONSTANTS, Shared, call, constant, lib, struct, vector

__all__ = ["coo_array", "csr_array", "eye_array", "generate", "linalg", "mmread", "mmwrite"]

_FORMATS = ("csr", "csc", "coo", "dia", "bsr", "sell")


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
            from ._array import nranks, rank

            whole = scipy.sparse.coo_array(matrix)
            shape, part = whole.shape, slice(whole.nnz * rank() // nranks(), whole.nnz * (rank() + 1) // nranks())
            rows, columns = whole.coords if hasattr(whole, "coords") else (whole.row, whole.col)
            values, rows, columns = whole.data[part], rows[part], columns[part]
        rows, columns = (np.ascontiguousarray(i, np.int64) for i in (rows, columns))
        values = np.ascontiguousarray(values)
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
        from ._array import rank

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
        return csr_array._of("sparse_convert", self, _FORMATS.index(format), int(blocksize))

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
    return csr_array._of("sparse_eye", dtype_number(dtype), int(m), int(m if n is None else n), int(k))


def generate(text, dtype=None):
    """A matrix by name, such as "poisson:64x64": see maniple-spinfo(1)."""
    return csr_array._of("sparse_generate", text, dtype_number(dtype))


def mmread(file, dtype=None):
    """A matrix of a Matrix Market file, of which every rank reads its part."""
    return csr_array._of("mm_read", file, dtype_number(dtype))


def mmwrite(file, matrix, symmetry="general"):
    call("mm_write", matrix, file, constant("MM_" + symmetry.upper().replace("-", "_")))


class linalg:  # noqa: N801
    """scipy.sparse.linalg: cg, bicgstab, gmres, minres and others, eigsh, norm, LinearOperator, preconditioners."""

    class LinearOperator(Shared):
        """Of a matrix, or of a Python function of vectors: LinearOperator((n, n), matvec, dtype="float64")."""

        def __init__(self, shape_or_matrix, matvec=None, rmatvec=None, dtype=float):
            self._keep = shape_or_matrix
            if isinstance(shape_or_matrix, csr_array):
                self.shape, self.dtype = shape_or_matrix.shape, shape_or_matrix.dtype
                super().__init__("operator_free", "operator_from_sparse", shape_or_matrix)
                return
            from ._array import Layout

            self.shape, self.dtype = shape_or_matrix, np.dtype(dtype)
            layouts = [Layout((n,), "0") for n in self.shape]
            functions = [_callback(f) if f else None for f in (matvec, rmatvec)]
            self._keep = functions, layouts
            super().__init__(
                "operator_free",
                "operator_new",
                dtype_number(dtype),
                *layouts,
                *[None if f is None else ctypes.cast(f, ctypes.c_void_p).value for f in functions],
                None,
            )

        def matvec(self, x):
            return made("operator_run", self, False, as_array(x))

        def rmatvec(self, x):
            return made("operator_run", self, True, as_array(x))

    class Preconditioner(Shared):
        """M= of the solvers: jacobi, block-jacobi, ilu0, ic0, sor, ssor, chebyshev or polynomial."""

        def __init__(self, matrix, kind, block=0, omega=0.0, sweeps=0, degree=0):
            self._keep = matrix
            number = CONSTANTS["MNP_PRECOND_" + kind.upper().replace("-", "_")]
            super().__init__(
                "precond_free",
                "precond_new",
                matrix,
                number,
                struct("precond_options")(block, float(omega), sweeps, degree),
            )

        def matvec(self, x):
            return made("precond_apply", self, as_array(x))

    @staticmethod
    def norm(matrix, ord="fro"):  # noqa: A002
        value = ctypes.c_double()
        which = {"fro": b"f", 1: b"1", np.inf: b"i", "max": b"m"}[ord]
        call("sparse_norm", matrix, which, ctypes.byref(value))
        return value.value

    @staticmethod
    def eigsh(A, k=6, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True):  # noqa: N803
        """Eigenvalues, in ascending order, as NumPy's array, and their vectors as columns of an array."""
        values, cell = (ctypes.c_double * k)(), ctypes.c_void_p()
        op = A if isinstance(A, linalg.LinearOperator) else linalg.LinearOperator(A)
        options = struct("eigsh_options")()
        options.which, options.tol = constant("EIGEN_" + which), float(tol)
        options.maxiter, options.ncv = maxiter or 0, ncv or 0
        options.v0 = None if v0 is None else as_array(v0)._handle
        call("eigsh", op, k, options, values, ctypes.byref(cell) if return_eigenvectors else None, None)
        found = np.ctypeslib.as_array(values).copy()
        return (found, ndarray(cell.value)) if return_eigenvectors else found


def _callback(function):
    """A Python function of a vector as the library calls it: status (argument, x, y)."""

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    def run(argument, x, y):
        given, wanted = ndarray._borrow(x), ndarray._borrow(y)
        try:
            call("copyto", wanted, operand(function(given)), constant("CASTING_SAME_KIND"))
            return 0
        except Exception as error:  # noqa: BLE001  a sentence for the solver's caller
            return lib.mnp_fail(CONSTANTS["MNP_ERR_ARG"], b"%s", f"{type(error).__name__}: {error}".encode())
        finally:
            given._handle = wanted._handle = None  # whoever keeps them gets a sentence

    return run


def _solver(name):
    def solve(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, restart=None, M=None, callback=None):  # noqa: N803
        """The solution and 0, or the number of iterations if it was not reached, as SciPy's."""
        op = A if isinstance(A, linalg.LinearOperator) else linalg.LinearOperator(A)
        options, result, cell = struct("solve_options")(), struct("solve_result")(), ctypes.c_void_p()
        options.rtol, options.atol, options.maxiter, options.restart = rtol, atol, maxiter or 0, restart or 0
        options.precond = None if M is None else M._handle
        if callback is not None:

            @ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p)
            def progress(argument, iteration, residual, x):
                return bool(callback(made("copy", ndarray._borrow(x)) if x else None))

            options.progress, options.every = ctypes.cast(progress, ctypes.c_void_p).value, 1
        if x0 is not None:
            start = made("copy", as_array(x0))
            cell.value = start._handle
        call("solve", op, as_array(b), constant("SOLVER_" + name.upper()), options, ctypes.byref(cell), result)
        solution = start if x0 is not None else ndarray(cell.value)
        info = 0 if result.reason == constant("SOLVE_CONVERGED") else result.iterations or -1
        lib.mnp_solve_result_clear(ctypes.byref(result))
        return solution, info

    solve.__name__ = solve.__qualname__ = name
    return staticmethod(solve)


for _name in ("cg", "cg1", "bicgstab", "gmres", "fgmres", "minres", "cgs", "idr", "chebyshev", "lsqr"):
    setattr(linalg, _name, _solver(_name))
