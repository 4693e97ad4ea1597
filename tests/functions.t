#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs/functions.md names every function of the headers, and none that they have not.

. "${srcdir:-.}/tests/tap.sh"

document=$srcdir/docs/functions.md

# shellcheck disable=SC2086  # a compiler's name and flags may be several words
headers=$(echo '#include <maniple.h>' | ${CC:-cc} ${MPI_CFLAGS-} -I"$srcdir/include" -E -P -dD -x c -)
functions=$(printf '%s\n' "$headers" | tr '\n' ' ' | grep -oE 'visibility\("default"\)\)\)[^;{]*;' |
    grep -oE '\bmnp_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
inline=$(printf '%s\n' "$headers" | grep -oE '(#define|static inline [a-z_]+) mnp_[a-z0-9_]+\(' |
    grep -oE 'mnp_[a-z0-9_]+' | sort -u)
named=$(grep -oE '\bmnp_[a-z0-9_]+' "$document" | sort -u)

wrong=$(printf '%s\n' "$functions" | grep -vxF "$named")
check "$([ -n "$functions" ] && [ -z "$wrong" ]; echo $?)" "every function of the headers is in the table" "$wrong"

wrong=$(printf '%s\n' "$named" | grep -vxF "$functions
$inline" | grep -vE '_$')
check "$([ -z "$wrong" ]; echo $?)" "the table has no others" "$wrong"

# The document has the lines of the generated tables, in their order
generated=$("$srcdir/build-aux/ufunc-table" "$srcdir")
wrong=$(printf '%s\n' "$generated" | awk '
    NR == FNR { wanted[n++] = $0; next }
    $0 == wanted[k + 0] { k++ }
    END { if (k < n) print "from: " wanted[k + 0] }' - "$document")
check "$([ -n "$generated" ] && [ -z "$wrong" ]; echo $?)" "it has what build-aux/ufunc-table prints" "$wrong"

done_testing
