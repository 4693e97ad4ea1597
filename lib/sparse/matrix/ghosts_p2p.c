/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ghosts on GPUs that share the heap, in one of two ways, which all ranks choose alike.
 *
 * By stores: everyone's ghosts lie at the same place of the heap, behind the words by which ranks wait for each other,
 * so a rank needs to know only where among a peer's ghosts its own begin.  By words, where nobody has more than a
 * small grid can bring: the heap has lines that peers write, and ghosts lie in memory of the rank's own.  Either has
 * as much of the heap as the rank that needs most.
 */
#include "sparse/matrix/ghosts_p2p.h"

#include <stdlib.h>

#include "array/move/p2p_boxes.h"
#include "base/text.h"
#include "comm/heap.h"
#include "comm/waits.h"
#include "kernels/sparse/matrix/p2p_ghosts_params.h"

struct mnp__ghosts_p2p {
    mnp_ctx *ctx;
    bool by_words;
    mnp__kernel *kernel;
    int blocks;
    void *shared; /* in the heap: words and ghosts, or lines */
    void *own;    /* device memory: what a rank keeps of its runs; by words the ghosts too */
    char *values; /* the ghosts */
    union {
        mnp_ghosts_params stores;
        mnp_ghost_words_params words;
    } params;
};

/* What is needed to make one. */
struct planner {
    mnp__ghosts_p2p *push;
    const mnp__ghosts_plan *plan;
    size_t row_bytes;
    int64_t width;
    int multiprocessors; /* of this rank's GPU */
    struct start {       /* where what this rank brings to a peer begins, */
        int64_t row;     /* of all its ghosts; */
        int64_t line;    /* in its heap */
    } starts[MNP_GHOSTS_PEERS];
};

/* What a rank keeps by words, before its ghosts. */
struct counts {
    unsigned runs, arrived;
    unsigned line[62]; /* so that ghosts are aligned */
};

bool mnp__ghosts_p2p_is_possible(const mnp_ctx *ctx)
{
    const mnp__comm *comm = &ctx->comm;
    return mnp__p2p_boxes_is_possible(ctx) && comm->peers->count == comm->size && comm->size <= MNP_GHOSTS_PEERS &&
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

/* Words that so many rows go in: an empty message too. */
static int64_t words_of(const struct planner *planner, int64_t rows)
{
    const int64_t bytes = rows * (int64_t)planner->row_bytes;
    return bytes > 8 ? (bytes + 7) / 8 : 1;
}

/* Whether this rank brings anything to that one, or the other way round. */
static bool meets(const struct planner *planner, int rank)
{
    return planner->plan->from[rank] > 0 || planner->plan->to[rank] > 0;
}

/* Lines of ranks before that one, each with two halves. */
static int64_t lines_before(const struct planner *planner, int rank)
{
    int64_t lines = 0;
    for (int r = 0; r < rank; r++)
        lines += meets(planner, r) ? 2 * words_of(planner, planner->plan->from[r]) : 0;
    return lines;
}

/* Blocks that go through the words from and to that rank, a thread through a few. */
static int64_t word_blocks(const struct planner *planner, int rank)
{
    const int64_t sent = words_of(planner, planner->plan->to[rank]);
    const int64_t received = words_of(planner, planner->plan->from[rank]);
    return ((sent > received ? sent : received) + MNP_GHOST_WORDS_BLOCK - 1) / MNP_GHOST_WORDS_BLOCK;
}

/* ---- what all ranks settle ---- */

/*
 * Which way, and the heap.  Words are for what one block a multiprocessor can bring: about half a megabyte, above
 * which to bring half the bytes is quicker.  The heap has the same blocks on all ranks, as a peer's is found by its
 * place in this rank's: so each takes as much as the rank that needs most.  Collective, and agreed upon.
 */
static mnp_status settle(struct planner *planner)
{
    mnp__ghosts_p2p *push = planner->push;
    const mnp__comm *comm = &push->ctx->comm;
    const uint64_t values = (uint64_t)sum_of(planner->plan->from, comm->size) * planner->row_bytes;
    const uint64_t lines = (uint64_t)lines_before(planner, comm->size);
    int64_t blocks = 0;
    for (int r = 0; r < comm->size; r++)
        blocks += meets(planner, r) ? word_blocks(planner, r) : 0;
    uint64_t most[] = {values, lines, (uint64_t)blocks, ~(uint64_t)planner->multiprocessors};
    MNP_TRY(mnp__heap_compare(comm->heap));
    MNP_TRY(mnp__all_reduce(comm, most, 4, MPI_UINT64_T, MPI_MAX));
    push->by_words = most[2] <= ~most[3];
    const size_t size =
        push->by_words ? most[1] * sizeof(mnp_p2p_small_line) : (size_t)comm->size * sizeof(mnp_p2p_words) + most[0];
    return MNP_AGREE(push->ctx, mnp__heap_alloc(comm->heap, size, &push->shared));
}

/* Tell everyone where what it brings belongs.  Collective. */
static mnp_status exchange_starts(struct planner *planner)
{
    const mnp__comm *comm = &planner->push->ctx->comm;
    struct start mine[MNP_GHOSTS_PEERS];
    for (int r = 0; r < comm->size; r++)
        mine[r] = (struct start){.row = sum_of(planner->plan->from, r), .line = lines_before(planner, r)};
    return mnp__all_to_all(comm, mine, planner->starts, sizeof *mine);
}

static mnp_status load_kernel(mnp__ghosts_p2p *push, size_t size)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_ELEMENT %zu\n", size);
    const mnp__kernel_spec spec = {.file = "sparse/matrix/p2p_ghosts.cu",
                                   .function = push->by_words ? "send_ghosts" : "p2p_ghosts"};
    return mnp__ctx_kernel_of_text(push->ctx, &spec, &defines, NULL, &push->kernel);
}

/* ---- by stores ---- */

/*
 * Blocks for so many of all wanted rows: each thread has one access to make, until there are as many blocks as the GPU
 * has multiprocessors.  That saturates the links, and leaves most of the GPU to the product that goes on beside it.
 */
static int store_blocks(const struct planner *planner, int64_t rows, int64_t all_rows)
{
    const int64_t share = 16 * MNP_GHOSTS_THREADS;
    const int64_t wanted = (all_rows * (int64_t)planner->row_bytes + share - 1) / share;
    const int64_t most = wanted < planner->multiprocessors ? wanted : planner->multiprocessors;
    const int blocks = (int)((double)rows / (double)all_rows * (double)most);
    return blocks > 0 ? blocks : 1;
}

/* A rank that takes part. */
static mnp_p2p_peer describe_peer(const struct planner *planner, int rank)
{
    const mnp__ghosts_p2p *push = planner->push;
    const mnp__comm *comm = &push->ctx->comm;
    mnp_p2p_words *words = push->shared;
    char *mine = (char *)&words[comm->rank];
    return (mnp_p2p_peer){.here = &words[rank],
                          .there = (mnp_p2p_words *)(void *)(mine + mnp__heap_distance(comm->heap, rank)),
                          .state = (mnp_p2p_state *)push->own + rank,
                          .number = rank,
                          .stores = planner->plan->to[rank] > 0,
                          .writes = planner->plan->from[rank] > 0};
}

/* Everyone that this rank stores for, or who stores here. */
static void gather_stores(const struct planner *planner)
{
    mnp__ghosts_p2p *push = planner->push;
    mnp_ghosts_params *params = &push->params.stores;
    const mnp__comm *comm = &push->ctx->comm;
    const int64_t *to = planner->plan->to, *places = planner->plan->places, all_rows = sum_of(to, comm->size);
    for (int r = 0; r < comm->size; r++) {
        const int entry = params->push.count;
        if (!meets(planner, r))
            continue;
        params->peers[params->push.count++] = describe_peer(planner, r);
        if (to[r] == 0)
            continue;
        char *there = push->values + mnp__heap_distance(comm->heap, r);
        params->to[entry] = there + (size_t)planner->starts[r].row * planner->row_bytes;
        params->parts[entry] = (mnp_ghosts_part){.places = (const long long *)places, .rows = to[r]};
        params->first_block[entry] = push->blocks;
        params->blocks[entry] = store_blocks(planner, to[r], all_rows);
        push->blocks += params->blocks[entry];
        places += to[r];
    }
    if (params->push.count > 0 && push->blocks == 0) /* somebody has to tell the others that they may store here */
        push->blocks = 1;
}

/* What this rank does alone. */
static mnp_status prepare_stores(const struct planner *planner)
{
    mnp__ghosts_p2p *push = planner->push;
    mnp_ctx *ctx = push->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const size_t ranks = (size_t)ctx->comm.size, words = ranks * sizeof(mnp_p2p_words);
    const size_t states = ranks * sizeof(mnp_p2p_state);
    mnp_ghosts_params *params = &push->params.stores;
    MNP_TRY(ops->alloc(ctx->device, states + sizeof(unsigned), &push->own));
    MNP_TRY(ops->fill(ctx->device, push->own, 0, states + sizeof(unsigned), ctx->compute));
    MNP_TRY(ops->fill(ctx->device, push->shared, 0, words, ctx->compute));
    push->values = (char *)push->shared + words;
    params->width = planner->width;
    params->push.arrived = (unsigned *)(void *)((char *)push->own + states);
    params->push.limits = mnp__waits_params(ctx->comm.waits);
    gather_stores(planner);
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* ---- by words ---- */

static void gather_words(const struct planner *planner)
{
    mnp__ghosts_p2p *push = planner->push;
    const mnp__comm *comm = &push->ctx->comm;
    const mnp__ghosts_plan *plan = planner->plan;
    mnp_ghost_words_peer *peer = push->params.words.peers;
    mnp_p2p_small_line *lines = push->shared;
    const int64_t *places = plan->places;
    for (int r = 0; r < comm->size; r++) {
        if (!meets(planner, r))
            continue;
        char *there = (char *)push->shared + mnp__heap_distance(comm->heap, r);
        *peer = (mnp_ghost_words_peer){
            .part = {.places = (const long long *)places, .rows = plan->to[r]},
            .there = (mnp_p2p_small_line *)(void *)there + planner->starts[r].line,
            .here = lines + lines_before(planner, r),
            .values = push->values + (size_t)sum_of(plan->from, r) * planner->row_bytes,
            .elements = plan->from[r] * planner->width,
            .sent = (int)words_of(planner, plan->to[r]),
            .received = (int)words_of(planner, plan->from[r]),
            .number = r,
            .first_block = push->blocks,
            .blocks = (int)word_blocks(planner, r),
        };
        places += plan->to[r];
        push->blocks += (peer++)->blocks;
    }
}

/* What this rank does alone. */
static mnp_status prepare_words(const struct planner *planner)
{
    mnp__ghosts_p2p *push = planner->push;
    mnp_ctx *ctx = push->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const size_t lines = (size_t)lines_before(planner, ctx->comm.size) * sizeof(mnp_p2p_small_line);
    const size_t values = (size_t)sum_of(planner->plan->from, ctx->comm.size) * planner->row_bytes;
    mnp_ghost_words_params *params = &push->params.words;
    struct counts *counts;
    MNP_TRY(ops->alloc(ctx->device, sizeof *counts + values, &push->own));
    MNP_TRY(ops->fill(ctx->device, push->own, 0, sizeof *counts, ctx->compute));
    MNP_TRY(ops->fill(ctx->device, push->shared, 0, lines, ctx->compute));
    counts = push->own;
    push->values = (char *)(counts + 1);
    params->width = planner->width;
    params->runs = &counts->runs;
    params->arrived = &counts->arrived;
    params->limits = mnp__waits_params(ctx->comm.waits);
    gather_words(planner);
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* ---- making one ---- */

/* What this rank can find out alone.  Collective, and agreed upon. */
static mnp_status begin_planning(struct planner *planner, mnp_ctx *ctx)
{
    mnp_rank_info info = {.rank = 0};
    mnp_status st = ctx->device->ops->info(ctx->device, &info);
    if (st == MNP_OK)
        st = mnp__calloc(1, sizeof *planner->push, &planner->push);
    if (st == MNP_OK)
        planner->push->ctx = ctx;
    planner->multiprocessors = info.multiprocessors;
    return MNP_AGREE(ctx, st);
}

mnp_status mnp__ghosts_p2p_new(mnp_ctx *ctx, const mnp__ghosts_plan *plan, size_t size, int64_t width,
                               mnp__ghosts_p2p **push_p)
{
    struct planner planner = {.plan = plan, .row_bytes = size * (size_t)width, .width = width};
    mnp_status st;
    MNP_TRY_OR(begin_planning(&planner, ctx), st, fail);
    MNP_TRY_OR(exchange_starts(&planner), st, fail);
    MNP_TRY_OR(settle(&planner), st, fail);
    MNP_TRY_OR(load_kernel(planner.push, size), st, fail);
    /* agreed upon: nobody writes into memory before it is 0 */
    MNP_TRY_OR(MNP_AGREE(ctx, planner.push->by_words ? prepare_words(&planner) : prepare_stores(&planner)), st, fail);
    *push_p = planner.push;
    return MNP_OK;
fail:
    mnp__ghosts_p2p_free(planner.push);
    return st;
}

void mnp__ghosts_p2p_free(mnp__ghosts_p2p *push)
{
    if (!push)
        return;
    push->ctx->device->ops->free(push->ctx->device, push->own);
    mnp__heap_free(push->ctx->comm.heap, push->shared);
    free(push);
}

/* ---- running ---- */

mnp_status mnp__ghosts_p2p_run(mnp__ghosts_p2p *push, const void *x, mnp__stream *stream)
{
    mnp__device *device = push->ctx->device;
    mnp_ghosts_params *stores = &push->params.stores;
    mnp_ghost_words_params *words = &push->params.words;
    const unsigned blocks = (unsigned)push->blocks;
    const unsigned threads = push->by_words ? MNP_GHOST_WORDS_THREADS : MNP_GHOSTS_THREADS;
    const mnp__launch launch = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    MNP_TRY(mnp__waits_check(push->ctx->comm.waits));
    if (blocks == 0) /* nobody to bring anything to, or to wait for */
        return MNP_OK;
    if (push->by_words) {
        words->x = x;
        return device->ops->launch(device, push->kernel, &launch, words, sizeof *words, stream);
    }
    stores->x = x;
    return device->ops->launch(device, push->kernel, &launch, stores, sizeof *stores, stream);
}

const void *mnp__ghosts_p2p_values(const mnp__ghosts_p2p *push)
{
    return push->values;
}
