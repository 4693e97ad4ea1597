/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of spmv.cu, shared by the library (C) and the kernels (C++): a part of a sparse matrix, as
 * lib/sparse/matrix/part.h describes it, and vectors.
 */
#ifndef MNP_KERNELS_SPARSE_PRODUCT_SPMV_PARAMS_H
#define MNP_KERNELS_SPARSE_PRODUCT_SPMV_PARAMS_H

enum {
    MNP_SPMV_SLICE = 32,     /* rows of a slice of SELL */
    MNP_SPMV_CHUNK = 2048,   /* lines and entries, together, of a chunk (MNP_STREAM) */
    MNP_SPMV_SHORT = 64,     /* the most entries of a row that one thread adds, one after the other */
    MNP_SPMV_DIAGONALS = 128 /* at most so many diagonals are found; a power of two */
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
    const mnp_spmv_start *starts; /* MNP_STREAM: where the chunks begin, and where the last one ends */
    long long chunks;
    const void *own;                  /* MNP_DOT: the rank's own elements of the vector, */
    void *state, *partials, *arrived; /* and the addresses that steps have (step_params.h) */
} mnp_spmv_params;

/* The parameter of the kernels that examine a part in CSR and convert it to another format. */
typedef struct mnp_spmv_examine_params {
    const void *offsets;
    const int *indices;
    const void *values;
    long long lines;
    void *found;                      /* the result: starts; lengths, int; or diagonals, long long */
    long long many;                   /* how many of them */
    const long long *made_offsets;    /* of SELL */
    int *made_rows_of, *made_indices; /* of SELL; for DIA made_indices is an input */
    void *made_values;
} mnp_spmv_examine_params;

#endif
