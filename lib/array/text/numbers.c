/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floats have the fewest digits that give the same number of their type when they are read, or fewer where the
 * precision ends, rounded from the exact value; NumPy has both from the algorithm Dragon4 (G. L. Steele and J. L.
 * White, "How to print floating-point numbers accurately", 1990).  Here printf() rounds, and the digits are found by
 * trying one more until the number is the same, which takes a few microseconds.
 */
#include "array/text/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/integer.h"
#include "base/text.h"

enum { MOST_DIGITS = 17, DIGITS_BYTES = 32, PRECISION_LIMIT = 400 };

/* ---- elements ---- */

/* Part 0 or 1 of an element of a floating point or complex type. */
static double float_of(mnp_dtype dtype, const void *elements, int64_t index, int part)
{
    switch (dtype) {
    case MNP_FLOAT16:
        return (double)mnp_float16_to_float(((const uint16_t *)elements)[index]);
    case MNP_BFLOAT16:
        return (double)mnp_bfloat16_to_float(((const uint16_t *)elements)[index]);
    case MNP_FLOAT32:
        return (double)((const float *)elements)[index];
    case MNP_COMPLEX64:
        return (double)((const float *)elements)[2 * index + part];
    case MNP_COMPLEX128:
        return ((const double *)elements)[2 * index + part];
    default:
        return ((const double *)elements)[index];
    }
}

/* The nearest number of a floating point type. */
static double rounded_to(mnp_dtype dtype, double value)
{
    switch (dtype) {
    case MNP_FLOAT16:
        return (double)mnp_float16_to_float(mnp_float16_from_double(value));
    case MNP_BFLOAT16:
        return (double)mnp_bfloat16_to_float(mnp_bfloat16_from_double(value));
    case MNP_FLOAT32:
        return (double)(float)value;
    default:
        return value;
    }
}

/* ---- the digits of a float ---- */

/* digits[0].digits[1]digits[2]... times 10 to the exponent, without zeros at the end. */
typedef struct decimal {
    char digits[DIGITS_BYTES];
    int count, exponent;
} decimal;

static void drop_zeros(decimal *d)
{
    while (d->count > 1 && d->digits[d->count - 1] == '0')
        d->count--;
}

/* The exact value rounded to `count` digits; `value` is not negative. */
static decimal rounded(double value, int count)
{
    char text[DIGITS_BYTES];
    decimal d = {.count = count};
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    d.digits[0] = text[0];
    memcpy(d.digits + 1, text + 2, (size_t)(count - 1));
    d.exponent = atoi(strchr(text, 'e') + 1);
    return d;
}

/* The next larger number of as many digits. */
static decimal next_decimal(decimal d)
{
    int at = d.count - 1;
    while (at >= 0 && d.digits[at] == '9')
        d.digits[at--] = '0';
    if (at >= 0) {
        d.digits[at]++;
    } else {
        d.digits[0] = '1';
        d.exponent++;
    }
    return d;
}

/* Whether a decimal is read as that number of its type. */
static bool reads_as(const decimal *d, mnp_dtype dtype, double value)
{
    char text[DIGITS_BYTES + 16];
    snprintf(text, sizeof text, "%c.%.*se%d", d->digits[0], d->count - 1, d->digits + 1, d->exponent);
    if (dtype == MNP_FLOAT32)
        return (double)mnp__numbers_float(text) == value;
    return rounded_to(dtype, mnp__numbers_double(text)) == value;
}

/*
 * The fewest digits that are read as `value`.  The nearest decimal may not be, where the next larger one is: below a
 * power of two numbers are twice as dense.
 */
static decimal shortest(double value, mnp_dtype dtype)
{
    decimal d = {.count = 1};
    if (value == 0) {
        d.digits[0] = '0';
        return d;
    }
    for (int count = 1; count <= MOST_DIGITS; count++) {
        d = rounded(value, count);
        if (reads_as(&d, dtype, value))
            break;
        const decimal next = next_decimal(d);
        if (reads_as(&next, dtype, value)) {
            d = next;
            break;
        }
    }
    drop_zeros(&d);
    return d;
}

/* ---- a float ---- */

/* The text of a finite float without padding, as whole part, fraction and exponent. */
typedef struct float_text {
    char whole[MNP__NUMBER_BYTES / 4], fraction[PRECISION_LIMIT + 1];
    int exponent;
} float_text;

static void add_sign(const mnp__float_format *f, double value, float_text *t)
{
    strcpy(t->whole, signbit(value) ? "-" : f->sign ? "+" : "");
}

/* With as few digits as are needed, up to the precision; or, in the `final` form, with all of them. */
static float_text with_exponent(const mnp__float_format *f, double value, bool final)
{
    float_text t;
    decimal d = shortest(fabs(value), f->dtype);
    if (d.count - 1 > f->precision || (final && d.count - 1 < f->precision))
        d = rounded(fabs(value), f->precision + 1);
    if (!final)
        drop_zeros(&d);
    add_sign(f, value, &t);
    strcat(t.whole, (const char[]){d.digits[0], '\0'});
    snprintf(t.fraction, sizeof t.fraction, "%.*s", d.count - 1, d.digits + 1);
    t.exponent = d.exponent;
    return t;
}

/* The same from digits: those before the point, zeros where there are too few, and those behind it. */
static void split_digits(const decimal *d, float_text *t)
{
    size_t at = strlen(t->whole);
    int i = 0;
    for (int place = d->exponent > 0 ? d->exponent : 0; place >= 0; place--)
        t->whole[at++] = place <= d->exponent && i < d->count ? d->digits[i++] : '0';
    t->whole[at] = '\0';
    at = 0;
    for (int place = -1; i < d->count; place--)
        t->fraction[at++] = place <= d->exponent ? d->digits[i++] : '0';
    t->fraction[at] = '\0';
}

/* The same; the final form has all digits before the point, where fewer tell numbers of 16 bits apart. */
static float_text without_exponent(const mnp__float_format *f, double value, bool final)
{
    float_text t = {.exponent = 0};
    const decimal d = shortest(fabs(value), f->dtype);
    const int behind = d.count - 1 - d.exponent;
    add_sign(f, value, &t);
    if (behind <= f->precision && !(final && behind < 0)) {
        split_digits(&d, &t);
        return t;
    }
    char text[MNP__NUMBER_BYTES];
    snprintf(text, sizeof text, "%.*f", behind < 0 ? 0 : f->precision, fabs(value));
    const size_t whole = strcspn(text, ".");
    strncat(t.whole, text, whole);
    snprintf(t.fraction, sizeof t.fraction, "%s", text[whole] ? text + whole + 1 : "");
    for (size_t end = strlen(t.fraction); end > 0 && t.fraction[end - 1] == '0'; end--)
        t.fraction[end - 1] = '\0';
    return t;
}

static int digits_of_exponent(int exponent)
{
    return abs(exponent) < 100 ? 2 : 3;
}

/* ---- the format of floats ---- */

/*
 * Whether numbers are written with exponents, from the least and the greatest magnitude that is not 0: NumPy 2.3's
 * rule.
 */
static bool needs_exponent(mnp_dtype dtype, double least, double greatest, bool suppress)
{
    /* powers of ten up to which a type has all digits */
    const double most = dtype == MNP_FLOAT64 ? 1e8 : dtype == MNP_FLOAT32 ? 1e6 : dtype == MNP_FLOAT16 ? 1e3 : 1e2;
    if (greatest >= most)
        return true;
    const double ratio = dtype == MNP_FLOAT64 ? greatest / least : (double)((float)greatest / (float)least);
    return !suppress && (least < rounded_to(dtype, 1e-4) || rounded_to(dtype, ratio) > 1000);
}

/* Make room for the finite numbers; returns how many there are. */
static int64_t fit_numbers(mnp__float_format *f, mnp_dtype dtype, int64_t count, const void *elements, int part)
{
    int64_t finite = 0;
    int fraction = 0;
    for (int64_t i = 0; i < count; i++) {
        const double value = float_of(dtype, elements, i, part);
        if (!isfinite(value))
            continue;
        const float_text t = f->exponent ? with_exponent(f, value, false) : without_exponent(f, value, false);
        finite++;
        f->left = (int)mnp__max(f->left, (int)strlen(t.whole));
        fraction = (int)mnp__max(fraction, (int)strlen(t.fraction));
        f->exponent_digits = (int)mnp__max(f->exponent_digits, digits_of_exponent(t.exponent));
    }
    if (f->exponent)
        f->precision = fraction;
    f->right = fraction + (f->exponent ? f->exponent_digits + 2 : 0);
    return finite;
}

static mnp__float_format choose_floats(mnp_dtype dtype, int64_t count, const void *elements, int part, int precision,
                                       bool suppress)
{
    mnp__float_format f = {.dtype = mnp__dtype_real(dtype), .sign = part == 1, .precision = precision};
    double least = INFINITY, greatest = 0;
    bool minus = f.sign; /* whether infinities may have a sign */
    for (int64_t i = 0; i < count; i++) {
        const double value = float_of(dtype, elements, i, part), size = fabs(value);
        if (isfinite(value) && value != 0) {
            least = fmin(least, size);
            greatest = fmax(greatest, size);
        }
        minus = minus || (isinf(value) && value < 0);
    }
    f.exponent = greatest > 0 && needs_exponent(f.dtype, least, greatest, suppress);
    if (fit_numbers(&f, dtype, count, elements, part) < count)
        f.left = (int)mnp__max(f.left, 3 + minus - (f.right + 1)); /* nan and inf */
    return f;
}

static void write_float(const mnp__float_format *f, double value, char *text, size_t size)
{
    char number[MNP__NUMBER_BYTES / 2];
    if (!isfinite(value)) {
        const char *sign = value < 0 ? "-" : f->sign ? "+" : "";
        snprintf(number, sizeof number, "%s%s", sign, isnan(value) ? "nan" : "inf");
        snprintf(text, size, "%*s", f->left + 1 + f->right, number);
    } else if (f->exponent) {
        const float_text t = with_exponent(f, value, true);
        snprintf(text, size, "%*s.%se%c%0*d", f->left, t.whole, t.fraction, t.exponent < 0 ? '-' : '+',
                 f->exponent_digits, abs(t.exponent));
    } else {
        const float_text t = without_exponent(f, value, true);
        snprintf(text, size, "%*s.%-*s", f->left, t.whole, f->right, t.fraction);
    }
}

/* ---- elements of any type ---- */

static int64_t signed_of(mnp_dtype dtype, const void *elements, int64_t index)
{
    switch (dtype) {
    case MNP_INT8:
        return ((const int8_t *)elements)[index];
    case MNP_INT16:
        return ((const int16_t *)elements)[index];
    case MNP_INT32:
        return ((const int32_t *)elements)[index];
    default:
        return ((const int64_t *)elements)[index];
    }
}

static uint64_t unsigned_of(mnp_dtype dtype, const void *elements, int64_t index)
{
    switch (dtype) {
    case MNP_UINT8:
        return ((const uint8_t *)elements)[index];
    case MNP_UINT16:
        return ((const uint16_t *)elements)[index];
    case MNP_UINT32:
        return ((const uint32_t *)elements)[index];
    default:
        return ((const uint64_t *)elements)[index];
    }
}

static int write_integer(mnp_dtype dtype, const void *elements, int64_t index, int width, char *text, size_t size)
{
    return mnp_dtype_kind(dtype) == 'i' ? snprintf(text, size, "%*" PRId64, width, signed_of(dtype, elements, index))
                                        : snprintf(text, size, "%*" PRIu64, width, unsigned_of(dtype, elements, index));
}

mnp__number_format mnp__number_format_choose(mnp_dtype dtype, int64_t count, const void *elements, bool alone,
                                             int precision, bool suppress)
{
    mnp__number_format f = {.dtype = dtype};
    const char kind = mnp_dtype_kind(dtype);
    char text[DIGITS_BYTES];
    precision = precision < PRECISION_LIMIT ? precision : PRECISION_LIMIT;
    if (kind == 'b')
        f.width = alone ? 4 : 5;
    for (int64_t i = 0; i < count && (kind == 'i' || kind == 'u'); i++)
        f.width = (int)mnp__max(f.width, write_integer(dtype, elements, i, 0, text, sizeof text));
    for (int part = 0; part < (kind == 'c' ? 2 : kind == 'f' ? 1 : 0); part++)
        f.parts[part] = choose_floats(dtype, count, elements, part, precision, suppress);
    return f;
}

const char *mnp__number_text(const mnp__number_format *f, const void *elements, int64_t index,
                             char text[MNP__NUMBER_BYTES])
{
    const char kind = mnp_dtype_kind(f->dtype);
    if (kind == 'b') {
        snprintf(text, MNP__NUMBER_BYTES, "%*s", f->width, ((const uint8_t *)elements)[index] ? "True" : "False");
    } else if (kind == 'i' || kind == 'u') {
        write_integer(f->dtype, elements, index, f->width, text, MNP__NUMBER_BYTES);
    } else {
        write_float(&f->parts[0], float_of(f->dtype, elements, index, 0), text, MNP__NUMBER_BYTES);
    }
    if (kind != 'c')
        return text;
    char imaginary[MNP__NUMBER_BYTES / 2 - 2];
    write_float(&f->parts[1], float_of(f->dtype, elements, index, 1), imaginary, sizeof imaginary);
    size_t end = strlen(imaginary);
    while (end > 0 && imaginary[end - 1] == ' ')
        end--;
    memmove(imaginary + end + 1, imaginary + end, strlen(imaginary + end) + 1); /* spaces come after the j */
    imaginary[end] = 'j';
    strcat(text, imaginary);
    return text;
}
