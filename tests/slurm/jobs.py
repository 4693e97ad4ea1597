# SPDX-License-Identifier: BSD-3-Clause
"""What the jobs of jobs.t have written, beside NumPy:  jobs.py make | blurred FILE... | restored FILE | solved FILE EXTENT...

Prints the points."""

import sys

import h5py
import numpy as np
import scipy.ndimage
import scipy.sparse


def check(good, text):
    print(f"{'ok' if good else 'not ok'} - {text}")


def image(number):
    """Points of light on a grey sky."""
    return np.where(np.random.default_rng(number).random((60, 50)) > 0.97, 210.0, 10.0)


def hanning(extent):
    window = np.outer(np.hanning(extent), np.hanning(extent))
    return window / window.sum()


def gauss(extent, sigma):
    at = np.arange(extent) - (extent - 1) / 2
    window = np.outer(np.exp(-(at**2) / (2 * sigma**2)), np.exp(-(at**2) / (2 * sigma**2)))
    return window / window.sum()


def read(path, name):
    with h5py.File(path, "r") as file:
        return file[name][...]


def make():
    with h5py.File("images.h5", "w") as file:
        for number in range(4):
            file[f"image{number}"] = image(number)


def same(path, kernel, mode, number):
    wanted = scipy.ndimage.convolve(image(number), kernel, mode=mode)
    # each of them rounds a sum of positive terms with weights of sum 1
    good = np.allclose(read(path, "image"), wanted, rtol=0, atol=255 * kernel.size * 2**-52)
    check(good, f"{path} is what SciPy computes")


def blurred(*paths):
    for path in paths:
        same(path, hanning(31), "wrap", 0)


def array(folder):
    for task in (1, 2, 3):
        same(f"{folder}/{task}.h5", gauss(15, 3), "reflect", task)


def restored(path):
    """Restoring brings the image nearer to the original than the blurred one is."""
    folder = path.rsplit("/", 1)[0]
    before, after = (np.linalg.norm(read(f"{folder}/{name}.h5", "image") - image(0)) for name in ("blurred", "restored"))
    check(after < before, f"{path} is nearer to the image ({after:.4g}) than the blurred one ({before:.4g})")


def solved(path, *extents):
    one = [scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(int(n), int(n))) for n in extents]
    a = one[0]
    for matrix in one[1:]:
        a = scipy.sparse.kronsum(matrix, a)
    x = read(path, "x")
    residual = np.linalg.norm(np.ones(a.shape[0]) - a @ x) / np.sqrt(a.shape[0])
    check(residual <= 1.01e-8, f"{path} solves the system: a residual of {residual:.2e}")


{"make": make, "blurred": blurred, "array": array, "restored": restored, "solved": solved}[sys.argv[1]](*sys.argv[2:])
