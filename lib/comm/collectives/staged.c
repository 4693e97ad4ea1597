/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between GPUs that NCCL does not connect: through pinned memory and MPI.
 *
 * The group keeps the pinned memory, so that collectives of a few bytes, as reductions make them again and again,
 * allocate nothing.  The CPU waits for what is sent to be there; what is received is copied to the GPU behind its back,
 * and only the next call waits for that.
 */
#include "base/status.h"
#include "comm/collectives/collectives.h"

static const size_t most_retained = (size_t)64 << 20; /* bytes; more is released at the end of a call */

static void release_memory(mnp_comm *comm)
{
    mnp__device *device = comm->base.device;
    device->ops->free_pinned(device, comm->staging.pinned);
    comm->staging.pinned = NULL;
    comm->staging.bytes = 0;
}

void mnp__staging_free(mnp_comm *comm)
{
    mnp__device *device = comm->base.device;
    release_memory(comm);
    if (comm->staging.copied)
        device->ops->event_free(device, comm->staging.copied);
}

static mnp_status wait_for_copies(mnp_comm *comm)
{
    return mnp__comm_wait_event(&comm->world->base, comm->staging.copied); /* whose NCCL watches that of all groups */
}

/* So many bytes, which the copies of the last call have left. */
static mnp_status prepare(mnp_comm *comm, size_t bytes)
{
    mnp__device *device = comm->base.device;
    struct mnp__staging *staging = &comm->staging;
    if (!staging->copied)
        MNP_TRY(device->ops->event_new(device, &staging->copied));
    else if (staging->copying)
        MNP_TRY(wait_for_copies(comm));
    staging->copying = false;
    if (bytes <= staging->bytes)
        return MNP_OK;
    release_memory(comm);
    MNP_TRY(device->ops->alloc_pinned(device, bytes, (void **)&staging->pinned));
    staging->bytes = bytes;
    return MNP_OK;
}

/* The same messages in pinned memory, from `pinned` on. */
static void place(int count, const mnp__message *messages, char *pinned, mnp__message *staged)
{
    for (int i = 0; i < count; i++) {
        staged[i] = (mnp__message){.peer = messages[i].peer, .data = pinned, .bytes = messages[i].bytes};
        pinned += messages[i].bytes;
    }
}

static mnp_status copy(const mnp_comm *comm, int count, const mnp__message *to, const mnp__message *from)
{
    mnp__device *device = comm->base.device;
    for (int i = 0; i < count; i++)
        MNP_TRY(device->ops->copy(device, to[i].data, from[i].data, from[i].bytes, device->memory_stream));
    return device->ops->event_record(device, comm->staging.copied, device->memory_stream);
}

mnp_status mnp__staged_move(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                            const mnp__message *recvs)
{
    const size_t sent = mnp__messages_bytes(nsends, sends), all = sent + mnp__messages_bytes(nrecvs, recvs);
    mnp__message *staged_sends = comm->staging.messages, *staged_recvs = staged_sends + comm->base.size;
    MNP_TRY(mnp__refuse_recording(comm->base.device, "sending messages through the host"));
    MNP_TRY(prepare(comm, all));
    place(nsends, sends, comm->staging.pinned, staged_sends);
    place(nrecvs, recvs, comm->staging.pinned + sent, staged_recvs);
    MNP_TRY(copy(comm, nsends, staged_sends, sends));
    MNP_TRY(wait_for_copies(comm));
    mnp_status st = mnp__messages_move(comm, nsends, staged_sends, nrecvs, staged_recvs);
    if (st != MNP_OK) {
        comm->base.device->retains = true; /* MPI may still read and write that memory */
        return st;
    }
    MNP_TRY(copy(comm, nrecvs, recvs, staged_recvs));
    comm->staging.copying = true;
    if (all <= most_retained)
        return MNP_OK;
    MNP_TRY(wait_for_copies(comm));
    comm->staging.copying = false;
    release_memory(comm);
    return MNP_OK;
}
