/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The output of maniple solve: the progress line, checkpoints, the output file and the report.
 */
#include "solve/solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "report/progress.h"

bool solve_converged(const job *j)
{
    for (int64_t k = 0; k < j->columns; k++)
        if (j->results[k].reason != MNP_SOLVE_CONVERGED)
            return false;
    return true;
}

/* ---- during the solution ---- */

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* Write the progress line.  The time left assumes that the residual falls as fast as since the first call. */
static void show(const job *j, int64_t iteration, double residual)
{
    const double rtol = j->options.rtol == 0 ? 1e-5 : j->options.rtol;
    const double done = (double)(iteration - j->first.iteration), rate = done / seconds_since(&j->first.time);
    const double slope = log(residual / j->first.residual) / done, all = log(rtol) / slope;
    char speed[32] = "", left[48] = "";
    if (done > 0)
        snprintf(speed, sizeof speed, ", %.4g/s", rate);
    if (done > 0 && rtol > 0 && slope < 0 && all > (double)iteration)
        snprintf(left, sizeof left, ", about %.0f s left", (all - (double)iteration) / rate);
    progress_say("iteration %" PRId64 ", residual %.3e%s%s", iteration + j->done, unsigned_nan(residual), speed, left);
}

/*
 * Whether the residual has hardly fallen while the number of iterations doubled.  The first iterations do not count:
 * some methods need as many as their basis has vectors before anything happens.
 */
static bool is_hopeless(job *j, int64_t iteration, double residual)
{
    enum { BEGINNING = 400 };
    const bool doubled = iteration >= 2 * j->half.iteration && iteration >= BEGINNING;
    if (!j->gives_up || (j->half.iteration > 0 && !doubled) || iteration < BEGINNING / 2)
        return false;
    const bool hopeless = j->half.iteration > 0 && residual > 0.9 * j->half.residual;
    j->half.iteration = iteration;
    j->half.residual = residual;
    return hopeless;
}

bool solve_progress(void *argument, int64_t iteration, double residual, const mnp_array *x)
{
    job *j = argument;
    if (j->first.iteration == 0 || iteration < j->looked) { /* the first call for this system */
        clock_gettime(CLOCK_MONOTONIC, &j->first.time);
        j->first.residual = residual;
        j->first.iteration = iteration;
        j->half.iteration = 0;
    }
    j->looked = iteration;
    if (progress_shown())
        show(j, iteration, residual);
    if (j->checkpoint && iteration + j->done >= j->saved + j->every) {
        j->saved = iteration + j->done;
        checkpoint_save(j, iteration, x);
    }
    return requeue_is_due(j, iteration, x) || is_hopeless(j, iteration, residual);
}

/* ---- the output file ---- */

/* Make an array of the histories, one a column, padded with NaN to the longest. */
static mnp_status history_array(const job *j, mnp_array **array_p)
{
    int64_t longest = 1;
    for (int64_t k = 0; k < j->columns; k++)
        longest = j->results[k].history_count > longest ? j->results[k].history_count : longest;
    double *values = malloc((size_t)(longest * j->columns + 1) * sizeof *values);
    mnp_status status = mnp_agree(j->ctx, values ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for the histories"));
    for (int64_t k = 0; status == MNP_OK && k < j->columns; k++)
        for (int64_t i = 0; i < longest; i++)
            values[k * longest + i] = i < j->results[k].history_count ? j->results[k].history[i] : NAN;
    const int64_t shape[] = {j->columns, longest};
    const bool one = mnp_array_ndim(j->b) == 1;
    if (status == MNP_OK)
        status = mnp_array_from_host(j->ctx, MNP_FLOAT64, one ? 1 : 2, one ? shape + 1 : shape, values, array_p);
    free(values);
    return status;
}

/* The attributes with a value for every column: vectors, or numbers if there is one column. */
typedef struct facts {
    int64_t *converged, *iterations;
    double *residual, *rhs_norm, *seconds;
} facts;

static mnp_status gather_facts(const job *j, void *memory, facts *f)
{
    const size_t n = (size_t)j->columns;
    if (!memory)
        return mnp_fail(MNP_ERR_MEMORY, "no memory for attributes");
    f->converged = memory;
    f->iterations = f->converged + n;
    f->residual = (double *)(f->iterations + n);
    f->rhs_norm = f->residual + n;
    f->seconds = f->rhs_norm + n;
    for (size_t k = 0; k < n; k++) {
        f->converged[k] = j->results[k].reason == MNP_SOLVE_CONVERGED;
        f->iterations[k] = j->results[k].iterations + j->before;
        f->residual[k] = j->results[k].residual;
        f->rhs_norm[k] = j->results[k].rhs_norm;
        f->seconds[k] = j->results[k].seconds;
    }
    return MNP_OK;
}

/* The reason for the attribute: that of the first column that did not converge. */
static const char *reason_of(const job *j)
{
    for (int64_t k = 0; k < j->columns; k++)
        if (j->results[k].reason != MNP_SOLVE_CONVERGED)
            return mnp_solve_reason_text(j->results[k].reason);
    return mnp_solve_reason_text(MNP_SOLVE_CONVERGED);
}

static mnp_status write_with(const job *j, const facts *f, const run_facts *c, const mnp_array *history)
{
    const int64_t ranks = mnp_ctx_size(j->ctx);
    const char *x = j->result.output.dataset;
    char name[1024];
    const int64_t count = mnp_array_ndim(j->b) == 1 ? -1 : j->columns;
    const double rtol = j->options.rtol == 0 ? 1e-5 : j->options.rtol < 0 ? 0 : j->options.rtol;
    snprintf(name, sizeof name, "%s_history", x);
    const mnp_h5_item items[] = {{x, j->x}, {name, history}};
    const mnp_h5_attribute attributes[] = {
        {.object = x, .name = "method", .text = method_names[j->method]},
        {.object = x, .name = "precond", .text = precond_names[j->precond_kind]},
        {.object = x, .name = "matrix", .text = j->matrix.text},
        {.object = x, .name = "reason", .text = reason_of(j)},
        {.object = x, .name = "history", .text = name},
        {.object = x, .name = "converged", .dtype = MNP_INT64, .count = count, .values = f->converged},
        {.object = x, .name = "iterations", .dtype = MNP_INT64, .count = count, .values = f->iterations},
        {.object = x, .name = "residual", .dtype = MNP_FLOAT64, .count = count, .values = f->residual},
        {.object = x, .name = "rhs_norm", .dtype = MNP_FLOAT64, .count = count, .values = f->rhs_norm},
        {.object = x, .name = "seconds", .dtype = MNP_FLOAT64, .count = count, .values = f->seconds},
        {.object = x,
         .name = "seconds_compile",
         .dtype = MNP_FLOAT64,
         .count = -1,
         .values = &c->seconds[STAGE_COMPILE]},
        {.object = x, .name = "seconds_read", .dtype = MNP_FLOAT64, .count = -1, .values = &c->seconds[STAGE_READ]},
        {.object = x, .name = "seconds_precond", .dtype = MNP_FLOAT64, .count = -1, .values = &c->seconds[STAGE_BUILD]},
        {.object = x, .name = "ranks", .dtype = MNP_INT64, .count = -1, .values = &ranks},
        {.object = x, .name = "device", .text = c->ranks[0].device},
        {.object = x, .name = "rtol", .dtype = MNP_FLOAT64, .count = -1, .values = &rtol},
        {.object = x, .name = "atol", .dtype = MNP_FLOAT64, .count = -1, .values = &j->options.atol},
    };
    return mnp_h5_write_items(j->result.output.file, 2, items, sizeof attributes / sizeof *attributes, attributes,
                              NULL);
}

mnp_status solve_write(job *j)
{
    mnp_array *history = NULL;
    facts f = {NULL};
    run_facts c = {.ranks = NULL};
    if (j->result.output.kind != OPERAND_DATASET) /* it has room for the solution alone */
        return operand_write(&j->result.output, j->x);
    void *memory = malloc(5 * sizeof(double) * ((size_t)j->columns + 1));
    mnp_status status = mnp_agree(j->ctx, gather_facts(j, memory, &f));
    if (status == MNP_OK)
        status = run_facts_find(&j->watch, &c);
    if (status == MNP_OK)
        status = history_array(j, &history);
    if (status == MNP_OK)
        status = write_with(j, &f, &c, history);
    mnp_array_free(history);
    run_facts_free(&c);
    free(memory);
    return status;
}

/* ---- the report ---- */

static void print_result(const job *j, int64_t k)
{
    const mnp_solve_result *r = &j->results[k];
    const int64_t iterations = r->iterations + j->before;
    printf("%-10s%s after %" PRId64 " iteration%s", k == 0 ? "result" : "", mnp_solve_reason_text(r->reason),
           iterations, iterations == 1 ? "" : "s");
    if (j->before > 0)
        printf(", %" PRId64 " of them before", j->before);
    printf("; residual %.3e", unsigned_nan(r->residual));
    if (r->rhs_norm > 0)
        printf(", %.3e of b", unsigned_nan(r->residual / r->rhs_norm));
    if (r->iterations > 0)
        printf("; %.3g ms an iteration", 1e3 * r->seconds / (double)r->iterations);
    printf("\n");
}

static void print_attempts(const job *j)
{
    for (int i = 0; i + 1 < j->attempts && i < MOST_ATTEMPTS; i++) {
        const trial *a = &j->tried[i];
        printf("tried     %s", method_names[a->method]);
        if (a->precond != MNP_PRECOND_NONE)
            printf(" with %s", precond_names[a->precond]);
        if (a->lacks)
            printf(": MATRIX has no such preconditioner\n");
        else
            printf(" for %" PRId64 " iteration%s: %s\n", a->iterations, a->iterations == 1 ? "" : "s",
                   a->reason == MNP_SOLVE_STOPPED ? "the residual hardly fell any more"
                                                  : mnp_solve_reason_text(a->reason));
    }
}

/* Print the method, and why it was chosen. */
static void print_method(const job *j)
{
    print_attempts(j);
    printf("method    %s", method_names[j->method]);
    if (!j->method_given && j->options.restart > 0)
        printf(" with --restart %d", j->options.restart);
    if (!j->method_given)
        printf(", as MATRIX is %s", mnp_sparse_traits_text(j->a, &j->traits));
    printf("\nprecond   ");
}

static const char *const stage_names[NUM_STAGES] = {"compile", "read", "precondition", "solve", "write"};

static void print_text(const void *run, const run_facts *ran)
{
    const job *j = run;
    printf("matrix    %s: %" PRId64 " x %" PRId64 ", %" PRId64 " %s, %s\n", j->matrix.text, mnp_sparse_shape(j->a)[0],
           mnp_sparse_shape(j->a)[1], mnp_sparse_nnz(j->a), mnp_sparse_nnz(j->a) == 1 ? "entry" : "entries",
           mnp_dtype_name(mnp_sparse_dtype(j->a)));
    print_method(j);
    fflush(stdout);
    if (j->precond)
        mnp_precond_describe(j->precond, stdout);
    else
        printf("none\n");
    for (int64_t k = 0; k < j->columns; k++)
        print_result(j, k);
    printf("output    %s: ", j->result.output.text);
    print_array(j->x);
    if (*j->made.size)
        printf("picture   %s: %s\n", j->result.picture.path, j->made.size);
    if (j->unsaved > 0)
        printf("warning   %" PRId64 " checkpoint%s could not be written\n", j->unsaved, j->unsaved == 1 ? "" : "s");
    print_times(NUM_STAGES, stage_names, ran->seconds);
}

static void json_system(json_writer *out, const job *j, const mnp_solve_result *r)
{
    json_row(out, NULL, '{');
    json_bool(out, "converged", r->reason == MNP_SOLVE_CONVERGED);
    json_text(out, "reason", mnp_solve_reason_text(r->reason));
    json_integer(out, "iterations", r->iterations + j->before);
    json_number(out, "residual", r->residual);
    json_number(out, "rhs_norm", r->rhs_norm);
    json_measured(out, "seconds", r->seconds);
    json_close(out);
}

static void json_attempts(json_writer *out, const job *j)
{
    json_open(out, "tried", '[');
    for (int i = 0; i + 1 < j->attempts && i < MOST_ATTEMPTS; i++) {
        const trial *a = &j->tried[i];
        json_row(out, NULL, '{');
        json_text(out, "method", method_names[a->method]);
        json_text(out, "precond", precond_names[a->precond]);
        json_integer(out, "iterations", a->lacks ? 0 : a->iterations);
        json_text(out, "reason", a->lacks ? "the matrix has no such preconditioner" : mnp_solve_reason_text(a->reason));
        json_close(out);
    }
    json_close(out);
}

static void print_json(const void *run, const run_facts *ran, json_writer *out)
{
    const job *j = run;
    json_row(out, "matrix", '{');
    json_text(out, "operand", j->matrix.text);
    json_integers(out, "shape", 2, mnp_sparse_shape(j->a));
    json_integer(out, "nnz", mnp_sparse_nnz(j->a));
    json_text(out, "dtype", mnp_dtype_name(mnp_sparse_dtype(j->a)));
    json_close(out);
    json_text(out, "rhs", j->rhs_text);
    json_attempts(out, j);
    json_text(out, "method", method_names[j->method]);
    json_text(out, "precond", precond_names[j->precond_kind]);
    json_bool(out, "converged", solve_converged(j));
    json_open(out, "systems", '[');
    for (int64_t k = 0; k < j->columns; k++)
        json_system(out, j, &j->results[k]);
    json_close(out);
    json_row(out, "output", '{');
    json_text(out, "operand", j->result.output.text);
    json_array(out, j->x);
    json_close(out);
    if (*j->made.size)
        json_text(out, "picture", j->result.picture.path);
    json_integer(out, "unsaved_checkpoints", j->unsaved);
    json_facts(out, ran, NUM_STAGES, stage_names);
}

void solve_report(const job *j)
{
    report_print(&j->watch, j->result.json, j, print_text, print_json);
}
