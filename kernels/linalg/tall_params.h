/* SPDX-License-Identifier: BSD-3-Clause */
/* What tall_pass.cu, tall_sums.cu and tall_factor.cu are given, shared by the library (C) and the kernels (C++). */
#ifndef MNP_KERNELS_LINALG_TALL_PARAMS_H
#define MNP_KERNELS_LINALG_TALL_PARAMS_H

enum {
    MNP_TALL_BAND = 16, /* columns that are computed together */
    MNP_TALL_BANDS = 4, /* at most */
    MNP_TALL_WIDEST = MNP_TALL_BAND * MNP_TALL_BANDS,
    MNP_TALL_ROWS = 8,   /* that a warp has at once */
    MNP_TALL_WARPS = 8,  /* of a block */
    MNP_TALL_TILE = 256, /* elements of 16 x 16 */
    MNP_TALL_SUMS_THREADS = 256,
    MNP_TALL_FACTOR_THREADS = 1024
};

/* One pass over the rows of A, which is in C order. */
typedef struct mnp_tall_pass_params {
    const void *a; /* rows x columns */
    void *q;       /* of the product, as large; may be a */
    long long rows, columns;
    const double *w, *r; /* columns x columns, in C order: the factor of the product; what it is the inverse of */
    double *partials;    /* of each block of threads, for tall_sums.cu */
} mnp_tall_pass_params;

/* The sums of so many blocks' partials. */
typedef struct mnp_tall_sums_params {
    const double *partials;
    double *g; /* the Gram matrix, columns x columns */
    long long blocks, columns;
} mnp_tall_sums_params;

/* What is found out about a Gram matrix. */
typedef struct mnp_tall_report {
    double distance; /* from the identity, in Frobenius' norm */
    double growth;   /* of errors, if the factor's inverse is used instead of the factor */
    double failed;   /* 1: there is no factor, also not of a shifted matrix; the others may be NaN */
} mnp_tall_report;

/* Matrices are columns x columns, in C order. */
typedef struct mnp_tall_factor_params {
    const double *g;      /* the Gram matrix */
    double *r, *w;        /* G = R^T R, W = R^-1 */
    const double *before; /* NULL, or an upper triangular matrix */
    double *all;          /* R times that */
    mnp_tall_report *report;
    long long columns;
} mnp_tall_factor_params;

#endif
