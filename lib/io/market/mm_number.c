/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading numbers, exactly and quickly.
 *
 * A decimal number is w * 10^e, where w is the integer of its digits.  Up to 19 digits fit 64 bits, and so does 5^e up
 * to e = 27: the product, or the quotient with its remainder, is then known exactly in 128 bits, and is rounded once.
 * Numbers with more digits or larger exponents, which are rare in files, are left to the C library.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "io/market/matrix_market.h"

__extension__ typedef unsigned __int128 uint128;

enum { MOST_DIGITS = 19, LARGEST_POWER = 27 };

/* The powers of five that fit 64 bits. */
static const uint64_t powers_of_five[LARGEST_POWER + 1] = {
    1,
    5,
    25,
    125,
    625,
    3125,
    15625,
    78125,
    390625,
    1953125,
    9765625,
    48828125,
    244140625,
    1220703125,
    6103515625,
    30517578125,
    152587890625,
    762939453125,
    3814697265625,
    19073486328125,
    95367431640625,
    476837158203125,
    2384185791015625,
    11920928955078125,
    59604644775390625,
    298023223876953125,
    1490116119384765625,
    7450580596923828125,
};

/* The number digits * 10^exponent; `exact` if no digit was dropped. */
struct decimal {
    bool negative, exact;
    uint64_t digits;
    int exponent;
};

const char *mnp__mm_scan_integer(const char *at, const char *end, int64_t *value_p)
{
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || !mnp__is_digit(*at))
        return NULL;
    const uint64_t largest = (uint64_t)INT64_MAX + negative;
    uint64_t value = 0;
    for (; at < end && mnp__is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (largest - digit) / 10)
            return NULL;
        value = 10 * value + digit;
    }
    *value_p = (int64_t)(negative ? 0 - value : value);
    return at;
}

/* Read digits; each one after the point lowers the exponent. */
static const char *scan_digits(const char *at, const char *end, struct decimal *number)
{
    int significant = 0;
    bool any = false, point = false;
    for (; at < end && (mnp__is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        number->exponent -= point;
        significant += number->digits > 0 || *at != '0';
        if (significant <= MOST_DIGITS)
            number->digits = 10 * number->digits + (uint64_t)(*at - '0');
        else
            number->exact = false;
    }
    return any ? at : NULL;
}

static const char *scan_exponent(const char *at, const char *end, struct decimal *number)
{
    if (at == end || !strchr("eEdD", *at) || !*at)
        return at;
    at++;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || !mnp__is_digit(*at))
        return NULL;
    int exponent = 0;
    for (; at < end && mnp__is_digit(*at); at++)
        exponent = exponent < 100000 ? 10 * exponent + (*at - '0') : exponent;
    number->exponent += negative ? -exponent : exponent;
    return at;
}

/*
 * number * 2^exponent, rounded to the nearest double.  `rest`: the exact value is a little larger than `number`, which
 * then has at least 64 bits.
 */
static double round_to_double(uint128 number, bool rest, int exponent)
{
    uint64_t high = (uint64_t)(number >> 64), top = (uint64_t)number;
    if (high > 0) {
        int shift = 64 - __builtin_clzll(high);
        top = (uint64_t)(number >> shift);
        rest = rest || (number & (((uint128)1 << shift) - 1)) != 0;
        exponent += shift;
    }
    return ldexp((double)(top | rest), exponent); /* setting the lowest of 64 bits decides ties */
}

static double multiply(uint64_t digits, int power)
{
    return round_to_double((uint128)digits * powers_of_five[power], false, power);
}

static double divide(uint64_t digits, int power)
{
    if (digits < UINT64_C(1) << 53 && power <= 22) /* both are doubles: the division rounds once */
        return ldexp((double)digits / (double)powers_of_five[power], -power);
    int zeros = __builtin_clzll(digits);
    uint128 numerator = (uint128)(digits << zeros) << 63;
    return round_to_double(numerator / powers_of_five[power], numerator % powers_of_five[power] != 0,
                           -zeros - 63 - power);
}

/* Read the text between `at` and `end` by the C library. */
static const char *scan_slowly(const char *at, const char *end, double *value_p)
{
    char text[MNP__MM_LONGEST_NUMBER], *stop;
    size_t length = (size_t)(end - at);
    if (length >= sizeof text)
        return NULL;
    for (size_t i = 0; i < length; i++)
        text[i] = at[i] == 'd' || at[i] == 'D' ? 'e' : at[i];
    text[length] = '\0';
    *value_p = mnp__parse_number(text, &stop);
    return stop == text + length ? end : NULL;
}

/* Read "nan", "inf" or "infinity", in either case. */
static const char *scan_word(const char *at, const char *end, double *value_p)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i].word);
        if ((size_t)(end - at) < length || strncasecmp(at, words[i].word, length) != 0)
            continue;
        *value_p = words[i].value;
        return at + length;
    }
    return NULL;
}

const char *mnp__mm_scan_float(const char *at, const char *end, double *value_p)
{
    const char *begin = at;
    struct decimal number = {.negative = at < end && *at == '-', .exact = true};
    at += at < end && (*at == '-' || *at == '+');
    if (at < end && *at >= 'A') {
        at = scan_word(at, end, value_p);
        *value_p = at && number.negative ? -*value_p : *value_p;
        return at;
    }
    at = scan_digits(at, end, &number);
    if (at)
        at = scan_exponent(at, end, &number);
    if (!at)
        return NULL;
    double value;
    if (!number.exact || (number.digits > 0 && abs(number.exponent) > LARGEST_POWER))
        return scan_slowly(begin, at, value_p);
    if (number.digits == 0)
        value = 0;
    else if (number.exponent >= 0)
        value = multiply(number.digits, number.exponent);
    else
        value = divide(number.digits, -number.exponent);
    *value_p = number.negative ? -value : value;
    return at;
}
