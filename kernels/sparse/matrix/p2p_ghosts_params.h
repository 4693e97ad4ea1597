/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of p2p_ghosts.cu, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_MATRIX_P2P_GHOSTS_PARAMS_H
#define MNP_KERNELS_SPARSE_MATRIX_P2P_GHOSTS_PARAMS_H

#include "kernels/comm/p2p_params.h"

enum {
    MNP_GHOSTS_THREADS = 512,      /* of a block of p2p_ghosts */
    MNP_GHOSTS_FLIGHT = 2,         /* accesses of 16 bytes that a thread has in flight */
    MNP_GHOST_WORDS_THREADS = 256, /* of a block of send_ghosts */
    MNP_GHOST_WORDS_EACH = 2,      /* words that a thread sends and receives */
    MNP_GHOST_WORDS_BLOCK = MNP_GHOST_WORDS_THREADS * MNP_GHOST_WORDS_EACH
};

/* What a peer needs: rows places[0 .. rows-1] of x, one after the other. */
typedef struct mnp_ghosts_part {
    const long long *places;
    long long rows;
} mnp_ghosts_part;

/* The parameter of p2p_ghosts. */
typedef struct mnp_ghosts_params {
    const void *x;
    long long width; /* elements of a row */
    mnp_p2p p2p;
    mnp_ghosts_part parts[MNP_P2P_PEERS]; /* what each peer needs, */
    void *to[MNP_P2P_PEERS];              /* where it goes in the peer's memory, and how many blocks send it */
    int first_block[MNP_P2P_PEERS], blocks[MNP_P2P_PEERS];
} mnp_ghosts_params;

/* A peer of send_ghosts, served by blocks first_block .. first_block + blocks - 1. */
typedef struct mnp_ghost_words_peer {
    mnp_ghosts_part part;
    mnp_p2p_line *there;      /* [2][sent], a buffer in the peer's memory */
    const mnp_p2p_line *here; /* [2][received], the buffer that the peer writes */
    void *values;             /* where the received elements go, and how many they are */
    long long elements;
    int sent, received; /* numbers of words, at least one */
    int number;         /* of the peer on the node */
    int first_block, blocks;
} mnp_ghost_words_peer;

typedef struct mnp_ghost_words_params {
    const void *x;
    long long width;
    unsigned *runs, *arrived; /* in device memory: runs so far; blocks of this run that are done, 0 between runs */
    mnp_waiting limits;
    mnp_ghost_words_peer peers[MNP_P2P_PEERS]; /* those that the blocks of the grid serve */
} mnp_ghost_words_params;

#endif
