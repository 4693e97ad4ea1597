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
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/factors/eigen.h"
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
static mnp_status solve_tridiagonal(mnp_ctx *ctx, const mnp__eigen_range *range, int exponent, tridiagonal *t)
{
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
    MNP_TRY_OR(solve_tridiagonal(place->ctx, range, exponent, &t), st, done);
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

/* ---- tridiagonal matrices of the caller ---- */

static mnp_status check_diagonals(const char *function, const mnp_array *d, const mnp_array *e, mnp_dtype *dtype_p)
{
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){d, e}));
    if (d->layout->ndim != 1 || e->layout->ndim != 1 ||
        e->layout->shape[0] != (d->layout->shape[0] > 0 ? d->layout->shape[0] - 1 : 0))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: d and e of %d and %d dimensions, with %" PRId64 " and %" PRId64
                        " elements, are not the diagonals of a matrix",
                        function, d->layout->ndim, e->layout->ndim, d->layout->size, e->layout->size);
    MNP_TRY(mnp__linalg_common_dtype(function, d, e, dtype_p));
    if (mnp_dtype_kind(*dtype_p) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: d and e must be real", function);
    return MNP_OK;
}

/* Both diagonals on every rank, which are finite. */
static mnp_status read_diagonals(const char *function, const mnp_array *d, const mnp_array *e, tridiagonal *t)
{
    MNP_TRY(MNP_AGREE(d->ctx, mnp__calloc((size_t)(3 * t->n + 1), sizeof *t->d, &t->d)));
    t->e = t->d + t->n;
    t->values = t->e + t->n;
    MNP_TRY(mnp_array_to_host_as(d, -1, MNP_FLOAT64, t->d));
    MNP_TRY(mnp_array_to_host_as(e, -1, MNP_FLOAT64, t->e));
    for (int64_t i = 0; i < 2 * t->n; i++)
        if (!isfinite(t->d[i]))
            return MNP_FAIL(MNP_ERR_LINALG, "%s: d or e has elements that are not finite", function);
    return MNP_OK;
}

/* MNP_ERR_ARG unless the outputs can take so many values and vectors. */
static mnp_status check_outputs(const char *function, const mnp_array *d, mnp_dtype dtype, int64_t count,
                                mnp_array *const *w_p, mnp_array *const *v_p)
{
    const int64_t shape[2] = {d->layout->shape[0], count};
    const mnp__output_spec
        of_w = {.function = function, .name = "w", .ctx = d->ctx, .dtype = dtype, .ndim = 1, .shape = &count},
        of_v = {.function = function, .name = "v", .ctx = d->ctx, .dtype = dtype, .ndim = 2, .shape = shape};
    MNP_TRY(mnp__output_check(&of_w, *w_p));
    return v_p ? mnp__output_check(&of_v, *v_p) : MNP_OK;
}

/* What was found, as arrays of a dtype. */
static mnp_status give(mnp_ctx *ctx, const tridiagonal *t, mnp_dtype dtype, mnp_array **w_p, mnp_array **v_p)
{
    const int64_t shape[2] = {t->n, t->count}, strides[2] = {1, t->n};
    mnp_array *values = NULL, *vectors = NULL, *made[2] = {NULL, NULL};
    mnp_status st;
    MNP_TRY_OR(mnp_array_from_host(ctx, MNP_FLOAT64, 1, &t->count, t->values, &values), st, done);
    MNP_TRY_OR(mnp_astype(values, dtype, &made[0]), st, done);
    if (t->vectors) {
        MNP_TRY_OR(mnp_array_from_host_strided(ctx, MNP_FLOAT64, 2, shape, t->z, strides, &vectors), st, done);
        MNP_TRY_OR(mnp_astype(vectors, dtype, &made[1]), st, done);
    }
    mnp__output outputs[2] = {{.array = made[0], .user_p = w_p}, {.array = made[1], .user_p = v_p}};
    made[0] = made[1] = NULL;
    st = mnp__output_close(t->vectors ? 2 : 1, outputs, MNP_OK);
done:
    mnp_free_all(made[1], made[0], vectors, values);
    return st;
}

mnp_status mnp_eigh_tridiagonal(const mnp_array *d, const mnp_array *e, mnp_subset subset, double from, double to,
                                mnp_array **w_p, mnp_array **v_p)
{
    static const char function[] = "mnp_eigh_tridiagonal";
    MNP_ENTER(d, e, w_p);
    MNP_NEED_OR_NULL(v_p);
    MNP_IN_BLOCKS(d);
    MNP_IN_BLOCKS(e);
    tridiagonal t = {.vectors = v_p != NULL};
    mnp__eigen_range range;
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(check_diagonals(function, d, e, &dtype));
    t.n = d->layout->shape[0];
    MNP_TRY(mnp__eigen_range_of(function, t.n, subset, from, to, &range));
    MNP_TRY(mnp__output_check_distinct(function, 2, (mnp_array * *const[]){w_p, v_p}));
    if (!range.by_value)
        MNP_TRY(check_outputs(function, d, dtype, range.last + 1 - range.first, w_p, v_p));
    MNP_TRY_OR(read_diagonals(function, d, e, &t), st, done);
    if (t.n > 0)
        MNP_TRY_OR(solve_tridiagonal(d->ctx, subset == MNP_SUBSET_ALL ? NULL : &range, 0, &t), st, done);
    if (t.info != 0) {
        st = MNP_FAIL(MNP_ERR_LINALG, "%s: the iteration for the eigenvalues did not converge", function);
        goto done;
    }
    MNP_TRY_OR(check_outputs(function, d, dtype, t.count, w_p, v_p), st, done);
    st = give(d->ctx, &t, dtype, w_p, v_p);
done:
    free(t.z);
    free(t.d);
    return st;
}
