/*
 * mnp_redistribute: the same array in another layout, by the mover.
 */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/mover.h"

/* A rank wants its block of the new layout, dense. */
static int wanted_block(const void *argument, int rank, mnp__want *wants)
{
    const mnp_layout *layout = argument;
    mnp_layout_box(layout, rank, wants[0].lo, wants[0].extent);
    mnp__dense_strides(layout->ndim, wants[0].extent, wants[0].strides);
    wants[0].offset = 0;
    return 1;
}

static mnp_status check(const mnp_array *array, const mnp_layout *layout)
{
    if (layout->nranks != array->layout->nranks)
        return MNP_FAIL(MNP_ERR_ARG, "the new layout is for %d ranks, and the array is on %d", layout->nranks,
                        array->layout->nranks);
    if (layout->ndim != array->layout->ndim || memcmp(layout->shape, array->layout->shape, sizeof layout->shape) != 0)
        return MNP_FAIL(MNP_ERR_ARG, "the new layout has another shape than the array");
    return MNP_OK;
}

mnp_status mnp_redistribute(const mnp_array *array, const mnp_layout *layout, mnp_array **result_p)
{
    static const mnp_boundary none[MNP_MAX_DIMS] = {MNP_BOUNDARY_FILL}; /* nothing lies beyond the borders */
    mnp_ctx *ctx = array->ctx;
    mnp__mover *mover = NULL;
    mnp_array *output;
    MNP_TRY(check(array, layout));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_redistribute", mnp__layout_hash(layout)));
    if (mnp_layout_equal(array->layout, layout))
        return mnp_copy(array, result_p);
    MNP_TRY(mnp__array_output(ctx, "the result", array->dtype, layout, *result_p, &output));
    mnp_status st = mnp__mover_new(ctx, array->dtype, array->layout, none, wanted_block, layout, &mover);
    if (st == MNP_OK) {
        st = mnp__mover_begin(mover, array->data, output->data);
        if (st == MNP_OK)
            st = mnp__mover_finish(mover, output->data);
        if (st == MNP_OK)
            st = mnp__ctx_wait(ctx, ctx->compute); /* the mover's buffers go now */
        st = MNP_AGREE(ctx, st);
    }
    mnp__mover_free(mover);
    return mnp__array_deliver(output, st, result_p);
}
