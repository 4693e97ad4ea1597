/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scan (prefix sum) along one axis: every element of the result is the reduction (lib/ops/reduction/reduction.h) of
 * the elements up to and including its own.
 *
 * A rank scans its own block.  Where the axis is cut, ranks share lines: each first reduces its part of every line, the
 * ranks exchange these totals as reductions do, and each then scans from the totals of the parts before its own.
 * Elements keep their order, but may be grouped in any way, so the reduction must be associative.  A run takes one or
 * two launches, plus a reduction and one collective where the axis is cut.
 */
#ifndef MNP__OPS_SCAN_SCAN_H
#define MNP__OPS_SCAN_SCAN_H

#include "ops/reduction/reduction.h"

typedef struct mnp__scan_call {
    const char *function; /* its name in messages: "mnp_cumsum" */
    const mnp_array *x;   /* not a scalar, and with a dimension */
    int axis;             /* 0 .. ndim - 1 */
    bool keeps_first;     /* the result for one element is that element */
    mnp_array **out_p;    /* the user's pointer; where *p is NULL, an array is made, stored as x is */
} mnp__scan_call;

/*
 * Run a scan with a reduction of one input and one output that the context keeps.  A given output must have the shape
 * of x and the spec's memory type; it may have any layout and share memory with x.  At the first run with a reduction
 * all ranks agree on compilation.  Collective.  MNP_ERR_ARG, MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE,
 * MNP_ERR_COMM.
 */
mnp_status mnp__scan_run(mnp__reduction *reduction, const mnp__scan_call *call);

#endif
