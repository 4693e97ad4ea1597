/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single values of a dtype on the CPU: reading, converting and writing.
 *
 * Conversions are those of the kernels (kernels/cast.h): integers wrap around; floats are truncated to integers, or
 * become the nearest integer of the dtype if they are outside its range, and 0 if NaN; they are rounded to smaller
 * floats, and are true if they are not 0; a real dtype drops the imaginary part.
 */
#ifndef MNP__BASE_VALUE_H
#define MNP__BASE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/dtype.h>

/* A value in the widest type of its kind, which holds it exactly. */
typedef struct mnp__value {
    char kind; /* 'i': i; 'u': u, also of bool; 'f': re; 'c': re and im */
    union {
        int64_t i;
        uint64_t u;
    };
    double re, im;
} mnp__value;

/* Read and write an element of an array.  Elements need not be aligned. */
mnp__value mnp__value_read(mnp_dtype dtype, const void *element);
void mnp__value_write(const mnp__value *value, mnp_dtype dtype, void *element);

double mnp__value_as_double(const mnp__value *value);
int64_t mnp__value_as_int64(const mnp__value *value);

/* Round a number to a float dtype; other dtypes leave it unchanged. */
double mnp__round_to(mnp_dtype dtype, double number);

/*
 * Whether an integer, a real number, or any value, is one of the dtype.  A float dtype has every finite number that
 * does not overflow, rounded.
 */
bool mnp__int_fits(int64_t integer, mnp_dtype dtype);
bool mnp__number_fits(double number, mnp_dtype dtype);
bool mnp__value_fits(const mnp__value *value, mnp_dtype dtype);

/*
 * Read and write element `at` of float32, float64, complex64 or complex128 as real and imaginary part, for the linear
 * algebra on the CPU, which does this often.
 */
void mnp__value_get(mnp_dtype dtype, const void *values, int64_t at, double value[2]);
void mnp__value_set(mnp_dtype dtype, void *values, int64_t at, const double value[2]);

#endif
