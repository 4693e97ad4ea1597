/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of arrays, on blocks that several ranks have. */
#include <maniple/comm.h>

#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "comm/collectives/subcomm.h"
#include "layout/layout.h"

/* MNP_ERR_ARG unless all ranks of comm own the same box.  Other communicators may get another answer. */
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
    MNP_ENTER(comm, x, y_p);
    static const char function[] = "mnp_array_all_reduce";
    mnp__input input = {NULL, NULL};
    mnp__output output;
    MNP_TRY(MNP_AGREE(x->ctx, check(comm, function, x)));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype,
                                   .layout = x->layout,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    MNP_TRY(mnp__output_open(&spec, y_p, &output));
    const bool shares =
        output.array != x && output.array->buffer == x->buffer; /* the values are read before they are overwritten */
    mnp_status st = mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE | (shares ? MNP__INPUT_COPY : 0), &input);
    if (st == MNP_OK)
        st = mnp_comm_all_reduce(comm, input.array->data, output.array->data, output.array->local_size, x->dtype, op);
    mnp__input_close(&input);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_array_broadcast(mnp_comm *comm, mnp_array *x, int root)
{
    MNP_ENTER(comm, x);
    static const char function[] = "mnp_array_broadcast";
    mnp__input input;
    MNP_TRY(MNP_AGREE(x->ctx, check(comm, function, x)));
    MNP_TRY(mnp__output_check_writable(function, "x", x));
    MNP_TRY(mnp__input_open(x, NULL, x->dtype, MNP__INPUT_DENSE, &input));
    mnp_status st = mnp_comm_broadcast(comm, input.array->data, x->local_size, x->dtype, root);
    if (st == MNP_OK && input.temporary)
        st = mnp__array_assign(input.temporary, x);
    mnp__input_close(&input);
    return st;
}
