# SPDX-License-Identifier: BSD-3-Clause
"""What follows from singular values, and expm, beside numpy.linalg and scipy.linalg: lstsq, pinv, matrix_rank, norms,
conditions, orth, null_space, polar; full and deficient ranks, wide and tall, empty, batches, any layouts.
"""

import maniple as mp
import numpy as np
import scipy.linalg as sl
from dense import close

rng = mp.random()


def draw(shape, dtype):
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)


def spread(a):
    return mp.array(a, mp.random_layout(rng, a.shape))


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def matrix(m, n, rank, dtype):
    """Singular values from 2 to 1, and zeros: all bounds are multiples of eps."""
    u, v = np.linalg.qr(draw((m, m), dtype))[0], np.linalg.qr(draw((n, n), dtype))[0]
    return ((u[:, :rank] * np.linspace(2, 1, rank)) @ adjoint(v[:, :rank])).astype(dtype)


for dtype in mp.LAPACK_DTYPES:
    eps = np.finfo(dtype).eps
    for m, n, rank in ((9, 4, 4), (4, 9, 4), (7, 7, 7), (12, 6, 3), (5, 11, 2), (700, 12, 12), (700, 12, 7), (1, 1, 1)):
        name, e = f"{dtype} {m} x {n} of rank {rank}", 100 * (m + n) * eps
        a = matrix(m, n, rank, dtype)
        x = spread(a)
        tol = 1e3 * eps  # zeros are a few eps, and what is not is 1 at least
        for shape in ((m,), (m, 3)):
            b = draw(shape, dtype)
            want = np.linalg.lstsq(a, b, rcond=tol)
            got, residuals, found, s = mp.lstsq(x, spread(b), tol)
            close(f"{name}: lstsq of {shape}", got, want[0], e * 10)
            mp.ok(found == rank, f"{name}: the rank is {found}")
            close(f"{name}: residuals", residuals, want[1], e * max(m, 10) * 10)
            close(f"{name}: singular values", s, want[3], e)
        close(f"{name}: pinv", mp.pinv(x, tol), np.linalg.pinv(a, rcond=tol), e)
        mp.ok(int(mp.matrix_rank(x, tol).numpy()) == rank, f"{name}: matrix_rank")
        q = mp.orth(x, tol).numpy()
        mp.ok(q.shape == (m, rank), f"{name}: orth has {q.shape[1]} columns")
        close(f"{name}: orth is orthonormal", adjoint(q) @ q, np.eye(rank), e)
        close(f"{name}: orth spans the range", q @ (adjoint(q) @ a), a, e)
        z = mp.null_space(x, tol).numpy()
        mp.ok(z.shape == (n, n - rank), f"{name}: null_space has {z.shape[1]} columns")
        close(f"{name}: null_space is orthonormal", adjoint(z) @ z, np.eye(n - rank), e)
        close(f"{name}: null_space is made 0", a @ z, np.zeros((m, n - rank)), e)
        for left in (False, True):
            u, p = (r.numpy() for r in mp.polar(x, left))
            close(f"{name}: polar, left={left}", p @ u if left else u @ p, a, e)
            close(f"{name}: polar, Hermitian", p, adjoint(p), e)
            mp.ok(np.linalg.eigvalsh(p).min() > -e, f"{name}: polar, not negative")
            want_u, want_p = sl.polar(a, "left" if left else "right")
            close(f"{name}: polar, p as SciPy's", p, want_p, e)
        for ord in (None, "fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf"):
            as_numpy = ord if ord in (None, "fro", "nuc") else float(ord)
            close(f"{name}: norm {ord}", mp.matrix_norm(x, ord, False), np.linalg.norm(a, as_numpy), e * (m + n))
        if rank == min(m, n):
            for ord in (None, "2", "-2") + (("1", "-1", "fro", "nuc", "inf") if m == n else ()):
                as_numpy = ord if ord in (None, "fro", "nuc") else float(ord)
                close(f"{name}: cond {ord}", mp.cond(x, ord), np.linalg.cond(a, as_numpy), e * 100)
    batch = np.stack([matrix(6, 4, k, dtype) for k in (0, 1, 4)])
    x = spread(batch)
    e = 2000 * eps
    close(f"{dtype}: pinv of a batch", mp.pinv(x, 1e3 * eps), np.linalg.pinv(batch, rcond=1e3 * eps), e)
    mp.check(f"{dtype}: ranks of a batch", mp.matrix_rank(x, -1), np.array([0, 1, 4]))
    close(f"{dtype}: norms of a batch, kept", mp.matrix_norm(x, "nuc", True),
          np.linalg.norm(batch, "nuc", (-2, -1), keepdims=True), e)
    for n, scale in ((1, 1), (5, 0.1), (20, 1), (20, 10), (300, 0.05)):
        a = (draw((n, n), dtype) * scale).astype(dtype)
        want = sl.expm(a.astype("complex128" if dtype.startswith("c") else "float64"))
        # squaring takes the error along: the condition of the exponential is at most about the norm, for such matrices
        bound = 50 * n * eps * max(1, np.linalg.norm(a, 1)) * np.linalg.norm(want)
        close(f"{dtype}: expm {n}, of norm about {scale * np.sqrt(n):.1f}", mp.expm(spread(a)), want, bound * 4)

# the defaults are NumPy's and SciPy's, on matrices whose rank nobody doubts
a = matrix(30, 20, 11, "float64")
mp.ok(int(mp.matrix_rank(spread(a), -1).numpy()) == 11, "the default bound of matrix_rank")
mp.ok(mp.lstsq(spread(a), spread(a[:, 0]), -1)[2] == 11, "the default bound of lstsq")
mp.ok(mp.null_space(spread(a), -1).shape == (20, 9) and mp.orth(spread(a), -1).shape == (30, 11), "of the bases")
close("Hilbert: the condition", mp.cond(spread(sl.hilbert(4)), None), np.linalg.cond(sl.hilbert(4)), 1e-6)
mp.ok(np.isinf(mp.cond(spread(np.eye(3, k=1)), "1").numpy()), "the condition of a singular matrix")
rotation = np.array([[0, -1.5], [1.5, 0]])
close("expm of a rotation", mp.expm(spread(rotation)), [[np.cos(1.5), -np.sin(1.5)], [np.sin(1.5), np.cos(1.5)]], 1e-14)
nilpotent = np.eye(5, k=1) * 100
close("expm of a nilpotent matrix", mp.expm(spread(nilpotent)), sl.expm(nilpotent), 1e-6)
close("expm of a batch of integers", mp.expm(mp.array(np.array([[[0, 1], [0, 0]], [[1, 0], [0, 2]]]))),
      [[[1, 1], [0, 1]], [[np.e, 0], [0, np.e**2]]], 1e-13)
for shape in ((0, 3), (3, 0), (0, 0)):
    a = np.zeros(shape)
    close(f"pinv of {shape}", mp.pinv(mp.array(a), -1), np.zeros(shape[::-1]), 0)
    mp.ok(mp.lstsq(mp.array(a), mp.array(np.ones(shape[0])), -1)[0].shape == (shape[1],), f"lstsq of {shape}")
    mp.ok(mp.null_space(mp.array(a), -1).shape == (shape[1], shape[1]), f"null_space of {shape}")
mp.ok(mp.expm(mp.array(np.zeros((0, 0)))).shape == (0, 0), "expm of no rows")

# conditions of zeros, and what is singular or has NaN, as in NumPy 2; "nuc" of zeros is an error of NumPy's
for dtype in ("float32", "complex128"):
    for ord in (None, "2", "-2", "1", "-1", "inf", "-inf", "fro", "nuc"):
        as_numpy = ord if ord in (None, "fro", "nuc") else float(ord)
        for n in (1, 3):
            want = np.inf if ord == "nuc" else np.real(np.linalg.cond(np.zeros((n, n), dtype), as_numpy))
            got = mp.cond(spread(np.zeros((n, n), dtype)), ord).numpy()
            mp.ok(got == want, f"{dtype}: cond {ord} of {n} x {n} zeros: {got} is {want}")
        mp.ok(mp.cond(spread(np.zeros((0, 2, 2), dtype)), ord).shape == (0,), f"{dtype}: cond {ord} of no matrices")
        for shape in ((0, 0), (2, 0, 0)):
            mp.fails("MNP_ERR_ARG", "mnp_cond: an empty matrix", "cond", mp.array(np.zeros(shape, dtype)), ord)
batch = np.stack([np.zeros((2, 3)), np.eye(2, 3)])
for ord in ("2", "-2"):
    mp.check(f"cond {ord} of a batch with zeros", mp.cond(spread(batch), ord), np.linalg.cond(batch, float(ord)))
mp.check("cond of integers", mp.cond(spread(np.zeros((2, 2), "int32")), "1"), np.float64(np.inf))
if mp.ctx_device_kind() == "host":
    mp.ok(np.isnan(mp.cond(spread(np.array([[np.nan, 1], [1, 2]])), "1").numpy()), "cond of NaN is NaN")

# both arrays count for the dtype, and the default bound follows from it
for types in (("float32", "float64"), ("float64", "float32"), ("float32", "complex64"), ("int32", "float32"),
              ("complex64", "float64")):
    for m in (4, 30):
        a, b = rng.integers(-9, 9, (m, 4)) + 40 * np.eye(m, 4), rng.integers(-9, 9, (m, 2))
        a, b = a.astype(types[0]), b.astype(types[1])
        want = np.linalg.lstsq(a, b, rcond=None)
        got = mp.lstsq(spread(a), spread(b), -1)
        eps = np.finfo(want[3].dtype).eps
        types_of = [str(r.numpy().dtype) for r in (got[0], got[1], got[3])]
        wanted = [str(want[i].dtype) for i in (0, 1, 3)]
        mp.ok(types_of == wanted and got[2] == want[2],
              f"lstsq of {types}, {m} rows: dtypes {types_of} are {wanted}, rank {got[2]} is {want[2]}")
        close(f"lstsq of {types}, {m} rows: x", got[0], want[0],
              1e3 * eps * np.linalg.cond(a.astype("complex128")) ** 2 * np.linalg.norm(b))
        close(f"lstsq of {types}, {m} rows: values", got[3], want[3], 100 * m * eps * want[3][0])

# given outputs are checked before the work, and none of them is written if one of them is wrong
def untouched(words, function, *arguments, out):
    given = [mp.array(np.full(o[1], 7, o[0])) if o else None for o in out]
    mp.fails("MNP_ERR_ARG", words, function, *arguments, out=tuple(given) if len(given) > 1 else given[0])
    mp.ok(all((g.numpy() == 7).all() for g in given if g), f"{function}: nothing is written")


x = spread(matrix(6, 4, 4, "float64"))
b = spread(draw((6, 3), "float64"))
D, Z = "float64", "complex128"
for out, words in ((((D, [4, 2]), None, None), "'x' has the shape (4, 2)"),
                   ((("int64", [4, 3]), None, None), "'x' is int64"),
                   (((D, [4, 3]), (D, [2]), None), "'residuals' has the shape (2,)"),
                   (((D, [4, 3]), (D, [3]), (D, [5])), "'s' has the shape (5,), and the result's is (4,)"),
                   (((D, [4, 3]), (D, [0]), None), "'residuals' has the shape (0,), and the result's is (3,)"),
                   (((D, [4, 3]), ("int32", [3]), None), "'residuals' is int32")):
    untouched(words, "lstsq", x, b, -1, out=(out[0], out[1], out[2]))
for out, words in ((((D, [6, 4]), (D, [6, 6])), "mnp_polar: the output 'p' has the shape (6, 6)"),
                   (((D, [4, 6]), (D, [4, 4])), "'u' has the shape"),
                   (((D, [6, 4]), ("int64", [4, 4])), "'p' is int64")):
    untouched(words, "polar", x, False, out=out)
untouched("mnp_expm: the output has the shape (2, 3)", "expm", spread(np.eye(3)), out=((D, [2, 3]),))
untouched("mnp_expm: the output is float64", "expm", spread(np.eye(3, dtype=Z)), out=((D, [3, 3]),))
untouched("mnp_pinv: the output has the shape (6, 4)", "pinv", x, -1, out=((D, [6, 4]),))
untouched("mnp_cond: the output has the shape (1,)", "cond", x, None, out=((D, [1]),))
untouched("mnp_matrix_rank: the output has the shape (4,)", "matrix_rank", x, -1, out=(("int64", [4]),))
untouched("mnp_matrix_norm: the output has the shape (1,)", "matrix_norm", x, "nuc", False, out=((D, [1]),))
untouched("mnp_linalg_solve: the output has the shape (3, 1)", "linalg_solve", spread(np.eye(3)), spread(np.ones(3)), 0,
          out=((D, [3, 1]),))
untouched("'v' has the shape (2, 3)", "eigh", spread(np.eye(3)), False, out=((D, [3]), (D, [2, 3])))
for m, n in ((6, 4), (600, 4)):  # by reflectors, and the way of tall matrices
    x = spread(matrix(m, 4, 4, "float64") if m < 9 else draw((m, 4), "float64"))
    untouched("'r' has the shape (4, 5)", "qr", x, None, out=((D, [m, 4]), (D, [4, 5])))
    untouched("'q' has the shape", "qr", x, None, out=((D, [m, 5]), (D, [4, 4])))
    untouched("'r' is int64", "qr", x, None, out=((D, [m, 4]), ("int64", [4, 4])))
    untouched("'vh' has the shape (4,)", "svd", x, False, out=((D, [m, 4]), (D, [4]), (D, [4])))
    untouched("'u' has the shape", "svd", x, False, out=((D, [4, m]), (D, [4]), (D, [4, 4])))
    untouched("has the shape (5,)", "svdvals", x, out=((D, [5]),))

# messages begin with the function that was called
nan, one = spread(np.full((3, 3), np.nan)), spread(np.ones((3, 3)))
for function, arguments in (("pinv", (-1,)), ("matrix_norm", ("nuc", False)), ("cond", (None,)), ("orth", (-1,)),
                            ("null_space", (-1,)), ("polar", (False,)), ("matrix_rank", (-1,))):
    mp.fails("MNP_ERR_LINALG", f"mnp_{function}: the matrix has singular values", function, nan, *arguments)
mp.fails("MNP_ERR_LINALG", "mnp_cond: matrix 0 of the batch is singular", "cond", spread(np.zeros((1, 2, 2))), "1")
mp.fails("MNP_ERR_ARG", "mnp_matrix_norm: there is no norm", "matrix_norm", one, "3", False)
mp.fails("MNP_ERR_ARG", "mnp_cond: there is no norm", "cond", one, "3")

mp.fails("MNP_ERR_ARG", "b has 3 rows, and a has 4", "lstsq", spread(np.ones((4, 2))), spread(np.ones(3)), -1)
mp.fails("MNP_ERR_ARG", "is not one matrix", "null_space", spread(np.ones((2, 2, 2))), -1)
mp.fails("MNP_ERR_ARG", "not square", "expm", spread(np.ones((2, 3))))
mp.fails("MNP_ERR_ARG", "not square", "cond", spread(np.ones((2, 3))), "1")
mp.fails("MNP_ERR_ARG", "'most'", "matrix_norm", spread(np.ones((2, 3))), "most", False)
mp.fails("MNP_ERR_ARG", "no norm of matrices of order '3'", "matrix_norm", spread(np.ones((2, 3))), "3", False)
mp.fails("MNP_ERR_LINALG", "did not converge", "pinv", spread(np.full((3, 3), np.nan)), -1)
mp.done()
