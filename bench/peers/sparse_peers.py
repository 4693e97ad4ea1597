#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times sparse work of other libraries, to compare `maniple bench` sparse, eigen and solve with: the same
cases and matrices, in the table of bench/sparse.

  CuPy on one GPU   cupyx.scipy.sparse
  --host            SciPy on the CPU

cg, which is timed by the iteration, has the zero guess and right-hand side of bench/solve.  eigsh-WHICH and lobpcg-SA
want --count eigenvalues, and the note has the largest |A v - l v| / |l|.  What a library does not have is left out.

A time is the median of repeats after a warm-up, each of as many calls in a row as take 10 milliseconds, at
most 500, between two CUDA events (SciPy: two readings of the clock).  The floor is counted as in bench/sparse.
"""

import argparse
import inspect
import itertools
import math
import statistics
import time

import numpy as np
import scipy
import scipy.sparse
import scipy.sparse.linalg

import record

AHEAD, WIDTH = 1 << 20, 8
GRIDS, PRODUCTS, INVERSES, EIGEN = range(4)
USUAL = [("poisson:64x64x64", "poisson:256x256x256"),
         ("random:20000@1e-3,poisson:256x256,hpcg:16x16x16,powerlaw:20000",
          "random:200000@1e-4,poisson:1024x1024,hpcg:64x64x64,powerlaw:100000"),
         ("poisson:32x32x32", "poisson:128x128x128"), ("poisson:16x16x16", "poisson:64x64x64")]  # on the host, on a GPU
CASES = {"spmv-csr": GRIDS, "spmv-csc": GRIDS, "spmv-coo": GRIDS, "spmv-dia": GRIDS, "spmv-bsr": GRIDS, "spmm": GRIDS,
         "add": GRIDS, "tril": GRIDS, "transpose": GRIDS, "assemble": GRIDS, "cg": GRIDS, "matmul": PRODUCTS,
         "triangular": INVERSES, "eigsh-LA": EIGEN, "eigsh-SA": EIGEN, "lobpcg-SA": EIGEN}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", metavar="A,B,...", help=f"of {', '.join(CASES)} (default: all)")
    parser.add_argument("--matrix", metavar="M,...", help="poisson, hpcg, random or powerlaw")
    parser.add_argument("--dtype", default="float64", choices=["float32", "float64", "complex64", "complex128"])
    parser.add_argument("--repeats", type=int, default=20, metavar="N", help="timed repeats of each (default: 20)")
    parser.add_argument("--iterations", type=int, default=50, metavar="N", help="of cg (default: 50)")
    parser.add_argument("--count", type=int, default=6, metavar="K", help="eigenvalues (default: 6)")
    parser.add_argument("--tol", type=float, default=0, metavar="T", help="of eigenvalues (default: the method's own)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with SciPy")
    arguments = parser.parse_args()
    arguments.case = arguments.case.split(",") if arguments.case else list(CASES)
    for case in set(arguments.case) - set(CASES):
        parser.error(f"there is no case {case}")
    if min(arguments.repeats, arguments.iterations, arguments.count) < 1:
        parser.error("--repeats, --iterations and --count must be at least 1")
    return arguments


# --- matrices, as `maniple bench sparse` makes them -------------------------------------------------------------------

def uniform(i):
    """splitmix64 of an index, between 0 and 1."""
    z = (np.asarray(i, np.uint64) + np.uint64(1)) * np.uint64(0x9e3779b97f4a7c15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
    return ((z ^ z >> np.uint64(31)) >> np.uint64(11)) * 2.0 ** -53


def stencil(library, shape, points, dtype):
    """A grid's matrix: points are pairs of an offset and a coefficient, in rising order of the offsets."""
    xp, n = library.xp, math.prod(shape)
    inside = xp.ones((n, len(points)), bool)
    columns = xp.empty((n, len(points)), xp.int32)
    for k, (offset, _) in enumerate(points):
        columns[:, k] = xp.arange(n, dtype=xp.int32)
        for d, (step, extent) in enumerate(zip(offset, shape)):
            below = math.prod(shape[d + 1:])
            place = xp.arange(n, dtype=xp.int32) // below % extent + step
            inside[:, k] &= (place >= 0) & (place < extent)
            columns[:, k] += step * below
    values = xp.broadcast_to(xp.asarray([value for _, value in points], dtype), inside.shape)[inside]
    offsets = xp.zeros(n + 1, xp.int32)
    offsets[1:] = xp.cumsum(inside.sum(axis=1))
    return library.sparse.csr_matrix((values, columns[inside], offsets), (n, n))


def poisson(library, text, dtype):
    shape = [int(extent) for extent in text.split("x")]
    middle = (0,) * len(shape)
    points = [(middle[:d] + (step,) + middle[d + 1:], -1) for d in range(len(shape)) for step in (-1, 1)]
    return stencil(library, shape, sorted(points + [(middle, 2 * len(shape))]), dtype)


def hpcg(library, text, dtype):
    shape = [int(extent) for extent in text.split("x")]
    points = [(offset, -1 if any(offset) else 26) for offset in itertools.product((-1, 0, 1), repeat=3)]
    return stencil(library, shape, points, dtype)


def from_triplets(library, rows, columns, values, n, dtype):
    return library.sparse.csr_matrix(scipy.sparse.coo_matrix((values.astype(dtype), (rows, columns)), (n, n)).tocsr())


def random(library, text, dtype):
    n, density = int(text.split("@")[0]), float(text.split("@")[1])
    i = 3 * np.arange(math.floor(density * n * n + 0.5))
    rows, columns = (n * uniform(i)).astype(np.int64), (n * uniform(i + 1)).astype(np.int64)
    return from_triplets(library, rows, columns, 2 * uniform(i + 2) - 1, n, dtype)


def powerlaw(library, text, dtype):
    n = int(text)
    lengths = 1 + np.floor(4 * ((1 - uniform(np.arange(n) * AHEAD)) ** (-1 / 1.2) - 1))
    lengths = np.minimum(np.minimum(lengths, n // 5 + 1), AHEAD // 2 - 1).astype(np.int64)
    rows = np.repeat(np.arange(n), lengths)
    i = rows * AHEAD + 2 * (np.arange(rows.size) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1)
    columns = (n * uniform(i) * uniform(i)).astype(np.int64)
    return from_triplets(library, rows, columns, 2 * uniform(i + 1) - 1, n, dtype)


GENERATORS = {"poisson": poisson, "hpcg": hpcg, "random": random, "powerlaw": powerlaw}


def generate(library, matrix, dtype):
    name, _, text = matrix.partition(":")
    try:
        return GENERATORS[name](library, text, dtype)
    except (KeyError, ValueError, IndexError):
        known = ", ".join(GENERATORS)
        raise SystemExit(f"sparse_peers.py: '{matrix}' is none of {known} with what they take") from None


# --- libraries --------------------------------------------------------------------------------------------------------

class Host:
    """SciPy, timed by the clock."""

    xp, sparse, linalg = np, scipy.sparse, scipy.sparse.linalg
    formats = ("csr", "csc", "coo", "dia", "bsr")
    name = f"device host, SciPy {scipy.__version__}"
    where = "SciPy", scipy.__version__, record.processor()

    @staticmethod
    def seconds(run, calls):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        return (time.perf_counter() - start) / calls


class Gpu:
    """CuPy, timed by events."""

    formats = ("csr", "csc")  # others are converted for every product

    def __init__(self):
        import cupy
        import cupyx.scipy.sparse
        import cupyx.scipy.sparse.linalg
        self.xp, self.sparse, self.linalg = cupy, cupyx.scipy.sparse, cupyx.scipy.sparse.linalg
        self.name = f"device cuda, CuPy {cupy.__version__}"
        self.where = "CuPy", cupy.__version__, record.gpu(cupy)

    def seconds(self, run, calls):
        begin, end = self.xp.cuda.Event(), self.xp.cuda.Event()
        begin.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        return 1e-3 * self.xp.cuda.get_elapsed_time(begin, end) / calls


def median_of(library, run, repeats):
    once = min(library.seconds(run, 1) for _ in range(3))
    if once > 0.1:  # a few are enough
        repeats = min(repeats, 3)
    calls = max(1, min(500, int(1e-2 / max(once, 1e-9))))
    return statistics.median(library.seconds(run, calls) for _ in range(repeats))


def rate_of_copy(library):
    """Bytes a second, as `maniple bench sparse` measures it."""
    source = library.xp.zeros(1 << 26 if library.xp is np else 1 << 28, np.float32)
    target = library.xp.zeros_like(source)
    return 2 * source.nbytes / median_of(library, lambda: library.xp.copyto(target, source), 9)


# --- cases ------------------------------------------------------------------------------------------------------------

def matrix_bytes(a, layout="csr"):
    values = a.nnz * a.dtype.itemsize
    if layout in ("dia", "bsr"):
        return values
    return values + a.nnz * (8 if layout == "coo" else 4) + (4 * a.shape[0] if layout in ("csr", "csc") else 0)


def make_vectors(library, a, width):
    x = library.xp.asarray(uniform(np.arange(a.shape[1])).astype(a.dtype))
    return x if width == 1 else x[:, None] * library.xp.arange(1, width + 1).astype(a.dtype)


def product(library, a, layout, width):
    x, form = make_vectors(library, a, width), a.asformat(layout)
    return lambda: form @ x, matrix_bytes(a, layout) + 2 * x.nbytes


def matmul(a):
    return lambda: a @ a, matrix_bytes(a) + matrix_bytes(a @ a)


def made(library, case, a):
    """A matrix that is made of A, or of its entries in any order."""
    run = {"add": lambda: a + a, "tril": lambda: library.sparse.tril(a, format="csr"),
           "transpose": lambda: a.T.tocsr()}.get(case)
    if run:
        return run, matrix_bytes(a) + matrix_bytes(run())
    entries, order = a.tocoo(), library.xp.asarray(np.random.default_rng(1).permutation(a.nnz))
    rows, columns, values = (library.xp.asarray(x)[order] for x in (entries.row, entries.col, entries.data))
    return (lambda: library.sparse.coo_matrix((values, (rows, columns)), a.shape).tocsr(),
            matrix_bytes(a) + a.nnz * (16 + a.dtype.itemsize))


def triangular(library, a):
    lower, b = library.sparse.tril(a, format="csr"), make_vectors(library, a, 1)
    return lambda: library.linalg.spsolve_triangular(lower, b, lower=True), matrix_bytes(lower) + 2 * b.nbytes


def cg(library, a, iterations):
    b = a @ library.xp.ones(a.shape[0], a.dtype)
    name = "rtol" if "rtol" in inspect.signature(library.linalg.cg).parameters else "tol"
    return lambda: library.linalg.cg(a, b, atol=0, maxiter=iterations, **{name: 0}), 0


def eigsh(library, a, which, arguments):
    return lambda: library.linalg.eigsh(a, k=arguments.count, which=which, tol=arguments.tol), 0


def lobpcg(library, a, arguments):
    start = library.xp.asarray(np.random.default_rng(1).standard_normal((a.shape[0], arguments.count)).astype(a.dtype))
    return lambda: library.linalg.lobpcg(a, start.copy(), largest=False, tol=arguments.tol or None, maxiter=1000), 0


def work_of(library, case, a, arguments):
    """What is timed, and the bytes that it needs (0: not counted); None where the library has no such thing."""
    kind, _, which = case.partition("-")
    if kind == "spmv":
        return product(library, a, which, 1) if which in library.formats else None
    if kind == "spmm":
        return product(library, a, "csr", WIDTH)
    if kind in ("add", "tril", "transpose", "assemble"):
        return made(library, case, a)
    if kind == "eigsh":
        return eigsh(library, a, which, arguments)
    return {"matmul": lambda: matmul(a), "triangular": lambda: triangular(library, a),
            "cg": lambda: cg(library, a, arguments.iterations), "lobpcg": lambda: lobpcg(library, a, arguments)}[kind]()


def describe(library, case, a, result, arguments):
    if case == "matmul":
        return f"{result.nnz} entries"
    if case == "cg":
        return f"an iteration of {arguments.iterations}"
    if case == "triangular":
        return "with what could be prepared"
    if CASES[case] != EIGEN:
        return ""
    values, vectors = result
    residuals = library.xp.linalg.norm(a @ vectors - vectors * values, axis=0) / abs(values)
    return f"residual {float(residuals.max()):.1e}, {float(values.min()):.12g} .. {float(values.max()):.12g}"


def time_case(library, case, matrix, a, rate, arguments):
    work = work_of(library, case, a, arguments)
    if not work:
        print(f"{case:<21}{matrix:<22} is left out: there is no such product")
        return
    run, needed = work
    seconds = median_of(library, run, arguments.repeats)
    note = describe(library, case, a, run(), arguments)
    if case == "cg":
        seconds /= arguments.iterations
    shares = f"{1e3 * needed / rate:11.4f}{100 * needed / rate / seconds:7.0f} %" if needed else 20 * " "
    print(f"{case:<21}{matrix:<22}{1e3 * seconds:11.4f}{shares}  {note}", flush=True)
    more = {"bytes": needed, "floor": needed / rate} if needed else {}
    benchmark, given = "sparse", f"{matrix} {arguments.dtype}"
    if case == "cg":
        benchmark, given = "solve", f"{matrix} csr"
    elif CASES[case] == EIGEN:
        benchmark, given = "eigen", f"{arguments.count} of {matrix}, tol {arguments.tol:g}"
    record.append(benchmark, case, given, *library.where, seconds, **more)


def main():
    arguments = parse_arguments()
    library = Host() if arguments.host else Gpu()
    rate = rate_of_copy(library)
    print(f"{library.name}, {arguments.dtype}, median of {arguments.repeats}; a copy moves {1e-9 * rate:.0f} GB/s")
    print(f"{'case':<21}{'matrix':<22}{'ms':>11}{'floor':>11}{'share':>9}")
    matrices = {}
    for case in arguments.case:
        for matrix in (arguments.matrix or USUAL[CASES[case]][not arguments.host]).split(","):
            if matrix not in matrices:
                matrices = {matrix: generate(library, matrix, arguments.dtype)}  # others are let go
            time_case(library, case, matrix, matrices[matrix], rate, arguments)


if __name__ == "__main__":
    main()
