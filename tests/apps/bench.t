#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple bench: benchmarks run, their results are right and recorded, peers run beside them, and two recordings are
# compared; of comm every case runs, and the table, JSON and picture are complete; mistakes on the command line are
# reported in one sentence.  A case of every benchmark is run, and all with MANIPLE_TEST_FULL=1.

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

# ---- all benchmarks ----

"$MANIPLE" bench >list.txt 2>stderr
check $? "without operands it lists the benchmarks" "$(cat list.txt stderr)"
awk 'length > 100' list.txt | grep -q . && status=1 || status=0
check "$status" "the list is at most 100 columns wide" "$(cat list.txt)"
names=$(sed -n 's/^\([a-z]\{1,\}\) .*/\1/p' list.txt)
cases=saxpy,whole,sum,cumsum,'topk 100,even,binomial of 1000, 0.3',rows-columns,interior,convolve,outer,lfilter-butter4
cases=$cases,sobel,integers,lu,spmv-csr,cg-jacobi,eigsh-LA,barrier

for ranks in 2 1; do
    if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
        skip "every benchmark on $ranks ranks" "there is no mpirun"
        continue
    fi
    if [ -n "${MANIPLE_TEST_FULL-}" ]; then set --; else set -- --case "$cases"; fi
    rm -f runs.jsonl
    run "every benchmark on $ranks rank(s)" on "$ranks" env MANIPLE_DEVICE=host "$MANIPLE" bench all -r 1 --max 8 \
        --elements 250000 --matrix poisson:6x6x6 --image 64 --kernel 5 "$@" -o runs.jsonl
    printf '%s\n' "$tap_output" | grep -q '^copy  *[0-9.]* GB/s'
    check $? "the ceilings come with it" "$tap_output"
    for name in $names; do
        [ "$name$ranks" = comm1 ] || grep -q "\"benchmark\": \"$name\".*\"ranks\": $ranks, .*\"value\": [0-9]" runs.jsonl || echo "$name"
    done >missing.txt
    [ ! -s missing.txt ]
    check $? "every benchmark is recorded" "$(cat missing.txt runs.jsonl)"
done

details=$(env MANIPLE_DEVICE=host "$MANIPLE" bench halo --elements 8192 -r 1 2>&1) &&
    printf '%s\n' "$details" | grep -q 'is left out: every rank needs 15 rows'
check $? "a case that is not possible is left out" "$details"

if [ -n "$PYTHON" ]; then
    details=$(env MANIPLE_DEVICE=host PYTHON="$PYTHON" "$MANIPLE" bench scan reduce views -r 1 --elements 1000 \
        --case whole,cumsum,'mse by text' --peers 2>&1) &&
        printf '%s\n' "$details" | grep -q '^| case | floor | Maniple | NumPy [0-9.]* |' &&
        printf '%s\n' "$details" | grep -q '^peers of reduce do not have mse by text$'
    check $? "peers are in one row with Maniple" "$details"
else
    skip "peers are in one row with Maniple" "there is no Python"
fi

# ---- two recordings ----

compares()
{
    expected=$1 pattern=$2
    shift 2
    details=$("$MANIPLE" bench --compare "$@" 2>&1)
    [ $? -eq "$expected" ] && printf '%s\n' "$details" | grep -q -e "$pattern"
    check $? "$pattern" "$details"
}

# line CASE VALUE BEST [LIBRARY]
line()
{
    printf '{"benchmark": "b", "case": "%s \\"x\\"", "input": "1", "library": "%s", "device": "d\\u00e9", "ranks": 1, ' "$1" "${4:-Maniple}"
    printf '"unit": "s", "value": %s, "best": %s, "more": null}\n' "$2" "$3"
}

cases=$(grep -c '"Maniple' runs.jsonl)
compares 0 "^$cases cases of Maniple: 0 slower, $cases same, 0 faster" runs.jsonl runs.jsonl
{ line one 1 0.9; line one 3 2.9; line one 2 1.9; line two 1 0.9; line alone 1 1; line peer 1 1 NumPy; } >before.jsonl
{ line one 2.04 2.03; line two 1.2 1.06; line peer 2 2 NumPy; line new 1 1; } >after.jsonl
compares 3 '^2 cases of Maniple: 1 slower, 1 same, 0 faster; 2 in one file alone' before.jsonl after.jsonl
compares 3 '^b: two "x", 1  *Maniple  *1  *1000  *1200  *1.200  slower' before.jsonl after.jsonl
compares 0 '^2 cases of Maniple: 0 slower, 2 same, 0 faster' before.jsonl after.jsonl --tolerance 0.1
{ line one 2 1.9; line two 1.2 1.06; } >after.jsonl
compares 0 '^2 cases of Maniple: 0 slower, 2 same, 0 faster' after.jsonl before.jsonl --tolerance 0.3
compares 0 '^2 cases of Maniple: 0 slower, 1 same, 1 faster' after.jsonl before.jsonl
echo '{"benchmark": "b", "case": [1]}' >wrong.jsonl
echo "notes" >notes.txt
bench_fails 2 'wrong.jsonl, line 1: it is no line' --compare before.jsonl wrong.jsonl
bench_fails 1 'missing.jsonl: No such file' --compare before.jsonl missing.jsonl
bench_fails 1 'folder.jsonl' --compare before.jsonl folder.jsonl
bench_fails 2 'two files' --compare before.jsonl
bench_fails 2 'no case of the same input' --compare before.jsonl runs.jsonl
bench_fails 2 'takes no option but --tolerance' --compare before.jsonl after.jsonl --json

# ---- comm ----

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
    # the log, as that ranks share a GPU, is no part of it
    grep -v '^ran on\|^maniple\[' table.txt | awk 'length > 100' >long.txt
    [ ! -s long.txt ]
    check $? "it is at most 100 columns wide" "$(cat long.txt)"
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

fails 2 "there is no case 'all-redcue'; did you mean 'all-reduce'" "$MANIPLE" bench comm --case halo,all-redcue
bench_fails 2 "there is no benchmark 'com'; did you mean 'comm'" com
bench_fails 2 "there is no benchmark 'more'" comm more
bench_fails 2 "there is no benchmark 'all'" fft all
bench_fails 2 "fft is named twice" fft fft
bench_fails 2 "case 'line' is named twice" fft --case line,square,line
bench_fails 2 "there is no case ''" fft --case line,
bench_fails 2 "there is no case 'cg-nosuch'" solve --case cg,cg-nosuch
bench_fails 2 'options need a benchmark' --repeats 3
bench_fails 2 'tolerance goes with --compare' fft --tolerance 0.1
bench_fails 2 '--kernel is an option of conv, and has no effect here' fft --kernel 3
bench_fails 2 '--elements is an option of elementwise' comm --elements 3
bench_fails 2 '--json is for comm alone' comm fft --json
bench_fails 2 "elements is '0'" fft --elements 0
bench_fails 2 'boundary is .wrp.; it can be fill' conv --boundary wrp
bench_fails 2 "dtype is 'int32'; sparse takes float32" sparse --dtype int32 --matrix poisson:2x2 --case spmv-csr
bench_fails 2 'neither random:ROWS@DENSITY' sparse --matrix nosuch --case spmv-csr
bench_fails 1 'no/such' scan --output no/such/file.jsonl
bench_fails 2 'notes.txt is there already' scan --output notes.txt
bench_fails 1 'the folder no/such' scan --plot no/such
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'maniple-bench-*' -newer list.txt)" ]
check $? "no temporary file is left behind"
bench_fails 2 'did you mean --repeats' comm --repeat-s 3
bench_fails 2 "min is '0'" comm --min 0
bench_fails 2 "max is '2G'" comm --max 2G
bench_fails 2 "max is '1Q'" comm --max 1Q
bench_fails 2 "max is '1KK'" comm --max 1KK
bench_fails 2 "step is '1'" comm --step 1
bench_fails 2 "repeats is 'many'" comm -r many
bench_fails 2 'min is 1024 bytes, more than --max, 8' comm --min 1K --max 8

done_testing
