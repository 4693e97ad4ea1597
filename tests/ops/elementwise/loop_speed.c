/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times loops, with the figures of mnp__loop_tuning that are wanted: how those of lib/ops/elementwise/loop.c were
 * chosen.
 *
 *   mpirun -n RANKS tests/ops/elementwise/loop_speed [NAME=VALUE,VALUE...]...
 *
 *   case=saxpy,sin,...    which loops; all if not given
 *   n=N                   elements of float32, 2^28 if not given; other types and matrices take as many bytes
 *   repeats=N             of which the median counts
 *   threads=, vector=, flight=, unroll=, heavy=, tile=, stream=, word=    every combination is tried
 *   best=1                the fastest run instead of the median, for machines that others use
 *
 * Prints the median in ms of the slowest rank, and the memory traffic in GB/s; for case launch, microseconds of the CPU
 * and of the device per call.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"
#include "layout/layout.h"
#include "ops/elementwise/loop_plan.h"

enum { MOST_VALUES = 16, MOST_REPEATS = 1000 };

static mnp_ctx *ctx;
static int64_t elements = (int64_t)1 << 28;
static int repeats = 20;
static bool best;

/* ---- the loops ---- */

typedef enum arrangement { FLAT, UNALIGNED, ROW, COLUMN, TRANSPOSED, STRIDED, PLANES } arrangement;

static const struct loop_case {
    const char *name, *body;
    mnp_dtype in, out;
    int ninputs;
    arrangement shape; /* of the last input */
    bool indices;
} cases[] = {
    {"copy", "z = x0;", MNP_FLOAT32, MNP_FLOAT32, 1, FLAT, false},
    {"fill", "z = 1.5f;", MNP_FLOAT32, MNP_FLOAT32, 0, FLAT, false},
    {"arange", "z = 0.5f * mnp_i;", MNP_FLOAT32, MNP_FLOAT32, 0, FLAT, true},
    {"add", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, FLAT, false},
    {"add64", "z = x0 + x1;", MNP_FLOAT64, MNP_FLOAT64, 2, FLAT, false},
    {"add8", "z = x0 + x1;", MNP_UINT8, MNP_UINT8, 2, FLAT, false},
    {"add16", "z = mnp_add(x0, x1);", MNP_FLOAT16, MNP_FLOAT16, 2, FLAT, false},
    {"less", "z = mnp_less(x0, x1);", MNP_FLOAT64, MNP_BOOL, 2, FLAT, false},
    {"saxpy", "z = 2.5f * x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, FLAT, false},
    {"sin", "z = 3 * mnp_sin(-x0) * x1;", MNP_FLOAT32, MNP_FLOAT32, 2, FLAT, false},
    {"sin64", "z = 3 * mnp_sin(-x0) * x1;", MNP_FLOAT64, MNP_FLOAT64, 2, FLAT, false},
    {"hypot", "z = mnp_sqrt(x0 * x0 + x1 * x1);", MNP_FLOAT32, MNP_FLOAT32, 2, FLAT, false},
    {"hypot64", "z = mnp_sqrt(x0 * x0 + x1 * x1);", MNP_FLOAT64, MNP_FLOAT64, 2, FLAT, false},
    {"abs2", "z = x0.re * x0.re + x0.im * x0.im;", MNP_COMPLEX128, MNP_FLOAT64, 1, FLAT, false},
    {"unaligned", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, UNALIGNED, false},
    {"strided", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, STRIDED, false},
    {"row", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, ROW, false},
    {"column", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, COLUMN, false},
    {"transposed", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, TRANSPOSED, false},
    {"transposed64", "z = x0 + x1;", MNP_FLOAT64, MNP_FLOAT64, 2, TRANSPOSED, false},
    {"transposed8", "z = x0 + x1;", MNP_UINT8, MNP_UINT8, 2, TRANSPOSED, false},
    {"transpose", "z = x0;", MNP_FLOAT32, MNP_FLOAT32, 1, TRANSPOSED, false},
    {"planes", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, PLANES, false},
};
enum { NUM_CASES = sizeof cases / sizeof *cases };

static mnp__loop *make_loop(const struct loop_case *c)
{
    static const char *const names[] = {"x0", "x1"};
    mnp__loop_operand operands[3];
    mnp__loop *loop;
    for (int i = 0; i < c->ninputs; i++)
        operands[i] = (mnp__loop_operand){names[i], c->in, c->in, false};
    operands[c->ninputs] = (mnp__loop_operand){"z", c->out, c->out, false};
    const mnp__loop_spec spec = {.name = c->name,
                                 .preamble = "",
                                 .body = c->body,
                                 .ninputs = c->ninputs,
                                 .noutputs = 1,
                                 .indices = c->indices,
                                 .operands = operands};
    MNP_OR_EXIT(mnp__loop_new(ctx, &spec, &loop));
    return loop;
}

/* The layout of a case's operands: cut along the first dimension; matrices are square, with a power of two of rows. */
static mnp_layout *make_layout(const struct loop_case *c, int64_t n)
{
    size_t size = mnp_dtype_size(c->in) > mnp_dtype_size(c->out) ? mnp_dtype_size(c->in) : mnp_dtype_size(c->out);
    int64_t side = 1, count = n * 4 / (int64_t)size, shape[3] = {count, 1, 1};
    int ndim = c->shape == PLANES ? 3 : c->shape >= ROW && c->shape != STRIDED ? 2 : 1, axes[3] = {0, -1, -1};
    mnp_layout *layout;
    while (4 * side * side <= count)
        side *= 2;
    if (ndim >= 2)
        shape[0] = shape[1] = side;
    if (ndim == 3) {
        shape[0] = side * side / 4096;
        shape[1] = shape[2] = 64;
    }
    MNP_OR_EXIT(mnp_layout_new(1, (int[]){mnp_ctx_size(ctx)}, ndim, shape, axes, NULL, &layout));
    return layout;
}

/* The last input as the case wants it, a view of memory that is large enough. */
static mnp_array *view_of(const struct loop_case *c, const mnp_array *memory, const mnp_layout *layout)
{
    int64_t strides[3] = {1, 1, 1};
    int64_t rows = memory->local_shape[0], columns = layout->ndim > 1 ? memory->local_shape[1] : 1;
    size_t skip = 0;
    mnp__dense_strides(layout->ndim, memory->local_shape, strides);
    if (c->shape == UNALIGNED)
        skip = mnp_dtype_size(c->in);
    else if (c->shape == STRIDED)
        strides[0] = 2;
    else if (c->shape == ROW)
        strides[0] = 0;
    else if (c->shape == COLUMN) {
        strides[0] = 1;
        strides[1] = 0;
    } else if (c->shape == TRANSPOSED) {
        strides[0] = 1;
        strides[1] = rows;
    } else if (c->shape == PLANES) { /* (a, b, c) from (c, a, b) */
        strides[0] = columns;
        strides[1] = 1;
        strides[2] = rows * columns;
    }
    mnp_array *view;
    MNP_OR_EXIT(mnp__array_view(memory, c->in, layout, (char *)memory->data + skip, strides, &view));
    return view;
}

static mnp_array *make_array(mnp_dtype dtype, const mnp_layout *layout)
{
    mnp_array *array = NULL;
    MNP_OR_EXIT(mnp_array_new(ctx, dtype, layout, &array));
    MNP_OR_EXIT(ctx->device->ops->fill(ctx->device, array->data, 0x3c,
                                       (size_t)array->local_size * mnp_dtype_size(dtype), ctx->compute));
    return array;
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median seconds of a run, of the slowest rank. */
static double measure(mnp__loop *loop, const mnp_layout *layout, const mnp_array *const *operands)
{
    double seconds[MOST_REPEATS];
    mnp_event *first, *second;
    MNP_OR_EXIT(mnp_event_new(ctx, &first));
    MNP_OR_EXIT(mnp_event_new(ctx, &second));
    for (int i = -3; i < repeats; i++) {
        double own;
        MPI_Barrier(MPI_COMM_WORLD);
        MNP_OR_EXIT(mnp_event_record(first));
        MNP_OR_EXIT(mnp__loop_run(loop, layout, operands));
        MNP_OR_EXIT(mnp_event_record(second));
        MNP_OR_EXIT(mnp_event_seconds(first, second, &own));
        if (i >= 0)
            MPI_Allreduce(&own, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    mnp_event_free(first);
    mnp_event_free(second);
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare);
    return seconds[best ? 0 : repeats / 2];
}

/* Bytes that the loop must read and write. */
static double traffic(const struct loop_case *c, const mnp_layout *layout)
{
    double size = (double)layout->size, bytes = size * (double)mnp_dtype_size(c->out);
    for (int i = 0; i < c->ninputs; i++) {
        bool whole = i < c->ninputs - 1 || (c->shape != ROW && c->shape != COLUMN);
        bytes += whole ? size * (double)mnp_dtype_size(c->in) : 0;
    }
    return bytes;
}

static void run_case(const struct loop_case *c, const mnp__loop_tuning *tuning)
{
    mnp_layout *layout = make_layout(c, elements);
    mnp__loop *loop = make_loop(c);
    mnp_array *arrays[3] = {NULL}, *view = NULL, *large = NULL;
    const mnp_array *operands[3];
    mnp__loop_tune(loop, tuning);
    for (int k = 0; k <= c->ninputs; k++)
        operands[k] = arrays[k] = make_array(k < c->ninputs ? c->in : c->out, layout);
    if (c->shape != FLAT) {
        mnp_layout *twice;
        MNP_OR_EXIT(mnp_layout_new(1, (int[]){mnp_ctx_size(ctx)}, 1, (int64_t[]){2 * layout->size + 64}, (int[]){0},
                                   NULL, &twice));
        if (c->shape == UNALIGNED || c->shape == STRIDED)
            operands[c->ninputs - 1] = large = make_array(c->in, twice);
        mnp_layout_free(twice);
        const mnp_array *memory = operands[c->ninputs - 1];
        operands[c->ninputs - 1] = view =
            view_of(c, c->shape == STRIDED || c->shape == UNALIGNED ? memory : arrays[0], layout);
    }
    double median = measure(loop, layout, operands), bytes = traffic(c, layout);
    if (mnp_ctx_rank(ctx) == 0) {
        printf("%-13s threads %4d vector %2d flight %3d unroll %d heavy %d tile %5d stream %d word %2d: "
               "%8.4f ms %7.1f GB/s\n",
               c->name, tuning->threads, tuning->vector_bytes, tuning->flight_bytes, tuning->unroll,
               tuning->unroll_heavy, tuning->tile_bytes, (int)tuning->stream_bytes, tuning->word_bytes, 1e3 * median,
               1e-9 * bytes / median);
        fflush(stdout);
    }
    mnp_free_all(arrays[0], arrays[1], arrays[2], view, large);
    mnp__loop_free(loop);
    mnp_layout_free(layout);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A thousand runs on 1000 elements: the CPU's time until they are enqueued, and the device's until they are done. */
static void run_launch(void)
{
    enum { CALLS = 1000 };
    const struct loop_case add = {"launch", "z = x0 + x1;", MNP_FLOAT32, MNP_FLOAT32, 2, FLAT, false};
    mnp_layout *layout;
    mnp__loop *loop = make_loop(&add);
    mnp_event *first, *second;
    double cpu = 0, device = 0;
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 1, (int64_t[]){1000}, &layout));
    mnp_array *x = make_array(MNP_FLOAT32, layout), *y = make_array(MNP_FLOAT32, layout),
              *z = make_array(MNP_FLOAT32, layout);
    const mnp_array *operands[] = {x, y, z};
    MNP_OR_EXIT(mnp_event_new(ctx, &first));
    MNP_OR_EXIT(mnp_event_new(ctx, &second));
    for (int round = 0; round < 5; round++) {
        MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
        MNP_OR_EXIT(mnp_event_record(first));
        double start = now();
        for (int i = 0; i < CALLS; i++)
            MNP_OR_EXIT(mnp__loop_run(loop, layout, operands));
        cpu = now() - start;
        MNP_OR_EXIT(mnp_event_record(second));
        MNP_OR_EXIT(mnp_event_seconds(first, second, &device));
    }
    if (mnp_ctx_rank(ctx) == 0)
        printf("launch of 1000 elements: CPU %.2f us a call, device %.2f us a call\n", 1e6 * cpu / CALLS,
               1e6 * device / CALLS);
    mnp_event_free(first);
    mnp_event_free(second);
    mnp_free_all(x, y, z);
    mnp_layout_free(layout);
    mnp__loop_free(loop);
}

/* ---- the command line ---- */

typedef struct values {
    const char *name;
    int count;
    int value[MOST_VALUES];
} values;

static bool wanted(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return true;
    }
    return !list;
}

static bool parse(int argc, char **argv, values *scans, int nscans, const char **list)
{
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t length = equals ? (size_t)(equals - argv[i]) : 0;
        bool known = false;
        if (!equals)
            return false;
        if (strncmp(argv[i], "case=", 5) == 0) {
            *list = equals + 1;
            continue;
        }
        for (int s = 0; s < nscans && !known; s++) {
            known = strlen(scans[s].name) == length && strncmp(scans[s].name, argv[i], length) == 0;
            scans[s].count = known ? 0 : scans[s].count;
            for (const char *at = equals; known && at && scans[s].count < MOST_VALUES; at = strchr(at + 1, ','))
                scans[s].value[scans[s].count++] = atoi(at + 1);
        }
        if (!known)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const mnp__loop_tuning d = mnp__loop_tuning_default;
    values scans[] = {{"threads", 1, {d.threads}},
                      {"vector", 1, {d.vector_bytes}},
                      {"flight", 1, {d.flight_bytes}},
                      {"unroll", 1, {d.unroll}},
                      {"heavy", 1, {d.unroll_heavy}},
                      {"tile", 1, {d.tile_bytes}},
                      {"stream", 1, {(int)d.stream_bytes}},
                      {"word", 1, {d.word_bytes}},
                      {"n", 1, {1 << 28}},
                      {"repeats", 1, {20}},
                      {"best", 1, {0}}};
    enum { FIGURES = 8, N = 8, REPEATS = 9, BEST = 10, NUM = 11 };
    const char *list = NULL;
    if (!parse(argc, argv, scans, NUM, &list)) {
        fprintf(stderr, "usage: loop_speed [case=LIST] [n=N] [repeats=N] [threads=LIST] [vector=LIST] [flight=LIST] "
                        "[unroll=LIST] [heavy=LIST] [tile=LIST] [stream=LIST] [word=LIST] [best=1]\n");
        return 2;
    }
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    elements = scans[N].value[0];
    best = scans[BEST].value[0] != 0;
    repeats = scans[REPEATS].value[0] < MOST_REPEATS ? scans[REPEATS].value[0] : MOST_REPEATS;
    int combinations = 1;
    for (int s = 0; s < FIGURES; s++)
        combinations *= scans[s].count;
    for (int c = 0; c < NUM_CASES; c++) {
        for (int i = 0; i < combinations && wanted(list, cases[c].name); i++) {
            int chosen[FIGURES], rest = i;
            for (int s = 0; s < FIGURES; s++, rest /= scans[s - 1].count)
                chosen[s] = scans[s].value[rest % scans[s].count];
            mnp__loop_tuning tuning = {.threads = chosen[0],
                                       .vector_bytes = chosen[1],
                                       .flight_bytes = chosen[2],
                                       .unroll = chosen[3],
                                       .unroll_heavy = chosen[4],
                                       .tile_bytes = chosen[5],
                                       .stream_bytes = chosen[6],
                                       .word_bytes = chosen[7],
                                       .small = d.small};
            run_case(&cases[c], &tuning);
        }
    }
    if (wanted(list, "launch"))
        run_launch();
    mnp_finalize(ctx);
    return 0;
}
