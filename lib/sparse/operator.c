/*
 * Linear operators: a sparse matrix, or the caller's functions, as something that is multiplied with vectors.
 */
#include "sparse/operator.h"

#include <inttypes.h>
#include <stdlib.h>

#include <maniple/ufunc_methods.h>

#include "layout/layout.h"
#include "sparse/sparse.h"

static bool is_for_vectors(mnp_dtype dtype)
{
    return dtype == MNP_FLOAT32 || dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128;
}

static bool is_complex(mnp_dtype dtype)
{
    return dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128;
}

static mnp_status new_operator(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *rows, const mnp_layout *columns,
                               mnp_operator **operator_p)
{
    mnp_operator *op = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *op, &op));
    if (st != MNP_OK) {
        free(op);
        return st;
    }
    op->ctx = ctx;
    op->dtype = dtype;
    op->row_layout = mnp_layout_retain(rows);
    op->column_layout = mnp_layout_retain(columns);
    *operator_p = op;
    return MNP_OK;
}

mnp_status mnp_operator_from_sparse(const mnp_sparse *matrix, mnp_operator **operator_p)
{
    if (!matrix)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_from_sparse() was given no matrix");
    MNP_TRY(new_operator(mnp_sparse_ctx(matrix), mnp_sparse_dtype(matrix), mnp_sparse_row_layout(matrix),
                         mnp_sparse_column_layout(matrix), operator_p));
    (*operator_p)->matrix = matrix;
    return MNP_OK;
}

/* Sums over vectors need every element on one rank. */
static mnp_status check_layout(const char *name, const mnp_ctx *ctx, const mnp_layout *layout)
{
    if (!layout)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_new(): %s is NULL", name);
    if (mnp_layout_ndim(layout) != 1 || mnp_layout_nranks(layout) != ctx->comm.size || mnp_layout_is_cyclic(layout) ||
        mnp__layout_sharers(layout) != ctx->comm.size)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_new(): %s must cut one dimension over all %d ranks, in one part each",
                        name, ctx->comm.size);
    return MNP_OK;
}

mnp_status mnp_operator_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *row_layout, const mnp_layout *column_layout,
                            mnp_operator_apply apply, mnp_operator_apply adjoint, void *argument,
                            mnp_operator **operator_p)
{
    if (!is_for_vectors(dtype))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_new(): dtype is %s; it can be float32, float64, complex64 or complex128",
                        mnp_dtype_name(dtype));
    if (!apply)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_new(): apply is NULL");
    MNP_TRY(check_layout("row_layout", ctx, row_layout));
    MNP_TRY(check_layout("column_layout", ctx, column_layout));
    MNP_TRY(new_operator(ctx, dtype, row_layout, column_layout, operator_p));
    (*operator_p)->apply = apply;
    (*operator_p)->adjoint = adjoint;
    (*operator_p)->argument = argument;
    return MNP_OK;
}

void mnp_operator_free(mnp_operator *op)
{
    if (!op)
        return;
    mnp_layout_free(op->row_layout);
    mnp_layout_free(op->column_layout);
    free(op);
}

mnp_status mnp__operator_apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y)
{
    if (!op->matrix) {
        if (adjoint && !op->adjoint)
            return MNP_FAIL(MNP_ERR_ARG, "this operator has no adjoint function: mnp_operator_new() was given NULL");
        return adjoint ? op->adjoint(op->argument, x, y) : op->apply(op->argument, x, y);
    }
    const mnp_sparse *matrix = op->matrix;
    if (adjoint)
        MNP_TRY(mnp__sparse_transposed(matrix, &matrix));
    return mnp__sparse_apply(matrix, adjoint, op->dtype, 1, x->data, y->data);
}

mnp_status mnp__operator_check_square(const char *function, const mnp_operator *op)
{
    int64_t rows = mnp_layout_size(op->row_layout), columns = mnp_layout_size(op->column_layout);
    if (rows != columns)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the operator has %" PRId64 " rows and %" PRId64 " columns; it must be square",
                        function, rows, columns);
    if (!mnp_layout_equal(op->row_layout, op->column_layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the operator's rows and columns are cut differently over the ranks", function);
    return MNP_OK;
}

mnp_status mnp__vector_of(const char *function, const mnp_array *x, mnp_dtype dtype, const mnp_layout *layout,
                          mnp_array **vector_p)
{
    mnp_array *moved = NULL, *vector = NULL;
    if (is_complex(x->dtype) && !is_complex(dtype))
        return MNP_FAIL(MNP_ERR_ARG, "%s: a vector is %s, but the operator is %s", function, mnp_dtype_name(x->dtype),
                        mnp_dtype_name(dtype));
    MNP_TRY(mnp_redistribute(x, layout, &moved));
    mnp_status st = mnp_astype(moved, dtype, &vector);
    mnp_array_free(moved);
    if (st == MNP_OK)
        *vector_p = vector;
    return st;
}

mnp_status mnp__vector_zeros(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **vector_p)
{
    mnp_array *vector = NULL;
    MNP_TRY(mnp_array_new(ctx, dtype, layout, &vector));
    size_t bytes = (size_t)vector->local_size * mnp_dtype_size(dtype);
    mnp_status st = bytes == 0 ? MNP_OK : ctx->device->ops->fill(ctx->device, vector->data, 0, bytes, ctx->compute);
    if (st == MNP_OK)
        *vector_p = vector;
    else
        mnp_array_free(vector);
    return st;
}

mnp_status mnp_operator_run(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array **y_p)
{
    const mnp_layout *from = adjoint ? op->row_layout : op->column_layout;
    const mnp_layout *to = adjoint ? op->column_layout : op->row_layout;
    mnp_array *vector = NULL, *y = NULL;
    MNP_TRY(mnp__array_check_blocks("mnp_operator_run()", x));
    if (x->layout->ndim != 1 || mnp_layout_size(x->layout) != mnp_layout_size(from))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_run(): x must have one dimension of %" PRId64 " elements",
                        mnp_layout_size(from));
    if (adjoint && !op->matrix && !op->adjoint)
        return MNP_FAIL(MNP_ERR_ARG, "this operator has no adjoint function: mnp_operator_new() was given NULL");
    MNP_TRY(mnp__vector_of("mnp_operator_run()", x, op->dtype, from, &vector));
    mnp_status st = mnp__array_output_dense(op->ctx, "y", op->dtype, to, *y_p, &y);
    if (st == MNP_OK)
        st = mnp__array_deliver(y, mnp__operator_apply(op, adjoint, vector, y), y_p);
    mnp_array_free(vector);
    return st;
}
