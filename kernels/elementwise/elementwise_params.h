/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of elementwise.cu, and the ways in which a kernel accesses its operands.  The library (C) and the
 * kernel (C++) share this file.
 *
 * A loop has MNP_NDIM dimensions, the innermost last, and operands: inputs, outputs, and counters, whose values are the
 * indices that a body uses.  Each operand has a stride for every dimension of the loop.
 */
#ifndef MNP_KERNELS_ELEMENTWISE_ELEMENTWISE_PARAMS_H
#define MNP_KERNELS_ELEMENTWISE_ELEMENTWISE_PARAMS_H

/* How an operand is accessed along the innermost dimension; in a flat loop (elementwise_cuda.h) along all of them. */
enum {
    MNP_ACCESS_STRIDED,   /* any stride */
    MNP_ACCESS_UNIT,      /* stride 1 */
    MNP_ACCESS_VECTOR,    /* stride 1, and aligned so that MNP_VECTOR elements are one access */
    MNP_ACCESS_BROADCAST, /* stride 0 */
    MNP_ACCESS_SCALAR,    /* no memory: the value is in the parameter */
    MNP_ACCESS_RAW,       /* the body indexes it */
    MNP_ACCESS_MASK = 7,
    MNP_ACCESS_SAME = 8,       /* added if one load serves several rows: of two dimensions, the first has stride 0; in
                                  a flat loop or in one dimension all have */
    MNP_ACCESS_TRANSPOSED = 16 /* added if the others hold for the dimension before the innermost; a stride is short */
};

#ifdef __cplusplus

struct mnp_loop_operand {
    unsigned long long base; /* address of the first element; of a counter, its first value; of a scalar, the value */
    long long stride[MNP_NDIM]; /* in elements; of a raw operand, the number of its elements; of a scalar, more of the
                                   value.  In a flat loop [d] but the last: less extent[d + 1] * stride[d + 1], what a
                                   step to the next index adds when the index of d + 1 returns to 0 */
};

/* The library writes it as a row of 64-bit numbers in this order. */
struct mnp_loop_params {
    long long extent[MNP_NDIM];
    long long rows;   /* number of rows: the product of all extents but the innermost; of a flat loop, of elements */
    long long head;   /* the first thread begins so many elements before a row, where the memory is aligned */
    long long lanes;  /* 2 to the power of this: threads of a block along a row; others take other rows */
    long long stream; /* on the host: whether results are written past the caches */
    unsigned long long divide[MNP_NDIM]; /* see mnp_divide(): [d] by extent[d], and, unless the loop is flat, [0] by
                                            the blocks along a row, of which [MNP_NDIM-1] is the number itself */
    mnp_loop_operand operand[MNP_OPERANDS];
#if MNP_INDICES
    long long size, shape[MNP_INDICES]; /* of the whole array */
#endif
};

#endif

#endif
