/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread of the pulse, and the memory in which peers see each other's. */
#define _GNU_SOURCE /* memfd_create */

#include "comm/pulse.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/process/thread.h"
#include "base/status.h"
#include "comm/comm.h"

enum { BEATS_A_DEADLINE = 40, LINE = 64, STACK = 512 << 10 };

/* What a rank shows its peers, alone in a cache line. */
typedef struct beat {
    _Alignas(LINE) _Atomic uint64_t count; /* of the thread's beats; 0: it has none yet, or none any more */
    _Atomic uint64_t waiting;              /* the count when the rank was last in a wait of Maniple */
    atomic_int over;                       /* it is through with MPI */
    atomic_int spoken;                     /* of the first peer: one has said why the job ends */
} beat;

typedef struct seen {
    uint64_t count, since; /* of the peer's beats, and of this rank's when that was new */
} seen;

struct mnp__pulse {
    int rank;
    double deadline, busy_deadline; /* seconds */
    struct timespec pause;          /* between two beats */
    double seconds;                 /* the same */
    pthread_t thread;
    pthread_mutex_t mutex; /* of all below that is not atomic */
    pthread_cond_t stop;
    bool stopping;
    int count, mine; /* peers */
    int *ranks;
    beat *beats, alone; /* of all peers, in shared memory, or this rank's alone */
    seen *seen;
    atomic_int stopped; /* the number of a peer that is; -1: none */
    int depth;          /* of calls that cannot be left */
    uint64_t entered;   /* the count when the innermost began */
    char call[256];
};

static beat *own_beat(const mnp__pulse *pulse)
{
    return &pulse->beats[pulse->mine];
}

/* The beat of the context that was made last: a process that ends the job may not know its contexts any more. */
static _Atomic(beat *) first_beat;

bool mnp__pulse_speaks(void)
{
    beat *first = atomic_load(&first_beat);
    return !first || atomic_exchange(&first->spoken, 1) == 0;
}

/* ---- the thread ---- */

/* How many beats there are in so many seconds. */
static uint64_t beats_in(const mnp__pulse *pulse, double seconds)
{
    const double beats = seconds / pulse->seconds + 1;
    return beats < 1e18 ? (uint64_t)beats : UINT64_MAX / 2;
}

static void look_at_peers(mnp__pulse *pulse, uint64_t now)
{
    int stopped = -1;
    for (int i = 0; i < pulse->count; i++) {
        const uint64_t count = atomic_load(&pulse->beats[i].count);
        if (count != pulse->seen[i].count || count == 0)
            pulse->seen[i] = (seen){count, now};
        else if (i != pulse->mine && now - pulse->seen[i].since > beats_in(pulse, pulse->deadline))
            stopped = i;
    }
    atomic_store(&pulse->stopped, stopped);
}

/* Whether the main thread is where it cannot be reached: not in a wait of Maniple, which would notice by itself. */
static bool is_out_of_reach(const mnp__pulse *pulse, uint64_t now)
{
    return pulse->depth > 0 && now - atomic_load(&own_beat(pulse)->waiting) > 2;
}

static void look_at_call(mnp__pulse *pulse, uint64_t now)
{
    char sentence[512];
    const int rank = mnp__pulse_stopped(pulse);
    if (!is_out_of_reach(pulse, now))
        return;
    if (rank >= 0)
        snprintf(
            sentence, sizeof sentence,
            "rank %d is stopped: it has not moved for %g seconds (MANIPLE_DEADLINE), and %s cannot go on without it",
            rank, pulse->deadline, pulse->call);
    else if (now - pulse->entered > beats_in(pulse, pulse->busy_deadline))
        snprintf(sentence, sizeof sentence, "%s has lasted for %g seconds (MANIPLE_BUSY_DEADLINE)", pulse->call,
                 pulse->busy_deadline);
    else
        return;
    pthread_mutex_unlock(&pulse->mutex);
    mnp__abort_job(pulse->rank, sentence, 1);
}

/* The time of the next beat. */
static struct timespec after_pause(const mnp__pulse *pulse)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += pulse->pause.tv_sec;
    time.tv_nsec += pulse->pause.tv_nsec;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

static void *run(void *argument)
{
    mnp__pulse *pulse = argument;
    pthread_mutex_lock(&pulse->mutex);
    while (!pulse->stopping) {
        const struct timespec next = after_pause(pulse);
        const uint64_t now = atomic_fetch_add(&own_beat(pulse)->count, 1) + 1;
        look_at_peers(pulse, now);
        look_at_call(pulse, now);
        pthread_cond_timedwait(&pulse->stop, &pulse->mutex, &next);
    }
    pthread_mutex_unlock(&pulse->mutex);
    return NULL;
}

/* ---- start and end ---- */

void mnp__pulse_start(const mnp__config *config, int rank, mnp__pulse **pulse_p)
{
    mnp__pulse *pulse = NULL;
    pthread_condattr_t attributes;
    *pulse_p = NULL;
    if (posix_memalign((void **)&pulse, LINE, sizeof *pulse) != 0)
        return;
    *pulse = (mnp__pulse){.rank = rank,
                          .deadline = config->deadline_seconds,
                          .busy_deadline = config->busy_deadline_seconds,
                          .stopped = -1};
    pulse->beats = &pulse->alone;
    pulse->seconds = pulse->deadline / BEATS_A_DEADLINE;
    pulse->seconds = pulse->seconds < 0.01 ? 0.01 : pulse->seconds > 0.5 ? 0.5 : pulse->seconds;
    pulse->pause = (struct timespec){.tv_nsec = (long)(pulse->seconds * 1e9)};
    pthread_mutex_init(&pulse->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&pulse->stop, &attributes);
    pthread_condattr_destroy(&attributes);
    if (mnp__thread_start(&pulse->thread, STACK, run, pulse))
        *pulse_p = pulse;
    else
        free(pulse);
}

/*
 * Memory in which every peer has a beat: that of the first peer, which all map.  NULL where it cannot be had; all take
 * part also then.
 */
static beat *share_beats(const mnp__peers *peers)
{
    const size_t size = (size_t)peers->count * sizeof(beat);
    int *files = NULL, mine = memfd_create("maniple-pulse", MFD_CLOEXEC), all_well = 0;
    int well = mine >= 0 && ftruncate(mine, (off_t)size) == 0 &&
               mnp__calloc((size_t)peers->count, sizeof *files, &files) == MNP_OK;
    void *memory = MAP_FAILED;
    if (MPI_Allreduce(&well, &all_well, 1, MPI_INT, MPI_MIN, peers->mpi) == MPI_SUCCESS && all_well) {
        if (mnp__peers_share(peers, mine, files) == MNP_OK) {
            memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], 0);
            for (int i = 0; i < peers->count; i++)
                close(files[i]);
        }
    } else if (mine >= 0) {
        close(mine);
    }
    free(files);
    return memory == MAP_FAILED ? NULL : memory;
}

void mnp__pulse_meet(mnp__pulse *pulse, const mnp__peers *peers)
{
    const size_t count = (size_t)peers->count;
    int *ranks = NULL;
    seen *seen_of = NULL;
    if (count == 1)
        return;
    beat *beats = share_beats(peers);
    if (!pulse || !beats || mnp__calloc(count, sizeof *ranks, &ranks) != MNP_OK ||
        mnp__calloc(count, sizeof *seen_of, &seen_of) != MNP_OK) {
        if (beats)
            munmap(beats, count * sizeof *beats);
        free(ranks);
        return;
    }
    memcpy(ranks, peers->ranks, count * sizeof *ranks);
    pthread_mutex_lock(&pulse->mutex);
    beat *own = &beats[peers->mine];
    atomic_store(&own->waiting, atomic_load(&pulse->alone.waiting));
    atomic_store(&own->count, atomic_load(&pulse->alone.count));
    pulse->beats = beats;
    atomic_store(&first_beat, beats);
    pulse->mine = peers->mine;
    pulse->count = peers->count;
    pulse->ranks = ranks;
    pulse->seen = seen_of;
    pthread_mutex_unlock(&pulse->mutex);
}

static bool all_are_over(const mnp__pulse *pulse)
{
    bool over = true;
    for (int i = 0; i < pulse->count; i++)
        over = over && atomic_load(&pulse->beats[i].over);
    return over;
}

void mnp__pulse_part(mnp__pulse *pulse)
{
    if (!pulse)
        return;
    atomic_store(&own_beat(pulse)->over, 1);
    mnp__pulse_enter(pulse, "ending", "the job");
    while (!all_are_over(pulse))
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000}, NULL);
    mnp__pulse_leave(pulse);
}

void mnp__pulse_stop(mnp__pulse *pulse)
{
    if (!pulse)
        return;
    pthread_mutex_lock(&pulse->mutex);
    pulse->stopping = true;
    pthread_cond_signal(&pulse->stop);
    pthread_mutex_unlock(&pulse->mutex);
    pthread_join(pulse->thread, NULL);
    atomic_store(&own_beat(pulse)->count, 0);
    beat *first = pulse->beats;
    atomic_compare_exchange_strong(&first_beat, &first, NULL);
    if (pulse->beats != &pulse->alone)
        munmap(pulse->beats, (size_t)pulse->count * sizeof *pulse->beats);
    pthread_cond_destroy(&pulse->stop);
    pthread_mutex_destroy(&pulse->mutex);
    free(pulse->ranks);
    free(pulse->seen);
    free(pulse);
}

/* ---- what the main thread asks and tells ---- */

int mnp__pulse_stopped(const mnp__pulse *pulse)
{
    const int peer = pulse ? atomic_load(&pulse->stopped) : -1;
    return peer < 0 ? -1 : pulse->ranks[peer];
}

int mnp__pulse_busy(const mnp__pulse *pulse)
{
    for (int i = 0; pulse && i < pulse->count; i++) {
        const uint64_t count = atomic_load(&pulse->beats[i].count);
        if (i != pulse->mine && count > atomic_load(&pulse->beats[i].waiting) + 4)
            return pulse->ranks[i];
    }
    return -1;
}

void mnp__pulse_is_waiting(mnp__pulse *pulse)
{
    if (pulse)
        atomic_store(&own_beat(pulse)->waiting, atomic_load(&own_beat(pulse)->count));
}

void mnp__pulse_enter(mnp__pulse *pulse, const char *doing, const char *what)
{
    if (!pulse)
        return;
    pthread_mutex_lock(&pulse->mutex);
    if (pulse->depth++ == 0) {
        snprintf(pulse->call, sizeof pulse->call, "%s%s%s", doing, what ? " " : "", what ? what : "");
        pulse->entered = atomic_load(&own_beat(pulse)->count);
    }
    pthread_mutex_unlock(&pulse->mutex);
}

void mnp__pulse_leave(mnp__pulse *pulse)
{
    if (!pulse)
        return;
    pthread_mutex_lock(&pulse->mutex);
    pulse->depth--;
    pthread_mutex_unlock(&pulse->mutex);
}
