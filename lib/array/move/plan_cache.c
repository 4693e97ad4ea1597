/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans that a context keeps, so that the same redistribution is planned once.
 *
 * All ranks keep the same plans in the same order.  Where arrays lie densely, all of them know alike whether there is a
 * plan; where only a rank itself knows its strides, they ask each other which of the plans fits everywhere.
 */
#include "array/move/plan.h"
#include "context/kept.h"

static int64_t bytes_of(const void *plan)
{
    return mnp__plan_memory(plan);
}

static void release(void *plan)
{
    mnp__plan_release(plan);
}

/* As many as a word has bits. */
static const mnp__kept_kind moves = {
    .attachment = MNP__ATTACHED_PLANS, .most = 32, .bytes = bytes_of, .release = release};

/* The number of a plan that moves from array to array on all ranks, or -1. */
static mnp_status find(const mnp__kept *kept, const mnp_array *from, const mnp_array *to, bool wide, int *number_p)
{
    uint32_t fitting = 0, here = 0;
    for (int i = 0; i < kept->count; i++) {
        if (!mnp__plan_fits(kept->plans[i].plan, from, to, wide))
            continue;
        fitting |= UINT32_C(1) << i;
        if (mnp__plan_fits_here(kept->plans[i].plan, from, to))
            here |= UINT32_C(1) << i;
    }
    if (fitting && !mnp__plan_is_known(from, to, wide))
        MNP_TRY(mnp__all_reduce(&from->ctx->comm, &here, 1, MPI_UINT32_T, MPI_BAND));
    *number_p = -1;
    for (int i = kept->count - 1; i >= 0; i--) {
        if (here >> i & 1)
            *number_p = i;
    }
    return MNP_OK;
}

mnp_status mnp__plan_move_kept(const mnp_array *from, mnp_array *to, bool wide)
{
    mnp_ctx *ctx = from->ctx;
    mnp__kept *kept;
    mnp_plan *plan;
    bool is_kept;
    int number;
    MNP_TRY(mnp__kept_of(ctx, &moves, &kept));
    MNP_TRY(find(kept, from, to, wide, &number));
    if (number >= 0)
        return mnp__plan_move(mnp__kept_use(kept, number), from, to);
    MNP_TRY(mnp__plan_new(from, to, wide, &plan));
    MNP_TRY(mnp__kept_add(kept, ctx, plan, &is_kept));
    const mnp_status st = mnp__plan_move(plan, from, to);
    return is_kept ? st : mnp__kept_once(&moves, ctx, plan, st);
}
