/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Singular values and vectors of one matrix that all ranks hold together, and that is not wide.
 *
 * A = Q B P^H with a bidiagonal B (panels_gebrd.c); B = U S V^T by LAPACK's divide and conquer (Gu and Eisenstat: A
 * divide-and-conquer algorithm for the bidiagonal SVD, 1995), or for the values alone by the QR iteration, in float64,
 * on rank 0, which sends them to all; and then each rank has its own columns of Q U and P V.  Where divide and conquer
 * leaves vectors that are not orthogonal, as it can where many values agree, the QR iteration finds the vectors too.
 *
 * Cost for n x n over p ranks: (8/3 + 4) n^3 / p operations, and on rank 0 up to 8/3 n^3 for B; the memory of five
 * matrices of n x n in float64 beside the rank's share of four.
 */
#include <stdlib.h>

#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "linalg/factors/spread.h"
#include "linalg/panels/panels_gebrd.h"
#include "linalg/panels/panels_qr.h"

/* What is left of the reduction: reflectors of both sides, and B, on the CPU, whose vectors u and vt are n x n. */
typedef struct reduced {
    mnp__dense left, right;
    mnp_array *left_factors, *right_factors;
    double *d, *e, *u, *vt;
} reduced;

static void release(reduced *b)
{
    mnp__dense_free(&b->left);
    mnp__dense_free(&b->right);
    mnp_free_all(b->left_factors, b->right_factors);
    free(b->d);
    free(b->e);
    free(b->u);
    free(b->vt);
}

/* Reduce a copy of the matrix, times 2^exponent.  Release also after a failure. */
static mnp_status reduce(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, int exponent, bool vectors,
                         reduced *b)
{
    const int64_t n = mnp__columns(a);
    const size_t square = vectors ? (size_t)(n * n) : 1;
    MNP_TRY(mnp__spread_read(place, a, dtype, exponent, &b->left));
    MNP_TRY(mnp__dense_new(place, dtype, n, n, &b->right));
    MNP_TRY(mnp__vectors_new(place, dtype, n, &b->left_factors));
    MNP_TRY(mnp__vectors_new(place, dtype, n - 1, &b->right_factors));
    mnp_status st = mnp__calloc((size_t)n, sizeof *b->d, &b->d);
    if (st == MNP_OK)
        st = mnp__calloc((size_t)n, sizeof *b->e, &b->e);
    if (st == MNP_OK)
        st = mnp__malloc(square * sizeof *b->u, &b->u);
    if (st == MNP_OK)
        st = mnp__malloc(square * sizeof *b->vt, &b->vt);
    MNP_TRY(MNP_AGREE(place->ctx, st));
    return mnp__panels_gebrd(place, &b->left, b->left_factors, &b->right, b->right_factors, b->d, b->e);
}

/* The singular values and vectors of B, whose diagonals rank 0 has; on all ranks. */
static mnp_status solve_bidiagonal(const mnp__place *place, int64_t n, bool vectors, reduced *b)
{
    mnp_ctx *ctx = place->ctx;
    mnp_array *info = NULL;
    int reported = 0;
    mnp_status st = MNP_OK;
    if (ctx->comm.rank == 0)
        st = mnp__lapack_bidiagonal(ctx->device, n, b->d, b->e, vectors ? b->u : NULL, vectors ? b->vt : NULL,
                                    &reported);
    MNP_TRY(MNP_AGREE(ctx, st));
    MNP_TRY(mnp__broadcast(&ctx->comm, &reported, sizeof reported, 0));
    MNP_TRY(mnp__spread_share(ctx, b->d, n));
    MNP_TRY(mnp__spread_share(ctx, vectors ? b->u : NULL, n * n));
    MNP_TRY(mnp__spread_share(ctx, vectors ? b->vt : NULL, n * n));
    MNP_TRY_OR(mnp__spread_info(place, reported, &info), st, done);
    st = mnp__dense_report(place, info, MNP__SINGULAR_VALUES_NOT_FOUND, MNP_OK);
done:
    mnp_array_free(info);
    return st;
}

/* V^H of V. */
static mnp_status turn(const mnp__dense *v, mnp_array **vh_p)
{
    mnp_array *conjugate = NULL;
    if (mnp_dtype_kind(v->array->dtype) != 'c')
        return mnp_swapaxes(v->array, -2, -1, vh_p);
    MNP_TRY(mnp_conjugate(v->array, &conjugate));
    const mnp_status st = mnp_swapaxes(conjugate, -2, -1, vh_p);
    mnp_array_free(conjugate);
    return st;
}

mnp_status mnp__spread_svd(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool full, mnp_array **s_p,
                           mnp__dense *u, mnp_array **vh_p, bool *done_p)
{
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    const bool vectors = u != NULL;
    reduced b = {.d = NULL};
    mnp__dense v = {.array = NULL};
    int exponent = 0;
    mnp_status st;
    MNP_TRY_OR(mnp__spread_scale(a, dtype, &exponent, done_p), st, done);
    if (!*done_p)
        goto done;
    MNP_TRY_OR(reduce(place, a, dtype, exponent, vectors, &b), st, done);
    MNP_TRY_OR(solve_bidiagonal(place, n, vectors, &b), st, done);
    MNP_TRY_OR(mnp__spread_values(place, mnp__linalg_real(dtype), n, b.d, exponent, s_p), st, done);
    if (!vectors)
        goto done;
    MNP_TRY_OR(mnp__spread_columns(place, dtype, m, full ? m : n, n, b.u, false, u), st, done);
    MNP_TRY_OR(mnp__panels_ormqr(place, &b.left, 0, b.left_factors, false, false, u), st, done);
    MNP_TRY_OR(mnp__dense_to_blocks(place, u), st, done);
    MNP_TRY_OR(mnp__spread_columns(place, dtype, n, n, n, b.vt, true, &v), st, done);
    MNP_TRY_OR(mnp__panels_ormqr(place, &b.right, 1, b.right_factors, false, false, &v), st, done);
    MNP_TRY_OR(mnp__dense_to_blocks(place, &v), st, done);
    st = turn(&v, vh_p);
done:
    mnp__dense_free(&v);
    release(&b);
    return st;
}
