# SPDX-License-Identifier: BSD-3-Clause
"""The largest singular values by products with random vectors (lib/linalg/svd/randomised.c), beside numpy.linalg.svd: the
error is within the bound that theory gives for all but 3 of 10^10 seeds; where all vectors are used, or A has no larger
rank, the values are exact; they do not depend on the number of ranks.
"""

import maniple as mp
import numpy as np
from dense import close, draw

rng = mp.random()


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def adjoint(a):
    return np.conj(a.T)


def of_values(shape, s, dtype):
    """A matrix that has these singular values."""
    k = len(s)
    u, v = (np.linalg.qr(draw(rng, (n, k), "complex128" if dtype.startswith("c") else "float64"))[0] for n in shape)
    return ((u * s) @ adjoint(v)).astype(dtype)


def tail_bound(s, k, p, iterations):
    """Of the norm of (1 - Q Q^H) A: corollary 10.9 of Halko, Martinsson and Tropp, and for iterations theorem 9.2."""
    powers = s.astype("float64") ** (2 * iterations + 1)
    bound = (1 + 6 * np.sqrt((k + p) * p * np.log(p))) * powers[k] + 3 * np.sqrt(k + p) * np.sqrt((powers[k:] ** 2).sum())
    return bound ** (1 / (2 * iterations + 1))


def check(name, a, k, p, iterations, bound):
    """`bound` is that of the space that is found; cutting the vectors to k adds at most the next value."""
    m, n = a.shape
    eps = 20 * max(m, n) * float(np.finfo(a.dtype).eps)
    u, s, vh = (r.numpy() for r in mp.svd_randomised(spread(a), k, p, iterations, int(rng.integers(2**63))))
    mp.ok(u.dtype == vh.dtype == a.dtype and s.dtype == a.real.dtype and u.shape == (m, k) and vh.shape == (k, n)
          and s.shape == (k,) and np.all(np.diff(s) <= 0) and np.all(s >= 0), f"{name}: dtypes, shapes, order")
    want = np.linalg.svd(a.astype("complex128"), compute_uv=False)
    rounding, after = eps * want[0], want[k] if k < len(want) else 0
    close(f"{name}: u is orthogonal", adjoint(u) @ u, np.eye(k), eps)
    close(f"{name}: vh is orthogonal", vh @ adjoint(vh), np.eye(k), eps)
    mp.ok(np.all(s <= want[:k] + rounding) and np.all(s >= want[:k] - bound - rounding), f"{name}: the values")
    error = np.linalg.norm((u * s) @ vh - a, 2)
    mp.ok(error <= bound + after + rounding, f"{name}: {error:.1e} <= {bound + after + rounding:.1e}")


for dtype in mp.LAPACK_DTYPES:
    for m, n in ((60, 60), (130, 25), (25, 130), (900, 30), (30, 900)):
        least = min(m, n)
        for name, s in (("geometric", 10 * 0.6 ** np.arange(least)), ("harmonic", 1 / np.arange(1.0, least + 1)),
                        ("flat", np.ones(least))):
            a = of_values((m, n), s, dtype)
            for k, p, iterations in ((5, 10, 0), (3, 12, 1), (8, 10, 2)):
                check(f"{dtype} {m} x {n}, {name}, {k} + {p}, {iterations} iterations", a, k, p, iterations,
                      tail_bound(s, k, p, iterations))
        a = draw(rng, (m, n), dtype)
        check(f"{dtype} {m} x {n}, all vectors", a, 7, least, 0, 0.0)
        check(f"{dtype} {m} x {n}, all values", a, least, 0, 1, 0.0)
        check(f"{dtype} {m} x {n}, of rank 3", of_values((m, n), np.array([5.0, 2.0, 1.0]), dtype), 6, 2, 2, 0.0)
    check(f"{dtype}, zeros", np.zeros((12, 9), dtype), 4, 3, 2, 0.0)
    for shape in ((1, 1), (1, 6), (6, 1), (2, 3)):
        check(f"{dtype} {shape}", draw(rng, shape, dtype), 1, 10, 2, 0.0)

# the random vectors are the same in any layout
a = draw(rng, (40, 30), "float64")
first, again, other = (mp.svd_randomised(x, 4, 2, 0, seed)[1].numpy()
                       for x, seed in ((spread(a), 5), (mp.array(a, mp.layout_replicated(mp.size, 2, a.shape)), 5),
                                       (spread(a), 6)))
close("one seed, other layouts", first, again, 1e-12 * first[0])
mp.ok(np.abs(first - other).max() > 1e-6 * first[0], "another seed, other vectors")

# views, other dtypes, given outputs
close("a transposed view", mp.svd_randomised(mp.transpose(spread(a), None), 30, 0, 0, 1)[1],
      np.linalg.svd(a, compute_uv=False), 1e-12 * first[0])
counts = rng.integers(-9, 9, (20, 6))
close("integers", mp.svd_randomised(spread(counts), 3, 9, 2, 1)[1], np.linalg.svd(counts, compute_uv=False)[:3], 1e-11)
out = tuple(spread(np.zeros(shape)) for shape in ((40, 4), (4,), (4, 30)))
mp.svd_randomised(spread(a), 4, 26, 0, 5, out=out)
u, s, vh = np.linalg.svd(a)
close("into given arrays", (out[0].numpy() * out[1].numpy()) @ out[2].numpy(), (u[:, :4] * s[:4]) @ vh[:4], 1e-8)

mp.fails("MNP_ERR_ARG", "k is 31, and must be from 1 to 30", "svd_randomised", spread(a), 31, 0, 0, 1)
mp.fails("MNP_ERR_ARG", "k is 0, and must be from 1 to 30", "svd_randomised", spread(a), 0, 0, 0, 1)
mp.fails("MNP_ERR_ARG", "neither may be negative", "svd_randomised", spread(a), 2, -1, 0, 1)
mp.fails("MNP_ERR_ARG", "neither may be negative", "svd_randomised", spread(a), 2, 1, -1, 1)
mp.fails("MNP_ERR_ARG", "a matrix of 0 x 5 has no singular values", "svd_randomised", spread(np.ones((0, 5))), 1, 0, 0, 1)
mp.fails("MNP_ERR_ARG", "is not one matrix", "svd_randomised", spread(np.ones((2, 5, 5))), 1, 0, 0, 1)
mp.fails("MNP_ERR_ARG", "two at least", "svd_randomised", spread(np.ones(5)), 1, 0, 0, 1)
mp.fails("MNP_ERR_ARG", "float16", "svd_randomised", spread(np.ones((3, 3), "float16")), 1, 0, 0, 1)
mp.fails("MNP_ERR_ARG", "the output", "svd_randomised", spread(a), 2, 0, 0, 1, out=(spread(np.zeros((40, 3))), None, None))
for bad in (np.nan, np.inf):
    broken = a.copy()
    broken[7, 3] = bad
    mp.fails("MNP_ERR_LINALG", "singular values that were not found", "svd_randomised", spread(broken), 3, 5, 1, 1)
mp.done()
