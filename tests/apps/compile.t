#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiling is a stage of its own: with a C++ compiler that takes seconds for one kernel, and an empty cache, neither the
# other stages nor the attributes of a solution have those seconds.  And the kernels of a run are compiled side by side.

. "${srcdir:-.}/tests/tap.sh"

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

# slow_command ARGUMENT...: runs a subcommand with a kernel that takes 4 seconds to compile
slow_command()
{
    rm -rf cache slept
    MANIPLE_LOG=debug MANIPLE_THREADS=16 "$MANIPLE" "$@" >report 2>&1 && [ -d slept ] && times_tell report
    check $? "$1: its report has compiling apart" "$(cat report)"
}

# rehearsed KERNELS: so many of the kernels of the run before, at least, were compiled by threads; others are compiled
# where they are needed before a thread has taken them
rehearsed()
{
    ahead=$(grep -c 'compiling .* with host, ahead$' report) all=$(grep -c 'compiling .* with host' report)
    [ "$ahead" -ge "$1" ]
    check $? "its kernels are compiled side by side: $ahead of $all" "$(cat report)"
}

slow_command random normal 100x100 -o data.h5:/x -s 1
slow_command stats data.h5:/x
rehearsed 4
slow_command conv data.h5:/x gauss:3x3@1 -o blurred.h5:/x
rehearsed 1
slow_command solve poisson:16x16 -o solved.h5:/x --method cg
rehearsed 6

if [ -n "$PYTHON" ]; then
    run "the attributes of a solution have compiling apart" "$PYTHON" - <<'END'
import h5py

with h5py.File("solved.h5") as file:
    told = dict(file["x"].attrs)
assert told["seconds_compile"] >= 3 > told["seconds"] > 0, told
END
else
    skip "the attributes of a solution have compiling apart" "there is no Python with h5py"
fi

done_testing
