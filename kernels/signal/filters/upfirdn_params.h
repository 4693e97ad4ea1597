/* SPDX-License-Identifier: BSD-3-Clause */
/* What upfirdn.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_SIGNAL_FILTERS_UPFIRDN_PARAMS_H
#define MNP_KERNELS_SIGNAL_FILTERS_UPFIRDN_PARAMS_H

#define MNP_UPFIRDN_DIMS 8

/*
 * Element o of a line, from `first_out` on, is the sum over i of taps[o * down - i * up] * x[i], where taps has `count`
 * elements and x is 0 outside of the elements first_in .. first_in + length - 1 that are there.
 */
typedef struct mnp_upfirdn_params {
    const void *in; /* of element first_in of the first line */
    void *out;
    const double *taps;
    long long count, up, down;
    long long lines, first_in, length, first_out, outputs;
    long long in_along, out_along; /* strides, in real numbers */
    long long kept[MNP_UPFIRDN_DIMS], in_kept[MNP_UPFIRDN_DIMS], out_kept[MNP_UPFIRDN_DIMS];
} mnp_upfirdn_params;

#endif
