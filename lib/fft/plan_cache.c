/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain calls by cached plans: what a plan is for depends only on what all ranks know. */
#include "context/plan_cache.h"
#include "fft/choices.h"
#include "fft/fft.h"

static int64_t bytes_of(const void *plan)
{
    return mnp__fft_plan_bytes(plan);
}

static void release(void *plan)
{
    mnp__fft_plan_release(plan);
}

static const mnp__plan_cache_kind transforms = {
    .attachment = MNP__ATTACHED_TRANSFORMS, .most = 24, .bytes = bytes_of, .release = release};

mnp_status mnp__fft_run_cached(const mnp__fft_problem *problem, const char *function, const mnp_array *x,
                               mnp_array **y_p)
{
    mnp_ctx *ctx = x->ctx;
    const bool is_double = mnp__fft_is_double(x->dtype);
    mnp__fft_problem chosen = *problem;
    mnp__plan_cache *cache;
    mnp_fft_plan *plan;
    bool is_cached;
    MNP_TRY(mnp__plan_cache_of(ctx, &transforms, &cache));
    for (int i = 0; i < cache->count; i++) {
        if (mnp__fft_plan_fits(cache->plans[i].plan, problem, is_double))
            return mnp__fft_plan_run(mnp__plan_cache_use(cache, i), function, x, y_p);
    }
    MNP_TRY(mnp__fft_choose(ctx, is_double, false, &chosen));
    MNP_TRY(mnp__fft_plan_make(ctx, &chosen, is_double, false, &plan));
    MNP_TRY(mnp__plan_cache_add(cache, ctx, plan, &is_cached));
    const mnp_status st = mnp__fft_plan_run(plan, function, x, y_p);
    return is_cached ? st : mnp__plan_cache_once(&transforms, ctx, plan, st);
}
