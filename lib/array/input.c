/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs: blocks that are read in place, and the temporaries for others. */
#include "array/input.h"

#include "layout/layout.h"

/* ---- layouts ---- */

bool mnp__input_is_here(const mnp_layout *owned, const mnp_layout *needed)
{
    if (mnp_layout_is_cyclic(owned) || mnp_layout_is_cyclic(needed))
        return mnp_layout_equal(owned, needed);
    for (int rank = 0; rank < owned->nranks; rank++) {
        int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], need_lo[MNP_MAX_DIMS], need_extent[MNP_MAX_DIMS];
        if (!mnp__layout_box(needed, rank, need_lo, need_extent))
            continue;
        if (!mnp__layout_box(owned, rank, lo, extent))
            return false;
        for (int d = 0; d < owned->ndim; d++) {
            if (need_lo[d] < lo[d] || need_lo[d] + need_extent[d] > lo[d] + extent[d])
                return false;
        }
    }
    return true;
}

/* A view of the part of this rank's block that `needed` asks for. */
static mnp_status restrict_to(const mnp_array *array, const mnp_layout *needed, mnp_array **view_p)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], offset = 0;
    if (mnp__layout_box(needed, array->ctx->comm.rank, lo, extent)) {
        for (int d = 0; d < needed->ndim; d++)
            offset += (lo[d] - array->local_lo[d]) * array->local_strides[d];
    }
    char *data = array->data;
    return mnp__array_view(array, array->dtype, needed,
                           data ? data + offset * (int64_t)mnp_dtype_size(array->dtype) : NULL, array->local_strides,
                           view_p);
}

mnp_status mnp__input_layout(const mnp_layout *layout, const mnp_layout *own, mnp_layout **needed_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < own->ndim; d++) {
        int from = layout->ndim - own->ndim + d;
        if (own->shape[d] == layout->shape[from])
            dims[d] = mnp__layout_dim_of(layout, from);
        else
            dims[d] = mnp__layout_dim_whole(own->shape[d]);
    }
    return mnp__layout_derive(layout, own->ndim, dims, needed_p);
}

static mnp_status bring_to_layout(const mnp_array *x, const mnp_layout *layout, mnp__input *input)
{
    mnp_layout *needed;
    MNP_TRY(mnp__input_layout(layout, x->layout, &needed));
    mnp_status st = mnp__input_is_here(x->layout, needed) ? restrict_to(x, needed, &input->temporary)
                                                          : mnp_redistribute(x, needed, &input->temporary);
    mnp_layout_free(needed);
    if (st == MNP_OK)
        input->array = input->temporary;
    return st;
}

/* ---- values ---- */

/* Replace the input's array by a copy in a dtype, dense in C order. */
static mnp_status convert(mnp_dtype dtype, mnp__input *input)
{
    mnp_array *copy;
    MNP_TRY(mnp_array_new_order(input->array->ctx, dtype, input->array->layout, MNP_ORDER_C, &copy));
    mnp_status st = mnp__array_assign(input->array, copy);
    mnp_array_free(input->temporary);
    *input = (mnp__input){copy, copy};
    return st;
}

mnp_status mnp__input_open(const mnp_array *x, const mnp_layout *layout, mnp_dtype dtype, unsigned needs,
                           mnp__input *input)
{
    mnp_status st = MNP_OK;
    *input = (mnp__input){.array = x};
    if (mnp__array_is_scalar(x))
        return MNP_OK;
    if (layout && !mnp_layout_equal(x->layout, layout))
        MNP_TRY(bring_to_layout(x, layout, input));
    const bool serves = (dtype == MNP_DTYPE_AUTO || input->array->dtype == dtype) &&
                        (!(needs & MNP__INPUT_DENSE) || input->array->dense & MNP__DENSE_C) &&
                        (!(needs & MNP__INPUT_COPY) || input->array->buffer != x->buffer);
    if (!serves)
        st = convert(dtype == MNP_DTYPE_AUTO ? x->dtype : dtype, input);
    if (st != MNP_OK)
        mnp__input_close(input);
    return st;
}

mnp_status mnp__input_open_everywhere(const mnp_array *x, mnp_dtype dtype, unsigned needs, mnp__input *input)
{
    mnp_layout *whole;
    *input = (mnp__input){NULL, NULL};
    MNP_TRY(mnp_layout_replicated(x->ctx->comm.size, x->layout->ndim, x->layout->shape, &whole));
    mnp_status st = mnp__input_open(x, whole, dtype, needs, input);
    mnp_layout_free(whole);
    return st;
}

/* ---- any layout ---- */

mnp_status mnp__input_in_blocks(const mnp_array **x_p, mnp_array **copy_p)
{
    const mnp_array *x = *x_p;
    mnp_layout *layout = NULL;
    if (!x || mnp__array_is_scalar(x) || !mnp_layout_is_cyclic(x->layout))
        return MNP_OK;
    MNP_TRY(MNP_AGREE(x->ctx, mnp__layout_in_blocks(x->layout, &layout)));
    const mnp_status st = mnp_redistribute(x, layout, copy_p);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        *x_p = *copy_p;
    return st;
}

mnp_status mnp__inputs_in_blocks(int count, const mnp_array *const **list_p, mnp__in_blocks *in_blocks)
{
    if (count > MNP__MOST_IN_BLOCKS)
        return MNP_OK;
    for (int i = 0; i < count; i++) {
        in_blocks->list[i] = (*list_p)[i];
        in_blocks->copies[in_blocks->made++] = NULL;
        MNP_TRY(mnp__input_in_blocks(&in_blocks->list[i], &in_blocks->copies[i]));
    }
    *list_p = in_blocks->list;
    return MNP_OK;
}

void mnp__in_blocks_free(mnp__in_blocks *in_blocks)
{
    for (int i = 0; i < in_blocks->made; i++)
        mnp_array_free(in_blocks->copies[i]);
}

/* ---- checks ---- */

mnp_status mnp__inputs_check(const char *function, int count, const mnp_array *const *arrays)
{
    for (int i = 0; i < count; i++) {
        MNP_TRY(mnp__array_check_blocks(function, arrays[i]));
        if (arrays[i]->ctx != arrays[0]->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: array %d belongs to another context", function, i);
    }
    return MNP_OK;
}
