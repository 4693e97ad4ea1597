/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What samplers compute: fractions of random words, and logarithms, roots, sines and cosines for the ranges in which
 * samplers need them.
 */
#include "kernels/math.h"

/* x * y + z, rounded once where the processor has such an instruction. */
MNP_INLINE float mnp_add_product(float x, float y, float z)
{
#if MNP_CUDA || defined(__FP_FAST_FMAF)
    return fmaf(x, y, z);
#else
    return x * y + z;
#endif
}
MNP_INLINE double mnp_add_product(double x, double y, double z)
{
#if MNP_CUDA || defined(__FP_FAST_FMA)
    return fma(x, y, z);
#else
    return x * y + z;
#endif
}

/*
 * (high * 2^21 + the upper 21 bits of low) * 2^-53.  The host has conversions in its vector units.  On a GPU they are
 * slow, so the words become digits of 2^20 + high * 2^-32 and 2^-12 + low * 2^-64, and `excess` is what is too much.
 */
#if MNP_CUDA
MNP_INLINE double mnp_fraction(uint32_t low, uint32_t high, double excess)
{
    return (__hiloint2double(0x41300000, (int)high) - excess) + __hiloint2double(0x3f300000, (int)low);
}
#endif
MNP_INLINE double mnp_unit_double(uint32_t low, uint32_t high)
{
#if MNP_CUDA
    return mnp_fraction(low & ~0x7ffu, high, 0x1p20 + 0x1p-12);
#else
    return (double)high * 0x1p-32 + (double)(int32_t)(low >> 11) * 0x1p-53;
#endif
}

/* A number in (0, 1] that uses all bits of a word: its logarithm is finite. */
MNP_INLINE float mnp_open_float(uint32_t word)
{
    return mnp_add_product((float)word, 0x1p-32f, 0x1p-33f);
}
MNP_INLINE double mnp_open_double(uint32_t low, uint32_t high)
{
#if MNP_CUDA
    return mnp_fraction((low & ~0x7ffu) | 0x400u, high, 0x1p20 + 0x1p-12); /* the sum below, rounded once as there */
#else
    return mnp_unit_double(low, high) + 0x1p-54;
#endif
}

/*
 * The logarithm of a float in (0, 1], within a unit in the last place or two: e * log(2) + log(1 + f), -1/3 <= f <
 * 1/3, where log(1 + f) is f + f^2 times a polynomial of degree 7, fitted for the least relative error.  It is short,
 * as it limits how fast a GPU draws normal numbers, and it is the same on both devices.
 */
MNP_INLINE float mnp_log_unit(float x)
{
    const int32_t bits = (int32_t)mnp_float_bits(x), exponent = (bits - 0x3f2aaaab) & (int32_t)0xff800000;
    const float f = mnp_float_of((uint32_t)(bits - exponent)) - 1.0f;
    float sum = 0.140259132f;
    sum = mnp_add_product(sum, f, -0.153886229f);
    sum = mnp_add_product(sum, f, 0.139958993f);
    sum = mnp_add_product(sum, f, -0.164159432f);
    sum = mnp_add_product(sum, f, 0.200111628f);
    sum = mnp_add_product(sum, f, -0.250078201f);
    sum = mnp_add_product(sum, f, 0.333331972f);
    sum = mnp_add_product(sum, f, -0.499999374f);
    return mnp_add_product((float)exponent, 0.693147181f * 0x1p-23f, mnp_add_product(sum, f * f, f));
}

#if MNP_CUDA
/*
 * The coefficients of polynomials, from the highest down.  From constant memory they cost no instructions of their own.
 */
__constant__ double mnp_log_terms[] = {
    0x1.ebba23a8b7c5dp-5,  -0x1.3cf331ed1e465p-4, 0x1.3eca5614d7b74p-4,  -0x1.546fc373c2930p-4, 0x1.743787ac4b7bdp-4,
    -0x1.999ddebd7c6aap-4, 0x1.c71d2295175c8p-4,  -0x1.fffff5175e207p-4, 0x1.249248563da51p-3,  -0x1.5555555c89e0dp-3,
    0x1.9999999a74f5bp-3,  -0x1.fffffffffbca0p-3, 0x1.55555555552ecp-2,  -0x1.0000000000003p-1};
__constant__ double mnp_even_terms[] = {
    -0x1.b2586b6a524bfp+0, 0x1.f9cc15d46b994p+2, -0x1.a6d1ec3d470efp+4, 0x1.e1f5068303f0ep+5,
    -0x1.55d3c7e3c8d5cp+6, 0x1.03c1f081b5aaap+6, -0x1.3bd3cc9be45dep+4, 1.0};
__constant__ double mnp_odd_terms[] = {0x1.e3eed5a45044dp+1,  -0x1.e300639fb7c90p+3, 0x1.50782fca384d5p+5,
                                       -0x1.32d2cce2d535cp+6, 0x1.466bc67758700p+6,  -0x1.4abbce625be41p+5,
                                       0x1.921fb54442d18p+2};

template <int count> MNP_INLINE double mnp_polynomial(const double (&terms)[count], double x)
{
    double sum = terms[0];
#pragma unroll
    for (int i = 1; i < count; i++)
        sum = __fma_rn(sum, x, terms[i]);
    return sum;
}
#endif

/*
 * The same of a double, within two units in the last place.  The host has vector code for log().  A GPU's own takes
 * twice the time, as it is made for all numbers: here e * log(2) - log(c) + log(1 + f), where c is 1 or near
 * sqrt(1/2) and -0.16 < f < 0.19, so a polynomial of degree 13 suffices.  Near 1, where the logarithm is small, e and
 * log(c) are 0.
 */
MNP_INLINE double mnp_log_unit(double x)
{
#if MNP_CUDA
    const int32_t high = __double2hiint(x), above = high - 0x3feae89f; /* above the high word of 2^(-1/4) */
    const int32_t mantissa = (above & 0xfffff) + 0x3feae89f, exponent = above >> 20;
    const bool far = mantissa >= 0x3ff306fe; /* from 2^(1/4) on */
    const double f = __fma_rn(__hiloint2double(mantissa, __double2loint(x)),
                              __hiloint2double(far ? 0x3fe6a000 : 0x3ff00000, 0), -1.0);
    const double e = __hiloint2double(0x43300000, exponent ^ (int32_t)0x80000000) - (0x1p52 + 0x1p31);
    const double sum = mnp_polynomial(mnp_log_terms, f);
    return __fma_rn(e, 0x1.62e42fefa39efp-1, far ? 0x1.630030b3aac49p-2 : 0.0) + __fma_rn(sum, f * f, f);
#else
    return log(x);
#endif
}

/*
 * The cosine (lane 0) or sine (lane 1) of an angle: for a float in units of 2^-32 turns, -2^31 <= angle < 2^31; for a
 * double in two words, of which the high one has these units and the upper 21 bits of the low one go on.  On a GPU the
 * special function units compute a float, with an absolute error of 2^-21; for a double the angle's upper bits are the
 * nearest multiple of a quarter turn, and two polynomials are for the rest, of which both lanes need both.  On the host
 * all are cosines, for which the compiler has vector code; it has none for a sine and a cosine of one argument.
 */
MNP_INLINE float mnp_wave(float angle, int lane)
{
    constexpr float turn = 6.28318531f * 0x1p-32f;
#if MNP_CUDA
    return lane ? __sinf(turn * angle) : __cosf(turn * angle);
#else
    return cosf(turn * (lane ? angle - 0x1p30f : angle));
#endif
}
MNP_INLINE double mnp_wave(uint32_t low, uint32_t high, int lane)
{
#if MNP_CUDA
    const uint32_t nearest = high + 0x20000000u, quarters = (nearest >> 30) - (uint32_t)lane; /* sin x: cos(x - 1/4) */
    const double t = mnp_fraction(low & ~0x7ffu, (nearest & 0x3fffffffu) + 0x60000000u, 0x1p20 + 0.5 + 0x1p-12);
    const double square = t * t;
    const double even = mnp_polynomial(mnp_even_terms, square), odd = mnp_polynomial(mnp_odd_terms, square) * t;
    const double wave = quarters & 1 ? odd : even; /* of 0 .. 3 quarters: cos, -sin, -cos, sin */
    return __hiloint2double(__double2hiint(wave) ^ (int)((quarters + 1) << 30 & 0x80000000u), __double2loint(wave));
#else
    const double turns = (double)(int32_t)high * 0x1p-32 + (double)(int32_t)(low >> 11) * 0x1p-53;
    return cos(6.283185307179586477 * (lane ? turns - 0.25 : turns));
#endif
}

MNP_INLINE float mnp_root(float x)
{
#if MNP_PTX
    float root; /* right to a unit in the last place, in a single instruction */
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
#else
    return sqrtf(x);
#endif
}

/* On a GPU from an approximation of 1 / sqrt(x), by two steps of Goldschmidt's iteration and one of Newton's. */
MNP_INLINE double mnp_root(double x)
{
#if MNP_PTX
    double inverse; /* it depends on the upper word alone, which is above 0 here so that 0 has the root 0 */
    const int high = __double2hiint(x) > 0x00100000 ? __double2hiint(x) : 0x00100000;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(__hiloint2double(high, 0)));
    double root = x * inverse, half = 0.5 * inverse;
    const double rest = __fma_rn(-root, half, 0.5);
    root = __fma_rn(root, rest, root);
    half = __fma_rn(half, rest, half);
    return __fma_rn(__fma_rn(-root, root, x), half, root);
#else
    return sqrt(x);
#endif
}
