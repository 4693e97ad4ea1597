/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times halo exchange: 15 rows of a float32 array whose rows are spread over the ranks, alone and beside interior
 * work.
 *
 * A time is that of one step, where a program makes one after the other: the median of repeats of 10 steps, each
 * between two events of the device, of the slowest rank.  "exposed" is what the exchange adds to the interior work that
 * it goes on beside.  Rows have 32768 elements, and there are as many rows;
 * on the host device 8192, and 1024 rows; --elements makes more rows or fewer.  On the host device "MPI" is the same
 * exchange by MPI_Isend and MPI_Irecv of the rows where they lie.  On GPUs "library" is Maniple's halo with messages
 * that are left to NCCL, or to MPI where ranks share a GPU (mnp_comm_set_algorithm()).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

enum { ROWS = 15, BANDS = 16, STEPS = 10 };

static const char source[] =
    "extern \"C\" __global__ void smooth(const float *x, float *y, long long pitch, long long columns)\n"
    "{\n"
    "    long long i = blockIdx.y, j = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (j < columns)\n"
    "        y[i * pitch + j] = 0.25f * (x[(i - 1) * pitch + j] + x[(i + 1) * pitch + j]) + 0.5f * x[i * pitch + j];\n"
    "}\n";

struct work {
    mnp_ctx *ctx;
    mnp_array *x, *y;
    mnp_halo *halo;
    mnp_raw_kernel *smooth;
    int64_t width;
    mnp_status (*step)(void *work); /* what is timed */
};

struct timed_case {
    const char *name;
    mnp_status (*run)(void *work);
    bool on_host_only, by_library, overlaps; /* by_library: on GPUs only */
};

/* One of the bands of the interior. */
static mnp_status smooth_band(struct work *w, int64_t band)
{
    mnp_halo_box box;
    mnp_halo_interior(w->halo, 0, &box);
    const int64_t first = box.lo[0] + box.shape[0] * band / BANDS, last = box.lo[0] + box.shape[0] * (band + 1) / BANDS;
    const int64_t offset = first * w->width;
    if (first == last)
        return MNP_OK;
    const float *x = (const float *)mnp_array_local_data(w->x) + offset;
    float *y = (float *)mnp_array_local_data(w->y) + offset;
    const mnp_launch launch = {.grid = {(unsigned)((w->width + 255) / 256), (unsigned)(last - first)}, .block = {256}};
    return mnp_raw_kernel_launch(
        w->smooth, &launch,
        MNP_ARGS(MNP_ARG((const void *)x), MNP_ARG((const void *)y), MNP_ARG(w->width), MNP_ARG(w->width)));
}

static mnp_status run_exchange(void *work)
{
    return mnp_halo_exchange(((struct work *)work)->halo);
}

static mnp_status run_interior(void *work)
{
    for (int64_t band = 0; band < BANDS; band++) {
        mnp_status st = smooth_band(work, band);
        if (st != MNP_OK)
            return st;
    }
    return MNP_OK;
}

static mnp_status run_both(void *work)
{
    struct work *w = work;
    mnp_status st = mnp_halo_begin(w->halo);
    for (int64_t band = 0; band < BANDS && st == MNP_OK; band++) {
        st = smooth_band(w, band);
        if (st == MNP_OK)
            st = mnp_halo_progress(w->halo);
    }
    return st == MNP_OK ? mnp_halo_finish(w->halo) : st;
}

static mnp_status run_mpi(void *work)
{
    const struct work *w = work;
    MPI_Comm comm = mnp_ctx_comm(w->ctx);
    MPI_Request requests[4];
    const int ranks = mnp_ctx_size(w->ctx), above = (mnp_ctx_rank(w->ctx) + ranks - 1) % ranks,
              below = (mnp_ctx_rank(w->ctx) + 1) % ranks, count = (int)(ROWS * w->width);
    const int64_t rows = mnp_array_local_shape(w->x)[0];
    float *block = mnp_array_local_data(w->x);
    MPI_Irecv(block - count, count, MPI_FLOAT, above, 1, comm, &requests[0]);
    MPI_Irecv(block + rows * w->width, count, MPI_FLOAT, below, 2, comm, &requests[1]);
    MPI_Isend(block, count, MPI_FLOAT, above, 2, comm, &requests[2]);
    MPI_Isend(block + (rows - ROWS) * w->width, count, MPI_FLOAT, below, 1, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    return MNP_OK;
}

static const struct timed_case cases[] = {
    {"exchange", run_exchange, false, false, false},
    {"exchange, MPI", run_mpi, true, false, false},
    {"exchange, library", run_exchange, false, true, false},
    {"interior", run_interior, false, false, false},
    {"interior beside exchange", run_both, false, false, true},
    {"the same, library", run_both, false, true, true},
};

static mnp_status run_steps(void *work)
{
    mnp_status st = MNP_OK;
    for (int i = 0; i < STEPS && st == MNP_OK; i++)
        st = ((struct work *)work)->step(work);
    return st;
}

/* The median of a step; the best one to *best_p. */
static double time_run(struct work *w, mnp_status (*step)(void *work), int repeats, double *best_p)
{
    double *seconds = seconds_new(w->ctx, repeats);
    w->step = step;
    measure(w->ctx, run_steps, w, repeats, seconds);
    double median = seconds[repeats / 2] / STEPS;
    *best_p = seconds[0] / STEPS;
    free(seconds);
    return median;
}

static void report(struct work *w, const struct timed_case *timed, int repeats)
{
    double best, unused;
    const double seconds = time_run(w, timed->run, repeats, &best);
    const double exposed = timed->overlaps ? seconds - time_run(w, run_interior, repeats, &unused) : 0;
    struct record r = {.benchmark = "halo", .name = "exchange", .seconds = seconds, .best = best};
    if (timed->overlaps)
        r.name = "interior beside exchange";
    else if (timed->run == run_interior)
        r.name = "interior";
    if (timed->on_host_only)
        r.library = "MPI";
    else if (timed->by_library)
        r.library = "Maniple, by messages";
    snprintf(r.input, sizeof r.input, "%" PRId64 " x %" PRId64 " float32", mnp_array_shape(w->x)[0], w->width);
    record(w->ctx, r);
    if (mnp_ctx_rank(w->ctx) != 0)
        return;
    printf("  %-26s %6" PRId64 " x %-6" PRId64 " median %10.1f us", timed->name, mnp_array_shape(w->x)[0], w->width,
           1e6 * seconds);
    if (timed->overlaps)
        printf(", exposed %.1f us", 1e6 * exposed);
    printf("\n");
    fflush(stdout);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct timed_case *timed = one;
    static const int64_t rows[] = {ROWS, 0};
    static const mnp_boundary wrap[] = {MNP_BOUNDARY_WRAP, MNP_BOUNDARY_WRAP};
    static const int axes[] = {0, MNP_NO_AXIS};
    const bool host = is_on_host(ctx);
    const int ranks = mnp_ctx_size(ctx);
    struct work w = {.ctx = ctx, .width = host ? 8192 : 32768};
    const int64_t shape[] = {o->elements ? o->elements / w.width : host ? 1024 : w.width, w.width};
    mnp_layout *layout;
    mnp_raw_module *module;
    if (host ? timed->by_library : timed->on_host_only)
        return;
    if (shape[0] < ranks * ROWS) {
        if (mnp_ctx_rank(ctx) == 0)
            printf("  %-26s is left out: every rank needs %d rows of %" PRId64 " elements\n", timed->name, ROWS,
                   w.width);
        return;
    }
    OR_EXIT(mnp_layout_new(1, &ranks, 2, shape, axes, NULL, &layout));
    OR_EXIT(mnp_array_new_margins(ctx, MNP_FLOAT32, layout, rows, rows, &w.x));
    OR_EXIT(mnp_array_new_margins(ctx, MNP_FLOAT32, layout, rows, rows, &w.y));
    OR_EXIT(mnp_copyto(w.x, MNP_SCALAR(ctx, 1.0f), MNP_CASTING_SAME_KIND));
    OR_EXIT(mnp_copyto(w.y, w.x, MNP_CASTING_SAME_KIND));
    OR_EXIT(mnp_comm_set_algorithm(mnp_comm_world(ctx), timed->by_library ? MNP_COMM_LIBRARY : MNP_COMM_AUTO));
    OR_EXIT(mnp_halo_new(ctx, 1, &w.x, &(mnp_halo_options){.boundary = wrap}, &w.halo));
    OR_EXIT(mnp_comm_set_algorithm(mnp_comm_world(ctx), MNP_COMM_AUTO));
    OR_EXIT(mnp_raw_module_new(ctx, source, NULL, &module));
    OR_EXIT(mnp_raw_module_kernel(module, "smooth", &w.smooth));
    report(&w, timed, o->repeats);
    mnp_raw_module_free(module);
    mnp_halo_free(w.halo);
    mnp_free_all(w.x, w.y);
    mnp_layout_free(layout);
}

const benchmark halo_benchmark = {.name = "halo",
                                  .help = "borders of blocks, alone and beside work",
                                  .repeats = 50,
                                  BENCH_CASES(cases),
                                  .time_case = time_case};
