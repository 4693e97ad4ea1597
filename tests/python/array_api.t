#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The array API's own suite on 1 to 4 ranks, in make check-array-api: ARRAY_API_TESTS is a checkout of
# data-apis/array-api-tests, ARRAY_API_PYTHON a Python with its requirements, and ARRAY_API_EXAMPLES how many examples
# each point draws.  Ranks draw the same ones.  What is expected to fail is in array_api_failures.txt; any other failure
# fails, and a point of the list that passes is named.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}" "${ARRAY_API_PYTHON:=$PYTHON}" "${ARRAY_API_EXAMPLES:=5}"
[ -n "${ARRAY_API_TESTS-}" ] || skip_all "ARRAY_API_TESTS names no checkout of data-apis/array-api-tests"
[ -d "$ARRAY_API_TESTS/array_api_tests" ] || skip_all "$ARRAY_API_TESTS is no checkout of data-apis/array-api-tests"
"$ARRAY_API_PYTHON" -c 'import pytest, hypothesis' 2>/dev/null ||
    skip_all "$ARRAY_API_PYTHON has no pytest and hypothesis: see ARRAY_API_PYTHON"
[ -n "${MPIRUN-}" ] || skip_all "there is no mpirun"

export PYTHONPATH="$builddir/python:$srcdir/tests/python" PYTHONDONTWRITEBYTECODE=1
export MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so"
export ARRAY_API_TESTS_MODULE=maniple ARRAY_API_PYTHON ARRAY_API_EXAMPLES
here=$PWD
export here
cd "$ARRAY_API_TESTS" || exit 1

# shellcheck disable=SC2016  # the ranks' variables
for ranks in 1 2 3 4; do
    # DLPack has no arrays that are spread over ranks
    without=
    [ "$ranks" -eq 1 ] || without=--deselect=array_api_tests/test_dlpack.py
    "$MPIRUN" -n "$ranks" sh -c '
        exec "$ARRAY_API_PYTHON" -m pytest -p no:cacheprovider -p array_api_seed -q --tb=short -rfEX \
            --hypothesis-seed=0 --derandomize --disable-deadline --max-examples "$ARRAY_API_EXAMPLES" \
            --xfails-file "$srcdir/tests/python/array_api_failures.txt" "$@" array_api_tests \
            >"$here/array_api.$OMPI_COMM_WORLD_RANK" 2>&1' sh ${without:+"$without"} 2>"$here/array_api.errors"
    status=$?
    check "$status" "on $ranks rank(s): $(tail -n 1 "$here/array_api.0")" \
        "$(grep -hE '^(FAILED|ERROR|E  )' "$here"/array_api.[0-9]* | head -n 40; cat "$here/array_api.errors")"
    sed -n 's/^XPASS/# passes, and is in the list:/p' "$here/array_api.0"
    rm -f "$here"/array_api.[0-9]* "$here/array_api.errors"
done
cd "$here" || exit 1
done_testing
