# SPDX-License-Identifier: BSD-3-Clause
"""Sorting against NumPy, of views in random layouts: sorts, argsorts, partitions, the k largest or smallest."""

import maniple as mp
import numpy as np

rng = mp.random()
FLATTENED = mp.MNP_FLATTENED
DTYPES = ["bool", "int8", "uint16", "int32", "uint64", "int64", "float16", "float32", "float64",
          "complex64", "complex128"]


def values(shape, dtype, kind=None):
    """Few different values or many, with NaN, infinities and zeros of both signs."""
    kind = rng.integers(4) if kind is None else kind
    a = rng.integers(-3, 4, shape) if kind == 0 else rng.standard_normal(shape) * 100
    a = a.astype(np.float64)
    if kind == 1:
        a = np.sort(a, None).reshape(shape)
    with np.errstate(invalid="ignore"):
        if dtype == "bool":
            return a > 0
        if dtype[0] in "iu":
            return a.astype("int64").astype(dtype)
    if kind != 2:
        a[rng.random(shape) < 0.1] = -0.0
        a[rng.random(shape) < 0.05] = np.nan
        a[rng.random(shape) < 0.05] = np.inf
        a[rng.random(shape) < 0.05] = -np.inf
    if dtype[0] == "c":
        a = a + 1j * rng.integers(-2, 3, shape)
        a[rng.random(shape) < 0.1] = complex(1, np.nan)
        a[rng.random(shape) < 0.1] = complex(np.nan, 2)
    return a.astype(dtype)


def spread(a):
    """The values as an array of some layout, which may have all of them on one rank, or as a view of one."""
    if a.ndim == 0 or rng.integers(6) > 0:
        return mp.spread(rng, a)
    cuts = [0] + [0] * int(rng.integers(0, mp.size))
    cuts += [a.shape[0]] * (mp.size + 1 - len(cuts))
    return mp.array(a, mp.Layout([mp.size], a.shape, [0] + [-1] * (a.ndim - 1), [cuts] + [None] * (a.ndim - 1)))


def shape_of(ndim, most):
    return tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, most, ndim))


def check(name, function, *arguments, want):
    """A point: a new result, and one in an array that is given."""
    wrong = mp.difference(function(*arguments), want)
    if not wrong:
        wrong = mp.difference(function(*arguments, out=spread(np.zeros_like(want))), want)
    mp.ok(not wrong, name + (": " + wrong if wrong else ""))


def stable(a, axis):
    """numpy.sort, where zeros of both signs and NaN keep their order."""
    return np.take_along_axis(a, np.argsort(a, axis, kind="stable"), axis) if a.ndim else a


def top(a, k, axis, largest):
    """The k best by a stable order: NaN is largest."""
    if not largest:
        order = np.argsort(a, axis, kind="stable")
    else:  # the order turned round, and equal ones turned back
        last = a.shape[axis] - 1
        order = np.flip(last - np.argsort(np.flip(a, axis), axis, kind="stable"), axis)
    order = np.take(order, np.arange(k), axis)
    return np.take_along_axis(a, order, axis), order


def falling(a, axis):
    """The order with the largest first, and equal elements in their order."""
    return top(a, a.shape[axis], axis, True)


def test_lines():
    for dtype in mp.part(DTYPES):
        for ndim, most in ((1, 40), (2, 12), (3, 7)):
            shape, axis = shape_of(ndim, most), int(rng.integers(-ndim, ndim))
            a = values(shape, dtype)
            x = spread(a)
            text = f"{dtype} {shape}, {axis}"
            check(f"sort {text}", mp.sort, x, axis, want=stable(a, axis))
            check(f"argsort {text}", mp.argsort, x, axis, want=np.argsort(a, axis, kind="stable"))
            check(f"sort {text}, descending", mp.sort_descending, x, axis, want=falling(a, axis)[0])
            check(f"argsort {text}, descending", mp.argsort_descending, x, axis, want=falling(a, axis)[1])
        a = values((4, 9), dtype)
        x = spread(a)
        check(f"sort {dtype}, flattened", mp.sort, x, FLATTENED, want=stable(a.ravel(), 0))
        check(f"argsort {dtype}, flattened", mp.argsort, x, FLATTENED, want=np.argsort(a, None, kind="stable"))
        check(f"argsort {dtype}, flattened, descending", mp.argsort_descending, x, FLATTENED, want=falling(a.ravel(), 0)[1])
        mp.check(f"sort {dtype} in place", mp.sort(x, 0, out=x), stable(a, 0))


def test_long_lines():
    """More than the samples of a round."""
    n = 100003
    few = np.arange(n) % 7
    cases = {"random": rng.standard_normal(n), "few keys": few, "sorted": np.arange(n), "reversed": -np.arange(n),
             "equal": np.zeros(n), "one other": np.where(np.arange(n) == 5, -1, 0), "saw": (np.arange(n) * 7919) % 1000,
             "parts in the wrong order": np.roll(np.arange(n), n // 3)}
    for name, a in cases.items():
        a = a.astype("float32")
        want = np.argsort(a, kind="stable")
        x = mp.array(a, mp.random_layout(rng, a.shape))
        mp.check(f"argsort {n}: {name}", mp.argsort(x, 0), want)
        mp.check(f"sort {n}: {name}", mp.sort(x, 0), a[want])
        mp.check(f"argsort {n}: {name}, descending", mp.argsort_descending(x, 0), np.argsort(-a, kind="stable"))
    a = values((3, 5001), "float64", 0)
    x = mp.array(a, mp.Layout([mp.size], a.shape, [-1, 0]))
    mp.check("fewer lines than ranks, or about as many", mp.argsort(x, 1), np.argsort(a, 1, kind="stable"))
    a = values(20011, "complex64", 0)
    mp.check("complex lines", mp.argsort(mp.array(a), 0), np.argsort(a, kind="stable"))


def test_edges():
    for n in (0, 1, 2, 3):
        a = values(n, "float32")
        check(f"sort of {n}", mp.sort, spread(a), 0, want=stable(a, 0))
        check(f"argsort of {n}", mp.argsort, spread(a), 0, want=np.argsort(a, kind="stable"))
    for shape in ((0, 3), (3, 0)):
        a = np.zeros(shape, "int16")
        for axis in (0, 1):
            check(f"sort of {shape}, {axis}", mp.sort, spread(a), axis, want=np.sort(a, axis))
    a = values((5, 1, 7), "float32", 2)
    check("lines of one element", mp.sort, spread(a), 1, want=a)
    check("lines of one element, indices", mp.argsort, spread(a), 1, want=np.zeros_like(a, "int64"))
    order = [int(d) for d in rng.permutation(3)]
    x, b, axis = mp.transpose(spread(a), order), a.transpose(order), order.index(1)
    check(f"lines of one element, transposed by {order}", mp.sort, x, axis, want=b)
    check(f"indices of lines of one element, transposed by {order}", mp.argsort, x, axis, want=np.zeros_like(b, "int64"))
    mp.check("lines of one element in place", mp.sort(x, axis, out=x), b)
    a = values((5, 1, 7), "float32")
    b, x = np.broadcast_to(a, (5, 40, 7)), mp.broadcast_to(spread(a), 3, [5, 40, 7])
    for axis in 0, 1, 2:
        check(f"lines of which the second is broadcast, {axis}", mp.sort, x, axis, want=stable(b, axis))
        check(f"their indices, {axis}", mp.argsort, x, axis, want=np.argsort(b, axis, kind="stable"))
    b, x = b.transpose(1, 2, 0)[3:, ::-1], mp.transpose(x, [1, 2, 0])[3:, ::-1]
    for axis in 0, 1, 2:
        check(f"a view of them, {axis}", mp.sort, x, axis, want=stable(b, axis))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    mp.check("lines of one element, reversed into x itself", mp.sort(x[::-1], 1, out=x), a[::-1])
    mp.check("a number, flattened", mp.sort(mp.array(np.float32(3)), FLATTENED), np.array([3], "float32"))
    a = np.array([0.0, -0.0, np.nan, -1, -0.0, 0.0, -np.nan], "float32")
    got = mp.sort(mp.array(a), 0).numpy()
    mp.ok(got.tobytes() == stable(a, 0).tobytes(), "zeros and NaN keep their order and their bits")
    x = mp.broadcast_to(mp.array(np.array([[3], [1], [2]], "int32")), 2, (3, 4))
    mp.check("a broadcast view", mp.sort(x, 0), np.repeat([[1], [2], [3]], 4, 1).astype("int32"))
    a = values((6, 7), "float32")
    x = mp.array(a, mp.random_layout(rng, a.shape))
    mp.check("into a view of the argument", mp.sort(x[::-1], 1, out=x), stable(a[::-1], 1))
    a = values((5, 8), "int16")
    out = mp.zeros("float64", 2, a.shape)
    mp.check("into another type", mp.sort(mp.array(a), 0, out=out), np.sort(a, 0).astype("float64"))
    x = mp.astype(mp.array(np.array([3, 1, np.nan, 2, -1, 1], "float32")), "bfloat16")
    mp.check("bfloat16", mp.argsort(x, 0), np.array([4, 1, 5, 3, 0, 2]))


def test_others():
    a = values((6, 11), "float32")
    x = spread(a)
    check("partition", mp.partition, x, 2, [3, -2], 1, want=stable(a, 1))
    check("argpartition", mp.argpartition, x, 1, [5], 0, want=np.argsort(a, 0, kind="stable"))
    for shape, axis in (((40,), 0), ((3, 7), 0), ((50, 3), 0), ((5, 6), 1)):
        a = values(shape, "int64", 0)
        x = spread(a)
        mp.check(f"argsort of {shape} into x itself", mp.argsort(x, axis, out=x), np.argsort(a, axis, kind="stable"))
    for dtype in ("int8", "uint16", "int32", "bool", "float16", "float32", "complex64"):
        a = values((3, 5), dtype, 0 if dtype[0] != "f" else 2)
        check(f"sort_complex {dtype}", mp.sort_complex, spread(a), want=np.sort_complex(a))
    a, b = values((4, 30), "int8", 0), values((4, 30), "float32", 0)
    for axis in (-1, 0):
        check(f"lexsort, {axis}", mp.lexsort, [spread(a), spread(b), spread(a[::-1])], 3, axis,
              want=np.lexsort([a, b, a[::-1]], axis))
    for n in (1, 1000):
        keys = [values(n, "int16", 0), values(n, "int32", 0)]
        check(f"lexsort of {n}", mp.lexsort, [spread(k) for k in keys], 2, 0, want=np.lexsort(keys))


def test_topk():
    for dtype in mp.part(DTYPES, 1):
        ndim = int(rng.integers(1, 4))
        a = values(shape_of(ndim, (80, 15, 8)[ndim - 1]), dtype)
        axis = int(rng.integers(-ndim, ndim))
        for k in {0, min(2, a.shape[axis]), a.shape[axis], int(rng.integers(0, a.shape[axis] + 1))}:
            for largest in (True, False):
                got = mp.topk(spread(a), k, axis, largest)
                mp.check(f"topk {dtype} {a.shape}, {k}, {axis}, {largest}", got, top(a, k, axis, largest))
    for dtype in ("int8", "float32", "float64"):
        a = values((3, 1700), dtype, 3)
        for k in (1, 40, 500):
            got = mp.topk(spread(a), k, 1, k != 1)
            mp.check(f"topk {dtype}, {k} of long lines", got, top(a, k, 1, k != 1))
            got = mp.topk(spread(a.ravel()), k, 0, k == 1)
            mp.check(f"topk {dtype}, {k} of a long line", got, top(a.ravel(), k, 0, k == 1))
    for dtype, few in (("int16", 5), ("float32", 0), ("float64", 3)):  # long enough to be selected from on a GPU
        a = values((2, 150001), dtype, 3 if few == 0 else 0) if few != 5 else rng.integers(0, few, (2, 150001), dtype)
        for k in (1, 300, 9000):
            mp.check(f"topk {dtype}, {k} of very long lines", mp.topk(spread(a), k, 1, k != 1), top(a, k, 1, k != 1))
    for dtype, few in (("int32", 3), ("float32", 0), ("float64", 1), ("uint8", 200)):  # and to be sieved
        n = int(rng.integers(1 << 20, 3 << 19))
        a = rng.integers(0, few, n, dtype) if few > 1 else rng.standard_normal(n).astype(dtype)
        if few == 1:
            a[::3] = np.nan
        for k in (1, 300, 1500, n // 50):
            mp.check(f"topk {dtype}, {k} of {n}", mp.topk(spread(a), k, 0, k != 1), top(a, k, 0, k != 1))
    a = values((7, 6), "float32", 0)
    got = mp.topk(spread(a), 5, FLATTENED, True, out=(mp.zeros("float64", 1, [5]), mp.zeros("int64", 1, [5])))
    want = top(a.ravel(), 5, 0, True)
    mp.check("topk flattened, into given ones", got, (want[0].astype("float64"), want[1]))


def test_errors():
    x = mp.array(values((4, 5), "float32"))
    mp.fails("MNP_ERR_ARG", "axis 2 is out of bounds for 2 dimensions", mp.sort, x, 2)
    mp.fails("MNP_ERR_ARG", "axis -1 is out of bounds for 0 dimensions", mp.sort, mp.array(np.float32(1)), -1)
    mp.fails("MNP_ERR_ARG", "NULL", mp.argsort, None, 0)
    mp.fails("MNP_ERR_ARG", "scalar", mp.sort, 1.5, 0)
    mp.fails("MNP_ERR_ARG", "(4, 4), and the result's is (4, 5)", mp.sort, x, 0, out=mp.zeros("float32", 2, [4, 4]))
    mp.fails("MNP_ERR_ARG", "the output is int32, to which the result's", mp.sort, x, 0,
             out=mp.zeros("int32", 2, [4, 5]))
    mp.fails("MNP_ERR_ARG", "broadcast", mp.sort, x, 0, out=mp.broadcast_to(x[0], 2, (4, 5)))
    mp.fails("MNP_ERR_ARG", "position 5 is out of bounds for an axis of 5 elements", mp.partition, x, 2, [0, 5], 1)
    mp.fails("MNP_ERR_ARG", "position -5 is out of bounds", mp.argpartition, x, 1, [-5], 0)
    mp.fails("MNP_ERR_ARG", "k is 6, and the axis has 5 elements", mp.topk, x, 6, 1, True)
    mp.fails("MNP_ERR_ARG", "k is -1", mp.topk, x, -1, 1, True)
    mp.fails("MNP_ERR_ARG", "there are 0 keys", mp.lexsort, [], 0, 0)
    mp.fails("MNP_ERR_ARG", "(4, 5) and (5,)", mp.lexsort, [x, x[0]], 2, 0)


for test in (test_lines, test_long_lines, test_edges, test_others, test_topk, test_errors):
    test()
mp.done()
