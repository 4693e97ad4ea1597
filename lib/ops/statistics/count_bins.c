/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting in bins: every rank counts its block into rows of sums, which are then added over rows and ranks, in order.
 */
#include "ops/statistics/count_bins.h"

#include <string.h>

#include <maniple/reduce.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/elementwise/apply.h"

_Static_assert((int)MNP_HISTOGRAM_DIMS == (int)MNP_MAX_DIMS, "a block has as many dimensions as an array");

mnp_dtype mnp__count_bins_sum(const mnp_array *weights)
{
    switch (weights ? mnp_dtype_kind(weights->dtype) : 'i') {
    case 'f':
        return MNP_FLOAT64;
    case 'c':
        return MNP_COMPLEX128;
    default:
        return MNP_INT64;
    }
}

/* ---- how a block is divided ---- */

typedef struct arrangement {
    mnp__launch launch;
    bool shared;    /* blocks of a GPU have sums in shared memory */
    size_t bytes;   /* of that memory */
    int copies;     /* 2^copies copies of the counters in a block */
    bool lanes;     /* each lane of a warp has sums of weights of its own */
    int64_t groups; /* rows of sums of every rank */
} arrangement;

/* Counts on a GPU: as many blocks as run at a time, three for each multiprocessor. */
static arrangement arrange_counts(int64_t bins, int64_t size)
{
    const int64_t counters = MNP_HISTOGRAM_SHARED / (int64_t)sizeof(uint32_t), each = MNP_HISTOGRAM_THREADS * 16;
    arrangement s = {.shared = bins <= counters, .bytes = MNP_HISTOGRAM_SHARED, .groups = 1};
    while (s.shared && s.copies < 5 && bins << (s.copies + 1) <= counters)
        s.copies++;
    s.launch = (mnp__launch){.grid = {(unsigned)mnp__clamp(mnp__divide_up(size, each), 1, s.shared ? 396 : 1056), 1, 1},
                             .block = {MNP_HISTOGRAM_THREADS, 1, 1}};
    return s;
}

/*
 * Weights on a GPU: where there is room for two warps whose lanes have sums of their own, one block for each
 * multiprocessor.  Otherwise as many warps as there is memory for sums of their own.
 */
static arrangement arrange_weights(int64_t bins, int64_t size, size_t sum, size_t block_memory)
{
    const size_t table = 32 << 10, more = MNP_HISTOGRAM_MORE; /* cells of uneven bins are in shared memory, too */
    const int64_t room = MNP_HISTOGRAM_SHARED / (int64_t)sum, large = (int64_t)(more / sum) / 32 / bins;
    const int64_t each = 256, most = 2112, most_warps = MNP_HISTOGRAM_THREADS / 32;
    arrangement s = {.shared = bins <= room, .bytes = MNP_HISTOGRAM_SHARED};
    int64_t warps = mnp__clamp(room / bins, 1, most_warps);
    if (large >= 2 && block_memory > more + table) {
        warps = mnp__min(large, most_warps);
        s = (arrangement){.shared = true, .bytes = more, .lanes = true};
        s.groups = mnp__clamp(size / (each * warps), 1, most / most_warps);
    } else {
        s.groups = s.shared ? mnp__clamp(size / (each * warps), 1, most / warps)
                            : mnp__clamp(size / each, 1, mnp__clamp((INT64_C(1) << 25) / bins, 1, most));
    }
    s.launch =
        (mnp__launch){.grid = {(unsigned)s.groups, 1, 1}, .block = {(unsigned)(s.shared ? 32 * warps : 32), 1, 1}};
    return s;
}

/* The arrangement follows from what all ranks know: all have equally many rows, independent of their threads. */
static arrangement arrange(const mnp_array *x, const mnp__count_bins *counting)
{
    const mnp_ctx *ctx = x->ctx;
    const int64_t each = x->layout->size / ctx->comm.size;
    if (ctx->device->block_memory == 0) {
        arrangement s = {.groups = mnp__clamp(each / 16 / counting->bins, 1, 64)};
        s.launch = (mnp__launch){.grid = {(unsigned)s.groups, 1, 1}, .block = {1, 1, 1}};
        return s;
    }
    if (counting->weights)
        return arrange_weights(counting->bins, each, mnp_dtype_size(mnp__count_bins_sum(counting->weights)),
                               ctx->device->block_memory);
    return arrange_counts(counting->bins, each);
}

/* ---- the kernel ---- */

static mnp_status load(const mnp_array *x, const mnp__count_bins *counting, const arrangement *s,
                       mnp__kernel **kernel_p)
{
    const mnp_array *weights = counting->weights;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_ELEMENT %s\n#define MNP_COMPARED %s\n#define MNP_BINS %d\n",
                  mnp__jit_type(x->dtype), mnp__jit_type(counting->compared), counting->method);
    mnp__text_add(&defines, "#define MNP_ARITHMETIC %s\n#define MNP_ESTIMATE %s\n#define MNP_BIN %s\n",
                  mnp__jit_type(counting->method == MNP_BINS_EVEN ? counting->arithmetic : MNP_FLOAT64),
                  counting->narrow ? "float" : "double", counting->bins < INT32_MAX ? "int32_t" : "int64_t");
    mnp__text_add(&defines, "#define MNP_WEIGHTED %d\n#define MNP_WEIGHT %s\n", weights != NULL,
                  mnp__jit_type(weights ? weights->dtype : MNP_INT64));
    mnp__text_add(&defines, "#define MNP_SUM %s\n#define MNP_SHARED %d\n#define MNP_COPIES %d\n",
                  mnp__jit_type(mnp__count_bins_sum(weights)), s->shared, s->lanes);
    mnp__kernel_spec spec = {.file = "statistics/histogram.cu",
                             .function = "fill_histogram",
                             .nvrtc_options = "--fmad=false",
                             .host_options = "-ffp-contract=off",
                             .shared_bytes = s->shared ? s->bytes : 0};
    return mnp__ctx_kernel_of_text(x->ctx, &spec, &defines, NULL, kernel_p);
}

/* ---- the block ---- */

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/*
 * This rank's block with as few dimensions as can be: the order of elements does not matter, so that they are sorted by
 * their strides; those of extent 1 are dropped, those joined that follow one another in memory.
 */
static void describe_block(const mnp_array *x, const mnp_array *weights, mnp_histogram_params *p)
{
    int order[MNP_MAX_DIMS], count = 0, ndim = 0;
    for (int d = 0; d < x->layout->ndim; d++) {
        int at = count;
        if (x->local_shape[d] == 1)
            continue;
        for (; at > 0 && magnitude(x->local_strides[order[at - 1]]) < magnitude(x->local_strides[d]); at--)
            order[at] = order[at - 1];
        order[at] = d;
        count++;
    }
    for (int i = 0; i < count; i++) {
        const int64_t extent = x->local_shape[order[i]], stride = x->local_strides[order[i]];
        const int64_t weight_stride = weights ? weights->local_strides[order[i]] : 0;
        const bool joins =
            ndim > 0 && p->stride[ndim - 1] == stride * extent && p->weight_stride[ndim - 1] == weight_stride * extent;
        const int to = joins ? ndim - 1 : ndim++;
        p->extent[to] = joins ? p->extent[to] * extent : extent;
        p->stride[to] = stride;
        p->weight_stride[to] = weight_stride;
    }
    if (ndim == 0) {
        p->extent[0] = p->stride[0] = p->weight_stride[0] = 1;
        ndim = 1;
    }
    p->ndim = ndim;
}

/* Whether this rank counts its block: the lowest of the ranks that have it does. */
static bool counts_block(const mnp_array *x)
{
    return x->local_size > 0 && mnp_layout_owner(x->layout, x->local_lo) == x->ctx->comm.rank;
}

static mnp_status launch(const mnp_array *x, const mnp_array *weights, const mnp__count_bins *counting,
                         const arrangement *s, mnp__kernel *kernel, mnp_array *rows)
{
    mnp_ctx *ctx = x->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    mnp_histogram_params p = {.edges = counting->edges ? counting->edges->data : NULL,
                              .sums = rows->data,
                              .bins = counting->bins,
                              .groups = s->groups,
                              .copies = s->copies,
                              .low = counting->low,
                              .high = counting->high,
                              .step = counting->step,
                              .first = counting->first,
                              .scale = counting->scale,
                              .margin = counting->margin};
    const size_t bytes = (size_t)rows->local_size * mnp_dtype_size(rows->dtype);
    MNP_TRY(ops->fill(ctx->device, rows->data, 0, bytes, ctx->compute));
    if (!counts_block(x))
        return MNP_OK;
    p.elements = x->data;
    p.weights = weights ? weights->data : NULL;
    p.size = x->local_size;
    describe_block(x, weights, &p);
    return ops->launch(ctx->device, kernel, &s->launch, &p, sizeof p, ctx->compute);
}

/* ---- the whole call ---- */

/* Whether the only row of one rank may be the memory of the array that was given. */
static bool suits(const mnp_array *given, const mnp_array *x, const mnp__count_bins *counting)
{
    return given && !mnp_layout_is_cyclic(given->layout) && mnp__array_is_dense(given) && given->buffer != x->buffer &&
           !(counting->weights && given->buffer == counting->weights->buffer);
}

static mnp_status make_rows(mnp_ctx *ctx, mnp_dtype dtype, int64_t groups, int64_t bins, const mnp_array *memory,
                            mnp_array **rows_p)
{
    const int64_t extent[] = {ctx->comm.size * groups, bins};
    mnp_layout *layout;
    MNP_TRY(mnp_layout_new(1, &ctx->comm.size, 2, extent, (int[]){0, MNP_NO_AXIS}, NULL, &layout));
    mnp_status st = memory ? mnp__array_view(memory, dtype, layout, memory->data, (int64_t[]){bins, 1}, rows_p)
                           : mnp_array_new(ctx, dtype, layout, rows_p);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp__count_bins_run(const mnp_array *x, const mnp__count_bins *counting, mnp_array **sums_p)
{
    mnp_ctx *ctx = x->ctx;
    mnp_array *rows = NULL, *view = NULL;
    mnp__input weights = {NULL, NULL};
    mnp__kernel *kernel;
    mnp_status st;
    const arrangement a = arrange(x, counting);
    const bool single = ctx->comm.size * a.groups == 1, direct = single && suits(*sums_p, x, counting);
    MNP_TRY(load(x, counting, &a, &kernel));
    if (counting->weights)
        MNP_TRY(mnp__input_open(counting->weights, x->layout, MNP_DTYPE_AUTO, 0, &weights));
    const mnp_array *memory = direct ? *sums_p : NULL;
    MNP_TRY_OR(make_rows(ctx, mnp__count_bins_sum(counting->weights), a.groups, counting->bins, memory, &rows), st,
               done);
    MNP_TRY_OR(MNP_AGREE(ctx, launch(x, weights.array, counting, &a, kernel, rows)), st, done);
    if (direct)
        goto done;
    if (!single) {
        st = mnp_sum(rows, MNP_AXIS(0), sums_p);
        goto done;
    }
    st = mnp_view(rows, &view, MNP_AT(0));
    st = mnp__output_give(view, st, sums_p);
done:
    mnp_array_free(rows);
    mnp__input_close(&weights);
    return st;
}
