# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues: mnp_eigsh and mnp_lobpcg compared with numpy.linalg.eigh and scipy.sparse.linalg; difficult spectra."""

import ctypes
import os

import matrices
import maniple as mp
import numpy as np
import scipy.io
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
import solving

rng = mp.random()
REASONS = ["CONVERGED", "MAXITER", "BREAKDOWN", "STOPPED", "UNSOLVED"]
WHICH = ["LM", "SM", "LA", "SA", "BE"]
PROGRESS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int, ctypes.POINTER(ctypes.c_double),
                            ctypes.POINTER(ctypes.c_double))


class EigshOptions(ctypes.Structure):
    _fields_ = [("which", ctypes.c_int), ("tol", ctypes.c_double), ("maxiter", ctypes.c_int64), ("ncv", ctypes.c_int),
                ("v0", ctypes.c_void_p), ("progress", ctypes.c_void_p), ("argument", ctypes.c_void_p),
                ("near_sigma", ctypes.c_bool), ("sigma", ctypes.c_double), ("inverse", ctypes.c_void_p),
                ("precond", ctypes.c_void_p), ("solve_maxiter", ctypes.c_int64)]


class LobpcgOptions(ctypes.Structure):
    _fields_ = [("smallest", ctypes.c_bool), ("tol", ctypes.c_double), ("maxiter", ctypes.c_int64), ("b", ctypes.c_void_p),
                ("precond", ctypes.c_void_p), ("progress", ctypes.c_void_p), ("argument", ctypes.c_void_p)]


class Result(ctypes.Structure):
    _fields_ = [("reason_number", ctypes.c_int), ("converged", ctypes.c_int), ("iterations", ctypes.c_int64),
                ("products", ctypes.c_int64), ("seconds", ctypes.c_double), ("count", ctypes.c_int),
                ("pointer", ctypes.POINTER(ctypes.c_double))]

    def take(self):
        """Copy the residuals to a NumPy array."""
        self.reason = REASONS[self.reason_number]
        self.residuals = np.array([self.pointer[i] for i in range(self.count)])
        mp.eigen_result_clear(self)
        return self


def wrap(progress):
    """Make a callback for C from a function of iteration, eigenvalues and residuals; also returns its address."""
    if not progress:
        return None, None
    made = PROGRESS(lambda _, i, n, values, residuals: bool(progress(i, values[:n], residuals[:n])))
    return made, ctypes.cast(made, ctypes.c_void_p)


def eigsh(op, k, which="LM", v0=None, progress=None, vectors=None, want_vectors=True, **options):
    kept, address = wrap(progress)
    given = EigshOptions(which=WHICH.index(which), v0=v0.pointer if v0 else None, progress=address, **options)
    values, result = (ctypes.c_double * max(k, 1))(), Result()
    without = {} if want_vectors else {"vectors_p": None}
    found = mp.eigsh(op, k, given, values, result=result, out=vectors, **without)
    return np.array(values), found, result.take()


def lobpcg(op, x, progress=None, **options):
    kept, address = wrap(progress)
    values, result = (ctypes.c_double * max(x.shape[-1], 1))(), Result()
    mp.lobpcg(op, LobpcgOptions(progress=address, **options), x, values, result)
    return np.array(values), result.take()


def wide(a):
    a = a.toarray() if scipy.sparse.issparse(a) else np.asarray(a)
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def chosen(values, k, which):
    """The wanted ones of all eigenvalues, ascending."""
    n = len(values)
    order = {"LM": np.argsort(-np.abs(values)), "SM": np.argsort(np.abs(values)), "LA": np.arange(n)[::-1],
             "SA": np.arange(n), "BE": np.r_[np.arange(n)[:k // 2], np.arange(n)[n - (k - k // 2):]]}[which]
    return np.sort(values[order[:k]])


def operator(a):
    layout = matrices.cut(rng, a.shape[0])
    return solving.operator(matrices.sparse(scipy.sparse.csr_array(a), rng, layout, layout))


def hermitian(n, dtype, density=0.2):
    a = matrices.random_matrix(rng, n, n, dtype, density).toarray()
    return scipy.sparse.csr_array((a + a.conj().T) / 2)


def grid(nx, ny, dtype="float64"):
    """A Laplacian on a grid, and its eigenvalues."""
    def line(n):
        return 2 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    return matrices.laplacian(nx, ny, dtype), np.sort(np.add.outer(line(nx), line(ny)).ravel())


def judge(name, a, values, vectors, result, want, accuracy, b=None):
    """A test point: eigenvalues are right, vectors are orthonormal, and the reported residuals are true."""
    dense, x = wide(a), wide(vectors.numpy())
    metric = np.eye(len(dense)) if b is None else wide(b)
    size = max(np.abs(dense).sum(1).max(), 1e-30)
    apart = np.abs(np.sort(values) - want).max() / size
    slack = np.abs(x.conj().T @ metric @ x - np.eye(x.shape[1])).max()
    residuals = np.linalg.norm(dense @ x - metric @ x * values, axis=0)
    told = np.abs(residuals - result.residuals).max() / size
    good = (result.reason == "CONVERGED" and result.converged == len(values) and apart <= accuracy and slack <= accuracy
            and residuals.max() / size <= accuracy and told <= accuracy and vectors.dtype == a.dtype)
    return mp.ok(good, f"{name}: {len(values)} of {dense.shape[0]}, {result.iterations} iterations, {result.products} products"
                 + ("" if good else f", {result.reason}, {result.converged} converged, values differ by {apart:.2g}, "
                    f"orthogonal to {slack:.2g}, residuals {residuals.max() / size:.2g}, told wrong by {told:.2g}"))


def accuracy_of(a):
    return 1e-4 if np.dtype(a.dtype).name in ("float32", "complex64") else 1e-10


def check(name, a, k, which, want=None, **options):
    values, vectors, result = eigsh(operator(a), k, which, **options)
    rising = bool(np.all(np.diff(values) >= 0))
    want = chosen(np.linalg.eigvalsh(wide(a)) if want is None else want, k, which)
    return judge(f"eigsh {name} {np.dtype(a.dtype).name} {which}", a, values, vectors, result, want,
                 accuracy_of(a)) and (rising or mp.ok(False, "eigenvalues rise"))


try:
    eigsh(operator(np.diag([1.0, 2, 3])), 1)
except mp.Error as error:
    if error.status != "MNP_ERR_UNSUPPORTED":
        raise
    mp.ok("LAPACK" in error.message, "without LAPACK a sentence says so")
    matrices.done()

# ---- eigsh: random matrices, all types, all ends ----
for dtype in matrices.DTYPES:
    a = hermitian(90, dtype)
    for which in ("LM", "LA", "SA", "BE"):
        check("random", a, 5, which)
    check("random", scipy.sparse.csr_array((a + 20 * scipy.sparse.eye_array(90)).astype(dtype)), 5, "SM")  # the lower end
    check("random, inside", a, 5, "SM", ncv=90)
    for n, k in ((2, 1), (3, 2), (5, 1), (30, 29), (30, 12), (60, 25)):
        a = hermitian(n, dtype, 0.5) + scipy.sparse.csr_array(np.diag(np.linspace(0.3, 2, n)).astype(dtype))  # no x and -x
        check("random", a, k, WHICH[(n + k) % 5])
a = hermitian(200, "float64", 0.05)
for which in ("LA", "BE"):
    want = np.sort(scipy.sparse.linalg.eigsh(a, 7, which=which, return_eigenvectors=False))
    values, _, result = eigsh(operator(a), 7, which, want_vectors=False)
    mp.ok(result.reason == "CONVERGED" and np.allclose(values, want, rtol=0, atol=1e-9), f"SciPy's eigsh, {which}")

# ---- multiple eigenvalues, clusters, small invariant subspaces ----
for shape, which, k in (((16, 16), "LA", 6), ((14, 14), "SA", 7), ((24, 11), "BE", 4), ((11, 11), "LM", 10)):
    a, want = grid(*shape)
    check(f"grid {shape}", a, k, which, want)
a, want = grid(12, 12, "float32")
check("grid", a, 6, "SA", want)
diagonals = {"clusters": np.r_[np.repeat([1.0, 2, 5], 20), 5 + 1e-9 * np.arange(5), -7],
             "ten values": np.repeat(np.arange(10.0), 6), "two signs": np.r_[np.arange(-19.5, 0), np.arange(1.0, 30)],
             "identity": np.ones(50), "zero": np.zeros(40), "one that is not 0": np.r_[np.zeros(30), 3],
             "tiny": 1e-100 * np.arange(1.0, 30), "large": 1e150 * np.arange(1.0, 30)}
for name, diagonal in diagonals.items():
    a = scipy.sparse.csr_array((diagonal, (np.arange(diagonal.size),) * 2), (diagonal.size,) * 2)
    for which, k in (("LA", 6), ("SA", 3), ("LM", 12), ("BE", 5), ("LA", diagonal.size - 1)):
        check(name, a, k, which, np.sort(diagonal))
check("identity", scipy.sparse.csr_array(np.eye(30, dtype="complex64")), 4, "LM")
a, want = grid(9, 8)
check("ncv is the order", a, 4, "SM", want, ncv=72)
check("a large space", a, 4, "SM", want, ncv=50)
check("the smallest space", a, 3, "LA", want, ncv=4)
check("a start", a, 4, "SA", want, v0=mp.array(rng.standard_normal(72)))
check("a closed start", a, 4, "SA", want, v0=mp.array(np.linalg.eigh(a.toarray())[1][:, 5]))
check("a loose tolerance", grid(13, 7)[0], 3, "LA", tol=1e-11)
for shape, which, k in (((31, 31), "SA", 3), ((31, 31), "LA", 6), ((25, 25), "BE", 5), ((20, 20), "LM", 7)):
    a, want = grid(*shape)  # a square: many eigenvalues are double
    for tol in (1e-4, 1e-6, 1e-8, 1e-10):
        start_vector = mp.array(rng.standard_normal(shape[0] * shape[1]))
        values, _, result = eigsh(operator(a), k, which, tol=tol, v0=start_vector)
        apart = np.abs(values - chosen(want, k, which)).max()
        mp.ok(result.reason == "CONVERGED" and apart <= 10 * tol * 8,
              f"eigsh finds double eigenvalues, square {shape} {which}, tol {tol:g}: {result.products} products, {apart:.2g}")

# ---- real matrices ----
data = os.environ.get("MANIPLE_TEST_DATA", os.path.join(os.environ.get("srcdir", "."), "..", "shared", "data"))
for name, which, ncv in (("bar", "LM", 0), ("bar", "SA", 60), ("jagmesh7", "BE", 60), ("airfoil", "LA", 0)):
    path = os.path.join(data, name + ".mtx")
    if not os.path.exists(path):
        mp.skip(name, "the matrix is not there")
        continue
    a = scipy.sparse.csr_array(scipy.io.mmread(path)).astype("float64")
    want = [scipy.sparse.linalg.eigsh(a, 6, which=end, ncv=60, return_eigenvectors=False) for end in ("SA", "LA")]
    check(name, a, 6, which, np.sort(np.concatenate(want)), ncv=ncv)

# ---- near a number: SciPy's eigsh with sigma ----


def check_near(name, a, k, sigma, which="LM", accuracy=None, **options):
    """The eigenvalues that SciPy finds by a factorisation of A - sigma, and vectors whose residuals are told."""
    layout = matrices.cut(rng, a.shape[0])
    made = matrices.sparse(scipy.sparse.csr_array(a), rng, layout, layout)
    if "precond" in options:
        options["precond"] = solving.precond(made, options["precond"])
    values, vectors, result = eigsh(solving.operator(made), k, which, near_sigma=True, sigma=sigma, **options)
    want = scipy.sparse.linalg.eigsh(scipy.sparse.csc_array(wide(a)), k, sigma=sigma, which=which, tol=1e-13,
                                     return_eigenvectors=False, v0=np.random.default_rng(5).standard_normal(a.shape[0]))
    judge(f"eigsh {name} {np.dtype(a.dtype).name} near {sigma:g} {which}", a, values, vectors, result, np.sort(want),
          accuracy or accuracy_of(a))
    return result


a, want = grid(9, 7)  # whose eigenvalues are all different
for sigma, which in ((-0.5, "LM"), (0.0, "LM"), (2.1, "LM"), (2.1, "LA"), (2.1, "SA"), (2.1, "BE"), (3.91, "LM")):
    check_near("grid", a, 4, sigma, which)
check_near("grid", a, 4, 1.3, tol=1e-8, accuracy=1e-7)
plain = check_near("grid", a, 3, 0.0)
helped = check_near("grid, preconditioned", a, 3, 0.0, precond="ic0")
mp.ok(helped.products < plain.products, f"a preconditioner helps: {helped.products} and {plain.products} products")
for dtype in matrices.DTYPES:
    a = hermitian(60, dtype)
    check_near("random", a, 3, 0.123, accuracy=1e-3 if dtype in ("float32", "complex64") else None)
for name, sigma, tol in (("bar", 0.0, 0), ("airfoil", 4.21, 1e-9)):
    path = os.path.join(data, name + ".mtx")
    if not os.path.exists(path):
        mp.skip(name, "the matrix is not there")
        continue
    check_near(name, scipy.sparse.csr_array(scipy.io.mmread(path)).astype("float64"), 4, sigma, accuracy=1e-8, tol=tol)
a, want = grid(20, 15)
layout = matrices.cut(rng, 300)
box, = layout.box(mp.rank)
factors = scipy.sparse.linalg.splu(scipy.sparse.csc_array(a - 3.3 * scipy.sparse.eye_array(300)))
inverse = solving.function("float64", layout, layout, lambda x: factors.solve(x.numpy())[box])
op = solving.operator(matrices.sparse(scipy.sparse.csr_array(a), rng, layout, layout))
values, vectors, result = eigsh(op, 5, near_sigma=True, sigma=3.3, inverse=inverse)
nearest = np.sort(want[np.argsort(np.abs(want - 3.3))[:5]])
judge("eigsh with an inverse of the caller's", a, values, vectors, result, nearest, 1e-10)
values, _, result = eigsh(op, 5, near_sigma=True, sigma=3.3, solve_maxiter=3)
mp.ok(result.reason == "UNSOLVED" and np.isnan(values).all(), "a system that is not solved")
mp.fails("MNP_ERR_ARG", "sigma is nan", eigsh, op, 2, near_sigma=True, sigma=np.nan)
mp.fails("MNP_ERR_ARG", "solve_maxiter is -1", eigsh, op, 2, near_sigma=True, solve_maxiter=-1)
mp.fails("MNP_ERR_ARG", "inverse must have", eigsh, op, 2, near_sigma=True, inverse=operator(np.eye(5)))

# ---- options and information ----
a, want = grid(20, 15)
op = operator(a)
seen = []
values, vectors, result = eigsh(op, 4, "SA", progress=lambda i, v, r: seen.append((i, v, max(r))) or i == 3)
mp.ok(result.reason == "STOPPED" and result.iterations == 3 and [s[0] for s in seen] == [1, 2, 3] and result.converged < 4
      and seen[2][2] < seen[0][2] and list(values) == list(seen[2][1]), "eigsh: progress is told, and can stop it")
values, vectors, result = eigsh(op, 4, "SA", maxiter=2)
residuals = np.linalg.norm(a @ vectors.numpy() - vectors.numpy() * values, axis=0)
mp.ok(result.reason == "MAXITER" and result.iterations == 2 and np.allclose(residuals, result.residuals, rtol=1e-6)
      and np.all(np.isfinite(values)), f"eigsh: a limit of restarts: {residuals.max():.2g}")
room = mp.array(np.zeros((300, 3)), mp.random_layout(rng, (300, 3)))
values, vectors, result = eigsh(op, 3, "LA", vectors=room)
mp.ok(vectors is room and np.abs(a @ room.numpy() - room.numpy() * values).max() < 1e-9, "eigsh: vectors go where they should")
layout = matrices.cut(rng, 300)
box, = layout.box(mp.rank)
free = solving.function("float64", layout, layout, lambda x: (a @ x.numpy())[box])
values, vectors, result = eigsh(free, 3, "SA")
judge("eigsh of a function", a, values, vectors, result, chosen(want, 3, "SA"), 1e-10)
first, _, one = eigsh(op, 5, "SA")
second, _, two = eigsh(op, 5, "SA")
mp.ok(np.array_equal(first, second) and one.products == two.products, "eigsh: the same again, to the last bit")
wrong = a.copy()
wrong.data[7] = np.nan
values, _, result = eigsh(operator(wrong), 3)
mp.ok(result.reason == "BREAKDOWN" and result.converged == 0 and np.all(np.isnan(values)), "eigsh: NaN in the matrix")

# ---- eigsh: errors ----
for k in (0, 300, 301):
    mp.fails("MNP_ERR_ARG", f"k is {k}", eigsh, op, k)
mp.fails("MNP_ERR_ARG", "ncv is 4, outside 5..300", eigsh, op, 4, ncv=4)
mp.fails("MNP_ERR_ARG", "ncv is 301", eigsh, op, 4, ncv=301)
mp.fails("MNP_ERR_ARG", "tol is -1", eigsh, op, 4, tol=-1)
mp.fails("MNP_ERR_ARG", "v0 must have", eigsh, op, 4, v0=mp.array(np.ones(5)))
mp.fails("MNP_ERR_ARG", "v0 is 0", eigsh, op, 4, v0=mp.array(np.zeros(300)))
mp.fails("MNP_ERR_ARG", "square", eigsh, solving.operator(matrices.sparse(matrices.random_matrix(rng, 4, 6, "float64"), rng)), 1)
mp.fails("MNP_ERR_ARG", "vectors must be", eigsh, op, 3, vectors=mp.array(np.ones((300, 4))))
mp.fails("MNP_ERR_ARG", "k is 1", eigsh, operator(scipy.sparse.csr_array((1, 1), dtype="float64")), 1)

# ---- lobpcg ----


def start(n, k, dtype="float64"):
    values = rng.standard_normal((n, k))
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal((n, k))
    return mp.array(values.astype(dtype), mp.random_layout(rng, (n, k)))


def check_lobpcg(name, a, k, smallest=True, want=None, b=None, precond=None, **options):
    """Check lobpcg for a matrix, with a metric and a preconditioner in the same layout."""
    layout = matrices.cut(rng, a.shape[0])
    made = [matrices.sparse(scipy.sparse.csr_array(m), rng, layout, layout) for m in ([a] if b is None else [a, b])]
    ops = [solving.operator(m) for m in made]
    m = solving.precond(made[0], precond) if precond else None
    x = start(a.shape[0], k, a.dtype.name)
    values, result = lobpcg(ops[0], x, smallest=smallest, b=ops[1] if b is not None else None, precond=m, **options)
    if want is None:
        want = scipy.linalg.eigvalsh(wide(a), None if b is None else wide(b))
    falling = np.diff(values if smallest else values[::-1])
    judge(f"lobpcg {name} {np.dtype(a.dtype).name}", a, values, x, result, want[:k] if smallest else want[-k:],
          2e-3 if np.dtype(a.dtype).name in ("float32", "complex64") else 1e-7, b)
    return values, x, result, bool(np.all(falling >= 0))


for dtype in matrices.DTYPES:
    a = hermitian(80, dtype)
    shifted = scipy.sparse.csr_array(a.toarray() + 12 * np.eye(80, dtype=dtype)).astype(dtype)
    _, _, _, ordered = check_lobpcg("smallest", shifted, 4)
    _, _, _, ordered_too = check_lobpcg("largest", shifted, 3, smallest=False)
    mp.ok(ordered and ordered_too, "in SciPy's order")
    check_lobpcg("preconditioned", shifted, 3, precond="jacobi")
    check_lobpcg("one", shifted, 1)

for n, k in ((1, 1), (2, 2), (3, 1), (7, 7), (9, 5), (12, 4)):
    a = scipy.sparse.csr_array(hermitian(n, "float64", 0.5).toarray() + 9 * np.eye(n))
    check_lobpcg("small", a, k)
    check_lobpcg("small, largest", a, k, smallest=False)
a, want = grid(13, 13)
check_lobpcg("grid", a, 6, want=want)
check_lobpcg("grid, tight", a, 4, want=want, tol=1e-11)
_, _, plain, _ = check_lobpcg("grid, wide", a, 10, want=want)
for kind in ("jacobi", "chebyshev"):
    check_lobpcg("grid, " + kind, a, 4, want=want, precond=kind)
_, _, helped, _ = check_lobpcg("grid, wide, ssor", a, 10, want=want, precond="ssor")
mp.ok(helped.iterations < plain.iterations, f"a preconditioner helps: {helped.iterations} and {plain.iterations} iterations")
for name in ("identity", "zero", "clusters", "ten values"):
    diagonal = diagonals[name]
    a = scipy.sparse.csr_array((diagonal, (np.arange(diagonal.size),) * 2), (diagonal.size,) * 2)
    check_lobpcg(name, a, 5, want=np.sort(diagonal))
    check_lobpcg(name, a, 5, smallest=False, want=np.sort(diagonal))
a = grid(14, 9)[0]
b = scipy.sparse.csr_array(scipy.sparse.diags_array([np.full(125, 0.2), np.arange(1.0, 127) / 60 + 0.5, np.full(125, 0.2)],
                                                    offsets=[-1, 0, 1]))
check_lobpcg("with B, largest", a, 4, smallest=False, b=b)
check_lobpcg("with B and a preconditioner", a, 4, b=b, precond="ssor")
check_lobpcg("complex, with B", (hermitian(60, "complex128") + 20 * scipy.sparse.eye_array(60)).tocsr(), 3,
             b=scipy.sparse.csr_array(np.diag(np.arange(1.0, 61)).astype("complex128")))

# ---- lobpcg: options and information ----
a, want = grid(20, 15)
seen = []
x = start(300, 3)
values, result = lobpcg(op, x, smallest=True, progress=lambda i, v, r: seen.append(i) or i == 5)
mp.ok(result.reason == "STOPPED" and seen == [1, 2, 3, 4, 5] and result.iterations == 5, "lobpcg: progress is told, and can stop it")
values, result = lobpcg(op, x, smallest=True, maxiter=4)
residuals = np.linalg.norm(a @ x.numpy() - x.numpy() * values, axis=0)
mp.ok(result.reason == "MAXITER" and result.iterations == 4 and np.allclose(residuals, result.residuals, rtol=1e-6),
      "lobpcg: a limit of iterations")
values, result = lobpcg(op, x, smallest=True)
mp.ok(result.reason == "CONVERGED" and np.allclose(values, want[:3], rtol=1e-9), "lobpcg: it goes on from what it has come to")
again, result = lobpcg(op, x, smallest=True)
mp.ok(result.reason == "CONVERGED" and result.iterations == 0 and np.allclose(again, values), "lobpcg: and there is nothing left")
near = x.numpy() + 1e-3 * np.random.default_rng(3).standard_normal((300, 3))  # SciPy's does not converge from every start
theirs, _ = scipy.sparse.linalg.lobpcg(a, near, tol=1e-7, maxiter=400)
x = start(300, 3)
values, result = lobpcg(op, x, tol=1e-7)
mp.ok(np.allclose(values, theirs, atol=1e-6) and result.residuals.max() <= 1e-7, "lobpcg: SciPy's")
x = start(300, 3)
values, result = lobpcg(free, x, smallest=True)
judge("lobpcg of a function", a, values, x, result, want[:3], 1e-7)
values, result = lobpcg(operator(wrong), start(300, 2))
mp.ok(result.reason == "BREAKDOWN", "lobpcg: NaN in the matrix")
mp.fails("MNP_ERR_ARG", "linearly independent", lobpcg, op, mp.array(np.ones((300, 2))))
layout = op.kept[0].layout("row_layout")
negative = matrices.sparse(scipy.sparse.csr_array(-scipy.sparse.eye_array(300)), rng, layout, layout)
mp.fails("MNP_ERR_ARG", "B is not positive definite", lobpcg, op, start(300, 2), b=solving.operator(negative))
mp.fails("MNP_ERR_ARG", "x has 6 columns", lobpcg, operator(np.eye(5)), start(5, 6))
mp.fails("MNP_ERR_ARG", "two dimensions", lobpcg, op, mp.array(np.ones(300)))
mp.fails("MNP_ERR_ARG", "x must be a float64 array", lobpcg, op, start(300, 2, "float32"))
mp.fails("MNP_ERR_ARG", "tol is -1", lobpcg, op, start(300, 2), tol=-1)
mp.fails("MNP_ERR_ARG", "B is for vectors of length 4", lobpcg, op, start(300, 2), b=operator(np.eye(4)))
solving.check_reasons("MNP_EIGEN_", REASONS, mp.eigen_reason_text, others=WHICH)
del op, free, negative
matrices.done()
