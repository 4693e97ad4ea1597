/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals by words of the heap, on the host device.  The word of a kind and a peer lies in the memory of the rank that
 * waits, so that waiting stays in its own cache, alone in a cache line; only the peer writes it.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "comm/heap.h"
#include "comm/watch.h"

enum { WORD = 64 /* bytes from one to the next */, SPINS = 2000 };

struct mnp__signals {
    mnp__heap *heap;
    const mnp__comm *comm;
    char *words;              /* in the heap: [kind][peer] */
    uint64_t *sent, *awaited; /* [kind][peer] */
};

static size_t index_of(const mnp__signals *signals, int kind, int peer)
{
    return (size_t)kind * (size_t)signals->comm->peers->most + (size_t)peer;
}

static _Atomic uint64_t *word_at(char *words, size_t index)
{
    return (_Atomic uint64_t *)(void *)(words + index * WORD);
}

mnp_status mnp__signals_new(mnp__heap *heap, int kinds, mnp__signals **signals_p)
{
    const mnp__comm *comm = mnp__heap_comm(heap);
    size_t count = (size_t)kinds * (size_t)comm->peers->most;
    mnp__signals *signals = NULL;
    mnp_status st = mnp__calloc(1, sizeof *signals, &signals);
    if (st == MNP_OK) {
        signals->heap = heap;
        signals->comm = comm;
        st = mnp__calloc(count, sizeof *signals->sent, &signals->sent);
    }
    if (st == MNP_OK)
        st = mnp__calloc(count, sizeof *signals->awaited, &signals->awaited);
    MNP_TRY_OR(mnp__agree(comm, st), st, fail);
    MNP_TRY_OR(mnp__heap_alloc(heap, count * WORD, (void **)&signals->words), st, fail);
    memset(signals->words, 0, count * WORD);
    MNP_TRY_OR(mnp__agree(comm, MNP_OK), st, fail); /* nobody signals before the words are ready */
    *signals_p = signals;
    return MNP_OK;
fail:
    mnp__signals_free(signals);
    return st;
}

void mnp__signals_free(mnp__signals *signals)
{
    if (!signals)
        return;
    mnp__heap_free(signals->heap, signals->words);
    free(signals->sent);
    free(signals->awaited);
    free(signals);
}

mnp_status mnp__signals_send(mnp__signals *signals, int kind, int count, const int *peers, mnp__stream *stream)
{
    size_t mine = index_of(signals, kind, signals->comm->peers->mine);
    (void)stream; /* served at once */
    for (int i = 0; i < count; i++) {
        char *words = signals->words + mnp__heap_distance(signals->heap, peers[i]);
        uint64_t sent = ++signals->sent[index_of(signals, kind, peers[i])];
        atomic_store_explicit(word_at(words, mine), sent, memory_order_release);
    }
    return MNP_OK;
}

static bool has_arrived(const mnp__signals *signals, int kind, int peer)
{
    size_t index = index_of(signals, kind, peer);
    return atomic_load_explicit(word_at(signals->words, index), memory_order_acquire) > signals->awaited[index];
}

bool mnp__signals_arrived(const mnp__signals *signals, int kind, int count, const int *peers)
{
    for (int i = 0; i < count; i++) {
        if (!has_arrived(signals, kind, peers[i]))
            return false;
    }
    return true;
}

static mnp_status wait_for(const mnp__signals *signals, int kind, int peer)
{
    mnp__wait wait = mnp__watch_begin(signals->comm, "an exchange");
    wait.spins = SPINS;
    wait.before_sleep = MNP__SLEEP_SOON;
    while (!has_arrived(signals, kind, peer)) {
        const mnp_status st = mnp__watch_round(&wait);
        if (st != MNP_OK)
            return mnp__watch_end(&wait, st, signals->comm->peers->ranks[peer]);
    }
    return MNP_OK;
}

mnp_status mnp__signals_wait(mnp__signals *signals, int kind, int count, const int *peers, mnp__stream *stream)
{
    (void)stream;
    for (int i = 0; i < count; i++) {
        MNP_TRY(wait_for(signals, kind, peers[i]));
        signals->awaited[index_of(signals, kind, peers[i])]++;
    }
    return MNP_OK;
}
