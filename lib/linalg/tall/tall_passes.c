/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tall real matrices of few columns on GPUs: Cholesky's method (see tall.c) by kernels of our own, as the products and
 * triangular systems of vendors' libraries take several times as long as memory does for such shapes.
 *
 * All is computed in float64, by tensor cores, also for float32.  A first pass over the rows reads A for its Gram
 * matrix G = A^T A.  One block of threads factors that, G = R^T R with the inverse W of R, and each further pass
 * replaces the matrix by its product with W and finds the product's Gram matrix in the same turn.  When that is near
 * the identity, a last product is left: mnp__tall_passes_multiply(), of W and what else the caller multiplies by.  So a
 * matrix that is well conditioned is read three times and written twice.
 *
 * The product with an inverse is as accurate as the solution of the system only if |W| |R| is small, which is looked
 * at.  Otherwise the pass corrects it once, with the rest A - Q R (R. D. Skeel: Iterative refinement implies numerical
 * stability for Gaussian elimination, 1980).  A Gram matrix whose factor is lost in rounding is shifted; then more
 * passes follow.
 */
#include "linalg/tall/tall.h"

#include <float.h>

#include <maniple/comm.h>
#include <maniple/create.h>

#include "base/integer.h"
#include "base/text.h"
#include "kernels/linalg/tall_params.h"

enum { MOST_PASSES = 6, STAGES = 6 };
static const double NEAR_IDENTITY = 0.05; /* as in tall.c */
static const double SMALL_GROWTH = 32;    /* of errors by inverses, in units of the dtype's eps */

/* What a pass does: the definitions of kernels/linalg/tall_pass.cu. */
typedef struct pass {
    int product;
    bool refined, gram;
} pass;
static const pass GRAM = {.gram = true}, DIVIDE = {.product = 1, .gram = true},
                  REFINE = {.product = 1, .refined = true, .gram = true}, MULTIPLY = {.product = 2};

/* A matrix that is being factored. */
typedef struct work {
    const mnp__place *place;
    mnp_ctx *ctx;
    mnp_dtype dtype;
    int64_t rows, columns, bands; /* of this rank */
    int blocks;                   /* of threads: one for each multiprocessor */
    double *partials;
    mnp_array *g, *r, *w, *all[2], *report;
    mnp__kernel *sums, *factor;
} work;

bool mnp__tall_passes_serve(mnp_dtype dtype, int64_t columns)
{
    return (dtype == MNP_FLOAT64 || dtype == MNP_FLOAT32) && columns <= MNP_TALL_WIDEST;
}

/* ---- kernels ---- */

/* Bytes of shared memory: matrices by tiles, rows, and in the end the sums of half the warps. */
static size_t shared_bytes(const work *w, const pass *kind, int stages)
{
    const int64_t bands = w->bands, tiles = kind->product == 2 ? bands * bands : bands * (bands + 1) / 2;
    const size_t stage = (size_t)(MNP_TALL_ROWS * MNP_TALL_BAND * bands), size = mnp_dtype_size(w->dtype);
    const size_t matrices =
                     (kind->product ? kind->refined ? 2 : 1 : 0) * (size_t)tiles * MNP_TALL_TILE * sizeof(double),
                 scratch = kind->refined ? MNP_TALL_WARPS * stage * sizeof(double) : 0,
                 rows = MNP_TALL_WARPS * (size_t)stages * stage * size,
                 sums = kind->gram ? (size_t)(MNP_TALL_WARPS / 2 * bands * (bands + 1)) * 128 * sizeof(double) : 0;
    const size_t all = matrices + scratch + rows;
    return all > sums ? all : sums;
}

static mnp_status load_pass(const work *w, const pass *kind, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    int stages = STAGES;
    while (stages > 2 && shared_bytes(w, kind, stages) > w->ctx->device->block_memory)
        stages--;
    mnp__text_add(&defines,
                  "#define MNP_T %s\n#define MNP_BANDS %d\n#define MNP_PAIRED %d\n#define MNP_STAGES %d\n"
                  "#define MNP_PRODUCT %d\n#define MNP_REFINED %d\n#define MNP_GRAM %d\n",
                  mnp__jit_type(w->dtype), (int)w->bands, w->columns % 2 == 0, stages, kind->product, kind->refined,
                  kind->gram);
    const mnp__kernel_spec spec = {
        .file = "linalg/tall_pass.cu", .function = "tall_pass", .shared_bytes = shared_bytes(w, kind, stages)};
    return mnp__ctx_kernel_of_text(w->ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status load_others(work *w)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec sums = {.file = "linalg/tall_sums.cu", .function = "tall_sums"},
                           factor = {.file = "linalg/tall_factor.cu", .function = "tall_factor", .defines = ""};
    mnp__text_add(&defines, "#define MNP_BANDS %d\n", (int)w->bands);
    MNP_TRY(mnp__ctx_kernel_of_text(w->ctx, &sums, &defines, NULL, &w->sums));
    return mnp__ctx_kernel(w->ctx, &factor, &w->factor);
}

/* ---- steps ---- */

static mnp_status open_work(const mnp__place *place, const mnp_array *q, work *w)
{
    mnp_rank_info info;
    mnp_ctx *ctx = place->ctx;
    const int64_t n = mnp__columns(q);
    *w = (work){.place = place,
                .ctx = ctx,
                .dtype = q->dtype,
                .rows = q->local_size / n,
                .columns = n,
                .bands = mnp__divide_up(n, MNP_TALL_BAND)};
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->info(ctx->device, &info)));
    w->blocks = info.multiprocessors;
    return MNP_OK;
}

static void close_work(work *w)
{
    w->ctx->device->ops->free(w->ctx->device, w->partials);
    mnp_free_all(w->report, w->all[1], w->all[0], w->w, w->r, w->g);
}

static mnp_status allocate(work *w)
{
    mnp__device *device = w->ctx->device;
    mnp_array **const squares[] = {&w->g, &w->r, &w->w, &w->all[0], &w->all[1]};
    const size_t parts = (size_t)(w->bands * (w->bands + 1)), bytes = (size_t)w->blocks * parts * 128 * sizeof(double);
    const int64_t numbers = sizeof(mnp_tall_report) / sizeof(double);
    mnp_layout *layout;
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
        MNP_TRY(mnp__tall_square(w->place, MNP_FLOAT64, w->columns, squares[i]));
    MNP_TRY(mnp_layout_replicated(w->ctx->comm.size, 1, &numbers, &layout));
    const mnp_status st = mnp_array_new(w->ctx, MNP_FLOAT64, layout, &w->report);
    mnp_layout_free(layout);
    MNP_TRY(st);
    return MNP_AGREE(w->ctx, device->ops->alloc(device, bytes, (void **)&w->partials));
}

static mnp_status launch_pass(const work *w, mnp__kernel *kernel, const mnp_array *from, const mnp_array *q,
                              const mnp_array *factor)
{
    const mnp_tall_pass_params params = {.a = from->data,
                                         .q = q ? q->data : NULL,
                                         .rows = w->rows,
                                         .columns = w->columns,
                                         .w = factor ? factor->data : NULL,
                                         .r = w->r ? w->r->data : NULL,
                                         .partials = w->partials};
    const mnp__launch launch = {.grid = {(unsigned)w->blocks, 1, 1}, .block = {32 * MNP_TALL_WARPS, 1, 1}};
    mnp__device *device = w->ctx->device;
    return device->ops->launch(device, kernel, &launch, &params, sizeof params, w->ctx->compute);
}

static mnp_status launch_sums(const work *w)
{
    const mnp_tall_sums_params params = {
        .partials = w->partials, .g = w->g->data, .blocks = w->blocks, .columns = w->columns};
    const unsigned numbers = (unsigned)(4 * w->bands * (w->bands + 1)); /* that a lane has */
    const mnp__launch launch = {.grid = {numbers, 1, 1}, .block = {MNP_TALL_SUMS_THREADS, 1, 1}};
    mnp__device *device = w->ctx->device;
    return device->ops->launch(device, w->sums, &launch, &params, sizeof params, w->ctx->compute);
}

/* The Gram matrix of all ranks' rows of `from`, or of what a product with W makes of them.  Collective. */
static mnp_status find_gram(const work *w, const pass *kind, const mnp_array *from, const mnp_array *q)
{
    mnp_ctx *ctx = w->ctx;
    mnp__kernel *kernel;
    MNP_TRY(load_pass(w, kind, &kernel));
    mnp_status st = launch_pass(w, kernel, from, q, kind->product ? w->w : NULL);
    if (st == MNP_OK)
        st = launch_sums(w);
    MNP_TRY(MNP_AGREE(ctx, st));
    if (w->place->stays)
        return MNP_OK;
    return mnp_comm_all_reduce(mnp_comm_world(ctx), w->g->data, w->g->data, w->columns * w->columns, MNP_FLOAT64,
                               MNP_SUM);
}

/* R and W of the Gram matrix, the product of all R in w->all[number], and what is reported, on all ranks the same. */
static mnp_status factor_gram(const work *w, int number, bool first, mnp_tall_report *report)
{
    mnp_ctx *ctx = w->ctx;
    mnp__device *device = ctx->device;
    const mnp_tall_factor_params params = {.g = w->g->data,
                                           .r = w->r->data,
                                           .w = w->w->data,
                                           .before = first ? NULL : w->all[1 - number]->data,
                                           .all = w->all[number]->data,
                                           .report = w->report->data,
                                           .columns = w->columns};
    const mnp__launch launch = {.grid = {1, 1, 1}, .block = {MNP_TALL_FACTOR_THREADS, 1, 1}};
    mnp_status st = device->ops->launch(device, w->factor, &launch, &params, sizeof params, ctx->compute);
    if (st == MNP_OK)
        st = mnp_array_get_local(w->report, report);
    MNP_TRY(MNP_AGREE(ctx, st));
    return mnp__all_reduce(&ctx->comm, report, (int)(sizeof *report / sizeof(double)), MPI_DOUBLE, MPI_MAX);
}

/* Pass after pass, until what is left to multiply is near the identity; w->all[*number_p] is then R. */
static mnp_status orthogonalise(work *w, const mnp_array *from, mnp_array *q, int *number_p, bool *done_p)
{
    const double unit = w->dtype == MNP_FLOAT32 ? (double)FLT_EPSILON / DBL_EPSILON : 1;
    MNP_TRY(find_gram(w, &GRAM, from, NULL));
    for (int turn = 0; turn <= MOST_PASSES; turn++) {
        mnp_tall_report report;
        *number_p = turn % 2;
        MNP_TRY(factor_gram(w, *number_p, turn == 0, &report));
        if (report.failed != 0)
            return MNP_OK;
        *done_p = turn > 0 && report.distance <= NEAR_IDENTITY;
        if (*done_p || turn == MOST_PASSES)
            return MNP_OK;
        MNP_TRY(find_gram(w, report.growth > SMALL_GROWTH * unit ? &REFINE : &DIVIDE, from, q));
        from = q;
    }
    return MNP_OK;
}

/* ---- the factorisation ---- */

mnp_status mnp__tall_passes_factor(const mnp__place *place, const mnp_array *from, mnp_array *q, mnp_array **w_p,
                                   mnp_array **r_p, bool *done_p)
{
    work w;
    int number = 0;
    mnp_status st;
    *done_p = false;
    MNP_TRY(open_work(place, q, &w));
    MNP_TRY_OR(load_others(&w), st, done);
    MNP_TRY_OR(allocate(&w), st, done);
    MNP_TRY_OR(orthogonalise(&w, from, q, &number, done_p), st, done);
    if (*done_p) {
        MNP_TRY_OR(mnp_astype(w.all[number], q->dtype, r_p), st, done);
        *w_p = w.w;
        w.w = NULL;
    }
done:
    close_work(&w);
    return st;
}

mnp_status mnp__tall_passes_multiply(const mnp__place *place, mnp_array *q, const mnp_array *factor)
{
    work w;
    mnp__kernel *kernel;
    MNP_TRY(open_work(place, q, &w));
    MNP_TRY(load_pass(&w, &MULTIPLY, &kernel));
    return MNP_AGREE(place->ctx, launch_pass(&w, kernel, q, q, factor));
}
