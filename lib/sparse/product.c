/*
 * Products with vectors: the own part while ghosts travel, then the ghost part.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "kernels/spmv.h"
#include "layout/layout.h"
#include "ops/indexed.h"
#include "ops/place.h"
#include "sparse/sparse.h"

enum { KEPT_KERNELS = 4 };

/* The kernels for vectors of one kind. */
struct kernels {
    mnp_dtype dtype;
    bool wide, conjugate;
    mnp__kernel *own, *ghost; /* the context's; own NULL: an entry that is free */
};

struct mnp__products {
    mnp_sparse *transposed;
    struct kernels kept[KEPT_KERNELS];
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
    mnp_sparse_free(products->transposed);
    free(products);
}

/* ---- kernels ---- */

/* Threads of a GPU that share a row of CSR: so many that each has about two entries. */
static int choose_lanes(double line_length)
{
    int lanes = 1;
    while (lanes < 32 && lanes * 2 < line_length)
        lanes *= 2;
    return lanes;
}

/*
 * The kernel for a part: the place where one would choose by measurement.  Collective, as it may be compiled: all that it
 * depends on is alike on all ranks.
 */
static mnp_status load(const mnp_sparse *matrix, const struct kernels *wanted, bool ghost, mnp__kernel **kernel_p)
{
    static const char *const formats[] = {[MNP_CSR] = "CSR", [MNP_CSC] = "CSC", [MNP_COO] = "COO",
                                          [MNP_DIA] = "DIA", [MNP_BSR] = "BSR", [MNP_SELL] = "SELL"};
    const mnp__part *part = ghost ? &matrix->ghost : &matrix->own;
    const bool adds = ghost || part->format == MNP_CSC || part->format == MNP_COO;
    mnp__text defines = MNP__TEXT_EMPTY;
    mnp__text_add(&defines, "#define MNP_VALUE %s\n#define MNP_VECTOR %s\n#define MNP_OFFSET %s\n#define MNP_FORMAT_%s 1\n",
                  mnp__jit_type(matrix->dtype), mnp__jit_type(wanted->dtype), part->offset_size == 4 ? "int32_t" : "int64_t",
                  formats[part->format]);
    mnp__text_add(&defines, "#define MNP_ADDS %d\n#define MNP_WIDE %d\n#define MNP_CONJUGATE %d\n#define MNP_LANES %d\n"
                  "#define MNP_BLOCK %d\n", adds, wanted->wide, wanted->conjugate, choose_lanes(matrix->line_length[ghost]),
                  part->block);
    mnp_status st = MNP_AGREE(matrix->ctx, mnp__text_status(&defines));
    if (st == MNP_OK)
        st = mnp__ctx_kernel(matrix->ctx, &(mnp__kernel_spec){.file = "spmv.cu", .function = "spmv",
                                                              .defines = defines.data}, kernel_p);
    mnp__text_free(&defines);
    return st;
}

static mnp_status find_kernels(const mnp_sparse *matrix, const struct kernels *wanted, const struct kernels **kernels_p)
{
    mnp__products *products = matrix->products;
    struct kernels made = *wanted;
    for (int i = 0; i < KEPT_KERNELS; i++) {
        const struct kernels *kept = &products->kept[i];
        if (kept->own && kept->dtype == wanted->dtype && kept->wide == wanted->wide &&
            kept->conjugate == wanted->conjugate) {
            *kernels_p = kept;
            return MNP_OK;
        }
    }
    MNP_TRY(load(matrix, wanted, false, &made.own));
    if (matrix->has_ghosts)
        MNP_TRY(load(matrix, wanted, true, &made.ghost));
    products->kept[products->next] = made;
    *kernels_p = &products->kept[products->next];
    products->next = (products->next + 1) % KEPT_KERNELS;
    return MNP_OK;
}

/* ---- running ---- */

/* What a GPU's threads share; the host has a worker for every 256 of it, as far as there are. */
static int64_t count_threads(const mnp__part *part, double line_length, bool wide, int64_t width)
{
    switch (part->format) {
    case MNP_CSR:
        return part->lines * (wide ? width : choose_lanes(line_length));
    case MNP_CSC:
    case MNP_COO:
        return part->count * width;
    case MNP_SELL:
        return part->rows;
    default:
        return part->rows * width;
    }
}

static mnp_status run(const mnp_sparse *matrix, const struct kernels *kernels, bool ghost, int64_t width, const void *x,
                      void *y)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__part *part = ghost ? &matrix->ghost : &matrix->own;
    const mnp_spmv_params params = {.offsets = part->offsets, .rows_of = part->rows_of, .indices = part->indices,
                                    .values = part->values, .x = x, .y = y, .lines = part->lines, .rows = part->rows,
                                    .columns = part->columns, .count = part->count, .width = width};
    const mnp__launch launch = mnp__launch_of(count_threads(part, matrix->line_length[ghost], kernels->wide, width));
    if (part->format == MNP_CSC || part->format == MNP_COO) /* their kernels add */
        MNP_TRY(ctx->device->ops->fill(ctx->device, y, 0, (size_t)(part->rows * width) * mnp_dtype_size(kernels->dtype),
                                       ctx->compute));
    if (launch.grid[0] == 0)
        return MNP_OK;
    return ctx->device->ops->launch(ctx->device, ghost ? kernels->ghost : kernels->own, &launch, &params, sizeof params,
                                    ctx->compute);
}

mnp_status mnp__sparse_apply(const mnp_sparse *matrix, bool conjugate, mnp_dtype dtype, int64_t width, const void *x,
                             void *y)
{
    const struct kernels wanted = {.dtype = dtype, .wide = width != 1,
                                   .conjugate = conjugate && mnp_dtype_kind(matrix->dtype) == 'c'};
    const struct kernels *kernels;
    const void *ghosts;
    MNP_TRY(find_kernels(matrix, &wanted, &kernels));
    if (!matrix->has_ghosts)
        return run(matrix, kernels, false, width, x, y);
    MNP_TRY(mnp__ghosts_begin(matrix->ghosts, mnp_dtype_size(dtype), width, x));
    mnp_status st = run(matrix, kernels, false, width, x, y);
    const mnp_status finished = mnp__ghosts_finish(matrix->ghosts, &ghosts); /* whatever became of the own part */
    if (st == MNP_OK)
        st = finished;
    return st == MNP_OK ? run(matrix, kernels, true, width, ghosts, y) : st;
}

mnp_status mnp__sparse_transposed(const mnp_sparse *matrix, const mnp_sparse **transposed_p)
{
    if (!matrix->products->transposed)
        MNP_TRY(mnp_sparse_transpose(matrix, &matrix->products->transposed));
    *transposed_p = matrix->products->transposed;
    return MNP_OK;
}

/* ---- arrays ---- */

/* A layout of vectors, or of several side by side. */
static mnp_status vectors_layout(const mnp_sparse *matrix, const mnp_layout *layout, const mnp_array *x,
                                 mnp_layout **layout_p)
{
    if (x->layout->ndim == 1) {
        *layout_p = mnp_layout_retain((mnp_layout *)layout);
        return MNP_OK;
    }
    const int64_t shape[] = {layout->shape[0], x->layout->shape[1]};
    return mnp__layout_line(matrix->ctx->comm.size, 2, shape, mnp_layout_cuts(layout, 0), layout_p);
}

mnp_status mnp__vectors_bring(const mnp_array *x, const mnp_layout *layout, mnp_dtype dtype, const mnp_array **brought_p,
                              mnp_array **temporary_p)
{
    mnp_array *moved = NULL, *made = NULL;
    mnp_status st = MNP_OK;
    *temporary_p = NULL;
    if (!mnp_layout_equal(x->layout, layout)) {
        MNP_TRY(mnp_redistribute(x, layout, &moved));
        x = moved;
    }
    if (x->dtype != dtype) {
        MNP_TRY_OR(mnp_array_new_order(x->ctx, dtype, layout, MNP_ORDER_C, &made), st, fail);
        MNP_TRY_OR(mnp_astype(x, dtype, &made), st, fail);
    } else {
        MNP_TRY_OR(mnp__array_dense(x, &x, &made), st, fail);
    }
    if (made) {
        mnp_array_free(moved);
        moved = made;
    }
    *brought_p = moved ? moved : x;
    *temporary_p = moved;
    return MNP_OK;
fail:
    mnp_array_free(made);
    mnp_array_free(moved);
    return st;
}

/* The product, where both layouts are those of the vectors. */
static mnp_status multiply(const char *function, const mnp_sparse *matrix, bool conjugate, const mnp_array *x,
                           const mnp_layout *x_layout, const mnp_layout *y_layout, mnp_array **y_p)
{
    const mnp_dtype dtype = mnp_dtype_promote(matrix->dtype, x->dtype);
    const int64_t width = x->layout->ndim == 2 ? x->layout->shape[1] : 1;
    const mnp_array *brought;
    mnp_array *temporary, *y;
    MNP_TRY(mnp__vectors_bring(x, x_layout, dtype, &brought, &temporary));
    mnp_status st = mnp__selected_new(function, dtype, y_layout, 1, &brought, *y_p, &y);
    if (st == MNP_OK)
        st = mnp__selected_deliver(y, mnp__sparse_apply(matrix, conjugate, dtype, width, brought->data, y->data), y_p);
    mnp_array_free(temporary);
    return st;
}

static mnp_status matmul(const char *function, const mnp_sparse *matrix, bool conjugate, const mnp_array *x, mnp_array **y_p)
{
    mnp_layout *x_layout = NULL, *y_layout = NULL;
    mnp_status st;
    MNP_TRY_OR(vectors_layout(matrix, matrix->column_layout, x, &x_layout), st, done);
    MNP_TRY_OR(vectors_layout(matrix, matrix->row_layout, x, &y_layout), st, done);
    st = multiply(function, matrix, conjugate, x, x_layout, y_layout, y_p);
done:
    mnp_layout_free(x_layout);
    mnp_layout_free(y_layout);
    return st;
}

static mnp_status check(const char *function, const mnp_sparse *matrix, const mnp_array *x, int64_t n)
{
    if (!matrix)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrix is NULL", function);
    MNP_TRY(mnp__check_inputs(function, 1, &x));
    MNP_TRY(mnp__array_check_blocks(function, x));
    if (x->ctx != matrix->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the matrix and x belong to two contexts", function);
    if (x->layout->ndim < 1 || x->layout->ndim > 2 || x->layout->shape[0] != n)
        return MNP_FAIL(MNP_ERR_ARG, "%s: x has %d dimensions, the first of extent %" PRId64 "; it should have one or two, "
                        "the first of extent %" PRId64, function, x->layout->ndim,
                        x->layout->ndim > 0 ? x->layout->shape[0] : 1, n);
    return MNP_OK;
}

mnp_status mnp_sparse_matmul(const mnp_sparse *matrix, const mnp_array *x, mnp_array **y_p)
{
    static const char function[] = "mnp_sparse_matmul";
    MNP_TRY(check(function, matrix, x, matrix ? matrix->shape[1] : 0));
    return matmul(function, matrix, false, x, y_p);
}

mnp_status mnp_sparse_matmul_transposed(const mnp_sparse *matrix, bool conjugate, const mnp_array *x, mnp_array **y_p)
{
    static const char function[] = "mnp_sparse_matmul_transposed";
    const mnp_sparse *transposed;
    MNP_TRY(check(function, matrix, x, matrix ? matrix->shape[0] : 0));
    MNP_TRY(mnp__sparse_transposed(matrix, &transposed));
    return matmul(function, transposed, conjugate, x, y_p);
}
