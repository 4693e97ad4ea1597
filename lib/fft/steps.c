/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a transform to its steps.
 *
 * What is not cut is transformed first.  For the axes that are left, all ways to go on are compared: a way is a
 * sequence of groups of axes; the data moves to a layout that does not cut a group, whose axes are transformed
 * together.  So one move serves several axes where the others leave enough to cut (slabs), and more moves where they do
 * not (pencils).  A way costs as many elements as the busiest rank moves and transforms.
 *
 * An axis of n = n1 n2 points that is the only one long enough to be cut is transformed in two parts (W. M. Gentleman
 * and G. Sande, 1966; D. H. Bailey, 1990): as a matrix of n1 rows, whose columns are transformed, multiplied by
 * factors, and whose rows are transformed, which leaves the result in transposed order.  Where n does not split, one
 * rank has the axis.
 */
#include "fft/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "fft/layouts.h"

enum { SETS = 1 << MNP_MAX_DIMS }; /* of axes */

/* The best way to transform a set of axes: first this group, in that layout. */
struct way {
    double cost;
    unsigned group;
    bool parts; /* the group is one axis, transformed in two parts */
    mnp_layout *layout;
};

struct finder {
    const mnp__fft_problem *problem;
    mnp__fft_steps *steps;
    mnp__fft_kind kind;
    int ndim, nranks, last; /* the last axis, which is the short one of a real transform */
    unsigned all;
    struct way ways[SETS];
    /* the state between two steps */
    mnp_layout *now;
    bool is_complex;
    bool waits;                  /* the input has another shape than the transform: the first step must be a move */
    int64_t shape[MNP_MAX_DIMS]; /* of what the transform reads, once it is as long as it should be */
    int moves, in_parts;
    bool one_rank;
};

/* ---- ways ---- */

/* The extents while those axes are left. */
static void shape_with(const struct finder *f, unsigned left, int64_t *shape)
{
    memcpy(shape, f->problem->points, (size_t)f->ndim * sizeof *shape);
    const bool is_real = f->kind == MNP__FFT_FROM_REAL ? (left >> f->last & 1U) != 0 : (left >> f->last & 1U) == 0;
    if (f->kind != MNP__FFT_COMPLEX && !is_real)
        shape[f->last] = shape[f->last] / 2 + 1;
}

/* Real numbers are transformed by the first group, and come out of the last one. */
static bool is_allowed(const struct finder *f, unsigned group, unsigned left)
{
    const unsigned last = 1u << f->last;
    if (f->kind == MNP__FFT_FROM_REAL)
        return !(left & last) || group & last;
    return f->kind == MNP__FFT_COMPLEX || !(group & last) || group == left;
}

static bool is_real_axis(const struct finder *f, int d)
{
    return f->kind != MNP__FFT_COMPLEX && d == f->last;
}

/* The result's layout before that group is transformed, if it does not cut it; else NULL. */
static mnp_status result_uncut(const struct finder *f, unsigned group, const int64_t *shape, mnp_layout **layout_p)
{
    const mnp_layout *out = f->problem->out;
    *layout_p = NULL;
    for (int d = 0; d < f->ndim; d++)
        if ((group >> d & 1 || shape[d] != out->shape[d]) && !mnp__fft_is_whole(out, d))
            return MNP_OK;
    return mnp__fft_layout_like(out, shape, layout_p);
}

/* What the move to the result's layout costs, from that one. */
static double last_move(const struct finder *f, const mnp_layout *layout)
{
    const mnp_layout *out = f->problem->out;
    bool same = f->problem->permuted;
    if (!same && out->ndim == layout->ndim) {
        mnp_layout *after;
        if (mnp__fft_layout_like(layout, out->shape, &after) == MNP_OK) {
            same = mnp_layout_equal(after, out);
            mnp_layout_free(after);
        }
    }
    return same ? 0 : (double)mnp__layout_largest(out);
}

/* Take a way if it is better; the layout then belongs to it, else it is released. */
static void offer(struct finder *f, unsigned left, unsigned group, bool parts, double cost, mnp_layout *layout)
{
    struct way *way = &f->ways[left];
    const unsigned rest = left & ~group;
    cost += rest ? f->ways[rest].cost : parts ? 0 : last_move(f, layout);
    if (way->group && way->cost <= cost) {
        mnp_layout_free(layout);
        return;
    }
    mnp_layout_free(way->layout);
    *way = (struct way){.cost = cost, .group = group, .parts = parts, .layout = layout};
}

/*
 * The shape of an array with dimension d as two, columns of n1 elements by rows of n2; and layouts that leave the
 * columns whole, and the rows.
 */
static mnp_status halve(const struct finder *f, const int64_t *whole, int d, int64_t *shape, mnp_layout **columns_p,
                        mnp_layout **rows_p)
{
    int64_t n[2];
    (void)mnp__fft_split(whole[d], f->nranks, n);
    for (int i = 0; i < f->ndim; i++)
        shape[i < d ? i : i + 1] = whole[i];
    memcpy(&shape[d], n, sizeof n);
    MNP_TRY(mnp__layout_uncut(f->nranks, f->ndim + 1, shape, 1u << d, columns_p));
    const mnp_status st = mnp__layout_uncut(f->nranks, f->ndim + 1, shape, 2u << d, rows_p);
    if (st != MNP_OK)
        mnp_layout_free(*columns_p);
    return st;
}

/* One axis in two parts: three moves and two transforms of the elements of the busiest rank. */
static mnp_status offer_parts(struct finder *f, unsigned left, int d, const int64_t *shape)
{
    int64_t longer[MNP_MAX_DIMS], n[2];
    mnp_layout *columns, *rows, *after;
    if (f->ndim == MNP_MAX_DIMS || is_real_axis(f, d) || !mnp__fft_split(shape[d], f->nranks, n))
        return MNP_OK;
    MNP_TRY(halve(f, shape, d, longer, &columns, &rows));
    const mnp_status st = mnp_layout_block(f->nranks, f->ndim, shape, &after);
    if (st == MNP_OK)
        offer(f, left, 1u << d, true, 3.5 * (double)(mnp__layout_largest(columns) + mnp__layout_largest(rows)), after);
    mnp_layout_free(columns);
    mnp_layout_free(rows);
    return st;
}

static mnp_status offer_group(struct finder *f, unsigned left, unsigned group)
{
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *layout;
    shape_with(f, left, shape);
    MNP_TRY(mnp__layout_uncut(f->nranks, f->ndim, shape, group, &layout));
    const bool lopsided = mnp__fft_is_lopsided(layout);
    offer(f, left, group, false, (lopsided ? 8.0 : 2.0) * (double)mnp__layout_largest(layout), layout);
    MNP_TRY(result_uncut(f, group, shape, &layout));
    if (layout)
        offer(f, left, group, false, (mnp__fft_is_lopsided(layout) ? 8.0 : 2.0) * (double)mnp__layout_largest(layout),
              layout);
    for (int d = 0; lopsided && d < f->ndim; d++)
        if (group == 1u << d)
            MNP_TRY(offer_parts(f, left, d, shape));
    return MNP_OK;
}

/* The best ways for all sets of the axes that are left, smaller sets first. */
static mnp_status find_ways(struct finder *f, unsigned left)
{
    for (unsigned set = 1; set <= left; set++) {
        if (set & ~left)
            continue;
        for (unsigned group = set; group; group = (group - 1) & set)
            if (is_allowed(f, group, set) && (!f->problem->choice.one_by_one || (group & (group - 1)) == 0))
                MNP_TRY(offer_group(f, set, group));
    }
    return MNP_OK;
}

/* ---- steps ---- */

static mnp_status add(struct finder *f, mnp__fft_what what, mnp_layout *to, mnp__fft_step **step_p)
{
    mnp__fft_steps *steps = f->steps;
    if (steps->count == MNP__FFT_MOST_STEPS)
        return MNP_FAIL(MNP_ERR_INTERNAL, "a transform of %d dimensions takes too many steps", f->ndim);
    mnp__fft_step *step = &steps->steps[steps->count++];
    *step = (mnp__fft_step){.what = what,
                            .from = mnp_layout_retain(f->now),
                            .to = mnp_layout_retain(to),
                            .from_complex = f->is_complex,
                            .to_complex = f->is_complex,
                            .scale = 1};
    *step_p = step;
    return MNP_OK;
}

/* Let the data be seen in another layout, which takes over the reference. */
static void set_now(struct finder *f, mnp_layout *layout)
{
    mnp_layout_free(f->now);
    f->now = layout;
}

/* Move to a layout, if the data is not there.  The reference is taken over. */
static mnp_status move(struct finder *f, mnp_layout *to)
{
    mnp__fft_step *step;
    mnp_status st = MNP_OK;
    if (f->waits || !mnp__layout_same_shape(f->now, to) || !mnp_layout_equal(f->now, to)) {
        st = add(f, MNP__FFT_MOVE, to, &step);
        f->moves++;
        f->waits = false;
    }
    set_now(f, to);
    return st;
}

/* Add axes of a group to a step while it has room, the last dimensions first: their elements are near. */
static unsigned take_axes(mnp__fft_step *step, unsigned group)
{
    for (int d = MNP_MAX_DIMS - 1; d >= 0 && step->naxes < MNP__FFT_RANK; d--) {
        if (group >> d & 1) {
            step->axes[step->naxes++] = d;
            group &= ~(1u << d);
        }
    }
    return group;
}

static mnp_status local_complex(struct finder *f, unsigned group)
{
    while (group) {
        mnp__fft_step *step;
        MNP_TRY(add(f, MNP__FFT_LOCAL, f->now, &step));
        group = take_axes(step, group);
    }
    return MNP_OK;
}

/* The real axis, and of the group as many others as one step takes, which are taken out of it. */
static mnp_status local_real(struct finder *f, unsigned *group)
{
    const int64_t n = f->problem->points[f->last];
    mnp__fft_step *step;
    mnp_layout *to;
    MNP_TRY(mnp__fft_layout_with_extent(f->now, f->last, f->is_complex ? n : n / 2 + 1, &to));
    mnp_status st = add(f, MNP__FFT_LOCAL, to, &step);
    if (st == MNP_OK) {
        f->is_complex = !f->is_complex;
        step->kind = f->kind;
        step->to_complex = f->is_complex;
        step->axes[step->naxes++] = f->last;
        *group = take_axes(step, *group);
    }
    set_now(f, to);
    return st;
}

/* The axes of a group that are not transformed together with the real one, where they are too many. */
static unsigned beyond_one_step(unsigned group)
{
    mnp__fft_step step = {.naxes = 1};
    return take_axes(&step, group);
}

/* Transform a group of axes that is not cut. */
static mnp_status local(struct finder *f, unsigned group)
{
    const unsigned real = f->kind == MNP__FFT_COMPLEX ? 0 : group & 1u << f->last;
    unsigned rest = group & ~real;
    f->one_rank = f->one_rank || mnp__fft_is_lopsided(f->now);
    if (!real)
        return local_complex(f, group);
    if (f->kind == MNP__FFT_FROM_REAL) {
        MNP_TRY(local_real(f, &rest));
        return local_complex(f, rest);
    }
    MNP_TRY(local_complex(f, beyond_one_step(rest)));
    rest &= ~beyond_one_step(rest);
    return local_real(f, &rest);
}

/* Add a move between the layouts of an axis and of its halves, which are dimensions d and d + 1. */
static mnp_status move_halves(struct finder *f, mnp__fft_halves halves, int d, mnp_layout *to)
{
    mnp__fft_step *step;
    const mnp_status st = add(f, MNP__FFT_MOVE, to, &step);
    if (st == MNP_OK) {
        step->halves = halves;
        step->dim = d;
        f->moves++;
        f->waits = false;
    }
    set_now(f, to);
    return st;
}

/*
 * Three moves, however input and result are cut: to columns, from there to rows, and from these, whose transforms are
 * in transposed order, to the result.
 */
static mnp_status in_two_parts(struct finder *f, int d, const mnp_layout *target)
{
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *columns, *rows;
    mnp__fft_step *step;
    f->in_parts++;
    MNP_TRY(halve(f, f->waits ? f->shape : f->now->shape, d, shape, &columns, &rows));
    mnp_status st = move_halves(f, MNP__FFT_SPLIT, d, columns);
    if (st == MNP_OK)
        st = local_complex(f, 1u << d);
    if (st == MNP_OK)
        st = add(f, MNP__FFT_TWIDDLE, f->now, &step);
    if (st != MNP_OK) {
        mnp_layout_free(rows);
        return st;
    }
    step->dim = d;
    MNP_TRY(move(f, rows));
    MNP_TRY(local_complex(f, 2u << d));
    return move_halves(f, MNP__FFT_JOIN, d, mnp_layout_retain(target));
}

static int only_axis(unsigned group)
{
    int d = 0;
    while (!(group >> d & 1))
        d++;
    return d;
}

/* Follow the best way. */
static mnp_status follow(struct finder *f, unsigned left)
{
    while (left) {
        const struct way *way = &f->ways[left];
        const unsigned rest = left & ~way->group;
        if (way->parts) {
            const bool ends = !rest && (!f->problem->permuted || !mnp__layout_same_shape(way->layout, f->problem->out));
            MNP_TRY(in_two_parts(f, only_axis(way->group), ends ? f->problem->out : way->layout));
        } else {
            MNP_TRY(move(f, mnp_layout_retain(way->layout)));
            MNP_TRY(local(f, way->group));
        }
        left = rest;
    }
    return MNP_OK;
}

/* The axes that are to be transformed and that the input does not cut, as far as they may come first. */
static unsigned free_axes(const struct finder *f)
{
    unsigned set = 0;
    for (int d = 0; d < f->ndim; d++)
        if (f->all >> d & 1 && mnp__fft_is_whole(f->problem->in, d))
            set |= 1u << d;
    if (set && is_allowed(f, set, f->all))
        return set;
    set &= ~(1u << f->last);
    return set && is_allowed(f, set, f->all) ? set : 0;
}

/* An input that is longer or shorter than the transform moves first; what it does not cut may stay on its ranks. */
static mnp_status begin_with_move(struct finder *f, unsigned first)
{
    mnp_layout *like;
    MNP_TRY(mnp__fft_layout_like(f->now, f->shape, &like));
    const double rest = first == f->all ? last_move(f, like) : f->ways[f->all & ~first].cost;
    if (first && 2.0 * (double)mnp__layout_largest(like) + rest <= f->ways[f->all].cost) {
        MNP_TRY(move(f, like));
        MNP_TRY(local(f, first));
        return follow(f, f->all & ~first);
    }
    mnp_layout_free(like);
    return follow(f, f->all);
}

static mnp_status find_steps(struct finder *f)
{
    const unsigned first = free_axes(f);
    shape_with(f, f->all, f->shape);
    f->now = mnp_layout_retain(f->problem->in);
    f->waits = memcmp(f->shape, f->now->shape, (size_t)f->ndim * sizeof *f->shape) != 0;
    MNP_TRY(find_ways(f, f->waits ? f->all : f->all & ~first));
    if (f->waits) {
        MNP_TRY(begin_with_move(f, first));
    } else {
        if (first)
            MNP_TRY(local(f, first));
        MNP_TRY(follow(f, f->all & ~first));
    }
    if (!f->problem->permuted || !mnp__layout_same_shape(f->now, f->problem->out))
        MNP_TRY(move(f, mnp_layout_retain(f->problem->out)));
    f->steps->result = mnp_layout_retain(f->now);
    return MNP_OK;
}

/* ---- places ---- */

/* Whether on every rank a block of the first layout fits into the memory of one of the second. */
static bool fits(const mnp_layout *layout, bool is_complex, const mnp_layout *memory, bool memory_complex)
{
    for (int rank = 0; rank < layout->nranks; rank++) {
        int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], size = is_complex ? 2 : 1, room = memory_complex ? 2 : 1;
        if (!mnp__layout_box(layout, rank, lo, extent))
            continue;
        for (int d = 0; d < layout->ndim; d++)
            size *= extent[d];
        mnp_layout_local_shape(memory, rank, extent);
        for (int d = 0; d < memory->ndim; d++)
            room *= extent[d];
        if (size > room)
            return false;
    }
    return true;
}

/* The outermost dimension that none of the LOCAL steps first .. end - 1 transforms; -1: there is none to speak of. */
static int find_slab_dim(const mnp__fft_steps *steps, int first, int end)
{
    unsigned transformed = 0;
    for (int i = first; i < end; i++)
        for (int a = 0; a < steps->steps[i].naxes; a++)
            transformed |= 1u << steps->steps[i].axes[a];
    const mnp_layout *layout = steps->steps[end].from;
    for (int d = 0; d < layout->ndim; d++)
        if (!(transformed >> d & 1) && layout->shape[d] > layout->nranks)
            return d;
    return -1;
}

/*
 * Let moves take what the LOCAL steps before them make slab by slab, unless an axis has become two in between.  The
 * first one of a chain writes to the slab, the others work in it, so these are complex.
 */
static void find_chains(mnp__fft_steps *steps)
{
    for (int i = 1; i < steps->count; i++) {
        mnp__fft_step *move = &steps->steps[i];
        if (move->what != MNP__FFT_MOVE)
            continue;
        for (int first = i - 1; first >= 0 && steps->steps[first].what == MNP__FFT_LOCAL; first--) {
            const int dim = move->halves == MNP__FFT_SPLIT ? -1 : find_slab_dim(steps, first, i);
            if (dim < 0 || !mnp__layout_same_shape(steps->steps[first].to, move->from) ||
                (first < i - 1 && steps->steps[first + 1].kind != MNP__FFT_COMPLEX))
                break;
            move->chain = i - first;
            move->slab_dim = dim;
        }
        for (int k = 1; k <= move->chain; k++)
            steps->steps[i - k].chain = k;
    }
}

/* From the end to the beginning: what can be in place is, and the output is used as long as it is large enough. */
static void find_places(mnp__fft_steps *steps)
{
    const mnp__fft_step *end = &steps->steps[steps->count - 1];
    mnp__fft_place target = MNP__FFT_OUTPUT;
    for (int i = steps->count - 1; i >= 0; i--) {
        mnp__fft_step *step = &steps->steps[i];
        const bool in_place = step->what != MNP__FFT_MOVE && step->kind == MNP__FFT_COMPLEX;
        step->target = target;
        if (step->what == MNP__FFT_MOVE && step->chain > 0) { /* all of the chain reads where its first step does */
            i -= step->chain;
            step = &steps->steps[i];
        }
        if (i == 0)
            step->source = MNP__FFT_INPUT;
        else if (in_place)
            step->source = target;
        else if (target == MNP__FFT_WORK)
            step->source =
                fits(step->from, step->from_complex, end->to, end->to_complex) ? MNP__FFT_OUTPUT : MNP__FFT_MORE_WORK;
        else
            step->source = MNP__FFT_WORK;
        target = step->source;
    }
}

/* The factor goes with the last transform. */
static void place_scale(mnp__fft_steps *steps, double scale)
{
    for (int i = steps->count - 1; i >= 0; i--) {
        if (steps->steps[i].what == MNP__FFT_LOCAL) {
            steps->steps[i].scale = scale;
            return;
        }
    }
}

static const char *method_of(const struct finder *f)
{
    if (f->in_parts)
        return "long axes in two parts";
    if (f->one_rank)
        return "some ranks have whole axes, others nothing";
    switch (f->moves) {
    case 0:
        return "every rank by itself";
    case 1:
    case 2:
        return "slabs";
    default:
        return "pencils";
    }
}

/* Whether the real numbers of a transform are better taken as complex ones, so that their axis can be split. */
static mnp_status is_better_complex(const struct finder *f, bool *better_p)
{
    *better_p = false;
    if (f->kind != MNP__FFT_FROM_REAL)
        return MNP_OK;
    return mnp__fft_is_long(f->problem->in, f->last, f->problem->points[f->last], better_p);
}

mnp_status mnp__fft_steps_find(const mnp__fft_problem *problem, bool by_slabs, mnp__fft_steps *steps)
{
    struct finder *f;
    bool complex_instead = false;
    *steps = (mnp__fft_steps){.count = 0};
    MNP_TRY(mnp__calloc(1, sizeof *f, &f));
    f->problem = problem;
    f->steps = steps;
    f->kind = problem->kind;
    f->ndim = problem->in->ndim;
    f->nranks = problem->in->nranks;
    f->last = problem->axes[problem->naxes - 1];
    for (int i = 0; i < problem->naxes; i++)
        f->all |= 1u << problem->axes[i];
    mnp_status st = is_better_complex(f, &complex_instead);
    if (complex_instead)
        f->kind = MNP__FFT_COMPLEX;
    steps->reads_complex = f->kind != MNP__FFT_FROM_REAL;
    f->is_complex = steps->reads_complex;
    if (st == MNP_OK)
        st = find_steps(f);
    if (st == MNP_OK) {
        if (by_slabs)
            find_chains(steps);
        find_places(steps);
        place_scale(steps, problem->scale);
        steps->method = method_of(f);
    } else {
        mnp__fft_steps_free(steps);
    }
    for (unsigned set = 0; set < SETS; set++)
        mnp_layout_free(f->ways[set].layout);
    mnp_layout_free(f->now);
    free(f);
    return st;
}

bool mnp__fft_steps_leave_input(const mnp__fft_steps *steps)
{
    return steps->count > 0 && steps->steps[steps->steps[0].chain].target != MNP__FFT_OUTPUT;
}

void mnp__fft_steps_free(mnp__fft_steps *steps)
{
    for (int i = 0; i < steps->count; i++) {
        mnp_layout_free(steps->steps[i].from);
        mnp_layout_free(steps->steps[i].to);
    }
    mnp_layout_free(steps->result);
    *steps = (mnp__fft_steps){.count = 0};
}
