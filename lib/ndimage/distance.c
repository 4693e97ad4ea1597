/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances to the background.
 *
 * One axis after the other is made whole, and each element gets the least distance over its line.  Along the first
 * axis that is the distance to the next background: on GPUs distance_bits.cu of kernels/ndimage finds it, and
 * distance_search.cu those along the others; on the host distance_sweep.cu does where two sweeps find it, else
 * distance.cu.  With it travels the number of the element of the background, if that is wanted.  Euclidean distances
 * are squares until the end.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <maniple/ndimage.h>
#include <maniple/ufunc.h>

#include "array/output.h"
#include "base/call.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "ndimage/lines.h"
#include "ops/elementwise/formula.h"

enum metric { EUCLIDEAN, TAXICAB, CHESSBOARD };

struct search {
    const char *function;
    mnp_ctx *ctx;
    enum metric metric;
    const double *sampling;
    bool places; /* of the background are wanted */
    mnp_array *distance, *place;
};

static mnp_status apply(const struct search *s, const mnp__formula *formula, const mnp_array *input,
                        const mnp_layout *layout, mnp_array **out_p)
{
    const mnp__formula_call call = {.function = s->function,
                                    .formula = formula,
                                    .ninputs = 1,
                                    .inputs = &input,
                                    .outputs_p = (mnp_array * *const[]){out_p},
                                    .type = formula->type,
                                    .result = formula->type,
                                    .layout = layout};
    return mnp__formula_run(s->ctx, &call);
}

/* ---- along lines ---- */

/* How distances along lines are found. */
enum way { SWEEPS, INTERVALS, SEARCHES };

static mnp_status load_kernel(const struct search *s, enum way way, mnp__kernel **kernel_p)
{
    static const mnp__kernel_spec specs[] = {
        [SWEEPS] = {.file = "ndimage/distance_sweep.cu", .function = "distance_sweep"},
        [INTERVALS] = {.file = "ndimage/distance.cu", .function = "distance"},
        [SEARCHES] = {.file = "ndimage/distance_search.cu", .function = "distance_search"},
    };
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_METRIC %d\n#define MNP_PLACES %d\n", (int)s->metric, s->places);
    return mnp__ctx_kernel_of_text(s->ctx, &specs[way], &defines, NULL, kernel_p);
}

/* Run the kernel: with searches for few elements of each line, for those between them, and so on to all. */
static mnp_status launch(const struct search *s, enum way way, mnp_distance_params *p)
{
    mnp__kernel *kernel;
    MNP_TRY(load_kernel(s, way, &kernel));
    if (way != SEARCHES)
        return mnp__lines_launch(s->ctx, kernel, &p->lines, p, sizeof *p);
    for (p->step = 1; p->step * MNP_DISTANCE_RATIO < p->lines.length;)
        p->step *= MNP_DISTANCE_RATIO;
    for (p->between = false; p->step > 0; p->step /= MNP_DISTANCE_RATIO, p->between = true) {
        const int64_t last = p->step > 1 && !p->between, each = mnp__divide_up(p->lines.length, p->step) + last;
        MNP_TRY(mnp__ctx_launch(s->ctx, kernel, p->lines.count * each, p, sizeof *p));
    }
    return MNP_OK;
}

static mnp_status new_of(const mnp_array *like, mnp_dtype dtype, mnp_array **new_p)
{
    return mnp_array_new(like->ctx, dtype, like->layout, new_p);
}

/* Replace the distances by those along an axis, which is whole. */
static mnp_status search_axis(struct search *s, int axis, bool is_first)
{
    const bool sweeps = is_first || s->metric == TAXICAB;
    const enum way way = s->ctx->device->block_memory > 0 ? SEARCHES : sweeps ? SWEEPS : INTERVALS;
    mnp_array *to = NULL, *to_place = NULL, *stack = NULL, *begins = NULL;
    mnp_status st = new_of(s->distance, MNP_FLOAT64, &to);
    if (st == MNP_OK && s->places)
        st = new_of(s->distance, MNP_INT64, &to_place);
    if (st == MNP_OK && way != SWEEPS)
        st = new_of(s->distance, MNP_INT32, &stack);
    if (st == MNP_OK && way == INTERVALS)
        st = new_of(s->distance, MNP_INT32, &begins);
    if (st == MNP_OK) {
        mnp_distance_params p = {.lines = mnp__lines_of(s->distance, axis),
                                 .from = s->distance->data,
                                 .to = to->data,
                                 .from_place = s->places ? s->place->data : NULL,
                                 .to_place = s->places ? to_place->data : NULL,
                                 .stack = stack ? stack->data : NULL,
                                 .begins = begins ? begins->data : NULL,
                                 .nearest = stack ? stack->data : NULL,
                                 .scale = s->sampling ? s->sampling[axis] : 1};
        st = MNP_AGREE(s->ctx, launch(s, way, &p));
    }
    mnp_free_all(stack, begins);
    if (st != MNP_OK) {
        mnp_free_all(to, to_place);
        return st;
    }
    mnp_free_all(s->distance, s->place);
    s->distance = to;
    s->place = to_place;
    return MNP_OK;
}

static const mnp__formula first_distance = {
    .name = "first_distances",
    .body = "out = x != 0 ? mnp_infinity<double>() : 0;",
    .type = MNP_FLOAT64,
    .ninputs = 1,
    .inputs = {{"x", MNP_FLOAT64, false}},
};

static const mnp__formula first_place = {
    .name = "first_places",
    .body = "out = x != 0 ? -1 : mnp_i;",
    .indices = true,
    .type = MNP_INT64,
    .ninputs = 1,
    .inputs = {{"x", MNP_FLOAT64, false}},
};

static const mnp__formula is_background = {
    .name = "background",
    .body = "out = x != 0 ? 0 : 1;",
    .type = MNP_UINT8,
    .ninputs = 1,
    .inputs = {{"x", MNP_FLOAT64, false}},
};

/* ---- along the first axis on GPUs ---- */

static mnp_status load_bits(const struct search *s, int task, mnp__kernel **kernel_p)
{
    static const mnp__kernel_spec spec = {.file = "ndimage/distance_bits.cu", .function = "distance_bits"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_TASK %d\n", task);
    if (task == 1)
        mnp__text_add(&defines, "#define MNP_METRIC %d\n#define MNP_PLACES %d\n", (int)s->metric, s->places);
    return mnp__ctx_kernel_of_text(s->ctx, &spec, &defines, NULL, kernel_p);
}

/* Make the words of all levels, and find the distances. */
static mnp_status launch_bits(const struct search *s, mnp_bits_params *p)
{
    mnp__device *device = s->ctx->device;
    mnp__kernel *make, *find;
    void *memory;
    int64_t starts[MNP_DISTANCE_LEVELS + 1] = {0};
    MNP_TRY(load_bits(s, 0, &make));
    MNP_TRY(load_bits(s, 1, &find));
    if (p->lines.count == 0 || p->lines.length == 0)
        return MNP_OK;
    p->extents[0] = p->lines.length;
    do {
        const int l = p->levels++;
        p->extents[l + 1] = mnp__divide_up(p->extents[l], 32);
        starts[l + 1] = starts[l] + p->lines.count * p->extents[l + 1];
    } while (p->extents[p->levels] > 1);
    MNP_TRY(device->ops->alloc(device, (size_t)starts[p->levels] * sizeof(unsigned), &memory));
    mnp_status st = MNP_OK;
    for (p->level = 0; p->level < p->levels && st == MNP_OK; p->level++) {
        const int64_t words = p->lines.count * p->extents[p->level + 1];
        p->words[p->level] = (unsigned *)memory + starts[p->level];
        st = mnp__ctx_launch(s->ctx, make, p->lines.inner == 1 ? 32 * words : words, p, sizeof *p);
    }
    if (st == MNP_OK)
        st = mnp__ctx_launch(s->ctx, find, p->lines.count * p->lines.length, p, sizeof *p);
    device->ops->free(device, memory);
    return st;
}

/* Distances along an axis, which is whole in that layout.  The places are those of the elements themselves. */
static mnp_status find_nearest(struct search *s, const mnp_array *x, const mnp_layout *layout, int axis)
{
    mnp_array *background = NULL, *to = NULL, *to_place = NULL;
    mnp_status st;
    MNP_TRY_OR(apply(s, &is_background, x, layout, &background), st, done);
    MNP_TRY_OR(new_of(background, MNP_FLOAT64, &to), st, done);
    if (s->places)
        MNP_TRY_OR(new_of(background, MNP_INT64, &to_place), st, done);
    mnp_bits_params p = {.lines = mnp__lines_of(background, axis),
                         .background = background->data,
                         .to = to->data,
                         .from_place = s->places ? s->place->data : NULL,
                         .to_place = s->places ? to_place->data : NULL,
                         .scale = s->sampling ? s->sampling[axis] : 1};
    MNP_TRY_OR(MNP_AGREE(s->ctx, launch_bits(s, &p)), st, done);
    mnp_array_free(s->place);
    s->distance = to;
    s->place = to_place;
    to = to_place = NULL;
done:
    mnp_free_all(background, to, to_place);
    return st;
}

/* Find distances and places, in any layout.  Collective. */
static mnp_status search_first_axis(struct search *s, const mnp_array *x, const mnp_layout *layout, int axis)
{
    if (s->places)
        MNP_TRY(apply(s, &first_place, x, layout, &s->place));
    if (s->ctx->device->block_memory > 0)
        return find_nearest(s, x, layout, axis);
    MNP_TRY(apply(s, &first_distance, x, layout, &s->distance));
    return search_axis(s, axis, true);
}

static mnp_status search(struct search *s, const mnp_array *x)
{
    int axes[MNP_MAX_DIMS];
    const int count = mnp__lines_order(x->layout, (1U << x->layout->ndim) - 1, axes);
    mnp_status st = MNP_OK;
    for (int a = 0; a < count && st == MNP_OK; a++) {
        mnp_layout *layout = NULL;
        st = MNP_AGREE(s->ctx, mnp__lines_whole(a > 0 ? s->distance->layout : x->layout, axes[a], &layout));
        if (st == MNP_OK && a == 0)
            st = search_first_axis(s, x, layout, axes[a]);
        if (st == MNP_OK && a > 0)
            st = mnp__lines_bring(layout, &s->distance);
        if (st == MNP_OK && a > 0)
            st = mnp__lines_bring(layout, &s->place);
        if (st == MNP_OK && a > 0)
            st = search_axis(s, axes[a], false);
        mnp_layout_free(layout);
    }
    return st;
}

/* ---- results ---- */

static const mnp__formula root = {
    .name = "roots_of_distances",
    .body = "out = mnp_sqrt(d);",
    .type = MNP_FLOAT64,
    .ninputs = 1,
    .inputs = {{"d", MNP_FLOAT64, false}},
};
static const mnp__formula whole = {
    .name = "whole_distances",
    .body = "out = d - d != 0 ? -1 : (int32_t)d;",
    .type = MNP_INT32,
    .ninputs = 1,
    .inputs = {{"d", MNP_FLOAT64, false}},
};
static const mnp__formula unsigned_whole = {
    .name = "unsigned_distances",
    .body = "out = d - d != 0 ? 4294967295u : (uint32_t)d;",
    .type = MNP_UINT32,
    .ninputs = 1,
    .inputs = {{"d", MNP_FLOAT64, false}},
};

static const mnp__formula index_of_place = {
    .name = "indices_of_places",
    .body = "int64_t rest = place;\n"
            "for (int64_t d = mnp_shape[0]; d > mnp_index[0] + 1; d--)\n    rest /= mnp_shape[d];\n"
            "out = place < 0 ? -1 : (int32_t)(rest % mnp_shape[mnp_index[0] + 1]);",
    .indices = true,
    .type = MNP_INT32,
    .ninputs = 1,
    .inputs = {{"place", MNP_INT64, false}},
};

/* The layout of indices: one row for each dimension, cut as the distances. */
static mnp_status indices_layout(const mnp_layout *layout, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    dims[0] = mnp__layout_dim_whole(layout->ndim);
    for (int d = 0; d < layout->ndim; d++)
        dims[d + 1] = mnp__layout_dim_of(layout, d);
    return mnp__layout_derive(layout, layout->ndim + 1, dims, layout_p);
}

static mnp_status check(const struct search *s, const mnp_array *x, mnp_dtype dtype, mnp_array *const *outs,
                        const mnp_layout *layout)
{
    const int ndim = x->layout->ndim;
    const mnp__output_spec specs[2] = {
        {.function = s->function, .name = "distances", .ctx = s->ctx, .dtype = dtype, .layout = x->layout},
        {.function = s->function, .name = "indices", .ctx = s->ctx, .dtype = MNP_INT32, .layout = layout}};
    for (int d = 0; d < ndim; d++) {
        if (x->layout->shape[d] > INT32_MAX)
            return MNP_FAIL(MNP_ERR_ARG, "%s: dimension %d has %" PRId64 " elements; there may be 2^31 - 1",
                            s->function, d, x->layout->shape[d]);
        if (s->sampling && !(s->sampling[d] > 0 && s->sampling[d] < INFINITY))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the sampling along axis %d is %g; it should be above 0", s->function, d,
                            s->sampling[d]);
    }
    for (int i = 0; i < 2; i++)
        if (outs[i])
            MNP_TRY(mnp__output_check(&specs[i], outs[i]));
    return MNP_OK;
}

static mnp_status transform(struct search *s, const mnp_array *x, const mnp__formula *result, mnp_array **distances_p,
                            mnp_array **indices_p)
{
    mnp_array **const user[2] = {distances_p, indices_p};
    mnp_array *const given[2] = {distances_p ? *distances_p : NULL, indices_p ? *indices_p : NULL};
    mnp_array *made[2] = {NULL, NULL};
    mnp_layout *layout = NULL;
    const int ndim = x->layout->ndim;
    s->ctx = x->ctx;
    s->places = indices_p != NULL;
    MNP_TRY(mnp__array_check_blocks(s->function, x));
    if (ndim == 0 || mnp_dtype_kind(x->dtype) == 'c' || (s->places && ndim == MNP_MAX_DIMS))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s of %d dimensions; it should be real and have 1 to %d",
                        s->function, mnp_dtype_name(x->dtype), ndim, MNP_MAX_DIMS - s->places);
    MNP_TRY(mnp__output_check_distinct(s->function, 2, user));
    mnp_status st = MNP_AGREE(x->ctx, s->places ? indices_layout(x->layout, &layout) : MNP_OK);
    if (st == MNP_OK)
        st = check(s, x, result->type, given, layout);
    if (st == MNP_OK)
        st = search(s, x);
    if (st == MNP_OK && distances_p)
        st = apply(s, result, s->distance, x->layout, &made[0]);
    if (st == MNP_OK && indices_p)
        st = apply(s, &index_of_place, s->place, layout, &made[1]);
    mnp_free_all(s->distance, s->place);
    mnp_layout_free(layout);
    mnp__output outputs[2];
    int count = 0;
    for (int i = 0; i < 2; i++)
        if (user[i])
            outputs[count++] = (mnp__output){.array = made[i], .user_p = user[i]};
    return mnp__output_close(count, outputs, st);
}

/* ---- public functions ---- */

static mnp_status find_metric(const char *function, const char *name, bool euclidean, enum metric *metric_p)
{
    static const struct {
        const char *name;
        enum metric metric;
    } metrics[] = {{"euclidean", EUCLIDEAN},
                   {"taxicab", TAXICAB},
                   {"cityblock", TAXICAB},
                   {"manhattan", TAXICAB},
                   {"chessboard", CHESSBOARD}};
    *metric_p = euclidean ? EUCLIDEAN : CHESSBOARD;
    if (!name)
        return MNP_OK;
    for (size_t i = !euclidean; i < sizeof metrics / sizeof *metrics; i++) {
        *metric_p = metrics[i].metric;
        if (strcmp(name, metrics[i].name) == 0)
            return MNP_OK;
    }
    return MNP_FAIL(MNP_ERR_ARG, "%s: '%s' is no metric; there are %staxicab, cityblock, manhattan and chessboard",
                    function, name, euclidean ? "euclidean, " : "");
}

mnp_status mnp_ndimage_distance_transform_edt(const mnp_array *x, const double *sampling, mnp_array **distances_p,
                                              mnp_array **indices_p)
{
    MNP_ENTER(x);
    MNP_NEED_IF(distances_p, distances_p);
    MNP_NEED_IF(indices_p, indices_p);
    struct search s = {.function = __func__, .metric = EUCLIDEAN, .sampling = sampling};
    return transform(&s, x, &root, distances_p, indices_p);
}

mnp_status mnp_ndimage_distance_transform_cdt(const mnp_array *x, const char *metric, mnp_array **distances_p,
                                              mnp_array **indices_p)
{
    MNP_ENTER(x);
    MNP_NEED_IF(distances_p, distances_p);
    MNP_NEED_IF(indices_p, indices_p);
    struct search s = {.function = __func__};
    MNP_TRY(find_metric(__func__, metric, false, &s.metric));
    return transform(&s, x, &whole, distances_p, indices_p);
}

mnp_status mnp_ndimage_distance_transform_bf(const mnp_array *x, const char *metric, const double *sampling,
                                             mnp_array **distances_p, mnp_array **indices_p)
{
    MNP_ENTER(x);
    MNP_NEED_IF(distances_p, distances_p);
    MNP_NEED_IF(indices_p, indices_p);
    struct search s = {.function = __func__};
    MNP_TRY(find_metric(__func__, metric, true, &s.metric));
    s.sampling = s.metric == EUCLIDEAN ? sampling : NULL;
    return transform(&s, x, s.metric == EUCLIDEAN ? &root : &unsigned_whole, distances_p, indices_p);
}
