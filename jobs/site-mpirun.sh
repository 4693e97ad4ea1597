# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034  # the scripts that source this file use what it sets
# Another site, as an example: Maniple is installed in the home folder, there are no modules, and Open MPI's mpirun starts
# the ranks, where srun has no PMIx (`srun --mpi=list`) or starts several programs of one rank each.
#
#   JOBS_SITE=jobs/site-mpirun.sh sbatch jobs/conv-cpu.sbatch

export PATH=$HOME/maniple/bin:$PATH
maniple=maniple
results=results-$SLURM_JOB_ID
export PYTHONPATH=$HOME/maniple/lib/maniple/python

# mpirun knows the nodes from Slurm.  The ranks on other nodes get the variables that -x names: Maniple's settings too.
launch()
{
    local name forward=()
    for name in PATH PYTHONPATH "${!MANIPLE_@}"; do
        forward+=(-x "$name")
    done
    mpirun -n "$SLURM_NTASKS" --map-by "slot:PE=$SLURM_CPUS_PER_TASK" "${forward[@]}" "$@"
}
