# SPDX-License-Identifier: BSD-3-Clause
"""Filters of signals and images beside SciPy, for tests/signal/hosts.t: those that exchange blocks in several ways."""

import socket

import maniple as mp
import numpy as np
import scipy.ndimage
import scipy.signal

from checks import ok, rng, same

on_second = int(mp.from_local(np.array([socket.gethostname() == "host2"])).sum())
ok(2 * on_second == mp.nranks(), "half of the ranks are on the second host")
image, kernel = rng.standard_normal((61, 47)), rng.standard_normal((7, 5))
signal, lines = rng.standard_normal(5003), rng.standard_normal((3, 2001))
sos = scipy.signal.butter(4, 0.2, output="sos")
for layout in ("0, *", "*, 0"):
    x = mp.asarray(image, layout=layout)
    for method in ("direct", "fft", "overlap-add"):  # halos, transforms, and both
        same(f"convolve {method}, {layout}", mp.signal.convolve(x, kernel, "same", method),
             scipy.signal.convolve(image, kernel, "same"), 1e-12)
    for size in (3, 9):  # networks, and ranks of windows
        same(f"median_filter of {size}, {layout}", mp.ndimage.median_filter(x, size),
             scipy.ndimage.median_filter(image, size))
    same(f"gaussian_filter, {layout}", mp.ndimage.gaussian_filter(x, 2), scipy.ndimage.gaussian_filter(image, 2), 1e-12)
    same(f"generic_filter, {layout}", mp.ndimage.generic_filter(x, np.ptp, 3),
         scipy.ndimage.generic_filter(image, np.ptp, 3), 1e-12)
    labels, count = mp.ndimage.label(x > 0.2)  # labels join across all borders of blocks
    want, most = scipy.ndimage.label(image > 0.2)
    same(f"label, {layout}", labels.astype(want.dtype), want)
    ok(count == most, f"there are {count} labels")
    same(f"distance_transform_edt, {layout}", mp.ndimage.distance_transform_edt(x > -1),
         scipy.ndimage.distance_transform_edt(image > -1), 1e-12)
    same(f"map_coordinates, {layout}", mp.ndimage.rotate(x, 30), scipy.ndimage.rotate(image, 30), 1e-10)
    y = mp.asarray(lines, layout=layout)
    same(f"sosfilt, {layout}", mp.signal.sosfilt(sos, y), scipy.signal.sosfilt(sos, lines), 1e-11)
    same(f"sosfiltfilt, {layout}", mp.signal.sosfiltfilt(sos, y), scipy.signal.sosfiltfilt(sos, lines), 1e-10)
same("sosfilt of one line", mp.signal.sosfilt(sos, signal), scipy.signal.sosfilt(sos, signal), 1e-11)
same("welch", mp.signal.welch(signal), scipy.signal.welch(signal), 1e-11)
same("find_peaks", mp.signal.find_peaks(signal, distance=20)[0], scipy.signal.find_peaks(signal, distance=20)[0])
same("dlsim", mp.signal.dlsim(([1.0, 0.5], [1.0, -0.9, 0.5], 1), signal),
     tuple(scipy.signal.dlsim(([1.0, 0.5], [1.0, -0.9, 0.5], 1), signal)), 1e-10)
