# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra of block-cyclic arrays, those of ScaLAPACK: the results are NumPy's and SciPy's, in a layout of
blocks, or in whichever layout a given output has.
"""

import maniple as mp
import dense
import numpy as np
import scipy.linalg as sl

rng = mp.random()
n = 12


def deal(a):
    """An array of these values in a random block-cyclic layout."""
    return mp.array(a, mp.random_cyclic_layout(rng, a.shape))


def compare(name, got, want, bound):
    """The result, or each of several, is near what is right, and lies in blocks."""
    gots, wants = (got, want) if isinstance(got, tuple) else ((got,), (want,))
    for g, w in zip(gots, wants):
        dense.close(name, g, w, bound)
    mp.ok(not any(mp.layout_is_cyclic(g.layout) for g in gots), f"{name}: in blocks")


for dtype in "float64", "complex64":
    # The elements of r are below 1 and its norm below n, so the singular values of a and h lie between 2 and 4, and
    # their diagonals are their pivots; sums are of some ten products of numbers below ten
    eps = float(np.finfo(dtype).eps)
    bound = 1e4 * eps
    r = rng.uniform(-0.7, 0.7, (n, n)) + (1j * rng.uniform(-0.7, 0.7, (n, n)) if dtype == "complex64" else 0)
    a = (3 * n * np.eye(n) + r).astype(dtype) / n
    h = ((a + a.conj().T) / 2).astype(dtype)
    b, v = dense.draw(rng, (n, 5), dtype), dense.draw(rng, (n,), dtype)
    tall, batch = dense.draw(rng, (17, 6), dtype), dense.draw(rng, (3, n, n), dtype)
    x, y, z, t = deal(a), deal(b), deal(v), deal(tall)
    compare(f"{dtype} matmul", mp.matmul(x, y), a @ b, bound)
    compare(f"{dtype} matmul, one in blocks", mp.matmul(x, mp.array(b)), a @ b, bound)
    compare(f"{dtype} matmul of a batch", mp.matmul(deal(batch), y), batch @ b, bound)
    compare(f"{dtype} matmul of itself", mp.matmul(x, x), a @ a, bound)
    compare(f"{dtype} dot", mp.dot(x, z), a @ v, bound)
    compare(f"{dtype} dot with a number", mp.dot(mp.array(np.asarray(2, dtype)), mp.matmul(x, y)), 2 * a @ b, bound)
    compare(f"{dtype} inner", mp.inner(x, z), a @ v, bound)
    compare(f"{dtype} vdot", mp.vdot(x, deal(a)), np.vdot(a, a), n * bound)
    compare(f"{dtype} vecdot", mp.vecdot(x, deal(h), -1), np.sum(a.conj() * h, axis=-1), bound)
    compare(f"{dtype} matvec", mp.matvec(x, z), a @ v, bound)
    compare(f"{dtype} vecmat", mp.vecmat(z, x), v.conj() @ a, bound)
    compare(f"{dtype} outer", mp.outer(z, z), np.outer(v, v), bound)
    compare(f"{dtype} cross", mp.cross(deal(b[:, :3].copy()), deal(b[:, 2:].copy()), -1, -1, -1),
            np.cross(b[:, :3], b[:, 2:]), bound)
    compare(f"{dtype} tensordot", mp.tensordot(deal(batch), x, 1, [2], [0]), np.tensordot(batch, a, ([2], [0])), bound)
    compare(f"{dtype} kron", mp.kron(y, t), np.kron(b, tall), bound)
    compare(f"{dtype} matrix_power", mp.matrix_power(x, 3), np.linalg.matrix_power(a, 3), 1e2 * bound)
    compare(f"{dtype} multi_dot", mp.multi_dot([x, x, y], 3), a @ a @ b, 1e2 * bound)
    compare(f"{dtype} einsum", mp.einsum("ij,jk,k->i", [x, y, deal(v[:5].copy())], 3, 0), a @ b @ v[:5], 1e2 * bound)
    compare(f"{dtype} einsum of one", mp.einsum("ji", [x], 1, 0), a.T, 0)

    compare(f"{dtype} inv", mp.inv(x), np.linalg.inv(a), bound)
    compare(f"{dtype} inv of a batch", mp.inv(deal(np.stack([a, h]))), np.linalg.inv(np.stack([a, h])), bound)
    compare(f"{dtype} det", mp.det(x), np.linalg.det(a), 1e2 * bound * abs(np.linalg.det(a)))
    compare(f"{dtype} slogdet", mp.slogdet(x), tuple(np.linalg.slogdet(a)), bound)
    compare(f"{dtype} linalg_solve", mp.linalg_solve(x, y, mp.MNP_ASSUME_GENERAL), np.linalg.solve(a, b), bound)
    compare(f"{dtype} solve_triangular", mp.solve_triangular(x, z, 0, True, False),
            sl.solve_triangular(a, v, lower=True), bound)
    compare(f"{dtype} cholesky", mp.cholesky(deal(h), False), np.linalg.cholesky(h), bound)
    compare(f"{dtype} cho_solve", mp.cho_solve(deal(np.linalg.cholesky(h)), True, y), np.linalg.solve(h, b), bound)
    compare(f"{dtype} ldl", mp.ldl(deal(h), True, True)[1], sl.ldl(h)[1], bound)
    compare(f"{dtype} lu", mp.lu(x), sl.lu(a), bound)
    lu, piv = mp.lu_factor(x)
    compare(f"{dtype} lu_factor", lu, sl.lu_factor(a)[0], bound)
    pivots = mp.array(piv.numpy(), mp.random_cyclic_layout(rng, (n,)))
    compare(f"{dtype} lu_solve", mp.lu_solve(deal(lu.numpy()), pivots, 0, y), np.linalg.solve(a, b), bound)
    q, triangle = mp.qr(t, "reduced")
    compare(f"{dtype} qr", mp.matmul(q, triangle), tall, bound)
    q, triangle, order = mp.qr_pivoted(t, "reduced")
    compare(f"{dtype} qr_pivoted", mp.matmul(q, triangle), tall[:, order.numpy()], bound)
    compare(f"{dtype} svdvals", mp.svdvals(t), np.linalg.svd(tall, compute_uv=False), bound)
    compare(f"{dtype} svd", mp.svd(x, False)[1], np.linalg.svd(a, compute_uv=False), bound)
    compare(f"{dtype} pinv", mp.matmul(mp.pinv(x, -1.0), x), np.eye(n), bound)
    compare(f"{dtype} matrix_rank", mp.matrix_rank(t, -1.0), 6, 0)
    for order in None, "fro", "2", "nuc", "1", "-inf":
        size = np.linalg.norm(tall, order if order in (None, "fro", "nuc") else float(order))
        compare(f"{dtype} matrix_norm {order}", mp.matrix_norm(t, order, False), size, bound * 10)
    compare(f"{dtype} norm", mp.norm(t, None, None), np.linalg.norm(tall), bound)
    compare(f"{dtype} cond", mp.cond(x, None), np.linalg.cond(a), bound)
    compare(f"{dtype} eigvalsh", mp.eigvalsh(deal(h), False), np.linalg.eigvalsh(h), bound)
    w, vectors = mp.eigh(deal(h), False)
    compare(f"{dtype} eigh", mp.matmul(deal(h), vectors), vectors.numpy() * w.numpy(), bound)
    dense.close(f"{dtype} sum of eigvals", np.sum(mp.eigvals(x).numpy()), np.trace(a), bound)
    compare(f"{dtype} expm", mp.expm(deal((r / n).astype(dtype))), sl.expm(r / n), bound)
    root = mp.sqrtm(x)
    compare(f"{dtype} sqrtm", mp.matmul(root, root), a, bound)
    compare(f"{dtype} cosm", mp.cosm(deal((r / n).astype(dtype))), sl.cosm(r / n), bound)
    triangle, unitary = mp.schur(x, False)
    product = unitary.numpy() @ triangle.numpy() @ unitary.numpy().conj().T
    dense.close(f"{dtype} schur", product, a, bound)
    band = np.stack([np.full(n, 1), np.full(n, 4), np.full(n, 2)]).astype(dtype)
    compare(f"{dtype} solve_banded", mp.solve_banded(1, 1, deal(band), y), sl.solve_banded((1, 1), band, b), bound)
    compare(f"{dtype} solveh_banded", mp.solveh_banded(deal(band[:2].copy()), y, False), sl.solveh_banded(band[:2], b),
            bound)
    column = np.r_[4, np.full(n - 1, 0.1)].astype(dtype)
    compare(f"{dtype} solve_toeplitz", mp.solve_toeplitz(deal(column), None, z), sl.solve_toeplitz(column, v), bound)
    for k in 0, 2, -3:
        compare(f"{dtype} diag, diagonal, tril, triu {k}",
                (mp.diag(z, k), mp.diag(t, k), mp.diagonal(deal(batch), k, 0, 2), mp.tril(t, k), mp.triu(t, k)),
                (np.diag(v, k), np.diag(tall, k), np.diagonal(batch, k, 0, 2), np.tril(tall, k), np.triu(tall, k)), 0)
    mp.ok(mp.array_equal(x, deal(a), False) and not mp.array_equal(x, deal(a + 1), False), f"{dtype} array_equal")
    mp.ok(mp.allclose(x, deal(a), 1e-5, 1e-8, False), f"{dtype} allclose")

    # --- outputs that are block-cyclic ---
    for name, function, arguments, want in (
            ("matmul", mp.matmul, (x, y), a @ b), ("einsum", mp.einsum, ("ij,jk", [x, y], 2, 0), a @ b),
            ("inv", mp.inv, (x,), np.linalg.inv(a)), ("inv of blocks", mp.inv, (mp.array(a),), np.linalg.inv(a)),
            ("solve", mp.linalg_solve, (x, y, mp.MNP_ASSUME_GENERAL), np.linalg.solve(a, b))):
        given = deal(np.zeros_like(want))
        function(*arguments, out=given)
        mp.ok(np.max(np.abs(given.local() - want[given.layout.places(mp.rank)]), initial=0) <= bound,
              f"{dtype} {name} into such an array")
    given = deal(a)
    mp.matmul(given, given, out=given)
    dense.close(f"{dtype} matmul over its operands", given, a @ a, bound)

# --- sizes at which a matrix is dealt out over the ranks, and none at all ---------------------------------------------

large = rng.uniform(-1, 1, (300, 300)) + 600 * np.eye(300)
x = mp.array(large, mp.layout_parse(2, large.shape, "0(32), 1(32)"))
compare("inv of a large one", mp.inv(x), np.linalg.inv(large), 1e-12)
compare("matmul of large ones", mp.matmul(x, x), large @ large, 1e-6)
empty = deal(np.zeros((0, 4)))
compare("matmul of none", mp.matmul(empty, deal(np.ones((4, 3)))), np.zeros((0, 3)), 0)
compare("norm of none", mp.norm(empty, None, None), 0.0, 0)

# --- mistakes are told as of blocks -----------------------------------------------------------------------------------

mp.fails("MNP_ERR_ARG", "square", mp.inv, deal(np.ones((4, 5))))
mp.fails("MNP_ERR_ARG", "shapes", mp.matmul, deal(np.ones((4, 5))), deal(np.ones((4, 5))))
mp.fails("MNP_ERR_LINALG", "singular", mp.inv, deal(np.zeros((5, 5))))
mp.done()
