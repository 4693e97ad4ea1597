/*
 * The layout that Maniple chooses by itself: of all ways to arrange the ranks in a grid of as many axes as the array has
 * dimensions, the one whose largest block is smallest, then the one with the smallest surface between blocks, then the
 * one that cuts the earlier dimensions more, so that rows stay whole in memory and in files.
 */
#include <stdbool.h>
#include <string.h>

#include "base/status.h"
#include "layout/layout.h"

struct search {
    int ndim;
    const int64_t *shape;
    int mesh[MNP_MAX_DIMS], best[MNP_MAX_DIMS];
    double best_block, best_surface; /* doubles: products of huge extents only need to be compared */
    bool found;
};

static void consider(struct search *s)
{
    double block = 1, surface = 0, volume = 1;
    for (int d = 0; d < s->ndim; d++) {
        block *= (double)((s->shape[d] + s->mesh[d] - 1) / s->mesh[d]);
        volume *= (double)s->shape[d];
    }
    for (int d = 0; d < s->ndim; d++) {
        if (s->shape[d] > 0)
            surface += (s->mesh[d] - 1) * volume / (double)s->shape[d];
    }
    bool better = !s->found || block < s->best_block || (block == s->best_block && surface < s->best_surface);
    if (!better)
        return;
    s->found = true;
    s->best_block = block;
    s->best_surface = surface;
    memcpy(s->best, s->mesh, sizeof s->best);
}

/* Try every factor of what is left along dimension d, the largest first. */
static void arrange(struct search *s, int d, int left)
{
    if (d == s->ndim - 1) {
        s->mesh[d] = left;
        consider(s);
        return;
    }
    for (int parts = left; parts >= 1; parts--) {
        if (left % parts == 0) {
            s->mesh[d] = parts;
            arrange(s, d + 1, left / parts);
        }
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
    arrange(&s, 0, nranks);
    for (int d = 0; d < ndim; d++)
        axes[d] = d;
    return mnp_layout_new(ndim, s.best, ndim, shape, axes, NULL, layout_p);
}
