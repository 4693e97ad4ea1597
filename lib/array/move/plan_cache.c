/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Redistributions by cached plans, so that the same one is planned once.
 *
 * All ranks cache the same plans in the same order.  Where arrays lie densely, all of them know alike whether there is a
 * plan; where only a rank itself knows its strides, they ask each other which of the plans fits everywhere.
 */
#include "array/move/plan.h"
#include "context/plan_cache.h"

static int64_t bytes_of(const void *plan)
{
    return mnp__plan_memory(plan);
}

static void release(void *plan)
{
    mnp__plan_release(plan);
}

/* As many as a word has bits. */
static const mnp__plan_cache_kind moves = {
    .attachment = MNP__ATTACHED_PLANS, .most = 32, .bytes = bytes_of, .release = release};

/* The number of a plan that moves from array to array on all ranks, or -1. */
static mnp_status find(const mnp__plan_cache *cache, const mnp_array *from, const mnp_array *to, bool wide,
                       int *number_p)
{
    uint32_t fitting = 0, here = 0;
    for (int i = 0; i < cache->count; i++) {
        if (!mnp__plan_fits(cache->plans[i].plan, from, to, wide))
            continue;
        fitting |= UINT32_C(1) << i;
        if (mnp__plan_fits_here(cache->plans[i].plan, from, to))
            here |= UINT32_C(1) << i;
    }
    if (fitting && !mnp__plan_is_known(from, to, wide))
        MNP_TRY(mnp__all_reduce(&from->ctx->comm, &here, 1, MPI_UINT32_T, MPI_BAND));
    *number_p = -1;
    for (int i = cache->count - 1; i >= 0; i--) {
        if (here >> i & 1)
            *number_p = i;
    }
    return MNP_OK;
}

mnp_status mnp__plan_move_cached(const mnp_array *from, mnp_array *to, bool wide)
{
    mnp_ctx *ctx = from->ctx;
    mnp__plan_cache *cache;
    mnp_plan *plan;
    bool is_cached;
    int number;
    MNP_TRY(mnp__plan_cache_of(ctx, &moves, &cache));
    MNP_TRY(find(cache, from, to, wide, &number));
    if (number >= 0)
        return mnp__plan_move(mnp__plan_cache_use(cache, number), from, to);
    MNP_TRY(mnp__plan_new(from, to, wide, &plan));
    MNP_TRY(mnp__plan_cache_add(cache, ctx, plan, &is_cached));
    const mnp_status st = mnp__plan_move(plan, from, to);
    return is_cached ? st : mnp__plan_cache_once(&moves, ctx, plan, st);
}
