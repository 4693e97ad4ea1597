/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of elementwise.cu, and the ways in which a kernel reaches its operands: shared by the library (C) and
 * the kernel (C++).
 *
 * A loop has MNP_NDIM dimensions, the innermost last, and operands: inputs, outputs, and counters, which are what a
 * body that uses indices sees of them.  All of them go along with the loop's indices by strides.
 */
#ifndef MNP_KERNELS_ELEMENTWISE_ELEMENTWISE_PARAMS_H
#define MNP_KERNELS_ELEMENTWISE_ELEMENTWISE_PARAMS_H

/* How an operand goes along the innermost dimension. */
enum {
    MNP_ACCESS_STRIDED,   /* by any stride */
    MNP_ACCESS_UNIT,      /* by stride 1 */
    MNP_ACCESS_VECTOR,    /* by stride 1, and aligned so that MNP_VECTOR elements are one access */
    MNP_ACCESS_BROADCAST, /* by stride 0 */
    MNP_ACCESS_SCALAR,    /* has no memory: its value is in the parameter */
    MNP_ACCESS_RAW,       /* not at all: the body indexes it */
    MNP_ACCESS_MASK = 7,
    MNP_ACCESS_SAME = 8,       /* and by stride 0 along the dimension before it, of two: one load serves several rows */
    MNP_ACCESS_TRANSPOSED = 16 /* no: by stride 1 along the dimension before the innermost (UNIT or VECTOR) */
};

#ifdef __cplusplus

struct mnp_loop_operand {
    unsigned long long base; /* address of the first element; of a counter, its first value; of a scalar, the value */
    long long stride[MNP_NDIM]; /* in elements; of a raw operand, the number of its elements; of a scalar, more of the
                                   value */
};

/* The library writes it as a row of 64-bit numbers in this order. */
struct mnp_loop_params {
    long long extent[MNP_NDIM];
    long long rows;   /* of innermost extent: the product of the others */
    long long head;   /* the first thread begins this many elements before a row, where it is aligned */
    long long lanes;  /* threads along a row take 2 to the power of this, the others other rows */
    long long stream; /* on the host: whether results go past the caches */
    unsigned long long divide[MNP_NDIM]; /* see mnp_quotient(): [0] by the blocks along a row, [d] by extent[d];
                                            [MNP_NDIM-1] is the number of blocks along a row itself */
    mnp_loop_operand operand[MNP_OPERANDS];
#if MNP_INDICES
    long long size, shape[MNP_INDICES]; /* of the whole array */
#endif
};

#endif

#endif
