/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reducing values of several ranks on the CPU.
 *
 * Elements are taken in batches that stay in the first-level cache; every source is added to a batch in turn, which
 * compilers vectorise.  Floats of two bytes are summed as floats, and rounded once.
 */
#include "comm/collectives/combine.h"

#include <stdbool.h>

enum { BATCH = 512 };

#define FOR_BATCH(begin, size)                                                                                         \
    for (int64_t begin = 0, size = count < BATCH ? count : BATCH; begin < count;                                       \
         begin += BATCH, size = count - begin < BATCH ? count - begin : BATCH)

/* Where the condition holds, what is known of an element, acc[i], becomes an expression of it and of y, the next. */
#define JOIN(condition, load, expression)                                                                              \
    if (condition) {                                                                                                   \
        for (int64_t i = 0; i < size; i++) {                                                                           \
            const value y = (value)load(x[i]);                                                                         \
            acc[i] = (value)(expression);                                                                              \
        }                                                                                                              \
    }

/*
 * A function for a type: `memory` is how it is stored, `value` what it is computed in, `wide` what sums and products
 * are, such that they wrap.  Load and store convert.
 */
#define DEFINE_COMBINE(name, memory, value_type, wide, load, store)                                                    \
    static void name(mnp_op op, int64_t count, int nsources, const void *const *sources, void *dst)                    \
    {                                                                                                                  \
        typedef value_type value;                                                                                      \
        const bool adds = op == MNP_SUM || op == MNP_AVG;                                                              \
        FOR_BATCH(begin, size)                                                                                         \
        {                                                                                                              \
            value acc[BATCH];                                                                                          \
            memory *out = (memory *)dst + begin;                                                                       \
            for (int64_t i = 0; i < size; i++)                                                                         \
                acc[i] = load(((const memory *)sources[0] + begin)[i]);                                                \
            for (int s = 1; s < nsources; s++) {                                                                       \
                const memory *x = (const memory *)sources[s] + begin;                                                  \
                JOIN(adds, load, (wide)acc[i] + (wide)y)                                                               \
                JOIN(op == MNP_PROD, load, (wide)acc[i] * (wide)y)                                                     \
                JOIN(op == MNP_MIN, load, acc[i] < y || acc[i] != acc[i] ? acc[i] : y) /* also if either is NaN */     \
                JOIN(op == MNP_MAX, load, acc[i] > y || acc[i] != acc[i] ? acc[i] : y)                                 \
            }                                                                                                          \
            if (op == MNP_AVG) {                                                                                       \
                for (int64_t i = 0; i < size; i++)                                                                     \
                    acc[i] = (value)(acc[i] / (value)nsources);                                                        \
            }                                                                                                          \
            for (int64_t i = 0; i < size; i++)                                                                         \
                out[i] = store(acc[i]);                                                                                \
        }                                                                                                              \
    }

#define AS_IT_IS(x) (x)
DEFINE_COMBINE(combine_int8, int8_t, int8_t, uint32_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_int16, int16_t, int16_t, uint32_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_int32, int32_t, int32_t, uint32_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_int64, int64_t, int64_t, uint64_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_uint8, uint8_t, uint8_t, uint32_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_uint16, uint16_t, uint16_t, uint32_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_uint32, uint32_t, uint32_t, uint32_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_uint64, uint64_t, uint64_t, uint64_t, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_float16, uint16_t, float, float, mnp_float16_to_float, mnp_float16_from_double)
DEFINE_COMBINE(combine_bfloat16, uint16_t, float, float, mnp_bfloat16_to_float, mnp_bfloat16_from_double)
DEFINE_COMBINE(combine_float32, float, float, float, AS_IT_IS, AS_IT_IS)
DEFINE_COMBINE(combine_float64, double, double, double, AS_IT_IS, AS_IT_IS)

static void combine_bool(mnp_op op, int64_t count, int nsources, const void *const *sources, void *dst)
{
    const bool all = op == MNP_PROD || op == MNP_MIN;
    for (int64_t i = 0; i < count; i++) {
        uint8_t acc = ((const uint8_t *)sources[0])[i];
        for (int s = 1; s < nsources; s++) {
            uint8_t x = ((const uint8_t *)sources[s])[i];
            acc = (uint8_t)(all ? acc & x : acc | x);
        }
        ((uint8_t *)dst)[i] = acc;
    }
}

/* Products of complex numbers, by the rule that every compiler of kernels uses: without a look at infinities. */
#define DEFINE_COMPLEX_PRODUCT(name, real)                                                                             \
    static void name(mnp_op op, int64_t count, int nsources, const void *const *sources, void *dst)                    \
    {                                                                                                                  \
        (void)op;                                                                                                      \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            real re = ((const real *)sources[0])[2 * i], im = ((const real *)sources[0])[2 * i + 1];                   \
            for (int s = 1; s < nsources; s++) {                                                                       \
                const real *x = (const real *)sources[s] + 2 * i;                                                      \
                const real product = re * x[0] - im * x[1];                                                            \
                im = re * x[1] + im * x[0];                                                                            \
                re = product;                                                                                          \
            }                                                                                                          \
            ((real *)dst)[2 * i] = re;                                                                                 \
            ((real *)dst)[2 * i + 1] = im;                                                                             \
        }                                                                                                              \
    }
DEFINE_COMPLEX_PRODUCT(multiply_complex64, float)
DEFINE_COMPLEX_PRODUCT(multiply_complex128, double)

void mnp__combine(mnp_dtype dtype, mnp_op op, int64_t count, int nsources, const void *const *sources, void *dst)
{
    static void (*const functions[MNP_NUM_DTYPES])(mnp_op, int64_t, int, const void *const *, void *) = {
        [MNP_BOOL] = combine_bool,
        [MNP_INT8] = combine_int8,
        [MNP_INT16] = combine_int16,
        [MNP_INT32] = combine_int32,
        [MNP_INT64] = combine_int64,
        [MNP_UINT8] = combine_uint8,
        [MNP_UINT16] = combine_uint16,
        [MNP_UINT32] = combine_uint32,
        [MNP_UINT64] = combine_uint64,
        [MNP_FLOAT16] = combine_float16,
        [MNP_BFLOAT16] = combine_bfloat16,
        [MNP_FLOAT32] = combine_float32,
        [MNP_FLOAT64] = combine_float64,
        [MNP_COMPLEX64] = multiply_complex64,
        [MNP_COMPLEX128] = multiply_complex128,
    };
    functions[dtype](op, count, nsources, sources, dst);
}
