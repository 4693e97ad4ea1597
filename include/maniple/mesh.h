/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Meshes: the ranks of a context arranged as an n-dimensional grid.
 *
 * The last axis is the fastest, as in layouts: in a 2 x 3 mesh, ranks 0, 1 and 2 have the coordinates (0, 0), (0, 1)
 * and (0, 2). A mesh says which rank is where, makes layouts, and has a communicator along every axis.
 */
#ifndef MANIPLE_MESH_H
#define MANIPLE_MESH_H

#include <stdint.h>

#include <maniple/base.h>
#include <maniple/comm.h>
#include <maniple/context.h>
#include <maniple/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_mesh mnp_mesh; /* opaque, immutable once made */

/*
 * Factor a number of ranks into the extents of a mesh, as MPI_Dims_create does.
 *
 *   nranks   >= 1
 *   ndim     1 .. MNP_MAX_DIMS
 *   extents  those that are above 0 are kept; those that are 0 are chosen: as even as can be (the largest is as small
 *            as possible, then the next), the larger ones first
 *
 * Not collective.  MNP_ERR_ARG if an extent is negative, if the product of the given extents does not divide nranks, or
 * if no extent is 0 and the product is not nranks; extents are then untouched.
 */
MNP_API mnp_status mnp_mesh_dims(int nranks, int ndim, int *extents);

/*
 * Arrange the context's ranks.  `extents` are as in mnp_mesh_dims(), but are not changed; NULL: all are chosen.
 * Release with mnp_mesh_free() before the context ends.  Collective: equal arguments on all ranks.  MNP_ERR_ARG as
 * above; MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_mesh_new(mnp_ctx *ctx, int ndim, const int *extents, mnp_mesh **mesh_p);

/* Release a mesh and the communicators of its axes; NULL is accepted.  Collective. */
MNP_API void mnp_mesh_free(mnp_mesh *mesh);

/* Not collective, all of them; pointers belong to the mesh. */
MNP_API mnp_ctx *mnp_mesh_ctx(const mnp_mesh *mesh);
MNP_API int mnp_mesh_ndim(const mnp_mesh *mesh);
MNP_API const int *mnp_mesh_shape(const mnp_mesh *mesh); /* ranks along each axis */

/* The coordinates of a rank, and the rank at given coordinates; both must lie in the mesh.  Not collective. */
MNP_API void mnp_mesh_coords(const mnp_mesh *mesh, int rank, int *coords);
MNP_API int mnp_mesh_rank(const mnp_mesh *mesh, const int *coords);

/*
 * A layout on the mesh: mnp_layout_new() with its extents.  axes: the mesh axis that cuts each dimension, or
 * MNP_NO_AXIS; NULL: dimension d is cut by axis d, and where there are more dimensions than axes the others are not
 * cut.  Not collective.  MNP_ERR_ARG as there.
 */
MNP_API mnp_status mnp_layout_on_mesh(const mnp_mesh *mesh, int ndim, const int64_t *shape, const int *axes,
                                      const int64_t *const *cuts, mnp_layout **layout_p);

/*
 * The communicator of the ranks that differ from this one only along `axis`, numbered by their coordinates along it.
 * It is made by the first call, and belongs to the mesh.  Collective over the context.  MNP_ERR_ARG if there is no such
 * axis; MNP_ERR_MEMORY, MNP_ERR_COMM, MNP_ERR_TIMEOUT.
 */
MNP_API mnp_status mnp_mesh_comm(mnp_mesh *mesh, int axis, mnp_comm **comm_p);

#ifdef __cplusplus
}
#endif

#endif
