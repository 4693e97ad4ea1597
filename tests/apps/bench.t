#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple bench: every case runs, its results are right, and the table, JSON and picture are complete; mistakes on the
# command line are reported in one sentence.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

bench_fails()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" bench "$@")
    check $? "bench $*" "$details"
}

run "help" "$MANIPLE" bench --help
[ "$("$MANIPLE" bench --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

for ranks in 1 3; do
    if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
        skip "on $ranks ranks" "there is no mpirun"
        continue
    fi
    run "all cases on $ranks rank(s)" on "$ranks" "$MANIPLE" bench comm --min 8 --max 64K --step 90 --repeats 1
    printf '%s\n' "$tap_output" >table.txt
    for name in all-reduce all-reduce-f64 reduce broadcast all-gather reduce-scatter all-to-all barrier columns transpose halo; do
        grep -q "^$name  *[-0-9]" table.txt || echo "there is no $name"
    done >missing.txt
    [ ! -s missing.txt ] && { [ "$ranks" = 1 ] || grep -q '^ping ' table.txt; }
    check $? "the table" "$(cat missing.txt table.txt)"
    grep -v '^ran on' table.txt | awk 'length > 100' | grep -q . && status=1 || status=0
    check "$status" "it is at most 100 columns wide"
done

details=$(on 1 env MANIPLE_DEVICE=host "$MANIPLE" bench comm -c ping,barrier --max 8 -r 1 2>&1)
printf '%s\n' "$details" | grep -q 'ping is left out: it takes two ranks' && printf '%s\n' "$details" | grep -q '^barrier '
check $? "what is not possible is left out, and said" "$details"

if [ -n "$MPIRUN" ]; then
    details=$(on 2 env MANIPLE_DEVICE=host "$MANIPLE" bench comm -c all-reduce-graph,barrier --max 8 -r 1 2>&1)
    printf '%s\n' "$details" | grep -q 'left out: graphs need a GPU' && printf '%s\n' "$details" | grep -q '^barrier '
    check $? "graphs need a GPU" "$details"
else
    skip "graphs need a GPU" "there is no mpirun"
fi

if [ -n "$PYTHON" ] && [ -n "$MPIRUN" ]; then
    timeout 300 "$MPIRUN" -n 2 "$MANIPLE" bench comm -c all-to-all,halo --max 2K --step 16 -r 1 --json >bench.json
    run "JSON" "$PYTHON" - <<'END'
import json

found = json.load(open("bench.json"))
rows = found["measurements"]
assert found["ranks"] == 2 and found["repeats"] == 1 and found["peer"].startswith(("MPI", "NCCL")), found
assert [(r["case"], r["bytes"]) for r in rows] == [(c, n) for c in ("all-to-all", "halo") for n in (8, 128, 2048)], rows
for r in rows:
    assert r["seconds"] > 0 and r["peer_seconds"] > 0, r
    assert abs(r["bandwidth"] * r["seconds"] / r["bytes"] - 1) < 1e-4, r
    assert abs(r["bus_bandwidth"] / r["bandwidth"] - (0.5 if r["case"] == "all-to-all" else 1)) < 1e-4, r
END
else
    skip "JSON" "there is no Python or no mpirun"
fi

if has_png && [ -n "$MPIRUN" ]; then
    run "a picture" on 2 "$MANIPLE" bench comm -c columns,all-reduce --max 1K -r 1 --picture picture.png
    [ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
    check $? "it is one"
    bench_fails 1 'no/such' comm -c halo --max 8 -r 1 --picture no/such/picture.png
    bench_fails 2 'nothing to draw: none of these cases' comm -c barrier --picture picture.png
else
    skip "a picture" "there is no libpng or no mpirun"
fi

# ---- what is refused ----

fails 2 "did you mean 'all-reduce'" "$MANIPLE" bench comm --cases halo,all-redcue
bench_fails 2 "bench measures 'comm'"
bench_fails 2 "bench measures 'comm'" com
bench_fails 2 "is given 'more'" comm more
bench_fails 2 'did you mean --repeats' comm --repeat-s 3
bench_fails 2 "min is '0'" comm --min 0
bench_fails 2 "max is '2G'" comm --max 2G
bench_fails 2 "max is '1Q'" comm --max 1Q
bench_fails 2 "max is '1KK'" comm --max 1KK
bench_fails 2 "step is '1'" comm --step 1
bench_fails 2 "repeats is 'many'" comm -r many
bench_fails 2 'min is 1024 bytes, more than --max, 8' comm --min 1K --max 8

done_testing
