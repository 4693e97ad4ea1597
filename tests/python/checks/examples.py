# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and results as programs have them that were written after the examples of NumPy's and SciPy's documents."""

import io
import os

import maniple as mp
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg

from . import ok, pair, raises, rng, same, shared_folder


def check_operands_of_numpy():
    """NumPy's arrays, where no array of Maniple is an operand; ranges; indices of both; bins with edges."""
    x, a = pair((5, 6))
    v = rng.standard_normal(6)
    same("functions of NumPy's arrays", (mp.exp(v), mp.add(v, 2), mp.add(v, [1, 2, 3, 4, 5, 6], dtype="float32"),
                                         mp.maximum(v, np.zeros(6)), mp.divmod(v, 0.5)[0], mp.clip(v, -1, v + 1)),
         (np.exp(v), np.add(v, 2), np.add(v, [1, 2, 3, 4, 5, 6], dtype="float32"), np.maximum(v, 0), np.divmod(v, 0.5)[0],
          np.clip(v, -1, v + 1)), 1e-6)
    same("where and isclose of them", (mp.where(v > 0, v, 0), mp.where(v > 0, v, -v), mp.isclose(x, v), mp.isclose(v, v)),
         (np.where(v > 0, v, 0), np.abs(v), np.isclose(a, v), np.isclose(v, v)))
    same("products with them", (mp.dot(x, v), x.dot(v), mp.inner(v, x), mp.dot(v, v)),
         (a @ v, a @ v, a @ v, v @ v), 1e-13)
    ok(mp.allclose(x[0], a[0]) and not mp.allclose(x, v), "allclose of an array and NumPy's")
    same("a number without dimensions", (mp.add(x, np.array(2.0)), mp.power(x, np.array(2))), (a + 2, a**2), 1e-15)
    raises(TypeError, "asarray()", "NumPy's array beside another", lambda: mp.where(x > 0, a, 0))
    raises(TypeError, "asarray()", "and in a text", lambda: mp.evaluate("z = x + y", "z", x=x, y=a))
    same("ranges", (x + range(6), range(6) * x, mp.float_power(range(4), 2), x[range(1, 3)], x[:, range(0)]),
         (a + np.arange(6), np.arange(6) * a, np.arange(4.0) ** 2, a[1:3], a[:, :0]))
    view = x.view()
    view[0] = 1
    ok(bool((x[0] == 1).all()), "a view of the same elements")


def check_bins_and_indices():
    """Histograms with edges of bins; indices in Fortran's order; coefficients of conjugated roots."""
    (x, a), (y, b), weights = pair(200), pair(200), rng.random(200)
    a[[3, 5]] = np.nan, 2.0
    x, w, edges = mp.asarray(a), mp.asarray(weights), np.array([-4.0, -1, 0, 0.5, 2])
    for name, bins, given in (
        ("of both", (edges, edges + 1), {}),
        ("once for both", edges, {"weights": weights}),
        ("beside a number", ([0, 1, 2], 4), {"range": [None, (-2, 2)], "density": True}),
        ("that end at values", (edges, [0, 2]), {"density": True, "weights": weights}),
    ):
        spread = {k: w if k == "weights" else v for k, v in given.items()}
        own = tuple(mp.asarray(e) if isinstance(e, np.ndarray) else e for e in bins) if type(bins) is tuple else mp.asarray(bins)
        same(f"histogram2d with edges {name}", mp.histogram2d(x, y, own, **spread), np.histogram2d(a, b, bins, **given), 1e-12)
    counts, bounds = mp.histogramdd([y, w, y], [[0, 1, 2], 5, [-1, 0, 1]])
    wanted = np.histogramdd([b, weights, b], [np.array([0, 1, 2]), 5, np.array([-1, 0, 1])])
    same("histogramdd with edges", (counts, *bounds), (wanted[0], *wanted[1]), 1e-12)
    same("edges that are given", mp.histogram_bin_edges(x, [1, 2]), np.array([1, 2]))
    raises(ValueError, "monotonically", "edges that fall", lambda: mp.histogram2d(y, y, [[1, 0], 3]))
    places = np.array([[3, 6, 6], [4, 5, 1]])
    same("Fortran's order of indices", (mp.ravel_multi_index(places, (7, 6), order="F"), *mp.unravel_index([22, 41, 37], (7, 6), "F")),
         (np.ravel_multi_index(places, (7, 6), order="F"), *np.unravel_index([22, 41, 37], (7, 6), "F")))
    same("a mode for each dimension", mp.ravel_multi_index(places, (4, 4), ("clip", "wrap")),
         np.ravel_multi_index(places, (4, 4), ("clip", "wrap")))
    raises(ValueError, "neither 'C' nor 'F'", "another order", lambda: mp.unravel_index([1], (2, 2), "A"))
    for shape in ((7, 3), (3, 7), (4, 4)):
        (tall, filled), values = pair(shape), rng.standard_normal(2)
        mp.fill_diagonal(tall, values, wrap=True)
        np.fill_diagonal(filled, values, wrap=True)
        same(f"a diagonal of {shape} that begins again", tall, filled)
    matrix = np.array([[0, 1 / 3], [-1 / 2, 0]])
    same("poly of integers, a matrix and roots", (mp.poly([0, 0, 3]), mp.poly(matrix), mp.poly([1j, -1j, 2]), mp.poly([1j, 2])),
         (np.poly([0, 0, 3]), np.poly(matrix), np.poly([1j, -1j, 2]), np.poly([1j, 2])), 1e-14)


def check_designs_of_arrays():
    """Functions of filters and systems, which are of NumPy's arrays, take arrays of Maniple; several filters in one
    array."""
    z, p = rng.standard_normal((2, 3))
    w = np.logspace(-1, 2, 7)
    same("frequencies in an array", mp.signal.freqs_zpk(mp.asarray(z), p, mp.asarray(2.5), worN=mp.asarray(w)),
         scipy.signal.freqs_zpk(z, p, 2.5, worN=w), 1e-12)
    same("coefficients in arrays", (*mp.signal.freqz(mp.asarray(z), mp.asarray(p), fs=mp.asarray(7.0)),
                                    mp.signal.lfilter_zi(mp.asarray(z), mp.asarray(p))),
         (*scipy.signal.freqz(z, p, fs=7.0), scipy.signal.lfilter_zi(z, p)), 1e-10)
    ratio = np.exp(-0.1j)
    same("points of a transform", mp.signal.czt_points(4, mp.asarray(ratio), mp.asarray(1.0)),
         scipy.signal.czt_points(4, ratio, 1.0), 1e-14)
    several, divisors = rng.standard_normal((5, 3, 1)), 1 + rng.random((2, 1, 1))
    for name, b, a in (("numerators", several, 1), ("filters", several, divisors), ("denominators", [1.0, 2], divisors)):
        for named in ({}, {"worN": [0.1, 0.2]}, {"whole": True, "worN": 6, "fs": 7}):
            same(f"freqz of several {name} with {named}", mp.signal.freqz(b, a, **named), scipy.signal.freqz(b, a, **named), 1e-12)
    raises(ValueError, "vectors here", "coefficients of several filters", lambda: mp.signal.lfilter(np.ones((2, 2)), [1], mp.ones(4)))
    parts = [np.array(m) for m in ([[0.0, 1], [0, -1]], [[0.0], [1]], [[1.0, 0]], [[0.0]])]
    ours = mp.signal.StateSpace(*map(mp.asarray, parts)).to_discrete(0.1)
    theirs = scipy.signal.StateSpace(*parts).to_discrete(0.1)
    same("a system of arrays", (ours.A, ours.B, ours.poles), (theirs.A, theirs.B, theirs.poles), 1e-12)
    same("and its matrices", mp.signal.cont2discrete(tuple(map(mp.asarray, parts)), mp.asarray(0.1), "foh")[:2],
         scipy.signal.cont2discrete(tuple(parts), 0.1, "foh")[:2], 1e-12)
    x, a = pair(16)
    step = mp.log(mp.asarray(np.exp(0.1)))
    same("a transform by numbers in arrays", mp.fft.fht(abs(x), step, mp.asarray(0.5), offset=mp.asarray(0.2)),
         scipy.fft.fht(abs(a), 0.1, 0.5, offset=0.2), 1e-10)


def check_riccati_of_numbers():
    """Matrices that are numbers, and discrete equations whose r has no inverse."""
    solvers = ("solve_continuous_are", "solve_discrete_are")
    for name in solvers:
        same(f"{name} of numbers", getattr(mp.linalg, name)(1.5, 2.0, 3, 4), getattr(scipy.linalg, name)(1.5, 2.0, 3, 4), 1e-12)
    same("lyapunov of numbers", mp.linalg.solve_continuous_lyapunov(1.0, 2), np.array([[1.0]]), 1e-14)
    a, b = np.array([[4, 3], [-4.5, -3.5]]), np.array([[1.0], [-1]])
    same("r as a number", mp.linalg.solve_continuous_are(a, b, [[9, 6], [6, 4]], 1),
         scipy.linalg.solve_continuous_are(a, b, [[9, 6], [6, 4]], 1), 1e-12)
    a, b = np.array([[0.0, 1], [0, -1]]), np.array([[1.0, 0], [2, 1]])
    q, r = np.array([[-4.0, -4], [-4, 7]]), np.array([[9.0, 3], [3, 1]])
    same("an r without an inverse", mp.linalg.solve_discrete_are(a, b, q, r), scipy.linalg.solve_discrete_are(a, b, q, r), 1e-12)
    a, b, e = np.diag([0.5, 2.0, -1.5]) + 0.1, np.array([[1.0, 0], [0.5, 1], [1, -1]]), np.eye(3) + np.diag([0.2, 0.1], 1)
    q, r, s = np.diag([1.0, 2, 3]), np.diag([1.0, 0]), np.full((3, 2), 0.1)
    for named in ({}, {"e": e}, {"s": s}, {"e": e, "s": s}):
        same(f"with {list(named)}", mp.linalg.solve_discrete_are(a, b, q, r, **named),
             scipy.linalg.solve_discrete_are(a, b, q, r, **named), 1e-10)


def check_matrices_of_scipy():
    """SciPy's sparse matrices among those of Maniple; operators with SciPy's arguments; norms and dtypes."""
    theirs = scipy.sparse.random(30, 20, density=0.3, random_state=1, format="csr")
    ours = mp.sparse.csr_array(theirs)
    for name, got, want in (
        ("hstack", mp.sparse.hstack([theirs, ours]), scipy.sparse.hstack([theirs, theirs])),
        ("bmat", mp.sparse.bmat([[theirs, None], [None, ours]]), scipy.sparse.bmat([[theirs, None], [None, theirs]])),
        ("kron", mp.sparse.kron(theirs, scipy.sparse.eye(2)), scipy.sparse.kron(theirs, scipy.sparse.eye(2))),
        ("tril", mp.sparse.tril(theirs, -1), scipy.sparse.tril(theirs, -1)),
        ("ones of integers", mp.sparse.eye(3, 4, k=1, dtype="int8"), scipy.sparse.eye(3, 4, k=1)),
        ("in a format", mp.sparse.identity(3, dtype=np.int64, format="dia"), scipy.sparse.identity(3)),
    ):
        same(f"{name} of SciPy's matrices", got.toarray(), want.toarray())
    columns = rng.standard_normal((20, 3))
    op = mp.sparse.linalg.LinearOperator(shape=[30, 20], matvec=lambda v: ours @ v, rmatvec=lambda v: ours.T @ v,
                                         matmat=lambda X: ours @ X, rmatmat=lambda X: ours.T @ X, dtype=None)
    x = mp.asarray(columns)
    same("an operator with products of matrices", (op(x), op(x[:, 0]), op.rmatmat(op.matmat(x)), op.H.H @ x),
         (theirs @ columns, theirs @ columns[:, 0], theirs.T @ (theirs @ columns), theirs @ columns), 1e-13)
    raises(TypeError, "must be a function", "a dtype in the place of matmat",
           lambda: mp.sparse.linalg.LinearOperator((3, 3), lambda v: v, None, float))
    largest = np.linalg.svd(theirs.toarray())[1][0]
    ok(abs(mp.sparse.linalg.norm(ours, 2) - largest) < 1e-7 * largest, "the largest singular value as a norm")
    row = mp.sparse.csr_array(theirs[:1])
    ok(abs(mp.sparse.linalg.norm(row, 2) - scipy.sparse.linalg.norm(theirs[:1])) < 1e-14, "that of one row")
    single = mp.sparse.linalg.svds(theirs.astype("float32"), 2)
    same("singular values of float32", single[1], scipy.sparse.linalg.svds(theirs.astype("float32"), 2)[1], 1e-4)


def check_newer_arguments():
    """What NumPy 2 and SciPy 1.17 take: weights of several axes, a known mean, widths by axes, numbers in place of NaN in
    arrays, stacks of special matrices."""
    x, a = pair((3, 4, 5))
    a[0, 1] = np.nan
    x, whole = mp.asarray(a), np.nan_to_num(a)
    y, weights = mp.asarray(whole), rng.random((5, 3))
    expanded = np.broadcast_to(weights.T[:, None, :], whole.shape)
    same("average by weights of two axes", mp.average(y, axis=(2, 0), weights=mp.asarray(weights), returned=True),
         np.average(whole, axis=(2, 0), weights=expanded, returned=True), 1e-14)
    for name, values in (("var", whole), ("std", whole), ("nanvar", a), ("nanstd", a)):
        for named in ({"axis": 1}, {"axis": (0, 2), "ddof": 1}, {"axis": None, "keepdims": True}):
            mean = getattr(np, "nanmean" if "nan" in name else "mean")(values, axis=named["axis"], keepdims=True)
            same(f"{name} about a mean with {named}", getattr(mp, name)(mp.asarray(values), mean=mp.asarray(mean), **named),
                 getattr(np, name)(values, **named), 1e-13)
    same("the number of elements along two axes", mp.asarray(mp.size(x, (0, -1))), np.array(15))
    same("widths by axes", mp.pad(y, {-1: (1, 2), 0: 1}), np.pad(whole, [(1, 1), (0, 0), (1, 2)]))
    instead = rng.standard_normal(5)
    same("an array in place of NaN", mp.nan_to_num(x, nan=mp.asarray(instead)), np.where(np.isnan(a), instead, a))
    i, j = 1, 4  # numbers stay what they were
    numbers, listed = mp.arange(6), np.arange(6)
    numbers[i], numbers[j] = numbers[j], numbers[i]
    listed[i], listed[j] = listed[j], listed[i]
    first = x[2, 3, 4]
    x[2, 3, 4] = 0
    same("elements that are exchanged, and one that is kept", (numbers, first), (listed, a[2, 3, 4]))
    mp.negative(x[2, 3, 3, ...], out=x[2, 3, 3, ...])
    same("a view of one element", x[2, 3, 3], -a[2, 3, 3])
    c, r = rng.standard_normal((2, 3, 4)), rng.standard_normal((3, 2))
    L, S = mp.linalg, scipy.linalg
    for name, got, want in (
        ("toeplitz", L.toeplitz(mp.asarray(c)), lambda v: S.toeplitz(v)),
        ("toeplitz with rows", L.toeplitz(mp.asarray(c), [1.0, 2]), lambda v: S.toeplitz(v, [1.0, 2])),
        ("circulant", L.circulant(c), S.circulant),
        ("convolution_matrix", L.convolution_matrix(c, 3, "same"), lambda v: S.convolution_matrix(v, 3, "same")),
        ("fiedler", L.fiedler(c), S.fiedler),
        ("companion", L.companion(c), S.companion),
        ("fiedler_companion", L.fiedler_companion(c), S.fiedler_companion),
        ("leslie", L.leslie(c, [0.5, 0.25, 0.125]), lambda v: S.leslie(v, [0.5, 0.25, 0.125])),
    ):
        same(f"{name} of several vectors", got, np.stack([np.stack([want(v) for v in part]) for part in c]), 1e-14)
    same("rows of several", L.toeplitz([1.0, 2], r), np.stack([S.toeplitz([1.0, 2], row) for row in r]))
    raises(TypeError, "by its name", "an open file", lambda: mp.save(io.BytesIO(), x))


def check_functions_of_columns():
    """Operators whose functions are of columns."""
    n = 30
    values = np.arange(1.0, n + 1)
    scaled = mp.asarray(values)[:, None]
    start = mp.asarray(np.random.default_rng(2).standard_normal((n, 3)))
    found, vectors = mp.sparse.linalg.lobpcg(lambda X: scaled * X, start, largest=False, tol=1e-8, maxiter=200)
    same("lobpcg of a function of matrices", found, values[:3][np.argsort(values[:3]).tolist()][: len(found)], 1e-6)
    column = mp.sparse.linalg.LinearOperator((n, n), lambda v: (scaled * mp.reshape(v, (-1, 1))))
    same("a function that gives a column", column.matvec(mp.ones(n)), values)
    same("ones in a format", mp.sparse.eye_array(3, dtype="int8", format="dia").toarray(), np.eye(3))


def check_numbers_in_arrays():
    """Arrays without dimensions, as reductions give them, where numbers are wanted."""
    n, part = mp.asarray([2, 5]).max(), mp.asarray([0.25, 0.125]).max()
    x, a = pair(20)
    same("arange and the like", (mp.arange(n), mp.arange(1, n + 1, mp.asarray(2)), mp.arange(part, n), mp.mgrid[0:n]),
         (np.arange(5), np.arange(1, 6, 2), np.arange(0.25, 5), np.mgrid[0:5]))
    same("numbers of bins and parts", (*mp.histogram(x, n), *mp.histogram2d(x, x, (n, 4)), *mp.split(x, n), *mp.array_split(x, n - 2)),
         (*np.histogram(a, 5), *np.histogram2d(a, a, (5, 4)), *np.split(a, 5), *np.array_split(a, 3)), 1e-13)
    same("parameters of windows and filters", (mp.signal.get_window(n, 8), *mp.signal.butter(n - 2, part)),
         (scipy.signal.get_window(5.0, 8), *scipy.signal.butter(3, 0.25)), 1e-12)
    theirs = scipy.sparse.random(8, 8, density=0.4, random_state=1, format="csr")
    ours = mp.sparse.csr_array(theirs)
    for name, got, want in (("a product", ours * part, theirs * 0.25), ("on the left", part * ours, theirs * 0.25),
                            ("a quotient", ours / n, theirs / 5), ("a row", ours[n], theirs[[5]]),
                            ("no entries", mp.sparse.csr_array((n, n)), scipy.sparse.csr_array((5, 5)))):
        same(f"{name} of a sparse matrix", got.toarray(), want.toarray(), 1e-15)
    same("an element of it", mp.asarray(ours[n, n - 1]), np.asarray(theirs[5, 4]))
    same("trimmed along axes", (mp.trim_zeros(mp.pad(mp.ones((2, 3)), 1)), mp.trim_zeros(mp.eye(3, k=1), "f", axis=1),
                                mp.trim_zeros(mp.zeros((2, 3)), axis=-1)),
         (np.ones((2, 3)), np.eye(3, k=1)[:, 1:], np.zeros((2, 0))))


def check_keywords_of_matrices():
    """Keywords that methods of sparse matrices and arrays have in SciPy and NumPy."""
    theirs = scipy.sparse.random(6, 5, density=0.4, random_state=2, format="csr")
    ours, dense = mp.sparse.csr_array(theirs, copy=True), theirs.toarray()
    twice = ours.tocsr(copy=True)
    twice.setdiag(7.0)
    same("a copy is another matrix", ours.toarray(), dense)
    out = mp.zeros((6, 5))
    ok(ours.toarray(out=out) is out, "toarray gives the array that it fills")
    for name, got, want in (
        ("out=", out, dense), ("asformat", ours.asformat("csc", copy=True).toarray(), dense),
        ("of no format", ours.asformat(None).toarray(), dense), ("tobsr", ours.tobsr(blocksize=(1, 1), copy=False).toarray(), dense),
        ("transpose", ours.transpose(copy=True).toarray(), dense.T), ("its axes", ours.transpose((1, 0)).toarray(), dense.T),
        ("astype", ours.astype("float32", casting="same_kind", copy=False).toarray(), dense.astype("float32")),
        ("conj", ours.conj(copy=False).toarray(), dense), ("power", ours.power(2, dtype="float32").toarray(), dense.astype("float32") ** 2),
        ("mean", ours.mean(axis=0, dtype="complex128"), theirs.toarray().astype(complex).mean(0)),
        ("csc_array", mp.sparse.csc_array(theirs, copy=True).toarray(), dense),
    ):
        same(f"keywords of {name}", got, want, 1e-6)
    raises(TypeError, "cannot be cast", "casting", lambda: ours.astype("float32", casting="safe"))
    raises(ValueError, "(1, 0) alone", "other axes", lambda: ours.transpose((0, 1)))
    x, a = pair(9)
    y = mp.copy(x)
    y.partition(4, kind="introselect")
    same("keywords of sorted arrays", (mp.sort(y[:4]), y[4], mp.partition(x, 4, kind="introselect")[4], mp.unique(x, sorted=True)),
         (np.sort(a)[:4], np.sort(a)[4], np.sort(a)[4], np.sort(a)))
    folder = shared_folder()
    x.tofile(os.path.join(folder, "x.txt"), sep=",")
    mp.save(os.path.join(folder, "x.npy"), x)
    same("texts of elements", np.fromfile(os.path.join(folder, "x.txt"), sep=","), a)
    same("arguments of load", mp.load(os.path.join(folder, "x.npy"), mmap_mode="r", allow_pickle=True), a)
    raises(ValueError, "mmap_mode", "a file that is written through an array", lambda: mp.load("x.npy", mmap_mode="r+"))
    same("asanyarray with a copy", mp.asanyarray(x, copy=True), a)


class _Differences(mp.sparse.linalg.LinearOperator):
    """The differences of neighbours, as a class after SciPy's."""

    def __init__(self, n):
        super().__init__("float64", (n - 1, n))

    def _matvec(self, v):
        return v[1:] - v[:-1]

    def _rmatvec(self, v):
        return mp.concatenate([-v[:1], v[:-1] - v[1:], v[-1:]])


class _Scaled(mp.sparse.linalg.LinearOperator):
    def __init__(self, factors):
        self.factors = factors
        super().__init__(dtype=None, shape=[factors.size, factors.size])

    def _matmat(self, X):  # noqa: N803
        return self.factors[:, None] * X

    def _adjoint(self):
        return self


def check_operators_as_classes():
    """Operators of classes that are derived from LinearOperator."""
    n = 9
    (x, a), (y, b), (z, c) = pair(n), pair(n - 1), pair((n, 3))
    difference = np.diff(np.eye(n), axis=0)
    op, factors = _Differences(n), np.arange(1.0, n + 1)
    same("a class with _matvec", (op @ x, op.matmat(z), op.rmatvec(y), op.T @ y, op.H.matvec(y)),
         (difference @ a, difference @ c, difference.T @ b, difference.T @ b, difference.T @ b), 1e-13)
    scaled = _Scaled(mp.asarray(factors))
    same("a class with _matmat", (scaled(x), scaled.matmat(z), scaled.rmatvec(x), (op * scaled).matvec(x)),
         (factors * a, factors[:, None] * c, factors * a, difference @ (factors * a)), 1e-13)
    same("singular values of one", mp.sparse.linalg.svds(op, 2)[1], np.linalg.svd(difference)[1][1::-1], 1e-7)
    solution, info = mp.sparse.linalg.cg(scaled, x, rtol=1e-12)
    same("a system of one", solution, a / factors, 1e-9)
    ok(info == 0 and scaled.dtype == float, "which is solved")


def check_texts_of_arrays():
    """Texts of arrays with separators and formatters."""
    x, a = pair((2, 3))
    for named in ({"separator": ", "}, {"formatter": {"float_kind": lambda v: f"{v:.2f}"}}, {"sign": "+", "precision": 2},
                  {"floatmode": "fixed", "precision": 3}, {"prefix": "x = ", "suffix": ";"}):
        ok(mp.array2string(x, **named) == np.array2string(a, **named), f"array2string with {sorted(named)}")
