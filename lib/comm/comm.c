/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators, and the choice of how data travels between devices.
 */
#include "comm/comm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "comm/heap.h"
#include "comm/pulse.h"
#include "comm/waits.h"
#include "comm/watch.h"

/* Number the hosts in the order of their lowest ranks. */
static mnp_status number_nodes(mnp__comm *comm)
{
    int leads = comm->node_rank == 0, before = 0;
    MNP_TRY(mnp__mpi_status(MPI_Exscan(&leads, &before, 1, MPI_INT, MPI_SUM, comm->mpi), "MPI_Exscan"));
    comm->node_index = comm->rank == 0 ? 0 : before; /* MPI leaves the first rank's result undefined */
    MNP_TRY(mnp__mpi_status(MPI_Bcast(&comm->node_index, 1, MPI_INT, 0, comm->node), "MPI_Bcast"));
    return mnp__mpi_status(MPI_Allreduce(&leads, &comm->nodes, 1, MPI_INT, MPI_SUM, comm->mpi), "MPI_Allreduce");
}

mnp_status mnp__comm_open(MPI_Comm mpi, const mnp__config *config, mnp__comm *comm)
{
    *comm = (mnp__comm){.config = config, .mpi = MPI_COMM_NULL, .node = MPI_COMM_NULL, .ranks_on_device = 1};
    MPI_Comm_rank(mpi, &comm->rank);
    MPI_Comm_size(mpi, &comm->size);
    comm->checks = config->checks && comm->size > 1;
    if (comm->size > 1 && config->deadline_seconds > 0)
        mnp__pulse_start(config, comm->rank, &comm->pulse);
    mnp__pulse_enter(comm->pulse, "starting", "Maniple"); /* which mnp_init() leaves */
    MNP_TRY(mnp__mpi_status(MPI_Comm_dup(mpi, &comm->mpi), "MPI_Comm_dup"));
    MPI_Comm_set_errhandler(comm->mpi, MPI_ERRORS_RETURN);
    MNP_TRY(mnp__watch_new(comm, &comm->watch));
    MNP_TRY(
        mnp__mpi_status(MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &comm->node),
                        "MPI_Comm_split_type"));
    MPI_Comm_rank(comm->node, &comm->node_rank);
    MPI_Comm_size(comm->node, &comm->node_size);
    return number_nodes(comm);
}

mnp_status mnp__comm_meet(mnp__comm *comm)
{
    MNP_TRY(mnp__peers_open(comm->config, comm->mpi, comm->node, &comm->peers));
    mnp__pulse_meet(comm->pulse, comm->peers);
    return MNP_OK;
}

/* How many ranks of this host use this rank's GPU.  Collective: all ranks go through it, also where one fails. */
static mnp_status count_sharers(mnp__comm *comm)
{
    uint64_t mine = 0, *all = NULL;
    mnp_status st = mnp__calloc((size_t)comm->node_size, sizeof *all, &all);
    if (st == MNP_OK)
        st = comm->device->ops->identity(comm->device, &mine);
    MNP_TRY_OR(mnp__agree(comm, st), st, done);
    MNP_TRY_OR(
        mnp__mpi_status(MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm->node), "MPI_Allgather"), st,
        done);
    comm->ranks_on_device = 0;
    for (int i = 0; i < comm->node_size; i++)
        comm->ranks_on_device += mine != 0 && all[i] == mine;
    if (mine == 0)
        comm->ranks_on_device = 1;
done:
    free(all);
    return st;
}

/* What choices depend on, each the largest of all ranks', so that all choose alike. */
struct facts {
    int somewhere_gpu, somewhere_none, sharers, wants_mpi, wants_nccl, lacks_nccl;
    int minus_block_memory; /* the largest is minus the least */
};

static mnp_status gather_facts(const mnp__comm *comm, struct facts *facts)
{
    bool gpu = !comm->device->cpu_memory;
    const bool simulated = gpu && comm->device->index < 0; /* for which NCCL can do nothing */
    const char *wish = comm->config->transport;
    struct facts mine = {gpu,
                         !gpu,
                         comm->ranks_on_device,
                         strcmp(wish, "mpi") == 0,
                         strcmp(wish, "nccl") == 0,
                         simulated || !mnp__nccl_available(),
                         -(int)comm->device->block_memory};
    return mnp__mpi_status(MPI_Allreduce(&mine, facts, sizeof mine / sizeof(int), MPI_INT, MPI_MAX, comm->mpi),
                           "MPI_Allreduce");
}

static mnp_status choose_transport(mnp__comm *comm, const struct facts *facts)
{
    if (facts->somewhere_gpu && facts->somewhere_none)
        return MNP_FAIL(MNP_ERR_DEVICE, "some ranks have a GPU and others have none: give every rank one, or set "
                                        "MANIPLE_DEVICE=host");
    if (facts->somewhere_none) {
        comm->transport = MNP_TRANSPORT_MPI;
        return MNP_OK;
    }
    if (facts->wants_nccl && facts->lacks_nccl)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "MANIPLE_TRANSPORT=nccl, and this build has no NCCL");
    if (facts->wants_nccl && facts->sharers > 1)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "MANIPLE_TRANSPORT=nccl needs a GPU for every rank, and %d ranks share one", facts->sharers);
    bool nccl = !facts->lacks_nccl && facts->sharers == 1 && !facts->wants_mpi;
    comm->transport = nccl ? MNP_TRANSPORT_NCCL : MNP_TRANSPORT_STAGED;
    if (facts->sharers > 1)
        MNP_LOG(&comm->config->logger, MNP_LOG_WARN,
                "%d ranks share one GPU: they take turns, unless NVIDIA's MPS lets them run side by side",
                facts->sharers);
    return MNP_OK;
}

mnp_status mnp__comm_attach(mnp__comm *comm, mnp__device *device)
{
    struct facts facts;
    comm->device = device;
    MNP_TRY(count_sharers(comm));
    MNP_TRY(gather_facts(comm, &facts));
    MNP_TRY(choose_transport(comm, &facts));
    /* kernels are shaped for the device with the least memory a block, so that they are the same on every rank */
    device->block_memory = (size_t)-facts.minus_block_memory;
    if (comm->transport == MNP_TRANSPORT_NCCL && comm->size > 1)
        MNP_TRY(mnp__nccl_start(comm, &comm->nccl));
    MNP_TRY(mnp__heap_open(comm, &comm->heap));
    if (mnp__heap_shared(comm->heap) && !device->cpu_memory)
        return mnp__agree(comm, mnp__waits_new(comm, &comm->waits));
    return MNP_OK;
}

void mnp__comm_detach(mnp__comm *comm)
{
    mnp__heap_close(comm->heap);
    comm->heap = NULL;
    mnp__waits_free(comm->waits);
    comm->waits = NULL;
}

void mnp__comm_close(mnp__comm *comm)
{
    const bool lost = mnp__watch_lost(comm); /* a rank will not take part in releasing communicators */
    mnp__nccl_free(comm->nccl);
    comm->nccl = NULL;
    if (comm->peers && lost)
        comm->peers->mpi = MPI_COMM_NULL;
    mnp__peers_close(comm->peers);
    comm->peers = NULL;
    if (comm->node != MPI_COMM_NULL && !lost)
        MPI_Comm_free(&comm->node);
    if (comm->mpi != MPI_COMM_NULL && !lost)
        MPI_Comm_free(&comm->mpi);
    mnp__watch_free(comm->watch);
    comm->watch = NULL;
}

/*
 * Now and then while the GPU is busy: whether NCCL is well, and which of its calls is under way.  Computing may take as
 * long as it takes, and so may many calls: the deadline begins anew when a call of NCCL is over, and while there is
 * none.
 */
static mnp_status check_nccl(mnp__comm *comm, mnp__wait *wait, uint32_t *over_p)
{
    bool communicating;
    uint32_t over;
    mnp_status st = mnp__nccl_check(comm->nccl, &communicating, &over);
    if (st != MNP_OK) { /* NCCL does not tell that a process has ended, or which */
        MNP_TRY(mnp__watch_look(comm));
        return st;
    }
    if (!communicating || over != *over_p)
        wait->since = 0;
    *over_p = over;
    return MNP_OK;
}

/*
 * Until that point is reached, or waiting for it makes no sense any more.  Kernels of ours that wait know the time
 * themselves (waits.h), so that only NCCL has a deadline here.
 */
static mnp_status wait_for_event(mnp__comm *comm, mnp__device_event *event)
{
    mnp__wait wait = mnp__watch_begin(comm, comm->nccl ? "an exchange" : NULL);
    uint32_t over = 0;
    bool done;
    wait.uncounted = true;
    wait.spins = 0;
    wait.before_sleep = MNP__SLEEP_LATE;
    wait.alone = !comm->nccl && !comm->waits; /* nothing on the device waits for other ranks */
    for (;;) {
        MNP_TRY(comm->device->ops->event_query(comm->device, event, &done));
        MNP_TRY(mnp__waits_check(comm->waits)); /* also when all is done: a kernel may have waited past the deadline */
        if (done)
            return MNP_OK;
        const mnp_status st = mnp__watch_round(&wait);
        if (st != MNP_OK)
            return mnp__watch_end(&wait, st, -1);
        if (comm->nccl && wait.checked)
            MNP_TRY(check_nccl(comm, &wait, &over));
    }
}

/* Work that waited for a lost rank ends soon; a caller that gives up frees memory that this work uses only then. */
static void let_end(mnp__comm *comm, mnp__device_event *event)
{
    enum { MILLISECONDS = 1000 };
    bool done = false;
    for (int i = 0; i < MILLISECONDS && !done; i++) {
        if (comm->device->ops->event_query(comm->device, event, &done) != MNP_OK)
            return;
        if (!done)
            nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
}

mnp_status mnp__comm_wait_event(mnp__comm *comm, mnp__device_event *event)
{
    MNP_TRY(mnp__refuse_recording(comm->device, "waiting for the device"));
    mnp_status st = wait_for_event(comm, event);
    if (mnp__watch_lost(comm))
        let_end(comm, event);
    return st;
}

mnp_status mnp__comm_wait_stream(mnp__comm *comm, mnp__stream *stream)
{
    const mnp__device_ops *ops = comm->device->ops;
    mnp__device_event *event;
    MNP_TRY(mnp__refuse_recording(comm->device, "waiting for the device"));
    MNP_TRY(ops->event_new(comm->device, &event));
    mnp_status st = ops->event_record(comm->device, event, stream);
    if (st == MNP_OK)
        st = mnp__comm_wait_event(comm, event);
    ops->event_free(comm->device, event);
    return st;
}
