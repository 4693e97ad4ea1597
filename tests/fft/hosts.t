#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The plans of plans.py on two hosts, a rank on each: what is moved goes over the network between them.
# shellcheck disable=SC2154  # hosts.sh assigns

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/hosts.sh"

export PYTHONPATH="$srcdir/tests/numpy"
exec "$hosts" 1 "$PYTHON" "$srcdir/tests/fft/plans.py"
