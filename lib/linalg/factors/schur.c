/* SPDX-License-Identifier: BSD-3-Clause */
/* Schur's decomposition and Hessenberg's form, by the CPU's LAPACK: cuSOLVER has neither. */
#include <maniple/decompositions.h>

#include "linalg/factors/on_cpu.h"

/* LAPACK's gees or gehrd for the matrices of this rank; the second reports nothing. */
static mnp_status run(const mnp__place *place, mnp__lapack_op *op, const mnp__dense *t, const mnp__dense *z,
                      const mnp_array *info)
{
    const bool is_host = place->ctx->device->ops->lapack == &mnp__host_lapack;
    mnp__lapack_job job = mnp__dense_job(t);
    const mnp_array *const arrays[] = {t->array, z->array, info};
    void *data[3] = {NULL, NULL, NULL};
    mnp_status st = MNP_OK;
    if (job.batch == 0 || job.n == 0)
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(place->ctx->device, "factoring a matrix"));
    for (int i = 0; i < 3 && st == MNP_OK; i++)
        st = mnp__on_cpu_open(arrays[i], &data[i]);
    job.a.data = data[0];
    job.b = (mnp__matrices){data[1], z->of.ld, z->of.step};
    job.info = data[2];
    if (st == MNP_OK)
        st = op(is_host ? place->ctx->device : NULL, &job, NULL);
    for (int i = 0; i < 3; i++) {
        const mnp_status closed = mnp__on_cpu_close(arrays[i], data[i], st == MNP_OK);
        st = st == MNP_OK ? closed : st;
    }
    return st;
}

mnp_status mnp__schur_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense *t, mnp__dense *z)
{
    mnp_array *info = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__dense_read(place, a, dtype, t), st, done);
    MNP_TRY_OR(mnp__dense_new(place, dtype, t->n, t->n, z), st, done);
    MNP_TRY_OR(mnp__info_new(place, &info), st, done);
    st = mnp__dense_report(place, info, MNP__VALUES_NOT_FOUND, run(place, mnp__host_lapack.gees, t, z, info));
done:
    mnp_array_free(info);
    return st;
}

mnp_status mnp_schur(const mnp_array *a, bool complex_output, mnp_array **t_p, mnp_array **z_p)
{
    static const char function[] = "mnp_schur";
    MNP_ENTER(a, t_p, z_p);
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

mnp_status mnp_hessenberg(const mnp_array *a, mnp_array **h_p, mnp_array **q_p)
{
    static const char function[] = "mnp_hessenberg";
    MNP_ENTER(a, h_p, q_p);
    const mnp__result results[] = {{"h", h_p, MNP__AS_COMPUTED, "nn"}, {"q", q_p, MNP__AS_COMPUTED, "nn"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense h = {.array = NULL}, q = {.array = NULL};
    mnp_array *info = NULL;
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 2, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &h), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, dtype, h.n, h.n, &q), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    MNP_TRY_OR(MNP_AGREE(a->ctx, run(&place, mnp__host_lapack.gehrd, &h, &q, info)), st, done);
    st = mnp__dense_give_all(&place, 2, results, (mnp_array *const[]){h.array, q.array});
done:
    mnp_array_free(info);
    mnp__dense_free(&q);
    mnp__dense_free(&h);
    mnp__place_close(&place);
    return st;
}
