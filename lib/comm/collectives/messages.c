/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between memories of the CPU: through the channels of peers, or by MPI.
 *
 * All messages of a call are under way at once: the loop looks at each of them in turn and moves what can be moved
 * without waiting.  So ranks cannot wait for each other in a circle, and the one that is late is known.
 */
#include "comm/collectives/subcomm.h"

#include <sched.h>

#include "base/status.h"
#include "comm/collectives/collectives.h"
#include "comm/watch.h"

enum { TAG = 2, SPINS = 20, ROUNDS_A_CHECK = 64, ROUNDS_A_LOOK = 4096 };

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

/* After a round, the number of which counts from the last that moved anything, in which that flow was late. */
static mnp_status wait_a_little(const mnp_comm *comm, int round, double *begin, const mnp__flow *late)
{
    int there;
    double deadline = comm->base.config->deadline_seconds;
    if (round > SPINS)
        sched_yield();
    if (round % ROUNDS_A_CHECK != 0)
        return MNP_OK;
    if (round == ROUNDS_A_CHECK)
        *begin = MPI_Wtime();
    /* another rank may be waiting for what MPI has not sent from here yet */
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->base.mpi, &there, MPI_STATUS_IGNORE);
    if (round % ROUNDS_A_LOOK == 0)
        MNP_TRY(mnp__watch_look(&comm->base));
    if (MPI_Wtime() - *begin <= deadline)
        return MNP_OK;
    mnp__watch_give_up(&comm->base, comm->ranks[late->rank]);
    return MNP_FAIL(MNP_ERR_TIMEOUT, "rank %d did not take part in a collective within %g seconds (MANIPLE_DEADLINE)%s",
                    comm->ranks[late->rank], deadline,
                    mnp__has_many_ranks(comm) ? ", or waited for another rank itself" : "");
}

static mnp_status see_through(mnp_comm *comm, int count)
{
    double begin = 0;
    for (int round = 1;; round++) {
        const mnp__flow *late = NULL;
        bool moved = false;
        for (int i = 0; i < count; i++) {
            mnp__flow *flow = &comm->flows[i];
            size_t done = flow->done;
            if (done == flow->bytes)
                continue;
            MNP_TRY(step(comm, flow));
            moved = moved || flow->done > done;
            if (flow->done < flow->bytes && (!late || late->sends)) /* who sends is late, not who has yet to take it */
                late = flow;
        }
        if (!late)
            return MNP_OK;
        if (moved)
            round = 0;
        else
            MNP_TRY(wait_a_little(comm, round, &begin, late));
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
    mnp_status st = see_through(comm, count);
    if (st != MNP_OK)
        let_go(comm, count);
    return st;
}
