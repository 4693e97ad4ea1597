/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NCCL: messages and collectives between the memories of GPUs.
 *
 * The communicator does not block.  A call of NCCL that has to hear from other ranks, to start or to connect two of
 * them for the first time, returns at once and is asked about until it is through; a rank that is gone is then an error
 * at the deadline, not a hang.  Exchanges between ranks that are connected are enqueued within the call.
 *
 * A communicator that met an error is aborted, which also stops its kernels on the GPU, and stays so.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <nccl.h>

#include "base/status.h"
#include "comm/collectives/collectives.h"
#include "comm/comm.h"
#include "comm/watch.h"
#include "device/cuda/stream.h"

enum { BEGUN, OVER };
enum { OF_TRANSFERS, OF_COMPUTING, STREAMS }; /* which stream: what they hold goes on side by side */

struct mnp__nccl {
    const mnp__comm *ranks; /* borrowed, as are the next two */
    bool ends;              /* ranks leave one by one: none of them is lost */
    const mnp__config *config;
    mnp__device *device;
    ncclComm_t comm; /* NULL once aborted */
    /* The number of the call that the GPU began last, and of the one that was over last, written by each stream */
    volatile uint32_t (*progress)[2];
    uint32_t calls[STREAMS]; /* how many were enqueued */
    mnp__nccl *whole;        /* of a group: that of all ranks, which has a list of all groups */
    mnp__nccl *parts, *next; /* that list; of a group: the next one in it */
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
    for (mnp__nccl *part = nccl ? nccl->parts : NULL; part; part = part->next)
        mnp__nccl_abort(part);
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

/* Wait until a call of NCCL that has to hear from other ranks is through; its status is *result_p. */
static mnp_status wait_for_call(mnp__nccl *nccl, ncclResult_t *result_p)
{
    mnp__wait wait = mnp__watch_begin(nccl->ranks, "a call of NCCL");
    wait.spins = 0;
    wait.before_sleep = MNP__SLEEP_LATE;
    wait.alone = nccl->ends;
    while (*result_p == ncclInProgress) {
        const mnp_status st = mnp__watch_round(&wait);
        if (st != MNP_OK)
            return mnp__watch_end(&wait, st, -1);
        *result_p = state_of(nccl);
    }
    return MNP_OK;
}

/*
 * See a call of NCCL through, which returned `result`, at most until the deadline, or until a rank is lost, which
 * aborts all communicators (watch.h).  A fault that NCCL met since the call before comes to light here, too.
 */
static mnp_status settle(mnp__nccl *nccl, ncclResult_t result, const char *doing)
{
    if (result == ncclSuccess || result == ncclInProgress)
        result = state_of(nccl);
    mnp_status st = wait_for_call(nccl, &result);
    if (st == MNP_OK && result == ncclSuccess)
        return MNP_OK;
    if (st == MNP_OK) {
        st = words(nccl, result, doing);
        /* NCCL does not tell that a process has ended, or which */
        if (!nccl->ends && mnp__watch_look(nccl->ranks) != MNP_OK)
            st = MNP_ERR_PEER;
    }
    mnp__nccl_abort(nccl);
    return st;
}

/* Whether anything can be asked of NCCL: none of its ranks is lost, and it was not given up. */
static mnp_status check_alive(const mnp__nccl *nccl)
{
    if (mnp__watch_lost(nccl->ranks))
        return mnp__watch_look(nccl->ranks);
    if (!nccl->comm)
        return MNP_FAIL(MNP_ERR_COMM, "NCCL was given up%s after an earlier error",
                        nccl->whole ? " for a group of ranks" : "");
    return MNP_OK;
}

mnp_status mnp__nccl_check(mnp__nccl *nccl, bool *communicating_p, uint32_t *over_p)
{
    MNP_TRY(check_alive(nccl));
    ncclResult_t state = state_of(nccl);
    if (state != ncclSuccess && state != ncclInProgress) {
        mnp_status st = words(nccl, state, "exchanging messages");
        mnp__nccl_abort(nccl);
        return st;
    }
    *communicating_p = false;
    *over_p = 0;
    for (int s = 0; s < STREAMS; s++) {
        *communicating_p = *communicating_p || nccl->progress[s][BEGUN] != nccl->progress[s][OVER];
        *over_p += nccl->progress[s][OVER];
    }
    for (mnp__nccl *part = nccl->parts; part; part = part->next) {
        bool also = false;
        uint32_t more = 0;
        MNP_TRY(mnp__nccl_check(part, &also, &more));
        *communicating_p = *communicating_p || also;
        *over_p += more;
    }
    return MNP_OK;
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
    mnp_status st = comm->device->ops->alloc_pinned(comm->device, STREAMS * sizeof *nccl->progress, &progress);
    if (st != MNP_OK) {
        free(nccl);
        return st;
    }
    nccl->ranks = comm;
    nccl->config = comm->config;
    nccl->device = comm->device;
    nccl->progress = progress;
    for (int s = 0; s < STREAMS; s++)
        nccl->progress[s][BEGUN] = nccl->progress[s][OVER] = 0;
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

    /* NVLink multicast would serve reductions of many values; setting it up takes time and memory, and on some hosts it
     * does not work */
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
                            const mnp__message *recvs, const int *ranks, cudaStream_t stream)
{
    ncclResult_t result = ncclGroupStart();
    if (result != ncclSuccess)
        return result;
    for (int i = 0; i < nsends && result == ncclSuccess; i++) {
        const int peer = ranks ? ranks[sends[i].peer] : sends[i].peer;
        if (sends[i].bytes > 0)
            result = ncclSend(sends[i].data, sends[i].bytes, ncclInt8, peer, nccl->comm, stream);
    }
    for (int i = 0; i < nrecvs && result == ncclSuccess; i++) {
        const int peer = ranks ? ranks[recvs[i].peer] : recvs[i].peer;
        if (recvs[i].bytes > 0)
            result = ncclRecv(recvs[i].data, recvs[i].bytes, ncclInt8, peer, nccl->comm, stream);
    }
    ncclResult_t ended = ncclGroupEnd(); /* also after a failure: what was started must end */
    return result == ncclSuccess ? ended : result;
}

/*
 * Have the stream write that its next call begins, or that it is over; a stream that is being recorded writes neither.
 */
static mnp_status mark(mnp__nccl *nccl, int what, mnp__stream *stream)
{
    int s = stream == nccl->device->memory_stream ? OF_COMPUTING : OF_TRANSFERS;
    if (what == BEGUN)
        nccl->calls[s]++;
    return mnp__cuda_write(nccl->device, stream, &nccl->progress[s][what], nccl->calls[s]);
}

mnp_status mnp__nccl_exchange(mnp__nccl *nccl, int nsends, const mnp__message *sends, int nrecvs,
                              const mnp__message *recvs, const int *ranks, mnp__stream *stream)
{
    MNP_TRY(check_alive(nccl));
    MNP_TRY(mark(nccl, BEGUN, stream));
    ncclResult_t result = enqueue(nccl, nsends, sends, nrecvs, recvs, ranks, mnp__cuda_stream(stream));
    MNP_TRY(settle(nccl, result, "exchanging messages"));
    return mark(nccl, OVER, stream);
}

/* ---- collectives ---- */

bool mnp__nccl_can_reduce(mnp_dtype dtype, mnp_op op)
{
    switch (mnp_dtype_kind(dtype)) {
    case 'b':
        return true;
    case 'i':
    case 'u':
        return mnp_dtype_size(dtype) != 2;
    case 'f':
        return op == MNP_SUM || op == MNP_PROD; /* NCCL's minima lose NaN; its averages add parts that were rounded */
    default:
        return false;
    }
}

static ncclDataType_t type_of(mnp_dtype dtype)
{
    static const ncclDataType_t types[MNP_NUM_DTYPES] = {
        [MNP_BOOL] = ncclUint8,      [MNP_INT8] = ncclInt8,       [MNP_INT32] = ncclInt32,
        [MNP_INT64] = ncclInt64,     [MNP_UINT8] = ncclUint8,     [MNP_UINT32] = ncclUint32,
        [MNP_UINT64] = ncclUint64,   [MNP_FLOAT16] = ncclFloat16, [MNP_BFLOAT16] = ncclBfloat16,
        [MNP_FLOAT32] = ncclFloat32, [MNP_FLOAT64] = ncclFloat64,
    };
    return types[dtype];
}

static ncclRedOp_t operation_of(mnp_dtype dtype, mnp_op op)
{
    static const ncclRedOp_t operations[] = {
        [MNP_SUM] = ncclSum,
        [MNP_PROD] = ncclProd,
        [MNP_MIN] = ncclMin,
        [MNP_MAX] = ncclMax,
    };
    if (dtype == MNP_BOOL) /* bytes of 0 and 1: "or" is the larger one, "and" the smaller */
        return op == MNP_SUM || op == MNP_MAX ? ncclMax : ncclMin;
    return operations[op];
}

static ncclResult_t enqueue_collective(mnp__nccl *nccl, const mnp__collective *call, cudaStream_t stream)
{
    const ncclDataType_t type = type_of(call->dtype);
    const ncclRedOp_t op = operation_of(call->dtype, call->op);
    const size_t whole = (size_t)call->whole, part = (size_t)call->parts.count, size = mnp_dtype_size(call->dtype);
    switch (call->kind) {
    case MNP__ALL_REDUCE:
        return ncclAllReduce(call->send, call->recv, whole, type, op, nccl->comm, stream);
    case MNP__REDUCE:
        return ncclReduce(call->send, call->recv, whole, type, op, call->root, nccl->comm, stream);
    case MNP__REDUCE_SCATTER:
        return ncclReduceScatter(call->send, call->recv, part, type, op, nccl->comm, stream);
    case MNP__BROADCAST:
        return ncclBroadcast(call->send, call->recv, whole * size, ncclInt8, call->root, nccl->comm, stream);
    case MNP__ALL_GATHER:
        return ncclAllGather(call->send, call->recv, part * size, ncclInt8, nccl->comm, stream);
    default:
        return ncclInvalidUsage; /* the others are messages */
    }
}

mnp_status mnp__nccl_collective(mnp__nccl *nccl, const mnp__collective *call, mnp__stream *stream)
{
    MNP_TRY(check_alive(nccl));
    MNP_TRY(mnp__cuda_use(nccl->device));
    MNP_TRY(mark(nccl, BEGUN, stream));
    MNP_TRY(settle(nccl, enqueue_collective(nccl, call, mnp__cuda_stream(stream)), call->name));
    return mark(nccl, OVER, stream);
}

/* ---- groups ---- */

mnp_status mnp__nccl_split(const mnp__comm *comm, const mnp__comm *group, int color, int key, mnp__nccl **nccl_p)
{
    static const char *const doing = "splitting a communicator";
    mnp__nccl *whole = comm->nccl, *nccl = NULL; /* which may be a group's itself */
    ncclComm_t none = NULL;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    bool inside = color >= 0 && group->size > 1;
    mnp_status st = check_alive(whole);
    if (st == MNP_OK && inside)
        st = prepare(group, &nccl);
    st = mnp__agree(comm, st);
    if (st == MNP_OK)
        st = mnp__cuda_use(whole->device);
    if (st == MNP_OK) {
        ncclResult_t result =
            ncclCommSplit(whole->comm, inside ? color : NCCL_SPLIT_NOCOLOR, key, nccl ? &nccl->comm : &none, &config);
        st = settle(whole, result, doing);
    }
    if (st == MNP_OK && nccl)
        st = settle(nccl, ncclSuccess, doing);
    if (nccl) { /* whoever watches the whole watches it, and free takes it away */
        nccl->whole = whole->whole ? whole->whole : whole;
        nccl->next = nccl->whole->parts;
        nccl->whole->parts = nccl;
    }
    if (st != MNP_OK) {
        mnp__nccl_abort(nccl);
        mnp__nccl_free(nccl);
        return st;
    }
    *nccl_p = nccl;
    return MNP_OK;
}

void mnp__nccl_free(mnp__nccl *nccl)
{
    if (!nccl)
        return;
    for (mnp__nccl **link = nccl->whole ? &nccl->whole->parts : NULL; link && *link; link = &(*link)->next) {
        if (*link == nccl) {
            *link = nccl->next;
            break;
        }
    }
    if (nccl->comm) {
        nccl->ends = true;
        if (settle(nccl, ncclCommFinalize(nccl->comm), "ending") == MNP_OK)
            (void)ncclCommDestroy(nccl->comm);
        else
            MNP_LOG(&nccl->config->logger, MNP_LOG_WARN, "%s", mnp_error_message());
    }
    nccl->device->ops->free_pinned(nccl->device, (void *)nccl->progress);
    free(nccl);
}
