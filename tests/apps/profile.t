#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Profiles and traces: calls and bytes are counted as a program makes them, waiting for a rank that is late is told,
# rehearsals do not count, and the trace has the bars of all ranks.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"
[ -e "$builddir/.libs/libmaniple.so" ] || skip_all "no shared library was built"
export PYTHONPATH="$builddir/python" MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so" PYTHONDONTWRITEBYTECODE=1
grep -q -e -DMNP_SANITIZERS "$builddir/Makefile" && skip_all "Python cannot load a library with sanitizers"

cat >program.py <<'END'
import glob
import os
import sys
import time

import maniple as mp

x = mp.ones((300, 200))
y = mp.zeros((300, 200))
for i in range(7):
    mp.add(x, x, out=y)
mp.sum(x).item()
if mp.rank() == 0:  # it comes last, so much later than the others
    while len(glob.glob("came-*")) < mp.nranks() - 1:
        time.sleep(0.01)
    time.sleep(float(sys.argv[1]))
else:
    os.mkdir(f"came-{mp.rank()}")
mp.sum(x).item()
END

cat >judge.py <<'END'
import json
import sys

ranks, slept = int(sys.argv[1]), float(sys.argv[2])


def check(good, text):
    print(f"{'ok' if good else 'not ok'} - {text}")


profile = json.load(open("profile.json"))
rows = {row["name"]: row for row in profile["functions"]}
check(profile["ranks"] == ranks and profile["seconds"] > slept, "ranks and seconds")
check(rows["mnp_add"]["calls"] == 7, f"seven calls are counted: {rows['mnp_add']['calls']}")
moved = 7 * 3 * 8 * 300 * 200
check(rows["mnp_add"]["bytes"] == moved, f"of {moved} bytes: {rows['mnp_add']['bytes']}")
check(all(row["device"] <= profile["seconds"] and row["cpu"] <= profile["seconds"] for row in rows.values()),
      "no function took longer than the program")
check(profile["heap_bytes"] >= 2 * 8 * 300 * 200 // ranks, "two arrays were in memory")
check(1e8 < profile["copy_bytes_per_second"] < 1e14, f"a copy was measured: {profile['copy_bytes_per_second']:.3g} B/s")
check(profile["kernels"] >= 2 and profile["kernel_seconds"] > 0, "kernels were loaded")
if ranks > 1 and profile["device"] == "host":  # on a GPU it is kernels that wait
    waited = sum(row["waits"] for row in rows.values())
    least = 0.5 * slept * (ranks - 1) / ranks
    check(waited >= least, f"the ranks waited {waited:.3f} s for a late one, in the mean over all: at least {least:.3f}")
    check(all(row["waits"] <= row["cpu"] * 1.001 + 1e-6 for row in rows.values()), "waits are a part of the calls")

trace = json.load(open("trace.json"))["traceEvents"]
bars = [event for event in trace if event["ph"] == "X"]
check({bar["pid"] for bar in bars} == set(range(ranks)), "the trace has bars of every rank")
for rank in range(ranks):
    adds = sorted(bar["ts"] for bar in bars if bar["pid"] == rank and bar["tid"] == 0 and bar["name"] == "mnp_add")
    inside = [bar for bar in bars if bar["pid"] == rank and bar["tid"] == 2]
    check(len(adds) == 7 and adds[0] >= 0 and adds[-1] < 1e6 * profile["seconds"],
          f"rank {rank} has seven bars of mnp_add, within the time of the program")
    check(len(inside) >= 8 and all(bar["dur"] >= 0 for bar in inside), f"rank {rank} has bars of kernels")
names = {event["args"]["name"] for event in trace if event["name"] == "process_name"}
check(len(names) == ranks, f"the ranks have names: {sorted(names)}")
END

MANIPLE_PROFILE=profile.json MANIPLE_TRACE=trace.json
export MANIPLE_PROFILE MANIPLE_TRACE
run "a program with a profile and a trace" "$PYTHON" program.py 0.1
check_points "$PYTHON" judge.py 1 0.1
if [ -n "$MPIRUN" ]; then
    run "the same on three ranks" "$MPIRUN" -n 3 "$PYTHON" program.py 2
    check_points "$PYTHON" judge.py 3 2
fi
unset MANIPLE_PROFILE MANIPLE_TRACE

# ---- the command ----

on 1 "$MANIPLE" conv dirac:64x64/8 hanning:5x5 -o y.h5:/y --boundary wrap -q --profile --trace conv.json 2>report.txt
check $? "conv --profile --trace" "$(cat report.txt)"
grep -q '^profile of 1 rank, [0-9.]* s, device ' report.txt && grep -Eq '^mnp_h5_write[a-z_]* +1 ' report.txt
check $? "the table has the functions of the command, each as often as it calls it" "$(cat report.txt)"
grep -Eq '^mnp_conv_execute +1 ' report.txt
check $? "what was rehearsed is not counted" "$(cat report.txt)"
grep -Eq '^[0-9]+ kernels loaded in [0-9.]+ s; a rank.s arrays took at most [0-9.]+ MiB' report.txt
check $? "kernels and memory" "$(cat report.txt)"
cat >shares.py <<'END'
import re

text = open("report.txt").read()
ceiling = float(re.search(r"^a copy by all ranks at once reads and writes ([0-9.]+) GB/s", text, re.M)[1])
rows = [line.split() for line in text.splitlines() if re.match(r"mnp_\w+ +\d", line)]
moved = [row for row in rows if int(row[2]) > 0]  # the bandwidth is 0.00 on a machine with much else to do
assert moved and any(row[8] == "-" for row in rows), rows
for row in rows:
    if int(row[2]) == 0:
        assert row[8] == "-", row
    else:
        share, least, most = float(row[8].rstrip("%")), float(row[7]) - 0.006, float(row[7]) + 0.006
        assert 100 * least / ceiling - 0.2 <= share <= 100 * most / ceiling * 1.01 + 0.2, (row, ceiling)
END
run "bandwidths of what the device did are shares of that of a copy" "$PYTHON" shares.py
run "the trace is JSON" "$PYTHON" -c 'import json; assert len(json.load(open("conv.json"))["traceEvents"]) > 10'
[ -z "$(on 1 "$MANIPLE" conv dirac:64x64/8 hanning:5x5 -o y.h5:/y --boundary wrap -q 2>&1)" ]
check $? "without them nothing is printed"
details=$(fails_on 1 2 "option --trace: 'y.h5' does not end in .json" "$MANIPLE" conv dirac:8x8/8 hanning:3x3 \
    -o z.h5:/y --trace y.h5)
check $? "a trace does not replace files of another kind" "$details"
cp conv.json last.json
details=$(fails_on 1 2 "not there" "$MANIPLE" conv not_there.h5:/x hanning:3x3 -o z.h5:/y --trace conv.json)
cmp conv.json last.json >/dev/null
check $? "a run that is refused leaves the last trace" "$details"
export MANIPLE_PROFILE=both.json MANIPLE_TRACE=both.json
details=$(fails_on 1 2 "MANIPLE_TRACE and MANIPLE_PROFILE are both 'both.json'" "$MANIPLE" eval -q 3)
check $? "a profile and a trace are not one file" "$details"
unset MANIPLE_PROFILE MANIPLE_TRACE
details=$(fails_on 1 2 "MANIPLE_TRACE is 'y.h5', which does not end in .json" env MANIPLE_TRACE=y.h5 "$MANIPLE" conv \
    dirac:8x8/8 hanning:3x3 -o z.h5:/y)
check $? "nor does the setting" "$details"
details=$(fails_on 1 1 "MANIPLE_TRACE: cannot write '/nothing/trace.json'" "$MANIPLE" conv dirac:8x8/8 hanning:3x3 \
    -o z.h5:/y --trace /nothing/trace.json)
check $? "a trace that cannot be written is told before the work" "$details"
MANIPLE_PROFILE=/nothing/profile.json on 1 "$MANIPLE" conv dirac:8x8/8 hanning:3x3 -o y.h5:/y -q 2>report.txt &&
    grep -q "MANIPLE_PROFILE: cannot write '/nothing/profile.json'" report.txt
check $? "a profile that cannot be written does not spoil the run" "$(cat report.txt)"

# ---- the picture ----

cat >drawn.py <<'END'
import json
import xml.etree.ElementTree as tree

STYLE = "{http://www.w3.org/2000/svg}"
COLOURS = {"#0072b2": "cpu", "#d55e00": "waits", "#009e73": "device"}


def bars(path):
    """The lengths of the bars of each kind of time, from the top to the bottom, without the legend; and all texts."""
    root = tree.parse(path).getroot()
    found = {kind: [] for kind in COLOURS.values()}
    for node in root.iter(STYLE + "polygon"):
        kind = COLOURS.get(node.get("fill"))
        if kind:
            corners = [[float(number) for number in corner.split(",")] for corner in node.get("points").split()]
            found[kind].append((corners[0][1], corners[1][0] - corners[0][0]))
    return ({kind: [width for _, width in sorted(rows)][1:] for kind, rows in found.items()},
            ["".join(node.itertext()) for node in root.iter(STYLE + "text")])


made = json.load(open("made.json"))
lengths, texts = bars("made.svg")
assert [len(lengths[kind]) for kind in ("cpu", "waits", "device")] == [2, 1, 2], lengths
assert abs(lengths["cpu"][1] / lengths["cpu"][0] - 0.5) < 0.01, lengths
assert abs(lengths["device"][0] / lengths["cpu"][0] - 0.75) < 0.01, lengths
assert abs(lengths["waits"][0] / lengths["cpu"][0] - 0.25) < 0.01, lengths
assert "4 calls, 100 GB/s, 50 % of a copy" in texts and "1 call" in texts, texts
assert "mnp_add" in texts and "mnp_sum" in texts and "mnp_free" not in texts, texts
assert any("2 of 3 functions" in text for text in texts), texts
lengths, texts = bars("real.svg")
assert len(lengths["cpu"]) >= 1 and not lengths["device"] and any("mnp_conv" in text for text in texts), texts
END
cat >made.json <<'END'
{"ranks": 2, "device": "cuda", "seconds": 5, "functions": [
  {"name": "mnp_add", "calls": 4, "launches": 4, "cpu": 2, "device": 1.5, "waits": 0.5, "bytes": 2e11, "slowest_device": 2},
  {"name": "mnp_sum", "calls": 1, "launches": 0, "cpu": 1, "device": 1, "waits": 0, "bytes": 1e11, "slowest_device": 1},
  {"name": "mnp_free", "calls": 9, "launches": 0, "cpu": 1e-4, "device": 0, "waits": 0, "bytes": 0, "slowest_device": 0}
], "copy_bytes_per_second": 2e11}
END
export MANIPLE_PROFILE=real.json
# on the host, where functions have no times of a device
(export MANIPLE_DEVICE=host && on 1 "$MANIPLE" conv dirac:64x64/8 hanning:5x5 -o y.h5:/y --boundary wrap -q)
unset MANIPLE_PROFILE
run "a profile is drawn" "$MANIPLE" profile made.json --picture made.svg
ranks=1
[ -z "$MPIRUN" ] || ranks=2
[ "$(on "$ranks" "$MANIPLE" profile real.json --picture real.svg --picture-size 6x4 | grep -c '^picture   real.svg: 432 x 288 points$')" -eq 1 ]
check $? "by one of several processes, in the size that is asked for"
run "bars are as long as times, and functions that cannot be seen are left out" "$PYTHON" drawn.py
sed 's/"ranks": 2/"rank": 2/' made.json >other.json
head -c 300 made.json >cut.json
ln -s made.json link.svg
# refused STATUS PATTERN ARGUMENT...
refused()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" profile "$@")
    check $? "profile $*" "$details"
}
refused 2 'is no profile' other.json --picture new.svg
refused 2 'is no profile' cut.json --picture new.svg
refused 2 'is no profile' y.h5 --picture new.svg
refused 1 'missing.json: No such file' missing.json --picture new.svg
refused 2 'needs a place' made.json
refused 2 'takes one FILE.json' --picture new.svg
refused 2 'takes one FILE.json' made.json real.json --picture new.svg
refused 2 'is the file of FILE' made.json --picture link.svg
refused 1 'no/such' made.json --picture no/such/new.svg
[ ! -e new.svg ]
check $? "nothing is drawn of these"
done_testing
