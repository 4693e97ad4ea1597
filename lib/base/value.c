/* SPDX-License-Identifier: BSD-3-Clause */
/* Single values of a dtype: reading, converting, writing, and their ranges. */
#include "base/value.h"

#include <math.h>
#include <string.h>

/* ---- one element ---- */

#define INTEGERS(X)                                                                                                    \
    X(MNP_INT8, int8_t, 'i', i)                                                                                        \
    X(MNP_INT16, int16_t, 'i', i)                                                                                      \
    X(MNP_INT32, int32_t, 'i', i)                                                                                      \
    X(MNP_INT64, int64_t, 'i', i)                                                                                      \
    X(MNP_UINT8, uint8_t, 'u', u)                                                                                      \
    X(MNP_UINT16, uint16_t, 'u', u)                                                                                    \
    X(MNP_UINT32, uint32_t, 'u', u)                                                                                    \
    X(MNP_UINT64, uint64_t, 'u', u)

mnp__value mnp__value_read(mnp_dtype dtype, const void *element)
{
    unsigned char byte;
    uint16_t half;
    float single[2];
    double twice[2];
    switch (dtype) {
#define READ(dtype, type, letter, field)                                                                               \
    case dtype: {                                                                                                      \
        type integer;                                                                                                  \
        memcpy(&integer, element, sizeof integer);                                                                     \
        return (mnp__value){.kind = letter, .field = integer};                                                         \
    }
        INTEGERS(READ)
#undef READ
    case MNP_BOOL:
        memcpy(&byte, element, sizeof byte);
        return (mnp__value){.kind = 'u', .u = byte != 0};
    case MNP_FLOAT16:
    case MNP_BFLOAT16:
        memcpy(&half, element, sizeof half);
        single[0] = dtype == MNP_FLOAT16 ? mnp_float16_to_float(half) : mnp_bfloat16_to_float(half);
        return (mnp__value){.kind = 'f', .re = (double)single[0]};
    case MNP_FLOAT32:
        memcpy(single, element, sizeof *single);
        return (mnp__value){.kind = 'f', .re = (double)single[0]};
    case MNP_FLOAT64:
        memcpy(twice, element, sizeof *twice);
        return (mnp__value){.kind = 'f', .re = twice[0]};
    case MNP_COMPLEX64:
        memcpy(single, element, sizeof single);
        return (mnp__value){.kind = 'c', .re = (double)single[0], .im = (double)single[1]};
    default:
        memcpy(twice, element, sizeof twice);
        return (mnp__value){.kind = 'c', .re = twice[0], .im = twice[1]};
    }
}

double mnp__value_as_double(const mnp__value *value)
{
    return value->kind == 'i' ? (double)value->i : value->kind == 'u' ? (double)value->u : value->re;
}

/* Convert in one step, because rounding an integer first to double and then to float can give another result. */
static float as_float(const mnp__value *value)
{
    return value->kind == 'i' ? (float)value->i : value->kind == 'u' ? (float)value->u : (float)value->re;
}

/* A float as an integer of so many bits, signed ('i') or not ('u'), extended to 64 bits.  So does kernels/cast.h. */
static uint64_t truncated(double number, char kind, int bits)
{
    const bool is_signed = kind == 'i';
    const double low = is_signed ? -ldexp(1, bits - 1) : 0, beyond = ldexp(1, is_signed ? bits - 1 : bits);
    if (isnan(number))
        return 0;
    if (number >= beyond)
        return UINT64_MAX >> (64 - bits + is_signed);
    if (number <= low)
        return is_signed ? ~(UINT64_MAX >> (65 - bits)) : 0;
    return is_signed ? (uint64_t)(int64_t)number : (uint64_t)number;
}

int64_t mnp__value_as_int64(const mnp__value *value)
{
    return value->kind == 'i'   ? value->i
           : value->kind == 'u' ? (int64_t)value->u
                                : (int64_t)truncated(value->re, 'i', 64);
}

void mnp__value_write(const mnp__value *value, mnp_dtype dtype, void *element)
{
    const bool whole = value->kind == 'i' || value->kind == 'u';
    const double re = mnp__value_as_double(value), im = value->kind == 'c' ? value->im : 0;
    uint16_t half;
    switch (dtype) {
#define WRITE(dtype, type, letter, field)                                                                              \
    case dtype: {                                                                                                      \
        const type integer = (type)(whole ? value->u : truncated(re, letter, 8 * (int)sizeof(type)));                  \
        memcpy(element, &integer, sizeof integer);                                                                     \
        break;                                                                                                         \
    }
        INTEGERS(WRITE)
#undef WRITE
    case MNP_BOOL:
        *(unsigned char *)element = whole ? value->u != 0 : re != 0 || im != 0;
        break;
    case MNP_FLOAT16:
    case MNP_BFLOAT16:
        half = dtype == MNP_FLOAT16 ? mnp_float16_from_double(re) : mnp_bfloat16_from_double(re);
        memcpy(element, &half, sizeof half);
        break;
    case MNP_FLOAT32:
        memcpy(element, &(float){as_float(value)}, sizeof(float));
        break;
    case MNP_FLOAT64:
        memcpy(element, &re, sizeof re);
        break;
    case MNP_COMPLEX64:
        memcpy(element, (float[2]){as_float(value), (float)im}, 2 * sizeof(float));
        break;
    default:
        memcpy(element, (double[2]){re, im}, 2 * sizeof(double));
    }
}

/* ---- ranges ---- */

double mnp__round_to(mnp_dtype dtype, double number)
{
    switch (dtype) {
    case MNP_FLOAT16:
        return (double)mnp_float16_to_float(mnp_float16_from_double(number));
    case MNP_BFLOAT16:
        return (double)mnp_bfloat16_to_float(mnp_bfloat16_from_double(number));
    case MNP_FLOAT32:
    case MNP_COMPLEX64:
        return (double)(float)number;
    default:
        return number;
    }
}

bool mnp__int_fits(int64_t integer, mnp_dtype dtype)
{
    int bits = 8 * (int)mnp_dtype_size(dtype);
    switch (mnp_dtype_kind(dtype)) {
    case 'b':
        return integer == 0 || integer == 1;
    case 'i':
        return bits == 64 || (integer >= -(INT64_C(1) << (bits - 1)) && integer < INT64_C(1) << (bits - 1));
    case 'u':
        return integer >= 0 && (bits == 64 || integer < INT64_C(1) << bits);
    default:
        return true;
    }
}

bool mnp__number_fits(double number, mnp_dtype dtype)
{
    const int bits = 8 * (int)mnp_dtype_size(dtype);
    const bool whole = number == trunc(number);
    switch (mnp_dtype_kind(dtype)) {
    case 'b':
        return number == 0 || number == 1;
    case 'i':
        return whole && number >= -ldexp(1, bits - 1) && number < ldexp(1, bits - 1);
    case 'u':
        return whole && number >= 0 && number < ldexp(1, bits);
    default:
        return isinf(mnp__round_to(dtype, number)) == isinf(number);
    }
}

bool mnp__value_fits(const mnp__value *value, mnp_dtype dtype)
{
    const char kind = mnp_dtype_kind(dtype);
    switch (value->kind) {
    case 'i':
        return mnp__int_fits(value->i, dtype);
    case 'u':
        return value->u <= INT64_MAX ? mnp__int_fits((int64_t)value->u, dtype)
                                     : dtype == MNP_UINT64 || strchr("fc", kind);
    default:
        return mnp__number_fits(value->re, dtype) &&
               (value->kind == 'f' || (kind == 'c' ? mnp__number_fits(value->im, dtype) : value->im == 0));
    }
}

/* ---- values of linear algebra ---- */

void mnp__value_get(mnp_dtype dtype, const void *values, int64_t at, double value[2])
{
    switch (dtype) {
    case MNP_FLOAT32:
        value[0] = ((const float *)values)[at];
        value[1] = 0;
        break;
    case MNP_FLOAT64:
        value[0] = ((const double *)values)[at];
        value[1] = 0;
        break;
    case MNP_COMPLEX64:
        value[0] = ((const float *)values)[2 * at];
        value[1] = ((const float *)values)[2 * at + 1];
        break;
    default:
        memcpy(value, (const double *)values + 2 * at, 2 * sizeof *value);
        break;
    }
}

void mnp__value_set(mnp_dtype dtype, void *values, int64_t at, const double value[2])
{
    switch (dtype) {
    case MNP_FLOAT32:
        ((float *)values)[at] = (float)value[0];
        break;
    case MNP_FLOAT64:
        ((double *)values)[at] = value[0];
        break;
    case MNP_COMPLEX64:
        ((float *)values)[2 * at] = (float)value[0];
        ((float *)values)[2 * at + 1] = (float)value[1];
        break;
    default:
        memcpy((double *)values + 2 * at, value, 2 * sizeof *value);
        break;
    }
}
