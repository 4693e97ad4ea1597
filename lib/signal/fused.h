/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One or two passes of a separable filter as one kernel on a GPU (kernels/signal/fused.cu and fused_ring.cu), one of
 * them along the last dimension.  Along dimensions that no rank owns a part of alone the kernel finds what is beyond
 * the array's borders itself; along others the ring has it.
 *
 * Sums are fused in pairs, where registers hold the windows: of up to 63 weights along y of four bytes, or 32 of eight,
 * and MNP_FUSED_TAPS along x.  Longer ones are faster as two direct convolutions.
 * Two passes are fused if they run along y and then x.  Passes along x and then y are exchanged first, if that changes
 * results by rounding alone.
 */
#ifndef MNP__SIGNAL_FUSED_H
#define MNP__SIGNAL_FUSED_H

#include "signal/separable.h"

typedef struct mnp__fused mnp__fused;

/* How many passes from number i on are one kernel, for an input of that layout: 0, 1 or 2.  The same on all ranks. */
int mnp__fused_count(const mnp_ctx *ctx, const mnp__separable_spec *spec, int i, const mnp_layout *in);

/*
 * Make a plan of so many passes; `outside` is the value beyond the borders of the input of number i.  Collective.
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_UNSUPPORTED for a block of more tiles than an int counts.
 */
mnp_status mnp__fused_new(mnp_ctx *ctx, const mnp__separable_spec *spec, int i, int count, const mnp_layout *in,
                          double outside, mnp__fused **fused_p);

/* The layout of the result, which belongs to the plan. */
const mnp_layout *mnp__fused_layout(const mnp__fused *fused);

/* From a dense block of the input to a dense block of the output.  Collective; allocates nothing. */
mnp_status mnp__fused_run(const mnp__fused *fused, const void *x, void *y);

/* Bytes of device memory that it holds on this rank, but for what its mover has. */
int64_t mnp__fused_bytes(const mnp__fused *fused);

/* When the last run is done.  NULL is accepted.  Collective. */
void mnp__fused_free(mnp__fused *fused);

#endif
