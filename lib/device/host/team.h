/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team: the threads on which the host device runs kernels.  It never waits for a thread that has not begun.
 *
 * The work is divided into shares, as many as there are threads or more.  Each thread begins with shares that follow
 * from its number, so that it finds the memory that it used before, and goes on with any share that nobody has taken;
 * the caller is thread 0.  Where other programs keep the processor busy, the caller does the shares of threads that are
 * not given one.  A thread without work spins for SPIN_SECONDS, as small kernels follow each other closely, and then
 * sleeps.
 *
 * Cost: a microsecond or two if the threads are awake, and some microseconds more for those that sleep.
 */
#ifndef MNP__DEVICE_HOST_TEAM_H
#define MNP__DEVICE_HOST_TEAM_H

#include <maniple/base.h>

typedef struct mnp__team mnp__team;

/*
 * Make a team of so many threads, the caller's included, at most MNP__MOST_THREADS.  If the system gives fewer, the
 * team works with those.  MNP_ERR_MEMORY.
 */
enum { MNP__MOST_THREADS = 4096, MNP__MOST_SHARES = 4096 };
mnp_status mnp__team_new(int threads, mnp__team **team_p);
void mnp__team_free(mnp__team *team); /* NULL is accepted */

/*
 * What is to be done: function(argument, share, shares) is called once for each share, 0 to shares - 1, at most
 * MNP__MOST_SHARES.  Shares run in any order, several at a time or one after the other, so none may wait for another.
 * `progress` is NULL, or the caller calls it between its shares with how much of the work is done, 0 to 1.
 */
typedef struct mnp__work {
    void (*function)(const void *argument, int share, int shares);
    const void *argument;
    int shares;
    void (*progress)(void *argument, double done);
    void *progress_argument;
} mnp__work;

/* Do all shares, and return then.  team: NULL for the caller alone.  One thread at a time may use a team. */
void mnp__team_run(mnp__team *team, const mnp__work *work);

#endif
