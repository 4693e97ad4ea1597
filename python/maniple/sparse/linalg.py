# SPDX-License-Identifier: BSD-3-Clause
"""scipy.sparse.linalg: cg, bicgstab, gmres, minres and others, eigsh, lobpcg, norm, LinearOperator, preconditioners."""

import ctypes

import numpy as np

from . import csr_array
from .._array import Layout, as_array, dtype_number, made, ndarray, vector_callback
from .._library import CONSTANTS, Shared, call, chosen, constant, lib, struct
from .._names import finished

__all__ = ["LinearOperator", "Preconditioner", "eigsh", "lobpcg", "norm", "spsolve_triangular"]


class LinearOperator(Shared):
    """An operator of a matrix, or of a Python function of vectors: LinearOperator((n, n), matvec, dtype="float64")."""

    def __init__(self, shape_or_matrix, matvec=None, rmatvec=None, dtype=float):
        self._keep = getattr(shape_or_matrix, "_held", None)  # which setdiag() does not change
        if isinstance(shape_or_matrix, csr_array):
            self.shape, self.dtype = shape_or_matrix.shape, shape_or_matrix.dtype
            super().__init__("operator_free", "operator_from_sparse", shape_or_matrix)
            return
        if matvec is None or not isinstance(shape_or_matrix, tuple):
            raise TypeError(
                f"an operator is a matrix of maniple.sparse, or a shape and a function, and not of type "
                f"{type(shape_or_matrix).__name__}"
            )
        self.shape, self.dtype = shape_or_matrix, np.dtype(dtype)
        layouts = [Layout((n,), "0") for n in self.shape]
        functions = [vector_callback(f) if f else None for f in (matvec, rmatvec)]
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
        """The product with a vector.  Collective."""
        return made("operator_run", self, False, as_array(x))

    def rmatvec(self, x):
        """The product of the adjoint with a vector.  Collective."""
        return made("operator_run", self, True, as_array(x))


def _operator(A):  # noqa: N803
    return A if isinstance(A, LinearOperator) else LinearOperator(A)


class Preconditioner(Shared):
    """M= of the solvers: jacobi, block-jacobi, ilu0, ic0, sor, ssor, chebyshev or polynomial."""

    def __init__(self, matrix, kind, block=0, omega=0.0, sweeps=0, degree=0):
        self._keep = getattr(matrix, "_held", None)
        number = CONSTANTS.get("MNP_PRECOND_" + kind.upper().replace("-", "_"))
        if number is None:
            raise ValueError(f"{kind!r} is no preconditioner; maniple.sparse.linalg.Preconditioner names them")
        super().__init__(
            "precond_free",
            "precond_new",
            matrix,
            number,
            struct("precond_options")(block, float(omega), sweeps, degree),
        )

    def matvec(self, x):
        """The preconditioner applied to a vector.  Collective."""
        return made("precond_apply", self, as_array(x))


def norm(matrix, ord="fro"):  # noqa: A002
    """A number: the norm of a matrix; ord is "fro", 1, inf or "max".  Collective."""
    value = ctypes.c_double()
    which = {"fro": b"f", 1: b"1", np.inf: b"i", "max": b"m"}[ord]
    call("sparse_norm", matrix, which, ctypes.byref(value))
    return value.value


def eigsh(
    A,  # noqa: N803
    k=6,
    which="LM",
    v0=None,
    ncv=None,
    maxiter=None,
    tol=0,
    return_eigenvectors=True,
    *,
    sigma=None,
    OPinv=None,  # noqa: N803
):
    """Eigenvalues, in ascending order, as NumPy's array, and their vectors as columns of an array.

    With sigma, which="LM" finds those nearest to it.  OPinv: the inverse of A - sigma; None: systems are solved by minres.
    """
    if OPinv is not None and sigma is None:
        raise ValueError("OPinv is the inverse of A - sigma: sigma is missing")
    values, cell = (ctypes.c_double * k)(), ctypes.c_void_p()
    op = _operator(A)
    options = struct("eigsh_options")()
    options.which = chosen("which", which, "EIGEN_", ("LM", "SM", "LA", "SA", "BE"))
    options.tol = float(tol)
    options.maxiter, options.ncv = maxiter or 0, ncv or 0
    start = None if v0 is None else as_array(v0)
    inverse = None if OPinv is None else _operator(OPinv)
    options.v0 = None if start is None else start._handle
    options.near_sigma, options.sigma = sigma is not None, sigma or 0
    options.inverse = None if inverse is None else inverse._handle
    call("eigsh", op, k, options, values, ctypes.byref(cell) if return_eigenvectors else None, None)
    found = np.ctypeslib.as_array(values).copy()
    return (found, ndarray(cell.value)) if return_eigenvectors else found


def lobpcg(A, X, B=None, M=None, tol=None, maxiter=None, largest=True):  # noqa: N803
    """As many eigenvalues as X has columns, as NumPy's array, and an array of their vectors.  Collective."""
    op, x = _operator(A), made("copy", as_array(X))
    over = None if B is None else _operator(B)
    options, values = struct("lobpcg_options")(), (ctypes.c_double * x.shape[1])()
    options.smallest, options.tol, options.maxiter = not largest, float(tol or 0), maxiter or 0
    options.b, options.precond = (None if o is None else o._handle for o in (over, M))
    call("lobpcg", op, options, x, values, None)
    return np.ctypeslib.as_array(values).copy(), x


def spsolve_triangular(A, b, lower=True, unit_diagonal=False):  # noqa: N803
    """scipy.sparse.linalg.spsolve_triangular: entries on the other side of the diagonal are an error.  Collective."""
    return made("sparse_solve_triangular", A, bool(lower), bool(unit_diagonal), as_array(b))


def _solver(name):
    def solve(A, b, x0=None, *, rtol=1e-5, atol=0.0, tol=None, maxiter=None, restart=None, M=None, callback=None):  # noqa: N803
        rtol, atol = rtol if tol is None else tol, 0.0 if atol is None else atol
        op, failures = _operator(A), []
        options, result, cell = struct("solve_options")(), struct("solve_result")(), ctypes.c_void_p()
        options.rtol, options.atol, options.maxiter, options.restart = rtol, atol, maxiter or 0, restart or 0
        options.precond = None if M is None else M._handle
        if callback is not None:

            @ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p)
            def progress(argument, iteration, residual, x):
                try:
                    return bool(callback(made("copy", ndarray._borrow(x)) if x else None))
                except BaseException as error:  # noqa: BLE001  it is raised when the method has ended
                    failures.append(error)
                    return True

            options.progress, options.every = ctypes.cast(progress, ctypes.c_void_p).value, 1
        if x0 is not None:
            start = made("copy", as_array(x0))
            cell.value = start._handle
        call("solve", op, as_array(b), constant("SOLVER_" + name.upper()), options, ctypes.byref(cell), result)
        if failures:
            raise failures[0]
        solution = start if x0 is not None else ndarray(cell.value)
        info = 0 if result.reason == constant("SOLVE_CONVERGED") else result.iterations or -1
        lib.mnp_solve_result_clear(ctypes.byref(result))
        return solution, info

    solve.__name__ = solve.__qualname__ = name
    solve.__doc__ = f"""A x = b by {name}: the solution, and 0, or the number of iterations if it was not reached.

    A: a matrix or a LinearOperator.  M: a Preconditioner.  tol: what rtol was called before.  callback(x) is called after each iteration, and ends the
    method if it returns something true.  Collective."""
    return solve


for _name in ("cg", "cg1", "bicgstab", "gmres", "fgmres", "minres", "cgs", "idr", "chebyshev", "lsqr"):
    globals()[_name] = _solver(_name)
    __all__.append(_name)

__dir__ = finished(globals(), "scipy.sparse.linalg")
