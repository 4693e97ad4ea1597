#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Convolutions compared with SciPy's: see conv_scipy.py.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}" "${MANIPLE:=$builddir/apps/maniple}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
export srcdir builddir MANIPLE
exec "$PYTHON" "$srcdir/tests/apps/checks/conv_scipy.py"
