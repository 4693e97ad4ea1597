# SPDX-License-Identifier: BSD-3-Clause
"""mnp_lsqr and mnp_lsmr: solutions, iterations, reasons and norms, compared with NumPy's and scipy.sparse.linalg's."""

import ctypes

import matrices
import maniple as mp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg
import solving
from solving import operator

rng = mp.random()  # for layouts
systems = np.random.default_rng(5)  # the same in every run: rounding may decide when a method ends
METHODS = {"lsqr": (scipy.sparse.linalg.lsqr, "iter_lim"), "lsmr": (scipy.sparse.linalg.lsmr, "maxiter")}


class Options(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_double) for name in ("damp", "atol", "btol", "conlim")), ("maxiter", ctypes.c_int64),
                ("progress", ctypes.c_void_p), ("argument", ctypes.c_void_p), ("every", ctypes.c_int)]


class Result(ctypes.Structure):
    _fields_ = [("istop", ctypes.c_int), ("iterations", ctypes.c_int64),
                *((name, ctypes.c_double) for name in ("r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm"))]


def least(method, op, b, guess=None, variances=False, progress=None, **options):
    """The solution, which takes the place of a guess, the result, and the variances if they are wanted."""
    wrapped = solving.PROGRESS(lambda _, i, r, x: bool(progress(i, r))) if progress else None
    given = Options(progress=ctypes.cast(wrapped, ctypes.c_void_p) if wrapped else None, **options)
    result = Result()
    more = {} if method == "lsmr" or variances else {"variances_p": None}
    x = getattr(mp, method)(op, b, given, result=result, out=guess, **more)
    return (x[0], result, x[1]) if variances else (x, result)


def numbers(dtype, *shape):
    return (systems.standard_normal(shape) + (1j * systems.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)).astype(dtype)


def matrix(m, n, dtype):
    """Some entries, and 3 on the diagonal: of full rank, and well conditioned."""
    a = numbers(dtype, m, n) * (systems.random((m, n)) < 2 / max(m, n, 1)) / 3 + 3 * np.eye(m, n)
    return scipy.sparse.csr_array(a.astype(dtype))


def spread(a):
    return operator(matrices.sparse(a, rng, matrices.cut(rng, a.shape[0]), matrices.cut(rng, a.shape[1])))


def placed(values):
    return mp.array(values, mp.random_layout(rng, values.shape))


def near(got, want, bound):
    got, want = (np.asarray(v.numpy() if isinstance(v, mp.Array) else v) for v in (got, want))
    return got.shape == want.shape and np.linalg.norm(got - want) <= bound * max(np.linalg.norm(want), 1)


def told(method, result):
    """What SciPy tells, in its order."""
    names = "r1norm r2norm anorm acond arnorm xnorm" if method == "lsqr" else "r2norm arnorm anorm acond xnorm"
    return [getattr(result, name) for name in names.split()]


# ---- solutions, which have the least residual, and what is told of them ----

for dtype in mp.LAPACK_DTYPES:
    wide, small = np.promote_types(dtype, "float64"), np.finfo(dtype).eps > 1e-10
    for m, n in ((60, 30), (30, 60), (40, 40), (1, 3), (3, 1)):
        a, b, start = matrix(m, n, dtype), numbers(dtype, m), numbers(dtype, n)
        op, dense, limit = spread(a), a.toarray().astype(wide), 1e-6 if small else 1e-13
        for method in METHODS:
            for damp, guess in ((0, None), (0.7, None), (0.7, start)):
                first = np.zeros(n, dtype) if guess is None else guess
                whole = np.vstack([dense, damp * np.eye(n)])
                rest = np.concatenate([b - dense @ first, np.zeros(n)])
                want = first + np.linalg.lstsq(whole, rest, rcond=None)[0]
                x, r = least(method, op, placed(b), None if guess is None else placed(guess), damp=damp, atol=limit,
                             btol=limit, maxiter=300)
                name = f"{method} of {m} x {n}, {dtype}, damp {damp}, {'no guess' if guess is None else 'a guess'}"
                mp.ok(r.istop in (1, 2, 4, 5) and x.dtype == np.dtype(dtype) and near(x, want, 2e-4 if small else 1e-9),
                      f"{name}: {r.istop} after {r.iterations}")
                last = x.numpy().astype(wide)
                residual, moved = np.linalg.norm(b - dense @ last), np.linalg.norm(last - first)
                both, size = np.hypot(residual, damp * moved), np.linalg.norm(last) if method == "lsmr" else moved
                mp.ok(near([r.r1norm, r.r2norm, r.xnorm], [residual if method == "lsqr" else both, both, size],
                           1e-3 if small else 1e-6), f"{name}: norms {r.r1norm:.3g} {r.r2norm:.3g} {r.xnorm:.3g}")
    for shape in ((0, 4), (4, 0), (0, 0)):
        for method in METHODS:
            x, r = least(method, spread(scipy.sparse.csr_array(shape, dtype=dtype)), mp.array(np.ones(shape[0], dtype)))
            mp.ok(x.shape == shape[1:] and not x.numpy().any() and (r.istop, r.iterations) == (0, 0)
                  and abs(r.r2norm - np.sqrt(shape[0])) < 1e-6, f"{method} of {shape} {dtype}")

# ---- each step is SciPy's ----

for dtype in ("float64", "complex128"):
    for m, n in ((50, 20), (20, 50), (30, 30)):
        a, b, start = matrix(m, n, dtype), numbers(dtype, m), numbers(dtype, n)
        op = spread(a)
        for method, (theirs, limit) in METHODS.items():
            for options in ({}, {"damp": 0.5}, {"atol": 1e-3, "btol": 1e-3}, {"conlim": 1.5}, {"atol": -1, "btol": -1, "conlim": -1}):
                for steps in (1, 3, 200):
                    for guess in (None, start):
                        named = {key: max(value, 0) for key, value in options.items()}
                        want = theirs(a, b, x0=guess, **{limit: steps}, **named)
                        x, r = least(method, op, placed(b), None if guess is None else placed(guess), maxiter=steps, **options)
                        name = f"{method} of {m} x {n} {dtype}, {options}, {'no guess' if guess is None else 'a guess'}, {steps}"
                        mp.ok(near(x, want[0], 1e-8) and (r.istop == want[1] or {r.istop, want[1]} <= {4, 5, 6, 7})
                              and abs(r.iterations - want[2]) <= 1 + want[2] // 4, f"{name}: {r.istop} {want[1]} after {r.iterations} {want[2]}")
                        if r.iterations == want[2] <= 5:  # before vectors have lost their orthogonality
                            mp.ok(np.allclose(told(method, r), want[3:9], 1e-6), f"{name}: {told(method, r)} {want[3:9]}")

# ---- variances ----

for dtype in mp.LAPACK_DTYPES:
    small = np.finfo(dtype).eps > 1e-10
    for damp in (0, 0.5):
        a, b = matrix(14, 6, dtype) @ scipy.sparse.diags(np.arange(1.0, 7)), numbers(dtype, 14)
        dense = a.toarray().astype(np.promote_types(dtype, "float64"))
        x, r, got = least("lsqr", spread(a.astype(dtype)), placed(b), variances=True, damp=damp, atol=-1, btol=-1, conlim=-1, maxiter=6)
        want = np.diag(np.linalg.inv(dense.conj().T @ dense + damp**2 * np.eye(6))).real
        mp.ok(got.dtype == np.empty(0, dtype).real.dtype and r.iterations == 6 and near(got.numpy() / want, np.ones(6), 1e-2 if small else 1e-6),
              f"variances of {dtype}, damp {damp}: {got.numpy()} {want}")
        kept, place = got.numpy(), mp.array(np.zeros(6, got.dtype))
        given, x = Options(damp=damp, atol=-1, btol=-1, conlim=-1, maxiter=6), mp.array(np.zeros(6, dtype))
        mp.lsqr(spread(a.astype(dtype)), placed(b), given, result=Result(), out=(x, place))
        mp.ok(near(place, kept, 1e-2 if small else 1e-6), f"and into an array, {dtype}")

# ---- ends ----

a, b = matrix(40, 12, "float64"), numbers("float64", 40)
op = spread(a)
for method in METHODS:
    flat = b - a @ np.linalg.lstsq(a.toarray(), b, rcond=None)[0]
    for name, right, options, istop in (
        ("zeros", np.zeros(40), {}, 0), ("a consistent system", a @ np.ones(12), {}, 1), ("another", b, {}, 2),
        ("a limit of the condition", b, {"conlim": 1.01}, 3), ("too few iterations", b, {"maxiter": 2}, 7),
        ("no iterations", b, {"maxiter": -1}, 7), ("no end of them", b, {"maxiter": 2**63 - 1}, 2),
        ("NaN", np.full(40, np.nan), {}, 7),
    ):  # fmt: skip
        x, r = least(method, op, placed(right), **options)
        mp.ok(r.istop == istop, f"{method} of {name}: {r.istop} after {r.iterations}")
    theirs = METHODS[method][0]
    x, r = least(method, op, placed(np.zeros(40)))
    mp.ok(told(method, r) == list(theirs(a, np.zeros(40))[3:9]), f"{method} of zeros tells {told(method, r)}")
    x, r = least(method, op, placed(flat))
    mp.ok(r.istop in (0, 1, 2, 5) and near(x, np.zeros(12), 1e-6), f"{method} of what is orthogonal to the range: {r.istop}")
    x, r = least(method, op, placed(np.zeros(40)), placed(np.ones(12)), atol=1e-12, btol=1e-12)
    mp.ok(near(x, np.zeros(12), 1e-8), f"{method} of zeros from a guess")
    x, r = least(method, op, placed(a @ np.ones(12)), placed(np.ones(12)))
    mp.ok(r.istop in (0, 1, 2, 4, 5) and near(x, np.ones(12), 1e-6), f"{method} from the solution: {r.istop}")
    usual, r = least(method, op, placed(b))
    for factor in (2.0**-900, 2.0**900):
        x, far = least(method, op, placed(b * factor))
        mp.ok(near(x.numpy() / factor, usual, 1e-9) and far.iterations == r.iterations
              and np.allclose([far.r2norm / factor, far.arnorm / factor, far.xnorm / factor, far.anorm, far.acond],
                              [r.r2norm, r.arnorm, r.xnorm, r.anorm, r.acond], 1e-5), f"{method} of {factor:.0e} times b")
    seen = []
    x, stopped = least(method, op, placed(b), progress=lambda i, residual: seen.append((i, residual)))
    mp.ok(seen[-1] == (stopped.iterations, stopped.r2norm) and stopped.iterations == r.iterations, f"{method} reports: {seen}")
    x, stopped = least(method, op, placed(b), atol=-1, btol=-1, conlim=-1, maxiter=100, progress=lambda i, residual: i >= 3)
    mp.ok(stopped.istop in (7, 4, 5) and 3 <= stopped.iterations < 40, f"{method} is stopped after {stopped.iterations}")
    bad = scipy.sparse.csr_array(np.where(np.eye(4), np.nan, 0))
    mp.ok(least(method, spread(bad), mp.array(np.ones(4)))[1].istop == 7, f"{method} of a matrix of NaN")
reason = solving.solve(spread(bad), mp.array(np.ones(4)), "lsqr")[1].reason
mp.ok(reason not in ("CONVERGED", "STAGNATED"), f"mnp_solve() of a matrix of NaN: {reason}")

# ---- operators of functions, and mistakes ----

layout, columns = matrices.cut(rng, 40), matrices.cut(rng, 12)
box, column_box = layout.box(mp.rank)[0], columns.box(mp.rank)[0]


def whole(x):
    return x.numpy()


function = solving.function("float64", layout, columns, lambda x: (a @ whole(x))[box], lambda x: (a.T @ whole(x))[column_box])
one_way = solving.function("float64", layout, columns, lambda x: (a @ whole(x))[box])
for method in METHODS:
    run = lambda *given, method=method, **named: least(method, *given, **named)  # noqa: E731
    mp.ok(near(run(function, placed(b))[0], run(op, placed(b))[0], 1e-9), f"{method} of functions")
    mp.fails("MNP_ERR_ARG", "adjoint", run, one_way, placed(b))
    mp.fails("MNP_ERR_ARG", "b must have one dimension of 40", run, op, placed(b[:12].copy()))
    mp.fails("MNP_ERR_ARG", "b must have one dimension of 40", run, op, placed(b[:, None].copy()))
    mp.fails("MNP_ERR_ARG", "x must have one dimension of 12", run, op, placed(b), placed(b))
    turned, near_one = (1 - 2j) * b, {"atol": 1e-13, "btol": 1e-13, "maxiter": 400}
    narrow = matrices.sparse(a.astype("float32"), rng, matrices.cut(rng, 40), matrices.cut(rng, 12))
    for right in (b, turned, turned.astype("complex64")):
        want = np.linalg.lstsq(a.astype("float32").toarray().astype(complex), right, rcond=None)[0]
        x, result, *variances = run(operator(narrow), placed(right), variances=method == "lsqr", **near_one)
        wide = np.result_type("float32", right.dtype)
        mp.ok(x.dtype == wide and near(x, want, 1e-4 if wide == np.complex64 else 1e-9)
              and all(v.dtype == wide.type(0).real.dtype for v in variances), f"{method} of float32 and {right.dtype}")
    mp.fails("MNP_ERR_ARG", "x is float32", run, op, placed(b), placed(np.zeros(12, "float32")))
    mp.fails("MNP_ERR_ARG", "broadcast view", run, op, placed(b), mp.broadcast_to(mp.array(np.zeros(1)), 1, [12]))
    mp.fails("MNP_ERR_ARG", "damp is nan", run, op, placed(b), damp=np.nan)
    mp.fails("MNP_ERR_ARG", "conlim is nan", run, op, placed(b), conlim=np.nan)
    mp.fails("MNP_ERR_ARG", "every is -1", run, op, placed(b), every=-1)
same = mp.array(np.zeros(12))
for words, pair in (("outputs 1 and 2 are the same", (same, same)), ("variances", (same, mp.array(np.zeros(11)))),
                    ("int64", (same, mp.array(np.zeros(12, "int64"))))):
    mp.fails("MNP_ERR_ARG", words, mp.lsqr, op, placed(b), Options(), result=Result(), out=pair)
mp.ok(not same.numpy().any(), "lsqr leaves x as it was where the other output will not do")
del op, function, one_way, run
matrices.done()
