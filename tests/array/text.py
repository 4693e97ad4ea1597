# SPDX-License-Identifier: BSD-3-Clause
"""Printed arrays have the text of numpy.array2string, in all shapes, dtypes and layouts, with odd values."""

import ctypes
import os
import tempfile
import warnings

import maniple as mp
from binding import scalar
import numpy as np

warnings.simplefilter("ignore")  # NumPy divides beyond the range of float16
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.fclose.argtypes = [ctypes.c_void_p]
path = os.path.join(tempfile.mkdtemp(), "text")


class Options(ctypes.Structure):
    _fields_ = [("precision", ctypes.c_int), ("threshold", ctypes.c_int64), ("edge_items", ctypes.c_int),
                ("line_width", ctypes.c_int), ("suppress", ctypes.c_bool)]


def printed(x, options=None):
    """What mnp_array_print() writes, on rank 0; "" on the others."""
    file = ctypes.c_void_p(libc.fopen(path.encode(), b"w") if mp.rank == 0 else None)
    try:
        mp.array_print(x, options, file)
    finally:
        if mp.rank == 0:
            libc.fclose(file)
    if mp.rank > 0:
        return ""
    with open(path, encoding="ascii") as text:
        return text.read()


def numpys(a, precision=8, threshold=1000, edge_items=3, line_width=75, suppress=False):
    with np.printoptions(threshold=threshold, edgeitems=edge_items):
        return np.array2string(a, line_width, precision, suppress) + "\n"


OLDER = tuple(int(n) for n in np.__version__.split(".")[:2]) < (2, 3)


def same(a, layout=None, x=None, **chosen):
    """Whether the text is NumPy's; if not, both are shown."""
    options = Options(**{**dict(precision=8, threshold=1000, edge_items=3, line_width=75), **chosen}) if chosen else None
    got = printed(mp.array(a, layout) if x is None else x, options)
    want = numpys(a, **chosen) if mp.rank == 0 else ""
    if got != want and OLDER and a.dtype.kind in "fc" and a.dtype.itemsize // (1 + (a.dtype.kind == "c")) < 8:
        parts = np.abs(np.concatenate([a.real.ravel(), a.imag.ravel()]).astype(float))
        if parts[np.isfinite(parts)].max(initial=0) >= 10.0 ** np.finfo(a.dtype).precision:
            return True  # NumPy 2.3 has begun to write such numbers with exponents
    if got != want:
        print(f"# {a.dtype} {a.shape} {chosen}\n# {got!r}\n# {want!r}", flush=True)
    return got == want


rng = mp.random()
KINDS = [d for d in mp.DTYPES if d != "bfloat16"]


def values(shape, dtype):
    """Random numbers of several kinds, some of them special."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        size = [10, 1000, float(info.max)][rng.integers(3)]
        return np.clip(rng.normal(0, size, shape), float(info.min) / 2, float(info.max) / 2).astype(dtype)

    def reals():
        kind = rng.integers(5)
        if kind == 0:
            a = rng.integers(-20, 20, shape) / [1, 2, 4, 10][rng.integers(4)]
        elif kind == 1:
            a = rng.normal(0, 1, shape)
        elif kind == 2:
            a = rng.normal(0, 1, shape) * 10.0 ** rng.integers(-12, 12, shape)
        elif kind == 3:
            a = np.ldexp(rng.choice([-1.0, 1.0], shape), rng.integers(-30, 60, shape))
        else:
            a = np.round(rng.normal(0, 1, shape), int(rng.integers(0, 10))) * 10.0 ** int(rng.integers(-6, 9))
        if rng.random() < 0.3:
            a = np.where(rng.random(shape) < 0.2, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), a)
        return a

    return (reals() + 1j * reals() if dtype.kind == "c" else reals()).astype(dtype)


def random_case():
    ndim = int(rng.integers(0, 5))
    shape = tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, [1, 40, 12, 7, 5][ndim] + 1, ndim))
    a = values(shape, KINDS[rng.integers(len(KINDS))])
    chosen = dict(precision=int(rng.integers(0, 12)), threshold=int(rng.choice([0, 20, 1000])),
                  edge_items=int(rng.integers(1, 5)), line_width=int(rng.choice([20, 40, 75, 120])),
                  suppress=bool(rng.random() < 0.3))
    layout = mp.random_layout(rng, shape) if ndim else None
    return same(a, layout, **(chosen if rng.random() < 0.7 else {}))


mp.ok(all([random_case() for _ in range(300)]), "300 arrays of random shapes, dtypes, values, layouts and options")

big = np.arange(120000.0).reshape(200, 20, 30) / 7
mp.ok(same(big, mp.random_layout(rng, big.shape)) and same(big.astype("c8")) and same(big, edge_items=10, line_width=200),
      "large arrays, of which only the edges travel")
mp.ok(all(same(np.array(v, t)) for v in (0, 1, -1.5, 1e-300, 5e-324, 1e300, np.nan, -np.inf, -0.0, 0.1, 1 / 3, 65504, 2**53)
          for t in ("f2", "f4", "f8", "c16")), "numbers without dimensions")
edges = np.array([9.5367431640625e-07, 2.0**-44, 2.0**89, 5e-324, 1.7976931348623157e308, 123456789.123456789, 9.9999999999e22])
mp.ok(all(same(v) for e in edges for t in ("f4", "f8") for v in (np.array([e, -e], t), np.array([e, 1, 0.5], t))),
      "numbers whose digits are hard to find")
powers = np.ldexp(1.0, np.arange(-1074, 1024))
mp.ok(same(powers, threshold=5000, precision=17) and same(np.ldexp(np.float32(1), np.arange(-149, 128)), precision=17),
      "all powers of two")
halves = np.arange(65536, dtype="u2").view("f2")
mp.ok(same(halves[np.isfinite(halves)], threshold=100000, precision=10) and
      same(halves[:31744].reshape(-1, 16), threshold=100000), "all float16")
mp.ok(all(same(np.full((2, 3), v, t)) for v in (np.nan, np.inf, -np.inf) for t in ("f4", "c8")), "nothing finite")
mp.ok(all(same(np.zeros(s, "f4")) for s in ((0,), (3, 0), (0, 3, 2))), "nothing at all")
mp.ok(same(np.float32([1e-4, 1]), suppress=False) == same(np.float32([1e-4, 1])) and same(np.array([1e-4, 0.0999])),
      "where exponents begin")

a = rng.normal(0, 1, (40, 50))
x = mp.array(a, mp.random_layout(rng, a.shape))
mp.ok(same(a[::-3, 5:].T, x=mp.transpose(x[::-3, 5:], None)), "a view")
mp.ok(same(np.broadcast_to(a[:1], (9, 50)), x=mp.broadcast_to(x[:1], 2, [9, 50])), "a broadcast view")
cyclic = mp.call("layout_new_cyclic", 1, [mp.size], 2, [40, 50], [0, -1], [3, 0])
x = mp.redistribute(mp.array(a), cyclic)
mp.ok(same(a, x=x) and same(a, x=x, threshold=5000), "block-cyclic arrays")

bits = np.array([1, 0.33398438, 3.140625], "f4").view("u4") >> 16
x = mp.call("array_from_host", "bfloat16", 1, [3], bits.astype("u2"))
got = printed(x)
mp.ok(mp.rank > 0 or got == "[1.    0.334 3.14 ]\n", "bfloat16")

x = mp.array(np.arange(12.0).reshape(3, 4))
told = mp.array_describe(x)
lo = x.layout.box(mp.rank)
mp.ok(told.startswith("float64 of shape (3, 4), layout of ") and f"rank {mp.rank} has " in told and
      (x.local().size == 0 or f"from index ({lo[0].start}, {lo[1].start})" in told), "a description: " + told)
mp.ok(mp.array_describe(None) == "NULL, no array" and mp.array_describe(scalar(2.5)) == "the scalar 2.5" and
      mp.array_describe(scalar(True)) == "the scalar True" and mp.array_describe(scalar(-3)) == "the scalar -3" and
      mp.array_describe(scalar(1 - 2j)) == "the scalar 1-2j", "descriptions of NULL and of scalars")
mp.ok("strides (-4, 2)" in mp.array_describe(x[::-1, ::2]) or x.local().size == 0 or mp.size > 1,
      "a description of a view")

for words, chosen in (("precision is -1", dict(precision=-1, edge_items=3)), ("edge_items is 0", dict(edge_items=0)),
                      ("threshold is -5", dict(threshold=-5, edge_items=3))):
    mp.fails("MNP_ERR_ARG", words, printed, x, Options(**chosen))
mp.fails(("MNP_ERR_ARG", "MNP_ERR_PEER"), "file is NULL" if mp.rank == 0 else "", mp.array_print, x, None, None)
mp.fails("MNP_ERR_ARG", "is NULL", mp.array_print, None, None, None)
mp.fails("MNP_ERR_ARG", "scalar", mp.array_print, scalar(2), None, None)
if os.path.exists("/dev/full"):
    full = ctypes.c_void_p(libc.fopen(b"/dev/full", b"w") if mp.rank == 0 else None)
    libc.setvbuf(full, None, 2, 0) if mp.rank == 0 else None  # written at once
    mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "cannot be written" if mp.rank == 0 else "", mp.array_print, x, None, full)
mp.done()
