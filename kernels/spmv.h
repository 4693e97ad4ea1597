/*
 * The parameter of spmv.cu, shared by the library (C) and the kernel (C++): a part of a sparse matrix, as
 * lib/sparse/part.h has it, and vectors.
 */
#ifndef MNP_KERNELS_SPMV_H
#define MNP_KERNELS_SPMV_H

enum { MNP_SPMV_SLICE = 32 }; /* rows of a slice of SELL */

typedef struct mnp_spmv_params {
    const void *offsets;
    const int *rows_of, *indices;
    const void *values, *x; /* x: `columns` by `width`, dense in C order */
    void *y;                /* `rows` by `width` */
    long long lines, rows, columns, count, width;
} mnp_spmv_params;

#endif
