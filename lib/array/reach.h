/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of other ranks that the CPU reads where they lie: on the host, peers have mapped each other's heap.
 *
 * Where few results are made of what several ranks have, as where elements are taken by indices or a short axis that is
 * cut is reduced, reading is cheaper than messages: nothing is packed, sent and put in order.
 */
#ifndef MNP__ARRAY_REACH_H
#define MNP__ARRAY_REACH_H

#include "array/array.h"
#include "comm/collectives/subcomm.h"

/* A rank's block of an array: as local_lo, local_shape and local_strides of the array there. */
typedef struct mnp__reached {
    char *data; /* NULL: the block is empty */
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS];
} mnp__reached;

/* Whether this rank's CPU reaches the blocks of all ranks.  The same on all ranks, without communication. */
bool mnp__reaches(const mnp_array *array);

/*
 * Where the blocks of `count` arrays, which are all reached, lie on the ranks of a group: blocks[member * count + i].
 * When it returns all these ranks have called it, so what their streams held before is there.  It may be read until the
 * next mnp_comm_barrier() of the group, after which its owners may change it.  Collective over the group.
 */
mnp_status mnp__reach(mnp_comm *group, int count, const mnp_array *const *arrays, mnp__reached *blocks);

#endif
