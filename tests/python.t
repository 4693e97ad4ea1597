#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python package beside NumPy and SciPy, its stubs and documents: see python/package.py and python/documents.py.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
[ -n "${MPIRUN-}" ] || skip_all "there is no mpirun"
nm -D "$builddir/.libs/libmaniple.so" 2>/dev/null | grep -q __asan_init && skip_all "Python is not made for sanitizers"
export PYTHONPATH="$builddir/python" MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so"
export PYTHONPYCACHEPREFIX="$builddir/tests/pycache" PYTHONDONTWRITEBYTECODE=

check_points "$PYTHON" "$srcdir/tests/python/documents.py"
# make check has two, .ci/run three in one of its turns, and what is called is tested on four by itself
all_ranks=${MANIPLE_TEST_PACKAGE_RANKS:-2}
[ -z "${MANIPLE_TEST_FULL-}" ] || all_ranks='1 3'
for ranks in $all_ranks; do
    check_points "$MPIRUN" -n "$ranks" "$PYTHON" "$srcdir/tests/python/package.py"
done

reason=$("$PYTHON" "$srcdir/tests/python/communicators.py" --why-not)
if [ -z "$reason" ]; then
    check_points "$MPIRUN" -n 4 "$PYTHON" "$srcdir/tests/python/communicators.py"
else
    skip "communicators of mpi4py" "$reason"
fi

# blocks of other libraries, on a GPU; MANIPLE_DEVICE=host leaves GPUs out
for library in cupy torch jax; do
    reason=$("$PYTHON" "$srcdir/tests/python/gpu_blocks.py" "$library" --why-not)
    [ "${MANIPLE_DEVICE-}" != host ] || reason="MANIPLE_DEVICE=host"
    if [ -n "$reason" ]; then
        skip "blocks of $library" "$reason"
        continue
    fi
    for ranks in 1 2; do
        check_points "$MPIRUN" -n "$ranks" "$PYTHON" "$srcdir/tests/python/gpu_blocks.py" "$library"
    done
done

done_testing
