/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of products: the passes, the stack, and the last passes of all.
 */
#include "signal/terms.h"

#include <maniple/view.h>

#include <stdlib.h>

#include "base/memory.h"
#include "base/value.h"
#include "signal/direct.h"

struct mnp__terms {
    mnp_ctx *ctx;
    int count;
    mnp__separable *first[MNP__MOST_TERMS]; /* all passes but the last one */
    mnp_array *stack, *planes[MNP__MOST_TERMS];
    mnp__direct *last;
};

/* The stack's layout: the planes are not cut. */
static mnp_status stack_layout(const mnp_layout *plane, int count, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_CONV_DIMS] = {mnp__layout_dim_whole(count)};
    for (int d = 0; d < plane->ndim; d++)
        dims[d + 1] = mnp__layout_dim_of(plane, d);
    return mnp__layout_derive(plane, plane->ndim + 1, dims, layout_p);
}

static mnp_status make_stack(mnp__terms *plan, mnp_dtype sum)
{
    mnp_layout *layout = NULL;
    mnp_status st = stack_layout(mnp__separable_layout(plan->first[0]), plan->count, &layout);
    st = MNP_AGREE(plan->ctx, st);
    if (st == MNP_OK)
        st = mnp_array_new(plan->ctx, sum, layout, &plan->stack);
    for (int t = 0; t < plan->count && st == MNP_OK; t++)
        st = mnp_view(plan->stack, &plan->planes[t], MNP_AT(t));
    mnp_layout_free(layout);
    return MNP_AGREE(plan->ctx, st);
}

/* The taps of the last passes, a row for each plane; *taps_p is to be freed. */
static mnp_status last_taps(int count, const mnp__separable_spec *specs, char **taps_p)
{
    const int last = specs->npasses - 1;
    const int64_t taps = specs->passes[last].count;
    MNP_TRY(mnp__malloc((size_t)(count * taps) * mnp_dtype_size(specs->sum), taps_p));
    char *element = *taps_p;
    for (int t = 0; t < count; t++) {
        const mnp__pass *pass = &specs[t].passes[last];
        for (int64_t i = 0; i < taps; i++, element += mnp_dtype_size(specs->sum))
            mnp__separable_tap(pass, i, specs->sum, element);
    }
    return MNP_OK;
}

/*
 * What the last pass of all planes needs.  The result's layout is that of one product, which has the cuts of the planes
 * unless the extent changes.
 */
static mnp_status last_geometry(const mnp_layout *plane, const mnp_layout *stack, const mnp__pass *pass,
                                mnp__conv_geometry *geometry)
{
    int64_t taps[MNP_CONV_DIMS] = {stack->shape[0]}, first[MNP_CONV_DIMS] = {0}, shape[MNP_CONV_DIMS] = {1};
    mnp__conv_geometry alone = {0};
    mnp_layout *output;
    for (int d = 1; d < stack->ndim; d++) {
        const bool along = d == pass->axis + 1;
        taps[d] = along ? pass->count : 1;
        first[d] = along ? pass->first : 0;
        shape[d] = along && pass->extent > 0 ? pass->extent : stack->shape[d];
    }
    MNP_TRY(mnp__conv_geometry_of(stack, taps, first, shape, geometry));
    MNP_TRY(mnp__conv_geometry_of(plane, taps + 1, first + 1, shape + 1, &alone));
    mnp_status st = stack_layout(alone.output, 1, &output);
    mnp__conv_geometry_free(&alone);
    MNP_TRY(st);
    mnp_layout_free(geometry->output);
    geometry->output = output;
    return MNP_OK;
}

static mnp_status make_last(mnp__terms *plan, const mnp__separable_spec *specs)
{
    const mnp__pass *pass = &specs->passes[specs->npasses - 1];
    const unsigned char fill[16] = {0};
    mnp_boundary boundaries[MNP_MAX_DIMS];
    mnp__conv_geometry geometry = {0};
    char *values = NULL;
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        boundaries[d] = pass->boundary;
    mnp_status st = last_taps(plan->count, specs, &values);
    if (st == MNP_OK)
        st = last_geometry(mnp__separable_layout(plan->first[0]), plan->stack->layout, pass, &geometry);
    st = MNP_AGREE(plan->ctx, st);
    const mnp__direct_spec spec = {.input = specs->sum,
                                   .output = specs->output,
                                   .sum = specs->sum,
                                   .truncates = specs->truncates,
                                   .boundaries = boundaries,
                                   .fill = fill,
                                   .taps = values};
    if (st == MNP_OK)
        st = mnp__direct_new(plan->ctx, &geometry, &spec, &plan->last);
    mnp__conv_geometry_free(&geometry);
    free(values);
    return st;
}

mnp_status mnp__terms_new(mnp_ctx *ctx, int count, const mnp__separable_spec *specs, mnp__terms **plan_p)
{
    mnp__terms *plan = NULL;
    mnp_status st;
    MNP_TRY(MNP_AGREE(ctx, mnp__calloc(1, sizeof *plan, &plan)));
    plan->ctx = ctx;
    plan->count = count;
    for (int t = 0; t < count; t++) {
        mnp__separable_spec first = specs[t];
        first.npasses--;
        first.output = first.sum;
        MNP_TRY_OR(mnp__separable_new(ctx, &first, &plan->first[t]), st, fail);
    }
    MNP_TRY_OR(make_stack(plan, specs->sum), st, fail);
    MNP_TRY_OR(make_last(plan, specs), st, fail);
    *plan_p = plan;
    return MNP_OK;
fail:
    mnp__terms_free(plan);
    return st;
}

mnp_status mnp__terms_run(mnp__terms *plan, const mnp_array *x, mnp_array *y)
{
    for (int t = 0; t < plan->count; t++)
        MNP_TRY(mnp__separable_run(plan->first[t], x, plan->planes[t]));
    return mnp__direct_run(plan->last, plan->stack->data, y->data);
}

void mnp__terms_free(mnp__terms *plan)
{
    if (!plan)
        return;
    for (int t = 0; t < plan->count; t++) {
        mnp_array_free(plan->planes[t]);
        mnp__separable_free(plan->first[t]);
    }
    mnp__direct_free(plan->last);
    mnp_array_free(plan->stack);
    free(plan);
}
