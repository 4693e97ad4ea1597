#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Command lines drawn at random, most of them wrong, lose nothing and crash nothing: see hostile.py.  A hundred in make
# check, a thousand with MANIPLE_TEST_FULL=1.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}" "${MANIPLE:=$builddir/apps/maniple}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
grep -q '^#define HAVE_PNG 1' "$builddir/config.h" || skip_all "this build draws no pictures"
export MANIPLE

lines=${MANIPLE_TEST_FULL:+1000} share=${MANIPLE_TEST_FULL:+20}
check_points "$PYTHON" "$srcdir/tests/apps/checks/hostile.py" 1 "${lines:-100}"
if [ -n "${MPIRUN-}" ]; then
    check_points "$PYTHON" "$srcdir/tests/apps/checks/hostile.py" 3 "${share:-5}" 5000
else
    skip "lines on 3 ranks" "there is no mpirun"
fi
done_testing
