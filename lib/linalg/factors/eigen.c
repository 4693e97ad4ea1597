/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues and eigenvectors of Hermitian and of general matrices. */
#include <maniple/decompositions.h>

#include "linalg/factors/spread.h"

/*
 * One Hermitian matrix that is cut, by all ranks; *found_p is false, and the place as it was, if there is none, or if
 * it has NaN or infinities.
 */
static mnp_status find_spread(const mnp_array *a, mnp_dtype dtype, bool upper, const mnp__result *results,
                              const mnp__place *place, bool *found_p)
{
    mnp__place spread;
    mnp__dense vectors = {.array = NULL};
    mnp_array *values = NULL;
    mnp_status st;
    MNP_TRY(mnp__place_open(place->function, a, 0, NULL, &spread));
    spread.widest = MNP__CONDENSED_WIDTH;
    MNP_TRY_OR(mnp__place_spread(a, &spread), st, done);
    if (!spread.spread)
        goto done;
    MNP_TRY_OR(mnp__spread_eigh(&spread, a, dtype, upper, &values, results[1].user_p ? &vectors : NULL, found_p), st,
               done);
    if (!*found_p)
        goto done;
    MNP_TRY_OR(mnp__dense_to_blocks(&spread, &vectors), st, done);
    st = mnp__dense_give_all(&spread, 2, results, (mnp_array *const[]){values, vectors.array});
done:
    mnp_array_free(values);
    mnp__dense_free(&vectors);
    mnp__place_close(&spread);
    return st;
}

/*
 * Both kinds of matrices: w and v as of mnp_eigh(), or with `general` of mnp_eig(), whose results are complex.  v_p
 * NULL: the values alone.
 */
static mnp_status find(const char *function, const mnp_array *a, bool general, bool upper, mnp_array **w_p,
                       mnp_array **v_p)
{
    const mnp__result results[] = {{v_p ? "w" : NULL, w_p, general ? MNP__AS_COMPLEX : MNP__AS_REAL, "n"},
                                   {"v", v_p, general ? MNP__AS_COMPLEX : MNP__AS_COMPUTED, "nn"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense work = {.array = NULL}, vectors = {.array = NULL};
    mnp_array *info = NULL, *values = NULL;
    bool found = false;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__linalg_begin(function, a, true, 2, results, &dtype, &place));
    const mnp__lapack_ops *lapack = a->ctx->device->ops->lapack;
    const mnp_dtype wide = mnp__linalg_complex(dtype);
    if (!general && mnp__rows(a) >= mnp__spread_worth(a->ctx, false))
        MNP_TRY_OR(find_spread(a, dtype, upper, results, &place, &found), st, done);
    if (found)
        goto done;
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, general ? wide : mnp__linalg_real(dtype), work.n, &values), st, done);
    if (general) /* the vectors of Hermitian matrices take the place of these */
        MNP_TRY_OR(mnp__dense_new(&place, wide, v_p ? work.n : 0, v_p ? work.n : 0, &vectors), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&work);
    job.upper = upper;
    job.vectors = v_p != NULL;
    job.b = vectors.of;
    job.values = values->data;
    job.info = info->data;
    st = mnp__dense_run(&place, general ? lapack->geev : lapack->heevd, &job);
    MNP_TRY_OR(mnp__dense_report(&place, info, MNP__VALUES_NOT_FOUND, st), st, done);
    st = mnp__dense_give_all(&place, 2, results, (mnp_array *const[]){values, general ? vectors.array : work.array});
done:
    mnp_free_all(info, values);
    mnp__dense_free(&vectors);
    mnp__dense_free(&work);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_eigh(const mnp_array *a, bool upper, mnp_array **w_p, mnp_array **v_p)
{
    MNP_ENTER(a, w_p, v_p);
    return find("mnp_eigh", a, false, upper, w_p, v_p);
}

mnp_status mnp_eigvalsh(const mnp_array *a, bool upper, mnp_array **w_p)
{
    MNP_ENTER(a, w_p);
    return find("mnp_eigvalsh", a, false, upper, w_p, NULL);
}

mnp_status mnp_eig(const mnp_array *a, mnp_array **w_p, mnp_array **v_p)
{
    MNP_ENTER(a, w_p, v_p);
    return find("mnp_eig", a, true, false, w_p, v_p);
}

mnp_status mnp_eigvals(const mnp_array *a, mnp_array **w_p)
{
    MNP_ENTER(a, w_p);
    return find("mnp_eigvals", a, true, false, w_p, NULL);
}
