/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits of kernels for other ranks: one word of pinned memory, which kernels and CPU read and write.  It stays set: a
 * wait past the deadline means a lost rank, after which nobody counts on anybody (watch.h).
 */
#include "comm/waits.h"

#include <limits.h>
#include <stdlib.h>

#include "base/status.h"
#include "comm/watch.h"

struct mnp__waits {
    const mnp__comm *comm;
    volatile unsigned *fault;
};

enum { GOING_ON = 0 };
static const unsigned ended = UINT_MAX; /* by mnp__waits_end(); else 1 + the number of a peer */

mnp_status mnp__waits_new(const mnp__comm *comm, mnp__waits **waits_p)
{
    mnp__waits *waits;
    void *word;
    MNP_TRY(mnp__calloc(1, sizeof *waits, &waits));
    mnp_status st = comm->device->ops->alloc_pinned(comm->device, sizeof *waits->fault, &word);
    if (st != MNP_OK) {
        free(waits);
        return st;
    }
    waits->comm = comm;
    waits->fault = word;
    *waits->fault = GOING_ON;
    *waits_p = waits;
    return MNP_OK;
}

void mnp__waits_free(mnp__waits *waits)
{
    if (!waits)
        return;
    mnp__device *device = waits->comm->device;
    device->ops->free_pinned(device, (void *)waits->fault);
    free(waits);
}

mnp_waiting mnp__waits_params(const mnp__waits *waits)
{
    const double patience = waits->comm->config->deadline_seconds * 1e9, most = 1e19; /* of 64 bits */
    return (mnp_waiting){.patience = (unsigned long long)(patience < most ? patience : most),
                         .fault = (unsigned *)waits->fault};
}

mnp_status mnp__waits_check(const mnp__waits *waits)
{
    const unsigned fault = waits ? *waits->fault : GOING_ON;
    if (fault == GOING_ON)
        return MNP_OK;
    const mnp__comm *comm = waits->comm;
    MNP_TRY(mnp__watch_look(comm)); /* which may know why */
    return mnp__watch_timeout(comm, comm->peers->ranks[fault - 1], "an exchange");
}

void mnp__waits_end(mnp__waits *waits)
{
    if (waits && *waits->fault == GOING_ON)
        *waits->fault = ended;
}
