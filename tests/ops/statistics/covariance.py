# SPDX-License-Identifier: BSD-3-Clause
"""Covariances and correlations compared with NumPy's."""

import ctypes
import warnings

import maniple as mp
import numpy as np

warnings.simplefilter("ignore", RuntimeWarning)  # of nothing left to divide by
rng = mp.random()


class Options(ctypes.Structure):
    """mnp_cov_options"""
    _fields_ = [("columns", ctypes.c_bool), ("bias", ctypes.c_bool), ("ddof", ctypes.c_int),
                ("fweights", ctypes.c_void_p), ("aweights", ctypes.c_void_p), ("dtype", ctypes.c_char_p)]


def distribute(values):
    """An array in a random layout; sometimes a reversed view."""
    if values.ndim == 0 or rng.random() < 0.5:
        return mp.array(values, mp.random_layout(rng, values.shape))
    return mp.array(values[..., ::-1], mp.random_layout(rng, values.shape))[..., ::-1]


def options(rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """mnp_cov_options from NumPy's arguments, with distributed arrays, and a list that keeps the arrays alive."""
    kept = [None if w is None else distribute(w) for w in (fweights, aweights)]
    pointers = [None if w is None else w.pointer.value for w in kept]
    return Options(not rowvar, bias or ddof == 0, ddof or 0, *pointers, dtype and dtype.encode()), kept


def near(name, got, want):
    """A test point: results are equal up to rounding relative to the largest, as sums of products may cancel."""
    got = got.numpy()
    eps = np.finfo(want.dtype).eps
    scale = np.abs(want[np.isfinite(want)]).max(initial=0)
    same = got.dtype == want.dtype and got.shape == want.shape
    mp.ok(same and np.allclose(got, want, 64 * eps, 64 * eps * scale, equal_nan=True),
          f"{name}: {got.dtype} {got.shape} {got if not same else ''}")


def compare(x, y=None, out=None, **named):
    """Compare with numpy.cov, and with numpy.corrcoef if only arguments that it has are given."""
    given, kept = options(**named)
    xs, ys = distribute(x), None if y is None else distribute(y)
    words = ", ".join(f"{key}={value if np.ndim(value) == 0 else '...'}" for key, value in named.items())
    words = f"{x.dtype} {x.shape}" + (f" and {y.dtype} {y.shape}" if y is not None else "") + f" {words}"
    near("cov of " + words, mp.cov(xs, ys, given, **({"out": out} if out else {})),
         np.asarray(np.cov(x, y, **named)))
    if not set(named) - {"rowvar", "dtype"} and x.shape[:1] != (0,):
        near("corrcoef of " + words, mp.corrcoef(xs, ys, given), np.asarray(np.corrcoef(x, y, **named)))
    del kept


x = rng.standard_normal((4, 9)) + 1e3
y = rng.standard_normal((2, 9))
compare(x)
compare(x, y)
compare(x.T, y.T, rowvar=False)
compare(x, y[0])
compare(x[0], y[1])
compare(x[0])
compare(x[:1])
if np.cov(np.zeros((1, 4)), rowvar=False).ndim:  # earlier NumPy does not turn a single row
    compare(x[:, :1].T, rowvar=False)
compare(x.astype("float32"), dtype="float32")
compare(rng.integers(-9, 9, (3, 20)).astype("int16"), bias=True)
compare(y + 1j * x[:2])
compare(x, ddof=9)
compare(x[:, :1])
compare(x[:, :0])
compare(x[:0])
compare(np.float64(2.5) + np.zeros(()), bias=True)
f, v = rng.integers(0, 4, 9), rng.uniform(1, 2, 9)  # with these no divisor is near 0
f[0] = 3
compare(x, fweights=f)
compare(x, fweights=f, ddof=0)
compare(x, y, aweights=v, ddof=2)
compare(x.astype("float32"), fweights=f, aweights=v.astype("float32"))
z = distribute(np.zeros((4, 4), "float32"))
near("an output of another type", mp.cov(distribute(x), None, None, out=z), np.cov(x).astype("float32"))
square = rng.standard_normal((5, 5))
s = distribute(square)
near("in place", mp.cov(s, None, None, out=s), np.cov(square))
for _ in range(3):
    shape = tuple(int(n) for n in rng.integers(1, 7, 2) * [1, 9])
    compare(rng.standard_normal(shape), None if rng.random() < 0.5 else rng.standard_normal(shape[1]),
            ddof=int(rng.integers(0, 3)))
big = rng.standard_normal((3, 70001))
compare(big.T, rowvar=False)

before = z.numpy()
xs = distribute(x)
mp.fails("MNP_ERR_ARG", "3 dimensions", mp.cov, distribute(x.reshape(2, 2, 9)), None, None, out=z)
mp.fails("MNP_ERR_ARG", "there are 9 observations, and 8 in y", mp.cov, xs, distribute(y[:, 1:]), None, out=z)
mp.fails("MNP_ERR_ARG", "must be of floats", mp.cov, xs, None, options(dtype="int32")[0], out=z)
for words, named in [("fweights cannot be negative", {"fweights": f - 4}), ("fweights are float64", {"fweights": v}),
                     ("(8,), and there are 9", {"aweights": v[1:]}), ("aweights cannot be", {"aweights": v - 2})]:
    given, kept = options(**named)
    mp.fails("MNP_ERR_ARG", words, mp.cov, xs, None, given, out=z)
    mp.fails("MNP_ERR_ARG", "no weights", mp.corrcoef, xs, None, given, out=z)
mp.fails("MNP_ERR_ARG", "same_kind", mp.cov, xs, None, None, out=distribute(np.zeros((4, 4), "int32")))
for function in (mp.cov, mp.corrcoef):
    mp.fails("MNP_ERR_ARG", "(4, 4), and the result's is (3, 3)", function, distribute(x[:3]), None, None, out=z)
    mp.fails("MNP_ERR_ARG", "(2, 4, 4), and the result's is (4, 4)", function, xs, None, None,
             out=distribute(np.zeros((2, 4, 4))))
mp.ok((z.numpy() == before).all(), "nothing has changed")
mp.done()
