#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The plans of plans.py on two hosts, a rank on each: what is moved goes over the network between them.

. "${srcdir:-.}/tests/tap.sh"

hosts=$srcdir/tests/two-hosts
reason=$("$hosts" why)
[ -z "$reason" ] || skip_all "$reason"
[ -n "${PYTHON=$("$srcdir/tests/find-python")}" ] || skip_all "$(without_python)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
export PYTHONPATH="$srcdir/tests/numpy" PYTHONDONTWRITEBYTECODE=1 MANIPLE_DEVICE=host
exec "$hosts" 1 "$PYTHON" "$srcdir/tests/fft/plans.py"
