#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of docs/examples/programs, each of which solves a problem: see tests/examples.sh.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/examples.sh"

examples "$srcdir/docs/examples/programs" 1 3 ${MANIPLE_TEST_FULL:+2 4}
done_testing
