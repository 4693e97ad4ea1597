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
#include "comm/watch.h"

/* What a group keeps on the CPU; its part is filled in. */
static mnp_status make_room(mnp_comm *comm)
{
    size_t size = (size_t)comm->part.size;
    MNP_TRY(mnp__calloc(size, sizeof *comm->ranks, &comm->ranks));
    MNP_TRY(mnp__calloc(size, sizeof *comm->peer_of, &comm->peer_of));
    MNP_TRY(mnp__calloc(size, sizeof *comm->sends, &comm->sends));
    MNP_TRY(mnp__calloc(size, sizeof *comm->recvs, &comm->recvs));
    MNP_TRY(mnp__calloc(2 * size, sizeof *comm->flows, &comm->flows));
    return mnp__calloc(size, sizeof *comm->sources, &comm->sources);
}

static void free_kernel(mnp_comm *comm, mnp__kernel *kernel)
{
    if (kernel)
        comm->part.device->ops->kernel_free(comm->part.device, kernel);
}

/* What a group holds, but for its communicators. */
static void clear(mnp_comm *comm)
{
    const mnp__device_ops *ops = comm->part.device->ops;
    for (int dtype = 0; dtype < MNP_NUM_DTYPES; dtype++) {
        for (int op = 0; op < MNP__NUM_OPS; op++) {
            free_kernel(comm, comm->kernels[dtype][op]);
            free_kernel(comm, comm->small_reductions[dtype][op]);
            free_kernel(comm, comm->reduce_parts[dtype][op]);
        }
    }
    free_kernel(comm, comm->small_moves);
    free_kernel(comm, comm->push_parts);
    free_kernel(comm, comm->broadcast_parts);
    ops->free(comm->part.device, comm->scratch);
    free(comm->ranks);
    free(comm->peer_of);
    free(comm->sends);
    free(comm->recvs);
    free(comm->flows);
    free(comm->sources);
    free(comm);
}

/* Number the group's ranks as the context does, and as the peers do. */
static mnp_status number_ranks(mnp_comm *comm)
{
    int mine = comm->world->part.rank;
    MNP_TRY(mnp__all_gather(&comm->part, &mine, comm->ranks, sizeof mine));
    for (int r = 0; r < comm->part.size; r++)
        comm->peer_of[r] = mnp__peers_find(comm->part.peers, comm->ranks[r]);
    return MNP_OK;
}

/* What the group's messages go by. */
static void choose_way(mnp_comm *comm, mnp_comm_way way)
{
    const mnp_comm *world = comm->world;
    bool together = comm->part.size > 1 && comm->part.size <= MNP_SMALL_RANKS; /* all are peers */
    for (int r = 0; r < comm->part.size; r++)
        together = together && comm->peer_of[r] >= 0;
    comm->way = way;
    comm->channels = way == MNP_COMM_AUTO ? world->all_channels : NULL;
    comm->direct = way == MNP_COMM_AUTO && together ? world->all_direct : NULL;
}

mnp_status mnp_comm_set_way(mnp_comm *comm, mnp_comm_way way)
{
    if (way != MNP_COMM_AUTO && way != MNP_COMM_LIBRARY)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_comm_set_way: %d is no way", (int)way);
    MNP_TRY(mnp__check_same(&comm->part, "mnp_comm_set_way", (uint64_t)way));
    choose_way(comm, way);
    if (comm == comm->world)
        comm->context->library_only = way == MNP_COMM_LIBRARY;
    return MNP_OK;
}

mnp_status mnp__world_open(mnp__comm *comm, mnp_comm **world_p)
{
    mnp_comm *world;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *world, &world));
    world->part = *comm;
    world->world = world;
    world->context = comm;
    MNP_TRY_OR(mnp__agree(comm, make_room(world)), st, fail);
    MNP_TRY_OR(number_ranks(world), st, fail);
    MNP_TRY_OR(mnp__channels_open(comm->heap, comm->peers, &world->all_channels), st, fail);
    MNP_TRY_OR(mnp__direct_open(comm, &world->all_direct), st, fail);
    choose_way(world, MNP_COMM_AUTO);
    *world_p = world;
    return MNP_OK;
fail:
    mnp__channels_close(world->all_channels);
    clear(world);
    return st;
}

void mnp__world_close(mnp_comm *world)
{
    if (!world)
        return;
    while (world->next)
        mnp_comm_free(world->next);
    mnp__direct_close(world->all_direct);
    mnp__channels_close(world->all_channels);
    clear(world);
}

/* A communicator without NCCL yet; MPI_COMM_NULL where this rank is in no group.  Collective over comm. */
static mnp_status split_mpi(mnp_comm *comm, int color, int key, mnp_comm *part)
{
    part->part = comm->part;
    part->part.nccl = NULL;
    part->part.mpi = MPI_COMM_NULL;
    part->world = comm->world;
    MNP_TRY(mnp__mpi_status(MPI_Comm_split(comm->part.mpi, color < 0 ? MPI_UNDEFINED : color, key, &part->part.mpi),
                            "MPI_Comm_split"));
    if (part->part.mpi == MPI_COMM_NULL)
        return MNP_OK;
    MPI_Comm_set_errhandler(part->part.mpi, MPI_ERRORS_RETURN);
    MPI_Comm_rank(part->part.mpi, &part->part.rank);
    MPI_Comm_size(part->part.mpi, &part->part.size);
    return make_room(part);
}

mnp_status mnp_comm_split(mnp_comm *comm, int color, int key, mnp_comm **part_p)
{
    mnp_comm *part = NULL;
    mnp_status st = mnp__agree(&comm->part, mnp__calloc(1, sizeof *part, &part));
    if (st != MNP_OK) {
        free(part);
        return st;
    }
    st = mnp__agree(&comm->part, split_mpi(comm, color, key, part));
    bool inside = part->part.mpi != MPI_COMM_NULL;
    if (st == MNP_OK && inside)
        st = number_ranks(part);
    if (st == MNP_OK && comm->part.nccl)
        st = mnp__nccl_split(&comm->part, &part->part, inside ? color : -1, key, &part->part.nccl);
    if (st == MNP_OK && inside)
        choose_way(part, comm->way);
    st = mnp__agree(&comm->part, st);
    part->next = comm->world->next;
    comm->world->next = part;
    if (st != MNP_OK || !inside) {
        mnp_comm_free(part);
        part = NULL;
    }
    if (st == MNP_OK)
        *part_p = part;
    return st;
}

void mnp_comm_free(mnp_comm *comm)
{
    if (!comm || comm == comm->world)
        return;
    for (mnp_comm **link = &comm->world->next; *link; link = &(*link)->next) {
        if (*link == comm) {
            *link = comm->next;
            break;
        }
    }
    /* kernels are not unloaded while they run */
    if (comm->part.mpi != MPI_COMM_NULL && mnp__wait_for_compute(comm) != MNP_OK)
        MNP_LOG(&comm->part.config->logger, MNP_LOG_ERROR, "mnp_comm_free: %s", mnp_error_message());
    mnp__nccl_free(comm->part.nccl);
    if (comm->part.mpi != MPI_COMM_NULL && !mnp__watch_lost(&comm->part)) /* it takes all ranks */
        MPI_Comm_free(&comm->part.mpi);
    clear(comm);
}

mnp_status mnp_mesh_comm(mnp_mesh *mesh, int axis, mnp_comm **comm_p)
{
    int coords[MNP_MAX_DIMS];
    if (axis < 0 || axis >= mesh->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "axis is %d, outside 0..%d, the axes of the mesh", axis, mesh->ndim - 1);
    if (!mesh->along[axis]) {
        mnp_comm *world = mnp_comm_world(mesh->ctx);
        mnp_mesh_coords(mesh, world->part.rank, coords);
        int place = coords[axis];
        coords[axis] = 0; /* the number of the first rank of each line is its colour */
        MNP_TRY(mnp_comm_split(world, mnp_mesh_rank(mesh, coords), place, &mesh->along[axis]));
    }
    *comm_p = mesh->along[axis];
    return MNP_OK;
}

int mnp_comm_rank(const mnp_comm *comm)
{
    return comm->part.rank;
}

int mnp_comm_size(const mnp_comm *comm)
{
    return comm->part.size;
}

MPI_Comm mnp_comm_mpi(const mnp_comm *comm)
{
    return comm->part.mpi;
}

int mnp_comm_world_rank(const mnp_comm *comm, int rank)
{
    return rank >= 0 && rank < comm->part.size ? comm->ranks[rank] : -1;
}
