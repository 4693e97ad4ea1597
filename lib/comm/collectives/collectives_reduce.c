/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions by messages: every rank reduces a part of the elements, of which the others send it theirs.
 *
 * Values are taken in the order of the ranks, for parts of any sizes, so a result does not depend on how the
 * work was divided, and every rank has the same bits.  Small reductions are done by every rank that wants the result:
 * one exchange instead of two, or, among many ranks of the CPU, a few messages instead of one from each to each.
 * Larger ones go in steps, so that the memory that they need is bounded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"
#include "base/text.h"
#include "comm/collectives/collectives.h"
#include "comm/collectives/combine.h"
#include "kernels/comm/combine_params.h"

enum { DIRECT_BYTES = 32 << 10, THREADS = 256, MOST_BLOCKS = 1 << 16, FEW_RANKS = 32 }; /* bytes: of all */

static size_t scratch_bytes(const mnp_comm *comm)
{
    return (size_t)(comm->base.device->cpu_memory ? 1 : 64) << 20;
}

void mnp__add_reduction(mnp__text *defines, mnp_dtype dtype, mnp_op op)
{
    static const char *const joins[] = {
        [MNP_SUM] = "add", [MNP_PROD] = "multiply", [MNP_MIN] = "minimum", [MNP_MAX] = "maximum", [MNP_AVG] = "add",
    };
    const bool small = mnp_dtype_kind(dtype) == 'f' && mnp_dtype_size(dtype) == 2; /* computed with as float32 */
    mnp__text_add(defines, "#define MNP_MEMORY %s\n#define MNP_VALUE %s\n", mnp__jit_type(dtype),
                  mnp__jit_type(small ? MNP_FLOAT32 : dtype));
    mnp__text_add(defines, "#define MNP_JOIN mnp_%s\n#define MNP_AVERAGES %d\n", joins[op], op == MNP_AVG);
}

mnp_status mnp__prepare_kernel(mnp_comm *comm, const char *file, const char *function, mnp__text *defines,
                               mnp__kernel **kernel_p)
{
    mnp__device *device = comm->base.device;
    mnp_status st = MNP_OK;
    if (!*kernel_p) {
        const mnp__kernel_spec spec = {.file = file, .function = function, .defines = mnp__text_string(defines)};
        st = mnp__text_status(defines);
        if (st == MNP_OK)
            st = mnp__device_load_kernel(device, &spec, kernel_p);
        st = mnp__agree(&comm->base, st);
        if (st != MNP_OK && *kernel_p) {
            device->ops->kernel_free(device, *kernel_p);
            *kernel_p = NULL;
        }
    }
    mnp__text_free(defines);
    return st;
}

/* Room for others' values; all ranks of the group have it, or none. */
static mnp_status prepare_scratch(mnp_comm *comm)
{
    mnp__device *device = comm->base.device;
    if (comm->scratch)
        return MNP_OK;
    mnp_status st = mnp__agree(&comm->base, device->ops->alloc(device, scratch_bytes(comm), &comm->scratch));
    if (st != MNP_OK) {
        device->ops->free(device, comm->scratch);
        comm->scratch = NULL;
    }
    return st;
}

/* The kernel is for a device whose memory the CPU cannot use. */
mnp_status mnp__reductions_prepare(mnp_comm *comm, mnp_dtype dtype, mnp_op op)
{
    mnp__kernel **kernel = &comm->kernels[dtype][op];
    MNP_TRY(prepare_scratch(comm));
    if (comm->base.device->cpu_memory || *kernel)
        return MNP_OK;
    mnp__text defines = MNP__TEXT_EMPTY;
    mnp__add_reduction(&defines, dtype, op);
    return mnp__prepare_kernel(comm, "comm/combine.cu", "combine", &defines, kernel);
}

/* On the CPU: this rank's elements are at `own`, those of rank r are block r - first of the scratch memory, around. */
static void combine_on_cpu(mnp_comm *comm, const mnp__collective *call, int64_t count, const void *own, int first,
                           void *dst)
{
    const size_t bytes = (size_t)count * mnp_dtype_size(call->dtype);
    const int ranks = comm->base.size;
    for (int r = 0; r < ranks; r++) {
        const int block = r < first ? r - first + ranks : r - first;
        comm->sources[r] = r == comm->base.rank ? own : (const char *)comm->scratch + (size_t)block * bytes;
    }
    mnp__combine(call->dtype, call->op, count, ranks, comm->sources, dst);
}

/*
 * Reduce `count` elements: this rank's own are at `own`, those of rank r in the scratch memory from r * count on.
 */
static mnp_status combine(mnp_comm *comm, const mnp__collective *call, int64_t count, const void *own, void *dst)
{
    mnp__device *device = comm->base.device;
    if (count == 0)
        return MNP_OK;
    if (device->cpu_memory) {
        combine_on_cpu(comm, call, count, own, 0, dst);
        return MNP_OK;
    }
    const mnp_combine_params params = {.parts = comm->scratch,
                                       .own = own,
                                       .dst = dst,
                                       .count = count,
                                       .ranks = comm->base.size,
                                       .rank = comm->base.rank};
    int64_t blocks = mnp__divide_up(count, THREADS);
    const mnp__launch launch = {.grid = {(unsigned)mnp__min(blocks, MOST_BLOCKS), 1, 1}, .block = {THREADS, 1, 1}};
    return device->ops->launch(device, comm->kernels[call->dtype][call->op], &launch, &params, sizeof params,
                               device->memory_stream);
}

static mnp__message message(const mnp__collective *call, int peer, const void *data, int64_t first, int64_t count)
{
    size_t size = mnp_dtype_size(call->dtype);
    return (mnp__message){.peer = peer, .data = (char *)data + first * (int64_t)size, .bytes = (size_t)count * size};
}

/* Whether a rank gets all of the result. */
static bool wants(const mnp__collective *call, int rank)
{
    return call->kind == MNP__ALL_REDUCE || rank == call->root;
}

bool mnp__has_many_ranks(const mnp_comm *comm)
{
    return comm->base.device->cpu_memory && comm->base.size > FEW_RANKS;
}

/* By the algorithm of Bruck and others, as in agree.c. */
mnp_status mnp__gather_blocks(mnp_comm *comm, const void *own, size_t bytes)
{
    const int rank = comm->base.rank, ranks = comm->base.size;
    char *blocks = comm->scratch;
    memcpy(blocks, own, bytes);
    for (int known = 1, missing; (missing = ranks - known) > 0; known += known < missing ? known : missing) {
        const size_t more = (size_t)mnp__min(known, missing) * bytes;
        const mnp__message send = {.peer = (rank + missing) % ranks, .data = blocks, .bytes = more};
        const mnp__message recv = {
            .peer = (rank + known) % ranks, .data = blocks + (size_t)known * bytes, .bytes = more};
        MNP_TRY(mnp__exchange_once(comm, 1, &send, 1, &recv));
    }
    return MNP_OK;
}

/* Every rank that wants the result gets the values of all ranks, and reduces them. */
static mnp_status reduce_directly(mnp_comm *comm, const mnp__collective *call)
{
    int rank = comm->base.rank, ranks = comm->base.size, nsends = 0, nrecvs = 0;
    if (call->kind == MNP__ALL_REDUCE && mnp__has_many_ranks(comm)) {
        MNP_TRY(mnp__gather_blocks(comm, call->send, (size_t)call->whole * mnp_dtype_size(call->dtype)));
        combine_on_cpu(comm, call, call->whole, call->send, rank, call->recv);
        return MNP_OK;
    }
    for (int i = 1; i < ranks; i++) {
        int to = (rank + i) % ranks, from = (rank + ranks - i) % ranks;
        if (wants(call, to))
            comm->sends[nsends++] = message(call, to, call->send, 0, call->whole);
        if (wants(call, rank))
            comm->recvs[nrecvs++] = message(call, from, comm->scratch, from * call->whole, call->whole);
    }
    MNP_TRY(mnp__exchange_once(comm, nsends, comm->sends, nrecvs, comm->recvs));
    return wants(call, rank) ? combine(comm, call, call->whole, call->send, call->recv) : MNP_OK;
}

/* The first of n elements that are rank r's to reduce. */
static int64_t share(const mnp_comm *comm, int64_t n, int r)
{
    int64_t longer = n % comm->base.size;
    return n / comm->base.size * r + mnp__min(r, longer);
}

/*
 * Give everyone the others' values of what it reduces: its share of n elements from `first` on, or n elements of its
 * own part from there.
 */
static mnp_status collect(mnp_comm *comm, const mnp__collective *call, int64_t first, int64_t n, bool shares)
{
    int rank = comm->base.rank, ranks = comm->base.size, nsends = 0, nrecvs = 0;
    int64_t mine = shares ? share(comm, n, rank + 1) - share(comm, n, rank) : n;
    for (int i = 1; i < ranks; i++) {
        int to = (rank + i) % ranks, from = (rank + ranks - i) % ranks;
        int64_t begin = shares ? share(comm, n, to) : to * call->parts.count;
        int64_t count = shares ? share(comm, n, to + 1) - begin : n;
        if (count > 0)
            comm->sends[nsends++] = message(call, to, call->send, first + begin, count);
        if (mine > 0)
            comm->recvs[nrecvs++] = message(call, from, comm->scratch, from * mine, mine);
    }
    return mnp__exchange_once(comm, nsends, comm->sends, nrecvs, comm->recvs);
}

/* Shares that were reduced, this rank's at `own`, go to the ranks that want the result. */
static mnp_status spread(mnp_comm *comm, const mnp__collective *call, int64_t first, int64_t n, const void *own)
{
    int rank = comm->base.rank, ranks = comm->base.size, nsends = 0, nrecvs = 0;
    int64_t mine = share(comm, n, rank + 1) - share(comm, n, rank);
    for (int i = 1; i < ranks; i++) {
        int to = (rank + i) % ranks, from = (rank + ranks - i) % ranks;
        int64_t begin = share(comm, n, from), count = share(comm, n, from + 1) - begin;
        if (mine > 0 && wants(call, to))
            comm->sends[nsends++] = message(call, to, own, 0, mine);
        if (count > 0 && wants(call, rank))
            comm->recvs[nrecvs++] = message(call, from, call->recv, first + begin, count);
    }
    return mnp__exchange_once(comm, nsends, comm->sends, nrecvs, comm->recvs);
}

/* n elements from `first` on, in shares.  A rank that does not want the result keeps its share in scratch memory. */
static mnp_status reduce_shares(mnp_comm *comm, const mnp__collective *call, int64_t first, int64_t n)
{
    int rank = comm->base.rank;
    int64_t begin = share(comm, n, rank), mine = share(comm, n, rank + 1) - begin;
    void *dst = wants(call, rank) ? message(call, rank, call->recv, first + begin, mine).data
                                  : message(call, rank, comm->scratch, rank * mine, mine).data;
    MNP_TRY(collect(comm, call, first, n, true));
    MNP_TRY(combine(comm, call, mine, message(call, rank, call->send, first + begin, mine).data, dst));
    return spread(comm, call, first, n, dst);
}

/* n elements from `first` on of every rank's part. */
static mnp_status reduce_parts(mnp_comm *comm, const mnp__collective *call, int64_t first, int64_t n)
{
    const void *own = message(call, 0, call->send, comm->base.rank * call->parts.count + first, n).data;
    MNP_TRY(collect(comm, call, first, n, false));
    return combine(comm, call, n, own, message(call, 0, call->recv, first, n).data);
}

mnp_status mnp__reduce_by_parts(mnp_comm *comm, const mnp__collective *call)
{
    size_t size = mnp_dtype_size(call->dtype);
    bool scatters = call->kind == MNP__REDUCE_SCATTER;
    int64_t room = (int64_t)(scratch_bytes(comm) / size), ranks = comm->base.size;
    int64_t total = scatters ? call->parts.count : call->whole, step = scatters ? room / ranks : room - ranks;
    if (!scatters && (size_t)total * size <= DIRECT_BYTES / (size_t)ranks)
        return reduce_directly(comm, call);
    if (step < 1)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "reductions over %d ranks need more memory than they have",
                        comm->base.size);
    for (int64_t first = 0; first < total; first += step) {
        int64_t n = total - first < step ? total - first : step;
        MNP_TRY(scatters ? reduce_parts(comm, call, first, n) : reduce_shares(comm, call, first, n));
    }
    return MNP_OK;
}
