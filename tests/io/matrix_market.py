# SPDX-License-Identifier: BSD-3-Clause
"""Matrix Market files: what is read is what SciPy and Python's float() read, on any number of ranks; what is written
reads back bit for bit; what is malformed is said in one sentence on all ranks, with the number of its line."""

import io
import math
import os

import matrices
import maniple as mp
import numpy as np
import scipy.io
import scipy.sparse

rng = mp.random()
path = mp.scratch("a.mtx")
folder = os.path.dirname(path)


def put(content):
    """The file's contents, from rank 0."""
    if mp.rank == 0:
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    mp.agree(None)


def read(content, dtype=None):
    put(content)
    return matrices.Sparse(mp.mm_read(path, dtype))


def same(name, got, want):
    """A point: equal but for signs of zero.  No file has entries twice whose sums round."""
    matrices.check(name, got, want, ulp=1e-6)


def scipy_file(a, symmetry="general"):
    """What SciPy writes, with all digits: by itself it writes 16, and 17 tell all numbers apart."""
    text = io.BytesIO()
    scipy.io.mmwrite(text, a, symmetry=symmetry, precision=17)
    return text.getvalue()


HEAD = "%%MatrixMarket matrix coordinate {} {}\n"
REAL = HEAD.format("real", "general")

# ---- coordinate files, written by SciPy ----

for shape in [(0, 0), (1, 1), (0, 4), (4, 0), (3, 2), (40, 30), (31, 31), (200, 7)]:
    for dtype in ("float64", "complex128"):
        a = matrices.random_matrix(rng, *shape, dtype)
        # SciPy takes a matrix without entries for a real one
        same(f"{shape} {dtype}", read(scipy_file(a), dtype), a)
for dtype in ("float64", "complex128"):
    a = matrices.random_matrix(rng, 33, 33, dtype)
    for name, whole in (("symmetric", a + a.T), ("skew-symmetric", a - a.T), ("hermitian", a + a.conj().T)):
        whole = scipy.sparse.csr_array(whole)
        whole.eliminate_zeros()
        if name == "hermitian" and dtype == "float64":
            continue
        text = scipy_file(whole, name)
        same(f"{name} {dtype}", read(text), whole)
        if dtype == "complex128":
            continue
        same(f"{name} as float32", read(text, "float32"), whole.astype("float32"))
        same(f"{name} as complex64", read(text, "complex64"), whole.astype("complex64"))
a = scipy.sparse.csr_array(matrices.random_matrix(rng, 20, 20, "complex128"))
same("hermitian as complex64", read(scipy_file(a + a.conj().T, "hermitian"), "complex64"),
     (a + a.conj().T).astype("complex64"))

# ---- how a file may be written ----

dense = np.array([[1.5, 0, 2], [0, 0, -300]])
want = scipy.sparse.csr_array(dense)
plain = REAL + "2 3 3\n1 1 1.5\n1 3 2\n2 3 -300\n"
for name, text in (
        ("as it should be", plain),
        ("capitals", plain.replace("matrix coordinate real general", "MATRIX Coordinate REAL General")),
        ("no end of line", plain[:-1]),
        ("CRLF", plain.replace("\n", "\r\n")),
        ("spaces and tabs", plain.replace(" ", " \t ").replace("\n", "  \n").replace("\n1", "\n \t1")),
        ("comments and blank lines", plain.replace("\n2 3 3", "\n%\n\n  % more\n%%\n2 3 3\n\n% here\n").replace(
            "\n2 3 -", "\n\n2 3 -") + "\n\n% end"),
        ("Fortran's exponents", plain.replace("-300", "-3.0D+02").replace("1.5", "15d-1")),
        ("signs", plain.replace("\n1 1 1.5", "\n+1 +1 +1.5")),
        ("numbers without digits on a side",
         plain.replace(" 2\n", " 2.\n").replace("1.5", "1.5e0").replace("-300", "-.3e3")),
        ("behind a number", plain.replace("1.5", "1.5 % a comment")),
        ("double", plain.replace("real", "double")),
        ("duplicates", plain.replace("2 3 3", "2 3 4").replace("1 1 1.5", "1 1 1\n1 1 .5")),
        ("integers", plain.replace("real", "integer").replace("1 1 1.5\n", "").replace("2 3 3", "2 3 2"))):
    same(name, read(text), want if name != "integers" else scipy.sparse.csr_array([[0, 0, 2.], [0, 0, -300]]))
same("a pattern", read(HEAD.format("pattern", "symmetric") + "3 3 3\n1 1\n3 1\n3 2\n"),
     np.array([[1., 0, 1], [0, 0, 1], [1, 1, 0]]))
same("a triangle above the diagonal is mirrored, as in SciPy",
     read(HEAD.format("real", "symmetric") + "2 2 2\n1 2 5\n2 2 1\n"), np.array([[0., 5], [5, 1]]))
same("both triangles count twice, as in SciPy",
     read(HEAD.format("real", "symmetric") + "2 2 2\n1 2 5\n2 1 5\n"), np.array([[0., 10], [10, 0]]))
same("a zero on the diagonal of a skew-symmetric matrix",
     read(HEAD.format("real", "skew-symmetric") + "2 2 2\n1 1 0\n2 1 5\n"), scipy.sparse.coo_array(
         ([0., 5, -5], ([0, 1, 0], [0, 0, 1])), (2, 2)))
same("explicit zeros stay", read(REAL + "2 2 1\n2 1 0\n"),
     scipy.sparse.coo_array(([0.], ([1], [0])), (2, 2)))
comments = "%" + "x" * 70 + "\n" * 1000 + "%" + "y" * 300000
same("long comments", read(plain.replace("\n2 3 3", "\n" + comments + "\n2 3 3")), want)


def head_of(size):
    """The file with a comment that makes its head, up to the sizes, so many bytes long."""
    comment = "\n%" + "z" * (size - plain.index("\n1 1 ") - len("\n%\n")) + "\n2 3 3"
    return plain.replace("\n2 3 3", comment, 1)


same("the longest head", read(head_of(16 << 20)), want)
mp.fails("MNP_ERR_FORMAT", "a.mtx, line 3: the sizes are not within the first 16 MiB", read, head_of((16 << 20) + 1))
mp.fails("MNP_ERR_FORMAT", "a.mtx, line 2: the sizes are not within the first 16 MiB", read, REAL + "%" + "z" * (17 << 20))

# ---- numbers ----

words = [f"{x:.17g}" for x in rng.standard_normal(400)] + [repr(float(x)) for x in 10.0 ** rng.uniform(-320, 308, 400)]
words += [f"{rng.integers(0, 10 ** 18)}.{rng.integers(0, 10 ** 18)}e{rng.integers(-40, 41)}" for _ in range(400)]
words += [f"{2 * rng.integers(2 ** 52, 2 ** 53) + 1}" for _ in range(100)]  # half way between two
words += [f"{2 * rng.integers(2 ** 52, 2 ** 53) + 1}.{'0' * 30}1" for _ in range(50)]
words += [f"{rng.integers(1, 2 ** 63 - 1)}e{rng.integers(-30, 31)}" for _ in range(400)]
words += ["4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308", "-0", "0e999",
          "1e-999", "00000000000000000000000000001", "0.000000000000000000000000000000000000001", "9007199254740993",
          "1" + "0" * 300]
lines = "".join(f"{i + 1} 1 {word}\n" for i, word in enumerate(words))
made = read(REAL + f"{len(words)} 1 {len(words)}\n" + lines)
box, = made.layout("row_layout").box(mp.rank)
got = made.local().data
right = np.array([float(word) for word in words[box.start:box.stop]])
wrong = [word for g, r, word in zip(got, right, words[box.start:box.stop]) if g.tobytes() != r.tobytes()]
mp.ok(not wrong, f"{len(words)} numbers are Python's, bit for bit" + "".join(f", but {word}" for word in wrong[:3]))

# ---- arrays ----


def read_array(content, dtype=None, layout=None):
    put(content)
    return mp.mm_read_array(path, dtype, layout)


for shape in [(1, 1), (5, 3), (3, 5), (40, 1), (1, 7)]:
    for dtype in ("float64", "complex128"):
        b = matrices.numbers(rng, shape[0] * shape[1], dtype).reshape(shape)
        mp.check(f"array {shape} {dtype}", read_array(scipy_file(b)), b)
for shape in [(0, 0), (0, 3), (3, 0)]:  # SciPy writes those for ever
    mp.check(f"array {shape}", read_array("%%MatrixMarket matrix array complex general\n{} {}\n".format(*shape)),
             np.zeros(shape, complex))
b = matrices.numbers(rng, 63, "float64").reshape(9, 7)
text = scipy_file(b)
mp.check("an array in a layout", read_array(text, None, mp.random_layout(rng, (9, 7))), b)
mp.check("an array as complex64", read_array(text, "complex64"), b.astype("complex64"))
for n in (1, 2, 6, 11):
    for dtype in ("float64", "complex128"):
        b = matrices.numbers(rng, n * n, dtype).reshape(n, n)
        for name, whole in (("symmetric", b + b.T), ("skew-symmetric", b - b.T), ("hermitian", b + b.conj().T)):
            if name == "hermitian" and dtype == "float64":
                continue
            # by hand: SciPy before 1.12 also writes a skew-symmetric diagonal
            kind = "complex" if dtype == "complex128" else "real"
            below = [whole[i, j] for j in range(n) for i in range(j + (name == "skew-symmetric"), n)]
            lines = [f"%%MatrixMarket matrix array {kind} {name}", f"{n} {n}"]
            lines += [f"{v.real!r} {v.imag!r}" if kind == "complex" else repr(float(v))
                      for v in map(complex if kind == "complex" else float, below)]
            mp.check(f"{name} array of {n}, {dtype}", read_array("\n".join(lines) + "\n"), whole, ulp=1)

# ---- writing ----

for dtype in matrices.DTYPES:
    for shape in [(0, 0), (1, 3), (40, 30), (2, 100)]:
        a = matrices.random_matrix(rng, *shape, dtype)
        a.data[:] *= np.exp(rng.uniform(-30, 30, len(a.data))).astype(a.data.real.dtype)
        mp.mm_write(matrices.sparse(a, rng, matrices.cut(rng, shape[0]), matrices.cut(rng, shape[1])), path,
                    mp.MNP_MM_GENERAL)
        matrices.check(f"{dtype} {shape} reads back equal", matrices.Sparse(mp.mm_read(path, dtype)), a, ulp=0)
        theirs = scipy.io.mmread(path)
        mp.ok(np.array_equal(theirs.toarray().astype(dtype), a.toarray()), f"{dtype} {shape} is what SciPy reads")
for dtype in ("float64", "complex64"):
    a = matrices.random_matrix(rng, 30, 30, dtype)
    for name, whole in (("SYMMETRIC", a + a.T), ("SKEW_SYMMETRIC", a - a.T), ("HERMITIAN", a + a.conj().T)):
        if name == "HERMITIAN" and dtype == "float64":
            continue
        whole = scipy.sparse.csr_array(whole)
        symmetry = getattr(mp, "MNP_MM_" + name)
        mp.mm_write(matrices.sparse(whole, rng), path, symmetry)
        whole.eliminate_zeros()
        made = matrices.Sparse(mp.sparse_eliminate_zeros(matrices.Sparse(mp.mm_read(path, dtype))))
        matrices.check(f"{name} {dtype} reads back equal but for signs of zero", made, whole, ulp=1e-6)
        mp.ok(np.array_equal(scipy.io.mmread(path).toarray().astype(dtype), whole.toarray()),
              f"{name} {dtype} is SciPy's")
        with open(path) as file:
            triangle = [line.split() for line in file if not line.startswith("%")][1:]
        mp.ok(all(int(row) >= int(column) for row, column, *_ in triangle), f"{name} {dtype} has one triangle")
unsymmetric = matrices.sparse(scipy.sparse.csr_array([[1., 2], [3, 4]]), rng)
mp.fails("MNP_ERR_ARG", "the matrix is not symmetric: entries differ by up to 1", mp.mm_write, unsymmetric, path,
         mp.MNP_MM_SYMMETRIC)
mp.fails("MNP_ERR_ARG", "not as Hermitian", mp.mm_write, unsymmetric, path, mp.MNP_MM_HERMITIAN)
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "no/such", mp.mm_write, unsymmetric, os.path.join(folder, "no/such/a.mtx"),
         mp.MNP_MM_GENERAL)
for dtype, values in (("float64", [[1., -math.inf], [-math.nan, math.inf]]),
                      ("complex64", [[complex(1, math.nan), 0], [complex(-math.inf, 2), complex(math.nan, -math.inf)]])):
    odd = scipy.sparse.csr_array(np.array(values, dtype))
    mp.mm_write(matrices.sparse(odd, rng), path, mp.MNP_MM_GENERAL)
    mp.ok(np.array_equal(scipy.io.mmread(path).toarray().astype(dtype), odd.toarray(), equal_nan=True),
          f"numbers that are not finite: SciPy reads {dtype}")
    matrices.check(f"numbers that are not finite are read as {dtype}", matrices.Sparse(mp.mm_read(path, dtype)), odd)
    with open(path) as file:
        mp.ok("-nan" not in file.read(), "NaN has no sign")
mp.check("all ways to write them", read_array("%%MatrixMarket matrix array real general\n1 6\nnan\n-NaN\n+INF\n-inf\n"
                                              "Infinity\n-iNfInItY\n"),
         np.array([[math.nan, math.nan, math.inf, -math.inf, math.inf, -math.inf]]))
mp.ok(sorted(os.listdir(folder)) == ["a.mtx"], "nothing is left beside the file")

# ---- what is malformed ----

mp.fails("MNP_ERR_FORMAT", "a.mtx, line 1: the file is empty", read, "")
for line, words, text in (
        (1, "begins with the word", "2 2 1\n1 1 1\n"),
        (1, "begins with the word", "%MatrixMarket matrix coordinate real general\n"),
        (1, "begins with the word", "%%MatrixMarketmatrix coordinate real general\n"),
        (1, "gunzip it", b"\x1f\x8b\x08\x00junk\n"),
        (1, "begins with the word", bytes(range(256)) * 100),
        (1, "begins with the word", b"\0" * 100000),
        (1, "'vector' is not supported", "%%MatrixMarket vector coordinate real general\n"),
        (1, "'' is not supported", "%%MatrixMarket\n"),
        (1, "'coord' is not a format", "%%MatrixMarket matrix coord real general\n"),
        (1, "'float' is not a field", "%%MatrixMarket matrix coordinate float general\n"),
        (1, "'' is not a symmetry", "%%MatrixMarket matrix coordinate real\n"),
        (1, "unexpected 'x' after", "%%MatrixMarket matrix coordinate real general x\n"),
        (1, "cannot be a pattern", "%%MatrixMarket matrix array pattern general\n"),
        (1, "cannot be skew-symmetric", HEAD.format("pattern", "skew-symmetric")),
        (1, "must be complex", HEAD.format("real", "hermitian")),
        (2, "the file ends before the sizes", REAL + "% nothing\n"),
        (2, "the number of entries is missing", REAL + "2 2\n1 1 1\n"),
        (2, "the number of rows is -2, negative", REAL + "-2 2 1\n1 1 1\n"),
        (2, "the number of entries is -1, negative", REAL + "2 2 -1\n"),
        (2, "'9223372036854775808' is not a number of columns, or is too large", REAL + f"2 {2 ** 63} 1\n1 1 1\n"),
        (2, "'2.0' is not a number of rows", REAL + "2.0 2 1\n1 1 1\n"),
        (2, "unexpected '7' after the sizes", REAL + "2 2 1 7\n1 1 1\n"),
        (2, "not square", HEAD.format("real", "symmetric") + "2 3 1\n1 1 1\n"),
        (4, "row 3 is outside 1..2", REAL + "2 2 2\n1 1 1\n3 1 1\n"),
        (3, "row 0 is outside 1..2", REAL + "2 2 1\n0 1 1\n"),
        (3, "column -1 is outside 1..2", REAL + "2 2 1\n1 -1 1\n"),
        (3, "row 1 is outside 1..0", REAL + "0 0 1\n1 1 1\n"),
        (3, "'99999999999999999999' is not a column", REAL + "2 2 1\n1 99999999999999999999 1\n"),
        (3, "'1.5' is not a row", REAL + "2 2 1\n1.5 1 1\n"),
        (3, "the value is missing", REAL + "2 2 1\n1 1\n"),
        (3, "the column is missing", REAL + "2 2 1\n1\n"),
        (3, "the imaginary part is missing", HEAD.format("complex", "general") + "2 2 1\n1 1 1\n"),
        (3, "unexpected '7' after the numbers", REAL + "2 2 1\n1 1 1 7\n"),
        (3, "unexpected '1' after the numbers", HEAD.format("pattern", "general") + "2 2 1\n1 1 1\n"),
        (3, "'nane' is not a number", REAL + "2 2 1\n1 1 nane\n"),
        (3, "'in' is not a number", REAL + "2 2 1\n1 1 in\n"),
        (3, "'-infinit' is not a number", REAL + "2 2 1\n1 1 -infinit\n"),
        (3, "'--inf' is not a number", REAL + "2 2 1\n1 1 --inf\n"),
        (3, "'inf' is not an integer", HEAD.format("integer", "general") + "2 2 1\n1 1 inf\n"),
        (3, "'1e400' is beyond float64", REAL + "2 2 1\n1 1 1e400\n"),
        (3, "'0x10' is not a number", REAL + "2 2 1\n1 1 0x10\n"),
        (3, "'1,5' is not a number", REAL + "2 2 1\n1 1 1,5\n"),
        (3, "'1e' is not a number", REAL + "2 2 1\n1 1 1e\n"),
        (3, "'.' is not a number", REAL + "2 2 1\n1 1 .\n"),
        (3, "'1.5' is not an integer", HEAD.format("integer", "general") + "2 2 1\n1 1 1.5\n"),
        (3, "has 600 characters", REAL + "2 2 1\n1 1 " + "1" * 600 + "\n"),
        (3, "diagonal of a skew-symmetric matrix is zero", HEAD.format("real", "skew-symmetric") + "2 2 1\n1 1 1\n"),
        (3, "diagonal of a Hermitian matrix is real", HEAD.format("complex", "hermitian") + "2 2 1\n1 1 1 1\n"),
        (2, "should have 3 entries, but has 2", REAL + "2 2 3\n1 1 1\n2 2 1\n"),
        (2, "should have 1 entry, but has 2", REAL + "2 2 1\n1 1 1\n2 2 1\n"),
        (2, "should have 9223372036854775807 entries", REAL + f"2 2 {2 ** 63 - 1}\n1 1 1\n"),
        (1003, "row 9 is outside 1..2", REAL + "2 2 2000\n" + "1 1 1\n" * 1000 + "9 9 x\n" + "1 1 1\n" * 999),
        (700, "'x' is not a column", REAL + "2 2 9\n" + "1 1 1\n" * 697 + "1 x\n" + "1\n" * 999),
        (3, "line is longer than 1 MiB", REAL + "2 2 1\n1 1 1" + " " * 3000000 + "\n"),
        (3, "????...' is not a row", (REAL + "2 2 1\n").encode() + b"\xff\xfe\x01" * 400)):
    mp.fails("MNP_ERR_FORMAT", f"a.mtx, line {line}: ", read, text)
    mp.fails("MNP_ERR_FORMAT", words, read, text)
for line, words, text in (
        (2, "more than can be counted", "%%MatrixMarket matrix array real general\n4294967296 4294967296\n"),
        (2, "should have 4 values, but has 3", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n"),
        (2, "should have 3 values, but has 4", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n"),
        (3, "unexpected '2' after", "%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n")):
    mp.fails("MNP_ERR_FORMAT", f"a.mtx, line {line}: ", read_array, text)
    mp.fails("MNP_ERR_FORMAT", words, read_array, text)
mp.fails("MNP_ERR_ARG", "is an array file", read, "%%MatrixMarket matrix array real general\n1 1\n1\n")
mp.fails("MNP_ERR_ARG", "is a coordinate file", read_array, plain)
mp.fails("MNP_ERR_ARG", "complex numbers, which float32 does not hold", read,
         HEAD.format("complex", "general") + "1 1 0\n", "float32")
mp.fails("MNP_ERR_ARG", "dtype is int32", read, plain, "int32")
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "No such file", mp.mm_read, os.path.join(folder, "none.mtx"), None)
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "it is a folder", mp.mm_read, folder, None)
mp.fails(("MNP_ERR_MEMORY", "MNP_ERR_PEER", "MNP_ERR_UNSUPPORTED", "MNP_ERR_ARG"), "", read,
         REAL + f"{2 ** 63 - 1} {2 ** 63 - 1} 1\n1 1 1\n")

# ---- the files that are there ----

data = os.environ.get("MANIPLE_TEST_DATA", "")
for name in ("airfoil", "bar", "recirc_flow", "helmholtz_2D", "west0067", "jagmesh7"):
    file = os.path.join(data, name + ".mtx")
    if os.path.exists(file):
        want = scipy.sparse.csr_array(scipy.io.mmread(file))
        same(name, matrices.Sparse(mp.mm_read(file, None)),
             want.astype("complex128" if want.dtype.kind == "c" else "float64"))
    else:
        mp.skip(name, "it is not in MANIPLE_TEST_DATA")

matrices.done()
