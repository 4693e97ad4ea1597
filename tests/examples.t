#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples of docs/examples compile without warnings, as users would compile them, and print on 1 and on 3 ranks what they
# say that they print, on GPUs where there are some.

. "${srcdir:-.}/tests/tap.sh"

library=$builddir/.libs
[ -e "$library/libmaniple.so" ] || skip_all "no shared library was built"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2317  # it is called, by way of run
compile()
{
    case $1 in
    *.c) compiler="${CC:-cc} -std=c11" ;;
    *) compiler="${CXX:-c++} -std=c++17" ;;
    esac
    # shellcheck disable=SC2086  # several words each
    $compiler -Wall -Wextra -Wpedantic -Werror -I "$srcdir/include" $MPI_CFLAGS -o "$work/$name" \
        "$srcdir/docs/examples/$1" -L "$library" -lmaniple -Wl,-rpath,"$library" $LDFLAGS $MPI_LIBS
}

for source in "$srcdir"/docs/examples/*.c "$srcdir"/docs/examples/*.cc; do
    file=$(basename "$source")
    name=${file%.*}
    run "$file compiles" compile "$file"
    [ -x "$work/$name" ] || continue
    # what stands between "prints" and the next paragraph that is not indented, or the end of the comment
    awk '/^ \* prints$/ { inside = 1; next } inside && (/^ \*\// || /^ \* [^ ]/) { exit } inside && NF > 1 { print substr($0, 6) }' \
        "$source" >"$work/expected"
    for ranks in 1 3; do
        [ -n "${MPIRUN-}" ] || [ "$ranks" -eq 1 ] || continue
        # shellcheck disable=SC2086  # nothing, or a launcher and its options
        ${MPIRUN:+"$MPIRUN" -n $ranks} "$work/$name" >"$work/out" 2>"$work/err"
        status=$?
        if [ -s "$work/expected" ] && [ "$status" -eq 0 ]; then
            diff "$work/expected" "$work/out" >"$work/diff"
            status=$?
            cat "$work/diff" >>"$work/err"
        fi
        check "$status" "$name prints on $ranks rank$([ "$ranks" -eq 1 ] || echo s) what it says" "$(cat "$work/err")"
    done
done

done_testing
