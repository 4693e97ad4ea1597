/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of a matrix with vectors: the ghost exchange is started, the own part is multiplied meanwhile, and the ghost
 * part is added when the ghosts have arrived.
 *
 * Kernels are compiled for the dtypes and options of a call.  Which algorithm multiplies a matrix in CSR is measured
 * at its first product with one vector (spmv_autotune.h).  Its ghost part is taken by chunks of entries where its rows
 * have more than a few.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "array/input.h"
#include "array/output.h"
#include "base/integer.h"
#include "base/text.h"
#include "kernels/sparse/product/spmv_params.h"
#include "layout/layout.h"
#include "ops/indexing/indexed.h"
#include "sparse/product/spmv_autotune.h"
#include "sparse/matrix/sparse.h"

enum {
    CACHED_KERNELS = 8,
    WORTH_A_STREAM = 4 /* entries of a row of the ghost part, on average */
};

enum { OWN, GHOST, NUM_PARTS };

static const char *const formats[] = {
    [MNP_CSR] = "CSR", [MNP_CSC] = "CSC", [MNP_COO] = "COO", [MNP_DIA] = "DIA", [MNP_BSR] = "BSR", [MNP_SELL] = "SELL"};

/* The kernels for vectors of one kind. */
struct kernels {
    mnp_dtype dtype;
    bool wide, conjugate, dot;
    mnp__spmv_algorithm algorithms[NUM_PARTS];
    mnp__kernel *loaded[NUM_PARTS]; /* the context's; the own part's NULL: an entry that is free */
};

struct mnp__products {
    mnp_ctx *ctx; /* NULL: nothing of the following is in device memory */
    mnp_sparse *transposed;
    mnp__spmv_autotune tuning;
    mnp_spmv_start *starts[NUM_PARTS]; /* device memory: the chunks of a stream; NULL: none were found */
    int64_t chunks[NUM_PARTS];
    struct kernels cached[CACHED_KERNELS];
    int next; /* the entry that is given up next */
};

mnp_status mnp__products_new(mnp__products **products_p)
{
    return mnp__calloc(1, sizeof **products_p, products_p);
}

void mnp__products_free(mnp__products *products)
{
    if (!products)
        return;
    for (int p = 0; p < NUM_PARTS && products->ctx; p++)
        products->ctx->device->ops->free(products->ctx->device, products->starts[p]);
    mnp__spmv_autotune_free(&products->tuning);
    mnp_sparse_free(products->transposed);
    free(products);
}

/* ---- kernels ---- */

/* What an algorithm reads: the part as it is stored, or a conversion of the own part. */
static const mnp__part *find_part(const mnp_sparse *matrix, int which, mnp__spmv_algorithm algorithm)
{
    if (which == GHOST)
        return &matrix->ghost;
    return algorithm == MNP__SPMV_SELL || algorithm == MNP__SPMV_DIA ? &matrix->products->tuning.converted
                                                                     : &matrix->own;
}

/* How many threads of a GPU share a row of CSR: enough that each has about two entries.  Other kernels: 1. */
static int choose_lanes(const mnp_sparse *matrix, const struct kernels *kernels, int which)
{
    const mnp__spmv_algorithm algorithm = kernels->algorithms[which];
    const bool shares = matrix->ctx->device->block_memory > 0 && algorithm == MNP__SPMV_AS_STORED && !kernels->wide &&
                        find_part(matrix, which, algorithm)->format == MNP_CSR;
    int lanes = 1;
    while (shares && lanes < 32 && lanes * 2 < matrix->line_length[which])
        lanes *= 2;
    return lanes;
}

static void add_defines(const mnp_sparse *matrix, const struct kernels *wanted, int which, mnp__text *defines)
{
    const mnp__spmv_algorithm algorithm = wanted->algorithms[which];
    const mnp__part *part = find_part(matrix, which, algorithm);
    const bool adds = which == GHOST || part->format == MNP_CSC || part->format == MNP_COO;
    mnp__text_add(defines, "#define MNP_VALUE %s\n#define MNP_VECTOR %s\n#define MNP_OFFSET %s\n",
                  mnp__jit_type(matrix->dtype), mnp__jit_type(wanted->dtype),
                  part->offset_size == 4 ? "int32_t" : "int64_t");
    mnp__text_add(defines, "#define MNP_FORMAT_%s 1\n", formats[part->format]);
    mnp__text_add(defines,
                  "#define MNP_ADDS %d\n#define MNP_WIDE %d\n#define MNP_CONJUGATE %d\n#define MNP_DOT %d\n"
                  "#define MNP_W %s\n",
                  adds, wanted->wide, wanted->conjugate, wanted->dot,
                  mnp_dtype_kind(wanted->dtype) == 'c' ? "mnp_complex128" : "double");
    mnp__text_add(defines, "#define MNP_STREAM %d\n#define MNP_LANES %d\n#define MNP_BLOCK %d\n",
                  algorithm == MNP__SPMV_STREAM, choose_lanes(matrix, wanted, which), part->block);
}

/* Collective, as it may compile: the defines are equal on all ranks. */
static mnp_status load(const mnp_sparse *matrix, const struct kernels *wanted, int which, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "sparse/product/spmv.cu", .function = "spmv"};
    add_defines(matrix, wanted, which, &defines);
    return mnp__ctx_kernel_of_text(matrix->ctx, &spec, &defines, NULL, kernel_p);
}

static bool is_as_wanted(const struct kernels *cached, const struct kernels *wanted)
{
    return cached->loaded[OWN] && cached->dtype == wanted->dtype && cached->wide == wanted->wide &&
           cached->conjugate == wanted->conjugate && cached->dot == wanted->dot &&
           cached->algorithms[OWN] == wanted->algorithms[OWN] && cached->algorithms[GHOST] == wanted->algorithms[GHOST];
}

static mnp_status find_kernels(const mnp_sparse *matrix, const struct kernels *wanted, const struct kernels **kernels_p)
{
    mnp__products *products = matrix->products;
    struct kernels made = *wanted;
    for (int i = 0; i < CACHED_KERNELS; i++) {
        if (is_as_wanted(&products->cached[i], wanted)) {
            *kernels_p = &products->cached[i];
            return MNP_OK;
        }
    }
    MNP_TRY(load(matrix, wanted, OWN, &made.loaded[OWN]));
    if (matrix->has_ghosts)
        MNP_TRY(load(matrix, wanted, GHOST, &made.loaded[GHOST]));
    products->cached[products->next] = made;
    *kernels_p = &products->cached[products->next];
    products->next = (products->next + 1) % CACHED_KERNELS;
    return MNP_OK;
}

/* ---- running ---- */

/* The input x, the output y, and the buffers of the method whose first sum receives the dot product, or NULL. */
struct vectors {
    int64_t width;
    const void *x;
    void *y;
    const mnp__steps_buffers *buffers;
};

/* The number of tasks for threads of a GPU; the host starts a worker for every 256 of them, up to its cores. */
static int64_t count_threads(const mnp__part *part, int lanes, bool wide, int64_t width)
{
    switch (part->format) {
    case MNP_CSR:
        return part->lines * (wide ? width : lanes);
    case MNP_CSC:
    case MNP_COO:
        return part->count * width;
    default:
        return part->rows * width;
    }
}

static mnp__launch choose_launch(const mnp_sparse *matrix, const struct kernels *kernels, int which,
                                 const mnp__part *part, int64_t width)
{
    const mnp__spmv_algorithm algorithm = kernels->algorithms[which];
    const int64_t threads = count_threads(part, choose_lanes(matrix, kernels, which), kernels->wide, width);
    const int64_t most = kernels->dot ? MNP_STEP_WORKERS : INT32_MAX; /* there is room for that many sums */
    int64_t blocks = mnp__divide_up(threads, MNP_STEP_BLOCK);
    if (algorithm == MNP__SPMV_STREAM)
        blocks = matrix->products->chunks[which];
    if (kernels->dot && blocks == 0 && which == OWN) /* the sum is 0 where there are no rows */
        blocks = 1;
    return (mnp__launch){.grid = {(unsigned)mnp__min(blocks, most), 1, 1}, .block = {MNP_STEP_BLOCK, 1, 1}};
}

/* Multiply one part; x of the ghost part are the ghosts.  The dot product takes v->x, the own elements. */
static mnp_status run(const mnp_sparse *matrix, const struct kernels *kernels, int which, const struct vectors *v,
                      const void *x)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__products *products = matrix->products;
    const mnp__part *part = find_part(matrix, which, kernels->algorithms[which]);
    mnp_spmv_params params = {.offsets = part->offsets,
                              .rows_of = part->rows_of,
                              .indices = part->indices,
                              .values = part->values,
                              .x = x,
                              .y = v->y,
                              .lines = part->lines,
                              .rows = part->rows,
                              .columns = part->columns,
                              .count = part->count,
                              .width = v->width,
                              .starts = products->starts[which],
                              .chunks = products->chunks[which]};
    if (v->buffers) {
        params.own = v->x;
        params.state = v->buffers->state;
        params.partials = v->buffers->partials;
        params.arrived = v->buffers->arrived;
    }
    const mnp__launch launch = choose_launch(matrix, kernels, which, part, v->width);
    const size_t y_size = (size_t)(part->rows * v->width) * mnp_dtype_size(kernels->dtype);
    if (part->format == MNP_CSC || part->format == MNP_COO) /* their kernels add */
        MNP_TRY(ctx->device->ops->fill(ctx->device, v->y, 0, y_size, ctx->compute));
    if (launch.grid[0] == 0)
        return MNP_OK;
    return ctx->device->ops->launch(ctx->device, kernels->loaded[which], &launch, &params, sizeof params, ctx->compute);
}

/* A product whose algorithms are timed. */
struct trial {
    const mnp_sparse *matrix;
    struct kernels wanted;
    struct vectors vectors;
};

static mnp_status run_trial(void *argument, mnp__spmv_algorithm algorithm)
{
    struct trial *trial = argument;
    const struct kernels *kernels;
    trial->wanted.algorithms[OWN] = algorithm;
    MNP_TRY(find_kernels(trial->matrix, &trial->wanted, &kernels));
    return run(trial->matrix, kernels, OWN, &trial->vectors, trial->vectors.x);
}

static mnp__spmv_algorithm ghost_algorithm(const mnp_sparse *matrix)
{
    return matrix->products->starts[GHOST] ? MNP__SPMV_STREAM : MNP__SPMV_AS_STORED;
}

static mnp_status find_chunks(const mnp_sparse *matrix, int which, const mnp__part *part)
{
    mnp__products *products = matrix->products;
    if (products->starts[which])
        return MNP_OK;
    return mnp__spmv_find_chunks(matrix, part, &products->starts[which], &products->chunks[which]);
}

/*
 * Choose the algorithms, once for a matrix, by timing products with x, which overwrite y.  While a graph is recorded
 * nothing is chosen, and formats are taken as they are stored.  Collective.
 */
static mnp_status prepare(const mnp_sparse *matrix, const struct kernels *wanted, const struct vectors *v)
{
    mnp__products *products = matrix->products;
    struct trial trial = {.matrix = matrix, .wanted = *wanted, .vectors = {.width = 1, .x = v->x, .y = v->y}};
    if (products->tuning.ctx || matrix->ctx->device->recording)
        return MNP_OK;
    products->ctx = matrix->ctx;
    trial.wanted.dot = false;
    if (matrix->ctx->device->block_memory > 0) {
        if (matrix->format == MNP_CSR)
            MNP_TRY(find_chunks(matrix, OWN, &matrix->own));
        if (matrix->has_ghosts && matrix->line_length[GHOST] >= WORTH_A_STREAM)
            MNP_TRY(find_chunks(matrix, GHOST, &matrix->ghost));
    }
    trial.wanted.algorithms[GHOST] = ghost_algorithm(matrix);
    return mnp__spmv_autotune_run(matrix, run_trial, &trial, &products->tuning);
}

static mnp_status apply(const mnp_sparse *matrix, bool conjugate, mnp_dtype dtype, const struct vectors *v)
{
    struct kernels wanted = {.dtype = dtype,
                             .wide = v->width != 1,
                             .dot = v->buffers != NULL,
                             .conjugate = conjugate && mnp_dtype_kind(matrix->dtype) == 'c'};
    const struct kernels *kernels;
    const void *ghosts;
    if (!wanted.wide) {
        MNP_TRY(prepare(matrix, &wanted, v));
        wanted.algorithms[OWN] = matrix->products->tuning.algorithm;
        wanted.algorithms[GHOST] = ghost_algorithm(matrix);
    }
    MNP_TRY(find_kernels(matrix, &wanted, &kernels));
    if (!matrix->has_ghosts)
        return run(matrix, kernels, OWN, v, v->x);
    MNP_TRY(mnp__ghosts_begin(matrix->ghosts, mnp_dtype_size(dtype), v->width, v->x));
    mnp_status st = run(matrix, kernels, OWN, v, v->x);
    const mnp_status finished = mnp__ghosts_finish(matrix->ghosts, &ghosts); /* also after a failure */
    if (st == MNP_OK)
        st = finished;
    return st == MNP_OK ? run(matrix, kernels, GHOST, v, ghosts) : st;
}

mnp_status mnp__sparse_apply(const mnp_sparse *matrix, bool conjugate, mnp_dtype dtype, int64_t width, const void *x,
                             void *y)
{
    return apply(matrix, conjugate, dtype, &(struct vectors){.width = width, .x = x, .y = y});
}

mnp_status mnp__sparse_apply_dot(const mnp_sparse *matrix, mnp_dtype dtype, const void *x, void *y,
                                 const mnp__steps_buffers *buffers, bool *done_p)
{
    *done_p = matrix->format != MNP_CSC && matrix->format != MNP_COO;
    if (!*done_p)
        return MNP_OK;
    return apply(matrix, false, dtype, &(struct vectors){.width = 1, .x = x, .y = y, .buffers = buffers});
}

mnp_status mnp__sparse_transposed(const mnp_sparse *matrix, const mnp_sparse **transposed_p)
{
    if (!matrix->products->transposed)
        MNP_TRY(mnp_sparse_transpose(matrix, &matrix->products->transposed));
    *transposed_p = matrix->products->transposed;
    return MNP_OK;
}

const mnp_sparse *mnp__sparse_known_transpose(const mnp_sparse *matrix)
{
    return matrix->products->transposed;
}

/* ---- arrays ---- */

mnp_status mnp__vectors_layout(const mnp_layout *layout, const mnp_array *x, mnp_layout **layout_p)
{
    if (x->layout->ndim == 1) {
        *layout_p = mnp_layout_retain(layout);
        return MNP_OK;
    }
    const int64_t shape[] = {layout->shape[0], x->layout->shape[1]};
    return mnp__layout_line(layout->nranks, 2, shape, mnp_layout_cuts(layout, 0), layout_p);
}

/* The product, where both layouts are those of the vectors. */
static mnp_status multiply(const char *function, const mnp_sparse *matrix, bool conjugate, const mnp_array *x,
                           const mnp_layout *x_layout, const mnp_layout *y_layout, mnp_array **y_p)
{
    const mnp_dtype dtype = mnp_dtype_promote(matrix->dtype, x->dtype);
    const int64_t width = x->layout->ndim == 2 ? x->layout->shape[1] : 1;
    mnp__input input;
    mnp__output output;
    MNP_TRY(mnp__input_open(x, x_layout, dtype, MNP__INPUT_DENSE, &input));
    const mnp__output_spec spec = {.function = function,
                                   .ctx = matrix->ctx,
                                   .dtype = dtype,
                                   .layout = y_layout,
                                   .needs = MNP__OUTPUT_DENSE,
                                   .ninputs = 1,
                                   .inputs = &input.array};
    mnp_status st = mnp__output_open(&spec, y_p, &output);
    if (st == MNP_OK)
        st = mnp__sparse_apply(matrix, conjugate, dtype, width, input.array->data, output.array->data);
    st = mnp__output_close(1, &output, st);
    mnp__input_close(&input);
    return st;
}

static mnp_status matmul(const char *function, const mnp_sparse *matrix, bool conjugate, const mnp_array *x,
                         mnp_array **y_p)
{
    mnp_layout *x_layout = NULL, *y_layout = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__vectors_layout(matrix->column_layout, x, &x_layout), st, done);
    MNP_TRY_OR(mnp__vectors_layout(matrix->row_layout, x, &y_layout), st, done);
    st = multiply(function, matrix, conjugate, x, x_layout, y_layout, y_p);
done:
    mnp_layout_free(x_layout);
    mnp_layout_free(y_layout);
    return st;
}

static mnp_status check(const char *function, const mnp_sparse *matrix, const mnp_array *x, int64_t n)
{
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(mnp__array_check_blocks(function, x));
    if (x->ctx != matrix->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrix and x belong to two contexts", function);
    if (x->layout->ndim < 1 || x->layout->ndim > 2 || x->layout->shape[0] != n)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: x has %d dimensions, the first of extent %" PRId64 "; it should have one or "
                        "two, the first of extent %" PRId64,
                        function, x->layout->ndim, x->layout->ndim > 0 ? x->layout->shape[0] : 1, n);
    return MNP_OK;
}

mnp_status mnp_sparse_matmul(const mnp_sparse *matrix, const mnp_array *x, mnp_array **y_p)
{
    MNP_ENTER(matrix, x, y_p);
    static const char function[] = "mnp_sparse_matmul";
    MNP_TRY(check(function, matrix, x, matrix ? matrix->shape[1] : 0));
    return matmul(function, matrix, false, x, y_p);
}

mnp_status mnp_sparse_matmul_transposed(const mnp_sparse *matrix, bool conjugate, const mnp_array *x, mnp_array **y_p)
{
    MNP_ENTER(matrix, x, y_p);
    static const char function[] = "mnp_sparse_matmul_transposed";
    const mnp_sparse *transposed;
    MNP_TRY(check(function, matrix, x, matrix ? matrix->shape[0] : 0));
    MNP_TRY(mnp__sparse_transposed(matrix, &transposed));
    return matmul(function, transposed, conjugate, x, y_p);
}

/* ---- describing ---- */

void mnp_sparse_describe(const mnp_sparse *matrix, FILE *file)
{
    MNP_NEED_OR(, matrix);
    MNP_NEED_OR(, file);
    if (matrix->ctx->comm.rank != 0)
        return;
    fprintf(file,
            "%s of %" PRId64 " x %" PRId64 ", %s: %" PRId64 " entries; on rank 0 %" PRId64 " rows, %" PRId64
            " entries, %" PRId64 " ghosts; product: ",
            formats[matrix->format], matrix->shape[0], matrix->shape[1], mnp_dtype_name(matrix->dtype), matrix->nnz,
            matrix->rows, matrix->local_nnz, mnp_sparse_ghosts(matrix));
    mnp__spmv_autotune_describe(&matrix->products->tuning, file);
    fprintf(file, "\n");
}
