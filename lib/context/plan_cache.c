/* SPDX-License-Identifier: BSD-3-Clause */
/* Cached plans, of which those used least recently go first. */
#include "context/plan_cache.h"

#include <stdlib.h>
#include <string.h>

static const int64_t most_bytes = (int64_t)256 << 20; /* of all plans of a kind */

static void free_cache(mnp_ctx *ctx, void *data)
{
    mnp__plan_cache *cache = data;
    (void)ctx;
    for (int i = 0; i < cache->count; i++)
        cache->kind->release(cache->plans[i].plan);
    free(cache->plans);
    free(cache);
}

static mnp_status new_cache(const mnp__plan_cache_kind *kind, mnp__plan_cache **cache_p)
{
    MNP_TRY(mnp__calloc(1, sizeof **cache_p, cache_p));
    (*cache_p)->kind = kind;
    return mnp__calloc((size_t)kind->most, sizeof *(*cache_p)->plans, &(*cache_p)->plans);
}

mnp_status mnp__plan_cache_of(mnp_ctx *ctx, const mnp__plan_cache_kind *kind, mnp__plan_cache **cache_p)
{
    mnp__attachment *attached = &ctx->attached[kind->attachment];
    mnp__plan_cache *cache = NULL;
    if (attached->data) {
        *cache_p = attached->data;
        return MNP_OK;
    }
    const mnp_status st = MNP_AGREE(ctx, new_cache(kind, &cache));
    if (st != MNP_OK) {
        free(cache ? cache->plans : NULL);
        free(cache);
        return st;
    }
    *attached = (mnp__attachment){.data = cache, .free = free_cache};
    *cache_p = cache;
    return MNP_OK;
}

void *mnp__plan_cache_use(mnp__plan_cache *cache, int i)
{
    const struct mnp__cached_plan used = cache->plans[i];
    memmove(&cache->plans[1], &cache->plans[0], (size_t)i * sizeof used);
    cache->plans[0] = used;
    return used.plan;
}

static mnp_status add(mnp__plan_cache *cache, mnp_ctx *ctx, void *plan, bool *cached_p)
{
    int64_t bytes = cache->kind->bytes(plan);
    MNP_TRY(mnp__all_reduce(&ctx->comm, &bytes, 1, MPI_INT64_T, MPI_MAX));
    const bool is_full = cache->count == cache->kind->most || cache->all_bytes + bytes > most_bytes;
    *cached_p = bytes <= most_bytes && !(is_full && mnp__ctx_has_graphs(ctx));
    if (!*cached_p)
        return MNP_OK;
    while (cache->count == cache->kind->most || cache->all_bytes + bytes > most_bytes) {
        MNP_TRY(MNP_AGREE(ctx, mnp__ctx_wait(ctx, ctx->compute))); /* it may be in use */
        cache->count--;
        cache->all_bytes -= cache->plans[cache->count].bytes;
        cache->kind->release(cache->plans[cache->count].plan);
    }
    cache->plans[cache->count] = (struct mnp__cached_plan){plan, bytes};
    cache->all_bytes += bytes;
    (void)mnp__plan_cache_use(cache, cache->count++);
    return MNP_OK;
}

mnp_status mnp__plan_cache_add(mnp__plan_cache *cache, mnp_ctx *ctx, void *plan, bool *cached_p)
{
    const mnp_status st = add(cache, ctx, plan, cached_p);
    if (st != MNP_OK)
        cache->kind->release(plan);
    return st;
}

mnp_status mnp__plan_cache_once(const mnp__plan_cache_kind *kind, mnp_ctx *ctx, void *plan, mnp_status st)
{
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    st = MNP_AGREE(ctx, st);
    kind->release(plan);
    return st;
}
