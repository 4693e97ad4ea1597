#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command itself: help, versions, info, what it prints, its pictures, which files it replaces and keeps, and how it
# ends on a signal; and the manual pages describe every command and option.

. "${srcdir:-.}/tests/tap.sh"

: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
pages=$srcdir/docs/man

# says PATTERN COMMAND...: the command succeeds, is silent on stderr, and prints the pattern
says()
{
    pattern=$1
    shift
    output=$("$@" 2>stderr) && [ ! -s stderr ] && printf '%s\n' "$output" | grep -q -e "$pattern"
    check $? "$(basename "$1") $2 $3 $4" "$output$(cat stderr)"
}

on_two()
{
    if [ -n "$MPIRUN" ]; then
        "$MPIRUN" -n 2 "$@"
    else
        "$@"
    fi
}

# ---- help ----

says '^maniple [0-9]*\.[0-9]*\.[0-9]*$' "$MANIPLE" --version
says '^Usage: maniple SUBCOMMAND' "$MANIPLE" --help
says '^Usage: maniple SUBCOMMAND' "$MANIPLE" help
says '^Usage: maniple conv INPUT KERNEL -o OUTPUT' "$MANIPLE" conv --help
says '^Usage: maniple conv INPUT KERNEL -o OUTPUT' "$MANIPLE" help conv
says '^Usage: maniple info' "$MANIPLE" info -h
says '^Usage: maniple info' "$MANIPLE" help info
[ "$(on_two "$MANIPLE" conv --help | grep -c '^Usage')" -eq 1 ]
check $? "help is printed once on two ranks"
[ "$("$MANIPLE" conv --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"
if [ -w /dev/full ]; then
    ! "$MANIPLE" --help >/dev/full 2>stderr && grep -q 'No space left' stderr
    check $? "output that cannot be written is a failure" "$(cat stderr)"
fi

# ---- the start ----

# Mistakes are found before MPI starts, which here it cannot.  One rank has the sentence, and the job its status.
finds_mistake()
{
    status=0
    said=$(OMPI_MCA_pml=nonesuch on_two "$MANIPLE" "$@" 2>&1) || status=$?
    [ "$status" -eq 2 ] && [ "$(printf '%s\n' "$said" | grep -c "^maniple: unknown option --nonesuch")" -eq 1 ]
}
for word in channelize conv deconv fft filter label linalg solve spectrogram stats spinfo eval random bench info cache profile; do
    found=0
    finds_mistake "$word" --nonesuch || { found=1 && break; }
done
check "$found" "mistyped options of all subcommands are found before MPI starts" "$said"

# Processes without mpirun that start and end at the same time do not disturb each other, and leave nothing behind
mkdir temporary
said=$(
    unset OMPI_MCA_ess_singleton_isolated OMPI_MCA_orte_tmpdir_base OMPI_MCA_pml OMPI_MCA_btl
    export TMPDIR="$PWD/temporary"
    for i in 1 2 3 4 5 6 7 8; do
        "$MANIPLE" cache --size >size.$i 2>&1 || echo "$i: $(cat size.$i)" &
    done
    wait
    find temporary -name '*maniple*'
)
[ -z "$said" ]
check $? "processes without mpirun side by side" "$said"

# ---- info ----

on_two "$MANIPLE" info >info.txt 2>stderr
check $? "maniple info" "$(cat info.txt stderr)"
on_two "$MANIPLE" info --json >info.json 2>>stderr && on_two "$MANIPLE" info --settings >settings.txt 2>>stderr &&
    "$MANIPLE" info --settings --json >settings.json 2>>stderr
check $? "maniple info --json, --settings and both" "$(cat stderr)"
if [ -n "$PYTHON" ]; then
    run "what maniple info --json says" "$PYTHON" - "${MPIRUN:+2}" <<'PYTHON'
import json
import sys

info, settings = json.load(open("info.json")), json.load(open("settings.json"))
assert len(info["ranks"]) == int(sys.argv[1] or 1), info["ranks"]
assert [rank["rank"] for rank in info["ranks"]] == list(range(len(info["ranks"])))
assert all(len(row) == len(info["ranks"]) for row in info["links"]), info["links"]
assert all(0 < rank["memory_free"] <= rank["memory_total"] for rank in info["ranks"]), info["ranks"]
assert info["device"] in ("cuda", "host") and info["libraries"]["MPI"], info
assert info["heap"]["ranks"] >= 1 and info["heap"]["limit"] >= 0, info["heap"]
assert info["heap"]["shared"] == (len(info["ranks"]) > 1) or info["device"] == "cuda", info["heap"]
assert info["cache"]["files"] >= 0 and info["cache"]["path"], info["cache"]
assert [s["name"] for s in info["settings"]] == [s["name"] for s in settings], settings
text = open("info.txt").read()
for word in (info["transport"], info["cache"]["path"], info["ranks"][0]["host"], info["ranks"][0]["device"]):
    assert word in text, word
PYTHON
    MANIPLE_CACHE_DIR="$work/a \"b\" \\c	d" "$MANIPLE" info --json >odd.json
    run "JSON escapes what it must" "$PYTHON" -c '
import json
assert json.load(open("odd.json"))["cache"]["path"].startswith("'"$work"'/a \"b\" \\c\td")'
else
    skip "what maniple info --json says" "there is no Python"
fi
MANIPLE_DEADLINE=77 "$MANIPLE" info --settings | grep -q '^MANIPLE_DEADLINE = 77$'
check $? "maniple info --settings shows current values"
warned=$(MANIPLE_DEADLNE=9 MANIPLE_TEST_ANYTHING=1 MANIPLE_GATHER_LIMIT=9 \
    on_two "$MANIPLE" info --settings 2>&1 >/dev/null |
    grep '^maniple: ') # the log may have more, as where ranks share a GPU
[ "$warned" = "maniple: there is no setting MANIPLE_DEADLNE; did you mean MANIPLE_DEADLINE?" ]
check $? "a variable that is not a setting is named, once" "$warned"
warned=$(MANIPLE_COLOUR=9 "$MANIPLE" info --settings 2>&1 >/dev/null)
[ "$warned" = "maniple: there is no setting MANIPLE_COLOUR; 'maniple info --settings' lists them" ]
check $? "also one that resembles none" "$warned"
[ -z "$(MANIPLE_COLOUR=9 MANIPLE_LOG=error "$MANIPLE" info --settings 2>&1 >/dev/null)" ]
check $? "but not with MANIPLE_LOG=error"
if [ -n "$MPIRUN" ]; then
    differs=$("$MPIRUN" -n 1 env MANIPLE_REPRODUCIBLE=1 "$MANIPLE" info : -n 1 "$MANIPLE" info 2>&1 >/dev/null)
    case $? in 0) false ;; *) echo "$differs" | grep -q 'MANIPLE_REPRODUCIBLE is 1 on some ranks' ;; esac
    check $? "ranks have the same reproducible mode" "$differs"
    differs=$("$MPIRUN" -n 1 env MANIPLE_MATMUL=emulated "$MANIPLE" info : -n 1 "$MANIPLE" info 2>&1 >/dev/null)
    case $? in 0) false ;; *) echo "$differs" | grep -q 'MANIPLE_MATMUL is not the same on all ranks' ;; esac
    check $? "and multiply matrices alike" "$differs"
else
    skip "ranks have the same reproducible mode" "there is no mpirun"
    skip "and multiply matrices alike" "there is no mpirun"
fi

"$MANIPLE" info --layout 4x6 --ranks 6 --mesh 2x3 --order 1,0 >drawing.txt 2>stderr
printf '%s\n' 'shape (4, 6), 6 ranks as 2 x 3, blocks of 4 elements' 'axis 0 cuts dimension 0, axis 1 cuts dimension 1: "0, 1 on 2 x 3"' \
    'stored in the order of dimensions 1, 0, the slowest first' '  0       2       4       6' \
    '0 +-------+-------+-------+' '  |   0   |   1   |   2   |' '2 +-------+-------+-------+' \
    '  |   3   |   4   |   5   |' '4 +-------+-------+-------+' >expected.txt
cmp -s drawing.txt expected.txt
check $? "maniple info --layout draws" "$(cat drawing.txt stderr)"
[ "$(on_two "$MANIPLE" info -l 10 | grep -c "^shape (10,), ${MPIRUN:+2}")" -eq 1 ]
check $? "for the ranks that run, once"
if [ -n "$PYTHON" ]; then
    "$MANIPLE" info --layout 10x3 --ranks 2 --cyclic 2x0 --axes 0,- --json >drawing.json 2>stderr
    run "maniple info --layout --json" "$PYTHON" -c '
import json
made = json.load(open("drawing.json"))
assert made["shape"] == [10, 3] and made["cyclic"] == [2, 0] and made["order"] == [0, 1], made
assert made["ranks"] == [{"rank": 0, "from": [0, 0], "extent": [10, 3], "block": [6, 3]},
                         {"rank": 1, "from": [2, 0], "extent": [6, 3], "block": [4, 3]}], made'
else
    skip "maniple info --layout --json" "there is no Python"
fi

# ---- conv ----

png=
grep -q '^#define HAVE_PNG 1' "$builddir/config.h" && png='--picture picture.png'
# shellcheck disable=SC2086  # two words, or none
on_two "$MANIPLE" conv dirac:300x2100/100 hanning:9x9 -o out.h5:/y $png >report.txt 2>stderr
check $? "maniple conv $png" "$(cat stderr)"
for word in 'on 1 host' 'dirac:300x2100/100: 300x2100 float32' 'hanning:9x9: 9x9 float64, mode same, boundary fill' \
    'out.h5:/y: 300x2100 float32' 'read .* s, plan .* s, convolve .* s, write .* s' 'Gtap/s' \
    ${png:+'picture.png: [0-9]* x [0-9]* pixels, a dot is the mean of 3x3 elements' 'picture [0-9.]* s'}; do
    grep -q -e "$word" report.txt
    check $? "the report has '$word'" "$(cat report.txt)"
done
"$MANIPLE" conv dirac:30x20/5 hanning:1x1 -o out.h5:/quiet -q >report.txt 2>&1 && [ ! -s report.txt ]
check $? "--quiet prints nothing" "$(cat report.txt)"

if [ -n "$PYTHON" ]; then
    "$PYTHON" -c "
import h5py, numpy
with h5py.File('keep.h5', 'w') as file:
    file['x'] = numpy.ones((8, 9))
    file['x'].attrs['unit'] = 'Jy'
    file['y'] = 'to be replaced'"
    on_two "$MANIPLE" conv keep.h5:x hanning:1x1 -o keep.h5:/y -q &&
        on_two "$MANIPLE" conv keep.h5:x hanning:1x1 -o keep.h5:/new/group/z -q
    run "a dataset is replaced, the others are kept" "$PYTHON" -c "
import h5py, numpy
with h5py.File('keep.h5') as file:
    assert file['x'].attrs['unit'] == 'Jy' and (file['x'][()] == 1).all()
    assert (file['y'][()] == 1).all() and (file['new/group/z'][()] == 1).all()"
else
    skip "a dataset is replaced, the others are kept" "there is no Python"
fi
[ -z "$(find . -name '.*.tmp')" ]
check $? "no temporary file is left behind" "$(find .)"

# ---- interruption: while it computes, and while it writes ----

# shellcheck disable=SC2317  # it is called, by way of interrupt
computes()
{
    [ "$tries" -ge 30 ] && [ -z "$(find . -name '*early.h5*')" ] # it has had time to come so far, and writes nothing yet
}

# shellcheck disable=SC2317  # it is called, by way of interrupt
writes()
{
    find . -name '.late.h5.*' | grep -q .
}

# interrupt CONDITION COMMAND...: run, and end it by SIGTERM when it computes or writes; it must end soon.  The command is
# a program and no function, since it is the program that has to get the signal.
interrupt()
{
    condition=$1
    shift
    "$@" 2>stderr &
    pid=$!
    tries=0
    until "$condition" || [ $tries -ge 6000 ] || ! kill -0 $pid 2>/dev/null; do
        sleep 0.05
        tries=$((tries + 1))
    done
    met=no
    "$condition" && met=yes
    kill -TERM $pid 2>/dev/null || met=no
    tries=0
    while kill -0 $pid 2>/dev/null && [ $tries -lt 6000 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ $tries -lt 6000 ]
}

# late_is_good: the file is as it was before, or the signal came too late and it is whole
late_is_good()
{
    cmp -s late.h5 out.h5 || [ "$(wc -c <late.h5)" -gt 144000000 ]
}

# interrupted DESCRIPTION DETAILS: the status before is a point's, if the signal came in time; a run may be over before it
interrupted()
{
    result=$?
    if [ $met = yes ]; then
        check $result "$1" "$2"
    else
        skip "$1" "the run was over before the signal"
    fi
}

interrupt computes ${MPIRUN:+"$MPIRUN" -n 2} "$MANIPLE" conv dirac:12000x12000/64 gauss:901x901@90 -o early.h5:/y -q
interrupted "a run that is told to end ends soon" "$(cat stderr)"
[ -z "$(find . -name '*early.h5*')" ]
interrupted "and leaves no file" "$(find .)"
cp out.h5 late.h5
interrupt writes "$MANIPLE" conv dirac:6000x6000/64 hanning:1x1 -o late.h5:/y -q
interrupted "so does one that is writing" "$(cat stderr)"
late_is_good && [ -z "$(find . -name '.late.h5.*')" ]
interrupted "and leaves the file as it was, and no other" "$(ls -la)"
# Open MPI's mpirun sends SIGKILL milliseconds after SIGTERM, so a temporary file may be left; the output is safe
cp out.h5 late.h5
interrupt writes ${MPIRUN:+"$MPIRUN" -n 2} "$MANIPLE" conv dirac:6000x6000/64 hanning:1x1 -o late.h5:/y -q
interrupted "two ranks that are writing end soon" "$(cat stderr)"
late_is_good
interrupted "and leave the file as it was" "$(ls -la)"

# ---- manual pages ----

if command -v mandoc >/dev/null; then
    for page in "$pages"/*.1; do
        run "$(basename "$page") has no mistake" mandoc -T lint -W warning "$page"
    done
else
    skip "the manual pages have no mistake" "there is no mandoc"
fi
# Options in the pages are lines of the kind ".It Fl -name Ar argument" or ".It Fl x , Fl -name , Fl -other"
# of --name; --profile and --trace, which every subcommand has, are in maniple.1
grep -q '^\.It Fl -profile$' "$pages/maniple.1" && grep -q '^\.It Fl -trace ' "$pages/maniple.1"
check $? "maniple.1 has the options of every subcommand"
for subcommand in bench cache channelize conv deconv doctor eval fft filter info label linalg profile random solve spectrogram spinfo stats; do
    page=$pages/maniple-$subcommand.1
    "$MANIPLE" "$subcommand" --help | grep -v -e '^      --profile ' -e '^      --trace FILE ' |
        sed -n 's/^  \(-[a-zA-Z], \)\{0,1\} *--\([a-z]*\).*/\2/p' | sort >help.txt
    grep '^\.It Fl' "$page" | grep -o 'Fl -[a-z]*' | cut -c5- | sort >page.txt
    run "maniple-$subcommand.1 has the options of --help" diff help.txt page.txt
    [ "$(grep -cE '^\.Sh (SYNOPSIS|DESCRIPTION|ENVIRONMENT|EXIT STATUS|EXAMPLES|SEE ALSO)$' "$page")" -eq 6 ]
    check $? "and every section"
    grep -q "^\.It Cm $subcommand\$" "$pages/maniple.1"
    check $? "maniple.1 lists it"
done
sed -n 's/^\.It Ev \(MANIPLE_[A-Z_]*\)$/\1/p' "$pages/maniple.1" >page.txt
sed -n 's/^\(MANIPLE_[A-Z_]*\) = .*/\1/p' settings.txt >help.txt
run "maniple.1 has the settings" diff help.txt page.txt
sed 's/\\-/-/g; s/\\(ti/~/g' "$pages/maniple.1" >page.txt
missing=$(sed -n 's/^    //p' settings.txt | grep -vxFf page.txt)
check ${#missing} "maniple.1 has their meanings and defaults" "$missing"

done_testing
