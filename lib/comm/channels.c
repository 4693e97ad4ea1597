/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels between peers: rings of slots in the heap.
 *
 * What a rank has of them in the heap: a word for every peer, in which that one counts the pieces that it has taken
 * from here; then, for every peer, the ring into which that one writes.  Words that different ranks write lie in cache
 * lines of their own.  Stamp and data of a small piece share one, so that it costs one miss.
 */
#include "comm/channels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { SLOTS = 8, SLOT_BYTES = 8192 - 16, LINE = 64 };

struct taken {
    _Alignas(LINE) _Atomic uint64_t count;
};

struct slot {
    _Alignas(LINE) _Atomic uint64_t stamp;
    uint64_t bytes;
    char data[SLOT_BYTES];
};

struct mnp__channels {
    mnp__heap *heap;
    const mnp__peers *peers;
    struct taken *taken; /* of each peer; the rings follow */
    /* Pieces, of each peer: sent to it, taken by it as far as this rank has looked, and received from it */
    uint64_t *sent, *seen_taken, *received;
};

static size_t memory_of(int peers)
{
    return (size_t)peers * (sizeof(struct taken) + SLOTS * sizeof(struct slot));
}

/* Where that lies in the memory of a peer. */
static void *at_peer(const mnp__channels *channels, int peer, void *mine)
{
    return (char *)mine + mnp__heap_distance(channels->heap, peer);
}

/* The slot of a channel from peer `from` that has piece number `piece`, in this rank's memory. */
static struct slot *slot_of(const mnp__channels *channels, int from, uint64_t piece)
{
    struct slot *rings = (struct slot *)(channels->taken + channels->peers->count);
    return rings + (size_t)from * SLOTS + piece % SLOTS;
}

void mnp__channels_close(mnp__channels *channels)
{
    if (!channels)
        return;
    mnp__heap_free(channels->heap, channels->taken);
    free(channels->sent);
    free(channels->seen_taken);
    free(channels->received);
    free(channels);
}

/* What a rank keeps on the CPU. */
static mnp_status make_room(mnp__heap *heap, const mnp__peers *peers, mnp__channels **channels_p)
{
    mnp__channels *channels;
    MNP_TRY(mnp__calloc(1, sizeof *channels, &channels));
    *channels_p = channels;
    channels->heap = heap;
    channels->peers = peers;
    MNP_TRY(mnp__calloc((size_t)peers->count, sizeof *channels->sent, &channels->sent));
    MNP_TRY(mnp__calloc((size_t)peers->count, sizeof *channels->seen_taken, &channels->seen_taken));
    return mnp__calloc((size_t)peers->count, sizeof *channels->received, &channels->received);
}

mnp_status mnp__channels_open(mnp__heap *heap, const mnp__peers *peers, mnp__channels **channels_p)
{
    mnp__channels *channels = NULL;
    void *memory = NULL;
    mnp_status st;
    *channels_p = NULL;
    if (!mnp__heap_cpu_shared(heap))
        return MNP_OK;
    MNP_TRY_OR(mnp__agree(mnp__heap_comm(heap), make_room(heap, peers, &channels)), st, fail);
    MNP_TRY_OR(mnp__heap_alloc(heap, memory_of(peers->most), &memory), st, fail);
    channels->taken = memory;
    memset(memory, 0, memory_of(peers->count));
    MNP_TRY_OR(mnp__mpi_status(MPI_Barrier(peers->mpi), "MPI_Barrier"), st, fail); /* nobody has written before that */
    *channels_p = channels;
    return MNP_OK;
fail:
    mnp__channels_close(channels);
    return st;
}

/* Whether the slot for that piece is free.  Looking costs a cache miss, so it is done once in half a ring. */
static bool is_free(mnp__channels *channels, int peer, uint64_t piece)
{
    uint64_t *seen = &channels->seen_taken[peer];
    if (piece - *seen >= SLOTS)
        *seen = atomic_load_explicit(&channels->taken[peer].count, memory_order_acquire);
    return piece - *seen < SLOTS;
}

void mnp__channels_send(mnp__channels *channels, int peer, const char *data, size_t bytes, size_t *done_p)
{
    uint64_t piece = channels->sent[peer];
    if (!is_free(channels, peer, piece))
        return;
    struct slot *slot = at_peer(channels, peer, slot_of(channels, channels->peers->mine, piece));
    size_t left = bytes - *done_p, size = left < SLOT_BYTES ? left : SLOT_BYTES;
    memcpy(slot->data, data + *done_p, size);
    slot->bytes = size;
    atomic_store_explicit(&slot->stamp, piece + 1, memory_order_release);
    channels->sent[peer]++;
    *done_p += size;
}

mnp_status mnp__channels_recv(mnp__channels *channels, int peer, char *data, size_t bytes, size_t *done_p)
{
    uint64_t piece = channels->received[peer];
    struct slot *slot = slot_of(channels, peer, piece);
    if (atomic_load_explicit(&slot->stamp, memory_order_acquire) != piece + 1)
        return MNP_OK;
    size_t left = bytes - *done_p, size = left < SLOT_BYTES ? left : SLOT_BYTES;
    if (slot->bytes != size)
        return MNP_FAIL(MNP_ERR_COMM, "rank %d sent %zu bytes where this rank expects %zu",
                        channels->peers->ranks[peer], (size_t)slot->bytes, size);
    memcpy(data + *done_p, slot->data, size);
    channels->received[peer]++;
    if ((piece + 1) % (SLOTS / 2) == 0) { /* as the sender has no need to know it sooner */
        struct taken *taken = at_peer(channels, peer, channels->taken + channels->peers->mine);
        atomic_store_explicit(&taken->count, piece + 1, memory_order_release);
    }
    *done_p += size;
    return MNP_OK;
}
