# SPDX-License-Identifier: BSD-3-Clause
"""Products with one and several vectors, in all formats, compared with SciPy's."""

import matrices
import maniple as mp
import numpy as np

rng = mp.random()
SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 2), (5, 3), (3, 17), (40, 40), (97, 64), (64, 97), (200, 200)]


def vectors(n, width, dtype):
    shape = (n,) if width is None else (n, width)
    return matrices.numbers(rng, int(np.prod(shape)), dtype).reshape(shape)


def one(shape, dtype, fmt, width, x_dtype, random=True):
    a = matrices.random_matrix(rng, *shape, dtype) if random else matrices.laplacian(*shape, dtype)
    a.sum_duplicates()
    rows = matrices.cut(rng, a.shape[0])
    columns = matrices.cut(rng, a.shape[1])
    made = matrices.sparse(a, rng, rows, columns)
    if fmt != "CSR":
        made = matrices.Sparse(mp.sparse_convert(made, getattr(mp, "MNP_" + fmt), 0))
    name = f"{a.shape} {dtype} {fmt} by {x_dtype} width {width}"
    x = vectors(a.shape[1], width, x_dtype)
    matrices.close(f"{name}: A @ x", mp.sparse_matmul(made, mp.array(x, mp.random_layout(rng, x.shape))), a @ x, 50)
    z = vectors(a.shape[0], width, x_dtype)
    for conjugate in (False, True):
        right = (a.conj().T if conjugate else a.T) @ z
        matrices.close(f"{name}: A{'.conj()' if conjugate else ''}.T @ x", mp.sparse_matmul_transposed(
            made, conjugate, mp.array(z, mp.random_layout(rng, z.shape))), right, 50)


for shape in SHAPES:
    for fmt in matrices.FORMATS:
        dtype, x_dtype = (matrices.DTYPES[i] for i in rng.integers(0, len(matrices.DTYPES), 2))
        one(shape, dtype, fmt, [None, 1, 3, 8, 11, 0][int(rng.integers(6))], x_dtype)
for fmt in matrices.FORMATS:
    for dtype in matrices.DTYPES:
        one((13, 9), dtype, fmt, None, dtype, False)

a = matrices.random_matrix(rng, 30, 20, "float32")
made = matrices.sparse(a, rng)
x = np.arange(20)
matrices.close("integers are promoted", mp.sparse_matmul(made, mp.array(x)), a @ x, 50)
out = mp.array(np.zeros(30, "float32"), mp.random_layout(rng, (30,)))
y = vectors(20, None, "float32")
mp.sparse_matmul(made, mp.array(y), out=out)
matrices.close("into an array that is given", out, a @ y, 50)
for width in (1, 2, 3, 4, 5, 6, 1, 5, 6, 2): # more kinds of vectors than buffers are cached for
    y = vectors(20, width, "float32")
    matrices.close(f"{width} vectors, in turn with others", mp.sparse_matmul(made, mp.array(y)), a @ y, 50)
square = matrices.random_matrix(rng, 25, 25, "float64")
y = vectors(25, None, "float64")
inout = mp.array(y)
mp.sparse_matmul(matrices.sparse(square, rng), inout, out=inout)
matrices.close("into x itself", inout, square @ y, 50)
infinite = matrices.laplacian(6, 7)
y = np.full(42, np.inf)
for fmt in ("CSR", "SELL", "COO", "CSC"):
    made = matrices.sparse(infinite, rng)
    made = matrices.Sparse(mp.sparse_convert(made, getattr(mp, "MNP_" + fmt), 0))
    y = np.ones(42)
    y[0] = np.inf
    mp.check(f"{fmt}: infinity comes to those rows alone that have it", mp.sparse_matmul(made, mp.array(y)),
             infinite @ y)

mp.fails("MNP_ERR_ARG", "of extent 20", mp.sparse_matmul, matrices.sparse(a, rng), mp.array(np.ones(21)))
mp.fails("MNP_ERR_ARG", "of extent 30", mp.sparse_matmul_transposed, matrices.sparse(a, rng), False,
         mp.array(np.ones(20)))
mp.fails("MNP_ERR_ARG", "3 dimensions", mp.sparse_matmul, matrices.sparse(a, rng), mp.array(np.ones((20, 2, 2))))
matrices.done()
