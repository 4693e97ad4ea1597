/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team: the threads on which the host device runs kernels.  It never waits for a thread that has not begun.
 *
 * The work is divided into shares.  Each thread first takes the share of its own number, so that it finds the memory
 * that it used before, and then any share that nobody has taken; the caller is thread 0.  Where other programs keep the
 * processor busy, the caller does the shares of threads that are not given one.  A thread without work spins for
 * SPIN_SECONDS, as small kernels follow each other closely, and then sleeps.
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
enum { MNP__MOST_THREADS = 4096 };
mnp_status mnp__team_new(int threads, mnp__team **team_p);
void mnp__team_free(mnp__team *team); /* NULL is accepted */

/*
 * Call work(argument, share, shares) once for each share, 0 to shares - 1, and return when all calls have.  Shares run
 * in any order, several at a time or one after the other, so none may wait for another.  shares: at most the number of
 * threads of the team.  One thread at a time may use a team.
 */
typedef void (*mnp__team_work)(const void *argument, int share, int shares);
void mnp__team_run(mnp__team *team, mnp__team_work work, const void *argument, int shares);

#endif
