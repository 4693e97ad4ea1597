/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whittaker-Henderson smoothing: the y that minimises sum w (x - y)^2 + lambda sum (D y)^2, where D are differences of
 * some order p, so that (W + lambda D'D) y = W x (Eilers, "A perfect smoother", Analytical Chemistry 75, 2003).
 *
 * The matrix has p diagonals on either side.  Rank 0 gets the signal and factors it as L D L' on its CPU, with some
 * n (p + 1)^2 operations one after the other, which its elements need in any case.
 *
 * Without a lambda, it is the one of the greatest restricted likelihood: y is taken as a polynomial of degree p - 1 and
 * random differences of variance s/lambda, and x - y as random of variance s/w.  With S = sum w (x - y)^2 +
 * lambda sum (D y)^2 of the y for lambda, and m elements whose weights are not 0, s is S / (m - p), and
 *
 *     (m - p) log S + log det(W + lambda D'D) - (n - p) log lambda
 *
 * is to be least (Patterson and Thompson, Biometrika 58, 1971).  The determinant is the product of the pivots.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <maniple/filters.h>
#include <maniple/item.h>

#include "array/input.h"
#include "array/output.h"
#include "base/hash.h"
#include "layout/layout.h"

/* The logarithms of lambda, in units of the mean weight, among which the best is sought. */
static const double LEAST = -24, MOST = 40, STEP = 2, EXACT = 1e-7;

/* A pivot that is smaller than this part of lambda D'D is rounding: no digits of the polynomial would be right. */
static const double SMALLEST = 1e-11;

typedef struct smoothing {
    int64_t n;
    int order;
    double *x, *weights;     /* NULL: ones */
    double *y;               /* the smoothed signal */
    double *penalty, *pivot; /* D'D and L, column by column: order + 1 numbers from the diagonal on, for L the pivot */
    double *difference;      /* the order + 1 numbers of a row of D */
} smoothing;

static double weight(const smoothing *s, int64_t i)
{
    return s->weights ? s->weights[i] : 1;
}

/* ---- the system ---- */

static void fill_penalty(smoothing *s)
{
    const int p = s->order;
    s->difference[p] = 1;
    for (int i = p - 1; i >= 0; i--) /* binomial coefficients with signs */
        s->difference[i] = -s->difference[i + 1] * (i + 1) / (p - i);
    for (int64_t j = 0; j < s->n; j++) {
        for (int k = 0; k <= p; k++) {
            const int64_t first = j + k > p ? j + k - p : 0, last = j < s->n - p - 1 ? j : s->n - p - 1;
            double sum = 0;
            for (int64_t row = first; row <= last; row++)
                sum += s->difference[j - row] * s->difference[j + k - row];
            s->penalty[j * (p + 1) + k] = sum;
        }
    }
}

/* Factor W + lambda D'D.  False if it is singular to rounding; otherwise the logarithm of its determinant. */
static bool factor(smoothing *s, double lambda, double *log_determinant)
{
    const int p = s->order, width = p + 1;
    *log_determinant = 0;
    for (int64_t j = 0; j < s->n; j++) {
        double *column = s->pivot + j * width;
        for (int k = 0; k <= p && j + k < s->n; k++) {
            double sum = lambda * s->penalty[j * width + k] + (k == 0 ? weight(s, j) : 0);
            for (int64_t i = j + k > p ? j + k - p : 0; i < j; i++) {
                const double *before = s->pivot + i * width;
                sum -= before[j + k - i] * before[0] * before[j - i];
            }
            column[k] = k == 0 ? sum : sum / column[0];
        }
        if (!(column[0] > SMALLEST * lambda * s->penalty[j * width]))
            return false;
        *log_determinant += log(column[0]);
    }
    return true;
}

/* Solve by the factors, for W x: what has no weight may be anything, NaN too. */
static void solve(smoothing *s)
{
    const int p = s->order, width = p + 1;
    double *y = s->y;
    for (int64_t j = 0; j < s->n; j++) {
        y[j] = weight(s, j) > 0 ? weight(s, j) * s->x[j] : 0;
        for (int64_t i = j > p ? j - p : 0; i < j; i++)
            y[j] -= s->pivot[i * width + (j - i)] * y[i];
    }
    for (int64_t j = s->n - 1; j >= 0; j--) {
        y[j] /= s->pivot[j * width];
        for (int k = 1; k <= p && j + k < s->n; k++)
            y[j] -= s->pivot[j * width + k] * y[j + k];
    }
}

/* ---- lambda ---- */

/* What is least for the best lambda; infinite where the system cannot be solved. */
static double criterion(smoothing *s, double lambda)
{
    const int p = s->order;
    double log_determinant, sum = 0, roughness = 0;
    int64_t present = 0;
    if (!factor(s, lambda, &log_determinant))
        return INFINITY;
    solve(s);
    for (int64_t i = 0; i < s->n; i++) {
        const double w = weight(s, i);
        present += w > 0;
        sum += w > 0 ? w * (s->x[i] - s->y[i]) * (s->x[i] - s->y[i]) : 0;
    }
    for (int64_t row = 0; row < s->n - p; row++) {
        double d = 0;
        for (int k = 0; k <= p; k++)
            d += s->difference[k] * s->y[row + k];
        roughness += d * d;
    }
    return (double)(present - p) * log(fmax(sum + lambda * roughness, DBL_MIN)) + log_determinant -
           (double)(s->n - p) * log(lambda);
}

/* The best lambda: the best of a coarse row of them, and then by golden sections between its neighbours. */
static double choose(smoothing *s)
{
    static const double golden = 0.6180339887498949;
    double unit = 0, at = 0, least = INFINITY;
    for (int64_t i = 0; i < s->n; i++)
        unit += weight(s, i) / (double)s->n;
    if (unit == 0) /* no lambda will do */
        return 1;
    for (double t = LEAST; t <= MOST; t += STEP) {
        const double found = criterion(s, unit * exp(t));
        if (found < least) {
            least = found;
            at = t;
        }
    }
    double lo = at - STEP, hi = at + STEP, a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
    double of_a = criterion(s, unit * exp(a)), of_b = criterion(s, unit * exp(b));
    while (hi - lo > EXACT) {
        if (of_a <= of_b) {
            hi = b;
            b = a;
            of_b = of_a;
            a = hi - golden * (hi - lo);
            of_a = criterion(s, unit * exp(a));
        } else {
            lo = a;
            a = b;
            of_a = of_b;
            b = lo + golden * (hi - lo);
            of_b = criterion(s, unit * exp(b));
        }
    }
    return unit * exp(a);
}

/* ---- the call ---- */

static mnp_status open_smoothing(smoothing *s, bool weighted)
{
    const size_t n = (size_t)s->n, width = (size_t)s->order + 1;
    MNP_TRY(mnp__malloc(n * sizeof *s->x, &s->x));
    MNP_TRY(mnp__malloc(n * sizeof *s->y, &s->y));
    if (weighted)
        MNP_TRY(mnp__malloc(n * sizeof *s->weights, &s->weights));
    MNP_TRY(mnp__malloc(width * sizeof *s->difference, &s->difference));
    MNP_TRY(mnp__malloc(n * width * sizeof *s->penalty, &s->penalty));
    return mnp__malloc(n * width * sizeof *s->pivot, &s->pivot);
}

static void close_smoothing(smoothing *s)
{
    free(s->x);
    free(s->y);
    free(s->weights);
    free(s->difference);
    free(s->penalty);
    free(s->pivot);
}

/* What rank 0 has found, and all ranks get: the lambda that was used; the place of what is wrong, or -1. */
typedef struct outcome {
    double lambda;
    int64_t wrong;
    double value; /* of the element or weight there */
    bool is_weight, is_singular;
} outcome;

/* Look for what cannot be used: a weight that is negative or not finite, or such an element that has a weight. */
static void find_wrong(const smoothing *s, outcome *found)
{
    for (int64_t i = 0; i < s->n && found->wrong < 0; i++) {
        const double w = weight(s, i);
        found->is_weight = !(w >= 0 && isfinite(w));
        if (!found->is_weight && (w == 0 || isfinite(s->x[i])))
            continue;
        found->wrong = i;
        found->value = found->is_weight ? w : s->x[i];
    }
}

static void smooth(smoothing *s, outcome *found)
{
    double log_determinant;
    find_wrong(s, found);
    if (found->wrong >= 0)
        return;
    fill_penalty(s);
    if (found->lambda < 0)
        found->lambda = choose(s);
    if (found->lambda == 0) {
        for (int64_t i = 0; i < s->n; i++)
            s->y[i] = s->x[i];
        return;
    }
    found->is_singular = !factor(s, found->lambda, &log_determinant);
    if (!found->is_singular)
        solve(s);
}

static mnp_status report(const char *function, int order, const outcome *found)
{
    if (found->wrong >= 0 && found->is_weight)
        return MNP_FAIL(MNP_ERR_ARG, "%s: weight %" PRId64 " is %g, which is negative or not finite", function,
                        found->wrong, found->value);
    if (found->wrong >= 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: element %" PRId64 " of the signal is %g, and its weight is not 0", function,
                        found->wrong, found->value);
    if (found->is_singular)
        return MNP_FAIL(MNP_ERR_LINALG,
                        "%s: with lambda %g the system is singular to rounding: lambda is too large, or fewer elements "
                        "than %d have weights",
                        function, found->lambda, order);
    return MNP_OK;
}

static mnp_status check(const char *function, const mnp_array *x, const mnp_array *weights, int order, double lambda)
{
    MNP_TRY(mnp__inputs_check(function, weights ? 2 : 1, (const mnp_array *const[]){x, weights}));
    if (x->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the signal has %d dimensions, and must have 1", function, x->layout->ndim);
    if (mnp_dtype_kind(x->dtype) == 'c' || (weights && mnp_dtype_kind(weights->dtype) == 'c'))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the signal and its weights must be real", function);
    if (weights && !mnp__layout_same_shape(weights->layout, x->layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the weights have another shape than the signal", function);
    if (order < 1 || order >= x->layout->size)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: the order is %d, and must be 1 or more, and below the %" PRId64 " elements of the signal",
                        function, order, x->layout->size);
    if (isnan(lambda))
        return MNP_FAIL(MNP_ERR_ARG, "%s: lambda is NaN", function);
    return MNP_OK;
}

/* The smoothed signal, which rank 0 has, and its lambda, which all ranks get. */
static mnp_status run(const char *function, const mnp_array *x, const mnp_array *weights, int order, double *lambda_p,
                      mnp_array **smoothed_p)
{
    mnp_ctx *ctx = x->ctx;
    const bool is_here = ctx->comm.rank == 0;
    smoothing s = {.n = x->layout->size, .order = order};
    outcome found = {.lambda = *lambda_p, .wrong = -1};
    mnp_layout *layout = NULL;
    mnp_status st = is_here ? open_smoothing(&s, weights != NULL) : MNP_OK;
    if (st == MNP_OK)
        st = mnp_layout_on_root(ctx->comm.size, 0, 1, x->layout->shape, &layout);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp_array_to_host_as(x, 0, MNP_FLOAT64, s.x), st, done);
    if (weights)
        MNP_TRY_OR(mnp_array_to_host_as(weights, 0, MNP_FLOAT64, s.weights), st, done);
    if (is_here && !ctx->device->rehearses)
        smooth(&s, &found);
    MNP_TRY_OR(mnp__broadcast(&ctx->comm, &found, sizeof found, 0), st, done);
    MNP_TRY_OR(report(function, order, &found), st, done);
    *lambda_p = found.lambda;
    MNP_TRY_OR(mnp_array_new(ctx, MNP_FLOAT64, layout, smoothed_p), st, done);
    st = MNP_AGREE(ctx, is_here ? mnp_array_set_local(*smoothed_p, s.y) : MNP_OK);
done:
    mnp_layout_free(layout);
    close_smoothing(&s);
    return st;
}

mnp_status mnp_whittaker_henderson(const mnp_array *x, const mnp_array *weights, int order, double lambda,
                                   mnp_array **y_p, double *lambda_p)
{
    MNP_ENTER(x, y_p);
    MNP_NEED_OR_NULL(weights);
    static const char function[] = "mnp_whittaker_henderson";
    mnp_array *smoothed = NULL;
    mnp__output output;
    MNP_TRY(check(function, x, weights, order, lambda));
    MNP_TRY(mnp__check_same(&x->ctx->comm, function,
                            mnp__hash(mnp__layout_hash(x->layout), &lambda, sizeof lambda) + (uint64_t)order));
    const mnp__output_spec spec = {.function = function, .ctx = x->ctx, .dtype = MNP_FLOAT64, .layout = x->layout};
    MNP_TRY(mnp__output_open(&spec, y_p, &output));
    mnp_status st = run(function, x, weights, order, &lambda, &smoothed);
    if (st == MNP_OK)
        st = mnp__array_copy_to(smoothed, output.array);
    mnp_array_free(smoothed);
    st = mnp__output_close(1, &output, st);
    if (st == MNP_OK && lambda_p)
        *lambda_p = lambda;
    return st;
}
