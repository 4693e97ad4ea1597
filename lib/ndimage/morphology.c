/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grey and binary morphology: extremes of windows (order.c), and what is made of several of them.
 *
 * A dilation is the largest value of the window that is mirrored at its origin, in which the structure lies reversed.
 * A binary erosion is the smallest value of bools.
 */
#include <stdlib.h>

#include <maniple/comm.h>
#include <maniple/create.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/output.h"
#include "base/call.h"
#include "base/integer.h"
#include "kernels/ndimage/label_params.h"
#include "ndimage/order.h"

/* ---- grey ---- */

struct grey {
    const char *function;
    const int64_t *size;
    const bool *footprint;
    const double *structure;
    const mnp_ndimage_options *options;
};

/* A footprint and a structure as an erosion or a dilation takes them; in new memory. */
static mnp_status turn(const struct grey *grey, bool dilates, int64_t total, bool **footprint_p, double **structure_p)
{
    if (grey->footprint)
        MNP_TRY(mnp__malloc((size_t)total * sizeof(bool), footprint_p));
    if (grey->structure)
        MNP_TRY(mnp__malloc((size_t)total * sizeof(double), structure_p));
    for (int64_t i = 0; i < total; i++) {
        const int64_t from = dilates ? total - 1 - i : i;
        if (grey->footprint)
            (*footprint_p)[i] = grey->footprint[from];
        if (grey->structure)
            (*structure_p)[i] = dilates ? grey->structure[from] : -grey->structure[from];
    }
    return MNP_OK;
}

static mnp_status erode(const struct grey *grey, bool dilates, const mnp_array *x, const mnp_ndimage_options *options,
                        mnp_array **y_p)
{
    mnp__filter_axes axes;
    bool *footprint = NULL;
    double *structure = NULL;
    int64_t total = 1;
    MNP_TRY(mnp__filter_axes_of(grey->function, x, options, &axes));
    for (int a = 0; a < axes.count; a++)
        total *= mnp__max(grey->size[a], 0);
    mnp_status st = MNP_AGREE(x->ctx, turn(grey, dilates, total, &footprint, &structure));
    const mnp__extremes extremes = {.function = grey->function,
                                    .largest = dilates,
                                    .size = grey->size,
                                    .footprint = footprint,
                                    .structure = structure,
                                    .mirrored = dilates};
    if (st == MNP_OK)
        st = mnp__extremes_run(&extremes, x, options, y_p);
    free(footprint);
    free(structure);
    return st;
}

/* An opening, or with `dilates` a closing: the second step makes the result. */
static mnp_status open_or_close(const struct grey *grey, bool dilates, const mnp_array *x,
                                const mnp_ndimage_options *options, mnp_array **y_p)
{
    mnp_ndimage_options first = grey->options ? *grey->options : (mnp_ndimage_options){.mode = MNP_NDIMAGE_DEFAULT};
    mnp_array *between = NULL;
    first.dtype = MNP_DTYPE_AUTO;
    MNP_TRY(erode(grey, dilates, x, &first, &between));
    mnp_status st = erode(grey, !dilates, between, options, y_p);
    mnp_array_free(between);
    return st;
}

/* Two filters of the input in its dtype, which `join` makes one. */
static mnp_status joined(const struct grey *grey, const mnp_array *x,
                         mnp_status (*join)(const mnp_array *x, mnp_array *dilated, mnp_array *eroded), mnp_array **y_p)
{
    mnp_ndimage_options own = grey->options ? *grey->options : (mnp_ndimage_options){.mode = MNP_NDIMAGE_DEFAULT};
    const mnp_dtype dtype = own.dtype == MNP_DTYPE_AUTO ? x->dtype : own.dtype;
    mnp_array *dilated = NULL, *eroded = NULL, *result = NULL;
    own.dtype = MNP_DTYPE_AUTO;
    mnp_status st = erode(grey, true, x, &own, &dilated);
    if (st == MNP_OK)
        st = erode(grey, false, x, &own, &eroded);
    if (st == MNP_OK)
        st = join(x, dilated, eroded);
    if (st == MNP_OK)
        st = mnp_astype(dilated, dtype, &result);
    mnp_array_free(dilated);
    mnp_array_free(eroded);
    return mnp__output_give(result, st, y_p);
}

/* The input minus its opening, or its closing minus the input; bools: where they differ. */
static mnp_status top_hat(const struct grey *grey, bool black, const mnp_array *x, mnp_array **y_p)
{
    mnp_array *smooth = NULL, *difference = NULL;
    mnp_status st = open_or_close(grey, black, x, grey->options, &smooth);
    if (st == MNP_OK && x->dtype == MNP_BOOL && smooth->dtype == MNP_BOOL)
        st = mnp_logical_xor(x, smooth, &difference);
    else if (st == MNP_OK)
        st = black ? mnp_subtract(smooth, x, &difference) : mnp_subtract(x, smooth, &difference);
    if (st == MNP_OK)
        st = mnp__array_copy_to(difference, smooth);
    mnp_array_free(difference);
    return mnp__output_give(smooth, st, y_p);
}

#define GREY(name)                                                                                                     \
    mnp_status mnp_ndimage_##name(const mnp_array *x, const int64_t *size, const bool *footprint,                      \
                                  const double *structure, const mnp_ndimage_options *options, mnp_array **y_p)

GREY(grey_erosion)
{
    MNP_ENTER(x, size, y_p);
    return erode(&(struct grey){__func__, size, footprint, structure, options}, false, x, options, y_p);
}

GREY(grey_dilation)
{
    MNP_ENTER(x, size, y_p);
    return erode(&(struct grey){__func__, size, footprint, structure, options}, true, x, options, y_p);
}

GREY(grey_opening)
{
    MNP_ENTER(x, size, y_p);
    return open_or_close(&(struct grey){__func__, size, footprint, structure, options}, false, x, options, y_p);
}

GREY(grey_closing)
{
    MNP_ENTER(x, size, y_p);
    return open_or_close(&(struct grey){__func__, size, footprint, structure, options}, true, x, options, y_p);
}

static mnp_status join_gradient(const mnp_array *x, mnp_array *dilated, mnp_array *eroded)
{
    (void)x;
    return mnp_subtract(dilated, eroded, &dilated);
}

GREY(morphological_gradient)
{
    MNP_ENTER(x, size, y_p);
    return joined(&(struct grey){__func__, size, footprint, structure, options}, x, join_gradient, y_p);
}

static mnp_status join_laplace(const mnp_array *x, mnp_array *dilated, mnp_array *eroded)
{
    MNP_TRY(mnp_add(dilated, eroded, &dilated));
    MNP_TRY(mnp_subtract(dilated, x, &dilated));
    return mnp_subtract(dilated, x, &dilated);
}

GREY(morphological_laplace)
{
    MNP_ENTER(x, size, y_p);
    return joined(&(struct grey){__func__, size, footprint, structure, options}, x, join_laplace, y_p);
}

GREY(white_tophat)
{
    MNP_ENTER(x, size, y_p);
    return top_hat(&(struct grey){__func__, size, footprint, structure, options}, false, x, y_p);
}

GREY(black_tophat)
{
    MNP_ENTER(x, size, y_p);
    return top_hat(&(struct grey){__func__, size, footprint, structure, options}, true, x, y_p);
}

/* ---- structures ---- */

mnp_status mnp_ndimage_generate_binary_structure(int rank, int connectivity, bool *structure)
{
    MNP_ENTER(structure);
    int64_t total = 1;
    if (rank < 1 || rank > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the rank is %d, outside 1..%d", __func__, rank, MNP_MAX_DIMS);
    for (int d = 0; d < rank; d++)
        total *= 3;
    for (int64_t i = 0; i < total; i++) {
        int steps = 0;
        int64_t rest = i;
        for (int d = 0; d < rank; d++, rest /= 3)
            steps += rest % 3 != 1;
        structure[i] = steps <= mnp__max(connectivity, 1);
    }
    return MNP_OK;
}

/* ---- binary ---- */

struct binary {
    const char *function;
    int64_t size[MNP_MAX_DIMS];
    bool *structure, *reversed; /* owned */
    int64_t iterations;
    const mnp_array *mask;
    bool border;
    const int64_t *origins;
};

/* Copy the structure, or make the default one. */
static mnp_status get_structure(struct binary *binary, int ndim, const int64_t *shape, const bool *structure)
{
    int64_t total = 1;
    for (int d = 0; d < ndim; d++) {
        binary->size[d] = structure ? shape[d] : 3;
        if (binary->size[d] < 1)
            return MNP_FAIL(MNP_ERR_ARG, "%s: extent %d of the structure is %lld, below 1", binary->function, d,
                            (long long)binary->size[d]);
        total *= binary->size[d];
    }
    MNP_TRY(mnp__malloc((size_t)total * sizeof(bool), &binary->structure));
    MNP_TRY(mnp__malloc((size_t)total * sizeof(bool), &binary->reversed));
    if (!structure)
        MNP_TRY(mnp_ndimage_generate_binary_structure(ndim, 1, binary->structure));
    for (int64_t i = 0; structure && i < total; i++)
        binary->structure[i] = structure[i];
    for (int64_t i = 0; i < total; i++)
        binary->reversed[i] = binary->structure[total - 1 - i];
    return MNP_OK;
}

/* One erosion or dilation of bools; mirrored: the window of a dilation. */
static mnp_status step(const struct binary *binary, bool largest, bool mirrored, const mnp_array *x, mnp_array **y_p)
{
    const mnp_ndimage_options options = {
        .mode = MNP_NDIMAGE_CONSTANT, .cval = binary->border, .origins = binary->origins};
    const mnp__extremes extremes = {.function = binary->function,
                                    .largest = largest,
                                    .size = binary->size,
                                    .footprint = mirrored ? binary->reversed : binary->structure,
                                    .mirrored = mirrored,
                                    .mask = binary->mask};
    return mnp__extremes_run(&extremes, x, &options, y_p);
}

/*
 * Whether dilations until nothing changes can be found at once: within a mask, by a structure of 3 elements along each
 * dimension that is the same from both sides, they fill those connected parts of the mask that the first one reaches.
 */
static bool fills_parts(const struct binary *binary, const mnp_array *x)
{
    int64_t total = 1, size = 1;
    if (!binary->mask || binary->iterations >= 1)
        return false;
    for (int d = 0; d < x->layout->ndim; d++) {
        if (binary->size[d] != 3 || (binary->origins && binary->origins[d] != 0))
            return false;
        total *= 3;
        size *= x->layout->shape[d];
    }
    for (int64_t i = 0; i < total; i++)
        if (binary->structure[i] != binary->reversed[i])
            return false;
    return binary->structure[total / 2] && size < INT32_MAX;
}

/*
 * Set all elements of those of `count` parts that have one that is set (kernels/ndimage/fill_parts.cu); `labels` are cut
 * as `reached`.  Collective.
 */
static mnp_status fill_flagged(const mnp_array *labels, int64_t count, mnp_array *reached)
{
    enum { FLAGS, ELEMENTS, KERNELS };
    static const mnp__kernel_spec specs[KERNELS] = {
        [FLAGS] = {.file = "ndimage/fill_parts.cu", .function = "fill_flags", .defines = ""},
        [ELEMENTS] = {.file = "ndimage/fill_parts.cu", .function = "fill_elements", .defines = ""},
    };
    mnp_ctx *ctx = reached->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const size_t bytes = (size_t)count + 1;
    mnp_fill_params p = {.labels = labels->data, .set = reached->data, .count = reached->local_size};
    mnp__kernel *kernels[KERNELS];
    void *flags = NULL;
    for (int k = 0; k < KERNELS; k++)
        MNP_TRY(mnp__ctx_kernel(ctx, &specs[k], &kernels[k]));
    mnp_status st = ops->alloc(ctx->device, bytes, &flags);
    p.flags = flags;
    if (st == MNP_OK)
        st = ops->fill(ctx->device, flags, 0, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_launch(ctx, kernels[FLAGS], p.count, &p, sizeof p);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK && ctx->comm.size > 1)
        st = mnp_comm_all_reduce(ctx->world, flags, flags, count + 1, MNP_UINT8, MNP_MAX);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, mnp__ctx_launch(ctx, kernels[ELEMENTS], p.count, &p, sizeof p));
    ops->free(ctx->device, flags);
    return st;
}

/* Dilate within the mask until nothing changes, where fills_parts() says so. */
static mnp_status fill_parts(const struct binary *binary, const mnp_array *x, mnp_array **y_p)
{
    mnp_array *now = NULL, *reached = NULL, *labels = NULL;
    mnp__input mask = {NULL, NULL}, label = {NULL, NULL};
    int64_t count = 0;
    mnp_status st = mnp_astype(x, MNP_BOOL, &now);
    if (st == MNP_OK)
        st = step(binary, true, true, now, &reached);
    if (st == MNP_OK)
        st = mnp__input_open(binary->mask, reached->layout, MNP_BOOL, 0, &mask);
    if (st == MNP_OK)
        st = mnp_ndimage_label(mask.array, binary->structure, &labels, &count);
    if (st == MNP_OK)
        st = mnp__input_open(labels, reached->layout, MNP_INT32, MNP__INPUT_DENSE, &label);
    if (st == MNP_OK)
        st = fill_flagged(label.array, count, reached);
    mnp__input_close(&label);
    mnp__input_close(&mask);
    mnp_free_all(now, labels);
    return mnp__output_give(reached, st, y_p);
}

/*
 * Erosions or dilations in turn; fewer than one: until nothing changes, which is looked at after 1, 2, 4, ... of them
 * and then after every 32.
 */
static mnp_status iterate(const struct binary *binary, bool dilates, const mnp_array *x, mnp_array **y_p)
{
    enum { RARELY = 32 };
    mnp_array *now = NULL;
    bool ended = false;
    int64_t next_look = 1;
    if (dilates && fills_parts(binary, x))
        return fill_parts(binary, x, y_p);
    mnp_status st = mnp_astype(x, MNP_BOOL, &now);
    for (int64_t i = 1; st == MNP_OK && !ended; i++) {
        mnp_array *next = NULL;
        st = step(binary, dilates, dilates, now, &next);
        if (st == MNP_OK && binary->iterations < 1 && i == next_look) {
            st = mnp_array_equal(now, next, false, &ended);
            next_look += mnp__min(next_look, RARELY);
        }
        mnp_array_free(now);
        now = next;
        ended = ended || i == binary->iterations;
    }
    return mnp__output_give(now, st, y_p);
}

static mnp_status open_binary(struct binary *binary, const mnp_array *x, const int64_t *shape, const bool *structure)
{
    MNP_TRY(mnp__array_check_blocks(binary->function, x));
    MNP_TRY(mnp__filter_check_real(binary->function, x));
    if (binary->mask) {
        MNP_TRY(mnp__array_check_blocks(binary->function, binary->mask));
        if (!mnp__layout_same_shape(binary->mask->layout, x->layout))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the mask has another shape than the input", binary->function);
    }
    return MNP_AGREE(x->ctx, get_structure(binary, x->layout->ndim, shape, structure));
}

static void close_binary(struct binary *binary)
{
    free(binary->structure);
    free(binary->reversed);
}

/* Up to two steps one after the other, each with all its iterations. */
static mnp_status run_binary(struct binary *binary, const mnp_array *x, const int64_t *shape, const bool *structure,
                             int steps, const bool *dilates, mnp_array **y_p)
{
    mnp_array *between = NULL;
    mnp_status st = open_binary(binary, x, shape, structure);
    if (st == MNP_OK && steps == 2)
        st = iterate(binary, dilates[0], x, &between);
    if (st == MNP_OK)
        st = iterate(binary, dilates[steps - 1], steps == 2 ? between : x, y_p);
    mnp_array_free(between);
    close_binary(binary);
    return st;
}

#define BINARY(name)                                                                                                   \
    mnp_status mnp_ndimage_##name(const mnp_array *x, const int64_t *shape, const bool *structure, int64_t iterations, \
                                  const mnp_array *mask, bool border_value, const int64_t *origins, mnp_array **y_p)
#define BINARY_BODY(steps, ...)                                                                                        \
    MNP_ENTER(x, y_p);                                                                                                 \
    MNP_NEED_IF(mask, mask);                                                                                           \
    MNP_NEED_IF(structure, shape);                                                                                     \
    struct binary binary = {                                                                                           \
        .function = __func__, .iterations = iterations, .mask = mask, .border = border_value, .origins = origins};     \
    return run_binary(&binary, x, shape, structure, steps, (const bool[]){__VA_ARGS__}, y_p)

BINARY(binary_erosion)
{
    BINARY_BODY(1, false);
}

BINARY(binary_dilation)
{
    BINARY_BODY(1, true);
}

BINARY(binary_opening)
{
    BINARY_BODY(2, false, true);
}

BINARY(binary_closing)
{
    BINARY_BODY(2, true, false);
}

mnp_status mnp_ndimage_binary_propagation(const mnp_array *x, const int64_t *shape, const bool *structure,
                                          const mnp_array *mask, bool border_value, const int64_t *origins,
                                          mnp_array **y_p)
{
    const int64_t iterations = -1;
    BINARY_BODY(1, true);
}

/* What dilations from beyond the borders reach of the background is no hole. */
mnp_status mnp_ndimage_binary_fill_holes(const mnp_array *x, const int64_t *shape, const bool *structure,
                                         const int64_t *origins, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    MNP_NEED_IF(structure, shape);
    mnp_array *background = NULL, *empty = NULL, *outside = NULL, *filled = NULL;
    struct binary binary = {.function = __func__, .iterations = -1, .border = true, .origins = origins};
    MNP_TRY(mnp__array_check_blocks(__func__, x));
    mnp_status st = mnp_logical_not(x, &background);
    if (st == MNP_OK)
        st = mnp_zeros_like(background, MNP_BOOL, &empty);
    binary.mask = background;
    if (st == MNP_OK)
        st = run_binary(&binary, empty, shape, structure, 1, (const bool[]){true}, &outside);
    if (st == MNP_OK)
        st = mnp_logical_not(outside, &filled);
    mnp_array_free(background);
    mnp_array_free(empty);
    mnp_array_free(outside);
    return mnp__output_give(filled, st, y_p);
}

mnp_status mnp_ndimage_binary_hit_or_miss(const mnp_array *x, const int64_t *shape1, const bool *structure1,
                                          const int64_t *shape2, const bool *structure2, const int64_t *origins1,
                                          const int64_t *origins2, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    MNP_NEED_IF(structure1, shape1);
    MNP_NEED_IF(structure2, shape2);
    mnp_array *whole = NULL, *hit = NULL, *miss = NULL, *result = NULL;
    struct binary first = {.function = __func__, .origins = origins1},
                  second = {.function = __func__, .origins = origins2 ? origins2 : origins1};
    mnp_status st = open_binary(&first, x, shape1, structure1);
    if (st == MNP_OK)
        st = open_binary(&second, x, structure2 ? shape2 : first.size, structure2 ? structure2 : first.structure);
    if (st == MNP_OK && !structure2) { /* by default what the first structure leaves out */
        int64_t total = 1;
        for (int d = 0; d < x->layout->ndim; d++)
            total *= second.size[d];
        for (int64_t i = 0; i < total; i++)
            second.structure[i] = !second.structure[i];
    }
    if (st == MNP_OK)
        st = mnp_astype(x, MNP_BOOL, &whole);
    if (st == MNP_OK)
        st = step(&first, false, false, whole, &hit);
    if (st == MNP_OK)
        st = step(&second, true, false, whole, &miss);
    if (st == MNP_OK)
        st = mnp_greater(hit, miss, &result);
    mnp_array_free(whole);
    mnp_array_free(hit);
    mnp_array_free(miss);
    close_binary(&first);
    close_binary(&second);
    return mnp__output_give(result, st, y_p);
}
