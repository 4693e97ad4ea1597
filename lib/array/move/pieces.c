/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cutting wanted boxes into pieces.
 *
 * Dimensions are cut apart from one another.  The receiver of a box groups the cuts of each dimension by the part that
 * they come from; one group of every dimension is what one rank sends.  That rank finds the same groups by looking at
 * its own parts alone, so that it does not pay for what others send.  Cuts at equal distances, as of blocks that are
 * dealt out, become one, with a dimension more.
 */
#include "array/move/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"

/* A run of indices of one dimension, `repeat` times: from a place in its part's block to a place in the wanted box. */
struct cut {
    int64_t count, repeat;
    int64_t from, from_apart; /* apart: from one time to the next */
    int64_t to, to_apart;
    int step, part; /* as those of mnp__segment */
};

struct cuts {
    struct cut *items;
    int64_t count, capacity;
};

/* What one visit of pieces works with. */
struct visit {
    const mnp__move_spec *spec;
    int source, receiver;
    mnp__piece_visitor visitor;
    void *argument;
    const mnp__want *want;
    struct cuts cuts[MNP_MAX_DIMS];
    int64_t first[MNP_MAX_DIMS], end[MNP_MAX_DIMS]; /* the group of cuts of each dimension that is looked at */
};

static mnp_status append(struct cuts *cuts, struct cut cut)
{
    if (cuts->count == cuts->capacity) {
        int64_t capacity = cuts->capacity ? 2 * cuts->capacity : 8;
        struct cut *items = realloc(cuts->items, (size_t)capacity * sizeof *items);
        if (!items)
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for %lld cuts of a layout", (long long)capacity);
        cuts->items = items;
        cuts->capacity = capacity;
    }
    cuts->items[cuts->count++] = cut;
    return MNP_OK;
}

/* ---- cutting one dimension ---- */

/* A run of wanted indices, and where it goes. */
struct run {
    int64_t lo, hi, to;
};

/* Cut a run by the layout's parts; `part` is the only one that is asked for, or ALL_PARTS. */
enum { ALL_PARTS = -2 };

static mnp_status cut_run(struct visit *v, int d, struct run run, int part)
{
    const mnp__move_spec *spec = v->spec;
    mnp_boundary boundary = spec->boundaries ? spec->boundaries[d] : MNP_BOUNDARY_FILL;
    mnp__segment *segments;
    int count;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__layout_segments(spec->layout, d, boundary, run.lo, run.hi, &segments, &count));
    for (int i = 0; i < count && st == MNP_OK; i++) {
        const mnp__segment *s = &segments[i];
        if (part == ALL_PARTS || s->part == part)
            st = append(&v->cuts[d], (struct cut){.count = s->count,
                                                  .repeat = 1,
                                                  .from = s->first,
                                                  .step = s->step,
                                                  .part = s->part,
                                                  .to = run.to + s->lo - run.lo});
    }
    free(segments);
    return st;
}

/* The same where the run lies within the borders, without looking at other parts. */
static mnp_status cut_inside(struct visit *v, int d, struct run run, int part)
{
    const mnp__part_runs own = mnp__layout_runs(v->spec->layout, d, part);
    const int64_t number = mnp__part_run_count(&own);
    int64_t k = own.period > 0 && run.lo > own.first ? (run.lo - own.first) / own.period : 0;
    for (; k < number; k++) {
        mnp__part_run at = mnp__part_run_at(&own, k);
        int64_t lo = mnp__max(at.lo, run.lo), hi = mnp__min(at.lo + at.count, run.hi);
        if (at.lo >= run.hi)
            break;
        if (lo < hi)
            MNP_TRY(append(&v->cuts[d], (struct cut){.count = hi - lo,
                                                     .repeat = 1,
                                                     .from = at.at + lo - at.lo,
                                                     .to = run.to + lo - run.lo,
                                                     .step = 1,
                                                     .part = part}));
    }
    return MNP_OK;
}

/* The cuts of a run that come from one part: before the borders, between them, beyond them. */
static mnp_status cut_for_part(struct visit *v, int d, struct run run, int part)
{
    const mnp__move_spec *spec = v->spec;
    const int64_t extent = spec->layout->shape[d];
    int64_t begin = mnp__max(run.lo, 0), end = mnp__min(run.hi, extent);
    const bool repeats = spec->boundaries && spec->boundaries[d] != MNP_BOUNDARY_FILL && extent > 0;
    if (repeats && run.lo < 0)
        MNP_TRY(cut_run(v, d, (struct run){run.lo, mnp__min(run.hi, 0), run.to}, part));
    if (begin < end)
        MNP_TRY(cut_inside(v, d, (struct run){begin, end, run.to + begin - run.lo}, part));
    if (repeats && run.hi > extent) {
        begin = mnp__max(run.lo, extent);
        MNP_TRY(cut_run(v, d, (struct run){begin, run.hi, run.to + begin - run.lo}, part));
    }
    return MNP_OK;
}

static mnp_status cut_dim(struct visit *v, int d, int part)
{
    const mnp__want *want = v->want;
    int64_t length = want->period[d] ? want->length[d] : want->extent[d];
    v->cuts[d].count = 0;
    for (int64_t at = 0; at < want->extent[d]; at += length) {
        int64_t lo = want->lo[d] + (want->period[d] ? at / length * want->period[d] : 0);
        struct run run = {lo, lo + mnp__min(length, want->extent[d] - at), at};
        MNP_TRY(part == ALL_PARTS ? cut_run(v, d, run, part) : cut_for_part(v, d, run, part));
    }
    return MNP_OK;
}

/* ---- groups of cuts ---- */

static int compare_cuts(const void *a, const void *b)
{
    const struct cut *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Whether a cut goes on as the ones that `pattern` stands for. */
static bool goes_on(const struct cut *pattern, const struct cut *cut)
{
    if (cut->part != pattern->part || cut->count != pattern->count || cut->step != pattern->step)
        return false;
    return pattern->repeat == 1 || (cut->from == pattern->from + pattern->repeat * pattern->from_apart &&
                                    cut->to == pattern->to + pattern->repeat * pattern->to_apart);
}

/* Make one of cuts at equal distances. */
static void join_cuts(struct cuts *cuts)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < cuts->count; i++) {
        struct cut *cut = &cuts->items[i], *last = kept > 0 ? &cuts->items[kept - 1] : NULL;
        if (!last || !goes_on(last, cut)) {
            cuts->items[kept++] = *cut;
            continue;
        }
        if (last->repeat == 1) {
            last->from_apart = cut->from - last->from;
            last->to_apart = cut->to - last->to;
        }
        last->repeat++;
    }
    cuts->count = kept;
}

/* Bring the cuts of all dimensions into groups.  Pieces have room for a dimension more of the first few alone. */
static void group(struct visit *v, bool sorted)
{
    const int room = MNP_MAX_DIMS - v->spec->layout->ndim;
    for (int d = 0; d < v->spec->layout->ndim; d++) {
        struct cuts *cuts = &v->cuts[d];
        if (!sorted && cuts->count > 1)
            qsort(cuts->items, (size_t)cuts->count, sizeof *cuts->items, compare_cuts);
        if (d < room)
            join_cuts(cuts);
    }
}

/* ---- products ---- */

static void add_dim(mnp__piece *piece, int64_t extent, int64_t src_stride, int64_t dst_stride)
{
    int d = piece->ndim++;
    piece->extent[d] = extent;
    piece->size *= extent;
    piece->src_strides[d] = src_stride;
    piece->dst_strides[d] = dst_stride;
}

/* The piece that takes cut number choice[d] of each dimension d. */
static void make_piece(const struct visit *v, const int64_t *choice, mnp__piece *piece)
{
    const int64_t *strides = v->spec->strides;
    const bool fill = v->source == MNP__FILL;
    piece->ndim = 0;
    piece->size = 1;
    piece->src = 0;
    piece->dst = v->want->offset;
    for (int d = 0; d < v->spec->layout->ndim; d++) {
        const struct cut *cut = &v->cuts[d].items[choice[d]];
        const int64_t from = fill ? 0 : strides[d], to = v->want->strides[d];
        piece->src += cut->from * from;
        piece->dst += cut->to * to;
        if (cut->repeat > 1)
            add_dim(piece, cut->repeat, cut->from_apart * from, cut->to_apart * to);
        add_dim(piece, cut->count, cut->step * from, to);
    }
}

/* Go on to the next choice, the last dimension the fastest; false after the last one. */
static bool next_choice(int ndim, const int64_t *first, const int64_t *end, int64_t *choice)
{
    for (int d = ndim - 1; d >= 0; d--) {
        if (++choice[d] < end[d])
            return true;
        choice[d] = first[d];
    }
    return false;
}

/* Visit the products of the groups that first and end tell: what one rank sends. */
static mnp_status visit_groups(struct visit *v)
{
    mnp__piece piece = {.source = v->source, .receiver = v->receiver};
    int64_t choice[MNP_MAX_DIMS];
    memcpy(choice, v->first, sizeof choice);
    do {
        make_piece(v, choice, &piece);
        MNP_TRY(v->visitor(v->argument, &piece));
    } while (next_choice(v->spec->layout->ndim, v->first, v->end, choice));
    return MNP_OK;
}

static void find_end(struct visit *v, int d)
{
    const struct cuts *cuts = &v->cuts[d];
    int64_t end = v->first[d] + 1;
    while (end < cuts->count && cuts->items[end].part == cuts->items[v->first[d]].part)
        end++;
    v->end[d] = end;
}

/* The rank that the groups come from, or MNP__FILL. */
static int source_of(const struct visit *v)
{
    int parts[MNP_MAX_DIMS];
    for (int d = 0; d < v->spec->layout->ndim; d++) {
        parts[d] = v->cuts[d].items[v->first[d]].part;
        if (parts[d] == MNP__FILL)
            return MNP__FILL;
    }
    return mnp__layout_source(v->spec->layout, parts, v->receiver);
}

/* ---- the two sides ---- */

static mnp_status visit_wanted_box(struct visit *v)
{
    const int ndim = v->spec->layout->ndim;
    for (int d = 0; d < ndim; d++) {
        MNP_TRY(cut_dim(v, d, ALL_PARTS));
        if (v->cuts[d].count == 0)
            return MNP_OK;
    }
    group(v, false);
    for (int d = 0; d < ndim; d++) {
        v->first[d] = 0;
        find_end(v, d);
    }
    for (int d = ndim; d >= 0;) { /* all combinations of groups */
        v->source = source_of(v);
        MNP_TRY(visit_groups(v));
        for (d = ndim - 1; d >= 0; d--) {
            bool more = v->end[d] < v->cuts[d].count;
            v->first[d] = more ? v->end[d] : 0;
            find_end(v, d);
            if (more)
                break;
        }
    }
    return MNP_OK;
}

static mnp_status visit_sent_box(struct visit *v, const int *parts)
{
    const int ndim = v->spec->layout->ndim;
    for (int d = 0; d < ndim; d++) {
        MNP_TRY(cut_dim(v, d, parts[d]));
        if (v->cuts[d].count == 0)
            return MNP_OK;
    }
    group(v, true);
    for (int d = 0; d < ndim; d++) {
        v->first[d] = 0;
        v->end[d] = v->cuts[d].count;
    }
    return visit_groups(v);
}

static void free_cuts(struct visit *v)
{
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        free(v->cuts[d].items);
}

mnp_status mnp__pieces_wanted(const mnp__move_spec *spec, int rank, mnp__piece_visitor visitor, void *argument)
{
    struct visit v = {.spec = spec, .receiver = rank, .visitor = visitor, .argument = argument};
    mnp__want wants[MNP__MAX_WANTS] = {{.offset = 0}};
    int count = spec->wants(spec->argument, rank, wants);
    mnp_status st = MNP_OK;
    for (int i = 0; i < count && st == MNP_OK; i++) {
        v.want = &wants[i];
        st = visit_wanted_box(&v);
    }
    free_cuts(&v);
    return st;
}

mnp_status mnp__pieces_sent(const mnp__move_spec *spec, int rank, mnp__piece_visitor visitor, void *argument)
{
    const mnp_layout *layout = spec->layout;
    struct visit v = {.spec = spec, .source = rank, .visitor = visitor, .argument = argument};
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    int parts[MNP_MAX_DIMS];
    mnp_status st = MNP_OK;
    if (!mnp__layout_box(layout, rank, lo, extent))
        return MNP_OK;
    for (int d = 0; d < layout->ndim; d++)
        parts[d] = mnp__layout_part(layout, d, rank);
    for (int behind = 1; behind < layout->nranks && st == MNP_OK; behind++) {
        mnp__want wants[MNP__MAX_WANTS] = {{.offset = 0}};
        v.receiver = (int)(((int64_t)rank + behind) % layout->nranks);
        if (mnp__layout_source(layout, parts, v.receiver) != rank) /* a replica serves it */
            continue;
        int count = spec->wants(spec->argument, v.receiver, wants);
        for (int i = 0; i < count && st == MNP_OK; i++) {
            v.want = &wants[i];
            st = visit_sent_box(&v, parts);
        }
    }
    free_cuts(&v);
    return st;
}
