/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic that integers share with floats, and functions of integers alone: division, powers, divisors, bits.
 */
template <typename T> MNP_INLINE T mnp_add(T x, T y)
{
    if constexpr (mnp_is_integer<T>)
        return (T)((typename mnp_wide<T>::type)x + (typename mnp_wide<T>::type)y);
    else
        return (T)(x + y);
}
template <typename T> MNP_INLINE T mnp_subtract(T x, T y)
{
    if constexpr (mnp_is_integer<T>)
        return (T)((typename mnp_wide<T>::type)x - (typename mnp_wide<T>::type)y);
    else
        return (T)(x - y);
}
template <typename T> MNP_INLINE T mnp_multiply(T x, T y)
{
    if constexpr (mnp_is_integer<T>)
        return (T)((typename mnp_wide<T>::type)x * (typename mnp_wide<T>::type)y);
    else
        return (T)(x * y);
}
MNP_INLINE mnp_bool mnp_add(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value | y.value)};
}
MNP_INLINE mnp_bool mnp_multiply(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value & y.value)};
}

template <typename T> MNP_INLINE T mnp_negative(T x)
{
    if constexpr (mnp_is_integer<T>)
        return (T)(0 - (typename mnp_wide<T>::type)x);
    else if constexpr (mnp_is_half<T>)
        return mnp_from_bits<T>((uint16_t)(mnp_bits_of(x) ^ mnp_format<T>::sign));
    else
        return (T)-x;
}
template <typename T> MNP_INLINE T mnp_positive(T x)
{
    return x;
}
template <typename T> MNP_INLINE T mnp_square(T x)
{
    return mnp_multiply(x, x);
}

/* The absolute value as an unsigned number, which holds it even for the least integer. */
template <typename T> MNP_INLINE typename mnp_wide<T>::type mnp_magnitude(T x)
{
    typename mnp_wide<T>::type wide = x;
    return mnp_below_zero(x) ? 0 - wide : wide;
}

/*
 * Division.  Divisors at which the processor would trap are replaced by 1, and the quotient is multiplied by them: 0,
 * whose result is 0, and -1, as the least integer has no negative.
 */
template <typename T> MNP_INLINE T mnp_harmless(T y)
{
    return (y == 0) | (mnp_is_signed<T> & (y == (T)-1)) ? (T)1 : y;
}

/*
 * The quotient rounded down, of a harmless divisor.
 *
 * CPUs have vector instructions for products of floats, not for quotients of integers, and the reciprocal of a divisor
 * that is the same for all elements is computed once.  Quotients of up to 32 bits are moved up by half of 1/y, which is
 * their least distance from the next integer, so rounding errors cannot take them past any.
 *
 * Quotients of 64 bits are of magnitudes, with a reciprocal too small by more than the rounding errors, so that neither
 * estimate exceeds what it stands for: the first is too small by less than 2^14, and the second, for what is left, by
 * at most 1.  A negative quotient rounded down is -((n - 1) / d + 1), which is ~((n - 1) / d).
 */
template <typename T> MNP_INLINE T mnp_floor_of_quotient(T x, T y)
{
#if !MNP_CUDA
    if constexpr (sizeof(T) < 4) {
        const float reciprocal = 1 / (float)y;
        return (T)(int)__builtin_floorf((float)x * reciprocal + __builtin_fabsf(reciprocal) / 2);
    } else if constexpr (sizeof(T) == 4) {
        const double reciprocal = 1 / (double)y;
        return (T)__builtin_floor((double)x * reciprocal + __builtin_fabs(reciprocal) / 2);
    }
#ifdef __AVX512DQ__ /* its vector instructions convert between such integers and doubles */
    if constexpr (sizeof(T) == 8) {
        const uint64_t ones = 0 - (uint64_t)((x != 0) & (mnp_below_zero(x) != mnp_below_zero(y)));
        const uint64_t n = mnp_magnitude(x) + ones, d = mnp_magnitude(y);
        const double reciprocal = 0x1.ffffffffffff8p-1 / (double)d;
        const uint64_t most = (uint64_t)((double)n * reciprocal), rest = n - most * d;
        const uint64_t more = (uint64_t)((double)rest * reciprocal), left = rest - more * d;
        return (T)((most + more + (left >= d)) ^ ones);
    }
#endif
#endif
    const T quotient = (T)(x / y), rest = mnp_subtract(x, mnp_multiply(quotient, y));
    return (T)(quotient - ((rest != 0) & (mnp_below_zero(rest) != mnp_below_zero(y))));
}

template <typename T> MNP_INLINE T mnp_integer_floor_divide(T x, T y)
{
    const T d = mnp_harmless(y), factor = d == y ? (T)1 : y;
    return mnp_multiply(mnp_floor_of_quotient(x, d), factor);
}
template <typename T> MNP_INLINE T mnp_integer_remainder(T x, T y)
{
    const T d = mnp_harmless(y);
    return mnp_subtract(x, mnp_multiply(mnp_floor_of_quotient(x, d), d));
}
template <typename T> MNP_INLINE T mnp_integer_fmod(T x, T y)
{
    const T rest = mnp_integer_remainder(x, y);
    return (rest != 0) & (mnp_below_zero(x) != mnp_below_zero(y)) ? mnp_subtract(rest, y) : rest;
}

/* Powers by repeated squaring; for negative exponents 1/x is truncated, and is 0 for x = 0. */
template <typename T> MNP_FUNCTION T mnp_integer_power(T x, T y)
{
    typedef typename mnp_wide<T>::type wide;
    if (mnp_below_zero(y))
        return x == 1 ? (T)1 : mnp_is_signed<T> && x == (T)-1 ? (y & 1 ? (T)-1 : (T)1) : (T)0;
    wide square = (wide)x, product = y & 1 ? (wide)x : 1;
    for (wide rest = (wide)y >> 1; rest; rest >>= 1) {
        square *= square;
        if (rest & 1)
            product *= square;
    }
    return (T)product;
}

template <typename T> MNP_FUNCTION typename mnp_wide<T>::type mnp_gcd_of(T x, T y)
{
    typename mnp_wide<T>::type a = mnp_magnitude(x), b = mnp_magnitude(y);
    while (b) {
        typename mnp_wide<T>::type rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
template <typename T> MNP_FUNCTION T mnp_gcd(T x, T y)
{
    return (T)mnp_gcd_of(x, y);
}
template <typename T> MNP_FUNCTION T mnp_lcm(T x, T y)
{
    typename mnp_wide<T>::type divisor = mnp_gcd_of(x, y);
    return divisor ? (T)(mnp_magnitude(x) / divisor * mnp_magnitude(y)) : (T)0;
}

/* Bits. */

template <typename T> MNP_INLINE T mnp_bitwise_and(T x, T y)
{
    return (T)(x & y);
}
template <typename T> MNP_INLINE T mnp_bitwise_or(T x, T y)
{
    return (T)(x | y);
}
template <typename T> MNP_INLINE T mnp_bitwise_xor(T x, T y)
{
    return (T)(x ^ y);
}
template <typename T> MNP_INLINE T mnp_invert(T x)
{
    return (T)~x;
}
MNP_INLINE mnp_bool mnp_bitwise_and(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value & y.value)};
}
MNP_INLINE mnp_bool mnp_bitwise_or(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value | y.value)};
}
MNP_INLINE mnp_bool mnp_bitwise_xor(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value ^ y.value)};
}
MNP_INLINE mnp_bool mnp_invert(mnp_bool x)
{
    return mnp_bool{(uint8_t)(x.value ^ 1)};
}

/* A shift by the width or more, or by a negative number, shifts all bits out. */
template <typename T> MNP_INLINE T mnp_left_shift(T x, T y)
{
    const bool within = !mnp_below_zero(y) && (typename mnp_wide<T>::type)y < 8 * sizeof(T);
    return (T)(within ? (typename mnp_wide<T>::type)x << (within ? y : 0) : 0);
}
template <typename T> MNP_INLINE T mnp_right_shift(T x, T y)
{
    const bool within = !mnp_below_zero(y) && (typename mnp_wide<T>::type)y < 8 * sizeof(T);
    return (T)(x >> (within ? y : (T)(8 * sizeof(T) - 1))) & (within || mnp_below_zero(x) ? (T)-1 : (T)0);
}

template <typename T> MNP_INLINE uint8_t mnp_bitwise_count(T x)
{
#if MNP_CUDA
    return (uint8_t)__popcll(mnp_magnitude(x) & (uint64_t)(typename mnp_wide<T>::type) - 1);
#else
    return (uint8_t)__builtin_popcountll(mnp_magnitude(x));
#endif
}
