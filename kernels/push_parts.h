/*
 * The parameter of push_parts.cu: shared by the library (C) and the kernel (C++).
 */
#ifndef MNP_KERNELS_PUSH_PARTS_H
#define MNP_KERNELS_PUSH_PARTS_H

#include "push.h"

enum {
    MNP_PUSH_PARTS_PEERS = 16, /* at most, this rank among them */
    MNP_PUSH_PARTS_THREADS = 256,
    MNP_PUSH_PARTS_FLIGHT = 4, /* accesses of a thread under way */
    MNP_PUSH_PARTS_BYTES = 16 * MNP_PUSH_PARTS_THREADS * MNP_PUSH_PARTS_FLIGHT /* by which blocks take turns */
};

/* What goes to one of the peers: dst lies in its memory.  The addresses need no alignment. */
typedef struct mnp_push_part {
    const void *src;
    void *dst;
    long long bytes;
} mnp_push_part;

typedef struct mnp_push_parts_params {
    mnp_push push;
    mnp_push_peer peers[MNP_PUSH_PARTS_PEERS];
    mnp_push_part parts[MNP_PUSH_PARTS_PEERS]; /* of those with blocks */
} mnp_push_parts_params;

#endif
