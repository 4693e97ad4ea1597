/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What travels between ranks that need what lies around their blocks.
 *
 * Blocks are boxes, so dimensions are counted apart: along each, how many of a part's indices the parts need, with
 * those that a boundary repeats, and how many of these the part itself.  What a rank sends is the product of the former
 * less that of the latter.
 */
#include "plan/plan.h"

#include <stdlib.h>

/* Along one dimension, of every part. */
typedef struct side {
    int parts;
    const int64_t *cuts; /* of the input */
    int64_t *needed;     /* indices of this part that all parts need, an index once for each need of it */
    int64_t *own;        /* those of them that this part needs */
    int64_t *needs;      /* indices that this part needs of all parts */
    int64_t *takers;     /* parts that need some of this one */
    int64_t *last;       /* the last of them, of which 1 more is kept */
} side;

static bool new_side(const mnp_layout *layout, int d, side *s)
{
    *s = (side){.parts = mnp_layout_parts(layout, d), .cuts = mnp_layout_cuts(layout, d)};
    s->needed = calloc(5 * (size_t)s->parts, sizeof *s->needed);
    if (!s->needed)
        return false;
    s->own = s->needed + s->parts;
    s->needs = s->own + s->parts;
    s->takers = s->needs + s->parts;
    s->last = s->takers + s->parts;
    return true;
}

static int part_of(const side *s, int64_t index)
{
    int low = 0, high = s->parts;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(s->cuts[middle] <= index ? &low : &high) = middle;
    }
    return low;
}

/* `part` needs the indices from first to end - 1, which are there. */
static void need(side *s, int part, int64_t first, int64_t end)
{
    for (int of = first < end ? part_of(s, first) : s->parts; of < s->parts && s->cuts[of] < end; of++) {
        const int64_t lo = s->cuts[of] > first ? s->cuts[of] : first,
                      hi = s->cuts[of + 1] < end ? s->cuts[of + 1] : end, count = hi - lo;
        if (count <= 0)
            continue;
        s->needed[of] += count;
        s->needs[part] += count;
        s->own[of] += of == part ? count : 0;
        s->takers[of] += s->last[of] != part + 1;
        s->last[of] = part + 1;
    }
}

/* The index of 0 .. n - 1 that stands for one beyond the borders; -1: none does. */
static int64_t inside(mnp_boundary boundary, int64_t index, int64_t n)
{
    const int64_t period = boundary == MNP_BOUNDARY_WRAP ? n : boundary == MNP_BOUNDARY_SYMM ? 2 * n : 2 * n - 2;
    if (boundary == MNP_BOUNDARY_FILL)
        return -1;
    if (boundary == MNP_BOUNDARY_NEAREST || period == 0)
        return index < 0 ? 0 : n - 1;
    index = (index % period + period) % period;
    return index < n ? index : boundary == MNP_BOUNDARY_SYMM ? period - 1 - index : period - index;
}

static void need_beyond(side *s, int part, int64_t index)
{
    if (index >= 0)
        need(s, part, index, index + 1);
}

static void count_side(const plan_window *w, int d, const mnp_layout *out, side *s)
{
    const int64_t n = w->shape[d], *cuts = mnp_layout_cuts(out, d);
    for (int part = 0; part < s->parts; part++) {
        const int64_t first = cuts[part] + w->first[d], end = cuts[part + 1] + w->last[d];
        if (cuts[part] == cuts[part + 1])
            continue;
        need(s, part, first > 0 ? first : 0, end < n ? end : n);
        for (int64_t i = first; i < 0 && i < end; i++)
            need_beyond(s, part, inside(w->boundary, i, n));
        for (int64_t i = first > n ? first : n; i < end; i++)
            need_beyond(s, part, inside(w->boundary, i, n));
    }
}

/* The rank with the most of each. */
static plan_sent add_sides(int ndim, const side *sides, int ranks)
{
    plan_sent most = {.bytes = 0};
    for (int rank = 0; rank < ranks; rank++) {
        double needed = 1, own = 1, needs = 1, takers = 1;
        int rest = rank;
        for (int d = ndim - 1; d >= 0; d--) {
            const side *s = &sides[d];
            const int part = rest % s->parts;
            rest /= s->parts;
            needed *= (double)s->needed[part];
            own *= (double)s->own[part];
            needs *= (double)s->needs[part];
            takers *= (double)s->takers[part];
        }
        most.bytes = needed - own > most.bytes ? needed - own : most.bytes;
        most.received = needs - own > most.received ? needs - own : most.received;
        most.messages = takers - 1 > most.messages ? takers - 1 : most.messages;
    }
    return most;
}

plan_sent plan_around(const plan *p, const plan_window *w)
{
    plan_sent sent = {.bytes = 0};
    mnp_layout *in = NULL, *out = NULL;
    side sides[MNP_MAX_DIMS] = {{0}};
    bool ready = mnp_layout_block(p->ranks, w->ndim, w->shape, &in) == MNP_OK &&
                 mnp_layout_like(in, w->out ? w->out : w->shape, &out) == MNP_OK;
    for (int d = 0; d < w->ndim && ready; d++)
        ready = new_side(in, d, &sides[d]);
    for (int d = 0; d < w->ndim && ready; d++)
        count_side(w, d, out, &sides[d]);
    if (ready)
        sent = add_sides(w->ndim, sides, p->ranks);
    for (int d = 0; d < w->ndim; d++)
        free(sides[d].needed);
    mnp_layout_free(in);
    mnp_layout_free(out);
    sent.bytes *= w->size;
    sent.received *= w->size;
    return sent;
}
