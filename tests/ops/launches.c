/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No cliffs: functions of arrays of any shape, strides and axes take as few launches, and as little scratch memory, as
 * those of round ones.  Shapes, views and axes are drawn at random; what a call enqueues is counted by a table of
 * operations in front of the device's own.  bench/sweep measures the time of the same kinds of calls.
 */
#include <maniple.h>

#include <stdlib.h>
#include <string.h>

#include "comm/heap.h"
#include "comm/watch.h"
#include "context/context.h"
#include "tests/tap.h"

static mnp_ctx *ctx;
static uint64_t state; /* of the random numbers, which are the same on all ranks */

/* A number from 0 to n - 1: SplitMix64. */
static int below(int n)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

/* ---- counting ---- */

static const mnp__device_ops *plain;
static mnp__device_ops counting;
static struct {
    int launches, copies, fills;
    size_t scratch; /* bytes */
} counts;

static mnp_status count_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                               size_t params_size, mnp__stream *stream)
{
    counts.launches++;
    return plain->launch(device, kernel, launch, params, params_size, stream);
}

static mnp_status count_copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    counts.copies++;
    return plain->copy(device, dst, src, size, stream);
}

static mnp_status count_fill(mnp__device *device, void *dst, int byte, size_t size, mnp__stream *stream)
{
    counts.fills++;
    return plain->fill(device, dst, byte, size, stream);
}

static mnp_status count_alloc(mnp__device *device, size_t size, void **pointer_p)
{
    counts.scratch += size;
    return plain->alloc(device, size, pointer_p);
}

/* ---- what is drawn ---- */

enum { MOST_DIMS = 5, MOST_ELEMENTS = 1 << 16 };

/* An array of random shape, and a view of it: reversed, with steps, cut off at its ends, in another order. */
static void draw_view(mnp_array **whole_p, mnp_array **view_p)
{
    static const int64_t extents[] = {1, 2, 3, 5, 7, 13, 16, 17, 31, 32, 33, 64, 100, 129, 257, 4099};
    static const char *const subscripts[] = {":", ":", ":", "::-1", "::2", "1:", ":-1"};
    enum { EXTENTS = sizeof extents / sizeof *extents, SUBSCRIPTS = sizeof subscripts / sizeof *subscripts };
    int64_t shape[MOST_DIMS], size = 1;
    const int ndim = 1 + below(MOST_DIMS);
    char text[64] = "";
    int axes[MOST_DIMS];
    mnp_array *part = NULL;
    for (int d = 0; d < ndim; d++) {
        do
            shape[d] = extents[below(EXTENTS)];
        while (size * shape[d] > MOST_ELEMENTS);
        size *= shape[d];
        const char *subscript = shape[d] > 2 ? subscripts[below(SUBSCRIPTS)] : ":";
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", d > 0 ? ", " : "", subscript);
        axes[d] = d;
    }
    for (int d = ndim - 1; d > 0 && below(3) == 0; d--) { /* mostly as they are */
        const int other = below(d + 1), axis = axes[d];
        axes[d] = axes[other];
        axes[other] = axis;
    }
    MNP_OR_EXIT(mnp_fromfunction(ctx, "(i * 7919 % 1013) * 0.25 + 1", MNP_FLOAT32, ndim, shape, whole_p));
    MNP_OR_EXIT(mnp_index(*whole_p, text, &part));
    MNP_OR_EXIT(mnp_transpose(part, axes, view_p));
    mnp_array_free(part);
}

static mnp_axes draw_axes(int ndim)
{
    mnp_axes axes = {.count = 0};
    for (int d = 0; d < ndim; d++) {
        if (below(2) == 0)
            axes.axes[axes.count++] = d;
    }
    return axes; /* none are all */
}

/* ---- functions ---- */

typedef struct given {
    const mnp_array *x;
    mnp_axes axes; /* of reductions */
    int axis;      /* of what goes along one */
} given;

static mnp_status run_copy(const given *g, mnp_array **out_p)
{
    return mnp_copy(g->x, out_p);
}

static mnp_status run_add(const given *g, mnp_array **out_p)
{
    return mnp_add(g->x, g->x, out_p);
}

static mnp_status run_sum(const given *g, mnp_array **out_p)
{
    return mnp_sum(g->x, &g->axes, out_p);
}

static mnp_status run_std(const given *g, mnp_array **out_p)
{
    return mnp_std(g->x, &g->axes, out_p);
}

static mnp_status run_max(const given *g, mnp_array **out_p)
{
    return mnp_max(g->x, &g->axes, out_p);
}

static mnp_status run_argmax(const given *g, mnp_array **out_p)
{
    const mnp_axes axes = {.count = 1, .axes = {g->axis}};
    return mnp_argmax(g->x, &axes, out_p);
}

static mnp_status run_cumsum(const given *g, mnp_array **out_p)
{
    return mnp_cumsum(g->x, g->axis, NULL, out_p);
}

static const struct {
    const char *name;
    mnp_status (*run)(const given *g, mnp_array **out_p);
    bool joins; /* ranks join their parts, by one more launch */
} functions[] = {{"copy", run_copy, false},   {"add", run_add, false}, {"sum", run_sum, true},
                 {"std", run_std, true},      {"max", run_max, true},  {"argmax", run_argmax, true},
                 {"cumsum", run_cumsum, true}};
enum { FUNCTIONS = sizeof functions / sizeof *functions, SCRATCH = 1 << 16 };

/*
 * The second call of a kind, with a given output: one launch or copy, at most a little scratch memory, and nothing goes
 * between ranks but for results that they join.  Where results are few, a GPU's blocks share one, and a second launch
 * joins their parts.
 */
static void check(int f)
{
    const bool gpu = !ctx->device->cpu_memory, joins = functions[f].joins, ranks = mnp_ctx_size(ctx) > 1;
    const int most = 1 + (joins && gpu) + (joins && ranks ? 1 + gpu : 0); /* a GPU's collective is a launch too */
    mnp_array *whole = NULL, *view = NULL, *out = NULL;
    draw_view(&whole, &view);
    const int ndim = mnp_array_ndim(view);
    const given g = {.x = view, .axes = draw_axes(ndim), .axis = below(ndim)};
    mnp_status st = functions[f].run(&g, &out); /* finds the kernels, and makes the output */
    memset(&counts, 0, sizeof counts);
    ctx->device->ops = &counting;
    mnp__watch_counts = true;
    const mnp__traffic before = mnp__watch_sent;
    if (st == MNP_OK)
        st = functions[f].run(&g, &out);
    const bool sent = mnp__watch_sent.messages > before.messages || mnp__watch_sent.collectives > before.collectives;
    mnp__watch_counts = false;
    ctx->device->ops = plain;
    const int enqueued = counts.launches + counts.copies + counts.fills;
    const char *described = mnp_array_describe(view), *end = strstr(described, ", layout");
    ok(st == MNP_OK && enqueued <= most && counts.scratch <= SCRATCH && (joins || !sent),
       "%s along %d axes from %d on, or axis %d, of %.*s: %d launches, %d copies, %d fills, %zu bytes of scratch%s",
       functions[f].name, g.axes.count, g.axes.axes[0], g.axis, end ? (int)(end - described) : 0, described,
       counts.launches, counts.copies, counts.fills, counts.scratch, sent ? ", and messages" : "");
    mnp_array_free(out);
    mnp_array_free(view);
    mnp_array_free(whole);
}

/* ---- blocks of other ranks ---- */

static mnp_status take(const mnp_array *x, const mnp_array *indices, mnp_array **out_p)
{
    return mnp_take(x, indices, 0, MNP_CLIP, out_p);
}

static mnp_status greatest(const mnp_array *x, const mnp_array *unused, mnp_array **out_p)
{
    (void)unused;
    return mnp_max(x, &(mnp_axes){.count = 1, .axes = {0}}, out_p);
}

/*
 * Elements by indices, and short axes that are cut: the CPUs of a host read each other's blocks, by one launch and
 * without scratch memory, where parts of results, or indices and elements, would be packed and sent otherwise.
 */
static void check_reading(const char *name, mnp_status (*run)(const mnp_array *, const mnp_array *, mnp_array **))
{
    enum { LONG = 16411 }; /* a prime, so that rows are what is dealt out */
    const int64_t shape[] = {mnp_ctx_size(ctx), LONG}, count = shape[0];
    mnp_array *x = NULL, *indices = NULL, *out = NULL;
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT32, 2, shape, &x)); /* of which each rank has a row */
    MNP_OR_EXIT(mnp_fromfunction(ctx, "i * 7 % 5", MNP_INT64, 1, &count, &indices));
    mnp_status st = run(x, indices, &out);
    memset(&counts, 0, sizeof counts);
    ctx->device->ops = &counting;
    if (st == MNP_OK)
        st = run(x, indices, &out);
    ctx->device->ops = plain;
    ok(st == MNP_OK && counts.launches == 1 && counts.copies == 0 && counts.scratch == 0,
       "%s of the blocks of all ranks: %d launches, %d copies, %zu bytes of scratch", name, counts.launches,
       counts.copies, counts.scratch);
    mnp_free_all(out, indices, x);
}

int main(int argc, char **argv)
{
    const char *seed = getenv("MANIPLE_TEST_SEED"), *full = getenv("MANIPLE_TEST_FULL");
    MPI_Init(&argc, &argv);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    state = seed ? strtoull(seed, NULL, 10) : 1;
    plain = ctx->device->ops;
    counting = *plain;
    counting.launch = count_launch;
    counting.copy = count_copy;
    counting.fill = count_fill;
    counting.alloc = count_alloc;
    for (int i = 0; i < FUNCTIONS * (full ? 40 : 5); i++)
        check(i % FUNCTIONS);
    if (mnp__heap_cpu_shared(ctx->comm.heap)) {
        check_reading("elements by indices", take);
        check_reading("extremes along a short axis", greatest);
    }
    mnp_finalize(ctx);
    const int status = done_testing();
    MPI_Finalize();
    return status;
}
