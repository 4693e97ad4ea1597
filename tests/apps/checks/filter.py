# SPDX-License-Identifier: BSD-3-Clause
"""Results of `maniple filter` and `maniple label` beside scipy.ndimage's, for filter.t, which prints the points."""

import os
import subprocess

import h5py
import numpy as np
from scipy import ndimage

MPIRUN = os.environ.get("MPIRUN")
image = np.random.default_rng(5).standard_normal((30, 44))
with h5py.File("in.h5", "w") as file:
    file["image"], file["mask"] = image, (image > 0.3).astype("uint8")


def check(good, name):
    print(("ok" if good else "not ok"), "-", name, flush=True)


def same(want, ranks, *words):
    launch = [MPIRUN, "-n", str(ranks)] if MPIRUN and ranks > 1 else []
    done = subprocess.run([*launch, os.environ["MANIPLE"], *words, "-q", "-o", "out.h5:/y"], capture_output=True,
                          text=True)
    name = " ".join(words)
    if done.returncode != 0:
        return check(False, f"{name}: {done.stderr}")
    with h5py.File("out.h5") as file:
        got = file["y"][()]
    return check(got.shape == want.shape and np.allclose(got, want, rtol=0, atol=1e-12), name)


same(ndimage.median_filter(image, (3, 5), mode="wrap"), 3, "filter", "median_filter", "in.h5:/image", "size=3,5",
     "mode=wrap")
same(ndimage.gaussian_filter(image, 1.5, (0, 1)), 1, "filter", "gaussian_filter", "in.h5:/image", "sigma=1.5",
     "order=0,1")
same(ndimage.binary_dilation(image > 0.3, ndimage.generate_binary_structure(2, 2), 2), 1, "filter", "binary_dilation",
     "in.h5:/mask", "iterations=2", "connectivity=2")
same(ndimage.label(image > 0.3, np.ones((3, 3)))[0], 2, "label", "in.h5:/mask", "connectivity=2")
photo = np.random.default_rng(6).integers(0, 255, (21, 30, 3)).astype("uint8")
with h5py.File("in.h5", "a") as file:
    file["photo"] = photo
each = [ndimage.sobel(photo[..., c], 0, output="float32") for c in range(3)]
same(np.stack(each, -1), 2, "filter", "sobel", "in.h5:/photo", "axes=0,1", "axis=0", "dtype=float32")
each = [ndimage.uniform_filter(photo[..., c], (3, 5)) for c in range(3)]
same(np.stack(each, -1), 1, "filter", "uniform_filter", "in.h5:/photo", "axes=0,-2", "size=3,5")
NEEDED = {"rank_filter": ["rank=2", "size=3"], "percentile_filter": ["percentile=30", "size=3"],
          "gaussian_filter": ["sigma=1"], "gaussian_laplace": ["sigma=1"], "gaussian_gradient_magnitude": ["sigma=1"]}
for name in open("help.txt").read().split():
    words = NEEDED.get(name, [] if name.startswith(("binary", "laplace", "sobel", "prewitt", "uniform")) else ["size=3"])
    run = getattr(ndimage, name)
    mask = name.startswith("binary")
    named = {w.split("=")[0]: int(w.split("=")[1]) for w in words}
    want = run(image > 0.3 if mask else image, **named)
    same(want, 1, "filter", name, "in.h5:/mask" if mask else "in.h5:/image", *words)
