/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices and triangular systems, in all types and with all flags, on every device that is there, against
 * plain loops.
 */
#include <config.h>

#include <complex.h>
#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"
#include "device/blas.h"

typedef struct bench {
    mnp__device *device;
    const mnp__device_ops *ops;
    mnp__stream *stream;
} bench;

enum { ROOM = 4096 }; /* elements of a matrix with all that is around it */

/* The matrices on the CPU, as complex double: what is given, and what is right. */
static double _Complex a[ROOM], b[ROOM], c[ROOM], right[ROOM];

static double number(void)
{
    return (double)rand() / RAND_MAX - 0.5;
}

static void fill(double _Complex *values, mnp_dtype dtype)
{
    for (int i = 0; i < ROOM; i++)
        values[i] = dtype == MNP_INT8              ? (double)(rand() % 256 - 128)
                    : mnp_dtype_kind(dtype) == 'c' ? number() + number() * I
                                                   : number();
}

/* Between complex double and a type. */
static void convert(double _Complex *values, mnp_dtype dtype, void *typed, bool back)
{
    for (int i = 0; i < ROOM; i++) {
        switch (dtype) {
        case MNP_FLOAT32:
            back ? (void)(values[i] = ((float *)typed)[i]) : (void)(((float *)typed)[i] = (float)creal(values[i]));
            break;
        case MNP_FLOAT64:
            back ? (void)(values[i] = ((double *)typed)[i]) : (void)(((double *)typed)[i] = creal(values[i]));
            break;
        case MNP_INT8:
            back ? (void)(values[i] = ((int8_t *)typed)[i]) : (void)(((int8_t *)typed)[i] = (int8_t)creal(values[i]));
            break;
        case MNP_INT32:
            back ? (void)(values[i] = ((int32_t *)typed)[i])
                 : (void)(((int32_t *)typed)[i] = (int32_t)creal(values[i]));
            break;
        case MNP_COMPLEX64:
            back ? (void)(values[i] = ((float _Complex *)typed)[i])
                 : (void)(((float _Complex *)typed)[i] = (float _Complex)values[i]);
            break;
        default:
            memcpy(back ? (void *)&values[i] : &((double _Complex *)typed)[i],
                   back ? (const void *)&((double _Complex *)typed)[i] : &values[i], sizeof *values);
        }
    }
}

static bool drain(const bench *t)
{
    mnp__device_event *event = NULL;
    bool done = false;
    if (t->ops->event_new(t->device, &event) != MNP_OK)
        return false;
    bool good = t->ops->event_record(t->device, event, t->stream) == MNP_OK;
    for (time_t end = time(NULL) + 60; good && !done && time(NULL) < end; sched_yield())
        good = t->ops->event_query(t->device, event, &done) == MNP_OK;
    t->ops->event_free(t->device, event);
    return good && done;
}

static void *to_device(const bench *t, double _Complex *values, mnp_dtype dtype)
{
    static double _Complex typed[ROOM];
    void *memory = NULL;
    convert(values, dtype, typed, false);
    convert(values, dtype, typed, true); /* rounded as they are there */
    if (t->ops->alloc(t->device, sizeof typed, &memory) != MNP_OK ||
        t->ops->copy(t->device, memory, typed, sizeof typed, t->stream) != MNP_OK || !drain(t))
        return NULL;
    return memory;
}

static bool from_device(const bench *t, double _Complex *values, mnp_dtype dtype, void *memory)
{
    static double _Complex typed[ROOM];
    const bool good = t->ops->copy(t->device, typed, memory, sizeof typed, t->stream) == MNP_OK && drain(t);
    convert(values, dtype, typed, true);
    t->ops->free(t->device, memory);
    return good;
}

static double _Complex element(const double _Complex *matrix, mnp__blas_op op, int64_t ld, int64_t i, int64_t j)
{
    const double _Complex value = op == MNP__BLAS_N ? matrix[i + j * ld] : matrix[j + i * ld];
    return op == MNP__BLAS_C ? conj(value) : value;
}

/* Elements of size 1/2, k of them in a sum: errors of (k + 2) eps / 4, twice that if complex, and those of beta C. */
static bool near(mnp_dtype dtype, int64_t k)
{
    const double eps = dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64 ? FLT_EPSILON : DBL_EPSILON;
    for (int i = 0; i < ROOM; i++)
        if (!(cabs(c[i] - right[i]) <= 4 * (double)(k + 2) * eps)) {
            printf("# element %d is %g + %gi where %g + %gi is right\n", i, creal(c[i]), cimag(c[i]), creal(right[i]),
                   cimag(right[i]));
            return false;
        }
    return true;
}

static bool product(const bench *t, const mnp__gemm *given)
{
    mnp__gemm g = *given;
    const mnp_dtype result = g.result == MNP_DTYPE_AUTO ? g.dtype : g.result;
    fill(a, g.dtype);
    fill(b, g.dtype);
    fill(c, g.dtype);
    g.a = to_device(t, a, g.dtype);
    g.b = to_device(t, b, g.dtype);
    g.c = to_device(t, c, result);
    const double _Complex alpha = g.alpha[0] + g.alpha[1] * I, beta = g.beta[0] + g.beta[1] * I;
    memcpy(right, c, sizeof c);
    for (int64_t p = 0; p < g.batch; p++)
        for (int64_t i = 0; i < g.m; i++)
            for (int64_t j = 0; j < g.n; j++) {
                double _Complex sum = 0;
                for (int64_t l = 0; l < g.k; l++)
                    sum += element(a + p * g.stride_a, g.op_a, g.lda, i, l) *
                           element(b + p * g.stride_b, g.op_b, g.ldb, l, j);
                double _Complex *to = &right[i + j * g.ldc + p * g.stride_c];
                *to = alpha * sum + beta * *to;
            }
    bool good = t->ops->blas->gemm(t->device, &g, t->stream) == MNP_OK && from_device(t, c, result, g.c);
    t->ops->free(t->device, (void *)g.a);
    t->ops->free(t->device, (void *)g.b);
    return good && near(g.dtype, g.k);
}

/* op(A) X - alpha B, or X op(A) - alpha B, is small; the triangle that is not used holds numbers too. */
static bool system_of(const bench *t, const mnp__trsm *given)
{
    static double _Complex before[ROOM];
    mnp__trsm s = *given;
    const int64_t rows = s.right ? s.n : s.m;
    fill(a, s.dtype);
    fill(b, s.dtype);
    for (int64_t p = 0; p < s.batch; p++)
        for (int64_t i = 0; i < rows; i++)
            a[p * s.stride_a + i + i * s.lda] += s.unit ? 0 : (double)rows + 2;
    s.a = to_device(t, a, s.dtype);
    s.b = to_device(t, b, s.dtype);
    memcpy(before, b, sizeof b);
    bool good = t->ops->blas->trsm(t->device, &s, t->stream) == MNP_OK && from_device(t, b, s.dtype, s.b);
    t->ops->free(t->device, (void *)s.a);
    memcpy(right, before, sizeof right);
    memcpy(c, before, sizeof c);
    double largest = 0; /* with a unit diagonal the solution grows */
    for (int64_t p = 0; p < s.batch; p++)
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t j = 0; j < s.n; j++) {
                double _Complex sum = 0;
                for (int64_t l = 0; l < rows; l++) {
                    const int64_t r = s.right ? l : i, q = s.right ? j : l;
                    const bool stored_upper = s.op == MNP__BLAS_N ? r < q : r > q;
                    double _Complex value = element(a + p * s.stride_a, s.op, s.lda, r, q);
                    value = r == q ? (s.unit ? 1 : value) : stored_upper == s.upper ? value : 0;
                    sum += value * b[p * s.stride_b + (s.right ? i + l * s.ldb : l + j * s.ldb)];
                }
                const int64_t at = i + j * s.ldb + p * s.stride_b;
                largest = fmax(largest, cabs(b[at]));
                c[at] = sum;
                right[at] = (s.alpha[0] + s.alpha[1] * I) * before[at];
            }
    return good && near(s.dtype, (int64_t)((double)rows * (1 + largest)));
}

static const mnp_dtype dtypes[] = {MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};
static const mnp__blas_op operations[] = {MNP__BLAS_N, MNP__BLAS_T, MNP__BLAS_C};

static void test_products(const bench *t)
{
    static const int64_t sizes[][4] = {{7, 5, 9, 1}, {1, 6, 8, 2}, {6, 1, 8, 2}, {1, 1, 9, 3},
                                       {4, 3, 0, 2}, {5, 4, 1, 6}, {0, 3, 2, 1}, {3, 2, 2, 0}};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            bool good = true;
            for (int flags = 0; flags < 9; flags++)
                good &= product(t, &(mnp__gemm){.dtype = dtypes[d],
                                                .op_a = operations[flags / 3],
                                                .op_b = operations[flags % 3],
                                                .m = sizes[s][0],
                                                .n = sizes[s][1],
                                                .k = sizes[s][2],
                                                .batch = sizes[s][3],
                                                .lda = 11,
                                                .ldb = 10,
                                                .ldc = 9,
                                                .stride_a = flags == 4 ? 0 : 130,
                                                .stride_b = 140,
                                                .stride_c = 100,
                                                .alpha = {0.5 + flags % 2, mnp_dtype_kind(dtypes[d]) == 'c' ? 0.25 : 0},
                                                .beta = {flags % 2 ? -0.5 : 0, 0}});
            ok(good, "%s: %s, %d x %d of %d, %d of them", t->ops->kind, mnp_dtype_name(dtypes[d]), (int)sizes[s][0],
               (int)sizes[s][1], (int)sizes[s][2], (int)sizes[s][3]);
        }
}

static void test_int8(const bench *t)
{
    bool good = true;
    for (int adds = 0; adds < 2; adds++)
        good &= product(t, &(mnp__gemm){.dtype = MNP_INT8,
                                        .result = MNP_INT32,
                                        .op_a = MNP__BLAS_T,
                                        .op_b = MNP__BLAS_N,
                                        .m = 32,
                                        .n = 16,
                                        .k = 48,
                                        .batch = 2,
                                        .lda = 48,
                                        .ldb = 48,
                                        .ldc = 32,
                                        .stride_a = 48 * 32,
                                        .stride_b = 48 * 16,
                                        .stride_c = 32 * 16,
                                        .alpha = {1, 0},
                                        .beta = {adds, 0}});
    ok(good, "%s: int8, summed in int32", t->ops->kind);
}

static void test_systems(const bench *t)
{
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int op = 0; op < 3; op++) {
            bool good = true;
            for (int flags = 0; flags < 8; flags++)
                good &= system_of(t, &(mnp__trsm){.dtype = dtypes[d],
                                                  .right = flags & 1,
                                                  .upper = flags & 2,
                                                  .unit = flags & 4,
                                                  .op = operations[op],
                                                  .m = 6,
                                                  .n = 4,
                                                  .batch = flags == 3 ? 1 : 5,
                                                  .lda = 7,
                                                  .ldb = 8,
                                                  .stride_a = 60,
                                                  .stride_b = 70,
                                                  .alpha = {1.5, 0}});
            ok(good, "%s: %s, triangular systems, %c", t->ops->kind, mnp_dtype_name(dtypes[d]), operations[op]);
        }
}

static void test_device(mnp__device *device)
{
    bench t = {.device = device, .ops = device->ops};
    if (t.ops->blas->need(device, "the test") != MNP_OK)
        skip("BLAS", mnp_error_message());
    else if (ok(t.ops->stream_new(device, false, &t.stream) == MNP_OK, "%s: a stream", t.ops->kind)) {
        test_products(&t);
        if (t.ops->blas->takes(device, MNP_INT8))
            test_int8(&t);
        test_systems(&t);
        ok(t.ops->blas->takes(device, MNP_FLOAT32) && !t.ops->blas->takes(device, MNP_INT32), "%s: the types",
           t.ops->kind);
        t.ops->stream_free(device, t.stream);
    }
    t.ops->close(device);
}

int main(void)
{
    mnp__config config;
    mnp__device *device = NULL;
    setenv("MANIPLE_THREADS", "3", 1); /* so that batches are divided */
    srand(20);
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return done_testing();
    if (ok(mnp__host_device_open(&config, 1, &device) == MNP_OK, "host: opens"))
        test_device(device);
    device = NULL;
    if (mnp__cuda_device_open(&config, 0, &device) == MNP_OK)
        test_device(device);
    else
        skip("cuda", mnp_error_message());
    mnp__config_free(&config);
    return done_testing();
}
