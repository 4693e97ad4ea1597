# SPDX-License-Identifier: BSD-3-Clause
"""Cosine and sine transforms against scipy.fft, computed in double: every type, any shape, axes, points, norm, dtype and
layout; lines that are whole, and lines that stay cut.

The bound: the error relative to the norm of the result is at most 4 eps sqrt(log2 n) for the Fourier transform of 2 n
points, as in transforms.py, and 2 eps for each of the two passes along an axis.
"""

import maniple as mp
import numpy as np
import scipy.fft

rng = mp.random()
NORMS = [None, "backward", "ortho", "forward"]
DTYPES = ["float32", "float64", "complex64", "complex128", "float16", "int32", "bool"]


def values(shape, dtype):
    a = 10 * rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dtype.startswith("complex") else a).astype(dtype)


def result_dtype(dtype):
    return {"float16": "float32", "float32": "float32", "complex64": "complex64",
            "complex128": "complex128"}.get(dtype, "float64")


def close(name, got, want, dtype, axes):
    g = got.numpy()
    if g.dtype != np.dtype(dtype) or g.shape != want.shape:
        return mp.ok(False, f"{name}: {g.dtype} {g.shape} where {dtype} {want.shape} is right")
    bound = np.finfo(g.dtype).eps * (4 * np.sqrt(np.log2(2 * max(g.size, 2))) + 4 * axes)
    error, size = np.linalg.norm((g - want).ravel()), np.linalg.norm(want.ravel())
    good = error <= bound * size + np.finfo(g.dtype).tiny
    return mp.ok(good, name if good else f"{name}: error {error:.3g} of {size:.3g}")


def orthogonal_dst(a, kind, axis, n):
    """norm="ortho" of SciPy since 1.12; before, it scaled the first element in place of the last (SciPy's issue
    18452)."""
    a = np.moveaxis(a, axis, -1)
    n = n or a.shape[-1]
    a = np.pad(a[..., :n], [(0, 0)] * (a.ndim - 1) + [(0, max(0, n - a.shape[-1]))])
    ends = np.where(np.arange(n) == n - 1, np.sqrt(2), 1)
    a = scipy.fft.dst(a, 2) / ends if kind == 2 else scipy.fft.dst(a * ends, 3)
    return np.moveaxis(a / np.sqrt(2 * n), -1, axis)


def reference(name, a, kind, s, axes, norm):
    a = a.astype("complex128" if a.dtype.kind == "c" else "float64")
    if "dst" not in name or norm != "ortho" or kind not in (2, 3):
        return getattr(scipy.fft, name if name.endswith("n") else name + "n")(a, kind, s, axes, norm)
    axes = range(a.ndim) if axes is None else axes
    for i, axis in enumerate(axes):
        a = orthogonal_dst(a, 5 - kind if name.startswith("i") else kind, axis, s[i] if s else None)
    return a


def one(name, a, x, kind, axis, n=None, norm=None):
    want = reference(name, a, kind, None if n is None else [n], [axis], norm)
    dtype = result_dtype(str(a.dtype))
    out = None if rng.random() < 0.7 else mp.array_new(dtype, mp.random_layout(rng, want.shape))
    got = getattr(mp, name)(x, kind, mp.MNP_NONE if n is None else n, axis, norm, out=out)
    close(f"{name} {kind} {a.shape} {a.dtype} n={n} axis={axis} {norm}", got, want, dtype, 1)


def several(name, a, x, kind, axes, s, norm):
    want = reference(name, a, kind, s, axes, norm)
    count = a.ndim if axes is None else len(axes)
    got = getattr(mp, name)(x, kind, 0 if axes is None else count, s, axes, norm)
    close(f"{name} {kind} {a.shape} {a.dtype} s={s} axes={axes} {norm}", got, want, result_dtype(str(a.dtype)), count)


def extents(ndim):
    return tuple(int(n) for n in rng.choice([1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16], ndim))


# --- lines of every small length, which settle what is even and odd, and where a line begins and ends -----------------

layout = mp.Layout([mp.size], (3 * mp.size, 11), [0, -1])
for name in "dct", "dst", "idct", "idst":
    for kind in 1, 2, 3, 4:
        for n in 2, 3, 4, 5, 6, 7, 9, 11:
            a = values((3 * mp.size, n), "float64")
            norm = NORMS[rng.integers(4)]
            one(name, a, mp.array(a, mp.layout_like(layout, a.shape)), kind, 1, None, norm)
        if not (kind == 1 and name.endswith("dct")):
            a = values((3 * mp.size, 1), "float64")
            one(name, a, mp.array(a, mp.layout_like(layout, a.shape)), kind, 1, None, "ortho")

# --- random calls -----------------------------------------------------------------------------------------------------

for name in "dct", "dst", "idct", "idst":
    for kind in 1, 2, 3, 4:
        shape = extents(int(rng.integers(1, 4)))
        a = values(shape, str(rng.choice(DTYPES)))
        x = mp.array(a, mp.random_layout(rng, shape))
        if a.ndim > 1 and rng.random() < 0.3:
            x, a = mp.transpose(x, None), a.T
        if a.shape[0] > 2 and rng.random() < 0.3:
            x, a = x[:0:-1], a[:0:-1]
        axis = int(rng.integers(-a.ndim, a.ndim))
        n = None if a.shape[axis] > 1 and rng.random() < 0.5 else int(rng.integers(2, 2 * a.shape[axis] + 3))
        one(name, a, x, kind, axis, n, NORMS[rng.integers(4)])

for name in "dctn", "dstn", "idctn", "idstn":
    for kind in 1, 2, 3, 4:
        shape = extents(int(rng.integers(1, 5)))
        a = values(shape, str(rng.choice(DTYPES[:4])))
        axes = [int(d) for d in rng.permutation(len(shape))[:int(rng.integers(1, len(shape) + 1))]]
        s = None if min(shape) > 1 and rng.random() < 0.5 else [int(rng.integers(2, 9)) for _ in axes]
        several(name, a, mp.array(a, mp.random_layout(rng, shape)), kind, axes, s, NORMS[rng.integers(4)])
a = values((6, 10, 8), "float32")
several("dctn", a, mp.array(a), 2, None, None, "ortho")
several("idctn", a, mp.array(a), 2, None, [12, 5, 8], None)

# --- long lines, which stay cut ---------------------------------------------------------------------------------------

for name in "dct", "dst", "idct", "idst":
    for kind in 1, 2, 3, 4:
        a = values((144,), str(rng.choice(["float32", "float64"])))
        x = mp.array(a, mp.Layout([mp.size], a.shape, [0]))
        one(name, a, x, kind, 0, int(rng.choice([100, 131, 144, 160, 300])), NORMS[rng.integers(4)])
a = values((2, 360), "float64")
several("dctn", a, mp.array(a, mp.Layout([mp.size], a.shape, [-1, 0])), 2, None, None, "ortho")

# --- there and back; an output that is the input; nothing to transform ------------------------------------------------

a = values((9, 12), "float64")
x = mp.array(a, mp.random_layout(rng, a.shape))
for kind in 1, 2, 3, 4:
    back = mp.idstn(mp.dstn(x, kind, 0, None, None, None), kind, 0, None, None, None)
    close(f"there and back, type {kind}", back, a, "float64", 4)
mp.dct(x, 2, mp.MNP_NONE, 0, None, out=x)
close("into its input", x, scipy.fft.dct(a, axis=0), "float64", 1)
a = values((0, 5), "float64")
mp.check("no lines", mp.dct(mp.array(a), 2, mp.MNP_NONE, 1, None), a)
mp.check("lines of zeros alone", mp.dst(mp.array(a), 4, 3, 0, None), np.zeros((3, 5)))

# --- lengths ----------------------------------------------------------------------------------------------------------

targets = list(range(0, 40)) + [int(n) for n in rng.integers(40, 1 << 40, 30)]
mp.ok(all(mp.next_fast_len(n, real) == scipy.fft.next_fast_len(n, real) for n in targets if n > 0
          for real in (False, True)), "next_fast_len")
mp.fails("MNP_ERR_ARG", "negative", mp.next_fast_len, -1, False)
mp.fails("MNP_ERR_ARG", "no int64", mp.next_fast_len, 2 ** 63 - 1, False)

# --- refusals ---------------------------------------------------------------------------------------------------------

x = mp.array(np.zeros((4, 1)))
NONE = mp.MNP_NONE
mp.fails("MNP_ERR_ARG", "the type is 5", mp.dct, x, 5, NONE, 0, None)
mp.fails("MNP_ERR_ARG", "the type is 0", mp.idstn, x, 0, 0, None, None, None)
mp.fails("MNP_ERR_ARG", "type 1 needs two points", mp.dct, x, 1, NONE, 1, None)
mp.fails("MNP_ERR_ARG", "mnp_dst: axis 2 is out of bounds", mp.dst, x, 2, NONE, 2, None)
mp.fails("MNP_ERR_ARG", "a transform of 0 points", mp.dct, x, 2, 0, 0, None)
mp.fails("MNP_ERR_ARG", "'max' is none of", mp.dct, x, 2, NONE, 0, "max")
mp.fails("MNP_ERR_ARG", "given twice", mp.dctn, x, 2, 2, None, [0, -2], None)
mp.fails("MNP_ERR_ARG", "shape", mp.dct, x, 2, NONE, 0, None, out=mp.array(np.zeros((5, 1))))
mp.done()
