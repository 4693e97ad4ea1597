/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of spgemm.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_PRODUCT_SPGEMM_PARAMS_H
#define MNP_KERNELS_SPARSE_PRODUCT_SPGEMM_PARAMS_H

enum {
    MNP_SPGEMM_BINS = 6,        /* kinds of rows on a GPU, by their lengths; the host has one */
    MNP_SPGEMM_TILE = 1024,     /* rows that are tallied together */
    MNP_SPGEMM_THREADS = 256,   /* of a block that plans */
    MNP_SPGEMM_CLAIMS = 4096,   /* places where threads of a block claim sums */
    MNP_SPGEMM_ROWS = 64,       /* rows that a worker of the host takes at a time */
    MNP_SPGEMM_WINDOW = 262144, /* columns that a worker of the host has sums of at most, a multiple of 4096 */
    MNP_SPGEMM_SPARE = 4        /* columns of a word that it lists in any case */
};

/* A part in CSR: lib/sparse/matrix/part.h. */
typedef struct mnp_spgemm_matrix {
    const void *offsets; /* of 8 bytes if `wide`, else of 4 */
    int *columns;
    void *values;
    int wide;
} mnp_spgemm_matrix;

/* spgemm_plan: how much room rows need, and which kind they are. */
enum { MNP_SPGEMM_BOUND, MNP_SPGEMM_TALLY, MNP_SPGEMM_SUM, MNP_SPGEMM_PLACE };

typedef struct mnp_spgemm_plan_params {
    mnp_spgemm_matrix a, b;
    long long rows, columns; /* of C */
    int *sizes;              /* of C's rows.  BOUND: at most so many columns.  Others read it */
    long long *tally;        /* a record for every tile, and one: the sum of the sizes, and how many rows are in
                                       every bin.  SUM: makes it what is before every tile, and in all as one more */
    /* a row is in the first bin whose `most` is not below its size; none if that is 0 */
    int most[MNP_SPGEMM_BINS];
    int *list;                        /* PLACE, on a GPU: rows by bins */
    long long first[MNP_SPGEMM_BINS]; /* where the rows of a bin begin in it */
    void *offsets;                    /* PLACE: C's, made of the sizes; NULL: only the list is made */
    int wide;                         /* whether those are of 8 bytes */
    int lanes;                        /* BOUND: threads that share a row, a power of two up to 32 */
    int task;
} mnp_spgemm_plan_params;

/* spgemm_rows: rows of C. */
typedef struct mnp_spgemm_params {
    mnp_spgemm_matrix a, b, c; /* c: where columns are written, not only counted */
    long long rows, columns;   /* of C */
    int *sizes;                /* where columns are counted */
    const int *list;           /* on a GPU: the rows of this bin */
    long long listed;
    char *scratch;             /* zeros, for every worker, or every block that has no table in shared memory */
    long long scratch_bytes;   /* of each */
    long long longest, window; /* host: entries of A's longest row; columns that there are sums of */
} mnp_spgemm_params;

#endif
