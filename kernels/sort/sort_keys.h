/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts keys to unsigned numbers of the same order, whose digits a radix sort reads.
 *
 * Zeros of either sign have the same number, and all NaN have the largest.  Complex numbers are ordered as by NumPy: by
 * their real parts, then by their imaginary parts.  Those with a NaN come last: first those with a NaN imaginary part,
 * by their real parts, then those with a NaN real part, by their imaginary parts, then those with two.
 */

/* A number of two words, the more significant one first. */
struct mnp_bits128 {
    uint64_t high, low;
};

template <int size> struct mnp_bits_of_size {
    typedef uint64_t type;
};
template <> struct mnp_bits_of_size<1> {
    typedef uint8_t type;
};
template <> struct mnp_bits_of_size<2> {
    typedef uint16_t type;
};
template <> struct mnp_bits_of_size<4> {
    typedef uint32_t type;
};
template <> struct mnp_bits_of_size<16> {
    typedef mnp_bits128 type;
};
typedef mnp_bits_of_size<sizeof(MNP_KEY)>::type mnp_bits;

enum { MNP_PASSES = sizeof(MNP_KEY) };

/* The number of a float from its bits; `infinity` is the largest magnitude that is not NaN. */
template <typename Bits> MNP_INLINE Bits mnp_sort_key_float(Bits bits, Bits infinity)
{
    const Bits sign = (Bits)((Bits)1 << (8 * sizeof(Bits) - 1)), magnitude = (Bits)(bits & (Bits)~sign);
    const Bits falls = (Bits)(0 - (Bits)(bits >> (8 * sizeof(Bits) - 1))), rises = (Bits)(bits ^ (Bits)(falls | sign));
    const Bits number = magnitude == 0 ? sign : rises;
    return magnitude > infinity ? (Bits) ~(Bits)0 : number;
}

/* The bits of x as another type of the same size. */
template <typename To, typename From> MNP_INLINE To mnp_bits_as(const From &x)
{
    To same;
    memcpy(&same, &x, sizeof same);
    return same;
}

MNP_INLINE uint8_t mnp_sort_key_number(mnp_bool x)
{
    return x.value;
}
MNP_INLINE uint16_t mnp_sort_key_number(mnp_float16 x)
{
    return mnp_sort_key_float(x.bits, (uint16_t)0x7c00);
}
MNP_INLINE uint16_t mnp_sort_key_number(mnp_bfloat16 x)
{
    return mnp_sort_key_float(x.bits, (uint16_t)0x7f80);
}
MNP_INLINE uint32_t mnp_sort_key_number(float x)
{
    return mnp_sort_key_float(mnp_bits_as<uint32_t>(x), (uint32_t)0x7f800000);
}
MNP_INLINE uint64_t mnp_sort_key_number(double x)
{
    return mnp_sort_key_float(mnp_bits_as<uint64_t>(x), (uint64_t)0x7ff0000000000000);
}
template <typename T> MNP_INLINE typename mnp_bits_of_size<sizeof(T)>::type mnp_sort_key_number(T x)
{
    typedef typename mnp_bits_of_size<sizeof(T)>::type bits;
    const bits sign = (bits)((T)-1 < (T)0 ? (bits)1 << (8 * sizeof(T) - 1) : 0);
    return (bits)((bits)x ^ sign);
}

MNP_INLINE uint64_t mnp_sort_key_join(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}
MNP_INLINE mnp_bits128 mnp_sort_key_join(uint64_t high, uint64_t low)
{
    return mnp_bits128{high, low};
}
template <typename R> MNP_INLINE typename mnp_bits_of_size<2 * sizeof(R)>::type mnp_sort_key_number(mnp_complex<R> x)
{
    typedef typename mnp_bits_of_size<sizeof(R)>::type bits;
    const bits nan = (bits) ~(bits)0, re = mnp_sort_key_number(x.re), im = mnp_sort_key_number(x.im);
    if (re == nan)
        return mnp_sort_key_join(im == nan ? nan : (bits)(nan - 1), im);
    return im == nan ? mnp_sort_key_join((bits)(nan - 2), re) : mnp_sort_key_join(re, im);
}

template <typename Bits> MNP_INLINE Bits mnp_sort_key_turned(Bits bits, bool turn)
{
    return (Bits)(bits ^ (Bits)(0 - (Bits)turn));
}
MNP_INLINE mnp_bits128 mnp_sort_key_turned(mnp_bits128 bits, bool turn)
{
    return mnp_bits128{mnp_sort_key_turned(bits.high, turn), mnp_sort_key_turned(bits.low, turn)};
}

/* The number of a key, in ascending or descending order. */
MNP_INLINE mnp_bits mnp_number(const MNP_KEY &key, bool descending)
{
    return mnp_sort_key_turned(mnp_sort_key_number(key), descending);
}

template <typename Bits> MNP_INLINE uint32_t mnp_digit(Bits bits, int pass)
{
    return (uint32_t)(bits >> (8 * pass)) & 255;
}
MNP_INLINE uint32_t mnp_digit(mnp_bits128 bits, int pass)
{
    return pass < 8 ? mnp_digit(bits.low, pass) : mnp_digit(bits.high, pass - 8);
}

/* Digit number `pass` of a key's number. */
MNP_INLINE uint32_t mnp_digit_of_key(const MNP_KEY &key, int pass, bool descending)
{
    return mnp_digit(mnp_sort_key_number(key), pass) ^ (descending ? 255u : 0u);
}

template <typename Bits> MNP_INLINE bool mnp_is_before(Bits a, Bits b)
{
    return a < b;
}
MNP_INLINE bool mnp_is_before(mnp_bits128 a, mnp_bits128 b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* ---- the payload, MNP_PAYLOAD bytes that move with a key ---- */

struct mnp_payload16 {
    uint64_t words[2];
};
template <int size> struct mnp_payload_of_size {
    typedef typename mnp_bits_of_size<size>::type type;
};
template <> struct mnp_payload_of_size<0> { /* none: never accessed */
    typedef uint8_t type;
};
template <> struct mnp_payload_of_size<16> {
    typedef mnp_payload16 type;
};
typedef mnp_payload_of_size<MNP_PAYLOAD>::type mnp_payload;

/* The payload that is an element's number in its line. */
MNP_INLINE mnp_payload mnp_payload_number(int64_t i)
{
    mnp_payload payload = {};
    memcpy(&payload, &i, sizeof i < sizeof payload ? sizeof i : sizeof payload); /* its low bytes come first */
    return payload;
}

/* The input's payload of element i of the line that begins at `line`. */
MNP_INLINE mnp_payload mnp_payload_given(const mnp_radix_sort_params &p, int64_t line, int64_t i)
{
    const mnp_payload *given = (const mnp_payload *)p.payload[MNP_RADIX_SORT_GIVEN];
    return given ? given[line + i] : mnp_payload_number(i);
}
