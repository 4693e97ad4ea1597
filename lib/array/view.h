/* SPDX-License-Identifier: BSD-3-Clause */
/* The description of a view: for each of its dimensions, where it comes from. */
#ifndef MNP__ARRAY_VIEW_H
#define MNP__ARRAY_VIEW_H

#include <maniple/view.h>

#include "array/array.h"

/* A dimension of a view: its index j is index start + j * step of dimension `from` of the array. */
typedef struct mnp__view_dim {
    int from; /* MNP__NEW_DIM: a new dimension, whose elements are all the same */
    int64_t start, step, extent;
} mnp__view_dim;

#define MNP__NEW_DIM (-1)

/*
 * Make a view.  Every dimension of `x` is the source of one of `dims`, or is dropped: then the view has only its index
 * at[d] (`at` may be NULL if none is dropped).  Indices must be within bounds.  Not collective.  MNP_ERR_ARG if there
 * are too many dimensions, MNP_ERR_MEMORY.
 */
mnp_status mnp__view_make(const mnp_array *x, int ndim, const mnp__view_dim *dims, const int64_t *at,
                          mnp_array **view_p);

/*
 * Give a view to the caller of a public function, if `status` is MNP_OK: an array that *view_p holds is released, which
 * may be the one that was viewed.  Otherwise *view, which may be NULL, is.  Returns the status, which may come from the
 * call that sets *view.
 */
mnp_status mnp__view_give(mnp_status status, mnp_array *const *view, mnp_array **view_p);

/*
 * What subscripts mean for a shape: the dimensions of the view, of which there are *count_p, and the indices at[] of
 * those that are dropped.  MNP_ERR_ARG as for mnp_slice().
 */
mnp_status mnp__subscripts_resolve(int ndim, const int64_t *shape, int count, const mnp_subscript *subscripts,
                                   int *count_p, mnp__view_dim *dims, int64_t *at);

/* Where a slice with a step of 1 begins or ends, as Python takes it: it may count from the end, or be out of bounds. */
int64_t mnp__slice_end(int64_t index, int64_t extent);

/* Dimension d of `x`, unchanged and reversed. */
mnp__view_dim mnp__view_whole(const mnp_array *x, int d);
mnp__view_dim mnp__view_backwards(const mnp_array *x, int d);

/* Resolve an axis of the user's; negative ones count from the end.  MNP_ERR_ARG if it is out of bounds. */
mnp_status mnp__view_axis(const char *function, int ndim, int given, int *axis_p);

#endif
