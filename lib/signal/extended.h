/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The extended box of a filter: the input that this rank's outputs need, which is partly in its own block and partly in
 * a ring around it that a mover fills (kernels/signal/extended_params.h).
 */
#ifndef MNP__SIGNAL_EXTENDED_H
#define MNP__SIGNAL_EXTENDED_H

#include "array/array.h"
#include "signal/geometry.h"

typedef struct mnp__extended {
    mnp_ctx *ctx;
    mnp__conv_geometry geometry; /* owned */
    mnp__conv_share share;
    mnp_dtype dtype;
    mnp__mover *mover;
    void *ring;
    int64_t inner_offset; /* of the inner part in the block, in elements */
    mnp_extended params;  /* all but `block` */
} mnp__extended;

/*
 * Prepare the ring for inputs of that dtype.  The struct takes over the geometry, which becomes empty, also in a
 * failure.
 *
 *   boundaries  how the input continues beyond its borders, for each of its dimensions
 *   fill        one element, for MNP_BOUNDARY_FILL
 *
 * Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE.
 */
mnp_status mnp__extended_open(mnp_ctx *ctx, mnp_dtype dtype, mnp__conv_geometry *geometry,
                              const mnp_boundary *boundaries, const void *fill, mnp__extended *extended);
void mnp__extended_close(mnp__extended *extended); /* a struct of zeros is accepted; collective */

/* What a kernel is given to read the extended box around the block at x. */
mnp_extended mnp__extended_of(const mnp__extended *extended, const void *x);

#endif
