/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eigenvalues and eigenvectors of one Hermitian matrix that all ranks hold together.
 *
 * As ScaLAPACK's pheevd: A = Q T Q^H with a tridiagonal T (panels_hetrd.c); T = Z D Z^T by LAPACK's divide and conquer
 * (Gu and Eisenstat: A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem, 1995), or for the
 * values alone by the QL iteration, in float64, on rank 0, which sends them to all; and then each rank has its own
 * columns of Q Z.  A range of k eigenvalues is found by bisection, and its vectors by inverse iteration, so that Z has
 * k columns.
 *
 * Cost for n x n over p ranks: (4/3 + 2) n^3 / p operations, and on rank 0 up to 4/3 n^3 for T, less where eigenvalues
 * of its parts agree; the memory of two matrices of n x n in float64 beside the rank's share of two.  For a range
 * (4/3 n + 2 k) n^2 / p operations, on rank 0 some n k, and n k numbers in float64.
 */
#include <math.h>
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/view.h>

#include "linalg/factors/spread.h"
#include "linalg/panels/panels_hetrd.h"
#include "linalg/panels/panels_qr.h"

mnp_status mnp__hermitian_whole(const mnp_array *a, bool upper, mnp_array **whole_p)
{
    mnp_array *with = NULL, *without = NULL, *turned = NULL, *ones = NULL;
    mnp_ctx *ctx = a->ctx;
    mnp_status st;
    MNP_TRY_OR(upper ? mnp_triu(a, 0, &with) : mnp_tril(a, 0, &with), st, done);
    MNP_TRY_OR(upper ? mnp_triu(a, 1, &without) : mnp_tril(a, -1, &without), st, done);
    MNP_TRY_OR(mnp_swapaxes(without, -2, -1, &turned), st, done);
    MNP_TRY_OR(mnp_eye(ctx, MNP_BOOL, mnp__rows(a), mnp__rows(a), 0, &ones), st, done);
    st = mnp_eval(ctx, "z = where(one, real(w), w + conj(t))", MNP_IN("one", ones, "w", with, "t", turned),
                  MNP_OUT("z", whole_p));
done:
    mnp_free_all(ones, turned, without, with);
    return st;
}

/* T, whose diagonals every rank has, and what rank 0 finds of it: `count` eigenvalues, and vectors (n x count). */
typedef struct tridiagonal {
    int64_t n, count;
    double *d, *e, *values, *z; /* z NULL: not wanted, or not there yet */
    bool vectors;
    int info;
} tridiagonal;

/* LAPACK's part: all eigenvalues, which it leaves in d, or a range of those of T times 2^exponent. */
static mnp_status solve_alone(mnp__device *device, const mnp__eigen_range *range, int exponent, tridiagonal *t)
{
    if (range) {
        mnp__eigen_range scaled = *range;
        scaled.low = ldexp(range->low, exponent);
        scaled.high = ldexp(range->high, exponent);
        scaled.count_p = &t->count;
        return mnp__lapack_tridiagonal_range(device, t->n, t->d, t->e, &scaled, t->values, t->vectors ? &t->z : NULL,
                                             &t->info);
    }
    if (t->vectors)
        MNP_TRY(mnp__malloc((size_t)(t->n * t->n) * sizeof *t->z, &t->z));
    t->count = t->n;
    t->values = t->d;
    return mnp__lapack_tridiagonal(device, t->n, t->d, t->e, t->z, &t->info);
}

/* The same, on all ranks. */
static mnp_status solve_tridiagonal(const mnp__place *place, const mnp__eigen_range *range, int exponent,
                                    tridiagonal *t)
{
    mnp_ctx *ctx = place->ctx;
    mnp_status st = MNP_OK;
    MNP_TRY(MNP_AGREE(ctx, ctx->comm.rank == 0 ? solve_alone(ctx->device, range, exponent, t) : MNP_OK));
    MNP_TRY(mnp__broadcast(&ctx->comm, &t->info, sizeof t->info, 0));
    MNP_TRY(mnp__broadcast(&ctx->comm, &t->count, sizeof t->count, 0));
    MNP_TRY(mnp__spread_share(ctx, t->values, t->count));
    if (!t->vectors || t->info != 0)
        return MNP_OK;
    if (!t->z)
        st = mnp__malloc((size_t)(t->n * t->count + 1) * sizeof *t->z, &t->z);
    MNP_TRY(MNP_AGREE(ctx, st));
    return mnp__spread_share(ctx, t->z, t->n * t->count);
}

/* A matrix that is condensed: T, and the reflectors of Q with their factors. */
static mnp_status condense(const mnp__place *place, mnp_array *whole, mnp_dtype dtype, int exponent, mnp__dense *work,
                           mnp_array **factors_p, tridiagonal *t)
{
    MNP_TRY(mnp__spread_read(place, whole, dtype, exponent, work));
    MNP_TRY(mnp__vectors_new(place, dtype, t->n - 1, factors_p));
    MNP_TRY(MNP_AGREE(place->ctx, mnp__calloc((size_t)(3 * t->n), sizeof *t->d, &t->d)));
    t->e = t->d + t->n;
    t->values = t->e + t->n;
    return mnp__panels_hetrd(place, work, *factors_p, t->d, t->e);
}

mnp_status mnp__spread_eigh(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool upper,
                            const mnp__eigen_range *range, mnp_array **values_p, mnp__dense *vectors, bool *done_p)
{
    tridiagonal t = {.n = mnp__rows(a), .vectors = vectors != NULL};
    mnp_array *whole = NULL, *factors = NULL, *info = NULL;
    mnp__dense work = {.array = NULL};
    int exponent = 0;
    mnp_status st;
    MNP_TRY_OR(mnp__hermitian_whole(a, upper, &whole), st, done);
    MNP_TRY_OR(mnp__spread_scale(whole, dtype, &exponent, done_p), st, done);
    if (!*done_p)
        goto done;
    MNP_TRY_OR(condense(place, whole, dtype, exponent, &work, &factors, &t), st, done);
    mnp_array_free(whole);
    whole = NULL;
    MNP_TRY_OR(solve_tridiagonal(place, range, exponent, &t), st, done);
    MNP_TRY_OR(mnp__spread_info(place, t.info, &info), st, done);
    MNP_TRY_OR(mnp__dense_report(place, info, MNP__VALUES_NOT_FOUND, MNP_OK), st, done);
    MNP_TRY_OR(mnp__spread_values(place, mnp__linalg_real(dtype), t.count, t.values, exponent, values_p), st, done);
    if (!vectors)
        goto done;
    MNP_TRY_OR(mnp__spread_columns(place, dtype, t.n, t.count, t.n, t.z, false, vectors), st, done);
    free(t.z);
    t.z = NULL;
    if (t.count > 0)
        st = mnp__panels_ormqr(place, &work, 1, factors, false, false, vectors);
done:
    free(t.z);
    free(t.d);
    mnp_free_all(info, factors, whole);
    mnp__dense_free(&work);
    return st;
}
