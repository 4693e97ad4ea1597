# SPDX-License-Identifier: BSD-3-Clause
"""Deconvolution, against the formulas of skimage.restoration.  What is beyond them is in tests/signal/deconvolution.py."""

import maniple as mp
import numpy as np
from scipy.signal import convolve

from . import ok, raises, rng, same


def richardson_lucy(image, psf, num_iter=50, clip=True, filter_epsilon=None):
    x = np.full(image.shape, 0.5, image.dtype)
    for _ in range(num_iter):
        blurred = convolve(x, psf, mode="same") + 1e-12
        ratio = image / blurred
        if filter_epsilon:
            ratio = np.where(blurred < filter_epsilon, 0, ratio)
        x = x * convolve(ratio, np.flip(psf), mode="same")
    return np.clip(x, -1, 1) if clip else x


def transfer(response, shape):
    padded = np.zeros(shape)
    padded[tuple(map(slice, response.shape))] = response
    return np.fft.rfftn(np.roll(padded, [-(n // 2) for n in response.shape], range(len(shape))))


def wiener(image, psf, balance, reg, clip=True):
    h, r = transfer(psf, image.shape), transfer(reg, image.shape)
    y = np.fft.irfftn(h.conj() * np.fft.rfftn(image) / (abs(h) ** 2 + balance * abs(r) ** 2), image.shape,
                      axes=range(image.ndim))
    return np.clip(y, -1, 1) if clip else y


def check_deconvolution():
    module = mp.restoration
    scene = np.zeros((25, 30))
    scene[8:16, 10:20] = 0.8
    psf = rng.random((5, 4)) + 0.1
    psf /= psf.sum()
    image = convolve(scene, psf, mode="same") + 0.01 + 0.01 * rng.random(scene.shape)
    x, k = mp.asarray(image), mp.asarray(psf)
    # 50 iterations make of rounding errors whatever they like, for one PSF of a hundred: they are compared with ours
    for options in ({"num_iter": 10}, {"num_iter": 4, "clip": False}, {"num_iter": 5, "filter_epsilon": 0.1}):
        same(f"richardson_lucy {options}", module.richardson_lucy(x, k, **options), richardson_lucy(image, psf, **options),
             1e-9)
    same("richardson_lucy, as often as it is said to", module.richardson_lucy(x, k), module.richardson_lucy(x, k, 50).numpy())
    same("richardson_lucy of float32", module.richardson_lucy(x.astype("float32"), k.astype("float32"), 5),
         richardson_lucy(image.astype("float32"), psf.astype("float32"), 5), 1e-4)
    same("richardson_lucy of a line", module.richardson_lucy(image[3], psf[0], 5), richardson_lucy(image[3], psf[0], 5), 1e-9)
    out = mp.zeros_like(x)
    ok(module.richardson_lucy(x, k, out=out) is out, "richardson_lucy into an array")
    for option, value in {"total_variation": 0.01, "mask": mp.asarray(image > 0.1), "accelerate": True,
                          "boundary": "nearest"}.items():
        found = module.richardson_lucy(x, k, 10, **{option: value})
        plain = module.richardson_lucy(x, k, 10)
        ok(bool(mp.isfinite(found).all()) and not bool(mp.allclose(found, plain)), f"richardson_lucy with {option}")
    same("richardson_lucy by sums", module.richardson_lucy(x, k, 10, method="direct"),
         module.richardson_lucy(x, k, 10, method="fft").numpy(), 1e-9)
    ok(module.richardson_lucy(x, k, boundary="symm", mask=np.ones(30)).layout == x.layout, "the layout is the image's")

    laplacian = np.array([[0, -1, 0], [-1, 4, -1], [0, -1, 0]])
    same("wiener", module.wiener(x, k, 0.1), wiener(image, psf, 0.1, laplacian), 1e-10)
    reg = rng.random((3, 2))
    same("wiener with a regularisation", module.wiener(x, k, 0.3, reg, clip=False), wiener(image, psf, 0.3, reg, False), 1e-10)

    pair = image + 1j * rng.random(image.shape)
    for clip in (False, True):
        there = wiener(pair.real, psf, 0.05, laplacian, False) + 1j * wiener(pair.imag, psf, 0.05, laplacian, False)
        there = np.where(there.real > 1, 1, np.where(there.real < -1, -1, there)) if clip else there
        same(f"wiener of complex images, clip {clip}", module.wiener(pair, k, 0.05, is_real=False, clip=clip), there, 1e-10)
    same("wiener of a real image, complex", module.wiener(x, k, 0.1, is_real=False),
         wiener(image, psf, 0.1, laplacian).astype(complex), 1e-10)
    out = mp.zeros(image.shape, complex)
    ok(module.wiener(x, k, 0.1, is_real=False, out=out) is out and bool((out.real != 0).any()), "wiener, into an array")

    found, chains = module.unsupervised_wiener(x, k, user_params={"max_num_iter": 60}, clip=False)
    ok(32 <= len(chains["noise"]) == len(chains["prior"]) <= 61 and chains["noise"][0] == 1, "chains of the precisions")
    ok(abs(found.numpy() - scene).mean() < 0.1, "unsupervised_wiener")
    again, other = (module.unsupervised_wiener(x, k, clip=False, rng=seed)[0] for seed in (0, 7))
    same("the seed is 0 unless it is given", module.unsupervised_wiener(x, k, clip=False)[0], again.numpy())
    ok(not bool(mp.array_equal(again, other)), "another seed")

    turned = scene * (1 + 0.5j)
    blurred = convolve(turned, psf, mode="same") + 0.01 * (rng.standard_normal(scene.shape)
                                                         + 1j * rng.standard_normal(scene.shape))
    found, chains = module.unsupervised_wiener(blurred, k, is_real=False, clip=False)
    ok(found.dtype == complex and len(chains["noise"]) == len(chains["prior"]) > 30, "chains of a complex image")
    ok(abs(found.numpy() - turned).mean() < 0.5 * abs(blurred - turned).mean() + 0.05, "unsupervised_wiener of a complex image")
    ok(abs(np.log(np.median(chains["noise"][20:]) * 2e-4)) < 1, "which finds the noise")
    raises(TypeError, "has to be real", "a complex psf of a complex image",
           lambda: module.unsupervised_wiener(blurred, np.ones((2, 2)) * 1j, is_real=False))
    raises(ValueError, "num_iter is 0", "no iterations", lambda: module.richardson_lucy(x, k, 0))
    raises(ValueError, "none of fill, wrap", "another boundary", lambda: module.richardson_lucy(x, k, boundary="zero"))
    raises(ValueError, "user_params has callback", "a callback",
           lambda: module.unsupervised_wiener(x, k, user_params={"callback": print}))
    raises(ValueError, "psf is complex128", "a transfer function", lambda: module.wiener(x, k + 0j, 1))
