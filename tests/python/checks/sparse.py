# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices of bools, functions of elements, elements that are chosen and set, and what makes matrices."""

import warnings

import maniple as mp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from . import ok, raises, same


def dense(x):
    """What a matrix or an array is beside the other kind's."""
    if isinstance(x, mp.sparse.csr_array) or scipy.sparse.issparse(x):
        return x.toarray()
    return x


def beside(name, function, ours, theirs, rtol=1e-14):
    """A point: function(module, sparse, its linalg, operands) gives the same with the modules of both."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = function(mp, mp.sparse, mp.sparse.linalg, *ours)
        want = function(np, scipy.sparse, scipy.sparse.linalg, *theirs)
    same(name, dense(got), np.asarray(dense(want)), rtol)


def matrices(*shapes):
    theirs = [scipy.sparse.csr_array(scipy.sparse.random(*shape, 0.4, random_state=k)) for k, shape in enumerate(shapes, 1)]
    return [mp.sparse.csr_array(a) for a in theirs], theirs


def check_sparse_bools():
    """What comparisons give is of bools, and so is what comes of it alone."""
    ours, theirs = matrices((5, 6), (5, 6))
    for operands in (ours, theirs):
        operands.append(operands[0] > 0.5)
    ok(ours[2].dtype == bool and ours[2].nnz == theirs[2].nnz and "bool" in repr(ours[2]), "comparisons give matrices of bools")
    v = np.arange(6) % 2 == 0
    for name, function in {
        "itself": lambda np, sp, sl, a, b, m: m,
        "transposed": lambda np, sp, sl, a, b, m: m.T,
        "a block": lambda np, sp, sl, a, b, m: m[1:3][:, [0, 2]],
        "by columns": lambda np, sp, sl, a, b, m: m.tocsc(),
        "another shape": lambda np, sp, sl, a, b, m: m.reshape(3, 10),
        "a triangle": lambda np, sp, sl, a, b, m: sp.tril(m, 1),
        "entries": lambda np, sp, sl, a, b, m: m.data,
        "a diagonal": lambda np, sp, sl, a, b, m: m.diagonal(1),
        "numbers": lambda np, sp, sl, a, b, m: m.astype(float),
        "whether numbers are 0": lambda np, sp, sl, a, b, m: a.astype(bool),
        "how many": lambda np, sp, sl, a, b, m: m.sum(),
        "how many in columns": lambda np, sp, sl, a, b, m: m.sum(axis=0),
        "a mean": lambda np, sp, sl, a, b, m: m.mean(axis=1),
        "the largest": lambda np, sp, sl, a, b, m: m.max(),
        "either": lambda np, sp, sl, a, b, m: m + (b > 0.5),
        "both": lambda np, sp, sl, a, b, m: m.multiply(b > 0.5),
        "those of numbers": lambda np, sp, sl, a, b, m: m.multiply(b),
        "a product of bools": lambda np, sp, sl, a, b, m: m @ (b > 0.5).T,
        "a product with bools": lambda np, sp, sl, a, b, m: m @ np.asarray(v),
        "a product with numbers": lambda np, sp, sl, a, b, m: m.T @ np.ones(5),
        "the larger": lambda np, sp, sl, a, b, m: m.maximum(b < 0.5),
        "a half": lambda np, sp, sl, a, b, m: m / 2,
        "a Kronecker product": lambda np, sp, sl, a, b, m: sp.kron(m, m),
        "beside numbers": lambda np, sp, sl, a, b, m: sp.hstack([m, a]),
        "below bools": lambda np, sp, sl, a, b, m: sp.vstack([m, m]),
        "the absolute value": lambda np, sp, sl, a, b, m: abs(m),
        "a diagonal of ones": lambda np, sp, sl, a, b, m: sp.eye(4, dtype=bool),
        "of a dense array": lambda np, sp, sl, a, b, m: sp.csr_array(np.asarray(v.reshape(2, 3))),
        "of entries at one place": lambda np, sp, sl, a, b, m: sp.csr_array(
            (np.asarray([True, True, False]), (np.asarray([0, 0, 1]), np.asarray([1, 1, 0]))), shape=(2, 2)),
        "not equal": lambda np, sp, sl, a, b, m: m != (b > 0.5),
        "equal": lambda np, sp, sl, a, b, m: m == (b > 0.5),
    }.items():
        beside(f"bools: {name}", function, ours, theirs)
    same("bools of this rank", mp.from_local(ours[2].local()[2]), theirs[2].tocsr().data)
    raises(TypeError, "no negative", "the negative of bools", lambda: -ours[2])


def adjoint(matrix):
    """Sparse arrays of SciPy 1.17 have no H."""
    return matrix.H if hasattr(matrix, "H") else matrix.conj().T


def check_sparse_elements():
    """Functions of elements, and elements that are chosen and set."""
    ours, theirs = matrices((5, 6), (5, 6))
    d = np.arange(6.0)
    for name, function in {
        "the larger of two": lambda np, sp, sl, a, b: a.maximum(b - a),
        "the smaller of two": lambda np, sp, sl, a, b: a.minimum(b - a),
        "at least -1": lambda np, sp, sl, a, b: (a - b).maximum(-1),
        "at least 0.5": lambda np, sp, sl, a, b: a.maximum(0.5),
        "at most 0": lambda np, sp, sl, a, b: (a - b).minimum(0),
        "at most -0.1": lambda np, sp, sl, a, b: (a - b).minimum(-0.1),
        "the larger of an array's": lambda np, sp, sl, a, b: a.maximum(np.asarray(d) / 9),
        "sine": lambda np, sp, sl, a, b: a.sin(),
        "sign": lambda np, sp, sl, a, b: (a - b).sign(),
        "log1p": lambda np, sp, sl, a, b: a.log1p(),
        "rows scaled": lambda np, sp, sl, a, b: a.multiply(np.asarray(d[:5, None])),
        "columns scaled": lambda np, sp, sl, a, b: a.multiply(np.asarray(d)),
        "and an array": lambda np, sp, sl, a, b: np.ones((5, 6)) - (a + np.ones((5, 6))),
        "an array times": lambda np, sp, sl, a, b: np.ones((2, 5)) @ a,
        "a sum of matrices": lambda np, sp, sl, a, b: sum([a, b, a]),
        "parts of complex ones": lambda np, sp, sl, a, b: (a + 2j * b).imag - adjoint(a + 2j * b).T.real,
        "where rows begin": lambda np, sp, sl, a, b: a.indptr.astype(int),
        "columns of entries": lambda np, sp, sl, a, b: a.indices.astype(int),
        "made of them": lambda np, sp, sl, a, b: sp.csr_array((a.data, a.indices, a.indptr), shape=(5, 6)),
        "made by columns": lambda np, sp, sl, a, b: sp.csc_array((a.data, a.indices, a.indptr), shape=(6, 5)),
        "chosen by bools": lambda np, sp, sl, a, b: a[a > 0.5],
        "chosen by bools of another": lambda np, sp, sl, a, b: a[b > 0.5],
        "chosen by pairs": lambda np, sp, sl, a, b: a[[0, -1, 0], [1, 2, 1]],
        "chosen of none": lambda np, sp, sl, a, b: sp.csr_array((5, 6))[[0, 1], [2, 3]],
    }.items():
        beside(f"elements: {name}", function, ours, theirs)
    same("entries of columns", ours[0].getnnz(axis=0), np.count_nonzero(theirs[0].toarray(), axis=0))
    A, a = ours[0].copy(), theirs[0].tolil()
    for matrix, mask in ((A, ours[1] > 0.5), (a, theirs[1] > 0.5)):
        matrix[1, 2] = 5
        matrix[mask] = 0
        matrix[[0, 0, 1], [1, 3, -1]] = [1, 2, 3]
    same("elements that are set", A.toarray(), a.toarray())
    B, b, before = A.copy(), a.tocsr(), A.nnz
    ok(B.eliminate_zeros() is b.eliminate_zeros() and (B.nnz, A.nnz) == (b.nnz, before), "zeros are removed in place")
    same("which leaves the others", B.toarray(), b.toarray())
    A[[0, 0], [1, 1]] = [7, 8]
    ok(A[0, 1].item() == 8 and A.count_nonzero() == a.count_nonzero(), "the last one stays")
    same("a matrix of SciPy's", A.get().diagonal(), A.diagonal().numpy())
    A, B = ours
    raises(IndexError, "float64, is no index", "an index of numbers", lambda: A[A])
    raises(IndexError, "row 9 is outside", "a row outside", lambda: A[9, [1]])
    raises(IndexError, "index of a row is outside", "pairs outside", lambda: A[[9], [1]])
    raises(IndexError, "pairs of rows and columns", "a row that is set", lambda: A.__setitem__((0, slice(None)), 1))
    raises(TypeError, "a number", "the larger one of a text", lambda: A.maximum("x"))
    raises(ValueError, "(5, 6) and (6, 5)", "the larger one of other shapes", lambda: A.maximum(B.T))
    raises(AttributeError, "csc has no indices", "indices of another format", lambda: A.tocsc().indices)
    raises(ValueError, "neither true", "whether a matrix is true", lambda: bool(A))
    raises(TypeError, "has numbers", "a matrix of a text", lambda: mp.sparse.csr_array("x"))
    raises(TypeError, "has numbers", "a matrix of nothing", lambda: mp.sparse.csr_array(None))
    raises(TypeError, "a matrix is (values", "a matrix of one number", lambda: mp.sparse.csr_array((3,)))
    raises(ValueError, "must be square", "a matrix that is not square as a preconditioner",
           lambda: mp.sparse.linalg.cg(A @ A.T, mp.ones(5), M=A))
    for name, function in (("a dense one", lambda: mp.sparse.linalg.spsolve_triangular(mp.eye(3), mp.ones(3))),
                           ("a number", lambda: mp.sparse.linalg.norm(5))):
        raises(TypeError, "no sparse matrix of Maniple", f"{name} for a matrix", function)
    raises(TypeError, "a csr_array of objects", "a matrix for an array", lambda: mp.sum(A))


def check_sparse_constructions():
    """Random matrices, sums of Kronecker products, diagonals; and functions of whole matrices."""
    (G, A), (g, a) = matrices((6, 6), (9, 6))
    v = np.arange(6.0)
    for name, function in {
        "kronsum": lambda np, sp, sl, g, a: sp.kronsum(g, g[:5][:, :5]),
        "spdiags": lambda np, sp, sl, g, a: sp.spdiags(np.asarray([[1.0, 2, 3, 4], [5, 6, 7, 8]]), [0, 1], 4, 4),
        "spdiags of another shape": lambda np, sp, sl, g, a: sp.spdiags(np.asarray([[1.0, 2, 3], [5, 6, 7]]), [-1, 1], 4, 5),
        "spdiags with one": lambda np, sp, sl, g, a: sp.spdiags(np.asarray(v), 2, 6, 4),
        "norm": lambda np, sp, sl, g, a: sl.norm(a),
        "norms of rows": lambda np, sp, sl, g, a: sl.norm(a, axis=1),
        "norms of columns": lambda np, sp, sl, g, a: sl.norm(a, 1, axis=0),
        "expm_multiply": lambda np, sp, sl, g, a: sl.expm_multiply(3 * g, np.asarray(v)),
        "expm_multiply of columns": lambda np, sp, sl, g, a: sl.expm_multiply(-g, np.ones((6, 2))),
        "an operator": lambda np, sp, sl, g, a: sl.aslinearoperator(a) @ np.asarray(v),
        "an operator of columns": lambda np, sp, sl, g, a: sl.aslinearoperator(a).dot(np.ones((6, 2))),
        "its adjoint": lambda np, sp, sl, g, a: sl.aslinearoperator(a).H @ np.ones(9),
        "a dense operator": lambda np, sp, sl, g, a: sl.aslinearoperator(np.ones((2, 3))) @ np.ones(3),
    }.items():
        beside(name, function, (G, A), (g, a), 1e-12)
    for power in range(5):
        same(f"power {power}", mp.sparse.linalg.matrix_power(G, power).toarray(), np.linalg.matrix_power(g.toarray(), power), 1e-13)
    for B, b in ((A, a.toarray()), (A.T, a.toarray().T)):
        u, s, vh = mp.sparse.linalg.svds(B, 3)
        same("svds: values", s, np.linalg.svd(b)[1][2::-1], 1e-7)
        same("svds: vectors", (u * mp.asarray(s)) @ vh, b @ vh.numpy().T @ vh.numpy(), 1e-7)
        same("svds without vectors", mp.sparse.linalg.svds(B, 2, return_singular_vectors=False), s[1:], 1e-7)
    for density, count in ((0, 0), (0.1, 300), (0.8, 2400), (1, 3000)):
        R = mp.sparse.random(50, 60, density, rng=3, format="csr")
        ok((R.nnz, R.format) == (count, "csr") and 0 <= float(R.min()) and float(R.max()) < 1, f"random of density {density}")
    ok(mp.sparse.random_array((4, 5), density=1, data_sampler=lambda size: mp.ones(size)).sum().item() == 20, "of other numbers")
    same("rand, of a seed", mp.sparse.rand(9, 9, 0.3, rng=1).toarray(), mp.sparse.rand(9, 9, 0.3, random_state=1).toarray().numpy())
    raises(ValueError, "square", "kronsum of others", lambda: mp.sparse.kronsum(A, A))
    raises(ValueError, "outside 0 .. 1", "a density", lambda: mp.sparse.random(3, 3, 2))
    inf = np.inf
    for axis, orders in (((0, 1), (None, "fro", 1, -1, inf, -inf)), ((1, -2), (None, 1, -1, inf, -inf)),
                         (0, (None, 1, 2, 0, inf, -inf, 3, 0.5)), (-1, (None, 0, 1)), ((1,), (None, -inf))):
        for order in orders:
            want = scipy.sparse.linalg.norm(scipy.sparse.csr_matrix(a), order, axis)
            got = np.asarray(mp.sparse.linalg.norm(A, order, axis), float)
            same(f"norm {order} along {axis}", got, np.asarray(want, float).reshape(got.shape), 1e-13)  # or a matrix
    raises(ValueError, "ord is 3", "another norm", lambda: mp.sparse.linalg.norm(A, 3))
    raises(ValueError, "axis is 2", "another axis of a norm", lambda: mp.sparse.linalg.norm(A, axis=2))
    raises(ValueError, "axis is (0, 0)", "one axis twice", lambda: mp.sparse.linalg.norm(A, axis=(0, 0)))


def check_sparse_sharing():
    """Matrices that share entries or values: transposes without entries, and matrices of changed values."""
    (A, B), (a, b) = matrices((5, 6), (5, 6))
    C, c = A * (1 - 2j), a * (1 - 2j)  # noqa: N806
    x, y, z = np.arange(5.0), np.arange(6.0) - 2, np.arange(10.0).reshape(5, 2)
    for name, function in {
        "A.T @ x": lambda np, sp, sl, a, b, c: a.T @ np.asarray(x),
        "A.T @ dense": lambda np, sp, sl, a, b, c: a.T @ np.asarray(z),
        "y @ A.T": lambda np, sp, sl, a, b, c: np.asarray(y) @ a.T,
        "dense @ A": lambda np, sp, sl, a, b, c: np.asarray(z.T) @ a,
        "A.T.T @ y": lambda np, sp, sl, a, b, c: a.T.T @ np.asarray(y),
        "complex: T": lambda np, sp, sl, a, b, c: c.T @ np.asarray(x),
        "complex: H": lambda np, sp, sl, a, b, c: adjoint(c) @ np.asarray(x),
        "complex: T.conj()": lambda np, sp, sl, a, b, c: c.T.conj() @ np.asarray(z),
        "complex: y @ H": lambda np, sp, sl, a, b, c: np.asarray(y) @ adjoint(c),
        "complex: entries of H": lambda np, sp, sl, a, b, c: adjoint(c),
        "complex: H.T": lambda np, sp, sl, a, b, c: adjoint(c).T,
        "complex: H.H": lambda np, sp, sl, a, b, c: adjoint(adjoint(c)),
        "sums of H": lambda np, sp, sl, a, b, c: adjoint(c).sum(axis=0),
        "sums of T": lambda np, sp, sl, a, b, c: a.T.sum(axis=1),
        "the sum of T": lambda np, sp, sl, a, b, c: np.asarray(a.T.sum()),
        "T and a matrix": lambda np, sp, sl, a, b, c: a.T @ b + b.T @ a,
        "rows of T": lambda np, sp, sl, a, b, c: a.T[1:4],
        "values of T": lambda np, sp, sl, a, b, c: abs(-a.T).power(2),
        "a format": lambda np, sp, sl, a, b, c: abs(a.tocsc() * -2) + (a.tocoo() * 3).real,
        "blocks": lambda np, sp, sl, a, b, c: (a.tobsr((1, 1)) * 2).sin(),
        "itself": lambda np, sp, sl, a, b, c: a.multiply(a) + a.multiply(a * 2) - (a + a),
    }.items():
        beside(f"sharing: {name}", function, (A, B, C), (a, b, c))
    turned = C.H
    ok((turned.shape, turned.dtype, turned.nnz, turned.format, turned.ndim) == ((6, 5), c.dtype, c.nnz, "csr", 2),
       "what a transpose is")
    # What is changed in place, or released, changes or releases nothing else
    A, a = C.copy(), c.toarray()  # noqa: N806
    others = {"T": (A.T, a.T), "H": (A.H, a.conj().T), "T.T": (A.T.T, a), "double": (A * 2, 2 * a), "abs": (abs(A), abs(a)),
              "copy": (A.copy(), a), "T of T.T": (A.T.T.T, a.T)}
    A.setdiag(7)
    A[1, 2] = 5
    changed = a.copy()
    np.fill_diagonal(changed, 7)
    changed[1, 2] = 5
    same("elements that are set", (A.toarray(), A.T.toarray(), A.T @ x), (changed, changed.T, changed.T @ x), 1e-14)
    others["T.T"][0][0, 0] = 9
    a_too = a.copy()
    a_too[0, 0] = 9
    same("elements set in T.T", others.pop("T.T")[0].toarray(), a_too)
    others["double"][0].setdiag(0)
    same("elements set beside", (A * 1).toarray(), changed)
    want = 2 * a
    np.fill_diagonal(want, 0)
    others["double"] = others["double"][0], want
    same("others stay", tuple(m.toarray() for m, _ in others.values()), tuple(m for _, m in others.values()), 1e-14)
    A = C.copy()  # noqa: N806
    others = A.T, A * 2, A.H, A.T.T
    A.free()
    raises(TypeError, "no sparse matrix of Maniple", "a matrix that was freed", lambda: A @ mp.ones(6))
    wanted = c.T.toarray(), 2 * c.toarray(), c.conj().T.toarray(), c.toarray()
    same("what remains of a matrix that was freed", tuple(m.toarray() for m in others), wanted, 1e-14)
    others[0].free()
    same("products with its transpose", others[2] @ x, c.conj().T @ x, 1e-14)
