# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034  # the scripts that source this file use what it sets
# The site of tests/slurm/jobs.t: a Slurm without modules, see jobs/site.sh.
maniple=$MANIPLE
results=results-$SLURM_JOB_ID
launch()
{
    srun --mpi=pmix "$@"
}
