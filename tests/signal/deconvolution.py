# SPDX-License-Identifier: BSD-3-Clause
"""Richardson-Lucy and Wiener-Hunt, against the formulas of skimage.restoration (and of the papers, for what it does not
have) in NumPy and SciPy.
"""

import ctypes

import maniple as mp
import numpy as np
from scipy.signal import convolve

rng = mp.random()


class Options(ctypes.Structure):
    _fields_ = [("iterations", ctypes.c_int), ("filter_epsilon", ctypes.c_double), ("unclipped", ctypes.c_bool),
                ("total_variation", ctypes.c_double), ("mask", ctypes.c_void_p), ("accelerate", ctypes.c_bool),
                ("boundary", ctypes.c_int), ("method", ctypes.c_int)]


class Sampling(ctypes.Structure):
    _fields_ = [("reg", ctypes.c_void_p), ("threshold", ctypes.c_double), ("burnin", ctypes.c_int),
                ("min_iterations", ctypes.c_int), ("iterations", ctypes.c_int), ("seed", ctypes.c_uint64),
                ("unclipped", ctypes.c_bool)]


class Chains(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int), ("noise", ctypes.POINTER(ctypes.c_double)),
                ("prior", ctypes.POINTER(ctypes.c_double))]


def differences(x):
    return np.stack([np.diff(x, axis=d, append=np.take(x, [-1], axis=d)) for d in range(x.ndim)])


def divergence(g):
    return sum(np.diff(g[d], axis=d, prepend=0) for d in range(len(g)))


def richardson_lucy(image, psf, iterations=50, clip=True, epsilon=None, mask=None, variation=0, accelerate=False):
    """skimage.restoration.richardson_lucy, with its extensions."""
    x = np.full(image.shape, 0.5, image.dtype)
    mirror = np.flip(psf)
    seen = None if mask is None else convolve(np.broadcast_to(mask, image.shape), mirror, mode="same")
    before, steps = x, []
    for k in range(iterations):
        y = x
        if accelerate and k >= 2:
            a = min(max((steps[-1] * steps[-2]).sum() / (steps[-2] * steps[-2]).sum(), 0), 1)
            y = np.maximum(x + a * (x - before), 0)
        blurred = convolve(y, psf, mode="same") + 1e-12
        ratio = image / blurred
        if epsilon:
            ratio = np.where(blurred < epsilon, 0, ratio)
        if mask is not None:
            ratio = mask * ratio
        c = convolve(ratio, mirror, mode="same")
        if mask is not None:
            c = np.where(seen > 1e-12, c / seen, 1)
        new = y * c
        if variation:
            g = differences(y)
            new = new / (1 - variation * divergence(g / np.sqrt((g * g).sum(axis=0) + 1e-12)))
        before, x = x, new
        steps.append(x - y)
    return np.clip(x, -1, 1) if clip else x


def transfer(response, shape):
    padded = np.zeros(shape)
    padded[tuple(slice(n) for n in response.shape)] = response
    return np.fft.rfftn(np.roll(padded, [-(n // 2) for n in response.shape], range(len(shape))))


def laplacian(ndim):
    response = np.zeros((3,) * ndim)
    for d in range(ndim):
        response[tuple(slice(None) if e == d else 1 for e in range(ndim))] = -1
    response[(1,) * ndim] = 2 * ndim
    return response


def wiener(image, psf, balance, reg=None, clip=True):
    h, r = transfer(psf, image.shape), transfer(laplacian(image.ndim) if reg is None else reg, image.shape)
    y = np.fft.irfftn(np.conj(h) * np.fft.rfftn(image) / (abs(h)**2 + balance * abs(r)**2), image.shape,
                      axes=range(image.ndim))
    return np.clip(y, -1, 1) if clip else y


def blurred(shape, taps, dtype="float64"):
    """A scene of rectangles, what a psf makes of it, with noise, and that psf."""
    scene = np.full(shape, 0.05)
    scene[tuple(slice(n // 3, 2 * n // 3) for n in shape)] = 0.8
    psf = rng.random(taps) + 0.1
    psf /= psf.sum()
    image = convolve(scene, psf, mode="same") + 0.002 * rng.random(shape)
    return scene, image.astype(dtype), psf.astype(dtype)


def close(name, got, want, iterations):
    """Every iteration makes errors of at most some eps of a value, and passes on those of the others, all positive."""
    g = got.numpy()
    eps = np.finfo(g.dtype).eps
    bound = 200 * iterations * eps * max(1, abs(want).max())
    error = abs(g - want).max() if g.shape == want.shape else np.inf
    return mp.ok(error <= bound, name if error <= bound else f"{name}: error {error:.3g}, bound {bound:.3g}")


def laid(x):
    return mp.array(x, mp.random_layout(rng, x.shape))


# --- Richardson-Lucy ----------------------------------------------------------------------------------------------
for shape, taps, dtype in (((37,), (5,), "float64"), ((24, 31), (4, 5), "float64"), ((24, 31), (5, 3), "float32"),
                           ((8, 9, 11), (3, 2, 3), "float64")):
    _, image, psf = blurred(shape, taps, dtype)
    x, k = laid(image), mp.array(psf)
    close(f"{shape} {dtype}", mp.richardson_lucy(x, k, Options(6)), richardson_lucy(image, psf, 6), 6)
    close(f"{shape} {dtype}, total variation", mp.richardson_lucy(x, k, Options(5, total_variation=0.01)),
          richardson_lucy(image, psf, 5, variation=0.01), 50)

_, image, psf = blurred((24, 31), (4, 5))
x, k = laid(image), mp.array(psf)
close("no clip, an epsilon", mp.richardson_lucy(x, k, Options(4, 0.2, True)),
      richardson_lucy(image, psf, 4, False, 0.2), 4)
mask = (rng.random(image.shape) > 0.2).astype(float)
mask[:9, :9] = 0  # larger than the psf: some pixels of the estimate are not seen at all
hidden = laid(mask)
close("a mask", mp.richardson_lucy(x, k, Options(5, mask=hidden.pointer)), richardson_lucy(image, psf, 5, mask=mask), 5)
close("acceleration", mp.richardson_lucy(x, k, Options(8, accelerate=True)),
      richardson_lucy(image, psf, 8, accelerate=True), 80)
for method in (1, 3, 4):
    close(f"by method {method}", mp.richardson_lucy(x, k, Options(5, method=method)), richardson_lucy(image, psf, 5), 50)
bytes_image = np.round(image * 255).astype("uint8")
close("bytes", mp.richardson_lucy(laid(bytes_image), k, Options(3, unclipped=True)),
      richardson_lucy(bytes_image.astype(float), psf, 3, False), 3)
scene, image, psf = blurred((40, 40), (5, 5))
restored = mp.richardson_lucy(laid(image), mp.array(psf), None).numpy()
mp.ok(np.linalg.norm(restored - scene) < 0.7 * np.linalg.norm(image - scene), "50 iterations restore the scene")
out = mp.array(np.zeros((40, 40)))
mp.richardson_lucy(laid(image), mp.array(psf), Options(50), out=out)
mp.check("into an array that exists", out, restored, 2000)

# --- Wiener -------------------------------------------------------------------------------------------------------
for shape, taps in (((38,), (5,)), ((24, 31), (4, 5)), ((8, 9, 10), (3, 2, 3))):
    _, image, psf = blurred(shape, taps)
    close(f"wiener {shape}", mp.wiener_deconvolution(laid(image), mp.array(psf), 0.1, None, False),
          wiener(image, psf, 0.1), 50)
reg = rng.standard_normal((3, 2))
_, image, psf = blurred((24, 30), (3, 3), "float32")
close("another regularisation, float32, no clip",
      mp.wiener_deconvolution(laid(image), mp.array(psf), 0.3, mp.array(reg), True), wiener(image, psf, 0.3, reg, False), 50)

# --- unsupervised -------------------------------------------------------------------------------------------------
scene, image, psf = blurred((48, 48), (5, 5))
image = image + 0.02 * np.random.default_rng(5).standard_normal(image.shape)  # the same on all ranks
chains = Chains(300, (ctypes.c_double * 300)(), (ctypes.c_double * 300)())
got = mp.unsupervised_wiener(laid(image), mp.array(psf), Sampling(seed=3, unclipped=True), chains).numpy()
noise, prior = np.array(chains.noise[20:chains.count]), np.array(chains.prior[20:chains.count])
mp.ok(32 <= chains.count <= 201 and 0.5 < np.sqrt(1 / noise.mean()) / 0.02 < 2, "the noise is found")
balanced = wiener(image, psf, prior.mean() / noise.mean(), None, False)
spread = abs(got - balanced).max()  # the mean of n samples of a posterior, whose spread is at most that of the noise
mp.ok(spread < 0.3 and np.linalg.norm(got - balanced) < 0.2 * np.linalg.norm(balanced),
      f"the mean is the Wiener solution of that balance, within {spread:.2g}")

# --- refused ------------------------------------------------------------------------------------------------------
mp.fails("MNP_ERR_ARG", "iterations is -1", "richardson_lucy", laid(image), k, Options(-1))
mp.fails("MNP_ERR_ARG", "psf is complex128", "richardson_lucy", laid(image), mp.array(psf.astype(complex)), None)
mp.fails("MNP_ERR_ARG", "image has 2 dimensions, and psf 1", "richardson_lucy", laid(image), mp.array(psf[0]), None)
mp.fails("MNP_ERR_ARG", "larger than the image", "wiener_deconvolution", laid(image), mp.array(np.zeros((49, 3))), 1.0,
         None, False)
mp.fails("MNP_ERR_ARG", "two iterations must follow", "unsupervised_wiener", laid(image), k, Sampling(iterations=10), None)
mp.done()
