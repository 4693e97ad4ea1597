/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of element types, promotion and casting; conversions of float16 and bfloat16 on the CPU. */
#include <maniple/dtype.h>

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"

struct dtype_row {
    const char *name;
    char kind;
    unsigned char size;
};

static const struct dtype_row dtypes[MNP_NUM_DTYPES] = {
    [MNP_BOOL] = {"bool", 'b', 1},
    [MNP_INT8] = {"int8", 'i', 1},
    [MNP_INT16] = {"int16", 'i', 2},
    [MNP_INT32] = {"int32", 'i', 4},
    [MNP_INT64] = {"int64", 'i', 8},
    [MNP_UINT8] = {"uint8", 'u', 1},
    [MNP_UINT16] = {"uint16", 'u', 2},
    [MNP_UINT32] = {"uint32", 'u', 4},
    [MNP_UINT64] = {"uint64", 'u', 8},
    [MNP_FLOAT16] = {"float16", 'f', 2},
    [MNP_BFLOAT16] = {"bfloat16", 'f', 2},
    [MNP_FLOAT32] = {"float32", 'f', 4},
    [MNP_FLOAT64] = {"float64", 'f', 8},
    [MNP_COMPLEX64] = {"complex64", 'c', 8},
    [MNP_COMPLEX128] = {"complex128", 'c', 16},
};

static bool valid(mnp_dtype dtype)
{
    return (int)dtype > MNP_DTYPE_AUTO && dtype < MNP_NUM_DTYPES;
}

char mnp_dtype_kind(mnp_dtype dtype)
{
    return valid(dtype) ? dtypes[dtype].kind : '?';
}

size_t mnp_dtype_size(mnp_dtype dtype)
{
    return valid(dtype) ? dtypes[dtype].size : 0;
}

const char *mnp_dtype_name(mnp_dtype dtype)
{
    return valid(dtype) ? dtypes[dtype].name : "invalid";
}

mnp_status mnp_dtype_parse(const char *name, mnp_dtype *dtype_p)
{
    MNP_ENTER(name, dtype_p);
    mnp__text choices = MNP__TEXT_EMPTY;
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            *dtype_p = (mnp_dtype)i;
            mnp__text_free(&choices);
            return MNP_OK;
        }
        mnp__text_add(&choices, "%s%s", i > MNP_BOOL ? ", " : "", dtypes[i].name);
    }
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "'%s' is not a dtype; there are %s", name, mnp__text_string(&choices));
    mnp__text_free(&choices);
    return st;
}

static mnp_dtype find(char kind, size_t size)
{
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i++) {
        if (dtypes[i].kind == kind && dtypes[i].size == size)
            return (mnp_dtype)i;
    }
    return MNP_FLOAT64; /* as in NumPy: no integer type holds both int64 and uint64 */
}

/* Bytes of the smallest real float type that NumPy promotes a type to: 2 for 8 bits, 4 for 16 bits. */
static size_t float_size(mnp_dtype dtype)
{
    size_t size = dtypes[dtype].size;
    switch (dtypes[dtype].kind) {
    case 'f':
        return size;
    case 'c':
        return size / 2;
    default:
        return size <= 2 ? 2 * size : 8;
    }
}

mnp_dtype mnp_dtype_promote(mnp_dtype a, mnp_dtype b)
{
    if (a == b || !valid(a) || !valid(b))
        return a;
    char ka = dtypes[a].kind, kb = dtypes[b].kind;
    size_t sa = dtypes[a].size, sb = dtypes[b].size;
    if (ka == 'b' || kb == 'b')
        return ka == 'b' ? b : a;
    size_t fa = float_size(a), fb = float_size(b), wider = fa > fb ? fa : fb;
    if (ka == 'c' || kb == 'c')
        return find('c', wider > 4 ? 16 : 8);
    if (ka == 'f' && kb == 'f' && wider == 2) /* float16 and bfloat16 */
        return MNP_FLOAT32;
    if (ka == 'f' && fa == wider)
        return a;
    if (kb == 'f' && fb == wider)
        return b;
    if (ka == 'f' || kb == 'f')
        return find('f', wider);
    if (ka == kb)
        return sa > sb ? a : b;
    size_t ss = ka == 'i' ? sa : sb,
           su = ka == 'u' ? sa : sb; /* a signed with an unsigned type: a signed type that holds both */
    return find('i', ss > su ? ss : 2 * su);
}

bool mnp_can_cast(mnp_dtype from, mnp_dtype to, mnp_casting casting)
{
    static const char kinds[] = "buifc";
    if (!valid(from) || !valid(to))
        return false;
    switch (casting) {
    case MNP_CASTING_NO:
    case MNP_CASTING_EQUIV:
        return from == to;
    case MNP_CASTING_SAFE:
        return mnp_dtype_promote(from, to) == to;
    case MNP_CASTING_SAME_KIND:
        return strchr(kinds, dtypes[from].kind) <= strchr(kinds, dtypes[to].kind);
    case MNP_CASTING_UNSAFE:
        return true;
    }
    return false;
}

/* ---- floats of two bytes ---- */

/*
 * Rounding a double to float and then to 16 bits would round twice, which can give a wrong last bit.  So the double is
 * first rounded to odd: to the one of its two neighbouring floats whose last bit is set, unless it is a float itself.
 * This float has more than two bits beyond those of the result, so rounding it to the nearest gives the same as
 * rounding the double (Boldo and Melquiond, "When double rounding is odd", 2005).
 */
enum { EXPONENT_BITS = 23 }; /* where the exponent of a float begins */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t round_to_odd(double value)
{
    float nearest = (float)value;
    uint32_t bits = bits_of(nearest);
    if ((double)nearest == value || isnan(value) || (bits & 1))
        return bits;
    return fabs((double)nearest) > fabs(value) ? bits - 1 : bits + 1;
}

float mnp_float16_to_float(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = (uint32_t)(bits & 0x7fff) << 13;
    if (magnitude >= (uint32_t)0x7c00 << 13) /* infinity or NaN */
        return float_of(sign | 0x7f800000 | magnitude);
    float value = float_of(magnitude) * 0x1p112f; /* the exponent's bias is 112 less; subnormal numbers become normal */
    return float_of(sign | bits_of(value));
}

uint16_t mnp_float16_from_double(double value)
{
    uint32_t bits = round_to_odd(value), sign = bits >> 16 & 0x8000, result;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) {
        result = 0x7e00 | (bits >> 13 & 0x3ff);
    } else if (bits >= (uint32_t)143 << EXPONENT_BITS) { /* 2^16 and more */
        result = 0x7c00;
    } else if (bits < (uint32_t)113 << EXPONENT_BITS) { /* below 2^-14: in units of 2^-24, the last bit of 1/2 */
        result = bits_of(float_of(bits) + 0.5f) - bits_of(0.5f);
    } else {
        bits -= (uint32_t)112 << EXPONENT_BITS;
        result = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
    }
    return (uint16_t)(sign | result);
}

float mnp_bfloat16_to_float(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

uint16_t mnp_bfloat16_from_double(double value)
{
    uint32_t bits = round_to_odd(value);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
