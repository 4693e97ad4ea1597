/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small collectives of GPUs: one launch of kernels/comm/p2p_small.cu.  A call costs the CPU little more than that: it
 * fills in the kernel's parameters.
 */
#include "base/integer.h"
#include "base/status.h"
#include "base/text.h"
#include "comm/collectives/collectives_p2p.h"
#include "comm/waits.h"

/* The largest message, in bytes, where all ranks know all sizes; else more than any memory has. */
static int64_t largest_message(const mnp_comm *comm, const mnp__collective *call)
{
    const int64_t size = (int64_t)mnp_dtype_size(call->dtype);
    int64_t most = call->whole;
    if (call->uneven || call->kind == MNP__SEND || call->kind == MNP__RECV)
        return INT64_MAX;
    for (int r = 0; r < comm->base.size; r++) {
        const int64_t count = mnp__part_count(&call->parts, r);
        most = mnp__max(count, most);
    }
    return most * size;
}

static mnp_status prepare(mnp_comm *comm, const mnp__collective *call, mnp__kernel **kernel_p)
{
    const bool reduces = mnp__reduces(call);
    mnp__kernel **kernel = reduces ? &comm->small_reductions[call->dtype][call->op] : &comm->small_moves;
    if (!*kernel) {
        mnp__text defines = MNP__TEXT_EMPTY;
        mnp__text_add(&defines, "#define MNP_REDUCES %d\n", reduces);
        if (reduces)
            mnp__add_reduction(&defines, call->dtype, call->op);
        MNP_TRY(mnp__prepare_kernel(comm, "comm/p2p_small.cu", "p2p_small", &defines, kernel));
    }
    *kernel_p = *kernel;
    return MNP_OK;
}

/* What goes to and comes from rank r of the group. */
static mnp_p2p_small_rank rank_of(const mnp_comm *comm, const mnp__collective *call, int r)
{
    const int rank = comm->base.rank, peer = comm->peer_of[r], size = (int)mnp_dtype_size(call->dtype);
    const mnp__run sends = mnp__sent(call, rank, r), recvs = mnp__received(call, rank, r);
    mnp_p2p_small_rank side = {.send = sends.data,
                               .recv = recvs.data,
                               .send_bytes = (int)sends.count * size,
                               .recv_bytes = (int)recvs.count * size,
                               .peer = peer};
    if (r != rank && (sends.count > 0 || recvs.count > 0 || call->kind == MNP__BARRIER)) { /* both find that alike */
        mnp__pair *pair = mnp__pair_here(comm->p2p, peer);
        side.here = pair->lines[0];
        side.there = mnp__pair_there(comm->p2p, peer)->lines[0];
        side.exchanges = &pair->exchanges;
    }
    return side;
}

/* Blocks as wide as the messages have words, and as it leaves room for a row for every rank. */
static mnp__launch launch_of(int ranks, int bytes)
{
    const int64_t words = mnp__p2p_words_of(bytes);
    int width = 32;
    while (width < words && 2 * width * ranks <= MNP_P2P_SMALL_THREADS)
        width *= 2;
    const int share = width * MNP_P2P_SMALL_EACH;
    return (mnp__launch){.grid = {(unsigned)mnp__divide_up(words, share), 1, 1},
                         .block = {(unsigned)width, (unsigned)ranks, 1},
                         .early = true};
}

bool mnp__p2p_small_serves(const mnp_comm *comm, const mnp__collective *call)
{
    if (!comm->p2p)
        return false;
    const int64_t bytes = largest_message(comm, call);
    const unsigned most = (unsigned)(comm->p2p->multiprocessors / 2 * MNP_P2P_SMALL_RESIDENT);
    return bytes <= MNP_P2P_SMALL_BYTES && launch_of(comm->base.size, (int)bytes).grid[0] <= most;
}

mnp_status mnp__p2p_small_run(mnp_comm *comm, const mnp__collective *call)
{
    mnp__device *device = comm->base.device;
    const int ranks = comm->base.size, rank = comm->base.rank;
    mnp_p2p_small_params params = {.limits = mnp__waits_params(comm->base.waits)};
    mnp__kernel *kernel;
    int bytes = 0, meets = 0;
    MNP_TRY(mnp__waits_check(comm->base.waits));
    MNP_TRY(prepare(comm, call, &kernel));
    for (int r = 0; r < ranks; r++) {
        const mnp_p2p_small_rank side = params.ranks[r] = rank_of(comm, call, r);
        meets += side.there != NULL;
        bytes = side.send_bytes > bytes ? side.send_bytes : bytes;
        bytes = side.recv_bytes > bytes ? side.recv_bytes : bytes;
    }
    if (meets == 0 && bytes == 0)
        return MNP_OK;
    if (mnp__reduces(call) && (call->kind != MNP__REDUCE || rank == call->root)) {
        params.result = call->recv;
        params.result_bytes = params.ranks[rank].recv_bytes;
    }
    params.arrived = &mnp__pair_here(comm->p2p, comm->base.peers->mine)->arrived;
    const mnp__launch launch = launch_of(ranks, bytes);
    return device->ops->launch(device, kernel, &launch, &params, sizeof params, device->memory_stream);
}
