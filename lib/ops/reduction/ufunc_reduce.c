/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of ufuncs in order: x is redistributed so that lines are whole, then kernels/reduction/ufunc_reduce.cu is
 * launched once.  Its kernel is compiled once for all strides.
 */
#include "ops/reduction/ufunc_reduce.h"

#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/hash.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"

enum {
    SLOTS = 4 + MNP_MAX_DIMS + 2 * (2 + MNP_MAX_DIMS), /* 64-bit numbers of the parameter */
    THREADS = 256,                                     /* of a block on a GPU */
    MOST_BLOCKS = 1 << 20,
    WORTH_A_WORKER = 16384 /* elements, on the host */
};

/* ---- layouts ---- */

/* Make a layout in which the axis is not cut: the longest other dimension is cut, or one rank owns everything. */
static mnp_status layout_along(const mnp_layout *layout, int axis, mnp_layout **along_p)
{
    int longest = -1, axes[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++) {
        axes[d] = MNP_NO_AXIS;
        if (d != axis && layout->shape[d] > 1 && (longest < 0 || layout->shape[d] > layout->shape[longest]))
            longest = d;
    }
    if (longest < 0)
        return mnp_layout_on_root(layout->nranks, 0, layout->ndim, layout->shape, along_p);
    axes[longest] = 0;
    return mnp_layout_new(1, &layout->nranks, layout->ndim, layout->shape, axes, NULL, along_p);
}

/*
 * Open x in *along_p, a layout that does not cut the axis, so that ranks have whole lines.  If one part of the axis
 * already has everything, this is the layout of x.
 */
static mnp_status open_lines(const mnp_array *x, int axis, mnp_layout **along_p, mnp__input *lines)
{
    if (mnp_layout_parts(x->layout, axis) == 1)
        *along_p = mnp_layout_retain(x->layout);
    else
        MNP_TRY(layout_along(x->layout, axis, along_p));
    return mnp__input_open(x, *along_p, MNP_DTYPE_AUTO, 0, lines);
}

/* Make an array in that layout, but with another extent along the axis. */
static mnp_status new_beside(mnp_ctx *ctx, const mnp_layout *along, int axis, int64_t extent, mnp_dtype dtype,
                             mnp_array **made_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_layout *layout;
    for (int d = 0; d < along->ndim; d++)
        dims[d] = d == axis ? mnp__layout_dim_whole(extent) : mnp__layout_dim_of(along, d);
    MNP_TRY(mnp__layout_derive(along, along->ndim, dims, &layout));
    mnp_status st = mnp_array_new(ctx, dtype, layout, made_p);
    mnp_layout_free(layout);
    return st;
}

static mnp_status drop_axis(const mnp_array *x, int axis, mnp_array **view_p)
{
    static const int64_t first[MNP_MAX_DIMS] = {0};
    mnp__view_dim dims[MNP_MAX_DIMS];
    int ndim = 0;
    for (int d = 0; d < x->layout->ndim; d++) {
        if (d != axis)
            dims[ndim++] = mnp__view_whole(x, d);
    }
    return mnp__view_make(x, ndim, dims, first, view_p);
}

/* ---- the launch ---- */

static mnp_status load(const mnp__reduction *reduction, bool ordered, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_UFUNC_REDUCE ufunc_reduce\n#define MNP_KEPT %d\n#define MNP_ORDERED %d\n",
                  MNP_MAX_DIMS, ordered);
    mnp__text_add(&defines, "#define MNP_STEADY %d\n#define MNP_LOOKS %d\n", reduction->spec.steady,
                  reduction->spec.looks);
    mnp__kernel_spec spec = {.file = "reduction/ufunc_reduce.cu",
                             .function = "ufunc_reduce",
                             .generated = reduction->generated.source,
                             .nvrtc_options = reduction->generated.nvrtc_options,
                             .host_options = reduction->generated.host_options};
    return mnp__ctx_kernel_of_text(reduction->ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status launch(mnp__kernel *kernel, const mnp__ufunc_reduce *call, const mnp_array *x, const mnp_array *out,
                         const void *indices)
{
    mnp_ctx *ctx = x->ctx;
    uint64_t slots[SLOTS] = {0}, *slot = slots + 4;
    int64_t lines = x->local_shape[call->axis] > 0 ? x->local_size / x->local_shape[call->axis] : out->local_size;
    int64_t items = lines * (call->segments ? call->segments : 1);
    int64_t blocks = ctx->device->block_memory > 0 ? mnp__divide_up(items, THREADS)
                                                   : lines * x->local_shape[call->axis] / WORTH_A_WORKER + 1;
    if (items == 0 || out->local_size == 0)
        return MNP_OK;
    slots[0] = (uint64_t)lines;
    slots[1] = (uint64_t)x->local_shape[call->axis];
    slots[2] = (uint64_t)call->segments;
    slots[3] = (uint64_t)(uintptr_t)indices;
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        *slot++ = d < x->layout->ndim && d != call->axis ? (uint64_t)x->local_shape[d] : 1;
    for (int k = 0; k < 2; k++) {
        const mnp_array *operand = k == 0 ? x : out;
        *slot++ = (uint64_t)(uintptr_t)operand->data;
        *slot++ = (uint64_t)operand->local_strides[call->axis];
        for (int d = 0; d < MNP_MAX_DIMS; d++)
            *slot++ = d < x->layout->ndim && d != call->axis ? (uint64_t)operand->local_strides[d] : 0;
    }
    unsigned grid = (unsigned)mnp__min(blocks, MOST_BLOCKS);
    const mnp__launch how = {.grid = {grid, 1, 1}, .block = {ctx->device->block_memory > 0 ? THREADS : 1, 1, 1}};
    return ctx->device->ops->launch(ctx->device, kernel, &how, slots, sizeof slots, ctx->compute);
}

/* Copy the indices, if any, to the device and launch; all ranks agree on whether this succeeded. */
static mnp_status launch_with_indices(mnp__kernel *kernel, const mnp__ufunc_reduce *call, const mnp_array *x,
                                      const mnp_array *out)
{
    mnp_ctx *ctx = x->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    size_t size = call->indices ? (size_t)call->segments * sizeof *call->indices : 0;
    void *indices = NULL;
    mnp_status st = ops->alloc(ctx->device, size, &indices);
    if (st == MNP_OK && size > 0)
        st = ops->copy(ctx->device, indices, call->indices, size, ctx->compute);
    if (st == MNP_OK)
        st = launch(kernel, call, x, out, indices);
    if (st == MNP_OK && size > 0)
        st = mnp__ctx_wait(ctx, ctx->compute); /* the caller may change the indices after the call */
    ops->free(ctx->device, indices);
    return MNP_AGREE(ctx, st);
}

/* ---- one run ---- */

/* Find the layout that a new result should have; NULL: the one it has. */
static mnp_status natural_layout(const mnp__ufunc_reduce *call, const mnp_array *result, bool moved,
                                 mnp_layout **natural_p)
{
    const mnp_layout *layout = result->layout;
    if (call->segments == 0)
        *natural_p = mnp_layout_retain(call->x->layout);
    else if (moved)
        return mnp_layout_block(layout->nranks, layout->ndim, layout->shape, natural_p);
    return MNP_OK;
}

/* Hand the result to the user: copy it to the given array, or redistribute it to the layout of a new one. */
static mnp_status deliver(const mnp__ufunc_reduce *call, mnp_array *result, bool moved)
{
    mnp_layout *natural = NULL;
    mnp_array *brought = NULL;
    mnp_status st = MNP_OK;
    if (!*call->out_p)
        st = natural_layout(call, result, moved, &natural);
    if (natural && !mnp_layout_equal(natural, result->layout)) {
        st = mnp_redistribute(result, natural, &brought);
        mnp_array_free(result);
        result = brought;
    }
    mnp_layout_free(natural);
    return mnp__output_give(result, st, call->out_p);
}

/* Hash the arguments that must be equal on all ranks. */
static uint64_t hash(const mnp__ufunc_reduce *call)
{
    uint64_t all = mnp__hash(mnp__layout_hash(call->x->layout), &call->axis, sizeof call->axis);
    if (call->indices)
        all = mnp__hash(all, call->indices, (size_t)call->segments * sizeof *call->indices);
    return all;
}

mnp_status mnp__ufunc_reduce_run(mnp__reduction *reduction, const mnp__ufunc_reduce *call)
{
    mnp_layout *along = NULL;
    mnp__input lines = {NULL, NULL};
    mnp_array *made = NULL, *result = NULL;
    mnp_dtype stored = reduction->spec.operands[1].memory;
    int64_t extent = call->segments ? call->segments : call->x->layout->shape[call->axis];
    mnp__kernel *kernel;
    mnp_status st;
    MNP_TRY(mnp__check_same(&call->x->ctx->comm, call->function, hash(call)));
    MNP_TRY_OR(open_lines(call->x, call->axis, &along, &lines), st, done);
    MNP_TRY_OR(new_beside(call->x->ctx, along, call->axis, extent, stored, &made), st, done);
    if (call->drop)
        MNP_TRY_OR(drop_axis(made, call->axis, &result), st, done);
    const mnp__output_spec spec = {
        .function = call->function, .ctx = call->x->ctx, .dtype = stored, .layout = (result ? result : made)->layout};
    MNP_TRY_OR(mnp__output_check(&spec, *call->out_p), st, done);
    MNP_TRY_OR(load(reduction, call->ordered, &kernel), st, done);
    MNP_TRY_OR(launch_with_indices(kernel, call, lines.array, made), st, done);
    if (!result) {
        result = made;
        made = NULL;
    }
    st = deliver(call, result, lines.temporary != NULL);
    result = NULL;
done:
    mnp__input_close(&lines);
    mnp_free_all(made, result);
    mnp_layout_free(along);
    return st;
}
