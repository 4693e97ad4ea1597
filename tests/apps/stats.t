#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple stats: results equal NumPy's, of data read whole or in pieces, on any number of ranks; pictures; errors are
# reported in one sentence, with the same status on all ranks, and leave no file behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

# stats_fails STATUS PATTERN ARGUMENT...: on 1 rank and on 3
stats_fails()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" stats "$@"
}

# stats_alone STATUS PATTERN ARGUMENT...: on one rank
stats_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" stats "$@")
    check $? "stats $*" "$details"
}

run "help" "$MANIPLE" stats --help
[ "$("$MANIPLE" stats --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

# ---- results ----

[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}
run "the files of this test" "$PYTHON" - <<'END'
import h5py
import numpy as np

rng = np.random.default_rng(7)
with h5py.File("data.h5", "w") as file:
    file["float32"] = (3 * rng.standard_normal((40, 30, 5)) + 1).astype("float32")
    wild = rng.standard_normal((31, 17))
    wild[rng.random(wild.shape) < 0.1] = np.nan
    wild[3, 4], wild[5, 6], wild[:, 2] = np.inf, np.inf, np.nan
    file["group/wild"] = wild
    file.create_dataset("int64", data=rng.integers(-2 ** 62, 2 ** 62, (200, 7)), chunks=(9, 4), compression=1)
    file["int8"] = rng.integers(-128, 128, (500,)).astype("int8")
    file["bool"] = rng.random((9, 8)) < 0.3
    file["complex128"] = rng.standard_normal((10, 9)) + 1j * rng.standard_normal((10, 9))
    file["none"], file["scalar"], file["nan"] = np.zeros((0, 3)), np.float32(2.5), np.full(5, np.nan)
    file["huge"], file["equal"] = np.array([1.7e308, -1.7e308, 1.7e308, 1.7e308]), np.full(70, 1e200)
    file["huge_complex"] = file["huge"][()] * (1 - 0.5j)
    file["near"] = np.full(6, 2 ** 62) + np.arange(6)
END
cat >check.py <<'END'
"""check.py LIST: the points that the test has put off; a line is a description, the name of a function and its arguments."""
import json
import sys
import warnings

import h5py
import numpy as np

warnings.simplefilter("ignore")


def compare(output, how=""):
    """What JSON says of all elements of a dataset, or of lines, is what NumPy says."""
    with open(output) as file:
        told = json.load(file)
    with h5py.File(told["file"], "r") as file:
        x = file[told["dataset"]][()]
    assert told["shape"] == list(x.shape) and told["dtype"] == x.dtype.name, told
    axis = told.get("axis")
    lines = x.reshape(1, -1)
    if axis is not None:
        others = [n for d, n in enumerate(x.shape) if d != axis]
        lines = np.moveaxis(x, axis, -1).reshape(int(np.prod(others)), x.shape[axis])
        assert told["shape_of_results"] == others

    def numbers(name, of=told):
        listed = of[name] if axis is not None else [of[name]]
        assert len(listed) == len(lines), name
        return [np.nan if v is None else float(v.replace("Infinity", "inf")) if isinstance(v, str) else v for v in listed]

    def near(name, want):
        got = numbers(name)
        assert np.allclose(got, want, rtol=1e-12, atol=1e-13, equal_nan=True), (name, got, want)

    def same(name, want, of=told):
        got = numbers(name, of)
        assert all(g == w or (g != g and w != w) for g, w in zip(got, want)), (name, got, want)

    real = x.dtype.kind != "c"
    kept = [line[~np.isnan(line)] for line in lines]
    wide = [line.astype(float) if real else line for line in kept]
    same("count", [line.size for line in lines])
    same("nan", [int(np.isnan(line).sum()) for line in lines])
    same("infinite", [int(np.isinf(line).sum()) for line in lines])
    mean = np.array([line.mean() for line in wide])
    near("mean", mean.real)
    near("std", [line.std() for line in wide])
    if real:
        same("min", [line.min() if len(line) else np.nan for line in kept])
        same("max", [line.max() if len(line) else np.nan for line in kept])
        for name in told["percentiles"]:
            want = [np.percentile(line, [float(name)])[0] if len(line) else np.nan for line in wide]
            same(name, want, told["percentiles"])
    else:
        near("mean_imaginary", mean.imag)
    finite = wide[0][np.isfinite(wide[0])]
    if axis is None and real and finite.size and told["dataset"] != "/near":
        bins, given = len(told["histogram"]["counts"]), None
        if how and how != "bins":
            given = tuple(float(v) for v in how.split(","))
        counts, edges = np.histogram(finite, bins, given)
        if x.dtype.kind in "biu" and not how and max(-finite.min(), finite.max()) < 2**51:  # whole edges
            width = np.ceil((finite.max() - finite.min() + 1) / 20)
            bins = int(np.ceil((finite.max() - finite.min() + 1) / width))
            edges = finite.min() + width * np.arange(bins + 1)
            counts = np.histogram(finite, edges - 0.5)[0]
        assert told["histogram"]["counts"] == counts.tolist(), (told["histogram"], counts)
        assert told["histogram"]["edges"] == edges.tolist(), (told["histogram"], edges)
    else:
        assert "histogram" not in told


def ends(output):
    """Neither means nor percentiles overflow where the values do not; a percentile is a key once."""
    told = json.load(open(output), object_pairs_hook=lambda pairs: (dict(pairs), [name for name, _ in pairs]))[0]
    if told["dataset"] == "/equal":
        assert told["mean"] == 1e200 and told["std"] == 0, told
    else:
        assert abs(told["mean"] / 0.85e308 - 1) < 1e-15, told
        assert abs(told.get("mean_imaginary", -0.425e308) / -0.425e308 - 1) < 1e-15, told
    if told["dataset"] == "/huge":
        values, keys = told["percentiles"]
        assert keys == ["10", "50"] and abs(values["10"] / -0.68e308 - 1) < 1e-15 and values["50"] == 1.7e308, told


for line in open(sys.argv[1]):
    description, function, *words = line.rstrip("\n").split("\t")
    try:
        globals()[function](*words)
    except Exception as error:
        print(f"not ok - {description}: {type(error).__name__} {error}".replace("\n", " "))
    else:
        print("ok -", description)
END

# compare RANKS DATASET ARGUMENT...
compare()
{
    ranks=$1 dataset=$2 number=$((number + 1))
    shift 2
    details=$(on "$ranks" "$MANIPLE" stats "data.h5:/$dataset" --json "$@" 2>&1 >"out$number.json")
    check $? "$dataset on $ranks rank(s) $*" "$details"
    later "its numbers" compare "out$number.json"
}
number=0

for ranks in 1 3; do
    if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
        skip "on $ranks ranks" "there is no mpirun"
        continue
    fi
    compare "$ranks" float32 -m 10K
    compare "$ranks" int64
    compare "$ranks" group/wild -m 5K
    compare "$ranks" float32 --axis 1 -m 10K
done
compare 1 group/wild --axis 0 -p 0,12.5,50,100
for dataset in float32 int8 bool complex128 none scalar nan near; do
    compare 1 "$dataset"
done
compare 1 bool -m 1 # element by element
compare 1 int64 --axis -1 -p none
compare 1 int8 --axis 0
compare 1 none --axis 0
compare 1 complex128 --axis 1
compare 1 float32 -p 33.3 -b 7
"$MANIPLE" stats data.h5:/float32 -r -1.5,2 -j >range.json
later "a histogram between given ends" compare range.json -1.5,2
"$MANIPLE" stats data.h5:/int8 -b 7 -j >bins.json
later "equal bins of integers, where they are asked for" compare bins.json bins
"$MANIPLE" stats data.h5:/bool >report.txt
run "bins of one whole number each" grep -q '^ *0 \.\. 0  ' report.txt

for dataset in huge huge_complex equal; do
    for memory in 1G 1; do
        percents=none
        [ "$dataset" != huge ] || percents=10,50,10
        "$MANIPLE" stats data.h5:/$dataset --json -p $percents -b 0 -m $memory >"$dataset$memory.json"
        later "$dataset in memory of $memory" ends "$dataset$memory.json"
    done
done
check_later "$PYTHON" check.py

# what a terminal gets
"$MANIPLE" stats data.h5:/group/wild >report.txt 2>&1
run "the report: NaN" grep -qx 'NaN       [1-9][0-9]*' report.txt
run "infinities" grep -qx 'infinite  2 (2 positive, 0 negative)' report.txt
run "percentiles" grep -q '^50%       -*0\.0' report.txt
run "the histogram" grep -q '\.\. .*####' report.txt
"$MANIPLE" stats data.h5:/float32 --axis 2 -m 4K >report.txt 2>&1
run "a table is shortened" grep -qx '\.\.\. 1182 more rows, see --json \.\.\.' report.txt
run "and has its last row" grep -q '^39,29,: ' report.txt
run "it tells of pieces" grep -q '^INPUT .*float32, 23.4 KiB, in [0-9]* pieces$' report.txt

# 10,000,000 float64 are 76.3 MiB, and a rank may have half of that
"$PYTHON" -c 'import numpy; numpy.save("large.npy", numpy.random.default_rng().normal(size=10000000))'
"$MANIPLE" stats large.npy --json >whole.json
MANIPLE_MEMORY_LIMIT=40M on 2 "$MANIPLE" stats large.npy --json >part.json
MANIPLE_MEMORY_LIMIT=40M on 2 "$MANIPLE" stats large.npy >report.txt
run "a rank takes no more than half of the memory limit" grep -qE '^INPUT .* in ([5-9]|[1-9][0-9]+) pieces' report.txt
run "which changes no number" "$PYTHON" -c '
import json
whole, part = (json.load(open(f"{name}.json")) for name in ("whole", "part"))
print(whole, part)
for key in ("count", "min", "max", "percentiles", "histogram"):
    assert whole[key] == part[key], key'
rm large.npy

if has_png; then
    run "a picture" "$MANIPLE" stats data.h5:/float32 --picture histogram.png
    run "which is one" "$PYTHON" -c 'import sys; sys.exit(open("histogram.png", "rb").read(8) != b"\x89PNG\r\n\x1a\n")'
    ln -sf data.h5 link.png
    stats_fails 1 "no/such" data.h5:/float32 --picture no/such/picture.png
    stats_alone 2 "is the file of INPUT" data.h5:/float32 --picture link.png
    "$MANIPLE" stats data.h5:/nan --picture new.png >report.txt 2>error.txt
    [ $? -eq 2 ] && [ "$(wc -l <error.txt)" -eq 1 ] && grep -q 'has no finite values for a histogram' error.txt
    check $? "a picture of nothing" "$(cat error.txt)"
    grep -q '^NaN ' report.txt && ! grep -q '^picture ' report.txt && [ ! -e new.png ]
    check $? "the numbers are printed all the same" "$(cat report.txt)"
    stats_alone 2 "picture is for the histogram, which is of all elements" data.h5:/float32 --axis 0 --picture new.png
    stats_alone 2 "no order" data.h5:/complex128 --picture new.png
fi

# ---- what is refused ----

stats_fails 2 "axis is 3, but INPUT 'data.h5:/float32' has 3 dimensions" data.h5:/float32 --axis 3
stats_fails 1 "the file has /bool" data.h5:/missing
stats_fails 1 "a line of INPUT 'data.h5:/int8' along axis 0 needs .*; take more ranks or a larger --memory" \
    data.h5:/int8 --axis 0 -m 100
stats_alone 2 "which is not a dimension" data.h5:/int8 --axis x
stats_alone 2 "axis is 0, but INPUT .* has 0 dimensions" data.h5:/scalar --axis 0
stats_alone 2 "not a list of numbers from 0 to 100" data.h5:/int8 -p 5,101
stats_alone 2 "not a list of numbers from 0 to 100" data.h5:/int8 -p 5,
stats_alone 2 "no order" data.h5:/complex128 -p 50
stats_alone 2 "not an integer from 0" data.h5:/int8 -b -1
stats_alone 2 "not LOW,HIGH" data.h5:/int8 -r 2,1
stats_alone 2 "not LOW,HIGH" data.h5:/int8 -r 2
stats_alone 2 "range is for the histogram, and --bins is 0" data.h5:/int8 -b 0 -r 1,2
stats_alone 2 "not a size such as 500M" data.h5:/int8 -m 5X
stats_alone 2 "did you mean --percentiles" data.h5:/int8 --percentilse 5
stats_alone 2 "needs one INPUT" data.h5:/int8 data.h5:/bool
stats_alone 2 "names no dataset" data.h5

done_testing
