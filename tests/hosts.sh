# SPDX-License-Identifier: BSD-3-Clause
# Sourced, after tap.sh, by tests of Python programs on two hosts: `hosts` is the script that runs a program on both.  A
# test that cannot run here is skipped.
# shellcheck shell=sh

hosts=$srcdir/tests/two-hosts
reason=$("$hosts" why)
[ -z "$reason" ] || skip_all "$reason"
[ -n "${PYTHON=$("$srcdir/tests/find-python")}" ] || skip_all "$(without_python)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
export PYTHONDONTWRITEBYTECODE=1 MANIPLE_DEVICE=host
