/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of elements, as numpy.array2string() writes it: one format for all of them, so that they line up.
 */
#ifndef MNP__ARRAY_TEXT_NUMBERS_H
#define MNP__ARRAY_TEXT_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/dtype.h>

/* The format of floats: numpy.core.arrayprint.FloatingFormat with floatmode "maxprec". */
typedef struct mnp__float_format {
    mnp_dtype dtype; /* float16, bfloat16, float32 or float64 */
    bool sign;       /* a plus before numbers that are not negative */
    bool exponent;   /* 1.5e+08 */
    int precision;   /* the most digits behind the point; with an exponent all numbers have so many */
    int left, right; /* the room before the point, with the sign, and behind it */
    int exponent_digits;
} mnp__float_format;

/* The format of elements of any dtype. */
typedef struct mnp__number_format {
    mnp_dtype dtype;
    int width;                  /* of integers and truth values */
    mnp__float_format parts[2]; /* of floats; of complex numbers the real and the imaginary part */
} mnp__number_format;

/*
 * Choose the format for `count` elements, which lie densely on the CPU; for `alone`, the only element of an array
 * without dimensions.  precision, suppress: as in mnp_print_options.  Between mnp__numbers_begin() and
 * mnp__numbers_end().
 */
mnp__number_format mnp__number_format_choose(mnp_dtype dtype, int64_t count, const void *elements, bool alone,
                                             int precision, bool suppress);

/* Write element number `index` to `text`, which is returned.  Between mnp__numbers_begin() and mnp__numbers_end(). */
enum { MNP__NUMBER_BYTES = 1600 };
const char *mnp__number_text(const mnp__number_format *format, const void *elements, int64_t index,
                             char text[MNP__NUMBER_BYTES]);

#endif
