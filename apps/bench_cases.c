/*
 * The cases of maniple bench, and how they are timed.
 *
 * A trial is a case with its memory: two vectors of a rank, or what the case makes itself.  What is sent are small integers
 * that depend on rank and index, so that every result, sums too, is known exactly.  A repeat is a loop of at least a
 * millisecond or so; repeats of ours and of MPI's alternate, so that both meet the same weather.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOOPS = 500, HALO_ROWS = 4 };
static const double repeat_seconds = 1e-3;

typedef struct trial {
    const bench *b;
    const bench_case *which;
    mnp_comm *comm;
    mnp_dtype dtype;
    MPI_Datatype type;
    int64_t bytes, count, part; /* a rank's; elements of it; elements for each rank */
    mnp_array *send, *recv;
    mnp_layout *layout;         /* that a redistribution goes to */
    mnp_plan *plan;
    mnp_halo *halo;
    MPI_Datatype *types;        /* of MPI_Alltoallw: what goes to every rank, then what comes */
    int *ones, *zeros;
} trial;

struct bench_case {
    const char *name, *help;
    mnp_dtype dtype;
    bool has_size, needs_others;
    double (*factor)(int ranks);
    mnp_status (*prepare)(trial *t, int64_t bytes);
    mnp_status (*ours)(trial *t);
    int (*peer)(trial *t);
    /* The value at index i of the result on this rank, and whether there is one. */
    bool (*expected)(const trial *t, int64_t i, double *value_p);
};

/* ---- values and memory ---- */

static double value_of(int rank, int64_t i)
{
    return (double)((i * 7 + rank * 3) % 31);
}

static double sum_of(const trial *t, int64_t i)
{
    double sum = 0;
    for (int r = 0; r < t->b->ranks; r++)
        sum += value_of(r, i);
    return sum;
}

static void set_element(const trial *t, void *data, int64_t i, double value)
{
    if (t->dtype == MNP_FLOAT64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

static double element(const trial *t, const void *data, int64_t i)
{
    return t->dtype == MNP_FLOAT64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static size_t local_bytes(const mnp_array *array)
{
    return (size_t)mnp_array_local_size(array) * mnp_dtype_size(mnp_array_dtype(array)) + 1;
}

/* This rank's values, or a value that is none of them. */
static mnp_status fill(const trial *t, mnp_array *array, bool clear)
{
    void *block = malloc(local_bytes(array));
    if (!block)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for %zu bytes", local_bytes(array));
    for (int64_t i = 0; i < mnp_array_local_size(array); i++)
        set_element(t, block, i, clear ? -1 : value_of(t->b->rank, i));
    mnp_status st = mnp_array_set_local(array, block);
    free(block);
    return st;
}

static void *data_of(const mnp_array *array)
{
    return mnp_array_local_data(array);
}

/* A float matrix, or vector, that is cut along `dim` evenly. */
static mnp_status cut_along(const bench *b, int dim, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
    int axes[2] = {MNP_NO_AXIS, MNP_NO_AXIS};
    axes[dim] = 0;
    return mnp_layout_new(1, &b->ranks, ndim, shape, axes, NULL, layout_p);
}

static mnp_status new_vector(const trial *t, mnp_array **array_p)
{
    mnp_layout *layout = NULL;
    const int64_t shape = t->count * t->b->ranks;
    mnp_status st = cut_along(t->b, 0, 1, &shape, &layout);
    if (st == MNP_OK)
        st = mnp_array_new(t->b->ctx, t->dtype, layout, array_p);
    mnp_layout_free(layout);
    return st;
}

/* Both, once their size is known. */
static mnp_status new_vectors(trial *t)
{
    mnp_status st = new_vector(t, &t->send);
    if (st == MNP_OK)
        st = new_vector(t, &t->recv);
    if (st == MNP_OK)
        st = fill(t, t->send, false);
    return st == MNP_OK ? fill(t, t->recv, false) : st;
}

/* Two vectors of as many whole parts, one for each rank, as come near that size. */
static mnp_status prepare_vectors(trial *t, int64_t bytes)
{
    const int64_t size = (int64_t)mnp_dtype_size(t->dtype), parts = t->b->ranks;
    t->part = bytes / size / parts > 0 ? bytes / size / parts : 1;
    t->count = t->part * parts;
    t->bytes = t->count * size;
    return new_vectors(t);
}

/* The same without parts: the exact size. */
static mnp_status prepare_whole(trial *t, int64_t bytes)
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

static mnp_status our_all_reduce(trial *t)
{
    return mnp_comm_all_reduce(t->comm, data_of(t->send), data_of(t->recv), t->count, t->dtype, MNP_SUM);
}

static int peer_all_reduce(trial *t)
{
    return MPI_Allreduce(data_of(t->send), data_of(t->recv), (int)t->count, t->type, MPI_SUM, MPI_COMM_WORLD);
}

static bool expect_sum(const trial *t, int64_t i, double *value_p)
{
    *value_p = sum_of(t, i);
    return true;
}

static mnp_status our_broadcast(trial *t)
{
    return mnp_comm_broadcast(t->comm, data_of(t->b->rank == 0 ? t->send : t->recv), t->count, t->dtype, 0);
}

static int peer_broadcast(trial *t)
{
    return MPI_Bcast(data_of(t->b->rank == 0 ? t->send : t->recv), (int)t->count, t->type, 0, MPI_COMM_WORLD);
}

static bool expect_root(const trial *t, int64_t i, double *value_p)
{
    *value_p = value_of(0, i);
    return t->b->rank != 0;
}

static mnp_status our_all_gather(trial *t)
{
    return mnp_comm_all_gather(t->comm, data_of(t->send), t->part, data_of(t->recv), t->dtype);
}

static int peer_all_gather(trial *t)
{
    return MPI_Allgather(data_of(t->send), (int)t->part, t->type, data_of(t->recv), (int)t->part, t->type,
                         MPI_COMM_WORLD);
}

static bool expect_gathered(const trial *t, int64_t i, double *value_p)
{
    *value_p = value_of((int)(i / t->part), i % t->part);
    return true;
}

static mnp_status our_reduce_scatter(trial *t)
{
    return mnp_comm_reduce_scatter(t->comm, data_of(t->send), data_of(t->recv), t->part, t->dtype, MNP_SUM);
}

static int peer_reduce_scatter(trial *t)
{
    return MPI_Reduce_scatter_block(data_of(t->send), data_of(t->recv), (int)t->part, t->type, MPI_SUM, MPI_COMM_WORLD);
}

static bool expect_part_of_sum(const trial *t, int64_t i, double *value_p)
{
    *value_p = sum_of(t, t->b->rank * t->part + i);
    return i < t->part;
}

static mnp_status our_all_to_all(trial *t)
{
    return mnp_comm_all_to_all(t->comm, data_of(t->send), data_of(t->recv), t->part, t->dtype);
}

static int peer_all_to_all(trial *t)
{
    return MPI_Alltoall(data_of(t->send), (int)t->part, t->type, data_of(t->recv), (int)t->part, t->type,
                        MPI_COMM_WORLD);
}

static bool expect_exchanged(const trial *t, int64_t i, double *value_p)
{
    *value_p = value_of((int)(i / t->part), t->b->rank * t->part + i % t->part);
    return true;
}

/* Ranks 0 and 1, 2 and 3, and so on; an odd last rank looks on. */
static int partner_of(const trial *t)
{
    int partner = t->b->rank ^ 1;
    return partner < t->b->ranks ? partner : -1;
}

static mnp_status our_ping(trial *t)
{
    const int partner = partner_of(t);
    const bool first = t->b->rank % 2 == 0;
    if (partner < 0)
        return MNP_OK;
    mnp_status st = first ? mnp_comm_send(t->comm, data_of(t->send), t->count, t->dtype, partner)
                          : mnp_comm_recv(t->comm, data_of(t->recv), t->count, t->dtype, partner);
    if (st != MNP_OK)
        return st;
    return first ? mnp_comm_recv(t->comm, data_of(t->recv), t->count, t->dtype, partner)
                 : mnp_comm_send(t->comm, data_of(t->recv), t->count, t->dtype, partner);
}

static int peer_ping(trial *t)
{
    const int partner = partner_of(t), count = (int)t->count;
    if (partner < 0)
        return MPI_SUCCESS;
    if (t->b->rank % 2 != 0) {
        int code = MPI_Recv(data_of(t->recv), count, t->type, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return code != MPI_SUCCESS ? code : MPI_Send(data_of(t->recv), count, t->type, partner, 0, MPI_COMM_WORLD);
    }
    int code = MPI_Send(data_of(t->send), count, t->type, partner, 0, MPI_COMM_WORLD);
    return code != MPI_SUCCESS
               ? code
               : MPI_Recv(data_of(t->recv), count, t->type, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static bool expect_ping(const trial *t, int64_t i, double *value_p)
{
    *value_p = value_of(t->b->rank & ~1, i);
    return partner_of(t) >= 0;
}

static mnp_status prepare_nothing(trial *t, int64_t bytes)
{
    (void)t;
    (void)bytes;
    return MNP_OK;
}

static mnp_status our_barrier(trial *t)
{
    return mnp_comm_barrier(t->comm);
}

static int peer_barrier(trial *t)
{
    (void)t;
    return MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- redistribution of a square matrix: rows to columns ---- */

/* What MPI_Alltoallw sends from rows [of this rank] x side, and puts to side x columns, stored column by column or not. */
static mnp_status make_types(trial *t, bool by_columns)
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
        if (by_columns) { /* row after row comes, and goes one element to every column */
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

static mnp_status prepare_matrix(trial *t, int64_t bytes, bool by_columns)
{
    const int64_t ranks = t->b->ranks;
    int64_t side = (int64_t)round(sqrt((double)bytes * (double)ranks / sizeof(float)));
    side = side < ranks ? ranks : side; /* everybody has something for everybody */
    const int64_t shape[] = {side, side};
    mnp_layout *rows = NULL, *columns = NULL;
    t->bytes = side * side * (int64_t)sizeof(float) / ranks;
    mnp_status st = cut_along(t->b, 0, 2, shape, &rows);
    if (st == MNP_OK)
        st = mnp_array_new(t->b->ctx, MNP_FLOAT32, rows, &t->send);
    if (st == MNP_OK)
        st = cut_along(t->b, 1, 2, shape, &columns);
    if (st == MNP_OK)
        st = mnp_layout_with_order(columns, by_columns ? (int[]){1, 0} : (int[]){0, 1}, &t->layout);
    if (st == MNP_OK)
        st = mnp_array_new(t->b->ctx, MNP_FLOAT32, t->layout, &t->recv);
    if (st == MNP_OK)
        st = mnp_plan_new(t->send, t->layout, &t->plan);
    if (st == MNP_OK)
        st = fill(t, t->send, false);
    if (st == MNP_OK && t->b->on_host)
        st = make_types(t, by_columns);
    mnp_layout_free(rows);
    mnp_layout_free(columns);
    return st;
}

static mnp_status prepare_columns(trial *t, int64_t bytes)
{
    return prepare_matrix(t, bytes, false);
}

static mnp_status prepare_transpose(trial *t, int64_t bytes)
{
    return prepare_matrix(t, bytes, true);
}

static mnp_status our_redistribution(trial *t)
{
    return mnp_plan_run(t->plan, t->send, &t->recv);
}

static int peer_redistribution(trial *t)
{
    return MPI_Alltoallw(data_of(t->send), t->ones, t->zeros, t->types, data_of(t->recv), t->ones, t->zeros,
                         t->types + t->b->ranks, MPI_COMM_WORLD);
}

/* i counts over side x columns in C order, whatever the storage. */
static bool expect_moved(const trial *t, int64_t i, double *value_p)
{
    const int64_t width = mnp_array_local_shape(t->recv)[1], side = mnp_array_shape(t->recv)[1];
    const int64_t row = i / width, column = mnp_array_local_lo(t->recv)[1] + i % width;
    const int64_t index[] = {row, 0};
    const int owner = mnp_layout_owner(mnp_array_layout(t->send), index);
    const int64_t first = mnp_layout_cuts(mnp_array_layout(t->send), 0)[owner];
    *value_p = value_of(owner, (row - first) * side + column);
    return true;
}

/* ---- halo: a row to either neighbour, around ---- */

static mnp_status prepare_halo(trial *t, int64_t bytes)
{
    const int64_t width = bytes / 2 / (int64_t)sizeof(float) > 0 ? bytes / 2 / (int64_t)sizeof(float) : 1;
    const int64_t shape[] = {(int64_t)t->b->ranks * HALO_ROWS, width}, margin[] = {1, 0};
    const mnp_boundary around[] = {MNP_BOUNDARY_WRAP, MNP_BOUNDARY_WRAP};
    const mnp_halo_options options = {.boundary = around};
    mnp_layout *layout = NULL;
    t->bytes = 2 * width * (int64_t)sizeof(float);
    mnp_status st = cut_along(t->b, 0, 2, shape, &layout);
    if (st == MNP_OK)
        st = mnp_array_new_margins(t->b->ctx, MNP_FLOAT32, layout, margin, margin, &t->send);
    if (st == MNP_OK)
        st = mnp_halo_new(t->b->ctx, 1, &t->send, &options, &t->halo);
    if (st == MNP_OK)
        st = fill(t, t->send, false);
    mnp_layout_free(layout);
    return st;
}

static mnp_status our_halo(trial *t)
{
    return mnp_halo_exchange(t->halo);
}

static float *halo_row(const trial *t, int64_t row)
{
    return (float *)data_of(t->send) + row * mnp_array_local_strides(t->send)[0];
}

static int peer_halo(trial *t)
{
    const int ranks = t->b->ranks, below = (t->b->rank + ranks - 1) % ranks, above = (t->b->rank + 1) % ranks;
    const int width = (int)mnp_array_shape(t->send)[1];
    int code = MPI_Sendrecv(halo_row(t, HALO_ROWS - 1), width, MPI_FLOAT, above, 0, halo_row(t, -1), width, MPI_FLOAT,
                            below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS ? code
                               : MPI_Sendrecv(halo_row(t, 0), width, MPI_FLOAT, below, 0, halo_row(t, HALO_ROWS), width,
                                              MPI_FLOAT, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {"all-reduce", "sum of float32", MNP_FLOAT32, true, false, twice_others, prepare_whole, our_all_reduce,
     peer_all_reduce, expect_sum},
    {"all-reduce-f64", "sum of float64", MNP_FLOAT64, true, false, twice_others, prepare_whole, our_all_reduce,
     peer_all_reduce, expect_sum},
    {"broadcast", "from rank 0", MNP_FLOAT32, true, false, once, prepare_whole, our_broadcast, peer_broadcast,
     expect_root},
    {"all-gather", "to so many bytes on every rank", MNP_FLOAT32, true, false, others_of_all, prepare_vectors,
     our_all_gather, peer_all_gather, expect_gathered},
    {"reduce-scatter", "sum of float32, of so many bytes on every rank", MNP_FLOAT32, true, false, others_of_all,
     prepare_vectors, our_reduce_scatter, peer_reduce_scatter, expect_part_of_sum},
    {"all-to-all", "so many bytes of every rank to all, evenly", MNP_FLOAT32, true, false, others_of_all,
     prepare_vectors, our_all_to_all, peer_all_to_all, expect_exchanged},
    {"ping", "ranks 0 and 1, 2 and 3 and so on; half the time there and back", MNP_FLOAT32, true, true, once,
     prepare_whole, our_ping, peer_ping, expect_ping},
    {"barrier", "all ranks wait for each other", MNP_FLOAT32, false, false, once, prepare_nothing, our_barrier,
     peer_barrier, NULL},
    {"columns", "a float32 matrix cut in rows becomes one cut in columns", MNP_FLOAT32, true, false, others_of_all,
     prepare_columns, our_redistribution, peer_redistribution, expect_moved},
    {"transpose", "the same, and is stored column by column", MNP_FLOAT32, true, false, others_of_all,
     prepare_transpose, our_redistribution, peer_redistribution, expect_moved},
    {"halo", "so many bytes, half of them to either neighbour", MNP_FLOAT32, true, false, once, prepare_halo, our_halo,
     peer_halo, NULL},
};

enum { NUM_CASES = sizeof cases / sizeof *cases };

const bench_case *bench_case_at(int index)
{
    return index < NUM_CASES ? &cases[index] : NULL;
}

const char *bench_case_name(const bench_case *which)
{
    return which->name;
}

const char *bench_case_help(const bench_case *which)
{
    return which->help;
}

bool bench_case_has_size(const bench_case *which)
{
    return which->has_size;
}

bool bench_case_needs_others(const bench_case *which)
{
    return which->needs_others;
}

double bench_bandwidth(const measurement *m, double seconds)
{
    return seconds > 0 ? (double)m->bytes / seconds : 0;
}

double bench_bus_bandwidth(const measurement *m, double seconds, int ranks)
{
    return bench_bandwidth(m, seconds) * m->which->factor(ranks);
}

/* ---- checking ---- */

/* The margins of a halo, which only the host device lets a program look at. */
static bool halo_is_right(const trial *t)
{
    const int ranks = t->b->ranks, below = (t->b->rank + ranks - 1) % ranks, above = (t->b->rank + 1) % ranks;
    const int64_t width = mnp_array_shape(t->send)[1];
    for (int64_t i = 0; i < width && t->b->on_host; i++) {
        if (halo_row(t, -1)[i] != (float)value_of(below, (HALO_ROWS - 1) * width + i) ||
            halo_row(t, HALO_ROWS)[i] != (float)value_of(above, i))
            return false;
    }
    return true;
}

static mnp_status compare(const trial *t, const void *block, const char *whose)
{
    for (int64_t i = 0; i < mnp_array_local_size(t->recv); i++) {
        double expected;
        if (t->which->expected(t, i, &expected) && element(t, block, i) != expected)
            return mnp_fail(MNP_ERR_INTERNAL, "%s of %lld bytes a rank by %s is wrong: element %lld on rank %d is %g, not %g",
                            t->which->name, (long long)t->bytes, whose, (long long)i, t->b->rank, element(t, block, i),
                            expected);
    }
    return MNP_OK;
}

/* Run once, and compare what came. */
static mnp_status check(trial *t, mnp_status (*run)(trial *t), const char *whose)
{
    void *block = NULL;
    mnp_status st = t->which->expected ? fill(t, t->recv, true) : MNP_OK;
    if (st == MNP_OK)
        st = run(t);
    if (st == MNP_OK)
        st = mnp_ctx_synchronize(t->b->ctx);
    if (st == MNP_OK && t->halo && !halo_is_right(t))
        st = mnp_fail(MNP_ERR_INTERNAL, "halo of %lld bytes a rank by %s is wrong", (long long)t->bytes, whose);
    if (st == MNP_OK && t->which->expected) {
        block = malloc(local_bytes(t->recv));
        st = block ? mnp_array_get_local(t->recv, block) : mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
        if (st == MNP_OK)
            st = compare(t, block, whose);
    }
    free(block);
    return mnp_agree(t->b->ctx, st);
}

/* ---- timing ---- */

static mnp_status run_peer(trial *t)
{
    int code = t->which->peer(t);
    return code == MPI_SUCCESS ? MNP_OK : mnp_fail(MNP_ERR_COMM, "MPI failed at %s", t->which->name);
}

/* The seconds of one of `loops` runs on this rank: the device's, or where it is the CPU a watch's. */
static mnp_status time_loops(trial *t, mnp_status (*run)(trial *t), int loops, double *seconds_p)
{
    mnp_event *first = NULL, *last = NULL;
    mnp_status st = t->b->on_host ? MNP_OK : mnp_event_new(t->b->ctx, &first);
    if (st == MNP_OK && first)
        st = mnp_event_new(t->b->ctx, &last);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    if (st == MNP_OK && first)
        st = mnp_event_record(first);
    for (int i = 0; i < loops && st == MNP_OK; i++)
        st = run(t);
    if (st == MNP_OK && first)
        st = mnp_event_record(last);
    *seconds_p = MPI_Wtime() - begin;
    if (st == MNP_OK && first)
        st = mnp_event_seconds(first, last, seconds_p);
    *seconds_p /= loops;
    mnp_event_free(first);
    mnp_event_free(last);
    return st;
}

/* How many runs make a repeat, the same on all ranks. */
static mnp_status choose_loops(trial *t, mnp_status (*run)(trial *t), int *loops_p)
{
    double seconds = 0, slowest;
    mnp_status st = time_loops(t, run, 1, &seconds);
    if (st == MNP_OK)
        st = time_loops(t, run, 2, &seconds); /* the first one was for the caches */
    if (st != MNP_OK)
        return st;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double loops = repeat_seconds / (slowest > 1e-9 ? slowest : 1e-9);
    *loops_p = loops < 1 ? 1 : loops > MAX_LOOPS ? MAX_LOOPS : (int)loops;
    return MNP_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the slowest rank's times, on all ranks; changes them. */
static double median(int count, double *seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, seconds, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    return (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
}

static mnp_status time_all(trial *t, double *ours, double *theirs, measurement *m)
{
    int our_loops, peer_loops = 1;
    const bool has_peer = t->b->on_host && t->which->peer;
    const double trips = t->which->needs_others ? 2 : 1;
    mnp_status st = choose_loops(t, t->which->ours, &our_loops);
    if (st == MNP_OK && has_peer)
        st = choose_loops(t, run_peer, &peer_loops);
    for (int i = 0; i < t->b->repeats && st == MNP_OK; i++) {
        st = time_loops(t, t->which->ours, our_loops, &ours[i]);
        if (st == MNP_OK && has_peer)
            st = time_loops(t, run_peer, peer_loops, &theirs[i]);
    }
    if (st != MNP_OK)
        return st;
    *m = (measurement){.which = t->which, .bytes = t->bytes, .seconds = median(t->b->repeats, ours) / trips};
    if (has_peer)
        m->peer_seconds = median(t->b->repeats, theirs) / trips;
    return MNP_OK;
}

static void end(trial *t)
{
    mnp_plan_free(t->plan);
    mnp_halo_free(t->halo);
    mnp_free_all(t->send, t->recv);
    mnp_layout_free(t->layout);
    for (int i = 0; t->types && i < 2 * t->b->ranks; i++)
        MPI_Type_free(&t->types[i]);
    free(t->types);
    free(t->ones);
    free(t->zeros);
}

mnp_status bench_measure(const bench *b, const bench_case *which, int64_t bytes, measurement *m)
{
    trial t = {.b = b, .which = which, .comm = mnp_comm_world(b->ctx), .dtype = which->dtype};
    t.type = which->dtype == MNP_FLOAT64 ? MPI_DOUBLE : MPI_FLOAT;
    double *seconds = calloc(2 * (size_t)b->repeats, sizeof *seconds);
    mnp_status st = which->prepare(&t, bytes);
    if (st == MNP_OK && !seconds)
        st = mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    st = mnp_agree(b->ctx, st);
    if (st == MNP_OK && t.bytes <= CHECKED_BYTES) {
        st = check(&t, which->ours, "Maniple");
        if (st == MNP_OK && b->on_host && which->peer)
            st = check(&t, run_peer, "MPI");
    }
    if (st == MNP_OK)
        st = time_all(&t, seconds, seconds + b->repeats, m);
    end(&t);
    free(seconds);
    return st;
}
