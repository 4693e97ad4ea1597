#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Failures at run time: one rank reports each in one sentence, with status 1, or 2 where the operands are not what the
# command line needs; no rank hangs, and no file is made, changed or left behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

made=$("$MANIPLE" conv dirac:24x20/4 hanning:3x3 --fillvalue nan -o in.h5:/nan -q 2>&1 &&
    "$MANIPLE" conv dirac:24x20/4 hanning:1x1 --dtype uint8 -o in.h5:/bytes -q 2>&1)
check $? "further files of this test" "$made"
echo "these are notes" >notes.txt
head -c 2000 in.h5 >cut.h5
mkdir folder folder.png

# Inputs that are not there, or not what they should be
conv 1 'missing.h5' missing.h5:/x hanning:3x3 -o out.h5:/y
conv 1 'in.h5.*nothing\|nothing.*in.h5' in.h5:/nothing hanning:3x3 -o out.h5:/y
conv 2 'notes.txt' notes.txt:/x hanning:3x3 -o out.h5:/y
conv 2 'cut.h5' cut.h5:/x hanning:3x3 -o out.h5:/y
conv 1 'deep' in.h5:/deep hanning:3x3 -o out.h5:/y
conv 2 'KERNEL has a NaN' in.h5:/x in.h5:/nan -o in.h5:/y
conv 2 'has 3 dimensions' in.h5:/x hanning:3x3x3 -o in.h5:/y
conv 2 'valid' in.h5:/x hanning:25x3 --mode valid -o in.h5:/y
conv 2 'ax[ei]s' in.h5:/x hanning:3x3 --axes 1,1 -o in.h5:/y
conv 2 "--fillvalue is 256, which INPUT's dtype uint8" in.h5:/bytes hanning:3x3 --fillvalue 256 -o in.h5:/y
if [ -n "$PYTHON" ]; then
    "$PYTHON" -c "
import h5py
with h5py.File('odd.h5', 'w') as file:
    file['empty'] = [[], []]
    file['scalar'] = 1.0
    file['five'] = [[[[[1.0]]]]]
    file['words'] = 'words'"
    conv 2 'empty' odd.h5:/empty hanning:1x1 -o out.h5:/y
    conv 2 'empty' in.h5:/x odd.h5:/empty -o out.h5:/y
    conv 2 '0 dimensions' odd.h5:/scalar hanning:1 -o out.h5:/y
    conv 2 '5 dimensions' odd.h5:/five hanning:1 -o out.h5:/y
    conv 1 'words' odd.h5:/words hanning:1 -o out.h5:/y
else
    skip "datasets that are no arrays of numbers" "$(without_python)"
fi

# What is too large
MANIPLE_MEMORY_LIMIT=30M
export MANIPLE_MEMORY_LIMIT
conv 1 'of 30.0 MiB, the limit of MANIPLE_MEMORY_LIMIT for a rank, .* MiB free$' in.h5:/x hanning:100000000x1 -o out.h5:/y
unset MANIPLE_MEMORY_LIMIT

# Outputs that cannot be written
conv 1 "no/such" in.h5:/x hanning:3x3 -o no/such/out.h5:/y
conv 1 'is a folder' in.h5:/x hanning:3x3 -o folder:/y
conv 1 'notes.txt' in.h5:/x hanning:3x3 -o notes.txt/out.h5:/y
conv 2 'notes.txt' in.h5:/x hanning:3x3 -o notes.txt:/y
conv 1 'in.h5.*deep\|deep.*in.h5' in.h5:/x hanning:3x3 -o in.h5:/deep
if has_png; then
    conv 1 'no/such' in.h5:/x hanning:3x3 -o out.h5:/y --picture no/such/out.png
    conv_alone 1 'is a folder' in.h5:/x hanning:3x3 -o out.h5:/y --picture folder.png
    conv_alone 2 '2 dimensions or more' dirac:8/2 hanning:3 -o out.h5:/y --picture out.png
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
