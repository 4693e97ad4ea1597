/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Separable filters: the chain of passes, and the arrays between them.
 */
#include "signal/separable.h"

#include <stdlib.h>

#include "array/output.h"
#include "base/value.h"
#include "signal/direct.h"

enum { MAX_PASSES = 16 };

struct mnp__separable {
    mnp_ctx *ctx;
    int npasses;
    mnp__direct *passes[MAX_PASSES];
    mnp_layout *layouts[MAX_PASSES + 1]; /* of what goes into a pass, and of the result */
    mnp_array *between[MAX_PASSES];      /* what a pass writes; the last one's stays NULL */
    bool owned[MAX_PASSES];              /* the others are also those of an earlier pass */
};

static mnp_status check(const mnp__separable_spec *spec)
{
    if (spec->layout->ndim < 1 || spec->layout->ndim > MNP_CONV_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "filters take arrays of 1 to %d dimensions, and this one has %d", MNP_CONV_DIMS,
                        spec->layout->ndim);
    if (spec->npasses > MAX_PASSES)
        return MNP_FAIL(MNP_ERR_ARG, "a filter has %d passes; it may have %d", spec->npasses, MAX_PASSES);
    return MNP_OK;
}

/* Store a number as an element; negative ones are taken modulo 2^64 as unsigned integers. */
static void write(const double value[2], mnp_dtype dtype, void *element)
{
    if (dtype == MNP_UINT64)
        *(uint64_t *)element = value[0] < 0 ? (uint64_t)(int64_t)value[0] : (uint64_t)value[0];
    else
        mnp__value_write(&(mnp__value){.kind = 'c', .re = value[0], .im = value[1]}, dtype, element);
}

/* The fill value as an element of a dtype that must be able to hold it. */
static mnp_status encode(const double value[2], mnp_dtype dtype, void *element)
{
    if (!mnp__number_fits(value[0], dtype))
        return MNP_FAIL(MNP_ERR_ARG, "the fill value is %g, which the dtype %s cannot hold", value[0],
                        mnp_dtype_name(dtype));
    write(value, dtype, element);
    return MNP_OK;
}

/* What a pass makes of an array of constant value. */
static void pass_through(const mnp__pass *pass, double value[2])
{
    double re = 0, im = 0;
    for (int64_t j = 0; j < pass->count; j++) {
        re += pass->taps[j];
        im += pass->imaginary ? pass->imaginary[j] : 0;
    }
    const double result[2] = {re * value[0] - im * value[1], re * value[1] + im * value[0]};
    value[0] = result[0];
    value[1] = result[1];
}

/* The taps in the type of the sums; *taps_p is to be freed. */
static mnp_status encode_taps(const mnp__pass *pass, mnp_dtype sum, char **taps_p)
{
    MNP_TRY(mnp__malloc((size_t)pass->count * mnp_dtype_size(sum), taps_p));
    for (int64_t j = 0; j < pass->count; j++) {
        const double tap[2] = {pass->taps[j], pass->imaginary ? pass->imaginary[j] : 0};
        write(tap, sum, *taps_p + (size_t)j * mnp_dtype_size(sum));
    }
    return MNP_OK;
}

/* The parts of a pass that need no other rank. */
static mnp_status prepare(const mnp__separable_spec *spec, int i, const double *fillvalue, const mnp_layout *in,
                          mnp__direct_spec *direct, mnp__conv_geometry *geometry, char **taps_p, void *fill)
{
    const mnp__pass *pass = &spec->passes[i];
    const mnp_dtype between = spec->between == MNP_DTYPE_AUTO ? spec->sum : spec->between;
    int64_t taps[MNP_CONV_DIMS], first[MNP_CONV_DIMS] = {0}, shape[MNP_CONV_DIMS];
    *direct = (mnp__direct_spec){.input = i == 0 ? spec->input : between,
                                 .output = i == spec->npasses - 1 ? spec->output : between,
                                 .sum = spec->sum,
                                 .truncates = spec->truncates};
    for (int d = 0; d < in->ndim; d++) {
        taps[d] = d == pass->axis ? pass->count : 1;
        shape[d] = d == pass->axis && pass->extent > 0 ? pass->extent : in->shape[d];
    }
    first[pass->axis] = pass->first;
    if (pass->boundary == MNP_BOUNDARY_FILL)
        MNP_TRY(encode(fillvalue, direct->input, fill));
    MNP_TRY(encode_taps(pass, spec->sum, taps_p));
    return mnp__conv_geometry_of(in, taps, first, shape, geometry);
}

/* The array that pass i writes: that of the pass before the last one, if it is alike. */
static mnp_status add_between(mnp__separable *plan, int i, mnp_dtype dtype)
{
    if (i >= 2 && mnp_layout_equal(plan->layouts[i - 1], plan->layouts[i + 1])) {
        plan->between[i] = plan->between[i - 2];
        return MNP_OK;
    }
    MNP_TRY(mnp_array_new_order(plan->ctx, dtype, plan->layouts[i + 1], MNP_ORDER_C, &plan->between[i]));
    plan->owned[i] = true;
    return MNP_OK;
}

static mnp_status add_pass(mnp__separable *plan, const mnp__separable_spec *spec, int i, const double *fillvalue)
{
    mnp__conv_geometry geometry = {0};
    mnp__direct_spec direct;
    mnp_boundary boundaries[MNP_MAX_DIMS];
    unsigned char fill[16] = {0};
    char *taps = NULL;
    mnp_status st =
        MNP_AGREE(plan->ctx, prepare(spec, i, fillvalue, plan->layouts[i], &direct, &geometry, &taps, fill));
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        boundaries[d] = spec->passes[i].boundary;
    direct.boundaries = boundaries;
    direct.fill = fill;
    direct.taps = taps;
    if (st == MNP_OK) {
        plan->layouts[i + 1] = mnp_layout_retain(geometry.output);
        st = mnp__direct_new(plan->ctx, &geometry, &direct, &plan->passes[i]);
    }
    if (st == MNP_OK && i < spec->npasses - 1)
        st = add_between(plan, i, direct.output);
    mnp__conv_geometry_free(&geometry);
    free(taps);
    return st;
}

mnp_status mnp__separable_new(mnp_ctx *ctx, const mnp__separable_spec *spec, mnp__separable **plan_p)
{
    mnp__separable *plan = NULL;
    double fillvalue[2] = {spec->fillvalue, 0};
    mnp_status st = check(spec);
    if (st == MNP_OK)
        st = mnp__calloc(1, sizeof *plan, &plan);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    plan->ctx = ctx;
    plan->layouts[0] = mnp_layout_retain((mnp_layout *)spec->layout);
    plan->npasses = mnp_layout_size(spec->layout) > 0 ? spec->npasses : 0;
    for (int i = 0; i < plan->npasses; i++) {
        MNP_TRY_OR(add_pass(plan, spec, i, fillvalue), st, fail);
        if (!spec->refills)
            pass_through(&spec->passes[i], fillvalue);
    }
    *plan_p = plan;
    return MNP_OK;
fail:
    mnp__separable_free(plan);
    return st;
}

void mnp__separable_free(mnp__separable *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < MAX_PASSES; i++) {
        mnp__direct_free(plan->passes[i]);
        mnp_layout_free(plan->layouts[i]);
        if (plan->owned[i])
            mnp_array_free(plan->between[i]);
    }
    mnp_layout_free(plan->layouts[MAX_PASSES]);
    free(plan);
}

const mnp_layout *mnp__separable_layout(const mnp__separable *plan)
{
    return plan->layouts[plan->npasses];
}

mnp_status mnp__separable_run(mnp__separable *plan, const mnp_array *x, mnp_array *y)
{
    if (plan->npasses == 0)
        return mnp__array_copy_to(x, y);
    const void *from = x->data;
    for (int i = 0; i < plan->npasses; i++) {
        void *to = i == plan->npasses - 1 ? y->data : plan->between[i]->data;
        MNP_TRY(mnp__direct_run(plan->passes[i], from, to));
        from = to;
    }
    return MNP_OK;
}
