/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of spmv.cu, shared by the library (C) and the kernels (C++): a part of a sparse matrix, as
 * lib/sparse/matrix/part.h has it, and vectors.
 */
#ifndef MNP_KERNELS_SPARSE_PRODUCT_SPMV_PARAMS_H
#define MNP_KERNELS_SPARSE_PRODUCT_SPMV_PARAMS_H

enum {
    MNP_SPMV_SLICE = 32,     /* rows of a slice of SELL */
    MNP_SPMV_CHUNK = 2048,   /* lines and entries, together, that begin in a chunk of a stream */
    MNP_SPMV_SHORT = 64,     /* most entries of a row that one thread adds, one after the other */
    MNP_SPMV_DIAGONALS = 128 /* most diagonals that are looked for; a power of two */
};

/* Where a chunk begins. */
typedef struct mnp_spmv_start {
    long long entry;
    int line;
} mnp_spmv_start;

typedef struct mnp_spmv_params {
    const void *offsets;
    const int *rows_of, *indices;
    const void *values, *x; /* x: `columns` by `width`, dense in C order */
    void *y;                /* `rows` by `width` */
    long long lines, rows, columns, count, width;
    const mnp_spmv_start *starts; /* of a stream: those of the chunks, and where the last one ends */
    long long chunks;
    const void *own;                  /* of a product with a dot: the rank's own elements of the vector, */
    void *state, *partials, *arrived; /* and what steps have (step_params.h) */
} mnp_spmv_params;

/* What is found out about a part in CSR, and what another format is made of. */
typedef struct mnp_spmv_examine_params {
    const void *offsets;
    const int *indices;
    const void *values;
    long long lines;
    void *found;                      /* starts; lengths, int; or diagonals, long long */
    long long many;                   /* how many are found */
    const long long *made_offsets;    /* of SELL */
    int *made_rows_of, *made_indices; /* of SELL; the indices of DIA are read */
    void *made_values;
} mnp_spmv_examine_params;

#endif
