/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of conv_direct.cu and the shape of its tiles, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_SIGNAL_CONV_DIRECT_PARAMS_H
#define MNP_KERNELS_SIGNAL_CONV_DIRECT_PARAMS_H

#include "kernels/signal/extended_params.h"

typedef struct mnp_conv_params {
    mnp_extended in;
    const void *taps; /* the kernel reversed along every dimension, dense, in the type of the sums */
    mnp_tiles tiles;
    long long extent[MNP_CONV_DIMS]; /* of the kernel; compiled in as MNP_K0 .. MNP_K3 on GPUs */
} mnp_conv_params;

#endif
