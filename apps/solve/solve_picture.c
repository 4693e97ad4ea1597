/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of maniple solve: the residual over the iterations, relative to the right-hand side, and the tolerance.
 */
#include "solve/solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/paths.h"
#include "picture/plot.h"

enum { MOST_CURVES = 8, NAME = 48 };

/* What residuals are divided by: |b|, or 1 if that is 0. */
static double unit_of(const mnp_solve_result *result)
{
    return result->rhs_norm > 0 ? result->rhs_norm : 1;
}

/* The points of a curve; residuals of 0 are left out, as their axis is logarithmic. */
static int points_of(const job *j, const mnp_solve_result *result, double *points)
{
    int count = 0;
    for (int64_t i = 0; i < result->history_count; i++) {
        if (!(result->history[i] > 0) || !isfinite(result->history[i]))
            continue;
        points[2 * count] = (double)(i + j->before);
        points[2 * count++ + 1] = result->history[i] / unit_of(result);
    }
    return count;
}

/* The tolerance as a line; there is none if it differs between right-hand sides. */
static plot_rule rule_of(const job *j)
{
    const double rtol = j->options.rtol == 0 ? 1e-5 : fmax(j->options.rtol, 0);
    const double absolute = j->options.atol / unit_of(&j->results[0]);
    const double tolerance = fmax(j->results[0].rhs_norm > 0 ? rtol : 0, absolute);
    const bool shown = tolerance > 0 && (j->columns == 1 || absolute < rtol);
    return (plot_rule){.name = shown ? "tolerance" : NULL, .y = tolerance};
}

static mnp_status draw(const job *j, int count, const plot_curve *curves, picture_made *made)
{
    char title[NAME + 256], subtitle[256];
    const bool relative = j->results[0].rhs_norm > 0;
    const char *precond = precond_names[j->precond_kind];
    snprintf(title, sizeof title, "%s: %s%s%s", without_folders(j->matrix.text), method_names[j->method],
             j->precond_kind == MNP_PRECOND_NONE ? "" : " with ", j->precond_kind == MNP_PRECOND_NONE ? "" : precond);
    snprintf(subtitle, sizeof subtitle, "%" PRId64 " x %" PRId64 ", %" PRId64 " entries, %s; %" PRId64 " iteration%s",
             mnp_sparse_shape(j->a)[0], mnp_sparse_shape(j->a)[1], mnp_sparse_nnz(j->a),
             mnp_dtype_name(mnp_sparse_dtype(j->a)), j->results[0].iterations + j->before,
             j->results[0].iterations + j->before == 1 ? "" : "s");
    const plot_curves plot = {
        .words = {title, subtitle, "iteration",
                  relative ? "relative residual |b \xe2\x88\x92 Ax| / |b|" : "residual |b \xe2\x88\x92 Ax|"},
        .x_scale = AXIS_WHOLE,
        .y_scale = AXIS_LOG,
        .count = count,
        .curves = curves,
        .rule = rule_of(j),
    };
    return plot_write_curves(&j->result.picture, &plot, made);
}

static mnp_status draw_curves(const job *j, picture_made *made)
{
    plot_curve curves[MOST_CURVES];
    char names[MOST_CURVES][NAME];
    double *memory[MOST_CURVES] = {NULL};
    int count = 0;
    mnp_status status = MNP_OK;
    for (int64_t k = 0; k < j->columns && k < MOST_CURVES && status == MNP_OK; k++) {
        const mnp_solve_result *result = &j->results[k];
        memory[k] = malloc(2 * sizeof(double) * ((size_t)result->history_count + 1));
        snprintf(names[count], NAME, "right-hand side %" PRId64, k);
        if (!memory[k])
            status = mnp_fail(MNP_ERR_MEMORY, "no memory for a picture of %" PRId64 " points", result->history_count);
        else
            curves[count] = (plot_curve){names[count], points_of(j, result, memory[k]), memory[k]};
        count += status == MNP_OK && curves[count].count > 0;
    }
    if (status == MNP_OK && count == 0)
        status = mnp_fail(MNP_ERR_IO, "no picture was made: there are no residuals to draw");
    if (status == MNP_OK)
        status = draw(j, count, curves, made);
    for (int k = 0; k < MOST_CURVES; k++)
        free(memory[k]);
    return status;
}

mnp_status solve_draw(job *j)
{
    return mnp_agree(j->ctx, mnp_ctx_rank(j->ctx) == 0 ? draw_curves(j, &j->made) : MNP_OK);
}
