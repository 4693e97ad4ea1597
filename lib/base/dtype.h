/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of the dtypes of linear algebra: float32, float64, complex64 and complex128.
 */
#ifndef MNP__BASE_DTYPE_H
#define MNP__BASE_DTYPE_H

#include <stdint.h>

#include <maniple/dtype.h>

/* Read and write one value as real and imaginary part; a real dtype drops the imaginary part. */
void mnp__value_get(mnp_dtype dtype, const void *values, int64_t at, double value[2]);
void mnp__value_set(mnp_dtype dtype, void *values, int64_t at, const double value[2]);

#endif
