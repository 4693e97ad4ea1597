# SPDX-License-Identifier: BSD-3-Clause
"""What scipy.linalg has of orders, pairs, updates and balances of factors, and how its functions are called."""

import inspect

import maniple as mp
import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from . import ok, pair, raises, rng, same

L = mp.linalg
DTYPES = "float32", "float64", "complex64", "complex128"


def _adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def _near(name, got, want, dtype, size):
    """A point: the difference is some n eps at most."""
    got, want = (np.asarray(v.numpy() if isinstance(v, mp.ndarray) else v) for v in (got, want))
    n = max(1, *want.shape, *got.shape)
    ok(got.shape == want.shape and np.abs(got - want).max(initial=0) <= 40 * n * np.finfo(dtype).eps * max(size, 1), name)


def _drawn(shape, dtype, layout=None):
    a = pair(shape, dtype)[1]
    return mp.asarray(a, layout=layout or str(rng.choice(["0, *", "*, 0"]))), a


def check_pivoted():
    for dtype in DTYPES:
        for m, n in ((5, 5), (8, 3), (3, 8), (1, 1), (0, 2), (2, 0)):
            x, a = _drawn((m, n), dtype)
            k, name, size = min(m, n), f"qr of {dtype}, {m} x {n}, pivoting", np.abs(a).max(initial=0) * (n + 1)
            for mode, columns in (("full", m), ("economic", k), ("complete", m)):
                q, r, p = (v.numpy() for v in L.qr(x, mode=mode, pivoting=True, overwrite_a=True, check_finite=False))
                _near(f"{name}, {mode}", q @ r, a[:, p], dtype, size)
                ok(q.shape == (m, columns) and (np.sort(p) == np.arange(n)).all(), f"{name}, {mode}: shapes")
                _near(f"{name}, {mode}: orthogonal", _adjoint(q) @ q, np.eye(columns), dtype, 1)
            alone, p = L.qr(x, mode="r", pivoting=True)
            _near(f"{name}, r", alone, np.pad(r[:k], [(0, m - k), (0, 0)]), dtype, size)
            (reflectors, factors), r, p = L.qr(x, mode="raw", pivoting=True)
            _near(f"{name}, raw", np.triu(reflectors.numpy()[:k]), r, dtype, 0)
            ok((reflectors.shape, factors.shape, r.shape) == ((m, n), (k,), (k, n)), f"{name}, raw: shapes")
            if k:
                c = rng.standard_normal((3, m))
                got, r, p = L.qr_multiply(x, c, pivoting=True)
                _near(f"qr_multiply of {name}", got @ r, c @ a[:, p.numpy()], dtype, size * np.abs(c).max() * m)
    a = np.array([[1.0, 10, 2], [3, -20, 1], [2, 5, 40], [0, 1, 2]])
    same("qr with pivoting as SciPy", L.qr(a, mode="full", pivoting=True), scipy.linalg.qr(a, pivoting=True), 1e-13)
    same("R alone", L.qr(a, mode="r", pivoting=True), scipy.linalg.qr(a, mode="r", pivoting=True), 1e-13)
    raises(ValueError, "none of reduced", "another mode", lambda: L.qr(a, mode="x", pivoting=True))
    for shape in ((4, 4), (5, 3), (3, 5), (0, 3), (2, 4, 3)):
        x, a = _drawn(shape, "float64", layout=", ".join(["0"] + ["*"] * (len(shape) - 1)))
        p, low, up = (v.numpy() for v in L.lu(x, p_indices=True))
        _near(f"lu of {shape} with p_indices", np.take_along_axis(low, p[..., None].astype(int), -2) @ up, a, "float64", 20)
        ok(p.shape == a.shape[:-1] and p.dtype == np.int32, "the rows")
        same("permute_l comes first", L.lu(x, permute_l=True, p_indices=True), L.lu(x, True))


def check_schur_orders():
    """Of eigenvalues that lie apart from each other and from the borders of the parts."""
    for dtype in DTYPES:
        for n in (1, 2, 6):
            turn = np.linalg.qr(pair((n, n), dtype)[1])[0]
            t = np.diag(np.array([0.5, -2, 3, -0.25, 1.5, -1.75])[:n]) + np.triu(rng.uniform(-0.1, 0.1, (n, n)), 1)
            if n > 2:
                t[3:5, 3:5] = [[-0.3, 0.6], [-0.6, -0.3]]
            a = (turn @ t @ _adjoint(turn)).astype(dtype)
            x = mp.asarray(a, layout="*, 0")
            for output in ("real", "complex"):
                two = output == "real" and dtype.startswith("f")  # arguments of a function
                sorts = ["lhp", "rhp", "iuc", "ouc", lambda w: w.real > 1] + [lambda re, im: im * im > 0.1] * two
                for sort in sorts:
                    name = f"schur of {dtype}, {n} rows, {output}, {sort if isinstance(sort, str) else 'a function'}"
                    t, z, count = L.schur(x, output, sort=sort)
                    t, z = t.numpy(), z.numpy()
                    _near(f"{name}: z t z^H", z @ t @ _adjoint(z), a, dtype, 10)
                    of_parts = sort is sorts[-1] and two
                    where = {"lhp": lambda w: w.real < 0, "rhp": lambda w: w.real > 0, "iuc": lambda w: abs(w) < 1,
                             "ouc": lambda w: abs(w) > 1}.get(sort, lambda w: w.imag**2 > 0.1 if of_parts else w.real > 1)
                    first = np.linalg.eigvals(t[:count, :count].astype(complex))
                    rest = np.linalg.eigvals(t[count:, count:].astype(complex))
                    ok(isinstance(count, int) and where(first).all() and not where(rest).any(), f"{name}: what comes first")
                    if output == "complex" and isinstance(sort, str):
                        ok(count == scipy.linalg.schur(a, output, sort=sort)[2], f"{name}: as many as SciPy's")
    many = np.stack([np.diag([1.0, -2, 3]), np.diag([-1.0, -2, 3])])
    t, z, count = L.schur(many, sort="lhp")
    same("schur of two matrices", (np.diagonal(t.numpy(), axis1=1, axis2=2)[:, :2] < 0, count),
         (np.array([[True, False], [True, True]]), np.array([1, 2])))
    raises(ValueError, "none of 'lhp'", "another sort", lambda: L.schur(np.eye(2), sort="x"))
    raises(ValueError, "output is 'x', which is neither", "another output", lambda: L.schur(np.eye(2), "x"))
    same("schur without elements", L.schur(np.zeros((0, 0)), sort="lhp")[2], 0)


def check_pairs():
    for dtype in DTYPES:
        for n in (1, 2, 7):
            (x, a), (y, b) = _drawn((n, n), dtype), _drawn((n, n), dtype)
            size = np.linalg.norm(a) + np.linalg.norm(b)
            for output in ("real", "complex"):
                ordered = L.ordqz(x, y, lambda p, q: abs(p) < 0, output)
                for name, found in (("qz", L.qz(x, y, output)), ("ordqz", ordered[:2] + ordered[4:])):
                    aa, bb, q, z = (v.numpy() for v in found)
                    name = f"{name} of {dtype}, {n} rows, {output}"
                    _near(f"{name}: a", q @ aa @ _adjoint(z), a, dtype, size)
                    _near(f"{name}: b", q @ bb @ _adjoint(z), b, dtype, size)
                    _near(f"{name}: z", _adjoint(z) @ z, np.eye(n), dtype, 1)
                    ok(aa.dtype == scipy.linalg.qz(a, b, output)[0].dtype, f"{name}: its dtype")
    base = np.diag([0.5, -2, 3, -0.25, 1.5, 4]) + np.triu(np.full((6, 6), 0.1), 1)
    base[3:5, 3:5] = [[-0.3, 0.6], [-0.6, -0.3]]
    over = np.diag([1.0, 1.6, 1, 1, 1, 0])  # whose last eigenvalue is infinite
    left, right = (np.linalg.qr(pair((6, 6))[1])[0] for _ in range(2))
    a, b = left @ base @ right, left @ over @ right
    for output in ("real", "complex"):
        for sort in ("lhp", "rhp", "iuc", "ouc", lambda x, y: y * y < 1e-12):
            aa, bb, alpha, beta, q, z = (v.numpy() for v in L.ordqz(a, mp.asarray(b, layout="0, *"), sort, output))
            want = scipy.linalg.ordqz(a, b, sort, output)
            name = f"ordqz {output}, {sort if isinstance(sort, str) else 'a function'}"
            _near(name, q @ aa @ _adjoint(z), a, "float64", 20)
            ok((alpha.dtype, beta.dtype, aa.dtype) == (want[2].dtype, want[3].dtype, want[0].dtype), f"{name}: dtypes")
            finite = abs(beta) > 1e-8
            ok(finite.sum() == 5, f"{name}: an infinite eigenvalue")
            there = abs(want[3]) > 1e-8
            w, right_w = (np.sort_complex(v) for v in (alpha[finite] / beta[finite], want[2][there] / want[3][there]))
            ok(np.allclose(w, right_w, atol=1e-9), f"{name}: the eigenvalues")
            w = np.where(finite, alpha / np.where(finite, beta, 1), np.inf)
            chosen = {"lhp": w.real < 0, "rhp": finite & (w.real > 0), "iuc": abs(w) < 1, "ouc": abs(w) > 1}.get(sort, ~finite)
            if sort in ("lhp", "rhp"):  # on which side an infinite one lies is for rounding errors to say
                chosen = chosen[finite]
            ok((chosen[:-1] >= chosen[1:]).all() and chosen.any(), f"{name}: what comes first")
    w, left_v, right_v = (v.numpy() for v in L.eig(mp.asarray(a, layout="*, 0"), b, left=True))
    finite = abs(w) < 1e8
    want = scipy.linalg.eigvals(base, over)
    ok(finite.sum() == 5 and max(abs(want - v).min() for v in w[finite]) < 1e-9, "eig of a pair, b singular")
    w = np.where(finite, w, 0)
    _near("eig of a pair, b singular: right", a @ right_v[:, finite], b @ right_v[:, finite] * w[finite], "float64", 1000)
    _near("eig of a pair, b singular: left", _adjoint(left_v)[finite] @ a, w[finite][:, None] * (_adjoint(left_v)[finite] @ b), "float64", 1000)
    _near("eig of a pair, b singular: infinite", b @ right_v[:, ~finite], np.zeros((6, 1)), "float64", 1000)
    same("eigvals of a pair that is of zeros and infinite", np.sort(L.eigvals(np.diag([3.0, 1, 2]), np.diag([0.0, 1, 4])).numpy().real), np.array([0.5, 1, np.inf]))
    ok(np.isnan(L.eigvals(np.zeros((1, 1)), np.zeros((1, 1))).numpy()).all(), "eigvals of zeros over zeros")
    same("eig of no matrix", [v.shape for v in L.eig(np.zeros((0, 0)), np.zeros((0, 0)))], [(0,), (0, 0)])
    raises(ValueError, "ordqz() sorts", "qz with sort", lambda: L.qz(a, b, sort="lhp"))
    raises(ValueError, "none of 'lhp'", "another sort", lambda: L.ordqz(a, b, "x"))
    raises(ValueError, "not of one shape", "matrices of two sizes", lambda: L.qz(a, np.eye(2)))


def check_balance():
    for dtype in DTYPES:
        for n in (1, 3, 8):
            x, a = _drawn((n, n), dtype)
            a = (a * 10.0 ** np.arange(n)).astype(dtype)
            b, t = (v.numpy() for v in L.matrix_balance(mp.asarray(a, layout="*, 0")))
            _near(f"matrix_balance of {dtype}, {n} rows", t @ b, a @ t, dtype, np.abs(a).max() * np.abs(t).max())
            b, (scales, order) = L.matrix_balance(x, separate=True)
            same("and apart", L.matrix_balance(x)[1].numpy()[order.numpy()], np.diag(scales.numpy()))
    a = np.array([[1, 2, 0, 5], [900, 1, 0.01, 0], [1, 2, 31.4, 0], [0, 0, 0, 4]])
    same("matrix_balance as SciPy", L.matrix_balance(a), scipy.linalg.matrix_balance(a))
    raises(np.linalg.LinAlgError, "not square", "a matrix that is not square", lambda: L.matrix_balance(np.ones((2, 3))))
    for dtype in DTYPES:
        for n, p, q in ((2, 1, 1), (6, 3, 3), (7, 2, 6), (7, 6, 3), (5, 4, 4), (5, 1, 4)):
            x = np.linalg.qr(pair((n, n), dtype)[1])[0]
            for swap in (False, True):
                u, cs, vh = (v.numpy() for v in L.cossin(mp.asarray(x, layout="*, 0"), p, q, swap_sign=swap))
                name = f"cossin of {dtype}, {n} rows, {p} x {q}, {swap}"
                _near(name, u @ cs @ vh, x, dtype, 1)
                ok(cs.dtype == x.real.dtype, f"{name}: dtype")
                blocks = x[:p, :q], x[:p, q:], x[p:, :q], x[p:, q:]
                (u1, u2), theta, (v1, v2) = L.cossin(blocks, swap_sign=swap, separate=True)
                (w1, w2), angles, _ = scipy.linalg.cossin(x, p, q, swap_sign=swap, separate=True)
                _near(f"{name}: the angles", theta, angles, dtype, 1)
                ok((u1.shape, u2.shape, v1.shape, v2.shape) == (w1.shape, w2.shape, (q, q), (n - q, n - q)), f"{name}: blocks")
    many = np.linalg.qr(pair((3, 4, 4))[1])[0]
    u, cs, vh = (v.numpy() for v in L.cossin(many, 1, 2))
    _near("cossin of three matrices", u @ cs @ vh, many, "float64", 1)
    ok(L.cossin(many[0], 1, 2, compute_u=False, compute_vh=False)[::2][0].size == 0, "cossin without factors")
    raises(ValueError, "p is 4", "a block that is too large", lambda: L.cossin(many[0], 4, 1))
    raises(ValueError, "there are 2", "two blocks", lambda: L.cossin(many[:2]))


def _check_update(name, got, want, dtype, shapes):
    q, r = (v.numpy() for v in got)
    _near(f"{name}: q r", q @ r, want, dtype, np.abs(want).max(initial=0) * 4)
    _near(f"{name}: orthogonal", _adjoint(q) @ q, np.eye(q.shape[1]), dtype, 1)
    ok((q.shape, r.shape) == shapes and not np.tril(r, -1).any(), f"{name}: shapes, a triangle")


def check_updates():
    """Updates of QR factorisations, with the shapes of SciPy's."""
    for dtype in DTYPES:
        for m, n in ((6, 4), (5, 5), (4, 6), (9, 2)):
            for mode in ("full", "economic") if m > n else ("full",):
                a = pair((m, n), dtype)[1]
                q, r = scipy.linalg.qr(a, mode=mode)
                x, y = mp.asarray(q, layout="0, *"), mp.asarray(r, layout="*, 0")
                name = f"of {dtype}, {m} x {n}, {mode}"

                def shapes(function, *arguments, **named):
                    return tuple(v.shape for v in getattr(scipy.linalg, function)(q, r, *arguments, **named))

                for k, p in ((0, 1), (m - 2, 2), (1, 1), (-1, 1)):
                    if mode == "full" or m - p >= n:
                        at = k % m
                        _check_update(f"qr_delete {name}, rows {k} {p}", L.qr_delete(x, y, k, p), np.delete(a, range(at, at + p), 0),
                                      dtype, shapes("qr_delete", k, p))
                for k, p in ((0, 1), (n - 1, 1), (0, 2), (-1, 1)):
                    at = k % n
                    _check_update(f"qr_delete {name}, columns {k} {p}", L.qr_delete(x, y, k, p, "col"),
                                  np.delete(a, range(at, at + p), 1), dtype, shapes("qr_delete", k, p, "col"))
                for k, shape in ((0, (n,)), (m, (2, n)), (2, (3, n)), (-1, (n,))):
                    u = pair(shape, dtype)[1]
                    at = k + m if k < 0 else k
                    _check_update(f"qr_insert {name}, rows {k} {shape}", L.qr_insert(x, y, u, k),
                                  np.concatenate([a[:at], u.reshape(-1, n), a[at:]]), dtype, shapes("qr_insert", u, k))
                for k, shape in ((0, (m,)), (n, (m, 2)), (1, (m, 3)), (-1, (m,))):
                    u = pair(shape, dtype)[1]
                    columns = u[:, None] if u.ndim == 1 else u
                    at = k + n if k < 0 else k
                    _check_update(f"qr_insert {name}, columns {k} {shape}", L.qr_insert(x, y, mp.asarray(u), k, which="col"),
                                  np.concatenate([a[:, :at], columns, a[:, at:]], 1), dtype, shapes("qr_insert", u, k, "col"))
                for u, v in ((pair((m,), dtype)[1], pair((n,), dtype)[1]), (pair((m, 2), dtype)[1], pair((n, 2), dtype)[1])):
                    of_u, of_v = (w[:, None] if w.ndim == 1 else w for w in (u, v))
                    _check_update(f"qr_update {name}, {u.shape}", L.qr_update(x, y, u, v), a + of_u @ _adjoint(of_v), dtype,
                                  shapes("qr_update", u, v))
    q, r = (mp.asarray(v) for v in np.linalg.qr(np.arange(12.0).reshape(6, 2) ** 2))
    raises(np.linalg.LinAlgError, "dependent", "a column that is there", lambda: L.qr_insert(q, r, q[:, 0], 0, "col", 1e-8))
    raises(ValueError, "not the factors", "qr_delete of others", lambda: L.qr_delete(r, q, 0))
    raises(ValueError, "p is 3", "too many rows", lambda: L.qr_delete(q, r, 4, 3))
    raises(ValueError, "k is 9", "a row beyond the end", lambda: L.qr_insert(q, r, np.ones(2), 9))
    raises(ValueError, "has not vectors of 2", "a row of another length", lambda: L.qr_insert(q, r, np.ones(3), 0))
    raises(ValueError, "u has 1 columns and v 2", "another number of columns", lambda: L.qr_update(q, r, np.ones(6), np.ones((2, 2))))
    raises(ValueError, "none of 'row'", "neither rows nor columns", lambda: L.qr_delete(q, r, 0, which="x"))
    x, a = _drawn((40, 3), "float64")
    same("a sketch of a seed", L.clarkson_woodruff_transform(x, 7, seed=5), scipy.linalg.clarkson_woodruff_transform(a, 7, seed=5), 1e-13)
    got = L.clarkson_woodruff_transform(mp.ones((40, 2)), 7)
    ok(got.shape == (7, 2) and (got.numpy()[:, 0] == got.numpy()[:, 1]).all() and got.numpy().sum() % 2 == 0, "and of none")
    for a in (np.array([[4.0, 1], [2, 3]]), np.array([[4.0, 1j], [-1j, 3]])):
        for name in ("sqrtm", "logm"):
            result, error = getattr(L, name)(a, disp=False)
            ok(float(error) < 1e-14, f"the error of {name}")


# The functions whose positional arguments are others than SciPy's, and what they are: mostly NumPy's
OTHERS = {
    "eigh": "NumPy's UPLO is the second one, which may also be b", "eigvalsh": "NumPy's UPLO is the second one",
    "lstsq": "NumPy's rcond is SciPy's cond", "norm": "NumPy's x is SciPy's a", "pinv": "NumPy's",
    "qr": "NumPy's mode is the second one", "svd": "NumPy's hermitian is the fourth one",
    **{name: "rtol and what follows are given by name, as in SciPy 1.14" for name in "bicg bicgstab cg cgs gmres minres qmr tfqmr".split()},
}
# Which not all versions of SciPy have
NOT_ALWAYS = "sym_pos turbo eigvals cond rcond rng random_state eigvals.overwrite_b restrt".split()


def check_orders_of_arguments():
    """Positional arguments have SciPy's order, and its keywords are taken."""
    for theirs, ours in ((scipy.linalg, L), (scipy.sparse.linalg, mp.sparse.linalg)):
        checked = 0
        for name in sorted(set(dir(theirs)) & set(dir(ours))):
            function = getattr(theirs, name)
            if inspect.isclass(function) or not callable(function):
                continue
            try:
                wanted, every = (
                    [p for p in inspect.signature(getattr(home, name)).parameters.values()
                     if p.name not in NOT_ALWAYS and f"{name}.{p.name}" not in NOT_ALWAYS] for home in (theirs, ours))
            except ValueError:  # a function of C, which does not tell
                continue
            own = {p.name for p in every}
            missing = [p.name for p in wanted if p.name not in own and (name, p.name) != ("norm", "a")]
            ok(not missing, f"{name} takes {', '.join(missing) or 'all'}")
            places = [p.name for p in every if p.kind is p.POSITIONAL_OR_KEYWORD]
            positional = [p.name for p in wanted if p.kind is p.POSITIONAL_OR_KEYWORD]
            ok(name in OTHERS or places[: len(positional)] == positional, f"{name}: {OTHERS.get(name) or ', '.join(places)}")
            checked += 1
        ok(checked > 10, f"{checked} functions of {theirs.__name__}")
    for name, order in (("qr_insert", "Q R u k which rcond overwrite_qru check_finite"), ("qr_update", "Q R u v overwrite_qruv check_finite"),
                        ("qr_delete", "Q R k p which overwrite_qr check_finite"),
                        ("eigvals", "a b overwrite_a overwrite_b check_finite homogeneous_eigvals")):  # SciPy 1.18's
        ok(list(inspect.signature(getattr(L, name)).parameters) == order.split(), f"{name}: the order")
    a = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
    same("arguments by place", (L.rq(a, False, None, "r"),
                                L.cholesky_banded(np.array([[4.0, 3, 2], [1, 1, 0]]), False, True)[0],
                                L.eig_banded(np.array([[4.0, 3, 2], [1, 1, 0]]), True, True, False, "i", (0, 1)),
                                L.solve(a, a[0], True, False, False, True, "pos")),
         (L.rq(a, mode="r"), np.diag(np.linalg.cholesky(a)), np.linalg.eigvalsh(a)[:2], np.array([1.0, 0, 0])), 1e-12)
    raises(TypeError, "assume_a='pos'", "solve with a third argument of another kind", lambda: L.solve(a, a[0], "pos"))
    same("cond of lstsq", L.lstsq(np.diag([1, 1e-3]), np.ones(2), cond=0.1)[0], np.array([1.0, 0]))
    raises(ValueError, "two names of one bound", "rcond and cond", lambda: L.lstsq(a, a, 0.1, cond=0.1))
    n = 30
    x = np.diag(np.arange(1.0, n + 1)) + np.eye(n, k=1)
    A, M = (mp.sparse.csr_array(scipy.sparse.csr_matrix(v)) for v in (x, np.diag(np.full(n, 2.0))))  # noqa: N806
    half = mp.sparse.linalg.LinearOperator((n, n), lambda v: v / 2)
    got = mp.sparse.linalg.eigs(A, 3, M, None, "LM", Minv=half, return_eigenvectors=False)
    same("eigs of a pair", np.sort(got.real), np.array([14.0, 14.5, 15]), 1e-9)
    inverse = mp.asarray(np.linalg.inv(x - 6.2 * np.eye(n)))
    got = mp.sparse.linalg.eigs(A, 2, M, 3.1, OPinv=mp.sparse.linalg.LinearOperator((n, n), lambda v: inverse @ v))[0]
    same("eigs of a pair near a number", np.sort(got.real), np.array([3.0, 3.5]), 1e-9)
    for words, function in (("Minv, its inverse", lambda: mp.sparse.linalg.eigs(A, 3, M)),
                            ("OPpart", lambda: mp.sparse.linalg.eigs(A, 3, OPpart="r")),
                            ("takes a second matrix", lambda: mp.sparse.linalg.eigsh(A, 3, M)),
                            ("takes a second matrix", lambda: mp.sparse.linalg.eigsh(A, 3, sigma=1, mode="cayley")),
                            ("neither constraints", lambda: mp.sparse.linalg.lobpcg(A, np.eye(n, 2), Y=np.eye(n, 1)))):
        raises(ValueError, words, "what is not there", function)
