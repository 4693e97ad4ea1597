#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The scripts of jobs/ in a Slurm of two hosts (see cluster): what they compute, how they end, and what Slurm says of
# them; ranks started by srun and by mpirun; jobs that are cancelled, come to their limit of time, are requeued, preempted,
# or lose a host.  On the host device; Slurm only counts GPUs.
# shellcheck disable=SC2154,SC2317  # submit assigns; functions are called by way of until_true

. "${srcdir:-.}/tests/tap.sh"

cluster=$srcdir/tests/slurm/cluster
: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
if [ "${1-}" != inside ]; then
    reason=$("$cluster" why)
    [ -z "$reason" ] || skip_all "$reason"
    [ -n "$PYTHON" ] || skip_all "$(without_python)"
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    mkdir "$work/slurm" "$work/source" "$work/source/build"
    ln -s "$srcdir/jobs" "$srcdir/docs" "$work/source"
    export srcdir builddir MANIPLE PYTHON SLURM_FOLDER="$work/slurm"
    cd "$work/source" && "$cluster" sh "$srcdir/tests/slurm/jobs.t" inside
    exit
fi

# Two hosts have a network between them, unlike what run-test says; and jobs take these variables along
export OMPI_MCA_btl=self,vader,tcp JOBS_SITE="$srcdir/tests/slurm/site.sh" MANIPLE_DEVICE=host MANIPLE_THREADS=1
export PYTHONPATH="$builddir/python" MANIPLE_LIBRARY="$builddir/.libs/libmaniple.so" PYTHONDONTWRITEBYTECODE=1
PATH=$(dirname "$PYTHON"):$PATH
export PATH
unset OMPI_MCA_ess_singleton_isolated OMPI_MCA_orte_tmpdir_base
small="--cpus-per-task=1 --mem=1G"

# submit NAME ARGUMENT...: submit; its number is in the variable of that name
submit()
{
    submit_name=$1
    shift
    # shellcheck disable=SC2086  # several options
    submit_number=$(sbatch --parsable $small "$@" 2>submit.err) || submit_number=0
    [ "$submit_number" != 0 ] || check 1 "sbatch $*" "$(cat submit.err)"
    eval "$submit_name=\$submit_number"
}

# value JOB KEY: what Slurm says of a job
value()
{
    scontrol -o show job "$1" 2>/dev/null | sed -n "1s/.* $2=\([^ ]*\).*/\1/p"
}

# until_true COMMAND...: wait for it, at most ten minutes
until_true()
{
    tries=1200
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.5
    done
}

is_over()
{
    case $(value "$1" JobState) in
        PENDING | RUNNING | COMPLETING | SUSPENDED | REQUEUE*) return 1 ;;
    esac
}

is_running()
{
    [ "$(value "$1" JobState)" = RUNNING ]
}

was_requeued()
{
    [ "$(value "$1" Restarts)" -ge 1 ]
}

is_accounted()
{
    sacct -c -n -P -o JobID,State -j "$1" | grep -q "^$1[^|]*|$2"
}

# ended JOB STATE DESCRIPTION: in that state, as scontrol and sacct tell; its output is shown if not
ended()
{
    until_true is_over "$1"
    ended_state=$(value "$1" JobState)
    ended_file=$(value "$1" StdOut)
    [ "$ended_state" = "$2" ] && until_true is_accounted "$1" "$2"
    check $? "$3: $2" "$ended_state, $(sacct -c -n -P -o JobID,State -j "$1" | tr '\n' ' ') $(tail -n 30 "$ended_file" 2>&1)"
}

# said PATTERN JOB DESCRIPTION: in its output
said()
{
    said_file=$(value "$2" StdOut)
    grep -q -- "$1" "$said_file"
    check $? "$3" "$(tail -n 30 "$said_file" 2>&1)"
}

# points ARGUMENT...: of jobs.py
points()
{
    check_points "$PYTHON" "$srcdir/tests/slurm/jobs.py" "$@"
}

# ---- the limit of time: these take longest, so that they are submitted first ----

# It converges so slowly that it never does, and leaves the processors to other tests
endless="nice -n 19 $MANIPLE solve poisson:5000 --method richardson --omega 1e-3 --rtol 1e-12 --maxiter 1000000000 --every 100"
# Slurm warns up to a minute earlier than it is told to
submit limit -p urgent -n 1 --time=2 --signal=USR1@30 --output=limit.out \
    --wrap "trap 'exit 1' TERM; srun --mpi=pmix sh -c 'trap \"echo warned\" USR1; for i in \$(seq 10000); do sleep 0.1; done'"
submit going -p urgent -n 2 --time=20 --signal=USR1@1050 --requeue --open-mode=append --output=going.out \
    --wrap "srun --mpi=pmix $endless -o going.h5:/x --checkpoint going.state.h5 --requeue 1"

# ---- every script ----

"$PYTHON" "$srcdir/tests/slurm/jobs.py" make
seq -f 'images.h5:/image%.0f' 1 3 >list.txt
input=images.h5:/image0
submit cpu -n 3 jobs/conv-cpu.sbatch $input
submit one jobs/conv-gpu.sbatch $input
submit node jobs/conv-node.sbatch $input
submit nodes --ntasks-per-node=2 jobs/conv-nodes.sbatch $input
submit array --array=1-3 jobs/array.sbatch list.txt
submit pipeline jobs/pipeline.sbatch $input
submit python jobs/python.sbatch
submit solve_cpu -n 3 jobs/solve-cpu.sbatch poisson:40x30
submit solve_gpu jobs/solve-gpu.sbatch poisson:9x8x7
submit wrong -n 2 jobs/stats-cpu.sbatch none.h5:/x
mkdir -p apps/data && cp images.h5 apps/data/hubble.h5 && "$PYTHON" - <<'END'
import h5py
with h5py.File("apps/data/hubble.h5", "a") as file:
    file.move("image0", "image")
END
# shellcheck disable=SC2086  # several options
chain=$(bash jobs/chain.sh -n 2 $small 2>&1)
check $? "chain.sh submits two jobs" "$chain"
chain=${chain##* }
JOBS_SITE=jobs/site-mpirun.sh HOME=$PWD/home
mkdir -p home/maniple/bin home/maniple/lib/maniple && ln -s "$MANIPLE" home/maniple/bin/maniple
export JOBS_SITE HOME
submit mpirun -N 2 -n 4 --ntasks-per-node=2 jobs/conv-cpu.sbatch $input
mkdir tutorial && cp "$srcdir/apps/data/hubble.h5" tutorial # that of the page, in a shell without modules
awk '/^```/ { inside = $0 == "```bash"; next } inside' docs/tutorial.md >tutorial/pipeline.sbatch
printf '#!/bin/sh\n' >home/maniple/bin/module && chmod +x home/maniple/bin/module
PATH=$PWD/home/maniple/bin:$PATH
submit tutorial --chdir=tutorial tutorial/pipeline.sbatch
export JOBS_SITE="$srcdir/tests/slurm/site.sh"

ended "$cpu" COMPLETED "conv-cpu"
said '3 ranks on 1 host' "$cpu" "it ran on three ranks"
ended "$one" COMPLETED "conv-gpu"
ended "$node" COMPLETED "conv-node"
said '4 ranks on 1 host' "$node" "it ran on four ranks of one host"
ended "$nodes" COMPLETED "conv-nodes"
said '4 ranks on 2 hosts (n[12], n[12])\|4 ranks on 2 hosts' "$nodes" "it ran on two ranks of each of two hosts"
ended "$mpirun" COMPLETED "mpirun in an allocation"
said '4 ranks on 2 hosts' "$mpirun" "it ran on two hosts"
ended "$array" COMPLETED "array"
points array "results-$array"
ended "$chain" COMPLETED "the second job of chain.sh"
said '"count": 3000' "$chain" "which reads what the first has written"
blur=$((chain - 1))
points blurred "results-$cpu/blurred.h5" "results-$one/blurred.h5" "results-$node/blurred.h5" \
    "results-$nodes/blurred.h5" "results-$mpirun/blurred.h5" "results-$blur/blurred.h5"
ended "$pipeline" COMPLETED "pipeline"
points restored "results-$pipeline/restored.h5"
ended "$tutorial" COMPLETED "the pipeline of the tutorial"
said '^8.44$' "$tutorial" "it tells how far the picture is off"
said '3 ranks on 1 host' "$tutorial" "its three ranks are one program"
ended "$python" COMPLETED "python"
said 'after 200 steps the plate has 9.43 of 10.00, the hottest point 0.0318' "$python" "heat.py prints its numbers"
ended "$solve_cpu" COMPLETED "solve-cpu"
points solved "results-$solve_cpu/x.h5" 40 30
ended "$solve_gpu" COMPLETED "solve-gpu"
points solved "results-$solve_gpu/x.h5" 9 8 7
ended "$wrong" FAILED "stats of a file that does not exist"
[ "$(value "$wrong" ExitCode)" = 1:0 ]
check $? "with status 1" "$(value "$wrong" ExitCode)"
[ "$(grep -c 'none.h5' "$(value "$wrong" StdOut)")" -eq 1 ]
check $? "and one sentence of one rank" "$(cat "$(value "$wrong" StdOut)")"

# ---- cancelled ----

# endless_job NAME OPTION...: one that saves checkpoints in NAME.state.h5, which it has done when this returns
endless_job()
{
    endless_name=$1
    shift
    submit "$endless_name" --time=30 --requeue --open-mode=append "--output=$endless_name.out" "$@" \
        --wrap "srun --mpi=pmix $endless -o $endless_name.h5:/x --checkpoint $endless_name.state.h5 --requeue 3"
    until_true test -e "$endless_name.state.h5"
}

# saved FILE: the iterations of a checkpoint
saved()
{
    "$PYTHON" -c 'import h5py, sys; print(int(h5py.File(sys.argv[1])["iterations"][()].flat[0]))' "$1"
}

has_gone_on()
{
    [ "$(saved "$1.state.h5")" -gt "$goes_before" ]
}

# goes_on NAME JOB: the job, which has been requeued, runs again, and saves more iterations than it had
goes_on()
{
    goes_before=$(saved "$1.state.h5")
    until_true is_running "$2" && until_true has_gone_on "$1"
    check $? "$3" "$(value "$2" JobState) $(cat "$1.out"), $goes_before, $(saved "$1.state.h5")"
}

endless_job cancelled -n 2
scancel "$cancelled"
ended "$cancelled" CANCELLED "scancel"
# other jobs, which write files of theirs, still run in this folder
[ ! -e cancelled.h5 ] && saved cancelled.state.h5 >/dev/null && [ -z "$(find . -name '.cancelled.*.tmp')" ]
check $? "leaves a checkpoint that can be read, and no other file" "$(ls -A)"

# ---- requeued for a job that comes first ----

endless_job preempted -n 2 --cpus-per-task=4 -w n1
submit first -p urgent -n 1 --cpus-per-task=12 -w n1 --time=1 --output=first.out --wrap 'srun sleep 1'
ended "$first" COMPLETED "a job that comes first"
until_true was_requeued "$preempted"
check $? "requeues the one that ran" "$(value "$preempted" JobState)"
goes_on preempted "$preempted" "which goes on from its checkpoint"
scancel "$preempted"

# ---- a host that dies ----

if [ -e "$SLURM_FOLDER/on_n2" ]; then
    on_n2=$(cat "$SLURM_FOLDER/on_n2")
    endless_job lost -n 2 -N 2
    # all processes that are on n2, but the one that holds its namespaces
    holder=$(echo "$on_n2" | sed 's/.*--target \([0-9]*\).*/\1/')
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/ns/net" 2>/dev/null)" != "$(readlink "/proc/$holder/ns/net")" ] ||
            [ "$process" = "/proc/$holder" ] || kill -KILL "${process#/proc/}"
    done
    until_true was_requeued "$lost"
    check $? "a job of which a host dies is requeued" "$(value "$lost" JobState) $(cat lost.out)"
    rm -rf "$SLURM_FOLDER"/tmp-n2/* "$SLURM_FOLDER"/spool-n2/*.0 # what a step that ended would have removed
    $on_n2 slurmd -N n2
    goes_on lost "$lost" "and goes on from its checkpoint when the host is back"
    scancel "$lost"
else
    skip "a job of which a host dies is requeued" "the two nodes are one host"
fi

# ---- the limit of time ----

until_true was_requeued "$going"
check $? "a solve is requeued by itself when it is warned of its limit of time" "$(value "$going" JobState) $(cat going.out)"
said "near its limit of time: iteration [0-9]* is saved in going.state.h5, and job $going is requeued, for time 1 of 1" \
    "$going" "and says so"
goes_on going "$going" "it goes on from its checkpoint"
scancel --signal=USR1 "$going"
until_true grep -q 'was requeued 1 time, as --requeue allows: it goes on to the limit' going.out
check $? "but not oftener than --requeue says" "$(cat going.out)"
is_running "$going"
check $? "it goes on then"
scancel "$going"
ended "$limit" TIMEOUT "a job at its limit of time"
said '^warned$' "$limit" "its ranks were warned"

done_testing
