/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparisons, minimum and maximum, and predicates of floats such as isnan.
 *
 * Complex numbers are ordered by their real parts, then by the imaginary ones; comparisons with a NaN are false.
 */
#define MNP_COMPARE(name, op)                                                                                          \
    template <typename T> MNP_INLINE mnp_bool mnp_##name(T x, T y)                                                     \
    {                                                                                                                  \
        return mnp_truth(x op y);                                                                                      \
    }                                                                                                                  \
    MNP_INLINE mnp_bool mnp_##name(mnp_bool x, mnp_bool y)                                                             \
    {                                                                                                                  \
        return mnp_truth(x.value op y.value);                                                                          \
    }                                                                                                                  \
    MNP_INLINE mnp_bool mnp_##name(int64_t x, uint64_t y)                                                              \
    {                                                                                                                  \
        return mnp_truth(x < 0 ? -1 op 0 : (uint64_t)x op y);                                                          \
    }                                                                                                                  \
    MNP_INLINE mnp_bool mnp_##name(uint64_t x, int64_t y)                                                              \
    {                                                                                                                  \
        return mnp_truth(y < 0 ? 0 op - 1 : x op(uint64_t) y);                                                         \
    }
MNP_COMPARE(greater, >)
MNP_COMPARE(greater_equal, >=)
MNP_COMPARE(less, <)
MNP_COMPARE(less_equal, <=)
MNP_COMPARE(equal, ==)
MNP_COMPARE(not_equal, !=)

#define MNP_COMPARE_COMPLEX(name, op, strict)                                                                          \
    template <typename R> MNP_INLINE mnp_bool mnp_##name(mnp_complex<R> x, mnp_complex<R> y)                           \
    {                                                                                                                  \
        return mnp_truth((x.re strict y.re && x.im == x.im && y.im == y.im) || (x.re == y.re && x.im op y.im));        \
    }
MNP_COMPARE_COMPLEX(greater, >, >)
MNP_COMPARE_COMPLEX(greater_equal, >=, >)
MNP_COMPARE_COMPLEX(less, <, <)
MNP_COMPARE_COMPLEX(less_equal, <=, <)

MNP_INLINE mnp_bool mnp_logical_and(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value & y.value)};
}
MNP_INLINE mnp_bool mnp_logical_or(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value | y.value)};
}
MNP_INLINE mnp_bool mnp_logical_xor(mnp_bool x, mnp_bool y)
{
    return mnp_bool{(uint8_t)(x.value ^ y.value)};
}
MNP_INLINE mnp_bool mnp_logical_not(mnp_bool x)
{
    return mnp_bool{(uint8_t)(x.value ^ 1)};
}

/* Predicates that have the same result for all integers and bools. */

template <typename T> MNP_INLINE mnp_bool mnp_isnan(T x)
{
    if constexpr (mnp_is_complex<T>)
        return mnp_truth(x.re != x.re || x.im != x.im);
    else
        return mnp_truth(x != x);
}
template <typename T> MNP_INLINE mnp_bool mnp_isinf(T x)
{
    if constexpr (mnp_is_integer<T>)
        return mnp_truth(false);
    else if constexpr (mnp_is_complex<T>)
        return mnp_truth(mnp_isinf(x.re).value | mnp_isinf(x.im).value);
    else
        return mnp_truth((mnp_bits_of(x) & ~mnp_format<T>::sign) == mnp_format<T>::infinity);
}
template <typename T> MNP_INLINE mnp_bool mnp_isfinite(T x)
{
    if constexpr (mnp_is_integer<T>)
        return mnp_truth(true);
    else if constexpr (mnp_is_complex<T>)
        return mnp_truth(mnp_isfinite(x.re).value & mnp_isfinite(x.im).value);
    else
        return mnp_truth((mnp_bits_of(x) & mnp_format<T>::infinity) != mnp_format<T>::infinity);
}
template <typename T> MNP_INLINE mnp_bool mnp_isposinf(T x)
{
    if constexpr (mnp_is_integer<T>)
        return mnp_truth(false);
    else
        return mnp_truth(mnp_bits_of(x) == mnp_format<T>::infinity);
}
template <typename T> MNP_INLINE mnp_bool mnp_isneginf(T x)
{
    if constexpr (mnp_is_integer<T>)
        return mnp_truth(false);
    else
        return mnp_truth(mnp_bits_of(x) == (mnp_format<T>::infinity | mnp_format<T>::sign));
}
template <typename T> MNP_INLINE mnp_bool mnp_signbit(T x)
{
    return mnp_truth((mnp_bits_of(x) & mnp_format<T>::sign) != 0);
}
MNP_INLINE mnp_bool mnp_isnan(mnp_bool)
{
    return mnp_bool{0};
}
MNP_INLINE mnp_bool mnp_isinf(mnp_bool)
{
    return mnp_bool{0};
}
MNP_INLINE mnp_bool mnp_isfinite(mnp_bool)
{
    return mnp_bool{1};
}
MNP_INLINE mnp_bool mnp_isposinf(mnp_bool)
{
    return mnp_bool{0};
}
MNP_INLINE mnp_bool mnp_isneginf(mnp_bool)
{
    return mnp_bool{0};
}

/* NaN becomes 0, infinities the largest finite number. */
template <typename T> MNP_INLINE T mnp_nan_to_num(T x)
{
    if constexpr (mnp_is_integer<T>) {
        return x;
    } else if constexpr (mnp_is_complex<T>) {
        return T{mnp_nan_to_num(x.re), mnp_nan_to_num(x.im)};
    } else {
        typedef typename mnp_format<T>::bits bits;
        const bits all = mnp_bits_of(x), magnitude = (bits)(all & ~mnp_format<T>::sign);
        return magnitude > mnp_format<T>::infinity    ? T(0)
               : magnitude == mnp_format<T>::infinity ? mnp_from_bits<T>((bits)(all - 1))
                                                      : x;
    }
}
MNP_INLINE mnp_bool mnp_nan_to_num(mnp_bool x)
{
    return x;
}

/*
 * Minimum and maximum.  The result is the first operand if that is NaN (fmax, fmin: if the second is NaN).  Two choices
 * one after the other become vector instructions, also where such functions are nested; one of either condition does
 * not.
 */
#define MNP_CHOOSE(name, compare, taken)                                                                               \
    template <typename T> MNP_INLINE T mnp_##name(T x, T y)                                                            \
    {                                                                                                                  \
        const T chosen = mnp_##compare(x, y).value ? x : y;                                                            \
        return mnp_isnan(taken).value ? x : chosen;                                                                    \
    }
MNP_CHOOSE(maximum, greater_equal, x)
MNP_CHOOSE(minimum, less_equal, x)
MNP_CHOOSE(fmax, greater_equal, y)
MNP_CHOOSE(fmin, less_equal, y)

template <typename T> MNP_INLINE T mnp_clip(T x, T low, T high)
{
    return mnp_minimum(mnp_maximum(x, low), high);
}
template <typename T> MNP_INLINE T mnp_where(mnp_bool condition, T x, T y)
{
    return condition.value ? x : y;
}
template <typename T> MNP_INLINE mnp_bool mnp_isclose(T x, T y, T relative, T absolute)
{
    const auto distance = mnp_absolute(mnp_subtract(x, y));
    const auto allowed = mnp_add(mnp_real(absolute), mnp_multiply(mnp_real(relative), mnp_absolute(y)));
    return mnp_truth((distance <= allowed && mnp_isfinite(y).value) || x == y);
}
