/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How views are described: where the dimensions of a view come from.
 */
#ifndef MNP__ARRAY_VIEW_H
#define MNP__ARRAY_VIEW_H

#include <maniple/view.h>

#include "array/array.h"

/* A dimension of a view: index j of it is index start + j * step of dimension `from` of the array. */
typedef struct mnp__view_dim {
    int from; /* MNP__NEW_DIM: a dimension that the array has not, whose elements are all the same */
    int64_t start, step, extent;
} mnp__view_dim;

#define MNP__NEW_DIM (-1)

/*
 * Make a view.  Every dimension of `x` is where one of `dims` comes from, or has been dropped: then only index at[d] of
 * it is seen (`at` may be NULL where none is dropped).  Indices must be within bounds.  Not collective.  MNP_ERR_ARG if
 * there are too many dimensions, MNP_ERR_MEMORY.
 */
mnp_status mnp__view_make(const mnp_array *x, int ndim, const mnp__view_dim *dims, const int64_t *at,
                          mnp_array **view_p);

/* Dimension d of `x` as it is, and backwards. */
mnp__view_dim mnp__view_whole(const mnp_array *x, int d);
mnp__view_dim mnp__view_backwards(const mnp_array *x, int d);

/* The axis that a user means, negative ones counted from the end.  MNP_ERR_ARG if there are not so many dimensions. */
mnp_status mnp__view_axis(const char *function, int ndim, int given, int *axis_p);

#endif
