/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations on GPUs, by cuSOLVER, and by cuBLAS for batches of small matrices.
 *
 * Both are loaded for the first factorisation.  Where neither has a batched function for a job, and if its matrices are
 * large, they are done one after the other on the stream.  Workspaces are from the device's pool, which frees in the
 * order of the stream; memory of the CPU that cuSOLVER wants is kept until the stream has done with it.
 *
 *   potrf   Xpotrf; potrfBatched            heevd   Xsyevd; XsyevBatched (cuSOLVER 11.7.1)
 *   getrf   getrf; cuBLAS's getrfBatched    heevr   Xsyevdx
 *   getrs   getrs; cuBLAS's getrsBatched    gesdd   Xgesvd
 *   getri   getrs of the identity;          geev    Xgeev (cuSOLVER 11.7.2)
 *           cuBLAS's getriBatched           gees    none
 *   geqrf   Xgeqrf; cuBLAS's geqrfBatched
 *   hetrf   sytrf; none if complex and Hermitian
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/integer.h"
#include "device/cuda/cusolver.h"

mnp__cusolver_functions mnp__cusolver;
mnp__cusolver_blas mnp__cusolver_cublas;

static mnp_status load_libraries(void)
{
    static const char *const solver_names[] = {CUSOLVER_FUNCTIONS(MNP__LIBRARY_NAME)};
    static const char *const blas_names[] = {CUBLAS_FUNCTIONS(MNP__LIBRARY_NAME)};
    static void *solver, *blas;
    char file[32];
    snprintf(file, sizeof file, "libcublas.so.%d", CUBLAS_VER_MAJOR);
    MNP_TRY(mnp__library_load(&blas, file, blas_names, sizeof blas_names / sizeof *blas_names, &mnp__cusolver_cublas));
    snprintf(file, sizeof file, "libcusolver.so.%d", CUSOLVER_VER_MAJOR);
    return mnp__library_load(&solver, file, solver_names, sizeof solver_names / sizeof *solver_names, &mnp__cusolver);
}

/* The codes of both libraries: 0 for success, ALLOC_FAILED of cuSOLVER 2, of cuBLAS 3. */
mnp_status mnp__cusolver_status(int code, const char *library, const char *call)
{
    const int no_memory = library[2] == 'S' ? (int)CUSOLVER_STATUS_ALLOC_FAILED : (int)CUBLAS_STATUS_ALLOC_FAILED;
    if (code == 0)
        return MNP_OK;
    return MNP_FAIL(code == no_memory ? MNP_ERR_MEMORY : MNP_ERR_DEVICE, "%s: error %d of %s", call, code, library);
}

/* ---- handles ---- */

static void release(struct mnp__cusolver *made)
{
    if (made->params)
        (void)mnp__cusolver.cusolverDnDestroyParams(made->params);
    if (made->handle)
        (void)mnp__cusolver.cusolverDnDestroy(made->handle);
    if (made->cublas)
        (void)mnp__cusolver_cublas.cublasDestroy_v2(made->cublas);
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

mnp_status mnp__cusolver_begin(mnp__device *device, const mnp__lapack_job *job, mnp__stream *stream, task *t)
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

mnp_status mnp__cusolver_get_work(task *t, size_t bytes, size_t cpu_bytes)
{
    t->bytes = bytes;
    t->cpu_bytes = cpu_bytes;
    MNP_TRY(t->device->ops->alloc(t->device, bytes, &t->work));
    return cpu_bytes > 0 ? mnp__malloc(cpu_bytes, &t->cpu_work) : MNP_OK;
}

/* Release the workspaces; that of the CPU is in use until the stream gets there. */
mnp_status mnp__cusolver_end(task *t, mnp_status st)
{
    if (t->cpu_work) {
        const mnp_status waited = RUNTIME((cuda_device *)t->device, cudaStreamSynchronize, mnp__cuda_stream(t->stream));
        st = st == MNP_OK ? waited : st;
    }
    free(t->cpu_work);
    t->device->ops->free(t->device, t->work);
    return st;
}

mnp_status mnp__cusolver_make_lists(task *t, int count, const mnp__matrices *matrices, const size_t *elements,
                                    void **lists_p, void **begins)
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

mnp_status mnp__cusolver_get_elements(task *t, int elements, int **info_p)
{
    const size_t bytes = mnp__round_up_bytes((size_t)elements * t->element, 256);
    MNP_TRY(mnp__cusolver_get_work(t, bytes + sizeof(int), 0));
    *info_p = (int *)(void *)((char *)t->work + bytes);
    return MNP_OK;
}

const mnp__lapack_ops mnp__cuda_lapack = {
    MNP__LAPACK_OPERATIONS(mnp__cuda_),
    .need = need,
};
