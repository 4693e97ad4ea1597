#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --json of every subcommand (json_reports.py): valid for a strict reader, with no name twice, for odd numbers and names
# of files, and the same facts as in the files.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"
export MANIPLE MPIRUN
check_points "$PYTHON" "$srcdir/tests/apps/checks/json_reports.py"
fails 2 'quiet and --json contradict each other' "$MANIPLE" conv in.h5:/x hanning:3x3 -o out.h5:/y --quiet --json
done_testing
