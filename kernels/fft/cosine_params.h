/* SPDX-License-Identifier: BSD-3-Clause */
/* What cosine.cu and cosine_table.cu are given, shared by the library (C) and the kernels (C++). */
#ifndef MNP_KERNELS_FFT_COSINE_PARAMS_H
#define MNP_KERNELS_FFT_COSINE_PARAMS_H

/* A table with an entry for every index that a pass writes along the axis. */
typedef struct mnp_fft_cosine_table_params {
    void *table;
    long long count, first; /* entries; spread: the index in the whole axis of the first one */
    long long points;       /* of the axis */
    int type, sine, ortho;  /* 1 to 4; DST instead of DCT; made orthogonal */
    int after;              /* of the pass after the Fourier transform */
    double scale;           /* of the results */
} mnp_fft_cosine_table_params;

/* Blocks (outer, extent, inner), dense in C order, with `count` indices along the axis in the output. */
typedef struct mnp_fft_cosine_params {
    const void *in, *table;
    void *out;
    long long outer, extent, count, inner;
    double sign; /* of the second element of a pair */
} mnp_fft_cosine_params;

#endif
