#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple deconv: a blurred picture is restored, alike on any number of ranks; mistakes are one sentence.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

run "help" "$MANIPLE" deconv --help
[ "$("$MANIPLE" deconv --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}

"$PYTHON" -c '
import h5py, numpy
from scipy.signal import convolve
scene = numpy.full((60, 70), 20.0)
scene[20:40, 25:45] = 200
line = numpy.exp(-0.5 * (numpy.arange(9) - 4.0)**2 / 4)
psf = numpy.outer(line, line)
with h5py.File("data.h5", "w") as file:
    file["scene"], file["psf"], file["whole"] = scene, 3 * psf, numpy.rint(100 * psf).astype("uint8")
    file["blurred"] = convolve(scene, psf / psf.sum(), mode="same")
    file["complex"], file["line"] = scene * 1j, line'

# shellcheck disable=SC2317 # run calls it
# restored NAME OPTION...: what is in out.h5:/NAME on 1 rank and on 3 is the same to rounding, and nearer to the scene
restored()
{
    name=$1
    shift
    for ranks in 1 3; do
        on "$ranks" "$MANIPLE" deconv data.h5:/blurred data.h5:/psf -o "$name.h5:/on$ranks" -q "$@" || return 1
    done
    "$PYTHON" -c '
import sys, h5py, numpy
with h5py.File("data.h5") as data, h5py.File(sys.argv[1] + ".h5") as out:
    one, three, scene, blurred = out["on1"][:], out["on3"][:], data["scene"][:], data["blurred"][:]
inner = (slice(8, -8), slice(8, -8))  # beyond the borders the methods take something else than there was
error, before = (numpy.linalg.norm((a - scene)[inner]) for a in (one, blurred))
print(error, before, abs(one - three).max())
sys.exit(not (abs(one - three).max() < 1e-6 * 255 and error < 0.8 * before))' "$name"
}
run "richardson-lucy" restored lucy --iterations 20
run "accelerated, with total variation and a boundary" restored fast --iterations 8 --accelerate \
    --total-variation 0.002 --boundary nearest
run "wiener" restored wiener --method wiener --balance 0.001
"$MANIPLE" deconv data.h5:/blurred gauss:9x9@2 -o mask.h5:/x --mask data.h5:/scene --iterations 2 --picture both.svg \
    >report.txt 2>&1 && grep -q 'by richardson-lucy, 2 iterations' report.txt && [ -s both.svg ]
check $? "a mask, a picture and the report" "$(cat report.txt)"
"$MANIPLE" deconv data.h5:/blurred data.h5:/whole -o whole.h5:/x --iterations 2 -q
check $? "a point spread function of integers"
"$MANIPLE" deconv data.h5:/blurred gauss:9x9@2 -o json.h5:/x --method unsupervised --iterations 40 --json >report.json &&
    "$PYTHON" -c 'import json; r = json.load(open("report.json")); assert r["method"] == "unsupervised"'
check $? "a report in JSON" "$(cat report.json)"

# deconv_alone STATUS PATTERN ARGUMENT...: on 1 rank
deconv_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" deconv "$@")
    check $? "deconv $*" "$details"
}
fails 2 'has 1 dimension, and IMAGE' "$MANIPLE" deconv data.h5:/blurred data.h5:/line -o y.h5:/y
deconv_alone 2 'PSF after IMAGE' data.h5:/blurred -o y.h5:/y
deconv_alone 2 'needs a place for the result' data.h5:/blurred data.h5:/psf
deconv_alone 2 'OUTPUT .* is IMAGE itself' data.h5:/blurred data.h5:/psf -o data.h5:/blurred
deconv_alone 2 'is complex128; it must be real' data.h5:/complex data.h5:/psf -o y.h5:/y
deconv_alone 2 'richardson-lucy, wiener or unsupervised' data.h5:/blurred data.h5:/psf -o y.h5:/y --method lucy
deconv_alone 2 'iterations is .0.; it must be' data.h5:/blurred data.h5:/psf -o y.h5:/y --iterations 0
deconv_alone 2 'wiener has no --iterations' data.h5:/blurred data.h5:/psf -o y.h5:/y --method wiener --iterations 3
deconv_alone 2 'go with --method richardson-lucy' data.h5:/blurred data.h5:/psf -o y.h5:/y --method wiener --accelerate
deconv_alone 2 'balance goes with --method wiener' data.h5:/blurred data.h5:/psf -o y.h5:/y --balance 1
done_testing
