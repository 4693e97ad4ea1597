/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of p2p_ghosts.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_MATRIX_P2P_GHOSTS_PARAMS_H
#define MNP_KERNELS_SPARSE_MATRIX_P2P_GHOSTS_PARAMS_H

#include "kernels/comm/p2p_params.h"

enum {
    MNP_GHOSTS_THREADS = 512,      /* of p2p_ghosts */
    MNP_GHOSTS_FLIGHT = 2,         /* accesses of 16 bytes that a thread has under way */
    MNP_GHOST_WORDS_THREADS = 256, /* of send_ghosts */
    MNP_GHOST_WORDS_EACH = 2,      /* words that a thread sends and receives */
    MNP_GHOST_WORDS_BLOCK = MNP_GHOST_WORDS_THREADS * MNP_GHOST_WORDS_EACH
};

/* What one of the peers wants: rows places[0 .. rows-1] of x, one after the other. */
typedef struct mnp_ghosts_part {
    const long long *places;
    long long rows;
} mnp_ghosts_part;

/* Of p2p_ghosts. */
typedef struct mnp_ghosts_params {
    const void *x;
    long long width; /* elements of a row */
    mnp_p2p p2p;
    mnp_ghosts_part parts[MNP_P2P_PEERS]; /* of the peers; they go to */
    void *to[MNP_P2P_PEERS];              /* which lies in the peer's memory, by so many blocks of the grid */
    int first_block[MNP_P2P_PEERS], blocks[MNP_P2P_PEERS];
} mnp_ghosts_params;

/* A peer of send_ghosts, served by blocks first_block .. first_block + blocks - 1. */
typedef struct mnp_ghost_words_peer {
    mnp_ghosts_part part;
    mnp_p2p_line *there;      /* [2][sent], in the peer's memory */
    const mnp_p2p_line *here; /* [2][received], that the peer writes */
    void *values;             /* where what is received belongs: that many elements */
    long long elements;
    int sent, received; /* words: at least one */
    int number;         /* among the peers of the node */
    int first_block, blocks;
} mnp_ghost_words_peer;

typedef struct mnp_ghost_words_params {
    const void *x;
    long long width;
    unsigned *runs, *arrived; /* device memory: runs so far; blocks of this one that are through, 0 between runs */
    mnp_waiting limits;
    mnp_ghost_words_peer peers[MNP_P2P_PEERS]; /* as many as have the blocks of the grid */
} mnp_ghost_words_params;

#endif
