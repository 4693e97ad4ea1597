# SPDX-License-Identifier: BSD-3-Clause
"""Operators, preconditioners and solvers for tests that compare with scipy.sparse.linalg."""

import ctypes

import binding
import maniple as mp
import numpy as np

REASONS = ["CONVERGED", "MAXITER", "BREAKDOWN", "DIVERGED", "STOPPED", "STAGNATED"]
SOLVERS = ["cg", "cg1", "bicgstab", "gmres", "fgmres", "minres", "cgs", "idr", "chebyshev", "richardson", "lsqr",
           "bicg", "qmr", "tfqmr"]
PROGRESS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p)
APPLY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Options(ctypes.Structure):
    _fields_ = [("rtol", ctypes.c_double), ("atol", ctypes.c_double), ("maxiter", ctypes.c_int64),
                ("restart", ctypes.c_int), ("precond", ctypes.c_void_p), ("zero_guess", ctypes.c_bool),
                ("bounds", ctypes.c_double * 2), ("progress", ctypes.c_void_p), ("argument", ctypes.c_void_p),
                ("every", ctypes.c_int)]


class PrecondOptions(ctypes.Structure):
    _fields_ = [("block", ctypes.c_int), ("omega", ctypes.c_double), ("sweeps", ctypes.c_int), ("degree", ctypes.c_int)]


class Result(ctypes.Structure):
    _fields_ = [("reason_number", ctypes.c_int), ("iterations", ctypes.c_int64), ("residual", ctypes.c_double),
                ("rhs_norm", ctypes.c_double), ("seconds", ctypes.c_double), ("history_count", ctypes.c_int64),
                ("history_pointer", ctypes.POINTER(ctypes.c_double))]

    def take(self):
        """The history becomes NumPy's."""
        self.reason = REASONS[self.reason_number]
        self.history = np.array([self.history_pointer[i] for i in range(self.history_count)])
        mp.solve_result_clear(self)
        return self


class Handle(ctypes.c_void_p):
    """An opaque object, freed by that function when this one dies, on all ranks alike."""

    def __init__(self, cell, free, *kept):
        super().__init__(cell.value)
        self.free, self.kept = free, kept

    def __del__(self):
        if self.value:
            self.free(self)
            self.value = None


def operator(matrix):
    return Handle(mp.operator_from_sparse(matrix), mp.operator_free, matrix)


def function(dtype, rows, columns, apply, adjoint=None):
    """An operator of Python functions of NumPy arrays, this rank's parts."""
    def wrap(call):
        def run(_, x, y):
            try:
                given = binding.Array.__new__(binding.Array)
                given.pointer = ctypes.c_void_p(x)
                target = binding.Array.__new__(binding.Array)
                target.pointer = ctypes.c_void_p(y)
                mp.array_set_local(target, np.ascontiguousarray(call(given), target.dtype))
                return 0
            except mp.Error as error:
                return getattr(mp, error.status)
        return APPLY(run)
    calls = [wrap(apply), wrap(adjoint) if adjoint else None]
    pointers = [ctypes.cast(call, ctypes.c_void_p) if call else None for call in calls]
    made = mp.operator_new(dtype, rows, columns, *pointers, None)
    return Handle(made, mp.operator_free, calls, rows, columns)


def precond(matrix, kind, **options):
    number = getattr(mp, "MNP_PRECOND_" + kind.upper().replace("-", "_"))
    return Handle(mp.precond_new(matrix, number, PrecondOptions(**options)), mp.precond_free, matrix)


def precond_from(op):
    return Handle(mp.precond_from_operator(op), mp.precond_free, op)


def describe(precond):
    """What it says about itself, on rank 0."""
    libc = ctypes.CDLL(None)
    libc.tmpfile.restype = ctypes.c_void_p
    file = ctypes.c_void_p(libc.tmpfile())
    mp.precond_describe(precond, file)
    libc.rewind(file)
    text = ctypes.create_string_buffer(1000)
    libc.fread(text, 1, 999, file)
    libc.fclose(file)
    return text.value.decode()


def solve(op, b, solver, guess=None, progress=None, columns=None, **options):
    """The solution, and the result, or a list of them where there are so many columns."""
    bounds = options.pop("bounds", (0, 0))
    preconditioner = options.pop("precond", None)
    wrapped = PROGRESS(lambda _, i, r, x: bool(progress(i, r))) if progress else None
    given = Options(bounds=(ctypes.c_double * 2)(*bounds), precond=preconditioner,
                    progress=ctypes.cast(wrapped, ctypes.c_void_p) if wrapped else None, **options)
    results = (Result * (columns or 1))()
    x = mp.solve(op, b, getattr(mp, "MNP_SOLVER_" + solver.upper()), given, result=results, out=guess)
    taken = [r.take() for r in results]
    return x, taken if columns is not None else taken[0]


def kernel(dtype, shape, reach, body, adjoint=None, boundaries=None, **arrays):
    """An operator of a body of C++, and of arrays that it names."""
    pair = type("Pair", (ctypes.Structure,), {"_fields_": [("name", ctypes.c_char_p), ("array", ctypes.c_void_p)]})
    inputs = (pair * (len(arrays) + 1))(*[(name.encode(), array.pointer) for name, array in arrays.items()])
    made = mp.operator_from_kernel(dtype, len(shape), list(shape), boundaries, list(reach), body, adjoint, inputs)
    return Handle(made, mp.operator_free)


def stencil(dtype, shape, offsets, coefficients, boundaries=None):
    """The operator of a grid's stencil: offsets is a list of tuples."""
    flat = [int(k) for offset in offsets for k in offset]
    made = mp.operator_from_stencil(dtype, len(shape), list(shape), boundaries, len(offsets), flat,
                                    np.asarray(coefficients, np.dtype(dtype)))
    return Handle(made, mp.operator_free)


def check_reasons(prefix, names, text, others=()):
    """Points: the names are all that the headers have beside others, each has words of its own, and no other number."""
    said = [text(getattr(mp, prefix + name)) for name in names]
    known = {name for name in binding._constants if name.startswith(prefix)}
    mp.ok({prefix + name for name in (*names, *others)} == known, f"{prefix}: {sorted(known)}")
    mp.ok([getattr(mp, prefix + name) for name in names] == list(range(len(names))), f"{prefix}: in this order")
    mp.ok(len(set(said)) == len(names) and all(said) and "unknown reason" not in said, f"{prefix}: words: {said}")
    mp.ok({text(-1), text(len(names)), text(1000)} == {"unknown reason"}, f"{prefix}: other numbers")
