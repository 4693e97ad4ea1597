# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's further names, orders of elements, margins, and what is raised, beside NumPy."""

import errno
import os

import maniple as mp
import numpy as np

from . import ok, raises, rng, same, shared_folder


class _OwnError(KeyError):
    pass


def _fail():
    raise _OwnError("a reason")


def beside(cases, ours, theirs, rtol=0.0):
    """Points: functions of a module and operands give the same of both."""
    for name, function in cases.items():
        same(name, function(mp, *ours), function(np, *theirs), rtol)


def check_orders():
    """Elements by columns, as Fortran has them."""
    q, a = np.arange(24).reshape(2, 3, 4), rng.standard_normal((6, 7))
    for text in ("0, *", "*, 0"):
        x = mp.asarray(a).to_layout(text)
        beside({
            f"ravel in order F, {text}": lambda m, x: m.ravel(x, order="F"),
            f"flatten in order F, {text}": lambda m, x: x.flatten("F"),
            f"reshape in order F, {text}": lambda m, x: x.reshape((3, 14), order="F"),
            f"reshape in order A, {text}": lambda m, x: m.reshape(x, (14, 3), order="A"),
        }, (x,), (a,))
    same("reshape of three dimensions in order F", mp.asarray(q).reshape(4, -1, order="F"), q.reshape(4, -1, order="F"))
    raises(ValueError, "order is 'X'", "another order", lambda: mp.ravel(mp.asarray(q), "X"))
    for new in ((3, 4), (50,), (0, 2), (2, 1, 3)):
        same(f"resize to {new}", mp.resize(mp.asarray(q), new), np.resize(q, new))
    same("resize of nothing", mp.resize(mp.zeros(0), (2, 3)), np.resize(np.zeros(0), (2, 3)))


def check_margins():
    """The modes of pad() that need more than elements of the array."""
    t, a, i = np.arange(20.0), rng.standard_normal((6, 7)), rng.integers(-9, 9, (4, 5))
    for mode in ("linear_ramp", "maximum", "mean", "median", "minimum"):
        for name, x, width in (("a vector", t, 3), ("a matrix", a, ((1, 0), (0, 2))), ("integers", i, (2, 1))):
            same(f"pad of {name}, {mode}", mp.pad(mp.asarray(x), width, mode), np.pad(x, width, mode), 1e-14)
    same("pad with stat_length", mp.pad(mp.asarray(a), 2, "mean", stat_length=((2, 3), (1, 99))),
         np.pad(a, 2, "mean", stat_length=((2, 3), (1, 99))), 1e-14)
    same("pad with end_values", mp.pad(mp.asarray(a), (3, 1), "linear_ramp", end_values=((5, -4), (1, 2))),
         np.pad(a, (3, 1), "linear_ramp", end_values=((5, -4), (1, 2))), 1e-14)
    ok(mp.pad(mp.asarray(a), 1, "empty").shape == (8, 9), "pad with anything")
    raises(ValueError, "below 0", "a width below 0", lambda: mp.pad(mp.asarray(a), -1, "mean"))
    raises(ValueError, "linear_ramp", "another mode", lambda: mp.pad(mp.asarray(a), 1, "middle"))


def check_layouts_of_new_arrays():
    path = os.path.join(shared_folder(), "x.npy")
    mp.save(path, mp.arange(12).reshape(3, 4))
    for text in ("0, *", "*, 0", "0, 1", "*, *"):
        layout = mp.Layout((3, 4), text)
        for name, x, want in (("zeros", mp.zeros((3, 4), layout=text), np.zeros((3, 4))),
                              ("ones", mp.ones((3, 4), "int8", layout), np.ones((3, 4), "int8")),
                              ("full", mp.full((3, 4), 2 + 1j, layout=text), np.full((3, 4), 2 + 1j)),
                              ("empty", mp.empty((3, 4), bool, text) | True, np.ones((3, 4), bool)),
                              ("load", mp.load(path, text), np.arange(12).reshape(3, 4))):
            same(f"{name} in the layout {text}", x, want)
            ok(x.layout == layout, f"which {name} has")


def check_ndarray():
    """ndarray() by its name, as NumPy's and CuPy's."""
    for shape, want in ((5, (5,)), ((2, 3), (2, 3)), ([4], (4,)), ((), ()), ((0, 3), (0, 3))):
        x = mp.ndarray(shape)
        ok(x.shape == want and x.dtype == np.float64 and type(x) is mp.ndarray, f"ndarray({shape})")
        x[...] = 2
        same(f"ndarray({shape}) can be written to", x + 1, np.full(want, 3.0))
    x = mp.ndarray((3, 4), dtype="int16", layout="*, 0")
    ok(x.dtype == np.int16 and x.layout == mp.Layout((3, 4), "*, 0"), "ndarray() with a dtype and a layout")
    raises(TypeError, "is no shape", "ndarray() of what is no shape", lambda: mp.ndarray("ab"))
    raises(ValueError, "negative", "ndarray() of a negative extent", lambda: mp.ndarray(-1))


def check_further_names():
    a, c, i = rng.standard_normal((6, 7)), rng.standard_normal(5) + 1j, rng.integers(0, 6, 9)
    ours, theirs = [mp.asarray(v) for v in (a, c, i)], (a, c, i)
    same("in1d", (mp.in1d(ours[2], [1, 2]), mp.in1d(ours[2], [1], invert=True)), (np.isin(i, [1, 2]), i != 1))
    beside({
        "isreal": lambda m, a, c, i: (np.isreal(a), np.isreal(c), np.iscomplex(c), np.iscomplex(c - 1j)),
        "real_if_close": lambda m, a, c, i: (np.real_if_close(c), np.real_if_close(c - 1j), np.real_if_close(a)),
        "asarray_chkfinite": lambda m, a, c, i: m.asarray_chkfinite(a),
        "compress, the method": lambda m, a, c, i: (i.compress(i > 2), a.compress([False, True, True], axis=1)),
        "linspace between arrays": lambda m, a, c, i: (m.linspace(a[0], a[1], 4), m.linspace([0, 1], 5, 3, endpoint=False)),
        "and its steps": lambda m, a, c, i: m.linspace([0, 1], [1, 3], 4, retstep=True),
        "mask_indices": lambda m, a, c, i: m.mask_indices(4, m.triu, 1),
        "apply_along_axis": lambda m, a, c, i: (np.apply_along_axis(lambda v: v.sum(), 0, a),
                                                np.apply_along_axis(lambda v: v[:2], 1, a),
                                                np.apply_along_axis(lambda v: v[::-1], 0, a)),
        "apply_over_axes": lambda m, a, c, i: (np.apply_over_axes(m.sum, a, [0, 1]), np.apply_over_axes(m.sum, a, 0)),
        "a number of NumPy before an array": lambda m, a, c, i: (np.float64(0.5) > a, np.array(2.0) * a, a - np.array(1)),
        "casting": lambda m, a, c, i: (m.add(i, 1.5, out=i.copy(), casting="unsafe"), m.add(a, 1, dtype="int64", casting="unsafe")),
        "polydiv": lambda m, a, c, i: m.polydiv(a[0], a[1, :3]),
        "polydiv without a rest": lambda m, a, c, i: m.polydiv([1, -3, 2], [1, -1]),
        "polydiv by more": lambda m, a, c, i: m.polydiv([1.0, 2], [1, 2, 3]),
    }, ours, theirs, 1e-13)
    x = ours[0]
    ok((np.iscomplexobj(x), np.isrealobj(x), np.iscomplexobj(ours[1]), np.size(x, 1), np.common_type(x, ours[2]))
       == (False, True, True, 7, np.float64), "questions of types")
    ok(np.array2string(x, precision=3) == np.array2string(a, precision=3) and np.array_str(x[0]) == np.array_str(a[0]), "texts of arrays")
    with mp.printoptions(threshold=5, precision=2):
        ok(np.array_str(mp.arange(50.0)) == np.array_str(np.arange(50.0)), "as set_printoptions() says")
    path = os.path.join(shared_folder(), "x.txt")
    np.savetxt(path, x)
    same("savetxt", mp.loadtxt(path), a)
    x.tofile(path)
    same("tofile", mp.fromfile(path).reshape(6, 7), a)
    raises(FileNotFoundError, "no-folder", "savetxt() where nothing can be written, on all ranks",
           lambda: np.savetxt(os.path.join(path + "no-folder", "x.txt"), x))
    try:
        np.savetxt(os.path.join(path + "no-folder", "x.txt"), x)
    except OSError as error:
        ok((error.errno, os.path.basename(error.filename)) == (errno.ENOENT, "x.txt"), "with its number and the name of the file")
    raises(UnicodeEncodeError, "latin-1", "an error with arguments of its own", lambda: np.savetxt(path, x, header="\u03bb", encoding="latin1"))
    raises((KeyError, RuntimeError), "a reason", "one of a class that Python does not have", lambda: mp.comm.by_root(_fail))
    whole = rng.standard_normal((2, 3, 6))
    same("tensorsolve", np.linalg.tensorsolve(mp.asarray(whole), mp.ones((2, 3))), np.linalg.tensorsolve(whole, np.ones((2, 3))), 1e-10)
    whole = rng.standard_normal((3, 6, 2))
    same("tensorsolve of other axes", np.linalg.tensorsolve(mp.asarray(whole), mp.ones((3, 2)), (1,)),
         np.linalg.tensorsolve(whole, np.ones((3, 2)), (1,)), 1e-10)
    whole = rng.standard_normal((2, 4, 8))
    same("tensorinv", np.linalg.tensorinv(mp.asarray(whole)), np.linalg.tensorinv(whole), 1e-10)
    definite = a @ a.T + np.eye(6)
    same("cholesky of SciPy's", mp.linalg.cholesky(definite, lower=False), np.linalg.cholesky(definite).T, 1e-13)


def check_refused_dtypes():
    """What NumPy calls a TypeError is one, and a ValueError as other wrong arguments."""
    x, i, m = mp.ones(3), mp.arange(3), mp.asarray([True, False, True])
    for name, function in (("a mask of floats", lambda: x & x), ("minus of bools", lambda: m - m),
                           ("floats into integers", lambda: mp.add(i, 1.5, out=i)), ("shifts", lambda: x >> 1),
                           ("dtype=", lambda: np.add(x, 1, dtype=int)), ("another rule", lambda: mp.add(i, i, out=x, casting="no"))):
        raises(TypeError, "", name, function)
    raises(mp.DTypeError, "cannot be cast", "in place", lambda: i.__iadd__(0.5))
    raises(OverflowError, "", "integers that do not fit", lambda: mp.array([300], dtype="uint8"))
    for name, function in (("shuffle", lambda: mp.random.shuffle(5)), ("put", lambda: mp.put(3, [0], 1)),
                           ("place", lambda: mp.place(3, [True], [1])), ("replicate", lambda: mp.replicate(7)),
                           ("a matrix", lambda: mp.putmask(mp.sparse.eye(3), True, 1)),
                           ("save_as", lambda: mp.copyto(1, 2)), ("split", lambda: mp.split(4, 2)),
                           ("a layout", lambda: mp.redistribute(x, 3))):
        raises(TypeError, "no ", f"a number in place of an array or a layout: {name}", function)
    ok(round(mp.asarray(2.345), 2) == round(2.345, 2) and round(mp.asarray(7)) == 7, "round() of Python")
    for name, function in (("==", lambda: x == np.ones(3)), ("<", lambda: np.ones(3) < x), ("!=", lambda: np.ones(3) != x)):
        raises(TypeError, "one of NumPy's arrays", f"an array of NumPy's and {name}", function)
    ok(bool(mp.all(x == np.array(1.0))) and (x == "x") is False, "but for one number of its own")
    raises(TypeError, "out is of type ndarray", "an output of NumPy's", lambda: mp.add(x, 1, out=np.ones(3)))
    raises(ValueError, "below 0", "a seed below 0", lambda: mp.random.default_rng(-1))
    raises(TypeError, "a seed is an integer", "a seed", lambda: mp.random.default_rng(1.5))
    raises(ValueError, "a pair for each of 1", "margins of other dimensions", lambda: mp.pad(x, ((1, 1), (1, 1))))
    u = mp.zeros(3, "uint8")
    for name, function in (("one element", lambda: u.__setitem__(0, 300)), ("at a mask", lambda: u.__setitem__(u == 0, -1)),
                           ("fill", lambda: u.fill(256)), ("full", lambda: mp.full(3, 300, "uint8")),
                           ("full_like", lambda: mp.full_like(u, -1))):
        raises(OverflowError, "does not fit uint8", f"an integer that does not fit: {name}", function)
    same("what fits", (mp.full_like(i, 2.7), mp.full(2, 255, "uint8")), (np.full_like([1, 2, 3], 2.7), np.full(2, 255, "uint8")))
    raises(ValueError, "(2,) cannot be assigned to elements of shape ()", "two values for one element",
           lambda: x.__setitem__(1, [1, 2]))
    y = mp.zeros((2, 3))
    y[0] = mp.ones((1, 1, 3))
    same("leading dimensions of one element", y, np.array([[1.0, 1, 1], [0, 0, 0]]))
    raises(TypeError, "a dict of objects", "what is no number", lambda: mp.asarray({"a": 1}))


def check_archives():
    """Files of several arrays, beside NumPy's; each is read into a layout."""
    folder = shared_folder()
    a, i, c = rng.standard_normal((7, 5)), np.arange(6, dtype="int16"), rng.standard_normal(3) + 1j
    theirs = {"a": a, "i": i, "columns": np.asfortranarray(a), "number": np.float32(2.5), "none": np.zeros((0, 4)),
              "big": a.astype(">f8"), "deep": np.arange(24.0).reshape(2, 3, 4), "flags": a > 0}
    for write, written in ((mp.savez, np.savez), (mp.savez_compressed, np.savez_compressed)):
        path = os.path.join(folder, write.__name__)
        write(path, mp.asarray(c), a=mp.asarray(a), i=i, number=2.5)
        with np.load(path + ".npz") as found:
            ok(sorted(found.files) == ["a", "arr_0", "i", "number"] and found["number"] == 2.5, f"{write.__name__}: names")
            same("what NumPy reads", (found["a"], found["i"], found["arr_0"]), (a, i, c))
        mp.comm.by_root(written, path + "2.npz", **theirs)
        with mp.load(path + "2.npz") as found:
            ok(found.files == list(theirs) == list(found) and len(found) == len(theirs) and "a" in found, "what NumPy has written")
            for name, value in theirs.items():
                same(f"{name} of it", found[name], value.astype(value.dtype.newbyteorder("=")))
            ok(found["a"].layout == mp.zeros((7, 5)).layout, "in the layout of a new array")
            raises(KeyError, "no array", "a name that is not there", lambda: found["b"])
        ok(mp.load(path + "2.npz", "*, 0")["a"].layout == mp.Layout((7, 5), "*, 0"), "or in another one")
    mp.comm.by_root(np.savez, os.path.join(folder, "texts.npz"), x=np.array(["a"]))
    raises(TypeError, "no arrays of", "texts", lambda: mp.load(os.path.join(folder, "texts.npz"))["x"])
    damaged, much = os.path.join(folder, "savez_compressed2.npz"), rng.standard_normal((20000, 4))
    if mp.rank() == 0:
        np.savez_compressed(damaged, a=much)
        with open(damaged, "r+b") as file:
            file.seek(os.path.getsize(damaged) * 2 // 3)
            file.write(bytes(4000))
    raises(OSError, "could not be read", "what is damaged for some ranks", lambda: mp.load(damaged)["a"])
    raises(FileNotFoundError, "none.npz", "no file", lambda: mp.load(os.path.join(folder, "none.npz")))
    raises(FileNotFoundError, "", "no folder", lambda: mp.savez(os.path.join(folder, "none", "x"), a))
    raises(ValueError, "two arrays", "a name that is given twice", lambda: mp.savez(os.path.join(folder, "y"), a, arr_0=a))
    mp.save(os.path.join(folder, "plain"), mp.asarray(a))
    same("save() completes a name", np.load(os.path.join(folder, "plain.npy")), a)
    ok(sorted(os.listdir(folder)) == sorted(["plain.npy", "texts.npz", *(n + t for n in ("savez", "savez_compressed")
                                                                       for t in (".npz", "2.npz"))]), "and nothing else is left")


def check_conveniences():
    x = np.concatenate([np.linspace(-60, 60, 241), [0, 709, -720, np.inf, np.nan]])
    with np.errstate(over="ignore", invalid="ignore"):
        for dtype, rtol in (("float64", 1e-14), ("float32", 2e-6), ("int64", 1e-14)):
            a = x.astype(dtype) if dtype != "int64" else x[:241].astype(dtype)
            ours, theirs = mp.i0(mp.asarray(a)).numpy(), np.i0(a)
            kept = np.isfinite(theirs)
            ok(ours.dtype == theirs.dtype and np.allclose(ours[kept], theirs[kept], rtol, 0), f"i0 of {dtype}")
            ok(np.array_equal(np.isnan(ours), np.isnan(theirs)), "and where it is not finite")
    of_both = mp.broadcast(mp.ones((3, 1)), mp.ones(4))
    theirs = np.broadcast(np.ones((3, 1)), np.ones(4))
    ok([getattr(of_both, n) == getattr(theirs, n) for n in ("shape", "nd", "ndim", "size", "numiter")] == [True] * 5
       and [v.shape for v in of_both.values] == [(3, 4)] * 2, "broadcast")
    raises(ValueError, "", "shapes that do not fit", lambda: mp.broadcast(mp.ones(3), mp.ones(4)))
    chosen = mp.vectorize(lambda a, b: mp.where(a > b, a - b, a + b), doc="chosen")
    same("vectorize", chosen(mp.arange(5), 2), np.vectorize(lambda a, b: a - b if a > b else a + b)(np.arange(5), 2))
    same("of a list, with a dtype", mp.vectorize(lambda a: a * 2, otypes=[float])([1, 2]), np.array([2.0, 4.0]))
    ok(chosen.__doc__ == "chosen", "with its own text")
    raises(TypeError, "where(condition", "a function with an if", lambda: mp.vectorize(lambda a: 1 if a else 0)(mp.ones(3)))
    raises(TypeError, "no signature", "a signature", lambda: mp.vectorize(abs, signature="(n)->()"))


def check_weighted_quantiles():
    """Weights that are whole numbers are elements that are there several times."""
    a, w = rng.integers(-5, 5, (4, 6)) * 0.5, rng.integers(0, 4, (4, 6)) + 1
    w[::2, 2] = 0
    x = mp.asarray(a)

    def wanted(q, axis=None, keepdims=False):
        lines = (np.repeat(p, n) for p, n in zip(a.T if axis == 0 else a, w.T if axis == 0 else w))
        if axis is None:
            return np.quantile(np.repeat(a.ravel(), w.ravel()), q, method="inverted_cdf", keepdims=keepdims)
        found = np.stack([np.quantile(line, q, method="inverted_cdf") for line in lines], axis=-1)
        return np.expand_dims(found, axis - a.ndim) if keepdims else found

    for axis in (None, 0, 1):
        for q in (0.0, 0.317, 1.0, [0.1003, 0.501, 0.9907]):  # none is a share of so few weights
            kept = {} if axis is None else {"keepdims": axis == 1}
            same(f"quantile {q} along {axis} with weights",
                 mp.quantile(x, q, axis=axis, method="inverted_cdf", weights=mp.asarray(w), **kept), wanted(q, axis, **kept))
    same("percentiles", mp.percentile(x, [30.03, 60.07], method="inverted_cdf", weights=w), wanted([0.3003, 0.6007]))
    same("weights of an axis", mp.quantile(x, 0.4, axis=1, method="inverted_cdf", weights=[1, 0, 1, 0, 0, 2]),
         np.quantile(a[:, [0, 2, 5, 5]], 0.4, axis=1, method="inverted_cdf"))
    raises(ValueError, "inverted_cdf", "another method", lambda: mp.quantile(x, 0.5, weights=w))
    raises(TypeError, "one axis", "weights of another shape",
           lambda: mp.quantile(x, 0.5, method="inverted_cdf", weights=[1, 2]))
    raises(ValueError, "between 0 and 1", "no quantile", lambda: mp.quantile(x, 1.5, method="inverted_cdf", weights=w))
