# SPDX-License-Identifier: BSD-3-Clause
"""Factors of symmetric and Hermitian matrices (lib/linalg/factors/ldl.c), and some of the eigenvalues of matrices and of
pairs (eigen_subset.c), and of tridiagonal ones (eigen_spread.c), beside scipy.linalg: residuals in multiples of n eps,
batches, any layouts, errors.
"""

import maniple as mp
import numpy as np
import scipy.linalg as sl
from dense import close, draw

rng = mp.random()
ALL, INDICES, VALUES = range(3)


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def adjoint(a):
    return np.conj(np.swapaxes(a, -2, -1))


def eps(dtype):
    return float(np.finfo(dtype).eps)


def hermitian(n, dtype):
    a = draw(rng, (n, n), dtype)
    return (a + adjoint(a)) / 2


def definite(n, dtype):
    """A matrix of condition 3 at most: its eigenvalues are 1 to 3."""
    q = np.linalg.qr(draw(rng, (n, n), "complex128" if np.dtype(dtype).kind == "c" else "float64"))[0]
    b = (q * np.linspace(1, 3, n)) @ adjoint(q)
    return ((b + adjoint(b)) / 2).astype(dtype)


# --- ldl --------------------------------------------------------------------------------------------------------------

for dtype in ("float32", "float64", "complex64", "complex128"):
    for n in (1, 2, int(rng.integers(3, 50))):
        for is_hermitian in (True, False) if np.dtype(dtype).kind == "c" else (True,):
            a = draw(rng, (n, n), dtype)
            a = a + (adjoint(a) if is_hermitian else a.T)
            a[:n // 2, :n // 2] *= eps(dtype)  # small pivots, so that there are blocks of 2 x 2
            for lower in (True, False):
                name = f"ldl of {dtype} {n}, lower={lower}, hermitian={is_hermitian}"
                other = np.triu(np.full((n, n), np.nan, dtype), 1)  # the triangle that is not read
                given = np.tril(a) + other if lower else np.triu(a) + other.T
                lu, d, perm = (v.numpy() for v in mp.ldl(spread(given), lower, is_hermitian))
                mp.ok(lu.dtype == d.dtype == a.dtype and perm.dtype == np.int64, f"{name}: dtypes")
                turned = adjoint(lu) if is_hermitian else lu.T
                # Bunch and Kaufman: elements of lu are below 1 / (1 - alpha) = 2.8 and growth is bounded, see Higham:
                # Accuracy and stability of numerical algorithms, theorem 11.4
                size = float((np.abs(lu) @ np.abs(d) @ np.abs(turned)).max())
                close(f"{name}: lu d lu^H", lu @ d @ turned, a, 10 * n * eps(dtype) * (size + float(np.abs(a).max())))
                beyond = np.tril(d, -2), np.triu(d, 2), (np.triu if lower else np.tril)(lu[perm], 1 if lower else -1)
                mp.ok(not any(x.any() for x in beyond) and np.all(np.diag(lu[perm]) == 1), f"{name}: triangles")
                mp.ok(np.array_equal(d, adjoint(d) if is_hermitian else d.T) and np.array_equal(np.sort(perm),
                                                                                                np.arange(n)),
                      f"{name}: d, a permutation")
                want = sl.ldl(np.where(np.isnan(given), 0, given), lower, is_hermitian)
                mp.ok(dtype != "float64" or np.array_equal(perm, want[2]), f"{name}: SciPy's permutation")
                if dtype == "float64":
                    close(f"{name}: SciPy's lu", lu, want[0], 1e-6)
batch = draw(rng, (3, 2, 5, 5), "float64")
batch = batch + adjoint(batch)
for name, x in ("cut along the batch", mp.array(batch, mp.layout_parse(4, batch.shape, "0, *, *, *"))), \
        ("in any layout", spread(batch)):
    lu, d, perm = (v.numpy() for v in mp.ldl(x, True, True))
    close(f"ldl of a batch {name}", lu @ d @ adjoint(lu), batch, 1e-13 * float(np.abs(lu).max() ** 2 * np.abs(d).max()))
    mp.ok(all(np.array_equal(perm[i], sl.ldl(batch[i])[2]) for i in np.ndindex(3, 2)), f"permutations of a batch {name}")
singular = np.array([[0.0, 0, 0], [0, 0, 2], [0, 2, 0]])
lu, d, perm = (v.numpy() for v in mp.ldl(spread(singular), True, True))
close("a singular matrix with zeros on the diagonal", lu @ d @ lu.T, singular, 0)
mp.ok([v.shape for v in mp.ldl(mp.array(np.zeros((0, 0))), True, True)] == [(0, 0), (0, 0), (0,)], "ldl of no rows")
mp.fails("MNP_ERR_ARG", "not square", "ldl", spread(np.ones((2, 3))), True, True)

# --- some of the eigenvalues ------------------------------------------------------------------------------------------


def check(name, a, subset, low, high, upper=False, b=None, kind=1):
    """Beside all eigenvalues by SciPy in a wider type; values by bisection are off by n eps of the norm."""
    n = a.shape[-1]
    wide = "complex128" if a.dtype.kind == "c" else "float64"
    e = 20 * n * eps(a.dtype)
    wb = None if b is None else b.astype(wide)
    want = sl.eigh(a.astype(wide), wb, type=kind, eigvals_only=True)
    norm = float(np.abs(want).max())
    want = want[int(low):int(high) + 1] if subset == INDICES else want[(want > low) & (want <= high)]
    x = spread(np.tril(a) if not upper else np.triu(a))
    y = None if b is None else spread(np.tril(b) if not upper else np.triu(b))
    w, v = (r.numpy() for r in mp.eigh_subset(x, y, kind, upper, subset, low, high))
    if not mp.ok(w.shape == want.shape and v.shape == (n, len(want)) and w.dtype == a.real.dtype and v.dtype == a.dtype,
                 f"{name}: {len(want)} values, dtypes: {w.shape} {v.shape}"):
        return
    close(f"{name}: values", w.astype("float64"), want, e * norm)
    left, right = {1: (a, b), 2: (a @ b if b is not None else a, None), 3: (b @ a if b is not None else a, None)}[kind]
    scale = norm * float(np.abs(v).max(initial=1)) * (1 if b is None else 9)
    close(f"{name}: residuals", left @ v, (v if right is None else right @ v) * w, e * scale)
    inner = np.eye(n) if b is None else np.linalg.inv(wb) if kind == 3 else b
    close(f"{name}: v is orthonormal", adjoint(v) @ inner @ v, np.eye(len(want)), e * (1 if b is None else 9))
    alone = mp.eigh_subset(x, y, kind, upper, subset, low, high, v_p=None)
    close(f"{name}: values alone", alone.numpy().astype("float64"), want, e * norm)


for dtype in ("float32", "float64", "complex64", "complex128"):
    n = int(rng.integers(6, 40))
    a, b = hermitian(n, dtype), definite(n, dtype)
    first, last = sorted(int(i) for i in rng.integers(0, n, 2))
    w = np.linalg.eigvalsh(a)
    check(f"{dtype} {n}, values {first} to {last}", a, INDICES, first, last, upper=bool(rng.integers(2)))
    middle = float(w[2] + w[3]) / 2  # far from an eigenvalue, but for chance: the gap is checked
    if w[3] - w[2] > 100 * n * eps(dtype) * np.abs(w).max():
        check(f"{dtype} {n}, up to a value", a, VALUES, -np.inf, middle)
        check(f"{dtype} {n}, from a value on", a, VALUES, middle, np.inf)
        check(f"{dtype} {n}, no values", a, VALUES, float(w[-1]) + 1, float(w[-1]) + 2)
    for kind in (1, 2, 3):
        check(f"pair of type {kind}, {dtype} {n}, the largest", a, INDICES, n - 2, n - 1, bool(kind % 2), b, kind)
    if dtype in ("float64", "complex64"):
        got, vectors = (r.numpy() for r in mp.eigh_subset(spread(a), spread(b), 1, False, ALL, 0, 0))
        close(f"pair of {dtype} {n}, all", got, sl.eigh(a, b, eigvals_only=True), 50 * n * eps(dtype))

n = 5
a = np.array([hermitian(n, "float64") for _ in range(6)]).reshape(3, 2, n, n)
for x in (mp.array(a, mp.layout_parse(4, a.shape, "0, *, *, *")), spread(a)):
    w, v = (r.numpy() for r in mp.eigh_subset(x, None, 1, False, INDICES, 1, 3))
    close("a batch", w, np.linalg.eigvalsh(a)[..., 1:4], 1e-13 * 10)
    close("vectors of a batch", a @ v, v * w[..., None, :], 1e-12)
b = definite(n, "float64")
w, v = (r.numpy() for r in mp.eigh_subset(spread(a), spread(b), 1, False, INDICES, 0, 0))
close("a batch with one b", a @ v, b @ v * w[..., None, :], 1e-12)
diagonal = np.diag([3.0, 1, 2, 1, 2])
w, v = (r.numpy() for r in mp.eigh_subset(spread(diagonal), None, 1, False, VALUES, 1.0, 2.0))
close("above 1 and up to 2", w, [2.0, 2.0], 0)
w = mp.eigh_subset(spread(np.array([[4, 1], [1, 4]])), None, 1, False, INDICES, 1, 1, v_p=None)
close("integers", w, [5.0], 1e-14)

mp.fails("MNP_ERR_ARG", "eigenvalues 1 to 5 are asked for, and there are those from 0 to 4", "eigh_subset",
         spread(diagonal), None, 1, False, INDICES, 1, 5)
mp.fails("MNP_ERR_ARG", "eigenvalues 2 to 1", "eigh_subset", spread(diagonal), None, 1, False, INDICES, 2, 1)
mp.fails("MNP_ERR_ARG", "no values above 2 and up to 1", "eigh_subset", spread(diagonal), None, 1, False, VALUES, 2, 1)
mp.fails("MNP_ERR_ARG", "no values above nan", "eigh_subset", spread(diagonal), None, 1, False, VALUES, np.nan, 1)
mp.fails("MNP_ERR_ARG", "ask for those of one matrix", "eigh_subset", spread(a), None, 1, False, VALUES, 0, 1)
mp.fails("MNP_ERR_ARG", "type is 4, outside 1..3", "eigh_subset", spread(b), spread(b), 4, False, ALL, 0, 0)
mp.fails("MNP_ERR_ARG", "a has 5 rows, and b has 2", "eigh_subset", spread(b), spread(np.eye(2)), 1, False, ALL, 0, 0)
mp.fails("MNP_ERR_LINALG", "leading minor of order 2 is not positive", "eigh_subset", spread(np.eye(3)),
         spread(np.diag([1.0, -1, 1])), 1, False, ALL, 0, 0)
for value in (np.nan, np.inf):
    for subset in (INDICES, VALUES):
        mp.fails("MNP_ERR_LINALG", "eigenvalues that were not found", "eigh_subset",
                 spread(np.where(np.eye(5) > 0, 1, value)), None, 1, False, subset, 0, 1)

# --- tridiagonal matrices ---------------------------------------------------------------------------------------------

for dtype in ("float32", "float64"):
    for n in (1, 2, 7, int(rng.integers(50, 120))):
        d, f = draw(rng, (n,), dtype), draw(rng, (n - 1,), dtype)
        whole = (np.diag(d) + np.diag(f, 1) + np.diag(f, -1)).astype("float64")
        every = np.linalg.eigvalsh(whole)
        e = 20 * n * eps(dtype) * np.abs(every).max()
        gap = int(np.argmax(np.diff(every))) if n > 1 else 0  # the widest one, where rounding does not matter
        middle = (every[gap] + every[gap + 1]) / 2 if n > 1 else every[0] + 1
        for name, subset, low, high, want in (("all", ALL, 0, 0, every), ("numbers", INDICES, n // 3, n - 1, every[n // 3:]),
                                              ("values", VALUES, -np.inf, middle, every[every <= middle]),
                                              ("no values", VALUES, 1e3, 2e3, every[:0])):
            w, v = (r.numpy() for r in mp.eigh_tridiagonal(spread(d), spread(f), subset, low, high))
            text = f"tridiagonal {dtype} {n}, {name}"
            mp.ok(w.dtype == v.dtype == np.dtype(dtype) and v.shape == (n, len(want)), f"{text}: dtypes, shapes")
            close(f"{text}: values", w, want, e)
            close(f"{text}: vectors", whole @ v, v * w, e)
            close(f"{text}: orthonormal", v.T @ v, np.eye(len(want)), 20 * n * eps(dtype))
            alone = mp.eigh_tridiagonal(spread(d), spread(f), subset, low, high, v_p=None)
            close(f"{text}: values alone", alone, want, e)
w, v = mp.eigh_tridiagonal(spread(np.zeros(0)), spread(np.zeros(0)), ALL, 0, 0)
mp.ok(w.shape == (0,) and v.shape == (0, 0), "a tridiagonal matrix without rows")
out = spread(np.zeros(3)), spread(np.zeros((3, 3)))
mp.eigh_tridiagonal(spread(np.array([2, 2, 2])), spread(np.array([1, 1])), ALL, 0, 0, out=out)
close("integers, into given arrays", out[0], 2 + np.sqrt(2) * np.arange(-1, 2), 1e-14)
for words, d, f, subset, low, high in (("are not the diagonals", np.ones(3), np.ones(3), ALL, 0, 0),
                                       ("are not the diagonals", np.ones((3, 1)), np.ones(2), ALL, 0, 0),
                                       ("must be real", np.ones(3) * 1j, np.ones(2), ALL, 0, 0),
                                       ("0 to 3 are asked for", np.ones(3), np.ones(2), INDICES, 0, 3),
                                       ("no values above 2", np.ones(3), np.ones(2), VALUES, 2, 1)):
    mp.fails("MNP_ERR_ARG", words, "eigh_tridiagonal", spread(d), spread(f), subset, low, high)
mp.fails("MNP_ERR_ARG", "the output", "eigh_tridiagonal", spread(np.ones(3)), spread(np.ones(2)), ALL, 0, 0,
         out=(spread(np.ones(4)), None))
for value in (np.nan, np.inf):
    mp.fails("MNP_ERR_LINALG", "not finite", "eigh_tridiagonal", spread(np.ones(3)), spread(np.array([1, value])), ALL, 0, 0)
mp.done()
