/* SPDX-License-Identifier: BSD-3-Clause */
/* Factorisations of Cholesky, LU, QR and Bunch and Kaufman on GPUs: see cusolver.c. */
#include <config.h>

#include <stdlib.h>

#include "base/integer.h"
#include "device/cuda/cusolver.h"

enum { SMALL_BATCH = 512 }; /* columns: the batched functions are made for small ones, and one large fills the GPU */

static inline bool is_batch_of_small(const mnp__lapack_job *job)
{
    return job->batch > 1 && job->n <= SMALL_BATCH;
}

/* ---- Cholesky ---- */

mnp_status mnp__cuda_potrf(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *a;
    size_t bytes, cpu_bytes;
    const int n = (int)job->n, lda = (int)job->a.ld, batch = (int)job->batch;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    if (is_batch_of_small(job)) {
        MNP_TRY(mnp__cusolver_make_lists(&t, 1, &job->a, &t.element, &lists, &a));
        const mnp_status st =
            CALL(&t, CUSOLVER, cusolverDn, potrfBatched, t.with->handle, triangle_of(job), n, a, lda, job->info, batch);
        device->ops->free(device, lists);
        return st;
    }
    MNP_TRY(CUSOLVER(cusolverDnXpotrf_bufferSize, t.with->handle, t.with->params, triangle_of(job), n, t.data,
                     job->a.data, lda, t.data, &bytes, &cpu_bytes));
    mnp_status st = mnp__cusolver_get_work(&t, bytes, cpu_bytes);
    for (int b = 0; b < batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXpotrf, t.with->handle, t.with->params, triangle_of(job), n, t.data, at(&t, &job->a, b),
                      lda, t.data, t.work, bytes, t.cpu_work, cpu_bytes, job->info + b);
    return mnp__cusolver_end(&t, st);
}

/* ---- LU ---- */

mnp_status mnp__cuda_getrf(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *a;
    int elements = 0;
    const int m = (int)job->m, n = (int)job->n, lda = (int)job->a.ld, batch = (int)job->batch;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    if (is_batch_of_small(job) && m == n) {
        MNP_TRY(mnp__cusolver_make_lists(&t, 1, &job->a, &t.element, &lists, &a));
        const mnp_status st =
            CALL(&t, CUBLAS, cublas, getrfBatched, t.with->cublas, n, a, lda, job->pivots, job->info, batch);
        device->ops->free(device, lists);
        return st;
    }
    MNP_TRY(CALL(&t, CUSOLVER, cusolverDn, getrf_bufferSize, t.with->handle, m, n, job->a.data, lda, &elements));
    mnp_status st = mnp__cusolver_get_work(&t, (size_t)elements * t.element, 0);
    for (int b = 0; b < batch && st == MNP_OK; b++)
        st = CALL(&t, CUSOLVER, cusolverDn, getrf, t.with->handle, m, n, at(&t, &job->a, b), lda, t.work,
                  job->pivots + (int64_t)b * least(job), job->info + b);
    return mnp__cusolver_end(&t, st);
}

mnp_status mnp__cuda_getrs(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *begins[2];
    int info = 0;
    const int n = (int)job->n, k = (int)job->k, lda = (int)job->a.ld, ldb = (int)job->b.ld, batch = (int)job->batch;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    if (is_batch_of_small(job)) {
        MNP_TRY(mnp__cusolver_make_lists(&t, 2, (const mnp__matrices[]){job->a, job->b},
                                         (const size_t[]){t.element, t.element}, &lists, begins));
        const mnp_status st = CALL(&t, CUBLAS, cublas, getrsBatched, t.with->cublas, op_of(job->op), n, k, begins[0],
                                   lda, job->pivots, begins[1], ldb, &info, batch);
        device->ops->free(device, lists);
        return st;
    }
    mnp_status st = mnp__cusolver_get_work(&t, sizeof(int), 0);
    for (int b = 0; b < batch && st == MNP_OK; b++)
        st = CALL(&t, CUSOLVER, cusolverDn, getrs, t.with->handle, op_of(job->op), n, k, at(&t, &job->a, b), lda,
                  job->pivots + (int64_t)b * n, at(&t, &job->b, b), ldb, t.work);
    return mnp__cusolver_end(&t, st);
}

/* Ones on the diagonal of a matrix that is 0: of the bytes of a one only the two highest of its real part are not 0. */
static mnp_status set_diagonal(const task *t, void *matrix, int64_t ld, int64_t n)
{
    const bool is_double = t->real_bytes == sizeof(double);
    const int bytes[2] = {is_double ? 0xf0 : 0x80, 0x3f};
    mnp_status st = MNP_OK;
    for (size_t i = 0; i < 2 && st == MNP_OK; i++)
        st = RUNTIME((cuda_device *)t->device, cudaMemset2DAsync, (char *)matrix + t->real_bytes - 2 + i,
                     (size_t)(ld + 1) * t->element, bytes[i], 1, (size_t)n, mnp__cuda_stream(t->stream));
    return st;
}

mnp_status mnp__cuda_getri(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *begins[2];
    const int n = (int)job->n, lda = (int)job->a.ld, ldb = (int)job->b.ld, batch = (int)job->batch;
    mnp_status st;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    if (is_batch_of_small(job)) {
        MNP_TRY(mnp__cusolver_make_lists(&t, 2, (const mnp__matrices[]){job->a, job->b},
                                         (const size_t[]){t.element, t.element}, &lists, begins));
        st = mnp__cusolver_get_work(&t, (size_t)batch * sizeof(int), 0);
        if (st == MNP_OK)
            st = CALL(&t, CUBLAS, cublas, getriBatched, t.with->cublas, n, begins[0], lda, job->pivots, begins[1], ldb,
                      t.work, batch);
        device->ops->free(device, lists);
        return mnp__cusolver_end(&t, st);
    }
    for (int b = 0; b < batch; b++) {
        void *inverse = at(&t, &job->b, b);
        MNP_TRY(device->ops->fill(device, inverse, 0, (size_t)(job->b.ld * job->n) * t.element, stream));
        MNP_TRY(set_diagonal(&t, inverse, job->b.ld, job->n));
    }
    mnp__lapack_job solve = *job;
    solve.k = job->n;
    solve.op = 'N';
    return mnp__cuda_getrs(device, &solve, stream);
}

mnp_status mnp__cuda_laswp(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    if (job->op != 'T')
        return CALL(&t, CUSOLVER, cusolverDn, laswp, t.with->handle, (int)job->n, job->a.data, (int)job->a.ld, 1,
                    (int)job->k, job->pivots, 1);
    for (int row = (int)job->k; row > 0; row--) /* its documentation does not say that it can go backwards */
        MNP_TRY(CALL(&t, CUSOLVER, cusolverDn, laswp, t.with->handle, (int)job->n, job->a.data, (int)job->a.ld, row,
                     row, job->pivots, 1));
    return MNP_OK;
}

/* ---- QR ---- */

static mnp_status geqrf_batch(task *t)
{
    const mnp__lapack_job *job = t->job;
    const int each = least(job);
    const mnp__matrices factors = {job->values, each, each};
    void *lists = NULL, *begins[2];
    int info = 0;
    MNP_TRY(mnp__cusolver_make_lists(t, 2, (const mnp__matrices[]){job->a, factors},
                                     (const size_t[]){t->element, t->element}, &lists, begins));
    const mnp_status st = CALL(t, CUBLAS, cublas, geqrfBatched, t->with->cublas, (int)job->m, (int)job->n, begins[0],
                               (int)job->a.ld, begins[1], &info, (int)job->batch);
    t->device->ops->free(t->device, lists);
    return st;
}

mnp_status mnp__cuda_geqrf(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    if (is_batch_of_small(job))
        return geqrf_batch(&t);
    MNP_TRY(CUSOLVER(cusolverDnXgeqrf_bufferSize, t.with->handle, t.with->params, job->m, job->n, t.data, job->a.data,
                     job->a.ld, t.data, job->values, t.data, &bytes, &cpu_bytes));
    const size_t report = mnp__round_up_bytes(bytes, 256); /* the report is not asked for */
    mnp_status st = mnp__cusolver_get_work(&t, report + sizeof(int), cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXgeqrf, t.with->handle, t.with->params, job->m, job->n, t.data, at(&t, &job->a, b),
                      job->a.ld, t.data, values_at(&t, b, least(job), t.element), t.data, t.work, bytes, t.cpu_work,
                      cpu_bytes, (int *)(void *)((char *)t.work + report));
    return mnp__cusolver_end(&t, st);
}

mnp_status mnp__cuda_orgqr(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    int elements = 0, *info = NULL;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = (int)job->a.ld;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    MNP_TRY(CALL_ORTHOGONAL(&t, gqr_bufferSize, t.with->handle, m, n, k, job->a.data, lda, job->values, &elements));
    mnp_status st = mnp__cusolver_get_elements(&t, elements, &info);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CALL_ORTHOGONAL(&t, gqr, t.with->handle, m, n, k, at(&t, &job->a, b), lda, values_at(&t, b, k, t.element),
                             t.work, elements, info);
    return mnp__cusolver_end(&t, st);
}

mnp_status mnp__cuda_ormqr(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    int elements = 0, *info = NULL;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = (int)job->a.ld, ldb = (int)job->b.ld;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    const cublasOperation_t op = job->op == 'N' ? CUBLAS_OP_N : t.type >= 2 ? CUBLAS_OP_C : CUBLAS_OP_T;
    MNP_TRY(CALL_ORTHOGONAL(&t, mqr_bufferSize, t.with->handle, CUBLAS_SIDE_LEFT, op, m, n, k, job->a.data, lda,
                            job->values, job->b.data, ldb, &elements));
    mnp_status st = mnp__cusolver_get_elements(&t, elements, &info);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CALL_ORTHOGONAL(&t, mqr, t.with->handle, CUBLAS_SIDE_LEFT, op, m, n, k, at(&t, &job->a, b), lda,
                             values_at(&t, b, k, t.element), at(&t, &job->b, b), ldb, t.work, elements, info);
    return mnp__cusolver_end(&t, st);
}

/* ---- Bunch and Kaufman ---- */

/* cuSOLVER has it of symmetric matrices alone: mnp_ldl() leaves complex Hermitian ones to the CPU. */
mnp_status mnp__cuda_hetrf(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    int elements = 0;
    const int n = (int)job->n, lda = (int)job->a.ld;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    if (t.type >= 2 && !job->symmetric)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "cuSOLVER has no factorisation of complex Hermitian matrices");
    MNP_TRY(CALL(&t, CUSOLVER, cusolverDn, sytrf_bufferSize, t.with->handle, n, job->a.data, lda, &elements));
    mnp_status st = mnp__cusolver_get_work(&t, (size_t)elements * t.element, 0);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CALL(&t, CUSOLVER, cusolverDn, sytrf, t.with->handle, triangle_of(job), n, at(&t, &job->a, b), lda,
                  job->pivots + b * n, t.work, elements, job->info + b);
    return mnp__cusolver_end(&t, st);
}
