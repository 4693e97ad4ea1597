# SPDX-License-Identifier: BSD-3-Clause
"""Systems and least squares by a factorisation in half the precision and corrections (lib/linalg/factors/refine.c):
errors as those of float64, also where corrections do not converge and the factorisation is done again.
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

# --- least squares ----------------------------------------------------------------------------------------------------


def least(a, b, rcond=-1.0, **named):
    x, residuals, rank, count = mp.lstsq_mixed(spread(a), spread(b), rcond, **named)
    return x.numpy(), residuals.numpy(), rank, count


def of_condition(m, n, condition, dtype, rank=None):
    """m x n with singular values from 1 to 1 / condition, of which those behind the rank are 0."""
    k = min(m, n)
    u, v = (np.linalg.qr(draw(rng, (size, k), dtype))[0] for size in (m, n))
    s = np.geomspace(1, 1 / condition, k)
    s[k if rank is None else rank:] = 0
    return (u * s) @ np.conj(v.T)


def check_least(name, a, b, condition, got, want_count):
    """Within what rounding of a and b makes of the solution: Golub and Van Loan, theorem 5.3.1."""
    x, residuals, rank, count = got
    want, squares, found, s = np.linalg.lstsq(a, b, rcond=None)
    mp.ok(want_count(count), f"{name}: {count} corrections")
    mp.ok(x.shape == want.shape and x.dtype == want.dtype and rank == found, f"{name}: rank {rank} is {found}")
    rest = np.linalg.norm(b - a @ want, axis=0).max()
    size = np.linalg.norm(want, axis=0).max()
    bound = 20 * max(a.shape) * EPS * (condition * size + condition ** 2 * rest / s[0])
    close(f"{name}: x", x, want, bound)
    mp.ok(residuals.shape == squares.shape and residuals.dtype == squares.dtype
          and np.all(np.abs(residuals - squares) <= 1e-10 * squares + (s[0] * bound) ** 2 + 1e-12 * rest ** 2),
          f"{name}: residuals")


for dtype in ("float64", "complex128"):
    for m, n in ((1, 1), (40, 40), (300, 20), (20, 300), (int(rng.integers(60, 120)), 31), (31, 50), (2000, 9), (330, 270)):
        for condition in (1.0, 300.0):
            a = of_condition(m, n, condition, dtype)
            for b in draw(rng, (m,), dtype), draw(rng, (m, 4), dtype), a @ draw(rng, (n, 2), dtype):
                check_least(f"least squares {dtype} {m} x {n}, condition {condition}, b {b.shape}", a, b, condition,
                            least(a, b), lambda count: 0 <= count <= 12)
    b = draw(rng, (80, 2), dtype)
    for m, n in ((80, 30), (80, 80), (80, 130)):
        k = min(m, n)
        for name, a, condition in (("condition 1e10", of_condition(m, n, 1e10, dtype), 1e10),
                                   ("rank-deficient", of_condition(m, n, 10, dtype, k // 2), 10),
                                   ("zeros", np.zeros((m, n), dtype), 1),
                                   ("elements that float32 does not have", of_condition(m, n, 10, dtype) * 1e60, 10),
                                   ("elements that are 0 in float32", of_condition(m, n, 10, dtype) * 1e-80, 10)):
            mixed = least(a, b)
            plain = [v if isinstance(v, int) else v.numpy() for v in mp.lstsq(spread(a), spread(b), -1.0)]
            mp.ok(mixed[3] == -1 and mixed[2] == plain[2], f"{dtype} {m} x {n}, {name}: the plain method ({mixed[3]})")
            size = np.abs(plain[0]).max(initial=0)
            close(f"{dtype} {m} x {n}, {name}: x", mixed[0], plain[0], 1e3 * k * EPS * condition * size)
    a = of_condition(80, 30, 100, dtype)
    x, residuals, rank, count = least(a, b, 0.1)
    want = np.linalg.lstsq(a, b, rcond=0.1)
    mp.ok(count == -1 and rank == want[2] < 30, f"{dtype}: values that rcond leaves out")
    close(f"{dtype}: without them", x, want[0], 1e-12)
    mp.ok(least(a, b, 1e-9)[3] >= 0, f"{dtype}: a bound that leaves out none")

a, b = draw(rng, (12, 4), "float64"), draw(rng, (12,), "float64")
x, residuals, rank, count = least(a.astype("float32"), b.astype("float32"))
mp.ok(x.dtype == residuals.dtype == np.float32 and count == -1, "float32 is solved at once")
counts = rng.integers(-9, 9, (12, 4))
close("integers", least(counts, b)[0], np.linalg.lstsq(counts, b, rcond=None)[0], 1e-11)
x, residuals, rank, count = least(a, 0 * b)
mp.ok(not x.any() and not residuals.any() and count == 0, "a right-hand side of 0")
out = spread(np.zeros(4)), spread(np.zeros(1))
mp.lstsq_mixed(spread(a), spread(b), -1.0, out=out)
close("into given arrays", out[0], np.linalg.lstsq(a, b, rcond=None)[0], 1e-12)
for shape in ((0, 3), (3, 0), (0, 0)):
    x, residuals, rank, count = least(np.zeros(shape), np.ones((shape[0], 2)))
    mp.ok(x.shape == (shape[1], 2) and not x.any() and rank == 0 and count == -1, f"least squares of {shape}")
a[3, 2] = np.nan
mp.fails("MNP_ERR_LINALG", "not found", "lstsq_mixed", spread(a), spread(b), -1.0)
mp.fails("MNP_ERR_ARG", "b has 3 rows, and a has 12", "lstsq_mixed", spread(a), spread(np.ones(3)), -1.0)
mp.fails("MNP_ERR_ARG", "is not one matrix", "lstsq_mixed", spread(np.ones((2, 3, 3))), spread(np.ones(3)), -1.0)
mp.fails("MNP_ERR_ARG", "x", "lstsq_mixed", spread(a), spread(b), -1.0, out=(spread(np.zeros(5)), None))
mp.done()
