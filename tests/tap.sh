# SPDX-License-Identifier: BSD-3-Clause
# Sourced by tests that are shell scripts: counts and prints their TAP lines.  A test calls `check` or `run` for every
# point and `done_testing` at the end.  Run by hand, a test takes the folder it lies in and the current folder for the
# build; make check sets both.
# shellcheck shell=sh

: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}" "${builddir:=$PWD}"
tap_count=0
tap_failed=0

# skip_all REASON: ends the test, which cannot run here
skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# without_python: why no Python was found, as a reason to skip what needs it
without_python()
{
    "$srcdir/tests/find-python" --why
}

# skip DESCRIPTION REASON: a point that cannot run here
skip()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# check STATUS DESCRIPTION [DETAILS]: a point that holds if STATUS is 0; DETAILS are shown if not
check()
{
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        tap_failed=1
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
    fi
}

# run DESCRIPTION COMMAND...: a point that holds if the command succeeds; its output is shown if not
run()
{
    tap_description=$1
    shift
    tap_status=0
    tap_output=$("$@" 2>&1) || tap_status=$?
    check "$tap_status" "$tap_description" "$tap_output"
}

# check_points COMMAND...: the points that a program prints as "ok - DESCRIPTION" or "not ok - DESCRIPTION", and one for
# its end
check_points()
{
    tap_status=0
    tap_errors=$(mktemp) # tests that run side by side may have one folder
    tap_output=$("$@" 2>"$tap_errors") || tap_status=$?
    while IFS= read -r tap_line; do
        case $tap_line in
            'ok - '*) check 0 "${tap_line#ok - }" ;;
            'not ok - '*) check 1 "${tap_line#not ok - }" ;;
            '#'*) printf '%s\n' "$tap_line" ;;
        esac
    done <<END
$tap_output
END
    check "$tap_status" "$* ran to its end" "$(cat "$tap_errors")"
    rm -f "$tap_errors"
}

# later DESCRIPTION WORD...: a point that one program checks with all others, as its start takes longer than the check.
# The test must have a folder of its own.
later()
{
    tap_line=$1
    shift
    for tap_word in "$@"; do
        tap_line="$tap_line$(printf '\t')$tap_word"
    done
    printf '%s\n' "$tap_line" >>later.list
}

# check_later COMMAND...: the program, which is given the file of all points: a line each, with tabs between the words
check_later()
{
    check_points "$@" later.list
    rm -f later.list
}

done_testing()
{
    echo "1..$tap_count"
    exit "$tap_failed"
}
