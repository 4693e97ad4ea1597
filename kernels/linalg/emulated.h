/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernels of emulated products share.  The library defines MNP_T, the real type of the elements, MNP_DOUBLE,
 * MNP_COMPLEX, MNP_MODULI, MNP_PIECES, and MNP_RESIDUE and MNP_SUM, the types in which BLAS takes residues and gives
 * sums of their products: int8_t and int32_t, or double.
 */
#include "kernels/linalg/emulated_params.h"

/* x + 2^52 * 1.5 is rounded to an integer, which the lower half of its bits holds, if |x| < 2^51. */
#define MNP_ROUNDING 0x1.8p52

MNP_INLINE double mnp_fused(double x, double y, double z)
{
#if MNP_CUDA
    return fma(x, y, z);
#else
    return __builtin_fma(x, y, z);
#endif
}

/*
 * An integer x, |x| < 2^55, modulo an integer m > 128: a number of at most 0.5 m (1 + |x| / m 2^-52).  The quotient is
 * rounded wrongly where x / m is near the middle of two integers; the difference is exact all the same.
 */
MNP_INLINE double mnp_residue(double x, double m, double inverse)
{
    const double quotient = mnp_fused(x, inverse, MNP_ROUNDING) - MNP_ROUNDING;
    return mnp_fused(-quotient, m, x);
}

/* 2^e for -1022 <= e <= 1023. */
MNP_INLINE double mnp_power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* x 2^e for |e| < 3000, which no step takes out of range unless the result is. */
MNP_INLINE double mnp_scaled(double x, int e)
{
    const int third = e / 3;
    const double power = mnp_power_of_two(third);
    return x * power * power * mnp_power_of_two(e - 2 * third);
}

MNP_INLINE bool mnp_is_finite(double x)
{
    return x - x == 0;
}

/* An element of a vector; the second of the two vectors of a complex row has its parts exchanged. */
MNP_INLINE double mnp_element(const mnp_emulated_operand &x, int64_t batch, int64_t vector, int64_t element)
{
    const MNP_T *data = (const MNP_T *)x.data;
#if MNP_COMPLEX
    const int64_t row = x.left ? vector / 2 : vector, part = (x.left ? vector ^ element : element) & 1;
    const double value = data[2 * (batch * x.batch + row * x.vector + element / 2 * x.along) + part];
    return x.left && !(vector & 1) && part ? -value : value;
#else
    return data[batch * x.batch + vector * x.vector + element * x.along];
#endif
}
