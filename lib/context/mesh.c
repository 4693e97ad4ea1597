/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public functions on meshes of a context's ranks, and on layouts of them.
 */
#include "comm/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "context/context.h"
#include "layout/layout.h"

mnp_status mnp_mesh_new(mnp_ctx *ctx, int ndim, const int *extents, mnp_mesh **mesh_p)
{
    MNP_ENTER(ctx, mesh_p);
    int shape[MNP_MAX_DIMS] = {0};
    mnp_mesh *mesh = NULL;
    if (extents && ndim >= 1 && ndim <= MNP_MAX_DIMS)
        memcpy(shape, extents, (size_t)ndim * sizeof *shape);
    MNP_TRY(mnp_mesh_dims(ctx->comm.size, ndim, shape));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_mesh_new", mnp__hash(MNP__HASH_START, shape, sizeof shape)));
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *mesh, &mesh));
    if (st != MNP_OK) {
        free(mesh);
        return st;
    }
    mesh->tag = MNP__TAG_mesh;
    mesh->ctx = ctx;
    mesh->ndim = ndim;
    memcpy(mesh->shape, shape, sizeof shape);
    mnp__ctx_made(ctx, mesh);
    *mesh_p = mesh;
    return MNP_OK;
}

void mnp_mesh_free(mnp_mesh *mesh)
{
    if (!mesh)
        return;
    MNP_NEED_OR(, mesh);
    for (int a = 0; a < mesh->ndim; a++)
        mnp_comm_free(mesh->along[a]);
    mnp__ctx_gone(mesh->ctx, mesh);
    mnp__object_free(mesh);
}

mnp_ctx *mnp_mesh_ctx(const mnp_mesh *mesh)
{
    MNP_NEED_OR(NULL, mesh);
    return mesh->ctx;
}

int mnp_mesh_ndim(const mnp_mesh *mesh)
{
    MNP_NEED_OR(-1, mesh);
    return mesh->ndim;
}

const int *mnp_mesh_shape(const mnp_mesh *mesh)
{
    MNP_NEED_OR(NULL, mesh);
    return mesh->shape;
}

void mnp_mesh_coords(const mnp_mesh *mesh, int rank, int *coords)
{
    MNP_NEED_OR(, mesh);
    MNP_NEED_OR(, coords);
    for (int a = mesh->ndim - 1; a >= 0; a--) {
        coords[a] = rank % mesh->shape[a];
        rank /= mesh->shape[a];
    }
}

int mnp_mesh_rank(const mnp_mesh *mesh, const int *coords)
{
    MNP_NEED_OR(-1, mesh);
    MNP_NEED_OR(-1, coords);
    int rank = 0;
    for (int a = 0; a < mesh->ndim; a++)
        rank = rank * mesh->shape[a] + coords[a];
    return rank;
}

mnp_status mnp_layout_on_mesh(const mnp_mesh *mesh, int ndim, const int64_t *shape, const int *axes,
                              const int64_t *const *cuts, mnp_layout **layout_p)
{
    MNP_ENTER(mesh, layout_p);
    MNP_NEED_IF(ndim > 0, shape);
    int own[MNP_MAX_DIMS];
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        own[d] = d < mesh->ndim ? d : MNP_NO_AXIS;
    return mnp_layout_new(mesh->ndim, mesh->shape, ndim, shape, axes ? axes : own, cuts, layout_p);
}

mnp_status mnp_layout_parse(const mnp_ctx *ctx, int ndim, const int64_t *shape, const char *text, mnp_layout **layout_p)
{
    MNP_ENTER(ctx, text, layout_p);
    MNP_NEED_IF(ndim > 0, shape);
    return mnp__layout_parse(ctx->comm.size, ndim, shape, text, layout_p);
}
