/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's sorts: arguments and outputs.  The work is done in sort_lines.c and sort_line.c.
 */
#include <maniple/sort.h>

#include <inttypes.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/hash.h"
#include "layout/layout.h"
#include "ops/sort/sort.h"

/* The flattened array, if that is meant: a view that may share memory with x.  Otherwise an axis from 0 on. */
static mnp_status resolve_axis(const char *function, const mnp_array *x, int *axis, mnp_array **flat_p)
{
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    if (*axis != MNP_FLATTENED)
        return mnp__view_axis(function, x->layout->ndim, *axis, axis);
    *axis = 0;
    return mnp_ravel(x, flat_p);
}

/* Positions are within the axis, if it has any. */
static mnp_status check_positions(const char *function, const mnp_array *x, int axis, int count, const int64_t *kth)
{
    const int64_t extent = x->layout->shape[axis];
    for (int i = 0; i < count && extent > 0; i++) {
        if (kth[i] < -extent || kth[i] >= extent)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: position %" PRId64 " is out of bounds for an axis of %" PRId64 " element%s", function,
                            kth[i], extent, extent == 1 ? "" : "s");
    }
    return MNP_OK;
}

/* A sort of the values, or of the indices. */
typedef struct call {
    const char *function;
    bool indirect, descending;
    int count; /* positions of a partition */
    const int64_t *kth;
} call;

/*
 * The layout of a new result.  Values of lines that are in order are a copy, stored as the array is; other lines are
 * sorted where they are dense.
 */
static mnp_status layout_of(const call *c, const mnp_array *lines, int axis, mnp_layout **layout_p)
{
    if (mnp__sort_copies(lines, axis) && !c->indirect)
        return mnp_layout_with_order(lines->layout, lines->stored, layout_p);
    *layout_p = mnp_layout_retain(lines->layout);
    return MNP_OK;
}

static mnp_status sort(const call *c, const mnp_array *x, int axis, mnp_array **out_p)
{
    mnp_array *flat = NULL;
    mnp_layout *layout = NULL;
    mnp__output output;
    mnp_status st;
    MNP_TRY(resolve_axis(c->function, x, &axis, &flat));
    const mnp_array *lines = flat ? flat : x;
    MNP_TRY_OR(check_positions(c->function, lines, axis, c->count, c->kth), st, done);
    MNP_TRY_OR(
        mnp__check_same(&x->ctx->comm, c->function, mnp__hash(mnp__layout_hash(lines->layout), &axis, sizeof axis)), st,
        done);
    MNP_TRY_OR(layout_of(c, lines, axis, &layout), st, done);
    const mnp__output_spec spec = {.function = c->function,
                                   .ctx = x->ctx,
                                   .dtype = c->indirect ? MNP_INT64 : x->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs =
                                       *out_p == x && !c->indirect ? 0 : 1, /* values of x may be sorted in place */
                                   .inputs = &x};
    MNP_TRY_OR(mnp__output_open(&spec, out_p, &output), st, done);
    st = mnp__sort_into(lines, axis, c->descending, c->indirect ? NULL : output.array,
                        c->indirect ? output.array : NULL);
    st = mnp__output_close(1, &output, st);
done:
    mnp_layout_free(layout);
    mnp_array_free(flat);
    return st;
}

mnp_status mnp_sort(const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return sort(&(call){.function = "mnp_sort"}, x, axis, out_p);
}

mnp_status mnp_argsort(const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return sort(&(call){.function = "mnp_argsort", .indirect = true}, x, axis, out_p);
}

mnp_status mnp_sort_descending(const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return sort(&(call){.function = "mnp_sort_descending", .descending = true}, x, axis, out_p);
}

mnp_status mnp_argsort_descending(const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return sort(&(call){.function = "mnp_argsort_descending", .indirect = true, .descending = true}, x, axis, out_p);
}

mnp_status mnp_partition(const mnp_array *x, int count, const int64_t *kth, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED_IF(count > 0, kth);
    return sort(&(call){.function = "mnp_partition", .count = count, .kth = kth}, x, axis, out_p);
}

mnp_status mnp_argpartition(const mnp_array *x, int count, const int64_t *kth, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED_IF(count > 0, kth);
    return sort(&(call){.function = "mnp_argpartition", .indirect = true, .count = count, .kth = kth}, x, axis, out_p);
}

mnp_status mnp_sort_complex(const mnp_array *x, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    mnp_array *sorted = NULL;
    mnp__output output;
    MNP_TRY(mnp__inputs_check("mnp_sort_complex", 1, &x));
    const bool is_short = strchr("iu", mnp_dtype_kind(x->dtype)) && mnp_dtype_size(x->dtype) <= 2;
    const mnp_dtype dtype = mnp_dtype_kind(x->dtype) == 'c' ? x->dtype : is_short ? MNP_COMPLEX64 : MNP_COMPLEX128;
    const mnp__output_spec spec = {.function = "mnp_sort_complex",
                                   .ctx = x->ctx,
                                   .dtype = dtype,
                                   .layout = x->layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    MNP_TRY(mnp__output_open(&spec, out_p, &output));
    mnp_status st = mnp_sort(x, -1, &sorted);
    if (st == MNP_OK)
        st = mnp__array_copy_to(sorted, output.array);
    mnp_array_free(sorted);
    return mnp__output_close(1, &output, st);
}
