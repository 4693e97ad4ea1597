/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trial: a case with its memory; and functions that the cases share.
 *
 * Values are small integers that depend on the rank and the index, so every result, sums included, is known exactly.
 * On GPUs a case is its own peer, with communication left to the library (mnp_comm_set_algorithm()); so communicators
 * and plans exist twice, once for each of the two.
 */
#ifndef APPS_BENCH_MOVING_COMM_TRIAL_H
#define APPS_BENCH_MOVING_COMM_TRIAL_H

#include "bench/moving/comm.h"

enum { OURS, LIBRARY, WAYS };

struct comm_trial {
    const comm_bench *b;
    const comm_case *which;
    mnp_comm *comm;
    mnp_dtype dtype;
    MPI_Datatype type;
    int64_t bytes, count, part; /* bytes a rank; their elements; elements for each rank */
    mnp_array *send, *recv;
    int way;            /* OURS or LIBRARY */
    mnp_layout *layout; /* the target of a redistribution */
    mnp_plan *plans[WAYS];
    mnp_halo *halos[WAYS];
    mnp_graph *graphs[WAYS];
    MPI_Datatype *types; /* for MPI_Alltoallw: of what goes to every rank, then of what comes from it */
    int *ones, *zeros;
};

/* The value of an element of a rank. */
static inline double comm_value(int rank, int64_t i)
{
    return (double)((i * 7 + rank * 3) % 31);
}

static inline void *comm_data(const mnp_array *array)
{
    return mnp_array_local_data(array);
}

/* Fill an array with this rank's values, or with a number that is none of them. */
mnp_status comm_set_values(const comm_trial *t, mnp_array *array, bool clear);

/* Choose the algorithms of later communication: ours, or those of the library alone.  Collective. */
mnp_status comm_use_way(comm_trial *t, int way);

/*
 * Whether the peer is the same case, with communication left to the library; otherwise it is MPI on the host's memory.
 */
bool comm_is_own_peer(const comm_bench *b);

/* The layout of a vector or matrix that is cut along `dim`. */
mnp_status comm_cut_along(const comm_bench *b, int dim, int ndim, const int64_t *shape, mnp_layout **layout_p);

/* comm_blocks.c: redistributions of a matrix, and the halo of one. */
mnp_status comm_prepare_columns(comm_trial *t, int64_t bytes);
mnp_status comm_prepare_transpose(comm_trial *t, int64_t bytes);
mnp_status comm_redistribution(comm_trial *t);
int comm_mpi_redistribution(comm_trial *t);
bool comm_expect_moved(const comm_trial *t, int64_t i, double *value_p);

mnp_status comm_prepare_halo(comm_trial *t, int64_t bytes);
mnp_status comm_halo(comm_trial *t);
int comm_mpi_halo(comm_trial *t);
mnp_status comm_clear_margins(comm_trial *t);
mnp_status comm_collect_margins(comm_trial *t);
bool comm_expect_margins(const comm_trial *t, int64_t i, double *value_p);

#endif
