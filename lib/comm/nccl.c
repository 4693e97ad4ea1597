/*
 * NCCL: messages between the memories of GPUs.
 *
 * The communicator does not block.  A call of NCCL that has to hear from other ranks, to start or to connect two of
 * them for the first time, returns at once and is asked about until it is through; a rank that is gone is then an error
 * at the deadline, not a hang.  Exchanges between ranks that are connected are enqueued within the call.
 *
 * A communicator that met an error is aborted, which also stops its kernels on the GPU, and stays so.
 */
#include <config.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>
#include <nccl.h>

#include "base/status.h"
#include "comm/comm.h"
#include "device/cuda/stream.h"

enum { BEGUN, OVER };

struct mnp__nccl {
    const mnp__config *config; /* borrowed, as are the next two */
    MPI_Comm mpi;
    mnp__device *device;
    ncclComm_t comm; /* NULL once aborted */
    /* The number of the exchange that the GPU began last, and of the one that was over last, written by the stream */
    volatile uint32_t *progress;
    uint32_t exchanges; /* how many were enqueued */
};

bool mnp__nccl_available(void)
{
    return true;
}

int mnp__nccl_versions(mnp_version_info *versions, int room)
{
    int code = 0;
    if (room < 1)
        return 0;
    versions[0].name = "NCCL";
    if (ncclGetVersion(&code) == ncclSuccess)
        snprintf(versions[0].version, sizeof versions[0].version, "%d.%d.%d", code / 10000, code % 10000 / 100,
                 code % 100);
    else
        snprintf(versions[0].version, sizeof versions[0].version, "not found");
    return 1;
}

void mnp__nccl_abort(mnp__nccl *nccl)
{
    if (nccl && nccl->comm) {
        (void)ncclCommAbort(nccl->comm);
        nccl->comm = NULL;
    }
}

/* An MNP_ERR_COMM with NCCL's words for it. */
static mnp_status words(const mnp__nccl *nccl, ncclResult_t result, const char *doing)
{
    const char *more = ncclGetLastError(nccl->comm);
    int length = more ? (int)strcspn(more, "\n") : 0;
    return MNP_FAIL(MNP_ERR_COMM, "NCCL failed while %s: %s%s%.*s", doing, ncclGetErrorString(result),
                    length > 0 ? ": " : "", length, length > 0 ? more : "");
}

/* How NCCL is doing: ncclSuccess, ncclInProgress or an error. */
static ncclResult_t state_of(const mnp__nccl *nccl)
{
    ncclResult_t state = ncclSuccess;
    ncclResult_t result = ncclCommGetAsyncError(nccl->comm, &state);
    return result == ncclSuccess ? state : result;
}

/*
 * Let go of the processor: for the first rounds, about a millisecond, only to whoever else is waiting for it.  Later
 * rounds also let MPI move on, as another rank may still be waiting for a message that MPI has not sent from here.
 */
static void rest(const mnp__nccl *nccl, int round)
{
    if (round < 2000) {
        sched_yield();
        return;
    }
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, nccl->mpi, &there, MPI_STATUS_IGNORE);
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* See a call of NCCL through, which returned `result`, at most until the deadline. */
static mnp_status settle(mnp__nccl *nccl, ncclResult_t result, const char *doing)
{
    if (result == ncclSuccess || result == ncclInProgress)
        result = state_of(nccl);
    double deadline = nccl->config->deadline_seconds;
    double start = result == ncclInProgress ? MPI_Wtime() : 0;
    for (int round = 0; result == ncclInProgress && MPI_Wtime() - start < deadline; round++) {
        rest(nccl, round);
        result = state_of(nccl);
    }
    if (result == ncclSuccess)
        return MNP_OK;
    mnp_status st = result == ncclInProgress
                        ? MNP_FAIL(MNP_ERR_TIMEOUT,
                                   "other ranks did not answer NCCL within %g seconds (MANIPLE_DEADLINE) while %s",
                                   deadline, doing)
                        : words(nccl, result, doing);
    mnp__nccl_abort(nccl);
    return st;
}

static mnp_status check_alive(const mnp__nccl *nccl)
{
    if (!nccl->comm)
        return MNP_FAIL(MNP_ERR_COMM, "NCCL was given up after an earlier error");
    return MNP_OK;
}

mnp_status mnp__nccl_check(mnp__nccl *nccl, bool *communicating_p)
{
    MNP_TRY(check_alive(nccl));
    ncclResult_t state = state_of(nccl);
    if (state == ncclSuccess || state == ncclInProgress) {
        *communicating_p = nccl->progress[BEGUN] != nccl->progress[OVER];
        return MNP_OK;
    }
    mnp_status st = words(nccl, state, "exchanging messages");
    mnp__nccl_abort(nccl);
    return st;
}

static mnp_status start(const mnp__comm *comm, ncclUniqueId id, mnp__nccl *nccl)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    MNP_TRY(mnp__cuda_use(nccl->device)); /* NCCL takes the device that is current */
    ncclResult_t result = ncclCommInitRankConfig(&nccl->comm, comm->size, id, comm->rank, &config);
    if (result != ncclSuccess && result != ncclInProgress)
        nccl->comm = NULL; /* NCCL has cleared up */
    return settle(nccl, result, "starting");
}

/* What a rank needs of its own before it can start. */
static mnp_status prepare(const mnp__comm *comm, mnp__nccl **nccl_p)
{
    mnp__nccl *nccl;
    void *progress;
    MNP_TRY(mnp__calloc(1, sizeof *nccl, &nccl));
    mnp_status st = comm->device->ops->alloc_pinned(comm->device, 2 * sizeof *nccl->progress, &progress);
    if (st != MNP_OK) {
        free(nccl);
        return st;
    }
    nccl->config = comm->config;
    nccl->mpi = comm->mpi;
    nccl->device = comm->device;
    nccl->progress = progress;
    nccl->progress[BEGUN] = nccl->progress[OVER] = 0;
    *nccl_p = nccl;
    return MNP_OK;
}

mnp_status mnp__nccl_start(const mnp__comm *comm, mnp__nccl **nccl_p)
{
    struct {
        ncclUniqueId id;
        int made;
    } hello = {.made = 0};
    mnp__nccl *nccl = NULL;

    /* NVLink multicast serves collectives, of which none are used here; setting it up takes time and memory, and on
     * some hosts it does not work */
    setenv("NCCL_NVLS_ENABLE", "0", 0);

    mnp_status st = prepare(comm, &nccl);
    if (st == MNP_OK && comm->rank == 0) {
        ncclResult_t result = ncclGetUniqueId(&hello.id);
        hello.made = result == ncclSuccess;
        if (!hello.made)
            st = words(nccl, result, "making its id");
    }
    mnp_status sent = mnp__mpi_status(MPI_Bcast(&hello, (int)sizeof hello, MPI_BYTE, 0, comm->mpi), "MPI_Bcast");
    if (st == MNP_OK)
        st = sent;
    if (st == MNP_OK && hello.made)
        st = start(comm, hello.id, nccl);
    st = mnp__agree(comm, st);
    if (st != MNP_OK) {
        mnp__nccl_abort(nccl);
        mnp__nccl_free(nccl);
        return st;
    }
    *nccl_p = nccl;
    return MNP_OK;
}

/* Give NCCL the messages.  It makes one operation of them, so that they cannot wait for each other in a circle. */
static ncclResult_t enqueue(mnp__nccl *nccl, int nsends, const mnp__message *sends, int nrecvs,
                            const mnp__message *recvs, cudaStream_t stream)
{
    ncclResult_t result = ncclGroupStart();
    if (result != ncclSuccess)
        return result;
    for (int i = 0; i < nsends && result == ncclSuccess; i++)
        if (sends[i].bytes > 0)
            result = ncclSend(sends[i].data, sends[i].bytes, ncclInt8, sends[i].peer, nccl->comm, stream);
    for (int i = 0; i < nrecvs && result == ncclSuccess; i++)
        if (recvs[i].bytes > 0)
            result = ncclRecv(recvs[i].data, recvs[i].bytes, ncclInt8, recvs[i].peer, nccl->comm, stream);
    ncclResult_t ended = ncclGroupEnd(); /* also after a failure: what was started must end */
    return result == ncclSuccess ? ended : result;
}

mnp_status mnp__nccl_exchange(mnp__nccl *nccl, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs, mnp__stream *stream)
{
    MNP_TRY(check_alive(nccl));
    nccl->exchanges++;
    MNP_TRY(mnp__cuda_write(nccl->device, stream, &nccl->progress[BEGUN], nccl->exchanges));
    ncclResult_t result = enqueue(nccl, nsends, sends, nrecvs, recvs, mnp__cuda_stream(stream));
    MNP_TRY(settle(nccl, result, "exchanging messages"));
    return mnp__cuda_write(nccl->device, stream, &nccl->progress[OVER], nccl->exchanges);
}

void mnp__nccl_free(mnp__nccl *nccl)
{
    if (!nccl)
        return;
    if (nccl->comm) {
        if (settle(nccl, ncclCommFinalize(nccl->comm), "ending") == MNP_OK)
            (void)ncclCommDestroy(nccl->comm);
        else
            MNP_LOG(&nccl->config->logger, MNP_LOG_WARN, "%s", mnp_error_message());
    }
    nccl->device->ops->free_pinned(nccl->device, (void *)nccl->progress);
    free(nccl);
}
