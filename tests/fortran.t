#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The module of Fortran: it has all functions, its structs lie in memory as those of C do, every kind of argument passes,
# and the example prints what it says on 1 to 4 ranks, also with communicators of both of MPI's modules.

. "${srcdir:-.}/tests/tap.sh"

module=$builddir/fortran
[ -n "${FC-}" ] || skip_all "there is no Fortran compiler, or the module was left out (./configure says why)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# compile COMPILER SOURCE: makes $work/NAME
# shellcheck disable=SC2317,SC2329  # it is called, by way of run
compile()
{
    # shellcheck disable=SC2086  # several words each
    (cd "$work" && $1 $FCFLAGS -I "$module" -o "$(basename "$2" .f90)" "$2" -L "$module" -lmaniple_fortran \
        -L "$builddir/.libs" -lmaniple -Wl,-rpath,"$builddir/.libs" $LDFLAGS $MPI_LIBS)
}

# on RANKS PROGRAM: on a rank alone without the launcher
# shellcheck disable=SC2317,SC2329
on()
{
    if [ "$1" -eq 1 ]; then "$work/$2"; else "$MPIRUN" -n "$1" "$work/$2"; fi
}

# ---- all of the headers ----

declared=$(awk '/ &$/ { sub(/ *&$/, ""); joined = joined $0; next } { print joined $0; joined = "" }' "$module/maniple.f90" |
    sed -n 's/.*bind(C, *name="\(mnp_[a-z0-9_]*\)").*/\1/p')
exported=$(${NM:-nm} -D --defined-only "$builddir/.libs/libmaniple.so" | awk '$NF ~ /^mnp_/ { print $NF }' | sort)
wrong=$(printf '%s\n' "$exported" | grep -vxF "$declared
mnp_init
mnp_ctx_comm
mnp_comm_mpi
mnp_fail")
check "$([ -n "$exported" ] && [ -z "$wrong" ]; echo $?)" "the module has every function but four that Fortran cannot call" "$wrong"

structs=$(awk '/^    type, bind\(C\) ::/ { name = $NF; getline; if ($0 !~ /:: pointer = c_null_ptr$/) print name }' "$module/maniple.f90")
{
    echo '#include <maniple.h>'
    echo 'int main(void) {'
    for struct in $structs; do printf '    printf("%s %%zu\\n", sizeof(%s));\n' "$struct" "$struct"; done
    echo 'return 0; }'
} >"$work/c_sizes.c"
{
    echo 'program sizes
    use maniple'
    i=0
    for struct in $structs; do i=$((i + 1)); echo "    type($struct) :: v$i"; done
    i=0
    for struct in $structs; do i=$((i + 1)); echo "    print \"(a, i0)\", \"$struct \", c_sizeof(v$i)"; done
    echo 'end program'
} >"$work/sizes.f90"
# shellcheck disable=SC2086
run "a program with every struct, in C" ${CC:-cc} -I "$srcdir/include" $MPI_CFLAGS -o "$work/c_sizes" "$work/c_sizes.c"
run "and in Fortran" compile "$FC" "$work/sizes.f90"
"$work/c_sizes" >"$work/wanted"
on 1 sizes >"$work/found"
check "$([ -s "$work/wanted" ] && cmp -s "$work/wanted" "$work/found"; echo $?)" "structs have the same size in both" \
    "$(diff "$work/wanted" "$work/found")"

# ---- programs ----

run "a program that passes every kind of argument" compile "$FC" "$srcdir/tests/fortran/calls.f90"
run "docs/examples/heat.f90 compiles" compile "$FC" "$srcdir/docs/examples/heat.f90"
awk '/^! prints$/ { inside = 1; next } inside && !/^!/ { exit } inside && NF > 1 { print substr($0, 5) }' \
    "$srcdir/docs/examples/heat.f90" >"$work/expected"
for ranks in 1 2 3 4; do
    if [ "$ranks" -gt 1 ] && [ -z "${MPIRUN-}" ]; then
        skip "they run on $ranks ranks" "there is no mpirun"
        continue
    fi
    run "it passes them on $ranks ranks" on "$ranks" calls
    on "$ranks" heat >"$work/out" 2>"$work/err"
    check "$([ -s "$work/expected" ] && cmp -s "$work/expected" "$work/out"; echo $?)" "heat prints on $ranks ranks what it says" \
        "$(cat "$work/out" "$work/err")"
done

# MPI's own modules are those of the compiler that MPI was built with
for name in mpi_integers mpi_types; do
    what="communicators of 'use $([ $name = mpi_types ] && echo mpi_f08 || echo mpi)'"
    if [ -z "${MPIRUN-}" ] || ! command -v mpifort >/dev/null; then
        skip "$what" "there is no mpifort or no mpirun"
    elif ! echo "use $(sed -n 's/^    use \(mpi.*\)/\1/p' "$srcdir/tests/fortran/$name.f90"); end" >"$work/probe.f90" ||
        ! compile mpifort "$work/probe.f90" >/dev/null 2>&1; then
        skip "$what" "mpifort does not compile such a program"
    else
        run "$what" compile mpifort "$srcdir/tests/fortran/$name.f90"
        run "on 3 ranks" "$MPIRUN" -n 3 "$work/$name"
    fi
done
done_testing
