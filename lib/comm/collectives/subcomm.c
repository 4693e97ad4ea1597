/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: all ranks of a context, parts of them, and those along the axes of a mesh.
 */
#include "comm/collectives/subcomm.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "comm/collectives/collectives.h"
#include "comm/collectives/collectives_p2p.h"
#include "comm/mesh.h"
#include "comm/pulse.h"
#include "comm/watch.h"

/* A group that the world keeps, by what it was asked for with: mnp__comm_along(). */
struct mnp__along {
    struct mnp__along *next;
    mnp_comm *group;
    int ndim, mesh[MNP_MAX_DIMS];
    unsigned axes;
};

/* What a group keeps on the CPU; its part is filled in. */
static mnp_status make_room(mnp_comm *comm)
{
    size_t size = (size_t)comm->base.size;
    MNP_TRY(mnp__calloc(size, sizeof *comm->ranks, &comm->ranks));
    MNP_TRY(mnp__calloc(size, sizeof *comm->peer_of, &comm->peer_of));
    MNP_TRY(mnp__calloc(size, sizeof *comm->sends, &comm->sends));
    MNP_TRY(mnp__calloc(size, sizeof *comm->recvs, &comm->recvs));
    MNP_TRY(mnp__calloc(2 * size, sizeof *comm->staging.messages, &comm->staging.messages));
    MNP_TRY(mnp__calloc(2 * size, sizeof *comm->flows, &comm->flows));
    return mnp__calloc(size, sizeof *comm->sources, &comm->sources);
}

static void free_kernel(mnp_comm *comm, mnp__kernel *kernel)
{
    if (kernel)
        comm->base.device->ops->kernel_free(comm->base.device, kernel);
}

/* What a group holds, but for its communicators. */
static void clear(mnp_comm *comm)
{
    const mnp__device_ops *ops = comm->base.device->ops;
    for (int dtype = MNP_BOOL; dtype < MNP_NUM_DTYPES; dtype++) {
        for (int op = 0; op < MNP__NUM_OPS; op++) {
            free_kernel(comm, comm->kernels[dtype][op]);
            free_kernel(comm, comm->small_reductions[dtype][op]);
            free_kernel(comm, comm->p2p_reduce[dtype][op]);
        }
    }
    free_kernel(comm, comm->small_moves);
    free_kernel(comm, comm->p2p_all_to_all);
    free_kernel(comm, comm->broadcast_parts);
    ops->free(comm->base.device, comm->scratch);
    mnp__staging_free(comm);
    free(comm->staging.messages);
    free(comm->ranks);
    free(comm->peer_of);
    free(comm->sends);
    free(comm->recvs);
    free(comm->flows);
    free(comm->sources);
    mnp__object_free(comm);
}

/* Number the group's ranks as the context does, and as the peers do. */
static mnp_status number_ranks(mnp_comm *comm)
{
    int mine = comm->world->base.rank;
    MNP_TRY(mnp__all_gather(&comm->base, &mine, comm->ranks, sizeof mine));
    for (int r = 0; r < comm->base.size; r++)
        comm->peer_of[r] = mnp__peers_find(comm->base.peers, comm->ranks[r]);
    return MNP_OK;
}

/* What the group's messages go by. */
static void choose_algorithm(mnp_comm *comm, mnp_comm_algorithm algorithm)
{
    const mnp_comm *world = comm->world;
    bool together = comm->base.size > 1 && comm->base.size <= MNP_P2P_SMALL_RANKS; /* all are peers */
    for (int r = 0; r < comm->base.size; r++)
        together = together && comm->peer_of[r] >= 0;
    comm->algorithm = algorithm;
    comm->channels = algorithm == MNP_COMM_AUTO ? world->all_channels : NULL;
    comm->p2p = algorithm == MNP_COMM_AUTO && together ? world->all_p2p : NULL;
}

mnp_status mnp_comm_set_algorithm(mnp_comm *comm, mnp_comm_algorithm algorithm)
{
    MNP_ENTER(comm);
    if (algorithm != MNP_COMM_AUTO && algorithm != MNP_COMM_LIBRARY)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_comm_set_algorithm: %d is not an algorithm of mnp_comm_algorithm",
                        (int)algorithm);
    MNP_TRY(mnp__check_same(&comm->base, "mnp_comm_set_algorithm", (uint64_t)algorithm));
    choose_algorithm(comm, algorithm);
    if (comm != comm->world)
        return MNP_OK;
    comm->context->library_only = algorithm == MNP_COMM_LIBRARY;
    for (struct mnp__along *along = comm->along; along; along = along->next)
        choose_algorithm(along->group, algorithm);
    return MNP_OK;
}

mnp_status mnp__world_open(mnp__comm *comm, mnp_comm **world_p)
{
    mnp_comm *world = NULL;
    mnp_status st = mnp__calloc(1, sizeof *world, &world);
    if (st == MNP_OK) {
        world->tag = MNP__TAG_comm;
        world->base = *comm;
        world->world = world;
        world->context = comm;
        st = make_room(world);
    }
    MNP_TRY_OR(mnp__agree(comm, st), st, fail);
    MNP_TRY_OR(number_ranks(world), st, fail);
    MNP_TRY_OR(mnp__channels_open(comm->heap, comm->peers, &world->all_channels), st, fail);
    MNP_TRY_OR(mnp__p2p_open(comm, &world->all_p2p), st, fail);
    choose_algorithm(world, MNP_COMM_AUTO);
    *world_p = world;
    return MNP_OK;
fail:
    if (world) {
        mnp__channels_close(world->all_channels);
        clear(world);
    }
    return st;
}

void mnp__world_close(mnp_comm *world)
{
    if (!world)
        return;
    while (world->next)
        mnp_comm_free(world->next);
    while (world->along) {
        struct mnp__along *first = world->along;
        world->along = first->next;
        free(first);
    }
    mnp__p2p_close(world->all_p2p);
    mnp__channels_close(world->all_channels);
    clear(world);
}

/* A communicator without NCCL yet; MPI_COMM_NULL where this rank is in no group.  Collective over comm. */
static mnp_status split_mpi(mnp_comm *comm, int color, int key, mnp_comm *group)
{
    group->base = comm->base;
    group->base.nccl = NULL;
    group->base.mpi = MPI_COMM_NULL;
    group->world = comm->world;
    mnp__pulse_enter(comm->base.pulse, "making", "a communicator");
    const int code = MPI_Comm_split(comm->base.mpi, color < 0 ? MPI_UNDEFINED : color, key, &group->base.mpi);
    mnp__pulse_leave(comm->base.pulse);
    MNP_TRY(mnp__mpi_status(code, "MPI_Comm_split"));
    if (group->base.mpi == MPI_COMM_NULL)
        return MNP_OK;
    MPI_Comm_set_errhandler(group->base.mpi, MPI_ERRORS_RETURN);
    MPI_Comm_rank(group->base.mpi, &group->base.rank);
    MPI_Comm_size(group->base.mpi, &group->base.size);
    return make_room(group);
}

/* mnp_comm_split(); a group without a communicator of NCCL sends its messages by the world's. */
static mnp_status split(mnp_comm *comm, int color, int key, bool needs_nccl, mnp_comm **group_p)
{
    mnp_comm *group = NULL;
    mnp_status st = mnp__agree(&comm->base, mnp__calloc(1, sizeof *group, &group));
    if (st != MNP_OK) {
        free(group);
        return st;
    }
    group->tag = MNP__TAG_comm;
    st = mnp__agree(&comm->base, split_mpi(comm, color, key, group));
    bool inside = group->base.mpi != MPI_COMM_NULL;
    if (st == MNP_OK && inside)
        st = number_ranks(group);
    if (st == MNP_OK && comm->base.nccl && needs_nccl)
        st = mnp__nccl_split(&comm->base, &group->base, inside ? color : -1, key, &group->base.nccl);
    if (st == MNP_OK && inside)
        choose_algorithm(group, comm->algorithm);
    st = mnp__agree(&comm->base, st);
    group->next = comm->world->next;
    comm->world->next = group;
    if (st != MNP_OK || !inside) {
        mnp_comm_free(group);
        group = NULL;
    }
    if (st == MNP_OK)
        *group_p = group;
    return st;
}

mnp_status mnp_comm_split(mnp_comm *comm, int color, int key, mnp_comm **part_p)
{
    MNP_ENTER(comm, part_p);
    MNP_TRY(split(comm, color, key, true, part_p));
    if (comm->base.config->checks && *part_p)
        mnp__objects_add(*part_p, comm->world->context);
    return MNP_OK;
}

/* The lowest of the ranks that differ from this one only along those axes. */
static int lowest_along(int rank, int ndim, const int *mesh, unsigned axes)
{
    int lowest = 0, stride = 1;
    for (int a = ndim - 1; a >= 0; a--) {
        lowest += axes >> a & 1 ? 0 : rank % mesh[a] * stride;
        rank /= mesh[a];
        stride *= mesh[a];
    }
    return lowest;
}

mnp_status mnp__comm_along(mnp_comm *world, int ndim, const int *mesh, unsigned axes, mnp_comm **group_p)
{
    struct mnp__along *along = NULL;
    int groups = 1;
    for (int a = 0; a < ndim; a++)
        groups *= axes >> a & 1 ? 1 : mesh[a];
    if (groups == 1) {
        *group_p = world;
        return MNP_OK;
    }
    for (along = world->along; along; along = along->next) {
        if (along->axes == axes && along->ndim == ndim && memcmp(along->mesh, mesh, (size_t)ndim * sizeof *mesh) == 0) {
            *group_p = along->group;
            return MNP_OK;
        }
    }
    mnp_status st = mnp__agree(&world->base, mnp__calloc(1, sizeof *along, &along));
    if (st == MNP_OK)
        st = split(world, lowest_along(world->base.rank, ndim, mesh, axes), world->base.rank, false, &along->group);
    if (st != MNP_OK) {
        free(along);
        return st;
    }
    along->next = world->along;
    along->ndim = ndim;
    along->axes = axes;
    memcpy(along->mesh, mesh, (size_t)ndim * sizeof *mesh);
    world->along = along;
    *group_p = along->group;
    return MNP_OK;
}

void mnp_comm_free(mnp_comm *comm)
{
    if (!comm)
        return;
    MNP_NEED_OR(, comm);
    if (comm == comm->world)
        return;
    if (comm->base.config->checks)
        mnp__objects_remove(comm);
    for (mnp_comm **link = &comm->world->next; *link; link = &(*link)->next) {
        if (*link == comm) {
            *link = comm->next;
            break;
        }
    }
    /* kernels are not unloaded while they run */
    if (comm->base.mpi != MPI_COMM_NULL && mnp__wait_for_compute(comm) != MNP_OK)
        MNP_LOG(&comm->base.config->logger, MNP_LOG_ERROR, "mnp_comm_free: %s", mnp_error_message());
    mnp__nccl_free(comm->base.nccl);
    if (comm->base.mpi != MPI_COMM_NULL && !mnp__watch_lost(&comm->base)) /* it takes all ranks */
        MPI_Comm_free(&comm->base.mpi);
    clear(comm);
}

mnp_status mnp_mesh_comm(mnp_mesh *mesh, int axis, mnp_comm **comm_p)
{
    MNP_ENTER(mesh, comm_p);
    int coords[MNP_MAX_DIMS];
    if (axis < 0 || axis >= mesh->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "axis is %d, outside 0..%d, the axes of the mesh", axis, mesh->ndim - 1);
    if (!mesh->along[axis]) {
        mnp_comm *world = mnp_comm_world(mesh->ctx);
        mnp_mesh_coords(mesh, world->base.rank, coords);
        int place = coords[axis];
        coords[axis] = 0; /* the number of the first rank of each line is its colour */
        MNP_TRY(split(world, mnp_mesh_rank(mesh, coords), place, true, &mesh->along[axis]));
    }
    *comm_p = mesh->along[axis];
    return MNP_OK;
}

int mnp_comm_rank(const mnp_comm *comm)
{
    MNP_NEED_OR(-1, comm);
    return comm->base.rank;
}

int mnp_comm_size(const mnp_comm *comm)
{
    MNP_NEED_OR(-1, comm);
    return comm->base.size;
}

MPI_Comm mnp_comm_mpi(const mnp_comm *comm)
{
    MNP_NEED_OR(MPI_COMM_NULL, comm);
    return comm->base.mpi;
}

int mnp_comm_world_rank(const mnp_comm *comm, int rank)
{
    MNP_NEED_OR(-1, comm);
    return rank >= 0 && rank < comm->base.size ? comm->ranks[rank] : -1;
}
