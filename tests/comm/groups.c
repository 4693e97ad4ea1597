/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of ranks: how they are made, also along the axes of a mesh; collectives of groups and of all ranks in turn; by
 * which path they go; and collectives of arrays.
 */
#include "comm/collectives/subcomm.h"
#include "context/context.h"

#include "buffers.h"

/* ---- communicators ---- */

static void check_groups(void)
{
    mnp_comm *world = mnp_comm_world(ctx), *part = NULL, *none = NULL, *axis = NULL, *again = NULL;
    int rank = mnp_comm_rank(world), ranks = mnp_comm_size(world);
    ok(rank == mnp_ctx_rank(ctx) && ranks == mnp_ctx_size(ctx) && mnp_comm_world_rank(world, rank) == rank &&
           mnp_comm_world_rank(world, ranks) == -1,
       "all ranks of the context");

    ok(mnp_comm_split(world, 1 - rank % 2, -rank, &part) == MNP_OK &&
           mnp_comm_size(part) == (ranks + 1 - rank % 2) / 2 && mnp_comm_world_rank(part, mnp_comm_rank(part)) == rank,
       "even and odd ranks, turned round");
    ok(mnp_comm_split(part, 0, mnp_comm_rank(part), &again) == MNP_OK && mnp_comm_size(again) == mnp_comm_size(part) &&
           reduce_once(again, MNP_UINT16, MNP_SUM, 50),
       "and a group of that group");

    mnp_status st = mnp_comm_split(world, rank == 0 ? -1 : 3, 0, &none);
    ok(st == MNP_OK && (rank == 0) == !none && (!none || mnp_comm_size(none) == ranks - 1), "all but the first");
    ok(!none || mnp_comm_barrier(none) == MNP_OK, "who may meet alone");
    mnp_comm_free(none);
    mnp_comm_free(part); /* the context frees the group of that group */

    mnp_mesh *mesh = NULL;
    const int extents[] = {ranks % 2 == 0 ? 2 : 1, 0};
    ok(mnp_mesh_new(ctx, 2, extents, &mesh) == MNP_OK, "a mesh");
    for (int d = 0; d < 2; d++) {
        int coords[2];
        mnp_mesh_coords(mesh, rank, coords);
        ok(mnp_mesh_comm(mesh, d, &axis) == MNP_OK && mnp_mesh_comm(mesh, d, &again) == MNP_OK && axis == again,
           "the communicator of axis %d, made once", d);
        ok(mnp_comm_size(axis) == mnp_mesh_shape(mesh)[d] && mnp_comm_rank(axis) == coords[d], "has its ranks");
        ok(reduce_once(axis, MNP_FLOAT64, MNP_SUM, 100) && reduce_once(axis, MNP_INT16, MNP_MIN, 20000), "and reduces");
    }
    ok(mnp_mesh_comm(mesh, 2, &again) == MNP_ERR_ARG && strstr(mnp_error_message(), "axis is 2"), "there is no third");
    mnp_mesh_free(mesh);
}

/* ---- arrays ---- */

static void check_arrays(void)
{
    mnp_comm *world = mnp_comm_world(ctx);
    int rank = mnp_comm_rank(world), ranks = mnp_comm_size(world);
    const int64_t shape[] = {3, 4};
    float block[12], sum[12];
    mnp_layout *everywhere, *cut;
    mnp_array *x = NULL, *y = NULL, *view = NULL, *z = NULL;
    for (int i = 0; i < 12; i++) {
        block[i] = (float)(rank + i);
        sum[i] = (float)(ranks * i + ranks * (ranks - 1) / 2);
    }
    MNP_OR_EXIT(mnp_layout_replicated(ranks, 2, shape, &everywhere));
    MNP_OR_EXIT(mnp_layout_block(ranks, 2, shape, &cut));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT32, everywhere, &x));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT32, cut, &z));
    MNP_OR_EXIT(mnp_array_set_local(x, block));
    ok(mnp_array_all_reduce(world, x, MNP_SUM, &y) == MNP_OK && mnp_array_get_local(y, block) == MNP_OK &&
           memcmp(block, sum, sizeof sum) == 0,
       "replicas are summed");
    MNP_OR_EXIT(mnp_transpose(x, NULL, &view));
    mnp_array *turned = NULL;
    ok(mnp_array_all_reduce(world, view, MNP_SUM, &turned) == MNP_OK && mnp_array_get_local(turned, block) == MNP_OK &&
           block[1] == sum[4] && block[3] == sum[1],
       "and those of a view");
    ok(mnp_array_all_reduce(world, x, MNP_SUM, &x) == MNP_OK && mnp_array_get_local(x, block) == MNP_OK &&
           memcmp(block, sum, sizeof sum) == 0,
       "and in place");
    /* From an array in Fortran's order into a view of its own memory, which is in C's. */
    mnp_layout *square = NULL, *fortran = NULL;
    mnp_array *f = NULL, *back = NULL;
    MNP_OR_EXIT(mnp_layout_replicated(ranks, 2, (const int64_t[]){2, 2}, &square));
    MNP_OR_EXIT(mnp_layout_with_order(square, (const int[]){1, 0}, &fortran));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT32, fortran, &f));
    MNP_OR_EXIT(mnp_array_set_local(f, (const float[]){0, 1, 2, 3}));
    MNP_OR_EXIT(mnp_transpose(f, NULL, &back));
    ok(mnp_array_all_reduce(world, f, MNP_SUM, &back) == MNP_OK && mnp_array_get_local(back, block) == MNP_OK &&
           block[1] == (float)ranks && block[2] == (float)(2 * ranks),
       "and into a view of their own memory");
    mnp_free_all(f, back);
    mnp_layout_free(square);
    mnp_layout_free(fortran);
    for (int i = 0; i < 12; i++)
        block[i] = (float)(100 * rank + i);
    MNP_OR_EXIT(mnp_array_set_local(x, block));
    bool sent = mnp_array_broadcast(world, view, ranks - 1) == MNP_OK && mnp_array_get_local(x, block) == MNP_OK;
    ok(sent && block[5] == (float)(100 * (ranks - 1) + 5), "a view is broadcast");
    ok(ranks == 1 || (mnp_array_all_reduce(world, z, MNP_SUM, &turned) != MNP_OK &&
                      strstr(mnp_error_message(), "own different blocks")),
       "blocks that differ are refused");
    mnp_free_all(x, y, view, turned, z);
    mnp_layout_free(everywhere);
    mnp_layout_free(cut);
}

/* Rows are cut along one axis of a mesh; ranks along the other have replicas, which are summed. */
static void check_replicas(void)
{
    mnp_mesh *mesh = NULL;
    mnp_comm *along = NULL;
    mnp_layout *layout = NULL;
    mnp_array *x = NULL;
    const int extents[] = {mnp_ctx_size(ctx) % 2 == 0 ? 2 : 1, 0}, axes[] = {0, MNP_NO_AXIS};
    const int64_t shape[] = {5, 7};
    float block[35];
    MNP_OR_EXIT(mnp_mesh_new(ctx, 2, extents, &mesh));
    MNP_OR_EXIT(mnp_mesh_comm(mesh, 1, &along));
    MNP_OR_EXIT(mnp_layout_on_mesh(mesh, 2, shape, axes, NULL, &layout));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT32, layout, &x));
    int place = mnp_comm_rank(along), replicas = mnp_comm_size(along);
    for (int i = 0; i < 35; i++)
        block[i] = (float)(i * (place + 1));
    MNP_OR_EXIT(mnp_array_set_local(x, block));
    bool right = mnp_array_all_reduce(along, x, MNP_SUM, &x) == MNP_OK && mnp_array_get_local(x, block) == MNP_OK;
    for (int i = 0; i < mnp_array_local_size(x); i++)
        right = right && block[i] == (float)(i * replicas * (replicas + 1) / 2);
    ok(right, "replicas along an axis of a mesh are summed");
    mnp_array_free(x);
    mnp_layout_free(layout);
    mnp_mesh_free(mesh);
}

/* ---- groups in turn ---- */

enum { ROUNDS = 100 };

/* What a rank gives in a round. */
static int64_t given(int world_rank, int round)
{
    return 1000 * (int64_t)round + (int64_t)world_rank * world_rank;
}

/* A sum over each of the groups in every round: ranks that are together in several groups must not mix up the sums. */
static bool sum_in_turn(mnp_comm **groups, int count)
{
    const int rank = mnp_ctx_rank(ctx);
    int64_t *x = (int64_t *)a.image, *y = (int64_t *)b.image;
    bool right = true;
    for (int round = 0; round < ROUNDS; round++)
        x[round] = given(rank, round);
    put(&a, ROUNDS * 8);
    for (int i = 0; i < ROUNDS * count; i++)
        right = right && mnp_comm_all_reduce(groups[i % count], a.data + 8 * (i / count), b.data + 8 * i, 1, MNP_INT64,
                                             MNP_SUM) == MNP_OK;
    get(&b, ROUNDS * count * 8);
    for (int i = 0; i < ROUNDS * count; i++) {
        int64_t sum = 0;
        for (int r = 0; r < mnp_comm_size(groups[i % count]); r++)
            sum += given(mnp_comm_world_rank(groups[i % count], r), i / count);
        right = right && y[i] == sum;
    }
    return right;
}

static void check_turns(void)
{
    mnp_comm *groups[5] = {mnp_comm_world(ctx)};
    mnp_mesh *mesh = NULL;
    const int rank = mnp_ctx_rank(ctx), extents[] = {mnp_ctx_size(ctx) % 2 == 0 ? 2 : 1, 0};
    MNP_OR_EXIT(mnp_mesh_new(ctx, 2, extents, &mesh));
    MNP_OR_EXIT(mnp_mesh_comm(mesh, 0, &groups[1]));
    MNP_OR_EXIT(mnp_mesh_comm(mesh, 1, &groups[2]));
    MNP_OR_EXIT(mnp_comm_split(groups[0], rank % 2, -rank, &groups[3]));
    MNP_OR_EXIT(mnp_comm_split(groups[0], 0, -rank, &groups[4]));
    ok(sum_in_turn(groups, 5), "five groups in turn");
    ok(mnp_comm_set_algorithm(groups[1], MNP_COMM_LIBRARY) == MNP_OK &&
           mnp_comm_set_algorithm(groups[4], MNP_COMM_LIBRARY) == MNP_OK && sum_in_turn(groups, 5),
       "some of them by the library");
    mnp_comm *again = NULL;
    MNP_OR_EXIT(mnp_comm_split(groups[4], rank % 2, rank, &again));
    ok(reduce_once(again, MNP_FLOAT64, MNP_SUM, 100), "a group of a group that goes by the library");
    ok(mnp_comm_set_algorithm(groups[0], MNP_COMM_LIBRARY) == MNP_OK && sum_in_turn(groups, 5) &&
           mnp_comm_set_algorithm(groups[0], MNP_COMM_AUTO) == MNP_OK && sum_in_turn(groups, 5),
       "there and back");
    ok(mnp_comm_set_algorithm(groups[0], (mnp_comm_algorithm)7) == MNP_ERR_ARG &&
           strstr(mnp_error_message(), "7 is not an algorithm"),
       "an algorithm that does not exist");
    mnp_comm_free(again);
    mnp_comm_free(groups[3]);
    mnp_comm_free(groups[4]);
    mnp_mesh_free(mesh);
}

/* NCCL is aborted for one group only: each wait for the device reports it, until the group is freed. */
static void check_given_up(void)
{
    mnp_comm *group = NULL;
    bool communicating;
    uint32_t over;
    MNP_OR_EXIT(mnp_comm_split(mnp_comm_world(ctx), 0, 0, &group));
    if (!group->base.nccl) {
        skip("a group whose NCCL was given up", "NCCL does not carry it");
        mnp_comm_free(group);
        return;
    }
    ok(mnp__nccl_check(ctx->comm.nccl, &communicating, &over) == MNP_OK, "NCCL is well");
    mnp__nccl_abort(group->base.nccl);
    ok(mnp__nccl_check(ctx->comm.nccl, &communicating, &over) == MNP_ERR_COMM &&
           strstr(mnp_error_message(), "a group of ranks"),
       "a group whose NCCL was given up is told of: %s", mnp_error_message());
    mnp_comm_free(group);
    ok(mnp__nccl_check(ctx->comm.nccl, &communicating, &over) == MNP_OK, "until it is freed");
}

int main(void)
{
    MPI_Init(NULL, NULL);
    open_context(NULL);
    check_groups();
    check_turns();
    check_arrays();
    check_replicas();
    check_given_up();
    close_context();
    int status = done_testing();
    MPI_Finalize();
    return status;
}
