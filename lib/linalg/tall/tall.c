/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * QR factorisations of one tall matrix.
 *
 * First by Cholesky's method twice (Yamamoto, Nakatsukasa, Yanagisawa, Fukaya: Roundoff error analysis of the
 * CholeskyQR2 algorithm, 2015): with A^H A = R1^H R1 and Q1 = A R1^-1 the columns of Q1 are orthogonal but for an error
 * of eps times the square of A's condition; a second pass gives Q = Q1 R2^-1 and R = R2 R1, as accurate as
 * Householder's reflectors if Q1^H Q1 is near the identity, which is looked at.  It is all products and triangular
 * systems: each pass reads A twice and writes it once, and the ranks only add up matrices of n x n.
 *
 * Where that fails, as the condition is about 1 / sqrt(eps) or more, a matrix that is cut is factored by reflectors of
 * each rank's rows, and then of the stack of all R (TSQR: Demmel, Grigori, Hoemmen, Langou: Communication-optimal
 * parallel and sequential QR and LU factorizations, 2012).
 *
 * In twice the precision of its elements a matrix of any shape can be factored so, and one pass is enough.
 *
 * Real matrices of few columns have kernels of their own on GPUs, which do the same: tall_passes.c.
 *
 * A block in C order is a matrix of n rows in column-major order, its transpose: with A^T in place of A the Gram matrix
 * G = A^T (A^T)^H = L L^H has L = R^T, and Q^T = L^-1 A^T.  So nothing is transposed.  L, read in C order, is R.
 */
#include "linalg/tall/tall.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <maniple/comm.h>
#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/linalg.h>
#include <maniple/reduce.h>
#include <maniple/view.h>

#include "array/boxes.h"
#include "base/integer.h"
#include "device/blas.h"

enum {
    TALL = 8,    /* rows for a column */
    SHORT = 512, /* rows of matrices that LAPACK factors as quickly */
    WIDEST = 2048,
    LARGE = 1024, /* columns of matrices that are not tall */
    SHARE = 8,    /* of the device's memory that may be taken to compute in twice the precision */
    NARROW = 256, /* columns: the product of one part has so few elements that one multiprocessor computes it */
    PARTS = 256
};
static const double NEAR_IDENTITY = 0.05; /* the norm of Q1^H Q1 - I: 5 / 64 are enough in theory */

bool mnp__tall_serves(const mnp__place *place, const mnp_array *a)
{
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    for (int axis = 0; place->stays && axis < a->layout->mesh_ndim; axis++) {
        if (a->layout->pin[axis] != MNP__REPLICAS) /* some ranks have nothing */
            return false;
    }
    return place->single && n > 0 && n <= WIDEST && m >= SHORT && m >= TALL * n &&
           m >= n * (int64_t)place->ctx->comm.size;
}

/*
 * Whether the devices of all ranks compute in float64 about as fast as in float32: GPUs for data centres.  Collective.
 */
static mnp_status has_fast_doubles(mnp_ctx *ctx, bool *has_p)
{
    mnp_rank_info info;
    MNP_TRY(MNP_AGREE(ctx, ctx->device->ops->info(ctx->device, &info)));
    const int capability = 10 * info.capability_major + info.capability_minor;
    int32_t has = capability == 80 || capability == 90 || capability == 100;
    MNP_TRY(mnp__all_reduce(&ctx->comm, &has, 1, MPI_INT32_T, MPI_MIN));
    *has_p = has;
    return MNP_OK;
}

/* Rows of A over the ranks, or all of them where a matrix that is not cut lies. */
static mnp_status layout_of_rows(const mnp__place *place, const mnp_array *a, mnp_layout **layout_p)
{
    const mnp_layout *own = a->layout;
    if (place->stays || (own->axes[1] == MNP_NO_AXIS && mnp__layout_is_spread(own)))
        return mnp__layout_in_c_order(own, layout_p);
    return mnp__layout_line(own->nranks, 2, own->shape, NULL, layout_p);
}

mnp_status mnp__tall_square(const mnp__place *place, mnp_dtype dtype, int64_t n, mnp_array **square_p)
{
    mnp_layout *layout;
    MNP_TRY(mnp_layout_replicated(place->ctx->comm.size, 2, (const int64_t[]){n, n}, &layout));
    const mnp_status st = mnp_array_new(place->ctx, dtype, layout, square_p);
    mnp_layout_free(layout);
    return st;
}

/*
 * Products A^T (A^T)^H of parts of this rank's rows, one behind the other, and of those rows that are left over, which
 * are added to the first.
 */
static mnp_status multiply_parts(const mnp_array *q, const mnp_array *products)
{
    mnp_ctx *ctx = q->ctx;
    mnp__device *device = ctx->device;
    const int64_t n = mnp__columns(q), rows = q->local_size / n, parts = products->local_shape[0], each = rows / parts;
    mnp__gemm gemm = {.dtype = q->dtype,
                      .op_a = MNP__BLAS_N,
                      .op_b = MNP__BLAS_C,
                      .m = n,
                      .n = n,
                      .k = each,
                      .batch = parts,
                      .a = q->data,
                      .b = q->data,
                      .c = products->data,
                      .lda = n,
                      .ldb = n,
                      .ldc = n,
                      .stride_a = each * n,
                      .stride_b = each * n,
                      .stride_c = n * n,
                      .alpha = {1, 0}};
    const size_t bytes = (size_t)products->local_size * mnp_dtype_size(q->dtype);
    MNP_TRY(each > 0 ? device->ops->blas->gemm(device, &gemm, ctx->compute)
                     : device->ops->fill(device, products->data, 0, bytes, ctx->compute));
    if (rows == parts * each)
        return MNP_OK;
    gemm.a = gemm.b = (const char *)q->data + (size_t)(parts * each * n) * mnp_dtype_size(q->dtype);
    gemm.k = rows - parts * each;
    gemm.batch = 1;
    gemm.beta[0] = 1;
    return device->ops->blas->gemm(device, &gemm, ctx->compute);
}

/*
 * G = A^T (A^T)^H of all ranks' rows.  On a GPU a product of so few elements, which are long sums, is divided into
 * parts, as it would keep few multiprocessors busy.  Collective.
 */
static mnp_status gram(const mnp__place *place, const mnp_array *q, mnp_array *g)
{
    mnp_ctx *ctx = place->ctx;
    const int64_t n = mnp__columns(q),
                  parts = ctx->device->block_memory > 0 && n <= NARROW && mnp__rows(q) >= PARTS * SHORT ? PARTS : 1;
    mnp_array *products = NULL;
    mnp_layout *layout;
    MNP_TRY(mnp_layout_replicated(ctx->comm.size, 3, (const int64_t[]){parts, n, n}, &layout));
    mnp_status st = mnp_array_new(ctx, q->dtype, layout, &products);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = MNP_AGREE(ctx, multiply_parts(q, products));
    if (st == MNP_OK)
        st = mnp_sum(products, MNP_AXES(0), &g);
    mnp_array_free(products);
    if (st != MNP_OK || place->stays)
        return st;
    return mnp_comm_all_reduce(mnp_comm_world(ctx), g->data, g->data, n * n, q->dtype, MNP_SUM);
}

/* G = L L^H in place, and Q^T = L^-1 A^T. */
static mnp_status divide(const mnp__place *place, const mnp_array *q, const mnp_array *g, mnp_array *info)
{
    mnp_ctx *ctx = place->ctx;
    const int64_t n = mnp__columns(q), rows = q->local_size / n;
    const mnp__lapack_job factor = {.dtype = q->dtype, .batch = 1, .n = n, .a = {g->data, n, 0}, .info = info->data};
    const mnp__trsm solve = {.dtype = q->dtype,
                             .op = MNP__BLAS_N,
                             .m = n,
                             .n = rows,
                             .batch = 1,
                             .a = g->data,
                             .b = q->data,
                             .lda = n,
                             .ldb = n,
                             .alpha = {1, 0}};
    MNP_TRY(ctx->device->ops->lapack->potrf(ctx->device, &factor, ctx->compute));
    return rows == 0 ? MNP_OK : ctx->device->ops->blas->trsm(ctx->device, &solve, ctx->compute);
}

/* The distance of G from the identity, in Frobenius' norm.  Waits. */
static mnp_status distance_of(const mnp_array *g, double *distance_p)
{
    mnp_array *identity = NULL, *squares = NULL, *sum = NULL;
    double value = 0;
    mnp_status st;
    const int64_t n = mnp__columns(g);
    MNP_TRY_OR(mnp_eye(g->ctx, g->dtype, n, n, 0, &identity), st, done);
    MNP_TRY_OR(
        mnp_eval(g->ctx, "z = real(g - i)**2 + imag(g - i)**2", MNP_IN("g", g, "i", identity), MNP_OUT("z", &squares)),
        st, done);
    MNP_TRY_OR(mnp_sum(squares, MNP_ALL_AXES, &sum), st, done);
    MNP_TRY_OR(mnp_item(sum, &value), st, done);
    *distance_p = sqrt(value);
done:
    mnp_free_all(sum, squares, identity);
    return st;
}

/* Whether the first factorisation succeeded, on all ranks, and how far Q1 is from orthogonal; G is that of Q1. */
static mnp_status look_at(const mnp__place *place, const mnp_array *g, const mnp_array *info, bool *good_p,
                          double *distance_p)
{
    mnp_ctx *ctx = place->ctx;
    int32_t report = 0;
    MNP_TRY(MNP_AGREE(ctx, mnp_array_get_local(info, &report)));
    MNP_TRY(distance_of(g, distance_p));
    int32_t bad = report != 0 || !(*distance_p <= NEAR_IDENTITY); /* also for NaN */
    MNP_TRY(mnp__all_reduce(&ctx->comm, &bad, 1, MPI_INT32_T, MPI_MAX));
    *good_p = !bad || ctx->device->rehearses;
    return MNP_OK;
}

/*
 * Both passes over q, which is A at first, or one pass if that makes Q^H Q differ from the identity by no more than
 * `enough`; r, unless A's condition is too bad, which all ranks find alike.
 */
static mnp_status by_cholesky(const mnp__place *place, mnp_array *q, double enough, mnp_array **r_p, bool *done_p)
{
    mnp_ctx *ctx = place->ctx;
    mnp_array *g[2] = {NULL, NULL}, *r[2] = {NULL, NULL}, *info = NULL;
    const int64_t n = mnp__columns(q), one = 1;
    mnp_layout *layout = NULL;
    double distance = 0;
    mnp_status st;
    for (int i = 0; i < 2; i++)
        MNP_TRY_OR(mnp__tall_square(place, q->dtype, n, &g[i]), st, done);
    MNP_TRY_OR(mnp_layout_replicated(ctx->comm.size, 1, &one, &layout), st, done);
    MNP_TRY_OR(mnp_array_new(ctx, MNP_INT32, layout, &info), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, ctx->device->ops->fill(ctx->device, info->data, 0, sizeof(int32_t), ctx->compute)), st,
               done);
    MNP_TRY_OR(gram(place, q, g[0]), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, divide(place, q, g[0], info)), st, done);
    MNP_TRY_OR(gram(place, q, g[1]), st, done);
    MNP_TRY_OR(look_at(place, g[1], info, done_p, &distance), st, done);
    if (!*done_p)
        goto done;
    if (distance <= enough) {
        st = mnp_triu(g[0], 0, r_p);
        goto done;
    }
    MNP_TRY_OR(MNP_AGREE(ctx, divide(place, q, g[1], info)), st, done);
    for (int i = 0; i < 2; i++)
        MNP_TRY_OR(mnp_triu(g[i], 0, &r[i]), st, done);
    st = mnp_matmul(r[1], r[0], r_p);
done:
    mnp_layout_free(layout);
    mnp_free_all(info, r[1], r[0], g[1], g[0]);
    return st;
}

/* ---- by reflectors ---- */

/* Copy this rank's rows of a matrix to its own matrix of a stack, which has more rows, or back. */
static mnp_status copy_rows(const mnp_array *rows, const mnp_array *stack, bool back)
{
    mnp_ctx *ctx = rows->ctx;
    const mnp_dtype moving = mnp__moving_dtype(rows->dtype);
    const int64_t *of_stack = &stack->local_strides[1], *of_rows = rows->local_strides;
    mnp__kernel *kernel;
    MNP_TRY(mnp__copy_kernel(ctx, moving, moving, &kernel));
    mnp__one_box box = mnp__one_box_of(2, rows->local_shape, back ? of_stack : of_rows, back ? of_rows : of_stack);
    mnp__one_box_order(&box);
    const mnp_array *from = back ? stack : rows, *to = back ? rows : stack;
    return MNP_AGREE(ctx, rows->local_size == 0 ? MNP_OK
                                                : mnp__one_box_copy(ctx, kernel, &box, mnp_dtype_size(rows->dtype),
                                                                    from->data, to->data, ctx->compute));
}

/* A stack of matrices, one of each rank: its rows of A, and zeros. */
static mnp_status stack_of(const mnp_array *a, mnp_array **stack_p)
{
    const int ranks = a->layout->nranks;
    int64_t shape[3] = {ranks, mnp__columns(a), mnp__columns(a)};
    mnp_layout *layout;
    mnp_array *stack = NULL;
    for (int r = 0; r < ranks; r++) {
        int64_t lo[2], extent[2];
        mnp_layout_box(a->layout, r, lo, extent);
        shape[1] = mnp__max(extent[0], shape[1]);
    }
    MNP_TRY(mnp__layout_line(ranks, 3, shape, NULL, &layout));
    mnp_status st = mnp_array_new(a->ctx, a->dtype, layout, &stack);
    mnp_layout_free(layout);
    MNP_TRY(st);
    mnp__device *device = a->ctx->device;
    const size_t bytes = (size_t)stack->local_size * mnp_dtype_size(a->dtype);
    st = MNP_AGREE(a->ctx, device->ops->fill(device, stack->data, 0, bytes, a->ctx->compute));
    if (st == MNP_OK)
        st = copy_rows(a, stack, false);
    if (st == MNP_OK)
        *stack_p = stack;
    else
        mnp_array_free(stack);
    return st;
}

/* q, which is A at first, by the reflectors of each rank's rows and those of all R together. */
static mnp_status by_reflectors(mnp_array *q, mnp_array **r_p)
{
    const int64_t n = mnp__columns(q), ranks = q->layout->nranks;
    mnp_array *stack = NULL, *own_q = NULL, *own_r = NULL, *column = NULL, *all_r = NULL, *top_q = NULL, *parts = NULL,
              *product = NULL;
    mnp_status st;
    MNP_TRY_OR(stack_of(q, &stack), st, done);
    MNP_TRY_OR(mnp_qr(stack, NULL, &own_q, &own_r), st, done);
    MNP_TRY_OR(mnp_reshape(own_r, 2, (const int64_t[]){ranks * n, n}, &column), st, done);
    MNP_TRY_OR(mnp_replicate(column, &all_r), st, done);
    MNP_TRY_OR(mnp_qr(all_r, NULL, &top_q, r_p), st, done);
    MNP_TRY_OR(mnp_reshape(top_q, 3, (const int64_t[]){ranks, n, n}, &parts), st, done);
    product = stack; /* the same layout */
    stack = NULL;
    MNP_TRY_OR(mnp_matmul(own_q, parts, &product), st, done);
    st = copy_rows(q, product, true);
done:
    mnp_free_all(product, parts, top_q, all_r, column, own_r, own_q, stack);
    return st;
}

/* ---- any of them ---- */

/* Whether the blocks of a are as those of q will be, in memory where pairs of elements are aligned; on all ranks. */
static mnp_status is_ready(const mnp_array *a, mnp_dtype dtype, const mnp_layout *layout, bool *is_p)
{
    const size_t pair = 2 * mnp_dtype_size(dtype);
    int32_t apart = (uintptr_t)a->data % pair != 0;
    *is_p = false;
    if (a->dtype != dtype || !(a->dense & MNP__DENSE_C) || !mnp_layout_equal(a->layout, layout))
        return MNP_OK;
    MNP_TRY(mnp__all_reduce(&a->ctx->comm, &apart, 1, MPI_INT32_T, MPI_MAX));
    *is_p = !apart;
    return MNP_OK;
}

/* Factor by kernels of our own, where they serve.  q has undefined values before, and unless it is done also after. */
static mnp_status by_passes(const mnp__place *place, const mnp_array *a, mnp__tall_qr *tall, bool *done_p)
{
    bool fast, ready;
    *done_p = false;
    if (!mnp__tall_passes_serve(tall->q->dtype, mnp__columns(a)))
        return MNP_OK;
    MNP_TRY(has_fast_doubles(place->ctx, &fast));
    if (!fast)
        return MNP_OK;
    MNP_TRY(is_ready(a, tall->q->dtype, tall->q->layout, &ready));
    if (!ready)
        MNP_TRY(mnp__array_copy_to(a, tall->q));
    return mnp__tall_passes_factor(place, ready ? a : tall->q, tall->q, &tall->w, &tall->r, done_p);
}

mnp_status mnp__tall_factor(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__tall_qr *tall_p,
                            bool *done_p)
{
    mnp_layout *layout = NULL;
    mnp__tall_qr tall = {.q = NULL};
    mnp_status st;
    mnp__device *device = place->ctx->device;
    MNP_TRY(mnp__refuse_recording(device, "factoring a matrix"));
    MNP_TRY(MNP_AGREE(place->ctx, device->ops->blas->need(device, place->function)));
    MNP_TRY_OR(layout_of_rows(place, a, &layout), st, done);
    MNP_TRY_OR(mnp_array_new(place->ctx, dtype, layout, &tall.q), st, done);
    MNP_TRY_OR(by_passes(place, a, &tall, done_p), st, done);
    if (!*done_p) {
        MNP_TRY_OR(mnp__array_copy_to(a, tall.q), st, done);
        MNP_TRY_OR(by_cholesky(place, tall.q, 0, &tall.r, done_p), st, done);
    }
    if (!*done_p && !place->stays) {
        MNP_TRY_OR(mnp__array_copy_to(a, tall.q), st, done);
        MNP_TRY_OR(by_reflectors(tall.q, &tall.r), st, done);
        *done_p = true;
    }
    if (*done_p) {
        *tall_p = tall;
        tall = (mnp__tall_qr){.q = NULL};
    }
done:
    mnp__tall_release(&tall);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp__tall_factor_in_doubles(const mnp__place *place, const mnp_array *a, mnp_dtype dtype,
                                       mnp__tall_qr *tall_p, bool *done_p)
{
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    const mnp_dtype twice = dtype == MNP_FLOAT32 ? MNP_FLOAT64 : MNP_COMPLEX128;
    const double enough = 4 * (double)FLT_EPSILON,
                 bytes = ((double)m + 2 * (double)n) * (double)n * (double)mnp_dtype_size(twice);
    mnp_layout *layout = NULL;
    mnp__tall_qr tall = {.q = NULL};
    mnp_array *wide = NULL, *r = NULL;
    bool fast;
    mnp_status st;
    *done_p = false;
    const bool alone = place->stays || place->ctx->comm.size == 1;
    if (!place->single || !alone || mnp__linalg_real(dtype) != MNP_FLOAT32 || m < n || n < LARGE)
        return MNP_OK;
    MNP_TRY(has_fast_doubles(place->ctx, &fast));
    int64_t memory = (int64_t)place->ctx->device->memory;
    MNP_TRY(mnp__all_reduce(&place->ctx->comm, &memory, 1, MPI_INT64_T, MPI_MIN)); /* all decide alike */
    if (!fast || bytes > (double)memory / SHARE)
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(place->ctx->device, "factoring a matrix"));
    MNP_TRY_OR(layout_of_rows(place, a, &layout), st, done);
    MNP_TRY_OR(mnp_array_new(place->ctx, twice, layout, &wide), st, done);
    MNP_TRY_OR(mnp__array_copy_to(a, wide), st, done);
    MNP_TRY_OR(by_cholesky(place, wide, enough, &r, done_p), st, done);
    if (*done_p) {
        MNP_TRY_OR(mnp_astype(wide, dtype, &tall.q), st, done);
        MNP_TRY_OR(mnp_astype(r, dtype, &tall.r), st, done);
        *tall_p = tall;
        tall = (mnp__tall_qr){.q = NULL};
    }
done:
    mnp__tall_release(&tall);
    mnp_free_all(r, wide);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp__tall_finish(const mnp__place *place, mnp__tall_qr *tall, const mnp_array *u)
{
    mnp_array *wide = NULL, *product = NULL;
    mnp_status st = MNP_OK;
    if (!tall->w && u) {
        MNP_TRY(mnp_matmul(tall->q, u, &product));
        mnp_array_free(tall->q);
        tall->q = product;
    }
    if (!tall->w)
        return MNP_OK;
    if (u) {
        MNP_TRY_OR(mnp_astype(u, MNP_FLOAT64, &wide), st, done);
        MNP_TRY_OR(mnp_matmul(tall->w, wide, &product), st, done);
    }
    MNP_TRY_OR(mnp__tall_passes_multiply(place, tall->q, u ? product : tall->w), st, done);
    mnp_array_free(tall->w);
    tall->w = NULL;
done:
    mnp_free_all(product, wide);
    return st;
}
