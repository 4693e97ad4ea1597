/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default layout.  All ways to arrange the ranks in a grid with an axis for each dimension are compared: the best
 * one has the smallest largest block; of several, the smallest surface between blocks; and of these, the most cuts in
 * the earlier dimensions, so that rows stay contiguous in memory and in files.
 *
 * The search skips every grid that a lower bound excludes, so it is short even for thousands of ranks and many
 * dimensions.
 */
#include <stdbool.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"
#include "layout/layout.h"

enum { MOST_DIVISORS = 1600 }; /* the most that a number below 2^31 has */

struct search {
    int ndim;
    const int64_t *shape;
    int divisors[MOST_DIVISORS], count; /* divisors of the number of ranks, in descending order */
    double rest[MNP_MAX_DIMS + 1];      /* product of the extents from that dimension on */
    int mesh[MNP_MAX_DIMS], best[MNP_MAX_DIMS];
    double best_block, best_surface; /* doubles, because products of huge extents are only compared */
    bool found;
};

static void find_divisors(struct search *s, int nranks)
{
    int small[MOST_DIVISORS], count = 0;
    for (int i = 1; (int64_t)i * i <= nranks; i++) {
        if (nranks % i != 0)
            continue;
        s->divisors[s->count++] = nranks / i;
        if (i != nranks / i)
            small[count++] = i;
    }
    while (count > 0)
        s->divisors[s->count++] = small[--count];
}

/*
 * Whether a mesh that begins like this may be better than the best one, if the other dimensions could be cut without
 * remainder.
 */
static bool may_be_better(const struct search *s, int d, int left, double block, double surface)
{
    double least = block * s->rest[d] / left;
    return !s->found || least < s->best_block * (1 - 1e-12) ||
           (least <= s->best_block * (1 + 1e-12) && surface < s->best_surface);
}

/*
 * Try every factor of the remaining ranks along dimension d, the largest first.  `block` and `surface` are the largest
 * block and the surface of the dimensions before it.
 */
static void arrange(struct search *s, int d, int left, double block, double surface)
{
    if (!may_be_better(s, d, left, block, surface))
        return;
    if (d == s->ndim) {
        s->found = true;
        s->best_block = block;
        s->best_surface = surface;
        memcpy(s->best, s->mesh, sizeof s->best);
        return;
    }
    for (int i = 0; i < s->count; i++) {
        int parts = s->divisors[i];
        if (left % parts != 0 || (d == s->ndim - 1 && parts != left))
            continue;
        double across = s->shape[d] > 0 ? (parts - 1) * s->rest[0] / (double)s->shape[d] : 0;
        s->mesh[d] = parts;
        arrange(s, d + 1, left / parts, block * (double)mnp__divide_up(s->shape[d], parts), surface + across);
    }
}

mnp_status mnp_layout_block(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
    MNP_ENTER(layout_p);
    MNP_NEED_IF(ndim > 0, shape);
    int axes[MNP_MAX_DIMS];
    if (nranks < 1)
        return MNP_FAIL(MNP_ERR_ARG, "nranks is %d, below 1", nranks);
    MNP_TRY(mnp__layout_check_shape(ndim, shape));
    if (ndim == 0)
        return mnp_layout_replicated(nranks, ndim, shape, layout_p);
    struct search s = {.ndim = ndim, .shape = shape};
    find_divisors(&s, nranks);
    s.rest[ndim] = 1;
    for (int d = ndim - 1; d >= 0; d--)
        s.rest[d] = s.rest[d + 1] * (double)shape[d];
    arrange(&s, 0, nranks, 1, 0);
    for (int d = 0; d < ndim; d++)
        axes[d] = d;
    return mnp_layout_new(ndim, s.best, ndim, shape, axes, NULL, layout_p);
}
