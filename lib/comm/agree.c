/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failing together: agreement on a status, MPI's own errors, small collectives that notice a lost rank, and the end of
 * a program.
 */
#include <config.h>

#include "comm/comm.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/process/leftovers.h"
#include "base/status.h"
#include "comm/pulse.h"
#include "comm/waits.h"
#include "comm/watch.h"

enum { SECONDS_TO_END = 10 };

/* Whether an error of MPI says that a process is gone.  Only some libraries can tell. */
static bool is_lost(int code)
{
#if defined MPI_ERR_PROC_FAILED || defined MPIX_ERR_PROC_FAILED
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
#ifdef MPI_ERR_PROC_FAILED
    return class == MPI_ERR_PROC_FAILED;
#else
    return class == MPIX_ERR_PROC_FAILED;
#endif
#else
    (void)code;
    return false;
#endif
}

mnp_status mnp__mpi_status(int code, const char *call)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return MNP_OK;
    MPI_Error_string(code, words, &length);
    return MNP_FAIL(is_lost(code) ? MNP_ERR_PEER : MNP_ERR_COMM, "%s failed: %s", call, words);
}

/* Round k of a collective: a message to one rank, and one of the same kind from another. */
static mnp_status meet(const mnp__comm *comm, int k, int to, const void *send, int from, void *recv, size_t size)
{
    MPI_Request requests[2];
    const int tag = MNP__TAG_AGREE + k;
    MNP_TRY(mnp__mpi_status(MPI_Irecv(recv, (int)size, MPI_BYTE, from, tag, comm->mpi, &requests[0]), "MPI_Irecv"));
    MNP_TRY(mnp__mpi_status(MPI_Isend(send, (int)size, MPI_BYTE, to, tag, comm->mpi, &requests[1]), "MPI_Isend"));
    return mnp__watch_requests(comm, 2, requests, "MPI_Testall");
}

/* The rank so many places after this one, around. */
static int rank_after(const mnp__comm *comm, int places)
{
    return (int)(((long)comm->rank + comm->size + places) % comm->size);
}

/*
 * The least of all ranks' values, by dissemination (D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier
 * synchronization", 1988): in round k a rank tells the one 2^k after it what it knows, and hears from the one 2^k
 * before it.  MPI's own collectives that can be left, those that do not block, take several times as long.
 */
static mnp_status find_least(const mnp__comm *comm, int *value)
{
    int(*rounds)[2]; /* what is sent and received in each */
    MNP_TRY(mnp__watch_room(comm, 32 * sizeof *rounds, (void **)&rounds));
    for (int k = 0; k < 31 && comm->size > 1 << k; k++) {
        rounds[k][0] = *value;
        MNP_TRY(meet(comm, k, rank_after(comm, 1 << k), &rounds[k][0], rank_after(comm, -(1 << k)), &rounds[k][1],
                     sizeof *value));
        if (rounds[k][1] < *value)
            *value = rounds[k][1];
    }
    return MNP_OK;
}

mnp_status mnp__agree(const mnp__comm *comm, mnp_status status)
{
    char message[MNP__MESSAGE_BYTES] = "";
    if (status == MNP_OK)
        status = mnp__waits_check(comm->waits);
    int lowest = status == MNP_OK ? comm->size : comm->rank;
    if (status == MNP_ERR_TIMEOUT) /* a rank that did not answer will not agree either */
        mnp__watch_give_up(comm, -1);
    if (mnp__watch_lost(comm))
        return status != MNP_OK ? status : mnp__watch_look(comm);
    MNP_TRY(find_least(comm, &lowest));
    if (lowest == comm->size)
        return MNP_OK;
    if (comm->rank == lowest)
        snprintf(message, sizeof message, "%s", mnp_error_message());
    MNP_TRY(mnp__broadcast(comm, message, sizeof message, lowest));
    if (status != MNP_OK)
        return status;
    return MNP_FAIL(MNP_ERR_PEER, "rank %d: %s", lowest, mnp__without_function(message));
}

/* ---- collectives of the CPUs ---- */

/*
 * Everyone's parts, this rank's first and then those of the ranks after it, by the algorithm of J. Bruck and others,
 * "Efficient algorithms for all-to-all communications in multiport message-passing systems", 1997: in round k a rank
 * gets from the one 2^k after it what that has.
 */
static mnp_status gather(const mnp__comm *comm, const void *send, size_t size, char **parts_p)
{
    char *parts;
    MNP_TRY(mnp__watch_room(comm, size * (size_t)comm->size, (void **)&parts));
    memcpy(parts, send, size);
    for (int k = 0; k < 31 && comm->size > 1 << k; k++) {
        const int known = 1 << k, missing = comm->size - known, count = known < missing ? known : missing;
        MNP_TRY(meet(comm, k, rank_after(comm, -known), parts, rank_after(comm, known), parts + (size_t)known * size,
                     (size_t)count * size));
    }
    *parts_p = parts;
    return MNP_OK;
}

mnp_status mnp__all_gather(const mnp__comm *comm, const void *send, void *recv, size_t size)
{
    char *parts;
    const size_t after = size * (size_t)(comm->size - comm->rank), before = size * (size_t)comm->rank;
    MNP_TRY(gather(comm, send, size, &parts));
    memcpy((char *)recv + before, parts, after);
    memcpy(recv, parts + after, before);
    return MNP_OK;
}

mnp_status mnp__all_reduce(const mnp__comm *comm, void *values, int count, MPI_Datatype type, MPI_Op op)
{
    char *parts;
    int bytes;
    MPI_Type_size(type, &bytes);
    const size_t size = (size_t)bytes * (size_t)count;
    MNP_TRY(gather(comm, values, size, &parts));
    for (int r = 1; r < comm->size; r++)
        MNP_TRY(
            mnp__mpi_status(MPI_Reduce_local(parts + (size_t)r * size, values, count, type, op), "MPI_Reduce_local"));
    return MNP_OK;
}

/* Everybody's message to everybody at once; this rank's own is among them. */
mnp_status mnp__all_to_all(const mnp__comm *comm, const void *send, void *recv, size_t size)
{
    const size_t ranks = (size_t)comm->size, all = size * ranks, room = 2 * ranks * sizeof(MPI_Request);
    const int tag = MNP__TAG_AGREE + 31;
    MPI_Request *requests;
    MNP_TRY(mnp__watch_room(comm, room + 2 * all, (void **)&requests));
    char *sent = (char *)requests + room, *received = sent + all;
    memcpy(sent, send, all);
    for (size_t i = 0; i < ranks; i++) {
        const int to = rank_after(comm, (int)i), from = rank_after(comm, -(int)i);
        MNP_TRY(mnp__mpi_status(
            MPI_Irecv(received + (size_t)from * size, (int)size, MPI_BYTE, from, tag, comm->mpi, &requests[2 * i]),
            "MPI_Irecv"));
        MNP_TRY(mnp__mpi_status(
            MPI_Isend(sent + (size_t)to * size, (int)size, MPI_BYTE, to, tag, comm->mpi, &requests[2 * i + 1]),
            "MPI_Isend"));
    }
    MNP_TRY(mnp__watch_requests(comm, 2 * comm->size, requests, "MPI_Testall"));
    memcpy(recv, received, all);
    return MNP_OK;
}

mnp_status mnp__broadcast(const mnp__comm *comm, void *data, size_t size, int root)
{
    MPI_Request request;
    void *room;
    MNP_TRY(mnp__watch_room(comm, size, &room));
    memcpy(room, data, size);
    MNP_TRY(mnp__mpi_status(MPI_Ibcast(room, (int)size, MPI_BYTE, root, comm->mpi, &request), "MPI_Ibcast"));
    MNP_TRY(mnp__watch_requests(comm, 1, &request, "MPI_Ibcast"));
    memcpy(data, room, size);
    return MNP_OK;
}

mnp_status mnp__compare_hashes(const mnp__comm *comm, const char *call, uint64_t hash)
{
    hash = mnp__hash(hash, call, strlen(call));
    uint64_t least[2] = {hash, ~hash}; /* the least of the complements is that of the largest */
    MNP_TRY(mnp__all_reduce(comm, least, 2, MPI_UINT64_T, MPI_MIN));
    if (least[0] != ~least[1])
        return MNP_FAIL(MNP_ERR_ARG, "the ranks do not call %s with the same arguments", call);
    return MNP_OK;
}

/* ---- the end of a program ---- */

/* Whether all ranks arrive here within two seconds; *exit_status then becomes the greatest of theirs. */
static bool all_arrive(int *exit_status)
{
    static int own, greatest; /* MPI may still use them when this returns */
    MPI_Request request;
    int arrived = 0;
    own = *exit_status;
    if (MPI_Iallreduce(&own, &greatest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < 2000 && !arrived; i++) {
        if (MPI_Test(&request, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        if (!arrived)
            nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
    if (arrived)
        *exit_status = greatest;
    return arrived;
}

static volatile sig_atomic_t status_at_limit;

static void end_now(int number)
{
    (void)number;
    _exit(status_at_limit);
}

/* Functions of MPI that end a program may wait for ranks that do not come: then this process ends by itself. */
static void limit_the_end(int exit_status)
{
    status_at_limit = exit_status;
    sigset_t timer;
    sigemptyset(&timer);
    sigaddset(&timer, SIGALRM);
    signal(SIGALRM, end_now);
    pthread_sigmask(SIG_UNBLOCK, &timer, NULL);
    alarm(SECONDS_TO_END);
}

void mnp__abort_job(int rank, const char *sentence, int exit_status)
{
    const int turn = rank < 9 ? rank : 9; /* the lowest rank that is left comes first */
    int started, finished;
    limit_the_end(exit_status);
    nanosleep(&(struct timespec){.tv_nsec = turn * 100000000L}, NULL);
    if (mnp__pulse_speaks())
        fprintf(stderr, "maniple: %s\n", sentence);
    mnp__leftovers_remove();
    MPI_Initialized(&started);
    MPI_Finalized(&finished);
    if (started && !finished)
        MPI_Abort(MPI_COMM_WORLD, exit_status);
    _exit(exit_status);
}

enum { TEXT_BYTES = MNP__MESSAGE_BYTES + 512 };

/*
 * The message of the last error; behind its first line the place in the program, unless `file` is NULL, and where the
 * error was found if the log is to have details.
 */
static void error_text(const char *file, int line, char text[TEXT_BYTES])
{
    const char *log = getenv("MANIPLE_LOG"), *message = mnp_error_message();
    const bool debug = log && strncmp(log, "debug", 5) == 0;
    const int first = (int)strcspn(message, "\n");
    char place[256] = "", origin[256] = "";
    if (file)
        snprintf(place, sizeof place, " (%s:%d)", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
    if (debug)
        snprintf(origin, sizeof origin, " (%s)", mnp_error_origin());
    snprintf(text, TEXT_BYTES, "%.*s%s%s%s", first, message, place, message + first, origin);
}

static bool at_once; /* without MPI_Finalize() and what other libraries do at the end */
static int status_at_end = -1;

static void leave(void)
{
    if (status_at_end >= 0)
        _exit(status_at_end);
}

void mnp__exit_at_once(void)
{
    if (!at_once)
        atexit(leave); /* handlers that were there before, such as HDF5's, are called after this one */
    at_once = true;
}

void mnp_exit(int exit_status)
{
    mnp_exit_at(NULL, 0, exit_status);
}

void mnp_exit_at(const char *file, int line, int exit_status)
{
    int started = 0, finished = 0, rank = 0;
    char text[TEXT_BYTES];
    error_text(file, line, text);
    MPI_Initialized(&started);
    MPI_Finalized(&finished);
    if (!started || finished) {
        fprintf(stderr, "maniple: %s\n", text);
        exit(exit_status);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!all_arrive(&exit_status))
        mnp__abort_job(rank, text, exit_status); /* this rank is alone with its trouble */
    if (rank == 0 && mnp__pulse_speaks())
        fprintf(stderr, "maniple: %s\n", text);
    limit_the_end(exit_status);
    if (at_once) {
        mnp__leftovers_remove();
        fflush(NULL);
        status_at_end = exit_status;
    } else {
        MPI_Finalize();
    }
    exit(exit_status);
}
