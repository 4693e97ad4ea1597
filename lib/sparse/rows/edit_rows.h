/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows in device memory that become other rows (kernels/sparse/rows/edit_rows.cu).
 */
#ifndef MNP__SPARSE_ROWS_EDIT_ROWS_H
#define MNP__SPARSE_ROWS_EDIT_ROWS_H

#include "kernels/sparse/rows/edit_rows_params.h"
#include "sparse/rows/rows.h"

/*
 * alpha a + beta b, or the elementwise product a * b, of the same dtype and number of rows.  Results that are 0 are
 * left out, as in SciPy.  Both wait.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__rows_add(mnp_ctx *ctx, mnp_dtype dtype, const double alpha[2], const mnp__rows *a, const double beta[2],
                         const mnp__rows *b, mnp__rows *sum);
mnp_status mnp__rows_multiply(mnp_ctx *ctx, mnp_dtype dtype, const mnp__rows *a, const mnp__rows *b,
                              mnp__rows *product);

/* Which entries are selected: on the diagonals (column - row) from low to high. */
typedef struct mnp__selection {
    int64_t low, high;
    int64_t row_lo; /* the global number of row 0 here */
    bool drops_zeros;
} mnp__selection;

/* The selected entries.  Errors as above. */
mnp_status mnp__rows_select(mnp_ctx *ctx, mnp_dtype dtype, const mnp__rows *rows, const mnp__selection *selection,
                            mnp__rows *selected);

/* How values change, and then are multiplied by factors in device memory, which are of the new dtype. */
typedef struct mnp__change {
    mnp_value_change value;
    const void *left;         /* of this rank's rows; NULL: ones */
    const void *right;        /* of its columns; NULL: ones */
    const void *right_ghosts; /* of the matrix's ghosts */
} mnp__change;

/* The matrix's rows with changed values of that dtype.  Errors as above. */
mnp_status mnp__rows_changed(const mnp_sparse *matrix, mnp_dtype dtype, const mnp__change *change, mnp__rows *changed);

/*
 * A matrix with the structure of another in CSR, CSC or COO, and its values, changed to that dtype.  Does not wait.
 * Collective, and agreed upon.  Errors as above.
 */
mnp_status mnp__stored_changed(const mnp_sparse *matrix, mnp_dtype dtype, const mnp_value_change *change,
                               mnp_sparse **changed_p);

/*
 * alpha a + beta b, or a * b where alpha is NULL, of two matrices of the same dtype that share their structure, in CSR,
 * CSC or COO; the result shares it too.  *c_p is NULL if an element of any rank is 0, and would not be stored.  Waits.
 * Collective, and agreed upon.  Errors as above.
 */
mnp_status mnp__stored_combined(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                                mnp_sparse **c_p);

/* The sum of absolute values of each row of this rank, as float64 in device memory.  Collective.  Errors as above. */
mnp_status mnp__rows_sum_magnitudes(const mnp_sparse *matrix, double *sums);

#endif
