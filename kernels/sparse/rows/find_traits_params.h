/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of find_traits.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_FIND_TRAITS_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_FIND_TRAITS_PARAMS_H

#include "kernels/sparse/rows/fetch_rows_params.h"

/* What one thread of a GPU, or one worker of the host, finds in its entries: sums over them. */
typedef struct mnp_traits_sums {
    unsigned long long hash;        /* of row, column and value of every entry, modulo 2^64 */
    double skew, size;              /* random numbers times A - A^H, and times absolute values */
    long long positive, other_than; /* entries of the diagonal: real and positive; other than 0 */
} mnp_traits_sums;

typedef struct mnp_traits_params {
    mnp_rows_part part;      /* in CSR */
    long long row_lo;        /* of the matrix: this rank's first row */
    long long column_lo;     /* of an own part: its first column */
    const long long *ghosts; /* of a ghost part: its columns; NULL: an own part */
    mnp_traits_sums *sums;   /* of every thread or worker; they are added to what is there */
} mnp_traits_params;

#endif
