/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heap: blocks at the same offsets on all ranks, which peers write to; growth, exhaustion, trimming; signals; what
 * MANIPLE_NODE_SIZE makes of a host; the figures of all pools, and arrays that are never freed.
 */
#include "comm/heap.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <maniple.h>

#include "tests/tap.h"
#include "array/array.h"
#include "context/context.h"

enum { BLOCKS = 60, STEPS = 400 };

static uint64_t state; /* the same on all ranks */

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

static bool all_agree(mnp_ctx *ctx, uint64_t value)
{
    return mnp__compare_hashes(&ctx->comm, "this", value) == MNP_OK;
}

/* What a rank writes at both ends of a block that has that number. */
static unsigned char mark(int rank, int block)
{
    return (unsigned char)(1 + (rank * 67 + block * 3) % 255);
}

/*
 * Copy from one memory to the other, through memory of this rank's device: only kernels and copies of the device need
 * to reach a peer's heap.
 */
static bool carry(mnp_ctx *ctx, void *dst, const void *src, size_t size)
{
    mnp__device *device = ctx->device;
    void *between = NULL;
    bool carried = device->ops->alloc(device, size, &between) == MNP_OK &&
                   device->ops->copy(device, between, src, size, ctx->compute) == MNP_OK &&
                   device->ops->copy(device, dst, between, size, ctx->compute) == MNP_OK &&
                   mnp__ctx_wait(ctx, ctx->compute) == MNP_OK;
    device->ops->free(device, between);
    return carried;
}

static bool mark_block(mnp_ctx *ctx, unsigned char *data, size_t size, int block)
{
    const unsigned char own = mark(ctx->comm.rank, block);
    return carry(ctx, data, &own, 1) && carry(ctx, data + size - 1, &own, 1);
}

static bool is_marked(mnp_ctx *ctx, const unsigned char *data, size_t size, int rank, int block)
{
    unsigned char first = 0, last = 0;
    return carry(ctx, &first, data, 1) && carry(ctx, &last, data + size - 1, 1) && first == mark(rank, block) &&
           last == mark(rank, block);
}

/* Random allocations and releases; every block keeps what is written to it, here and as the peers see it. */
static bool sequence(mnp_ctx *ctx)
{
    mnp__heap *heap = ctx->comm.heap;
    const mnp__peers *peers = ctx->comm.peers;
    unsigned char *data[BLOCKS] = {NULL};
    size_t size[BLOCKS] = {0};
    bool right = true;
    for (int i = 0; i < STEPS; i++) {
        int block = (int)draw(BLOCKS);
        if (data[block]) {
            right = is_marked(ctx, data[block], size[block], ctx->comm.rank, block) && right;
            mnp__heap_free(heap, data[block]);
            data[block] = NULL;
            continue;
        }
        size[block] = 1 + draw(draw(10) == 0 ? 8 << 20 : 8 << 10);
        if (mnp__heap_alloc(heap, size[block], (void **)&data[block]) != MNP_OK)
            return false;
        right = (uintptr_t)data[block] % 512 == 0 && mark_block(ctx, data[block], size[block], block) && right;
    }
    right = all_agree(ctx, mnp__heap_hash(heap)) && right;
    for (int peer = 0; mnp__heap_shared(heap) && peer < peers->count; peer++) {
        for (int block = 0; block < BLOCKS; block++)
            right = (!data[block] || is_marked(ctx, data[block] + mnp__heap_distance(heap, peer), size[block],
                                               peers->ranks[peer], block)) &&
                    right;
    }
    MPI_Barrier(ctx->comm.mpi);
    for (int block = 0; block < BLOCKS; block++)
        mnp__heap_free(heap, data[block]);
    return right;
}

static void check_blocks(mnp_ctx *ctx, const char *what)
{
    mnp_memory_pool_info before, after;
    mnp_heap_info place;
    void *none = ctx, *large = NULL;
    mnp__heap_info(ctx->comm.heap, &before);
    for (int i = 0; i < 3; i++)
        ok(sequence(ctx), "random sequence %d of blocks, %s", i, what);
    ok(mnp__heap_alloc(ctx->comm.heap, 0, &none) == MNP_OK && !none, "no bytes are no block");
    mnp__heap_free(ctx->comm.heap, NULL);
    mnp__heap_info(ctx->comm.heap, &after);
    ok(after.used == before.used && after.blocks == before.blocks && after.peak > before.used, "all came back");
    mnp_memory_heap(ctx, &place);
    if (place.space == 0) /* blocks are the device's own */
        return;
    ok(after.reserved >= after.peak && after.largest_free > 0, "and the peak is remembered");
    ok(mnp__heap_alloc(ctx->comm.heap, 100 << 20, &large) == MNP_OK, "a large block");
    mnp__heap_free(ctx->comm.heap, large);
    mnp__heap_trim(ctx->comm.heap);
    mnp__heap_info(ctx->comm.heap, &after);
    ok(after.reserved < after.peak - (30 << 20), "trimmed to %" PRId64 " bytes", after.reserved);
    ok(sequence(ctx), "and it grows again where it was trimmed");
}

/* A byte of what rank `from` writes into the block of rank `to`. */
static unsigned char stored(int from, int to, size_t index)
{
    return (unsigned char)((size_t)(from * 31 + to * 7) + index + index / 251);
}

/* Every rank stores its part into the blocks of all peers, which span the border of two chunks. */
static void check_stores(mnp_ctx *ctx)
{
    enum { PART = 9000001 }; /* odd, so that parts begin anywhere */
    mnp__heap *heap = ctx->comm.heap;
    const mnp__peers *peers = ctx->comm.peers;
    const int rank = ctx->comm.rank;
    const size_t size = (size_t)PART * (size_t)peers->most + (32 << 20);
    unsigned char *bytes;
    void *first = NULL;
    char *block = NULL;
    if (!mnp__heap_shared(heap))
        return;
    mnp__heap_trim(heap);
    bool right = (bytes = malloc(PART)) && mnp__heap_alloc(heap, 1000, &first) == MNP_OK &&
                 mnp__heap_alloc(heap, size, (void **)&block) == MNP_OK;
    char *parts = block + (24 << 20);
    for (int peer = 0; right && peer < peers->count; peer++) {
        for (size_t i = 0; i < PART; i++)
            bytes[i] = stored(rank, peers->ranks[peer], i);
        right = carry(ctx, parts + mnp__heap_distance(heap, peer) + (size_t)peers->mine * PART, bytes, PART);
    }
    MPI_Barrier(ctx->comm.mpi);
    size_t wrong = 0;
    for (int peer = 0; right && peer < peers->count; peer++) {
        right = carry(ctx, bytes, parts + (size_t)peer * PART, PART);
        for (size_t i = 0; i < PART; i++)
            wrong += bytes[i] != stored(peers->ranks[peer], rank, i);
    }
    ok(right && wrong == 0, "what peers stored is there: %zu bytes are wrong", wrong);
    MPI_Barrier(ctx->comm.mpi);
    mnp__heap_free(heap, block);
    mnp__heap_free(heap, first);
    free(bytes);
}

/* Rounds of messages of one number, from every rank to every rank. */
static void check_signals(mnp_ctx *ctx)
{
    mnp__heap *heap = ctx->comm.heap;
    const mnp__peers *peers = ctx->comm.peers;
    mnp__signals *signals = NULL;
    int64_t *inbox = NULL;
    int others[64], count = 0, wrong = 0;
    enum { READY, SENT, KINDS };
    if (!mnp__heap_cpu_shared(heap))
        return;
    for (int i = 0; i < peers->count; i++) {
        if (i != peers->mine)
            others[count++] = i;
    }
    bool right = mnp__signals_new(heap, KINDS, &signals) == MNP_OK &&
                 mnp__heap_alloc(heap, (size_t)peers->most * sizeof *inbox, (void **)&inbox) == MNP_OK;
    for (int64_t round = 0; right && round < 300; round++) {
        right = mnp__signals_send(signals, READY, count, others, ctx->compute) == MNP_OK &&
                mnp__signals_wait(signals, READY, count, others, ctx->compute) == MNP_OK;
        for (int i = 0; i < count; i++) {
            int64_t *theirs = (int64_t *)(void *)((char *)inbox + mnp__heap_distance(heap, others[i]));
            theirs[peers->mine] = round * 1000 + peers->mine;
        }
        right = right && mnp__signals_send(signals, SENT, count, others, ctx->compute) == MNP_OK;
        while (right && round % 2 == 0 && !mnp__signals_arrived(signals, SENT, count, others))
            ;
        right = right && mnp__signals_wait(signals, SENT, count, others, ctx->compute) == MNP_OK;
        for (int i = 0; i < count; i++)
            wrong += inbox[others[i]] != round * 1000 + others[i];
    }
    ok(right && wrong == 0, "what was written before a signal is there after it: %d wrong", wrong);
    MPI_Barrier(ctx->comm.mpi);
    mnp__heap_free(heap, inbox);
    mnp__signals_free(signals);
}

/* Whether every rank can reach the memory of all its peers, as the links say. */
static bool peers_are_linked(mnp_ctx *ctx)
{
    const mnp__peers *peers = ctx->comm.peers;
    const size_t ranks = (size_t)ctx->comm.size;
    mnp_rank_info *infos = calloc(ranks, sizeof *infos);
    mnp_link_info *links = calloc(ranks * ranks, sizeof *links);
    int linked = infos && links && mnp_ctx_info(ctx, infos, links) == MNP_OK, all;
    for (int i = 0; linked && i < peers->count; i++) {
        const char *name = links[(size_t)ctx->comm.rank * ranks + (size_t)peers->ranks[i]].name;
        linked = strcmp(name, "none") != 0 && strcmp(name, "unknown") != 0;
    }
    MPI_Allreduce(&linked, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    free(infos);
    free(links);
    return all;
}

static void check_peers(const char *options, int size)
{
    mnp_ctx *ctx;
    if (!ok(mnp_init(MPI_COMM_WORLD, options, &ctx) == MNP_OK, "a context with %s", options))
        return;
    const mnp__peers *peers = ctx->comm.peers;
    int rank = ctx->comm.rank, ranks = ctx->comm.size, first = rank / size * size;
    int count = first + size < ranks ? size : ranks - first;
    bool right = peers->count == count && peers->mine == rank - first && peers->most == (size < ranks ? size : ranks);
    for (int i = 0; i < peers->count && right; i++)
        right = peers->ranks[i] == first + i && mnp__peers_find(peers, first + i) == i &&
                (peers->sockets[i] >= 0) == (i != peers->mine);
    ok(right && mnp__peers_find(peers, first - 1) == -1 && mnp__peers_find(peers, first + count) == -1,
       "%d ranks are peers of rank %d", count, rank);
    ok(mnp__peers_check(peers) == MNP_OK, "they are all there");
    bool shared = ranks > 1 && size > 1 && peers_are_linked(ctx);
    ok(mnp__heap_shared(ctx->comm.heap) == shared, "and %s memory", shared ? "share" : "do not share");
    ok(mnp__heap_cpu_shared(ctx->comm.heap) == (shared && ctx->device->cpu_memory) &&
           (ctx->comm.waits != NULL) == (shared && !ctx->device->cpu_memory),
       "for CPUs or for kernels");
    check_blocks(ctx, options);
    check_stores(ctx);
    check_signals(ctx);
    mnp_finalize(ctx);
}

/* ---- as the user sees it ---- */

static bool read_pool(mnp_ctx *ctx, mnp_memory_pool pool, mnp_memory_pool_info *info)
{
    return mnp_memory_info(ctx, pool, info) == MNP_OK;
}

static mnp_status fill(mnp_ctx *ctx, int64_t mebibytes, mnp_array **x)
{
    int64_t shape = mebibytes * ctx->comm.size << 20;
    *x = NULL;
    return mnp_zeros(ctx, MNP_INT8, 1, &shape, x);
}

/* The heap is full on all ranks at once, and works again when something is released. */
static void check_exhaustion(void)
{
    mnp_ctx *ctx;
    mnp_array *a, *b, *c;
    mnp_memory_pool_info info, after;
    if (!ok(mnp_init(MPI_COMM_WORLD, "memory_limit=64M", &ctx) == MNP_OK, "a context with 64 MiB for arrays"))
        return;
    ok(read_pool(ctx, MNP_MEMORY_HEAP, &info) && info.limit == 64 << 20, "the limit is among the figures");
    mnp_status st = fill(ctx, 40, &a);
    ok(st == MNP_OK && fill(ctx, 40, &b) == MNP_ERR_MEMORY && !b && strstr(mnp_error_message(), "of 64.0 MiB"),
       "refused: %s", mnp_error_message());
    ok(fill(ctx, 14, &b) == MNP_OK, "what is left can still be had");
    mnp_array_free(a);
    ok(fill(ctx, 38, &a) == MNP_OK && fill(ctx, 20, &c) == MNP_ERR_MEMORY && !c, "and what is released; refused: %s",
       mnp_error_message());
    ok(mnp_memory_set_limit(ctx, MNP_MEMORY_HEAP, 0) == MNP_OK && fill(ctx, 20, &c) == MNP_OK,
       "without a limit there is more");
    mnp_free_all(a, b, c);
    ok(mnp_memory_trim(ctx, MNP_MEMORY_HEAP) == MNP_OK && read_pool(ctx, MNP_MEMORY_HEAP, &after) &&
           after.used == info.used && after.blocks == info.blocks && after.peak >= 72 << 20 &&
           after.reserved <= 40 << 20,
       "all is given back: %" PRId64 " bytes are in use, %" PRId64 " reserved", after.used, after.reserved);
    mnp_finalize(ctx);
}

static void check_pools(void)
{
    mnp_ctx *ctx;
    mnp_memory_pool_info before, info;
    void *block = NULL, *more = NULL;
    const size_t size = 40 << 20;
    if (!ok(mnp_init(MPI_COMM_WORLD, NULL, &ctx) == MNP_OK, "a context"))
        return;
    mnp__device *device = ctx->device;
    mnp_memory_info(ctx, MNP_MEMORY_SCRATCH, &before);
    ok(device->ops->alloc(device, size, &block) == MNP_OK && read_pool(ctx, MNP_MEMORY_SCRATCH, &info) &&
           info.used >= before.used + (int64_t)size && info.reserved >= info.used && info.peak >= info.used,
       "working memory is counted");
    device->ops->free(device, block);
    ok(read_pool(ctx, MNP_MEMORY_SCRATCH, &info) && info.reserved >= (int64_t)size, "kept when it is freed");
    ok(mnp_memory_trim(ctx, MNP_MEMORY_SCRATCH) == MNP_OK && read_pool(ctx, MNP_MEMORY_SCRATCH, &info) &&
           info.reserved < (int64_t)size && info.peak >= (int64_t)size,
       "and given back when it is trimmed");
    ok(mnp_memory_set_limit(ctx, MNP_MEMORY_SCRATCH, info.used + (32 << 20)) == MNP_OK &&
           device->ops->alloc(device, size, &more) == MNP_ERR_MEMORY && !more,
       "refused: %s", mnp_error_message());
    mnp_memory_info(ctx, MNP_MEMORY_PINNED, &before);
    ok(device->ops->alloc_pinned(device, 1 << 20, &block) == MNP_OK && read_pool(ctx, MNP_MEMORY_PINNED, &info) &&
           info.used == before.used + (1 << 20) && info.blocks == before.blocks + 1,
       "pinned memory is counted");
    device->ops->free_pinned(device, block);
    ok(mnp_memory_set_limit(ctx, MNP_MEMORY_PINNED, 1 << 20) == MNP_OK &&
           device->ops->alloc_pinned(device, size, &more) == MNP_ERR_MEMORY && !more,
       "refused: %s", mnp_error_message());
    mnp_memory_pool none = (mnp_memory_pool)7;
    ok(mnp_memory_info(ctx, none, &info) == MNP_ERR_ARG && mnp_memory_trim(ctx, none) == MNP_ERR_ARG &&
           mnp_memory_set_limit(ctx, none, 0) == MNP_ERR_ARG,
       "refused: %s", mnp_error_message());
    ok(mnp_memory_set_limit(ctx, MNP_MEMORY_HEAP, -1) == MNP_ERR_ARG, "refused: %s", mnp_error_message());
    mnp_finalize(ctx);
}

/* What a call writes to stderr on rank 0. */
static void check_leaks(void)
{
    static mnp_array *forgotten; /* static, so that a sanitizer does not report it too */
    mnp_ctx *ctx;
    char words[512] = "";
    FILE *file = tmpfile();
    if (!ok(file && mnp_init(MPI_COMM_WORLD, "log=warn:all", &ctx) == MNP_OK && fill(ctx, 1, &forgotten) == MNP_OK,
            "an array that nobody frees"))
        return;
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    mnp_finalize(ctx);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    size_t got = fread(words, 1, sizeof words - 1, file);
    words[got] = '\0';
    words[strcspn(words, "\n")] = '\0';
    ok(strstr(words, "1 arrays (1048576 bytes"), "is named at the end: %s", words);
    fclose(file);
}

static void check_mistakes(void)
{
    static const char *const wrong[] = {"node_size=0",     "node_size=two",     "memory_limit=-1",
                                        "memory_limit=1X", "memory_limit=200%", "memory_limit=G"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mnp_ctx *ctx = NULL;
        ok(mnp_init(MPI_COMM_WORLD, wrong[i], &ctx) == MNP_ERR_ARG && !ctx, "refused: %s", mnp_error_message());
    }
}

int main(void)
{
    const char *seed = getenv("MANIPLE_TEST_SEED");
    MPI_Init(NULL, NULL);
    state = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("# MANIPLE_TEST_SEED=%" PRIu64 "\n", state);
    check_peers("log=warn", 1 << 20);
    check_peers("node_size=2", 2);
    check_peers("node_size=1", 1);
    check_exhaustion();
    check_pools();
    check_leaks();
    check_mistakes();
    int status = done_testing();
    MPI_Finalize();
    return status;
}
