/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of edit_rows.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_EDIT_ROWS_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_EDIT_ROWS_PARAMS_H

#include "kernels/sparse/rows/fetch_rows_params.h"

enum {
    MNP_EDIT_FLAG,    /* entries of a and b: store 1 in a_kept and b_kept for those that are kept, 0 for others */
    MNP_EDIT_OFFSETS, /* rows of the result: their offsets, from the prefix sums of a_kept and b_kept */
    MNP_EDIT_PLACE    /* entries that are kept: store them in `made` */
};

typedef struct mnp_edit_params {
    int task;
    mnp_rows_list a, b, made; /* b has NULL offsets if there is none */
    long long *a_kept, *b_kept;
    double alpha[2], beta[2];    /* for a sum */
    long long row_lo, low, high; /* a selection: diagonals (column - row) low .. high, whether zeros are dropped */
    int drops_zeros;
} mnp_edit_params;

/* How a value changes: converted to another type, replaced, conjugated, and multiplied by a number, in that order. */
typedef struct mnp_value_change {
    int conjugates, magnitudes, ones, scales; /* whether to; magnitudes: absolute values; ones: 1 */
    double number[2];                         /* the factor, real and imaginary */
} mnp_value_change;

/*
 * The parameter of change_values, which changes the values of rows, and multiplies them with factors of rows and
 * columns; and of sum_magnitudes, which stores in `made` the sum of the absolute values of every row, in double.
 */
typedef struct mnp_change_params {
    mnp_rows_list rows;
    void *made; /* the results, which have MNP_VALUE, as factors have; `rows.values` have MNP_FROM */
    mnp_value_change change;
    const void *left, *right,
        *right_ghosts; /* factors of rows, own columns from column_lo on, and ghosts; NULL: none */
    long long column_lo, columns, nghosts;
    const long long *ghosts; /* the ghosts' columns, ascending */
} mnp_change_params;

/*
 * The parameter of change_stored, which changes `count` values, wherever their entries are; and of combine_stored,
 * which adds or multiplies the values of two matrices with the same structure, and sets *zeros if a result is 0.
 */
typedef struct mnp_stored_params {
    long long count;
    const void *values, *others; /* MNP_FROM; `others`: of the second matrix */
    void *made;                  /* MNP_VALUE */
    mnp_value_change change;
    double alpha[2], beta[2]; /* for a sum */
    int *zeros;
} mnp_stored_params;

#endif
