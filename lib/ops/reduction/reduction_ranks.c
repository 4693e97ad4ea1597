/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a context keeps for all reductions: memory for the parts of a run, and how ranks that have parts of the same
 * results send them to each other.
 *
 * Ranks share results if they differ only along mesh axes that cut reduced dimensions.  Every member has a place for
 * what each member knows, and gets it from there: one message each way for every pair, of the size of the results.
 */
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"

enum { MOST_SHARINGS = 32 };

typedef struct kept {
    mnp__sharing *sharings; /* used last, first */
    mnp__sharing *dropped;  /* that graphs may still use */
    void *scratch;
} kept;

/* ---- freeing ---- */

static void free_sharing(mnp_ctx *ctx, mnp__sharing *sharing)
{
    mnp__exchange_free(sharing->exchange);
    ctx->device->ops->free(ctx->device, sharing->parts);
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

static void free_kept(mnp_ctx *ctx, void *data)
{
    kept *all = data;
    free_sharings(ctx, all->sharings);
    free_sharings(ctx, all->dropped);
    ctx->device->ops->free(ctx->device, all->scratch);
    free(all);
}

static mnp_status get_kept(mnp_ctx *ctx, kept **kept_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_REDUCTIONS];
    if (!attached->data) {
        MNP_TRY(mnp__calloc(1, sizeof(kept), &attached->data));
        attached->free = free_kept;
    }
    *kept_p = attached->data;
    return MNP_OK;
}

mnp_status mnp__reduction_scratch(mnp_ctx *ctx, void **scratch_p)
{
    kept *all;
    MNP_TRY(get_kept(ctx, &all));
    if (!all->scratch)
        MNP_TRY(ctx->device->ops->alloc(ctx->device, MNP__REDUCTION_SCRATCH, &all->scratch));
    *scratch_p = all->scratch;
    return MNP_OK;
}

/* ---- ranks that share results ---- */

static bool is_cut(const mnp_layout *layout, unsigned axes, int mesh_axis)
{
    for (int d = 0; d < layout->ndim; d++) {
        if (axes >> d & 1 && layout->axes[d] == mesh_axis)
            return layout->mesh[mesh_axis] > 1;
    }
    return false;
}

bool mnp__is_shared(const mnp_layout *layout, unsigned axes)
{
    for (int a = 0; a < layout->mesh_ndim; a++) {
        if (is_cut(layout, axes, a))
            return true;
    }
    return false;
}

/* Whether two ranks have parts of the same results. */
static bool share(const mnp_layout *layout, unsigned axes, int rank, int other)
{
    for (int a = layout->mesh_ndim - 1; a >= 0; a--) {
        if (rank % layout->mesh[a] != other % layout->mesh[a] && !is_cut(layout, axes, a))
            return false;
        rank /= layout->mesh[a];
        other /= layout->mesh[a];
    }
    return true;
}

/* Whether layouts that give ranks the same elements also give them the same partners: where some have none. */
static bool same_mesh(const mnp_layout *a, const mnp_layout *b)
{
    return a->mesh_ndim == b->mesh_ndim && memcmp(a->mesh, b->mesh, (size_t)a->mesh_ndim * sizeof *a->mesh) == 0 &&
           memcmp(a->axes, b->axes, (size_t)a->ndim * sizeof *a->axes) == 0;
}

mnp__sharing *mnp__sharing_find(mnp_ctx *ctx, const mnp_layout *layout, unsigned axes, size_t accumulator)
{
    kept *all = ctx->attached[MNP__ATTACHED_REDUCTIONS].data;
    for (mnp__sharing **at = all ? &all->sharings : NULL; at && *at; at = &(*at)->next) {
        mnp__sharing *found = *at;
        if (found->axes != axes || found->accumulator != accumulator || found->layout->ndim != layout->ndim ||
            !mnp_layout_equal(found->layout, layout) || !same_mesh(found->layout, layout))
            continue;
        *at = found->next;
        found->next = all->sharings;
        all->sharings = found;
        return found;
    }
    return NULL;
}

/* Let go of one that is in the list no more. */
static void drop(mnp_ctx *ctx, kept *all, mnp__sharing *sharing)
{
    if (!mnp__ctx_has_graphs(ctx)) {
        free_sharing(ctx, sharing);
        return;
    }
    sharing->next = all->dropped;
    all->dropped = sharing;
}

/* Forget the one that was used longest ago, where there are too many: the same one on all ranks. */
static void forget_last(mnp_ctx *ctx, kept *all)
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

static mnp_status connect(mnp_ctx *ctx, mnp__sharing *sharing, size_t bytes)
{
    mnp__message sends[64], recvs[64], *send = sends, *recv = recvs;
    int rank = ctx->comm.rank, size = ctx->comm.size, count = 0;
    for (int other = 0; other < size; other++) {
        if (other == rank)
            sharing->mine = sharing->members;
        sharing->members += share(sharing->layout, sharing->axes, rank, other);
    }
    if (sharing->members > 64) {
        MNP_TRY(mnp__calloc((size_t)sharing->members * 2, sizeof *send, &send));
        recv = send + sharing->members;
    }
    mnp_status st = ctx->device->ops->alloc(ctx->device, bytes * (size_t)sharing->members, (void **)&sharing->parts);
    for (int other = 0, member = 0; other < size && bytes > 0; other++) {
        if (!share(sharing->layout, sharing->axes, rank, other))
            continue;
        if (other != rank) {
            send[count] = (mnp__message){other, sharing->parts + bytes * (size_t)sharing->mine, bytes};
            recv[count++] = (mnp__message){other, sharing->parts + bytes * (size_t)member, bytes};
        }
        member++;
    }
    if (st == MNP_OK)
        st = mnp__exchange_new(&ctx->comm, count, send, count, recv, &sharing->exchange);
    if (send != sends)
        free(send);
    return st;
}

mnp_status mnp__sharing_make(mnp_ctx *ctx, const mnp_layout *layout, unsigned axes, size_t accumulator, int64_t outputs,
                             mnp__sharing **sharing_p)
{
    kept *all;
    mnp__sharing *sharing;
    MNP_TRY(get_kept(ctx, &all));
    MNP_TRY(mnp__calloc(1, sizeof *sharing, &sharing));
    *sharing = (mnp__sharing){.layout = mnp_layout_retain(layout), .axes = axes, .accumulator = accumulator};
    forget_last(ctx, all);
    mnp_status st = connect(ctx, sharing, (size_t)outputs * accumulator);
    if (st != MNP_OK) {
        free_sharing(ctx, sharing);
        return st;
    }
    sharing->next = all->sharings;
    all->sharings = sharing;
    *sharing_p = sharing;
    return MNP_OK;
}

void mnp__sharing_forget(mnp_ctx *ctx)
{
    kept *all = ctx->attached[MNP__ATTACHED_REDUCTIONS].data;
    while (all && all->sharings) {
        mnp__sharing *first = all->sharings;
        all->sharings = first->next;
        drop(ctx, all, first);
    }
}

mnp_status mnp__sharing_exchange(mnp_ctx *ctx, mnp__sharing *sharing)
{
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    MNP_TRY(mnp__exchange_begin(sharing->exchange, ctx->transfer));
    MNP_TRY(mnp__exchange_finish(sharing->exchange, ctx->transfer));
    return mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
}
