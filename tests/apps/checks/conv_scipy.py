# SPDX-License-Identifier: BSD-3-Clause
"""Convolutions and correlations compared with SciPy's, on 1 to 4 ranks.

Most cases run together in one process, tests/signal/convolve_cases; some through the command itself.  What is expected
comes from scipy.signal.convolve2d or correlate where these have the boundary, and otherwise from scipy.signal.convolve
or correlate of the input extended as numpy.pad would.  Cases are random: MANIPLE_TEST_SEED repeats a run, MANIPLE_TEST_CASES says how many.
"""

import itertools
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import scipy.signal

MODES = ["full", "same", "valid"]
BOUNDARIES = ["fill", "wrap", "symm", "mirror", "nearest"]  # the order of mnp_boundary
PAD_MODES = {"wrap": "wrap", "symm": "symmetric", "mirror": "reflect", "nearest": "edge"}
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
INEXACT = ["float32", "float64", "complex64", "complex128"]
# those that random cases combine: kernels of all pairs would take most of the test's time to compile
if os.environ.get("MANIPLE_TEST_FULL"):
    OPERANDS, RESULTS = ["bool"] + INTEGERS + INEXACT, INTEGERS + INEXACT
else:
    OPERANDS, RESULTS = ["bool", "int16", "float64", "complex64"], ["uint8", "float32", "float64", "complex128"]
LAYOUTS = ["block", "first", "last", "uneven", "replicated"]


class Tap:
    def __init__(self):
        self.points = self.failures = 0

    def check(self, good, text, details=()):
        self.points += 1
        self.failures += not good
        print(f"{'' if good else 'not '}ok {self.points} - {text}")
        if not good:
            for line in details:
                print("# " + str(line).replace("\n", "\n# "))
        sys.stdout.flush()

    def done(self):
        print(f"1..{self.points}")
        return self.failures != 0


class Case:
    """One convolution: operands, options, and what the result should be."""

    def __init__(self, x, kernel, mode, boundary, fillvalue=0, axes=None, dtype=None, layout="block",
                 correlate=False):
        self.correlate = correlate
        self.x, self.kernel = np.asarray(x), np.asarray(kernel)
        self.mode, self.boundary, self.fillvalue, self.layout = mode, boundary, fillvalue, layout
        self.given_axes = axes
        self.axes = [a % self.x.ndim for a in axes] if axes else list(range(self.x.ndim))[-self.kernel.ndim:]
        self.dtype = np.dtype(dtype) if dtype else None

    def __str__(self):
        text = f"{shape(self.x)} {self.x.dtype} by {shape(self.kernel)} {self.kernel.dtype}"
        text += f", {'correlated, ' if self.correlate else ''}{self.mode}, {self.boundary}"
        if self.fillvalue:
            text += f" {self.fillvalue}"
        if self.given_axes:
            text += f", axes {self.given_axes}"
        if self.dtype:
            text += f", to {self.dtype}"
        return text + f", {self.layout}"

    def result_dtype(self):
        if self.dtype:
            return self.dtype
        single = self.x.dtype.kind not in "fc" or self.x.dtype in (np.dtype("float32"), np.dtype("complex64"))
        if "c" in (self.x.dtype.kind, self.kernel.dtype.kind):
            return np.dtype("complex64" if single else "complex128")
        return np.dtype("float32" if single else "float64")

    def possible(self):
        """Mode valid needs one operand to cover the other."""
        n = [self.x.shape[a] for a in self.axes]
        k = self.kernel.shape
        return self.mode != "valid" or all(a >= b for a, b in zip(n, k)) or all(a <= b for a, b in zip(n, k))

    def kernel_along_axes(self):
        """The kernel with as many dimensions as the input."""
        order = np.argsort(self.axes)
        full = [1] * self.x.ndim
        for i in order:
            full[self.axes[i]] = self.kernel.shape[i]
        return self.kernel.transpose(order).reshape(full)

    def arithmetic(self):
        """Types that the reference computes in: at least as exact as the library's."""
        kinds = self.x.dtype.kind + self.kernel.dtype.kind
        if "c" in kinds:
            return np.complex128
        return np.float64 if "f" in kinds or self.result_dtype().kind in "fc" else np.int64

    def expected(self, magnitude=False):
        """The result before it is cast; or the sum of the magnitudes of its terms, which rounding errors grow with."""
        fill = np.array(self.fillvalue).astype(self.x.dtype)
        operands = [array.astype(self.arithmetic()) for array in (self.x, self.kernel_along_axes(), fill)]
        if magnitude:
            operands = [np.abs(array).astype(np.float64) for array in operands]
        x, kernel, fill = operands
        apply = scipy.signal.correlate if self.correlate else scipy.signal.convolve
        return apply_extended(apply, x, kernel, self.axes, self.mode, self.boundary, fill)

    def scipy_own(self):
        """SciPy's own answer, or None where it has none."""
        if self.correlate:
            if self.boundary != "fill" or self.fillvalue or len(self.axes) != self.x.ndim:
                return None
            x, kernel = self.x.astype(self.arithmetic()), self.kernel_along_axes().astype(self.arithmetic())
            return scipy.signal.correlate(x, kernel, self.mode, "direct")
        if self.x.ndim != 2 or self.kernel.ndim != 2 or self.axes != [0, 1] or self.boundary in ("mirror", "nearest"):
            return None
        number = self.arithmetic()
        fill = np.array(self.fillvalue).astype(self.x.dtype).astype(number)
        x, kernel = self.x.astype(number), self.kernel.astype(number)
        return scipy.signal.convolve2d(x, kernel, self.mode, self.boundary, fill)

    def check(self, result):
        """None, or what is wrong with the result."""
        dtype = self.result_dtype()
        expected = self.scipy_own()
        if expected is None:
            expected = self.expected()
        if result.dtype != dtype or result.shape != expected.shape:
            return f"{shape(result)} {result.dtype} instead of {shape(expected)} {dtype}"
        if dtype.kind in "iu":
            if expected.dtype.kind == "f":
                limits = np.iinfo(dtype)
                expected = np.clip(np.rint(expected), limits.min, limits.max)
            return differences(result, expected.astype(dtype), 0)
        return differences(result, expected, self.tolerance(dtype))

    def tolerance(self, dtype):
        """The bound that always holds: four roundings, of both operands, the product and the result, and one for each
        of n partial sums, each half an eps of the sum of magnitudes (Higham, Accuracy and Stability of Numerical
        Algorithms, section 4.2).  Sums come near it where many small terms meet a large one."""
        eps = np.finfo(dtype).eps
        return eps / 2 * (4 + self.kernel.size) * self.expected(magnitude=True) + np.finfo(dtype).tiny


def shape(array):
    return "x".join(map(str, array.shape))


def differences(result, expected, tolerance):
    if np.any(tolerance):
        wrong = ~(np.abs(result.astype(np.promote_types(result.dtype, expected.dtype)) - expected) <= tolerance)
    else:
        wrong = result != expected
    if not wrong.any():
        return None
    at = tuple(np.argwhere(wrong)[0])
    return (f"{wrong.sum()} of {wrong.size} values are wrong, first at {tuple(map(int, at))}: {result[at]} instead of "
            f"{expected[at]}")


def outside(n, margin, boundary):
    """For the indices -margin .. n-1+margin of a dimension the index inside that has the value, or -1 for the fill."""
    i = np.arange(-margin, n + margin)
    if boundary == "fill":
        return np.where((i < 0) | (i >= n), -1, i)
    if boundary == "wrap":
        return i % n
    if boundary == "nearest":
        return np.clip(i, 0, n - 1)
    period = 2 * n if boundary == "symm" else max(2 * n - 2, 1)
    i = i % period
    return np.where(i < n, i, period - (1 if boundary == "symm" else 0) - i)


def apply_extended(apply, x, k, axes, mode, boundary, fill):
    n, m = x.shape, k.shape
    for a in axes:
        index = outside(n[a], m[a] - 1, "fill" if mode == "valid" else boundary)
        value = np.zeros_like(fill) if mode == "valid" else fill
        x = np.where((index < 0).reshape([-1 if d == a else 1 for d in range(x.ndim)]), value, np.take(x, index, a))
    full = apply(x, k, "valid", "direct")
    for a in axes:
        first, length = {"full": (0, n[a] + m[a] - 1), "same": ((m[a] - 1) // 2, n[a]),
                         "valid": (min(n[a], m[a]) - 1, abs(n[a] - m[a]) + 1)}[mode]
        full = np.take(full, range(first, first + length), a)
    return full


# ---- cases ----

def random_array(rng, size, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(max(limits.min, -10**6), min(limits.max, 10**6), size, endpoint=True).astype(dtype)
    values = rng.standard_normal(size)
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(size)
    return np.asarray(values).astype(dtype)


def random_case(rng):
    ndim = int(rng.choice([1, 2, 2, 3, 4]))
    x_shape = rng.integers(1, [200, 40, 14, 8][ndim - 1], ndim, endpoint=True)
    k_ndim = int(rng.integers(1, ndim, endpoint=True))
    k_shape = rng.integers(1, [24, 9, 5, 4][k_ndim - 1], k_ndim, endpoint=True)
    if rng.random() < 0.1:  # larger than the input
        k_shape[0] = x_shape[-k_ndim] + rng.integers(1, 4)
    axes = None
    if rng.random() < 0.5:
        axes = [int(a) - ndim * int(rng.integers(2)) for a in rng.permutation(ndim)[:k_ndim]]
    boundary = str(rng.choice(BOUNDARIES))
    types = OPERANDS + ["float32"] * 8
    x_type, k_type = str(rng.choice(types)), str(rng.choice(types))
    dtype = None
    if rng.random() < 0.4:
        complex_operand = "complex" in x_type + k_type
        dtype = str(rng.choice([t for t in RESULTS if "complex" in t] if complex_operand else RESULTS))
    x, kernel = random_array(rng, x_shape, x_type), random_array(rng, k_shape, k_type)
    if dtype in INTEGERS and "float" in x_type + k_type:  # exact sums, halves among them
        x, kernel = [np.rint(a * 4) / 4 if a.dtype.kind == "f" else a for a in (x, kernel)]
        x, kernel = x.astype(x_type), kernel.astype(k_type)
    fillvalue = int(rng.choice([0, 1, 7])) if boundary == "fill" and x_type != "bool" else 0
    return Case(x, kernel, str(rng.choice(MODES)), boundary, fillvalue, axes, dtype, str(rng.choice(LAYOUTS)),
                bool(rng.random() < 0.3))


def fixed_cases(rng):
    """What chance may miss: every mode and boundary with odd, even and overlong kernels; arrays smaller than the
    number of ranks; sums that overflow."""
    for mode, boundary, k in itertools.product(MODES, BOUNDARIES, [(3, 3), (4, 2), (1, 1), (7, 19)]):
        yield Case(random_array(rng, (6, 17), "float64"), random_array(rng, k, "float64"), mode, boundary)
    for boundary in BOUNDARIES:
        yield Case(random_array(rng, 2, "float32"), random_array(rng, 7, "float32"), "full", boundary)
        yield Case(random_array(rng, (1, 1), "float32"), random_array(rng, (3, 5), "float32"), "same", boundary)
        x, kernel = random_array(rng, (3, 2, 2), "int16"), random_array(rng, (2, 2), "int16")
        yield Case(x, kernel, "same", boundary, 0, [0, 2], "int32")
    for mode, k in itertools.product(MODES, [(3, 5), (4, 2), (7, 19)]):
        yield Case(random_array(rng, (6, 17), "complex128"), random_array(rng, k, "complex128"), mode, "fill",
                   correlate=True)
    large = np.full((5, 6), 200, "uint8")
    yield Case(large, np.full((3, 3), 2, "uint8"), "same", "symm", dtype="uint8")
    yield Case(large, np.full((3, 3), 2.5, "float32"), "same", "symm", dtype="uint8")
    yield Case(np.full(9, 2**62, "int64"), np.full(5, 3, "int64"), "full", "fill", dtype="int64")
    yield Case(np.full(9, 2**63 + 5, "uint64"), np.full(5, 3, "uint64"), "same", "wrap", dtype="uint64")


def write_cases(folder, cases):
    with open(f"{folder}/cases.txt", "w") as text, open(f"{folder}/cases.bin", "wb") as data:
        for c in cases:
            words = []
            for array in (c.x, c.kernel):
                words += [array.dtype.name, array.ndim, *array.shape]
                data.write(np.ascontiguousarray(array).tobytes())
            axes = c.given_axes or []
            words += [int(c.correlate), MODES.index(c.mode), BOUNDARIES.index(c.boundary), c.fillvalue, len(axes), *axes]
            words += [c.dtype.name if c.dtype else "auto", c.layout]
            print(*words, file=text)


def read_results(folder):
    """For every case an array, or the sentence of the error."""
    with open(f"{folder}/results.txt") as text, open(f"{folder}/results.bin", "rb") as data:
        for line in text:
            words = line.split()
            if words[0] == "error":
                yield line[6:].strip()
                continue
            size = tuple(map(int, words[2:]))
            count = int(np.prod(size, dtype=np.int64))
            yield np.frombuffer(data.read(count * np.dtype(words[0]).itemsize), words[0]).reshape(size)


def on_ranks(ranks, *command):
    mpirun = os.environ.get("MPIRUN")
    launcher = [mpirun, "-n", str(ranks)] if mpirun else []
    done = subprocess.run([*launcher, *map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


FULL = bool(os.environ.get("MANIPLE_TEST_FULL"))


def rank_counts():
    return [1] if not os.environ.get("MPIRUN") else [1, 2, 3, 4] if FULL else [2, 4]


def judge(case, result):
    if not case.possible():
        return None if isinstance(result, str) else "a result where SciPy has none"
    return result if isinstance(result, str) else case.check(result)


def check_many(tap, cases, program):
    for ranks in rank_counts():
        with tempfile.TemporaryDirectory() as folder:
            write_cases(folder, cases)
            status, _, errors = on_ranks(ranks, program, folder)
            results = list(read_results(folder)) if status == 0 else []
            tap.check(len(results) == len(cases), f"{len(cases)} convolutions on {ranks} ranks", [errors])
            for case, result in zip(cases, results):
                wrong = judge(case, result)
                tap.check(wrong is None, f"on {ranks} ranks: {case}", [wrong])


# ---- through the command ----

def check_command(tap, folder, ranks, text, arguments, expected, tolerance):
    """Run `maniple conv` and compare the dataset that it leaves."""
    output = f"{folder}/out.h5"
    arguments = ["conv", *arguments, "-o", f"{output}:/group/y", "--quiet"]
    status, printed, errors = on_ranks(ranks, os.environ["MANIPLE"], *arguments)
    wrong = f"status {status}: {printed}{errors}" if status or printed or errors else None
    if status == 0:
        with h5py.File(output) as file:
            result = file["group/y"][()]
        if result.shape != expected.shape:
            wrong = f"{shape(result)} instead of {shape(expected)}"
        else:
            wrong = differences(result, expected, tolerance)
        os.remove(output)
    tap.check(wrong is None, f"maniple conv on {ranks} ranks: {text}", [wrong])


def check_file_case(tap, folder, ranks, case, x_type=None):
    """A case whose operands lie in a file, the input perhaps in another type than it is read as."""
    with h5py.File(f"{folder}/in.h5", "w") as file:
        file.create_dataset("x", data=case.x.astype(x_type) if x_type else case.x, chunks=True, compression="gzip")
        file["deep/kernel"] = case.kernel
    arguments = [f"{folder}/in.h5:/x", f"{folder}/in.h5:deep/kernel", "--mode", case.mode, "--boundary", case.boundary]
    if case.fillvalue:
        arguments += ["--fillvalue", case.fillvalue]
    if case.given_axes:
        arguments += ["--axes", ",".join(map(str, case.given_axes))]
    if case.dtype:
        arguments += ["--dtype", case.dtype]
    if case.correlate:
        arguments += ["--correlate"]
    expected = case.expected()
    dtype = case.result_dtype()
    tolerance = 0 if dtype.kind in "iu" else case.tolerance(dtype)
    check_command(tap, folder, ranks, str(case), arguments, expected, tolerance)


def hanning(*extents):
    window = np.ones(())
    for extent in extents:
        window = np.multiply.outer(window, np.hanning(extent))
    return window / window.sum()


def gauss(extents, sigmas):
    window = np.ones(())
    for extent, sigma in zip(extents, sigmas):
        i = np.arange(extent) - (extent - 1) / 2
        window = np.multiply.outer(window, np.exp(-(i / sigma) ** 2 / 2))
    return window / window.sum()


def dirac(extents, period):
    one = np.ones((), "float32")
    for extent in extents:
        one = np.multiply.outer(one, (np.arange(extent) % period == 0).astype("float32"))
    return one


def generated_tolerance(case):
    """NumPy's cosines and exponentials are not to the bit the command's, so neither are the kernel's elements."""
    difference = 4 * np.finfo("float64").eps * np.abs(case.kernel).max()
    return case.tolerance(case.result_dtype()) + difference * case.kernel.size * np.abs(case.x).max()


def check_command_cases(tap, rng, folder):
    most = rank_counts()[-1]

    def stored(ranks, x_size, x_type, k_size, k_type, *options, on_disk=None, **named):
        case = Case(random_array(rng, x_size, x_type), random_array(rng, k_size, k_type), *options, **named)
        check_file_case(tap, folder, ranks, case, on_disk)

    stored(most, (37, 53), "float32", (5, 4), "float64", "same", "symm", on_disk=">f4")
    stored(min(3, most), (9, 30, 20), "complex64", (3, 6), "float32", "full", "mirror", 0, [0, -1])
    stored(most, (3,), "int32", (2,), "int32", "same", "fill", 7, None, "int64", on_disk=">i4")
    stored(1, (4, 5, 6, 7), "float64", (2, 3), "float64", "valid", "fill")
    stored(min(2, most), (9, 20), "complex64", (4, 3), "complex64", "same", "wrap", correlate=True)

    def generated(ranks, text, x, kernel, boundary):
        case = Case(x, kernel, "same", boundary)
        check_command(tap, folder, ranks, f"{text}, {boundary}", [*text.split(" by "), "--boundary", boundary],
                      case.expected(), generated_tolerance(case))

    generated(most, "dirac:96x130/32 by hanning:31x31", dirac((96, 130), 32), hanning(31, 31), "wrap")
    generated(min(2, most), "dirac:40x30/7 by gauss:9x6@2x1.5", dirac((40, 30), 7), gauss((9, 6), (2, 1.5)), "fill")
    generated(1, "dirac:50/9 by hanning:1", dirac((50,), 9), hanning(1), "nearest")


def check_images(tap, folder):
    """Real data: Hubble's picture, in bytes as it is in the source, and as big-endian floats where that file is."""
    images = [(os.path.join(os.environ["srcdir"], "apps/data/hubble.h5"), "image"),
              (os.path.join(os.environ.get("MANIPLE_TEST_DATA", ""), "hubble.h5"), "gray_bigendian")]
    for path, name in images:
        if not os.path.exists(path):
            tap.check(True, f"{name} of {os.path.basename(path)} # SKIP it is not here")
            continue
        with h5py.File(path) as file:
            image = file[name][()]
        case = Case(image.astype(image.dtype.newbyteorder("=")), gauss((15, 15), (3, 3)), "same", "symm")
        check_command(tap, folder, rank_counts()[-1], f"{name} of {os.path.basename(path)}",
                      [f"{path}:/{name}", "gauss:15x15@3", "--boundary", "symm"], case.scipy_own(),
                      generated_tolerance(case))


def check_reference(tap, rng):
    """Our extension is numpy.pad's, so the comparison is with NumPy and not with our idea of it."""
    for boundary, pad in PAD_MODES.items():
        x = random_array(rng, 9, "float64")
        good = np.array_equal(x[outside(9, 8, boundary)], np.pad(x, 8, pad))
        tap.check(good, f"the reference extends by {boundary} as numpy.pad does by {pad}")
    case = Case(random_array(rng, (12, 9), "float64"), random_array(rng, (4, 5), "float64"), "same", "symm")
    tap.check(np.allclose(case.expected(), case.scipy_own()), "the reference agrees with scipy.signal.convolve2d")
    case = Case(random_array(rng, (12, 9), "complex128"), random_array(rng, (4, 5), "complex128"), "same", "fill",
                correlate=True)
    tap.check(np.allclose(case.expected(), case.scipy_own()), "and with scipy.signal.correlate")


def main():
    seed = int(os.environ.get("MANIPLE_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
    count = int(os.environ.get("MANIPLE_TEST_CASES") or (40 if FULL else 20))
    print(f"# MANIPLE_TEST_SEED={seed} repeats this run")
    rng = np.random.default_rng(seed)
    tap = Tap()
    check_reference(tap, rng)
    cases = [*fixed_cases(rng), *(random_case(rng) for _ in range(count))]
    check_many(tap, cases, os.path.join(os.environ["builddir"], "tests/signal/convolve_cases"))
    with tempfile.TemporaryDirectory() as folder:
        check_command_cases(tap, rng, folder)
        check_images(tap, folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
