# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# examples FOLDER RANKS...: every program in a folder compiles without warnings, as users would compile it, and prints on
# these numbers of ranks what it says that it prints, on GPUs where there are some.  To be read after tests/tap.sh.

# shellcheck disable=SC2154  # set by tests/tap.sh
library=$builddir/.libs
[ -e "$library/libmaniple.so" ] || skip_all "no shared library was built"
# sanitizers: leaks are found by tests in C, and take four times as long as all else here
[ -n "${MANIPLE_TEST_FULL-}" ] || export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0:fast_unwind_on_malloc=1"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# compile SOURCE PROGRAM
# shellcheck disable=SC2317  # it is called, by way of run
compile()
{
    case $1 in
    *.c) compiler="${CC:-cc} -std=c11" ;;
    *) compiler="${CXX:-c++} -std=c++17" ;;
    esac
    # shellcheck disable=SC2086  # several words each
    $compiler -pthread -Wall -Wextra -Wpedantic -Werror -I "$srcdir/include" $MPI_CFLAGS -o "$2" "$1" \
        -L "$library" -lmaniple -Wl,-rpath,"$library" $LDFLAGS $MPI_LIBS -lm
}

examples()
{
    folder=$1
    shift
    for source in "$folder"/*.c "$folder"/*.cc; do
        [ -e "$source" ] || continue
        file=$(basename "$source")
        name=${file%.*}
        run "$file compiles" compile "$source" "$work/$name"
        [ -x "$work/$name" ] || continue
        # what stands between "prints" and the next paragraph that is not indented, or the end of the comment
        awk '/^ \* prints$/ { inside = 1; next } inside && (/^ \*\// || /^ \* [^ ]/) { exit }
             inside && NF > 1 { print substr($0, 6) }' "$source" >"$work/expected"
        for ranks in "$@"; do
            [ -n "${MPIRUN-}" ] || [ "$ranks" -eq 1 ] || continue
            # shellcheck disable=SC2086  # nothing, or a launcher and its options
            (cd "$work" && ${MPIRUN:+"$MPIRUN" -n $ranks} "./$name") >"$work/out" 2>"$work/err"
            status=$?
            if [ -s "$work/expected" ] && [ "$status" -eq 0 ]; then
                diff "$work/expected" "$work/out" >"$work/diff"
                status=$?
                cat "$work/diff" >>"$work/err"
            fi
            check "$status" "$name prints on $ranks rank$([ "$ranks" -eq 1 ] || echo s) what it says" "$(cat "$work/err")"
        done
    done
}
