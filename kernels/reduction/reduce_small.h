/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of small elements in reduce.cu on a GPU, which adds 64-bit integers and doubles, and converts to them, more
 * slowly than it reads bytes.  What a set has of its last elements is in 32 bits; settle() adds that to the rest.
 * Extremes are compared in 32 bits, as a GPU converts what it has computed in fewer after every step.
 *
 * Source is the type of elements in memory.  Integers come as they are, not converted to T, in which a reduction has
 * them elsewhere.
 */

/*
 * Elements of rows and columns that a set may have between two calls of settle(): so many fit 32 bits, and the errors
 * of float stay small.  Of a tile a set has at most MNP__REDUCTION_TILE bytes between two calls, whose squares fit too.
 */
constexpr int mnp_most_unsettled = 1024;

/* Whether Source is an integer of at most 16 bits, and T has all of its values. */
template <typename T> constexpr bool mnp_has_small = mnp_is_integer<T> && sizeof(T) == 8;
template <> constexpr bool mnp_has_small<float> = true;
template <> constexpr bool mnp_has_small<double> = true;
template <typename T, typename Source>
constexpr bool mnp_is_small = mnp_has_small<T> &&mnp_is_integer<Source> && sizeof(Source) <= 2;

/* Sums in A of small integers. */
template <typename Source, typename A, typename Acc, int W> struct mnp_small_sums {
    int32_t few[W];
    A sum[W];
    MNP_INLINE void start(int j)
    {
        few[j] = 0;
        sum[j] = A{};
    }
    MNP_INLINE void take(int64_t j, Source x, int64_t)
    {
        few[j] += x;
    }
    MNP_INLINE void settle(int j)
    {
        sum[j] += (A)few[j];
        few[j] = 0;
    }
    MNP_INLINE Acc end(int j) const
    {
        Acc acc;
        acc.set(sum[j] + (A)few[j]);
        return acc;
    }
};

/* The types of differences of elements, and of sums of their squares, while variances are not settled. */
template <typename T, typename Source, bool byte = mnp_is_small<T, Source> && sizeof(Source) == 1>
struct mnp_small_difference {
    static constexpr bool any = false;
};
template <typename T, typename Source> struct mnp_small_difference<T, Source, true> {
    static constexpr bool any = true;
    typedef int32_t type;
    typedef uint32_t squares;
};
template <> struct mnp_small_difference<mnp_float16, mnp_float16, false> {
    static constexpr bool any = true;
    typedef float type, squares;
};

/* As mnp_reduce_var::lanes: Op is a mnp_reduce_var. */
template <typename Op, typename T, typename Source, int W> struct mnp_small_variances {
    typedef typename mnp_small_difference<T, Source>::type D;
    typedef typename mnp_small_difference<T, Source>::squares Squares;
    D first[W], few[W];
    Squares few_squares[W];
    double sum[W], squares[W];
    int64_t n[W];
    MNP_INLINE void start(int j)
    {
        first[j] = few[j] = 0;
        few_squares[j] = 0;
        sum[j] = squares[j] = 0;
        n[j] = 0;
    }
    MNP_INLINE void take(int64_t j, Source x, int64_t i)
    {
        if (Op::skips_nan && mnp_isnan(x).value)
            return;
        lead(j, x, i);
        follow(j, x, i);
    }
    MNP_INLINE void lead(int64_t j, Source x, int64_t)
    {
        first[j] = n[j] == 0 ? mnp_to<D>::from(x) : first[j];
    }
    MNP_INLINE void follow(int64_t j, Source x, int64_t)
    {
        const D difference = mnp_to<D>::from(x) - first[j];
        few[j] += difference;
        few_squares[j] += (Squares)(difference * difference);
        n[j]++;
    }
    MNP_INLINE void settle(int j)
    {
        sum[j] += (double)few[j];
        squares[j] += (double)few_squares[j];
        few[j] = 0;
        few_squares[j] = 0;
    }
    MNP_INLINE typename Op::acc end(int j) const
    {
        return Op::known(n[j], (double)first[j], sum[j] + (double)few[j], squares[j] + (double)few_squares[j]);
    }
};

/* The type in which elements are compared. */
template <typename T, bool small = mnp_is_integer<T> && sizeof(T) <= 2> struct mnp_compared {
    typedef T type;
};
template <typename T> struct mnp_compared<T, true> {
    typedef int32_t type;
};
template <> struct mnp_compared<mnp_float16, false> {
    typedef float type;
};
template <> struct mnp_compared<mnp_bfloat16, false> {
    typedef float type;
};

/* A value of which the compiler does not know that fewer bits would hold it. */
template <typename T> MNP_INLINE T mnp_wide_value(T x)
{
    return x;
}
template <> MNP_INLINE int32_t mnp_wide_value<int32_t>(int32_t x)
{
    asm("" : "+r"(x));
    return x;
}
