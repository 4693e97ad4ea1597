/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancing, and the decomposition in cosines and sines, by the CPU's LAPACK: cuSOLVER has neither. */
#include <inttypes.h>

#include <maniple/decompositions.h>

#include "array/input.h"
#include "base/integer.h"
#include "linalg/cpu/on_cpu.h"

#define NOT_FINITE "has elements that are not finite"

mnp_status mnp_matrix_balance(const mnp_array *a, bool permute, bool scale, mnp_array **b_p, mnp_array **scale_p,
                              mnp_array **perm_p)
{
    static const char function[] = "mnp_matrix_balance";
    MNP_ENTER(a, b_p, scale_p, perm_p);
    MNP_IN_BLOCKS(a);
    const mnp__result results[] = {{"b", b_p, MNP__AS_COMPUTED, "nn"},
                                   {"scale", scale_p, MNP__AS_REAL, "n"},
                                   {"perm", perm_p, MNP__AS_INT32, "n"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense work = {.array = NULL};
    mnp_array *scales = NULL, *order = NULL, *info = NULL;
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 3, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, mnp__linalg_real(dtype), work.n, &scales), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, MNP_INT32, work.n, &order), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&work);
    job.op = permute && scale ? 'B' : permute ? 'P' : scale ? 'S' : 'N';
    st = mnp__on_cpu_run(
        &place, mnp__host_lapack.gebal, job,
        (const mnp_array *const[MNP__JOB_ARRAYS]){
            [MNP__JOB_A] = work.array, [MNP__JOB_VALUES] = scales, [MNP__JOB_PIVOTS] = order, [MNP__JOB_INFO] = info});
    MNP_TRY_OR(mnp__dense_report(&place, info, NOT_FINITE, st), st, done);
    st = mnp__dense_give_all(&place, 3, results, (mnp_array *const[]){work.array, scales, order});
done:
    mnp_free_all(info, order, scales);
    mnp__dense_free(&work);
    mnp__place_close(&place);
    return st;
}

/* The first block of an orthogonal matrix has rows and columns, and the last one too.  Not collective. */
static mnp_status check_block(const char *function, int64_t n, int64_t p, int64_t q)
{
    if (p < 1 || p >= n || q < 1 || q >= n)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: p is %" PRId64 " and q is %" PRId64 ", and both must be above 0 and below %" PRId64
                        ", the number of rows",
                        function, p, q, n);
    return MNP_OK;
}

mnp_status mnp_cossin(const mnp_array *x, int64_t p, int64_t q, bool swap_sign, mnp_array **u_p, mnp_array **theta_p,
                      mnp_array **vh_p)
{
    static const char function[] = "mnp_cossin";
    MNP_ENTER(x, u_p, theta_p, vh_p);
    MNP_IN_BLOCKS(x);
    const mnp__result results[] = {{"u", u_p, MNP__AS_COMPUTED, "nn"},
                                   {"theta", theta_p, MNP__AS_REAL, NULL},
                                   {"vh", vh_p, MNP__AS_COMPUTED, "nn"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense work = {.array = NULL}, u = {.array = NULL}, vh = {.array = NULL};
    mnp_array *theta = NULL, *info = NULL;
    mnp_status st;
    MNP_TRY(mnp__linalg_check(function, x, true));
    const int64_t n = mnp__rows(x);
    MNP_TRY(check_block(function, n, p, q));
    MNP_TRY(mnp__linalg_begin(function, x, true, 3, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(x->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, x, dtype, &work), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, dtype, n, n, &u), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, dtype, n, n, &vh), st, done);
    MNP_TRY_OR(
        mnp__vectors_new(&place, mnp__linalg_real(dtype), mnp__min(mnp__min(p, n - p), mnp__min(q, n - q)), &theta), st,
        done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&work);
    job.b = u.of;
    job.c = vh.of;
    job.k = p;
    job.m = q;
    job.upper = !swap_sign;
    st = mnp__on_cpu_run(&place, mnp__host_lapack.orcsd, job,
                         (const mnp_array *const[MNP__JOB_ARRAYS]){[MNP__JOB_A] = work.array,
                                                                   [MNP__JOB_B] = u.array,
                                                                   [MNP__JOB_C] = vh.array,
                                                                   [MNP__JOB_VALUES] = theta,
                                                                   [MNP__JOB_INFO] = info});
    MNP_TRY_OR(mnp__dense_report(&place, info, "has angles that were not found: the iteration did not converge", st),
               st, done);
    st = mnp__dense_give_all(&place, 3, results, (mnp_array *const[]){u.array, theta, vh.array});
done:
    mnp_free_all(info, theta);
    mnp__dense_free(&vh);
    mnp__dense_free(&u);
    mnp__dense_free(&work);
    mnp__place_close(&place);
    return st;
}
