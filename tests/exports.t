#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared library shows its public functions and nothing else.

. "${srcdir:-.}/tests/tap.sh"

library=$builddir/.libs/libmaniple.so
[ -e "$library" ] || skip_all "no shared library was built"

# AddressSanitizer marks every global variable with a symbol of its own
# shellcheck disable=SC2086  # a command and its options
exported=$(${NM:-nm} -D --defined-only "$library" | awk '$NF !~ /^__odr_asan/ { print $NF }' | sort)
# Many prototypes are made by macros, so the compiler expands them
# shellcheck disable=SC2086
declared=$(echo '#include <maniple.h>' | ${CC:-cc} ${MPI_CFLAGS-} -I"$srcdir/include" -E -P -x c - | tr '\n' ' ' |
    grep -oE 'visibility\("default"\)\)\)[^;{]*;' | grep -oE '\bmnp_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)

wrong=$(printf '%s\n' "$exported" | grep -vE '^mnp_[a-z0-9]')
check "$([ -z "$wrong" ]; echo $?)" "every exported symbol begins with mnp_ and one underscore" "$wrong"

wrong=$(printf '%s\n' "$exported" | grep -vxF "$declared")
check "$([ -z "$wrong" ]; echo $?)" "every exported symbol is declared in an installed header" "$wrong"

wrong=$(printf '%s\n' "$declared" | grep -vxF "$exported")
check "$([ -z "$wrong" ]; echo $?)" "every declared function is exported" "$wrong"

done_testing
