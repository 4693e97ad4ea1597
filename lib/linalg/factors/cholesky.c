/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cholesky's factorisation.
 *
 * The device computes lower triangles alone: if transpose(A) = L L^H, then A = U^H U with U = transpose(L).
 */
#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/panels/panels.h"
#include "linalg/factors/systems.h"

mnp_status mnp__dense_potrf(const mnp__place *place, const mnp__dense *a)
{
    mnp_array *info;
    MNP_TRY(mnp__info_new(place, &info));
    mnp__lapack_job job = mnp__dense_job(a);
    job.info = info->data;
    mnp_status st = place->spread ? mnp__panels_potrf(place, a, info)
                                  : mnp__dense_run(place, place->ctx->device->ops->lapack->potrf, &job);
    st = mnp__dense_report(place, info, "is not positive definite: its leading minor of order %d is not positive", st);
    mnp_array_free(info);
    return st;
}

mnp_status mnp_cholesky(const mnp_array *a, bool upper, mnp_array **c_p)
{
    static const char function[] = "mnp_cholesky";
    MNP_ENTER(a, c_p);
    MNP_IN_BLOCKS(a);
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense work = {.array = NULL};
    mnp_array *turned = NULL, *factor = NULL, *transposed = NULL;
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 1, &(mnp__result){.user_p = c_p, .dims = "nn"}, &dtype, &place));
    MNP_TRY_OR(mnp__place_spread(a, &place), st, done);
    MNP_TRY_OR(mnp_swapaxes(a, -2, -1, &turned), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, upper ? turned : a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__dense_potrf(&place, &work), st, done);
    MNP_TRY_OR(mnp__dense_to_blocks(&place, &work), st, done);
    MNP_TRY_OR(mnp_tril(work.array, 0, &factor), st, done);
    MNP_TRY_OR(mnp_swapaxes(factor, -2, -1, &transposed), st, done);
    st = mnp__dense_give(&place, upper ? transposed : factor, c_p);
done:
    mnp_free_all(transposed, factor, turned);
    mnp__dense_free(&work);
    mnp__place_close(&place);
    return st;
}
