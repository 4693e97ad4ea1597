/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices of changed values: converted, conjugated, scaled, or any function of them by way of an array.  The result
 * shares the structure of the matrix where its format stores nothing but entries.
 */

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "sparse/rows/edit_rows.h"
#include "sparse/rows/matrix_from_rows.h"
#include "sparse/rows/sort_entries.h"
#include "sparse/rows/turn_part.h"

/* ---- changed one by one ---- */

/* The matrix with changed values of that dtype, by way of its rows. */
static mnp_status change_rows(const mnp_sparse *matrix, mnp_dtype dtype, const mnp__change *how, mnp_sparse **changed_p)
{
    mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    mnp__rows rows;
    shape.dtype = dtype;
    MNP_TRY(mnp__rows_changed(matrix, dtype, how, &rows));
    return mnp__sparse_from_rows_as(&shape, &rows, matrix->format, matrix->own.block, changed_p);
}

/* Values change as they are stored, except in formats that fill up with zeros, as their filling must stay 0. */
static mnp_status change(const mnp_sparse *matrix, mnp_dtype dtype, mnp_value_change how, mnp_sparse **changed_p)
{
    if (mnp__part_is_listed(matrix->format))
        return mnp__stored_changed(matrix, dtype, &how, changed_p);
    return change_rows(matrix, dtype, &(mnp__change){.value = how}, changed_p);
}

mnp_status mnp_sparse_astype(const mnp_sparse *matrix, mnp_dtype dtype, mnp_sparse **cast_p)
{
    MNP_ENTER(matrix, cast_p);
    MNP_TRY(mnp__sparse_check_dtype("mnp_sparse_astype", dtype));
    return change(matrix, dtype, (mnp_value_change){.scales = false}, cast_p);
}

mnp_status mnp_sparse_conj(const mnp_sparse *matrix, mnp_sparse **conjugate_p)
{
    MNP_ENTER(matrix, conjugate_p);
    return change(matrix, matrix->dtype, (mnp_value_change){.conjugates = true}, conjugate_p);
}

mnp_status mnp_sparse_abs(const mnp_sparse *matrix, mnp_sparse **magnitudes_p)
{
    MNP_ENTER(matrix, magnitudes_p);
    const bool is_narrow = matrix->dtype == MNP_FLOAT32 || matrix->dtype == MNP_COMPLEX64;
    return change(matrix, is_narrow ? MNP_FLOAT32 : MNP_FLOAT64, (mnp_value_change){.magnitudes = true}, magnitudes_p);
}

mnp_status mnp_sparse_times(const double *alpha, const mnp_sparse *matrix, mnp_sparse **scaled_p)
{
    MNP_ENTER(alpha, matrix, scaled_p);
    const mnp_dtype dtype = alpha[1] != 0 ? mnp_dtype_promote(matrix->dtype, MNP_COMPLEX64) : matrix->dtype;
    return change(matrix, dtype, (mnp_value_change){.scales = true, .number = {alpha[0], alpha[1]}}, scaled_p);
}

/* ---- scaled by rows and columns ---- */

/* Bring the factors of columns, and those of the ghosts.  Collective, and agreed upon. */
static mnp_status bring_ghosts(const mnp_sparse *matrix, const mnp_array *brought, mnp__change *how)
{
    how->right = brought->data;
    if (!matrix->has_ghosts)
        return MNP_OK;
    mnp_status st = mnp__ghosts_begin(matrix->ghosts, mnp_dtype_size(brought->dtype), 1, brought->data);
    if (st == MNP_OK)
        st = mnp__ghosts_finish(matrix->ghosts, &how->right_ghosts);
    return MNP_AGREE(matrix->ctx, st);
}

static mnp_status check_factors(const char *which, const mnp_sparse *matrix, const mnp_array *factors, int64_t n)
{
    static const char function[] = "mnp_sparse_scale";
    if (!factors)
        return MNP_OK;
    MNP_TRY(mnp__array_check_blocks(function, factors));
    if (factors->ctx != matrix->ctx || factors->layout->ndim != 1 || factors->layout->shape[0] != n)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the %s factors should be %lld in one dimension, of the matrix's context",
                        function, which, (long long)n);
    return MNP_OK;
}

mnp_status mnp_sparse_scale(const mnp_sparse *matrix, const mnp_array *left, const mnp_array *right,
                            mnp_sparse **scaled_p)
{
    MNP_ENTER(matrix, scaled_p);
    MNP_NEED_OR_NULL(left);
    MNP_NEED_OR_NULL(right);
    mnp__input rows = {NULL, NULL}, columns = {NULL, NULL};
    mnp__change how = {.left = NULL};
    mnp_status st;
    MNP_TRY(check_factors("left", matrix, left, matrix->shape[0]));
    MNP_TRY(check_factors("right", matrix, right, matrix->shape[1]));
    mnp_dtype dtype = left ? mnp_dtype_promote(matrix->dtype, left->dtype) : matrix->dtype;
    dtype = right ? mnp_dtype_promote(dtype, right->dtype) : dtype;
    if (left) {
        MNP_TRY_OR(mnp__input_open(left, matrix->row_layout, dtype, MNP__INPUT_DENSE, &rows), st, done);
        how.left = rows.array->data;
    }
    if (right) {
        MNP_TRY_OR(mnp__input_open(right, matrix->column_layout, dtype, MNP__INPUT_DENSE, &columns), st, done);
        MNP_TRY_OR(bring_ghosts(matrix, columns.array, &how), st, done);
    }
    st = change_rows(matrix, dtype, &how, scaled_p);
done:
    mnp__input_close(&rows);
    mnp__input_close(&columns);
    return st;
}

/* ---- as an array ---- */

/*
 * The matrix in CSR, CSC or COO: itself, or in CSR where its format fills up with zeros; the caller frees *temporary_p,
 * which may be NULL.  Collective, and agreed upon.
 */
static mnp_status bring_listed(const mnp_sparse *matrix, const mnp_sparse **listed_p, mnp_sparse **temporary_p)
{
    *temporary_p = NULL;
    if (!mnp__part_is_listed(matrix->format))
        MNP_TRY(mnp_sparse_convert(matrix, MNP_CSR, 0, temporary_p));
    *listed_p = *temporary_p ? *temporary_p : matrix;
    return MNP_OK;
}

/* Copy an array of values, those of the own part first, from or to a matrix. */
static mnp_status copy_values(const mnp_sparse *matrix, bool from, char *array)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__part *const parts[] = {&matrix->own, &matrix->ghost};
    for (int p = 0; p < 2; p++) {
        const size_t bytes = (size_t)parts[p]->count * mnp_dtype_size(matrix->dtype);
        if (bytes > 0)
            MNP_TRY(ctx->device->ops->copy(ctx->device, from ? (void *)array : parts[p]->values,
                                           from ? parts[p]->values : (void *)array, bytes, ctx->compute));
        array += bytes;
    }
    return MNP_OK;
}

static mnp_status give_values(const mnp_sparse *matrix, mnp_array **values_p)
{
    mnp_layout *layout;
    mnp__output output = {.array = NULL};
    MNP_TRY(mnp__entries_layout(matrix->ctx, matrix->local_nnz, &layout));
    const mnp__output_spec spec = {.function = "mnp_sparse_values",
                                   .ctx = matrix->ctx,
                                   .dtype = matrix->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_DENSE};
    mnp_status st = mnp__output_open(&spec, values_p, &output);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = MNP_AGREE(matrix->ctx, copy_values(matrix, true, output.array->data));
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_sparse_values(const mnp_sparse *matrix, mnp_array **values_p)
{
    MNP_ENTER(matrix, values_p);
    mnp_sparse *temporary;
    MNP_TRY(bring_listed(matrix, &matrix, &temporary));
    const mnp_status st = give_values(matrix, values_p);
    mnp_sparse_free(temporary);
    return st;
}

/* A matrix with the structure of another and values of an array in any layout. */
static mnp_status take_values(const mnp_sparse *matrix, const mnp_array *values, mnp_sparse **made_p)
{
    mnp_layout *layout;
    mnp__input input;
    mnp_sparse *made;
    MNP_TRY(mnp__entries_layout(matrix->ctx, matrix->local_nnz, &layout));
    mnp_status st = mnp__input_open(values, layout, values->dtype, MNP__INPUT_DENSE, &input);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = mnp__sparse_new_like(matrix, values->dtype, &made);
    if (st == MNP_OK)
        st = copy_values(made, false, input.array->data);
    mnp__input_close(&input);
    st = MNP_AGREE(matrix->ctx, st);
    if (st == MNP_OK)
        *made_p = made;
    else
        mnp_sparse_free(made);
    return st;
}

mnp_status mnp_sparse_with_values(const mnp_sparse *matrix, const mnp_array *values, mnp_sparse **made_p)
{
    MNP_ENTER(matrix, values, made_p);
    static const char function[] = "mnp_sparse_with_values";
    mnp_sparse *temporary;
    MNP_TRY(mnp__sparse_check_dtype(function, values->dtype));
    MNP_TRY(mnp__array_check_blocks(function, values));
    MNP_TRY(bring_listed(matrix, &matrix, &temporary));
    mnp_status st = MNP_OK;
    if (values->ctx != matrix->ctx || values->layout->ndim != 1 || values->layout->shape[0] != matrix->nnz)
        st = MNP_FAIL(MNP_ERR_ARG, "%s: the values should be %lld in one dimension, of the matrix's context", function,
                      (long long)matrix->nnz);
    if (st == MNP_OK)
        st = take_values(matrix, values, made_p);
    mnp_sparse_free(temporary);
    return st;
}
