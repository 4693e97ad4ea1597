/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of p2p_small.cu: shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_COMM_P2P_SMALL_PARAMS_H
#define MNP_KERNELS_COMM_P2P_SMALL_PARAMS_H

#include "kernels/comm/p2p_params.h"

enum {
    MNP_P2P_SMALL_RANKS = 16,     /* of a group, at most */
    MNP_P2P_SMALL_BYTES = 262144, /* of a message, at most; from there on plain loads and stores are as quick */
    MNP_P2P_SMALL_WORDS = MNP_P2P_SMALL_BYTES / 8,
    MNP_P2P_SMALL_THREADS = 512, /* of a block, at most */
    MNP_P2P_SMALL_RESIDENT = 2,  /* blocks that a multiprocessor has room for, at least */
    MNP_P2P_SMALL_EACH = 4       /* words of a message that a thread sends and receives */
};

/*
 * What this rank sends to a rank of the group, and receives from it, at any addresses; NULL where there is nothing.  A
 * rank without lines, such as this one itself, is not met: what is "sent" to it is received here.
 */
typedef struct mnp_p2p_small_rank {
    const void *send;
    void *recv;
    const mnp_p2p_line *here; /* [2][MNP_P2P_SMALL_WORDS], written by that rank */
    mnp_p2p_line *there;      /* the same in its memory, written by this one */
    unsigned *exchanges;      /* with it so far, in memory of this rank's own */
    int send_bytes, recv_bytes;
    int peer; /* its number among the peers */
} mnp_p2p_small_rank;

/* One launch: blocks are as wide as it takes, and as high as there are ranks in the group. */
typedef struct mnp_p2p_small_params {
    mnp_p2p_small_rank ranks[MNP_P2P_SMALL_RANKS];
    void *result; /* of a reduction, of that many bytes: of what every rank sent here; NULL: it is wanted elsewhere */
    int result_bytes;
    unsigned *arrived; /* blocks that have read how many exchanges there were; 0 between launches */
    mnp_waiting limits;
} mnp_p2p_small_params;

#endif
