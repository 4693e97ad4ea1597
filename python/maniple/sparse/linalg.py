# SPDX-License-Identifier: BSD-3-Clause
"""scipy.sparse.linalg: cg, bicgstab, gmres, minres and others, eigsh, lobpcg, norm, LinearOperator, preconditioners."""

import ctypes
import functools
import operator
import weakref

import numpy as np

from . import _krylov, csr_array, eye_array
from .._array import as_array, made, ndarray, vector_callback
from .._dtypes import dtype_number, numpy_dtypes
from .._layout import Layout
from .._errors import LinAlgError
from .._library import CONSTANTS, Shared, call, chosen, constant, lib, struct
from .._names import finished, names

__all__ = """LinearOperator Preconditioner aslinearoperator eigs eigsh expm_multiply lobpcg lsmr matrix_power norm
    spsolve_triangular svds""".split()


class LinearOperator(Shared):
    """An operator of a matrix, or of Python functions of vectors: LinearOperator((n, n), matvec, dtype="float64").

    matmat and rmatmat are functions of matrices, for products with several columns at once.  A class that is derived
    has them as methods, as SciPy's: _matvec or _matmat, and _rmatvec, _rmatmat or _adjoint; it calls
    super().__init__(dtype, shape)."""

    _kind = "mnp_operator"
    ndim = 2

    def __init__(self, shape, matvec=None, rmatvec=None, matmat=None, dtype=float, rmatmat=None):
        if hasattr(self, "_matvec") or hasattr(self, "_matmat"):
            shape, dtype = (matvec, shape) if isinstance(matvec, (tuple, list)) else (shape, dtype)
            matvec, rmatvec, matmat, rmatmat = self._methods()
        shape_or_matrix = tuple(shape) if isinstance(shape, list) else shape
        self._functions, self._of_columns = None, (matmat, rmatmat)
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
        given = {"matvec": matvec, "rmatvec": rmatvec, "matmat": matmat, "rmatmat": rmatmat}
        for name, function in given.items():
            if function is not None and (not callable(function) or isinstance(function, type)):
                raise TypeError(f"{name} is a {type(function).__name__}, and must be a function; dtype= is a name of its own")
        self.shape, self.dtype = shape_or_matrix, np.dtype(dtype)  # None: float64
        layouts = [Layout((n,), "0") for n in self.shape]
        self._functions = matvec, rmatvec
        functions = [vector_callback(f) if f else None for f in (matvec, rmatvec)]
        self._keep = functions, layouts
        super().__init__(
            "operator_free",
            "operator_new",
            dtype_number(self.dtype),
            *layouts,
            *[None if f is None else ctypes.cast(f, ctypes.c_void_p).value for f in functions],
            None,
        )

    def _methods(self):
        """matvec, rmatvec, matmat and rmatmat of a class that is derived, which do not keep the object."""
        this = weakref.ref(self)
        matvec, rmatvec, matmat, rmatmat = (
            (lambda v, name=name: getattr(this(), name)(v)) if hasattr(self, name) else None
            for name in ("_matvec", "_rmatvec", "_matmat", "_rmatmat"))
        if matvec is None:
            matvec = lambda v: matmat(v[:, None])  # noqa: E731
        if rmatvec is None and hasattr(self, "_adjoint"):
            rmatvec = lambda v: this()._adjoint().matvec(v)  # noqa: E731
        elif rmatvec is None and rmatmat is not None:
            rmatvec = lambda v: rmatmat(v[:, None])  # noqa: E731
        return matvec, rmatvec, matmat, rmatmat

    def matvec(self, x):
        """The product with a vector.  Collective."""
        return made("operator_run", self, False, as_array(x))

    def rmatvec(self, x):
        """The product of the adjoint with a vector.  Collective."""
        return made("operator_run", self, True, as_array(x))

    def matmat(self, X):  # noqa: N803
        """The products with the columns of a matrix.  Collective."""
        X = as_array(X)  # noqa: N806
        if self._of_columns[0] is not None:
            return as_array(self._of_columns[0](X))
        return names.stack([self.matvec(X[:, j]) for j in range(X.shape[1])], axis=1)

    def dot(self, x):
        """The product with a vector, or with the columns of a matrix.  Collective."""
        return self.matmat(x) if np.ndim(x) == 2 else self.matvec(x)

    def rmatmat(self, X):  # noqa: N803
        """The products of the adjoint with the columns of a matrix.  Collective."""
        return self.adjoint().matmat(X)

    def __matmul__(self, x):
        return self._times(x) if isinstance(x, (ndarray, np.ndarray, LinearOperator, csr_array)) else NotImplemented

    def __call__(self, x):
        return self * x

    def __mul__(self, x):
        return self._scaled(x) if np.isscalar(x) else self @ x

    def __rmul__(self, number):
        return self._scaled(number) if np.isscalar(number) else NotImplemented

    def __neg__(self):
        return self._scaled(-1)

    def __add__(self, other):
        if not isinstance(other, (LinearOperator, csr_array)):
            return NotImplemented
        other = _operator(other)
        if self.shape != other.shape:
            raise ValueError(f"operators of the shapes {self.shape} and {other.shape} have no sum")
        return LinearOperator(self.shape, lambda v: self.matvec(v) + other.matvec(v),
                              lambda v: self.rmatvec(v) + other.rmatvec(v), dtype=np.promote_types(self.dtype, other.dtype))

    def __sub__(self, other):
        return self + -other if isinstance(other, (LinearOperator, csr_array)) else NotImplemented

    def __pow__(self, power):
        power = operator.index(power)
        if power < 0 or self.shape[0] != self.shape[1]:
            raise ValueError(f"an operator of shape {self.shape} has no power {power} here")

        def repeated(multiply):
            return lambda v: functools.reduce(lambda w, _: multiply(w), range(power), v)

        return LinearOperator(self.shape, repeated(self.matvec), repeated(self.rmatvec), dtype=self.dtype)

    def _scaled(self, number):
        dtype = np.result_type(np.empty(0, self.dtype), number)
        there, back = lambda v: number * self.matvec(v), lambda v: np.conj(number) * self.rmatvec(v)
        return LinearOperator(self.shape, there, back, dtype=dtype)

    def _times(self, x):
        """The product with vectors, or with an operator that comes first."""
        if isinstance(x, (ndarray, np.ndarray)):
            return self.dot(x)
        x = _operator(x)
        if self.shape[1] != x.shape[0]:
            raise ValueError(f"operators of the shapes {self.shape} and {x.shape} have no product")
        return LinearOperator((self.shape[0], x.shape[1]), lambda v: self.matvec(x.matvec(v)),
                              lambda v: x.rmatvec(self.rmatvec(v)), dtype=np.promote_types(self.dtype, x.dtype))

    def adjoint(self):
        """The adjoint operator.  Collective."""
        matmat, rmatmat = self._of_columns
        return LinearOperator(self.shape[::-1], self.rmatvec, self.matvec, rmatmat, self.dtype, matmat)

    def transpose(self):
        """The operator of the transposed matrix.  Collective."""
        if self.dtype.kind != "c":
            return self.adjoint()
        there, back = (lambda x, f=f: names.conj(f(names.conj(x))) for f in (self.rmatvec, self.matvec))
        return LinearOperator(self.shape[::-1], there, back, dtype=self.dtype)

    H, T = property(adjoint), property(transpose)


class _OfOperator(Shared):
    """An operator as a preconditioner, which keeps it."""

    _kind = "mnp_precond"

    def __init__(self, op):
        self._keep = op
        super().__init__("precond_free", "precond_from_operator", op)


def _preconditioner(M, op, dtype):  # noqa: N803
    """What M= may be: a Preconditioner, an operator or a matrix that is about the inverse of op, or a function of
    vectors of that dtype that multiplies with it."""
    if M is None or isinstance(M, Preconditioner):
        return M
    if isinstance(M, (LinearOperator, csr_array, ndarray, np.ndarray)) or hasattr(M, "tocsr"):
        return _OfOperator(_as_precise(aslinearoperator(M), dtype))
    if callable(M):
        return _OfOperator(LinearOperator(op.shape, M, dtype=dtype))
    raise TypeError(f"M is a {type(M).__name__}, and must be a Preconditioner, an operator, a matrix or a function")


def aslinearoperator(A):  # noqa: N803
    return _operator(A if isinstance(A, (csr_array, LinearOperator)) else csr_array(A))


def _operator(A):  # noqa: N803
    return A if isinstance(A, LinearOperator) else LinearOperator(A)


def _as_precise(op, dtype):
    """An operator of Python functions, for vectors as precise as that dtype: the library rounds them to the operator's
    own.  Matrices need nothing."""
    wanted = np.promote_types(op.dtype, np.empty(0, dtype).real.dtype)
    return op if op._functions is None or wanted == op.dtype else LinearOperator(op.shape, *op._functions, dtype=wanted)


class Preconditioner(Shared):
    """M= of the solvers: jacobi, block-jacobi, ilu0, ic0, sor, ssor, chebyshev or polynomial."""

    _kind = "mnp_precond"

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


def norm(x, ord=None, axis=None):  # noqa: A002
    """scipy.sparse.linalg.norm: a number, the norm of a matrix; ord is None or "fro", 1, -1, inf, -inf, "max", or 2, for
    the largest singular value.  With an axis, those of all columns (0) or rows (1), as an array; ord is None, inf, -inf,
    0, the number of elements that are not 0, or any other number.  Of the axes (1, 0) it is the norm of the transposed
    matrix.  Collective."""
    axes = (axis,) if np.ndim(axis) == 0 else tuple(axis)
    if axes != (None,):
        axes = tuple(operator.index(a) for a in axes)
        if not all(-2 <= a < 2 for a in axes) or len({a % 2 for a in axes}) != len(axes) or len(axes) == 0:
            raise ValueError(f"axis is {axis!r}, and must be 0, 1, or both")
        if len(axes) == 1:
            return _norms_of_lines(abs(x), ord, axes[0] % 2)
        if axes[0] % 2 == 1:
            ord = {1: np.inf, np.inf: 1, -1: -np.inf, -np.inf: -1}.get(ord, ord)  # noqa: A001
    if ord in (-1, -np.inf):
        return abs(x).sum(0 if ord == -1 else 1).min().item()
    if ord == 2 and min(x.shape) > 1:
        return svds(x, 1, return_singular_vectors=False)[0].item()
    value = ctypes.c_double()
    norms = {2: b"f", None: b"f", "fro": b"f", 1: b"1", np.inf: b"i", "max": b"m"}
    if ord not in norms:
        raise ValueError(f"ord is {ord!r}, and none of {', '.join(map(repr, norms))}, -1 and -inf")
    call("sparse_norm", x, norms[ord], ctypes.byref(value))
    return value.value


def _norms_of_lines(moduli, ord, axis):  # noqa: A002
    if isinstance(ord, str):
        raise ValueError(f"ord is {ord!r}, and of lines must be None or a number")
    if ord in (np.inf, -np.inf):
        return moduli.max(axis) if ord > 0 else moduli.min(axis)
    if ord == 0:
        return (moduli != 0).astype(float).sum(axis).astype(np.int64)
    if ord == 1:
        return moduli.sum(axis)
    if ord is None or ord == 2:
        return names.sqrt(moduli.power(2).sum(axis))
    return moduli.power(ord).sum(axis) ** (1 / ord)


def matrix_power(A, power):  # noqa: N803
    """scipy.sparse.linalg.matrix_power: a product of matrices, which fills them.  Collective."""
    power = operator.index(power)
    if power < 0 or A.shape[0] != A.shape[1]:
        raise ValueError(f"a matrix of shape {A.shape} has no power {power} here")
    if power == 0:
        return eye_array(A.shape[0], dtype=A.dtype)
    half = matrix_power(A, power // 2) if power > 1 else None
    return A if half is None else half @ half @ A if power % 2 else half @ half


def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None):  # noqa: N803
    """scipy.sparse.linalg.expm_multiply: expm(A) @ B of a matrix A, by Taylor series of expm(A / n), n times, where the
    norm of A / n is at most 1; or with start and stop expm(t A) @ B of all times t of numpy.linspace, stacked.  traceA
    is not needed.  Waits.  Collective."""
    given = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    given = {key: value for key, value in given.items() if value is not None}
    if not given:
        return _exponential_times(A, B)
    times, step = np.linspace(**given, retstep=True)
    if not times.size:
        raise ValueError("expm_multiply: num is 0, and there must be a time")
    found = [_exponential_times(times[0] * A, B)]
    further = step * A
    for _ in times[1:]:
        found.append(_exponential_times(further, found[-1]))
    return names.stack(found)


def _exponential_times(A, B):  # noqa: N803
    x, steps = as_array(B), max(1, int(np.ceil(norm(A, 1))))
    for _ in range(steps):
        term = x
        for degree in range(1, 60):
            term = A @ term / (degree * steps)
            x = x + term
            if bool(names.max(abs(term)) <= np.finfo(x.dtype).eps / 2 * names.max(abs(x))):
                break
    return x


def svds(A, k=6, ncv=None, tol=0, which="LM", v0=None, maxiter=None, return_singular_vectors=True,  # noqa: N803
         solver="arpack", rng=None, options=None, *, random_state=None):
    """u, s and vh: the largest (or with which="SM" the smallest) singular values, in ascending order as NumPy's array,
    and their vectors, of the eigenvalues of the smaller one of A^H A and A A^H, which eigsh() finds.  solver, rng,
    its old name random_state and options are not needed.  Collective."""
    if which not in ("LM", "SM"):
        raise ValueError(f"which is {which!r}, and neither 'LM' nor 'SM'")
    op = aslinearoperator(A)
    there, back = (op.matvec, op.rmatvec) if op.shape[0] >= op.shape[1] else (op.rmatvec, op.matvec)
    gram = LinearOperator((min(op.shape),) * 2, lambda v: back(there(v)), dtype=op.dtype)
    squares, right = eigsh(gram, k, None, None, which[0] + "A", v0, ncv, maxiter, tol)
    values = np.sqrt(np.maximum(squares, 0))
    if not return_singular_vectors:
        return values
    left = names.stack([there(right[:, j]) / s if s else names.zeros(max(op.shape), op.dtype)
                        for j, s in enumerate(values.tolist())], axis=1)
    u, v = (left, right) if op.shape[0] >= op.shape[1] else (right, left)
    return u, values, names.conj(v.T)


def eigsh(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0,  # noqa: N803
          return_eigenvectors=True, Minv=None, OPinv=None, mode="normal", rng=None):  # noqa: N803
    """Eigenvalues, in ascending order, as NumPy's array, and their vectors as columns of an array.  M and Minv must be
    None: lobpcg() takes a second matrix; and mode must be normal.  rng is not needed: the start is always the same.

    With sigma, which="LM" finds those nearest to it.  OPinv: the inverse of A - sigma; None: systems are solved by
    minres."""
    if M is not None or Minv is not None or mode != "normal":
        raise ValueError("eigsh: M, Minv or another mode than 'normal' is given, and there are none here: "
                         "lobpcg(A, X, B) takes a second matrix")
    if OPinv is not None and sigma is None:
        raise ValueError("OPinv is the inverse of A - sigma: sigma is missing")
    values, cell = (ctypes.c_double * k)(), ctypes.c_void_p()
    op = aslinearoperator(A)
    options = struct("eigsh_options")()
    options.which = chosen("which", which, "EIGEN_", ("LM", "SM", "LA", "SA", "BE"))
    options.tol = float(tol)
    options.maxiter, options.ncv = maxiter or 0, ncv or 0
    start = None if v0 is None else as_array(v0)
    inverse = None if OPinv is None else aslinearoperator(OPinv)
    options.v0 = None if start is None else start._handle
    options.near_sigma, options.sigma = sigma is not None, sigma or 0
    options.inverse = None if inverse is None else inverse._handle
    call("eigsh", op, k, options, values, ctypes.byref(cell) if return_eigenvectors else None, None)
    found = np.array(values[:], np.empty(0, op.dtype).real.dtype)
    return (found, ndarray._adopt(cell.value)) if return_eigenvectors else found


def _ran_by_eigs(op, M, Minv, OPinv):  # noqa: N803
    """The operator whose largest eigenvalues are wanted."""
    if OPinv is None:
        return op if Minv is None else aslinearoperator(Minv) @ op
    return aslinearoperator(OPinv) if M is None else aslinearoperator(OPinv) @ aslinearoperator(M)


def eigs(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0,  # noqa: N803
         return_eigenvectors=True, Minv=None, OPinv=None, OPpart=None, rng=None):  # noqa: N803
    """scipy.sparse.linalg.eigs: k eigenvalues of any square matrix, as NumPy's array of complex numbers, and their
    vectors as columns.  With sigma, "LM" finds those nearest to it, and OPinv is the inverse of A - sigma.  M: a second
    matrix, of A x = w M x, whose inverse is Minv, or with sigma OPinv is the inverse of A - sigma M.  OPpart must be
    None, and rng is not needed.  Waits.  Collective."""
    op = aslinearoperator(A)
    if which not in _krylov.ORDERS:
        raise ValueError(f"which is {which!r}, and none of {', '.join(_krylov.ORDERS)}")
    if op.shape[0] != op.shape[1] or not 0 < k < op.shape[0] - 1:
        raise ValueError(f"a matrix of shape {op.shape} has no {k} eigenvalues that eigs() finds: maniple.linalg.eig() "
                         "has all")
    if (sigma is None) != (OPinv is None):
        raise ValueError("sigma and OPinv, the inverse of A - sigma, are given together")
    if OPpart is not None or (M is None) != (Minv is None) and sigma is None:
        raise ValueError("eigs: OPpart must be None, and M and Minv, its inverse, are given together, or M with sigma")
    ran, n = _ran_by_eigs(op, M, Minv, OPinv), op.shape[0]
    ncv = min(n, max(2 * k + 1, 20) if ncv is None else ncv)
    if ncv < k + 2:
        raise ValueError(f"ncv is {ncv}, and must be from {k + 2} to {n}")
    start = names.ones(n) + names.arange(n) % 7 / 7 if v0 is None else as_array(v0)
    if ran.dtype.kind != "c":
        multiply = lambda v: ran.matvec(names.copy(v.real)) + 1j * ran.matvec(names.copy(v.imag))  # noqa: E731
    else:
        multiply = ran.matvec
    found = _krylov.eigs(multiply, start, k, which, ncv, maxiter or 10 * n, tol)
    if found is None:
        raise LinAlgError(CONSTANTS["MNP_ERR_LINALG"], f"eigs: {k} eigenvalues have not converged")
    values, vectors = found
    values = values if sigma is None else sigma + 1 / values
    return (values, vectors) if return_eigenvectors else values


def _of_columns(A, x):  # noqa: N803
    """An operator for vectors like the columns of x, also of a function of matrices."""
    if not callable(A) or isinstance(A, LinearOperator):
        return aslinearoperator(A)
    return LinearOperator((x.shape[0],) * 2, lambda v: A(v[:, None]), matmat=A, dtype=np.result_type(x.dtype, np.float32))


def lobpcg(A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0,  # noqa: N803
           retLambdaHistory=False, retResidualNormsHistory=False, restartControl=20):  # noqa: N803
    """As many eigenvalues as X has columns, as NumPy's array, and an array of their vectors.  verbosityLevel and
    restartControl are not needed; Y must be None, and there are no histories.  A and B may be functions of matrices.
    Collective."""
    if Y is not None or retLambdaHistory or retResidualNormsHistory:
        raise ValueError("lobpcg: Y or a history is given, and there are neither constraints nor histories here")
    x = as_array(X)
    op, over = _of_columns(A, x), None if B is None else _of_columns(B, x)
    precond = _preconditioner(M, op, _dtype(op, x))
    x = names.astype(x, _dtype(op, x, precond))
    options, values = struct("lobpcg_options")(), (ctypes.c_double * x.shape[1])()
    options.smallest, options.tol, options.maxiter = not largest, float(tol or 0), maxiter or 0
    options.b, options.precond = (None if o is None else o._handle for o in (over, precond))
    call("lobpcg", op, options, x, values, None)
    return np.ctypeslib.as_array(values).copy(), x


def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):  # noqa: N803
    """scipy.sparse.linalg.spsolve_triangular: entries on the other side of the diagonal are an error.  Collective."""
    return made("sparse_solve_triangular", A, bool(lower), bool(unit_diagonal), as_array(b))


# ---- systems ----


def _times_b(M, b):  # noqa: N803
    """M @ b, of a vector or of columns."""
    apply = names.copy if M is None else M._keep.matvec if isinstance(M, _OfOperator) else M.matvec
    return apply(b) if b.ndim == 1 else names.stack([apply(b[:, j]) for j in range(b.shape[1])], axis=1)


def _dtype(op, b, M=None):  # noqa: N803
    """The dtype of a solution."""
    return numpy_dtypes[lib.mnp_solve_dtype(op._handle, b._handle, None if M is None else M._handle)]


def _start(x0, M, b, dtype):  # noqa: N803
    """The guess, as an array of that dtype that the solution replaces, or None."""
    if x0 is None:
        return None
    if isinstance(x0, str) and x0 != "Mb":
        raise ValueError(f"x0 is {x0!r}, and must be an array, None or 'Mb', which is M @ b")
    start = _times_b(M, b) if isinstance(x0, str) else as_array(x0)
    return names.astype(names.ravel(start) if b.ndim == 1 else start, dtype, casting="same_kind")


def _progress(report, failures):
    """A function of C that reports each iterate, by report(residual, x), and ends the method by something true.  x is
    the address of the iterate, which the method goes on with."""

    @ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p)
    def progress(argument, iteration, residual, x):
        try:
            return bool(report(residual, x))
        except BaseException as error:  # noqa: BLE001  it is raised when the method has ended
            failures.append(error)
            return True

    return progress


def _solve(name, op, b, start, M, report=None, **wanted):  # noqa: N803
    """The solution, and the results of all columns of b: the reasons for which they ended, and their iterations."""
    options, failures = struct("solve_options")(), []
    for key, value in wanted.items():
        setattr(options, key, value)
    results = (struct("solve_result") * (b.shape[1] if b.ndim > 1 else 1))()
    cell = ctypes.c_void_p(None if start is None else start._handle)
    options.precond = None if M is None else M._handle
    if report is not None:
        progress = _progress(report, failures)
        options.progress, options.every = ctypes.cast(progress, ctypes.c_void_p).value, 1
    call("solve", op, b, constant("SOLVER_" + name.upper()), options, ctypes.byref(cell), results)
    ends = [(result.reason, result.iterations) for result in results]
    for result in results:
        lib.mnp_solve_result_clear(ctypes.byref(result))
    x = start if start is not None else ndarray._adopt(cell.value)
    if failures:
        raise failures.pop()
    return x, ends


def _least_squares(name, A, b, x0, limits, callback=None, calc_var=False):  # noqa: N803
    """The solution, the variances of lsqr or None, and numbers.  For C a limit of 0 is what it chooses, and -1 is 0."""
    op, b = aslinearoperator(A), names.ravel(as_array(b))
    start = None if x0 is None else names.ravel(as_array(x0))
    if start is not None:  # which takes part in b - A x0
        b = names.astype(b, np.promote_types(b.dtype, start.dtype), copy=False)
        start = names.astype(start, _dtype(op, b))
    op = _as_precise(op, _dtype(op, b))
    damp, *limits, maxiter = limits
    options, failures = struct("least_squares_options")(damp, *[limit or -1 for limit in limits]), []
    options.maxiter = 0 if maxiter is None else maxiter or -1
    result, variances = struct("least_squares_result")(), ctypes.c_void_p()
    if callback is not None:
        progress = _progress(lambda residual, x: callback(made("copy", ndarray._borrow(x))), failures)
        options.progress, options.every = ctypes.cast(progress, ctypes.c_void_p).value, 1
    cell = ctypes.c_void_p(None if start is None else start._handle)
    of_lsqr = [ctypes.byref(variances) if calc_var else None] if name == "lsqr" else []
    call(name, op, b, options, ctypes.byref(cell), *of_lsqr, ctypes.byref(result))
    if maxiter == 0 and result.istop == 7:
        result.istop = 0  # SciPy's number where no iteration was wanted
    x = ndarray._adopt(cell.value) if start is None else start
    var = ndarray._adopt(variances.value) if calc_var else None
    if failures:
        raise failures.pop()
    return x, var, result


def _info(ends, maxiter):
    """SciPy's number: 0, or how many iterations have not been enough."""
    for reason, iterations in ends:
        if reason != constant("SOLVE_CONVERGED"):
            return maxiter if maxiter and reason == constant("SOLVE_MAXITER") else iterations or -1
    return 0


def _system(A, b, x0, M):  # noqa: N803
    """The operator, b, where one column is a vector as in SciPy, the guess, and the preconditioner."""
    op, b = aslinearoperator(A), as_array(b)
    b = names.ravel(b) if b.ndim == 2 and b.shape[1] == 1 else b
    dtype = _dtype(op, b)
    op, precond = _as_precise(op, dtype), _preconditioner(M, op, dtype)
    return op, b, _start(x0, precond, b, _dtype(op, b, precond)), precond


def _unchanged(system):
    """What a method gives that may do nothing."""
    op, b, start, precond = system
    return names.zeros(op.shape[1:] + b.shape[1:], _dtype(op, b, precond)) if start is None else start, 0


def _by_iterations(name, system, callback, maxiter, **limits):
    op, b, start, precond = system
    if maxiter == 0:
        return _unchanged(system)
    report = None if callback is None else lambda residual, x: callback(made("copy", ndarray._borrow(x)) if x else None)
    x, ends = _solve(name, op, b, start, precond, report, maxiter=maxiter or 0, **limits)
    return x, _info(ends, maxiter)


def _limits(rtol, atol, tol):
    """When a method has converged; for C 0 is what it chooses, and -1 is 0."""
    return {"rtol": (rtol if tol is None else tol) or -1.0, "atol": atol or 0.0}


_ABOUT = """A x = b by {}: the solution, and 0, or the number of iterations if it was not reached.

    A: a matrix or a LinearOperator.  M: a Preconditioner; or a LinearOperator, a matrix or a function of vectors that
    multiplies with about the inverse of A.  x has the wider dtype of A and b, in which the system is solved, as in SciPy,
    and is complex where M is.  tol: what rtol was called before.  {}  Collective."""
_CALLED = "callback(x) is called after each iteration, and ends the method if it returns something true."


def _named(function, name, words):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _ABOUT.format(name, words)
    __all__.append(name)
    return function


def _solver(name, words=""):
    def solve(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, tol=None):  # noqa: N803
        return _by_iterations(name, _system(A, b, x0, M), callback, maxiter, **_limits(rtol, atol, tol))

    return _named(solve, name, words + _CALLED)


for _name in ("cg", "cg1", "bicgstab", "cgs", "chebyshev"):
    globals()[_name] = _solver(_name)

_ADJOINTS = "A and M are multiplied by their adjoints too, which a LinearOperator has where rmatvec is given.  "
bicg = _solver("bicg", _ADJOINTS)


def qmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M1=None, M2=None, callback=None, tol=None):  # noqa: N803
    return _by_iterations("qmr", _system(A, b, x0, *_both(M1, M2)), callback, maxiter, **_limits(rtol, atol, tol))


def _both(M1, M2):  # noqa: N803
    """The preconditioner that is M1, and then M2."""
    if M1 is None or M2 is None:
        return (M2 if M1 is None else M1,)
    M1, M2 = (m if isinstance(m, Preconditioner) else aslinearoperator(m) for m in (M1, M2))  # noqa: N806
    if isinstance(M1, Preconditioner) or isinstance(M2, Preconditioner):
        raise TypeError("M1 and M2 are both given, and one is a Preconditioner, of which there is no product")
    return (M2 @ M1,)


_named(qmr, "qmr", "M1 and M2: what M is above, together M2 @ M1.  " + _ADJOINTS + _CALLED)


def tfqmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, show=False,  # noqa: N803
          tol=None):
    op, b, start, precond = system = _system(A, b, x0, M)
    limits = _limits(rtol, atol, tol)
    if start is not None and b.ndim == 1:  # rtol is of the residual of the guess there
        limits = {"rtol": -1.0, "atol": max(limits["rtol"] * _krylov.norm(b - op.matvec(start)), limits["atol"])}
    return _by_iterations("tfqmr", system, callback, min(10000, 10 * op.shape[1]) if maxiter is None else maxiter, **limits)


_named(tfqmr, "tfqmr", "rtol is of the residual of x0, as in SciPy, and an iteration one product with A; show changes "
                       "nothing.  " + _CALLED)


def idr(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None,  # noqa: N803
        tol=None):
    limits = {"restart": restart or 0, **_limits(rtol, atol, tol)}
    return _by_iterations("idr", _system(A, b, x0, M), callback, maxiter, **limits)


_named(idr, "idr", "restart: the s of IDR(s).  " + _CALLED)


def _restarted(name):
    def solve(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None,  # noqa: N803
              callback_type=None, tol=None):
        if callback_type not in (None, "legacy", "pr_norm", "x"):
            raise ValueError(f"callback_type is {callback_type!r}, and none of 'legacy', 'pr_norm' and 'x'")
        op, b, start, precond = system = _system(A, b, x0, M)
        if maxiter == 0:
            return _unchanged(system)
        restart = max(1, min(restart or 20, op.shape[1]))
        counts_all = callback is not None and callback_type in (None, "legacy")
        products = (maxiter or 0) * (1 if counts_all else restart)
        wanted = {"restart": restart, **_limits(rtol, atol, tol)}
        if callback is None or callback_type != "x":
            size = 1.0 if callback is None else _krylov.norm(b) or 1.0
            report = None if callback is None else lambda residual, x: callback(residual / size)
            x, ends = _solve(name, op, b, start, precond, report, maxiter=products, **wanted)
            return x, _info(ends, maxiter)
        for _ in range(maxiter or 10 * op.shape[1]):
            start, ends = _solve(name, op, b, start, precond, maxiter=restart, **wanted)
            if callback(start) or all(reason != constant("SOLVE_MAXITER") for reason, _ in ends):
                break
        return start, _info(ends, maxiter)

    return _named(solve, name, """restart: how many vectors are kept; None: 20.  maxiter: how often the method
    begins anew, or, as in SciPy, with a callback but no type of it how many products there are; None: 10 products for
    each column of A.  callback(r) is called after each product, with the norm of the residual divided by that of b, or
    with callback_type="x" callback(x) whenever the method begins anew; it ends the method if it returns something
    true.""")


for _name in ("gmres", "fgmres"):
    globals()[_name] = _restarted(_name)


def minres(A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, show=False,  # noqa: N803
           check=False, atol=0.0, tol=None):
    if shift:
        eye = eye_array(A.shape[0], dtype=np.empty(0, _dtype(aslinearoperator(A), as_array(b))).real.dtype)
        A = A - shift * eye if isinstance(A, csr_array) else aslinearoperator(A) - shift * aslinearoperator(eye)
    op, b, *others = _system(A, b, x0, M)
    if check:
        v = b if b.ndim == 1 else names.copy(b[:, 0])
        once = op.matvec(v)
        here, there = complex(names.vdot(once, once)), complex(names.vdot(v, op.matvec(once)))
        if abs(here - there) > abs(here) * np.finfo(float).eps ** (1 / 3):
            raise ValueError("minres: the matrix is not symmetric, or Hermitian")
    return _by_iterations("minres", (op, b, *others), callback, maxiter, **_limits(rtol, atol, tol))


_named(minres, "minres", "shift: of A - shift I; check: whether A is Hermitian, by two products; show changes "
                         "nothing.  " + _CALLED)


def lsmr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False, x0=None):  # noqa: N803
    """scipy.sparse.linalg.lsmr: x that makes |b - A x|^2 + damp^2 |x|^2 least, and seven numbers about it; show changes
    nothing.  Waits.  Collective."""
    x, _, r = _least_squares("lsmr", A, b, x0, (damp, atol, btol, conlim, maxiter))
    return x, r.istop, r.iterations, r.r2norm, r.arnorm, r.anorm, r.acond, r.xnorm


def lsqr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, iter_lim=None, show=False, calc_var=False,  # noqa: N803
         x0=None, *, callback=None):
    """scipy.sparse.linalg.lsqr: x that makes |b - A x|^2 + damp^2 |x|^2 least, eight numbers about it, and with
    calc_var estimates of the diagonal of the inverse of A^H A + damp^2; show changes nothing.  callback(x) is called
    after each iteration, and ends the method if it returns something true.  Waits.  Collective."""
    x, var, r = _least_squares("lsqr", A, b, x0, (damp, atol, btol, conlim, iter_lim), callback, calc_var)
    var = names.zeros(x.shape) if var is None else var
    return x, r.istop, r.iterations, r.r1norm, r.r2norm, r.anorm, r.acond, r.arnorm, r.xnorm, var


__all__.append("lsqr")

_DIRECT = "spsolve", "splu", "spilu", "factorized", "inv"


def __getattr__(name):
    told = ": there are no direct solvers of sparse matrices; cg(), gmres() and others iterate, with M= of " \
           "Preconditioner(A, 'ilu0'), and maniple.linalg.solve(A.toarray(), b) takes a matrix that is small"
    raise AttributeError(f"maniple.sparse.linalg has no {name}{told if name in _DIRECT else ''}")


__dir__ = finished(globals(), "scipy.sparse.linalg")
