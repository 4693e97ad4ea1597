/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between memories of the CPU: through the channels of peers, or by MPI.
 *
 * All messages of a call are under way at once: the loop looks at each of them in turn and moves what can be moved
 * without waiting.  So ranks cannot wait for each other in a circle, and the one that is late is known.
 */
#include "comm/collectives/subcomm.h"

#include "base/status.h"
#include "comm/collectives/collectives.h"
#include "comm/watch.h"

enum { TAG = 2, SPINS = 20, SENT_AT_ONCE = 1024 /* bytes; networks' limits are above it */ };

static const size_t largest_piece = (size_t)1 << 30;  /* MPI counts with int */
static const size_t channel_limit = (size_t)64 << 10; /* larger messages are quicker by MPI */

static mnp__flow flow_of(const mnp_comm *comm, const mnp__message *message, bool sends)
{
    bool small = comm->channels && message->bytes <= channel_limit;
    return (mnp__flow){.sends = sends,
                       .rank = message->peer,
                       .peer = small ? comm->peer_of[message->peer] : -1,
                       .data = message->data,
                       .bytes = message->bytes,
                       .request = MPI_REQUEST_NULL};
}

/* See whether MPI is through with the piece that it has, and give it the next one. */
static mnp_status step_by_mpi(const mnp_comm *comm, mnp__flow *flow)
{
    int complete, came;
    MPI_Status status;
    if (flow->open > 0) {
        MNP_TRY(mnp__mpi_status(MPI_Test(&flow->request, &complete, &status), "MPI_Test"));
        if (!complete)
            return MNP_OK;
        MPI_Get_count(&status, MPI_BYTE, &came);
        if (!flow->sends && (size_t)came != flow->open)
            return MNP_FAIL(MNP_ERR_COMM, "rank %d sent %d bytes where this rank expects %zu", comm->ranks[flow->rank],
                            came, flow->open);
        flow->done += flow->open;
        flow->open = 0;
    }
    size_t left = flow->bytes - flow->done;
    if (left == 0)
        return MNP_OK;
    flow->open = left < largest_piece ? left : largest_piece;
    char *data = flow->data + flow->done;
    const int bytes = (int)flow->open, rank = flow->rank;
    MPI_Comm mpi = comm->base.mpi;
    return flow->sends ? mnp__mpi_status(MPI_Isend(data, bytes, MPI_BYTE, rank, TAG, mpi, &flow->request), "MPI_Isend")
                       : mnp__mpi_status(MPI_Irecv(data, bytes, MPI_BYTE, rank, TAG, mpi, &flow->request), "MPI_Irecv");
}

static mnp_status step(const mnp_comm *comm, mnp__flow *flow)
{
    if (flow->peer < 0)
        return step_by_mpi(comm, flow);
    if (!flow->sends)
        return mnp__channels_recv(comm->channels, flow->peer, flow->data, flow->bytes, &flow->done);
    mnp__channels_send(comm->channels, flow->peer, flow->data, flow->bytes, &flow->done);
    return MNP_OK;
}

/* Whether MPI has a message that it sends in parts, which it does only while it is called. */
static bool keeps_mpi_busy(const mnp_comm *comm, int count)
{
    for (int i = 0; i < count; i++) {
        if (comm->flows[i].peer < 0 && comm->flows[i].bytes > SENT_AT_ONCE)
            return true;
    }
    return false;
}

/* Look at every message in turn until all are through. */
static mnp_status move_all(mnp_comm *comm, int count)
{
    mnp__wait wait = mnp__watch_begin(&comm->base, "a collective");
    wait.spins = SPINS;
    wait.before_sleep = keeps_mpi_busy(comm, count) ? 0 : MNP__SLEEP_SOON;
    for (;;) {
        const mnp__flow *late = NULL;
        bool moved = false;
        for (int i = 0; i < count; i++) {
            mnp__flow *flow = &comm->flows[i];
            size_t done = flow->done;
            if (done == flow->bytes)
                continue;
            MNP_TRY(step(comm, flow));
            moved = moved || flow->done > done;
            if (flow->done < flow->bytes &&
                (!late || late->sends)) /* a sender is late, not a receiver that has yet to take it */
                late = flow;
        }
        if (!late)
            return MNP_OK;
        if (moved) {
            mnp__watch_restart(&wait);
            continue;
        }
        const mnp_status st = mnp__watch_round(&wait);
        if (st != MNP_OK)
            return mnp__watch_end(&wait, st, comm->ranks[late->rank]);
    }
}

/* MPI is to forget what it can of messages that will not arrive. */
static void let_go(const mnp_comm *comm, int count)
{
    for (int i = 0; i < count; i++) {
        mnp__flow *flow = &comm->flows[i];
        if (flow->request == MPI_REQUEST_NULL)
            continue;
        if (!flow->sends)
            MPI_Cancel(&flow->request);
        MPI_Request_free(&flow->request);
    }
}

mnp_status mnp__messages_move(mnp_comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs)
{
    int count = 0;
    if (mnp__watch_lost(&comm->base))
        return mnp__watch_look(&comm->base);
    for (int i = 0; i < nrecvs; i++)
        comm->flows[count++] = flow_of(comm, &recvs[i], false);
    for (int i = 0; i < nsends; i++)
        comm->flows[count++] = flow_of(comm, &sends[i], true);
    mnp_status st = move_all(comm, count);
    if (st != MNP_OK)
        let_go(comm, count);
    return st;
}
