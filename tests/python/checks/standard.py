# SPDX-License-Identifier: BSD-3-Clause
"""Every name of the array API standard is there, and gives what NumPy gives for a small case."""

import re

import maniple as mp
import numpy as np

from . import difference, ok

# The names of version 2024.12, each in a call.  x and y are floats, u lies between -0.9 and 0.9, p is above 1, z is
# complex, i and j are integers, q is small and positive, b and c are bools, m is square and definite, v and w vectors.
CALLS = """
    arange(2,11,3) asarray(A) empty((2,3)).shape empty_like(x).shape eye(3,4,k=1) from_dlpack(A)+0 full((2,3),7)
    full_like(i,4) linspace(0,1,5) meshgrid(v,w,indexing="ij") ones((2,2)) ones_like(i) tril(m,k=-1) triu(m,k=1)
    zeros(3) zeros_like(z) astype(x,int32) can_cast(int8,float32) finfo(float32).bits iinfo(int16).max
    isdtype(x.dtype,"bool") result_type(i,float32) abs(z) acos(u) acosh(p) add(x,y) asin(u) asinh(x) atan(x) atan2(x,y)
    atanh(u) bitwise_and(i,j) bitwise_left_shift(i,q) bitwise_invert(i) bitwise_or(i,j) bitwise_right_shift(i,q)
    bitwise_xor(i,j) ceil(x) clip(x,-1,1) conj(z) copysign(x,y) cos(x) cosh(x) divide(x,y) equal(i,j) exp(x) expm1(x)
    floor(x) floor_divide(x,y) greater(x,y) greater_equal(x,y) hypot(x,y) imag(z) isfinite(x) isinf(x/0) isnan(x-x)
    less(x,y) less_equal(x,y) log(p) log1p(p) log2(p) log10(p) logaddexp(x,y) logical_and(b,c) logical_not(b)
    logical_or(b,c) logical_xor(b,c) maximum(x,y) minimum(x,y) multiply(x,y) negative(x) nextafter(x,y) not_equal(i,j)
    positive(x) pow(p,y) real(z) reciprocal(x) remainder(x,y) round(x) sign(x) signbit(x) sin(x) sinh(x) square(x)
    sqrt(p) subtract(x,y) tan(x) tanh(x) trunc(x) take(x,asarray([2,0]),axis=1)
    take_along_axis(x,argsort(x,axis=1),axis=1) matmul(m,m) matrix_transpose(x) tensordot(x,y,axes=((1,),(1,)))
    vecdot(x,y) broadcast_arrays(x,v) broadcast_to(v,(3,4)) concat((x,y),axis=1) expand_dims(x,axis=1) flip(x,axis=0)
    moveaxis(reshape(x,(3,2,2)),0,2) permute_dims(x,(1,0)) repeat(x,2,axis=0) reshape(x,(2,6)) roll(x,1,axis=1)
    squeeze(reshape(x,(3,1,4)),axis=1) stack((x,y),axis=1) tile(v,(2,2)) unstack(x,axis=1) argmax(x,axis=1)
    argmin(x,axis=0) count_nonzero(b,axis=1) nonzero(b) searchsorted(sort(v),w) where(b,x,y) unique_all(i)
    unique_counts(i) unique_inverse(i) unique_values(i) argsort(x,axis=0) sort(x,axis=1) cumulative_prod(x,axis=1)
    cumulative_sum(x,axis=0,include_initial=True) max(x,axis=1) mean(x,axis=0) min(x) prod(x,axis=1) std(x,axis=1)
    sum(x,axis=(0,1),keepdims=True) var(x,correction=1) all(b,axis=0) any(b,axis=1) diff(x,axis=1) fft.fft(z)
    fft.ifft(z) fft.fftn(z) fft.ifftn(z) fft.rfft(x) fft.irfft(z) fft.rfftn(x) fft.irfftn(z) fft.hfft(z) fft.ihfft(x)
    fft.fftfreq(6) fft.rfftfreq(6) fft.fftshift(x,axes=1) fft.ifftshift(x,axes=1) linalg.cholesky(m)
    linalg.cross(x[:,:3],y[:,:3]) linalg.det(m) linalg.diagonal(m,offset=1) abs(linalg.eigh(m)[1]) linalg.eigvalsh(m)
    linalg.inv(m) linalg.matmul(m,m) linalg.matrix_norm(m) linalg.matrix_power(m,3) linalg.matrix_rank(m)
    linalg.matrix_transpose(m) linalg.outer(v,w) linalg.pinv(x) abs(linalg.qr(m)[1]) linalg.slogdet(m) linalg.solve(m,v)
    abs(linalg.svd(x,full_matrices=False)[0]) linalg.svdvals(x) linalg.tensordot(m,m,axes=1) linalg.trace(m)
    linalg.vecdot(x,y) linalg.vector_norm(x,axis=1)"""

CONSTANTS = "e inf nan newaxis pi"
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
ATTRIBUTES = "dtype device mT ndim shape size T to_device"
SPECIAL = """abs array_namespace bool complex dlpack dlpack_device eq float ge getitem gt index int invert le lt ne neg
    pos setitem""".split()
OPERATORS = "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()

# What NumPy before version 2 calls otherwise, or has not
OLD_NAMES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "bitwise_left_shift": "left_shift", "bitwise_invert": "invert",
    "bitwise_right_shift": "right_shift", "concat": "concatenate", "permute_dims": "transpose",
    "pow": "power"}  # fmt: skip


def _old_unique(x):
    values, first, inverse, counts = np.unique(x, True, True, True)
    return values, first, inverse.reshape(x.shape), counts


def _cumulative(function, start):
    def cumulative(x, axis=None, include_initial=False):
        found = function(x, axis)
        shape = [1 if d == axis else n for d, n in enumerate(x.shape)]
        return np.concatenate([np.full(shape, start), found], axis) if include_initial else found

    return cumulative


OLD_FUNCTIONS = {
    "astype": lambda x, dtype: x.astype(dtype),
    "isdtype": lambda dtype, kind: dtype.kind == kind[0],
    "matrix_transpose": lambda x: x.swapaxes(-1, -2),
    "vecdot": lambda x, y: (x.conj() * y).sum(-1),
    "unstack": lambda x, axis: tuple(np.moveaxis(x, axis, 0)),
    "unique_all": _old_unique,
    "unique_counts": lambda x: _old_unique(x)[::3],
    "unique_inverse": lambda x: _old_unique(x)[::2],
    "unique_values": np.unique,
    "cumulative_sum": _cumulative(np.cumsum, 0.0),
    "cumulative_prod": _cumulative(np.cumprod, 1.0),
    "var": lambda x, correction: np.var(x, ddof=correction),
    "linalg.diagonal": lambda x, offset: np.diagonal(x, offset, -2, -1),
    "linalg.cross": np.cross,
    "linalg.matmul": np.matmul,
    "linalg.tensordot": np.tensordot,
    "linalg.outer": np.outer,
    "linalg.trace": np.trace,
    "linalg.matrix_norm": np.linalg.norm,
    "linalg.vector_norm": np.linalg.norm,
    "linalg.svdvals": lambda x: np.linalg.svd(x, compute_uv=False),
}


class _NumPy:
    """NumPy's functions by the standard's names."""

    def __init__(self, module, prefix=""):
        self._module, self._prefix = module, prefix

    def __getattr__(self, name):
        if name in ("fft", "linalg") and not self._prefix:
            return _NumPy(getattr(np, name), name + ".")
        old = OLD_FUNCTIONS.get(self._prefix + name) or (OLD_FUNCTIONS.get(name) if self._prefix else None)
        return old or getattr(self._module, name if hasattr(self._module, name) else OLD_NAMES.get(name, name))


class _Names(dict):
    """The names of a call: operands, or those of a package."""

    def __init__(self, package, operands):
        super().__init__(operands)
        self._package = package

    def __missing__(self, name):
        return getattr(self._package, name)


def _operands():
    rng = np.random.default_rng(5)
    i = rng.integers(-9, 9, (3, 4))
    x, y = rng.standard_normal((2, 3, 4)) * 3
    half = rng.standard_normal((4, 4))
    return {"x": x, "y": y, "z": x + 1j * y, "i": i, "j": rng.integers(-9, 9, (3, 4)), "q": abs(i) % 5, "b": i > 0,
            "c": x > 0, "u": np.tanh(x) * 0.9, "p": abs(x) + 1, "m": half @ half.T + 4 * np.eye(4),
            "v": x[0], "w": y[1]}


def check_names_of_the_standard():
    host = _operands()
    ours = {name: mp.asarray(value) for name, value in host.items()}
    ours["A"] = host["A"] = host["x"].copy()
    package = ours["x"].__array_namespace__()
    for call in CALLS.split():
        name = re.search(r"(?:abs\((?=linalg))?([\w.]+)\(", call).group(1)
        home = package
        for part in name.split("."):
            home = getattr(home, part, None)
        problem = "it is not there"
        if home is not None:
            with np.errstate(all="ignore"):
                got, want = (eval(call, {}, _Names(p, o))  # noqa: S307  the calls above
                             for p, o in ((package, ours), (_NumPy(np), host)))
            problem = _difference(got, want)
        ok(not problem, f"the standard's {name}: {call}{': ' if problem else ''}{problem}")
    lost = [n for n in (CONSTANTS + " " + DTYPES).split() if not hasattr(package, n)]
    lost += [n for n in ["__array_api_version__", "__array_namespace_info__"] if not hasattr(package, n)]
    lost += [n for n in ATTRIBUTES.split() if not hasattr(ours["x"], n)]
    methods = SPECIAL + [prefix + n for n in OPERATORS for prefix in ("", "r", "i")]
    lost += [n for n in methods if not hasattr(ours["x"], f"__{n}__")]
    ok(not lost, f"constants, dtypes, attributes and operators of the standard{': ' if lost else ''}{', '.join(lost)}")


def _difference(got, want):
    if isinstance(want, (tuple, list)):
        problems = [difference(g, w, 1e-12) for g, w in zip(got, want)]
        problems += ["another number of results"] if len(got) != len(want) else []
        return next((p for p in problems if p), "")
    if type(want) in (bool, int, float) or isinstance(want, np.dtype):
        return "" if got == want else f"{got!r} where {want!r} is right"
    return difference(got, want, 1e-12)
