/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases of maniple bench comm: collectives here, blocks of arrays in comm_blocks.c.
 */
#include "bench/moving/comm_trial.h"
#include "common/words.h"

#include <string.h>

/* ---- memory ---- */

static mnp_status new_vector(const comm_trial *t, mnp_array **array_p)
{
    mnp_layout *layout = NULL;
    const int64_t shape = t->count * t->b->ranks;
    mnp_status st = comm_cut_along(t->b, 0, 1, &shape, &layout);
    if (st == MNP_OK)
        st = mnp_array_new(t->b->ctx, t->dtype, layout, array_p);
    mnp_layout_free(layout);
    return st;
}

/* Make both vectors of the size that has been set. */
static mnp_status new_vectors(comm_trial *t)
{
    mnp_status st = new_vector(t, &t->send);
    if (st == MNP_OK)
        st = new_vector(t, &t->recv);
    return st == MNP_OK ? comm_set_values(t, t->send, false) : st;
}

/* Make two vectors of about that size, of equal parts, one for each rank. */
static mnp_status prepare_vectors(comm_trial *t, int64_t bytes)
{
    const int64_t size = (int64_t)mnp_dtype_size(t->dtype), parts = t->b->ranks;
    t->part = bytes / size / parts > 0 ? bytes / size / parts : 1;
    t->count = t->part * parts;
    t->bytes = t->count * size;
    return new_vectors(t);
}

/* Make two vectors of exactly that size, without parts. */
static mnp_status prepare_whole(comm_trial *t, int64_t bytes)
{
    const int64_t size = (int64_t)mnp_dtype_size(t->dtype);
    t->count = bytes / size > 0 ? bytes / size : 1;
    t->bytes = t->count * size;
    return new_vectors(t);
}

/* ---- collectives ---- */

static double once(int ranks)
{
    return ranks > 1;
}

static double others_of_all(int ranks)
{
    return (ranks - 1.0) / ranks;
}

static double twice_others(int ranks)
{
    return 2 * (ranks - 1.0) / ranks;
}

static mnp_status our_all_reduce(comm_trial *t)
{
    return mnp_comm_all_reduce(t->comm, comm_data(t->send), comm_data(t->recv), t->count, t->dtype, MNP_SUM);
}

static int mpi_all_reduce(comm_trial *t)
{
    return MPI_Allreduce(comm_data(t->send), comm_data(t->recv), (int)t->count, t->type, MPI_SUM, MPI_COMM_WORLD);
}

static double sum_of(const comm_trial *t, int64_t i)
{
    double sum = 0;
    for (int r = 0; r < t->b->ranks; r++)
        sum += comm_value(r, i);
    return sum;
}

static bool expect_sum(const comm_trial *t, int64_t i, double *value_p)
{
    *value_p = sum_of(t, i);
    return true;
}

static mnp_status our_reduce(comm_trial *t)
{
    return mnp_comm_reduce(t->comm, comm_data(t->send), comm_data(t->recv), t->count, t->dtype, MNP_SUM, 0);
}

static int mpi_reduce(comm_trial *t)
{
    return MPI_Reduce(comm_data(t->send), comm_data(t->recv), (int)t->count, t->type, MPI_SUM, 0, MPI_COMM_WORLD);
}

static bool expect_sum_at_root(const comm_trial *t, int64_t i, double *value_p)
{
    *value_p = sum_of(t, i);
    return t->b->rank == 0;
}

static mnp_status our_broadcast(comm_trial *t)
{
    return mnp_comm_broadcast(t->comm, comm_data(t->b->rank == 0 ? t->send : t->recv), t->count, t->dtype, 0);
}

static int mpi_broadcast(comm_trial *t)
{
    return MPI_Bcast(comm_data(t->b->rank == 0 ? t->send : t->recv), (int)t->count, t->type, 0, MPI_COMM_WORLD);
}

static bool expect_root(const comm_trial *t, int64_t i, double *value_p)
{
    *value_p = comm_value(0, i);
    return t->b->rank != 0;
}

static mnp_status our_all_gather(comm_trial *t)
{
    return mnp_comm_all_gather(t->comm, comm_data(t->send), t->part, comm_data(t->recv), t->dtype);
}

static int mpi_all_gather(comm_trial *t)
{
    return MPI_Allgather(comm_data(t->send), (int)t->part, t->type, comm_data(t->recv), (int)t->part, t->type,
                         MPI_COMM_WORLD);
}

static bool expect_gathered(const comm_trial *t, int64_t i, double *value_p)
{
    *value_p = comm_value((int)(i / t->part), i % t->part);
    return true;
}

static mnp_status our_reduce_scatter(comm_trial *t)
{
    return mnp_comm_reduce_scatter(t->comm, comm_data(t->send), comm_data(t->recv), t->part, t->dtype, MNP_SUM);
}

static int mpi_reduce_scatter(comm_trial *t)
{
    return MPI_Reduce_scatter_block(comm_data(t->send), comm_data(t->recv), (int)t->part, t->type, MPI_SUM,
                                    MPI_COMM_WORLD);
}

static bool expect_part_of_sum(const comm_trial *t, int64_t i, double *value_p)
{
    *value_p = sum_of(t, t->b->rank * t->part + i);
    return i < t->part;
}

static mnp_status our_all_to_all(comm_trial *t)
{
    return mnp_comm_all_to_all(t->comm, comm_data(t->send), comm_data(t->recv), t->part, t->dtype);
}

static int mpi_all_to_all(comm_trial *t)
{
    return MPI_Alltoall(comm_data(t->send), (int)t->part, t->type, comm_data(t->recv), (int)t->part, t->type,
                        MPI_COMM_WORLD);
}

static bool expect_exchanged(const comm_trial *t, int64_t i, double *value_p)
{
    *value_p = comm_value((int)(i / t->part), t->b->rank * t->part + i % t->part);
    return true;
}

/* The partner in pairs 0 and 1, 2 and 3, and so on; an odd last rank has none. */
static int partner_of(const comm_trial *t)
{
    int partner = t->b->rank ^ 1;
    return partner < t->b->ranks ? partner : -1;
}

static mnp_status our_ping(comm_trial *t)
{
    const int partner = partner_of(t);
    const bool first = t->b->rank % 2 == 0;
    if (partner < 0)
        return MNP_OK;
    mnp_status st = first ? mnp_comm_send(t->comm, comm_data(t->send), t->count, t->dtype, partner)
                          : mnp_comm_recv(t->comm, comm_data(t->recv), t->count, t->dtype, partner);
    if (st != MNP_OK)
        return st;
    return first ? mnp_comm_recv(t->comm, comm_data(t->recv), t->count, t->dtype, partner)
                 : mnp_comm_send(t->comm, comm_data(t->recv), t->count, t->dtype, partner);
}

static int mpi_ping(comm_trial *t)
{
    const int partner = partner_of(t), count = (int)t->count;
    if (partner < 0)
        return MPI_SUCCESS;
    if (t->b->rank % 2 != 0) {
        int code = MPI_Recv(comm_data(t->recv), count, t->type, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return code != MPI_SUCCESS ? code : MPI_Send(comm_data(t->recv), count, t->type, partner, 0, MPI_COMM_WORLD);
    }
    int code = MPI_Send(comm_data(t->send), count, t->type, partner, 0, MPI_COMM_WORLD);
    return code != MPI_SUCCESS
               ? code
               : MPI_Recv(comm_data(t->recv), count, t->type, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static bool expect_ping(const comm_trial *t, int64_t i, double *value_p)
{
    *value_p = comm_value(t->b->rank & ~1, i);
    return partner_of(t) >= 0;
}

static mnp_status prepare_nothing(comm_trial *t, int64_t bytes)
{
    (void)t;
    (void)bytes;
    return MNP_OK;
}

static mnp_status our_barrier(comm_trial *t)
{
    return mnp_comm_barrier(t->comm);
}

static int mpi_barrier(comm_trial *t)
{
    (void)t;
    return MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- an all-reduce in a graph ---- */

enum { GRAPH_OPERATIONS = 20 };

static mnp_status record_graph(comm_trial *t, int way)
{
    mnp_status st = comm_use_way(t, way), ended;
    if (st == MNP_OK)
        st = our_all_reduce(t); /* once before the recording, so that everything it needs is allocated */
    if (st == MNP_OK)
        st = mnp_graph_begin(t->b->ctx);
    if (st != MNP_OK)
        return st;
    for (int i = 0; i < GRAPH_OPERATIONS && st == MNP_OK; i++)
        st = our_all_reduce(t);
    ended = mnp_graph_end(t->b->ctx, &t->graphs[way]);
    return st == MNP_OK ? ended : st;
}

/*
 * Communication through the host cannot be recorded.  If ours goes there, nothing is measured; if the peer's does, the
 * peer is not measured.
 */
static mnp_status prepare_graph(comm_trial *t, int64_t bytes)
{
    mnp_status st = prepare_whole(t, bytes);
    if (st == MNP_OK)
        st = record_graph(t, OURS);
    if (st == MNP_ERR_ARG)
        return mnp_fail(MNP_ERR_UNSUPPORTED, "%s", words_message());
    if (st == MNP_OK && comm_is_own_peer(t->b) && record_graph(t, LIBRARY) != MNP_ERR_ARG && !t->graphs[LIBRARY])
        st = mnp_fail(MNP_ERR_INTERNAL, "%s", words_message());
    return st == MNP_OK ? comm_use_way(t, OURS) : st;
}

static mnp_status our_graph(comm_trial *t)
{
    return mnp_graph_launch(t->graphs[t->way]);
}

/* ---- the table ---- */

const comm_case comm_cases[COMM_NUM_CASES] = {
    {.name = "all-reduce",
     .help = "sum of float32",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = twice_others,
     .prepare = prepare_whole,
     .ours = our_all_reduce,
     .mpi = mpi_all_reduce,
     .expected = expect_sum},
    {.name = "all-reduce-f64",
     .help = "sum of float64",
     .dtype = MNP_FLOAT64,
     .has_size = true,
     .factor = twice_others,
     .prepare = prepare_whole,
     .ours = our_all_reduce,
     .mpi = mpi_all_reduce,
     .expected = expect_sum},
    {.name = "all-reduce-graph",
     .help = "the same, one of 20 in a graph, on GPUs",
     .dtype = MNP_FLOAT64,
     .has_size = true,
     .needs_others = true,
     .needs_graphs = true,
     .operations = GRAPH_OPERATIONS,
     .most_bytes = 64 << 10,
     .factor = twice_others,
     .prepare = prepare_graph,
     .ours = our_graph,
     .expected = expect_sum},
    {.name = "reduce",
     .help = "sum of float32, to rank 0",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = once,
     .prepare = prepare_whole,
     .ours = our_reduce,
     .mpi = mpi_reduce,
     .expected = expect_sum_at_root},
    {.name = "broadcast",
     .help = "from rank 0",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = once,
     .prepare = prepare_whole,
     .ours = our_broadcast,
     .mpi = mpi_broadcast,
     .expected = expect_root},
    {.name = "all-gather",
     .help = "every rank receives SIZE bytes in all",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = others_of_all,
     .prepare = prepare_vectors,
     .ours = our_all_gather,
     .mpi = mpi_all_gather,
     .expected = expect_gathered},
    {.name = "reduce-scatter",
     .help = "sum of float32; every rank has SIZE bytes",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = others_of_all,
     .prepare = prepare_vectors,
     .ours = our_reduce_scatter,
     .mpi = mpi_reduce_scatter,
     .expected = expect_part_of_sum},
    {.name = "all-to-all",
     .help = "every rank sends SIZE bytes, in equal parts",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = others_of_all,
     .prepare = prepare_vectors,
     .ours = our_all_to_all,
     .mpi = mpi_all_to_all,
     .expected = expect_exchanged},
    {.name = "ping",
     .help = "ranks 0 and 1, 2 and 3 and so on; half of a round trip",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .needs_others = true,
     .operations = 2,
     .factor = once,
     .prepare = prepare_whole,
     .ours = our_ping,
     .mpi = mpi_ping,
     .expected = expect_ping},
    {.name = "barrier",
     .help = "all ranks wait for each other",
     .factor = once,
     .prepare = prepare_nothing,
     .ours = our_barrier,
     .mpi = mpi_barrier},
    {.name = "columns",
     .help = "a float32 matrix cut by rows becomes one cut by columns",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = others_of_all,
     .prepare = comm_prepare_columns,
     .ours = comm_redistribution,
     .mpi = comm_mpi_redistribution,
     .expected = comm_expect_moved},
    {.name = "transpose",
     .help = "the same, stored column by column",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = others_of_all,
     .prepare = comm_prepare_transpose,
     .ours = comm_redistribution,
     .mpi = comm_mpi_redistribution,
     .expected = comm_expect_moved},
    {.name = "halo",
     .help = "SIZE bytes, half of them to each of two neighbours",
     .dtype = MNP_FLOAT32,
     .has_size = true,
     .factor = once,
     .prepare = comm_prepare_halo,
     .ours = comm_halo,
     .mpi = comm_mpi_halo,
     .clear = comm_clear_margins,
     .collect = comm_collect_margins,
     .expected = comm_expect_margins},
};

const comm_case *comm_case_at(int index)
{
    return index < COMM_NUM_CASES ? &comm_cases[index] : NULL;
}

const comm_case *comm_case_named(const char *name)
{
    for (int i = 0; i < COMM_NUM_CASES; i++)
        if (strcmp(comm_cases[i].name, name) == 0)
            return &comm_cases[i];
    return NULL;
}
