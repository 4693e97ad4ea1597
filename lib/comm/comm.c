/*
 * Communicators, and the choice of how data travels between devices.
 */
#include "comm/comm.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"

/* Number the hosts in the order of their lowest ranks. */
static mnp_status number_nodes(mnp__comm *comm)
{
    int leads = comm->node_rank == 0, before = 0;
    MNP_TRY(mnp__mpi_status(MPI_Exscan(&leads, &before, 1, MPI_INT, MPI_SUM, comm->mpi), "MPI_Exscan"));
    comm->node_index = comm->rank == 0 ? 0 : before; /* MPI leaves the first rank's result undefined */
    MNP_TRY(mnp__mpi_status(MPI_Bcast(&comm->node_index, 1, MPI_INT, 0, comm->node), "MPI_Bcast"));
    return mnp__mpi_status(MPI_Allreduce(&leads, &comm->nodes, 1, MPI_INT, MPI_SUM, comm->mpi), "MPI_Allreduce");
}

mnp_status mnp__comm_open(MPI_Comm mpi, mnp__comm *comm)
{
    *comm = (mnp__comm){.mpi = MPI_COMM_NULL, .node = MPI_COMM_NULL, .ranks_on_device = 1};
    MNP_TRY(mnp__mpi_status(MPI_Comm_dup(mpi, &comm->mpi), "MPI_Comm_dup"));
    MPI_Comm_set_errhandler(comm->mpi, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm->mpi, &comm->rank);
    MPI_Comm_size(comm->mpi, &comm->size);
    MNP_TRY(mnp__mpi_status(
        MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &comm->node),
        "MPI_Comm_split_type"));
    MPI_Comm_rank(comm->node, &comm->node_rank);
    MPI_Comm_size(comm->node, &comm->node_size);
    return number_nodes(comm);
}

/* How many ranks of this host use this rank's GPU. */
static mnp_status count_sharers(mnp__comm *comm)
{
    uint64_t mine, *all = NULL;
    mnp_status st;
    MNP_TRY(comm->device->ops->identity(comm->device, &mine));
    comm->ranks_on_device = 1;
    if (mine == 0)
        return MNP_OK;
    MNP_TRY(mnp__calloc((size_t)comm->node_size, sizeof *all, &all));
    st = mnp__mpi_status(MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm->node), "MPI_Allgather");
    comm->ranks_on_device = 0;
    for (int i = 0; i < comm->node_size; i++)
        comm->ranks_on_device += all[i] == mine;
    free(all);
    return st;
}

static mnp_status choose_transport(mnp__comm *comm)
{
    bool cuda = strcmp(comm->device->ops->kind, "cuda") == 0;
    int mine[3] = {cuda, !cuda, comm->ranks_on_device}, most[3]; /* somewhere a GPU, somewhere none, sharing */
    const char *wish = comm->config->transport;
    MNP_TRY(mnp__mpi_status(MPI_Allreduce(mine, most, 3, MPI_INT, MPI_MAX, comm->mpi), "MPI_Allreduce"));
    if (most[0] && most[1])
        return MNP_FAIL(MNP_ERR_DEVICE, "some ranks have a GPU and others have none: give every rank one, or set "
                        "MANIPLE_DEVICE=host");
    if (!cuda) {
        comm->transport = MNP_TRANSPORT_MPI;
        return MNP_OK;
    }
    bool able = mnp__nccl_available() && most[2] == 1;
    if (strcmp(wish, "nccl") == 0 && !able)
        return mnp__nccl_available()
                   ? MNP_FAIL(MNP_ERR_UNSUPPORTED, "MANIPLE_TRANSPORT=nccl needs a GPU for every rank, and %d ranks share one",
                              most[2])
                   : MNP_FAIL(MNP_ERR_UNSUPPORTED, "MANIPLE_TRANSPORT=nccl, and this build has no NCCL");
    comm->transport = able && strcmp(wish, "mpi") != 0 ? MNP_TRANSPORT_NCCL : MNP_TRANSPORT_STAGED;
    if (most[2] > 1)
        MNP_LOG(&comm->config->logger, MNP_LOG_WARN,
                "%d ranks share one GPU: they run, but slower than one rank a GPU, and exchange data through the host",
                most[2]);
    return MNP_OK;
}

mnp_status mnp__comm_attach(mnp__comm *comm, const mnp__config *config, mnp__device *device)
{
    comm->config = config;
    comm->device = device;
    MNP_TRY(mnp__agree(comm, count_sharers(comm)));
    MNP_TRY(mnp__agree(comm, choose_transport(comm)));
    if (comm->transport == MNP_TRANSPORT_NCCL && comm->size > 1)
        MNP_TRY(mnp__nccl_start(comm, &comm->nccl));
    return MNP_OK;
}

void mnp__comm_close(mnp__comm *comm)
{
    mnp__nccl_free(comm->nccl);
    comm->nccl = NULL;
    if (comm->node != MPI_COMM_NULL)
        MPI_Comm_free(&comm->node);
    if (comm->mpi != MPI_COMM_NULL)
        MPI_Comm_free(&comm->mpi);
}

mnp_status mnp__comm_wait_event(mnp__comm *comm, mnp__device_event *event)
{
    double waited = 0;
    for (int tries = 0;; tries++) {
        bool done, communicating = false;
        MNP_TRY(comm->device->ops->event_query(comm->device, event, &done));
        if (done)
            return MNP_OK;
        if (tries < 1000) {
            sched_yield();
            continue;
        }
        if (comm->nccl)
            MNP_TRY(mnp__nccl_check(comm->nccl, &communicating));
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL);
        waited = communicating ? waited + 50e-6 : 0; /* computing may take as long as it takes */
        if (waited > comm->config->deadline_seconds) {
            mnp__nccl_abort(comm->nccl);
            return MNP_FAIL(MNP_ERR_TIMEOUT, "another rank did not take part in an exchange within %g seconds "
                            "(MANIPLE_DEADLINE)", comm->config->deadline_seconds);
        }
    }
}
