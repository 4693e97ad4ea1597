#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The prompt of the Python package, with errors and Ctrl-C, also by ./quickstart python; what ends a program of several
# ranks; an example; and the package that pip installs.

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
for example in heat.py deblur.py; do
    awk '/^prints$/ { inside = 1; next } /^"""/ { inside = 0 } inside && NF { print substr($0, 5) }' \
        "$srcdir/docs/examples/$example" >expected
    "$MPIRUN" -n 3 "$PYTHON" "$srcdir/docs/examples/$example" 2>errors | diff expected - >out
    check $? "$example prints what it says" "$(cat out errors)"
done

# ./quickstart python, with this build and with commands in PATH that would build or install something and do nothing
if [ -e "$srcdir/configure" ] && [ -z "${MPIRUN##*mpirun}" ]; then
    mkdir -p commands built
    for name in apt-get autoreconf make; do
        printf '#!/bin/sh\n' >"commands/$name" && chmod +x "commands/$name"
    done
    ln -s "$builddir/python" built/python
    ln -s "$builddir/.libs" built/.libs
    touch built/Makefile
    printf '%s\n' " PYTHON=$PYTHON" >built/quickstart.arguments
    said=$(echo 'print("ranks:", mp.nranks())' | env -u PYTHONPATH -u MANIPLE_LIBRARY -u QUICKSTART_CONFIGURE \
        PATH="$PWD/commands:$PATH" PYTHON="$PYTHON" BUILD_DIR="$PWD/built" "$srcdir/quickstart" python 2>&1)
    # what is said and what is printed are two streams, of which either may come first
    case $said in *"4 ranks"*"ranks: 4"* | *"ranks: 4"*"4 ranks"*) true ;; *) false ;; esac
    check $? "./quickstart python reads lines that 4 ranks run" "$said"
else
    skip "./quickstart python" "the source has no configure, or $MPIRUN is not mpirun"
fi

# The package as pip installs it, from a copy of what it is made from; nothing is fetched
if "$PYTHON" -c 'import setuptools, wheel, pip' 2>/dev/null ||
    "$PYTHON" -c 'import setuptools.command.bdist_wheel, pip' 2>/dev/null; then
    mkdir source && cp -R "$srcdir/python" "$srcdir/include" source && mkdir source/build-aux &&
        cp "$srcdir/build-aux/prototypes" "$srcdir/build-aux/call-table" source/build-aux && chmod -R u+w source
    run "pip installs the package" "$PYTHON" -m pip install --quiet --disable-pip-version-check \
        --root-user-action ignore --no-index --no-deps --no-build-isolation --target "$work/installed" "$work/source/python"
    cat >uses.py <<'E3'
# SPDX-License-Identifier: BSD-3-Clause
import maniple as mp, maniple.signal.windows, maniple.sparse.linalg, maniple.lib.stride_tricks
said = f"{mp.__file__} {float(mp.ones(4).sum())} {mp.signal.windows.hann(3).shape}"
if mp.rank() == 0:
    print(said)
E3
    said=$(PYTHONPATH="$work/installed" "$MPIRUN" -n 2 "$PYTHON" uses.py 2>&1)
    case $said in *"$work/installed/maniple/__init__.py 4.0 (3,)"*) true ;; *) false ;; esac
    check $? "which runs on 2 ranks" "$said"
else
    skip "pip installs the package" "$PYTHON has no pip, setuptools or wheel"
    skip "which runs on 2 ranks" "$PYTHON has no pip, setuptools or wheel"
fi

done_testing
