/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of p2p_reduce.cu: shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_COMM_P2P_REDUCE_PARAMS_H
#define MNP_KERNELS_COMM_P2P_REDUCE_PARAMS_H

#include "kernels/comm/p2p_params.h"

enum {
    MNP_P2P_REDUCE_THREADS = 256,
    MNP_P2P_REDUCE_RESIDENT = 4, /* blocks that a multiprocessor has room for, at least */
    MNP_P2P_REDUCE_PACK = 16     /* bytes of an access, but at both ends */
};

/*
 * This rank's share: `count` elements of every source, of which those from `head` on lie at multiples of a pack in all
 * sources, `packs` packs of them.  The addresses are those of the elements themselves; most lie in peers' memories.
 */
typedef struct mnp_p2p_reduce_params {
    const void *sources[MNP_P2P_PEERS]; /* as many as the kernel was made for, in the order of the ranks */
    void *targets[MNP_P2P_PEERS];       /* num_targets of them, where the result goes */
    long long count, head, packs;
    int num_targets;
    int in_packs; /* the packs lie at such multiples in the targets, too */
    mnp_p2p p2p;  /* with all others of the group */
} mnp_p2p_reduce_params;

#endif
