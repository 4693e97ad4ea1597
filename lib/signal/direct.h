/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct summation: y[o] = sum over j of taps[j] * x[o + first + j], tile by tile (kernels/signal/conv_direct.cu), with
 * the ring exchanged while tiles are computed that need nothing from other ranks.
 */
#ifndef MNP__SIGNAL_DIRECT_H
#define MNP__SIGNAL_DIRECT_H

#include "signal/geometry.h"

typedef struct mnp__direct mnp__direct;

typedef struct mnp__direct_spec {
    mnp_dtype input, output, sum;   /* sum: of the taps and the sums: MNP_UINT64, or a float or complex type */
    bool truncates;                 /* see kernels/signal/finish.h */
    const mnp_boundary *boundaries; /* of each dimension of the input */
    const void *fill;               /* one element of the input's dtype */
    const void *taps; /* in the device's memory or the CPU's, dense in the order of the kernel code's dimensions */
} mnp__direct_spec;

/*
 * Make a plan, which takes over the geometry, also in a failure.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE,
 * MNP_ERR_UNSUPPORTED for a block of more tiles than an int counts.
 */
mnp_status mnp__direct_new(mnp_ctx *ctx, mnp__conv_geometry *geometry, const mnp__direct_spec *spec,
                           mnp__direct **direct_p);

/* From a dense block of the input to a dense block of the output.  Collective; allocates nothing. */
mnp_status mnp__direct_run(mnp__direct *direct, const void *x, void *y);

/* Bytes of device memory that it holds on this rank, but for its taps and what its mover has. */
int64_t mnp__direct_bytes(const mnp__direct *direct);

/* When the last run is done.  NULL is accepted.  Collective. */
void mnp__direct_free(mnp__direct *direct);

#endif
