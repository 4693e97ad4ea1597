/* SPDX-License-Identifier: BSD-3-Clause */
/* Cholesky's factorisation, and systems by its factor. */
#include <maniple/create.h>
#include <maniple/decompositions.h>

#include "linalg/dense.h"

mnp_status mnp_cholesky(const mnp_array *a, bool upper, mnp_array **c_p)
{
    static const char function[] = "mnp_cholesky";
    MNP_ENTER(a, c_p);
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    mnp__dense work = {.array = NULL};
    mnp_array *info = NULL, *factor = NULL;
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, true));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &dtype));
    MNP_TRY(mnp__linalg_check_output(function, NULL, a->ctx, dtype, *c_p));
    MNP_TRY_OR(mnp__place_open(function, a, 0, NULL, &place), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&work);
    job.upper = upper;
    job.info = info->data;
    st = mnp__dense_run(&place, a->ctx->device->ops->lapack->potrf, &job);
    MNP_TRY_OR(mnp__dense_report(&place, info, MNP__NOT_POSITIVE, st), st, done);
    MNP_TRY_OR(upper ? mnp_triu(work.array, 0, &factor) : mnp_tril(work.array, 0, &factor), st, done);
    st = mnp__dense_give(&place, NULL, factor, c_p);
done:
    mnp_array_free(factor);
    mnp_array_free(info);
    mnp__dense_free(&work);
    mnp__place_close(&place);
    return st;
}
