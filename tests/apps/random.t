#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple random: the same numbers on any number of ranks, those of the library; errors are reported in one
# sentence, with the same status on all ranks, and leave no file behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

# random_fails STATUS PATTERN ARGUMENT...: on 1 rank and on 3
random_fails()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" random "$@"
}

# random_alone STATUS PATTERN ARGUMENT...: on one rank
random_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" random "$@")
    check $? "random $*" "$details"
}

run "help" "$MANIPLE" random --help
[ "$("$MANIPLE" random --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

# ---- results ----

[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}
for ranks in 1 3; do
    if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
        skip "on $ranks ranks" "there is no mpirun"
        continue
    fi
    out=random$ranks.h5
    run "bits on $ranks rank(s)" on "$ranks" "$MANIPLE" random bits 2x2 -d uint32 -s 0 -o $out:/bits
    run "normal numbers" on "$ranks" "$MANIPLE" random normal 101x33 mean=5 std=2 -d float32 -s 3 -o $out:/normal -q
    run "integers" on "$ranks" "$MANIPLE" random integers 1000 low=-2 high=5 -s 3 -o $out:/integers -q
    run "counts" on "$ranks" "$MANIPLE" random binomial 50x3x2 n=10 p=0.5 -s 18446744073709551615 \
        -o $out:/deep/counts -q
    run "a permutation" on "$ranks" "$MANIPLE" random permutation 77 -s 3 -o $out:/permutation -q
    run "no elements" on "$ranks" "$MANIPLE" random uniform 0x3 -s 3 -o $out:/none -q
    run "what was written on $ranks rank(s)" env FILE=$out "$PYTHON" - <<'END'
import os
import h5py
import numpy as np

file, first = h5py.File(os.environ["FILE"], "r"), h5py.File("random1.h5", "r")
assert file["bits"][()].tolist() == [[0x6627e8d5, 0xe169c58d], [0xbc57ac4c, 0x9b00dbd8]]
normal, integers, counts = file["normal"][()], file["integers"][()], file["deep/counts"][()]
assert normal.shape == (101, 33) and normal.dtype == np.float32
assert abs(normal.mean() - 5) < 0.2 and abs(normal.std() - 2) < 0.2
assert integers.dtype == np.int64 and set(integers) == set(range(-2, 5))
assert counts.shape == (50, 3, 2) and 4.5 < counts.mean() < 5.5 and 0 <= counts.min() and counts.max() <= 10
assert sorted(file["permutation"][()]) == list(range(77)) != list(file["permutation"][()])
assert file["none"].shape == (0, 3)
for name in ("normal", "integers", "deep/counts", "permutation"):
    assert (file[name][()] == first[name][()]).all(), name
END
done
"$MANIPLE" random exponential 300x20 -s 4 -o random1.h5:/x >report.txt 2>&1
run "the report" grep -q '^result *random1.h5:/x: 300x20 float64' report.txt

# ---- what is refused ----

random_fails 2 "did you mean 'normal'" norml 10 -s 1 -o new.h5:/x
random_fails 2 'the standard deviation is -1' normal 10 std=-1 -s 1 -o new.h5:/x
random_alone 2 'not a shape' normal 10x -s 1 -o new.h5:/x
random_alone 2 'more elements than a machine can hold' normal 1000000000x1000000000 -s 1 -o new.h5:/x
random_alone 2 'more elements than a machine can hold' normal 100000000000000000000 -s 1 -o new.h5:/x
random_alone 2 'more than 8 dimensions' normal 1x1x1x1x1x1x1x1x1 -s 1 -o new.h5:/x
random_alone 2 'needs a seed' normal 10 -o new.h5:/x
random_alone 2 "the seed is '-1'" normal 10 -s -1 -o new.h5:/x
random_alone 2 "sets no parameter of normal, which has mean and std" normal 10 scale=2 -s 1 -o new.h5:/x
random_alone 2 "sets no parameter of bits, which has none" bits 10 low=2 -s 1 -o new.h5:/x
random_alone 2 'given twice' normal 10 std=1 std=2 -s 1 -o new.h5:/x
random_alone 2 "is '2.5', which is not an integer" integers 10 high=2.5 -s 1 -o new.h5:/x
random_alone 2 'integers needs its parameter high' integers 10 -s 1 -o new.h5:/x
random_alone 2 'counts whose mean is 300 are out of bounds for uint8' poisson 10 mean=300 -d uint8 -s 1 -o new.h5:/x
random_alone 2 'out of bounds for int8' integers 10 high=1000 -d int8 -s 1 -o new.h5:/x
random_alone 2 'float12' normal 10 -d float12 -s 1 -o new.h5:/x
random_alone 2 '^maniple: --dtype is int8, and must be a real float' uniform 10 -d int8 -s 1 -o new.h5:/x
random_alone 2 'has one dimension, not 2' permutation 3x3 -s 1 -o new.h5:/x
random_alone 2 'o FILE:/DATASET' normal 10 -s 1
random_alone 2 'names no dataset' normal 10 -s 1 -o new.h5
random_alone 2 'needs DISTRIBUTION and SHAPE' normal -s 1 -o new.h5:/x
random_alone 1 'no/such' normal 10 -s 1 -o no/such/new.h5:/x

done_testing
