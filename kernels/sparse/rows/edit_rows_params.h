/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of edit_rows.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_ROWS_EDIT_ROWS_PARAMS_H
#define MNP_KERNELS_SPARSE_ROWS_EDIT_ROWS_PARAMS_H

#include "kernels/sparse/rows/fetch_rows_params.h"

enum {
    MNP_EDIT_FLAG,    /* entries of a and b: 1 for those that are kept, to a_kept and b_kept, else 0 */
    MNP_EDIT_OFFSETS, /* of the rows that are made, once these are summed up: entries kept before each */
    MNP_EDIT_PLACE    /* entries that are kept, to `made` */
};

typedef struct mnp_edit_params {
    int task;
    mnp_rows_list a, b, made; /* b with offsets NULL: there is none */
    long long *a_kept, *b_kept;
    double alpha[2], beta[2]; /* for a sum */
    /* For a selection: rows first .. first + made.rows - 1, diagonals (column - row) low .. high, and whether 0 goes */
    long long first, row_lo, low, high;
    int drops_zeros;
} mnp_edit_params;

/*
 * change_values: the values of rows in another type, conjugated or absolute, and times factors of rows and columns.
 * sum_magnitudes: `made` gets the sum of the absolute values of every row, in double.
 */
typedef struct mnp_change_params {
    mnp_rows_list rows;
    void *made;                              /* `rows.values` are of MNP_FROM, these and factors of MNP_VALUE */
    int conjugates, magnitudes, ones;        /* whether values are these instead */
    const void *left, *right, *right_ghosts; /* NULL: none; own columns from column_lo on, and those of ghosts */
    long long column_lo, columns, nghosts;
    const long long *ghosts; /* their columns, which rise */
} mnp_change_params;

#endif
