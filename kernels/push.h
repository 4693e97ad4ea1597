/*
 * Ranks that write into each other's memory in one launch: shared by the library (C) and the kernels (C++).  How it goes
 * is in push_cuda.h.
 */
#ifndef MNP_KERNELS_PUSH_H
#define MNP_KERNELS_PUSH_H

#include "waiting.h"

/*
 * How a peer tells this rank: words in this rank's heap that the peer alone raises, to the number of the run.  They lie in
 * cache lines of their own, and are 0 before the first run.
 */
typedef struct mnp_push_words {
    unsigned long long ready; /* this rank may write into the peer's memory */
    unsigned long long ready_line[7];
    unsigned long long done; /* the peer has written what it had to into this rank's */
    unsigned long long done_line[7];
} mnp_push_words;

/* What a rank keeps of the runs that it had with one peer, in device memory of its own; zeros at first. */
typedef struct mnp_push_state {
    unsigned long long runs;
    unsigned arrived; /* blocks of the present run that have stored all for the peer */
    unsigned unused;
} mnp_push_state;

/*
 * Somebody that this rank writes to (blocks > 0), that writes to it (writes), or both; or this rank itself, with no words
 * and no runs, for what stays.  Blocks first_block .. first_block + blocks - 1 of the grid serve it.
 */
typedef struct mnp_push_peer {
    const mnp_push_words *here; /* that the peer raises; NULL: this rank itself */
    mnp_push_words *there;      /* in the peer's memory, that this rank raises */
    mnp_push_state *state;
    int number; /* the peer's, among the peers of the node */
    int first_block, blocks;
    int writes;
} mnp_push_peer;

/* One launch.  `targets` is how many of the peers have blocks: at least one, and all blocks of the grid belong to one. */
typedef struct mnp_push {
    int count, targets;
    unsigned *arrived; /* targets that have all: a word of device memory, 0 between runs */
    mnp_waiting limits;
} mnp_push;

#endif
