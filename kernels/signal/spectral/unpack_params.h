/* SPDX-License-Identifier: BSD-3-Clause */
/* What unpack.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_SIGNAL_SPECTRAL_UNPACK_PARAMS_H
#define MNP_KERNELS_SIGNAL_SPECTRAL_UNPACK_PARAMS_H

#include "kernels/signal/spectral/segments_params.h"

/* Here are `length` bytes of lines from number first_byte on, and `count` samples are made from number `first` on. */
typedef struct mnp_unpack_params {
    const void *in; /* byte first_byte of the first line */
    void *out;
    int bits, little, subtract, flip; /* a sample is its bits, with the bits `flip` inverted, less `subtract` */
    long long lines, first_byte, length, first, count, in_along, out_along;
    long long kept[MNP_SEGMENTS_DIMS], in_kept[MNP_SEGMENTS_DIMS], out_kept[MNP_SEGMENTS_DIMS];
} mnp_unpack_params;

#endif
