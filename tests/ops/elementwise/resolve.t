#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The types of element-wise functions compared with NumPy: see resolve.py.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
"$PYTHON" -c 'import numpy; assert numpy.__version__ >= "2.1"' 2> /dev/null || skip_all "NumPy is older than 2.1"
"$builddir/tests/ops/elementwise/resolve" | "$PYTHON" "$srcdir/tests/ops/elementwise/resolve.py"
