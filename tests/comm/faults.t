#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank that is killed, or leaves, in the middle of work: every other rank gets MNP_ERR_PEER, with a sentence that names
# it, and not the deadline, and ends by itself.  That takes a second; the limits are only against hanging.

. "${srcdir:-.}/tests/tap.sh"

program=$builddir/tests/comm/faults
[ -n "$MPIRUN" ] || skip_all "there is no mpirun"
[ -x "$program" ] || skip_all "$program was not built"

# A launcher ends the whole job with a rank that dies, unless it is asked not to: Open MPI, MPICH.  That of MPICH 4.0 does
# so all the same where a signal has ended the rank.
# shellcheck disable=SC2016  # the ranks' variables
for option in --enable-recovery -disable-auto-cleanup; do
    "$MPIRUN" "$option" -n 2 sh -c '[ "${OMPI_COMM_WORLD_RANK-}${PMI_RANK-}" != 1 ] || kill -9 $$; sleep 1; echo survived' \
        2>/dev/null | grep -q survived && recovery=$option && break
done
[ -n "$recovery" ] || skip_all "this mpirun ends all ranks when one dies"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
output=$work/output FAULTS_FOLDER=$work/found
export FAULTS_FOLDER
device=host limit=300 compares=

# run RANKS HOW WHERE [NAME=VALUE...]
run()
{
    ranks=$1 how=$2 where=$3
    shift 3
    rm -rf "$FAULTS_FOLDER"
    mkdir "$FAULTS_FOLDER"
    timeout "$limit" env "$@" MANIPLE_DEVICE=$device "$MPIRUN" ${recovery:+"$recovery"} -n "$ranks" "$program" "$how" "$where" \
        >"$output" 2>&1
}

# says RANK PATTERN: what that rank says when a call fails, and that it ends
says()
{
    grep -q "^rank $1: $2" "$output" &&
        grep -q "^rank $1: later MNP_ERR_PEER, freed memory left alone" "$output" && grep -q "^rank $1: over" "$output"
}

# survive RANKS HOW WHERE PATTERN [NAME=VALUE...]: what every rank but 1 says matches PATTERN, and rank 1 hears of it if it
# is only late
survive()
{
    pattern=$4 words="$2, $3 on $1 ranks"
    ranks=$1 how=$2 where=$3
    shift 4
    run "$ranks" "$how" "$where" "$@"
    status=0
    ! grep "kernels go on waiting" "$output" || status=1
    for rank in 0 2 3; do
        [ "$rank" -ge "$ranks" ] || says "$rank" "$pattern" || status=1
    done
    [ "$how" != late ] || says 1 'MNP_ERR_PEER .* gave up waiting' || status=1
    [ "$how" != stop ] || says 1 'MNP_ERR_PEER .*: rank 1 is stopped, as rank [02] found' || status=1
    check "$status" "$device: $words${1+, $*}" "$(cat "$output")"
}

ended='MNP_ERR_PEER after [0-9]*\.[0-9] s: \(mnp_[a-z_]*: \)\{0,1\}rank 1 has ended'
survive 2 kill agree "$ended"
survive 4 exit agree "$ended"
survive 3 kill redistribute "$ended"
survive 3 exit sum "$ended"
survive 3 kill take "$ended"
survive 3 kill exchange "$ended"
survive 3 kill small "$ended"
survive 3 kill all_reduce "$ended"
survive 2 kill all_to_all "$ended"

# A pretended node of ranks 0 and 1: rank 2 has it from rank 0
survive 3 kill redistribute "$ended" MANIPLE_NODE_SIZE=2
survive 4 exit all_reduce "$ended" MANIPLE_NODE_SIZE=2

# A rank that is no peer, or is late: the rank that waits for its message gives up at the deadline, and tells the others
late='MNP_ERR_\(TIMEOUT\|PEER\) after [0-9]*\.[0-9] s: .*\(rank 1 did not take part\|gave up waiting for rank 1\)'
survive 3 kill exchange "$late" MANIPLE_NODE_SIZE=1 MANIPLE_DEADLINE=1
survive 3 late exchange "$late" MANIPLE_DEADLINE=1
survive 3 late kernel "$late"
# A rank that is stopped is told from one that is busy, in waits that last as long as it takes
survive 3 stop agree 'MNP_ERR_PEER after \([2-9]\|[1-9][0-9]\{1,\}\)\.[0-9] s: \(mnp_[a-z_]*: \)\{0,1\}rank 1 is stopped.*: it has not moved for 2 seconds' MANIPLE_DEADLINE=2
option=$recovery recovery= # the launcher is to end the job
run 3 stop barrier MANIPLE_DEADLINE=2
status=$?
recovery=$option
[ $status -ne 0 ] && [ $status -ne 124 ] &&
    [ "$(grep -c '^maniple: rank 1 is stopped: .*, and waiting at a barrier cannot go on without it$' "$output")" -eq 1 ]
check $? "where MPI waits for it the job ends, with one sentence" "$status $(cat "$output")"
# one that is busy has a deadline of its own
survive 2 late agree 'MNP_ERR_TIMEOUT after \([3-9]\|[1-9][0-9]\{1,\}\)\.[0-9] s: \(mnp_[a-z_]*: \)\{0,1\}rank 1 has been busy for 4 seconds' MANIPLE_DEADLINE=1 \
    MANIPLE_BUSY_DEADLINE=3
# but a debug build compares arguments in every call, and that waits as long as it takes
! grep -q -e -DMNP_DEBUG "$builddir/Makefile" || compares=yes
if [ -z "$compares" ]; then
    survive 3 late redistribute "$late" MANIPLE_DEADLINE=1
    survive 3 late take "$late" MANIPLE_DEADLINE=1
    survive 2 late small "$late" MANIPLE_DEADLINE=1
fi

# A value that Python broadcasts waits in MPI itself, which has no deadline
library=$builddir/.libs/libmaniple.so
: "${PYTHON=$("$srcdir/tests/find-python")}"
if [ -z "$PYTHON" ] || [ ! -e "$library" ] || grep -q -e -DMNP_SANITIZERS "$builddir/Makefile"; then
    skip "mp.comm.bcast names a rank that is stopped" "there is no Python with NumPy, or no library that it can load"
else
    cat >"$work/bcast.py" <<'END'
import os
import signal

import maniple as mp

mp.ones(10).sum().item()
if mp.rank() == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
mp.comm.bcast("a value" if mp.rank() == 1 else None, root=1)
END
    timeout "$limit" env MANIPLE_DEVICE=host MANIPLE_DEADLINE=2 PYTHONPATH="$builddir/python" MANIPLE_LIBRARY="$library" \
        PYTHONDONTWRITEBYTECODE=1 "$MPIRUN" -n 3 "$PYTHON" "$work/bcast.py" >"$output" 2>&1
    status=$?
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ] &&
        grep -q 'rank 1 is stopped: it has not moved for [0-9]* seconds (MANIPLE_DEADLINE)' "$output"
    check $? "mp.comm.bcast names a rank that is stopped" "status $status, $(cat "$output")"
fi

# The same where GPUs wait, by kernels or in NCCL, which does not tell for whom
if MANIPLE_DEVICE=cuda "${MANIPLE:-$builddir/apps/maniple}" info >/dev/null 2>&1; then
    device=cuda
    late='MNP_ERR_\(TIMEOUT\|PEER\) after [0-9]*\.[0-9] s: .*\(did not take part\|gave up waiting\)'
    survive 2 kill redistribute "$ended"
    survive 4 exit redistribute "$ended"
    survive 2 exit sum "$ended"
    survive 3 kill small "$ended"
    survive 2 kill all_reduce "$ended"
    survive 2 kill all_to_all "$ended"
    survive 2 kill exchange "$ended"
    if [ -z "$compares" ]; then
        # NCCL takes longer than a second to start
        survive 2 late redistribute "$late" MANIPLE_DEADLINE=4
        survive 2 late small "$late" MANIPLE_DEADLINE=4
    fi
fi

done_testing
