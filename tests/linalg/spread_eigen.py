# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues of Hermitian matrices that are cut and large, all or some of them, by all ranks together
(lib/linalg/factors/eigen_spread.c), beside numpy.linalg: residuals, orthogonality and values in multiples of n eps, for spectra of all kinds, both
triangles, all dtypes, any layouts.  On one rank the same calls are done by LAPACK.
"""

import os

os.environ["MANIPLE_SPREAD_ROWS"] = "256"
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
from dense import close, cut, draw, spectra  # noqa: E402

rng = mp.random()


def hermitian(values, dtype):
    """A matrix with these eigenvalues, but for rounding."""
    q = np.linalg.qr(draw(rng, (len(values),) * 2, "complex128" if np.dtype(dtype).kind == "c" else "float64"))[0]
    a = (q * values) @ np.conj(q.T)
    return ((a + np.conj(a.T)) / 2).astype(dtype)


def check(name, a, x, upper):
    """a: the whole matrix; x: what is given, of which one triangle is a's.  The bounds are of LAPACK's methods."""
    n = len(a)
    want = np.linalg.eigvalsh(a.astype("complex128" if a.dtype.kind == "c" else "float64"))
    norm = float(np.abs(want).max())
    e = 10 * n * float(np.finfo(a.dtype).eps)
    w, v = (r.numpy() for r in mp.eigh(x, upper))
    mp.ok(w.dtype == a.real.dtype and v.dtype == a.dtype and np.all(np.diff(w) >= 0), f"{name}: dtypes, ascending")
    close(f"{name}: eigenvalues", w.astype("float64"), want, e * norm)
    close(f"{name}: a v = v w", a @ v, v * w, e * norm)
    close(f"{name}: v is orthogonal", np.conj(v.T) @ v, np.eye(n), e)
    close(f"{name}: values alone", mp.eigvalsh(x, upper).numpy().astype("float64"), want, e * norm)


def check_range(name, a, x, upper, subset, low, high):
    """Some of the eigenvalues, by bisection, and vectors by inverse iteration."""
    n = len(a)
    all_values = np.linalg.eigvalsh(a.astype("complex128" if a.dtype.kind == "c" else "float64"))
    norm = float(np.abs(all_values).max())
    want = all_values[low:high + 1] if subset == 1 else all_values[(all_values > low) & (all_values <= high)]
    e = 10 * n * float(np.finfo(a.dtype).eps)
    w, v = (r.numpy() for r in mp.eigh_subset(x, None, 1, upper, subset, low, high))
    if mp.ok(w.shape == want.shape and v.shape == (n, len(want)) and w.dtype == a.real.dtype and v.dtype == a.dtype,
             f"{name}: {len(want)} values, dtypes"):
        close(f"{name}: values", w.astype("float64"), want, e * norm)
        close(f"{name}: a v = v w", a @ v, v * w, e * norm)
        close(f"{name}: v is orthonormal", np.conj(v.T) @ v, np.eye(len(want)), e)
    alone = mp.eigh_subset(x, None, 1, upper, subset, low, high, v_p=None)
    close(f"{name}: values alone", alone.numpy().astype("float64"), want, e * norm)


for dtype in ("float32", "float64", "complex64", "complex128"):
    n = int(rng.integers(256, 320))
    a = draw(rng, (n, n), dtype)
    a = (a + np.conj(a.T)) / 2
    for upper in (False, True):
        other = np.triu(draw(rng, (n, n), dtype), 1)  # the triangle that is not read
        given = np.triu(a) + other.T if upper else np.tril(a) + other
        if given.dtype.kind == "c":
            given = given + 3j * np.eye(n, dtype=dtype)  # nor are imaginary parts of the diagonal
        x = cut(rng, given.astype(dtype))
        check(f"{dtype} {n}, upper={upper}", a, x, upper)
        first, last = sorted(int(i) for i in rng.integers(0, n, 2))
        check_range(f"{dtype} {n}, values {first} to {last}", a, x, upper, 1, first, last)

n = 257
for name, values in spectra(n):
    signs = np.where(rng.random(n) < 0.5, -1, 1)
    a = hermitian(values * signs, "float64")
    check(name, a, cut(rng, a), False)
    check_range(f"{name}, a few", a, cut(rng, a), False, 1, n // 2, n // 2 + 9)
a = hermitian(np.arange(n) / 8, "float64")  # the bounds are far from eigenvalues
for low, high in ((-np.inf, 1.0625), (1.0625, 3.0625), (31.9375, np.inf), (99.0, 100.0)):
    check_range(f"values in ({low}, {high}]", a, cut(rng, a), False, 2, low, high)
check_range("values of a huge matrix", np.ldexp(a, 900), cut(rng, np.ldexp(a, 900)), False, 2, np.ldexp(1.0625, 900),
            np.ldexp(3.0625, 900))
a = hermitian(rng.standard_normal(n), "float64")
for value in (1e300, np.nan):
    check(f"{value} in the triangle that is not read", a, cut(rng, np.where(np.tri(n, dtype=bool), a, value)), False)
a = hermitian(rng.standard_normal(n), "complex128")
a[40:90] = a[:, 40:90] = 0
check("rows and columns of zeros", a, cut(rng, a), False)
check("diagonal", np.diag(np.arange(n, 0.0, -1)), cut(rng, np.diag(np.arange(n, 0.0, -1))), True)
a2 = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
check("tridiagonal", a2, cut(rng, a2), False)
check("a view, reversed", a[::-1, ::-1], cut(rng, a)[::-1, ::-1], False)
check("on the last rank", a, mp.array(a, mp.layout_on_root(mp.size, mp.size - 1, 2, a.shape)), False)
for which in range(4):
    check(f"cut in way {which}", a, cut(rng, a, which), False)
for exponent in (-1000, 990):
    big = hermitian(rng.standard_normal(n), "float64")
    w, v = (r.numpy() for r in mp.eigh(cut(rng, np.ldexp(big, exponent)), False))
    close(f"times 2^{exponent}", big @ v, v * np.ldexp(w, -exponent), 10 * n * np.finfo(float).eps * 50)

i = rng.integers(-9, 9, (n, n))
w, v = mp.eigh(cut(rng, i), False, out=(mp.array(np.zeros(n), mp.random_layout(rng, (n,))),
                                        mp.array(np.zeros((n, n)), mp.random_layout(rng, (n, n)))))
i = np.tril(i) + np.tril(i, -1).T
close("integers, into given arrays", i @ v.numpy(), v.numpy() * w.numpy(), 1e-9)
a[7, 7] = np.nan
try:
    mp.ok(np.isnan(mp.eigvalsh(cut(rng, a), False).numpy()).any(), "NaN goes through")
except mp.Error as error:
    reasons = "the iteration did not converge", "not all of its elements are finite"  # the latter on GPUs
    mp.ok(any(f"that were not found: {why}" in str(error) for why in reasons), f"NaN: none are found: {error}")
mp.done()
