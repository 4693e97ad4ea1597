/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that a context keeps for plain calls, so that the same call is planned once.
 *
 * There is a list for every kind of plan, the one used last first.  All ranks keep the same plans in the same order, as
 * long as all of them find alike which plan fits.
 */
#ifndef MNP__CONTEXT_KEPT_H
#define MNP__CONTEXT_KEPT_H

#include "context/context.h"

/* A kind of plan. */
typedef struct mnp__kept_kind {
    mnp__attachment_id attachment;
    int most;                           /* plans of the kind that are kept */
    int64_t (*bytes)(const void *plan); /* that a plan holds on this rank */
    void (*release)(void *plan);        /* collective */
} mnp__kept_kind;

typedef struct mnp__kept {
    const mnp__kept_kind *kind;
    int count;
    int64_t all_bytes;
    struct mnp__kept_plan {
        void *plan;
        int64_t bytes; /* on the rank where it holds most */
    } * plans;
} mnp__kept;

/* The list of a kind, made where there is none yet.  Collective.  MNP_ERR_MEMORY. */
mnp_status mnp__kept_of(mnp_ctx *ctx, const mnp__kept_kind *kind, mnp__kept **kept_p);

/* Let number i be the plan that was used last, and return it. */
void *mnp__kept_use(mnp__kept *kept, int i);

/*
 * Give a new plan to the list, which releases those used least recently where it would hold too many, or more than
 * 256 MiB in all.  *kept_p is false, and the plan still the caller's, if it is too large itself, or would take the
 * place of one that is recorded in a graph.  After an error it has been released.  Collective.
 */
mnp_status mnp__kept_add(mnp__kept *kept, mnp_ctx *ctx, void *plan, bool *kept_p);

/* The end of a call whose plan nobody keeps: wait until it is over, release the plan, and agree.  Collective. */
mnp_status mnp__kept_once(const mnp__kept_kind *kind, mnp_ctx *ctx, void *plan, mnp_status st);

#endif
