#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Mistakes on the command line: one rank reports each in one sentence, with status 2, and no file is touched.  The
# parser does not know how many ranks there are, so most mistakes run on one rank, and one of each kind on three.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

fails 2 "did you mean 'conv'" "$MANIPLE" cnv in.h5:/x hanning:3x3 -o out.h5:/y
fails 2 'does not divide 4 ranks' "$MANIPLE" info --layout 8x8 --ranks 4 --mesh 3x0
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
conv_alone 2 'given twice' in.h5:/x hanning:3x3 -o out.h5:/y --output=out.h5:/z
conv_alone 2 'names no dataset' in.h5 hanning:3x3 -o out.h5:/y
conv_alone 2 'names no dataset' in.h5:/x hanning:3x3 -o out.h5:/
conv_alone 2 'names no file' in.h5:/x hanning:3x3 -o :/y
conv_alone 2 'full, same or valid' in.h5:/x hanning:3x3 -o out.h5:/y --mode some
conv_alone 2 'mirror or nearest' in.h5:/x hanning:3x3 -o out.h5:/y --boundary torus
conv_alone 2 'goes with --boundary fill' in.h5:/x hanning:3x3 -o out.h5:/y --boundary wrap --fillvalue 1
conv_alone 2 'must be a number' in.h5:/x hanning:3x3 -o out.h5:/y --fillvalue 1x
conv_alone 2 'such as 0,1' in.h5:/x hanning:3x3 -o out.h5:/y --axes 0,
conv_alone 2 'dimension 0 twice' in.h5:/x hanning:3x3 -o out.h5:/y --axes 0,0
conv_alone 2 'dimension 99999999999999999999;' in.h5:/x hanning:3x3 -o out.h5:/y --axes 99999999999999999999
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
conv_alone 2 'than a machine can hold' dirac:4000000000x4000000000/2 hanning:3x3 -o out.h5:/y

# twice OPTION [VALUE]: of every subcommand, an option that is given twice
twice()
{
    subcommand=$1 option=$2
    shift
    details=$(fails_on 1 2 "option $option is given twice" "$MANIPLE" "$subcommand" "$@" "$@")
    check $? "$subcommand $*, twice" "$details"
}

twice bench --max 1K
twice bench --json
twice cache --size
twice conv --mode same
twice conv --output out.h5:/y
twice eval --quiet
twice info --layout 4x4
twice random --seed 1
twice solve --method cg
twice spinfo --json
twice stats --bins 3
conv 2 "option --mode is given twice, here as 'full'" in.h5:/x hanning:3x3 -o out.h5:/y --mode same --mode full

# other names of an operand, by HDF5's links
if [ -n "$PYTHON" ] && "$PYTHON" - <<'END'
import h5py
import numpy

with h5py.File("links.h5", "w") as file:
    file["x"] = numpy.arange(63.).reshape(7, 9)
    file["group/k"] = numpy.ones((2, 5))
    file["soft"] = h5py.SoftLink("/x")
    file["alias"] = file["group"]
with h5py.File("outer.h5", "w") as file:
    file["ext"] = h5py.ExternalLink("links.h5", "/x")
    file["folder"] = h5py.ExternalLink("links.h5", "/group")
END
then
    conv_alone 2 'is INPUT itself' links.h5:/soft hanning:5x5 -o links.h5:/x
    conv_alone 2 'is INPUT itself' links.h5:/x hanning:5x5 -o links.h5:/soft
    conv_alone 2 'is INPUT itself' outer.h5:/ext hanning:5x5 -o links.h5:/x
    conv_alone 2 'is KERNEL itself' links.h5:/x links.h5:/alias/k -o links.h5:/group/k
    conv_alone 1 'is a link to another file' links.h5:/x hanning:5x5 -o outer.h5:/folder/new
else
    skip "links of HDF5" "$(without_python)"
fi
mkfifo pipe.h5
conv_alone 1 'is not a regular file' pipe.h5:/x hanning:3x3 -o out.h5:/y

if has_png; then
    conv_alone 2 'empty name' in.h5:/x hanning:3x3 -o out.h5:/y --picture ''
    conv 2 'is the file of INPUT' in.h5:/x hanning:3x3 -o out.h5:/y --picture link.png
    conv_alone 2 'is the file of OUTPUT' in.h5:/x hanning:3x3 -o out.png:/y --picture ./out.png
else
    conv_alone 2 'built without libpng' in.h5:/x hanning:3x3 -o out.h5:/y --picture out.png
fi

# layout PATTERN ARGUMENT...: of maniple info --layout, on 1 rank
layout()
{
    pattern=$1
    shift
    details=$(fails_on 1 2 "$pattern" "$MANIPLE" info "$@")
    check $? "info $*" "$details"
}

layout 'go with --layout' --ranks 4
layout "was given '4x'" --layout 4x
layout '8 numbers at most' --layout 1x1x1x1x1x1x1x1x1
layout 'up to 9223372036854775807' --layout 99999999999999999999
layout 'too many elements' --layout 4000000000x4000000000
layout "was given '-1'" --layout 4 --ranks -1
layout 'two different things' --layout 4 --settings
layout "ranks takes a number from 1 to 16777216, but was given '0'" --layout 4 --ranks 0
layout "was given '16777217'" --layout 4 --ranks 16777217
layout 'at most, not for 100000000' --layout 4 --mesh 100000000
layout 'multiply to 2, and there are 4' --layout 4x4 --ranks 4 --mesh 2x1
layout 'each of the 2 dimensions' --layout 4x4 --axes 0
layout 'dimension 1 is to be cut by mesh axis 5' --layout 4x4 --ranks 4 --mesh 2x2 --axes 0,5
layout 'cuts both' --layout 4x4 --ranks 4 --mesh 2x2 --axes 0,0
layout 'each of the 2 dimensions' --layout 4x4 --cyclic 2
layout 'place 1 of --order has dimension 0' --layout 4x4 --order 0,0
layout 'does not go with' --layout 4x4 --replicate --mesh 1x1

done_testing
