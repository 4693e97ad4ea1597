/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preconditioners: the table of kinds, and what all have in common.
 */
#include "sparse/precond/precond.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array/output.h"
#include "layout/layout.h"
#include "sparse/operator/operator.h"
#include "sparse/matrix/sparse.h"

static const struct {
    const char *name;
    mnp__precond_maker make;
    bool multiplies; /* by the matrix, whose ghosts are exchanged; other kinds need no other rank */
    bool has_adjoint;
} kinds[] = {
    [MNP_PRECOND_NONE] = {"none", NULL, .has_adjoint = true},
    [MNP_PRECOND_JACOBI] = {"jacobi", mnp__precond_jacobi, .has_adjoint = true},
    [MNP_PRECOND_BLOCK_JACOBI] = {"block-jacobi", mnp__precond_jacobi, .has_adjoint = true},
    [MNP_PRECOND_ILU0] = {"ilu0", mnp__precond_ilu0_ic0},
    [MNP_PRECOND_IC0] = {"ic0", mnp__precond_ilu0_ic0, .has_adjoint = true},
    [MNP_PRECOND_SOR] = {"sor", mnp__precond_sor},
    [MNP_PRECOND_SSOR] = {"ssor", mnp__precond_sor},
    [MNP_PRECOND_CHEBYSHEV] = {"chebyshev", mnp__precond_polynomial, .multiplies = true},
    [MNP_PRECOND_POLYNOMIAL] = {"polynomial", mnp__precond_polynomial, .multiplies = true},
};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds, MOST_BLOCK = 64, MOST_SWEEPS = 1000 };

static mnp_status new_precond(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const char *name,
                              mnp_precond **precond_p)
{
    mnp_precond *precond = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *precond, &precond));
    if (st != MNP_OK) {
        free(precond);
        return st;
    }
    *precond = (mnp_precond){
        .tag = MNP__TAG_precond, .ctx = ctx, .dtype = dtype, .layout = mnp_layout_retain(layout), .name = name};
    mnp__ctx_made(ctx, precond);
    *precond_p = precond;
    return MNP_OK;
}

/* ---- none ---- */

static mnp_status none_apply(void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    (void)data;
    (void)adjoint;
    return mnp__array_assign(x, y);
}

static void none_describe(const void *data, FILE *file)
{
    (void)data;
    fprintf(file, "nothing is done");
}

static const mnp__precond_ops none_ops = {.apply = none_apply, .describe = none_describe, .any_dtype = true};

/* ---- an operator ---- */

static mnp_status operator_apply(void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    return mnp__operator_apply(data, adjoint, x, y);
}

static void operator_describe(const void *data, FILE *file)
{
    const mnp_operator *op = data;
    fprintf(file, "%s, once an application", op->ops->what);
}

static const mnp__precond_ops operator_ops = {.apply = operator_apply, .describe = operator_describe};

mnp_status mnp_precond_from_operator(const mnp_operator *op, mnp_precond **precond_p)
{
    MNP_ENTER(op, precond_p);
    if (!op || !precond_p)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_from_operator() was given no %s",
                        op ? "place for the preconditioner" : "operator");
    MNP_TRY(mnp__operator_check_square("mnp_precond_from_operator()", op));
    MNP_TRY(new_precond(op->ctx, op->dtype, op->column_layout, "operator", precond_p));
    (*precond_p)->ops = &operator_ops;
    (*precond_p)->data = (void *)(uintptr_t)op; /* it is not changed */
    (*precond_p)->enqueues = op->enqueues;
    (*precond_p)->has_adjoint = op->has_adjoint;
    return MNP_OK;
}

/* ---- a preconditioner of another dtype ---- */

typedef struct converted {
    const mnp_precond *own;
    mnp_operator *op;   /* NULL, or the operator that the preconditioner is, in the dtype of the vectors */
    mnp__conversion by; /* unless there is one, or `own` takes any dtype */
} converted;

static mnp_status apply_own(const void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    return mnp__precond_apply(data, adjoint, x, y);
}

static mnp_status converted_apply(void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    const converted *c = data;
    if (c->op)
        return mnp__operator_apply(c->op, adjoint, x, y);
    return c->own->ops->any_dtype ? mnp__precond_apply(c->own, adjoint, x, y)
                                  : mnp__conversion_apply(&c->by, adjoint, x, y);
}

static void converted_describe(const void *data, FILE *file)
{
    (void)data;
    fprintf(file, "one of another dtype");
}

static void converted_free(mnp_ctx *ctx, void *data)
{
    converted *c = data;
    (void)ctx;
    if (c) {
        mnp_operator_free(c->op);
        mnp__conversion_close(&c->by);
    }
    free(c);
}

static const mnp__precond_ops converted_ops = {
    .apply = converted_apply, .describe = converted_describe, .free = converted_free};

static mnp_status bring(const mnp_precond *precond, mnp_dtype dtype, converted *c)
{
    *c = (converted){.own = precond, .by = {.apply = apply_own, .data = precond}};
    if (precond->ops == &operator_ops)
        return mnp__operator_in_dtype(precond->data, dtype, &c->op);
    if (precond->ops->any_dtype)
        return MNP_OK;
    return mnp__conversion_open(precond->ctx, precond->dtype, precond->layout, precond->layout, &c->by);
}

mnp_status mnp__precond_in_dtype(const mnp_precond *precond, mnp_dtype dtype, mnp_precond **made_p)
{
    mnp_precond *made = NULL;
    converted *c = NULL;
    *made_p = NULL;
    if (dtype == precond->dtype)
        return MNP_OK;
    MNP_TRY(new_precond(precond->ctx, dtype, precond->layout, precond->name, &made));
    made->ops = &converted_ops;
    made->enqueues = precond->enqueues;
    made->has_adjoint = precond->has_adjoint;
    mnp_status st = MNP_AGREE(precond->ctx, mnp__calloc(1, sizeof *c, &c));
    made->data = c;
    if (st == MNP_OK)
        st = bring(precond, dtype, c);
    if (st == MNP_OK)
        *made_p = made;
    else
        mnp_precond_free(made);
    return st;
}

/* ---- from a matrix ---- */

static mnp_status check_options(const mnp_precond_options *options)
{
    if (options->block < 0 || options->block > MOST_BLOCK)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): block is %d, outside 1..%d", options->block, MOST_BLOCK);
    if (options->sweeps < 0 || options->sweeps > MOST_SWEEPS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): sweeps is %d, outside 1..%d", options->sweeps, MOST_SWEEPS);
    if (options->degree < 0 || options->degree > MOST_SWEEPS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): degree is %d, outside 1..%d", options->degree, MOST_SWEEPS);
    if (!(options->omega == 0 || (options->omega > 0 && options->omega < 2)))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): omega is %g; it must be between 0 and 2", options->omega);
    return MNP_OK;
}

static mnp_precond_options complete(const mnp_precond_options *options)
{
    return (mnp_precond_options){.block = options->block ? options->block : 4,
                                 .omega = options->omega != 0 ? options->omega : 1,
                                 .sweeps = options->sweeps ? options->sweeps : 1,
                                 .degree = options->degree ? options->degree : 4};
}

mnp_status mnp_precond_new(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *given,
                           mnp_precond **precond_p)
{
    MNP_ENTER(matrix, precond_p);
    static const mnp_precond_options defaults = {.block = 0};
    mnp_precond *precond = NULL;
    if (!precond_p)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new() was given no place for the preconditioner");
    if ((int)kind < 0 || (int)kind >= NUM_KINDS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_new(): there is no preconditioner %d", (int)kind);
    if (matrix->shape[0] != matrix->shape[1] || !mnp_layout_equal(matrix->row_layout, matrix->column_layout))
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_precond_new(): the matrix has %" PRId64 " rows and %" PRId64
                        " columns; it must be square, with both cut alike",
                        matrix->shape[0], matrix->shape[1]);
    MNP_TRY(check_options(given ? given : &defaults));
    mnp_precond_options options = complete(given ? given : &defaults);
    MNP_TRY(new_precond(matrix->ctx, matrix->dtype, matrix->row_layout, kinds[kind].name, &precond));
    mnp_status st = MNP_OK;
    precond->ops = &none_ops;
    precond->has_adjoint = kinds[kind].has_adjoint;
    precond->enqueues = !kinds[kind].multiplies || !matrix->has_ghosts || mnp__ghosts_enqueues(matrix->ghosts);
    if (kinds[kind].make)
        st = kinds[kind].make(matrix, kind, &options, &precond->ops, &precond->data);
    if (st == MNP_OK) {
        *precond_p = precond;
        return MNP_OK;
    }
    mnp__ctx_gone(precond->ctx, precond);
    mnp_layout_free(precond->layout);
    mnp__object_free(precond);
    return st;
}

void mnp_precond_free(mnp_precond *precond)
{
    if (!precond)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, precond);
    mnp__ctx_gone(precond->ctx, precond);
    if (precond->ops->free)
        precond->ops->free(precond->ctx, precond->data);
    mnp_layout_free(precond->layout);
    mnp__object_free(precond);
}

/* x in any layout. */
static mnp_status apply(const mnp_precond *precond, const mnp_array *x, mnp_array **y_p)
{
    mnp_array *vector = NULL;
    mnp__output output;
    MNP_TRY(mnp__vector_of("mnp_precond_apply()", x, precond->dtype, precond->layout, &vector));
    const mnp__output_spec spec = {.function = "mnp_precond_apply()",
                                   .ctx = precond->ctx,
                                   .dtype = precond->dtype,
                                   .layout = precond->layout,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    mnp_status st = mnp__output_open(&spec, y_p, &output);
    if (st == MNP_OK)
        st = mnp__precond_apply(precond, false, vector, output.array);
    mnp_array_free(vector);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_precond_apply(const mnp_precond *precond, const mnp_array *x, mnp_array **y_p)
{
    MNP_ENTER(precond, x, y_p);
    mnp_precond *wide = NULL;
    MNP_TRY(mnp__array_check_blocks("mnp_precond_apply()", x));
    if (x->layout->ndim != 1 || mnp_layout_size(x->layout) != mnp_layout_size(precond->layout))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_precond_apply(): x must have one dimension of %" PRId64 " elements",
                        mnp_layout_size(precond->layout));
    MNP_TRY(mnp__precond_in_dtype(precond, mnp__operator_wider(precond->dtype, x->dtype), &wide));
    const mnp_status st = apply(wide ? wide : precond, x, y_p);
    mnp_precond_free(wide);
    return st;
}

void mnp_precond_describe(const mnp_precond *precond, FILE *file)
{
    MNP_NEED_OR(, precond);
    MNP_NEED_OR(, file);
    if (precond->ctx->comm.rank != 0)
        return;
    fprintf(file, "%s of %" PRId64 " row%s, %s: ", precond->name, mnp_layout_size(precond->layout),
            mnp_layout_size(precond->layout) == 1 ? "" : "s", mnp_dtype_name(precond->dtype));
    precond->ops->describe(precond->data, file);
    fprintf(file, "\n");
}
