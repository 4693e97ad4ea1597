/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cross product of vectors of three elements, which lie along any axis: one loop over the vectors reads the six
 * components where they lie, as views, and writes those of the result.
 *
 * The result is cut as an operand whose vectors are not cut, and otherwise as evenly as may be without cutting any.
 * Components that lie on other ranks are brought by the loop.
 */
#include <inttypes.h>

#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "linalg/products/linalg.h"
#include "ops/elementwise/apply.h"
#include "ops/elementwise/formula.h"

enum { COMPONENTS = 3 };

static const mnp__formula formula = {
    .name = "cross",
    .body = "out = mnp_subtract(mnp_multiply(a1, b2), mnp_multiply(a2, b1));\n"
            "out1 = mnp_subtract(mnp_multiply(a2, b0), mnp_multiply(a0, b2));\n"
            "out2 = mnp_subtract(mnp_multiply(a0, b1), mnp_multiply(a1, b0));",
    .type = MNP_DTYPE_AUTO,
    .ninputs = 2 * COMPONENTS,
    .inputs = {{"a0", MNP_DTYPE_AUTO},
               {"a1", MNP_DTYPE_AUTO},
               {"a2", MNP_DTYPE_AUTO},
               {"b0", MNP_DTYPE_AUTO},
               {"b1", MNP_DTYPE_AUTO},
               {"b2", MNP_DTYPE_AUTO}},
};

/* Make the views of components 0, 1 and 2 along an axis; those that were made are released by the caller. */
static mnp_status take_components(const mnp_array *x, int axis, mnp_array **components)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    int64_t at[MNP_MAX_DIMS] = {0};
    int ndim = 0;
    for (int d = 0; d < x->layout->ndim; d++)
        if (d != axis)
            dims[ndim++] = mnp__view_whole(x, d);
    for (int i = 0; i < COMPONENTS; i++) {
        at[axis] = i;
        MNP_TRY(mnp__view_make(x, ndim, dims, at, &components[i]));
    }
    return MNP_OK;
}

static mnp_status check_axis(const mnp_array *x, const char *name, int given, int *axis_p)
{
    MNP_TRY(mnp__view_axis("mnp_cross", x->layout->ndim, given, axis_p));
    if (x->layout->shape[*axis_p] != COMPONENTS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_cross: axis %d of %s has %" PRId64 " elements, and vectors have %d", *axis_p,
                        name, x->layout->shape[*axis_p], COMPONENTS);
    return MNP_OK;
}

static mnp_status check_types(const mnp_array *a, const mnp_array *b, mnp_dtype *dtype_p)
{
    MNP_TRY(mnp__matmul_dtype("mnp_cross", a, b, dtype_p));
    if (*dtype_p == MNP_BOOL)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_cross: bools have no difference");
    return MNP_OK;
}

/*
 * Choose the layout of the result: that of an operand, but with the components as dimension `axis`.  `axes` are those
 * of the operands' vectors.
 */
static mnp_status choose_layout(const mnp_array *const *operands, const int *axes, mnp_array *const *components,
                                int axis, mnp_layout **layout_p)
{
    const mnp_array *first[] = {components[0], components[COMPONENTS]}, *whole[2];
    int ndim, nwhole = 0;
    int64_t shape[MNP_MAX_DIMS], vectors[MNP_MAX_DIMS];
    mnp__layout_dim dims[MNP_MAX_DIMS];
    MNP_TRY(mnp__broadcast_shapes("mnp_cross", 2, first, &ndim, vectors));
    MNP_TRY(mnp__view_axis("mnp_cross", ndim + 1, axis, &axis));
    for (int i = 0; i < 2; i++)
        if (mnp_layout_parts(operands[i]->layout, axes[i]) == 1)
            whole[nwhole++] = first[i];
    const mnp_layout *best = mnp__smallest_layout(nwhole, whole, ndim, vectors);
    for (int d = 0; d <= ndim; d++) {
        const int of_vectors = d - (d > axis);
        shape[d] = d == axis ? COMPONENTS : vectors[of_vectors];
        if (best)
            dims[d] = d == axis ? mnp__layout_dim_whole(COMPONENTS) : mnp__layout_dim_of(best, of_vectors);
    }
    if (!best)
        return mnp__layout_uncut(operands[0]->ctx->comm.size, ndim + 1, shape, 1u << axis, layout_p);
    return mnp__layout_derive(best, ndim + 1, dims, layout_p);
}

/* Compute the components of the result, an array whose vectors lie along `axis` and are not cut. */
static mnp_status compute(mnp_array *const *components, mnp_dtype dtype, int axis, mnp_array *result)
{
    mnp_array *parts[COMPONENTS] = {NULL};
    MNP_TRY(mnp__view_axis("mnp_cross", result->layout->ndim, axis, &axis));
    mnp_status st = take_components(result, axis, parts);
    if (st == MNP_OK)
        st = mnp__formula_run(result->ctx,
                              &(mnp__formula_call){.function = "mnp_cross",
                                                   .formula = &formula,
                                                   .noutputs = COMPONENTS,
                                                   .inputs = (const mnp_array *const *)components,
                                                   .outputs_p = (mnp_array * *[]){&parts[0], &parts[1], &parts[2]},
                                                   .type = dtype,
                                                   .result = dtype});
    for (int i = 0; i < COMPONENTS; i++)
        mnp_array_free(parts[i]);
    return st;
}

mnp_status mnp_cross(const mnp_array *a, const mnp_array *b, int axis_a, int axis_b, int axis, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    const mnp_array *const operands[] = {a, b};
    mnp_array *components[2 * COMPONENTS] = {NULL};
    mnp_layout *layout = NULL;
    mnp__output output = {0};
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(check_types(a, b, &dtype));
    MNP_TRY(check_axis(a, "a", axis_a, &axis_a));
    MNP_TRY(check_axis(b, "b", axis_b, &axis_b));
    MNP_TRY_OR(take_components(a, axis_a, components), st, done);
    MNP_TRY_OR(take_components(b, axis_b, components + COMPONENTS), st, done);
    MNP_TRY_OR(MNP_AGREE(a->ctx, choose_layout(operands, (const int[]){axis_a, axis_b}, components, axis, &layout)), st,
               done);
    const mnp__output_spec spec = {
        .function = "mnp_cross", .ctx = a->ctx, .dtype = dtype, .layout = layout, .ninputs = 2, .inputs = operands};
    MNP_TRY_OR(mnp__output_open(&spec, out_p, &output), st, done);
    st = mnp__output_close(1, &output, compute(components, dtype, axis, output.array));
done:
    for (int i = 0; i < 2 * COMPONENTS; i++)
        mnp_array_free(components[i]);
    mnp_layout_free(layout);
    return st;
}
