/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that share results of reductions: their groups, and the memory for their parts, which a context caches.
 *
 * Ranks share results if they differ only along mesh axes that cut reduced dimensions.  Each gathers the parts of all
 * of them by one collective of their group, on the compute stream.  Where GPUs share memory and parts are small, the
 * collective is one launch.
 */
#include <stdlib.h>
#include <string.h>

#include "comm/collectives/subcomm.h"
#include "comm/heap.h"
#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"

enum { MOST_SHARINGS = 32 };

typedef struct cache {
    mnp__sharing *sharings; /* the most recently used one first */
    mnp__sharing *dropped;  /* those that graphs may still use */
    void *scratch;
} cache;

/* ---- freeing ---- */

static void free_sharing(mnp_ctx *ctx, mnp__sharing *sharing)
{
    mnp__heap_free(ctx->comm.heap, sharing->parts);
    mnp_layout_free(sharing->layout);
    free(sharing);
}

static void free_sharings(mnp_ctx *ctx, mnp__sharing *sharings)
{
    while (sharings) {
        mnp__sharing *first = sharings;
        sharings = first->next;
        free_sharing(ctx, first);
    }
}

static void free_cache(mnp_ctx *ctx, void *data)
{
    cache *all = data;
    free_sharings(ctx, all->sharings);
    free_sharings(ctx, all->dropped);
    ctx->device->ops->free(ctx->device, all->scratch);
    free(all);
}

static mnp_status get_cache(mnp_ctx *ctx, cache **cache_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_REDUCTIONS];
    if (!attached->data) {
        MNP_TRY(mnp__calloc(1, sizeof(cache), &attached->data));
        attached->free = free_cache;
    }
    *cache_p = attached->data;
    return MNP_OK;
}

mnp_status mnp__reduction_scratch(mnp_ctx *ctx, void **scratch_p)
{
    cache *all;
    MNP_TRY(get_cache(ctx, &all));
    if (!all->scratch)
        MNP_TRY(ctx->device->ops->alloc(ctx->device, MNP__REDUCTION_SCRATCH, &all->scratch));
    *scratch_p = all->scratch;
    return MNP_OK;
}

/* ---- ranks that share results ---- */

/* Find the mesh axes, as bits, that cut reduced dimensions; ranks that differ only along these share results. */
static unsigned shared_axes(const mnp_layout *layout, unsigned axes)
{
    unsigned shared = 0;
    for (int d = 0; d < layout->ndim; d++) {
        const int a = layout->axes[d];
        if (axes >> d & 1 && a != MNP_NO_AXIS && layout->mesh[a] > 1)
            shared |= 1u << a;
    }
    return shared;
}

bool mnp__is_shared(const mnp_layout *layout, unsigned axes)
{
    return shared_axes(layout, axes) != 0;
}

/* Whether two layouts with the same blocks also give ranks the same partners; they may not where blocks are empty. */
static bool same_mesh(const mnp_layout *a, const mnp_layout *b)
{
    return a->mesh_ndim == b->mesh_ndim && memcmp(a->mesh, b->mesh, (size_t)a->mesh_ndim * sizeof *a->mesh) == 0 &&
           memcmp(a->axes, b->axes, (size_t)a->ndim * sizeof *a->axes) == 0;
}

mnp__sharing *mnp__sharing_find(mnp_ctx *ctx, const mnp__reduction_work *work)
{
    const mnp_layout *layout = work->layout;
    cache *all = ctx->attached[MNP__ATTACHED_REDUCTIONS].data;
    for (mnp__sharing **at = all ? &all->sharings : NULL; at && *at; at = &(*at)->next) {
        mnp__sharing *found = *at;
        if (found->axes != work->axes || found->accumulator != work->reduction->spec.accumulator ||
            found->layout->ndim != layout->ndim || !mnp_layout_equal(found->layout, layout) ||
            !same_mesh(found->layout, layout))
            continue;
        *at = found->next;
        found->next = all->sharings;
        all->sharings = found;
        return found;
    }
    return NULL;
}

/* Release a sharing that was removed from the list; if graphs may still use it, it is freed with the context. */
static void drop(mnp_ctx *ctx, cache *all, mnp__sharing *sharing)
{
    if (!mnp__ctx_has_graphs(ctx)) {
        free_sharing(ctx, sharing);
        return;
    }
    sharing->next = all->dropped;
    all->dropped = sharing;
}

/* If there are too many, drop the least recently used one, which is the same on all ranks. */
static void forget_last(mnp_ctx *ctx, cache *all)
{
    int count = 0;
    mnp__sharing **last = &all->sharings;
    for (mnp__sharing **at = &all->sharings; *at; at = &(*at)->next, count++)
        last = at;
    if (count < MOST_SHARINGS)
        return;
    mnp__sharing *gone = *last;
    *last = NULL;
    drop(ctx, all, gone);
}

mnp_status mnp__sharing_make(mnp_ctx *ctx, const mnp__reduction_work *work, int64_t outputs, mnp__sharing **sharing_p)
{
    const mnp_layout *layout = work->layout;
    const size_t accumulator = work->reduction->spec.accumulator;
    const size_t largest = (size_t)mnp__layout_largest(work->result) * accumulator; /* the same on all ranks */
    cache *all = NULL;
    mnp__sharing *sharing = NULL;
    mnp_status st = get_cache(ctx, &all);
    if (st == MNP_OK)
        st = mnp__calloc(1, sizeof *sharing, &sharing);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    *sharing = (mnp__sharing){.layout = mnp_layout_retain(layout),
                              .axes = work->axes,
                              .accumulator = accumulator,
                              .bytes = (size_t)outputs * accumulator};
    forget_last(ctx, all);
    MNP_TRY_OR(
        mnp__comm_along(ctx->world, layout->mesh_ndim, layout->mesh, shared_axes(layout, work->axes), &sharing->group),
        st, fail);
    MNP_TRY_OR(
        mnp__heap_alloc(ctx->comm.heap, largest * (size_t)mnp_comm_size(sharing->group), (void **)&sharing->parts), st,
        fail);
    sharing->next = all->sharings;
    all->sharings = sharing;
    *sharing_p = sharing;
    return MNP_OK;
fail:
    if (sharing)
        free_sharing(ctx, sharing);
    return st;
}

char *mnp__sharing_own(const mnp__sharing *sharing)
{
    return sharing->parts + sharing->bytes * (size_t)mnp_comm_rank(sharing->group);
}

mnp_status mnp__sharing_gather(const mnp__sharing *sharing)
{
    return mnp_comm_all_gather(sharing->group, mnp__sharing_own(sharing), (int64_t)sharing->bytes, sharing->parts,
                               MNP_UINT8);
}
