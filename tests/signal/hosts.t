#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Filters of signals and images on two hosts, with one rank on each and with two: halos, states of filters and labels go
# over the network between them.

. "${srcdir:-.}/tests/tap.sh"

hosts=$srcdir/tests/two-hosts
reason=$("$hosts" why)
[ -z "$reason" ] || skip_all "$reason"
[ -n "${PYTHON=$("$srcdir/tests/find-python")}" ] || skip_all "$(without_python)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
export PYTHONPATH="$builddir/python:$srcdir/tests/python" MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so"
export PYTHONDONTWRITEBYTECODE=1 MANIPLE_DEVICE=host
for ranks in 1 2; do
    check_points "$hosts" "$ranks" "$PYTHON" "$srcdir/tests/signal/hosts.py"
done
done_testing
