/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations on GPUs, by cuSOLVER, and by cuBLAS for batches of small matrices.
 *
 * Both are loaded for the first factorisation.  Where neither has a batched function for a job, and if its matrices are
 * large, they are done one after the other on the stream.  Workspaces are from the device's pool, which frees in the
 * order of the stream; memory of the CPU that cuSOLVER wants is kept until the stream has done with it.
 *
 *   potrf   Xpotrf; potrfBatched            heevd   Xsyevd; XsyevBatched (cuSOLVER 11.7.1)
 *   getrf   getrf; cuBLAS's getrfBatched    gesdd   Xgesvd; gesvdjBatched up to 32 x 32
 *   getrs   getrs; cuBLAS's getrsBatched    geev    Xgeev (cuSOLVER 11.7.2)
 *   getri   getrs of the identity; cuBLAS's getriBatched
 *   geqrf   Xgeqrf; cuBLAS's geqrfBatched   gees    none
 */
#include <config.h>

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/status.h"
#include "device/cuda/cuda.h"
#include "device/lapack.h"

#define HAVE_BATCHED_EIGH (CUSOLVER_VERSION >= 11701)
#define HAVE_GEEV (CUSOLVER_VERSION >= 11702)

enum {
    SMALL_SVD = 32,   /* the largest extent of gesvdjBatched */
    SMALL_BATCH = 512 /* columns: the batched functions are made for small matrices, and one large one fills the GPU */
};

struct mnp__cusolver {
    cusolverDnHandle_t handle;
    cusolverDnParams_t params;
    gesvdjInfo_t jacobi;
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
    X(cusolverDnCreateGesvdjInfo)                                                                                      \
    X(cusolverDnDestroyGesvdjInfo)                                                                                     \
    SIZED(X, cusolverDnXpotrf)                                                                                         \
    SIZED(X, cusolverDnXgeqrf)                                                                                         \
    SIZED(X, cusolverDnXsyevd)                                                                                         \
    SIZED(X, cusolverDnXgesvd)                                                                                         \
    BATCHED_EIGH(X)                                                                                                    \
    GEEV(X)                                                                                                            \
    TYPED(X, getrf)                                                                                                    \
    TYPED(X, getrf_bufferSize)                                                                                         \
    TYPED(X, getrs)                                                                                                    \
    TYPED(X, laswp)                                                                                                    \
    TYPED(X, potrfBatched)                                                                                             \
    TYPED(X, gesvdjBatched)                                                                                            \
    TYPED(X, gesvdjBatched_bufferSize)                                                                                 \
    ORTHOGONAL(X, gqr)                                                                                                 \
    ORTHOGONAL(X, gqr_bufferSize)                                                                                      \
    ORTHOGONAL(X, mqr)                                                                                                 \
    ORTHOGONAL(X, mqr_bufferSize)
static struct {
    CUSOLVER_FUNCTIONS(MNP__LIBRARY_FIELD)
} cusolver;

#define TYPED_CUBLAS(X, name) X(cublasS##name) X(cublasD##name) X(cublasC##name) X(cublasZ##name)
#define CUBLAS_FUNCTIONS(X)                                                                                            \
    X(cublasCreate_v2)                                                                                                 \
    X(cublasDestroy_v2)                                                                                                \
    X(cublasSetStream_v2)                                                                                              \
    TYPED_CUBLAS(X, getrfBatched)                                                                                      \
    TYPED_CUBLAS(X, getrsBatched)                                                                                      \
    TYPED_CUBLAS(X, getriBatched)                                                                                      \
    TYPED_CUBLAS(X, geqrfBatched)                                                                                      \
    TYPED_CUBLAS(X, geam)
static struct {
    CUBLAS_FUNCTIONS(MNP__LIBRARY_FIELD)
} cublas;

static mnp_status load_libraries(void)
{
    static const char *const solver_names[] = {CUSOLVER_FUNCTIONS(MNP__LIBRARY_NAME)};
    static const char *const blas_names[] = {CUBLAS_FUNCTIONS(MNP__LIBRARY_NAME)};
    static void *solver, *blas;
    char file[32];
    snprintf(file, sizeof file, "libcublas.so.%d", CUBLAS_VER_MAJOR);
    MNP_TRY(mnp__library_load(&blas, file, blas_names, sizeof blas_names / sizeof *blas_names, &cublas));
    snprintf(file, sizeof file, "libcusolver.so.%d", CUSOLVER_VER_MAJOR);
    return mnp__library_load(&solver, file, solver_names, sizeof solver_names / sizeof *solver_names, &cusolver);
}

#define CUSOLVER(call, ...) solver_status((int)cusolver.call(__VA_ARGS__), "cuSOLVER", #call)
#define CUBLAS(call, ...) solver_status((int)cublas.call(__VA_ARGS__), "cuBLAS", #call)

/* The codes of both libraries: 0 for success, ALLOC_FAILED of cuSOLVER 2, of cuBLAS 3. */
static mnp_status solver_status(int code, const char *library, const char *call)
{
    const int no_memory = library[2] == 'S' ? (int)CUSOLVER_STATUS_ALLOC_FAILED : (int)CUBLAS_STATUS_ALLOC_FAILED;
    if (code == 0)
        return MNP_OK;
    return MNP_FAIL(code == no_memory ? MNP_ERR_MEMORY : MNP_ERR_DEVICE, "%s: error %d of %s", call, code, library);
}

/* ---- handles ---- */

static void release(struct mnp__cusolver *made)
{
    if (made->jacobi)
        (void)cusolver.cusolverDnDestroyGesvdjInfo(made->jacobi);
    if (made->params)
        (void)cusolver.cusolverDnDestroyParams(made->params);
    if (made->handle)
        (void)cusolver.cusolverDnDestroy(made->handle);
    if (made->cublas)
        (void)cublas.cublasDestroy_v2(made->cublas);
    free(made);
}

void mnp__cusolver_close(cuda_device *cuda)
{
    if (cuda->cusolver)
        release(cuda->cusolver);
    cuda->cusolver = NULL;
}

static mnp_status make(struct mnp__cusolver *made)
{
    MNP_TRY(CUSOLVER(cusolverDnCreate, &made->handle));
    MNP_TRY(CUSOLVER(cusolverDnCreateParams, &made->params));
    MNP_TRY(CUSOLVER(cusolverDnCreateGesvdjInfo, &made->jacobi));
    return CUBLAS(cublasCreate_v2, &made->cublas);
}

static mnp_status need(mnp__device *device, const char *function)
{
    cuda_device *cuda = (cuda_device *)device;
    struct mnp__cusolver *made;
    (void)function;
    if (cuda->cusolver)
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(device, "loading cuSOLVER"));
    MNP_TRY(load_libraries());
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(mnp__calloc(1, sizeof *made, &made));
    const mnp_status st = make(made);
    if (st == MNP_OK)
        cuda->cusolver = made;
    else
        release(made);
    return st;
}

/* ---- a job ---- */

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

static mnp_status begin(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream, task *t)
{
    const bool is_complex = mnp_dtype_kind(job->dtype) == 'c';
    const size_t element = mnp_dtype_size(job->dtype), real = is_complex ? element / 2 : element;
    static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    MNP_TRY(need(device, "a factorisation"));
    MNP_TRY(mnp__cuda_use(device));
    const struct mnp__cusolver *with = ((cuda_device *)device)->cusolver;
    const int is_double = real == sizeof(double), type = (is_complex ? 2 : 0) + is_double;
    if (job->m > INT32_MAX || job->n > INT32_MAX || job->k > INT32_MAX || job->batch > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a matrix has more than %d rows or columns, or a batch as many matrices",
                        INT32_MAX);
    *t = (task){.device = device,
                .job = job,
                .stream = stream,
                .with = with,
                .type = type,
                .data = types[type],
                .real = types[is_double],
                .element = element,
                .real_bytes = real};
    MNP_TRY(CUSOLVER(cusolverDnSetStream, with->handle, mnp__cuda_stream(stream)));
    return CUBLAS(cublasSetStream_v2, with->cublas, mnp__cuda_stream(stream));
}

static mnp_status get_work(task *t, size_t bytes, size_t cpu_bytes)
{
    t->bytes = bytes;
    t->cpu_bytes = cpu_bytes;
    MNP_TRY(t->device->ops->alloc(t->device, bytes, &t->work));
    return cpu_bytes > 0 ? mnp__malloc(cpu_bytes, &t->cpu_work) : MNP_OK;
}

/* Release the workspaces; that of the CPU is in use until the stream gets there. */
static mnp_status end(task *t, mnp_status st)
{
    if (t->cpu_work) {
        const mnp_status waited = RUNTIME((cuda_device *)t->device, cudaStreamSynchronize, mnp__cuda_stream(t->stream));
        st = st == MNP_OK ? waited : st;
    }
    free(t->cpu_work);
    t->device->ops->free(t->device, t->work);
    return st;
}

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

static inline bool is_batch_of_small(const mnp__lapack_job *job)
{
    return job->batch > 1 && job->n <= SMALL_BATCH;
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

/*
 * Lists of pointers to the matrices of up to three batches, in device memory; begins[i] is where the list for the i-th
 * begins.  The CPU's list has been read when the copy is enqueued, as it is not pinned.
 */
static mnp_status make_lists(task *t, int count, const mnp__matrices *matrices, const size_t *elements, void **lists_p,
                             void **begins)
{
    const int64_t batch = t->job->batch;
    const size_t bytes = (size_t)(count * batch) * sizeof(void *);
    void **list = NULL, *lists = NULL;
    MNP_TRY(mnp__malloc(bytes, &list));
    for (int i = 0; i < count; i++)
        for (int64_t b = 0; b < batch; b++)
            list[i * batch + b] = (char *)matrices[i].data + (size_t)(b * matrices[i].step) * elements[i];
    mnp_status st = t->device->ops->alloc(t->device, bytes, &lists);
    if (st == MNP_OK)
        st = t->device->ops->copy(t->device, lists, list, bytes, t->stream);
    free(list);
    if (st != MNP_OK) {
        t->device->ops->free(t->device, lists);
        return st;
    }
    for (int i = 0; i < count; i++)
        begins[i] = (void **)lists + i * batch;
    *lists_p = lists;
    return MNP_OK;
}

/* ---- Cholesky ---- */

static mnp_status potrf(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *a;
    size_t bytes, cpu_bytes;
    const int n = (int)job->n, lda = (int)job->a.ld, batch = (int)job->batch;
    MNP_TRY(begin(device, job, stream, &t));
    if (is_batch_of_small(job)) {
        MNP_TRY(make_lists(&t, 1, &job->a, &t.element, &lists, &a));
        const mnp_status st =
            CALL(&t, CUSOLVER, cusolverDn, potrfBatched, t.with->handle, triangle_of(job), n, a, lda, job->info, batch);
        device->ops->free(device, lists);
        return st;
    }
    MNP_TRY(CUSOLVER(cusolverDnXpotrf_bufferSize, t.with->handle, t.with->params, triangle_of(job), n, t.data,
                     job->a.data, lda, t.data, &bytes, &cpu_bytes));
    mnp_status st = get_work(&t, bytes, cpu_bytes);
    for (int b = 0; b < batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXpotrf, t.with->handle, t.with->params, triangle_of(job), n, t.data, at(&t, &job->a, b),
                      lda, t.data, t.work, bytes, t.cpu_work, cpu_bytes, job->info + b);
    return end(&t, st);
}

/* ---- LU ---- */

static mnp_status getrf(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *a;
    int elements = 0;
    const int m = (int)job->m, n = (int)job->n, lda = (int)job->a.ld, batch = (int)job->batch;
    MNP_TRY(begin(device, job, stream, &t));
    if (is_batch_of_small(job) && m == n) {
        MNP_TRY(make_lists(&t, 1, &job->a, &t.element, &lists, &a));
        const mnp_status st =
            CALL(&t, CUBLAS, cublas, getrfBatched, t.with->cublas, n, a, lda, job->pivots, job->info, batch);
        device->ops->free(device, lists);
        return st;
    }
    MNP_TRY(CALL(&t, CUSOLVER, cusolverDn, getrf_bufferSize, t.with->handle, m, n, job->a.data, lda, &elements));
    mnp_status st = get_work(&t, (size_t)elements * t.element, 0);
    for (int b = 0; b < batch && st == MNP_OK; b++)
        st = CALL(&t, CUSOLVER, cusolverDn, getrf, t.with->handle, m, n, at(&t, &job->a, b), lda, t.work,
                  job->pivots + (int64_t)b * least(job), job->info + b);
    return end(&t, st);
}

static mnp_status getrs(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *begins[2];
    int info = 0;
    const int n = (int)job->n, k = (int)job->k, lda = (int)job->a.ld, ldb = (int)job->b.ld, batch = (int)job->batch;
    MNP_TRY(begin(device, job, stream, &t));
    if (is_batch_of_small(job)) {
        MNP_TRY(make_lists(&t, 2, (const mnp__matrices[]){job->a, job->b}, (const size_t[]){t.element, t.element},
                           &lists, begins));
        const mnp_status st = CALL(&t, CUBLAS, cublas, getrsBatched, t.with->cublas, op_of(job->op), n, k, begins[0],
                                   lda, job->pivots, begins[1], ldb, &info, batch);
        device->ops->free(device, lists);
        return st;
    }
    mnp_status st = get_work(&t, sizeof(int), 0);
    for (int b = 0; b < batch && st == MNP_OK; b++)
        st = CALL(&t, CUSOLVER, cusolverDn, getrs, t.with->handle, op_of(job->op), n, k, at(&t, &job->a, b), lda,
                  job->pivots + (int64_t)b * n, at(&t, &job->b, b), ldb, t.work);
    return end(&t, st);
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

static mnp_status getri(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    void *lists = NULL, *begins[2];
    const int n = (int)job->n, lda = (int)job->a.ld, ldb = (int)job->b.ld, batch = (int)job->batch;
    mnp_status st;
    MNP_TRY(begin(device, job, stream, &t));
    if (is_batch_of_small(job)) {
        MNP_TRY(make_lists(&t, 2, (const mnp__matrices[]){job->a, job->b}, (const size_t[]){t.element, t.element},
                           &lists, begins));
        st = get_work(&t, (size_t)batch * sizeof(int), 0);
        if (st == MNP_OK)
            st = CALL(&t, CUBLAS, cublas, getriBatched, t.with->cublas, n, begins[0], lda, job->pivots, begins[1], ldb,
                      t.work, batch);
        device->ops->free(device, lists);
        return end(&t, st);
    }
    for (int b = 0; b < batch; b++) {
        void *inverse = at(&t, &job->b, b);
        MNP_TRY(device->ops->fill(device, inverse, 0, (size_t)(job->b.ld * job->n) * t.element, stream));
        MNP_TRY(set_diagonal(&t, inverse, job->b.ld, job->n));
    }
    mnp__lapack_job solve = *job;
    solve.k = job->n;
    solve.op = 'N';
    return getrs(device, &solve, stream);
}

static mnp_status laswp(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    MNP_TRY(begin(device, job, stream, &t));
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
    MNP_TRY(make_lists(t, 2, (const mnp__matrices[]){job->a, factors}, (const size_t[]){t->element, t->element}, &lists,
                       begins));
    const mnp_status st = CALL(t, CUBLAS, cublas, geqrfBatched, t->with->cublas, (int)job->m, (int)job->n, begins[0],
                               (int)job->a.ld, begins[1], &info, (int)job->batch);
    t->device->ops->free(t->device, lists);
    return st;
}

static mnp_status geqrf(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    MNP_TRY(begin(device, job, stream, &t));
    if (is_batch_of_small(job))
        return geqrf_batch(&t);
    MNP_TRY(CUSOLVER(cusolverDnXgeqrf_bufferSize, t.with->handle, t.with->params, job->m, job->n, t.data, job->a.data,
                     job->a.ld, t.data, job->values, t.data, &bytes, &cpu_bytes));
    const size_t report = (bytes + 255) / 256 * 256; /* the report is not asked for */
    mnp_status st = get_work(&t, report + sizeof(int), cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXgeqrf, t.with->handle, t.with->params, job->m, job->n, t.data, at(&t, &job->a, b),
                      job->a.ld, t.data, values_at(&t, b, least(job), t.element), t.data, t.work, bytes, t.cpu_work,
                      cpu_bytes, (int *)(void *)((char *)t.work + report));
    return end(&t, st);
}

/* The workspace of so many elements, and behind it the report, which is not asked for. */
static mnp_status get_elements(task *t, int elements, int **info_p)
{
    const size_t bytes = ((size_t)elements * t->element + 255) / 256 * 256;
    MNP_TRY(get_work(t, bytes + sizeof(int), 0));
    *info_p = (int *)(void *)((char *)t->work + bytes);
    return MNP_OK;
}

static mnp_status orgqr(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    int elements = 0, *info = NULL;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = (int)job->a.ld;
    MNP_TRY(begin(device, job, stream, &t));
    MNP_TRY(CALL_ORTHOGONAL(&t, gqr_bufferSize, t.with->handle, m, n, k, job->a.data, lda, job->values, &elements));
    mnp_status st = get_elements(&t, elements, &info);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CALL_ORTHOGONAL(&t, gqr, t.with->handle, m, n, k, at(&t, &job->a, b), lda, values_at(&t, b, k, t.element),
                             t.work, elements, info);
    return end(&t, st);
}

static mnp_status ormqr(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    int elements = 0, *info = NULL;
    const int m = (int)job->m, n = (int)job->n, k = (int)job->k, lda = (int)job->a.ld, ldb = (int)job->b.ld;
    MNP_TRY(begin(device, job, stream, &t));
    const cublasOperation_t op = job->op == 'N' ? CUBLAS_OP_N : t.type >= 2 ? CUBLAS_OP_C : CUBLAS_OP_T;
    MNP_TRY(CALL_ORTHOGONAL(&t, mqr_bufferSize, t.with->handle, CUBLAS_SIDE_LEFT, op, m, n, k, job->a.data, lda,
                            job->values, job->b.data, ldb, &elements));
    mnp_status st = get_elements(&t, elements, &info);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CALL_ORTHOGONAL(&t, mqr, t.with->handle, CUBLAS_SIDE_LEFT, op, m, n, k, at(&t, &job->a, b), lda,
                             values_at(&t, b, k, t.element), at(&t, &job->b, b), ldb, t.work, elements, info);
    return end(&t, st);
}

/* ---- eigenvalues ---- */

#if HAVE_BATCHED_EIGH
static mnp_status heevd_batch(task *t, cusolverEigMode_t mode)
{
    const mnp__lapack_job *job = t->job;
    size_t bytes, cpu_bytes;
    MNP_TRY(CUSOLVER(cusolverDnXsyevBatched_bufferSize, t->with->handle, t->with->params, mode, triangle_of(job),
                     job->n, t->data, job->a.data, job->a.ld, t->real, job->values, t->data, &bytes, &cpu_bytes,
                     job->batch));
    mnp_status st = get_work(t, bytes, cpu_bytes);
    if (st == MNP_OK)
        st = CUSOLVER(cusolverDnXsyevBatched, t->with->handle, t->with->params, mode, triangle_of(job), job->n, t->data,
                      job->a.data, job->a.ld, t->real, job->values, t->data, t->work, bytes, t->cpu_work, cpu_bytes,
                      job->info, job->batch);
    return end(t, st);
}
#endif

static mnp_status heevd(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    const cusolverEigMode_t mode = job->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    MNP_TRY(begin(device, job, stream, &t));
#if HAVE_BATCHED_EIGH
    if (job->batch > 1 && job->a.step == job->a.ld * job->n)
        return heevd_batch(&t, mode);
#endif
    MNP_TRY(CUSOLVER(cusolverDnXsyevd_bufferSize, t.with->handle, t.with->params, mode, triangle_of(job), job->n,
                     t.data, job->a.data, job->a.ld, t.real, job->values, t.data, &bytes, &cpu_bytes));
    mnp_status st = get_work(&t, bytes, cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXsyevd, t.with->handle, t.with->params, mode, triangle_of(job), job->n, t.data,
                      at(&t, &job->a, b), job->a.ld, t.real, values_at(&t, b, job->n, t.real_bytes), t.data, t.work,
                      bytes, t.cpu_work, cpu_bytes, job->info + b);
    return end(&t, st);
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
static mnp_status geev(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    MNP_TRY(begin(device, job, stream, &t));
    const bool packs = t.type < 2 && job->vectors;
    const cudaDataType values = t.real == CUDA_R_64F ? CUDA_C_64F : CUDA_C_32F;
    const cusolverEigMode_t mode = job->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR,
                            none = CUSOLVER_EIG_MODE_NOVECTOR;
    const int64_t n = job->n, ldv = packs || !job->vectors ? n : job->b.ld;
    MNP_TRY(CUSOLVER(cusolverDnXgeev_bufferSize, t.with->handle, t.with->params, none, mode, n, t.data, job->a.data,
                     job->a.ld, values, job->values, t.data, NULL, n, t.data, job->vectors ? job->b.data : NULL, ldv,
                     t.data, &bytes, &cpu_bytes));
    const size_t before = (bytes + 255) / 256 * 256;
    mnp_status st = get_work(&t, before + (packs ? (size_t)(n * n) * t.real_bytes : 0), cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++) {
        void *vectors = packs ? (char *)t.work + before : job->vectors ? at(&t, &job->b, b) : NULL;
        st = CUSOLVER(cusolverDnXgeev, t.with->handle, t.with->params, none, mode, n, t.data, at(&t, &job->a, b),
                      job->a.ld, values, values_at(&t, b, n, 2 * t.real_bytes), t.data, NULL, n, t.data, vectors, ldv,
                      t.data, t.work, bytes, t.cpu_work, cpu_bytes, job->info + b);
        if (st == MNP_OK && packs)
            st = unpack(&t, b, vectors);
    }
    return end(&t, st);
}
#else
static mnp_status geev(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
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

/* V^H of V (n x n), of every matrix. */
static mnp_status turn(const task *t, const char *v)
{
    const mnp__lapack_job *job = t->job;
    const int n = (int)job->n, ld = (int)job->c.ld;
    const cublasOperation_t op = t->type >= 2 ? CUBLAS_OP_C : CUBLAS_OP_T;
    const float f[2][2] = {{1, 0}, {0, 0}};
    const double d[2][2] = {{1, 0}, {0, 0}};
    const void *one = t->real_bytes == sizeof(double) ? (const void *)d[0] : f[0];
    const void *zero = t->real_bytes == sizeof(double) ? (const void *)d[1] : f[1];
    for (int64_t b = 0; b < job->batch; b++) {
        const void *from = v + (size_t)(b * n * n) * t->element;
        void *to = at(t, &job->c, b);
        MNP_TRY(
            CALL(t, CUBLAS, cublas, geam, t->with->cublas, op, CUBLAS_OP_N, n, n, one, from, n, zero, to, ld, to, ld));
    }
    return MNP_OK;
}

/* Jacobi's method for small matrices; it computes all columns of U, of which the first n are wanted unless `full`. */
static mnp_status gesdd_batch(task *t)
{
    const mnp__lapack_job *job = t->job;
    const int m = (int)job->m, n = (int)job->n, lda = (int)job->a.ld, batch = (int)job->batch;
    const size_t u_bytes = (size_t)(batch * (int64_t)m * m) * t->element,
                 v_bytes = (size_t)(batch * (int64_t)n * n) * t->element;
    const cusolverEigMode_t mode = job->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    cuda_device *cuda = (cuda_device *)t->device;
    int elements = 0;
    MNP_TRY(CALL(t, CUSOLVER, cusolverDn, gesvdjBatched_bufferSize, t->with->handle, mode, m, n, job->a.data, lda,
                 job->values, job->a.data, m, job->a.data, n, &elements, t->with->jacobi, batch));
    const size_t bytes = ((size_t)elements * t->element + 255) / 256 * 256, u_room = (u_bytes + 255) / 256 * 256;
    mnp_status st = get_work(t, bytes + u_room + v_bytes, 0);
    void *u = (char *)t->work + bytes, *v = (char *)t->work + bytes + u_room;
    if (st == MNP_OK)
        st = CALL(t, CUSOLVER, cusolverDn, gesvdjBatched, t->with->handle, mode, m, n, job->a.data, lda, job->values, u,
                  m, v, n, t->work, elements, job->info, t->with->jacobi, batch);
    if (st == MNP_OK && job->vectors) {
        st = RUNTIME(cuda, cudaMemcpy2DAsync, job->b.data, (size_t)job->b.step * t->element, u,
                     (size_t)(m * m) * t->element, (size_t)(m * (job->full ? m : n)) * t->element, (size_t)batch,
                     cudaMemcpyDeviceToDevice, mnp__cuda_stream(t->stream));
        if (st == MNP_OK)
            st = turn(t, v);
    }
    return end(t, st);
}

static mnp_status gesdd(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream)
{
    task t;
    size_t bytes, cpu_bytes;
    MNP_TRY(begin(device, job, stream, &t));
    if (job->batch > 1 && job->m <= SMALL_SVD && job->n <= SMALL_SVD && job->a.step == job->a.ld * job->n)
        return gesdd_batch(&t);
    const signed char u = (signed char)(!job->vectors ? 'N'
                                        : job->full   ? 'A'
                                                      : 'S'),
                      v = (signed char)(!job->vectors ? 'N' : 'S');
    const int64_t ldu = job->vectors ? job->b.ld : job->m, ldv = job->vectors ? job->c.ld : job->n;
    MNP_TRY(CUSOLVER(cusolverDnXgesvd_bufferSize, t.with->handle, t.with->params, u, v, job->m, job->n, t.data,
                     job->a.data, job->a.ld, t.real, job->values, t.data, job->b.data, ldu, t.data, job->c.data, ldv,
                     t.data, &bytes, &cpu_bytes));
    mnp_status st = get_work(&t, bytes, cpu_bytes);
    for (int64_t b = 0; b < job->batch && st == MNP_OK; b++)
        st = CUSOLVER(cusolverDnXgesvd, t.with->handle, t.with->params, u, v, job->m, job->n, t.data,
                      at(&t, &job->a, b), job->a.ld, t.real, values_at(&t, b, job->n, t.real_bytes), t.data,
                      job->vectors ? at(&t, &job->b, b) : NULL, ldu, t.data, job->vectors ? at(&t, &job->c, b) : NULL,
                      ldv, t.data, t.work, bytes, t.cpu_work, cpu_bytes, job->info + b);
    return end(&t, st);
}

const mnp__lapack_ops mnp__cuda_lapack = {
    MNP__LAPACK_OPERATIONS,
};
