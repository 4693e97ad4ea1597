/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indices that are checked, and elements that are moved by indices on one rank.
 */
#ifndef MNP__OPS_INDEXING_INDEXED_H
#define MNP__OPS_INDEXING_INDEXED_H

#include <maniple/select.h>

#include "array/array.h"
#include "kernels/indexing/indexed_params.h"

/* MNP_ERR_ARG if indices are NULL, a scalar, of another context than x, or not of integers; or if that is no mode. */
mnp_status mnp__indices_check(const char *function, const mnp_array *x, const mnp_array *indices, mnp_index_mode mode);

/*
 * MNP_ERR_ARG, on all ranks, if there are indices and n is 0, or, with MNP_RAISE, if one is outside -n .. n-1: the
 * message has the first one in C order.  `axis` is for the message; below 0: none.  Waits with MNP_RAISE.  Collective.
 */
mnp_status mnp__indices_check_range(const char *function, const mnp_array *indices, int64_t n, int axis,
                                    mnp_index_mode mode);

/*
 * The same in two parts: the check is begun, on the compute stream, and other work may be enqueued before the end waits
 * for the check alone.  That work must not follow indices out of range.  At most MNP_MAX_DIMS checks are under way.
 * `by_move`, on one rank: nothing is launched, but a move of elements checks the indices, and reports to `outside`.
 */
typedef struct mnp__range_check {
    const char *function;
    const mnp_array *indices;
    int64_t n;
    int axis;
    bool by_move;
    bool pending; /* this and the next are set by the begin */
    int *outside; /* NULL, or the word that becomes 1 if an index is out of range */
} mnp__range_check;

mnp_status mnp__range_check_begin(mnp__range_check *check, mnp_index_mode mode);
mnp_status mnp__range_check_end(const mnp__range_check *check);

/* The first index in C order that is outside low .. high-1, if there is one.  Waits.  Collective. */
mnp_status mnp__indices_outside(const char *function, const mnp_array *indices, int64_t low, int64_t high,
                                bool *found_p, int64_t *index_p);

/*
 * What mnp_ufunc_at() does: function(element, value) replaces the element of x of each number in C order, one after the
 * other; the numbers are in range.  Values are broadcast to them.  Collective.
 */
mnp_status mnp__elements_apply(const char *caller, const char *function, mnp_array *x, const mnp_array *numbers,
                               const mnp_array *values);

/*
 * Move elements of `size` bytes on this rank, on the compute stream; `total`, `wide` and `divide` are found here.  On a
 * GPU, with MNP_INDEXED_RAISE and a count, indices that are out of range are taken as 0.  All ranks must call it with
 * the same size and type of indices, as the kernels are compiled together; nothing else is agreed upon.
 */
mnp_status mnp__indexed_run(mnp_ctx *ctx, size_t size, const mnp_indexed_params *moved);

/* One more dimension, the innermost so far. */
static inline void mnp__indexed_add(mnp_indexed_params *moved, int64_t extent, int64_t src_stride, int64_t dst_stride,
                                    int64_t index_stride)
{
    moved->extent[moved->ndim] = extent;
    moved->src_stride[moved->ndim] = src_stride;
    moved->dst_stride[moved->ndim] = dst_stride;
    moved->index_stride[moved->ndim++] = index_stride;
}

#endif
