/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions about dtypes that many functions ask.  The table of dtypes is in dtype.c, behind <maniple/dtype.h>.
 */
#ifndef MNP__BASE_DTYPE_H
#define MNP__BASE_DTYPE_H

#include <maniple/dtype.h>

/* Bool, and signed or unsigned integers. */
static inline bool mnp__dtype_is_integral(mnp_dtype dtype)
{
    const char kind = mnp_dtype_kind(dtype);
    return kind == 'b' || kind == 'i' || kind == 'u';
}

/* Floats and complex numbers. */
static inline bool mnp__dtype_is_inexact(mnp_dtype dtype)
{
    const char kind = mnp_dtype_kind(dtype);
    return kind == 'f' || kind == 'c';
}

/* Numbers of single precision, float32 and complex64, and of double precision, float64 and complex128. */
static inline bool mnp__dtype_is_single(mnp_dtype dtype)
{
    return dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64;
}
static inline bool mnp__dtype_is_double(mnp_dtype dtype)
{
    return dtype == MNP_FLOAT64 || dtype == MNP_COMPLEX128;
}

/* The dtype of the real parts of complex numbers; other dtypes are their own. */
static inline mnp_dtype mnp__dtype_real(mnp_dtype dtype)
{
    return dtype == MNP_COMPLEX64 ? MNP_FLOAT32 : dtype == MNP_COMPLEX128 ? MNP_FLOAT64 : dtype;
}

/* The most precise dtype: complex128 for complex numbers, and float64 for others. */
static inline mnp_dtype mnp__dtype_widest(mnp_dtype dtype)
{
    return mnp_dtype_kind(dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
}

#endif
