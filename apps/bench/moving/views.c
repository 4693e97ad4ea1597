/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times copies of views: mnp_copy() of a part of a matrix, or of its transpose, into a contiguous array.
 *
 *   whole        the matrix itself, to compare with
 *   offset       without its first column, so that rows begin anywhere, and not where their copies do
 *   half         the first half of its columns
 *   narrow       the same as offset, of a matrix of as many elements in rows of 301
 *   step         every second column
 *   reversed     the columns from the last to the first
 *   transposed   the rows become columns
 *
 * The matrix is square, of an odd side, and has about N elements (2^29, on the host 2^24) of each of some types.  A
 * time is the median of repeats, each between two events of the device, of the slowest rank; GB/s are the bytes of the
 * view's elements, read and written, of all ranks.  Every copy is compared with its view by an element-wise function.
 */
#include "bench/benchmark.h"
#include "bench/measure.h"

#include <inttypes.h>
#include <math.h>

struct view {
    const char *name;
    int64_t columns; /* of the matrix; 0: as many as rows */
    bool is_transposed;
    int64_t start, step; /* of its columns */
    int parts;           /* 2: up to their half */
};

static const struct view views[] = {
    {"whole", 0, false, MNP_NONE, 1, 1},     {"offset", 0, false, 1, 1, 1},
    {"half", 0, false, MNP_NONE, 1, 2},      {"narrow", 301, false, 1, 1, 1},
    {"step", 0, false, MNP_NONE, 2, 1},      {"reversed", 0, false, MNP_NONE, -1, 1},
    {"transposed", 0, true, MNP_NONE, 1, 1},
};

static const mnp_dtype dtypes[] = {MNP_UINT8, MNP_FLOAT16, MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX128};

struct work {
    mnp_array *matrix, *view, *copy;
};

/* A matrix of small numbers, which all types hold, and the view of it. */
static struct work work_new(mnp_ctx *ctx, const struct view *v, mnp_dtype dtype, int64_t elements)
{
    const int64_t side = (int64_t)sqrt((double)elements) | 1, columns = v->columns ? v->columns : side;
    const int64_t shape[] = {v->columns ? (elements + columns - 1) / columns : side, columns};
    struct work w = {.matrix = NULL};
    mnp_array *numbers = NULL;
    OR_EXIT(mnp_fromfunction(ctx, "(7 * i0 + 3 * i1) % 251", MNP_INT64, 2, shape, &numbers));
    OR_EXIT(mnp_astype(numbers, dtype, &w.matrix));
    mnp_array_free(numbers);
    if (v->is_transposed)
        OR_EXIT(mnp_transpose(w.matrix, NULL, &w.view));
    else
        OR_EXIT(mnp_view(w.matrix, &w.view, MNP_ALL,
                         MNP_SLICE(v->start, v->parts > 1 ? columns / v->parts : MNP_NONE, v->step)));
    return w;
}

static mnp_status run_copy(void *argument)
{
    struct work *w = argument;
    return mnp_copy(w->view, &w->copy);
}

/* Ends the program if the copy is not the view. */
static void verify(mnp_ctx *ctx, const struct view *v, mnp_dtype dtype, const struct work *w)
{
    mnp_array *count = NULL;
    int64_t differing;
    OR_EXIT(mnp_eval(ctx, "sum(x != y)", MNP_IN("x", w->view, "y", w->copy), MNP_OUT("", &count)));
    OR_EXIT(mnp_item(count, &differing));
    mnp_array_free(count);
    if (differing != 0)
        OR_EXIT(mnp_fail(MNP_ERR_INTERNAL, "%s of %s: %" PRId64 " elements of the copy are wrong", v->name,
                         mnp_dtype_name(dtype), differing));
}

static void time_dtype(mnp_ctx *ctx, const struct view *v, mnp_dtype dtype, int64_t elements, int repeats)
{
    double *seconds = seconds_new(ctx, repeats);
    struct work w = work_new(ctx, v, dtype, elements);
    measure(ctx, run_copy, &w, repeats, seconds);
    verify(ctx, v, dtype, &w);
    const int64_t *shape = mnp_array_shape(w.view);
    const double bytes = 2 * (double)shape[0] * (double)shape[1] * (double)mnp_dtype_size(dtype);
    const double median = seconds[repeats / 2];
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-11s%9" PRId64 " x %-9" PRId64 "%-11s median %9.4f ms, best %9.4f ms, %8.1f GB/s\n", v->name,
               shape[0], shape[1], mnp_dtype_name(dtype), 1e3 * median, 1e3 * seconds[0], 1e-9 * bytes / median);
    record(ctx, record_of("views", v->name, shape[0] * shape[1], mnp_dtype_name(dtype), seconds, repeats, bytes));
    free(seconds);
    mnp_free_all(w.matrix, w.view, w.copy);
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const int64_t elements = o->elements ? o->elements : is_on_host(ctx) ? (int64_t)1 << 24 : (int64_t)1 << 29;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        time_dtype(ctx, one, dtypes[i], elements, o->repeats);
}

const benchmark views_benchmark = {
    .name = "views", .help = "copies of parts of matrices", .repeats = 50, BENCH_CASES(views), .time_case = time_case};
