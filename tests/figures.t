#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tables of docs/performance.md are those that bench/plot makes of bench/results, so that neither drifts from the
# other; and bench/plot reads what benchmarks, the peers' scripts and `maniple bench comm` record.

. "${srcdir:-.}/tests/tap.sh"

command -v python3 >/dev/null || skip_all "there is no python3"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1

plot()
{
    python3 "$srcdir/bench/plot" "$@"
}

run "the tables of docs/performance.md follow from bench/results" plot --check

# The first figure of each file gets a digit more, in a copy
for file in "$srcdir"/bench/results/*.jsonl; do
    name=$(basename "$file")
    mkdir "$folder/results"
    cp "$srcdir"/bench/results/*.jsonl "$folder/results"
    sed '1s/"value": /"value": 1/' "$file" >"$folder/changed"
    cp -f "$folder/changed" "$folder/results/$name"
    said=$(plot --check --results "$folder/results" 2>&1)
    case $?$said in 1*"is not what bench/results says"*) true ;; *) false ;; esac
    check $? "another figure in $name is noticed" "$said"
    rm -rf "$folder/results"
done

# with_ranks N COMMAND...: by mpirun where there is one; its output is of no interest
with_ranks()
{
    ranks=$1
    shift
    timeout 300 ${MPIRUN:+"$MPIRUN" -n "$ranks"} "$@"
}

BENCH_JSON=$folder/runs.jsonl
export BENCH_JSON
run "a benchmark records" with_ranks 1 env MANIPLE_DEVICE=host "$builddir/bench/scan" --case cumsum --elements 1000 --repeats 1
run "a peer's script records" python3 -c "
import sys
sys.path.insert(0, '$srcdir/bench/peers')
import json, record
own = json.loads(open('$BENCH_JSON').readline())
record.append('scan', 'cumsum', '1000 float32', 'Peer', '1.2', own['device'], 0.5)
"
said=$(plot "$BENCH_JSON" 2>&1)
case $said in *"| case | Maniple | Peer 1.2 |"*"| cumsum, 1000 float32 |"*" 500 |"*) true ;; *) false ;; esac
check $? "both are in one row of a table" "$said"

said=$(plot --compare "$BENCH_JSON" "$BENCH_JSON" 2>&1)
case $?$said in 0*"1 cases of Maniple: 0 slower, 1 same, 0 faster"*) true ;; *) false ;; esac
check $? "a recording is not slower than itself" "$said"
sed '/"Maniple"/{s/"value": [^,]*/"value": 9/;s/"best": [^,]*/"best": 8/;}' "$BENCH_JSON" >"$folder/slow.jsonl"
said=$(plot --compare "$BENCH_JSON" "$folder/slow.jsonl" 2>&1)
case $?$said in 1*"1 slower, 0 same, 0 faster"*) true ;; *) false ;; esac
check $? "a case that has become slower is found" "$said"
said=$(plot --compare "$folder/slow.jsonl" "$BENCH_JSON" 2>&1)
case $?$said in 0*"0 slower, 0 same, 1 faster"*) true ;; *) false ;; esac
check $? "and one that has become faster" "$said"

if [ -n "${MPIRUN-}" ]; then
    with_ranks 2 "${MANIPLE:-$builddir/apps/maniple}" bench comm -c all-reduce --max 8 -r 1 --json >"$folder/comm.json"
    said=$(plot "$folder/comm.json" 2>&1)
    case $said in *"2 ranks"*"| all-reduce, 8 B |"*) true ;; *) false ;; esac
    check $? "what maniple bench comm prints makes a table" "$said"
else
    skip "what maniple bench comm prints makes a table" "there is no mpirun"
fi

done_testing
