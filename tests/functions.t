#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs/functions.md names every function of the headers, and none that they have not; a program in C++ uses every macro.

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

# Macros that a program calls, or writes where a value stands: not tables, X(...), and not what other macros are made of
# shellcheck disable=SC2086
macros=$(echo '#include <maniple.h>' | ${CC:-cc} ${MPI_CFLAGS-} -I"$srcdir/include" -E -dM -x c - |
    sed -nE '/\(X\) /d
        s/^#define ((mnp|MNP)_[A-Za-z0-9_]*[A-Za-z0-9])(\(.*| .*(\{|\(mnp_|\(const |MNP_[A-Z_]*\(|, ).*)$/\1/p' |
    grep -vE '^MNP_(DEFAULT|LIST_OF|COUNT_OF|SUBSCRIPT|UFUNC.*)$' | sort)
used=$(grep -oE '\b(mnp|MNP)_[A-Za-z0-9_]+' "$srcdir/tests/cplusplus.cc" | sort -u)
wrong=$(printf '%s\n' "$macros" | grep -vxF "$used")
check "$(printf '%s\n' "$macros" | grep -qx mnp_view && [ -z "$wrong" ]; echo $?)" "tests/cplusplus.cc uses all macros" \
    "$wrong"

# The document has the lines of the generated tables, in their order
generated=$("$srcdir/build-aux/ufunc-table" "$srcdir")
wrong=$(printf '%s\n' "$generated" | awk '
    NR == FNR { wanted[n++] = $0; next }
    $0 == wanted[k + 0] { k++ }
    END { if (k < n) print "from: " wanted[k + 0] }' - "$document")
check "$([ -n "$generated" ] && [ -z "$wrong" ]; echo $?)" "it has what build-aux/ufunc-table prints" "$wrong"

# docs/guide/running.md lists the functions that are not collective, and those that wait, as the comments in the headers say
table=$("$srcdir/build-aux/call-table" "$srcdir"/include/maniple/*.h)
wrong=$(printf '%s\n' "$table" | grep ' ? ')
check "$([ -n "$table" ] && [ -z "$wrong" ]; echo $?)" "every comment says whether a function is collective" "$wrong"

listed() # HEADING: the functions that a section names behind its words
{
    awk -v heading="## $1" '/^## / { inside = $0 == heading } inside && /^`/' "$srcdir/docs/guide/running.md" |
        grep -oE 'mnp_[a-z0-9_]+' | sort
}
wanted=$(printf '%s\n' "$table" | awk '$3 == "waits" { print $1 }' | sort)
check "$([ "$wanted" = "$(listed 'Calls that wait for the device')" ]; echo $?)" "the guide lists those that wait" "$wanted"
wanted=$(printf '%s\n' "$table" | awk '$2 == "alone" && $3 != "waits" { print $1 }' | sort)
check "$([ "$wanted" = "$(listed 'Calls that a rank may make alone')" ]; echo $?)" "and those that a rank may make alone" "$wanted"
done_testing
