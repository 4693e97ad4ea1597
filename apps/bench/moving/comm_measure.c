/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checking and timing a case.
 *
 * A repeat is a loop of about 10 milliseconds, so that different starting times of the ranks do not matter.  Repeats of
 * ours and of the peer's alternate, so that both run under the same conditions.
 */
#include "bench/moving/comm_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"

enum { LEAST_LOOPS = 10, MOST_LOOPS = 500 };
static const double
    repeat_seconds = 1e-2,
    most_seconds = 5e-2; /* of a repeat; a longer operation runs LEAST_LOOPS times if that takes at most most_seconds */

static const char source[] =
    "extern \"C\" __global__ void set_values(void *values, long long count, int is_double, int rank, int clear)\n"
    "{\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    double value = clear ? -1 : (double)((i * 7 + rank * 3) % 31);\n"
    "    if (i < count && is_double)\n"
    "        ((double *)values)[i] = value;\n"
    "    else if (i < count)\n"
    "        ((float *)values)[i] = (float)value;\n"
    "}\n"
    "extern \"C\" __global__ void take_margins(float *block, float *taken, long long width, int rows, int clear)\n"
    "{\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    long long place = i < width ? i - width : i - width + rows * width;\n"
    "    if (i < 2 * width && clear)\n"
    "        block[place] = -1;\n"
    "    else if (i < 2 * width)\n"
    "        taken[i] = block[place];\n"
    "}\n";

/* ---- start and end ---- */

mnp_status comm_open(comm_bench *b)
{
    const char *device = mnp_ctx_device_kind(b->ctx), *transport = mnp_ctx_transport(b->ctx);
    b->rank = mnp_ctx_rank(b->ctx);
    b->ranks = mnp_ctx_size(b->ctx);
    b->on_host = strcmp(device, "host") == 0;
    b->peer = b->on_host ? "MPI" : b->ranks == 1 ? NULL : strcmp(transport, "nccl") == 0 ? "NCCL" : "MPI";
    mnp_status st = mnp_raw_module_new(b->ctx, source, NULL, &b->module);
    if (st == MNP_OK)
        st = mnp_raw_module_kernel(b->module, "set_values", &b->set_values);
    return st == MNP_OK ? mnp_raw_module_kernel(b->module, "take_margins", &b->take_margins) : st;
}

void comm_close(comm_bench *b)
{
    mnp_raw_module_free(b->module);
}

bool comm_is_own_peer(const comm_bench *b)
{
    return b->peer && !b->on_host;
}

double comm_bandwidth(const measurement *m, double seconds)
{
    return seconds > 0 ? (double)m->bytes / seconds : 0;
}

double comm_bus_bandwidth(const measurement *m, double seconds, int ranks)
{
    return comm_bandwidth(m, seconds) * m->which->factor(ranks);
}

/* ---- functions for the cases ---- */

mnp_status comm_set_values(const comm_trial *t, mnp_array *array, bool clear)
{
    const long long count = mnp_array_local_size(array);
    const mnp_launch launch = {.grid = {(unsigned)((count + 255) / 256)}, .block = {256}};
    const int is_double = t->dtype == MNP_FLOAT64, rank = t->b->rank, value = clear;
    if (count == 0)
        return MNP_OK;
    return mnp_raw_kernel_launch(
        t->b->set_values, &launch,
        MNP_ARGS(MNP_ARG(array), MNP_ARG(count), MNP_ARG(is_double), MNP_ARG(rank), MNP_ARG(value)));
}

mnp_status comm_use_way(comm_trial *t, int way)
{
    t->way = way;
    return t->b->on_host ? MNP_OK : mnp_comm_set_algorithm(t->comm, way == LIBRARY ? MNP_COMM_LIBRARY : MNP_COMM_AUTO);
}

mnp_status comm_cut_along(const comm_bench *b, int dim, int ndim, const int64_t *shape, mnp_layout **layout_p)
{
    int axes[2] = {MNP_NO_AXIS, MNP_NO_AXIS};
    axes[dim] = 0;
    return mnp_layout_new(1, &b->ranks, ndim, shape, axes, NULL, layout_p);
}

/* ---- running ---- */

static mnp_status run(comm_trial *t)
{
    if (t->way == OURS || !t->b->on_host)
        return t->which->ours(t);
    return t->which->mpi(t) == MPI_SUCCESS ? MNP_OK : mnp_fail(MNP_ERR_COMM, "MPI failed at %s", t->which->name);
}

static bool has_peer(const comm_trial *t)
{
    if (t->b->on_host)
        return t->which->mpi != NULL;
    return comm_is_own_peer(t->b) && (!t->which->needs_graphs || t->graphs[LIBRARY]);
}

/* ---- checking ---- */

static mnp_status compare(const comm_trial *t, const void *block)
{
    const int64_t size = mnp_array_local_size(t->recv), step = size / COMM_MOST_COMPARED + 1;
    for (int64_t i = 0; i < size; i += step) {
        const double found = t->dtype == MNP_FLOAT64 ? ((const double *)block)[i] : (double)((const float *)block)[i];
        double expected;
        if (t->which->expected(t, i, &expected) && found != expected)
            return mnp_fail(MNP_ERR_INTERNAL,
                            "%s of %lld bytes a rank by %s is wrong: element %lld on rank %d is %g, "
                            "not %g",
                            t->which->name, (long long)t->bytes, t->way == OURS ? "Maniple" : t->b->peer, (long long)i,
                            t->b->rank, found, expected);
    }
    return MNP_OK;
}

static mnp_status compare_result(const comm_trial *t)
{
    const size_t bytes = (size_t)mnp_array_local_size(t->recv) * mnp_dtype_size(t->dtype);
    void *block = malloc(bytes + 1);
    if (!block)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for %zu bytes", bytes);
    mnp_status st = mnp_array_get_local(t->recv, block);
    if (st == MNP_OK)
        st = compare(t, block);
    free(block);
    return st;
}

/* Run once, and compare the result with the expected values. */
static mnp_status check(comm_trial *t, int way)
{
    mnp_status st = comm_use_way(t, way);
    if (st == MNP_OK && t->recv)
        st = comm_set_values(t, t->recv, true);
    if (st == MNP_OK && t->which->clear)
        st = t->which->clear(t);
    if (st == MNP_OK)
        st = mnp_comm_barrier(t->comm); /* no rank may write before all have cleared */
    if (st == MNP_OK)
        st = run(t);
    if (st == MNP_OK && t->which->collect)
        st = t->which->collect(t);
    if (st == MNP_OK && t->which->expected)
        st = compare_result(t);
    return mnp_agree(t->b->ctx, st);
}

/* ---- timing ---- */

/* The mean time of `loops` runs on this rank, by the device's clock, or on the host device by the CPU's. */
static mnp_status time_loops(comm_trial *t, int way, int loops, double *seconds_p)
{
    mnp_event *first = NULL, *last = NULL;
    mnp_status st = comm_use_way(t, way);
    if (st == MNP_OK && !t->b->on_host)
        st = mnp_event_new(t->b->ctx, &first);
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

/* Choose the number of runs in a repeat, the same on all ranks. */
static mnp_status choose_loops(comm_trial *t, int way, int *loops_p)
{
    double seconds = 0, slowest;
    mnp_status st = time_loops(t, way, 1, &seconds);
    if (st == MNP_OK)
        st = time_loops(t, way, 2, &seconds); /* the run before this one has filled the caches */
    if (st != MNP_OK)
        return st;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    slowest = fmax(slowest, 1e-9);
    const double loops = fmax(repeat_seconds / slowest, fmin(LEAST_LOOPS, most_seconds / slowest));
    *loops_p = (int)fmin(fmax(loops, 1), MOST_LOOPS);
    return MNP_OK;
}

/* The median over repeats of the slowest rank's times, on all ranks; `seconds` becomes those times, the least first. */
static double median(int count, double *seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, seconds, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(seconds, (size_t)count, sizeof *seconds, compare_seconds);
    return (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
}

/* Time ours and the peer's; `seconds` has room for the repeats of both. */
static mnp_status time_all(comm_trial *t, double *seconds, measurement *m)
{
    const int repeats = t->b->repeats, ways = has_peer(t) ? WAYS : 1;
    const double operations = t->which->operations > 0 ? t->which->operations : 1;
    int loops[WAYS];
    mnp_status st = MNP_OK;
    for (int way = 0; way < ways && st == MNP_OK; way++)
        st = choose_loops(t, way, &loops[way]);
    for (int i = 0; i < repeats * ways && st == MNP_OK; i++)
        st = time_loops(t, i % ways, loops[i % ways], &seconds[i % ways * repeats + i / ways]);
    if (st != MNP_OK)
        return st;
    *m = (measurement){.which = t->which, .bytes = t->bytes, .seconds = median(repeats, seconds) / operations};
    m->best = seconds[0] / operations;
    if (ways > 1) {
        m->peer_seconds = median(repeats, seconds + repeats) / operations;
        m->peer_best = seconds[repeats] / operations;
    }
    return comm_use_way(t, OURS);
}

static void end(comm_trial *t)
{
    for (int way = 0; way < WAYS; way++) {
        mnp_graph_free(t->graphs[way]);
        mnp_plan_free(t->plans[way]);
        mnp_halo_free(t->halos[way]);
    }
    mnp_free_all(t->send, t->recv);
    mnp_layout_free(t->layout);
    for (int i = 0; t->types && i < 2 * t->b->ranks; i++)
        MPI_Type_free(&t->types[i]);
    free(t->types);
    free(t->ones);
    free(t->zeros);
}

mnp_status comm_measure(const comm_bench *b, const comm_case *which, int64_t bytes, measurement *m)
{
    comm_trial t = {.b = b, .which = which, .comm = mnp_comm_world(b->ctx), .dtype = which->dtype};
    if (which->needs_others && b->ranks == 1)
        return mnp_fail(MNP_ERR_UNSUPPORTED, "it takes two ranks");
    t.type = which->dtype == MNP_FLOAT64 ? MPI_DOUBLE : MPI_FLOAT;
    double *seconds = calloc(WAYS * (size_t)b->repeats, sizeof *seconds);
    mnp_status st = which->prepare(&t, bytes);
    if (st == MNP_OK && !seconds)
        st = mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    st = mnp_agree(b->ctx, st);
    if (st == MNP_OK)
        st = check(&t, OURS);
    if (st == MNP_OK && has_peer(&t))
        st = check(&t, LIBRARY);
    if (st == MNP_OK)
        st = time_all(&t, seconds, m);
    end(&t);
    free(seconds);
    return st;
}
