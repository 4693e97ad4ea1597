/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_solve(): checks and completes the arguments, and solves one system for every column of b.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <maniple/view.h>

#include "array/output.h"
#include "context/timer.h"
#include "layout/layout.h"
#include "sparse/krylov/system.h"

static const mnp__method *const methods[] = {
    [MNP_SOLVER_CG] = &mnp__cg,
    [MNP_SOLVER_CG1] = &mnp__cg1,
    [MNP_SOLVER_BICGSTAB] = &mnp__bicgstab,
    [MNP_SOLVER_GMRES] = &mnp__gmres,
    [MNP_SOLVER_FGMRES] = &mnp__fgmres,
    [MNP_SOLVER_MINRES] = &mnp__minres,
    [MNP_SOLVER_CGS] = &mnp__cgs,
    [MNP_SOLVER_IDR] = &mnp__idr,
    [MNP_SOLVER_CHEBYSHEV] = &mnp__chebyshev,
    [MNP_SOLVER_RICHARDSON] = &mnp__richardson,
    [MNP_SOLVER_LSQR] = &mnp__lsqr,
    [MNP_SOLVER_BICG] = &mnp__bicg,
    [MNP_SOLVER_QMR] = &mnp__qmr,
    [MNP_SOLVER_TFQMR] = &mnp__tfqmr,
};
#define NAME(constant, name, help) [constant] = name,
static const char *const names[] = {MNP_SOLVERS(NAME)};
#undef NAME

enum { NUM_METHODS = sizeof methods / sizeof *methods, MOST_RESTART = 1000, MOST_IDR = MNP_STEP_SUMS };

/* ---- checks, alike on all ranks ---- */

mnp_dtype mnp_solve_dtype(const mnp_operator *op, const mnp_array *b, const mnp_precond *precond)
{
    MNP_NEED_OR(MNP_DTYPE_AUTO, op);
    MNP_NEED_OR(MNP_DTYPE_AUTO, b);
    if (precond)
        MNP_NEED_OR(MNP_DTYPE_AUTO, precond);
    const mnp_dtype dtype = mnp__operator_wider(op->dtype, b->dtype);
    return precond && mnp_dtype_kind(precond->dtype) == 'c' ? mnp_dtype_promote(dtype, MNP_COMPLEX64) : dtype;
}

mnp_status mnp__solve_check_dtype(const mnp_operator *op, const mnp_array *b, const mnp_precond *precond,
                                  const mnp_array *x)
{
    const mnp_dtype dtype = mnp_solve_dtype(op, b, precond);
    if (x->dtype == dtype)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "x is %s, but the solution of a system of %s and %s is %s", mnp_dtype_name(x->dtype),
                    mnp_dtype_name(op->dtype), mnp_dtype_name(b->dtype), mnp_dtype_name(dtype));
}

static mnp_status check_options(const mnp_operator *op, mnp_solver solver, const mnp_solve_options *options)
{
    const mnp_precond *precond = options->precond;
    int most = solver == MNP_SOLVER_IDR ? MOST_IDR : MOST_RESTART;
    if (!(options->atol >= 0) || options->rtol != options->rtol)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): rtol is %g and atol is %g", options->rtol, options->atol);
    if (options->maxiter < 0 || options->every < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): maxiter is %" PRId64 " and every is %d; they cannot be negative",
                        options->maxiter, options->every);
    if (options->restart < 0 || options->restart > most)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): restart is %d, outside 1..%d", options->restart, most);
    if (!precond)
        return MNP_OK;
    if (methods[solver]->least_squares)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): %s takes no preconditioner", names[solver]);
    if (methods[solver]->adjoint && !precond->has_adjoint)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_solve(): %s multiplies by the adjoint of the preconditioner, and %s has none; bicgstab, "
                        "tfqmr and gmres do not need it",
                        names[solver], precond->name);
    if (!mnp_layout_equal(precond->layout, op->column_layout))
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_solve(): the preconditioner is for vectors of length %" PRId64
                        ", the operator for those of length %" PRId64 ", or they are cut differently",
                        mnp_layout_size(precond->layout), mnp_layout_size(op->column_layout));
    return MNP_OK;
}

static mnp_status check(const mnp_operator *op, const mnp_array *b, mnp_solver solver, const mnp_solve_options *options,
                        const mnp_array *x)
{
    if (!op || !b)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve() was given no %s", op ? "right-hand side" : "operator");
    if ((int)solver < 0 || (int)solver >= NUM_METHODS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): there is no solver %d", (int)solver);
    MNP_TRY(mnp__array_check_blocks("mnp_solve()", b));
    int64_t rows = mnp_layout_size(op->row_layout), columns = mnp_layout_size(op->column_layout);
    if (b->layout->ndim < 1 || b->layout->ndim > 2 || b->layout->shape[0] != rows)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): b must have one or two dimensions, the first of %" PRId64 " rows",
                        rows);
    if (x) {
        MNP_TRY(mnp__solve_check_dtype(op, b, options->precond, x));
        MNP_TRY(mnp__array_check_blocks("mnp_solve()", x));
        if (x->layout->ndim != b->layout->ndim || x->layout->shape[0] != columns ||
            (x->layout->ndim == 2 && x->layout->shape[1] != b->layout->shape[1]))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): x must have %" PRId64 " rows, and columns as b", columns);
    }
    if (!methods[solver]->least_squares)
        MNP_TRY(mnp__operator_check_square("mnp_solve()", op));
    if (methods[solver]->adjoint && !op->has_adjoint)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve(): %s needs an operator with an adjoint", names[solver]);
    return check_options(op, solver, options);
}

static mnp_solve_options complete(const mnp_operator *op, mnp_solver solver, const mnp_solve_options *given)
{
    mnp_solve_options options = *given;
    int64_t columns = mnp_layout_size(op->column_layout);
    options.rtol = given->rtol == 0 ? 1e-5 : given->rtol < 0 ? 0 : given->rtol;
    options.maxiter = given->maxiter ? given->maxiter : columns > 0 ? 10 * columns : 1;
    options.restart = given->restart ? given->restart : solver == MNP_SOLVER_IDR ? 4 : 20;
    if (options.restart > columns) /* more are useless */
        options.restart = columns > 0 ? (int)columns : 1;
    options.every = mnp__system_every(op->ctx, given->every);
    return options;
}

/* Without a preconditioner fgmres is gmres. */
static const mnp__method *method_of(mnp_solver solver, const mnp_solve_options *options)
{
    return solver == MNP_SOLVER_FGMRES && !options->precond ? &mnp__gmres : methods[solver];
}

/* ---- columns ---- */

/* The layout of x: the operator's, with the columns of b whole. */
static mnp_status layout_of_x(const mnp_operator *op, const mnp_array *b, mnp_layout **layout_p)
{
    if (b->layout->ndim == 1) {
        *layout_p = mnp_layout_retain(op->column_layout);
        return MNP_OK;
    }
    mnp__layout_dim dims[2] = {mnp__layout_dim_of(op->column_layout, 0), mnp__layout_dim_whole(b->layout->shape[1])};
    return mnp__layout_derive(op->column_layout, 2, dims, layout_p);
}

/* Column k of a matrix, or the vector, as a view. */
static mnp_status column_of(const mnp_array *matrix, int64_t k, mnp_array **column_p)
{
    char text[48];
    if (matrix->layout->ndim == 1)
        return mnp_index(matrix, ":", column_p);
    snprintf(text, sizeof text, ":, %" PRId64, k);
    return mnp_index(matrix, text, column_p);
}

static mnp_status solve_column(mnp__system *s, const mnp_array *b, mnp_array *x, int64_t k, mnp_solve_result *result)
{
    mnp_array *b_view = NULL, *x_view = NULL;
    const size_t bytes = (size_t)s->x->local_size * mnp_dtype_size(s->x->dtype);
    mnp_status st;
    MNP_TRY_OR(column_of(b, k, &b_view), st, done);
    MNP_TRY_OR(column_of(x, k, &x_view), st, done);
    MNP_TRY_OR(mnp__array_copy_to(b_view, s->b), st, done);
    if (!s->options->zero_guess)
        MNP_TRY_OR(mnp__array_copy_to(x_view, s->x), st, done);
    else if (bytes > 0)
        MNP_TRY_OR(s->ctx->device->ops->fill(s->ctx->device, s->x->data, 0, bytes, s->ctx->compute), st, done);
    MNP_TRY_OR(mnp__system_solve(s, result), st, done);
    st = mnp__array_copy_to(s->x, x_view);
done:
    mnp_array_free(x_view);
    mnp_array_free(b_view);
    return st;
}

static mnp_status solve_columns(const mnp_operator *op, const mnp__method *method, const mnp_solve_options *options,
                                const mnp_array *b, mnp_array *x, int64_t columns, mnp_solve_result *results)
{
    mnp__system system;
    mnp__timer timer;
    MNP_TRY(mnp__system_open(&system, method, op, x->dtype, options));
    mnp_status st = mnp__timer_open(op->ctx, &timer);
    for (int64_t k = 0; k < columns && st == MNP_OK; k++) {
        MNP_TRY_OR(mnp__timer_start(&timer), st, done);
        MNP_TRY_OR(solve_column(&system, b, x, k, &results[k]), st, done);
        mnp__steps_forget(system.steps);
        MNP_TRY_OR(mnp__timer_stop(&timer, &results[k].seconds), st, done);
    }
done:
    mnp__timer_close(&timer);
    mnp__system_close(&system);
    return st;
}

mnp_status mnp_solve(const mnp_operator *op, const mnp_array *b, mnp_solver solver, const mnp_solve_options *given,
                     mnp_array **x_p, mnp_solve_result *results)
{
    MNP_ENTER(op, b, x_p);
    static const mnp_solve_options defaults = {.rtol = 0};
    mnp_array *x = NULL;
    if (!x_p)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_solve() was given no place for the solution");
    MNP_TRY(check(op, b, solver, given ? given : &defaults, *x_p));
    mnp_solve_options options = complete(op, solver, given ? given : &defaults);
    const int64_t columns = b->layout->ndim == 1 ? 1 : b->layout->shape[1];
    options.zero_guess = options.zero_guess || !*x_p;
    mnp_solve_result *made = NULL;
    mnp_status st = MNP_AGREE(op->ctx, mnp__calloc((size_t)columns, sizeof *made, &made));
    if (st == MNP_OK && !*x_p) {
        mnp_layout *layout = NULL;
        st = layout_of_x(op, b, &layout);
        if (st == MNP_OK)
            st = mnp_array_new(op->ctx, mnp_solve_dtype(op, b, options.precond), layout, &x);
        mnp_layout_free(layout);
    }
    if (st == MNP_OK)
        st = solve_columns(op, method_of(solver, &options), &options, b, x ? x : *x_p, columns, made);
    if (st == MNP_OK) {
        for (int64_t k = 0; results && k < columns; k++)
            results[k] = made[k];
        *x_p = x ? x : *x_p;
    } else {
        mnp_array_free(x);
    }
    for (int64_t k = 0; made && (st != MNP_OK || !results) && k < columns; k++)
        mnp_solve_result_clear(&made[k]);
    free(made);
    return st;
}

void mnp_solve_result_clear(mnp_solve_result *result)
{
    if (!result)
        return;
    free(result->history);
    result->history = NULL;
    result->history_count = 0;
}
