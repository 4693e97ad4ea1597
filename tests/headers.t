#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every installed header compiles alone, as C11 and as C++17, without a warning.

. "${srcdir:-.}/tests/tap.sh"

# MPI's headers are not checked
system=$(printf '%s' "${MPI_CFLAGS-$(pkg-config --cflags mpi)}" | sed 's/-I/-isystem /g')
warnings='-Wall -Wextra -pedantic -Werror'
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# C++'s headers take most of the time, so they are compiled once.  What a header forgets to include is noticed as C.
echo '#include <complex>' >"$work/standard.h"
# shellcheck disable=SC2086
${CXX:-c++} -std=c++17 $warnings -x c++-header "$work/standard.h" -o "$work/standard.h.gch"

# compile COMPILER LANGUAGE STANDARD HEADER [OPTION...]
# shellcheck disable=SC2317  # it is called, by way of run
compile()
{
    compiler=$1 language=$2 standard=$3 header=$4
    shift 4
    # shellcheck disable=SC2086  # a compiler's name and flags may be several words
    printf '#include <%s>\nextern int not_empty;\n' "$header" |
        $compiler -std="$standard" $warnings -I"$srcdir/include" $system "$@" -x "$language" -fsyntax-only -
}

for path in "$srcdir"/include/maniple.h "$srcdir"/include/maniple/*.h; do
    header=${path#"$srcdir"/include/}
    run "$header alone, as C11" compile "${CC:-cc}" c c11 "$header"
    run "$header alone, as C++17" compile "${CXX:-c++}" c++ c++17 "$header" -include "$work/standard.h"
done
run "maniple.hpp alone, as C++17" compile "${CXX:-c++}" c++ c++17 maniple.hpp

released=$(grep -ohE 'void mnp_([a-z0-9_]+_(free|close)|finalize)\(' "$srcdir"/include/maniple/*.h | grep -oE 'mnp_[a-z0-9_]+' | sort)
wrong=$(printf '%s\n' "$released" | while read -r function; do
    grep -qE "^    X\([a-z0-9_]+, $function\)" "$srcdir/include/maniple/clear.h" || echo "$function"
done)
check "$([ -n "$released" ] && [ -z "$wrong" ]; echo $?)" "mnp_clear() is for every type that has such a function" "$wrong"
done_testing
