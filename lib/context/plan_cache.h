/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of plans of a context, for plain calls, so that the same call is planned once.
 *
 * There is a list for every kind of plan, the one used last first.  All ranks cache the same plans in the same order, as
 * long as all of them find alike which plan fits.
 */
#ifndef MNP__CONTEXT_PLAN_CACHE_H
#define MNP__CONTEXT_PLAN_CACHE_H

#include "context/context.h"

/* A kind of plan. */
typedef struct mnp__plan_cache_kind {
    mnp__attachment_id attachment;
    int most;                           /* cached plans of the kind */
    int64_t (*bytes)(const void *plan); /* that a plan holds on this rank */
    void (*release)(void *plan);        /* collective */
} mnp__plan_cache_kind;

typedef struct mnp__plan_cache {
    const mnp__plan_cache_kind *kind;
    int count;
    int64_t all_bytes;
    struct mnp__cached_plan {
        void *plan;
        int64_t bytes; /* on the rank where it holds most */
    } * plans;
} mnp__plan_cache;

/* The list of a kind, made where there is none yet.  Collective.  MNP_ERR_MEMORY. */
mnp_status mnp__plan_cache_of(mnp_ctx *ctx, const mnp__plan_cache_kind *kind, mnp__plan_cache **cache_p);

/* Let number i be the plan that was used last, and return it. */
void *mnp__plan_cache_use(mnp__plan_cache *cache, int i);

/*
 * Give a new plan to the list, which releases those used least recently where it would hold too many, or more than
 * 256 MiB in all.  *cached_p is false, and the plan still the caller's, if it is too large itself, or would take the
 * place of one that is recorded in a graph.  After an error it has been released.  Collective.
 */
mnp_status mnp__plan_cache_add(mnp__plan_cache *cache, mnp_ctx *ctx, void *plan, bool *cached_p);

/* The end of a call whose plan is not cached: wait until it is over, release the plan, and agree.  Collective. */
mnp_status mnp__plan_cache_once(const mnp__plan_cache_kind *kind, mnp_ctx *ctx, void *plan, mnp_status st);

#endif
