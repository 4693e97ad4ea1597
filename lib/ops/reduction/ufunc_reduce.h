/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of ufuncs: elements of every line along an axis are taken one after the other, on one rank: for reductions whose order
 * matters, and for those of segments.
 */
#ifndef MNP__OPS_REDUCTION_UFUNC_REDUCE_H
#define MNP__OPS_REDUCTION_UFUNC_REDUCE_H

#include "ops/reduction/reduction.h"

typedef struct mnp__ufunc_reduce {
    const char *function;   /* what a sentence calls it */
    const mnp_array *x;     /* not a scalar, and with a dimension */
    int axis;               /* 0 .. ndim - 1 */
    bool ordered;           /* sets of elements may not be joined */
    int64_t segments;       /* of the axis, each of which gives one result; 0: every element gives one */
    const int64_t *indices; /* where they begin, within bounds, in the CPU's memory; NULL: the only one is the axis */
    bool drop;              /* leave out the axis, of one segment, in the result */
    mnp_array **out_p;      /* the user's: *p NULL means make one */
} mnp__ufunc_reduce;

/*
 * Run by a reduction of one input and one output that the context keeps.  Where the axis is cut, x is first brought to
 * another layout; a result of elements has the layout of x, another one, if anything moved, that of mnp_layout_block().
 * Collective, and agreed upon.  MNP_ERR_ARG, MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__ufunc_reduce_run(mnp__reduction *reduction, const mnp__ufunc_reduce *call);

#endif
