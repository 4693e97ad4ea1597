# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's and CuPy's functions, kernels, and names."""

import inspect

import maniple as mp
import numpy as np
import scipy.sparse

from . import few, ok, pair, raises, rng, same


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
        "sum dtype": lambda m, p, q, r: m.sum(abs(p), dtype="float32"),
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
        "einsum by numbers": lambda m, p, q, r: m.einsum(p, [0, 1], q, [2, 1], [2, 0]),
        "einsum by numbers, implicit": lambda m, p, q, r: m.einsum(p, [30, 1], q, (2, 1)),
        "einsum by numbers with dots": lambda m, p, q, r: m.einsum(p, [..., 0], [0, ...]),
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
    for name, function in list(of_both.items())[:: 3 if few else 1]:
        want = function(np, a, b, k)
        want = tuple(want) if isinstance(want, (tuple, list)) else want
        same(name, function(mp, x, y, i), want, 2e-6 if name in ("sum dtype", "methods") else 1e-12, least=1.0)
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
                same(f"numpy's {name} of arrays of Maniple", function(np, x, y, i), want, 2e-6, least=1.0)
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
    small = np.arange(5, dtype="uint8")
    y = mp.asarray(small)
    same("clip at numbers that no byte is", (mp.clip(y, -1, 2), y.clip(1, 300), y.clip(-5, 300), mp.clip(y, max=300), y.clip(-1)),
         (np.clip(small, 0, 2), np.clip(small, 1, 255), small, small, small))
    raises(mp.ArgumentError, "300 does not fit uint8", "a lower limit that no byte is", lambda: y.clip(300, 400))


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
    one, two = (mp.random.default_rng().bit_generator.state["state"]["stream"] for _ in range(2))
    ok(one != two and mp.comm.bcast(one) == one, "without a seed there is another one each time, the same on all ranks")
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
