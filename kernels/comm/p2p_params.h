/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point to point between GPUs that share memory: what is shared by the library (C) and the kernels (C++).  The two
 * protocols, stores behind a word and words that carry their data, are in p2p_cuda.h.
 */
#ifndef MNP_KERNELS_COMM_P2P_PARAMS_H
#define MNP_KERNELS_COMM_P2P_PARAMS_H

#include "kernels/comm/waiting_params.h"

enum { MNP_P2P_PEERS = 16 }; /* that fit in the parameter of a kernel */

/* ---- stores, then a word ---- */

/*
 * What a peer tells this rank: words in this rank's memory that the peer alone raises, to the number of the run.  Each
 * lies in a cache line of its own, and is 0 before the first run.
 */
typedef struct mnp_p2p_words {
    unsigned long long ready; /* this rank may use the peer's memory */
    unsigned long long ready_line[7];
    unsigned long long done; /* the peer has done what it had to do in this rank's memory */
    unsigned long long done_line[7];
} mnp_p2p_words;

/* What a rank keeps of the runs that it had with one peer, in device memory of its own; zeros at first. */
typedef struct mnp_p2p_state {
    unsigned long long runs;
} mnp_p2p_state;

/* A peer that takes part in a launch: this rank stores to it, it writes to this rank, or both. */
typedef struct mnp_p2p_peer {
    const mnp_p2p_words *here; /* that the peer raises */
    mnp_p2p_words *there;      /* in the peer's memory, that this rank raises */
    mnp_p2p_state *state;
    int number; /* the peer's, among the peers of the node */
    int stores, writes;
} mnp_p2p_peer;

/* One launch with `count` peers. */
typedef struct mnp_p2p {
    int count;
    unsigned *arrived; /* blocks that have stored all: a word of device memory, 0 between runs */
    mnp_waiting limits;
    const mnp_p2p_peer *more;          /* in device memory, where they are more than fit here; else NULL */
    mnp_p2p_peer peers[MNP_P2P_PEERS]; /* else here */
} mnp_p2p;

/*
 * What goes to one of the peers, or stays here, in units that blocks of threads take one by one.  `first` tells where
 * it begins, in the terms of the kernel: the number of a unit, or of an entry of a list.
 */
typedef struct mnp_p2p_share {
    long long first, units;
} mnp_p2p_share;

/* ---- words with their data ---- */

/* A word on its way: 8 bytes of data, each half with the number of the exchange beside it. */
typedef struct mnp_p2p_line {
    unsigned low, number, high, number_too;
} mnp_p2p_line;

#endif
