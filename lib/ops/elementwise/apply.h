/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applying a loop (ops/elementwise/loop.h) to arrays as users give them: shapes are broadcast, a layout is chosen,
 * inputs in other layouts are redistributed, inputs that overlap an output are copied, and outputs are made or reused.
 * Where all operands have one layout, nothing moves, and the call costs what the loop costs.
 */
#ifndef MNP__OPS_ELEMENTWISE_APPLY_H
#define MNP__OPS_ELEMENTWISE_APPLY_H

#include "array/move/window.h"
#include "ops/elementwise/loop.h"

typedef struct mnp__application {
    const char *function; /* its name in messages: "mnp_add" */
    mnp__loop *loop;
    const mnp_array *const *inputs; /* as many as the loop has */
    mnp_array **const *outputs_p;   /* the user's pointers; where *p is NULL, an array is made */
    const mnp_layout *layout;       /* of the outputs; NULL: chosen from the operands */
    const mnp__shift *shifts;       /* NULL, or for each input how it is shifted against others; see window.h */
} mnp__application;

/*
 * Broadcast the inputs (numpy.broadcast_shapes), and run.  Outputs that are given must have the broadcast shape, any
 * layout, and the loop's memory dtype.  New ones get the layout of the first given output; without one, that of the
 * input of full shape whose largest block is smallest; without such an input, mnp_layout_block().  Inputs that lie
 * elsewhere are redistributed.  Collective.
 * MNP_ERR_ARG if shapes do not broadcast; nothing is changed then.
 */
mnp_status mnp__apply(mnp_ctx *ctx, const mnp__application *application);

/* numpy.broadcast_shapes of arrays.  Messages use `function`, and `names` unless it is NULL.  MNP_ERR_ARG. */
mnp_status mnp__broadcast_shapes(const char *function, int count, const mnp_array *const *arrays, int *ndim_p,
                                 int64_t *shape);

/* Among the arrays of that shape, find the layout whose largest block is smallest; NULL if none has the shape. */
const mnp_layout *mnp__smallest_layout(int count, const mnp_array *const *arrays, int ndim, const int64_t *shape);

/*
 * The layout `best`, with the order in which the inputs of its shape are stored, if all of them are stored alike: so
 * new results of transposed arrays are transposed, and all are read and written as they lie (NumPy's order "K").
 */
mnp_status mnp__layout_as_inputs(const mnp_layout *best, int count, const mnp_array *const *inputs,
                                 mnp_layout **layout_p);

#endif
