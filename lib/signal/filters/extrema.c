/* SPDX-License-Identifier: BSD-3-Clause */
/* Relative extrema: every element is compared with its neighbours (kernels/signal/extrema.cu). */
#include <inttypes.h>
#include <string.h>

#include <maniple/join.h>
#include <maniple/peaks.h>
#include <maniple/select.h>

#include "array/input.h"
#include "array/view.h"
#include "base/call.h"
#include "kernels/signal/peaks_params.h"
#include "layout/layout.h"
#include "signal/filters/fetch.h"
#include "signal/filters/filters.h"

static const struct {
    const char *name, *sign;
} comparators[] = {{"greater", ">"}, {"less", "<"}, {"greater_equal", ">="}, {"less_equal", "<="}};
enum { COMPARATORS = sizeof comparators / sizeof *comparators };

/* An mnp__reach: elements need `order` others on both sides. */
static void reach(const void *argument, int64_t lo, int64_t hi, int64_t *begin_p, int64_t *end_p)
{
    const int64_t order = *(const int64_t *)argument;
    *begin_p = lo - order;
    *end_p = hi + order;
}

static mnp_status launch(const mnp_array *x, const mnp__fetched *in, int axis, int64_t order, const char *comparator,
                         const mnp_array *flags)
{
    mnp_ctx *ctx = x->ctx;
    mnp__kernel *kernel;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "signal/extrema.cu", .function = "extrema"};
    const mnp_dtype value = x->dtype == MNP_BOOL                                               ? MNP_UINT8
                            : mnp_dtype_kind(x->dtype) == 'f' && mnp_dtype_size(x->dtype) == 2 ? MNP_FLOAT32
                                                                                               : x->dtype;
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_VALUE %s\n#define MNP_COMPARE %s\n",
                  mnp__jit_type(x->dtype), mnp__jit_type(value), comparator);
    mnp__text_add(&defines, "#define MNP_NDIM %d\n#define MNP_AXIS %d\n", x->layout->ndim, axis);
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    mnp_extrema_params p = {.in = in->data,
                            .out = flags->data,
                            .count = flags->local_size,
                            .order = order,
                            .whole = x->layout->shape[axis],
                            .first = in->first,
                            .first_out = flags->local_lo[axis]};
    for (int d = 0; d < x->layout->ndim; d++) {
        p.extent[d] = flags->local_shape[d];
        p.stride[d] = in->strides[d];
        p.out_stride[d] = flags->local_strides[d];
    }
    return mnp__ctx_launch(ctx, kernel, p.count, &p, sizeof p);
}

/* Whether each element of x is one. */
static mnp_status find_flags(const mnp_array *x, int axis, int64_t order, const char *comparator, mnp_array **flags_p)
{
    mnp__fetched in = {.data = NULL};
    mnp_array *flags = NULL;
    mnp_status st;
    MNP_TRY(mnp_array_new(x->ctx, MNP_BOOL, x->layout, &flags));
    st = mnp__fetch(x, x->layout, axis, reach, &order, &in);
    if (st == MNP_OK)
        st = MNP_AGREE(x->ctx, launch(x, &in, axis, order, comparator, flags));
    mnp__fetched_free(x->ctx, &in);
    if (st == MNP_OK)
        *flags_p = flags;
    else
        mnp_array_free(flags);
    return st;
}

/* The same where x goes on periodically: of x with `order` elements before and behind, and without them again. */
static mnp_status find_flags_around(const mnp_array *x, int axis, int64_t order, const char *comparator,
                                    mnp_array **flags_p)
{
    int64_t widths[2 * MNP_MAX_DIMS] = {0};
    mnp_array *longer = NULL, *flags = NULL;
    widths[2 * axis] = widths[2 * axis + 1] = order;
    mnp_status st = mnp_pad(x, widths, MNP_BOUNDARY_WRAP, NULL, &longer);
    if (st == MNP_OK)
        st = find_flags(longer, axis, order, comparator, &flags);
    if (st == MNP_OK)
        st = mnp__lines_part(flags, axis, order, order + x->layout->shape[axis], 1, flags_p);
    mnp_free_all(longer, flags);
    return st;
}

static mnp_status find(const char *function, const mnp_array *x, const char *comparator, int axis, int64_t order,
                       const char *mode, mnp_array **outs)
{
    const char *sign = NULL;
    mnp_array *flags = NULL;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    for (int c = 0; c < COMPARATORS; c++)
        if (strcmp(comparator, comparators[c].name) == 0)
            sign = comparators[c].sign;
    if (!sign)
        return MNP_FAIL(MNP_ERR_ARG, "%s: '%s' is no comparator; there are greater, less, greater_equal, less_equal",
                        function, comparator);
    if (mode && strcmp(mode, "clip") != 0 && strcmp(mode, "wrap") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: '%s' is no mode; there are clip and wrap", function, mode);
    if (order < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the order is %" PRId64 ", and must be 1 or more", function, order);
    if (mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: x is %s, and must be real", function, mnp_dtype_name(x->dtype));
    order = order < x->layout->shape[axis] ? order : x->layout->shape[axis] + 1; /* farther away nothing is new */
    const bool wraps = mode && strcmp(mode, "wrap") == 0 && x->layout->size > 0;
    MNP_TRY(wraps ? find_flags_around(x, axis, order, sign, &flags) : find_flags(x, axis, order, sign, &flags));
    const mnp_status st = mnp_nonzero(flags, outs);
    mnp_array_free(flags);
    return st;
}

mnp_status mnp_argrelextrema(const mnp_array *x, const char *comparator, int axis, int64_t order, const char *mode,
                             mnp_array **outs)
{
    MNP_ENTER(x, comparator);
    MNP_NEED_PLACE(outs);
    return find(__func__, x, comparator, axis, order, mode, outs);
}

mnp_status mnp_argrelmax(const mnp_array *x, int axis, int64_t order, const char *mode, mnp_array **outs)
{
    MNP_ENTER(x);
    MNP_NEED_PLACE(outs);
    return find(__func__, x, "greater", axis, order, mode, outs);
}

mnp_status mnp_argrelmin(const mnp_array *x, int axis, int64_t order, const char *mode, mnp_array **outs)
{
    MNP_ENTER(x);
    MNP_NEED_PLACE(outs);
    return find(__func__, x, "less", axis, order, mode, outs);
}
