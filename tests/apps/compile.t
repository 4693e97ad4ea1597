#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiling is a stage of its own: with a C++ compiler that takes seconds for one kernel, and an empty cache, neither the
# other stages nor the attributes of a solution have those seconds.  And the kernels of a run are compiled side by side.

. "${srcdir:-.}/tests/tap.sh"

: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# A compiler that takes so many seconds longer for a kernel of the stage that computes
cat >slow-c++ <<'END'
#!/bin/sh
case "$*" in
*/step.cu* | */reduce.cu* | */conv_direct.cu* | */random.cu*) mkdir slept 2>/dev/null && sleep 4 ;;
esac
exec c++ "$@"
END
chmod +x slow-c++
command -v c++ >/dev/null || skip_all "there is no C++ compiler named c++"
export MANIPLE_DEVICE=host MANIPLE_CXX="$PWD/slow-c++" MANIPLE_CXXFLAGS=-O0 MANIPLE_CACHE_DIR="$PWD/cache"

# times_tell FILE: whether the report says that compiling took 3 seconds at least, and no other stage as long
times_tell()
{
    awk '$1 == "time" {
        sub(/^time */, ""); n = split($0, stages, ", ");
        for (i = 1; i <= n; i++) { split(stages[i], words, " "); good += (words[1] == "compile") == (words[2] >= 3); }
    } END { exit !(n > 1 && good == n); }' "$1"
}

# apart KERNELS ARGUMENT...: of a subcommand with a kernel that takes 4 seconds to compile, the report has compiling apart,
# and threads have compiled so many of its kernels at least; others are compiled where they are needed before a thread has
# taken them.  A machine that stands still for seconds can spoil both, so it may run again.
apart()
{
    least=$1
    shift
    for _ in 1 2 3 4 5; do
        rm -rf cache slept
        MANIPLE_LOG=debug MANIPLE_THREADS=16 "$MANIPLE" "$@" >report 2>&1
        status=$? ahead=$(grep -c 'compiling .* with host, ahead$' report) all=$(grep -c 'compiling .* with host' report)
        times_tell report
        told=$?
        [ "$status" -eq 0 ] && [ "$told" -eq 0 ] && [ "$ahead" -ge "$least" ] && break
    done
    [ "$status" -eq 0 ] && [ -d slept ] && [ "$told" -eq 0 ]
    check $? "$1: its report has compiling apart" "$(cat report)"
    [ "$ahead" -ge "$least" ]
    check $? "its kernels are compiled side by side: $ahead of $all" "$(cat report)"
}

apart 0 random normal 100x100 -o data.h5:/x -s 1
apart 4 stats data.h5:/x
apart 1 conv data.h5:/x gauss:3x3@1 -o blurred.h5:/x
apart 6 solve poisson:16x16 -o solved.h5:/x --method cg

if [ -n "$PYTHON" ]; then
    run "the attributes of a solution have compiling apart" "$PYTHON" - <<'END'
import h5py

with h5py.File("solved.h5") as file:
    told = dict(file["x"].attrs)
assert told["seconds_compile"] >= 3 > told["seconds"] > 0, told
END
else
    skip "the attributes of a solution have compiling apart" "$(without_python)"
fi

done_testing
