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

enum { EAGER_ROUNDS = 100 };
static const double between_looks = 0.05, before_sleep = 0.005; /* seconds */

typedef struct notice {
    int rank;  /* that is lost, or -1 where it is not known which */
    int ended; /* its process has ended; else it did not answer */
} notice;

struct mnp__watch {
    const mnp__comm *world; /* of all ranks */
    bool lost;
    notice notice;
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
    if (!watch || watch->lost) /* MPI may still send the notice, and write to the room */
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
    const notice *n = &watch->notice;
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
 * Remember, and end what would wait on the GPU for a rank that does not come; messages that are under way are left
 * alone.
 */
static void remember(mnp__watch *watch, notice n, int source)
{
    watch->lost = true;
    watch->notice = n;
    watch->source = source;
    if (watch->world->device)
        watch->world->device->retains = true;
    mnp__waits_end(watch->world->waits);
    mnp__nccl_abort(watch->world->nccl);
}

/* Find out, and tell the others; the requests are MPI's to end. */
static void lose(mnp__watch *watch, notice n)
{
    const mnp__comm *world = watch->world;
    remember(watch, n, world->rank);
    for (int rank = 0; rank < world->size; rank++) {
        MPI_Request request;
        if (rank != world->rank && (rank != n.rank || !n.ended) &&
            MPI_Isend(&watch->notice, 2, MPI_INT, rank, MNP__TAG_LOST, world->mpi, &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    }
}

void mnp__watch_give_up(const mnp__comm *comm, int rank)
{
    if (!comm->watch->lost)
        lose(comm->watch, (notice){.rank = rank});
}

/* Take in what another rank may have told of a lost one. */
static void hear(mnp__watch *watch)
{
    MPI_Comm mpi = watch->world->mpi;
    MPI_Status status;
    notice n;
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
    /* it may be one that gave up and left, after it told why */
    for (int tries = 0; gone >= 0 && tries < 4 && !watch->lost; tries++)
        hear(watch);
    if (gone >= 0 && !watch->lost)
        lose(watch, (notice){.rank = gone, .ended = true});
    return watch->lost ? fail_lost(watch) : MNP_OK;
}

mnp_status mnp__watch_round(const mnp__comm *comm, mnp__wait *wait)
{
    if (wait->rounds < EAGER_ROUNDS) {
        wait->rounds++;
        return MNP_OK;
    }
    double now = MPI_Wtime();
    if (wait->begin == 0)
        wait->begin = wait->looked = now;
    if (wait->idle && now - wait->begin > before_sleep)
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL);
    else
        sched_yield();
    if (now - wait->looked < between_looks)
        return MNP_OK;
    wait->looked = now;
    return mnp__watch_look(comm);
}

mnp_status mnp__watch_requests(const mnp__comm *comm, int count, MPI_Request *requests, const char *call)
{
    mnp__wait wait = {.idle = true};
    for (;;) {
        int complete;
        MNP_TRY(mnp__mpi_status(MPI_Testall(count, requests, &complete, MPI_STATUSES_IGNORE), call));
        if (complete)
            return MNP_OK;
        MNP_TRY(mnp__watch_round(comm, &wait));
    }
}
