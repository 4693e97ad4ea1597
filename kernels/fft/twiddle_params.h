/* SPDX-License-Identifier: BSD-3-Clause */
/* What twiddle.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_FFT_TWIDDLE_PARAMS_H
#define MNP_KERNELS_FFT_TWIDDLE_PARAMS_H

/*
 * Elements (outer, k, j, inner) of a dense block in C order, with indices k and j that begin with first_k and first_j
 * in the whole array.
 */
typedef struct mnp_fft_twiddle_params {
    void *data;
    long long extent[4], first_k, first_j, points;
    int sign; /* of the exponent */
} mnp_fft_twiddle_params;

#endif
