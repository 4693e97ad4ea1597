/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pulse: a thread of each rank that shows its peers that the process runs, and ends the job where waiting for one
 * that does not cannot be left.
 *
 * A rank that is stopped (by a signal or a debugger, or as its host has no time or memory for it) looks to the others
 * like one that computes or waits for a disk: it sends nothing, and its sockets are open.  So every rank has a thread
 * that does nothing but count up a word in memory which all peers have mapped, some 40 times within MANIPLE_DEADLINE.
 * The same thread looks at the peers' words: one that has stood still for that long belongs to a rank that is stopped.
 * Time is measured by the thread's own beats, so that nobody is given up on after all ranks were suspended together.
 *
 * Waits of Maniple ask mnp__pulse_stopped() (watch.c), and fail.  A wait inside a call of MPI or HDF5 cannot: there the
 * thread itself prints the sentence and ends the job, if the call has been announced by mnp__pulse_enter().  It does
 * the same where such a call lasts longer than MANIPLE_BUSY_DEADLINE.
 *
 * Ranks of other hosts are not seen.  A stopped one among them is found by its own peers, who tell all others.
 */
#ifndef MNP__COMM_PULSE_H
#define MNP__COMM_PULSE_H

#include <stdbool.h>

#include "base/config.h"
#include "comm/peers.h"

typedef struct mnp__pulse mnp__pulse;

/* Start the thread; *pulse_p is NULL where it cannot be had.  Not collective. */
void mnp__pulse_start(const mnp__config *config, int rank, mnp__pulse **pulse_p);

/*
 * From now on peers see each other; where memory cannot be shared they do not, which is no failure.  Collective over
 * the peers.
 */
void mnp__pulse_meet(mnp__pulse *pulse, const mnp__peers *peers);

/* This rank is through with MPI: wait until all peers are.  One that is stopped now would keep the launcher waiting. */
void mnp__pulse_part(mnp__pulse *pulse);

/*
 * This rank will beat no more, and is missed by nobody.  All functions accept NULL.  Not collective, like the others.
 */
void mnp__pulse_stop(mnp__pulse *pulse);

/* The rank of a peer that is stopped, or -1; and one that is not in a wait of Maniple, or -1. */
int mnp__pulse_stopped(const mnp__pulse *pulse);
int mnp__pulse_busy(const mnp__pulse *pulse);

/* This rank is in a wait of Maniple, which notices by itself what happens to others.  Called again and again. */
void mnp__pulse_is_waiting(mnp__pulse *pulse);

/*
 * Around a call that waits for other ranks and cannot be left: "reading", "x.h5" (or NULL).  Where such calls are
 * nested, the outer one is announced.  Both texts are copied.
 */
void mnp__pulse_enter(mnp__pulse *pulse, const char *doing, const char *what);
void mnp__pulse_leave(mnp__pulse *pulse);

/* Whether this rank may say why the job ends: the first of the peers that asks. */
bool mnp__pulse_speaks(void);

#endif
