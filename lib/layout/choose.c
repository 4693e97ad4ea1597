/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout that Maniple chooses by itself: of all ways to arrange the ranks in a grid of as many axes as the array
 * has dimensions, the one whose largest block is smallest, then the one with the smallest surface between blocks, then
 * the one that cuts the earlier dimensions more, so that rows stay whole in memory and in files.  What cannot be better
 * than the best so far is not looked at, so the search is short for thousands of ranks and many dimensions too.
 */
#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "layout/layout.h"

enum { MOST_DIVISORS = 1600 }; /* of any number below 2^31 */

struct search {
    int ndim;
    const int64_t *shape;
    int divisors[MOST_DIVISORS], count; /* of the number of ranks, falling */
    double rest[MNP_MAX_DIMS + 1];      /* elements of the dimensions from that one on */
    int mesh[MNP_MAX_DIMS], best[MNP_MAX_DIMS];
    double best_block, best_surface; /* doubles: products of huge extents only need to be compared */
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

/* Whether meshes that begin so may be better than the best: the other dimensions may be cut without a remainder. */
static bool may_be_better(const struct search *s, int d, int left, double block, double surface)
{
    double least = block * s->rest[d] / left;
    return !s->found || least < s->best_block * (1 - 1e-12) ||
           (least <= s->best_block * (1 + 1e-12) && surface < s->best_surface);
}

/*
 * Try every factor of what is left along dimension d, the largest first.  The dimensions before it have a largest
 * block of that many elements, and to that surface.
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
        arrange(s, d + 1, left / parts, block * (double)((s->shape[d] + parts - 1) / parts), surface + across);
    }
}

mnp_status mnp_layout_block(int nranks, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
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
