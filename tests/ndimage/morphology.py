# SPDX-License-Identifier: BSD-3-Clause
"""Grey and binary morphology against scipy.ndimage: exact."""

import ctypes

import maniple as mp
import numpy as np
from images import MODES, image, options
from scipy import ndimage

rng = mp.random()
GREY = ["grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
        "morphological_laplace", "white_tophat", "black_tophat"]


def origin_of(size):
    return [int(rng.integers(-((n - 1) // 2), (n - 1) // 2 + 1)) for n in size]


def bools(a):
    return [bool(v) for v in a.ravel()]


for number, name in enumerate(GREY):
    for kind in mp.part(("box", "footprint", "structure"), number):
        dtype = str(rng.choice(["float32", "int32"])) if kind != "structure" else "float64"
        a, x = image(rng, dtype, 2)
        if not a.size:
            continue
        size = [int(rng.integers(1, 6)) for _ in a.shape]
        footprint = np.ones(size, bool) if kind != "footprint" else rng.random(size) < 0.6
        footprint.flat[-1] = True
        structure = rng.integers(0, 4, size) / 2.0 if kind == "structure" else None
        mode, origin = str(rng.choice(list(MODES))), origin_of(size)
        named = {"structure": structure} if kind == "structure" else {"footprint": footprint}
        want = getattr(ndimage, name)(a, mode=mode, cval=1.0, origin=origin, **named)
        got = getattr(mp, "ndimage_" + name)(
            x, size, bools(footprint) if kind == "footprint" else None,
            None if structure is None else list(structure.ravel()), options(mode, 1.0, origin))
        mp.check(f"{name} {a.shape} {dtype} {kind} {size} {mode} {origin}", got, want)

for number, name in enumerate(("binary_erosion", "binary_dilation", "binary_opening", "binary_closing")):
    for kind in mp.part(("default", "structure", "until", "mask"), number):
        a, x = image(rng, "bool", int(rng.integers(1, 4)))
        if not a.size:
            continue
        size = [int(rng.integers(1, 5)) for _ in a.shape]
        structure = rng.random(size) < 0.6
        structure[tuple(n // 2 for n in size)] = True
        if kind == "default":
            structure = None
        border, origin = bool(rng.integers(2)), origin_of(size)
        if kind in ("default", "until"):  # windows without the element itself may change it for ever, also in SciPy
            origin = [0] * a.ndim
        iterations = {"until": 0, "mask": 2}.get(kind, int(rng.integers(1, 4)))
        mask = rng.random(a.shape) < 0.7 if kind in ("mask", "until") else None
        want = getattr(ndimage, name)(a, structure, iterations, mask=mask, border_value=border, origin=origin,
                                      brute_force=True)
        got = getattr(mp, "ndimage_" + name)(
            x, None if structure is None else size, None if structure is None else bools(structure), iterations,
            None if mask is None else mp.array(mask, mp.random_layout(rng, a.shape)), border, origin)
        mp.check(f"{name} {a.shape} {kind} {size} {iterations} {border} {origin}", got, want)

a = rng.random((23, 31)) < 0.55
x = mp.array(a, mp.random_layout(rng, a.shape))
mp.check("binary_fill_holes", mp.ndimage_binary_fill_holes(x, None, None, None), ndimage.binary_fill_holes(a))
eight = np.ones((3, 3), bool)
mp.check("binary_fill_holes by eight neighbours", mp.ndimage_binary_fill_holes(x, [3, 3], bools(eight), None),
         ndimage.binary_fill_holes(a, eight))
seed = np.zeros_like(a)
seed[11, 15] = True
mp.check("binary_propagation", mp.ndimage_binary_propagation(mp.array(seed), None, None, x, False, None),
         ndimage.binary_propagation(seed, mask=a))
seeds, diagonal = rng.random(a.shape) < 0.02, np.eye(3, dtype=bool)
for name, structure in (("", None), (" by eight neighbours", eight), (" along a diagonal", diagonal)):
    for border in (False, True):
        got = mp.ndimage_binary_propagation(mp.array(seeds, mp.random_layout(rng, a.shape)),
                                            None if structure is None else [3, 3],
                                            None if structure is None else bools(structure), x, border, None)
        mp.check(f"binary_propagation of seeds{name}, border {border}", got,
                 ndimage.binary_propagation(seeds, structure, a, border_value=border))
mp.check("binary_hit_or_miss", mp.ndimage_binary_hit_or_miss(x, None, None, None, None, None, None),
         ndimage.binary_hit_or_miss(a))
one, two = np.array([[0, 1, 0], [0, 1, 1], [0, 0, 0]], bool), np.array([[1, 0, 0], [1, 0, 0], [1, 1, 1]], bool)
mp.check("binary_hit_or_miss of two structures",
         mp.ndimage_binary_hit_or_miss(x, [3, 3], bools(one), [3, 3], bools(two), None, None),
         ndimage.binary_hit_or_miss(a, one, two))
made = (ctypes.c_bool * 27)()
for connectivity in (1, 2, 3):
    mp.ndimage_generate_binary_structure(3, connectivity, made)
    mp.ok(list(made) == bools(ndimage.generate_binary_structure(3, connectivity)), f"a structure of {connectivity}")
mp.fails("MNP_ERR_ARG", "another shape", mp.ndimage_binary_erosion, x, None, None, 1, mp.array(np.ones(3, bool)), False,
         None)
mp.fails("MNP_ERR_ARG", "takes real numbers", mp.ndimage_binary_erosion, mp.astype(x, "complex64"), None, None, 1, None,
         False, None)
mp.done()
