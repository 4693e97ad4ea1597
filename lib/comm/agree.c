/*
 * Failing together: agreement on a status, MPI's own errors, and the end of a program.
 */
#include <config.h>

#include "comm/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

mnp_status mnp__mpi_status(int code, const char *call)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return MNP_OK;
    MPI_Error_string(code, words, &length);
    return MNP_FAIL(MNP_ERR_COMM, "%s failed: %s", call, words);
}

mnp_status mnp__agree(const mnp__comm *comm, mnp_status status)
{
    char message[4096] = "";
    int mine = status == MNP_OK ? comm->size : comm->rank, lowest;
    if (status == MNP_ERR_TIMEOUT) /* a rank that did not answer will not agree either */
        return status;
    MNP_TRY(mnp__mpi_status(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm->mpi), "MPI_Allreduce"));
    if (lowest == comm->size)
        return MNP_OK;
    if (comm->rank == lowest)
        snprintf(message, sizeof message, "%s", mnp_error_message());
    MNP_TRY(mnp__mpi_status(MPI_Bcast(message, sizeof message, MPI_CHAR, lowest, comm->mpi), "MPI_Bcast"));
    if (status != MNP_OK)
        return status;
    return MNP_FAIL(MNP_ERR_PEER, "rank %d: %s", lowest, message);
}

mnp_status mnp__compare_hashes(const mnp__comm *comm, const char *call, uint64_t hash)
{
    uint64_t mine[2] = {hash, ~hash}, least[2]; /* the least of the complements is that of the largest */
    MNP_TRY(mnp__mpi_status(MPI_Allreduce(mine, least, 2, MPI_UINT64_T, MPI_MIN, comm->mpi), "MPI_Allreduce"));
    if (least[0] != ~least[1])
        return MNP_FAIL(MNP_ERR_ARG, "the ranks do not call %s with the same arguments", call);
    return MNP_OK;
}

/* Whether all ranks arrive here within two seconds. */
static bool all_arrive(void)
{
    MPI_Request request;
    int arrived = 0;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < 2000 && !arrived; i++) {
        if (MPI_Test(&request, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        if (!arrived)
            nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
    return arrived;
}

static void print_error(void)
{
    const char *log = getenv("MANIPLE_LOG");
    bool debug = log && strncmp(log, "debug", 5) == 0;
    fprintf(stderr, "maniple: %s", mnp_error_message());
    if (debug)
        fprintf(stderr, " (%s)", mnp_error_origin());
    fputc('\n', stderr);
}

void mnp_exit(int exit_status)
{
    int started = 0, finished = 0, rank = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&finished);
    if (!started || finished) {
        print_error();
        exit(exit_status);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (all_arrive()) {
        if (rank == 0)
            print_error();
        MPI_Finalize();
        exit(exit_status);
    }
    print_error(); /* this rank is alone with its trouble */
    MPI_Abort(MPI_COMM_WORLD, exit_status);
    abort();
}
