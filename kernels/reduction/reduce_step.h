/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reduction by a function of two arguments, as the methods of ufuncs need: the function is applied to the accumulator
 * and the next element.  F is a struct with the function, of(x, y), and the result for no elements, none<T>().
 */
template <typename T, typename F> struct mnp_reduce_step {
    struct acc {
        T value;
        bool any;
    };
    template <int W> struct lanes {
        T value[W];
        bool any[W];
        MNP_INLINE void start(int j)
        {
            value[j] = T{};
            any[j] = false;
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            value[j] = any[j] ? F::of(value[j], x) : x;
            any[j] = true;
        }
        MNP_INLINE acc end(int j) const
        {
            return acc{value[j], any[j]};
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        if (!b.any)
            return;
        a.value = a.any ? F::of(a.value, b.value) : b.value;
        a.any = true;
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        result = a.any ? a.value : F::template none<T>();
    }
};
