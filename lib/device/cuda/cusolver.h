/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to factorisations on GPUs: the functions of cuSOLVER and cuBLAS that they call, and what one call needs.
 */
#ifndef MNP__DEVICE_CUDA_CUSOLVER_H
#define MNP__DEVICE_CUDA_CUSOLVER_H

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "base/process/library.h"
#include "base/status.h"
#include "device/cuda/cuda.h"
#include "device/lapack.h"

#define HAVE_BATCHED_EIGH (CUSOLVER_VERSION >= 11701)
#define HAVE_GEEV (CUSOLVER_VERSION >= 11702)

struct mnp__cusolver {
    cusolverDnHandle_t handle;
    cusolverDnParams_t params;
    cublasHandle_t cublas;
};

#define TYPED(X, name) X(cusolverDnS##name) X(cusolverDnD##name) X(cusolverDnC##name) X(cusolverDnZ##name)
#define ORTHOGONAL(X, name) X(cusolverDnSor##name) X(cusolverDnDor##name) X(cusolverDnCun##name) X(cusolverDnZun##name)
#define SIZED(X, name) X(name) X(name##_bufferSize)
#if HAVE_BATCHED_EIGH
#define BATCHED_EIGH(X) SIZED(X, cusolverDnXsyevBatched)
#else
#define BATCHED_EIGH(X)
#endif
#if HAVE_GEEV
#define GEEV(X) SIZED(X, cusolverDnXgeev)
#else
#define GEEV(X)
#endif
#define CUSOLVER_FUNCTIONS(X)                                                                                          \
    X(cusolverDnCreate)                                                                                                \
    X(cusolverDnDestroy)                                                                                               \
    X(cusolverDnSetStream)                                                                                             \
    X(cusolverDnCreateParams)                                                                                          \
    X(cusolverDnDestroyParams)                                                                                         \
    SIZED(X, cusolverDnXpotrf)                                                                                         \
    SIZED(X, cusolverDnXgeqrf)                                                                                         \
    SIZED(X, cusolverDnXsyevd)                                                                                         \
    SIZED(X, cusolverDnXsyevdx)                                                                                        \
    SIZED(X, cusolverDnXgesvd)                                                                                         \
    BATCHED_EIGH(X)                                                                                                    \
    GEEV(X)                                                                                                            \
    TYPED(X, getrf)                                                                                                    \
    TYPED(X, getrf_bufferSize)                                                                                         \
    TYPED(X, getrs)                                                                                                    \
    TYPED(X, sytrf)                                                                                                    \
    TYPED(X, sytrf_bufferSize)                                                                                         \
    TYPED(X, laswp)                                                                                                    \
    TYPED(X, potrfBatched)                                                                                             \
    ORTHOGONAL(X, gqr)                                                                                                 \
    ORTHOGONAL(X, gqr_bufferSize)                                                                                      \
    ORTHOGONAL(X, mqr)                                                                                                 \
    ORTHOGONAL(X, mqr_bufferSize)
typedef struct mnp__cusolver_functions {
    CUSOLVER_FUNCTIONS(MNP__LIBRARY_FIELD)
} mnp__cusolver_functions;
extern mnp__cusolver_functions mnp__cusolver;

#define TYPED_CUBLAS(X, name) X(cublasS##name) X(cublasD##name) X(cublasC##name) X(cublasZ##name)
#define CUBLAS_FUNCTIONS(X)                                                                                            \
    X(cublasCreate_v2)                                                                                                 \
    X(cublasDestroy_v2)                                                                                                \
    X(cublasSetStream_v2)                                                                                              \
    TYPED_CUBLAS(X, getrfBatched)                                                                                      \
    TYPED_CUBLAS(X, getrsBatched)                                                                                      \
    TYPED_CUBLAS(X, getriBatched)                                                                                      \
    TYPED_CUBLAS(X, geqrfBatched)
typedef struct mnp__cusolver_blas {
    CUBLAS_FUNCTIONS(MNP__LIBRARY_FIELD)
} mnp__cusolver_blas;
extern mnp__cusolver_blas mnp__cusolver_cublas;

#define CUSOLVER(call, ...) mnp__cusolver_status((int)mnp__cusolver.call(__VA_ARGS__), "cuSOLVER", #call)
#define CUBLAS(call, ...) mnp__cusolver_status((int)mnp__cusolver_cublas.call(__VA_ARGS__), "cuBLAS", #call)

/* MNP_OK for a call that returned 0; otherwise a failure that names the call. */
mnp_status mnp__cusolver_status(int code, const char *library, const char *call);

/* What one matrix of a job needs, or a batched call. */
typedef struct task {
    mnp__device *device;
    const mnp__lapack_job *job;
    mnp__stream *stream;
    const struct mnp__cusolver *with;
    int type;                   /* 0 to 3: float32, float64, complex64, complex128 */
    cudaDataType data, real;    /* cuSOLVER's names of the dtype and of its real parts */
    size_t element, real_bytes; /* bytes */
    void *work, *cpu_work;      /* workspaces, of so many bytes */
    size_t bytes, cpu_bytes;
} task;

static inline void *at(const task *t, const mnp__matrices *matrices, int64_t b)
{
    return (char *)matrices->data + (size_t)(b * matrices->step) * t->element;
}

static inline void *values_at(const task *t, int64_t b, int64_t each, size_t element)
{
    return t->job->values ? (char *)t->job->values + (size_t)(b * each) * element : NULL;
}

static inline cublasOperation_t op_of(char op)
{
    return op == 'N' ? CUBLAS_OP_N : op == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
}

static inline cublasFillMode_t triangle_of(const mnp__lapack_job *job)
{
    return job->upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}

static inline int least(const mnp__lapack_job *job)
{
    return (int)(job->m < job->n ? job->m : job->n);
}

/* Call the function of the job's dtype: CALL(t, CUSOLVER, cusolverDn, getrs, (arguments)) */
#define CALL(t, LIBRARY, prefix, name, ...)                                                                            \
    ((t)->type == 0   ? LIBRARY(prefix##S##name, __VA_ARGS__)                                                          \
     : (t)->type == 1 ? LIBRARY(prefix##D##name, __VA_ARGS__)                                                          \
     : (t)->type == 2 ? LIBRARY(prefix##C##name, __VA_ARGS__)                                                          \
                      : LIBRARY(prefix##Z##name, __VA_ARGS__))
#define CALL_ORTHOGONAL(t, name, ...)                                                                                  \
    ((t)->type == 0   ? CUSOLVER(cusolverDnSor##name, __VA_ARGS__)                                                     \
     : (t)->type == 1 ? CUSOLVER(cusolverDnDor##name, __VA_ARGS__)                                                     \
     : (t)->type == 2 ? CUSOLVER(cusolverDnCun##name, __VA_ARGS__)                                                     \
                      : CUSOLVER(cusolverDnZun##name, __VA_ARGS__))

/* Begin a job: load the libraries, and let them use the stream. */
mnp_status mnp__cusolver_begin(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream, task *t);

/* Get workspaces of so many bytes on the device and on the CPU, which mnp__cusolver_end() releases. */
mnp_status mnp__cusolver_get_work(task *t, size_t bytes, size_t cpu_bytes);
mnp_status mnp__cusolver_end(task *t, mnp_status st);

/*
 * Get workspace of so many elements, and behind it room for the report, which nobody asks for.
 */
mnp_status mnp__cusolver_get_elements(task *t, int elements, int **info_p);

/*
 * Lists of pointers to the matrices of up to three batches, in device memory; begins[i] is where the list for the i-th
 * begins.  The CPU's list has been read when the copy is enqueued, as it is not pinned.
 */
mnp_status mnp__cusolver_make_lists(task *t, int count, const mnp__matrices *matrices, const size_t *elements,
                                    void **lists_p, void **begins);

/* cusolver_factors.c and cusolver_spectra.c: the operations of the table. */
mnp__lapack_op mnp__cuda_potrf, mnp__cuda_getrf, mnp__cuda_getrs, mnp__cuda_getri, mnp__cuda_laswp, mnp__cuda_geqrf,
    mnp__cuda_orgqr, mnp__cuda_ormqr, mnp__cuda_hetrf, mnp__cuda_heevd, mnp__cuda_heevr, mnp__cuda_gesdd,
    mnp__cuda_geev;

#endif
