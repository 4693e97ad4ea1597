# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# Sourced by the tests of what the command refuses, after tap.sh.  They work in a folder of their own, and every refusal
# is one sentence by one rank, in time, which leaves no trace in that folder.

: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# on RANKS COMMAND...: one rank runs without mpirun
on()
{
    ranks=$1
    shift
    if [ "$ranks" = 1 ]; then
        timeout 300 "$@"
    else
        timeout 300 "$MPIRUN" -n "$ranks" "$@"
    fi
}

# Names and contents of all files here, and the folders
snapshot()
{
    find . -print -type f -exec cksum {} + | sort
}

# fails_on RANKS STATUS PATTERN COMMAND...: the command's sentence has the pattern, and it touches nothing
fails_on()
{
    ranks=$1 expected=$2 pattern=$3
    shift 3
    before=$(snapshot)
    # Open MPI's mpirun lets a second pass for the other ranks when one has ended with a status; these end by themselves
    output=$(export OMPI_MCA_odls_base_sigkill_timeout=0 && on "$ranks" "$@" 2>&1)
    status=$?
    lines=$(printf '%s\n' "$output" | grep '^maniple: ')
    if [ "$status" -ne "$expected" ]; then
        echo "status $status instead of $expected"
    elif [ "$(printf '%s\n' "$lines" | wc -l)" -ne 1 ] || ! printf '%s\n' "$lines" | grep -q -e "$pattern"; then
        echo "not one sentence with '$pattern'"
    elif printf '%s\n' "$lines" | grep -q 'mnp_[a-z]'; then
        echo "the sentence names a function of C"
    elif [ "$ranks" = 1 ] && [ "$1" = "$MANIPLE" ] && [ "$(printf '%s\n' "$output" | grep -v '^    ')" != "$lines" ]; then
        # indented lines show the place; mpirun has words of its own
        echo "more than one sentence"
    elif [ "$(snapshot)" != "$before" ]; then
        echo "files have changed:"
        snapshot
    else
        return 0
    fi
    printf '%s\n' "$output"
    return 1
}

# fails STATUS PATTERN COMMAND...: so on 1 rank and on 3
fails()
{
    description="$4 $5 $6 $7 $8 $9"
    for ranks in 1 3; do
        if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
            skip "on $ranks ranks: $description" "there is no mpirun"
            continue
        fi
        details=$(fails_on "$ranks" "$@")
        check $? "on $ranks rank(s): $description" "$details"
    done
}

# fails_alone STATUS PATTERN COMMAND...: on 1 rank, for what only the parsing of one word tells from what `fails` has shown
fails_alone()
{
    description="$4 $5 $6 $7 $8 $9"
    details=$(fails_on 1 "$@")
    check $? "on 1 rank: $description" "$details"
}

# conv STATUS PATTERN ARGUMENT...
conv()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" conv "$@"
}

# conv_alone STATUS PATTERN ARGUMENT...: so of conv
conv_alone()
{
    status=$1 pattern=$2
    shift 2
    fails_alone "$status" "$pattern" "$MANIPLE" conv "$@"
}

# The files that the tests name as inputs
made=$("$MANIPLE" conv dirac:24x20/4 hanning:3x3 -o in.h5:/x -q 2>&1 &&
    "$MANIPLE" conv dirac:3x4/3 hanning:1x1 --dtype float64 -o in.h5:/deep/kernel -q 2>&1)
check $? "the files of this test" "$made"
ln -s in.h5 link.h5
ln -s in.h5 link.png

has_png()
{
    grep -q '^#define HAVE_PNG 1' "$builddir/config.h"
}
