/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans that a context keeps, those used least recently go first. */
#include "context/kept.h"

#include <stdlib.h>
#include <string.h>

static const int64_t most_bytes = (int64_t)256 << 20; /* of all plans of a kind */

static void free_kept(mnp_ctx *ctx, void *data)
{
    mnp__kept *kept = data;
    (void)ctx;
    for (int i = 0; i < kept->count; i++)
        kept->kind->release(kept->plans[i].plan);
    free(kept->plans);
    free(kept);
}

static mnp_status new_kept(const mnp__kept_kind *kind, mnp__kept **kept_p)
{
    MNP_TRY(mnp__calloc(1, sizeof **kept_p, kept_p));
    (*kept_p)->kind = kind;
    return mnp__calloc((size_t)kind->most, sizeof *(*kept_p)->plans, &(*kept_p)->plans);
}

mnp_status mnp__kept_of(mnp_ctx *ctx, const mnp__kept_kind *kind, mnp__kept **kept_p)
{
    mnp__attachment *attached = &ctx->attached[kind->attachment];
    mnp__kept *kept = NULL;
    if (attached->data) {
        *kept_p = attached->data;
        return MNP_OK;
    }
    const mnp_status st = MNP_AGREE(ctx, new_kept(kind, &kept));
    if (st != MNP_OK) {
        free(kept ? kept->plans : NULL);
        free(kept);
        return st;
    }
    *attached = (mnp__attachment){.data = kept, .free = free_kept};
    *kept_p = kept;
    return MNP_OK;
}

void *mnp__kept_use(mnp__kept *kept, int i)
{
    const struct mnp__kept_plan used = kept->plans[i];
    memmove(&kept->plans[1], &kept->plans[0], (size_t)i * sizeof used);
    kept->plans[0] = used;
    return used.plan;
}

static mnp_status add(mnp__kept *kept, mnp_ctx *ctx, void *plan, bool *kept_p)
{
    int64_t bytes = kept->kind->bytes(plan);
    MNP_TRY(mnp__all_reduce(&ctx->comm, &bytes, 1, MPI_INT64_T, MPI_MAX));
    const bool is_full = kept->count == kept->kind->most || kept->all_bytes + bytes > most_bytes;
    *kept_p = bytes <= most_bytes && !(is_full && mnp__ctx_has_graphs(ctx));
    if (!*kept_p)
        return MNP_OK;
    while (kept->count == kept->kind->most || kept->all_bytes + bytes > most_bytes) {
        MNP_TRY(MNP_AGREE(ctx, mnp__ctx_wait(ctx, ctx->compute))); /* it may be in use */
        kept->count--;
        kept->all_bytes -= kept->plans[kept->count].bytes;
        kept->kind->release(kept->plans[kept->count].plan);
    }
    kept->plans[kept->count] = (struct mnp__kept_plan){plan, bytes};
    kept->all_bytes += bytes;
    (void)mnp__kept_use(kept, kept->count++);
    return MNP_OK;
}

mnp_status mnp__kept_add(mnp__kept *kept, mnp_ctx *ctx, void *plan, bool *kept_p)
{
    const mnp_status st = add(kept, ctx, plan, kept_p);
    if (st != MNP_OK)
        kept->kind->release(plan);
    return st;
}

mnp_status mnp__kept_once(const mnp__kept_kind *kind, mnp_ctx *ctx, void *plan, mnp_status st)
{
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    st = MNP_AGREE(ctx, st);
    kind->release(plan);
    return st;
}
