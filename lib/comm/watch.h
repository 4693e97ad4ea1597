/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch: how a rank waits for others, and learns that one of them is lost.
 *
 * A rank is lost when its process has ended or is stopped, which its peers notice (peers.h, pulse.h), or when another
 * has given up waiting for it.  The rank that finds out sends all others a message, which they look for while they
 * wait.  From then on every agreement and exchange fails with MNP_ERR_PEER and the number of the lost rank; requests
 * and buffers that MPI was given are left to it; and waits on the GPU are ended: NCCL is aborted, and kernels that wait
 * return (waits.h).
 */
#ifndef MNP__COMM_WATCH_H
#define MNP__COMM_WATCH_H

#include <stdbool.h>

#include "comm/comm.h"

enum { MNP__TAG_LOST = 1000, MNP__TAG_AGREE }; /* of messages in the world's communicator; agreement uses 32 tags */

mnp_status mnp__watch_new(const mnp__comm *world, mnp__watch **watch_p);
void mnp__watch_free(mnp__watch *watch); /* NULL is accepted */

/*
 * One wait of this rank for others, round after round: at first a round does nothing, then it lets go of the processor,
 * and now and then it looks at the clock, lets MPI move on, and asks whether all ranks are there.
 */
typedef struct mnp__wait {
    const mnp__comm *comm;
    const char *what; /* that the others take part in; NULL: it may last as long as it takes */
    bool busy;        /* the others may be busy with something else, so that MANIPLE_BUSY_DEADLINE holds */
    int spins;        /* rounds that do nothing */
    /* seconds after which the rank sleeps between rounds; 0: never, as MPI sends and receives much meanwhile */
    double before_sleep;
    bool sleeps;  /* it does */
    bool alone;   /* it is not asked whether all ranks are there, and none is given up on */
    bool checked; /* the last round looked at the clock */
    int rounds;
    double begin, since; /* of the wait; of the deadline, 0 if the next check begins it */
    double checked_at, looked_at;
    double counted_at; /* mnp__watch_counts: up to when the wait is counted; 0: not yet */
    bool uncounted;    /* it waits for this rank's own device */
} mnp__wait;

/*
 * Sleeping makes a wait about 0.1 ms longer.  Ranks that wait for each other, and may be more than there are cores,
 * leave them soon to those that are waited for: a yield returns at once where only other waiting ranks are ready to
 * run.
 */
#define MNP__SLEEP_SOON 0.0005
#define MNP__SLEEP_LATE 0.005

/*
 * For profiles: whether this thread's communication is counted; how long it has waited for other ranks since; and what
 * it has sent to them: bytes of arrays, the messages or runs of stores in which they went, one for each receiver, and
 * collectives, of which reductions count no bytes.  What a graph repeats is counted when it is recorded.
 */
typedef struct mnp__traffic {
    int64_t bytes, messages, collectives;
} mnp__traffic;
extern _Thread_local bool mnp__watch_counts;
extern _Thread_local double mnp__watch_waited;
extern _Thread_local mnp__traffic mnp__watch_sent;

/* Count what goes to that many receivers, if it is to be counted. */
void mnp__watch_send(int64_t bytes, int64_t messages);

/* A wait for `what`, as in "did not take part in an exchange". */
mnp__wait mnp__watch_begin(const mnp__comm *comm, const char *what);

/*
 * A round of it, after nothing came.  MNP_ERR_PEER if a rank is lost; MNP_ERR_TIMEOUT, still without a sentence, if the
 * deadline is over.  Either goes to mnp__watch_end(), which gives up on `rank` of the world (-1: it cannot tell which)
 * where the deadline is over, and returns the failure with its sentence.
 */
mnp_status mnp__watch_round(mnp__wait *wait);
mnp_status mnp__watch_end(const mnp__wait *wait, mnp_status status, int rank);

/* Something came: the wait, and its deadline, begin anew. */
void mnp__watch_restart(mnp__wait *wait);

/* The failure of waiting for a rank past the deadline, as above. */
mnp_status mnp__watch_timeout(const mnp__comm *comm, int rank, const char *what);

/* Whether a rank is lost, as far as this one has heard. */
bool mnp__watch_lost(const mnp__comm *comm);

/* Look at once.  MNP_ERR_PEER if a rank is lost. */
mnp_status mnp__watch_look(const mnp__comm *comm);

/* This rank gives up waiting for the world's `rank` (-1: it cannot tell which), which is lost then for all ranks. */
void mnp__watch_give_up(const mnp__comm *comm, int rank);

/*
 * See requests of MPI through, as long as all ranks are there, and none is busy for longer than MANIPLE_BUSY_DEADLINE;
 * `call` made them.  MNP_ERR_COMM, MNP_ERR_PEER, MNP_ERR_TIMEOUT.
 */
mnp_status mnp__watch_requests(const mnp__comm *comm, int count, MPI_Request *requests, const char *call);

/*
 * Memory for what MPI sends and receives in a call that may be left before MPI is through: if a rank is lost it is not
 * used again.  Valid until the next call.  MNP_ERR_MEMORY; MNP_ERR_PEER if a rank is lost.
 */
mnp_status mnp__watch_room(const mnp__comm *comm, size_t size, void **room_p);

#endif
