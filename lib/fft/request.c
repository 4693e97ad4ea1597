/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call asks for: axes, points, norm and shapes, by NumPy's rules.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "array/view.h"
#include "fft/fft.h"
#include "fft/layouts.h"

static mnp_status find_axes(const mnp__fft_request *request, int ndim, mnp__fft_problem *problem)
{
    unsigned seen = 0;
    if (request->naxes < 0 || request->naxes > ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d axes to transform, and the array has %d dimensions",
                        request->function, request->naxes, ndim);
    if (ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: an array without dimensions cannot be transformed", request->function);
    problem->naxes = request->naxes > 0 ? request->naxes : ndim;
    for (int i = 0; i < problem->naxes; i++) {
        const int given = request->naxes > 0 && request->axes ? request->axes[i] : ndim - problem->naxes + i;
        MNP_TRY(mnp__view_axis(request->function, ndim, given, &problem->axes[i]));
        if (seen >> problem->axes[i] & 1)
            return MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is given twice", request->function, problem->axes[i]);
        seen |= 1u << problem->axes[i];
    }
    return MNP_OK;
}

static mnp_status find_points(const mnp__fft_request *request, const mnp_layout *layout, mnp__fft_problem *problem)
{
    memcpy(problem->points, layout->shape, (size_t)layout->ndim * sizeof *problem->points);
    for (int i = 0; i < problem->naxes; i++) {
        const int d = problem->axes[i];
        const bool to_real = request->kind == MNP__FFT_TO_REAL && i == problem->naxes - 1;
        int64_t n = to_real ? 2 * (layout->shape[d] - 1) : layout->shape[d];
        if (request->s && request->s[i] != MNP_NONE)
            n = request->s[i];
        if (n < 1)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: a transform of %" PRId64 " points, along axis %d; there must be one at least",
                            request->function, n, d);
        problem->points[d] = n;
    }
    return MNP_OK;
}

static mnp_status find_scale(const mnp__fft_request *request, mnp__fft_problem *problem)
{
    const char *norm = request->norm ? request->norm : "backward";
    double points = 1;
    for (int i = 0; i < problem->naxes; i++)
        points *= (double)problem->points[problem->axes[i]];
    problem->scale = 1;
    if (strcmp(norm, "ortho") == 0)
        problem->scale = 1 / sqrt(points);
    else if (strcmp(norm, problem->inverse ? "backward" : "forward") == 0)
        problem->scale = 1 / points;
    else if (strcmp(norm, problem->inverse ? "forward" : "backward") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the norm '%s' is none of backward, ortho and forward", request->function,
                        norm);
    return MNP_OK;
}

/* The layout of the result, in C order as results are. */
static mnp_status find_result(const mnp__fft_request *request, const mnp_layout *layout, mnp__fft_problem *problem)
{
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *like, *result;
    memcpy(shape, problem->points, sizeof shape);
    if (request->kind == MNP__FFT_FROM_REAL)
        shape[problem->axes[problem->naxes - 1]] = shape[problem->axes[problem->naxes - 1]] / 2 + 1;
    if (request->result) {
        const mnp_layout *given = request->result;
        if (given->nranks != layout->nranks || mnp_layout_is_cyclic(given) ||
            !mnp__layout_has_shape(given, layout->ndim, shape))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the layout of the result is not one of blocks for its shape and ranks",
                            request->function);
        like = mnp_layout_retain(given);
    } else {
        MNP_TRY(mnp__fft_layout_like(layout, shape, &like));
    }
    const mnp_status st = mnp__layout_in_c_order(like, &result);
    mnp_layout_free(like);
    if (st == MNP_OK)
        problem->out = result;
    return st;
}

mnp_status mnp__fft_resolve(const mnp__fft_request *request, mnp_dtype dtype, const mnp_layout *layout,
                            mnp__fft_problem *problem)
{
    *problem = (mnp__fft_problem){.kind = request->kind,
                                  .inverse = request->inverse || request->kind == MNP__FFT_TO_REAL,
                                  .permuted = request->permuted,
                                  .in = layout};
    if (mnp_layout_is_cyclic(layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the layout is block-cyclic; transforms need one of blocks",
                        request->function);
    if (request->kind == MNP__FFT_FROM_REAL && mnp_dtype_kind(dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s, and must be real", request->function, mnp_dtype_name(dtype));
    MNP_TRY(find_axes(request, layout->ndim, problem));
    MNP_TRY(find_points(request, layout, problem));
    MNP_TRY(find_scale(request, problem));
    return find_result(request, layout, problem);
}

static const int fast_primes[] = {11, 7, 5, 3, 2}; /* of real numbers the last three */

/* Multiply by the primes in any way, from the least product on. */
static void least_product(const int *primes, int count, int64_t product, int64_t target, int64_t *least)
{
    if (product >= target) {
        *least = product < *least ? product : *least;
        return;
    }
    for (int i = 0; i < count; i++)
        if (product <= *least / primes[i])
            least_product(primes + i, count - i, product * primes[i], target, least);
}

/* Multiply by the primes in any way, up to the greatest product that is not above the target. */
static void greatest_product(const int *primes, int count, int64_t product, int64_t target, int64_t *greatest)
{
    *greatest = product > *greatest ? product : *greatest;
    for (int i = 0; i < count; i++)
        if (product <= target / primes[i])
            greatest_product(primes + i, count - i, product * primes[i], target, greatest);
}

mnp_status mnp_prev_fast_len(int64_t target, bool real, int64_t *length_p)
{
    int64_t greatest = 1;
    MNP_NEED(length_p);
    if (target < 1)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_prev_fast_len: the target is %" PRId64 ", below 1", target);
    greatest_product(fast_primes + (real ? 2 : 0), real ? 3 : 5, 1, target, &greatest);
    *length_p = greatest;
    return MNP_OK;
}

mnp_status mnp_next_fast_len(int64_t target, bool real, int64_t *length_p)
{
    int64_t least = INT64_MAX;
    MNP_NEED(length_p);
    if (target < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_next_fast_len: the target is %" PRId64 ", negative", target);
    if (target < 2) {
        *length_p = target;
        return MNP_OK;
    }
    least_product(fast_primes + (real ? 2 : 0), real ? 3 : 5, 1, target, &least);
    if (least == INT64_MAX)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_next_fast_len: no int64 of %" PRId64 " or more has small factors alone",
                        target);
    *length_p = least;
    return MNP_OK;
}
