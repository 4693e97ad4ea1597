# SPDX-License-Identifier: BSD-3-Clause
"""Matrices generated from a text, compared with sums of Kronecker products and with elements assembled in Python."""

import ctypes

import binding
import matrices
import maniple as mp
import numpy as np
import scipy.sparse


def line(n, below, diagonal, above):
    return scipy.sparse.diags_array([below * np.ones(n - 1), diagonal * np.ones(n), above * np.ones(n - 1)],
                                    offsets=[-1, 0, 1], shape=(n, n))


def grid(shape, peclet=None):
    """The sum over all dimensions of a one-dimensional matrix, as Kronecker products with identities."""
    total = scipy.sparse.csr_array((int(np.prod(shape)),) * 2)
    for d, n in enumerate(shape):
        p = peclet[d] if peclet else 0
        here = line(n, -1 - max(p, 0), 2 + abs(p), -1 - max(-p, 0))
        before, after = int(np.prod(shape[:d])), int(np.prod(shape[d + 1:]))
        total = total + scipy.sparse.kron(scipy.sparse.kron(scipy.sparse.eye_array(before), here),
                                          scipy.sparse.eye_array(after))
    return scipy.sparse.csr_array(total)


def hpcg(shape):
    ones = scipy.sparse.eye_array(1)
    for n in shape:
        ones = scipy.sparse.kron(ones, line(n, 1, 1, 1))
    return scipy.sparse.csr_array(27 * scipy.sparse.eye_array(int(np.prod(shape))) - ones)


def stiffness(nu):
    """An element's stiffness matrix: O. Sigmund, "A 99 line topology optimization code written in Matlab", 2001."""
    k = [1 / 2 - nu / 6, 1 / 8 + nu / 8, -1 / 4 - nu / 12, -1 / 8 + 3 * nu / 8, -1 / 4 + nu / 12, -1 / 8 - nu / 8,
         nu / 6, 1 / 8 - 3 * nu / 8]
    order = ["01234567", "10765432", "27056341", "36507214", "45670123", "54321076", "63412705", "72143650"]
    return np.array([[k[int(c)] for c in row] for row in order]) / (1 - nu * nu)


def elasticity(nx, ny, nu):
    element, total = stiffness(nu), np.zeros((2 * (nx + 1) * (ny + 1),) * 2)
    pattern = np.zeros_like(total, bool)
    for i in range(nx):
        for j in range(ny):
            nodes = [i * (ny + 1) + j, (i + 1) * (ny + 1) + j, (i + 1) * (ny + 1) + j + 1, i * (ny + 1) + j + 1]
            where = np.array([[2 * n, 2 * n + 1] for n in nodes]).ravel()
            total[np.ix_(where, where)] += element
            pattern[np.ix_(where, where)] = True
    free = 2 * (ny + 1)
    return total[free:, free:], pattern[free:, free:]


def make(text, dtype=None):
    return matrices.Sparse(mp.sparse_generate(text, dtype))


for text, shape in (("1", (1,)), ("9", (9,)), ("5x4", (5, 4)), ("1x6", (1, 6)), ("3x4x5", (3, 4, 5)),
                    ("2x2x2", (2, 2, 2))):
    matrices.check("poisson:" + text, make("poisson:" + text), grid(shape))
    matrices.check("convdiff:" + text, make("convdiff:" + text), grid(shape, [1] * len(shape)))
    matrices.check(f"convdiff:{text}@-2.5", make(f"convdiff:{text}@-2.5"), grid(shape, [-2.5] * len(shape)))
    if len(shape) == 3:
        matrices.check("hpcg:" + text, make("hpcg:" + text), hpcg(shape))
matrices.check("hpcg:1x1x3", make("hpcg:1x1x3"), hpcg((1, 1, 3)))
matrices.check("convdiff of three numbers", make("convdiff:3x4x2@0.5x-1x20"), grid((3, 4, 2), [0.5, -1, 20]))
matrices.check("convdiff of numbers, not hexadecimal", make("convdiff:3x4x2@0x1x20"), grid((3, 4, 2), [0, 1, 20]))
for dtype in matrices.DTYPES:
    matrices.check("poisson " + dtype, make("poisson:6x3", dtype), grid((6, 3)).astype(dtype))


class Symmetry(ctypes.Structure):
    _fields_ = [("pattern", ctypes.c_bool), ("symmetric", ctypes.c_double), ("skew_symmetric", ctypes.c_double),
                ("hermitian", ctypes.c_double)]


def symmetry(made):
    found = Symmetry()
    mp.sparse_find_symmetry(made, symmetry_p=found)
    return found.pattern, found.symmetric, found.skew_symmetric, found.hermitian


for nx, ny, nu in ((1, 1, 0.3), (3, 2, 0.3), (2, 5, 0.0), (4, 4, -0.5), (7, 1, 0.45)):
    text = f"elasticity:{nx}x{ny}" + (f"@{nu}" if nu != 0.3 else "")
    made, (want, pattern) = make(text), elasticity(nx, ny, nu)
    box, = made.layout("row_layout").box(mp.rank)
    local = made.local()
    mp.ok(made.shape == want.shape and np.allclose(local.toarray(), want[box], rtol=0, atol=1e-14),
          text + " is as assembled")
    stored = scipy.sparse.csr_array((np.ones(local.nnz), local.indices, local.indptr), local.shape).toarray() > 0
    mp.ok(np.array_equal(stored, pattern[box]), text + " has entries where elements have")
    mp.ok(symmetry(made)[:2] == (True, 0), text + " is symmetric to the last bit")

rng = mp.random()
for n in (0, 1, 30):
    for dtype in matrices.DTYPES:
        a = matrices.random_matrix(rng, n, n, dtype)
        rows, columns = matrices.cut(rng, n), matrices.cut(rng, n)
        for b in (a, a + a.T, a - a.T, a + a.conj().T):
            b = scipy.sparse.csr_array(b)
            full = b.toarray().astype(complex)
            stored = scipy.sparse.csr_array((np.ones(b.nnz), b.indices, b.indptr), b.shape)
            want = [np.abs(full - other).max(initial=0) for other in (full.T, -full.T, full.conj().T)]
            found = symmetry(matrices.sparse(b, rng, rows, columns))
            mp.ok(found[0] == ((stored != stored.T).nnz == 0) and np.allclose(found[1:], want, rtol=1e-12, atol=0),
                  f"how symmetric a {dtype} matrix of {n} is: {found} and {want}")


class Traits(ctypes.Structure):
    _fields_ = [("fingerprint", ctypes.c_uint64), ("hermitian", ctypes.c_bool), ("positive_diagonal", ctypes.c_bool),
                ("full_diagonal", ctypes.c_bool)]


def traits(made):
    found = Traits()
    mp.sparse_find_traits(made, traits_p=found)
    return found.fingerprint, (found.hermitian, found.positive_diagonal, found.full_diagonal)


def traits_of(a):
    """The same from SciPy's matrix."""
    diagonal = a.diagonal()
    return (a.shape[0] == a.shape[1] and (a != a.conj().T).nnz == 0,
            bool(np.all((diagonal.real > 0) & (diagonal.imag == 0))), bool(np.all(diagonal != 0)))


def traits_text(a):
    hermitian, positive, full = traits_of(a)
    name = "Hermitian" if a.dtype.kind == "c" else "symmetric"
    if a.shape[0] != a.shape[1]:
        return "not square"
    if hermitian:
        return name + (" with a positive diagonal" if positive else ", but not positive definite")
    return "not " + name + ("" if full else ", with zeros on the diagonal")


binding._lib.mnp_sparse_traits_text.restype = ctypes.c_char_p
for n in (0, 1, 2, 40):
    for dtype in matrices.DTYPES:
        a = matrices.random_matrix(rng, n, n, dtype)
        eye = scipy.sparse.eye_array(n, dtype=dtype)
        one = scipy.sparse.coo_array((np.ones(min(n, 1)), ([n // 2] * min(n, 1), [0] * min(n, 1))), (n, n))
        seen = {}
        for b in (a, a + a.T, a - a.T, a + a.conj().T, a + a.conj().T + 99 * eye, a + a.conj().T + 99 * eye + one.astype(dtype),
                  a + 99 * eye, eye, -eye, 1j * eye if eye.dtype.kind == "c" else 2 * eye,
                  matrices.random_matrix(rng, n, n + 1, dtype)):
            b = scipy.sparse.csr_array(b.astype(dtype))
            b.sum_duplicates()
            one_way, other = (matrices.sparse(b, rng, *(matrices.cut(rng, k) for k in b.shape)) for _ in range(2))
            sell = matrices.Sparse(mp.sparse_convert(other, mp.MNP_SELL, 0))
            fingerprint, found = traits(one_way)
            told = Traits(fingerprint, *found)
            text = binding._lib.mnp_sparse_traits_text(one_way, ctypes.byref(told)).decode()
            mp.ok(found == traits_of(b) and text == traits_text(b), f"traits of a {dtype} matrix {b.shape}: {found}, {text}")
            mp.ok(traits(other)[0] == traits(sell)[0] == fingerprint, "the fingerprint is the same in another layout and format")
            key = (b.shape, b.indptr.tobytes(), b.indices.tobytes(), b.data.tobytes())
            seen.setdefault(fingerprint, key)
            mp.ok(seen[fingerprint] == key, "and of this matrix alone")
        if n > 1 and (a != a.T).nnz > 0:
            changed = a.tocsr().copy()
            changed.data[-1:] *= 1 + 2 * np.finfo(changed.dtype).eps
            mp.ok(len({traits(matrices.sparse(m, rng))[0] for m in (a, changed, a.T)}) == 3,
                  f"a value's last bit and the place of entries count, {dtype}, {n}")

mp.ok(symmetry(matrices.sparse(scipy.sparse.csr_array([[0, np.nan], [1, 0]]), rng))[1] == np.inf,
      "NaN is not symmetric")
mp.fails("MNP_ERR_ARG", "not square", symmetry, matrices.sparse(scipy.sparse.csr_array([[1., 0]]), rng))

for text in ("", "poisson", "poisson:", "poisson:4x", "poisson:x4", "poisson:4x4x4x4", "poisson:4@1", "poisson:4x4 ",
             "poisson:-4", "hpcg:4x4", "convdiff:4@", "convdiff:4x4@1x2x3", "convdiff:4@nan", "convdiff:4@1e",
             "elasticity:4", "elasticity:4x4x4", "laplace:4"):
    mp.fails("MNP_ERR_ARG", f"'{text}'", mp.sparse_generate, text, None)
for text, words in (("poisson:0", "must be at least 1"), ("poisson:4294967296x4294967296", "below 2^63"),
                    ("poisson:99999999999999999999", "below 2^63"), ("convdiff:2x2x2@1x2", "one for each"),
                    ("elasticity:2x2@0.5", "Poisson's ratio"), ("elasticity:2x2@0.1x0.2", "Poisson's ratio"),
                    ("elasticity:3000000000x3000000000", "can be counted")):
    mp.fails("MNP_ERR_ARG", words, mp.sparse_generate, text, None)
mp.fails("MNP_ERR_ARG", "int64", mp.sparse_generate, "poisson:4", "int64")
mp.ok(mp.sparse_is_generator("poisson:4") and not mp.sparse_is_generator("poisson.mtx")
      and not mp.sparse_is_generator("a.h5:/b"), "what is a generator")
matrices.done()
