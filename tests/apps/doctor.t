#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple doctor: every topic is there, and what is made wrong is found: a launcher that does not fit, a folder that
# cannot be written to, a cache that cannot, a compiler that is missing, limits, an OpenBLAS that does not know the
# processor.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

run "help" "$MANIPLE" doctor --help

# examined STATUS COMMAND...: it ends with that status; the report is in report.txt
examined()
{
    expected=$1
    shift
    timeout 300 "$@" >report.txt 2>errors.txt
    status=$?
    [ "$status" -eq "$expected" ]
    check $? "status $expected of $*" "$status $(cat report.txt errors.txt)"
}

# says VERDICT TOPIC PATTERN
says()
{
    grep -q "^$1 *$2 .*$3" report.txt
    check $? "$2 is $1: $3" "$(cat report.txt)"
}

MANIPLE_CACHE_DIR=$work/cache MANIPLE_DEVICE=host
export MANIPLE_CACHE_DIR MANIPLE_DEVICE

examined 0 "$MANIPLE" doctor "$work"
for topic in ranks cores device heap memlock /dev/shm files compiler cache LAPACK HDF5; do
    [ "$(grep -c -E "^(fine|slow|wrong) +$topic " report.txt)" -eq 1 ] || missing="${missing-} $topic"
done
[ -z "${missing-}" ]
check $? "each topic has one line" "${missing-} $(cat report.txt)"
says fine ranks '1 rank on 1 host, started by no launcher'
says fine compiler 'computes right'
says '[a-z]*' HDF5 "in $work: written at [0-9]* MB/s, read at [0-9]* MB/s"
grep -Eq '^[0-9]+ fine, [0-9]+ slow, 0 wrong$' report.txt
check $? "the last line counts them" "$(cat report.txt)"
[ -z "$(find . -name '.*doctor*')" ]
check $? "no file is left" "$(ls -A)"
if [ -n "$MPIRUN" ]; then
    examined 0 "$MPIRUN" -n 3 "$MANIPLE" doctor "$work"
    says fine ranks '3 ranks on 1 host, started by '
    says '[a-z]*' links 'GB/s from each rank to the others at once, by memory of the host, transport mpi'
    [ "$(grep -c ' HDF5 ' report.txt)" -eq 1 ]
    check $? "one rank prints"
fi
if [ -n "$PYTHON" ]; then
    "$MANIPLE" doctor --json >report.json
    run "JSON" "$PYTHON" -c '
import json
report = json.load(open("report.json"))
verdicts = [finding["verdict"] for finding in report["findings"]]
assert set(verdicts) <= {"fine", "slow", "wrong"} and len(verdicts) >= 10, verdicts
assert report["wrong"] == verdicts.count("wrong") == 0 and report["slow"] == verdicts.count("slow")
assert all((f["advice"] is None) == (f["verdict"] == "fine") for f in report["findings"])
assert report["ran_on"]["ranks"] == 1'
fi

# ---- what is made wrong ----

examined 1 "$MANIPLE" doctor "$work/nothing"
says wrong HDF5 'nothing'
grep -q -- '-> name a folder that all hosts see' report.txt
check $? "with what to do" "$(cat report.txt)"
examined 1 env SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 PMIX_RANK=0 OMPI_COMM_WORLD_SIZE=4 "$MANIPLE" doctor
says wrong ranks 'has started 4 processes, but each of them is a job of 1 rank'
if "$MPIRUN" --version 2>/dev/null | grep -q 'Open MPI'; then
    examined 1 env -u PMIX_RANK -u OMPI_COMM_WORLD_SIZE SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 "$MANIPLE" doctor
    says wrong ranks 'srun has started 4 processes without PMIx'
    [ ! -s errors.txt ]
    check $? "before MPI says so at length" "$(cat errors.txt)"
fi
rm -rf cache
examined 1 env MANIPLE_CXX=/nothing/c++ "$MANIPLE" doctor
says wrong compiler 'cannot be compiled: .*/nothing/c++'
! grep -q ' HDF5 ' report.txt && grep -q ' slow, 1 wrong$' report.txt
check $? "what needs kernels is then left out" "$(cat report.txt)"
examined 0 sh -c "ulimit -n 200 && exec '$MANIPLE' doctor"
says slow files '200 files may be open'
examined 0 env OPENBLAS_CORETYPE=Prescott "$MANIPLE" doctor
if grep -q ' LAPACK .*OpenBLAS .*Prescott' report.txt && grep -q -m 1 '^flags.* avx2 ' /proc/cpuinfo; then
    says slow LAPACK 'on rank 0 takes the processor for Prescott'
    grep -q -- '-> set OPENBLAS_CORETYPE=' report.txt
    check $? "with what to do" "$(cat report.txt)"
    examined 0 env OPENBLAS_CORETYPE=Haswell "$MANIPLE" doctor
    says fine LAPACK 'takes the processor for Haswell'
else
    skip "an OpenBLAS that takes the processor for an old one" "there is no OpenBLAS with several cores, or no AVX2"
fi
if [ -e /dev/full ]; then
    "$MANIPLE" doctor >/dev/full 2>errors.txt
    [ $? -eq 1 ] && grep -q 'standard output cannot be written' errors.txt
    check $? "output that cannot be written" "$(cat errors.txt)"
fi
mkdir interrupted
for _ in 1 2 3; do # a signal that comes before or after the file is there finds nothing to do
    "$MANIPLE" doctor interrupted >/dev/null 2>&1 &
    doctor=$!
    while kill -0 "$doctor" 2>/dev/null && ! ls interrupted/.maniple-doctor-*.h5 >/dev/null 2>&1; do :; done
    kill -TERM "$doctor" 2>/dev/null
    wait "$doctor" 2>/dev/null
done
[ -z "$(ls -A interrupted)" ]
check $? "a signal leaves no file" "$(ls -A interrupted)"
details=$(fails_on 1 2 "also given 'b'" "$MANIPLE" doctor a b)
check $? "two folders" "$details"
done_testing
