/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One system: its memory, and the loop that runs a method until it is over.
 *
 * The loop enqueues iterations and reads the state: after each where the device's memory is the CPU's, otherwise after
 * every few, until the device repeats the loop by itself, if it can (device_loop.h).  A method knows its residual only
 * by a recurrence.  When it is over the true residual is computed, and where that is not small enough, the method is
 * restarted from its iterate, a few times.
 */
#include "sparse/krylov/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/ufunc.h>

#include "base/dtype.h"

enum { MOST_STARTS = 4 };
enum { OF_RESIDUAL, OF_B }; /* two norms */

/*
 * Methods compute with squares.  Where those of b would vanish or overflow, the system is scaled by a power of two: b,
 * x and all residuals are then `scale` times those of the caller.
 */
static const double least_norm = 0x1p-400, most_norm = 0x1p400, scale_up = 0x1p800, scale_down = 0x1p-600;

/* r = b - (A x), and the squares of both norms; b and r have the rows' layout. */
static const mnp__step residual = {
    .name = "solve_residual", .vectors = "r b", .body = "r = b - r;", .sums = {"norm(r)", "norm(b)"}, .always = true};

/* The same where x is 0. */
static const mnp__step residual_of_zero = {.name = "solve_residual_of_zero",
                                           .vectors = "r b",
                                           .body = "r = b;",
                                           .sums = {"norm(r)", "norm(b)"},
                                           .always = true};

static const mnp__step keep = {.name = "solve_keep",
                               .vectors = "kept x",
                               .before = "skip = best > 0 && !(residual < best);\n"
                                         "if (skip == 0)\n"
                                         "    best = residual;",
                               .body = "kept = x;"};

static const mnp__step exchange = {.name = "solve_exchange",
                                   .vectors = "x kept",
                                   .body = "const mnp_t last = x; x = kept; kept = last;",
                                   .always = true};

static const mnp__step clear = {.name = "solve_clear", .vectors = "x", .body = "x = element(0);", .always = true};

/* ---- memory ---- */

static size_t memory_of(const mnp__system *s)
{
    const mnp__method *method = s->method;
    size_t parameter = method->needs_parameter ? (size_t)s->options->restart : 0;
    return (method->memory + method->memory_linear * parameter + method->memory_square * parameter * parameter) *
           mnp__sum_size(s->op->dtype);
}

static mnp_status allocate(mnp__system *s)
{
    const mnp__method *method = s->method;
    const mnp_operator *op = s->op;
    int parameter = method->needs_parameter ? s->options->restart : 0, all = method->work + method->rows;
    MNP_TRY(mnp__steps_new(s->ctx, op->dtype, &method->scalars, parameter, memory_of(s),
                           method->bases ? parameter + 1 : 0, &s->steps));
    MNP_TRY(mnp__vector_zeros(s->ctx, op->dtype, op->row_layout, &s->b));
    MNP_TRY(mnp__vector_zeros(s->ctx, op->dtype, op->column_layout, &s->x));
    MNP_TRY(mnp__vector_zeros(s->ctx, op->dtype, op->row_layout, &s->r));
    for (int i = 0; i < all; i++) {
        const mnp_layout *layout = i < method->work ? op->column_layout : op->row_layout;
        MNP_TRY(mnp__vector_zeros(s->ctx, op->dtype, layout, &s->work[i]));
    }
    if (method->keeps_best || method->keeps_start)
        MNP_TRY(mnp__vector_zeros(s->ctx, op->dtype, op->column_layout, &s->kept));
    for (int i = 0; i < method->bases; i++) {
        int size = parameter + (method->one_more && i == 0);
        MNP_TRY(mnp__basis_new(s->steps, op->column_layout, size, &s->basis[i]));
    }
    return mnp__device_loop_open(s);
}

/* The operator and the preconditioner in the dtype of the vectors. */
static mnp_status bring(mnp__system *s, mnp_dtype dtype)
{
    MNP_TRY(mnp__operator_in_dtype(s->op, dtype, &s->own_op));
    if (s->precond)
        MNP_TRY(mnp__precond_in_dtype(s->precond, dtype, &s->own_precond));
    s->op = s->own_op ? s->own_op : s->op;
    s->precond = s->own_precond ? s->own_precond : s->precond;
    return MNP_OK;
}

mnp_status mnp__system_open(mnp__system *s, const mnp__method *method, const mnp_operator *op, mnp_dtype dtype,
                            const mnp_solve_options *options)
{
    *s = (mnp__system){.ctx = op->ctx, .method = method, .op = op, .precond = options->precond, .options = options};
    mnp_status st = bring(s, dtype);
    if (st == MNP_OK)
        st = allocate(s);
    if (st != MNP_OK)
        mnp__system_close(s);
    return st;
}

void mnp__system_close(mnp__system *s)
{
    mnp__device_loop_close(s);
    for (int i = 0; i < MNP__MOST_BASES; i++)
        mnp__basis_free(s->basis[i]);
    for (int i = 0; i < MNP__MOST_WORK; i++)
        mnp_array_free(s->work[i]);
    mnp_array_free(s->kept);
    mnp_array_free(s->r);
    mnp_array_free(s->x);
    mnp_array_free(s->b);
    mnp__steps_free(s->steps);
    mnp_precond_free(s->own_precond);
    mnp_operator_free(s->own_op);
    *s = (mnp__system){.ctx = NULL};
}

/* ---- residuals ---- */

/* Both norms, which a step has summed. */
static mnp_status fetch_norms(mnp__system *s, double norms[2])
{
    double sum[2];
    for (int k = 0; k < 2; k++) {
        MNP_TRY(mnp__steps_sum(s->steps, k, sum));
        norms[k] = sqrt(sum[0]);
    }
    return MNP_OK;
}

/* r = b - A x; its norm, and that of b. */
static mnp_status compute_residual(mnp__system *s, double norms[2])
{
    MNP_TRY(mnp__multiply(s, s->x, s->r));
    MNP_TRY(MNP__RUN(s, &residual, s->r, s->b));
    return fetch_norms(s, norms);
}

/* The residual of the guess, or of 0. */
static mnp_status begin_residual(mnp__system *s, bool is_zero, double norms[2])
{
    if (!is_zero)
        return compute_residual(s, norms);
    MNP_TRY(MNP__RUN(s, &residual_of_zero, s->r, s->b));
    return fetch_norms(s, norms);
}

/* ---- scaled systems ---- */

static double scale_for(const mnp__system *s, double norm)
{
    const mnp_dtype dtype = s->op->dtype;
    if (mnp__dtype_is_single(dtype)) /* whose squares are computed in float64 */
        return 1;
    return norm < least_norm ? scale_up : norm > most_norm ? scale_down : 1;
}

static mnp_status multiply_by(mnp_array *vector, double factor)
{
    return mnp_multiply(vector, mnp_scalar_float(vector->ctx, factor), &vector);
}

/* Choose the scale by one of the norms; they are then those of the scaled system. */
static mnp_status begin(mnp__system *s, int by, double norms[2])
{
    const bool is_zero = s->options->zero_guess;
    MNP_TRY(begin_residual(s, is_zero, norms));
    s->scale = scale_for(s, norms[by]);
    if (s->scale == 1)
        return MNP_OK;
    MNP_TRY(multiply_by(s->b, s->scale));
    if (!is_zero)
        MNP_TRY(multiply_by(s->x, s->scale));
    MNP_TRY(begin_residual(s, is_zero, norms));
    if (is_zero || isfinite(norms[0]))
        return MNP_OK;
    MNP_TRY(MNP__RUN(s, &clear, s->x)); /* the guess is out of all proportion to b */
    return begin_residual(s, true, norms);
}

/* Round x as the caller's numbers will be: scaled back it may be so small that it has fewer digits. */
static mnp_status round_as_returned(mnp__system *s, double norms[2])
{
    MNP_TRY(multiply_by(s->x, 1 / s->scale));
    MNP_TRY(multiply_by(s->x, s->scale));
    return compute_residual(s, norms);
}

/* Return to the caller's numbers. */
static mnp_status scale_back(mnp__system *s, mnp_solve_result *result)
{
    if (s->scale == 1)
        return MNP_OK;
    result->residual /= s->scale;
    result->rhs_norm /= s->scale;
    for (int64_t i = 0; i < result->history_count; i++)
        result->history[i] /= s->scale;
    return multiply_by(s->x, 1 / s->scale);
}

/* ---- the loop ---- */

static mnp_status call_progress(mnp__system *s, const struct mnp_step_control *control, bool *stop_p)
{
    const mnp_solve_options *options = s->options;
    mnp_array *x = NULL;
    if (s->scale != 1)
        MNP_TRY(mnp_multiply(s->x, mnp_scalar_float(s->ctx, 1 / s->scale), &x));
    *stop_p =
        options->progress(options->argument, (int64_t)control->iterations, control->residual / s->scale, x ? x : s->x);
    mnp_array_free(x);
    return MNP_OK;
}

int mnp__system_every(const mnp_ctx *ctx, int every)
{
    return every ? every : ctx->device->cpu_memory ? 1 : MNP__POLL_EVERY;
}

/* Call the progress function every so many iterations; *stop_p: it asks to stop. */
static mnp_status report(mnp__system *s, const struct mnp_step_control *control, double *reported, bool *stop_p)
{
    const mnp_solve_options *options = s->options;
    *stop_p = false;
    if (!options->progress || (control->iterations < *reported + options->every && control->done == MNP_GOING))
        return MNP_OK;
    *reported = control->iterations;
    return call_progress(s, control, stop_p);
}

mnp_status mnp__system_keep(mnp__system *s)
{
    return MNP__RUN(s, &keep, s->kept, s->x);
}

bool mnp__system_reports_often(const mnp__system *s)
{
    return s->options->progress && s->options->every < MNP__POLL_EVERY;
}

/*
 * One iteration, number `calls` since the method started; some also read the state.  On a GPU that is the state at the
 * reading before, so that nothing waits; or the present one, if the progress function is called so often.
 */
static mnp_status iterate(mnp__system *s, int64_t calls, struct mnp_step_control *control)
{
    const bool often = mnp__system_reports_often(s);
    const int every = often ? s->options->every : MNP__POLL_EVERY;
    MNP_TRY(s->method->iterate(s));
    if (s->ctx->device->cpu_memory || calls % every == 0)
        MNP_TRY(mnp__steps_poll(s->steps, often, control));
    return s->method->keeps_best && calls % MNP__POLL_EVERY == 0 ? mnp__system_keep(s) : MNP_OK;
}

/* Run the method from r until it is over.  *control is the state at the beginning, and receives that at the end. */
static mnp_status run(mnp__system *s, struct mnp_step_control *control, bool *stopped_p)
{
    const double every = s->options->progress ? (double)s->options->every : HUGE_VAL;
    double reported = control->iterations;
    MNP_TRY(mnp__steps_begin(s->steps, control));
    MNP_TRY(s->method->start(s));
    *stopped_p = false;
    if (s->kept)
        MNP_TRY(mnp__system_keep(s));
    for (int64_t calls = 0; control->done == MNP_GOING && !*stopped_p;) {
        bool on_device;
        MNP_TRY(mnp__device_loop_take_over(s, calls, &on_device));
        if (on_device)
            MNP_TRY(mnp__device_loop_run(s, reported + every, control));
        else
            MNP_TRY(iterate(s, ++calls, control));
        MNP_TRY(report(s, control, &reported, stopped_p));
    }
    if (s->method->finish)
        MNP_TRY(s->method->finish(s));
    return mnp__steps_poll(s->steps, true, control);
}

/*
 * Where the method did not converge, return to the kept iterate if that is better.  `best` is its residual by the
 * recurrence, so both residuals are computed.
 */
static mnp_status choose_best(mnp__system *s, double best, double norms[2])
{
    const double last = norms[0];
    if (!s->kept || best <= 0 || best >= last)
        return MNP_OK;
    MNP_TRY(MNP__RUN(s, &exchange, s->x, s->kept));
    MNP_TRY(compute_residual(s, norms));
    if (!(norms[0] > last))
        return MNP_OK;
    MNP_TRY(MNP__RUN(s, &exchange, s->x, s->kept));
    return compute_residual(s, norms);
}

static mnp_solve_reason reason_of(const struct mnp_step_control *control, bool stopped, bool is_small)
{
    static const mnp_solve_reason reasons[] = {[MNP_DONE_CONVERGED] = MNP_SOLVE_STAGNATED,
                                               [MNP_DONE_MAXITER] = MNP_SOLVE_MAXITER,
                                               [MNP_DONE_BREAKDOWN] = MNP_SOLVE_BREAKDOWN,
                                               [MNP_DONE_DIVERGED] = MNP_SOLVE_DIVERGED};
    if (is_small)
        return MNP_SOLVE_CONVERGED;
    return stopped && control->done == MNP_GOING ? MNP_SOLVE_STOPPED : reasons[(int)control->done];
}

static mnp_status copy_history(mnp__system *s, mnp_solve_result *result)
{
    int64_t count;
    const double *history = mnp__steps_history(s->steps, &count);
    MNP_TRY(mnp__malloc((size_t)count * sizeof *history, &result->history));
    memcpy(result->history, history, (size_t)count * sizeof *history);
    result->history_count = count;
    return MNP_OK;
}

/* A residual is small enough if rounding alone may have made it larger than the tolerance. */
static bool is_small_enough(double norm, double tolerance)
{
    return norm <= tolerance * (1 + 1e-6);
}

/* Run the method, and restart it where its recurrence differs from the true residual, as long as that helps. */
static mnp_status run_until_true(mnp__system *s, struct mnp_step_control *control, double norms[2],
                                 mnp_solve_result *result)
{
    const double tolerance = control->tolerance;
    bool stopped = false, converged = is_small_enough(norms[0], tolerance);
    MNP_TRY(mnp__steps_begin(s->steps, control));
    for (int start = 0; !converged && !stopped && start < MOST_STARTS; start++) {
        const double before = norms[0];
        control->done = MNP_GOING;
        control->residual = control->first = norms[0];
        control->best = 0;
        control->tolerance =
            start == 0 ? tolerance : tolerance / 2; /* so that it does not stop slightly too early again */
        MNP_TRY(run(s, control, &stopped));
        MNP_TRY(compute_residual(s, norms));
        converged =
            is_small_enough(norms[0], tolerance) || (s->method->least_squares && control->done == MNP_DONE_CONVERGED);
        if (!converged) {
            MNP_TRY(choose_best(s, control->best, norms));
            converged = is_small_enough(norms[0], tolerance);
        }
        if (control->done != MNP_DONE_CONVERGED || !(norms[0] < before / 2))
            break;
    }
    if (s->scale != 1) {
        MNP_TRY(round_as_returned(s, norms));
        converged = converged && (s->method->least_squares || is_small_enough(norms[0], tolerance));
    }
    result->reason = reason_of(control, stopped, converged);
    result->iterations = (int64_t)control->iterations;
    result->residual = norms[0];
    return MNP_OK;
}

/* Solve the scaled system. */
static mnp_status solve_scaled(mnp__system *s, mnp_solve_result *result)
{
    double norms[2];
    MNP_TRY(begin(s, OF_B, norms));
    struct mnp_step_control control = {.residual = norms[0],
                                       .tolerance = fmax(s->options->rtol * norms[1], s->options->atol * s->scale),
                                       .maxiter = (double)s->options->maxiter,
                                       .first = norms[0]};
    *result = (mnp_solve_result){.rhs_norm = norms[1]};
    if (norms[1] == 0) { /* the solution is 0, as in scipy.sparse.linalg */
        MNP_TRY(MNP__RUN(s, &clear, s->x));
        control.residual = norms[0] = 0;
    }
    if (!isfinite(norms[0])) {
        result->reason = MNP_SOLVE_DIVERGED;
        result->residual = norms[0];
        return MNP_OK;
    }
    if (s->method->prepare && norms[0] > control.tolerance)
        MNP_TRY(s->method->prepare(s, &control));
    MNP_TRY(run_until_true(s, &control, norms, result));
    return MNP_AGREE(s->ctx, copy_history(s, result));
}

/* In a rehearsal every step that a solution can take is taken once, so that its kernels are compiled. */
static mnp_status rehearse(mnp__system *s)
{
    struct mnp_step_control control = {.done = MNP_GOING};
    double norms[2];
    MNP_TRY(begin_residual(s, s->options->zero_guess, norms));
    if (s->method->prepare)
        MNP_TRY(s->method->prepare(s, &control));
    MNP_TRY(mnp__steps_begin(s->steps, &control));
    MNP_TRY(s->method->start(s));
    if (s->kept)
        MNP_TRY(mnp__system_keep(s));
    for (int calls = 0; calls < 2; calls++)
        MNP_TRY(s->method->iterate(s));
    if (s->method->finish)
        MNP_TRY(s->method->finish(s));
    return compute_residual(s, norms);
}

mnp_status mnp__system_solve(mnp__system *s, mnp_solve_result *result)
{
    if (s->ctx->device->rehearses)
        return rehearse(s);
    MNP_TRY(solve_scaled(s, result));
    return scale_back(s, result);
}

mnp_status mnp__system_run_once(mnp__system *s, struct mnp_step_control *control)
{
    double norms[2];
    bool stopped;
    if (s->ctx->device->rehearses)
        return rehearse(s);
    MNP_TRY(begin(s, OF_RESIDUAL, norms));
    control->maxiter = (double)s->options->maxiter;
    control->residual = control->first = control->parameter[MNP_LEAST_NORM_R] = norms[0];
    control->parameter[MNP_LEAST_NORM_B] = norms[1];
    if (s->method->prepare)
        MNP_TRY(s->method->prepare(s, control));
    if (norms[0] > 0 && isfinite(norms[0]))
        MNP_TRY(run(s, control, &stopped));
    else
        control->done = norms[0] == 0 ? MNP_DONE_CONVERGED : MNP_DONE_DIVERGED;
    control->residual /= s->scale;
    control->parameter[MNP_LEAST_NORM_R] /= s->scale;
    control->parameter[MNP_LEAST_GRADIENT] /= s->scale;
    control->parameter[MNP_LEAST_NORM_X] /= s->scale;
    return s->scale == 1 ? MNP_OK : multiply_by(s->x, 1 / s->scale);
}
