/* SPDX-License-Identifier: BSD-3-Clause */
/* Schur's decomposition, other orders of it, and Hessenberg's form, by the CPU's LAPACK: cuSOLVER has none of them. */
#include <maniple/decompositions.h>

#include "array/input.h"
#include "linalg/cpu/on_cpu.h"

/* An operation on T or H, and on Z or Q, for the matrices of this rank. */
static mnp_status run(const mnp__place *place, mnp__lapack_op *op, const mnp__dense *t, const mnp__dense *z,
                      const mnp_array *select, const mnp_array *info)
{
    mnp__lapack_job job = mnp__dense_job(t);
    job.b = z->of;
    return mnp__on_cpu_run(
        place, op, job,
        (const mnp_array *const[MNP__JOB_ARRAYS]){
            [MNP__JOB_A] = t->array, [MNP__JOB_B] = z->array, [MNP__JOB_PIVOTS] = select, [MNP__JOB_INFO] = info});
}

mnp_status mnp__schur_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense *t, mnp__dense *z)
{
    mnp_array *info = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__dense_read(place, a, dtype, t), st, done);
    MNP_TRY_OR(mnp__dense_new(place, dtype, t->n, t->n, z), st, done);
    MNP_TRY_OR(mnp__info_new(place, &info), st, done);
    st = mnp__dense_report(place, info, MNP__VALUES_NOT_FOUND, run(place, mnp__host_lapack.gees, t, z, NULL, info));
done:
    mnp_array_free(info);
    return st;
}

mnp_status mnp_schur(const mnp_array *a, bool complex_output, mnp_array **t_p, mnp_array **z_p)
{
    static const char function[] = "mnp_schur";
    MNP_ENTER(a, t_p, z_p);
    MNP_IN_BLOCKS(a);
    const mnp__result_type type = complex_output ? MNP__AS_COMPLEX : MNP__AS_COMPUTED;
    const mnp__result results[] = {{"t", t_p, type, "nn"}, {"z", z_p, type, "nn"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense t = {.array = NULL}, z = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 2, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__schur_make(&place, a, complex_output ? mnp__linalg_complex(dtype) : dtype, &t, &z), st, done);
    st = mnp__dense_give_all(&place, 2, results, (mnp_array *const[]){t.array, z.array});
done:
    mnp__dense_free(&z);
    mnp__dense_free(&t);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp__select_read(const mnp__place *place, const mnp_array *a, const mnp_array *select, mnp_array **read_p)
{
    const int last = a->layout->ndim - 1;
    bool fits = select->layout->ndim == last && select->dtype == MNP_BOOL;
    for (int d = 0; d < last && fits; d++)
        fits = select->layout->shape[d] == a->layout->shape[d];
    if (!fits)
        return MNP_FAIL(MNP_ERR_ARG, "%s: select is not an array of one bool for each row of the matrices",
                        place->function);
    return mnp__vectors_read(place, select, MNP_INT32, read_p);
}

mnp_status mnp_schur_reorder(const mnp_array *t, const mnp_array *z, const mnp_array *select, mnp_array **t_p,
                             mnp_array **z_p)
{
    static const char function[] = "mnp_schur_reorder";
    MNP_ENTER(t, z, select, t_p, z_p);
    MNP_IN_BLOCKS(t);
    MNP_IN_BLOCKS(z);
    MNP_IN_BLOCKS(select);
    const mnp__result results[] = {{"t", t_p, MNP__AS_COMPUTED, "nn"}, {"z", z_p, MNP__AS_COMPUTED, "nn"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense moved = {.array = NULL}, turned = {.array = NULL};
    mnp_array *selected = NULL, *info = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, 3, (const mnp_array *const[]){t, z, select}));
    MNP_TRY(mnp__linalg_check_alike(function, "t", t, "z", z));
    MNP_TRY(mnp__linalg_begin(function, t, true, 2, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(t->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__select_read(&place, t, select, &selected), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, t, dtype, &moved), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, z, dtype, &turned), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    MNP_TRY_OR(mnp__dense_report(&place, info, MNP__NOT_REORDERED,
                                 run(&place, mnp__host_lapack.trsen, &moved, &turned, selected, info)),
               st, done);
    st = mnp__dense_give_all(&place, 2, results, (mnp_array *const[]){moved.array, turned.array});
done:
    mnp_free_all(info, selected);
    mnp__dense_free(&turned);
    mnp__dense_free(&moved);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_hessenberg(const mnp_array *a, mnp_array **h_p, mnp_array **q_p)
{
    static const char function[] = "mnp_hessenberg";
    MNP_ENTER(a, h_p, q_p);
    MNP_IN_BLOCKS(a);
    const mnp__result results[] = {{"h", h_p, MNP__AS_COMPUTED, "nn"}, {"q", q_p, MNP__AS_COMPUTED, "nn"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense h = {.array = NULL}, q = {.array = NULL};
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 2, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &h), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, dtype, h.n, h.n, &q), st, done);
    MNP_TRY_OR(MNP_AGREE(a->ctx, run(&place, mnp__host_lapack.gehrd, &h, &q, NULL, NULL)), st, done);
    st = mnp__dense_give_all(&place, 2, results, (mnp_array *const[]){h.array, q.array});
done:
    mnp__dense_free(&q);
    mnp__dense_free(&h);
    mnp__place_close(&place);
    return st;
}
