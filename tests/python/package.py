# SPDX-License-Identifier: BSD-3-Clause
"""The Python package beside NumPy and SciPy, in the same process, on any number of ranks: prints a line for each
point, from rank 0, for tests/python.t."""

import ast
import copy
import gc
import importlib.machinery
import importlib.util
import inspect
import os
import pickle
import random as dice
import re
import shutil
import tempfile
import warnings

import maniple as mp
from maniple import _dlpack
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg

seed = int(os.environ.get("MANIPLE_TEST_SEED", "1"))
rng = np.random.default_rng(seed)
full = bool(os.environ.get("MANIPLE_TEST_FULL"))
failures = 0


def ok(condition, name):
    global failures
    good = bool(condition)
    everywhere = mp.from_local(np.array([good])).numpy().all()
    failures += not everywhere
    if mp.rank() == 0:
        print(f"{'ok' if everywhere else 'not ok'} - {name}".replace("\n", " "), flush=True)


def same(name, got, want, rtol=0.0):
    """A point: dtype, shape and values; several as a tuple."""
    if isinstance(want, (tuple, list)):
        pairs = list(zip(got, want))
        problems = [p for p in (difference(g, w, rtol) for g, w in pairs) if p] + (
            [] if len(got) == len(want) else [f"{len(got)} results"]
        )
    else:
        problems = [p for p in [difference(got, want, rtol)] if p]
    ok(not problems, name + (": " + problems[0] if problems else ""))


def difference(got, want, rtol):
    got, want = (v.numpy() if isinstance(v, mp.ndarray) else np.asarray(v) for v in (got, want))
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape} where {want.dtype} {want.shape} is right"
    if want.dtype.kind in "fc" and rtol:
        good = np.allclose(got, want, rtol=rtol, atol=rtol * (np.abs(want).max() if want.size else 0), equal_nan=True)
    else:
        good = np.array_equal(got, want, equal_nan=want.dtype.kind in "fc")
    return "" if good else f"{got!r} where {want!r} is right"[:300]


def raises(kind, words, name, function):
    try:
        function()
    except kind as error:
        ok(words in str(error), f"{name}: {error}")
    else:
        ok(False, f"{name}: nothing was raised")


def pair(shape, dtype="float64"):
    a = rng.standard_normal(shape) * 4
    a = (a + 1j * rng.standard_normal(shape)) if np.dtype(dtype).kind == "c" else a
    a = np.abs(a) if np.dtype(dtype).kind in "ub" else a
    a = np.asarray(a).astype(dtype)
    return mp.asarray(a), a


def check_arrays():
    x, a = pair((5, 7))
    ok((x.shape, x.ndim, x.size, x.dtype, x.nbytes, len(x)) == (a.shape, 2, 35, a.dtype, 280, 5), "what an array is")
    block = x.local
    (
        ok(
            np.array_equal(block, a[x.local_slices]) and np.shares_memory(block, x.local),
            "the block is the array's memory",
        )
        if x.device == "host"
        else ok(block.__cuda_array_interface__["shape"] == a[x.local_slices].shape, "the block")
    )
    ok(f"rank {mp.rank()} of {mp.nranks()}" in repr(x) and "(5, 7)" in repr(x), "repr shows this rank's part")
    same("numpy.asarray gathers", np.asarray(x), a)
    ok(x.item(2, 3) == a[2, 3] and float(mp.sum(x)) == x.sum().item(), "numbers out of arrays")
    mp.set_gather_limit(100)
    raises(MemoryError, "280 bytes", "gathering by mistake", x.numpy)
    mp.set_gather_limit(1 << 30)
    raises(ValueError, "any() or all()", "the truth of several elements", lambda: bool(x))
    raises(TypeError, "numpy.ndarray", "NumPy's arrays are no operands", lambda: mp.add(x, a))
    raises(TypeError, "asarray", "nor on the left", lambda: a + x)
    raises(ValueError, "broadcast", "shapes that do not fit", lambda: x + mp.ones((3,)))
    raises(TypeError, "numpy.linalg.tensorsolve", "what is not there", lambda: np.linalg.tensorsolve(x, x))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = [row.sum().item() for row in x]
    ok(len(rows) == 5 and caught, "iterating warns")
    for text in ("0, *", "*, 0", "*, *"):
        y = mp.asarray(a, layout=mp.Layout(a.shape, text))
        same(f"layout {text}", (y + x, y.to_layout("0, 1")), (a + a, a))
        ok(y.layout == mp.Layout(a.shape, text) and y.layout.shape == a.shape, f"the layout is {text}")


def check_powers():
    """x ** 2 is a square, and x ** 0.5 a root, as NumPy's operators have it: to the last bit, and for all values."""
    for dtype in ("int8", "uint16", "int64", "float32", "float64", "complex64", "complex128"):
        x, a = pair((40,), dtype)
        if a.dtype.kind == "f":
            a[:5] = np.nan, np.inf, -np.inf, -0.0, 1e-30
            x = mp.asarray(a)
        with np.errstate(all="ignore"):
            same(f"squares of {dtype}", (x**2, mp.power(x, 2)), (np.square(a),) * 2, 0 if a.dtype.kind != "c" else 1e-6)
            if a.dtype.kind in "fc":
                same(f"squares and roots of {dtype}", (x**2.0, x**0.5), (np.square(a), np.sqrt(a)),
                     0 if a.dtype.kind != "c" else 1e-6)
                y = x.copy()
                y **= 2
                same(f"squares of {dtype} in place", y, np.square(a), 0 if a.dtype.kind != "c" else 1e-6)
    same("powers of numbers", (2 ** mp.arange(3.0), mp.asarray(np.array(3.0)) ** 2), (2 ** np.arange(3.0), np.array(9.0)))


def check_operators():
    operations = {
        "+": lambda p, q: p + q,
        "-": lambda p, q: p - q,
        "*": lambda p, q: p * q,
        "/": lambda p, q: p / q,
        "//": lambda p, q: p // q,
        "%": lambda p, q: p % q,
        "**": lambda p, q: abs(p) ** q,
        "<": lambda p, q: p < q,
        "<=": lambda p, q: p <= q,
        "==": lambda p, q: p == q,
        "!=": lambda p, q: p != q,
        "divmod": divmod,
    }
    for dtype in ("float64", "float32", "int32"):
        (x, a), (y, b) = pair((3, 4), dtype), pair((4,), dtype)
        b[b == 0] = 1
        y = mp.asarray(b)
        # a kernel each, which takes longer to compile than all the rest
        some = operations if full or dtype == "float64" else {"float32": ("+", "**"), "int32": ("/", "//", "<")}[dtype]
        for name in some:
            operation = operations[name]
            right = np.abs(b) if name == "**" else b
            same(f"{dtype} x {name} y", operation(x, abs(y) if name == "**" else y), operation(a, right), 1e-6)
            same(f"{dtype} x {name} 2", operation(x, 2), operation(a, 2), 1e-6)
            if name != "**":
                same(f"{dtype} 2 {name} y", operation(2, y), operation(2, b), 1e-6)
    x, a = pair((6,), "int64")
    same("bits", (x & 6, x | 1, x ^ x, ~x, x << 2, x >> 1), (a & 6, a | 1, a ^ a, ~a, a << 2, a >> 1))
    same(
        "NumPy's scalars keep their type",
        (mp.ones(3, "float32") * np.float64(2), mp.ones(3, "float32") * 2.0),
        (np.ones(3) * 2, np.ones(3, "float32") * np.float32(2)),
    )
    x, a = pair((4, 3))
    y, b = x, a
    y += 1
    b += 1
    y *= x
    b *= a
    same("in place", x, a)
    same("signs", (-x, +x, abs(x)), (-a, +a, abs(a)))


def check_indexing():
    x, a = pair((6, 5, 4))
    mask, picks = rng.random((6, 5)) < 0.4, [3, 0, -1]
    same(
        "slices",
        (x[1:4, ::-2], x[..., -1], x[2], x[None, :, 3], x[-2:, :, 1:3]),
        (a[1:4, ::-2], a[..., -1], a[2], a[None, :, 3], a[-2:, :, 1:3]),
    )
    same(
        "arrays of indices",
        (
            x[picks],
            x[:, picks],
            x[..., [1, 1]],
            x[np.array([[0, 1], [2, 5]])],
            x[[0, 1], [2, -3]],
            x[:, [0, 1], [2, 3]],
            x[[0, 1], :, [2, 3]],
        ),
        (
            a[picks],
            a[:, picks],
            a[..., [1, 1]],
            a[np.array([[0, 1], [2, 5]])],
            a[[0, 1], [2, -3]],
            a[:, [0, 1], [2, 3]],
            a[[0, 1], :, [2, 3]],
        ),
    )
    same("masks", (x[mask], x[x > 1], x[:, x[0, :, 0] > 0]), (a[mask], a[a > 1], a[:, a[0, :, 0] > 0]))
    for name, key, value in (
        ("a number", (slice(1, 3), 2), 7.5),
        ("a row", (slice(None), -1), np.arange(4.0)),
        ("a mask", mask, -1.0),
        ("indices", [4, 1], 3.0),
        ("several indices", ([0, 1], [2, 3]), 9.0),
        ("indices beside slices", (slice(1, 4), [0, 2]), 5.0),
        ("an array at indices", ([5, 0],), rng.random((2, 5, 4))),
    ):
        x[key] = value if np.isscalar(value) else mp.asarray(value)
        a[key] = value
        same(f"assignment of {name}", x, a)
    raises(IndexError, "6", "too many indices", lambda: x[[0], 0, 0, 0, 0, 0]) if False else None
    raises(mp.Error, "out of", "an index that is out of bounds", lambda: x[9])
    raises(mp.Error, "bounds", "one of an array", lambda: x[[0, 17]])
    view = x[2:4]
    view += 1
    a[2:4] += 1
    same("a view changes its array", x, a)
    del x
    gc.collect()
    same("a view outlives its array", view, a[2:4])


def check_functions():
    x, a = pair((4, 6))
    y, b = pair((4, 6))
    i, k = pair((4, 6), "int64")
    of_both = {
        "sin": lambda m, p, q, r: m.sin(p),
        "maximum": lambda m, p, q, r: m.maximum(p, q),
        "where": lambda m, p, q, r: m.where(p > 0, p, q),
        "clip": lambda m, p, q, r: m.clip(p, -1, 1),
        "clip above": lambda m, p, q, r: m.clip(p, None, 0.5),
        "round": lambda m, p, q, r: m.round(p, 1),
        "isclose": lambda m, p, q, r: m.isclose(p, q, rtol=0.5),
        "modf": lambda m, p, q, r: m.modf(p),
        "reshape": lambda m, p, q, r: m.reshape(p, (3, -1)),
        "ravel": lambda m, p, q, r: m.ravel(p),
        "transpose": lambda m, p, q, r: m.transpose(p),
        "swapaxes": lambda m, p, q, r: m.swapaxes(p, 0, 1),
        "moveaxis": lambda m, p, q, r: m.moveaxis(p, 0, -1),
        "expand_dims": lambda m, p, q, r: m.expand_dims(p, 1),
        "squeeze": lambda m, p, q, r: m.squeeze(p[:1]),
        "atleast_3d": lambda m, p, q, r: m.atleast_3d(p),
        "broadcast_to": lambda m, p, q, r: m.broadcast_to(p, (2, 4, 6)),
        "flip": lambda m, p, q, r: m.flip(p, 1),
        "rot90": lambda m, p, q, r: m.rot90(p),
        "concatenate": lambda m, p, q, r: m.concatenate((p, q), 1),
        "stack": lambda m, p, q, r: m.stack((p, q), -1),
        "vstack": lambda m, p, q, r: m.vstack((p, q)),
        "append": lambda m, p, q, r: m.append(p, q, 0),
        "insert": lambda m, p, q, r: m.insert(p, 2, q[0], 0),
        "delete": lambda m, p, q, r: m.delete(p, 1, 0),
        "split": lambda m, p, q, r: m.split(p, 3, 1),
        "array_split": lambda m, p, q, r: m.array_split(p, 4, 1),
        "split at": lambda m, p, q, r: m.split(p, [1, 4], 1),
        "pad": lambda m, p, q, r: m.pad(p, ((1, 2), (0, 3)), "reflect"),
        "pad constant": lambda m, p, q, r: m.pad(p, 2, constant_values=7),
        "roll": lambda m, p, q, r: m.roll(p, 2),
        "roll axis": lambda m, p, q, r: m.roll(p, (1, -2), (0, 1)),
        "tile": lambda m, p, q, r: m.tile(p, (2, 1)),
        "repeat": lambda m, p, q, r: m.repeat(p, 2, 1),
        "sum": lambda m, p, q, r: m.sum(p),
        "sum axis": lambda m, p, q, r: m.sum(p, axis=1, keepdims=True),
        "sum where": lambda m, p, q, r: m.sum(p, where=q > 0, initial=3.0),
        "sum of ints": lambda m, p, q, r: m.sum(r, 0),
        "sum dtype": lambda m, p, q, r: m.sum(p, dtype="float32"),
        "prod": lambda m, p, q, r: m.prod(p, axis=(0, 1)),
        "mean": lambda m, p, q, r: m.mean(p, axis=-1),
        "std": lambda m, p, q, r: m.std(p, axis=0, ddof=1),
        "var": lambda m, p, q, r: m.var(p),
        "max": lambda m, p, q, r: m.max(p, axis=1),
        "ptp": lambda m, p, q, r: m.ptp(p),
        "argmax": lambda m, p, q, r: m.argmax(p, axis=1),
        "argmin": lambda m, p, q, r: m.argmin(p),
        "all": lambda m, p, q, r: m.all(p > -9),
        "any": lambda m, p, q, r: m.any(p > 2, axis=0),
        "count_nonzero": lambda m, p, q, r: m.count_nonzero(r, axis=0),
        "nansum": lambda m, p, q, r: m.nansum(p),
        "median": lambda m, p, q, r: m.median(p, axis=0),
        "percentile": lambda m, p, q, r: m.percentile(p, [10, 90], axis=1),
        "quantile": lambda m, p, q, r: m.quantile(p, 0.3),
        "average": lambda m, p, q, r: m.average(p, 0, abs(q)),
        "average, returned": lambda m, p, q, r: m.average(p, None, abs(q), returned=True),
        "cov": lambda m, p, q, r: m.cov(p),
        "cov ddof": lambda m, p, q, r: m.cov(p, ddof=0),
        "corrcoef": lambda m, p, q, r: m.corrcoef(p),
        "take": lambda m, p, q, r: m.take(p, m.asarray([1, 3]), 0),
        "take_along_axis": lambda m, p, q, r: m.take_along_axis(p, m.argsort(p, 1), 1),
        "compress": lambda m, p, q, r: m.compress(m.asarray([True, False, True]), p, 0),
        "extract": lambda m, p, q, r: m.extract(p > 0, p),
        "nonzero": lambda m, p, q, r: m.nonzero(r),
        "flatnonzero": lambda m, p, q, r: m.flatnonzero(r),
        "argwhere": lambda m, p, q, r: m.argwhere(r),
        "select": lambda m, p, q, r: m.select([p > 1, p < -1], [p, q], 5.0),
        "choose": lambda m, p, q, r: m.choose(r % 2, [p, q]),
        "sort": lambda m, p, q, r: m.sort(p, axis=0),
        "argsort": lambda m, p, q, r: m.argsort(p, axis=1, kind="stable"),
        "lexsort": lambda m, p, q, r: m.lexsort((p[0], r[0])),
        "unique": lambda m, p, q, r: m.unique(r, return_index=True, return_counts=True),
        "isin": lambda m, p, q, r: m.isin(r, m.asarray([0, 1])),
        "union1d": lambda m, p, q, r: m.union1d(r, r + 1),
        "histogram": lambda m, p, q, r: m.histogram(p, 5),
        "histogram range": lambda m, p, q, r: m.histogram(p, 4, (-2.0, 2.0)),
        "bincount": lambda m, p, q, r: m.bincount(m.ravel(abs(r)), minlength=3),
        "searchsorted": lambda m, p, q, r: m.searchsorted(m.sort(m.ravel(p)), q),
        "digitize": lambda m, p, q, r: m.digitize(p, m.asarray([-1.0, 0.0, 1.0])),
        "cumsum": lambda m, p, q, r: m.cumsum(p, 1),
        "cumsum flat": lambda m, p, q, r: m.cumsum(p),
        "diff": lambda m, p, q, r: m.diff(p, 2, axis=1),
        "gradient": lambda m, p, q, r: m.gradient(p),
        "trapezoid": lambda m, p, q, r: getattr(m, "trapezoid", getattr(m, "trapz", None))(p, axis=0),
        "interp": lambda m, p, q, r: m.interp(p, m.asarray([-1.0, 0.0, 2.0]), m.asarray([3.0, 1.0, 4.0])),
        "tril": lambda m, p, q, r: m.tril(p, -1),
        "diag": lambda m, p, q, r: m.diag(p, 1),
        "trace": lambda m, p, q, r: m.trace(p),
        "norm": lambda m, p, q, r: m.linalg.norm(p, axis=1),
        "norm fro": lambda m, p, q, r: m.linalg.norm(p),
        "norm 2": lambda m, p, q, r: m.linalg.norm(p, 2),
        "norm nuc": lambda m, p, q, r: m.linalg.norm(p, "nuc", (1, 0), True),
        "cond": lambda m, p, q, r: m.linalg.cond(p),
        "pinv": lambda m, p, q, r: m.linalg.pinv(p),
        "lstsq": lambda m, p, q, r: m.linalg.lstsq(p, p[:, 0], rcond=None)[0],
        "matrix_rank": lambda m, p, q, r: m.linalg.matrix_rank(p),
        "matrix_rank tol": lambda m, p, q, r: m.linalg.matrix_rank(p, 1e-3),
        "norm inf": lambda m, p, q, r: m.linalg.norm(p, np.inf),
        "svd": lambda m, p, q, r: m.linalg.svd(p, compute_uv=False),
        "solve": lambda m, p, q, r: m.linalg.solve(m.diag(p[0]), p[1]),
        "eigh": lambda m, p, q, r: m.linalg.eigh(p[:4, :4])[0],
        "eigvals": lambda m, p, q, r: m.sort(m.linalg.eigvals(m.diag(m.arange(1.0, 4.0) * 1j))),
        "slogdet": lambda m, p, q, r: m.linalg.slogdet(p[:4, :4])[1],
        "linspace": lambda m, p, q, r: m.linspace(0, 1, 7),
        "arange": lambda m, p, q, r: m.arange(2, 17, 3),
        "eye": lambda m, p, q, r: m.eye(4, 5, 1),
        "full": lambda m, p, q, r: m.full((2, 3), 7),
        "meshgrid": lambda m, p, q, r: m.meshgrid(m.arange(3), m.arange(2.0)),
        "indices": lambda m, p, q, r: m.indices((2, 3)),
        "zeros_like": lambda m, p, q, r: m.zeros_like(r),
        "full_like": lambda m, p, q, r: m.full_like(p, 2.5),
        "matmul": lambda m, p, q, r: m.matmul(p, q.T),
        "operator": lambda m, p, q, r: p @ q.T,
        "dot": lambda m, p, q, r: m.dot(p, q[0]),
        "dot number": lambda m, p, q, r: m.dot(p, 2.0),
        "inner": lambda m, p, q, r: m.inner(p, q),
        "outer": lambda m, p, q, r: m.outer(p, q[0]),
        "vdot": lambda m, p, q, r: m.vdot(p, q),
        "tensordot": lambda m, p, q, r: m.tensordot(p, q, ([0, 1], [0, 1])),
        "tensordot axes": lambda m, p, q, r: m.tensordot(p, q.T, 1),
        "kron": lambda m, p, q, r: m.kron(p, q),
        "einsum": lambda m, p, q, r: m.einsum("ij,kj->ik", p, q),
        "einsum optimize": lambda m, p, q, r: m.einsum("ij,kj,kl", p, q, q, optimize="optimal"),
        "matrix_power": lambda m, p, q, r: m.linalg.matrix_power(p @ q.T, 3),
        "multi_dot": lambda m, p, q, r: m.linalg.multi_dot([p, q.T, p]),
        "fft": lambda m, p, q, r: m.fft.fft(p),
        "rfftn": lambda m, p, q, r: m.fft.rfftn(p, norm="ortho"),
        "ifft2": lambda m, p, q, r: m.fft.ifft2(p, s=(5, 8)),
        "fftshift": lambda m, p, q, r: m.fft.fftshift(p),
        "methods": lambda m, p, q, r: (
            p.sum(0),
            p.T,
            p.reshape(2, 12),
            p.astype("float32"),
            p.max(),
            r.clip(0, 2),
            p.flatten(),
        ),
    }
    for name, function in of_both.items():
        want = function(np, a, b, k)
        want = tuple(want) if isinstance(want, (tuple, list)) else want
        same(name, function(mp, x, y, i), want, 1e-6 if name in ("sum dtype", "methods") else 1e-12)
        try:  # numpy's own function of our arrays
            if name not in (
                "methods",
                "linspace",
                "arange",
                "eye",
                "full",
                "meshgrid",
                "indices",
                "take",
                "compress",
                "isin",
                "digitize",
                "interp",
                "fft",
                "rfftn",
                "ifft2",
                "fftshift",
            ):
                same(f"numpy's {name} of arrays of Maniple", function(np, x, y, i), want, 1e-6)
        except Exception as error:  # noqa: BLE001
            ok(False, f"numpy's {name} of arrays of Maniple: {type(error).__name__}: {error}")
    same(
        "ufunc methods",
        (np.add.reduce(x, axis=0), np.maximum.accumulate(x, axis=1), np.multiply.outer(x[0], y[0])),
        (np.add.reduce(a, axis=0), np.maximum.accumulate(a, axis=1), np.multiply.outer(a[0], b[0])),
        1e-12,
    )
    np.add.at(x, mp.asarray([0, 0, 2]), 1.0)
    np.add.at(a, [0, 0, 2], 1.0)
    same("ufunc.at", x, a)
    roots = [np.sqrt((a**2).sum(axis, keepdims=keep)) for axis, keep in ((None, False), ((1, 0), True), (0, False))]
    got = [mp.linalg.vector_norm(x), mp.linalg.vector_norm(x, axis=(1, 0), keepdims=True),
           mp.linalg.vector_norm(x, axis=0)]
    same("vector_norm, along several axes of one vector", got, roots, 1e-12)
    big, right = x[:, :4] + 200 * mp.eye(4), a[:, :4] + 200 * np.eye(4)
    same("matrix_power below 0", mp.linalg.matrix_power(big, -2), np.linalg.matrix_power(right, -2), 1e-12)
    same("descending sorts", mp.sort(i, axis=1, descending=True), -np.sort(-k, axis=1))
    same("descending argsort is stable", mp.argsort(i, axis=1, descending=True), np.argsort(-k, axis=1, kind="stable"))
    same("repeats by an array", mp.repeat(x, mp.asarray([2, 0, 1, 3]), 0), np.repeat(a, [2, 0, 1, 3], 0))
    out = mp.empty((4, 6))
    ok(mp.add(x, y, out=out) is out and np.add(x, y, out=out) is out, "out= is what is returned")
    same("and has the values", out, a + b)


def check_names():
    x, a = pair((6,), "int64")
    ones = [bin(abs(int(v))).count("1") for v in a]
    same("NumPy 2's names, with any NumPy", (mp.bitwise_count(x), mp.pow(x, 2)), (np.uint8(ones), a**2))
    y, b = mp.asarray(a / 100), a / 100
    same("the array API's names", (mp.asin(y), mp.atan2(y, 2.0)), (np.arcsin(b), np.arctan2(b, 2.0)), 1e-12)
    ok(
        list(inspect.signature(mp.add).parameters)[:3] == ["x1", "x2", "out"]
        and list(inspect.signature(mp.var).parameters)[:5] == ["a", "axis", "dtype", "out", "ddof"]
        and inspect.signature(x.var).parameters.get("keepdims") is not None,
        "help() knows what functions take",
    )


def check_large_integers():
    x, a = mp.asarray(np.array([1, 2], "uint64")), np.array([1, 2], "uint64")
    large = 2**63 + 1
    same("uint64 and an integer beyond int64", (x + large, x | large), (a + np.uint64(large), a | np.uint64(large)))
    same("and compared", (x < large, mp.arange(3) < large), (np.array([True] * 2), np.array([True] * 3)))
    same("and beside floats", mp.ones(2, "float32") * large, np.full(2, large, "float32"))
    x[1] = large
    same("and as an element", x, np.array([1, large], "uint64"))
    raises(OverflowError, "does not fit int64", "int64 and such an integer", lambda: mp.arange(3) + large)
    same("ranges of uint64", (mp.arange(2**63 - 1, 2**63 + 2, dtype="uint64"), mp.arange(2**64 - 2, 2**64 - 1)),
         (np.array([2**63 - 1, 2**63, 2**63 + 1], "uint64"), np.array([2**64 - 2], "uint64")))
    for limits in ((-1, 2**63), (0, 2**64 + 5), (0, 10, 2**64 + 1)):
        raises(OverflowError, "64 bits", f"and none of {limits}", lambda: mp.arange(*limits))
    same("linspace of complex numbers", (mp.linspace(1j, 2, 5), mp.linspace(0, 1j, 3, endpoint=False, dtype="complex64")),
         (np.linspace(1j, 2, 5), np.linspace(0, 1j, 3, endpoint=False, dtype="complex64")), 1e-7)


def check_evaluate():
    x, a = pair((50,))
    same("evaluate", mp.evaluate("3*sin(-x)*x + k", x=x, k=2), 3 * np.sin(-a) * a + 2, 1e-14)
    same("several outputs", mp.evaluate("s = sum(x); m = x - s", "s, m", x=x), (a.sum(), a - a.sum()), 1e-12)
    mp.evaluate("u[1:-1] += 0.25 * (u[:-2] - 2*u[1:-1] + u[2:])", "u", out={"u": x})
    b = a.copy()
    b[1:-1] += 0.25 * (a[:-2] - 2 * a[1:-1] + a[2:])
    same("in place, with slices", x, b, 1e-14)


def check_random():
    one, two = mp.random.default_rng(5), mp.random.default_rng(5)
    x, y = one.normal(size=(300, 7)), two.normal(size=(300, 7))
    ok(mp.array_equal(x, y) and abs(float(x.mean())) < 0.1 and abs(float(x.std()) - 1) < 0.1, "normal numbers")
    n = one.integers(3, 9, size=1000)
    ok(int(n.min()) == 3 and int(n.max()) == 8 and n.dtype == np.int64, "integers")
    ok(sorted(one.permutation(50).numpy().tolist()) == list(range(50)), "a permutation")
    ok(one.random(5, dtype="float32").dtype == np.float32 and len(one.spawn(3)) == 3, "floats, children")


def check_kernels():
    x, a = pair((5, 6), "float32")
    kernel = mp.ElementwiseKernel("T x, float32 y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    same("ElementwiseKernel", kernel(x, 2.0), (a - 2) * (a - 2), 1e-6)
    l2 = mp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    same("ReductionKernel", l2(x, axis=1), np.sqrt((a * a).sum(1)), 1e-5)
    raw = mp.RawKernel(
        'extern "C" __global__ void scale(float *x, long long n, double by)\n{\n'
        "    long long i = blockDim.x * (long long)blockIdx.x + threadIdx.x;\n"
        "    if (i < n)\n        x[i] *= by;\n}\n",
        "scale",
    )
    count = int(np.prod([s.stop - s.start for s in x.local_slices]))
    if count:
        raw(((count + 63) // 64,), (64,), (x, count, 3.0))
    mp.synchronize()
    same("RawKernel", x, a * np.float32(3), 1e-6)
    square = mp.ElementwiseKernel("T x", "T z", "z = f(x)", "square", return_tuple=True,
                                  preamble="template <typename T> __device__ T f(T a) { return a * a; }")
    b = x.numpy()
    same("a preamble with CUDA's words, and a tuple", square(x), (b * b,), 1e-6)
    given = mp.empty_like(x)
    mp.ElementwiseKernel("T x", "T z", "z = 2 * x", no_return=True)(x, given)
    same("a kernel that gives nothing", given, b * 2)
    raises(ValueError, "nvcc", "another compiler", lambda: mp.RawKernel("", "none", backend="nvcc"))
    raises(
        mp.Error, "error", "a mistake in a kernel", lambda: mp.ElementwiseKernel("T x", "T z", "z = nothing;", "bad")(x)
    )


def check_signal():
    (x, a), (k, w) = pair((20, 17)), pair((3, 4))
    same("convolve2d", mp.signal.convolve2d(x, k, "same", "wrap"), scipy.signal.convolve2d(a, w, "same", "wrap"), 1e-12)
    same("correlate", mp.signal.correlate(x, k, "valid"), scipy.signal.correlate(a, w, "valid"), 1e-12)
    line = a.ravel()
    peaks, properties = mp.signal.find_peaks(mp.array(line), prominence=(0.1, None), width=1)
    right, wanted = scipy.signal.find_peaks(line, prominence=(0.1, None), width=1)
    for name, more in (("argrelextrema", [np.greater]), ("argrelmax", []), ("argrelmin", [])):
        want = getattr(scipy.signal, name)(a, *more, axis=1, order=2)
        same(name, getattr(mp.signal, name)(x, *more, axis=1, order=2), want)
    raises(ValueError, "distance is 0", "a distance of 0", lambda: mp.signal.find_peaks(mp.array(line), distance=0))
    raises(ValueError, "wlen is 0", "a wlen of 0", lambda: mp.signal.find_peaks(mp.array(line), width=1, wlen=0))
    raises(ValueError, "wlen is 1", "a wlen of 1", lambda: mp.signal.peak_widths(mp.array(line), peaks, wlen=1))
    same("find_peaks", peaks, right, 0)
    widths = mp.signal.find_peaks(mp.array(line), width=0, rel_height=0)[1]["widths"]
    same("find_peaks: no width at the top", widths, np.zeros(scipy.signal.find_peaks(line)[0].shape))
    ok(sorted(properties) == sorted(wanted), "properties of peaks")
    for name in wanted:
        same(f"find_peaks: {name}", properties[name], wanted[name], 1e-12)
    same("medfilt", mp.signal.medfilt(x, 3), scipy.signal.medfilt(a, 3), 0)
    same("wiener", mp.signal.wiener(x, 3), scipy.signal.wiener(a, 3), 1e-9)
    plan = mp.signal.Convolution(x, k, "same")
    same(
        "a plan",
        (plan(x), plan(2 * x)),
        (scipy.signal.convolve2d(a, w, "same"), 2 * scipy.signal.convolve2d(a, w, "same")),
        1e-12,
    )
    told = plan.describe()
    ok(told["method"] in told["seconds"] and min(told["seconds"].values()) >= 0, f"a plan tells its method: {told}")
    same("fftconvolve", mp.signal.fftconvolve(x, k, "same", axes=(0, 1)), scipy.signal.fftconvolve(a, w, "same"), 1e-12)
    same("oaconvolve", mp.signal.oaconvolve(x, k), scipy.signal.oaconvolve(a, w), 1e-12)
    method = mp.signal.choose_conv_method(x, k)
    same("choose_conv_method", mp.signal.convolve(x, k, method=method), scipy.signal.convolve(a, w), 1e-12)


def check_filters():
    a = rng.standard_normal((3, 400))
    x = mp.asarray(a)
    b, c = scipy.signal.butter(3, 0.2)
    sos = mp.signal.butter(3, 0.2, output="sos")
    ok(np.allclose(mp.signal.butter(3, 0.2), (b, c), 1e-10), "butter")
    ok(np.allclose(mp.signal.firwin(31, 0.3), scipy.signal.firwin(31, 0.3)), "firwin")
    ok(np.allclose(mp.signal.remez(41, [0, 0.1, 0.15, 0.5], [1, 0], fs=1), scipy.signal.remez(41, [0, 0.1, 0.15, 0.5],
       [1, 0], fs=1), atol=1e-3), "remez")
    ok(np.allclose(mp.signal.freqz(b, c)[1], scipy.signal.freqz(b, c)[1]), "freqz")
    z, p, k = mp.signal.tf2zpk(b, c)
    ok(np.allclose(mp.signal.zpk2tf(z, p, k), (b, c)), "tf2zpk")
    same("get_window", mp.signal.get_window(("tukey", 0.3), 40), scipy.signal.get_window(("tukey", 0.3), 40), 1e-12)
    same("lfilter", mp.signal.lfilter(b, c, x, axis=0), scipy.signal.lfilter(b, c, a, axis=0), 1e-12)
    zi = np.outer(np.ones(3), mp.signal.lfilter_zi(b, c))
    same("lfilter zi", mp.signal.lfilter(b, c, x, zi=mp.asarray(zi)), scipy.signal.lfilter(b, c, a, zi=zi), 1e-11)
    same("sosfilt", mp.signal.sosfilt(sos, x), scipy.signal.sosfilt(sos, a), 1e-12)
    same("filtfilt", mp.signal.filtfilt(b, c, x), scipy.signal.filtfilt(b, c, a), 1e-11)
    same("savgol_filter", mp.signal.savgol_filter(x, 9, 3), scipy.signal.savgol_filter(a, 9, 3), 1e-11)
    same("welch", mp.signal.welch(x, 8.0, nperseg=50), scipy.signal.welch(a, 8.0, nperseg=50), 1e-12)
    frames = a[..., :128].reshape(-1, 4, 32) * scipy.signal.firwin(128, 1 / 32).reshape(4, 32)
    same("channelize", mp.signal.channelize(x[..., :128], 32, 4), np.fft.rfft(frames.sum(1)).reshape(*a.shape[:-1], 1, 17),
         1e-12)
    nibbles = np.array([[0x12, 0xF8]], "u1")
    same("unpack_samples", mp.signal.unpack_samples(mp.asarray(nibbles), 4), np.array([[1, 2, -1, -8]], "i1"))
    same("stft", mp.signal.stft(x, nperseg=64), scipy.signal.stft(a, nperseg=64), 1e-12)
    _, _, z = mp.signal.stft(x, nperseg=64)
    same("istft", mp.signal.istft(z, nperseg=64)[1], scipy.signal.istft(z.numpy(), nperseg=64)[1], 1e-12)
    same("hilbert", mp.signal.hilbert(x), scipy.signal.hilbert(a), 1e-12)
    same("decimate", mp.signal.decimate(x, 4), scipy.signal.decimate(a, 4), 1e-9)
    same("resample_poly", mp.signal.resample_poly(x, 3, 2, axis=1), scipy.signal.resample_poly(a, 3, 2, axis=1), 1e-12)


def check_cosine_transforms():
    x, a = pair((12, 10))
    same("dct", mp.fft.dct(x), scipy.fft.dct(a), 1e-12)
    same("dst", mp.fft.dst(x, 4, n=5, axis=0), scipy.fft.dst(a, 4, 5, 0), 1e-12)
    same("there and back", mp.fft.idctn(mp.fft.dctn(x, norm="ortho"), norm="ortho"), a, 1e-12)
    ok(mp.fft.next_fast_len(7919) == 7920, "next_fast_len")


def check_ndimage():
    a = rng.standard_normal((9, 12))
    x, nd = mp.array(a), scipy.ndimage
    same("median_filter", mp.ndimage.median_filter(x, 3, mode="wrap"), nd.median_filter(a, 3, mode="wrap"))
    same("gaussian_filter", mp.ndimage.gaussian_filter(x, [1, 2], 1), nd.gaussian_filter(a, [1, 2], 1), 1e-10)
    same("rank_filter", mp.ndimage.rank_filter(x, -2, size=(2, 3)), nd.rank_filter(a, -2, size=(2, 3)))
    same("correlate", mp.ndimage.correlate(x, [[1, 2]]), nd.correlate(a, [[1, 2]]), 1e-10)
    same("grey_opening", mp.ndimage.grey_opening(x, 3), nd.grey_opening(a, 3))
    same("binary_erosion", mp.ndimage.binary_erosion(x > 0, [[1, 1]]), nd.binary_erosion(a > 0, [[1, 1]]))
    labels, count = mp.ndimage.label(x > 0.3)
    right, found = nd.label(a > 0.3)
    same("label", labels, right)
    ok(count == found and mp.ndimage.find_objects(labels) == nd.find_objects(right), "find_objects")
    ok(np.allclose(mp.ndimage.mean(x, labels, [1, 2]), nd.mean(a, right, [1, 2])), "means by label")
    same("into an array", mp.ndimage.sobel(x, output=mp.empty_like(x)), nd.sobel(a), 1e-10)


def check_fft_plans():
    x, a = pair((12, 10), "complex128")
    plan = mp.fft.Plan(x, permuted=True)
    back = mp.fft.Plan(plan(x), inverse=True, layout=x.layout)
    same("a plan and its inverse", (plan(x), back(plan(x))), (np.fft.fftn(a), a), 1e-12)
    ok("method" in plan.describe(), "a plan says what it does")


def check_sparse():
    n = 60
    matrix = scipy.sparse.diags([-np.ones(n - 1), 2.1 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1]).tocsr()
    A, (b, vector) = mp.sparse.csr_array(matrix), pair((n,))
    ok((A.shape, A.nnz, A.dtype, A.format) == ((n, n), matrix.nnz, np.dtype(float), "csr"), "what a matrix is")
    same(
        "products",
        (A @ b, A.T @ b, (A @ A).toarray(), (A + A - A).toarray(), A.diagonal()),
        (matrix @ vector, matrix.T @ vector, (matrix @ matrix).toarray(), matrix.toarray(), matrix.diagonal()),
        1e-12,
    )
    exact = scipy.sparse.linalg.spsolve(matrix.tocsc(), vector)
    precond = mp.sparse.linalg.Preconditioner(A, "jacobi")
    for name in ("cg", "bicgstab", "gmres"):
        x, info = getattr(mp.sparse.linalg, name)(A, b, rtol=1e-12, M=precond, maxiter=1000)
        same(f"{name} converges", (x, np.array(info)), (exact, np.array(0)), 1e-9)
    seen = []
    op = mp.sparse.linalg.LinearOperator((n, n), lambda v: A @ v)
    x, info = mp.sparse.linalg.cg(op, b, rtol=1e-12, callback=lambda v: seen.append(v))
    same("an operator and a callback of Python", x, exact, 1e-9)
    ok(info == 0 and seen, "the callback was called")
    raises(
        mp.Error,
        "ZeroDivisionError",
        "an error in an operator of Python",
        lambda: mp.sparse.linalg.cg(mp.sparse.linalg.LinearOperator((n, n), lambda v: 1 / 0), b),
    )
    values, vectors = mp.sparse.linalg.eigsh(A, 3, which="LA")
    same("tocsr", A.asformat("coo").tocsr().toarray(), matrix.toarray())
    every = np.linalg.eigvalsh(matrix.toarray())
    same("eigsh", values, np.sort(every)[-3:], 1e-9)
    near = (every[4] + every[5]) / 2 + 0.01
    wanted = np.sort(every[np.argsort(abs(every - near))[:2]])
    same("eigsh near sigma", mp.sparse.linalg.eigsh(A, 2, sigma=near, return_eigenvectors=False), wanted, 1e-8)
    inverse_matrix = mp.array(np.linalg.inv(matrix.toarray() - near * np.eye(len(every))))
    inverse = mp.sparse.linalg.LinearOperator(A.shape, lambda x: inverse_matrix @ x)
    same("with an inverse", mp.sparse.linalg.eigsh(A, 2, sigma=near, OPinv=inverse)[0], wanted, 1e-8)
    A.free()


def slices_of(x, win, hop, first, last, mfft, shift, k_offset=0):
    """The short-time Fourier transform by its sum; with `shift` None, phases count from a slice's first sample."""
    mid, place = len(win) // 2, np.arange(len(win))
    phase = place if shift is None else place - (shift + mid) % len(win)
    kernel = np.exp(-2j * np.pi * np.arange(mfft)[:, None] * phase / mfft) * win.conj()
    padded = np.concatenate([np.zeros(100), x, np.zeros(100)])
    return np.stack([kernel @ padded[100 + k_offset + p * hop - mid + place] for p in range(first, last)], axis=-1)


def check_short_time():
    """ShortTimeFFT by its definition, and by SciPy where this one has it (from 1.12 on)."""
    theirs = getattr(scipy.signal, "ShortTimeFFT", None)
    for m, hop, mode, mfft, shift in ((12, 4, "onesided", 12, 0), (9, 5, "centered", 16, None), (8, 3, "twosided", 9, -2),
                                      (7, 7, "onesided2X", 10, 3), (5, 8, "onesided", 5, 1)):
        win = rng.uniform(0.5, 1, m)
        kwargs = {"fft_mode": mode, "mfft": mfft, "phase_shift": shift,
                  "scale_to": "psd" if mode == "onesided2X" else None}
        mine = mp.signal.ShortTimeFFT(win, hop, 2.0, **kwargs)
        x, a = pair((37,))
        want = slices_of(a, mine.win, hop, mine.p_min, mine.p_max(37), mfft, shift)
        if mode.startswith("onesided"):
            want = want[: mfft // 2 + 1]
        if mode == "onesided2X":
            want[1 : -1 if mfft % 2 == 0 else None] *= np.sqrt(2)
        if mode == "centered":
            want = np.fft.fftshift(want, axes=0)
        z, name = mine.stft(x), f"ShortTimeFFT {m} {hop} {mode} {mfft} {shift}"
        same(name, z, want, 1e-12)
        same(name + ", spectrogram", mine.spectrogram(x), np.abs(want) ** 2, 1e-12)
        grid = (mine.t(37)[1] - mine.t(37)[0], mine.f[1] - mine.f[0], len(mine.f), z.shape)
        ok(np.allclose(grid[:2], (mine.delta_t, mine.delta_f)) and grid[2:] == (mine.f_pts, (mine.f_pts, mine.p_num(37))),
           name + ", its grid")
        if mine.invertible:
            back = mine.istft(z, k1=37)
            same(name + ", and back", back.real if mode in ("centered", "twosided") else back, a, 1e-12)
            same("a part of it", mine.istft(z, 3, 30).real, a[3:30], 1e-12)
        two, b = pair((4, 33))
        same(name + ", along an axis", mine.stft(two.T, axis=0, k_offset=1, padding="zeros").numpy()[:, 2],
             mine.stft(b[2], k_offset=1).numpy(), 1e-12)
        if theirs:
            other = theirs(win, hop, 2.0, **kwargs)
            for padding in "even", "odd", "edge":
                same(f"{name}, {padding}", mine.stft_detrend(x, "linear", padding=padding),
                     other.stft_detrend(a, "linear", padding=padding), 1e-11)
            ok((mine.lower_border_end, mine.upper_border_begin(37), mine.k_min, mine.k_max(37)) == (
                other.lower_border_end, other.upper_border_begin(37), other.k_min, other.k_max(37)), name + ", borders")
    odd = mp.signal.ShortTimeFFT(np.ones(11), 11, 1.0, phase_shift=None).stft(mp.asarray([1.0, 2, 4, 8, 16, 5, 7]), padding="odd")
    line = np.pad([1.0, 2, 4, 8, 16, 5, 7], (5, 30), "reflect", reflect_type="odd")
    same("padding odd", odd[:, 0], np.fft.rfft(line[:11]), 1e-12)
    hann = mp.signal.ShortTimeFFT.from_window("hann", 8.0, 16, 12, scale_to="magnitude")
    same("from_window", hann.win, scipy.signal.get_window("hann", 16) / 8, 1e-14)
    dual = mp.signal.ShortTimeFFT.from_dual(hann.dual_win, 4, 8.0)
    same("from_dual", dual.win, hann.win, 1e-13)
    unitary = mp.signal.ShortTimeFFT.from_win_equals_dual(np.hanning(10) + 0.1, 5, 1.0, scale_to="unitary")
    ok(np.allclose(unitary.win * 10, unitary.dual_win) and unitary.scaling == "unitary" and unitary.invertible,
       "from_win_equals_dual")
    ok(hann.extent(64) == (hann.p_min * 0.5, hann.p_max(64) * 0.5, 0.0, 9 * 0.5), "extent")
    for words, wrong in (("complex windows", lambda: mp.signal.ShortTimeFFT(np.ones(3) + 1j, 1, 1.0)),
                         ("hop is 0", lambda: mp.signal.ShortTimeFFT(np.ones(3), 0, 1.0)),
                         ("at least the length", lambda: mp.signal.ShortTimeFFT(np.ones(3), 1, 1.0, mfft=2)),
                         ("needs a scaling", lambda: mp.signal.ShortTimeFFT(np.ones(3), 1, 1.0, fft_mode="onesided2X")),
                         ("no inverse", lambda: mp.signal.ShortTimeFFT(np.ones(3), 4, 1.0).dual_win),
                         ("needs at least 8", lambda: hann.stft(mp.ones(5)))):
        raises(ValueError, words, "ShortTimeFFT", wrong)


def check_ranks():
    """mp.comm and mp.layouts, and what new arrays are made like."""
    group = mp.comm.world()
    ok((group.rank, group.size, mp.comm.size()) == (mp.rank(), mp.nranks(), mp.nranks()), "comm.world")
    mp.comm.barrier()
    last = mp.nranks() - 1
    for value in (5, 2**70, -0.1, float("inf"), 1.5 - 2j, True, None, "a 'text'\n\u00e9", b"\0\xff", np.float64(3), ""):
        got = mp.comm.bcast(value if mp.rank() == last else "another", last)
        ok(got == value and type(got) is type(value.item() if isinstance(value, np.generic) else value), f"bcast {value!r}")
    ok(np.isnan(mp.comm.bcast(float("nan"))), "bcast NaN")
    raises(TypeError, "not list", "bcast of a list", lambda: mp.comm.bcast([1]))
    raises(ValueError, "root is", "bcast from nobody", lambda: mp.comm.bcast(1, mp.nranks()))
    part = mp.comm.split(mp.rank() % 2, -mp.rank())
    mine = [r for r in range(mp.nranks()) if r % 2 == mp.rank() % 2][::-1]
    ok((part.size, [part.world_rank(r) for r in range(part.size)], part.bcast(mp.rank())) == (len(mine), mine, mine[0]),
       "comm.split")
    part.barrier()
    part.free()
    ok((mp.comm.split(None if mp.rank() else 0) is None) == (mp.rank() > 0), "a rank in no group")

    shape, n = (9, 7), mp.nranks()
    boxes = {name: getattr(mp.layouts, name)(shape).box(mp.rank()) for name in ("rows", "columns", "replicated", "block")}
    ok(boxes["rows"][1] == slice(0, 7) and boxes["columns"][0] == slice(0, 9) and boxes["replicated"] == (
        slice(0, 9), slice(0, 7)) and boxes["block"] == mp.Layout(shape).box(mp.rank()), "layouts by name")
    ok(mp.layouts.rows(shape) == mp.layouts.parse(shape, "0, *") == mp.layouts.cut(shape, 0), "layouts.parse, cut")
    ok(mp.layouts.cut(shape, 1, [0] * n + [7]).cuts(1) == (0,) * n + (7,), "layouts.cut of given cuts")
    ok(mp.layouts.like(mp.layouts.columns(shape), (3, 8)) == mp.layouts.columns((3, 8)), "layouts.like")
    ok(mp.layouts.on_root(shape, n - 1).owner((8, 6)) == n - 1, "layouts.on_root")
    ok(mp.layouts.cyclic(shape, 2, [0]) == mp.Layout(shape, "0(2), *"), "layouts.cyclic")
    x, a = pair((9, 8), "float32")
    for name in "zeros_like", "ones_like":
        same(f"{name} shape=", getattr(mp, name)(x, shape=(3, 4)), getattr(np, name)(a, shape=(3, 4)))
    same("full_like shape=", mp.full_like(x, 7, dtype="i2", shape=5), np.full_like(a, 7, dtype="i2", shape=5))
    ok(mp.empty_like(x, shape=(2, 3)).shape == (2, 3) and mp.empty_like(x, shape=()).dtype == "f4", "empty_like shape=")
    same("view", x.view("int32"), a.view("int32"))
    same("a view of a slice", x[::-2, 1:5].view("uint32")[1:], a[::-2, 1:5].view("uint32")[1:])
    y = mp.redistribute(x, mp.layouts.rows(a.shape))
    same("views of other sizes", (y.view("uint8"), y.view("complex64")), (a.view("uint8"), a.view("complex64")))
    z = y.view("int32")
    z[3:5] = 0
    same("what is written to a view", y, np.where(np.isin(np.arange(9), (3, 4))[:, None], np.float32(0), a))
    raises(ValueError, "whole number", "a view of other sizes", lambda: y[:, :3].view("f8"))
    raises(ValueError, "contiguous", "a view of other sizes", lambda: y[:, ::2].view("i2"))


def check_images(name, a):
    """TIFF and FITS files, which rank 0 writes in the place of a file; where the build reads them."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../numpy/image_files.py")
    made = importlib.util.spec_from_file_location("image_files", path)
    image_files = importlib.util.module_from_spec(made)
    made.loader.exec_module(image_files)
    image = (a * 100).astype("i2")
    kinds = [(mp.tiff.read, ".tif", ":0", image_files.tiff_bytes([image])),
             (mp.fits.read, ".fits", ":SCI", image_files.fits_bytes(None, True)
              + image_files.fits_bytes(image, False, EXTNAME="SCI"))]
    for read, ending, part, content in kinds:
        if mp.rank() == 0:
            with open(name + ending, "wb") as file:
                file.write(content)
        mp.sum(mp.ones(8)).item()  # all ranks get here
        try:
            got = read(name + ending), read(name + ending + part), read(name + ending + part + "[1:-1, ::2]")
            same(f"an image in a {ending} file, and a part of it", got, (image, image, image[1:-1, ::2]))
        except mp.Error as error:
            ok("has no lib" in str(error) or "has no CFITSIO" in str(error), f"{ending}: {error}")
        mp.sum(mp.ones(8)).item()  # all ranks get here
        if mp.rank() == 0:
            os.unlink(name + ending)
    x = mp.asarray(image)
    mp.tiff.write(name + ".tif", x)
    mp.fits.write(name + ".fits:SCI", x)
    with open(name + ".tif", "rb") as tiff, open(name + ".fits", "rb") as sky:
        same("images that are written", (image_files.tiff_pages(tiff.read())[0][1][..., 0],
                                         image_files.fits_hdus(sky.read())[1][1].astype("i2")), (image, image))
    mp.sum(mp.ones(8)).item()  # all ranks have read them
    if mp.rank() == 0:
        os.unlink(name + ".tif")
        os.unlink(name + ".fits")
    for page in "-1", "SCI", "":
        raises(ValueError, "is not a number", f"page {page!r}", lambda: mp.tiff.read(f"cells.tif:{page}"))
    raises(mp.Error, "12:30.tif", "a file with a colon in its name", lambda: mp.tiff.read("/not/there/12:30.tif"))


def check_files():
    x, a = pair((9, 4), "float32")
    name = shared_folder() + "/x.h5"
    mp.h5.write(name + ":/x", x)
    same("HDF5, and a part of it", (mp.h5.read(name + ":/x"), mp.h5.read(name + ":/x[1:-1, ::2]")), (a, a[1:-1, ::2]))
    with mp.h5.File(name, "a") as file:
        file.append("/frames", x)
        file.append("/frames", x + 1)
    with mp.h5.File(name) as file:
        both, frames = np.stack((a, a + 1)), file["/frames"]
        same("a file that grows", (frames[...], file["/frames[-1, 0]"]), (both, both[-1, 0]))
        ok((frames.shape, frames.dtype, len(frames)) == (both.shape, both.dtype, 2), "what a dataset is")
        same("datasets are sliced", (frames[1], frames[0, 1:-1, ::2], frames[..., 2]),
             (both[1], both[0, 1:-1, ::2], both[..., 2]))
        ok(frames.read(0, mp.Layout(a.shape, "*, 0")).layout == mp.Layout(a.shape, "*, 0"), "and read into a layout")
    raises(OSError, "there.h5", "a file that is not there", lambda: mp.h5.read("/not/there.h5:/x"))
    check_images(name, a)
    mp.sum(x).item()
    if mp.rank() == 0:
        os.unlink(name)
        os.rmdir(os.path.dirname(name))


def check_local():
    block = np.arange(6.0 * (mp.rank() + 1)).reshape(-1, 3)[:, ::2]
    x = mp.from_local(block)
    whole = np.concatenate([np.arange(6.0 * (r + 1)).reshape(-1, 3)[:, ::2] for r in range(mp.nranks())])
    same("blocks of NumPy", x, whole)
    if x.device == "host":
        x += 1
        ok(np.array_equal(block, np.arange(6.0 * (mp.rank() + 1)).reshape(-1, 3)[:, ::2] + 1), "their memory is used")
    odd = np.zeros((2, 2), [("a", "i1"), ("b", "f8")])["b"]
    same("a block whose strides are odd is copied", mp.from_local(odd), np.zeros((2 * mp.nranks(), 2)))
    raises(ValueError, "copy is False", "unless that is refused", lambda: mp.from_local(odd, copy=False))
    ok(not np.shares_memory(mp.from_local(block, copy=True).local, block) or x.device != "host", "a copy that is asked for")
    if mp.nranks() > 1:
        raises(ValueError, "differ", "blocks that do not fit", lambda: mp.from_local(np.zeros((2, 3 + mp.rank()))))


def check_garbage():
    """Ranks forget arrays at different times, and nothing hangs or changes."""
    die = dice.Random(mp.rank() + seed)
    kept = []
    x, a = pair((64,))
    total = 0.0
    for turn in range(60):
        y = mp.roll(x, turn) * 2.0
        kept.append(y)
        while len(kept) > 1 and die.random() < 0.5:
            kept.pop(die.randrange(len(kept) - 1))
        if die.random() < 0.2:
            gc.collect()
        total += float(y.sum())
    ok(
        abs(total - 120 * a.sum()) <= 1e-9 * np.abs(a).sum() * 120,
        "garbage is collected at random moments on random ranks",
    )


def check_benchmark():
    calls = []
    times = mp.benchmark(lambda x: calls.append(mp.sum(x)), (mp.ones(10),), n_repeat=3, n_warmup=2, name="a sum")
    ok(
        len(calls) == 5 and times.cpu_times.shape == (3,) and times.gpu_times.shape == (1, 3)
        and times.cpu_times.min() > 0 and repr(times).startswith("a sum"),
        "benchmark() warms up, and times every repeat",
    )



def check_standard():
    """What the array API standard has beside NumPy's names."""
    kinds = (("int8", "integral", True), ("uint8", "signed integer", False), ("bool", "numeric", False),
             ("complex64", ("real floating", "complex floating"), True), ("int8", mp.int8, True))
    for dtype, kind, answer in kinds:
        ok(mp.isdtype(np.dtype(dtype), kind) == answer, f"isdtype {dtype} {kind}")
    raises(ValueError, "none of the kinds", "isdtype of no kind", lambda: mp.isdtype(mp.int8, "real"))
    info = mp.__array_namespace_info__()
    ok(set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}, "dtypes of a kind")
    ok(info.default_dtypes()["real floating"] == mp.zeros(1).dtype, "the default dtype")
    ok(info.devices() == (info.default_device(),) == (mp.zeros(1).device,), "devices")
    ok(info.capabilities()["max dimensions"] == 8, "the most dimensions")
    x, a = pair((3, 4))
    ok(x.to_device(x.device) is x, "an array on its own device")
    same("device=", mp.zeros((2, 3), device=x.device), np.zeros((2, 3)))
    raises(ValueError, "all arrays are on", "another device", lambda: mp.zeros(3, device="tpu"))
    same("fftfreq of float32", mp.fft.fftfreq(7, dtype=mp.float32), np.fft.fftfreq(7).astype("float32"))
    ok(type(mp.finfo(mp.float32).eps) is float and mp.finfo(x).eps == np.finfo(float).eps, "finfo has Python's numbers")
    for dtype in ("int16", "float32", "complex128"):
        b = rng.integers(0, 5, (5, 7)).astype(dtype)
        for nans in (0, 1, 4) if dtype != "int16" else (0,):
            if nans:
                b.ravel()[rng.choice(b.size, nans, False)] = np.nan
            found = mp.unique_all(mp.asarray(b))
            values, counts = np.unique(b[~np.isnan(b)], return_counts=True)
            order = np.argsort(b.ravel(), kind="stable")  # NaN comes last
            first = np.concatenate([[i for i in range(b.size) if b.flat[i] == v][:1] for v in values]
                                   + [np.flatnonzero(np.isnan(b))]).astype("int64")
            lost = int(np.isnan(b).sum())
            values = np.concatenate([values, np.full(lost, np.nan, dtype)])
            counts = np.concatenate([counts, np.ones(lost, counts.dtype)])
            inverse = np.empty(b.size, "int64")
            inverse[order] = np.repeat(np.arange(values.size), counts)
            name = f"unique_all {dtype}, {lost} NaN"
            same(name, tuple(found), (values, first, inverse.reshape(b.shape), counts))
            same(name + ": unique_values", mp.unique_values(mp.asarray(b)), values)
            same(name + ": unique_counts", tuple(mp.unique_counts(mp.asarray(b))), (values, counts))
            same(name + ": unique_inverse", mp.unique_inverse(mp.asarray(b)).inverse_indices, inverse.reshape(b.shape))
    x, a = pair((4, 5, 6))
    i = np.array([[1, -1], [0, 2]])
    same("integers beside index arrays",
         (x[1, mp.asarray(i)], x[:, -2, i], x[i, 3], x[0, :, i], x[i, 2, i], x[None, 1, i]),
         (a[1, i], a[:, -2, i], a[i, 3], a[0, :, i], a[i, 2, i], a[None, 1, i]))
    x[2, :, i] = 7.0
    a[2, :, i] = 7.0
    same("assignment to an integer beside an index array", x, a)
    raises(IndexError, "out of bounds for axis 0 with size 4", "an integer beside an index array, too large", lambda: x[4, i])
    x, a = pair((4, 3, 3))
    y, b = pair((3, 3))
    same("linalg.cross", (mp.linalg.cross(x, y), mp.linalg.cross(x, y, axis=-2)),
         (np.cross(a, b), np.cross(a, b, axis=-2)), 1e-14)
    raises(ValueError, "4 elements", "cross along an axis of 4", lambda: mp.linalg.cross(x, x, axis=0))
    same("cross with its own axes", (mp.cross(x, y, 1, 0, 0), mp.cross(x, y, axisc=0), mp.cross([1, 2, 3], [0, 1, 0])),
         (np.cross(a, b, 1, 0, 0), np.cross(a, b, axisc=0), np.cross([1, 2, 3], [0, 1, 0])), 1e-14)
    same("unstack", mp.unstack(x, axis=-1), [a[..., i] for i in range(3)])
    same("unstack of a list", mp.unstack([[1, 2], [3, 4]]), ([1, 2], [3, 4]))
    same("broadcast_arrays", mp.broadcast_arrays(x, y[0], 2.0), np.broadcast_arrays(a, b[0], 2.0))
    ok(mp.broadcast_arrays() == (), "broadcast_arrays of nothing")
    same("linalg.diagonal, trace", (mp.linalg.diagonal(x, offset=1), mp.linalg.trace(x), mp.linalg.matrix_transpose(x)),
         (np.diagonal(a, 1, -2, -1), np.trace(a, 0, -2, -1), np.swapaxes(a, -2, -1)), 1e-14)
    bounds = np.array([1e-3, 0.3, 0.9, 2.0])
    same("pinv with a bound for each matrix", mp.linalg.pinv(x, rtol=mp.asarray(bounds)), np.linalg.pinv(a, bounds),
         1e-10)
    some = rng.random((4, 3, 3)) < 0.5
    same("reductions over no axes", (mp.sum(x, axis=()), mp.std(x, axis=(), keepdims=True), mp.max(x, axis=()),
                                     mp.any(x > 0, axis=()), mp.sum(x, axis=(), where=mp.asarray(some))),
         (np.sum(a, axis=()), np.std(a, axis=(), keepdims=True), np.max(a, axis=()), np.any(a > 0, axis=()),
          np.sum(a, axis=(), where=some)))
    same("ufuncs over no axes", (np.add.reduce(x, axis=()), np.subtract.reduce(x, axis=())), (a, a))
    raises(ValueError, "no axis", "an index over no axes", lambda: mp.argmax(x, axis=()))
    same("clip by position and by NumPy's names", (mp.clip(x, -1, 2), mp.clip(x, a_min=0), np.clip(x, 0, 1)),
         (np.clip(a, -1, 2), np.clip(a, 0, None), np.clip(a, 0, 1)))


def check_linalg():
    """What scipy.linalg has beside numpy.linalg, by its own calls."""
    a, b = rng.standard_normal((6, 6)) + 6 * np.eye(6), rng.standard_normal((6, 2))
    x, y = mp.array(a), mp.array(b)
    for name in ("cosm", "sinm", "tanm", "coshm", "sinhm"):
        same(name, getattr(mp.linalg, name)(x / 6), getattr(scipy.linalg, name)(a / 6), 1e-11)
    for name, got, want in zip(("lu", "d", "perm"), mp.linalg.ldl(h := a + a.T), scipy.linalg.ldl(h)):
        same(f"ldl, {name}", got, want, 1e-10)
    same("funm", mp.linalg.funm(h / 6, np.exp), scipy.linalg.expm(h / 6).astype(complex), 1e-11)
    raises(ValueError, "ZeroDivisionError", "a function that fails", lambda: mp.linalg.funm(h, lambda w: 1 / 0))
    definite = a @ a.T + np.eye(len(a))
    for names in ({"subset_by_index": (1, 2)}, {"subset_by_value": (-np.inf, 0.5)}, {"type": 2, "lower": False}, {}):
        want = scipy.linalg.eigh(h, definite, eigvals_only=True, **names)
        same(f"eigh of a pair, {names}", mp.linalg.eigh(h, definite, **names)[0], want, 1e-9)
        same(f"eigvalsh of a pair, {names}", mp.linalg.eigvalsh(h, b=definite, **names), want, 1e-9)
    same("eigh without vectors", mp.linalg.eigh(h, eigvals_only=True), np.linalg.eigvalsh(h), 1e-11)
    raises(ValueError, "one of them says it all", "two subsets",
           lambda: mp.linalg.eigh(h, subset_by_index=(0, 1), subset_by_value=(0, 1)))
    same("sqrtm", mp.linalg.sqrtm(x), scipy.linalg.sqrtm(a).astype(complex), 1e-11)
    same("logm", mp.linalg.logm(x), scipy.linalg.logm(a).astype(complex), 1e-11)
    for output in ("real", "complex"):
        t, z = (v.numpy() for v in mp.linalg.schur(x, output))
        same(f"schur, {output}", (z @ t @ np.conj(z.T)).real, a, 1e-11)
    raises(ValueError, "neither real nor complex", "schur of another kind", lambda: mp.linalg.schur(x, "float"))
    same("solve in mixed precision", mp.linalg.solve(x, y, mixed=True), np.linalg.solve(a, b), 1e-11)
    bands = np.vstack([rng.standard_normal((2, 6)), np.full(6, 9.0)])[[0, 2, 1]]
    same("solve_banded", mp.linalg.solve_banded((1, 1), mp.array(bands), y), scipy.linalg.solve_banded((1, 1), bands, b),
         1e-12)
    same("solveh_banded", mp.linalg.solveh_banded(mp.array(bands[1:]), y, lower=True),
         scipy.linalg.solveh_banded(bands[1:], b, lower=True), 1e-12)
    c, r = bands[1] / np.arange(1, 7), bands[0]
    for name, of_ours, of_scipy in (("c", mp.array(c), c), ("c and r", (mp.array(c), mp.array(r)), (c, r))):
        same(f"solve_toeplitz of {name}", mp.linalg.solve_toeplitz(of_ours, y),
             scipy.linalg.solve_toeplitz(of_scipy, b), 1e-10)


def check_dlpack():
    if mp.zeros(1).device != "host":
        ok(mp.zeros(3).__dlpack_device__()[0] == 2, "DLPack of a GPU's memory")  # gpu_blocks.py has the rest
        return
    a = np.arange(6.0)
    x = mp.from_dlpack(a)
    same("from_dlpack", x, a)
    if mp.nranks() == 1:
        a[0] = 9
        shares = np.from_dlpack(a).flags.writeable  # not in NumPy 1
        same("from_dlpack shares memory on one rank, if it may be written to", x[0], a[0] if shares else np.float64(0))
        same("from_dlpack with copy", mp.from_dlpack(a, copy=True) + 1, a + 1)
        ok(np.shares_memory(np.from_dlpack(x), x.local), "__dlpack__ shares memory")
    else:
        raises(ValueError, "copy is False", "no copy on several ranks", lambda: mp.from_dlpack(a, copy=False))
        raises(BufferError, "spread over ranks", "DLPack of a spread array", lambda: mp.zeros(10).__dlpack__())
    whole = mp.replicate(mp.asarray(a))
    good = np.array_equal(np.from_dlpack(whole), a) and whole.__dlpack_device__() == (1, 0)
    ok(good, "DLPack of an array on all ranks")
    check_read_only()
    check_lending()
    check_ufunc_methods()
    check_grids()
    check_more_arguments()
    check_sparse_parts()
    check_polynomials()
    check_more_indices()


def check_ufunc_methods():
    """maniple.add.at and its kin, as CuPy's and NumPy's functions have them."""
    x, a = mp.zeros((4, 5)), np.zeros((4, 5))
    i, j = np.array([0, 0, 3, -1]), np.array([1, 1, 2, 4])
    mask = rng.random((4, 5)) < 0.5
    keys = {"an array": i, "two": (i, j), "beside a slice": (slice(None), j), "a mask": mask, "a slice": slice(1, 3),
            "an integer": (2, j), "a list": [0, 0, 2]}
    for name, key in keys.items():
        spread = tuple(mp.asarray(k) if isinstance(k, np.ndarray) else k for k in key) if isinstance(key, tuple) else (
            mp.asarray(key) if isinstance(key, np.ndarray) else key)
        value = rng.random(a[key].shape)
        for mine, theirs in ((mp.add, np.add), (np.maximum, np.maximum)):
            mine.at(x, spread, mp.asarray(value))
            theirs.at(a, key, value)
        mp.subtract.at(x, spread, 0.25)
        np.subtract.at(a, key, 0.25)
        mp.negative.at(x, spread)
        np.negative.at(a, key)
        same(f"at of {name}", x, a, 1e-14)
    for name in ("add", "maximum", "subtract", "logical_or"):
        mine, theirs = getattr(mp, name), getattr(np, name)
        same(f"methods of {name}", (mine.reduce(x), mine.reduce(x, axis=1, keepdims=True), mine.accumulate(x, axis=1),
                                    mine.outer(x[0], x[1]), mine.reduceat(x, [0, 2], axis=1)),
             (theirs.reduce(a), theirs.reduce(a, axis=1, keepdims=True), theirs.accumulate(a, axis=1),
              theirs.outer(a[0], a[1]), theirs.reduceat(a, [0, 2], axis=1)), 1e-14)
    same("reduce with initial and where", mp.add.reduce(x, axis=None, initial=3, where=mp.asarray(mask)),
         np.add.reduce(a, axis=None, initial=3, where=mask), 1e-14)
    ok((mp.add.nin, mp.divmod.nout, hasattr(mp.sin, "reduce")) == (2, 2, False), "what functions take and give")


def check_more_arguments():
    x, a = pair((5, 6))
    for obj in (2, -1, slice(1, 3), slice(None, None, 2), [0, 3], np.array([4, 0, 4]), [], np.arange(5) % 2 == 0):
        same(f"delete {obj}", mp.delete(x, obj, 0), np.delete(a, obj, 0))
    same("delete of the flattened array", mp.delete(x, [0, -1, 7]), np.delete(a, [0, -1, 7]))
    raises(IndexError, "out of", "an index that is not there", lambda: mp.delete(x, [9], 0))
    for dtype in ("float16", "float32", "float64"):
        b = np.array([np.nan, np.inf, -np.inf, 1.5, -0.0], dtype)
        for named in ({}, {"nan": -1.0}, {"posinf": 9.0}, {"neginf": -9.0, "nan": 2}):
            y = mp.asarray(b)
            same(f"nan_to_num of {dtype}, {named}", mp.nan_to_num(y, **named), np.nan_to_num(b, **named))
            mp.nan_to_num(y, copy=False, **named)
            same("in place", y, np.nan_to_num(b, **named))
    raises(TypeError, "complex128", "nan= of complex numbers", lambda: mp.nan_to_num(mp.zeros(2, complex), nan=1.0))


def check_grids():
    for key in (slice(5), slice(1, 2, 0.25), slice(-1, 1, 5j), (slice(0, 3), slice(1, 2, 0.25)),
                (slice(-1, 1, 5j), slice(3), slice(2))):
        same(f"mgrid, ogrid {key}", (mp.mgrid[key], *mp.ogrid[key]) if isinstance(key, tuple) else (mp.mgrid[key],),
             (np.mgrid[key], *np.ogrid[key]) if isinstance(key, tuple) else (np.mgrid[key],), 1e-15)
    x, a = pair((3, 2))
    same("r_", (mp.r_[1:4, 0, 4], mp.r_[0:1:5j, x[:, 0]], mp.r_[x, x]), (np.r_[1:4, 0, 4], np.r_[0:1:5j, a[:, 0]], np.r_[a, a]))
    same("c_", (mp.c_[x[:, 0], x[:, 1]], mp.c_[x, x[:, 0]]), (np.c_[a[:, 0], a[:, 1]], np.c_[a, a[:, 0]]))
    raises(TypeError, "concatenate", "r_ with an axis", lambda: mp.r_["0,2", 1])
    raises(TypeError, "loc is an array", "a distribution of an array", lambda: mp.random.normal(mp.arange(3)))
    y = np.arange(12).reshape(3, 4) % 3
    same("ndimage.sum by labels that are an array", mp.ndimage.sum(x[:, :1] + mp.zeros((3, 4)), mp.asarray(y), mp.arange(1, 3)),
         scipy.ndimage.sum(a[:, :1] + np.zeros((3, 4)), y, np.arange(1, 3)), 1e-14)


def check_sparse_parts():
    """Sparse matrices of what SciPy and CuPy make them of, and their arithmetic."""
    a = scipy.sparse.random(7, 9, 0.4, random_state=1, format="csr")
    c, A = a.tocoo(), mp.sparse.csr_array(a)
    mine = slice(c.nnz * mp.rank() // mp.nranks(), c.nnz * (mp.rank() + 1) // mp.nranks())
    numbers = [mp.asarray(v) for v in (c.data, c.row, c.col)]
    for name, made in (("rows", mp.sparse.csr_array((a.data, a.indices, a.indptr), a.shape)),
                       ("entries", mp.sparse.coo_array((c.data, (c.row, c.col)), a.shape)),
                       ("entries of each rank", mp.sparse.from_local((c.data[mine], (c.row[mine], c.col[mine])), a.shape)),
                       ("arrays", mp.sparse.csr_array((numbers[0], (numbers[1], numbers[2])), a.shape)),
                       ("another one", mp.sparse.csr_array(A)), ("a copy", A.copy()), ("columns", A.tocsc())):
        same(f"a sparse matrix of {name}", made.toarray(), a.toarray())
    same("sparse matrices, in float32 and without entries",
         (mp.sparse.csr_array((a.data, a.indices, a.indptr), dtype="float32").toarray(), mp.sparse.csr_array((3, 4)).toarray()),
         (a.astype("float32").toarray(), np.zeros((3, 4))))
    same("arithmetic of sparse matrices", [B.toarray() for B in (2 * A, -A / 4, A * 1j, A[2:-1], A.dot(3), A.multiply(2.5))],
         [b.toarray() for b in (2 * a, -a / 4, a * 1j, a[2:-1], a.dot(3), a.multiply(2.5))])
    same("dot", A.dot(mp.ones(9)), a @ np.ones(9), 1e-14)
    large = scipy.sparse.random(1000, 1000, 0.3, random_state=2, format="csr")  # whose values are converted
    large.data = (large.data * 10).astype(int)
    same("a matrix of integers", mp.sparse.csr_array(large) @ mp.ones(1000), large @ np.ones(1000), 1e-14)
    raises(TypeError, "a number", "multiply() of a dense array", lambda: A.multiply(np.ones((7, 9))))
    for name, function in (("dot() of a text", lambda: A.dot("x")), ("a matrix times an array", lambda: A * mp.ones(9)),
                           ("an array of NumPy times a matrix", lambda: np.ones(9) * A)):
        raises(TypeError, "", name, function)
    raises(TypeError, "alone", "rows of Maniple's arrays", lambda: mp.sparse.csr_array((numbers[0], numbers[1], numbers[2]), (7, 9)))
    same("triangles", (mp.sparse.tril(A, 1).toarray(), mp.sparse.triu(A).toarray()),
         (scipy.sparse.tril(a, 1).toarray(), scipy.sparse.triu(a).toarray()))
    for arguments in (np.arange(1.0, 4.0),), ([1.0, 2, 3], 0), ([np.ones(4), 2 * np.ones(3)], [0, -1]), \
            ([-1.0, 2, -1], [-1, 0, 1], (5, 5)), ([[1.0, 2.0, 3.0]], [2]), ([1.0], [0], (3, 5)):
        same(f"diags {arguments}", mp.sparse.diags(*arguments).toarray(), scipy.sparse.diags(*arguments).toarray())
    same("a diagonal of Maniple", mp.sparse.diags(mp.arange(3.0), 1).toarray(), scipy.sparse.diags(np.arange(3.0), 1).toarray())
    B = mp.sparse.diags([-1.0, 2, -1], [-1, 0, 1], (50, 50), format="csr")
    same("tol= of solvers", B @ mp.sparse.linalg.cg(B, mp.ones(50), tol=1e-12)[0], np.ones(50), 1e-9)
    check_sparse_blocks(a, A)
    raises(ValueError, "1 columns", "entries of which one is incomplete",
           lambda: mp.sparse.from_local(([1.0] * 2, ([0] * (1 + (mp.rank() > 0)), [0])), (2, 2)))
    raises(ValueError, "elements, not 4", "a diagonal that is too long", lambda: mp.sparse.diags([np.ones(4)], [2], (5, 5)))
    ok(mp.sparse.issparse(A) and not mp.sparse.issparse(a), "issparse")


def check_sparse_blocks(a, A):
    """Elements, rows and columns of a matrix, its entries, and matrices of matrices."""
    mask = np.arange(9) % 2 == 0
    for key in (slice(1, 6, 2), slice(None, None, -1), [3, 0, 3], [], np.array([-1]), (slice(2, 5), slice(1, 4)),
                (slice(None), [8, 0]), ([1, 1], slice(2, 4)), (slice(None), mask)):
        same(f"a sparse matrix at {key}", A[key].toarray(), a[key].toarray())
    same("a row and a column", (A[2].toarray(), A[-1, :].toarray(), A[:, 3].toarray(), A[2, 1:4].toarray(), A.getcol(1).toarray()),
         (a[[2]].toarray(), a[[-1]].toarray(), a[:, [3]].toarray(), a[[2], 1:4].toarray(), a[:, [1]].toarray()))
    same("rows that an array names", A[mp.arange(2, 5)].toarray(), a[2:5].toarray())
    same("elements", [A[i, j] for i in (0, -1, 4) for j in (0, 3, -2)], [a[i, j] for i in (0, -1, 4) for j in (0, 3, -2)])
    raises(IndexError, "", "an element outside", lambda: A[7, 0])
    raises(IndexError, "block", "lists of rows and columns", lambda: A[[0, 1], [0, 1]])
    raises(IndexError, "a mask of shape (9,) for 7 rows", "a mask of another length", lambda: A[mask])
    same("entries", (A.row, A.col, A.data, *mp.sparse.find(A)),
         (*(v.astype(int) for v in a.tocoo().coords), a.data, *(v.astype(int) for v in a.tocoo().coords), a.data)
         if hasattr(a.tocoo(), "coords") else (a.tocoo().row.astype(int), a.tocoo().col.astype(int), a.data) * 2)
    same("functions of entries", [B.toarray() for B in (abs(-A), A.power(2), A.sqrt())],
         [b.toarray() for b in (abs(-a), a.power(2), a.sqrt())], 1e-15)
    same("means and a trace", (A.mean(), A.mean(0), A.mean(1), A.trace()),
         (np.asarray(a.toarray().mean()), a.toarray().mean(0), a.toarray().mean(1), np.asarray(a.toarray().trace())), 1e-14)
    eye, I = scipy.sparse.eye(3, 9), mp.sparse.eye(3, 9)
    for name, got, want in (("kron", mp.sparse.kron(A, I), scipy.sparse.kron(a, eye)), ("vstack", mp.sparse.vstack([A, I]), scipy.sparse.vstack([a, eye])),
                            ("hstack", mp.sparse.hstack([A, A[:, :2]]), scipy.sparse.hstack([a, a[:, :2]])),
                            ("block_diag", mp.sparse.block_diag([A, I]), scipy.sparse.block_diag([a, eye])),
                            ("bmat", mp.sparse.bmat([[A, None], [None, I]], dtype="complex64"), scipy.sparse.bmat([[a, None], [None, eye]], dtype="complex64"))):
        same(name, got.toarray(), want.toarray())
    ok(mp.sparse.kron(mp.sparse.identity(3), A, format="csc").format == "csc", "the format of a product")
    raises(ValueError, "lengths [1, 2]", "blocks in lists of several lengths", lambda: mp.sparse.bmat([[A], [A, A]]))


def check_polynomials():
    p, q, points = np.array([0.0, 2, -3, 1]), np.array([1, 4]), np.linspace(-1, 2, 50)
    P, x = mp.asarray(p), mp.asarray(points)
    same("sums and products of polynomials", (mp.polyadd(P, q), mp.polysub(q, P), mp.polymul(P, q), mp.polyadd([1], [2])),
         (np.polyadd(p, q), np.polysub(q, p), np.polymul(p, q), np.polyadd([1], [2])))
    same("derivatives and integrals", (mp.polyder(P), mp.polyder(P, 2), mp.polyder([1, 2, 3]), mp.polyint(P), mp.polyint(P, 2, [3, 4])),
         (np.polyder(p), np.polyder(p, 2), np.polyder([1, 2, 3]), np.polyint(p), np.polyint(p, 2, [3, 4])))
    same("values", (mp.polyval(P, x), mp.polyval([1, 2, 3], mp.arange(4)), mp.polyval(P, 2.0), mp.polyval([], x)),
         (np.polyval(p, points), np.polyval([1, 2, 3], np.arange(4)), np.polyval(p, 2.0), np.polyval([], points)), 1e-14)
    same("vander", (mp.vander(mp.arange(4)), mp.vander(x, 3), mp.vander(x, 4, True), mp.vander(x, 1), mp.vander([2, 3], 0)),
         (np.vander(np.arange(4)), np.vander(points, 3), np.vander(points, 4, True), np.vander(points, 1), np.vander([2, 3], 0)), 1e-14)
    y, w = np.sin(points), 1 + points**2
    several = np.stack([y, w], 1)
    same("polyfit", (mp.polyfit(x, mp.asarray(y), 3), mp.polyfit(x, y, 2, w=mp.asarray(w)), mp.polyfit(x, several, 2)),
         (np.polyfit(points, y, 3), np.polyfit(points, y, 2, w=w), np.polyfit(points, several, 2)), 1e-10)
    for zeros in ([1.0, -2, 5], [0.0, 0, 3], [4.0]):
        made = mp.poly(zeros)
        same(f"poly of {zeros}", made, np.poly(np.array(zeros)), 1e-14)
        same("and its roots", np.sort(mp.roots(made).numpy().real), np.sort(zeros), 1e-10)
    same("complex roots", np.sort_complex(mp.roots([0, 1, 0, 1]).numpy()), np.array([-1j, 1j]), 1e-14)


def check_more_indices():
    """What selects and inserts by indices."""

    def places(obj):  # NumPy 1 takes bools for numbers
        obj = obj.numpy() if isinstance(obj, mp.ndarray) else obj
        return np.flatnonzero(obj) if getattr(obj, "dtype", None) == bool else obj

    x, a = pair((5, 6))
    for obj, what in ((2, 7), (-1, np.arange(5)), ([1], np.arange(5).reshape(5, 1)), ([0, 3, 3], np.arange(15.0).reshape(5, 3)),
                      (slice(0, 6, 2), 1), (np.arange(6) > 3, [[1, 2]]), ([], 0), (mp.arange(2), 9)):
        same(f"insert at {obj}", mp.insert(x, obj, what, 1), np.insert(a, places(obj), what, 1))
    same("insert in the flattened array", (mp.insert(x, [3, 29], [1, 2]), mp.insert([1, 2], 1, [7, 8])),
         (np.insert(a, [3, 29], [1, 2]), np.insert([1, 2], 1, [7, 8])))
    raises(IndexError, "out of bounds", "an index to insert at", lambda: mp.insert(x, [0, 7], 0, 1))
    same("delete what an array names", (mp.delete(x, mp.arange(1, 3), 0), mp.delete(x, x[0] > 0, 1)),
         (np.delete(a, [1, 2], 0), np.delete(a, a[0] > 0, 1)))
    b = np.array([[2, 1], [0, 5], [2, 1], [0, 1], [0, 5]])
    for axis in (0, 1):
        found, *others = np.unique(b, True, True, True, axis=axis)
        got = mp.unique(mp.asarray(b), True, True, True, axis=axis)
        same(f"unique along {axis}", got, (found, *(v.reshape(-1) for v in others)))
    same("unique rows alone", mp.unique(mp.asarray(b), axis=0), np.unique(b, axis=0))
    same("indices of triangles", (*mp.tril_indices(4), *mp.triu_indices(3, 1, 5), *mp.tril_indices_from(x, -1), *mp.triu_indices_from(x), *mp.diag_indices(3)),
         (*np.tril_indices(4), *np.triu_indices(3, 1, 5), *np.tril_indices_from(a, -1), *np.triu_indices_from(a), *np.diag_indices(3)))
    same("elements above the diagonal", x[mp.triu_indices_from(x, 1)], a[np.triu_indices_from(a, 1)])
    for shape in ((5, 6), (6, 4), (3, 3, 3)):
        for value in (7.0, [1.0, 2.0]):
            y, c = pair(shape)
            mp.fill_diagonal(y, value)
            np.fill_diagonal(c, value)
            same(f"fill_diagonal of {shape}", y, c)
    i = np.array([[0, 29], [13, 7]])
    same("indices of several dimensions", (*mp.unravel_index(mp.asarray(i), (5, 6)), mp.ravel_multi_index((mp.asarray(i) % 5, mp.asarray(i) % 6), (5, 6))),
         (*np.unravel_index(i, (5, 6)), np.ravel_multi_index((i % 5, i % 6), (5, 6))))
    raises(IndexError, "out of bounds", "an index beyond the end", lambda: mp.unravel_index(mp.arange(31), (5, 6)))
    ok(x.item(8) == a.item(8) and x.item(-1) == a.item(-1) and x.item(2, 3) == a.item(2, 3), "item at an index of all elements")
    same("block", (mp.block([[x, x[:, :1]], [x[0], 5]]), mp.block([x[0], x[1]]), mp.block(x)),
         (np.block([[a, a[:, :1]], [a[0], 5]]), np.block([a[0], a[1]]), a))
    z = np.array([0, 0, 1, 0, 2, 0])
    same("trim_zeros", [mp.trim_zeros(mp.asarray(v), t) for v in (z, z[:2]) for t in ("fb", "f", "b")],
         [np.trim_zeros(v, t) for v in (z, z[:2]) for t in ("fb", "f", "b")])


def check_read_only():
    """Blocks of broadcast views, whose elements share memory, can be read alone, as NumPy's."""
    x, row = mp.zeros((mp.nranks() * 2, 3)), mp.zeros(3)
    for name, view in (("broadcast_to", mp.broadcast_to(row, (4, 3))), ("a view of it", mp.broadcast_to(row, (4, 3))[1:, ::2]),
                       ("broadcast_arrays", mp.broadcast_arrays(x, row)[1]), ("broadcast_arrays of numbers", mp.broadcast_arrays(x, 1.5)[1])):
        block = view.local
        if view.device == "host":
            ok(not block.flags.writeable or block.size == 0, f"the block of {name} is read-only")
            whole = mp.broadcast_to(mp.replicate(row), (4, 3))
            raises(BufferError, "read-only", "DLPack before version 1 cannot say so", whole.__dlpack__)
            lent = whole.__dlpack__(max_version=(1, 0)), whole.__dlpack__(max_version=(1, 0), copy=True)
            flags = [managed[0].flags for managed in list(_dlpack._lent.values())[-2:]]
            ok(flags == [1, 0], f"version 1 says so, and not of a copy: {flags}")
            del lent
        else:
            ok(block.__cuda_array_interface__["data"][1], f"the block of {name} is read-only")
        raises(ValueError, "broadcast view", f"{name} cannot be written", lambda view=view: view.__setitem__(..., 1.0))
    _dlpack.sweep()
    ok(x.device != "host" or x.local.flags.writeable, "the block of an array can be written")
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    y = mp.from_local(frozen)
    y += 1
    same("NumPy's memory that is read-only is copied", frozen, np.arange(3.0))
    raises(ValueError, "copy is False", "or refused", lambda: mp.from_local(frozen, copy=False))


def check_lending():
    """What is lent to other libraries on GPUs, here to NumPy: taken, refused, and given back."""
    x = mp.ones(3 * mp.nranks())
    block, before = x.local, len(_dlpack._lent)

    class Lent:
        def __init__(self, device):
            self.device = device

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **_):
            capsule = _dlpack.lend(x, block.ctypes.data, block.shape, [1])
            _dlpack._lent[list(_dlpack._lent)[-1]][0].tensor.device = self.device
            return capsule

    taken = np.from_dlpack(Lent((1, 0)))
    ok(np.array_equal(taken, block) and len(_dlpack._lent) == before + 1, "a block that is lent is the array's")
    raises((BufferError, RuntimeError), "device", "NumPy refuses a GPU's block", lambda: np.from_dlpack(Lent((2, 0))))
    _dlpack.sweep()
    ok(len(_dlpack._lent) == before + 1, "what was refused is given back, and what was taken is not")
    del taken
    ok(len(_dlpack._lent) == before and not _dlpack._capsules, "until nobody has it any more")


def check_copies():
    x, a = pair((4, 3))
    y, z = copy.copy(x), copy.deepcopy([x])[0]
    y += 1
    same("copies of an array are arrays of their own", (x, y, z), (a, a + 1, a))
    raises(TypeError, "save()", "arrays are not pickled", lambda: pickle.dumps(x))
    raises(TypeError, "neither copied nor pickled", "nor generators", lambda: pickle.dumps(mp.random.default_rng(1)))
    ok(f"{mp.sum(x):.3f}" == f"{a.sum():.3f}", "a number with a format")
    raises(TypeError, "12 elements", "several numbers with a format", lambda: f"{x:.3f}")
    for wrong in ("a", 1.5, (0, "a")):
        raises(IndexError, "is no index", f"x[{wrong!r}]", lambda: x[wrong])
    raises(IndexError, "out of bounds", "assignment beyond the end", lambda: x.__setitem__(4, 0))
    raises(ValueError, "broadcast", "assignment of another shape", lambda: x.__setitem__(0, mp.ones(4)))
    raises(TypeError, "is no shape", "a text as a shape", lambda: mp.zeros("a"))
    cuts = mp.Layout((10, 3), "0, *").cuts(0)
    ok(len(cuts) == mp.nranks() + 1 and cuts[0] == 0 and cuts[-1] == 10, "the cuts of a layout")


def check_refusals():
    """What is wrong is one sentence; lists that are too short are not read beyond their end."""
    x, _ = pair((3, 4))
    sparse = mp.sparse.generate("poisson:3x3")
    for kind, words, name, function in (
        (TypeError, "asarray()", "zeros_like of NumPy's array", lambda: mp.zeros_like(np.ones(3))),
        (ValueError, "none of full, same, valid", "a mode", lambda: mp.signal.convolve(x, x, mode="foo")),
        (ValueError, "none of raise", "a mode of take", lambda: mp.take(x, [0], mode="foo")),
        (ValueError, "none of heap", "a pool", lambda: mp.MemoryPool("foo")),
        (ValueError, "none of csr", "a format", lambda: sparse.asformat("foo")),
        (ValueError, "none of LM", "eigenvalues of no kind", lambda: mp.sparse.linalg.eigsh(sparse, 1, which="foo")),
        (IndexError, "out of bounds", "an axis that is not there", lambda: mp.sum(x, axis=2)),
        (ValueError, "out of bounds", "which is a ValueError too", lambda: mp.expand_dims(x, 3)),
        (ValueError, "1 axes for 2", "too few axes", lambda: mp.transpose(x, (0,))),
        (ValueError, "1 destinations", "too few destinations", lambda: mp.moveaxis(x, (0, 1), (1,))),
        (ValueError, "as many", "too few lengths", lambda: mp.fft.fftn(x, s=(3,), axes=(0, 1))),
        (ValueError, "2 elements", "too few axes of fft2", lambda: mp.fft.fft2(x, axes=(0,))),
        (ValueError, "2 probabilities", "too few of p", lambda: mp.random.choice(3, 5, p=[0.5, 0.5])),
        (ValueError, "two numbers", "a range of one number", lambda: mp.histogram(x, 5, [1.0])),
        (RuntimeError, "1 dimensions", "a structure of one", lambda: mp.ndimage.binary_erosion(x > 0, [1, 1, 1])),
        (ValueError, "(3, 3)", "a structure of a label", lambda: mp.ndimage.label(x > 0, [1, 1, 1])),
        (RuntimeError, "2 axes", "a footprint of one", lambda: mp.ndimage.median_filter(x, footprint=[1, 1])),
        (ValueError, "2 values", "too few rows", lambda: mp.sparse.csr_array(([1.0, 2.0], ([0], [0, 1])), (2, 2))),
        (ValueError, "2 dimensions", "too few indices of an owner", lambda: x.layout.owner((0,))),
        (TypeError, "shape and a function", "cg of a dense array", lambda: mp.sparse.linalg.cg(x, x[0])),
    ):
        raises(kind, words, name, function)
    y = mp.asarray(np.ones((4, 6)), layout="*, 0")
    ok(y.layout == mp.Layout((4, 6), "*, 0"), "asarray with a text as the layout")


def check_more_names():
    """Names of NumPy's that pass on to others."""
    c, v, w = (rng.standard_normal(n) for n in (9, 7, 4))
    a = np.arange(24.0).reshape(4, 2, 3)
    for mode in ("full", "same", "valid"):
        for p, q in ((v, w), (w, v), (c + 1j, w), (w, c - 2j)):
            for name in ("convolve", "correlate"):
                same(f"{name} of {len(p)} and {len(q)}, {mode}", getattr(mp, name)(mp.asarray(p), mp.asarray(q), mode),
                     getattr(np, name)(p, q, mode), 1e-12)
    integers = np.arange(6), np.arange(4)
    same("convolve of integers", mp.convolve(*map(mp.asarray, integers)), np.convolve(*integers))
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        same(name, [getattr(mp, name)(n) for n in (0, 1, 2, 9)], [getattr(np, name)(n) for n in (0, 1, 2, 9)], 1e-12)
    same("kaiser", mp.kaiser(9, 5.0), np.kaiser(9, 5.0), 1e-12)
    x = mp.asarray(a)
    for name, many in (("vsplit", 2), ("hsplit", [1]), ("dsplit", 3)):
        same(name, getattr(mp, name)(x, many), getattr(np, name)(a, many))
        same(f"numpy.{name}", getattr(np, name)(x, many), getattr(np, name)(a, many))
    key = [0, 2], np.array([True, False]), [2, 0]
    same("ix_", x[mp.ix_(*key)], a[np.ix_(*key)])
    same("cross", (mp.cross(x, x[0, 0]), np.cross(x, x[0])), (np.cross(a, a[0, 0]), np.cross(a, a[0])))
    same("diagflat", mp.diagflat(x[:2, :, 0], 1), np.diagflat(a[:2, :, 0], 1))
    same("fix", mp.fix(x - 2.5), np.fix(a - 2.5))
    same("copies in an order", (mp.ascontiguousarray(x.T), mp.asfortranarray(x, "float32")), (a.T, a.astype("float32")))
    ok(mp.array_equiv(x, x[None]) and not mp.array_equiv(x, x[:3]), "array_equiv")
    ok(7 in x and 99 not in x, "what is in an array")
    x.set(a + 1)
    same("set", x, a + 1)
    ok(x.tobytes() == (a + 1).tobytes(), "tobytes")
    same("of what NumPy reads", (mp.fromiter(range(5), float), mp.frombuffer(b"abc", "uint8")),
         (np.arange(5.0), np.frombuffer(b"abc", "uint8")))
    ok(mp.result_type("uint32", "int32", 1) == np.int64, "result_type with a number")


def check_cupy_names():
    """Names of CuPy's that have no case elsewhere."""
    points = rng.standard_normal((50, 2))
    counts, edges = mp.histogramdd(mp.asarray(points), (3, 4), [(-2.0, 2.0), (-1.0, 1.0)])
    wanted, bounds = np.histogramdd(points, (3, 4), [(-2.0, 2.0), (-1.0, 1.0)])
    same("histogramdd", (counts, *edges), (wanted, *bounds), 1e-12)
    same("histogram_bin_edges", mp.histogram_bin_edges(mp.asarray(points), 5), np.histogram_bin_edges(points, 5), 1e-12)
    mp.random.seed(3)
    first = mp.random.normal(size=40)
    ok(mp.array_equal(first, mp.random.default_rng(3).normal(size=40)), "functions of mp.random draw from a generator")
    ok(not mp.array_equal(first, mp.random.normal(size=40)) and mp.random.randint(5, size=9).shape == (9,), "and go on")
    x, a = pair((7, 3))
    x.partition(2, axis=0)
    same("partition in place", (x[2], mp.sort(x, 0)), (np.sort(a, 0)[2], np.sort(a, 0)))
    x.sort(axis=1)
    same("sort in place", x, np.sort(x.numpy(), 1))
    matrix = np.tril(rng.standard_normal((9, 9))) + 5 * np.eye(9)
    b, c = pair((9,))
    A = mp.sparse.csr_array(scipy.sparse.csr_matrix(matrix))
    same("spsolve_triangular", mp.sparse.linalg.spsolve_triangular(A, b), np.linalg.solve(matrix, c), 1e-10)
    laplacian = mp.sparse.generate("poisson:6x6")
    start = mp.random.default_rng(1).normal(size=(36, 2))
    same("lobpcg", mp.sparse.linalg.lobpcg(laplacian, start, largest=False)[0],
         np.linalg.eigvalsh(laplacian.toarray().numpy())[:2], 1e-6)
    ok(mp.get_array_module(x, 1.0) is mp and mp.get_array_module(a) is np, "get_array_module")
    raises(ValueError, "no preconditioner", "a preconditioner of no name", lambda: mp.sparse.linalg.Preconditioner(A, "x"))


def check_page():
    """The blocks of docs/from-cupy.md that begin with "# Maniple", one after the other; "# -> " names a value."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "from-cupy.md")
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n# Maniple\n(.*?)^```", file.read(), re.M | re.S)
    n = 30
    known = {"np": np, "scipy_matrix": scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()}
    folder, back = shared_folder(), os.getcwd()
    os.chdir(folder)
    for block in blocks:
        lines = block.split("\n")
        for statement in ast.parse(block).body:
            text = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
            value = lines[statement.end_lineno - 1].partition("# -> ")[2]
            if not value:
                exec(text, known)  # noqa: S102  the page's own lines
                continue
            got, want = np.asarray(eval(text.strip(), known)), np.asarray(eval(value))
            good = got.shape == want.shape and np.allclose(got.astype(float), want.astype(float), rtol=1e-6)
            ok(good, f"from-cupy.md: {text.partition('#')[0].strip()} is {value}{'' if good else f', not {got}'}")
    ok(len(blocks) > 15, f"from-cupy.md has {len(blocks)} blocks that run")
    os.chdir(back)
    mp.sum(mp.ones(mp.nranks())).item()  # all are done with the folder
    if mp.rank() == 0:
        shutil.rmtree(folder)


def check_notebook():
    """The notebook's cells print the same on any number of ranks."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    path = os.path.join(source, "build-aux", "notebook-page")
    loader = importlib.machinery.SourceFileLoader("notebook_page", path)
    pages = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(pages)
    names = {}
    for kind, text, wanted in pages.cells_of(os.path.join(source, "docs", "notebook.ipynb"))[1]:
        if kind == "code":
            got = pages.printed(text, names)
            ok(got == wanted or mp.rank() > 0, f"the notebook: {text.splitlines()[-1]}{'' if got == wanted else ': ' + got}")


def shared_folder():
    """A new folder of rank 0's, on all ranks."""
    folder = tempfile.mkdtemp() if mp.rank() == 0 else ""
    text = np.zeros(200 if mp.rank() == 0 else 0, np.uint8)
    text[: len(folder)] = list(folder.encode())
    code = mp.from_local(text).numpy()
    return bytes(code[code > 0]).decode()


for check in (
    check_arrays,
    check_copies,
    check_refusals,
    check_operators,
    check_powers,
    check_indexing,
    check_functions,
    check_names,
    check_standard,
    check_linalg,
    check_dlpack,
    check_large_integers,
    check_evaluate,
    check_random,
    check_kernels,
    check_signal,
    check_filters,
    check_cosine_transforms,
    check_fft_plans,
    check_ndimage,
    check_sparse,
    check_short_time,
    check_ranks,
    check_files,
    check_local,
    check_garbage,
    check_benchmark,
    check_more_names,
    check_cupy_names,
    check_page,
    check_notebook,
):
    try:
        check()
    except Exception as error:  # noqa: BLE001
        import traceback

        if mp.rank() == 0:
            traceback.print_exc()
        ok(False, f"{check.__name__} ends with {type(error).__name__}: {error}")
raise SystemExit(1 if failures else 0)
