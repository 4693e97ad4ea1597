/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution: plans, and their execution by direct summation, with borders exchanged while the interior is computed.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/input.h"
#include "array/move/mover.h"
#include "array/output.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/value.h"
#include "signal/geometry.h"
#include "signal/tile.h"

struct mnp_conv_plan {
    unsigned tag; /* MNP__TAG_conv_plan: see base/call.h */
    mnp_ctx *ctx;
    mnp__conv_geometry geometry;
    mnp__conv_share share;
    mnp_dtype input, output, sum;
    bool correlates;
    mnp__conv_tile tile;
    mnp__kernel *kernel;
    mnp__mover *mover;
    void *ring, *taps, *tiles; /* device memory; tiles: those that need nothing from other ranks first */
    int64_t first_tiles, other_tiles;
    int64_t inner_offset; /* of the inner part in the block, in elements */
    mnp_conv_params params;
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
static void lay_out_taps(const mnp_conv_plan *plan, const mnp_array *array, const char *kernel, char *taps)
{
    const mnp__conv_geometry *geometry = &plan->geometry;
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
                    memcpy(taps, kernel + (size_t)(plan->correlates ? at : last - at) * size, size);
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

/* Check the taps, lay them out, and copy them to the device. */
static mnp_status upload_taps(mnp_conv_plan *plan, const mnp_array *replica)
{
    mnp_ctx *ctx = plan->ctx;
    size_t bytes = (size_t)replica->local_size * mnp_dtype_size(replica->dtype);
    char *values = NULL, *taps = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc(bytes, &values), st, done);
    MNP_TRY_OR(mnp__malloc(bytes, &taps), st, done);
    MNP_TRY_OR(mnp_array_get_local(replica, values), st, done);
    if (has_nan(replica->dtype, values, replica->local_size)) {
        st = MNP_FAIL(MNP_ERR_ARG, "the kernel has a NaN, which would make every output NaN");
        goto done;
    }
    lay_out_taps(plan, replica, values, taps);
    if (plan->correlates)
        conjugate(replica->dtype, taps, replica->local_size);
    MNP_TRY_OR(ctx->device->ops->alloc(ctx->device, bytes, &plan->taps), st, done);
    MNP_TRY_OR(ctx->device->ops->copy(ctx->device, plan->taps, taps, bytes, ctx->compute), st, done);
    st = mnp__ctx_wait(ctx, ctx->compute);
done:
    free(values);
    free(taps);
    return st;
}

static void fill_params(mnp_conv_plan *plan, const mnp_layout *input)
{
    const mnp__conv_geometry *geometry = &plan->geometry;
    const mnp__conv_share *share = &plan->share;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], in_strides[MNP_MAX_DIMS], out_strides[MNP_MAX_DIMS];
    mnp_conv_params *p = &plan->params;
    mnp_layout_box(input, plan->ctx->comm.rank, lo, extent);
    mnp__dense_strides(geometry->ndim, extent, in_strides);
    mnp_layout_box(geometry->output, plan->ctx->comm.rank, lo, extent);
    mnp__dense_strides(geometry->ndim, extent, out_strides);
    plan->inner_offset = 0;
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        int d = geometry->order[j];
        p->extent[j] = d < 0 ? 1 : geometry->taps[d];
        p->out_extent[j] = share->out_extent[j];
        p->out_stride[j] = d < 0 ? 0 : out_strides[d];
        p->extended[j] = share->extended[j];
        p->low[j] = share->low[j];
        p->inner[j] = share->inner[j];
        p->block_stride[j] = d < 0 ? 0 : in_strides[d];
        p->slabs[j] = share->slabs[j];
        p->tile_grid[j] = (share->out_extent[j] + plan->tile.extent[j] - 1) / plan->tile.extent[j];
        plan->inner_offset += d < 0 ? 0 : share->inner_lo[j] * in_strides[d];
    }
}

/* Whether a tile, numbered with x fastest, needs only the rank's own block. */
static bool is_interior(const mnp_conv_plan *plan, int64_t number)
{
    const mnp_conv_params *p = &plan->params;
    for (int j = MNP_CONV_DIMS - 1; j >= 0; j--) {
        int64_t begin = number % p->tile_grid[j] * plan->tile.extent[j], end = begin + plan->tile.extent[j];
        number /= p->tile_grid[j];
        if (end > p->out_extent[j])
            end = p->out_extent[j];
        if (begin < p->low[j] || end + p->extent[j] - 1 > p->low[j] + p->inner[j])
            return false;
    }
    return true;
}

/* List the tiles, first those that can be computed before the exchange is complete. */
static mnp_status list_tiles(mnp_conv_plan *plan)
{
    mnp_ctx *ctx = plan->ctx;
    bool waits = mnp__mover_receives(plan->mover);
    int64_t total = 1, other;
    int *tiles;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        total *= plan->params.tile_grid[j];
    if (total > INT_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a block of %" PRId64 " tiles is larger than the %d that one rank "
                        "computes: use more ranks",
                        total, INT_MAX);
    size_t bytes = (size_t)total * sizeof *tiles;
    MNP_TRY(mnp__malloc(bytes, &tiles));
    plan->first_tiles = 0;
    other = total;
    for (int64_t i = 0; i < total; i++) {
        if (!waits || is_interior(plan, i))
            tiles[plan->first_tiles++] = (int)i;
        else
            tiles[--other] = (int)i;
    }
    plan->other_tiles = total - plan->first_tiles;
    mnp_status st = ctx->device->ops->alloc(ctx->device, bytes, &plan->tiles);
    if (st == MNP_OK)
        st = ctx->device->ops->copy(ctx->device, plan->tiles, tiles, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    free(tiles);
    return st;
}

/* The steps that can fail on one rank alone. */
static mnp_status prepare(mnp_conv_plan *plan, const mnp_array *replica, const void *fill)
{
    mnp_ctx *ctx = plan->ctx;
    size_t ring_bytes = (size_t)plan->share.ring_size * mnp_dtype_size(plan->input);
    MNP_TRY(upload_taps(plan, replica));
    MNP_TRY(ctx->device->ops->alloc(ctx->device, ring_bytes, &plan->ring));
    MNP_TRY(mnp__mover_fill(plan->mover, plan->ring, fill));
    fill_params(plan, plan->geometry.input);
    return list_tiles(plan);
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
                          const mnp_conv_options *options, void *fill)
{
    mnp_ctx *ctx = plan->ctx;
    bool fills = options->mode != MNP_CONV_VALID && options->boundary == MNP_BOUNDARY_FILL;
    MNP_TRY(mnp__array_check(ctx, plan->input, layout));
    MNP_TRY(check_options(options));
    MNP_TRY(choose_dtypes(plan->input, kernel->dtype, options->dtype, &plan->output, &plan->sum));
    MNP_TRY(encode_fill(fills ? options->fillvalue : 0, plan->input, fill));
    MNP_TRY(mnp__conv_geometry_new(layout, kernel->layout->ndim, kernel->layout->shape, options, &plan->geometry));
    mnp__conv_share_of(&plan->geometry, ctx->comm.rank, &plan->share);
    mnp__conv_tile_choose(&plan->geometry, plan->sum, ctx->device->block_memory, &plan->tile);
    return MNP_OK;
}

static mnp_status load_kernel(mnp_conv_plan *plan)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__conv_tile_defines(&plan->tile, plan->input, plan->output, plan->sum, &defines);
    mnp__kernel_spec spec = {
        .file = "signal/conv_direct.cu", .function = "conv_direct", .shared_bytes = plan->tile.shared_bytes};
    return mnp__ctx_kernel_of_text(plan->ctx, &spec, &defines, NULL, &plan->kernel);
}

/* The collective part of planning. */
static mnp_status build(mnp_conv_plan *plan, const mnp_array *kernel, const mnp_conv_options *options, const void *fill)
{
    mnp_ctx *ctx = plan->ctx;
    mnp_boundary boundaries[MNP_MAX_DIMS];
    mnp_array *replica = NULL;
    mnp_status st;
    /* in mode valid, zeros stand where a larger kernel reaches beyond the input */
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        boundaries[d] = options->mode == MNP_CONV_VALID ? MNP_BOUNDARY_FILL : options->boundary;
    MNP_TRY(load_kernel(plan));
    const mnp__move_spec ring = {.dtype = plan->input,
                                 .layout = plan->geometry.input,
                                 .boundaries = boundaries,
                                 .wants = mnp__conv_wants,
                                 .argument = &plan->geometry};
    MNP_TRY(mnp__mover_new(ctx, &ring, &plan->mover));
    MNP_TRY(replicate_kernel(ctx, kernel, plan->sum, &replica));
    st = MNP_AGREE(ctx, prepare(plan, replica, fill));
    mnp_array_free(replica);
    return st;
}

mnp_status mnp_conv_plan_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const mnp_array *kernel,
                             const mnp_conv_options *options, mnp_conv_plan **plan_p)
{
    MNP_ENTER(ctx, layout, kernel, plan_p);
    const mnp_conv_options defaults = {0};
    mnp_conv_plan *plan = NULL;
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
        plan->correlates = options->correlate;
        ctx->live_plans++;
        st = resolve(plan, layout, kernel, options, fill);
    }
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    MNP_TRY_OR(mnp__check_same(&ctx->comm, "mnp_conv_plan_new", hash_arguments(dtype, layout, kernel, options)), st,
               fail);
    MNP_TRY_OR(build(plan, kernel, options, fill), st, fail);
    *plan_p = plan;
    return MNP_OK;
fail:
    mnp_conv_plan_free(plan);
    return st;
}

void mnp_conv_plan_free(mnp_conv_plan *plan)
{
    if (!plan)
        return;
    MNP_NEED_OR(, plan);
    mnp_ctx *ctx = plan->ctx;
    ctx->live_plans--;
    ctx->device->ops->free(ctx->device, plan->ring);
    ctx->device->ops->free(ctx->device, plan->taps);
    ctx->device->ops->free(ctx->device, plan->tiles);
    mnp__mover_free(plan->mover);
    mnp__conv_geometry_free(&plan->geometry);
    mnp__object_free(plan);
}

/* Compute `count` tiles of the list from number `first` on. */
static mnp_status compute(mnp_conv_plan *plan, mnp_conv_params *params, int64_t first, int64_t count)
{
    mnp_ctx *ctx = plan->ctx;
    mnp__launch launch = {.grid = {(unsigned)count, 1, 1}, .block = {plan->tile.threads, 1, 1}, .divisible = true};
    if (count == 0)
        return MNP_OK;
    const double all = (double)(plan->first_tiles + plan->other_tiles);
    params->tiles = (const int *)plan->tiles + first;
    params->ntiles = count;
    mnp__device_tell_part(ctx->device, (double)first / all, (double)(first + count) / all);
    mnp_status st = ctx->device->ops->launch(ctx->device, plan->kernel, &launch, params, sizeof *params, ctx->compute);
    mnp__device_tell_part(ctx->device, 0, 1);
    return st;
}

/* Compute the tiles that need nothing from other ranks, while messages are under way. */
static mnp_status compute_first(mnp_conv_plan *plan, mnp_conv_params *params)
{
    const int64_t parts = mnp__mover_needs_help(plan->mover) ? 16 : 1;
    for (int64_t i = 0; i < parts; i++) {
        int64_t begin = plan->first_tiles * i / parts, end = plan->first_tiles * (i + 1) / parts;
        MNP_TRY(compute(plan, params, begin, end - begin));
        if (parts > 1)
            MNP_TRY(mnp__mover_help(plan->mover));
    }
    return MNP_OK;
}

static mnp_status run(mnp_conv_plan *plan, const mnp_array *x, mnp_array *y)
{
    mnp_conv_params params = plan->params;
    params.block = (const char *)x->data + plan->inner_offset * (int64_t)mnp_dtype_size(plan->input);
    params.ring = plan->ring;
    params.taps = plan->taps;
    params.out = y->data;
    MNP_TRY(mnp__mover_begin(plan->mover, x->data, plan->ring));
    MNP_TRY(compute_first(plan, &params));
    MNP_TRY(mnp__mover_finish(plan->mover, plan->ring));
    return compute(plan, &params, plan->first_tiles, plan->other_tiles);
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
    if (!mnp_layout_equal(x->layout, plan->geometry.input))
        return MNP_FAIL(MNP_ERR_ARG, "the input has another shape or layout than the one the plan was made for");
    const mnp__output_spec spec = {.function = "a convolution",
                                   .ctx = plan->ctx,
                                   .dtype = plan->output,
                                   .layout = plan->geometry.output,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    MNP_TRY(mnp__output_open(&spec, y_p, &output));
    const bool shares = x->buffer == output.array->buffer; /* elements must not be overwritten before they are read */
    mnp_status st = mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE | (shares ? MNP__INPUT_COPY : 0), &input);
    if (st == MNP_OK)
        st = run(plan, input.array, output.array);
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
