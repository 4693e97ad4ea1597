/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dense matrices in the memory of one rank: the products of them, and systems with triangular ones.
 *
 * A table of operations with two implementations: OpenBLAS, or another BLAS, on the host; cuBLAS on GPUs.  Both are
 * loaded when they are first needed.  Matrices are in column-major order, as BLAS has them: element (i, j) is number
 * i + j * ld.  A matrix in C order is the transpose of such a one.
 *
 * Operations are enqueued on a stream, as all of the device's are.  They allocate nothing and do not wait, and they can
 * be recorded into graphs, once `need` has been called outside of one.
 */
#ifndef MNP__DEVICE_BLAS_H
#define MNP__DEVICE_BLAS_H

#include <maniple/dtype.h>

#include "device/device.h"

/* A matrix as it is stored, transposed, or transposed and conjugated: the letters of BLAS. */
typedef enum mnp__blas_op { MNP__BLAS_N = 'N', MNP__BLAS_T = 'T', MNP__BLAS_C = 'C' } mnp__blas_op;

/*
 * C[i] = alpha op_a(A[i]) op_b(B[i]) + beta C[i] for i in [0, batch).  Zeros may stand for what is not used; m, n, k or
 * batch may be 0.  If beta is 0, C is not read.  C[i] must not overlap each other or A and B.
 */
typedef struct mnp__gemm {
    mnp_dtype dtype;                      /* float32, float64, complex64 or complex128; and where takes(), others */
    mnp_dtype result;                     /* of C; AUTO: the same; float32 or the same for 16 bits; int32 for int8 */
    bool tf32;                            /* float32 may be rounded to 10 bits of fraction; no effect on the host */
    mnp__blas_op op_a, op_b;              /* op_a(A) is m x k, op_b(B) is k x n, C is m x n */
    int64_t m, n, k, batch;               /* batch 1: one product */
    const void *a, *b;                    /* device memory */
    void *c;                              /* device memory */
    int64_t lda, ldb, ldc;                /* in elements, each at least the number of rows as stored, and 1 */
    int64_t stride_a, stride_b, stride_c; /* from one matrix of the batch to the next; 0 for A or B: always the same */
    double alpha[2], beta[2];             /* real and imaginary parts */
} mnp__gemm;

/*
 * Solve op(A[i]) X[i] = alpha B[i], or with `right` X[i] op(A[i]) = alpha B[i], for triangular A[i]; X replaces B.  B
 * is m x n; A has m rows, or n with `right`.
 */
typedef struct mnp__trsm {
    mnp_dtype dtype; /* as of mnp__gemm */
    bool right, upper, unit;
    mnp__blas_op op;
    int64_t m, n, batch;
    const void *a;
    void *b;
    int64_t lda, ldb, stride_a, stride_b;
    double alpha[2];
} mnp__trsm;

typedef struct mnp__blas_ops {
    /*
     * Load the library.  MNP_ERR_UNSUPPORTED, in a message that begins with `function`, if this machine has none;
     * MNP_ERR_MEMORY, MNP_ERR_DEVICE.  The operations below do it by themselves where it has not been done.
     */
    mnp_status (*need)(mnp__device *device, const char *function);
    /*
     * Whether gemm takes that dtype.  float16 and bfloat16 are summed in float32, int8 in int32.  For int8 A must be
     * transposed and B must not, extents and strides must be multiples of 16, and alpha and beta integers.
     */
    bool (*takes)(mnp__device *device, mnp_dtype dtype);
    mnp_status (*gemm)(mnp__device *device, const mnp__gemm *gemm, mnp__stream *stream);
    mnp_status (*trsm)(mnp__device *device, const mnp__trsm *trsm, mnp__stream *stream);
} mnp__blas_ops;

/* The tables. */
extern const mnp__blas_ops mnp__host_blas;
extern const mnp__blas_ops mnp__cuda_blas;

#endif
