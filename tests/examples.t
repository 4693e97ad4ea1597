#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of docs/examples, which show a part of the library each: see tests/examples.sh.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/examples.sh"

examples "$srcdir/docs/examples" 3 ${MANIPLE_TEST_FULL:+1 2 4}
done_testing
