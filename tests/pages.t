#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every command that README.md, the guide, the manual pages and --help show succeeds: see pages.py.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}" "${MANIPLE:=$builddir/apps/maniple}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
grep -q '^#define HAVE_PNG 1' "$builddir/config.h" || skip_all "this build draws no pictures"
"${PKG_CONFIG:=pkg-config}" --version >/dev/null 2>&1 || skip_all "there is no pkg-config"
has_tiff=$(grep -c '^#define HAVE_TIFF 1' "$builddir/config.h")
has_fits=$(grep -c '^#define HAVE_CFITSIO 1' "$builddir/config.h")
export MANIPLE srcdir builddir PKG_CONFIG has_tiff has_fits

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
check_points "$PYTHON" "$srcdir/tests/pages.py"
done_testing
