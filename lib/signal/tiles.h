/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tiles in which a kernel computes a rank's outputs from its extended box: those that need nothing from other ranks
 * are computed while the ring is exchanged, the others once it is complete; on GPUs beside the first ones.
 */
#ifndef MNP__SIGNAL_TILES_H
#define MNP__SIGNAL_TILES_H

#include "kernels/signal/extended_params.h"
#include "signal/extended.h"

typedef struct mnp__tiles {
    int *list; /* device memory; those that need nothing from other ranks first */
    int64_t first, others;
    mnp_tiles params; /* all but `out`, `list` and `count` */
} mnp__tiles;

/*
 * Make tiles of `extent` outputs along the dimensions of the kernel code.  Can fail on one rank alone: MNP_ERR_MEMORY;
 * MNP_ERR_UNSUPPORTED for more tiles than an int counts.
 */
mnp_status mnp__tiles_open(const mnp__extended *in, const int64_t *extent, mnp__tiles *tiles);
void mnp__tiles_close(const mnp__extended *in, mnp__tiles *tiles);

/* Device memory, in bytes. */
int64_t mnp__tiles_bytes(const mnp__tiles *tiles);

/* A kernel for tiles; where its parameters have the extended box and the tiles, which a run fills in. */
typedef struct mnp__tiled_kernel {
    mnp__kernel *kernel;
    unsigned threads;
    void *params;
    size_t size;
    mnp_extended *in;
    mnp_tiles *tiles;
} mnp__tiled_kernel;

/* Exchange the ring around the block at x, and compute the block at y, both dense.  Collective; allocates nothing. */
mnp_status mnp__tiles_run(const mnp__tiles *tiles, const mnp__extended *in, const mnp__tiled_kernel *kernel,
                          const void *x, void *y);

#endif
