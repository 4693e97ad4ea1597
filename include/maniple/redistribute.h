/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Redistribution: the same array in another layout, and plans of it.
 */
#ifndef MANIPLE_REDISTRIBUTE_H
#define MANIPLE_REDISTRIBUTE_H

#include <stdint.h>
#include <stdio.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bring an array to another layout, which has the same shape and number of ranks.  A new result is stored in the
 * layout's order (mnp_layout_with_order()); *result_p may also be any array of that layout, such as a view.  The
 * context keeps the plans of the last calls, so repeated moves are planned only once.  Collective.  MNP_ERR_ARG,
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_COMM, MNP_ERR_TIMEOUT.
 */
MNP_API mnp_status mnp_redistribute(const mnp_array *array, const mnp_layout *layout, mnp_array **result_p);

/*
 * Give every rank a copy of all of x: mnp_redistribute() to the layout of mnp_layout_replicated().  Collective.  Errors
 * as above.
 */
MNP_API mnp_status mnp_replicate(const mnp_array *x, mnp_array **copy_p);

/* A redistribution that is planned once, to be run many times on arrays of the same dtype, layout and storage. */
typedef struct mnp_plan mnp_plan;

/*
 * Plan to bring arrays like this one, of its dtype, layout and storage, to that layout.  The array is not read and not
 * needed afterwards.  Collective.  Errors as above; *plan_p is then untouched.
 */
MNP_API mnp_status mnp_plan_new(const mnp_array *like, const mnp_layout *layout, mnp_plan **plan_p);

/*
 * Run a plan.  *y_p is NULL for a new array, or an array of the plan's new layout that is stored as new arrays are and
 * shares no memory with x.  Allocates nothing but that new array, and does not wait for x.  Collective.  MNP_ERR_ARG if
 * x or *y_p is not what the plan was made for; MNP_ERR_MEMORY, MNP_ERR_COMM, MNP_ERR_TIMEOUT.
 */
MNP_API mnp_status mnp_plan_run(mnp_plan *plan, const mnp_array *x, mnp_array **y_p);

/*
 * What a run of a plan does.  Bytes are counted by where they go: own stays in the rank's own memory, node goes to
 * ranks of its node, far to ranks of other nodes (MANIPLE_NODE_SIZE can pretend several nodes).  The first three count
 * what this rank sends, those with `all` what all ranks send together.  The methods are phrases for a sentence: "stores
 * into the neighbours' memory", "through the heap", "MPI", "NCCL", "MPI, staged through the host", or "nothing" where
 * no rank has such bytes.
 */
typedef struct mnp_plan_info {
    int64_t own_bytes, node_bytes, far_bytes;
    int64_t all_own_bytes, all_node_bytes, all_far_bytes;
    const char *node_method, *far_method;
    int64_t memory;         /* bytes of this rank's memory that the plan keeps */
    int launches, messages; /* kernels that this rank launches, messages that it sends */
} mnp_plan_info;

/* Neither is collective; print writes a few lines from rank 0, and nothing from other ranks. */
MNP_API void mnp_plan_describe(const mnp_plan *plan, mnp_plan_info *info);
MNP_API void mnp_plan_print(const mnp_plan *plan, FILE *file);

/* Release a plan, when its last run is done; NULL is accepted.  Collective. */
MNP_API void mnp_plan_free(mnp_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
