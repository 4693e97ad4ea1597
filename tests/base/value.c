/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values: a value that is written in a dtype is read again, and the range of each dtype is known.
 */
#include "base/value.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

static const mnp_dtype dtypes[] = {MNP_BOOL,     MNP_INT8,    MNP_INT16,   MNP_INT32,     MNP_INT64,
                                   MNP_UINT8,    MNP_UINT16,  MNP_UINT32,  MNP_UINT64,    MNP_FLOAT16,
                                   MNP_BFLOAT16, MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};
enum { COUNT = sizeof dtypes / sizeof *dtypes };

static mnp__value through(mnp__value value, mnp_dtype dtype)
{
    unsigned char element[17] = {0}; /* one byte off, as elements need not be aligned */
    mnp__value_write(&value, dtype, element + 1);
    return mnp__value_read(dtype, element + 1);
}

static mnp__value integer(int64_t i)
{
    return (mnp__value){.kind = 'i', .i = i};
}

static mnp__value number(double re)
{
    return (mnp__value){.kind = 'f', .re = re};
}

/*
 * A number that a dtype can represent is read as it was written, from any kind of value; an integer that does not fit
 * is read as another number.
 */
static void check_numbers(void)
{
    static const double numbers[] = {0,     1,     -1,    2,     100, 127,   128,    -128,   -129,    255,    256,
                                     32767, 32768, 65535, 65536, 0.5, 65504, 0x1p31, 0x1p32, -0x1p31, 0x1p53, 0x1p62};
    for (int k = 0; k < COUNT; k++) {
        const mnp_dtype dtype = dtypes[k];
        bool right = true;
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const double x = numbers[i];
            const bool whole = x == trunc(x), floating = strchr("fc", mnp_dtype_kind(dtype)) != NULL;
            const bool exact = floating ? mnp__round_to(dtype, x) == x : mnp__number_fits(x, dtype);
            if (exact) {
                const mnp__value f = through(number(x), dtype);
                right = right && mnp__value_as_double(&f) == x;
            }
            if (exact && whole) {
                const mnp__value n = through(integer((int64_t)x), dtype);
                right = right && mnp__value_as_double(&n) == x && mnp__value_as_int64(&n) == (int64_t)x;
            }
            if (whole && !floating) {
                const mnp__value n = through(integer((int64_t)x), dtype);
                const bool kept = mnp__value_as_double(&n) == x;
                right = right && mnp__int_fits((int64_t)x, dtype) == kept && mnp__number_fits(x, dtype) == kept;
            }
        }
        ok(right, "%s", mnp_dtype_name(dtype));
    }
}

/* A float that an integer type cannot represent becomes the type's nearest value; NaN becomes 0. */
static void check_casts(void)
{
    for (int k = 0; k < COUNT; k++) {
        const mnp_dtype dtype = dtypes[k];
        const bool is_signed = mnp_dtype_kind(dtype) == 'i';
        const int bits = 8 * (int)mnp_dtype_size(dtype);
        if (!is_signed && mnp_dtype_kind(dtype) != 'u')
            continue;
        const uint64_t most = UINT64_MAX >> (64 - bits + is_signed), least = is_signed ? ~most : 0;
        const double ends[] = {(double)most + 1, 1e19 * 1e19, INFINITY}, starts[] = {-ldexp(1, bits), -INFINITY};
        bool right = through(number(NAN), dtype).u == 0 && through(number(-0.9), dtype).u == 0;
        for (int i = 0; i < 3; i++)
            right = right && through(number(ends[i]), dtype).u == most;
        for (int i = 0; i < 2; i++)
            right = right && through(number(starts[i]), dtype).u == least;
        right = right && through(number(100.99), dtype).u == 100;
        right = right && through(number(-100.99), dtype).i == (is_signed ? -100 : 0);
        ok(right, "floats beyond the ends of %s", mnp_dtype_name(dtype));
    }
    const mnp__value large = number(1e300), small = number(-1e300), none = number(NAN);
    ok(mnp__value_as_int64(&large) == INT64_MAX && mnp__value_as_int64(&small) == INT64_MIN &&
           mnp__value_as_int64(&none) == 0,
       "floats as int64");
}

static void check_limits(void)
{
    ok(mnp__number_fits(0x1p63, MNP_UINT64) && !mnp__number_fits(0x1p63, MNP_INT64) &&
           !mnp__number_fits(0x1p64, MNP_UINT64) && !mnp__number_fits(0.5, MNP_INT64) &&
           !mnp__number_fits(NAN, MNP_INT32) && mnp__number_fits(NAN, MNP_FLOAT16),
       "numbers at the ends of 64 bits, fractions, and NaN");
    ok(!mnp__number_fits(1e6, MNP_FLOAT16) && mnp__number_fits(1e6, MNP_BFLOAT16) &&
           !mnp__number_fits(1e300, MNP_FLOAT32) && mnp__number_fits(INFINITY, MNP_FLOAT16),
       "floats that overflow, and infinity, which does not");
    const mnp__value wrapped = through(integer(-1), MNP_UINT8), large = through(integer(-1), MNP_UINT64);
    ok(wrapped.u == 255 && large.u == UINT64_MAX && mnp__value_as_double(&large) == 0x1p64, "integers wrap");
    const mnp__value single = through(integer(INT64_C(0x4000004000000001)), MNP_FLOAT32);
    ok(single.re == (double)(float)INT64_C(0x4000004000000001) && single.re != 0x1p62,
       "an integer becomes a float by one rounding: %a", single.re);
    const mnp__value pair = {.kind = 'c', .re = 1.5, .im = -2};
    const mnp__value complex64 = through(pair, MNP_COMPLEX64), real = through(pair, MNP_FLOAT64);
    ok(complex64.kind == 'c' && complex64.re == 1.5 && complex64.im == -2 && real.re == 1.5 && real.im == 0,
       "complex numbers, whose imaginary part real ones drop");
    const mnp__value imaginary = through((mnp__value){.kind = 'c', .im = 1}, MNP_BOOL);
    ok(imaginary.u == 1, "which is not 0 for bool");
}

int main(void)
{
    check_numbers();
    check_casts();
    check_limits();
    return done_testing();
}
