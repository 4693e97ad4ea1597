/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of spgemm.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_PRODUCT_SPGEMM_PARAMS_H
#define MNP_KERNELS_SPARSE_PRODUCT_SPGEMM_PARAMS_H

enum {
    MNP_SPGEMM_BINS = 6,        /* kinds of rows on a GPU, by their lengths; the host has one */
    MNP_SPGEMM_TILE = 1024,     /* rows that one record of the tally counts */
    MNP_SPGEMM_THREADS = 256,   /* of a block that plans */
    MNP_SPGEMM_CLAIMS = 4096,   /* words by which threads of a block claim sums */
    MNP_SPGEMM_ROWS = 64,       /* rows that a worker of the host takes at a time */
    MNP_SPGEMM_WINDOW = 262144, /* at most so many columns have sums of a worker of the host; a multiple of 4096 */
    MNP_SPGEMM_SPARE = 4        /* columns of a word that it lists without branches */
};

/* A part in CSR; see lib/sparse/matrix/part.h. */
typedef struct mnp_spgemm_matrix {
    const void *offsets; /* of 8 bytes if `wide`, otherwise of 4 */
    int *columns;
    void *values;
    int wide;
} mnp_spgemm_matrix;

/* The tasks of spgemm_plan, which find how much memory rows need, and sort them into bins. */
enum { MNP_SPGEMM_BOUND, MNP_SPGEMM_TALLY, MNP_SPGEMM_SUM, MNP_SPGEMM_PLACE };

typedef struct mnp_spgemm_plan_params {
    mnp_spgemm_matrix a, b;
    long long rows, columns; /* of C */
    int *sizes;              /* of C's rows.  BOUND stores upper bounds of their columns; other tasks read them */
    long long *tally;        /* a record for every tile: the sum of its sizes, and its rows in every bin.  SUM
                                       turns these into exclusive prefix sums, and appends the totals */
    /* a row is in the first bin whose `most` is not below its size, and in none if its size is 0 */
    int most[MNP_SPGEMM_BINS];
    int *list;                        /* PLACE, on a GPU: the rows, grouped by bins */
    long long first[MNP_SPGEMM_BINS]; /* where the rows of each bin begin in the list */
    void *offsets;                    /* PLACE: C's offsets, from the sizes; NULL: only the list is made */
    int wide;                         /* whether these have 8 bytes */
    int lanes;                        /* BOUND: threads that share a row, a power of two up to 32 */
    int task;
} mnp_spgemm_plan_params;

/* The parameter of spgemm_rows, which computes rows of C. */
typedef struct mnp_spgemm_params {
    mnp_spgemm_matrix a, b, c; /* c: the result; not used where columns are only counted */
    long long rows, columns;   /* of C */
    int *sizes;                /* where columns are counted: the rows' numbers of columns */
    const int *list;           /* on a GPU: the rows of this bin */
    long long listed;
    char *scratch;             /* zeros: memory for every worker, or every block without a table in shared memory */
    long long scratch_bytes;   /* bytes for each */
    long long longest, window; /* host: entries of A's longest row; columns of a window */
} mnp_spgemm_params;

#endif
