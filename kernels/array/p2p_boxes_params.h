/*
 * The parameter of p2p_boxes.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_ARRAY_P2P_BOXES_PARAMS_H
#define MNP_KERNELS_ARRAY_P2P_BOXES_PARAMS_H

#include "kernels/array/copy_boxes_params.h"
#include "kernels/comm/p2p_params.h"

enum { MNP_PUSH_PEERS = 16 };

/* The shares are of both lists: the units of `local` follow those of `store`. */
typedef struct mnp_push_boxes_params {
    const void *src;
    void *theirs, *own; /* what the lists' destinations count from */
    mnp_box_list store, local;
    mnp_push push;
    const mnp_push_peer *more_peers; /* in device memory, where they are more than fit here; else NULL */
    const mnp_push_share *more_shares;
    mnp_push_peer peers[MNP_PUSH_PEERS];
    mnp_push_share shares[MNP_PUSH_PEERS]; /* those with the fewest units first */
    int num_shares;
} mnp_push_boxes_params;

#endif
