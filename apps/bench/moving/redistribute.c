/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times redistributions, by a plan and by mnp_redistribute(), which finds the plan that it made before, beside a peer:
 * on the host MPI_Alltoallw with a subarray type for each box, from and to blocks of memory of its own; on GPUs a plan
 * whose messages are left to NCCL, or to MPI where ranks share a GPU (mnp_comm_set_algorithm()).
 *
 *   rows-columns   a square matrix of float32 cut along rows, to one cut along columns
 *   transposing    the same, stored so that its columns are contiguous, as a transposed matrix wants it
 *   squares-rows   cut along both dimensions, to rows
 *   slabs          a cube of float64 cut along its first dimension, to one cut along its last
 *
 * N is the elements of the array, 2^26 unless told (of the cube 2^24).  A time is the median of repeats, each between
 * two events of the device, of the slowest rank; GB/s are bytes of the whole array by that time.
 */
#include <math.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

struct redistribution {
    const char *name;
    mnp_dtype dtype;
    int ndim, from_axes[3], to_axes[3];
    bool is_square, is_transposing; /* square: `from` is cut along two dimensions by a mesh of two axes */
};

static const struct redistribution cases[] = {
    {"rows-columns", MNP_FLOAT32, 2, {0, -1}, {-1, 0}, false, false},
    {"transposing", MNP_FLOAT32, 2, {0, -1}, {-1, 0}, false, true},
    {"squares-rows", MNP_FLOAT32, 2, {0, 1}, {0, -1}, true, false},
    {"slabs", MNP_FLOAT64, 3, {0, -1, -1}, {-1, -1, 0}, false, false},
};

/* ---- the layouts ---- */

static mnp_layout *layout_of(mnp_ctx *ctx, const struct redistribution *c, const int64_t *shape, bool is_target)
{
    const int size = mnp_ctx_size(ctx), reverse[] = {2, 1, 0};
    int mesh[] = {size, 1};
    mnp_layout *layout, *turned;
    if (c->is_square && !is_target) {
        mesh[0] = (int)sqrt((double)size);
        while (size % mesh[0] != 0)
            mesh[0]--;
        mesh[1] = size / mesh[0];
    }
    OR_EXIT(mnp_layout_new(2, mesh, c->ndim, shape, is_target ? c->to_axes : c->from_axes, NULL, &layout));
    if (!is_target || !c->is_transposing)
        return layout;
    OR_EXIT(mnp_layout_with_order(layout, reverse + 3 - c->ndim, &turned));
    mnp_layout_free(layout);
    return turned;
}

/* ---- the peer ---- */

struct peer {
    MPI_Comm comm;
    void *from, *to;
    int *counts, *places;
    MPI_Datatype *sends, *recvs;
};

/* The part of a block that lies in another box, as MPI describes it; MPI_DATATYPE_NULL if there is none. */
static MPI_Datatype part_of(const mnp_layout *layout, int rank, const mnp_layout *other, int other_rank,
                            MPI_Datatype element)
{
    int64_t lo[3], extent[3], other_lo[3], other_extent[3];
    int sizes[3], parts[3], starts[3], ndim = mnp_layout_ndim(layout);
    MPI_Datatype type;
    mnp_layout_box(layout, rank, lo, extent);
    mnp_layout_box(other, other_rank, other_lo, other_extent);
    for (int d = 0; d < ndim; d++) {
        int64_t begin = lo[d] > other_lo[d] ? lo[d] : other_lo[d];
        int64_t end = lo[d] + extent[d], other_end = other_lo[d] + other_extent[d];
        end = other_end < end ? other_end : end;
        if (begin >= end)
            return MPI_DATATYPE_NULL;
        sizes[d] = (int)extent[d];
        parts[d] = (int)(end - begin);
        starts[d] = (int)(begin - lo[d]);
    }
    if (mnp_layout_order(layout)[0] == 0) {
        MPI_Type_create_subarray(ndim, sizes, parts, starts, MPI_ORDER_C, element, &type);
    } else { /* rows of elements that lie a column apart: the order in which the sender has them */
        MPI_Datatype row, rows;
        int bytes, length = 1;
        MPI_Type_size(element, &bytes);
        MPI_Type_vector(parts[1], 1, sizes[0], element, &row);
        MPI_Type_create_hvector(parts[0], 1, bytes, row, &rows);
        MPI_Aint start = ((MPI_Aint)starts[1] * sizes[0] + starts[0]) * bytes;
        MPI_Type_create_hindexed(1, &length, &start, rows, &type);
        MPI_Type_free(&row);
        MPI_Type_free(&rows);
    }
    MPI_Type_commit(&type);
    return type;
}

static struct peer peer_new(mnp_ctx *ctx, const struct redistribution *c, const mnp_layout *from, const mnp_layout *to,
                            const mnp_array *x, const mnp_array *y)
{
    int size = mnp_ctx_size(ctx), rank = mnp_ctx_rank(ctx);
    MPI_Datatype element = c->dtype == MNP_FLOAT32 ? MPI_FLOAT : MPI_DOUBLE;
    size_t item = mnp_dtype_size(c->dtype), n = (size_t)size;
    struct peer peer = {.comm = mnp_ctx_comm(ctx),
                        .from = malloc((size_t)mnp_array_local_size(x) * item + 1),
                        .to = malloc((size_t)mnp_array_local_size(y) * item + 1),
                        .counts = calloc(2 * n, sizeof(int)),
                        .places = calloc(n, sizeof(int)),
                        .sends = malloc(n * sizeof(MPI_Datatype)),
                        .recvs = malloc(n * sizeof(MPI_Datatype))};
    memset(peer.from, 1, (size_t)mnp_array_local_size(x) * item);
    memset(peer.to, 1, (size_t)mnp_array_local_size(y) * item);
    for (int r = 0; r < size; r++) {
        peer.sends[r] = part_of(from, rank, to, r, element);
        peer.recvs[r] = part_of(to, rank, from, r, element);
        peer.counts[r] = peer.sends[r] != MPI_DATATYPE_NULL;
        peer.counts[size + r] = peer.recvs[r] != MPI_DATATYPE_NULL;
    }
    return peer;
}

static mnp_status run_peer(void *argument)
{
    struct peer *peer = argument;
    int size;
    MPI_Comm_size(peer->comm, &size);
    for (int r = 0; r < size; r++) { /* a count of 0 wants a type all the same */
        if (peer->counts[r] == 0)
            peer->sends[r] = MPI_BYTE;
        if (peer->counts[size + r] == 0)
            peer->recvs[r] = MPI_BYTE;
    }
    MPI_Alltoallw(peer->from, peer->counts, peer->places, peer->sends, peer->to, peer->counts + size, peer->places,
                  peer->recvs, peer->comm);
    return MNP_OK;
}

static void peer_free(struct peer *peer)
{
    int size;
    MPI_Comm_size(peer->comm, &size);
    for (int r = 0; r < size; r++) {
        if (peer->counts[r])
            MPI_Type_free(&peer->sends[r]);
        if (peer->counts[size + r])
            MPI_Type_free(&peer->recvs[r]);
    }
    free(peer->from);
    free(peer->to);
    free(peer->counts);
    free(peer->places);
    free(peer->sends);
    free(peer->recvs);
}

/* ---- ours ---- */

struct move {
    mnp_plan *plan;
    const mnp_layout *layout;
    const mnp_array *x;
    mnp_array *y;
};

static mnp_status run_plan(void *argument)
{
    struct move *move = argument;
    return mnp_plan_run(move->plan, move->x, &move->y);
}

static mnp_status run_redistribute(void *argument)
{
    struct move *move = argument;
    return mnp_redistribute(move->x, move->layout, &move->y);
}

/* How: by a plan, by mnp_redistribute(), or by a peer. */
static void time_one(mnp_ctx *ctx, const struct redistribution *c, int64_t n, const char *how,
                     mnp_status (*run)(void *argument), void *argument, int repeats)
{
    double *seconds = seconds_new(ctx, repeats);
    measure(ctx, run, argument, repeats, seconds);
    const double median = seconds[repeats / 2], elements = pow((double)n, c->ndim);
    const double bytes = elements * (double)mnp_dtype_size(c->dtype);
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-14s %-16s %9.3f ms %8.2f GB/s\n", c->name, how, 1e3 * median, 1e-9 * bytes / median);
    struct record r =
        record_of("redistribute", c->name, (int64_t)elements, mnp_dtype_name(c->dtype), seconds, repeats, bytes);
    if (strcmp(how, "plan") == 0)
        r.library = "Maniple, by a plan";
    else if (strcmp(how, "plan of messages") == 0)
        r.library = "Maniple, by messages";
    else if (strcmp(how, "redistribute") != 0)
        r.library = how;
    record(ctx, r);
    free(seconds);
}

/* The same by a plan of messages. */
static void time_library(mnp_ctx *ctx, const struct redistribution *c, int64_t n, struct move *move, int repeats)
{
    struct move other = *move;
    OR_EXIT(mnp_comm_set_algorithm(mnp_comm_world(ctx), MNP_COMM_LIBRARY));
    OR_EXIT(mnp_plan_new(move->x, move->layout, &other.plan));
    OR_EXIT(mnp_comm_set_algorithm(mnp_comm_world(ctx), MNP_COMM_AUTO));
    time_one(ctx, c, n, "plan of messages", run_plan, &other, repeats);
    mnp_plan_free(other.plan);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct redistribution *c = one;
    const double wanted = o->elements > 0 ? (double)o->elements : c->ndim == 2 ? 1 << 26 : 1 << 24;
    const int64_t n = llround(pow(wanted, 1.0 / c->ndim)), shape[] = {n, n, n};
    mnp_layout *from = layout_of(ctx, c, shape, false), *to = layout_of(ctx, c, shape, true);
    mnp_array *x = NULL;
    struct move move = {.layout = to};
    OR_EXIT(mnp_array_new(ctx, c->dtype, from, &x));
    OR_EXIT(mnp_array_new(ctx, c->dtype, to, &move.y));
    void *block = calloc((size_t)mnp_array_local_size(x) + 1, mnp_dtype_size(c->dtype));
    OR_EXIT(mnp_array_set_local(x, block));
    free(block);
    move.x = x;
    OR_EXIT(mnp_plan_new(x, to, &move.plan));
    if (mnp_ctx_size(ctx) > 1)
        mnp_plan_print(move.plan, stdout);
    time_one(ctx, c, n, "plan", run_plan, &move, o->repeats);
    time_one(ctx, c, n, "redistribute", run_redistribute, &move, o->repeats);
    if (is_on_host(ctx)) {
        struct peer peer = peer_new(ctx, c, from, to, x, move.y);
        time_one(ctx, c, n, "MPI_Alltoallw", run_peer, &peer, o->repeats);
        peer_free(&peer);
    } else if (mnp_ctx_size(ctx) > 1) {
        time_library(ctx, c, n, &move, o->repeats);
    }
    mnp_plan_free(move.plan);
    mnp_free_all(x, move.y);
    mnp_layout_free(from);
    mnp_layout_free(to);
}

const benchmark redistribute_benchmark = {.name = "redistribute",
                                          .help = "arrays from one layout to another",
                                          .repeats = 50,
                                          BENCH_CASES(cases),
                                          .time_case = time_case};
