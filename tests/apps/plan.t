#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --plan of the commands that have it (checks/plan.py), and what contradicts it.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"
export MANIPLE MPIRUN
check_points "$PYTHON" "$srcdir/tests/apps/checks/plan.py"
for line in "fft x.npy" "conv x.npy hanning:3x3" "filter laplace x.npy" "linalg norm x.npy" "linalg expm x.npy" "linalg qr x.npy" "eval x+1 x=x.npy" \
    "solve poisson:8x8" "spectrogram x.npy"; do
    # shellcheck disable=SC2086  # words
    fails_alone 2 'ranks goes with --plan' "$MANIPLE" $line -o y.npy --ranks 4
done
fails_alone 2 'hosts is 3, more than --ranks' "$MANIPLE" fft x.npy --plan --ranks 2 --hosts 3
fails 2 'hosts is 9, and there ' "$MANIPLE" fft x.npy --plan --hosts 9
fails_alone 2 'it can be h200 or host' "$MANIPLE" fft x.npy --plan --machine hots
fails_alone 2 'a number of GB/s above 0' "$MANIPLE" fft x.npy --plan --network 0
fails 2 'B .* has 5 rows' "$MANIPLE" linalg matmul x.npy five.npy --plan
[ ! -e y.npy ]
check $? "nothing is written"
done_testing
