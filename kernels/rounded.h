/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doubles rounded to integers, and a product that is rounded by itself: compilers do not make it a part of a fused
 * addition.
 */
#ifndef MNP_KERNELS_ROUNDED_H
#define MNP_KERNELS_ROUNDED_H

MNP_INLINE double mnp_product(double a, double b)
{
#if MNP_CUDA
    return __dmul_rn(a, b);
#else
    double product = a * b;
    asm("" : "+m"(product));
    return product;
#endif
}

MNP_INLINE double mnp_rounded_down(double x)
{
#if MNP_CUDA
    return floor(x);
#else
    return __builtin_floor(x);
#endif
}

MNP_INLINE double mnp_without_fraction(double x)
{
#if MNP_CUDA
    return trunc(x);
#else
    return __builtin_trunc(x);
#endif
}

#endif
