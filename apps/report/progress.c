/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress line.  The run writes down where it is, under a lock, and a thread looks there five times a second.
 */
#include "report/progress.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/command.h"

static const double SHORT = 2, SOON = 1, SELDOM = 10; /* seconds */
static const long LOOK = 200000000;                   /* nanoseconds between two looks */

static struct progress {
    const char *subcommand;
    bool asked; /* by the option */
    bool shown; /* on rank 0, as all ranks know */
    bool runs;  /* the thread runs: on rank 0 */
    bool on_terminal;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ended;
    bool ends, dirty;           /* dirty: there is a line on the terminal */
    char doing[96], words[160]; /* what the stage is; what is shown instead of the numbers, or "" */
    const char *unit;
    double amount, done, before, after; /* of the stage */
    double heard;                       /* what the library told last; negative: it is not listened to */
    double begun, told, printed;        /* when the stage began, `done` was told, the last line was printed */
} p = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the line ---- */

static void print_duration(double seconds)
{
    const long s = (long)(seconds + 0.5);
    if (s < 120)
        fprintf(stderr, "%ld s", s);
    else if (s < 7200)
        fprintf(stderr, "%ld min", (s + 30) / 60);
    else
        fprintf(stderr, "%ld h %ld min", s / 3600, s % 3600 / 60);
}

static void print_rate(double rate)
{
    static const char prefixes[] = {0, 'k', 'M', 'G', 'T', 'P'};
    size_t i = 0;
    for (; rate >= 1000 && i + 1 < sizeof prefixes; i++)
        rate /= 1000;
    fprintf(stderr, ", %.3g ", rate);
    if (prefixes[i])
        fputc(prefixes[i], stderr);
    fprintf(stderr, "%s/s", p.unit);
}

/* The whole line, from the stage's state. */
static void print_line(double now)
{
    const double passed = now - p.begun;
    fprintf(stderr, "%smaniple %s: %s, ", p.on_terminal ? "\r" : "", p.subcommand, p.doing);
    if (*p.words) {
        fputs(p.words, stderr);
    } else if (p.done > 0) {
        const double all = (p.told - p.begun) / p.done, left = all > passed ? all - passed : passed / p.done - passed;
        fprintf(stderr, "%.0f %%", 100 * p.done);
        if (p.amount > 0)
            print_rate(p.amount * p.done / (p.told - p.begun));
        fputs(", ", stderr);
        print_duration(left);
        fputs(" left", stderr);
    } else {
        print_duration(passed);
    }
    fputs(p.on_terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
    p.dirty = p.on_terminal;
    p.printed = now;
}

/* Remove the line.  The caller holds the lock. */
static void clear(void)
{
    if (p.dirty)
        fputs("\r\033[K", stderr);
    p.dirty = false;
}

/* Whether the stage takes long enough to be shown, and the last line is old enough. */
static bool is_due(double now)
{
    const double passed = now - p.begun;
    const bool is_long = passed >= SHORT || (passed >= SOON && p.done > 0 && (p.told - p.begun) / p.done >= SHORT);
    return *p.doing && is_long && (p.on_terminal || now - p.printed >= SELDOM);
}

static void *show(void *nothing)
{
    (void)nothing;
    pthread_mutex_lock(&p.lock);
    while (!p.ends) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p.ended, &p.lock, &until);
        if (!p.ends && is_due(seconds_now()))
            print_line(seconds_now());
    }
    clear();
    pthread_mutex_unlock(&p.lock);
    return NULL;
}

/* So much of the part is done.  The caller holds the lock. */
static void tell(double done)
{
    p.done = p.before + (p.after - p.before) * done;
    p.told = seconds_now();
}

/* ---- begin and end ---- */

/* Whether standard error is a terminal, or is sent to that of mpirun, which is the parent on the first host. */
static bool has_terminal(void)
{
    char path[64];
    if (isatty(STDERR_FILENO))
        return true;
    if (!getenv("OMPI_COMM_WORLD_RANK"))
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), STDERR_FILENO);
    const int file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    const bool is_terminal = file >= 0 && isatty(file);
    if (file >= 0)
        close(file);
    return is_terminal;
}

/*
 * Called by the library.  Where a call consists of several steps, of which it tells one after the other, only the first
 * counts, and a stage that is such a call has no percentage.
 */
static void hear(void *nothing, double done)
{
    (void)nothing;
    pthread_mutex_lock(&p.lock);
    if (p.heard >= 0 && done < p.heard) {
        p.heard = -1;
        p.done = p.before == 0 && p.after == 1 ? 0 : p.done;
    } else if (p.heard >= 0) {
        p.heard = done;
        tell(done);
    }
    pthread_mutex_unlock(&p.lock);
}

/* Start the thread, which leaves signals to the others. */
static bool start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&p.thread, NULL, show, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

void progress_ask(void)
{
    p.asked = true;
}

void progress_begin(mnp_ctx *ctx, const char *subcommand, bool quiet)
{
    int shown = 0;
    p.subcommand = subcommand;
    p.on_terminal = has_terminal();
    if (mnp_ctx_rank(ctx) == 0)
        shown = p.runs = (p.asked || (p.on_terminal && !quiet)) && start();
    broadcast(ctx, &shown, 1, MPI_INT);
    p.shown = shown;
    if (p.runs)
        mnp_ctx_set_progress(ctx, hear, NULL);
}

bool progress_shown(void)
{
    return p.shown;
}

void progress_clear(void)
{
    if (!p.runs)
        return;
    pthread_mutex_lock(&p.lock);
    clear();
    pthread_mutex_unlock(&p.lock);
}

void progress_end(void)
{
    if (!p.runs)
        return;
    pthread_mutex_lock(&p.lock);
    p.ends = true;
    pthread_cond_signal(&p.ended);
    pthread_mutex_unlock(&p.lock);
    pthread_join(p.thread, NULL);
    p.runs = false;
}

/* ---- where the run is ---- */

void progress_stage(double amount, const char *unit, const char *format, ...)
{
    va_list arguments;
    if (!p.runs)
        return;
    pthread_mutex_lock(&p.lock);
    va_start(arguments, format);
    vsnprintf(p.doing, sizeof p.doing, format, arguments);
    va_end(arguments);
    p.amount = amount;
    p.heard = amount > 0 ? 0 : -1;
    p.unit = unit;
    p.words[0] = '\0';
    p.begun = seconds_now();
    p.done = p.before = 0;
    p.after = 1;
    pthread_mutex_unlock(&p.lock);
}

void progress_part(double before, double after)
{
    if (!p.runs)
        return;
    pthread_mutex_lock(&p.lock);
    p.before = before;
    p.after = after;
    p.heard = 0;
    tell(0);
    pthread_mutex_unlock(&p.lock);
}

void progress_at(double done)
{
    if (!p.runs)
        return;
    pthread_mutex_lock(&p.lock);
    tell(done);
    pthread_mutex_unlock(&p.lock);
}

void progress_say(const char *format, ...)
{
    va_list arguments;
    if (!p.runs)
        return;
    pthread_mutex_lock(&p.lock);
    va_start(arguments, format);
    vsnprintf(p.words, sizeof p.words, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&p.lock);
}
