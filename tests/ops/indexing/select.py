# SPDX-License-Identifier: BSD-3-Clause
"""Taking and putting by indices, along axes and flattened, against NumPy, of views in random layouts."""

import ctypes
import functools
import os

os.environ.setdefault("MANIPLE_THREADS", "3")  # so that the host divides the numbers of equal indices among threads

import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402

rng = mp.random()
spread = functools.partial(mp.spread, rng)
FLAT = mp.MNP_FLATTENED
MODES = {"raise": mp.MNP_RAISE, "wrap": mp.MNP_WRAP, "clip": mp.MNP_CLIP}
DTYPES = ["int8", "float16", "float32", "float64", "complex128"]


def values(shape, dtype="float32"):
    return rng.integers(-50, 50, shape).astype(dtype)


def shape_of(ndim, most=6):
    return tuple(int(n) for n in rng.integers(1, most, ndim))


def check(name, function, *arguments, want):
    """A point: a new result, and one in an array that is given."""
    got = function(*arguments)
    wrong = mp.difference(got, want)
    if not wrong:
        got = function(*arguments, out=spread(np.ones_like(want)))
    mp.check(name, got, want)


def indices_for(n, shape, mode="raise", dtype="int64"):
    low, high = (-n, n) if mode == "raise" else (-3 * n, 3 * n)
    return rng.integers(low, high, shape).astype(dtype)


def test_take():
    for _ in range(12):
        a = values(shape_of(int(rng.integers(1, 4))), DTYPES[int(rng.integers(len(DTYPES)))])
        axis = int(rng.integers(-a.ndim, a.ndim))
        mode = list(MODES)[int(rng.integers(3))]
        i = indices_for(a.shape[axis], shape_of(int(rng.integers(0, 4)), 7), mode)
        check(f"take {a.dtype} {a.shape} {i.shape} along {axis}, {mode}", mp.take, spread(a), spread(i), axis,
              MODES[mode], want=np.take(a, i, axis, mode=mode))
        i = indices_for(a.size, shape_of(int(rng.integers(0, 3)), 9), mode, "int32")
        check(f"take {a.dtype} {a.shape} {i.shape} flattened, {mode}", mp.take, spread(a), spread(i), FLAT,
              MODES[mode], want=np.take(a, i, mode=mode))


def test_rows():
    """Rows of a few elements, each row with an index, and rows that all have the same indices, dense or with steps, of
    arrays that are cut along the axis or not."""
    for shape, axis in (((40, 61, 3), 1), ((150, 7, 2), 0), ((6, 50, 4, 5), 1), ((75, 140), 1), ((3, 40, 9), 2)):
        a = values(shape, DTYPES[int(rng.integers(len(DTYPES)))])
        for cut in 0, 1:
            x = mp.array(a, mp.Layout([mp.size], shape, [0 if d == cut else -1 for d in range(a.ndim)]))
            for step in 1, 2, -1:
                b, y = a[..., ::step], x[..., ::step]
                mode = list(MODES)[int(rng.integers(3))]
                i = indices_for(b.shape[axis], 2 * b.shape[axis], mode)
                check(f"take rows of {b.shape} with steps of {step} along {axis}, cut along {cut}, {mode}", mp.take, y,
                      mp.array(i), axis, MODES[mode], want=np.take(b, i, axis, mode=mode))
                i = np.unique(i % b.shape[axis])
                new = values(np.take(b, i, axis).shape, a.dtype)
                b[(slice(None),) * axis + (i,)] = new
                index = mp.array(i)
                mp.indices_set(y, axis, 1, (ctypes.c_void_p * 1)(index.pointer), mp.array(new))
                mp.check(f"put rows of {b.shape} with steps of {step} along {axis}, cut along {cut}", y, b)


def test_along_axis():
    for _ in range(8):
        a = values(shape_of(int(rng.integers(1, 4))), DTYPES[int(rng.integers(len(DTYPES)))])
        axis = int(rng.integers(-a.ndim, a.ndim))
        shape = [n if rng.random() < 0.7 else 1 for n in a.shape]
        shape[axis] = int(rng.integers(1, 8))
        i = indices_for(a.shape[axis], shape)
        want = np.take_along_axis(a, i, axis)
        check(f"take_along_axis {a.dtype} {a.shape} {i.shape} {axis}", mp.take_along_axis, spread(a), spread(i), axis,
              want=want)
        v = values(shape, a.dtype)
        x = spread(a)
        mp.put_along_axis(x, spread(i), spread(v), axis)
        want = a.copy()
        np.put_along_axis(want, i, v, axis)
        mp.check(f"put_along_axis {a.dtype} {a.shape} {i.shape} {axis}", x, want)
    for shape, index, axis in (((2, 3, 5), (6, 1, 5), 0), ((2, 3, 5), (2, 1, 5), 0), ((2, 20, 70), (3, 1, 70), 0),
                               ((3, 4, 5, 6), (3, 2, 1, 6), 1), ((3, 4, 5, 6), (1, 2, 5, 1), 1), ((4, 7), (1, 7), 0)):
        a = values(shape, "float64")
        i = indices_for(a.shape[axis], index)
        check(f"take_along_axis {shape} {index} {axis}, which broadcast", mp.take_along_axis, spread(a), spread(i), axis,
              want=np.take_along_axis(a, i, axis))
    a = values((4, 3))
    i = indices_for(12, 7)
    check("take_along_axis, flattened", mp.take_along_axis, spread(a), spread(i), FLAT,
          want=np.take_along_axis(a, i, None))


def test_put():
    for _ in range(10):
        a = values(shape_of(int(rng.integers(0, 4))), DTYPES[int(rng.integers(len(DTYPES)))])
        mode = list(MODES)[int(rng.integers(3))]
        i = indices_for(a.size, shape_of(int(rng.integers(0, 3)), 12), mode)
        v = values(int(rng.integers(1, 2 * i.size + 1)), "float32")
        x = spread(a)
        mp.put(x, spread(i), spread(v), MODES[mode])
        want = a.copy()
        np.put(want, i, v.astype(a.dtype), mode)
        mp.check(f"put {a.dtype} {a.shape} {i.shape} {v.shape} {mode}", x, want)
    x = mp.array(a)
    mp.put(x, mp.array(np.array([0, 0])), 7, mp.MNP_RAISE)
    a.flat[0] = 7
    mp.check("put a number", x, a)


def test_at():
    for name, dtype, value in (("add", "float32", "float32"), ("subtract", "int32", "int8"),
                               ("multiply", "float64", "float32"), ("maximum", "int32", "int32"),
                               ("negative", "float64", None)):
        a = values(shape_of(int(rng.integers(1, 4))), dtype)
        i = indices_for(a.shape[0], shape_of(int(rng.integers(0, 3)), 20))
        shape = i.shape + a.shape[1:]
        shape = shape[int(rng.integers(0, len(shape) + 1)):]
        v = None if value is None else (values(shape, value) + values(shape, value) / 8).astype(value)
        x = spread(a)
        mp.ufunc_at(name, x, spread(i), v if v is None else spread(v))
        want = a.copy()
        whole = () if v is None else (np.broadcast_to(v, i.shape + a.shape[1:]).copy(),)  # NumPy errs in broadcasting
        getattr(np, name).at(want, i, *whole)
        mp.check(f"{name}.at {dtype} {a.shape} {i.shape} {value} {shape}", x, want)
    for shape in ((mp.size, 5), (1, 7), (mp.size, 1, 4)):  # a row at most on each rank, backwards
        a = values(shape)
        x = mp.array(a, mp.Layout([mp.size], shape, [0] + [-1] * (len(shape) - 1)))
        i, v = indices_for(shape[0], 9), values((9,) + shape[1:])
        mp.ufunc_at("add", x[..., ::-1], mp.array(i), mp.array(v))
        np.add.at(a[..., ::-1], i, v)
        mp.check(f"add.at {shape} backwards", x, a)
    a = np.zeros(5, np.float32)
    x = spread(a)
    i, v = indices_for(5, 1000), rng.standard_normal(1000).astype(np.float32)
    mp.ufunc_at("add", x, mp.array(i), mp.array(v))
    np.add.at(a, i, v)
    mp.check("many of the same index, in their order", x, a)
    mp.ufunc_at("add", x, mp.array(i), 1)
    np.add.at(a, i, 1)
    mp.check("a number", x, a)


def test_several():
    """Index arrays along adjacent axes, which are broadcast to one another."""
    for _ in range(16):
        a = values(shape_of(int(rng.integers(1, 5)), 7), DTYPES[int(rng.integers(len(DTYPES)))])
        count = int(rng.integers(1, a.ndim + 1))
        axis = int(rng.integers(0, a.ndim - count + 1))
        shapes = [((2, 3), (3,), (2, 1), ())[int(rng.integers(4))] for _ in range(count)]
        indices = [indices_for(a.shape[axis + k], shape, dtype=("int64", "int8")[k % 2]) for k, shape in enumerate(shapes)]
        key = (slice(None),) * axis + tuple(indices)
        text = f"{a.shape} {a.dtype} from {axis} at {shapes}"
        x = spread(a)
        given = [spread(np.asarray(i)) for i in indices]
        table = (ctypes.c_void_p * count)(*[i.pointer for i in given])
        check(f"elements of {text}", mp.indices_get, x, axis - a.ndim * int(rng.integers(2)), count, table, want=a[key])
        new = values(a[key].shape)
        for name, value in (("all", new), ("broadcast", new[..., :1] if new.ndim else new), ("a number", 7)):
            a[key] = value
            mp.indices_set(x, axis, count, table, value if isinstance(value, int) else spread(np.asarray(value)))
            mp.check(f"set {name} of {text}", x, a)
        name, dtype = (("add", "float64"), ("maximum", "int32"), ("negative", "int16"))[int(rng.integers(3))]
        b = values(a.shape).astype(dtype)
        x, v = spread(b), values(b[key].shape).astype(dtype)
        getattr(np, name).at(b, key, *(() if name == "negative" else (v,)))
        mp.indices_at(name, x, axis, count, table, None if name == "negative" else spread(np.asarray(v)))
        mp.check(f"{name}.at {text}", x, b)
    none = spread(np.zeros((2, 0), int))
    table = (ctypes.c_void_p * 2)(none.pointer, none.pointer)
    x = spread(values((4, 5, 2)))
    check("no indices", mp.indices_get, x, 0, 2, table, want=np.zeros((2, 0, 2), "float32"))
    mp.indices_set(x, 0, 2, table, 7)
    good, bad = spread(np.array([0, 1])), spread(np.array([0, 5]))
    table = (ctypes.c_void_p * 2)(good.pointer, bad.pointer)
    mp.fails("MNP_ERR_ARG", "indices_get: index 5 is out of bounds for axis 1 with size 5", mp.indices_get, x, 0, 2, table)
    mp.fails("MNP_ERR_ARG", "indices_set: index 5 is out of bounds for axis 1 with size 5", mp.indices_set, x, 0, 2, table, 1)
    mp.fails("MNP_ERR_ARG", "indices_at: index 5 is out of bounds for axis 1 with size 5", mp.indices_at, "add", x, 0, 2, table, 1)
    mp.fails("MNP_ERR_ARG", "negative takes no second operand", mp.indices_at, "negative", x, 0, 1, table, 1)
    mp.fails("MNP_ERR_ARG", "a broadcast view", mp.indices_at, "add", mp.broadcast_to(spread(values(3)), 2, [4, 3]), 0, 1, table, 1)
    mp.fails("MNP_ERR_ARG", "from axis 2 on, of 3 dimensions", mp.indices_get, x, 2, 2, table)
    mp.fails("MNP_ERR_ARG", "4 arrays of indices for 3 dimensions", mp.indices_get, x, 0, 4, table)
    mp.fails("MNP_ERR_ARG", "does not broadcast", mp.indices_set, x, 1, 1, table, spread(values(3)))


def test_repeat_each():
    for _ in range(8):
        a = values(shape_of(int(rng.integers(1, 4))), DTYPES[int(rng.integers(len(DTYPES)))])
        axis = int(rng.integers(-a.ndim, a.ndim))
        many = rng.integers(0, 4, a.shape[axis]).astype(("int64", "uint8", "bool")[int(rng.integers(3))])
        check(f"repeats of {a.shape} along {axis}: {many}", mp.repeat_each, spread(a), spread(many), axis,
              want=np.repeat(a, many.astype(int), axis))
        check(f"{a.shape}, each as often", mp.repeat_each, spread(a), spread(many[:1]), FLAT,
              want=np.repeat(a, many[:1].astype(int)))
    x = spread(values((3, 4)))
    mp.fails("MNP_ERR_ARG", "repeats have -1", mp.repeat_each, x, spread(np.array([1, -1, 2])), 0)
    mp.fails("MNP_ERR_ARG", "broadcast", mp.repeat_each, x, spread(np.array([1, 2])), 0)
    mp.fails("MNP_ERR_ARG", "must be integers", mp.repeat_each, x, spread(np.ones(3)), 0)


def test_edges():
    a = values((3, 4))
    x = spread(a)
    for shape in ((0,), (2, 0)):
        i = np.zeros(shape, int)
        check(f"no indices {shape}", mp.take, x, spread(i), 1, mp.MNP_RAISE, want=np.take(a, i, 1))
        mp.put(x, spread(i), 1, mp.MNP_RAISE)
        mp.ufunc_at("add", x, spread(i), 1)
    mp.check("nothing is put", x, a)
    e = np.zeros((0, 3), np.float32)
    check("of nothing, along another axis", mp.take, mp.array(e), mp.array(np.array([2, 0])), 1, mp.MNP_RAISE,
          want=np.take(e, [2, 0], 1))
    s = np.float64(7)
    check("of an array without dimensions", mp.take, mp.array(s), mp.array(np.array([0, -1])), FLAT, mp.MNP_RAISE,
          want=np.take(s, [0, -1]))
    check("bools are 0 and 1", mp.take, x, mp.array(np.array([True, False])), 0, mp.MNP_RAISE, want=a[[1, 0]])
    check("unsigned indices", mp.take, x, mp.array(np.array([2, 0], np.uint64)), 0, mp.MNP_CLIP, want=a[[2, 0]])
    got = mp.take(x, mp.array(np.array([1])), 0, mp.MNP_RAISE, out=mp.zeros("complex128", 2, [1, 4]))
    mp.check("an output of another type", got, a[[1]].astype(complex))
    y = mp.array(a)
    mp.check("into x itself", mp.take(y, mp.array(np.array([2, 1, 0])), 0, mp.MNP_RAISE, out=y), a[::-1])
    table = values((5, 3))
    i = indices_for(5, 200)
    check("more indices than rows", mp.take, spread(table), spread(i), 0, mp.MNP_RAISE, want=table[i])
    i = indices_for(15, (9, 20))
    check("more than elements", mp.take, spread(table), spread(i), FLAT, mp.MNP_RAISE, want=np.take(table, i))
    p = rng.permutation(5)
    y = mp.array(p)
    mp.put(y, y, y, mp.MNP_RAISE)
    want = p.copy()
    np.put(want, p.copy(), p.copy())
    mp.check("put an array by itself", y, want)


def test_large():
    """Indices beyond 2^31, of an array that takes no memory."""
    a = np.array([3, 5, 8], np.int16)
    x = mp.broadcast_to(mp.array(a), 2, [2 ** 33, 3])
    n = 3 * 2 ** 33
    i = rng.integers(-n, n, 50)
    check("of more than 2^31, flattened", mp.take, x, spread(i), FLAT, mp.MNP_RAISE, want=a[i % 3])
    i = rng.integers(2 ** 32, 2 ** 33, 5)
    check("of more than 2^31 along an axis", mp.take, x, spread(i), 0, mp.MNP_RAISE, want=np.stack([a] * 5))
    check("wrapped", mp.take, x, spread(i * 7), 0, mp.MNP_WRAP, want=np.stack([a] * 5))
    mp.fails("MNP_ERR_ARG", f"index {n} is out of bounds with size {n}", mp.take, x, mp.array(np.array([0, n])), FLAT,
             mp.MNP_RAISE)


def test_many():
    """So many elements that a GPU checks indices while it takes, takes from a transposed array as it lies, and sorts
    indices by passes."""
    n = (1 << 22) + 3
    a, i = values(5000), indices_for(5000, n, dtype=("int32", "int64")[int(rng.integers(2))])
    x = mp.array(a)
    mp.check("many indices", mp.take(x, mp.array(i), 0, mp.MNP_RAISE), a[i])
    i[n // 2] = 5000
    mp.fails("MNP_ERR_ARG", "index 5000 is out of bounds for axis 0 with size 5000", mp.take, x, mp.array(i), 0,
             mp.MNP_RAISE)
    for shape, order in (((700, 1600), (1, 0)), ((90, 13, 1001), (2, 0, 1)), ((90, 13, 1001), (1, 2, 0))):
        a = values(shape, ("int8", "float16", "float32")[int(rng.integers(3))])
        x, turned = mp.transpose(mp.array(a), order), a.transpose(order)
        for axis in range(a.ndim):
            i = indices_for(turned.shape[axis], (2, turned.shape[axis] // 2 + 1))
            mp.check(f"along {axis} of {turned.shape}, transposed", mp.take(x, mp.array(i), axis, mp.MNP_RAISE),
                     turned.take(i, axis))
    for shape, axis in (((100000,), 0), ((3000, 17), 0), ((5, 3000, 4), 1), ((7, 3000), 1)):
        a = values(shape)
        i = indices_for(shape[axis], 40000)
        key = (slice(None),) * axis + (i,)
        x, index = mp.array(a), mp.array(i)
        table = (ctypes.c_void_p * 1)(index.pointer)
        new = values(a[key].shape)
        for name, value in (("each has values", new), ("all have a row", new[(Ellipsis, slice(1), *[slice(None)] * (a.ndim - axis - 1))]),
                            ("all have a number", 7)):
            a[key] = value
            mp.indices_set(x, axis, 1, table, value if isinstance(value, int) else mp.array(np.ascontiguousarray(value)))
            mp.check(f"the last of equal indices wins, {shape} along {axis}, {name}", x, a)


def test_misuse():
    a = values((3, 4))
    x = mp.array(a, mp.random_layout(rng, a.shape))
    bad = spread(np.array([[0, 2], [-5, 9]]))
    take, put = mp.take, mp.put
    mp.fails("MNP_ERR_ARG", "mnp_take: index -5 is out of bounds for axis 0 with size 3", take, x, bad, 0, mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "index -5 is out of bounds for axis 1 with size 4", take, x, bad, -1, mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "index 12 is out of bounds with size 12", take, x, spread(np.array([11, 12, -13])), FLAT,
             mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "mnp_put: index 12 is out of bounds", put, x, spread(np.array([0, 12])), 5, mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "mnp_ufunc_at: index 3 is out", mp.ufunc_at, "add", x, spread(np.array([0, 3])), 5)
    mp.fails("MNP_ERR_ARG", "index 4 is out of bounds for axis 1", mp.take_along_axis, x, spread(np.array([[4]])), 1)
    mp.fails("MNP_ERR_ARG", "index 3 is out of bounds for axis 0", mp.put_along_axis, x, spread(np.array([[3]])), 1, 0)
    mp.fails("MNP_ERR_ARG", "axis", take, x, bad, 2, mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "float32, and must be integers", take, x, x, 0, mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "7 is not a mode", take, x, bad, 0, 7)
    mp.fails("MNP_ERR_ARG", "4 indices for axis 0, and no elements", take, mp.zeros("int8", 1, [0]), bad, 0,
             mp.MNP_CLIP)
    mp.fails("MNP_ERR_ARG", "same_kind", take, x, bad[0], 0, mp.MNP_RAISE, out=mp.zeros("int8", 2, [2, 4]))
    mp.fails("MNP_ERR_ARG", "(3, 4), and the result's is (2, 4)", take, x, bad[0], 0, mp.MNP_RAISE, out=x)
    mp.fails("MNP_ERR_ARG", "broadcast view", put, mp.broadcast_to(x[:1], 2, [3, 4]), bad[0], 1, mp.MNP_RAISE)
    mp.fails("MNP_ERR_ARG", "1 dimensions, and must have 2", mp.take_along_axis, x, bad[0], 1)
    mp.fails("MNP_ERR_ARG", "do not broadcast", mp.take_along_axis, x, spread(np.zeros((2, 2), int)), 1)
    mp.fails("MNP_ERR_ARG", "'nothing'", mp.ufunc_at, "nothing", x, bad[0], 1)
    mp.fails("MNP_ERR_ARG", "a second operand", mp.ufunc_at, "add", x, bad[0], None)
    mp.fails("MNP_ERR_ARG", "no second operand", mp.ufunc_at, "negative", x, bad[0], 1)
    mp.fails("MNP_ERR_ARG", "float16, and cannot be cast to bool", mp.ufunc_at, "sqrt", mp.array(a > 0), bad[0], None)
    mp.fails("MNP_ERR_ARG", "scalar", take, x, 1, 0, mp.MNP_RAISE)
    mp.check("nothing has changed", x, a)


for test in (test_take, test_rows, test_along_axis, test_put, test_at, test_several, test_repeat_each, test_edges, test_large, test_many,
             test_misuse):
    test()
mp.done()
