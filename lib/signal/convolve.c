/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution: the public functions.
 */
#include <maniple/reduce.h>
#include <maniple/ufunc.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/input.h"
#include "array/output.h"
#include "base/dtype.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/value.h"
#include "signal/blocks.h"
#include "signal/direct.h"
#include "signal/method.h"
#include "signal/separable.h"
#include "signal/terms.h"
#include "signal/whole.h"

struct mnp_conv_plan {
    unsigned tag; /* MNP__TAG_conv_plan: see base/call.h */
    mnp_ctx *ctx;
    mnp_layout *in, *out;
    mnp_dtype input, output, sum;
    mnp_conv_plan_info info;
    /* the one of the method is not NULL */
    mnp__direct *direct;
    mnp__separable *separable;
    mnp__terms *terms;
    mnp__blocks *blocks;
    mnp__whole *whole;
};

/* The result's dtype, and the one that sums are kept in. */
static mnp_status choose_dtypes(mnp_dtype input, mnp_dtype kernel, mnp_dtype wish, mnp_dtype *output_p,
                                mnp_dtype *sum_p)
{
    bool is_complex = mnp_dtype_kind(input) == 'c' || mnp_dtype_kind(kernel) == 'c';
    mnp_dtype output = wish;
    if (wish == MNP_DTYPE_AUTO) {
        output = mnp__dtype_is_integral(input) ? MNP_FLOAT32 : input;
        if (is_complex && mnp_dtype_kind(output) != 'c')
            output = output == MNP_FLOAT64 ? MNP_COMPLEX128 : MNP_COMPLEX64;
    }
    if (mnp_dtype_size(output) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a dtype", (int)output);
    if (is_complex && mnp_dtype_kind(output) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "a result of dtype %s cannot hold the convolution of %s with %s, which is complex",
                        mnp_dtype_name(output), mnp_dtype_name(input), mnp_dtype_name(kernel));
    *output_p = output;
    if (mnp__dtype_is_integral(output))
        *sum_p = mnp__dtype_is_integral(input) && mnp__dtype_is_integral(kernel) ? MNP_UINT64 : MNP_FLOAT64;
    else
        *sum_p = mnp_dtype_size(output) == 2 ? MNP_FLOAT32 : output;
    return MNP_OK;
}

/* The fill value as an element of `dtype`, which must be able to hold it. */
static mnp_status encode_fill(double value, mnp_dtype dtype, void *element)
{
    if (!mnp__number_fits(value, dtype))
        return MNP_FAIL(MNP_ERR_ARG, "fillvalue is %g, which the input's dtype %s cannot hold", value,
                        mnp_dtype_name(dtype));
    mnp__value_write(&(mnp__value){.kind = 'f', .re = value}, dtype, element);
    return MNP_OK;
}

/* A hash of the arguments of mnp_conv_plan_new(). */
static uint64_t hash_arguments(mnp_dtype dtype, const mnp_layout *layout, const mnp_array *kernel,
                               const mnp_conv_options *options)
{
    const int values[] = {(int)dtype,          (int)kernel->dtype, (int)options->mode, (int)options->boundary,
                          (int)options->dtype, options->naxes,     options->correlate, (int)options->method};
    const uint64_t layouts[] = {mnp__layout_hash(layout), mnp__layout_hash(kernel->layout)};
    uint64_t hash = mnp__hash(MNP__HASH_START, layouts, sizeof layouts);
    hash = mnp__hash(hash, values, sizeof values);
    hash = mnp__hash(hash, &options->fillvalue, sizeof options->fillvalue);
    return mnp__hash(hash, options->axes, (size_t)options->naxes * sizeof(int));
}

static mnp_status check_options(const mnp_conv_options *options)
{
    if ((int)options->mode < 0 || options->mode > MNP_CONV_VALID)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a mode of a convolution", (int)options->mode);
    if ((int)options->boundary < 0 || options->boundary > MNP_BOUNDARY_NEAREST)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a boundary", (int)options->boundary);
    if ((int)options->method < 0 || options->method >= MNP_NUM_CONV_METHODS)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a method of a convolution", (int)options->method);
    if (options->naxes < 0 || (options->naxes > 0 && !options->axes))
        return MNP_FAIL(MNP_ERR_ARG, "naxes is %d, and axes is %s", options->naxes, options->axes ? "given" : "NULL");
    return MNP_OK;
}

/* ---- methods ---- */

static bool by_transforms(mnp_conv_method method)
{
    return method == MNP_CONV_TRANSFORMS || method == MNP_CONV_FFT || method == MNP_CONV_OVERLAP_ADD;
}

/* What all methods are made of. */
typedef struct recipe {
    mnp__conv_geometry geometry; /* a method takes it over */
    const mnp_conv_options *options;
    mnp_boundary boundaries[MNP_MAX_DIMS];
    unsigned char fill[16];
    mnp_array *taps;       /* every rank has all: see lay_out_taps() */
    char *values;          /* the same on the CPU, if something has read them there */
    int rank;              /* how many outer products the kernel is known to be the sum of; 0: no few */
    double *factors;       /* their vectors; see terms.h */
    bool lacks_transforms; /* there is a rank without a library for them */
} recipe;

/* What the fill value is: nothing in mode valid, where zeros stand where a larger kernel reaches beyond the input. */
static double fill_of(const mnp_conv_options *options)
{
    return options->mode != MNP_CONV_VALID && options->boundary == MNP_BOUNDARY_FILL ? options->fillvalue : 0;
}

static int64_t taps_along(const mnp__conv_geometry *geometry, int j)
{
    return geometry->order[j] < 0 ? 1 : geometry->taps[geometry->order[j]];
}

/* ---- the kernel ---- */

/*
 * Lay out the taps of all of the kernel on every rank, in device memory and in the type of the sums: dense in the order
 * of the kernel code's dimensions, and reversed.  A correlation is the convolution with the reversed and conjugated
 * kernel, so it takes the kernel's elements as they lie.  Collective.
 */
static mnp_status lay_out_taps(const mnp_conv_plan *plan, const mnp_array *kernel, recipe *r)
{
    mnp_ctx *ctx = plan->ctx;
    const mnp__conv_geometry *geometry = &r->geometry;
    int64_t extent[MNP_CONV_DIMS], stride[MNP_CONV_DIMS], first = 0;
    mnp__input input;
    mnp_layout *layout = NULL;
    mnp_array *view = NULL;
    mnp_status st;
    MNP_TRY(mnp__input_open_everywhere(kernel, MNP_DTYPE_AUTO, 0, &input));
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = geometry->order[j], k = d < 0 ? -1 : geometry->kernel_dim[d];
        extent[j] = taps_along(geometry, j);
        stride[j] = k < 0 ? 0 : input.array->local_strides[k];
        if (!r->options->correlate) {
            first += (extent[j] - 1) * stride[j];
            stride[j] *= -1;
        }
    }
    char *data = (char *)input.array->data + first * (int64_t)mnp_dtype_size(kernel->dtype);
    st = mnp_layout_replicated(ctx->comm.size, MNP_CONV_DIMS, extent, &layout);
    if (st == MNP_OK)
        st = mnp__array_view(input.array, kernel->dtype, layout, data, stride, &view);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp_array_new_order(ctx, plan->sum, layout, MNP_ORDER_C, &r->taps), st, done);
    MNP_TRY_OR(mnp__array_assign(view, r->taps), st, done);
    if (r->options->correlate && mnp_dtype_kind(kernel->dtype) == 'c')
        st = mnp_conjugate(r->taps, &r->taps);
done:
    mnp_array_free(view);
    mnp_layout_free(layout);
    mnp__input_close(&input);
    return st;
}

/* Bring the taps to the CPU, once. */
static mnp_status read_taps(recipe *r)
{
    if (r->values)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)r->taps->local_size * mnp_dtype_size(r->taps->dtype), &r->values));
    return mnp_array_get_local(r->taps, r->values);
}

static bool has_nan(mnp_dtype dtype, const void *elements, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double value[2] = {0, 0};
        mnp__value_get(dtype, elements, i, value);
        if (isnan(value[0]) || isnan(value[1]))
            return true;
    }
    return false;
}

/* Refuse a NaN: a few taps are looked at on the CPU, of many their maximum, which takes a NaN over.  Collective. */
static mnp_status check_taps(recipe *r)
{
    enum { FEW_TAPS = 4096 };
    mnp_ctx *ctx = r->taps->ctx;
    const mnp_dtype dtype = r->taps->dtype;
    mnp_array *greatest = NULL;
    unsigned char element[16];
    bool found = false;
    mnp_status st;
    if (r->taps->local_size > FEW_TAPS) {
        MNP_TRY(mnp_max(r->taps, MNP_ALL_AXES, &greatest));
        st = mnp_array_get_local(greatest, element);
        found = st == MNP_OK && has_nan(dtype, element, 1);
        mnp_array_free(greatest);
    } else {
        st = read_taps(r);
        found = st == MNP_OK && has_nan(dtype, r->values, r->taps->local_size);
    }
    if (found)
        st = MNP_FAIL(MNP_ERR_ARG, "the kernel has a NaN, which would make every output NaN");
    return MNP_AGREE(ctx, st);
}

/* The part of planning that needs no other rank. */
static mnp_status resolve(mnp_conv_plan *plan, const mnp_layout *layout, const mnp_array *kernel, recipe *r)
{
    const mnp_conv_options *options = r->options;
    MNP_TRY(mnp__array_check(plan->ctx, plan->input, layout));
    MNP_TRY(check_options(options));
    MNP_TRY(choose_dtypes(plan->input, kernel->dtype, options->dtype, &plan->output, &plan->sum));
    if (by_transforms(options->method) && plan->output == MNP_BOOL)
        return MNP_FAIL(MNP_ERR_ARG,
                        "the method %s has rounding errors, so a bool result, which tells zero from others, "
                        "takes direct",
                        mnp__conv_method_name(options->method));
    if (by_transforms(options->method) && plan->sum == MNP_UINT64)
        plan->sum = MNP_FLOAT64;
    MNP_TRY(encode_fill(fill_of(options), plan->input, r->fill));
    MNP_TRY(mnp__conv_geometry_new(layout, kernel->layout->ndim, kernel->layout->shape, options, &r->geometry));
    for (int d = 0; d < MNP_MAX_DIMS; d++) {
        r->boundaries[d] = options->mode == MNP_CONV_VALID ? MNP_BOUNDARY_FILL : options->boundary;
        plan->info.window[d] = 1;
    }
    plan->in = mnp_layout_retain(r->geometry.input);
    plan->out = mnp_layout_retain(r->geometry.output);
    return MNP_OK;
}

static mnp_status make_direct(mnp_conv_plan *plan, recipe *r)
{
    const mnp__direct_spec spec = {.input = plan->input,
                                   .output = plan->output,
                                   .sum = plan->sum,
                                   .boundaries = r->boundaries,
                                   .fill = r->fill,
                                   .taps = r->taps->data};
    return mnp__direct_new(plan->ctx, &r->geometry, &spec, &plan->direct);
}

/* Passes along the axes that have several taps, with an outer product's vectors; the vectors of the others are 1. */
static int make_passes(const recipe *r, bool is_complex, const double *factors, mnp__pass passes[MNP_CONV_DIMS])
{
    const mnp__conv_geometry *geometry = &r->geometry;
    int64_t begin = 0, length = 0;
    int npasses = 0;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        length += taps_along(geometry, j);
    for (int j = 0; j < MNP_CONV_DIMS; begin += taps_along(geometry, j++)) {
        const int d = geometry->order[j];
        const int64_t count = taps_along(geometry, j);
        if (count > 1 || (j == MNP_CONV_DIMS - 1 && npasses == 0))
            passes[npasses++] = (mnp__pass){.axis = d,
                                            .count = count,
                                            .taps = factors + begin,
                                            .imaginary = is_complex ? factors + length + begin : NULL,
                                            .first = geometry->offset[d] - (count - 1),
                                            .extent = geometry->output->shape[d],
                                            .boundary = r->boundaries[d]};
    }
    return npasses;
}

static mnp_status make_separable(mnp_conv_plan *plan, recipe *r)
{
    mnp__separable_spec specs[MNP__MOST_TERMS] = {{.npasses = 0}};
    mnp__pass passes[MNP__MOST_TERMS][MNP_CONV_DIMS];
    int64_t length = 0;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        length += taps_along(&r->geometry, j);
    for (int t = 0; t < r->rank; t++) {
        specs[t] = (mnp__separable_spec){.input = plan->input,
                                         .output = plan->output,
                                         .sum = plan->sum,
                                         .layout = plan->in,
                                         .passes = passes[t],
                                         .fillvalue = fill_of(r->options)};
        specs[t].npasses = make_passes(r, mnp_dtype_kind(plan->sum) == 'c', r->factors + 2 * t * length, passes[t]);
    }
    plan->info.rank = r->rank;
    plan->info.passes = r->rank * (specs->npasses - 1) + 1;
    return r->rank > 1 ? mnp__terms_new(plan->ctx, r->rank, specs, &plan->terms)
                       : mnp__separable_new(plan->ctx, specs, &plan->separable);
}

/* By transforms, whose sums are floats. */
static mnp_status make_transforms(mnp_conv_plan *plan, recipe *r)
{
    const bool over_ranks = plan->info.method == MNP_CONV_FFT && plan->ctx->comm.size > 1;
    const mnp__blocks_spec spec = {.input = plan->input,
                                   .output = plan->output,
                                   .sum = plan->sum,
                                   .boundaries = r->boundaries,
                                   .fill = r->fill,
                                   .taps = r->taps,
                                   .whole = plan->info.method == MNP_CONV_FFT};
    mnp__blocks_shape shape;
    mnp__blocks_choose(plan->ctx, &r->geometry, spec.whole, &shape);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        const int d = r->geometry.order[j];
        if (d >= 0 && shape.transformed[j])
            plan->info.window[d] = over_ranks ? mnp__whole_length(&r->geometry, d) : shape.window[j];
    }
    return over_ranks ? mnp__whole_new(plan->ctx, &r->geometry, &spec, &plan->whole)
                      : mnp__blocks_new(plan->ctx, &r->geometry, &spec, &plan->blocks);
}

/* The time of every method that can be used, with a kernel of that rank. */
static void estimate_of_rank(mnp_conv_plan *plan, const recipe *r, int rank)
{
    double *seconds = plan->info.seconds;
    mnp__conv_estimate(plan->ctx, &r->geometry, plan->input, plan->output, plan->sum, rank, seconds);
    if (r->lacks_transforms || (mnp__dtype_is_integral(plan->output) && !by_transforms(r->options->method)))
        seconds[MNP_CONV_FFT] = seconds[MNP_CONV_OVERLAP_ADD] = -1;
}

/*
 * How many outer products are worth being looked for, which is done on the CPU: as many as would be the fastest method,
 * or, where that is asked for by name, as many as it takes; see terms.h.
 */
static int useful_rank(mnp_conv_plan *plan, const recipe *r)
{
    const int most = r->geometry.ndim == MNP_CONV_DIMS || fill_of(r->options) != 0 ? 1 : MNP__MOST_TERMS;
    int rank = r->options->method == MNP_CONV_SEPARABLE ? most : 0;
    for (; r->options->method == MNP_CONV_AUTO && rank < most; rank++) {
        estimate_of_rank(plan, r, rank + 1);
        if (mnp__conv_fastest(plan->info.seconds) != MNP_CONV_SEPARABLE)
            break;
    }
    return rank;
}

/* Look for at most so many outer products. */
static mnp_status find_products(const mnp_conv_plan *plan, recipe *r, int most)
{
    free(r->factors); /* of a look before it was known that a rank has no transforms */
    r->factors = NULL;
    MNP_TRY(read_taps(r));
    return mnp__factor(plan->sum, r->taps->local_shape, r->values, most, &r->factors, &r->rank);
}

/*
 * Estimate the time of every method that can be used.  Sums of integers are exact unless transforms are asked for by
 * name; then the taps are read as float64.  Collective.
 */
static mnp_status estimate(mnp_conv_plan *plan, recipe *r)
{
    const mnp_conv_method wish = r->options->method;
    const int most = useful_rank(plan, r);
    if (most > 0)
        MNP_TRY(MNP_AGREE(plan->ctx, find_products(plan, r, most)));
    estimate_of_rank(plan, r, r->rank > 0 ? r->rank : 1);
    if (r->rank == 0 && wish != MNP_CONV_DIRECT)
        plan->info.seconds[MNP_CONV_SEPARABLE] = -1;
    if (wish == MNP_CONV_SEPARABLE && r->rank == 0)
        return MNP_FAIL(MNP_ERR_ARG, "the method is separable, but the kernel is not an outer product of %s%s",
                        plan->sum == MNP_UINT64 ? "integer vectors" : "vectors",
                        most > 1 ? ", nor the sum of a few"
                                 : ", which it must be for an array of 4 dimensions or a fillvalue that is not 0");
    return MNP_OK;
}

static mnp_conv_method faster_transforms(const double *seconds)
{
    const double whole = seconds[MNP_CONV_FFT], blocks = seconds[MNP_CONV_OVERLAP_ADD];
    return whole >= 0 && (blocks < 0 || whole < blocks) ? MNP_CONV_FFT : MNP_CONV_OVERLAP_ADD;
}

/* Choose the method; transforms that nobody asked for only where all ranks have a library for them.  Collective. */
static mnp_status choose(mnp_conv_plan *plan, recipe *r)
{
    mnp_conv_plan_info *info = &plan->info;
    const mnp_conv_method wish = r->options->method;
    mnp__device *device = plan->ctx->device;
    info->method = wish == MNP_CONV_AUTO         ? mnp__conv_fastest(info->seconds)
                   : wish == MNP_CONV_TRANSFORMS ? faster_transforms(info->seconds)
                                                 : wish;
    if (wish == MNP_CONV_AUTO && by_transforms(info->method)) {
        const bool is_double = mnp__dtype_is_double(plan->sum);
        int missing = device->ops->fft_load(device, is_double) != MNP_OK;
        MNP_TRY(mnp__all_reduce(&plan->ctx->comm, &missing, 1, MPI_INT, MPI_MAX));
        if (missing) {
            r->lacks_transforms = true;
            MNP_TRY(estimate(plan, r));
            info->method = mnp__conv_fastest(info->seconds);
        }
    }
    info->name = mnp__conv_method_name(info->method);
    return MNP_OK;
}

static mnp_status make(mnp_conv_plan *plan, recipe *r)
{
    switch (plan->info.method) {
    case MNP_CONV_SEPARABLE:
        return make_separable(plan, r);
    case MNP_CONV_FFT:
    case MNP_CONV_OVERLAP_ADD:
        return make_transforms(plan, r);
    default:
        return make_direct(plan, r);
    }
}

/* Where there is not enough memory for the planes of several products, which no other method has.  Collective. */
static mnp_status make_without_terms(mnp_conv_plan *plan, recipe *r)
{
    r->rank = plan->info.rank = plan->info.passes = 0;
    plan->info.seconds[MNP_CONV_SEPARABLE] = -1;
    MNP_TRY(choose(plan, r));
    return make(plan, r);
}

/* A plan that knows its method, and what is needed to make it.  Both are to be freed, also after a failure. */
static mnp_status begin(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const mnp_array *kernel,
                        const mnp_conv_options *options, recipe *r, mnp_conv_plan **plan_p)
{
    static const mnp_conv_options defaults = {0};
    r->options = options ? options : &defaults;
    if (mnp_layout_is_cyclic(layout))
        return MNP_FAIL(MNP_ERR_ARG, "the input is spread block-cyclically; bring it to a layout of blocks first, with "
                                     "mnp_redistribute()");
    mnp_conv_plan *plan;
    mnp_status st = mnp__calloc(1, sizeof *plan, &plan);
    if (st == MNP_OK) {
        *plan_p = plan;
        plan->tag = MNP__TAG_conv_plan;
        plan->ctx = ctx;
        plan->input = dtype;
        mnp__ctx_made(ctx, plan);
        st = resolve(plan, layout, kernel, r);
    }
    MNP_TRY(MNP_AGREE(ctx, st));
    MNP_TRY(mnp__check_same(&ctx->comm, "a convolution", hash_arguments(dtype, layout, kernel, r->options)));
    MNP_TRY(lay_out_taps(plan, kernel, r));
    if (!mnp__dtype_is_integral(kernel->dtype))
        MNP_TRY(check_taps(r));
    MNP_TRY(estimate(plan, r));
    return choose(plan, r);
}

static void recipe_free(recipe *r)
{
    mnp__conv_geometry_free(&r->geometry);
    mnp_array_free(r->taps);
    free(r->values);
    free(r->factors);
}

mnp_status mnp_conv_plan_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const mnp_array *kernel,
                             const mnp_conv_options *options, mnp_conv_plan **plan_p)
{
    MNP_ENTER(ctx, layout, kernel, plan_p);
    mnp_conv_plan *plan = NULL;
    recipe r = {0};
    mnp_status st = begin(ctx, dtype, layout, kernel, options, &r, &plan);
    if (st == MNP_OK) {
        const bool may_change = r.rank > 1 && r.options->method == MNP_CONV_AUTO;
        st = make(plan, &r);
        if (st != MNP_OK && may_change && plan->info.method == MNP_CONV_SEPARABLE)
            st = make_without_terms(plan, &r);
    }
    recipe_free(&r);
    if (st == MNP_OK)
        *plan_p = plan;
    else
        mnp_conv_plan_free(plan);
    return st;
}

mnp_status mnp_choose_conv_method(const mnp_array *x, const mnp_array *kernel, const mnp_conv_options *options,
                                  mnp_conv_method *method_p)
{
    MNP_ENTER(x, kernel, method_p);
    mnp_conv_plan *plan = NULL;
    recipe r = {0};
    const mnp_status st = begin(x->ctx, x->dtype, x->layout, kernel, options, &r, &plan);
    if (st == MNP_OK)
        *method_p = plan->info.method;
    recipe_free(&r);
    mnp_conv_plan_free(plan);
    return st;
}

void mnp_conv_plan_free(mnp_conv_plan *plan)
{
    if (!plan)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, plan);
    mnp__ctx_gone(plan->ctx, plan);
    mnp__direct_free(plan->direct);
    mnp__separable_free(plan->separable);
    mnp__terms_free(plan->terms);
    mnp__blocks_free(plan->blocks);
    mnp__whole_free(plan->whole);
    mnp_layout_free(plan->in);
    mnp_layout_free(plan->out);
    mnp__object_free(plan);
}

static mnp_status run(mnp_conv_plan *plan, const mnp_array *x, mnp_array *y)
{
    if (plan->separable)
        return mnp__separable_run(plan->separable, x, y);
    if (plan->terms)
        return mnp__terms_run(plan->terms, x, y);
    if (plan->blocks)
        return mnp__blocks_run(plan->blocks, x->data, y->data);
    return plan->whole ? mnp__whole_run(plan->whole, x, y) : mnp__direct_run(plan->direct, x->data, y->data);
}

mnp_status mnp_conv_execute(mnp_conv_plan *plan, const mnp_array *x, mnp_array **y_p)
{
    MNP_ENTER(plan, x, y_p);
    mnp__input input = {NULL, NULL};
    mnp__output output;
    if (x == *y_p)
        return MNP_FAIL(MNP_ERR_ARG, "a convolution cannot write its result over its input");
    if (x->dtype != plan->input)
        return MNP_FAIL(MNP_ERR_ARG, "the plan is for an input of %s, and this one is %s", mnp_dtype_name(plan->input),
                        mnp_dtype_name(x->dtype));
    if (!mnp_layout_equal(x->layout, plan->in))
        return MNP_FAIL(MNP_ERR_ARG, "the input has another shape or layout than the one the plan was made for");
    const mnp__output_spec spec = {.function = "a convolution",
                                   .ctx = plan->ctx,
                                   .dtype = plan->output,
                                   .layout = plan->out,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    MNP_TRY(mnp__output_open(&spec, y_p, &output));
    const bool shares = x->buffer == output.array->buffer; /* elements must not be overwritten before they are read */
    mnp_status st = mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE | (shares ? MNP__INPUT_COPY : 0), &input);
    if (st == MNP_OK)
        st = run(plan, input.array, output.array);
    mnp__input_close(&input);
    return mnp__output_close(1, &output, st);
}

void mnp_conv_plan_describe(const mnp_conv_plan *plan, mnp_conv_plan_info *info)
{
    MNP_NEED_OR(, plan);
    MNP_NEED_OR(, info);
    *info = plan->info;
}

void mnp_conv_plan_print(const mnp_conv_plan *plan, FILE *file)
{
    MNP_NEED_OR(, plan);
    MNP_NEED_OR(, file);
    const mnp_conv_plan_info *info = &plan->info;
    if (plan->ctx->comm.rank != 0)
        return;
    fprintf(file, "convolution over %d rank%s: %s", plan->ctx->comm.size, plan->ctx->comm.size == 1 ? "" : "s",
            info->name);
    if (info->method == MNP_CONV_SEPARABLE)
        fprintf(file, ", rank %d, %d pass%s", info->rank, info->passes, info->passes == 1 ? "" : "es");
    for (int d = 0; by_transforms(info->method) && d < plan->in->ndim; d++)
        fprintf(file, "%s%lld", d == 0 ? ", transforms of " : " x ", (long long)info->window[d]);
    fputs("\n  estimated milliseconds:", file);
    for (int m = MNP_CONV_DIRECT; m < MNP_NUM_CONV_METHODS; m++)
        if (info->seconds[m] >= 0)
            fprintf(file, "%s %s %.3g", m == MNP_CONV_DIRECT ? "" : ",", mnp__conv_method_name((mnp_conv_method)m),
                    1e3 * info->seconds[m]);
    fputc('\n', file);
}

mnp_status mnp_convolve(const mnp_array *x, const mnp_array *kernel, const mnp_conv_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, kernel, y_p);
    mnp_conv_plan *plan;
    mnp_array *y = *y_p;
    MNP_TRY(mnp_conv_plan_new(x->ctx, x->dtype, x->layout, kernel, options, &plan));
    mnp_status st = mnp_conv_execute(plan, x, &y);
    if (st == MNP_OK)
        st = mnp__ctx_wait(x->ctx, x->ctx->compute); /* the plan's memory goes now */
    mnp_conv_plan_free(plan);
    st = MNP_AGREE(x->ctx, st);
    return mnp__output_give(y, st, y_p);
}
