/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of the dtypes of linear algebra: float32, float64, complex64 and complex128.
 */
#ifndef MNP__BASE_DTYPE_H
#define MNP__BASE_DTYPE_H

#include <stdint.h>

#include <maniple/dtype.h>

/* One value as real and imaginary part, and back (an imaginary part is dropped where the dtype has none). */
void mnp__value_get(mnp_dtype dtype, const void *values, int64_t at, double value[2]);
void mnp__value_set(mnp_dtype dtype, void *values, int64_t at, const double value[2]);

#endif
