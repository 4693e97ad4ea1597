#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple spectrogram and channelize: results equal SciPy's and NumPy's on any number of ranks, also slab by slab; pictures
# and plans are right; errors are reported in one sentence, with the same status on all ranks, and leave no file behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

for command in spectrogram channelize; do
    [ "$("$MANIPLE" "$command" --help | awk 'length > 100' | wc -l)" -eq 0 ]
    check $? "the help of $command is at most 100 columns wide"
done

[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}
check_points "$PYTHON" "$srcdir/tests/apps/checks/signals.py"

# wrong STATUS PATTERN ARGUMENT...: on 1 rank and on 3; wrong_alone: on 1
wrong()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" "$@"
}
wrong_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" "$@")
    check $? "$*" "$details"
}

"$PYTHON" -c '
import h5py, numpy
with h5py.File("data.h5", "w") as file:
    file["x"], file["x_f"] = numpy.ones((4, 60)), numpy.ones(9)
    file["scalar"], file["none"] = 2.5, numpy.ones((3, 0))'
wrong 2 'dimension 2, but INPUT' spectrogram data.h5:/x -o y.h5:/y --axis 2
wrong_alone 1 "missing.h5" spectrogram missing.h5:/x -o y.h5:/y
wrong_alone 2 'is empty along dimension 1' spectrogram data.h5:/none -o y.h5:/y
wrong_alone 2 'spectrogram needs INPUT' spectrogram -o y.h5:/y
wrong_alone 2 "also given 'more'" spectrogram data.h5:/x more -o y.h5:/y
wrong_alone 2 'needs a place for the result' spectrogram data.h5:/x
wrong_alone 2 'is INPUT itself' spectrogram data.h5:/x_f -o data.h5:/x
wrong_alone 2 'no dimensions' spectrogram data.h5:/scalar -o y.h5:/y
wrong_alone 2 'must be a number above 0' spectrogram data.h5:/x -o y.h5:/y --fs 0
wrong_alone 2 'must be a whole number from 1 on' spectrogram data.h5:/x -o y.h5:/y --nperseg 2.5
wrong_alone 2 'noverlap is 8, and must be below' spectrogram data.h5:/x -o y.h5:/y --nperseg 8 --noverlap 8
wrong_alone 2 'nfft is 7, and must be' spectrogram data.h5:/x -o y.h5:/y --nperseg 8 --nfft 7
wrong_alone 2 "hamn" spectrogram data.h5:/x -o y.h5:/y --window hamn
wrong_alone 2 'it must be a name, or a name and numbers' spectrogram data.h5:/x -o y.h5:/y --window kaiser:a
wrong_alone 2 'psd, complex, magnitude or angle' spectrogram data.h5:/x -o y.h5:/y --mode phase
wrong_alone 2 'goes with --plan' spectrogram data.h5:/x -o y.h5:/y --ranks 4
wrong_alone 2 'needs --channels N' channelize data.h5:/x -o y.h5:/y
wrong_alone 2 'channelize needs INPUT' channelize -o y.h5:/y --channels 4
wrong_alone 2 'needs a place for the result' channelize data.h5:/x --channels 4
wrong 2 'fewer than the 64 taps of a frame' channelize data.h5:/x -o y.h5:/y --channels 8
wrong_alone 2 'step is 5, and must be at most' channelize data.h5:/x -o y.h5:/y --channels 4 --step 5
wrong_alone 2 'bits is for bytes' channelize data.h5:/x -o y.h5:/y --channels 4 --bits 8
wrong_alone 2 'is for packed samples' channelize data.h5:/x -o y.h5:/y --channels 4 --encoding offset
wrong_alone 2 'whole number from 1 to 16' channelize data.h5:/x -o y.h5:/y --channels 4 --bits 17
wrong_alone 2 'is INPUT itself' channelize data.h5:/x -o data.h5:/x --channels 4 --taps 2
[ ! -e y.h5 ] && [ ! -e y.svg ]
check $? "failures leave no file behind"
done_testing
