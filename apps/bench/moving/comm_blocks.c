/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases of maniple bench that move blocks of arrays: redistributions and halos.
 */
#include "bench/moving/comm_trial.h"

#include <math.h>
#include <stdlib.h>

/* ---- redistribution of a square matrix: rows to columns ---- */

/*
 * Make the types with which MPI_Alltoallw sends from this rank's rows of the matrix and receives its columns, which are
 * stored row by row or column by column.
 */
static mnp_status make_types(comm_trial *t, bool by_columns)
{
    const int ranks = t->b->ranks, rank = t->b->rank;
    const mnp_layout *rows = mnp_array_layout(t->send), *columns = mnp_array_layout(t->recv);
    const int64_t *row_cuts = mnp_layout_cuts(rows, 0), *column_cuts = mnp_layout_cuts(columns, 1);
    const int side = (int)row_cuts[ranks], height = (int)(row_cuts[rank + 1] - row_cuts[rank]);
    const int width = (int)(column_cuts[rank + 1] - column_cuts[rank]);
    t->types = calloc(2 * (size_t)ranks, sizeof *t->types);
    t->ones = calloc((size_t)ranks, sizeof *t->ones);
    t->zeros = calloc((size_t)ranks, sizeof *t->zeros);
    if (!t->types || !t->ones || !t->zeros)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    for (int r = 0; r < ranks; r++) {
        const int tall = (int)(row_cuts[r + 1] - row_cuts[r]), wide = (int)(column_cuts[r + 1] - column_cuts[r]);
        MPI_Type_create_subarray(2, (int[]){height, side}, (int[]){height, wide}, (int[]){0, (int)column_cuts[r]},
                                 MPI_ORDER_C, MPI_FLOAT, &t->types[r]);
        MPI_Type_commit(&t->types[r]);
        if (by_columns) { /* elements arrive row by row; each of a row goes to another column */
            MPI_Datatype row, block;
            MPI_Type_vector(width, 1, side, MPI_FLOAT, &row);
            MPI_Type_create_hvector(tall, 1, (MPI_Aint)sizeof(float), row, &block);
            MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){row_cuts[r] * (MPI_Aint)sizeof(float)}, block,
                                     &t->types[ranks + r]);
            MPI_Type_free(&row);
            MPI_Type_free(&block);
        } else {
            MPI_Type_create_subarray(2, (int[]){side, width}, (int[]){tall, width}, (int[]){(int)row_cuts[r], 0},
                                     MPI_ORDER_C, MPI_FLOAT, &t->types[ranks + r]);
        }
        MPI_Type_commit(&t->types[ranks + r]);
        t->ones[r] = 1;
    }
    return MNP_OK;
}

/* Make a plan while `way` is in force: a plan keeps the algorithm with which it was made. */
static mnp_status new_plan(comm_trial *t, int way)
{
    if (way == LIBRARY && !comm_is_own_peer(t->b))
        return MNP_OK;
    mnp_status st = comm_use_way(t, way);
    return st == MNP_OK ? mnp_plan_new(t->send, t->layout, &t->plans[way]) : st;
}

static mnp_status prepare_matrix(comm_trial *t, int64_t bytes, bool by_columns)
{
    const int64_t ranks = t->b->ranks;
    int64_t side = (int64_t)round(sqrt((double)bytes * (double)ranks / sizeof(float)));
    side = side < ranks ? ranks : side; /* every rank has something for every other */
    const int64_t shape[] = {side, side};
    mnp_layout *rows = NULL, *columns = NULL;
    t->bytes = side * side * (int64_t)sizeof(float) / ranks;
    mnp_status st = comm_cut_along(t->b, 0, 2, shape, &rows);
    if (st == MNP_OK)
        st = mnp_array_new(t->b->ctx, MNP_FLOAT32, rows, &t->send);
    if (st == MNP_OK)
        st = comm_cut_along(t->b, 1, 2, shape, &columns);
    if (st == MNP_OK)
        st = mnp_layout_with_order(columns, by_columns ? (int[]){1, 0} : (int[]){0, 1}, &t->layout);
    if (st == MNP_OK)
        st = mnp_array_new(t->b->ctx, MNP_FLOAT32, t->layout, &t->recv);
    for (int way = 0; way < WAYS && st == MNP_OK; way++)
        st = new_plan(t, way);
    if (st == MNP_OK)
        st = comm_use_way(t, OURS);
    if (st == MNP_OK)
        st = comm_set_values(t, t->send, false);
    if (st == MNP_OK && t->b->on_host)
        st = make_types(t, by_columns);
    mnp_layout_free(rows);
    mnp_layout_free(columns);
    return st;
}

mnp_status comm_prepare_columns(comm_trial *t, int64_t bytes)
{
    return prepare_matrix(t, bytes, false);
}

mnp_status comm_prepare_transpose(comm_trial *t, int64_t bytes)
{
    return prepare_matrix(t, bytes, true);
}

mnp_status comm_redistribution(comm_trial *t)
{
    return mnp_plan_run(t->plans[t->way], t->send, &t->recv);
}

int comm_mpi_redistribution(comm_trial *t)
{
    return MPI_Alltoallw(comm_data(t->send), t->ones, t->zeros, t->types, comm_data(t->recv), t->ones, t->zeros,
                         t->types + t->b->ranks, MPI_COMM_WORLD);
}

/* i is an index of side x columns in C order, also if the block is stored column by column. */
bool comm_expect_moved(const comm_trial *t, int64_t i, double *value_p)
{
    const int64_t width = mnp_array_local_shape(t->recv)[1], side = mnp_array_shape(t->recv)[1];
    const int64_t row = i / width, column = mnp_array_local_lo(t->recv)[1] + i % width;
    const int64_t index[] = {row, 0};
    const int owner = mnp_layout_owner(mnp_array_layout(t->send), index);
    const int64_t first = mnp_layout_cuts(mnp_array_layout(t->send), 0)[owner];
    *value_p = comm_value(owner, (row - first) * side + column);
    return true;
}

/* ---- halo: a row to each of two neighbours, periodic ---- */

enum { HALO_ROWS = 4 };

static mnp_status new_halo(comm_trial *t, int way)
{
    const mnp_boundary around[] = {MNP_BOUNDARY_WRAP, MNP_BOUNDARY_WRAP};
    const mnp_halo_options options = {.boundary = around};
    if (way == LIBRARY && !comm_is_own_peer(t->b))
        return MNP_OK;
    mnp_status st = comm_use_way(t, way);
    return st == MNP_OK ? mnp_halo_new(t->b->ctx, 1, &t->send, &options, &t->halos[way]) : st;
}

mnp_status comm_prepare_halo(comm_trial *t, int64_t bytes)
{
    const int64_t width = bytes / 2 / (int64_t)sizeof(float) > 0 ? bytes / 2 / (int64_t)sizeof(float) : 1;
    const int64_t ranks = t->b->ranks, shape[] = {ranks * HALO_ROWS, width}, margins[] = {ranks * 2, width};
    const int64_t margin[] = {1, 0};
    mnp_layout *layout = NULL, *result = NULL;
    t->bytes = 2 * width * (int64_t)sizeof(float);
    mnp_status st = comm_cut_along(t->b, 0, 2, shape, &layout);
    if (st == MNP_OK)
        st = comm_cut_along(t->b, 0, 2, margins, &result);
    if (st == MNP_OK)
        st = mnp_array_new_margins(t->b->ctx, MNP_FLOAT32, layout, margin, margin, &t->send);
    if (st == MNP_OK)
        st = mnp_array_new(t->b->ctx, MNP_FLOAT32, result, &t->recv);
    for (int way = 0; way < WAYS && st == MNP_OK; way++)
        st = new_halo(t, way);
    if (st == MNP_OK)
        st = comm_use_way(t, OURS);
    if (st == MNP_OK)
        st = comm_set_values(t, t->send, false);
    mnp_layout_free(layout);
    mnp_layout_free(result);
    return st;
}

mnp_status comm_halo(comm_trial *t)
{
    return mnp_halo_exchange(t->halos[t->way]);
}

int comm_mpi_halo(comm_trial *t)
{
    const int ranks = t->b->ranks, below = (t->b->rank + ranks - 1) % ranks, above = (t->b->rank + 1) % ranks;
    const int width = (int)mnp_array_shape(t->send)[1];
    float *block = comm_data(t->send), *last = block + (int64_t)(HALO_ROWS - 1) * width;
    int code = MPI_Sendrecv(last, width, MPI_FLOAT, above, 0, block - width, width, MPI_FLOAT, below, 0, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS ? code
                               : MPI_Sendrecv(block, width, MPI_FLOAT, below, 0, last + width, width, MPI_FLOAT, above,
                                              0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Margins are accessible to kernels alone: this one copies both of them to recv, or clears them. */
static mnp_status launch_margins(comm_trial *t, int clear)
{
    const long long width = mnp_array_shape(t->send)[1];
    const mnp_launch launch = {.grid = {(unsigned)((2 * width + 255) / 256)}, .block = {256}};
    const int rows = HALO_ROWS;
    return mnp_raw_kernel_launch(
        t->b->take_margins, &launch,
        MNP_ARGS(MNP_ARG(t->send), MNP_ARG(t->recv), MNP_ARG(width), MNP_ARG(rows), MNP_ARG(clear)));
}

mnp_status comm_clear_margins(comm_trial *t)
{
    return launch_margins(t, 1);
}

mnp_status comm_collect_margins(comm_trial *t)
{
    return launch_margins(t, 0);
}

bool comm_expect_margins(const comm_trial *t, int64_t i, double *value_p)
{
    const int ranks = t->b->ranks, below = (t->b->rank + ranks - 1) % ranks, above = (t->b->rank + 1) % ranks;
    const int64_t width = mnp_array_shape(t->send)[1];
    *value_p = i < width ? comm_value(below, (HALO_ROWS - 1) * width + i) : comm_value(above, i - width);
    return true;
}
