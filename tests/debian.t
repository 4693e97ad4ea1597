#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages: they build, Lintian has nothing against them, they hold what they should, and what they hold runs
# where they are unpacked: the command, a program that is compiled with them, and the Python package.

. "${srcdir:-.}/tests/tap.sh"

for tool in dpkg-buildpackage dh lintian; do
    command -v "$tool" >/dev/null || skip_all "there is no $tool"
done
export DEB_BUILD_PROFILES=nocheck
missing=$(dpkg-checkbuilddeps "$srcdir/packages/debian/control" 2>&1) || skip_all "${missing#*error: }"
[ -n "${MPIRUN-}" ] || skip_all "there is no mpirun"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
root=$work/root
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# the variables of make check are not for this build; with less optimisation, and without what debuggers know, it takes
# less time
run "the packages build, and Lintian has nothing against them" env -i PATH="$PATH" HOME="$work" TMPDIR="$work" \
    DEB_CFLAGS_APPEND="-O1 -g0" DEB_FFLAGS_APPEND=-O1 \
    DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" "$srcdir/packages/build-deb" -o "$work/debs"
for name in libmaniple0 libmaniple-dev maniple python3-maniple; do
    run "there is $name" sh -c "dpkg-deb -x \"$work/debs/${name}_\"*.deb \"$root\""
done
[ "$tap_failed" -eq 0 ] || done_testing

libdir=$(dirname "$(find "$root" -name 'libmaniple.so.0')")
export LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" MANIPLE_CACHE_DIR="$work/cache"
run "the command runs" "$root/usr/bin/maniple" info
said=$("$MPIRUN" --oversubscribe -n 2 "$root/usr/bin/maniple" eval -q 'sum(0 * x + 1)' x=gauss:3x15@5 2>&1)
check "$([ "$said" = 45 ]; echo $?)" "and computes on 2 ranks" "$said"

# shellcheck disable=SC2317,SC2329  # it is called, by way of run
compile()
{
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs "$1") || return
    shift
    # shellcheck disable=SC2086  # several words
    "$@" $flags -o "$work/program"
}

run "hello.c compiles with the packages alone" compile maniple gcc "$root/usr/share/doc/maniple/examples/hello.c"
run "and runs on 2 ranks" "$MPIRUN" --oversubscribe -n 2 "$work/program"
run "heat.f90 compiles with them" compile maniple-fortran gfortran "$root/usr/share/doc/maniple/examples/heat.f90"
run "and runs on 2 ranks" "$MPIRUN" --oversubscribe -n 2 "$work/program"
said=$(readelf -d "$root/usr/bin/maniple" "$work/program" | grep -e RPATH -e RUNPATH)
check "${#said}" "neither the command nor a program names folders of libraries" "$said"

packages=$root/usr/lib/python3/dist-packages
export PYTHONPATH="$packages" MANIPLE_LIBRARY="$libdir/libmaniple.so.0" PYTHONDONTWRITEBYTECODE=1
said=$("$MPIRUN" --oversubscribe -n 2 /usr/bin/python3 -c \
    'import maniple as mp; x = mp.arange(10).sum().item(); print(x) if mp.rank() == 0 else None' 2>&1)
check "$([ "$said" = 45 ]; echo $?)" "the Python package computes on 2 ranks" "$said"
version=$(sed -n '1s/^maniple (\(.*\)-.*/\1/p' "$srcdir/packages/debian/changelog")
said=$(/usr/bin/python3 -c 'import importlib.metadata; print(importlib.metadata.version("maniple"))' 2>&1)
check "$([ "$said" = "$version" ]; echo $?)" "Python knows its version" "$said"

for file in usr/share/man/man1/maniple-conv.1.gz usr/share/man/man3/mnp_sort.3.gz usr/share/doc/maniple/examples/jobs/site.sh \
    usr/include/maniple.hpp usr/include/maniple/maniple.mod; do
    check "$([ -e "$root/$file" ] || [ -L "$root/$file" ]; echo $?)" "there is /$file"
done
done_testing
