/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of reduce.cu, and the ways in which a kernel accesses its operands.  The library (C) and the kernel
 * (C++) share this file.
 *
 * A reduction has MNP_KEPT dimensions, which its results have too, and MNP_REDUCED dimensions over which it reduces;
 * the innermost of each is the last.  Strides are in elements.
 */
#ifndef MNP_KERNELS_REDUCTION_REDUCE_PARAMS_H
#define MNP_KERNELS_REDUCTION_REDUCE_PARAMS_H

/* How an operand is accessed along the dimension of vectors. */
enum {
    MNP_REACH_STRIDED,   /* by any stride */
    MNP_REACH_UNIT,      /* by stride 1 */
    MNP_REACH_VECTOR,    /* by stride 1, and aligned so that MNP_VECTOR elements are one access */
    MNP_REACH_BROADCAST, /* by stride 0 */
    MNP_REACH_SCALAR,    /* has no memory: its value is in the parameter */
    MNP_REACH_SKEWED     /* by stride 1; rows begin anywhere, and vectors where they are aligned, at most one before */
};

/* What a launch reduces. */
enum {
    MNP_REDUCE_ELEMENTS, /* elements of the operands */
    MNP_REDUCE_PARTS     /* accumulators that other launches or ranks have stored */
};

#ifdef __cplusplus

struct mnp_reduce_operand {
    unsigned long long base; /* address of the first element; of a scalar, the value, which goes on in `kept` */
    long long kept[MNP_KEPT], reduced[MNP_REDUCED];
};

struct mnp_reduce_result {
    unsigned long long base;
    long long kept[MNP_KEPT];
};

/* The library writes it as a row of 64-bit numbers in this order. */
struct mnp_reduce_params {
    long long task;
    long long outputs; /* results of this rank */
    long long rows;    /* product of `reduced`, but for its last where vectors lie along that one */
    long long parts;   /* into which the elements of one result are divided, or which are joined */
    long long team;    /* threads along a line of rows or columns, or that join parts, as the power of two */
    long long deep;    /* such lines of threads that share a part of rows, likewise; tiles that a block has at a time */
    long long each;    /* indices of the dimension that is cut into tiles, in one */
    long long tiles;   /* that have the same outputs */
    long long chunks;  /* into which that dimension is cut */
    long long count;   /* elements of one result, on all ranks, of which each is taken `times` times */
    long long times;
    double ddof, share;            /* 1 / count */
    unsigned long long initial[2]; /* a number that takes part in every result */
    unsigned long long source;     /* parts to be joined: that of an output is number part * outputs + its place */
    unsigned long long target;     /* 0: write results; otherwise where their accumulators go, in the same order */
    unsigned long long next;       /* on the host, of columns: the parameter for the block of the next rank, or 0 */
    long long kept[MNP_KEPT], reduced[MNP_REDUCED];
    long long place[MNP_KEPT]; /* strides of places, which are the same on all ranks that share results */
    mnp_reduce_operand operand[MNP_OPERANDS]; /* inputs, then the elements' indices, which count instead of loading */
    mnp_reduce_result result[MNP_RESULTS];
};

#endif
#endif
