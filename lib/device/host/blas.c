/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices and triangular systems on the host, by the Fortran interface of BLAS.
 *
 * The library is loaded when it is first needed, and stays loaded.  It is not linked, because OpenBLAS would then start
 * its threads in every program.  OpenBLAS uses as many threads as the rank has cores, and its setting is restored after
 * every call, as another user of the library in this process may have chosen it.  A batch of at least so many matrices
 * is divided among the device's own threads instead, each of which calls BLAS for one matrix after the other.
 *
 * BLAS counts in 32 bits.  Products with longer dimensions are done in pieces; only distances between columns that are
 * longer are refused.
 */
#include <config.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"
#include "device/blas.h"
#include "device/host/host.h"

enum { LONGEST = 1 << 30 }; /* extent of a piece */

typedef void gemm_function(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
                           const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                           const void *beta, void *c, const int *ldc, size_t, size_t);
typedef void gemv_function(const char *op, const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                           const void *x, const int *incx, const void *beta, void *y, const int *incy, size_t);
typedef void trsm_function(const char *side, const char *triangle, const char *op, const char *diagonal, const int *m,
                           const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
                           size_t, size_t, size_t, size_t);

/* By type: s, d, c, z.  The lengths of strings at the end are what Fortran compilers add. */
enum { TYPES = 4 };
static struct {
    bool found;
    gemm_function *gemm[TYPES];
    gemv_function *gemv[TYPES];
    trsm_function *trsm[TYPES];
    int (*get_threads)(void); /* functions of OpenBLAS; NULL for another library */
    void (*set_threads)(int count);
} blas;

static bool find_all(void *library)
{
    for (int t = 0; t < TYPES; t++) {
        char name[] = "?gemm_";
        name[0] = "sdcz"[t];
        *(void **)&blas.gemm[t] = dlsym(library, name);
        name[4] = 'v';
        *(void **)&blas.gemv[t] = dlsym(library, name);
        memcpy(name + 1, "trsm", 4);
        *(void **)&blas.trsm[t] = dlsym(library, name);
        if (!blas.gemm[t] || !blas.gemv[t] || !blas.trsm[t])
            return false;
    }
    *(void **)&blas.get_threads = dlsym(library, "openblas_get_num_threads");
    *(void **)&blas.set_threads = dlsym(library, "openblas_set_num_threads");
    return true;
}

static mnp_status need(mnp__device *device, const char *function)
{
    static const char *const names[] = {"libopenblas.so.0", "libblas.so.3"};
    (void)device;
    for (size_t i = 0; i < sizeof names / sizeof *names && !blas.found; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        blas.found = library && find_all(library);
    }
    return blas.found ? MNP_OK
                      : MNP_FAIL(MNP_ERR_UNSUPPORTED,
                                 "%s needs BLAS, and there is neither libopenblas.so.0 nor libblas.so.3 here: install "
                                 "OpenBLAS (Debian and Ubuntu: libopenblas0)",
                                 function);
}

/* Set how many threads OpenBLAS uses, once it is loaded; returns the number before. */
static int set_threads(int count)
{
    if (!blas.get_threads || !blas.set_threads)
        return count;
    const int before = blas.get_threads();
    if (before != count)
        blas.set_threads(count);
    return before;
}

static int type_of(mnp_dtype dtype)
{
    switch (dtype) {
    case MNP_FLOAT32:
        return 0;
    case MNP_FLOAT64:
        return 1;
    case MNP_COMPLEX64:
        return 2;
    case MNP_COMPLEX128:
        return 3;
    default:
        return -1;
    }
}

static bool takes(mnp__device *device, mnp_dtype dtype)
{
    (void)device;
    return type_of(dtype) >= 0;
}

/* alpha or beta in the type of the matrices */
typedef union scalar {
    float f[2];
    double d[2];
} scalar;

static scalar scalar_of(int type, const double *value)
{
    scalar s;
    if (type % 2 == 0)
        s.f[0] = (float)value[0], s.f[1] = (float)value[1];
    else
        s.d[0] = value[0], s.d[1] = value[1];
    return s;
}

static const void *at(const void *matrix, mnp_dtype dtype, int64_t elements)
{
    return matrix ? (const char *)matrix + elements * (int64_t)mnp_dtype_size(dtype) : NULL;
}

/* ---- products ---- */

/* A matrix times a vector, which BLAS's general product is slow at; false: the vector would have to be conjugated. */
static bool multiply_vector(int type, const mnp__gemm *g, const void *a, const void *b, const scalar *beta, void *c)
{
    const scalar alpha = scalar_of(type, g->alpha);
    const bool column = g->n == 1;
    const mnp__blas_op op = column ? g->op_a : g->op_b, vector = column ? g->op_b : g->op_a;
    if (vector == MNP__BLAS_C || (!column && op == MNP__BLAS_C))
        return false;
    /* a row is the transposed matrix times a column */
    const char letter = column ? (char)op : op == MNP__BLAS_N ? 'T' : 'N';
    const int64_t rows = column ? (op == MNP__BLAS_N ? g->m : g->k) : (op == MNP__BLAS_N ? g->k : g->n);
    const int64_t columns = column ? (op == MNP__BLAS_N ? g->k : g->m) : (op == MNP__BLAS_N ? g->n : g->k);
    const int m = (int)rows, n = (int)columns, lda = (int)(column ? g->lda : g->ldb);
    const int incx = (int)(column ? (vector == MNP__BLAS_N ? 1 : g->ldb) : (vector == MNP__BLAS_N ? g->lda : 1));
    const int incy = (int)(column ? 1 : g->ldc);
    blas.gemv[type](&letter, &m, &n, &alpha, column ? a : b, &lda, column ? b : a, &incx, beta, c, &incy, 1);
    return true;
}

/* A product whose extents BLAS can count. */
static void multiply_piece(int type, const mnp__gemm *g, const void *a, const void *b, const double *beta_given,
                           void *c)
{
    const scalar alpha = scalar_of(type, g->alpha), beta = scalar_of(type, beta_given);
    const char op_a = (char)g->op_a, op_b = (char)g->op_b;
    const int m = (int)g->m, n = (int)g->n, k = (int)g->k, lda = (int)g->lda, ldb = (int)g->ldb, ldc = (int)g->ldc;
    if ((m == 1 || n == 1) && k > 0 && multiply_vector(type, g, a, b, &beta, c))
        return;
    blas.gemm[type](&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

static void multiply_one(const mnp__gemm *g, int64_t index)
{
    static const double one[2] = {1, 0};
    const int type = type_of(g->dtype);
    const void *a = at(g->a, g->dtype, index * g->stride_a), *b = at(g->b, g->dtype, index * g->stride_b);
    const void *c = at(g->c, g->dtype, index * g->stride_c);
    for (int64_t j = 0; j < g->n; j += LONGEST)
        for (int64_t i = 0; i < g->m; i += LONGEST)
            for (int64_t p = 0; p == 0 || p < g->k; p += LONGEST) {
                mnp__gemm piece = *g;
                piece.m = mnp__min(g->m - i, LONGEST), piece.n = mnp__min(g->n - j, LONGEST);
                piece.k = mnp__min(g->k - p, LONGEST);
                multiply_piece(type, &piece, at(a, g->dtype, g->op_a == MNP__BLAS_N ? i + p * g->lda : p + i * g->lda),
                               at(b, g->dtype, g->op_b == MNP__BLAS_N ? p + j * g->ldb : j + p * g->ldb),
                               p == 0 ? g->beta : one, (void *)at(c, g->dtype, i + j * g->ldc));
            }
}

static void multiply_share(const void *argument, int share, int shares)
{
    const mnp__gemm *g = argument;
    for (int64_t i = g->batch * share / shares; i < g->batch * (share + 1) / shares; i++)
        multiply_one(g, i);
}

static void solve_share(const void *argument, int share, int shares)
{
    const mnp__trsm *s = argument;
    const int type = type_of(s->dtype);
    const scalar alpha = scalar_of(type, s->alpha);
    const char op = (char)s->op;
    const int m = (int)s->m, n = (int)s->n, lda = (int)s->lda, ldb = (int)s->ldb;
    for (int64_t i = s->batch * share / shares; i < s->batch * (share + 1) / shares; i++)
        blas.trsm[type](s->right ? "R" : "L", s->upper ? "U" : "L", &op, s->unit ? "U" : "N", &m, &n, &alpha,
                        at(s->a, s->dtype, i * s->stride_a), &lda, (void *)at(s->b, s->dtype, i * s->stride_b), &ldb, 1,
                        1, 1, 1);
}

/* Do the batch: by our threads if there is a matrix for each, otherwise by those of BLAS. */
static mnp_status run(mnp__device *device, int64_t batch, void (*function)(const void *, int, int),
                      const void *argument)
{
    const mnp__host_device *host = (const mnp__host_device *)device;
    const bool divides = host->threads > 1 && batch >= host->threads;
    const mnp__launch launch = {.grid = {divides ? (unsigned)mnp__min(batch, host->threads) : 1, 1, 1}};
    const int before = set_threads(divides ? 1 : host->threads);
    const mnp_status st = mnp__host_run(device, &launch, function, argument);
    (void)set_threads(before);
    return st;
}

static mnp_status check_distance(int64_t ld)
{
    return ld <= INT32_MAX
               ? MNP_OK
               : MNP_FAIL(MNP_ERR_UNSUPPORTED,
                          "the columns of a matrix are %" PRId64 " elements apart, and BLAS counts in 32 bits", ld);
}

static mnp_status gemm(mnp__device *device, const mnp__gemm *g, mnp__stream *stream)
{
    (void)stream;
    MNP_TRY(need(device, "a product of matrices"));
    if (g->m == 0 || g->n == 0 || g->batch == 0)
        return MNP_OK;
    MNP_TRY(check_distance(mnp__max(g->lda, g->ldb)));
    MNP_TRY(check_distance(g->ldc));
    return run(device, g->batch, multiply_share, g);
}

static mnp_status trsm(mnp__device *device, const mnp__trsm *s, mnp__stream *stream)
{
    (void)stream;
    MNP_TRY(need(device, "a triangular system"));
    if (s->m == 0 || s->n == 0 || s->batch == 0)
        return MNP_OK;
    if (s->m > INT32_MAX || s->n > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "a triangular system of %" PRId64 " x %" PRId64 ", and BLAS counts in 32 bits", s->m, s->n);
    MNP_TRY(check_distance(mnp__max(s->lda, s->ldb)));
    return run(device, s->batch, solve_share, s);
}

const mnp__blas_ops mnp__host_blas = {.need = need, .takes = takes, .gemm = gemm, .trsm = trsm};
