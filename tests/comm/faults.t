#!/bin/sh
# A rank that is killed, or leaves, in the middle of work: every other rank gets MNP_ERR_PEER, with a sentence that names
# it, within seconds, and comes to its own end.

. "${srcdir:-.}/tests/tap.sh"

program=$builddir/tests/comm/faults
[ -n "$MPIRUN" ] || skip_all "there is no mpirun"
[ -x "$program" ] || skip_all "$program was not built"

# A launcher ends the whole job with a rank that dies, unless it is asked not to: Open MPI, MPICH
for option in --enable-recovery -disable-auto-cleanup; do
    "$MPIRUN" "$option" -n 2 true >/dev/null 2>&1 && recovery=$option && break
done
[ -n "$recovery" ] || skip_all "this mpirun ends all ranks when one dies"

output=$(mktemp)
trap 'rm -f "$output"' EXIT

# survive RANKS HOW WHERE PATTERN [NAME=VALUE...]: what every rank but 1 says matches PATTERN
survive()
{
    ranks=$1 how=$2 where=$3 pattern=$4
    shift 4
    timeout 15 env "$@" MANIPLE_DEVICE=host "$MPIRUN" "$recovery" -n "$ranks" "$program" "$how" "$where" >"$output" 2>&1
    status=0
    for rank in 0 2 3; do
        [ "$rank" -lt "$ranks" ] || continue
        grep -q "^rank $rank: $pattern" "$output" &&
            grep -q "^rank $rank: later MNP_ERR_PEER, freed memory left alone" "$output" &&
            grep -q "^rank $rank: over" "$output" || status=1
    done
    check "$status" "$how, $where on $ranks ranks${1+, $*}" "$(cat "$output")"
}

ended='MNP_ERR_PEER after [0-4]\.[0-9] s: rank 1 has ended'
survive 2 kill agree "$ended"
survive 4 exit agree "$ended"
survive 3 kill redistribute "$ended"
survive 3 exit sum "$ended"
survive 3 kill exchange "$ended"
survive 3 kill all_reduce "$ended"

# A pretended node of ranks 0 and 1: rank 2 has it from rank 0
survive 3 kill redistribute "$ended" MANIPLE_NODE_SIZE=2
survive 4 exit all_reduce "$ended" MANIPLE_NODE_SIZE=2

# Nobody's peer: who waits for its message gives up at the deadline, and tells the others
late='MNP_ERR_\(TIMEOUT\|PEER\) after [0-9]\.[0-9] s: rank .*rank 1 \(did not take part\|at its MANIPLE_DEADLINE\)'
late="$late\\|MNP_ERR_TIMEOUT after [0-9]\\.[0-9] s: rank 1 did not"
survive 3 kill exchange "$late" MANIPLE_NODE_SIZE=1 MANIPLE_DEADLINE=1

done_testing
