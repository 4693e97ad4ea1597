/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One value of a dtype on the CPU: read, converted, and written.
 *
 * Conversions are those of C, and so of NumPy's unsafe casting: integers wrap, floats are cut to integers, rounded to
 * smaller floats, and are true where they are not 0; an imaginary part is dropped where the dtype has none.
 */
#ifndef MNP__BASE_VALUE_H
#define MNP__BASE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/dtype.h>

/* A value in the widest type of its kind, so that nothing is lost. */
typedef struct mnp__value {
    char kind; /* 'i': i; 'u': u, also of bool; 'f': re; 'c': re and im */
    union {
        int64_t i;
        uint64_t u;
    };
    double re, im;
} mnp__value;

/* An element of an array, and back.  Elements need not be aligned. */
mnp__value mnp__value_read(mnp_dtype dtype, const void *element);
void mnp__value_write(const mnp__value *value, mnp_dtype dtype, void *element);

double mnp__value_as_double(const mnp__value *value);
int64_t mnp__value_as_int64(const mnp__value *value);

/* A number rounded to a float dtype; others leave it as it is. */
double mnp__round_to(mnp_dtype dtype, double number);

/* Whether an integer, or any number, is a value of the dtype; floats have every finite one that does not overflow. */
bool mnp__int_fits(int64_t integer, mnp_dtype dtype);
bool mnp__number_fits(double number, mnp_dtype dtype);

/*
 * Element `at` of float32, float64, complex64 or complex128 as real and imaginary part, and back: what linear algebra
 * on the CPU reads and writes many of.
 */
void mnp__value_get(mnp_dtype dtype, const void *values, int64_t at, double value[2]);
void mnp__value_set(mnp_dtype dtype, void *values, int64_t at, const double value[2]);

#endif
