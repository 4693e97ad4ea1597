/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear operators: what all kinds have in common, and two of them, a sparse matrix and the caller's functions.  The
 * third, kernels over grids, is operator_kernel.c.
 */
#include "sparse/operator/operator.h"

#include <inttypes.h>
#include <stdlib.h>

#include <maniple/ufunc_methods.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/indexing/indexed.h"
#include "sparse/matrix/sparse.h"

mnp_status mnp__operator_check_dtype(const char *function, mnp_dtype dtype)
{
    if (dtype == MNP_FLOAT32 || dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: dtype is %s; it can be float32, float64, complex64 or complex128", function,
                    mnp_dtype_name(dtype));
}

static bool is_complex(mnp_dtype dtype)
{
    return dtype == MNP_COMPLEX64 || dtype == MNP_COMPLEX128;
}

mnp_status mnp__operator_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *rows, const mnp_layout *columns,
                             const mnp__operator_ops *ops, mnp_operator **operator_p)
{
    mnp_operator *op = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *op, &op));
    if (st != MNP_OK) {
        free(op);
        return st;
    }
    op->tag = MNP__TAG_operator;
    op->ctx = ctx;
    op->dtype = dtype;
    op->row_layout = mnp_layout_retain(rows);
    op->column_layout = mnp_layout_retain(columns);
    op->ops = ops;
    mnp__ctx_made(ctx, op);
    *operator_p = op;
    return MNP_OK;
}

void mnp_operator_free(mnp_operator *op)
{
    if (!op)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, op);
    mnp__ctx_gone(op->ctx, op);
    if (op->ops->free)
        op->ops->free(op);
    mnp_layout_free(op->row_layout);
    mnp_layout_free(op->column_layout);
    mnp__object_free(op);
}

/* ---- sparse matrices ---- */

static mnp_status sparse_apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y)
{
    const mnp_sparse *matrix = op->matrix;
    if (adjoint)
        MNP_TRY(mnp__sparse_transposed(matrix, &matrix));
    return mnp__sparse_apply(matrix, adjoint, op->dtype, 1, x->data, y->data);
}

static const mnp__operator_ops sparse_ops = {.what = "a product with a sparse matrix", .apply = sparse_apply};

mnp_status mnp_operator_from_sparse(const mnp_sparse *matrix, mnp_operator **operator_p)
{
    MNP_ENTER(matrix, operator_p);
    if (!matrix || !operator_p)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_from_sparse() was given no %s",
                        matrix ? "place for the operator" : "matrix");
    MNP_TRY(mnp__operator_new(mnp_sparse_ctx(matrix), mnp_sparse_dtype(matrix), mnp_sparse_row_layout(matrix),
                              mnp_sparse_column_layout(matrix), &sparse_ops, operator_p));
    (*operator_p)->matrix = matrix;
    (*operator_p)->has_adjoint = true;
    (*operator_p)->enqueues = !matrix->has_ghosts || mnp__ghosts_enqueues(matrix->ghosts);
    return MNP_OK;
}

/* ---- functions ---- */

struct functions {
    mnp_operator_apply apply, adjoint;
    void *argument;
};

static mnp_status functions_apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y)
{
    const struct functions *functions = op->data;
    return (adjoint ? functions->adjoint : functions->apply)(functions->argument, x, y);
}

static void functions_free(mnp_operator *op)
{
    free(op->data);
}

static const mnp__operator_ops functions_ops = {
    .what = "the caller's function", .apply = functions_apply, .free = functions_free};

/* Sums over vectors need every element on one rank. */
static mnp_status check_layout(const char *name, const mnp_ctx *ctx, const mnp_layout *layout)
{
    if (mnp_layout_ndim(layout) != 1 || mnp_layout_nranks(layout) != ctx->comm.size || mnp_layout_is_cyclic(layout) ||
        mnp__layout_sharers(layout) != ctx->comm.size)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_operator_new(): %s must cut one dimension over all %d ranks, in one part each", name,
                        ctx->comm.size);
    return MNP_OK;
}

mnp_status mnp_operator_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *row_layout,
                            const mnp_layout *column_layout, mnp_operator_apply apply, mnp_operator_apply adjoint,
                            void *argument, mnp_operator **operator_p)
{
    MNP_ENTER(ctx, row_layout, column_layout, apply, operator_p);
    mnp_operator *op;
    struct functions *functions = NULL;
    MNP_TRY(mnp__operator_check_dtype("mnp_operator_new()", dtype));
    MNP_TRY(check_layout("row_layout", ctx, row_layout));
    MNP_TRY(check_layout("column_layout", ctx, column_layout));
    MNP_TRY(mnp__operator_new(ctx, dtype, row_layout, column_layout, &functions_ops, &op));
    const mnp_status made = mnp__malloc(sizeof *functions, &functions);
    op->data = functions;
    const mnp_status st = MNP_AGREE(ctx, made);
    if (st != MNP_OK) {
        mnp_operator_free(op);
        return st;
    }
    *functions = (struct functions){.apply = apply, .adjoint = adjoint, .argument = argument};
    op->has_adjoint = adjoint != NULL;
    *operator_p = op;
    return MNP_OK;
}

/* ---- applying ---- */

static mnp_status check_adjoint(const mnp_operator *op)
{
    return op->has_adjoint ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "this operator was made without its adjoint");
}

mnp_status mnp__operator_apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y)
{
    if (adjoint)
        MNP_TRY(check_adjoint(op));
    return op->ops->apply(op, adjoint, x, y);
}

mnp_status mnp__operator_check_square(const char *function, const mnp_operator *op)
{
    int64_t rows = mnp_layout_size(op->row_layout), columns = mnp_layout_size(op->column_layout);
    if (rows != columns)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the operator has %" PRId64 " rows and %" PRId64 " columns; it must be square",
                        function, rows, columns);
    if (!mnp_layout_equal(op->row_layout, op->column_layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the operator's rows and columns are cut differently over the ranks",
                        function);
    return MNP_OK;
}

/* A complex vector cannot become real. */
static mnp_status check_vector(const char *function, const mnp_array *x, mnp_dtype dtype)
{
    if (is_complex(x->dtype) && !is_complex(dtype))
        return MNP_FAIL(MNP_ERR_ARG, "%s: a vector is %s, but the operator is %s", function, mnp_dtype_name(x->dtype),
                        mnp_dtype_name(dtype));
    return MNP_OK;
}

mnp_status mnp__vector_of(const char *function, const mnp_array *x, mnp_dtype dtype, const mnp_layout *layout,
                          mnp_array **vector_p)
{
    mnp__input input;
    MNP_TRY(check_vector(function, x, dtype));
    MNP_TRY(mnp__input_open(x, layout, dtype, MNP__INPUT_DENSE | MNP__INPUT_COPY, &input));
    *vector_p = input.temporary;
    return MNP_OK;
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

/* The product, with the layouts of both vectors; a dense x of the operator's dtype is used in place. */
static mnp_status multiply(const mnp_operator *op, bool adjoint, const mnp_array *x, const mnp_layout *from,
                           const mnp_layout *to, mnp_array **y_p)
{
    mnp__input input;
    mnp__output output;
    MNP_TRY(mnp__input_open(x, from, op->dtype, MNP__INPUT_DENSE, &input));
    const mnp__output_spec spec = {.function = "mnp_operator_run()",
                                   .ctx = op->ctx,
                                   .dtype = op->dtype,
                                   .layout = to,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 1,
                                   .inputs = &input.array};
    mnp_status st = mnp__output_open(&spec, y_p, &output);
    if (st == MNP_OK)
        st = mnp__operator_apply(op, adjoint, input.array, output.array);
    st = mnp__output_close(1, &output, st);
    mnp__input_close(&input);
    return st;
}

mnp_status mnp_operator_run(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array **y_p)
{
    MNP_ENTER(op, x, y_p);
    if (!op || !y_p)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_run() was given no %s", op ? "place for y" : "operator");
    const mnp_layout *from = adjoint ? op->row_layout : op->column_layout;
    MNP_TRY(mnp__inputs_check("mnp_operator_run()", 1, &x));
    MNP_TRY(mnp__array_check_blocks("mnp_operator_run()", x));
    if (x->ctx != op->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_run(): the operator and x belong to two contexts");
    if (x->layout->ndim != 1 || mnp_layout_size(x->layout) != mnp_layout_size(from))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_operator_run(): x must have one dimension of %" PRId64 " elements",
                        mnp_layout_size(from));
    if (adjoint)
        MNP_TRY(check_adjoint(op));
    mnp_operator *wide = NULL;
    MNP_TRY(mnp__operator_in_dtype(op, mnp__operator_wider(op->dtype, x->dtype), &wide));
    const mnp_status st =
        multiply(wide ? wide : op, adjoint, x, from, adjoint ? op->column_layout : op->row_layout, y_p);
    mnp_operator_free(wide);
    return st;
}
