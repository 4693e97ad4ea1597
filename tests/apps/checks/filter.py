# SPDX-License-Identifier: BSD-3-Clause
"""Results of `maniple filter` and `maniple label` beside scipy.ndimage's, for filter.t, which prints the points."""

import os
import subprocess

import h5py
import numpy as np
from scipy import ndimage, signal

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
          "gaussian_filter": ["sigma=1"], "gaussian_laplace": ["sigma=1"], "gaussian_gradient_magnitude": ["sigma=1"],
          "shift": ["shift=1.5"], "zoom": ["zoom=1.7"], "rotate": ["angle=20"],
          "savgol_filter": ["window_length=7", "polyorder=2"], "medfilt": ["size=3"]}
ALONE = ("binary", "laplace", "sobel", "prewitt", "uniform", "spline", "distance", "wiener", "detrend", "hilbert")
for name in open("help.txt").read().split():
    words = NEEDED.get(name, [] if name.startswith(ALONE) else ["size=3"])
    run = getattr(ndimage if hasattr(ndimage, name) else signal, name)
    mask = name.startswith(("binary", "distance"))
    named = {w.split("=")[0]: float(w.split("=")[1]) if "." in w else int(w.split("=")[1]) for w in words}
    if name == "medfilt":
        named = {"kernel_size": 3}
    want = run(image > 0.3 if mask else image, **named)
    same(want, 1, "filter", name, "in.h5:/mask" if mask else "in.h5:/image", *words)
same(ndimage.shift(image, (1.5, -2), order=1, mode="wrap"), 3, "filter", "shift", "in.h5:/image", "shift=1.5,-2", "order=1",
     "mode=wrap")
same(ndimage.zoom(image, (0.7, 2)), 2, "filter", "zoom", "in.h5:/image", "zoom=0.7,2")
same(ndimage.rotate(photo, 30, (0, 1), order=1), 2, "filter", "rotate", "in.h5:/photo", "angle=30", "axes=0,1", "order=1")
same(ndimage.spline_filter(image, 2, mode="wrap"), 2, "filter", "spline_filter", "in.h5:/image", "order=2", "mode=wrap")
same(signal.savgol_filter(image, 5, 2, axis=0), 3, "filter", "savgol_filter", "in.h5:/image", "window_length=5", "axis=0")
same(signal.hilbert(image, axis=0), 2, "filter", "hilbert", "in.h5:/image", "axis=0")
