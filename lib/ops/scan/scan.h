/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans: every element of the result is what a reduction (lib/ops/reduction/reduction.h) knows of the elements up to its own,
 * along one axis.
 *
 * A rank scans its own block.  Where ranks share lines, as the axis is cut, each first reduces its part of every line,
 * and they exchange these totals, as reductions do; the scan then begins with the totals of the parts before.  The order of elements is kept, but a reduction's sets may be joined in any order.
 */
#ifndef MNP__OPS_SCAN_SCAN_H
#define MNP__OPS_SCAN_SCAN_H

#include "ops/reduction/reduction.h"

typedef struct mnp__scan_call {
    const char *function; /* what a sentence calls it: "mnp_cumsum" */
    const mnp_array *x;   /* not a scalar, and with a dimension */
    int axis;             /* 0 .. ndim - 1 */
    mnp_array **out_p;    /* the user's: *p NULL means make one, in the layout of x */
} mnp__scan_call;

/*
 * Scan, by a reduction of one input and one output that the context keeps.  An output that is given must have the shape
 * of x and the spec's memory type; it may have any layout, and share memory with x.  The first run of a reduction
 * agrees among all ranks on compilation.  Collective.  MNP_ERR_ARG, MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE,
 * MNP_ERR_COMM.
 */
mnp_status mnp__scan_run(mnp__reduction *reduction, const mnp__scan_call *call);

#endif
