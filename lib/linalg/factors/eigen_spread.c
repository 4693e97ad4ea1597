/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eigenvalues and eigenvectors of one Hermitian matrix that all ranks hold together.
 *
 * As ScaLAPACK's pheevd: A = Q T Q^H with a tridiagonal T (panels_hetrd.c); T = Z D Z^T by LAPACK's divide and conquer
 * (Gu and Eisenstat: A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem, 1995), or for the values
 * alone by the QL iteration, in float64, on rank 0, which sends them to all; and then each rank has its own columns of
 * Q Z.
 *
 * Cost for n x n over p ranks: (4/3 + 2) n^3 / p operations, and on rank 0 up to 4/3 n^3 for T, less where eigenvalues
 * of its parts agree; the memory of two matrices of n x n in float64 beside the rank's share of two.
 */
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/view.h>

#include "linalg/factors/spread.h"
#include "linalg/panels/panels_hetrd.h"
#include "linalg/panels/panels_qr.h"

/* Both triangles of the matrix of which one is given; the diagonal is real. */
static mnp_status make_whole(const mnp_array *a, bool upper, mnp_array **whole_p)
{
    mnp_array *with = NULL, *without = NULL, *turned = NULL, *ones = NULL;
    mnp_ctx *ctx = a->ctx;
    mnp_status st;
    MNP_TRY_OR(upper ? mnp_triu(a, 0, &with) : mnp_tril(a, 0, &with), st, done);
    MNP_TRY_OR(upper ? mnp_triu(a, 1, &without) : mnp_tril(a, -1, &without), st, done);
    MNP_TRY_OR(mnp_swapaxes(without, 0, 1, &turned), st, done);
    MNP_TRY_OR(mnp_eye(ctx, MNP_BOOL, mnp__rows(a), mnp__rows(a), 0, &ones), st, done);
    st = mnp_eval(ctx, "z = where(one, real(w), w + conj(t))", MNP_IN("one", ones, "w", with, "t", turned),
                  MNP_OUT("z", whole_p));
done:
    mnp_free_all(ones, turned, without, with);
    return st;
}

/* The eigenvalues d of T, whose diagonals rank 0 has, and unless z is NULL its vectors; on all ranks. */
static mnp_status solve_tridiagonal(const mnp__place *place, int64_t n, double *d, double *e, double *z, int *info_p)
{
    mnp_ctx *ctx = place->ctx;
    MNP_TRY(MNP_AGREE(ctx, ctx->comm.rank == 0 ? mnp__lapack_tridiagonal(ctx->device, n, d, e, z, info_p) : MNP_OK));
    MNP_TRY(mnp__broadcast(&ctx->comm, info_p, sizeof *info_p, 0));
    MNP_TRY(mnp__spread_share(ctx, d, n));
    return mnp__spread_share(ctx, z, n * n);
}

mnp_status mnp__spread_eigh(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool upper,
                            mnp_array **values_p, mnp__dense *vectors, bool *done_p)
{
    const int64_t n = mnp__rows(a);
    mnp_ctx *ctx = place->ctx;
    mnp_array *whole = NULL, *factors = NULL, *info = NULL;
    mnp__dense work = {.array = NULL};
    double *d = NULL, *z = NULL;
    int exponent = 0, reported = 0;
    mnp_status st;
    MNP_TRY_OR(make_whole(a, upper, &whole), st, done);
    MNP_TRY_OR(mnp__spread_scale(whole, dtype, &exponent, done_p), st, done);
    if (!*done_p)
        goto done;
    MNP_TRY_OR(mnp__spread_read(place, whole, dtype, exponent, &work), st, done);
    mnp_array_free(whole);
    whole = NULL;
    MNP_TRY_OR(mnp__vectors_new(place, dtype, n - 1, &factors), st, done);
    st = mnp__calloc((size_t)(2 * n), sizeof *d, &d);
    if (st == MNP_OK && vectors)
        st = mnp__malloc((size_t)(n * n) * sizeof *z, &z);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp__panels_hetrd(place, &work, factors, d, d + n), st, done);
    MNP_TRY_OR(solve_tridiagonal(place, n, d, d + n, z, &reported), st, done);
    MNP_TRY_OR(mnp__spread_info(place, reported, &info), st, done);
    MNP_TRY_OR(mnp__dense_report(place, info, MNP__VALUES_NOT_FOUND, MNP_OK), st, done);
    MNP_TRY_OR(mnp__spread_values(place, mnp__linalg_real(dtype), n, d, exponent, values_p), st, done);
    if (!vectors)
        goto done;
    MNP_TRY_OR(mnp__spread_columns(place, dtype, n, n, n, z, false, vectors), st, done);
    free(z);
    z = NULL;
    st = mnp__panels_ormqr(place, &work, 1, factors, false, false, vectors);
done:
    free(z);
    free(d);
    mnp_free_all(info, factors, whole);
    mnp__dense_free(&work);
    return st;
}
