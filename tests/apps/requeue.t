#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple solve --requeue: what a warned run does.  A script stands in for scontrol; tests/slurm/jobs.t has a Slurm.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"
pid='' file=state.h5
trap '[ -z "$pid" ] || kill -TERM "$pid" 2>/dev/null; chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir bin
cat >bin/scontrol <<'END'
#!/bin/sh
echo "$*" >>asked
exit "${SCONTROL_STATUS:-0}"
END
chmod +x bin/scontrol
PATH=$PWD/bin:$PATH
export PATH

saved()
{
    "$PYTHON" -c 'import h5py; print(h5py.File("state.h5")["iterations"][0])'
}

# begun RANKS ARGUMENT...: a run that would take long has saved a checkpoint
begun()
{
    launcher=
    [ "$1" = 1 ] || launcher="$MPIRUN -n $1"
    shift
    rm -f mark asked && touch mark
    $launcher env PATH="$PATH" "$MANIPLE" solve poisson:300x300 -o out.h5:/x --method richardson --omega 0.2 --maxiter 100000000 \
        --rtol 1e-14 --every 10 --checkpoint "$file" --requeue 2 "$@" >report.txt 2>&1 &
    pid=$!
    tries=0
    until [ -n "$(find "$file" -newer mark 2>/dev/null)" ] || [ $tries -ge 3000 ] || ! kill -0 $pid 2>/dev/null; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

# warned RANKS ARGUMENT...: it gets the signal then; its exit status will be $status.  mpirun passes the signal on.
warned()
{
    begun "$@"
    kill -USR1 $pid
}

# ended: it has ended within 5 minutes
ended()
{
    tries=0
    while kill -0 $pid 2>/dev/null && [ $tries -lt 3000 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -0 $pid 2>/dev/null && kill -KILL $pid
    wait $pid
    status=$?
}

export SLURM_JOB_ID=17
warned 1
ended
[ "$status" -eq 4 ] && [ "$(cat asked)" = 'requeue 17' ] && [ ! -e out.h5 ]
check $? "a run that is warned has its job requeued, and ends with status 4" "$status $(cat report.txt asked)"
first=$(saved)
grep -q "^maniple solve: the job is near its limit of time: iteration $first is saved in state.h5, and job 17 is requeued, for time 1 of 2$" report.txt
check $? "it says so, with the iteration that it has saved" "$(cat report.txt)"
if [ -n "$MPIRUN" ]; then
    SLURM_RESTART_COUNT=1 warned 2
    ended
    [ "$status" -eq 4 ] && [ "$(cat asked)" = 'requeue 17' ] && [ "$(saved)" -gt "$first" ]
    check $? "the same command goes on, here on two ranks, of which one asks Slurm" "$status $first $(saved) $(cat report.txt asked)"
    grep -q 'for time 2 of 2$' report.txt
    check $? "for the second time" "$(cat report.txt)"
fi
before=$(saved)
SLURM_RESTART_COUNT=2 warned 1
tries=0
until grep -q limit report.txt || [ $tries -ge 3000 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -0 "$pid" && [ ! -e asked ] && [ "$(saved)" -gt "$before" ]
check $? "a run whose job was requeued as often as allowed saves its iterate and goes on" "$before $(saved) $(cat report.txt)"
grep -q 'was requeued 2 times, as --requeue allows: it goes on to the limit; iteration [0-9]* is saved in state.h5$' report.txt
check $? "and says so" "$(cat report.txt)"
kill -TERM "$pid"
ended
SCONTROL_STATUS=1 warned 1
ended
[ "$status" -eq 1 ] && grep -q "'scontrol requeue 17' has failed; iteration $(saved) is saved in state.h5" report.txt
check $? "if the job cannot be requeued, that is status 1" "$status $(cat report.txt)"
unset SLURM_JOB_ID
warned 1
ended
[ "$status" -eq 4 ] && [ ! -e asked ] && grep -q 'this is no job of Slurm: the same command goes on from there' report.txt
check $? "outside of Slurm nothing is requeued" "$status $(cat report.txt)"
mkdir there
file=there/state.h5
begun 1
mv there away
tries=0
until grep -q 'the checkpoint is not written' report.txt || [ $tries -ge 3000 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
mv away there
kill -USR1 $pid
ended
[ "$status" -eq 4 ]
check $? "a checkpoint that could not be written before does not keep a run from being requeued" "$status $(cat report.txt)"
begun 1
mv there away
kill -USR1 $pid
tries=0
until grep -q 'is not requeued, as its iterate cannot be saved in there/state.h5' report.txt || [ $tries -ge 3000 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
[ $tries -lt 3000 ] && kill -0 $pid
check $? "one that cannot be written now does, and the run says so" "$(cat report.txt)"
kill -TERM $pid
ended
file=state.h5
rm -f state.h5 out.h5
on 1 "$MANIPLE" solve poisson:20x20 -o out.h5:/x --checkpoint state.h5 --requeue 1 -q
check $? "a run that is not warned needs no Slurm, and no checkpoint from before"

details=$(fails_on 1 2 '\-\-requeue goes with --checkpoint' "$MANIPLE" solve poisson:9 -o y.h5:/x --requeue 1)
check $? "--requeue without --checkpoint" "$details"
details=$(fails_on 1 2 'leave out --resume' "$MANIPLE" solve poisson:9 -o y.h5:/x --checkpoint c.h5 --requeue 1 --resume c.h5)
check $? "--requeue with --resume" "$details"
details=$(fails_on 1 2 '\-\-requeue is .0.; it must be a whole number from 1' "$MANIPLE" solve poisson:9 -o y.h5:/x --checkpoint c.h5 --requeue 0)
check $? "--requeue 0" "$details"
done_testing
