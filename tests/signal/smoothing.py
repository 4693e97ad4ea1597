# SPDX-License-Identifier: BSD-3-Clause
"""Whittaker-Henderson smoothing beside the same systems with whole matrices, by NumPy; that of SciPy, which 1.18 is the
first to have, is compared in Python's own tests."""

import maniple as mp
import numpy as np

rng = mp.random()


def matrices(n, order, weights):
    differences = np.diff(np.eye(n), order, axis=0)
    return np.diag(np.ones(n) if weights is None else weights), differences.T @ differences


def smooth(a, weights, order, lam, **named):
    """The result, and the lambda that was used."""
    spread = [None if v is None else mp.array(v, mp.random_layout(rng, np.shape(v))) for v in (a, weights)]
    return mp.whittaker_henderson(*spread, order, lam, **named)


def wanted(a, weights, order, lam):
    w, penalty = matrices(len(a), order, weights)
    return np.linalg.solve(w + lam * penalty, np.diag(w) * np.where(np.diag(w) > 0, a, 0))


def criterion(a, weights, order, lam):
    """What is least for the lambda of the greatest restricted likelihood, by whole matrices."""
    n, (w, penalty) = len(a), matrices(len(a), order, weights)
    y = wanted(a, weights, order, lam)
    rest = np.where(np.diag(w) > 0, a, 0) - np.where(np.diag(w) > 0, y, 0)
    total = np.sum(np.diag(w) * rest**2) + lam * np.sum(np.diff(y, order)**2)
    present = np.count_nonzero(np.diag(w))
    return (present - order) * np.log(total) + np.linalg.slogdet(w + lam * penalty)[1] - (n - order) * np.log(lam)


def near(name, got, want, bound):
    error = float(np.max(np.abs(got.numpy() - want)))
    mp.ok(error <= bound, f"{name}: {error:.1e} <= {bound:.1e}")


for order in 1, 2, 3, 5:
    for n in order + 1, 8, 41:
        a = rng.standard_normal(n) + np.arange(n) / 3
        weights = rng.uniform(0.5, 2, n)
        for w in None, weights:
            for lam in 0.0, 0.3, 20.0:
                y, used = smooth(a, w, order, lam)
                # The condition is at most (2 + 4^5 lambda) / 0.5, and the elements are below 20
                near(f"{n} elements, order {order}, lambda {lam}", y, wanted(a, w, order, lam), 1e-9)
                mp.ok(used == lam, "the lambda that is given is used")
a = np.cos(np.arange(60) / 6)
weights = np.ones(60)
weights[20:30] = weights[57:] = 0  # to be filled in, and gone on from
missing = np.where(weights > 0, a, np.nan)
near("elements without weights", smooth(missing, weights, 2, 3.0)[0], wanted(a, weights, 2, 3.0), 1e-9)
integers = (rng.integers(-9, 9, 30), rng.integers(1, 5, 30).astype("uint8"))
near("integers", smooth(*integers, 2, 2.0)[0], wanted(*integers, 2, 2.0), 1e-10)
given = mp.array(np.zeros(30, "float32"), mp.random_layout(rng, (30,)))
near("into float32", smooth(*integers, 2, 2.0, out=given)[0], wanted(*integers, 2, 2.0), 1e-4)

# --- lambda that is found ---------------------------------------------------------------------------------------------

fixed = np.random.default_rng(5)  # a signal of which the best lambda is far from both ends
for order, w in (1, None), (2, None), (3, None), (2, fixed.uniform(0.2, 3, 60)), (2, 1e6 * weights):
    noisy = 5 * a + 2 * fixed.standard_normal(60)
    y, lam = smooth(noisy, w, order, -1.0)
    least = criterion(noisy, w, order, lam)
    mp.ok(all(criterion(noisy, w, order, factor * lam) > least for factor in (0.5, 0.9, 1.1, 2)),
          f"the best lambda of order {order}, {lam:.4g}")
    near(f"with lambda {lam:.4g}", y, wanted(noisy, w, order, lam), 1e-7)
y, lam = smooth(np.arange(30.0), None, 2, -1.0)
near("a straight line stays", y, np.arange(30.0), 1e-6)

# --- mistakes ---------------------------------------------------------------------------------------------------------

x = mp.array(a, mp.random_layout(rng, (60,)))
for words, arguments in (
        ("order is 0", (x, None, 0, 1.0)), ("order is 60", (x, None, 60, 1.0)), ("lambda is NaN", (x, None, 2, np.nan)),
        ("2 dimensions", (mp.reshape(x, 2, [6, 10]), None, 2, 1.0)), ("another shape", (x, x[1:], 2, 1.0)),
        ("must be real", (mp.array(a + 1j), None, 2, 1.0)), ("order is 1", (x[:0], None, 1, 1.0)),
        ("weight 3 is -1", (x, mp.array(np.where(np.arange(60) == 3, -1.0, 1.0)), 2, 1.0))):
    mp.fails("MNP_ERR_ARG", words, mp.whittaker_henderson, *arguments)
for bad in np.nan, np.inf:
    wrong = mp.array(np.where(np.arange(60) == 3, bad, a))
    for lam in 0.0, 1.0, -1.0:
        mp.fails("MNP_ERR_ARG", f"element 3 of the signal is {bad}", mp.whittaker_henderson, wrong, None, 2, lam)
mp.fails("MNP_ERR_LINALG", "lambda is too large", mp.whittaker_henderson, x, None, 2, 1e300)
for present in 0, 1:
    few = mp.array((np.arange(60) < present).astype(float))
    for lam in 1.0, -1.0:
        mp.fails("MNP_ERR_LINALG", "fewer elements than 2 have weights", mp.whittaker_henderson, x, few, 2, lam)
mp.done()
