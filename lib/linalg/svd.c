/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Singular values and vectors.
 *
 * The device's operation wants matrices that are not wide.  The transpose of a wide matrix is not, and it has the
 * factors transposed: if transpose(A) = U S V^H, then A = transpose(V^H) S transpose(U).
 */
#include <maniple/decompositions.h>
#include <maniple/view.h>

#include "linalg/svd.h"

void mnp__svd_free(mnp__svd *svd)
{
    mnp_free_all(svd->u, svd->s, svd->vh);
    mnp__dense_free(&svd->left);
    mnp__dense_free(&svd->right);
    svd->u = svd->s = svd->vh = NULL;
}

/* Decompose copies of the matrices, which are not wide. */
static mnp_status decompose(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors, bool full,
                            mnp__svd *svd)
{
    mnp__dense work = {.array = NULL};
    mnp_array *info = NULL;
    mnp_status st;
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    MNP_TRY_OR(mnp__dense_read(place, a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__info_new(place, &info), st, done);
    MNP_TRY_OR(mnp__vectors_new(place, mnp__linalg_real(dtype), n, &svd->s), st, done);
    if (vectors) {
        MNP_TRY_OR(full && n == 0 ? mnp__dense_identity(place, dtype, m, &svd->left)
                                  : mnp__dense_new(place, dtype, m, full ? m : n, &svd->left),
                   st, done);
        MNP_TRY_OR(mnp__dense_new(place, dtype, n, n, &svd->right), st, done);
    }
    mnp__lapack_job job = mnp__dense_job(&work);
    job.values = svd->s->data;
    job.vectors = vectors;
    job.full = full;
    job.b = svd->left.of;
    job.c = svd->right.of;
    job.info = info->data;
    st = mnp__dense_run(place, place->ctx->device->ops->lapack->gesdd, &job);
    st = mnp__dense_report(place, info, "has singular values that were not found: the iteration did not converge", st);
done:
    mnp_array_free(info);
    mnp__dense_free(&work);
    return st;
}

mnp_status mnp__svd_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors, bool full,
                         mnp__svd *svd)
{
    mnp_array *turned = NULL;
    const bool wide = mnp__rows(a) < mnp__columns(a);
    mnp_status st;
    if (wide)
        MNP_TRY(mnp_swapaxes(a, -2, -1, &turned));
    MNP_TRY_OR(decompose(place, wide ? turned : a, dtype, vectors, full, svd), st, done);
    if (vectors) {
        const mnp_array *left = svd->left.array, *right = svd->right.array;
        MNP_TRY_OR(wide ? mnp_swapaxes(right, -2, -1, &svd->u) : mnp_index(left, "...", &svd->u), st, done);
        MNP_TRY_OR(wide ? mnp_swapaxes(left, -2, -1, &svd->vh) : mnp_index(right, "...", &svd->vh), st, done);
    }
done:
    mnp_array_free(turned);
    return st;
}

mnp_status mnp_svd(const mnp_array *a, bool full_matrices, mnp_array **u_p, mnp_array **s_p, mnp_array **vh_p)
{
    static const char function[] = "mnp_svd", *const names[] = {"u", "s", "vh"};
    MNP_ENTER(a, u_p, s_p, vh_p);
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    mnp__svd svd = {.s = NULL};
    mnp_array **const outs[] = {u_p, s_p, vh_p};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, false));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &dtype));
    MNP_TRY(mnp__output_check_distinct(function, 3, outs));
    for (int i = 0; i < 3; i++)
        MNP_TRY(
            mnp__linalg_check_output(function, names[i], a->ctx, i == 1 ? mnp__linalg_real(dtype) : dtype, *outs[i]));
    MNP_TRY_OR(mnp__place_open(function, a, 0, NULL, &place), st, done);
    MNP_TRY_OR(mnp__svd_make(&place, a, dtype, true, full_matrices, &svd), st, done);
    st = mnp__dense_give_all(&place, 3, names, (mnp_array *const[]){svd.u, svd.s, svd.vh}, outs);
done:
    mnp__svd_free(&svd);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_svdvals(const mnp_array *a, mnp_array **s_p)
{
    static const char function[] = "mnp_svdvals";
    MNP_ENTER(a, s_p);
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    mnp__svd svd = {.s = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, a, false));
    MNP_TRY(mnp__linalg_dtype(function, a->dtype, &dtype));
    MNP_TRY(mnp__linalg_check_output(function, NULL, a->ctx, mnp__linalg_real(dtype), *s_p));
    MNP_TRY_OR(mnp__place_open(function, a, 0, NULL, &place), st, done);
    MNP_TRY_OR(mnp__svd_make(&place, a, dtype, false, false, &svd), st, done);
    st = mnp__dense_give(&place, NULL, svd.s, s_p);
done:
    mnp__svd_free(&svd);
    mnp__place_close(&place);
    return st;
}
