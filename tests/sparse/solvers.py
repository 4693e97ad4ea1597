# SPDX-License-Identifier: BSD-3-Clause
"""Solvers: accuracy compared with direct solutions, iterations with scipy.sparse.linalg's, and difficult systems."""

import matrices
import maniple as mp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg
import solving
from solving import operator, solve

rng = mp.random()  # for layouts, and for matrices for which theory says that every method converges
# CGS, BiCGSTAB, BiCG, QMR, TFQMR and IDR converge for nearly all systems and break down for some, so their systems are the same in every
# run; only the order of sums differs.
systems = np.random.default_rng(3)
GENERAL = ["bicgstab", "gmres", "fgmres", "cgs", "idr", "bicg", "qmr", "tfqmr"]
POSITIVE = ["cg", "cg1", "minres", "chebyshev"] + GENERAL


def complex_part(dtype, shape):
    return 1j * systems.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0


def sprinkled(n, each):
    """A dense matrix with about `each` random numbers from 0 to 1 in each row, and zeros."""
    return np.where(systems.random((n, n)) < each / max(n, 1), systems.random((n, n)), 0)


def positive(n, dtype):
    """A sparse Hermitian positive definite matrix."""
    a = sprinkled(n, 4) * (1 + complex_part(dtype, (n, n)))
    a = a @ a.conj().T + np.eye(n) * (1 + n / 20)
    return scipy.sparse.csr_array(a.astype(dtype))


def general(n, dtype):
    """A sparse matrix without symmetry, diagonally dominant."""
    a = sprinkled(n, 5) * (systems.standard_normal((n, n)) + complex_part(dtype, (n, n)))
    return scipy.sparse.csr_array((a + np.diag(1 + np.abs(a).sum(1))).astype(dtype))


def right(n, dtype):
    return (systems.standard_normal(n) + complex_part(dtype, n)).astype(dtype)


def well_conditioned(m, n, dtype):
    """A matrix without full rank whose nonzero singular values differ by a factor of at most 3."""
    rows, columns = (np.sort(rng.permutation(k)[:max(k - k // 10, 1)]) for k in (m, n))
    part = matrices.random_matrix(rng, len(rows), len(columns), dtype).toarray()
    a = np.zeros((m, n), dtype)
    a[np.ix_(rows, columns)] = part + 2 * max(np.linalg.norm(part, 2), 1) * np.eye(*part.shape)
    return scipy.sparse.csr_array(a)


def far(x, want):
    return np.linalg.norm((x if isinstance(x, np.ndarray) else x.numpy()) - want) / max(np.linalg.norm(want), 1e-300) if want.size else 0


def spread(matrix, uneven=True):
    layout = matrices.cut(rng, matrix.shape[0]) if uneven else None
    return matrices.sparse(matrix, rng, layout, layout)


def accuracy(name, a, b, solver, rtol, bound, **options):
    made = spread(a)
    op = operator(made)
    x, result = solve(op, mp.array(b, mp.random_layout(rng, b.shape)), solver, rtol=rtol, **options)
    want = np.linalg.solve(a.toarray().astype(complex if a.dtype.kind == "c" else float), b)
    residual = np.linalg.norm(b - a @ x.numpy())
    good = (result.reason == "CONVERGED" and far(x, want) <= bound and x.dtype == a.dtype
            and abs(residual - result.residual) <= 1e-3 * residual + 1e-5 * np.linalg.norm(b) * (a.dtype.itemsize < 9)
            + 1e-13 * np.linalg.norm(b) and len(result.history) == result.iterations + 1)
    mp.ok(good, f"{name}: {solver} {a.dtype} {a.shape}" + ("" if good else f" {result.reason} after {result.iterations}, error "
          f"{far(x, want):.2g}, residual {result.residual:.3g} ({residual:.3g}), history {len(result.history)}"))


for dtype in matrices.DTYPES:
    small = np.dtype(dtype).name in ("float32", "complex64")
    rtol, bound = (1e-5, 1e-3) if small else (1e-10, 1e-7)
    # the kernels of all methods in one dtype take two seconds to compile; what comes below takes float64
    few = (small or mp.FEW) and not mp.FULL
    some = (["cg", "gmres"], ["gmres"]) if few else (POSITIVE, GENERAL)
    for n in (1, 2, 3, 40) if mp.FULL else (1, 40):
        a, b = positive(n, dtype), right(n, dtype)
        for solver in some[0]:
            accuracy("positive definite", a, b, solver, rtol, bound, maxiter=2000)
        a, b = general(n, dtype), right(n, dtype)
        for solver in some[1]:
            accuracy("diagonally dominant", a, b, solver, rtol, bound)

# No rows
empty = operator(spread(scipy.sparse.csr_array((0, 0), dtype="float64")))
x, result = solve(empty, mp.array(np.zeros(0)), "cg")
mp.ok(x.shape == (0,) and result.reason == "CONVERGED" and result.iterations == 0, "a system without rows")

# ---- as many iterations as SciPy, and its residuals ----
grid = matrices.laplacian(24, 17)
b = systems.standard_normal(24 * 17)
op = operator(spread(grid))


def scipy_history(method, a, b, rtol, **options):
    residuals = [np.linalg.norm(b)]

    def note(x):
        residuals.append(np.linalg.norm(b - a @ x))
    method(a, b, atol=0, callback=note, **matrices.scipy_rtol(rtol), **options)
    return np.array(residuals)


for solver in ("cg", "bicgstab", "cgs", "bicg", "qmr", "tfqmr"):
    want = scipy_history(getattr(scipy.sparse.linalg, solver), grid, b, 1e-8)
    x, result = solve(op, mp.array(b), solver, rtol=1e-8)
    few = min(len(want), len(result.history), 20)
    same = np.allclose(result.history[:few], want[:few], rtol=1e-6)
    mp.ok(same and abs(len(want) - len(result.history)) <= 2 + len(want) // 5,
          f"{solver}: SciPy's residuals, {result.iterations} iterations where it has {len(want) - 1}")

x, one = solve(op, mp.array(b), "cg", rtol=1e-8)
x, two = solve(op, mp.array(b), "cg1", rtol=1e-8)
few = min(len(one.history), len(two.history), 30)
mp.ok(np.allclose(one.history[:few], two.history[:few], rtol=1e-5), "cg1 takes the steps of cg")

for restart in (5, 20) if mp.FULL else (20,):
    made = []
    scipy.sparse.linalg.gmres(grid, b, atol=0, restart=restart, callback=made.append, callback_type="pr_norm",
                              **matrices.scipy_rtol(1e-8))
    x, result = solve(op, mp.array(b), "gmres", rtol=1e-8, restart=restart)
    few = min(len(made), 3 * restart)
    mp.ok(np.allclose(result.history[1:few + 1] / np.linalg.norm(b), made[:few], rtol=1e-5)
          and abs(len(made) - result.iterations) <= 3,
          f"gmres({restart}): SciPy's residuals, {result.iterations} iterations where it has {len(made)}")

wanted = []
scipy.sparse.linalg.minres(grid, b, **matrices.scipy_rtol(1e-8), callback=lambda x: wanted.append(np.linalg.norm(b - grid @ x)))
x, result = solve(op, mp.array(b), "minres", rtol=1e-8)
few = min(len(wanted), 40)
mp.ok(np.allclose(result.history[1:few + 1], wanted[:few], rtol=1e-6), "minres: SciPy's residuals")
falling = bool(np.all(np.diff(result.history) <= 1e-12 * result.history[0]))
mp.ok(falling, "minres: residuals fall")

# ---- arguments ----
solution = scipy.sparse.linalg.spsolve(grid.tocsc(), b)
x, result = solve(op, mp.array(np.zeros_like(b)), "cg")
mp.ok(result.reason == "CONVERGED" and result.iterations == 0 and not x.numpy().any(), "a right-hand side of 0")
guess = mp.array(np.ones_like(b), mp.random_layout(rng, b.shape))
x, result = solve(op, mp.array(np.zeros_like(b)), "bicgstab", guess=guess)
mp.ok(result.reason == "CONVERGED" and not guess.numpy().any(), "0 also where the guess is not")
for solver in ("cg", "gmres", "bicgstab", "minres", "idr", "bicg", "qmr", "tfqmr"):
    guess = mp.array(solution + 1e-9, mp.random_layout(rng, b.shape))
    x, result = solve(op, mp.array(b), solver, guess=guess)
    mp.ok(x is guess and result.iterations == 0 and result.reason == "CONVERGED", f"{solver}: a guess that is good enough")
    guess = mp.array(solution * (1 + 1e-3 * systems.standard_normal(b.size)), mp.random_layout(rng, b.shape))
    x, result = solve(op, mp.array(b), solver, guess=guess, rtol=1e-10)
    mp.ok(result.reason == "CONVERGED" and far(x, solution) < 1e-7, f"{solver}: a guess that is nearly good enough")
    used = result.iterations
    x, result = solve(op, mp.array(b), solver, guess=guess, rtol=1e-10, zero_guess=True)
    mp.ok(result.reason == "CONVERGED" and far(x, solution) < 1e-7 and result.history[0] > 0.99 * result.rhs_norm,
          f"{solver}: a guess that does not count")
x, result = solve(op, mp.array(b), "cg", rtol=-1, atol=1e-3)
mp.ok(result.reason == "CONVERGED" and 1e-5 < result.residual <= 1e-3, "atol alone")
x, result = solve(op, mp.array(b), "cg", rtol=1e-15)
mp.ok(result.reason in ("CONVERGED", "STAGNATED", "MAXITER") and result.residual <= 1e-12 * result.rhs_norm,
      f"a tolerance near rounding: {result.reason}")
x, result = solve(op, mp.array(b.astype("float32")), "cg", rtol=1e-8)
mp.ok(x.dtype == np.float64 and result.reason == "CONVERGED", "a right-hand side of another type")

several = systems.standard_normal((b.size, 3))
several[:, 1] = 0
for solver in ("cg", "gmres", "idr", "bicg", "qmr", "tfqmr"):
    x, results = solve(op, mp.array(several, mp.random_layout(rng, several.shape)), solver, rtol=1e-10, columns=3)
    want = scipy.sparse.linalg.spsolve(grid.tocsc(), several)
    mp.ok(all(r.reason == "CONVERGED" for r in results) and far(x, want) < 1e-7 and results[1].iterations == 0
          and len(results[0].history) == results[0].iterations + 1, f"{solver}: several right-hand sides")
x, results = solve(op, mp.array(np.zeros((b.size, 0))), "cg", columns=0)
mp.ok(x.shape == (b.size, 0), "no right-hand side")

# ---- difficult systems ----
indefinite = (grid - 3.1 * scipy.sparse.eye_array(b.size)).tocsr()
op_indefinite = operator(spread(indefinite))
for solver in ("cg", "cg1"):
    x, result = solve(op_indefinite, mp.array(b), solver, rtol=1e-12)
    mp.ok(result.reason == "BREAKDOWN" and np.all(np.isfinite(x.numpy())), f"{solver}: an indefinite matrix is a breakdown")
x, result = solve(op_indefinite, mp.array(b), "minres", rtol=1e-9, maxiter=20000)
mp.ok(result.reason == "CONVERGED" and far(x, np.linalg.solve(indefinite.toarray(), b)) < 1e-5, "minres: an indefinite matrix")
unsuited = scipy.sparse.csr_array(np.eye(60) + 2 * np.eye(60, k=1)) # not Hermitian: minres makes the residual grow
v = right(60, "float64")
for start in (np.zeros(60), np.linalg.solve(unsuited.toarray(), v) + 1e-2 * systems.standard_normal(60)):
    x, result = solve(operator(spread(unsuited)), mp.array(v), "minres", rtol=1e-12, maxiter=500, guess=mp.array(start))
    first, last = (np.linalg.norm(v - unsuited @ y) for y in (start, x.numpy()))
    mp.ok(result.reason != "CONVERGED" and result.history[-1] > first and last <= first * (1 + 1e-12)
          and abs(result.residual - last) <= 1e-9 * last,
          f"minres: where the matrix is not Hermitian, nothing worse than the guess: {result.reason}, {last:.3g} of {first:.3g}")
x, result = solve(op_indefinite, mp.array(b), "gmres", rtol=1e-9, restart=408)
mp.ok(result.reason == "CONVERGED" and far(x, np.linalg.solve(indefinite.toarray(), b)) < 1e-5, "gmres: an indefinite matrix")

singular = scipy.sparse.diags_array(np.r_[np.arange(1.0, 30), 0, 0]).tocsr()
op_singular = operator(spread(singular))
outside = np.ones(31)
for solver in POSITIVE:
    if solver == "chebyshev":
        continue
    x, result = solve(op_singular, mp.array(outside), solver, rtol=1e-10, maxiter=200)
    mp.ok(result.reason in ("BREAKDOWN", "MAXITER", "STAGNATED", "DIVERGED") and np.all(np.isfinite(x.numpy()))
          and result.residual >= 1.41, f"{solver}: a singular matrix without a solution: {result.reason}, {result.residual:.3g}")
inside = np.r_[np.ones(29), 0, 0]
for solver in ("cg", "minres", "gmres"):
    x, result = solve(op_singular, mp.array(inside), solver, rtol=1e-10)
    mp.ok(result.reason == "CONVERGED" and far(x, np.r_[1 / np.arange(1.0, 30), 0, 0]) < 1e-8,
          f"{solver}: a singular matrix with a solution")
skew = scipy.sparse.csr_array(np.array([[0.0, 1], [-1, 0]]))
for solver in ("cg", "bicgstab", "cgs", "bicg", "qmr", "tfqmr"):
    x, result = solve(operator(spread(skew)), mp.array(np.array([1.0, 0])), solver)
    mp.ok(result.reason == "BREAKDOWN" and np.all(np.isfinite(x.numpy())), f"{solver}: a skew matrix is a breakdown")
x, result = solve(operator(spread(skew)), mp.array(np.array([1.0, 0])), "gmres")
mp.ok(result.reason == "CONVERGED" and result.iterations == 2, "gmres: a skew matrix is none")
zero = operator(spread(scipy.sparse.csr_array((5, 5), dtype="float64")))
for solver in POSITIVE + ["lsqr", "richardson"]:
    if solver != "chebyshev":
        x, result = solve(zero, mp.array(np.ones(5)), solver, maxiter=20)
        mp.ok((result.reason != "CONVERGED" or solver == "lsqr") and np.all(np.isfinite(x.numpy())),
              f"{solver}: a matrix of zeros: {result.reason}")
wrong = b.copy()
wrong[3] = np.nan
x, result = solve(op, mp.array(wrong), "cg")
mp.ok(result.reason == "DIVERGED" and result.iterations == 0, "NaN in the right-hand side")
x, result = solve(op, mp.array(b), "richardson", bounds=(1, 0), maxiter=1000)
mp.ok(result.reason == "DIVERGED" and np.all(np.isfinite(x.numpy())) and result.residual <= 2e3 * result.rhs_norm,
      f"richardson: it diverges, and the best of what was kept is given, {result.residual:.3g} of {result.rhs_norm:.3g}")
x, result = solve(op, mp.array(b), "richardson", bounds=(0.24, 0), rtol=1e-3, maxiter=5000)
mp.ok(result.reason == "CONVERGED", "richardson: it converges where it is damped")
x, result = solve(op, mp.array(b), "cg", maxiter=5, rtol=1e-10)
mp.ok(result.reason == "MAXITER" and result.iterations == 5 and len(result.history) == 6, "a limit of iterations")
x, result = solve(op, mp.array(b), "chebyshev", bounds=(0.04, 7.99), rtol=1e-8, maxiter=1000)
mp.ok(result.reason == "CONVERGED" and far(x, solution) < 1e-5, "chebyshev: bounds that are given")

for every in (4, 1, 11):
    seen = []
    x, result = solve(op, mp.array(b), "cg", rtol=1e-10, every=every, progress=lambda i, r: seen.append((i, r)) or i >= 12)
    told = [i for i, _ in seen]
    mp.ok(result.reason == "STOPPED" and all(r == result.history[i] for i, r in seen) and result.iterations >= told[-1] >= 12
          and all(later - earlier >= every for earlier, later in zip([0] + told, told)) and all(i < 12 for i in told[:-1]),
          f"progress is told, and can stop it: {told} of {result.iterations}")
    if every < 10 or mp.ctx_device_kind() == "host":  # else a GPU continues until the CPU reads its state
        want = list(range(every, 12 + every, every))
        mp.ok(told == want and result.iterations == want[-1], f"progress is told after each {every} iterations: {told}")

# ---- a long basis: rounding errors in it must not cost iterations ----
taken = {}
for dtype in ("float32", "float64"):
    matrix = matrices.Sparse(mp.sparse_generate("convdiff:40x40", dtype))
    values = mp.array(np.random.default_rng(3).standard_normal(1600).astype(dtype), matrix.layout("row_layout"))
    x, result = solve(operator(matrix), values, "gmres", rtol=1e-5, restart=100, maxiter=1000)
    taken[dtype] = result.iterations if result.reason == "CONVERGED" else 1000
mp.ok(taken["float32"] <= 1.05 * taken["float64"] + 2 and taken["float64"] < 1000, f"gmres(100): iterations in both precisions: {taken}")

# ---- the verdict is that of the x that is returned, also where an earlier iterate was better than the last ----
for seed, solver in [(5, "cgs"), (24, "idr"), (24, "cgs"), (39, "idr"), (39, "cgs"), (52, "cgs")][:6 if mp.FULL else 2]:
    fixed = np.random.default_rng(seed)
    q, _ = np.linalg.qr(fixed.standard_normal((60, 60)))
    ill = q * np.geomspace(1, 10.0 ** fixed.integers(5, 8), 60) @ q.T
    v = fixed.standard_normal(60)
    made = operator(matrices.sparse(scipy.sparse.csr_array(ill), fixed))
    wrong = []
    for rtol in 10.0 ** -np.array([5, 5.5, 6.5, 7.5]):  # easy, the last ones that are reached, and out of reach
        x, result = solve(made, mp.array(v), solver, rtol=rtol, maxiter=4000)
        rounding = 1e-14 * (np.linalg.norm(ill, 2) * np.linalg.norm(x.numpy()) + np.linalg.norm(v))
        left = np.linalg.norm(v - ill @ x.numpy())
        limit = rtol * np.linalg.norm(v) * (1 + 1e-6)
        if (result.reason == "CONVERGED") != (result.residual <= limit) or abs(left - result.residual) > rounding:
            wrong.append(f"{result.reason} at {result.residual:.6g}, or {left:.6g}, for {limit:.6g}")
    mp.ok(not wrong, f"{solver}, system {seed}: the verdict is of the residual of x" + ": ".join([""] + wrong))

# ---- right-hand sides whose squares vanish or overflow ----
for factor in (1e-310, 1e-200, 1e200, 1e300) if mp.FULL else (1e-310, 1e300):
    for solver in ("cg", "gmres", "idr", "lsqr", "bicg", "qmr", "tfqmr"):
        told = []
        x, result = solve(op, mp.array(b * factor), solver, rtol=1e-8, progress=lambda i, r: told.append(r))
        scaled = np.ldexp(b * factor, 700 if factor < 1 else -700), np.ldexp(x.numpy(), 700 if factor < 1 else -700)
        left = np.linalg.norm(scaled[0] - grid @ scaled[1]) / np.linalg.norm(scaled[0])
        mp.ok(result.reason == "CONVERGED" and 0 < left <= 1e-8 * 1.001 + 1e-13 * (1e-307 / factor) and far(x.numpy() / factor, solution) < 1e-6
              and abs(result.rhs_norm / factor / np.linalg.norm(b) - 1) < 1e-9 and 0 < told[-1] <= 1e-7 * result.rhs_norm
              and abs(result.history[0] / result.rhs_norm - 1) < 1e-6,
              f"{solver}: a right-hand side times {factor}: {result.reason} after {result.iterations}, {left:.3g} of b")
x, result = solve(op, mp.array(b * 1e-310), "cg", rtol=1e-8, guess=mp.array(np.ones_like(b)))
mp.ok(result.reason == "CONVERGED" and far(x.numpy() / 1e-310, solution) < 1e-6, "so with a guess out of all proportion")
x, result = solve(op, mp.array(b * 1e-310), "cg", rtol=1e-8, guess=mp.array(solution * 1e-310))
mp.ok(result.reason == "CONVERGED" and result.iterations == 0, "and with the solution as the guess")
x, result = solve(op, mp.array(b * 5e-324), "cg", rtol=1e-8)
rounded = np.linalg.norm(np.ldexp(b * 5e-324, 1074) - grid @ np.ldexp(x.numpy(), 1074)) / np.linalg.norm(np.ldexp(b * 5e-324, 1074))
mp.ok(result.reason == "STAGNATED" and rounded > 1e-8 and abs(result.residual / result.rhs_norm / rounded - 1) < 0.5,
      f"numbers too small for a solution of that accuracy: {result.reason}")

# ---- complex matrices: Hermitian, and symmetric but not Hermitian ----
shifted = (grid + 0.7j * scipy.sparse.eye_array(b.size)).tocsr()
for solver in ["gmres"] if mp.FEW else GENERAL:
    x, result = solve(operator(spread(shifted)), mp.array(b), solver, rtol=1e-10, maxiter=4000)
    mp.ok(result.reason == "CONVERGED" and far(x, np.linalg.solve(shifted.toarray(), b)) < 1e-7,
          f"{solver}: a complex symmetric matrix")

# ---- least squares ----
# The method stops when ||A^H r|| <= rtol ||A|| ||r||, or when ||r|| <= rtol ||b||.  With sigma the smallest nonzero
# singular value, the part of r in the range of A is then at most rtol ||A|| / sigma ||r||.  ||A|| is the Frobenius
# norm, at most 3 sqrt(60) sigma here, so ||r|| is the smallest up to a factor of 1 + 3e-8.
for dtype in matrices.DTYPES if mp.FULL else ["float64" if mp.FEW else "complex128"]:
    for shape in ((60, 30), (30, 60), (40, 40), (1, 3), (3, 1)):
        a = well_conditioned(*shape, dtype)
        rows, columns = matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1])
        made = matrices.sparse(a, rng, rows, columns)
        b2 = right(shape[0], dtype)
        small = np.dtype(dtype).name in ("float32", "complex64")
        x, result = solve(operator(made), mp.array(b2), "lsqr", rtol=1e-5 if small else 1e-12, maxiter=3000)
        want = np.linalg.lstsq(a.toarray().astype(np.complex128), b2, rcond=1e-6)[0]
        least = np.linalg.norm(b2 - a @ want)
        mp.ok(result.reason == "CONVERGED" and result.residual <= least * (1 + 1e-4) + (1e-3 if small else 1e-8) *
              np.linalg.norm(b2), f"lsqr: {shape} {dtype}: {result.reason} {result.residual:.6g}, least is {least:.6g}")

# ---- operators, right-hand sides and preconditioners of different dtypes ----
def wider(a, b, precond="float32"):
    """SciPy's type: what is not float32, float64 or complex counts as float64."""
    b = np.dtype(b) if np.dtype(b).char in "fdFD" else np.dtype(float)
    return np.result_type(a, b, np.complex64 if np.dtype(precond).kind == "c" else np.float32)


def function_of(matrix):
    """A matrix as a function, which takes its own dtype alone."""
    layout = matrices.cut(rng, matrix.shape[0])
    box, = layout.box(mp.rank)
    return solving.function(matrix.dtype, layout, layout, lambda x: (matrix @ x.numpy())[box],
                            lambda x: (matrix.conj().T @ x.numpy())[box])


pairs = [(a, b) for a in matrices.DTYPES for b in matrices.DTYPES + ["int64", "int8"] if a != b]
for a_dtype, b_dtype in pairs if mp.FULL else [("float32", "float64"), ("float64", "complex64"), ("complex64", "int8")][:1 if mp.FEW else 3]:
    a, exact = general(30, a_dtype), wider(a_dtype, b_dtype)
    b2 = np.arange(-12, 18).astype(b_dtype) if np.dtype(b_dtype).kind == "i" else right(30, b_dtype)
    want = np.linalg.solve(a.toarray().astype(complex), b2)
    rtol = 1e-5 if exact in (np.float32, np.complex64) else 1e-11
    for kind, op2 in (("matrix", operator(spread(a))), ("function", function_of(a))):
        if kind == "function" and rtol < np.finfo(a_dtype).eps:
            rtol = 10 * np.finfo(a_dtype).eps  # it rounds its results
        for solver in ("gmres", "lsqr"):
            x, result = solve(op2, mp.array(b2), solver, rtol=rtol, restart=30 * (solver == "gmres"))
            mp.ok(x.dtype == exact and result.reason == "CONVERGED" and far(x, want) < 200 * rtol
                  and mp.solve_dtype(op2, mp.array(b2), None) == getattr(mp, f"MNP_{exact.name.upper()}"),
                  f"{solver}: a {kind} of {a_dtype} and {b_dtype}: {x.dtype}, {result.reason}, {far(x, want):.2g}")
        for adjoint in (False, True):
            y = mp.operator_run(op2, adjoint, mp.array(b2))
            full = a.toarray().conj().T if adjoint else a.toarray()
            bound = 30 * np.finfo(exact if kind == "matrix" else a_dtype).eps * np.linalg.norm(abs(full) @ abs(b2))
            mp.ok(y.dtype == exact and np.linalg.norm(y.numpy() - full.astype(complex) @ b2) <= bound,
                  f"a product of a {kind}, adjoint {adjoint}")

a, b2 = positive(40, "float64"), right(40, "float64")
exact = np.linalg.solve(a.toarray(), b2)
layout = matrices.cut(rng, 40)
op2 = operator(matrices.sparse(a, rng, layout, layout))
for m_dtype in matrices.DTYPES:
    narrow = matrices.sparse(a.astype(m_dtype), rng, layout, layout)
    about = scipy.sparse.csr_array(np.diag(1 / a.diagonal()).astype(m_dtype))
    about_op = operator(matrices.sparse(about, rng, layout, layout))
    for name, m in (("jacobi", solving.precond(narrow, "jacobi")), ("ic0", solving.precond(narrow, "ic0")),
                    ("an operator", solving.precond_from(about_op))):
        x, result = solve(op2, mp.array(b2), "cg", rtol=1e-10, precond=m)
        mp.ok(x.dtype == wider("float64", "float64", m_dtype) and result.reason == "CONVERGED" and far(x, exact) < 1e-7,
              f"{name} of {m_dtype} for a system of float64: {x.dtype}, {result.reason}")
        applied, once = (mp.precond_apply(m, mp.array(v)) for v in (b2, b2.astype("complex64")))
        mp.ok(applied.dtype == wider(m_dtype, "float64") and once.dtype == wider(m_dtype, "complex64")
              and np.allclose(applied.numpy(), once.numpy(), rtol=1e-4, atol=1e-4), f"{name} of {m_dtype}, applied")
x, result = solve(op2, mp.array(b2), "chebyshev", precond=solving.precond(narrow, "jacobi"), rtol=1e-8, maxiter=4000)
mp.ok(x.dtype == np.complex128 and result.reason == "CONVERGED", "chebyshev with complex jacobi, bounds estimated")
v = b2.astype("complex64")
x, result = solve(op2, mp.array(v), "cg", rtol=1e-10, guess=mp.array(np.zeros(40, complex)))
mp.ok(result.reason == "CONVERGED" and far(x, np.linalg.solve(a.toarray(), v)) < 1e-7, "a guess of the solution's dtype")
mp.fails("MNP_ERR_ARG", "x is complex64, but the solution of a system of float64 and complex64 is complex128", solve, op2,
         mp.array(v), "cg", guess=mp.array(v))
mp.fails("MNP_ERR_ARG", "x is float64, but", solve, op2, mp.array(b2), "cg", guess=mp.array(b2), precond=m)
del op2, m, narrow, about_op

# ---- functions as operators ----
layout = matrices.cut(rng, b.size)
box, = layout.box(mp.rank)
free = solving.function("float64", layout, layout, lambda x: (grid @ x.numpy())[box])
x, result = solve(free, mp.array(b), "cg", rtol=1e-10)
mp.ok(result.reason == "CONVERGED" and far(x, solution) < 1e-7, "a function as an operator")
matrices.close("and its product", mp.operator_run(free, False, mp.array(b)), grid @ b, 5)
mp.fails("MNP_ERR_ARG", "adjoint", mp.operator_run, free, True, mp.array(b))
for solver in ("lsqr", "bicg", "qmr"):
    mp.fails("MNP_ERR_ARG", f"{solver} needs an operator with an adjoint", solve, free, mp.array(b), solver)
x, result = solve(free, mp.array(b), "tfqmr", rtol=1e-10)
mp.ok(result.reason == "CONVERGED" and far(x, solution) < 1e-7, "tfqmr needs none")
random = general(30, "complex128")
made = spread(random)
v = right(30, "complex128")
matrices.close("A^H x", mp.operator_run(operator(made), True, mp.array(v)), random.conj().T @ v, 50)

# ---- reasons ----
solving.check_reasons("MNP_SOLVE_", solving.REASONS, mp.solve_reason_text)
mp.ok(mp.solve_reason_text(mp.MNP_SOLVE_CONVERGED) == "converged", "the words that the header gives")

# ---- errors ----
mp.fails("MNP_ERR_ARG", "b must have", solve, op, mp.array(np.ones(5)), "cg")
mp.fails("MNP_ERR_ARG", "square", solve, operator(matrices.sparse(matrices.random_matrix(rng, 4, 6, "float64"), rng)),
         mp.array(np.ones(4)), "cg")
mp.fails("MNP_ERR_ARG", "restart is 17", solve, op, mp.array(b), "idr", restart=17)
mp.fails("MNP_ERR_ARG", "maxiter is -1", solve, op, mp.array(b), "cg", maxiter=-1)
mp.fails("MNP_ERR_ARG", "x is float32", solve, op, mp.array(b), "cg", guess=mp.array(b.astype("float32")))
mp.fails("MNP_ERR_ARG", "x must have", solve, op, mp.array(b), "cg", guess=mp.array(np.ones(3)))
del op, op_indefinite, op_singular, zero, empty, free, made
matrices.done()
