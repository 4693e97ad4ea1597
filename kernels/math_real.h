/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of real numbers.
 *
 * Function `name` calls float_function for a float and double_function for a double; floats of two bytes are computed
 * as floats.
 */
#define MNP_FLOATS_1(name, float_function, double_function)                                                            \
    MNP_INLINE float mnp_##name(float x)                                                                               \
    {                                                                                                                  \
        return float_function(x);                                                                                      \
    }                                                                                                                  \
    MNP_INLINE double mnp_##name(double x)                                                                             \
    {                                                                                                                  \
        return double_function(x);                                                                                     \
    }
#define MNP_REAL_1(name, float_function, double_function)                                                              \
    MNP_FLOATS_1(name, float_function, double_function)                                                                \
    template <typename T> MNP_INLINE T mnp_##name(T x)                                                                 \
    {                                                                                                                  \
        static_assert(mnp_is_half<T>, "of floats");                                                                    \
        return T(mnp_##name((float)x));                                                                                \
    }
#define MNP_REAL_2(name, float_function, double_function)                                                              \
    MNP_INLINE float mnp_##name(float x, float y)                                                                      \
    {                                                                                                                  \
        return float_function(x, y);                                                                                   \
    }                                                                                                                  \
    MNP_INLINE double mnp_##name(double x, double y)                                                                   \
    {                                                                                                                  \
        return double_function(x, y);                                                                                  \
    }                                                                                                                  \
    template <typename T> MNP_INLINE T mnp_##name(T x, T y)                                                            \
    {                                                                                                                  \
        static_assert(mnp_is_half<T>, "of floats");                                                                    \
        return T(mnp_##name((float)x, (float)y));                                                                      \
    }

/* From libm */
MNP_FLOATS_1(floor, floorf, floor)
MNP_FLOATS_1(ceil, ceilf, ceil)
MNP_FLOATS_1(trunc, truncf, trunc)
MNP_REAL_1(rint, rintf, rint)
MNP_REAL_1(sqrt, sqrtf, sqrt)
MNP_REAL_1(cbrt, cbrtf, cbrt)
MNP_REAL_1(exp, expf, exp)
MNP_REAL_1(exp2, exp2f, exp2)
MNP_REAL_1(expm1, expm1f, expm1)
MNP_REAL_1(log, logf, log)
MNP_REAL_1(log2, log2f, log2)
MNP_REAL_1(log10, log10f, log10)
MNP_REAL_1(log1p, log1pf, log1p)
MNP_REAL_1(sin, sinf, sin)
MNP_REAL_1(cos, cosf, cos)
MNP_REAL_1(tan, tanf, tan)
MNP_REAL_1(arcsin, asinf, asin)
MNP_REAL_1(arccos, acosf, acos)
MNP_REAL_1(arctan, atanf, atan)
MNP_REAL_1(sinh, sinhf, sinh)
MNP_REAL_1(cosh, coshf, cosh)
MNP_REAL_1(tanh, tanhf, tanh)
MNP_REAL_1(arcsinh, asinhf, asinh)
MNP_REAL_1(arccosh, acoshf, acosh)
MNP_REAL_1(arctanh, atanhf, atanh)
MNP_REAL_1(erf, erff, erf)
MNP_REAL_1(erfc, erfcf, erfc)
MNP_REAL_1(gamma, tgammaf, tgamma)
#if MNP_CUDA
MNP_REAL_1(lgamma, lgammaf, lgamma)
#else
/* lgamma() stores a sign in a variable that all threads share */
MNP_INLINE float mnp_lgamma_unshared(float x)
{
    int sign;
    return lgammaf_r(x, &sign);
}
MNP_INLINE double mnp_lgamma_unshared(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}
MNP_REAL_1(lgamma, mnp_lgamma_unshared, mnp_lgamma_unshared)
#endif
MNP_REAL_2(arctan2, atan2f, atan2)
#if MNP_CUDA
/* CUDA's hypot of doubles may be off by two units, and so gives infinity where the largest number is right. */
MNP_INLINE double mnp_hypot_inside(double x, double y)
{
    const double larger = fmax(fabs(x), fabs(y));
    return larger > 0x1p1022 && fmin(fabs(x), fabs(y)) < 0x1p990 && !isinf(larger) && x == x && y == y ? larger
                                                                                                       : hypot(x, y);
}
MNP_REAL_2(hypot, hypotf, mnp_hypot_inside)
#else
MNP_REAL_2(hypot, hypotf, hypot)
#endif

/* The sign of a float of two bytes is one bit, so no conversion to float is needed. */
MNP_INLINE float mnp_fabs(float x)
{
    return fabsf(x);
}
MNP_INLINE double mnp_fabs(double x)
{
    return fabs(x);
}
template <typename T> MNP_INLINE T mnp_fabs(T x)
{
    return mnp_from_bits<T>((uint16_t)(mnp_bits_of(x) & ~mnp_format<T>::sign));
}

/* Building blocks for T = float and double, with constants of that type. */

template <typename T> MNP_INLINE T mnp_real_divide(T x, T y)
{
    return x / y;
}
MNP_REAL_2(divide, mnp_real_divide, mnp_real_divide)
MNP_REAL_2(copysign, copysignf, copysign)

/*
 * The remainder of truncated division, always exact.  On the host libm's takes a step for every bit of the quotient;
 * where that is an integer that the type holds, one multiply-add gives x - quotient * y without rounding, and the
 * quotient may be one too large.
 */
template <typename T> MNP_INLINE T mnp_quick_fmod(T x, T y, T largest, T otherwise(T, T), T multiply_add(T, T, T))
{
    const T quotient = mnp_trunc(x / y);
    if (!(mnp_fabs(quotient) < largest))
        return otherwise(x, y);
    if (quotient == 0) /* y may be infinite */
        return x;
    const T rest = multiply_add(-quotient, y, x);
    return mnp_copysign(rest != 0 && (rest < 0) != (x < 0) ? mnp_fabs(y) - mnp_fabs(rest) : rest, x);
}
#if !MNP_CUDA && defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
MNP_INLINE float mnp_real_fmod(float x, float y)
{
    return mnp_quick_fmod<float>(x, y, 0x1p24f, fmodf, fmaf);
}
MNP_INLINE double mnp_real_fmod(double x, double y)
{
    return mnp_quick_fmod<double>(x, y, 0x1p53, fmod, fma);
}
#else
MNP_INLINE float mnp_real_fmod(float x, float y)
{
    return fmodf(x, y);
}
MNP_INLINE double mnp_real_fmod(double x, double y)
{
    return fmod(x, y);
}
#endif
MNP_INLINE float mnp_real_power(float x, float y)
{
    return powf(x, y);
}
MNP_INLINE double mnp_real_power(double x, double y)
{
    return pow(x, y);
}

/*
 * As in Python's divmod of floats, the remainder has the divisor's sign, and quotient * divisor + remainder is about x.
 */
template <typename T> MNP_INLINE T mnp_real_remainder(T x, T y)
{
    T rest = mnp_real_fmod(x, y);
    if (y == 0)
        return rest;
    return rest == 0 ? mnp_copysign((T)0, y) : (rest < 0) != (y < 0) ? rest + y : rest;
}
template <typename T> MNP_INLINE T mnp_real_floor_divide(T x, T y)
{
    T rest = mnp_real_fmod(x, y), quotient = (x - rest) / y;
    if (y == 0)
        return x / y;
    if (rest != 0 && (rest < 0) != (y < 0))
        quotient -= 1;
    T whole = mnp_floor(quotient);
    if (quotient - whole > (T)0.5)
        whole += 1;
    return quotient == 0 ? mnp_copysign((T)0, x / y) : whole;
}

/* Division and powers, which integers have too. */
#define MNP_NUMBER_2(name)                                                                                             \
    template <typename T> MNP_INLINE T mnp_##name(T x, T y)                                                            \
    {                                                                                                                  \
        if constexpr (mnp_is_integer<T>)                                                                               \
            return mnp_integer_##name(x, y);                                                                           \
        else if constexpr (mnp_is_half<T>)                                                                             \
            return T(mnp_real_##name((float)x, (float)y));                                                             \
        else                                                                                                           \
            return mnp_real_##name(x, y);                                                                              \
    }
MNP_NUMBER_2(floor_divide)
MNP_NUMBER_2(remainder)
MNP_NUMBER_2(fmod)
MNP_NUMBER_2(power)

template <typename T> MNP_INLINE void mnp_divmod(T x, T y, T &quotient, T &rest)
{
    const T a = x, b = y; /* results may be stored where the inputs were */
    quotient = mnp_floor_divide(a, b);
    rest = mnp_remainder(a, b);
}
template <typename T> MNP_INLINE T mnp_float_power(T x, T y)
{
    return mnp_power(x, y);
}
template <typename T> MNP_INLINE T mnp_reciprocal(T x)
{
    if constexpr (mnp_is_integer<T>)
        return x == 1 || (mnp_is_signed<T> && x == (T)-1) ? x : (T)0;
    else
        return T(1 / x);
}

template <typename T> MNP_INLINE T mnp_absolute(T x)
{
    if constexpr (mnp_is_integer<T>)
        return (T)mnp_magnitude(x);
    else
        return mnp_fabs(x);
}
MNP_INLINE mnp_bool mnp_absolute(mnp_bool x)
{
    return x;
}
template <typename T> MNP_INLINE T mnp_sign(T x)
{
    if constexpr (mnp_is_half<T>)
        return T(mnp_sign((float)x));
    else if constexpr (mnp_is_integer<T>)
        return mnp_below_zero(x) ? (T)-1 : (T)(x != 0);
    else
        return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x;
}

#define MNP_WHOLE(name)                                                                                                \
    MNP_INLINE mnp_bool mnp_##name(mnp_bool x)                                                                         \
    {                                                                                                                  \
        return x;                                                                                                      \
    }                                                                                                                  \
    template <typename T> MNP_INLINE T mnp_##name(T x)                                                                 \
    {                                                                                                                  \
        if constexpr (mnp_is_half<T>) {                                                                                \
            return T(mnp_##name((float)x));                                                                            \
        } else {                                                                                                       \
            static_assert(mnp_is_integer<T>, "integers are whole");                                                    \
            return x;                                                                                                  \
        }                                                                                                              \
    }
MNP_WHOLE(floor)
MNP_WHOLE(ceil)
MNP_WHOLE(trunc)

template <typename T> MNP_INLINE T mnp_round(T x)
{
    if constexpr (mnp_is_integer<T>)
        return x;
    else
        return mnp_rint(x);
}

template <typename T> MNP_INLINE T mnp_real_heaviside(T x, T at_zero)
{
    return x != x ? x : x == 0 ? at_zero : x < 0 ? (T)0 : (T)1;
}
MNP_REAL_2(heaviside, mnp_real_heaviside, mnp_real_heaviside)

template <typename T> MNP_INLINE T mnp_real_logaddexp(T x, T y)
{
    const T difference = x - y, larger = difference > 0 ? x : y;
    const T sum = larger + mnp_log1p(mnp_exp(-mnp_fabs(difference)));
    return x == y ? x + (T)0.693147180559945309417 : difference == difference ? sum : difference;
}
MNP_REAL_2(logaddexp, mnp_real_logaddexp, mnp_real_logaddexp)

template <typename T> MNP_INLINE T mnp_real_logaddexp2(T x, T y)
{
    const T difference = x - y, larger = difference > 0 ? x : y;
    const T sum = larger + (T)1.44269504088896340736 * mnp_log1p(mnp_exp2(-mnp_fabs(difference)));
    return x == y ? x + 1 : difference == difference ? sum : difference;
}
MNP_REAL_2(logaddexp2, mnp_real_logaddexp2, mnp_real_logaddexp2)

template <typename T> MNP_INLINE T mnp_real_deg2rad(T x)
{
    return x * ((T)3.14159265358979323846 / (T)180);
}
MNP_REAL_1(deg2rad, mnp_real_deg2rad, mnp_real_deg2rad)
MNP_REAL_1(radians, mnp_real_deg2rad, mnp_real_deg2rad)

template <typename T> MNP_INLINE T mnp_real_rad2deg(T x)
{
    return x * ((T)180 / (T)3.14159265358979323846);
}
MNP_REAL_1(rad2deg, mnp_real_rad2deg, mnp_real_rad2deg)
MNP_REAL_1(degrees, mnp_real_rad2deg, mnp_real_rad2deg)

template <typename T> MNP_INLINE T mnp_real_sinc(T x)
{
    const T y = (T)3.14159265358979323846 * x;
    return x == 0 ? (T)1 : mnp_sin(y) / y;
}
MNP_REAL_1(sinc, mnp_real_sinc, mnp_real_sinc)

MNP_INLINE float mnp_fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
MNP_INLINE double mnp_fma(double x, double y, double z)
{
    return fma(x, y, z);
}
/* The product of two such floats is exact in a double. */
template <typename T> MNP_INLINE T mnp_fma(T x, T y, T z)
{
    return T((double)x * (double)y + (double)z);
}

/* The representation of floats. */

template <typename T> MNP_INLINE T mnp_nextafter(T x, T y)
{
    typedef typename mnp_format<T>::bits bits;
    if (x != x || y != y)
        return mnp_nan<T>();
    if (x == y)
        return y;
    if (x == 0)
        return mnp_from_bits<T>((bits)((mnp_bits_of(y) & mnp_format<T>::sign) | 1));
    return mnp_from_bits<T>((bits)((x < y) == (x > 0) ? mnp_bits_of(x) + 1 : mnp_bits_of(x) - 1));
}

template <typename T> MNP_INLINE T mnp_spacing(T x)
{
    typedef typename mnp_format<T>::bits bits;
    bits all = mnp_bits_of(x), magnitude = (bits)(all & ~mnp_format<T>::sign);
    if (magnitude >= mnp_format<T>::infinity)
        return mnp_nan<T>();
    return magnitude == 0 ? mnp_from_bits<T>(1) : T(mnp_from_bits<T>((bits)(all + 1)) - x);
}
/* as in NumPy it is the distance to the next number above */
MNP_INLINE mnp_float16 mnp_spacing(mnp_float16 x)
{
    if ((mnp_bits_of(x) & 0x7c00) == 0x7c00)
        return mnp_nan<mnp_float16>();
    return mnp_float16((float)mnp_nextafter(x, mnp_infinity<mnp_float16>()) - (float)x);
}

template <typename T> MNP_INLINE void mnp_modf(T x, T &fraction, T &whole)
{
    if constexpr (mnp_is_half<T>) {
        float f, w;
        mnp_modf((float)x, f, w);
        fraction = T(f);
        whole = T(w);
    } else {
        const T w = mnp_trunc(x), rest = x - w;
        fraction = mnp_copysign(w == x ? (T)0 : rest, x);
        whole = w;
    }
}

MNP_INLINE float mnp_real_ldexp(float x, int n)
{
    return ldexpf(x, n);
}
MNP_INLINE double mnp_real_ldexp(double x, int n)
{
    return ldexp(x, n);
}
template <typename T, typename N> MNP_INLINE T mnp_ldexp(T x, N n)
{
    const int clamped = n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n; /* beyond all exponents */
    if constexpr (mnp_is_half<T>)
        return T(mnp_real_ldexp((double)x, clamped));
    else
        return mnp_real_ldexp(x, clamped);
}

MNP_INLINE float mnp_real_frexp(float x, int *n)
{
    return frexpf(x, n);
}
MNP_INLINE double mnp_real_frexp(double x, int *n)
{
    return frexp(x, n);
}
template <typename T> MNP_INLINE void mnp_frexp(T x, T &mantissa, int32_t &exponent)
{
    int n = 0;
    if constexpr (mnp_is_half<T>)
        mantissa = T(mnp_real_frexp((float)x, &n));
    else
        mantissa = mnp_real_frexp(x, &n);
    exponent = mantissa - mantissa == 0 ? n : 0;
}

/* Parts of complex numbers, of numbers that are real. */

template <typename T> MNP_INLINE T mnp_conjugate(T x)
{
    return x;
}
template <typename T> MNP_INLINE T mnp_real(T x)
{
    return x;
}
template <typename T> MNP_INLINE T mnp_imag(T x)
{
    return T{};
}
template <typename T> MNP_INLINE T mnp_abs2(T x)
{
    return mnp_multiply(x, x);
}
template <typename T> MNP_INLINE T mnp_angle(T x)
{
    return mnp_arctan2(T(0), x);
}
