# SPDX-License-Identifier: BSD-3-Clause
"""For tests of matrices that all ranks hold together: random ones, layouts that cut them, spectra, comparisons."""

import maniple as mp
import numpy as np


def draw(rng, shape, dtype):
    """Normal numbers."""
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def cut(rng, a, which=None):
    """An array that is cut by columns, by rows, in blocks, or in uneven parts, some of which may be empty."""
    which = int(rng.integers(4)) if which is None else which
    text = ("0, *", "*, 0", "0, 1")[which % 3]
    return mp.array(a, mp.random_layout(rng, a.shape) if which == 3 else mp.layout_parse(2, a.shape, text))


def close(name, got, want, bound):
    """A point: no element is off by more than the bound."""
    got, want = (v.numpy() if isinstance(v, mp.Array) else np.asarray(v) for v in (got, want))
    error = float(np.max(np.abs(got - want), initial=0)) if got.shape == want.shape else np.inf
    mp.ok(error <= bound, f"{name}: {error:.1e} <= {bound:.1e}")


def spectra(n):
    """Singular values that methods have failed on: names, and n values in descending order."""
    eps = np.finfo(float).eps
    return (("graded", np.geomspace(1, eps ** 2, n)), ("one large value", np.where(np.arange(n) < 1, 1.0, eps)),
            ("clustered", np.repeat([3.0, 2.0 + 10 * eps, 2.0, 1e-8], [n // 4, n // 4, n // 4, n - 3 * (n // 4)])),
            ("rank-deficient", np.where(np.arange(n) < n // 3, np.linspace(2, 1, n), 0.0)),
            ("all equal", np.full(n, 7.0)), ("zeros", np.zeros(n)))
