/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams of threads: every share of every round is done once and with the round's own argument, whether the threads are
 * awake, asleep, or kept from the processor; and a team waits for no thread that has not begun.
 */
#include <config.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/tap.h"
#include "device/host/team.h"

enum { THREADS = 7 };

typedef struct round_of_work {
    int number;
    _Atomic int *done;     /* for each share, how often it was done */
    _Atomic int *mistaken; /* shares that were done for another round than that under way */
} round_of_work;

static _Atomic int under_way;

static void do_share(const void *argument, int share, int shares)
{
    const round_of_work *r = argument;
    if (r->number != atomic_load(&under_way) || share < 0 || share >= shares)
        atomic_fetch_add(r->mistaken, 1);
    atomic_fetch_add(&r->done[share], 1);
}

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* Rounds of different numbers of shares; before some of them the threads have gone to sleep. */
static bool rounds_are_whole(mnp__team *team, int count, long nanoseconds)
{
    _Atomic int mistaken = 0;
    bool whole = true;
    for (int i = 0; i < count; i++) {
        _Atomic int done[THREADS] = {0};
        const round_of_work r = {.number = i, .done = done, .mistaken = &mistaken};
        const int shares = 1 + i % THREADS;
        atomic_store(&under_way, i);
        mnp__team_run(team, &(mnp__work){.function = do_share, .argument = &r, .shares = shares});
        for (int s = 0; s < THREADS; s++)
            whole = whole && atomic_load(&done[s]) == (s < shares);
        if (nanoseconds > 0)
            pause_for(nanoseconds * (i % 3));
    }
    return whole && atomic_load(&mistaken) == 0;
}

/* ---- a thread that is kept from working ---- */

typedef struct held {
    pthread_t caller;
    _Atomic int others; /* shares that other threads than the caller did */
    _Atomic int done;
} held;

/* The first share that another thread takes holds that thread until the caller has done all the others. */
static void do_held(const void *argument, int share, int shares)
{
    held *h = (held *)argument;
    (void)share;
    if (!pthread_equal(pthread_self(), h->caller) && atomic_fetch_add(&h->others, 1) == 0) {
        while (atomic_load(&h->done) < shares - 1)
            pause_for(1000);
    }
    atomic_fetch_add(&h->done, 1);
}

static bool others_go_on(mnp__team *team)
{
    held h = {.caller = pthread_self()};
    for (int i = 0; i < 100; i++) {
        atomic_store(&h.others, 0);
        atomic_store(&h.done, 0);
        mnp__team_run(team, &(mnp__work){.function = do_held, .argument = &h, .shares = THREADS});
        if (atomic_load(&h.done) != THREADS)
            return false;
    }
    return true;
}

int main(void)
{
    mnp__team *team = NULL, *alone = NULL;
    ok(mnp__team_new(THREADS, &team) == MNP_OK, "a team");
    ok(rounds_are_whole(team, 20000, 0), "rounds that follow each other");
    ok(rounds_are_whole(team, 200, 300000), "rounds after threads have gone to sleep");
    ok(others_go_on(team), "shares of a thread that is held are done by others");
    mnp__team_free(team);
    ok(mnp__team_new(1, &alone) == MNP_OK && rounds_are_whole(alone, 1, 0), "a team of the caller alone");
    mnp__team_free(alone);
    mnp__team_free(NULL);
    int made = 0;
    for (; made < 50 && mnp__team_new(THREADS, &team) == MNP_OK && rounds_are_whole(team, made % 2, 0); made++)
        mnp__team_free(team);
    ok(made == 50, "teams that end while their threads start");
    return done_testing();
}
