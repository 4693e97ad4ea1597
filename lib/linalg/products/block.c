/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices in this rank's memory: by BLAS with the transpositions that the strides ask for, or, for
 * integers and bool, by a kernel of our own that takes any strides.
 *
 * Dimensions of the batch are joined where all operands continue from one to the next.  A batch of matrices times the
 * same one, whose rows follow each other, is one product.  What is left is one strided batch and loops around it.
 */
#include <string.h>

#include "base/dtype.h"
#include "base/integer.h"
#include "base/nest.h"
#include "device/blas.h"
#include "kernels/linalg/gemm_params.h"
#include "linalg/products/linalg.h"

mnp_dtype mnp__block_dtype(mnp_ctx *ctx, mnp_dtype dtype)
{
    const bool own = mnp__dtype_is_integral(dtype) || ctx->device->ops->blas->takes(ctx->device, dtype);
    return own ? dtype : MNP_FLOAT32;
}

static mnp_status load_kernel(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p)
{
    static const char *const defines[] = {
        "#define MNP_T uint8_t\n#define MNP_TRUTH 0\n", "#define MNP_T uint16_t\n#define MNP_TRUTH 0\n",
        "#define MNP_T uint32_t\n#define MNP_TRUTH 0\n", "#define MNP_T uint64_t\n#define MNP_TRUTH 0\n"};
    const size_t size = mnp_dtype_size(dtype);
    const mnp__kernel_spec spec = {.file = "linalg/gemm.cu",
                                   .function = "gemm",
                                   .defines = dtype == MNP_BOOL ? "#define MNP_T uint8_t\n#define MNP_TRUTH 1\n"
                                                                : defines[size == 8 ? 3 : size / 2]};
    return mnp__ctx_kernel(ctx, &spec, kernel_p);
}

mnp_status mnp__block_prepare(mnp_ctx *ctx, mnp_dtype dtype, mnp_matmul_precision precision)
{
    mnp__kernel *kernel;
    if (mnp__dtype_is_integral(dtype))
        return load_kernel(ctx, dtype, &kernel);
    MNP_TRY(ctx->device->ops->blas->need(ctx->device, "a product of matrices"));
    return precision == MNP_MATMUL_EMULATED ? mnp__emulated_prepare(ctx, dtype) : MNP_OK;
}

/* ---- integers ---- */

static mnp_status multiply_integers(mnp_ctx *ctx, const mnp__block_product *p)
{
    mnp__kernel *kernel;
    MNP_TRY(load_kernel(ctx, p->dtype, &kernel));
    mnp_gemm_params params = {.a = p->data[MNP__LEFT],
                              .b = p->data[MNP__RIGHT],
                              .c = (void *)p->data[MNP__RESULT],
                              .m = p->m,
                              .n = p->n,
                              .k = p->k,
                              .a_row = p->row[MNP__LEFT],
                              .a_column = p->column[MNP__LEFT],
                              .b_row = p->row[MNP__RIGHT],
                              .b_column = p->column[MNP__RIGHT],
                              .c_row = p->row[MNP__RESULT],
                              .c_column = p->column[MNP__RESULT],
                              .count = 1};
    for (int d = 0; d < MNP_GEMM_BATCH_DIMS; d++) {
        const int from = d - (MNP_GEMM_BATCH_DIMS - p->nbatch);
        params.extent[d] = from < 0 ? 1 : p->extent[from];
        params.a_batch[d] = from < 0 ? 0 : p->batch[MNP__LEFT][from];
        params.b_batch[d] = from < 0 ? 0 : p->batch[MNP__RIGHT][from];
        params.c_batch[d] = from < 0 ? 0 : p->batch[MNP__RESULT][from];
        params.count *= params.extent[d];
    }
    const int64_t tile = MNP_GEMM_TILE, most = 1 << 16;
    const int64_t tiles = params.count * mnp__divide_up(p->m, tile) * mnp__divide_up(p->n, tile);
    const mnp__launch launch = {
        .grid = {(unsigned)mnp__min(tiles, most), 1, 1}, .block = {MNP_GEMM_THREADS, 1, 1}, .divisible = true};
    return ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute);
}

/* ---- BLAS ---- */

/* A matrix as BLAS takes it: in columns, or transposed. */
typedef struct stored {
    mnp__blas_op op;
    int64_t ld;
} stored;

static bool in_columns(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t *ld_p)
{
    const int64_t least = mnp__max(rows, 1);
    if ((rows > 1 && row != 1) || (columns > 1 && column < least))
        return false;
    *ld_p = columns > 1 ? column : least;
    return true;
}

static bool find_storage(int64_t rows, int64_t columns, int64_t row, int64_t column, stored *found)
{
    found->op = MNP__BLAS_N;
    if (in_columns(rows, columns, row, column, &found->ld))
        return true;
    found->op = MNP__BLAS_T;
    return in_columns(columns, rows, column, row, &found->ld);
}

static int64_t rows_of(const mnp__block_product *p, int o)
{
    return o == MNP__RIGHT ? p->k : p->m;
}

static int64_t columns_of(const mnp__block_product *p, int o)
{
    return o == MNP__LEFT ? p->k : p->n;
}

bool mnp__block_fits(const mnp__block_product *p, int o)
{
    stored found;
    return mnp__dtype_is_integral(p->dtype) || (o != MNP__RESULT && p->k == 0) ||
           find_storage(rows_of(p, o), columns_of(p, o), p->row[o], p->column[o], &found);
}

/* The product of the transposed matrices, in the other order: of which C is the transpose. */
static mnp__block_product transposed(const mnp__block_product *p)
{
    static const int from[MNP__OPERANDS] = {MNP__RIGHT, MNP__LEFT, MNP__RESULT};
    mnp__block_product t = *p;
    t.m = p->n;
    t.n = p->m;
    for (int o = 0; o < MNP__OPERANDS; o++) {
        t.data[o] = p->data[from[o]];
        t.row[o] = p->column[from[o]];
        t.column[o] = p->row[from[o]];
        memcpy(t.batch[o], p->batch[from[o]], sizeof t.batch[o]);
    }
    return t;
}

/* Make dimension d of the batch, which is the last, a part of the rows if B is the same along it. */
static bool join_rows(mnp__block_product *p, int d)
{
    mnp__block_product joined = *p;
    const bool one = p->m == 1;
    if (p->batch[MNP__RIGHT][d] != 0)
        return false;
    for (int o = MNP__LEFT; o < MNP__OPERANDS; o += MNP__RESULT - MNP__LEFT) {
        if (one)
            joined.row[o] = p->batch[o][d];
        else if (p->batch[o][d] != p->m * p->row[o])
            return false;
    }
    joined.m *= p->extent[d];
    joined.nbatch--;
    if (!mnp__block_fits(&joined, MNP__LEFT) || !mnp__block_fits(&joined, MNP__RESULT))
        return false;
    *p = joined;
    return true;
}

static void simplify(mnp__block_product *p)
{
    mnp__nest nest = {.ndim = p->nbatch, .count = MNP__OPERANDS, .stride = p->batch};
    memcpy(nest.extent, p->extent, sizeof nest.extent);
    mnp__nest_drop(&nest);
    mnp__nest_order(&nest, MNP__RESULT, MNP__OPERANDS);
    mnp__nest_join(&nest);
    memcpy(p->extent, nest.extent, sizeof p->extent);
    p->nbatch = nest.ndim;
    while (p->nbatch > 0 && join_rows(p, p->nbatch - 1))
        ;
}

/* The longest dimension of the batch is BLAS's, and becomes the last. */
static void choose_batch(mnp__block_product *p)
{
    int longest = 0;
    for (int d = 1; d < p->nbatch; d++)
        if (p->extent[d] > p->extent[longest])
            longest = d;
    mnp__nest nest = {.ndim = p->nbatch, .count = MNP__OPERANDS, .stride = p->batch};
    memcpy(nest.extent, p->extent, sizeof nest.extent);
    if (p->nbatch > 0)
        mnp__nest_move(&nest, longest, p->nbatch - 1);
    memcpy(p->extent, nest.extent, sizeof p->extent);
}

static mnp_status loop(mnp_ctx *ctx, const mnp__block_product *p, mnp__gemm *gemm, int d)
{
    if (d >= p->nbatch - 1)
        return p->precision == MNP_MATMUL_EMULATED && p->k > 0
                   ? mnp__emulated_multiply(ctx, gemm)
                   : ctx->device->ops->blas->gemm(ctx->device, gemm, ctx->compute);
    const int64_t size = (int64_t)mnp_dtype_size(p->dtype), result_size = (int64_t)mnp_dtype_size(p->result);
    for (int64_t i = 0; i < p->extent[d]; i++) {
        mnp__gemm one = *gemm;
        one.a = (const char *)gemm->a + i * p->batch[MNP__LEFT][d] * size;
        one.b = (const char *)gemm->b + i * p->batch[MNP__RIGHT][d] * size;
        one.c = (char *)gemm->c + i * p->batch[MNP__RESULT][d] * result_size;
        MNP_TRY(loop(ctx, p, &one, d + 1));
    }
    return MNP_OK;
}

mnp_status mnp__block_multiply(mnp_ctx *ctx, const mnp__block_product *product)
{
    mnp__block_product p = *product;
    stored a, b, c;
    for (int d = 0; d < p.nbatch; d++)
        if (p.extent[d] == 0)
            return MNP_OK;
    if (p.m == 0 || p.n == 0)
        return MNP_OK;
    simplify(&p);
    if (mnp__dtype_is_integral(p.dtype))
        return multiply_integers(ctx, &p);
    if (p.k == 0) { /* operands without elements lie nowhere */
        p.data[MNP__LEFT] = p.data[MNP__RIGHT] = p.data[MNP__RESULT];
        p.row[MNP__LEFT] = p.column[MNP__RIGHT] = 1;
        p.column[MNP__LEFT] = p.m;
        p.row[MNP__RIGHT] = p.n;
    }
    choose_batch(&p);
    if (!find_storage(p.m, p.n, p.row[MNP__RESULT], p.column[MNP__RESULT], &c))
        return MNP_FAIL(MNP_ERR_INTERNAL, "the result of a product does not lie as BLAS takes it");
    if (c.op == MNP__BLAS_T)
        p = transposed(&p);
    if (!find_storage(p.m, p.k, p.row[MNP__LEFT], p.column[MNP__LEFT], &a) ||
        !find_storage(p.k, p.n, p.row[MNP__RIGHT], p.column[MNP__RIGHT], &b))
        return MNP_FAIL(MNP_ERR_INTERNAL, "an operand of a product does not lie as BLAS takes it");
    const int last = p.nbatch - 1;
    mnp__gemm gemm = {.dtype = p.dtype,
                      .result = p.result,
                      .tf32 = p.precision == MNP_MATMUL_TF32,
                      .op_a = a.op,
                      .op_b = b.op,
                      .m = p.m,
                      .n = p.n,
                      .k = p.k,
                      .batch = last < 0 ? 1 : p.extent[last],
                      .a = p.data[MNP__LEFT],
                      .b = p.data[MNP__RIGHT],
                      .c = (void *)p.data[MNP__RESULT],
                      .lda = a.ld,
                      .ldb = b.ld,
                      .ldc = c.ld,
                      .stride_a = last < 0 ? 0 : p.batch[MNP__LEFT][last],
                      .stride_b = last < 0 ? 0 : p.batch[MNP__RIGHT][last],
                      .stride_c = last < 0 ? 0 : p.batch[MNP__RESULT][last],
                      .alpha = {1, 0}};
    return loop(ctx, &p, &gemm, 0);
}
