/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the heap that ranks drop at different times: each notes its own, and now and then all find out together
 * which of them every rank has dropped.  A place is the same number on all ranks.
 */
#ifndef MNP__COMM_DROPPED_H
#define MNP__COMM_DROPPED_H

#include <stdint.h>

#include "comm/comm.h"

/* What this rank has dropped, and other ranks perhaps not; all zero at first.  The places are freed by free(). */
typedef struct mnp__dropped {
    int64_t *places;
    int count, capacity;
} mnp__dropped;

/* Note a place; where there is no memory for that, it counts as not dropped.  Not collective. */
void mnp__dropped_add(mnp__dropped *dropped, int64_t place);

/*
 * Take out the places that all ranks have dropped.  *places_p receives them in order, and the caller frees it; NULL
 * where there are none.  Four small collectives of the CPUs, or one if rank 0 has dropped nothing; a million places at
 * most.  Collective.
 */
mnp_status mnp__dropped_take(mnp__dropped *dropped, const mnp__comm *comm, int64_t **places_p, int *count_p);

#endif
