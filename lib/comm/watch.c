/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for other ranks, and losing them.
 */
#include "comm/watch.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/status.h"
#include "comm/peers.h"
#include "comm/pulse.h"
#include "comm/waits.h"
#include "device/device.h"

enum { SPINS = 100, ROUNDS_A_CHECK = 64 };
static const double between_looks = 0.05, suspended = 1; /* seconds */

/* How a rank was lost: it did not answer, it was busy for too long, its process has ended, or is stopped. */
enum { LATE, BUSY, ENDED, STOPPED };

typedef struct loss {
    int rank; /* that is lost, or -1 where it is not known which */
    int how;
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
    char finder[32] = "";
    if (watch->source != watch->world->rank)
        snprintf(finder, sizeof finder, ", as rank %d found", watch->source);
    if (n->how == ENDED)
        return MNP_FAIL(MNP_ERR_PEER, "rank %d has ended%s", n->rank, finder);
    if (n->how == STOPPED)
        return MNP_FAIL(MNP_ERR_PEER, "rank %d is stopped%s: it has not moved for %g seconds (MANIPLE_DEADLINE)",
                        n->rank, finder, watch->world->config->deadline_seconds);
    const char *deadline = n->how == BUSY ? "MANIPLE_BUSY_DEADLINE" : "MANIPLE_DEADLINE";
    if (n->rank < 0)
        return MNP_FAIL(MNP_ERR_PEER, "rank %d gave up waiting for another at its %s", watch->source, deadline);
    return MNP_FAIL(MNP_ERR_PEER, "rank %d gave up waiting for rank %d at its %s", watch->source, n->rank, deadline);
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
        if (rank != world->rank && (rank != n.rank || n.how != ENDED) &&
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
        lose(watch, (loss){.rank = gone, .how = ENDED});
    const int stopped = mnp__pulse_stopped(watch->world->pulse);
    if (stopped >= 0 && !watch->lost)
        lose(watch, (loss){.rank = stopped, .how = STOPPED});
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
    wait->begin = wait->since = 0;
    wait->sleeps = false;
}

/* How long that wait may last, in seconds; 0: as long as it takes. */
static double limit_of(const mnp__wait *wait)
{
    const mnp__config *config = wait->comm->config;
    if (wait->busy) /* a rank that notices by itself that it was busy for too long still has to say so */
        return config->busy_deadline_seconds > 0 ? config->busy_deadline_seconds + config->deadline_seconds : 0;
    return wait->what ? config->deadline_seconds : 0;
}

static mnp_status check(mnp__wait *wait)
{
    const mnp__comm *comm = wait->comm;
    const double now = MPI_Wtime(), limit = limit_of(wait);
    int there;
    wait->checked = true;
    if (wait->begin == 0)
        wait->begin = wait->looked_at = wait->checked_at = now;
    if (wait->since == 0)
        wait->since = now;
    if (now - wait->checked_at >
        suspended) /* time in which this rank did not run, nor perhaps any other, does not count */
        wait->since += now - wait->checked_at;
    wait->checked_at = now;
    mnp__pulse_is_waiting(comm->pulse);
    wait->sleeps = wait->before_sleep > 0 && now - wait->begin > wait->before_sleep;
    /* another rank may be waiting for what MPI has not sent from here yet */
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->mpi, &there, MPI_STATUS_IGNORE);
    const bool late = limit > 0 && now - wait->since > limit;
    if (!wait->alone && (late || now - wait->looked_at >= between_looks)) {
        wait->looked_at = now;
        MNP_TRY(mnp__watch_look(comm));
    }
    return late ? MNP_ERR_TIMEOUT : MNP_OK;
}

_Thread_local bool mnp__watch_counts;
_Thread_local double mnp__watch_waited;
_Thread_local mnp__traffic mnp__watch_sent;

void mnp__watch_send(int64_t bytes, int64_t messages)
{
    if (__builtin_expect(!mnp__watch_counts, 1))
        return;
    mnp__watch_sent.bytes += bytes;
    mnp__watch_sent.messages += messages;
}

/* Count the time since the last round; the first one begins. */
static void count_wait(mnp__wait *wait)
{
    const double now = MPI_Wtime();
    if (wait->counted_at > 0 && !wait->uncounted)
        mnp__watch_waited += now - wait->counted_at;
    wait->counted_at = now;
}

mnp_status mnp__watch_round(mnp__wait *wait)
{
    wait->checked = false;
    if (__builtin_expect(mnp__watch_counts, 0))
        count_wait(wait);
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

/* The failure of waiting past the other deadline for ranks that are busy. */
static mnp_status fail_busy(const mnp__wait *wait)
{
    const mnp__comm *comm = wait->comm;
    const int rank = mnp__pulse_busy(comm->pulse);
    char name[32] = "another rank";
    if (rank >= 0)
        snprintf(name, sizeof name, "rank %d", rank);
    if (!comm->watch->lost)
        lose(comm->watch, (loss){.rank = rank, .how = BUSY});
    return MNP_FAIL(MNP_ERR_TIMEOUT, "%s has been busy for %g seconds while others waited (MANIPLE_BUSY_DEADLINE)",
                    name, limit_of(wait));
}

mnp_status mnp__watch_end(const mnp__wait *wait, mnp_status status, int rank)
{
    if (status != MNP_ERR_TIMEOUT)
        return status;
    if (wait->busy)
        return fail_busy(wait);
    return wait->alone ? fail_late(wait->comm, rank, wait->what) : mnp__watch_timeout(wait->comm, rank, wait->what);
}

mnp_status mnp__watch_requests(const mnp__comm *comm, int count, MPI_Request *requests, const char *call)
{
    mnp__wait wait = mnp__watch_begin(comm, NULL);
    wait.busy = true;
    wait.before_sleep = MNP__SLEEP_LATE;
    for (;;) {
        int complete;
        MNP_TRY(mnp__mpi_status(MPI_Testall(count, requests, &complete, MPI_STATUSES_IGNORE), call));
        if (complete)
            return MNP_OK;
        const mnp_status st = mnp__watch_round(&wait);
        if (st != MNP_OK)
            return mnp__watch_end(&wait, st, -1);
    }
}
