/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of arrays: of blocks that several ranks have.
 */
#include <maniple/comm.h>

#include <string.h>

#include "array/array.h"
#include "comm/collectives/subcomm.h"
#include "layout/layout.h"

/* MNP_ERR_ARG unless all ranks of comm own the same box; another group may find what this one does not. */
static mnp_status check(mnp_comm *comm, const char *call, const mnp_array *x)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    size_t bytes = (size_t)x->layout->ndim * sizeof *lo;
    MNP_TRY(mnp__array_check_blocks(call, x));
    if (mnp_comm_world(x->ctx) != comm->world)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array belongs to another context than the communicator", call);
    for (int r = 0; r < mnp_comm_size(comm); r++) {
        int rank = mnp_comm_world_rank(comm, r);
        mnp_layout_box(x->layout, rank, lo, extent);
        if (memcmp(extent, x->local_shape, bytes) != 0 || (x->local_size > 0 && memcmp(lo, x->local_lo, bytes) != 0))
            return MNP_FAIL(MNP_ERR_ARG, "%s: ranks %d and %d own different blocks of the array", call,
                            x->ctx->comm.rank, rank);
    }
    return MNP_OK;
}

mnp_status mnp_array_all_reduce(mnp_comm *comm, const mnp_array *x, mnp_op op, mnp_array **y_p)
{
    const mnp_array *dense;
    mnp_array *temporary = NULL, *output;
    MNP_TRY(MNP_AGREE(x->ctx, check(comm, "mnp_array_all_reduce", x)));
    MNP_TRY(mnp__array_output_dense(x->ctx, "the result", x->dtype, x->layout, *y_p, &output));
    bool shares = output != x && output->buffer == x->buffer; /* what is read must not be written before */
    mnp_status st = shares ? mnp__array_copy_dense(x, &temporary) : mnp__array_dense(x, &dense, &temporary);
    if (shares)
        dense = temporary;
    if (st == MNP_OK)
        st = mnp_comm_all_reduce(comm, dense->data, output->data, output->local_size, x->dtype, op);
    mnp_array_free(temporary);
    return mnp__array_deliver(output, st, y_p);
}

mnp_status mnp_array_broadcast(mnp_comm *comm, mnp_array *x, int root)
{
    const mnp_array *dense;
    mnp_array *temporary = NULL;
    MNP_TRY(MNP_AGREE(x->ctx, check(comm, "mnp_array_broadcast", x)));
    if (x->read_only)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_array_broadcast: x is a broadcast view, which cannot be written");
    MNP_TRY(mnp__array_dense(x, &dense, &temporary));
    mnp_status st = mnp_comm_broadcast(comm, dense->data, x->local_size, x->dtype, root);
    if (st == MNP_OK && temporary)
        st = mnp__array_assign(temporary, x);
    mnp_array_free(temporary);
    return st;
}
