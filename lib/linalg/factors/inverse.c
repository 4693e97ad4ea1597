/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inverses on GPUs.  Small matrices are inverted by a kernel of our own, kernels/linalg/inverse.cu, as cuBLAS has
 * batches of them factored and inverted in separate calls, which take several times as long (tiny.c has the smallest).
 *
 * The inverse of one large matrix comes from its factors, P A = L U.  cuSOLVER has no getri; to solve a system
 * whose right-hand sides are the identity takes 2 n^3 operations, half of them in triangular systems, which run at a
 * part of the speed of products.
 *
 * As LAPACK's getri: Y = U^-1 takes n^3 / 3 operations, and X L = Y takes n^3; then A^-1 = X P.  Both by blocks of
 * columns, almost all in products: block j of Y is -Y[:, < j] U[< j, j] U[j, j]^-1, and block j of X is
 * (Y[:, j] - X[:, > j] L[> j, j]) L[j, j]^-1, which takes the place of Y's.
 */
#include "linalg/factors/inverse.h"

#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/select.h>
#include <maniple/view.h>

#include "base/integer.h"
#include "base/text.h"
#include "device/blas.h"
#include "device/launch.h"
#include "kernels/linalg/inverse_params.h"

enum {
    LARGE = 1024, /* rows */
    WIDTH = 256,  /* of blocks */
    PART = 2048   /* rows of Y that are multiplied at once: what is below the diagonal is left out */
};

/* ---- small matrices ---- */

static size_t shared_bytes(mnp_dtype dtype, int64_t n)
{
    return (size_t)(n * (n + 1)) * mnp_dtype_size(dtype);
}

bool mnp__inverse_of_small_serves(const mnp__place *place, mnp_dtype dtype, int64_t n)
{
    const size_t most = place->ctx->device->block_memory, spare = 8 << 10; /* of the kernel's own arrays */
    return !place->spread && n > 0 && n <= MNP_INVERSE_MOST && shared_bytes(dtype, n) + spare <= most;
}

static mnp_status load(mnp_ctx *ctx, mnp_dtype dtype, int64_t n, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const int64_t held = mnp__divide_up(n, MNP_INVERSE_SIDE);
    const mnp__kernel_spec spec = {.file = "linalg/inverse.cu",
                                   .function = "inverse",
                                   .shared_bytes = shared_bytes(dtype, held * MNP_INVERSE_SIDE)};
    mnp__text_add(&defines, "#define MNP_T %s\n#define MNP_HELD %d\n", mnp__jit_type(dtype), (int)held);
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status run(mnp_ctx *ctx, const mnp__dense *matrices, const mnp_array *info)
{
    mnp__kernel *kernel;
    const mnp_dtype dtype = matrices->array->dtype;
    MNP_TRY(load(ctx, dtype, matrices->n, &kernel));
    const unsigned most = INT32_MAX;
    for (int64_t first = 0; first < matrices->batch; first += most) {
        const int64_t left = matrices->batch - first, count = mnp__min(left, most);
        const size_t skipped = (size_t)(first * matrices->of.step) * mnp_dtype_size(dtype);
        const mnp_inverse_params params = {.matrices = (char *)matrices->of.data + skipped,
                                           .info = (int32_t *)info->data + first,
                                           .n = matrices->n,
                                           .ld = matrices->of.ld,
                                           .step = matrices->of.step};
        const mnp__launch launch = {.grid = {(unsigned)count, 1, 1},
                                    .block = {MNP_INVERSE_SIDE * MNP_INVERSE_SIDE, 1, 1}};
        MNP_TRY(ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute));
    }
    return MNP_OK;
}

mnp_status mnp__inverse_of_small(const mnp__place *place, const mnp__dense *matrices, const mnp_array *info)
{
    return MNP_AGREE(place->ctx, run(place->ctx, matrices, info));
}

/* ---- a large matrix ---- */

typedef struct inversion {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    int64_t n;
    mnp__matrices lu, y;
} inversion;

bool mnp__inverse_by_products_serves(const mnp__place *place, const mnp__lu *lu)
{
    const mnp_ctx *ctx = place->ctx;
    return ctx->device->block_memory > 0 && ctx->comm.size == 1 && place->single && !place->spread &&
           lu->factors.n >= LARGE;
}

static void *at(const inversion *v, const mnp__matrices *matrix, int64_t row, int64_t column)
{
    return (char *)matrix->data + (size_t)(row + column * matrix->ld) * mnp_dtype_size(v->dtype);
}

/* Y[row :, column block] = beta Y - Y[row :, from : from + k] LU[from : from + k, column block], of so many rows. */
static mnp_status subtract(const inversion *v, int64_t row, int64_t rows, int64_t column, int64_t width, int64_t from,
                           int64_t k, double beta)
{
    const mnp__gemm gemm = {.dtype = v->dtype,
                            .op_a = MNP__BLAS_N,
                            .op_b = MNP__BLAS_N,
                            .m = rows,
                            .n = width,
                            .k = k,
                            .batch = 1,
                            .a = at(v, &v->y, row, from),
                            .b = at(v, &v->lu, from, column),
                            .c = at(v, &v->y, row, column),
                            .lda = v->y.ld,
                            .ldb = v->lu.ld,
                            .ldc = v->y.ld,
                            .alpha = {-1, 0},
                            .beta = {beta, 0}};
    return v->ctx->device->ops->blas->gemm(v->ctx->device, &gemm, v->ctx->compute);
}

/* The first rows of Y's column block, times the inverse of the block on the diagonal of U or L. */
static mnp_status divide(const inversion *v, bool upper, int64_t rows, int64_t column, int64_t width)
{
    const mnp__trsm trsm = {.dtype = v->dtype,
                            .right = true,
                            .upper = upper,
                            .unit = !upper,
                            .op = MNP__BLAS_N,
                            .m = rows,
                            .n = width,
                            .batch = 1,
                            .a = at(v, &v->lu, column, column),
                            .b = at(v, &v->y, 0, column),
                            .lda = v->lu.ld,
                            .ldb = v->y.ld,
                            .alpha = {1, 0}};
    return v->ctx->device->ops->blas->trsm(v->ctx->device, &trsm, v->ctx->compute);
}

/* Y, which is the identity, becomes U^-1. */
static mnp_status invert_upper(const inversion *v)
{
    for (int64_t column = 0; column < v->n; column += WIDTH) {
        const int64_t width = v->n - column < WIDTH ? v->n - column : WIDTH;
        for (int64_t row = 0; row < column; row += PART) {
            const int64_t rows = column - row < PART ? column - row : PART;
            MNP_TRY(subtract(v, row, rows, column, width, row, column - row, 0));
        }
        MNP_TRY(divide(v, true, column + width, column, width));
    }
    return MNP_OK;
}

/* Y becomes Y L^-1. */
static mnp_status divide_by_lower(const inversion *v)
{
    for (int64_t column = (v->n - 1) / WIDTH * WIDTH; column >= 0; column -= WIDTH) {
        const int64_t width = v->n - column < WIDTH ? v->n - column : WIDTH, next = column + width;
        if (next < v->n)
            MNP_TRY(subtract(v, 0, v->n, column, width, next, v->n - next, 1));
        MNP_TRY(divide(v, false, v->n, column, width));
    }
    return MNP_OK;
}

/* Where each column of X P comes from: column perm[i] is X's column i, if row perm[i] of A became row i. */
static mnp_status find_columns(const mnp__lu *lu, mnp_array **columns_p)
{
    mnp_ctx *ctx = lu->pivots->ctx;
    const int64_t n = lu->factors.n;
    int32_t *pivots = NULL, *rows = NULL;
    int64_t *columns = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc((size_t)n * sizeof *pivots, &pivots), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)n * sizeof *rows, &rows), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)n * sizeof *columns, &columns), st, done);
    MNP_TRY_OR(mnp_array_get_local(lu->pivots, pivots), st, done);
    mnp__lu_permute(pivots, n, n, rows);
    for (int64_t i = 0; i < n; i++)
        columns[rows[i]] = i;
    MNP_TRY_OR(mnp_empty(ctx, MNP_INT64, 1, &n, columns_p), st, done);
    st = mnp_array_set_local(*columns_p, columns);
done:
    free(columns);
    free(rows);
    free(pivots);
    return st;
}

mnp_status mnp__inverse_by_products(const mnp__place *place, const mnp__lu *lu, mnp__dense *inverse)
{
    const int64_t n = lu->factors.n;
    mnp_array *columns = NULL, *one = NULL, *turned = NULL, *taken = NULL, *back = NULL;
    inversion v = {place->ctx, lu->factors.array->dtype, n, lu->factors.of, {NULL, 0, 0}};
    mnp_status st;
    MNP_TRY(mnp__dense_identity(place, v.dtype, n, n, inverse));
    v.y = inverse->of;
    MNP_TRY_OR(find_columns(lu, &columns), st, done);
    MNP_TRY_OR(invert_upper(&v), st, done);
    MNP_TRY_OR(divide_by_lower(&v), st, done);
    MNP_TRY_OR(mnp_squeeze(inverse->array, 1, (const int[]){0}, &one), st, done);
    MNP_TRY_OR(mnp_swapaxes(one, 0, 1, &turned), st, done);
    MNP_TRY_OR(mnp_take(turned, columns, 0, MNP_WRAP, &taken), st, done);
    MNP_TRY_OR(mnp_swapaxes(taken, 0, 1, &back), st, done);
    mnp_array_free(inverse->array);
    inverse->array = NULL;
    st = mnp_expand_dims(back, 1, (const int[]){0}, &inverse->array);
done:
    mnp_free_all(back, taken, turned, one, columns);
    return st;
}
