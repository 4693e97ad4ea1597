/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indices of selecting, and the launch of kernels/indexing/indexed.cu.
 */
#include "ops/indexing/indexed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/item.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/dtype.h"
#include "base/nest.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/reduction/reduction.h"

_Static_assert(MNP_INDEXED_DIMS == MNP_MAX_DIMS, "elements have as many indices as an array has dimensions");
_Static_assert((int)MNP_INDEXED_RAISE == (int)MNP_RAISE && (int)MNP_INDEXED_WRAP == (int)MNP_WRAP &&
                   (int)MNP_INDEXED_CLIP == (int)MNP_CLIP,
               "kernels know the modes by these numbers");

/* ---- indices ---- */

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

mnp_status mnp__indices_check_range(const char *function, const mnp_array *indices, int64_t n, int axis,
                                    mnp_index_mode mode)
{
    char where[32] = "";
    int64_t index = 0;
    bool found;
    if (axis >= 0)
        snprintf(where, sizeof where, " for axis %d", axis);
    if (indices->layout->size == 0)
        return MNP_OK;
    if (n == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " indices%s, and no elements that they could be of",
                        function, indices->layout->size, where);
    if (mode != MNP_RAISE)
        return MNP_OK;
    MNP_TRY(mnp__indices_outside(function, indices, -n, n, &found, &index));
    if (!found)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: index %" PRId64 " is out of bounds%s with size %" PRId64, function, index, where,
                    n);
}

/* ---- moving ---- */

/* Drop dimensions of extent 1, and join those that lie one after the other everywhere. */
static void collapse(mnp_indexed_params *p)
{
    enum { SRC, DST, INDEX, OPERANDS };
    int64_t stride[OPERANDS][MNP_MAX_DIMS];
    mnp__nest nest = {.ndim = p->ndim, .count = OPERANDS, .stride = stride};
    for (int d = 0; d < p->ndim; d++) {
        nest.extent[d] = p->extent[d];
        stride[SRC][d] = p->src_stride[d];
        stride[DST][d] = p->dst_stride[d];
        stride[INDEX][d] = p->index_stride[d];
    }
    mnp__nest_drop(&nest);
    mnp__nest_join(&nest);
    mnp__nest_pad(&nest, 1, 0);
    p->ndim = 0;
    for (int d = 0; d < nest.ndim; d++)
        mnp__indexed_add(p, nest.extent[d], stride[SRC][d], stride[DST][d], stride[INDEX][d]);
}

/* See whole rows as fewer elements of `unit` elements each, if they are and lie so; false if not. */
static bool widen(mnp_indexed_params *p, size_t size, int64_t unit)
{
    const int last = p->ndim - 1;
    const uintptr_t bytes = (uintptr_t)unit * size;
    bool fits = p->src_stride[last] == 1 && p->dst_stride[last] == 1 && p->index_stride[last] == 0 &&
                p->extent[last] % unit == 0 && p->jump % unit == 0 && (uintptr_t)p->src % bytes == 0 &&
                (uintptr_t)p->dst % bytes == 0;
    for (int d = 0; d < last; d++)
        fits = fits && p->src_stride[d] % unit == 0 && p->dst_stride[d] % unit == 0;
    if (!fits)
        return false;
    for (int d = 0; d < last; d++) {
        p->src_stride[d] /= unit;
        p->dst_stride[d] /= unit;
    }
    p->extent[last] /= unit;
    p->jump /= unit;
    return true;
}

static mnp_status load(mnp_ctx *ctx, size_t size, mnp__kernel **kernel_p)
{
    const char *unit = size == 1   ? "#define MNP_UNIT uint8_t\n"
                       : size == 2 ? "#define MNP_UNIT uint16_t\n"
                       : size == 4 ? "#define MNP_UNIT uint32_t\n"
                       : size == 8 ? "#define MNP_UNIT uint64_t\n"
                                   : "#define MNP_UNIT mnp_sixteen\n";
    return mnp__ctx_kernel(
        ctx, &(mnp__kernel_spec){.file = "indexing/indexed.cu", .function = "move_indexed", .defines = unit}, kernel_p);
}

mnp_status mnp__indexed_run(mnp_ctx *ctx, size_t size, const mnp_indexed_params *moved)
{
    mnp_indexed_params params = *moved;
    mnp__kernel *kernel, *wide = NULL;
    MNP_TRY(load(ctx, size, &kernel));
    if (ctx->device->block_memory > 0 && size < 16) /* each thread moves one element: wider ones are faster */
        MNP_TRY(load(ctx, 16, &wide));
    params.total = 1;
    for (int d = 0; d < params.ndim; d++)
        params.total *= params.extent[d];
    if (params.total == 0)
        return MNP_OK;
    collapse(&params);
    if (wide && widen(&params, size, (int64_t)(16 / size))) {
        params.total /= (int64_t)(16 / size);
        kernel = wide;
    }
    return mnp__ctx_launch(ctx, kernel, params.total, &params, sizeof params);
}
