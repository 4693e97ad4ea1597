/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What selecting is made of on one rank: indices looked through and made dense, elements moved by them, and results
 * brought to where they were given.
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
 * sentence has the first one in C order.  `axis` is for the sentence; below 0: none.  Waits with MNP_RAISE.
 * Collective.
 */
mnp_status mnp__indices_look(const char *function, const mnp_array *indices, int64_t n, int axis, mnp_index_mode mode);

/* The first index in C order that is outside low .. high-1, if there is one.  Waits.  Collective. */
mnp_status mnp__indices_outside(const char *function, const mnp_array *indices, int64_t low, int64_t high,
                                bool *found_p, int64_t *index_p);

/*
 * The indices in that layout, to which they are broadcast, as int64: *indices_p is the array itself or *temporary_p,
 * which the caller frees.  If `dense`, they lie so in every block.  Collective.
 */
mnp_status mnp__indices_bring(const mnp_array *indices, const mnp_layout *layout, bool dense,
                              const mnp_array **indices_p, mnp_array **temporary_p);

/*
 * Move elements of `size` bytes on this rank, on the compute stream; `total` is found here.  All ranks must call it
 * with the same size, as the kernels are compiled together; nothing else is agreed upon.
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

/*
 * What a result is written to: the array that was given, checked, if it has that layout and dtype, is dense and shares
 * no memory with the inputs; else a new one.  mnp__selected_deliver() ends it: agrees on the status where the result
 * has to travel or be cast, and does that; frees what is not the user's.  Collective.
 */
mnp_status mnp__selected_new(const char *function, mnp_dtype dtype, const mnp_layout *layout, int count,
                             const mnp_array *const *inputs, const mnp_array *given, mnp_array **result_p);
mnp_status mnp__selected_deliver(mnp_array *result, mnp_status status, mnp_array **array_p);

/* MNP_ERR_ARG if the array is NULL, a scalar, or a broadcast view. */
mnp_status mnp__target_writable(const char *function, const mnp_array *x);

#endif
