/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values as unsigned integers, of at least the same size, in the order of the values; and back.  NaN comes last, as in
 * sorting.
 */
template <typename T> static constexpr MNP_VALUE mnp_sign = (MNP_VALUE)((MNP_VALUE)1 << (8 * sizeof(T) - 1));
template <typename T> static constexpr MNP_VALUE mnp_all = (MNP_VALUE)(mnp_sign<T> | (mnp_sign<T> - 1));
template <typename T> struct mnp_ordered {
    static MNP_INLINE MNP_VALUE from(T x)
    {
        return (MNP_VALUE)(((MNP_VALUE)x ^ (mnp_is_signed<T> ? mnp_sign<T> : (MNP_VALUE)0)) & mnp_all<T>);
    }
    static MNP_INLINE T to(MNP_VALUE x)
    {
        return (T)(x ^ (mnp_is_signed<T> ? mnp_sign<T> : (MNP_VALUE)0));
    }
};
template <> struct mnp_ordered<mnp_bool> {
    static MNP_INLINE MNP_VALUE from(mnp_bool x)
    {
        return x.value;
    }
    static MNP_INLINE mnp_bool to(MNP_VALUE x)
    {
        return mnp_bool{(uint8_t)x};
    }
};
template <typename T> struct mnp_ordered_bits {
    static MNP_INLINE MNP_VALUE from(T x)
    {
        MNP_VALUE bits = 0;
        memcpy(&bits, &x, sizeof x);
        return (MNP_VALUE)((bits & mnp_sign<T> ? ~bits : bits | mnp_sign<T>)&mnp_all<T>);
    }
    static MNP_INLINE T to(MNP_VALUE x)
    {
        const MNP_VALUE bits = (MNP_VALUE)(x & mnp_sign<T> ? x ^ mnp_sign<T> : ~x);
        T value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
};
template <> struct mnp_ordered<float> : mnp_ordered_bits<float> {
};
template <> struct mnp_ordered<double> : mnp_ordered_bits<double> {
};
template <> struct mnp_ordered<mnp_float16> : mnp_ordered_bits<mnp_float16> {
};
template <> struct mnp_ordered<mnp_bfloat16> : mnp_ordered_bits<mnp_bfloat16> {
};
