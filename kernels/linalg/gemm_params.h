/* SPDX-License-Identifier: BSD-3-Clause */
/* What gemm.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_LINALG_GEMM_PARAMS_H
#define MNP_KERNELS_LINALG_GEMM_PARAMS_H

enum { MNP_GEMM_BATCH_DIMS = 6 };

/* C = A B for every index of the batch dimensions.  Strides are in elements, and may be anything. */
typedef struct mnp_gemm_params {
    const void *a, *b;
    void *c;
    long long m, n, k;
    long long a_row, a_column, b_row, b_column, c_row, c_column;
    long long count; /* of products: that of the batch's extents */
    long long extent[MNP_GEMM_BATCH_DIMS], a_batch[MNP_GEMM_BATCH_DIMS], b_batch[MNP_GEMM_BATCH_DIMS],
        c_batch[MNP_GEMM_BATCH_DIMS];
} mnp_gemm_params;

/* A GPU's blocks compute tiles of so many rows and columns, by so many threads. */
enum { MNP_GEMM_TILE = 64, MNP_GEMM_THREADS = 256 };

#endif
