/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops that a context keeps.
 */
#include "ops/elementwise/apply.h"
#include "ops/common/kernel_table.h"

typedef struct request {
    mnp_status (*build)(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p);
    const void *argument;
} request;

static mnp_status build_loop(mnp_ctx *ctx, const void *argument, void **thing_p)
{
    const request *r = argument;
    mnp__loop *loop;
    MNP_TRY(r->build(ctx, r->argument, &loop));
    *thing_p = loop;
    return MNP_OK;
}

static void free_loop(void *thing)
{
    mnp__loop_free(thing);
}

mnp_status mnp__ctx_loop(mnp_ctx *ctx, const void *key, size_t key_size,
                         mnp_status (*build)(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p),
                         const void *argument, mnp__loop **loop_p)
{
    static const mnp__keeper loops = {.id = MNP__ATTACHED_LOOPS, .build = build_loop, .free = free_loop};
    const request r = {.build = build, .argument = argument};
    void *thing;
    MNP_TRY(mnp__ctx_keep(ctx, &loops, key, key_size, &r, &thing));
    *loop_p = thing;
    return MNP_OK;
}
