# SPDX-License-Identifier: BSD-3-Clause
"""Calls of functions on awkward shapes, by Maniple and by CuPy in one process on a GPU: a line for each, with the ratio
of CuPy's time to Maniple's first, to find what is slow.

  functions.py [PART...] [--seconds N]

PART is array, reduce, order, linear, image or signal (default: all).  A time is the least of three loops.  A line ends
with DIFFERS where results differ; random data near a border between two answers may make them differ too.
"""

import argparse
import time

import cupy
import cupyx.scipy.ndimage
import cupyx.scipy.signal
import maniple
import numpy as np

# Expressions of p, nd and sg, which are NumPy's, ndimage's and signal's namespaces of either, and of the arrays below
CALLS = {
    "array": """
        x[:, :1] + x[:1]; p.where(x > y, x, y); p.clip(x, -1, 1); p.arctan2(x, y); i // 7; x.astype("float64"); b + b
        z * z; p.abs(z); p.round(x, 2); p.nan_to_num(x); p.ascontiguousarray(x.T); p.ascontiguousarray(c.transpose(2, 0, 1))
        p.ascontiguousarray(c.transpose(0, 2, 1)); p.flip(x, 1).copy(); p.roll(x, 17, 0); p.roll(x, 17, 1); p.roll(v, 1001)
        p.rot90(x).copy(); p.pad(x, 3); p.pad(x, 5, mode="reflect"); p.concatenate([x, y], 0); p.concatenate([x, y], 1)
        p.stack([x, y], -1); p.tile(x[:500], (3, 2)); p.repeat(x, 2, 1); x[::2, ::3].copy(); x[rows]; x[:, columns]; v[order]
        x[x > 0.5]; v[v > 1]; p.nonzero(x > 0.5); p.flatnonzero(v > 1); p.argwhere(x > 1); p.tril(x); p.diagonal(x).copy()
        p.trace(x); p.diff(x, axis=0); p.diff(x, axis=1); p.gradient(x, axis=1)""",
    "reduce": """
        x.sum(axis=0); x.sum(axis=1); c.sum(axis=1); c.sum(axis=2); x.std(axis=0); x.std(axis=1); c.std(axis=1); x.max(axis=0)
        c.max(axis=2); x.argmin(axis=0); x.argmin(axis=1); (x > 2).any(axis=1); p.count_nonzero(i, axis=0); p.nansum(x, axis=1)
        p.nanmax(c, axis=1); v.sum(); x.T.sum(); b.sum(); b.mean(axis=0); z.sum(axis=0); v.std(); v.argmax(); p.nanmean(v)
        p.cumsum(x, axis=0); p.cumsum(x, axis=1); p.cumsum(c, axis=1); p.cumprod(c, axis=2); p.linalg.norm(x, axis=1)
        p.linalg.norm(x); p.cov(x[:300]); p.corrcoef(x[:300])""",
    "order": """
        p.sort(v); p.argsort(x, axis=1); p.sort(x, axis=0); p.sort(c, axis=1); p.sort(i, axis=None); p.sort(b, axis=0)
        p.partition(v, 1000).sum(); p.median(v); p.median(x, axis=0); p.percentile(v, (5, 50, 95)); p.quantile(x, 0.3, axis=1)
        p.unique(i); p.unique(v); p.searchsorted(p.sort(v[:1000003]), v); p.histogram(v, 100); p.bincount(b.ravel())
        p.digitize(v, p.linspace(-2, 2, 50)); p.isin(i, p.arange(50)); p.interp(v, p.linspace(-3, 3, 99), p.linspace(0, 1, 99))
        p.unwrap(x, axis=1); p.polyval(p.linspace(1, 2, 4), v)""",
    "linear": """
        x[:2001] @ y[:2001].T; x @ v[:3001]; x.T @ v[:4097]; v @ v; i[:500] @ i[:500].T; c @ c.transpose(0, 2, 1)
        p.einsum("ijk,ik->ij", c, c[:, 0]); p.einsum("ij,ij->i", x, y); p.tensordot(c, c, ([1, 2], [1, 2])); p.outer(v[:4001], v[:3001])
        p.linalg.inv(x[:500, :500]); p.linalg.solve(d[:1001, :1001], d[:1001, 1001:1004]); p.linalg.slogdet(x[:300, :300])
        p.linalg.svd(x[:500, :300], full_matrices=False)[1]; p.linalg.cholesky(x[:277] @ x[:277].T)
        p.linalg.inv(v[:810000].reshape(-1, 3, 3)); p.linalg.det(v[:160000].reshape(-1, 4, 4)); p.linalg.slogdet(v[:12800000].reshape(-1, 16, 16))[1]
        p.linalg.solve(v[:250000].reshape(-1, 5, 5), v[:50000].reshape(-1, 5, 1)); p.convolve(v, v[:31]); p.convolve(v, v[:1001], "same")
        p.fft.rfft(v[:16777000]); p.fft.fft2(x); p.fft.ifft(z); p.fft.fft(z, axis=0); p.fft.rfftn(c); p.fft.fftshift(x)""",
    "image": """
        nd.gaussian_filter(x, 2); nd.gaussian_filter(c, 1.5); nd.uniform_filter(x, 7); nd.median_filter(b, 5); nd.median_filter(c, 3)
        nd.maximum_filter(x, 9); nd.sobel(x); nd.laplace(c); nd.rank_filter(x, 3, 4); nd.grey_erosion(b, 5); nd.zoom(x[:1001, :1001], 1.7)
        nd.zoom(x, 0.6, order=1); nd.rotate(x, 30, reshape=False); nd.shift(x, (3.3, -2.2)); nd.spline_filter(x); nd.label(x > 0.5)
        nd.affine_transform(x, p.asarray([[0.9, 0.1], [-0.1, 0.9]])); nd.distance_transform_edt(x > 0); nd.convolve(x, y[:7, :7])
        nd.distance_transform_edt(x > -3); nd.binary_fill_holes(x[:501, :501] > 0.5); nd.center_of_mass(x)
        nd.fourier_gaussian(z, 2); nd.correlate1d(x, v[:15], axis=0); nd.sum_labels(x, b.astype("int32"), p.arange(1, 255))""",
    "signal": """
        sg.fftconvolve(v, v[:5001]); sg.fftconvolve(v[:1000003], v[:1000003]); sg.fftconvolve(x, y[:65, :65], "same")
        sg.fftconvolve(x[:2000, :2000], y[:1999, :1999], "same")
        sg.fftconvolve(x, y[:513, :513], "same"); sg.oaconvolve(v, v[:501]); sg.convolve2d(x, y[:9, :9], "same"); sg.medfilt2d(x, 5)
        sg.hilbert(v[:4000000]); sg.resample(v[:1000000], 700000); sg.resample_poly(v, 3, 2); sg.stft(v, nperseg=1024)[2]
        sg.welch(v, nperseg=1000)[1]; sg.spectrogram(v, nperseg=512)[2]; sg.savgol_filter(v, 11, 3); sg.wiener(x, 5)
        sg.detrend(x, axis=1); sg.sepfir2d(x, p.ones(3, "float32"), p.ones(3, "float32"))""",
}


def make_arrays():
    rng = cupy.random.default_rng(5)
    arrays = {name: rng.standard_normal(shape, "float32")
              for name, shape in (("x", (4097, 3001)), ("y", (4097, 3001)), ("c", (405, 405, 101)), ("v", (16777223,)))}
    arrays["d"] = rng.standard_normal((2049, 3001))
    arrays["z"] = (arrays["x"][:2049, :1501] + 1j * arrays["y"][:2049, :1501]).astype("complex64")
    arrays["i"], arrays["b"] = (rng.integers(low, high, (4097, 3001)).astype(dtype)
                                for low, high, dtype in ((-1000, 1000, "int32"), (0, 255, "uint8")))
    arrays["rows"], arrays["columns"] = rng.integers(0, 4097, 5003), rng.integers(0, 3001, 2003)
    arrays["order"] = cupy.argsort(arrays["v"])
    return arrays


def seconds_of(call, wait):
    call()
    wait()
    begin = time.perf_counter()
    call()
    wait()
    loops = max(1, min(20, int(0.01 / (time.perf_counter() - begin))))
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        for _ in range(loops):
            call()
        wait()
        times.append((time.perf_counter() - begin) / loops)
    return min(times)


def on_host(result):
    result = result[0] if isinstance(result, (tuple, list)) else result
    return np.asarray(result.get() if isinstance(result, cupy.ndarray) else result)


def compare(text, ours, theirs):
    expression = compile(text, text, "eval")
    try:
        of_cupy = seconds_of(lambda: eval(expression, theirs), cupy.cuda.Device().synchronize)
        of_maniple = seconds_of(lambda: eval(expression, ours), maniple.synchronize)
        got, right = on_host(eval(expression, ours)), on_host(eval(expression, theirs))
    except Exception as error:  # whatever either lacks
        print(f"       {text}: {type(error).__name__}: {str(error)[:80]}", flush=True)
        return
    same = got.shape == right.shape and np.allclose(got, right, 1e-2, 1e-2, equal_nan=True)
    print(f"{of_cupy / of_maniple:6.2f} {text}: {1e3 * of_maniple:.3f} ms, CuPy {1e3 * of_cupy:.3f}{'' if same else ', DIFFERS'}",
          flush=True)


parser = argparse.ArgumentParser()
parser.add_argument("parts", nargs="*", metavar="PART")
parser.add_argument("--seconds", type=float, default=600, help="begin no call after so many (600)")
arguments = parser.parse_args()
if set(arguments.parts) - set(CALLS):
    parser.error(f"the parts are {', '.join(CALLS)}")
cupys = make_arrays()
of_maniple = {"p": maniple, "nd": maniple.ndimage, "sg": maniple.signal, **{k: maniple.from_dlpack(a) for k, a in cupys.items()}}
of_cupy = {"p": cupy, "nd": cupyx.scipy.ndimage, "sg": cupyx.scipy.signal, **cupys}
end = time.monotonic() + arguments.seconds
for part in arguments.parts or CALLS:
    for line in CALLS[part].split("\n"):
        for one in filter(None, (text.strip() for text in line.split(";"))):
            if time.monotonic() < end:
                compare(one, of_maniple, of_cupy)
