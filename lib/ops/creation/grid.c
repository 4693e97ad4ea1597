/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grids of coordinates and of indices.
 */
#include <maniple/create.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"

static const mnp__formula indices = {
    .name = "indices",
    .body = "out = mnp_index[1];\n"
            "for (int d = 2; d < 8; d++)\n"
            "    if (mnp_index[0] == d - 1)\n"
            "        out = mnp_index[d];",
    .indices = true,
    .type = MNP_INT64,
    .ninputs = 0,
};

mnp_status mnp_indices(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p)
{
    MNP_ENTER(ctx, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    int64_t whole[MNP_MAX_DIMS];
    if (ndim < 0 || ndim >= MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_indices: ndim is %d, outside 0..%d", ndim, MNP_MAX_DIMS - 1);
    dtype = dtype == MNP_DTYPE_AUTO ? MNP_INT64 : dtype;
    whole[0] = ndim;
    for (int d = 0; d < ndim; d++)
        whole[d + 1] = shape[d];
    return mnp__formula_create(ctx, &(mnp__formula_call){.function = "mnp_indices", .formula = &indices, .type = dtype},
                               ndim + 1, whole, array_p);
}

/* ---- meshgrid ---- */

struct mesh {
    int count;
    bool sparse;
    int64_t shape[MNP_MAX_DIMS]; /* of all vectors together */
    int axis[MNP_MAX_DIMS];      /* along which each of them goes */
};

/* Vector i as an array of all dimensions, repeated along the others, in an output that is opened here. */
static mnp_status make_grid(const mnp_array *const *vectors, const struct mesh *mesh, int i, mnp_array **grid_p,
                            mnp__output *output)
{
    const mnp_array *vector = vectors[i];
    int64_t shape[MNP_MAX_DIMS];
    mnp_array *along = NULL;
    mnp_layout *natural = NULL;
    mnp_status st;
    for (int d = 0; d < mesh->count; d++)
        shape[d] = d == mesh->axis[i] ? mesh->shape[d] : 1;
    MNP_TRY_OR(mnp_reshape(vector, mesh->count, shape, &along), st, done);
    const int64_t *whole = mesh->sparse ? shape : mesh->shape;
    MNP_TRY_OR(mnp_layout_block(vector->layout->nranks, mesh->count, whole, &natural), st, done);
    const mnp__output_spec spec = {.function = "mnp_meshgrid",
                                   .ctx = vector->ctx,
                                   .dtype = vector->dtype,
                                   .layout = natural,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = mesh->count,
                                   .inputs = vectors};
    MNP_TRY_OR(mnp__output_open(&spec, grid_p, output), st, done);
    st = mnp_copyto(output->array, along, MNP_CASTING_NO);
done:
    mnp_layout_free(natural);
    mnp_array_free(along);
    return st;
}

mnp_status mnp_meshgrid(const mnp_array *const *vectors, int count, mnp_indexing indexing, bool sparse,
                        mnp_array **grids)
{
    MNP_ENTER_NAME();
    MNP_NEED_ALL(count, vectors);
    MNP_NEED_IF(count > 0, grids);
    struct mesh mesh = {.count = count, .sparse = sparse};
    mnp__output outputs[MNP_MAX_DIMS] = {{.array = NULL}};
    mnp_status st = MNP_OK;
    int opened = 0;
    if (count < 1 || count > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_meshgrid: there are %d vectors, outside 1..%d", count, MNP_MAX_DIMS);
    if (indexing != MNP_INDEXING_XY && indexing != MNP_INDEXING_IJ)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_meshgrid: %d is not an indexing", (int)indexing);
    MNP_TRY(mnp__inputs_check("mnp_meshgrid", count, vectors));
    for (int i = 0; i < count; i++) {
        mesh.axis[i] = indexing == MNP_INDEXING_XY && count > 1 && i < 2 ? 1 - i : i;
        mesh.shape[mesh.axis[i]] = vectors[i]->layout->size;
    }
    for (; opened < count && st == MNP_OK; opened++)
        st = make_grid(vectors, &mesh, opened, &grids[opened], &outputs[opened]);
    return mnp__output_close(opened, outputs, st);
}
