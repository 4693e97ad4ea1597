# SPDX-License-Identifier: BSD-3-Clause
"""Sets: distinct elements, membership, and what two arrays have in common, against NumPy, in any layout."""

import maniple as mp
import numpy as np

rng = mp.random()


def random_array(values):
    """The array in any layout, sometimes as a view."""
    if values.ndim and rng.random() < 0.3:
        more = np.repeat(values, 2, axis=0)
        return mp.array(more, mp.random_layout(rng, more.shape))[::2]
    return mp.array(values, mp.random_layout(rng, values.shape))


def sample(dtype, shape, distinct=9):
    """Repeated values, some of them NaN."""
    kind = np.dtype(dtype).kind
    values = rng.integers(0 if kind in "bu" else -distinct, distinct, shape)
    if kind == "b":
        return values > distinct // 2
    made = values.astype(dtype)
    if kind == "c":
        made += 1j * rng.integers(0, 2, shape).astype(made.real.dtype)
    if kind in "fc" and made.size and rng.random() < 0.5:
        made[rng.random(shape) < 0.1] = np.nan
    return made


def unique(values):
    """numpy.unique of NumPy 2: the inverse has the array's shape."""
    found, index, inverse, counts = np.unique(values, True, True, True)
    return found, index, inverse.reshape(values.shape), counts


def test_unique():
    for dtype in mp.part("bool int8 uint64 float16 float32 complex64".split()):
        values = sample(dtype, (11, 17))
        mp.check(f"unique of {dtype}", mp.unique(random_array(values), True), unique(values))
    for shape in ((0,), (1,), (), (3, 0), (2, 3, 4)):
        values = sample("int32", shape)
        mp.check(f"unique of shape {shape}", mp.unique(random_array(values), True), unique(values))
    values = rng.normal(size=301)
    mp.check("all distinct", mp.unique(random_array(values), True), unique(values))
    same = np.full(50, 7, np.int16)
    mp.check("all the same", mp.unique(random_array(same), True), unique(same))
    nan = np.array([np.nan, 1, np.nan, -np.inf, 1, np.nan])
    mp.check("NaN are one", mp.unique(random_array(nan), True), unique(nan))
    mp.check("each NaN is distinct", mp.unique(random_array(nan), False),
             (np.unique(nan, equal_nan=False), np.array([3, 1, 0, 2, 5]), np.array([2, 1, 3, 0, 1, 4]), np.array([1, 2, 1, 1, 1])))
    mp.check("values alone", mp.unique(random_array(nan), True, index_p=None, inverse_p=None, counts_p=None), np.unique(nan))
    mp.check("counts alone", mp.unique(random_array(nan), True, values_p=None, index_p=None, inverse_p=None),
             np.unique(nan, return_counts=True)[1])


def unique_axis(values, axis):
    found, index, inverse, counts = np.unique(values, True, True, True, axis=axis)
    return found, index, inverse.reshape(-1), counts


def test_unique_axis():
    for dtype in mp.part("bool int8 uint64 float16 float64 complex64".split(), 1):
        values = np.nan_to_num(sample(dtype, (23, 2), 3))
        mp.check(f"unique rows of {dtype}", mp.unique_axis(random_array(values), 0), unique_axis(values, 0))
    for shape, axis in (((1,), 0), ((40,), -1), ((3, 1), 0), ((2, 30), 1), ((5, 2, 3), 1), ((2, 2, 50), -1), ((0, 2), 0)):
        values = sample("int32", shape, 2)
        mp.check(f"unique of {shape} along {axis}", mp.unique_axis(random_array(values), axis), unique_axis(values, axis))
    wide = np.arange(3 * 70).reshape(3, 70) // 141
    mp.check("slices that differ at their ends", mp.unique_axis(random_array(wide), 0), unique_axis(wide, 0))
    empty = mp.unique_axis(mp.array(np.zeros((4, 0))), 0)
    mp.check("slices without elements are equal", empty, (np.zeros((1, 0)), np.array([0]), np.zeros(4, int), np.array([4])))
    nan = np.array([[1, np.nan], [0, 2], [1, np.nan], [0, 2]])
    found, index, inverse, counts = mp.unique_axis(random_array(nan), 0)
    mp.check("slices with NaN differ", (found, index, inverse, counts),
             (nan[[1, 0, 2]], np.array([1, 0, 2]), np.array([1, 0, 2, 0]), np.array([2, 1, 1])))
    mp.check("counts alone", mp.unique_axis(random_array(nan), 0, values_p=None, index_p=None, inverse_p=None), np.array([2, 1, 1]))
    mp.fails("MNP_ERR_ARG", "out of bounds", mp.unique_axis, mp.array(nan), 2)
    mp.fails("MNP_ERR_ARG", "out of bounds", mp.unique_axis, mp.array(np.zeros(())), 0)
    mp.fails("MNP_ERR_ARG", "the result's is (4,)", mp.unique_axis, mp.array(np.arange(4)), 0, out=(mp.array(np.zeros(3)), None, None, None))


def test_isin():
    for first, second in mp.part((("int32", "int32"), ("float32", "int64"), ("bool", "uint8"), ("complex64", "float64"))):
        x, test = sample(first, (9, 14)), sample(second, 6, 5)
        for invert in (False, True):
            mp.check(f"{first} in {second}, invert {invert}", mp.isin(random_array(x), random_array(test), invert),
                     np.isin(x, test, invert=invert))
    for dtype, count, most in mp.part((("int32", 3, 50), ("uint8", 8, 100), ("int64", 40, 50), ("int16", 40, 30000),
                                       ("uint64", 40, 50), ("float64", 8, 50), ("float16", 9, 50))):
        x, test = (rng.integers(0, most, n).astype(dtype) for n in (301, count))
        for invert in (False, True):
            mp.check(f"{dtype} below {most} in {count}, invert {invert}",
                     mp.isin(random_array(x), random_array(test), invert), np.isin(x, test, invert=invert))
    ends = np.array([-2**63, -1, 0, 2**63 - 1])
    for test in (ends[:1].repeat(9), ends[3:].repeat(20), ends[[0, 3]].repeat(5), ends[1:3].repeat(5)):
        mp.check(f"in {set(test)}", mp.isin(random_array(ends), random_array(test), False), np.isin(ends, test))
    mp.check("in nothing", mp.isin(mp.array(np.arange(5)), mp.array(np.zeros((0, 2))), False), np.zeros(5, bool))
    x = mp.array(np.arange(5) > 2)
    mp.isin(x, mp.array(np.array([True])), False, out=x)
    mp.check("onto the input", x, np.arange(5) > 2)


def test_two_sets():
    for first, second in mp.part((("int32", "int32"), ("float32", "int64"), ("uint8", "int8"), ("complex64", "complex128")), 1):
        x, y = sample(first, (9, 5)), sample(second, 40, 12)
        for name in "intersect1d union1d setdiff1d setxor1d".split():
            mp.check(f"{name} of {first} and {second}", getattr(mp, name)(random_array(x), random_array(y)),
                     getattr(np, name)(x, y))
    nothing = np.zeros(0, np.int64)
    some = np.array([3, 1, 3])
    for name in "intersect1d union1d setdiff1d setxor1d".split():
        for x, y in ((nothing, some), (some, nothing), (nothing, nothing)):
            mp.check(f"{name} of {len(x)} and {len(y)} elements", getattr(mp, name)(mp.array(x), mp.array(y)),
                     getattr(np, name)(x, y))


def test_properties():
    """x is values[inverse], values[k] is first at index[k], and counts add up."""
    dtypes = mp.part(["int16", "float32", "float64", "uint32"])
    for _ in range(12):
        shape = tuple(int(n) for n in rng.integers(0, 12, rng.integers(1, 4)))
        dtype = str(rng.choice(dtypes))
        values = sample(dtype, shape, int(rng.choice([2, 20, 1000])))
        got = mp.unique(random_array(values), True)
        mp.check(f"unique of {shape} {dtype}", got, unique(values))
        found, _, inverse, counts = (a.numpy() for a in got)
        mp.check("values[inverse]", found[inverse] if found.size else values, values)
        mp.ok(counts.sum() == values.size, "counts add up")


def test_misuse():
    x = mp.array(np.arange(4))
    wrong = mp.array(np.zeros(3))
    mp.fails("MNP_ERR_ARG", "the result's is (4,)", mp.unique, x, True, out=(wrong, None, None, None))
    mp.fails("MNP_ERR_ARG", "scalar", mp.unique, 3, True)
    narrow = mp.array(np.zeros(4, np.uint8))
    mp.fails("MNP_ERR_ARG", "the output is uint8, to which the result's", mp.union1d, x, x, out=narrow)
    mp.fails("MNP_ERR_ARG", "the output has the shape (3,), and the result's is (4,)", mp.union1d, x, x, out=wrong)
    mp.check("nothing was changed", wrong, np.zeros(3))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
mp.done()
