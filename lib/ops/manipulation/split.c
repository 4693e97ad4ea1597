/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splitting: views of the parts; and views of several arrays that are broadcast against each other.
 */
#include <maniple/join.h>

#include <inttypes.h>
#include <stdlib.h>

#include "array/input.h"
#include "array/view.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "ops/elementwise/apply.h"

/* ---- several views ---- */

/* Give all views to the caller, or none, and release the list. */
static mnp_status give_views(mnp_status status, int count, mnp_array **made, mnp_array **views)
{
    for (int i = 0; i < count; i++)
        mnp__view_give(status, &made[i], &views[i]);
    free(made);
    return status;
}

/* ---- parts ---- */

/* The first index of part i of those that `argument` describes. */
typedef int64_t (*part_start)(const void *argument, int64_t extent, int part);

/* Views of [start(i), start(i + 1)) along `axis`, as Python's slices: clipped, and empty where the end comes first. */
static mnp_status split(const mnp_array *x, int count, int axis, part_start start, const void *argument,
                        mnp_array **parts)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    mnp_array **views;
    mnp_status st = MNP_OK;
    int64_t extent = x->layout->shape[axis];
    MNP_TRY(mnp__calloc((size_t)count, sizeof *views, &views));
    for (int d = 0; d < x->layout->ndim; d++)
        dims[d] = mnp__view_whole(x, d);
    for (int i = 0; i < count && st == MNP_OK; i++) {
        int64_t from = start(argument, extent, i), to = start(argument, extent, i + 1);
        dims[axis].start = from < to ? from : 0;
        dims[axis].extent = from < to ? to - from : 0;
        st = mnp__view_make(x, x->layout->ndim, dims, NULL, &views[i]);
    }
    return give_views(st, count, views, parts);
}

/* Even parts, of which the first are one longer; `argument` is their number. */
static int64_t even_start(const void *argument, int64_t extent, int part)
{
    int64_t count = *(const int *)argument, longer = extent % count;
    return extent / count * part + mnp__min(part, longer);
}

static mnp_status check(const char *function, const mnp_array *x, int count, int *axis)
{
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, *axis, axis));
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the number of parts is %d, below 1", function, count);
    return MNP_OK;
}

mnp_status mnp_array_split(const mnp_array *x, int count, int axis, mnp_array **parts)
{
    MNP_ENTER(x);
    MNP_NEED_IF(count > 0, parts);
    MNP_TRY(check("mnp_array_split", x, count, &axis));
    return split(x, count, axis, even_start, &count, parts);
}

mnp_status mnp_split(const mnp_array *x, int count, int axis, mnp_array **parts)
{
    MNP_ENTER(x);
    MNP_NEED_IF(count > 0, parts);
    MNP_TRY(check("mnp_split", x, count, &axis));
    if (x->layout->shape[axis] % count != 0)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_split: dimension %d has %" PRId64 " elements, which %d equal parts cannot have", axis,
                        x->layout->shape[axis], count);
    return split(x, count, axis, even_start, &count, parts);
}

struct given {
    int count;
    const int64_t *indices;
};

/* The indices that were given, with the start of the array before them and its end after them. */
static int64_t given_start(const void *argument, int64_t extent, int part)
{
    const struct given *given = argument;
    if (part == 0)
        return 0;
    if (part > given->count)
        return extent;
    return mnp__slice_end(given->indices[part - 1], extent);
}

mnp_status mnp_split_at(const mnp_array *x, int count, const int64_t *indices, int axis, mnp_array **parts)
{
    MNP_ENTER(x);
    MNP_NEED_IF(count > 0, indices);
    MNP_NEED_IF(count > 0, parts);
    const struct given given = {count, indices};
    MNP_TRY(check("mnp_split_at", x, count + 1, &axis));
    return split(x, count + 1, axis, given_start, &given, parts);
}

/* ---- single indices ---- */

mnp_status mnp_unstack(const mnp_array *x, int count, int axis, mnp_array **parts)
{
    MNP_ENTER(x);
    MNP_NEED_IF(count > 0, parts);
    mnp__view_dim dims[MNP_MAX_DIMS];
    int64_t at[MNP_MAX_DIMS] = {0};
    mnp_array **views;
    mnp_status st = MNP_OK;
    int ndim = 0;
    MNP_TRY(mnp__inputs_check("mnp_unstack", 1, &x));
    MNP_TRY(mnp__view_axis("mnp_unstack", x->layout->ndim, axis, &axis));
    if (count != x->layout->shape[axis])
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_unstack: the number of parts is %d, and dimension %d has %" PRId64 " elements", count,
                        axis, x->layout->shape[axis]);
    MNP_TRY(mnp__calloc((size_t)count, sizeof *views, &views));
    for (int d = 0; d < x->layout->ndim; d++)
        if (d != axis)
            dims[ndim++] = mnp__view_whole(x, d);
    for (int i = 0; i < count && st == MNP_OK; i++) {
        at[axis] = i;
        st = mnp__view_make(x, ndim, dims, at, &views[i]);
    }
    return give_views(st, count, views, parts);
}

/* ---- broadcasting ---- */

mnp_status mnp_broadcast_arrays(const mnp_array *const *arrays, int count, mnp_array **views)
{
    MNP_ENTER_NAME();
    MNP_NEED_ALL(count, arrays);
    MNP_NEED_IF(count > 0, views);
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    mnp_array **made;
    mnp_status st = MNP_OK;
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_broadcast_arrays: the number of arrays is %d, below 1", count);
    MNP_TRY(mnp__inputs_check("mnp_broadcast_arrays", count, arrays));
    MNP_TRY(mnp__broadcast_shapes("mnp_broadcast_arrays", count, arrays, &ndim, shape));
    MNP_TRY(mnp__calloc((size_t)count, sizeof *made, &made));
    for (int i = 0; i < count && st == MNP_OK; i++)
        st = mnp_broadcast_to(arrays[i], ndim, shape, &made[i]);
    return give_views(st, count, made, views);
}
