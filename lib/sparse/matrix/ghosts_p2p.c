/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of ghosts between GPUs that share the heap, by one of two protocols.  All ranks choose the same one.
 *
 * By stores: the ghosts of all ranks are at the same offset of the heap, so a rank only has to know where the elements
 * that it sends begin among a peer's ghosts.  By words with their data, if a small grid can send what any rank has to:
 * peers write lines in the heap, and the ghosts are in a rank's own memory.  With either, all ranks take as much of the
 * heap as the rank that needs most.
 */
#include "sparse/matrix/ghosts_p2p.h"

#include <stdlib.h>

#include "array/move/p2p_boxes.h"
#include "base/integer.h"
#include "base/text.h"
#include "comm/heap.h"
#include "comm/p2p.h"
#include "comm/waits.h"
#include "kernels/sparse/matrix/p2p_ghosts_params.h"

struct mnp__ghosts_p2p {
    mnp_ctx *ctx;
    bool by_words;
    mnp__kernel *kernel;
    int blocks;
    void *shared;         /* in the heap: ghosts, or lines */
    mnp__p2p_links links; /* by stores */
    void *own;            /* by words, device memory: the counts of runs, and the ghosts */
    char *values;         /* the ghosts */
    union {
        mnp_ghosts_params stores;
        mnp_ghost_words_params words;
    } params;
};

/* What is needed to set up an exchange. */
struct planner {
    mnp__ghosts_p2p *p2p;
    const mnp__ghosts_plan *plan;
    size_t row_bytes;
    int64_t width;
    int multiprocessors; /* of this rank's GPU */
    struct start {       /* where the elements that this rank sends to a peer begin: */
        int64_t row;     /* among the peer's ghosts; */
        int64_t line;    /* by words, in the peer's heap */
    } starts[MNP_P2P_PEERS];
};

/* By words: the counts of runs in device memory, before the ghosts. */
struct counts {
    unsigned runs, arrived;
    unsigned line[62]; /* so that ghosts are aligned */
};

bool mnp__ghosts_p2p_is_possible(const mnp_ctx *ctx)
{
    const mnp__comm *comm = &ctx->comm;
    return mnp__p2p_boxes_is_possible(ctx) && comm->peers->count == comm->size && comm->size <= MNP_P2P_PEERS &&
           !comm->library_only;
}

/* ---- how much ---- */

static int64_t sum_of(const int64_t *counts, int count)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

/* How many words a message of so many rows has. */
static int64_t words_of(const struct planner *planner, int64_t rows)
{
    return mnp__p2p_words_of(rows * (int64_t)planner->row_bytes);
}

/* Whether this rank sends anything to a rank, or receives anything from it. */
static bool meets(const struct planner *planner, int rank)
{
    return planner->plan->from[rank] > 0 || planner->plan->to[rank] > 0;
}

/* How many lines, in two halves each, the ranks before a rank need. */
static int64_t lines_before(const struct planner *planner, int rank)
{
    int64_t lines = 0;
    for (int r = 0; r < rank; r++)
        lines += meets(planner, r) ? 2 * words_of(planner, planner->plan->from[r]) : 0;
    return lines;
}

/* How many blocks send and receive the words to and from a rank, with a few words for each thread. */
static int64_t word_blocks(const struct planner *planner, int rank)
{
    const int64_t sent = words_of(planner, planner->plan->to[rank]);
    const int64_t received = words_of(planner, planner->plan->from[rank]);
    return mnp__divide_up(mnp__max(sent, received), MNP_GHOST_WORDS_BLOCK);
}

/* ---- what all ranks agree on ---- */

/*
 * Choose the protocol and allocate the heap.  Words are for what one block for each multiprocessor can send, about half
 * a megabyte; above that, sending half the bytes is faster.  A peer's memory is found by its offset in this rank's
 * heap, so the heap has the same blocks on all ranks, and each takes as much as the rank that needs most.  Collective,
 * and agreed upon.
 */
static mnp_status settle(struct planner *planner)
{
    mnp__ghosts_p2p *p2p = planner->p2p;
    const mnp__comm *comm = &p2p->ctx->comm;
    const uint64_t values = (uint64_t)sum_of(planner->plan->from, comm->size) * planner->row_bytes;
    const uint64_t lines = (uint64_t)lines_before(planner, comm->size);
    int64_t blocks = 0;
    for (int r = 0; r < comm->size; r++)
        blocks += meets(planner, r) ? word_blocks(planner, r) : 0;
    uint64_t most[] = {values, lines, (uint64_t)blocks, ~(uint64_t)planner->multiprocessors};
    MNP_TRY(mnp__heap_compare(comm->heap));
    MNP_TRY(mnp__all_reduce(comm, most, 4, MPI_UINT64_T, MPI_MAX));
    p2p->by_words = most[2] <= ~most[3];
    const size_t size = p2p->by_words ? most[1] * sizeof(mnp_p2p_line) : most[0];
    MNP_TRY(MNP_AGREE(p2p->ctx, mnp__heap_alloc(comm->heap, size, &p2p->shared)));
    return p2p->by_words ? MNP_OK : mnp__p2p_links_open(&p2p->ctx->comm, &p2p->links);
}

/* Tell every rank where the elements that it sends here begin.  Collective. */
static mnp_status exchange_starts(struct planner *planner)
{
    const mnp__comm *comm = &planner->p2p->ctx->comm;
    struct start mine[MNP_P2P_PEERS];
    for (int r = 0; r < comm->size; r++)
        mine[r] = (struct start){.row = sum_of(planner->plan->from, r), .line = lines_before(planner, r)};
    return mnp__all_to_all(comm, mine, planner->starts, sizeof *mine);
}

static mnp_status load_kernel(mnp__ghosts_p2p *p2p, size_t size)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_ELEMENT %zu\n", size);
    const mnp__kernel_spec spec = {.file = "sparse/matrix/p2p_ghosts.cu",
                                   .function = p2p->by_words ? "send_ghosts" : "p2p_ghosts"};
    return mnp__ctx_kernel_of_text(p2p->ctx, &spec, &defines, NULL, &p2p->kernel);
}

/* ---- by stores ---- */

/*
 * The number of blocks for so many of all wanted rows: enough that each thread makes one access, but in all no more
 * than the GPU has multiprocessors.  That saturates the links, and leaves most of the GPU to the product that runs
 * meanwhile.
 */
static int store_blocks(const struct planner *planner, int64_t rows, int64_t all_rows)
{
    const int64_t share = 16 * MNP_GHOSTS_THREADS;
    const int64_t wanted = mnp__divide_up(all_rows * (int64_t)planner->row_bytes, share);
    const int64_t most = mnp__min(wanted, planner->multiprocessors);
    const int blocks = (int)((double)rows / (double)all_rows * (double)most);
    return blocks > 0 ? blocks : 1;
}

/* Fill in the peers to which this rank stores, and those that store here. */
static void gather_stores(const struct planner *planner)
{
    mnp__ghosts_p2p *p2p = planner->p2p;
    mnp_ghosts_params *params = &p2p->params.stores;
    const mnp__comm *comm = &p2p->ctx->comm;
    const int64_t *to = planner->plan->to, *places = planner->plan->places, all_rows = sum_of(to, comm->size);
    for (int r = 0; r < comm->size; r++) {
        const int entry = params->p2p.count;
        if (!meets(planner, r))
            continue;
        mnp_p2p_peer *peer = mnp__p2p_enter(&p2p->links, params->p2p.peers, &params->p2p.count, r);
        peer->stores = to[r] > 0;
        peer->writes = planner->plan->from[r] > 0;
        if (to[r] == 0)
            continue;
        char *there = p2p->values + mnp__heap_distance(comm->heap, r);
        params->to[entry] = there + (size_t)planner->starts[r].row * planner->row_bytes;
        params->parts[entry] = (mnp_ghosts_part){.places = (const long long *)places, .rows = to[r]};
        params->first_block[entry] = p2p->blocks;
        params->blocks[entry] = store_blocks(planner, to[r], all_rows);
        p2p->blocks += params->blocks[entry];
        places += to[r];
    }
    if (params->p2p.count > 0 && p2p->blocks == 0) /* one block must tell peers that they may store here */
        p2p->blocks = 1;
}

static void prepare_stores(const struct planner *planner)
{
    mnp__ghosts_p2p *p2p = planner->p2p;
    p2p->values = p2p->shared;
    p2p->params.stores.width = planner->width;
    p2p->params.stores.p2p = mnp__p2p_params(&p2p->links);
    gather_stores(planner);
}

/* ---- by words ---- */

static void gather_words(const struct planner *planner)
{
    mnp__ghosts_p2p *p2p = planner->p2p;
    const mnp__comm *comm = &p2p->ctx->comm;
    const mnp__ghosts_plan *plan = planner->plan;
    mnp_ghost_words_peer *peer = p2p->params.words.peers;
    mnp_p2p_line *lines = p2p->shared;
    const int64_t *places = plan->places;
    for (int r = 0; r < comm->size; r++) {
        if (!meets(planner, r))
            continue;
        char *there = (char *)p2p->shared + mnp__heap_distance(comm->heap, r);
        *peer = (mnp_ghost_words_peer){
            .part = {.places = (const long long *)places, .rows = plan->to[r]},
            .there = (mnp_p2p_line *)(void *)there + planner->starts[r].line,
            .here = lines + lines_before(planner, r),
            .values = p2p->values + (size_t)sum_of(plan->from, r) * planner->row_bytes,
            .elements = plan->from[r] * planner->width,
            .sent = (int)words_of(planner, plan->to[r]),
            .received = (int)words_of(planner, plan->from[r]),
            .number = r,
            .first_block = p2p->blocks,
            .blocks = (int)word_blocks(planner, r),
        };
        places += plan->to[r];
        p2p->blocks += (peer++)->blocks;
    }
}

/* Fill in the parameters of an exchange by words; no communication. */
static mnp_status prepare_words(const struct planner *planner)
{
    mnp__ghosts_p2p *p2p = planner->p2p;
    mnp_ctx *ctx = p2p->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const size_t lines = (size_t)lines_before(planner, ctx->comm.size) * sizeof(mnp_p2p_line);
    const size_t values = (size_t)sum_of(planner->plan->from, ctx->comm.size) * planner->row_bytes;
    mnp_ghost_words_params *params = &p2p->params.words;
    struct counts *counts;
    MNP_TRY(ops->alloc(ctx->device, sizeof *counts + values, &p2p->own));
    MNP_TRY(ops->fill(ctx->device, p2p->own, 0, sizeof *counts, ctx->compute));
    MNP_TRY(ops->fill(ctx->device, p2p->shared, 0, lines, ctx->compute));
    counts = p2p->own;
    p2p->values = (char *)(counts + 1);
    params->width = planner->width;
    params->runs = &counts->runs;
    params->arrived = &counts->arrived;
    params->limits = mnp__waits_params(ctx->comm.waits);
    gather_words(planner);
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* ---- making one ---- */

/* Collect what this rank knows by itself.  Collective, and agreed upon. */
static mnp_status begin_planning(struct planner *planner, mnp_ctx *ctx)
{
    mnp_rank_info info = {.rank = 0};
    mnp_status st = ctx->device->ops->info(ctx->device, &info);
    if (st == MNP_OK)
        st = mnp__calloc(1, sizeof *planner->p2p, &planner->p2p);
    if (st == MNP_OK)
        planner->p2p->ctx = ctx;
    planner->multiprocessors = info.multiprocessors;
    return MNP_AGREE(ctx, st);
}

mnp_status mnp__ghosts_p2p_new(mnp_ctx *ctx, const mnp__ghosts_plan *plan, size_t size, int64_t width,
                               mnp__ghosts_p2p **p2p_p)
{
    struct planner planner = {.plan = plan, .row_bytes = size * (size_t)width, .width = width};
    mnp_status st;
    MNP_TRY_OR(begin_planning(&planner, ctx), st, fail);
    MNP_TRY_OR(exchange_starts(&planner), st, fail);
    MNP_TRY_OR(settle(&planner), st, fail);
    MNP_TRY_OR(load_kernel(planner.p2p, size), st, fail);
    if (planner.p2p->by_words) /* agreed upon: no rank writes into lines before they are 0 */
        MNP_TRY_OR(MNP_AGREE(ctx, prepare_words(&planner)), st, fail);
    else
        prepare_stores(&planner);
    *p2p_p = planner.p2p;
    return MNP_OK;
fail:
    mnp__ghosts_p2p_free(planner.p2p);
    return st;
}

void mnp__ghosts_p2p_free(mnp__ghosts_p2p *p2p)
{
    if (!p2p)
        return;
    p2p->ctx->device->ops->free(p2p->ctx->device, p2p->own);
    mnp__p2p_links_close(&p2p->links);
    mnp__heap_free(p2p->ctx->comm.heap, p2p->shared);
    free(p2p);
}

/* ---- running ---- */

mnp_status mnp__ghosts_p2p_run(mnp__ghosts_p2p *p2p, const void *x, mnp__stream *stream)
{
    mnp__device *device = p2p->ctx->device;
    mnp_ghosts_params *stores = &p2p->params.stores;
    mnp_ghost_words_params *words = &p2p->params.words;
    const unsigned blocks = (unsigned)p2p->blocks;
    const unsigned threads = p2p->by_words ? MNP_GHOST_WORDS_THREADS : MNP_GHOSTS_THREADS;
    const mnp__launch launch = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    MNP_TRY(mnp__waits_check(p2p->ctx->comm.waits));
    if (blocks == 0) /* nothing to send, and none to wait for */
        return MNP_OK;
    if (p2p->by_words) {
        words->x = x;
        return device->ops->launch(device, p2p->kernel, &launch, words, sizeof *words, stream);
    }
    stores->x = x;
    return device->ops->launch(device, p2p->kernel, &launch, stores, sizeof *stores, stream);
}

const void *mnp__ghosts_p2p_values(const mnp__ghosts_p2p *p2p)
{
    return p2p->values;
}
