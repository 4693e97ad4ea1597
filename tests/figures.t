#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tables and pictures of docs/performance.md are those that bench/plot makes of bench/results, so that they do not
# drift apart; and bench/plot reads what `maniple bench` and the peers' scripts record.

. "${srcdir:-.}/tests/tap.sh"

command -v python3 >/dev/null || skip_all "there is no python3"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1

plot()
{
    python3 "$srcdir/bench/plot" "$@"
}

run "the tables and pictures of docs/performance.md follow from bench/results" plot --check

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

# A picture of other figures, in a copy of the document
mkdir "$folder/copy" "$folder/copy/docs"
cp -R "$srcdir/bench" "$folder/copy"
cp -R "$srcdir/docs/performance.md" "$srcdir/docs/images" "$folder/copy/docs"
chmod -R u+w "$folder/copy"
sed 's/>figures [0-9a-f]*</>figures 0</' "$srcdir/docs/images/performance-sort.svg" \
    >"$folder/copy/docs/images/performance-sort.svg"
said=$(python3 "$folder/copy/bench/plot" --check 2>&1)
case $?$said in 1*"performance-sort.svg shows other figures"*) true ;; *) false ;; esac
check $? "a picture of other figures is noticed" "$said"

runs=$folder/runs.jsonl
run "a benchmark records" env MANIPLE_DEVICE=host "${MANIPLE:-$builddir/apps/maniple}" bench scan --case cumsum \
    --elements 1000 --repeats 1 --output "$runs"
run "a peer's script records" env BENCH_JSON="$runs" python3 -c "
import sys
sys.path.insert(0, '$srcdir/bench/peers')
import json, record
own = json.loads(open('$runs').readline())
record.append('scan', 'cumsum', '1000 float32', 'Peer', '1.2', own['device'], 0.5)
"
said=$(plot "$runs" 2>&1)
case $said in *"| case | floor | Maniple | Peer 1.2 |"*"| cumsum, 1000 float32 |"*" 500 |"*) true ;; *) false ;; esac
check $? "both are in one row of a table" "$said"

done_testing
