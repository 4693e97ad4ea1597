/*
 * Sums and products of matrices element by element, and what reduces one.  Sums along an axis are products with ones;
 * norms are taken on memory of the CPU.
 */
#include <math.h>
#include <stdlib.h>

#include <maniple/reduce.h>

#include "layout/layout.h"
#include "ops/indexed.h"
#include "sparse/edit_rows.h"

/* ---- two matrices ---- */

static mnp_status check_pair(const char *function, const mnp_sparse *a, const mnp_sparse *b)
{
    MNP_TRY(mnp__sparse_check(function, a));
    MNP_TRY(mnp__sparse_check(function, b));
    if (a->ctx != b->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrices belong to two contexts", function);
    if (a->shape[0] != b->shape[0] || a->shape[1] != b->shape[1])
        return MNP_FAIL(MNP_ERR_ARG, "%s: matrices of the shapes (%lld, %lld) and (%lld, %lld)", function,
                        (long long)a->shape[0], (long long)a->shape[1], (long long)b->shape[0], (long long)b->shape[1]);
    return MNP_OK;
}

/* alpha a + beta b, or, where alpha is NULL, a * b, of rows.  Collective, and agreed upon. */
static mnp_status combine_rows(mnp_ctx *ctx, mnp_dtype dtype, const double *alpha, const mnp__rows *a,
                               const double *beta, const mnp__rows *b, mnp__rows *c)
{
    return alpha ? mnp__rows_add(ctx, dtype, alpha, a, beta, b, c) : mnp__rows_multiply(ctx, dtype, a, b, c);
}

/* The same of matrices, in that dtype, with a's layouts. */
static mnp_status combine_matrices(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
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
    MNP_TRY_OR(mnp__rows_of(right, &others), st, done);
    MNP_TRY_OR(combine_rows(ctx, dtype, alpha, &rows, beta, &others, &combined), st, done);
    st = mnp__sparse_from_rows(ctx, dtype, a->shape[0], a->shape[1], a->row_layout, a->column_layout, &combined, c_p);
done:
    mnp__rows_release(ctx, &rows);
    mnp__rows_release(ctx, &others);
    mnp_sparse_free(left_made);
    mnp_sparse_free(right_made);
    return st;
}

mnp_status mnp_sparse_add(const double *alpha, const mnp_sparse *a, const double *beta, const mnp_sparse *b,
                          mnp_sparse **c_p)
{
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
    MNP_TRY(check_pair("mnp_sparse_multiply", a, b));
    return combine_matrices(NULL, a, NULL, b, mnp_dtype_promote(a->dtype, b->dtype), c_p);
}

/* ---- sums ---- */

/* A vector of ones, in the layout of the columns. */
static mnp_status make_ones(const mnp_sparse *matrix, mnp_array **ones_p)
{
    mnp_array *ones;
    double *values;
    const double one[2] = {1, 0};
    MNP_TRY(mnp_array_new_order(matrix->ctx, matrix->dtype, matrix->column_layout, MNP_ORDER_C, &ones));
    mnp_status st = mnp__malloc((size_t)matrix->columns * mnp_dtype_size(matrix->dtype), &values);
    if (st == MNP_OK) {
        for (int64_t i = 0; i < matrix->columns; i++)
            mnp__value_set(matrix->dtype, values, i, one);
        st = mnp_array_set_local(ones, values);
        free(values);
    }
    st = MNP_AGREE(matrix->ctx, st);
    if (st == MNP_OK)
        *ones_p = ones;
    else
        mnp_array_free(ones);
    return st;
}

static mnp_status sum_rows(const mnp_sparse *matrix, mnp_array **sum_p)
{
    mnp_array *ones;
    MNP_TRY(make_ones(matrix, &ones));
    const mnp_status st = mnp_sparse_matmul(matrix, ones, sum_p);
    mnp_array_free(ones);
    return st;
}

mnp_status mnp_sparse_sum(const mnp_sparse *matrix, int axis, mnp_array **sum_p)
{
    static const char function[] = "mnp_sparse_sum";
    const mnp_sparse *transposed;
    mnp_array *rows = NULL;
    MNP_TRY(mnp__sparse_check(function, matrix));
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

/* The larger one, or NaN if there is one. */
static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static double add(double a, double b)
{
    return a + b;
}

/*
 * Of this rank's rows: the sum of squares ('f'), the largest row sum ('i') or the largest entry ('m') of absolute
 * values.
 */
static double reduce_rows(const mnp__csr *csr, char which)
{
    double result = 0, value[2];
    for (int64_t i = 0; i < csr->rows; i++) {
        double row = 0;
        for (int64_t k = csr->offsets[i]; k < csr->offsets[i + 1]; k++) {
            mnp__value_get(csr->dtype, csr->values, k, value);
            const double size = hypot(value[0], value[1]);
            row = which == 'm' ? larger(size, row) : row + (which == 'f' ? size * size : size);
        }
        result = which == 'f' ? result + row : larger(row, result);
    }
    return result;
}

/* Combine the ranks' results in their order, so that all get the same. */
static mnp_status reduce_ranks(const mnp__comm *comm, double (*combine_two)(double a, double b), double own,
                               double *result_p)
{
    double *all = NULL, result = 0;
    mnp_status st = mnp__agree(comm, mnp__malloc((size_t)comm->size * sizeof *all, &all));
    if (st == MNP_OK)
        st = mnp__all_gather(comm, &own, all, sizeof own);
    for (int r = 0; r < comm->size && st == MNP_OK; r++)
        result = combine_two(all[r], result);
    free(all);
    if (st == MNP_OK)
        *result_p = result;
    return st;
}

mnp_status mnp_sparse_norm(const mnp_sparse *matrix, char which, double *norm_p)
{
    static const char function[] = "mnp_sparse_norm";
    mnp__csr csr;
    double norm;
    MNP_TRY(mnp__sparse_check(function, matrix));
    if (which != 'f' && which != '1' && which != 'i' && which != 'm')
        return MNP_FAIL(MNP_ERR_ARG, "%s: '%c' is none of 'f', '1', 'i' and 'm'", function, which);
    if (which == '1') { /* columns are the rows of the transposed matrix */
        MNP_TRY(mnp__sparse_transposed(matrix, &matrix));
        which = 'i';
    }
    MNP_TRY(mnp__sparse_fetch(matrix, &csr));
    norm = reduce_rows(&csr, which);
    mnp__csr_free(&csr);
    MNP_TRY(reduce_ranks(&matrix->ctx->comm, which == 'f' ? add : larger, norm, &norm));
    *norm_p = which == 'f' ? sqrt(norm) : norm;
    return MNP_OK;
}
