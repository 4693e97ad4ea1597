# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034  # the scripts that source this file use what it sets
# What differs from cluster to cluster; here for ACES (Texas A&M University).  Every script of this folder sources it, or the
# file that JOBS_SITE names, in the folder where sbatch was called: the root of the source.
#
# Partitions and GPUs are read by sbatch before a script runs, so they are in the #SBATCH lines, as ACES has them:
# --partition=cpu with 96 cores a node; --partition=gpu --gres=gpu:h100:N.  Elsewhere give them to sbatch, where they
# take precedence:
#
#   sbatch --partition=NAME --gres=gpu:4 jobs/conv-node.sbatch

# The modules that Maniple was built with; `module spider HDF5` lists combinations that work together
module purge
module load GCC/12.3.0 OpenMPI/4.1.5 HDF5/1.14.0 CUDA/12.1.1 NCCL/2.18.3-CUDA-12.1.1 libpng/1.6.39

maniple=build/apps/maniple      # what ./quickstart build has built
results=results-$SLURM_JOB_ID   # a folder that all nodes see; a job keeps its number when it is requeued
export PYTHONPATH=build/python

# launch COMMAND...: as many ranks as --ntasks, each with --cpus-per-task cores
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
launch()
{
    srun --mpi=pmix "$@"
}
