/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times products of matrices and tensors.
 *
 *   single, double, tf32, half   square matrices of float32, float64, float32 by TF32, float16; 8192 unless told
 *   emulated, emulated64         the same of float32 and float64, emulated by products of integers
 *   complex                      the same of complex64; 4096
 *   integers                     the same of int32; 2048
 *   rows, rows_emulated          float32, both operands cut by rows over the ranks; 16384
 *   blocks                       float32, operands and result in blocks on a mesh of two axes; 16384
 *   batch                        1000 products of 64 x 64 in float32, the batch cut over the ranks
 *   einsum                       ijkl,klmn of 64^4 in float32
 *
 * N is the number of elements of one operand.  Operands of the first cases are cut as mnp_layout_block() does it.  A
 * time is the median of repeats, each between two events of the device, of the slowest rank, and the best one.
 * bench/peers/matmul_peers.py times the same with peers.
 */
#include <math.h>

#include "bench/benchmark.h"
#include "bench/measure.h"

struct product {
    const char *name;
    mnp_dtype dtype;
    int64_t extent;
    const char *layout; /* NULL: that of mnp_layout_block() */
    mnp_matmul_precision precision;
    bool batch, einsum;
};

static const struct product cases[] = {
    {"single", MNP_FLOAT32, 8192, NULL, MNP_MATMUL_PLAIN, false, false},
    {"double", MNP_FLOAT64, 8192, NULL, MNP_MATMUL_PLAIN, false, false},
    {"tf32", MNP_FLOAT32, 8192, NULL, MNP_MATMUL_TF32, false, false},
    {"emulated", MNP_FLOAT32, 8192, NULL, MNP_MATMUL_EMULATED, false, false},
    {"emulated64", MNP_FLOAT64, 8192, NULL, MNP_MATMUL_EMULATED, false, false},
    {"half", MNP_FLOAT16, 8192, NULL, MNP_MATMUL_PLAIN, false, false},
    {"complex", MNP_COMPLEX64, 4096, NULL, MNP_MATMUL_PLAIN, false, false},
    {"integers", MNP_INT32, 2048, NULL, MNP_MATMUL_PLAIN, false, false},
    {"rows", MNP_FLOAT32, 16384, "0, *", MNP_MATMUL_PLAIN, false, false},
    {"rows_emulated", MNP_FLOAT32, 16384, "0, *", MNP_MATMUL_EMULATED, false, false},
    {"blocks", MNP_FLOAT32, 16384, "0, 1", MNP_MATMUL_PLAIN, false, false},
    {"batch", MNP_FLOAT32, 64, "0, *, *", MNP_MATMUL_PLAIN, true, false},
    {"einsum", MNP_FLOAT32, 64, NULL, MNP_MATMUL_PLAIN, false, true},
};

struct run {
    const struct product *c;
    const mnp_array *a, *b;
    mnp_array *out;
};

static mnp_status multiply(void *argument)
{
    struct run *run = argument;
    if (run->c->einsum)
        return mnp_einsum("ijkl,klmn->ijmn", (const mnp_array *const[]){run->a, run->b}, 2, MNP_EINSUM_GREEDY,
                          &run->out);
    return mnp_matmul(run->a, run->b, &run->out);
}

static mnp_array *operand(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const char *text, mnp_rng *rng)
{
    mnp_layout *layout;
    mnp_array *x = NULL, *values = NULL;
    const bool integers = mnp_dtype_kind(dtype) == 'i';
    OR_EXIT(text ? mnp_layout_parse(ctx, ndim, shape, text, &layout)
                 : mnp_layout_block(mnp_ctx_size(ctx), ndim, shape, &layout));
    OR_EXIT(mnp_array_new(ctx, dtype, layout, &x));
    OR_EXIT(mnp_random_normal(rng, 0, integers ? 1000 : 1, MNP_FLOAT32, ndim, shape, &values));
    OR_EXIT(mnp_copyto(x, values, MNP_CASTING_UNSAFE));
    mnp_array_free(values);
    mnp_layout_free(layout);
    return x;
}

static void time_case(mnp_ctx *ctx, const void *one, const bench_options *o)
{
    const struct product *c = one;
    const int ndim = c->einsum ? 4 : c->batch ? 3 : 2;
    const int64_t count = o->elements / (c->batch ? 1000 : 1);
    const int64_t n = o->elements > 0 ? llround(pow((double)count, c->einsum ? 0.25 : 0.5)) : c->extent;
    const int64_t shape[] = {c->batch ? 1000 : n, n, n, n};
    const double terms = c->einsum ? pow((double)n, 6) : pow((double)n, 3) * (c->batch ? 1000 : 1);
    const double flops = terms * (mnp_dtype_kind(c->dtype) == 'c' ? 8 : 2);
    double *seconds = seconds_new(ctx, o->repeats);
    mnp_rng *rng;
    OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    mnp_array *a = operand(ctx, c->dtype, ndim, shape, c->layout, rng);
    mnp_array *b = operand(ctx, c->dtype, ndim, shape, c->layout, rng);
    struct run run = {.c = c, .a = a, .b = b};
    mnp_matmul_info info = {.method = "pairs"};
    if (!c->einsum)
        OR_EXIT(mnp_matmul_describe(a, b, NULL, &info));
    OR_EXIT(mnp_matmul_set_precision(ctx, c->precision));
    measure(ctx, multiply, &run, o->repeats, seconds);
    OR_EXIT(mnp_matmul_set_precision(ctx, MNP_MATMUL_PLAIN));
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-13s %6lld %-10s %9.3f ms, best %9.3f ms %10.2f GFLOP/s  %s, %.1f MB move\n", c->name, (long long)n,
               mnp_dtype_name(c->dtype), 1e3 * seconds[o->repeats / 2], 1e3 * seconds[0],
               1e-9 * flops / seconds[o->repeats / 2], info.method, 1e-6 * (double)info.all_bytes);
    struct record r = record_of("matmul", c->name, mnp_layout_size(mnp_array_layout(a)), mnp_dtype_name(c->dtype),
                                seconds, o->repeats, 0);
    r.flops = flops;
    record(ctx, r);
    mnp_free_all(a, b, run.out);
    mnp_rng_free(rng);
    free(seconds);
}

const benchmark matmul_benchmark = {.name = "matmul",
                                    .help = "products of matrices and tensors",
                                    .repeats = 50,
                                    BENCH_CASES(cases),
                                    .time_case = time_case};
