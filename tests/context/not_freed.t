#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What mnp_finalize() says of objects that a program has not freed: in checking mode the line that made each, if the
# program has debug information, and otherwise the function that it stands in; without that mode how many there are.

. "${srcdir:-.}/tests/tap.sh"

source=$srcdir/tests/context/not_freed.c library=$builddir/.libs
[ -e "$library/libmaniple.so" ] || skip_all "no shared library was built"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# compile PROGRAM OPTION...
# shellcheck disable=SC2317,SC2329  # it is called, by way of run
compile()
{
    made=$1
    shift
    # shellcheck disable=SC2086  # several words each
    ${CC:-cc} -std=c11 "$@" -I "$srcdir/include" $MPI_CFLAGS -o "$work/$made" "$source" -L "$library" -lmaniple \
        -Wl,-rpath,"$library" $LDFLAGS $MPI_LIBS -lm
}

# said PROGRAM [LAUNCHER...]: what rank 0 says of its objects, in the order of the alphabet, to $work/said
said()
{
    said_by=$1
    shift
    LSAN_OPTIONS=detect_leaks=0 PATH=$work:$PATH "$@" "$said_by" 2>"$work/errors"
    sed -n 's/^maniple\[0] warn: mnp_finalize: //p' "$work/errors" | sort >"$work/said"
}

# what the marks in the program want, in the same order
awk '
    /^[a-z].*\(.*\)$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /\/\* left: / {
        object = $0; times = ""
        sub(/.*left: /, "", object); sub(/ \*\/$/, "", object)
        if (sub(/, 2 times$/, "", object)) times = ", 2 times"
        maker = object; sub(/.* of /, "", maker); sub(/ of mnp_.*/, "", object)
        print "not freed: " object " of " maker "() at not_freed.c:" NR + 1 " (" name ")" times
    }' "$source" | sort >"$work/wanted"

# lists DESCRIPTION: $work/said has the lines of $work/wanted, and beside them one that counts
lists()
{
    grep '^not freed' "$work/said" | diff "$work/wanted" - >"$work/difference"
    check "$?" "$1" "$(cat "$work/difference" "$work/errors")"
    grep -q '^[0-9]* arrays (.*) and [0-9]* other objects were not freed$' "$work/said"
    check "$?" "$1, and how much that is" "$(cat "$work/errors")"
}

unset MANIPLE_LOG
export MANIPLE_CHECK=1
for level in -O0 -O2; do
    run "not_freed.c compiles with $level -g" compile lines "$level" -g
    if command -v addr2line >/dev/null; then
        said lines
        lists "the lines with $level"
    else
        skip "the lines with $level" "there is no addr2line"
    fi
done
if [ -n "${MPIRUN-}" ] && command -v addr2line >/dev/null; then
    said lines "$MPIRUN" -n 2
    lists "the lines on 2 ranks"
fi

# without debug information: the function, or the file, and an offset
run "not_freed.c compiles without lines, but with names" compile names -rdynamic
mkdir "$work/none"
said "$work/names" env PATH="$work/none"
grep -qE '^not freed: array of mnp_add\(\) at main\+0x[0-9a-f]+ \(names\)$' "$work/said"
check "$?" "the function and the offset, without addr2line" "$(cat "$work/errors")"
run "not_freed.c compiles without names" compile nothing -s
said nothing
grep -qE '^not freed: array of mnp_add\(\) at nothing\+0x[0-9a-f]+$' "$work/said"
check "$?" "the program's file and the offset" "$(cat "$work/errors")"

# without checking
export MANIPLE_CHECK=0
said nothing
[ "$(wc -l <"$work/said")" -eq 1 ] && grep -q 'were not freed; MANIPLE_CHECK=1 tells which lines made them$' "$work/said"
check "$?" "otherwise it says how many there are, and how to learn more" "$(cat "$work/errors")"
done_testing
