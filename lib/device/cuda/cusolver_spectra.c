/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues and singular values on GPUs: see cusolver.c. */
#include <config.h>

#include <stdlib.h>

#include "base/integer.h"
#include "device/cuda/cusolver.h"

/* ---- eigenvalues ---- */

#if HAVE_BATCHED_EIGH
static mnp_status heevd_batch(task *t, cusolverEigMode_t mode)
{
    const mnp__lapack_job *job = t->job;
    size_t bytes, cpu_bytes;
    MNP_TRY(CUSOLVER(cusolverDnXsyevBatched_bufferSize, t->with->handle, t->with->params, mode, triangle_of(job),
                     job->n, t->data, job->a.data, job->a.ld, t->real, job->values, t->data, &bytes, &cpu_bytes,
                     job->batch));
    mnp_status st = mnp__cusolver_get_work(t, bytes, cpu_bytes);
    if (st == MNP_OK)
        st = CUSOLVER(cusolverDnXsyevBatched, t->with->handle, t->with->params, mode, triangle_of(job), job->n, t->data,
                      job->a.data, job->a.ld, t->real, job->values, t->data, t->work, bytes, t->cpu_work, cpu_bytes,
                      job->info, job->batch);
    return mnp__cusolver_end(t, st);
}
#endif

mnp_status mnp__cuda_heevd(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    const cusolverEigMode_t mode = job->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
#if HAVE_BATCHED_EIGH
    if (job->batch > 1 && job->a.step == job->a.ld * job->n)
        return heevd_batch(&t, mode);
#endif
    MNP_TRY(CUSOLVER(cusolverDnXsyevd_bufferSize, t.with->handle, t.with->params, mode, triangle_of(job), job->n,
                     t.data, job->a.data, job->a.ld, t.real, job->values, t.data, &bytes, &cpu_bytes));
    mnp_status st = mnp__cusolver_get_work(&t, bytes, cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXsyevd, t.with->handle, t.with->params, mode, triangle_of(job), job->n, t.data,
                      at(&t, &job->a, b), job->a.ld, t.real, values_at(&t, b, job->n, t.real_bytes), t.data, t.work,
                      bytes, t.cpu_work, cpu_bytes, job->info + b);
    return mnp__cusolver_end(&t, st);
}

/* The range's bounds, in the type of the real numbers. */
typedef struct bounds {
    cusolverEigRange_t by;
    double low, high;
    float low_float, high_float;
    void *lower, *upper;
} bounds;

static void set_bounds(const task *t, const mnp__eigen_range *range, bounds *b)
{
    const bool is_double = t->real_bytes == sizeof(double);
    *b = (bounds){.by = range->by_value ? CUSOLVER_EIG_RANGE_V : CUSOLVER_EIG_RANGE_I,
                  .low = range->low,
                  .high = range->high,
                  .low_float = (float)range->low,
                  .high_float = (float)range->high};
    b->lower = is_double ? (void *)&b->low : &b->low_float;
    b->upper = is_double ? (void *)&b->high : &b->high_float;
}

/* cuSOLVER leaves the vectors in a's first columns, from where they are copied to b. */
mnp_status mnp__cuda_heevr(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    int64_t found = 0;
    bounds range;
    const int64_t n = job->n, first = job->range->first + 1, last = job->range->last + 1;
    const cusolverEigMode_t mode = job->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    set_bounds(&t, job->range, &range);
    MNP_TRY(CUSOLVER(cusolverDnXsyevdx_bufferSize, t.with->handle, t.with->params, mode, range.by, triangle_of(job), n,
                     t.data, job->a.data, job->a.ld, range.lower, range.upper, first, last, &found, t.real, job->values,
                     t.data, &bytes, &cpu_bytes));
    mnp_status st = mnp__cusolver_get_work(&t, bytes, cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++) {
        st = CUSOLVER(cusolverDnXsyevdx, t.with->handle, t.with->params, mode, range.by, triangle_of(job), n, t.data,
                      at(&t, &job->a, b), job->a.ld, range.lower, range.upper, first, last, &found, t.real,
                      values_at(&t, b, n, t.real_bytes), t.data, t.work, bytes, t.cpu_work, cpu_bytes, job->info + b);
        if (st == MNP_OK)
            st = RUNTIME((cuda_device *)device, cudaStreamSynchronize, mnp__cuda_stream(stream));
        if (st == MNP_OK && job->vectors && found > 0)
            st = device->ops->copy(device, at(&t, &job->b, b), at(&t, &job->a, b), (size_t)(n * found) * t.element,
                                   stream);
    }
    if (st == MNP_OK && job->range->by_value)
        *job->range->count_p = found;
    return mnp__cusolver_end(&t, st);
}

#if HAVE_GEEV
/* The packed vectors of a real matrix go to the CPU, and come back complex. */
static mnp_status unpack(const task *t, int64_t b, const void *packed)
{
    const mnp__lapack_job *job = t->job;
    const size_t n = (size_t)job->n, one = n * n * t->real_bytes, value_bytes = 2 * n * t->real_bytes;
    char *memory;
    mnp__device *device = t->device;
    MNP_TRY(mnp__malloc(3 * one + value_bytes, &memory));
    char *values = memory + one, *out = values + value_bytes;
    mnp_status st = device->ops->copy(device, memory, packed, one, t->stream);
    if (st == MNP_OK)
        st = device->ops->copy(device, values, values_at(t, b, job->n, 2 * t->real_bytes), value_bytes, t->stream);
    if (st == MNP_OK)
        st = RUNTIME((cuda_device *)device, cudaStreamSynchronize, mnp__cuda_stream(t->stream));
    if (st == MNP_OK) {
        mnp__lapack_unpack_vectors(t->real_bytes == sizeof(double), job->n, values, memory, job->n, out, job->n);
        char *to = (char *)job->b.data + (size_t)(b * job->b.step) * 2 * t->real_bytes;
        st = device->ops->copy(device, to, out, 2 * one, t->stream);
    }
    if (st == MNP_OK)
        st = RUNTIME((cuda_device *)device, cudaStreamSynchronize, mnp__cuda_stream(t->stream));
    free(memory);
    return st;
}

/* Real matrices have real vectors, packed, which lie in the workspace. */
mnp_status mnp__cuda_geev(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    const bool packs = t.type < 2 && job->vectors;
    const cudaDataType values = t.real == CUDA_R_64F ? CUDA_C_64F : CUDA_C_32F;
    const cusolverEigMode_t mode = job->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR,
                            none = CUSOLVER_EIG_MODE_NOVECTOR;
    const int64_t n = job->n, ldv = packs || !job->vectors ? n : job->b.ld;
    MNP_TRY(CUSOLVER(cusolverDnXgeev_bufferSize, t.with->handle, t.with->params, none, mode, n, t.data, job->a.data,
                     job->a.ld, values, job->values, t.data, NULL, n, t.data, job->vectors ? job->b.data : NULL, ldv,
                     t.data, &bytes, &cpu_bytes));
    const size_t before = mnp__round_up_bytes(bytes, 256);
    mnp_status st = mnp__cusolver_get_work(&t, before + (packs ? (size_t)(n * n) * t.real_bytes : 0), cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++) {
        void *vectors = packs ? (char *)t.work + before : job->vectors ? at(&t, &job->b, b) : NULL;
        st = CUSOLVER(cusolverDnXgeev, t.with->handle, t.with->params, none, mode, n, t.data, at(&t, &job->a, b),
                      job->a.ld, values, values_at(&t, b, n, 2 * t.real_bytes), t.data, NULL, n, t.data, vectors, ldv,
                      t.data, t.work, bytes, t.cpu_work, cpu_bytes, job->info + b);
        if (st == MNP_OK && packs)
            st = unpack(&t, b, vectors);
    }
    return mnp__cusolver_end(&t, st);
}
#else
mnp_status mnp__cuda_geev(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    (void)device;
    (void)job;
    (void)stream;
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "this build's cuSOLVER, of version %d, has no eigenvalues of general matrices; CUDA 12.8 has",
                    CUSOLVER_VERSION);
}
#endif

/* ---- singular values ---- */

mnp_status mnp__cuda_gesdd(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    MNP_TRY(mnp__cusolver_begin(device, job, stream, &t));
    const signed char u = (signed char)(!job->vectors ? 'N'
                                        : job->full   ? 'A'
                                                      : 'S'),
                      v = (signed char)(!job->vectors ? 'N' : 'S');
    const int64_t ldu = job->vectors ? job->b.ld : job->m, ldv = job->vectors ? job->c.ld : job->n;
    MNP_TRY(CUSOLVER(cusolverDnXgesvd_bufferSize, t.with->handle, t.with->params, u, v, job->m, job->n, t.data,
                     job->a.data, job->a.ld, t.real, job->values, t.data, job->b.data, ldu, t.data, job->c.data, ldv,
                     t.data, &bytes, &cpu_bytes));
    mnp_status st = mnp__cusolver_get_work(&t, bytes, cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXgesvd, t.with->handle, t.with->params, u, v, job->m, job->n, t.data,
                      at(&t, &job->a, b), job->a.ld, t.real, values_at(&t, b, job->n, t.real_bytes), t.data,
                      job->vectors ? at(&t, &job->b, b) : NULL, ldu, t.data, job->vectors ? at(&t, &job->c, b) : NULL,
                      ldv, t.data, t.work, bytes, t.cpu_work, cpu_bytes, job->info + b);
    return mnp__cusolver_end(&t, st);
}
