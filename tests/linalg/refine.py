# SPDX-License-Identifier: BSD-3-Clause
"""Systems by a factorisation in half the precision and corrections (lib/linalg/factors/refine.c): residuals as those of
float64, also where corrections do not converge and the factorisation is done again.
"""

import maniple as mp
import numpy as np
from dense import close, draw

rng = mp.random()
EPS = np.finfo(float).eps


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def solve(a, b, positive=False, **named):
    x, count = mp.linalg_solve_mixed(spread(a), spread(b), int(positive), **named)
    return x.numpy(), count


def conditioned(n, condition, dtype):
    u, v = (np.linalg.qr(draw(rng, (n, n), dtype))[0] for _ in range(2))
    return (u * np.geomspace(1, 1 / condition, n)) @ np.conj(v.T)


def check(name, a, b, x):
    residual = np.abs(a @ x - b).max()
    close(name, residual, 0.0, 10 * a.shape[-1] * EPS * float(np.abs(a).sum(-1).max() * np.abs(x).max()))


for dtype in ("float64", "complex128"):
    for n in (1, 30, int(rng.integers(40, 120))):
        for b in draw(rng, (n,), dtype), draw(rng, (n, 5), dtype):
            a = conditioned(n, 100, dtype)
            x, count = solve(a, b)
            mp.ok(x.dtype == np.dtype(dtype) and x.shape == b.shape and 0 <= count <= 6,
                  f"{dtype} {n}, b {b.shape}: {count} corrections")
            check(f"{dtype} {n}: condition 100", a, b, x)
            h = a @ np.conj(a.T)
            x, count = solve(h, b, True)
            mp.ok(count >= 0, f"{dtype} {n}, positive: {count} corrections")
            check(f"{dtype} {n}: positive", h, b, x)
    n = 60
    b = draw(rng, (n, 2), dtype)
    for name, a in (("condition 1e12", conditioned(n, 1e12, dtype)),
                    ("elements that float32 does not have", conditioned(n, 10, dtype) * 1e60),
                    ("elements that are 0 in float32", conditioned(n, 10, dtype) * 1e-80)):
        x, count = solve(a, b)
        mp.ok(count == -1, f"{dtype}, {name}: falls back ({count})")
        check(f"{dtype}, {name}", a, b, x)
    h = np.diag(np.r_[np.ones(n - 1), 1 + 1e-10])  # positive definite in float64 alone
    h[0, n - 1] = h[n - 1, 0] = 1
    x, count = solve(h.astype(dtype), b, True)
    mp.ok(count == -1, f"{dtype}: not positive definite in float32")
    check(f"{dtype}: positive definite in float64", h, b, x)

a, b = draw(rng, (3, 8, 8), "float64") + 8 * np.eye(8), draw(rng, (3, 8, 2), "float64")
x, count = solve(a, b)
mp.ok(count >= 0, "a batch")
check("a batch", a, b, x)
x, count = solve(a, b[0, :, 0])
close("a batch and one vector", np.einsum("bij,bj->bi", a, x), np.broadcast_to(b[0, :, 0], (3, 8)), 1e-13)
x, count = solve(a[0].astype("float32"), b[0].astype("float32"))
mp.ok(x.dtype == np.float32 and count == -1, "float32 is solved at once")
x, count = solve(np.array([[2, 1], [1, 3]]), np.array([3, 4]))
close("integers", x, [1, 1], 1e-15)
x, count = solve(a[0], np.zeros((8, 2)))
mp.ok(not x.any() and count == 0, "right-hand sides of 0")
out = mp.array(np.zeros((8, 2)), mp.random_layout(rng, (8, 2)))
close("into a given array", solve(a[0], b[0], out=out)[0], np.linalg.solve(a[0], b[0]), 1e-13)
mp.ok(solve(np.zeros((0, 0)), np.zeros((0, 3)))[0].shape == (0, 3), "no rows")
mp.fails("MNP_ERR_LINALG", "is singular", "linalg_solve_mixed", spread(np.zeros((3, 3))), spread(np.ones(3)), 0)
mp.fails("MNP_ERR_LINALG", "is not positive definite", "linalg_solve_mixed", spread(-np.eye(3)), spread(np.ones(3)), 1)
mp.fails("MNP_ERR_ARG", "assume_a is 2", "linalg_solve_mixed", spread(np.eye(3)), spread(np.ones(3)), 2)
mp.fails("MNP_ERR_ARG", "b has 4 rows, and a has 3", "linalg_solve_mixed", spread(np.eye(3)), spread(np.ones(4)), 0)
mp.fails("MNP_ERR_ARG", "the output", "linalg_solve_mixed", spread(np.eye(3)), spread(np.ones(3)), 0,
         out=mp.array(np.zeros(4)))
mp.done()
