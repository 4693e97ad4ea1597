/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What long calls tell of their progress, and of the time that kernels take.
 */
#include <maniple.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

/* What was told since the last look. */
typedef struct told {
    int calls, parts; /* parts: how often it began anew */
    double last;
    bool sound; /* everything was between 0 and 1 */
} told;

static void listen(void *argument, double done)
{
    told *t = argument;
    t->sound = t->sound && done >= 0 && done <= 1;
    t->parts += t->calls == 0 || done < t->last;
    t->last = done;
    t->calls++;
}

/* Whether a call told of at least so many steps of at most so many parts, up to the end. */
static bool told_of(told *t, int least_calls, int most_parts)
{
    const bool good = t->sound && t->calls >= least_calls && t->parts <= most_parts && fabs(t->last - 1) < 1e-12;
    if (!good)
        printf("# %d calls, %d parts, last %.17g\n", t->calls, t->parts, t->last);
    *t = (told){.sound = true};
    return good;
}

static void check_files(mnp_ctx *ctx, told *t)
{
    const int size = mnp_ctx_size(ctx);
    const int64_t shape[] = {4500000 * (int64_t)size}; /* two slabs a rank */
    mnp_array *x = NULL, *y = NULL;
    mnp_sparse *a = NULL, *b = NULL;
    const double one = 1;
    char file[32], matrix[32]; /* the same test may run on another number of ranks beside this one */
    snprintf(file, sizeof file, "progress-%d.h5", size);
    snprintf(matrix, sizeof matrix, "progress-%d.mtx", size);
    ok(mnp_full(ctx, MNP_FLOAT64, 1, shape, &one, &x) == MNP_OK, "an array");
    *t = (told){.sound = true};
    ok(mnp_h5_write(x, file, "/x", NULL) == MNP_OK && told_of(t, 2, 1), "writing HDF5");
    ok(mnp_h5_read(ctx, file, "/x", NULL, &y) == MNP_OK && told_of(t, 2, 1), "reading HDF5");
    ok(mnp_sparse_generate(ctx, "poisson:64x64", MNP_FLOAT64, &a) == MNP_OK &&
           mnp_mm_write(a, matrix, MNP_MM_GENERAL) == MNP_OK,
       "a matrix in a file");
    *t = (told){.sound = true};
    ok(mnp_mm_read(ctx, matrix, MNP_DTYPE_AUTO, &b) == MNP_OK && t->calls > 0 && t->sound, "reading Matrix Market");
    mnp_sparse_free(a);
    mnp_sparse_free(b);
    mnp_free_all(x, y);
    if (mnp_ctx_rank(ctx) == 0) {
        unlink(file);
        unlink(matrix);
    }
}

/* On a GPU calls return before they have computed.  `least`: how often each tells at least. */
static void check_computing(mnp_ctx *ctx, told *t, int least)
{
    const int64_t shape[] = {1200, 1000}, small[] = {5, 5};
    const double one = 1;
    mnp_array *x = NULL, *y = NULL, *z = NULL, *kernel = NULL;
    mnp_rng *rng = NULL;
    mnp_conv_options options = {0};
    ok(mnp_rng_new(ctx, 1, &rng) == MNP_OK && mnp_full(ctx, MNP_FLOAT64, 2, small, &one, &kernel) == MNP_OK, "arrays");
    *t = (told){.sound = true};
    ok(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 2, shape, &x) == MNP_OK && told_of(t, least, 1), "random numbers");
    ok(mnp_eval(ctx, "y = exp(x)", MNP_IN("x", x), MNP_OUT("y", &y)) == MNP_OK && told_of(t, least, 1),
       "element by element");
    mnp_conv_plan *plan = NULL;
    ok(mnp_conv_plan_new(ctx, MNP_FLOAT64, mnp_array_layout(x), kernel, &options, &plan) == MNP_OK, "a plan");
    *t = (told){.sound = true};
    ok(mnp_conv_execute(plan, x, &z) == MNP_OK && told_of(t, least, 1), "a convolution");
    mnp_conv_plan_free(plan);
    mnp_rng_free(rng);
    mnp_free_all(x, y, z, kernel);
}

static void check_compiling(mnp_ctx *ctx)
{
    const double before = mnp_ctx_compile_seconds(ctx);
    const int64_t shape[] = {10};
    const double one = 1;
    mnp_array *x = NULL, *y = NULL, *z = NULL;
    bool good = mnp_full(ctx, MNP_FLOAT32, 1, shape, &one, &x) == MNP_OK && mnp_arctan2(x, x, &y) == MNP_OK;
    const double after = mnp_ctx_compile_seconds(ctx);
    ok(good && before >= 0 && after > before, "the first call has compiled or loaded a kernel");
    good = mnp_arctan2(x, x, &z) == MNP_OK;
    ok(good && mnp_ctx_compile_seconds(ctx) == after, "the second has not");
    mnp_free_all(x, y, z);
}

/* The last share of several threads is often that of another one than the caller's, which may have had none at all. */
static void check_threads(told *t)
{
    mnp_ctx *ctx = NULL;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, "threads=3", &ctx));
    mnp_ctx_set_progress(ctx, listen, t);
    if (strcmp(mnp_ctx_device_kind(ctx), "host") == 0)
        check_computing(ctx, t, 1);
    mnp_finalize(ctx);
}

int main(void)
{
    mnp_ctx *ctx = NULL;
    told t = {.sound = true};
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, "threads=1", &ctx));
    mnp_ctx_set_progress(ctx, listen, &t);
    check_files(ctx, &t);
    if (strcmp(mnp_ctx_device_kind(ctx), "host") == 0)
        check_computing(ctx, &t, 2);
    mnp_ctx_set_progress(ctx, NULL, NULL);
    t = (told){.sound = true};
    check_compiling(ctx);
    ok(t.calls == 0, "nothing is told any more");
    check_threads(&t);
    int status = done_testing();
    mnp_finalize(ctx);
    return status;
}
