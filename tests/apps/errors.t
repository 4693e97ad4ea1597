#!/bin/sh
# What goes wrong is said in one sentence by one rank, with status 1, or 2 where the command line alone shows it; no rank
# hangs, and no file is made, changed or left behind.

. "${srcdir:-.}/tests/tap.sh"

: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# on RANKS COMMAND...: one rank runs without mpirun
on()
{
    ranks=$1
    shift
    if [ "$ranks" = 1 ]; then
        timeout 60 "$@"
    else
        timeout 60 "$MPIRUN" -n "$ranks" "$@"
    fi
}

# Names and contents of all files here, and the folders
snapshot()
{
    find . | sort
    find . -type f -exec cksum {} + | sort
}

# fails_on RANKS STATUS PATTERN COMMAND...: the command's sentence has the pattern, and it touches nothing
fails_on()
{
    ranks=$1 expected=$2 pattern=$3
    shift 3
    before=$(snapshot)
    output=$(on "$ranks" "$@" 2>&1)
    status=$?
    lines=$(printf '%s\n' "$output" | grep '^maniple: ')
    if [ "$status" -ne "$expected" ]; then
        echo "status $status instead of $expected"
    elif [ "$(printf '%s\n' "$lines" | wc -l)" -ne 1 ] || ! printf '%s\n' "$lines" | grep -q -e "$pattern"; then
        echo "not one sentence with '$pattern'"
    elif [ "$(snapshot)" != "$before" ]; then
        echo "files have changed:"
        snapshot
    else
        return 0
    fi
    printf '%s\n' "$output"
    return 1
}

# fails STATUS PATTERN COMMAND...: so on 1 rank and on 3
fails()
{
    description="$4 $5 $6 $7 $8 $9"
    for ranks in 1 3; do
        if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
            skip "on $ranks ranks: $description" "there is no mpirun"
            continue
        fi
        details=$(fails_on "$ranks" "$@")
        check $? "on $ranks rank(s): $description" "$details"
    done
}

# conv STATUS PATTERN ARGUMENT...
conv()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" conv "$@"
}

# conv_alone STATUS PATTERN ARGUMENT...: on 1 rank, for what only the parsing of one word tells from what `conv` has shown
conv_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" conv "$@")
    check $? "conv $*" "$details"
}

made=$("$MANIPLE" conv dirac:24x20/4 hanning:3x3 -o in.h5:/x -q 2>&1 &&
    "$MANIPLE" conv dirac:3x4/3 hanning:1x1 --dtype float64 -o in.h5:/deep/kernel -q 2>&1 &&
    "$MANIPLE" conv dirac:24x20/4 hanning:3x3 --fillvalue nan -o in.h5:/nan -q 2>&1 &&
    "$MANIPLE" conv dirac:24x20/4 hanning:1x1 --dtype uint8 -o in.h5:/bytes -q 2>&1)
check $? "the files of this test" "$made"
echo "these are notes" >notes.txt
ln -s in.h5 link.h5
head -c 2000 in.h5 >cut.h5
mkdir folder

# Misuse: on one rank for every sentence, on three for one of each kind
fails 2 "did you mean 'conv'" "$MANIPLE" cnv in.h5:/x hanning:3x3 -o out.h5:/y
conv 2 'did you mean --boundary' in.h5:/x hanning:3x3 -o out.h5:/y --bondary wrap
conv 2 "KERNEL 'hanning:0x3' is empty" in.h5:/x hanning:0x3 -o out.h5:/y
conv 2 'OUTPUT .* is INPUT itself' ./in.h5:/x hanning:3x3 -o in.h5:/x
conv_alone 2 'OUTPUT .* is INPUT itself' link.h5:x hanning:3x3 -o "$work/in.h5:/./x"
conv_alone 2 'OUTPUT .* is KERNEL itself' in.h5:/x in.h5:/deep/kernel -o in.h5:deep//kernel/
conv_alone 2 'unknown option -z' in.h5:/x hanning:3x3 -o out.h5:/y -z
conv_alone 2 'INPUT and KERNEL' -o out.h5:/y
conv_alone 2 'KERNEL after INPUT' in.h5:/x -o out.h5:/y
conv_alone 2 "also given 'third'" in.h5:/x hanning:3x3 third -o out.h5:/y
conv_alone 2 'o FILE:/DATASET' in.h5:/x hanning:3x3
conv_alone 2 'needs its OUTPUT' in.h5:/x hanning:3x3 -o
conv_alone 2 'takes no argument' in.h5:/x hanning:3x3 -o out.h5:/y --quiet=yes
conv_alone 2 'given twice' in.h5:/x hanning:3x3 -o out.h5:/y -o out.h5:/z
conv_alone 2 'names no dataset' in.h5 hanning:3x3 -o out.h5:/y
conv_alone 2 'names no dataset' in.h5:/x hanning:3x3 -o out.h5:/
conv_alone 2 'names no file' in.h5:/x hanning:3x3 -o :/y
conv_alone 2 'full, same or valid' in.h5:/x hanning:3x3 -o out.h5:/y --mode some
conv_alone 2 'mirror or nearest' in.h5:/x hanning:3x3 -o out.h5:/y --boundary torus
conv_alone 2 'goes with --boundary fill' in.h5:/x hanning:3x3 -o out.h5:/y --boundary wrap --fillvalue 1
conv_alone 2 'must be a number' in.h5:/x hanning:3x3 -o out.h5:/y --fillvalue 1x
conv_alone 2 'such as 0,1' in.h5:/x hanning:3x3 -o out.h5:/y --axes 0,
conv_alone 2 'dimension 4' in.h5:/x hanning:3x3 -o out.h5:/y --axes 0,4
conv_alone 2 'complex64 or complex128' in.h5:/x hanning:3x3 -o out.h5:/y --dtype float
conv_alone 2 'did you mean hanning' in.h5:/x haning:3x3 -o out.h5:/y
conv_alone 2 'gauss:SHAPE@SIGMA' in.h5:/x gauss:3x3 -o out.h5:/y
conv_alone 2 'positive number' in.h5:/x gauss:3x3@0 -o out.h5:/y
conv_alone 2 'more standard deviations' in.h5:/x gauss:3x3@1x2x3 -o out.h5:/y
conv_alone 2 'dirac:SHAPE/PERIOD' dirac:8x8 hanning:3x3 -o out.h5:/y
conv_alone 2 'hanning:SHAPE' in.h5:/x hanning:3x -o out.h5:/y
conv_alone 2 'all zeros' in.h5:/x hanning:2x3 -o out.h5:/y
conv_alone 2 'more than 4 dimensions' in.h5:/x hanning:3x3x3x3x3 -o out.h5:/y
conv_alone 2 'can be counted' dirac:4000000000x4000000000/2 hanning:3x3 -o out.h5:/y

# Inputs that are not there, or not what they should be
conv 1 'missing.h5' missing.h5:/x hanning:3x3 -o out.h5:/y
conv 1 'in.h5.*nothing\|nothing.*in.h5' in.h5:/nothing hanning:3x3 -o out.h5:/y
conv 1 'notes.txt' notes.txt:/x hanning:3x3 -o out.h5:/y
conv 1 'cut.h5' cut.h5:/x hanning:3x3 -o out.h5:/y
conv 1 'deep' in.h5:/deep hanning:3x3 -o out.h5:/y
conv 1 'NaN' in.h5:/x in.h5:/nan -o in.h5:/y
conv 1 'has 3 dimensions' in.h5:/x hanning:3x3x3 -o in.h5:/y
conv 1 'valid' in.h5:/x hanning:25x3 --mode valid -o in.h5:/y
conv 1 'ax[ei]s' in.h5:/x hanning:3x3 --axes 1,1 -o in.h5:/y
conv 1 '256' in.h5:/bytes hanning:3x3 --fillvalue 256 -o in.h5:/y
if [ -n "$PYTHON" ]; then
    "$PYTHON" -c "
import h5py
with h5py.File('odd.h5', 'w') as file:
    file['empty'] = [[], []]
    file['scalar'] = 1.0
    file['five'] = [[[[[1.0]]]]]
    file['words'] = 'words'"
    conv 1 'empty' odd.h5:/empty hanning:1x1 -o out.h5:/y
    conv 1 'empty' in.h5:/x odd.h5:/empty -o out.h5:/y
    conv 1 '0 dimensions' odd.h5:/scalar hanning:1 -o out.h5:/y
    conv 1 '5 dimensions' odd.h5:/five hanning:1 -o out.h5:/y
    conv 1 'words' odd.h5:/words hanning:1 -o out.h5:/y
else
    skip "datasets that are no arrays of numbers" "there is no Python with h5py to make them"
fi

# Outputs that cannot be written
conv 1 "no/such" in.h5:/x hanning:3x3 -o no/such/out.h5:/y
conv 1 'is a folder' in.h5:/x hanning:3x3 -o folder:/y
conv 1 'notes.txt' in.h5:/x hanning:3x3 -o notes.txt/out.h5:/y
conv 1 'notes.txt' in.h5:/x hanning:3x3 -o notes.txt:/y
conv 1 'in.h5.*deep\|deep.*in.h5' in.h5:/x hanning:3x3 -o in.h5:/deep
if "$MANIPLE" conv dirac:24x20/4 hanning:1x1 -o picture.h5:/y --png picture.png -q 2>/dev/null; then
    conv 1 'no/such' in.h5:/x hanning:3x3 -o out.h5:/y --png no/such/out.png
    conv 2 'is the file of INPUT' in.h5:/x hanning:3x3 -o out.h5:/y --png link.h5
    conv_alone 2 'is the file of OUTPUT' in.h5:/x hanning:3x3 -o out.h5:/y --png ./out.h5
    conv_alone 1 '2 dimensions or more' dirac:8/2 hanning:3 -o out.h5:/y --png out.png
else
    rm -f picture.*
    conv_alone 2 'built without libpng' in.h5:/x hanning:3x3 -o out.h5:/y --png out.png
fi
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w folder
    conv 1 'Permission denied' in.h5:/x hanning:3x3 -o folder/out.h5:/y
else
    skip "a folder without permission" "root may write anywhere"
fi

# No room: a file that may not grow, and where we may mount one a disk that is full
# shellcheck disable=SC2016  # the inner shell expands
fails 1 'out.h5' sh -c 'ulimit -f 40000 && exec "$0" "$@"' \
    "$MANIPLE" conv dirac:4096x4096/64 hanning:1x1 -o out.h5:/y
# shellcheck disable=SC2016  # the inner shell expands
full_disk='mount -t tmpfs -o size=3m tmpfs folder && cp in.h5 folder/ || exit 9
    before=$(cksum folder/*)
    "$@"
    status=$?
    [ "$(find folder | sort | tr "\n" " ")" = "folder folder/in.h5 " ] && [ "$(cksum folder/*)" = "$before" ] || exit 8
    exit $status'
if unshare -rm mount -t tmpfs tmpfs folder 2>/dev/null; then
    details=$(fails_on 1 1 'no space' unshare -rm sh -c "$full_disk" sh ${MPIRUN:+"$MPIRUN" -n 2} \
        "$MANIPLE" conv dirac:1024x1024/64 hanning:1x1 -o folder/in.h5:/y)
    check $? "a full disk" "$details"
else
    skip "a full disk" "a file system cannot be mounted here"
fi

done_testing
