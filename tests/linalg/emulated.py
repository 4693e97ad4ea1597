# SPDX-License-Identifier: BSD-3-Clause
"""Emulated products: the bound of their errors, exact products of integers, scales, NaN and infinity, layouts, memory."""

import ctypes

import maniple as mp
import numpy as np

rng = mp.random()
U = {"float32": 2.0 ** -24, "complex64": 2.0 ** -24, "float64": 2.0 ** -53, "complex128": 2.0 ** -53}
MODULI = {"float32": 7, "complex64": 7, "float64": 14, "complex128": 14}


class Info(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("parts", ctypes.c_int), ("bytes", ctypes.c_int64),
                ("all_bytes", ctypes.c_int64), ("messages", ctypes.c_int64), ("workspace", ctypes.c_int64),
                ("integer_products", ctypes.c_int)]


def describe(a, b):
    info = Info()
    mp.matmul_describe(a, b, None, info)
    return info


def numbers(shape, dtype):
    values = rng.standard_normal(shape)
    if dtype.startswith("c"):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def wide(x):
    """With 64 bits of fraction, and exponents for every product of doubles."""
    return x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)


def exact(a, b):
    """a @ b, with an error of k 2^-64 |a| |b|."""
    return np.matmul(wide(a), wide(b))


def norms(x, axis):
    return np.sqrt((np.abs(wide(x)) ** 2).sum(axis, keepdims=True))


def bound(a, b, dtype, parts):
    """What the header promises, what underflow takes, and the error of what is compared with."""
    k = a.shape[-1]
    u, real = U[dtype], dtype.startswith("f")
    sizes = norms(a, -1) * norms(b, -2)
    tiny = np.finfo(dtype).smallest_subnormal
    return (((np.sqrt(k) + 1) * (1 if real else 2) + (parts if parts > 1 else 0)) * u + k * 2.0 ** -62) * sizes + (1 + parts) * tiny


def holds(name, got, a, b, parts=mp.size):
    g, want = got.numpy(), exact(a, b)
    error, most = np.abs(wide(g) - want), bound(a, b, str(a.dtype), parts)
    good = g.shape == want.shape and g.dtype == a.dtype and bool((error <= most).all())
    worst = float(np.max(error / np.maximum(most, np.longdouble(1e-4000)), initial=0))
    return mp.ok(good, name if good else f"{name}: {g.shape} {g.dtype}, {worst:.3g} of the bound")


def product(a, b, **given):
    x, y = (mp.array(v, mp.random_layout(rng, v.shape)) for v in (a, b))
    return mp.matmul(x, y, **given)


mp.matmul_set_precision(mp.MNP_MATMUL_EMULATED)

# --- little memory, while the pool is new -----------------------------------------------------------------------------


def with_memory(least, a, b):
    """The product of rows on each rank, if the last one has memory of so many bytes; None if it fails on all ranks."""
    axes = [-1] * a.ndim
    rows, whole = mp.Layout([mp.size], a.shape, axes[:-2] + [0, -1]), mp.Layout([mp.size], b.shape, axes)
    x, y, last = mp.array(a, rows), mp.array(b, whole), mp.rank == mp.size - 1
    mp.memory_trim(mp.MNP_MEMORY_SCRATCH)
    mp.memory_set_limit(mp.MNP_MEMORY_SCRATCH, least if last else 0)
    try:
        return mp.matmul(x, y)
    except mp.Error as error:
        assert error.status == ("MNP_ERR_MEMORY" if last else "MNP_ERR_PEER"), error
        return None
    finally:
        mp.memory_set_limit(mp.MNP_MEMORY_SCRATCH, 0)
        mp.memory_trim(mp.MNP_MEMORY_SCRATCH)  # before others take a little of a large block, which keeps it


a, b = numbers((3, 150 * mp.size, 200), "complex128"), numbers((3, 200, 190), "complex128")
want = with_memory(0, a, b).numpy()
made = [with_memory(int(2 ** power), a, b) for power in (18, 23, 23.5, 24, 25.5, 27)]
did = [got is not None for got in made]
# how much is little depends on the pieces in which a pool takes memory: on GPUs 32 MiB
mp.ok(not did[0] and did[-1] and did == sorted(did), f"little memory does, none fails on all ranks: {did}")
mp.ok(all((got.numpy() == want).all() for got in made if got), "and parts of any size have the same bits")
holds("which are right", mp.array(want), a, b)

# --- the bound --------------------------------------------------------------------------------------------------------

SIZES = [(2, 2, 2), (9, 7, 13), (16, 16, 16), (17, 33, 129), (150, 70, 260), (5, 4, 1), (3, 2, 1000)]
for dtype in U:
    for m, n, k in SIZES:
        a, b = numbers((m, k), dtype), numbers((k, n), dtype)
        holds(f"{dtype} {m} x {k} x {n}", product(a, b), a, b)
    holds(f"{dtype}, a row", product(a[:1], b), a[:1], b, k * mp.size)
    holds(f"{dtype}, a column", product(a, b[:, 1]).__getitem__((slice(None), None)), a, b[:, 1:2], k * mp.size)
    a, b = numbers((6, 40), dtype), numbers((40, 5), dtype)
    info = describe(mp.array(a), mp.array(b))
    mp.ok(describe(mp.array(a[:1]), mp.array(b)).integer_products == 0, f"{dtype}: a row is multiplied plainly")
    mp.ok(info.integer_products == MODULI[dtype] and info.workspace > 0, f"{dtype}: described as {info.integer_products}")
for dtype in ("float32", "float64") if mp.FULL else ("float32",):
    a, b = (numbers((9, 1), dtype) * np.ones(1 << 18, dtype) for _ in range(2))
    holds(f"{dtype}: sums of products of residues that int32 does not hold", product(a, b.T.copy()), a, b.T)
for shape_a, shape_b in [((0, 4), (4, 3)), ((3, 4), (4, 0)), ((3, 0), (0, 4)), ((0, 0), (0, 0))]:
    mp.check(f"{shape_a} {shape_b}", product(np.zeros(shape_a), np.zeros(shape_b)), np.zeros((shape_a[0], shape_b[1])))
for dtype in "int32", "float16", "bool":
    a, b = mp.array(np.ones((3, 4)), None, dtype), mp.array(np.ones((4, 3)), None, dtype)
    mp.ok(describe(a, b).integer_products == 0, f"{dtype} is not emulated")
    mp.check(f"{dtype} all the same", mp.matmul(a, b), np.matmul(a.numpy(), b.numpy()))

# --- how near -------------------------------------------------------------------------------------------------------

# As exact as BLAS where that is at its best, for numbers of one size: without this an error of many u would pass.
for dtype in "float32", "float64":
    a, b = numbers((64, 512), dtype), numbers((512, 48), dtype)
    error = np.abs(wide(product(a, b).numpy()) - exact(a, b)) / (norms(a, -1) * norms(b, -2))
    mp.ok(error.max() < 3 * U[dtype], f"{dtype}: at most {float(error.max() / U[dtype]):.2g} u |a| |b|")

# --- integers ---------------------------------------------------------------------------------------------------------

for dtype, size in ("float32", 2 ** 9), ("float64", 2 ** 23), ("complex64", 2 ** 8), ("complex128", 2 ** 22):
    a, b = rng.integers(-size, size, (31, 50)), rng.integers(-size, size, (50, 23))
    if dtype.startswith("c"):
        a, b = a + 1j * rng.integers(-size, size, a.shape), b + 1j * rng.integers(-size, size, b.shape)
    a, b = a.astype(dtype), b.astype(dtype)
    want = exact(a, b).astype(dtype)
    mp.check(f"integers in {dtype} are exact", product(a, b), want)
    mp.check("and those that cancel", product(np.hstack([a, a]), np.vstack([b, -b])), np.zeros_like(want))

# --- scales -----------------------------------------------------------------------------------------------------------

for dtype, far in ("float32", 50), ("float64", 300), ("complex64", 50), ("complex128", 300):
    a, b = numbers((20, 30), dtype), numbers((30, 25), dtype)
    rows, columns = np.ldexp(1.0, rng.integers(-far, far, (20, 1))), np.ldexp(1.0, rng.integers(-far, far, (1, 25)))
    real = np.finfo(dtype).dtype.type
    a, b = a * rows.astype(real), b * columns.astype(real)
    holds(f"{dtype}: rows of A and columns of B of any size", product(a, b), a, b)
    inner = np.ldexp(1.0, rng.integers(-far // 2, far // 2, 30)).astype(real)
    holds(f"{dtype}: and columns of A and rows of B", product(a * inner, b / inner[:, None]), a * inner, b / inner[:, None])
    c = a.copy()
    c[3, 4] = np.finfo(dtype).max / 1024
    holds(f"{dtype}: one huge element", product(c, b / columns.astype(real)), c, b / columns.astype(real))
    got = product(c, b).numpy()
    holds("which other rows do not notice", mp.array(np.delete(got, 3, 0)), np.delete(a, 3, 0), b)
    tiny = np.finfo(dtype).smallest_subnormal
    c = np.zeros((4, 6), dtype)
    c[0, 2], c[1, 3], c[2, :] = tiny, -3 * tiny, tiny
    d = np.full((6, 5), 1 / np.finfo(dtype).smallest_normal, dtype)
    mp.check(f"{dtype}: denormals, and a row of zeros", product(c, d), exact(c, d).astype(dtype))
    mp.ok(not product(c, np.full((6, 5), tiny, dtype)).numpy().any(), "products of these vanish")
    big = np.full((3, 4), np.finfo(dtype).max / 2, dtype)
    got = product(big, big.T.copy()).numpy()
    mp.ok(np.isinf(got.real).all(), f"{dtype}: overflow")

# --- NaN and infinity -------------------------------------------------------------------------------------------------


def same_class(name, a, b):
    """NaN and infinities where the plain product has them, and the rest as if their rows and columns were not there."""
    got = product(a, b).numpy()
    with np.errstate(invalid="ignore", over="ignore"):
        want = np.matmul(a, b)
    for g, w in [(got, want)] if a.dtype.kind == "f" else [(got.real, want.real), (got.imag, want.imag)]:
        good = bool((np.isnan(g) == np.isnan(w)).all() and (np.isposinf(g) == np.isposinf(w)).all() and
                    (np.isneginf(g) == np.isneginf(w)).all())
        mp.ok(good, name)
    rows, columns = np.isfinite(a).all(1), np.isfinite(b).all(0)
    holds(f"{name}: the rest", mp.array(got[rows][:, columns].copy()), a[rows].copy(), b[:, columns].copy())


for dtype in "float32", "float64":
    a, b = numbers((12, 20), dtype), numbers((20, 11), dtype)
    a[2, 3] = np.nan
    same_class(f"{dtype}: NaN in A", a, b)
    b[7, 5], a[4, 1], a[4, 2], a[6, 19] = np.inf, np.inf, np.inf, -np.inf
    same_class(f"{dtype}: infinities in both", a, b)
    b[3] = 0
    a[5, 3] = np.inf
    same_class(f"{dtype}: infinity times zero", a, b)
    same_class(f"{dtype}: nothing but NaN", np.full_like(a, np.nan), b)
a, b = numbers((6, 9), "complex128"), numbers((9, 5), "complex128")
a[1, 2], b[4, 3] = complex(np.inf, 1), complex(2, np.nan)
got = product(a, b).numpy()
rows, columns = np.isfinite(a).all(1), np.isfinite(b).all(0)
mp.ok(not np.isfinite(got[~rows]).any() and not np.isfinite(got[:, ~columns]).any(), "complex128: not finite where it must be")
holds("complex128: the rest", mp.array(got[rows][:, columns].copy()), a[rows].copy(), b[:, columns].copy())

# --- views, batches, layouts, outputs ---------------------------------------------------------------------------------

for dtype in U:
    a, b, c = numbers((12, 10), dtype), numbers((14, 9), dtype), numbers((4, 6, 8), dtype)
    x, y, z = (mp.array(v, mp.random_layout(rng, v.shape)) for v in (a, b, c))
    t = lambda v: mp.transpose(v, None)  # noqa: E731
    holds(f"{dtype}: transposed", mp.matmul(t(x), x), a.T, a)
    holds(f"{dtype}: transposed second", mp.matmul(x, t(x)), a, a.T)
    holds(f"{dtype}: every second, reversed", mp.matmul(x[::2, 1:8], y[::-2, ::3]), a[::2, 1:8], b[::-2, ::3])
    holds(f"{dtype}: stacks", mp.matmul(mp.swapaxes(z, 1, 2), z), c.swapaxes(1, 2), c)
    holds(f"{dtype}: a stack of B", mp.matmul(t(z[0]), z), c[0].T, c)
    holds(f"{dtype}: a stack along the last axis", mp.matmul(mp.moveaxis(z, 2, 0), mp.swapaxes(mp.moveaxis(z, 2, 0), 1, 2)),
          np.moveaxis(c, 2, 0), np.moveaxis(c, 2, 0).swapaxes(1, 2))
    a, b = numbers((3, 1, 5, 7), dtype), numbers((2, 7, 4), dtype)
    holds(f"{dtype}: batches that are broadcast", product(a, b), a, b)
for case in range(40 if mp.FULL else 12):
    m, n, k = (int(v) for v in rng.integers(1, 40, 3))
    batch = [(), (), (3,), (2, 4)][case % 4]
    dtype = ["float64", "float32", "complex64", "complex128"][case // 2 % 4]
    a, b, shape = numbers((*batch, m, k), dtype), numbers((*batch[1:], k, n), dtype), (*batch, m, n)
    out = mp.array(numbers(shape, dtype), mp.random_layout(rng, shape))
    holds(f"{a.shape} {b.shape} to a layout", product(a, b, out=out), a, b, k * mp.size)

# --- the setting, and refusals ----------------------------------------------------------------------------------------

mp.matmul_set_precision(mp.MNP_MATMUL_PLAIN)
mp.ok(describe(mp.array(np.ones((3, 3))), mp.array(np.ones((3, 3)))).integer_products == 0, "plain again")
mp.fails("MNP_ERR_ARG", "3", mp.matmul_set_precision, 3)
mp.done()
