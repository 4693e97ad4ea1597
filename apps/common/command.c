/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The start of the command, and its end after a failure.
 */
#define _GNU_SOURCE /* nftw() */
#include "common/command.h"
#include "report/progress.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "common/words.h"

extern char **environ; /* POSIX has it without a header */

/* ---- who starts ---- */

/* This process's number in its job, as the launcher tells it; NULL without a launcher. */
static const char *launched_number(void)
{
    /* Set by Open MPI, by launchers that know PMIx or PMI, and others; the nearest to the process comes first */
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",          "PMI_RANK",
                                            "MV2_COMM_WORLD_RANK",  "JSM_NAMESPACE_RANK", "PALS_RANKID",
                                            "FLUX_TASK_RANK",       "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return rank;
    }
    return NULL;
}

bool first_process(void)
{
    const char *number = launched_number();
    return !number || strcmp(number, "0") == 0;
}

static char mpi_folder[1024]; /* where Open MPI has its files; "": none of ours */

#ifdef OPEN_MPI
/*
 * Tell Open MPI that this process is alone: it needs no daemon that could spawn others, and looks for no networks.
 * That is most of the time that a small run takes.  What the user has set counts.
 */
static void tell_open_mpi(void)
{
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self", 0);
    /* hwloc need not read the configuration of PCI devices, nor ask X servers, of which a process alone makes no use */
    setenv("HWLOC_COMPONENTS", "-linuxio", 0);
    setenv("HWLOC_PLUGINS_PATH", "/none", 0);
#if OMPI_MAJOR_VERSION < 5 /* later ones start no daemon before they need one */
    /* Such processes would all use one folder, and each would remove it at its end; Open MPI removes this one too */
    static const char name[] = "maniple-mpi-XXXXXX";
    const char *temporary = getenv("TMPDIR");
    char folder[sizeof mpi_folder];
    int length = snprintf(folder, sizeof folder, "%s/%s", temporary && *temporary ? temporary : "/tmp", name);
    if (getenv("OMPI_MCA_ess_singleton_isolated") || getenv("OMPI_MCA_orte_jobfam_session_dir") || length < 0 ||
        (size_t)length >= sizeof folder || !mkdtemp(folder))
        return;
    setenv("OMPI_MCA_orte_jobfam_session_dir", folder, 1);
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
    strcpy(mpi_folder, folder);
#endif
}
#endif

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

/* What Open MPI has not removed, where the command has to end without it. */
static void remove_mpi_folder(void)
{
    if (*mpi_folder)
        nftw(mpi_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/*
 * Name the variables that look like settings and are none, which would otherwise have no effect without a word.  Those
 * of Maniple's own tests and of its package for Python are left out.
 */
static void warn_of_variables(const mnp_setting_info *settings)
{
    static const char prefix[] = "MANIPLE_";
    static const char *const others[] = {"TEST_", "LIBRARY=", "GATHER_LIMIT="};
    enum { SKIPPED = sizeof prefix - 1, MOST = 64 };
    const char *names[MOST + 1] = {NULL};
    for (int i = 0; settings[i].name && i < MOST; i++) {
        names[i] = settings[i].name + SKIPPED;
        if (strcmp(settings[i].name, "MANIPLE_LOG") == 0 && strncmp(settings[i].value, "error", 5) == 0)
            return;
    }
    for (char **variable = environ; *variable; variable++) {
        char name[128];
        const char *rest = *variable + SKIPPED;
        if (strncmp(*variable, prefix, SKIPPED) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "="), rest);
        bool known = false;
        for (int i = 0; names[i]; i++)
            known = known || strcmp(names[i], name) == 0;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known = known || strncmp(rest, others[i], strlen(others[i])) == 0;
        const char *nearest = known ? NULL : nearest_word(name, names);
        if (nearest)
            fprintf(stderr, "maniple: there is no setting %s%s; did you mean %s%s?\n", prefix, name, prefix, nearest);
        else if (!known)
            fprintf(stderr, "maniple: there is no setting %s%s; 'maniple info --settings' lists them\n", prefix, name);
    }
}

mnp_ctx *command_begin(const char *options)
{
    mnp_ctx *ctx = NULL;
#ifdef OPEN_MPI
    if (!launched_number())
        tell_open_mpi();
#endif
    OR_EXIT(mnp_init(MPI_COMM_WORLD, options, &ctx));
    if (mnp_ctx_rank(ctx) == 0)
        warn_of_variables(mnp_ctx_settings(ctx));
    return ctx;
}

/* ---- the end ---- */

/* Let the message that mnp_exit() will print be in the words of the command. */
static void say_in_our_words(mnp_status status)
{
    const char *message = words_message();
    if (message != mnp_error_message())
        mnp_fail(status, "%s", message);
}

void misused_exit(void)
{
    if (first_process()) {
        say_in_our_words(MNP_ERR_ARG);
        mnp_exit(EXIT_MISUSED);
    }
    exit(
        EXIT_SUCCESS); /* the job's status is that of the first process; mpirun would end that one before its message */
}

/* A rank that failed because of another gives the lower status, and all end with the highest. */
static int status_of(mnp_status status)
{
    return status == MNP_ERR_ARG || status == MNP_ERR_FORMAT ? EXIT_MISUSED : EXIT_FAILED;
}

void command_exit(mnp_status status)
{
    progress_end();
    atexit(remove_mpi_folder);
    say_in_our_words(status);
    mnp_exit(status_of(status));
}

int command_say(mnp_ctx *ctx, const char *before, mnp_status status)
{
    if (status == MNP_OK)
        return EXIT_SUCCESS;
    progress_clear();
    if (mnp_ctx_rank(ctx) == 0)
        fprintf(stderr, "maniple: %s%s\n", before, words_message());
    int exit_status = status_of(status);
    all_reduce(ctx, &exit_status, 1, MPI_INT, MPI_MAX);
    return exit_status;
}

void all_reduce(mnp_ctx *ctx, void *values, int count, MPI_Datatype type, MPI_Op op)
{
    mnp_mpi_begin(ctx, "a sum over all ranks");
    MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, mnp_ctx_comm(ctx));
    mnp_mpi_end(ctx);
}

void reduce_to_first(mnp_ctx *ctx, void *values, int count, MPI_Datatype type, MPI_Op op)
{
    const bool root = mnp_ctx_rank(ctx) == 0;
    mnp_mpi_begin(ctx, "a sum over all ranks");
    MPI_Reduce(root ? MPI_IN_PLACE : values, values, count, type, op, 0, mnp_ctx_comm(ctx));
    mnp_mpi_end(ctx);
}

void broadcast(mnp_ctx *ctx, void *values, int count, MPI_Datatype type)
{
    mnp_mpi_begin(ctx, "a message to all ranks");
    MPI_Bcast(values, count, type, 0, mnp_ctx_comm(ctx));
    mnp_mpi_end(ctx);
}

int close_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "maniple: standard output cannot be written: %s\n", strerror(errno ? errno : EIO));
    return status == EXIT_SUCCESS ? EXIT_FAILED : status;
}
