/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple solve: going on in the same job of Slurm after its limit of time (--requeue).
 *
 * Slurm sends the signal of `sbatch --signal=USR1@SECONDS` to the ranks that long before the limit.  The next time that
 * the solver looks, the ranks agree that one of them was warned, and save their iterate; `scontrol requeue` puts the
 * job back into the queue, and the command ends.  The same command line then finds the checkpoint and goes on from it,
 * as it does where Slurm has requeued the job by itself: for a job that comes first, or because a node has died.
 *
 * How often a job has been requeued is told by Slurm, in SLURM_RESTART_COUNT.
 */
#include "solve/solve.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "common/command.h"
#include "report/progress.h"

extern char **environ; /* POSIX has it without a header */

static volatile sig_atomic_t warned;

static void note_warning(int number)
{
    (void)number;
    warned = 1;
}

void requeue_listen(const job *j)
{
    struct sigaction action = {.sa_handler = note_warning, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (j->requeues > 0)
        sigaction(SIGUSR1, &action, NULL);
}

/* How often Slurm has started this job again, as all ranks know it. */
static int times_requeued(const job *j)
{
    const char *count = getenv("SLURM_RESTART_COUNT");
    int times = count ? atoi(count) : 0;
    broadcast(j->ctx, &times, 1, MPI_INT);
    return times;
}

/* Why a run that is warned goes on to the limit. */
static void say_why_not(const job *j, bool is_saved)
{
    progress_clear();
    if (is_saved)
        fprintf(stderr,
                "maniple solve: the job is near its limit of time, and was requeued %d time%s, as --requeue allows: it "
                "goes on to the limit; iteration %" PRId64 " is saved in %s\n",
                j->requeues, j->requeues == 1 ? "" : "s", j->saved, j->checkpoint);
    else
        fprintf(stderr,
                "maniple solve: the job is near its limit of time, and is not requeued, as its iterate cannot be saved "
                "in %s: it goes on to the limit\n",
                j->checkpoint);
}

bool requeue_is_due(job *j, int64_t iteration, const mnp_array *x)
{
    const int64_t unsaved = j->unsaved;
    int any = warned;
    if (j->requeues == 0 || j->warned)
        return false;
    all_reduce(j->ctx, &any, 1, MPI_INT, MPI_MAX);
    if (!any)
        return false;
    j->warned = true;
    if (j->saved != iteration + j->done || unsaved > 0) /* the last checkpoint may be one that could not be written */
        checkpoint_save(j, iteration, x);
    j->saved = iteration + j->done;
    const bool is_saved = j->unsaved == unsaved;
    j->leaves = is_saved && times_requeued(j) < j->requeues;
    if (!j->leaves && mnp_ctx_rank(j->ctx) == 0)
        say_why_not(j, is_saved);
    return j->leaves;
}

/* Run `scontrol requeue JOB`; whether it succeeded. */
static bool requeue(const char *number)
{
    char *const arguments[] = {(char[]){"scontrol"}, (char[]){"requeue"}, (char *)(uintptr_t)number, NULL};
    pid_t process;
    int status;
    if (posix_spawnp(&process, "scontrol", NULL, NULL, arguments, environ) != 0)
        return false;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int requeue_job(const job *j)
{
    const char *number = getenv("SLURM_JOB_ID");
    const int times = times_requeued(j);
    int done = 1;
    if (mnp_ctx_rank(j->ctx) == 0) {
        char what[128];
        progress_clear();
        snprintf(what, sizeof what, "iteration %" PRId64 " is saved in", j->saved);
        if (!number) {
            fprintf(stderr, "maniple solve: %s %s; this is no job of Slurm: the same command goes on from there\n",
                    what, j->checkpoint);
        } else {
            if (!j->result.quiet)
                fprintf(stderr,
                        "maniple solve: the job is near its limit of time: %s %s, and job %s is requeued, for time %d "
                        "of %d\n",
                        what, j->checkpoint, number, times + 1, j->requeues);
            fflush(stderr); /* Slurm ends this process soon */
            done = requeue(number);
            if (!done)
                fprintf(stderr,
                        "maniple solve: 'scontrol requeue %s' has failed; %s %s, and the same command goes on from "
                        "there\n",
                        number, what, j->checkpoint);
        }
    }
    broadcast(j->ctx, &done, 1, MPI_INT);
    return done ? EXIT_REQUEUED : EXIT_FAILED;
}
