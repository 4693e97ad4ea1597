/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of ghosts between GPUs of a node, in one launch: gathers those elements of this rank's part of a vector
 * that peers need, and sends them.
 *
 * p2p_ghosts stores them straight into the peers' ghosts.  Stores go over the links and are 16 bytes wide, except at
 * both ends of a peer's part; reads are of single elements, which costs little in comparison.
 *
 * send_ghosts is for few ghosts: it takes half the time but sends twice the bytes, as words with their data, from which
 * the receiver copies the values.  Both protocols are those of p2p_cuda.h.  Blocks of send_ghosts wait for blocks of
 * peers that send, so the GPU must have room for the whole grid.
 *
 *   MNP_ELEMENT   bytes of an element: 4, 8 or 16
 */
#include "kernels/prelude.h"
#include "kernels/sparse/matrix/p2p_ghosts_params.h"

#if MNP_CUDA
#include "kernels/comm/p2p_cuda.h"
#include "kernels/words_cuda.h"

typedef mnp_word<MNP_ELEMENT>::type element;

/* Elements are read in pieces of at most 8 bytes: complex numbers in x may not be aligned to more. */
typedef mnp_word<(MNP_ELEMENT < 8 ? MNP_ELEMENT : 8)>::type piece;

constexpr int element_pieces = (int)(MNP_ELEMENT / sizeof(piece));

/* The offset in x of element i of those that a peer needs. */
MNP_INLINE int64_t place_of(const mnp_ghosts_part &part, int64_t width, int64_t i)
{
    const int64_t row = width == 1 ? i : i / width;
    return part.places[row] * width + i - row * width;
}

/* ---- stores ---- */

typedef mnp_word<16>::type pack;

constexpr int pack_elements = (int)(sizeof(pack) / sizeof(element));

/* Element i of those that a peer needs. */
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

/*
 * Store packs of 16 bytes to `to`, made of the peer's elements from number `first` on.  `block` is the number of this
 * block among those for the peer.
 */
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
    const int64_t tail = head + packs * pack_elements; /* first element after the packs */
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

/* A word has one piece of 8 bytes, or two of 4; the last word may have only one of 4. */
constexpr int word_pieces = (int)(8 / sizeof(piece));

/* Word `number` of what a peer needs; 0 beyond the end. */
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

/* Send a thread's words, from number `first` on, to a peer. */
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

/* Receive a thread's words from a peer: load all until all have arrived.  Past the deadline nothing is stored. */
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
    if (threadIdx.x == 0 && atomicAdd(p.arrived, 1) == gridDim.x - 1) { /* all blocks have read the number of the run */
        *(volatile unsigned *)p.arrived = 0;
        *(volatile unsigned *)p.runs = number;
    }
}

#endif
