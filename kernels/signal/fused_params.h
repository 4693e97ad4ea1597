/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of fused.cu and fused_ring.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SIGNAL_FUSED_PARAMS_H
#define MNP_KERNELS_SIGNAL_FUSED_PARAMS_H

#include "kernels/signal/extended_params.h"

/* What a pass makes of a window: a weighted sum, the mean, the least or the greatest element. */
enum { MNP_FUSED_SUM, MNP_FUSED_MEAN, MNP_FUSED_LEAST, MNP_FUSED_GREATEST };

enum { MNP_FUSED_TAPS = 64 };   /* most weights of each pass */
enum { MNP_FUSED_INSIDE = -1 }; /* in place of a boundary: the extended box has all that windows reach */

/* Number 0 is the pass along y, number 1 that along x. */
typedef struct mnp_fused_params {
    mnp_extended in;
    mnp_tiles tiles;
    long long first[2];             /* the window of output o begins at index o + first of the extended box */
    int boundary[2];                /* how the extended box goes on beyond its ends: see kernels/boundary.h */
    int height, width;              /* outputs of a tile along y, along x */
    double outside;                 /* the value beyond the borders, for MNP_AT_FILL */
    long long x_low, x_end;         /* MNP_REFILLS: outside of these, results of the first pass are `outside`, too */
    double taps[2][MNP_FUSED_TAPS]; /* the weights, as the first bytes in the type of the sums */
} mnp_fused_params;

#endif
