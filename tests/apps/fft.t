#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple fft: results equal NumPy's on any number of ranks; pictures and plans are right; errors are reported in one
# sentence, with the same status on all ranks, and leave no file behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

run "help" "$MANIPLE" fft --help
[ "$("$MANIPLE" fft --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}
check_points "$PYTHON" "$srcdir/tests/apps/checks/fft.py"

# fft_fails STATUS PATTERN ARGUMENT...: on 1 rank and on 3; fft_alone: on 1
fft_fails()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" fft "$@"
}
fft_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" fft "$@")
    check $? "fft $*" "$details"
}

"$PYTHON" -c '
import h5py, numpy
with h5py.File("data.h5", "w") as file:
    file["x"], file["complex"] = numpy.ones((4, 6)), numpy.ones((4, 6)) * 1j
    file["scalar"], file["none"] = 2.5, numpy.ones((3, 0))'
fft_fails 2 'dimension 2, but INPUT' data.h5:/x -o y.h5:/y --axes 0,2
fft_alone 1 "missing.h5" missing.h5:/x -o y.h5:/y
fft_alone 2 'a transform of 0 points' data.h5:/none -o y.h5:/y
fft_alone 2 'fft needs INPUT' -o y.h5:/y
fft_alone 2 "also given 'more'" data.h5:/x more -o y.h5:/y
fft_alone 2 'needs a place for the result' data.h5:/x
fft_alone 2 'OUTPUT .* is INPUT itself' data.h5:/x -o data.h5:/x
fft_alone 2 'no dimensions' data.h5:/scalar -o y.h5:/y
fft_alone 2 'dimension 0 twice, as 0 and -2' data.h5:/x -o y.h5:/y --axes 0,-2
fft_alone 2 "which has dimension 0 twice" data.h5:/x -o y.h5:/y --axes 0,0
fft_alone 2 "such as 512,512" data.h5:/x -o y.h5:/y --s 4x4
fft_alone 2 "from 1 to" data.h5:/x -o y.h5:/y --s 0
fft_alone 2 '\-\-s has 3 numbers, but INPUT' data.h5:/x -o y.h5:/y --s 1,2,3
fft_alone 2 '\-\-s has 1 number, and --axes has 2' data.h5:/x -o y.h5:/y --n 3 --axes 0,1
fft_alone 2 'backward, forward or ortho' data.h5:/x -o y.h5:/y --norm max
fft_alone 2 'INPUT .* is complex128' data.h5:/complex -o y.h5:/y --real
fft_alone 2 'can be complex64 or complex128' data.h5:/x -o y.h5:/y --dtype float32
fft_alone 2 'can be float32 or float64' data.h5:/x -o y.h5:/y --real --inverse --dtype complex64
[ ! -e y.h5 ]
check $? "failures leave no file behind"
"$MANIPLE" fft data.h5:/x -o y.h5:/y --picture y.svg --plan >plan.txt 2>&1 && grep -q transform plan.txt &&
    [ ! -e y.h5 ] && [ ! -e y.svg ]
check $? "--plan in front of a whole command line writes no file" "$(cat plan.txt)"
done_testing
