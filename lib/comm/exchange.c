/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges: sets of messages between device memories, over MPI, over MPI through pinned memory, or over NCCL.
 */
#include <stdlib.h>

#include "base/status.h"
#include "comm/comm.h"
#include "comm/watch.h"

enum { TAG = 1 };
static const size_t largest_piece = (size_t)1 << 30; /* MPI counts with int */

struct mnp__exchange {
    mnp__comm *comm;
    int nsends, nrecvs;
    mnp__message *sends, *recvs;
    /* MPI: persistent requests; the peer of each, for the sentence when one is late */
    int nrequests;
    MPI_Request *requests;
    int *peers;
    /* staged: where the messages lie in pinned memory, one after the other */
    char *pinned_send, *pinned_recv;
    mnp__device_event *packed, *unpacked;
    bool used;
    bool open; /* MPI has been given requests that were not seen through */
};

size_t mnp__messages_bytes(int count, const mnp__message *messages)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += messages[i].bytes;
    return bytes;
}

static mnp_status copy_messages(int count, const mnp__message *messages, mnp__message **copy_p)
{
    MNP_TRY(mnp__calloc((size_t)count, sizeof **copy_p, copy_p));
    for (int i = 0; i < count; i++)
        (*copy_p)[i] = messages[i];
    return MNP_OK;
}

static int count_pieces(int count, const mnp__message *messages)
{
    int pieces = 0;
    for (int i = 0; i < count; i++)
        pieces += (int)((messages[i].bytes + largest_piece - 1) / largest_piece);
    return pieces;
}

/* Persistent requests for messages whose bytes are at data[] or, staged, one after the other at `pinned`. */
static mnp_status add_requests(mnp__exchange *exchange, int count, const mnp__message *messages, char *pinned,
                               bool send)
{
    for (int i = 0; i < count; i++) {
        char *data = pinned ? pinned : messages[i].data;
        for (size_t done = 0; done < messages[i].bytes; done += largest_piece) {
            size_t left = messages[i].bytes - done, size = left < largest_piece ? left : largest_piece;
            MPI_Request *request = &exchange->requests[exchange->nrequests];
            int peer = messages[i].peer;
            MNP_TRY(mnp__mpi_status(
                send ? MPI_Send_init(data + done, (int)size, MPI_BYTE, peer, TAG, exchange->comm->mpi, request)
                     : MPI_Recv_init(data + done, (int)size, MPI_BYTE, peer, TAG, exchange->comm->mpi, request),
                send ? "MPI_Send_init" : "MPI_Recv_init"));
            exchange->peers[exchange->nrequests++] = peer;
        }
        if (pinned)
            pinned += messages[i].bytes;
    }
    return MNP_OK;
}

static mnp_status prepare_staging(mnp__exchange *exchange)
{
    mnp__device *device = exchange->comm->device;
    MNP_TRY(device->ops->alloc_pinned(device, mnp__messages_bytes(exchange->nsends, exchange->sends),
                                      (void **)&exchange->pinned_send));
    MNP_TRY(device->ops->alloc_pinned(device, mnp__messages_bytes(exchange->nrecvs, exchange->recvs),
                                      (void **)&exchange->pinned_recv));
    MNP_TRY(device->ops->event_new(device, &exchange->packed));
    return device->ops->event_new(device, &exchange->unpacked);
}

static mnp_status prepare_mpi(mnp__exchange *exchange)
{
    int pieces = count_pieces(exchange->nsends, exchange->sends) + count_pieces(exchange->nrecvs, exchange->recvs);
    MNP_TRY(mnp__calloc((size_t)pieces, sizeof *exchange->requests, &exchange->requests));
    MNP_TRY(mnp__calloc((size_t)pieces, sizeof *exchange->peers, &exchange->peers));
    if (exchange->comm->transport == MNP_TRANSPORT_STAGED)
        MNP_TRY(prepare_staging(exchange));
    MNP_TRY(add_requests(exchange, exchange->nrecvs, exchange->recvs, exchange->pinned_recv, false));
    return add_requests(exchange, exchange->nsends, exchange->sends, exchange->pinned_send, true);
}

mnp_status mnp__exchange_new(mnp__comm *comm, int nsends, const mnp__message *sends, int nrecvs,
                             const mnp__message *recvs, mnp__exchange **exchange_p)
{
    mnp__exchange *exchange;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *exchange, &exchange));
    exchange->comm = comm;
    exchange->nsends = nsends;
    exchange->nrecvs = nrecvs;
    MNP_TRY_OR(copy_messages(nsends, sends, &exchange->sends), st, fail);
    MNP_TRY_OR(copy_messages(nrecvs, recvs, &exchange->recvs), st, fail);
    if (comm->transport != MNP_TRANSPORT_NCCL)
        MNP_TRY_OR(prepare_mpi(exchange), st, fail);
    *exchange_p = exchange;
    return MNP_OK;
fail:
    mnp__exchange_free(exchange);
    return st;
}

/* Whether MPI is through with all requests, and with the memory they speak of. */
static bool is_through(mnp__exchange *exchange)
{
    int complete = 1;
    if (exchange->open &&
        MPI_Testall(exchange->nrequests, exchange->requests, &complete, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
        return false;
    return complete;
}

void mnp__exchange_free(mnp__exchange *exchange)
{
    if (!exchange)
        return;
    mnp__device *device = exchange->comm->device;
    if (is_through(exchange)) {
        for (int i = 0; i < exchange->nrequests; i++)
            MPI_Request_free(&exchange->requests[i]);
        device->ops->free_pinned(device, exchange->pinned_send);
        device->ops->free_pinned(device, exchange->pinned_recv);
    } else {
        device->retains = true;
        MNP_LOG(&exchange->comm->config->logger, MNP_LOG_WARN,
                "messages to or from a rank that did not answer are still open; their memory is not released");
    }
    if (exchange->packed)
        device->ops->event_free(device, exchange->packed);
    if (exchange->unpacked)
        device->ops->event_free(device, exchange->unpacked);
    free(exchange->requests);
    free(exchange->peers);
    free(exchange->sends);
    free(exchange->recvs);
    free(exchange);
}

static mnp_status start_requests(mnp__exchange *exchange)
{
    if (exchange->nrequests == 0)
        return MNP_OK;
    exchange->open = true;
    return mnp__mpi_status(MPI_Startall(exchange->nrequests, exchange->requests), "MPI_Startall");
}

/* The peer of a request that is not complete, for the sentence; -1 if there is none. */
static int late_peer(mnp__exchange *exchange)
{
    for (int i = 0; i < exchange->nrequests; i++) {
        int complete = 1;
        if (MPI_Request_get_status(exchange->requests[i], &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || !complete)
            return exchange->peers[i];
    }
    return -1;
}

static mnp_status wait_requests(mnp__exchange *exchange)
{
    mnp__wait wait = mnp__watch_begin(exchange->comm, "an exchange");
    for (;;) {
        int complete;
        MNP_TRY(mnp__mpi_status(MPI_Testall(exchange->nrequests, exchange->requests, &complete, MPI_STATUSES_IGNORE),
                                "MPI_Testall"));
        if (complete) {
            exchange->open = false;
            return MNP_OK;
        }
        const mnp_status st = mnp__watch_round(&wait);
        if (st != MNP_OK)
            return mnp__watch_end(&wait, st, late_peer(exchange));
    }
}

/* Copy the messages between the device and pinned memory. */
static mnp_status stage(mnp__exchange *exchange, int count, const mnp__message *messages, char *pinned, bool to_device,
                        mnp__stream *stream)
{
    mnp__device *device = exchange->comm->device;
    for (int i = 0; i < count; i++) {
        void *dst = to_device ? messages[i].data : pinned, *src = to_device ? pinned : messages[i].data;
        MNP_TRY(device->ops->copy(device, dst, src, messages[i].bytes, stream));
        pinned += messages[i].bytes;
    }
    return MNP_OK;
}

mnp_status mnp__exchange_begin(mnp__exchange *exchange, mnp__stream *stream)
{
    mnp__comm *comm = exchange->comm;
    if (exchange->nsends + exchange->nrecvs == 0)
        return MNP_OK;
    if (comm->transport == MNP_TRANSPORT_NCCL)
        return MNP_OK; /* its call takes the CPU a while: the GPU should have work by then */
    if (comm->transport == MNP_TRANSPORT_STAGED) {
        MNP_TRY(mnp__refuse_recording(comm->device, "sending messages through the host"));
        if (exchange->used) /* the last round may still be reading what is received now */
            MNP_TRY(mnp__comm_wait_event(comm, exchange->unpacked));
        MNP_TRY(stage(exchange, exchange->nsends, exchange->sends, exchange->pinned_send, false, stream));
        MNP_TRY(comm->device->ops->event_record(comm->device, exchange->packed, stream));
        exchange->used = true;
        return MNP_OK; /* all requests start in finish, so that other exchanges may go on in between */
    }
    return start_requests(exchange);
}

bool mnp__exchange_needs_help(const mnp__exchange *exchange)
{
    return exchange->comm->transport == MNP_TRANSPORT_MPI && exchange->nrequests > 0;
}

mnp_status mnp__exchange_help(mnp__exchange *exchange)
{
    int complete;
    return mnp__mpi_status(MPI_Testall(exchange->nrequests, exchange->requests, &complete, MPI_STATUSES_IGNORE),
                           "MPI_Testall");
}

mnp_status mnp__exchange_finish(mnp__exchange *exchange, mnp__stream *stream)
{
    mnp__comm *comm = exchange->comm;
    if (exchange->nsends + exchange->nrecvs == 0)
        return MNP_OK;
    if (comm->transport == MNP_TRANSPORT_NCCL)
        return mnp__nccl_exchange(comm->nccl, exchange->nsends, exchange->sends, exchange->nrecvs, exchange->recvs,
                                  NULL, stream);
    if (comm->transport == MNP_TRANSPORT_STAGED) {
        MNP_TRY(mnp__comm_wait_event(comm, exchange->packed));
        MNP_TRY(start_requests(exchange));
    }
    MNP_TRY(wait_requests(exchange));
    if (comm->transport == MNP_TRANSPORT_STAGED) {
        MNP_TRY(stage(exchange, exchange->nrecvs, exchange->recvs, exchange->pinned_recv, true, stream));
        MNP_TRY(comm->device->ops->event_record(comm->device, exchange->unpacked, stream));
    }
    return MNP_OK;
}
