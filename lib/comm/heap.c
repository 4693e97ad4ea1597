/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heap: an arena (base/arena.h) of places in a region of address space, and chunks of memory behind them.
 *
 * A rank reserves as many regions as it has peers, one behind the other, all as large.  A chunk appears at the same
 * place of every region: here the peers' own memories.  Blocks may go over the border of two chunks, so the heap grows
 * only by what the free range before the gap lacks.
 *
 * All ranks have the same arena.  What bounds the heap (a limit, address space, the memory of the smallest host) is
 * made the same when it is opened, so that it is full for all ranks at once; only making a chunk can fail on one rank
 * alone, which is agreed upon.
 *
 * Whether peers can share memory depends on the driver, on what joins their GPUs, on what a container lets pass: it is
 * tried, with one chunk, when the heap is opened.  Where they cannot, or there is not that much address space, every
 * block of a GPU is its device's by itself, and the arena just counts; the host's heap serves each rank alone.
 */
#include "comm/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/status.h"
#include "comm/dropped.h"
#include "comm/watch.h"

struct chunk {
    size_t begin, size; /* in every region */
};

struct mnp__heap {
    mnp__comm *comm;
    mnp__arena *arena; /* of places in a region; direct: of addresses */
    bool direct;       /* blocks are the device's own */
    bool shared;       /* peers map each other's chunks */
    char *base;        /* of the regions; NULL if direct */
    size_t region;     /* bytes of each */
    size_t unit;       /* the device's granularity: chunks are so many whole units */
    size_t bound;      /* of what this rank may reserve, so that all ranks of a host together stay within its memory */
    size_t limit;      /* the same as the user wants it; 0: none */
    struct chunk *chunks; /* by their places */
    int count, capacity;
    int *fds; /* one a peer */
    mnp__dropped dropped;
    size_t fresh; /* bytes allocated since the last collection */
};

static const size_t smallest_growth = (size_t)32 << 20, largest_growth = (size_t)1 << 30;
/*
 * CPUs collect after so many bytes, though there is room: memory that a cache still holds is written twice as fast, and
 * the words that ranks exchange take a small part of the time in which so much is written.
 */
static const size_t cached = (size_t)4 << 20;
static const size_t largest_space = (size_t)32 << 40; /* for all peers: address space has 128 TiB */

static char *region_of(const mnp__heap *heap, int peer)
{
    return heap->base + (size_t)peer * heap->region;
}

static char *own_region(const mnp__heap *heap)
{
    return region_of(heap, heap->comm->peers->mine);
}

/* ---- chunks ---- */

/* A chunk disappears from the regions of the first so many peers. */
static void unmap(mnp__heap *heap, int peers, size_t begin, size_t size)
{
    mnp__device *device = heap->comm->device;
    for (int i = 0; i < peers; i++)
        device->ops->share_unmap(device, region_of(heap, i) + begin, size);
}

/*
 * A chunk's memory appears in this rank's own region, and, where peers share the heap, leaves as a file descriptor for
 * theirs.  Agreed upon: on failure there is none on any rank.
 */
static mnp_status make_own(mnp__heap *heap, size_t begin, size_t size, int *fd_p)
{
    mnp__device *device = heap->comm->device;
    char *place = own_region(heap) + begin;
    mnp_status st = device->ops->share_new(device, place, size, heap->shared ? fd_p : NULL);
    const bool made = st == MNP_OK;
    st = mnp__agree(heap->comm, st);
    if (st == MNP_OK || !made)
        return st;
    device->ops->share_unmap(device, place, size);
    if (*fd_p >= 0)
        close(*fd_p);
    return st;
}

/*
 * What the peers have made appears in their regions; the descriptor of this rank's own is given away.  *mapped_p: how
 * many of the peers it is mapped of.
 */
static mnp_status map_others(mnp__heap *heap, size_t begin, size_t size, int own, int *mapped_p)
{
    mnp__device *device = heap->comm->device;
    const mnp__peers *peers = heap->comm->peers;
    int mapped = 0;
    mnp_status st = mnp__peers_share(peers, own, heap->fds);
    if (st != MNP_OK)
        return st;
    for (; mapped < peers->count && st == MNP_OK; mapped += st == MNP_OK) {
        if (mapped != peers->mine)
            st = device->ops->share_map(device, region_of(heap, mapped) + begin, size, heap->fds[mapped]);
    }
    for (int i = 0; i < peers->count; i++)
        close(heap->fds[i]);
    *mapped_p = mapped;
    return st;
}

/* So that entering a chunk cannot fail once ranks have agreed on it. */
static mnp_status make_room_in_list(mnp__heap *heap)
{
    if (heap->count < heap->capacity)
        return MNP_OK;
    int capacity = 2 * heap->capacity + 8;
    struct chunk *chunks = realloc(heap->chunks, (size_t)capacity * sizeof *chunks);
    if (!chunks)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for a list of %d chunks", capacity);
    heap->chunks = chunks;
    heap->capacity = capacity;
    return MNP_OK;
}

/* The host's memory is this process's too. */
static void hold(const mnp__heap *heap, size_t size, bool more)
{
    if (heap->comm->device->cpu_memory)
        mnp__memory_hold(more ? (int64_t)size : -(int64_t)size);
}

/* Make chunk number `index`.  Agreed upon: on failure nothing has changed on any rank. */
static mnp_status add_chunk(mnp__heap *heap, int index, size_t begin, size_t size)
{
    const mnp__peers *peers = heap->comm->peers;
    int own = -1, mapped = 0;
    bool added = false;
    MNP_TRY(make_own(heap, begin, size, &own));
    mnp_status st = heap->shared ? map_others(heap, begin, size, own, &mapped) : MNP_OK;
    if (st == MNP_OK)
        st = make_room_in_list(heap);
    if (st == MNP_OK) {
        st = mnp__arena_add(heap->arena, begin, size);
        added = st == MNP_OK;
    }
    st = mnp__agree(heap->comm, st);
    if (st != MNP_OK) {
        if (added)
            (void)mnp__arena_remove(heap->arena, begin, size);
        unmap(heap, mapped, begin, size);
        if (mapped <= peers->mine)
            heap->comm->device->ops->share_unmap(heap->comm->device, own_region(heap) + begin, size);
        return st;
    }
    hold(heap, size, true);
    memmove(heap->chunks + index + 1, heap->chunks + index, (size_t)(heap->count - index) * sizeof *heap->chunks);
    heap->chunks[index] = (struct chunk){.begin = begin, .size = size};
    heap->count++;
    return MNP_OK;
}

void mnp__heap_trim(mnp__heap *heap)
{
    int kept = 0;
    for (int i = 0; i < heap->count; i++) {
        struct chunk chunk = heap->chunks[i];
        if (mnp__arena_is_free(heap->arena, chunk.begin, chunk.size) &&
            mnp__arena_remove(heap->arena, chunk.begin, chunk.size) == MNP_OK) {
            unmap(heap, heap->comm->peers->count, chunk.begin, chunk.size);
            hold(heap, chunk.size, false);
        } else {
            heap->chunks[kept++] = chunk;
        }
    }
    heap->count = kept;
}

/*
 * Where a chunk would go that makes room for a block: into the first gap between chunks that is large enough for what
 * the free range before it lacks.  `needed` is that, in whole units of the device, `room` the extent of the gap.  False
 * if address space is short.
 */
struct gap {
    int index;
    size_t begin, room, needed;
};

static bool find_gap(const mnp__heap *heap, size_t size, struct gap *gap)
{
    for (int i = 0; i <= heap->count; i++) {
        size_t begin = i > 0 ? heap->chunks[i - 1].begin + heap->chunks[i - 1].size : 0;
        size_t end = i < heap->count ? heap->chunks[i].begin : heap->region;
        size_t before = mnp__arena_free_before(heap->arena, begin);
        size_t needed = mnp__round_up_bytes(size > before ? size - before : 1, heap->unit);
        *gap = (struct gap){.index = i, .begin = begin, .room = end - begin, .needed = needed};
        if (needed <= end - begin)
            return true;
    }
    return false;
}

/* The most that may be reserved. */
static size_t ceiling(const mnp__heap *heap)
{
    return heap->limit > 0 ? mnp__min_bytes(heap->limit, heap->bound) : heap->bound;
}

/* How much more is needed than may be had for that block; 0 if the gap can be filled. */
static size_t missing(const mnp__heap *heap, size_t size, struct gap *gap)
{
    size_t reserved = mnp__arena_read(heap->arena).reserved;
    if (!find_gap(heap, size, gap))
        return gap->needed - gap->room;
    if (reserved > ceiling(heap))
        return gap->needed;
    return gap->needed > ceiling(heap) - reserved ? gap->needed - (ceiling(heap) - reserved) : 0;
}

static mnp_status is_full(const mnp__heap *heap, size_t size)
{
    bool limited = heap->limit > 0 && heap->limit <= heap->bound;
    char text[MNP__BYTES_TEXT], what[MNP__BYTES_TEXT + 32];
    snprintf(what, sizeof what, "an array of %s on every rank", mnp__bytes_text(size, text));
    return mnp__memory_full(what, size, mnp__arena_read(heap->arena).used, ceiling(heap),
                            limited ? "the limit of MANIPLE_MEMORY_LIMIT or mnp_memory_set_limit() for a rank"
                            : heap->comm->device->cpu_memory ? "a rank's share of the host"
                                                             : "a rank's share of the GPU");
}

/* Make room for a block of that size, and some more, so that it need not be done often. */
static mnp_status grow(mnp__heap *heap, size_t size)
{
    struct gap gap;
    char text[MNP__BYTES_TEXT];
    size_t lacks = missing(heap, size, &gap);
    if (lacks > 0) {
        mnp__heap_trim(heap);
        lacks = missing(heap, size, &gap);
    }
    if (lacks > 0)
        return is_full(heap, size);
    size_t reserved = mnp__arena_read(heap->arena).reserved;
    size_t wished =
        mnp__min_bytes(mnp__round_up_bytes(reserved / 4, smallest_growth) + smallest_growth, largest_growth);
    size_t most = mnp__min_bytes(gap.room, (ceiling(heap) - reserved) / heap->unit * heap->unit);
    wished = mnp__min_bytes(mnp__round_up_bytes(wished > gap.needed ? wished : gap.needed, heap->unit), most);
    mnp_status st = add_chunk(heap, gap.index, gap.begin, wished);
    if (st != MNP_OK && !mnp__watch_lost(heap->comm)) { /* others may have taken memory: the least that will do */
        mnp__heap_trim(heap);
        if (find_gap(heap, size, &gap))
            st = add_chunk(heap, gap.index, gap.begin, gap.needed);
    }
    if (st != MNP_OK && !mnp__watch_lost(heap->comm))
        st = MNP_FAIL(MNP_ERR_MEMORY, "no array of %s on every rank: %s", mnp__bytes_text(size, text),
                      mnp_error_message());
    return st;
}

/* ---- opening and closing ---- */

/* What bounds the heap: the least that any rank has. */
static mnp_status find_bounds(mnp__heap *heap)
{
    mnp__comm *comm = heap->comm;
    const mnp__config *config = comm->config;
    mnp_rank_info info = {.rank = 0};
    mnp_status st = comm->device->ops->info(comm->device, &info);
    int sharers = comm->device->cpu_memory ? comm->node_size : comm->ranks_on_device;
    uint64_t share = (uint64_t)info.memory_total / (uint64_t)sharers, limit = (uint64_t)config->memory_bytes;
    if (comm->device->cpu_memory)
        share = mnp__memory_share(sharers);
    if (config->memory_share > 0)
        limit = (uint64_t)((double)share * config->memory_share);
    uint64_t unit = comm->device->ops->share_granularity(comm->device); /* a power of two; 0: it cannot share */
    uint64_t mine[] = {limit > 0 ? limit : UINT64_MAX, share, unit, ~unit}, least_of[4];
    MNP_TRY(mnp__agree(comm, st));
    MNP_TRY(mnp__mpi_status(MPI_Allreduce(mine, least_of, 4, MPI_UINT64_T, MPI_MIN, comm->mpi), "MPI_Allreduce"));
    heap->limit = least_of[0] < UINT64_MAX ? (size_t)least_of[0] : 0;
    heap->bound = (size_t)least_of[1];
    heap->direct = least_of[2] == 0;
    heap->unit = (size_t)~least_of[3]; /* the largest, of which all others are parts */
    return MNP_OK;
}

/* Give the address space back, if there is any. */
static void unreserve(mnp__heap *heap)
{
    mnp__device *device = heap->comm->device;
    if (heap->base)
        device->ops->share_unreserve(device, heap->base, heap->region * (size_t)heap->comm->peers->count);
    heap->base = NULL;
}

/* Address space for all peers, on all ranks or on none, which is no failure: the heap is direct then. */
static mnp_status reserve(mnp__heap *heap)
{
    mnp__comm *comm = heap->comm;
    mnp__device *device = comm->device;
    size_t peers = (size_t)comm->peers->count, most = (size_t)comm->peers->most;
    void *base = NULL;
    heap->region = heap->unit > smallest_growth ? heap->unit : smallest_growth;
    while (heap->region < 2 * heap->bound && 2 * heap->region * most <= largest_space)
        heap->region *= 2;
    int reserved = device->ops->share_reserve(device, heap->region * peers, &base) == MNP_OK, all;
    if (!reserved)
        MNP_LOG(&comm->config->logger, MNP_LOG_INFO, "ranks do not share memory: %s", mnp_error_message());
    MNP_TRY(mnp__mpi_status(MPI_Allreduce(&reserved, &all, 1, MPI_INT, MPI_MIN, comm->mpi), "MPI_Allreduce"));
    heap->base = base;
    heap->direct = !all;
    if (!all)
        unreserve(heap);
    return MNP_OK;
}

/* Find out whether peers can share memory: on all ranks or on none, which is no failure either. */
static mnp_status try_sharing(mnp__heap *heap)
{
    const mnp__comm *comm = heap->comm;
    heap->shared = true;
    mnp_status st = add_chunk(heap, 0, 0, heap->unit);
    if (st == MNP_OK) {
        mnp__heap_trim(heap);
        return MNP_OK;
    }
    heap->shared = false;
    if (mnp__watch_lost(comm))
        return st;
    MNP_LOG(&comm->config->logger, MNP_LOG_INFO, "ranks do not share memory: %s", mnp_error_message());
    return MNP_OK;
}

mnp_status mnp__heap_open(mnp__comm *comm, mnp__heap **heap_p)
{
    mnp__heap *heap = NULL;
    mnp_status st = mnp__calloc(1, sizeof *heap, &heap);
    if (st == MNP_OK) {
        heap->comm = comm;
        st = mnp__arena_new(&heap->arena);
    }
    if (st == MNP_OK)
        st = mnp__calloc((size_t)comm->peers->count, sizeof *heap->fds, &heap->fds);
    MNP_TRY_OR(mnp__agree(comm, st), st, fail);
    MNP_TRY_OR(find_bounds(heap), st, fail);
    const bool is_gpu = !comm->device->cpu_memory;
    if ((is_gpu || comm->device->rehearses) && comm->peers->most == 1) /* the device's own pool is as good */
        heap->direct = true;
    if (!heap->direct)
        MNP_TRY_OR(reserve(heap), st, fail);
    if (!heap->direct && comm->peers->most > 1)
        MNP_TRY_OR(try_sharing(heap), st, fail);
    if (is_gpu && !heap->shared) {
        heap->direct = true;
        unreserve(heap);
    }
    *heap_p = heap;
    return MNP_OK;
fail:
    mnp__heap_close(heap);
    return st;
}

void mnp__heap_close(mnp__heap *heap)
{
    if (!heap)
        return;
    for (int i = 0; i < heap->dropped.count; i++) /* the others will drop them too, or end */
        mnp__arena_give(heap->arena, (uintptr_t)heap->dropped.places[i]);
    free(heap->dropped.places);
    /* MPI may still write to what is in use; it does not know a GPU's memory */
    if (heap->base && (!heap->comm->device->cpu_memory || mnp__arena_read(heap->arena).blocks == 0)) {
        for (int i = 0; i < heap->count; i++) {
            unmap(heap, heap->comm->peers->count, heap->chunks[i].begin, heap->chunks[i].size);
            hold(heap, heap->chunks[i].size, false);
        }
        unreserve(heap);
    }
    mnp__arena_free(heap->arena);
    free(heap->chunks);
    free(heap->fds);
    free(heap);
}

/* ---- blocks ---- */

/* A block of the device's own, of which the arena knows. */
static mnp_status alloc_direct(mnp__heap *heap, size_t size, void **pointer_p)
{
    mnp__device *device = heap->comm->device;
    size_t used = mnp__arena_read(heap->arena).used;
    void *pointer = NULL;
    if (heap->limit > 0 && size > heap->limit - mnp__min_bytes(heap->limit, used))
        return is_full(heap, size);
    MNP_TRY(device->ops->alloc(device, size, &pointer));
    mnp_status st = mnp__arena_enter(heap->arena, (uintptr_t)pointer, size);
    if (st != MNP_OK)
        device->ops->free(device, pointer);
    else
        *pointer_p = pointer;
    return st;
}

mnp_status mnp__heap_alloc(mnp__heap *heap, size_t size, void **pointer_p)
{
    bool found = false;
    uintptr_t place = 0;
    void *pointer = NULL;
    if (size == 0) {
        *pointer_p = NULL;
        return MNP_OK;
    }
    MNP_TRY(mnp__refuse_recording(heap->comm->device, "allocating memory"));
    if (heap->direct) {
        mnp_status st = mnp__agree(heap->comm, alloc_direct(heap, size, &pointer));
        if (st != MNP_OK)
            mnp__heap_free(heap, pointer);
        else
            *pointer_p = pointer;
        return st;
    }
    heap->fresh += size;
    if (heap->fresh > cached && heap->comm->device->cpu_memory)
        MNP_TRY(mnp__heap_collect(heap));
    MNP_TRY(mnp__arena_take(heap->arena, size, &found, &place));
    if (!found) {
        MNP_TRY(mnp__heap_collect(heap));
        MNP_TRY(mnp__arena_take(heap->arena, size, &found, &place));
    }
    if (!found) {
        MNP_TRY(grow(heap, size));
        MNP_TRY(mnp__arena_take(heap->arena, size, &found, &place));
    }
    *pointer_p = own_region(heap) + place;
    return MNP_OK;
}

void mnp__heap_free(mnp__heap *heap, void *pointer)
{
    if (!pointer)
        return;
    if (!heap->direct) {
        if (!mnp__watch_lost(heap->comm)) /* else a rank that comes too late may still write there */
            mnp__arena_give(heap->arena, (uintptr_t)((char *)pointer - own_region(heap)));
        return;
    }
    (void)mnp__arena_leave(heap->arena, (uintptr_t)pointer);
    heap->comm->device->ops->free(heap->comm->device, pointer);
}

/* ---- blocks that ranks free at different times ---- */

void mnp__heap_drop(mnp__heap *heap, void *pointer)
{
    if (!pointer)
        return;
    if (heap->direct || heap->comm->size == 1)
        mnp__heap_free(heap, pointer);
    else
        mnp__dropped_add(&heap->dropped, (char *)pointer - own_region(heap)); /* or else it stays in use */
}

mnp_status mnp__heap_collect(mnp__heap *heap)
{
    int64_t *places = NULL;
    int count = 0;
    heap->fresh = 0;
    if (heap->direct || heap->comm->size == 1)
        return MNP_OK;
    MNP_TRY(mnp__dropped_take(&heap->dropped, heap->comm, &places, &count));
    for (int i = 0; i < count; i++)
        mnp__heap_free(heap, own_region(heap) + places[i]);
    free(places);
    return MNP_OK;
}

/* ---- figures ---- */

bool mnp__heap_shared(const mnp__heap *heap)
{
    return heap->shared;
}

bool mnp__heap_cpu_shared(const mnp__heap *heap)
{
    return heap->shared && heap->comm->device->cpu_memory;
}

ptrdiff_t mnp__heap_distance(const mnp__heap *heap, int peer)
{
    return (peer - heap->comm->peers->mine) * (ptrdiff_t)heap->region;
}

bool mnp__heap_find(const mnp__heap *heap, const void *pointer, size_t bytes, size_t *place_p)
{
    if (!heap->shared)
        return false;
    const uintptr_t begin = (uintptr_t)own_region(heap), address = (uintptr_t)pointer;
    if (address < begin || address - begin > heap->region || bytes > heap->region - (address - begin))
        return false;
    *place_p = address - begin;
    return true;
}

void *mnp__heap_at(const mnp__heap *heap, int peer, size_t place)
{
    return region_of(heap, peer) + place;
}

uint64_t mnp__heap_hash(const mnp__heap *heap)
{
    return heap->direct ? 0 : mnp__arena_read(heap->arena).hash;
}

mnp_status mnp__heap_compare(const mnp__heap *heap)
{
    const uint64_t hash = mnp__heap_hash(heap);
    uint64_t least[2] = {hash, ~hash};
    MNP_TRY(mnp__all_reduce(heap->comm, least, 2, MPI_UINT64_T, MPI_MIN));
    if (least[0] != ~least[1]) /* the least of the complements is that of the largest */
        return MNP_FAIL(MNP_ERR_ARG, "the ranks have made or freed arrays in different orders, and no longer find each "
                                     "other's: mnp_array_free() tells what is asked of them");
    return MNP_OK;
}

const mnp__comm *mnp__heap_comm(const mnp__heap *heap)
{
    return heap->comm;
}

void mnp__heap_info(const mnp__heap *heap, mnp_memory_pool_info *info)
{
    mnp__arena_figures figures = mnp__arena_read(heap->arena);
    *info = (mnp_memory_pool_info){.used = (int64_t)figures.used,
                                   .reserved = (int64_t)figures.reserved,
                                   .peak = (int64_t)figures.peak,
                                   .largest_free = (int64_t)figures.largest_free,
                                   .limit = (int64_t)heap->limit,
                                   .blocks = figures.blocks};
}

void mnp__heap_set_limit(mnp__heap *heap, size_t bytes)
{
    heap->limit = bytes;
}

void mnp__heap_describe(const mnp__heap *heap, mnp_heap_info *info)
{
    *info = (mnp_heap_info){.ranks = mnp__heap_shared(heap) ? heap->comm->peers->count : 1,
                            .shared = mnp__heap_shared(heap),
                            .limit = (int64_t)heap->limit};
    if (!heap->direct) {
        info->space = (int64_t)heap->region;
        info->unit = (int64_t)heap->unit;
        info->limit = (int64_t)ceiling(heap);
    }
}
