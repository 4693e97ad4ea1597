/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ghosts in one launch: what others want of this rank's part of a vector is gathered, and brought to them.  On GPUs
 * alone.
 *
 * p2p_ghosts stores it straight where they read it.  Stores go over the links and are 16 bytes wide, but for those at
 * both ends of a peer's part; reads are of single elements, which costs little beside them.
 *
 * send_ghosts is for a few, which it brings in half the time but with twice the bytes: in words with their data, from
 * which the receiver copies what has come.  Both protocols are those of p2p_cuda.h.  As blocks of send_ghosts wait for
 * others that send, the GPU must have room for all of a grid.
 *
 *   MNP_ELEMENT   bytes of an element: 4, 8 or 16
 */
#include "kernels/prelude.h"
#include "kernels/sparse/matrix/p2p_ghosts_params.h"

#if MNP_CUDA
#include "kernels/comm/p2p_cuda.h"
#include "kernels/words_cuda.h"

typedef mnp_word<MNP_ELEMENT>::type element;

/* Elements are read in pieces of at most 8 bytes: complex numbers in x need not be aligned for more. */
typedef mnp_word<(MNP_ELEMENT < 8 ? MNP_ELEMENT : 8)>::type piece;

constexpr int element_pieces = (int)(MNP_ELEMENT / sizeof(piece));

/* The place in x of element i of what a peer wants. */
MNP_INLINE int64_t place_of(const mnp_ghosts_part &part, int64_t width, int64_t i)
{
    const int64_t row = width == 1 ? i : i / width;
    return part.places[row] * width + i - row * width;
}

/* ---- stores ---- */

typedef mnp_word<16>::type pack;

constexpr int pack_elements = (int)(sizeof(pack) / sizeof(element));

/* Element i of what a peer wants. */
MNP_INLINE element gather_element(const mnp_ghosts_params &p, const mnp_ghosts_part &part, int64_t i)
{
    const piece *from = (const piece *)p.x + place_of(part, p.width, i) * element_pieces;
    piece pieces[element_pieces];
    element gathered;
#pragma unroll
    for (int j = 0; j < element_pieces; j++)
        pieces[j] = from[j];
    memcpy(&gathered, pieces, sizeof gathered);
    return gathered;
}

/* Number `block` of the blocks for a peer: so many packs, to `to`, of the elements from number `first` on. */
MNP_INLINE void store_packs(const mnp_ghosts_params &p, const mnp_ghosts_part &part, pack *to, int64_t first,
                            int64_t packs, int block, int blocks)
{
    const int64_t turn = MNP_GHOSTS_THREADS * MNP_GHOSTS_FLIGHT;
#pragma unroll 1
    for (int64_t begin = block * turn + threadIdx.x; begin < packs; begin += blocks * turn) {
        element elements[MNP_GHOSTS_FLIGHT][pack_elements];
#pragma unroll
        for (int k = 0; k < MNP_GHOSTS_FLIGHT; k++) {
            const int64_t at = begin + k * MNP_GHOSTS_THREADS, number = at < packs ? at : begin;
#pragma unroll
            for (int j = 0; j < pack_elements; j++)
                elements[k][j] = gather_element(p, part, first + number * pack_elements + j);
        }
#pragma unroll
        for (int k = 0; k < MNP_GHOSTS_FLIGHT; k++) {
            const int64_t at = begin + k * MNP_GHOSTS_THREADS;
            pack stored;
            memcpy(&stored, elements[k], sizeof stored);
            if (at < packs)
                to[at] = stored;
        }
    }
}

MNP_INLINE void store_share(const mnp_ghosts_params &p, int peer, int block, int blocks)
{
    const mnp_ghosts_part &part = p.parts[peer];
    element *to = (element *)p.to[peer];
    const int64_t total = part.rows * p.width, to_border = (-(uint64_t)to & 15) / sizeof(element);
    const int64_t head = to_border < total ? to_border : total, packs = (total - head) / pack_elements;
    const int64_t tail = head + packs * pack_elements; /* where it begins */
    store_packs(p, part, (pack *)(to + head), head, packs, block, blocks);
    if (block == 0 && threadIdx.x < head)
        to[threadIdx.x] = gather_element(p, part, threadIdx.x);
    if (block == 0 && threadIdx.x < total - tail)
        to[tail + threadIdx.x] = gather_element(p, part, tail + threadIdx.x);
}

extern "C" __global__ void __launch_bounds__(MNP_GHOSTS_THREADS, 2)
    p2p_ghosts(const __grid_constant__ mnp_ghosts_params p)
{
    mnp_p2p_all(p.p2p.peers, p.p2p, [&]() {
        for (int peer = 0; peer < p.p2p.count; peer++) {
            const int block = (int)blockIdx.x - p.first_block[peer];
            if (block >= 0 && block < p.blocks[peer])
                store_share(p, peer, block, p.blocks[peer]);
        }
    });
}

/* ---- words ---- */

/* A word has one piece of 8 bytes, or two of 4, the second of the last word maybe missing. */
constexpr int word_pieces = (int)(8 / sizeof(piece));

/* Word `number` of what a peer wants; 0 where there is no more. */
MNP_INLINE uint64_t gather_word(const mnp_ghost_words_params &p, const mnp_ghosts_part &part, int number)
{
    const int64_t count = part.rows * p.width * element_pieces;
    piece pieces[word_pieces] = {};
    uint64_t word;
#pragma unroll
    for (int j = 0; j < word_pieces; j++) {
        const int64_t at = (int64_t)number * word_pieces + j, i = at / element_pieces;
        if (at < count)
            pieces[j] = ((const piece *)p.x)[place_of(part, p.width, i) * element_pieces + at - i * element_pieces];
    }
    memcpy(&word, pieces, sizeof word);
    return word;
}

MNP_INLINE void store_word(const mnp_ghost_words_peer &peer, int number, uint64_t word)
{
    const int64_t count = peer.elements * element_pieces;
    piece pieces[word_pieces];
    memcpy(pieces, &word, sizeof word);
#pragma unroll
    for (int j = 0; j < word_pieces; j++) {
        const int64_t at = (int64_t)number * word_pieces + j;
        if (at < count)
            ((piece *)peer.values)[at] = pieces[j];
    }
}

/* A thread's words, from number `first` on: to a peer. */
MNP_INLINE void send_share(const mnp_ghost_words_params &p, const mnp_ghost_words_peer &peer, int first,
                           unsigned number)
{
    mnp_p2p_line *lines = peer.there + number % 2 * (int64_t)peer.sent;
    uint64_t words[MNP_GHOST_WORDS_EACH];
#pragma unroll
    for (int k = 0; k < MNP_GHOST_WORDS_EACH; k++)
        words[k] = gather_word(p, peer.part, first + k * MNP_GHOST_WORDS_THREADS);
#pragma unroll
    for (int k = 0; k < MNP_GHOST_WORDS_EACH; k++) {
        if (first + k * MNP_GHOST_WORDS_THREADS < peer.sent)
            mnp_send_line(lines + first + k * MNP_GHOST_WORDS_THREADS, words[k], number);
    }
}

/* And from it: all are asked for at once, and again until all are there.  Past the deadline nothing is stored. */
MNP_INLINE void receive_share(const mnp_ghost_words_params &p, const mnp_ghost_words_peer &peer, int first,
                              unsigned number)
{
    const mnp_p2p_line *lines = peer.here + number % 2 * (int64_t)peer.received;
    uint64_t words[MNP_GHOST_WORDS_EACH];
    mnp_patience wait = {0, 0};
    for (bool all = first >= peer.received; !all;) {
        all = true;
#pragma unroll
        for (int k = 0; k < MNP_GHOST_WORDS_EACH; k++) {
            const int at = first + k * MNP_GHOST_WORDS_THREADS;
            const mnp_p2p_line line = mnp_load_line(lines + (at < peer.received ? at : first));
            words[k] = mnp_word_of(line);
            all &= mnp_has_come(line, number);
        }
        if (!all && !mnp_goes_on(wait, p.limits, peer.number))
            return;
    }
#pragma unroll
    for (int k = 0; k < MNP_GHOST_WORDS_EACH; k++) {
        if (first + k * MNP_GHOST_WORDS_THREADS < peer.received)
            store_word(peer, first + k * MNP_GHOST_WORDS_THREADS, words[k]);
    }
}

extern "C" __global__ void __launch_bounds__(MNP_GHOST_WORDS_THREADS, 4)
    send_ghosts(const __grid_constant__ mnp_ghost_words_params p)
{
    const unsigned number = *(volatile unsigned *)p.runs + 1;
    int peer = 0;
    while ((int)blockIdx.x >= p.peers[peer].first_block + p.peers[peer].blocks)
        peer++;
    const int first = ((int)blockIdx.x - p.peers[peer].first_block) * MNP_GHOST_WORDS_BLOCK + (int)threadIdx.x;
    send_share(p, p.peers[peer], first, number);
    receive_share(p, p.peers[peer], first, number);
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(p.arrived, 1) == gridDim.x - 1) { /* all have read the number */
        *(volatile unsigned *)p.arrived = 0;
        *(volatile unsigned *)p.runs = number;
    }
}

#endif
