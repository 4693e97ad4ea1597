/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversions of float16 and bfloat16 on the CPU.
 *
 * Rounding a double to float and then to 16 bits would round twice, which can give a wrong last bit.  So the double is
 * first rounded to odd: to the one of its two neighbouring floats whose last bit is set, unless it is a float itself.
 * This float has more than two bits beyond those of the result, so rounding it to the nearest gives the same as
 * rounding the double (Boldo and Melquiond, "When double rounding is odd", 2005).
 */
#include <maniple/dtype.h>

#include <math.h>
#include <string.h>

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
