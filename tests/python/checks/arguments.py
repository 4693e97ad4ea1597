# SPDX-License-Identifier: BSD-3-Clause
"""Methods and further arguments of NumPy's functions; grids, polynomials, indices."""

import importlib
import inspect

import maniple as mp
import numpy as np
import scipy.fft
import scipy.ndimage

from . import ARRAY_API_WORDS, ok, pair, raises, rng, same


def check_ufunc_methods():
    """maniple.add.at and its kin, as CuPy's and NumPy's functions have them."""
    x, a = mp.zeros((4, 5)), np.zeros((4, 5))
    i, j = np.array([0, 0, 3, -1]), np.array([1, 1, 2, 4])
    mask = rng.random((4, 5)) < 0.5
    keys = {"an array": i, "two": (i, j), "beside a slice": (slice(None), j), "a mask": mask, "a slice": slice(1, 3),
            "an integer": (2, j), "a list": [0, 0, 2]}
    for name, key in keys.items():
        spread = tuple(mp.asarray(k) if isinstance(k, np.ndarray) else k for k in key) if isinstance(key, tuple) else (
            mp.asarray(key) if isinstance(key, np.ndarray) else key)
        value = rng.random(a[key].shape)
        for mine, theirs in ((mp.add, np.add), (np.maximum, np.maximum)):
            mine.at(x, spread, mp.asarray(value))
            theirs.at(a, key, value)
        mp.subtract.at(x, spread, 0.25)
        np.subtract.at(a, key, 0.25)
        mp.negative.at(x, spread)
        np.negative.at(a, key)
        same(f"at of {name}", x, a, 1e-14)
    for name in ("add", "maximum", "subtract", "logical_or"):
        mine, theirs = getattr(mp, name), getattr(np, name)
        same(f"methods of {name}", (mine.reduce(x), mine.reduce(x, axis=1, keepdims=True), mine.accumulate(x, axis=1),
                                    mine.outer(x[0], x[1]), mine.reduceat(x, [0, 2], axis=1)),
             (theirs.reduce(a), theirs.reduce(a, axis=1, keepdims=True), theirs.accumulate(a, axis=1),
              theirs.outer(a[0], a[1]), theirs.reduceat(a, [0, 2], axis=1)), 1e-14)
    same("reduce with initial and where", mp.add.reduce(abs(x), axis=None, initial=3, where=mp.asarray(mask)),
         np.add.reduce(abs(a), axis=None, initial=3, where=mask), 1e-14)
    ok((mp.add.nin, mp.divmod.nout, hasattr(mp.sin, "reduce")) == (2, 2, False), "what functions take and give")


def check_more_arguments():
    x, a = pair((5, 6))
    for obj in (2, -1, slice(1, 3), slice(None, None, 2), [0, 3], np.array([4, 0, 4]), [], np.arange(5) % 2 == 0):
        same(f"delete {obj}", mp.delete(x, obj, 0), np.delete(a, obj, 0))
    same("delete of the flattened array", mp.delete(x, [0, -1, 7]), np.delete(a, [0, -1, 7]))
    raises(IndexError, "out of", "an index that is not there", lambda: mp.delete(x, [9], 0))
    for dtype in ("float16", "float32", "float64", "complex64", "complex128"):
        b = np.array([np.nan, np.inf, -np.inf, 1.5, -0.0], dtype)
        if b.dtype.kind == "c":
            b.imag = b.real[::-1]
        for named in ({}, {"nan": -1.0}, {"posinf": 9.0}, {"neginf": -9.0, "nan": 2}):
            y = mp.asarray(b)
            same(f"nan_to_num of {dtype}, {named}", mp.nan_to_num(y, **named), np.nan_to_num(b, **named))
            mp.nan_to_num(y, copy=False, **named)
            same("in place", y, np.nan_to_num(b, **named))
    raises(ValueError, "needs an axis", "running sums of a matrix", lambda: mp.cumulative_sum(x))
    raises(ValueError, "neither left nor right", "another side", lambda: mp.searchsorted(mp.arange(3), 1, side="up"))


def check_written():
    """What is assigned reaches the array, or is refused as NumPy refuses it."""
    for layout in (None, "*, 0"):
        a = np.arange(48.0).reshape(8, 6)
        x = mp.asarray(a, layout=layout)
        for key, value in ((3, -1.0), (slice(2, 9), 7.0), ([0, 39], [1.0, 2.0]), (slice(None, None, 5), 0.5)):
            for mine, theirs in ((x, a), (x.T, a.T), (x[:, :5], a[:, :5])):
                mine.flat[key] = value
                theirs.flat[key] = value
                theirs += 1
                mine += 1
        same(f"flat of layout {layout}", x, a)
        x.flat, a.flat = 3, 3
        x.flat += 1
        same("all of flat", x, a + 1)
    z, c = pair((3, 4), "complex64")
    z.real, z.imag[0] = mp.arange(4.0), 5
    c.real, c.imag[0] = np.arange(4.0), 5
    z.imag += 1
    c.imag += 1
    same("real and imaginary parts", z, c)
    y = mp.zeros(3)
    y.real = 2
    same("the real part of real numbers", y, np.full(3, 2.0))
    raises(TypeError, "no imaginary part", "their imaginary part", lambda: setattr(y, "imag", 1))
    for kind, value, dtype in ((ValueError, np.nan, "int32"), (OverflowError, -np.inf, "int64"),
                               (OverflowError, 300.5, "uint8"), (ValueError, np.float32("nan"), "int32"), (TypeError, 1j, "float32"), (TypeError, 1j, "int8")):
        mine, theirs = mp.zeros(3, dtype), np.zeros(3, dtype)
        for key in (0, slice(None), [0, 2], theirs == 0):
            try:
                theirs[key] = value
            except kind:
                pass
            else:
                continue  # NumPy 1.24 has not all of the checks
            at = mp.asarray(key) if isinstance(key, np.ndarray) else key
            raises(kind, "", f"{value} among {dtype}", lambda at=at: mine.__setitem__(at, value))
        raises(kind, "", f"{dtype} filled with {value}", lambda: mine.fill(value))
    mine.fill(True)
    same("what fits", mine, np.ones(3, "int8"))
    for value in ([1, 2, 3], [[1.5], [2.5]], np.arange(3)):
        wanted = np.full((2, 3), value)
        spread = mp.asarray(value) if isinstance(value, np.ndarray) else value
        x = mp.asarray(wanted)
        made = mp.full((2, 3), spread), mp.full((2, 3), spread, layout="*, 0"), mp.full_like(x, spread)
        same(f"full of {value}", made, (wanted, wanted, np.full_like(wanted, value)))
    raises(ValueError, "broadcast", "full of too many", lambda: mp.full((2, 3), [1, 2]))
    same("array with ndmin", (mp.array([1, 2], ndmin=3), mp.array(3.0, ndmin=1), mp.array([[1]], ndmin=1)),
         (np.array([1, 2], ndmin=3), np.array(3.0, ndmin=1), np.array([[1]], ndmin=1)))
    x = mp.arange(12.0)
    y = mp.reshape(x, (3, 4), copy=True)
    y[0] = -1
    same("a reshaped copy", (x, y[1]), (np.arange(12.0), np.arange(4.0, 8.0)))
    same("a reshaped view", mp.reshape(x[None], (12,), copy=False), np.arange(12.0))
    raises(ValueError, "only a copy", "what is no view", lambda: mp.reshape(mp.zeros((8, 5)).T, (40,), copy=False))


def check_numbers():
    """Numbers that the library's types do not have are refused, with a sentence that names the function."""
    x, y = mp.arange(12.0), mp.ones((3, 4))
    for name, words, function in (
        ("a shape", "zeros: shape is", lambda: mp.zeros(2**64 + 3)),
        ("an axis", "take: axis is 4294967296", lambda: mp.take(x, [0], axis=2**32)),
        ("an axis of a reduction", "axes is 4294967296", lambda: mp.sum(x, axis=2**32)),
        ("a shift", "roll: shifts is", lambda: mp.roll(x, 2**64 + 1)),
        ("axes", "transpose: axes is", lambda: mp.transpose(y, (1, 2**32))),
        ("axes of a convolution", "axes is", lambda: mp.signal.convolve(y, y, axes=(2**32,))),
        ("an order", "order is", lambda: mp.ndimage.gaussian_filter(y, 1, order=2**40)),
        ("diagonals", "solve_banded: l is", lambda: mp.linalg.solve_banded((2**64, 0), y, x)),
        ("a transform's length", "fft: n is", lambda: mp.fft.fft(x, n=2**64 + 5)),
        ("a transform's axis", "fft: axis is", lambda: mp.fft.fft(x, axis=2**32)),
        ("a transform's shape", "fft2: s is", lambda: mp.fft.fft2(y, s=(2**64, 3))),
        ("a length", "next_fast_len: target is", lambda: mp.fft.next_fast_len(2**64 + 13)),
        ("frequencies", "fftfreq: n is", lambda: mp.fft.fftfreq(2**64 + 5)),
    ):
        raises(OverflowError, words, name, function)
    for name, words, function in (
        ("eye", "eye: rows is 3.5, which is no integer", lambda: mp.eye(3.5)),
        ("linspace", "linspace: count is 3.5", lambda: mp.linspace(0, 1, 3.5)),
        ("roll", "roll: shifts is 1.5", lambda: mp.roll(x, 1.5)),
        ("sum", "integer", lambda: mp.sum(x, axis=1.0)),
        ("a length", "fft: n is 4.7, which is no integer", lambda: mp.fft.fft(x, n=4.7)),
        ("an axis", "fft: axis is 1.0", lambda: mp.fft.fft(x, axis=1.0)),
        ("a norm", "fft: norm is 3, which is no text", lambda: mp.fft.fft(x, norm=3)),
        ("frequencies", "fftfreq: n is 4.7", lambda: mp.fft.fftfreq(4.7)),
        ("a fast length", "next_fast_len: target is 3.5", lambda: mp.fft.next_fast_len(3.5)),
    ):
        raises(TypeError, words, f"{name} of what is no integer", function)
    raises(ValueError, "trans is 'Q'", "trans", lambda: mp.linalg.solve_triangular(mp.eye(2), mp.ones(2), trans="Q"))
    same("integers of NumPy", (mp.eye(np.int8(2)), mp.roll(x, np.uint8(3))), (np.eye(2), np.roll(np.arange(12.0), 3)))


def check_axes():
    """Axes as numbers, of Python and NumPy, tuples, lists, arrays, and none at all."""
    x, a = pair((3, 4))
    for axes in ((), 0, np.int64(1), (1, 0), [0], np.array([0, 1]), None):
        for name in ("fftshift", "ifftshift"):
            same(f"{name} along {axes!r}", getattr(mp.fft, name)(x, axes=axes), getattr(np.fft, name)(a, axes=axes))
    for axes, s in ((1, 3), (np.int64(0), None), (np.array([1, 0]), (2, 3)), ([1], np.array([5]))):
        for name in ("fftn", "irfftn", "dctn"):
            want = getattr(scipy.fft, name)(a, s=s, axes=axes)
            same(f"{name} along {axes!r} of lengths {s}", getattr(mp.fft, name)(x, s=s, axes=axes), want, 1e-13)
    same("roll by an array", mp.roll(x, np.array([1, 2]), (0, 1)), np.roll(a, np.array([1, 2]), (0, 1)))
    for axes in (np.array([[0, 1], [0, 1]]), np.array([1, 1]), (np.int64(0), 0), [np.array([1]), [1]]):
        same(f"tensordot of axes {axes!r}", mp.tensordot(x, x, axes), np.tensordot(a, a, axes), 1e-13)


def check_grids():
    for key in (slice(5), slice(1, 2, 0.25), slice(-1, 1, 5j), (slice(0, 3), slice(1, 2, 0.25)),
                (slice(-1, 1, 5j), slice(3), slice(2))):
        same(f"mgrid, ogrid {key}", (mp.mgrid[key], *mp.ogrid[key]) if isinstance(key, tuple) else (mp.mgrid[key],),
             (np.mgrid[key], *np.ogrid[key]) if isinstance(key, tuple) else (np.mgrid[key],), 1e-15)
    x, a = pair((3, 2))
    same("r_", (mp.r_[1:4, 0, 4], mp.r_[0:1:5j, x[:, 0]], mp.r_[x, x]), (np.r_[1:4, 0, 4], np.r_[0:1:5j, a[:, 0]], np.r_[a, a]))
    same("c_", (mp.c_[x[:, 0], x[:, 1]], mp.c_[x, x[:, 0]]), (np.c_[a[:, 0], a[:, 1]], np.c_[a, a[:, 0]]))
    raises(TypeError, "concatenate", "r_ with an axis", lambda: mp.r_["0,2", 1])
    raises(TypeError, "p is an array", "a distribution of an array", lambda: mp.random.binomial(5, mp.arange(3) / 3))
    y = np.arange(12).reshape(3, 4) % 3
    same("ndimage.sum by labels that are an array", mp.ndimage.sum(x[:, :1] + mp.zeros((3, 4)), mp.asarray(y), mp.arange(1, 3)),
         scipy.ndimage.sum(a[:, :1] + np.zeros((3, 4)), y, np.arange(1, 3)), 1e-14)


def check_polynomials():
    p, q, points = np.array([0.0, 2, -3, 1]), np.array([1, 4]), np.linspace(-1, 2, 50)
    P, x = mp.asarray(p), mp.asarray(points)
    same("sums and products of polynomials", (mp.polyadd(P, q), mp.polysub(q, P), mp.polymul(P, q), mp.polyadd([1], [2])),
         (np.polyadd(p, q), np.polysub(q, p), np.polymul(p, q), np.polyadd([1], [2])))
    same("derivatives and integrals", (mp.polyder(P), mp.polyder(P, 2), mp.polyder([1, 2, 3]), mp.polyint(P), mp.polyint(P, 2, [3, 4])),
         (np.polyder(p), np.polyder(p, 2), np.polyder([1, 2, 3]), np.polyint(p), np.polyint(p, 2, [3, 4])))
    same("values", (mp.polyval(P, x), mp.polyval([1, 2, 3], mp.arange(4)), mp.polyval(P, 2.0), mp.polyval([], x)),
         (np.polyval(p, points), np.polyval([1, 2, 3], np.arange(4)), np.polyval(p, 2.0), np.polyval([], points)), 1e-14)
    same("vander", (mp.vander(mp.arange(4)), mp.vander(x, 3), mp.vander(x, 4, True), mp.vander(x, 1), mp.vander([2, 3], 0)),
         (np.vander(np.arange(4)), np.vander(points, 3), np.vander(points, 4, True), np.vander(points, 1), np.vander([2, 3], 0)), 1e-14)
    y, w = np.sin(points), 1 + points**2
    several = np.stack([y, w], 1)
    same("polyfit", (mp.polyfit(x, mp.asarray(y), 3), mp.polyfit(x, y, 2, w=mp.asarray(w)), mp.polyfit(x, several, 2)),
         (np.polyfit(points, y, 3), np.polyfit(points, y, 2, w=w), np.polyfit(points, several, 2)), 1e-10)
    for named in ({"cov": True}, {"cov": "unscaled", "w": w}):
        for of_y in (y, several):
            spread = {k: mp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in named.items()}
            want = np.polyfit(points, of_y, 2, **named)
            same(f"polyfit with {sorted(named)}", mp.polyfit(x, of_y, 2, **spread), want, 1e-9)
    raises(ValueError, "too few", "the covariance of three points", lambda: mp.polyfit(x[:3], y[:3], 2, cov=True))
    raises(TypeError, "list of integers", "einsum by a number", lambda: mp.einsum(x, 0))
    for zeros in ([1.0, -2, 5], [0.0, 0, 3], [4.0]):
        made = mp.poly(zeros)
        same(f"poly of {zeros}", made, np.poly(np.array(zeros)), 1e-14)
        same("and its roots", np.sort(mp.roots(made).numpy().real), np.sort(zeros), 1e-10)
    same("complex roots", np.sort_complex(mp.roots([0, 1, 0, 1]).numpy()), np.array([-1j, 1j]), 1e-14)


def check_more_indices():
    """What selects and inserts by indices."""

    def places(obj):  # NumPy 1 takes bools for numbers
        obj = obj.numpy() if isinstance(obj, mp.ndarray) else obj
        return np.flatnonzero(obj) if getattr(obj, "dtype", None) == bool else obj

    x, a = pair((5, 6))
    for obj, what in ((2, 7), (-1, np.arange(5)), ([1], np.arange(5).reshape(5, 1)), ([0, 3, 3], np.arange(15.0).reshape(5, 3)),
                      (slice(0, 6, 2), 1), (np.arange(6) > 3, [[1, 2]]), ([], 0), (mp.arange(2), 9)):
        same(f"insert at {obj}", mp.insert(x, obj, what, 1), np.insert(a, places(obj), what, 1))
    same("insert in the flattened array", (mp.insert(x, [3, 29], [1, 2]), mp.insert([1, 2], 1, [7, 8])),
         (np.insert(a, [3, 29], [1, 2]), np.insert([1, 2], 1, [7, 8])))
    raises(IndexError, "out of bounds", "an index to insert at", lambda: mp.insert(x, [0, 7], 0, 1))
    same("delete what an array names", (mp.delete(x, mp.arange(1, 3), 0), mp.delete(x, x[0] > 0, 1)),
         (np.delete(a, [1, 2], 0), np.delete(a, a[0] > 0, 1)))
    b = np.array([[2, 1], [0, 5], [2, 1], [0, 1], [0, 5]])
    for axis in (0, 1):
        found, *others = np.unique(b, True, True, True, axis=axis)
        got = mp.unique(mp.asarray(b), True, True, True, axis=axis)
        same(f"unique along {axis}", got, (found, *(v.reshape(-1) for v in others)))
    same("unique rows alone", mp.unique(mp.asarray(b), axis=0), np.unique(b, axis=0))
    same("indices of triangles", (*mp.tril_indices(4), *mp.triu_indices(3, 1, 5), *mp.tril_indices_from(x, -1), *mp.triu_indices_from(x), *mp.diag_indices(3)),
         (*np.tril_indices(4), *np.triu_indices(3, 1, 5), *np.tril_indices_from(a, -1), *np.triu_indices_from(a), *np.diag_indices(3)))
    same("elements above the diagonal", x[mp.triu_indices_from(x, 1)], a[np.triu_indices_from(a, 1)])
    for shape in ((5, 6), (6, 4), (3, 3, 3)):
        for value in (7.0, [1.0, 2.0]):
            y, c = pair(shape)
            mp.fill_diagonal(y, value)
            np.fill_diagonal(c, value)
            same(f"fill_diagonal of {shape}", y, c)
    i = np.array([[0, 29], [13, 7]])
    same("indices of several dimensions", (*mp.unravel_index(mp.asarray(i), (5, 6)), mp.ravel_multi_index((mp.asarray(i) % 5, mp.asarray(i) % 6), (5, 6))),
         (*np.unravel_index(i, (5, 6)), np.ravel_multi_index((i % 5, i % 6), (5, 6))))
    raises(IndexError, "out of bounds", "an index beyond the end", lambda: mp.unravel_index(mp.arange(31), (5, 6)))
    ok(x.item(8) == a.item(8) and x.item(-1) == a.item(-1) and x.item(2, 3) == a.item(2, 3), "item at an index of all elements")
    same("block", (mp.block([[x, x[:, :1]], [x[0], 5]]), mp.block([x[0], x[1]]), mp.block(x)),
         (np.block([[a, a[:, :1]], [a[0], 5]]), np.block([a[0], a[1]]), a))
    p, q = np.array([[3, 1, 3], [2, 7, 1]]), np.array([7, 9, 3, 3, 0])
    same("intersect1d with indices", mp.intersect1d(mp.asarray(p), q, return_indices=True),
         np.intersect1d(p, q, return_indices=True))
    same("intersect1d of what is unique", mp.intersect1d(p[0, :2], q[:2], True), np.intersect1d(p[0, :2], q[:2]))
    same("sparse indices", mp.indices((2, 3, 1), "float32", sparse=True), np.indices((2, 3, 1), "float32", sparse=True))
    z = np.array([0, 0, 1, 0, 2, 0])
    same("trim_zeros", [mp.trim_zeros(mp.asarray(v), t) for v in (z, z[:2]) for t in ("fb", "f", "b")],
         [np.trim_zeros(v, t) for v in (z, z[:2]) for t in ("fb", "f", "b")])


# Names of SciPy's that the package has not: those that SciPy itself has given up
_GIVEN_UP = set("""barthann bartlett blackman blackmanharris bohman boxcar bspline cascade chebwin cmplx_sort cosine cubic daub
    exponential flattop gaussian general_gaussian hamming hann impulse2 kaiser lsim2 nuttall parzen quadratic step2 triang
    tukey test""".split())
# Arguments of SciPy's that are not taken: by the function, or everywhere
_OTHER_ARGUMENTS = {"remez": {"Hz"}}
_NOT_TAKEN = {"nyq"} | ARRAY_API_WORDS


def check_signatures_of_scipy():
    """Every public function of SciPy's two modules has its arguments here, with their defaults, in their order."""
    for home in ("signal", "ndimage"):
        ours, theirs = getattr(mp, home), importlib.import_module("scipy." + home)
        named = [name for name in dir(theirs) if not name.startswith("_") and callable(getattr(theirs, name))]
        missing = {name for name in named if not hasattr(ours, name)} - _GIVEN_UP
        ok(not missing, f"scipy.{home} has nothing else than Maniple {sorted(missing)}")
        for name in named:
            if hasattr(ours, name) and not inspect.isclass(getattr(theirs, name)):
                _compare_signatures(f"{home}.{name}", getattr(ours, name), getattr(theirs, name))


def _compare_signatures(name, ours, theirs):
    try:
        wanted = inspect.signature(theirs).parameters.values()
    except ValueError:  # a function of C without one
        return
    given, less = inspect.signature(ours).parameters, _NOT_TAKEN | _OTHER_ARGUMENTS.get(name.split(".")[1], set())
    wanted = [p for p in wanted if p.name not in less and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    takes_all = any(p.kind is p.VAR_KEYWORD for p in given.values())
    lacking = [p.name for p in wanted if p.name not in given and not takes_all]
    defaults = [p.name for p in wanted if p.name in given and not _same_default(p.default, given[p.name].default)]
    by_place = [p.name for p in wanted if p.kind is p.POSITIONAL_OR_KEYWORD and p.name in given
                and given[p.name].kind is p.POSITIONAL_OR_KEYWORD]
    in_order = [n for n in given if n in by_place] == by_place
    ok(not lacking and not defaults and in_order, f"arguments of scipy.{name}: {lacking} {defaults} {in_order}")


def _same_default(theirs, ours):
    """SciPy has no argument, {} or a dtype in places where None says the same here, the names of periodic windows where
    all are periodic, and an object for an argument that it gives up."""
    if type(theirs) is object or {type(ours), type(theirs)} <= {int, float}:
        return type(theirs) is object or ours == theirs
    wanted = repr(theirs), repr(theirs).replace("_periodic", "")
    return (ours is None and theirs in (inspect.Parameter.empty, np.float64, {}, None)) or repr(ours) in wanted
