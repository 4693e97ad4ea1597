/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public collectives: their arguments are checked here, and described for collectives_run.c.
 */
#include <inttypes.h>
#include <stddef.h>

#include "base/hash.h"
#include "base/status.h"
#include "comm/collectives/collectives.h"

/* ---- checks ---- */

static mnp_status check_rank(const mnp_comm *comm, const char *call, const char *what, int rank)
{
    if (rank < 0 || rank >= comm->base.size)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %d, outside 0..%d, the ranks of the communicator", call, what, rank,
                        comm->base.size - 1);
    return MNP_OK;
}

static mnp_status check_count(const mnp_comm *comm, const char *call, const char *what, int64_t count)
{
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %" PRId64 ", negative", call, what, count);
    if (count > PTRDIFF_MAX / 16 / comm->base.size)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %" PRId64 ", more than memory can have", call, what, count);
    return MNP_OK;
}

static mnp_status check_dtype(const char *call, mnp_dtype dtype)
{
    return mnp_dtype_size(dtype) > 0 ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a dtype", call, (int)dtype);
}

static mnp_status check_op(const char *call, mnp_dtype dtype, mnp_op op)
{
    static const char *const names[] = {
        [MNP_SUM] = "sum", [MNP_PROD] = "product", [MNP_MIN] = "minimum", [MNP_MAX] = "maximum", [MNP_AVG] = "average",
    };
    char kind = mnp_dtype_kind(dtype);
    bool orders = op == MNP_MIN || op == MNP_MAX;
    if ((int)op < 0 || (size_t)op >= sizeof names / sizeof *names)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not an operation", call, (int)op);
    if ((orders && kind == 'c') || (op == MNP_AVG && kind != 'f' && kind != 'c'))
        return MNP_FAIL(MNP_ERR_ARG, "%s: there is no %s of %s", call, names[op], mnp_dtype_name(dtype));
    return MNP_OK;
}

/* A buffer that is used: its elements, of which there may be none. */
static mnp_status check_buffer(const char *call, const char *what, const void *buffer, int64_t count)
{
    return buffer || count == 0 ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "%s: %s is NULL", call, what);
}

/* Buffers of `sends` and `recvs` elements are there, and do not overlap. */
static mnp_status check_apart(const mnp__collective *call, const void *send, int64_t sends, const void *recv,
                              int64_t recvs)
{
    int64_t size = (int64_t)mnp_dtype_size(call->dtype);
    const char *a = send, *b = recv;
    MNP_TRY(check_buffer(call->name, "send", send, sends));
    MNP_TRY(check_buffer(call->name, "recv", recv, recvs));
    if (sends > 0 && recvs > 0 && a < b + recvs * size && b < a + sends * size)
        return MNP_FAIL(MNP_ERR_ARG, "%s: send and recv overlap", call->name);
    return MNP_OK;
}

/* As above for a buffer and the elements that are, or become, its part from `place` on; these may lie there already. */
static mnp_status check_in_place(const mnp__collective *call, const void *whole, int64_t wholes, const void *part,
                                 int64_t parts, int64_t place)
{
    int64_t size = (int64_t)mnp_dtype_size(call->dtype);
    if (part && whole && (const char *)part == (const char *)whole + place * size)
        return MNP_OK;
    return call->send == whole ? check_apart(call, whole, wholes, part, parts)
                               : check_apart(call, part, parts, whole, wholes);
}

static mnp_status check_parts(const mnp_comm *comm, const char *call, const char *what, const mnp__parts *parts)
{
    if (!parts->counts)
        return check_count(comm, call, what, parts->count);
    for (int r = 0; r < comm->base.size; r++) {
        MNP_TRY(check_count(comm, call, "a part", parts->counts[r]));
        MNP_TRY(check_count(comm, call, "the offset of a part", parts->offsets[r]));
    }
    return MNP_OK;
}

/* Elements of a buffer up to the end of its last part. */
static int64_t extent_of(const mnp_comm *comm, const mnp__parts *parts)
{
    int64_t end = 0;
    for (int r = 0; r < comm->base.size; r++) {
        int64_t count = mnp__part_count(parts, r), last = mnp__part_offset(parts, r) + count;
        if (count > 0 && last > end)
            end = last;
    }
    return end;
}

/* What all ranks must have given alike. */
static mnp_status check_same(const mnp_comm *comm, const mnp__collective *call)
{
    bool even = !call->parts.counts && call->kind != MNP__GATHER && call->kind != MNP__SCATTER;
    const int64_t facts[] = {
        call->kind, call->dtype, call->op, call->root, even ? call->parts.count : 0, even ? call->whole : 0};
    (void)facts; /* but in a debug build */
    return mnp__check_same(&comm->base, call->name, mnp__hash(MNP__HASH_START, facts, sizeof facts));
}

/* ---- reductions ---- */

static mnp_status check_reduction(const mnp_comm *comm, const mnp__collective *call, int64_t count)
{
    MNP_TRY(check_count(comm, call->name, "count", count));
    MNP_TRY(check_dtype(call->name, call->dtype));
    MNP_TRY(check_op(call->name, call->dtype, call->op));
    MNP_TRY(check_rank(comm, call->name, "root", call->root));
    return check_same(comm, call);
}

mnp_status mnp_comm_all_reduce(mnp_comm *comm, const void *send, void *recv, int64_t count, mnp_dtype dtype, mnp_op op)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__ALL_REDUCE,
                                  .name = "mnp_comm_all_reduce",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .dtype = dtype,
                                  .op = op};
    MNP_TRY(check_reduction(comm, &call, count));
    MNP_TRY(check_in_place(&call, send, count, recv, count, 0));
    return mnp__collective_run(comm, &call);
}

mnp_status mnp_comm_reduce(mnp_comm *comm, const void *send, void *recv, int64_t count, mnp_dtype dtype, mnp_op op,
                           int root)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__REDUCE,
                                  .name = "mnp_comm_reduce",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .dtype = dtype,
                                  .op = op,
                                  .root = root};
    MNP_TRY(check_reduction(comm, &call, count));
    MNP_TRY(check_buffer(call.name, "send", send, count));
    if (comm->base.rank == root)
        MNP_TRY(check_in_place(&call, send, count, recv, count, 0));
    return mnp__collective_run(comm, &call);
}

mnp_status mnp_comm_reduce_scatter(mnp_comm *comm, const void *send, void *recv, int64_t count_per_rank,
                                   mnp_dtype dtype, mnp_op op)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__REDUCE_SCATTER,
                                  .name = "mnp_comm_reduce_scatter",
                                  .send = send,
                                  .recv = recv,
                                  .parts = {.count = count_per_rank},
                                  .dtype = dtype,
                                  .op = op};
    MNP_TRY(check_reduction(comm, &call, count_per_rank));
    MNP_TRY(check_in_place(&call, send, count_per_rank * comm->base.size, recv, count_per_rank,
                           comm->base.rank * count_per_rank));
    return mnp__collective_run(comm, &call);
}

/* ---- moving data ---- */

static mnp_status check_move(const mnp_comm *comm, const mnp__collective *call)
{
    MNP_TRY(check_count(comm, call->name, "count", call->whole));
    MNP_TRY(check_dtype(call->name, call->dtype));
    MNP_TRY(check_rank(comm, call->name, "root", call->root));
    return check_same(comm, call);
}

mnp_status mnp_comm_broadcast(mnp_comm *comm, void *buffer, int64_t count, mnp_dtype dtype, int root)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__BROADCAST,
                                  .name = "mnp_comm_broadcast",
                                  .send = buffer,
                                  .recv = buffer,
                                  .whole = count,
                                  .dtype = dtype,
                                  .root = root};
    MNP_TRY(check_move(comm, &call));
    MNP_TRY(check_buffer(call.name, "buffer", buffer, count));
    return mnp__collective_run(comm, &call);
}

/* all_gather and gather: `parts` are those of recv where it is used. */
static mnp_status run_gather(mnp_comm *comm, const mnp__collective *call)
{
    int rank = comm->base.rank;
    MNP_TRY(check_move(comm, call));
    MNP_TRY(check_buffer(call->name, "send", call->send, call->whole));
    if (call->kind == MNP__ALL_GATHER || rank == call->root) {
        MNP_TRY(check_parts(comm, call->name, "count", &call->parts));
        int64_t own = mnp__part_count(&call->parts, rank);
        if (own != call->whole)
            return MNP_FAIL(MNP_ERR_ARG, "%s: count is %" PRId64 ", and counts has %" PRId64 " for this rank",
                            call->name, call->whole, own);
        MNP_TRY(check_in_place(call, call->recv, extent_of(comm, &call->parts), call->send, call->whole,
                               mnp__part_offset(&call->parts, rank)));
    }
    return mnp__collective_run(comm, call);
}

static mnp_status check_lists(const char *call, const int64_t *counts, const int64_t *offsets)
{
    return counts && offsets ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "%s: %s is NULL", call, counts ? "offsets" : "counts");
}

mnp_status mnp_comm_all_gather(mnp_comm *comm, const void *send, int64_t count, void *recv, mnp_dtype dtype)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__ALL_GATHER,
                                  .name = "mnp_comm_all_gather",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .parts = {.count = count},
                                  .dtype = dtype};
    return run_gather(comm, &call);
}

mnp_status mnp_comm_all_gatherv(mnp_comm *comm, const void *send, int64_t count, void *recv, const int64_t *counts,
                                const int64_t *offsets, mnp_dtype dtype)
{
    MNP_ENTER(comm, counts, offsets);
    const mnp__collective call = {.kind = MNP__ALL_GATHER,
                                  .name = "mnp_comm_all_gatherv",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .parts = {.counts = counts, .offsets = offsets},
                                  .dtype = dtype};
    return run_gather(comm, &call);
}

mnp_status mnp_comm_gather(mnp_comm *comm, const void *send, int64_t count, void *recv, mnp_dtype dtype, int root)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__GATHER,
                                  .name = "mnp_comm_gather",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .parts = {.count = count},
                                  .dtype = dtype,
                                  .root = root};
    return run_gather(comm, &call);
}

mnp_status mnp_comm_gatherv(mnp_comm *comm, const void *send, int64_t count, void *recv, const int64_t *counts,
                            const int64_t *offsets, mnp_dtype dtype, int root)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__GATHER,
                                  .name = "mnp_comm_gatherv",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .parts = {.counts = counts, .offsets = offsets},
                                  .uneven = true,
                                  .dtype = dtype,
                                  .root = root};
    if (comm->base.rank == root)
        MNP_TRY(check_lists(call.name, counts, offsets));
    return run_gather(comm, &call);
}

/* `parts` are those of send where it is used. */
static mnp_status run_scatter(mnp_comm *comm, const mnp__collective *call)
{
    int rank = comm->base.rank;
    MNP_TRY(check_move(comm, call));
    MNP_TRY(check_buffer(call->name, "recv", call->recv, call->whole));
    if (rank == call->root) {
        MNP_TRY(check_parts(comm, call->name, "count", &call->parts));
        int64_t own = mnp__part_count(&call->parts, rank);
        if (own != call->whole)
            return MNP_FAIL(MNP_ERR_ARG, "%s: count is %" PRId64 ", and counts has %" PRId64 " for this rank",
                            call->name, call->whole, own);
        MNP_TRY(check_in_place(call, call->send, extent_of(comm, &call->parts), call->recv, call->whole,
                               mnp__part_offset(&call->parts, rank)));
    }
    return mnp__collective_run(comm, call);
}

mnp_status mnp_comm_scatter(mnp_comm *comm, const void *send, void *recv, int64_t count, mnp_dtype dtype, int root)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__SCATTER,
                                  .name = "mnp_comm_scatter",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .parts = {.count = count},
                                  .dtype = dtype,
                                  .root = root};
    return run_scatter(comm, &call);
}

mnp_status mnp_comm_scatterv(mnp_comm *comm, const void *send, const int64_t *counts, const int64_t *offsets,
                             void *recv, int64_t count, mnp_dtype dtype, int root)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__SCATTER,
                                  .name = "mnp_comm_scatterv",
                                  .send = send,
                                  .recv = recv,
                                  .whole = count,
                                  .parts = {.counts = counts, .offsets = offsets},
                                  .uneven = true,
                                  .dtype = dtype,
                                  .root = root};
    if (comm->base.rank == root)
        MNP_TRY(check_lists(call.name, counts, offsets));
    return run_scatter(comm, &call);
}

static mnp_status run_all_to_all(mnp_comm *comm, const mnp__collective *call)
{
    int rank = comm->base.rank;
    MNP_TRY(check_dtype(call->name, call->dtype));
    MNP_TRY(check_parts(comm, call->name, "count_per_rank", &call->parts));
    MNP_TRY(check_parts(comm, call->name, "count_per_rank", &call->recv_parts));
    if (mnp__part_count(&call->parts, rank) != mnp__part_count(&call->recv_parts, rank))
        return MNP_FAIL(MNP_ERR_ARG, "%s: this rank sends itself %" PRId64 " elements, and expects %" PRId64,
                        call->name, mnp__part_count(&call->parts, rank), mnp__part_count(&call->recv_parts, rank));
    MNP_TRY(check_same(comm, call));
    MNP_TRY(
        check_apart(call, call->send, extent_of(comm, &call->parts), call->recv, extent_of(comm, &call->recv_parts)));
    return mnp__collective_run(comm, call);
}

mnp_status mnp_comm_all_to_all(mnp_comm *comm, const void *send, void *recv, int64_t count_per_rank, mnp_dtype dtype)
{
    MNP_ENTER(comm);
    const mnp__collective call = {.kind = MNP__ALL_TO_ALL,
                                  .name = "mnp_comm_all_to_all",
                                  .send = send,
                                  .recv = recv,
                                  .parts = {.count = count_per_rank},
                                  .recv_parts = {.count = count_per_rank},
                                  .dtype = dtype};
    return run_all_to_all(comm, &call);
}

mnp_status mnp_comm_all_to_allv(mnp_comm *comm, const void *send, const int64_t *send_counts,
                                const int64_t *send_offsets, void *recv, const int64_t *recv_counts,
                                const int64_t *recv_offsets, mnp_dtype dtype)
{
    MNP_ENTER(comm, send_counts, send_offsets, recv_counts, recv_offsets);
    const mnp__collective call = {.kind = MNP__ALL_TO_ALL,
                                  .name = "mnp_comm_all_to_allv",
                                  .send = send,
                                  .recv = recv,
                                  .parts = {.counts = send_counts, .offsets = send_offsets},
                                  .recv_parts = {.counts = recv_counts, .offsets = recv_offsets},
                                  .uneven = true,
                                  .dtype = dtype};
    return run_all_to_all(comm, &call);
}

/* One side of a message. */
static mnp_status run_message(mnp_comm *comm, const mnp__collective *call)
{
    MNP_TRY(check_count(comm, call->name, "count", call->whole));
    MNP_TRY(check_dtype(call->name, call->dtype));
    MNP_TRY(check_rank(comm, call->name, "peer", call->root));
    if (call->root == comm->base.rank)
        return MNP_FAIL(MNP_ERR_ARG, "%s: peer is %d, this rank itself", call->name, call->root);
    MNP_TRY(check_buffer(call->name, "buffer", call->kind == MNP__SEND ? call->send : call->recv, call->whole));
    return mnp__collective_run(comm, call);
}

mnp_status mnp_comm_send(mnp_comm *comm, const void *buffer, int64_t count, mnp_dtype dtype, int peer)
{
    MNP_ENTER(comm);
    const mnp__collective call = {
        .kind = MNP__SEND, .name = "mnp_comm_send", .send = buffer, .whole = count, .dtype = dtype, .root = peer};
    return run_message(comm, &call);
}

mnp_status mnp_comm_recv(mnp_comm *comm, void *buffer, int64_t count, mnp_dtype dtype, int peer)
{
    MNP_ENTER(comm);
    const mnp__collective call = {
        .kind = MNP__RECV, .name = "mnp_comm_recv", .recv = buffer, .whole = count, .dtype = dtype, .root = peer};
    return run_message(comm, &call);
}

mnp_status mnp_comm_barrier(mnp_comm *comm)
{
    MNP_ENTER(comm);
    return mnp__barrier_run(comm);
}
