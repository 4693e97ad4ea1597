/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for other ranks, and losing them.
 */
#include "comm/watch.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/status.h"
#include "comm/peers.h"
#include "comm/waits.h"
#include "device/device.h"

enum { SPINS = 100, ROUNDS_A_CHECK = 64 };
static const double between_looks = 0.05, before_sleep = 0.005; /* seconds */

typedef struct loss {
    int rank;  /* that is lost, or -1 where it is not known which */
    int ended; /* its process has ended; else it did not answer */
} loss;

struct mnp__watch {
    const mnp__comm *world; /* of all ranks */
    bool lost;
    loss loss;
    int source; /* the rank that found out */
    void *room;
    size_t room_size;
};

mnp_status mnp__watch_new(const mnp__comm *world, mnp__watch **watch_p)
{
    MNP_TRY(mnp__calloc(1, sizeof **watch_p, watch_p));
    (*watch_p)->world = world;
    return MNP_OK;
}

void mnp__watch_free(mnp__watch *watch)
{
    if (!watch || watch->lost) /* MPI may still send the loss, and write to the room */
        return;
    free(watch->room);
    free(watch);
}

bool mnp__watch_lost(const mnp__comm *comm)
{
    return comm->watch && comm->watch->lost;
}

/* The failure of a rank that finds itself without another. */
static mnp_status fail_lost(const mnp__watch *watch)
{
    const loss *n = &watch->loss;
    if (n->ended && watch->source == watch->world->rank)
        return MNP_FAIL(MNP_ERR_PEER, "rank %d has ended", n->rank);
    if (n->ended)
        return MNP_FAIL(MNP_ERR_PEER, "rank %d has ended, as rank %d found", n->rank, watch->source);
    if (n->rank < 0)
        return MNP_FAIL(MNP_ERR_PEER, "rank %d gave up waiting for another at its MANIPLE_DEADLINE", watch->source);
    return MNP_FAIL(MNP_ERR_PEER, "rank %d gave up waiting for rank %d at its MANIPLE_DEADLINE", watch->source,
                    n->rank);
}

mnp_status mnp__watch_room(const mnp__comm *comm, size_t size, void **room_p)
{
    mnp__watch *watch = comm->watch;
    if (watch->lost)
        return fail_lost(watch);
    if (size > watch->room_size) {
        void *room = NULL;
        MNP_TRY(mnp__calloc(size, 1, &room));
        free(watch->room);
        watch->room = room;
        watch->room_size = size;
    }
    *room_p = watch->room;
    return MNP_OK;
}

/*
 * Remember the loss, and end waits on the GPU for a rank that does not come; messages that are under way stay as they
 * are.
 */
static void remember(mnp__watch *watch, loss n, int source)
{
    watch->lost = true;
    watch->loss = n;
    watch->source = source;
    if (watch->world->device)
        watch->world->device->retains = true;
    mnp__waits_end(watch->world->waits);
    mnp__nccl_abort(watch->world->nccl);
}

/* This rank has found out: it sends the others a message, whose requests MPI completes. */
static void lose(mnp__watch *watch, loss n)
{
    const mnp__comm *world = watch->world;
    remember(watch, n, world->rank);
    for (int rank = 0; rank < world->size; rank++) {
        MPI_Request request;
        if (rank != world->rank && (rank != n.rank || !n.ended) &&
            MPI_Isend(&watch->loss, 2, MPI_INT, rank, MNP__TAG_LOST, world->mpi, &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    }
}

void mnp__watch_give_up(const mnp__comm *comm, int rank)
{
    if (!comm->watch->lost)
        lose(comm->watch, (loss){.rank = rank});
}

/* Receive the message of another rank about a lost one, if there is any. */
static void hear(mnp__watch *watch)
{
    MPI_Comm mpi = watch->world->mpi;
    MPI_Status status;
    loss n;
    int there = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MNP__TAG_LOST, mpi, &there, &status) == MPI_SUCCESS && there &&
        MPI_Recv(&n, 2, MPI_INT, status.MPI_SOURCE, MNP__TAG_LOST, mpi, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        remember(watch, n, status.MPI_SOURCE);
}

mnp_status mnp__watch_look(const mnp__comm *comm)
{
    mnp__watch *watch = comm->watch;
    const mnp__peers *peers = watch->world->peers;
    if (!watch->lost)
        hear(watch);
    int gone = watch->lost || !peers ? -1 : mnp__peers_gone(peers);
    /* the rank may have given up and ended, after it sent its reason */
    for (int tries = 0; gone >= 0 && tries < 4 && !watch->lost; tries++)
        hear(watch);
    if (gone >= 0 && !watch->lost)
        lose(watch, (loss){.rank = gone, .ended = true});
    return watch->lost ? fail_lost(watch) : MNP_OK;
}

/* ---- waiting ---- */

mnp__wait mnp__watch_begin(const mnp__comm *comm, const char *what)
{
    return (mnp__wait){.comm = comm, .what = what, .spins = SPINS};
}

void mnp__watch_restart(mnp__wait *wait)
{
    wait->rounds = 0;
    wait->since = 0;
}

static mnp_status check(mnp__wait *wait)
{
    const mnp__comm *comm = wait->comm;
    const double now = MPI_Wtime();
    int there;
    wait->checked = true;
    if (wait->begin == 0)
        wait->begin = wait->looked = now;
    if (wait->since == 0)
        wait->since = now;
    wait->sleeps = wait->may_sleep && now - wait->begin > before_sleep;
    /* another rank may be waiting for what MPI has not sent from here yet */
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->mpi, &there, MPI_STATUS_IGNORE);
    const bool late = wait->what && now - wait->since > comm->config->deadline_seconds;
    if (!wait->alone && (late || now - wait->looked >= between_looks)) {
        wait->looked = now;
        MNP_TRY(mnp__watch_look(comm));
    }
    return late ? MNP_ERR_TIMEOUT : MNP_OK;
}

mnp_status mnp__watch_round(mnp__wait *wait)
{
    wait->checked = false;
    if (wait->rounds++ < wait->spins)
        return MNP_OK;
    if (wait->sleeps)
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL);
    else
        sched_yield();
    return wait->sleeps || wait->rounds % ROUNDS_A_CHECK == 0 ? check(wait) : MNP_OK;
}

static mnp_status fail_late(const mnp__comm *comm, int rank, const char *what)
{
    const double deadline = comm->config->deadline_seconds;
    if (rank < 0)
        return MNP_FAIL(MNP_ERR_TIMEOUT, "another rank did not take part in %s within %g seconds (MANIPLE_DEADLINE)",
                        what, deadline);
    return MNP_FAIL(MNP_ERR_TIMEOUT, "rank %d did not take part in %s within %g seconds (MANIPLE_DEADLINE)", rank, what,
                    deadline);
}

mnp_status mnp__watch_timeout(const mnp__comm *comm, int rank, const char *what)
{
    mnp__watch_give_up(comm, rank);
    return fail_late(comm, rank, what);
}

mnp_status mnp__watch_end(const mnp__wait *wait, mnp_status status, int rank)
{
    if (status != MNP_ERR_TIMEOUT)
        return status;
    return wait->alone ? fail_late(wait->comm, rank, wait->what) : mnp__watch_timeout(wait->comm, rank, wait->what);
}

mnp_status mnp__watch_requests(const mnp__comm *comm, int count, MPI_Request *requests, const char *call)
{
    mnp__wait wait = mnp__watch_begin(comm, NULL);
    wait.may_sleep = true;
    for (;;) {
        int complete;
        MNP_TRY(mnp__mpi_status(MPI_Testall(count, requests, &complete, MPI_STATUSES_IGNORE), call));
        if (complete)
            return MNP_OK;
        MNP_TRY(mnp__watch_round(&wait));
    }
}
