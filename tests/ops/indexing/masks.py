# SPDX-License-Identifier: BSD-3-Clause
"""Reading and writing by masks, and by choices, against NumPy, of views in random layouts."""

import maniple as mp
import numpy as np

rng = mp.random()
FLAT = mp.MNP_FLATTENED
DTYPES = ["int8", "float32", "float64", "complex128"]


def values(shape, dtype="float32"):
    return rng.integers(-50, 50, shape).astype(dtype)


def shape_of(ndim, most=6):
    return tuple(int(n) for n in rng.integers(1, most, ndim))


def spread(a):
    """The values as an array of some layout, or as a view of one."""
    kind = int(rng.integers(4)) if a.ndim else 3
    if kind == 0:
        thick = np.stack([a, a, a])
        return mp.array(thick, mp.random_layout(rng, thick.shape))[int(rng.integers(0, 2)) * 2]
    if kind == 1:
        return mp.transpose(mp.array(a.T, mp.random_layout(rng, a.T.shape)), None)
    if kind == 2:
        return mp.array(a[::-1], mp.random_layout(rng, a.shape))[::-1]
    return mp.array(a, mp.random_layout(rng, a.shape))


def check(name, function, *arguments, want):
    """A point: a new result, and one in an array that is given."""
    got = function(*arguments)
    wrong = mp.difference(got, want)
    if not wrong:
        got = function(*arguments, out=spread(np.ones_like(want)))
    mp.check(name, got, want)


def mask_of(shape):
    return rng.random(shape) < rng.choice([0.0, 0.1, 0.5, 0.9, 1.0])


def test_read():
    for _ in range(12):
        a = values(shape_of(int(rng.integers(0, 4)), 9), DTYPES[int(rng.integers(len(DTYPES)))])
        m = mask_of(a.shape[:int(rng.integers(0, a.ndim + 1))])
        check(f"{a.dtype} {a.shape}[mask of {m.shape}]", mp.mask_get, spread(a), spread(m), want=a[m])
    for n in (0, 40000, 70001):
        a, m = values(n), mask_of(n)
        check(f"{n} elements", mp.mask_get, spread(a), spread(m), want=a[m])
    a = values((3, 5))
    for condition in ([1, 0, 2], [False, True], [0, 0, 0]):
        c = np.array(condition)
        check(f"compress {c}", mp.compress, spread(c), spread(a), 0, want=np.compress(c, a, 0))
        check(f"compress {c}, flattened", mp.compress, spread(c), spread(a), FLAT, want=np.compress(c, a))
    m = mask_of(a.shape)
    check("extract", mp.extract, spread(m), spread(a), want=np.extract(m, a))
    check("extract by numbers", mp.extract, spread(a), spread(a), want=np.extract(a, a))


def written(function, a, m, v):
    """What is written by the function, and by indexing: a new array of each."""
    x, want = spread(a), a.copy()
    if function == "mask_set":
        want[m] = v
    else:
        getattr(np, function)(want, m, v)
    getattr(mp, function)(x, spread(m), spread(np.asarray(v)) if isinstance(v, np.ndarray) else v)
    return x, want


def test_write():
    for _ in range(10):
        a = values(shape_of(int(rng.integers(1, 4)), 9), DTYPES[int(rng.integers(len(DTYPES)))])
        m = mask_of(a.shape[:int(rng.integers(1, a.ndim + 1))])
        rows = (int(m.sum()),) + a.shape[m.ndim:]
        for v in (values(rows), values(rows[1:]), 3.0 if a.dtype.kind != "i" else 3):
            mp.check(f"{a.dtype} {a.shape}[mask of {m.shape}] = {np.shape(v)}", *written("mask_set", a, m, v))
        m = mask_of(a.shape)
        v = values(int(rng.integers(1, 9)), a.dtype)
        mp.check(f"place {a.shape} {v.shape}", *written("place", a, m, v))
        mp.check(f"putmask {a.shape} {v.shape}", *written("putmask", a, m, v))
        mp.check(f"putmask {a.shape} beside", *written("putmask", a, m, values(a.shape, a.dtype)))
    a = values((4, 3))
    m = mask_of(4)
    mp.check("the same row for all", *written("mask_set", a, m, values((1, 3))))
    x, m = mp.array(a), a > 0
    mp.mask_set(x, mp.array(m), x[0, 0])
    a[m] = a[0, 0]
    mp.check("an element of x itself", x, a)


def nonzero_of(x, ndim, **named):
    got = mp.nonzero(x, ndim, **named)
    return got if isinstance(got, tuple) else (got,)


def test_nonzero():
    for shape in ((0,), (7,), (3, 0, 2), (4, 5), (2, 3, 4), (33000,), (129, 257)):
        a = values(shape) * mask_of(shape)
        a[rng.random(shape) < 0.1] = np.nan
        x = spread(a)
        mp.check(f"nonzero {shape}", nonzero_of(x, a.ndim), np.nonzero(a))
        check(f"flatnonzero {shape}", mp.flatnonzero, x, want=np.flatnonzero(a))
        check(f"argwhere {shape}", mp.argwhere, x, want=np.argwhere(a))
    x = spread(np.array([0, 1 + 0j, 0j, 1j, -0.0]))
    mp.check("of complex numbers", mp.flatnonzero(x), np.array([1, 3]))
    mp.check("argwhere of a number", mp.argwhere(mp.array(np.float32(2))), np.zeros((1, 0), int))
    mp.check("an output of another type", mp.flatnonzero(x, out=mp.zeros("int32", 1, [2])), np.array([1, 3], np.int32))
    x = spread(np.eye(4, 5)[2:3] * [[0, 0, 3, 0, 0]])
    given = [mp.zeros("int64", 1, [1]), mp.zeros("int32", 1, [1])]
    mp.nonzero(x, outs=given)
    mp.check("indices in given arrays", tuple(given), (np.array([0]), np.array([2], np.int32)))
    mp.fails("MNP_ERR_ARG", "(5,)", mp.nonzero, x, outs=[mp.zeros("int64", 1, [5]), mp.zeros("int64", 1, [5])])


def test_choices():
    for mode in ("raise", "wrap", "clip"):
        n = int(rng.integers(1, 6))
        shape = shape_of(2)
        choices = [values(shape[int(rng.integers(0, 3)):], "float32" if k % 2 else "int32") for k in range(n)]
        i = rng.integers(0, n, shape) if mode == "raise" else rng.integers(-2 * n, 3 * n, shape)
        check(f"choose {n} {shape} {mode}", mp.choose, spread(i), n, [spread(c) for c in choices],
              getattr(mp, "MNP_" + mode.upper()), want=np.choose(i, choices, mode=mode))
    for n in (1, 3, 20):
        shape = shape_of(2)
        conditions = [mask_of(shape[int(rng.integers(0, 3)):]) for _ in range(n)]
        choices = [values(shape, "float32") for _ in range(n)]
        arguments = (n, [spread(c) for c in conditions], [spread(c) for c in choices])
        for number in (None, 5):  # which is weak, but not in NumPy 1.24
            want = np.select(conditions, choices, number or 0).astype(np.float32)
            check(f"select {n} {shape}, otherwise {number}", mp.select, *arguments, number, want=want)
        other = values(shape, "float64")
        check(f"select {n} {shape}, an array", mp.select, *arguments, spread(other),
              want=np.select(conditions, choices, other))


def test_misuse():
    a = values((3, 4))
    x, m = mp.array(a), mp.array(a > 0)
    count = int((a > 0).sum())
    mp.fails("MNP_ERR_ARG", "(4, 3), and x's is (3, 4)", mp.mask_get, x, mp.transpose(m, None))
    mp.fails("MNP_ERR_ARG", "float32, and must be bool", mp.mask_get, x, x)
    mp.fails("MNP_ERR_ARG", f"(1,), and the result's is ({count},)", mp.mask_get, x, m, out=mp.zeros("float32", 1, [1]))
    mp.fails("MNP_ERR_ARG", f"there are 99 values for the {count}", mp.mask_set, x, m, mp.zeros("int8", 1, [99]))
    mp.fails("MNP_ERR_ARG", "the values have 2 dimensions", mp.mask_set, x, m, x)
    mp.fails("MNP_ERR_ARG", "broadcast", mp.mask_set, x, m[:, 0], mp.zeros("int8", 1, [3]))
    mp.fails("MNP_ERR_ARG", "broadcast view", mp.mask_set, mp.broadcast_to(x[:1], 2, [3, 4]), m, 1)
    mp.fails("MNP_ERR_ARG", f"no values for the {count} elements", mp.place, x, m, mp.zeros("int8", 1, [0]))
    mp.fails("MNP_ERR_ARG", "(3,), and x's", mp.putmask, x, m[:, 0], 1)
    mp.fails("MNP_ERR_ARG", "2 dimensions, and must have 1", mp.compress, m, x, 0)
    mp.fails("MNP_ERR_ARG", "index 4 is out of bounds for axis 1 with size 4", mp.compress,
             mp.array(np.arange(5) == 4), x, 1)
    mp.fails("MNP_ERR_ARG", "no dimensions", mp.nonzero, mp.array(np.float32(1)), 1)
    one, five = mp.array(np.array([1])), mp.zeros("int64", 1, [5])
    mp.fails("MNP_ERR_ARG", "(5,), and the result's is (1,)", mp.choose, one, 2, [3, 4], mp.MNP_RAISE, out=five)
    mp.fails("MNP_ERR_ARG", "(5,), and the result's is (1,)", mp.select, 1, [mp.ones("bool", 1, [1])], [3], 0, out=five)
    mp.fails("MNP_ERR_ARG", "(5,), and the result's is (1,)", mp.searchsorted, five, one, False, None, out=five)
    mp.fails("MNP_ERR_ARG", "cannot be cast", mp.flatnonzero, mp.ones("int8", 1, [2]), out=mp.zeros("bool", 1, [2]))
    i = mp.array(np.array([0, 2, -1]))
    mp.fails("MNP_ERR_ARG", "choice 2 is out of bounds with 2 choices", mp.choose, i, 2, [x[:, 0], x[:, 1]],
             mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "integers", mp.choose, x, 1, [x], mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "0 choices", mp.choose, i, 0, [], mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "0 conditions", mp.select, 0, [], [], 1)
    mp.fails("MNP_ERR_ARG", "condition 1 is float32", mp.select, 2, [m, x], [x, x], 1)
    mp.fails("MNP_ERR_ARG", "(3, 4)", mp.select, 1, [m], [x[:, :3]], 1)
    mp.check("nothing has changed", x, a)


for test in (test_read, test_write, test_nonzero, test_choices, test_misuse):
    test()
mp.done()
