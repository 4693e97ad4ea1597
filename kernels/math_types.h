/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traits of types: kinds (cast.h has more), wide types for arithmetic, types of parts, and formats of floats.
 */
template <typename T> constexpr bool mnp_is_complex = false;
template <typename R> constexpr bool mnp_is_complex<mnp_complex<R>> = true;

/* The unsigned integer of at least 32 bits in which a type's arithmetic is done, so that it wraps around. */
template <typename T> struct mnp_wide {
    typedef uint32_t type;
};
template <> struct mnp_wide<int64_t> {
    typedef uint64_t type;
};
template <> struct mnp_wide<uint64_t> {
    typedef uint64_t type;
};

/* The type of the parts of a complex number; of other types the type itself. */
template <typename T> struct mnp_real_of {
    typedef T type;
};
template <typename R> struct mnp_real_of<mnp_complex<R>> {
    typedef R type;
};

/* The integer that holds the bits of a float, and what the bits mean. */
template <typename T> struct mnp_format;
template <> struct mnp_format<mnp_float16> {
    typedef uint16_t bits;
    static constexpr bits sign = 0x8000, infinity = 0x7c00;
};
template <> struct mnp_format<mnp_bfloat16> {
    typedef uint16_t bits;
    static constexpr bits sign = 0x8000, infinity = 0x7f80;
};
template <> struct mnp_format<float> {
    typedef uint32_t bits;
    static constexpr bits sign = 0x80000000u, infinity = 0x7f800000u;
};
template <> struct mnp_format<double> {
    typedef uint64_t bits;
    static constexpr bits sign = 0x8000000000000000u, infinity = 0x7ff0000000000000u;
};

template <typename T> MNP_INLINE typename mnp_format<T>::bits mnp_bits_of(T x)
{
    typename mnp_format<T>::bits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
template <typename T> MNP_INLINE T mnp_from_bits(typename mnp_format<T>::bits bits)
{
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

template <typename T> MNP_INLINE T mnp_infinity()
{
    return mnp_from_bits<T>(mnp_format<T>::infinity);
}
template <typename T> MNP_INLINE T mnp_nan()
{
    return mnp_from_bits<T>((typename mnp_format<T>::bits)(mnp_format<T>::infinity | mnp_format<T>::infinity >> 1));
}

/* Whether an integer is negative. */
template <typename T> MNP_INLINE bool mnp_below_zero(T x)
{
    if constexpr (mnp_is_signed<T>)
        return x < 0;
    else
        return false;
}

MNP_INLINE mnp_bool mnp_truth(bool x)
{
    return mnp_bool{(uint8_t)x};
}
