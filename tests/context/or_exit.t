#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MNP_OR_EXIT ends the program with the sentence and the line of the program, printed once, and exit status 1; MNP_TRY
# passes the status of a call up to it, and what stands behind the call is not done.

. "${srcdir:-.}/tests/tap.sh"

source=$srcdir/tests/context/or_exit.c program=$builddir/tests/context/or_exit
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MANIPLE_LOG

# ends HOW SENTENCE [LAUNCHER...]: the program says this sentence and the line of the mark, and nothing else
ends()
{
    how=$1
    wanted="maniple: $2 (or_exit.c:$(grep -n "/\* $how \*/" "$source" | cut -d: -f1))"
    shift 2
    "$@" "$program" "$how" >"$work/out" 2>"$work/err"
    status=$?
    said=$(grep '^maniple:' "$work/err") # not warnings of the log
    check "$([ "$said" = "$wanted" ] && [ ! -s "$work/out" ]; echo $?)" \
        "$how: the sentence and the line${1+ on 2 ranks}" "wanted: $wanted
$(cat "$work/out" "$work/err")"
    check "$([ "$status" -eq 1 ]; echo $?)" "and exit status 1" "$status"
}

axis='mnp_sum: axis 5 is out of bounds for 1 dimension'
ends here "$axis"
ends passed "$axis"
ends alone "cannot read 'settings.txt'"
if [ -n "${MPIRUN-}" ]; then
    ends here "$axis" "$MPIRUN" -n 2
    ends passed "$axis" "$MPIRUN" -n 2
    ends alone "cannot read 'settings.txt'" "$MPIRUN" -n 2
fi
run "without a failure it comes to the end" "$program"
done_testing
