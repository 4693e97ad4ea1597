/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choices and permutations: indices are drawn, and elements taken by them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/eval.h>
#include <maniple/select.h>
#include <maniple/sort.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/hash.h"
#include "layout/layout.h"
#include "ops/random/random.h"

/* ---- choice ---- */

static mnp_status check_probabilities(int64_t n, const double *p)
{
    double sum = 0, lost = 0; /* lost: the compensation of Kahan summation */
    for (int64_t i = 0; i < n; i++) {
        if (!(p[i] >= 0) || isinf(p[i]))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_random_choice: probability %" PRId64 " is %g", i, p[i]);
        double term = p[i] - lost, next = sum + term;
        lost = next - sum - term;
        sum = next;
    }
    if (!(fabs(sum - 1) <= 1.5e-8))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_random_choice: the probabilities sum to %.10g, not to 1", sum);
    return MNP_OK;
}

/* Sums of probabilities, the last being 1, on the CPU. */
static mnp_status sum_probabilities(int64_t n, const double *p, double **sums_p)
{
    double so_far = 0;
    MNP_TRY(mnp__malloc((size_t)n * sizeof **sums_p, sums_p));
    for (int64_t i = 0; i < n; i++)
        (*sums_p)[i] = so_far += p[i];
    for (int64_t i = 0; i < n; i++)
        (*sums_p)[i] /= so_far;
    return MNP_OK;
}

/* Bring the sums to the device. */
static mnp_status make_table(mnp_ctx *ctx, int64_t n, const double *p, void **table_p)
{
    const mnp__device_ops *ops = ctx->device->ops;
    double *sums = NULL;
    void *table = NULL;
    mnp_status st;
    MNP_TRY_OR(sum_probabilities(n, p, &sums), st, done);
    MNP_TRY_OR(ops->alloc(ctx->device, (size_t)n * sizeof *sums, &table), st, done);
    MNP_TRY_OR(ops->copy(ctx->device, table, sums, (size_t)n * sizeof *sums, ctx->compute), st, done);
    st = mnp__ctx_wait(ctx, ctx->compute);
done:
    free(sums);
    if (st == MNP_OK)
        *table_p = table;
    else
        ops->free(ctx->device, table);
    return st;
}

/*
 * Without replacement every element draws an exponentially distributed time whose rate is its probability, and the
 * elements with the least times are chosen (P. Efraimidis and P. Spirakis, Weighted Random Sampling with a Reservoir,
 * 2006).  The time of an element of probability 0 is infinite.
 */
static mnp_status choose_least_times(mnp_rng *rng, int64_t n, const double *p, const mnp_layout *natural,
                                     mnp_array **out_p)
{
    mnp__draw draw = {.function = "mnp_random_choice",
                      .sampler = "mnp_draw_exponential",
                      .dtype = MNP_FLOAT64,
                      .ndim = 1,
                      .shape = &n,
                      .params.real = {1}};
    mnp_array *times = NULL, *rates = NULL, *first = NULL, *at = NULL, *shaped = NULL;
    const mnp__output_spec spec = {.function = draw.function,
                                   .ctx = rng->ctx,
                                   .dtype = MNP_INT64,
                                   .layout = natural,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    mnp__output output;
    mnp_status st;
    MNP_TRY(mnp__output_open(&spec, out_p, &output));
    MNP_TRY_OR(mnp__random_draw(rng, &draw, &times), st, done);
    MNP_TRY_OR(mnp_array_from_host(rng->ctx, MNP_FLOAT64, 1, &n, p, &rates), st, done);
    MNP_TRY_OR(mnp_eval(rng->ctx, "times = log(times) - log(rates)", MNP_IN("times", times, "rates", rates),
                        MNP_OUT("times", &times)),
               st, done);
    MNP_TRY_OR(mnp_topk(times, natural->size, 0, false, &first, &at), st, done);
    MNP_TRY_OR(mnp_reshape(at, natural->ndim, natural->shape, &shaped), st, done);
    st = mnp__array_copy_to(shaped, output.array);
done:
    mnp_free_all(shaped, at, first, rates, times);
    return mnp__output_close(1, &output, st);
}

/* Draw indices below n. */
static mnp_status draw_choice(mnp_rng *rng, int64_t n, bool replace, const double *p, mnp__draw *draw,
                              const mnp_layout *natural, mnp_array **out_p)
{
    mnp_ctx *ctx = rng->ctx;
    void *table = NULL;
    mnp_random_params *params = &draw->params;
    params->whole[0] = (uint64_t)n;
    if (p && !replace)
        return choose_least_times(rng, n, p, natural, out_p);
    if (p) {
        MNP_TRY(MNP_AGREE(ctx, make_table(ctx, n, p, &table)));
        params->table = table;
        draw->sampler = "mnp_draw_choice";
    } else if (replace) {
        const bool narrow = n <= INT64_C(1) << 32;
        draw->sampler = narrow ? "mnp_draw_integers" : "mnp_draw_wide_integers";
        if (n > 0) /* otherwise the array is empty */
            params->whole[1] = (narrow ? UINT64_C(1) << 32 : 0 - (uint64_t)n) % (uint64_t)n;
    } else {
        draw->sampler = "mnp_draw_permutation";
        params->feistel = mnp__random_feistel(rng, n);
    }
    mnp_status st = mnp__random_draw(rng, draw, out_p);
    ctx->device->ops->free(ctx->device, table); /* in the order of the stream that uses it */
    return st;
}

static mnp_status check_choice(const mnp_array *a, int64_t n, bool replace, const double *p, const mnp_layout *result)
{
    static const char function[] = "mnp_random_choice";
    int64_t likely = 0;
    if (mnp__array_is_scalar(a) ? a->weak != 'i' : a->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: what is chosen from must be an array of one dimension or an integer",
                        function);
    if (n < 0 || (n == 0 && (p || result->size > 0)))
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " elements to choose from", function, n);
    if (!replace && result->size > n)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %" PRId64 " elements cannot be chosen from %" PRId64 " without replacement",
                        function, result->size, n);
    if (!p)
        return MNP_OK;
    MNP_TRY(check_probabilities(n, p));
    for (int64_t i = 0; i < n; i++)
        likely += p[i] > 0;
    if (!replace && result->size > likely)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: %" PRId64 " elements cannot be chosen without replacement, as only %" PRId64
                        " have a probability above 0",
                        function, result->size, likely);
    return MNP_OK;
}

/* How many elements a number or an array has. */
static int64_t count_of(const mnp_array *a, int axis)
{
    int64_t n;
    if (!mnp__array_is_scalar(a))
        return a->layout->ndim > axis ? a->layout->shape[axis] : 0;
    memcpy(&n, mnp__scalar_value(a), sizeof n);
    return n;
}

mnp_status mnp_random_choice(mnp_rng *rng, const mnp_array *a, bool replace, const double *p, int ndim,
                             const int64_t *shape, mnp_array **out_p)
{
    MNP_ENTER(rng, a, out_p);
    MNP_NEED_IF(ndim > 0, shape);
    static const char function[] = "mnp_random_choice";
    mnp__draw draw = {.function = function, .dtype = MNP_INT64, .ndim = ndim, .shape = shape};
    mnp_array *at = NULL;
    mnp_layout *natural = NULL;
    mnp__output output;
    mnp_status st;
    MNP_TRY(mnp__random_check(function, rng, a));
    if (!a)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there is nothing to choose from, but NULL", function);
    const int64_t n = count_of(a, 0);
    const uint64_t draws = rng->draws;
    MNP_TRY(mnp_layout_block(rng->ctx->comm.size, ndim, shape, &natural));
    MNP_TRY_OR(check_choice(a, n, replace, p, natural), st, done);
    if (p)
        MNP_TRY_OR(mnp__check_same(&rng->ctx->comm, function, mnp__hash(MNP__HASH_START, p, (size_t)n * sizeof *p)), st,
                   done);
    if (mnp__array_is_scalar(a)) {
        st = draw_choice(rng, n, replace, p, &draw, natural, out_p);
        goto done;
    }
    const mnp__output_spec spec = {.function = function,
                                   .ctx = rng->ctx,
                                   .dtype = a->dtype,
                                   .layout = natural,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 1,
                                   .inputs = &a};
    MNP_TRY_OR(mnp__output_open(&spec, out_p, &output), st, done);
    st = draw_choice(rng, n, replace, p, &draw, natural, &at);
    if (st == MNP_OK)
        st = mnp_take(a, at, 0, MNP_CLIP, &output.array);
    st = mnp__output_close(1, &output, st);
done:
    if (st != MNP_OK)
        rng->draws = draws;
    mnp_array_free(at);
    mnp_layout_free(natural);
    return st;
}

/* ---- permutation ---- */

static mnp_status draw_permutation(mnp_rng *rng, const char *function, int64_t n, mnp_array **out_p)
{
    mnp__draw draw = {.function = function, .dtype = MNP_INT64, .ndim = 1, .shape = &n};
    return draw_choice(rng, n, false, NULL, &draw, NULL, out_p);
}

static mnp_status permutation(mnp_rng *rng, const char *function, const mnp_array *x, int axis, mnp_array **out_p)
{
    mnp_array *at = NULL;
    mnp__output output;
    const uint64_t draws = rng->draws;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = rng->ctx,
                                   .dtype = x->dtype,
                                   .layout = x->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 1,
                                   .inputs = &x};
    MNP_TRY(mnp__output_open(&spec, out_p, &output));
    mnp_status st = draw_permutation(rng, function, x->layout->shape[axis], &at);
    if (st == MNP_OK)
        st = mnp_take(x, at, axis, MNP_CLIP, &output.array);
    st = mnp__output_close(1, &output, st);
    if (st != MNP_OK)
        rng->draws = draws;
    mnp_array_free(at);
    return st;
}

mnp_status mnp_random_permutation(mnp_rng *rng, const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(rng, x, out_p);
    static const char function[] = "mnp_random_permutation";
    MNP_TRY(mnp__random_check(function, rng, x));
    if (!x || !mnp__array_is_scalar(x))
        return permutation(rng, function, x, axis, out_p);
    const int64_t n = count_of(x, 0);
    if (x->weak != 'i' || n < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: what is permuted must be an array or an integer that is not negative",
                        function);
    return draw_permutation(rng, function, n, out_p);
}

mnp_status mnp_random_shuffle(mnp_rng *rng, mnp_array *x, int axis)
{
    MNP_ENTER(rng, x);
    static const char function[] = "mnp_random_shuffle";
    MNP_TRY(mnp__random_check(function, rng, x));
    return permutation(rng, function, x, axis, &x);
}
