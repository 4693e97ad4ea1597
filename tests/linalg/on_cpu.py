# SPDX-License-Identifier: BSD-3-Clause
"""What the CPU's LAPACK alone has (lib/linalg/cpu), and QR with pivots, beside scipy.linalg: residuals in multiples of
n eps, batches, any layouts, no elements, errors.
"""

import ctypes

import binding
import maniple as mp
import numpy as np
import scipy.linalg as sl
from dense import close, draw

rng = mp.random()
SHAPES = ((1, 1), (2, 2), (7, 7), (int(rng.integers(8, 40)),) * 2, (3, 5, 5), (2, 2, 1, 1))


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def adjoint(a):
    return np.conj(np.swapaxes(a, -2, -1))


def unitary(shape, dtype):
    return np.linalg.qr(draw(rng, shape, dtype))[0]


def unitaries(name, bound, *factors):
    for q in factors:
        close(f"{name}: unitary", adjoint(q) @ q, np.broadcast_to(np.eye(n := q.shape[-1]), (*q.shape[:-2], n, n)), bound)


def eps(dtype, n):
    return 40 * max(n, 1) * float(np.finfo(dtype).eps)


def quasi_triangular(n, dtype):
    """Eigenvalues 1, -2, 3, -4, ..., for real numbers with some complex pairs among them, and little beside them."""
    t = np.diag(np.arange(1.0, n + 1) * (-1) ** np.arange(n)) + np.triu(rng.uniform(-0.1, 0.1, (n, n)), 1)
    for i in range(0, n - 1, 3):
        t[i : i + 2, i : i + 2] = [[i + 1.0, 2], [-2, i + 1.0]] if i % 2 else [[-i - 1.0, 2], [-2, -i - 1.0]]
    return t.astype(dtype)


# --- QR with pivots ---------------------------------------------------------------------------------------------------

for dtype in mp.LAPACK_DTYPES:
    for shape in ((5, 5), (9, 4), (4, 9), (1, 1), (0, 3), (3, 0), (int(rng.integers(8, 60)), 20), (3, 6, 4), (2, 0, 2, 2)):
        a = draw(rng, shape, dtype)
        (m, n), name = shape[-2:], f"qr_pivoted of {dtype} {shape}"
        e = eps(dtype, max(m, n)) * (1 + np.abs(a).max(initial=0))
        for mode in ("reduced", "complete"):
            q, r, piv = (v.numpy() for v in mp.qr_pivoted(spread(a), mode))
            in_order = np.take_along_axis(a, piv[..., None, :].astype("int64"), -1)
            close(f"{name}, {mode}", q @ r, in_order, e * (n + 1))
            unitaries(f"{name}, {mode}", e, q)
            mp.ok(piv.dtype == "int32" and (np.sort(piv, axis=-1) == np.arange(n)).all() and
                  q.shape[-1] == (m if mode == "complete" else min(m, n)), f"{name}, {mode}: a permutation, a shape")
            steps = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
            mp.ok((steps[..., 1:] <= steps[..., :-1] * (1 + e)).all() and not np.tril(r, -1).any(), f"{name}, {mode}: the diagonal falls")
        again, order = mp.qr_pivoted(spread(a), "r")[1:]
        close(f"{name}: r alone", again, r[..., : min(m, n), :], e)
        h, tau, order = mp.qr_pivoted(spread(a), "raw")
        close(f"{name}: raw", np.triu(np.swapaxes(h.numpy(), -2, -1)[..., : min(m, n), :]), again.numpy(), e)
fixed = np.array([[1.0, 10, 2], [3, -20, 1], [2, 5, 40], [0, 1, 2]])  # whose columns have norms that are far apart
want = sl.qr(fixed, pivoting=True)
for got, right, name in zip(mp.qr_pivoted(spread(fixed), "complete"), want, "qrp"):
    close(f"qr_pivoted as SciPy: {name}", got, right, 1e-13)
mp.fails("MNP_ERR_ARG", "none of reduced, complete", "qr_pivoted", spread(fixed), "all")
mp.fails("MNP_ERR_ARG", "1 dimensions", "qr_pivoted", spread(np.ones(3)), "reduced")
mp.fails("MNP_ERR_ARG", "the output 'piv' has the shape (5,)", "qr_pivoted", spread(fixed), "reduced",
         out=(None, None, mp.array(np.zeros(5, "int32"))))

# --- Schur's decomposition in another order ---------------------------------------------------------------------------

for dtype in mp.LAPACK_DTYPES:
    for shape in SHAPES:
        n = shape[-1]
        turn = unitary(shape, dtype)
        a = turn @ quasi_triangular(n, dtype) @ adjoint(turn)
        name, e = f"schur_reorder of {dtype} {shape}", eps(dtype, n) * n * (n + 1)
        t, z = mp.schur(spread(a), False)
        lines = t.numpy()
        select = np.diagonal(lines, axis1=-2, axis2=-1).real < 0
        moved, turned = (v.numpy() for v in mp.schur_reorder(t, z, spread(select)))
        close(f"{name}: z t z^H", turned @ moved @ adjoint(turned), a, e)
        unitaries(name, e, turned)
        signs = np.diagonal(moved, axis1=-2, axis2=-1).real < 0
        mp.ok((signs == np.sort(signs, axis=-1)[..., ::-1]).all() and signs.sum() == select.sum() and
              not np.tril(moved, -1 if moved.dtype.kind == "c" else -2).any(), f"{name}: negative ones first, triangular")
for shape in ((0, 0), (0, 3, 3), (2, 0, 0)):
    got = mp.schur_reorder(*(spread(np.zeros(shape)) for _ in range(2)), spread(np.zeros(shape[:-1], bool)))
    mp.ok([v.shape for v in got] == [shape] * 2, f"schur_reorder of {shape}")
for words, *given in (("not square", np.ones((2, 3)), np.ones((2, 3)), np.ones(2, bool)),
                      ("t and z are not of one shape and dtype", np.eye(3), np.eye(2), np.ones(3, bool)),
                      ("t and z are not of one shape and dtype", np.eye(3), np.eye(3, dtype="float32"), np.ones(3, bool)),
                      ("one bool for each row", np.eye(3), np.eye(3), np.ones(2, bool)),
                      ("one bool for each row", np.eye(3), np.eye(3), np.ones(3)),
                      ("one bool for each row", np.eye(3), np.eye(3), np.ones((1, 3), bool))):
    mp.fails("MNP_ERR_ARG", words, "schur_reorder", *map(spread, given))
mp.fails("MNP_ERR_LINALG", "two eigenvalues are not finite", "schur_reorder", spread(np.diag([1, np.nan])),
         spread(np.eye(2)), spread(np.array([False, True])))


def are_negative(aa, bb):
    """Whether the eigenvalues of a pair have negative real parts; those of a block of 2 x 2 have the mean of both."""
    w, pairs = (np.diagonal(aa, axis1=-2, axis2=-1) / np.diagonal(bb, axis1=-2, axis2=-1)).real, np.diagonal(aa, -1, -2, -1) != 0
    either = np.where(pairs, (w[..., :-1] + w[..., 1:]) / 2, 0)
    none = [(0, 0)] * (w.ndim - 1)
    before, after = (np.pad(pairs, [*none, sides]) for sides in ((0, 1), (1, 0)))
    return np.where(before, np.pad(either, [*none, (0, 1)]), np.where(after, np.pad(either, [*none, (1, 0)]), w)) < 0


# --- pairs ------------------------------------------------------------------------------------------------------------

for dtype in mp.LAPACK_DTYPES:
    for shape in SHAPES:
        n, e = shape[-1], eps(dtype, shape[-1])
        a, b = draw(rng, shape, dtype), draw(rng, shape, dtype)
        size = np.linalg.norm(a) + np.linalg.norm(b)
        for is_complex in (False, True):
            name = f"qz of {dtype} {shape}, complex={is_complex}"
            aa, bb, q, z = (v.numpy() for v in mp.qz(spread(a), spread(b), is_complex))
            mp.ok(aa.dtype == z.dtype == (np.result_type(dtype, "complex64") if is_complex else a.dtype) and
                  not np.tril(bb, -1).any() and not np.tril(aa, -1 if aa.dtype.kind == "c" else -2).any(),
                  f"{name}: dtypes, triangles of zeros")
            close(f"{name}: a", q @ aa @ adjoint(z), a, e * size)
            close(f"{name}: b", q @ bb @ adjoint(z), b, e * size)
            unitaries(name, e, q, z)
            ends = np.diagonal(bb, axis1=-2, axis2=-1)
            mp.ok((ends.real >= 0).all() and not ends.imag.any(), f"{name}: the diagonal of bb")
        left, right = unitary(shape, dtype), unitary(shape, dtype)
        a, b = left @ quasi_triangular(n, dtype) @ adjoint(right), left @ adjoint(right)
        given = mp.qz(spread(a), spread(b), False)
        select = are_negative(*(v.numpy() for v in given[:2]))
        aa, bb, q, z = (v.numpy() for v in mp.qz_reorder(*given, spread(select)))
        name, e = f"qz_reorder of {dtype} {shape}", e * n * (n + 1)
        close(f"{name}: a", q @ aa @ adjoint(z), a, e)
        close(f"{name}: b", q @ bb @ adjoint(z), b, e)
        unitaries(name, e, q, z)
        signs = are_negative(aa, bb)
        mp.ok((signs == np.sort(signs, axis=-1)[..., ::-1]).all() and signs.sum() == select.sum(), f"{name}: negative ones first")
for dtype in mp.LAPACK_DTYPES:
    for shape in SHAPES:
        n, name = shape[-1], f"eig_pair of {dtype} {shape}"
        a, b = draw(rng, shape, dtype), draw(rng, shape, dtype)
        alpha, beta, vl, vr = (v.numpy() for v in mp.eig_pair(spread(a), spread(b)))
        mp.ok({v.dtype for v in (alpha, beta, vl, vr)} == {np.result_type(dtype, "complex64")} and (beta.real >= 0).all() and
              not beta.imag.any(), f"{name}: dtypes, denominators")
        # ggev's eigenvalues are those of a pair within n eps, and vectors as long as the largest element is about 1
        bound = eps(dtype, n) * n * (np.linalg.norm(a) + np.linalg.norm(b)) ** 2
        close(f"{name}: right vectors", (a @ vr) * beta[..., None, :], (b @ vr) * alpha[..., None, :], bound)
        close(f"{name}: left vectors", (adjoint(a) @ vl) * beta[..., None, :], (adjoint(b) @ vl) * np.conj(alpha)[..., None, :], bound)
        for v in (vl, vr):
            close(f"{name}: their size", np.max(np.abs(v.real) + np.abs(v.imag), axis=-2), np.ones(shape[:-1]), eps(dtype, n))
mp.ok([v.shape for v in mp.eig_pair(spread(np.zeros((2, 0, 0))), spread(np.zeros((2, 0, 0))))] == [(2, 0)] * 2 + [(2, 0, 0)] * 2, "eig_pair of no rows")
fixed = np.diag([1.0, -6, 4]) + np.triu(np.ones((3, 3)), 1)
alpha, beta = (v.numpy() for v in mp.eig_pair(spread(fixed), spread(np.diag([2.0, 3, 0])))[:2])
mp.ok(abs(beta[2]) < 1e-14 < abs(alpha[2]), "eig_pair of a singular b")
close("eig_pair: the other eigenvalues", np.sort((alpha[:2] / beta[:2]).real), [-2, 0.5], 1e-13)
mp.fails("MNP_ERR_ARG", "not of one shape", "eig_pair", spread(np.eye(2)), spread(np.eye(3)))
mp.fails("MNP_ERR_ARG", "not square", "eig_pair", spread(np.ones((2, 3))), spread(np.ones((2, 3))))
mp.fails("MNP_ERR_LINALG", "were not found", "eig_pair", spread(np.array([[np.inf, 0], [0, 1]])), spread(np.eye(2)))
a, b = np.array([[1, 2], [3, 4]]), np.array([[2.0, 0], [0, 0]])  # an eigenvalue of b / a is 0
aa, bb = (v.numpy() for v in mp.qz(spread(a), spread(b), False)[:2])
mp.ok(np.sort(np.abs(np.diag(bb)))[0] < 1e-14 < np.abs(np.diag(aa)).min(), "a pair with an infinite eigenvalue, of integers and floats")
mp.ok(mp.qz(spread(np.eye(2, dtype="float32")), spread(np.eye(2, dtype="complex64")), False)[0].dtype == "complex64", "of two dtypes")
for shape in ((0, 0), (0, 3, 3), (2, 0, 0)):
    given = [spread(np.zeros(shape)) for _ in range(4)]
    mp.ok([v.shape for v in mp.qz(*given[:2], False)] == [shape] * 4, f"qz of {shape}")
    mp.ok([v.shape for v in mp.qz_reorder(*given, spread(np.zeros(shape[:-1], bool)))] == [shape] * 4, f"qz_reorder of {shape}")
mp.fails("MNP_ERR_ARG", "not square", "qz", spread(np.ones((2, 3))), spread(np.ones((2, 3))), False)
mp.fails("MNP_ERR_ARG", "not of one shape", "qz", spread(np.eye(2)), spread(np.eye(3)), False)
mp.fails("MNP_ERR_ARG", "the output 'z' has the shape (3, 3)", "qz", spread(np.eye(2)), spread(np.eye(2)), False,
         out=(None, None, None, mp.array(np.eye(3))))
mp.fails("MNP_ERR_LINALG", "were not found", "qz", spread(np.eye(2)), spread(np.array([[np.nan, 0], [0, 1]])), False)
mp.fails("MNP_ERR_ARG", "aa and q are not of one shape", "qz_reorder", *map(spread, (np.eye(2), np.eye(2), np.eye(3), np.eye(2))),
         spread(np.ones(2, bool)))

mp.fails("MNP_ERR_LINALG", "two eigenvalues are not finite", "qz_reorder", spread(np.eye(2)),
         spread(np.diag([1, np.inf])), spread(np.eye(2)), spread(np.eye(2)), spread(np.array([False, True])))

# --- balance ----------------------------------------------------------------------------------------------------------

for dtype in mp.LAPACK_DTYPES:
    for shape in SHAPES:
        a = draw(rng, shape, dtype) * 10.0 ** rng.integers(-2, 3, shape) * (rng.random(shape) < 0.4)
        a, n = a.astype(dtype), shape[-1]
        for permute in (False, True):
            for scale in (False, True):
                name = f"matrix_balance of {dtype} {shape}, {permute}, {scale}"
                b, scales, perm = (v.numpy() for v in mp.matrix_balance(spread(a), permute, scale))
                rows = np.take_along_axis(a, perm[..., :, None].astype("int64"), -2)
                both = np.take_along_axis(rows, perm[..., None, :].astype("int64"), -1)
                mp.ok((both * scales[..., None, :] == b * scales[..., :, None]).all(), f"{name}: b = t^-1 a t, exactly")
                mp.ok(scales.dtype == a.real.dtype and (scale or (scales == 1).all()) and
                      (permute or (perm == np.arange(n)).all()), f"{name}: no more than that")
fixed = np.array([[1, 2, 0, 5], [900, 1, 0.01, 0], [1, 2, 31.4, 0], [0, 0, 0, 4]])
want, (scales, perm) = sl.matrix_balance(fixed, separate=True)
for got, right, name in zip(mp.matrix_balance(spread(fixed), True, True), (want, scales, perm), ("b", "scale", "perm")):
    close(f"matrix_balance as SciPy: {name}", got, right, 0)
for shape in ((0, 0), (0, 3, 3)):
    got = [v.shape for v in mp.matrix_balance(spread(np.zeros(shape)), True, True)]
    mp.ok(got == [shape, shape[:-1], shape[:-1]], f"matrix_balance of {shape}")
mp.fails("MNP_ERR_ARG", "not square", "matrix_balance", spread(np.ones((2, 3))), True, True)
mp.fails("MNP_ERR_LINALG", "matrix 1 of the batch has elements that are not finite", "matrix_balance",
         spread(np.array([np.eye(2), [[1, np.inf], [0, 1]]])), True, True)

# --- cosines and sines ------------------------------------------------------------------------------------------------

for dtype in mp.LAPACK_DTYPES:
    for shape in ((2, 2), (5, 5), (int(rng.integers(6, 30)),) * 2, (3, 4, 4)):
        n, x = shape[-1], unitary(shape, dtype)
        for p, q in {(1, 1), (n // 2, n // 2), (n - 1, 1), (n - 1, n - 1), (n // 2, n - 1)}:
            for swap in (False, True):
                name, e = f"cossin of {dtype} {shape}, {p} {q} {swap}", eps(dtype, n)
                u, theta, vh = (v.numpy() for v in mp.cossin(spread(x), p, q, swap))
                unitaries(name, e, u, adjoint(vh))
                mp.ok(not u[..., :p, p:].any() and not u[..., p:, :p].any() and not vh[..., :q, q:].any() and
                      not vh[..., q:, :q].any(), f"{name}: two blocks")
                mp.ok(theta.shape == shape[:-2] + (min(p, n - p, q, n - q),) and theta.dtype == x.real.dtype, f"{name}: as many angles")
                values = np.linalg.svd(x[..., :p, :q], compute_uv=False)
                close(f"{name}: the cosines", np.sort(np.cos(theta), axis=-1), np.sort(values, axis=-1)[..., : theta.shape[-1]], e)
                cs = adjoint(u) @ x @ adjoint(vh)
                for part, which in (("above", cs[..., :p, q:]), ("below", cs[..., p:, :q])):
                    least = -1 if (part == "below") == swap else 0
                    mp.ok((which.real >= least - e).all() and (which.real <= least + 1 + e).all(), f"{name}: the sign {part}")
                if len(shape) == 2:
                    close(f"{name}: as SciPy", theta, sl.cossin(x, p, q, separate=True, swap_sign=swap)[1], e)
mp.ok([v.shape for v in mp.cossin(spread(np.zeros((0, 3, 3))), 1, 2, False)] == [(0, 3, 3), (0, 1), (0, 3, 3)], "cossin of no matrices")
for p, q in ((0, 1), (1, 0), (3, 1), (1, 3), (-1, 1)):
    mp.fails("MNP_ERR_ARG", f"p is {p} and q is {q}", "cossin", spread(np.eye(3)), p, q, False)
mp.fails("MNP_ERR_ARG", "not square", "cossin", spread(np.ones((2, 3))), 1, 1, False)
mp.fails("MNP_ERR_LINALG", "has angles that were not found", "cossin", spread(np.full((3, 3), np.nan)), 1, 1, False)

# --- arrays that do not belong together -------------------------------------------------------------------------------

here, other = binding.ctx, ctypes.c_void_p()
mp.ok(binding._lib.mnp_init(binding._world, None, ctypes.byref(other)) == 0, "another context")
matrix, row = spread(np.eye(2)), spread(np.ones(2, bool))
binding.ctx = other
strangers = spread(np.eye(2)), spread(np.ones(2, bool))
binding.ctx = here
for name, *given in (("schur_reorder", matrix, strangers[0], row), ("schur_reorder", matrix, matrix, strangers[1]),
                     ("qz", matrix, strangers[0], False), ("eig_pair", matrix, strangers[0]),
                     ("qz_reorder", matrix, matrix, matrix, strangers[0], row),
                     ("qz_reorder", matrix, matrix, matrix, matrix, strangers[1])):
    mp.fails("MNP_ERR_ARG", "belongs to another context", name, *given)
mp.fails("MNP_ERR_ARG", "scalar", "eig_pair", matrix, 2.0)
del strangers, given
binding._lib.mnp_finalize(other)
mp.done()
