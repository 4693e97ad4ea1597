/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues and eigenvectors of Hermitian and of general matrices. */
#include <maniple/decompositions.h>

#include "linalg/dense.h"

#define NOT_FOUND "has eigenvalues that were not found: the iteration did not converge for %d of them"

/* v_p NULL: the values alone. */
static mnp_status hermitian(const char *function, const mnp_array *a, bool upper, mnp_array **w_p, mnp_array **v_p)
{
    static const char *const names[] = {"w", "v"};
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    mnp__dense vectors = {.array = NULL};
    mnp_array *info = NULL, *values = NULL, **const outs[] = {w_p, v_p};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, true));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &dtype));
    MNP_TRY(mnp__linalg_check_output(function, v_p ? "w" : NULL, a->ctx, mnp__linalg_real(dtype), *w_p));
    if (v_p)
        MNP_TRY(mnp__linalg_check_output(function, "v", a->ctx, dtype, *v_p));
    MNP_TRY_OR(mnp__place_open(function, a, 0, NULL, &place), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &vectors), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, mnp__linalg_real(dtype), vectors.n, &values), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&vectors);
    job.upper = upper;
    job.vectors = v_p != NULL;
    job.values = values->data;
    job.info = info->data;
    st = mnp__dense_run(&place, a->ctx->device->ops->lapack->heevd, &job);
    MNP_TRY_OR(mnp__dense_report(&place, info, NOT_FOUND, st), st, done);
    st =
        mnp__dense_give_all(&place, v_p ? 2 : 1, v_p ? names : NULL, (mnp_array *const[]){values, vectors.array}, outs);
done:
    mnp_free_all(info, values);
    mnp__dense_free(&vectors);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_eigh(const mnp_array *a, bool upper, mnp_array **w_p, mnp_array **v_p)
{
    MNP_ENTER(a, w_p, v_p);
    MNP_TRY(mnp__output_check_distinct("mnp_eigh", 2, (mnp_array * *const[]){w_p, v_p}));
    return hermitian("mnp_eigh", a, upper, w_p, v_p);
}

mnp_status mnp_eigvalsh(const mnp_array *a, bool upper, mnp_array **w_p)
{
    MNP_ENTER(a, w_p);
    return hermitian("mnp_eigvalsh", a, upper, w_p, NULL);
}

/* v_p NULL: the values alone. */
static mnp_status general(const char *function, const mnp_array *a, mnp_array **w_p, mnp_array **v_p)
{
    static const char *const names[] = {"w", "v"};
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    mnp__dense work = {.array = NULL}, vectors = {.array = NULL};
    mnp_array *info = NULL, *values = NULL, **const outs[] = {w_p, v_p};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, true));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &dtype));
    const mnp_dtype result = mnp__linalg_complex(dtype);
    MNP_TRY(mnp__linalg_check_output(function, v_p ? "w" : NULL, a->ctx, result, *w_p));
    if (v_p)
        MNP_TRY(mnp__linalg_check_output(function, "v", a->ctx, result, *v_p));
    MNP_TRY_OR(mnp__place_open(function, a, 0, NULL, &place), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, result, work.n, &values), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, result, v_p ? work.n : 0, v_p ? work.n : 0, &vectors), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&work);
    job.vectors = v_p != NULL;
    job.b = vectors.of;
    job.values = values->data;
    job.info = info->data;
    st = mnp__dense_run(&place, a->ctx->device->ops->lapack->geev, &job);
    MNP_TRY_OR(mnp__dense_report(&place, info, NOT_FOUND, st), st, done);
    st =
        mnp__dense_give_all(&place, v_p ? 2 : 1, v_p ? names : NULL, (mnp_array *const[]){values, vectors.array}, outs);
done:
    mnp_free_all(info, values);
    mnp__dense_free(&vectors);
    mnp__dense_free(&work);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_eig(const mnp_array *a, mnp_array **w_p, mnp_array **v_p)
{
    MNP_ENTER(a, w_p, v_p);
    MNP_TRY(mnp__output_check_distinct("mnp_eig", 2, (mnp_array * *const[]){w_p, v_p}));
    return general("mnp_eig", a, w_p, v_p);
}

mnp_status mnp_eigvals(const mnp_array *a, mnp_array **w_p)
{
    MNP_ENTER(a, w_p);
    return general("mnp_eigvals", a, w_p, NULL);
}
