/* SPDX-License-Identifier: BSD-3-Clause */
/* What columns.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_FFT_COLUMNS_PARAMS_H
#define MNP_KERNELS_FFT_COLUMNS_PARAMS_H

enum { MNP_FFT_COLUMNS_OUTER = 3 };

/*
 * Matrices of `columns` adjacent columns, whose rows are so many elements apart; outer: where the matrices begin.  Real
 * columns are counted in pairs; odd: the last one has one column.  Where pairs are aligned (MNP_ALIGNED) elements are
 * counted in pairs too.
 *
 * by: the chirp and its spectrum, or the spectrum of a filter, if the kernel has one.  It filters in place, and what is
 * said of the output is of the filter.
 */
typedef struct mnp_fft_columns_params {
    const void *in, *by;
    void *out;
    double scale;
    int inverse, odd;
    long long columns, in_stride, out_stride;
    long long outer[MNP_FFT_COLUMNS_OUTER], outer_in[MNP_FFT_COLUMNS_OUTER], outer_out[MNP_FFT_COLUMNS_OUTER];
} mnp_fft_columns_params;

#endif
