/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A team announces work by a ticket, one number that holds the number of the round and that of its shares.  Each share
 * has the number of the round in which it was last taken; a thread takes it by raising that to the number of the round
 * in its ticket.  A round ends when all its shares are done, so a thread that wakes late finds none that it could take,
 * and what it took belongs to the round that is under way.
 *
 * Threads sleep by futex(2): the caller on the number of shares that are not done, and the others on a bell.
 */
#include "device/host/team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/clock.h"
#include "base/status.h"

static const double SPIN_SECONDS = 100e-6, YIELD_AFTER = 10e-6;

enum { SHARE_BITS = 16 };
_Static_assert(MNP__MOST_SHARES < 1 << SHARE_BITS, "a ticket has room for the number of shares");

typedef struct member {
    mnp__team *team;
    int number; /* from 1 */
    pthread_t thread;
} member;

struct mnp__team {
    mnp__work work;             /* of the round under way; written before the ticket */
    _Atomic uint64_t ticket;    /* round << SHARE_BITS | shares */
    _Atomic int left;           /* shares that are not done */
    _Atomic bool caller_sleeps; /* until none is left */
    _Atomic uint32_t bell;      /* rises when sleepers are called */
    _Atomic int sleepers;       /* threads that sleep, or are about to */
    _Atomic bool ends;
    int nmembers; /* threads besides the caller */
    member *members;
    _Atomic uint64_t taken[MNP__MOST_SHARES]; /* for each share, the round in which it was last taken */
};

/* ---- waiting ---- */

static void futex_wait(const void *word, uint32_t value)
{
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(const void *word, int count)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Spin once more; false if a thread that began to spin at `begin` has done so for long enough. */
static bool spins_on(double begin)
{
    for (int i = 0; i < 32; i++)
        relax();
    const double spent = mnp__seconds_now() - begin;
    if (spent > YIELD_AFTER)
        sched_yield(); /* to other programs, and to threads of this team that have shares */
    return spent < SPIN_SECONDS;
}

/* ---- shares ---- */

/* Take a share and do it; false if it has been taken in this round. */
static bool try_share(mnp__team *team, uint64_t round, int share, int shares)
{
    uint64_t last = atomic_load_explicit(&team->taken[share], memory_order_relaxed);
    if (last >= round || !atomic_compare_exchange_strong_explicit(&team->taken[share], &last, round,
                                                                  memory_order_acq_rel, memory_order_relaxed))
        return false;
    team->work.function(team->work.argument, share, shares);
    if (atomic_fetch_sub(&team->left, 1) == 1 && atomic_load(&team->caller_sleeps))
        futex_wake(&team->left, 1);
    return true;
}

/* Tell how much is done. */
static void tell(const mnp__work *work, int left)
{
    if (work->progress)
        work->progress(work->progress_argument, 1 - (double)left / work->shares);
}

/* Do all shares of a ticket that are to be had, beginning with the thread's own; false if there is none. */
static bool work_on(mnp__team *team, uint64_t ticket, int number)
{
    const int shares = (int)(ticket & ((1 << SHARE_BITS) - 1)), threads = team->nmembers + 1;
    const int first = (int)((int64_t)shares * number / threads);
    bool any = false;
    for (int i = 0; i < shares; i++) {
        if (!try_share(team, ticket >> SHARE_BITS, (first + i) % shares, shares))
            continue;
        any = true;
        const int left = number == 0 ? atomic_load_explicit(&team->left, memory_order_relaxed) : 0;
        if (left > 0)
            tell(&team->work, left);
    }
    return any;
}

/* ---- the other threads ---- */

/*
 * Wait for another ticket than the last one; false at the end of the team.  `idle`: when the thread last had a share.
 */
static bool next_ticket(mnp__team *team, double idle, uint64_t *ticket)
{
    const uint64_t last = *ticket;
    while (atomic_load(&team->ticket) == last && spins_on(idle))
        ;
    while (atomic_load(&team->ticket) == last && !atomic_load(&team->ends)) {
        atomic_fetch_add(&team->sleepers, 1);
        const uint32_t bell = atomic_load(&team->bell);
        if (atomic_load(&team->ticket) == last && !atomic_load(&team->ends))
            futex_wait(&team->bell, bell);
        atomic_fetch_sub(&team->sleepers, 1);
    }
    *ticket = atomic_load(&team->ticket);
    return !atomic_load(&team->ends);
}

static void *live(void *argument)
{
    const member *self = argument;
    uint64_t ticket = 0;
    for (double idle = mnp__seconds_now(); next_ticket(self->team, idle, &ticket);) {
        if (work_on(self->team, ticket, self->number))
            idle = mnp__seconds_now();
    }
    return NULL;
}

/* Wake sleepers, if fewer threads than `wanted` are awake. */
static void call_sleepers(mnp__team *team, int wanted)
{
    const int sleepers = atomic_load(&team->sleepers), missing = wanted - (team->nmembers - sleepers);
    if (sleepers == 0 || missing <= 0)
        return;
    atomic_fetch_add(&team->bell, 1);
    futex_wake(&team->bell, missing);
}

/* Start a thread, which leaves signals to the caller's. */
static bool start(mnp__team *team, int number)
{
    sigset_t all, before;
    member *m = &team->members[number - 1];
    *m = (member){.team = team, .number = number};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&m->thread, NULL, live, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

/* ---- the caller ---- */

mnp_status mnp__team_new(int threads, mnp__team **team_p)
{
    mnp__team *team;
    MNP_TRY(mnp__calloc(1, sizeof *team, &team));
    mnp_status st = mnp__calloc((size_t)threads, sizeof *team->members, &team->members);
    if (st != MNP_OK) {
        free(team);
        return st;
    }
    while (team->nmembers < threads - 1 && start(team, team->nmembers + 1))
        team->nmembers++;
    *team_p = team;
    return MNP_OK;
}

void mnp__team_free(mnp__team *team)
{
    if (!team)
        return;
    atomic_store(&team->ends, true);
    call_sleepers(team, team->nmembers);
    for (int i = 0; i < team->nmembers; i++)
        pthread_join(team->members[i].thread, NULL);
    free(team->members);
    free(team);
}

/* Wait until all shares are done. */
static void wait_for_others(mnp__team *team)
{
    int left;
    for (double begin = mnp__seconds_now(); atomic_load(&team->left) > 0 && spins_on(begin);)
        ;
    if (atomic_load(&team->left) == 0)
        return;
    atomic_store(&team->caller_sleeps, true);
    while ((left = atomic_load(&team->left)) > 0)
        futex_wait(&team->left, (uint32_t)left);
    atomic_store(&team->caller_sleeps, false);
}

static void run_alone(const mnp__work *work)
{
    for (int share = 0; share < work->shares; share++) {
        work->function(work->argument, share, work->shares);
        tell(work, work->shares - 1 - share);
    }
}

void mnp__team_run(mnp__team *team, const mnp__work *work)
{
    if (!team || work->shares <= 1) {
        run_alone(work);
        return;
    }
    const uint64_t round = (atomic_load(&team->ticket) >> SHARE_BITS) + 1;
    const uint64_t ticket = round << SHARE_BITS | (uint64_t)work->shares;
    team->work = *work;
    atomic_store(&team->left, work->shares);
    atomic_store(&team->ticket, ticket);
    call_sleepers(team, work->shares - 1);
    work_on(team, ticket, 0);
    wait_for_others(team);
    tell(work, 0);
}
