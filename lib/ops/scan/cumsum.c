/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public functions for cumulative sums, products and extremes.  Each runs a scan with a reduction for the types of
 * its arguments, which the context keeps.
 */
#include <maniple/create.h>
#include <maniple/scan.h>

#include <stdio.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "ops/common/paste.h"
#include "ops/reduction/numpy_reductions.h"
#include "ops/scan/scan.h"

typedef struct function {
    const char *name;    /* without mnp_ */
    const char *reduces; /* the function of maniple/reduce.h whose results these are */
    int initial;         /* the value before the first element */
    bool skips_nan;
} function;

static const function cumsum = {"cumsum", "sum", 0, false}, cumprod = {"cumprod", "prod", 1, false},
                      nancumsum = {"nancumsum", "nansum", 0, true}, nancumprod = {"nancumprod", "nanprod", 1, true},
                      cummax = {"cummax", "max", 0, false}, cummin = {"cummin", "min", 0, false},
                      cumulative_sum = {"cumulative_sum", "sum", 0, false},
                      cumulative_prod = {"cumulative_prod", "prod", 1, false};

/* What a scan's reduction depends on.  Keys are compared by their bytes. */
typedef struct key {
    const void *reduces;
    mnp_dtype memory, type, result, stored; /* of x, of its elements after conversion, of the result, of the output */
} key;

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__reduction **reduction_p)
{
    const key *k = argument;
    const mnp__loop_operand operands[] = {{"x", k->type, k->memory, false}, {"result", k->result, k->stored, false}};
    mnp__reduction_spec spec = {
        .preamble = "", .finish = "", .mask = -1, .ninputs = 1, .noutputs = 1, .operands = operands};
    mnp__reduce_describe(ctx, k->reduces, k->type, false, &spec);
    return mnp__reduction_new(ctx, &spec, reduction_p);
}

/* Scan along a dimension of x, which has at least one. */
static mnp_status scan(const function *f, const char *name, const mnp_array *x, int axis, const char *dtype,
                       mnp_array **out_p)
{
    const mnp__reduce_function *reduces = mnp__reduce_find(f->reduces, strlen(f->reduces));
    mnp__reduction *reduction;
    key k;
    memset(&k, 0, sizeof k); /* the padding is hashed too */
    k.reduces = reduces;
    k.memory = x->dtype;
    MNP_TRY(mnp__reduce_types(reduces, x->dtype, dtype, &k.type, &k.result));
    k.stored = *out_p ? (*out_p)->dtype : k.result;
    MNP_TRY(mnp__output_check_cast(name, NULL, k.result, k.stored));
    MNP_TRY(mnp__reduction_get(x->ctx, build, &k, sizeof k, &reduction));
    return mnp__scan_run(
        reduction,
        &(mnp__scan_call){.function = name, .x = x, .axis = axis, .keeps_first = !f->skips_nan, .out_p = out_p});
}

static mnp_status cumulate(const function *f, const mnp_array *x, int axis, const char *dtype, mnp_array **out_p)
{
    mnp_array *line = NULL;
    char name[32];
    snprintf(name, sizeof name, "mnp_%s", f->name);
    MNP_TRY(mnp__inputs_check(name, 1, &x));
    if (axis != MNP_FLATTENED)
        MNP_TRY(mnp__view_axis(name, x->layout->ndim ? x->layout->ndim : 1, axis, &axis));
    else if (x->layout->ndim == 1)
        axis = 0;
    if (x->layout->ndim > 0 && axis != MNP_FLATTENED)
        return scan(f, name, x, axis, dtype, out_p);
    MNP_TRY(mnp_ravel(x, &line));
    mnp_status st = scan(f, name, line, 0, dtype, out_p);
    mnp_array_free(line);
    return st;
}

mnp_status mnp_cumsum(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate(&cumsum, x, axis, dtype, out_p);
}

mnp_status mnp_cumprod(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate(&cumprod, x, axis, dtype, out_p);
}

mnp_status mnp_nancumsum(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate(&nancumsum, x, axis, dtype, out_p);
}

mnp_status mnp_nancumprod(const mnp_array *x, int axis, const char *dtype, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate(&nancumprod, x, axis, dtype, out_p);
}

mnp_status mnp_cummax(const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate(&cummax, x, axis, NULL, out_p);
}

mnp_status mnp_cummin(const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate(&cummin, x, axis, NULL, out_p);
}

/* ---- results that include the initial value ---- */

/* Make a view of the elements begin .. end - 1 along the axis. */
static mnp_status cut(const mnp_array *x, int axis, int64_t begin, int64_t end, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < x->layout->ndim; d++)
        dims[d] = mnp__view_whole(x, d);
    dims[axis].start = begin;
    dims[axis].extent = end - begin;
    return mnp__view_make(x, x->layout->ndim, dims, NULL, view_p);
}

static mnp_status fill_with_initial(const function *f, const char *name, const mnp_array *x, int axis,
                                    const char *dtype, const mnp_array *result)
{
    mnp_array *first = NULL, *rest = NULL;
    mnp_status st;
    MNP_TRY_OR(cut(result, axis, 0, 1, &first), st, done);
    MNP_TRY_OR(cut(result, axis, 1, result->layout->shape[axis], &rest), st, done);
    MNP_TRY_OR(mnp_copyto(first, mnp_scalar_int(x->ctx, f->initial), MNP_CASTING_UNSAFE), st, done);
    st = scan(f, name, x, axis, dtype, &rest);
done:
    mnp_array_free(first);
    mnp_array_free(rest);
    return st;
}

static mnp_status cumulate_from(const function *f, const mnp_array *x, int axis, const char *dtype,
                                bool include_initial, mnp_array **out_p)
{
    const mnp__reduce_function *reduces = mnp__reduce_find(f->reduces, strlen(f->reduces));
    mnp_dtype type, result;
    mnp_layout *layout;
    mnp__output output;
    int64_t shape[MNP_MAX_DIMS];
    int kept[MNP_MAX_DIMS];
    char name[32];
    snprintf(name, sizeof name, "mnp_%s", f->name);
    MNP_TRY(mnp__inputs_check(name, 1, &x));
    int ndim = x->layout->ndim;
    if (ndim == 0) {
        mnp_array *line = NULL;
        MNP_TRY(mnp_atleast_1d(x, &line));
        mnp_status st = cumulate_from(f, line, axis, dtype, include_initial, out_p);
        mnp_array_free(line);
        return st;
    }
    if (axis == MNP_FLATTENED && ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array has %d dimensions, and one to go along must be named", name, ndim);
    MNP_TRY(mnp__view_axis(name, ndim, axis == MNP_FLATTENED ? 0 : axis, &axis));
    if (!include_initial)
        return scan(f, name, x, axis, dtype, out_p);
    MNP_TRY(mnp__reduce_types(reduces, x->dtype, dtype, &type, &result));
    for (int d = 0; d < ndim; d++) {
        shape[d] = x->layout->shape[d] + (d == axis);
        kept[d] = d == axis ? -1 : d;
    }
    MNP_TRY(mnp__paste_layout(1, &x, ndim, shape, kept, &layout));
    if (*out_p && mnp_can_cast(result, (*out_p)->dtype, MNP_CASTING_SAME_KIND))
        result = (*out_p)->dtype;
    const mnp__output_spec spec = {.function = name,
                                   .ctx = x->ctx,
                                   .dtype = result,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 1,
                                   .inputs = &x};
    mnp_status st = mnp__output_open(&spec, out_p, &output);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = fill_with_initial(f, name, x, axis, dtype, output.array);
    return mnp__output_close(1, &output, st);
}

mnp_status mnp_cumulative_sum(const mnp_array *x, int axis, const char *dtype, bool include_initial, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate_from(&cumulative_sum, x, axis, dtype, include_initial, out_p);
}

mnp_status mnp_cumulative_prod(const mnp_array *x, int axis, const char *dtype, bool include_initial, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return cumulate_from(&cumulative_prod, x, axis, dtype, include_initial, out_p);
}
