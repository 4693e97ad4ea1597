/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of ufuncs whose order matters, such as subtract.reduce, and reductions of segments (reduceat).
 *
 * One rank, and there one thread, takes the elements of a line along an axis one after the other.  If the axis is cut,
 * x is redistributed first.
 */
#ifndef MNP__OPS_REDUCTION_UFUNC_REDUCE_H
#define MNP__OPS_REDUCTION_UFUNC_REDUCE_H

#include "ops/reduction/reduction.h"

typedef struct mnp__ufunc_reduce {
    const char *function;   /* its name in messages */
    const mnp_array *x;     /* not a scalar, and with a dimension */
    int axis;               /* 0 .. ndim - 1 */
    bool ordered;           /* elements must be taken in order */
    int64_t segments;       /* of the axis, each with one result; 0: every element gives one */
    const int64_t *indices; /* where segments begin, within bounds, in CPU memory; NULL: one segment */
    bool drop;              /* omit the axis, which has one segment, from the result */
    mnp_array **out_p;      /* the user's pointer; where *p is NULL, an array is made */
} mnp__ufunc_reduce;

/*
 * Run by a reduction of one input and one output that the context keeps.  Where every element gives a result, the
 * result has the layout of x; otherwise, if x was redistributed, it has mnp_layout_block().  Collective; all ranks
 * agree.  MNP_ERR_ARG, MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__ufunc_reduce_run(mnp__reduction *reduction, const mnp__ufunc_reduce *call);

#endif
