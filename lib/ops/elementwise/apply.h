/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From operands as users give them to a loop that runs: broadcasting, the choice of a layout, bringing operands
 * together, copies of what overlaps an output, and outputs made or reused.
 */
#ifndef MNP__OPS_ELEMENTWISE_APPLY_H
#define MNP__OPS_ELEMENTWISE_APPLY_H

#include "ops/elementwise/loop.h"

typedef struct mnp__application {
    const char *function; /* what a sentence calls it: "mnp_add" */
    mnp__loop *loop;
    const mnp_array *const *inputs; /* as many as the loop has */
    mnp_array **const *outputs_p;   /* each the user's: *p NULL means make one */
    const mnp_layout *layout;       /* of the outputs; NULL: from the operands */
} mnp__application;

/*
 * Broadcast the inputs (numpy.broadcast_shapes), and run.  Outputs that are given must have the broadcast shape, any
 * layout, and the loop's memory dtype.  New ones get the layout of the first given output; without one, that of the
 * input of full shape whose largest block is smallest; without such an input, mnp_layout_block().  Inputs that lie
 * elsewhere are redistributed.  Collective.
 * MNP_ERR_ARG if shapes do not broadcast; nothing is changed then.
 */
mnp_status mnp__apply(mnp_ctx *ctx, const mnp__application *application);

/* numpy.broadcast_shapes of arrays; `function` and `names` (may be NULL) are for the sentence.  MNP_ERR_ARG. */
mnp_status mnp__broadcast_shapes(const char *function, int count, const mnp_array *const *arrays, int *ndim_p,
                                 int64_t *shape);

/* The layout of those arrays of that shape whose largest block is smallest; NULL if there is none. */
const mnp_layout *mnp__smallest_layout(int count, const mnp_array *const *arrays, int ndim, const int64_t *shape);

#endif
