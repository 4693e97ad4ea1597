/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a recurrence: how lines are divided, the plans that a context keeps, and the launches.
 *
 * A plan depends on the filter and on how arrays are cut.  It holds the coefficients, the powers of the transition
 * matrix that join parts, groups of parts and ranks, and memory for the states of parts.  So a filter that is run again
 * computes no powers, copies nothing to the device and allocates nothing but results.
 */
#include "signal/filters/recurrence.h"

#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/dtype.h"
#include "base/hash.h"
#include "base/integer.h"
#include "base/nest.h"
#include "base/text.h"
#include "kernels/signal/filters/recurrence_params.h"
#include "layout/layout.h"
#include "signal/filters/constants.h"
#include "signal/filters/recurrence_tiles.h"

enum {
    GROUP = 32,          /* items that one worker joins */
    TOP = 64,            /* at most so many items are joined at once at the end */
    LEVELS = 16,         /* of groups of groups */
    HOST_LANES = 8,      /* parts that a worker of the host runs side by side */
    HOST_PART = 1024,    /* least elements of a part on the host */
    LONG_PART = 1 << 15, /* of long parts, neighbours' elements should not lie in the same set of a cache: */
    PAGE = 512,          /* those of so many elements from each other do, */
    NEAR = 16,           /* more or less, */
    SHIFT = 64,          /* and parts that are longer by so many do not */
    GPU_UNITS = 1 << 16, /* so many threads keep a GPU busy */
    GPU_MANY_LINES = 8192,
    GPU_PART = 128
};

enum { IN, OUT, PLACE, OPERANDS };

/* What is cached of a filter for arrays that are cut in one way. */
typedef struct plan {
    int threads;         /* of a rank on the host; 0 on a GPU */
    int64_t parts, part; /* of a line; elements of all parts but the first */
    int top;             /* the last level of groups */
    double *device;      /* coefficients, then matrices: of the levels, of the first part, of the ranks */
    double *states;      /* of parts, then of groups of each level */
} plan;

typedef struct run {
    mnp_ctx *ctx;
    const char *function;
    const mnp__recurrence *filter;
    int axis, reals; /* real numbers of an element: 2 of complex ones */
    int64_t lines, length, ranks;
    mnp__input x, start;
    mnp__output y;
    mnp_array *mine, *end; /* states where this rank's lines begin, where whole lines end */
    bool tiled;
    mnp__recurrence_tiles tiles;
    mnp__kernel *kernel;
    plan *plan;
    mnp_recurrence_params params;
} run;

/* ---- plans ---- */

static void choose_parts(const run *r, plan *p)
{
    const int64_t threads = p->threads, enough = threads ? HOST_LANES * threads : GPU_MANY_LINES;
    const int64_t wanted = threads ? HOST_LANES * threads : GPU_UNITS, shortest = threads ? HOST_PART : GPU_PART;
    int64_t parts =
        r->tiled || r->lines == 0 || r->lines >= enough ? 1 : mnp__min(wanted / r->lines, r->length / shortest);
    parts = mnp__max(parts, 1);
    p->part = mnp__divide_up(r->length, parts);
    if (threads && parts > 1 && p->part >= LONG_PART && (p->part + NEAR) % PAGE < 2 * NEAR)
        p->part += SHIFT;
    p->parts = p->part > 0 ? mnp__divide_up(r->length, p->part) : 1;
    p->top = 0;
    for (int64_t count = p->parts; count > TOP; count = mnp__divide_up(count, GROUP))
        p->top++;
}

/* Where the states of a level begin, in numbers; for the level behind the last, how many there are. */
static int64_t level_offset(const run *r, const plan *p, int level)
{
    int64_t offset = 0, count = p->parts;
    for (int i = 0; i < level; i++, count = mnp__divide_up(count, GROUP))
        offset += count * r->filter->order * r->lines;
    return offset;
}

/* Matrices of a plan by number: one of each level, that of the first part, one of each rank. */
static int64_t count_matrices(const run *r, const plan *p)
{
    return p->top + 2 + r->ranks;
}

static const double *matrix_of(const run *r, int64_t number)
{
    return r->plan->device + mnp__recurrence_size(r->filter) + number * r->filter->order * r->filter->order;
}

/* Compute the powers of the transition matrix that the plan needs. */
static mnp_status compute_matrices(const run *r, const plan *p, double *matrices)
{
    const int64_t order = r->filter->order, size = order * order;
    const mnp_layout *layout = r->x.array->layout;
    const int64_t *cuts = mnp_layout_cuts(layout, r->axis);
    long double *one;
    mnp_status st;
    MNP_TRY(mnp__malloc((size_t)size * sizeof *one, &one));
    mnp__recurrence_matrix(r->filter, one);
    int64_t elements = p->part;
    for (int level = 0; level <= p->top; level++, elements *= GROUP, matrices += size)
        MNP_TRY_OR(mnp__recurrence_power(order, one, mnp__min(elements, INT64_C(1) << 60), matrices), st, done);
    MNP_TRY_OR(mnp__recurrence_power(order, one, r->length - (p->parts - 1) * p->part, matrices), st, done);
    for (int64_t rank = 0; rank < r->ranks; rank++)
        MNP_TRY_OR(mnp__recurrence_power(order, one, cuts[rank + 1] - cuts[rank], matrices += size), st, done);
done:
    free(one);
    return st;
}

static mnp_status make_plan(mnp_ctx *ctx, const void *from, void *item)
{
    const run *r = from;
    plan *p = item;
    const int64_t coefficients = mnp__recurrence_size(r->filter);
    double *host = NULL;
    mnp_rank_info info;
    void *states;
    mnp_status st;
    MNP_TRY(ctx->device->ops->info(ctx->device, &info));
    p->threads = ctx->device->block_memory > 0 ? 0 : info.multiprocessors;
    choose_parts(r, p);
    const int64_t count = coefficients + count_matrices(r, p) * r->filter->order * r->filter->order;
    MNP_TRY_OR(mnp__malloc((size_t)count * sizeof *host, &host), st, done);
    memcpy(host, r->filter->coefficients, (size_t)coefficients * sizeof *host);
    MNP_TRY_OR(compute_matrices(r, p, host + coefficients), st, done);
    MNP_TRY_OR(mnp__constants_copy(ctx, host, count, &p->device), st, done);
    const int64_t numbers = level_offset(r, p, p->top + 1);
    MNP_TRY_OR(ctx->device->ops->alloc(ctx->device, (size_t)numbers * sizeof(double), &states), st, done);
    p->states = states;
done:
    free(host);
    return st;
}

static void release_plan(mnp_ctx *ctx, void *item)
{
    plan *p = item;
    ctx->device->ops->free(ctx->device, p->device);
    ctx->device->ops->free(ctx->device, p->states);
}

static mnp_status find_plan(run *r)
{
    static const mnp__constants_kind kind = {
        .attachment = MNP__ATTACHED_FILTERS, .size = sizeof(plan), .make = make_plan, .release = release_plan};
    const mnp__constants_key key = {.facts = {mnp__layout_hash(r->x.array->layout), (uint64_t)r->axis,
                                              (uint64_t)r->reals, (uint64_t)r->filter->sections,
                                              (uint64_t)r->filter->order},
                                    .numbers = r->filter->coefficients,
                                    .count = mnp__recurrence_size(r->filter)};
    void *item;
    MNP_TRY(mnp__constants_get(r->ctx, &kind, &key, r, &item));
    r->plan = item;
    return MNP_OK;
}

/* ---- arrays ---- */

/*
 * Make an array of states.  ranks: of each part of the axis, in one more dimension in front, which is cut as the axis
 * if `cut`.
 */
static mnp_status make_states(const run *r, bool ranks, bool cut, mnp_layout **layout_p, mnp_array **states_p)
{
    const mnp_layout *from = r->x.array->layout;
    mnp__layout_dim dims[MNP_MAX_DIMS + 1];
    mnp_layout *layout;
    int ndim = 0;
    if (ranks) {
        dims[ndim] = mnp__layout_dim_whole(r->ranks);
        if (cut)
            dims[ndim].axis = from->axes[r->axis], dims[ndim].reversed = from->reversed[r->axis];
        ndim++;
    }
    dims[ndim++] = mnp__layout_dim_whole(r->filter->order);
    for (int d = 0; d < from->ndim; d++) {
        if (d != r->axis)
            dims[ndim++] = mnp__layout_dim_of(from, d);
    }
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s: an array of %d dimensions cannot be filtered along one that is cut",
                        r->function, from->ndim);
    MNP_TRY(mnp__layout_derive(from, ndim, dims, &layout));
    mnp_status st =
        states_p ? mnp_array_new(r->ctx, r->reals == 2 ? MNP_COMPLEX128 : MNP_FLOAT64, layout, states_p) : MNP_OK;
    if (st == MNP_OK && layout_p)
        *layout_p = layout;
    else
        mnp_layout_free(layout);
    return st;
}

static mnp_status open_arrays(run *r, const mnp_array *x, const mnp_array *start, mnp_array **y_p)
{
    const bool is_complex = mnp_dtype_kind(x->dtype) == 'c' || (start && mnp_dtype_kind(start->dtype) == 'c');
    const bool cast = is_complex && mnp_dtype_kind(x->dtype) != 'c';
    const mnp_dtype wide = is_complex ? MNP_COMPLEX128 : MNP_FLOAT64;
    const bool fits = *y_p && mnp_can_cast(wide, (*y_p)->dtype, MNP_CASTING_SAME_KIND);
    const bool in_place = *y_p == x && fits && !cast;
    r->reals = is_complex ? 2 : 1;
    const mnp__output_spec spec = {.function = r->function,
                                   .ctx = r->ctx,
                                   .dtype = fits ? (*y_p)->dtype : wide,
                                   .layout = x->layout,
                                   .ninputs = in_place ? 0 : 1,
                                   .inputs = &x};
    MNP_TRY(mnp__output_open(&spec, y_p, &r->y));
    MNP_TRY(mnp__input_open(x, x->layout, cast ? wide : MNP_DTYPE_AUTO, 0, &r->x));
    r->ranks = mnp_layout_parts(x->layout, r->axis);
    if (!start)
        return MNP_OK;
    mnp_layout *layout = NULL;
    mnp_status st = make_states(r, false, false, &layout, NULL);
    if (st == MNP_OK)
        st = mnp__input_open(start, layout, wide, MNP__INPUT_DENSE, &r->start);
    mnp_layout_free(layout);
    return st;
}

void mnp__recurrence_lines(const mnp_array *x, const mnp_array *y, int axis, int reals, mnp_recurrence_over *over)
{
    int64_t stride[OPERANDS][MNP_MAX_DIMS], place = 1;
    mnp__nest nest = {.count = OPERANDS, .stride = stride};
    for (int d = 0; d < x->layout->ndim; d++) {
        if (d == axis)
            continue;
        nest.extent[nest.ndim] = x->local_shape[d];
        stride[IN][nest.ndim] = x->local_strides[d] * reals;
        stride[OUT][nest.ndim++] = y->local_strides[d] * reals;
    }
    if (reals == 2) {
        nest.extent[nest.ndim] = 2;
        stride[IN][nest.ndim] = stride[OUT][nest.ndim] = 1;
        nest.ndim++;
    }
    for (int d = nest.ndim - 1; d >= 0; place *= nest.extent[d--])
        stride[PLACE][d] = place;
    *over = (mnp_recurrence_over){.lines = place};
    mnp__nest_drop(&nest);
    mnp__nest_order(&nest, IN, PLACE);
    mnp__nest_join(&nest);
    mnp__nest_pad(&nest, MNP_RECURRENCE_DIMS, 0);
    over->in = (mnp_recurrence_operand){.base = x->data, .along = x->local_strides[axis] * reals};
    over->out = (mnp_recurrence_operand){.base = y->data, .along = y->local_strides[axis] * reals};
    for (int d = 0; d < MNP_RECURRENCE_DIMS; d++) {
        over->kept[d] = nest.extent[d];
        over->place[d] = stride[PLACE][d];
        over->in.kept[d] = stride[IN][d];
        over->out.kept[d] = stride[OUT][d];
    }
}

static void fill_params(run *r)
{
    mnp__recurrence_lines(r->x.array, r->y.array, r->axis, r->reals, &r->params.over);
    r->lines = r->params.over.lines;
    r->params.length = r->length = r->x.array->local_shape[r->axis];
}

/* ---- launches ---- */

static mnp_status load_kernel(run *r)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_ORDER %d\n#define MNP_SECTIONS %d\n",
                  mnp__jit_type(mnp__dtype_real(r->x.array->dtype)), mnp__jit_type(mnp__dtype_real(r->y.array->dtype)),
                  (int)r->filter->order, (int)r->filter->sections);
    const mnp__kernel_spec spec = {.file = "signal/filters/recurrence.cu", .function = "recurrence"};
    return mnp__ctx_kernel_of_text(r->ctx, &spec, &defines, NULL, &r->kernel);
}

static mnp_status launch(const run *r, const mnp_recurrence_params *params, int64_t units)
{
    const unsigned threads = 128;
    if (units == 0)
        return MNP_OK;
    const int64_t blocks = r->plan->threads ? units : mnp__divide_up(units, threads);
    const mnp__launch how = {.grid = {(unsigned)mnp__min(blocks, 1 << 20), 1, 1}, .block = {threads, 1, 1}};
    return r->ctx->device->ops->launch(r->ctx->device, r->kernel, &how, params, sizeof *params, r->ctx->compute);
}

/* Compute the values, or the states where the first `count` parts end that begin with zeros. */
static mnp_status launch_parts(run *r, int task, int64_t count)
{
    mnp_recurrence_params p = r->params;
    p.task = task;
    p.count = count;
    p.states = r->plan->states;
    return launch(r, &p, count * r->lines);
}

/* Join the items of a level: to the next level, or with `totals` all of them; or expand them from the next level. */
static mnp_status launch_level(run *r, int task, int level, int64_t count, double *totals)
{
    const plan *made = r->plan;
    mnp_recurrence_params p = r->params;
    double *next = made->states + level_offset(r, made, level + 1);
    p.task = task;
    p.placed = totals != NULL;
    p.matrix = matrix_of(r, level);
    p.states = made->states + level_offset(r, made, level);
    p.count = count;
    p.group = level == made->top ? count : GROUP;
    if (task == MNP_RECURRENCE_FOLD)
        p.totals = totals ? totals : next;
    else
        p.before = level == made->top ? NULL : next;
    return launch(r, &p, mnp__divide_up(count, p.group) * r->lines);
}

/*
 * Join the first `count` parts: `totals` receives where they end from zeros; NULL: their states become the true ones.
 */
static mnp_status join(run *r, int64_t count, double *totals)
{
    int64_t counts[LEVELS + 1] = {count};
    const int top = r->plan->top;
    for (int level = 0; level < top; level++) {
        counts[level + 1] = mnp__divide_up(counts[level], GROUP);
        MNP_TRY(launch_level(r, MNP_RECURRENCE_FOLD, level, counts[level], NULL));
    }
    if (totals)
        return launch_level(r, MNP_RECURRENCE_FOLD, top, counts[top], totals);
    for (int level = top; level >= 0; level--)
        MNP_TRY(launch_level(r, MNP_RECURRENCE_EXPAND, level, counts[level], NULL));
    return MNP_OK;
}

/* Filter in tiles; without `values` only to find where lines end. */
static mnp_status launch_tiles(const run *r, bool values, double *last)
{
    mnp_recurrence_tiles_params p = {.over = r->params.over, .length = r->length, .last = last};
    p.step = p.every = 1;
    p.places = r->length;
    p.start = r->params.start;
    if (!values)
        p.over.out.base = NULL;
    if (r->length > 0)
        return mnp__recurrence_tiles_launch(&r->tiles, &p);
    return last ? r->ctx->device->ops->fill(r->ctx->device, last, 0,
                                            (size_t)(r->lines * r->filter->order) * sizeof *last, r->ctx->compute)
                : MNP_OK;
}

/* Compute where this rank's lines end that begin with zeros. */
static mnp_status launch_ends(run *r, double *ends)
{
    if (r->tiled) {
        run zeros = *r;
        zeros.params.start = NULL;
        return launch_tiles(&zeros, false, ends);
    }
    MNP_TRY(launch_parts(r, MNP_RECURRENCE_ENDS, r->plan->parts));
    return join(r, r->plan->parts, ends);
}

/* From the ends of all ranks' lines to the states in which this rank's begin, and in which whole lines end. */
static mnp_status launch_ranks(run *r, const mnp_array *ends)
{
    mnp_recurrence_params p = r->params;
    p.task = MNP_RECURRENCE_RANKS;
    p.matrix = matrix_of(r, r->plan->top + 2);
    p.states = ends->data;
    p.totals = r->mine->data;
    p.last = r->end ? r->end->data : NULL;
    p.ranks = r->ranks;
    p.mine = mnp__layout_part(r->x.array->layout, r->axis, r->ctx->comm.rank);
    return launch(r, &p, r->lines);
}

/* Find where lines begin on this rank, and where they end, if that is wanted. */
static mnp_status share_ends(run *r, bool wants_end)
{
    mnp_array *ends = NULL, *all = NULL;
    mnp_layout *whole = NULL;
    mnp_status st;
    MNP_TRY_OR(make_states(r, true, true, NULL, &ends), st, done);
    MNP_TRY_OR(make_states(r, false, false, NULL, &r->mine), st, done);
    if (wants_end)
        MNP_TRY_OR(make_states(r, false, false, NULL, &r->end), st, done);
    st = ends->data && r->lines > 0 ? launch_ends(r, ends->data) : MNP_OK;
    MNP_TRY_OR(r->tiled ? MNP_AGREE(r->ctx, st) : st, st, done); /* tiles may need memory */
    if (r->ranks > 1) {
        MNP_TRY_OR(make_states(r, true, false, &whole, NULL), st, done);
        MNP_TRY_OR(mnp_redistribute(ends, whole, &all), st, done);
    }
    if (r->mine->local_size > 0) /* a rank may own no line of a view */
        MNP_TRY_OR(launch_ranks(r, all ? all : ends), st, done);
    r->params.start = r->mine->data;
done:
    mnp_array_free(ends);
    mnp_array_free(all);
    mnp_layout_free(whole);
    return st;
}

/* Compute the values of the parts of lines one after another, once it is known where this rank's lines begin. */
static mnp_status compute_parts(run *r, bool has_ends)
{
    const plan *made = r->plan;
    if (made->parts > 1) {
        if (!has_ends)
            MNP_TRY(launch_parts(r, MNP_RECURRENCE_ENDS, made->parts - 1));
        if (r->params.start) {
            mnp_recurrence_params seed = r->params;
            seed.task = MNP_RECURRENCE_SEED;
            seed.matrix = matrix_of(r, made->top + 1);
            seed.states = made->states;
            MNP_TRY(launch(r, &seed, r->lines));
        }
        MNP_TRY(join(r, made->parts - 1, NULL));
    }
    return launch_parts(r, MNP_RECURRENCE_VALUES, r->length > 0 ? made->parts : 0);
}

static mnp_status open_tiles(run *r)
{
    const mnp_array *x = r->x.array;
    return mnp__recurrence_tiles_open(r->ctx, r->filter, mnp__dtype_real(x->dtype), mnp__dtype_real(r->y.array->dtype),
                                      x->layout->shape[r->axis], &r->tiles);
}

static mnp_status compute(run *r, bool wants_end)
{
    const bool shares = r->ranks > 1 || wants_end;
    fill_params(r);
    r->params.start = r->start.array ? r->start.array->data : NULL;
    r->tiled = mnp__recurrence_tiles_fit(r->filter, r->x.array, r->axis, r->reals);
    if (r->tiled)
        MNP_TRY(open_tiles(r));
    if (r->tiled && r->ranks == 1) {
        if (wants_end)
            MNP_TRY(make_states(r, false, false, NULL, &r->end));
        return MNP_AGREE(r->ctx, launch_tiles(r, true, wants_end ? r->end->data : NULL));
    }
    MNP_TRY(find_plan(r));
    MNP_TRY(load_kernel(r));
    r->params.parts = r->plan->parts;
    r->params.part = r->plan->part;
    r->params.coefficients = r->plan->device;
    if (shares)
        MNP_TRY(share_ends(r, wants_end));
    return r->tiled ? MNP_AGREE(r->ctx, launch_tiles(r, true, NULL)) : compute_parts(r, shares);
}

mnp_status mnp__recurrence_run(const char *function, const mnp__recurrence *filter, const mnp_array *x, int axis,
                               const mnp_array *start, mnp_array **y_p, mnp_array **end_p)
{
    run r = {.ctx = x->ctx, .function = function, .filter = filter, .axis = axis};
    const size_t bytes = (size_t)mnp__recurrence_size(filter) * sizeof(double);
    mnp_status st = mnp__refuse_recording(r.ctx->device, "a filter with feedback");
    if (st == MNP_OK)
        st = mnp__check_same(&r.ctx->comm, function,
                             mnp__hash(mnp__layout_hash(x->layout) + (uint64_t)axis, filter->coefficients, bytes));
    if (st == MNP_OK)
        st = open_arrays(&r, x, start, y_p);
    if (st == MNP_OK)
        st = compute(&r, end_p != NULL);
    mnp__input_close(&r.x);
    mnp__input_close(&r.start);
    mnp_array_free(r.mine);
    st = mnp__output_close(1, &r.y, st);
    if (st == MNP_OK && end_p)
        *end_p = r.end;
    else
        mnp_array_free(r.end);
    return st;
}
