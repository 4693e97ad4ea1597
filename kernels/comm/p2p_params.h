/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that use each other's memory in one launch: shared by the library (C) and the kernels (C++).  How it goes is in
 * p2p_cuda.h.  Who loads from a peer (p2p_reduce.cu) tells it by the same words.
 */
#ifndef MNP_KERNELS_COMM_P2P_PARAMS_H
#define MNP_KERNELS_COMM_P2P_PARAMS_H

#include "kernels/comm/waiting_params.h"

/*
 * How a peer tells this rank: words in this rank's heap that the peer alone raises, to the number of the run.  They lie
 * in cache lines of their own, and are 0 before the first run.
 */
typedef struct mnp_p2p_words {
    unsigned long long ready; /* this rank may use the peer's memory */
    unsigned long long ready_line[7];
    unsigned long long done; /* the peer has done what it had to in this rank's */
    unsigned long long done_line[7];
} mnp_p2p_words;

/* What a rank keeps of the runs that it had with one peer, in device memory of its own; zeros at first. */
typedef struct mnp_p2p_state {
    unsigned long long runs;
} mnp_p2p_state;

/* Somebody that this rank stores to, that writes to it, or both. */
typedef struct mnp_p2p_peer {
    const mnp_p2p_words *here; /* that the peer raises */
    mnp_p2p_words *there;      /* in the peer's memory, that this rank raises */
    mnp_p2p_state *state;
    int number; /* the peer's, among the peers of the node */
    int stores, writes;
} mnp_p2p_peer;

/* One launch with so many peers. */
typedef struct mnp_p2p {
    int count;
    unsigned *arrived; /* blocks that have stored all: a word of device memory, 0 between runs */
    mnp_waiting limits;
} mnp_p2p;

/* What goes to one of the peers, or stays here, of a list of units that blocks of threads take one by one. */
typedef struct mnp_p2p_share {
    long long first_unit, units;
} mnp_p2p_share;

#endif
