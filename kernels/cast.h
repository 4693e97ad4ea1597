/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversions between any two types: mnp_to<To>::from(x), as numpy.ndarray.astype(casting="unsafe") where C defines the
 * result.
 *
 * An integer wraps around, and is rounded to a float.  A float becomes an integer by truncation towards zero.  C leaves
 * undefined what happens outside the integer's range: compilers then give other values where they fuse loops than where
 * they store, and GPUs other values than CPUs.  Here such a float becomes the nearest value of the integer's type, and
 * NaN becomes 0, as in Rust, Java and WebAssembly.  NumPy wraps around on some processors, which would cost more:
 * no vector unit before AVX-512 converts to 64 bits.  This takes three to five vector instructions, less time than
 * memory takes to deliver the numbers.  lib/base/value.c defines the same for single values.
 */
template <typename T> constexpr bool mnp_is_signed = false;
template <> constexpr bool mnp_is_signed<int8_t> = true;
template <> constexpr bool mnp_is_signed<int16_t> = true;
template <> constexpr bool mnp_is_signed<int32_t> = true;
template <> constexpr bool mnp_is_signed<int64_t> = true;

template <typename T> constexpr bool mnp_is_integer = mnp_is_signed<T>;
template <> constexpr bool mnp_is_integer<uint8_t> = true;
template <> constexpr bool mnp_is_integer<uint16_t> = true;
template <> constexpr bool mnp_is_integer<uint32_t> = true;
template <> constexpr bool mnp_is_integer<uint64_t> = true;

template <typename T> constexpr bool mnp_is_half = false;
template <> constexpr bool mnp_is_half<mnp_float16> = true;
template <> constexpr bool mnp_is_half<mnp_bfloat16> = true;

/*
 * A float or double as an integer.  All steps are selects and masks, which are vectorised, and no conversion leaves its
 * range.  What is smaller than 1 becomes 0 by a step of its own, and so does NaN: compilers make one truncation of a
 * cast to an integer and one back, which would give -0.5 the wrong zero.
 */
template <typename To, typename From> MNP_INLINE To mnp_truncated(From x)
{
    constexpr int bits = 8 * (int)sizeof(To) - (mnp_is_signed<To> ? 1 : 0), digits = sizeof(From) == 8 ? 53 : 24;
    constexpr uint64_t most = ~(uint64_t)0 >> (64 - bits);
    constexpr To least = mnp_is_signed<To> ? (To)~most : (To)0, largest = (To)most;
    constexpr From low = (From)least, high = (From)(bits <= digits ? most : most - (most >> digits));
    if constexpr (sizeof(To) > sizeof(From)) {
        return mnp_truncated<To>((double)x);
    } else {
        const From above = x > low ? x : low, inside = x > high ? high : above; /* NaN is `low` here */
        const bool counts = !mnp_is_signed<To> || x * x >= 1;
        if constexpr (bits <= digits)
            return (To)(counts ? inside : (From)0);
        const To whole = (To)inside, beyond = 0 - (To)(x > high); /* the largest value is no float */
        return (whole ^ ((whole ^ largest) & beyond)) & (0 - (To)counts);
    }
}

template <typename To> struct mnp_to {
    template <typename From> static MNP_INLINE To from(From x)
    {
        if constexpr (mnp_is_integer<To> && mnp_is_half<From>)
            return mnp_truncated<To>((float)x);
        else
            return (To)x;
    }
    static MNP_INLINE To from(float x)
    {
        if constexpr (mnp_is_integer<To>)
            return mnp_truncated<To>(x);
        else
            return (To)x;
    }
    static MNP_INLINE To from(double x)
    {
        if constexpr (mnp_is_integer<To>)
            return mnp_truncated<To>(x);
        else
            return (To)x;
    }
    static MNP_INLINE To from(mnp_bool x)
    {
        return (To)x.value;
    }
    template <typename R> static MNP_INLINE To from(mnp_complex<R> x)
    {
        return from(x.re);
    }
};

template <> struct mnp_to<mnp_bool> {
    template <typename From> static MNP_INLINE mnp_bool from(From x)
    {
        return mnp_bool{(uint8_t)(x != 0)};
    }
    static MNP_INLINE mnp_bool from(mnp_bool x)
    {
        return x;
    }
    template <typename R> static MNP_INLINE mnp_bool from(mnp_complex<R> x)
    {
        return mnp_bool{(uint8_t)(x.re != 0 || x.im != 0)};
    }
};

template <typename T> struct mnp_to<mnp_complex<T>> {
    template <typename From> static MNP_INLINE mnp_complex<T> from(From x)
    {
        return mnp_complex<T>{mnp_to<T>::from(x), (T)0};
    }
    template <typename R> static MNP_INLINE mnp_complex<T> from(mnp_complex<R> x)
    {
        return mnp_complex<T>{(T)x.re, (T)x.im};
    }
};
