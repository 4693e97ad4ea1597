/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection: elements of lines by their ranks in order, without sorting the lines.  The order is that of a sort.
 */
#ifndef MNP__OPS_SORT_SELECT_H
#define MNP__OPS_SORT_SELECT_H

#include "array/array.h"
#include "ops/sort/radix_sort.h"

/*
 * Whether mnp__select() takes `count` positions of the lines of x along an axis, and sooner than a sort; otherwise
 * lines are to be sorted.  The same on all ranks.
 */
bool mnp__select_pays(const mnp_array *x, int axis, int count);

/*
 * The elements that each line of x along an axis (not negative) has at some positions when it is sorted, as an array of
 * the shape of x, but with `count` elements along the axis, which is not cut.  Zeros are positive, and NaN are the
 * usual one.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__select(const mnp_array *x, int axis, int count, const int64_t *positions, mnp_array **selected_p);

/*
 * On a GPU: what mnp__radix_sort_run() does on the host where `first` is not 0.  Collective, and agreed upon but for
 * the sort at the end.  Errors as there.
 */
mnp_status mnp__select_first(mnp_ctx *ctx, const mnp__radix_sort *local_sort);

#endif
