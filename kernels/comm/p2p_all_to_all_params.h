/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of p2p_all_to_all.cu: shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_COMM_P2P_ALL_TO_ALL_PARAMS_H
#define MNP_KERNELS_COMM_P2P_ALL_TO_ALL_PARAMS_H

#include "kernels/comm/p2p_params.h"

enum {
    MNP_P2P_PARTS_THREADS = 256,
    MNP_P2P_PARTS_RESIDENT = 4, /* blocks that a multiprocessor has room for, at least: twice those of a launch */
    MNP_P2P_PARTS_FLIGHT = 4,   /* accesses of a thread under way */
    MNP_P2P_PARTS_BYTES = 16 * MNP_P2P_PARTS_THREADS * MNP_P2P_PARTS_FLIGHT /* of a unit */
};

/* What goes to one of the peers, in whose memory dst lies, or stays here.  The addresses need no alignment. */
typedef struct mnp_p2p_part {
    const void *src;
    void *dst;
    long long bytes;
} mnp_p2p_part;

typedef struct mnp_p2p_all_to_all_params {
    mnp_p2p p2p;
    mnp_p2p_part parts[MNP_P2P_PEERS];
    mnp_p2p_share shares[MNP_P2P_PEERS]; /* of the parts, by their numbers: those with the fewest units first */
    int num_parts;
} mnp_p2p_all_to_all_params;

#endif
