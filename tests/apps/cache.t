#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple cache: lists the kernels of the cache, tells their size, and clears them and nothing else.

. "${srcdir:-.}/tests/tap.sh"

: "${MANIPLE:=$builddir/apps/maniple}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

export MANIPLE_CACHE_DIR="$work/the cache" MANIPLE_DEVICE=host

# prints PATTERN COMMAND...: the command succeeds, is silent on stderr, and prints that
prints()
{
    pattern=$1
    shift
    output=$("$@" 2>stderr) && [ ! -s stderr ] && printf '%s\n' "$output" | grep -q -e "$pattern"
    check $? "$(basename "$1") $2 $3 prints '$pattern'" "$output$(cat stderr)"
}

prints 'the cache: 0 kernels, 0 bytes' "$MANIPLE" cache
prints 'removed from .*/the cache: 0 kernels, 0 bytes' "$MANIPLE" cache --clear
[ ! -e "$MANIPLE_CACHE_DIR" ]
check $? "a cache that is not there is not made"

"$MANIPLE" conv dirac:30x20/5 hanning:3x3 -o out.h5:/y -q
prints '^conv_direct  *host  *[^ ]*  *[0-9.]* [KM]iB  [0-9]* s$' "$MANIPLE" cache
prints 'the cache: [1-9][0-9]* kernels\{0,1\}, [0-9.]* [KM]iB' "$MANIPLE" cache --size
[ "$("$MANIPLE" cache -s | wc -l)" -eq 1 ]
check $? "--size prints one line"

for name in fft.choices fftw-0123456789abcdef.wisdom fftwf-0123456789abcdef.wisdom; do
    echo measured >"$MANIPLE_CACHE_DIR/$name"
done
echo other >"$MANIPLE_CACHE_DIR/my.choices"
echo other >"$MANIPLE_CACHE_DIR/my.wisdom"
echo precious >precious
echo other >"$MANIPLE_CACHE_DIR/notes.txt"
ln -s "$work/precious" "$MANIPLE_CACHE_DIR/host-link-0123456789abcdef.kernel"
echo half >"$MANIPLE_CACHE_DIR/host-half-0123456789abcdef.kernel.mnp1-2-3.Ab12Cd"
touch "$MANIPLE_CACHE_DIR/host-half-0123456789abcdef.kernel.lock"
prints '^?  ' "$MANIPLE" cache
if [ -n "${MPIRUN-}" ]; then
    prints 'removed from .*/the cache: [1-9][0-9]* kernels, ' "$MPIRUN" -n 2 "$MANIPLE" cache --clear
else
    prints 'removed from .*/the cache: [1-9][0-9]* kernels, ' "$MANIPLE" cache --clear
fi
[ "$(cat precious)" = precious ] && [ "$(cd "$MANIPLE_CACHE_DIR" && echo *)" = 'my.choices my.wisdom notes.txt' ]
check $? "only kernels and what was measured were removed" "$(ls -l "$MANIPLE_CACHE_DIR")"
run "kernels are compiled again" "$MANIPLE" conv dirac:30x20/5 hanning:3x3 -o out.h5:/y -q
prints '^conv_direct ' "$MANIPLE" cache

"$MANIPLE" cache everything >out 2>&1
[ $? -eq 2 ] && grep -q "cache takes no operand, but was given 'everything'" out
check $? "an operand is refused" "$(cat out)"
"$MANIPLE" cache --cleer >out 2>&1
[ $? -eq 2 ] && grep -q 'did you mean --clear' out
check $? "a misspelt option is refused" "$(cat out)"
echo x >file
MANIPLE_CACHE_DIR=$work/file "$MANIPLE" cache >out 2>&1
[ $? -eq 1 ] && grep -q 'cannot read the kernel cache .*/file: Not a directory' out
check $? "a cache that is no folder is an error" "$(cat out)"

done_testing
