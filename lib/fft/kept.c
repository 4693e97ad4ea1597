/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans that a context keeps for plain calls.  All ranks keep the same plans in the same order, as what a plan is
 * for depends only on what all ranks know.
 */
#include <stdlib.h>
#include <string.h>

#include "fft/fft.h"

enum { MOST_PLANS = 24 };
static const int64_t most_bytes = (int64_t)256 << 20; /* that they hold together, on the rank where they hold most */

struct kept {
    int count;
    int64_t bytes;
    struct kept_plan {
        mnp_fft_plan *plan;
        int64_t bytes;
    } plans[MOST_PLANS]; /* the one used last comes first */
};

static void free_kept(mnp_ctx *ctx, void *data)
{
    struct kept *kept = data;
    (void)ctx;
    for (int i = 0; i < kept->count; i++)
        mnp__fft_plan_release(kept->plans[i].plan);
    free(kept);
}

static mnp_status get_kept(mnp_ctx *ctx, struct kept **kept_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_TRANSFORMS];
    struct kept *kept = attached->data;
    if (!kept) {
        const mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *kept, &kept));
        if (st != MNP_OK) {
            free(kept);
            return st;
        }
        *attached = (mnp__attachment){.data = kept, .free = free_kept};
    }
    *kept_p = kept;
    return MNP_OK;
}

static void move_to_front(struct kept *kept, int i)
{
    const struct kept_plan moved = kept->plans[i];
    memmove(&kept->plans[1], &kept->plans[0], (size_t)i * sizeof moved);
    kept->plans[0] = moved;
}

/* Keep a plan, instead of those used least recently; but not one that is too large, or instead of one in a graph. */
static mnp_status keep(struct kept *kept, mnp_ctx *ctx, mnp_fft_plan *plan, bool *kept_p)
{
    int64_t bytes = mnp__fft_plan_bytes(plan);
    MNP_TRY(mnp__all_reduce(&ctx->comm, &bytes, 1, MPI_INT64_T, MPI_MAX));
    const bool is_full = kept->count == MOST_PLANS || kept->bytes + bytes > most_bytes;
    *kept_p = bytes <= most_bytes && !(is_full && mnp__ctx_has_graphs(ctx));
    if (!*kept_p)
        return MNP_OK;
    while (kept->count == MOST_PLANS || kept->bytes + bytes > most_bytes) {
        MNP_TRY(MNP_AGREE(ctx, mnp__ctx_wait(ctx, ctx->compute))); /* it may be in use */
        kept->count--;
        kept->bytes -= kept->plans[kept->count].bytes;
        mnp__fft_plan_release(kept->plans[kept->count].plan);
    }
    kept->plans[kept->count] = (struct kept_plan){plan, bytes};
    kept->bytes += bytes;
    move_to_front(kept, kept->count++);
    return MNP_OK;
}

/* Execute a plan that nobody keeps. */
static mnp_status run_once(mnp_fft_plan *plan, mnp_ctx *ctx, const char *function, const mnp_array *x, mnp_array **y_p)
{
    mnp_status st = mnp__fft_plan_run(plan, function, x, y_p);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    st = MNP_AGREE(ctx, st);
    mnp__fft_plan_release(plan);
    return st;
}

mnp_status mnp__fft_run_kept(const mnp__fft_problem *problem, const char *function, const mnp_array *x, mnp_array **y_p)
{
    mnp_ctx *ctx = x->ctx;
    const bool is_double = mnp__fft_is_double(x->dtype);
    struct kept *kept;
    mnp_fft_plan *plan;
    bool is_kept;
    MNP_TRY(get_kept(ctx, &kept));
    for (int i = 0; i < kept->count; i++) {
        if (mnp__fft_plan_fits(kept->plans[i].plan, problem, is_double)) {
            move_to_front(kept, i);
            return mnp__fft_plan_run(kept->plans[0].plan, function, x, y_p);
        }
    }
    MNP_TRY(mnp__fft_plan_make(ctx, problem, is_double, false, &plan));
    const mnp_status st = keep(kept, ctx, plan, &is_kept);
    if (st != MNP_OK) {
        mnp__fft_plan_release(plan);
        return st;
    }
    return is_kept ? mnp__fft_plan_run(plan, function, x, y_p) : run_once(plan, ctx, function, x, y_p);
}
