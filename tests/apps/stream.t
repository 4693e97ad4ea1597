#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What exceeds the memory limit goes through in slabs: the same file as without a limit, whatever the borders are.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"

"$PYTHON" -c '
import h5py, numpy
rng = numpy.random.default_rng(5)
with h5py.File("data.h5", "w") as file:
    file["x"], file["k"] = rng.random((2600, 2000)).astype("float32"), rng.random((4, 5))
    file["cube"], file["line"] = rng.random((1300, 40, 50)), rng.random(6)
    file["tall"] = rng.random((101, 1))
    file["grey"], file["mask"] = rng.integers(0, 255, (2603, 1000), "uint8"), rng.random((2603, 1000)) < 0.8
    for name, options in (("chunked", {"chunks": (100, 300)}), ("packed", {"chunks": (64, 2000), "compression": 1})):
        file.create_dataset(name, data=file["x"][:], **options)
    numpy.save("x.npy", file["x"][:])
    numpy.save("fortran.npy", numpy.asfortranarray(file["x"][:]))' && "$MANIPLE" conv x.npy hanning:1x1 -o x.fits -q

# alike RANKS LIMIT ROUNDING COMMAND ARGUMENT...: the result under the limit is the one without, to so much of the
# largest element, and it was streamed
# shellcheck disable=SC2317 # run calls it
alike()
{
    ranks=$1 limit=$2 rounding=$3
    shift 3
    rm -f whole.h5 part.h5
    "$MANIPLE" "$@" -o whole.h5:/y -q || return 1
    MANIPLE_MEMORY_LIMIT=$limit on "$ranks" "$MANIPLE" "$@" -o part.h5:/y >report.txt || return 1
    cat report.txt
    grep -qE '^streamed  ([3-9]|[1-9][0-9]+) slabs of [0-9]+ rows' report.txt || return 1
    grep -qE '^overlap   .* [0-9]+ % of the time nothing but reading .* [0-9]+ % nothing but writing' report.txt ||
        return 1
    grep -qE '^time      .*read [0-9.]+ s, .*write [0-9.]+ s' report.txt || return 1
    "$PYTHON" -c '
import sys, h5py, numpy
a, b = (h5py.File(f"{way}.h5")["y"][:] for way in ("whole", "part"))
same = a.dtype == b.dtype and a.shape == b.shape
worst = abs(a.astype(complex) - b).max() if same else numpy.inf
print(a.shape, a.dtype, b.shape, b.dtype, worst)
sys.exit(not worst <= float(sys.argv[1]) * abs(a).max())' "$rounding"
}
# 2600 x 2000 float32 are 20.8 MB, and more than five times what the ranks may have
run "zeros beyond the borders" alike 2 2M 1e-5 conv data.h5:/x data.h5:/k
run "periodic" alike 1 4M 1e-5 conv data.h5:/x data.h5:/k --boundary wrap --mode full
run "mirrored, correlated" alike 3 2M 1e-5 conv data.h5:/x data.h5:/k --boundary mirror --correlate
run "along the first axis of a cube" alike 1 4M 1e-5 conv data.h5:/cube data.h5:/line --axes 0 --boundary nearest
run "a kernel that reaches over several slabs" alike 2 2M 1e-5 conv data.h5:/x data.h5:/tall --boundary symm
run "a filter" alike 3 2M 0 filter median_filter data.h5:/x size=5,3
run "two windows, one after the other" alike 2 2M 0 filter grey_opening data.h5:/grey size=4 origin=1 mode=wrap
if [ -n "$MANIPLE_TEST_FULL" ]; then
    run "a value beyond the borders, full" alike 1 4M 1e-5 conv data.h5:/x data.h5:/k --fillvalue 3 --mode full
    run "valid" alike 2 2M 1e-5 conv data.h5:/x data.h5:/k --mode valid
    run "a batch" alike 2 2M 1e-5 conv data.h5:/cube data.h5:/line --boundary symm
    for input in data.h5:/chunked data.h5:/packed x.npy fortran.npy x.fits 'data.h5:/x[::-1, 1::2]'; do
        run "of $input" alike 2 2M 0 conv "$input" data.h5:/k --method direct
    done
    ranks=0
    for boundary in fill wrap symm mirror nearest; do
        for mode in full same valid; do
            ranks=$((ranks % 4 + 1))
            run "$boundary, $mode, on $ranks" alike $ranks 2M 0 conv data.h5:/x data.h5:/k --method direct \
                --boundary $boundary --mode $mode
            run "$boundary, $mode, of several slabs, on $ranks" alike $ranks 4M 1e-5 conv data.h5:/x data.h5:/tall \
                --boundary $boundary --mode $mode
        done
    done
    for mode in reflect mirror nearest wrap constant; do
        while read -r filter data words; do
            ranks=$((ranks % 4 + 1))
            # shellcheck disable=SC2086 # several words
            run "$filter $words, $mode, on $ranks" alike $ranks 2M 0 filter "$filter" "data.h5:/$data" $words \
                mode=$mode
        done <<'EOF'
maximum_filter x size=4 origin=1
uniform_filter x size=6 origin=-2
uniform_filter grey size=5 cval=7
gaussian_filter x sigma=9,1 order=1,0
gaussian_filter cube sigma=2 axes=1,2
gaussian_laplace x sigma=1.5
sobel x axis=0
grey_dilation x size=4 origin=-1
black_tophat x size=6,3
morphological_gradient x size=4
percentile_filter grey size=3 percentile=30
EOF
    done
    while read -r filter data words; do
        ranks=$((ranks % 4 + 1))
        # shellcheck disable=SC2086 # several words
        run "$filter $words, on $ranks" alike $ranks 2M 0 filter "$filter" "data.h5:/$data" $words
    done <<'EOF'
binary_erosion mask iterations=7
binary_closing mask iterations=3 connectivity=2
medfilt x size=5,3
savgol_filter x window_length=7 axis=0
savgol_filter x window_length=7
detrend x
EOF
fi

export MANIPLE_MEMORY_LIMIT=4M

# A signal while slabs are written: neither the result nor its part stays.  A run that had its result before the
# signal came is repeated; mpirun may fail even then.
"$PYTHON" -c 'import numpy; numpy.save("long.npy", numpy.zeros(1 << 25, "float32"))'
for _ in 1 2 3 4 5; do
    rm -f channels.h5
    "$MANIPLE" channelize long.npy -o channels.h5:/y --channels 16 --taps 2 -q 2>stderr &
    pid=$!
    until [ -e channels.h5.part ] || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.02
    done
    kill -TERM "$pid" 2>/dev/null
    wait "$pid"
    status=$?
    [ -e channels.h5 ] || break
done
[ "$status" -gt 128 ] && [ ! -e channels.h5 ] && [ ! -e channels.h5.part ]
check $? "channelize that gets SIGTERM while it streams leaves nothing" "$status $(ls -lA; cat stderr)"
rm -f long.npy

# A file that is cut short meanwhile, on two ranks: a failure of all, and no part of the result.  The window is wide, so
# that the filter takes seconds.  The dataset is made when the first slab is computed, and one rank may see the file as
# it was before.
"$PYTHON" -c 'import numpy; numpy.save("long.npy", numpy.zeros((1 << 15, 1 << 8), "float32"))'
for _ in 1 2 3 4 5; do
    rm -f short.h5
    cp long.npy short.npy
    on 2 "$MANIPLE" filter gaussian_filter short.npy -o short.h5:/y sigma=100 -q 2>stderr &
    pid=$!
    until [ -n "$(find . -name short.h5.part -size +1000k)" ] || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.02
    done
    dd if=/dev/null of=short.npy bs=1048576 seek=1 count=0 2>/dev/null
    wait "$pid"
    status=$?
    [ -e short.h5 ] || break
done
[ "$status" -ne 0 ] && [ "$(grep -cE '^maniple: .*short.npy.*(truncated|shorter|bytes for rank)' stderr)" = 1 ] &&
    [ ! -e short.h5 ] && [ ! -e short.h5.part ]
check $? "an input that is cut short while it is filtered: one sentence, and nothing is left" \
    "$status $(cat stderr; ls -lA)"

# Control-C while slabs are written, which mpirun hands to its ranks a second later, and kills them after another; a shell
# lets its background processes ignore it
heeds='import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])'
for _ in 1 2 3 4 5; do
    rm -f stopped.h5
    # shellcheck disable=SC2086 # several words
    "$PYTHON" -c "$heeds" ${MPIRUN:+"$MPIRUN" -n 2} "$MANIPLE" filter gaussian_filter long.npy -o stopped.h5:/y \
        sigma=100 -q 2>stderr &
    pid=$!
    until [ -e stopped.h5.part ] || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.02
    done
    kill -INT "$pid" 2>/dev/null
    wait "$pid"
    status=$?
    [ -e stopped.h5 ] || break
done
[ "$status" -ne 0 ] && [ ! -e stopped.h5 ] && [ ! -e stopped.h5.part ]
check $? "a filter that gets SIGINT while it streams leaves nothing" "$status $(ls -lA; cat stderr)"
rm -f long.npy short.npy

# A disk that is full
mkdir folder
# shellcheck disable=SC2016  # the inner shell expands
full_disk='mount -t tmpfs -o size=9m tmpfs folder || exit 9
    "$@"
    status=$?
    [ -z "$(ls -A folder)" ] || exit 8
    exit $status'
if unshare -rm mount -t tmpfs tmpfs folder 2>/dev/null; then
    details=$(fails_on 1 1 'no space' unshare -rm sh -c "$full_disk" sh ${MPIRUN:+"$MPIRUN" -n 2} \
        "$MANIPLE" filter uniform_filter data.h5:/x -o folder/y.h5:/y size=3)
    check $? "a full disk" "$details"
else
    skip "a full disk" "a file system cannot be mounted here"
fi

# What --plan and --json say
# shellcheck disable=SC2016  # the inner shell expands
run "--plan says the slabs" sh -c '"$0" conv data.h5:/x data.h5:/k --plan | tee plan.txt &&
    grep -qE "^streamed  [0-9]+ slabs of [0-9]+ rows, each read and written while another is computed" plan.txt &&
    "$0" filter median_filter data.h5:/x size=3 --plan --json | tee plan.txt && grep -qE "\"slabs\": *[1-9]" plan.txt' \
    "$MANIPLE"
# shellcheck disable=SC2016  # the inner shell expands
run "--json says them, and what was not hidden" sh -c '
    "$0" filter median_filter data.h5:/x size=3 -o json.h5:/y --json | "$1" -c "
import json, sys
told = json.load(sys.stdin)
print(told)
hidden = told[\"exposed_reading\"], told[\"exposed_writing\"]
sys.exit(not (told[\"slabs\"] > 2 and told[\"rows\"] > 0 and told[\"overlapped\"] and all(0 <= h <= 1 for h in hidden)
              and told[\"seconds\"][\"read\"] >= 0 and told[\"seconds\"][\"write\"] >= 0))"' "$MANIPLE" "$PYTHON"

fails 2 'has to be FILE:/DATASET' "$MANIPLE" conv data.h5:/x data.h5:/k -o y.npy
fails 2 'exists' "$MANIPLE" conv data.h5:/x data.h5:/k -o data.h5:/y
cp data.h5 twice.h5.part
fails 2 "is in the file 'twice.h5.part', as OUTPUT" "$MANIPLE" conv data.h5:/x twice.h5.part:/k -o twice.h5:/y
[ -e twice.h5.part ] && [ ! -e twice.h5 ]
check $? "an input of the name that the result has meanwhile stays"
fails 2 'picture needs all of INPUT' "$MANIPLE" conv data.h5:/x data.h5:/k -o y.h5:/y --picture y.svg
fails 1 'needs all of INPUT .* cannot go through it in slabs' "$MANIPLE" label data.h5:/x -o y.h5:/y
fails 1 'needs all of INPUT' "$MANIPLE" filter distance_transform_edt data.h5:/x -o y.h5:/y
fails 1 'needs all of INPUT' "$MANIPLE" filter detrend data.h5:/x -o y.h5:/y axis=0
fails 1 'needs all of INPUT' "$MANIPLE" filter binary_erosion data.h5:/x -o y.h5:/y iterations=0
done_testing
