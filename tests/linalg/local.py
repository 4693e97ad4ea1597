# SPDX-License-Identifier: BSD-3-Clause
"""Factorisations of matrices and of batches, beside numpy.linalg and scipy.linalg: residuals, orthogonality, shapes and
errors, for any layouts.  What is not unique is tested by what defines it.  Bounds are multiples of n eps, with the
condition number where theory has it.
"""

import maniple as mp
import numpy as np
import scipy.linalg as sl

rng = mp.random()


def eps(dtype):
    return np.finfo(dtype).eps


def draw(shape, dtype):
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def size(a):
    """The largest norm of a matrix of the batch, and 1 at least."""
    return max(1.0, float(np.max(np.sqrt(np.sum(np.abs(a.astype("complex128")) ** 2, (-2, -1))), initial=0)))


def close(name, got, want, bound):
    """A point: equal up to a bound that is a multiple of n eps times the size of what is compared."""
    got, want = (v.numpy() if isinstance(v, mp.Array) else np.asarray(v) for v in (got, want))
    if got.shape != want.shape:
        return mp.ok(False, f"{name}: shape {got.shape} where {want.shape} is right")
    error = float(np.max(np.abs(got.astype("complex128") - want), initial=0))
    return mp.ok(error <= bound, name if error <= bound else f"{name}: {error:.1e} > {bound:.1e}")


def types(name, *pairs):
    for got, want in pairs:
        mp.ok(got.dtype == np.dtype(want), f"{name}: {got.dtype} is {want}")


SHAPES = [(1, 1), (17, 17), (3, 7, 7), (0, 0), (0, 3, 3)]
TALL = [(9, 4), (1, 6), (5, 0), (2, 5, 8)]
if mp.FULL:
    SHAPES += [(5, 5), (64, 64), (130, 130), (40, 6, 6), (2, 3, 4, 4), (4, 0, 0)]
    TALL += [(4, 9), (6, 1), (0, 5), (3, 6, 2), (200, 31), (31, 200), (50, 7, 3)]

for dtype in mp.LAPACK_DTYPES:
    for shape in SHAPES:
        n, name = shape[-1], f"{dtype} {shape}"
        e = 40 * max(n, 1) * eps(dtype)
        a = draw(shape, dtype) + 2 * n * np.eye(n, dtype=dtype)
        b, v = draw(shape[:-1] + (3,), dtype), draw((n,), dtype)
        x = spread(a)
        close(f"{name}: solve", a @ mp.linalg_solve(x, spread(b), 0).numpy(), b, e * size(b) * 10)
        close(f"{name}: solve of a vector", np.squeeze(a @ mp.linalg_solve(x, spread(v), 0).numpy()[..., None], -1),
              np.broadcast_to(v, shape[:-1]), e * 10 * max(n, 1))
        close(f"{name}: inv", a @ mp.inv(x).numpy(), np.broadcast_to(np.eye(n), shape), e)
        want = np.linalg.det(a.astype("complex128" if dtype.startswith("c") else "float64"))
        scale = float(np.max(np.abs(want), initial=1))
        if np.isfinite(want.astype(dtype)).all():
            close(f"{name}: det", mp.det(x), want, 100 * (n + 1) * eps(dtype) * scale * max(1, np.log(scale)))
        s, logarithm = mp.slogdet(x)
        want_s, want_l = np.linalg.slogdet(a)
        close(f"{name}: slogdet, sign", s, want_s, e)
        close(f"{name}: slogdet", logarithm, want_l, e * (1 + float(np.max(np.abs(want_l), initial=0))))
        types(name, (mp.det(x), dtype), (logarithm, want_l.dtype))
        h = a @ adjoint(a) / max(n, 1)
        for upper in (False, True):
            c = mp.cholesky(spread(h), upper).numpy()
            close(f"{name}: cholesky upper={upper}", adjoint(c) @ c if upper else c @ adjoint(c), h, e * size(h))
            mp.ok(not (np.tril(c, -1) if upper else np.triu(c, 1)).any(), f"{name}: a triangle of zeros")
            close(f"{name}: cho_solve", h @ mp.cho_solve(spread(c), not upper, spread(b)).numpy(), b, e * 10 * size(b))
        close(f"{name}: solve, positive", h @ mp.linalg_solve(spread(h), spread(b), 1).numpy(), b, e * 10 * size(b))
        for lower in (False, True):
            for trans in (0, 1, 2):
                t = np.tril(a) if lower else np.triu(a)
                op = t if trans == 0 else np.swapaxes(t, -1, -2) if trans == 1 else adjoint(t)
                got = mp.solve_triangular(x, spread(b), trans, lower, False).numpy()
                close(f"{name}: solve_triangular {lower} {trans}", op @ got, b, e * 10 * size(b))
        lu, piv = mp.lu_factor(x)
        if len(shape) == 2 and n > 0:
            mp.check(f"{name}: pivots", piv, sl.lu_factor(a)[1].astype("int32"))
        for trans in (0, 1, 2):
            op = a if trans == 0 else np.swapaxes(a, -1, -2) if trans == 1 else adjoint(a)
            close(f"{name}: lu_solve {trans}", op @ mp.lu_solve(lu, piv, trans, spread(b)).numpy(), b,
                  e * 10 * size(b))
        h = (a + adjoint(a)) / 2
        for upper in (False, True):
            w, z = mp.eigh(spread(np.triu(h) if upper else np.tril(h)), upper)
            types(name, (w, np.linalg.eigvalsh(h).dtype), (z, dtype))
            z = z.numpy()
            close(f"{name}: eigh", h @ z, z * w.numpy()[..., None, :], e * size(h))
            close(f"{name}: eigh, orthogonal", adjoint(z) @ z, np.broadcast_to(np.eye(n), shape), e)
            close(f"{name}: eigvalsh", mp.eigvalsh(spread(h), upper), np.linalg.eigvalsh(h), e * size(h))
        g = draw(shape, dtype)
        close(f"{name}: slogdet, sign, of a matrix with interchanges", mp.slogdet(spread(g))[0], np.linalg.slogdet(g)[0],
              1e-3)
        w, z = (r.numpy() for r in mp.eig(spread(g)))
        close(f"{name}: eig", g @ z, z * w[..., None, :], e * size(g))
        close(f"{name}: eig, norms", np.sum(np.abs(z) ** 2, -2), np.ones(shape[:-1]), e)
        values = np.sort_complex(mp.eigvals(spread(g)).numpy())
        close(f"{name}: eigvals, their sum", values.sum(-1), np.trace(g, axis1=-2, axis2=-1), e * size(g) * max(n, 1))
    for shape in SHAPES + TALL:
        m, n = shape[-2:]
        name, k = f"{dtype} {shape}", min(m, n)
        e = 40 * max(m, n, 1) * eps(dtype)
        a = draw(shape, dtype)
        x = spread(a)
        p, low, up = (r.numpy() for r in mp.lu(x))
        close(f"{name}: lu", p @ low @ up, a, e * size(a))
        mp.ok(np.abs(low).max(initial=0) <= np.sqrt(2) + 4 * eps(dtype) and low.shape[-2:] == (m, k),
              f"{name}: the elements of l are small")
        mp.ok(not np.triu(low, 1).any() and not np.tril(up, -1).any(), f"{name}: l and u are triangular")
        mp.ok((p.sum(-1) == 1).all() and (p.sum(-2) == 1).all(), f"{name}: p is a permutation")
        for mode in ("reduced", "complete"):
            q, r = (v.numpy() for v in mp.qr(x, mode))
            wide = m if mode == "complete" else k
            mp.ok(q.shape == shape[:-1] + (wide,) and r.shape == shape[:-2] + (wide, n), f"{name}: qr {mode}, shapes")
            close(f"{name}: qr {mode}", q @ r, a, e * size(a))
            close(f"{name}: qr {mode}, orthogonal", adjoint(q) @ q,
                  np.broadcast_to(np.eye(wide), shape[:-2] + (wide,) * 2), e)
            mp.ok(not np.tril(r, -1).any(), f"{name}: r is triangular")
        for full_matrices in (False, True):
            u, s, vh = mp.svd(x, full_matrices)
            types(name, (s, np.linalg.svd(a, compute_uv=False).dtype if a.size else s.dtype), (u, dtype), (vh, dtype))
            u, s, vh = u.numpy(), s.numpy(), vh.numpy()
            mp.ok(u.shape[-1] == (m if full_matrices else k) and vh.shape[-2] == (n if full_matrices else k),
                  f"{name}: svd, shapes")
            close(f"{name}: svd", (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, e * size(a))
            for which, part in (("u", u), ("vh", adjoint(vh))):
                close(f"{name}: svd, {which}", adjoint(part) @ part,
                      np.broadcast_to(np.eye(part.shape[-1]), shape[:-2] + (part.shape[-1],) * 2), e)
        close(f"{name}: svdvals", mp.svdvals(x), np.linalg.svd(a, compute_uv=False) if a.size else s, e * size(a))

# --- qr: the other modes, views, integers, Fortran order, given outputs -----------------------------------------------

a = rng.integers(-9, 9, (7, 5))
x = spread(a)
close("integers: qr", np.abs(mp.qr(x, "r")[1].numpy()), np.abs(np.linalg.qr(a, "r")), 1e-12)
h, tau = mp.qr(x, "raw")
want_h, want_tau = np.linalg.qr(a, "raw")
close("raw", h, want_h, 1e-12)
close("raw, factors", tau, want_tau, 1e-12)
big = draw((6, 9, 8), "float64")
view = mp.array(big)[::-2, 8:1:-1, 1:]
close("a view: inv", mp.inv(view), np.linalg.inv(big[::-2, 8:1:-1, 1:]), 1e-8)
f = mp.array(np.asfortranarray(big[0, :8]))
close("in Fortran order: det", mp.det(f), np.linalg.det(big[0, :8]), 1e-9)
close("transposed: svd", mp.svdvals(mp.transpose(mp.array(big[1]), None)),
      np.linalg.svd(big[1], compute_uv=False), 1e-12)
out = mp.array(np.zeros((8, 8), "complex128"), mp.random_layout(rng, (8, 8)))
mp.inv(f, out=out)
close("into a given array of a wider dtype", out, np.linalg.inv(big[0, :8]), 1e-8)
given = mp.array(big[0, :8].copy())
mp.inv(given, out=given)
close("in place", given, np.linalg.inv(big[0, :8]), 1e-8)

n = 128  # of pivots in the smallest type that holds them
a = draw((n, n), "float64") + 2 * n * np.eye(n)
lu, piv = sl.lu_factor(a)
for value in (2 ** 32, -2 ** 32, -2 ** 63, 2 ** 63 - 1, 128, -1):  # some of them are rows in their lower 32 bits
    wrong = piv.astype("int64")
    wrong[5] = value
    mp.fails("MNP_ERR_ARG", f"mnp_lu_solve: piv has the value {value}, which is none of the 128 rows", "lu_solve",
             spread(lu), spread(wrong), 0, spread(a[0]))
close("lu_solve by pivots of int8", mp.lu_solve(spread(lu), spread(piv.astype("int8")), 0, spread(a[0])),
      sl.lu_solve((lu, piv), a[0]), 1e-10)

# --- batches of a and b are broadcast ---------------------------------------------------------------------------------

a, b = draw((2, 1, 4, 4), "float64") + 6 * np.eye(4), draw((3, 4, 2), "float64")
close("broadcast batches", mp.linalg_solve(spread(a), spread(b), 0), np.linalg.solve(a, b[None]), 1e-12)
close("one matrix, many right-hand sides", mp.linalg_solve(spread(a[0, 0]), spread(b), 0), np.linalg.solve(a[0, 0], b),
      1e-12)

# --- batches of matrices of a few rows, which a thread of a GPU has in registers ----------------------------------------

for dtype in mp.LAPACK_DTYPES:
    wide = "complex128" if dtype.startswith("c") else "float64"
    for n in (1, 2, 3, 4, 5, 8):
        a = draw((37, n, n), dtype)
        a[5] *= 1e-30  # of which squares would underflow in float32
        condition = np.linalg.cond(a.astype(wide))
        a[condition > 1e3] = 2 * np.eye(n)
        e, name, x = 1e3 * 40 * n * eps(dtype), f"{dtype} 37 x {n} x {n}", spread(a)
        large = np.abs(a).max((-2, -1), keepdims=True)
        b = draw((37, n, 2), dtype)
        got = mp.inv(x).numpy()
        close(f"{name}: inv", got @ a, np.broadcast_to(np.eye(n), a.shape), e)
        close(f"{name}: solve", a / large @ (large * mp.linalg_solve(x, spread(b), 0).numpy()), b, e * size(b))
        close(f"{name}: solve of a vector", a / large @ (large * mp.linalg_solve(x, spread(b[0, :, 0]), 0).numpy()[..., None]),
              np.broadcast_to(b[0, :, :1], (37, n, 1)), e * size(b))
        s, logarithm = mp.slogdet(x)
        want_s, want_l = np.linalg.slogdet(a.astype(wide))
        close(f"{name}: slogdet, sign", s, want_s, e)
        close(f"{name}: slogdet", logarithm, want_l, e * (1 + np.abs(want_l).max()))
        close(f"{name}: det", mp.det(x), np.linalg.det(a.astype(wide)), e * np.abs(np.linalg.det(a.astype(wide))).max())
        a[3] = 0
        s, logarithm = mp.slogdet(spread(a))
        mp.ok(s.numpy()[3] == 0 and logarithm.numpy()[3] == -np.inf, f"{name}: slogdet of zeros")
        a[3] = np.nan
        mp.ok(np.isnan(mp.det(spread(a)).numpy()[3]), f"{name}: det of NaN")
big = rng.uniform(-1, 1, (4, 3, 5, 3)).astype("float32")
big[:, :, 1:4] += 4 * np.eye(3, dtype="float32")  # the diagonals dominate
part = big[:, ::-1, 1:4]
close("a view of tiny matrices: inv", mp.inv(mp.array(big)[:, ::-1, 1:4]), np.linalg.inv(part), 1e-4)
close("tiny matrices in Fortran order: det", mp.det(mp.array(np.asfortranarray(part))), np.linalg.det(part), 1e-2)
given = mp.array(part.copy())
mp.inv(given, out=given)
close("tiny matrices in place", given, np.linalg.inv(part), 1e-4)
close("integers: det", mp.det(mp.array(np.arange(27).reshape(3, 3, 3) ** 2)), np.linalg.det(np.arange(27.).reshape(3, 3, 3) ** 2),
      1e-6)
many = np.broadcast_to(np.eye(2), (5000, 2, 2)).copy()
close("inv of many", mp.inv(spread(many)), many, 0)
many[4777, 1, 1] = 0
for function, arguments in (("inv", ()), ("linalg_solve", (spread(np.ones(2)), 0))):
    mp.fails("MNP_ERR_LINALG", "matrix 4777 of the batch is singular: pivot 2 is 0", function, spread(many), *arguments)

# --- difficult matrices -----------------------------------------------------------------------------------------------

n = 12
theta = 1.2
kahan = np.diag(np.sin(theta) ** np.arange(n)) @ (np.eye(n) - np.cos(theta) * np.triu(np.ones((n, n)), 1))
graded = draw((n, n), "float64") * 10.0 ** -np.arange(n)[:, None]
deficient = draw((n, 3), "float64") @ draw((3, n), "float64")
for name, a in (("Hilbert", sl.hilbert(n)), ("Kahan", kahan), ("graded", graded), ("rank 3", deficient),
                ("zeros", np.zeros((n, n)))):
    x, e = spread(a), 50 * n * eps("float64") * size(a)
    q, r = (v.numpy() for v in mp.qr(x, None))
    close(f"{name}: qr", q @ r, a, e)
    close(f"{name}: q is orthogonal", q.T @ q, np.eye(n), 50 * n * eps("float64"))
    u, s, vh = (v.numpy() for v in mp.svd(x, True))
    close(f"{name}: svd", (u * s) @ vh, a, e)
    close(f"{name}: singular values", s, np.linalg.svd(a, compute_uv=False), e)
    p, low, up = (v.numpy() for v in mp.lu(x))
    close(f"{name}: lu", p @ low @ up, a, e)
    b = draw(n, "float64")
    if name in ("Hilbert", "Kahan", "graded"):
        got = mp.linalg_solve(x, spread(b), 0).numpy()
        close(f"{name}: the residual of solve", a @ got, b, e * (1 + np.abs(got).max()) * n)

# --- errors -----------------------------------------------------------------------------------------------------------

singular = np.ones((4, 4))
batch = np.stack([np.eye(3)] * 5)
batch[3, 1, 1] = 0
for function, arguments in (("inv", ()), ("linalg_solve", (spread(np.ones(4)), 0))):
    mp.fails("MNP_ERR_LINALG", "is singular: pivot 2 is 0", function, spread(singular), *arguments)
mp.fails("MNP_ERR_LINALG", "matrix 3 of the batch is singular: pivot 2 is 0", "inv", spread(batch))
mp.fails("MNP_ERR_LINALG", "matrix 3 of the batch is singular", "solve_triangular", spread(batch),
         spread(np.ones(3)), 0, True, False)
indefinite = np.diag([1.0, 2.0, -1.0, 3.0])
mp.fails("MNP_ERR_LINALG", "leading minor of order 3 is not positive", "cholesky", spread(indefinite), False)
mp.fails("MNP_ERR_LINALG", "matrix 3 of the batch is not positive definite", "cholesky", spread(batch), True)
mp.check("det of a singular matrix", mp.det(spread(singular)), np.float64(0))
mp.check("slogdet of a singular matrix", mp.slogdet(spread(singular)), (np.float64(0), np.float64(-np.inf)))
mp.fails("MNP_ERR_LINALG", "did not converge", "svd", spread(np.full((3, 3), np.nan)), False)
mp.ok(np.isnan(mp.inv(spread(np.full((3, 3), np.nan))).numpy()).all(), "inv of NaN is NaN")
mp.fails("MNP_ERR_ARG", "not square", "inv", spread(np.ones((3, 4))))
mp.fails("MNP_ERR_ARG", "two at least", "det", spread(np.ones(3)))
mp.fails("MNP_ERR_ARG", "float16", "cholesky", spread(np.ones((2, 2), "float16")), False)
mp.fails("MNP_ERR_ARG", "b has 3 rows, and a has 4", "linalg_solve", spread(singular), spread(np.ones((3, 2))), 0)
mp.fails("MNP_ERR_ARG", "do not fit", "linalg_solve", spread(np.ones((2, 4, 4))), spread(np.ones((3, 4, 2))), 0)
mp.fails("MNP_ERR_ARG", "'economic'", "qr", spread(singular), "economic")
for wrong in (4, -1):
    mp.fails("MNP_ERR_ARG", f"piv has the value {wrong}, which is none of the 4 rows", "lu_solve", spread(singular),
             spread(np.array([1, 1, wrong, 3], "int8")), 0, spread(np.ones(4)))
mp.fails("MNP_ERR_ARG", "trans is 3", "lu_solve", spread(singular), spread(np.zeros(4, "int32")), 3, spread(np.ones(4)))
mp.done()
