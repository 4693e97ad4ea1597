#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The main jobs from end to end, on one rank and on two: an image is convolved, filtered and summed up, and a sparse
# system is made, looked at and solved.  Results are SciPy's, and the same on any number of ranks.  The other tests of
# this folder go through the options of each command.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"
cp "$srcdir/apps/data/hubble.h5" image.h5 || exit 1
mkdir -p out
for ranks in 1 2; do
    if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
        skip "on $ranks ranks" "there is no mpirun"
        continue
    fi
    run "an image is convolved on $ranks rank(s)" on "$ranks" "$MANIPLE" conv image.h5:/image hanning:31x31 --boundary wrap \
        -o "out/$ranks.h5:/blurred" -q
    run "and filtered" on "$ranks" "$MANIPLE" filter median_filter "out/$ranks.h5:/blurred" size=3,5 mode=wrap \
        -o "out/$ranks.h5:/median" -q
    run "and divided by its mean" on "$ranks" "$MANIPLE" eval 'z = x / mean(x)' "x=out/$ranks.h5:/median" \
        -o "z=out/$ranks.h5:/relative" -q
    run "a system is solved on $ranks rank(s)" on "$ranks" "$MANIPLE" solve poisson:40x31 --method cg --precond jacobi \
        --rtol 1e-10 -o "out/$ranks.h5:/x" -q
done
check_points "$PYTHON" - <<'END'
import glob

import h5py
import numpy as np
import scipy.sparse.linalg
from scipy import ndimage

with h5py.File("image.h5") as file:
    image = file["image"][()].astype(float)
window = np.outer(np.hanning(31), np.hanning(31))
want = {"blurred": ndimage.convolve(image, window / window.sum(), mode="wrap")}
want["median"] = ndimage.median_filter(want["blurred"], (3, 5), mode="wrap")
want["relative"] = want["median"] / want["median"].mean()
lines = [scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], (n, n)) for n in (40, 31)]
grid = scipy.sparse.kronsum(lines[1], lines[0])
want["x"] = scipy.sparse.linalg.spsolve(scipy.sparse.csc_matrix(grid), np.ones(40 * 31))
for path in sorted(glob.glob("out/*.h5")):
    with h5py.File(path) as file:
        for name, right in want.items():
            got = file[name][()]
            error = np.abs(got - right).max() / np.abs(right).max() if got.shape == right.shape else np.inf
            good = error < (1e-8 if name == "x" else 1e-5)
            print("ok" if good else "not ok", "-", f"{path}: {name}: {got.dtype} {got.shape}, error {error:.1e}")
END
done_testing
