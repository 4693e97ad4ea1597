# SPDX-License-Identifier: BSD-3-Clause
"""Connected parts, watersheds and measurements by labels, against scipy.ndimage.

Sums of float64 are taken in another order than SciPy's: they are off by at most n eps times the sum of the sizes.
"""

import ctypes

import maniple as mp
import numpy as np
from images import image, values
from scipy import ndimage

rng = mp.random()


def label(x, structure=None):
    count = ctypes.c_int64()
    labels = mp.ndimage_label(x, None if structure is None else [bool(v) for v in structure.ravel()])
    return labels if isinstance(labels, tuple) else (labels, count.value)


def winding(n):
    """One part that winds through all of the image: every other row, joined at alternating ends."""
    a = np.zeros((n, n), bool)
    a[::2] = True
    a[1::4, -1] = a[3::4, 0] = True
    return a


for ndim in (1, 2, 3):
    for density in mp.part((0.3, 0.6), ndim):
        a, x = image(rng, "bool", ndim)
        a, x = (a, x) if density == 0.3 else (~a, mp.logical_not(x))
        structure = ndimage.generate_binary_structure(ndim, int(rng.integers(1, ndim + 1)))
        want, count = ndimage.label(a, structure)
        got, found = label(x, structure)
        mp.check(f"label {a.shape}", got, want)
        mp.ok(found == count, f"there are {count}, and {found} were found")
for shape, density in (((70, 101), 0.5), ((33, 64), 0.6), ((3, 20, 67), 0.4), ((5, 1, 40), 0.5), ((97, 5), 0.7)):
    a = rng.random(shape) < density  # rows and columns of several tiles of a GPU
    structure = rng.random((3,) * a.ndim) < 0.5
    structure |= structure[(slice(None, None, -1),) * a.ndim]
    structure[(1,) * a.ndim] = True
    for s in (ndimage.generate_binary_structure(a.ndim, a.ndim), structure):
        want, count = ndimage.label(a, s)
        got, found = label(mp.array(a, mp.random_layout(rng, a.shape)), s)
        mp.check(f"label {shape}, structure {s.astype(int).ravel()}", got, want)
        mp.ok(found == count, f"there are {count}, and {found} were found")
for name, a in (("a winding line", winding(29)), ("a longer one", winding(101)), ("a comb", np.indices((20, 33))[1] % 2 == 0), ("nothing", np.zeros((4, 5))),
                ("numbers", values(rng, (21, 13), "float32")), ("no neighbours", rng.random((9, 9)) < 0.5)):
    a = a if name != "a comb" else a | (np.indices(a.shape)[0] == 19)
    structure = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], bool) if name == "no neighbours" else None
    x = mp.array(a, mp.random_layout(rng, a.shape))
    want, count = ndimage.label(a, structure)
    got, found = label(x, structure)
    mp.check(name, got, want)
    mp.ok(found == count, f"{name}: {count} parts")


def spiral(n):
    """One part from a corner to the middle, which comes to every row again and again."""
    a, y, x, dy, dx = np.zeros((n + 4, n + 4), bool), 2, 2, 0, 1
    a[2, 2] = True
    for turn in range(2 * n):
        while 2 <= y + dy < n + 2 and 2 <= x + dx < n + 2 and not a[y + 2 * dy, x + 2 * dx]:
            y, x = y + dy, x + dx
            a[y, x] = True
        dy, dx = dx, -dy
    return a[2:-2, 2:-2]


# blocks that follow one another: parts that meet again in later blocks, blocks of one row and of none, and replicas
for name, a in (("a spiral", spiral(41)), ("noise", rng.random((37, 70)) < 0.55), ("rows", np.ones((9, 40), bool)),
                ("more noise", rng.random((23, 9, 11)) < 0.4), ("a plane", rng.random((1, 30, 40)) < 0.6),
                ("a line", rng.random(1000) < 0.7), ("combs", np.indices((24, 36))[1] % 2 + np.isin(np.indices((24, 36))[0], (0, 11, 23)) > 0)):
    cuts = [0, *np.sort(rng.integers(0, a.shape[0] + 1, mp.size - 1)).tolist(), a.shape[0]]
    ones = [0, *[min(i + 1, a.shape[0]) for i in range(mp.size - 1)], a.shape[0]]
    axes = [0] + [-1] * (a.ndim - 1)
    layouts = [mp.Layout([mp.size], a.shape, axes, [c] + [None] * (a.ndim - 1)) for c in (None, cuts, ones)]
    layouts += [mp.Layout([1, mp.size], a.shape, [0] + [-1] * (a.ndim - 1), None)]
    layouts += [mp.Layout([2, mp.size // 2], a.shape, [0] + [-1] * (a.ndim - 1), None)] if mp.size % 2 == 0 else []
    structure = ndimage.generate_binary_structure(a.ndim, int(rng.integers(1, a.ndim + 1)))
    want, count = ndimage.label(a, structure)
    for number, layout in enumerate(layouts):
        got, found = label(mp.array(a, layout), structure)
        mp.check(f"{name}, layout {number}", got, want)
        mp.ok(found == count, f"{name}, layout {number}: there are {count}, and {found} were found")
    want, count = ndimage.label(a[::-1], structure)
    got, found = label(mp.array(a, layouts[0])[::-1], structure)
    mp.check(f"{name}, reversed", got, want)
mp.fails("MNP_ERR_ARG", "not symmetric", mp.ndimage_label, x, [True] + [False] * 8)

# --- watersheds: bit by bit, with costs that are equal, so that the order of the queues shows -------------------------

for highest, ndim, dtype in ((2, 1, "int8"), (2, 2, "int16"), (6, 2, "int32"), (256, 2, "int64"), (2, 3, "int32"), (20, 3, "int64")):
    for density in mp.part((0.02, 0.1, 0.5), ndim):
        shape = tuple(int(n) for n in rng.integers(1, 15, ndim))
        a = rng.integers(0, highest, shape).astype(rng.choice(["uint8", "uint16"]))
        markers = np.where(rng.random(shape) < density, rng.integers(-3, 6, shape), 0).astype(dtype)
        x, m = (mp.array(v, mp.random_layout(rng, shape)) for v in (a, markers))
        for structure in (None, rng.random((3,) * ndim) < 0.6):
            got = mp.ndimage_watershed_ift(x, m, None if structure is None else [bool(v) for v in structure.ravel()])
            want = ndimage.watershed_ift(a, markers, structure)
            mp.check(f"watershed_ift {shape} below {highest}, markers {dtype}", got, want)
a = np.zeros((0, 3), "uint8")
mp.check("watershed_ift of nothing", mp.ndimage_watershed_ift(mp.array(a), mp.array(a.astype("int32")), None),
         ndimage.watershed_ift(a, a.astype("int32")))
x, m = mp.array(np.eye(5, dtype="uint16")), mp.array(np.eye(5, dtype="int32"))
mp.fails("MNP_ERR_ARG", "is int32, and should be uint8 or uint16", mp.ndimage_watershed_ift, m, m, None)
mp.fails("MNP_ERR_ARG", "are uint16, and should be signed", mp.ndimage_watershed_ift, x, x, None)
mp.fails("MNP_ERR_ARG", "different shapes", mp.ndimage_watershed_ift, x, m[1:], None)

# --- measurements -----------------------------------------------------------------------------------------------------

shape = (23, 37)
labels = rng.integers(-1, 9, shape).astype("int32")
for dtype in ("float64", "int16", "uint8"):
    a = values(rng, shape, dtype)
    x, l = mp.array(a, mp.random_layout(rng, shape)), mp.array(labels, mp.random_layout(rng, shape))
    index = [int(i) for i in rng.permutation(12)[:7]] + [3]
    for name in ("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "minimum_position",
                 "maximum_position", "center_of_mass"):
        for chosen in (index, None):
            with np.errstate(all="ignore"):
                known = chosen and [i for i in chosen if i in labels]
                want = np.array(getattr(ndimage, name)(a, labels, known))
            got = getattr(mp, "ndimage_" + name)(x, l, len(known or []), known).numpy()
            if name.endswith("position"):  # SciPy leaves open which of several it is
                best = (np.min if name.startswith("min") else np.max)
                parts = [labels == i for i in known] if known else [labels > 0]
                want = np.array([np.argwhere(part & (a == best(a[part])))[0] for part in parts])
                good = np.array_equal(got, want)
            elif name in ("minimum", "maximum"):
                good = np.array_equal(got.reshape(want.shape), want)
            else:  # sums and quotients of at most 851 terms
                scale = {"sum_labels": np.abs(a).sum(dtype=float), "center_of_mass": 37 * np.abs(a).sum(dtype=float) /
                         np.abs(ndimage.sum_labels(a, labels, known)).min()}.get(name, float(np.abs(a).max()) ** 2 + 1.0)
                good = np.allclose(got.reshape(want.shape), want, rtol=0, atol=a.size ** 2 * 2.0 ** -52 * scale)
            mp.ok(good, f"{name} {dtype} {'of all' if chosen is None else 'of some'}: {got.ravel()[:3]}, {want.ravel()[:3]}")
    for name in ("mean", "variance", "standard_deviation", "center_of_mass"):
        got, want = getattr(mp, "ndimage_" + name)(x, None, 0, None).numpy(), np.ravel(getattr(ndimage, name)(a.astype(float)))
        scale = 37 * np.abs(a).sum(dtype=float) / abs(a.sum(dtype=float)) if name == "center_of_mass" else np.abs(a).max() ** 2.0 + 1
        mp.ok(np.allclose(got.ravel(), want, 0, a.size ** 2 * 2.0 ** -52 * scale), f"{name} of everything {dtype}")
    got = mp.ndimage_sum_labels(x, None, 0, None).numpy()
    mp.ok(np.allclose(got, a.astype(float).sum()), f"the sum of everything {dtype}")
boxes = mp.ndimage_find_objects(l, 10).numpy()
for i, box in enumerate(ndimage.find_objects(labels, 10)):
    right = [[-1, -1]] * 2 if box is None else [[s.start, s.stop] for s in box]
    mp.ok(boxes[i].tolist() == right, f"the box of label {i + 1}")
for shape in ((40,), (3, 50, 4), (2, 1, 3, 5)):
    a = rng.integers(1, 9, shape).astype("float32")  # positive, so that the quotients are well conditioned
    volume, some = (mp.array(v, mp.random_layout(rng, shape)) for v in (a, np.where(a > 4, 3, -1)))
    for name, given, part in (("everything", None, None), ("a part", some, a > 4)):
        got, want = mp.ndimage_center_of_mass(volume, given, 0, None).numpy(), ndimage.center_of_mass(a.astype(float), part)
        mp.ok(got.shape == (1, len(shape)) and np.allclose(got[0], want, 1e-12, 0), f"the centre of {name} {shape}")
zeros, nowhere = mp.array(np.zeros((4, 3))), mp.array(np.zeros((4, 3), "int8"))
for name in ("mean", "variance", "center_of_mass"):
    mp.ok(np.isnan(getattr(mp, "ndimage_" + name)(zeros, nowhere, 0, None).numpy()).all(), f"{name} of no elements")
mp.ok(np.isnan(mp.ndimage_center_of_mass(zeros, None, 0, None).numpy()).all(), "the centre of no mass")
mp.ok(np.isnan(mp.ndimage_mean(x, l, 1, [99]).numpy()).all(), "the mean of a label that does not occur")
mp.fails("MNP_ERR_ARG", "should be integers", mp.ndimage_mean, x, x, 1, [1]) if dtype == "float64" else None
mp.fails("MNP_ERR_ARG", "another shape", mp.ndimage_mean, x, mp.array(labels[1:]), 1, [1])
mp.done()
