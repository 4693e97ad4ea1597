/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The start of the command, and its end after a failure.
 */
#include "common/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/words.h"

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

#ifdef OPEN_MPI
/*
 * Tell Open MPI that this process is alone: it needs no daemon that could spawn others, and looks for no networks.  That
 * is most of the time that a small run takes.  What the user has set counts.
 */
static void tell_open_mpi(void)
{
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self", 0);
#if OMPI_MAJOR_VERSION < 5 /* later ones start no daemon before they need one */
    /* Such processes would all use one folder, and each would remove it at its end; Open MPI removes this one too */
    static const char name[] = "maniple-mpi-XXXXXX";
    const char *temporary = getenv("TMPDIR");
    char folder[1024];
    int length = snprintf(folder, sizeof folder, "%s/%s", temporary && *temporary ? temporary : "/tmp", name);
    if (getenv("OMPI_MCA_ess_singleton_isolated") || getenv("OMPI_MCA_orte_jobfam_session_dir") || length < 0 ||
        (size_t)length >= sizeof folder || !mkdtemp(folder))
        return;
    setenv("OMPI_MCA_orte_jobfam_session_dir", folder, 1);
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
#endif
}
#endif

mnp_ctx *command_begin(const char *options)
{
    mnp_ctx *ctx = NULL;
#ifdef OPEN_MPI
    if (!launched_number())
        tell_open_mpi();
#endif
    OR_EXIT(mnp_init(MPI_COMM_WORLD, options, &ctx));
    return ctx;
}

/* ---- the end ---- */

void misused_exit(void)
{
    if (first_process())
        mnp_exit(EXIT_MISUSED);
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
    const char *message = words_message();
    if (message != mnp_error_message())
        mnp_fail(status, "%s", message);
    mnp_exit(status_of(status));
}

int command_say(mnp_ctx *ctx, const char *before, mnp_status status)
{
    if (status == MNP_OK)
        return EXIT_SUCCESS;
    if (mnp_ctx_rank(ctx) == 0)
        fprintf(stderr, "maniple: %s%s\n", before, words_message());
    int exit_status = status_of(status);
    MPI_Allreduce(MPI_IN_PLACE, &exit_status, 1, MPI_INT, MPI_MAX, mnp_ctx_comm(ctx));
    return exit_status;
}

int close_output(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_SUCCESS;
    fprintf(stderr, "maniple: standard output cannot be written: %s\n", strerror(errno ? errno : EIO));
    return EXIT_FAILED;
}
