#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple linalg: results are numpy.linalg's on any number of ranks, also of real matrices; residuals; pictures; and
# mistakes are reported in one sentence.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

run "help" "$MANIPLE" linalg --help
[ "$("$MANIPLE" linalg --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "it is at most 100 columns wide"
[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}
check_points "$PYTHON" "$srcdir/tests/apps/checks/linalg.py"

alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" linalg "$@")
    check $? "linalg $*" "$details"
}
fails 1 'singular' "$MANIPLE" linalg solve in.h5:/singular in.h5:/b -o out.h5:/x
fails 2 'b has 30 rows, and a has 5' "$MANIPLE" linalg solve in.h5:/singular in.h5:/b30 -o out.h5:/x
alone 2 'needs a FUNCTION'
alone 2 "did you mean 'solve'" solv in.h5:/a in.h5:/b -o x.h5:/x
alone 2 'solve needs A and B, and gets 1 operand' solve in.h5:/a -o x.h5:/x
alone 2 'has no vectors' norm in.h5:/a --vectors x.h5:/v
alone 2 'has no left factor' svd in.h5:/a --left x.h5:/v
alone 2 'has no largest values' qr in.h5:/a --largest 3
alone 2 'is of --largest' svd in.h5:/a --seed 3
alone 2 'must be a whole number from 1 on' svd in.h5:/a --largest 0
alone 2 '--largest is of one matrix' svd in.h5:/stack --largest 1
fails 2 'k is 31, and must be from 1 to 30' "$MANIPLE" linalg svd in.h5:/a --largest 31
alone 2 "has 30 singular values" svd in.h5:/a --largest 31 --plan
alone 2 'has no bound' inv in.h5:/a --rcond 1
fails 1 'not positive definite' "$MANIPLE" linalg cholesky in.h5:/small -o out.h5:/x
alone 2 'has no spectrum' matmul in.h5:/a in.h5:/a -o x.h5:/x --picture p.png
alone 2 'has no order' svd in.h5:/a --ord fro
alone 2 'must be a number from 0 on' lstsq in.h5:/a in.h5:/b30 --rcond x
alone 2 "maniple: --ord is '3'; it can be fro" norm in.h5:/a --ord 3
alone 2 "maniple: --assume is 'odd'; it can be general" solve in.h5:/a in.h5:/b30 --assume odd
alone 2 "spectrum of one matrix, but A 'in.h5:/stack' has 3 dimensions" svd in.h5:/stack --picture p.png
alone 2 'x.h5' svd in.h5:/a -o x.h5:/x --vectors x.h5:/x
alone 2 'in.h5' svd in.h5:/a -o in.h5:/a
done_testing
