#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple conv streams datasets that exceed the memory limit: the same file as without a limit.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"

"$PYTHON" -c '
import h5py, numpy
rng = numpy.random.default_rng(5)
with h5py.File("data.h5", "w") as file:
    file["x"], file["k"] = rng.random((2600, 2000)).astype("float32"), rng.random((4, 5))
    file["cube"], file["line"] = rng.random((1300, 40, 50)), rng.random(6)'

# alike NAME RANKS LIMIT INPUT KERNEL OPTION...: the result under the limit is the one without, and it was streamed
# shellcheck disable=SC2317 # run calls it
alike()
{
    name=$1 ranks=$2 limit=$3
    shift 3
    "$MANIPLE" conv "$@" -o "whole$name.h5:/y" -q || return 1
    MANIPLE_MEMORY_LIMIT=$limit on "$ranks" "$MANIPLE" conv "$@" -o "part$name.h5:/y" >report.txt || return 1
    cat report.txt
    grep -qE '^streamed  ([3-9]|[1-9][0-9]+) slabs of [0-9]+ rows' report.txt || return 1
    "$PYTHON" -c '
import sys, h5py, numpy
a, b = (h5py.File(f"{way}{sys.argv[1]}.h5")["y"][:] for way in ("whole", "part"))
print(a.shape, a.dtype, b.shape, b.dtype, abs(a - b).max())
sys.exit(not (a.dtype == b.dtype and a.shape == b.shape and abs(a - b).max() <= 1e-5 * abs(a).max()))' "$name"
}
# 2600 x 2000 float32 are 20.8 MB, and more than five times what the ranks may have
run "zeros beyond the borders" alike 1 2 2M data.h5:/x data.h5:/k
run "periodic" alike 2 1 4M data.h5:/x data.h5:/k --boundary wrap --mode full
run "mirrored, correlated" alike 3 3 2M data.h5:/x data.h5:/k --boundary mirror --correlate
run "along the first axis of a cube" alike 6 1 4M data.h5:/cube data.h5:/line --axes 0 --boundary nearest
if [ -n "$MANIPLE_TEST_FULL" ]; then
    run "a value beyond the borders, full" alike 4 1 4M data.h5:/x data.h5:/k --fillvalue 3 --mode full
    run "valid" alike 5 2 2M data.h5:/x data.h5:/k --mode valid
    run "a batch" alike 7 2 2M data.h5:/cube data.h5:/line --boundary symm
fi

export MANIPLE_MEMORY_LIMIT=4M

# A signal while slabs are written: neither the result nor its part stays.  A run that was over before is repeated.
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
    [ "$status" -ne 0 ] && break
done
[ "$status" -gt 128 ] && [ ! -e channels.h5 ] && [ ! -e channels.h5.part ]
check $? "channelize that gets SIGTERM while it streams leaves nothing" "$status $(ls -lA; cat stderr)"
rm -f long.npy

fails 2 'has to be FILE:/DATASET' "$MANIPLE" conv data.h5:/x data.h5:/k -o y.npy
fails 2 'exists' "$MANIPLE" conv data.h5:/x data.h5:/k -o data.h5:/y
fails 2 'picture needs all of INPUT' "$MANIPLE" conv data.h5:/x data.h5:/k -o y.h5:/y --picture y.svg
done_testing
