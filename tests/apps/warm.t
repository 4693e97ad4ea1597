#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple cache --warm: a session of common operations finds all of its kernels in the cache, on small and large arrays.

. "${srcdir:-.}/tests/tap.sh"

: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

export MANIPLE_CACHE_DIR="$work/cache" MANIPLE_DEVICE=host MANIPLE_CXXFLAGS=-O0 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$builddir/python" MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so"

# bools have the fewest kernels, and all that others have in common
"$MANIPLE" cache --warm bool --json >other.txt 2>other.err &
"$MANIPLE" cache --warm bool >report.txt 2>stderr && wait $! && [ ! -s stderr ] && [ ! -s other.err ] &&
    grep -qE "^added to .*/cache: [0-9]+ kernels?, [0-9.]+ [KM]iB$" report.txt
check $? "the kernels of operations on bools are compiled, by two commands side by side" "$(cat report.txt stderr other.err)"
find cache -name '*.kernel' | sort >before.txt
here=$(sed 's/.*: \([0-9]*\) kernels*,.*/\1/' report.txt)
there=$(sed -n 's/.*"files": \([0-9]*\).*/\1/p' other.txt)
[ "$here" -gt 0 ] && [ "$there" -gt 0 ] && [ $((here + there)) -eq "$(wc -l <before.txt)" ]
check $? "each of which counts what it has compiled itself" "$here and $there of $(wc -l <before.txt)"

"$PYTHON" - >session.txt 2>&1 <<'EOF'
import maniple as mp
for length in (100, 300000):
    x = mp.arange(length) > 50
    y, a = ~x, mp.zeros((length // 100 + 2, 100), bool)
    a[0] = True
    for made in (x & y, x | y, x ^ y, x == y, x != y, x[::2], x[::-1], x[x], a.T.copy(), a & a[0], mp.where(x, x, y),
                 mp.sort(x), mp.concatenate([x, y]), mp.take(x, mp.arange(16))):
        assert made.dtype == bool
    x[::2] = False
    x[y] = True
    for reduced in (x.sum(), x.any(), x.all(), x.max(), x.mean(), x.argmax(), a.sum(axis=0), a.any(axis=1),
                    mp.count_nonzero(a)):
        reduced.numpy()
EOF
check $? "a session on bools" "$(cat session.txt)"
find cache -name '*.kernel' | sort >after.txt
# numbers from 0 on and their comparison are of int64, which was not asked for
grep -v -e arange -e greater after.txt >wanted.txt
comm -13 before.txt wanted.txt >missing.txt
[ ! -s missing.txt ]
check $? "which compiles none of its kernels" "$(cat missing.txt)"

"$MANIPLE" cache --warm bool --json >again.txt 2>stderr && grep -q '"files": 0' again.txt
check $? "a second time there is nothing to compile" "$(cat again.txt stderr)"

# fails PATTERN SETTING...: nothing is compiled, or kept, which is told in one sentence, behind which may be the compiler's
fails()
{
    pattern=$1 status=0
    shift
    env "$@" "$MANIPLE" cache --warm bool >report.txt 2>stderr || status=$?
    [ "$status" -eq 1 ] && [ ! -s report.txt ] && [ "$(grep -c '^maniple' stderr)" -eq 1 ] && grep -q "$pattern" stderr
    check $? "a failure: $pattern" "$status $(cat report.txt stderr)"
}
mkdir open && chmod 777 open
fails 'cache .*/open cannot be used .*others cannot write in' MANIPLE_CACHE_DIR="$work/open" MANIPLE_LOG=error
fails 'no-such-option' MANIPLE_CACHE_DIR="$work/without" MANIPLE_CXXFLAGS=--no-such-option
fails "there is no '/no/such/compiler'" MANIPLE_CACHE_DIR="$work/without" MANIPLE_CXX=/no/such/compiler
[ -z "$(find open without -name '*.kernel' 2>/dev/null)" ]
check $? "and no kernel is there" "$(ls open without)"

# refused PATTERN ARGUMENT...: a mistake in the command line, in one sentence
refused()
{
    pattern=$1 status=0
    shift
    "$MANIPLE" cache "$@" >report.txt 2>stderr || status=$?
    [ "$status" -eq 2 ] && [ ! -s report.txt ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -q "$pattern" stderr
    check $? "cache $* is refused" "$status $(cat report.txt stderr)"
}
refused "'foo' is not a dtype; there are bool, " --warm float64,foo
refused "'' is not a dtype; there are bool, " --warm float64,
refused "'' is not a dtype; there are bool, " --warm ''
refused 'ask for different things' --warm float64 --clear
refused 'ask for different things' --warm float64 --size
done_testing
