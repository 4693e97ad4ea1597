# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of one's own and fused functions; the examples of docs/from-cupy.md are in pages.py."""

import maniple as mp
import numpy as np
from maniple.kernels import _given, _number, _parameter_types

from . import ok, pair, raises, same

SOURCE = r"""
extern "C" {
// __global__ void scale(char, char): a comment is no declaration
__global__ void scale(const float* x, float* y, unsigned int n, float by /* the factor */)
{
    unsigned int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        y[i] = by * x[i];
}
__global__ void shift(const float *x, float *y, unsigned int n, double by)
{
    unsigned int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + by;
}
}
"""
DECLARATIONS = {
    "int n": "int32", "const unsigned n": "uint32", "unsigned long long int": "uint64", "long": "int64",
    "short k = 3": "int16", "signed char c": "int8", "float": "float32", "double x": "float64", "bool b": "bool",
    "size_t n": "uint64", "std::uint8_t b": "uint8", "complex<float> z": "complex64",
    "thrust::complex< double >": "complex128", "const int *n": None, "float v[3]": None, "point p": None}  # fmt: skip


def check_elementwise_kernels():
    x, a = pair((3, 4), "float32")
    given = mp.empty((3, 4), "float64")
    kernel = mp.ElementwiseKernel("X x, Y y", "Z z", "z = (x - y) * (x - y)", "squared_diff_super_generic")
    ok(kernel(x, mp.arange(4), given) is given, "a kernel with its output gives it")
    same("types of several letters", given, ((a - np.arange(4)) ** 2), 1e-6)
    v, b = pair(7)
    reverse = mp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse")
    same("a raw input, and _ind.size()", reverse(v, v), b + b[::-1])
    raw = mp.ElementwiseKernel("raw T x, float64 by", "T z, int64 k", "z = by * x[n - i]; k = i", "all_raw")
    same("size=", raw(v, 2.0, size=5), (2 * b[5:0:-1], np.arange(5)))
    raises(ValueError, "all raw", "size= beside an array", lambda: reverse(v, v, size=7))
    unknown = mp.ElementwiseKernel("raw T x", "Z z", "z = x[i]", "unknown")
    raises(ValueError, "type Z", "size= and an output without a type", lambda: unknown(v, size=7))


def check_raw_modules():
    module = mp.RawModule(code=SOURCE, options=("-std=c++11",))
    x, a = pair((10, 10), "float32")
    whole, y = mp.replicate(x), mp.zeros((10, 10), "float32", layout="*, *")
    scale, shift = (module.get_function(name) for name in ("scale", "shift"))
    ok(scale.attributes["parameters"] in (4, -1), "attributes of a kernel of a module")
    scale((10,), (10,), (whole, y, 100, 3))
    same("a module's kernel: integers for unsigned and float", y, np.float32(3) * a)
    shift((10,), (10,), (whole, y, np.uint32(50), 1))
    same("another kernel: NumPy's scalar, and an integer for double", y[:5], (a[:5] + 1.0).astype("float32"), 1e-6)
    scale((10,), (10,), (whole, y, True, 0.5))
    same("a float for float", y[0, 0], np.float32(0.5) * a[0, 0])
    for number, error in ((2**32, OverflowError), (-1, OverflowError), (1.5, TypeError), (2j, TypeError)):
        raises(error, "uint32", f"{number} for unsigned", lambda n=number: scale((1,), (1,), (whole, y, n, 3)))
    wide = np.int64(1)
    raises(mp.ArgumentError, "8 bytes", "a scalar of another size", lambda: scale((1,), (1,), (whole, y, wide, 3)))
    text = f'template <typename T, typename U = int> __global__ void f(T t, {", ".join(DECLARATIONS)}, U u) {{}}'
    wanted = [None if t is None else np.dtype(t) for t in ("int16", *DECLARATIONS.values(), "uint32")]
    types = _parameter_types(text, "f<short, unsigned>")
    ok(types == wanted, f"types of parameters: {types}")
    special = _parameter_types("template <> __global__ void f(float *x, bool yes, int n) {}", "f")
    ok(special == [None, np.dtype(bool), np.dtype("int32")], f"those of a specialisation: {special}")
    numbers = [_number(1, np.dtype(bool)), _number(2**70, np.dtype("float32")), _number(True, np.dtype("int16"))]
    ok(numbers == [True, np.float32(2**70), 1], f"numbers in the types of parameters: {numbers}")
    raises(TypeError, "no number", "but not 2 as a bool", lambda: _number(2, np.dtype(bool)))
    ok(_parameter_types(text, "g") == () == _parameter_types("void g(int n);", "g"), "those of what is no kernel")
    options = ("-std=c++11", "--std=gnu++14", "-std=c++17", "-std=c++20", "-DN=11")
    ok(_given(options) == b"-std=c++17 --std=gnu++17 -std=c++17 -std=c++20 -DN=11", "standards below C++17 are raised")


def check_fuse():
    x, a = pair((5, 6))

    @mp.fuse(kernel_name="several")
    def fused(x, y=2.0, kind=None):
        """Its text."""
        parts = mp.where(x > 1, mp.sqrt(abs(x)), np.exp(-x)), np.clip(x, 0, 1) + np.float32(2), x.astype(mp.float32)
        more = abs(-x).mean(axis=0), mp.clip(x, 0.5, y), np.sum(x, axis=-1, keepdims=True), -x**2 // 3, 1 / (1 + x * x)
        return parts + more + (mp.hypot(x, 3), x.clip(max=y), mp.max(x, axis=1), (x + 1j).imag, ~(x > 0))

    def right(x, y):
        parts = np.where(x > 1, np.sqrt(abs(x)), np.exp(-x)), np.clip(x, 0, 1) + np.float32(2), x.astype(np.float32)
        more = abs(-x).mean(axis=0), np.clip(x, 0.5, y), np.sum(x, axis=-1, keepdims=True), -x**2 // 3, 1 / (1 + x * x)
        return parts + more + (np.hypot(x, 3), x.clip(max=y), np.max(x, axis=1), (x + 1j).imag, ~(x > 0))

    same("a fused function", fused(x), right(a, 2.0), 1e-12)
    same("with another number", fused(x, y=0.75), right(a, 0.75), 1e-12)
    ok(fused.__name__ == "several" and fused.__doc__ == "Its text.", "its name and its text")
    calls = []

    @mp.fuse
    def squared_diff(x, y):
        calls.append(1)
        return (x - y) * (x - y)

    k = mp.arange(10)
    same("a fused function of integers", squared_diff(k, k[::-1]), (np.arange(10) - np.arange(9, -1, -1)) ** 2)
    same("of an array and a number", squared_diff(x, 3), (a - 3) * (a - 3), 1e-12)
    ok(len(calls) == 1, "it is called once")
    same("a clip at numbers that no byte is", mp.fuse(lambda x: x.clip(-1, 300))(mp.arange(3, dtype="uint8")),
         np.arange(3, dtype="uint8"))
    ok(type(squared_diff(np.arange(3), 1)) is np.ndarray, "of NumPy's arrays it is what it was")

    def stored(x):
        x[0] = 1

    def added(x):
        x += 1

    raises(TypeError, "maniple.asarray", "of both kinds of arrays it is not", lambda: squared_diff(x, a))
    wrong = {"where": lambda x: x if x else 0, "loop": lambda x: [v for v in x], "its parameters": lambda x: x + a,
             "return x": stored, "write x = x + y": added, "gives nothing": lambda x: None}  # fmt: skip
    for words, function in wrong.items():
        raises(TypeError, words, "what a fused function cannot do", lambda f=function: mp.fuse(f)(x))
