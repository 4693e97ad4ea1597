# SPDX-License-Identifier: BSD-3-Clause
"""Signals and images: filters, transforms."""

import maniple as mp
import numpy as np
import scipy.fft
import scipy.ndimage
import scipy.signal

from . import ok, pair, raises, rng, same


def check_signal():
    (x, a), (k, w) = pair((20, 17)), pair((3, 4))
    same("convolve2d", mp.signal.convolve2d(x, k, "same", "wrap"), scipy.signal.convolve2d(a, w, "same", "wrap"), 1e-12)
    kernels = (k, w), pair((4, 4)), pair((2, 3)), (x[:4, :3], a[:4, :3])
    for boundary in ("fill", "wrap", "symm"):
        for mode in ("full", "same", "valid"):
            same(f"correlate2d, {mode}, {boundary}", [mp.signal.correlate2d(x, q, mode, boundary) for q, _ in kernels],
                 [scipy.signal.correlate2d(a, v, mode, boundary) for _, v in kernels], 1e-12)
    y, b = pair((5, 6), "complex128")
    same("correlate2d of a smaller array, and of complex numbers",
         (mp.signal.correlate2d(k, x, "same"), mp.signal.correlate2d(y, y[:2, :2], "same", fillvalue=0)),
         (scipy.signal.correlate2d(w, a, "same"), scipy.signal.correlate2d(b, b[:2, :2], "same")), 1e-12)
    ok(mp.signal.correlate2d(x, k, "same").layout == x.layout, "the layout of correlate2d")
    same("fftconvolve along axes",
         (mp.signal.fftconvolve(x, x[:1, :3], axes=1), mp.signal.oaconvolve(x, x[:3, :1], "same", 0),
          mp.signal.fftconvolve(x[None], x[None, :3, :4], axes=(-1, 1))),
         (scipy.signal.fftconvolve(a, a[:1, :3], axes=1), scipy.signal.oaconvolve(a, a[:3, :1], "same", 0),
          scipy.signal.fftconvolve(a[None], a[None, :3, :4], axes=(-1, 1))), 1e-12)
    same("correlate", mp.signal.correlate(x, k, "valid"), scipy.signal.correlate(a, w, "valid"), 1e-12)
    line = a.ravel()
    peaks, properties = mp.signal.find_peaks(mp.array(line), prominence=(0.1, None), width=1)
    right, wanted = scipy.signal.find_peaks(line, prominence=(0.1, None), width=1)
    for name, more in (("argrelextrema", [np.greater]), ("argrelmax", []), ("argrelmin", [])):
        want = getattr(scipy.signal, name)(a, *more, axis=1, order=2)
        same(name, getattr(mp.signal, name)(x, *more, axis=1, order=2), want)
    raises(ValueError, "distance is 0", "a distance of 0", lambda: mp.signal.find_peaks(mp.array(line), distance=0))
    raises(ValueError, "wlen is 0", "a wlen of 0", lambda: mp.signal.find_peaks(mp.array(line), width=1, wlen=0))
    raises(ValueError, "wlen is 1", "a wlen of 1", lambda: mp.signal.peak_widths(mp.array(line), peaks, wlen=1))
    same("find_peaks", peaks, right, 0)
    widths = mp.signal.find_peaks(mp.array(line), width=0, rel_height=0)[1]["widths"]
    same("find_peaks: no width at the top", widths, np.zeros(scipy.signal.find_peaks(line)[0].shape))
    ok(sorted(properties) == sorted(wanted), "properties of peaks")
    for name in wanted:
        same(f"find_peaks: {name}", properties[name], wanted[name], 1e-12)
    for axis in (-1, 0):
        got = mp.signal.spectrogram(x, nperseg=8, mode="phase", axis=axis)
        same("spectrogram of phases", got, scipy.signal.spectrogram(a, nperseg=8, mode="phase", axis=axis), 1e-11)
    raises(ValueError, "'psd', 'complex', 'magnitude' or 'angle'", "another mode",
           lambda: mp.signal.spectrogram(x, mode="power"))
    same("medfilt", mp.signal.medfilt(x, 3), scipy.signal.medfilt(a, 3), 0)
    same("wiener", mp.signal.wiener(x, 3), scipy.signal.wiener(a, 3), 1e-9)
    plan = mp.signal.Convolution(x, k, "same")
    same(
        "a plan",
        (plan(x), plan(2 * x)),
        (scipy.signal.convolve2d(a, w, "same"), 2 * scipy.signal.convolve2d(a, w, "same")),
        1e-12,
    )
    told = plan.describe()
    ok(told["method"] in told["seconds"] and min(told["seconds"].values()) >= 0, f"a plan tells its method: {told}")
    same("fftconvolve", mp.signal.fftconvolve(x, k, "same", axes=(0, 1)), scipy.signal.fftconvolve(a, w, "same"), 1e-12)
    same("oaconvolve", mp.signal.oaconvolve(x, k), scipy.signal.oaconvolve(a, w), 1e-12)
    method = mp.signal.choose_conv_method(x, k)
    same("choose_conv_method", mp.signal.convolve(x, k, method=method), scipy.signal.convolve(a, w), 1e-12)


def check_filters():
    a = rng.standard_normal((3, 400))
    x = mp.asarray(a)
    b, c = scipy.signal.butter(3, 0.2)
    sos = mp.signal.butter(3, 0.2, output="sos")
    ok(np.allclose(mp.signal.butter(3, 0.2), (b, c), 1e-10), "butter")
    ok(np.allclose(mp.signal.firwin(31, 0.3), scipy.signal.firwin(31, 0.3)), "firwin")
    ok(np.allclose(mp.signal.remez(41, [0, 0.1, 0.15, 0.5], [1, 0], fs=1), scipy.signal.remez(41, [0, 0.1, 0.15, 0.5],
       [1, 0], fs=1), atol=1e-3), "remez")
    ok(np.allclose(mp.signal.freqz(b, c)[1], scipy.signal.freqz(b, c)[1]), "freqz")
    z, p, k = mp.signal.tf2zpk(b, c)
    ok(np.allclose(mp.signal.zpk2tf(z, p, k), (b, c)), "tf2zpk")
    parameters = {"chebwin": (60,), "dpss": (2.5,), "exponential": (None, 3.0), "gaussian": (4.0,),
                  "general_cosine": ([1, 0.5],), "general_gaussian": (1.5, 4.0), "general_hamming": (0.6,),
                  "kaiser": (5,), "kaiser_bessel_derived": (5,), "taylor": (5,), "tukey": (0.3,)}  # fmt: skip
    theirs = scipy.signal.windows
    for name in dir(mp.signal.windows):
        for sym in (True, False)[: 1 if name == "kaiser_bessel_derived" else 2]:
            if name != "get_window":
                arguments = 40, *parameters.get(name, ())
                same(f"windows.{name}, {sym}", getattr(mp.signal.windows, name)(*arguments, sym=sym),
                     getattr(theirs, name)(*arguments, sym=sym), 1e-10)
    raises(TypeError, "std", "a window without its parameter", lambda: mp.signal.windows.gaussian(5))
    same("get_window", mp.signal.get_window(("tukey", 0.3), 40), scipy.signal.get_window(("tukey", 0.3), 40), 1e-12)
    same("lfilter", mp.signal.lfilter(b, c, x, axis=0), scipy.signal.lfilter(b, c, a, axis=0), 1e-12)
    zi = np.outer(np.ones(3), mp.signal.lfilter_zi(b, c))
    same("lfilter zi", mp.signal.lfilter(b, c, x, zi=mp.asarray(zi)), scipy.signal.lfilter(b, c, a, zi=zi), 1e-11)
    same("sosfilt", mp.signal.sosfilt(sos, x), scipy.signal.sosfilt(sos, a), 1e-12)
    same("filtfilt", mp.signal.filtfilt(b, c, x), scipy.signal.filtfilt(b, c, a), 1e-11)
    same("savgol_filter", mp.signal.savgol_filter(x, 9, 3), scipy.signal.savgol_filter(a, 9, 3), 1e-11)
    same("welch", mp.signal.welch(x, 8.0, nperseg=50), scipy.signal.welch(a, 8.0, nperseg=50), 1e-12)
    frames = a[..., :128].reshape(-1, 4, 32) * scipy.signal.firwin(128, 1 / 32).reshape(4, 32)
    same("channelize", mp.signal.channelize(x[..., :128], 32, 4), np.fft.rfft(frames.sum(1)).reshape(*a.shape[:-1], 1, 17),
         1e-12)
    nibbles = np.array([[0x12, 0xF8]], "u1")
    same("unpack_samples", mp.signal.unpack_samples(mp.asarray(nibbles), 4), np.array([[1, 2, -1, -8]], "i1"))
    same("stft", mp.signal.stft(x, nperseg=64), scipy.signal.stft(a, nperseg=64), 1e-12)
    _, _, z = mp.signal.stft(x, nperseg=64)
    same("istft", mp.signal.istft(z, nperseg=64)[1], scipy.signal.istft(z.numpy(), nperseg=64)[1], 1e-12)
    same("hilbert", mp.signal.hilbert(x), scipy.signal.hilbert(a), 1e-12)
    same("decimate", mp.signal.decimate(x, 4), scipy.signal.decimate(a, 4), 1e-9)
    same("resample_poly", mp.signal.resample_poly(x, 3, 2, axis=1), scipy.signal.resample_poly(a, 3, 2, axis=1), 1e-12)


def check_cosine_transforms():
    x, a = pair((12, 10))
    same("dct", mp.fft.dct(x), scipy.fft.dct(a), 1e-12)
    same("dst", mp.fft.dst(x, 4, n=5, axis=0), scipy.fft.dst(a, 4, 5, 0), 1e-12)
    same("there and back", mp.fft.idctn(mp.fft.dctn(x, norm="ortho"), norm="ortho"), a, 1e-12)
    ok(mp.fft.next_fast_len(7919) == 7920, "next_fast_len")


def check_ndimage():
    a = rng.standard_normal((9, 12))
    x, nd = mp.array(a), scipy.ndimage
    same("median_filter", mp.ndimage.median_filter(x, 3, mode="wrap"), nd.median_filter(a, 3, mode="wrap"))
    same("gaussian_filter", mp.ndimage.gaussian_filter(x, [1, 2], 1), nd.gaussian_filter(a, [1, 2], 1), 1e-10)
    same("rank_filter", mp.ndimage.rank_filter(x, -2, size=(2, 3)), nd.rank_filter(a, -2, size=(2, 3)))
    same("correlate", mp.ndimage.correlate(x, [[1, 2]]), nd.correlate(a, [[1, 2]]), 1e-10)
    same("grey_opening", mp.ndimage.grey_opening(x, 3), nd.grey_opening(a, 3))
    same("binary_erosion", mp.ndimage.binary_erosion(x > 0, [[1, 1]]), nd.binary_erosion(a > 0, [[1, 1]]))
    labels, count = mp.ndimage.label(x > 0.3)
    right, found = nd.label(a > 0.3)
    same("label", labels, right)
    ok(count == found and mp.ndimage.find_objects(labels) == nd.find_objects(right), "find_objects")
    ok(np.allclose(mp.ndimage.mean(x, labels, [1, 2]), nd.mean(a, right, [1, 2])), "means by label")
    same("into an array", mp.ndimage.sobel(x, output=mp.empty_like(x)), nd.sobel(a), 1e-10)


def check_fft_plans():
    x, a = pair((12, 10), "complex128")
    plan = mp.fft.Plan(x, permuted=True)
    back = mp.fft.Plan(plan(x), inverse=True, layout=x.layout)
    same("a plan and its inverse", (plan(x), back(plan(x))), (np.fft.fftn(a), a), 1e-12)
    ok("method" in plan.describe(), "a plan says what it does")


def slices_of(x, win, hop, first, last, mfft, shift, k_offset=0):
    """The short-time Fourier transform by its sum; with `shift` None, phases count from a slice's first sample."""
    mid, place = len(win) // 2, np.arange(len(win))
    phase = place if shift is None else place - (shift + mid) % len(win)
    kernel = np.exp(-2j * np.pi * np.arange(mfft)[:, None] * phase / mfft) * win.conj()
    padded = np.concatenate([np.zeros(100), x, np.zeros(100)])
    return np.stack([kernel @ padded[100 + k_offset + p * hop - mid + place] for p in range(first, last)], axis=-1)


def check_short_time():
    """ShortTimeFFT by its definition, and by SciPy where this one has it (from 1.12 on)."""
    theirs = getattr(scipy.signal, "ShortTimeFFT", None)
    for m, hop, mode, mfft, shift in ((12, 4, "onesided", 12, 0), (9, 5, "centered", 16, None), (8, 3, "twosided", 9, -2),
                                      (7, 7, "onesided2X", 10, 3), (5, 8, "onesided", 5, 1)):
        win = rng.uniform(0.5, 1, m)
        kwargs = {"fft_mode": mode, "mfft": mfft, "phase_shift": shift,
                  "scale_to": "psd" if mode == "onesided2X" else None}
        mine = mp.signal.ShortTimeFFT(win, hop, 2.0, **kwargs)
        x, a = pair((37,))
        want = slices_of(a, mine.win, hop, mine.p_min, mine.p_max(37), mfft, shift)
        if mode.startswith("onesided"):
            want = want[: mfft // 2 + 1]
        if mode == "onesided2X":
            want[1 : -1 if mfft % 2 == 0 else None] *= np.sqrt(2)
        if mode == "centered":
            want = np.fft.fftshift(want, axes=0)
        z, name = mine.stft(x), f"ShortTimeFFT {m} {hop} {mode} {mfft} {shift}"
        same(name, z, want, 1e-12)
        same(name + ", spectrogram", mine.spectrogram(x), np.abs(want) ** 2, 1e-12)
        grid = (mine.t(37)[1] - mine.t(37)[0], mine.f[1] - mine.f[0], len(mine.f), z.shape)
        ok(np.allclose(grid[:2], (mine.delta_t, mine.delta_f)) and grid[2:] == (mine.f_pts, (mine.f_pts, mine.p_num(37))),
           name + ", its grid")
        if mine.invertible:
            back = mine.istft(z, k1=37)
            same(name + ", and back", back.real if mode in ("centered", "twosided") else back, a, 1e-12)
            same("a part of it", mine.istft(z, 3, 30).real, a[3:30], 1e-12)
        two, b = pair((4, 33))
        same(name + ", along an axis", mine.stft(two.T, axis=0, k_offset=1, padding="zeros").numpy()[:, 2],
             mine.stft(b[2], k_offset=1).numpy(), 1e-12)
        if theirs:
            other = theirs(win, hop, 2.0, **kwargs)
            for padding in "even", "odd", "edge":
                same(f"{name}, {padding}", mine.stft_detrend(x, "linear", padding=padding),
                     other.stft_detrend(a, "linear", padding=padding), 1e-11)
            if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17):
                continue  # earlier ones ended borders elsewhere
            ok((mine.lower_border_end, mine.upper_border_begin(37), mine.k_min, mine.k_max(37)) == (
                other.lower_border_end, other.upper_border_begin(37), other.k_min, other.k_max(37)), name + ", borders")
    odd = mp.signal.ShortTimeFFT(np.ones(11), 11, 1.0, phase_shift=None).stft(mp.asarray([1.0, 2, 4, 8, 16, 5, 7]), padding="odd")
    line = np.pad([1.0, 2, 4, 8, 16, 5, 7], (5, 30), "reflect", reflect_type="odd")
    same("padding odd", odd[:, 0], np.fft.rfft(line[:11]), 1e-12)
    hann = mp.signal.ShortTimeFFT.from_window("hann", 8.0, 16, 12, scale_to="magnitude")
    same("from_window", hann.win, scipy.signal.get_window("hann", 16) / 8, 1e-14)
    dual = mp.signal.ShortTimeFFT.from_dual(hann.dual_win, 4, 8.0)
    same("from_dual", dual.win, hann.win, 1e-13)
    unitary = mp.signal.ShortTimeFFT.from_win_equals_dual(np.hanning(10) + 0.1, 5, 1.0, scale_to="unitary")
    ok(np.allclose(unitary.win * 10, unitary.dual_win) and unitary.scaling == "unitary" and unitary.invertible,
       "from_win_equals_dual")
    ok(hann.extent(64) == (hann.p_min * 0.5, hann.p_max(64) * 0.5, 0.0, 9 * 0.5), "extent")
    for words, wrong in (("complex windows", lambda: mp.signal.ShortTimeFFT(np.ones(3) + 1j, 1, 1.0)),
                         ("hop is 0", lambda: mp.signal.ShortTimeFFT(np.ones(3), 0, 1.0)),
                         ("at least the length", lambda: mp.signal.ShortTimeFFT(np.ones(3), 1, 1.0, mfft=2)),
                         ("needs a scaling", lambda: mp.signal.ShortTimeFFT(np.ones(3), 1, 1.0, fft_mode="onesided2X")),
                         ("no inverse", lambda: mp.signal.ShortTimeFFT(np.ones(3), 4, 1.0).dual_win),
                         ("needs at least 8", lambda: hann.stft(mp.ones(5)))):
        raises(ValueError, words, "ShortTimeFFT", wrong)
