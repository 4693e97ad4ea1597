# SPDX-License-Identifier: BSD-3-Clause
"""Windows of arrays, packed bits, functions by pieces, where= of element-wise functions, numbers of many variables."""

import warnings

import maniple as mp
import numpy as np

from . import ok, pair, raises, rng, same


def check_windows():
    windows = np.lib.stride_tricks.sliding_window_view
    x, a = pair((13, 7))
    for window, axis in (((3, 2), None), (3, 0), (4, -1), ((2, 3), (0, 0)), ((13, 7), None), ((1, 1), None), (9, 0)):
        for text in ("0, *", "*, 0", "0, 1", "*, *"):
            view, want = mp.sliding_window_view(x.to_layout(text), window, axis), windows(a, window, axis)
            same(f"windows of {window} along {axis}, cut by {text}", (view, view.max(axis=-1), view[::2, ..., ::-1] * 2),
                 (want, want.max(axis=-1), want[::2, ..., ::-1] * 2))
    same("windows of a view", windows(x[::-1, 1:], (3, 2)), windows(a[::-1, 1:], (3, 2)))
    same("windows in lib", mp.lib.stride_tricks.sliding_window_view(x.T, 3, 1), windows(a.T, 3, 1))
    whole = x.to_layout("0, *")
    view = mp.sliding_window_view(whole, 3, 1)
    whole[:, 2] = 0
    ok(mp.may_share_memory(whole, view) and not float(abs(view[:, 0, 2]).max()), "windows along an axis that is not cut share memory")
    raises(ValueError, "cannot be written", "windows cannot be written to", lambda: view.__setitem__(..., 1.0))
    raises(ValueError, "share elements", "writeable=", lambda: mp.sliding_window_view(x, 3, 0, writeable=True))
    raises(ValueError, "window[0] is 14, outside 1..13", "a window that is too large", lambda: mp.sliding_window_view(x, (14, 1)))
    raises(ValueError, "2 axes for windows of 1", "axes of other windows", lambda: mp.sliding_window_view(x, 2, (0, 1)))


def check_unwrap():
    for p in (rng.standard_normal(50) * 9, rng.integers(-20, 20, (5, 9)), np.array([0, np.pi, 0, -np.pi, 3 * np.pi]),
              (rng.standard_normal((4, 6)) * 8).astype("float32")):
        for named in ({}, {"period": 4}, {"period": 5}, {"discont": 5.0}, {"axis": 0, "period": 2.5}):
            same(f"unwrap of {p.dtype} with {named}", mp.unwrap(mp.asarray(p), **named), np.unwrap(p, **named),
                 1e-5 if p.dtype == "float32" else 1e-12)


def check_bits():
    bits, some = rng.random((5, 19)) < 0.5, rng.integers(0, 256, (4, 5)).astype("uint8")
    numbers = some.astype(int) // 100
    for order in ("big", "little"):
        for axis in (None, 0, -1):
            same(f"packbits along {axis}, {order}", (mp.packbits(mp.asarray(bits), axis, order), mp.packbits(mp.asarray(numbers), axis, order)),
                 (np.packbits(bits, axis, order), np.packbits(numbers, axis, order)))
            for count in (None, 3, -3, 0, 200):
                same(f"unpackbits of {count} along {axis}, {order}", mp.unpackbits(mp.asarray(some), axis, count, order),
                     np.unpackbits(some, axis, count, order))
    same("packbits of nothing", mp.packbits(mp.zeros((3, 0), bool), 1), np.packbits(np.zeros((3, 0), bool), 1))
    raises(ValueError, "there are 32 bits", "fewer bits than none", lambda: mp.unpackbits(mp.asarray(some), 0, -33))
    raises(TypeError, "float64", "bits of floats", lambda: mp.packbits(mp.ones(3)))
    raises(TypeError, "int64", "bytes of integers", lambda: mp.unpackbits(mp.arange(3)))
    raises(ValueError, "middle", "another order of bits", lambda: mp.packbits(mp.arange(3), bitorder="middle"))


def check_piecewise():
    x, a = pair((6, 7))
    for name, conditions, functions, more in (
        ("several conditions", lambda v: [v < 0, v > 1], [lambda v: -v, 3, lambda v: v**2], {}),
        ("one", lambda v: [v < 0], [lambda v, k, m: -v * k + m], {"k": 3, "m": 2}),
        ("conditions that overlap", lambda v: [v > -1, v > 1], [1, 2], {}),
        ("none that holds", lambda v: [v > 1e9], [lambda v: 1 / 0, lambda v: v], {}),
    ):
        same(f"piecewise, {name}", np.piecewise(x, conditions(x), functions, **more), np.piecewise(a, conditions(a), functions, **more))
    same("piecewise of bools, and of one number", (mp.piecewise(mp.arange(4), [True, False, True, False], [7]), mp.piecewise(mp.asarray(3.0), True, [lambda v: v + 1])),
         (np.piecewise(np.arange(4), [True, False, True, False], [7]), np.piecewise(np.array(3.0), True, [lambda v: v + 1])))
    raises(ValueError, "3 functions for 1 conditions", "functions without a condition", lambda: mp.piecewise(x, [x > 0], [1, 2, 3]))


def check_where():
    """where= of element-wise functions: elements for which the mask is false stay."""
    (x, a), (y, b), (_, start) = pair((13, 7)), pair((13, 7)), pair((13, 7))
    mask = b > 0
    where = mp.asarray(mask)
    for name, function in (
        ("add", lambda m, p, q, out, w: m.add(p, q, out=out, where=w)),
        ("a number", lambda m, p, q, out, w: m.multiply(p, 2, out=out, where=w)),
        ("one operand, a row of a mask", lambda m, p, q, out, w: m.exp(p, out=out, where=w[0])),
        ("an operand that is broadcast", lambda m, p, q, out, w: m.subtract(p[:1], q[0], out=out, where=w)),
        ("in place", lambda m, p, q, out, w: m.negative(out, out=out, where=w)),
        ("in place, shifted", lambda m, p, q, out, w: m.add(out[:-1], out[1:], out=out[1:], where=w[1:]) is None or out),
        ("nowhere", lambda m, p, q, out, w: m.add(p, q, out=out, where=False)),
    ):
        same(f"where= of {name}", function(mp, x, y, mp.asarray(start), where), function(np, a, b, start.copy(), mask), 1e-15)
    same("where= of NumPy's function", np.add(x, y, out=mp.asarray(start), where=where), np.add(a, b, out=start.copy(), where=mask))
    same("where= and two results", mp.modf(x, out=(mp.zeros((13, 7)), mp.ones((13, 7))), where=where),
         np.modf(a, out=(np.zeros((13, 7)), np.ones((13, 7))), where=mask))
    same("where= into float32", mp.add(x, 1, out=mp.zeros((13, 7), "float32"), where=where),
         np.add(a, 1, out=np.zeros((13, 7), "float32"), where=mask))
    for name, got, want in (("where= without out=", mp.add(x, y, where=where), np.where(mask, a + b, 0)),
                            ("a mask of more dimensions", mp.exp(x[0], where=where), np.where(mask, np.exp(a[0]), 0))):
        same(name, mp.where(where, got, 0), want, 1e-15)
    same("two results of which one is new", [mp.where(where, v, 9) for v in mp.modf(x, out=(None, mp.ones((13, 7))), where=where)],
         [np.where(mask, v, 9) for v in np.modf(a)])
    raises(TypeError, "float64", "where= that is no mask", lambda: mp.add(x, y, out=mp.ones((13, 7)), where=y))
    raises(ValueError, "same_kind", "where= and an output that cannot hold the result",
           lambda: mp.add(x, y, out=mp.ones((13, 7), int), where=where))


def check_multivariate_normal():
    """Means and covariances of many draws are within six standard errors: (s_ii s_jj + s_ij^2) / n, of a Wishart
    distribution."""
    count, mean, root = 20000, np.array([1.0, -2, 0.5]), np.array([[2.0, 0, 0], [0.5, 1, 0], [-1, 0.3, 0.7]])
    cov = root @ root.T
    bound = 6 * np.sqrt((np.outer(np.diag(cov), np.diag(cov)) + cov**2) / count)
    wrong = np.diag([1.0, -1, 1])
    for method in ("svd", "eigh", "cholesky"):
        draws = mp.random.default_rng(3).multivariate_normal(mean, mp.asarray(cov), count, method=method)
        near = np.abs(draws.mean(axis=0).numpy() - mean) < 6 * np.sqrt(np.diag(cov) / count)
        ok(draws.shape == (count, 3) and near.all(), f"the mean of normal numbers of three variables, by {method}")
        ok((np.abs(mp.cov(draws.T).numpy() - cov) < bound).all(), f"and their covariance, by {method}")
        raises((ValueError, np.linalg.LinAlgError), "positive", f"what is no covariance, by {method}",
               lambda method=method: mp.random.multivariate_normal(mean, wrong, 2, "raise", method=method))
    generator = mp.random.default_rng(0)
    ok([generator.multivariate_normal(mean, cov, size).shape for size in (None, 4, (4, 5))] == [(3,), (4, 3), (4, 5, 3)], "shapes of draws")
    singular = generator.multivariate_normal([0, 0], np.ones((2, 2)), 50)
    ok(float(abs(singular[:, 0] - singular[:, 1]).max()) < 1e-6, "a covariance of rank 1")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        generator.multivariate_normal(mean, wrong)
        generator.multivariate_normal(mean, wrong, check_valid="ignore")
    ok([w.category for w in caught] == [RuntimeWarning], "a warning of what is no covariance")
    raises(ValueError, "do not belong together", "a covariance of another shape", lambda: generator.multivariate_normal(mean, np.eye(2)))
    raises(ValueError, "'lu'", "another method", lambda: generator.multivariate_normal(mean, cov, method="lu"))
