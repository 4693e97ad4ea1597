/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of indices.  On one rank a kernel sets a word of pinned memory if an index is out of range.  Only then the
 * first one in C order is looked for, by a reduction.  The reduction alone checks indices that do not lie dense, and
 * those of several ranks, which learn by it of each other's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/item.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/dtype.h"
#include "base/text.h"
#include "kernels/indexing/range_params.h"
#include "layout/layout.h"
#include "ops/indexing/indexed.h"
#include "ops/reduction/reduction.h"

mnp_status mnp__indices_check(const char *function, const mnp_array *x, const mnp_array *indices, mnp_index_mode mode)
{
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){x, indices}));
    if (!mnp__dtype_is_integral(indices->dtype))
        return MNP_FAIL(MNP_ERR_ARG, "%s: indices are %s, and must be integers", function,
                        mnp_dtype_name(indices->dtype));
    if (mode != MNP_RAISE && mode != MNP_WRAP && mode != MNP_CLIP)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a mode of indices", function, (int)mode);
    return MNP_OK;
}

/* ---- the first index outside ---- */

/* A reduction that gives the number of the first index outside low .. high-1. */
static const char outside[] =
    "struct mnp_reduce_outside {\n"
    "    static constexpr int64_t none = 0x7fffffffffffffff;\n"
    "    typedef int64_t acc;\n"
    "    template <int W> struct lanes {\n"
    "        int64_t first[W];\n"
    "        MNP_INLINE void start(int j) { first[j] = none; }\n"
    "        MNP_INLINE void take(int64_t j, int64_t i, int64_t low, int64_t high, int64_t number)\n"
    "        { first[j] = ((i >= high) | (i < low)) & (number < first[j]) ? number : first[j]; }\n"
    "        MNP_INLINE acc end(int j) const { return first[j]; }\n"
    "    };\n"
    "    static MNP_INLINE void join(acc &a, const acc &b) { a = b < a ? b : a; }\n"
    "    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, int64_t &first) { first = a; }\n"
    "};\n";

struct key {
    const char *preamble;
    mnp_dtype dtype;
};

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__reduction **reduction_p)
{
    const struct key *key = argument;
    const mnp__loop_operand operands[] = {{"i", MNP_INT64, key->dtype, false},
                                          {"low", MNP_INT64, MNP_INT64, false},
                                          {"high", MNP_INT64, MNP_INT64, false},
                                          {"first", MNP_INT64, MNP_INT64, false}};
    const mnp__reduction_spec spec = {.name = "outside",
                                      .preamble = key->preamble,
                                      .op = "mnp_reduce_outside",
                                      .finish = "",
                                      .accumulator = 8,
                                      .indices = true,
                                      .mask = -1,
                                      .ninputs = 3,
                                      .noutputs = 1,
                                      .operands = operands};
    return mnp__reduction_new(ctx, &spec, reduction_p);
}

/* The number in C order of the first index that is outside; INT64_MAX: there is none. */
static mnp_status find_outside(const char *function, const mnp_array *indices, int64_t low, int64_t high,
                               int64_t *first_p)
{
    mnp_ctx *ctx = indices->ctx;
    mnp_array *first = NULL, **first_out = &first;
    mnp__reduction *reduction;
    struct key key;
    memset(&key, 0, sizeof key); /* its padding is hashed, too */
    key.preamble = outside;
    key.dtype = indices->dtype;
    MNP_TRY(mnp__reduction_get(ctx, build, &key, sizeof key, &reduction));
    const mnp_array *inputs[] = {indices, mnp_scalar_int(ctx, low), mnp_scalar_int(ctx, high)};
    MNP_TRY(mnp__reduction_run(reduction, &(mnp__reduction_call){.function = function,
                                                                 .inputs = inputs,
                                                                 .outputs_p = &first_out,
                                                                 .axes = (1u << indices->layout->ndim) - 1}));
    mnp_status st = mnp_item(first, first_p);
    mnp_array_free(first);
    return st;
}

/* The index of that number in C order. */
static mnp_status read_index(const mnp_array *indices, int64_t number, int64_t *index_p)
{
    const mnp_layout *layout = indices->layout;
    mnp_subscript at[MNP_MAX_DIMS];
    mnp_array *element = NULL;
    for (int d = layout->ndim - 1; d >= 0; d--) {
        at[d] = MNP_AT(number % layout->shape[d]);
        number /= layout->shape[d];
    }
    MNP_TRY(mnp_slice(indices, layout->ndim, at, &element));
    mnp_status st = mnp_item(element, index_p);
    mnp_array_free(element);
    return st;
}

mnp_status mnp__indices_outside(const char *function, const mnp_array *indices, int64_t low, int64_t high,
                                bool *found_p, int64_t *index_p)
{
    int64_t first = INT64_MAX;
    if (indices->layout->size > 0)
        MNP_TRY(find_outside(function, indices, low, high, &first));
    *found_p = first != INT64_MAX;
    return *found_p ? read_index(indices, first, index_p) : MNP_OK;
}

/* ---- whether there is one ---- */

/* Where kernels report indices that are out of range: words for as many checks as may be under way. */
struct reports {
    int *words;
    mnp__device_event *written;
    unsigned next;
};
enum { WORDS = MNP_MAX_DIMS };

static void free_reports(mnp_ctx *ctx, void *data)
{
    struct reports *reports = data;
    ctx->device->ops->event_free(ctx->device, reports->written);
    ctx->device->ops->free_pinned(ctx->device, reports->words);
    free(reports);
}

static mnp_status get_reports(mnp_ctx *ctx, struct reports **reports_p)
{
    const mnp__device_ops *ops = ctx->device->ops;
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_INDICES];
    struct reports *reports = attached->data;
    void *words;
    if (!reports) {
        MNP_TRY(mnp__calloc(1, sizeof *reports, &reports));
        *attached = (mnp__attachment){reports, free_reports};
    }
    if (!reports->written)
        MNP_TRY(ops->event_new(ctx->device, &reports->written));
    if (!reports->words) {
        MNP_TRY(ops->alloc_pinned(ctx->device, WORDS * sizeof(int), &words));
        reports->words = memset(words, 0, WORDS * sizeof(int));
    }
    *reports_p = reports;
    return MNP_OK;
}

static mnp_status load_check(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_INDEX %s\n", mnp__jit_type(dtype));
    const mnp__kernel_spec spec = {.file = "indexing/range.cu", .function = "check_range"};
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status launch_check(const mnp__range_check *check, mnp__kernel *kernel)
{
    mnp_ctx *ctx = check->indices->ctx;
    const struct reports *reports = ctx->attached[MNP__ATTACHED_INDICES].data;
    const mnp_range_params params = {.index = check->indices->data,
                                     .count = check->indices->local_size,
                                     .low = -check->n,
                                     .high = check->n,
                                     .outside = check->outside};
    MNP_TRY(mnp__ctx_launch(ctx, kernel, params.count, &params, sizeof params));
    return ctx->device->ops->event_record(ctx->device, reports->written, ctx->compute);
}

/* " for axis 2", or nothing. */
static const char *name_axis(const mnp__range_check *check, char room[32])
{
    room[0] = 0;
    if (check->axis >= 0)
        snprintf(room, 32, " for axis %d", check->axis);
    return room;
}

/* Look for the first index out of range. */
static mnp_status report_first(const mnp__range_check *check)
{
    char room[32];
    int64_t index = 0;
    bool found;
    MNP_TRY(mnp__indices_outside(check->function, check->indices, -check->n, check->n, &found, &index));
    if (!found)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: index %" PRId64 " is out of bounds%s with size %" PRId64, check->function, index,
                    name_axis(check, room), check->n);
}

mnp_status mnp__range_check_begin(mnp__range_check *check, mnp_index_mode mode)
{
    mnp_ctx *ctx = check->indices->ctx;
    char room[32];
    mnp__kernel *kernel = NULL;
    struct reports *reports;
    check->pending = false;
    check->outside = NULL;
    if (check->indices->layout->size == 0)
        return MNP_OK;
    if (check->n == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " indices%s, and no elements: they are out of bounds",
                        check->function, check->indices->layout->size, name_axis(check, room));
    if (mode != MNP_RAISE)
        return MNP_OK;
    if (ctx->comm.size > 1 || !(check->indices->dense & MNP__DENSE_C)) /* several ranks learn of it by the reduction */
        return report_first(check);
    if (!check->by_move)
        MNP_TRY(load_check(ctx, check->indices->dtype, &kernel));
    MNP_TRY(get_reports(ctx, &reports));
    check->outside = &reports->words[reports->next++ % WORDS];
    check->pending = true;
    return check->by_move ? MNP_OK : launch_check(check, kernel);
}

mnp_status mnp__range_check_end(const mnp__range_check *check)
{
    mnp_ctx *ctx = check->indices->ctx;
    if (!check->pending)
        return MNP_OK;
    const struct reports *reports = ctx->attached[MNP__ATTACHED_INDICES].data;
    if (check->by_move)
        MNP_TRY(ctx->device->ops->event_record(ctx->device, reports->written, ctx->compute));
    MNP_TRY(mnp__comm_wait_event(&ctx->comm, reports->written));
    const bool found = *(volatile int *)check->outside != 0;
    *check->outside = 0;
    return found ? report_first(check) : MNP_OK;
}

mnp_status mnp__indices_check_range(const char *function, const mnp_array *indices, int64_t n, int axis,
                                    mnp_index_mode mode)
{
    mnp__range_check check = {.function = function, .indices = indices, .n = n, .axis = axis};
    MNP_TRY(mnp__range_check_begin(&check, mode));
    return mnp__range_check_end(&check);
}
