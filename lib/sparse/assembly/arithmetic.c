/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums and elementwise products of two matrices, sums along an axis, and norms.  Sums along an axis are products with
 * ones.
 */
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/reduce.h>

#include "layout/layout.h"
#include "sparse/rows/edit_rows.h"
#include "sparse/rows/matrix_from_rows.h"
#include "sparse/rows/sort_entries.h"

/* ---- two matrices ---- */

static mnp_status check_pair(const char *function, const mnp_sparse *a, const mnp_sparse *b)
{
    if (a->ctx != b->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrices belong to two contexts", function);
    if (a->shape[0] != b->shape[0] || a->shape[1] != b->shape[1])
        return MNP_FAIL(MNP_ERR_ARG, "%s: matrices of the shapes (%lld, %lld) and (%lld, %lld)", function,
                        (long long)a->shape[0], (long long)a->shape[1], (long long)b->shape[0], (long long)b->shape[1]);
    return MNP_OK;
}

/* Rows of alpha a + beta b, or of a * b where alpha is NULL.  Collective, and agreed upon. */
static mnp_status combine_rows(mnp_ctx *ctx, mnp_dtype dtype, const double *alpha, const mnp__rows *a,
                               const double *beta, const mnp__rows *b, mnp__rows *c)
{
    return alpha ? mnp__rows_add(ctx, dtype, alpha, a, beta, b, c) : mnp__rows_multiply(ctx, dtype, a, b, c);
}

/* The same for matrices, in that dtype and a's layouts.  Rows of a + a are read once. */
static mnp_status combine_by_rows(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                                  mnp_dtype dtype, mnp_sparse **c_p)
{
    mnp_ctx *ctx = a->ctx;
    mnp_sparse *left_made = NULL, *right_made = NULL;
    const mnp_sparse *left, *right;
    mnp__rows rows = {.rows = 0}, others = {.rows = 0}, combined;
    mnp_status st;
    MNP_TRY(mnp__sparse_bring(a, dtype, NULL, NULL, &left, &left_made));
    MNP_TRY_OR(mnp__sparse_bring(b, dtype, a->row_layout, a->column_layout, &right, &right_made), st, done);
    MNP_TRY_OR(mnp__rows_of(left, &rows), st, done);
    if (right != left)
        MNP_TRY_OR(mnp__rows_of(right, &others), st, done);
    MNP_TRY_OR(combine_rows(ctx, dtype, alpha, &rows, beta, right != left ? &others : &rows, &combined), st, done);
    const mnp__sparse_shape shape = mnp__sparse_shape_of(left);
    st = mnp__sparse_from_rows(&shape, &combined, c_p);
done:
    mnp__rows_release(ctx, &rows);
    mnp__rows_release(ctx, &others);
    mnp_sparse_free(left_made);
    mnp_sparse_free(right_made);
    return st;
}

static mnp_status combine_matrices(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                                   mnp_dtype dtype, mnp_sparse **c_p)
{
    mnp_sparse *c = NULL;
    if (a->structure == b->structure && a->dtype == b->dtype && a->dtype == dtype && a->format == MNP_CSR)
        MNP_TRY(mnp__stored_combined(alpha, a, beta, b, &c));
    if (!c)
        return combine_by_rows(alpha, a, beta, b, dtype, c_p);
    *c_p = c;
    return MNP_OK;
}

mnp_status mnp_sparse_add(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                          mnp_sparse **c_p)
{
    MNP_ENTER(a, b, c_p);
    static const double one[2] = {1, 0};
    MNP_TRY(check_pair("mnp_sparse_add", a, b));
    alpha = alpha ? alpha : one;
    beta = beta ? beta : one;
    mnp_dtype dtype = mnp_dtype_promote(a->dtype, b->dtype);
    if (alpha[1] != 0 || beta[1] != 0)
        dtype = mnp_dtype_promote(dtype, MNP_COMPLEX64);
    return combine_matrices(alpha, a, beta, b, dtype, c_p);
}

mnp_status mnp_sparse_multiply(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p)
{
    MNP_ENTER(a, b, c_p);
    MNP_TRY(check_pair("mnp_sparse_multiply", a, b));
    return combine_matrices(NULL, a, NULL, b, mnp_dtype_promote(a->dtype, b->dtype), c_p);
}

/* ---- sums ---- */

static mnp_status sum_rows(const mnp_sparse *matrix, mnp_array **sum_p)
{
    mnp_array *ones;
    MNP_TRY(mnp_array_new_order(matrix->ctx, matrix->dtype, matrix->column_layout, MNP_ORDER_C, &ones));
    mnp_status st = mnp_ones_like(ones, MNP_DTYPE_AUTO, &ones);
    if (st == MNP_OK)
        st = mnp_sparse_matmul(matrix, ones, sum_p);
    mnp_array_free(ones);
    return st;
}

mnp_status mnp_sparse_sum(const mnp_sparse *matrix, int axis, mnp_array **sum_p)
{
    MNP_ENTER(matrix, sum_p);
    static const char function[] = "mnp_sparse_sum";
    const mnp_sparse *transposed;
    mnp_array *rows = NULL;
    switch (axis) {
    case 0:
        MNP_TRY(mnp__sparse_transposed(matrix, &transposed));
        return sum_rows(transposed, sum_p);
    case 1:
        return sum_rows(matrix, sum_p);
    case -1:
        MNP_TRY(sum_rows(matrix, &rows));
        const mnp_status st = mnp_sum(rows, MNP_ALL_AXES, sum_p);
        mnp_array_free(rows);
        return st;
    default:
        return MNP_FAIL(MNP_ERR_ARG, "%s: axis is %d, not 0, 1, or -1 for both", function, axis);
    }
}

/* ---- norms ---- */

/* The one element of an array, which is freed. */
static mnp_status take_element(mnp_status st, mnp_array *element, double *value_p)
{
    if (st == MNP_OK)
        st = mnp_item(element, value_p);
    mnp_array_free(element);
    return st;
}

/* The largest sum of a row of absolute values. */
static mnp_status find_largest_row(const mnp_sparse *matrix, double *norm_p)
{
    mnp_array *sums = NULL, *largest = NULL;
    MNP_TRY(mnp_array_new(matrix->ctx, MNP_FLOAT64, matrix->row_layout, &sums));
    mnp_status st = mnp__rows_sum_magnitudes(matrix, sums->data);
    if (st == MNP_OK)
        st = mnp_max(sums, MNP_ALL_AXES, &largest);
    mnp_array_free(sums);
    return take_element(st, largest, norm_p);
}

/* The values of rows as a vector, rank by rank. */
static mnp_status make_vector(mnp_ctx *ctx, const mnp__rows *rows, mnp_array **vector_p)
{
    mnp_layout *layout = NULL;
    mnp_array *vector = NULL;
    MNP_TRY(mnp__entries_layout(ctx, rows->count, &layout));
    mnp_status st = mnp_array_new(ctx, MNP_FLOAT64, layout, &vector);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = MNP_AGREE(ctx, ctx->device->ops->copy(ctx->device, vector->data, rows->values,
                                               (size_t)rows->count * sizeof(double), ctx->compute));
    if (st == MNP_OK)
        *vector_p = vector;
    else
        mnp_array_free(vector);
    return st;
}

/* The Frobenius norm ('f'), or the largest absolute value ('m'). */
static mnp_status reduce_entries(const mnp_sparse *matrix, char which, double *norm_p)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp_array *vector = NULL, *norm = NULL;
    mnp__rows rows;
    MNP_TRY(mnp__rows_changed(matrix, MNP_FLOAT64, &(mnp__change){.value = {.magnitudes = true}}, &rows));
    mnp_status st = make_vector(ctx, &rows, &vector);
    mnp__rows_release(ctx, &rows);
    MNP_TRY(st);
    st = mnp_eval(ctx, which == 'f' ? "sqrt(sum(x * x))" : "max(x)", MNP_IN("x", vector), MNP_OUT("", &norm));
    st = take_element(st, norm, norm_p);
    mnp_array_free(vector);
    return st;
}

mnp_status mnp_sparse_norm(const mnp_sparse *matrix, char which, double *norm_p)
{
    MNP_ENTER(matrix, norm_p);
    static const char function[] = "mnp_sparse_norm";
    if (which != 'f' && which != '1' && which != 'i' && which != 'm')
        return MNP_FAIL(MNP_ERR_ARG, "%s: '%c' is none of 'f', '1', 'i' and 'm'", function, which);
    if (matrix->nnz == 0) {
        *norm_p = 0;
        return MNP_OK;
    }
    if (which == 'f' || which == 'm')
        return reduce_entries(matrix, which, norm_p);
    if (which == '1') /* columns are the rows of the transpose */
        MNP_TRY(mnp__sparse_transposed(matrix, &matrix));
    return find_largest_row(matrix, norm_p);
}
