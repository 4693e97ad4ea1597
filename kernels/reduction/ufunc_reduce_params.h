/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of ufunc_reduce.cu, which the library (C) and the kernel (C++) share.
 *
 * A reduction goes along one dimension, the axis, in the order of the elements; a line is the elements along it at
 * fixed indices of the others.  There are MNP_KEPT other dimensions, the innermost last.  Strides are in elements.
 */
#ifndef MNP_KERNELS_REDUCTION_UFUNC_REDUCE_PARAMS_H
#define MNP_KERNELS_REDUCTION_UFUNC_REDUCE_PARAMS_H
#ifdef __cplusplus

struct mnp_ufunc_reduce_operand {
    unsigned long long base; /* address of the first element */
    long long along;         /* the axis */
    long long kept[MNP_KEPT];
};

/* The library writes it as a row of 64-bit numbers in this order. */
struct mnp_ufunc_reduce_params {
    long long lines, length;
    long long segments;         /* of a line, each of which has one result; 0: every element has one */
    unsigned long long indices; /* where segments begin, int64_t; 0: there is one, which is the line */
    long long kept[MNP_KEPT];
    mnp_ufunc_reduce_operand in, out;
};

#endif
#endif
