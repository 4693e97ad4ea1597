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
    double alpha[2], beta[2]; /* for a sum */
    /*
     * Selection: rows first .. first + made.rows - 1, diagonals (column - row) low .. high, whether zeros are dropped
     */
    long long first, row_lo, low, high;
    int drops_zeros;
} mnp_edit_params;

/*
 * The parameter of change_values, which converts the values of rows to another type, conjugates them or takes absolute
 * values, and multiplies them with factors of rows and columns; and of sum_magnitudes, which stores in `made` the sum
 * of the absolute values of every row, in double.
 */
typedef struct mnp_change_params {
    mnp_rows_list rows;
    void *made; /* the results, which have MNP_VALUE, as factors have; `rows.values` have MNP_FROM */
    int conjugates, magnitudes, ones; /* whether to conjugate, take absolute values, or store ones */
    const void *left, *right,
        *right_ghosts; /* factors of rows, own columns from column_lo on, and ghosts; NULL: none */
    long long column_lo, columns, nghosts;
    const long long *ghosts; /* the ghosts' columns, ascending */
} mnp_change_params;

#endif
