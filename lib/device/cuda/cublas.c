/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices and triangular systems on GPUs, by cuBLAS.
 *
 * The library is loaded, and its handle made, for the first product, which takes a part of a second and cannot be
 * recorded into a graph.  Its workspace is ours: what cuBLAS would allocate by itself could not be recorded either, and
 * without a workspace its fastest kernels for Hopper are not used.
 */
#include <config.h>

#include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/process/library.h"
#include "base/status.h"
#include "device/blas.h"
#include "device/cuda/cuda.h"

/* NVIDIA recommends 32 MiB for Hopper, 4 MiB for others. */
enum { WORKSPACE = 32 << 20 };

struct mnp__cublas {
    cublasHandle_t handle;
    mnp__stream *stream; /* that the handle was last set to */
    void *workspace;
};

#define CUBLAS_FUNCTIONS(X)                                                                                            \
    X(cublasCreate_v2)                                                                                                 \
    X(cublasDestroy_v2)                                                                                                \
    X(cublasGetStatusString)                                                                                           \
    X(cublasSetStream_v2)                                                                                              \
    X(cublasSetWorkspace_v2)                                                                                           \
    X(cublasGemmStridedBatchedEx_64)                                                                                   \
    X(cublasStrsm_v2_64)                                                                                               \
    X(cublasDtrsm_v2_64)                                                                                               \
    X(cublasCtrsm_v2_64)                                                                                               \
    X(cublasZtrsm_v2_64)
static struct {
    CUBLAS_FUNCTIONS(MNP__LIBRARY_FIELD)
} cublas;

static mnp_status load_cublas(void)
{
    static const char *const names[] = {CUBLAS_FUNCTIONS(MNP__LIBRARY_NAME)};
    static void *library;
    char file[32];
    snprintf(file, sizeof file, "libcublas.so.%d", CUBLAS_VER_MAJOR);
    return mnp__library_load(&library, file, names, sizeof names / sizeof *names, &cublas);
}

#define CUBLAS(call, ...) cublas_status(cublas.call(__VA_ARGS__), #call)

static mnp_status cublas_status(cublasStatus_t code, const char *call)
{
    if (code == CUBLAS_STATUS_SUCCESS)
        return MNP_OK;
    return MNP_FAIL(code == CUBLAS_STATUS_ALLOC_FAILED ? MNP_ERR_MEMORY : MNP_ERR_DEVICE, "%s: %s", call,
                    cublas.cublasGetStatusString(code));
}

static mnp_status make(mnp__device *device, struct mnp__cublas **made_p)
{
    struct mnp__cublas *made = *made_p;
    MNP_TRY(CUBLAS(cublasCreate_v2, &made->handle));
    return device->ops->alloc(device, WORKSPACE, &made->workspace);
}

static void release(mnp__device *device, struct mnp__cublas *made)
{
    if (made->handle)
        (void)cublas.cublasDestroy_v2(made->handle);
    device->ops->free(device, made->workspace);
    free(made);
}

static mnp_status need(mnp__device *device, const char *function)
{
    cuda_device *cuda = (cuda_device *)device;
    struct mnp__cublas *made;
    (void)function;
    if (cuda->cublas)
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(device, "loading cuBLAS"));
    MNP_TRY(load_cublas());
    MNP_TRY(mnp__cuda_use(device));
    MNP_TRY(mnp__calloc(1, sizeof *made, &made));
    const mnp_status st = make(device, &made);
    if (st == MNP_OK)
        cuda->cublas = made;
    else
        release(device, made);
    return st;
}

void mnp__cublas_close(cuda_device *cuda)
{
    if (cuda->cublas)
        release(&cuda->base, cuda->cublas);
    cuda->cublas = NULL;
}

/* The handle, set to a stream.  A change of the stream makes cuBLAS forget the workspace. */
static mnp_status handle_for(mnp__device *device, mnp__stream *stream, cublasHandle_t *handle_p)
{
    cuda_device *cuda = (cuda_device *)device;
    MNP_TRY(need(device, "a product of matrices"));
    MNP_TRY(mnp__cuda_use(device));
    struct mnp__cublas *made = cuda->cublas;
    if (made->stream != stream) {
        MNP_TRY(CUBLAS(cublasSetStream_v2, made->handle, mnp__cuda_stream(stream)));
        MNP_TRY(CUBLAS(cublasSetWorkspace_v2, made->handle, made->workspace, WORKSPACE));
        made->stream = stream;
    }
    *handle_p = made->handle;
    return MNP_OK;
}

static bool type_of(mnp_dtype dtype, cudaDataType_t *type_p)
{
    switch (dtype) {
    case MNP_INT8:
        *type_p = CUDA_R_8I;
        return true;
    case MNP_INT32: /* of results alone */
        *type_p = CUDA_R_32I;
        return true;
    case MNP_FLOAT16:
        *type_p = CUDA_R_16F;
        return true;
    case MNP_BFLOAT16:
        *type_p = CUDA_R_16BF;
        return true;
    case MNP_FLOAT32:
        *type_p = CUDA_R_32F;
        return true;
    case MNP_FLOAT64:
        *type_p = CUDA_R_64F;
        return true;
    case MNP_COMPLEX64:
        *type_p = CUDA_C_32F;
        return true;
    case MNP_COMPLEX128:
        *type_p = CUDA_C_64F;
        return true;
    default:
        return false;
    }
}

static bool takes(mnp__device *device, mnp_dtype dtype)
{
    cudaDataType_t type;
    (void)device;
    return dtype != MNP_INT32 && type_of(dtype, &type);
}

static cublasOperation_t op_of(mnp__blas_op op)
{
    return op == MNP__BLAS_N ? CUBLAS_OP_N : op == MNP__BLAS_T ? CUBLAS_OP_T : CUBLAS_OP_C;
}

/* alpha or beta in the type in which cuBLAS computes */
typedef union scalar {
    float f[2];
    double d[2];
    int32_t i;
} scalar;

static scalar scalar_of(mnp_dtype dtype, const double *value)
{
    scalar s;
    if (dtype == MNP_INT8)
        s.i = (int32_t)value[0];
    else if (mnp__dtype_is_double(dtype))
        s.d[0] = value[0], s.d[1] = value[1];
    else
        s.f[0] = (float)value[0], s.f[1] = (float)value[1];
    return s;
}

static const char *at(const void *matrix, mnp_dtype dtype, int64_t elements)
{
    return (const char *)matrix + elements * (int64_t)mnp_dtype_size(dtype);
}

/* Some products of a batch. */
static mnp_status multiply(cublasHandle_t handle, const mnp__gemm *g, int64_t first, int64_t count)
{
    const mnp_dtype c_dtype = g->result == MNP_DTYPE_AUTO ? g->dtype : g->result;
    const scalar alpha = scalar_of(g->dtype, g->alpha), beta = scalar_of(g->dtype, g->beta);
    const cublasComputeType_t compute = g->dtype == MNP_INT8             ? CUBLAS_COMPUTE_32I
                                        : mnp__dtype_is_double(g->dtype) ? CUBLAS_COMPUTE_64F
                                        : g->tf32                        ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                         : CUBLAS_COMPUTE_32F;
    cudaDataType_t type, result;
    if (!type_of(g->dtype, &type) || !type_of(c_dtype, &result))
        return MNP_FAIL(MNP_ERR_INTERNAL, "cuBLAS was asked for a product of %s", mnp_dtype_name(g->dtype));
    return CUBLAS(cublasGemmStridedBatchedEx_64, handle, op_of(g->op_a), op_of(g->op_b), g->m, g->n, g->k, &alpha,
                  at(g->a, g->dtype, first * g->stride_a), type, g->lda, g->stride_a,
                  at(g->b, g->dtype, first * g->stride_b), type, g->ldb, g->stride_b, &beta,
                  (char *)at(g->c, c_dtype, first * g->stride_c), result, g->ldc, g->stride_c, count, compute,
                  CUBLAS_GEMM_DEFAULT);
}

/*
 * Whether a batch is done one by one: of int8, if a product fills the GPU; 14 products of 8192^3 take 12.1 ms so on an
 * H200, and 14.2 as a batch.
 */
static bool goes_one_by_one(const mnp__gemm *g)
{
    return g->dtype == MNP_INT8 && g->m * g->n >= (1 << 22);
}

static mnp_status gemm(mnp__device *device, const mnp__gemm *g, mnp__stream *stream)
{
    cublasHandle_t handle;
    MNP_TRY(handle_for(device, stream, &handle));
    if (g->m == 0 || g->n == 0 || g->batch == 0)
        return MNP_OK;
    const int64_t count = goes_one_by_one(g) ? 1 : g->batch;
    for (int64_t i = 0; i < g->batch; i += count)
        MNP_TRY(multiply(handle, g, i, count));
    return MNP_OK;
}

static mnp_status solve_one(cublasHandle_t handle, const mnp__trsm *s, const void *a, void *b)
{
    const scalar alpha = scalar_of(s->dtype, s->alpha);
    const cublasSideMode_t side = s->right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
    const cublasFillMode_t triangle = s->upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const cublasDiagType_t diagonal = s->unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    const cublasOperation_t op = op_of(s->op);
    switch (s->dtype) {
    case MNP_FLOAT32:
        return CUBLAS(cublasStrsm_v2_64, handle, side, triangle, op, diagonal, s->m, s->n, alpha.f, a, s->lda, b,
                      s->ldb);
    case MNP_FLOAT64:
        return CUBLAS(cublasDtrsm_v2_64, handle, side, triangle, op, diagonal, s->m, s->n, alpha.d, a, s->lda, b,
                      s->ldb);
    case MNP_COMPLEX64:
        return CUBLAS(cublasCtrsm_v2_64, handle, side, triangle, op, diagonal, s->m, s->n, (const cuComplex *)&alpha, a,
                      s->lda, b, s->ldb);
    case MNP_COMPLEX128:
        return CUBLAS(cublasZtrsm_v2_64, handle, side, triangle, op, diagonal, s->m, s->n,
                      (const cuDoubleComplex *)&alpha, a, s->lda, b, s->ldb);
    default:
        return MNP_FAIL(MNP_ERR_INTERNAL, "cuBLAS was asked for a triangular system of %s", mnp_dtype_name(s->dtype));
    }
}

/* cuBLAS's batches of triangular systems want lists of pointers in device memory; a launch for each matrix does not. */
static mnp_status trsm(mnp__device *device, const mnp__trsm *s, mnp__stream *stream)
{
    cublasHandle_t handle;
    const int64_t size = (int64_t)mnp_dtype_size(s->dtype);
    MNP_TRY(handle_for(device, stream, &handle));
    if (s->m == 0 || s->n == 0)
        return MNP_OK;
    for (int64_t i = 0; i < s->batch; i++)
        MNP_TRY(
            solve_one(handle, s, (const char *)s->a + i * s->stride_a * size, (char *)s->b + i * s->stride_b * size));
    return MNP_OK;
}

const mnp__blas_ops mnp__cuda_blas = {.need = need, .takes = takes, .gemm = gemm, .trsm = trsm};
