#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What --plan counts is what the same command does on 1 and 3 ranks, in the full tier on 1 to 4 (checks/plan_counts.py).

. "${srcdir:-.}/tests/tap.sh"

: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# on GPUs the library keeps memory of its own, and CUDA's
MANIPLE_DEVICE=host MANIPLE_THREADS=1
export MANIPLE MPIRUN MANIPLE_DEVICE MANIPLE_THREADS
check_points "$PYTHON" "$srcdir/tests/apps/checks/plan_counts.py"
done_testing
