/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans that a context keeps, so that the same redistribution is planned once.
 *
 * All ranks keep the same plans in the same order.  Where arrays lie densely, all of them know alike whether there is a
 * plan; where only a rank itself knows its strides, they ask each other which of the plans fits everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "array/move/plan.h"

enum { MOST_PLANS = 32 };
static const int64_t most_bytes = (int64_t)256 << 20; /* that they keep together, on the rank where they keep most */

struct plans {
    int count;
    int64_t bytes;
    struct {
        mnp_plan *plan;
        int64_t bytes;
    } kept[MOST_PLANS]; /* the one used last comes first */
};

static void free_plans(mnp_ctx *ctx, void *data)
{
    struct plans *plans = data;
    (void)ctx;
    for (int i = 0; i < plans->count; i++)
        mnp__plan_release(plans->kept[i].plan);
    free(plans);
}

static mnp_status get_plans(mnp_ctx *ctx, struct plans **plans_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_PLANS];
    struct plans *plans = attached->data;
    if (!plans) {
        mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *plans, &plans));
        if (st != MNP_OK) {
            free(plans);
            return st;
        }
        *attached = (mnp__attachment){.data = plans, .free = free_plans};
    }
    *plans_p = plans;
    return MNP_OK;
}

/* The number of a plan that moves from array to array on all ranks, or -1. */
static mnp_status find(const struct plans *plans, const mnp_array *from, const mnp_array *to, bool wide, int *number_p)
{
    uint32_t fitting = 0, here = 0;
    for (int i = 0; i < plans->count; i++) {
        if (!mnp__plan_fits(plans->kept[i].plan, from, to, wide))
            continue;
        fitting |= UINT32_C(1) << i;
        if (mnp__plan_fits_here(plans->kept[i].plan, from, to))
            here |= UINT32_C(1) << i;
    }
    if (fitting && !mnp__plan_is_known(from, to, wide))
        MNP_TRY(mnp__all_reduce(&from->ctx->comm, &here, 1, MPI_UINT32_T, MPI_BAND));
    *number_p = -1;
    for (int i = plans->count - 1; i >= 0; i--) {
        if (here >> i & 1)
            *number_p = i;
    }
    return MNP_OK;
}

/* Let number i be the one used last. */
static void move_to_front(struct plans *plans, int i)
{
    const size_t size = sizeof plans->kept[0];
    char moved[sizeof plans->kept[0]];
    memcpy(moved, &plans->kept[i], size);
    memmove(&plans->kept[1], &plans->kept[0], (size_t)i * size);
    memcpy(&plans->kept[0], moved, size);
}

/* Keep a plan, instead of those used least recently; but not one that is too large, or instead of one in a graph. */
static mnp_status keep(struct plans *plans, mnp_ctx *ctx, mnp_plan *plan, bool *kept_p)
{
    int64_t bytes = mnp__plan_memory(plan);
    MNP_TRY(mnp__all_reduce(&ctx->comm, &bytes, 1, MPI_INT64_T, MPI_MAX));
    const bool is_full = plans->count == MOST_PLANS || plans->bytes + bytes > most_bytes;
    *kept_p = bytes <= most_bytes && !(is_full && mnp__ctx_has_graphs(ctx));
    if (!*kept_p)
        return MNP_OK;
    while (plans->count == MOST_PLANS || plans->bytes + bytes > most_bytes) {
        int last = plans->count - 1;
        MNP_TRY(MNP_AGREE(ctx, mnp__ctx_wait(ctx, ctx->compute))); /* it may be in use */
        mnp__plan_release(plans->kept[last].plan);
        plans->bytes -= plans->kept[last].bytes;
        plans->count--;
    }
    plans->kept[plans->count].plan = plan;
    plans->kept[plans->count].bytes = bytes;
    plans->bytes += bytes;
    move_to_front(plans, plans->count++);
    return MNP_OK;
}

/* Move by a plan that nobody keeps. */
static mnp_status move_once(mnp_ctx *ctx, mnp_plan *plan, const mnp_array *from, mnp_array *to)
{
    mnp_status st = mnp__plan_move(plan, from, to);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    st = MNP_AGREE(ctx, st);
    mnp__plan_release(plan);
    return st;
}

mnp_status mnp__plan_move_kept(const mnp_array *from, mnp_array *to, bool wide)
{
    mnp_ctx *ctx = from->ctx;
    struct plans *plans;
    mnp_plan *plan;
    bool kept;
    int number;
    MNP_TRY(get_plans(ctx, &plans));
    MNP_TRY(find(plans, from, to, wide, &number));
    if (number >= 0) {
        move_to_front(plans, number);
        return mnp__plan_move(plans->kept[0].plan, from, to);
    }
    MNP_TRY(mnp__plan_new(from, to, wide, &plan));
    mnp_status st = keep(plans, ctx, plan, &kept);
    if (st != MNP_OK) {
        mnp__plan_release(plan);
        return st;
    }
    return kept ? mnp__plan_move(plan, from, to) : move_once(ctx, plan, from, to);
}
