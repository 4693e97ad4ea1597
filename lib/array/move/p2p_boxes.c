/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes for peers: who takes part, and what goes to whom.
 */
#include "array/move/p2p_boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/p2p.h"
#include "comm/waits.h"
#include "kernels/array/p2p_boxes_params.h"

struct mnp__p2p_boxes {
    mnp_ctx *ctx;
    mnp__kernel *kernel, *copy; /* copy: for a rank that has nobody to wait for */
    const mnp__boxes *local;
    mnp__p2p_links links;
    mnp_p2p_boxes_params params;
    int blocks;
    void *more; /* device memory: the lists of params, where they are too long for it */
};

bool mnp__p2p_boxes_is_possible(const mnp_ctx *ctx)
{
    return mnp__heap_shared(ctx->comm.heap) && !ctx->device->cpu_memory;
}

/* ---- who takes part ---- */

/* The peers that this rank stores to or that write here, and what it stores, while params are made. */
struct lists {
    int count, num_shares;
    mnp_p2p_peer *peers;
    mnp_p2p_share *shares;
};

static void list_peers(const mnp__p2p_boxes *p2p, const mnp__p2p_boxes_spec *spec, struct lists *lists)
{
    for (int i = 0; i < spec->ntargets; i++) {
        mnp__p2p_enter(&p2p->links, lists->peers, &lists->count, spec->targets[i])->stores = true;
        if (!spec->first_units)
            continue;
        const int64_t end = i + 1 < spec->ntargets ? spec->first_units[i + 1] : spec->store->units;
        if (end > spec->first_units[i])
            mnp__p2p_deal(lists->shares, &lists->num_shares, spec->first_units[i], end - spec->first_units[i]);
    }
    if (spec->local->units > 0)
        mnp__p2p_deal(lists->shares, &lists->num_shares, spec->store->units, spec->local->units);
    for (int i = 0; i < spec->nwriters; i++)
        mnp__p2p_enter(&p2p->links, lists->peers, &lists->count, spec->writers[i])->writes = true;
}

/* ---- making one ---- */

/* Bring the lists to where the kernel finds them: into its parameter, or device memory. */
static mnp_status place_lists(mnp__p2p_boxes *p2p, const struct lists *lists)
{
    mnp_ctx *ctx = p2p->ctx;
    mnp__device *device = ctx->device;
    mnp_p2p_boxes_params *params = &p2p->params;
    const size_t peers = (size_t)lists->count * sizeof *lists->peers;
    const size_t shares = (size_t)lists->num_shares * sizeof *lists->shares;
    params->p2p.count = lists->count;
    params->num_shares = lists->num_shares;
    if (lists->count <= MNP_P2P_PEERS && lists->num_shares <= MNP_P2P_PEERS) {
        memcpy(params->p2p.peers, lists->peers, peers);
        memcpy(params->shares, lists->shares, shares);
        return MNP_OK;
    }
    MNP_TRY(device->ops->alloc(device, peers + shares, &p2p->more));
    params->p2p.more = p2p->more;
    params->more_shares = (const mnp_p2p_share *)(const void *)((char *)p2p->more + peers);
    MNP_TRY(device->ops->copy(device, p2p->more, lists->peers, peers, ctx->compute));
    MNP_TRY(device->ops->copy(device, (char *)p2p->more + peers, lists->shares, shares, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* What this rank does alone, with room for its lists. */
static mnp_status prepare(mnp__p2p_boxes *p2p, const mnp__p2p_boxes_spec *spec, struct lists *lists)
{
    mnp__device *device = p2p->ctx->device;
    mnp_rank_info info = {.rank = 0};
    MNP_TRY(device->ops->info(device, &info));
    p2p->params.p2p = mnp__p2p_params(&p2p->links);
    MNP_TRY(mnp__boxes_to_device(p2p->ctx, spec->store));
    MNP_TRY(mnp__boxes_to_device(p2p->ctx, spec->local));
    p2p->params.store = mnp__boxes_params(spec->store);
    p2p->params.local = mnp__boxes_params(spec->local);
    p2p->blocks = mnp__p2p_blocks(spec->store->units + spec->local->units, info.multiprocessors);
    list_peers(p2p, spec, lists);
    return place_lists(p2p, lists);
}

static mnp_status load_kernel(mnp__p2p_boxes *p2p, mnp_dtype dtype)
{
    const char *type = mnp__jit_type(dtype);
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_SRC %s\n#define MNP_DST %s\n", type, type);
    const mnp__kernel_spec spec = {.file = "array/p2p_boxes.cu", .function = "p2p_boxes"};
    MNP_TRY(mnp__ctx_kernel_of_text(p2p->ctx, &spec, &defines, NULL, &p2p->kernel));
    return mnp__copy_kernel(p2p->ctx, dtype, dtype, &p2p->copy);
}

mnp_status mnp__p2p_boxes_new(mnp_ctx *ctx, const mnp__p2p_boxes_spec *spec, mnp__p2p_boxes **p2p_p)
{
    const size_t room = (size_t)ctx->comm.peers->count;
    struct lists lists = {.count = 0};
    mnp__p2p_boxes *p2p = NULL;
    mnp_status st = mnp__calloc(1, sizeof *p2p, &p2p);
    if (st == MNP_OK) {
        p2p->ctx = ctx;
        p2p->local = spec->local;
        st = mnp__calloc(room, sizeof *lists.peers, &lists.peers);
    }
    if (st == MNP_OK)
        st = mnp__calloc(room, sizeof *lists.shares, &lists.shares);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(load_kernel(p2p, spec->dtype), st, done);
    MNP_TRY_OR(mnp__p2p_links_open(&ctx->comm, &p2p->links), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, prepare(p2p, spec, &lists)), st, done);
    *p2p_p = p2p;
done:
    free(lists.peers);
    free(lists.shares);
    if (st != MNP_OK)
        mnp__p2p_boxes_free(p2p);
    return st;
}

void mnp__p2p_boxes_free(mnp__p2p_boxes *p2p)
{
    if (!p2p)
        return;
    mnp__device *device = p2p->ctx->device;
    device->ops->free(device, p2p->more);
    mnp__p2p_links_close(&p2p->links);
    free(p2p);
}

/* ---- running ---- */

mnp_status mnp__p2p_boxes_run(mnp__p2p_boxes *p2p, const void *src, void *theirs, void *own, mnp__stream *stream)
{
    mnp__device *device = p2p->ctx->device;
    const mnp__launch launch = {.grid = {(unsigned)p2p->blocks, 1, 1}, .block = {MNP_COPY_THREADS, 1, 1}};
    MNP_TRY(mnp__waits_check(p2p->ctx->comm.waits));
    if (p2p->params.p2p.count == 0) /* nobody to wait for, and all of the GPU to copy with */
        return mnp__boxes_run(p2p->ctx, p2p->copy, p2p->local, src, own, stream);
    p2p->params.src = src;
    p2p->params.theirs = theirs;
    p2p->params.own = own;
    return device->ops->launch(device, p2p->kernel, &launch, &p2p->params, sizeof p2p->params, stream);
}
