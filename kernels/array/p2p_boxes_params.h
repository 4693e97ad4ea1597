/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of p2p_boxes.cu, shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_ARRAY_P2P_BOXES_PARAMS_H
#define MNP_KERNELS_ARRAY_P2P_BOXES_PARAMS_H

#include "kernels/array/copy_boxes_params.h"
#include "kernels/comm/p2p_params.h"

/* The shares are of both lists: the units of `local` follow those of `store`. */
typedef struct mnp_p2p_boxes_params {
    const void *src;
    void *theirs, *own; /* what the lists' destinations count from */
    mnp_box_list store, local;
    mnp_p2p p2p;
    const mnp_p2p_share *more_shares;    /* in device memory, where they are more than fit here; else NULL */
    mnp_p2p_share shares[MNP_P2P_PEERS]; /* those with the fewest units first */
    int num_shares;
} mnp_p2p_boxes_params;

#endif
