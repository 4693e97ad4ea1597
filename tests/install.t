#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An installed library works: the example of the README, compiled with the flags of pkg-config alone, runs on 2 ranks,
# and so does the installed command.

. "${srcdir:-.}/tests/tap.sh"

[ -n "${MPIRUN-}" ] || skip_all "there is no mpirun"
"${PKG_CONFIG:-pkg-config}" --version >/dev/null 2>&1 || skip_all "there is no pkg-config"

stage=$(mktemp -d) || exit 1
trap 'rm -rf "$stage"' EXIT

# variable NAME: a folder's path as configure was told
variable()
{
    sed -n "s/^$1=//p" "$builddir/maniple.pc"
}
prefix=$stage$(variable prefix)

# shellcheck disable=SC2317  # it is called, by way of run
compile_example()
{
    # pkg-config is to read the stage as if it were the root folder
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig "${PKG_CONFIG:-pkg-config}" --define-variable=prefix="$prefix" \
        --cflags --libs maniple) || return
    # shellcheck disable=SC2086  # several words each
    $CC -std=c11 -Wall -Wextra -Werror -o "$stage/example" "$srcdir/docs/examples/hello.c" $flags $LDFLAGS
}

# The outer make's options are not for this one
run "make install" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "$MAKE" -C "$builddir" install DESTDIR="$stage"
libdir=$(dirname "$(find "$stage" -name 'libmaniple.so' | head -n 1)")
check "$([ -e "$libdir/pkgconfig/maniple.pc" ]; echo $?)" "the library is installed, and maniple.pc beside it"

awk '/^```/ { inside = $0 == "```c"; next } inside' "$srcdir/README.md" >"$stage/readme.c"
run "the README shows docs/examples/hello.c as it is" sh -c "tail -n +2 \"$srcdir/docs/examples/hello.c\" | diff - \"$stage/readme.c\""
run "it compiles against the library" compile_example
run "it runs on 2 ranks" "$MPIRUN" -n 2 "$stage/example"
# the command knows the library where it was to be installed, which the stage is not
run "the installed command runs" env LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$prefix/bin/maniple" --version
done_testing
