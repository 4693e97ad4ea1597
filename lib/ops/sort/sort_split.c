/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding where to cut sorted runs on several ranks so that every rank receives exactly its share of the elements in
 * order.
 *
 * Rank r searches for its own boundary: how many elements of every run precede element cuts[r] of all.  Each of these
 * numbers lies in a window, at first the whole run.  In a round every rank sends regular samples of its windows to the
 * searching ranks, and receives narrower windows: a sample whose rank among all elements is certainly below the
 * boundary, or above it, is a new end.  When a window is not longer than its samples it closes, so two rounds are
 * enough, or a few.  (P. Varman, S. Scheufler, B. Iyer, G. Ricard, Merging Multiple Lists on Hierarchical-memory
 * Multiprocessors, 1991.)
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"
#include "kernels/sort/sort_sample_params.h"
#include "ops/sort/sort.h"

enum {
    SAMPLES = 1 << 16, /* at most, for all windows of a rank together */
    FEW_SAMPLES = 16,  /* a window has at least so many times the number of ranks: so windows always shrink */
    CONTEXT_BYTES = 1 << 20
};

/* Pinned memory that the context keeps. */
typedef struct pinned {
    void *memory;
    size_t size;
} pinned;

/* The search for a boundary, and what others ask this rank for. */
typedef struct search {
    const mnp__runs *runs;
    int nranks;
    size_t item;                     /* bytes of a key */
    int64_t slots;                   /* samples of a window */
    int64_t boundary;                /* the number of elements before it */
    mnp_sort_window *asked, *sought; /* windows in this rank's run for every boundary; for its boundary in every run */
    char *samples, *got;             /* of `asked`, by the kernel, and of `sought`: `slots` for each */
    mnp__kernel *kernel;
} search;

/* ---- order ---- */

static bool real_precedes(double x, double y)
{
    return x < y || (y != y && x == x);
}

static bool complex_precedes(const double *x, const double *y)
{
    const bool x_is_nan = x[1] != x[1], y_is_nan = y[1] != y[1];
    if (x[0] < y[0])
        return !x_is_nan || y_is_nan;
    if (x[0] > y[0])
        return y_is_nan && !x_is_nan;
    if (x[0] == y[0] || (x[0] != x[0] && y[0] != y[0]))
        return x[1] < y[1] || (y_is_nan && !x_is_nan);
    return y[0] != y[0];
}

/* Whether an element comes before another that is not equal, in NumPy's order. */
static bool precedes(mnp_dtype dtype, const void *x, const void *y)
{
#define MNP__CASE(name, type)                                                                                          \
    case name:                                                                                                         \
        return *(const type *)x < *(const type *)y;
    const uint16_t *half_x = x, *half_y = y;
    const float *single_x = x, *single_y = y;
    switch (dtype) {
        MNP__CASE(MNP_BOOL, uint8_t)
        MNP__CASE(MNP_UINT8, uint8_t)
        MNP__CASE(MNP_UINT16, uint16_t)
        MNP__CASE(MNP_UINT32, uint32_t)
        MNP__CASE(MNP_UINT64, uint64_t)
        MNP__CASE(MNP_INT8, int8_t)
        MNP__CASE(MNP_INT16, int16_t)
        MNP__CASE(MNP_INT32, int32_t)
        MNP__CASE(MNP_INT64, int64_t)
    case MNP_FLOAT16:
        return real_precedes(mnp_float16_to_float(*half_x), mnp_float16_to_float(*half_y));
    case MNP_BFLOAT16:
        return real_precedes(mnp_bfloat16_to_float(*half_x), mnp_bfloat16_to_float(*half_y));
    case MNP_FLOAT32:
        return real_precedes(*single_x, *single_y);
    case MNP_FLOAT64:
        return real_precedes(*(const double *)x, *(const double *)y);
    case MNP_COMPLEX64:
        return complex_precedes((double[]){single_x[0], single_x[1]}, (double[]){single_y[0], single_y[1]});
    default:
        return complex_precedes(x, y);
    }
#undef MNP__CASE
}

/* ---- samples ---- */

static int64_t step_of(const search *s, const mnp_sort_window *window)
{
    return mnp__divide_up(window->end - window->begin, s->slots);
}

static int64_t count_of(const search *s, const mnp_sort_window *window)
{
    const int64_t step = step_of(s, window);
    return step > 0 ? mnp__divide_up(window->end - window->begin, step) : 0;
}

/* The position in its run of sample i of a window. */
static int64_t place_of(const search *s, const mnp_sort_window *window, int64_t i)
{
    return window->begin + i * step_of(s, window);
}

static const char *sample(const search *s, int run, int64_t i)
{
    return s->got + ((size_t)run * (size_t)s->slots + (size_t)i) * s->item;
}

/* How many samples of a run come before a key; equal ones do if `equal`. */
static int64_t samples_before(const search *s, int run, const char *key, bool equal)
{
    const mnp_dtype dtype = s->runs->dtype;
    int64_t low = 0, high = count_of(s, &s->sought[run]);
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const char *first = equal ? key : sample(s, run, middle), *second = equal ? sample(s, run, middle) : key;
        const bool is_less = s->runs->descending ? precedes(dtype, second, first) : precedes(dtype, first, second);
        if (is_less != equal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * How many elements there are up to sample i of a run, with it: at least and at most.  In each run they are counted as
 * far as its window goes, as what is before the window is before the boundary, and what is behind it is behind.
 */
static void count_up_to(const search *s, int run, int64_t i, int64_t *least_p, int64_t *most_p)
{
    *least_p = *most_p = place_of(s, &s->sought[run], i) + 1;
    for (int other = 0; other < s->nranks; other++) {
        const mnp_sort_window *window = &s->sought[other];
        if (other == run)
            continue;
        const int64_t before = samples_before(s, other, sample(s, run, i), other < run);
        *least_p += before > 0 ? place_of(s, window, before - 1) + 1 : window->begin;
        *most_p += before < count_of(s, window) ? place_of(s, window, before) : window->end;
    }
}

/* How many samples of a run are certainly before the boundary; or, if `perhaps`, are not certainly after it. */
static int64_t samples_within(const search *s, int run, bool perhaps)
{
    int64_t low = 0, high = count_of(s, &s->sought[run]);
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        int64_t least, most;
        count_up_to(s, run, middle, &least, &most);
        if ((perhaps ? least : most) <= s->boundary)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Narrow the windows of this rank's boundary; gives the length of the longest that is left. */
static int64_t narrow(search *s, mnp_sort_window *narrower)
{
    int64_t longest = 0;
    for (int run = 0; run < s->nranks; run++) {
        const mnp_sort_window *window = &s->sought[run];
        const int64_t before = samples_within(s, run, false), within = samples_within(s, run, true);
        narrower[run] = *window;
        if (before > 0)
            narrower[run].begin = place_of(s, window, before - 1) + 1;
        if (within < count_of(s, window))
            narrower[run].end = place_of(s, window, within);
        const int64_t length = narrower[run].end - narrower[run].begin;
        longest = mnp__max(length, longest);
    }
    return longest;
}

/* ---- rounds ---- */

/* Take the samples that other ranks ask for. */
static mnp_status take_samples(const search *s)
{
    mnp_ctx *ctx = s->runs->ctx;
    const int64_t threads = 256, total = s->nranks * s->slots;
    mnp_sample_params params = {
        .keys = s->runs->keys, .windows = s->asked, .samples = s->samples, .nwindows = s->nranks, .slots = s->slots};
    const mnp__launch launch = {.grid = {(unsigned)mnp__divide_up(total, threads), 1, 1},
                                .block = {(unsigned)threads, 1, 1}};
    MNP_TRY(ctx->device->ops->launch(ctx->device, s->kernel, &launch, &params, sizeof params, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* Run a round; *longest_p receives the length of the longest window left on any rank. */
static mnp_status run_round(search *s, mnp_sort_window *narrower, int64_t *longest_p)
{
    mnp_ctx *ctx = s->runs->ctx;
    const mnp_status st = take_samples(s);
    MNP_TRY(mnp__all_to_all(&ctx->comm, s->samples, s->got, (size_t)s->slots * s->item));
    int64_t most[2] = {narrow(s, narrower), st != MNP_OK};
    memcpy(s->sought, narrower, (size_t)s->nranks * sizeof *narrower);
    MNP_TRY(mnp__all_to_all(&ctx->comm, narrower, s->asked, sizeof *narrower));
    MNP_TRY(mnp__all_reduce(&ctx->comm, most, 2, MPI_INT64_T, MPI_MAX));
    *longest_p = most[0];
    return most[1] ? MNP_AGREE(ctx, st) : MNP_OK;
}

/* ---- memory ---- */

static void free_pinned(mnp_ctx *ctx, void *data)
{
    pinned *own = data;
    ctx->device->ops->free_pinned(ctx->device, own->memory);
    free(own);
}

static mnp_status get_pinned(mnp_ctx *ctx, size_t size, void **memory_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_SORTING];
    pinned *own = attached->data;
    if (!own) {
        MNP_TRY(mnp__calloc(1, sizeof *own, &own));
        *attached = (mnp__attachment){own, free_pinned};
    }
    if (own->size < size) {
        ctx->device->ops->free_pinned(ctx->device, own->memory);
        *own = (pinned){NULL, 0};
        MNP_TRY(ctx->device->ops->alloc_pinned(ctx->device, size, &own->memory));
        own->size = size;
    }
    *memory_p = own->memory;
    return MNP_OK;
}

static mnp_status open_search(const mnp__runs *runs, const int64_t *cuts, search *s)
{
    mnp_ctx *ctx = runs->ctx;
    const int nranks = ctx->comm.size, rank = ctx->comm.rank;
    const int64_t shared = SAMPLES / nranks, few = FEW_SAMPLES * nranks;
    int64_t longest = 1;
    for (int r = 0; r < nranks; r++)
        longest = mnp__max(runs->lengths[r], longest);
    *s = (search){.runs = runs, .nranks = nranks, .item = mnp_dtype_size(runs->dtype), .boundary = cuts[rank]};
    s->slots = mnp__max(shared, few);
    s->slots = mnp__min(longest, s->slots);
    const size_t all = (size_t)nranks * (size_t)s->slots * s->item, windows = (size_t)nranks * sizeof *s->asked;
    void *memory;
    MNP_TRY(get_pinned(ctx, windows + all > CONTEXT_BYTES ? windows + all : CONTEXT_BYTES, &memory));
    s->asked = memory;
    s->samples = (char *)memory + windows; /* aligned: a window has the size of the largest element */
    MNP_TRY(mnp__calloc((size_t)nranks * 2, sizeof *s->sought, &s->sought));
    MNP_TRY(mnp__malloc(all, &s->got));
    for (int r = 0; r < nranks; r++) {
        s->asked[r] = (mnp_sort_window){0, cuts[r] > 0 ? runs->lengths[rank] : 0};
        s->sought[r] = (mnp_sort_window){0, s->boundary > 0 ? runs->lengths[r] : 0};
    }
    return MNP_OK;
}

static mnp_status load_kernel(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    static const char *const types[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "mnp_complex128"};
    char defines[64];
    int which = 0;
    while ((size_t)1 << which < mnp_dtype_size(dtype))
        which++;
    snprintf(defines, sizeof defines, "#define MNP_KEY %s\n", types[which]);
    const mnp__kernel_spec spec = {.file = "sort/sort_sample.cu", .function = "sort_sample", .defines = defines};
    return mnp__ctx_kernel(ctx, &spec, kernel_p);
}

mnp_status mnp__sort_split(const mnp__runs *runs, const int64_t *cuts, int64_t *counts)
{
    mnp_ctx *ctx = runs->ctx;
    const int nranks = ctx->comm.size;
    int64_t longest = 1;
    search s = {.runs = runs};
    mnp__kernel *kernel;
    MNP_TRY(load_kernel(ctx, runs->dtype, &kernel));
    mnp_status st = MNP_AGREE(ctx, open_search(runs, cuts, &s));
    s.kernel = kernel;
    while (st == MNP_OK && longest > 0)
        st = run_round(&s, s.sought + nranks, &longest);
    for (int r = 0; st == MNP_OK && r < nranks; r++)
        counts[r] = (r + 1 < nranks ? s.asked[r + 1].begin : runs->lengths[ctx->comm.rank]) - s.asked[r].begin;
    free(s.sought);
    free(s.got);
    return st;
}
