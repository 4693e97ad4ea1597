#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The prompt of the Python package, with errors and Ctrl-C; what ends a program of several ranks; and an example.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
[ -n "${MPIRUN-}" ] || skip_all "there is no mpirun"
nm -D "$builddir/.libs/libmaniple.so" 2>/dev/null | grep -q __asan_init && skip_all "Python is not made for sanitizers"
export PYTHONPATH="$builddir/python" MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so"
export PYTHONPYCACHEPREFIX="$builddir/tests/pycache" PYTHONDONTWRITEBYTECODE=

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

said=$(printf '%s\n' 'x = mp.arange(5)' '1/0' 'for i in range(2):' '    mp.show(x + i)' '' 'float(x.sum())' |
    "$MPIRUN" -n 3 "$PYTHON" -m maniple 2>&1)
case $said in *"3 ranks"*"[0 1 2 3 4]"*"[1 2 3 4 5]"*10.0*) true ;; *) false ;; esac
check $? "the prompt runs lines on all ranks" "$said"
check "$([ "$(printf '%s\n' "$said" | grep -c ZeroDivisionError)" -eq 1 ]; echo $?)" "an error comes once, and the prompt goes on" "$said"

# Ctrl-C, where mpirun hands on what is typed, as that of Open MPI does
if "$MPIRUN" --version 2>&1 | grep -q 'Open MPI' && [ -e /proc/self/fd/0 ]; then
    check_points "$PYTHON" "$srcdir/tests/python/prompt.py" "$MPIRUN" -n 2 "$PYTHON" -m maniple
    check_points env HOME="$PWD" TERM=xterm "$PYTHON" "$srcdir/tests/python/prompt.py" --edits "$PYTHON" -m maniple -n 2
else
    skip "Ctrl-C at the prompt" "$MPIRUN is not that of Open MPI on Linux"
fi

cat >one_rank_fails.py <<'E2'
# SPDX-License-Identifier: BSD-3-Clause
import maniple as mp
x = mp.ones(10)
if mp.rank() == mp.nranks() - 1:
    raise RuntimeError("only here")
print(float(x.sum()))
E2
if "$MPIRUN" -n 2 "$PYTHON" one_rank_fails.py >out 2>&1; then failed=1; else grep -q "only here" out && failed=0 || failed=1; fi
check "$failed" "an exception on one rank ends all" "$(cat out)"
said=$(MANIPLE_LIBRARY=/not/there.so "$PYTHON" -c 'import maniple' 2>&1)
case $said in *"ImportError: libmaniple.so cannot be loaded"*"/not/there.so"*) true ;; *) false ;; esac
check $? "an import without the library says what is missing" "$said"
awk '/^prints$/ { inside = 1; next } /^"""/ { inside = 0 } inside && NF { print substr($0, 5) }' \
    "$srcdir/docs/examples/heat.py" >expected
"$MPIRUN" -n 3 "$PYTHON" "$srcdir/docs/examples/heat.py" 2>errors | diff expected - >out
check $? "heat.py prints what it says" "$(cat out errors)"

done_testing
