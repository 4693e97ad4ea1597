/* SPDX-License-Identifier: BSD-3-Clause */
/* What pass.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_FFT_PASS_PARAMS_H
#define MNP_KERNELS_FFT_PASS_PARAMS_H

enum { MNP_FFT_PASS_DIMS = 8 };

/* Element (i0, i1, ...) goes from in + sum(i * in_stride) to out + sum(i * out_stride); both may be the same memory. */
typedef struct mnp_fft_pass_params {
    const void *in;
    void *out;
    double scale;
    long long count, extent[MNP_FFT_PASS_DIMS], in_stride[MNP_FFT_PASS_DIMS], out_stride[MNP_FFT_PASS_DIMS];
    /* MNP_HALF: the transformed dimensions, as bits, and that which has the half spectrum of so many real points */
    unsigned mirrors;
    int half;
    long long points;
} mnp_fft_pass_params;

#endif
