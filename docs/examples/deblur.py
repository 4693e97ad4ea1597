# SPDX-License-Identifier: BSD-3-Clause
"""A blurred picture of two stars and a bar, deblurred in three ways:  mpirun -n 4 python3 deblur.py

prints

    blurred: 4.18 from the truth
    Richardson-Lucy: 2.18
    Richardson-Lucy, accelerated: 0.84
    Wiener: 3.52
"""

import maniple as mp
from maniple import restoration

truth = mp.full((120, 150), 0.1)
truth[40, 50], truth[44, 50] = 500, 300
truth[80:84, 30:120] = 4.1
row, column = mp.ogrid[-5:6, -5:6]
psf = mp.exp(-(row**2 + column**2) / 6)
psf /= psf.sum()
seen = mp.signal.fftconvolve(truth, psf, "same")

for name, found in {
    "blurred": seen,
    "Richardson-Lucy": restoration.richardson_lucy(seen, psf, 200, clip=False),
    "Richardson-Lucy, accelerated": restoration.richardson_lucy(seen, psf, 200, clip=False, accelerate=True),
    "Wiener": restoration.wiener(seen, psf, 1e-6, clip=False),
}.items():
    far = float(mp.sqrt(mp.mean((found - truth) ** 2)))
    if mp.rank() == 0:
        print(f"{name}: {far:.2f}{' from the truth' if name == 'blurred' else ''}")
