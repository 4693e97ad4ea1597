/*
 * mnp_redistribute: the same array in another layout, by the mover.
 */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/mover.h"

/* Where blocks of the new layout go: on this rank, with any strides. */
struct target {
    const mnp_layout *layout;
    int rank;
    const int64_t *strides;
};

static int wanted_block(const void *argument, int rank, mnp__want *wants)
{
    const struct target *target = argument;
    const mnp_layout *layout = target->layout;
    if (!mnp__layout_box(layout, rank, wants[0].lo, wants[0].extent))
        return 0;
    if (rank == target->rank)
        memcpy(wants[0].strides, target->strides, (size_t)layout->ndim * sizeof *target->strides);
    else
        mnp__dense_strides(layout->ndim, wants[0].extent, wants[0].strides);
    wants[0].offset = 0;
    return 1;
}

static mnp_status check(const mnp_array *array, const mnp_layout *layout)
{
    MNP_TRY(mnp__array_refuse_scalar("mnp_redistribute", array));
    if (layout->nranks != array->layout->nranks)
        return MNP_FAIL(MNP_ERR_ARG, "the new layout is for %d ranks, and the array is on %d", layout->nranks,
                        array->layout->nranks);
    if (layout->ndim != array->layout->ndim ||
        memcmp(layout->shape, array->layout->shape, (size_t)layout->ndim * sizeof *layout->shape) != 0)
        return MNP_FAIL(MNP_ERR_ARG, "the new layout has another shape than the array");
    return MNP_OK;
}

static mnp_status move(const mnp_array *from, mnp_array *to)
{
    static const mnp_boundary none[MNP_MAX_DIMS] = {MNP_BOUNDARY_FILL}; /* nothing lies beyond the borders */
    mnp_ctx *ctx = from->ctx;
    mnp__mover *mover = NULL;
    struct target target = {to->layout, ctx->comm.rank, to->local_strides};
    MNP_TRY(mnp__mover_new(ctx, from->dtype, from->layout, from->local_strides, none, wanted_block, &target, &mover));
    mnp_status st = mnp__mover_move(mover, from->data, to->data);
    mnp__mover_free(mover);
    return st;
}

mnp_status mnp_redistribute(const mnp_array *array, const mnp_layout *layout, mnp_array **result_p)
{
    mnp_ctx *ctx = array->ctx;
    mnp_array *output, *copy = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(check(array, layout));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_redistribute", mnp__layout_hash(layout)));
    if (mnp_layout_equal(array->layout, layout))
        return mnp_copy(array, result_p);
    MNP_TRY(mnp__array_output(ctx, "the result", array->dtype, layout, *result_p, &output));
    if (output->buffer == array->buffer) /* views of one array: what is read must not be written before */
        st = mnp_copy(array, &copy);
    if (st == MNP_OK)
        st = move(copy ? copy : array, output);
    mnp_array_free(copy);
    return mnp__array_deliver(output, st, result_p);
}
