/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a mesh.
 */
#ifndef MNP__COMM_MESH_H
#define MNP__COMM_MESH_H

#include <maniple/mesh.h>

struct mnp_mesh {
    unsigned tag; /* MNP__TAG_mesh: see base/call.h */
    mnp_ctx *ctx;
    int ndim, shape[MNP_MAX_DIMS];
    mnp_comm *along[MNP_MAX_DIMS]; /* of each axis, through this rank; NULL until mnp_mesh_comm() makes it */
};

#endif
