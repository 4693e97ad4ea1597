/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_lsqr() and mnp_lsmr(): they check and complete the arguments, run the method, and take the results from its
 * parameters.
 */
#include <inttypes.h>
#include <math.h>

#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/output.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "sparse/krylov/system.h"

static const int ITERATION_LIMIT = 7; /* SciPy's number */

/* Outputs of a call; those that are NULL are not wanted, but for x. */
struct outputs {
    mnp_array **x_p, **variances_p;
    mnp_least_squares_result *result;
};

static mnp_status check_vector(const char *name, const mnp_array *vector, const mnp_layout *layout)
{
    const int64_t length = mnp_layout_size(layout);
    MNP_TRY(mnp__array_check_blocks(name, vector));
    if (vector->layout->ndim != 1 || vector->layout->shape[0] != length)
        return MNP_FAIL(MNP_ERR_ARG, "%s must have one dimension of %" PRId64 " elements", name, length);
    return MNP_OK;
}

static mnp_status check_outputs(const mnp_operator *op, const mnp_array *b, struct outputs outputs)
{
    const mnp_array *x = *outputs.x_p;
    const int64_t columns = mnp_layout_size(op->column_layout);
    const mnp__output_spec variances = {.function = "mnp_lsqr",
                                        .name = "variances",
                                        .ctx = op->ctx,
                                        .dtype = mnp__dtype_real(mnp_solve_dtype(op, b, NULL)),
                                        .ndim = 1,
                                        .shape = &columns};
    if (x) {
        MNP_TRY(check_vector("x", x, op->column_layout));
        MNP_TRY(mnp__solve_check_dtype(op, b, NULL, x));
        MNP_TRY(mnp__output_check_writable("least squares", "x", x));
    }
    if (!outputs.variances_p)
        return MNP_OK;
    MNP_TRY(mnp__output_check(&variances, *outputs.variances_p));
    return mnp__output_check_distinct("mnp_lsqr", 2, (mnp_array * *const[]){outputs.x_p, outputs.variances_p});
}

static mnp_status check(const mnp_operator *op, const mnp_array *b, const mnp_least_squares_options *options,
                        struct outputs outputs)
{
    if (!op->has_adjoint)
        return MNP_FAIL(MNP_ERR_ARG, "the operator has no adjoint, which least squares need");
    MNP_TRY(check_vector("b", b, op->row_layout));
    MNP_TRY(check_outputs(op, b, outputs));
    if (!isfinite(options->damp) || isnan(options->atol) || isnan(options->btol) || isnan(options->conlim))
        return MNP_FAIL(MNP_ERR_ARG, "damp is %g, atol is %g, btol is %g and conlim is %g", options->damp,
                        options->atol, options->btol, options->conlim);
    if (options->every < 0)
        return MNP_FAIL(MNP_ERR_ARG, "every is %d, and cannot be negative", options->every);
    return MNP_OK;
}

/* What an option stands for: 0 is the default, and what is negative 0. */
static double chosen(double given, double otherwise)
{
    return given == 0 ? otherwise : given < 0 ? 0 : given;
}

static struct mnp_step_control limits_of(const mnp_least_squares_options *options)
{
    struct mnp_step_control control = {.done = MNP_GOING};
    control.parameter[MNP_LEAST_DAMP] = fabs(options->damp);
    control.parameter[MNP_LEAST_ATOL] = chosen(options->atol, 1e-6);
    control.parameter[MNP_LEAST_BTOL] = chosen(options->btol, 1e-6);
    control.parameter[MNP_LEAST_CONLIM] = chosen(options->conlim, 1e8);
    return control;
}

static mnp_least_squares_result result_of(const struct mnp_step_control *control)
{
    const double *known = control->parameter;
    return (mnp_least_squares_result){
        .istop = control->done == MNP_DONE_CONVERGED ? (int)known[MNP_LEAST_STOP] : ITERATION_LIMIT,
        .iterations = (int64_t)control->iterations,
        .r1norm = known[MNP_LEAST_NORM_R],
        .r2norm = control->residual,
        .anorm = known[MNP_LEAST_NORM_A],
        .acond = known[MNP_LEAST_COND],
        .arnorm = known[MNP_LEAST_GRADIENT],
        .xnorm = known[MNP_LEAST_NORM_X],
    };
}

/* The last of the system's vectors in the layout of x, whose elements are real. */
static mnp_status take_variances(mnp__system *s, mnp_array **variances_p)
{
    mnp_array *real = NULL;
    MNP_TRY(mnp_real(s->work[s->method->work - 1], &real));
    const mnp_status st = mnp_positive(real, variances_p);
    mnp_array_free(real);
    return st;
}

static mnp_status run(mnp__system *s, const mnp_array *b, const mnp_array *x, struct mnp_step_control *control)
{
    MNP_TRY(mnp__array_copy_to(b, s->b));
    if (x)
        MNP_TRY(mnp__array_copy_to(x, s->x));
    return mnp__system_run_once(s, control);
}

static mnp_status solve(const mnp__method *method, const mnp_operator *op, const mnp_array *b,
                        const mnp_least_squares_options *given, int64_t maxiter, struct outputs outputs)
{
    static const mnp_least_squares_options defaults = {.damp = 0};
    const mnp_least_squares_options *wanted = given ? given : &defaults;
    MNP_TRY(check(op, b, wanted, outputs));
    const mnp_solve_options options = {
        .maxiter = wanted->maxiter ? mnp__max(wanted->maxiter, 0) : maxiter,
        .zero_guess = !*outputs.x_p,
        .progress = wanted->progress,
        .argument = wanted->argument,
        .every = mnp__system_every(op->ctx, wanted->every),
    };
    struct mnp_step_control control = limits_of(wanted);
    mnp__system s;
    mnp_status st;
    MNP_TRY(mnp__system_open(&s, method, op, mnp_solve_dtype(op, b, NULL), &options));
    MNP_TRY_OR(run(&s, b, *outputs.x_p, &control), st, done);
    if (*outputs.x_p)
        MNP_TRY_OR(mnp__array_copy_to(s.x, *outputs.x_p), st, done);
    if (outputs.variances_p)
        MNP_TRY_OR(take_variances(&s, outputs.variances_p), st, done);
    if (!*outputs.x_p) {
        *outputs.x_p = s.x;
        s.x = NULL;
    }
    if (outputs.result)
        *outputs.result = result_of(&control);
done:
    mnp__system_close(&s);
    return st;
}

mnp_status mnp_lsqr(const mnp_operator *op, const mnp_array *b, const mnp_least_squares_options *options,
                    mnp_array **x_p, mnp_array **variances_p, mnp_least_squares_result *result)
{
    MNP_ENTER(op, b, x_p);
    MNP_NEED_IF(variances_p, variances_p);
    const mnp__method *method = variances_p ? &mnp__lsqr_with_variances : &mnp__lsqr_by_paper;
    return solve(method, op, b, options, 2 * mnp_layout_size(op->column_layout),
                 (struct outputs){x_p, variances_p, result});
}

mnp_status mnp_lsmr(const mnp_operator *op, const mnp_array *b, const mnp_least_squares_options *options,
                    mnp_array **x_p, mnp_least_squares_result *result)
{
    MNP_ENTER(op, b, x_p);
    const int64_t rows = mnp_layout_size(op->row_layout), columns = mnp_layout_size(op->column_layout);
    return solve(&mnp__lsmr, op, b, options, mnp__min(rows, columns), (struct outputs){x_p, NULL, result});
}
