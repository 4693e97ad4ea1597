#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An installed library works, also after the installation has been moved: the example of the README, compiled with the
# flags of pkg-config alone and by CMake, in C and in C++, runs on 2 ranks, and so does the installed command; manual
# pages and examples are there.

. "${srcdir:-.}/tests/tap.sh"

[ -n "${MPIRUN-}" ] || skip_all "there is no mpirun"
"${PKG_CONFIG:-pkg-config}" --version >/dev/null 2>&1 || skip_all "there is no pkg-config"

stage=$(mktemp -d) || exit 1
trap 'rm -rf "$stage"' EXIT

# compile COMPILER OPTION... SOURCE: with what pkg-config says
# shellcheck disable=SC2317,SC2329  # it is called, by way of run
compile()
{
    flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig "${PKG_CONFIG:-pkg-config}" --cflags --libs maniple) || return
    # shellcheck disable=SC2086  # several words each
    "$@" -Wall -Wextra -Werror -o "$stage/example" $flags $LDFLAGS
}

# shellcheck disable=SC2317,SC2329
compile_with_cmake()
{
    mkdir "$stage/cmake" && cp "$srcdir/docs/examples/hello.c" "$stage/cmake" && cat >"$stage/cmake/CMakeLists.txt" <<'CMAKE' &&
cmake_minimum_required(VERSION 3.16)
project(hello C)
find_package(maniple 0.1 REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE maniple::maniple)
CMAKE
    CC=${CC#ccache } cmake -S "$stage/cmake" -B "$stage/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_FLAGS="$LDFLAGS" && cmake --build "$stage/cmake/build"
}

# The outer make's options are not for this one
run "make install" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "$MAKE" -C "$builddir" install DESTDIR="$stage/first"
mv "$stage/first" "$stage/moved"
command=$(find "$stage" -path '*/bin/maniple' | head -n 1)
prefix=${command%/bin/maniple}
libdir=$(dirname "$(find "$stage" -name 'libmaniple.so' | head -n 1)")
check "$([ -e "$libdir/pkgconfig/maniple.pc" ]; echo $?)" "the library is installed, and maniple.pc beside it"

awk '/^```/ { inside = $0 == "```c"; next } inside' "$srcdir/README.md" >"$stage/readme.c"
run "the README shows docs/examples/hello.c as it is" sh -c "tail -n +2 \"$srcdir/docs/examples/hello.c\" | diff - \"$stage/readme.c\""
# shellcheck disable=SC2086  # a compiler's name and flags may be several words
run "it compiles against the library" compile $CC -std=c11 "$srcdir/docs/examples/hello.c"
run "it runs on 2 ranks" "$MPIRUN" -n 2 "$stage/example"
run "the installed command runs where the installation has been moved" "$command" --version

if command -v "${CXX:-g++}" >/dev/null; then
    for standard in c++17 c++20; do
        # shellcheck disable=SC2086
        run "a program in $standard compiles and links" compile ${CXX:-g++} -std=$standard "$srcdir/tests/cplusplus.cc"
    done
    run "and runs on 2 ranks" "$MPIRUN" -n 2 "$stage/example"
    for standard in c++17 c++20; do
        # shellcheck disable=SC2086
        run "a program with maniple.hpp in $standard" compile ${CXX:-g++} -std=$standard "$srcdir/tests/maniple_hpp.cc"
    done
    run "runs on 2 ranks" "$MPIRUN" -n 2 "$stage/example"
else
    for point in "in C++17" "in C++20" "on 2 ranks" "maniple.hpp in C++17" "in C++20" "on 2 ranks"; do skip "a program in C++: $point" "there is no C++ compiler"; done
fi
if [ -n "${FC-}" ]; then
    # shellcheck disable=SC2317,SC2329
    compile_fortran()
    {
        flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig "${PKG_CONFIG:-pkg-config}" --cflags --libs maniple-fortran) || return
        # shellcheck disable=SC2086
        $FC $FCFLAGS -o "$stage/heat" "$srcdir/docs/examples/heat.f90" $flags $LDFLAGS
    }
    run "a program in Fortran compiles with the flags of maniple-fortran" compile_fortran
    run "and runs on 2 ranks" "$MPIRUN" -n 2 "$stage/heat"
    source=$(find "$stage" -name maniple.f90)
    run "the module compiles from its installed source" sh -c "mkdir \"$stage/own\" && cd \"$stage/own\" && $FC -c \"$source\""
else
    for point in "a program in Fortran" "on 2 ranks" "the module's source"; do skip "$point" "there is no module of Fortran"; done
fi
if command -v cmake >/dev/null; then
    run "CMake finds the package, and builds the example" compile_with_cmake
    run "which runs on 2 ranks" "$MPIRUN" -n 2 "$stage/cmake/build/hello"
else
    skip "CMake finds the package" "there is no cmake"
fi

pages=$(dirname "$(find "$stage/moved" -name mnp_sort.3)")
check "$(grep -q '^\.so man3/maniple_sort.3$' "$pages/mnp_sort.3"; echo $?)" "every function has a manual page" "$pages"
missing=$(sed -n 's/^| `\(mnp_[a-z0-9_]*\)(.*/\1/p' "$srcdir/docs/functions.md" | sort -u |
    while read -r name; do [ -e "$pages/$name.3" ] || echo "$name"; done)
check "$([ -z "$missing" ]; echo $?)" "also those of docs/functions.md" "$missing"
if command -v mandoc >/dev/null; then
    wrong=$(mandoc -T lint -W warning "$pages"/maniple_*.3 | grep -v 'missing date')
    check "$([ -z "$wrong" ]; echo $?)" "the pages are correct" "$wrong"
else
    skip "the pages are correct" "there is no mandoc"
fi
"$command" bench scan --case cumsum --elements 1000 --repeats 1 --plot "$stage" >"$stage/bench.txt" 2>&1
check "$(grep -q '^| cumsum, 1000 float32 |' "$stage/bench.txt"; echo $?)" "the command finds its scripts" "$(cat "$stage/bench.txt")"
check "$(find "$stage/moved" -path '*/share/maniple/bench/peers/record.py' | grep -q .; echo $?)" "which have the peers beside them"
check "$(find "$stage/moved" -path '*/examples/hello.c' | grep -q .; echo $?)" "the examples are installed"
table=$(find "$stage/moved" -path '*/share/doc/*' -name functions.md)
run "and the table of all functions" cmp "$srcdir/docs/functions.md" "$table"
check "$(find "$stage/moved" -path '*/share/modulefiles/maniple/[0-9]*.lua' | grep -q .; echo $?)" "so is the environment module"
done_testing
