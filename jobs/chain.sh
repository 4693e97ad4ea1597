#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A chain of two jobs: the second starts when the first has succeeded, and is removed if it has failed.  Run it where
# sbatch is called; arguments are options of sbatch for both.
#
#   bash jobs/chain.sh [OPTION...]

set -eu
blur=$(sbatch --parsable "$@" jobs/conv-cpu.sbatch)
sbatch "$@" --dependency="afterok:$blur" --kill-on-invalid-dep=yes jobs/stats-cpu.sbatch \
    "results-$blur/blurred.h5:/image"
