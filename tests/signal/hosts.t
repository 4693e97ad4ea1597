#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Filters of signals and images on two hosts, with one rank on each and with two: halos, states of filters and labels go
# over the network between them.
# shellcheck disable=SC2154  # hosts.sh assigns

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/hosts.sh"

export PYTHONPATH="$builddir/python:$srcdir/tests/python" MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so"
for ranks in 1 2; do
    check_points "$hosts" "$ranks" "$PYTHON" "$srcdir/tests/signal/hosts.py"
done
done_testing
