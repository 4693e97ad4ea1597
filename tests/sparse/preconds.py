# SPDX-License-Identifier: BSD-3-Clause
"""Preconditioners, compared with their definitions on the dense own blocks of ranks, and their effect on solvers."""

import matrices
import maniple as mp
import numpy as np
import scipy.sparse
import solving
from solving import describe, operator, precond, solve

rng = mp.random()
KINDS = ["none", "jacobi", "block-jacobi", "ilu0", "ic0", "sor", "ssor", "chebyshev", "polynomial"]


def matrix_of(n, dtype, hermitian):
    """A sparse matrix with a dominant diagonal; it is positive definite if it is Hermitian."""
    a = scipy.sparse.random_array((n, n), density=min(1, 4 / max(n, 1)), rng=rng).toarray() if n else np.zeros((0, 0))
    if np.dtype(dtype).kind == "c":
        a = a * np.exp(2j * np.pi * rng.random((n, n)))
    if hermitian:
        a = a + a.conj().T
    return scipy.sparse.csr_array((a + np.diag(1 + np.abs(a).sum(1))).astype(dtype))


def own_blocks(layout, n):
    """The ranges of rows that ranks own."""
    return [layout.box(r)[0] for r in range(mp.size)] if n else []


def ilu0(a):
    """L and U on a's pattern, row by row, as in Saad's book; a is dense, and its zeros are not in the pattern."""
    a, stored = a.copy(), a != 0
    for i in range(len(a)):
        for k in range(i):
            if stored[i, k]:
                a[i, k] /= a[k, k]
                later = stored[i] & stored[k] & (np.arange(len(a)) > k)
                a[i, later] -= a[i, k] * a[k, later]
    return np.tril(a, -1) + np.eye(len(a)), np.triu(a)


def ic0(a):
    low, stored = np.tril(a).astype(a.dtype), np.tril(a) != 0
    for i in range(len(a)):
        for k in range(i + 1):
            if stored[i, k]:
                both = stored[i, :k] & stored[k, :k]
                value = a[i, k] - (low[i, :k][both] * low[k, :k][both].conj()).sum()
                low[i, k] = np.sqrt(value.real) if i == k else value / low[k, k]
    return low


def colours(a):
    found = []
    for i in range(len(a)):
        taken = {found[j] for j in range(i) if a[i, j] != 0 or a[j, i] != 0}
        found.append(next(c for c in range(len(a) + 1) if c not in taken))
    return np.array(found)


def relaxed(a, b, omega, sweeps, symmetric):
    x, colour = np.zeros_like(b), colours(a)
    order = sorted(range(len(a)), key=lambda i: (colour[i], i)) if len(a) else []
    for _ in range(sweeps):
        for rows in (order, order[::-1]) if symmetric else (order,):
            for i in rows:
                x[i] = (1 - omega) * x[i] + omega * (b[i] - a[i] @ x + a[i, i] * x[i]) / a[i, i]
    return x


def expected(a, b, layout, kind, block=4, omega=1.0, sweeps=1):
    y = np.zeros_like(b)
    for part in own_blocks(layout, len(b)):
        own, right = a[part, part], b[part]
        if kind == "jacobi":
            y[part] = right / np.diag(own)
        elif kind == "block-jacobi":
            for at in range(0, len(right), block):
                inside = slice(at, min(at + block, len(right)))
                y[part][inside] = np.linalg.solve(own[inside, inside], right[inside])
        elif kind == "ilu0":
            low, up = ilu0(own)
            y[part] = np.linalg.solve(up, np.linalg.solve(low, right))
        elif kind == "ic0":
            low = ic0(own)
            y[part] = np.linalg.solve(low.conj().T, np.linalg.solve(low, right))
        elif kind in ("sor", "ssor"):
            y[part] = relaxed(own, right, omega, sweeps, kind == "ssor")
        else:
            y[part] = right
    return y


def same(name, got, want):
    bound = 200 * np.finfo(got.dtype).eps * max(1, np.abs(want).max(initial=0))
    mp.ok(got.shape == want.shape and np.all(np.abs(got.numpy() - want) <= bound),
          f"{name}: off by {np.abs(got.numpy() - want).max(initial=0):.2g}")


for dtype in matrices.DTYPES:
    for n in (1, 2, 9, 60):
        layout = matrices.cut(rng, n)
        b = matrices.numbers(rng, n, dtype)
        for kind in KINDS[:7]:
            a = matrix_of(n, dtype, kind in ("ic0", "ssor") or rng.random() < 0.3)
            made = matrices.sparse(a, rng, layout, layout)
            options = {"block-jacobi": {"block": int(rng.integers(1, 9))}, "sor": {"omega": 1.2, "sweeps": int(rng.integers(1, 3))},
                       "ssor": {"omega": 0.8, "sweeps": int(rng.integers(1, 3))}}.get(kind, {})
            wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
            want = expected(a.toarray().astype(wide), b.astype(wide), layout, kind, **options)
            same(f"{kind} {dtype} {n}", mp.precond_apply(precond(made, kind, **options),
                                                         mp.array(b, mp.random_layout(rng, b.shape))), want)

# Jacobi divides by the diagonal in any format; a zero, stored or not, counts as 1, and NaN stays NaN
for dtype in matrices.DTYPES:
    n = 50
    a = matrix_of(n, dtype, False).tolil()
    a[[2, 30], [2, 30]], a[7, 7], a[8, 8] = 0, np.nan, np.inf
    a[9, 9], a[10, 10] = (1e30, 1e-30) if np.finfo(dtype).bits == 32 else (1e200, 1e-200)
    a = scipy.sparse.csr_array(a)
    if np.dtype(dtype).kind == "c":
        a.data *= np.array(0.6 - 0.8j, dtype)
    layout, b = matrices.cut(rng, n), matrices.numbers(rng, n, dtype)
    diagonal = a.diagonal().astype("complex128" if np.dtype(dtype).kind == "c" else "float64")
    known = np.isfinite(diagonal)
    want = b / np.where(diagonal == 0, 1, diagonal)
    for fmt in matrices.FORMATS:
        made = matrices.sparse(a, rng, layout, layout)
        made = precond(matrices.Sparse(mp.sparse_convert(made, getattr(mp, "MNP_" + fmt), 0)), "jacobi")
        got = mp.precond_apply(made, mp.array(b)).numpy()
        mp.ok(np.isnan(got[7]) and np.all(np.abs(got - want)[known] <= 8 * np.finfo(dtype).eps * np.abs(want)[known])
              and ("2 that are 0 were replaced" in describe(made) or mp.rank > 0), f"jacobi of {dtype} {fmt}")

# A triangle with few levels of many rows, which is solved level by level, and a matrix with many colours
for n in (9000,):
    rows, columns = np.arange(n), np.arange(n) // 4500 * 4500
    tall = scipy.sparse.coo_array((np.ones(n) * 0.3, (rows, columns)), (n, n)).tocsr() + 2 * scipy.sparse.eye_array(n)
    even = mp.Layout([mp.size], [n], [0])
    b = rng.standard_normal(n)
    made = matrices.sparse(tall, rng, even, even)
    want = np.zeros(n)
    for part in own_blocks(even, n):
        want[part] = scipy.sparse.linalg.spsolve(scipy.sparse.csc_array(tall.tocsr()[part][:, part]), b[part])
    same("ilu0 of few levels is exact", mp.precond_apply(precond(made, "ilu0"), mp.array(b)), want)
full = np.eye(150) * 200 + rng.random((150, 150))
layout = matrices.cut(rng, 150)
b = rng.standard_normal(150)
same("sor with more colours than fit a word", mp.precond_apply(
    precond(matrices.sparse(scipy.sparse.csr_array(full), rng, layout, layout), "sor"), mp.array(b)),
    expected(full, b, layout, "sor"))
for sweeps in (1, 2):  # ssor works with unsymmetric values, too
    same(f"ssor with more colours than fit a word, {sweeps} sweeps", mp.precond_apply(
        precond(matrices.sparse(scipy.sparse.csr_array(full), rng, layout, layout), "ssor", omega=0.8, sweeps=sweeps),
        mp.array(b)), expected(full, b, layout, "ssor", omega=0.8, sweeps=sweeps))
tilted = np.where(rng.random((90, 90)) < 0.08, rng.random((90, 90)), 0) + np.diag(9 + rng.random(90))
layout, b = matrices.cut(rng, 90), rng.standard_normal(90)
for sweeps in (1, 2):
    same(f"ssor of an unsymmetric pattern, {sweeps} sweeps", mp.precond_apply(
        precond(matrices.sparse(scipy.sparse.csr_array(tilted), rng, layout, layout), "ssor", omega=1.3, sweeps=sweeps),
        mp.array(b)), expected(tilted, b, layout, "ssor", omega=1.3, sweeps=sweeps))

# ---- their effect on solvers ----
# No theory gives the number of iterations for such systems, so the system is the same in every run.
fixed = np.random.default_rng(5)
grid = matrices.laplacian(40, 37)
scale = scipy.sparse.diags_array(np.exp(fixed.uniform(-3, 3, grid.shape[0])))
stretched = scipy.sparse.csr_array(scale @ grid @ scale)
even = mp.Layout([mp.size], [grid.shape[0]], [0])
made = matrices.sparse(stretched, rng, even, even)
op = operator(made)
b = fixed.standard_normal(grid.shape[0])
want = scipy.sparse.linalg.spsolve(stretched.tocsc(), b)
x, plain = solve(op, mp.array(b), "cg", rtol=1e-9, maxiter=20000)
used = {}
for kind in KINDS[1:]:
    if kind == "sor":
        continue
    m = precond(made, kind)
    for solver in ("cg", "cg1", "minres", "bicgstab", "gmres", "fgmres", "cgs", "idr", "tfqmr", "bicg", "qmr"):
        if solver in ("bicg", "qmr") and kind not in ("jacobi", "block-jacobi", "ic0"):
            continue
        if solver not in ("cg", "gmres") and kind not in ("jacobi", "ilu0", "chebyshev"):
            continue
        x, result = solve(op, mp.array(b), solver, rtol=1e-9, precond=m, maxiter=3000, restart=0 if solver == "idr" else 60)
        used[kind, solver] = result.iterations
        good = result.reason == "CONVERGED" and np.linalg.norm(x.numpy() - want) < 1e-4 * np.linalg.norm(want)
        mp.ok(good, f"{solver} with {kind}: {result.iterations} iterations, {plain.iterations} of cg without: {result.reason}")
    text = describe(m)
    mp.ok(mp.rank > 0 or (text.startswith(kind) and "1480 rows" in text and text.endswith("\n")), f"{text.strip()}")
mp.ok(used["jacobi", "cg"] < plain.iterations / 2, "jacobi undoes a scaling")
mp.ok(used["ic0", "cg"] < used["jacobi", "cg"] and used["ssor", "cg"] < used["jacobi", "cg"]
      and used["chebyshev", "cg"] < used["jacobi", "cg"] / 2, "ic0, ssor and chebyshev take fewer iterations than jacobi")
x, result = solve(op, mp.array(b), "chebyshev", precond=precond(made, "ic0"), rtol=1e-8, maxiter=3000)
mp.ok(result.reason == "CONVERGED", f"chebyshev with ic0, bounds estimated: {result.iterations} iterations")
x, result = solve(op, mp.array(b), "richardson", precond=precond(made, "ssor"), rtol=1e-2, maxiter=20000)
mp.ok(result.reason == "CONVERGED", f"richardson with ssor: {result.iterations} iterations")
x, result = solve(op, mp.array(b), "gmres", precond=precond(made, "sor", omega=1.3), rtol=1e-8, restart=60, maxiter=5000)
mp.ok(result.reason == "CONVERGED", f"gmres with sor: {result.iterations} iterations")
mine = solving.precond_from(op)
x, result = solve(op, mp.array(b), "gmres", precond=mine, restart=60, maxiter=5)
mp.ok(result.iterations == 5 and describe(mine).startswith("operator" if mp.rank == 0 else ""), "an operator as a preconditioner")

# Kershaw's matrix, which is positive definite, but whose incomplete factorisation breaks down
kershaw = scipy.sparse.csr_array(np.array([[3.0, -2, 0, 2], [-2, 3, -2, 0], [0, -2, 3, -2], [2, 0, -2, 3]]))
root = mp.Layout([mp.size], [4], [0], [[0] + [4] * mp.size])
shifted = precond(matrices.sparse(kershaw, rng, root, root), "ic0")
mp.ok(np.all(np.isfinite(mp.precond_apply(shifted, mp.array(np.ones(4))).numpy()))
      and ("enlarged" in describe(shifted) or mp.rank > 0), "ic0 enlarges a diagonal: " + describe(shifted).strip())

# ---- a basis that rounding errors make nearly linearly dependent before gmres is restarted ----
outcomes = []
for seed in range(20, 36):
    steep = np.random.default_rng(seed)
    scale = scipy.sparse.diags_array(np.exp(steep.uniform(-3, 3, grid.shape[0])))
    skewed = scipy.sparse.csr_array(scale @ grid @ scale)
    skewed_made, right = matrices.sparse(skewed, steep, even, even), steep.standard_normal(grid.shape[0])
    m = precond(skewed_made, "chebyshev")
    x, result = solve(operator(skewed_made), mp.array(right), "gmres", rtol=1e-9, precond=m, maxiter=3000, restart=60)
    left = np.linalg.norm(right - skewed @ x.numpy()) / np.linalg.norm(right)
    outcomes.append(result.reason == "CONVERGED" and left < 1.01e-9)
mp.ok(all(outcomes), f"gmres on steep systems: {sum(outcomes)} of {len(outcomes)} solved")

# ---- methods that apply the adjoint ----
n = 60
skewed = scipy.sparse.csr_array(scipy.sparse.diags([-1.6, 4, -0.4, 0.8], [-1, 0, 1, 7], shape=(n, n)))
for dtype in matrices.DTYPES if mp.FULL else ("float64", "complex64"):
    turned = skewed * (1 + 0.2j) + 1j * scipy.sparse.eye_array(n, k=2) if np.dtype(dtype).kind == "c" else skewed
    turned = scipy.sparse.csr_array(scipy.sparse.diags_array(np.geomspace(1, 8, n)) @ turned).astype(dtype)
    layout = matrices.cut(rng, n)
    skewed_made = matrices.sparse(turned, rng, layout, layout)
    skewed_op, right = operator(skewed_made), (np.cos(np.arange(n)) * (1 + 1j * (turned.dtype.kind == "c"))).astype(dtype)
    want = np.linalg.solve(turned.toarray().astype(complex), right)
    near = scipy.sparse.csr_array(np.linalg.inv(turned.toarray()) * (1 + 0.3 * fixed.random((n, 1)))).astype(dtype)
    near_op = operator(matrices.sparse(near, rng, layout, layout))
    rtol = 1e-4 if dtype in ("float32", "complex64") else 1e-10
    for solver in ("bicg", "qmr", "tfqmr"):
        x, plain = solve(skewed_op, mp.array(right), solver, rtol=rtol, maxiter=3000)
        for name, m in (("jacobi", precond(skewed_made, "jacobi")), ("block-jacobi", precond(skewed_made, "block-jacobi", block=3)),
                        ("none", precond(skewed_made, "none")), ("an operator", solving.precond_from(near_op))):
            x, result = solve(skewed_op, mp.array(right), solver, rtol=rtol, precond=m, maxiter=3000)
            mp.ok(result.reason == "CONVERGED" and np.linalg.norm(x.numpy() - want) < 1e3 * rtol * np.linalg.norm(want)
                  and (name == "none" or result.iterations < plain.iterations),
                  f"{solver} of {dtype} with {name}: {result.reason}, {result.iterations} iterations, {plain.iterations} without")
for kind in ("ilu0", "sor", "ssor", "polynomial"):
    mp.fails("MNP_ERR_ARG", f"bicg multiplies by the adjoint of the preconditioner, and {kind} has none", solve, skewed_op,
             mp.array(right), "bicg", precond=precond(skewed_made, kind))
del skewed_made, skewed_op, near_op

# ---- errors ----
undefined = np.array([[2.0, np.nan], [np.nan, 2]])
last = mp.Layout([mp.size], [2], [0], [[0] * mp.size + [2]])
mp.fails(("MNP_ERR_ARG", "MNP_ERR_PEER"), "however much", precond,
         matrices.sparse(scipy.sparse.csr_array(undefined), rng, last, last), "ic0")
for kind in ("sor", "ssor"):
    unknown = matrices.sparse(scipy.sparse.csr_array(np.array([[2.0, 0], [0, np.nan]])), rng, last, last)
    mp.fails(("MNP_ERR_ARG", "MNP_ERR_PEER"), "row 1 (counted from 0) is not a number", precond, unknown, kind)
holes = scipy.sparse.csr_array(np.array([[0.0, 1], [1, 2]]))
made = matrices.sparse(holes, rng)
for kind, words in (("ilu0", "row 0 (counted from 0) has no diagonal entry"), ("ic0", "row 0 (counted from 0) has"),
                    ("sor", "row 0 (counted from 0) is 0")):
    mp.fails(("MNP_ERR_ARG", "MNP_ERR_PEER"), words, precond, made, kind)
mp.ok(mp.precond_apply(precond(made, "jacobi"), mp.array(np.array([3.0, 4]))).numpy().tolist() == [3, 2],
      "jacobi leaves a row without diagonal as it is")
mp.fails("MNP_ERR_ARG", "omega is 2", precond, made, "sor", omega=2)
mp.fails("MNP_ERR_ARG", "block is 65", precond, made, "block-jacobi", block=65)
mp.fails("MNP_ERR_ARG", "square", precond, matrices.sparse(matrices.random_matrix(rng, 3, 4, "float64"), rng), "jacobi")
mp.fails("MNP_ERR_ARG", "lsqr takes no", solve, op, mp.array(b), "lsqr", precond=mine)
mp.fails("MNP_ERR_ARG", "the preconditioner is for", solve, op, mp.array(b), "cg", precond=shifted)
del op, m, mine, shifted, made
matrices.done()
