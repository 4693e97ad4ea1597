/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution: the public functions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/input.h"
#include "array/output.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/value.h"
#include "signal/direct.h"
#include "signal/geometry.h"

struct mnp_conv_plan {
    unsigned tag; /* MNP__TAG_conv_plan: see base/call.h */
    mnp_ctx *ctx;
    mnp_layout *in, *out;
    mnp_dtype input, output, sum;
    mnp__direct *direct;
};

static bool is_integer(mnp_dtype dtype)
{
    return strchr("biu", mnp_dtype_kind(dtype)) != NULL;
}

/* The result's dtype, and the one that sums are kept in. */
static mnp_status choose_dtypes(mnp_dtype input, mnp_dtype kernel, mnp_dtype wish, mnp_dtype *output_p,
                                mnp_dtype *sum_p)
{
    bool is_complex = mnp_dtype_kind(input) == 'c' || mnp_dtype_kind(kernel) == 'c';
    mnp_dtype output = wish;
    if (wish == MNP_DTYPE_AUTO) {
        output = is_integer(input) ? MNP_FLOAT32 : input;
        if (is_complex && mnp_dtype_kind(output) != 'c')
            output = output == MNP_FLOAT64 ? MNP_COMPLEX128 : MNP_COMPLEX64;
    }
    if (mnp_dtype_size(output) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a dtype", (int)output);
    if (is_complex && mnp_dtype_kind(output) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "a result of dtype %s cannot hold the convolution of %s with %s, which is complex",
                        mnp_dtype_name(output), mnp_dtype_name(input), mnp_dtype_name(kernel));
    *output_p = output;
    if (is_integer(output))
        *sum_p = is_integer(input) && is_integer(kernel) ? MNP_UINT64 : MNP_FLOAT64;
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

static bool has_nan(mnp_dtype dtype, const void *values, int64_t count)
{
    bool found = false;
    int64_t reals = mnp_dtype_kind(dtype) == 'c' ? 2 * count : count;
    if (dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64) {
        for (int64_t i = 0; i < reals; i++)
            found = found || isnan(((const float *)values)[i]);
    } else if (dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX128) {
        for (int64_t i = 0; i < reals; i++)
            found = found || isnan(((const double *)values)[i]);
    }
    return found;
}

/* Replace numbers by their complex conjugates. */
static void conjugate(mnp_dtype dtype, void *values, int64_t count)
{
    for (int64_t i = 0; dtype == MNP_COMPLEX64 && i < count; i++)
        ((float *)values)[2 * i + 1] *= -1;
    for (int64_t i = 0; dtype == MNP_COMPLEX128 && i < count; i++)
        ((double *)values)[2 * i + 1] *= -1;
}

/*
 * Lay out the kernel, dense in C order at `kernel`, in the order of the kernel code's dimensions, and reversed.  A
 * correlation is the convolution with the reversed and conjugated kernel, so it takes the kernel's elements as they lie.
 */
static void lay_out_taps(const mnp__conv_geometry *geometry, bool correlates, const mnp_array *array,
                         const char *kernel, char *taps)
{
    size_t size = mnp_dtype_size(array->dtype);
    int64_t strides[MNP_MAX_DIMS], extent[MNP_CONV_DIMS], stride[MNP_CONV_DIMS], last = 0;
    mnp__dense_strides(array->layout->ndim, array->layout->shape, strides);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        int d = geometry->order[j], k = d < 0 ? -1 : geometry->kernel_dim[d];
        extent[j] = k < 0 ? 1 : geometry->taps[d];
        stride[j] = k < 0 ? 0 : strides[k];
        last += (extent[j] - 1) * stride[j];
    }
    for (int64_t a = 0; a < extent[0]; a++)
        for (int64_t b = 0; b < extent[1]; b++)
            for (int64_t y = 0; y < extent[2]; y++)
                for (int64_t x = 0; x < extent[3]; x++, taps += size) {
                    const int64_t at = a * stride[0] + b * stride[1] + y * stride[2] + x * stride[3];
                    memcpy(taps, kernel + (size_t)(correlates ? at : last - at) * size, size);
                }
}

/* Gather the kernel on every rank, in the type of the sums.  Collective. */
static mnp_status replicate_kernel(mnp_ctx *ctx, const mnp_array *kernel, mnp_dtype sum, mnp_array **replica_p)
{
    mnp_layout *layout;
    mnp_array *whole = NULL;
    MNP_TRY(mnp_layout_replicated(ctx->comm.size, kernel->layout->ndim, kernel->layout->shape, &layout));
    mnp_status st = mnp_redistribute(kernel, layout, &whole);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = mnp_astype(whole, sum, replica_p);
    mnp_array_free(whole);
    return st;
}

/* A hash of the arguments of mnp_conv_plan_new(). */
static uint64_t hash_arguments(mnp_dtype dtype, const mnp_layout *layout, const mnp_array *kernel,
                               const mnp_conv_options *options)
{
    const int values[] = {(int)dtype,          (int)kernel->dtype, (int)options->mode, (int)options->boundary,
                          (int)options->dtype, options->naxes,     options->correlate};
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
    if (options->naxes < 0 || (options->naxes > 0 && !options->axes))
        return MNP_FAIL(MNP_ERR_ARG, "naxes is %d, and axes is %s", options->naxes, options->axes ? "given" : "NULL");
    return MNP_OK;
}

/* The part of planning that needs no other rank.  The fill value is stored in `fill`, as an element. */
static mnp_status resolve(mnp_conv_plan *plan, const mnp_layout *layout, const mnp_array *kernel,
                          const mnp_conv_options *options, mnp__conv_geometry *geometry, void *fill)
{
    bool fills = options->mode != MNP_CONV_VALID && options->boundary == MNP_BOUNDARY_FILL;
    MNP_TRY(mnp__array_check(plan->ctx, plan->input, layout));
    MNP_TRY(check_options(options));
    MNP_TRY(choose_dtypes(plan->input, kernel->dtype, options->dtype, &plan->output, &plan->sum));
    MNP_TRY(encode_fill(fills ? options->fillvalue : 0, plan->input, fill));
    MNP_TRY(mnp__conv_geometry_new(layout, kernel->layout->ndim, kernel->layout->shape, options, geometry));
    plan->in = mnp_layout_retain(geometry->input);
    plan->out = mnp_layout_retain(geometry->output);
    return MNP_OK;
}

/* Read the replica of the kernel, check it, and lay it out.  *taps_p is to be freed. */
static mnp_status read_taps(const mnp__conv_geometry *geometry, const mnp_conv_options *options,
                            const mnp_array *replica, char **taps_p)
{
    size_t bytes = (size_t)replica->local_size * mnp_dtype_size(replica->dtype);
    char *values = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc(bytes, &values), st, done);
    MNP_TRY_OR(mnp__malloc(bytes, taps_p), st, done);
    MNP_TRY_OR(mnp_array_get_local(replica, values), st, done);
    if (has_nan(replica->dtype, values, replica->local_size)) {
        st = MNP_FAIL(MNP_ERR_ARG, "the kernel has a NaN, which would make every output NaN");
        goto done;
    }
    lay_out_taps(geometry, options->correlate, replica, values, *taps_p);
    if (options->correlate)
        conjugate(replica->dtype, *taps_p, replica->local_size);
done:
    free(values);
    return st;
}

/* The collective part of planning. */
static mnp_status build(mnp_conv_plan *plan, const mnp_array *kernel, const mnp_conv_options *options,
                        mnp__conv_geometry *geometry, const void *fill)
{
    mnp_ctx *ctx = plan->ctx;
    mnp_boundary boundaries[MNP_MAX_DIMS];
    mnp_array *replica = NULL;
    char *taps = NULL;
    /* in mode valid, zeros stand where a larger kernel reaches beyond the input */
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        boundaries[d] = options->mode == MNP_CONV_VALID ? MNP_BOUNDARY_FILL : options->boundary;
    MNP_TRY(replicate_kernel(ctx, kernel, plan->sum, &replica));
    mnp_status st = MNP_AGREE(ctx, read_taps(geometry, options, replica, &taps));
    mnp_array_free(replica);
    if (st == MNP_OK) {
        const mnp__direct_spec spec = {.input = plan->input,
                                       .output = plan->output,
                                       .sum = plan->sum,
                                       .boundaries = boundaries,
                                       .fill = fill,
                                       .taps = taps};
        st = mnp__direct_new(ctx, geometry, &spec, &plan->direct);
    }
    free(taps);
    return st;
}

mnp_status mnp_conv_plan_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const mnp_array *kernel,
                             const mnp_conv_options *options, mnp_conv_plan **plan_p)
{
    MNP_ENTER(ctx, layout, kernel, plan_p);
    const mnp_conv_options defaults = {0};
    mnp_conv_plan *plan = NULL;
    mnp__conv_geometry geometry = {0};
    unsigned char fill[16] = {0};
    options = options ? options : &defaults;
    if (mnp_layout_is_cyclic(layout))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_conv_plan_new: the input is spread block-cyclically; bring it to a layout of "
                                     "blocks first, with mnp_redistribute()");
    mnp_status st = mnp__calloc(1, sizeof *plan, &plan);
    if (st == MNP_OK) {
        plan->tag = MNP__TAG_conv_plan;
        plan->ctx = ctx;
        plan->input = dtype;
        mnp__ctx_made(ctx, plan);
        st = resolve(plan, layout, kernel, options, &geometry, fill);
    }
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    MNP_TRY_OR(mnp__check_same(&ctx->comm, "mnp_conv_plan_new", hash_arguments(dtype, layout, kernel, options)), st,
               fail);
    MNP_TRY_OR(build(plan, kernel, options, &geometry, fill), st, fail);
    *plan_p = plan;
    return MNP_OK;
fail:
    mnp__conv_geometry_free(&geometry);
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
    mnp_layout_free(plan->in);
    mnp_layout_free(plan->out);
    mnp__object_free(plan);
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
        st = mnp__direct_run(plan->direct, input.array->data, output.array->data);
    mnp__input_close(&input);
    return mnp__output_close(1, &output, st);
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
