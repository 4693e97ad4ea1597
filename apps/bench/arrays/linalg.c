/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times factorisations of dense matrices and what follows from them.
 *
 *   solve, cholesky, inv, lu     one square matrix of float64, 8192 unless told; solve has one right-hand side
 *   qr, svd, eigh                one square matrix of float32; 4096
 *   qr64, svd64, eigh64          of float64; 4096
 *   tall-qr, tall-svd, tall-lstsq    a matrix of 64 columns in float64; 4194304 rows
 *   many-inv, many-cholesky, many-eigh, many-svd    1000 matrices of 64 x 64 in float32
 *
 * N is the number of elements of the input.  One matrix is cut by columns over the ranks, or if it is tall by rows, and
 * 1000 along the batch.  Square matrices are Hermitian and positive definite.  A time is the median of repeats, each
 * between two events of the device, of the slowest rank, and the best one.  bench/peers/linalg_peers.py times the same
 * with CuPy, NumPy and SciPy, linalg_scalapack.c with ScaLAPACK.
 */
#include <math.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

enum kind { SQUARE, TALL, MANY };
enum function { SOLVE, CHOLESKY, INV, LU, QR, SVD, EIGH, LSTSQ };

struct factorisation {
    const char *name;
    enum function function;
    enum kind kind;
    mnp_dtype dtype;
    int64_t extent;
};

static const struct factorisation cases[] = {
    {"solve", SOLVE, SQUARE, MNP_FLOAT64, 8192},
    {"cholesky", CHOLESKY, SQUARE, MNP_FLOAT64, 8192},
    {"inv", INV, SQUARE, MNP_FLOAT64, 8192},
    {"lu", LU, SQUARE, MNP_FLOAT64, 8192},
    {"qr", QR, SQUARE, MNP_FLOAT32, 4096},
    {"qr64", QR, SQUARE, MNP_FLOAT64, 4096},
    {"svd", SVD, SQUARE, MNP_FLOAT32, 4096},
    {"svd64", SVD, SQUARE, MNP_FLOAT64, 4096},
    {"eigh", EIGH, SQUARE, MNP_FLOAT32, 4096},
    {"eigh64", EIGH, SQUARE, MNP_FLOAT64, 4096},
    {"tall-qr", QR, TALL, MNP_FLOAT64, 1 << 22},
    {"tall-svd", SVD, TALL, MNP_FLOAT64, 1 << 22},
    {"tall-lstsq", LSTSQ, TALL, MNP_FLOAT64, 1 << 22},
    {"many-inv", INV, MANY, MNP_FLOAT32, 64},
    {"many-cholesky", CHOLESKY, MANY, MNP_FLOAT32, 64},
    {"many-eigh", EIGH, MANY, MNP_FLOAT32, 64},
    {"many-svd", SVD, MANY, MNP_FLOAT32, 64},
};

struct run {
    enum function function;
    const mnp_array *a, *b;
};

static mnp_status factor(void *argument)
{
    const struct run *run = argument;
    const mnp_array *a = run->a;
    mnp_array *out[3] = {NULL, NULL, NULL};
    int64_t rank;
    mnp_status st = MNP_OK;
    switch (run->function) {
    case SOLVE:
        st = mnp_linalg_solve(a, run->b, MNP_ASSUME_GENERAL, &out[0]);
        break;
    case CHOLESKY:
        st = mnp_cholesky(a, false, &out[0]);
        break;
    case INV:
        st = mnp_inv(a, &out[0]);
        break;
    case LU:
        st = mnp_lu_factor(a, &out[0], &out[1]);
        break;
    case QR:
        st = mnp_qr(a, NULL, &out[0], &out[1]);
        break;
    case SVD:
        st = mnp_svd(a, false, &out[0], &out[1], &out[2]);
        break;
    case EIGH:
        st = mnp_eigh(a, false, &out[0], &out[1]);
        break;
    case LSTSQ:
        st = mnp_lstsq(a, run->b, -1, &out[0], NULL, &rank, NULL);
        break;
    }
    mnp_free_all(out[0], out[1], out[2]);
    return st;
}

static mnp_array *normal(mnp_rng *rng, mnp_dtype dtype, int ndim, const int64_t *shape, const mnp_layout *layout)
{
    mnp_array *values = NULL, *x = NULL;
    OR_EXIT(mnp_random_normal(rng, 0, 1, dtype, ndim, shape, &values));
    if (!layout)
        return values;
    OR_EXIT(mnp_redistribute(values, layout, &x));
    mnp_array_free(values);
    return x;
}

/* X + X^T + 8 sqrt(n) I of normal numbers X, whose eigenvalues are about 5 sqrt(n) to 11 sqrt(n). */
static mnp_array *positive(mnp_ctx *ctx, mnp_array *x, int64_t n)
{
    mnp_array *turned = NULL, *sum = NULL, *ones = NULL, *a = NULL;
    OR_EXIT(mnp_swapaxes(x, -2, -1, &turned));
    OR_EXIT(mnp_add(x, turned, &sum));
    OR_EXIT(mnp_eye(ctx, mnp_array_dtype(x), n, n, 0, &ones));
    OR_EXIT(mnp_multiply(ones, MNP_SCALAR(ctx, 8 * sqrt((double)n)), &ones));
    OR_EXIT(mnp_add(sum, ones, &a));
    mnp_free_all(turned, sum, ones, x);
    return a;
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct factorisation *c = one;
    const int64_t n = o->elements == 0  ? c->extent
                      : c->kind == TALL ? o->elements / 64
                      : c->kind == MANY ? llround(sqrt((double)o->elements / 1000))
                                        : llround(sqrt((double)o->elements));
    const int64_t shape[] = {c->kind == MANY ? 1000 : n, c->kind == TALL ? 64 : n, n};
    const int ndim = c->kind == MANY ? 3 : 2;
    double *seconds = seconds_new(ctx, o->repeats);
    mnp_rng *rng;
    mnp_layout *layout;
    OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    OR_EXIT(mnp_layout_parse(ctx, ndim, shape,
                             c->kind == MANY   ? "0, *, *"
                             : c->kind == TALL ? "0, *"
                                               : "*, 0",
                             &layout));
    mnp_array *a = normal(rng, c->dtype, ndim, shape, layout), *b = normal(rng, c->dtype, 1, shape, NULL);
    if (c->kind != TALL && c->function != QR && c->function != SVD)
        a = positive(ctx, a, n);
    struct run run = {c->function, a, b};
    measure(ctx, factor, &run, o->repeats, seconds);
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-14s %8lld %-10s %10.3f ms, best %10.3f ms\n", c->name, (long long)n, mnp_dtype_name(c->dtype),
               1e3 * seconds[o->repeats / 2], 1e3 * seconds[0]);
    record(ctx,
           record_of("linalg", c->name, mnp_layout_size(layout), mnp_dtype_name(c->dtype), seconds, o->repeats, 0));
    mnp_free_all(a, b);
    mnp_layout_free(layout);
    mnp_rng_free(rng);
    free(seconds);
}

const benchmark linalg_benchmark = {.name = "linalg",
                                    .help = "factorisations of dense matrices and what follows from them",
                                    .repeats = 50,
                                    BENCH_CASES(cases),
                                    .time_case = time_case};
